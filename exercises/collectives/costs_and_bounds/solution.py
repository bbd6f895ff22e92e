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


def choose_all_reduce(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    """Price the three by their steps and their bytes for each byte of the vector, and take the least."""
    log = ranks.bit_length() - 1
    core = 2**log
    fold = 2 if ranks > core else 0  # one message of the whole vector before, one after
    terms = {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (log + fold, log + fold),
        "halving_doubling": (2 * log + fold, 2 * (core - 1) / core + fold),
    }
    times_s = {
        name: steps * latency_s + share * size_bytes / bandwidth_bytes_per_s for name, (steps, share) in terms.items()
    }
    best = min(times_s, key=times_s.__getitem__)
    return best, times_s[best]


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
