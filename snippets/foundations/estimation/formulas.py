"""Formulas: the range of a product whose factors are known to ranges, what each contributes, and how a range is scored.

A range is written as its two ends, and stands for the middle 80% of what its author thinks possible, unless said
otherwise. Everything is computed in natural logarithms, in which a product is a sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from snippets.domain import as_float, each, number_between, positive_number, text_fields

COVERAGE = 0.8  # of a range: one truth in ten lies below it, one above
_FARTHEST = 700.0  # of a logarithm, so that its power of e is still a float
_SURE = 1e-9  # how near a coverage may come to 0 or 1


@dataclass(frozen=True)
class Factor:
    """One factor of a product, known to a range, with the power in which it occurs.

    Attributes:
        name: what it is.
        low: the range's lower end, above 0.
        high: its upper end, at least ``low``.
        power: from −100 to 100, 0 too: 1 where it multiplies, −1 where it divides, 2 where it occurs squared.

    Raises:
        ValueError: if an end is not above 0, ``high`` is below ``low``, or ``power`` is out of its range.

    >>> Factor("share of the peak", 0.3, 0.5, power=-1).power
    -1
    """

    name: str
    low: float
    high: float
    power: float = 1

    def __post_init__(self) -> None:
        text_fields(self, "name")
        _range(self.low, self.high)
        number_between("power", self.power, low=-100, high=100)


def geometric_middle(*, low: float, high: float) -> float:
    """Return the middle of a range on a logarithmic axis.

    Formula: $\\mu = \\sqrt{y o}$
    Symbols: μ = the result; y = low; o = high
    Chapter: 7

    Args:
        low: lower end, above 0.
        high: upper end, at least ``low``.

    Returns:
        The geometric mean of the ends, as many times above the one as below the other.

    Source: definition.
    Convention: any unit; that of the ends.
    Leaves out: nothing: it is a definition.

    Example:
        >>> round(geometric_middle(low=0.3, high=0.5), 3)
        0.387
    """
    a, b = _range(low, high)
    return math.sqrt(a) * math.sqrt(b)


def log_half_width(*, low: float, high: float) -> float:
    """Return how far the ends of a range lie from its middle, in natural logarithms.

    Formula: $\\omega = \\tfrac12 \\ln\\frac{o}{y}$
    Symbols: ω = the result; y = low; o = high
    Chapter: 7

    Args:
        low: lower end, above 0.
        high: upper end, at least ``low``.

    Returns:
        The half-width; e to its power is the factor f of "within a factor of f".

    Source: definition.
    Convention: natural logarithm.
    Leaves out: nothing: it is a definition.

    Example:
        >>> round(log_half_width(low=0.5, high=2), 3)
        0.693
    """
    a, b = _range(low, high)
    return (math.log(b) - math.log(a)) / 2


def product_range(factors: Sequence[Factor]) -> tuple[float, float]:
    """Return the range of a product of independent factors.

    Also: Fermi estimate
    Formula: $\\prod_i \\mu_i^{\\nu_i} \\cdot \\exp(\\pm \\omega),
        \\quad \\omega = \\sqrt{\\sum_i (\\nu_i \\omega_i)^2}$
    Symbols: μ_i, ω_i = middle and logarithmic half-width of a factor; ν_i = its power
    Chapter: 7

    Args:
        factors: each a ``Factor``; their ranges have one coverage, whichever it is.

    Returns:
        The ends of the product's range, of the same coverage.

    Raises:
        ValueError: if there is no factor, or the ends leave what a float can hold.

    Source: variances of independent terms add (chapter A2), here those of logarithms; exact where each factor is
        lognormal, its range centred.
    Convention: a range's ends are its quantiles on either side, equally far out.
    Leaves out: factors that err together.

    Example:
        >>> two = Factor("one", 0.5, 2), Factor("other", 0.5, 2)
        >>> [round(end, 3) for end in product_range(two)]
        [0.375, 2.665]
    """
    checked = _factors(factors)
    log_middle = math.fsum(f.power * math.log(geometric_middle(low=f.low, high=f.high)) for f in checked)
    w = math.sqrt(math.fsum((f.power * log_half_width(low=f.low, high=f.high)) ** 2 for f in checked))
    if abs(log_middle) + w > _FARTHEST:
        raise ValueError("factors must have a product that a float can hold, got one beyond 1e300 or below 1e-300")
    return math.exp(log_middle - w), math.exp(log_middle + w)


def variance_shares(factors: Sequence[Factor]) -> tuple[float, ...]:
    """Return which share of the product's uncertainty each factor causes.

    Formula: $\\frac{(\\nu_i \\omega_i)^2}{\\sum_j (\\nu_j \\omega_j)^2}$
    Symbols: ω_i = logarithmic half-width of a factor; ν_i = its power
    Chapter: 7

    Args:
        factors: each a ``Factor``.

    Returns:
        Shares of the variance of the product's logarithm, in the order of the factors; all 0 where all are exact.

    Raises:
        ValueError: if there is no factor.

    Source: variances of independent terms add.
    Convention: shares of squares: they add up to 1, the half-widths themselves do not.
    Leaves out: factors that err together.

    Example:
        >>> [round(share, 3) for share in variance_shares([Factor("one", 1, 2), Factor("other", 1, 16)])]
        [0.059, 0.941]
    """
    squares = [(f.power * log_half_width(low=f.low, high=f.high)) ** 2 for f in _factors(factors)]
    total = math.fsum(squares)
    return tuple(square / total if total else 0.0 for square in squares)


def interval_score(*, low: float, high: float, truth: float, coverage: float = COVERAGE) -> float:
    """Return the interval score of a range in logarithms: its width, and a fine where the truth lies outside.

    Also: Winkler score
    Formula: $J = \\ln\\frac{o}{y} + \\frac{2}{1-\\kappa} \\left( \\left[\\ln\\frac{y}{q}\\right]_+
        + \\left[\\ln\\frac{q}{o}\\right]_+ \\right)$
    Symbols: J = the result; y = low; o = high; q = truth; κ = coverage; [·]₊ is 0 for negative numbers
    Chapter: 7

    Args:
        low: lower end, above 0.
        high: upper end, at least ``low``.
        truth: what turned out, above 0.
        coverage: share of the truths that such ranges are to contain, from 1e-9 to 1 − 1e-9.

    Returns:
        The score; lower is better, 0 the best.

    Source: Gneiting and Raftery 2007, equation 43, on logarithms; their α is 1 − c.
    Convention: natural logarithm; negatively oriented.
    Leaves out: where in the range the truth lies.

    Example:
        >>> round(interval_score(low=1, high=10, truth=5), 3), round(interval_score(low=1, high=10, truth=20), 3)
        (2.303, 9.234)
    """
    a, b = (math.log(end) for end in _range(low, high))
    x, c = math.log(positive_number("truth", truth)), _coverage(coverage)
    return b - a + 2 / (1 - c) * (max(0.0, a - x) + max(0.0, x - b))


def normal_interval_score(*, log_sigma: float, log_half_width: float, coverage: float = COVERAGE) -> float:
    """Return the expected interval score of a centred range when the logarithm of the truth is normal.

    Formula: $2\\omega + \\frac{4}{1-\\kappa}
        \\left( \\sigma\\,\\varphi(\\omega/\\sigma) - \\omega\\,\\Phi(-\\omega/\\sigma) \\right)$
    Symbols: ω = log_half_width; \\sigma = log_sigma; κ = coverage; \\varphi and \\Phi = density and distribution
        function of the standard normal
    Chapter: 7

    Args:
        log_sigma: standard deviation of the truth's natural logarithm around the range's middle.
        log_half_width: half-width of the range in natural logarithms, at least 0.
        coverage: as in ``interval_score``.

    Returns:
        The expectation; least where w is the quantile zσ with Φ(z) = (1 + c)/2, and there 4σφ(z)/(1 − c).

    Source: the expectation of ``interval_score``, with E[(X − w)₊] = σφ(w/σ) − wΦ(−w/σ).
    Convention: natural logarithm.
    Leaves out: a middle that is off.

    Example:
        >>> round(normal_interval_score(log_sigma=1, log_half_width=1.2815515655), 3)
        3.51
    """
    sigma, c = positive_number("log_sigma", log_sigma), _coverage(coverage)
    w = number_between("log_half_width", log_half_width, low=0, high=1e30)
    normal = NormalDist()
    beyond = sigma * normal.pdf(w / sigma) - w * normal.cdf(-w / sigma)
    return as_float("log_sigma and log_half_width", 2 * w + 4 / (1 - c) * beyond)


def best_log_half_width(*, log_sigma: float, coverage: float = COVERAGE) -> float:
    """Return the half-width that an honest author of a range reports.

    Formula: $\\omega = z\\sigma$
    Symbols: ω = the result; \\sigma = log_sigma; z = the standard normal's quantile at (1 + κ)/2; κ = coverage
    Chapter: 7

    Args:
        log_sigma: standard deviation of the truth's natural logarithm.
        coverage: as in ``interval_score``.

    Returns:
        The half-width in natural logarithms whose range contains a share ``coverage`` of the truths.

    Source: definition of the quantile.
    Convention: natural logarithm.
    Leaves out: other distributions than the normal.

    Example:
        >>> round(best_log_half_width(log_sigma=1), 4)
        1.2816
    """
    z = NormalDist().inv_cdf((1 + _coverage(coverage)) / 2)
    return as_float("log_sigma", z * positive_number("log_sigma", log_sigma))


def _range(low: float, high: float) -> tuple[float, float]:
    a, b = positive_number("low", low), positive_number("high", high)
    if b < a:
        raise ValueError(f"high must be a finite number of at least low = {low!r}, got {high!r}")
    return a, b


def _coverage(coverage: float) -> float:
    return number_between("coverage", coverage, low=_SURE, high=1 - _SURE)


def _factors(factors: Sequence[Factor]) -> Sequence[Factor]:
    checked = each("factors", factors, _factor)
    if not checked:
        raise ValueError("factors must hold one factor or more, got none")
    return checked


def _factor(name: str, value: Factor) -> Factor:
    if not isinstance(value, Factor):
        raise ValueError(f"{name} must be a Factor, got {value!r}")
    return value
