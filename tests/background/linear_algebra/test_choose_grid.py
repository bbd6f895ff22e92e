"""What exercise 4 of chapter A1 expects is what simulated workers need and send, for every input and every grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exercises.background.linear_algebra.choose_grid import (
    EXERCISE,
    FREE,
    ROOM,
    SENT,
    Grid,
    best_counted,
    choose_grid,
    grids_of,
    observe_grid,
    room,
    traffic,
)
from snippets.background.linear_algebra.simulators import grid_product

assert isinstance(EXERCISE.inputs, list)
PRODUCTS = sorted(
    {(i["m"], i["k"], i["n"], i["workers"], i["replicated"], i["element_bytes"]) for i in EXERCISE.inputs}
)


def measured(m: int, k: int, n: int, grid: Grid, replicated: Any, element_bytes: int) -> tuple[int, int]:
    """Run the workers of a grid; return the room that one needed besides its A and B, and what all sent, in bytes."""
    kind = {2: np.float16, 4: np.float32}[element_bytes]
    run = grid_product(np.zeros((m, k), kind), np.zeros((k, n), kind), grid=grid, replicated=replicated)
    needed = [peak - start for peak, start in zip(run.account.peak_bytes, run.account.start_bytes, strict=True)]
    return max(needed), sum(run.account.sent_bytes)


@pytest.mark.parametrize("product", PRODUCTS, ids=str)
def test_the_closed_forms_are_what_workers_need_and_send(product: tuple[Any, ...]) -> None:
    m, k, n, workers, replicated, element_bytes = product
    for grid in grids_of(workers):
        needed, sent = measured(m, k, n, grid, replicated, element_bytes)
        assert needed == room(m, k, n, grid, replicated) * element_bytes
        assert sent == traffic(m, k, n, grid, replicated) * element_bytes


@pytest.mark.parametrize("grid", [(4, 4, 4), (4, 2, 8)])
def test_so_they_are_on_64_workers(grid: Grid) -> None:
    needed, sent = measured(64, 64, 64, grid, "neither", 2)
    assert (needed, sent) == (2 * room(64, 64, 64, grid, "neither"), 2 * traffic(64, 64, 64, grid, "neither"))


def test_every_best_grid_passes_and_no_other_does() -> None:
    for inputs in EXERCISE.examples:
        wanted = best_counted(**inputs)
        passing = [
            grid
            for grid in grids_of(inputs["workers"])
            if observe_grid(lambda grid=grid, **_: grid, **inputs) == wanted
        ]
        assert choose_grid(**inputs) in passing
        for grid in set(grids_of(inputs["workers"])) - set(passing):
            seen = observe_grid(lambda grid=grid, **_: grid, **inputs)
            assert seen[ROOM] != FREE or seen[SENT] > wanted[SENT]


def test_several_grids_may_be_best() -> None:
    inputs = EXERCISE.examples[4]  # 4 × 4 × 4 on 4 workers with room for any grid
    best = best_counted(**inputs)
    found = [grid for grid in grids_of(4) if observe_grid(lambda grid=grid, **_: grid, **inputs) == best]
    assert found == [(1, 2, 2), (2, 1, 2), (2, 2, 1)]
