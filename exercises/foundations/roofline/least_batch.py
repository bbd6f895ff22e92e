"""Exercise: the least batch with which a layer keeps the arithmetic busy."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake, inputs_for

MOST = 2**40  # rows; who needs more needs more than any batch


def least_batch(
    *,
    k: int,
    n: int,
    weight_bytes: int,
    activation_bytes: int,
    peak_flops_per_s: int,
    bandwidth_bytes_per_s: int,
) -> int:
    """Return how many rows make a product with k × n weights compute-bound.

    The product reads m × k activations and k × n weights and writes m × n
    activations, each number once. It is compute-bound if its operations
    take at least as long as its bytes.

    Args:
        k: features that come in.
        n: features that go out.
        weight_bytes: bytes of one weight.
        activation_bytes: bytes of one activation.
        peak_flops_per_s: operations in a second.
        bandwidth_bytes_per_s: bytes between memory and chip in a second.

    Returns:
        The smallest m; 0 if no number of rows is enough.

    >>> least_batch(k=4, n=4, weight_bytes=1, activation_bytes=1,
    ...             peak_flops_per_s=2, bandwidth_bytes_per_s=1)
    2
    """
    # m rows compute 2mkn / P seconds and move (w_p kn + w_X m (k + n)) / β_mem.
    computes = 2 * k * n * bandwidth_bytes_per_s
    moves = activation_bytes * (k + n) * peak_flops_per_s
    fixed = weight_bytes * k * n * peak_flops_per_s
    return -(-fixed // (computes - moves)) if computes > moves else 0


def tried(
    *,
    k: int,
    n: int,
    weight_bytes: int,
    activation_bytes: int,
    peak_flops_per_s: int,
    bandwidth_bytes_per_s: int,
) -> int:
    """Find the batch by trying: double it until it is enough, then halve the way back to the smallest."""

    def enough(m: int) -> bool:
        moved = activation_bytes * (m * k + m * n) + weight_bytes * k * n
        return Fraction(2 * m * k * n, peak_flops_per_s) >= Fraction(moved, bandwidth_bytes_per_s)

    high = 1
    while not enough(high):
        if high > MOST:
            return 0
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


layer = inputs_for(least_batch)


def clear_of_whole_numbers(inputs: Inputs) -> bool:
    """Say whether floats would round the result as exact numbers do."""
    k, n, peak, bandwidth = (inputs[name] for name in ("k", "n", "peak_flops_per_s", "bandwidth_bytes_per_s"))
    room = 2 * k * n * bandwidth - inputs["activation_bytes"] * (k + n) * peak
    if room <= 0:
        return room < 0
    exact = Fraction(inputs["weight_bytes"] * k * n * peak, room)
    return abs(exact - round(exact)) > Fraction(1, 10**6)


def layers(st):  # type: ignore[no-untyped-def]
    sizes = st.fixed_dictionaries(
        {
            "k": st.integers(2, 64),
            "n": st.integers(2, 64),
            "weight_bytes": st.sampled_from([1, 2, 4]),
            "activation_bytes": st.sampled_from([1, 2, 4]),
            "peak_flops_per_s": st.integers(1, 200),
            "bandwidth_bytes_per_s": st.integers(1, 40),
        }
    )
    return sizes.filter(clear_of_whole_numbers)


def in_floats(
    k: int, n: int, weight_bytes: int, activation_bytes: int, peak_flops_per_s: int, bandwidth_bytes_per_s: int
) -> int:
    """The formula in floats, rounded up."""
    room = 2 * bandwidth_bytes_per_s / peak_flops_per_s - activation_bytes / k - activation_bytes / n
    return math.ceil(weight_bytes / room) if room > 0 else 0


H100, HBM = 989_400_000_000_000, 3_350_000_000_000
COMPUTES, MOVES = "2 * k * n * bandwidth_bytes_per_s", "activation_bytes * (k + n) * peak_flops_per_s"
RESULT = "-(-fixed // (computes - moves)) if computes > moves else 0"


def taught() -> str:
    a, b = (least_batch(**layer(4096, 4096, *of, HBM)) for of in ((1, 2, H100), (1, 1, 2 * H100)))
    c = least_batch(**layer(512, 512, 2, 2, H100, HBM))
    return (
        f"(a) {a} tokens. (b) {b}, as in bfloat16: half of the bytes, twice the peak. (c) {c}: no batch is "
        "enough, since the activations of so small a layer alone keep memory busy for longer than the operations take."
    )


EXERCISE = Exercise(
    least_batch,
    number=2,
    asked="the least number of rows with which the operations take at least as long as the bytes, or 0",
    expected=tried,
    examples=[
        layer(4, 4, 1, 1, 2, 1),
        layer(4, 4, 1, 1, 16, 1),
        layer(4, 4, 1, 1, 4, 1),
        layer(8, 3, 2, 1, 5, 2),
        layer(4, 5, 1, 4, 5, 7),
        layer(3, 12, 2, 1, 24, 5),
        layer(1024, 1024, 2, 1, 1000, 1),
        layer(14336, 4096, 2, 2, H100, HBM),
        layer(512, 512, 2, 2, H100, HBM),
        layer(4096, 4096, 1, 1, 2 * H100, HBM),
        layer(4096, 4096, 1, 2, H100, HBM),
    ],
    inputs=layers,
    units={"result": "rows"},
    taught=taught,
    mistakes=[
        Mistake(
            "reads_weights_only",
            "Activations move too: m × k numbers in and m × n out.",
            {MOVES: "0"},
        ),
        Mistake(
            "does_not_write",
            "The result has to be written as well: m × n numbers.",
            {MOVES: "activation_bytes * k * peak_flops_per_s"},
        ),
        Mistake(
            "one_size_for_all",
            "Weights and activations may have different sizes: you took the weights' for all.",
            {MOVES: "weight_bytes * (k + n) * peak_flops_per_s"},
        ),
        Mistake(
            "looks_for_no_0",
            "Where a row's bytes take as long as its operations or longer, no number of rows is enough: return 0.",
            {RESULT: "-(-fixed // (computes - moves))"},
        ),
        Mistake(
            "forgets_the_tie",
            "Where a row's bytes take just as long as its operations, nothing is left to make up for the weights: "
            "return 0 there too.",
            {"computes > moves else": "computes >= moves else"},
        ),
        Mistake(
            "returns_minus_1",
            "Where no number of rows is enough, the result is to be 0.",
            {"computes > moves else 0": "computes > moves else -1"},
        ),
        Mistake(
            "rounds_by_floats",
            "Floats are rounded: a number of rows that should be whole may come out a little larger, and a difference "
            "of 0 a little off 0. All inputs are whole numbers, and -(-x // y) divides them exactly and rounds up.",
            in_floats,
        ),
        Mistake(
            "counts_multiplications_only",
            "A multiplication and an addition are two operations: the product has 2mkn of them.",
            {COMPUTES: "k * n * bandwidth_bytes_per_s"},
        ),
        Mistake(
            "rounds_down",
            "With this many rows the bytes still take longer: round up.",
            {"-(-fixed // (computes - moves))": "fixed // (computes - moves)"},
        ),
        Mistake(
            "takes_the_ridge",
            "That is the ridge point, which counts operations a byte; what a row brings depends on the layer.",
            {RESULT: "-(-peak_flops_per_s // bandwidth_bytes_per_s)"},
        ),
    ],
)
