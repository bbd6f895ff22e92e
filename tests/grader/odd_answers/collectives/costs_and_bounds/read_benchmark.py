# %% a_dictionary_with_a_default
# Right: another kind of dictionary, and a pattern.
import re
from collections import defaultdict


def read_benchmark(text, primitive, ranks):
    found = defaultdict(tuple)
    for size, time in re.findall(r"^\s*(\d+)(?:\s+\S+){4}\s+(\S+)", text, re.MULTILINE):
        rate = int(size) / float(time) * 1e6
        factor = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
        found[int(size)] = rate, factor * rate
    return found

# %% lists_and_numpy
# Right: lists for pairs, NumPy's numbers.
import numpy as np


def read_benchmark(text, primitive, ranks):
    factor = {"all_reduce": 2, "broadcast": ranks / (ranks - 1), "reduce": ranks / (ranks - 1)}.get(primitive, 1)
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    sizes, times = np.array([int(x[0]) for x in lines]), np.array([float(x[5]) for x in lines])
    return {n: [n / t * 1e6, n / t * 1e6 * factor * (ranks - 1) / ranks] for n, t in zip(sizes, times)}
