"""Products in blocks: the result is A·B, and the account is what the closed forms say, rank by rank."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.linear_algebra.formulas import (
    Result,
    Share,
    best_gemm_grid,
    block_ranges,
    column_split,
    grid_split,
    grid_traffic_words,
    k_split,
    row_split,
    weighted_mean,
)
from snippets.background.linear_algebra.simulators import (
    Array,
    BlockProduct,
    Replicated,
    column_split_product,
    example_gradients,
    grid_product,
    k_split_product,
    mean_loss,
    partial_products,
    row_split_product,
)
from snippets.simulation.account import Account

SHAPES = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
WORKERS = st.integers(1, 7)
RESULT = st.sampled_from(["sharded", "replicated"])
SEED = st.integers(0, 2**32 - 1)
SPLITS: dict[str, tuple[Callable[..., BlockProduct], Callable[..., Share]]] = {
    "rows": (row_split_product, row_split),
    "columns": (column_split_product, column_split),
    "k": (k_split_product, k_split),
}


def integers(shape: tuple[int, int, int], seed: int) -> tuple[Array, Array]:
    """Two matrices of whole numbers, whose products are exact."""
    m, k, n = shape
    generator = np.random.default_rng(seed)
    return generator.integers(-99, 99, size=(m, k)), generator.integers(-99, 99, size=(k, n))


def assert_is_share(account: Account, rank: int, share: Share) -> None:
    assert account.start_bytes[rank] == share.input_bytes
    assert account.sent_bytes[rank] == share.sent_bytes
    assert account.received_bytes[rank] == share.received_bytes
    assert counted(account, "product_flops")[rank] == share.product_flops
    assert counted(account, "reduction_flops")[rank] == share.reduction_flops
    assert account.steps == share.steps


def counted(account: Account, operation: str) -> tuple[int, ...]:
    """Return each rank's operations, of which there may be none."""
    return account.operations.get(operation, (0,) * account.ranks)


def assert_conserves(run: BlockProduct) -> None:
    """What is sent is received, ranks multiply as often as the whole product does, and no step is idle."""
    account = run.account
    assert sum(account.sent_bytes) == sum(account.received_bytes)
    assert sum(account.sent_bytes) == sum(message.sent_bytes for message in account.messages)
    assert sum(counted(account, "product_flops")) == 2 * math.prod(run.shape)
    assert {message.step for message in account.messages} == set(range(1, account.steps + 1))
    assert all(message.source != message.destination for message in account.messages)


@pytest.mark.parametrize("cut", SPLITS)
@given(shape=SHAPES, ranks=WORKERS, result=RESULT, seed=SEED, kind=st.sampled_from([np.int64, np.float32]))
def test_a_split_product_and_its_account(
    cut: str, shape: tuple[int, int, int], ranks: int, result: Result, seed: int, kind: Any
) -> None:
    simulate, closed_form = SPLITS[cut]
    a, b = (matrix.astype(kind) for matrix in integers(shape, seed))  # products stay below 2²⁴: exact in float32 too
    run = simulate(a, b, ranks=ranks, result=result)
    np.testing.assert_array_equal(run.assemble(), a @ b)
    assert run.assemble().dtype == kind
    if result == "replicated":
        assert all(np.array_equal(block.array, a @ b) for block in run.outputs)
    m, k, n = shape
    size = a.itemsize
    assert run.account.sent_messages == (run.account.steps,) * ranks
    for number in range(ranks):
        share = closed_form(m=m, k=k, n=n, ranks=ranks, rank=number, element_bytes=size, result=result)
        assert_is_share(run.account, number, share)
        assert run.outputs[number].array.nbytes == share.output_bytes
    assert_conserves(run)


@given(shape=SHAPES, grid=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)), seed=SEED)
@settings(deadline=None)
def test_a_grid_product_and_its_account(shape: tuple[int, int, int], grid: tuple[int, int, int], seed: int) -> None:
    a, b = integers(shape, seed)
    run = grid_product(a, b, grid=grid)
    np.testing.assert_array_equal(run.assemble(), a @ b)
    (m, k, n), (r, c, _) = shape, grid
    for number in range(math.prod(grid)):
        place = (number // c % r, number % c, number // (r * c))
        share = grid_split(m=m, k=k, n=n, grid=grid, rank=place, element_bytes=8)
        assert_is_share(run.account, number, share)
        assert run.outputs[number].array.nbytes == share.output_bytes
    assert_conserves(run)


@given(
    shape=SHAPES,
    grid=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    replicated=st.sampled_from(["A", "B", "both"]),
    seed=SEED,
)
@example(shape=(2, 1, 3), grid=(1, 1, 2), replicated="both", seed=0)  # the second layer has none of k
@settings(max_examples=examples(40))
def test_a_matrix_that_all_hold_is_not_sent(
    shape: tuple[int, int, int], grid: tuple[int, int, int], replicated: Replicated, seed: int
) -> None:
    a, b = integers(shape, seed)
    run = grid_product(a, b, grid=grid, replicated=replicated)
    assert np.array_equal(run.assemble(), a @ b)
    (m, k, n), (r, c, d) = shape, grid
    of_a = 0 if replicated in ("A", "both") else m * k * (c - 1)
    of_b = 0 if replicated in ("B", "both") else k * n * (r - 1)
    assert sum(run.account.sent_bytes) == 8 * (of_a + of_b + m * n * (d - 1))
    whole = {"A": m * k, "B": k * n, "both": m * k + k * n}[replicated]
    shared = {"A": k * n, "B": m * k, "both": 0}[replicated]
    assert sum(run.account.start_bytes) == 8 * (whole * r * c * d + shared)


@pytest.mark.parametrize("replicated", ["neither", "A", "B"])
@pytest.mark.parametrize("grid", [(1, 1, 8), (8, 1, 1), (1, 4, 2), (2, 1, 4), (2, 2, 2), (2, 4, 1)])
def test_what_the_fullest_worker_of_a_grid_holds(grid: tuple[int, int, int], replicated: Replicated) -> None:
    """As exercise 4 of the chapter counts it, where all divides."""
    (m, k, n), (r, c, d) = (32, 56, 16), grid
    run = grid_product(np.zeros((m, k)), np.zeros((k, n)), grid=grid, replicated=replicated)
    start = (m * k if replicated == "A" else m * k // 8) + (k * n if replicated == "B" else k * n // 8)
    width, block = k // (d * max(r, c)), (m // r) * (n // c)
    of_a = (m // r) * width if c > 1 and replicated != "A" else 0
    of_b = width * (n // c) if r > 1 and replicated != "B" else 0
    assert max(run.account.peak_bytes) == 8 * (start + block + max(of_a + of_b, block // d if d > 1 else 0))


@given(shape=SHAPES, grid=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)))
def test_a_grid_deals_each_number_once(shape: tuple[int, int, int], grid: tuple[int, int, int]) -> None:
    m, k, n = shape
    run = grid_product(np.zeros((m, k)), np.zeros((k, n)), grid=grid)
    held = Counter((x.matrix, i, j) for pair in run.inputs for x in pair for i in x.rows for j in x.columns)
    numbers = [("A", i, j) for i in range(m) for j in range(k)] + [("B", i, j) for i in range(k) for j in range(n)]
    assert held == Counter(numbers)
    assert sum(block.array.size for block in run.outputs) == m * n


@given(shape=SHAPES, grid=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)))
def test_the_traffic_of_a_grid_is_exact_with_any_remainder(
    shape: tuple[int, int, int], grid: tuple[int, int, int]
) -> None:
    m, k, n = shape
    run = grid_product(np.zeros((m, k)), np.zeros((k, n)), grid=grid)
    assert sum(run.account.sent_bytes) == 8 * grid_traffic_words(m=m, k=k, n=n, grid=grid)


@given(shape=SHAPES, ranks=st.sampled_from([1, 2, 3, 4, 6, 8]))
@settings(max_examples=examples(25), deadline=None)
def test_no_grid_sends_less_than_the_best(shape: tuple[int, int, int], ranks: int) -> None:
    m, k, n = shape
    sent = {}
    for r, c, d in itertools.product(range(1, ranks + 1), repeat=3):
        if r * c * d == ranks:
            account = grid_product(np.zeros((m, k)), np.zeros((k, n)), grid=(r, c, d)).account
            sent[r, c, d] = sum(account.sent_bytes)
    best = best_gemm_grid(m=m, k=k, n=n, ranks=ranks)
    assert sent[best] == min(sent.values())
    assert best == min(grid for grid in sent if sent[grid] == sent[best])


@given(shape=SHAPES, ranks=WORKERS, seed=SEED)
def test_the_k_split_is_the_grid_of_layers(shape: tuple[int, int, int], ranks: int, seed: int) -> None:
    a, b = integers(shape, seed)
    split, grid = k_split_product(a, b, ranks=ranks, result="sharded"), grid_product(a, b, grid=(1, 1, ranks))
    assert split.account.messages == grid.account.messages
    assert counted(split.account, "reduction_flops") == counted(grid.account, "reduction_flops")


@given(shape=SHAPES, ranks=WORKERS)
def test_the_peak_of_a_k_split_holds_a_whole_partial_product(shape: tuple[int, int, int], ranks: int) -> None:
    """Inputs, and at step s the m × n partial product less what was sent before, with the chunk that arrives."""
    m, k, n = shape
    run = k_split_product(np.zeros((m, k)), np.zeros((k, n)), ranks=ranks)
    rows = [len(part) for part in block_ranges(m, ranks)]
    for p in range(ranks):
        held = [m]
        for step in range(ranks - 1):
            sent = sum(rows[(p - 1 - earlier) % ranks] for earlier in range(step))
            held.append(m - sent + rows[(p - 2 - step) % ranks])
        assert run.account.peak_bytes[p] == run.account.start_bytes[p] + max(held) * n * 8


def test_the_peak_of_a_row_split_is_what_it_holds_at_the_end() -> None:
    run = row_split_product(np.zeros((7, 3)), np.zeros((3, 4)), ranks=3)
    assert run.account.peak_bytes == tuple(8 * (rows * 3 + 3 * 4 + rows * 4) for rows in (3, 2, 2))


def test_the_peak_of_summa_holds_one_panel_of_each_matrix() -> None:
    """2 × 2 on 4 × 4 × 4: blocks of 2 × 2 for A, B and C, and the panels that are not its own: at most one of each."""
    run = grid_product(np.zeros((4, 4)), np.zeros((4, 4)), grid=(2, 2, 1))
    # Ranks (0,0) and (1,1) need both panels of one step from others; (0,1) and (1,0) one in each step.
    assert run.account.peak_bytes == (8 * 20, 8 * 16, 8 * 16, 8 * 20)


def test_messages_of_a_small_ring_by_hand() -> None:
    """Three ranks sum chunks: rank p first sends chunk p − 1, and chunk p comes to rest at p."""
    run = k_split_product(np.ones((4, 3)), np.ones((3, 1)), ranks=3, result="sharded")
    rows = (2, 1, 1)
    assert [message[:4] for message in run.account.messages] == [
        (1, 0, 1, 8 * rows[2]),
        (1, 1, 2, 8 * rows[0]),
        (1, 2, 0, 8 * rows[1]),
        (2, 0, 1, 8 * rows[1]),
        (2, 1, 2, 8 * rows[2]),
        (2, 2, 0, 8 * rows[0]),
    ]


@given(shape=SHAPES, parts=WORKERS, seed=SEED)
def test_partial_products_sum_to_the_product(shape: tuple[int, int, int], parts: int, seed: int) -> None:
    a, b = integers(shape, seed)
    pieces = partial_products(a, b, parts=parts)
    assert len(pieces) == parts
    np.testing.assert_array_equal(sum(pieces), a @ b)
    for piece, part in zip(pieces, block_ranges(shape[1], parts), strict=True):
        expected = sum((np.outer(a[:, x], b[x]) for x in part), np.zeros((shape[0], shape[2])))
        np.testing.assert_array_equal(piece, expected)


@given(st.integers(1, 30), st.integers(1, 5), WORKERS, SEED)
def test_the_gradient_is_the_average_of_the_examples_gradients(count: int, width: int, ranks: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    x, y, w = generator.normal(size=(count, width)), generator.normal(size=count), generator.normal(size=width)
    gradients = example_gradients(x, y, w)
    mean = gradients.mean(axis=0)
    step = 1e-5 * np.eye(width)  # the loss is quadratic: a central difference is exact but for rounding
    numerical = [(mean_loss(x, y, w + h) - mean_loss(x, y, w - h)) / 2e-5 for h in step]
    np.testing.assert_allclose(mean, numerical, atol=1e-7)
    shards = block_ranges(count, ranks)
    counts = [len(shard) for shard in shards]
    means = [gradients[s.start : s.stop].mean(axis=0) if s else np.zeros(width) for s in shards]
    weighted = [weighted_mean([shard[j] for shard in means], counts) for j in range(width)]
    np.testing.assert_allclose(weighted, mean, atol=1e-12)


MATRIX = np.ones((2, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: k_split_product(MATRIX, np.ones((3, 2)), ranks=1),
            "b must have as many rows as a has columns, 2, got 3",
        ),
        (lambda: k_split_product(np.ones(2), MATRIX, ranks=1), "a must have 2 dimensions, got shape (2,)"),
        (lambda: row_split_product(np.array([[True]]), MATRIX, ranks=1), "a must be an array of numbers"),
        (lambda: row_split_product(MATRIX, MATRIX, ranks=0), "ranks must be an integer of at least 1, got 0"),
        (lambda: partial_products(MATRIX, MATRIX, parts=0), "parts must be an integer of at least 1, got 0"),
        (lambda: k_split_product(MATRIX, MATRIX, ranks=1, result="sum"), "result must be one of"),  # type: ignore[arg-type]
        (lambda: row_split_product(MATRIX, MATRIX, ranks=1, result="x"), "result must be one of"),  # type: ignore[arg-type]
        (lambda: column_split_product(MATRIX, MATRIX, ranks=1, result="x"), "result must be one of"),  # type: ignore[arg-type]
        (lambda: grid_product(MATRIX, MATRIX, grid=(1, 1)), "grid must be three integers"),  # type: ignore[arg-type]
        (lambda: grid_product(MATRIX, MATRIX, grid=(1, -1, 1)), "grid[1] must be an integer of at least 1, got -1"),
        (lambda: grid_product(MATRIX, MATRIX, grid=(1, 1, 1), replicated="C"), "replicated must be"),  # type: ignore[arg-type]
        (lambda: example_gradients(MATRIX, np.ones(3), np.ones(2)), "x, y, weights must have shapes Z × f, Z and f"),
        (lambda: mean_loss(MATRIX, np.ones(3), np.ones(2)), "x, y, weights must have shapes Z × f, Z and f"),
        (lambda: mean_loss(np.ones((0, 2)), np.ones(0), np.ones(2)), "x must hold at least one example"),
    ],
)
def test_refusals(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
