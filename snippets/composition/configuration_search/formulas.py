"""Formulas: which layouts can be the best, what a benchmark of one more is worth, and which constant decides."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from statistics import NormalDist, median

from snippets.domain import (
    as_float,
    at_most,
    each,
    flag,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
    text,
)

_NORMAL = NormalDist()
_QUARTILE = _NORMAL.inv_cdf(0.75)
_MOST_SPREAD = 2.0  # of a logarithm: one error in three is a factor of 7 or more
_MOST_RATE = 1e3
_GRID = 480
_SPREADS = 8.0  # beyond which the normal distribution holds less than rounding


def pareto_front(seconds: Sequence[float], memory_bytes: Sequence[float]) -> tuple[int, ...]:
    """Return which layouts no other one dominates: those for which nothing is as fast in less memory.

    Also: Pareto frontier, undominated layouts
    Formula: $\\{\\, i : \\nexists j \\;\\; T_j \\le T_i,\\; M_j \\le M_i,\\; (T_j, M_j) \\ne (T_i, M_i) \\,\\}$
    Symbols: T = seconds; M = memory_bytes
    Chapter: 29

    Args:
        seconds: of a step in each layout.
        memory_bytes: that each needs, as many.

    Returns:
        Numbers of the layouts, from 0, the fastest first; of equal ones the first alone.

    Source: Pareto's order, as economists have it.
    Convention: smaller is better in both.
    Leaves out: that times and sizes are not known exactly.

    Example:
        >>> pareto_front([12.0, 13.0, 14.0, 15.0], [70e9, 80e9, 30e9, 30e9])
        (0, 2)
    """
    T, M = _as_many("seconds", seconds, "memory_bytes", memory_bytes)
    front: list[int] = []
    for i in sorted(range(len(T)), key=lambda i: (T[i], M[i], i)):
        if not front or M[i] < M[front[-1]]:
            front.append(i)
    return tuple(front)


def second_run_saving_share(*, lead_share: float, error_spread: float) -> float:
    """Return which share of a step a benchmark of a second layout is expected to save.

    Also: expected improvement, value of a benchmark
    Formula: $\\Phi(-\\lambda) - (1 + q) \\exp(\\sigma^2 / 2)\\, \\Phi(-\\lambda - \\sigma),
        \\quad \\lambda = \\ln(1 + q) / \\sigma$
    Symbols: q = lead_share; \\sigma = error_spread; \\Phi = the normal distribution function
    Chapter: 29

    Args:
        lead_share: by which share the second layout is predicted slower than the first, at least 0.
        error_spread: of the logarithm of measured over predicted, between one layout and the other, at least 0 and at
            most 2.

    Returns:
        The mean of the saving, which is 0 where the second turns out slower; a share of the first layout's step.

    Source: derived in this book; the integral is that of an option's price, Margrabe 1978.
    Convention: the logarithm of the ratio of both errors is normal around 0.
    Leaves out: what the benchmark costs, and that its own clock is not exact.

    Example:
        >>> f"{second_run_saving_share(lead_share=0.06, error_spread=0.12):.1%}"
        '2.3%'
    """
    q = nonnegative_number("lead_share", lead_share)
    σ = number_between("error_spread", error_spread, low=0, high=_MOST_SPREAD)
    λ = math.log1p(q) / σ if σ > 0 else math.inf
    if λ > _SPREADS - σ:
        return 0.0
    return max(0.0, _NORMAL.cdf(-λ) - (1 + q) * math.exp(σ**2 / 2) * _NORMAL.cdf(-λ - σ))


def expected_regret(predicted_s: Sequence[float], *, runs: int, error_spread: float) -> float:
    """Return the expected regret if the layouts that are predicted fastest are run, and the fastest of them is taken.

    Formula: $\\mathbb E \\Bigl[ \\frac{\\min_{i < j} y_i}{\\min_i y_i} \\Bigr] - 1, \\quad
        \\ln y_i \\sim \\mathcal N(\\ln x_i, \\sigma^2)$
    Symbols: x_i = predicted_s, in ascending order; y_i = what would be measured; j = runs; \\sigma = error_spread
    Chapter: 29

    Args:
        predicted_s: steps of all layouts that there are, at most 65,536.
        runs: how many of them are run.
        error_spread: of the logarithm of measured over predicted, at least 0 and at most 2.

    Returns:
        A share: by how much the choice is slower than the best of all, on average.

    Source: derived in this book: both minima have distributions that are products of the layouts' own.
    Convention: errors are independent from layout to layout; a factor that all share cancels.
    Leaves out: errors that some layouts share, which ``error_difference_spread`` measures.

    Example:
        >>> [f"{expected_regret([10.0, 10.2, 11.0], runs=runs, error_spread=0.1):.1%}" for runs in (1, 2, 3)]
        ['6.1%', '0.9%', '0.0%']
    """
    x = sorted(each("predicted_s", predicted_s, positive_number))
    at_most("predicted_s", len(x), 2**16)
    if not x:
        raise ValueError(f"predicted_s must hold one layout or more, got {predicted_s!r}")
    chosen = positive_integer("runs", runs)
    σ = number_between("error_spread", error_spread, low=0, high=_MOST_SPREAD)
    if chosen >= len(x) or σ < 1e-9:
        return 0.0
    return _mean_excess([math.log(each_s / x[0]) for each_s in x], chosen, σ)


def _mean_excess(logs: list[float], chosen: int, σ: float) -> float:
    """Return the mean of max(0, exp(A − B) − 1), A and B being the least logarithms of the chosen and of the others.

    Inside, exp(−b) ∫ exp(a) P(A > a) da over a > b is the mean for a given b; outside, it is averaged over B.
    """
    step = 2 * _SPREADS * σ / _GRID
    grid = [-_SPREADS * σ + step * place for place in range(_GRID + 1)]
    scale = σ * math.sqrt(2)
    reached = [logs[: bisect_left(logs, at + _SPREADS * σ)] for at in grid]  # the others are surely above
    above = [[(1 + math.erf((log - at) / scale)) / 2 for log in near] for at, near in zip(grid, reached, strict=True)]
    first = [math.prod(row[:chosen]) for row in above]
    others = [math.prod(row[chosen:]) for row in above]
    shrink, given, mean = math.exp(-step), 0.0, 0.0
    # From the right, exp(−b) ∫ grows by one cell, which the trapezoid rule gives, and is scaled to the cell's left end.
    for place in range(_GRID - 1, -1, -1):
        before = given
        given = (given + step * first[place + 1] / 2) / shrink + step * first[place] / 2
        mean += (others[place] - others[place + 1]) * (given + before) / 2
    return mean


def error_difference_spread(
    predicted_s: Sequence[float], measured_s: Sequence[float], kinds: Sequence[str], *, same_kind: bool
) -> float:
    """Return how far apart the errors of two layouts are, of one kind or of two.

    Formula: $\\frac{1}{0.6745} \\operatorname{median}_{ij}
        \\left| \\ln \\frac{y_i}{x_i} - \\ln \\frac{y_j}{x_j} \\right|$
    Symbols: x_i = predicted_s; y_i = measured_s; the pairs i, j are those of one kind, or those of two
    Chapter: 29

    Args:
        predicted_s: steps of layouts of one job.
        measured_s: what was measured of each.
        kinds: what each is counted with, ``"t = 8"``.
        same_kind: whether pairs of one kind are taken, or those of two kinds.

    Returns:
        The spread of a normal distribution with that median, so that a few steps that went astray hardly count; 0 where
        all errors are equal.

    Raises:
        ValueError: if there is no such pair.

    Source: definition; 0.6745 is the upper quartile of the normal distribution.
    Convention: logarithms, so that half and double are equally far.
    Leaves out: which of the two is predicted too fast.

    Example:
        >>> kinds = ["t = 4", "t = 4", "t = 8", "t = 8"]
        >>> spread = error_difference_spread([1.0, 2.0, 3.0, 4.0], [1.2, 2.4, 3.0, 4.0], kinds, same_kind=False)
        >>> round(spread, 2), error_difference_spread([1.0, 2.0], [1.0, 2.0], ["a", "a"], same_kind=True)
        (0.27, 0.0)
    """
    x, y = _as_many("predicted_s", predicted_s, "measured_s", measured_s)
    names = each("kinds", kinds, text)
    if len(names) != len(x):
        raise ValueError(f"kinds must have as many entries as predicted_s, {len(x)}, got {len(names)}")
    same_kind = flag("same_kind", same_kind)
    errors = [math.log(b) - math.log(a) for a, b in zip(x, y, strict=True)]
    apart = [
        abs(errors[i] - errors[j]) for i in range(len(errors)) for j in range(i) if (names[i] == names[j]) == same_kind
    ]
    if not apart:
        raise ValueError(f"kinds must hold two layouts of {'one kind' if same_kind else 'two kinds'}, got {names!r}")
    return median(apart) / _QUARTILE


def kind_factors(predicted_s: Sequence[float], measured_s: Sequence[float], kinds: Sequence[str]) -> dict[str, float]:
    """Return by which factor layouts of each kind typically took longer than predicted.

    Also: bias by group, calibration by kind
    Formula: $f_k = \\operatorname{median}_{i \\text{ of kind } k} y_i / x_i$
    Symbols: x_i = predicted_s; y_i = measured_s; k = a kind
    Chapter: 29

    Args:
        predicted_s: steps of layouts of one job.
        measured_s: what was measured of each.
        kinds: what each is counted with, ``"t = 8"``.

    Returns:
        The factor of each kind, in the order in which kinds occur.

    Source: definition.
    Convention: a median, so that a few steps that went astray hardly count.
    Leaves out: how far a factor of one job holds for another.

    Example:
        >>> kind_factors([1.0, 2.0, 3.0], [1.1, 2.2, 3.0], ["t = 4", "t = 4", "t = 8"])
        {'t = 4': 1.1, 't = 8': 1.0}
    """
    x, y = _as_many("predicted_s", predicted_s, "measured_s", measured_s)
    names = each("kinds", kinds, text)
    if len(names) != len(x):
        raise ValueError(f"kinds must have as many entries as predicted_s, {len(x)}, got {len(names)}")
    ratios: dict[str, list[float]] = {}
    for name, said, took in zip(names, x, y, strict=True):
        ratios.setdefault(name, []).append(as_float("predicted_s and measured_s", took / said))
    return {name: median(found) for name, found in ratios.items()}


def best_of_each_kind(predicted_s: Sequence[float], kinds: Sequence[str], *, runs: int) -> tuple[int, ...]:
    """Return which layouts to benchmark: the fastest predicted of each kind, and then the fastest of the rest.

    Formula: $\\{\\, i : x_i = \\min_{j \\text{ of the kind of } i} x_j \\,\\}$
    Symbols: x_i = predicted_s; of these the first runs in ascending order of x
    Chapter: 29

    Args:
        predicted_s: steps of the layouts.
        kinds: what layouts share their errors with, ``"t = 8"``.
        runs: how many are to be run.

    Returns:
        Numbers of the layouts, from 0, in the order in which to run them; all of them, if there are fewer than runs.

    Source: this book: layouts of one kind share their errors, so a second one says little that is new.
    Convention: the first of equal predictions is taken.
    Leaves out: what the first run shows, after which the next could be chosen anew.

    Example:
        >>> best_of_each_kind([10.0, 10.1, 10.5, 11.0], ["t = 4", "t = 4", "t = 8", "t = 8"], runs=3)
        (0, 2, 1)
    """
    x, names = each("predicted_s", predicted_s, positive_number), each("kinds", kinds, text)
    if len(names) != len(x):
        raise ValueError(f"kinds must have as many entries as predicted_s, {len(x)}, got {len(names)}")
    count = positive_integer("runs", runs)
    order = sorted(range(len(x)), key=lambda i: (x[i], i))
    first = {names[i]: i for i in reversed(order)}
    leading = [i for i in order if first[names[i]] == i]
    return tuple((leading + [i for i in order if i not in set(leading)])[:count])


def elasticity(*, less_s: float, more_s: float, less: float, more: float) -> float:
    """Return by how many percent a time changes if a constant changes by one percent.

    Formula: $\\epsilon = \\frac{\\ln (T_2 / T_1)}{\\ln (z_2 / z_1)}$
    Symbols: T_1 = less_s; T_2 = more_s; z_1 = less; z_2 = more
    Chapter: 29

    Args:
        less_s: the time with the smaller constant.
        more_s: the time with the larger one.
        less: the smaller value of the constant.
        more: the larger one, at least a millionth larger.

    Returns:
        Any finite number: −1 where the time goes as one over the constant, 0 where it does not depend on it.

    Source: definition.
    Convention: between the two values, on logarithms.
    Leaves out: that a term may vanish behind another one in between.

    Example:
        >>> round(elasticity(less_s=8.0, more_s=4.0, less=1.0, more=2.0), 6)
        -1.0
    """
    T_1, T_2 = positive_number("less_s", less_s), positive_number("more_s", more_s)
    z_1, z_2 = positive_number("less", less), positive_number("more", more)
    turns = math.log(z_2) - math.log(z_1)
    if turns < 1e-6:
        raise ValueError(f"more must be larger than less, {less!r}, by a millionth at least, got {more!r}")
    return (math.log(T_2) - math.log(T_1)) / turns


def tying_factor(*, lead_share: float, first_elasticity: float, second_elasticity: float) -> float:
    """Return by which factor a constant must change for a slower layout to catch up with a faster one.

    Formula: $(1 + q)^{1 / (\\epsilon_1 - \\epsilon_2)}$
    Symbols: q = lead_share; \\epsilon_1 = first_elasticity; \\epsilon_2 = second_elasticity
    Chapter: 29

    Args:
        lead_share: by which share the second layout is slower, at least 0.
        first_elasticity: of the faster layout's time, from −1,000 to 1,000; may be 0 or negative.
        second_elasticity: of the slower one's, from −1,000 to 1,000; may be 0 or negative.

    Returns:
        A factor; infinity or 0 where no change that fits a float ties them, as with equal elasticities.

    Source: (1 + q) f^ε₂ = f^ε₁.
    Convention: below 1 where the constant has to fall.
    Leaves out: that elasticities change with the constant, so far factors are rough.

    Example:
        >>> round(tying_factor(lead_share=0.1, first_elasticity=0.0, second_elasticity=-0.2), 2)
        1.61
    """
    q = nonnegative_number("lead_share", lead_share)
    ε_1, ε_2 = (
        number_between(name, value, low=-_MOST_RATE, high=_MOST_RATE)
        for name, value in (("first_elasticity", first_elasticity), ("second_elasticity", second_elasticity))
    )
    if q == 0:
        return 1.0
    if ε_1 == ε_2:
        return math.inf
    exponent = math.log1p(q) / (ε_1 - ε_2)
    return math.exp(exponent) if exponent < 700 else math.inf


def _as_many(
    name: str, values: Sequence[float], other: str, others: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    ours, theirs = each(name, values, positive_number), each(other, others, positive_number)
    if len(ours) != len(theirs) or not ours:
        raise ValueError(f"{other} must have as many entries as {name}, {len(ours)}, got {len(theirs)}")
    return ours, theirs
