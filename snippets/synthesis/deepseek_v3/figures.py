"""Figures: what a layer's tensor group waits beside what it computes, on two links."""

from __future__ import annotations

from collections.abc import Mapping

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.synthesis.deepseek_v3.formulas import open_tensor_wait_s


def layer_waits_panel(
    links: Mapping[str, float],
    *,
    busy_ms: float,
    open_halves: int,
    micro_batch_tokens: int,
    hidden: int,
    latency_s: float,
    widths: tuple[int, ...] = (1, 2, 4, 8),
) -> Panel:
    """Draw, for several numbers of GPUs to a layer, how long they work on it and how long they wait on each link.

    Args:
        links: bytes a second inside the node, by name.
        busy_ms: milliseconds of one GPU alone.
        open_halves: as in ``open_tensor_wait_s``.
        micro_batch_tokens: as there.
        hidden: as there.
        latency_s: as there.
        widths: numbers of GPUs; with 1 there is one bar for all links.

    Returns:
        The panel, 340 pixels wide.
    """
    bars = []
    for t in widths:
        for name, rate in links.items():
            wait = 1e3 * open_tensor_wait_s(
                tensor_parallel=t,
                open_halves=open_halves,
                micro_batch_tokens=micro_batch_tokens,
                hidden=hidden,
                bandwidth_bytes_per_s=rate,
                latency_s=latency_s,
            )
            parts = [(busy_ms / t, "forward"), (wait, "communication")]
            said = f"{busy_ms / t:.3g} ms" + (f" + {wait:.2g}, {wait * t / busy_ms:.0%}" if t > 1 else "")
            bars.append(Bar(f"t = {t}" + (f", {name}" if t > 1 else ""), parts, said))
            if t == 1:
                break
    panel = Panel(340, 34 + 42 * len(bars))
    draw_key(panel, {"forward": "working", "communication": "waiting for each other"}, step=100)
    draw_bars(panel, bars, top=42)
    return panel
