"""Muon's work by running its iteration, Shampoo's state by making it, and whole matrices' owners by brute force."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero import matrix_optimizers as optimizers

side = st.integers(1, 12)


class Counter:
    """Multiplies matrices and counts the operations."""

    def __init__(self) -> None:
        self.flops = 0

    def times(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.flops += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return np.asarray(a @ b)


@given(side, side, st.integers(1, 6))
def test_newton_schulz_by_running_it(rows: int, columns: int, steps: int) -> None:
    x = np.random.default_rng(0).normal(size=(rows, columns))
    x = x.T if rows > columns else x
    x /= np.linalg.norm(x)
    counter = Counter()
    for _ in range(steps):
        a = counter.times(x, x.T)
        b = -4.7750 * a + 2.0315 * counter.times(a, a)
        x = 3.4445 * x + counter.times(b, x)
    assert optimizers.newton_schulz_flops(rows=rows, columns=columns, steps=steps) == counter.flops
    small, large = sorted((rows, columns))
    assert counter.flops <= steps * 6 * small**2 * large


@given(side, side, st.one_of(st.none(), side))
def test_shampoo_by_making_its_matrices(rows: int, columns: int, block: int | None) -> None:
    gradient = np.ones((rows, columns))
    step = block or max(rows, columns)
    kept = 0
    for i, j in product(range(0, rows, step), range(0, columns, step)):
        part = gradient[i : i + step, j : j + step]
        kept += (part @ part.T).size + (part.T @ part).size
    assert optimizers.shampoo_numbers(rows=rows, columns=columns, block=block) == kept


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 3))
def test_owners_by_trying_all(sizes: list[int], ranks: int) -> None:
    given = optimizers.assign_whole(sizes, ranks=ranks)
    loads = [sum(size for size, owner in zip(sizes, given.owners, strict=True) if owner == r) for r in range(ranks)]
    assert given.loads == tuple(loads)
    assert given.imbalance == pytest.approx(max(loads) / (sum(sizes) / ranks))
    best = min(
        max(sum(size for size, owner in zip(sizes, owners, strict=True) if owner == rank) for rank in range(ranks))
        for owners in product(range(ranks), repeat=len(sizes))
    )
    assert best <= max(loads) <= best * (4 / 3 - 1 / (3 * ranks)) + 1e-9


def test_nobody_owns_nothing() -> None:
    assert optimizers.assign_whole([], ranks=3).loads == (0, 0, 0)
    assert optimizers.assign_whole([], ranks=3).imbalance == 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: optimizers.assign_whole([0], ranks=1), "sizes"),
        (lambda: optimizers.assign_whole([1], ranks=0), "ranks"),
        (lambda: optimizers.shampoo_numbers(rows=1, columns=1, block=0), "block"),
        (lambda: optimizers.shampoo_numbers(rows=1, columns=0), "columns"),
        (lambda: optimizers.newton_schulz_flops(rows=0, columns=1), "rows"),
        (lambda: optimizers.newton_schulz_flops(rows=1, columns=1, steps=0), "steps"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()
