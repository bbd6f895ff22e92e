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
