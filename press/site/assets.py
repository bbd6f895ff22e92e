"""Draws what the site needs and nobody has to keep: cover, favicon, the palette's style sheet.

The motif: eight machines, whose gradients run together into one step down a bowl.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from press.kept import kept
from snippets.palette import COLOURS, RANKS, css_variables, rank

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 1200, 460
_MEET = (WIDTH / 2, 225.0)
_BOWL = (WIDTH / 2, 345.0)
_SIZE = 46
FILE = Path(__file__)
Point = tuple[float, float]


def made(cache: Path) -> dict[str, bytes]:
    """Return the files that the press draws, by their place on the site.

    Args:
        cache: a folder that keeps the pictures that need matplotlib, by the drawing and the palette that they show.
    """
    digest = sha256(FILE.read_bytes() + css_variables().encode()).hexdigest()[:16]
    covers: dict[str, Callable[[], bytes]] = {
        "cover.svg": cover_svg,
        "cover-dark.svg": partial(cover_svg, "dark"),
        "cover.png": cover_png,
    }
    return {
        **{f"assets/{name}": kept(cache / f"{digest}-{name}", draw) for name, draw in covers.items()},
        "assets/favicon.svg": favicon_svg().encode(),
        "assets/palette.css": css_variables().encode(),
    }


def without_comments(style_sheet: str) -> str:
    r"""Return a style sheet without its comments, which are a fifth of what a first visit would receive of it.

    >>> without_comments("/* Tables. */\n\ntable {\n  margin: 0;\n}\n")
    'table {\n  margin: 0;\n}\n'
    """
    return re.sub(r"\n{2,}", "\n", re.sub(r"/\*.*?\*/", "", style_sheet, flags=re.DOTALL)).lstrip("\n")


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


def cover_svg(page: Literal["light", "dark"] = "light") -> bytes:
    """Return the cover as SVG, without a background, in the palette's colours for a light or a dark page."""
    metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with _defaults():
        return _printed(_cover(HEIGHT, page), "svg", metadata)


def cover_png() -> bytes:
    """Return the cover with the book's name, 1200 × 630 pixels, as a picture for links shared elsewhere."""
    with _defaults():
        figure = _cover(630, "light")
        figure.set_facecolor("white")
        (axes,) = figure.axes
        ink, muted = COLOURS["ink"].light, COLOURS["muted"].light
        axes.text(WIDTH / 2, 525, "Many Machines, One Gradient", ha="center", color=ink, fontsize=37, weight="bold")
        line = "The mathematics of distributed training, executed"
        axes.text(WIDTH / 2, 577, line, ha="center", color=muted, fontsize=20)
        return _printed(figure, "png", {"Software": None})


@contextmanager
def _defaults() -> Iterator[None]:
    """Let no settings of the reader's count, nor chance."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "cover"
        yield


def _printed(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=metadata)
    return buffer.getvalue()


def _cover(height: float, page: Literal["light", "dark"]) -> Figure:
    """Draw the cover on a transparent figure that is ``height`` pixels high."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Ellipse, FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path as Curve

    colours = {name: getattr(colour, page) for name, colour in COLOURS.items()}
    figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=100, facecolor="none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    for across, down in _contours():
        level = Ellipse(_BOWL, 2 * across, 2 * down, fill=False, edgecolor=colours["idle"], linewidth=1.2)
        axes.add_patch(level)
    for name, (x, y) in _machines():
        curve = Curve(_strand((x, y)), [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=colours[name], linewidth=2.2))
        corner = (x - _SIZE / 2 + 9, y - _SIZE / 2 + 9)
        inner = _SIZE - 18
        axes.add_patch(FancyBboxPatch(corner, inner, inner, boxstyle="round,pad=9", color=colours[name], linewidth=0))
    accent, x = colours["accent"], _MEET[0]
    axes.plot([x, x], [_MEET[1], _BOWL[1] - 16], color=accent, linewidth=4.5)
    axes.add_patch(Polygon([(x, _BOWL[1]), (x - 13, _BOWL[1] - 24), (x + 13, _BOWL[1] - 24)], color=accent))
    axes.add_patch(Circle(_MEET, 9, color=accent))
    return figure


def favicon_svg() -> str:
    """Return the favicon: four machines and one step down, legible at 16 pixels on light and dark tabs."""
    squares = [("rank-0", 3, 3), ("rank-2", 19, 3), ("rank-3", 3, 19), ("optimizer", 19, 19)]
    boxes = [
        f'<rect x="{x}" y="{y}" width="10" height="10" rx="2.5" fill="{COLOURS[name].light}"/>'
        for name, x, y in squares
    ]
    step = '<path class="s" d="M16 5v18m-5 -5l5 6l5 -6" fill="none" stroke-width="3.6" stroke-linejoin="round"/>'
    light, dark = COLOURS["ink"].light, COLOURS["ink"].dark
    style = f".s{{stroke:{light}}}@media (prefers-color-scheme:dark){{.s{{stroke:{dark}}}}}"
    shapes = "".join(boxes)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>{style}</style>{shapes}{step}</svg>'
