"""Exercises of chapter 22: who holds what, a step of ZeRO-1, and where shards do not fit or must not be cut.

``zero1_step`` is a program that the book's simulator runs on every rank. It takes part in a collective by yielding a
request, whose result is the value of the ``yield``:

    total = yield ReduceScatter(array)           # this rank's shard of the sum over ranks
    total = yield AllReduce(array)               # all of the sum
    whole = yield AllGather(shard)               # the ranks' shards, joined, in new memory
    yield AllGather(shard, into=array)           # the same, written to an array that is there already

``array`` has an entry for each parameter, ``shard`` the entries that the rank owns. The simulator counts the bytes that
each rank sends, and those of the arrays that it is given or that collectives return, until nothing refers to them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from typing import Any

from snippets.machine import AllGather, AllReduce, ReduceScatter, Request
from snippets.memory.sharded_rank import Rank

__all__ = ["AllGather", "AllReduce", "ReduceScatter"]


def bytes_per_parameter(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    """Return the bytes of model state that a rank holds, in the mean over ranks, for each parameter of the model.

    Args:
        weight_bits: bits of a weight as the forward and backward pass read it.
        gradient_bits: bits of a gradient.
        average_bits: bits of an entry of each of Adam's two averages.
        master: whether the optimizer keeps a float32 copy of the weights.
        stage: ZeRO's stage; 0 is plain data parallelism.
        ranks: ranks that hold shards, at least 1.

    Returns:
        Bytes, exact.
    """
    raise NotImplementedError("bytes_per_parameter is still to be written")


def zero1_step(*, rank: Rank, step: int, learning_rate: float) -> Generator[Request, Any, None]:
    """Make one step of Adam on one rank, with the optimizer's state sharded (ZeRO's stage 1).

    The gradient of the step is the mean over ranks. Adam's constants are 0.9 and 0.999 for the averages, whose bias is
    corrected, and 10⁻⁸, added to the root. The grader looks at all ranks' parameters and averages after some steps, at
    the bytes that each rank has sent, and at the most bytes that it has held. Neither may be more than needed.

    Args:
        rank: what this rank sees. ``rank.number`` and ``rank.ranks`` say which it is and of how many; ``rank.shard`` is
            the slice of the parameters that it owns. ``rank.parameters`` (all of them) and ``rank.first`` and
            ``rank.second`` (Adam's averages of the shard) are to be updated in place. ``rank.gradients`` is the
            gradient of this rank's examples, of all parameters. All are float32.
        step: number of the step, from 1.
        learning_rate: the learning rate.

    Yields:
        Its collectives; see the top of this file. All ranks ask for the same in the same order.
    """
    raise NotImplementedError("zero1_step is still to be written")


def fewest_ranks(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    """Return the fewest ranks on which a model's state fits, with 2 + 2 + 12 bytes a parameter.

    A parameter has 2 bytes of weight, 2 of gradient and 12 of optimizer state. Shards are cut as by
    ``numpy.array_split``: the fullest rank has to fit.

    Args:
        parameters: parameters of the model, at least 1.
        memory_bytes: memory of a device; all of it may be used.
        other_bytes: what each device holds besides the state.
        stage: ZeRO's stage, from 0 to 3.

    Returns:
        Ranks, or ``None`` where no number of them is enough.
    """
    raise NotImplementedError("fewest_ranks is still to be written")


def owners(sizes: Sequence[int], ranks: int) -> list[int]:
    """Give each matrix, whole, to one rank so that the largest load is small.

    Args:
        sizes: numbers in each matrix; there may be none.
        ranks: ranks, N, at least 1.

    Returns:
        For each matrix the rank that owns it, from 0. The largest load is at most 4/3 − 1/(3N) times the best possible.
    """
    raise NotImplementedError("owners is still to be written")
