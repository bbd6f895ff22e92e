"""Solutions of chapter A4's exercises."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from itertools import product


def entropy_and_divergence_bits(p: Sequence[float], q: Sequence[float]) -> tuple[float, float]:
    """Average −log₂ p, and log₂(p/q), over the symbols that come, which is with p."""
    bits = -sum(a * math.log2(a) for a in p if a)
    extra = sum(a * math.log2(a / b) if b else math.inf for a, b in zip(p, q, strict=True) if a)
    return bits, extra


def perplexity_of_text(token_probabilities: Sequence[float]) -> float:
    """Average −ln of what each token was given, and undo the logarithm."""
    if 0 in token_probabilities:
        return math.inf
    return math.exp(-sum(map(math.log, token_probabilities)) / len(token_probabilities))


def huffman_bits_per_symbol(probabilities: Sequence[float], *, block: int) -> float:
    """Merge the two lightest trees until one is left; each merge makes all words below it one bit longer."""
    weights = [math.prod(word) for word in product(probabilities, repeat=block)]
    heapq.heapify(weights)
    bits = 0.0
    while len(weights) > 1:
        merged = heapq.heappop(weights) + heapq.heappop(weights)
        bits += merged
        heapq.heappush(weights, merged)
    return bits / block


def loss_floor_nats(text: Sequence[int], *, context: int) -> float:
    """Give each symbol its frequency after its context, and average −ln of that over the text."""
    places = range(context, len(text))
    pairs = Counter((tuple(text[place - context : place]), text[place]) for place in places)
    before = Counter(tuple(text[place - context : place]) for place in places)
    total = sum(count * math.log(before[seen] / count) for (seen, _), count in pairs.items())
    return total / len(places)


def partial_sum_bits(probabilities: Sequence[float], *, ranks: int) -> list[float]:
    """Convolve the distribution of the sum so far with that of one more number, and take the entropy."""
    found, total = [], [1.0]
    for _ in range(ranks):
        longer = [0.0] * (len(total) + len(probabilities) - 1)
        for value, share in enumerate(total):
            for more, chance in enumerate(probabilities):
                longer[value + more] += share * chance
        total = longer
        found.append(-sum(share * math.log2(share) for share in total if share))
    return found
