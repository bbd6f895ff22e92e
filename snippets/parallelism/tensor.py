"""Formulas: the collectives of tensor parallelism: how many a block of a Transformer calls, and how much they move.

A block is the attention or the feed-forward part of a layer: a product cut by columns, something that each rank does
alone with its columns (heads, an activation function), and a product cut by rows, whose parts have to be summed.
"""

from __future__ import annotations

from typing import NamedTuple

from snippets.domain import flag, positive_integer


class BlockCollectives(NamedTuple):
    """How many collectives one forward and one backward pass of a block call, each on b·s·h numbers.

    Example:
        >>> BlockCollectives(all_reduces=2, all_gathers=0, reduce_scatters=0).all_reduces
        2
    """

    all_reduces: int
    all_gathers: int
    reduce_scatters: int


def block_collectives(
    *, tensor_parallel: int, sequence_parallel: bool = False, input_sums: int = 1
) -> BlockCollectives:
    """Return the collectives that a block calls in one forward and one backward pass.

    Forward, the row product's parts are summed: one all-reduce. Backward, each rank has the part of the input's
    gradient that its columns made, and these are summed: one all-reduce, if the products that share the input (query,
    key and value) add their parts before they are summed over ranks. With sequence parallelism the input is gathered
    and the output scattered: every all-reduce becomes an all-gather on one side and a reduce-scatter on the other.

    Formula: $1 + u$
    Symbols: all-reduces of a block without sequence parallelism, for t > 1; u = input_sums, t = tensor_parallel
    Chapter: 17

    Args:
        tensor_parallel: ranks among which the block is cut, t.
        sequence_parallel: whether input and output are cut along the sequence.
        input_sums: in how many parts the input's gradient is summed over ranks, u: 1, or 3 where query, key and value
            each sum their own. With sequence parallelism that is also how often the input is gathered.

    Returns:
        The counts; all are 0 on one rank.

    Raises:
        ValueError: if a count is no integer of at least 1, or ``sequence_parallel`` no truth value.

    Source: Shoeybi et al. 2019, section 3 and figure 4 (four all-reduces a layer); Korthikanti et al. 2022, section
        4.2.2 (as many all-gathers and reduce-scatters).
    Convention: a layer has two blocks.
    Leaves out: recomputation, which calls the forward pass's once more; Korthikanti et al.'s further all-gather of the
        input in the backward pass, which saves keeping it whole; embeddings and the loss.

    Example:
        >>> block_collectives(tensor_parallel=8)
        BlockCollectives(all_reduces=2, all_gathers=0, reduce_scatters=0)
        >>> block_collectives(tensor_parallel=8, sequence_parallel=True)
        BlockCollectives(all_reduces=0, all_gathers=2, reduce_scatters=2)
    """
    ranks = positive_integer("tensor_parallel", tensor_parallel)
    calls = 1 + positive_integer("input_sums", input_sums)
    if flag("sequence_parallel", sequence_parallel):
        return BlockCollectives(0, calls, calls) if ranks > 1 else BlockCollectives(0, 0, 0)
    return BlockCollectives(calls, 0, 0) if ranks > 1 else BlockCollectives(0, 0, 0)


def block_traffic_bytes(
    *,
    micro_batch: int,
    sequence: int,
    hidden: int,
    tensor_parallel: int,
    input_sums: int = 1,
    element_bytes: int = 2,
) -> float:
    """Return the bytes that a rank sends for one block, forward and backward, with ring collectives.

    It is the same with and without sequence parallelism: a ring all-reduce is a reduce-scatter and an all-gather.

    Formula: $2\\,(1 + u)\\,\\frac{t-1}{t}\\,b\\,s\\,h\\,w$
    Symbols: b = micro_batch, s = sequence, h = hidden, t = tensor_parallel, u = input_sums, w = element_bytes
    Chapter: 17

    Args:
        micro_batch: sequences of a micro-batch, b.
        sequence: tokens of each, s.
        hidden: width of the residual stream, h.
        tensor_parallel: ranks among which the block is cut, t.
        input_sums: as in ``block_collectives``.
        element_bytes: bytes of one number, w.

    Returns:
        Bytes; the mean over ranks where t does not divide what is cut.

    Source: Narayanan et al. 2021, section 3.2: 8bsh(t − 1)/t numbers a layer, which has two blocks.
    Convention: sent by one rank, as ``snippets.collectives.traffic`` counts.
    Leaves out: as ``block_collectives``.

    Example:
        >>> block_traffic_bytes(micro_batch=1, sequence=2048, hidden=12288, tensor_parallel=8)
        176160768.0
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h, w = positive_integer("hidden", hidden), positive_integer("element_bytes", element_bytes)
    t, u = positive_integer("tensor_parallel", tensor_parallel), positive_integer("input_sums", input_sums)
    return 2 * (1 + u) * (t - 1) * b * s * h * w / t
