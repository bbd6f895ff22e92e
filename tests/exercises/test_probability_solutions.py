"""The solutions of chapter A2 against enumerations of all batches, brute force, and simulated tests."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.background.probability.solution import (
    batch_for_error,
    batch_gradient,
    control_variate_mean,
    noise_from_workers,
    paired_interval,
)
from snippets.background.variance import batch_variance, rms_distance

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@pytest.mark.parametrize("sizes", [(2,), (1, 1), (3, 0), (2, 1), (1, 0, 2)])
def test_the_batch_gradient_and_its_variance_are_right_on_average(sizes: tuple[int, ...]) -> None:
    """All draws of a batch from three examples, each as likely as any other."""
    examples = [(1.0, -2.0), (4.0, 0.0), (-3.0, 5.0)]
    full = np.mean(examples, axis=0)
    one = float(((np.array(examples) - full) ** 2).sum() / len(examples))
    found = []
    for drawn in product(examples, repeat=sum(sizes)):
        ends = np.cumsum(sizes)
        shards = [drawn[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        found.append(batch_gradient(shards))
    gradients = np.array([gradient for gradient, _ in found])
    variance = batch_variance(variance=one, batch_size=sum(sizes))
    assert gradients.mean(axis=0) == pytest.approx(full)
    assert ((gradients - full) ** 2).sum(axis=1).mean() == pytest.approx(variance)
    assert np.mean([estimate for _, estimate in found]) == pytest.approx(variance)


@given(st.floats(0.01, 1e4), st.floats(0.05, 50), st.integers(1, 2000))
def test_the_batch_is_the_smallest_that_does(variance: float, error: float, population: int) -> None:
    for limit in (None, population):
        found = batch_for_error(variance=variance, error=error, population=limit)
        assert 1 <= found <= (limit or math.inf)
        assert rms_distance(variance=variance, batch_size=found, population=limit) <= error * (1 + 1e-9)
        if found > 1:
            assert rms_distance(variance=variance, batch_size=found - 1, population=limit) > error * (1 - 1e-9)


def test_no_noise_needs_no_batch() -> None:
    assert batch_for_error(variance=0.0, error=1.0) == batch_for_error(variance=9.0, error=1.0, population=1) == 1


@settings(max_examples=examples(25))
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=3),
    st.integers(1, 2),
    st.integers(2, 3),
)
def test_the_noise_is_right_on_average(gradients: list[tuple[int, int]], batch_size: int, workers: int) -> None:
    """All batches of all workers, each as likely as any other."""
    full = [Fraction(sum(entry), len(gradients)) for entry in zip(*gradients, strict=True)]
    exact = sum(sum((g - m) ** 2 for g, m in zip(row, full, strict=True)) for row in gradients) / Fraction(
        len(gradients)
    )
    batches = [np.mean(batch, axis=0) for batch in product(gradients, repeat=batch_size)]
    found = [noise_from_workers(drawn, batch_size=batch_size) for drawn in product(batches, repeat=workers)]
    variance, square = np.mean(found, axis=0)
    assert variance == pytest.approx(float(exact), abs=1e-9)
    assert square == pytest.approx(float(sum(entry**2 for entry in full)), abs=1e-9)


@given(st.integers(0, 2**32), st.floats(-3, 3))
def test_the_coefficient_leaves_the_least_spread(seed: int, known: float) -> None:
    generator = np.random.default_rng(seed)
    h = generator.normal(size=30)
    f = 2 * h + generator.normal(size=30)
    tried = np.linspace(0, 4, 4001)
    best = tried[np.argmin([np.var(f - u * h) for u in tried])]
    found = control_variate_mean(f.tolist(), h.tolist(), control_mean=known)
    assert found == pytest.approx(f.mean() - best * (h.mean() - known), abs=5e-3)


def test_a_constant_control_tells_nothing() -> None:
    assert control_variate_mean([1.0, 2.0, 6.0], [4.0, 4.0, 4.0], control_mean=0.0) == 3.0


def test_a_perfect_control_gives_the_answer() -> None:
    assert control_variate_mean([3.0, 5.0, 7.0], [1.0, 2.0, 3.0], control_mean=10.0) == pytest.approx(21.0)


def test_the_interval_of_a_gain_covers_it() -> None:
    """Models whose answers on a question depend on each other; the interval is to hold the gain 95 times in 100."""
    generator = np.random.default_rng(11)
    hits, trials = 0, 1500
    for _ in range(trials):
        kind = generator.choice(4, size=400, p=[0.7, 0.12, 0.08, 0.1])  # both, second only, first only, none
        low, high = paired_interval(((kind == 0) | (kind == 2)).tolist(), (kind <= 1).tolist())
        hits += low <= 0.04 <= high
    assert hits / trials == pytest.approx(0.95, abs=0.02)


def test_a_known_interval() -> None:
    """McNemar's example by hand: 4 gained, 1 lost of 10: 0.3 ± 1.959964·√((0.5 − 0.09)/10)."""
    first = [False] * 4 + [True] + [True] * 5
    second = [True] * 4 + [False] + [True] * 5
    half = 1.959964 * math.sqrt(0.041)
    assert paired_interval(first, second) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-6)
