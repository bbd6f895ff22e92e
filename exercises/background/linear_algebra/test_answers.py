"""Grades chapter A1's exercises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exercises.grading import Answers, attempt, complain
from snippets.background.block_products import grid_product
from snippets.background.cluster import Array
from snippets.background.gemm import block_ranges

# (m, k, n, parts): the chapter's product first, then remainders, and more parts than there is to cut
SHAPES = [(200, 120, 80, 5), (3, 7, 2, 3), (5, 11, 4, 4), (4, 2, 3, 5), (1, 1, 1, 1)]
GRIDS = [(2, 2, 1), (1, 1, 4), (4, 1, 1), (1, 3, 1), (3, 2, 2), (2, 3, 4)]


def matrices(m: int, k: int, n: int, kind: Any) -> tuple[Array, Array]:
    """Two matrices of small whole numbers, different for each shape."""
    generator = np.random.default_rng((m, k, n))
    return generator.integers(-9, 10, (m, k)).astype(kind), generator.integers(-9, 10, (k, n)).astype(kind)


@pytest.mark.parametrize(("m", "k", "n", "parts"), SHAPES)
def test_k_split_product(answers: Answers, m: int, k: int, n: int, parts: int) -> None:
    a, b = matrices(m, k, n, np.int64)
    asked = "partial products of A·B, one for each part of the shared dimension"
    given: dict[str, Any] = {"a": a, "b": b, "parts": parts}
    got = attempt(answers.k_split_product, asked=asked, **given)
    ranges = block_ranges(k, parts)
    expected = [a[:, part.start : part.stop] @ b[part.start : part.stop] for part in ranges]
    if not isinstance(got, list) or [np.shape(part) for part in got] != [(m, n)] * parts:
        hint = "A partial product has the shape of C; cut the columns of A and the rows of B."
        complain(asked=asked, given=given, expected=f"a list of {parts} arrays of {m} × {n}", got=got, hint=hint)
    for number, (one, other) in enumerate(zip(got, expected, strict=True)):
        if not np.array_equal(one, other):
            asked = f"part {number} of the partial products of A·B"
            complain(asked=asked, given=given, expected=other, got=one, hint=k_split_hint(got, a, b, parts))


def k_split_hint(got: list[Array], a: Array, b: Array, parts: int) -> str:
    """What went wrong in partial products of the right shape."""
    total, used = sum(got), a.shape[1] // parts * parts
    if np.allclose(total * parts, a @ b) and parts > 1:
        return "Partial products are summed, not averaged."
    if np.array_equal(total, a[:, :used] @ b[:used]) and used < a.shape[1]:
        return f"Some columns of A are in no part: {parts} does not divide {a.shape[1]}."
    if np.array_equal(total, a @ b):
        return "The sum is right, the ranges are not. The longer ranges come first."
    return "Part p is its columns of A times the same rows of B, and nothing else."


@pytest.mark.parametrize("kind", [np.float32, np.int64])
@pytest.mark.parametrize(("m", "k", "n", "parts"), SHAPES)
def test_row_split_product(answers: Answers, m: int, k: int, n: int, parts: int, kind: Any) -> None:
    a, b = matrices(m, k, n, kind)
    asked = "the blocks of rows of A·B, and the bytes that each worker holds"
    given: dict[str, Any] = {"a": a, "b": b, "parts": parts}
    got = attempt(answers.row_split_product, asked=asked, **given)
    rows = block_ranges(m, parts)
    if not isinstance(got, tuple) or len(got) != 2 or not all(isinstance(part, list) for part in got):
        hint = "Return two lists: the blocks, and the bytes."
        complain(asked=asked, given=given, expected="a pair of lists", got=got, hint=hint)
    blocks, held = got
    expected = [(a @ b)[part.start : part.stop] for part in rows]
    if len(blocks) != parts or not all(np.array_equal(x, y) for x, y in zip(blocks, expected, strict=True)):
        hint = "Cut A by rows; a block has its rows of A·B and all n columns."
        complain(asked=asked, given=given, expected=expected, got=blocks, hint=hint)
    numbers = [len(part) * (k + n) + k * n for part in rows]
    size = a.itemsize
    bytes_held = [number * size for number in numbers]
    if list(held) != bytes_held:
        hints = [
            (numbers, "These are numbers, not bytes."),
            (
                [(len(part) * k + k * n) * size for part in rows],
                "A product also writes its result: count its rows of C.",
            ),
        ]
        known = [hint for wrong, hint in hints if list(held) == wrong]
        hint = known[0] if known else "Every row of C needs all of B, so each worker holds all of it."
        complain(asked=asked, given=given, expected=bytes_held, got=held, hint=hint)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_summa_messages(answers: Answers, size: int) -> None:
    asked = f"the messages of SUMMA on a grid of {size} × {size} workers"
    given = {"size": size}
    messages = attempt(answers.summa_messages, asked=asked, **given)
    places = [(i, j) for i in range(size) for j in range(size)]
    if not isinstance(messages, list) or not all(is_send(message, places) for message in messages):
        hint = "A message is (source, destination, matrix, block), with places (row, column) on the grid."
        complain(asked=asked, given=given, expected="a list of messages", got=messages, hint=hint)
    held = {place: {("A", place), ("B", place)} for place in places}
    for number, (source, destination, matrix, block) in enumerate(messages):
        if (matrix, block) not in held[source]:
            complain(
                asked=asked,
                given=given,
                expected=f"message {number} sends a block that its source holds",
                got=f"worker {source} sends block {block} of {matrix} to {destination}",
                hint="A worker can send only what it holds at the start or has been sent before.",
            )
        held[destination].add((matrix, block))
    for i, j in places:
        needed = {("A", (i, s)) for s in range(size)} | {("B", (s, j)) for s in range(size)}
        if missing := sorted(needed - held[i, j]):
            matrix, block = missing[0]
            right_line = any(destination == (i, j) and name == matrix for _, destination, name, _ in messages)
            hint = (
                "A travels along the rows of the grid and B along its columns." if right_line else "Send both matrices."
            )
            got = f"worker {(i, j)} lacks block {block} of {matrix}"
            complain(asked=asked, given=given, expected="every worker gets what it needs", got=got, hint=hint)
    assert_no_waste(asked, size, len(messages))


def is_send(message: Any, places: list[tuple[int, int]]) -> bool:
    """Whether a message has the four parts that the stub asks for."""
    if not isinstance(message, tuple) or len(message) != 4:
        return False
    source, destination, matrix, block = message
    return source in places and destination in places and matrix in ("A", "B") and block in places


def assert_no_waste(asked: str, size: int, count: int) -> None:
    """Each of the size² workers lacks size − 1 blocks of both matrices; count their bytes for blocks of 128 × 128."""
    block_bytes, needed = 128 * 128 * 2, 2 * size * size * (size - 1)
    if count > needed:
        complain(
            asked=asked,
            given={"size": size, "block": "128 × 128 numbers of 2 bytes"},
            expected=f"{needed} messages, {needed * block_bytes} bytes",
            got=f"{count} messages, {count * block_bytes} bytes",
            hint="More is sent than needed: a block of A is used in one row of the grid, a block of B in one column.",
        )


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize(("m", "k", "n", "size"), [(12, 24, 36, 2), (7, 11, 5, 4), (3, 1, 8, 8)])
def test_grid_traffic_bytes(answers: Answers, m: int, k: int, n: int, size: int, grid: tuple[int, int, int]) -> None:
    asked = "the bytes that all workers of the grid send together, C left sharded"
    given = {"m": m, "k": k, "n": n, "grid": grid, "bytes_per_element": size}
    got = attempt(answers.grid_traffic_bytes, asked=asked, **given)
    kind = {2: np.float16, 4: np.float32, 8: np.float64}[size]
    run = grid_product(np.zeros((m, k), kind), np.zeros((k, n), kind), grid=grid)  # the workers' messages, counted
    if got != run.account.sent_bytes:
        hint = traffic_hint(got, run.account.sent_bytes, m * k * size, k * n * size, m * n * size, grid)
        complain(asked=asked, given=given, expected=run.account.sent_bytes, got=got, hint=hint)


def traffic_hint(got: int, expected: int, a: int, b: int, c_matrix: int, grid: tuple[int, int, int]) -> str:
    """What went wrong in the bytes of a grid."""
    r, c, d = grid
    moved = [
        (expected * 8, "These are bits."),
        (expected + a + b + c_matrix, "The worker that owns a number need not be sent it: c workers, c − 1 messages."),
        (expected - c_matrix * (d - 1), "The layers' blocks of C must be summed, and that sends too."),
        (
            expected + c_matrix * (d - 1),
            "C may stay sharded: a reduce-scatter is enough, an all-reduce sends twice as much.",
        ),
        (a * (r - 1) + b * (c - 1) + c_matrix * (d - 1), "A is shared by the workers of a row, of which there are c."),
        (expected // (r * c * d), "This is what one worker sends; the question is what all send together."),
    ]
    return next(
        (hint for wrong, hint in moved if got == wrong), "For each of A, B and C: how many workers need a number?"
    )
