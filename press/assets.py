"""Draws what the site needs and nobody has to keep: cover, favicon, the palette's style sheet.

The motif: eight machines, whose gradients run together into one step down a bowl.
"""

from __future__ import annotations

import io
import math
from hashlib import sha256
from pathlib import Path
from typing import Literal

from press.kept import kept
from snippets.palette import COLOURS, RANKS, css_variables, rank

WIDTH, HEIGHT = 1200, 460
_MEET = (WIDTH / 2, 225.0)
_BOWL = (WIDTH / 2, 345.0)
_SIZE = 46
FILE = Path(__file__)
Point = tuple[float, float]


def made(cache: Path) -> dict[str, bytes]:
    """Return the files that the press draws, by their place on the site.

    Args:
        cache: a folder that keeps the one picture which needs matplotlib, by the drawing that it shows.
    """
    cover = cover_svg()
    picture = cache / f"cover-{sha256(cover.encode() + FILE.read_bytes()).hexdigest()[:16]}.png"
    return {
        "assets/cover.svg": cover.encode(),
        "assets/cover-dark.svg": cover_svg("dark").encode(),
        "assets/cover.png": kept(picture, cover_png),
        "assets/favicon.svg": favicon_svg().encode(),
        "assets/palette.css": css_variables().encode(),
    }


def _machines() -> list[tuple[str, Point]]:
    """Return colour and centre of each machine, on an arc."""
    places = []
    for number in range(RANKS):
        share = (number + 0.5) / RANKS
        x = 90 + share * (WIDTH - 180)
        places.append((rank(number), (x, 60 + 34 * math.sin(math.pi * share))))
    return places


def _strand(start: Point) -> tuple[Point, Point, Point, Point]:
    """Return the Bézier curve from a machine to the point where all meet."""
    below = (start[0], start[1] + _SIZE / 2)
    return below, (start[0], 190), (_MEET[0] + (start[0] - _MEET[0]) * 0.12, 170), _MEET


def _contours() -> list[tuple[float, float]]:
    """Return the half-axes of the bowl's level lines."""
    return [(46.0 * ring**1.5, 13.0 * ring**1.5) for ring in (1, 2, 3, 4)]


def cover_svg(page: Literal["light", "dark"] = "light") -> str:
    """Return the cover as SVG, without a background, in the palette's colours for a light or a dark page."""
    colours: dict[str, str] = {name: getattr(colour, page) for name, colour in COLOURS.items()}
    pieces = []
    for width, height in _contours():
        place = f'cx="{_BOWL[0]:g}" cy="{_BOWL[1]:g}" rx="{width:.1f}" ry="{height:.1f}"'
        pieces.append(f'<ellipse {place} fill="none" stroke="{colours["idle"]}" stroke-width="1.5"/>')
    for name, centre in _machines():
        colour = colours[name]
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = _strand(centre)
        curve = f"M{x0:.1f} {y0:.1f}C{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f}"
        pieces.append(f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="3"/>')
        x, y = centre[0] - _SIZE / 2, centre[1] - _SIZE / 2
        pieces.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{_SIZE}" height="{_SIZE}" rx="9" fill="{colour}"/>')
    accent, x = colours["accent"], _MEET[0]
    pieces.append(f'<path d="M{x:g} {_MEET[1]:g}V{_BOWL[1] - 16:g}" fill="none" stroke="{accent}" stroke-width="6"/>')
    pieces.append(f'<path d="M{x:g} {_BOWL[1]:g}l-13 -24h26z" fill="{accent}"/>')
    pieces.append(f'<circle cx="{x:g}" cy="{_MEET[1]:g}" r="9" fill="{accent}"/>')
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"<svg {box}>{''.join(pieces)}</svg>"


def favicon_svg() -> str:
    """Return the favicon: four machines and one step down, legible at 16 pixels on light and dark tabs."""
    squares = [("rank-0", 3, 3), ("rank-2", 19, 3), ("rank-3", 3, 19), ("optimizer", 19, 19)]
    drawn = [
        f'<rect x="{x}" y="{y}" width="10" height="10" rx="2.5" fill="{COLOURS[name].light}"/>'
        for name, x, y in squares
    ]
    step = '<path class="s" d="M16 5v18m-5 -5l5 6l5 -6" fill="none" stroke-width="3.6" stroke-linejoin="round"/>'
    light, dark = COLOURS["ink"].light, COLOURS["ink"].dark
    style = f".s{{stroke:{light}}}@media (prefers-color-scheme:dark){{.s{{stroke:{dark}}}}}"
    shapes = "".join(drawn)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>{style}</style>{shapes}{step}</svg>'


def cover_png() -> bytes:
    """Return the cover with the book's name, 1200 × 630 pixels, as a picture for links shared elsewhere."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Ellipse, FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path as Curve

    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(630, 0))
    axes.axis("off")
    for width, height in _contours():
        edge = COLOURS["idle"].light
        axes.add_patch(Ellipse(_BOWL, 2 * width, 2 * height, fill=False, edgecolor=edge, linewidth=1.2))
    for name, (x, y) in _machines():
        colour = COLOURS[name].light
        curve = Curve(_strand((x, y)), [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=2.2))
        corner = (x - _SIZE / 2 + 9, y - _SIZE / 2 + 9)
        box = FancyBboxPatch(corner, _SIZE - 18, _SIZE - 18, boxstyle="round,pad=9", color=colour, linewidth=0)
        axes.add_patch(box)
    accent, x = COLOURS["accent"].light, _MEET[0]
    axes.plot([x, x], [_MEET[1], _BOWL[1] - 16], color=accent, linewidth=4.5)
    axes.add_patch(Polygon([(x, _BOWL[1]), (x - 13, _BOWL[1] - 24), (x + 13, _BOWL[1] - 24)], color=accent))
    axes.add_patch(Circle(_MEET, 9, color=accent))
    ink, muted = COLOURS["ink"].light, COLOURS["muted"].light
    axes.text(WIDTH / 2, 525, "Many Machines, One Gradient", ha="center", color=ink, fontsize=37, weight="bold")
    line = "The mathematics of distributed training, executed"
    axes.text(WIDTH / 2, 577, line, ha="center", color=muted, fontsize=20)
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()
