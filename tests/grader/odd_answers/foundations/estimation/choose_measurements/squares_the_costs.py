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
