# Right: the pieces that go to a neighbour in a step are single entries.

from snippets.simulation.schedule import chunk_bounds


def two_way_ring_rounds(ranks, length):
    half = (length + 1) // 2
    right = chunk_bounds(half, ranks)
    left = [(half + start, half + stop) for start, stop in chunk_bounds(length - half, ranks)]
    rounds = []
    for s in range(2 * (ranks - 1)):
        adds = s < ranks - 1
        step = [(r, (r + 1) % ranks, *right[(r - s) % ranks], adds) for r in range(ranks)]
        step += [(r, (r - 1) % ranks, *left[(r + s) % ranks], adds) for r in range(ranks)]
        rounds.append([(a, b, i, i + 1, adds) for a, b, start, stop, adds in step for i in range(start, stop)])
    return rounds
