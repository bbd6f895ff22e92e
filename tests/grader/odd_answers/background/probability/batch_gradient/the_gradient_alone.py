# Wrong: half of the answer.
from itertools import chain
from statistics import mean


def batch_gradient(shards):
    return [mean(entry) for entry in zip(*chain(*shards))]
