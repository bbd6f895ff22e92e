# %% by_statistics
# Right: another library, entry by entry.
from itertools import chain
from statistics import mean, variance


def batch_gradient(shards):
    entries = list(zip(*chain(*shards)))
    return [mean(entry) for entry in entries], sum(map(variance, entries)) / len(entries[0])

# %% numpy
# Right: an array for the list, and NumPy's float.
import numpy as np


def batch_gradient(shards):
    drawn = np.array([gradient for shard in shards for gradient in shard])
    return drawn.mean(axis=0), drawn.var(axis=0, ddof=1).sum() / len(drawn)
