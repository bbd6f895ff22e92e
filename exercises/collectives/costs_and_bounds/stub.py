"""Exercises of chapter 14: where algorithms cross, which one to choose, and what a benchmark's output proves."""

from __future__ import annotations

Terms = tuple[float, float]
"""Steps of an algorithm, and its bytes on the wire for each byte of the vector."""


def crossover_bytes(first: Terms, second: Terms, *, latency_s: float, bandwidth_bytes_per_s: float) -> float | None:
    """Return the size of the vector at which two algorithms take the same time.

    Args:
        first: steps and bytes on the wire for each byte of the vector, both at least 0.
        second: the same of the other algorithm; either of the two may be the one with fewer steps.
        latency_s: α, above 0.
        bandwidth_bytes_per_s: β, per direction, above 0.

    Returns:
        Bytes, above 0; ``None`` if one algorithm is never slower than the other at any size above 0.
    """
    raise NotImplementedError("crossover_bytes is still to be written")


def choose_all_reduce(
    *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> tuple[str, float]:
    """Choose the fastest of three all-reduces.

    They are the ring, recursive doubling and halving–doubling. Where N is no power of two, the two doublings run among
    the largest power of two of ranks, P < N: before, each further rank sends its whole vector to one of the P, which
    adds it; after, it is sent the whole result. Chunks are even, and additions cost nothing.

    Args:
        ranks: number of ranks N, at least 2, a power of two or not.
        size_bytes: bytes of the vector, above 0.
        latency_s: α of a message.
        bandwidth_bytes_per_s: β of a rank's one port, per direction.

    Returns:
        ``"ring"``, ``"recursive_doubling"`` or ``"halving_doubling"``, and the seconds that it takes.
    """
    raise NotImplementedError("choose_all_reduce is still to be written")


def read_benchmark(text: str, *, primitive: str, ranks: int) -> dict[int, tuple[float, float]]:
    """Compute the bandwidths of a run of nccl-tests from its sizes and times.

    Args:
        text: what nccl-tests prints. Lines that begin with ``#`` and empty lines hold no measurement. The others hold
            size in bytes, count, type, reduction, root, then for out-of-place: time in µs, algorithm bandwidth, bus
            bandwidth, number of wrong elements; then the same four for in-place.
        primitive: ``"all_reduce"``, ``"all_gather"``, ``"reduce_scatter"``, ``"all_to_all"``, ``"broadcast"`` or
            ``"reduce"``.
        ranks: number of ranks, at least 2.

    Returns:
        For each size in bytes its algorithm bandwidth and its bus bandwidth, both in bytes per second, from the
        out-of-place time (the printed bandwidths are rounded).
    """
    raise NotImplementedError("read_benchmark is still to be written")


def possible(*, primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float) -> bool:
    """Say whether ranks that only send and receive can have been so fast, by the bytes that must pass a port.

    Args:
        primitive: as in ``read_benchmark``.
        ranks: number of ranks, at least 2.
        size_bytes: size in the convention of nccl-tests.
        time_s: the time it took.
        bandwidth_bytes_per_s: what a rank's port carries each way.

    Returns:
        ``False`` if the bytes alone take longer, ``True`` if not, also where they take exactly as long.
    """
    raise NotImplementedError("possible is still to be written")
