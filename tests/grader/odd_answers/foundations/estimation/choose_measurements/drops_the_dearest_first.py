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
