"""Grader of chapter A1: products in pieces, SUMMA's messages and a grid's bytes, observed on the book's workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from exercises.grading import graded
from exercises.judging import Exercise, Hint, Inputs, Observation
from snippets.background import block_products
from snippets.background.block_products import Array

KINDS = {2: np.float16, 4: np.float32, 8: np.float64}
BLOCK = 16
MESSAGE_BYTES = BLOCK * BLOCK * 2
"""SUMMA's blocks have 16 × 16 numbers of 2 bytes."""


def product(m: int, k: int, n: int, parts: int, kind: Any = np.int64) -> Inputs:
    """Return matrices of small positive whole numbers, different for each shape, and a number of parts."""
    generator = np.random.default_rng((m, k, n))
    a, b = generator.integers(1, 10, (m, k)), generator.integers(1, 10, (k, n))
    return {"a": a.astype(kind), "b": b.astype(kind), "parts": parts}


ONE_NUMBER: Inputs = {"a": np.array([[2]]), "b": np.array([[3]]), "parts": 1}


def products() -> Any:
    from hypothesis import strategies as st

    sizes = {name: st.integers(1, 6) for name in ("m", "k", "n", "parts")}
    return st.builds(product, **sizes, kind=st.sampled_from((np.int64, np.float32)))


def is_list_of_matrices(value: Any) -> bool:
    """Say whether an answer is a list of two-dimensional arrays of numbers."""
    return isinstance(value, list | tuple) and all(
        isinstance(part, np.ndarray) and part.ndim == 2 and part.dtype.kind in "iufc" for part in value
    )


def shown_partial_products(value: Any) -> Observation:
    """Return what is compared of partial products: their number, their shapes, their sum, and each of them."""
    if not is_list_of_matrices(value):
        return {"a list of matrices": False}
    shapes = [part.shape for part in value]
    alike = len(set(shapes)) == 1
    return {
        "a list of matrices": True,
        "shapes of the parts": shapes,
        "sum of the parts": sum(value[1:], value[0]) if alike else "none: the shapes differ",
        "parts": [part.tolist() for part in value],
    }


def partial_products(a: Array, b: Array, parts: int) -> Observation:
    return shown_partial_products(block_products.partial_products(a, b, parts=parts))


def observe_partial_products(function: Any, a: Array, b: Array, parts: int) -> Observation:
    return shown_partial_products(function(a=a, b=b, parts=parts))


def rows_on_workers(a: Array, b: Array, parts: int) -> Observation:
    """Let the book's workers multiply, and read off what each holds."""
    run = block_products.row_split_product(a, b, workers=parts)
    return {
        "a pair of lists": True,
        "blocks of rows": [block.array.tolist() for block in run.outputs],
        "held by each worker": list(run.account.peak_bytes),
    }


def observe_rows(function: Any, a: Array, b: Array, parts: int) -> Observation:
    got = function(a=a, b=b, parts=parts)
    if not isinstance(got, tuple | list) or len(got) != 2 or not is_list_of_matrices(got[0]):
        return {"a pair of lists": False}
    if not isinstance(got[1], list | tuple):
        return {"a pair of lists": False}
    return {
        "a pair of lists": True,
        "blocks of rows": [block.tolist() for block in got[0]],
        "held by each worker": list(got[1]),
    }


def is_message(message: Any, size: int) -> bool:
    """Say whether a message has the four parts that the stub asks for."""
    if not isinstance(message, tuple) or len(message) != 4 or message[2] not in ("A", "B"):
        return False
    places = (message[0], message[1], message[3])
    return all(
        isinstance(place, tuple) and len(place) == 2 and all(isinstance(x, int) and 0 <= x < size for x in place)
        for place in places
    )


def carry_out(held: dict[tuple[int, int], set[str]], messages: Any) -> tuple[int, str]:
    """Send one message after the other; return how many went, and the first that cannot be sent, or ``"none"``."""
    for number, (source, destination, matrix, block) in enumerate(messages, 1):
        name = f"{matrix}{block}"
        if name not in held[source]:
            return number - 1, f"number {number}: worker {source} does not hold {name}"
        held[destination].add(name)
    return len(messages), "none"


def lacking(held: dict[tuple[int, int], set[str]], size: int) -> str:
    """Return the first block that a worker needs and does not hold, or ``"none"``."""
    for (i, j), names in held.items():
        for name in [f"A({i}, {s})" for s in range(size)] + [f"B({s}, {j})" for s in range(size)]:
            if name not in names:
                return f"worker {(i, j)} lacks {name}"
    return "none"


def observe_messages(function: Any, size: int) -> Observation:
    """Carry an answer's messages out, one after the other."""
    messages = function(size=size)
    if not isinstance(messages, list | tuple) or not all(is_message(message, size) for message in messages):
        return {"a list of (source, destination, matrix, block)": False}
    held = {(i, j): {f"A{i, j}", f"B{i, j}"} for i in range(size) for j in range(size)}
    carried, refused = carry_out(held, messages)
    return {
        "a list of (source, destination, matrix, block)": True,
        "message that cannot be sent": refused,
        "block that is missing at the end": lacking(held, size),
        "sent by all workers": carried * MESSAGE_BYTES,
    }


def summa_on_workers(size: int) -> Observation:
    """Count what the book's own SUMMA sends."""
    whole = np.ones((size * BLOCK, size * BLOCK), np.float16)
    run = block_products.grid_product(whole, whole, grid=(size, size, 1))
    return {
        "a list of (source, destination, matrix, block)": True,
        "message that cannot be sent": "none",
        "block that is missing at the end": "none",
        "sent by all workers": sum(run.account.sent_bytes),
    }


def grid_sizes() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"size": st.integers(1, 4)})


def bytes_on_workers(m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    """Run the workers of a grid and count what they send."""
    kind = KINDS[bytes_per_element]
    run = block_products.grid_product(np.zeros((m, k), kind), np.zeros((k, n), kind), grid=grid)
    return sum(run.account.sent_bytes)


def grids() -> Any:
    from hypothesis import strategies as st

    sides = {name: st.integers(1, 6) for name in ("m", "k", "n")}
    few = st.integers(1, 3)
    return st.fixed_dictionaries(
        {**sides, "grid": st.tuples(few, few, few), "bytes_per_element": st.sampled_from(tuple(KINDS))}
    )


PAGE = "a1-linear-algebra.md"

K_SPLIT = Exercise(
    name="k_split_product",
    number=1,
    asked="partial products of A·B, one for each part of the shared dimension",
    expected=partial_products,
    observe=observe_partial_products,
    examples=[ONE_NUMBER, product(2, 4, 3, 2), product(3, 7, 2, 3), product(5, 11, 4, 4), product(4, 2, 3, 5)],
    inputs=products,
    level="easy",
    hints=(
        Hint("Which index of A and which of B does the product sum over?", f"{PAGE}#three-indices-three-cuts"),
        Hint("A part has all rows of A and all columns of B.", f"{PAGE}#three-indices-three-cuts"),
        Hint("Part p is A's strip of columns p times B's strip of rows p.", f"{PAGE}#three-indices-three-cuts"),
    ),
)

ROW_SPLIT = Exercise(
    name="row_split_product",
    number=2,
    asked="the blocks of rows of A·B, and the bytes that each part's worker holds",
    expected=rows_on_workers,
    observe=observe_rows,
    examples=[ONE_NUMBER, product(4, 3, 2, 2), product(7, 3, 2, 3, np.float32), product(2, 4, 3, 4)],
    inputs=products,
    units={"held by each worker": "bytes; 8 a whole number (int64), 4 a float (float32)"},
    hints=(
        Hint("Which parts of A and of B does one row of C need?", f"{PAGE}#three-indices-three-cuts"),
        Hint("Count three arrays for each worker, its result among them.", f"{PAGE}#what-each-worker-holds-and-sends"),
        Hint(
            "Bytes are numbers times the bytes of one: an array's nbytes. B counts in full on every worker.",
            f"{PAGE}#what-each-worker-holds-and-sends",
        ),
    ),
)

SUMMA = Exercise(
    name="summa_messages",
    number=3,
    asked="the messages of SUMMA on a grid of size × size workers, no more than needed",
    expected=summa_on_workers,
    observe=observe_messages,
    examples=[{"size": 1}, {"size": 2}, {"size": 3}],
    inputs=grid_sizes,
    units={"sent by all workers": f"bytes, {MESSAGE_BYTES} a message"},
    level="hard",
    hints=(
        Hint("Which workers need block (0, 0) of A, and which need that of B?", f"{PAGE}#cut-all-three"),
        Hint("A's blocks stay in their row of the grid, B's in their column.", f"{PAGE}#cut-all-three"),
        Hint(
            "Let the owner of each block send it to the size − 1 others of its row (A) or column (B), or let them "
            "pass it on, nearest first.",
            f"{PAGE}#cut-all-three",
        ),
    ),
)

GRID = Exercise(
    name="grid_traffic_bytes",
    number=4,
    asked="the bytes that all workers of the grid send together, C left sharded",
    expected=bytes_on_workers,
    examples=[
        {"m": 1, "k": 1, "n": 1, "grid": (1, 2, 1), "bytes_per_element": 2},
        {"m": 12, "k": 24, "n": 36, "grid": (2, 2, 1), "bytes_per_element": 2},
        {"m": 7, "k": 11, "n": 5, "grid": (2, 3, 4), "bytes_per_element": 4},
        {"m": 3, "k": 2, "n": 8, "grid": (1, 1, 1), "bytes_per_element": 8},
    ],
    inputs=grids,
    units={"result": "bytes"},
    hints=(
        Hint("Ask of each of A, B and C by how many workers a number is needed or added.", f"{PAGE}#cut-all-three"),
        Hint("A number of A is needed by c workers, one of which holds it.", f"{PAGE}#cut-all-three"),
        Hint(
            "A moves c − 1 times and B r − 1 times; a sum of d blocks of C sends d − 1 of them.",
            f"{PAGE}#cut-all-three",
        ),
    ),
)

EXERCISES = [K_SPLIT, ROW_SPLIT, SUMMA, GRID]
test_answer = graded(EXERCISES)
