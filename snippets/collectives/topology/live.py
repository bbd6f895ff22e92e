"""Drawings: a cluster of nodes whose links glow by what an all-reduce puts on them, and how long each kind needs."""

from __future__ import annotations

from typing import Any

from snippets.collectives.topology.figures import cluster_panel, schedule_class_times_s
from snippets.collectives.topology.formulas import (
    hierarchical_all_reduce_time_s,
    many_rings_time_s,
    node_all_reduce_bound_s,
)
from snippets.collectives.topology.link_network import LinkNetwork, schedule_loads
from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units

LATENCY_S = 5e-6
_NAMES = {
    "one_ring": "one ring",
    "dealt_ring": "one ring, nodes in turn",
    "many_rings": "a ring for each port",
    "hierarchical": "hierarchical",
    "all_in_the_node_first": "all inside, all across",
}


@live_figure(
    title="Where an all-reduce puts its bytes",
    caption="Two nodes are drawn. Boxes are GPUs; above each stands its port to the network, below it its link inside "
    "the node, the left half for what goes out, the right half for what comes in. A link is fully red at the time that "
    "the busiest one needs in one ring. Go from one ring to a ring for each port: which links were idle? Then "
    "choose the hierarchy: the ports carry about the same, so why does the whole take longer?",
    knobs=[
        Choice("schedule", "All-reduce", _NAMES, "one_ring"),
        Number("nodes", "Nodes", 2, 2, 128, 2, "log"),
        Number("gpus", "GPUs of a node", 2, 2, 8, 1),
        Number("node_rate", "Link inside a node", 360e9, 25e9, 900e9, 5e9, "linear", "B/s"),
        Number("port_rate", "Network port", 40e9, 10e9, 400e9, 2.5e9, "linear", "B/s", whole=False),
        Number("size_bytes", "Vector n", 10e9, 1e5, 1e11, 10**0.25, "log", "B", whole=False),
    ],
    named=[
        Named("The question, one ring", "In each direction one port of eight works, and the whole takes 504 ms.",
              {"nodes": 64, "gpus": 8}),
        Named("The question, eight rings", "All ports work; of the 67.5 ms, 5.11 ms are latency.",
              {"schedule": "many_rings", "nodes": 64, "gpus": 8}),
        Named("The question, inside first", "The ports carry hardly less than in eight rings, yet it takes 111 ms: "
              "one phase waits for the other.",
              {"schedule": "hierarchical", "nodes": 64, "gpus": 8}),
        Named("The 70B on 256 GPUs", "With a ring for each port, an all-reduce of a layer's 1.71 GB takes 13.2 ms; "
              "to gather its weights takes half of that.",
              {"schedule": "many_rings", "nodes": 32, "gpus": 8, "node_rate": 360e9, "port_rate": 40e9,
               "size_bytes": 1_711_276_032}),
    ],
    opens="The question, one ring",
)  # fmt: skip
def cluster_load(
    *, schedule: str, nodes: int, gpus: int, node_rate: float, port_rate: float, size_bytes: float
) -> Picture:
    """Draw the loads on two nodes' links, and bars for what each kind of link needs."""
    cluster = LinkNetwork(nodes=nodes, gpus_per_node=gpus, node_bytes_per_s=node_rate, port_bytes_per_s=port_rate)
    loads = schedule_loads(cluster, schedule, size_bytes=size_bytes, first_nodes=2)
    times = schedule_class_times_s(cluster, schedule, size_bytes=size_bytes)
    job: dict[str, Any] = {"nodes": nodes, "gpus_per_node": gpus, "size_bytes": size_bytes, "latency_s": LATENCY_S}
    job |= {"node_bytes_per_s": node_rate, "port_bytes_per_s": port_rate}
    in_one_ring = schedule_class_times_s(cluster, "one_ring", size_bytes=size_bytes)
    phases = schedule in ("hierarchical", "all_in_the_node_first")
    steps = 2 * (gpus - 1 + nodes - 1) if phases else 2 * (nodes * gpus - 1)
    if schedule == "hierarchical":
        total = hierarchical_all_reduce_time_s(**job)
    elif schedule in ("one_ring", "many_rings"):
        total = many_rings_time_s(rings=1 if schedule == "one_ring" else gpus, **job)
    else:
        total = steps * LATENCY_S + (sum(times.values()) if phases else max(times.values()))
    bound = node_all_reduce_bound_s(nodes=nodes, ports_per_node=gpus, port_bytes_per_s=port_rate, size_bytes=size_bytes)
    busy = sum(1 for gpu in range(gpus) if loads[f"port {gpu} out"])
    numbers = (
        f"{nodes * gpus:,} GPUs with {in_units(size_bytes, 'B')} each, {_NAMES[schedule]}: {busy} of {gpus} ports of a "
        f"node send. The busiest port needs "
        f"{in_units(times['ports'], 's')} for its bytes, the busiest link inside {in_units(times['inside'], 's')}; "
        f"{steps:,} steps of 5 µs are {in_units(steps * LATENCY_S, 's')}. "
        f"{'Phase after phase' if phases else 'In all'}: {in_units(total, 's')}. "
        f"The nodes' ports alone need at least {in_units(bound, 's')}."
    )
    alt = (
        f"First: two nodes of {gpus} GPUs, links tinted by load; {busy} of {gpus} ports of a node send. Second: bars: "
        f"{in_units(times['inside'], 's')} for the links inside, {in_units(times['ports'], 's')} for the ports, "
        f"{in_units(steps * LATENCY_S, 's')} for latency, {in_units(total, 's')} in all, and "
        f"{in_units(bound, 's')} for the bound."
    )
    rows = {
        "busiest link inside": (times["inside"], "accent"),
        "busiest port": (times["ports"], "communication"),
        "latency of all steps": (steps * LATENCY_S, "idle"),
        "the whole all-reduce": (total, "ink"),
        "bound of the ports": (bound, "muted"),
    }
    return Picture(
        [cluster_panel(cluster, loads, title="Two of the nodes", full_s=max(in_one_ring.values())), _bars(rows)],
        numbers,
        alt,
    )


def _bars(rows: dict[str, tuple[float, str]]) -> Panel:
    """Draw times as bars from a common start."""
    panel = Panel(330, 210)
    panel.text(0, 14, "Times", bold=True)
    bars = [Bar(f"{name}: {in_units(time, 's')}", [(time, colour)]) for name, (time, colour) in rows.items()]
    draw_bars(panel, bars, top=36, pitch=37, high=13, left=0.5, wide=326, least=1)
    return panel
