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
    """L(C) = E + K (C/C₀)^−γ.

    Attributes:
        irreducible_nats: E, at least 0; with 0 the law is a straight line on logarithmic axes.
        reducible_nats: K, the loss above E at the reference.
        exponent: γ.
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

    Formula: $E + K \\left(\\frac{C}{C_0}\\right)^{-\\gamma}$
    Symbols: C = flops; E, K, γ, C_0 = the law's constants
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
    E, K, gamma, C_0 = _constants(law)
    C = positive_number("flops", flops)
    return as_float("flops and law", E + K * _power(C / C_0, -gamma))


def log_log_slope(flops: float, *, law: ComputeLaw) -> float:
    """Return the slope of a ladder on logarithmic axes, at one of its runs.

    Formula: $-\\gamma \\left(1 - \\frac{E}{L}\\right)$
    Symbols: L = the loss at C = flops; E, γ = the law's constants
    Chapter: 8

    Args:
        flops: operations of the run.
        law: the ladder's law.

    Returns:
        The slope, below 0: −0.05 means that 1% more compute lowers the loss by 0.05%.

    Source: the derivative of ``compute_law_loss_nats``.
    Convention: change of ln L per change of ln C.
    Leaves out: nothing: it is exact.

    Example:
        >>> log_log_slope(16e20, law=ComputeLaw(1.5, 1.0, 0.25, 1e20))
        -0.0625
    """
    E, _, gamma, _ = _constants(law)
    L = compute_law_loss_nats(flops, law=law)
    return -gamma * (1 - E / positive_number("flops and law must give a loss that", L))


def compute_multiple(*, loss_nats: float, gain_nats: float, irreducible_nats: float, exponent: float) -> float:
    """Return how many times the compute lowers a loss by a gain.

    Formula: $\\left(\\frac{L - E}{L - E - g}\\right)^{1/\\gamma}$
    Symbols: L = loss_nats; g = gain_nats; E = irreducible_nats; γ = exponent
    Chapter: 8

    Args:
        loss_nats: of the run that there is, above ``irreducible_nats``.
        gain_nats: by how much the loss is to fall, at least 0.
        irreducible_nats: E, at least 0.
        exponent: γ.

    Returns:
        The factor on the compute; infinity where the gain would reach E or pass it.

    Source: ``compute_law_loss_nats``, solved for the compute.
    Convention: along the ladder, so parameters and tokens both grow.
    Leaves out: other ways to the same gain.

    Example:
        >>> compute_multiple(loss_nats=2.5, gain_nats=0.5, irreducible_nats=1.5, exponent=0.25)
        16.0
    """
    L, E = positive_number("loss_nats", loss_nats), nonnegative_number("irreducible_nats", irreducible_nats)
    g, gamma = nonnegative_number("gain_nats", gain_nats), positive_number("exponent", exponent)
    if L <= E:
        raise ValueError(f"loss_nats must be a number above irreducible_nats = {irreducible_nats!r}, got {loss_nats!r}")
    if g >= L - E:
        return math.inf
    return as_float("gain_nats and exponent", _power((L - E) / (L - E - g), 1 / gamma))


def three_run_law(losses_nats: Sequence[float], *, first_flops: float, ratio: float) -> ComputeLaw:
    """Return the law through three runs of which each has so many times the compute of the one before.

    Formula: $E = \\frac{L_1 L_3 - L_2^2}{L_1 + L_3 - 2 L_2},\\quad
        \\gamma = \\frac{\\ln\\frac{L_1 - L_2}{L_2 - L_3}}{\\ln r}$
    Symbols: L_1, L_2, L_3 = losses_nats; r = ratio
    Chapter: 8

    Args:
        losses_nats: three losses, falling, the second fall smaller than the first, and no less than a power law's.
        first_flops: operations of the first run.
        ratio: r, above 1.

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
    C_0, r = positive_number("first_flops", first_flops), positive_number("ratio", ratio)
    if r <= 1:
        raise ValueError(f"ratio must be a number above 1, got {ratio!r}")
    if len(losses) != 3 or not losses[0] - losses[1] > losses[1] - losses[2] > 0:
        raise ValueError(f"losses_nats must be three numbers whose falls shrink, got {losses_nats!r}")
    first, second, third = losses
    E = as_float("losses_nats", (first * third - _power(second, 2)) / (first + third - 2 * second))
    if E < 0:
        raise ValueError(f"losses_nats must fall no slower than a power law above 0, got {losses_nats!r}")
    return ComputeLaw(E, first - E, math.log((first - second) / (second - third)) / math.log(r), C_0)


def log_log_line(flops: Sequence[float], losses_nats: Sequence[float]) -> ComputeLaw:
    """Return the straight line on logarithmic axes through runs, by least squares of ln L: a law without a floor.

    Formula: $\\gamma = -\\frac{\\sum_i (x_i - \\bar x)(y_i - \\bar y)}{\\sum_i (x_i - \\bar x)^2},\\quad
        K = e^{\\bar y},\\quad C_0 = e^{\\bar x}$
    Symbols: x_i = ln of the compute of run i; y_i = ln of its loss, barred their means
    Chapter: 8

    Args:
        flops: operations of each run, two or more, not all alike.
        losses_nats: their losses.

    Returns:
        The law with E = 0, its reference in the runs' middle.

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

    For a given exponent the law is linear in E and K, so that two equations give them; the exponent is then searched.

    Formula: $\\min_{E \\ge 0, K, \\gamma} \\sum_i \\left(\\frac{E + K (C_i/C_0)^{-\\gamma}}{L_i} - 1\\right)^2$
    Symbols: C_i, L_i = compute and loss of run i; C_0 = their middle
    Chapter: 8

    Args:
        flops: operations of each run, three or more, not all alike.
        losses_nats: their losses.

    Returns:
        The law; without a floor, the straight line, where none above 0 fits better.

    Raises:
        ValueError: the losses do not fall.

    Source: variable projection: the linear constants by least squares, the exponent by search.
    Convention: relative errors, which are those of ln L as long as they are small; each run counts alike.
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
    gamma = (low + high) / 2
    _, E, K = _linear_part(runs, gamma)
    return ComputeLaw(E, K, gamma, line.reference_flops) if E > 0 and K > 0 else line


def ladder_prediction_error(
    flops: Sequence[float], *, target_flops: float, relative_noise: float, law: ComputeLaw
) -> float:
    """Return the standard error of a ladder's predicted loss, as a share of it, to first order.

    Formula: $\\frac{\\sigma}{L_t} \\sqrt{g_t^{\\mathsf T} M^{-1} g_t},
        \\quad M = \\sum_i \\frac{g_i g_i^{\\mathsf T}}{L_i^2},
        \\quad g = \\left(1,\\ u,\\ -K u \\ln\\tfrac{C}{C_0}\\right), \\ u = (C/C_0)^{-\\gamma}$
    Symbols: g_i = derivatives of the loss of run i by E, K and γ; g_t = at the target; σ = relative_noise
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
    """Return the derivatives of the loss by E, K and γ, and the loss itself."""
    E, K, gamma, C_0 = _constants(law)
    names = f"{name} and law"
    u = as_float(names, _power(flops / C_0, -gamma))
    return 1.0, u, as_float(names, -K * u * math.log(flops / C_0)), as_float(names, E + K * u)


def _ladder(flops: Sequence[float], losses_nats: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    compute, losses = each("flops", flops, positive_number), each("losses_nats", losses_nats, positive_number)
    at_most("the number of flops", len(compute), _MOST_RUNS)
    if len(compute) != len(losses) or len(set(compute)) < 2:
        raise ValueError(
            f"losses_nats must have one loss for each of two or more different flops, got {losses_nats!r:.200}"
        )
    return compute, losses


def _linear_part(runs: list[tuple[float, float]], gamma: float) -> tuple[float, float, float]:
    """Return, for a given exponent, the least sum of squared relative errors and the E ≥ 0 and K that reach it."""
    s = t = q = a = b = 0.0
    for x, loss in runs:
        one, u = 1 / loss, math.exp(-gamma * x) / loss
        s, t, q, a, b = s + one * one, t + one * u, q + u * u, a + one, b + u
    determinant = s * q - t * t
    E = (a * q - b * t) / determinant if determinant > 1e-14 * s * q else 0.0
    E = max(E, 0.0)
    K = (b - E * t) / q
    return math.fsum(((E + K * math.exp(-gamma * x)) / loss - 1) ** 2 for x, loss in runs), E, K
