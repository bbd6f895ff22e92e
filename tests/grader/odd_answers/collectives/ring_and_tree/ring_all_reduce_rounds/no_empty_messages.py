# Right: messages without entries are left out.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    rounds = []
    for s in range(2 * (ranks - 1)):
        messages = [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]
        rounds.append([message for message in messages if message[2] < message[3]])
    return rounds
