"""Formulas: which part of a step is late, at which ceiling, what one change would save, and when a gain is real."""

from __future__ import annotations

import math
from dataclasses import dataclass

from snippets.domain import Answers, as_float, nonnegative_number, positive_integer, positive_number

INVARIANTS = ("memory", "compute", "communication")
CEILINGS = ("capacity", "rate", "waiting", "latency", "bandwidth", "none")


@dataclass(frozen=True)
class Advice(Answers):
    """What to try first, and what to write down before it is tried.

    Attributes:
        invariant: ``"memory"``, ``"compute"`` or ``"communication"``: what is furthest from the plan.
        ceiling: what it is at: ``"capacity"`` of the memory; ``"rate"`` of the matmuls or ``"waiting"`` for the last
            rank; ``"latency"`` or ``"bandwidth"`` of the messages; ``"none"`` if nothing is later than planned.
        change: the one change to make.
        predicted_s: the step after the change, if the plan holds otherwise; the step as it is if nothing is known.
        why: the reason, with its numbers.

    >>> Advice("compute", "waiting", "replace the slowest node", 1.0, "it is late").ceiling
    'waiting'
    """

    invariant: str
    ceiling: str
    change: str
    predicted_s: float
    why: str


def advise(
    *,
    planned_compute_s: float,
    planned_communication_s: float,
    compute_s: float,
    last_arrival_s: float,
    communication_s: float,
    messages: int,
    total_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    held_bytes: float,
    memory_bytes: float,
) -> Advice:
    """Return what to try first in a run that is slower than planned, and what the step should then take.

    Memory is looked at first, because an estimate for a layout that does not fit is worth nothing. Then the excess of a
    typical rank is divided: its own computing beyond the plan; its waiting for the last rank to arrive, which a profile
    books as communication; and what its messages take beyond the plan. The largest of the three is the one to change.

    Formula: $T - T_\\text{plan} = (T_\\text{c} - T_\\text{c,plan}) + (T_\\text{last} - T_\\text{c}) +
        (T_\\text{x} - (T_\\text{last} - T_\\text{c}) - T_\\text{x,plan})$
    Symbols: T_\\text{c} = compute_s; T_\\text{last} = last_arrival_s; T_\\text{x} = communication_s; those with plan
        = as planned
    Chapter: 36

    Args:
        planned_compute_s: of a typical rank, in one step.
        planned_communication_s: likewise, what computing does not hide, at least 0.
        compute_s: measured on a typical rank.
        last_arrival_s: from the step's start until the last rank calls its first collective, whether it computes or
            waits for data before; no less than ``compute_s``.
        communication_s: measured on a typical rank, waiting for others included, at least 0.
        messages: collectives of a step.
        total_bytes: that all of them have together, at least 0.
        latency_s: of one collective with hardly any bytes, at least 0.
        bandwidth_bytes_per_s: payload over time of a large collective.
        held_bytes: that the fullest rank needs, at least 0.
        memory_bytes: that it has.

    Returns:
        The advice; with its ``predicted_s`` a reader can be wrong.

    Source: derived.
    Convention: nothing of the communication measured is hidden; the change removes the excess it is about, no more.
    Leaves out: wrong results, and parts that don't add up to the step, both to be ruled out before on each rank; two
        causes in one term; why the last rank is late.

    Example:
        >>> run = {"planned_compute_s": 0.6, "planned_communication_s": 0.1, "compute_s": 0.6}
        >>> wire = {"total_bytes": 1e9, "latency_s": 1e-4, "bandwidth_bytes_per_s": 1e10, "messages": 8000}
        >>> room = {"held_bytes": 60e9, "memory_bytes": 80e9}
        >>> advice = advise(**run, last_arrival_s=0.6, communication_s=0.9, **wire, **room)
        >>> advice.invariant, advice.ceiling, advice.predicted_s
        ('communication', 'latency', 0.7)
    """
    plan_c = positive_number("planned_compute_s", planned_compute_s)
    plan_x = nonnegative_number("planned_communication_s", planned_communication_s)
    own, slowest = positive_number("compute_s", compute_s), positive_number("last_arrival_s", last_arrival_s)
    if slowest < own:
        raise ValueError(f"last_arrival_s must be at least compute_s = {own!r}, got {last_arrival_s!r}")
    spent = nonnegative_number("communication_s", communication_s)
    count, size = positive_integer("messages", messages), nonnegative_number("total_bytes", total_bytes)
    late = count * nonnegative_number("latency_s", latency_s)
    wire = size / positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    held, room = nonnegative_number("held_bytes", held_bytes), positive_number("memory_bytes", memory_bytes)
    step = as_float("compute_s and communication_s", own + spent)
    if held > room:
        why = f"the fullest rank needs {held / 1e9:.3g} GB and has {room / 1e9:.3g} GB"
        return Advice("memory", "capacity", "cut the model further, or keep less", step, why)
    excess = {
        "rate": own - plan_c,
        "waiting": min(slowest - own, spent),
        "messages": spent - min(slowest - own, spent) - plan_x,
    }
    most = max(excess, key=lambda name: excess[name])
    saved = excess[most]
    if saved <= 0:
        return Advice("compute", "none", "change the plan, not the run", step, "no part is later than planned")
    predicted, why = step - saved, f"{saved:.3g} s of the step's {step:.3g} s are beyond the plan here"
    if most == "rate":
        return Advice("compute", "rate", "profile one layer's matmuls", predicted, why)
    if most == "waiting":
        return Advice("compute", "waiting", "find what makes the last rank late", predicted, why)
    if late >= wire:
        return Advice("communication", "latency", "send fewer, larger messages", predicted, why)
    return Advice("communication", "bandwidth", "send fewer bytes, or test the links", predicted, why)


def time_elasticity(*, before_s: float, after_s: float, factor: float) -> float:
    """Return how strongly a time answers to a quantity that was multiplied by a factor.

    Also: scaling exponent of a time
    Formula: $\\varepsilon = \\frac{\\ln(T_1 / T_0)}{\\ln f}$
    Symbols: T_0 = before_s; T_1 = after_s; f = factor; \\varepsilon = the result
    Chapter: 36

    Args:
        before_s: the time before.
        after_s: the time with the quantity multiplied.
        factor: by which it was multiplied, not 1.

    Returns:
        1 if the time is proportional to the quantity, 0 if it does not depend on it.

    Source: derived: the slope of the time on two logarithmic axes.
    Convention: everything but the quantity is as it was.
    Leaves out: that the slope changes on the way from one value to the other.

    Example:
        >>> time_elasticity(before_s=1.0, after_s=0.5, factor=0.5)
        1.0
        >>> round(time_elasticity(before_s=0.9, after_s=0.75, factor=0.5), 2)
        0.26
    """
    before, after = positive_number("before_s", before_s), positive_number("after_s", after_s)
    f = positive_number("factor", factor)
    if f == 1:
        raise ValueError("factor must be above 0 and not 1, got 1")
    return as_float("before_s, after_s and factor", (math.log(after) - math.log(before)) / math.log(f))
