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

# %% negative_powers_taken_as_one
# Wrong: a factor that divides twice counts twice; it passed once.
# Message: right on
import math
from itertools import combinations


def choose_measurements(factors, *, within):
    def square(place, chosen):
        now, measured, power, _ = factors[place]
        return ((power if power > 0 else 1) * math.log(measured if chosen else now)) ** 2

    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for chosen in combinations(range(len(factors)), number):
            cost = sum(factors[place][3] for place in chosen)
            total = math.fsum(square(place, place in chosen) for place in range(len(factors)))
            if cost < best[0] and math.sqrt(total) <= math.log(within):
                best = cost, list(chosen)
    return best[1]

# %% narrow_factors_dropped
# Wrong: narrow factors count where the product has to be narrow, and so does what is left of a measured one.
# Message: right on
import math
from itertools import combinations


def choose_measurements(factors, *, within):
    def square(place, chosen):
        now, measured, power, _ = factors[place]
        half = power * math.log(measured if chosen else now)
        return half**2 if abs(half) > 0.02 else 0.0

    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for chosen in combinations(range(len(factors)), number):
            cost = sum(factors[place][3] for place in chosen)
            total = math.fsum(square(place, place in chosen) for place in range(len(factors)))
            if cost < best[0] and math.sqrt(total) <= math.log(within):
                best = cost, list(chosen)
    return best[1]

# %% best_gain_for_the_cost_then_spared
# Wrong: whole choices have to be compared; it was told once that it measures as few factors as possible.
# Message: right on
import math


def choose_measurements(factors, *, within):
    def is_enough(chosen):
        halves = [power * math.log(m if p in chosen else now) for p, (now, m, power, _) in enumerate(factors)]
        return math.hypot(*halves) <= math.log(within) + 1e-12

    def gain_for_the_cost(place):
        now, measured, power, cost = factors[place]
        return power**2 * (math.log(now) ** 2 - math.log(measured) ** 2) / cost

    chosen = []
    for place in sorted(range(len(factors)), key=gain_for_the_cost, reverse=True):
        if is_enough(chosen):
            break
        chosen.append(place)
    for place in sorted(chosen, key=lambda place: -factors[place][3]):
        if is_enough(rest := [other for other in chosen if other != place]):
            chosen = rest
    return chosen

# %% flags_as_returned
# Wrong: flags, shown in the order in which they are returned.
# Message: for [1, 0]
import math
from itertools import combinations


def choose_measurements(factors, *, within):
    def square(place, chosen):
        now, measured, power, _ = factors[place]
        return (power * math.log(measured if chosen else now)) ** 2

    best = (math.inf, [])
    for number in range(len(factors) + 1):
        for chosen in combinations(range(len(factors)), number):
            cost = sum(factors[place][3] for place in chosen)
            total = math.fsum(square(place, place in chosen) for place in range(len(factors)))
            if cost < best[0] and math.sqrt(total) <= math.log(within):
                best = cost, list(chosen)
    return [int(place in best[1]) for place in range(len(factors))]
