"""Simulators: micro-batches, pieces and SMs as tasks on lanes, which chapter 24's ``run_lanes`` runs.

None uses the closed forms of ``snippets.efficiency.overlap.formulas``, so that the one can prove the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets.domain import as_float, at_most, each, flag, nonnegative_number, positive_integer, positive_number
from snippets.memory.offloading.lanes import LaneTask

GPU, NETWORK = "GPU", "network"
_MOST = 4096


def chained_tasks(chains: Sequence[Sequence[tuple[str, str, float]]], *, one_at_a_time: bool = False) -> list[LaneTask]:
    """Return the tasks of chains that take turns on their lanes.

    Args:
        chains: of each chain, such as a micro-batch, the tasks in order: name, lane, seconds of at least 0.
        one_at_a_time: whether a chain begins only when the one before has ended; if not, all are ready at once, and of
            two that wait for one lane the chain that is less far goes first.

    Returns:
        The tasks, for ``run_lanes``.

    Convention: each task of a chain waits for the one before.

    Example:
        >>> layer = [("attention", GPU, 2.0), ("dispatch", NETWORK, 2.0)]
        >>> [task.after for task in chained_tasks([layer, layer])]
        [(), (), (0,), (1,)]
        >>> [task.after for task in chained_tasks([layer, layer], one_at_a_time=True)]
        [(), (0,), (1,), (2,)]
    """
    given = each("chains", chains, lambda name, chain: each(name, chain, _task))
    in_turn = flag("one_at_a_time", one_at_a_time)
    order = [(place, number) for number, chain in enumerate(given) for place in range(len(chain))]
    if not in_turn:
        order.sort()
    tasks: list[LaneTask] = []
    last: dict[int, int] = {}
    for place, number in order:
        name, lane, seconds = given[number][place]
        before = len(tasks) - 1 if in_turn else last.get(number, -1)
        tasks.append(LaneTask(name, lane, seconds, (before,) if before >= 0 else (), layer=number))
        last[number] = len(tasks) - 1
    return tasks


def tiled_tasks(*, compute_s: float, exchange_s: float, tiles: int) -> list[LaneTask]:
    """Return a matmul in equal tiles, and the exchange of each tile's result once it is there.

    Args:
        compute_s: of the whole matmul, at least 0.
        exchange_s: of the whole result, at least 0.
        tiles: pieces, at most 4,096.

    Returns:
        The tasks, for ``run_lanes``.

    Example:
        >>> from snippets.memory.offloading.lanes import run_lanes
        >>> [run_lanes(tiled_tasks(compute_s=8.0, exchange_s=8.0, tiles=k))[-1].end_s for k in (1, 2, 4)]
        [16.0, 12.0, 10.0]
    """
    K = at_most("tiles", positive_integer("tiles", tiles), _MOST)
    C, X = nonnegative_number("compute_s", compute_s), nonnegative_number("exchange_s", exchange_s)
    tiled = [LaneTask("matmul", GPU, C / K, layer=k) for k in range(K)]
    return tiled + [LaneTask("send", NETWORK, X / K, (k,), layer=k) for k in range(K)]


def sm_tasks(
    *,
    blocks: int,
    block_s: float,
    chunks: int,
    chunk_bytes: float,
    comm_sms: int,
    sms: int,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
) -> list[LaneTask]:
    """Return the blocks of a matmul and the chunks of an exchange, dealt out to the SMs of one GPU.

    Args:
        blocks: of the matmul, dealt out in turn to the SMs that are left to it; with ``chunks`` at most 9,000.
        block_s: time of one on an SM, at least 0.
        chunks: of the exchange, dealt out in turn to its own SMs, each of which copies and then hands over to the link.
        chunk_bytes: bytes of a chunk, at least 0.
        comm_sms: SMs of the exchange.
        sms: SMs of the GPU, more than ``comm_sms``.
        sm_bytes_per_s: what one SM copies.
        link_bytes_per_s: what the one link carries.

    Returns:
        The tasks: lanes ``"SM 0"``, ``"SM 1"`` …, the exchange's first, and ``"link"``.

    Convention: an SM copies its next chunk while the link carries its last.

    Example:
        >>> from snippets.memory.offloading.lanes import run_lanes
        >>> small = {"blocks": 80, "block_s": 1.0, "chunks": 20, "chunk_bytes": 1.0, "comm_sms": 2, "sms": 10}
        >>> max(times.end_s for times in run_lanes(sm_tasks(**small, sm_bytes_per_s=1.0, link_bytes_per_s=1e9))) < 10.01
        True
    """
    S, g = positive_integer("sms", sms), positive_integer("comm_sms", comm_sms)
    if g >= S:
        raise ValueError(f"comm_sms must be below sms = {S}, got {comm_sms!r}")
    count, pieces = positive_integer("blocks", blocks), positive_integer("chunks", chunks)
    at_most("blocks and chunks", count + pieces, 9000)
    T, n = nonnegative_number("block_s", block_s), nonnegative_number("chunk_bytes", chunk_bytes)
    σ = positive_number("sm_bytes_per_s", sm_bytes_per_s)
    β = positive_number("link_bytes_per_s", link_bytes_per_s)
    copy_s = as_float("chunk_bytes and sm_bytes_per_s", n / σ)
    carry_s = as_float("chunk_bytes and link_bytes_per_s", n / β)
    tasks = [LaneTask("block", f"SM {g + number % (S - g)}", T) for number in range(count)]
    for number in range(pieces):
        tasks.append(LaneTask("copy", f"SM {number % g}", copy_s))
        tasks.append(LaneTask("carry", "link", carry_s, (len(tasks) - 1,)))
    return tasks


def _task(name: str, value: tuple[str, str, float]) -> tuple[str, str, float]:
    try:
        what, lane, seconds = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold a name, a lane and seconds for each task, got {value!r}") from None
    return what, lane, nonnegative_number(name, seconds)
