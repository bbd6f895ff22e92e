"""Simulators: the judge of pipeline schedules and timelines; shares no code with the runner.

It writes down every dependency between two tasks as an edge of a graph and looks at the graph alone. A schedule is
right if every task stands in it exactly once and the graph of dependencies and orders has no cycle. A timeline is right
if, besides, no edge is violated. The judge is meant to be plain, not fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias

from snippets.domain import finite_number, nonnegative_exact
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task

Time: TypeAlias = int | float | Fraction
MessageTime: TypeAlias = Time | Callable[[int, int], Time]


def _is_schedule(schedule: object) -> None:
    if not isinstance(schedule, PipelineSchedule):
        raise TypeError(f"schedule must be a PipelineSchedule, got {schedule!r}")


def _wanted(schedule: PipelineSchedule) -> set[Task]:
    """Return every task that a step consists of."""
    kinds = "FBW" if schedule.splits_backward else "FB"
    return {Task(*task) for task in product(kinds, range(schedule.micro_batches), range(schedule.stages))}


def _dependencies(schedule: PipelineSchedule) -> Iterator[tuple[Task, Task]]:
    """Yield the pairs (earlier, later) that the mathematics of a step asks for."""
    for i in range(schedule.micro_batches):
        for stage in range(schedule.stages):
            yield Task("F", i, stage), Task("B", i, stage)
            if schedule.splits_backward:
                yield Task("B", i, stage), Task("W", i, stage)
        for lower, upper in pairwise(range(schedule.stages)):
            yield Task("F", i, lower), Task("F", i, upper)
            yield Task("B", i, upper), Task("B", i, lower)


def find_pipeline_faults(schedule: PipelineSchedule) -> tuple[str, ...]:
    """Return everything that is wrong with a schedule.

    A fault is: a task missing; a task more than once; tasks that wait for each other in a circle, so that none of them
    can start, whatever the durations.

    Args:
        schedule: the schedule to judge.

    Returns:
        The faults in words; none if the schedule is right. Circles are looked for only when every task is there once.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.

    Source: the dependencies are those of Huang et al. 2019 and Qi et al. 2023, section 2.
    Convention: F of a stage follows F of the stage before, B follows B of the stage behind and F of its own, W its B.
    Leaves out: durations, memory limits.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import one_f_one_b
        >>> find_pipeline_faults(one_f_one_b(stages=4, micro_batches=8))
        ()
        >>> order = (Task("B", 0, 0), Task("F", 0, 0))
        >>> find_pipeline_faults(PipelineSchedule("upside down", (order,), ((0,),), (0,), splits_backward=False))
        ('B0@0 and F0@0 wait for each other',)
    """
    _is_schedule(schedule)
    there = Counter(task for order in schedule.orders for task in order)
    faults = [f"{task} is missing" for task in sorted(_wanted(schedule) - set(there))]
    faults += [f"{task} stands {count} times" for task, count in sorted(there.items()) if count > 1]
    if faults:
        return tuple(faults)
    followers: dict[Task, list[Task]] = {task: [] for task in there}
    for order in schedule.orders:
        for earlier, later in pairwise(order):
            followers[earlier].append(later)
    for earlier, later in _dependencies(schedule):
        followers[earlier].append(later)
    circle = _circle(followers)
    return (" and ".join(map(str, circle)) + " wait for each other",) if circle else ()


def _circle(followers: dict[Task, list[Task]]) -> list[Task]:
    """Return the tasks of one circle of the graph, empty if it has none."""
    waits = Counter(later for laters in followers.values() for later in laters)
    free = [task for task in followers if not waits[task]]
    for task in free:  # grows while it runs
        for later in followers[task]:
            waits[later] -= 1
            if not waits[later]:
                free.append(later)
    stuck = set(followers) - set(free)
    if not stuck:
        return []
    # Every stuck task has a stuck predecessor: walk back until one comes again.
    before = {later: task for task in sorted(stuck) for later in followers[task]}
    path = [min(stuck)]
    while path[-1] not in path[:-1]:
        path.append(before[path[-1]])
    return path[path.index(path[-1]) + 1 :][::-1]


def check_pipeline(schedule: PipelineSchedule) -> None:
    """Raise ``ValueError`` if anything is wrong with a schedule, naming the first fault and the number of the others.

    Args:
        schedule: the schedule to judge.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``.
        ValueError: if ``find_pipeline_faults`` finds any.

    Source: as ``find_pipeline_faults``.
    Convention: as ``find_pipeline_faults``.
    Leaves out: as ``find_pipeline_faults``.

    Example:
        >>> from snippets.parallelism.pipeline.schedules import gpipe
        >>> check_pipeline(gpipe(stages=2, micro_batches=2))
        >>> check_pipeline(PipelineSchedule("half", ((Task("F", 0, 0),),), ((0,),), (0,), splits_backward=False))
        Traceback (most recent call last):
        ...
        ValueError: schedule must run every task once and in a possible order: B0@0 is missing
    """
    faults = find_pipeline_faults(schedule)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ValueError(f"schedule must run every task once and in a possible order: {faults[0]}{more}")


def find_timeline_faults(
    schedule: PipelineSchedule,
    *,
    start_s: Sequence[Sequence[Time]],
    end_s: Sequence[Sequence[Time]],
    message_s: MessageTime = 0,
    duration_s: Callable[[int, Task], Time] | None = None,
) -> tuple[str, ...]:
    """Return everything that is wrong with the times of a schedule's tasks.

    A fault is: any of the schedule; a rank that has not one start and end for each of its tasks; a task that starts
    before 0, ends before it starts or lasts longer or shorter than it should; two tasks of a rank at a time, or out
    of its order; a task that starts before its input is there.

    Args:
        schedule: what was to run.
        start_s: for each rank, the start of each task in the order of the schedule.
        end_s: likewise, the ends.
        message_s: how long a result travels between two ranks: a number, or a function of sender and receiver.
        duration_s: how long a task must last, as a function of rank and task; ``None`` to allow any duration.

    Returns:
        The faults in words; none if the timeline is right. Waiting longer than necessary is not a fault.

    Raises:
        TypeError: if ``schedule`` is no ``PipelineSchedule``, times are no sequences of sequences, or ``duration_s``
            is no function.
        ValueError: if a time is no finite number, or ``message_s`` is negative.

    Source: as ``find_pipeline_faults``.
    Convention: a message leaves when its task ends; on one rank there is none. Comparisons are exact.
    Leaves out: links shared by several messages.

    Example:
        >>> order = (Task("F", 0, 0), Task("B", 0, 0))
        >>> alone = PipelineSchedule("one of one", (order,), ((0,),), (0,), splits_backward=False)
        >>> find_timeline_faults(alone, start_s=[[0, 1]], end_s=[[1, 3]])
        ()
        >>> find_timeline_faults(alone, start_s=[[0, 1]], end_s=[[2, 3]])
        ('rank 0 starts B0@0 at 1, before it has ended F0@0 at 2', 'B0@0 starts at 1, before F0@0 arrives at 2')
    """
    _is_schedule(schedule)
    if not callable(message_s):
        nonnegative_exact("message_s", message_s)
    if duration_s is not None and not callable(duration_s):
        raise TypeError(f"duration_s must be a function of rank and task or None, got {duration_s!r}")
    _check_times("start_s", start_s)
    _check_times("end_s", end_s)
    faults = list(find_pipeline_faults(schedule))
    tasks = [len(order) for order in schedule.orders]
    for name, times in (("start_s", start_s), ("end_s", end_s)):
        if [len(row) for row in times] != tasks:
            faults.append(f"{name} must have one time for each task of each rank: {tasks}")
    if faults:
        return tuple(faults)
    when: dict[Task, tuple[int, Time, Time]] = {}
    for rank, order in enumerate(schedule.orders):
        for task, start, end in zip(order, start_s[rank], end_s[rank], strict=True):
            when[task] = (rank, start, end)
    faults += _length_faults(when, duration_s)
    faults += _order_faults(schedule, when)
    faults += _arrival_faults(schedule, when, message_s)
    return tuple(faults)


def _order_faults(schedule: PipelineSchedule, when: dict[Task, tuple[int, Time, Time]]) -> Iterator[str]:
    """Yield what starts before its rank has ended the one before."""
    for rank, order in enumerate(schedule.orders):
        for earlier, later in pairwise(order):
            if not when[later][1] >= when[earlier][2]:
                yield (
                    f"rank {rank} starts {later} at {when[later][1]}, "
                    f"before it has ended {earlier} at {when[earlier][2]}"
                )


def _arrival_faults(
    schedule: PipelineSchedule, when: dict[Task, tuple[int, Time, Time]], message_s: MessageTime
) -> Iterator[str]:
    """Yield what starts before its input is there."""
    for earlier, later in _dependencies(schedule):
        sender, _, sent = when[earlier]
        receiver, start, _ = when[later]
        travel = 0 if sender == receiver else message_s(sender, receiver) if callable(message_s) else message_s
        if not start >= sent + travel:
            yield f"{later} starts at {start}, before {earlier} arrives at {sent + travel}"


def _check_times(name: str, times: object) -> None:
    """Raise unless this is a sequence of sequences of finite numbers."""
    for rank, row in enumerate(_sequence(name, times)):
        for position, time in enumerate(_sequence(f"{name}[{rank}]", row)):
            finite_number(f"{name}[{rank}][{position}]", time)


def _sequence(name: str, value: object) -> Sequence[object]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise TypeError(f"{name} must be a sequence, got {value!r}")
    return value


def _length_faults(
    when: dict[Task, tuple[int, Time, Time]], duration_s: Callable[[int, Task], Time] | None
) -> Iterator[str]:
    """Yield what is wrong with single tasks."""
    for task, (rank, start, end) in when.items():
        if not start >= 0:
            yield f"{task} starts at {start}, before 0"
        if not end >= start:
            yield f"{task} ends at {end}, before its start at {start}"
        if duration_s is not None and end != start + duration_s(rank, task):
            yield f"{task} runs from {start} to {end}, which is not its duration {duration_s(rank, task)}"
