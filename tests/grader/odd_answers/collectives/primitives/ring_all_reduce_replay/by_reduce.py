# Right: functools.reduce in the ring's order.
from functools import reduce
from operator import add


def ring_all_reduce_replay(vectors):
    ranks, length = len(vectors), len(vectors[0])
    owner = [chunk for chunk in range(ranks) for _ in range(length // ranks + (chunk < length % ranks))]
    return [reduce(add, (vectors[(c + hop) % ranks][i] for hop in range(1, ranks + 1))) for i, c in enumerate(owner)]
