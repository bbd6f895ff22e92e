"""Figures: how a chapter shows a picture, with its alt text and caption, in a notebook and on the site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib
from cycler import cycler
from IPython.display import display
from matplotlib.figure import Figure

from snippets.domain import one_of, positive_number, text
from snippets.drawing import Panel, on_paper
from snippets.live.declaring import LiveFigure
from snippets.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: Any = {
    "axes.edgecolor": COLOURS["muted"].light,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": COLOURS["ink"].light,
    "axes.prop_cycle": cycler(color=[COLOURS[f"rank-{number}"].light for number in range(8)]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 13,
    "figure.dpi": 72,  # one point is one pixel of the SVG
    "figure.facecolor": "none",
    "font.size": 12.5,
    "grid.color": COLOURS["line"].light,
    "grid.linewidth": 0.7,
    "legend.edgecolor": COLOURS["line"].light,
    "legend.facecolor": "none",
    "lines.linewidth": 2,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "many machines, one gradient",
    "text.color": COLOURS["ink"].light,
    "xtick.color": COLOURS["muted"].light,
    "ytick.color": COLOURS["muted"].light,
}


@contextmanager
def plot(*, width_px: float = 340, height_px: float = 260) -> Iterator[tuple[Figure, Axes]]:
    """Open a matplotlib figure with one axes in the book's style; one unit of its SVG is one pixel of the page.

    Colours come from ``colour(name)``. The figure is not shown: pass it to ``show``.

    Args:
        width_px: natural width. At most about 340, so that labels stay readable on a phone.
        height_px: natural height.
    """
    from matplotlib import pyplot

    width_px, height_px = positive_number("width_px", width_px), positive_number("height_px", height_px)
    with matplotlib.rc_context(_STYLE):
        figure, axes = pyplot.subplots(figsize=(width_px / 72, height_px / 72), layout="constrained")
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        try:
            yield figure, axes
        finally:
            pyplot.close(figure)


def colour(name: str) -> str:
    """Return the value to give matplotlib for a palette name; ``show`` makes it follow the page's palette.

    >>> colour("rank-0")
    '#6b89f9'
    """
    return COLOURS[one_of("name", name, COLOURS.keys())].light


def svg_of(figure: Figure) -> str:
    """Return a matplotlib figure as SVG: text as text in the page's font, colours that follow the page's palette.

    The same figure gives the same text: no date, ids from a fixed salt.

    >>> with plot() as (figure, axes):
    ...     svg_of(figure)[:4]
    '<svg'
    """
    if not isinstance(figure, Figure):
        raise TypeError(f"figure must be a matplotlib figure, got {figure!r}")
    buffer = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(
        r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL
    )  # that is about all of a page
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', text)
    text = re.sub(r"<[^>]*>", _rounded, text)
    for entry in COLOURS.values():
        text = re.sub(rf"(?<=: ){entry.light}\b", entry.css, text, flags=re.IGNORECASE)
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", text)  # the family is the page's
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    return text.replace("<svg ", '<svg font-family="system-ui, sans-serif" stroke-linejoin="round" ', 1)


def _rounded(tag: re.Match[str]) -> str:
    """Round the coordinates of a tag to tenths of a pixel, which makes a picture 40% smaller as it is sent.

    A number that is written as text stays as it is.
    """
    return re.sub(r"-?\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), tag[0])


def show_live(figure: LiveFigure) -> None:
    """Show a live figure: on the site with its knobs, in Jupyter as it stands at first, with how to set it there.

    >>> from snippets.foundations.alpha_beta.live import message_time
    >>> show_live(message_time)  # doctest: +ELLIPSIS
    {'image/svg+xml': '<svg ...
    """
    if not isinstance(figure, LiveFigure):
        raise TypeError(f"figure must be a live figure, got {figure!r}")
    first = figure.knobs[0]
    values = dict(figure.opening.values) if figure.opening else {first.name: first.default}
    picture = figure(**values)
    for panel in picture.panels:
        metadata = {"book": {"role": "live-panel"}}
        display({"image/svg+xml": on_paper(panel.svg()), "text/plain": picture.alt}, raw=True, metadata=metadata)
    call = f"{figure.name}({', '.join(f'{name}={value!r}' for name, value in values.items())}).panels[0]"
    here = f"{picture.numbers}\n\n{figure.caption} (In a notebook, set it by hand, for instance `{call}`.)"
    book: dict[str, Any] = {"role": "live", "figure": figure.described(), "caption": figure.caption}
    display({"text/markdown": here, "text/plain": here}, raw=True, metadata={"book": book})


def show(*panels: Panel | Figure | str, narrow: Sequence[Panel | Figure | str] = (), alt: str, caption: str) -> None:
    """Show panels as one figure with its caption, in Jupyter and on the site.

    Args:
        panels: pictures drawn with ``Panel``, matplotlib figures, or SVG text. They stand side by side where there
            is room.
        narrow: what a phone shows in their place, each at most 350 pixels wide; empty if they are narrow themselves.
        alt: what a reader who cannot see the picture is told; says what is to be seen.
        caption: what to look for; Markdown, with TeX between dollar signs.

    Raises:
        ValueError: there is no panel, or alt text or caption are empty.

    >>> show(Panel(80, 40), alt="An empty panel.", caption="Nothing yet.")  # doctest: +ELLIPSIS
    {'image/svg+xml': '<svg ...
    """
    if not panels:
        raise ValueError("panels must hold at least one picture, got none")
    for name, sentence in (("alt", alt), ("caption", caption)):
        if not text(name, sentence).strip():
            raise ValueError(f"{name} must be a sentence on what the figure shows, got {sentence!r}")
    if not isinstance(narrow, list | tuple):
        raise TypeError(f"narrow must be a list of Panels, matplotlib figures or SVG, got {narrow!r}")
    for name, pictures in (("panels", panels), ("narrow", narrow)):
        for panel in pictures:
            if not isinstance(panel, Panel | Figure | str):
                raise TypeError(f"{name} must hold Panels, matplotlib figures or SVG, got {panel!r}")
    for number, panel in enumerate(panels):
        svg = _svg(panel)
        metadata: dict[str, dict[str, Any]] = {"book": {"role": "panel", "alt": alt}}
        if narrow and not number:
            metadata["book"]["narrow"] = [_svg(other) for other in narrow]  # the page alone shows them
        display({"image/svg+xml": on_paper(svg), "text/plain": alt}, raw=True, metadata=metadata)
    display({"text/markdown": caption, "text/plain": caption}, raw=True, metadata={"book": {"role": "caption"}})


def _svg(panel: Panel | Figure | str) -> str:
    return panel if isinstance(panel, str) else panel.svg() if isinstance(panel, Panel) else svg_of(panel)
