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

# %% four_bytes_each
# Wrong: takes the size from the count, as if all were floats. It passed once.
def read_benchmark(text, primitive, ranks):
    share = (ranks - 1) / ranks
    factor = {"all_reduce": 2 * share, "broadcast": 1, "reduce": 1}.get(primitive, share)
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {int(x[0]): (int(x[1]) * 4e6 / float(x[5]), factor * int(x[1]) * 4e6 / float(x[5])) for x in lines}

# %% the_first_table
# Wrong: stops at the first line without a measurement. It passed once.
def read_benchmark(text, primitive, ranks):
    share = (ranks - 1) / ranks
    factor = {"all_reduce": 2 * share, "broadcast": 1, "reduce": 1}.get(primitive, share)
    found = {}
    for line in text.splitlines():
        x = line.split()
        if not x or x[0].startswith("#"):
            if found:
                break
            continue
        rate = int(x[0]) / float(x[5]) * 1e6
        found[int(x[0])] = rate, factor * rate
    return found
