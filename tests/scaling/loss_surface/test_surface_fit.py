"""Fits of synthetic runs find the truth, survive a failed run, agree with another optimizer, and scatter as said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from snippets.scaling.loss_surface.compute_law import ComputeLaw, compute_law_loss_nats, ladder_prediction_error
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit, surface_loss_nats
from snippets.scaling.loss_surface.surface_fit import (
    NAMES,
    Runs,
    bootstrap_surfaces,
    fit_surface,
    isoflop_grid,
    ladder_trials,
    surface_losses,
    synthetic_runs,
)

BUDGETS, RATIOS = [1e18, 3e18, 1e19, 3e19, 1e20], [2, 6, 20, 60, 200]
SIZES, TOKENS = isoflop_grid(BUDGETS, RATIOS)
TRUTH = LOSS_FITS["refit"]


def at(fit: LossFit, flops: float) -> float:
    parameters = math.sqrt(flops / 120)
    return surface_loss_nats(parameters=parameters, tokens=20 * parameters, fit=fit)


def test_a_grid_has_its_budgets_and_ratios() -> None:
    assert (6 * SIZES * TOKENS).reshape(5, 5) == pytest.approx(np.repeat(np.array(BUDGETS)[:, None], 5, axis=1))
    assert (TOKENS / SIZES).reshape(5, 5)[3] == pytest.approx(RATIOS)
    runs = Runs(SIZES, TOKENS, np.ones(25))
    assert runs.flops == pytest.approx(6 * SIZES * TOKENS)


@given(st.floats(1e7, 1e11), st.floats(1e9, 1e13), st.sampled_from(list(LOSS_FITS)))
def test_many_losses_are_those_of_the_formula(parameters: float, tokens: float, name: str) -> None:
    (loss,) = surface_losses(np.array([parameters]), np.array([tokens]), fit=name)
    assert loss == pytest.approx(surface_loss_nats(parameters=parameters, tokens=tokens, fit=name))


@settings(max_examples=10)
@pytest.mark.long
@given(st.floats(0.5, 2.5), st.floats(0.25, 0.5), st.floats(0.25, 0.5), st.floats(0.3, 1.5), st.floats(0.3, 1.5))
def test_without_noise_a_fit_finds_the_truth(E: float, alpha: float, beta: float, a: float, b: float) -> None:
    truth = LossFit("truth", E, a * 4e8**alpha, b * 5e9**beta, alpha, beta, "drawn")
    found = fit_surface(synthetic_runs(SIZES, TOKENS, fit=truth, relative_noise=0, seed=0))
    for name in ("irreducible_nats", "parameter_exponent", "token_exponent"):
        assert getattr(found.fit, name) == pytest.approx(getattr(truth, name), abs=5e-3)
    assert abs(found.residuals).max() < 1e-4


@pytest.mark.parametrize("delta", [1e-3, 5e-3, 0.5])
def test_another_optimizer_finds_the_same(delta: float) -> None:
    runs = synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0.0035, seed=3, failed=[8])
    x, z, y = np.log(SIZES / 4e8), np.log(TOKENS / 8e9), np.log(runs.losses_nats)

    def errors(t: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(np.exp(t[0]) + np.exp(t[1] - t[3] * x) + np.exp(t[2] - t[4] * z)) - y)

    best = least_squares(errors, [0.5, -0.7, -0.7, 0.4, 0.4], loss="huber", f_scale=delta, xtol=1e-10, ftol=1e-10)
    found = fit_surface(runs, huber_delta=delta)
    assert found.fit.irreducible_nats == pytest.approx(math.exp(best.x[0]), abs=3e-3)
    assert found.fit.parameter_exponent == pytest.approx(best.x[3], abs=2e-3)
    assert found.fit.token_exponent == pytest.approx(best.x[4], abs=2e-3)
    assert found.objective == pytest.approx(best.cost / min(delta, 5e-3) ** 2, rel=1e-3)


def test_a_failed_run_moves_squares_and_hardly_moves_huber() -> None:
    clean, spoilt = (
        synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0.0035, seed=18, failed=failed) for failed in ((), (8,))
    )
    by_huber = [at(fit_surface(runs).fit, 1e24) for runs in (clean, spoilt)]
    by_squares = [at(fit_surface(runs, huber_delta=1).fit, 1e24) for runs in (clean, spoilt)]
    assert abs(by_huber[1] - by_huber[0]) < 0.02 < 0.05 < abs(by_squares[1] - by_squares[0])


def test_the_bootstrap_scatters_about_as_new_worlds_do() -> None:
    runs = synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0.0035, seed=18)
    drawn = [at(fit, 1e21) for fit in bootstrap_surfaces(runs, trials=60, seed=2)]
    worlds = [
        at(
            fit_surface(synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0.0035, seed=seed), start=TRUTH).fit,
            1e21,
        )
        for seed in range(60)
    ]
    assert 0.5 < np.std(drawn) / np.std(worlds) < 1.6
    assert np.mean(worlds) == pytest.approx(at(TRUTH, 1e21), abs=4 * float(np.std(worlds)) / math.sqrt(60))


@pytest.mark.nightly
def test_an_80_percent_interval_holds_the_truth_in_about_80_of_100_worlds() -> None:
    """The chapter says 78."""
    held = 0
    for seed in range(100):
        runs = synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0.0035, seed=seed, failed=[8])
        low, high = np.quantile([at(fit, 1e21) for fit in bootstrap_surfaces(runs, trials=100, seed=1)], [0.1, 0.9])
        held += low <= at(TRUTH, 1e21) <= high
    assert 74 <= held <= 82


def test_refits_of_a_ladder_scatter_as_the_formula_says() -> None:
    law = ComputeLaw(1.818, 1.675, 0.1786, 1e18)
    flops = [1e18, 1e18, 3e18, 3e18, 1e19, 1e19, 1e20]
    fits = ladder_trials(np.array(flops), law=law, relative_noise=0.002, trials=300, seed=4)
    losses = np.array([compute_law_loss_nats(1e21, law=fit) for fit in fits])
    expected = ladder_prediction_error(flops, target_flops=1e21, relative_noise=0.002, law=law)
    assert np.std(np.log(losses)) == pytest.approx(expected, rel=0.15)
    assert np.median(losses) == pytest.approx(compute_law_loss_nats(1e21, law=law), rel=3e-3)


def test_a_ladder_that_rises_by_chance_is_left_out() -> None:
    flat = ComputeLaw(2.0, 0.01, 0.1, 1e18)
    fits = ladder_trials(np.array([1e18, 2e18, 3e18]), law=flat, relative_noise=0.1, trials=50, seed=0, floor=False)
    assert 0 < len(fits) < 50


def test_what_cannot_be_fitted_is_refused() -> None:
    four = Runs(SIZES[:4], TOKENS[:4], np.ones(4))
    with pytest.raises(ValueError, match="runs must be"):
        fit_surface(four)
    with pytest.raises(ValueError, match="huber_delta must"):
        fit_surface(Runs(SIZES, TOKENS, np.ones(25)), huber_delta=1e9)
    with pytest.raises(ValueError, match="losses_nats must"):
        Runs(SIZES, TOKENS, np.ones(24))
    with pytest.raises(ValueError, match="failed must"):
        synthetic_runs(SIZES, TOKENS, fit=TRUTH, relative_noise=0, seed=0, failed=[25])
    with pytest.raises(ValueError, match="start must"):
        fit_surface(Runs(SIZES, TOKENS, np.ones(25)), start="refit")  # type: ignore[arg-type]
    assert len(NAMES) == 5


@pytest.mark.nightly
def test_the_intervals_of_78_of_a_hundred_sets_hold_the_truth_as_the_chapter_says() -> None:
    held = 0
    for seed in range(100):
        runs = synthetic_runs(SIZES, TOKENS, fit="refit", relative_noise=0.0035, seed=seed, failed=[8])
        low, high = np.quantile([at(fit, 1e21) for fit in bootstrap_surfaces(runs, trials=200, seed=1)], [0.1, 0.9])
        held += bool(low <= at(TRUTH, 1e21) <= high)
    assert held == pytest.approx(78, abs=1)
