"""Simulators: runs with a known truth, the loss surface fitted to them, and how far the fit would scatter.

A fit minimises the Huber loss of the errors of ln ℒ by SciPy's L-BFGS-B, with the exact gradient, from several starts.
The constants are fitted as logarithms, which keeps them above 0, and around the runs' middle, where they are not so
strongly tied to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from snippets.arrays import finite_array, index_array, refusing_overflow
from snippets.domain import (
    at_most,
    each,
    flag,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.scaling.loss_surface.compute_law import ComputeLaw, fit_compute_law, log_log_line
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit

Floats = NDArray[np.float64]
HUBER_DELTA = 5e-3  # of ln ℒ; Hoffmann et al. take 1e-3
NAMES = ("irreducible_nats", "parameter_coefficient", "token_coefficient", "parameter_exponent", "token_exponent")
MOST_RUNS, _MOST_TRIALS = 10_000, 10_000
_BOUNDS = [(-9.0, 4.0), (-14.0, 9.0), (-14.0, 9.0), (0.02, 2.0), (0.02, 2.0)]
_STARTS = tuple(product((np.log(0.3), np.log(1.5)), (np.log(0.5),), (np.log(0.5),), (0.2, 0.6), (0.2, 0.6)))


@dataclass(frozen=True)
class Runs:
    """Trained models: what went in, and the loss that came out.

    Attributes:
        parameters: of each run.
        tokens: of each run.
        losses_nats: of each run, in nats a token.

    >>> runs = Runs(np.array([1e8, 2e8]), np.array([2e9, 4e9]), np.array([3.5, 3.2]))
    >>> runs.flops.tolist(), len(runs.chosen(np.array([1])).parameters)
    ([1.2e+18, 4.8e+18], 1)
    """

    parameters: Floats
    tokens: Floats
    losses_nats: Floats

    def __post_init__(self) -> None:
        for name in ("parameters", "tokens", "losses_nats"):
            values = finite_array(name, getattr(self, name), dimensions=1)
            if not values.size or (values <= 0).any():
                raise ValueError(f"{name} must hold one number above 0 for each run, got {getattr(self, name)!r:.200}")
            at_most(f"the number of {name}", len(values), MOST_RUNS)
            object.__setattr__(self, name, values)
        counts = len(self.parameters), len(self.tokens), len(self.losses_nats)
        if len(set(counts)) > 1:
            raise ValueError(f"parameters, tokens and losses_nats must be as many, got {counts}")

    @property
    def flops(self) -> Floats:
        """6ND of each run."""
        with np.errstate(over="ignore"):
            flops: Floats = 6 * self.parameters * self.tokens
        return flops

    def chosen(self, places: NDArray[np.intp]) -> Runs:
        """Return the runs at these places, repeats included."""
        rows = index_array("places", places, population=len(self.parameters), dimensions=1)
        if not 0 < rows.size <= MOST_RUNS:
            raise ValueError(f"places must hold 1 to {MOST_RUNS} places of runs, got {rows.size}")
        return Runs(self.parameters[rows], self.tokens[rows], self.losses_nats[rows])


def isoflop_grid(flops: Sequence[float], tokens_per_parameter: Sequence[float]) -> tuple[Floats, Floats]:
    """Return parameters and tokens of one run for each budget and each ratio, all ratios of a budget in a row.

    Args:
        flops: budgets, 6ND each.
        tokens_per_parameter: ratios D/N.

    >>> sizes, tokens = isoflop_grid([1.2e18, 1.2e20], [20])
    >>> sizes.round().tolist(), tokens.round().tolist()
    ([100000000.0, 1000000000.0], [2000000000.0, 20000000000.0])
    """
    budgets = finite_array("flops", flops, dimensions=1)
    ratios = finite_array("tokens_per_parameter", tokens_per_parameter, dimensions=1)
    for name, values in (("flops", budgets), ("tokens_per_parameter", ratios)):
        if (values <= 0).any() or (values > 1e100).any() or (values < 1e-100).any():
            raise ValueError(f"{name} must hold numbers above 0, from 1e-100 to 1e100, got {values!r:.200}")
    at_most("the number of flops times that of tokens_per_parameter", budgets.size * ratios.size, MOST_RUNS)
    parameters = np.sqrt(budgets[:, None] / 6 / ratios[None, :])  # (budgets, ratios)
    return parameters.ravel(), (parameters * ratios).ravel()


@refusing_overflow("parameters, tokens and fit")
def surface_losses(parameters: ArrayLike, tokens: ArrayLike, *, fit: LossFit | str) -> Floats:
    """Return the loss of many runs by a surface.

    Args:
        parameters: of each run, all above 0.
        tokens: of each run, all above 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    >>> surface_losses(np.array([70e9]), np.array([1.4e12]), fit="Chinchilla").round(3).tolist()
    [1.937]
    """
    f = LOSS_FITS.find(fit)
    N, D = finite_array("parameters", parameters, dimensions=1), finite_array("tokens", tokens, dimensions=1)
    if N.shape != D.shape or (N <= 0).any() or (D <= 0).any():
        raise ValueError(
            f"tokens must be as many as parameters, all numbers above 0, got {parameters!r:.90}, {tokens!r:.90}"
        )
    losses: Floats = (
        f.irreducible_nats
        + f.parameter_coefficient / N**f.parameter_exponent
        + f.token_coefficient / D**f.token_exponent
    )
    return losses


def synthetic_runs(
    parameters: ArrayLike,
    tokens: ArrayLike,
    *,
    fit: LossFit | str,
    relative_noise: float,
    seed: int,
    failed: Sequence[int] = (),
    failure: float = 0.06,
) -> Runs:
    """Return runs whose losses are those of a known surface times lognormal noise.

    Args:
        parameters: of each run, all above 0.
        tokens: of each run, all above 0.
        fit: the true surface, or its name in ``LOSS_FITS``.
        relative_noise: standard deviation of ln ℒ, at least 0.
        seed: of the noise, at least 0.
        failed: places of runs that went wrong.
        failure: by how much their ln ℒ is too large, at least 0.

    >>> synthetic_runs(np.array([1e9]), np.array([2e10]), fit="refit", relative_noise=0, seed=0).losses_nats.round(3)
    array([2.53])
    """
    sigma, off = nonnegative_number("relative_noise", relative_noise), nonnegative_number("failure", failure)
    if sigma > 1 or off > 10:
        raise ValueError(f"relative_noise must be at most 1 and failure at most 10, got {sigma!r} and {off!r}")
    exact = surface_losses(parameters, tokens, fit=fit)
    noise = sigma * np.random.default_rng(nonnegative_integer("seed", seed)).standard_normal(len(exact))
    for place in each("failed", failed, nonnegative_integer):
        if place not in range(len(exact)):
            raise ValueError(f"failed must hold places from 0 to {len(exact) - 1}, got {failed!r}")
        noise[place] += off
    return Runs(np.asarray(parameters, dtype=float), np.asarray(tokens, dtype=float), exact * np.exp(noise))


@dataclass(frozen=True)
class SurfaceFit:
    """A surface fitted to runs.

    Attributes:
        fit: the constants.
        objective: the sum of Huber losses, in units of 0.005², or of δ² if δ is smaller.
        residuals: ln of the measured over the fitted loss, for each run.
        iterations: of the best start.
    """

    fit: LossFit
    objective: float
    residuals: Floats
    iterations: int


def fit_surface(runs: Runs, *, huber_delta: float = HUBER_DELTA, start: LossFit | None = None) -> SurfaceFit:
    """Fit ℒ = ℒ_∞ + A_N/N^α_N + A_D/D^α_D to runs: the least sum of Huber losses of the errors of ln ℒ.

    Args:
        runs: five or more, of several sizes and ratios.
        huber_delta: δ: an error of ln ℒ counts as a square up to it and in proportion beyond.
        start: where to begin; without it, from eight starts, of which the best end counts.

    Returns:
        The best fit found. Where runs are too few, or all alike, it is one of many that are as good.

    Raises:
        ValueError: there are fewer than five runs.

    >>> sizes, tokens = isoflop_grid([1e18, 1e19, 1e20], [5, 20, 80])
    >>> runs = synthetic_runs(sizes, tokens, fit="refit", relative_noise=0, seed=0)
    >>> found = fit_surface(runs).fit
    >>> round(found.irreducible_nats, 3), round(found.parameter_exponent, 3), round(found.token_exponent, 3)
    (1.817, 0.348, 0.366)
    """
    _check_runs(runs)
    delta = positive_number("huber_delta", huber_delta)
    if not 1e-6 <= delta <= 1e3:
        raise ValueError(f"huber_delta must be a number from 1e-06 to 1000, got {huber_delta!r}")
    x, z, y = np.log(runs.parameters), np.log(runs.tokens), np.log(runs.losses_nats)
    x_mean, z_mean = x.mean(), z.mean()
    x, z = x - x_mean, z - z_mean
    # In this unit the objective is of the order of the number of runs. L-BFGS stops where the slope is small, and the
    # slope of a mean of small squares is small everywhere.
    unit = min(delta, HUBER_DELTA) ** 2

    def objective(theta: Floats) -> tuple[float, Floats]:
        e, p, q = np.exp(theta[0]), np.exp(theta[1] - theta[3] * x), np.exp(theta[2] - theta[4] * z)
        loss = e + p + q
        error = np.log(loss) - y
        size = np.abs(error)
        huber = np.where(size <= delta, error**2 / 2, delta * (size - delta / 2))
        pull = np.clip(error, -delta, delta) / loss / unit
        slope = [(pull * e).sum(), (pull * p).sum(), (pull * q).sum(), -(pull * p * x).sum(), -(pull * q * z).sum()]
        return float(huber.sum() / unit), np.array(slope)

    starts = _STARTS if start is None else (_centred(start, float(x_mean), float(z_mean)),)
    options = {"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-8}
    ends = [minimize(objective, s, jac=True, method="L-BFGS-B", bounds=_BOUNDS, options=options) for s in starts]
    best = min(ends, key=lambda end: float(end.fun))
    e, a, b, alpha, beta = (float(value) for value in best.x)
    fit = LossFit(
        "fitted", np.exp(e), np.exp(a + alpha * x_mean), np.exp(b + beta * z_mean), alpha, beta, f"{len(x)} runs"
    )
    residuals = y - np.log(surface_losses(runs.parameters, runs.tokens, fit=fit))
    return SurfaceFit(fit, float(best.fun), residuals, int(best.nit))


def bootstrap_surfaces(runs: Runs, *, trials: int, seed: int, huber_delta: float = HUBER_DELTA) -> list[LossFit]:
    """Fit the surface again and again to runs that are drawn from the runs, with repeats.

    Args:
        runs: five or more.
        trials: how many times, at most 10,000.
        seed: of the draws, at least 0.
        huber_delta: δ.

    Returns:
        A fit for each trial, each begun at the fit of all runs.

    >>> sizes, tokens = isoflop_grid([1e18, 1e19, 1e20], [5, 20, 80])
    >>> runs = synthetic_runs(sizes, tokens, fit="refit", relative_noise=0.002, seed=0)
    >>> len(bootstrap_surfaces(runs, trials=3, seed=0))
    3
    """
    count = at_most("trials", positive_integer("trials", trials), _MOST_TRIALS)
    generator = np.random.default_rng(nonnegative_integer("seed", seed))
    start = fit_surface(runs, huber_delta=huber_delta).fit
    size = len(runs.parameters)
    drawn = [runs.chosen(generator.integers(0, size, size)) for _ in range(count)]
    return [fit_surface(sample, huber_delta=huber_delta, start=start).fit for sample in drawn]


def ladder_trials(
    flops: Floats, *, law: ComputeLaw, relative_noise: float, trials: int, seed: int, floor: bool = True
) -> list[ComputeLaw]:
    """Draw the losses of a ladder many times from a law with noise, and fit each draw.

    Args:
        flops: operations of each run, three or more, all above 0.
        law: the truth.
        relative_noise: standard deviation of ln ℒ, at least 0 and at most 1.
        trials: how many times, at most 10,000.
        seed: of the noise, at least 0.
        floor: whether the fits have an irreducible loss.

    Returns:
        A fit for each trial whose losses fall.

    >>> found = ladder_trials(np.array([1e18, 1e19, 1e20]), law=ComputeLaw(1.5, 1.0, 0.25, 1e20), relative_noise=0,
    ...                       trials=1, seed=0)
    >>> round(found[0].irreducible_nats, 3)
    1.5
    """
    compute = finite_array("flops", flops, dimensions=1)
    sigma = nonnegative_number("relative_noise", relative_noise)
    if not isinstance(law, ComputeLaw) or compute.size < 3 or (compute <= 0).any() or sigma > 1:
        raise ValueError(
            "flops must be three numbers above 0 or more, law a ComputeLaw and relative_noise at most 1,"
            f" got {flops!r:.90}, {law!r:.90} and {relative_noise!r}"
        )
    count, floor = at_most("trials", positive_integer("trials", trials), _MOST_TRIALS), flag("floor", floor)
    noise = np.random.default_rng(nonnegative_integer("seed", seed)).standard_normal((count, len(compute)))
    with np.errstate(over="ignore", divide="ignore"):
        exact = law.irreducible_nats + law.reducible_nats * (compute / law.reference_flops) ** -law.exponent
    if not np.isfinite(exact).all():
        raise ValueError(f"flops and law must give losses that a float can hold, got {flops!r:.90}")
    fitted = []
    for row in exact * np.exp(sigma * noise):
        try:
            fitted.append((fit_compute_law if floor else log_log_line)(compute.tolist(), row.tolist()))
        except ValueError:  # by chance the losses do not fall
            continue
    return fitted


def _centred(fit: LossFit, x_mean: float, z_mean: float) -> tuple[float, ...]:
    """Return a fit's constants as the optimizer has them."""
    if not isinstance(fit, LossFit):
        raise ValueError(f"start must be a LossFit, got {fit!r}")
    alpha, beta = fit.parameter_exponent, fit.token_exponent
    return (
        float(np.log(fit.irreducible_nats)),
        float(np.log(fit.parameter_coefficient)) - alpha * x_mean,
        float(np.log(fit.token_coefficient)) - beta * z_mean,
        alpha,
        beta,
    )


def _check_runs(runs: Runs) -> None:
    if not isinstance(runs, Runs) or len(runs.parameters) < len(NAMES):
        raise ValueError(f"runs must be Runs, {len(NAMES)} or more, got {runs!r:.200}")
