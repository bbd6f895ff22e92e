"""Typical wrong answers to chapter A1's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exercises.background.linear_algebra.solution import Send
from exercises.grading import mutant

Matrix = NDArray[np.number]


@mutant(
    "k_split_product",
    says="Some columns of A are in no part: where parts does not divide k, deal the remainder out too.",
)
def forgets_the_remainder(a: Matrix, b: Matrix, parts: int) -> list[Matrix]:
    width = a.shape[1] // parts
    return [a[:, p * width : (p + 1) * width] @ b[p * width : (p + 1) * width] for p in range(parts)]


@mutant(
    "k_split_product",
    says=(
        "You cut A's rows, so these are finished rows of C. A partial product has the shape of C: cut A's columns "
        "and B's rows."
    ),
)
def cuts_rows_instead(a: Matrix, b: Matrix, parts: int) -> list[Matrix]:
    return [strip @ b for strip in np.array_split(a, parts)]


@mutant("k_split_product", says="Partial products are summed, not averaged: do not divide by the number of parts.")
def averages(a: Matrix, b: Matrix, parts: int) -> list[Matrix]:
    strips = zip(np.array_split(a, parts, axis=1), np.array_split(b, parts), strict=True)
    return [a_part @ b_part / parts for a_part, b_part in strips]


@mutant(
    "k_split_product",
    says="The sum is right, the ranges are not: they differ by at most 1, and the longer ones come first.",
)
def gives_the_remainder_to_the_last(a: Matrix, b: Matrix, parts: int) -> list[Matrix]:
    cuts = [p * (a.shape[1] // parts) for p in range(1, parts)]
    strips = zip(np.split(a, cuts, axis=1), np.split(b, cuts), strict=True)
    return [a_part @ b_part for a_part, b_part in strips]


@mutant("k_split_product", says="This is right for one input only: the parts are to be computed from A and B.")
def one_number(a: Matrix, b: Matrix, parts: int) -> list[Matrix]:
    return [np.array([[6]])]


@mutant("row_split_product", says="Every row of C needs all of B, so each worker holds all of it, not a share.")
def cuts_b_too(a: Matrix, b: Matrix, parts: int) -> tuple[list[Matrix], list[int]]:
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    return blocks, [x.nbytes + b.nbytes // parts + y.nbytes for x, y in zip(strips, blocks, strict=True)]


@mutant("row_split_product", says="A product also writes its result: count each worker's rows of C.")
def forgets_the_result(a: Matrix, b: Matrix, parts: int) -> tuple[list[Matrix], list[int]]:
    strips = np.array_split(a, parts)
    return [strip @ b for strip in strips], [strip.nbytes + b.nbytes for strip in strips]


@mutant("row_split_product", says="These are numbers, not bytes: multiply by the bytes of one, which the arrays know.")
def counts_numbers(a: Matrix, b: Matrix, parts: int) -> tuple[list[Matrix], list[int]]:
    strips = np.array_split(a, parts)
    blocks = [strip @ b for strip in strips]
    return blocks, [x.size + b.size + y.size for x, y in zip(strips, blocks, strict=True)]


@mutant("row_split_product", says="You cut B by columns, which gives columns of C. Cut A by rows.")
def cuts_columns_instead(a: Matrix, b: Matrix, parts: int) -> tuple[list[Matrix], list[int]]:
    strips = np.array_split(b, parts, axis=1)
    blocks = [a @ strip for strip in strips]
    return blocks, [a.nbytes + x.nbytes + y.nbytes for x, y in zip(strips, blocks, strict=True)]


@mutant("row_split_product", says="This is right for one input only: compute the blocks, and count their bytes.")
def one_number_in_24_bytes(a: Matrix, b: Matrix, parts: int) -> tuple[list[Matrix], list[int]]:
    return [np.array([[6]])], [24]


@mutant(
    "summa_messages",
    says=(
        "You sent A along the columns of the grid and B along its rows; block (i, j) of C needs row i of A and "
        "column j of B."
    ),
)
def swaps_rows_and_columns(size: int) -> list[Send]:
    messages: list[Send] = []
    for i in range(size):
        for j in range(size):
            messages += [((i, j), (x, j), "A", (i, j)) for x in range(size) if x != i]
            messages += [((i, j), (i, x), "B", (i, j)) for x in range(size) if x != j]
    return messages


@mutant(
    "summa_messages",
    says=(
        "More is sent than needed: a block of A is used in one row of the grid only, a block of B in one column only."
    ),
)
def sends_everything_to_everyone(size: int) -> list[Send]:
    places = [(i, j) for i in range(size) for j in range(size)]
    return [(x, y, matrix, x) for matrix in "AB" for x in places for y in places if x != y]


@mutant(
    "summa_messages",
    says="A worker can send only what it holds: the nearest worker must have a block before it can pass it on.",
)
def passes_on_too_early(size: int) -> list[Send]:
    messages: list[Send] = []
    for s in range(size):
        for hop in reversed(range(size - 1)):
            here, there = (s + hop) % size, (s + hop + 1) % size
            for line in range(size):
                messages.append(((line, here), (line, there), "A", (line, s)))
                messages.append(((here, line), (there, line), "B", (s, line)))
    return messages


@mutant("summa_messages", says="Only A is sent. Send both matrices.")
def forgets_b(size: int) -> list[Send]:
    lines = range(size)
    return [((i, s), (i, j), "A", (i, s)) for s in lines for i in lines for j in lines if j != s]


@mutant("summa_messages", says="This is right for one input only: a single worker needs no message, several do.")
def no_messages(size: int) -> list[Send]:
    return []


@mutant("grid_traffic_bytes", says="The worker that owns a number need not be sent it: for c workers, c − 1 messages.")
def sends_to_the_owner(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, d = grid
    return (m * k * c + k * n * r + m * n * d) * bytes_per_element


@mutant("grid_traffic_bytes", says="The layers' blocks of C must be summed, and that sends too: d − 1 blocks of d.")
def forgets_the_sum(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, _ = grid
    return (m * k * (c - 1) + k * n * (r - 1)) * bytes_per_element


@mutant(
    "grid_traffic_bytes",
    says="C may stay sharded: a reduce-scatter is enough, and you counted an all-reduce, which sends twice as much.",
)
def gathers_the_result(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, d = grid
    return (m * k * (c - 1) + k * n * (r - 1) + 2 * m * n * (d - 1)) * bytes_per_element


@mutant("grid_traffic_bytes", says="These are bits: a byte has 8 of them.")
def counts_bits(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, d = grid
    return (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)) * bytes_per_element * 8


@mutant(
    "grid_traffic_bytes",
    says="You took r for A and c for B. A is shared by the workers of a row, of which there are c.",
)
def swaps_the_axes(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, d = grid
    return (m * k * (r - 1) + k * n * (c - 1) + m * n * (d - 1)) * bytes_per_element


@mutant("grid_traffic_bytes", says="This is what one worker sends on average; the question is what all send together.")
def counts_one_worker(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    r, c, d = grid
    return (m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)) * bytes_per_element // (r * c * d)


@mutant("grid_traffic_bytes", says="This is right for one input only: count from m, k, n, the grid and the bytes.")
def two_bytes(*, m: int, k: int, n: int, grid: tuple[int, int, int], bytes_per_element: int) -> int:
    return 2
