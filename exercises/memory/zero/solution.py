"""Solutions of chapter 22's exercises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def zero1_step(
    *,
    parameters: list[Array],
    gradients: list[Array],
    first: list[Array],
    second: list[Array],
    step: int,
    learning_rate: float,
) -> list[int]:
    """Each rank adds up the gradients of its shard, updates it, and hands its new weights to all."""
    ranks, count = len(parameters), parameters[0].size
    bounds = [piece[0] if piece.size else count for piece in np.array_split(np.arange(count), ranks)] + [count]
    shards = [slice(start, stop) for start, stop in pairwise(bounds)]
    for rank, shard in enumerate(shards):
        mean = sum(gradient[shard] for gradient in gradients) / ranks  # what the reduce-scatter delivers
        first[rank] += 0.1 * (mean - first[rank])
        second[rank] += 0.001 * (mean**2 - second[rank])
        slope = first[rank] / (1 - 0.9**step) / (np.sqrt(second[rank] / (1 - 0.999**step)) + 1e-8)
        parameters[rank][shard] -= learning_rate * slope
    for rank, shard in enumerate(shards):  # the all-gather
        for other in parameters:
            other[shard] = parameters[rank][shard]
    sizes = [shard.stop - shard.start for shard in shards]
    return [(count - sizes[rank]) + (count - sizes[(rank + 1) % ranks]) for rank in range(ranks)]


def fewest_ranks(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    """The largest shard that fits beside what is whole says how many shards there must be."""
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if whole == 16:
        return 1 if room >= 0 else None
    largest = room // (16 - whole)
    return -(-parameters // largest) if largest >= 1 else None


def owners(sizes: Sequence[int], ranks: int) -> list[int]:
    """The largest first, each to the rank that has least so far."""
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda each: -sizes[each]):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
