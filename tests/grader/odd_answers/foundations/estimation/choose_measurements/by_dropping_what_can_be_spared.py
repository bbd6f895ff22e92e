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
