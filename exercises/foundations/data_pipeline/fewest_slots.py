"""Exercise: the smallest shuffle buffer that keeps an example for so many draws with a given chance."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake


def fewest_slots(*, draws: int, percent: int) -> int:
    """Return the fewest slots of a shuffle buffer that keeps examples back.

    Each draw takes one of the slots, all equally likely, and puts the next
    example of the stream into it.

    Args:
        draws: d, at least 1.
        percent: the chance that is asked for, 1 to 99.

    Returns:
        The least H with which an example is still there after d draws with a
        chance of at least so many percent.

    >>> fewest_slots(draws=2, percent=50)
    4
    """

    def enough(slots: int) -> bool:
        # (1 - 1/slots) ** draws >= percent %, in whole numbers
        return 100 * (slots - 1) ** draws >= percent * slots**draws

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def counted_draw_by_draw(*, draws: int, percent: int) -> int:
    """Follow the chance through every draw, for one buffer after the other, in exact fractions."""
    slots = max(1, draws * percent // 1000)  # well below what is needed
    while True:
        slots += 1
        if Fraction(slots - 1, slots) ** draws * 100 >= percent:
            return slots


def asked(draws: int, percent: int) -> Inputs:
    return {"draws": draws, "percent": percent}


def taught() -> str:
    slots = fewest_slots(draws=650, percent=50)
    return (
        f"For 650 draws and 50% it takes {slots} slots, {slots / 650:.2f} times the run: for a small 1/H the chance is "
        "about exp(-d/H), which is one half where H is d / ln 2."
    )


EXERCISE = Exercise(
    fewest_slots,
    number=3,
    level="medium",
    asked="the fewest slots that keep an example for so many draws with the chance asked for",
    expected=counted_draw_by_draw,
    examples=[
        asked(2, 50),
        asked(1, 50),
        asked(1, 75),
        asked(1, 1),
        asked(3, 99),
        asked(2, 25),
        asked(40, 10),
        asked(1, 80),  # met exactly by a whole number of slots, which floats miss
        asked(1, 90),
        asked(2, 64),
        asked(2, 81),
        asked(100, 90),
        asked(650, 50),
    ],
    inputs=lambda st: {"draws": st.integers(1, 60), "percent": st.integers(1, 99)},
    units={"result": "slots"},
    draws=60,
    taught=taught,
    mistakes=[
        Mistake(
            "one_slot_less",
            "With this many slots the chance is still below what is asked for.",
            {"return high": "return low"},
        ),
        Mistake(
            "one_slot_more",
            "This is enough, but one slot fewer is, too.",
            {"return high": "return high + 1"},
        ),
        Mistake(
            "takes_the_root_in_floats",
            "Right but for rounding: where a whole number of slots just meets the chance, the root as a float may lie "
            "beside it. Compare whole numbers: 100 (H - 1)^d with percent · H^d.",
            lambda *, draws, percent: math.ceil(1 / (1 - (percent / 100) ** (1 / draws))),
        ),
        Mistake(
            "takes_the_exponential",
            "exp(-d/H) is the chance for a small 1/H only, and a bit too large: (1 − 1/H) to the power of d decides.",
            lambda *, draws, percent: max(2, math.ceil(draws / math.log(100 / percent))),
        ),
        Mistake(
            "takes_the_mean",
            "An example stays for H draws on average, but after H draws more than half of them have left.",
            lambda *, draws, percent: max(2, draws),
        ),
        Mistake(
            "draws_once_less",
            "After d draws an example has survived d of them, not d − 1.",
            lambda *, draws, percent: 2 if draws == 1 else fewest_slots(draws=draws - 1, percent=percent),
        ),
        Mistake(
            "asks_for_having_left",
            "This is the chance that the example has left; asked is the chance that it is still there.",
            lambda *, draws, percent: fewest_slots(draws=draws, percent=100 - percent),
        ),
        Mistake(
            "subtracts_the_chances",
            "The chances of draws multiply: to survive d of them is (1 − 1/H) to the power of d, not 1 − d/H.",
            lambda *, draws, percent: max(2, -(-100 * draws // (100 - percent))),
        ),
        Mistake(
            "forgets_the_draws",
            "This looks at one draw only; the example has to survive all of them.",
            lambda *, draws, percent: fewest_slots(draws=1, percent=percent),
        ),
    ],
)
