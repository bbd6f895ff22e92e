"""Drawings: the live figure of chapter 17: a layer cut among t ranks, its times, and the share that waits."""

from __future__ import annotations

from typing import NamedTuple

from snippets.all_reduce import ring_all_reduce_time_s
from snippets.drawing import Panel
from snippets.hardware import NODES
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.parallelism.tensor.formulas import placed_ring_bytes_per_s

_WIDTH = 328
_NODES = {"h100": "DGX H100", "a100": "DGX A100"}
_RANKS = (1, 2, 4, 8, 16, 32, 64)
_LINK_SHARE = 0.8
# In units of h²: all weights of a layer, those that make queries, keys and values, those of the first feed-forward ones
_LAYERS = {"gpt": (12.0, 3.0, 4.0), "llama": (12.75, 1.25, 7.0)}
_SHARES = Axis(0, 100, ticks=(0, 25, 50, 75, 100))
_ACROSS = Axis(1, 64, "log", "ranks t", ticks=_RANKS)


class _Setting(NamedTuple):
    """What all numbers of ranks share."""

    most: int
    node: str
    sequences: int
    tokens: int
    hidden: int
    layer: str
    utilization: float
    latency_s: float

    def bandwidth(self, ranks: int) -> tuple[float, int]:
        """Return a ring's bandwidth and how many ranks share a node, of which each takes at most so many."""
        machine = NODES[_NODES[self.node]]
        here = min(ranks, self.most)
        inside = machine.accelerator.interconnect.bandwidth_bytes_per_s if machine.accelerator.interconnect else 1.0
        links = {
            "node_bytes_per_s": _LINK_SHARE * inside,
            "adapter_bytes_per_s": _LINK_SHARE * machine.port.bandwidth_bytes_per_s,
        }
        return placed_ring_bytes_per_s(nodes=ranks // here, gpus_in_node=here, **links), here

    def times(self, ranks: int, *, hide: bool) -> tuple[float, float]:
        """Return the seconds of computing and of waiting in a layer's step."""
        x, h, w = self.sequences * self.tokens, self.hidden, 2
        all_weights, *first = _LAYERS[self.layer]
        rate = ranks * self.utilization * (NODES[_NODES[self.node]].accelerator.peaks.bf16 or 0)
        compute = (6 * all_weights * h**2 * x + 12 * x * self.tokens * h) / rate
        one = ring_all_reduce_time_s(
            ranks=ranks,
            size_bytes=x * h * w,
            latency_s=self.latency_s,
            bandwidth_bytes_per_s=self.bandwidth(ranks)[0],
        )
        behind = [2 * x * h**2 * weights / rate for weights in first] if hide else [0.0, 0.0]
        return compute, 2 * one + sum(max(0.0, one - each) for each in behind)

    def share(self, ranks: int, *, hide: bool) -> float:
        """Return the share of the step that a rank waits, in per cent."""
        compute, waiting = self.times(ranks, hide=hide)
        return 100 * waiting / (compute + waiting)


@live_figure(
    title="How long a layer's ranks wait for each other",
    caption="The time of one layer, forward and backward, and the share that waits for its four all-reduces. Links at "
    "80% of their rate; a Llama layer has gates, one key-value head for each eight query heads, and an inner width of "
    "3.5h. Move the ranks, then the GPUs that a node may give them; then change the sequences, and see how little the "
    "right panel moves.",
    knobs=[
        Number("ranks", "Ranks t", 8, 1, 64, 2, "log"),
        Choice("most", "At most in one node", {"8": "8", "4": "4", "2": "2", "1": "1"}, "8"),
        Choice("hide", "All-reduces hidden", {"backward": "the two backward", "none": "none"}, "backward"),
        Choice("layer", "Layer", {"gpt": "GPT: 12h² weights", "llama": "Llama 3 70B: 12.75h²"}, "gpt"),
        Number("hidden", "Hidden size h", 12288, 1536, 24576, 2, "log"),
        Number("sequences", "Sequences b", 4, 1, 16, 2, "log"),
        Number("tokens", "Tokens of each s", 2048, 256, 131072, 2, "log"),
        Choice("node", "Node", {"h100": "DGX H100", "a100": "DGX A100"}, "h100"),
        Number("utilization", "u while matmuls run, % of the peak", 65, 5, 100, 5),
        Number("latency_s", "Latency α", 5e-6, 5e-7, 5e-5, 10**0.5, "log", "s", whole=False),
    ],
    named=[
        Named("The question", "Eight GPUs of one node wait for 10.5% of the step.", {"ranks": 8}),
        Named(
            "Over the node's border",
            "Sixteen GPUs in two whole nodes wait for 29.0% of the step, although their ring is nearly as fast.",
            {"ranks": 16},
        ),
        Named(
            "A node for each rank",
            "The same eight ranks through one adapter each wait for 64.4% of the step.",
            {"most": "1"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Eight GPUs that share one sequence of 8,192 tokens wait for 16.7% of the step, so keep this in reserve.",
            {"layer": "llama", "hidden": 8192, "sequences": 1, "tokens": 8192},
        ),
    ],
)
def tensor_layer(
    *,
    ranks: int,
    most: str,
    hide: str,
    layer: str,
    hidden: int,
    sequences: int,
    tokens: int,
    node: str,
    utilization: int,
    latency_s: float,
) -> Picture:
    """Draw the time of a layer's step for every number of ranks, and the share that waits."""
    if ranks not in _RANKS:
        raise ValueError(f"The ranks of this figure are powers of two, from 1 to 64, and not {ranks}.")
    setting = _Setting(int(most), node, sequences, tokens, hidden, layer, utilization / 100, latency_s)
    hidden_backward = hide == "backward"
    times = {t: setting.times(t, hide=hidden_backward) for t in _RANKS}
    bandwidth, here = setting.bandwidth(ranks)
    compute, waiting = times[ranks]
    step, share = compute + waiting, setting.share(ranks, hide=hidden_backward)
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
    paid_ms = 1e3 * ranks * step
    digits = 0 if paid_ms >= 100 else 1
    exactly = f"{sequences:,} × {tokens:,} tokens"
    numbers = (
        f"The step of {exactly} takes {in_units(step, 's')} {stand}{at}: {in_units(compute, 's')} of computing and "
        f"{in_units(waiting, 's')} of waiting, {share:.1f}% of the step. All ranks together pay "
        f"{paid_ms:,.{digits}f} GPU-ms."
    )
    alt = (
        f"First: bars for 1 to 64 ranks, the time of a step; that of {ranks} ranks is {in_units(step, 's')}, of which "
        f"{in_units(waiting, 's')} are waiting. Second: the share that waits against the number of ranks; it rises "
        f"from 0 to {setting.share(64, hide=hidden_backward):.0f}% at 64, and a dot marks {ranks} ranks and "
        f"{share:.1f}%."
    )
    return Picture([_bars(times, ranks), _curve(setting, ranks, share, hide=hidden_backward)], numbers, alt)


def _bars(times: dict[int, tuple[float, float]], ranks: int) -> Panel:
    """Draw for each number of ranks the step, computing first."""
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Time of a layer's step", bold=True)
    scale = 190 / max(map(sum, times.values()))
    for row, (t, (compute, waiting)) in enumerate(times.items()):
        y = 30.0 + 27 * row
        if t == ranks:
            panel.rectangles([(0.0, y - 4, _WIDTH - 1.0, 26.0)], colour="accent", strength=0.08)
        panel.text(28, y + 9, f"{t}", anchor="end", middle=True, size=12, bold=t == ranks)
        panel.rectangles([(38.0, y, compute * scale, 18.0)], colour="forward", strength=0.5)
        if t > 1:
            panel.rectangles([(38 + compute * scale, y, waiting * scale, 18.0)], colour="communication", strength=0.5)
        panel.text(44 + (compute + waiting) * scale, y + 9, in_units(compute + waiting, "s"), middle=True, size=12)
    panel.text(0, 244, "ranks t; blue: computing, red: waiting", size=12, colour="muted")
    return panel


def _curve(setting: _Setting, ranks: int, share: float, *, hide: bool) -> Panel:
    title = "Waits, % of the step; dashed: none hidden" if hide else "Waits, % of the step"
    plot = Plot(_ACROSS, _SHARES, title=title, width_px=_WIDTH)
    if hide:
        points = [(float(t), setting.share(t, hide=False)) for t in _RANKS]
        plot.curve(points, colour="muted", width=1.2, dashed=True)
    plot.curve([(float(t), setting.share(t, hide=hide)) for t in _RANKS], colour="communication")
    plot.dots([(float(ranks), share)], colour="communication", radius=5)
    first = ranks == 1
    x, y = plot.x(ranks) + (6 if first else -6), max(plot.y(share) - 24, plot.top + 14)
    plot.panel.text(x, y, f"{share:.1f}%", anchor="start" if first else "end", bold=True)
    return plot.panel
