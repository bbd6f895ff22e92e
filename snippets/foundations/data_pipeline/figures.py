"""Drawings: a loader's lanes, queue and busy share, a shuffle buffer's delays, and ranks that share an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from snippets.drawing import Panel
from snippets.foundations.data_pipeline.epoch_order import epoch_rank_share
from snippets.foundations.data_pipeline.formulas import LoaderRun, still_in_buffer_share
from snippets.live.axes import Axis, Plot
from snippets.palette import rank as rank_colour

WIDTH = 340.0
_LEFT, _RIGHT, _LANE = 64.0, 12.0, 20.0
BATCHES_DRAWN = 60  # of one run


def _place(moment: float, until_s: float, width: float) -> float:
    return _LEFT + (width - _LEFT - _RIGHT) * moment / until_s


def _time_axis(panel: Panel, y: float, until_s: float, width: float) -> None:
    panel.line(_LEFT, y, width - _RIGHT, y)
    for tick in range(0, int(until_s) + 1, 2 if until_s > 8 else 1):
        x = _place(tick, until_s, width)
        panel.line(x, y, x, y + 4)
        panel.text(x, y + 17, f"{tick} s", anchor="middle", colour="muted", size=12)


def loader_lanes_panel(
    runs: Mapping[str, tuple[LoaderRun, int]],
    *,
    until_s: float,
    width_px: float = WIDTH,
    followed: int | None = None,
    ahead: Mapping[str, int] | None = None,
) -> Panel:
    """Draw runs one above the other on one axis of time: a lane for each worker, below them one for the GPU.

    Args:
        runs: by title, a run and its number of workers.
        until_s: seconds that the axis shows.
        width_px: width of the panel.
        followed: a batch at which to look: marked are its head start, from when it is asked for to when the GPU would
            need it, and the stretches in which a worker rests.
        ahead: by title, how many batches may be asked for and not yet be taken; ``followed`` needs it.

    Returns:
        The panel.
    """
    below = 22 if followed is not None else 0
    heights = [32 + (workers + 1) * _LANE + below for _, workers in runs.values()]
    panel = Panel(width_px, sum(heights) + 26)
    top: float = 0
    for (title, (run, workers)), height in zip(runs.items(), heights, strict=True):
        panel.text(0, top + 14, title, bold=True)
        for row in range(workers + 1):
            name = f"worker {row}" if row < min(workers, 10) else str(row) if row < workers else "GPU"
            panel.text(_LEFT - 6, top + 24 + (row + 0.5) * _LANE, name, anchor="end", size=12, middle=True)
        for batch, (start, end) in enumerate(zip(run.starts_s, run.ends_s, strict=True)):
            lane = top + 24 + (batch % workers) * _LANE
            _block(panel, start, end, lane, str(batch), "communication", until_s, width_px, strong=batch == followed)
        gpu, free = top + 24 + workers * _LANE, 0.0
        for batch, take in enumerate(run.takes_s):
            if take > free:
                waits = f"waits {take - free:.3g} s" if followed is not None and batch == followed else ""
                _block(panel, free, take, gpu, waits, "idle", until_s, width_px)
            free = take + run.step_s
            _block(panel, take, free, gpu, str(batch), "forward", until_s, width_px)
        if followed is not None:
            _rests(panel, run, workers, top + 24, until_s, width_px)
            _head_start(panel, run, followed, (ahead or {})[title], gpu + _LANE, until_s, width_px)
        top += height
    _time_axis(panel, top, until_s, width_px)
    return panel


def _rests(panel: Panel, run: LoaderRun, workers: int, top: float, until_s: float, width: float) -> None:
    """Write where a worker rests between two batches."""
    for batch in range(len(run.starts_s) - workers):
        end, start = run.ends_s[batch], run.starts_s[batch + workers]
        x, right = _place(end, until_s, width), _place(min(start, until_s), until_s, width)
        if end < until_s and right - x > 34:
            y = top + (batch % workers + 0.5) * _LANE
            panel.text((x + right) / 2, y, "rests", anchor="middle", colour="muted", size=12, middle=True)


def _head_start(panel: Panel, run: LoaderRun, batch: int, ahead: int, y: float, until_s: float, width: float) -> None:
    """Draw from when a batch is asked for to when the GPU, if it has not waited since, needs it."""
    asked = run.takes_s[batch - ahead] if batch >= ahead else 0.0
    needed = run.takes_s[batch - 1] + run.step_s
    x, right = _place(asked, until_s, width), _place(needed, until_s, width)
    for end in (x, right):
        panel.line(end, y, end, y + 14, colour="accent")
    panel.arrow(x, y + 8, right, y + 8, colour="accent")
    panel.text(right + 6, y + 8, f"{needed - asked:.3g} s ahead", colour="accent", size=12, middle=True)


def _block(
    panel: Panel,
    start: float,
    end: float,
    y: float,
    label: str,
    colour: str,
    until_s: float,
    width: float,
    *,
    strong: bool = False,
) -> None:
    """Draw a block from a moment to another; its label only where there is room."""
    if start >= until_s:
        return
    x, right = _place(start, until_s, width), _place(min(end, until_s), until_s, width)
    strength = 0.6 if strong else {"idle": 0.12, "forward": 0.5, "communication": 0.22}[colour]
    panel.rectangle(x, y + 2, right - x, _LANE - 4, colour=colour, strength=strength)
    if right - x > 6 + 6 * len(label) and label:
        panel.text((x + right) / 2, y + _LANE / 2, label, anchor="middle", size=12, middle=True)


def levels_panel(runs: Mapping[str, LoaderRun], *, until_s: float, most: int, width_px: float = WIDTH) -> Panel:
    """Draw how many finished batches wait over time, a row for each run, and below each row when the GPU stalls.

    Args:
        runs: by title, runs of the same batches.
        until_s: seconds that the axis shows.
        most: batches at the top of each row.
        width_px: width of the panel.

    Returns:
        The panel.
    """
    row, tall = 128.0, 80.0
    panel = Panel(width_px, row * len(runs) + 26)
    for number, (title, run) in enumerate(runs.items()):
        base = number * row + 24 + tall
        panel.text(0, number * row + 14, title, bold=True)
        for level in (0, most):
            y = base - tall * level / most
            panel.line(_LEFT, y, width_px - _RIGHT, y, colour="line")
            panel.text(_LEFT - 6, y, str(level), anchor="end", colour="muted", size=12, middle=True)
        points, level = [(_LEFT, base)], 0
        for moment, after in waiting(run):
            if moment > until_s:
                break
            x = _place(moment, until_s, width_px)
            points += [(x, base - tall * height / most) for height in (level, after)]
            level = after
        points.append((width_px - _RIGHT, base - tall * level / most))
        panel.curve(points, colour="accent", width=1.5)
        panel.text(_LEFT - 6, base + 11, "stalls", anchor="end", size=12, middle=True)
        for start, end in stalls(run):
            if start < until_s:
                x = _place(start, until_s, width_px)
                length = _place(min(end, until_s), until_s, width_px) - x
                panel.rectangle(x, base + 5, length, 11, colour="communication", strength=0.6)
    _time_axis(panel, row * len(runs), until_s, width_px)
    return panel


def waiting(run: LoaderRun) -> list[tuple[float, int]]:
    """Return the moments at which the number of finished batches that wait changes, and what it is from then on.

    Args:
        run: the clock of a loader. A batch that is taken as it is finished never waits.

    >>> waiting(LoaderRun(1.0, (0.0, 0.0, 2.0), (2.0, 2.0, 4.0), (2.0, 3.0, 4.0)))
    [(2.0, 1), (3.0, 0)]
    """
    changes = Counter(round(end, 9) for end in run.ends_s)
    changes.subtract(round(take, 9) for take in run.takes_s)
    moments = sorted(moment for moment, change in changes.items() if change)
    return list(zip(moments, accumulate(changes[moment] for moment in moments), strict=True))


def stalls(run: LoaderRun) -> list[tuple[float, float]]:
    """Return from when to when the GPU waits for a batch, the wait for the first one included.

    Args:
        run: the clock of a loader.

    >>> stalls(LoaderRun(1.0, (0.0, 0.0), (2.0, 4.0), (2.0, 4.0)))
    [(0.0, 2.0), (3.0, 4.0)]
    """
    free, found = 0.0, []
    for take in run.takes_s:
        if take > free + 1e-9:
            found.append((free, take))
        free = take + run.step_s
    return found


def busy_panel(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    steady: Sequence[tuple[float, float]],
    *,
    most: int,
    wanted: float | None = None,
    width_px: float = WIDTH,
) -> Panel:
    """Draw the GPU's busy share against the number of workers: Little's law, and runs by prefetch factor.

    Args:
        curves: by label, pairs of workers and share, each drawn as dots on a line.
        steady: pairs of workers and share of equal times, drawn dashed.
        most: workers at the right end.
        wanted: a share to reach: above the first dot of each curve there stand its workers and its label.
        width_px: width of the panel.

    Returns:
        The panel.
    """
    across = Axis(0, most, label="workers of one GPU", ticks=tuple(range(0, most + 1, 2)))
    plot = Plot(across, Axis(0, 140, label="GPU busy, %", ticks=(0, 25, 50, 75, 100)), width_px=width_px, height_px=290)
    plot.curve([(w, 100 * share) for w, share in steady], colour="muted", dashed=True)
    knee = steady[1][0]
    plot.panel.text(plot.x(0.77 * knee), plot.y(84), "equal times", anchor="end", colour="muted", size=12)
    if wanted is not None:
        plot.panel.line(plot.left, plot.y(100 * wanted), plot.right, plot.y(100 * wanted), colour="accent", dashed=True)
    colours = ("rank-1", "rank-0", "rank-2")
    for (label, points), colour in zip(curves.items(), colours, strict=False):
        percent = [(w, 100 * share) for w, share in points]
        plot.curve(percent, colour=colour, width=1.5)
        plot.dots(percent, colour=colour, radius=3)
        first = next((w for w, share in points if wanted is not None and share >= wanted), None)
        if first is None:
            plot.panel.text(plot.x(percent[-1][0]), plot.y(percent[-1][1]) - 8, label, anchor="end", colour=colour)
            continue
        x = plot.x(first)
        plot.panel.line(x, plot.y(103), x, plot.y(110), colour=colour)
        plot.panel.text(x, plot.y(113), str(first), anchor="middle", colour=colour, bold=True)
        plot.panel.text(x, plot.y(122), label, anchor="middle", colour=colour, size=12)
    return plot.panel


def delay_panel(counted: Mapping[int, Sequence[int]], *, most: int) -> Panel:
    """Draw the share of examples still in a shuffle buffer against the draws since they came in.

    Args:
        counted: by number of slots, the delays of examples, in draws, as a run has counted them.
        most: draws at the right end.

    Returns:
        The panel.
    """
    across = Axis(0, most, label="draws since it came in")
    plot = Plot(across, Axis(0, 112, label="still in the buffer, %", ticks=(0, 25, 50, 75, 100)), height_px=240)
    for (slots, delays), colour in zip(counted.items(), ("rank-1", "rank-0", "rank-2"), strict=False):
        exact = [(d, 100 * still_in_buffer_share(slots=slots, draws=d)) for d in range(0, most + 1, most // 40)]
        plot.curve(exact, colour=colour, width=1.5)
        seen = [(d, 100 * sum(x >= d for x in delays) / len(delays)) for d in range(0, most + 1, most // 10)]
        plot.dots(seen, colour=colour, radius=3.5)
        at = most * 0.32
        y = plot.y(100 * still_in_buffer_share(slots=slots, draws=int(at)))
        plot.panel.text(plot.x(at) + 8, y - 8, f"{slots:,} slots", colour=colour)
    return plot.panel


def order_panel(
    order: Sequence[int], *, batch: int, ranks: Sequence[int], stopped_after: int | None = None, title: str = ""
) -> Panel:
    """Draw an epoch's order as one row a step: each example in the colour of the rank that takes it.

    Args:
        order: the examples in their global order.
        batch: examples of a step, of all ranks.
        ranks: for each step, how many ranks share it.
        stopped_after: the step after which the run stops and goes on, if any.
        title: what stands above.

    Returns:
        The panel.
    """
    cell, left = 28.0, 128.0
    panel = Panel(WIDTH, (30 if title else 6) + 44 * len(ranks) + (32 if stopped_after is not None else 0))
    if title:
        panel.text(0, 14, title, bold=True)
    y = 28.0 if title else 4.0
    for step, count in enumerate(ranks):
        a, b = step * batch, min((step + 1) * batch, len(order))
        panel.text(0, y + 17, f"step {step}, {count} ranks", size=12)
        for rank in range(count):
            for place in epoch_rank_share(position=a, examples=b - a, ranks=count, rank=rank):
                x = left + (place - a) * cell
                panel.rectangle(x, y, cell - 3, 24, colour=rank_colour(rank), label=str(order[place]))
                panel.text(x + (cell - 3) / 2, y + 36, f"r{rank}", anchor="middle", colour="muted", size=12)
        y += 44
        if step == stopped_after:
            panel.line(0, y + 4, WIDTH - 10, y + 4, colour="communication", dashed=True)
            panel.text(0, y + 18, f"stopped; the state is position {b}", colour="communication", size=12)
            y += 32
    return panel
