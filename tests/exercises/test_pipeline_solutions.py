"""The solutions of chapter 18's exercises against the runner, the checker and brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exercises.parallelism.pipeline import solution
from snippets.parallelism.pipeline_checker import check
from snippets.parallelism.pipeline_runner import peak_activations, run_pipeline
from snippets.parallelism.pipeline_schedules import (
    PipelineSchedule,
    Task,
    dualpipe,
    gpipe,
    interleaved,
    one_f_one_b,
    zb_h1,
    zb_h2,
)

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@given(p=st.integers(1, 7), m=st.integers(1, 12))
def test_one_f_one_b_order(p: int, m: int) -> None:
    orders = [solution.one_f_one_b_order(stages=p, micro_batches=m, stage=stage) for stage in range(p)]
    tasks = tuple(tuple(Task(kind, i, stage) for kind, i in order) for stage, order in enumerate(orders))
    schedule = PipelineSchedule("answer", tasks, (tuple(range(p)),), (0,) * m, splits_backward=False)
    check(schedule)
    line = run_pipeline(schedule, {"F": 1, "B": 2})
    assert line.makespan_s == 3 * (m + p - 1)
    assert line.peak_activations == tuple(min(m, p - stage) for stage in range(p))


@given(p=st.integers(1, 9), x=st.fractions(Fraction(1, 60), Fraction(59, 60), max_denominator=60), v=st.integers(1, 3))
def test_least_micro_batches(p: int, x: Fraction, v: int) -> None:
    least = solution.least_micro_batches(stages=p, bubble=x, chunks=v)
    start = p if v > 1 else 1
    brute = next(m for m in range(start, 10**6) if Fraction(p - 1, v * m + p - 1) < x)
    assert least == brute


def test_least_micro_batches_of_the_chapter() -> None:
    assert solution.least_micro_batches(stages=8, bubble=Fraction(1, 20)) == 134


@pytest.mark.parametrize(
    "schedule",
    [
        gpipe(stages=4, micro_batches=8),
        one_f_one_b(stages=4, micro_batches=8),
        interleaved(stages=4, micro_batches=8, chunks=2),
        zb_h1(stages=4, micro_batches=8),
        zb_h2(stages=3, micro_batches=2),
        dualpipe(stages=4, micro_batches=10),
    ],
    ids=lambda schedule: schedule.name,
)
def test_peak_activations(schedule: PipelineSchedule) -> None:
    orders = [[(task.kind, task.micro_batch) for task in order] for order in schedule.orders]
    assert tuple(map(solution.peak_activations, orders)) == peak_activations(schedule)


@given(layers=st.lists(st.integers(1, 20), min_size=1, max_size=9), data=st.data())
def test_cut_layers(layers: list[int], data: st.DataObject) -> None:
    p = data.draw(st.integers(1, len(layers)))
    sizes = solution.cut_layers(layers, stages=p)
    assert len(sizes) == p
    assert sum(sizes) == len(layers)
    assert min(sizes) >= 1

    def pace(cuts: tuple[int, ...]) -> int:
        edges = [0, *cuts, len(layers)]
        return max(sum(layers[a:b]) for a, b in pairwise(edges))

    best = min(pace(cuts) for cuts in combinations(range(1, len(layers)), p - 1))
    assert pace(tuple(sum(sizes[:k]) for k in range(1, p))) == best
