"""Reckons how high a frame has to be that shows a live figure alone: no browser takes part in a build.

It adds up what stands below one another, line by line, as ``docs/stylesheets/figure.css`` and ``alone.css`` lay it out,
and rather too much than too little: ``tests/live/test_figures_alone.py`` holds it to what a browser needs.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

WIDE, NARROW = 720, 340  # pixels: the widths for which a height is suggested
_BESIDE = 24  # the page's margins
_PHONE = 480  # up to this width a knob is a line
_NARROW_UP_TO = 704  # up to this width a picture that has a narrow form is shown in it
_LETTER = 0.54  # of a text's size: how wide a letter is on average
_CAPTION_MOST = 640
_TAG = re.compile(r"<annotation\b.*?</annotation>|<[^>]+>", re.DOTALL)
_SIZE = re.compile(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"')


def frame_height(figure: Mapping[str, Any], caption: str, width: int) -> int:
    """Return a height in pixels, in tens, at which a figure as it opens needs no scroll bar in a frame of this width.

    Args:
        figure: its description.
        caption: as HTML.
        width: of the frame.
    """
    inner = width - _BESIDE
    drawn = figure["drawn"]
    notice = next((setting["notice"] for setting in figure["named"] if setting["name"] == figure["opens"]), "")
    heights = [
        _lines(figure["title"], 18, inner, 1.06) * 23.4,
        (_lines(notice, 14.8, inner, 1.06) + _lines(drawn["numbers"], 14.8, inner) + 1) * 22.2 + 12,
        _knobs(figure, inner, phone=width <= _PHONE) + 20,
        _panels(drawn["svgs"], inner),
        7 + 5 + _lines("Figure 10, live. " + _text(caption), 14.4, min(inner, _CAPTION_MOST)) * 21.6,
        8 + _lines("From chapter 10, , of Many Machines, One Gradient · CC BY-SA 4.0" + " " * 25, 13.2, inner) * 19.8,
        24,
    ]
    return 10 * math.ceil(sum(heights) / 10)


def _text(caption: str) -> str:
    return html.unescape(_TAG.sub("", caption))


def _lines(text: str, size: float, width: float, wide: float = 1.0) -> int:
    """Return on how many lines a text stands."""
    return math.ceil(len(text) * size * _LETTER * wide / width) if text else 0


def _knobs(figure: Mapping[str, Any], inner: float, *, phone: bool) -> float:
    """Return how high the box is that holds the knobs and the buttons."""
    shown = [knob for knob in figure["knobs"] if knob["name"] not in figure["drawn"]["idle"]]
    beside = 24 if phone else 36
    buttons = _rows([*(setting["name"] for setting in figure["named"]), "Reset"], inner - beside - 2)
    if phone:
        labels = sum(max(32, 19 * _lines(knob["label"], 14, 112)) + 6 for knob in shown)
        return labels + sum(30 for knob in shown if knob.get("play")) + buttons * 34 + 22
    columns = max(1, int((inner - beside - 2 + 20) // (190 + 20)))
    across = (inner - beside - 2 + 20) / columns - 20
    more = [19 * (_lines(knob["label"], 14, across - 102 * (knob["kind"] == "number")) - 1) for knob in shown]
    rows = sum(58 + 12 + max(more[first : first + columns]) for first in range(0, len(shown), columns))
    return rows + buttons * 34 + 32


def _rows(names: Sequence[str], width: float) -> int:
    """Return on how many rows buttons stand; one too long for a row has two lines."""
    rows, used = 1, 0.0
    for name in names:
        wide = len(name) * 14 * _LETTER + 18 + 8
        if used and used + wide > width:
            rows, used = rows + 1, 0.0
        rows += int(wide // width)
        used += wide
    return rows


def _panels(svgs: Sequence[str], width: float) -> float:
    """Return how high the pictures stand, beside one another where they fit, smaller where one is too wide."""
    narrow = [svg for svg in svgs if "narrow" in svg[: svg.index(">")]]
    if narrow:
        svgs = narrow if width + _BESIDE <= _NARROW_UP_TO else [svg for svg in svgs if svg not in narrow]
    rows: list[float] = []
    used = width
    for svg in svgs:
        wide, high = map(float, _SIZE.search(svg).groups())  # type: ignore[union-attr]
        if wide > width:
            wide, high = width, high * width / wide
        if rows and used + 24 + wide <= width:
            rows[-1], used = max(rows[-1], high), used + 24 + wide
        else:
            rows, used = [*rows, high], wide
    return sum(rows) + 20 * max(0, len(rows) - 1)
