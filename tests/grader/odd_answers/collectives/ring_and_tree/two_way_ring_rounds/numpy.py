# Right: NumPy's integers, flags of 0 and 1.
import numpy as np


def two_way_ring_rounds(ranks, length):
    halves = np.array_split(np.arange(length), 2)
    cuts = [
        [
            (half[part[0]], half[part[-1]] + 1) if len(part) else (0, 0)
            for part in np.array_split(np.arange(len(half)), ranks)
        ]
        for half in halves
    ]
    lines = np.arange(ranks)
    rounds = []
    for s in range(2 * (ranks - 1)):
        adds = int(s < ranks - 1)
        one = [(r, (r + 1) % ranks, *cuts[0][(r - s) % ranks], adds) for r in lines]
        rounds.append(one + [(r, (r - 1) % ranks, *cuts[1][(r + s) % ranks], adds) for r in lines])
    return rounds
