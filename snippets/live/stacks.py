"""Drawings: rows of stacked bars, kinds of bytes beside each other, against the memory of a device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from snippets.domain import each, flag, nonnegative_number, number_between, positive_number, text
from snippets.drawing import MOST_PX, Panel
from snippets.palette import COLOURS

STRENGTH = 0.45
NAMES = {
    "parameters": "parameters",
    "gradients": "gradients",
    "optimizer": "optimizer state",
    "activations": "activations",
    "temporary": "temporary",
}
_HUES = {kind: kind if kind in COLOURS else "idle" for kind in NAMES}
_TOP, _ROW, _BAR, _LEGEND = 28.0, 46.0, 20.0, 18.0

Box = tuple[float, float, float, float]


def gigabytes(size_bytes: float) -> str:
    """Return bytes written in GB, 10⁹ bytes, whatever their size; a half is rounded up.

    Args:
        size_bytes: at least 0.

    >>> gigabytes(41.25e9), gigabytes(1.2345e12), gigabytes(0.03e9)
    ('41.3 GB', '1,235 GB', '0.03 GB')
    """
    size = nonnegative_number("size_bytes", size_bytes) / 1e9
    if 0 < size < 0.095:
        small = f"{size:.4f}".rstrip("0")
        return f"{small}0 GB" if small.endswith(".") else f"{small} GB"
    if size >= 999.95 or size == 0:
        return f"{math.floor(size + 0.5):,} GB"
    return f"{Decimal(str(size)).quantize(Decimal('0.1'), ROUND_HALF_UP)} GB"


def stacked_rows(
    rows: Mapping[str, Mapping[str, float]],
    *,
    title: str,
    marks: Sequence[str] = (),
    limit: float | None = None,
    limit_name: str = "",
    most: float | None = None,
    legend: bool = False,
    width_px: float = 328,
) -> Panel:
    """Draw a bar for each row, its kinds one after the other, with the row's name and sum above it.

    Args:
        rows: for each row's name the bytes of each kind, of those in ``NAMES``.
        title: above the rows.
        marks: what precedes the sum, a short text for each row (an empty one marks nothing); none if empty.
        limit: bytes at which a line crosses each bar, such as a device's memory; none if ``None``.
        limit_name: written under the line.
        most: bytes at which longer bars are cut off, with a word that says so; no bar is if ``None``.
        legend: whether the kinds are named in a line below the title, each with its colour.
        width_px: of the panel.

    Returns:
        The panel. The longest bar, or the line, ends at the right edge; without a legend, names of kinds stand in the
        bars where they fit.

    Raises:
        ValueError: there is no row, a kind is unknown, or a number is no finite number of at least 0.

    Example:
        >>> stacked_rows({"one": {"parameters": 2e9, "optimizer": 12e9}}, title="State", limit=80e9).height
        98.0
    """
    if not isinstance(rows, Mapping) or not rows:
        raise ValueError(f"rows must be a mapping of at least one row, got {rows!r}")
    marks = each("marks", marks, text)
    if len(marks) not in (0, len(rows)):
        raise ValueError(f"marks must hold a text for each of {len(rows)} rows, got {marks!r}")
    kinds = {kind for row in rows.values() for kind in row}
    if not kinds <= NAMES.keys():
        raise ValueError(f"rows must be of the kinds {', '.join(NAMES)}, got {', '.join(sorted(kinds))}")
    top = _TOP + _LEGEND * flag("legend", legend)
    panel = Panel(number_between("width_px", width_px, low=64, high=MOST_PX), top + _ROW * len(rows) + 24)
    panel.text(0, 14, text("title", title), bold=True)
    sums = {name: sum(nonnegative_number("rows", size) for size in row.values()) for name, row in rows.items()}
    line = 0.0 if limit is None else positive_number("limit", limit)
    longest = max(line, *sums.values()) or 1
    longest = longest if most is None else min(longest, max(line, positive_number("most", most)))
    scale = (panel.width - 3) / longest
    boxes: dict[str, list[Box]] = {}
    for number, (name, row) in enumerate(rows.items()):
        y = top + _ROW * number
        panel.text(0, y + 12, name + ", bar cut off" * (sums[name] > longest), size=12)
        mark = marks[number] if marks else ""
        panel.text(panel.width, y + 12, mark + gigabytes(sums[name]), anchor="end", size=12, bold=bool(mark))
        x = 1.0
        for kind, size in row.items():
            boxes.setdefault(kind, []).append((x, y + 18, max(0.0, min(size * scale, 1 + longest * scale - x)), _BAR))
            x += size * scale
    for kind, shapes in boxes.items():
        panel.rectangles([box for box in shapes if box[2] >= 0.05], colour=_HUES[kind], strength=STRENGTH)
    at = None if limit is None else 1 + line * scale
    if legend:
        _draw_legend(panel, list(boxes))
    else:
        _name_kinds(panel, boxes, at)
    if at is not None:
        _draw_limit(panel, at, text("limit_name", limit_name), len(rows), top)
    return panel


def _draw_legend(panel: Panel, kinds: Sequence[str]) -> None:
    """Write each kind's name behind a square of its colour, in a line below the title."""
    x = 1.0
    for kind in kinds:
        panel.rectangles([(x, _TOP - 4, 10, 10)], colour=_HUES[kind], strength=STRENGTH)
        panel.text(x + 15, _TOP + 5, NAMES[kind], size=12)
        x += 15 + 6.6 * len(NAMES[kind]) + 12


def _name_kinds(panel: Panel, boxes: Mapping[str, Sequence[Box]], limit: float | None) -> None:
    """Write a kind's name into its boxes where there is room beside the limit's line."""
    for kind, shapes in boxes.items():
        half = 3.7 * len(NAMES[kind]) + 2
        for x, y, width, height in shapes:
            end = x + width
            pieces = [(x, end)] if limit is None or not x < limit < end else [(x, limit), (limit, end)]
            start, stop = max(pieces, key=lambda piece: piece[1] - piece[0])
            if stop - start > 2 * half:
                panel.text((start + stop) / 2, y + height / 2, NAMES[kind], anchor="middle", middle=True, size=12)


def _draw_limit(panel: Panel, x: float, name: str, rows: int, top: float) -> None:
    for number in range(rows):
        panel.line(x, top + _ROW * number + 15, x, top + _ROW * number + 21 + _BAR, colour="ink")
    half = min(3.7 * len(name), panel.width / 2)
    panel.text(min(max(x, half), panel.width - half), panel.height - 6, name, anchor="middle", size=12)


def _pair(name: str, value: tuple[str, str]) -> tuple[str, str]:
    pair = each(name, value, text)
    if len(pair) != 2:
        raise ValueError(f"{name} must be two texts, got {value!r}")
    return pair[0], pair[1]


def kinds_panel(
    kinds: Mapping[str, float], *, title: str, below: Sequence[tuple[str, str]], width_px: float = 328
) -> Panel:
    """Draw the kinds of one bar as a list with their colours and sizes, and lines of text below it.

    Args:
        kinds: bytes of each kind, of those in ``NAMES``.
        title: above the list.
        below: pairs of a text at the left and one at the right.
        width_px: of the panel.

    Returns:
        The panel.

    Raises:
        ValueError: a kind is unknown, or a number is no finite number of at least 0.

    Example:
        >>> kinds_panel({"parameters": 2e9}, title="At the peak", below=[("in all", "2.0 GB")]).height
        89.0
    """
    if not isinstance(kinds, Mapping) or not kinds.keys() <= NAMES.keys():
        raise ValueError(f"kinds must be a mapping with keys of {', '.join(NAMES)}, got {kinds!r}")
    below, row = each("below", below, _pair), 24.5
    panel = Panel(number_between("width_px", width_px, low=64, high=MOST_PX), 40 + row * (len(kinds) + len(below)))
    panel.text(0, 14, text("title", title), bold=True)
    for number, (kind, size) in enumerate(kinds.items()):
        y = 30 + row * number
        panel.rectangles([(1.0, y, 14.0, 14.0)], colour=_HUES[kind], strength=STRENGTH)
        panel.text(24, y + 11, NAMES[kind])
        panel.text(panel.width, y + 11, gigabytes(size), anchor="end")
    y = 30 + row * len(kinds)
    panel.line(0, y - 2, panel.width, y - 2)
    for number, (left, right) in enumerate(below):
        panel.text(24, y + row * number + 15, left)
        panel.text(panel.width, y + row * number + 15, right, anchor="end", bold=number == len(below) - 1)
    return panel
