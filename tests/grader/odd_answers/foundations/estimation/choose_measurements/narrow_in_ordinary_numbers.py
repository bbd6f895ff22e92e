# Wrong: adds the squares of f - 1, which is near the logarithm for small spreads only.
from itertools import combinations


def choose_measurements(factors, *, within):
    def reach(chosen):
        spreads = [(f[1] if place in chosen else f[0], f[2]) for place, f in enumerate(factors)]
        return sum((power * (spread - 1)) ** 2 for spread, power in spreads) ** 0.5

    places = range(len(factors))
    choices = [chosen for number in range(len(factors) + 1) for chosen in combinations(places, number)]
    fitting = [chosen for chosen in choices if reach(chosen) <= within - 1] or [tuple(places)]
    return list(min(fitting, key=lambda chosen: sum(factors[place][3] for place in chosen)))
