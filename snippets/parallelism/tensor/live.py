"""Drawings: the live figure of chapter 17: a layer cut among t ranks, its times, and the share of communication."""

from __future__ import annotations

from typing import Any

from snippets.drawing import Panel
from snippets.hardware import NODES
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.parallelism.tensor.formulas import (
    placed_ring_bytes_per_s,
    tensor_communication_to_compute,
    tensor_layer_time_s,
)

_WIDTH = 328
_NODES = {"h100": "DGX H100", "a100": "DGX A100"}
_RANKS = (1, 2, 4, 8, 16, 32, 64)
_SHARES = Axis(0, 100, label="communication, % of the step", ticks=(0, 25, 50, 75, 100))
_ACROSS = Axis(1, 64, "log", "ranks t", ticks=_RANKS)


def _bandwidth(ranks: int, most: int, node: str) -> tuple[float, int]:
    """Return a ring's bandwidth and how many ranks stand in a node, of which each takes at most so many."""
    machine = NODES[_NODES[node]]
    here = min(ranks, most)
    inside = machine.accelerator.interconnect.bandwidth_bytes_per_s if machine.accelerator.interconnect else 1.0
    links = {"node_bytes_per_s": inside, "adapter_bytes_per_s": machine.port.bandwidth_bytes_per_s}
    return placed_ring_bytes_per_s(nodes=ranks // here, gpus_in_node=here, **links), here


def _share(ranks: int, most: int, node: str, sequence: int, hidden: int) -> float:
    size: dict[str, Any] = {
        "sequence": sequence,
        "hidden": hidden,
        "tensor_parallel": ranks,
        "flops_per_s": _rate(node),
    }
    ratio = tensor_communication_to_compute(**size, bandwidth_bytes_per_s=_bandwidth(ranks, most, node)[0])
    return 100 * ratio / (1 + ratio)


def _rate(node: str) -> float:
    """Half of the peak rate."""
    return (NODES[_NODES[node]].accelerator.peaks.bf16 or 0) / 2


@live_figure(
    title="How much of a layer's step is communication",
    caption="The time of one GPT layer, forward and backward, and the share that four all-reduces take if nothing "
    "overlaps, at half of the peak rate and without latency. Dashed: the other numbers of ranks in a node. Move the "
    "ranks, then where they stand; then double the sequences, and see which panel does not change.",
    knobs=[
        Number("ranks", "Ranks t", 2, 1, 64, 2, "log"),
        Choice("most", "At most in one node", {"8": "8", "4": "4", "2": "2", "1": "1"}, "8"),
        Choice("node", "Node", {"h100": "DGX H100: 450 and 50 GB/s", "a100": "DGX A100: 300 and 25 GB/s"}, "h100"),
        Number("sequences", "Sequences b", 1, 1, 16, 2, "log"),
        Number("tokens", "Tokens of each s", 2048, 256, 131072, 2, "log"),
        Number("hidden", "Width h", 12288, 1536, 24576, 2, "log"),
    ],
    named=[
        Named("The question", "Eight ranks in one node: 11.9% of the step is communication.", {"ranks": 8}),
        Named(
            "A node for each rank",
            "The same eight ranks through one adapter each: 54.9% of the step is communication.",
            {"ranks": 8, "most": "1"},
        ),
        Named(
            "Two whole nodes",
            "Sixteen ranks, and all adapters of both nodes: 24.6% of the step, although the ring is nearly as fast.",
            {"ranks": 16},
        ),
        Named(
            "A narrow layer",
            "A narrow layer: the eight ranks of one node spend 33.4% of the step on communication.",
            {"ranks": 8, "hidden": 3072},
        ),
    ],
)
def tensor_layer(*, ranks: int, most: str, node: str, sequences: int, tokens: int, hidden: int) -> Picture:
    """Draw the time of a layer's step for every number of ranks, and the share of communication."""
    if ranks not in _RANKS:
        raise ValueError(f"The ranks of this figure are powers of two, from 1 to 64, and not {ranks}.")
    count = int(most)
    bandwidth, here = _bandwidth(ranks, count, node)
    size: dict[str, Any] = {"micro_batch": sequences, "sequence": tokens, "hidden": hidden, "flops_per_s": _rate(node)}
    times = {}
    for t in _RANKS:
        whole = tensor_layer_time_s(**size, tensor_parallel=t, bandwidth_bytes_per_s=_bandwidth(t, count, node)[0])
        times[t] = whole, whole * (1 - _share(t, count, node, tokens, hidden) / 100)
    step, compute = times[ranks]
    share = _share(ranks, count, node, tokens, hidden)
    nodes = ranks // here
    stand = (
        "on one GPU"
        if ranks == 1
        else f"on {ranks} GPUs of one node"
        if nodes == 1
        else f"on {here} GPUs in each of {nodes} nodes"
    )
    stand = stand if nodes == 1 or here > 1 else f"on one GPU in each of {nodes} nodes"
    at = "" if ranks == 1 else f", at {in_units(bandwidth, 'B/s')}"
    numbers = (
        f"The step takes {in_units(step, 's')} {stand}{at}: {in_units(compute, 's')} of arithmetic and "
        f"{in_units(step - compute, 's')} of communication, {share:.1f}% of the step. All ranks together pay "
        f"{in_units(ranks * step, 's')}."
    )
    alt = (
        f"First: bars for 1 to 64 ranks, the time of a step; that of {ranks} ranks is {in_units(step, 's')}, of which "
        f"{in_units(step - compute, 's')} are communication. Second: the share of communication against the number of "
        f"ranks; it rises from 0 to {_share(64, count, node, tokens, hidden):.0f}% at 64, and a dot stands at {ranks} "
        f"ranks and {share:.1f}%."
    )
    return Picture([_bars(times, ranks), _curve(count, node, tokens, hidden, ranks, share)], numbers, alt)


def _bars(times: dict[int, tuple[float, float]], ranks: int) -> Panel:
    """Draw for each number of ranks the step, arithmetic first."""
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Time of a step", bold=True)
    scale = 190 / max(whole for whole, _ in times.values())
    for row, (t, (whole, compute)) in enumerate(times.items()):
        y = 30.0 + 27 * row
        if t == ranks:
            panel.rectangles([(0.0, y - 4, _WIDTH - 1.0, 26.0)], colour="accent", strength=0.08)
        panel.text(28, y + 9, f"{t}", anchor="end", middle=True, size=12, bold=t == ranks)
        panel.rectangles([(38.0, y, compute * scale, 18.0)], colour="forward", strength=0.5)
        if t > 1:
            rest = (38 + compute * scale, y, (whole - compute) * scale, 18.0)
            panel.rectangles([rest], colour="communication", strength=0.5)
        panel.text(44 + whole * scale, y + 9, in_units(whole, "s"), middle=True, size=12)
    panel.text(0, 244, "ranks; blue: arithmetic, red: communication", size=12, colour="muted")
    return panel


def _curve(count: int, node: str, tokens: int, hidden: int, ranks: int, share: float) -> Panel:
    plot = Plot(_ACROSS, _SHARES, title="Share of communication", width_px=_WIDTH)
    for other in (8, 4, 2, 1):
        points = [(float(t), _share(t, other, node, tokens, hidden)) for t in _RANKS]
        if other != count:
            plot.curve(points, colour="muted", width=1.2, dashed=True)
        else:
            plot.curve(points, colour="communication")
    plot.dots([(float(ranks), share)], colour="communication", radius=5)
    left = plot.across.share(ranks) > 0.6
    x = plot.x(ranks) + (-10 if left else 10)
    y = plot.y(share) + (16 if share > 80 else -10)
    plot.panel.text(x, y, f"{share:.1f}%", anchor="end" if left else "start", bold=True)
    return plot.panel
