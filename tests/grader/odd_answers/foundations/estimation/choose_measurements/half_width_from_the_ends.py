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
