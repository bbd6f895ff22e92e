"""Figures: a format's numbers on a line, what scales do to a block, updates that vanish, what is left of a gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.efficiency.precision.formats import format_values, scaled_block
from snippets.live.axes import Axis, Plot

WIDTH = 560
NARROW = 340
_FORMAT_TITLES = {"e2m1": "4 bits, E2M1", "e4m3": "8 bits, E4M3"}


def number_lines_panel(
    *, number_formats: Sequence[str] = ("e2m1", "e4m3"), most: float = 6.0, width_px: float = WIDTH
) -> Panel:
    """Draw the numbers of formats from 0 to a number, each format on a line, all on one axis.

    Args:
        number_formats: their names, from the top.
        most: the end of the axis.
        width_px: width of the picture.

    Returns:
        The picture: a mark for each number, with its value in the formats of 4 bits.
    """
    left, right, row = 12.0, 14.0, 84.0
    scale = (width_px - left - right) / most
    panel = Panel(width_px, row * len(number_formats) - 14)
    for number, name in enumerate(number_formats):
        y = 44 + row * number
        panel.text(0, y - 28, _FORMAT_TITLES.get(name, name), bold=True, size=12.5)
        panel.line(left, y, left + most * scale, y, colour="line")
        kept = [value for value in format_values(name) if 0 <= value <= most]
        few = len(kept) < 20
        for value in kept:
            x = left + value * scale
            panel.line(x, y - 9, x, y + 9, colour="accent" if few else "muted")
            if few:
                panel.text(x, y + 24, f"{value:g}", anchor="middle", size=12.5)
        if not few:
            panel.text(left + most * scale, y - 28, f"{len(kept)} numbers from 0 to {most:g}", anchor="end", size=12.5)
    return panel


def block_scales_panel(
    values: Sequence[float], *, block: int, number_format: str = "e2m1", width_px: float = WIDTH
) -> Panel:
    """Write numbers, what is left of them with one scale for all, and with a scale for each block.

    Args:
        values: the numbers; their largest sets the scale.
        block: numbers that share a scale in the last row.
        number_format: of the rounded numbers.
        width_px: width of the picture.

    Returns:
        The picture: three rows of numbers; those that became 0 on red.
    """
    most = max(format_values(number_format))

    def rounded(numbers: Sequence[float]) -> tuple[float, ...]:
        """Scale the largest to the format's largest, round, and scale back."""
        return scaled_block(numbers, scale=max(map(abs, numbers)) / most, number_format=number_format)

    blocks = [values[start : start + block] for start in range(0, len(values), block)]
    rows = {
        "the numbers": tuple(values),
        "one scale for all": rounded(values),
        f"a scale for each {block}": tuple(value for each in blocks for value in rounded(each)),
    }
    panel = Panel(width_px, 58 * len(rows))
    width = (width_px - 2.0) / len(values)
    for line, (title, numbers) in enumerate(rows.items()):
        y = 58.0 * line
        panel.text(0, y + 13, title, bold=True, size=12.5)
        for place, value in enumerate(numbers):
            lost = value == 0 and values[place] != 0
            hue = "communication" if lost else ("forward", "optimizer")[place // block % 2]
            shade = "forward" if line == 1 and not lost else hue
            panel.rectangle(1 + place * width, y + 20, width - 2, 26, colour=shade, strength=0.35 if lost else 0.2)
            panel.text(
                place * width + width / 2,
                y + 33,
                f"{value:.3g}".replace("-", "−"),
                anchor="middle",
                middle=True,
                size=12.5,
                bold=lost,
            )
    return panel


def updates_plot(paths: Mapping[str, Sequence[float]], *, wide: bool = True) -> Panel:
    """Plot what becomes of a weight to which the same small update is added again and again.

    Args:
        paths: for each way to keep the weight its value after every update; at most four.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: a line for each way, with its name at the end.
    """
    steps = max(map(len, paths.values())) - 1
    values = [value for path in paths.values() for value in path]
    low, high = min(values), max(values)
    plot = Plot(
        Axis(0, steps, label="updates"),
        Axis(low, low + 1.12 * (high - low)),
        title="The weight",
        width_px=WIDTH if wide else NARROW,
        height_px=270,
    )
    hues = ("muted", "accent", "communication", "optimizer")
    for (name, path), hue in zip(paths.items(), hues, strict=False):
        plot.curve(_corners(path), colour=hue, width=4 if hue == "muted" else 2)
        flat = path[-1] == path[0]
        place = 0.97 if flat else 0.62 if wide else 0.5
        at = round(place * steps)
        lift = -10 if flat or hue == "muted" else 22
        nudge = -14 if hue == "muted" else 10
        panel_x, panel_y = plot.x(at), plot.y(path[at]) + lift
        plot.panel.text(
            panel_x if flat else panel_x + nudge,
            panel_y,
            name,
            anchor="end" if flat or hue == "muted" else "start",
            colour=hue if hue != "muted" else "ink",
            size=12.5,
        )
    return plot.panel


def _corners(path: Sequence[float]) -> list[tuple[float, float]]:
    """Return the points that a line through a path needs: the ends of its flat and of its straight stretches."""
    last = len(path) - 1
    kept = [0]
    for step in range(1, last):
        before, after = path[step] - path[step - 1], path[step + 1] - path[step]
        if abs(after - before) > 1e-6:
            kept.append(step)
    return [(step, path[step]) for step in (*kept, last)]


def gains_panel(gains: Mapping[str, float], *, reported: Sequence[str] = (), width_px: float = WIDTH) -> Panel:
    """Draw speed-ups as bars from 1 on one axis, one below the other.

    Args:
        gains: factors by name, at least 1, from the promise to what is left.
        reported: names of those that rest on a measured step, in another colour.
        width_px: width of the picture.

    Returns:
        The picture: a bar for what is gained beyond 1, with its value in per cent.
    """
    row = 40.0
    panel = Panel(width_px, row * len(gains) + 4)
    scale = (width_px - 56.0) / (max(gains.values()) - 1)
    for number, (name, factor) in enumerate(gains.items()):
        y = 4 + row * number
        panel.text(0, y + 10, name, size=12.5, bold=name in reported)
        length = (factor - 1) * scale
        panel.rectangle(1, y + 15, length, 15, colour="optimizer" if name in reported else "forward", strength=0.5)
        panel.text(length + 8, y + 23, f"{100 * (factor - 1):.0f}%", middle=True, bold=name in reported, size=12.5)
    return panel
