"""Exercise: the blocks of rows of A·B, and the bytes that each part's worker holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exercises.background.linear_algebra.common import ONE_NUMBER, product, products
from grader.exercise import Exercise, Mistake, Observation
from snippets.background.linear_algebra import simulators as block_products

Matrix = NDArray[np.number]


def row_split_product(
    a: NDArray[np.number],
    b: NDArray[np.number],
    parts: int,
) -> tuple[list[NDArray[np.number]], list[int]]:
    """Cut A by rows, multiply each part by B, and count each worker's bytes.

    Rows are dealt as in ``k_split_product``: the parts follow each other and
    differ in length by at most 1; the longer ones come first.

    Args:
        a: A, m × k.
        b: B, k × n, of the same type as A.
        parts: number of parts, one for each worker, at least 1; it need not
            divide m.

    Returns:
        The blocks of rows of A·B, one for each part; and for each part the
        bytes that its worker holds when it has multiplied: its rows of A, what
        it needs of B, and its rows of the product.

    >>> a, b = np.array([[1, 2], [3, 4]]), np.array([[10], [20]])
    >>> blocks, held = row_split_product(a, b, parts=2)
    >>> [block.tolist() for block in blocks], held
    ([[[50]], [[110]]], [40, 40])
    """
    strips = np.array_split(a, parts, axis=0)
    blocks = [strip @ b for strip in strips]
    return blocks, [strip.nbytes + b.nbytes + block.nbytes for strip, block in zip(strips, blocks, strict=True)]


def rows_on_workers(a: Matrix, b: Matrix, parts: int) -> Observation:
    """Let the book's workers multiply, and read off what each holds."""
    run = block_products.row_split_product(a, b, ranks=parts)
    held = list(run.account.peak_bytes)
    return {"blocks of rows": [block.array.tolist() for block in run.outputs], "held by each worker": held}


def observed(function: Callable[..., tuple[list[Matrix], list[int]]], a: Matrix, b: Matrix, parts: int) -> Observation:
    blocks, held = function(a=a, b=b, parts=parts)
    return {"blocks of rows": [block.tolist() for block in blocks], "held by each worker": held}


EXERCISE = Exercise(
    row_split_product,
    number=2,
    asked="the blocks of rows of A·B, and the bytes that each part's worker holds",
    expected=rows_on_workers,
    observe=observed,
    examples=[
        product(4, 3, 2, 2),
        product(2, 4, 3, 4),
        ONE_NUMBER,
        product(5, 3, 2, 2, most=5000),
        product(7, 3, 2, 3, np.float32),
    ],
    inputs=products,
    units={"held by each worker": "bytes; 8 a whole number (int64), 4 a float (float32)"},
    takes=("numpy",),
    mistakes=[
        Mistake(
            "cuts_b_too",
            "Every row of C needs all of B, so each worker holds all of it, not a share.",
            {"+ b.nbytes": "+ b.nbytes // parts"},
        ),
        Mistake(
            "forgets_the_result",
            "A product also writes its result: count each worker's rows of C.",
            {" + block.nbytes": ""},
        ),
        Mistake(
            "counts_numbers",
            "These are numbers, not bytes: multiply by the bytes of one, which the arrays know.",
            {"strip.nbytes + b.nbytes + block.nbytes": "strip.size + b.size + block.size"},
        ),
        Mistake(
            "cuts_columns_instead",
            "You cut B by columns, which gives columns of C. Cut A by rows.",
            {"(a, parts, axis=0)": "(b, parts, axis=1)", "strip @ b for": "a @ strip for", "+ b.nbytes": "+ a.nbytes"},
        ),
        Mistake(
            "one_number_in_24_bytes",
            "This is right for one input only: compute the blocks, and count their bytes.",
            lambda **_: ([np.array([[6]])], [24]),
        ),
    ],
)
