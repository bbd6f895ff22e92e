"""Draws the card of a chapter: the picture that a link to it shows elsewhere, with one of its figures.

A card has 1200 × 630 pixels and is mostly seen 600 wide. So it has the chapter's title in large type, and of the
chapter's figures the one that can be read best at that size: all its panels, or the first.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from press.children import in_children
from press.kept import KeptFolder
from press.making.figures import part_of_figure, resolved, text_of
from press.site.assets import favicon_svg
from snippets.drawing import FONT_PX, PAPER
from snippets.palette import COLOURS, LIGHT_PAGE, css_variables

WIDTH, HEIGHT = 1200, 630
FILE = Path(__file__)
_MARGIN = 54
_GAP = 18  # between panels, at their own size
_READABLE = 19.0  # pixels of a card that a text needs: half of them where the card is seen
_LARGEST = 2.4  # how far a panel is enlarged at most
_TITLE_PX, _NAME_PX, _NUMBER_PX, _QUESTION_PX = 58, 27, 30, 30
_COLUMN = 590  # where a figure begins that stands beside the title
_BESIDE = _COLUMN - _MARGIN - 30  # the room for the title there
_WHOLE = WIDTH - 2 * _MARGIN
_MOST_LINES = 4  # of the title there
_LEADING, _LOOSE = 1.16, 1.4
_NAME_AT = _MARGIN + 26.0  # the line of the book's name
_AFTER_TITLE = 12
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf")


@dataclass(frozen=True)
class Figure:
    """A figure of a chapter: its panels as SVG, and what they show, in words."""

    panels: tuple[str, ...]
    alt: str


@dataclass(frozen=True)
class Card:
    """What a card shows: the chapter's number, title and question, the book's name, the figures to choose from."""

    number: str
    title: str
    question: str
    book: str
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class _Placed:
    """Panels in rows within a box, at one scale."""

    rows: tuple[tuple[str, ...], ...]
    box: _Box
    scale: float
    alt: str
    worth: float


def figures_of(notebook: bytes) -> tuple[Figure, ...]:
    """Return the figures of an executed notebook that do not move, in its order."""
    figures: list[Figure] = []
    panels: list[str] = []
    alt = ""
    for output in _outputs(notebook):
        part = part_of_figure(output)
        if part == "panel":
            panels.append(text_of(output["data"]["image/svg+xml"]).replace(PAPER, "", 1))
            alt = output["metadata"]["book"]["alt"]
        elif part == "caption" and panels:
            figures.append(Figure(tuple(panels), alt))
            panels = []
    return tuple(figures)


def _outputs(notebook: bytes) -> Iterator[Any]:
    for cell in json.loads(notebook)["cells"]:
        yield from cell.get("outputs", [])


def card_png(card: Card) -> bytes:
    """Return a card as PNG; of a chapter without a figure it has the title alone."""
    from resvg_py import svg_to_bytes

    png: bytes = svg_to_bytes(
        svg_string=card_svg(card),
        skip_system_fonts=True,  # every machine draws with the same
        font_files=[str(_font(name)) for name in _FONTS],
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
        monospace_family="DejaVu Sans Mono",
    )
    return png


def alt_of(card: Card) -> str:
    """Return what a card shows, in words."""
    name = f"{card.number} · {card.title}" if card.number else card.title
    placed = _chosen(card)
    return f"{name}. {placed.alt}" if placed else name


def card_svg(card: Card) -> str:
    """Return a card as SVG."""
    placed = _chosen(card)
    beside = placed is not None and placed.box.x > _MARGIN
    ink, muted, accent = (COLOURS[name].light for name in ("ink", "muted", "accent"))
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT_PAGE}"/>']
    parts.append(f'<rect width="{WIDTH}" height="10" fill="{accent}"/>')
    y = _NAME_AT
    parts += [_mark(_MARGIN, y - 27), _text(card.book, _MARGIN + 46, y, _NAME_PX, muted)]
    y += 46 if beside else 24
    if card.number and beside:
        y += _NUMBER_PX
        parts.append(_text(f"Chapter {card.number}", _MARGIN, y, _NUMBER_PX, accent, bold=True))
    for line in _title_lines(card, beside=beside):
        y += _TITLE_PX * _LEADING
        parts.append(_text(line, _MARGIN, y, _TITLE_PX, ink, bold=True))
    y += _AFTER_TITLE
    for line in _lines(card.question, _BESIDE if beside else _WHOLE, _QUESTION_PX, bold=False):
        y += _QUESTION_PX * _LOOSE
        parts.append(_text(line, _MARGIN, y, _QUESTION_PX, muted))
    parts += _panels(placed) if placed else []
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{WIDTH}"'
        f' height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


def _text(text: str, x: float, y: float, size: float, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="DejaVu Sans" font-size="{size:g}" fill="{colour}"{weight}>'
        f"{html.escape(text)}</text>"
    )


def _mark(x: float, y: float) -> str:
    """Return the book's mark, as the favicon has it."""
    return _sized(re.sub(r"@media.*?}}", "", favicon_svg()), x, y, 34, 34)


def _chosen(card: Card) -> _Placed | None:
    """Return the figure that can be read best on the card, in its place; an earlier one counts for a little more."""
    titled = len(_title_lines(card, beside=False)) * _TITLE_PX * _LEADING
    asked = len(_lines(card.question, _WHOLE, _QUESTION_PX, bold=False)) * _QUESTION_PX * _LOOSE
    top = _NAME_AT + 24 + titled + _AFTER_TITLE + asked + 34
    boxes = [_Box(_MARGIN, top, _WHOLE, HEIGHT - top - 34)]
    if len(_title_lines(card, beside=True)) <= _MOST_LINES:
        boxes.append(_Box(_COLUMN, _MARGIN, WIDTH - _COLUMN - _MARGIN, HEIGHT - 2 * _MARGIN))
    places = [
        _placed(rows, box, figure, number)
        for number, figure in enumerate(card.figures)
        for rows in _arrangements(figure.panels)
        for box in boxes
    ]
    return max(places, key=lambda placed: placed.worth, default=None)


def _arrangements(panels: Sequence[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield ways to show a figure: all panels in a row, all in a column, in two rows, the first alone."""
    yield (tuple(panels),)
    if len(panels) > 1:
        yield tuple((panel,) for panel in panels)
        yield ((panels[0],),)
    if len(panels) > 3:
        half = (len(panels) + 1) // 2
        yield tuple(panels[:half]), tuple(panels[half:])


def _placed(rows: tuple[tuple[str, ...], ...], box: _Box, figure: Figure, number: int) -> _Placed:
    width, height = _extent(rows)
    scale = min(box.width / width, box.height / height, _LARGEST)
    read = min(1.0, scale * min(_smallest_text(panel) for row in rows for panel in row) / _READABLE)
    filled = scale * scale * width * height / (box.width * box.height)
    shown = sum(map(len, rows)) / len(figure.panels)
    worth = read**2 * (0.55 + 0.35 * filled + 0.1 * shown) - 0.02 * number
    return _Placed(rows, box, scale, figure.alt, worth)


def _extent(rows: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return width and height of panels in rows, at their own size."""
    sizes = [[_size(panel) for panel in row] for row in rows]
    width = max(sum(size[0] for size in row) + _GAP * (len(row) - 1) for row in sizes)
    return width, sum(max(size[1] for size in row) for row in sizes) + _GAP * (len(sizes) - 1)


def _size(svg: str) -> tuple[float, float]:
    head = svg[: svg.index(">")]
    width, height = (re.search(rf'\s{side}="([\d.]+)', head) for side in ("width", "height"))
    if not width or not height:
        raise ValueError(f"a panel must say its width and height in pixels, got {head[:80]!r}")
    return float(width[1]), float(height[1])


def _smallest_text(svg: str) -> float:
    """Return the size of a picture's smallest text in pixels."""
    sizes = [re.search(r'font-size(?:="|: ?)([\d.]+)', text) for text in re.findall(r"<text[^>]*>", svg)]
    return min((float(size[1]) if size else FONT_PX for size in sizes), default=FONT_PX)


def _panels(placed: _Placed) -> Iterator[str]:
    """Yield the panels, in the middle of their box."""
    box, scale = placed.box, placed.scale
    y = box.y + (box.height - scale * _extent(placed.rows)[1]) / 2
    number = 0
    for row in placed.rows:
        x = box.x + (box.width - scale * _extent([row])[0]) / 2
        for panel in row:
            own_width, own_height = _size(panel)
            named = re.sub(r'(\sid="|url\(#|href="#)', rf"\g<1>p{number}-", resolved(panel, "light"))
            yield _sized(named, x, y, scale * own_width, scale * own_height)
            x += scale * (own_width + _GAP)
            number += 1
        y += scale * (_extent([row])[1] + _GAP)


def _sized(svg: str, x: float, y: float, width: float, height: float) -> str:
    """Return a picture with a place and a size of its own within another."""
    head, rest = svg[: svg.index(">")], svg[svg.index(">") :]
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    return head.replace("<svg", f'<svg x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"', 1) + rest


def _title_lines(card: Card, *, beside: bool) -> list[str]:
    """Return the title in lines that fit beside the figure, or above it, there with the chapter's number."""
    if beside or not card.number:
        return _lines(card.title, _BESIDE if beside else _WHOLE, _TITLE_PX, bold=True)
    return _lines(f"{card.number} · {card.title}", _WHOLE, _TITLE_PX, bold=True)


def _lines(text: str, room: float, size: int, *, bold: bool) -> list[str]:
    """Return a text in lines that are no wider than the room, but where one word is."""
    font = _measured("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font.getlength(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@cache
def _measured(name: str, size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.truetype(_font(name), size)


@cache
def _font(name: str) -> Path:
    """Return a font that matplotlib brings."""
    from matplotlib import get_data_path

    return Path(get_data_path()) / "fonts" / "ttf" / name


def drawn(asked: Sequence[tuple[Card, bytes]], cache: Path) -> list[tuple[bytes, str]]:
    """Return cards as PNG, each with what it shows, in words; those that are kept are not drawn again.

    Args:
        asked: cards without their figures, each with the executed notebook that has them.
        cache: the folder that keeps them.
    """
    folder = KeptFolder(cache, [FILE.read_bytes(), css_variables().encode(), version("resvg-py").encode()])
    keys = [folder.key(notebook, json.dumps(astuple(card)).encode()) for card, notebook in asked]

    def draw(number: int) -> bytes:
        card, notebook = asked[number]
        card = replace(card, figures=figures_of(notebook))
        record = alt_of(card).encode() + b"\0" + card_png(card)
        folder.write(keys[number], record)
        return record

    missing = [number for number, key in enumerate(keys) if not folder.has(key)]
    in_children(lambda number: draw(missing[number]), len(missing))
    records = [folder.read(key) or draw(number) for number, key in enumerate(keys)]
    folder.sweep()
    return [(png, alt.decode()) for alt, _, png in (record.partition(b"\0") for record in records)]
