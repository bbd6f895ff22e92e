# Wrong: a third and two thirds are no halves.
from snippets.simulation.schedule import chunk_bounds


def two_way_ring_rounds(ranks, length):
    half = length // 3
    right = chunk_bounds(half, ranks)
    left = [(half + start, half + stop) for start, stop in chunk_bounds(length - half, ranks)]
    rounds = []
    for s in range(2 * (ranks - 1)):
        adds = s < ranks - 1
        rounds.append([(r, (r + 1) % ranks, *right[(r - s) % ranks], adds) for r in range(ranks)])
        rounds[-1] += [(r, (r - 1) % ranks, *left[(r + s) % ranks], adds) for r in range(ranks)]
    return rounds
