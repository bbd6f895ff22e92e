"""Variances of batches against the enumeration of all batches; bounds and intervals against binomials and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.probability.formulas import (
    batch_variance,
    best_control_coefficient,
    chebyshev_bound,
    control_variate_gain,
    control_variate_variance,
    data_parallel_variance,
    finite_population_factor,
    hoeffding_bound,
    hoeffding_deviation,
    hoeffding_samples,
    normal_interval,
    normal_tail,
    rms_distance,
    wilson_interval,
)

VALUES = st.lists(st.integers(-9, 9), min_size=1, max_size=6)
CLOSE = 1e-12


def mean(values: Iterable[int | Fraction]) -> Fraction:
    values = list(values)
    return Fraction(sum(values)) / len(values)


def spread(values: Iterable[int | Fraction]) -> Fraction:
    """The variance of equally likely values, from its definition."""
    values = list(values)
    centre = mean(values)
    return mean((value - centre) ** 2 for value in values)


def binomial(n: int, k: int, p: Fraction | float) -> float:
    return float(math.comb(n, k) * p**k * (1 - p) ** (n - k))


@given(VALUES, st.data())
def test_all_batches_without_replacement(values: list[int], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(values)))
    exact = spread(mean(batch) for batch in combinations(values, size))
    found = batch_variance(variance=float(spread(values)), batch_size=size, population=len(values))
    assert found == pytest.approx(float(exact), rel=CLOSE, abs=CLOSE)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=4), st.integers(1, 4))
def test_all_batches_with_replacement(values: list[int], size: int) -> None:
    exact = spread(mean(batch) for batch in product(values, repeat=size))
    assert batch_variance(variance=float(spread(values)), batch_size=size) == pytest.approx(float(exact), rel=CLOSE)


@settings(max_examples=examples(40))
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6), st.integers(1, 3), st.integers(1, 3))
def test_workers_that_share_no_example(values: list[int], ranks: int, size: int) -> None:
    """All ways to deal disjoint batches; the average over ranks of their batches' means."""
    if ranks * size > len(values):
        with pytest.raises(ValueError, match="ranks × batch_size must be at most the population"):
            data_parallel_variance(variance=1.0, batch_size=size, ranks=ranks, population=len(values))
        return
    deals = permutations(values, ranks * size)
    exact = spread(mean(mean(deal[w * size : (w + 1) * size]) for w in range(ranks)) for deal in deals)
    own = float(spread(values))
    found = data_parallel_variance(variance=own, batch_size=size, ranks=ranks, population=len(values))
    assert found == pytest.approx(float(exact), rel=CLOSE, abs=CLOSE)


@settings(max_examples=examples(30))
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=4, unique=True), st.integers(1, 2), st.integers(2, 3))
def test_workers_that_ignore_each_other_have_the_larger_variance(values: list[int], size: int, ranks: int) -> None:
    batches = [mean(batch) for batch in combinations(values, size)]
    exact = float(spread(mean(chosen) for chosen in product(batches, repeat=ranks)))
    own, population = float(spread(values)), len(values)
    assert exact == pytest.approx(batch_variance(variance=own, batch_size=size, population=population) / ranks)
    if ranks * size <= population and size > 1:
        disjoint = data_parallel_variance(variance=own, batch_size=size, ranks=ranks, population=population)
        assert disjoint < exact


@given(st.floats(0, 1e6), st.integers(1, 10**6), st.integers(1, 10**4))
def test_workers_at_b_are_one_at_kb(variance: float, size: int, ranks: int) -> None:
    together = data_parallel_variance(variance=variance, batch_size=size, ranks=ranks)
    assert together == batch_variance(variance=variance, batch_size=size * ranks)
    assert together == pytest.approx(batch_variance(variance=variance, batch_size=size) / ranks)


def test_the_factor_by_hand() -> None:
    assert finite_population_factor(population=5, batch_size=3) == 0.5
    assert finite_population_factor(population=7, batch_size=1) == 1
    assert finite_population_factor(population=7, batch_size=7) == 0
    assert finite_population_factor(population=1, batch_size=1) == 0
    assert finite_population_factor(population=10**30, batch_size=5 * 10**29) == 0.5


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=4), st.integers(1, 2), st.integers(1, 2))
def test_the_distance_of_a_mean_of_batches(values: list[int], size: int, batches: int) -> None:
    means = [mean(batch) for batch in combinations(values, size)]
    centre = mean(values)
    squares = [(mean(chosen) - centre) ** 2 for chosen in product(means, repeat=batches)]
    found = rms_distance(variance=float(spread(values)), batch_size=size, batches=batches, population=len(values))
    assert found**2 == pytest.approx(float(mean(squares)), abs=1e-12)
    assert rms_distance(variance=9.0, batch_size=4, batches=25) == pytest.approx(0.3)
    assert rms_distance(variance=9.0, batch_size=4) == pytest.approx(1.5)


@given(st.integers(1, 40), st.fractions(0, 1, max_denominator=50), st.fractions(Fraction(1, 40), 1, max_denominator=40))
def test_bounds_hold_for_binomials(n: int, p: Fraction, t: Fraction) -> None:
    exact = sum(binomial(n, k, p) for k in range(n + 1) if abs(Fraction(k, n) - p) >= t)
    assert exact <= hoeffding_bound(samples=n, deviation=float(t)) * (1 + 1e-9)
    assert exact <= chebyshev_bound(variance=float(p * (1 - p)), samples=n, deviation=float(t)) * (1 + 1e-9)


@given(st.integers(2, 30), st.data())
def test_hoeffding_holds_without_replacement(population: int, data: st.DataObject) -> None:
    right, n = data.draw(st.integers(0, population)), data.draw(st.integers(1, population))
    t = data.draw(st.fractions(Fraction(1, 20), 1, max_denominator=20))
    ways = {k: math.comb(right, k) * math.comb(population - right, n - k) for k in range(n + 1)}
    off = sum(count for k, count in ways.items() if abs(Fraction(k, n) - Fraction(right, population)) >= t)
    assert off / math.comb(population, n) <= hoeffding_bound(samples=n, deviation=float(t)) * (1 + 1e-9)


def test_bounds_by_hand() -> None:
    assert hoeffding_bound(samples=100, deviation=0.1) == pytest.approx(2 * math.exp(-2))
    assert hoeffding_bound(samples=100, deviation=1.0, width=10.0) == pytest.approx(2 * math.exp(-2))
    assert hoeffding_bound(samples=1, deviation=0.1) == 1
    assert hoeffding_bound(samples=1, deviation=1e300, width=1e-300) == 0
    # a value that is ±t with probability p/2 each, and else 0, meets Chebyshev's bound: variance p·t²
    assert chebyshev_bound(variance=0.3 * 4.0, samples=1, deviation=2.0) == pytest.approx(0.3)
    assert chebyshev_bound(variance=1.0, samples=8, deviation=0.5) == pytest.approx(0.5)
    assert chebyshev_bound(variance=100.0, samples=1, deviation=1.0) == 1
    # the tails that every table of the normal distribution prints
    assert normal_tail(variance=1.0, samples=1, deviation=1.959964) == pytest.approx(0.05, abs=1e-7)
    assert normal_tail(variance=4.0, samples=16, deviation=0.5) == pytest.approx(0.317311, abs=1e-6)
    assert normal_tail(variance=0.0, samples=16, deviation=0.5) == 0


def test_the_normal_tail_is_near_an_exact_binomial() -> None:
    exact = 2 * sum(math.comb(1000, k) for k in range(531, 1001)) / 2**1000
    # half a step of the mean is the usual correction for values that are whole numbers
    assert normal_tail(variance=0.25, samples=1000, deviation=0.0305) == pytest.approx(exact, rel=2e-3)
    assert exact < hoeffding_bound(samples=1000, deviation=0.031)


@given(st.integers(1, 10**6), st.floats(1e-9, 0.999), st.floats(1e-3, 1e3))
def test_hoeffding_forwards_and_back(n: int, failure: float, width: float) -> None:
    t = hoeffding_deviation(samples=n, failure_probability=failure, width=width)
    assert hoeffding_bound(samples=n, deviation=t, width=width) == pytest.approx(failure, rel=1e-9)


@given(st.floats(1e-3, 1.0), st.floats(1e-9, 0.999), st.floats(0.5, 2.0))
def test_hoeffding_samples_are_the_fewest(deviation: float, failure: float, width: float) -> None:
    n = hoeffding_samples(deviation=deviation, failure_probability=failure, width=width)
    assert hoeffding_bound(samples=n, deviation=deviation, width=width) <= failure * (1 + 1e-9)
    if n > 1:
        assert hoeffding_bound(samples=n - 1, deviation=deviation, width=width) >= failure * (1 - 1e-9)


# Newcombe 1998, table I: 95% intervals by methods 1 (normal) and 3 (Wilson), to four places. For 1 of 29 the table says
# only that the normal interval starts below 0; for 0 of 20 it is the point 0.
NEWCOMBE = [
    (81, 263, (0.2522, 0.3638), (0.2553, 0.3662)),
    (15, 148, (0.0527, 0.1500), (0.0624, 0.1605)),
    (0, 20, (0.0, 0.0), (0.0, 0.1611)),
    (1, 29, (None, 0.1009), (0.0061, 0.1718)),
]


@pytest.mark.parametrize(("successes", "trials", "normal", "wilson"), NEWCOMBE)
def test_intervals_of_the_published_table(
    successes: int, trials: int, normal: tuple[float | None, float], wilson: tuple[float, float]
) -> None:
    low, high = normal_interval(successes=successes, trials=trials)
    assert high == pytest.approx(normal[1], abs=5e-5)
    assert low < 0 if normal[0] is None else low == pytest.approx(normal[0], abs=5e-5)
    assert wilson_interval(successes=successes, trials=trials) == pytest.approx(wilson, abs=5e-5)


@given(st.integers(1, 10**5), st.data(), st.floats(0.01, 0.9999))
def test_wilson_ends_solve_their_equation(trials: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = wilson_interval(successes=successes, trials=trials, confidence=confidence)
    assert 0 <= low <= successes / trials <= high <= 1
    share, z = successes / trials, math.sqrt(2) * erf_inverse(confidence)
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(z * z * end * (1 - end) / trials, rel=1e-6, abs=1e-12)
    mirrored = wilson_interval(successes=trials - successes, trials=trials, confidence=confidence)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def erf_inverse(share: float) -> float:
    """By bisection on ``math.erf``: not the routine that the formula uses."""
    low, high = 0.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < share else (low, middle)
    return (low + high) / 2


@given(st.integers(1, 10**4), st.data(), st.floats(0.01, 0.9999))
def test_the_normal_interval_by_its_definition(trials: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = normal_interval(successes=successes, trials=trials, confidence=confidence)
    share = successes / trials
    error = math.sqrt(share * (1 - share) / trials)
    assert low + high == pytest.approx(2 * share, abs=1e-9)
    assert high - low == pytest.approx(2 * math.sqrt(2) * erf_inverse(confidence) * error, rel=1e-6, abs=1e-9)


def coverage(n: int, p: float, wilson: bool) -> float:
    """The exact chance that the interval from n answers holds the accuracy p."""
    method = wilson_interval if wilson else normal_interval
    ends = ((k, *method(successes=k, trials=n)) for k in range(n + 1))
    return sum(binomial(n, k, p) for k, low, high in ends if low <= p <= high)


def test_the_published_failures_of_the_normal_interval() -> None:
    """Brown, Cai and DasGupta 2001, section 2.1: coverage of the nominal 95% interval, to three places."""
    assert coverage(100, 0.106, wilson=False) == pytest.approx(0.952, abs=6e-4)
    assert coverage(100, 0.107, wilson=False) == pytest.approx(0.911, abs=6e-4)
    assert coverage(591, 0.005, wilson=False) == pytest.approx(0.945, abs=6e-4)
    assert coverage(592, 0.005, wilson=False) == pytest.approx(0.792, abs=6e-4)


def test_wilson_keeps_its_promise_on_average_and_the_normal_interval_does_not() -> None:
    grid = [place / 200 for place in range(1, 200)]
    wilson = sum(coverage(50, p, wilson=True) for p in grid) / len(grid)
    normal = sum(coverage(50, p, wilson=False) for p in grid) / len(grid)
    assert wilson == pytest.approx(0.95, abs=0.005)
    assert normal < 0.92


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=6), st.floats(-3, 3))
def test_a_control_variate_on_all_examples(pairs: list[tuple[int, int]], coefficient: float) -> None:
    f, h = [Fraction(a) for a, _ in pairs], [Fraction(b) for _, b in pairs]
    if not spread(h):
        return
    covariance = mean(a * b for a, b in zip(f, h, strict=True)) - mean(f) * mean(h)
    given_moments = {
        "variance": float(spread(f)),
        "covariance": float(covariance),
        "control_variance": float(spread(h)),
    }
    c = Fraction(coefficient)
    exact = spread(a - c * (b - mean(h)) for a, b in zip(f, h, strict=True))
    assert control_variate_variance(**given_moments, coefficient=coefficient) == pytest.approx(float(exact), abs=1e-9)
    best = best_control_coefficient(covariance=float(covariance), control_variance=float(spread(h)))
    assert best == pytest.approx(float(covariance / spread(h)))
    least = control_variate_variance(**given_moments)
    assert least <= float(exact) + 1e-9
    assert least == pytest.approx(control_variate_variance(**given_moments, coefficient=best), abs=1e-12)
    if spread(f) and least > 1e-9:
        correlation = float(covariance) / math.sqrt(spread(f) * spread(h))
        assert control_variate_gain(correlation) == pytest.approx(float(spread(f)) / least, rel=1e-6)


def test_gains_by_hand() -> None:
    assert control_variate_gain(0.0) == 1
    assert control_variate_gain(-0.5) == control_variate_gain(0.5) == pytest.approx(4 / 3)
    assert control_variate_gain(1.0) == control_variate_gain(-1) == math.inf


REFUSED = [
    (finite_population_factor, {"population": 3, "batch_size": 4}, "batch_size must be at most the population, 3"),
    (finite_population_factor, {"population": 0, "batch_size": 1}, "population must be an integer of at least 1"),
    (batch_variance, {"variance": -1.0, "batch_size": 1}, "variance must be"),
    (batch_variance, {"variance": 1.0, "batch_size": 10**400}, "batch_size must be"),
    (batch_variance, {"variance": 1.0, "batch_size": 2, "population": 1}, "batch_size must be at most"),
    (data_parallel_variance, {"variance": 1.0, "batch_size": 1, "ranks": 0}, "ranks must be"),
    (rms_distance, {"variance": 1.0, "batch_size": 1, "batches": 0}, "batches must be"),
    (chebyshev_bound, {"variance": 1.0, "samples": 1, "deviation": 0.0}, "deviation must be"),
    (normal_tail, {"variance": math.nan, "samples": 1, "deviation": 1.0}, "variance must be"),
    (hoeffding_bound, {"samples": 1.5, "deviation": 1.0}, "samples must be an integer"),
    (hoeffding_bound, {"samples": 1, "deviation": 1.0, "width": 0.0}, "width must be"),
    (hoeffding_deviation, {"samples": 1, "failure_probability": 1.0}, "failure_probability must be .* below 1"),
    (hoeffding_deviation, {"samples": 1, "failure_probability": 0.0}, "failure_probability must be a number above 0"),
    (hoeffding_samples, {"deviation": 1e-200, "failure_probability": 0.5}, "deviation must not be so small"),
    (normal_interval, {"successes": 3, "trials": 2}, "successes must be at most the trials, 2, got 3"),
    (normal_interval, {"successes": -1, "trials": 2}, "successes must be"),
    (wilson_interval, {"successes": 0, "trials": 0}, "trials must be"),
    (wilson_interval, {"successes": 0, "trials": 1, "confidence": 1.0}, "confidence must be"),
    (wilson_interval, {"successes": 0, "trials": 1, "confidence": 1 - 2**-53}, "confidence must be below 1 by more"),
    (best_control_coefficient, {"covariance": 1.0, "control_variance": 0.0}, "control_variance must be"),
    (best_control_coefficient, {"covariance": 1e300, "control_variance": 1e-300}, "control_variance must not"),
    (
        control_variate_variance,
        {"variance": 1.0, "covariance": 1.1, "control_variance": 1.0},
        "covariance must be from −1.0 to 1.0",
    ),
    (
        control_variate_variance,
        {"variance": 1.0, "covariance": 0.0, "control_variance": 1.0, "coefficient": 1e200},
        "coefficient must leave",
    ),
]


@pytest.mark.parametrize(("function", "arguments", "message"), REFUSED)
def test_refusals(function: object, arguments: dict[str, object], message: str) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match=message):
        function(**arguments)


@pytest.mark.parametrize("correlation", [1.0001, -2, math.nan, "1", None])
def test_a_correlation_has_its_range(correlation: float) -> None:
    with pytest.raises(ValueError, match="correlation must be"):
        control_variate_gain(correlation)


def test_decimals_are_numbers() -> None:
    """A ``Decimal`` ended in a ``TypeError`` of Python's own."""
    moments = {"variance": Decimal(4), "covariance": Decimal(3), "control_variance": Decimal(4)}
    assert control_variate_variance(**moments) == 1.75  # type: ignore[arg-type]
