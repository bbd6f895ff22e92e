# %% flags_of_0_and_1
# Right: 1 and 0 for True and False.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    return [
        [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], int(s < ranks - 1)) for r in range(ranks)]
        for s in range(2 * (ranks - 1))
    ]

# %% list_messages
# Right: lists for the messages.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    rounds = []
    for s in range(2 * (ranks - 1)):
        rounds.append([[r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1] for r in range(ranks)])
    return rounds

# %% no_empty_messages
# Right: messages without entries are left out.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    rounds = []
    for s in range(2 * (ranks - 1)):
        messages = [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]
        rounds.append([message for message in messages if message[2] < message[3]])
    return rounds

# %% numpy
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

# %% rounds_that_are_yielded
# Right: a generator of rounds.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    for s in range(2 * (ranks - 1)):
        yield [(r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks)]

# %% tuples_everywhere
# Right: tuples for the rounds.
from snippets.simulation.schedule import chunk_bounds


def ring_all_reduce_rounds(ranks, length):
    chunks = chunk_bounds(length, ranks)
    return tuple(
        tuple((r, (r + 1) % ranks, *chunks[(r - s) % ranks], s < ranks - 1) for r in range(ranks))
        for s in range(2 * (ranks - 1))
    )
