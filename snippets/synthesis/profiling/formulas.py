"""Formulas: from the peak to the achieved rate by losses, who waits for whom, and how sure a mean of step times is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from snippets.domain import (
    Answers,
    as_count,
    as_float,
    at_most,
    each,
    finite_number,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
)

MOST_RANKS = 100_000
MOST_STEPS = 1_000_000
_ROUNDING = 1e-9
_OF_MATMULS = "matmul_flops and recomputed_flops at achievable_share of peak_flops_per_s"
_GIVEN = {
    "other_kernel_s": ("other kernels", 2),
    "copies_s": ("copies to and from the host", 24),
    "transfer_s": ("exposed transfers", 33),
    "waiting_s": ("waiting for other ranks", 6),
    "bubble_s": ("pipeline bubble", 18),
    "data_s": ("waiting for data", 4),
}


@dataclass(frozen=True)
class UtilizationLoss(Answers):
    """One bar of the waterfall from the peak to the achieved rate: what it is, its seconds, its share of the step.

    Attributes:
        name: what the time goes to.
        seconds: of the step.
        share: of the step, so that all of them add up to 1.
        chapter: of this book, which explains it.

    >>> UtilizationLoss("recomputation", 0.1, 0.25, 23).share
    0.25
    """

    name: str
    seconds: float
    share: float
    chapter: int


def utilization_waterfall(
    *,
    step_s: float,
    peak_flops_per_s: float,
    matmul_flops: float,
    matmul_s: float,
    achievable_share: float = 1.0,
    recomputed_flops: float = 0.0,
    attention_flops: float = 0.0,
    attention_s: float = 0.0,
    other_kernel_s: float = 0.0,
    copies_s: float = 0.0,
    transfer_s: float = 0.0,
    waiting_s: float = 0.0,
    bubble_s: float = 0.0,
    data_s: float = 0.0,
) -> tuple[UtilizationLoss, ...]:
    """Return what a step's time goes to, from the model's FLOPs at the peak to what is left idle; it adds up to all.

    The first share is the MFU. What nobody names is idle.

    Formula: $1 = \\frac{F}{PT} + \\sum_j \\frac{T_j}{T}$
    Symbols: F = the model's FLOPs, those of the matmuls and of the attention; P = peak_flops_per_s; T = time of the
        step; T_j = time of each loss: recomputed FLOPs at the peak; matmuls beyond their FLOPs at the peak, in two
        parts, up to the achievable share and beyond it; the attention beyond its own; and what was given in seconds
    Chapter: 35

    Args:
        step_s: the step of one rank.
        peak_flops_per_s: of its GPU, dense, in the format of its matmuls.
        matmul_flops: the model's FLOPs in matmuls of weights on this rank, forward and backward.
        matmul_s: time of these kernels, recomputed ones too.
        achievable_share: share of the peak that the best matmuls reach, above 0 and at most 1.
        recomputed_flops: matmul FLOPs that recomputation adds, at least 0.
        attention_flops: the model's FLOPs in the attention's products, at least 0.
        attention_s: time of the attention's kernels, at least 0.
        other_kernel_s: time of all other kernels, at least 0.
        copies_s: exposed copies between GPU and host, at least 0.
        transfer_s: exposed communication while data is on the way, at least 0.
        waiting_s: exposed communication in which a rank waits for others, at least 0.
        bubble_s: idle time of the pipeline, at least 0.
        data_s: waiting for the data loader, at least 0.

    Returns:
        Twelve losses, the first of them the useful part; shares add up to 1.

    Raises:
        ValueError: the parts are longer than the step, or kernels are faster than their FLOPs allow.

    Source: derived in this book; MFU as in Chowdhery et al. 2022, appendix B.
    Convention: seconds are exposed ones, each instant counted once.
    Leaves out: that a loss hides another: removing one may uncover communication that it hid.

    Example:
        >>> bars = utilization_waterfall(
        ...     step_s=2.0, peak_flops_per_s=100.0, matmul_flops=80.0, matmul_s=1.25, achievable_share=0.8, data_s=0.5
        ... )
        >>> [(bar.name, round(bar.share, 3)) for bar in bars if bar.share > 1e-9]
        [('model FLOPs at the peak', 0.4), ('lost by good matmuls too', 0.1), ('matmuls below good ones', 0.125), \
('waiting for data', 0.25), ('idle', 0.125)]
    """
    step, peak = positive_number("step_s", step_s), positive_number("peak_flops_per_s", peak_flops_per_s)
    reached = number_between("achievable_share", achievable_share, low=0, high=1)
    positive_number("achievable_share", reached)
    useful = positive_number("matmul_flops", matmul_flops) / peak
    again = nonnegative_number("recomputed_flops", recomputed_flops) / peak
    scores = nonnegative_number("attention_flops", attention_flops) / peak
    kernels, fused = positive_number("matmul_s", matmul_s), nonnegative_number("attention_s", attention_s)
    _not_faster("matmul_s", kernels, (useful + again) / reached, _OF_MATMULS)
    _not_faster("attention_s", fused, scores, "attention_flops at peak_flops_per_s")
    others = {
        "other_kernel_s": other_kernel_s,
        "copies_s": copies_s,
        "transfer_s": transfer_s,
        "waiting_s": waiting_s,
        "bubble_s": bubble_s,
        "data_s": data_s,
    }
    spent = {"matmul_s": kernels, "attention_s": fused}
    spent |= {name: nonnegative_number(name, seconds) for name, seconds in others.items()}
    given = tuple((name, spent[part], chapter) for part, (name, chapter) in _GIVEN.items())
    losses = (
        ("model FLOPs at the peak", useful + scores, 1),
        ("recomputation", again, 23),
        ("lost by good matmuls too", (useful + again) * (1 / reached - 1), 32),
        ("matmuls below good ones", max(0.0, kernels - (useful + again) / reached), 2),
        ("attention below the peak", max(0.0, fused - scores), 19),
        *given,
    )
    idle = step - sum(spent.values())
    if idle < -_ROUNDING * step:
        parts = ", ".join(f"{name} {seconds:.6g}" for name, seconds in spent.items())
        raise ValueError(f"step_s must be at least the sum of its parts ({parts}), got {step_s!r}")
    return tuple(
        UtilizationLoss(name, seconds, seconds / step, chapter)
        for name, seconds, chapter in (*losses, ("idle", max(0.0, idle), 35))
    )


def _not_faster(name: str, seconds: float, least_s: float, work: str) -> None:
    if seconds < least_s * (1 - _ROUNDING):
        raise ValueError(f"{name} must be at least {least_s:.6g}, the time of {work}, got {seconds!r}")


def most_saved_s(*, slice_s: float, times_faster: float) -> float:
    """Return what a change of one slice of the step saves at most.

    Also: Amdahl's law
    Formula: $T_j\\,(1 - 1/f)$
    Symbols: T_j = slice_s; f = times_faster
    Chapter: 35

    Args:
        slice_s: exposed seconds of what is made faster, at least 0.
        times_faster: by what factor, at least 1; ``math.inf`` removes it.

    Returns:
        Seconds. Less is saved where the slice hid something that then sticks out.

    Source: Amdahl 1967, as a difference of times.
    Convention: exposed seconds.
    Leaves out: what becomes exposed.

    Example:
        >>> most_saved_s(slice_s=0.2, times_faster=2.0)
        0.1
    """
    seconds = nonnegative_number("slice_s", slice_s)
    if isinstance(times_faster, float) and times_faster == math.inf:
        return seconds
    factor = positive_number("times_faster", times_faster)
    if factor < 1:
        raise ValueError(f"times_faster must be at least 1, got {times_faster!r}")
    return seconds * (1 - 1 / factor)


def collective_waits_s(arrivals_s: Sequence[float]) -> tuple[float, ...]:
    """Return how long each rank waits in a collective until the last one has arrived.

    Formula: $\\max_i y_i - y_r$
    Symbols: y_r = when rank r begins the collective, of arrivals_s
    Chapter: 35

    Args:
        arrivals_s: for each rank when its kernel of the collective begins, on one clock, any finite number; at least
            one and at most 100,000.

    Returns:
        Seconds by rank; the last to arrive waits for 0.

    Source: derived; the rank that waits least is the straggler.
    Convention: one clock; traces of several hosts have to be aligned first, by the collective's common end.
    Leaves out: collectives that let early ranks go before the last has come (a broadcast's root).

    Example:
        >>> collective_waits_s([1.0, 4.0, 2.0])
        (3.0, 0.0, 2.0)
    """
    arrivals = _some("arrivals_s", arrivals_s, MOST_RANKS)
    last = max(arrivals)
    return tuple(as_float("arrivals_s", last - arrival) for arrival in arrivals)


def straggler_cost_s(arrivals_s: Sequence[float]) -> float:
    """Return how much sooner a collective could begin if its last rank came with the second-last.

    Formula: $y_{(R)} - y_{(R-1)}$
    Symbols: y_{(R)}, y_{(R-1)} = the last and the second-last arrival, of arrivals_s
    Chapter: 35

    Args:
        arrivals_s: for each rank when its kernel of the collective begins, any finite number; at least two and at
            most 100,000.

    Returns:
        Seconds: what mending this one rank saves at most.

    Source: derived.
    Convention: as in ``collective_waits_s``.
    Leaves out: other collectives of the step.

    Example:
        >>> straggler_cost_s([1.0, 4.0, 2.0])
        2.0
    """
    arrivals = _some("arrivals_s", arrivals_s, MOST_RANKS)
    if len(arrivals) < 2:
        raise ValueError(f"arrivals_s must have at least 2 ranks, got {len(arrivals)}")
    *_, second, last = sorted(arrivals)
    return as_float("arrivals_s", last - second)


@dataclass(frozen=True)
class StepStatistics(Answers):
    """What many steps' times say.

    Attributes:
        steps: how many.
        median_s: half of them take longer.
        mean_s: their mean, which the run's time follows.
        deviation_s: standard deviation of one step.
        slow_s: 95 in 100 take no longer.
        standard_error_s: of the mean, if steps are independent.
        autocorrelation: of neighbours, from −1 to 1; 0 where all steps are equal.

    >>> step_statistics([1.0, 2.0, 3.0]).median_s
    2.0
    """

    steps: int
    median_s: float
    mean_s: float
    deviation_s: float
    slow_s: float
    standard_error_s: float
    autocorrelation: float


def step_statistics(step_times_s: Sequence[float]) -> StepStatistics:
    """Return mean, median, spread and what neighbours have to do with each other, of many steps' times.

    Formula: $\\sigma^2 = \\frac{1}{S-1} \\sum_i (T_i - \\bar T)^2, \\quad \\sigma_{\\bar T} = \\sigma / \\sqrt S$
    Symbols: S = the number of step_times_s; T_i = the steps' times; \\bar T = their mean; \\sigma_{\\bar T} = the
        standard error of the mean
    Chapter: 35

    Args:
        step_times_s: at least two steps, at most 1,000,000.

    Returns:
        The statistics.

    Source: Appendix A2 of this book.
    Convention: the standard deviation with S − 1; the slow one is the smallest time that 95 in 100 do not exceed.
    Leaves out: trends: warm-up steps belong taken out before.

    Example:
        >>> found = step_statistics([1.0, 1.0, 1.0, 5.0])
        >>> found.mean_s, found.median_s, found.deviation_s, found.slow_s
        (2.0, 1.0, 2.0, 5.0)
    """
    times = _some("step_times_s", step_times_s, MOST_STEPS, positive_number)
    count = len(times)
    if count < 2:
        raise ValueError(f"step_times_s must have at least 2 steps, got {count}")
    in_order, mean = sorted(times), math.fsum(times) / count
    off = [seconds - mean for seconds in times]
    squares = as_float("step_times_s", sum(value * value for value in off))
    deviation = math.sqrt(squares / (count - 1))
    neighbours = math.fsum(one * two for one, two in pairwise(off))
    return StepStatistics(
        steps=count,
        median_s=(in_order[(count - 1) // 2] + in_order[count // 2]) / 2,
        mean_s=as_float("step_times_s", mean),
        deviation_s=as_float("step_times_s", deviation),
        slow_s=in_order[math.ceil(0.95 * count) - 1],
        standard_error_s=deviation / math.sqrt(count),
        autocorrelation=neighbours / squares if squares else 0.0,
    )


def steps_to_see_change(*, relative_deviation: float, change: float, sigmas: float = 2.0) -> int:
    """Return how many steps before, and as many after, show that a change of the mean is no chance.

    Formula: $S = 2\\,\\Bigl(\\frac{z\\,\\sigma}{\\delta}\\Bigr)^2$
    Symbols: S = steps; z = sigmas; \\sigma = relative_deviation; \\delta = change
    Chapter: 35

    Args:
        relative_deviation: standard deviation of a step's time, as a share of its mean, at least 0.
        change: the relative change of the mean that is to be seen.
        sigmas: how many standard errors of the difference it has to exceed.

    Returns:
        Steps of each of the two runs, at least 1.

    Source: Appendix A2 of this book: the variance of a difference of two means is 2σ²/S.
    Convention: independent steps, equal spread before and after.
    Leaves out: what differs between runs from step to step alike: machines, clocks, the warm-up's trend.

    Example:
        >>> steps_to_see_change(relative_deviation=0.015, change=0.01)
        18
    """
    spread = nonnegative_number("relative_deviation", relative_deviation)
    seen, z = positive_number("change", change), positive_number("sigmas", sigmas)
    ratio = z * spread / seen
    needed = as_float("relative_deviation, change and sigmas", 2 * ratio * ratio)  # ** 2 would raise, not be infinite
    return positive_integer("the steps", max(1, as_count("the steps", math.ceil(needed * (1 - _ROUNDING)))))


def _some(
    name: str, values: Sequence[float], most: int, check: Callable[[str, object], float] = finite_number
) -> tuple[float, ...]:
    checked = each(name, values, check)
    if not checked:
        raise ValueError(f"{name} must have at least 1 entry, got 0")
    at_most(f"the number of {name}", len(checked), most)
    return checked
