"""Simulators: ranks that add rounded gradients in three ways, and ranks that keep what their compressor leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import (
    at_most,
    finite_number,
    flag,
    integer_at_least,
    named,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
)
from snippets.efficiency.compression.compressors import (
    QuantisedBlocks,
    largest_elements,
    quantise_in_blocks,
    signs_of,
)
from snippets.efficiency.compression.formulas import REDUCTION_WAYS
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllToAll, Exchange, Machine, Program

Array = npt.NDArray[np.float64]
_MOST_STEPS = 100_000


class RoundedReduction(NamedTuple):
    """What a reduction of rounded numbers has given and cost.

    Attributes:
        shares: for each rank the part of the sum that it ends with, joined in the order of the ranks.
        account: what the ranks have sent.
        node_leaving_bytes: what each node has sent to others.

    >>> run_rounded_reduction([[1.0, 2.0], [3.0, 4.0]], way="ring", bits=8, block=1).shares.round(5).tolist()
    [4.0, 6.0]
    """

    shares: Array
    account: Account
    node_leaving_bytes: tuple[int, ...]


def run_rounded_reduction(
    arrays: npt.ArrayLike, *, way: str, bits: int, block: int, node_ranks: int = 1
) -> RoundedReduction:
    """Add up the ranks' arrays, rounded whenever they are sent, and leave each rank its part of the sum.

    Args:
        arrays: ranks × elements, any finite numbers; the elements a multiple of ranks · block.
        way: ``"ring"``, ``"one-shot"`` or ``"two-hop"``, as in ``node_leaving_reduction_bytes``.
        bits: of an element: 16 for bfloat16, or from 2 to 8 in blocks, where one byte is counted for each.
        block: elements that share a scale of 4 bytes.
        node_ranks: ranks of a node, a divisor of the ranks.

    Returns:
        The sums, and the account of what was sent.

    Source: Wang, Qin et al. 2023 for two hops.
    Convention: sums are made in float64; what a rank keeps is not rounded.

    Example:
        >>> run_rounded_reduction([[1.0, 2.0]] * 2, way="one-shot", bits=8, block=1, node_ranks=2).account.sent_bytes
        (5, 5)
    """
    table = finite_array("arrays", arrays, dimensions=2)
    which = named("way", way, REDUCTION_WAYS)
    length, inside = positive_integer("block", block), positive_integer("node_ranks", node_ranks)
    ranks, elements = table.shape
    if not table.size or ranks % inside or elements % (ranks * length):
        raise ValueError(
            f"arrays must have a multiple of node_ranks, {inside}, rows, and of rows times block, {length}, columns, "
            f"got shape {table.shape}"
        )

    wire = _Wire(bits, length)
    programs = {"ring": _ring, "one-shot": _one_shot, "two-hop": _two_hop}
    machine = Machine(ranks)
    with refusing_overflow("arrays"):
        parts = machine.run([programs[which](rank, table[rank], ranks, inside, wire) for rank in range(ranks)])
    nodes: list[int] = [0] * (ranks // inside)
    for message in machine.account.messages:
        if message.source // inside != message.destination // inside:
            nodes[message.source // inside] += message.sent_bytes
    return RoundedReduction(np.concatenate(parts), machine.account, tuple(nodes))


class _Wire:
    """What numbers become when they are sent, and what is made of them where they arrive."""

    def __init__(self, bits: int, block: int) -> None:
        self.bits, self.block = integer_at_least("bits", bits, 2), block
        self.pack(np.zeros(1))

    def pack(self, numbers: Array) -> list[npt.NDArray[Any]]:
        """Round numbers, to bfloat16 or in blocks, and return the arrays that travel."""
        if self.bits == 16:
            with refusing_overflow("arrays"):
                bits = numbers.astype(np.float32).view(np.uint32)
            return [((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)]
        sent = quantise_in_blocks(numbers, bits=self.bits, block=self.block)
        return [sent.integers, sent.scales]

    def unpack(self, arrays: Sequence[npt.NDArray[Any]]) -> Array:
        """Return the numbers that the receiver works with."""
        if self.bits == 16:
            return (arrays[0].astype(np.uint32) << 16).view(np.float32).astype(float)
        return QuantisedBlocks(arrays[0], arrays[1], self.block).restored()


def _ring(rank: int, own: Array, ranks: int, inside: int, wire: _Wire) -> Program:
    """Pass partial sums on, each rounded before it leaves."""
    chunks = np.split(own.copy(), ranks)
    for step in range(ranks - 1):
        going = wire.pack(chunks[(rank - step - 1) % ranks])
        came = yield Exchange((rank + 1) % ranks, going, (rank - 1) % ranks)
        chunks[(rank - step - 2) % ranks] += wire.unpack(came)
    return chunks[rank]


def _one_shot(rank: int, own: Array, ranks: int, inside: int, wire: _Wire) -> Program:
    """Send each part straight to the rank that adds it up."""
    return (yield from _scatter(rank, np.split(own, ranks), list(range(ranks)), wire))


def _two_hop(rank: int, own: Array, ranks: int, inside: int, wire: _Wire) -> Program:
    """Add up in the node first: a rank gets those chunks whose owners have its place in their nodes."""
    node, place = divmod(rank, inside)
    chunks = np.split(own, ranks)
    for_place = [np.concatenate(chunks[j::inside]) for j in range(inside)]
    summed = yield from _scatter(rank, for_place, [node * inside + j for j in range(inside)], wire)
    others = list(range(place, ranks, inside))
    return (yield from _scatter(rank, np.split(summed, ranks // inside), others, wire))


def _scatter(rank: int, parts: list[Array], group: list[int], wire: _Wire) -> Program:
    """Give each of a group its part, rounded, and add up what comes; the own part stays as it is."""
    if len(group) == 1:
        return parts[0]
    came = yield AllToAll([wire.pack(part) for part in parts], group=group)
    total = np.zeros_like(parts[0])
    for member, parcel in zip(group, came, strict=True):
        total += parts[group.index(rank)] if member == rank else wire.unpack(parcel)
    return total


class FeedbackRun(NamedTuple):
    """A run of gradient descent on several ranks whose updates are compressed.

    Attributes:
        points: the parameters before each step and after the last, steps + 1 × elements.
        memories: what each rank owes in the end, ranks × elements.
        account: what the ranks have sent.

    >>> run_three_ranks(compressor="none", feedback=False, steps=1, learning_rate=0.0).points.tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    points: Array
    memories: Array
    account: Account


COMPRESSORS = ("none", "largest", "signs")
_SLOPES = np.array([[-3.0, 2.0, 2.0], [2.0, -3.0, 2.0], [2.0, 2.0, -3.0]])


def three_rank_gradient(rank: int, point: npt.ArrayLike) -> Array:
    """Return a rank's gradient in the counter-example: of the square of a slope times the point, and a bowl.

    Args:
        rank: 0, 1 or 2.
        point: three parameters, any finite numbers.

    Returns:
        The gradient, three numbers.

    Source: Beznosikov et al. 2023, example 1.

    Example:
        >>> three_rank_gradient(0, [1.0, 1.0, 1.0]).tolist()
        [-5.5, 4.5, 4.5]
    """
    if nonnegative_integer("rank", rank) > 2:
        raise ValueError(f"rank must be 0, 1 or 2, got {rank!r}")
    x = finite_array("point", point, dimensions=1)
    if x.size != 3:
        raise ValueError(f"point must have three entries, got {x.size}")
    slope = _SLOPES[int(rank)]
    with refusing_overflow("point"):
        return np.asarray(2 * (slope @ x) * slope + x / 2)


def run_three_ranks(
    *, compressor: str, feedback: bool, steps: int, learning_rate: float, start: float = 1.0
) -> FeedbackRun:
    """Let three ranks walk down the mean of their losses, each sending one element, signs, or all.

    Args:
        compressor: ``"none"``, ``"largest"`` (the largest element alone) or ``"signs"`` (times their mean magnitude).
        feedback: whether a rank adds what it left out to its next update.
        steps: how many, at most 100,000.
        learning_rate: of each step, at least 0.
        start: each of the three parameters at first, any finite number.

    Returns:
        The points, what is owed, and what was sent.

    Source: Beznosikov et al. 2023, example 1, for the losses; Seide et al. 2014 for the memory.
    Convention: a rank sends its update as float64s, or as one float64 and an index of 4 bytes, or as one float64 and a
        byte of bits. All gather all updates and take their mean.

    Example:
        >>> walk = {"compressor": "largest", "steps": 60, "learning_rate": 0.02}
        >>> [round(float(run_three_ranks(feedback=kept, **walk).points[-1].max())) for kept in (False, True)]
        [9, 0]
    """
    which = named("compressor", compressor, COMPRESSORS)
    keep, count = flag("feedback", feedback), at_most("steps", positive_integer("steps", steps), _MOST_STEPS)
    η = nonnegative_number("learning_rate", learning_rate)
    x = np.full(3, finite_number("start", start))
    machine = Machine(3)
    with refusing_overflow("steps, learning_rate and start"):
        ends = machine.run([_walk(rank, x, which, keep, count, η) for rank in range(3)])
    points = np.array(ends[0][0])
    return FeedbackRun(points, np.array([memory for _, memory in ends]), machine.account)


def _walk(rank: int, start: Array, compressor: str, keep: bool, steps: int, η: float) -> Program:
    """One rank: add what is owed, compress, send, and owe the rest."""
    x, owed = start.copy(), np.zeros(3)
    points = [x.copy()]
    for _ in range(steps):
        wanted = η * (2 * (_SLOPES[rank] @ x) * _SLOPES[rank] + x / 2) + owed
        if compressor == "largest":
            said = largest_elements(wanted, kept=1)
            place = int(np.argmax(np.abs(said)))
            came = yield AllGather([said[place : place + 1], np.array([place], np.int32)])
            updates = []
            for member in range(3):
                one = np.zeros(3)
                one[int(came[2 * member + 1][0])] = came[2 * member][0]
                updates.append(one)
        elif compressor == "signs":
            said = signs_of(wanted)
            bits = np.packbits(said < 0)
            came = yield AllGather([np.abs(said[:1]), bits])
            updates = [
                np.where(np.unpackbits(came[2 * member + 1])[:3] == 1, -1.0, 1.0) * came[2 * member][0]
                for member in range(3)
            ]
        else:
            said = wanted
            came = yield AllGather([wanted])
            updates = [came[member] for member in range(3)]
        owed = wanted - said if keep else owed
        x = x - (updates[0] + updates[1] + updates[2]) / 3
        points.append(x.copy())
    return points, owed
