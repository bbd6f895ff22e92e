"""The runner against a longest path by brute force, on the book's schedules, random ones and broken ones."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.parallelism.pipeline import runner as pipeline_runner
from snippets.parallelism.pipeline.checker import find_pipeline_faults, find_timeline_faults
from snippets.parallelism.pipeline.runner import (
    ScheduleError,
    count_messages,
    held_activations,
    peak_activations,
    run_pipeline,
)
from snippets.parallelism.pipeline.schedules import (
    PipelineSchedule,
    Task,
    chimera,
    dualpipe,
    gpipe,
    interleaved,
    one_f_one_b,
    zb_h1,
    zb_h2,
)

EXAMPLES = settings(deadline=None, max_examples=examples(50))


@st.composite
def built(draw: st.DrawFn) -> PipelineSchedule:
    """Draw one of the book's schedules."""
    p, m = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    build: Any = draw(st.sampled_from((gpipe, one_f_one_b, zb_h1, zb_h2, interleaved, chimera, dualpipe)))
    if build is interleaved:
        return interleaved(stages=p, micro_batches=draw(st.integers(1, 2)) * p, chunks=draw(st.integers(1, 3)))
    if build is chimera:
        return chimera(stages=2 * ((p + 1) // 2), micro_batches=2 * ((p + 1) // 2) * draw(st.integers(1, 2)))
    if build is dualpipe:
        p = 2 * ((p + 1) // 2)
        return dualpipe(stages=p, micro_batches=2 * p + 2 * draw(st.integers(0, 2)))
    return build(stages=p, micro_batches=m)


@st.composite
def improvised(draw: st.DrawFn) -> PipelineSchedule:
    """Draw a valid schedule: any stages on any ranks, and whichever task can run next, at random."""
    ranks, stages = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    ways = draw(st.integers(1, 2))
    placements = tuple(tuple(draw(st.integers(0, ranks - 1)) for _ in range(stages)) for _ in range(ways))
    directions = tuple(draw(st.integers(0, ways - 1)) for _ in range(draw(st.integers(1, 5))))
    splits = draw(st.booleans())
    rng = random.Random(draw(st.integers(0, 2**32)))
    left = {
        Task(kind, i, s) for kind in ("FBW" if splits else "FB") for i in range(len(directions)) for s in range(stages)
    }
    orders: list[list[Task]] = [[] for _ in range(ranks)]
    while left:
        free = sorted(task for task in left if not left & set(inputs(task, stages)))
        task = rng.choice(free)
        left.remove(task)
        orders[placements[directions[task.micro_batch]][task.stage]].append(task)
    return PipelineSchedule("improvised", tuple(map(tuple, orders)), placements, directions, splits)


def inputs(task: Task, stages: int) -> Iterator[Task]:
    """Yield the tasks whose results a task needs."""
    kind, i, s = task
    if kind == "F" and s > 0:
        yield Task("F", i, s - 1)
    if kind == "B":
        yield Task("F", i, s)
        if s < stages - 1:
            yield Task("B", i, s + 1)
    if kind == "W":
        yield Task("B", i, s)


def longest_paths(
    schedule: PipelineSchedule, duration: Callable[[int, Task], Any], message: Callable[[int, int], Any]
) -> list[list[Any]]:
    """Return the earliest starts by brute force: raise them until no edge of the task graph is violated."""
    home = {task: rank for rank, order in enumerate(schedule.orders) for task in order}
    edges = []
    for order in schedule.orders:
        edges += [(a, b, duration(home[a], a)) for a, b in pairwise(order)]
    for later in home:
        for earlier in inputs(later, schedule.stages):
            travel = message(home[earlier], home[later]) if home[earlier] != home[later] else 0
            edges.append((earlier, later, duration(home[earlier], earlier) + travel))
    start: dict[Task, Any] = dict.fromkeys(home, 0)
    changed = True
    while changed:
        changed = False
        for earlier, later, length in edges:
            if start[earlier] + length > start[later]:
                start[later] = start[earlier] + length
                changed = True
    return [[start[task] for task in order] for order in schedule.orders]


@dataclasses.dataclass(frozen=True)
class FromTask:
    """Durations as a function of the task alone."""

    duration: Callable[[Task], Any]

    def __call__(self, rank: int, task: Task) -> Any:
        return self.duration(task)


@dataclasses.dataclass(frozen=True)
class Always:
    """The same time for every two arguments."""

    time: Any

    def __call__(self, first: Any, second: Any) -> Any:
        return self.time


times = st.integers(0, 9) | st.fractions(0, 9, max_denominator=12)


@EXAMPLES
@given(schedule=built() | improvised(), seed=st.integers(0, 2**32), message=times)
def test_starts_are_longest_paths(schedule: PipelineSchedule, seed: int, message: Any) -> None:
    """Every duration differs, and so does the message time of every pair of ranks."""
    rng = random.Random(seed)
    length = {(kind, i, s): Fraction(rng.randint(0, 60), 12) for kind in "FBW" for i in range(30) for s in range(30)}
    link = {(a, b): message * rng.randint(0, 3) for a in range(30) for b in range(30)}

    def duration(rank: int, task: Task) -> Fraction:
        return length[task] + rank

    def travel(source: int, destination: int) -> Any:
        return link[source, destination]

    line = run_pipeline(schedule, duration, message_s=travel)
    assert [list(starts) for starts in line.start_s] == longest_paths(schedule, duration, travel)
    assert find_pipeline_faults(schedule) == ()
    times_s: dict[str, Any] = {"start_s": line.start_s, "end_s": line.end_s, "message_s": travel}
    assert find_timeline_faults(schedule, **times_s, duration_s=duration) == ()
    for rank, order in enumerate(schedule.orders):
        assert line.work_s[rank] == sum(duration(rank, task) for task in order)
        assert line.idle_s[rank] == line.makespan_s - line.work_s[rank]
        first, last = (line.start_s[rank][0], line.end_s[rank][-1]) if order else (0, 0)
        assert line.span_s[rank] == last - first
    assert line.makespan_s == max(max(ends, default=0) for ends in line.end_s)
    whole_s, work_s = schedule.ranks * line.makespan_s, Fraction(sum(line.work_s))
    assert line.idle_share == float(1 - work_s / whole_s)
    assert line.idle_overhead == float(whole_s / work_s - 1)
    assert all(isinstance(start, int | Fraction) for starts in line.start_s for start in starts)


@EXAMPLES
@given(schedule=built(), seed=st.integers(0, 2**32))
def test_durations_come_in_every_shape(schedule: PipelineSchedule, seed: int) -> None:
    """By kind, by kind and stage, and by kind, stage and micro-batch: lists, tuples and NumPy arrays."""
    rng = random.Random(seed)
    kinds = "FBW" if schedule.splits_backward else "FB"
    by_stage = {kind: [rng.randint(1, 9) for _ in range(schedule.stages)] for kind in kinds}
    by_both = {
        kind: [[rng.randint(1, 9) for _ in range(schedule.micro_batches)] for _ in range(schedule.stages)]
        for kind in kinds
    }
    by_kind = {kind: rng.randint(1, 9) for kind in kinds}
    shapes: list[tuple[Any, Callable[[Task], int]]] = [
        (by_kind, lambda task: by_kind[task.kind]),
        (by_stage, lambda task: by_stage[task.kind][task.stage]),
        (by_both, lambda task: by_both[task.kind][task.stage][task.micro_batch]),
    ]
    for given_s, duration in shapes:
        expected = run_pipeline(schedule, FromTask(duration))
        assert run_pipeline(schedule, given_s).start_s == expected.start_s
        in_arrays: Any = {kind: np.array(value) for kind, value in given_s.items()}
        arrays = run_pipeline(schedule, in_arrays)
        assert arrays.start_s == expected.start_s
        assert arrays.end_s == expected.end_s


@EXAMPLES
@given(schedule=built() | improvised())
def test_activations_by_brute_force(schedule: PipelineSchedule) -> None:
    """Count at every task which micro-batches have begun and not been released."""
    for rank, order in enumerate(schedule.orders):
        held = []
        for position, task in enumerate(order):
            before = set(order[:position]) | ({task} if task.kind == "F" else set())
            begun = {(i, s) for kind, i, s in before if kind == "F"}
            after_b = {(i, s) for kind, i, s in order[:position] if kind == "B"}
            after_w = {(i, s) for kind, i, s in order[:position] if kind == "W"}
            whole = len(begun - after_b)
            held.append(7 * whole + (3 * len(after_b - after_w) if schedule.splits_backward else 0))
        assert held_activations(schedule, until_backward=7, until_weight=3)[rank] == tuple(held)
        assert peak_activations(schedule, until_backward=7, until_weight=3)[rank] == max(held, default=0)


@EXAMPLES
@given(schedule=built() | improvised())
def test_messages_by_brute_force(schedule: PipelineSchedule) -> None:
    home = {task: rank for rank, order in enumerate(schedule.orders) for task in order}
    sent: dict[tuple[int, int], int] = {}
    for task, rank in home.items():
        for needed in inputs(task, schedule.stages):
            if home[needed] != rank:
                sent[home[needed], rank] = sent.get((home[needed], rank), 0) + 1
    assert count_messages(schedule) == dict(sorted(sent.items()))
    assert list(count_messages(schedule)) == sorted(sent)


# Broken schedules


@st.composite
def mutated(draw: st.DrawFn) -> PipelineSchedule:
    """Draw a schedule in which tasks of one rank are swapped, moved, dropped or doubled."""
    schedule = draw(built() | improvised())
    orders = [list(order) for order in schedule.orders]
    for _ in range(draw(st.integers(1, 2))):
        order = draw(st.sampled_from([row for row in orders if row] or [[]]))
        if not order:
            continue
        here, there = draw(st.integers(0, len(order) - 1)), draw(st.integers(0, len(order) - 1))
        way = draw(st.sampled_from(("swap", "move", "drop", "double", "replace")))
        if way == "swap":
            order[here], order[there] = order[there], order[here]
        elif way == "move":
            order.insert(there, order.pop(here))
        elif way == "drop":
            order.pop(here)
        elif way == "double":
            order.insert(there, order[here])
        else:
            order[here] = order[there]
    return dataclasses.replace(schedule, orders=tuple(map(tuple, orders)))


@settings(deadline=None, max_examples=examples(250))
@given(schedule=mutated())
def test_runner_and_checker_refuse_the_same_schedules(schedule: PipelineSchedule) -> None:
    def one(*_: Any) -> int:
        return 1

    if find_pipeline_faults(schedule):
        with pytest.raises(ScheduleError):
            run_pipeline(schedule, one)
    else:
        line = run_pipeline(schedule, one, message_s=1)
        assert [list(row) for row in line.start_s] == longest_paths(schedule, one, one)


def by_hand(*orders: str, splits_backward: bool = False) -> PipelineSchedule:
    """Return a schedule with stage s on rank s from rows such as ``"F0 F1 B0 B1"``."""
    rows = tuple(tuple(Task(word[0], int(word[1:]), s) for word in row.split()) for s, row in enumerate(orders))
    m = 1 + max(task.micro_batch for row in rows for task in row)
    return PipelineSchedule("by hand", rows, (tuple(range(len(orders))),), (0,) * m, splits_backward)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (
            by_hand("B0 F0", "F0 B0"),
            "the schedule cannot run: on rank 0 B0@0 waits for B0@1, which rank 1 does not reach; "
            "on rank 1 F0@1 waits for F0@0, which rank 0 does not reach",
        ),
        (by_hand("B0 F0"), "the schedule cannot run: on rank 0 B0@0 waits for F0@0, which stands behind it"),
        (
            by_hand("F0 F1 B0 B1", "F0 B0 B1"),
            "the schedule cannot run: on rank 0 B1@0 waits for B1@1, which rank 1 does not reach; "
            "on rank 1 B1@1 waits for F1@1, which no rank runs",
        ),
        (by_hand("F0 B0 B0"), "the schedule cannot run: rank 0 has B0@0 twice"),
        (by_hand("F0 F0 B0"), "the schedule cannot run: rank 0 has F0@0 twice"),
        (by_hand("F0 B0 W0 W0", splits_backward=True), "the schedule cannot run: rank 0 has W0@0 twice"),
        (
            by_hand("F0 W0 B0", splits_backward=True),
            "the schedule cannot run: on rank 0 W0@0 waits for B0@0, which stands behind it",
        ),
        (by_hand("F0 B0", splits_backward=True), "the schedule misses W0@0"),
        (by_hand("F0 F1", "F0 B0 F1 B1"), "the schedule misses B0@0"),
        (by_hand("F0 F1 B1", "F0 B0 F1 B1"), "the schedule misses B0@0"),
    ],
)
def test_the_refusal_says_who_waits_for_what(schedule: PipelineSchedule, message: str) -> None:
    durations = dict.fromkeys("FBW" if schedule.splits_backward else "FB", 1)
    with pytest.raises(ScheduleError) as refusal:
        run_pipeline(schedule, durations)
    assert str(refusal.value) == message
    assert isinstance(refusal.value, ValueError)


def test_a_weight_gradient_does_not_run_while_the_next_device_waits_for_its_input() -> None:
    """W reads the mailbox into which its B sends: a rank that waits there must not pass for the sent result."""
    schedule = by_hand("F0 B0 W0", "F0 W0 B0", splits_backward=True)
    with pytest.raises(ScheduleError, match="on rank 1 W0@1 waits for B0@1, which stands behind it"):
        run_pipeline(schedule, {"F": 1, "B": 1, "W": 1})


# Times, floats and size


def test_floats_run_as_written() -> None:
    line = run_pipeline(gpipe(stages=1, micro_batches=3), {"F": 0.1, "B": 0.2})
    assert line.makespan_s == 0.1 + 0.1 + 0.1 + 0.2 + 0.2 + 0.2
    assert line.idle_s == (0.0,)
    assert (line.idle_share, line.idle_overhead) == (0.0, 0.0)
    mixed = run_pipeline(one_f_one_b(stages=2, micro_batches=2), {"F": 0.5, "B": Fraction(1, 2)})
    assert (mixed.makespan_s, mixed.idle_share, type(mixed.idle_share)) == (3.0, 1 / 3, float)


def test_events_are_device_task_start_and_end() -> None:
    line = run_pipeline(gpipe(stages=2, micro_batches=1), {"F": 1, "B": 2}, message_s=3)
    assert [(rank, str(task), start, end) for rank, task, start, end in line.events()] == [
        (0, "F0@0", 0, 1),
        (0, "B0@0", 10, 12),
        (1, "F0@1", 4, 5),
        (1, "B0@1", 5, 7),
    ]


def test_a_bad_message_time_is_refused_where_no_message_travels() -> None:
    with pytest.raises(ValueError, match="message_s must"):
        run_pipeline(gpipe(stages=1, micro_batches=1), {"F": 1, "B": 1}, message_s=-1)


def test_a_device_without_tasks_idles_all_the_time() -> None:
    schedule = PipelineSchedule(
        "one works", ((Task("F", 0, 0), Task("B", 0, 0)), ()), ((0,),), (0,), splits_backward=False
    )
    line = run_pipeline(schedule, {"F": 1, "B": 2})
    assert (line.idle_s, line.span_s, line.idle_share) == ((0, 3), (3, 0), Fraction(1, 2))
    assert line.peak_activations == (1, 0)


def test_nothing_takes_time() -> None:
    line = run_pipeline(gpipe(stages=2, micro_batches=2), {"F": 0, "B": 0})
    assert line.makespan_s == 0
    for share in ("idle_share", "idle_overhead"):
        with pytest.raises(ValueError, match="durations_s must make at least one task last longer than 0"):
            getattr(line, share)


@pytest.mark.nightly
def test_64_devices_and_4096_micro_batches() -> None:
    line = run_pipeline(one_f_one_b(stages=64, micro_batches=4096), {"F": 1, "B": 2})
    assert line.makespan_s == (4096 + 63) * 3


def test_one_step_of_the_line_touches_each_task_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear in p·m: the worst order of ranks wakes a rank at most once for every task."""
    calls = 0

    def counting(generator: Iterator[None], default: None) -> None:
        nonlocal calls
        calls += 1
        next(generator, default)

    monkeypatch.setattr(pipeline_runner, "next", counting, raising=False)
    for schedule in (
        one_f_one_b(stages=9, micro_batches=40),
        interleaved(stages=6, micro_batches=12, chunks=5),
        gpipe(stages=9, micro_batches=1),
    ):
        calls = 0
        run_pipeline(schedule, {"F": 1, "B": 2})
        assert calls <= schedule.ranks + sum(map(len, schedule.orders))


# Bad input

BAD_TIMES: tuple[Any, ...] = (-1, math.nan, math.inf, "x", None, 1j, True, object(), b"1", {}, Fraction(-1, 2))


@pytest.mark.filterwarnings("error")
def test_bad_times_are_refused_by_name() -> None:
    schedule = gpipe(stages=2, micro_batches=3)
    for bad in BAD_TIMES:
        cases: tuple[tuple[Any, str], ...] = (
            ({"F": bad, "B": 1}, r"durations_s\['F'\]"),
            ({"F": 1, "B": [1, bad]}, r"durations_s\['B'\]\[1\]"),
            ({"F": [[1, 1, bad], [1, 1, 1]], "B": 1}, r"durations_s\['F'\]\[0\]"),
            (Always(bad), r"durations_s\(0, F0@0\)"),
        )
        for durations, name in cases:
            with pytest.raises(ValueError, match=name):
                run_pipeline(schedule, durations)
        with pytest.raises(ValueError, match="message_s must"):
            run_pipeline(schedule, {"F": 1, "B": 1}, message_s=bad)
        with pytest.raises(ValueError, match=r"message_s\(0, 1\) must"):
            run_pipeline(schedule, {"F": 1, "B": 1}, message_s=Always(bad))
        for amount in ("until_backward", "until_weight"):
            for function in (held_activations, peak_activations):
                with pytest.raises(ValueError, match=amount):
                    function(schedule, **{amount: bad})


@pytest.mark.parametrize(
    ("durations", "kind", "message"),
    [
        ({"F": 1}, ValueError, "durations_s must have the keys F, B, got"),
        ({"F": 1, "B": 1, "W": 1}, ValueError, "durations_s must have the keys F, B, got"),
        ({"F": [1], "B": 1}, ValueError, r"durations_s\['F'\] must have one entry for each of 2 stages, got 1"),
        ({"F": 1, "B": [1, [1, 2]]}, ValueError, r"durations_s\['B'\]\[1\] must have one entry for each of 3 micro-"),
        ({"F": np.ones((2, 2)), "B": 1}, ValueError, r"durations_s\['F'\]\[0\] must have one entry"),
        ({"F": 1e308, "B": 1e308}, ValueError, "durations_s and message_s must be such that the makespan fits"),
        (3, TypeError, "durations_s must be a mapping"),
        (None, TypeError, "durations_s must be a mapping"),
    ],
)
def test_bad_durations(durations: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run_pipeline(gpipe(stages=2, micro_batches=3), durations)


@pytest.mark.parametrize("bad", [None, 3, "F0", gpipe])
def test_no_schedule(bad: Any) -> None:
    calls: tuple[Callable[[], Any], ...] = (
        lambda: run_pipeline(bad, {"F": 1, "B": 1}),
        lambda: held_activations(bad),
        lambda: peak_activations(bad),
        lambda: count_messages(bad),
        lambda: find_pipeline_faults(bad),
    )
    for call in calls:
        with pytest.raises(TypeError, match="schedule must be a PipelineSchedule"):
            call()


def test_a_backward_without_forward_holds_nothing() -> None:
    for schedule in (by_hand("B0 F0"), by_hand("F0 W0 B0", splits_backward=True)):
        with pytest.raises(ValueError, match="schedule must run F before B before W, rank 0 of 'by hand' does not"):
            held_activations(schedule)
