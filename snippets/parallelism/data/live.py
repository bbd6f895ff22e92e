"""Drawings: the live figure of chapter 16: one batch shared by N machines, on a clock, and its efficiency against N."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from snippets.all_reduce import ring_all_reduce_time_s
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.parallelism.data.formulas import exposed_all_reduce_s, shared_batch_efficiency, tokens_to_hide_all_reduce
from snippets.parallelism.data.steps import shared_step

MESSAGE_S = 5e-6
GRADIENT_BYTES = 2
_WIDTH = 328.0
_MOST_RANKS = 1024
LINKS = {"1.25": "10 Gb/s", "12.5": "100 Gb/s", "50": "400 Gb/s", "450": "450 GB/s"}
_MANY = 40


def _ring(ranks: int, link: str) -> dict[str, Any]:
    """Return α and β of an all-reduce by a ring of ranks over one of the figure's links.

    >>> round(_ring(4, "12.5")["latency_s"] * 1e6, 9)
    30.0
    """
    N, bandwidth = max(2, ranks), float(link) * 1e9
    return {"latency_s": 2 * (N - 1) * MESSAGE_S, "bandwidth_bytes_per_s": bandwidth * N / (2 * (N - 1))}


@live_figure(
    title="Share one batch",
    caption="First: the last micro-batch of a step on the GPU, its forward and backward "
    "pass, and below it the link with its buckets. Second: efficiency against the number of machines, for the same "
    "batch; dashed, with one bucket, when nothing overlaps; the thin line is at 0.9. "
    "A message costs 5 µs, and gradients have 2 bytes.",
    knobs=[
        Number("machines", "Machines N", 4, 1, _MOST_RANKS, 2, "log"),
        Number("batch", "Tokens of the batch", 2**16, 2**12, 2**24, 2, "log"),
        Number("most", "Tokens of a micro-batch, at most", 2**13, 2**8, 2**17, 2, "log"),
        Number("buckets", "Buckets k", 8, 1, 256, 1),
        Number("parameters", "Parameters", 1e9, 1e8, 1e11, 10**0.1, "log"),
        Number("tera", "TFLOP/s of a GPU", 125, 25, 1000, 25),
        Choice("link", "Link of a machine", LINKS, "12.5"),
    ],
    named=[
        Named(
            "The question",
            "64 machines wait for 8.54% of the step. Turn the buckets down to one, which is no overlap, and up again.",
            {"machines": 64, "batch": 2**20, "buckets": 25, "parameters": 1557611200},
        ),
        Named(
            "Ten times the parameters",
            "They wait for 7.56% of the step: all times are ten times as long, but for the latency.",
            {"machines": 64, "batch": 2**20, "buckets": 25, "parameters": 15576112000},
        ),
        Named(
            "A faster GPU",
            "At four times the speed the GPU waits for 57.1% of the step, and it takes 39,375 tokens to hide the sum, "
            "all but its last bucket.",
            {"machines": 64, "batch": 2**20, "buckets": 25, "parameters": 1557611200, "tera": 500},
        ),
    ],
)
def shared_batch(
    *, machines: int, batch: int, most: int, buckets: int, parameters: float, tera: float, link: str
) -> Picture:
    """Draw the last micro-batch of a step on a clock, and the efficiency of all numbers of machines."""
    size: dict[str, Any] = {
        "batch": batch,
        "most": most,
        "buckets": buckets,
        "parameters": parameters,
        "tera": tera,
        "link": link,
    }
    count, tokens, forward, backward, exposed, share = _one(machines, **size)
    hiding = tokens_to_hide_all_reduce(
        ranks=machines,
        flops_per_s=tera * 1e12,
        bandwidth_bytes_per_s=float(link) * 1e9,
        gradient_bytes=GRADIENT_BYTES,
    )
    step = count * (forward + backward) + exposed
    numbers = (
        f"Each of {machines:,} machines computes {count:,} micro-batch{'es' if count > 1 else ''} of {_short(tokens)} "
        f"tokens; a step takes {in_units(step, 's')}, and for {in_units(exposed, 's')} of it, {100 * share:.3g}%, "
        f"the GPU waits. It takes {_short(hiding)} tokens in a micro-batch to hide the bytes of the sum, "
        "all but the last bucket's."
    )
    alt = (
        f"First: a forward pass of {in_units(forward, 's')} and a backward pass of {in_units(backward, 's')}, below "
        f"them the link with its buckets, and {in_units(exposed, 's')} of waiting at the end. Second: the efficiency "
        f"falls with the number of machines; a dot at {machines:,} and {100 * (1 - share):.3g}%."
    )
    panels = [_clock(machines, forward, backward, exposed, buckets, parameters, link), _against(machines, share, size)]
    return Picture(panels, numbers, alt, idle=("link", "buckets") if machines == 1 else ())


def _one(
    machines: int, *, batch: int, most: int, buckets: int, parameters: float, tera: float, link: str
) -> tuple[int, float, float, float, float, float]:
    """Return micro-batches, their tokens, forward, backward, exposed time, and the share of waiting."""
    count = math.ceil(batch / machines / most)
    tokens = batch / machines / count
    forward = 2 * parameters * tokens / (tera * 1e12)
    exposed = 0.0
    if machines > 1:
        exposed = exposed_all_reduce_s(
            backward_s=2 * forward, total_bytes=GRADIENT_BYTES * parameters, buckets=buckets, **_ring(machines, link)
        )
    efficiency = shared_batch_efficiency(
        ranks=machines, batch_s=3 * forward * count * machines, exposed_s=max(0.0, exposed)
    )
    return count, tokens, forward, 2 * forward, exposed, 1 - efficiency


def _short(tokens: float) -> str:
    return f"{tokens:,.0f}" if tokens >= 100 else f"{tokens:.3g}"


def _clock(
    machines: int, forward: float, backward: float, exposed: float, buckets: int, parameters: float, link: str
) -> Panel:
    """Draw the last micro-batch: the passes, and the buckets on the link."""
    total = forward + backward + exposed
    left, scale = 40.0, (_WIDTH - 54) / total
    panel = Panel(_WIDTH, 150)
    panel.text(0, 14, "The last micro-batch", bold=True)
    for name, y in (("GPU", 43.0), ("link", 83.0)):
        panel.text(left - 8, y, name, anchor="end", middle=True)
    for name, start, length, label in (
        ("forward", 0.0, forward, "F"),
        ("backward", forward, backward, "B"),
        ("idle", forward + backward, exposed, "waits"),
    ):
        wide = length * scale
        panel.rectangle(left + start * scale, 30, wide, 26, colour=name, label=label if wide > 9 * len(label) else "")
    if machines > 1:
        sent = shared_step(
            micro_batches=1,
            forward_s=forward,
            backward_s=backward,
            total_bytes=GRADIENT_BYTES * parameters,
            buckets=buckets,
            **_ring(machines, link),
        ).buckets
        boxes = [(left + b.start_s * scale, 70.0, (b.end_s - b.start_s) * scale, 26.0) for b in sent]
        if buckets > _MANY:
            panel.bars(boxes, colour="communication", strength=0.45)
        else:
            panel.rectangles(boxes, colour="communication")
    panel.line(left, 108, left + total * scale, 108)
    for tick in Axis(0, total).marks(4):
        x = left + tick * scale
        panel.line(x, 108, x, 112)
        if x < _WIDTH - 26:
            panel.text(x, 126, in_units(tick, "s") if tick else "0", anchor="middle", colour="muted", size=12)
    if machines > 1:
        alone = ring_all_reduce_time_s(
            ranks=machines,
            size_bytes=GRADIENT_BYTES * parameters,
            latency_s=MESSAGE_S,
            bandwidth_bytes_per_s=float(link) * 1e9,
        )
        panel.text(0, 145, f"the sum alone, in one bucket: {in_units(alone, 's')}", size=12, colour="muted")
    return panel


def _against(machines: int, share: float, size: Mapping[str, Any]) -> Panel:
    """Draw the efficiency against the number of machines, with the chosen buckets and with one."""
    counts = [2**power for power in range(11) if 2**power <= size["batch"]]
    plot = Plot(
        Axis(1, _MOST_RANKS, "log", "machines N", ticks=(1, 4, 16, 64, 256, 1024)),
        Axis(0, 1.08, ticks=(0, 0.2, 0.4, 0.6, 0.8, 1)),
        title="Efficiency, the same batch",
        width_px=_WIDTH,
        height_px=230,
    )
    plot.curve([(1, 0.9), (_MOST_RANKS, 0.9)], colour="muted", width=1, dashed=True)
    one = [(N, 1 - _one(N, **{**size, "buckets": 1})[5]) for N in counts]
    plot.curve(one, colour="idle", dashed=True)
    plot.curve([(N, 1 - _one(N, **size)[5]) for N in counts], colour="accent")
    plot.dots([(machines, 1 - share)], colour="ink", radius=5)
    said = f"N = {machines:,}: {100 * (1 - share):.3g}%"
    plot.panel.text(plot.left + 8, plot.bottom - 10, said, bold=True)
    return plot.panel
