"""Simulators: runs a schedule on real arrays, one per rank, and counts every message and byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.domain import named
from snippets.simulation.account import Account, Message
from snippets.simulation.checker import check_collective
from snippets.simulation.schedule import Range, Schedule

Array = npt.NDArray[Any]

# Small enough that a tile of each of 16 ranks stays in the cache, large enough that NumPy is not called often.
_TILE_BYTES = 1 << 18

COMBINATIONS: dict[str, np.ufunc] = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}


@dataclass(frozen=True)
class ScheduleRun:
    """What a run gives: one array per rank (empty where the primitive leaves a rank nothing), and the account.

    A round is a step of the account, and combining numbers is counted as ``"reduction_flops"``.
    """

    outputs: tuple[Array, ...]
    account: Account


def run(schedule: Schedule, inputs: Sequence[npt.ArrayLike], *, combination: str = "sum") -> ScheduleRun:
    """Run a schedule on real arrays and count what it sends.

    Args:
        schedule: what to run; it must be right (``snippets.simulation.checker``), with any number of ports.
        inputs: for each rank a one-dimensional array of integers, floats or complex numbers, all of one dtype: what
            the rank brings, in ascending order of addresses. It has n elements for reduce, reduce-scatter, all-reduce
            and all-to-all, and on the root of a broadcast or scatter; the rank's chunk for gather and all-gather;
            none elsewhere. An all-to-all's array is its N blocks one after the other, block j for rank j.
        combination: ``"sum"``, ``"product"``, ``"max"`` or ``"min"``; complex numbers know the first two.

    Returns:
        The outputs and the account. An all-to-all's output is the N received blocks, in the order of the senders.
        The inputs stay as they are.

    Raises:
        ValueError: if the schedule is wrong (with its first fault), or an input has the wrong number of dimensions or
            elements, or a dtype that differs or is not numeric, or ``combination`` is unknown.

    Convention: bytes are those of the elements, without headers, and count once for the sender and once for the
        receiver. A message without data counts as a message. All sends of a round read what was there before it; where
        several messages of a round are combined into one place, it is in the order of the schedule.
    Leaves out: time (``snippets.collectives.schedule_cost`` has it). Integers wrap and floats overflow as in NumPy,
        silently.

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> ring = build_collective("all_reduce", "ring", ranks=3, length=6)
        >>> done = run(ring, [np.full(6, 10**rank) for rank in range(3)])
        >>> done.outputs[2].tolist(), done.account.sent_bytes
        ([111, 111, 111, 111, 111, 111], (64, 64, 64))
    """
    combination = named("combination", combination, COMBINATIONS)
    check_collective(schedule, ports=None)
    arrays = _checked(schedule, inputs, combination)
    plan = _Plan(schedule)
    runner = _Runner(plan, arrays, schedule.messages, COMBINATIONS[combination])
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for cell in range(len(plan.cells)):
            runner.run_cell(cell)
    outputs = tuple(plan.output(rank, runner.stores[rank]) for rank in range(schedule.ranks))
    return ScheduleRun(outputs, _account(schedule, runner.sent_bytes))


def _account(schedule: Schedule, sent_bytes: Sequence[int]) -> Account:
    """Say what the messages of a schedule, which have carried so many bytes, have cost."""
    sends = [(step, send) for step, sends in enumerate(schedule.rounds, start=1) for send in sends]
    combined = [0] * schedule.ranks
    for _, send in sends:
        combined[send.destination] += send.elements * send.combine
    messages = tuple(
        Message(step, send.source, send.destination, size, schedule.primitive)
        for (step, send), size in zip(sends, sent_bytes, strict=True)
    )
    return Account(schedule.ranks, messages, {"reduction_flops": tuple(combined)})


class _Move(NamedTuple):
    """What one message does to one cell."""

    message: int
    source: int
    destination: int
    combine: bool


class _Plan:
    """A schedule seen from its addresses: cut into cells that no message splits, each with the moves it makes.

    A message takes an address of one rank to the same address of another, so cells never mix: one can be followed
    through all rounds before the next is touched, and what it touches stays in the processor's cache.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.inputs = [schedule.input_ranges(rank) for rank in range(schedule.ranks)]
        self.outputs = [schedule.output_ranges(rank) for rank in range(schedule.ranks)]
        ranges = {pair for owned in self.inputs + self.outputs for pair in owned}
        ranges.update(pair for sends in schedule.rounds for send in sends for pair in send.ranges)
        edges = sorted({edge for pair in ranges for edge in pair})
        self.cells = list(pairwise(edges))
        self._number = {edge: number for number, edge in enumerate(edges)}
        self.rounds: list[list[list[_Move]]] = [[] for _ in self.cells]
        held = [set(self._cells_of(owned)) for owned in self.inputs]
        message = 0
        for sends in schedule.rounds:
            now: dict[int, list[_Move]] = {}
            for send in sends:
                touched = self._cells_of(send.ranges)
                held[send.destination].update(touched)
                for cell in touched:
                    now.setdefault(cell, []).append(_Move(message, send.source, send.destination, send.combine))
                message += 1
            for cell, moves in now.items():
                self.rounds[cell].append(moves)
        self.inputs_at = [self._positions(self._cells_of(owned)) for owned in self.inputs]
        self.stored_at = [self._positions(sorted(cells)) for cells in held]
        self.store_sizes = [sum(stop - start for start, stop in map(self.cells.__getitem__, cells)) for cells in held]

    def _cells_of(self, ranges: tuple[Range, ...]) -> list[int]:
        return [cell for start, stop in ranges for cell in range(self._number[start], self._number[stop])]

    def _positions(self, cells: list[int]) -> dict[int, int]:
        """Return where each cell starts in an array that holds them one after the other."""
        sizes = (self.cells[cell][1] - self.cells[cell][0] for cell in cells)
        return dict(zip(cells, accumulate(sizes, initial=0), strict=False))

    def output(self, rank: int, store: Array) -> Array:
        """Return what the primitive leaves the rank: the store, where that is all of it, else an array of its own."""
        wanted = self._cells_of(self.outputs[rank])
        if wanted == list(self.stored_at[rank]):
            return store
        pieces = []
        for start, stop in self.outputs[rank]:
            first = self.stored_at[rank][self._number[start]]
            pieces.append(store[first : first + stop - start])
        return np.concatenate([store[:0], *pieces])


class _Runner:
    """Runs a plan cell by cell, a tile at a time, on arrays of one dtype."""

    def __init__(self, plan: _Plan, arrays: list[Array], messages: int, combine: np.ufunc) -> None:
        self.plan, self.arrays, self.combine = plan, arrays, combine
        self.dtype = arrays[0].dtype
        self.tile = max(1, _TILE_BYTES // self.dtype.itemsize)
        self.stores = [np.empty(size, dtype=self.dtype) for size in plan.store_sizes]
        self.sent_bytes = [0] * messages
        self.spare: list[Array] = []

    def run_cell(self, cell: int) -> None:
        """Follow one cell from the ranks that bring it through all rounds."""
        start, stop = self.plan.cells[cell]
        bringing = [(rank, places[cell]) for rank, places in enumerate(self.plan.inputs_at) if cell in places]
        holding = [(rank, places[cell]) for rank, places in enumerate(self.plan.stored_at) if cell in places]
        for first in range(0, stop - start, self.tile):
            last = min(first + self.tile, stop - start)
            held = {rank: self.stores[rank][place + first : place + last] for rank, place in holding}
            for rank, place in bringing:
                held[rank][:] = self.arrays[rank][place + first : place + last]
            for moves in self.plan.rounds[cell]:
                self._run_moves(moves, held)

    def _run_moves(self, moves: list[_Move], held: dict[int, Array]) -> None:
        """Deliver one round's messages of one tile."""
        for move, parcel in zip(moves, self._parcels(moves, held), strict=True):
            spot = held[move.destination]
            if move.combine:
                self.combine(spot, parcel, out=spot)
            else:
                spot[:] = parcel
            self.sent_bytes[move.message] += parcel.nbytes

    def _parcels(self, moves: list[_Move], held: dict[int, Array]) -> list[Array]:
        """Return what each message carries: a copy, in memory that is used again, of what this round overwrites."""
        written = {move.destination for move in moves}
        parcels = []
        for number, move in enumerate(moves):
            parcel = held[move.source]
            if move.source in written:
                if number >= len(self.spare):
                    self.spare += (np.empty(self.tile, self.dtype) for _ in range(len(self.spare), number + 1))
                copy = self.spare[number][: parcel.size]
                copy[:] = parcel
                parcel = copy
            parcels.append(parcel)
        return parcels


def _checked(schedule: Schedule, inputs: Sequence[npt.ArrayLike], combination: str) -> list[Array]:
    """Return the inputs as arrays, or raise ``ValueError``."""
    try:
        arrays = [np.asarray(values) for values in inputs]
    except (TypeError, ValueError):
        raise ValueError(f"inputs must be a sequence of arrays, got {type(inputs).__name__}") from None
    if len(arrays) != schedule.ranks:
        raise ValueError(f"inputs must be one array for each of {schedule.ranks} ranks, got {len(arrays)}")
    kinds = "iufc" if combination in ("sum", "product") else "iuf"
    dtype = next((values.dtype for values in arrays if values.size), arrays[0].dtype)
    for rank, values in enumerate(arrays):
        wanted = sum(stop - start for start, stop in schedule.input_ranges(rank))
        if values.ndim != 1 or values.size != wanted:
            raise ValueError(f"inputs[{rank}] must have shape ({wanted},), got {values.shape}")
        if values.size and (values.dtype.kind not in kinds or values.dtype != dtype):
            raise ValueError(f"inputs[{rank}] must hold numbers of one dtype on all ranks, got {values.dtype}")
    return [values.astype(dtype, copy=False) for values in arrays]
