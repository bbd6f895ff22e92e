"""The formulas of matrix products: hand-computed values, definitions by counting, and refusals.

The costs of splits are compared with simulations in ``test_block_products.py``.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.background.linear_algebra.formulas import (
    best_gemm_grid,
    block_ranges,
    column_split,
    gemm_arithmetic_intensity,
    gemm_flops,
    gemm_words,
    global_norm,
    grid_split,
    grid_traffic_words,
    k_split,
    rounding_bound,
    row_split,
    weighted_mean,
)

DIMENSION = st.integers(0, 6)


@given(DIMENSION, DIMENSION, DIMENSION)
def test_flops_and_words_count_what_the_triple_loop_does(m: int, k: int, n: int) -> None:
    operations, touched = 0, set()
    for i in range(m):
        for j in range(n):
            touched.add(("C", i, j))
            for _ in range(k):
                operations += 1  # the multiplication
                operations += 1  # the addition
    touched |= {("A", i, x) for i in range(m) for x in range(k)} | {("B", x, j) for x in range(k) for j in range(n)}
    assert gemm_flops(m=m, k=k, n=n) == operations
    assert gemm_words(m=m, k=k, n=n) == len(touched)


def test_a_square_product_by_hand() -> None:
    # 2·4096³ FLOP over 3·4096² numbers of 2 bytes: 4096/3 FLOP a byte. Without C it would be 2048.
    assert gemm_arithmetic_intensity(m=4096, k=4096, n=4096, element_bytes=2) == pytest.approx(4096 / 3)
    assert gemm_words(m=4096, k=4096, n=4096) == 3 * 2**24


def test_a_matrix_vector_product_is_bound_by_its_matrix() -> None:
    intensity = gemm_arithmetic_intensity(m=1, k=4096, n=14336, element_bytes=2)
    assert intensity == pytest.approx(1, rel=1e-3)
    assert intensity < 1


@given(st.integers(0, 60), st.integers(1, 20))
def test_block_ranges_are_those_of_array_split(length: int, parts: int) -> None:
    expected = [part.tolist() for part in np.array_split(np.arange(length), parts)]
    assert [list(part) for part in block_ranges(length, parts)] == expected


def test_an_even_split_by_hand() -> None:
    """T = 4, m = 8, k = 4, n = 6 and 2 bytes: C has 48 numbers, so a phase of a ring sends 3/4·48·2 = 72 bytes."""
    case = {"m": 8, "k": 4, "n": 6, "ranks": 4, "rank": 2, "element_bytes": 2}
    rows, gathered = row_split(**case, result="sharded"), row_split(**case, result="replicated")
    assert (rows.input_bytes, rows.output_bytes, rows.sent_bytes, rows.steps) == ((2 * 4 + 24) * 2, 24, 0, 0)
    assert (gathered.output_bytes, gathered.sent_bytes, gathered.received_bytes, gathered.steps) == (96, 72, 72, 3)
    summed, left = k_split(**case, result="replicated"), k_split(**case, result="sharded")
    assert (summed.input_bytes, summed.sent_bytes, summed.steps) == ((8 + 6) * 2, 144, 6)
    assert (left.output_bytes, left.sent_bytes, left.steps, left.reduction_flops) == (24, 72, 3, 36)
    assert left.product_flops == 2 * 8 * 1 * 6


def test_a_grid_by_hand() -> None:
    """(2, 2, 2) on 8 × 8 × 8: a layer's k is 4, blocks of A and B are 4 × 2 and 2 × 4, of C 4 × 4."""
    share = grid_split(m=8, k=8, n=8, grid=(2, 2, 2), rank=(1, 0, 1), element_bytes=1)
    assert share.input_bytes == 8 + 8
    assert share.output_bytes == 8
    assert share.sent_bytes == share.received_bytes == 8 + 8 + 8
    assert share.product_flops == 2 * 4 * 4 * 4
    assert share.steps == 2 * 1 + 1


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_workers_of_a_grid_send_alike_where_everything_divides(x: int, y: int, z: int, r: int, c: int, d: int) -> None:
    shape = {"m": x * r * d, "k": y * d * r * c, "n": z * c}
    average = Fraction(grid_traffic_words(**shape, grid=(r, c, d)), r * c * d)
    for rank in ((0, 0, 0), (r - 1, c - 1, d - 1)):
        assert grid_split(**shape, grid=(r, c, d), rank=rank, element_bytes=1).sent_bytes == average


@given(st.lists(st.lists(st.floats(-1e3, 1e3), max_size=5), max_size=5), st.sampled_from([1.0, 1.5, 2.0, math.inf]))
def test_a_norm_from_shards_is_the_norm_of_the_whole(shards: list[list[float]], order: float) -> None:
    def norm(values: list[float]) -> float:
        return float(np.linalg.norm(np.array(values), ord=order)) if values else 0.0

    whole = norm([value for shard in shards for value in shard])
    assert global_norm([norm(shard) for shard in shards], order=order) == pytest.approx(whole, rel=1e-12, abs=1e-150)


def test_a_norm_does_not_overflow() -> None:
    assert global_norm([3e200, 4e200]) == pytest.approx(5e200)
    assert global_norm([3e-200, 4e-200]) == pytest.approx(5e-200)


@given(st.lists(st.lists(st.integers(-99, 99), max_size=6), min_size=1, max_size=5).filter(any))
def test_the_weighted_mean_is_the_mean_of_all(shards: list[list[int]]) -> None:
    everything = [value for shard in shards for value in shard]
    means = [sum(shard) / len(shard) if shard else 0.0 for shard in shards]
    expected = sum(everything) / len(everything)
    assert weighted_mean(means, [len(shard) for shard in shards]) == pytest.approx(expected, abs=1e-12)


def test_equal_weights_would_be_wrong() -> None:
    assert weighted_mean([1.0, 4.0], [3, 1]) == 1.75 != (1.0 + 4.0) / 2


@given(st.integers(1, 300), st.integers(0, 2**32 - 1), st.integers(1, 12), st.permutations(list(range(12))))
def test_any_order_of_the_sum_obeys_the_rounding_bound(k: int, seed: int, parts: int, order: list[int]) -> None:
    generator = np.random.default_rng(seed)
    a, b = generator.normal(size=(3, k)).astype(np.float32), generator.normal(size=(k, 2)).astype(np.float32)
    total = np.zeros((3, 2), dtype=np.float32)
    pieces = block_ranges(k, parts)
    for part in (pieces[number] for number in order if number < parts):
        total += a[:, part.start : part.stop] @ b[part.start : part.stop]
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = rounding_bound(k, unit_roundoff=2**-24) * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    assert np.all(np.abs(total - exact) <= bound * (1 + 1e-6))


def test_the_rounding_bound_is_reached_by_repeated_addition_of_a_tie() -> None:
    """1 + u + u + …: each addition is a tie that rounds back to 1, so that all but the first term is lost."""
    u, k = 2.0**-24, 1001
    total = np.float32(1)
    for _ in range(k - 1):
        total = np.float32(total + np.float32(u))
    lost = 1 + (k - 1) * u - float(total)
    bound = rounding_bound(k, unit_roundoff=u) * (1 + (k - 1) * u)
    assert 0.99 * bound < lost <= bound


SPLIT = {"m": 4, "k": 4, "n": 4, "ranks": 2, "rank": 0, "element_bytes": 2, "result": "sharded"}
GRID = {"m": 4, "k": 4, "n": 4, "grid": (2, 1, 1), "rank": (0, 0, 0), "element_bytes": 2}


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (gemm_flops, {"m": -1, "k": 1, "n": 1}, "m must be an integer of at least 0, got -1"),
        (gemm_words, {"m": 1, "k": 1.5, "n": 1}, "k must be an integer of at least 0, got 1.5"),
        (
            gemm_arithmetic_intensity,
            {"m": 1, "k": 0, "n": 1, "element_bytes": 2},
            "k must be an integer of at least 1",
        ),
        (gemm_arithmetic_intensity, {"m": 1, "k": 1, "n": 1, "element_bytes": 0}, "element_bytes must be"),
        (row_split, {**SPLIT, "ranks": 0}, "ranks must be an integer of at least 1, got 0"),
        (row_split, {**SPLIT, "rank": 2}, "rank must be an integer from 0 to 1, got 2"),
        (row_split, {**SPLIT, "m": -3}, "m must be an integer of at least 0, got -3"),
        (row_split, {**SPLIT, "result": "partial"}, "result must be one of 'sharded', 'replicated', got 'partial'"),
        (column_split, {**SPLIT, "n": -3}, "n must be an integer of at least 0, got -3"),
        (column_split, {**SPLIT, "m": -3}, "m must be an integer of at least 0, got -3"),
        (k_split, {**SPLIT, "element_bytes": 0.5}, "element_bytes must be an integer of at least 1, got 0.5"),
        (k_split, {**SPLIT, "k": -2}, "k must be an integer of at least 0, got -2"),
        (grid_split, {**GRID, "grid": (2, 0, 1)}, "grid[1] must be an integer of at least 1, got 0"),
        (grid_split, {**GRID, "grid": (2, 1)}, "grid must be three integers"),
        (grid_split, {**GRID, "rank": (0, 1, 0)}, "rank[1] must be an integer from 0 to 0, got 1"),
        (grid_split, {**GRID, "rank": (0, 0)}, "rank must be three integers"),
        (
            grid_traffic_words,
            {"m": 1, "k": 1, "n": 1, "grid": (0, 1, 1)},
            "grid[0] must be an integer of at least 1, got 0",
        ),
        (best_gemm_grid, {"m": 1, "k": 1, "n": 1, "ranks": 0}, "ranks must be an integer of at least 1, got 0"),
        (block_ranges, {"length": 3, "parts": 0}, "parts must be an integer of at least 1, got 0"),
        (global_norm, {"shard_norms": [1, -1]}, "shard_norms[1] must be a finite number of at least 0, got -1"),
        (global_norm, {"shard_norms": [1], "order": 0.5}, "order must be a number of at least 1 or infinity, got 0.5"),
        (
            weighted_mean,
            {"means": [1.0], "counts": [1, 2]},
            "means and counts must have one entry per shard, got 1 and 2",
        ),
        (weighted_mean, {"means": [1.0], "counts": [0]}, "counts must hold at least one example, got [0]"),
        (weighted_mean, {"means": [math.nan], "counts": [1]}, "means[0] must be a finite number, got nan"),
        (rounding_bound, {"k": 4, "unit_roundoff": 0.25}, "unit_roundoff must be below 1/k"),
    ],
)
def test_refusals_name_the_argument_and_its_value(function, arguments, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=re.escape(message)):
        function(**arguments)
