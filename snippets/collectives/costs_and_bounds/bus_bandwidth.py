"""Formulas: algorithm and bus bandwidth as nccl-tests reports them, the bound behind them, and switches that add."""

from __future__ import annotations

from snippets.domain import as_float, integer_at_least, named, nonnegative_number, positive_integer, positive_number
from snippets.simulation.schedule import PRIMITIVES


def bus_bandwidth_factor(primitive: str, *, ranks: int) -> float:
    """Return what nccl-tests multiplies algorithm bandwidth with to get bus bandwidth.

    The factor is the bound on bytes of ``collective_lower_bound`` over n: bus bandwidth is what each port carries if
    the algorithm meets that bound, whatever R is. An algorithm that moves more, or a network that reduces, carries
    something else.

    Formula: $2 \\frac{R-1}{R}, \\quad \\frac{R-1}{R} \\quad \\text{or} \\quad 1$
    Symbols: R = ranks; for all-reduce, then for all-gather, reduce-scatter, all-to-all, scatter and gather, then for
        broadcast and reduce
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES`` but the barrier.
        ranks: number of ranks.

    Returns:
        The factor.

    Source: NVIDIA nccl-tests, doc/PERFORMANCE.md; for scatter and gather its source files of these names.
    Convention: the size is n of ``snippets.simulation.schedule``: for all-gather the result, for reduce-scatter the
        input, for all-to-all one rank's buffer.
    Leaves out: which algorithm really ran.

    Example:
        >>> bus_bandwidth_factor("all_reduce", ranks=8)
        1.75
    """
    primitive = named("primitive", primitive, (name for name in PRIMITIVES if name != "barrier"))
    R = positive_integer("ranks", ranks)
    if primitive in ("broadcast", "reduce"):
        return 1.0
    return 2 * (R - 1) / R if primitive == "all_reduce" else (R - 1) / R


def algorithm_bandwidth_bytes_per_s(*, size_bytes: float, time_s: float) -> float:
    """Return the bandwidth that the caller of a collective sees.

    Also: algbw
    Formula: $n / T$
    Symbols: n = size_bytes; T = time_s
    Chapter: 14

    Args:
        size_bytes: bytes of the vector, in the convention of ``snippets.simulation.schedule``, at least 0.
        time_s: measured time, above 0.

    Returns:
        Bytes per second: "algbw".

    Source: NVIDIA nccl-tests, doc/PERFORMANCE.md.
    Convention: size of the vector over time, whatever crossed the wire.
    Leaves out: the number of ranks; compare ``bus_bandwidth_bytes_per_s`` across sizes of machine.

    Example:
        >>> algorithm_bandwidth_bytes_per_s(size_bytes=1e9, time_s=0.01)
        100000000000.0
    """
    n, T = nonnegative_number("size_bytes", size_bytes), positive_number("time_s", time_s)
    return as_float("size_bytes and time_s", n / T)


def bus_bandwidth_bytes_per_s(primitive: str, *, ranks: int, size_bytes: float, time_s: float) -> float:
    """Return the bandwidth to hold against a link's.

    Also: busbw
    Formula: $f(R) \\, n / T$
    Symbols: f(R) = bus_bandwidth_factor; n = size_bytes; T = time_s
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES`` but the barrier.
        ranks: number of ranks R.
        size_bytes: bytes of the vector, in the convention of ``snippets.simulation.schedule``, at least 0.
        time_s: measured time, above 0.

    Returns:
        Bytes per second: "busbw".

    Source: NVIDIA nccl-tests, doc/PERFORMANCE.md.
    Convention: per direction: hold it against a link's bandwidth each way.
    Leaves out: which algorithm ran. With reduction in the network it can exceed the link's bandwidth.

    Example:
        >>> bus_bandwidth_bytes_per_s("all_reduce", ranks=8, size_bytes=1e9, time_s=0.01)
        175000000000.0
    """
    factor = bus_bandwidth_factor(primitive, ranks=ranks)
    n, T = nonnegative_number("size_bytes", size_bytes), positive_number("time_s", time_s)
    return as_float("size_bytes and time_s", factor * n / T)


def bandwidth_bound_s(primitive: str, *, ranks: int, size_bytes: float, bandwidth_bytes_per_s: float) -> float:
    """Return the time below which no schedule of the ranks can do a collective: its bytes at full bandwidth.

    Formula: $T \\ge f(R) \\, n / \\beta$
    Symbols: f(R) = bus_bandwidth_factor; n = size_bytes; β = bandwidth_bytes_per_s
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES`` but the barrier.
        ranks: number of ranks R.
        size_bytes: bytes of the vector, in the convention of ``snippets.simulation.schedule``, at least 0.
        bandwidth_bytes_per_s: β of one rank's port **per direction**: 300 GB/s, not 600, for an A100's NVLink.

    Returns:
        Seconds. (For broadcast and reduce of one rank nothing moves; the factor of 1 does not say so.)

    Source: NVIDIA nccl-tests, doc/PERFORMANCE.md (t = 2S(n−1)/(nB)).
    Convention: per direction, single port, full duplex.
    Leaves out: latency (``collective_lower_bound`` has it), reduction in the network.

    Example:
        >>> round(bandwidth_bound_s("all_reduce", ranks=8, size_bytes=14e9, bandwidth_bytes_per_s=300e9), 6)
        0.081667
    """
    factor = bus_bandwidth_factor(primitive, ranks=ranks)
    n, β = nonnegative_number("size_bytes", size_bytes), positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    return as_float("size_bytes and bandwidth_bytes_per_s", factor * n / β)


def nvls_all_reduce_bytes(*, ranks: int, size_bytes: float) -> float:
    """Return the bytes that go out of a port, and as many that come in, when NVLink's switches add and copy (NVLS).

    Every rank owns 1/R of the vector. It reads the sum of its part from the switches, for which every rank sends all n
    bytes and receives n/R; then it writes the sum once, and the switches copy it to all: n/R out and n in.

    Also: SHARP, in-network reduction
    Formula: $\\frac{R+1}{R} \\, n$
    Symbols: R = ranks; n = size_bytes
    Chapter: 14

    Args:
        ranks: number of ranks R, at least 2.
        size_bytes: bytes of the vector, at least 0.

    Returns:
        Bytes each way.

    Source: S. Jeaugey in pull request 239 of NVIDIA's nccl-tests: the algorithm bandwidth is n/(n+1) of the wire's.
    Convention: per direction; a rank's own part passes the switches too.
    Leaves out: SHARP in InfiniBand switches, where a port sends n and receives n; headers and acknowledgements.

    Example:
        >>> nvls_all_reduce_bytes(ranks=8, size_bytes=800)
        900.0
    """
    R, n = integer_at_least("ranks", ranks, 2), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes", (R + 1) / R * n)
