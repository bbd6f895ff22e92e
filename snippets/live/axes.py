"""Drawings: axes with ticks and a grid on a panel, linear or logarithmic, for curves in a live figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from snippets.domain import finite_number, integer_at_least, one_of, positive_number, text
from snippets.drawing import Panel
from snippets.live.knobs import in_units

Scale = Literal["linear", "log"]
_MOST_TICKS = 12


@dataclass(frozen=True)
class Axis:
    """One axis: its ends, its scale, and what is written beside it.

    Attributes:
        low: the value at its left or lower end.
        high: the value at its right or upper end, above ``low``.
        scale: ``linear`` or ``log``.
        label: what it shows, with symbol and unit, such as ``message n``.
        unit: written after the ticks with a prefix of the SI, such as ``B``; ``""`` for plain numbers.
        ticks: where to write; ``()`` chooses round values.
    """

    low: float
    high: float
    scale: Scale = "linear"
    label: str = ""
    unit: str = ""
    ticks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        one_of("scale", self.scale, ("linear", "log"))
        low, high = finite_number("low", self.low), finite_number("high", self.high)
        if low >= high or (self.scale == "log" and low <= 0):
            raise ValueError(f"high must be above low, and low above 0 on a log scale, got {low!r} and {high!r}")

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, 0 to 1; beyond them it is below 0 or above 1."""
        value = finite_number("value", value)
        if self.scale == "log":
            value = positive_number("value", value)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def marks(self, most: int = 6) -> tuple[float, ...]:
        """Return the values at which ticks stand: those given, or at most about ``most`` round ones."""
        most = min(integer_at_least("most", most, 2), _MOST_TICKS)
        if self.ticks:
            return self.ticks
        return self._decades(most) if self.scale == "log" else self._round(most)

    def _decades(self, most: int) -> tuple[float, ...]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        if last - first < 1:
            return self._round(most)
        every = math.ceil((last - first + 1) / most)
        return tuple(10.0**power for power in range(first, last + 1, every))

    def _round(self, most: int) -> tuple[float, ...]:
        raw = (self.high - self.low) / (most - 1)
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        values = [float(f"{number * step:.12g}") for number in range(first, last + 1)]
        return tuple(value for value in values if self.scale == "linear" or value > 0)


class Plot:
    """Axes on a new panel: draw curves and dots in the axes' own values, and texts or blocks on ``panel``.

    Example:
        >>> plot = Plot(Axis(1, 1e6, "log", "message n", "B"), Axis(0, 10, label="time (µs)"), title="A message")
        >>> plot.curve([(1, 5), (1e6, 9)], colour="accent", label="α + βn")
        >>> round(plot.x(1e3)), plot.panel.svg().startswith("<svg")
        (188, True)
    """

    def __init__(
        self, across: Axis, up: Axis, *, title: str = "", width_px: float = 340, height_px: float = 250
    ) -> None:
        self.across, self.up = across, up
        self.panel = Panel(width_px, height_px)
        self.left, self.right = 52.0, width_px - 16.0
        self.top, self.bottom = 30.0 if text("title", title) else 12.0, height_px - 42.0
        if title:
            self.panel.text(0, 14, title, bold=True)
        for value in across.marks(max(2, round((self.right - self.left) / 62))):
            x = self.x(value)
            self.panel.line(x, self.top, x, self.bottom, colour="line")
            self.panel.text(x, self.bottom + 16, in_units(value, across.unit), anchor="middle", colour="muted", size=12)
        for value in up.marks(max(2, round((self.bottom - self.top) / 40))):
            y = self.y(value)
            self.panel.line(self.left, y, self.right, y, colour="line")
            tick = in_units(value, up.unit)
            self.panel.text(self.left - 6, y, tick, anchor="end", colour="muted", size=12, middle=True)
        self.panel.line(self.left, self.bottom, self.right, self.bottom)
        if across.label:
            middle = (self.left + self.right) / 2
            self.panel.text(middle, height_px - 8, across.label, anchor="middle", colour="muted", size=12)
        if up.label:
            self.panel.text(self.left + 5, self.top + 11, up.label, colour="muted", size=12)

    def x(self, value: float) -> float:
        """Return the pixel of a value on the horizontal axis."""
        return self.left + self.across.share(value) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the pixel of a value on the vertical axis."""
        return self.bottom - self.up.share(value) * (self.bottom - self.top)

    def curve(
        self,
        points: Iterable[tuple[float, float]],
        *,
        colour: str,
        label: str = "",
        width: float = 2,
        dashed: bool = False,
    ) -> None:
        """Draw a curve through points of the axes' values, cut off at the axes; its label stands at its right end."""
        places = [(self.x(x), self.y(y)) for x, y in points]
        pieces = _clipped(places, (self.left, self.top, self.right, self.bottom))
        for piece in pieces:
            self.panel.curve(piece, colour=colour, width=width, dashed=dashed)
        if label and pieces:
            x, y = pieces[-1][-1]
            self.panel.text(min(x, self.right) - 2, y - 6, label, anchor="end", colour=colour, size=12)

    def dots(self, points: Iterable[tuple[float, float]], *, colour: str, radius: float = 4) -> None:
        """Draw dots at points of the axes' values; what lies beyond the axes is left out."""
        inside = [(x, y) for x, y in points if 0 <= self.across.share(x) <= 1 and 0 <= self.up.share(y) <= 1]
        self.panel.dots([(self.x(x), self.y(y)) for x, y in inside], colour=colour, radius=radius)


Place = tuple[float, float]


def _clipped(places: Sequence[Place], box: tuple[float, float, float, float]) -> list[list[Place]]:
    """Return the parts of a line from place to place that lie in a box of left, top, right, bottom."""
    pieces: list[list[Place]] = []
    for start, end in pairwise(places):
        part = _inside(start, end, box)
        if part is None:
            continue
        if pieces and pieces[-1][-1] == part[0]:
            pieces[-1].append(part[1])
        else:
            pieces.append([*part])
    return pieces


def _inside(start: Place, end: Place, box: tuple[float, float, float, float]) -> tuple[Place, Place] | None:
    """Return the part of one segment that lies in a box (Liang and Barsky's way), ``None`` if none does."""
    (x, y), (across, down) = start, (end[0] - start[0], end[1] - start[1])
    first, last = 0.0, 1.0
    for change, room in ((-across, x - box[0]), (across, box[2] - x), (-down, y - box[1]), (down, box[3] - y)):
        if change == 0:
            if room < 0:
                return None
        elif change < 0:
            first = max(first, room / change)
        else:
            last = min(last, room / change)
    if first > last:
        return None
    return (
        start if first == 0 else (x + first * across, y + first * down),
        end if last == 1 else (x + last * across, y + last * down),
    )
