"""Simulators: a training step of your own on every rank, Adam's state sharded, its collectives and memory counted.

A step is a generator function ``program(rank, step)``. It sees the arrays of its own ``Rank`` alone, yields a request
to take part in a collective, and is resumed with its result:

- ``total = yield ReduceScatter(array)`` gives this rank's shard of the sum over ranks;
- ``total = yield AllReduce(array)`` gives the whole sum;
- ``whole = yield AllGather(shard)`` gives the shards of all ranks, joined; ``into=array`` writes them there.

>>> def descend(rank, step):
...     total = yield ReduceScatter(rank.gradients)
...     rank.parameters[rank.shard] -= total / rank.ranks
...     yield AllGather(rank.parameters[rank.shard], into=rank.parameters)
>>> run = run_sharded_program(descend, [5, 5, 5], [[[1, 1, 1], [1, 3, 5]]])
>>> run.parameters[0].tolist(), run.sent_bytes, run.peak_bytes
([4.0, 3.0, 2.0], (12, 12), (48, 36))
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.background.arrays import finite_array
from snippets.collectives import runner
from snippets.collectives.algorithms import build
from snippets.collectives.schedule import Schedule, chunk_bound
from snippets.domain import each
from snippets.memory.sharded_requests import AllGather, AllReduce, Rank, ReduceScatter, Request

Array = NDArray[np.float32]


__all__ = [
    "AllGather",
    "AllReduce",
    "Rank",
    "ReduceScatter",
    "Request",
    "ShardedProgramError",
    "ShardedRun",
    "run_sharded_program",
]

Program = Callable[..., Generator[Request, Any, Any]]
_RINGS = {ReduceScatter: "reduce_scatter", AllReduce: "all_reduce", AllGather: "all_gather"}


class ShardedProgramError(Exception):
    """A program asked for something that cannot be done; the message names the rank.

    >>> run_sharded_program(lambda rank, step: None, [0], [[[0]]])
    Traceback (most recent call last):
    ...
    snippets.memory.sharded_programs.ShardedProgramError: rank 0 returns at once: a step yields its collectives
    """


@dataclass(frozen=True)
class ShardedRun:
    """What became of a program.

    Attributes:
        parameters: for each rank its parameters in the end.
        first: Adam's first averages in the end, the ranks' shards joined.
        second: likewise the second averages.
        sent_bytes: for each rank the bytes that it sent.
        peak_bytes: for each rank the most bytes that it held at one time.

    >>> ShardedRun((np.ones(1),), np.ones(1), np.ones(1), (0,), (16,)).peak_bytes
    (16,)
    """

    parameters: tuple[Array, ...]
    first: Array
    second: Array
    sent_bytes: tuple[int, ...]
    peak_bytes: tuple[int, ...]


def run_sharded_program(
    program: Program, initial: ArrayLike, gradients: Sequence[ArrayLike] | NDArray[Any]
) -> ShardedRun:
    """Run a program once a step on every rank, and count what ranks send and hold.

    Args:
        program: a generator function, called for each rank and step with the keyword arguments ``rank`` (its ``Rank``)
            and ``step`` (from 1).
        initial: the parameters at the start, Ψ numbers, the same on all ranks. Adam's averages start at 0.
        gradients: for each step N × Ψ numbers, the gradient of each rank.

    Returns:
        Each rank's parameters, and the account.

    Raises:
        TypeError: if ``program`` cannot be called.
        ValueError: if a number is not finite in float32, or the sizes of ``gradients`` do not fit.
        ShardedProgramError: if a program yields something else than a request, an array has the wrong size, ranks ask
            for different collectives, or one waits for another that has ended.

    Whatever a program itself raises is not caught.

    Source: Rajbhandari et al. 2020, section 5; the collectives are the rings of ``sharded_adam``.
    Convention: all numbers are float32. Bytes are held from the moment at which an array is given to a rank, at the
        start or as the result of a collective, until nothing refers to it any more.
    Leaves out: temporaries of arithmetic, the ring's message in flight, programs that talk through globals.

    Example:
        >>> def data_parallel(rank, step):
        ...     total = yield AllReduce(rank.gradients)
        ...     rank.parameters -= total / rank.ranks
        >>> run = run_sharded_program(data_parallel, [5, 5], [[[1, 1], [3, 5]]])
        >>> run.parameters[1].tolist(), run.sent_bytes, run.peak_bytes
        ([3.0, 2.0], (8, 8), (32, 32))
    """
    if not callable(program):
        raise TypeError(f"program must be a generator function, got {program!r}")
    start = _single_precision("initial", initial, dimensions=1)
    steps: Any = gradients
    given = each("gradients", steps, lambda name, mine: _single_precision(name, mine, dimensions=2))
    if not given or any(step.shape != (len(given[0]), start.size) for step in given):
        raise ValueError(f"gradients must hold N × {start.size} numbers (as initial) for each step, got {gradients!r}")
    if not len(given[0]):
        raise ValueError("gradients must hold those of at least one rank, got none")
    group = _Group(start, len(given[0]))
    for step, mine in enumerate(given, start=1):
        group.run_step(program, step, mine)
    return ShardedRun(
        parameters=tuple(rank.parameters for rank in group.ranks),
        first=np.concatenate([rank.first for rank in group.ranks]),
        second=np.concatenate([rank.second for rank in group.ranks]),
        sent_bytes=tuple(group.sent),
        peak_bytes=tuple(group.peak),
    )


def _single_precision(name: str, value: ArrayLike, *, dimensions: int) -> Array:
    """Return an array of finite float32, or raise ``ValueError``."""
    array = finite_array(name, value, dimensions=dimensions)
    if array.size and abs(array).max() > np.finfo(np.float32).max:
        raise ValueError(f"{name} must hold numbers that fit float32, got {abs(array).max()}")
    return array.astype(np.float32)


class _Group:
    """The ranks, and an account of what they send and hold."""

    def __init__(self, start: Array, ranks: int) -> None:
        self.count = start.size
        self.sent, self.held, self.peak = [0] * ranks, [0] * ranks, [0] * ranks
        self.ranks = []
        for number in range(ranks):
            shard = slice(*chunk_bound(start.size, ranks, number))
            empty = np.zeros_like(start), np.zeros_like(start[shard]), np.zeros_like(start[shard])
            arrays = (self.hold(number, array) for array in (start.copy(), *empty))
            self.ranks.append(Rank(number, ranks, shard, *arrays))

    def hold(self, rank: int, array: Array) -> Array:
        """Count an array until nothing refers to it."""
        self.held[rank] += array.nbytes
        self.peak[rank] = max(self.peak[rank], self.held[rank])
        weakref.finalize(array, _release, self.held, rank, array.nbytes).atexit = False
        return array

    def run_step(self, program: Program, step: int, gradients: Array) -> None:
        """Give each rank its gradients, and run all programs from one collective to the next."""
        for rank, mine in zip(self.ranks, gradients, strict=True):
            if np.shape(rank.gradients) != mine.shape:  # a program may have dropped them
                rank.gradients = self.hold(rank.number, np.empty_like(mine))
            rank.gradients[...] = mine
        running = [program(rank=rank, step=step) for rank in self.ranks]
        for number, one in enumerate(running):
            if not isinstance(one, GeneratorType):
                raise ShardedProgramError(f"rank {number} returns at once: a step yields its collectives")
        results: list[Array | None] = [None] * len(running)
        while True:
            requests = [_resume(one, results, number) for number, one in enumerate(running)]
            if not _agreed(requests):
                break
            results = self._collective(requests)
            del requests  # it would keep alive what the programs have dropped
        for rank in self.ranks:
            self._check(rank.number, "parameters", rank.parameters, self.count)
            for name in ("first", "second"):
                self._check(rank.number, name, getattr(rank, name), rank.shard.stop - rank.shard.start)

    def _collective(self, requests: list[Any]) -> list[Array | None]:
        """Run a collective that all ranks ask for."""
        kind = type(requests[0])
        for rank, request in zip(self.ranks, requests, strict=True):
            size = rank.shard.stop - rank.shard.start if kind is AllGather else self.count
            self._check(rank.number, f"what it gives to {kind.__name__}", request.array, size)
            if kind is AllGather and request.into is not None:
                self._check(rank.number, "into", request.into, self.count)
        arrays = [request.array.astype(np.float32, copy=False) for request in requests]
        done = runner.run(_ring(_RINGS[kind], len(arrays), self.count), arrays)
        self.sent = [sent + int(more) for sent, more in zip(self.sent, done.account.sent_bytes, strict=True)]
        return [
            self._delivered(rank, getattr(request, "into", None), output)
            for rank, (request, output) in enumerate(zip(requests, done.outputs, strict=True))
        ]

    def _delivered(self, rank: int, into: Array | None, output: Array) -> Array:
        if into is None:
            return self.hold(rank, output.copy())
        into[...] = output
        return into

    def _check(self, rank: int, name: str, array: Any, size: int) -> None:
        if not isinstance(array, np.ndarray) or array.shape != (size,) or not np.issubdtype(array.dtype, np.floating):
            what = f"an array of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise ShardedProgramError(f"rank {rank}: {name} must be an array of {size} floats, not {what}")


def _release(held: list[int], rank: int, size_bytes: int) -> None:
    """Take an array off an account; not a method, or the account would keep the group, and with it the array."""
    held[rank] -= size_bytes


def _resume(program: Generator[Request, Any, Any], results: list[Array | None], rank: int) -> Request | None:
    """Run a program to its next request, ``None`` at its end."""
    result, results[rank] = results[rank], None
    try:
        request = program.send(result)
    except StopIteration:
        return None
    if type(request) not in _RINGS:
        raise ShardedProgramError(f"rank {rank} yields {type(request).__name__}, no collective")
    return request


def _agreed(requests: list[Request | None]) -> bool:
    """Say whether all ranks ask for the same collective; ``False`` if all have ended."""
    asked = [type(request).__name__ for request in requests]
    for rank, name in enumerate(asked):
        if name != asked[0]:
            here, there = ("has ended" if each == "NoneType" else f"asks for {each}" for each in (asked[0], name))
            raise ShardedProgramError(f"rank 0 {here}, rank {rank} {there}")
    return requests[0] is not None


@lru_cache(maxsize=256)
def _ring(primitive: str, ranks: int, length: int) -> Schedule:
    return build(primitive, "ring", ranks=ranks, length=length)
