"""Formulas: the loss along a ladder of runs as a power law of the compute above a floor, and what a nat is worth.

A ladder is a row of runs with one ratio of tokens to parameters, so that the compute alone tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import as_float, at_most, each, nonnegative_number, positive_number

_MOST_RUNS = 10_000
_LEAST_EXPONENT, _MOST_EXPONENT = 1e-3, 2.0
_LEAST_SHARE = 1e-150  # of the middle of the compute: to the power of −2 it still fits a float


@dataclass(frozen=True)
class ComputeLaw:
    """ℒ(C) = ℒ_∞ + A_C (C/C₀)^−α_C.

    Attributes:
        irreducible_nats: ℒ_∞, at least 0; with 0 the law is a straight line on logarithmic axes.
        reducible_nats: A_C, the loss above ℒ_∞ at the reference.
        exponent: α_C.
        reference_flops: C₀.

    >>> ComputeLaw(1.5, 1.0, 0.25, 1e20).exponent
    0.25
    """

    irreducible_nats: float
    reducible_nats: float
    exponent: float
    reference_flops: float

    def __post_init__(self) -> None:
        nonnegative_number("irreducible_nats", self.irreducible_nats)
        for field in ("reducible_nats", "exponent", "reference_flops"):
            positive_number(field, getattr(self, field))


def compute_law_loss_nats(flops: float, *, law: ComputeLaw) -> float:
    """Return the loss of a run of a ladder.

    Formula: $\\mathcal L_\\infty + A_C \\left(\\frac{C}{C_0}\\right)^{-\\alpha_C}$
    Symbols: C = the run's flops; ℒ_∞, A_C, α_C, C_0 = the law's constants
    Chapter: 8

    Args:
        flops: operations of the run.
        law: the ladder's law.

    Returns:
        Nats a token.

    Source: Henighan et al. 2020, a power law plus a constant, here of the compute along one ratio.
    Convention: natural logarithms.
    Leaves out: a ratio of tokens to parameters that changes along the ladder.

    Example:
        >>> compute_law_loss_nats(16e20, law=ComputeLaw(1.5, 1.0, 0.25, 1e20))
        2.0
    """
    floor, A_C, α_C, C_0 = _constants(law)
    C = positive_number("flops", flops)
    return as_float("flops and law", floor + A_C * _power(C / C_0, -α_C))


def log_log_slope(flops: float, *, law: ComputeLaw) -> float:
    """Return the slope of a ladder on logarithmic axes, at one of its runs.

    Formula: $-\\alpha_C \\left(1 - \\frac{\\mathcal L_\\infty}{\\mathcal L}\\right)$
    Symbols: ℒ = the loss at C = flops; ℒ_∞, α_C = the law's constants
    Chapter: 8

    Args:
        flops: operations of the run.
        law: the ladder's law.

    Returns:
        The slope, below 0: −0.05 means that 1% more compute lowers the loss by 0.05%.

    Source: the derivative of ``compute_law_loss_nats``.
    Convention: change of ln ℒ per change of ln C.
    Leaves out: nothing: it is exact.

    Example:
        >>> log_log_slope(16e20, law=ComputeLaw(1.5, 1.0, 0.25, 1e20))
        -0.0625
    """
    floor, _, α_C, _ = _constants(law)
    loss = positive_number("flops and law must give a loss that", compute_law_loss_nats(flops, law=law))
    return -α_C * (1 - floor / loss)


def compute_multiple(*, loss_nats: float, gain_nats: float, irreducible_nats: float, exponent: float) -> float:
    """Return how many times the compute lowers a loss by a gain.

    Formula: $\\left(\\frac{\\mathcal L - \\mathcal L_\\infty}
        {\\mathcal L - \\mathcal L_\\infty - \\Delta}\\right)^{1/\\alpha_C}$
    Symbols: ℒ = loss_nats; Δ = gain_nats; ℒ_∞ = irreducible_nats; α_C = exponent
    Chapter: 8

    Args:
        loss_nats: of the run that there is, above ``irreducible_nats``.
        gain_nats: by how much the loss is to fall, at least 0.
        irreducible_nats: ℒ_∞, at least 0.
        exponent: α_C.

    Returns:
        The factor on the compute; infinity where the gain would reach ℒ_∞ or pass it.

    Source: ``compute_law_loss_nats``, solved for the compute.
    Convention: along the ladder, so parameters and tokens both grow.
    Leaves out: other ways to the same gain.

    Example:
        >>> compute_multiple(loss_nats=2.5, gain_nats=0.5, irreducible_nats=1.5, exponent=0.25)
        16.0
    """
    above = positive_number("loss_nats", loss_nats) - nonnegative_number("irreducible_nats", irreducible_nats)
    Δ, α_C = nonnegative_number("gain_nats", gain_nats), positive_number("exponent", exponent)
    if above <= 0:
        raise ValueError(f"loss_nats must be a number above irreducible_nats = {irreducible_nats!r}, got {loss_nats!r}")
    if above <= Δ:
        return math.inf
    return as_float("gain_nats and exponent", _power(above / (above - Δ), 1 / α_C))


def three_run_law(losses_nats: Sequence[float], *, first_flops: float, ratio: float) -> ComputeLaw:
    """Return the law through three runs of which each has so many times the compute of the one before.

    Formula: $\\mathcal L_\\infty = \\frac{\\mathcal L_1 \\mathcal L_3 - \\mathcal L_2^2}
        {\\mathcal L_1 + \\mathcal L_3 - 2 \\mathcal L_2},\\quad
        \\alpha_C = \\frac{\\ln\\frac{\\mathcal L_1 - \\mathcal L_2}{\\mathcal L_2 - \\mathcal L_3}}{\\ln \\rho}$
    Symbols: ℒ_1, ℒ_2, ℒ_3 = losses_nats; ρ = ratio
    Chapter: 8

    Args:
        losses_nats: three losses, falling, the second fall smaller than the first, and no less than a power law's.
        first_flops: operations of the first run.
        ratio: ρ, above 1.

    Returns:
        The law, with the first run as its reference.

    Raises:
        ValueError: the falls do not shrink, or shrink so slowly that the floor would lie below 0.

    Source: three equations solved for three unknowns; the first is Aitken's extrapolation of a geometric sequence.
    Convention: natural logarithms.
    Leaves out: noise, which it passes on enlarged.

    Example:
        >>> three_run_law([3.5, 2.5, 2.0], first_flops=1e18, ratio=16)
        ComputeLaw(irreducible_nats=1.5, reducible_nats=2.0, exponent=0.25, reference_flops=1e+18)
    """
    losses = each("losses_nats", losses_nats, positive_number)
    C_0, ρ = positive_number("first_flops", first_flops), positive_number("ratio", ratio)
    if ρ <= 1:
        raise ValueError(f"ratio must be a number above 1, got {ratio!r}")
    if len(losses) != 3 or not losses[0] - losses[1] > losses[1] - losses[2] > 0:
        raise ValueError(f"losses_nats must be three numbers whose falls shrink, got {losses_nats!r}")
    first, second, third = losses
    floor = as_float("losses_nats", (first * third - _power(second, 2)) / (first + third - 2 * second))
    if floor < 0:
        raise ValueError(f"losses_nats must fall no slower than a power law above 0, got {losses_nats!r}")
    return ComputeLaw(floor, first - floor, math.log((first - second) / (second - third)) / math.log(ρ), C_0)


def log_log_line(flops: Sequence[float], losses_nats: Sequence[float]) -> ComputeLaw:
    """Return the straight line on logarithmic axes through runs, by least squares of ln ℒ: a law without a floor.

    Formula: $\\alpha_C = -\\frac{\\sum_i (z_i - \\bar z)(y_i - \\bar y)}{\\sum_i (z_i - \\bar z)^2},\\quad
        A_C = \\exp \\bar y,\\quad C_0 = \\exp \\bar z$
    Symbols: z_i = ln of the compute of run i; y_i = ln of its loss, barred their means
    Chapter: 8

    Args:
        flops: operations of each run, two or more, not all alike.
        losses_nats: their losses.

    Returns:
        The law with ℒ_∞ = 0, its reference in the runs' middle.

    Raises:
        ValueError: the losses do not fall.

    Source: least squares.
    Convention: each run counts alike.
    Leaves out: the irreducible loss.

    Example:
        >>> line = log_log_line([1e18, 1e20], [4.0, 2.0])
        >>> round(line.exponent, 4), round(line.reducible_nats, 4), round(line.reference_flops / 1e18, 4)
        (0.1505, 2.8284, 10.0)
    """
    compute, losses = _ladder(flops, losses_nats)
    x, y = [math.log(value) for value in compute], [math.log(value) for value in losses]
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    across = math.fsum((value - x_mean) ** 2 for value in x)
    down = -math.fsum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    if across <= 0 or down <= 0:
        raise ValueError(f"losses_nats must fall as flops grow, got {losses_nats!r:.200}")
    return ComputeLaw(0.0, math.exp(y_mean), down / across, math.exp(x_mean))


def fit_compute_law(flops: Sequence[float], losses_nats: Sequence[float]) -> ComputeLaw:
    """Return the law with a floor that fits runs best, by least squares of relative errors.

    For a given exponent the law is linear in ℒ_∞ and A_C, so two equations give them; the exponent is then searched.

    Formula: $\\min_{\\mathcal L_\\infty \\ge 0, A_C, \\alpha_C}
        \\sum_i \\left(\\frac{\\mathcal L_\\infty + A_C (C_i/C_0)^{-\\alpha_C}}{\\mathcal L_i} - 1\\right)^2$
    Symbols: C_i, ℒ_i = compute and loss of run i; C_0 = their middle
    Chapter: 8

    Args:
        flops: operations of each run, three or more, not all alike.
        losses_nats: their losses.

    Returns:
        The law; without a floor, the straight line, where none above 0 fits better.

    Raises:
        ValueError: the losses do not fall.

    Source: variable projection: the linear constants by least squares, the exponent by search.
    Convention: relative errors, which are those of ln ℒ as long as they are small; each run counts alike.
    Leaves out: outliers, which ``snippets.scaling.loss_surface.surface_fit`` weighs less; exponents beyond 2.

    Example:
        >>> law = fit_compute_law([1e18, 16e18, 256e18], [3.5, 2.5, 2.0])
        >>> round(law.irreducible_nats, 3), round(law.exponent, 3)
        (1.5, 0.25)
    """
    compute, losses = _ladder(flops, losses_nats)
    line = log_log_line(compute, losses)
    if min(compute) / line.reference_flops < _LEAST_SHARE:
        raise ValueError(f"flops must each be at least {_LEAST_SHARE:g} of their geometric mean, got {flops!r:.200}")
    x = [math.log(value / line.reference_flops) for value in compute]
    runs = list(zip(x, losses, strict=True))
    # The error has one valley over the exponent, in practice: a coarse walk finds it, golden section its bottom.
    steps = [_LEAST_EXPONENT * (_MOST_EXPONENT / _LEAST_EXPONENT) ** (step / 60) for step in range(61)]
    best = min(range(61), key=lambda step: _linear_part(runs, steps[step])[0])
    low, high = steps[max(best - 1, 0)], steps[min(best + 1, 60)]
    for _ in range(48):
        left, right = high - (high - low) * 0.6180339887, low + (high - low) * 0.6180339887
        if _linear_part(runs, left)[0] < _linear_part(runs, right)[0]:
            high = right
        else:
            low = left
    α_C = (low + high) / 2
    _, floor, A_C = _linear_part(runs, α_C)
    return ComputeLaw(floor, A_C, α_C, line.reference_flops) if floor > 0 and A_C > 0 else line


def ladder_prediction_error(
    flops: Sequence[float], *, target_flops: float, relative_noise: float, law: ComputeLaw
) -> float:
    """Return the standard error of a ladder's predicted loss, as a share of it, to first order.

    Formula: $\\frac{\\sigma}{\\mathcal L_*} \\sqrt{\\psi_*^{\\mathsf T} \\Psi^{-1} \\psi_*},
        \\quad \\Psi = \\sum_i \\frac{\\psi_i \\psi_i^{\\mathsf T}}{\\mathcal L_i^2},
        \\quad \\psi = \\left(1,\\ z,\\ -A_C z \\ln\\tfrac{C}{C_0}\\right), \\ z = (C/C_0)^{-\\alpha_C}$
    Symbols: ψ_i = derivatives of the loss of run i by ℒ_∞, A_C and α_C; ψ_*, ℒ_* = at the target; σ = relative_noise
    Chapter: 8

    Args:
        flops: operations of each run, repeats allowed, at most 10,000.
        target_flops: of the run to be predicted.
        relative_noise: σ, the standard deviation of a measured loss as a share of it.
        law: about what the ladder looks like.

    Returns:
        The standard error over the predicted loss; infinity with fewer than three different runs.

    Source: the Cramér–Rao bound for three unknowns and normal noise, which least squares reaches for small noise.
    Convention: a share of the loss at the target.
    Leaves out: that the law may be wrong; curvature, where the error is large.

    Example:
        >>> law = ComputeLaw(1.5, 1.0, 0.25, 1e20)
        >>> round(ladder_prediction_error([1e18, 1e19, 1e20], target_flops=1e21, relative_noise=0.01, law=law), 4)
        0.0352
    """
    compute = each("flops", flops, positive_number)
    at_most("the number of flops", len(compute), _MOST_RUNS)
    sigma = positive_number("relative_noise", relative_noise)
    # Gram–Schmidt on the three columns of derivatives, which is steadier than inverting their products.
    rows = [_derivatives("flops", value, law) for value in compute]
    columns = [[row[place] / row[3] for row in rows] for place in range(3)]
    *target, predicted = _derivatives("target_flops", positive_number("target_flops", target_flops), law)
    square = 0.0
    for place in range(3):
        length = math.sqrt(math.fsum(value * value for value in columns[place]))
        if len(set(compute)) < 3 or length < 1e-12:
            return math.inf
        unit = [value / length for value in columns[place]]
        square += (target[place] / length) ** 2
        for later in range(place + 1, 3):
            along = math.fsum(a * b for a, b in zip(unit, columns[later], strict=True))
            columns[later] = [a - along * b for a, b in zip(columns[later], unit, strict=True)]
            target[later] -= along * target[place] / length
    return as_float("target_flops and relative_noise", sigma / predicted * math.sqrt(square))


def _constants(law: ComputeLaw) -> tuple[float, float, float, float]:
    if not isinstance(law, ComputeLaw):
        raise ValueError(f"law must be a ComputeLaw, got {law!r}")
    return law.irreducible_nats, law.reducible_nats, law.exponent, law.reference_flops


def _power(base: float, exponent: float) -> float:
    """Return a power of a number above 0, infinity where a float cannot hold it."""
    try:
        return float(base**exponent)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _derivatives(name: str, flops: float, law: ComputeLaw) -> tuple[float, float, float, float]:
    """Return the derivatives of the loss by ℒ_∞, A_C and α_C, and the loss itself."""
    floor, A_C, α_C, C_0 = _constants(law)
    names = f"{name} and law"
    u = as_float(names, _power(flops / C_0, -α_C))
    return 1.0, u, as_float(names, -A_C * u * math.log(flops / C_0)), as_float(names, floor + A_C * u)


def _ladder(flops: Sequence[float], losses_nats: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    compute, losses = each("flops", flops, positive_number), each("losses_nats", losses_nats, positive_number)
    at_most("the number of flops", len(compute), _MOST_RUNS)
    if len(compute) != len(losses) or len(set(compute)) < 2:
        raise ValueError(
            f"losses_nats must have one loss for each of two or more different flops, got {losses_nats!r:.200}"
        )
    return compute, losses


def _linear_part(runs: list[tuple[float, float]], α_C: float) -> tuple[float, float, float]:
    """Return, for a given exponent, the least sum of squared relative errors and the ℒ_∞ ≥ 0 and A_C that reach it."""
    s = t = q = a = b = 0.0
    for x, loss in runs:
        one, u = 1 / loss, math.exp(-α_C * x) / loss
        s, t, q, a, b = s + one * one, t + one * u, q + u * u, a + one, b + u
    determinant = s * q - t * t
    floor = (a * q - b * t) / determinant if determinant > 1e-14 * s * q else 0.0
    floor = max(floor, 0.0)
    A_C = (b - floor * t) / q
    return math.fsum(((floor + A_C * math.exp(-α_C * x)) / loss - 1) ** 2 for x, loss in runs), floor, A_C
