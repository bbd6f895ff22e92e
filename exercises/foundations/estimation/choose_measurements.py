"""Exercise: which factors of a product to measure, so that its range is narrow enough at least cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from statistics import NormalDist
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

Factors = Sequence[tuple[float, float, float, float]]
CHOICE, WIDTH, COST = "places", "product known within ×/÷", "cost"
HAIR = 1 + 1e-9  # so that rounding decides nothing


def choose_measurements(
    factors: Sequence[tuple[float, float, float, float]],
    *,
    within: float,
) -> list[int]:
    """Choose which factors to measure so that their product is known well.

    A factor known within ×/÷ f has a range from its middle over f to its middle
    times f. The factors are independent, and all ranges have one coverage.

    Args:
        factors: for each factor: within which factor it is known now, within
            which it is known once it is measured, the power in which it occurs
            in the product, and what measuring it costs, above 0.
        within: the product must be known within this factor or a smaller one;
            measuring everything would be enough.

    Returns:
        The places in the list of the factors to measure, from 0, in any order,
        as whole numbers; of several choices that cost least, any.

    >>> choose_measurements([(2.0, 1.1, 1, 5.0), (1.1, 1.0, -1, 1.0)],
    ...                     within=1.2)
    [0]
    """

    def square(chosen: Sequence[int]) -> float:
        terms = []
        for place, (now, measured, power, _) in enumerate(factors):
            spread = measured if place in chosen else now
            terms.append((power * math.log(spread)) ** 2)
        return math.fsum(terms)

    best: tuple[float, list[int]] = (math.inf, [])
    for number in range(len(factors) + 1):
        for chosen in combinations(range(len(factors)), number):
            cost = sum(factors[place][3] for place in chosen)
            if cost < best[0] and math.sqrt(square(chosen)) <= math.log(within):
                best = cost, list(chosen)
    return best[1]


def known_within(factors: Factors, chosen: Sequence[int]) -> float:
    """Add the logarithms as normal variables whose upper decile is the end of the range; no formula of widths."""
    decile = NormalDist().inv_cdf(0.9)
    total = NormalDist(0, 0)
    for place, (now, measured, power, _) in enumerate(factors):
        sigma = math.log(measured if place in chosen else now) / decile
        total = total + NormalDist(0, sigma) * power
    return math.exp(decile * total.stdev)


@cache
def least_cost(factors: tuple[tuple[float, float, float, float], ...], within: float) -> float:
    """Try every choice, as the bits of a number."""
    costs = []
    for bits in range(2 ** len(factors)):
        chosen = [place for place in range(len(factors)) if bits >> place & 1]
        if known_within(factors, chosen) <= within * HAIR:
            costs.append(math.fsum(factors[place][3] for place in chosen))
    return min(costs)


def wanted(factors: Factors, within: float) -> Observation:
    least = least_cost(tuple((a, b, c, d) for a, b, c, d in factors), within)
    return {
        CHOICE: f"different whole numbers from 0 to {len(factors) - 1}",
        WIDTH: f"at most {within:.7g}",
        COST: f"{least:g}, the least there is",
    }


def observe(function: Callable[..., Any], *, factors: Factors, within: float) -> Observation:
    """Say of a choice how well the product is then known and what it costs: any that costs least is right."""
    chosen = function(factors=factors, within=within)
    seen = wanted(factors, within)
    if len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(len(factors))):
        return {**seen, CHOICE: f"{list(chosen)}"}
    reached, cost = known_within(factors, chosen), math.fsum(factors[place][3] for place in chosen)
    if reached > within * HAIR:
        seen[WIDTH] = f"{reached:.7g} if {list(chosen)} are measured"
    elif cost > least_cost(tuple((a, b, c, d) for a, b, c, d in factors), within) * HAIR:
        seen[COST] = f"{cost:g} for {list(chosen)}"
    return seen


def case(within: float, *factors: tuple[float, float, float, float]) -> Inputs:
    return {"factors": list(factors), "within": within}


def cases(st: Any) -> Any:
    factor = st.tuples(
        st.sampled_from([1.15, 1.2, 1.5, 2.0, 3.0]),
        st.sampled_from([1.0, 1.02, 1.05, 1.15]),
        st.sampled_from([1, 1, -1, -1, 2, -2, 0.5]),
        st.sampled_from([1.0, 1.6, 2.0, 3.0, 5.0, 7.9, 8.0, 13.0]),
    )

    def built(factors: list[tuple[float, float, float, float]], bits: int) -> Inputs:
        chosen = [place for place in range(len(factors)) if bits >> place & 1]
        # Measuring everything is enough however the half-widths are added, so that every answer finds a choice.
        straight = math.prod(measured ** max(1, abs(power)) for _, measured, power, _ in factors)
        within = max(known_within(factors, chosen), straight, 1.01)
        return case(round(1.003 * within, 4), *factors)

    return st.builds(built, st.lists(factor, min_size=2, max_size=5), st.integers(0, 31))


def greedily(factors: Factors, within: float, key: Callable[[int], float]) -> list[int]:
    """Measure one factor after the other, the one with the largest key first, until the product is known well."""
    order = sorted(range(len(factors)), key=key, reverse=True)
    return next(order[:n] for n in range(len(order) + 1) if known_within(factors, order[:n]) <= within * HAIR)


def gain(factor: tuple[float, float, float, float]) -> float:
    now, measured, power, _ = factor
    return power**2 * (math.log(now) ** 2 - math.log(measured) ** 2)


# The bill of the chapter's run: operations, share of the peak, time at work, price, and a width that occurs squared.
BILL = (
    (1.05, 1.02, 1, 4.0),
    (1.3, 1.05, -1, 20.0),
    (1.1, 1.05, -1, 5.0),
    (1.25, 1.02, 1, 12.0),
    (1.1, 1.0, 2, 9.0),
)

DEAR = (1.5, 1.0, 1, 20.0)

as_if = mistaken_rules(wanted, observe)


def each_factor(changed: Callable[..., tuple[float, float, float, float]]) -> Callable[[Inputs], Inputs]:
    return lambda given: {"factors": [changed(*factor) for factor in given["factors"]]}


def is_best_of_straight_sums(chosen: Sequence[int], *, factors: Factors, within: float) -> bool:
    """Judge a choice as if half-widths added up straight; where no choice is then enough, none is wrong."""
    costs = {}
    for bits in range(2 ** len(factors)):
        places = [place for place in range(len(factors)) if bits >> place & 1]
        ends = [factor[1] if place in places else factor[0] for place, factor in enumerate(factors)]
        half = math.fsum(abs(factor[2]) * math.log(end) for factor, end in zip(factors, ends, strict=True))
        if half <= math.log(within) * HAIR:
            costs[tuple(places)] = math.fsum(factors[place][3] for place in places)
    return not costs or costs.get(tuple(sorted(chosen)), math.inf) <= min(costs.values()) * HAIR


def taught() -> str:
    chosen = choose_measurements(BILL, within=1.3)
    by_gain = greedily(BILL, 1.3, lambda place: gain(BILL[place]) / BILL[place][3])
    one_by_one = sum(BILL[place][3] for place in by_gain)
    cost, widest = (sum(BILL[place][3] for place in places) for places in (chosen, (1, 3)))
    return (
        f"Measure {' and '.join(map(str, chosen))}, for {cost:.0f} thousand dollars: the bill is then known within ×/÷ "
        f"{known_within(BILL, chosen):.2f}. The two widest factors, 1 and 3, would cost {widest:.0f}, and narrow the "
        f"bill to ×/÷ {known_within(BILL, (1, 3)):.2f}, which is more than you need. What gains most for its cost, one "
        f"after the other, would cost {one_by_one:.0f}."
    )


EXERCISE = Exercise(
    choose_measurements,
    number=4,
    asked="the factors to measure so that the product is known within a factor, at least cost",
    expected=wanted,
    observe=observe,
    any_order=True,
    examples=[
        case(1.2, (2.0, 1.1, 1, 5.0), (1.1, 1.0, -1, 1.0)),
        case(1.5, (1.2, 1.0, 1, 1.0), (1.3, 1.0, 1, 2.0)),
        case(1.25, (1.2, 1.0, 1, 2.0), (1.2, 1.0, -1, 3.0), (1.2, 1.0, 1, 4.0)),
        case(1.31, (1.5, 1.0, 1, 10.0), (1.3, 1.0, 1, 4.0), (1.3, 1.0, 1, 4.0), (1.1, 1.0, 1, 1.0)),
        case(1.25, (1.2, 1.0, 2, 6.0), (1.3, 1.0, 1, 1.0), (1.1, 1.0, 1, 2.0)),
        case(1.45, (1.5, 1.0, 1, 6.0), (1.4, 1.0, 1, 5.0), (1.35, 1.0, 1, 2.0)),
        case(1.3, (2.0, 1.2, 1, 1.0), (1.3, 1.0, 1, 10.0)),
        case(1.3, *BILL),
        # Costs that are no whole numbers: one dear factor is cheaper than two.
        case(1.51, (1.5, 1.0, 1, 3.0), (1.3, 1.0, 1, 1.6), (1.3, 1.0, -1, 1.6)),
        case(1.51, (1.5, 1.0, 1, 2.7), (1.3, 1.0, 1, 1.4), (1.3, 1.0, -1, 1.4)),
        case(1.31, (1.1, 1.0, 3, 2.0), (1.05, 1.0, 1, 1.0)),
        # A hair too wide, and a hair within.
        case(1.29999, (1.3, 1.0, 1, 2.0)),
        case(1.30001, (1.3, 1.0, 1, 2.0)),
        case(1.3, (1.3004, 1.0, 1, 2.0)),
        # Just within: measuring nothing is enough.
        case(2.0, (2.0, 1.1, 1, 5.0)),
        # A factor that divides twice counts as one that multiplies twice.
        case(1.4, (1.2, 1.0, -2, 5.0), (1.3, 1.0, 1, 6.0)),
        case(1.4, (1.2, 1.05, -3, 4.0), (1.3, 1.0, -2, 6.0), (1.2, 1.0, -0.5, 3.0)),
        # Narrow factors count too where the product has to be narrow, and so does what is left of measured ones.
        case(1.02, (1.015, 1.0, 1, 3.0), (1.01, 1.0, -1, 1.0), (1.012, 1.0, 1, 2.0), (1.008, 1.0, 1, 1.5)),
        case(1.05, (1.2, 1.02, 1, 2.0), (1.3, 1.02, -1, 3.0), (1.04, 1.0, 1, 5.0), (1.02, 1.0, 1, 4.0)),
        # Several cheap ones suffice, and so does one dear one.
        case(1.51, (1.5, 1.0, 1, 6.0), (1.3, 1.0, 1, 1.0), (1.3, 1.0, -1, 2.0)),
        case(
            1.6, (1.2, 1.0, 1, 2.0), (1.6, 1.0, -1, 9.0), (1.3, 1.0, 1, 2.0), (1.35, 1.0, 1, 2.0), (1.25, 1.0, 1, 2.0)
        ),
        case(1.9, *[(1.56, 1.0, 1, 9.0)] * 2, *[(1.41, 1.0, -1, 1.0)] * 3),
        # Whole choices beat both ways of measuring one after the other, and small changes of them.
        case(
            2.13,
            (1.4, 1.05, 2, 8.0),
            (1.15, 1.05, 1, 2.0),
            (1.4, 1.0, 2, 9.0),
            (1.4, 1.0, 1, 5.0),
            (1.4, 1.02, -1, 5.0),
        ),
        # The only way is to measure six of seven.
        case(1.21, *[(1.2, 1.0, 1, 1.0 + place) for place in range(4)], (1.25, 1.0, -1, 9.0), (1.2, 1.0, 1, 2.0), DEAR),
    ],
    inputs=cases,
    taught=taught,
    mistakes=[
        Mistake(
            "widest_first",
            "You measured the widest factors first. Two cheaper ones can narrow the product as much.",
            lambda factors, within: greedily(
                factors, within, lambda place: abs(factors[place][2]) * math.log(factors[place][0])
            ),
        ),
        Mistake(
            "most_gain_for_the_cost",
            "You measured first what gains most for its cost. That can pay for one factor too many at the end: "
            "compare whole choices.",
            lambda factors, within: greedily(factors, within, lambda place: gain(factors[place]) / factors[place][3]),
        ),
        Mistake(
            "most_gain_first",
            "You measured first what gains most, whatever it costs. Two cheap ones can cost less than one dear one.",
            lambda factors, within: greedily(factors, within, lambda place: gain(factors[place])),
        ),
        Mistake(
            "adds_straight",
            "You added the half-widths straight, so you measure more than independent errors ask for.",
            {
                "(power * math.log(spread)) ** 2": "abs(power * math.log(spread))",
                "math.sqrt(square(chosen)) <= math.log(within)": "square(chosen) <= math.log(within)",
            },
            accepts=is_best_of_straight_sums,
        ),
        Mistake(
            "forgets_the_powers",
            "A factor that occurs squared counts twice in logarithms: multiply its half-width by its power.",
            {"(power * math.log(spread)) ** 2": "math.log(spread) ** 2"},
            accepts=as_if(each_factor(lambda now, measured, power, cost: (now, measured, 1.0, cost))),
        ),
        Mistake(
            "takes_measured_for_exact",
            "A measured factor is known better, not exactly: what is left of its range still counts.",
            {"spread = measured if place in chosen else now": "spread = 1.0 if place in chosen else now"},
            accepts=as_if(each_factor(lambda now, measured, power, cost: (now, 1.0, power, cost))),
        ),
        Mistake(
            "fewest_measurements",
            "You measure as few factors as possible; two cheap ones can cost less than one dear one.",
            {"cost < best[0] and": "not best[1] and cost < best[0] and"},
            accepts=as_if(each_factor(lambda now, measured, power, cost: (now, measured, power, 1.0))),
        ),
        Mistake(
            "counts_from_one",
            "Places are counted from 0.",
            {"return best[1]": "return [place + 1 for place in best[1]]"},
            accepts=as_if(read=lambda chosen: [place - 1 for place in chosen]),
        ),
        Mistake(
            "says_yes_or_no_for_each",
            "You return a yes or no for each factor; asked are the places of those to measure.",
            {"return best[1]": "return [int(place in best[1]) for place in range(len(factors))]"},
            accepts=as_if(read=lambda chosen: [place for place, is_measured in enumerate(chosen) if is_measured]),
        ),
        Mistake(
            "always_the_first",
            "This is right for one input only: compute the choice from the factors.",
            lambda factors, within: [0],
        ),
    ],
)
