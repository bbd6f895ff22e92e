"""Rates, floors, bounds and schedules against recurrences run in exact arithmetic and linear algebra done by NumPy."""

from __future__ import annotations

import cmath
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.optimization import formulas as descent
from snippets.background.optimization.formulas import (
    adam_bias_correction,
    adam_update_bound,
    best_gradient_descent_rate,
    best_gradient_descent_step,
    best_momentum,
    best_momentum_rate,
    best_momentum_step,
    condition_number,
    cosine_schedule,
    gradient_clip_scale,
    gradient_descent_rate,
    largest_stable_step,
    linear_schedule,
    momentum_matrix,
    momentum_rate,
    momentum_spectral_radius,
    sgd_mean_square,
    sgd_noise_floor,
    sgd_stationary_variance,
    steps_to_shrink,
)

CURVATURES = st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)).map(sorted)
BETA = st.floats(0, 0.999)


def eigenvalues(step: float, momentum: float, curvature: float) -> np.ndarray:
    """Of the heavy ball's 2 × 2 matrix, written here from the recurrence and left to NumPy."""
    return np.abs(np.linalg.eigvals(np.array([[1 + momentum - step * curvature, -momentum], [1.0, 0.0]])))


@given(st.fractions(0, 3, max_denominator=50), st.fractions(Fraction(1, 9), 9, max_denominator=9), st.integers(1, 6))
def test_the_rate_is_what_exact_steps_do(step: Fraction, smallest: Fraction, ratio: int) -> None:
    largest, before = smallest * ratio, [Fraction(1), Fraction(1)]
    after = [x - step * curvature * x for x, curvature in zip(before, (smallest, largest), strict=True)]
    rate = gradient_descent_rate(step=float(step), smallest_curvature=float(smallest), largest_curvature=float(largest))
    assert rate == pytest.approx(float(max(map(abs, after))), abs=1e-12)


@given(CURVATURES)
def test_no_step_beats_the_best(curvatures: list[float]) -> None:
    ends = {"smallest_curvature": curvatures[0], "largest_curvature": curvatures[1]}
    best, kappa = best_gradient_descent_step(**ends), condition_number(**ends)
    assert kappa == pytest.approx(curvatures[1] / curvatures[0])
    rate = gradient_descent_rate(step=best, **ends)
    assert rate == pytest.approx(best_gradient_descent_rate(kappa), abs=1e-12)
    limit = largest_stable_step(curvatures[1])
    for step in np.linspace(0, 1.2 * limit, 61):
        other = gradient_descent_rate(step=float(step), **ends)
        assert other >= rate - 1e-12
        assert (other < 1) == (0 < step < limit) or other == pytest.approx(1, abs=1e-12)


@given(st.floats(1e-3, 1e3), BETA, st.floats(1e-6, 3.0))
def test_the_spectral_radius_by_numpy(curvature: float, momentum: float, reach: float) -> None:
    step = reach / curvature
    radius = momentum_spectral_radius(step=step, momentum=momentum, curvature=curvature)
    assert radius == pytest.approx(eigenvalues(step, momentum, curvature).max(), abs=1e-6)  # a double root is soft
    rows = momentum_matrix(step=step, momentum=momentum, curvature=curvature)
    assert abs(np.linalg.det(np.array(rows))) == pytest.approx(momentum, abs=1e-12)
    assert radius >= math.sqrt(momentum) * (1 - 1e-12)


@given(st.floats(1e-3, 1e3), BETA)
def test_the_largest_stable_step_with_momentum(curvature: float, momentum: float) -> None:
    limit = largest_stable_step(curvature, momentum=momentum)
    assert eigenvalues(limit * 0.999, momentum, curvature).max() < 1
    assert eigenvalues(limit * 1.001, momentum, curvature).max() > 1
    assert largest_stable_step(curvature) == pytest.approx(2 / curvature)


@given(
    st.fractions(0, 3, max_denominator=20),
    st.fractions(0, Fraction(19, 20), max_denominator=20),
    st.fractions(Fraction(1, 5), 5, max_denominator=5),
)
def test_the_matrix_is_the_recurrence(step: Fraction, momentum: Fraction, curvature: Fraction) -> None:
    now, before = Fraction(3), Fraction(-2)
    following = now - step * curvature * now + momentum * (now - before)
    matrix = momentum_matrix(step=float(step), momentum=float(momentum), curvature=float(curvature))
    assert np.array(matrix) @ [3.0, -2.0] == pytest.approx([float(following), 3.0], abs=1e-12)


@given(CURVATURES, BETA, st.floats(1e-3, 2.0))
def test_the_slowest_direction_is_at_an_end(curvatures: list[float], momentum: float, reach: float) -> None:
    step = reach / curvatures[1]
    rate = momentum_rate(
        step=step, momentum=momentum, smallest_curvature=curvatures[0], largest_curvature=curvatures[1]
    )
    for curvature in np.linspace(curvatures[0], curvatures[1], 25):
        inside = momentum_spectral_radius(step=step, momentum=momentum, curvature=float(curvature))
        assert inside <= rate * (1 + 1e-9)
    without = momentum_rate(step=step, momentum=0.0, smallest_curvature=curvatures[0], largest_curvature=curvatures[1])
    ends = {"smallest_curvature": curvatures[0], "largest_curvature": curvatures[1]}
    assert without == pytest.approx(gradient_descent_rate(step=step, **ends), abs=1e-9)


@settings(max_examples=examples(30))
@given(st.floats(1.0, 400.0), st.floats(0.01, 100.0))
def test_no_momentum_beats_the_best(condition: float, smallest: float) -> None:
    ends = {"smallest_curvature": smallest, "largest_curvature": smallest * condition}
    step, momentum, rate = best_momentum_step(**ends), best_momentum(condition), best_momentum_rate(condition)
    root = math.sqrt(condition)
    assert momentum == pytest.approx(((root - 1) / (root + 1)) ** 2)
    assert step == pytest.approx((2 / (math.sqrt(ends["largest_curvature"]) + math.sqrt(smallest))) ** 2)
    assert rate == pytest.approx((root - 1) / (root + 1))
    assert momentum_rate(step=step, momentum=momentum, **ends) == pytest.approx(rate, abs=1e-6)
    for beta in np.linspace(0, 0.98, 15):
        for share in np.linspace(0.05, 1.0, 15):
            eta = share * largest_stable_step(ends["largest_curvature"], momentum=float(beta))
            other = max(eigenvalues(eta, float(beta), end).max() for end in ends.values())
            assert other >= rate - 1e-6


def test_rates_by_hand() -> None:
    """κ = 100: gradient descent keeps 99/101 of the distance a step, the heavy ball 9/11."""
    assert best_gradient_descent_rate(100.0) == pytest.approx(99 / 101)
    assert best_momentum_rate(100.0) == pytest.approx(9 / 11)
    assert best_momentum(100.0) == pytest.approx(81 / 121)
    assert best_gradient_descent_rate(1.0) == best_momentum_rate(1) == 0
    assert steps_to_shrink(rate=99 / 101, remainder=1e-6) == 691
    assert steps_to_shrink(rate=9 / 11, remainder=1e-6) == 69
    assert steps_to_shrink(rate=0.0, remainder=0.5) == 1
    assert steps_to_shrink(rate=0.5, remainder=1) == steps_to_shrink(rate=0.0, remainder=1.0) == 0
    assert steps_to_shrink(rate=5e-324, remainder=1.0) == 0
    assert steps_to_shrink(rate=0.5, remainder=0.125) == 3
    assert steps_to_shrink(rate=0.5, remainder=math.nextafter(0.125, 0)) == 4


@given(st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100), st.integers(1, 60), st.data())
def test_the_number_of_steps_by_multiplying(rate: Fraction, power: int, data: st.DataObject) -> None:
    remainder = float(rate) ** data.draw(st.sampled_from([power, power + 0.5, power - 0.5]))
    left, steps = 1.0, 0
    while float(rate) ** steps > remainder:
        left, steps = left * float(rate), steps + 1
    assert steps_to_shrink(rate=float(rate), remainder=remainder) == steps


@given(st.floats(0.01, 0.99), BETA, st.floats(0.1, 10), st.floats(0, 10))
def test_the_stationary_variance_solves_its_equation(share: float, beta: float, curvature: float, noise: float) -> None:
    """The covariance P of (x_t, x_{t−1}) satisfies P = M·P·Mᵀ + Q; NumPy solves for P."""
    step = share * largest_stable_step(curvature, momentum=beta)
    matrix = np.array([[1 + beta - step * curvature, -beta], [1.0, 0.0]])
    added = np.array([step * step * noise, 0, 0, 0])
    covariance = np.linalg.solve(np.eye(4) - np.kron(matrix, matrix), added)
    found = sgd_stationary_variance(step=step, curvature=curvature, noise_variance=noise, momentum=beta)
    assert found == pytest.approx(covariance[0], rel=1e-5, abs=1e-12)


@given(
    st.fractions(Fraction(1, 20), Fraction(19, 10), max_denominator=20),
    st.fractions(Fraction(1, 5), 5, max_denominator=5),
    st.fractions(0, 9, max_denominator=4),
    st.fractions(-9, 9, max_denominator=4),
    st.integers(0, 12),
)
def test_the_mean_square_step_by_step(
    reach: Fraction, curvature: Fraction, noise: Fraction, start: Fraction, steps: int
) -> None:
    step, exact = reach / curvature, start * start
    for _ in range(steps):
        exact = (1 - step * curvature) ** 2 * exact + step * step * noise
    moments = {"step": float(step), "curvature": float(curvature), "noise_variance": float(noise)}
    assert sgd_mean_square(**moments, start=float(start), steps=steps) == pytest.approx(float(exact), abs=1e-9)
    settled = step * noise / (curvature * (2 - step * curvature))
    assert (1 - step * curvature) ** 2 * settled + step * step * noise == settled
    assert sgd_stationary_variance(**moments) == pytest.approx(float(settled))


def test_the_noise_floor_is_the_loss_of_the_stationary_state() -> None:
    curvatures, noises, step = [0.5, 2.0, 4.0], [1.0, 0.0, 3.0], 0.3
    expected = sum(
        step * noise / (2 * (2 - step * curvature)) for curvature, noise in zip(curvatures, noises, strict=True)
    )
    assert sgd_noise_floor(step=step, curvatures=curvatures, noise_variances=noises) == pytest.approx(expected)
    beyond = sgd_noise_floor(step=2.5, curvatures=[1.0], noise_variances=[4.0], momentum=0.5)  # stable up to 3
    assert beyond == sgd_stationary_variance(step=2.5, curvature=1.0, noise_variance=4.0, momentum=0.5) / 2
    small = sgd_noise_floor(step=1e-6, curvatures=curvatures, noise_variances=noises)
    assert small == pytest.approx(1e-6 / 4 * sum(noises), rel=1e-5)
    heavy = sgd_noise_floor(step=1e-7, curvatures=curvatures, noise_variances=noises, momentum=0.9)
    assert heavy == pytest.approx(small, rel=1e-4)  # η/(1 − β) is what counts
    assert sgd_noise_floor(step=1.0, curvatures=[], noise_variances=[]) == 0


@given(st.fractions(0, Fraction(99, 100), max_denominator=100), st.integers(1, 50))
def test_bias_correction_is_the_sum_of_the_weights(decay: Fraction, step: int) -> None:
    weights = sum((1 - decay) * decay**k for k in range(step))
    assert adam_bias_correction(decay=float(decay), step=step) == pytest.approx(float(weights), rel=1e-12)


def test_bias_correction_keeps_its_digits() -> None:
    with localcontext() as context:
        context.prec = 40
        exact = 1 - Decimal(1 - 1e-12) ** 3
    assert adam_bias_correction(decay=1 - 1e-12, step=3) == pytest.approx(float(exact), rel=1e-12)
    assert adam_bias_correction(decay=0.0, step=5) == adam_bias_correction(decay=0.9, step=10**9) == 1


def adam_change(gradients: list[float], beta1: float, beta2: float) -> float:
    """|m̂/√v̂| after these gradients, by the recurrence."""
    mean = square = 0.0
    for gradient in gradients:
        mean = beta1 * mean + (1 - beta1) * gradient
        square = beta2 * square + (1 - beta2) * gradient**2
    t = len(gradients)
    return abs(mean / (1 - beta1**t)) / math.sqrt(square / (1 - beta2**t)) if square else 0.0


DECAYS = st.tuples(st.floats(0, 0.99), st.floats(0.05, 0.9999))


@given(DECAYS, st.integers(1, 25))
def test_the_adam_bound_is_met_by_the_worst_gradients(decays: tuple[float, float], steps: int) -> None:
    beta1, beta2 = decays
    worst = [(beta1 / beta2) ** (steps - 1 - t) if beta1 or t == steps - 1 else 0.0 for t in range(steps)]
    bound = adam_update_bound(learning_rate=0.25, beta1=beta1, beta2=beta2, step=steps)
    assert bound == pytest.approx(0.25 * adam_change(worst, beta1, beta2), rel=1e-6)


@given(DECAYS, st.lists(st.floats(-100, 100).filter(lambda g: g == 0 or abs(g) > 1e-3), min_size=1, max_size=25))
def test_no_gradients_pass_the_adam_bound(decays: tuple[float, float], gradients: list[float]) -> None:
    beta1, beta2 = decays
    bound = adam_update_bound(learning_rate=1.0, beta1=beta1, beta2=beta2, step=len(gradients))
    assert adam_change(gradients, beta1, beta2) <= bound * (1 + 1e-9)


def test_adam_passes_the_bound_of_its_paper() -> None:
    """Section 2.1 names (1 − β₁)/√(1 − β₂) = 3.16 for the usual decays; growing gradients reach 7.27."""
    named = (1 - 0.9) / math.sqrt(1 - 0.999)
    assert named == pytest.approx(3.162, abs=1e-3)
    assert adam_change([0.0] * 10_000 + [1.0], 0.9, 0.999) == pytest.approx(named, rel=1e-4)
    growing = [(0.9 / 0.999) ** (10_000 - t) for t in range(10_001)]
    assert adam_change(growing, 0.9, 0.999) == pytest.approx(7.27, abs=5e-3)
    bound = adam_update_bound(learning_rate=1.0, beta1=0.9, beta2=0.999, step=10_001)
    assert adam_change(growing, 0.9, 0.999) == pytest.approx(bound)
    assert adam_update_bound(learning_rate=3.0, beta1=0.9, beta2=0.999, step=1) == pytest.approx(3)
    # β₁² = β₂: every weight of the sum is 1
    assert adam_update_bound(learning_rate=1.0, beta1=0.5, beta2=0.25, step=9) == pytest.approx(
        3 * 0.5 / math.sqrt(0.75) * math.sqrt(1 - 0.25**9) / (1 - 0.5**9)
    )


@given(st.integers(0, 20), st.integers(1, 30), st.data(), st.floats(0, 5), st.floats(0, 1))
def test_schedules(warmup: int, decay: int, data: st.DataObject, peak: float, share: float) -> None:
    total, final = warmup + decay, peak * share
    step = data.draw(st.integers(0, total))
    ends: Any = {"peak": peak, "warmup_steps": warmup, "total_steps": total, "final": final}
    line, curve = linear_schedule(step, **ends), cosine_schedule(step, **ends)
    if step < warmup:
        assert line == curve == pytest.approx(peak * step / warmup)
        return
    progress = Fraction(step - warmup, decay)
    assert line == pytest.approx(float((1 - progress) * Fraction(peak) + progress * Fraction(final)), abs=1e-12)
    turned = cmath.exp(1j * math.pi * float(progress)).real
    assert curve == pytest.approx((peak + final) / 2 + turned * (peak - final) / 2, abs=1e-12)
    mirrored = cosine_schedule(total - (step - warmup), **ends)
    assert curve + mirrored == pytest.approx(peak + final)


def test_schedules_by_hand() -> None:
    ends: Any = {"peak": 2.0, "warmup_steps": 4, "total_steps": 12, "final": 1.0}
    assert [linear_schedule(t, **ends) for t in (0, 1, 4, 6, 12)] == [0.0, 0.5, 2.0, 1.75, 1.0]
    assert [cosine_schedule(t, **ends) for t in (0, 1, 4, 8, 12)] == [0.0, 0.5, 2.0, 1.5, 1.0]
    assert cosine_schedule(0, peak=3.0, warmup_steps=0, total_steps=1) == 3
    assert linear_schedule(1, peak=3.0, warmup_steps=0, total_steps=1) == 0
    assert cosine_schedule(1, peak=3.0, warmup_steps=0, total_steps=1) == 0


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4), min_size=1, max_size=5), st.floats(1e-2, 1e4))
def test_clipping_is_that_of_the_whole_vector(shards: list[list[float]], limit: float) -> None:
    whole = math.sqrt(sum(value * value for shard in shards for value in shard))
    norms = [math.sqrt(sum(value * value for value in shard)) for shard in shards]
    expected = min(1.0, limit / whole) if whole else 1.0
    assert gradient_clip_scale(norms, max_norm=limit) == pytest.approx(expected)


def test_clipping_does_not_overflow() -> None:
    assert gradient_clip_scale([3e200, 4e200], max_norm=1e200) == pytest.approx(0.2)
    assert gradient_clip_scale([], max_norm=1.0) == gradient_clip_scale([1.0], max_norm=1.0) == 1


loose: Any = descent  # the calls below break the annotations on purpose
PAIR: Any = {"smallest_curvature": 1.0, "largest_curvature": 2.0}
ADAM: Any = {"learning_rate": 1.0, "beta1": 0.9, "beta2": 0.999, "step": 1}
PLAN: Any = {"peak": 1.0, "warmup_steps": 2, "total_steps": 4}
SGD: Any = {"step": 0.1, "curvature": 1.0, "noise_variance": 1.0}
REFUSED = [
    (
        lambda: loose.condition_number(smallest_curvature=2.0, largest_curvature=1.0),
        "smallest_curvature must be at most",
    ),
    (
        lambda: loose.condition_number(smallest_curvature=1e-300, largest_curvature=1e300),
        r"smallest_curvature and largest_curvature must give .*, got \(1e-300, 1e\+300\)",
    ),
    (
        lambda: loose.best_gradient_descent_step(smallest_curvature=0.0, largest_curvature=1.0),
        "smallest_curvature must be",
    ),
    (lambda: loose.best_gradient_descent_step(smallest_curvature=5e-324, largest_curvature=5e-324), "got 5e-324"),
    (lambda: loose.largest_stable_step(0.0), "largest_curvature must be"),
    (lambda: loose.largest_stable_step(5e-324), "largest_curvature must give"),
    (lambda: loose.largest_stable_step(1.0, momentum=1.0), "momentum must be a number of at least 0 and below 1"),
    (lambda: loose.gradient_descent_rate(step=-1, **PAIR), "step must be"),
    (lambda: loose.gradient_descent_rate(step=1e308, **PAIR), "step must give"),
    (lambda: loose.best_gradient_descent_rate(0.5), "condition must be a finite number of at least 1"),
    (lambda: loose.best_momentum_rate(math.inf), "condition must be"),
    (lambda: loose.best_momentum(0.99), "condition must be"),
    (
        lambda: loose.best_momentum_step(smallest_curvature=3.0, largest_curvature=2.0),
        "smallest_curvature must be at most",
    ),
    (lambda: loose.steps_to_shrink(rate=1.0, remainder=0.5), "rate must be"),
    (lambda: loose.steps_to_shrink(rate=0.5, remainder=0.0), "remainder must be"),
    (lambda: loose.steps_to_shrink(rate=0.5, remainder=1.5), "remainder must be a number above 0 and at most 1"),
    (lambda: loose.momentum_matrix(step=1.0, momentum=-0.1, curvature=1.0), "momentum must be"),
    (lambda: loose.momentum_matrix(step=1e300, momentum=0.1, curvature=1e300), "step must give"),
    (lambda: loose.momentum_spectral_radius(step=1.0, momentum=0.1, curvature=0.0), "curvature must be"),
    (lambda: loose.momentum_rate(step="a", momentum=0.1, **PAIR), "step must be"),
    (lambda: loose.sgd_stationary_variance(**{**SGD, "step": 2.0}), r"step must be below 2\(1 \+ momentum\)/curvature"),
    (lambda: loose.sgd_stationary_variance(**{**SGD, "noise_variance": -1}), "noise_variance must be"),
    (
        lambda: loose.sgd_stationary_variance(step=1e-9, curvature=1e-300, noise_variance=1e300),
        "noise_variance / curvature must give",
    ),
    (
        lambda: loose.sgd_noise_floor(step=0.1, curvatures=[1.0], noise_variances=[]),
        "curvatures and noise_variances must be equally many",
    ),
    (lambda: loose.sgd_noise_floor(step=0.1, curvatures=3, noise_variances=[]), "curvatures must be a sequence"),
    (lambda: loose.sgd_noise_floor(step=0.1, curvatures=[0.0], noise_variances=[1.0]), r"curvatures\[0\] must be"),
    (lambda: loose.sgd_mean_square(**SGD, start=math.nan, steps=1), "start must be"),
    (lambda: loose.sgd_mean_square(**SGD, start=1e200, steps=1), "start must give"),
    (lambda: loose.sgd_mean_square(**SGD, start=1.0, steps=-1), "steps must be"),
    (lambda: loose.adam_bias_correction(decay=1.0, step=1), "decay must be"),
    (lambda: loose.adam_bias_correction(decay=0.5, step=0), "step must be"),
    (lambda: loose.adam_update_bound(**{**ADAM, "beta2": 0.0}), "beta2 must be"),
    (lambda: loose.adam_update_bound(**{**ADAM, "beta2": 0.1, "step": 10**6}), "step must give"),
    (lambda: loose.adam_update_bound(**{**ADAM, "learning_rate": -1}), "learning_rate must be"),
    (lambda: loose.linear_schedule(5, **PLAN), "step must be at most total_steps, 4, got 5"),
    (lambda: loose.linear_schedule(-1, **PLAN), "step must be"),
    (
        lambda: loose.cosine_schedule(1, **{**PLAN, "total_steps": 2}),
        "total_steps must be above warmup_steps, 2, got 2",
    ),
    (lambda: loose.cosine_schedule(1, **PLAN, final=1.5), "final must be at most the peak"),
    (lambda: loose.gradient_clip_scale([-1.0], max_norm=1.0), r"shard_norms\[0\] must be"),
    (lambda: loose.gradient_clip_scale(1.0, max_norm=1.0), "shard_norms must be a sequence"),
    (lambda: loose.gradient_clip_scale([1.7e308, 1.7e308], max_norm=1.0), "shard_norms must give"),
    (lambda: loose.gradient_clip_scale([1.0], max_norm=0.0), "max_norm must be"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
