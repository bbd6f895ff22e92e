"""Exercise: how long the best code is, and how much longer one that was made for another distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from exercises.background.information.common import distributions
from grader.exercise import Exercise, Mistake, Observation, parts
from snippets.background.information.formulas import cross_entropy, kl_divergence


def entropy_and_divergence_bits(
    p: Sequence[float],
    q: Sequence[float],
) -> tuple[float, float]:
    """Say how long the best code for p is, and how much longer one made for q.

    Args:
        p: the probabilities that the symbols follow, one entry per symbol;
            entries may be 0, their sum is 1.
        q: the probabilities that the code was made for, as many entries, of
            the same kind.

    Returns:
        The entropy H(p) and the Kullback–Leibler divergence KL(p ‖ q), both in
        bits per symbol. Where q rules out a symbol that p does not, the
        divergence is ``math.inf``.

    >>> entropy_and_divergence_bits([0.5, 0.25, 0.25], [0.25, 0.25, 0.5])
    (1.5, 0.25)
    """
    # Average −log₂ p, and log₂(p/q), over the symbols that come, which is with p.
    bits = -sum(a * math.log2(a) for a in p if a)
    extra = sum(a * math.log2(a / b) if b else math.inf for a, b in zip(p, q, strict=True) if a)
    return bits, extra


def two_lengths(p: Sequence[float], q: Sequence[float]) -> Observation:
    """Take the entropy as what is missing to a fair die's; the divergence as a cross-entropy less the entropy."""
    bits = math.log2(len(p)) - kl_divergence(p, [1 / len(p)] * len(p))
    return {"entropy": round(bits, 12), "divergence": round(cross_entropy(p, q) - bits, 12) + 0.0}


def taught() -> str:
    letters, alike = [0.5, 0.25, 0.25], [1 / 3] * 3
    (bits, wasted), (_, reverse) = (
        entropy_and_divergence_bits(letters, alike),
        entropy_and_divergence_bits(alike, letters),
    )
    return (
        f"The entropy is {bits:.1f} bits, and you waste {wasted:.3f}; the other way round it would be {reverse:.3f}. "
        "The divergence is no distance: it depends on which of the two really happens."
    )


EXERCISE = Exercise(
    entropy_and_divergence_bits,
    number=1,
    level="easy",
    asked="the entropy H(p) and the divergence KL(p ‖ q), in bits",
    expected=two_lengths,
    observe=parts("entropy", "divergence"),
    examples=[
        {"p": [0.5, 0.25, 0.25], "q": [0.25, 0.25, 0.5]},
        {"p": [0.5, 0.5, 0.0], "q": [0.25, 0.25, 0.5]},
        {"p": [0.75, 0.25], "q": [1.0, 0.0]},
        {"p": [1.0], "q": [1.0]},
        {"p": [0.5, 0.5], "q": [0.5, 0.5]},
        {"p": [1 / 3] * 3, "q": [0.5, 0.25, 0.25]},
        {"p": [0.5, 0.25, 0.25], "q": [1 / 3] * 3},
    ],
    inputs=lambda st: st.integers(1, 4).flatmap(
        lambda symbols: st.fixed_dictionaries({"p": distributions(st, symbols), "q": distributions(st, symbols)})
    ),
    units={"entropy": "bits", "divergence": "bits"},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_natural_logarithms",
            "These are nats: divide by ln 2, or take the logarithm to base 2.",
            {"log2(a)": "log(a)", "log2(a / b)": "log(a / b)"},
        ),
        Mistake(
            "returns_the_cross_entropy",
            "The second is the cross-entropy; the divergence is what it exceeds H(p) by.",
            {"return bits, extra": "return bits, bits + extra"},
        ),
        Mistake(
            "swaps_truth_and_model",
            "This is KL(q ‖ p): the symbols follow p, so the mean is taken with p.",
            {"zip(p, q,": "zip(q, p,"},
        ),
        Mistake(
            "subtracts_two_entropies",
            "The difference of two entropies is no divergence: it can be negative.",
            {"return bits, extra": "return bits, -sum(b * math.log2(b) for b in q if b) - bits"},
        ),
        Mistake(
            "leaves_out_what_the_model_rules_out",
            "A symbol that q rules out and p does not makes the divergence infinite.",
            {"else math.inf": "else 0.0"},
        ),
        Mistake(
            "takes_the_logarithm_of_zero",
            "A symbol of probability 0 never comes: leave it out, since 0·log 0 is 0.",
            {"for a in p if a)": "for a in p)"},
        ),
        Mistake(
            "gives_them_in_reverse",
            "The order is: H(p) first, KL(p ‖ q) second.",
            {"return bits, extra": "return extra, bits"},
        ),
        Mistake(
            "is_always_a_fair_coin",
            "This is right for one input only: it does not look at p and q.",
            lambda **_: (1.0, 0.0),
        ),
    ],
)
