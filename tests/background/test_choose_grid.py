"""What exercise 4 of chapter A1 expects is what simulated workers need and send, for every input and every grid."""

from __future__ import annotations

from typing import Any

import pytest

from exercises.background.linear_algebra.choose_grid import (
    EXERCISE,
    FITS,
    SENT,
    best_counted,
    choose_grid,
    grids_of,
    measured,
    observe_grid,
    room,
    traffic,
)

assert isinstance(EXERCISE.inputs, list)
PRODUCTS = sorted(
    {(i["m"], i["k"], i["n"], i["workers"], i["replicated"], i["element_bytes"]) for i in EXERCISE.inputs}
)


@pytest.mark.parametrize("product", PRODUCTS, ids=str)
def test_the_closed_forms_are_what_workers_need_and_send(product: tuple[Any, ...]) -> None:
    m, k, n, workers, replicated, element_bytes = product
    for grid in grids_of(workers):
        needed, sent = measured(m, k, n, grid, replicated, element_bytes)
        assert needed == room(m, k, n, grid, replicated) * element_bytes
        assert sent == traffic(m, k, n, grid, replicated) * element_bytes


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
            assert not seen[FITS] or seen[SENT] > wanted[SENT]


def test_several_grids_may_be_best() -> None:
    inputs = EXERCISE.examples[4]  # 4 × 4 × 4 on 4 workers with room for any grid
    best = best_counted(**inputs)
    found = [grid for grid in grids_of(4) if observe_grid(lambda grid=grid, **_: grid, **inputs) == best]
    assert found == [(1, 2, 2), (2, 1, 2), (2, 2, 1)]
