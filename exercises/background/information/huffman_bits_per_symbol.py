"""Exercise: the mean length of Huffman's code for blocks of symbols."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

from exercises.background.information.common import distributions
from grader.exercise import Exercise, Mistake


def huffman_bits_per_symbol(
    probabilities: Sequence[float],
    *,
    block: int,
) -> float:
    """Return the mean length of Huffman's code for blocks of symbols.

    Args:
        probabilities: of the symbols, each above 0; their sum is 1. Symbols
            are independent.
        block: symbols that share one code word, at least 1.

    Returns:
        Mean bits per symbol (not per block). If there is only one block to
        choose from, its word is empty: 0 bits.

    >>> huffman_bits_per_symbol([0.75, 0.25], block=2)
    0.84375
    """
    # Merge the two lightest trees until one is left; each merge makes all words below it one bit longer.
    weights = [math.prod(word) for word in product(probabilities, repeat=block)]
    heapq.heapify(weights)
    bits = 0.0
    while len(weights) > 1:
        merged = heapq.heappop(weights) + heapq.heappop(weights)
        bits += merged
        heapq.heappush(weights, merged)
    return bits / block


def best_code_bits(probabilities: Sequence[float], block: int) -> float:
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


def splits_in_halves(probabilities: Sequence[float], *, block: int) -> float:
    """Cut the sorted words where the halves weigh the most alike, again and again."""

    def bits(words: list[float]) -> float:
        if len(words) == 1:
            return 0.0
        cut = min(range(1, len(words)), key=lambda at: abs(sum(words[:at]) - sum(words[at:])))
        return sum(words) + bits(words[:cut]) + bits(words[cut:])

    return bits(sorted((math.prod(word) for word in product(probabilities, repeat=block)), reverse=True)) / block


def blocks(st: Any) -> Any:
    sizes = st.sampled_from([(3, 3), (2, 4), (2, 3), (4, 2), (3, 2), (5, 1), (4, 1), (2, 2), (3, 1), (2, 1)])
    return sizes.flatmap(
        lambda size: st.fixed_dictionaries(
            {"probabilities": distributions(st, size[0], zeros=False), "block": st.just(size[1])}
        )
    )


def taught() -> str:
    entropy = -sum(p * math.log2(p) for p in (0.9, 0.1))
    excess = {k: huffman_bits_per_symbol([0.9, 0.1], block=k) / entropy - 1 for k in range(1, 9)}
    first = next(k for k in excess if excess[k] <= 0.02)
    return (
        f"Blocks of {first}, with {2**first} words, are the first: {excess[first]:.2%} above the entropy. Blocks of 7 "
        f"and 8 are worse, with {excess[7]:.2%} and {excess[8]:.2%}: only the bound H + 1/κ falls with every κ."
    )


EXERCISE = Exercise(
    huffman_bits_per_symbol,
    number=4,
    level="hard",
    asked="the mean bits per symbol of Huffman's code for blocks",
    expected=best_code_bits,
    examples=[
        {"probabilities": [0.75, 0.25], "block": 2},
        {"probabilities": [0.75, 0.25], "block": 1},
        {"probabilities": [0.25, 0.25, 0.25, 0.25], "block": 1},
        {"probabilities": [0.0625, 0.0625, 0.0625, 0.3125, 0.5], "block": 1},
        {"probabilities": [1.0], "block": 2},
        {"probabilities": [0.9, 0.1], "block": 4},
    ],
    inputs=blocks,
    units={"result": "bits per symbol"},
    taught=taught,
    mistakes=[
        Mistake(
            "counts_per_block",
            "These are bits per block: divide by the number of symbols in one.",
            {"bits / block": "bits"},
        ),
        Mistake(
            "ignores_the_block",
            "This codes each symbol by itself; a block shares one word.",
            {"repeat=block": "repeat=1", "bits / block": "bits"},
        ),
        Mistake(
            "returns_the_entropy",
            "This is the entropy, which a code with whole words seldom meets.",
            lambda probabilities, *, block: -sum(p * math.log2(p) for p in probabilities),
        ),
        Mistake(
            "rounds_each_word_up",
            "Words of ⌈−log₂ p⌉ bits are a prefix code, but not the shortest.",
            {"    heapq.heapify(weights)": "    return sum(w * math.ceil(-math.log2(w)) for w in weights) / block"},
        ),
        Mistake(
            "splits_in_halves",
            "This is Fano's code, which cuts from above; Huffman merges the two lightest from below.",
            splits_in_halves,
        ),
        Mistake(
            "merges_in_a_chain",
            "A merged tree competes with the others by its weight: put it back in order.",
            {
                "heapq.heapify(weights)": "weights.sort()",
                "heapq.heappop(weights) + heapq.heappop(weights)": "weights.pop(0) + weights.pop(0)",
                "heapq.heappush(weights, merged)": "weights.insert(0, merged)",
            },
        ),
        Mistake(
            "gives_all_words_one_length",
            "Rare blocks have long words: weight the lengths by the probabilities.",
            {"    heapq.heapify(weights)": "    return math.ceil(math.log2(len(weights))) / block"},
        ),
    ],
)
