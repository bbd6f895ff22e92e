"""Simulators: runs any pipeline schedule with any durations and message times, and counts what it held and sent.

The passes of a micro-batch form one line: up through the stages by F, then down by B. Step j of the line is F of stage
j for j < p, and B of stage 2p − 1 − j after that, with p stages. A pass starts once its predecessor's result has
arrived and its rank is free; W only needs its own B, which the same rank runs. One mailbox for each step and
micro-batch holds the time at which the input is there, so a run touches every task once: its cost is linear in the
number of tasks. Everything here needs the standard library only, and integers and fractions stay exact.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from snippets.domain import nonnegative_exact
from snippets.parallelism.pipeline.schedules import KINDS, PipelineSchedule, Task

Time: TypeAlias = int | float | Fraction
Durations: TypeAlias = Mapping[str, Time | Sequence[Time] | Sequence[Sequence[Time]]] | Callable[[int, Task], Time]
MessageTime: TypeAlias = Time | Callable[[int, int], Time]

# Marks an empty mailbox at which a rank waits. An empty mailbox at which nobody waits holds None.
_AWAITED: Any = object()


class ScheduleError(ValueError):
    """A schedule that cannot run to its end, with the tasks that wait and what they wait for."""


@dataclass(frozen=True)
class Timeline:
    """When every task of a schedule ran, and what follows from it.

    Args:
        schedule: the schedule that ran.
        start_s: for each rank, the start of each task, in the order of the schedule.
        lengths_s: for each kind of task, how long it takes, as ``[stage][micro_batch]``.

    Source: the book's own notation.
    Convention: time 0 is the start of the first task of all; a rank is idle whenever it runs no task between 0 and
        ``makespan_s``. Units are those of the durations that went in: seconds, or slots.
    Leaves out: the optimizer step.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import one_f_one_b
        >>> line = run_pipeline(one_f_one_b(stages=4, micro_batches=8), {"F": 1, "B": 2})
        >>> line.makespan_s, f"{line.idle_share:.1%}", line.idle_overhead, line.peak_activations
        (33, '27.3%', 0.375, (4, 3, 2, 1))
    """

    schedule: PipelineSchedule
    start_s: tuple[tuple[Time, ...], ...] = field(repr=False)
    lengths_s: Mapping[str, Sequence[Sequence[Time]]] = field(repr=False)

    def length_s(self, task: Task) -> Time:
        """Return how long a task takes; ``ValueError`` where the schedule has no such task."""
        try:
            return self.lengths_s[task.kind][task.stage][task.micro_batch]
        except (AttributeError, LookupError, TypeError):
            raise ValueError(f"task must be a Task of {self.schedule.name!r}, got {task!r}") from None

    def events(self) -> Iterator[tuple[int, Task, Time, Time]]:
        """Yield rank, task, start and end of every task, rank after rank, as a picture needs them."""
        for rank, order in enumerate(self.schedule.orders):
            for event in zip(order, self.start_s[rank], self.end_s[rank], strict=True):
                yield rank, *event

    @cached_property
    def end_s(self) -> tuple[tuple[Time, ...], ...]:
        """For each rank, the end of each task, in the order of the schedule."""
        return tuple(
            tuple(start + self.length_s(task) for start, task in zip(starts, order, strict=True))
            for starts, order in zip(self.start_s, self.schedule.orders, strict=True)
        )

    @property
    def makespan_s(self) -> Time:
        """Time from 0 to the end of the last task of any rank."""
        return max(
            starts[-1] + self.length_s(order[-1])
            for starts, order in zip(self.start_s, self.schedule.orders, strict=True)
            if order
        )

    @property
    def span_s(self) -> tuple[Time, ...]:
        """For each rank, the time from the start of its first task to the end of its last; 0 if it has none."""
        return tuple(
            ends[-1] - starts[0] if starts else 0 for starts, ends in zip(self.start_s, self.end_s, strict=True)
        )

    @property
    def work_s(self) -> tuple[Time, ...]:
        """For each rank, the time in which it runs a task."""
        return tuple(sum(map(self.length_s, order)) for order in self.schedule.orders)

    @property
    def idle_s(self) -> tuple[Time, ...]:
        """For each rank, the time from 0 to ``makespan_s`` in which it runs no task: the sum of the gaps."""
        makespan_s = self.makespan_s
        return tuple(
            sum(start - end for start, end in zip((*starts, makespan_s), (0, *ends), strict=True))
            for starts, ends in zip(self.start_s, self.end_s, strict=True)
        )

    @property
    def idle_share(self) -> float:
        """Idle time of all ranks over the time of all ranks: the bubble as a share of the total."""
        return _quotient(sum(self.idle_s), self.schedule.ranks * self.makespan_s)

    @property
    def idle_overhead(self) -> float:
        """Idle time of all ranks over the working time of all ranks: the bubble on top of the ideal."""
        return _quotient(sum(self.idle_s), sum(self.work_s))

    @property
    def peak_activations(self) -> tuple[Time, ...]:
        """For each rank, the most micro-batches' activations of one stage that it holds at once; see the function."""
        return peak_activations(self.schedule)

    @property
    def messages(self) -> dict[tuple[int, int], int]:
        """Messages by (from, to) rank; see ``count_messages``."""
        return count_messages(self.schedule)


def _quotient(part: Time, whole: Time) -> float:
    if not whole:
        raise ValueError("durations_s must make at least one task last longer than 0, got 0 for all")
    return float(Fraction(part) / Fraction(whole))


def run_pipeline(schedule: PipelineSchedule, durations_s: Durations, *, message_s: MessageTime = 0) -> Timeline:
    """Run a schedule: every task as early as the order of its rank and its inputs allow.

    Args:
        schedule: the orders to run.
        durations_s: how long tasks last. Either one entry for each kind (``"F"``, ``"B"``, and ``"W"`` where the
            backward is split): a number for all tasks of the kind, a sequence with one number for each stage, or one
            such sequence, over micro-batches, for each stage. Or a function of rank and task.
        message_s: how long a result travels between two ranks: a number, or a function of the rank that sends and
            the one that receives. On one rank it takes no time.

    Returns:
        The timeline. Integers and fractions in give integers and fractions out.

    Raises:
        ScheduleError: (a ``ValueError``) if a task comes twice, is missing, or waits for ever; it names the tasks.
        TypeError: if ``schedule`` is no ``PipelineSchedule``.
        ValueError: if a duration or message time is no finite number of at least 0, or their shapes do not fit.

    Source: the dependencies are those of Huang et al. 2019 and Qi et al. 2023.
    Convention: a transfer overlaps with computation at both ends; it starts when the task ends.
    Leaves out: waiting for a busy link (transfers do not share bandwidth), the cost of launching them.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import gpipe
        >>> line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 1, "B": [2, 3]}, message_s=1)
        >>> line.start_s
        ((0, 1, 8, 11), (2, 3, 4, 7))
        >>> line.messages
        {(0, 1): 2, (1, 0): 2}
    """
    if not isinstance(schedule, PipelineSchedule):
        raise TypeError(f"schedule must be a PipelineSchedule, got {schedule!r}")
    lengths_s = _lengths(schedule, durations_s)
    starts = _run(schedule, _links(schedule, lengths_s, message_s), lengths_s)
    done = [len(row) for row in starts]
    if done != [len(order) for order in schedule.orders]:
        raise ScheduleError(_why_it_stops(schedule, done))
    if sum(done) != schedule.micro_batches * schedule.stages * (3 if schedule.splits_backward else 2):
        raise ScheduleError(f"the schedule misses {_first_missing(schedule)}")
    timeline = Timeline(schedule, tuple(map(tuple, starts)), lengths_s)
    if timeline.makespan_s == math.inf:
        raise ValueError("durations_s and message_s must be such that the makespan fits a float, got a longer one")
    return timeline


# What a step of the line needs: where its input arrives, where its result goes, who waits for it there, how long it
# travels, and how long the step takes. Mailboxes and lengths are indexed by micro-batch.
_Link: TypeAlias = tuple[list[Any], list[Any], int, Time, list[Time]]


def _links(
    schedule: PipelineSchedule, lengths_s: dict[str, list[list[Time]]], message_s: MessageTime
) -> list[list[_Link]]:
    """Return for each direction the links of the steps of its line. All directions share the mailboxes."""
    travel_s = message_s if callable(message_s) else _constant(nonnegative_exact("message_s", message_s))
    steps = 2 * schedule.stages
    lengths = lengths_s["F"] + lengths_s["B"][::-1]
    mailboxes: list[list[Any]] = [[0] * schedule.micro_batches]
    mailboxes += [[None] * schedule.micro_batches for _ in range(steps)]
    links = []
    for placement in schedule.placements:
        line = [*placement, *reversed(placement), placement[0]]
        delays = [nonnegative_exact(f"message_s({a}, {b})", travel_s(a, b)) if a != b else 0 for a, b in pairwise(line)]
        links.append([(mailboxes[j], mailboxes[j + 1], line[j + 1], delays[j], lengths[j]) for j in range(steps)])
    return links


def _constant(time_s: Time) -> Callable[[int, int], Time]:
    return lambda source, destination: time_s


def _run(
    schedule: PipelineSchedule, links: list[list[_Link]], lengths_s: dict[str, list[list[Time]]]
) -> list[list[Time]]:
    """Run every rank until it is done or waits for ever, and return the starts of the tasks that ran."""
    links_of = [links[direction] for direction in schedule.directions]
    last = 2 * schedule.stages - 1
    starts: list[list[Time]] = [[] for _ in range(schedule.ranks)]
    weights_done: set[Task] = set()
    awake = list(range(schedule.ranks))

    def work(rank: int) -> Iterator[None]:
        clock: Time = 0
        begin = starts[rank].append
        for task in schedule.orders[rank]:
            kind, micro_batch, stage = task
            if kind == "W":
                ended = links_of[micro_batch][last - stage][1][micro_batch]
                if ended is None or ended is _AWAITED or task in weights_done:
                    return
                weights_done.add(task)
                begin(clock)
                clock += lengths_s["W"][stage][micro_batch]
                continue
            inbox, outbox, receiver, delay, lengths = links_of[micro_batch][stage if kind == "F" else last - stage]
            arrival = inbox[micro_batch]
            if arrival is None:
                inbox[micro_batch] = _AWAITED
                yield
                arrival = inbox[micro_batch]
            if outbox[micro_batch] is not None:
                if outbox[micro_batch] is not _AWAITED:
                    return  # it has run before
                awake.append(receiver)
            if arrival > clock:
                clock = arrival
            begin(clock)
            clock += lengths[micro_batch]
            outbox[micro_batch] = clock + delay if delay else clock

    workers = [work(rank) for rank in range(schedule.ranks)]
    for rank in awake:  # grows while it runs
        next(workers[rank], None)
    return starts


def _lengths(schedule: PipelineSchedule, durations_s: Durations) -> dict[str, list[list[Time]]]:
    """Return for each kind how long its tasks last, as ``[stage][micro_batch]``."""
    kinds = KINDS if schedule.splits_backward else KINDS[:2]
    if isinstance(durations_s, Mapping):
        if set(durations_s) != set(kinds):
            raise ValueError(f"durations_s must have the keys {', '.join(kinds)}, got {list(durations_s)}")
        return {kind: _by_stage(schedule, f"durations_s[{kind!r}]", durations_s[kind]) for kind in kinds}
    if not callable(durations_s):
        raise TypeError(f"durations_s must be a mapping by kind or a function of rank and task, got {durations_s!r}")
    lengths_s: dict[str, list[list[Time]]] = {
        kind: [[0] * schedule.micro_batches for _ in range(schedule.stages)] for kind in kinds
    }
    for rank, order in enumerate(schedule.orders):
        for task in order:
            length_s = nonnegative_exact(f"durations_s({rank}, {task})", durations_s(rank, task))
            lengths_s[task.kind][task.stage][task.micro_batch] = length_s
    return lengths_s


def _by_stage(schedule: PipelineSchedule, name: str, given: Any) -> list[list[Time]]:
    """Return one kind's durations as ``[stage][micro_batch]``, whatever the shape they came in."""
    rows = _entries(name, given, schedule.stages, "stages")
    table = []
    for stage, row in enumerate(rows):
        values = _entries(f"{name}[{stage}]", row, schedule.micro_batches, "micro-batches")
        # The same number for all is checked once.
        same = all(value is values[0] for value in values)
        checked = [nonnegative_exact(f"{name}[{stage}]", value) for value in (values[:1] if same else values)]
        table.append(checked * len(values) if same else checked)
    return table


def _entries(name: str, given: Any, count: int, of: str) -> Sequence[Any]:
    """Return ``given`` if it is a sequence of ``count`` entries, or a number as often as that."""
    if hasattr(given, "tolist"):  # a NumPy array or number
        given = given.tolist()
    if not isinstance(given, Sequence) or isinstance(given, str):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"{name} must have one entry for each of {count} {of}, got {len(given)}")
    return given


def _input_of(schedule: PipelineSchedule, task: Task) -> Task | None:
    """Return the task whose result this one needs, ``None`` for the first forward."""
    kind, micro_batch, stage = task
    if kind == "W":
        return Task("B", micro_batch, stage)
    if kind == "F":
        return Task("F", micro_batch, stage - 1) if stage else None
    return Task("B", micro_batch, stage + 1) if stage < schedule.stages - 1 else Task("F", micro_batch, stage)


def _why_it_stops(schedule: PipelineSchedule, done: list[int]) -> str:
    """Say for each rank that did not finish which task it cannot run, and why."""
    present = set().union(*map(set, schedule.orders))
    reasons = []
    for rank, (order, count) in enumerate(zip(schedule.orders, done, strict=True)):
        if count == len(order):
            continue
        task, needed = order[count], _input_of(schedule, order[count])
        if task in order[:count] or needed is None:
            reasons.append(f"rank {rank} has {task} twice")
        elif needed not in present:
            reasons.append(f"on rank {rank} {task} waits for {needed}, which no rank runs")
        else:
            place = schedule.rank_of(needed)
            where = "which stands behind it" if place == rank else f"which rank {place} does not reach"
            reasons.append(f"on rank {rank} {task} waits for {needed}, {where}")
    return "the schedule cannot run: " + "; ".join(reasons)


def _first_missing(schedule: PipelineSchedule) -> str:
    """Return the first task of the model that no rank has."""
    present = set().union(*map(set, schedule.orders))
    kinds = KINDS if schedule.splits_backward else KINDS[:2]
    tasks = (
        Task(kind, i, stage)
        for i in range(schedule.micro_batches)
        for stage in range(schedule.stages)
        for kind in kinds
    )
    return str(next(task for task in tasks if task not in present))


def held_activations(
    schedule: PipelineSchedule, *, until_backward: Time = 1, until_weight: Time = 1
) -> tuple[tuple[Time, ...], ...]:
    """Return, for each rank and each task in its order, what the rank holds while that task runs.

    A forward leaves the activations of one micro-batch of one stage on its rank. In a schedule that does not split
    the backward, the end of B releases them. In one that does, the end of B releases what only B needs, and the end of
    W the rest: pass ``until_weight=0`` if B releases all, or bytes for both.

    Args:
        schedule: the orders; durations do not matter, since a rank runs one task at a time.
        until_backward: what a micro-batch of one stage keeps from the start of its F to the end of its B, at least 0.
        until_weight: what of it, at least 0, stays from there to the end of its W; ignored where the backward is not
            split.

    Returns:
        For each rank, one number for each of its tasks, in units of the two arguments.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.
        ValueError: if an amount is no finite number of at least 0, or a rank runs a B or W before its F or B.

    Source: Qi et al. 2023, section 2.1 and table 1 (M_B and M_W).
    Convention: one unit is one micro-batch of one *stage*; with v chunks on a rank that is 1/v of its layers.
    Leaves out: the messages' buffers, what a running task needs besides.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import one_f_one_b
        >>> held_activations(one_f_one_b(stages=2, micro_batches=3))
        ((1, 2, 2, 2, 2, 1), (1, 1, 1, 1, 1, 1))
    """
    if not isinstance(schedule, PipelineSchedule):
        raise TypeError(f"schedule must be a PipelineSchedule, got {schedule!r}")
    before_b, before_w = (
        nonnegative_exact("until_backward", until_backward),
        nonnegative_exact("until_weight", until_weight),
    )
    held = []
    for rank, order in enumerate(schedule.orders):
        whole, rest = 0, 0
        row = []
        for kind, _, _ in order:
            whole += kind == "F"
            row.append(whole * before_b + rest * before_w)
            if row[-1] == math.inf:
                raise ValueError("until_backward and until_weight must be such that sums fit a float, got a larger one")
            if kind == "B":
                whole, rest = whole - 1, rest + schedule.splits_backward
            elif kind == "W":
                rest -= 1
            if whole < 0 or rest < 0:
                raise ValueError(f"schedule must run F before B before W, rank {rank} of {schedule.name!r} does not")
        held.append(tuple(row))
    return tuple(held)


def peak_activations(
    schedule: PipelineSchedule, *, until_backward: Time = 1, until_weight: Time = 1
) -> tuple[Time, ...]:
    """Return for each rank the most activations that it holds at once.

    Args:
        schedule: the orders; durations do not matter.
        until_backward: as in ``held_activations``, at least 0.
        until_weight: as in ``held_activations``, at least 0.

    Returns:
        One number for each rank, in units of the two arguments.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.
        ValueError: if an amount is no finite number of at least 0.

    Source: as ``held_activations``.
    Convention: one unit is one micro-batch of one *stage*; with v chunks on a rank that is 1/v of its layers.
    Leaves out: as ``held_activations``.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import gpipe, one_f_one_b, zb_h1
        >>> peak_activations(gpipe(stages=3, micro_batches=8)), peak_activations(one_f_one_b(stages=3, micro_batches=8))
        ((8, 8, 8), (3, 2, 1))
        >>> split = zb_h1(stages=3, micro_batches=8)
        >>> peak_activations(split), peak_activations(split, until_weight=0)
        ((3, 3, 3), (3, 2, 1))
    """
    held = held_activations(schedule, until_backward=until_backward, until_weight=until_weight)
    return tuple(max(row, default=0) for row in held)


def count_messages(schedule: PipelineSchedule) -> dict[tuple[int, int], int]:
    """Return how many messages travel between ranks, by sender and receiver.

    An F sends its output to the next stage, a B its input's gradient to the stage before, unless both stages live on
    one rank.

    Args:
        schedule: the orders.

    Returns:
        For each pair (from, to) of ranks that talk, the number of messages, pairs in ascending order.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.

    Source: Narayanan et al. 2021, section 2.2.2 (interleaving sends v times as much).
    Convention: per direction of a link; every message carries one micro-batch's activations at a stage's edge.
    Leaves out: the loss, the labels, the all-reduce of gradients between replicas.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import interleaved
        >>> count_messages(interleaved(stages=2, micro_batches=4, chunks=2))
        {(0, 1): 12, (1, 0): 12}
    """
    if not isinstance(schedule, PipelineSchedule):
        raise TypeError(f"schedule must be a PipelineSchedule, got {schedule!r}")
    sent: Counter[tuple[int, int]] = Counter()
    last = schedule.stages - 1
    for rank, order in enumerate(schedule.orders):
        for kind, micro_batch, stage in order:
            if kind == "W" or stage == (last if kind == "F" else 0):
                continue
            placement = schedule.placements[schedule.directions[micro_batch]]
            sent[rank, placement[stage + 1 if kind == "F" else stage - 1]] += 1
    return {pair: sent[pair] for pair in sorted(sent) if pair[0] != pair[1]}
