"""Prepares the outputs of a code cell for nbconvert: makes figures and questions of their parts.

Refused is a figure without alt text, and what no page can show.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from press.making.convert import Placeholders
from press.making.live import alone_address, live_html, near_pictures
from press.making.questions import answer_html, guess_html
from press.reading.checks import Scan
from press.reading.markup import faults
from snippets.drawing import FONT_PX, PAPER
from snippets.palette import COLOURS

# Above this many characters an SVG is a file of its own, loaded when the reader comes near.
INLINE_LIMIT = 7_000
NARROW_PX = 350
PHONE_PX = 358  # the column of a phone
READABLE_PX = 11.5  # of a text on a phone
_FORMULA = re.compile(
    r"\$\$(?P<display>(?:\\.|[^$\\])+)\$\$|\$(?P<inline>(?:\\.|[^$\\])+)\$"
    r"|(?P<environment>\\begin\{(?P<name>[a-z]+\*?)\}.*\\end\{(?P=name)\})",
    re.DOTALL,
)
QUESTIONS = ("guess", "answer")
# What snippets.figures and snippets.questions say of each part of a figure, and in which form the part comes.
_PARTS = {
    "panel": {"book": {"alt"}, "data": {"image/svg+xml"}},
    "live-panel": {"book": set[str](), "data": set[str]()},
    "live": {"book": {"figure", "caption"}, "data": set[str]()},
    "caption": {"book": set[str](), "data": {"text/markdown"}},
    "guess": {"book": {"asked", "unit", "options"}, "data": set[str]()},
    "answer": {"book": {"rows", "unit", "right", "number"}, "data": set[str]()},
}


@dataclass
class Figures:
    """Makes the figures of one page: numbers them, and collects the files of those too large to stand in the page.

    ``to_root`` is the way from the page to the site's root, ``alone`` where the page's live figures stand alone.
    """

    caption_html: Callable[[str], str]
    report: Callable[[str], None]
    placeholders: Placeholders
    source_url: str = ""
    to_root: str = ""
    count: int = 0
    files: dict[str, str] = field(default_factory=dict)
    alone: list[str] = field(default_factory=list)
    questions: list[Mapping[str, Any]] = field(default_factory=list)

    def outputs(self, outputs: Sequence[Any]) -> list[dict[str, Any]]:
        """Return a cell's outputs as nbconvert is to show them; a figure is a run of panels and the caption after."""
        prepared: list[dict[str, Any]] = []
        panels: list[Any] = []
        for output in outputs:
            role = self._role(output)
            if role == "panel":
                panels.append(output)
            elif role == "live":
                drawn = self.placeholders.hold(self.live(output["metadata"]["book"]))
                prepared.append(_displayed("text/html", drawn, live=True))
            elif role == "caption":
                prepared += self._figure(panels, text_of(output["data"]["text/markdown"]))
                panels = []
            elif role in QUESTIONS:
                prepared.append(self._question(output["metadata"]["book"]))
            elif role != "live-panel":  # what a notebook shows; the page draws the figure with its knobs
                prepared += self._output(output)
        if panels:
            self.report("a figure without a caption: its panels are not followed by one (use snippets.figures.show)")
        return prepared

    def _role(self, output: Any) -> str:
        """Return what part of a figure an output is, "" if it is none; what only looks like one is left out."""
        part = part_of_figure(output)
        if part is None:
            self.report("an output has metadata named book that neither snippets.figures nor snippets.questions wrote")
            return "live-panel"
        return part

    def _figure(self, panels: Sequence[Any], caption: str) -> list[dict[str, Any]]:
        if not panels:
            self.report("a caption without a figure: no panel stands before it (use snippets.figures.show)")
            return []
        self.count += 1
        alt = panels[0]["metadata"]["book"]["alt"]
        escaped = html.escape(alt, quote=True)
        pictures = "".join(self._panel(text_of(panel["data"]["image/svg+xml"]), escaped) for panel in panels)
        narrow = panels[0]["metadata"]["book"].get("narrow", [])
        pictures += "".join(self._panel(text_of(svg), escaped, narrow=True) for svg in narrow)
        held = self.placeholders.hold(self.caption_html(caption))
        return [_displayed("image/svg+xml", self.placeholders.hold(pictures), number=self.count, alt=alt, caption=held)]

    def live(self, book: Mapping[str, Any]) -> str:
        """Return a live figure as HTML, and keep what it fetches from beside the page."""
        self.count += 1
        figure, caption = book["figure"], self.caption_html(book["caption"])
        code = self.caption_html(f"```python\n{figure['code']}\n```")
        beside = f"{figure['name']}-code.html"
        self.files[beside] = code
        self.files[f"{figure['name']}-near.json"] = near_pictures(figure)
        code_url = f"{self.source_url}{figure['module'].replace('.', '/')}.py" if self.source_url else beside
        self.alone.append(f"{self.to_root}{alone_address(figure['name'])}")
        addresses = {"code_url": code_url, "alone_url": self.alone[-1]}
        return live_html(figure, number=self.count, caption=caption, **addresses)

    def _question(self, book: Mapping[str, Any]) -> dict[str, Any]:
        """Return the field of a guess, or the box of an answer."""
        self.questions.append(book)
        drawn = guess_html(book) if book["role"] == "guess" else answer_html(book, self.inline)
        return _displayed("text/html", self.placeholders.hold(drawn), live=True)

    def inline(self, text: str) -> str:
        """Return Markdown as HTML that stands within a line."""
        return self.caption_html(text).removeprefix("<p>").removesuffix("</p>")

    def _panel(self, svg: str, alt: str, *, narrow: bool = False) -> str:
        """Return a panel as it stands in the page; its class says where it is too wide, or stands in for what is."""
        if narrow and _is_wide(svg):
            self.report(f"a narrow panel must be at most {NARROW_PX:g} pixels wide")
        form = " narrow" * narrow or " wide" * _is_wide(svg)
        prefix = f"f{self.count}-{sha256(svg.encode()).hexdigest()[:4]}-"
        svg = svg.replace(PAPER, "", 1)  # the page is its ground
        svg = re.sub(r'(\sid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
        if len(svg) <= INLINE_LIMIT:
            marked = f'<svg aria-hidden="true" class="panel{form}" ' if form else '<svg aria-hidden="true" '
            return svg.replace(' class="panel"', "" if form else ' class="panel"', 1).replace("<svg ", marked, 1)
        for _, message in Scan(svg).findings:  # the page's own scan does not see what stands in a file
            self.report(f"in the figure: {message}")
        size = " ".join(re.findall(r'\b(?:width|height)="[^"]*"', svg[: svg.index(">")]))
        return "".join(
            f'<img class="only-{theme}{form}" src="{self._file(drawn, theme)}" {size} alt="{alt}" loading="lazy">'
            for theme, drawn in (("light", resolved(svg, "light")), ("dark", resolved(svg, "dark")))
        )

    def _file(self, svg: str, theme: str) -> str:
        name = f"figure-{self.count}-{sha256(svg.encode()).hexdigest()[:8]}-{theme}.svg"
        self.files[name] = svg
        return name

    def _output(self, output: Any) -> list[dict[str, Any]]:
        """Return an output with the one form of it that the page shows; none if the book refuses it."""
        if output["output_type"] in {"stream", "error"}:
            return [output]
        data = output["data"]
        if any(kind.startswith("image/") for kind in data):
            self.report("a figure without alt text: show it with snippets.figures.show(…, alt=…, caption=…)")
            return []
        if "text/html" in data:
            return self._checked(text_of(data["text/html"]))
        if "text/markdown" in data:
            return self._checked(self.caption_html(text_of(data["text/markdown"])))
        if "text/latex" in data:
            return self._formula(text_of(data["text/latex"]).strip())
        if "text/plain" not in data or "application/javascript" in data:
            kinds = ", ".join(sorted(data.keys() - {"text/plain"}))
            self.report(f"an output of the type {kinds or 'none'} cannot be shown: print text, or use a figure")
            return []
        return [_displayed("text/plain", text_of(data["text/plain"]))]

    def _checked(self, content: str) -> list[dict[str, Any]]:
        """Return an output of HTML, or nothing if there is something in it that the book refuses."""
        messages = [finding.message for finding in faults([content])]
        messages += [message for _, message in Scan(content).findings]
        for message in messages:
            self.report(f"in the output: {message}")
        return [] if messages else [_displayed("text/html", content)]

    def _formula(self, tex: str) -> list[dict[str, Any]]:
        """Return an output of TeX, which has to be one formula, as an element that will be typeset."""
        formula = _FORMULA.fullmatch(tex)
        if not formula:
            self.report(f"an output of TeX must be one formula between dollar signs, got {tex[:40]!r}")
            return []
        inner = html.escape(formula["display"] or formula["inline"] or formula["environment"], quote=False)
        return [_displayed("text/html", f'<div class="arithmatex">\\[{inner}\\]</div>')]


def _is_wide(svg: str) -> bool:
    """Whether a picture scrolls on a phone: made as narrow as that is, its smallest text could not be read."""
    width = re.search(r'<svg[^>]*? width="([\d.]+)', svg)
    if width is None or float(width[1]) <= NARROW_PX:
        return False
    texts = re.findall(r"<text[^>]*>", svg)
    sizes = [re.search(r'font-size(?:="|: ?)([\d.]+)', text) for text in texts]
    smallest = min((float(size[1]) if size else FONT_PX for size in sizes), default=FONT_PX)
    return smallest * PHONE_PX / float(width[1]) < READABLE_PX


def _displayed(kind: str, content: str, **metadata: Any) -> dict[str, Any]:
    """Return an output of one form."""
    return {"output_type": "display_data", "data": {kind: content}, "metadata": metadata}


def part_of_figure(output: Any) -> str | None:
    """Return what part of a figure an output is, "" if it is none, ``None`` if it only pretends to be one.

    >>> part_of_figure({"data": {}}), part_of_figure({"metadata": {"book": {"role": "panel"}}, "data": {}})
    ('', None)
    """
    book = output.get("metadata", {}).get("book")
    if book is None:
        return ""
    role = book.get("role") if isinstance(book, dict) else None
    needs = _PARTS.get(role) if isinstance(role, str) else None
    whole = needs and needs["book"] <= book.keys() and needs["data"] <= output.get("data", {}).keys()
    return role if whole else None


def text_of(value: str | list[str]) -> str:
    """Return a notebook's text, which may be kept as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def resolved(svg: str, theme: str) -> str:
    """Return the SVG with the colours of one palette: an image file cannot see the page's own."""
    for colour in COLOURS.values():
        svg = svg.replace(colour.css, getattr(colour, theme))
    return svg
