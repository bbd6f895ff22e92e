"""Exercise: how many steps before and after a change show that it is no chance."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from grader.exercise import Exercise, Mistake, inputs_for


def steps_to_see(
    times_ms: list[int],
    *,
    warmup: int,
    change_percent: int,
) -> int:
    """Return how many steps of each of two runs show a change of the mean.

    The first steps of a run don't count. The change is seen when it is at
    least two standard errors of the difference of two means, each of that many
    steps, and both with the spread of the steps that you are given.

    Args:
        times_ms: the times of steps, in order; at least ``warmup + 2``.
        warmup: how many of them, at the beginning, don't count; at least 0.
        change_percent: the change that is to be seen, of the mean step; at
            least 1.

    Returns:
        The fewest steps of each run, at least 1. The variance is that with
        one less than the number of steps in the denominator. Compute exactly:
        a float may be a hair above a whole number, and rounds up to the next.

    >>> steps_to_see([90, 98, 102], warmup=1, change_percent=2)
    16
    """
    counted = times_ms[warmup:]
    mean = Fraction(sum(counted), len(counted))
    squares = [(time - mean) * (time - mean) for time in counted]
    variance = Fraction(sum(squares), len(counted) - 1)
    change = mean * change_percent / 100
    needed = 2 * 2 * 2 * variance / (change * change)
    return max(1, -(-needed.numerator // needed.denominator))


def by_trying(times_ms: list[int], *, warmup: int, change_percent: int) -> int:
    """Raise the number of steps until the change is as large as two standard errors, in whole numbers.

    With S steps, twice the error's square is compared with the change's; all is multiplied by the count's powers.
    """
    counted = [int(time) for place, time in enumerate(times_ms) if place >= warmup]
    count, total = len(counted), sum(counted)
    # count² · variance · (count − 1) is a whole number: the pairs' squared differences give it without any mean.
    pairs = sum((one - two) ** 2 for place, one in enumerate(counted) for two in counted[place + 1 :])
    # variance = pairs / (count (count − 1)); seen if 4 · 2 · variance / S <= (total/count · change/100)²
    left, right = 8 * pairs * count * 100**2, total**2 * change_percent**2 * (count - 1)
    steps = max(1, left // right - 1)
    while steps * right < left:
        steps += 1
    assert isqrt(steps * steps) == steps
    return steps


runs_of = inputs_for(steps_to_see)
OWN = runs_of([11645, 2215, 2181, 2353, 2188, 2207, 2193, 2317, 2299, 2220, 2230, 2371, 2239, 2262, 2260, 2265], 1, 1)


def taught() -> str:
    from statistics import mean, stdev

    times = list(OWN["times_ms"])
    spread = stdev(times[1:]) / mean(times[1:])
    with_first = steps_to_see(times, warmup=0, change_percent=1)
    return (
        f"These steps scatter by {100 * spread:.1f}%, so that {steps_to_see(times, warmup=1, change_percent=1)} of "
        f"each run show a change of 1%. With the first step among them it would be {with_first:,}."
    )


EXERCISE = Exercise(
    steps_to_see,
    number=1,
    level="easy",
    asked="how many steps of each run show the change",
    expected=by_trying,
    examples=[
        runs_of([90, 98, 102], 1, 2),
        runs_of([100, 100, 100], 0, 1),
        runs_of([99, 101], 0, 3),
        runs_of([98, 102, 97, 103], 0, 1),
        runs_of([500, 98, 102, 97, 103], 1, 5),
        runs_of([7, 1, 3], 0, 50),
        runs_of([77, 63], 0, 4),
        runs_of([84, 56], 0, 8),
        runs_of([138, 54], 0, 7),
        OWN,
    ],
    inputs=lambda st: {
        "times_ms": st.lists(st.integers(80, 120), min_size=4, max_size=9),
        "warmup": st.integers(0, 2),
        "change_percent": st.integers(1, 9),
    },
    draws=80,
    taught=taught,
    mistakes=[
        Mistake(
            "counts_the_warmup",
            "You counted the first steps too. They are slow for reasons that don't come back.",
            {"times_ms[warmup:]": "times_ms"},
        ),
        Mistake(
            "forgets_the_other_run",
            "You took the error of one mean. Two means are compared, and each scatters: the variances add up.",
            {"2 * 2 * 2 * variance": "2 * 2 * variance"},
        ),
        Mistake(
            "takes_one_standard_error",
            "You took one standard error. A change that size comes by chance in every third comparison; take two.",
            {"2 * 2 * 2 * variance": "2 * variance"},
        ),
        Mistake(
            "forgets_the_square",
            "You divided the variance by the change, not by its square. Half the change needs four times the steps.",
            {"(change * change)": "change"},
        ),
        Mistake(
            "divides_by_all",
            "You divided the squares by the number of steps. The variance of a sample has one less.",
            {"len(counted) - 1)": "len(counted))"},
        ),
        Mistake(
            "rounds_down",
            "You rounded down. With fewer steps the change isn't seen.",
            {"-(-needed.numerator // needed.denominator)": "needed.numerator // needed.denominator"},
        ),
        Mistake(
            "takes_the_change_as_a_time",
            "You took the change for milliseconds. It's a share of the mean step.",
            {"mean * change_percent / 100": "Fraction(change_percent)"},
        ),
        Mistake(
            "allows_none",
            "You return 0 where the steps don't scatter. A comparison needs a step of each run.",
            {"max(1, -(-needed.numerator // needed.denominator))": "-(-needed.numerator // needed.denominator)"},
        ),
    ],
)
