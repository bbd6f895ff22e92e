# Wrong: the two results are in another order.
from itertools import chain
from statistics import mean, variance


def batch_gradient(shards):
    entries = list(zip(*chain(*shards)))
    return sum(map(variance, entries)) / len(entries[0]), [mean(entry) for entry in entries]
