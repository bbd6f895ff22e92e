"""Solutions of chapter 22's exercises."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from typing import Any

from snippets.machine import AllGather, ReduceScatter, Request
from snippets.memory.sharded_rank import Rank


def bytes_per_parameter(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    """Each kind of state is divided by the ranks from its stage on: the optimizer's first, the weights last."""
    kinds = {1: 2 * average_bits + 32 * master, 2: gradient_bits, 3: weight_bits}
    return sum((Fraction(bits, 8 * (ranks if stage >= first else 1)) for first, bits in kinds.items()), Fraction(0))


def zero1_step(*, rank: Rank, step: int, learning_rate: float) -> Generator[Request, Any, None]:
    """Each rank gets the sum of its shard, updates it, and hands its new weights to all."""
    mean = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    slope = rank.first / (1 - 0.9**step) / ((rank.second / (1 - 0.999**step)) ** 0.5 + 1e-8)
    rank.parameters[rank.shard] -= learning_rate * slope
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


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
