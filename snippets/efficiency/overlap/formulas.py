"""Formulas: computing and communicating side by side: what hides, what that takes of the GPU, and the best split."""

from __future__ import annotations

import math
from fractions import Fraction

from snippets.domain import as_float, nonnegative_integer, nonnegative_number, positive_integer, positive_number
from snippets.foundations.hierarchy.memory_levels import STREAMING_MULTIPROCESSORS


def overlapped_share(*, compute_s: float, exchange_s: float) -> float:
    """Return what share of the time two lanes save when they run side by side and not in turn.

    Also: overlap saving
    Formula: $\\frac{\\min(T_\\text{c}, T_\\text{x})}{T_\\text{c} + T_\\text{x}} \\le \\frac12$
    Symbols: T_\\text{c} = compute_s; T_\\text{x} = exchange_s
    Chapter: 33

    Args:
        compute_s: of the one lane, at least 0.
        exchange_s: of the other, at least 0.

    Returns:
        A share of the time in turn, at most 1/2; 0 where neither lane has anything to do.

    Source: derived: the sum less the maximum is the minimum.
    Convention: nothing in one lane waits for anything in the other, and neither slows the other down.
    Leaves out: the first piece and the last, and the SMs that an exchange takes.

    Example:
        >>> overlapped_share(compute_s=6, exchange_s=2)
        0.25
    """
    T_c, T_x = nonnegative_number("compute_s", compute_s), nonnegative_number("exchange_s", exchange_s)
    if T_c == T_x == 0:
        return 0.0
    small, large = sorted((Fraction(T_c), Fraction(T_x)))
    return float(small / (small + large))


def squeezed_compute_s(*, compute_s: float, comm_sms: int, sms: int = STREAMING_MULTIPROCESSORS) -> float:
    """Return how long matmuls take on the SMs that communication leaves them.

    Formula: $\\frac{Z}{Z - z}\\,T_\\text{c}$
    Symbols: Z = sms; z = comm_sms; T_\\text{c} = compute_s
    Chapter: 33

    Args:
        compute_s: their time on all SMs, at least 0.
        comm_sms: SMs that communication keeps all along, at least 0 and below ``sms``.
        sms: of the GPU; an H100 has 132.

    Returns:
        Seconds.

    Source: derived; DeepSeek-AI 2024 sets 20 of 132 SMs apart for communication.
    Convention: work is divided evenly among the SMs that are left, in pieces so small that they fill them.
    Leaves out: matmuls that come in whole waves of blocks; the memory's bandwidth, of which communication takes some.

    Example:
        >>> squeezed_compute_s(compute_s=8, comm_sms=2, sms=10)
        10.0
    """
    T_c, (z, Z) = nonnegative_number("compute_s", compute_s), _split(comm_sms, sms)
    return as_float("compute_s", Fraction(T_c) * Fraction(Z, Z - z))


def sm_exchange_s(*, total_bytes: float, comm_sms: int, sm_bytes_per_s: float, link_bytes_per_s: float) -> float:
    """Return how long an exchange takes that some SMs carry out over one link.

    Formula: $\\frac{n}{\\min(z\\,\\sigma,\\; \\beta)}$
    Symbols: n = total_bytes; z = comm_sms; \\sigma = sm_bytes_per_s; \\beta = link_bytes_per_s
    Chapter: 33

    Args:
        total_bytes: that the GPU sends, at least 0.
        comm_sms: SMs that send them.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries.

    Returns:
        Seconds.

    Source: derived.
    Convention: bytes in one direction; SMs add up until the link is full.
    Leaves out: latency; links of which two are in a row, as in a node and between nodes.

    Example:
        >>> [sm_exchange_s(total_bytes=20, comm_sms=z, sm_bytes_per_s=1, link_bytes_per_s=4) for z in (2, 4, 8)]
        [10.0, 5.0, 5.0]
    """
    n, z = nonnegative_number("total_bytes", total_bytes), positive_integer("comm_sms", comm_sms)
    σ, β = _rates(sm_bytes_per_s, link_bytes_per_s)
    return as_float("total_bytes, sm_bytes_per_s and link_bytes_per_s", Fraction(n) / min(z * σ, β))


def sm_split_time_s(
    *,
    compute_s: float,
    total_bytes: float,
    comm_sms: int,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
    sms: int = STREAMING_MULTIPROCESSORS,
) -> float:
    """Return how long computing and an exchange take side by side if the exchange keeps some of the SMs all along.

    Formula: $\\max\\left(\\frac{Z}{Z - z}\\,T_\\text{c},\\; \\frac{n}{\\min(z\\,\\sigma, \\beta)}\\right)$
    Symbols: Z = sms; z = comm_sms; T_\\text{c} = compute_s; n = total_bytes; \\sigma = sm_bytes_per_s;
        \\beta = link_bytes_per_s
    Chapter: 33

    Args:
        compute_s: the matmuls' time on all SMs, at least 0.
        total_bytes: that the GPU sends, at least 0.
        comm_sms: z, below ``sms``.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries.
        sms: Z of the GPU.

    Returns:
        Seconds.

    Source: derived.
    Convention: as ``squeezed_compute_s`` and ``sm_exchange_s``.
    Leaves out: what runs before the first piece has come and after the last has gone.

    Example:
        >>> small = {"compute_s": 8, "total_bytes": 20, "sm_bytes_per_s": 1, "link_bytes_per_s": 4, "sms": 10}
        >>> [sm_split_time_s(comm_sms=z, **small) for z in (1, 2, 5)]
        [20.0, 10.0, 16.0]
    """
    squeezed = squeezed_compute_s(compute_s=compute_s, comm_sms=comm_sms, sms=sms)
    rates = {"sm_bytes_per_s": sm_bytes_per_s, "link_bytes_per_s": link_bytes_per_s}
    return max(squeezed, sm_exchange_s(total_bytes=total_bytes, comm_sms=comm_sms, **rates))


def least_sm_split_time_s(
    *,
    compute_s: float,
    total_bytes: float,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
    sms: int = STREAMING_MULTIPROCESSORS,
) -> float:
    """Return the least time of computing and an exchange side by side, if SMs could be divided at will.

    At the best split both end together and no SM rests, so that the time is the work of all SMs over their number;
    unless the link is full before.

    Formula: $\\max\\left(T_\\text{c} + \\frac{n}{\\sigma Z},\\; \\frac{n}{\\beta}\\right)$
    Symbols: T_\\text{c} = compute_s; n = total_bytes; \\sigma = sm_bytes_per_s; Z = sms;
        \\beta = link_bytes_per_s
    Chapter: 33

    Args:
        compute_s: the matmuls' time on all SMs, at least 0.
        total_bytes: that the GPU sends, at least 0.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries, less than all SMs together could move.
        sms: Z of the GPU.

    Returns:
        Seconds, a floor for every whole number of SMs.

    Source: derived: both terms of ``sm_split_time_s`` are equal there.
    Convention: as ``sm_split_time_s``.
    Leaves out: as ``sm_split_time_s``; that SMs are whole.

    Example:
        >>> rates = {"sm_bytes_per_s": 1, "link_bytes_per_s": 4, "sms": 10}
        >>> least_sm_split_time_s(compute_s=8, total_bytes=20, **rates)
        10.0
        >>> least_sm_split_time_s(compute_s=1, total_bytes=20, **rates)
        5.0
    """
    T_c, n = nonnegative_number("compute_s", compute_s), nonnegative_number("total_bytes", total_bytes)
    (σ, β), Z = _rates(sm_bytes_per_s, link_bytes_per_s), positive_integer("sms", sms)
    T = max(Fraction(T_c) + Fraction(n) / (σ * Z), Fraction(n) / β)
    return as_float("compute_s, total_bytes, sm_bytes_per_s and link_bytes_per_s", T)


def best_comm_sms(
    *,
    compute_s: float,
    total_bytes: float,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
    sms: int = STREAMING_MULTIPROCESSORS,
) -> int:
    """Return how many SMs to give to an exchange so that it and the matmuls beside it end soonest.

    The share of the SMs is the exchange's share of all work, counted in SM-seconds, but never more than fill the link.

    Formula: $z^* = \\min\\left(\\frac{n}{n + \\sigma Z T_\\text{c}}\\,Z,\\; \\frac{\\beta}{\\sigma}\\right)$
    Symbols: n = total_bytes; \\sigma = sm_bytes_per_s; Z = sms; T_\\text{c} = compute_s;
        \\beta = link_bytes_per_s; z* = the result before rounding to the better neighbour, from 1 to Z − 1
    Chapter: 33

    Args:
        compute_s: the matmuls' time on all SMs, at least 0.
        total_bytes: that the GPU sends, above 0.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries.
        sms: Z of the GPU, at least 2.

    Returns:
        SMs; the fewest, where several are equally good.

    Source: derived.
    Convention: as ``sm_split_time_s``.
    Leaves out: as ``sm_split_time_s``; libraries that take even numbers only.

    Example:
        >>> best_comm_sms(compute_s=8, total_bytes=20, sm_bytes_per_s=1, link_bytes_per_s=4, sms=10)
        2
        >>> best_comm_sms(compute_s=1, total_bytes=20, sm_bytes_per_s=1, link_bytes_per_s=4, sms=10)
        4
    """
    T_c, n = Fraction(nonnegative_number("compute_s", compute_s)), positive_number("total_bytes", total_bytes)
    (σ, β), Z = _rates(sm_bytes_per_s, link_bytes_per_s), positive_integer("sms", sms)
    if Z < 2:
        raise ValueError(f"sms must be at least 2, one of them for the matmuls, got {sms!r}")
    together = min(Fraction(n) / (Fraction(n) + σ * Z * T_c) * Z, β / σ)
    near = math.floor(together)
    tried = [z for z in (near, near + 1) if 1 <= z < Z] or [1 if near < 1 else Z - 1]
    return min(tried, key=lambda z: max(T_c * Z / (Z - z), Fraction(n) / min(z * σ, β)))


def lent_sms_time_s(
    *,
    compute_s: float,
    total_bytes: float,
    comm_sms: int,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
    sms: int = STREAMING_MULTIPROCESSORS,
) -> float:
    """Return how long computing and an exchange take side by side if the matmuls get the SMs back when it is over.

    Formula: $\\max\\left(T_\\text{x},\\; T_\\text{c} + \\frac{z}{Z}\\,T_\\text{x}\\right),\\;
        T_\\text{x} = \\frac{n}{\\min(z\\,\\sigma, \\beta)}$
    Symbols: Z = sms; z = comm_sms; T_\\text{c} = compute_s; n = total_bytes; \\sigma = sm_bytes_per_s;
        \\beta = link_bytes_per_s
    Chapter: 33

    Args:
        compute_s: the matmuls' time on all SMs, at least 0.
        total_bytes: that the GPU sends, at least 0.
        comm_sms: z, below ``sms``.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries.
        sms: Z of the GPU.

    Returns:
        Seconds, at most ``sm_split_time_s`` of the same split.

    Source: derived: while the exchange runs, the matmuls advance at (Z − z)/Z of their speed.
    Convention: all SMs turn to matmuls at the moment at which the exchange is over, at no cost.
    Leaves out: kernels that keep the size with which they were launched.

    Example:
        >>> rates = {"sm_bytes_per_s": 1, "link_bytes_per_s": 5, "sms": 10}
        >>> [lent_sms_time_s(compute_s=8, total_bytes=20, comm_sms=z, **rates) for z in (1, 2, 5, 8)]
        [20.0, 10.0, 10.0, 11.2]
    """
    T_c, (z, Z) = Fraction(nonnegative_number("compute_s", compute_s)), _split(comm_sms, sms)
    n, (σ, β) = Fraction(nonnegative_number("total_bytes", total_bytes)), _rates(sm_bytes_per_s, link_bytes_per_s)
    if z == 0:
        raise ValueError("comm_sms must be at least 1, got 0")
    T_x = n / min(z * σ, β)
    return as_float("compute_s, total_bytes, sm_bytes_per_s and link_bytes_per_s", max(T_x, T_c + Fraction(z, Z) * T_x))


def wave_slowdown(*, blocks: int, comm_sms: int, sms: int = STREAMING_MULTIPROCESSORS) -> float:
    """Return how much longer a matmul of whole blocks takes, one on an SM at a time, without some of the SMs.

    Also: tail effect, wave quantization
    Formula: $\\lceil K / (Z - z) \\rceil \\,/\\, \\lceil K / Z \\rceil$
    Symbols: K = blocks; Z = sms; z = comm_sms
    Chapter: 33

    Args:
        blocks: into which the matmul is cut.
        comm_sms: SMs that communication keeps, at least 0 and below ``sms``.
        sms: of the GPU.

    Returns:
        A factor, at least 1.

    Source: derived; NVIDIA's guide to matmuls calls what is lost wave quantization.
    Convention: equal blocks, and an SM begins the next one when it has ended the last.
    Leaves out: kernels whose blocks share out the work as they find SMs free (persistent ones, Stream-K).

    Example:
        >>> wave_slowdown(blocks=132, comm_sms=24)
        2.0
        >>> round(wave_slowdown(blocks=13_200, comm_sms=24), 2)
        1.23
    """
    K, (z, Z) = positive_integer("blocks", blocks), _split(comm_sms, sms)
    return as_float("blocks", Fraction(-(-K // (Z - z)), -(-K // Z)))


def _split(comm_sms: int, sms: int) -> tuple[int, int]:
    """Return z and Z, of which some are left to the matmuls."""
    Z = positive_integer("sms", sms)
    z = nonnegative_integer("comm_sms", comm_sms)
    if z >= Z:
        raise ValueError(f"comm_sms must be below sms = {Z}, got {comm_sms!r}")
    return z, Z


def _rates(sm_bytes_per_s: float, link_bytes_per_s: float) -> tuple[Fraction, Fraction]:
    """Return σ and β, exact."""
    σ = Fraction(positive_number("sm_bytes_per_s", sm_bytes_per_s))
    return σ, Fraction(positive_number("link_bytes_per_s", link_bytes_per_s))
