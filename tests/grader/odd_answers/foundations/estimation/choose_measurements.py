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

# %% another_design
# Right: of several choices that cost least the last one.
import math


def choose_measurements(factors, *, within):
    best = None
    for bits in range(2 ** len(factors)):
        chosen = [place for place in range(len(factors)) if bits >> place & 1]
        square = cost = 0.0
        for place, (now, then, power, price) in enumerate(factors):
            spread = then if place in chosen else now
            square += (power * math.log(spread)) ** 2
            cost += price if place in chosen else 0
        if square <= math.log(within) ** 2 * (1 + 1e-9) and (best is None or cost <= best[0]):
            best = cost, chosen
    return best[1]
