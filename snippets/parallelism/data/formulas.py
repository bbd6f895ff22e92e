"""Formulas: data parallelism: weights of gradients, buckets, what hides their sum, efficiency, waiting, staleness."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import (
    as_float,
    at_most,
    each,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.foundations.alpha_beta.formulas import bucketed_step_time_s


def shard_weights(examples: Sequence[int]) -> tuple[float, ...]:
    """Return by what each rank has to multiply its mean loss, so that the ranks' average is the mean of the big batch.

    Data parallelism averages the ranks' gradients. If rank r's loss is the mean over its n_r examples, that average
    counts an example of a small shard for more than one of a large shard, unless the loss is weighted first.

    Formula: $\\frac{R x_r}{\\sum_i x_i}$
    Symbols: R = number of ranks; x_r = examples of rank r
    Chapter: 16

    Args:
        examples: examples of each rank; not all 0.

    Returns:
        A weight for each rank; all are 1 where the shards are even. They average to 1.

    Source: the mean of the union, written as a mean of means.
    Convention: for an average over ranks, as PyTorch's DDP takes; for a sum over ranks, divide by R.
    Leaves out: losses that are no mean over examples, and batch norm, which mixes them.

    Example:
        >>> shard_weights([3, 1])
        (1.5, 0.5)
    """
    x = each("examples", examples, nonnegative_integer)
    if not any(x):
        raise ValueError(f"examples must hold at least one number above 0, got {list(x)!r:.80}")
    R = len(x)
    return tuple(R * x_r / sum(x) for x_r in x)


def token_weights(tokens: Sequence[Sequence[int]]) -> tuple[tuple[float, ...], ...]:
    """Return by what each micro-batch's mean loss has to be multiplied, so that every token of the batch counts alike.

    A rank adds the gradients of its micro-batches up, and data parallelism averages the ranks' sums. If a micro-batch's
    loss is the mean over its tokens, a token of a short micro-batch counts for more, unless the loss is weighted first.

    Formula: $\\frac{R x_{rj}}{\\sum x}$
    Symbols: R = number of ranks; x_rj = how many tokens count in micro-batch j of rank r
    Chapter: 16

    Args:
        tokens: for each rank, the tokens of each of its micro-batches; not all 0. Ranks may have different numbers of
            micro-batches.

    Returns:
        A weight for each micro-batch of each rank.

    Source: the mean over the union, written as an average over ranks of sums over micro-batches.
    Convention: for an average over ranks, as PyTorch's DDP takes; for a sum over ranks, divide by R. What counts are
        the tokens with a loss, without padding and masked ones.
    Leaves out: losses that are no mean over tokens.

    Example:
        >>> token_weights([[3, 1], [4]])
        ((0.75, 0.25), (1.0,))
    """
    x = each("tokens", tokens, lambda name, counts: each(name, counts, nonnegative_integer))
    total = sum(map(sum, x))
    if not total:
        raise ValueError(f"tokens must hold at least one number above 0, got {list(map(list, x))!r:.80}")
    R = len(x)
    return tuple(tuple(R * x_rj / total for x_rj in x_r) for x_r in x)


def bucket_sizes_bytes(tensor_bytes: Sequence[int], *, cap_bytes: int) -> tuple[int, ...]:
    """Return the sizes of the buckets that gradients fill, in the order in which they are summed over ranks.

    Gradients go into a bucket as they become ready. It is closed by the gradient with which it reaches the cap, which
    may take it far beyond; what is left at the end makes the last bucket.

    Formula: $n_\\text{bucket} = n_i + \\dots + n_j, \\quad j = \\min\\{j : n_i + \\dots + n_j \\ge n_\\text{cap}\\}$
    Symbols: n_bucket = size of a bucket; n_i = size of tensor i, the first that no bucket has yet; n_cap = cap_bytes
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


def tokens_to_hide_all_reduce(
    *, ranks: int, flops_per_s: float, bandwidth_bytes_per_s: float, gradient_bytes: float = 2
) -> float:
    """Return how many tokens a micro-batch needs, so that its backward pass takes as long as the gradients' all-reduce.

    Every token meets every weight in two matmuls of the backward pass, 4 FLOPs; every weight's gradient is sent twice,
    once in each half of a ring. Both times are proportional to the number of weights, which cancels.

    Also: data-parallel overlap
    Formula: $x = \\frac{R-1}{R} \\cdot \\frac{w_g}{2} \\cdot \\frac{uP}{\\beta}$
    Symbols: x = tokens; R = ranks; w_g = gradient_bytes; uP = flops_per_s; β = bandwidth_bytes_per_s
    Chapter: 16

    Args:
        ranks: R.
        flops_per_s: uP, the FLOPs that a rank does in a second, not its peak.
        bandwidth_bytes_per_s: what a rank can send in a second.
        gradient_bytes: bytes of one weight's gradient on the wire.

    Returns:
        Tokens of the one micro-batch beside whose backward pass the gradients are summed; 0 for a single rank.

    Source: derived in this book.
    Convention: tokens, not sequences; bandwidth in one direction.
    Leaves out: latency, the first bucket's wait, attention's scores, and weights that a token does not use or uses more
        than once: embeddings, experts, convolutions.

    Example:
        >>> tokens_to_hide_all_reduce(ranks=4, flops_per_s=100e12, bandwidth_bytes_per_s=10e9)
        7500.0
    """
    R = positive_integer("ranks", ranks)
    uP, β = (
        positive_number("flops_per_s", flops_per_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
    )
    w_g = positive_number("gradient_bytes", gradient_bytes)
    x = (R - 1) / R * w_g / 2 * uP / β
    return as_float("flops_per_s, bandwidth_bytes_per_s and gradient_bytes", x)


def exposed_all_reduce_s(
    *, backward_s: float, total_bytes: float, buckets: int, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Return how long the ranks wait for the gradients' all-reduce after the last backward pass of a step.

    Also: exposed communication
    Formula: $\\max( T_K,\\; T_\\text{pass} / K + K T_K - T_\\text{pass} ),\\; T_K = \\alpha + \\frac{n}{K\\beta}$
    Symbols: T_K = time of one of K buckets; K = buckets; T_pass = backward_s; n = bytes of all gradients, total_bytes;
        α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 16

    Args:
        backward_s: T_pass, duration of the backward pass during which buckets are sent, at least 0.
        total_bytes: n, all gradients, at least 0.
        buckets: K, equal ones.
        latency_s: α of the all-reduce of a bucket, at least 0.
        bandwidth_bytes_per_s: β of that all-reduce: bytes of bucket in a second.

    Returns:
        Seconds.

    Source: chapter 5's time of a step with K buckets, less the backward pass.
    Convention: α and β of the all-reduce, not of a link: for a ring 2(R − 1) times a message's α, and R/(2(R − 1)) of
        the link's bandwidth.
    Leaves out: what communication takes from computation.

    Example:
        >>> exposed_all_reduce_s(
        ...     backward_s=4, total_bytes=8, buckets=4, latency_s=0.5, bandwidth_bytes_per_s=2
        ... )
        3.0
    """
    T_pass = nonnegative_number("backward_s", backward_s)
    link = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    T = bucketed_step_time_s(total_bytes=total_bytes, buckets=buckets, compute_s=T_pass, **link)
    return T - T_pass


def shared_batch_efficiency(*, ranks: int, batch_s: float, exposed_s: float) -> float:
    """Return the share of their time for which ranks that share one batch compute.

    Also: scaling efficiency
    Formula: $\\frac{T_1}{T_1 + R\\, T_\\text{exposed}}$
    Symbols: R = ranks; T_1 = batch_s; T_exposed = exposed_s
    Chapter: 16

    Args:
        ranks: R.
        batch_s: T_1, what one rank alone would take to compute the whole batch.
        exposed_s: T_exposed, what a step takes beyond computing a rank's share of it, at least 0.

    Returns:
        A share: one rank's time over R times that of R ranks.

    Source: the definition of efficiency for a problem of fixed size.
    Convention: the batch stays the same for every R (strong scaling). With a fixed share for each rank instead (weak
        scaling), T_1 grows with R.
    Leaves out: shares that differ, and matrices that become too small to compute fast.

    Example:
        >>> shared_batch_efficiency(ranks=4, batch_s=12, exposed_s=1)
        0.75
    """
    R = positive_integer("ranks", ranks)
    T_1, T_exposed = positive_number("batch_s", batch_s), nonnegative_number("exposed_s", exposed_s)
    return T_1 / (T_1 + R * T_exposed)


def kth_exponential_s(*, fastest_s: float, excess_s: float, ranks: int, awaited: int) -> float:
    """Return when, on average, the first of several ranks are ready, if their times beyond a minimum are exponential.

    Also: backup workers
    Formula: $T_\\text{least} + T_\\text{more} \\left( \\frac1R + \\dots + \\frac1{R-R_\\text{wait}+1} \\right)$
    Symbols: T_least = fastest_s; T_more = excess_s; R = ranks; R_wait = awaited
    Chapter: 16

    Args:
        fastest_s: T_least, the least that a rank takes, at least 0.
        excess_s: T_more, the mean of what it takes beyond that, at least 0.
        ranks: R, at most 2²⁰.
        awaited: R_wait, how many are waited for, at most R.

    Returns:
        Seconds from a common start. With R_wait = R this is the slowest rank's time.

    Source: the order statistics of exponential times: while j of them run, the next one ends after b/j on average.
    Convention: all ranks start at once, independent of each other.
    Leaves out: ranks that are slow for good, and what the gradients' all-reduce takes.

    Example:
        >>> kth_exponential_s(fastest_s=1, excess_s=0.6, ranks=3, awaited=2)
        1.5
    """
    least, more = nonnegative_number("fastest_s", fastest_s), nonnegative_number("excess_s", excess_s)
    R, R_wait = at_most("ranks", positive_integer("ranks", ranks)), positive_integer("awaited", awaited)
    if R_wait > R:
        raise ValueError(f"awaited must be at most ranks ({R}), got {awaited!r}")
    return least + more * math.fsum(1 / running for running in range(R - R_wait + 1, R + 1))


def stale_step_limit(*, staleness: int, curvature: float) -> float:
    """Return the step size from which descent by stale gradients no longer converges on a quadratic.

    Also: asynchronous SGD, staleness bound
    Formula: $\\frac{2}{\\lambda} \\sin \\frac{\\pi}{2 (2 \\tau + 1)}$
    Symbols: λ = curvature; τ = staleness
    Chapter: 16

    Args:
        staleness: τ, at least 0: how many updates lie between a gradient and the parameters at which it was taken; the
            same for every update.
        curvature: λ.

    Returns:
        The limit of η in θ ← θ − η λ θ, with the θ of τ updates before on the right of the minus. With τ = 0 it is 2/λ.

    Source: the zeros of z^(τ + 1) − z^τ + ηλ reach the unit circle there; Levin and May 1976.
    Convention: plain gradient descent, without momentum.
    Leaves out: staleness that varies, and noise.

    Example:
        >>> stale_step_limit(staleness=0, curvature=4.0), round(stale_step_limit(staleness=1, curvature=4.0), 12)
        (0.5, 0.25)
    """
    τ, λ = nonnegative_integer("staleness", staleness), positive_number("curvature", curvature)
    η = 2 / λ * math.sin(math.pi / (2 * (2 * τ + 1)))
    return as_float("curvature", η)
