"""Drawings: axes with ticks and a grid on a panel, linear or logarithmic, for curves in a live figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from snippets.domain import (
    each,
    finite_number,
    flag,
    integer_at_least,
    nonnegative_number,
    number_between,
    one_of,
    positive_number,
    text,
)
from snippets.drawing import FONT_PX, MOST_PX, Anchor, Panel, Spot
from snippets.live.knobs import FARTHEST, in_units
from snippets.palette import COLOURS

Scale = Literal["linear", "log"]
Place = tuple[float, float]
_MOST_TICKS = 12
_FARTHEST_SHOWN = 1e100  # so that no share overflows
_HAIR_PX = 1e-6  # so that a dot at an axis's very end is not lost by rounding
_LEAST_PX = 100.0  # of a plot: its margins take 68 pixels across and 72 down


@dataclass(frozen=True)
class Axis:
    """One axis: its ends, its scale, and what is written beside it.

    Attributes:
        low: the value at its left or lower end.
        high: the value at its right or upper end, above ``low``.
        scale: ``linear`` or ``log``.
        label: what it shows, with symbol and unit, such as ``message n``.
        unit: written after the ticks with a prefix of the SI, such as ``B``; ``""`` for plain numbers.
        ticks: where to write, of which those between the ends are shown; ``()`` chooses round values.
        span: what lies between the ends: their difference, on a logarithmic scale the logarithm of their ratio.

    Raises:
        ValueError: an end lies beyond 1e30, the ends are less than a billionth apart, or one is not above 0 on a
            logarithmic scale.

    Example:
        >>> axis = Axis(1, 1e6, "log", "message n", "B")
        >>> axis.share(1000), axis.marks(most=4)
        (0.5, (1.0, 100.0, 10000.0, 1000000.0))
    """

    low: float
    high: float
    scale: Scale = "linear"
    label: str = ""
    unit: str = ""
    ticks: tuple[float, ...] = ()
    span: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        one_of("scale", self.scale, ("linear", "log"))
        text("label", self.label), text("unit", self.unit), each("ticks", self.ticks, finite_number)
        low, high = (number_between(end, getattr(self, end), low=-FARTHEST, high=FARTHEST) for end in ("low", "high"))
        least = max(1e-9 * max(abs(low), abs(high)), 1 / FARTHEST)
        if high - low < least or (self.scale == "log" and low < 1 / FARTHEST):
            allowed = f"{least:g} below high, and on a log scale at least {1 / FARTHEST:g}"
            raise ValueError(f"low must be {allowed}, got {self.low!r} and high = {self.high!r}")
        object.__setattr__(self, "span", math.log(high / low) if self.scale == "log" else high - low)

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, 0 to 1; beyond them it is below 0 or above 1."""
        value = number_between("value", value, low=-_FARTHEST_SHOWN, high=_FARTHEST_SHOWN)
        if self.scale == "log":
            return math.log(positive_number("value", value) / self.low) / self.span
        return (value - self.low) / self.span

    def marks(self, most: int = 6) -> tuple[float, ...]:
        """Return the values at which ticks stand: those given, or at most ``most`` round ones, at most 12."""
        most = min(integer_at_least("most", most, 2), _MOST_TICKS)
        if self.ticks:
            return tuple(tick for tick in self.ticks if self.low <= tick <= self.high)
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
        >>> plot.dots([(1e3, 5.1)], colour="ink")

    Raises:
        ValueError: the panel is less than 100 pixels wide or high, or an argument is no number or text.
    """

    def __init__(
        self, across: Axis, up: Axis, *, title: str = "", width_px: float = 340, height_px: float = 250
    ) -> None:
        for name, axis in (("across", across), ("up", up)):
            if not isinstance(axis, Axis):
                raise ValueError(f"{name} must be an Axis, got {axis!r}")
        self.across, self.up = across, up
        width_px = number_between("width_px", width_px, low=_LEAST_PX, high=MOST_PX)
        height_px = number_between("height_px", height_px, low=_LEAST_PX, high=MOST_PX)
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
        """Return the pixel of a value, any finite number, on the vertical axis."""
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
        one_of("colour", colour, COLOURS.keys())
        width, dashed, label = positive_number("width", width), flag("dashed", dashed), text("label", label)
        pieces = _clipped(self._places(points), (self.left, self.top, self.right, self.bottom))
        for piece in pieces:
            self.panel.curve(piece, colour=colour, width=width, dashed=dashed)
        if label and pieces:
            x, y = pieces[-1][-1]
            self.panel.text(min(x, self.right) - 2, y - 6, label, anchor="end", colour=colour, size=12)

    def dots(self, points: Iterable[tuple[float, float]], *, colour: str, radius: float = 4) -> None:
        """Draw dots at points of the axes' values; what lies beyond the axes is left out."""
        left, right, top, bottom = (
            self.left - _HAIR_PX,
            self.right + _HAIR_PX,
            self.top - _HAIR_PX,
            self.bottom + _HAIR_PX,
        )
        inside = [(x, y) for x, y in self._places(points) if left <= x <= right and top <= y <= bottom]
        self.panel.dots(inside, colour=colour, radius=radius)

    def label(
        self, content: str, spots: Iterable[Spot], *, colour: str = "ink", size: float = FONT_PX, bold: bool = False
    ) -> None:
        """Write a text at the first spot (x, baseline's y, anchor; in pixels) where it is above the axis and clear.

        That is inside the panel and on no text that is written already; where no spot is, it stands at the first.

        >>> plot = Plot(Axis(0, 10), Axis(0, 10))
        >>> plot.label("least", [(100, plot.bottom + 4, "end"), (100, plot.bottom - 9, "end")])
        >>> plot.bottom, 'y="199" class="end">least' in plot.panel.svg()
        (208.0, True)
        """
        self.panel.label(content, spots, colour=colour, size=size, bold=bold, lowest=self.bottom)

    def _places(self, points: Iterable[tuple[float, float]]) -> list[Place]:
        """Return the pixels of points of the axes' values."""
        try:
            if isinstance(points, str | bytes | Mapping):
                raise TypeError
            return [(self.x(x), self.y(y)) for x, y in points]
        except (TypeError, ValueError):
            scales = f"finite, above 0 on a log axis (here x is {self.across.scale}, y {self.up.scale})"
            raise ValueError(f"points must be pairs of numbers, {scales}, got {points!r:.200}") from None


def beside(x: float, *heights: float, gap: float, left: bool = False) -> list[Spot]:
    """Return spots for a label on both sides of a place, all in pixels: at the first height, then at the next.

    Args:
        x: the place; may be 0 or negative.
        heights: baselines' y, which may be 0 or negative.
        gap: between the place and the label, at least 0.
        left: whether the left side comes before the right one.

    Raises:
        ValueError: a place, a height or the gap is no finite number, or the gap is below 0.

    >>> beside(100, 20, gap=5)
    [(105.0, 20.0, 'start'), (95.0, 20.0, 'end')]
    """
    x, gap = finite_number("x", x), nonnegative_number("gap", gap)
    sides: list[tuple[float, Anchor]] = [(x + gap, "start"), (x - gap, "end")]
    ordered = sides[::-1] if flag("left", left) else sides
    return [(place, y, anchor) for y in each("heights", heights, finite_number) for place, anchor in ordered]


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
