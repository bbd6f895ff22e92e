# Right: NumPy's integers and booleans.
import numpy as np


def ring_all_reduce_rounds(ranks, length):
    sizes = np.array([len(part) for part in np.array_split(np.arange(length), ranks)])
    stops = sizes.cumsum()
    starts, rank, phase = stops - sizes, np.arange(ranks), np.arange(2 * (ranks - 1)) < ranks - 1
    rounds = []
    for s, adds in enumerate(phase):
        chunk = (rank - s) % ranks
        rounds.append(list(zip(rank, (rank + 1) % ranks, starts[chunk], stops[chunk], [adds] * ranks)))
    return rounds
