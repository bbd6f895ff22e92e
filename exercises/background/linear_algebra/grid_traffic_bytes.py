"""Exercise: the bytes that all workers of a grid send for one product."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake


def grid_traffic_bytes(
    *,
    m: int,
    k: int,
    n: int,
    grid: tuple[int, int, int],
    element_bytes: int,
) -> int:
    """Count the bytes that the workers of a grid send together, C left sharded.

    The grid has ρ rows, κ columns and λ layers. Each number of A and of B is
    held by one worker at the start. Rows of workers share rows of A, columns
    share columns of B, and each layer adds its part of the shared dimension to
    C, which is summed over the layers by a reduce-scatter.

    Args:
        m: rows of A.
        k: columns of A and rows of B.
        n: columns of B.
        grid: (ρ, κ, λ).
        element_bytes: bytes of one number.

    Returns:
        Bytes, of all workers together.

    >>> shape = {"m": 4, "k": 6, "n": 5}
    >>> grid_traffic_bytes(**shape, grid=(2, 3, 1), element_bytes=2)
    156
    """
    # A goes to κ − 1 more workers, B to ρ − 1 more, and C is a sum of λ blocks, λ − 1 of which travel.
    rows, columns, layers = grid
    return (m * k * (columns - 1) + k * n * (rows - 1) + m * n * (layers - 1)) * element_bytes


def bytes_on_workers(m: int, k: int, n: int, grid: tuple[int, int, int], element_bytes: int) -> int:
    """Run the workers of a grid and count what they send."""
    import numpy as np

    from snippets.background.linear_algebra.simulators import grid_product

    kind = {2: np.float16, 4: np.float32, 8: np.float64}[element_bytes]
    run = grid_product(np.zeros((m, k), kind), np.zeros((k, n), kind), grid=grid)
    return sum(run.account.sent_bytes)


EXERCISE = Exercise(
    grid_traffic_bytes,
    number=3,
    asked="the bytes that all workers of the grid send together, C left sharded",
    expected=bytes_on_workers,
    examples=[
        {"m": 2, "k": 3, "n": 5, "grid": (1, 2, 1), "element_bytes": 2},
        {"m": 12, "k": 24, "n": 36, "grid": (2, 2, 1), "element_bytes": 2},
        {"m": 3, "k": 2, "n": 8, "grid": (1, 1, 1), "element_bytes": 8},
        {"m": 1, "k": 1, "n": 1, "grid": (1, 2, 1), "element_bytes": 2},
        {"m": 7, "k": 11, "n": 5, "grid": (2, 3, 4), "element_bytes": 4},
    ],
    inputs=lambda st: {
        **{side: st.integers(1, 6) for side in ("m", "k", "n")},
        "grid": st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
        "element_bytes": st.sampled_from([2, 4, 8]),
    },
    units={"result": "bytes"},
    mistakes=[
        Mistake(
            "sends_to_the_owner",
            "The worker that owns a number need not be sent it: for κ workers, κ − 1 messages.",
            {"(columns - 1)": "columns", "(rows - 1)": "rows", "(layers - 1)": "layers"},
        ),
        Mistake(
            "sends_a_to_the_owner",
            "One of the κ workers that need a number of A holds it already: κ − 1 messages, not κ.",
            {"(columns - 1)": "columns"},
        ),
        Mistake(
            "sends_b_to_the_owner",
            "One of the ρ workers that need a number of B holds it already: ρ − 1 messages, not ρ.",
            {"(rows - 1)": "rows"},
        ),
        Mistake(
            "sends_the_last_sheet_too",
            "To bring λ sheets to one place takes λ − 1 messages, not λ: one of them is there already.",
            {"(layers - 1)": "layers"},
        ),
        Mistake(
            "takes_the_rings_fraction",
            "(κ − 1)/κ of a matrix is what one of κ workers sends. All of them together send κ times that.",
            {
                "(columns - 1)": "(columns - 1) / columns",
                "(rows - 1)": "(rows - 1) / rows",
                "(layers - 1)": "(layers - 1) / layers",
            },
        ),
        Mistake(
            "forgets_the_sum",
            "The layers' sheets of C must be summed, and that sends too: to bring λ of them to one place takes λ − 1 "
            "messages.",
            {" + m * n * (layers - 1)": ""},
        ),
        Mistake(
            "gathers_the_result",
            "C may stay sharded: a reduce-scatter is enough, and you counted an all-reduce, which sends twice as much.",
            {"m * n * (layers - 1)": "2 * m * n * (layers - 1)"},
        ),
        Mistake("counts_numbers", "These are numbers: multiply by element_bytes.", {" * element_bytes": ""}),
        Mistake("counts_bits", "These are bits: a byte has 8 of them.", {"* element_bytes": "* element_bytes * 8"}),
        Mistake(
            "swaps_the_axes",
            "You took ρ for A and κ for B. A is shared by the workers of a row, of which there are κ.",
            {"rows, columns, layers = grid": "columns, rows, layers = grid"},
        ),
        Mistake(
            "counts_one_worker",
            "This is what one worker sends on average; the question is what all send together.",
            {"* element_bytes": "* element_bytes // (rows * columns * layers)"},
        ),
    ],
)
