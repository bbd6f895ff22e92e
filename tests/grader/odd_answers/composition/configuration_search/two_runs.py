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
