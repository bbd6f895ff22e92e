"""Simulators: placed tensors on a mesh of ranks: a planner of redistributions, ranks that carry them out, and matmuls.

A placement is a list with an entry for each axis of the mesh, the outermost first: ``"R"`` (replicate), ``"P"``
(partial sums) or ``"S(0)"`` (a shard of that dimension). Where several axes cut one dimension, the outer axis cuts
first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array, refusing_overflow
from snippets.composition.device_mesh.formulas import (
    PARTIAL,
    REPLICATE,
    matmul_placement,
    mesh_coordinates,
    mesh_group,
    redistribution_bytes,
)
from snippets.domain import at_most, each, nonnegative_integer, positive_integer, shortened
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllReduce, AllToAll, Machine, Program, ReduceScatter

Array = npt.NDArray[np.float64]
State = tuple[str, ...]
MOST_SIMULATED = 2**10
MOST_AXES = 4
MOST_ADDED = 2**22


class Move(NamedTuple):
    """One step of a plan: along which axis, from which placement to which, and what a rank sends for it.

    >>> Move(0, "P", "R", 12.0).collective
    'all-reduce'
    """

    axis: int
    source: str
    target: str
    sent_bytes: float

    @property
    def collective(self) -> str:
        """What the group of the axis calls.

        >>> Move(1, "S(0)", "S(1)", 3.0).collective, Move(1, "R", "S(1)", 0.0).collective
        ('all-to-all', 'nothing')
        """
        if self.source == REPLICATE:
            return "nothing"
        if self.source == PARTIAL:
            return "all-reduce" if self.target == REPLICATE else "reduce-scatter"
        return "all-gather" if self.target == REPLICATE else "all-to-all"


def plan_redistribution(
    source: Sequence[str], target: Sequence[str], *, sides: Sequence[int], shape: Sequence[int], element_bytes: int = 8
) -> tuple[Move, ...]:
    """Return the steps that change a placement and send the fewest bytes.

    Args:
        source: how the tensor is placed, an entry for each axis.
        target: how it shall be; partial sums only where they are already.
        sides: ranks along each axis, at most four axes.
        shape: of the tensor.
        element_bytes: of one element.

    Returns:
        Moves, one collective each, in their order. Slices of what a rank has are moves of 0 bytes.

    Raises:
        ValueError: if there is no plan whose shards are all even.

    Source: shortest paths over all placements (Dijkstra); the prices are ``redistribution_bytes``.
    Convention: one axis at a time; a shard may change only if no inner axis cuts the same dimension.
    Leaves out: collectives of several axes at once, and time: among plans of equal bytes, the shortest.

    Example:
        >>> plan = plan_redistribution(["P", "S(0)"], ["S(0)", "R"], sides=[2, 2], shape=[4, 4])
        >>> [(move.axis, move.collective, move.sent_bytes) for move in plan]
        [(0, 'reduce-scatter', 32.0), (1, 'all-gather', 32.0), (0, 'all-to-all', 32.0)]
    """
    q, whole = _mesh(sides), each("shape", shape, positive_integer)
    start, goal = _state("source", source, q, whole), _state("target", target, q, whole)
    size = math.prod(whole) * positive_integer("element_bytes", element_bytes)
    tie = count()
    queue: list[tuple[float, int, int, State, tuple[Move, ...]]] = [(0.0, 0, next(tie), start, ())]
    seen: set[State] = set()
    while queue:
        sent, _, _, state, moves = heapq.heappop(queue)
        if state == goal:
            return moves
        if state in seen:
            continue
        seen.add(state)
        for move, after in _moves(state, q, whole, size):
            if after not in seen:
                heapq.heappush(queue, (sent + move.sent_bytes, len(moves) + 1, next(tie), after, (*moves, move)))
    raise ValueError(f"target must be reached from {list(start)} with even shards of {list(whole)}, got {list(goal)}")


def _moves(state: State, q: tuple[int, ...], shape: tuple[int, ...], size: int) -> Iterator[tuple[Move, State]]:
    """Yield every allowed change of one axis."""
    shards = tuple(f"S({dimension})" for dimension in range(len(shape)))
    for axis, before in enumerate(state):
        inner = state[axis + 1 :]
        if before in shards and before in inner:
            continue
        together = size / math.prod(q[other] for other, entry in enumerate(state) if other != axis and entry in shards)
        for after in (REPLICATE, *shards):
            changed = (*state[:axis], after, *inner)
            if after == before or (after in shards and after in inner) or not _even(changed, q, shape):
                continue
            sent = redistribution_bytes(before, after, ranks=q[axis], size_bytes=together)
            yield Move(axis, before, after, sent), changed


def _even(state: State, q: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    cuts = [math.prod(q[axis] for axis, entry in enumerate(state) if entry == f"S({d})") for d in range(len(shape))]
    return all(side % cut == 0 for side, cut in zip(shape, cuts, strict=True))


@refusing_overflow("whole")
def place(whole: npt.ArrayLike, placement: Sequence[str], *, sides: Sequence[int]) -> list[Array]:
    """Return what each rank of a mesh holds of a tensor.

    Args:
        whole: the tensor.
        placement: an entry for each axis of the mesh.
        sides: ranks along each axis.

    Returns:
        An array for each rank. Partial sums are shares of the tensor that add up to it: 1, 2, 3 … parts of their sum.

    Example:
        >>> [piece.tolist() for piece in place([[1.0, 2.0], [3.0, 4.0]], ["S(0)"], sides=[2])]
        [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    q, tensor = _mesh(sides), _array("whole", whole)
    state = _state("placement", placement, q, tensor.shape, of="whole")
    found = []
    for rank in range(math.prod(q)):
        piece = tensor
        for axis, (entry, own) in enumerate(zip(state, mesh_coordinates(rank, sides=q), strict=True)):
            if entry == PARTIAL:
                piece = piece * (own + 1) / (q[axis] * (q[axis] + 1) / 2)
            elif entry != REPLICATE:
                piece = np.split(piece, q[axis], axis=_dimension(entry))[own]  # this rank's shard
        found.append(np.ascontiguousarray(piece))
    return found


class Redistributed(NamedTuple):
    """What the ranks hold in the end, the plan that they carried out, and what it cost."""

    pieces: tuple[Array, ...]
    plan: tuple[Move, ...]
    account: Account


@refusing_overflow("pieces")
def redistribute(
    pieces: Sequence[npt.ArrayLike],
    source: Sequence[str],
    target: Sequence[str],
    *,
    sides: Sequence[int],
    shape: Sequence[int],
) -> Redistributed:
    """Carry out the cheapest plan on the simulated machine.

    Args:
        pieces: what each rank holds, as ``place`` gives it.
        source: how the tensor is placed.
        target: how it shall be.
        sides: ranks along each axis.
        shape: of the whole tensor.

    Returns:
        The pieces, the plan and the account.

    Example:
        >>> held = place([[1.0, 2.0], [3.0, 4.0]], ["P"], sides=[2])
        >>> done = redistribute(held, ["P"], ["S(0)"], sides=[2], shape=[2, 2])
        >>> done.pieces[1].round(12).tolist(), done.account.sent_bytes
        ([[3.0, 4.0]], (16, 16))
    """
    q = _mesh(sides)
    plan = plan_redistribution(source, target, sides=q, shape=shape)
    held = list(each("pieces", pieces, _array))
    if len(held) != math.prod(q):
        raise ValueError(f"pieces must be one for each of {math.prod(q)} ranks, got {len(held)}")
    own = _own_shape(tuple(source), q, tuple(int(side) for side in shape))
    for number, piece in enumerate(held):
        if piece.shape != own:
            raise ValueError(
                f"pieces[{number}] must have shape {own}, which source leaves a rank of shape, got {piece.shape}"
            )
    machine = Machine(len(held))
    ended = machine.run([_carry_out(rank, piece, plan, q) for rank, piece in enumerate(held)])
    return Redistributed(tuple(ended), plan, machine.account)


def _carry_out(rank: int, piece: Array, plan: tuple[Move, ...], q: tuple[int, ...]) -> Program:
    """What a rank does for a plan."""
    for move in plan:
        piece = yield from _move(rank, piece, move, q)
    return piece
    yield


def _move(rank: int, piece: Array, move: Move, q: tuple[int, ...]) -> Program:
    group = list(mesh_group(rank, sides=q, axes=[move.axis]))
    own, ranks = group.index(rank), len(group)
    match move.collective:
        case "nothing":
            return np.split(piece, ranks, axis=_dimension(move.target))[own]
        case "all-reduce":
            return (yield AllReduce(piece, group=group))
        case "reduce-scatter":
            rows = np.moveaxis(piece, _dimension(move.target), 0)  # what is cut comes first
            mine = yield ReduceScatter(np.ascontiguousarray(rows), group=group)
            return np.moveaxis(mine, 0, _dimension(move.target))
        case "all-gather":
            rows = np.moveaxis(piece, _dimension(move.source), 0)
            joined = yield AllGather(np.ascontiguousarray(rows), group=group)
            return np.moveaxis(joined, 0, _dimension(move.source))
    parcels = [np.ascontiguousarray(part) for part in np.split(piece, ranks, axis=_dimension(move.target))]
    arrived = yield AllToAll(parcels, group=group)
    return np.concatenate(arrived, axis=_dimension(move.source))


@refusing_overflow("x and w")
def run_placed_matmul(x: npt.ArrayLike, w: npt.ArrayLike, *, left: str, right: str, ranks: int) -> list[Array]:
    """Return what each rank of one axis has of Y = XW if each multiplies what it holds, without a message.

    Args:
        x: the whole X, m × k.
        w: the whole W, k × n.
        left: how X is placed.
        right: how W is placed.
        ranks: along the axis, at most 1,024.

    Returns:
        An array for each rank, placed as ``matmul_placement`` says.

    Raises:
        ValueError: if Y would not be placed in any of the known ways.

    Example:
        >>> parts = run_placed_matmul([[1.0, 2.0]], [[3.0], [4.0]], left="S(1)", right="S(0)", ranks=2)
        >>> [part.tolist() for part in parts]
        [[[3.0]], [[8.0]]]
    """
    R = at_most("ranks", positive_integer("ranks", ranks), MOST_SIMULATED)
    if matmul_placement(left, right) is None:
        raise ValueError(f"left and right must go together without a message, got {left!r} and {right!r}")
    X, W = finite_array("x", x, dimensions=2), finite_array("w", w, dimensions=2)
    if X.shape[1] != W.shape[0]:
        raise ValueError(f"x must have as many columns as w has rows, got {X.shape} and {W.shape}")
    _state("left", [left], (R,), X.shape, of="x"), _state("right", [right], (R,), W.shape, of="w")
    pairs = zip(place(X, [left], sides=[R]), place(W, [right], sides=[R]), strict=True)
    return [mine @ weights for mine, weights in pairs]  # (rows, k) @ (k, columns)


@refusing_overflow("pieces")
def joined(pieces: Sequence[npt.ArrayLike], placement: str) -> Array:
    """Return the whole tensor from the pieces of one axis.

    Args:
        pieces: what each rank holds, all of one shape.
        placement: how it is placed.

    Example:
        >>> joined([[[3.0]], [[8.0]]], "P").tolist(), joined([[[3.0]], [[8.0]]], "S(1)").tolist()
        ([[11.0]], [[3.0, 8.0]])
    """
    arrays = list(each("pieces", pieces, _array))
    if not arrays:
        raise ValueError("pieces must hold one or more, got none")
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ValueError(f"pieces must have one shape, got {', '.join(map(str, sorted(shapes)))}")
    entry = _entry("placement", placement, arrays[0].ndim, of="pieces")
    if entry == PARTIAL:
        return np.asarray(sum(arrays))
    if entry == REPLICATE:
        return arrays[0]
    return np.concatenate(arrays, axis=_dimension(entry))


def run_mesh_all_reduces(*, sides: Sequence[int], axes: Sequence[int], length: int) -> Account:
    """Return the account after all groups along some axes have added up a vector each, by rings in the order of ranks.

    Args:
        sides: ranks along each axis, at most 1,024 in all.
        axes: those along which the groups extend.
        length: numbers of each vector, at least 0; at most 2²² of all ranks together.

    Raises:
        ArithmeticError: if a rank does not end with its group's sum.

    Example:
        >>> run_mesh_all_reduces(sides=[2, 2], axes=[1], length=2).link_bytes
        {(0, 1): 16, (1, 0): 16, (2, 3): 16, (3, 2): 16}
    """
    q, entries = _mesh(sides), nonnegative_integer("length", length)
    ranks = at_most("the product of sides", math.prod(q), MOST_SIMULATED)
    at_most("length × the product of sides", entries * ranks, MOST_ADDED)
    groups = [mesh_group(rank, sides=q, axes=axes) for rank in range(ranks)]

    def program(rank: int) -> Program:
        return (yield AllReduce(np.full(entries, float(rank)), group=list(groups[rank])))

    machine = Machine(ranks)
    for rank, result in enumerate(machine.run([program(rank) for rank in range(ranks)])):
        if not np.array_equal(result, np.full(entries, float(sum(groups[rank])))):
            raise ArithmeticError(f"rank {rank} does not end with the sum of its group")
    return machine.account


def leaving_bytes(account: Account, *, domain: int) -> int:
    """Return what all ranks together sent out of their domains.

    Args:
        account: of a run.
        domain: ranks of a domain, which are numbered one after the other.

    Example:
        >>> leaving_bytes(run_mesh_all_reduces(sides=[2, 2], axes=[0], length=2), domain=2)
        64
    """
    fast = positive_integer("domain", domain)
    if not isinstance(account, Account):
        raise ValueError(f"account must be an Account, got {shortened(account)}")
    return sum(
        message.sent_bytes for message in account.messages if message.source // fast != message.destination // fast
    )


def _array(name: str, value: Any) -> Array:
    """Return finite numbers as an array with axes, or raise ``ValueError``."""
    array = finite_array(name, value)
    if not array.ndim:
        raise ValueError(f"{name} must have one dimension or more, got {shortened(value)}")
    return array


def _mesh(sides: Sequence[int]) -> tuple[int, ...]:
    q = each("sides", sides, positive_integer)
    if not 1 <= len(q) <= MOST_AXES:
        raise ValueError(f"sides must hold from 1 to {MOST_AXES} axes, got {len(q)}")
    at_most("the product of sides", math.prod(q), MOST_SIMULATED)
    return q


def _state(name: str, placement: Sequence[str], q: tuple[int, ...], shape: tuple[int, ...], of: str = "shape") -> State:
    """Return a placement of what the argument ``of`` gives a shape, or raise ``ValueError``."""
    entries = each(name, placement, lambda where, entry: _entry(where, entry, len(shape), of))
    if len(entries) != len(q):
        raise ValueError(f"{name} must hold an entry for each of {len(q)} axes, got {list(entries)!r}")
    if not _even(entries, q, shape):
        raise ValueError(f"{name} must cut {of}, {list(shape)}, evenly on a mesh of {list(q)}, got {list(entries)!r}")
    return entries


def _entry(name: str, entry: Any, dimensions: int, of: str) -> str:
    allowed = (REPLICATE, PARTIAL, *(f"S({dimension})" for dimension in range(dimensions)))
    if not isinstance(entry, str) or entry not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be one of {listed} for the {dimensions} dimensions of {of}, got {entry!r}")
    return entry


def _own_shape(state: State, q: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of what each rank holds."""
    cuts = (math.prod(q[axis] for axis, entry in enumerate(state) if entry == f"S({d})") for d in range(len(shape)))
    return tuple(side // cut for side, cut in zip(shape, cuts, strict=True))


def _dimension(entry: str) -> int:
    return int(entry[2:-1])
