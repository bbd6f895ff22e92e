"""Figures: who waits for whom when a fleet generates and trains, where ranks drift, and how far."""

from __future__ import annotations

from typing import Any

from snippets.drawing import Panel
from snippets.efficiency.local_sgd.formulas import local_sgd_rest_point
from snippets.efficiency.local_sgd.programs import run_local_sgd
from snippets.live.axes import Axis, Plot
from snippets.palette import rank

WIDTH = 560
NARROW = 340
_HUES = {"generate": "forward", "train": "backward", "wait": "idle"}


def fleet_lanes_panel(
    *,
    generation_s: tuple[float, float],
    training_s: tuple[float, float],
    gpus: int,
    generating: int,
    steps: int,
    until: float,
    title: str,
    width_px: float = WIDTH,
) -> Panel:
    """Draw what each GPU of a fleet does that generates and trains, all in turn or each side its own.

    Args:
        generation_s: what generation takes on any number of GPUs, and the GPU-seconds that divide by them.
        training_s: the same of training.
        gpus: of the fleet, one lane each.
        generating: how many only generate; 0 if all of them do both in turn.
        steps: trained steps to draw, at least 1.
        until: the end of the axis, in seconds.
        title: above the picture.
        width_px: width of the picture.

    Returns:
        The picture: light blocks generate, dark ones train, with the number of the step that they belong to; grey is
        waiting, and what doesn't divide is drawn half as high. A line marks the end of every trained step.
    """
    left, right, row = 58.0, 12.0, 24.0
    scale = (width_px - left - right) / until
    panel = Panel(width_px, 34 + row * gpus + 40)
    panel.text(0, 14, title, bold=True)
    bottom = 24 + row * gpus + 6
    ends = []

    fixed = {"generate": generation_s[0], "train": training_s[0], "wait": 0.0}

    def block(lane: int, start: float, length: float, kind: str, label: str = "") -> None:
        strength = {"generate": 0.35, "train": 0.75, "wait": 0.3}[kind]
        tail = start + length - fixed[kind]
        low = min(start + length, until) - max(tail, start)
        if fixed[kind] and low > 1e-9:  # half as high: most GPUs are nearly empty
            y = 24 + row * lane + (row - 4) / 2
            panel.rectangle(
                left + max(tail, start) * scale, y, low * scale, (row - 4) / 2, colour=_HUES[kind], strength=strength
            )
        shown = min(tail, until) - start
        if shown > 1e-9:
            words = label if shown * scale > 14 else ""
            y = 24 + row * lane
            panel.rectangle(left + start * scale, y, shown * scale, row - 4, colour=_HUES[kind], strength=strength)
            if words:
                panel.text(
                    left + (start + shown / 2) * scale, y + row / 2 - 2, words, anchor="middle", middle=True, size=12
                )

    for lane in range(gpus):
        panel.text(left - 6, 24 + row * lane + row / 2 - 2, f"GPU {lane}", anchor="end", middle=True, size=12)
    if generating == 0:
        generate = generation_s[0] + generation_s[1] / gpus
        train = training_s[0] + training_s[1] / gpus
        for step in range(steps):
            start = step * (generate + train)
            for lane in range(gpus):
                block(lane, start, generate, "generate", str(step + 1))
                block(lane, start + generate, train, "train", str(step + 1))
            ends.append(start + generate + train)
    else:
        generate = generation_s[0] + generation_s[1] / generating
        train = training_s[0] + training_s[1] / (gpus - generating)
        written, free = [0.0], 0.0  # when each batch was written, and how long each side has been told what to do
        for step in range(1, steps + 2):
            start = max(written[-1], ends[step - 3] if step > 2 else 0.0)  # its weights are at most a step off
            for lane in range(generating):
                block(lane, written[-1], start - written[-1], "wait")
                block(lane, start, generate, "generate", str(step))
            written.append(start + generate)
            begins = max(written[-1], free)
            for lane in range(generating, gpus):
                block(lane, free, begins - free, "wait")
                block(lane, begins, train, "train", str(step))
            free = begins + train
            ends.append(free)
    for end in ends:
        if end <= until + 1e-9:
            x = left + end * scale
            panel.line(x, 20, x, bottom, colour="communication")
    panel.line(left, bottom, left + until * scale, bottom)
    for tick in Axis(0, until).marks(7):
        x = left + tick * scale
        panel.line(x, bottom, x, bottom + 4)
        panel.text(x, bottom + 17, f"{tick:g}" if tick else "0 s", anchor="middle", colour="muted", size=12)
    return panel


def site_rounds_panel(
    *, step_s: float, sync_s: float, local_steps: int, until: float, title: str, width_px: float = WIDTH
) -> Panel:
    """Draw two sites that train alone and stand still while they average.

    Args:
        step_s: of a site, above 0.
        sync_s: of an average.
        local_steps: between two averages, at least 1.
        until: the end of the axis, in seconds.
        title: above the picture.
        width_px: width of the picture.

    Returns:
        The picture: a lane for each site with its numbered steps, and a block over both wherever they average.
    """
    left, right, row, bottom = 58.0, 12.0, 24.0, 78.0
    scale = (width_px - left - right) / until
    panel = Panel(width_px, bottom + 34)
    panel.text(0, 14, title, bold=True)
    for site in range(2):
        panel.text(left - 6, 24 + row * site + row / 2 - 2, f"site {site}", anchor="end", middle=True, size=12)
    now, step = 0.0, 0
    while now < until - 1e-9:
        for _ in range(local_steps):
            length = min(step_s, until - now)
            step += 1
            if length <= 1e-9:
                break
            for site in range(2):
                y = 24 + row * site
                panel.rectangle(left + now * scale, y, length * scale, row - 4, colour="backward", strength=0.75)
                if length * scale > 14:
                    at = left + (now + length / 2) * scale
                    panel.text(at, y + row / 2 - 2, str(step), anchor="middle", middle=True, size=12)
            now += length
        length = min(sync_s, until - now)
        if length > 1e-9:
            panel.rectangle(left + now * scale, 24, length * scale, 2 * row - 4, colour="communication", strength=0.3)
        now += sync_s
    panel.line(left, bottom, left + until * scale, bottom)
    for tick in Axis(0, until).marks(7):
        x = left + tick * scale
        panel.line(x, bottom, x, bottom + 4)
        panel.text(x, bottom + 17, f"{tick:g}" if tick else "0 s", anchor="middle", colour="muted", size=12)
    return panel


def drift_plot(
    *,
    curvatures: tuple[float, ...] = (1.0, 3.0),
    minima: tuple[float, ...] = (0.0, 4.0),
    step_size: float = 0.25,
    local_steps: int = 8,
    rounds: int = 4,
    wide: bool = True,
) -> Panel:
    """Plot the weights of ranks that average now and then, step by step.

    Args:
        curvatures: of each rank's parabola, above 0.
        minima: where each is lowest, any finite numbers.
        step_size: of a local step.
        local_steps: between two averages.
        rounds: how many.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: a line for each rank, a dot at each average, and dashed lines where averaging every step and
        averaging every so many come to rest.
    """
    run = run_local_sgd(
        curvatures=[[each] for each in curvatures],
        minima=[[each] for each in minima],
        step_size=step_size,
        local_steps=local_steps,
        rounds=rounds,
    )
    right, rest = (
        local_sgd_rest_point(curvatures=curvatures, minima=minima, step_size=step_size, local_steps=count)
        for count in (1, local_steps)
    )
    last = local_steps * rounds
    low, high = min(0.0, *minima), max(0.0, *minima)
    margin = 0.15 * (high - low)
    plot = Plot(
        Axis(0, last, label="steps", ticks=tuple(range(0, last + 1, local_steps))),
        Axis(low - margin, high + margin),
        title="The weight on each rank",
        width_px=WIDTH if wide else NARROW,
        height_px=280,
    )
    for value, words, colour in (
        (right, f"every step: {right:g}" if wide else f"H = 1: {right:g}", "muted"),
        (rest, f"every {local_steps}: {rest:.2f}" if wide else f"H = {local_steps}: {rest:.2f}", "ink"),
    ):
        plot.panel.line(plot.left, plot.y(value), plot.right, plot.y(value), colour=colour, dashed=True)
        above = value == max(right, rest)
        y = plot.y(value) + (-7 if above else 15)
        at = plot.right if wide else plot.x(local_steps)  # on a phone in the first round, where there is room
        plot.panel.text(at - 4, y, words, anchor="end", colour=colour, size=12)
    for number, path in enumerate(run.paths):
        points: list[tuple[float, float]] = []
        for step in range(last + 1):
            if step and step % local_steps == 0:  # what the rank held before the average
                before = float(path[step - 1, 0])
                points.append((step, before - step_size * curvatures[number] * (before - minima[number])))
            points.append((step, float(path[step, 0])))
        plot.curve(points, colour=rank(number))
        plot.panel.text(
            plot.x(local_steps) + 4,
            plot.y(points[local_steps][1]) + (12 if points[local_steps][1] < rest else -4),
            f"rank {number}",
            colour=rank(number),
            size=12,
        )
    averages = [(local_steps * number, float(run.weights[number, 0])) for number in range(rounds + 1)]
    plot.dots(averages, colour="ink", radius=5)
    return plot.panel


def bytes_for_bias_plot(*, drift: float, wide: bool = True) -> Panel:
    """Plot how far from the minimum ranks come to rest, against the local steps between two averages.

    Args:
        drift: how much more the steepest of the ranks' parabolas is curved than their mean, from above 0 to below 1.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: for three step sizes a curve over the numbers of local steps, a dot for each of 1, 2, 4, …, 512.
    """
    curvatures = (1.0 - drift, 1.0 + drift)
    shape: dict[str, Any] = {"curvatures": curvatures, "minima": (0.0, 1.0)}
    at = local_sgd_rest_point(**shape, step_size=0.1, local_steps=1)
    plot = Plot(
        Axis(1, 512, "log", "H, local steps between averages", ticks=(1, 10, 100)),
        Axis(0, 0.5 * drift * 1.08, ticks=tuple(0.5 * drift * part for part in (0, 1 / 3, 2 / 3, 1))),
        title="How far it rests from the minimum",
        width_px=WIDTH if wide else NARROW,
        height_px=260,
    )
    for step_size, colour in ((0.3, "communication"), (0.03, "optimizer"), (0.003, "forward")):
        found = []
        for power in range(10):
            steps = 2**power
            found.append((steps, abs(local_sgd_rest_point(**shape, step_size=step_size, local_steps=steps) - at)))
        plot.curve(found, colour=colour)
        plot.dots(found, colour=colour, radius=3)
        place = min(found, key=lambda point: abs(point[1] - 0.25 * drift))
        plot.panel.text(
            plot.x(place[0]) - 9, plot.y(place[1]) - 4, f"η = {step_size:g}", colour=colour, size=12, anchor="end"
        )
    return plot.panel
