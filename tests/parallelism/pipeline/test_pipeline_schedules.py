"""The builders' orders against the papers' rules, and what a schedule must be to exist."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.parallelism.pipeline.checker import check_pipeline
from snippets.parallelism.pipeline.schedules import (
    PipelineSchedule,
    Task,
    build_pipeline,
    chimera,
    dualpipe,
    dualpipev,
    gpipe,
    interleaved,
    one_f_one_b,
    zb_h1,
    zb_h2,
)

EXAMPLES = settings(deadline=None, max_examples=examples(50))
sizes = st.integers(1, 9)


def kinds(order: tuple[Task, ...]) -> str:
    return "".join(task.kind for task in order)


def warmup(order: tuple[Task, ...]) -> int:
    """Return the forwards before the first backward."""
    return kinds(order).index("B")


@EXAMPLES
@given(p=sizes, m=st.integers(1, 24))
def test_1f1b_warms_up_and_alternates(p: int, m: int) -> None:
    """Correction 43: p − s − 1 forwards, then F and B in turn, then the backwards that are left."""
    schedule = one_f_one_b(stages=p, micro_batches=m)
    check_pipeline(schedule)
    for stage, order in enumerate(schedule.orders):
        ahead = min(p - stage - 1, m)
        assert kinds(order) == "F" * ahead + "FB" * (m - ahead) + "B" * ahead
        for kind in "FB":
            assert [task.micro_batch for task in order if task.kind == kind] == list(range(m))


@EXAMPLES
@given(p=sizes, m=st.integers(1, 24))
def test_gpipe_runs_all_forwards_first(p: int, m: int) -> None:
    schedule = gpipe(stages=p, micro_batches=m)
    check_pipeline(schedule)
    assert all(kinds(order) == "F" * m + "B" * m for order in schedule.orders)


@EXAMPLES
@given(p=sizes, m=st.integers(1, 24), build=st.sampled_from((zb_h1, zb_h2)))
def test_zero_bubble_orders(p: int, m: int, build: Callable[..., PipelineSchedule]) -> None:
    schedule = build(stages=p, micro_batches=m)
    check_pipeline(schedule)
    assert schedule.splits_backward
    for stage, order in enumerate(schedule.orders):
        whole = p - stage if build is zb_h1 else 2 * (p - stage) - 1
        delay = stage if build is zb_h1 else 2 * stage
        assert warmup(order) == min(whole, m)
        started = [task.micro_batch for task in order if task.kind == "B"]
        assert started == list(range(m))
        for position, task in enumerate(order):
            if task.kind == "W" and "B" in kinds(order[position:]):
                assert kinds(order[:position]).count("B") == task.micro_batch + delay + 1
    # ZB-H1 without its weight gradients is 1F1B.
    if build is zb_h1:
        plain = tuple(tuple(task for task in order if task.kind != "W") for order in schedule.orders)
        assert plain == one_f_one_b(stages=p, micro_batches=m).orders


@EXAMPLES
@given(p=st.integers(1, 6), groups=st.integers(1, 3), v=st.integers(1, 4))
def test_interleaved_order_is_megatrons(p: int, groups: int, v: int) -> None:
    m = p * groups
    schedule = interleaved(stages=p, micro_batches=m, chunks=v)
    check_pipeline(schedule)
    assert schedule.placements == (tuple(range(p)) * v,)
    for rank, order in enumerate(schedule.orders):
        assert warmup(order) == min(2 * (p - rank - 1) + (v - 1) * p + 1, m * v)
        forwards = [task for task in order if task.kind == "F"]
        backwards = [task for task in order if task.kind == "B"]
        for k, (forward, backward) in enumerate(zip(forwards, backwards, strict=True)):
            # Megatron's get_model_chunk_id: the k-th virtual micro-batch is of chunk (k mod pv) div p.
            chunk, i = k % (p * v) // p, k // (p * v) * p + k % p
            assert forward == ("F", i, chunk * p + rank)
            assert backward == ("B", i, (v - 1 - chunk) * p + rank)


def test_megatrons_table_for_five_micro_batches_in_groups_of_three() -> None:
    """Megatron-LM's documentation of get_schedule_table: PP2 N3M5 with two chunks."""
    forwards = [
        task for task in interleaved(stages=2, micro_batches=5, chunks=2, group=3).orders[0] if task.kind == "F"
    ]
    assert [task.micro_batch for task in forwards] == [0, 1, 2, 0, 1, 2, 3, 4, 3, 4]
    assert [task.stage // 2 for task in forwards] == [0, 0, 0, 1, 1, 1, 0, 0, 1, 1]


@EXAMPLES
@given(half=st.integers(1, 5), units=st.integers(1, 3))
def test_chimera_is_symmetric_and_valid(half: int, units: int) -> None:
    p, m = 2 * half, 2 * half * units
    schedule = chimera(stages=p, micro_batches=m)
    check_pipeline(schedule)
    assert [schedule.directions.count(d) for d in (0, 1)] == [m // 2, m // 2]
    mirror = {i: i + half if i % p < half else i - half for i in range(m)}
    for rank in range(p):
        mirrored = tuple(task._replace(micro_batch=mirror[task.micro_batch]) for task in schedule.orders[rank])
        # The other direction's rank does the mirrored work; slots of the two never coincide.
        assert sorted(mirrored) == sorted(schedule.orders[p - 1 - rank])


def test_chimera_of_four_stages() -> None:
    """Two pipelines of two micro-batches each, F and B in equal slots: 10 slots, two of them idle on each rank."""
    assert chimera(stages=4, micro_batches=4).text().splitlines()[:2] == [
        "rank 0: F0@0 F1@0 F2@3 B2@3 F3@3 B3@3 B0@0 B1@0",
        "rank 1: F0@1 F2@2 F1@1 F3@2 B2@2 B0@1 B3@2 B1@1",
    ]


@EXAMPLES
@given(half=st.integers(1, 6), extra=st.integers(0, 8))
def test_dualpipe_follows_its_eight_steps(half: int, extra: int) -> None:
    p, m = 2 * half, 4 * half + 2 * extra
    schedule = dualpipe(stages=p, micro_batches=m)
    check_pipeline(schedule)
    for rank, order in enumerate(schedule.orders):
        depth = min(rank, p - 1 - rank)
        rest, own = half - depth - 1, depth + 1
        # A whole backward is B then W; only the last ones put W off.
        expected = "F" * (2 * rest) + "FF" * own + "BWF" * rest + "FBW" * 2 * (m // 2 - p + own)
        expected += "BWFBW" * rest + "BW" * own + "B" * own + "WB" * rest + "W" * own
        assert kinds(order) == expected
        near = [task for task in order if task.stage == depth]
        assert len(near) == 3 * m // 2
        first = near[0].micro_batch
        assert first == (0 if rank < half else m // 2)
    mirror = {i: (i + m // 2) % m for i in range(m)}
    for rank in range(p):
        mirrored = tuple(task._replace(micro_batch=mirror[task.micro_batch]) for task in schedule.orders[rank])
        assert mirrored == schedule.orders[p - 1 - rank]


def test_a_schedule_knows_its_sizes() -> None:
    schedule = interleaved(stages=3, micro_batches=6, chunks=2)
    assert (schedule.ranks, schedule.stages, schedule.micro_batches) == (3, 6, 6)
    assert schedule.rank_of(Task("B", 2, 4)) == 1
    assert chimera(stages=2, micro_batches=2).rank_of(Task("F", 1, 0)) == 1
    assert gpipe(stages=2, micro_batches=1).text() == "rank 0: F0 B0\nrank 1: F0 B0"
    assert "orders" not in repr(schedule)


BUILDERS: dict[str, tuple[Callable[..., PipelineSchedule], dict[str, Any]]] = {
    "gpipe": (gpipe, {"stages": 2, "micro_batches": 4}),
    "one_f_one_b": (one_f_one_b, {"stages": 2, "micro_batches": 4}),
    "interleaved": (interleaved, {"stages": 2, "micro_batches": 4, "chunks": 2, "group": 2}),
    "zb_h1": (zb_h1, {"stages": 2, "micro_batches": 4}),
    "zb_h2": (zb_h2, {"stages": 2, "micro_batches": 4}),
    "chimera": (chimera, {"stages": 2, "micro_batches": 4}),
    "dualpipe": (dualpipe, {"stages": 2, "micro_batches": 4}),
    "dualpipev": (dualpipev, {"stages": 2, "micro_batches": 4}),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_builders_refuse_bad_sizes(name: str) -> None:
    build, good = BUILDERS[name]
    build(**good)
    for argument in good:
        for bad in (0, -1, 1.5, math.nan, math.inf, "2", True, [2], 1j, object()):
            with pytest.raises(ValueError, match=argument):
                build(**good | {argument: bad})
        if argument != "group":
            with pytest.raises(ValueError, match=argument):
                build(**good | {argument: None})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("chimera", {"stages": 3}, "stages must be an even integer"),
        ("chimera", {"micro_batches": 3}, "micro_batches must be a multiple of stages"),
        ("dualpipe", {"stages": 3}, "stages must be an even integer"),
        ("dualpipe", {"micro_batches": 5}, "micro_batches must be an even integer"),
        ("dualpipe", {"micro_batches": 2}, "micro_batches must be an even integer of at least 2 · stages"),
        (
            "dualpipe",
            {"stages": 6, "micro_batches": 10},
            "micro_batches must be an even integer of at least 2 · stages",
        ),
        ("dualpipev", {"micro_batches": 3}, "micro_batches must be an integer of at least 2 · stages .4., got 3"),
        ("interleaved", {"group": 1}, "group must be an integer of at least stages"),
        ("interleaved", {"micro_batches": 5}, "micro_batches must be a multiple of group .2. .*leaves 1"),
        ("interleaved", {"micro_batches": 1}, "micro_batches must be a multiple of group"),
    ],
)
def test_builders_refuse_what_does_not_fit(name: str, change: dict[str, Any], message: str) -> None:
    build, good = BUILDERS[name]
    with pytest.raises(ValueError, match=message):
        build(**good | change)


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("1F1B", "one_f_one_b"),
        ("1f1b", "one_f_one_b"),
        ("one_f_one_b", "one_f_one_b"),
        ("DAPPLE", "one_f_one_b"),
        ("GPipe", "gpipe"),
        ("ZB-H1", "zb_h1"),
        ("zero-bubble H2", "zb_h2"),
        ("DualPipe", "dualpipe"),
        ("DualPipeV", "dualpipev"),
    ],
)
def test_a_schedule_is_found_by_what_the_field_calls_it(spelled: str, name: str) -> None:
    build, good = BUILDERS[name]
    assert build_pipeline(spelled, **good) == build(**good)


def test_only_the_interleaved_schedule_has_chunks() -> None:
    size = {"stages": 2, "micro_batches": 4}
    assert build_pipeline("interleaved 1F1B", **size, chunks=3) == interleaved(**size, chunks=3)
    with pytest.raises(ValueError, match="chunks must be 1 for gpipe, got 2"):
        build_pipeline("gpipe", **size, chunks=2)
    with pytest.raises(ValueError, match=r"schedule must be one of 'gpipe', .*, got '2F2B'"):
        build_pipeline("2F2B", **size)


F, B = Task("F", 0, 0), Task("B", 0, 0)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"orders": ()}, ValueError, "orders must be a tuple of at least one entry"),
        ({"orders": [(F, B)]}, ValueError, "orders must be a tuple"),
        ({"orders": ([F, B],)}, TypeError, r"orders\[0\] must be a tuple of Task"),
        ({"orders": ((F, ("B", 0, 0)),)}, TypeError, r"orders\[0\] must be a tuple of Task"),
        ({"orders": ((F, Task("X", 0, 0)),)}, ValueError, r"orders\[0\] must hold tasks of kind F, B, got 'X'"),
        ({"orders": ((F, Task("W", 0, 0)),)}, ValueError, r"orders\[0\] must hold tasks of kind F, B, got 'W'"),
        ({"orders": ((F, Task([], 0, 0)),)}, ValueError, r"orders\[0\] must hold tasks of kind"),  # type: ignore
        ({"orders": ((F, Task("B", 1, 0)),)}, ValueError, r"micro_batch in orders\[0\] must be from 0 to 0, got 1"),
        ({"orders": ((F, Task("B", -1, 0)),)}, ValueError, r"micro_batch in orders\[0\] must be from 0 to 0, got -1"),
        ({"orders": ((F, Task("B", 0, 1)),)}, ValueError, r"stage in orders\[0\] must be from 0 to 0, got 1"),
        ({"orders": ((F, Task("B", 0.0, 0)),)}, TypeError, r"micro_batch in orders\[0\] must be of type int"),  # type: ignore
        ({"orders": ((F, Task("B", 0, None)),)}, TypeError, r"stage in orders\[0\] must be of type int"),  # type: ignore
        ({"orders": ((F,), (B,))}, ValueError, r"orders\[1\] must hold tasks of stages that live on rank 1"),
        ({"placements": ()}, ValueError, "placements must be a tuple of at least one entry"),
        ({"placements": ((),)}, ValueError, r"placements\[0\] must be a tuple of at least one rank"),
        ({"placements": (0,)}, ValueError, r"placements\[0\] must be a tuple of at least one rank"),
        ({"placements": ((1,),)}, ValueError, r"placements\[0\] must be from 0 to 0, got 1"),
        ({"placements": (("0",),)}, TypeError, r"placements\[0\] must be of type int"),
        ({"placements": ((0,), (0, 0))}, ValueError, r"placements\[1\] must name as many stages as placements\[0\]"),
        ({"directions": ()}, ValueError, "directions must be a tuple of at least one entry"),
        ({"directions": (1,)}, ValueError, "directions must be from 0 to 0, got 1"),
        ({"directions": (True,)}, TypeError, "directions must be of type int"),
        ({"splits_backward": 1}, ValueError, "splits_backward must be True or False"),
        ({"name": 3}, TypeError, "name must be a text"),
    ],
)
def test_a_schedule_must_be_well_formed(change: dict[str, Any], kind: type[Exception], message: str) -> None:
    good = PipelineSchedule("alone", ((F, B),), ((0,),), (0,), splits_backward=False)
    check_pipeline(good)
    with pytest.raises(kind, match=message):
        dataclasses.replace(good, **change)


def test_a_task_reads_as_in_the_pictures() -> None:
    assert str(Task("W", 12, 3)) == "W12@3"
