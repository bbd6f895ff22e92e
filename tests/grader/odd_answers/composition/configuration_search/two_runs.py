# %% by_a_table_of_savings
# Right: all savings first, then the largest; as a tuple.
import math


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    def below(z):
        return 0.5 * math.erfc(-z / math.sqrt(2))

    first = predicted.index(min(predicted))
    savings = {}
    for i, seconds in enumerate(predicted):
        if i != first:
            ratio = seconds / predicted[first]
            sigma = {True: own_spread, False: other_spread}[kinds[i] == kinds[first]]
            a = math.log(ratio) / sigma
            savings[i] = below(-a) - ratio * math.exp(sigma**2 / 2) * below(-a - sigma)
    best = max(savings, key=savings.get, default=None)
    return (first, best) if best is not None and savings[best] > cost_share else (first,)


# %% the_nearest_of_another_kind
# Wrong: a layout of the first one's kind is never run.
def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    order = sorted(range(len(predicted)), key=lambda i: predicted[i])
    other = [i for i in order if kinds[i] != kinds[order[0]]]
    return [order[0], *other[:1]]


# %% share_of_the_second
# Wrong: the lead is a share of the slower layout's time.
from math import exp, log, log1p
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i != first:
            s = own_spread if kinds[i] == kinds[first] else other_spread
            q = predicted[i] / predicted[first] - 1
            q = 1 - predicted[first] / predicted[i]
            z = log1p(q) / s
            saving = normal(-z) - (1 + q) * exp(s**2 / 2) * normal(-z - s)
            if saving > best:
                best, second = saving, i
    return [first] if second is None else [first, second]


# %% lead_over_spread
# Wrong: the lead is taken for its logarithm.
from math import exp, log, log1p
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i != first:
            s = own_spread if kinds[i] == kinds[first] else other_spread
            q = predicted[i] / predicted[first] - 1
            z = q / s
            saving = normal(-z) - (1 + q) * exp(s**2 / 2) * normal(-z - s)
            if saving > best:
                best, second = saving, i
    return [first] if second is None else [first, second]


# %% no_mean_of_the_error
# Wrong: the mean of the error is forgotten.
from math import exp, log, log1p
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i != first:
            s = own_spread if kinds[i] == kinds[first] else other_spread
            q = predicted[i] / predicted[first] - 1
            z = log(1 + q) / s
            saving = normal(-z) - (1 + q) * normal(-z - s)
            if saving > best:
                best, second = saving, i
    return [first] if second is None else [first, second]


# %% twice_the_mean_of_the_error
# Wrong: the half in the exponent is forgotten.
from math import exp, log, log1p
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i != first:
            s = own_spread if kinds[i] == kinds[first] else other_spread
            q = predicted[i] / predicted[first] - 1
            z = log(1 + q) / s
            saving = normal(-z) - (1 + q) * exp(s**2) * normal(-z - s)
            if saving > best:
                best, second = saving, i
    return [first] if second is None else [first, second]


# %% keeps_the_earlier
# Wrong: a later layout has to save a twentieth more.
from math import exp, log, log1p
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i != first:
            s = own_spread if kinds[i] == kinds[first] else other_spread
            q = predicted[i] / predicted[first] - 1
            z = log(1 + q) / s
            saving = normal(-z) - (1 + q) * exp(s**2 / 2) * normal(-z - s)
            if saving > (1.05 if second is not None else 1) * best:
                best, second = saving, i
    return [first] if second is None else [first, second]


# %% spread_less_lead
# Wrong: the second is the one whose spread exceeds its lead by most.
from math import exp, log
from statistics import NormalDist


def two_runs(*, predicted, kinds, own_spread, other_spread, cost_share):
    normal = NormalDist().cdf
    first = predicted.index(min(predicted))
    spread = {i: own_spread if kind == kinds[first] else other_spread for i, kind in enumerate(kinds)}
    lead = {i: x / predicted[first] - 1 for i, x in enumerate(predicted)}
    others = [i for i in range(len(predicted)) if i != first]
    if not others:
        return [first]
    i = max(others, key=lambda i: spread[i] - lead[i])
    z = log(1 + lead[i]) / spread[i]
    saving = normal(-z) - (1 + lead[i]) * exp(spread[i] ** 2 / 2) * normal(-z - spread[i])
    return [first, i] if saving > cost_share else [first]
