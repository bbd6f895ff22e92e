"""Formulas: data parallelism: the weight of every rank's gradient, and the buckets in which gradients are summed."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.domain import each, nonnegative_integer, positive_integer


def shard_weights(examples: Sequence[int]) -> tuple[float, ...]:
    """Return by what each rank has to multiply its mean loss, so that the ranks' average is the mean of the big batch.

    Data parallelism averages the ranks' gradients. If rank r's loss is the mean over its n_r examples, that average
    counts an example of a small shard for more than one of a large shard, unless the loss is weighted first.

    Formula: $\\frac{N n_r}{\\sum_q n_q}$
    Symbols: N = number of ranks, n_r = examples of rank r
    Chapter: 16

    Args:
        examples: examples of each rank; not all 0.

    Returns:
        A weight for each rank; all are 1 where the shards are even. They average to 1.

    Source: the mean of the union, written as a mean of means.
    Convention: for an average over ranks, as PyTorch's DDP takes; for a sum over ranks, divide by N.
    Leaves out: losses that are no mean over examples, and batch norm, which mixes them.

    Example:
        >>> shard_weights([3, 1])
        (1.5, 0.5)
    """
    n = each("examples", examples, nonnegative_integer)
    if not any(n):
        raise ValueError(f"examples must hold at least one number above 0, got {list(n)!r:.80}")
    N = len(n)
    return tuple(N * n_r / sum(n) for n_r in n)


def bucket_sizes_bytes(tensor_bytes: Sequence[int], *, cap_bytes: int) -> tuple[int, ...]:
    """Return the sizes of the buckets that gradients fill, in the order in which they are summed over ranks.

    Gradients go into a bucket as they become ready. It is closed by the gradient with which it reaches the cap, which
    may take it far beyond; what is left at the end makes the last bucket.

    Formula: $B_k = \\sum_{i=a_k}^{b_k} n_i, \\quad b_k = \\min\\{b \\ge a_k : n_{a_k} + \\dots + n_b \\ge C\\}$
    Symbols: B_k = size of bucket k, n_i = size of tensor i, C = cap_bytes, a_k = b_{k-1} + 1
    Chapter: 16

    Args:
        tensor_bytes: sizes of the gradients, in the order in which the backward pass makes them.
        cap_bytes: bytes from which on a bucket is closed.

    Returns:
        Bytes of each bucket; their number is that of the all-reduces of a step.

    Source: PyTorch DDP's design note and ``compute_bucket_assignment_by_size``.
    Convention: one type of number on one device; other types have buckets of their own.
    Leaves out: DDP's first step, which sums all at the end in one bucket while it learns the order, and its smaller cap
        (1 MiB) for the first bucket, where the cap is left at its default of 25 MiB.

    Example:
        >>> bucket_sizes_bytes([2, 5, 1, 9, 3], cap_bytes=6)
        (7, 10, 3)
    """
    cap = positive_integer("cap_bytes", cap_bytes)
    buckets, filled = [], 0
    for size in each("tensor_bytes", tensor_bytes, positive_integer):
        filled += size
        if filled >= cap:
            buckets.append(filled)
            filled = 0
    return tuple(buckets + [filled] * (filled > 0))
