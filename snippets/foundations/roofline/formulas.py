"""Formulas: the roofline: how fast an operation can be, given what it computes, reads, writes and sends."""

from __future__ import annotations

import math
from fractions import Fraction

from snippets.domain import as_float, nonnegative_number, positive_integer, positive_number

CEILINGS = ("compute", "memory", "network")


def roofline_flops_per_s(*, flops_per_byte: float, peak_flops_per_s: float, bandwidth_bytes_per_s: float) -> float:
    """Return the highest rate that an operation of some arithmetic intensity can reach.

    Also: attainable performance
    Formula: $F / T = \\min(P, I \\beta)$
    Symbols: F / T = result; I = flops_per_byte; P = peak_flops_per_s; \\beta = bandwidth_bytes_per_s
    Chapter: 2

    Args:
        flops_per_byte: operations for each byte that moves.
        peak_flops_per_s: what the device computes in a second at best.
        bandwidth_bytes_per_s: bytes that move in a second at best: of the memory, or of a link in one direction.

    Returns:
        Operations a second.

    Source: Williams, Waterman and Patterson 2009, section "The roofline model".
    Convention: the two overlap perfectly: while the one goes on, so does the other.
    Leaves out: latencies, and whatever a program moves or computes besides.

    Example:
        >>> roofline_flops_per_s(flops_per_byte=2, peak_flops_per_s=100, bandwidth_bytes_per_s=10)
        20.0
    """
    intensity, peak = (
        positive_number("flops_per_byte", flops_per_byte),
        positive_number("peak_flops_per_s", peak_flops_per_s),
    )
    bandwidth = positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    return min(peak, intensity * bandwidth)


def ceiling_times_s(
    *,
    flops: float,
    memory_bytes: float,
    sent_bytes: float = 0,
    peak_flops_per_s: float,
    memory_bytes_per_s: float,
    network_bytes_per_s: float = math.inf,
) -> dict[str, float]:
    """Return what each of the three ceilings alone would let an operation take.

    Formula: $T_{\\text{compute}} = F / P, \\quad T_{\\text{memory}} = Q / \\beta_{\\text{mem}}, \\quad
        T_{\\text{network}} = Q_\\beta / \\beta$
    Symbols: T = result; F = flops; Q = bytes through memory, memory_bytes; Q_\\beta = sent_bytes; P = peak_flops_per_s;
        \\beta_{\\text{mem}} = memory_bytes_per_s; \\beta = network_bytes_per_s
    Chapter: 2

    Args:
        flops: operations of one device, at least 0.
        memory_bytes: what it reads from its memory and writes to it, at least 0.
        sent_bytes: what it sends to others, at least 0.
        peak_flops_per_s: operations a second at best.
        memory_bytes_per_s: bytes a second between memory and chip at best.
        network_bytes_per_s: bytes a second in one direction at best; may be infinite where nothing is sent.

    Returns:
        Seconds, by the names in ``CEILINGS``.

    Source: Williams, Waterman and Patterson 2009 for the first two; the third is one more term of the same kind.
    Convention: per device, sent in one direction.
    Leaves out: latencies.

    Example:
        >>> ceiling_times_s(flops=100, memory_bytes=10, peak_flops_per_s=50, memory_bytes_per_s=10)
        {'compute': 2.0, 'memory': 1.0, 'network': 0.0}
    """
    network = network_bytes_per_s
    if not (isinstance(network, float) and network == math.inf):
        network = positive_number("network_bytes_per_s", network)
    pairs = {
        "compute": ("flops", flops, "peak_flops_per_s", peak_flops_per_s),
        "memory": ("memory_bytes", memory_bytes, "memory_bytes_per_s", memory_bytes_per_s),
    }
    times = {
        ceiling: as_float(
            f"{name} and {per}", Fraction(nonnegative_number(name, amount)) / Fraction(positive_number(per, rate))
        )
        for ceiling, (name, amount, per, rate) in pairs.items()
    }
    return {**times, "network": nonnegative_number("sent_bytes", sent_bytes) / network}


def roofline_time_s(
    *,
    flops: float,
    memory_bytes: float,
    sent_bytes: float = 0,
    peak_flops_per_s: float,
    memory_bytes_per_s: float,
    network_bytes_per_s: float = math.inf,
) -> float:
    """Return the least time that an operation can take under three ceilings.

    Formula: $T = \\max(F / P, Q / \\beta_{\\text{mem}}, Q_\\beta / \\beta)$
    Symbols: T = result; F = flops; Q = bytes through memory, memory_bytes; Q_\\beta = sent_bytes; P = peak_flops_per_s;
        \\beta_{\\text{mem}} = memory_bytes_per_s; \\beta = network_bytes_per_s
    Chapter: 2

    Args:
        flops: operations of one device, at least 0.
        memory_bytes: what it reads from its memory and writes to it, at least 0.
        sent_bytes: what it sends to others, at least 0.
        peak_flops_per_s: operations a second at best.
        memory_bytes_per_s: bytes a second between memory and chip at best.
        network_bytes_per_s: bytes a second in one direction at best; may be infinite where nothing is sent.

    Returns:
        Seconds.

    Source: Williams, Waterman and Patterson 2009 for the first two; the third is one more term of the same kind.
    Convention: all three overlap perfectly. If nothing overlaps, the time is the sum, at most three times as long.
    Leaves out: latencies.

    Example:
        >>> roofline_time_s(flops=100, memory_bytes=10, peak_flops_per_s=50, memory_bytes_per_s=10)
        2.0
    """
    times = ceiling_times_s(
        flops=flops,
        memory_bytes=memory_bytes,
        sent_bytes=sent_bytes,
        peak_flops_per_s=peak_flops_per_s,
        memory_bytes_per_s=memory_bytes_per_s,
        network_bytes_per_s=network_bytes_per_s,
    )
    return max(times.values())


def compute_bound_batch(
    *,
    k: int,
    n: int,
    peak_flops_per_s: float,
    bandwidth_bytes_per_s: float,
    weight_bytes: float = 2,
    activation_bytes: float = 2,
) -> float:
    """Return from how many rows on a product with k × n weights keeps the arithmetic busy.

    Formula: $m^* = \\frac{w_{\\text{p}}}{2 \\beta_{\\text{mem}} / P - w_X (1/k + 1/n)}$
    Symbols: m^* = result; k, n = the arguments; P = peak_flops_per_s;
        \\beta_{\\text{mem}} = bandwidth_bytes_per_s; w_{\\text{p}} = weight_bytes; w_X = activation_bytes
    Chapter: 2

    Args:
        k: features that come in.
        n: features that go out.
        peak_flops_per_s: operations a second at best.
        bandwidth_bytes_per_s: bytes a second between memory and chip at best.
        weight_bytes: bytes of one weight.
        activation_bytes: bytes of one number that comes in or goes out.

    Returns:
        Rows (tokens), not rounded; infinite where the layer is so narrow that no batch is large enough.

    Source: derived in this book from F/P = Q/β_mem; Austin et al. 2025, chapter 1, leave the activations out.
    Convention: each number is read or written once.
    Leaves out: caches that are too small for that, and what of both peaks a kernel reaches.

    Example:
        >>> round(compute_bound_batch(k=14336, n=4096, peak_flops_per_s=989.4e12, bandwidth_bytes_per_s=3.35e12), 1)
        325.5
    """
    k, n = positive_integer("k", k), positive_integer("n", n)
    peak = Fraction(positive_number("peak_flops_per_s", peak_flops_per_s))
    bandwidth = Fraction(positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s))
    weights = Fraction(positive_number("weight_bytes", weight_bytes))
    activations = Fraction(positive_number("activation_bytes", activation_bytes))
    room = 2 * bandwidth / peak - activations * (Fraction(1, k) + Fraction(1, n))
    return as_float("k, n, weight_bytes, activation_bytes and both rates", weights / room) if room > 0 else math.inf


def k_split_flops_per_sent_byte(*, k: int, ranks: int, element_bytes: float = 2) -> float:
    """Return how many operations a rank does for each byte that it sends when the shared dimension is cut.

    Formula: $I_\\beta = \\frac{k}{w (R - 1)}$
    Symbols: I_\\beta = result; k = the argument; R = ranks; w = element_bytes
    Chapter: 2

    Args:
        k: the shared dimension of the whole product.
        ranks: R, among which it is cut; they add their partial products by a ring all-reduce.
        element_bytes: bytes of one number of the partial products.

    Returns:
        FLOP a byte sent, in one direction; infinite for one rank, which sends nothing.

    Source: derived in this book: 2mkn/R operations over 2(R − 1)/R · mn · w bytes.
    Convention: sent per rank; a ring all-reduce, with the sum on all ranks.
    Leaves out: the additions, and latency.

    Example:
        >>> k_split_flops_per_sent_byte(k=14336, ranks=8)
        1024.0
    """
    k, ranks = positive_integer("k", k), positive_integer("ranks", ranks)
    sent = Fraction(positive_number("element_bytes", element_bytes)) * (ranks - 1)
    return as_float("k, ranks and element_bytes", k / sent) if sent else math.inf


def tiled_gemm_words(*, m: int, k: int, n: int, tile_rows: int, tile_columns: int) -> int:
    """Return the numbers that a product reads and writes if it makes its result tile by tile.

    Formula: $Q / w = mk \\lceil n / n_{\\text{tile}} \\rceil + kn \\lceil m / m_{\\text{tile}} \\rceil + mn$
    Symbols: Q / w = result; m, k, n = the arguments; m_{\\text{tile}} = tile_rows; n_{\\text{tile}} = tile_columns
    Chapter: 2

    Args:
        m: rows of X.
        k: the shared dimension.
        n: columns of W.
        tile_rows: rows of a tile of Y; the last tiles may have fewer.
        tile_columns: columns of a tile of Y.

    Returns:
        Numbers, not bytes.

    Source: derived in this book; the classic bound that such tiles approach is in Hong and Kung 1981.
    Convention: a tile of Y stays in fast memory while a strip of X and a strip of W pass by.
    Leaves out: what other tiles have left in the fast memory.

    Example:
        >>> tiled_gemm_words(m=4, k=4, n=4, tile_rows=2, tile_columns=2)
        80
        >>> tiled_gemm_words(m=4, k=4, n=4, tile_rows=1, tile_columns=1)
        144
    """
    m, k, n = positive_integer("m", m), positive_integer("k", k), positive_integer("n", n)
    rows, columns = positive_integer("tile_rows", tile_rows), positive_integer("tile_columns", tile_columns)
    return m * k * -(-n // columns) + k * n * -(-m // rows) + m * n
