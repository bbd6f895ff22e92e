"""The solutions of chapter 12's exercises, against the book's runner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.collectives.primitives.solution import (
    FROM_TO,
    all_reduce_by_all_to_all,
    column_matrix,
    ring_all_reduce_replay,
)
from snippets.collectives.algorithms import build
from snippets.collectives.grid import run_on_grid
from snippets.collectives.runner import run
from snippets.collectives.schedule import ROOTED

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)

EXAMPLES = settings(max_examples=examples(30), deadline=None)


@pytest.mark.parametrize("primitive", sorted(FROM_TO))
@EXAMPLES
@given(ranks=st.integers(1, 8), data=st.data(), seed=st.integers(0, 2**32))
def test_the_matrix_does_what_the_messages_do(primitive: str, ranks: int, data: st.DataObject, seed: int) -> None:
    root = data.draw(st.integers(0, ranks - 1)) if primitive in ROOTED else 0
    grid = np.random.default_rng(seed).integers(-99, 100, (ranks, ranks))
    after = run_on_grid(primitive, grid, root=root).after
    for column in range(ranks):
        matrix = np.array(column_matrix(primitive, ranks=ranks, column=column, root=root))
        assert np.array_equal(matrix @ grid[:, column], after[:, column])


def test_the_transpose_of_the_scatter_is_the_gather() -> None:
    for column in range(5):
        scatter = np.array(column_matrix("scatter", ranks=5, column=column, root=2))
        assert np.array_equal(scatter.T, column_matrix("gather", ranks=5, column=column, root=2))


@EXAMPLES
@given(ranks=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_two_all_to_alls_are_an_all_reduce_with_the_bytes_of_a_ring(ranks: int, seed: int) -> None:
    grid = np.random.default_rng(seed).integers(-99, 100, (ranks, ranks))
    sent = np.zeros(ranks, dtype=np.int64)

    def all_to_all(rows: list[list[float]]) -> list[list[float]]:
        nonlocal sent
        done = run_on_grid("all_to_all", rows)
        sent = sent + np.array(done.account.sent_bytes)
        result: list[list[float]] = done.after.tolist()
        return result

    result = all_reduce_by_all_to_all(grid.tolist(), all_to_all=all_to_all)
    ring = run_on_grid("all_reduce", grid)
    assert np.array_equal(result, ring.after)
    assert np.array_equal(sent, ring.account.sent_bytes)


@EXAMPLES
@given(ranks=st.integers(1, 9), length=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_the_replay_has_the_runners_bits(ranks: int, length: int, seed: int) -> None:
    vectors: Any = np.random.default_rng(seed).normal(size=(ranks, length))
    outputs = run(build("all_reduce", "ring", ranks=ranks, length=length), list(vectors)).outputs
    replay = np.array(ring_all_reduce_replay(vectors.tolist()))
    assert all(replay.tobytes() == output.tobytes() for output in outputs)
