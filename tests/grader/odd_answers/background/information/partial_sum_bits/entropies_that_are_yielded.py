# Right: a generator where a list is asked.
from collections import Counter
from math import log2


def partial_sum_bits(probabilities, *, ranks):
    total = Counter({0: 1.0})
    for _ in range(ranks):
        longer = Counter()
        for value, share in total.items():
            for more, chance in enumerate(probabilities):
                longer[value + more] += share * chance
        total = longer
        yield -sum(share * log2(share) for share in total.values() if share)
