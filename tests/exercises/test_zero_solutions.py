"""Solutions of chapter 22 against a replicated Adam, brute force over ranks, and all assignments."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercises.memory.zero import solution
from snippets.memory.sharded_adam import Adam, adam_update
from snippets.memory.zero import zero_state_bytes, zero_traffic_elements


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 3))
def test_zero1_is_the_replicated_step(ranks: int, count: int, steps: int) -> None:
    rng = np.random.default_rng(count)
    start = rng.normal(size=count)
    copies = [start.copy() for _ in range(ranks)]
    first = [np.zeros(piece.size) for piece in np.array_split(start, ranks)]
    second = [np.zeros(piece.size) for piece in np.array_split(start, ranks)]
    whole, m, v = start.copy(), np.zeros(count), np.zeros(count)
    for step in range(1, steps + 1):
        gradients = [rng.normal(size=count) for _ in range(ranks)]
        sent = solution.zero1_step(
            parameters=copies, gradients=gradients, first=first, second=second, step=step, learning_rate=0.01
        )
        adam_update(whole, m, v, np.mean(gradients, axis=0), step=step, adam=Adam(learning_rate=0.01))
        for mine in copies:
            assert mine == pytest.approx(whole, rel=1e-9, abs=1e-12)
        assert np.concatenate(first) == pytest.approx(m)
        assert np.concatenate(second) == pytest.approx(v)
        moves = [zero_traffic_elements(count, ranks=ranks, stage=1, rank=rank).sent for rank in range(ranks)]
        assert sent == moves


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 60), st.integers(0, 1200), st.integers(0, 100), st.integers(0, 3))
def test_fewest_ranks_by_trying_them(parameters: int, memory: int, other: int, stage: int) -> None:
    got = solution.fewest_ranks(parameters=parameters, memory_bytes=memory, other_bytes=other, stage=stage)
    fits = (
        ranks
        for ranks in range(1, parameters + 1)
        if zero_state_bytes(parameters, ranks=ranks, stage=stage).total + other <= memory
    )
    assert got == next(fits, None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 3))
def test_owners_within_grahams_bound(sizes: list[int], ranks: int) -> None:
    def heaviest(owner: tuple[int, ...]) -> int:
        return max(sum(s for s, o in zip(sizes, owner, strict=True) if o == rank) for rank in range(ranks))

    best = min(heaviest(owner) for owner in product(range(ranks), repeat=len(sizes)))
    assert heaviest(tuple(solution.owners(sizes, ranks))) <= best * (4 / 3 - 1 / (3 * ranks)) + 1e-9
