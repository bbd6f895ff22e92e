"""The grid of ranks and chunks, and what each rank holds after each round, against the definitions and the runner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from collective_cases import WITH_DATA, schedule_of, sizes
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.grid import run_on_grid
from snippets.simulation.algorithms import ALGORITHMS
from snippets.simulation.holdings import holdings
from snippets.simulation.runner import run
from snippets.simulation.schedule import PRIMITIVES, ROOTED, Schedule, ScheduledSend

EXAMPLES = settings(max_examples=examples(25), deadline=None)


def defined(primitive: str, grid: Any, root: int) -> Any:
    """What the chapter's table says, entry by entry; empty cells are 0."""
    ranks = len(grid)
    total, owned = grid.sum(axis=0), np.diag(grid)
    if primitive == "all_to_all":
        return grid.T
    source = {"broadcast": grid[root], "scatter": grid[root], "gather": owned, "all_gather": owned}.get(
        primitive, total
    )
    after = np.zeros_like(grid)
    for row in range(ranks):
        for column in range(ranks):
            filled = {
                "reduce": row == root,
                "gather": row == root,
                "scatter": row == column,
                "reduce_scatter": row == column,
            }.get(primitive, True)
            after[row, column] = source[column] * filled
    return after


@pytest.mark.parametrize("primitive", [name for name in PRIMITIVES if name != "barrier"])
@EXAMPLES
@given(data=st.data(), ranks=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_the_grid_after_is_the_definition(primitive: str, data: st.DataObject, ranks: int, seed: int) -> None:
    grid = np.random.default_rng(seed).integers(-99, 100, (ranks, ranks))
    root = data.draw(st.integers(0, ranks - 1)) if primitive in ROOTED else 0
    algorithm = data.draw(st.sampled_from((None, *ALGORITHMS[primitive])))
    done = run_on_grid(primitive, grid, algorithm=algorithm, root=root)
    assert np.array_equal(done.after, defined(primitive, grid, root))
    assert np.array_equal(done.fills, defined(primitive, np.ones_like(grid), root) > 0)
    ignored = np.where(done.reads, grid, 7)
    assert np.array_equal(run_on_grid(primitive, ignored, root=root).after, done.after)


def test_the_grid_does_not_change() -> None:
    grid = np.ones((3, 3), dtype=np.int64)
    run_on_grid("all_reduce", grid)
    assert grid.sum() == 9


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.zeros(4), np.zeros((0, 0))])
def test_a_bad_grid_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="grid must have"):
        run_on_grid("broadcast", bad)


def test_a_barrier_has_no_grid() -> None:
    with pytest.raises(ValueError, match="primitive must be one of"):
        run_on_grid("barrier", np.zeros((2, 2)))


@pytest.mark.parametrize(("primitive", "algorithm"), WITH_DATA)
@EXAMPLES
@given(data=st.data())
def test_holdings_are_what_the_runner_adds_up(primitive: str, algorithm: str, data: st.DataObject) -> None:
    schedule = schedule_of(primitive, algorithm, data.draw(sizes(primitive, algorithm)))
    moments = holdings(schedule)
    assert len(moments) == len(schedule.rounds) + 1
    brought = [sum(stop - start for start, stop in schedule.input_ranges(rank)) for rank in range(schedule.ranks)]
    outputs = run(schedule, [np.full(size, 1 << rank) for rank, size in enumerate(brought)]).outputs
    for rank, output in enumerate(outputs):
        places = [place for start, stop in schedule.output_ranges(rank) for place in range(start, stop)]
        assert output.tolist() == [sum(1 << term for term in moments[-1][rank][place]) for place in places]


def test_a_rank_holds_at_first_what_it_brings_and_adds_to_nothing_what_is_new() -> None:
    zero, one = frozenset((0,)), frozenset((1,))
    halves = Schedule("gather", "by hand", 2, 4, ((ScheduledSend(1, 0, ((2, 4),), True),),))
    assert holdings(halves) == (
        ({0: zero, 1: zero}, {2: one, 3: one}),
        ({0: zero, 1: zero, 2: one, 3: one}, {2: one, 3: one}),
    )


def test_holdings_refuse_what_is_not_held() -> None:
    hollow = Schedule("broadcast", "by hand", 2, 1, ((ScheduledSend(1, 0, ((0, 1),), False),),))
    with pytest.raises(ValueError, match="round 0, address 0"):
        holdings(hollow)
    with pytest.raises(ValueError, match="must be a Schedule"):
        holdings("ring")  # type: ignore[arg-type]
