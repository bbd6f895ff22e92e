"""Formulas: collectives on a cluster of nodes and on a torus: loads on links, what bounds them, times, collisions.

A node is a group of GPUs with fast links between them; it has ports to a network that reaches the other nodes. Sizes
are n, the vector that every rank brings to an all-reduce; bandwidths are bytes a second in one direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import (
    as_float,
    at_most,
    each,
    integer_at_least,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.simulation.schedule import Range, Schedule, ScheduledSend, chunk_bounds

MOST_RANKS = 2**12  # of a schedule, which lists every message

_CLUSTER = "size_bytes, latency_s, node_bytes_per_s and port_bytes_per_s"


def busiest_link_s(*, loads_bytes: Sequence[float], bandwidths_bytes_per_s: Sequence[float]) -> float:
    """Return the time below which no schedule can put these loads on these links.

    Formula: $T \\ge \\max_{\\ell} Q_{\\ell} / \\beta_{\\ell}$
    Symbols: T = the result; Q_\\ell = loads_bytes; \\beta_\\ell = bandwidths_bytes_per_s
    Chapter: 15

    Args:
        loads_bytes: for each link the bytes that cross it in one direction, at least 0.
        bandwidths_bytes_per_s: for each link its bandwidth in that direction, in the same order.

    Returns:
        Seconds.

    Raises:
        ValueError: if there is no link, or the two lists differ in length.

    Source: derived in this book.
    Convention: a link is one direction of a cable, or of a port that several cables share.
    Leaves out: latency; waiting of one message for another.

    Example:
        >>> busiest_link_s(loads_bytes=[20e9, 2.5e9], bandwidths_bytes_per_s=[450e9, 50e9])
        0.05
    """
    Q = each("loads_bytes", loads_bytes, nonnegative_number)
    β = each("bandwidths_bytes_per_s", bandwidths_bytes_per_s, positive_number)
    if not Q or len(Q) != len(β):
        raise ValueError(
            "loads_bytes and bandwidths_bytes_per_s must have one entry for each link, at least one, "
            f"got {len(Q)} and {len(β)}"
        )
    return as_float("loads_bytes and bandwidths_bytes_per_s", max(map(lambda load, rate: load / rate, Q, β)))


def node_all_reduce_bound_s(*, nodes: int, ports_per_node: int, port_bytes_per_s: float, size_bytes: float) -> float:
    """Return the time below which no all-reduce by sends and receives can pass the nodes' ports.

    It is the bound on bytes of chapter 14 with a whole node in the place of a rank.

    Formula: $T \\ge 2 \\frac{z-1}{z} \\frac{n}{q \\, \\beta_\\text{net}}$
    Symbols: T = the result; z = nodes; n = size_bytes; q = ports_per_node; β_net = port_bytes_per_s
    Chapter: 15

    Args:
        nodes: how many.
        ports_per_node: network ports of each.
        port_bytes_per_s: one port, one direction.
        size_bytes: n, at least 0.

    Returns:
        Seconds.

    Source: Patarasuk and Yuan 2009 for the bound; for nodes derived in this book.
    Convention: one direction; all ports of a node work.
    Leaves out: latency, the links inside the nodes, switches that add.

    Example:
        >>> node_all_reduce_bound_s(nodes=64, ports_per_node=8, port_bytes_per_s=50e9, size_bytes=10e9)
        0.04921875
    """
    z, q = positive_integer("nodes", nodes), positive_integer("ports_per_node", ports_per_node)
    β_net, n = positive_number("port_bytes_per_s", port_bytes_per_s), nonnegative_number("size_bytes", size_bytes)
    return as_float("size_bytes and port_bytes_per_s", 2 * (z - 1) / z * n / (q * β_net))


def many_rings_time_s(
    *,
    nodes: int,
    gpus_per_node: int,
    rings: int,
    size_bytes: float,
    latency_s: float,
    node_bytes_per_s: float,
    port_bytes_per_s: float,
) -> float:
    """Return the time of an all-reduce over rings that go through node after node and leave each by different ports.

    Formula: $2 (R-1) \\alpha + 2 \\frac{R-1}{R} n
        \\max\\left( \\frac{1}{q \\beta_\\text{net}}, \\frac{\\varphi}{\\beta_\\text{node}} \\right)$
    Symbols: R = all ranks, nodes · gpus_per_node; q = rings; n = size_bytes; α = latency_s;
        β_node = node_bytes_per_s; β_net = port_bytes_per_s; φ = the share that the busiest GPU sends inside: 1, or
        (q − 1)/q if every GPU is the last of its node in one ring
    Chapter: 15

    Args:
        nodes: how many, at least 2.
        gpus_per_node: GPUs of each, with a port each.
        rings: q, at most ``gpus_per_node``; each carries 1/q of the vector.
        size_bytes: n, at least 0.
        latency_s: of each step, at least 0.
        node_bytes_per_s: what a GPU sends to others of its node, one direction.
        port_bytes_per_s: one port, one direction.

    Returns:
        Seconds.

    Source: derived in this book; NCCL's rings as its authors describe them (NVIDIA/nccl issues 412 and 530).
    Convention: the rings run at the same time, step by step; one latency for both kinds of links.
    Leaves out: uneven chunks, adding, collisions in the network.

    Example:
        >>> cluster = {"nodes": 64, "gpus_per_node": 8, "node_bytes_per_s": 450e9, "port_bytes_per_s": 50e9}
        >>> many_rings_time_s(rings=1, size_bytes=10e9, latency_s=5e-6, **cluster)
        0.40432...
    """
    z, R_node = integer_at_least("nodes", nodes, 2), positive_integer("gpus_per_node", gpus_per_node)
    q = at_most("rings", positive_integer("rings", rings), R_node)
    n, α = nonnegative_number("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    β_node = positive_number("node_bytes_per_s", node_bytes_per_s)
    β_net = positive_number("port_bytes_per_s", port_bytes_per_s)
    R = z * R_node
    φ = (q - 1) / q if q == R_node else 1.0
    return as_float(_CLUSTER, 2 * (R - 1) * α + 2 * (R - 1) / R * n * max(1 / (q * β_net), φ / β_node))


def all_reduce_dimension_bytes(*, sides: Sequence[int], size_bytes: float) -> tuple[float, ...]:
    """Return what every rank sends in each dimension of an all-reduce by dimensions.

    The ranks stand on a grid. Along the first dimension they reduce-scatter, along the second they reduce-scatter what
    is left, and so on; then they all-gather in the opposite order. A hierarchical all-reduce has two dimensions: GPUs
    of a node, and nodes.

    Formula: $2 \\frac{R_i - 1}{R_i} \\frac{n}{R_1 \\cdots R_{i-1}}$
    Symbols: R_i = sides; n = size_bytes
    Chapter: 15

    Args:
        sides: ranks along each dimension, in the order in which they are reduced.
        size_bytes: n, at least 0.

    Returns:
        Bytes for each dimension; together $2 \\frac{R-1}{R} n$ for R ranks.

    Source: Cho et al. 2019 for the decomposition.
    Convention: sent by one rank, one direction; even chunks.
    Leaves out: chunks of different length.

    Example:
        >>> all_reduce_dimension_bytes(sides=[8, 64], size_bytes=10e9)
        (17500000000.0, 2460937500.0)
    """
    s, n = each("sides", sides, positive_integer), nonnegative_number("size_bytes", size_bytes)
    if not s:
        raise ValueError("sides must hold one side or more, got none")
    return tuple(as_float("size_bytes", 2 * (side - 1) / side * n / math.prod(s[:i])) for i, side in enumerate(s))


def all_reduce_dimensions_time_s(
    *, sides: Sequence[int], size_bytes: float, latency_s: float, bandwidths_bytes_per_s: Sequence[float]
) -> float:
    """Return the time of an all-reduce by dimensions, one phase after the other, each by rings.

    Formula: $\\sum_i 2 (R_i - 1) \\left( \\alpha + \\frac{n}{R_1 \\cdots R_i \\, \\beta_i} \\right)$
    Symbols: R_i = sides; n = size_bytes; α = latency_s; β_i = bandwidths_bytes_per_s
    Chapter: 15

    Args:
        sides: ranks along each dimension, in the order in which they are reduced.
        size_bytes: n, at least 0.
        latency_s: of each step, at least 0.
        bandwidths_bytes_per_s: what a rank sends along each dimension, one direction.

    Returns:
        Seconds.

    Raises:
        ValueError: if the two lists differ in length.

    Source: Cho et al. 2019 for the decomposition; the sum is derived in this book.
    Convention: no phase begins before the last one has ended.
    Leaves out: overlap of phases, adding, contention between the rings of a dimension.

    Example:
        >>> cluster = {"latency_s": 5e-6, "bandwidths_bytes_per_s": [450e9, 50e9]}
        >>> all_reduce_dimensions_time_s(sides=[8, 64], size_bytes=10e9, **cluster)
        0.08880...
    """
    s, n = each("sides", sides, positive_integer), nonnegative_number("size_bytes", size_bytes)
    α, β = nonnegative_number("latency_s", latency_s), each("bandwidths_bytes_per_s", bandwidths_bytes_per_s, _rate)
    if not s or len(s) != len(β):
        raise ValueError(f"bandwidths_bytes_per_s must have one entry for each of {len(s)} sides, got {len(β)}")
    time = sum(2 * (s[i] - 1) * (α + n / (math.prod(s[: i + 1]) * β[i])) for i in range(len(s)))
    return as_float("size_bytes, latency_s and bandwidths_bytes_per_s", time)


def hierarchical_all_reduce_time_s(
    *,
    nodes: int,
    gpus_per_node: int,
    size_bytes: float,
    latency_s: float,
    node_bytes_per_s: float,
    port_bytes_per_s: float,
) -> float:
    """Return the time of a hierarchical all-reduce: reduce-scatter inside, all-reduce across, all-gather inside.

    Also: two-level all-reduce
    Formula: $2 (R_\\text{node} + z - 2) \\alpha + 2 \\frac{R_\\text{node}-1}{R_\\text{node}}
        \\frac{n}{\\beta_\\text{node}} + 2 \\frac{z-1}{z} \\frac{n}{R_\\text{node} \\, \\beta_\\text{net}}$
    Symbols: z = nodes; R_node = gpus_per_node; n = size_bytes; α = latency_s; β_node = node_bytes_per_s;
        β_net = port_bytes_per_s
    Chapter: 15

    Args:
        nodes: how many.
        gpus_per_node: GPUs of each, with a port each.
        size_bytes: n, at least 0.
        latency_s: of each step, at least 0.
        node_bytes_per_s: what a GPU sends to others of its node, one direction.
        port_bytes_per_s: one port, one direction.

    Returns:
        Seconds.

    Source: Cho et al. 2019.
    Convention: rings in all three phases, which follow each other; one latency for both kinds of links.
    Leaves out: overlap of the phases, adding, collisions in the network.

    Example:
        >>> cluster = {"nodes": 64, "gpus_per_node": 8, "node_bytes_per_s": 450e9, "port_bytes_per_s": 50e9}
        >>> hierarchical_all_reduce_time_s(size_bytes=10e9, latency_s=5e-6, **cluster)
        0.08880...
    """
    z, R_node = positive_integer("nodes", nodes), positive_integer("gpus_per_node", gpus_per_node)
    n, α = nonnegative_number("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    β_node = positive_number("node_bytes_per_s", node_bytes_per_s)
    β_net = positive_number("port_bytes_per_s", port_bytes_per_s)
    inside, across = 2 * (R_node - 1) / R_node * n / β_node, 2 * (z - 1) / z * n / (R_node * β_net)
    return as_float(_CLUSTER, 2 * (R_node - 1 + z - 1) * α + inside + across)


def torus_all_reduce_time_s(
    *, side: int, dimensions: int, size_bytes: float, latency_s: float, link_bytes_per_s: float
) -> float:
    """Return the time of an all-reduce on a torus with equal sides that keeps all links busy in both directions.

    The vector is cut in 2δ parts. Each goes by dimensions, but in another order of them or in the other direction, so
    that in every phase each of a rank's 2δ links carries one part.

    Formula: $2 \\delta (R_1-1) \\alpha + 2 \\frac{R-1}{R} \\frac{n}{2 \\delta \\beta}, \\quad R = R_1^\\delta$
    Symbols: R_1 = side; δ = dimensions; n = size_bytes; α = latency_s; β = link_bytes_per_s; R = all ranks
    Chapter: 15

    Args:
        side: ranks along each dimension, at least 3 (along a side of 2 both links lead to the same rank).
        dimensions: δ.
        size_bytes: n, at least 0.
        latency_s: of each step, at least 0.
        link_bytes_per_s: one link, one direction.

    Returns:
        Seconds.

    Source: Austin et al. 2025, part 3: the bandwidth of an all-gather grows with the axes that it runs over.
    Convention: every rank has a link each way in every dimension, and all send at once.
    Leaves out: sides that differ, adding.

    Example:
        >>> torus_all_reduce_time_s(side=4, dimensions=3, size_bytes=10e9, latency_s=0, link_bytes_per_s=90e9)
        0.036458...
    """
    R_1, δ = integer_at_least("side", side, 3), at_most("dimensions", positive_integer("dimensions", dimensions), 16)
    n, α = nonnegative_number("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    β = positive_number("link_bytes_per_s", link_bytes_per_s)
    R = R_1**δ
    time = 2 * δ * (R_1 - 1) * α + 2 * (R - 1) / R * n / (2 * δ * β)
    return as_float("size_bytes, latency_s and link_bytes_per_s", time)


def collision_free_probability(*, flows: int, cables: int) -> float:
    """Return how likely it is that flows that choose a cable by chance all choose different ones.

    Formula: $\\prod_{i=0}^{\\text{flows} - 1} \\left( 1 - \\frac{i}{\\text{cables}} \\right)$
    Symbols: i = a flow, from 0
    Chapter: 15

    Args:
        flows: how many choose, at least 0, each by itself and with the same chance for each cable.
        cables: how many there are.

    Returns:
        A probability; 0 for more flows than cables.

    Source: the birthday problem.
    Convention: a cable carries any number of flows.
    Leaves out: switches that look at the load before they choose.

    Example:
        >>> round(collision_free_probability(flows=8, cables=32), 3)
        0.386
    """
    f, κ = nonnegative_integer("flows", flows), positive_integer("cables", cables)
    return math.prod(max(0.0, 1 - i / κ) for i in range(min(f, κ + 1)))


def expected_expert_nodes(*, nodes: int, experts: int, experts_per_token: int) -> float:
    """Return on how many nodes a token's experts lie, in expectation, if they are drawn with equal chances.

    Formula: $z \\left( 1 - \\binom{E - E/z}{k} \\Big/ \\binom{E}{k} \\right)$
    Symbols: z = nodes; E = experts; k = experts_per_token
    Chapter: 15

    Args:
        nodes: over which the experts are spread evenly.
        experts: E, a multiple of ``nodes``.
        experts_per_token: k different ones for each token, at most E.

    Returns:
        Nodes, the token's own among them if one of its experts lies there.

    Raises:
        ValueError: if the experts cannot be spread evenly.

    Source: derived in this book.
    Convention: experts are drawn without replacement.
    Leaves out: that a router prefers some experts.

    Example:
        >>> round(expected_expert_nodes(nodes=8, experts=256, experts_per_token=8), 2)
        5.29
    """
    z, E = positive_integer("nodes", nodes), at_most("experts", positive_integer("experts", experts))
    k = at_most("experts_per_token", positive_integer("experts_per_token", experts_per_token), E)
    if E % z:
        raise ValueError(f"experts must be a multiple of nodes = {z}, got {experts!r}")
    return z * (1 - math.comb(E - E // z, k) / math.comb(E, k))


def dimension_schedule(sides: Sequence[int], length: int) -> Schedule:
    """Return an all-reduce by dimensions as a schedule of rings, phase after phase.

    Args:
        sides: ranks along each dimension, in the order in which they are reduced; along the first they are neighbours:
            rank 1 differs from rank 0 in its first coordinate.
        length: elements of the vector, at least 0.

    Returns:
        The schedule; in its steps, the rings of all groups of a dimension run at the same time.

    Source: Cho et al. 2019.
    Convention: ranks 0 … R_node − 1 are node 0 for ``sides`` [R_node, nodes].
    Leaves out: overlap of phases.

    Example:
        >>> schedule = dimension_schedule([2, 3], 12)
        >>> len(schedule.rounds), schedule.messages
        (6, 36)
    """
    s, length = each("sides", sides, positive_integer), nonnegative_integer("length", length)
    if not s:
        raise ValueError("sides must hold one side or more, got none")
    ranks = at_most("sides", math.prod(s), MOST_RANKS)
    held: list[Range] = [(0, length)] * ranks
    down: list[tuple[ScheduledSend, ...]] = []
    up: list[list[tuple[ScheduledSend, ...]]] = []
    stride = 1
    for side in s:
        place = [rank // stride % side for rank in range(ranks)]
        ahead = [rank + stride * ((place[rank] + 1) % side - place[rank]) for rank in range(ranks)]
        cut = [[(held[r][0] + a, held[r][0] + b) for a, b in chunk_bounds(held[r][1] - held[r][0], side)]
               for r in range(ranks)]  # fmt: skip

        def round_of(first: int, adds: bool, ahead=ahead, cut=cut, place=place, side=side):  # type: ignore[no-untyped-def]
            return tuple(
                ScheduledSend(r, ahead[r], _filled(cut[r][(place[r] + first) % side]), adds) for r in range(ranks)
            )

        down += [round_of(-1 - step, True) for step in range(side - 1)]
        up.append([round_of(-step, False) for step in range(side - 1)])
        held = [cut[r][place[r]] for r in range(ranks)]
        stride *= side
    rounds = down + [sends for phase in reversed(up) for sends in phase]
    return Schedule("all_reduce", "by dimensions", ranks, length, tuple(rounds))


def _filled(bounds: Range) -> tuple[Range, ...]:
    return (bounds,) if bounds[0] < bounds[1] else ()


def _rate(name: str, value: float) -> float:
    return positive_number(name, value)
