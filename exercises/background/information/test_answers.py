"""Grader of chapter A4: answers against identities of the entropy, all prefix codes, and the list of all sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint
from snippets.background.information import cross_entropy, entropy, kl_divergence

PAGE = "a4-information.md"
SHARES = 16  # probabilities are multiples of a sixteenth, which floats hold exactly


def distributions(symbols: int, *, zeros: bool = True) -> Any:
    """Return a strategy of distributions over a number of symbols."""
    from hypothesis import strategies as st

    least = 0 if zeros else 1
    spare = SHARES - least * symbols
    cuts = st.lists(st.integers(0, spare), min_size=symbols - 1, max_size=symbols - 1).map(sorted)
    return cuts.map(
        lambda at: [(high - low + least) / SHARES for low, high in zip([0, *at], [*at, spare], strict=True)]
    )


def two_lengths(p: Sequence[float], q: Sequence[float]) -> dict[str, float]:
    """The entropy as what is missing to a fair die's; the divergence as a cross-entropy less the entropy."""
    bits = math.log2(len(p)) - kl_divergence(p, [1 / len(p)] * len(p))
    return {"entropy": round(bits, 12), "divergence": round(cross_entropy(p, q) - bits, 12)}


def observe_two_lengths(function: Any, **inputs: Any) -> dict[str, Any]:
    shown = function(**inputs)
    if not isinstance(shown, tuple | list) or len(shown) != 2:
        return {"entropy": shown, "divergence": "missing"}
    return {"entropy": shown[0], "divergence": shown[1]}


def pairs_of_distributions() -> Any:
    from hypothesis import strategies as st

    return st.integers(1, 4).flatmap(lambda n: st.fixed_dictionaries({"p": distributions(n), "q": distributions(n)}))


def inverse_geometric_mean(token_probabilities: Sequence[float]) -> float:
    """Multiply exactly and take one root: no logarithm."""
    whole = math.prod(map(Fraction, token_probabilities))
    return float(1 / whole) ** (1 / len(token_probabilities)) if whole else math.inf


def texts_with_probabilities() -> Any:
    from hypothesis import strategies as st

    chances = st.integers(0, SHARES).map(lambda share: share / SHARES)
    return st.fixed_dictionaries({"token_probabilities": st.lists(chances, min_size=1, max_size=6)})


def best_code_bits(probabilities: Sequence[float], *, block: int) -> float:
    """Try every prefix code: level by level of its tree, how many of the nodes there become words."""
    words = sorted((math.prod(word) for word in product(probabilities, repeat=block)), reverse=True)

    @cache
    def cheapest(placed: int, nodes: int) -> float:
        left = len(words) - placed
        if left <= nodes:
            return 0.0
        below = math.inf
        for more in range(nodes):
            inner = min(2 * (nodes - more), left - more)  # nodes beyond the words that are left serve nothing
            below = min(below, sum(words[placed + more :]) + (cheapest(placed + more, inner) if inner > 1 else 0.0))
        return below

    return cheapest(0, 1) / block


def blocks() -> Any:
    from hypothesis import strategies as st

    sizes = [(2, 1), (2, 2), (3, 1), (3, 2), (2, 3), (4, 1), (5, 1), (2, 4), (4, 2), (1, 2)]

    def inputs(size: tuple[int, int]) -> Any:
        p = distributions(size[0], zeros=False)
        return st.fixed_dictionaries({"probabilities": p, "block": st.just(size[1])})

    return st.sampled_from(sizes).flatmap(inputs)


def entropy_after_context_nats(text: Sequence[int], *, context: int) -> float:
    """The entropy of a context with the symbol after it, less that of the context."""
    stretches = [tuple(text[at - context : at + 1]) for at in range(context, len(text))]

    def nats(things: Sequence[Any]) -> float:
        return entropy([count / len(things) for count in Counter(things).values()], base=math.e)

    return nats(stretches) - nats([stretch[:-1] for stretch in stretches])


def texts() -> Any:
    from hypothesis import strategies as st

    def inputs(context: int) -> Any:
        text = st.lists(st.integers(0, 2), min_size=context + 1, max_size=12)
        return st.fixed_dictionaries({"text": text, "context": st.just(context)})

    return st.integers(0, 3).flatmap(inputs)


def bits_of_all_sums(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    """List everything that the ranks can draw together."""
    found = []
    for several in range(1, ranks + 1):
        sums = [0.0] * (several * (len(probabilities) - 1) + 1)
        for drawn in product(range(len(probabilities)), repeat=several):
            sums[sum(drawn)] += math.prod(probabilities[value] for value in drawn)
        found.append(entropy(sums))
    return found


def rank_draws() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries(
        {"probabilities": st.integers(1, 3).flatmap(distributions), "ranks": st.integers(1, 4)}
    )


EXERCISES = [
    Exercise(
        name="entropy_and_divergence_bits",
        number=1,
        asked="the entropy H(p) and the divergence D(p ‖ q), in bits",
        expected=two_lengths,
        observe=observe_two_lengths,
        examples=[
            {"p": [0.5, 0.5], "q": [0.5, 0.5]},
            {"p": [1.0], "q": [1.0]},
            {"p": [0.5, 0.25, 0.25], "q": [0.25, 0.25, 0.5]},
            {"p": [0.5, 0.5, 0.0], "q": [0.25, 0.25, 0.5]},
            {"p": [0.75, 0.25], "q": [1.0, 0.0]},
        ],
        inputs=pairs_of_distributions,
        units={"entropy": "bits", "divergence": "bits"},
        level="easy",
        hints=(
            Hint(
                "Both are means over the symbols that come. How often does a symbol come?",
                f"{PAGE}#what-one-outcome-tells",
            ),
            Hint(
                "A symbol takes −log₂ p bits in the right code and −log₂ q in the wrong one; the difference is what is "
                "paid. A symbol with p = 0 never comes.",
                f"{PAGE}#a-code-made-for-the-wrong-distribution",
            ),
            Hint(
                "Sum −p·log₂ p, and p·log₂(p/q), over the symbols with p > 0; if one has q = 0, the second is inf.",
                f"{PAGE}#a-code-made-for-the-wrong-distribution",
            ),
        ),
    ),
    Exercise(
        name="perplexity_of_text",
        number=2,
        asked="the model's perplexity on the text",
        expected=inverse_geometric_mean,
        examples=[
            {"token_probabilities": [0.25]},
            {"token_probabilities": [1.0, 1.0]},
            {"token_probabilities": [0.5, 0.125]},
            {"token_probabilities": [0.5, 0.0, 0.5]},
        ],
        inputs=texts_with_probabilities,
        units={"result": "tokens"},
        level="easy",
        hints=(
            Hint("Take the loss first: the mean information of the tokens.", f"{PAGE}#what-one-outcome-tells"),
            Hint(
                "A token costs −ln of its probability; the mean over the text is the loss in nats.",
                f"{PAGE}#why-the-training-loss-cannot-reach-0",
            ),
            Hint(
                "Undo the logarithm in its own base: e to the loss in nats. A token of probability 0 makes it inf.",
                f"{PAGE}#what-one-outcome-tells",
            ),
        ),
    ),
    Exercise(
        name="huffman_bits_per_symbol",
        number=3,
        asked="the mean bits per symbol of Huffman's code for blocks",
        expected=best_code_bits,
        examples=[
            {"probabilities": [0.75, 0.25], "block": 1},
            {"probabilities": [1.0], "block": 2},
            {"probabilities": [0.75, 0.25], "block": 2},
            {"probabilities": [0.25, 0.25, 0.25, 0.25], "block": 1},
            {"probabilities": [0.0625, 0.0625, 0.0625, 0.3125, 0.5], "block": 1},
        ],
        inputs=blocks,
        units={"result": "bits per symbol"},
        level="hard",
        hints=(
            Hint(
                "List all blocks first; the probability of a block is a product.",
                f"{PAGE}#no-code-is-shorter-and-one-is-as-short",
            ),
            Hint(
                "Huffman merges the two lightest trees until one is left. What does a merge do to the words below it?",
                f"{PAGE}#no-code-is-shorter-and-one-is-as-short",
            ),
            Hint(
                "Each merge makes all words below it one bit longer, so the mean length of a word is the sum of the "
                "weights of all merges. Divide by the symbols in a block.",
                f"{PAGE}#no-code-is-shorter-and-one-is-as-short",
            ),
        ),
    ),
    Exercise(
        name="loss_floor_nats",
        number=4,
        asked="the least mean loss in nats that a model with this context can have on this text",
        expected=entropy_after_context_nats,
        examples=[
            {"text": [0, 1], "context": 0},
            {"text": [0], "context": 0},
            {"text": [0, 1, 0, 1], "context": 1},
            {"text": [0, 0, 1, 0, 0, 1, 1, 0, 2], "context": 1},
            {"text": [0, 0, 1, 0, 0, 2, 1, 0, 2, 0, 0, 1], "context": 2},
        ],
        inputs=texts,
        units={"result": "nats"},
        hints=(
            Hint(
                "Which probabilities make the mean loss on the text least?",
                f"{PAGE}#a-code-made-for-the-wrong-distribution",
            ),
            Hint(
                "Those by Gibbs' inequality: after each context, how often each symbol follows it in this text.",
                f"{PAGE}#why-the-training-loss-cannot-reach-0",
            ),
            Hint(
                "Count pairs of context and next symbol, and contexts that have a next symbol. A pair that comes c "
                "times after a context that comes b times costs c·ln(b/c); divide the sum by the symbols predicted.",
                f"{PAGE}#why-the-training-loss-cannot-reach-0",
            ),
        ),
    ),
    Exercise(
        name="partial_sum_bits",
        number=5,
        asked="the entropies in bits of the sums of 1, 2, …, ranks integers",
        expected=bits_of_all_sums,
        examples=[
            {"probabilities": [0.5, 0.5], "ranks": 1},
            {"probabilities": [1.0], "ranks": 2},
            {"probabilities": [0.5, 0.5], "ranks": 3},
            {"probabilities": [0.25, 0.0, 0.75], "ranks": 4},
        ],
        inputs=rank_draws,
        units={"result": "bits"},
        level="hard",
        hints=(
            Hint(
                "An entropy needs the distribution of the sum: how likely is each value of it?",
                f"{PAGE}#what-one-outcome-tells",
            ),
            Hint(
                "Keep the distribution of the sum so far, and add one rank's integer: the sum is s + i.",
                f"{PAGE}#the-bits-of-a-rounded-number",
            ),
            Hint(
                "That is a convolution: entry s + i of the next distribution gets total[s] · probabilities[i], summed "
                "over both. Start with [1.0], the sum of nothing, and take the entropy after each rank.",
                f"{PAGE}#the-bits-of-a-rounded-number",
            ),
        ),
    ),
]

test_answer = graded(EXERCISES)
