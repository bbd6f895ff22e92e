"""Simulators: micro-batches, pieces and SMs as tasks on lanes, which chapter 24's ``run_lanes`` runs.

None uses the closed forms of ``snippets.efficiency.overlap.formulas``, so that the one can prove the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from snippets.domain import as_float, at_most, each, flag, nonnegative_number, positive_integer, positive_number
from snippets.memory.offloading.lanes import LaneTask

GPU, NETWORK = "GPU", "network"
_MOST = 4096
_ISSUED = (
    "attention",
    "dispatch back",
    "dispatch",
    "experts back",
    "experts weights",
    "combine back",
    "experts",
    "combine",
    "attention back",
    "attention weights",
)


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


def paired_tasks(
    *,
    layers: int,
    attention_s: float,
    experts_s: float,
    dispatch_s: float,
    combine_s: float,
    attention_weights_s: float,
    split: bool = True,
    issued: bool = False,
) -> list[LaneTask]:
    """Return the tasks of one micro-batch going forward through layers of experts while another goes backward.

    Forward, a layer is attention, dispatch, experts, combine; backward, the gradients take the same way in reverse, and
    each matmul has two gradients. Only that of the input is on the way to the next layer.

    Args:
        layers: of each pass, at most 200.
        attention_s: attention forward, at least 0; backward it takes twice as long.
        experts_s: the experts forward, at least 0; backward they take twice as long.
        dispatch_s: tokens or gradients to the experts, at least 0.
        combine_s: results or gradients back, at least 0.
        attention_weights_s: of attention's backward time, that of the gradients of its weights, at least 0 and at most
            ``attention_s``.
        split: whether gradients of weights wait for a gap; if not, they are computed with those of the inputs.
        issued: whether each lane keeps to the order in which Megatron Core issues a pair of layers, where gradients of
            weights, if split, come right after those of the inputs.

    Returns:
        The tasks, for ``run_lanes``, in the order of their urgency: names ``"attention"``, ``"dispatch"``,
        ``"experts"``, ``"combine"``, with ``" back"`` in the backward pass, and ``"attention weights"`` and
        ``"experts weights"``.

    Convention: of tasks that wait for one lane the earlier layer goes first, and the backward pass before the forward
        pass; a layer's weights wait for all else of the next layer. ``issued`` replaces this by one fixed order. Half
        of the experts' backward time is weights'.
    Source: Megatron Core's developer guide on Combined 1F1B, for the order of ``issued``.
    Leaves out: the shared expert, which needs no dispatch; messages between stages.

    Example:
        >>> from snippets.memory.offloading.lanes import run_lanes
        >>> times = {"attention_s": 2, "experts_s": 2, "dispatch_s": 3, "combine_s": 3, "attention_weights_s": 2}
        >>> [max(t.end_s for t in run_lanes(paired_tasks(layers=50, **times, split=s))) / 50 for s in (False, True)]
        [14.0, 12.02]
    """
    L = at_most("layers", positive_integer("layers", layers), 200)
    A, E = nonnegative_number("attention_s", attention_s), nonnegative_number("experts_s", experts_s)
    D, C = nonnegative_number("dispatch_s", dispatch_s), nonnegative_number("combine_s", combine_s)
    W, apart = nonnegative_number("attention_weights_s", attention_weights_s), flag("split", split)
    fixed = flag("issued", issued)
    if W > A:
        raise ValueError(f"attention_weights_s must be at most attention_s = {A:g}, got {attention_weights_s!r}")
    attention_back_s = as_float("attention_s", 2 * A - W if apart else 2 * A)
    experts_back_s = as_float("experts_s", E if apart else 2 * E)
    seconds = {"attention": A, "dispatch": D, "experts": E, "combine": C, "attention back": attention_back_s}
    seconds |= {"dispatch back": D, "experts back": experts_back_s, "combine back": C}
    seconds |= {"attention weights": W, "experts weights": E}
    return [
        LaneTask(name, lane, seconds[name], waits, layer=layer)
        for name, layer, lane, waits in _pair_in_order(L, apart, fixed)
    ]


@lru_cache
def _pair_in_order(layers: int, split: bool, issued: bool) -> list[tuple[str, int, str, tuple[int, ...]]]:
    """Return name, layer, lane and what it waits for of each task of a pair, whatever the times are."""
    rows: list[tuple[tuple[int, int], tuple[str, int], str, tuple[str, int] | None]] = []
    for i in range(layers):
        above = i - 1
        rows += [
            ((i, 5), ("attention", i), GPU, ("combine", above) if i else None),
            ((i, 1), ("dispatch", i), NETWORK, ("attention", i)),
            ((i, 3), ("experts", i), GPU, ("dispatch", i)),
            ((i, 6), ("combine", i), NETWORK, ("experts", i)),
            ((i, 0), ("dispatch back", i), NETWORK, ("attention back", above) if i else None),
            ((i, 2), ("experts back", i), GPU, ("dispatch back", i)),
            ((i, 4), ("combine back", i), NETWORK, ("experts back", i)),
            ((i, 7), ("attention back", i), GPU, ("combine back", i)),
        ]
        if split:
            rows += [
                ((i + 1, 8), ("experts weights", i), GPU, ("experts back", i)),
                ((i + 1, 9), ("attention weights", i), GPU, ("attention back", i)),
            ]
    rows.sort(key=(lambda row: (row[1][1], _ISSUED.index(row[1][0]))) if issued else (lambda row: row[0]))
    number = {row[1]: place for place, row in enumerate(rows)}
    ordered: list[tuple[str, int, str, tuple[int, ...]]] = []
    last: dict[str, int] = {}
    for _, who, lane, after in rows:
        waits = set() if after is None else {number[after]}
        if issued and lane in last:
            waits.add(last[lane])
        last[lane] = len(ordered)
        ordered.append((*who, lane, tuple(sorted(waits))))
    return ordered


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
