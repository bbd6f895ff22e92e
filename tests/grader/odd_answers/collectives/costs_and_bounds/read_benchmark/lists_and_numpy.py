# Right: lists for pairs, NumPy's numbers.
import numpy as np


def read_benchmark(text, primitive, ranks):
    factor = {"all_reduce": 2, "broadcast": ranks / (ranks - 1), "reduce": ranks / (ranks - 1)}.get(primitive, 1)
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    sizes, times = np.array([int(x[0]) for x in lines]), np.array([float(x[5]) for x in lines])
    return {n: [n / t * 1e6, n / t * 1e6 * factor * (ranks - 1) / ranks] for n, t in zip(sizes, times)}
