"""Chapter 8: the surface and the laws against printed values, against their own limits, and against each other."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.scaling.loss_surface.compute_law import (
    ComputeLaw,
    compute_law_loss_nats,
    compute_multiple,
    fit_compute_law,
    ladder_prediction_error,
    log_log_line,
    log_log_slope,
    three_run_law,
)
from snippets.scaling.loss_surface.formulas import (
    KAPLAN_LAWS,
    LOSS_FITS,
    LossFit,
    PowerLaw,
    kaplan_growth,
    power_law_loss_nats,
    surface_loss_nats,
)
from snippets.scaling.loss_surface.published_ladder import CEREBRAS_GPT

PUBLISHED = json.loads((Path(__file__).parent / "published_scaling_laws.json").read_text(encoding="utf-8"))
laws = st.builds(ComputeLaw, st.floats(0.1, 2.5), st.floats(0.3, 3), st.floats(0.05, 0.8), st.just(1e18))
sizes, tokens = st.floats(1e6, 1e12), st.floats(1e8, 1e14)


@pytest.mark.parametrize("row", PUBLISHED["kaplan"], ids=lambda row: row["id"])
def test_kaplans_laws_are_as_printed(row: dict[str, float]) -> None:
    assert power_law_loss_nats(row["amount"], law=str(row["law"])) == pytest.approx(row["loss"], abs=row["abs"])


def test_kaplans_growth_is_as_printed() -> None:
    row = PUBLISHED["kaplan-allocation"]
    growth = kaplan_growth(compute_factor=row["compute_factor"])
    for name, factor in growth.items():
        assert factor == pytest.approx(row[name], rel=row["rel"])
    assert growth["batch"] * growth["steps"] == pytest.approx(growth["tokens"])
    assert growth["parameters"] * growth["tokens"] == pytest.approx(10)  # C is proportional to N times D


def test_kaplans_laws_reach_one_nat_at_their_scales() -> None:
    for law in KAPLAN_LAWS.values():
        assert power_law_loss_nats(law.scale, law=law) == 1
        ten_times = power_law_loss_nats(1e9, law=law) / power_law_loss_nats(1e10, law=law)
        assert math.log10(ten_times) == pytest.approx(law.exponent)
    assert KAPLAN_LAWS["compute"].scale == pytest.approx(3.1e8 * 1e15 * 24 * 3600)
    with pytest.raises(ValueError, match="scale must be"):
        PowerLaw("bad", 0, 0.1, "nowhere")


@pytest.mark.parametrize("row", PUBLISHED["chinchilla-loss"], ids=lambda row: row["id"])
def test_the_surface_is_as_printed(row: dict[str, float]) -> None:
    loss = surface_loss_nats(parameters=row["parameters"], tokens=row["tokens"], fit="Chinchilla")
    assert loss == pytest.approx(row["loss"], abs=row["abs"])


@given(sizes, tokens, st.sampled_from(list(LOSS_FITS)))
def test_the_surface_is_a_floor_and_two_power_laws(parameters: float, tokens: float, name: str) -> None:
    fit = LOSS_FITS[name]

    def above(n: float, d: float) -> float:
        return surface_loss_nats(parameters=n, tokens=d, fit=name) - fit.irreducible_nats

    # Ten times the parameters divide one part by 10^α and leave the other: solve for both parts.
    more, both = above(10 * parameters, tokens), above(parameters, tokens)
    of_parameters = (both - more) / (1 - 10**-fit.parameter_exponent)
    of_tokens = (both - above(parameters, 10 * tokens)) / (1 - 10**-fit.token_exponent)
    assert of_parameters + of_tokens == pytest.approx(both, rel=1e-6)
    assert of_parameters * parameters**fit.parameter_exponent == pytest.approx(fit.parameter_coefficient, rel=1e-6)
    assert of_tokens * tokens**fit.token_exponent == pytest.approx(fit.token_coefficient, rel=1e-6)


def test_far_out_only_the_floor_is_left() -> None:
    for fit in LOSS_FITS.values():
        assert surface_loss_nats(parameters=1e60, tokens=1e60, fit=fit) == pytest.approx(fit.irreducible_nats)
    with pytest.raises(ValueError, match="token_exponent must be"):
        LossFit("bad", 1, 1, 1, 1, -1, "nowhere")


@given(laws, st.floats(1e16, 1e26))
def test_the_slope_is_the_derivative(law: ComputeLaw, flops: float) -> None:
    up, down = (math.log(compute_law_loss_nats(flops * factor, law=law)) for factor in (1.001, 1 / 1.001))
    assert log_log_slope(flops, law=law) == pytest.approx((up - down) / (2 * math.log(1.001)), rel=1e-4)
    assert -law.exponent < log_log_slope(flops, law=law) < 0


@given(laws, st.floats(0, 0.99))
def test_the_multiple_buys_the_gain(law: ComputeLaw, share: float) -> None:
    loss = compute_law_loss_nats(1e20, law=law)
    gain = share * (loss - law.irreducible_nats)
    constants = {"irreducible_nats": law.irreducible_nats, "exponent": law.exponent}
    times = compute_multiple(loss_nats=loss, gain_nats=gain, **constants)
    assert loss - compute_law_loss_nats(1e20 * times, law=law) == pytest.approx(gain, abs=1e-9)
    assert compute_multiple(loss_nats=loss, gain_nats=loss, **constants) == math.inf


@given(laws, st.floats(3, 100))
def test_three_runs_give_the_law_back(law: ComputeLaw, ratio: float) -> None:
    losses = [compute_law_loss_nats(1e18 * ratio**place, law=law) for place in range(3)]
    found = three_run_law(losses, first_flops=1e18, ratio=ratio)
    assert found.irreducible_nats == pytest.approx(law.irreducible_nats, rel=1e-4)
    assert found.exponent == pytest.approx(law.exponent, rel=1e-4)
    assert compute_law_loss_nats(1e22, law=found) == pytest.approx(compute_law_loss_nats(1e22, law=law), rel=1e-4)


def test_three_runs_without_a_floor_are_refused() -> None:
    for losses in ([3, 2, 1], [3, 2.9, 2.5], [1, 2, 3], [3, 2], [4, 1, 0.2]):
        with pytest.raises(ValueError, match="losses_nats must"):
            three_run_law(losses, first_flops=1e18, ratio=10)
    with pytest.raises(ValueError, match="ratio must"):
        three_run_law([3.5, 2.5, 2.0], first_flops=1e18, ratio=1)


@given(laws, st.integers(3, 9))
def test_a_fit_of_exact_runs_gives_the_law_back(law: ComputeLaw, runs: int) -> None:
    flops = [1e18 * 10 ** (3 * place / (runs - 1)) for place in range(runs)]
    losses = [compute_law_loss_nats(C, law=law) for C in flops]
    found = fit_compute_law(flops, losses)
    assert found.irreducible_nats == pytest.approx(law.irreducible_nats, abs=2e-3)
    assert found.exponent == pytest.approx(law.exponent, abs=1e-3)


def test_the_fit_is_scipys() -> None:
    from scipy.optimize import least_squares

    generator = np.random.default_rng(5)
    flops = 10 ** np.linspace(18, 22, 9)
    for _ in range(5):
        losses = (1.5 + 1.5 * (flops / 1e18) ** -0.2) * np.exp(0.004 * generator.standard_normal(9))
        x = np.log(flops / 1e20)

        def errors(theta: np.ndarray, x: np.ndarray = x, losses: np.ndarray = losses) -> np.ndarray:
            return np.asarray((theta[0] + theta[1] * np.exp(-theta[2] * x)) / losses - 1)

        best = least_squares(errors, [1.4, 0.6, 0.2], xtol=1e-12, ftol=1e-12)
        found = fit_compute_law(flops.tolist(), losses.tolist())
        assert found.irreducible_nats == pytest.approx(best.x[0], abs=1e-4)
        assert found.exponent == pytest.approx(best.x[2], abs=1e-4)


def test_a_line_is_numpys_and_a_fit_never_has_a_negative_floor() -> None:
    flops, losses = [1e18, 3e18, 1e20, 7e20], [3.4, 3.1, 2.6, 2.3]
    slope, height = np.polyfit(np.log(flops), np.log(losses), 1)
    line = log_log_line(flops, losses)
    assert line.exponent == pytest.approx(-slope)
    assert compute_law_loss_nats(1e25, law=line) == pytest.approx(math.exp(height + slope * math.log(1e25)))
    bent_down = [4.0, 3.8, 3.3, 2.5]
    assert fit_compute_law([1e18, 1e19, 1e20, 1e21], bent_down).irreducible_nats == 0
    with pytest.raises(ValueError, match="must fall"):
        log_log_line([1e18, 1e19], [2, 3])
    with pytest.raises(ValueError, match="one loss for each"):
        log_log_line([1e18, 1e18], [2, 3])


@given(laws, st.lists(st.sampled_from([1e18, 3e18, 1e19, 4e19, 2e20]), min_size=3, max_size=9), st.floats(1e20, 1e23))
def test_the_prediction_error_is_that_of_the_normal_equations(
    law: ComputeLaw, flops: list[float], target: float
) -> None:
    error = ladder_prediction_error(flops, target_flops=target, relative_noise=0.01, law=law)
    if len(set(flops)) < 3:
        assert error == math.inf
        return
    x, t = np.log(np.array(flops) / 1e18), math.log(target / 1e18)
    u, at = np.exp(-law.exponent * x), math.exp(-law.exponent * t)
    losses = law.irreducible_nats + law.reducible_nats * u
    J = np.stack([np.ones_like(u), u, -law.reducible_nats * u * x], axis=1) / losses[:, None]
    g = np.array([1, at, -law.reducible_nats * at * t]) / (law.irreducible_nats + law.reducible_nats * at)
    expected = 0.01 * np.linalg.norm(np.linalg.pinv(J).T @ g)
    assert error == pytest.approx(float(expected), rel=1e-5)


def test_a_multiple_needs_a_loss_above_the_floor() -> None:
    with pytest.raises(ValueError, match="loss_nats must"):
        compute_multiple(loss_nats=1.5, gain_nats=0.1, irreducible_nats=1.5, exponent=0.2)


def test_the_ladder_is_as_published() -> None:
    printed = PUBLISHED["cerebras-gpt"]
    assert len(CEREBRAS_GPT) == len(printed["loss"]) == 7
    for place, run in enumerate(CEREBRAS_GPT.values()):
        assert run.flops == float(printed["flops"][place])
        assert run.tokens == float(printed["tokens"][place])
        assert run.loss_nats == printed["loss"][place]
        assert run.card_loss_nats == printed["card_loss"][place]
        counted = printed["batch"][place] * printed["steps"][place] * 2048
        assert run.tokens == pytest.approx(counted, rel=2e-3)
        assert run.tokens / run.parameters == pytest.approx(20, rel=0.03)
        assert 1 < run.flops / (6 * run.parameters * run.tokens) < 1.8  # attention and the vocabulary come on top
