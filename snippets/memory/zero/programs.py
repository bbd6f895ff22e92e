"""Simulators: a training step of your own on every rank, Adam's state sharded, its collectives and memory counted.

A step is a generator function ``program(rank, step)`` for the ranks of ``snippets.simulation.machine``. It sees the
arrays of its own ``Rank`` alone, yields a request to take part in a collective, and is resumed with its result:

- ``total = yield ReduceScatter(array)`` gives this rank's shard of the sum over ranks;
- ``total = yield AllReduce(array)`` gives the whole sum;
- ``whole = yield AllGather(shard)`` gives the shards of all ranks, joined; ``into=array`` writes them there.

>>> def descend(rank, step):
...     total = yield ReduceScatter(rank.gradients)
...     rank.parameters[rank.shard] -= total / rank.ranks
...     yield AllGather(rank.parameters[rank.shard], into=rank.parameters)
>>> run = run_sharded_program(descend, [5, 5, 5], [[[1, 1, 1], [1, 3, 5]]])
>>> run.parameters[0].tolist(), run.account.sent_bytes, run.account.peak_bytes
([4.0, 3.0, 2.0], (12, 12), (48, 36))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import finite_array
from snippets.domain import each
from snippets.memory.zero.sharded_rank import Rank
from snippets.simulation.account import Account, Memory
from snippets.simulation.machine import (
    AllGather,
    AllReduce,
    Machine,
    Program,
    RankProgramError,
    ReduceScatter,
    as_request,
)
from snippets.simulation.schedule import chunk_bound

Array = NDArray[np.float32]

MOST_REQUESTS = 1000  # of a rank in a step: more is more likely a loop without end than a wish


@dataclass(frozen=True)
class ShardedRun:
    """What became of a program.

    Attributes:
        parameters: for each rank its parameters in the end.
        first: Adam's first averages in the end, the ranks' shards joined.
        second: likewise the second averages.
        account: what each rank sent and held.

    >>> ShardedRun((np.ones(1),), np.ones(1), np.ones(1), Account(1, (), peak_bytes=(16,))).account.peak_bytes
    (16,)
    """

    parameters: tuple[Array, ...]
    first: Array
    second: Array
    account: Account


def run_sharded_program(
    program: Callable[..., Program], initial: ArrayLike, gradients: Sequence[ArrayLike] | NDArray[Any]
) -> ShardedRun:
    """Run a program once a step on every rank, and count what ranks send and hold.

    Args:
        program: a generator function, called for each rank and step with the keyword arguments ``rank`` (its ``Rank``)
            and ``step`` (from 1).
        initial: the parameters at the start, N numbers, the same on all ranks. Adam's averages start at 0.
        gradients: for each step R × N numbers, the gradient of each rank.

    Returns:
        Each rank's parameters, and the account.

    Raises:
        TypeError: if ``program`` cannot be called.
        ValueError: if a number is not finite in float32, or the sizes of ``gradients`` do not fit.
        RankProgramError: if a program yields something else than a request, an array has the wrong size, ranks ask for
            different collectives, one waits for another that has returned, or a step makes too many requests.

    Whatever a program itself raises is not caught.

    Source: Rajbhandari et al. 2020, section 5.
    Convention: all numbers are float32. Bytes are held from the moment at which an array is given to a rank, at the
        start or as the result of a collective, until nothing refers to it any more.
    Leaves out: temporaries of arithmetic, messages under way, programs that talk through globals.

    Example:
        >>> def data_parallel(rank, step):
        ...     total = yield AllReduce(rank.gradients)
        ...     rank.parameters -= total / rank.ranks
        >>> run = run_sharded_program(data_parallel, [5, 5], [[[1, 1], [3, 5]]])
        >>> run.parameters[1].tolist(), run.account.sent_bytes, run.account.peak_bytes
        ([3.0, 2.0], (8, 8), (32, 32))
    """
    if not callable(program):
        raise TypeError(f"program must be a generator function, got {program!r}")
    start = _single_precision("initial", initial, dimensions=1)
    steps: Any = gradients
    given = each("gradients", steps, lambda name, mine: _single_precision(name, mine, dimensions=2))
    if not given or any(step.shape != (len(given[0]), start.size) for step in given):
        raise ValueError(f"gradients must hold R × {start.size} numbers (as initial) for each step, got {gradients!r}")
    if not len(given[0]):
        raise ValueError("gradients must hold those of at least one rank, got none")
    machine = Machine(
        len(given[0]),
        most_requests=MOST_REQUESTS * len(given[0]),
        admit=lambda number, asked: _admitted(group[number], start.size, asked),
    )
    group = [_rank(number, memory, start, machine.ranks) for number, memory in enumerate(machine.memories)]
    for step, gradients_now in enumerate(given, start=1):
        _deal(group, machine, gradients_now)
        machine.run([program(rank=rank, step=step) for rank in group])
        for rank in group:
            _check(rank.number, "parameters", rank.parameters, start.size)
            for name in ("first", "second"):
                _check(rank.number, name, getattr(rank, name), rank.shard.stop - rank.shard.start)
    return ShardedRun(
        parameters=tuple(rank.parameters for rank in group),
        first=np.concatenate([rank.first for rank in group]),
        second=np.concatenate([rank.second for rank in group]),
        account=machine.account,
    )


def _single_precision(name: str, value: ArrayLike, *, dimensions: int) -> Array:
    """Return an array of finite float32, or raise ``ValueError``."""
    array = finite_array(name, value, dimensions=dimensions)
    if array.size and abs(array).max() > np.finfo(np.float32).max:
        raise ValueError(f"{name} must hold numbers that fit float32, got {abs(array).max()}")
    return array.astype(np.float32)


def _rank(number: int, memory: Memory, start: Array, ranks: int) -> Rank:
    """Return a rank with its arrays at the start."""
    shard = slice(*chunk_bound(start.size, ranks, number))
    arrays = start.copy(), np.zeros_like(start), np.zeros_like(start[shard]), np.zeros_like(start[shard])
    return Rank(number, ranks, shard, *map(memory.watch, arrays))


def _deal(group: list[Rank], machine: Machine, gradients: Array) -> None:
    """Give each rank its gradients of a step."""
    for rank, memory, mine in zip(group, machine.memories, gradients, strict=True):
        if np.shape(rank.gradients) != mine.shape:  # a program may have dropped them
            rank.gradients = memory.watch(np.empty_like(mine))
        rank.gradients[...] = mine


def _admitted(rank: Rank, count: int, asked: Any) -> Any:
    """Let a rank take part in collectives of float32, with arrays of the right sizes."""
    request = as_request(rank.number, asked, (ReduceScatter, AllReduce, AllGather))
    gathers = isinstance(request, AllGather)
    size = rank.shard.stop - rank.shard.start if gathers else count
    _check(rank.number, f"what it gives to {type(request).__name__}", request.numbers, size)
    if gathers and request.into is not None:
        _check(rank.number, "into", request.into, count)
    return request._replace(numbers=request.numbers.astype(np.float32, copy=False))


def _check(rank: int, name: str, array: Any, size: int) -> None:
    if not isinstance(array, np.ndarray) or array.shape != (size,) or not np.issubdtype(array.dtype, np.floating):
        what = f"an array of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise RankProgramError(f"rank {rank}: {name} must be an array of {size} floats, not {what}")
