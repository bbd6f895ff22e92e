"""Exercise: recover the floor and the exponent from three runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts


def floor_of_three(
    losses: Sequence[float],
    *,
    ratio: float,
) -> tuple[float, float]:
    """Return the floor and the exponent of the power law through three runs.

    The loss of a run is floor + constant / compute**exponent. Each run has
    `ratio` times the compute of the one before.

    Args:
        losses: of the three runs in nats, without noise; each is lower than the
            one before, and the second fall is so much smaller than the first
            that the floor lies above 0.
        ratio: of the computes, above 1.

    Returns:
        The floor in nats, and the exponent.

    >>> floor_of_three([3.5, 2.5, 2.0], ratio=16)
    (1.5, 0.25)
    """
    first, second, third = losses
    shrinks = (first - second) / (second - third)
    floor = third - (second - third) / (shrinks - 1)
    return floor, math.log(shrinks) / math.log(ratio)


def truth(losses: Sequence[float], *, ratio: float) -> Observation:
    """Search the exponent until the law through the first two runs meets the third; then the floor follows."""
    first, second, third = losses
    low, high = 1e-6, 20.0
    for _ in range(200):
        exponent = (low + high) / 2
        u = ratio**-exponent
        above = (first - second) / (1 - u)
        if first - above * (1 - u * u) > third:
            high = exponent
        else:
            low = exponent
    return {"floor": float(f"{first - above:.10g}"), "exponent": float(f"{exponent:.10g}")}


def case(floor: float, above: float, exponent: float, ratio: float) -> Inputs:
    return {"losses": [floor + above * ratio ** (-exponent * place) for place in range(3)], "ratio": ratio}


def taught() -> str:
    floor, exponent = floor_of_three([3.5, 2.933, 2.547], ratio=10)
    moved, _ = floor_of_three([3.5, 2.943, 2.547], ratio=10)
    return (
        f"The question's runs say a floor of {floor:.3f} nats and an exponent of {exponent:.3f}. With 0.01 nats more "
        f"in the middle run the floor would be {moved:.2f}."
    )


EXERCISE = Exercise(
    floor_of_three,
    number=2,
    level="medium",
    asked="the floor and the exponent of the law through three runs",
    expected=truth,
    observe=parts("floor", "exponent"),
    relative_tolerance=1e-5,
    units={"floor": "nats"},
    examples=[
        {"losses": [3.5, 2.5, 2.0], "ratio": 16},
        {"losses": [4.0, 3.0, 2.5], "ratio": 100},
        {"losses": [2.75, 2.25, 2.0], "ratio": 2},
        {"losses": [3.5, 2.933, 2.547], "ratio": 10},
    ],
    inputs=lambda st: st.builds(
        case,
        st.sampled_from([0.1, 0.5, 1.69, 1.8172, 2.5]),
        st.sampled_from([0.5, 1.0, 1.7, 3.0]),
        st.sampled_from([0.08, 0.154, 0.178, 0.35, 0.7]),
        st.sampled_from([3.0, 10.0, 16.0, 100.0]),
    ),
    taught=taught,
    mistakes=[
        Mistake(
            "no_floor",
            "You took a straight line on logarithmic axes, which has no floor. Compare the two falls.",
            lambda losses, ratio: (0.0, math.log(losses[0] / losses[2]) / math.log(ratio) / 2),
        ),
        Mistake(
            "floor_is_the_last",
            "The last loss is not the floor: the falls go on, each smaller by the same factor.",
            {"floor = third - (second - third) / (shrinks - 1)": "floor = third"},
        ),
        Mistake(
            "one_more_fall",
            "You took away one more fall. All the falls to come add up to a geometric series.",
            {"(second - third) / (shrinks - 1)": "(second - third) / shrinks"},
        ),
        Mistake(
            "ratio_of_losses",
            "You took the ratio of two losses. It is the falls that shrink by a constant factor.",
            {"shrinks = (first - second) / (second - third)": "shrinks = first / second"},
        ),
        Mistake(
            "upside_down",
            "You divided the later fall by the earlier one.",
            {"shrinks = (first - second) / (second - third)": "shrinks = (second - third) / (first - second)"},
        ),
        Mistake(
            "swaps_the_results",
            "Return the floor first, then the exponent.",
            {"return floor, math.log(shrinks) / math.log(ratio)": "return math.log(shrinks) / math.log(ratio), floor"},
        ),
        Mistake(
            "forgets_the_ratio",
            "This exponent is for runs that are e times apart: divide by the logarithm of the ratio.",
            {"/ math.log(ratio)": ""},
        ),
        Mistake(
            "always_tenfold",
            "This exponent is for runs that are ten times apart: divide the logarithm by that of the ratio.",
            {"math.log(shrinks) / math.log(ratio)": "math.log10(shrinks)"},
        ),
        Mistake(
            "exponent_upside_down",
            "You divided the logarithm of the ratio by that of the shrinking factor. It is the other way round.",
            {"math.log(shrinks) / math.log(ratio)": "math.log(ratio) / math.log(shrinks)"},
        ),
        Mistake(
            "ratio_squared",
            "You took the ratio of the third run's compute to the first's. From one fall to the next it is one step.",
            {"/ math.log(ratio)": "/ math.log(ratio**2)"},
        ),
        Mistake(
            "negative_exponent",
            "Your exponent is below 0. The loss falls as compute to minus the exponent, and the runs come in the order "
            "of their compute, so the largest loss is the first.",
            {"math.log(shrinks) / math.log(ratio)": "-math.log(shrinks) / math.log(ratio)"},
        ),
    ],
)
