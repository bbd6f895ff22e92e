# %% by_dropping_what_can_be_spared
# Right: goes through all choices by recursion, and returns the places from the last to the first.
import math


def choose_measurements(factors, *, within):
    room = math.log(within) ** 2 + 1e-12

    def best(place, used):
        if used > room:
            return math.inf, ()
        if place < 0:
            return 0.0, ()
        now, measured, power, cost = factors[place]
        left, kept = best(place - 1, used + (power * math.log(now)) ** 2)
        paid, taken = best(place - 1, used + (power * math.log(measured)) ** 2)
        return min((left, kept), (paid + cost, (place, *taken)))

    return best(len(factors) - 1, 0.0)[1]

# %% drops_the_dearest_first
# Wrong: begins with all and leaves out the dearest that can be spared.
# Message: cost
import math


def choose_measurements(factors, *, within):
    def reach(chosen):
        spreads = [(f[1] if place in chosen else f[0], f[2]) for place, f in enumerate(factors)]
        return math.hypot(*(power * math.log(spread) for spread, power in spreads))

    chosen = set(range(len(factors)))
    for place in sorted(chosen, key=lambda place: -factors[place][3]):
        if reach(chosen - {place}) <= math.log(within):
            chosen.remove(place)
    return sorted(chosen)

# %% half_width_from_the_ends
# Right: takes the half-width from the ends 1/f and f of each range, as the chapter's cell does.
import itertools
import math


def choose_measurements(factors, *, within):
    def square(now, measured, power, chosen):
        f = measured if chosen else now
        return (power * math.log(f / (1 / f)) / 2) ** 2

    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for places in itertools.combinations(range(len(factors)), number):
            total = sum(square(*factor[:3], place in places) for place, factor in enumerate(factors))
            cost = sum(factors[place][3] for place in places)
            if math.sqrt(total) <= math.log(within) and cost < best[0]:
                best = (cost, list(places))
    return best[1]

# %% rounds_the_reach
# Wrong: rounds the factor to three digits behind the point before it compares.
# Message: product known within ×/÷: 1.3004 if [] are measured
import itertools
import math


def choose_measurements(factors, *, within):
    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for places in itertools.combinations(range(len(factors)), number):
            logs = [f[2] * math.log(f[1] if place in places else f[0]) for place, f in enumerate(factors)]
            cost = sum(factors[place][3] for place in places)
            if round(math.exp(math.hypot(*logs)), 3) <= within and cost < best[0]:
                best = (cost, list(places))
    return best[1]

# %% squares_the_costs
# Wrong: the least sum of squared costs.
# Message: cost: 3.2 for [1, 2]
import itertools
import math


def choose_measurements(factors, *, within):
    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for places in itertools.combinations(range(len(factors)), number):
            logs = [f[2] * math.log(f[1] if place in places else f[0]) for place, f in enumerate(factors)]
            cost = sum(factors[place][3] ** 2 for place in places)
            if math.hypot(*logs) <= math.log(within) + 1e-12 and cost < best[0]:
                best = (cost, list(places))
    return best[1]

# %% yes_or_no
# Wrong: the right choice, written as a yes or no for each factor.
# Known mistake: You return a yes or no for each factor; asked are the places of those to measure.
import math


def choose_measurements(factors, *, within):
    def reach(mask):
        return math.hypot(*(f[2] * math.log(f[1] if yes else f[0]) for f, yes in zip(factors, mask, strict=True)))

    numbers = range(2 ** len(factors))
    masks = [[bool(number >> place & 1) for place in range(len(factors))] for number in numbers]
    fitting = [mask for mask in masks if reach(mask) <= math.log(within) * (1 + 1e-12)]
    return min(fitting, key=lambda mask: sum(f[3] for f, yes in zip(factors, mask, strict=True) if yes))

# %% strictly_within
# Wrong: a product that is known within just the factor is not enough; it passed once.
# Message: cost
from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations


def choose_measurements(
    factors: Sequence[tuple[float, float, float, float]],
    *,
    within: float,
) -> list[int]:

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
            if cost < best[0] and math.sqrt(square(chosen)) < math.log(within * (1 - 1e-9)):
                best = cost, list(chosen)
    return best[1]

# %% a_set
# Right: a set, because the order is free.
from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations


def choose_measurements(
    factors: Sequence[tuple[float, float, float, float]],
    *,
    within: float,
) -> list[int]:

    def square(chosen: Sequence[int]) -> float:
        terms = []
        for place, (now, measured, power, _) in enumerate(factors):
            spread = measured if place in chosen else now
            terms.append((power * math.log(spread)) ** 2)
        return math.fsum(terms)

    best = (math.inf, set())
    for number in range(len(factors) + 1):
        for chosen in combinations(range(len(factors)), number):
            cost = sum(factors[place][3] for place in chosen)
            if cost < best[0] and math.sqrt(square(chosen)) <= math.log(within):
                best = cost, set(chosen)
    return best[1]
