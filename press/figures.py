"""Turns the outputs of a code cell into HTML: text, figures with their captions, tables; nothing without alt text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from press.live import live_html
from snippets.palette import COLOURS

# Above this many characters an SVG is a file of its own, loaded when the reader comes near.
# What an SVG file needs and a picture inside a page does not: there the parser and the style sheet say it.
_BARE = re.compile(r' xmlns(?::xlink)?="[^"]*"| font-family="system-ui, sans-serif"')
INLINE_LIMIT = 48_000
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Figures:
    """Makes the figures of one page: numbers them, and collects the files of those too large to stand in the page."""

    caption_html: Callable[[str], str]
    report: Callable[[str], None]
    source_url: str = ""
    count: int = 0
    files: dict[str, str] = field(default_factory=dict)

    def outputs(self, outputs: Sequence[Any]) -> str:
        """Return the HTML of a cell's outputs. A figure is a run of panels and the caption after them."""
        pieces: list[str] = []
        panels: list[Any] = []
        for output in outputs:
            role = output.get("metadata", {}).get("book", {}).get("role")
            if role == "panel":
                panels.append(output)
                continue
            if role == "live-panel":  # what a notebook shows; the page draws the figure with its knobs
                continue
            if role == "live":
                pieces.append(self._live(output["metadata"]["book"]))
                continue
            if role == "caption":
                pieces.append(self._figure(panels, _text(output["data"]["text/markdown"])))
                panels = []
                continue
            pieces.append(self._output(output))
        if panels:
            self.report("a figure without a caption: its panels are not followed by one (use snippets.figures.show)")
        return "".join(pieces)

    def _figure(self, panels: Sequence[Any], caption: str) -> str:
        self.count += 1
        alt = html.escape(panels[0]["metadata"]["book"]["alt"], quote=True)
        pictures = "".join(self._panel(_text(panel["data"]["image/svg+xml"]), alt) for panel in panels)
        number = f"<strong>Figure {self.count}.</strong>"
        return (
            f'<figure class="book-figure" id="figure-{self.count}">'
            f'<div class="panels" role="img" aria-label="{alt}">{pictures}</div>'
            f"<figcaption>{number} {self.caption_html(caption)}</figcaption></figure>\n"
        )

    def _live(self, book: Mapping[str, Any]) -> str:
        self.count += 1
        figure, caption = book["figure"], self.caption_html(book["caption"])
        code = self.caption_html(f"```python\n{figure['code']}\n```")
        beside = f"{figure['name']}-code.html"
        self.files[beside] = code
        code_url = f"{self.source_url}{figure['module'].replace('.', '/')}.py" if self.source_url else beside
        return live_html(figure, number=self.count, caption=caption, code_url=code_url)

    def _panel(self, svg: str, alt: str) -> str:
        prefix = f"f{self.count}-{sha256(svg.encode()).hexdigest()[:4]}-"
        svg = re.sub(r'(\sid="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
        if len(svg) <= INLINE_LIMIT:
            svg = _BARE.sub("", svg.replace("<svg ", '<svg aria-hidden="true" ', 1))
            # The page's own style sheet has every rule of a panel (snippets.drawing.style_sheet).
            return re.sub(r"<style>.*?</style>", "", svg, count=1) if 'class="panel"' in svg else svg
        size = " ".join(re.findall(r'\b(?:width|height)="[^"]*"', svg[: svg.index(">")]))
        return "".join(
            f'<img class="only-{theme}" src="{self._file(resolved, theme)}" {size} alt="{alt}" loading="lazy">'
            for theme, resolved in (("light", _resolved(svg, "light")), ("dark", _resolved(svg, "dark")))
        )

    def _file(self, svg: str, theme: str) -> str:
        name = f"figure-{self.count}-{sha256(svg.encode()).hexdigest()[:8]}-{theme}.svg"
        self.files[name] = svg
        return name

    def _output(self, output: Any) -> str:
        if output["output_type"] == "stream":
            return f'<pre class="output-text">{_escaped(_text(output["text"]))}</pre>\n'
        if output["output_type"] == "error":
            return f'<pre class="output-error">{_escaped(chr(10).join(output["traceback"]))}</pre>\n'
        data = output["data"]
        if any(kind.startswith("image/") for kind in data):
            self.report("a figure without alt text: show it with snippets.figures.show(…, alt=…, caption=…)")
            return ""
        if "text/html" in data:
            return f'<div class="output-html">{_text(data["text/html"])}</div>\n'
        if "text/markdown" in data:
            return f"<div>{self.caption_html(_text(data['text/markdown']))}</div>\n"
        return f'<pre class="output-text">{_escaped(_text(data.get("text/plain", "")))}</pre>\n'


def _text(value: str | list[str]) -> str:
    """Return a notebook's text, which may be kept as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def _escaped(text: str) -> str:
    return html.escape(_ESCAPES.sub("", text).rstrip("\n"), quote=False)


def _resolved(svg: str, theme: str) -> str:
    """Return the SVG with the colours of one palette: an image file cannot see the page's own."""
    for colour in COLOURS.values():
        svg = svg.replace(colour.css, getattr(colour, theme))
    return svg
