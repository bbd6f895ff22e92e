"""Formulas: the time of one message, α + n/β, what follows from it for buckets, and its refinement LogGP.

β is a bandwidth here, in bytes a second and per direction; many papers write β for its inverse.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snippets.domain import as_count, as_float, finite_number, nonnegative_number, positive_integer, positive_number

_RESULT = "latency_s, size_bytes and bandwidth_bytes_per_s"


def _link(latency_s: float, bandwidth_bytes_per_s: float) -> tuple[float, float]:
    """Return α and β."""
    return (
        nonnegative_number("latency_s", latency_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
    )


def message_time_s(*, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return how long one message takes.

    Also: alpha-beta, alpha-beta time, Hockney model, postal model
    Formula: $T(n) = \\alpha + n / \\beta$
    Symbols: n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 5

    Args:
        size_bytes: bytes of the message; 0 is allowed.
        latency_s: what a message of no bytes takes, at least 0.
        bandwidth_bytes_per_s: bytes that follow each other in a second, per direction.

    Returns:
        Seconds.

    Source: Hockney 1994 (t = t₀ + m/r∞).
    Convention: α per message, not per hop; one direction.
    Leaves out: switches of protocol at certain sizes, contention, and what the processor does meanwhile.

    Example:
        >>> message_time_s(size_bytes=1_000_000, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
        2.5e-05
    """
    n, (α, β) = nonnegative_number("size_bytes", size_bytes), _link(latency_s, bandwidth_bytes_per_s)
    return as_float(_RESULT, α + n / β)


def messages_time_s(*, total_bytes: float, messages: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return how long several messages take that follow each other and share out a number of bytes.

    Formula: $T_q = q \\alpha + n / \\beta$
    Symbols: q = messages; n = total_bytes; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 5

    Args:
        total_bytes: bytes of all messages together, however they are shared out, at least 0.
        messages: number of messages.
        latency_s: α of each, at least 0.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        Seconds.

    Source: derived in this book.
    Convention: one after the other on one link.
    Leaves out: overlap of one message's latency with the one before (``loggp_messages_time_s`` has it).

    Example:
        >>> messages_time_s(total_bytes=1_000_000, messages=1000, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
        0.00502
    """
    n, m = nonnegative_number("total_bytes", total_bytes), positive_integer("messages", messages)
    α, β = _link(latency_s, bandwidth_bytes_per_s)
    return as_float("total_bytes, messages, latency_s and bandwidth_bytes_per_s", m * α + n / β)


def shared_link_time_s(*, size_bytes: float, transfers: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return when transfers of one size end that start together and share one link evenly.

    Formula: $T = \\alpha + q n / \\beta$
    Symbols: q = transfers; n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 24

    Args:
        size_bytes: bytes of each transfer, at least 0.
        transfers: how many are in flight at once, in one direction.
        latency_s: α, which they wait for at the same time, at least 0.
        bandwidth_bytes_per_s: β of the link, per direction.

    Returns:
        Seconds until the last one ends.

    Source: derived in this book.
    Convention: two in flight share β; they hide a latency, they do not double the bandwidth.
    Leaves out: a sender that cannot fill the link alone, where a second transfer does help.

    Example:
        >>> shared_link_time_s(size_bytes=1e9, transfers=2, latency_s=0, bandwidth_bytes_per_s=50e9)
        0.04
    """
    n, q = nonnegative_number("size_bytes", size_bytes), positive_integer("transfers", transfers)
    α, β = _link(latency_s, bandwidth_bytes_per_s)
    return as_float(f"transfers, {_RESULT}", α + q * n / β)


def half_bandwidth_bytes(*, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return the size of a message that reaches half of the bandwidth: it waits as long as it moves.

    Also: half-performance message size
    Formula: $n_{1/2} = \\alpha \\beta$
    Symbols: n½ = the result; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 5

    Args:
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        Bytes.

    Source: Hockney 1994.
    Convention: half of the asymptotic bandwidth of one direction.
    Leaves out: what ``message_time_s`` leaves out.

    Example:
        >>> half_bandwidth_bytes(latency_s=2e-6, bandwidth_bytes_per_s=25e9)
        50000.0
    """
    α, β = _link(latency_s, bandwidth_bytes_per_s)
    return as_float("latency_s and bandwidth_bytes_per_s", α * β)


def effective_bandwidth_bytes_per_s(*, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return the bandwidth that messages of one size achieve.

    Formula: $\\frac{n}{\\alpha + n/\\beta} = \\beta \\, \\frac{n}{n + n_{1/2}}$
    Symbols: n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s; n½ = half_bandwidth_bytes
    Chapter: 5

    Args:
        size_bytes: bytes of a message, above 0.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        Bytes per second, at most β.

    Source: Hockney 1994.
    Convention: one direction, one message at a time.
    Leaves out: what ``message_time_s`` leaves out.

    Example:
        >>> effective_bandwidth_bytes_per_s(size_bytes=250_000, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
        25000000000.0
    """
    n, (α, β) = positive_number("size_bytes", size_bytes), _link(latency_s, bandwidth_bytes_per_s)
    return as_float(_RESULT, β * (n / (n + α * β)))


def size_for_efficiency_bytes(*, efficiency: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return the size of a message that achieves a given share of the bandwidth.

    Formula: $n = \\frac{f}{1 - f} \\, n_{1/2}$
    Symbols: f = efficiency; n½ = αβ = half_bandwidth_bytes
    Chapter: 5

    Args:
        efficiency: share of β to reach, from 0 to below 1.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.

    Returns:
        Bytes.

    Source: derived in this book.
    Convention: one direction, one message at a time.
    Leaves out: what ``message_time_s`` leaves out.

    Example:
        >>> size_for_efficiency_bytes(efficiency=0.75, latency_s=2e-6, bandwidth_bytes_per_s=25e9)
        150000.0
    """
    f, (α, β) = finite_number("efficiency", efficiency), _link(latency_s, bandwidth_bytes_per_s)
    if not 0 <= f < 1:
        raise ValueError(f"efficiency must be a number from 0 to below 1, got {efficiency!r}")
    return as_float("efficiency, latency_s and bandwidth_bytes_per_s", f / (1 - f) * α * β)


def bucketed_step_time_s(
    *, total_bytes: float, buckets: int, compute_s: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Return when the last bucket has been sent, if bytes become ready at an even rate and full buckets leave at once.

    The first term is the end of the computation and the last bucket after it; the second is the first bucket's wait
    and then a link that never rests. Buckets are of one size and follow each other on the link.

    Formula: $T(K) = \\max( T_\\text{back} + \\alpha + n / (K \\beta),\\; T_\\text{back} / K + K \\alpha + n / \\beta )$
    Symbols: K = buckets; T_back = compute_s; n = total_bytes; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 5

    Args:
        total_bytes: bytes of all buckets together, such as a step's gradients, at least 0.
        buckets: number of equal buckets.
        compute_s: seconds over which the bytes become ready, such as the backward pass, at least 0.
        latency_s: α of the operation that sends a bucket, at least 0.
        bandwidth_bytes_per_s: β of that operation: bytes of bucket per second.

    Returns:
        Seconds from the start of the computation.

    Source: derived in this book.
    Convention: for an all-reduce take its α and β (chapter 14), not the link's.
    Leaves out: layers of different size, and what communication takes from computation.

    Example:
        >>> bucketed_step_time_s(
        ...     total_bytes=1e9, buckets=10, compute_s=0.25, latency_s=0.125, bandwidth_bytes_per_s=50e9
        ... )
        1.295
    """
    n, C = nonnegative_number("total_bytes", total_bytes), nonnegative_number("compute_s", compute_s)
    k, (α, β) = positive_integer("buckets", buckets), _link(latency_s, bandwidth_bytes_per_s)
    time = max(C + α + n / k / β, C / k + k * α + n / β)
    return as_float("total_bytes, buckets, compute_s, latency_s and bandwidth_bytes_per_s", time)


def best_buckets(*, total_bytes: float, compute_s: float, latency_s: float, bandwidth_bytes_per_s: float) -> int:
    """Return the number of buckets with which ``bucketed_step_time_s`` is least; the fewest, where several are.

    Up to (C − n/β)/α buckets the link rests between them, and smaller buckets only shorten the last one. Beyond, the
    link never rests, and kα grows while the first bucket's wait C/k falls.

    Formula: $K^* = \\max\\left( \\sqrt{T_\\text{back}/\\alpha},\\; \\frac{T_\\text{back} - n/\\beta}{\\alpha} \\right)$
    Symbols: K* = the result before rounding (to the better neighbour, at least 1); T_back = compute_s;
        n = total_bytes; α = latency_s; β = bandwidth_bytes_per_s
    Chapter: 5

    Args:
        total_bytes: bytes of all buckets together, at least 0.
        compute_s: seconds over which they become ready, at least 0.
        latency_s: α of the operation that sends a bucket, above 0: with α = 0 smaller is always better.
        bandwidth_bytes_per_s: β of that operation.

    Returns:
        The best number of buckets; the best bucket has total_bytes divided by it.

    Source: derived in this book.
    Convention: as ``bucketed_step_time_s``.
    Leaves out: as ``bucketed_step_time_s``.

    Example:
        >>> best_buckets(total_bytes=1e9, compute_s=0.1, latency_s=1e-4, bandwidth_bytes_per_s=50e9)
        800
        >>> best_buckets(total_bytes=1e9, compute_s=0.01, latency_s=1e-4, bandwidth_bytes_per_s=50e9)
        10
    """
    n, C = (Fraction(nonnegative_number(*given)) for given in (("total_bytes", total_bytes), ("compute_s", compute_s)))
    α = Fraction(positive_number("latency_s", latency_s))
    β = Fraction(positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s))
    if n == 0:
        return 1
    near = max(1, math.floor((C - n / β) / α), math.isqrt(math.floor(C / α)))
    as_count("compute_s and latency_s", near)
    return min((near, near + 1), key=lambda k: max(C + α + n / k / β, C / k + k * α + n / β))


def logp_messages_time_s(*, messages: int, latency_s: float, overhead_s: float, gap_s: float) -> float:
    """Return when the last of several short messages has been received, in the LogP model.

    Also: LogP
    Formula: $T_q = (q - 1) \\max(G, o) + o + J + o$
    Symbols: q = messages; J = the network's latency_s (the paper's L); o = overhead_s; G = gap_s (its g)
    Chapter: 5

    Args:
        messages: number of messages from one processor to another.
        latency_s: L, on the network, at least 0.
        overhead_s: o, the time that a processor is busy with sending, or receiving, one message, at least 0.
        gap_s: g, the least time between two messages of one processor, at least 0.

    Returns:
        Seconds.

    Source: Culler et al., "LogP: towards a realistic model of parallel computation", 1993.
    Convention: short messages of one fixed size. The receiver keeps pace: it takes a message every max(g, o).
    Leaves out: the limit of ⌈L/g⌉ messages in flight.

    Example:
        >>> logp_messages_time_s(messages=3, latency_s=6, overhead_s=2, gap_s=4)
        18.0
    """
    m, L = positive_integer("messages", messages), nonnegative_number("latency_s", latency_s)
    o, g = nonnegative_number("overhead_s", overhead_s), nonnegative_number("gap_s", gap_s)
    return as_float("messages, latency_s, overhead_s and gap_s", (m - 1) * max(g, o) + o + L + o)


def loggp_message_time_s(*, size_bytes: int, latency_s: float, overhead_s: float, gap_s_per_byte: float) -> float:
    """Return how long one long message takes in the LogGP model.

    As α + n/β it has α = L + 2o − G and β = 1/G. Of α only 2o keep processors busy.

    Also: LogGP
    Formula: $T(n) = o + (n - 1)\\, \\gamma_\\text{gap} + J + o$
    Symbols: n = size_bytes; J = the network's latency_s; o = overhead_s; γ_gap = gap_s_per_byte
    Chapter: 5

    Args:
        size_bytes: bytes of the message, at least 1.
        latency_s: L, on the network, at least 0.
        overhead_s: o, the time that a processor is busy with sending, or receiving, one message, at least 0.
        gap_s_per_byte: G, the time that each further byte takes, at least 0.

    Returns:
        Seconds.

    Source: Alexandrov, Ionescu, Schauser and Scheiman, "LogGP", 1995.
    Convention: the first byte's gap is part of the overhead.
    Leaves out: g, the gap between messages, which one message does not meet.

    Example:
        >>> loggp_message_time_s(size_bytes=1001, latency_s=6, overhead_s=2, gap_s_per_byte=0.5)
        510.0
    """
    n, L = positive_integer("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    o, G = nonnegative_number("overhead_s", overhead_s), nonnegative_number("gap_s_per_byte", gap_s_per_byte)
    return as_float("size_bytes, latency_s, overhead_s and gap_s_per_byte", o + (n - 1) * G + L + o)
