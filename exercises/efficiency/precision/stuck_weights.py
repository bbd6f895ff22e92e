"""Exercise: how many weights of bfloat16 an optimizer's step leaves where they are."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Mistake, inputs_for


def stuck_weights(*, weights: list[float], updates: list[float]) -> int:
    """Return how many weights of bfloat16 a step leaves as they are.

    Each weight is a number of bfloat16, not 0: eight significant bits, the
    first of which is 1. Its update is added exactly, and the sum is rounded
    to the nearest number with eight significant bits; of two equally near
    ones it's the one whose last bit is 0.

    Args:
        weights: numbers of bfloat16, none of them 0 and none near its ends.
        updates: what is added to each; smaller in size than half the weight.

    Returns:
        How many weights are the same afterwards.

    >>> stuck_weights(weights=[1.0, 1.0, 1.0], updates=[0.001, 0.01, 0.0])
    2
    """
    stuck = 0
    for weight, update in zip(weights, updates, strict=True):
        half, exponent = math.frexp(abs(weight))
        gap = 2.0 ** (exponent - 8)
        last_bit = abs(weight) / gap % 2
        if half == 0.5 and weight * update < 0:
            gap /= 2
        if abs(update) < gap / 2 or (abs(update) == gap / 2 and last_bit == 0):
            stuck += 1
    return stuck


def _rounded(value: Fraction) -> Fraction:
    """Return the nearest number of eight significant bits among those of the powers of two around it."""
    size, power = abs(value), Fraction(1)
    while power > size:
        power /= 2
    while 2 * power <= size:
        power *= 2
    near = [
        (abs(size - power * Fraction(step, 128)), step % 2, power * Fraction(step, 128)) for step in range(128, 257)
    ]
    _, _, found = min(near)
    return found if value > 0 else -found


def tried(*, weights: list[float], updates: list[float]) -> int:
    """Add each update in fractions, and look the sum up among all numbers near it."""
    pairs = zip(weights, updates, strict=True)
    return sum(_rounded(Fraction(weight) + Fraction(update)) == Fraction(weight) for weight, update in pairs)


run_of = inputs_for(stuck_weights)
SIZES = [
    2.0**-power * (1 + step / 128) for power, step in ((4, 0), (5, 40), (6, 3), (6, 127), (7, 64), (8, 10), (9, 0))
]
OWN = run_of(SIZES, [-1.5e-5] * len(SIZES))


def taught() -> str:
    early = stuck_weights(weights=SIZES, updates=[-1.5e-4] * len(SIZES))
    late = stuck_weights(**OWN)
    return (
        f"Of these {len(SIZES)} weights, from 0.002 to 0.062, a step of 0.00015 leaves {early} where they are, and one "
        f"of 0.000015 {late}: as "
        "the learning rate falls, more and more weights of bfloat16 stand still."
    )


def _cases(st: Any) -> Any:
    """Draw weights of bfloat16, and updates around the half of their gaps."""
    one = st.tuples(
        st.integers(128, 255),
        st.integers(-9, 6),
        st.sampled_from([1, -1]),
        st.sampled_from([1, -1]),
        st.sampled_from([0, 0.125, 0.2, 0.249, 0.25, 0.2501, 0.3, 0.499, 0.5, 0.5001, 0.75, 1.0, 1.5, 2.0]),
    )
    return st.lists(one, min_size=1, max_size=12).map(
        lambda drawn: run_of(
            [sign * step * 2.0**power for step, power, sign, _, _ in drawn],
            [way * part * 2.0**power for _, power, _, way, part in drawn],
        )
    )


EXERCISE = Exercise(
    stuck_weights,
    number=3,
    level="medium",
    asked="how many weights of bfloat16 a step leaves where they are",
    expected=tried,
    examples=[
        run_of([1.0, 1.0, 1.0], [0.001, 0.01, 0.0]),
        run_of([1.0, 1.0, 1.0078125], [0.00390625, 0.00390626, 0.00390625]),
        run_of([1.0, 1.0, 1.0, -1.0], [-0.00390625, -0.001953125, -0.002, 0.002]),
        run_of([-0.5, 0.75, 96.0], [-0.001, 0.002, 0.25]),
        run_of([4.0, -0.5, 0.25], [-0.3 * 2.0**-5, 0.3 * 2.0**-8, -0.3 * 2.0**-9]),
        run_of([3.0, 3.015625, -3.015625, -3.015625], [0.0078125, 0.0078125, 0.0078125, -0.0078125]),
        run_of([1.0, 1.0, 96.0], [0.00390625 + 2.0**-40, -0.001953125 - 2.0**-40, 0.25 + 2.0**-40]),
        OWN,
    ],
    inputs=_cases,
    units={"result": "weights"},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_whole_gap",
            "You held a weight up to the whole distance to its neighbour. Beyond half of it, it's rounded there.",
            {"if abs(update) < gap / 2 or (abs(update) == gap / 2": "if abs(update) < gap or (abs(update) == gap"},
        ),
        Mistake(
            "moves_every_tie",
            "You moved every weight whose sum lies in the middle. If its last bit is 0, it is the even one and stays.",
            {"abs(update) == gap / 2 and last_bit == 0": "False"},
        ),
        Mistake(
            "holds_every_tie",
            "You held every weight whose sum lies in the middle. If its last bit is 1, its neighbour is the even one.",
            {" and last_bit == 0": ""},
        ),
        Mistake(
            "forgets_the_gap_below",
            "Below a power of two the numbers lie half as far apart, so an update towards zero moves it sooner.",
            {"if half == 0.5 and weight * update < 0:\n            gap /= 2": "if False:\n            gap /= 2"},
        ),
        Mistake(
            "halves_every_gap_towards_zero",
            "You halved the gap for every update towards zero. Only from a power of two is the neighbour that near.",
            {"half == 0.5 and weight * update < 0": "weight * update < 0"},
        ),
        Mistake(
            "halves_the_gap_upwards_too",
            "You halved the gap of a power of two in both directions. Away from zero it's the full one.",
            {"half == 0.5 and weight * update < 0": "half == 0.5"},
        ),
        Mistake(
            "counts_stored_bits",
            "You took seven significant bits. Seven are stored; with the leading 1 there are eight.",
            {"(exponent - 8)": "(exponent - 7)"},
        ),
        Mistake(
            "takes_one_gap_for_all",
            "You took the gap at 1 for all weights. It doubles with every power of two.",
            {"gap = 2.0 ** (exponent - 8)": "gap = 2.0**-7"},
        ),
        Mistake(
            "counts_those_that_move",
            "You counted the weights that move.",
            {"return stuck": "return len(weights) - stuck"},
        ),
    ],
)
