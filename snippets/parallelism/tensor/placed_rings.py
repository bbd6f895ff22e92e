"""Simulators: an all-reduce by several rings whose ranks stand in several nodes, and what each link carries."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from snippets.domain import as_float, at_most, positive_integer, positive_number
from snippets.simulation.algorithms import build_collective


class PlacedAllReduce(NamedTuple):
    """What an all-reduce sends from the busiest GPU inside its node and out of it, and how long that takes.

    >>> PlacedAllReduce(7.0, 1.0, 2.0).time_s
    2.0
    """

    inside_bytes: float
    outside_bytes: float
    time_s: float


def placed_all_reduce(
    *, nodes: int, gpus_in_node: int, size_bytes: float, node_bytes_per_s: float, adapter_bytes_per_s: float
) -> PlacedAllReduce:
    """Send an all-reduce round R_node rings at once, one for each GPU of a node, and add up what each link carries.

    Ring j goes through the GPUs of a node so that it leaves by GPU j, and carries an R_node-th of the data.

    Args:
        nodes: among which the ranks are spread, at most 64.
        gpus_in_node: ranks in each of them, R_node, at most 16.
        size_bytes: of the array.
        node_bytes_per_s: of a GPU's links inside its node, one direction.
        adapter_bytes_per_s: of a GPU's network adapter, one direction.

    Returns:
        The loads, counted message by message, and the time of the slower kind of link.

    Source: derived in this book; rings through all adapters as NCCL builds them.
    Convention: chunks are fractions of a byte where they must be; both kinds of link work at the same time.
    Leaves out: latency; what the network between the nodes shares.

    Example:
        >>> links = {"node_bytes_per_s": 450e9, "adapter_bytes_per_s": 50e9}
        >>> placed_all_reduce(nodes=2, gpus_in_node=2, size_bytes=8e9, **links)
        PlacedAllReduce(inside_bytes=6000000000.0, outside_bytes=6000000000.0, time_s=0.12)
    """
    m, g = at_most("nodes", positive_integer("nodes", nodes), 64), positive_integer("gpus_in_node", gpus_in_node)
    g, size = at_most("gpus_in_node", g, 16), positive_number("size_bytes", size_bytes)
    inside = positive_number("node_bytes_per_s", node_bytes_per_s)
    outside = positive_number("adapter_bytes_per_s", adapter_bytes_per_s)
    ranks = m * g
    rounds = build_collective("all_reduce", "ring", ranks=ranks, length=ranks).rounds
    within: Counter[int] = Counter()
    across: Counter[int] = Counter()
    for ring in range(g):
        order = [node * g + (ring + 1 + place) % g for node in range(m) for place in range(g)]
        for send in (send for sends in rounds for send in sends):
            source, destination = order[send.source], order[send.destination]
            loads = within if source // g == destination // g else across
            loads[source] += send.elements
    piece = size / (g * ranks)
    busiest = [max(loads.values(), default=0) * piece for loads in (within, across)]
    time_s = max(busiest[0] / inside, busiest[1] / outside)
    as_float("size_bytes, node_bytes_per_s and adapter_bytes_per_s", time_s)
    return PlacedAllReduce(busiest[0], busiest[1], time_s)
