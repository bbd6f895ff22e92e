"""The checker by itself: it accepts what is right, and names each way in which a schedule or a timeline is wrong."""

from __future__ import annotations

import ast
import inspect
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.parallelism.pipeline import checker as pipeline_checker
from snippets.parallelism.pipeline.checker import check_pipeline, find_pipeline_faults, find_timeline_faults
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task, chimera, interleaved, one_f_one_b, zb_h1

EXAMPLES = settings(deadline=None, max_examples=examples(50))

BOOK = (
    one_f_one_b(stages=4, micro_batches=6),
    interleaved(stages=3, micro_batches=3, chunks=2),
    zb_h1(stages=3, micro_batches=5),
    chimera(stages=4, micro_batches=4),
)


def lasts(rank: int, task: Task) -> int:
    """Return a duration that differs between kinds, stages, micro-batches and ranks."""
    return 5 + {"F": 0, "B": 7, "W": 2}[task.kind] + task.stage + 3 * task.micro_batch + 2 * rank


def travels(source: int, destination: int) -> int:
    return 2 + source + 3 * destination


def test_the_checker_shares_no_code_with_the_runner() -> None:
    imported = {
        node.module
        for node in ast.walk(ast.parse(inspect.getsource(pipeline_checker)))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {name for name in imported if name.startswith("snippets")} == {
        "snippets.domain",
        "snippets.parallelism.pipeline.schedules",
    }


def by_hand(*orders: str, splits_backward: bool = False) -> PipelineSchedule:
    rows = tuple(tuple(Task(word[0], int(word[1:]), s) for word in row.split()) for s, row in enumerate(orders))
    m = 1 + max(task.micro_batch for row in rows for task in row)
    return PipelineSchedule("by hand", rows, (tuple(range(len(orders))),), (0,) * m, splits_backward)


@pytest.mark.parametrize(
    ("schedule", "faults"),
    [
        (by_hand("F0 F1 B0", "F0 B0 F1 B1"), ("B1@0 is missing",)),
        (by_hand("F0 B0", splits_backward=True), ("W0@0 is missing",)),
        (by_hand("F0 F0 B0 B0 B0"), ("B0@0 stands 3 times", "F0@0 stands 2 times")),
        (by_hand("F0 F0"), ("B0@0 is missing", "F0@0 stands 2 times")),
        (by_hand("B0 F0"), ("B0@0 and F0@0 wait for each other",)),
        (by_hand("F0 W0 B0", splits_backward=True), ("B0@0 and W0@0 wait for each other",)),
        (
            by_hand("F0 B0 F1 B1", "F0 F1 B0 B1"),
            ("B0@0 and F1@0 and F1@1 and B0@1 wait for each other",),
        ),
    ],
)
def test_faults_of_schedules(schedule: PipelineSchedule, faults: tuple[str, ...]) -> None:
    def turned(text: str) -> list[str]:
        """A circle may be told from any of its tasks on."""
        if "wait for" not in text:
            return [text]
        names = text.removesuffix(" wait for each other").split(" and ")
        start = names.index(min(names))
        return names[start:] + names[:start]

    assert [turned(fault) for fault in find_pipeline_faults(schedule)] == [turned(fault) for fault in faults]
    with pytest.raises(ValueError, match="schedule must run every task once and in a possible order"):
        check_pipeline(schedule)


def test_check_counts_the_other_faults() -> None:
    with pytest.raises(ValueError, match=r"B0@0 stands 3 times \(and 1 more\)$"):
        check_pipeline(by_hand("F0 F0 B0 B0 B0"))
    with pytest.raises(ValueError, match=r"B1@0 is missing$"):
        check_pipeline(by_hand("F0 F1 B0", "F0 B0 F1 B1"))


def rows(times: tuple[tuple[Any, ...], ...]) -> list[list[Any]]:
    return [list(row) for row in times]


@EXAMPLES
@given(schedule=st.sampled_from(BOOK), data=st.data())
def test_a_tight_timeline_breaks_at_every_task(schedule: PipelineSchedule, data: st.DataObject) -> None:
    """Whatever starts earlier than the runner lets it starts too early: its rank or its input is not ready."""
    line = run_pipeline(schedule, lasts, message_s=travels)
    start, end = rows(line.start_s), rows(line.end_s)
    judge: dict[str, Any] = {"message_s": travels, "duration_s": lasts}
    assert find_timeline_faults(schedule, start_s=start, end_s=end, **judge) == ()
    rank = data.draw(st.integers(0, schedule.ranks - 1))
    position = data.draw(st.integers(0, len(start[rank]) - 1))
    early = data.draw(st.fractions(Fraction(1, 100), 1))
    start[rank][position] -= early
    end[rank][position] -= early
    assert find_timeline_faults(schedule, start_s=start, end_s=end, **judge)


@EXAMPLES
@given(schedule=st.sampled_from(BOOK), late=st.integers(0, 9), slow=st.integers(0, 3))
def test_waiting_is_no_fault(schedule: PipelineSchedule, late: int, slow: int) -> None:
    line = run_pipeline(schedule, lasts, message_s=lambda a, b: travels(a, b) + slow)
    start = [[time + late for time in row] for row in line.start_s]
    end = [[time + late for time in row] for row in line.end_s]
    assert find_timeline_faults(schedule, start_s=start, end_s=end, message_s=travels, duration_s=lasts) == ()


@EXAMPLES
@given(schedule=st.sampled_from(BOOK))
def test_message_times_are_respected(schedule: PipelineSchedule) -> None:
    line = run_pipeline(schedule, dict.fromkeys("FBW" if schedule.splits_backward else "FB", 1))
    times: dict[str, Any] = {"start_s": line.start_s, "end_s": line.end_s}
    assert find_timeline_faults(schedule, **times, message_s=0) == ()
    assert any("arrives at" in fault for fault in find_timeline_faults(schedule, **times, message_s=Fraction(1, 9)))


@EXAMPLES
@given(schedule=st.sampled_from(BOOK), data=st.data())
def test_durations_are_respected(schedule: PipelineSchedule, data: st.DataObject) -> None:
    line = run_pipeline(schedule, lasts)
    rank = data.draw(st.integers(0, schedule.ranks - 1))
    position = data.draw(st.integers(0, len(line.start_s[rank]) - 1))
    end = rows(line.end_s)
    end[rank][position] -= 1
    times: dict[str, Any] = {"start_s": line.start_s, "end_s": end}
    assert find_timeline_faults(schedule, **times) == ()
    faults = find_timeline_faults(schedule, **times, duration_s=lasts)
    assert len(faults) == 1
    assert "is not its duration" in faults[0]


def test_a_diagram_drawn_by_hand() -> None:
    """Correction 43: both stages of a drawn pipeline start B0 at once, though stage 0 must wait for stage 1."""
    schedule = one_f_one_b(stages=2, micro_batches=1)
    faults = find_timeline_faults(schedule, start_s=[[0, 2], [1, 2]], end_s=[[1, 4], [2, 4]])
    assert faults == ("B0@0 starts at 2, before B0@1 arrives at 4",)


@pytest.mark.parametrize(
    ("start", "end", "fault"),
    [
        ([[-1, 1]], [[0, 2]], "F0@0 starts at -1, before 0"),
        ([[2, 3]], [[1, 4]], "F0@0 ends at 1, before its start at 2"),
        ([[0]], [[1, 2]], "start_s must have one time for each task of each rank: [2]"),
        ([[0, 1]], [[1, 2, 3]], "end_s must have one time for each task of each rank: [2]"),
        ([], [[1, 2]], "start_s must have one time for each task of each rank: [2]"),
        ([[0, 1], []], [[1, 2]], "start_s must have one time for each task of each rank: [2]"),
    ],
)
def test_faults_of_times(start: Any, end: Any, fault: str) -> None:
    assert find_timeline_faults(by_hand("F0 B0"), start_s=start, end_s=end) == (fault,)


def test_a_broken_schedule_has_no_right_timeline() -> None:
    faults = find_timeline_faults(by_hand("B0 F0"), start_s=[[1, 0]], end_s=[[2, 1]])
    assert faults == ("B0@0 and F0@0 wait for each other",)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"start_s": None}, TypeError, "start_s must be a sequence"),
        ({"end_s": 3}, TypeError, "end_s must be a sequence"),
        ({"start_s": [None]}, TypeError, r"start_s\[0\] must be a sequence"),
        ({"end_s": ["12"]}, TypeError, r"end_s\[0\] must be a sequence"),
        ({"start_s": [[0, math.nan]]}, ValueError, r"start_s\[0\]\[1\] must be a finite number"),
        ({"end_s": [[math.inf, 2]]}, ValueError, r"end_s\[0\]\[0\] must be a finite number"),
        ({"end_s": [["1", 2]]}, ValueError, r"end_s\[0\]\[0\] must be a finite number"),
        ({"message_s": -1}, ValueError, "message_s must be"),
        ({"message_s": "x"}, ValueError, "message_s must be"),
        ({"message_s": math.nan}, ValueError, "message_s must be"),
        ({"duration_s": 3}, TypeError, "duration_s must be a function"),
        ({"schedule": None}, TypeError, "schedule must be a PipelineSchedule"),
    ],
)
def test_bad_input(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    good: dict[str, Any] = {"schedule": by_hand("F0 B0"), "start_s": [[0, 1]], "end_s": [[1, 2]]}
    assert find_timeline_faults(**good) == ()
    with pytest.raises(kind, match=message):
        find_timeline_faults(**good | change)


@pytest.mark.parametrize("function", [find_pipeline_faults, check_pipeline])
def test_no_schedule(function: Any) -> None:
    for bad in (None, 3, "F0 B0", [[0]]):
        with pytest.raises(TypeError, match="schedule must be a PipelineSchedule"):
            function(bad)
