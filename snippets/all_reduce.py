"""Formulas: bytes and times of the all-reduces that have a name, as they are printed: R ranks, n bytes, even chunks.

What is uneven, and every other primitive, algorithm and number of ranks, ``snippets.collectives.algorithm_costs``
counts exactly. The bytes are those that follow each other on the slowest path; n is the vector that every rank brings
and ends with. A time is α for every step, 1/β for every byte on that path, and γ for every byte that is added on it.
"""

from __future__ import annotations

import math

from snippets.domain import as_float, nonnegative_number, positive_integer, positive_number
from snippets.simulation.double_tree import double_tree_rounds


def _power_of_two(ranks: int) -> int:
    count = positive_integer("ranks", ranks)
    if count & (count - 1):
        raise ValueError(f"ranks must be a power of two (algorithm_cost takes any number), got {ranks!r}")
    return count


def _link(latency_s: float, bandwidth_bytes_per_s: float, reduction_s_per_byte: float) -> tuple[float, float, float]:
    """Return α, β and γ."""
    return (
        nonnegative_number("latency_s", latency_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
        nonnegative_number("reduction_s_per_byte", reduction_s_per_byte),
    )


def ring_all_reduce_bytes(*, ranks: int, size_bytes: float) -> float:
    """Return what every rank of a ring sends: a reduce-scatter and an all-gather of R chunks.

    Formula: $2 \\frac{R-1}{R} n$
    Symbols: R = ranks; n = size_bytes
    Chapter: 13

    Args:
        ranks: number of ranks.
        size_bytes: bytes of the vector, at least 0.

    Returns:
        Bytes that one rank sends; it receives as many.

    Source: Patarasuk and Yuan 2009.
    Convention: sent by one rank, in one direction.
    Leaves out: chunks of different length (``collective_traffic`` counts them).

    Example:
        >>> ring_all_reduce_bytes(ranks=8, size_bytes=14e9)
        24500000000.0
    """
    R, n = positive_integer("ranks", ranks), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes", 2 * (R - 1) / R * n)


def ring_all_reduce_time_s(
    *,
    ranks: int,
    size_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> float:
    """Return the time of a ring: in each of 2(R − 1) steps every rank sends one chunk of R.

    Formula: $2 (R-1) \\left( \\alpha + \\frac{n}{R \\beta} \\right) + \\frac{R-1}{R} n \\gamma$
    Symbols: R = ranks; n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 13

    Args:
        ranks: number of ranks.
        size_bytes: bytes of the vector, at least 0.
        latency_s: seconds before the first byte of a message arrives, at least 0.
        bandwidth_bytes_per_s: of one rank's port in one direction.
        reduction_s_per_byte: seconds to add one received byte to one's own; 0 leaves it out.

    Returns:
        Seconds.

    Source: Patarasuk and Yuan 2009; Thakur, Rabenseifner and Gropp 2005.
    Convention: single port, full duplex.
    Leaves out: chunks of different length, contention, overlap of adding with sending.

    Example:
        >>> ring_all_reduce_time_s(ranks=256, size_bytes=10e9, latency_s=1e-5, bandwidth_bytes_per_s=50e9)
        0.40353...
    """
    R, n = positive_integer("ranks", ranks), nonnegative_number("size_bytes", size_bytes)
    α, β, γ = _link(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    time = 2 * (R - 1) * (α + n / R / β) + (R - 1) / R * n * γ
    return as_float("size_bytes, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", time)


def tree_all_reduce_bytes(*, ranks: int, size_bytes: float) -> float:
    """Return what follows each other on the wire of a binomial tree: the whole vector in every step up and down.

    Formula: $2 \\lceil \\log_2 R \\rceil n$
    Symbols: R = ranks; n = size_bytes
    Chapter: 13

    Args:
        ranks: number of ranks.
        size_bytes: bytes of the vector, at least 0.

    Returns:
        Bytes on the slowest path, the root's.

    Source: Thakur, Rabenseifner and Gropp 2005.
    Convention: the root's, in one direction at a time; most ranks send the vector once.
    Leaves out: pipelining (``double_tree_all_reduce_bytes``).

    Example:
        >>> tree_all_reduce_bytes(ranks=256, size_bytes=10e9)
        160000000000.0
    """
    R, n = positive_integer("ranks", ranks), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes", 2 * math.ceil(math.log2(R)) * n)


def tree_all_reduce_time_s(
    *,
    ranks: int,
    size_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> float:
    """Return the time of a binomial tree: a reduce to the root and a broadcast from it.

    Formula: $S (\\alpha + \\frac{n}{\\beta} + \\frac{n \\gamma}{2}), \\quad S = 2 \\lceil \\log_2 R \\rceil$
    Symbols: S = steps; R = ranks; n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s;
        γ = reduction_s_per_byte
    Chapter: 13

    Args:
        ranks: number of ranks.
        size_bytes: bytes of the vector, at least 0.
        latency_s: seconds before the first byte of a message arrives, at least 0.
        bandwidth_bytes_per_s: of one rank's port in one direction.
        reduction_s_per_byte: seconds to add one received byte to one's own; 0 leaves it out.

    Returns:
        Seconds.

    Source: Thakur, Rabenseifner and Gropp 2005.
    Convention: single port, full duplex.
    Leaves out: contention, overlap of adding with sending.

    Example:
        >>> tree_all_reduce_time_s(ranks=256, size_bytes=10e9, latency_s=1e-5, bandwidth_bytes_per_s=50e9)
        3.20016...
    """
    R, n = positive_integer("ranks", ranks), nonnegative_number("size_bytes", size_bytes)
    α, β, γ = _link(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    S = 2 * math.ceil(math.log2(R))
    time = S * (α + n / β + n * γ / 2)
    return as_float("size_bytes, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", time)


def recursive_doubling_all_reduce_bytes(*, ranks: int, size_bytes: float) -> float:
    """Return what every rank of recursive doubling (a butterfly) sends: the whole vector in every step.

    Also: butterfly all-reduce
    Formula: $n \\log_2 R$
    Symbols: R = ranks; n = size_bytes
    Chapter: 13

    Args:
        ranks: number of ranks, a power of two.
        size_bytes: bytes of the vector, at least 0.

    Returns:
        Bytes that one rank sends; it receives as many.

    Source: Thakur, Rabenseifner and Gropp 2005.
    Convention: sent by one rank, in one direction.
    Leaves out: other numbers of ranks, which fold first.

    Example:
        >>> recursive_doubling_all_reduce_bytes(ranks=256, size_bytes=10e3)
        80000.0
    """
    R, n = _power_of_two(ranks), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes", n * math.log2(R))


def recursive_doubling_all_reduce_time_s(
    *,
    ranks: int,
    size_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> float:
    """Return the time of recursive doubling (a butterfly): log₂N exchanges of the whole vector.

    Also: butterfly all-reduce time
    Formula: $\\log_2 R \\left( \\alpha + \\frac{n}{\\beta} + n \\gamma \\right)$
    Symbols: R = ranks; n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 13

    Args:
        ranks: number of ranks, a power of two.
        size_bytes: bytes of the vector, at least 0.
        latency_s: seconds before the first byte of a message arrives, at least 0.
        bandwidth_bytes_per_s: of one rank's port in one direction.
        reduction_s_per_byte: seconds to add one received byte to one's own; 0 leaves it out.

    Returns:
        Seconds.

    Source: Thakur, Rabenseifner and Gropp 2005.
    Convention: single port, full duplex.
    Leaves out: other numbers of ranks, which fold first; contention.

    Example:
        >>> recursive_doubling_all_reduce_time_s(ranks=256, size_bytes=10e3, latency_s=1e-5, bandwidth_bytes_per_s=50e9)
        8.16e-05
    """
    R, n = _power_of_two(ranks), nonnegative_number("size_bytes", size_bytes)
    α, β, γ = _link(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    time = math.log2(R) * (α + n / β + n * γ)
    return as_float("size_bytes, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", time)


def halving_doubling_all_reduce_bytes(*, ranks: int, size_bytes: float) -> float:
    """Return what every rank of halving–doubling (Rabenseifner's algorithm) sends: as little as in a ring.

    Also: Rabenseifner, recursive halving and doubling
    Formula: $2 \\frac{R-1}{R} n$
    Symbols: R = ranks; n = size_bytes
    Chapter: 13

    Args:
        ranks: number of ranks, a power of two.
        size_bytes: bytes of the vector, at least 0.

    Returns:
        Bytes that one rank sends; it receives as many.

    Source: Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005.
    Convention: sent by one rank, in one direction.
    Leaves out: other numbers of ranks, which fold first and send about twice as much.

    Example:
        >>> halving_doubling_all_reduce_bytes(ranks=8, size_bytes=14e9)
        24500000000.0
    """
    R, n = _power_of_two(ranks), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes", 2 * (R - 1) / R * n)


def halving_doubling_all_reduce_time_s(
    *,
    ranks: int,
    size_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> float:
    """Return the time of halving–doubling (Rabenseifner's algorithm): halves, quarters, … to 1/R, and back.

    Also: Rabenseifner, recursive halving and doubling
    Formula: $2 \\log_2 R \\, \\alpha + 2 \\frac{R-1}{R} \\frac{n}{\\beta} + \\frac{R-1}{R} n \\gamma$
    Symbols: R = ranks; n = size_bytes; α = latency_s; β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 13

    Args:
        ranks: number of ranks, a power of two.
        size_bytes: bytes of the vector, at least 0.
        latency_s: seconds before the first byte of a message arrives, at least 0.
        bandwidth_bytes_per_s: of one rank's port in one direction.
        reduction_s_per_byte: seconds to add one received byte to one's own; 0 leaves it out.

    Returns:
        Seconds.

    Source: Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005.
    Convention: single port, full duplex.
    Leaves out: other numbers of ranks, which fold first; contention.

    Example:
        >>> halving_doubling_all_reduce_time_s(ranks=256, size_bytes=10e9, latency_s=1e-5, bandwidth_bytes_per_s=50e9)
        0.39859...
    """
    R, n = _power_of_two(ranks), nonnegative_number("size_bytes", size_bytes)
    α, β, γ = _link(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    time = 2 * math.log2(R) * α + 2 * (R - 1) / R * n / β + (R - 1) / R * n * γ
    return as_float("size_bytes, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", time)


def double_tree_all_reduce_bytes(*, ranks: int, size_bytes: float, segments: int) -> float:
    """Return what follows each other on the wire of a double binary tree: a block of a half in every step.

    Formula: $2 \\bigl(S_1 + 2 (K-1)\\bigr) \\frac{n}{2 K}$
    Symbols: S_1 = double_tree_rounds of one block, about 2 log₂ R; K = segments; n = size_bytes
    Chapter: 13

    Args:
        ranks: number of ranks, at least 2.
        size_bytes: bytes of the vector, at least 0.
        segments: blocks into which each tree's half is cut.

    Returns:
        Bytes on the slowest path; towards 2n with many blocks.

    Source: Sanders, Speck and Träff 2009.
    Convention: in one direction.
    Leaves out: blocks of different length.

    Example:
        >>> double_tree_all_reduce_bytes(ranks=256, size_bytes=10e9, segments=64) / 10e9
        2.21875
    """
    S_1, n = double_tree_rounds(ranks=_at_least_two(ranks), segments=1), nonnegative_number("size_bytes", size_bytes)
    K = positive_integer("segments", segments)
    return as_float("size_bytes", 2 * (S_1 + 2 * (K - 1)) * (n / (2 * K)))


def double_tree_all_reduce_time_s(
    *,
    ranks: int,
    size_bytes: float,
    segments: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> float:
    """Return the time of a double binary tree: blocks of half the vector, up two trees at once and down again.

    Formula: $2 \\bigl(S_1 + 2 (K-1)\\bigr) \\left( \\alpha + \\frac{n}{2 K \\beta} + \\frac{n \\gamma}{4 K} \\right)$
    Symbols: S_1 = double_tree_rounds of one block, about 2 log₂ R; K = segments; n = size_bytes; α = latency_s;
        β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 13

    Args:
        ranks: number of ranks, at least 2.
        size_bytes: bytes of the vector, at least 0.
        segments: blocks into which each tree's half is cut.
        latency_s: seconds before the first byte of a message arrives, at least 0.
        bandwidth_bytes_per_s: of one rank's port in one direction.
        reduction_s_per_byte: seconds to add one received byte to one's own; 0 leaves it out. Blocks are added on their
            way up alone.

    Returns:
        Seconds.

    Source: Sanders, Speck and Träff 2009.
    Convention: single port, full duplex.
    Leaves out: blocks of different length, contention.

    Example:
        >>> double_tree_all_reduce_time_s(
        ...     ranks=256, size_bytes=10e9, segments=64, latency_s=1e-5, bandwidth_bytes_per_s=50e9
        ... )
        0.44659...
    """
    S_1, n = double_tree_rounds(ranks=_at_least_two(ranks), segments=1), nonnegative_number("size_bytes", size_bytes)
    K = positive_integer("segments", segments)
    α, β, γ = _link(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    time = 2 * (S_1 + 2 * (K - 1)) * (α + n / (2 * K) / β + n * γ / (4 * K))
    return as_float("size_bytes, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", time)


def _at_least_two(ranks: int) -> int:
    if positive_integer("ranks", ranks) < 2:
        raise ValueError(f"ranks must be an integer of at least 2, got {ranks!r}")
    return ranks
