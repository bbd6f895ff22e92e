"""Chapter 10: the error of least squares in closed form, against fits to drawn examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.scaling.phase_transitions.double_descent import best_ridge, min_norm_error
from snippets.scaling.phase_transitions.double_descent_runs import fitted_errors, weak_weights


@given(st.integers(3, 24), st.integers(0, 30), st.sampled_from([0.0, 0.2, 1.0]), st.integers(0, 10**6))
@settings(max_examples=25)
def test_the_formula_is_the_mean_of_fits(examples: int, features: int, noise: float, seed: int) -> None:
    if abs(examples - features) < 7:  # nearer to the peak a mean of few fits says nothing
        return
    weights = weak_weights(30)
    signal = float((weights[:features] ** 2).sum())
    left = float((weights[features:] ** 2).sum()) + noise
    expected = min_norm_error(examples=examples, features=features, signal=signal, noise=left)
    fits = fitted_errors(weights, examples=examples, features=features, noise_variance=noise, trials=400, seed=seed)
    assert fits.mean() == pytest.approx(expected, abs=5 * fits.std() / 20 + 1e-9)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.01, 5), st.floats(0.01, 5))
def test_it_is_the_inverse_of_sums_of_squares(examples: int, features: int, signal: float, noise: float) -> None:
    """By the integral of 1/x against the density of χ² with |n − d| + 1 degrees of freedom, in gamma functions."""
    freedoms = abs(examples - features) + 1
    found = min_norm_error(examples=examples, features=features, signal=signal, noise=noise)
    if freedoms < 3:
        assert found == math.inf
        return
    inverse = math.exp(math.lgamma(freedoms / 2 - 1) - math.lgamma(freedoms / 2)) / 2
    hidden = signal * max(0, features - examples) / max(features, 1)
    assert found == pytest.approx(noise + noise * min(examples, features) * inverse + hidden, rel=1e-9)


def test_solved_systems_are_the_least_squares_of_least_norm() -> None:
    """The same draws, fitted by NumPy's own lstsq."""
    weights = weak_weights(12)
    for features in (3, 8, 12):
        fits = fitted_errors(weights, examples=8, features=features, noise_variance=0.3, trials=5, seed=11)
        generator = np.random.default_rng(11)
        drawn = generator.standard_normal((5, 8, 12))
        results = drawn @ weights + math.sqrt(0.3) * generator.standard_normal((5, 8))
        for fit, x, y in zip(fits, drawn, results, strict=True):
            found = np.zeros(12)
            found[:features] = np.linalg.lstsq(x[:, :features], y, rcond=None)[0]
            assert fit == pytest.approx(((found - weights) ** 2).sum() + 0.3, rel=1e-6)


@pytest.mark.parametrize("features", [6, 20, 40])
def test_no_other_penalty_does_better(features: int) -> None:
    weights = weak_weights(40)
    signal = float((weights[:features] ** 2).sum())
    best = best_ridge(features=features, signal=signal, noise=1.2 - signal)
    means = {
        times: fitted_errors(
            weights, examples=20, features=features, noise_variance=0.2, trials=1500, seed=4, penalty=best * times
        ).mean()
        for times in (0.25, 0.6, 1, 1.7, 4)
    }
    assert min(means, key=lambda times: means[times]) == 1


def test_without_anything_unexplained_there_is_no_peak() -> None:
    weights = np.concatenate([weak_weights(5), np.zeros(25)])
    for features in (5, 12, 19):
        fits = fitted_errors(weights, examples=20, features=features, noise_variance=0, trials=20, seed=3)
        assert fits.max() < 1e-9
        assert min_norm_error(examples=20, features=features, signal=1, noise=0) == 0


def test_equally_weak_features_have_their_best_place_at_either_end() -> None:
    """Belkin, Hsu and Xu 2020, 40 examples and 100 features, as a summary has it: worse from the first feature on."""
    curve = [min_norm_error(examples=40, features=d, signal=d / 100, noise=1 - d / 100) for d in range(101)]
    assert curve[:39] == sorted(curve[:39])
    assert curve[42:] == sorted(curve[42:], reverse=True)
    assert min(curve) == curve[100] == pytest.approx(0.6)


def test_shares_fall_as_one_over_their_place() -> None:
    shares = weak_weights(7) ** 2
    assert shares.sum() == pytest.approx(1)
    assert shares[0] / shares == pytest.approx(np.arange(1, 8))
