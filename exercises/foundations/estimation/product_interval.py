"""Exercise: the range of a product whose factors are known to ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts

Factors = Sequence[tuple[float, float, float]]


def product_interval(
    factors: Sequence[tuple[float, float, float]],
) -> tuple[float, float]:
    """Return the range of a product of independent factors.

    All ranges, the product's too, have the same coverage.

    Args:
        factors: for each factor the lower end of its range, the upper end, and
            the power in which it occurs: −1 where it divides.

    Returns:
        The lower and the upper end of the product's range.

    >>> [round(end, 4) for end in product_interval([(1, 4, 1), (2, 8, -1)])]
    [0.1876, 1.3326]
    """
    log_middle = square = 0.0
    for low, high, power in factors:
        log_middle += power * math.log(low * high) / 2
        square += (power * math.log(high / low) / 2) ** 2
    half = math.sqrt(square)
    return math.exp(log_middle - half), math.exp(log_middle + half)


def ends_of_a_sum(factors: Factors) -> Observation:
    """Add the logarithms as normal variables whose deciles are the ends, and ask the sum for its own deciles."""
    decile = NormalDist().inv_cdf(0.9)
    total: NormalDist | None = None
    for low, high, power in factors:
        sigma = (math.log(high) - math.log(low)) / (2 * decile)
        term = NormalDist((math.log(low) + math.log(high)) / 2, sigma) * power
        total = term if total is None else total + term
    if total is None:
        return {"lower end": 1.0, "upper end": 1.0}
    off = decile * total.stdev
    return {"lower end": math.exp(total.mean - off), "upper end": math.exp(total.mean + off)}


def factor_lists(st: Any) -> Any:
    def factor(low: float, ratio: float, power: float) -> tuple[float, float, float]:
        return (low, low * ratio, power)

    one = st.builds(
        factor,
        st.sampled_from([0.1, 0.25, 0.3, 1.0, 7.0, 300.0]),
        st.sampled_from([1.0, 1.25, 2.0, 3.0, 10.0]),
        st.sampled_from([1, 1, -1, -1, 2, -2, 3, 0.5]),
    )
    return st.fixed_dictionaries({"factors": st.lists(one, min_size=1, max_size=5)})


def case(*factors: tuple[float, float, float]) -> Inputs:
    return {"factors": list(factors)}


QUESTION = [(27.1, 27.1, 1), (1.0, 1.1, 1), (0.3, 0.5, -1), (0.8, 0.97, -1)]


def taught() -> str:
    low, high = product_interval(QUESTION)
    squares = [(power * math.log(up / down)) ** 2 for down, up, power in QUESTION]
    return (
        f"The run takes {low:.0f} to {high:.0f} days. The share of the peak, 0.3 to 0.5, makes up "
        f"{max(squares) / sum(squares):.0%} of the squared width: in a product of independent factors the widest "
        "decides."
    )


EXERCISE = Exercise(
    product_interval,
    number=1,
    level="easy",
    asked="the range of a product of independent factors, each known to a range",
    expected=ends_of_a_sum,
    observe=parts("lower end", "upper end"),
    examples=[
        case((1, 4, 1), (2, 8, -1)),
        case((2, 3, 1)),
        case((2, 8, -1)),
        case((1, 2, 2)),
        case((0.5, 2, 1), (0.5, 2, 1)),
        case((1, 4, 1), (1, 4, 1), (3, 3, 1)),
        case((1, 4, 2), (1, 4, -1)),
        case(*QUESTION),
    ],
    inputs=factor_lists,
    taught=taught,
    mistakes=[
        Mistake(
            "adds_straight",
            "Your half-widths add straight, as if all factors were wrong the same way at once; independent ones add as "
            "squares.",
            {
                "(power * math.log(high / low) / 2) ** 2": "abs(power * math.log(high / low) / 2)",
                "half = math.sqrt(square)": "half = square",
            },
        ),
        Mistake(
            "divides_by_the_lower_end",
            "You raised each end to the power and multiplied the lower ends, then the upper ones. Where a factor "
            "divides, its upper end makes the product small; and widths add as squares.",
            lambda factors: (
                math.prod(low**power for low, _, power in factors),
                math.prod(high**power for _, high, power in factors),
            ),
        ),
        Mistake(
            "takes_the_ordinary_middle",
            "Your middle is (low + high)/2. On a logarithmic axis the middle is the root of low times high.",
            {"math.log(low * high) / 2": "math.log((low + high) / 2)"},
        ),
        Mistake(
            "adds_relative_errors",
            "You added squares of relative errors, which is near the truth for a few per cent only; take logarithms.",
            {"(power * math.log(high / low) / 2) ** 2": "(power * (high - low) / (high + low)) ** 2"},
        ),
        Mistake(
            "forgets_the_powers_width",
            "A factor in the second power is twice as wide in logarithms: multiply its half-width by the power.",
            {"(power * math.log(high / low) / 2) ** 2": "(math.log(high / low) / 2) ** 2"},
        ),
        Mistake(
            "forgets_the_power",
            "A factor that divides has the power −1: its logarithm counts negatively.",
            {"power * math.log(low * high)": "math.log(low * high)"},
        ),
        Mistake(
            "takes_the_whole_width",
            "ln(high/low) is the whole width; the ends lie half of it from the middle.",
            {"(power * math.log(high / low) / 2) ** 2": "(power * math.log(high / low)) ** 2"},
        ),
        Mistake(
            "forgets_the_root",
            "You added up the squares of the half-widths; the product's half-width is the root of the sum.",
            {"half = math.sqrt(square)": "half = square"},
        ),
        Mistake(
            "turns_the_ends_around",
            "The lower end comes first, then the upper one.",
            {
                "log_middle - half)": "log_middle + half)",
                ", math.exp(log_middle + half)": ", math.exp(log_middle - half)",
            },
        ),
        Mistake(
            "returns_logarithms",
            "These are the logarithms of the ends: take e to their power.",
            {"math.exp(log_middle - half), math.exp(log_middle + half)": "log_middle - half, log_middle + half"},
        ),
        Mistake(
            "mixes_logarithms",
            "You took logarithms to one base and powers of another.",
            {"math.log(high / low)": "math.log10(high / low)"},
        ),
    ],
)
