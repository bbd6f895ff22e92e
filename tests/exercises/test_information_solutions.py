"""The solutions of chapter A4 against other ways to the same numbers: all codes, fitted models, all sums."""

from __future__ import annotations

import math
from itertools import pairwise, product
from operator import mul

import numpy as np
import pytest

from exercises.background.information.solution import (
    entropy_and_divergence_bits,
    huffman_bits_per_symbol,
    loss_floor_nats,
    partial_sum_bits,
    perplexity_of_text,
)
from snippets.background.entropy_coder import huffman_lengths
from snippets.background.information import entropy, kl_divergence, perplexity, source_coding_bounds

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([1.0], [1.0]),
        ([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]),
        ([0.5, 0.5, 0.0], [0.2, 0.3, 0.5]),
        ([0.3, 0.7], [1.0, 0.0]),
        ([0.0, 1.0], [0.0, 1.0]),
    ],
)
def test_entropy_and_divergence_are_the_snippets(p: list[float], q: list[float]) -> None:
    assert entropy_and_divergence_bits(p, q) == pytest.approx((entropy(p), kl_divergence(p, q)))


def test_a_text_that_is_typical_of_a_distribution_has_its_perplexity() -> None:
    text = [0.5] * 4 + [0.25] * 2 + [0.125] * 2
    assert perplexity_of_text(text) == pytest.approx(perplexity([0.5, 0.25, 0.125, 0.125]))
    assert perplexity_of_text([1.0, 0.01]) == pytest.approx(10)
    assert perplexity_of_text([1.0]) == 1
    assert perplexity_of_text([0.5, 0.0]) == math.inf


@pytest.mark.parametrize("p", [[0.9, 0.1], [0.5, 0.3, 0.2], [0.7, 0.15, 0.1, 0.05], [0.25] * 4])
def test_no_choice_of_lengths_that_meets_kraft_is_shorter(p: list[float]) -> None:
    choices = product(range(1, 5), repeat=len(p))
    best = min(math.fsum(map(mul, p, c)) for c in choices if sum(2.0**-length for length in c) <= 1)
    assert math.isclose(huffman_bits_per_symbol(p, block=1), best)


@pytest.mark.parametrize("block", [1, 2, 3, 5, 8])
def test_blocks_meet_the_source_coding_bound_and_the_snippet(block: int) -> None:
    bits = huffman_bits_per_symbol([0.9, 0.1], block=block)
    least, most = source_coding_bounds([0.9, 0.1], block=block)
    assert least <= bits < most
    weights = [math.prod(word) for word in product([9, 1], repeat=block)]
    lengths = huffman_lengths(weights)
    assert math.isclose(bits, sum(map(mul, weights, lengths)) / 10**block / block)


def test_the_floor_is_what_a_table_fitted_by_gradient_descent_reaches() -> None:
    text = [0, 1, 2, 0, 1, 0, 2, 2, 1, 0, 1, 2, 0, 0, 1, 1, 0, 1]
    scores = np.zeros((3, 3))
    counts = np.zeros((3, 3))
    for x, y in pairwise(text):
        counts[x, y] += 1
    shares = counts / counts.sum()
    for _ in range(20_000):
        q = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        scores -= shares.sum(axis=1, keepdims=True) * q - shares
    fitted = -(shares[shares > 0] * np.log(q[shares > 0])).sum()
    assert math.isclose(loss_floor_nats(text, context=1), fitted, abs_tol=1e-3)
    assert loss_floor_nats(text, context=1) <= fitted


def test_the_floor_falls_with_the_context_to_nothing() -> None:
    text = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1]
    assert math.isclose(loss_floor_nats(text, context=0), entropy([5 / 12, 7 / 12], base=math.e))
    assert loss_floor_nats(text, context=6) == 0


def test_sums_are_what_counting_all_of_them_gives() -> None:
    p = [0.6, 0.3, 0.1]
    for ranks in (1, 2, 3, 5):
        shares = [0.0] * (2 * ranks + 1)
        for values in product(range(3), repeat=ranks):
            shares[sum(values)] += math.prod(p[value] for value in values)
        assert math.isclose(partial_sum_bits(p, ranks=ranks)[-1], entropy(shares))
    assert len(partial_sum_bits(p, ranks=5)) == 5


def test_four_times_the_ranks_are_one_bit() -> None:
    bits = partial_sum_bits([0.1, 0.2, 0.4, 0.2, 0.1], ranks=64)
    assert abs(bits[63] - bits[15] - 1) < 0.001
