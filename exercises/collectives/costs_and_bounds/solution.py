"""Solutions of chapter 14's exercises."""

from __future__ import annotations

Terms = tuple[float, float]

# Bytes that must pass a rank's port for each byte of the vector: times (N − 1)/N, or as they are.
_SHARES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "all_to_all": 1}
_WHOLE = ("broadcast", "reduce")


def crossover_bytes(first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float) -> float | None:
    """Steps saved times α over bytes wasted, if one algorithm saves the one and wastes the other."""
    saved, wasted = second[0] - first[0], first[1] - second[1]
    if saved * wasted <= 0:
        return None
    return saved / wasted * latency_s * bandwidth_bytes_per_s


def bus_factor(primitive: str, ranks: int) -> float:
    """Return f(N)."""
    return 1.0 if primitive in _WHOLE else _SHARES[primitive] * (ranks - 1) / ranks


def read_benchmark(text: str, *, primitive: str, ranks: int) -> dict[int, tuple[float, float]]:
    """The size is the first column, the out-of-place time the sixth, in µs."""
    result = {}
    for line in text.splitlines():
        columns = line.split()
        if not columns or columns[0].startswith("#"):
            continue
        size, time_s = int(columns[0]), float(columns[5]) * 1e-6
        result[size] = size / time_s, bus_factor(primitive, ranks) * size / time_s
    return result


def possible(*, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float) -> bool:
    """The bytes that must pass a port, at full bandwidth, take no longer than it took."""
    return bus_factor(primitive, ranks) * size_bytes <= time_s * bandwidth_bytes_per_s
