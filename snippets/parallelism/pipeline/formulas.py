"""Formulas: what a pipeline costs: bubbles, step times, activations in flight and messages, in closed form.

Symbols that recur: p = stages, one on each device; m = micro-batches of a step; v = model chunks on each device. Times
are of one micro-batch through all that a device holds, so that a chunk takes 1/v of them. Shares are floats; times are
of the type that is given, so that fractions stay exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from snippets.domain import as_count, as_float, flag, integer_at_least, named, nonnegative_exact, positive_integer

Time: TypeAlias = int | float | Fraction

# Copies of the model's weights that a device holds, in units of its share: bidirectional schedules hold two.
PARAMETER_COPIES = {
    "gpipe": 1,
    "one_f_one_b": 1,
    "interleaved": 1,
    "zb_h1": 1,
    "zb_h2": 1,
    "dualpipev": 1,
    "gems": 2,
    "chimera": 2,
    "dualpipe": 2,
}
SCHEDULES = tuple(PARAMETER_COPIES)
# What the field calls a schedule besides.
ALIASES = {
    "1F1B": "one_f_one_b",
    "PipeDream-Flush": "one_f_one_b",
    "DAPPLE": "one_f_one_b",
    "interleaved 1F1B": "interleaved",
    "zero bubble H1": "zb_h1",
    "ZB1P": "zb_h1",
    "zero bubble H2": "zb_h2",
}


def _finite(names: str, time: Time) -> Time:
    """Return a time, exact where it is, or raise ``ValueError`` where no float can hold it."""
    number = as_float(names, time)
    return number if isinstance(time, float) else time


def _sizes(stages: Any, micro_batches: Any, chunks: Any = 1) -> tuple[int, int, int]:
    """Return p, m and v, or raise: interleaving needs a micro-batch for each stage."""
    stages, micro_batches = positive_integer("stages", stages), positive_integer("micro_batches", micro_batches)
    chunks = positive_integer("chunks", chunks)
    if chunks > 1 and micro_batches < stages:
        raise ValueError(
            f"micro_batches must be at least stages ({stages}) when chunks is above 1, got {micro_batches}"
        )
    return stages, micro_batches, chunks


def _stage(stage: Any, stages: int) -> int:
    number = integer_at_least("stage", stage, 0)
    if number >= stages:
        raise ValueError(f"stage must be an integer from 0 to {stages - 1}, got {stage!r}")
    return number


def gpipe_bubble_share(*, stages: int, micro_batches: int) -> float:
    """Return GPipe's bubble as a share of the step: idle time over total time.

    Formula: $\\frac{p-1}{m+p-1}$
    Symbols: p = stages; m = micro_batches
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.

    Returns:
        The share, from 0 to 1.

    Source: Huang et al. 2019 (GPipe), section 2.3.
    Convention: share of the total, as GPipe quotes it; ``pipeline_bubble_overhead`` is relative to the ideal.
    Leaves out: messages, uneven stages, recomputation.

    Example:
        >>> f"{gpipe_bubble_share(stages=8, micro_batches=32):.1%}"
        '17.9%'
    """
    p, m, _ = _sizes(stages, micro_batches)
    return (p - 1) / (m + p - 1)


def one_f_one_b_bubble_share(*, stages: int, micro_batches: int) -> float:
    """Return 1F1B's bubble as a share of the whole step, idle time included; it is GPipe's, only the memory differs.

    Also: pipeline bubble, bubble fraction, 1F1B bubble
    Formula: $\\frac{p-1}{m+p-1}$
    Symbols: p = stages; m = micro_batches
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.

    Returns:
        The share, from 0 to 1.

    Source: Narayanan et al. 2021, section 2.2.1; Fan et al. 2021 (DAPPLE).
    Convention: share of the total; ``pipeline_bubble_overhead`` is relative to the ideal.
    Leaves out: messages, uneven stages, recomputation.

    Example:
        >>> f"{one_f_one_b_bubble_share(stages=16, micro_batches=48):.1%}"
        '23.8%'
    """
    p, m, _ = _sizes(stages, micro_batches)
    return (p - 1) / (m + p - 1)


def interleaved_bubble_share(*, stages: int, micro_batches: int, chunks: int) -> float:
    """Return the bubble of interleaved 1F1B as a share of the step.

    Also: virtual pipeline bubble
    Formula: $\\frac{p-1}{vm+p-1}$
    Symbols: p = stages; m = micro_batches; v = chunks
    Chapter: 18

    Args:
        stages: pipeline stages in the sense of devices.
        micro_batches: micro-batches of a step; with ``chunks`` above 1, at least ``stages``.
        chunks: model chunks on each device; 1 gives 1F1B.

    Returns:
        The share, from 0 to 1.

    Source: Narayanan et al. 2021, section 2.2.2.
    Convention: share of the total; ``pipeline_bubble_overhead`` is relative to the ideal.
    Leaves out: messages, uneven stages, recomputation.

    Example:
        >>> f"{interleaved_bubble_share(stages=8, micro_batches=32, chunks=4):.1%}"
        '5.2%'
    """
    p, m, v = _sizes(stages, micro_batches, chunks)
    return (p - 1) / (v * m + p - 1)


def pipeline_bubble_overhead(*, stages: int, micro_batches: int, chunks: int = 1) -> float:
    """Return the bubble on top of the ideal: idle time over working time.

    Formula: $\\frac{p-1}{vm}$
    Symbols: p = stages; m = micro_batches; v = chunks
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step; with ``chunks`` above 1, at least ``stages``.
        chunks: model chunks on each device; 1 for GPipe and 1F1B.

    Returns:
        The overhead, at least 0 and possibly above 1.

    Source: Narayanan et al. 2021, section 2.2.1 and 2.2.2.
    Convention: relative to the ideal, as Megatron quotes it; the functions named share are shares of the total.
    Leaves out: messages, uneven stages, recomputation.

    Example:
        >>> f"{pipeline_bubble_overhead(stages=8, micro_batches=32):.1%}"
        '21.9%'
    """
    p, m, v = _sizes(stages, micro_batches, chunks)
    return (p - 1) / (v * m)


def pipeline_idle_share(*, bubble_s: Time, work_s: Time) -> float:
    """Return the share of a step that is bubble, for a bubble and a working time of one device.

    Formula: $\\frac{T_{\\text{bubble}}}{T_{\\text{bubble}} + T_{\\text{work}}}$
    Symbols: T_{\\text{bubble}} = bubble_s; T_{\\text{work}} = work_s
    Chapter: 18

    Args:
        bubble_s: idle time, at least 0.
        work_s: working time, at least 0.

    Returns:
        The share, from 0 to 1.

    Source: Qi et al. 2023, the bubble rate of its experiments.
    Convention: share of the total.
    Leaves out: nothing.

    Example:
        >>> f"{pipeline_idle_share(bubble_s=7, work_s=72):.1%}"
        '8.9%'
    """
    bubble_s, work_s = nonnegative_exact("bubble_s", bubble_s), nonnegative_exact("work_s", work_s)
    if not bubble_s + work_s:
        raise ValueError("work_s must be above 0 where bubble_s is 0, got 0")
    return as_float("bubble_s and work_s", Fraction(bubble_s) / (Fraction(bubble_s) + Fraction(work_s)))


def pipeline_speedup(*, stages: int, micro_batches: int, chunks: int = 1) -> float:
    """Return how many times as fast p devices are as one: p without the bubble's share.

    Formula: $\\frac{p\\,vm}{vm+p-1}$
    Symbols: p = stages; m = micro_batches; v = chunks
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step; with ``chunks`` above 1, at least ``stages``.
        chunks: model chunks on each device.

    Returns:
        The speed-up over one device that does the same micro-batches, from 1 to p.

    Source: follows from ``interleaved_bubble_share``.
    Convention: equal stages.
    Leaves out: messages, and what a measured baseline of other micro-batch sizes changes (GPipe, table 2).

    Example:
        >>> round(pipeline_speedup(stages=8, micro_batches=32), 2)
        6.56
    """
    p, m, v = _sizes(stages, micro_batches, chunks)
    return p * v * m / (v * m + p - 1)


def least_micro_batches(
    *,
    stages: int,
    bubble: int | float | Fraction | str,
    chunks: int = 1,
    at_most: bool = False,
    convention: str = "share",
) -> int:
    """Return the fewest micro-batches whose bubble is below a limit (or at most the limit).

    Formula: $m > \\frac{(p-1)(1-\\rho)}{\\rho\\,v} \\;\\text{ or }\\; m > \\frac{p-1}{\\rho\\,v}$
    Symbols: m = the result; p = stages; \\rho = bubble; v = chunks; the first for convention "share", the second for
        "overhead"; ≥ for > with at_most
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        bubble: the limit, above 0; below 1 for a share. A float counts as the decimal that it prints (0.05 is 1/20,
            although no binary float is).
        chunks: model chunks on each device; above 1, the result is at least ``stages``.
        at_most: whether a bubble equal to the limit will do.
        convention: ``"share"`` of the total or ``"overhead"`` on the ideal.

    Returns:
        Micro-batches, at least 1.

    Source: follows from ``interleaved_bubble_share`` and ``pipeline_bubble_overhead``.
    Convention: strictly below, unless ``at_most``; share of the total, unless ``convention`` says otherwise.
    Leaves out: Megatron's rule that m be a multiple of p when chunks are interleaved in groups of p.

    Example:
        >>> least_micro_batches(stages=8, bubble=0.05), least_micro_batches(stages=8, bubble=0.05, at_most=True)
        (134, 133)
    """
    p, v = positive_integer("stages", stages), positive_integer("chunks", chunks)
    convention = named("convention", convention, ("share", "overhead"))
    limit = _limit(bubble, convention)
    at_most = flag("at_most", at_most)
    threshold = (p - 1) * (1 - limit if convention == "share" else 1) / (limit * v)
    least = math.ceil(threshold) if at_most else math.floor(threshold) + 1
    return as_count("stages and bubble", max(least, p if v > 1 else 1))


def _limit(bubble: Any, convention: str) -> Fraction:
    """Return a bubble as the fraction that it is written as."""
    allowed = "above 0 and below 1" if convention == "share" else "above 0"
    try:
        if isinstance(bubble, bool):
            raise TypeError
        limit = Fraction(repr(float(bubble)) if isinstance(bubble, float) else bubble)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"bubble must be a number {allowed}, got {bubble!r}") from None
    if limit <= 0 or (convention == "share" and limit >= 1):
        raise ValueError(f"bubble must be a number {allowed}, got {bubble!r}")
    return limit


def pipeline_bubble_s(*, stages: int, forward_s: Time, backward_s: Time, chunks: int = 1) -> Time:
    """Return the time that every device idles in a step of GPipe, 1F1B or interleaved 1F1B.

    Formula: $\\frac{(p-1)(T_F+T_B)}{v}$
    Symbols: p = stages; T_F = forward_s; T_B = backward_s; v = chunks
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        forward_s: forward of one micro-batch through all chunks of a device, at least 0.
        backward_s: its whole backward, at least 0.
        chunks: model chunks on each device.

    Returns:
        Seconds of each device.

    Source: Narayanan et al. 2021, sections 2.2.1 and 2.2.2.
    Convention: per device; B is the whole backward.
    Leaves out: messages, uneven stages. It does not depend on the number of micro-batches.

    Example:
        >>> pipeline_bubble_s(stages=8, forward_s=1.0, backward_s=2.0, chunks=2)
        10.5
    """
    p, v = positive_integer("stages", stages), positive_integer("chunks", chunks)
    F, B = nonnegative_exact("forward_s", forward_s), nonnegative_exact("backward_s", backward_s)
    return _finite("forward_s and backward_s", (p - 1) * (F + B)) / v


def pipeline_step_time_s(
    *, stages: int, micro_batches: int, forward_s: Time, backward_s: Time, chunks: int = 1
) -> Time:
    """Return the time of a step of GPipe, 1F1B or interleaved 1F1B with equal stages and free messages.

    Formula: $\\Bigl(m+\\frac{p-1}{v}\\Bigr)(T_F+T_B) = \\frac{(vm+p-1)(T_F+T_B)}{v}$
    Symbols: p = stages; m = micro_batches; v = chunks; T_F = forward_s; T_B = backward_s, the whole backward pass
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step; with ``chunks`` above 1, at least ``stages``.
        forward_s: forward of one micro-batch through all chunks of a device, at least 0.
        backward_s: its whole backward, at least 0.
        chunks: model chunks on each device; 1 for GPipe and 1F1B.

    Returns:
        Seconds.

    Source: Narayanan et al. 2021, section 2.2.
    Convention: forward and backward add up; (m + p − 1)·max(T_F, T_B) is no step's time.
    Leaves out: messages (``gpipe_exposed_message_s``, ``one_f_one_b_exposed_message_s``), uneven stages, the optimizer.

    Example:
        >>> pipeline_step_time_s(stages=4, micro_batches=8, forward_s=1, backward_s=2)
        33.0
    """
    p, m, v = _sizes(stages, micro_batches, chunks)
    F, B = nonnegative_exact("forward_s", forward_s), nonnegative_exact("backward_s", backward_s)
    return _finite("forward_s and backward_s", (v * m + p - 1) * (F + B)) / v


def gpipe_exposed_message_s(*, stages: int, message_s: Time) -> Time:
    """Return what messages add to a step of GPipe: one trip down the pipeline and one back.

    Formula: $2(p-1)\\,T_{\\text{msg}}$
    Symbols: p = stages; T_{\\text{msg}} = message_s
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        message_s: time of one message between neighbours, at least 0.

    Returns:
        Seconds.

    Source: derived here; the simulator agrees for all sizes that the tests draw.
    Convention: transfers overlap with computation and do not share links.
    Leaves out: what sending costs the devices.

    Example:
        >>> gpipe_exposed_message_s(stages=4, message_s=2)
        12
    """
    p, c = positive_integer("stages", stages), nonnegative_exact("message_s", message_s)
    return _finite("message_s", 2 * (p - 1) * c)


def one_f_one_b_exposed_message_s(*, stages: int, micro_batches: int, message_s: Time) -> Time:
    """Return what messages add to a step of 1F1B: a round trip for every p micro-batches, not one for all.

    At most p micro-batches are under way, so the next waits until the first of them is back. Overlap with computation
    does not hide this; more warm-up forwards would, at the price of memory.

    Formula: $2\\,T_{\\text{msg}}\\,\\Bigl\\lfloor \\frac{(p-1)(m+p-1)}{p} \\Bigr\\rfloor$
    Symbols: p = stages; m = micro_batches; T_{\\text{msg}} = message_s
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.
        message_s: time of one message between neighbours, at least 0.

    Returns:
        Seconds.

    Source: derived here; the simulator agrees for all sizes and times that the tests draw.
    Convention: equal stages; transfers overlap with computation and do not share links.
    Leaves out: what sending costs the devices.

    Example:
        >>> one_f_one_b_exposed_message_s(stages=4, micro_batches=13, message_s=1)
        24
    """
    p, m, _ = _sizes(stages, micro_batches)
    c = nonnegative_exact("message_s", message_s)
    return _finite("message_s", 2 * c * ((p - 1) * (m + p - 1) // p))


def _stage_times(forward_s: Any, backward_s: Any) -> tuple[list[Time], list[Time]]:
    """Return the two sequences of one time for each stage, checked."""
    for name, times in (("forward_s", forward_s), ("backward_s", backward_s)):
        if not isinstance(times, Sequence) or isinstance(times, str | bytes) or not times:
            raise ValueError(f"{name} must be a sequence of one time for each stage, got {times!r}")
    if len(forward_s) != len(backward_s):
        raise ValueError(f"backward_s must have as many stages as forward_s ({len(forward_s)}), got {len(backward_s)}")
    forward = [nonnegative_exact(f"forward_s[{stage}]", time) for stage, time in enumerate(forward_s)]
    backward = [nonnegative_exact(f"backward_s[{stage}]", time) for stage, time in enumerate(backward_s)]
    return forward, backward


def gpipe_step_time_s(
    *, forward_s: Sequence[Time], backward_s: Sequence[Time], micro_batches: int, message_s: Time = 0
) -> Time:
    """Return the time of a GPipe step whose stages differ: the slowest stage sets the pace, all are passed once.

    Formula: $\\sum_i (T_{F,i}+T_{B,i}) + (m-1)(\\max_i T_{F,i}+\\max_i T_{B,i}) + 2(p-1)\\,T_{\\text{msg}}$
    Symbols: T_{F,i} = forward_s[i]; T_{B,i} = backward_s[i]; m = micro_batches; T_{\\text{msg}} = message_s;
        p = number of stages
    Chapter: 18

    Args:
        forward_s: forward of one micro-batch, for each stage.
        backward_s: its whole backward, for each stage.
        micro_batches: micro-batches of a step.
        message_s: time of one message between neighbours.

    Returns:
        Seconds.

    Source: the flow shop with equal jobs, once for each direction; derived here.
    Convention: transfers overlap with computation and do not share links.
    Leaves out: recomputation; the optimizer step.

    Example:
        >>> gpipe_step_time_s(forward_s=[1, 1, 2, 1], backward_s=[2, 2, 4, 2], micro_batches=8)
        57
    """
    forward, backward = _stage_times(forward_s, backward_s)
    p, m = len(forward), positive_integer("micro_batches", micro_batches)
    c = nonnegative_exact("message_s", message_s)
    step = sum(forward) + sum(backward) + (m - 1) * (max(forward) + max(backward)) + 2 * (p - 1) * c
    return _finite("forward_s, backward_s and message_s", step)


def pipeline_step_time_bound_s(
    *, forward_s: Sequence[Time], backward_s: Sequence[Time], micro_batches: int, message_s: Time = 0
) -> Time:
    """Return a time that no schedule with one stage on each device and an unsplit backward can beat.

    Before stage i works, a micro-batch must reach it; after its last backward, the gradient must leave it.

    Formula: $\\max_i \\Bigl( m(T_{F,i}+T_{B,i}) + \\sum_{j<i} (T_{F,j}+T_{B,j}) + 2\\,i\\,T_{\\text{msg}} \\Bigr)$
    Symbols: T_{F,i} = forward_s[i]; T_{B,i} = backward_s[i]; m = micro_batches; T_{\\text{msg}} = message_s;
        i = stage, from 0
    Chapter: 18

    Args:
        forward_s: forward of one micro-batch, for each stage.
        backward_s: its whole backward, for each stage.
        micro_batches: micro-batches of a step.
        message_s: time of one message between neighbours.

    Returns:
        Seconds.

    Source: derived here.
    Convention: GPipe and 1F1B meet it when stages are equal and messages free.
    Leaves out: schedules that split the backward, or place several stages on a device: they can be faster.

    Example:
        >>> pipeline_step_time_bound_s(forward_s=[1, 1, 2, 1], backward_s=[2, 2, 4, 2], micro_batches=8)
        54
    """
    forward, backward = _stage_times(forward_s, backward_s)
    m, c = positive_integer("micro_batches", micro_batches), nonnegative_exact("message_s", message_s)
    works = [f + b for f, b in zip(forward, backward, strict=True)]
    bound = max(m * works[s] + sum(works[:s]) + 2 * s * c for s in range(len(works)))
    return _finite("forward_s, backward_s and message_s", bound)


def _split_times(forward_s: Any, input_gradient_s: Any, weight_gradient_s: Any) -> tuple[Time, Time, Time]:
    """Return the three times of a split step, or raise: W must fit where F and B leave a gap."""
    f, b = nonnegative_exact("forward_s", forward_s), nonnegative_exact("input_gradient_s", input_gradient_s)
    w = nonnegative_exact("weight_gradient_s", weight_gradient_s)
    if w > f or w > b:
        raise ValueError(f"weight_gradient_s must be at most forward_s ({f}) and input_gradient_s ({b}), got {w}")
    return f, b, w


def zb_h1_bubble_s(*, stages: int, forward_s: Time, input_gradient_s: Time, weight_gradient_s: Time) -> Time:
    """Return the bubble of ZB-H1, from m ≥ p micro-batches on.

    Formula: $(p-1)(T_F+T_B-T_W)$
    Symbols: p = stages; T_F = forward_s; T_B = input_gradient_s; T_W = weight_gradient_s
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        forward_s: forward of one micro-batch.
        input_gradient_s: its backward with respect to the stage's input alone.
        weight_gradient_s: its backward with respect to the weights, from 0 to the shorter of the other two.

    Returns:
        Seconds of each device.

    Raises:
        ValueError: if ``stages`` is no integer of at least 1, a time is no finite number of at least 0, or
            ``weight_gradient_s`` is longer than one of the others: then the schedule does not reach the formula.

    Source: Qi et al. 2023, table 2. The same row in DeepSeek-V3's table, (PP−1)(F+B−2W), has the whole backward as B.
    Convention: B is the input's gradient alone; per device, the optimizer step synchronized.
    Leaves out: messages, uneven stages.

    Example:
        >>> zb_h1_bubble_s(stages=8, forward_s=10, input_gradient_s=11, weight_gradient_s=9)
        84
    """
    p = positive_integer("stages", stages)
    F, B, W = _split_times(forward_s, input_gradient_s, weight_gradient_s)
    return _finite("forward_s and input_gradient_s", (p - 1) * (F + B - W))


def zb_h2_bubble_s(*, stages: int, forward_s: Time, input_gradient_s: Time, weight_gradient_s: Time) -> Time:
    """Return the bubble of ZB-H2 between a device's own start and end, from m ≥ 2p − 1 micro-batches on.

    Formula: $(p-1)(T_F+T_B-2\\,T_W)$
    Symbols: p = stages; T_F = forward_s; T_B = input_gradient_s; T_W = weight_gradient_s
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        forward_s: forward of one micro-batch.
        input_gradient_s: its backward with respect to the stage's input alone.
        weight_gradient_s: its backward with respect to the weights, from 0 to the shorter of the other two.

    Returns:
        Seconds of the device with the largest bubble.

    Raises:
        ValueError: if ``stages`` is no integer of at least 1, a time is no finite number of at least 0, or
            ``weight_gradient_s`` is longer than one of the others: then the schedule does not reach the formula.

    Source: Qi et al. 2023, table 2.
    Convention: B is the input's gradient alone; devices start and end at different moments, so the optimizer step must
        not wait for all of them. If it does, ZB-H2 gains nothing over ZB-H1 where F = B = W.
    Leaves out: messages, uneven stages.

    Example:
        >>> zb_h2_bubble_s(stages=8, forward_s=10, input_gradient_s=11, weight_gradient_s=9)
        21
    """
    p = positive_integer("stages", stages)
    F, B, W = _split_times(forward_s, input_gradient_s, weight_gradient_s)
    return _finite("forward_s and input_gradient_s", (p - 1) * (F + B - 2 * W))


def _even(name: str, value: Any) -> int:
    number = positive_integer(name, value)
    if number % 2:
        raise ValueError(f"{name} must be an even integer of at least 2, got {number}")
    return number


def dualpipe_bubble_s(*, stages: int, overlapped_s: Time, backward_s: Time, weight_gradient_s: Time) -> Time:
    """Return the bubble that DualPipe's table states.

    Formula: $\\Bigl(\\frac{p}{2}-1\\Bigr)(T_{F\\&B}+T_{B+W}-3\\,T_W)$
    Symbols: p = stages; T_{F\\&B} = overlapped_s; T_{B+W} = backward_s; T_W = weight_gradient_s
    Chapter: 18

    Args:
        stages: pipeline stages, one a device; even.
        overlapped_s: a forward and a whole backward of opposite directions, run as one overlapped block.
        backward_s: a whole backward alone; at most ``overlapped_s``.
        weight_gradient_s: the part of it for the weights, from 0 to half of ``backward_s``.

    Returns:
        Seconds of each device.

    Raises:
        ValueError: if ``stages`` is no even integer of at least 2, a time is no finite number of at least 0, or the
            times contradict each other.

    Source: DeepSeek-AI 2024 (DeepSeek-V3), table 2.
    Convention: T_{B+W} is the whole backward, which the paper writes B.
    Leaves out: messages; that input gradients can leave before the block ends (then the bubble is smaller).

    Example:
        >>> dualpipe_bubble_s(stages=8, overlapped_s=3, backward_s=2, weight_gradient_s=1)
        6
    """
    p = _even("stages", stages)
    both, B, W = _overlapped_times(overlapped_s, backward_s, weight_gradient_s)
    return _finite("overlapped_s and backward_s", (p // 2 - 1) * (both + B - 3 * W))


def _overlapped_times(overlapped_s: Any, backward_s: Any, weight_gradient_s: Any) -> tuple[Time, Time, Time]:
    """Return the three times of a DualPipe, or raise where they contradict each other."""
    both, b = nonnegative_exact("overlapped_s", overlapped_s), nonnegative_exact("backward_s", backward_s)
    w = nonnegative_exact("weight_gradient_s", weight_gradient_s)
    if both < b:
        raise ValueError(f"overlapped_s must be at least backward_s ({backward_s}), got {overlapped_s}")
    if 2 * w > b:
        raise ValueError(
            f"weight_gradient_s must be at most half of backward_s ({backward_s}), got {weight_gradient_s}"
        )
    return both, b, w


def dualpipev_bubble_s(*, stages: int, overlapped_s: Time, backward_s: Time, weight_gradient_s: Time) -> Time:
    """Return DualPipeV's bubble: that of a DualPipe of twice the stages, folded in the middle.

    Formula: $(p-1)(T_{F\\&B}+T_{B+W}-3\\,T_W)$
    Symbols: p = stages; T_{F\\&B} = overlapped_s; T_{B+W} = backward_s; T_W = weight_gradient_s
    Chapter: 18

    Args:
        stages: pipeline stages in the sense of devices; each has two of the model's 2p chunks.
        overlapped_s: a forward and a whole backward of a *chunk*, run as one overlapped block.
        backward_s: a whole backward of a chunk alone; at most ``overlapped_s``.
        weight_gradient_s: the part of it for the weights, from 0 to half of ``backward_s``.

    Returns:
        Seconds of each device.

    Raises:
        ValueError: also if the times contradict each other.

    Source: DeepSeek-AI 2024, table 2, for 2p stages; the public DualPipe code calls the fold DualPipeV.
    Convention: B is the whole backward; times are of a chunk, half of what a device holds.
    Leaves out: messages; that input gradients can leave before the block ends (then the bubble is smaller).

    Example:
        >>> dualpipev_bubble_s(stages=4, overlapped_s=3, backward_s=2, weight_gradient_s=1)
        6
    """
    p = positive_integer("stages", stages)
    both, B, W = _overlapped_times(overlapped_s, backward_s, weight_gradient_s)
    return _finite("overlapped_s and backward_s", (p - 1) * (both + B - 3 * W))


def chimera_bubble_share(*, stages: int, micro_batches: int) -> float:
    """Return Chimera's bubble as a share of the step, with forward and backward slots of equal length.

    Formula: $\\frac{p-2}{2m+p-2}$
    Symbols: p = stages; m = micro_batches (the paper's D and N)
    Chapter: 18

    Args:
        stages: pipeline stages, one of each direction on a device; even.
        micro_batches: micro-batches of a step, both directions together; a multiple of ``stages``.

    Returns:
        The share, from 0 to 1.

    Source: Li and Hoefler 2021 (Chimera), table 2.
    Convention: share of the total; F = B. With B = 2F and one unit (m = p) it is (p − 2)/(3m/2 + p − 2).
    Leaves out: the bubbles between units when the backward is longer than the forward.

    Example:
        >>> chimera_bubble_share(stages=4, micro_batches=4)
        0.2
    """
    p, m = _even("stages", stages), positive_integer("micro_batches", micro_batches)
    if m % p:
        raise ValueError(f"micro_batches must be a multiple of stages ({p}), got {m}")
    return (p - 2) / (2 * m + p - 2)


def gems_bubble_share(*, stages: int) -> float:
    """Return GEMS's bubble as a share of the step: two micro-batches of opposite directions are under way at most.

    Formula: $\\frac{p-1}{p+1/2}$
    Symbols: p = stages (the paper's D)
    Chapter: 18

    Args:
        stages: pipeline stages, one of each direction on a device.

    Returns:
        The share, from 0 to 1. It does not depend on the number of micro-batches.

    Source: Li and Hoefler 2021 (Chimera), table 2, there as an approximation.
    Convention: share of the total; forward and backward slots of equal length.
    Leaves out: what happens at the ends of a step.

    Example:
        >>> round(gems_bubble_share(stages=4), 3)
        0.667
    """
    p = positive_integer("stages", stages)
    return (p - 1) / (p + 1 / 2)


def gpipe_peak_activations(*, micro_batches: int) -> int:
    """Return how many micro-batches' activations every GPipe stage holds at its peak: all of them.

    Formula: $m$
    Symbols: m = micro_batches
    Chapter: 18

    Args:
        micro_batches: micro-batches of a step.

    Returns:
        Micro-batches in flight, on every stage.

    Source: Huang et al. 2019 (GPipe), figure 2(c).
    Convention: a micro-batch counts from the start of its forward to the end of its backward.
    Leaves out: recomputation, which keeps m inputs of a stage and one micro-batch's activations.

    Example:
        >>> gpipe_peak_activations(micro_batches=64)
        64
    """
    return positive_integer("micro_batches", micro_batches)


def one_f_one_b_peak_activations(*, stages: int, micro_batches: int, stage: int = 0) -> int:
    """Return how many micro-batches' activations a stage of 1F1B holds at its peak: at most p, however many there are.

    Also: 1F1B peak, in-flight micro-batches
    Formula: $\\min(m, p-i)$
    Symbols: p = stages; m = micro_batches; i = stage
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.
        stage: which stage, from 0, the first and fullest.

    Returns:
        Micro-batches in flight on that stage.

    Source: Narayanan et al. 2021, section 2.2.1.
    Convention: a micro-batch counts from the start of its forward to the end of its backward.
    Leaves out: nothing.

    Example:
        >>> [one_f_one_b_peak_activations(stages=4, micro_batches=64, stage=i) for i in range(4)]
        [4, 3, 2, 1]
    """
    p, m, _ = _sizes(stages, micro_batches)
    return min(m, p - _stage(stage, p))


def interleaved_peak_activations(
    *, stages: int, micro_batches: int, chunks: int, stage: int = 0, group: int | None = None
) -> int:
    """Return how many chunk activations a device of interleaved 1F1B holds at its peak: its warm-up and one more.

    Formula: $\\min\\bigl(vm,\\; 2(p-i-1)+(v-1)q+1\\bigr)$
    Symbols: p = stages; m = micro_batches; v = chunks; i = stage; q = group
    Chapter: 18

    Args:
        stages: pipeline stages in the sense of devices.
        micro_batches: micro-batches of a step.
        chunks: model chunks on each device.
        stage: which device, from 0, the first and fullest.
        group: micro-batches that pass a chunk before the next chunk's turn; by default ``stages``.

    Returns:
        Micro-batches of one *chunk* in flight; v of them are as large as one micro-batch of all of a device's layers.

    Raises:
        ValueError: if a size is no integer of at least 1, ``stage`` is none of 0 … p − 1, ``group`` is below
            ``stages``, or the last group is cut to fewer than ``stages`` micro-batches.

    Source: Megatron-LM, ``get_pp_rank_microbatches`` (warm-up counts).
    Convention: a micro-batch counts on a chunk from the start of its forward there to the end of its backward.
    Leaves out: the extra warm-up forward that Megatron-LM adds when it overlaps expert-parallel messages.

    Example:
        >>> interleaved_peak_activations(stages=8, micro_batches=24, chunks=3)
        31
    """
    p, m = positive_integer("stages", stages), positive_integer("micro_batches", micro_batches)
    v, s = positive_integer("chunks", chunks), _stage(stage, p)
    g = p if group is None else positive_integer("group", group)
    if g < p:
        raise ValueError(f"group must be an integer of at least stages ({p}), got {g}")
    if 0 < m % g < p:
        raise ValueError(
            f"micro_batches must be a multiple of group ({g}) or leave at least stages ({p}) over, got {m}"
        )
    return min(v * m, 2 * (p - s - 1) + (v - 1) * g + 1)


def interleaved_memory_factor(*, stages: int, chunks: int) -> float:
    """Return how much more activation memory the first stage needs with interleaving than with 1F1B.

    Formula: $1+\\frac{p-1}{pv}$
    Symbols: p = stages; v = chunks
    Chapter: 18

    Args:
        stages: pipeline stages in the sense of devices.
        chunks: model chunks on each device; at least 2, since 1F1B, with one, is what the factor compares with.

    Returns:
        The factor.

    Source: Korthikanti et al. 2022, section 4.2.3, where chunks are called m.
    Convention: relative to p micro-batches of all of the first device's layers.
    Leaves out: steps with fewer micro-batches than fill the warm-up.

    Example:
        >>> round(interleaved_memory_factor(stages=8, chunks=3), 3)
        1.292
    """
    p, v = positive_integer("stages", stages), integer_at_least("chunks", chunks, 2)
    return 1 + (p - 1) / (p * v)


def zb_h1_peak_activations(*, stages: int, micro_batches: int) -> int:
    """Return how many micro-batches' activations every ZB-H1 stage holds at its peak: as many as 1F1B's first.

    Formula: $\\min(m, p)$
    Symbols: p = stages; m = micro_batches
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.

    Returns:
        Micro-batches in flight, on every stage.

    Source: Qi et al. 2023, table 2 (p·M_B; M_B is our A_B).
    Convention: a micro-batch counts in full from the start of F to the end of W.
    Leaves out: that B releases a part (A_B − A_W), which lowers the peak of all stages but the first.

    Example:
        >>> zb_h1_peak_activations(stages=8, micro_batches=24)
        8
    """
    p, m, _ = _sizes(stages, micro_batches)
    return min(m, p)


def zb_h2_peak_activations(*, stages: int, micro_batches: int) -> int:
    """Return how many micro-batches' activations every ZB-H2 stage holds at its peak.

    Formula: $\\min(m, 2p-1)$
    Symbols: p = stages; m = micro_batches
    Chapter: 18

    Args:
        stages: pipeline stages, one a device.
        micro_batches: micro-batches of a step.

    Returns:
        Micro-batches in flight, on every stage.

    Source: Qi et al. 2023, table 2 ((2p − 1)·M_B; M_B is our A_B).
    Convention: a micro-batch counts in full from the start of F to the end of W.
    Leaves out: that B releases a part (A_B − A_W).

    Example:
        >>> zb_h2_peak_activations(stages=8, micro_batches=24)
        15
    """
    p, m, _ = _sizes(stages, micro_batches)
    return min(m, 2 * p - 1)


def chimera_peak_activations(*, stages: int, stage: int = 0) -> int:
    """Return how many micro-batches' activations a device of Chimera holds at its peak, both directions together.

    Formula: $\\frac{p}{2}+1+\\min(i, p-1-i)$
    Symbols: p = stages; i = stage
    Chapter: 18

    Args:
        stages: pipeline stages, one of each direction on a device; even.
        stage: which device, from 0; the middle ones are the fullest.

    Returns:
        Micro-batches of one stage in flight: from p/2 + 1 at the ends to p in the middle.

    Source: Li and Hoefler 2021 (Chimera), table 2, gives the range (D/2 + 1)·M_a to D·M_a.
    Convention: a micro-batch counts from the start of its forward to the end of its backward.
    Leaves out: the second copy of the weights.

    Example:
        >>> [chimera_peak_activations(stages=4, stage=i) for i in range(4)]
        [3, 4, 4, 3]
    """
    p = _even("stages", stages)
    s = _stage(stage, p)
    return p // 2 + 1 + min(s, p - 1 - s)


def dualpipe_peak_activations(*, stages: int) -> int:
    """Return how many micro-batches' activations every device of DualPipe holds at its peak.

    Formula: $p+1$
    Symbols: p = stages
    Chapter: 18

    Args:
        stages: pipeline stages, one of each direction on a device; even.

    Returns:
        Micro-batches of one stage in flight, both directions together.

    Source: DeepSeek-AI 2024 (DeepSeek-V3), table 2 (PP + 1).
    Convention: a micro-batch counts from the start of F to the end of its weight gradient.
    Leaves out: the second copy of the weights.

    Example:
        >>> dualpipe_peak_activations(stages=8)
        9
    """
    return _even("stages", stages) + 1


def pipeline_messages(*, stages: int, micro_batches: int, chunks: int = 1, placement: str = "loop") -> int:
    """Return how many messages a step sends between devices, forward and backward together.

    Formula: $2m(pv-1) \\;\\text{ or }\\; 2mv(p-1)$
    Symbols: p = stages; m = micro_batches; v = chunks; the second for placement "v"; none where p = 1
    Chapter: 18

    Args:
        stages: pipeline stages in the sense of devices.
        micro_batches: micro-batches of a step, of all directions together.
        chunks: model chunks on each device.
        placement: ``"loop"``, where the last device sends on to the first (Megatron's interleaving), or ``"v"``, where
            the model turns at the ends, so that neighbouring chunks meet on one device (ZB-V, DualPipeV).

    Returns:
        Messages of all devices.

    Source: Narayanan et al. 2021, section 2.2.2.
    Convention: every message carries one micro-batch's activations, or their gradient, at a stage's edge.
    Leaves out: the all-reduce of the weights' gradients.

    Example:
        >>> pipeline_messages(stages=4, micro_batches=8), pipeline_messages(stages=4, micro_batches=8, chunks=2)
        (48, 112)
    """
    p, m = positive_integer("stages", stages), positive_integer("micro_batches", micro_batches)
    v = positive_integer("chunks", chunks)
    edges = p * v - 1 if named("placement", placement, ("loop", "v")) == "loop" else v * (p - 1)
    return 2 * m * edges if p > 1 else 0


def pipeline_message_bytes(
    *, micro_batch: int, sequence: int, hidden: int, element_bytes: int = 2, tensor_parallel: int = 1
) -> int:
    """Return the size of one message: a micro-batch's activations at a stage's edge, or their gradient.

    Formula: $\\frac{b\\,s\\,h\\,w}{t}$
    Symbols: b = micro_batch; s = sequence; h = hidden; w = element_bytes; t = tensor_parallel
    Chapter: 18

    Args:
        micro_batch: sequences of a micro-batch.
        sequence: tokens of each.
        hidden: width of the residual stream.
        element_bytes: bytes of one number.
        tensor_parallel: ranks of a stage that hold the same activations; each sends one t-th of them, and those of the
            next stage gather the parts (scatter/gather). A divisor of ``hidden``.

    Returns:
        Bytes of one rank, exact.

    Source: Narayanan et al. 2021, section 3.2, and 4.1 for scatter/gather.
    Convention: one direction; each micro-batch sends as much again on its way back.
    Leaves out: the all-gather within the next stage, which is inside a node.

    Example:
        >>> pipeline_message_bytes(micro_batch=1, sequence=2048, hidden=12288)
        50331648
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h, w = positive_integer("hidden", hidden), positive_integer("element_bytes", element_bytes)
    t = positive_integer("tensor_parallel", tensor_parallel)
    if h % t:
        raise ValueError(f"hidden must be a multiple of tensor_parallel = {t}, got {h}")
    return b * s * h * w // t


class PassFlops(NamedTuple):
    """Operations of the three passes of one transformer layer over one micro-batch."""

    forward: int
    input_gradient: int
    weight_gradient: int


def pipeline_pass_flops(*, micro_batch: int, sequence: int, hidden: int) -> PassFlops:
    """Return the operations of a layer's F, B (of the input alone) and W: attention scores have no weights.

    Formula: $F_F = sbh(24h+4s),\\; F_B = sbh(24h+8s),\\; F_W = sbh\\cdot 24h$
    Symbols: b = micro_batch; s = sequence; h = hidden; F_F, F_B, F_W = the result's parts
    Chapter: 18

    Args:
        micro_batch: sequences of a micro-batch.
        sequence: tokens of each.
        hidden: width of the residual stream.

    Returns:
        FLOP, exact.

    Source: Qi et al. 2023, table 1.
    Convention: a multiply-add is 2; attention without the causal mask's half; a feed-forward network of width 4h.
    Leaves out: norms, softmax, biases, the vocabulary.

    Example:
        >>> flops = pipeline_pass_flops(micro_batch=1, sequence=1024, hidden=4096)
        >>> flops.input_gradient + flops.weight_gradient == 2 * flops.forward
        True
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h = positive_integer("hidden", hidden)
    return PassFlops(s * b * h * (24 * h + 4 * s), s * b * h * (24 * h + 8 * s), s * b * h * 24 * h)


class PassBytes(NamedTuple):
    """Activations that one layer keeps of one micro-batch: until its B, and what of them until its W."""

    until_backward: int
    until_weight: int


def pipeline_pass_activation_bytes(*, micro_batch: int, sequence: int, hidden: int, heads: int) -> PassBytes:
    """Return what a layer keeps until B, A_B, and what of it must stay until W, A_W.

    Formula: $A_B = sb(34h+5as),\\; A_W = 32\\,sbh$
    Symbols: b = micro_batch; s = sequence; h = hidden; a = heads; A_B, A_W = the result's parts
    Chapter: 18

    Args:
        micro_batch: sequences of a micro-batch.
        sequence: tokens of each.
        hidden: width of the residual stream.
        heads: attention heads.

    Returns:
        Bytes, exact.

    Source: Qi et al. 2023, table 1 (M_B and M_W there); A_B is Korthikanti et al. 2022, equation 1.
    Convention: 16-bit activations; no tensor parallelism, no recomputation.
    Leaves out: flash attention, which does not keep the 5as term.

    Example:
        >>> pipeline_pass_activation_bytes(micro_batch=1, sequence=1024, hidden=4096, heads=32)
        PassBytes(until_backward=310378496, until_weight=134217728)
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    return PassBytes(s * b * (34 * h + 5 * a * s), 32 * s * b * h)
