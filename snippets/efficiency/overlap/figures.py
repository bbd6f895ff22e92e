"""Figures: two lanes with micro-batches or tiles, the SMs of a GPU over time, and the time against the split of SMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from snippets.drawing import Panel
from snippets.efficiency.overlap.formulas import (
    best_comm_sms,
    sm_exchange_s,
    sm_split_time_s,
    squeezed_compute_s,
)
from snippets.efficiency.overlap.streams import GPU, NETWORK, sm_tasks
from snippets.live.axes import Axis, Plot
from snippets.memory.offloading.lanes import LaneTask, run_lanes

WIDTH = 560
NARROW = 340
_HUES = {GPU: "forward", NETWORK: "communication"}
_STRENGTHS = (0.25, 0.5)
_PASSES = (0.15, 0.6)


def two_lanes_panel(
    tasks: Sequence[LaneTask],
    *,
    title: str,
    until: float,
    labels: Sequence[str] = (),
    width_px: float = WIDTH,
) -> Panel:
    """Run tasks of the GPU's lane and of the network's, and draw both lanes on one axis.

    Args:
        tasks: of lanes ``GPU`` and ``NETWORK``; ``layer`` says whose they are, and every second one is darker.
        title: above the picture.
        until: the end of the axis, in the unit of the tasks' times, which is written as ms.
        labels: what is written into the blocks of each layer, by its number; none where they run out.
        width_px: width of the picture.

    Returns:
        The picture, with a dashed line at the end.
    """
    left, right = 62.0, 52.0
    scale = (width_px - left - right) / until
    panel = Panel(width_px, 122)
    panel.text(0, 14, title, bold=True)
    rows = {GPU: 26.0, NETWORK: 54.0}
    for lane, y in rows.items():
        panel.text(left - 6, y + 12, lane, anchor="end", middle=True, size=12)
    times = run_lanes(tasks)
    for task, when in zip(tasks, times, strict=True):
        number = task.layer or 0
        width = float(when.end_s - when.start_s) * scale
        label = labels[number] if number < len(labels) and width > 14 else ""
        panel.rectangle(
            left + float(when.start_s) * scale,
            rows[task.lane],
            width,
            24,
            colour=_HUES[task.lane],
            strength=_STRENGTHS[number % 2],
        )
        if label:
            x = left + float(when.start_s + when.end_s) / 2 * scale
            panel.text(x, rows[task.lane] + 12, label, anchor="middle", middle=True, size=12, bold=True)
    end = max(float(when.end_s) for when in times)
    x = left + end * scale
    panel.line(x, 22, x, 90, colour="ink", dashed=True)
    panel.text(x + 4, 50, f"{end:g} ms", middle=True, size=12, bold=True)
    panel.line(left, 92, left + until * scale, 92)
    for tick in Axis(0, until).marks(9 if width_px > NARROW else 5):
        at = left + tick * scale
        panel.line(at, 92, at, 96)
        panel.text(at, 110, f"{tick:g}" if tick else "0 ms", anchor="middle", colour="muted", size=12)
    return panel


def paired_lanes_panel(
    tasks: Sequence[LaneTask],
    *,
    title: str,
    since_layer: int,
    until: float,
    width_px: float = WIDTH,
    inside: Mapping[str, float] | None = None,
) -> Panel:
    """Run a pass forward beside one backward, and draw both lanes from the moment at which one layer's experts begin.

    Args:
        tasks: from ``paired_tasks``, in ms.
        title: above the picture.
        since_layer: whose experts, backward, begin at 0.
        until: the end of the axis, in ms.
        width_px: width of the picture.
        inside: where the passes aren't split: of a task's name, such as ``"experts back"``, how many ms at its end are
            drawn as gradients of weights; ignored if the tasks hold these apart.

    Returns:
        The picture: forward faint with small letters, backward stronger with capitals, gradients of weights in a hue of
        their own, with a dashed line where the next layer's experts begin; ``until`` must lie after it.
    """
    left, right = 62.0, 12.0
    scale = (width_px - left - right) / until
    panel = Panel(width_px, 122)
    panel.text(0, 14, title, bold=True)
    rows = {GPU: 26.0, NETWORK: 54.0}
    for lane, y in rows.items():
        panel.text(left - 6, y + 12, lane, anchor="end", middle=True, size=12)
    times = run_lanes(tasks)
    since, then = sorted(
        float(when.start_s)
        for task, when in zip(tasks, times, strict=True)
        if task.name == "experts back" and task.layer in (since_layer, since_layer + 1)
    )
    apart = any(task.name.endswith("weights") for task in tasks)
    drawn: list[tuple[LaneTask, bool, float, float]] = []
    for task, when in zip(tasks, times, strict=True):
        start, stop = float(when.start_s) - since, float(when.end_s) - since
        own = 0.0 if apart or inside is None else inside.get(task.name, 0.0)
        drawn.append((task, task.name.endswith("weights"), start, stop - own))
        drawn.append((task, True, stop - own, stop))
    for task, weights, start, stop in drawn:
        begin, end = max(0.0, start), min(until, stop)
        if end - begin < 1e-9:
            continue
        panel.rectangle(
            left + begin * scale,
            rows[task.lane],
            (end - begin) * scale,
            24,
            colour="weight-gradient" if weights else _HUES[task.lane],
            strength=0.5 if weights else _PASSES[task.name.endswith("back")],
        )
        if (end - begin) * scale > 14:
            letter = "W" if weights else task.name[0].upper() if task.name.endswith("back") else task.name[0]
            panel.text(
                left + (begin + end) / 2 * scale, rows[task.lane] + 12, letter, anchor="middle", middle=True, size=12
            )
    x = left + (then - since) * scale
    panel.line(x, 18, x, 90, colour="ink", dashed=True)
    panel.text(x, 14, f"{then - since:.1f} ms", anchor="end", size=12, bold=True)
    panel.line(left, 92, left + until * scale, 92)
    for tick in Axis(0, until).marks(9 if width_px > NARROW else 5):
        at = left + tick * scale
        panel.line(at, 92, at, 96)
        panel.text(at, 110, f"{tick:g}" if tick else "0 ms", anchor="middle", colour="muted", size=12)
    return panel


def sm_rows_panel(*, blocks: int, chunks: int, comm_sms: int, sms: int, until: float, width_px: float = WIDTH) -> Panel:
    """Draw the SMs of a small GPU over time, each in a row: blocks of a matmul and chunks of an exchange, 1 ms each.

    Args:
        blocks: of the matmul.
        chunks: of the exchange.
        comm_sms: SMs of the exchange, the upper rows.
        sms: SMs of the GPU.
        until: the end of the axis, in ms.
        width_px: width of the picture.

    Returns:
        The picture, with a dashed line where all have ended.
    """
    row, left, right = 9.0, 62.0, 52.0
    scale = (width_px - left - right) / until
    panel = Panel(width_px, row * sms + 54)
    panel.text(0, 14, f"{comm_sms} of {sms} SMs for the exchange", bold=True)
    tasks = sm_tasks(
        blocks=blocks,
        block_s=1.0,
        chunks=chunks,
        chunk_bytes=1.0,
        comm_sms=comm_sms,
        sms=sms,
        sm_bytes_per_s=1.0,
        link_bytes_per_s=1e12,
    )
    boxes: dict[str, list[tuple[float, float, float, float]]] = {"block": [], "copy": []}
    end = 0.0
    for task, when in zip(tasks, run_lanes(tasks), strict=True):
        if task.lane != "link":
            y = 22 + row * int(task.lane[3:])
            boxes[task.name].append((left + float(when.start_s) * scale, y, scale, row - 1))
            end = max(end, float(when.end_s))
    panel.rectangles(boxes["copy"], colour="communication", strength=0.55)
    panel.rectangles(boxes["block"], colour="forward", strength=0.45)
    panel.text(left - 6, 22 + row * comm_sms / 2, "copy", anchor="end", middle=True, size=12, colour="communication")
    panel.text(left - 6, 22 + row * (comm_sms + sms) / 2, "matmul", anchor="end", middle=True, size=12)
    x = left + end * scale
    bottom = 24 + row * sms
    panel.line(x, 20, x, bottom, colour="ink", dashed=True)
    panel.text(x + 4, 22 + row * sms / 2, f"{end:g} ms", middle=True, size=12, bold=True)
    panel.line(left, bottom, left + until * scale, bottom)
    for tick in Axis(0, until).marks(9 if width_px > NARROW else 5):
        at = left + tick * scale
        panel.line(at, bottom, at, bottom + 4)
        panel.text(at, bottom + 18, f"{tick:g}" if tick else "0 ms", anchor="middle", colour="muted", size=12)
    return panel


@lru_cache
def _simulated_ms(
    comm_sms: int, *, compute_s: float, total_bytes: float, sm_bytes_per_s: float, link_bytes_per_s: float, sms: int
) -> float:
    """Return when both lanes have ended, dealt out to the SMs in 30 rounds of blocks; the narrow form asks again."""
    tasks = sm_tasks(
        blocks=30 * (sms - comm_sms),
        block_s=compute_s * sms / (30 * (sms - comm_sms)),
        chunks=100 * comm_sms,
        chunk_bytes=total_bytes / (100 * comm_sms),
        comm_sms=comm_sms,
        sms=sms,
        sm_bytes_per_s=sm_bytes_per_s,
        link_bytes_per_s=link_bytes_per_s,
    )
    return 1e3 * max(float(when.end_s) for when in run_lanes(tasks))


def sm_split_plot(
    *,
    compute_s: float,
    total_bytes: float,
    sm_bytes_per_s: float,
    link_bytes_per_s: float,
    sms: int,
    usual_sms: int,
    wide: bool = True,
) -> Panel:
    """Plot the time of the matmuls and of the exchange beside them against the SMs that the exchange gets.

    Args:
        compute_s: the matmuls' time on all SMs.
        total_bytes: that the GPU sends.
        sm_bytes_per_s: what one SM moves.
        link_bytes_per_s: what the link carries.
        sms: SMs of the GPU.
        usual_sms: a second split to mark.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: both lanes as curves, the best split and the usual one as dots on the slower lane, and small
        dots of simulated SMs.
    """
    rates = {"sm_bytes_per_s": sm_bytes_per_s, "link_bytes_per_s": link_bytes_per_s}
    lanes = {"compute_s": compute_s, "total_bytes": total_bytes, **rates}
    plot = Plot(
        Axis(0, 32, label="SMs for the exchange", ticks=(0, 4, 8, 12, 16, 20, 24, 28, 32)),
        Axis(0, 60, ticks=(0, 10, 20, 30, 40, 50, 60)),
        title="ms until both are done",
        width_px=WIDTH if wide else NARROW,
        height_px=290,
    )
    counts = [g / 4 for g in range(4, 129)]
    squeezed = [(g, 1e3 * compute_s * sms / (sms - g)) for g in counts]
    sent = [(g, 1e3 * total_bytes / min(g * sm_bytes_per_s, link_bytes_per_s)) for g in counts]
    plot.curve(squeezed, colour="forward", width=2.5)
    plot.curve(sent, colour="communication", width=2.5)
    seen = [(float(g), _simulated_ms(g, **lanes, sms=sms)) for g in (6, 8, 16, 24, 28)]
    plot.dots(seen, colour="accent", radius=3)
    plot.panel.text(plot.x(seen[0][0]) + 8, plot.y(seen[0][1]), "simulated", middle=True, colour="accent", size=12)
    best = best_comm_sms(**lanes, sms=sms)
    for g, above in ((best, True), (usual_sms, False)):
        T = 1e3 * sm_split_time_s(comm_sms=g, **lanes, sms=sms)
        plot.dots([(float(g), T)], colour="ink", radius=5)
        x, y = plot.x(g), plot.y(T)
        words = f"{g} SMs: {T:.1f} ms" if wide else f"{g}: {T:.1f} ms"
        if above:
            plot.panel.line(x, plot.y(45), x, y - 7, colour="ink", dashed=True)
        plot.panel.text(
            x - 4 if above else x,
            plot.y(47) if above else y + 22,
            words,
            anchor="start" if above else "middle",
            bold=True,
            size=12,
        )
    slow = 1e3 * sm_exchange_s(total_bytes=total_bytes, comm_sms=usual_sms, **rates)
    plot.panel.text(plot.x(31.5), plot.y(slow) + 18, "exchange", anchor="end", colour="communication", size=12)
    late = 1e3 * squeezed_compute_s(compute_s=compute_s, comm_sms=28, sms=sms)
    plot.panel.text(plot.x(31.5), plot.y(late) - 14, "matmuls", anchor="end", colour="forward", size=12)
    return plot.panel
