"""Turns the description of a live figure into HTML: complete without scripts, its knobs ready for a reader's hand.

The description (``snippets.live.declaring.LiveFigure.described``) comes with the chapter's outputs, so a page is made
from what its chapter executed. ``docs/javascripts/live/figure.js`` works with the elements that are written here.
A page that is no chapter shows a chapter's live figure by a link alone on its line, titled ``live: name``; the link's
text is the figure's caption there.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from press.making.framed import NARROW, WIDE, frame_height

DRAWS = "snippets.live.declaring"  # what every live figure needs
_LINK = re.compile(r'^\[(?P<caption>[^\]]*)\]\((?P<path>[^)\s]+) "live: (?P<name>\w+)"\) *$', re.MULTILINE)


def live_modules(root: Path) -> list[str]:
    """Return the dotted names of the modules that have live figures: each stands beside its subject."""
    files = (root / "snippets").rglob("live.py")
    return sorted(".".join(file.relative_to(root).with_suffix("").parts) for file in files)


def live_asked(text: str, page: str) -> list[tuple[str, str]]:
    """Return the live figures that a page asks for: the chapter's path from the root, and the figure's name.

    >>> live_asked('[Try it](../chapters/memory/22-zero.md "live: zero_table")', "docs/index.md")
    [('chapters/memory/22-zero.md', 'zero_table')]
    """
    folder = posixpath.dirname(page)
    return [(posixpath.normpath(posixpath.join(folder, path)), name) for _, path, name in _LINK.findall(text)]


def live_shown(executed: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what the live figures of an executed notebook say of themselves: their description and caption."""
    for cell in executed["cells"]:
        for output in cell.get("outputs", []):
            book = output.get("metadata", {}).get("book")
            if isinstance(book, dict) and book.get("role") == "live":
                yield book


def expand_live(
    text: str,
    shown: Mapping[str, Mapping[str, Any]],
    draw: Callable[[Mapping[str, Any]], str],
    report: Callable[[str, str], None],
) -> str:
    """Put live figures in the place of the links that ask for them.

    Args:
        text: Markdown.
        shown: what there is to show, by name.
        draw: makes what stands in the place of a figure.
        report: called with the link and a message where its chapter shows no such figure.
    """

    def drawn(match: re.Match[str]) -> str:
        if match["name"] in shown:
            return draw({**shown[match["name"]], "caption": match["caption"]})
        report(match[0].strip(), f"{match['path']} shows no live figure {match['name']!r}")
        return match[0]

    return _LINK.sub(drawn, text)


def live_html(figure: Mapping[str, Any], *, number: int, caption: str, code_url: str, alone_url: str) -> str:
    """Return the HTML of a live figure as it stands at first.

    Args:
        figure: its description.
        number: of the figure in the chapter.
        caption: as HTML.
        code_url: where its code can be read, for readers without scripts.
        alone_url: where it stands alone.
    """
    drawn = figure["drawn"]
    wide, narrow = (frame_height(figure, caption, width) for width in (WIDE, NARROW))
    knobs = "".join(_knob(knob, drawn, number) for knob in figure["knobs"])
    named = "".join(_named_setting(setting, figure["opens"]) for setting in figure["named"])
    notice = next((setting["notice"] for setting in figure["named"] if setting["name"] == figure["opens"]), "")
    pictures = "".join(drawn["svgs"])
    alt = html.escape(drawn["alt"], quote=True)
    return (
        f'<figure class="book-figure live" id="figure-{number}"'
        f' data-module="{figure["module"]}" data-name="{figure["name"]}"'
        f' data-title="{html.escape(figure["title"])}" data-height="{wide}" data-narrow-height="{narrow}">'
        '<div class="live-status"><p class="live-notice">' + html.escape(notice, quote=False) + "</p>"
        f'<p class="live-numbers">{html.escape(drawn["numbers"], quote=False)}</p>'
        f'<p class="live-note" id="live-note-{number}" role="status"></p></div>'
        f'<form class="knobs" aria-label="Settings of figure {number}: {html.escape(figure["title"])}">{knobs}'
        f'<span class="knob settings">{named}<button type="reset">Reset</button></span></form>'
        f'<div class="panels" role="img" aria-label="{alt}">{pictures}</div>'
        '<p class="live-tools"><span class="live-spoken" role="status"></span>'
        f'<a class="live-link" href="#figure-{number}">Link to this setting</a>'
        f'<a class="live-code" href="{html.escape(code_url)}">Show the code</a>'
        f'<a class="live-embed" href="{html.escape(alone_url)}">Embed</a></p>'
        f"<figcaption><strong>Figure {number}, live.</strong> {caption}</figcaption></figure>\n"
    )


def alone_address(name: str) -> str:
    """Return where the site shows a live figure alone, relative to its root."""
    return f"live/{name}/"


def near_pictures(figure: Mapping[str, Any]) -> str:
    """Return as JSON the pictures that a page shows before Python runs, by the settings as it sends them."""
    return json.dumps(figure["near"], ensure_ascii=False, separators=(",", ":"))


def _named_setting(setting: Mapping[str, Any], opens: str) -> str:
    settings, notice = (html.escape(text) for text in (json.dumps(setting["settings"]), setting["notice"]))
    name = html.escape(setting["name"], quote=False)
    pressed = ' aria-pressed="true"' * (setting["name"] == opens)
    attributes = f'class="named" data-settings="{settings}" data-notice="{notice}"{pressed}'
    return f'<button type="button" {attributes}>{name}</button>'


def _knob(knob: Mapping[str, Any], drawn: Mapping[str, Any], number: int) -> str:
    name, plain = knob["name"], html.escape(knob["label"], quote=True)
    label = re.sub(r"(?<=[A-Za-zα-ω])_(\w+)", r"<sub>\1</sub>", plain)
    idle = " hidden" if name in drawn["idle"] else ""
    if knob["kind"] == "choice":
        chosen, default = drawn["changed"].get(name, knob["default"]), html.escape(knob["default"], quote=True)
        options = "".join(
            f'<option value="{html.escape(value, quote=True)}"{" selected" * (value == chosen)}>'
            f"{html.escape(text, quote=False)}</option>"
            for value, text in knob["options"]
        )
        select = f'<select name="{name}" data-default="{default}">{options}</select>'
        return f'<label class="knob"{idle}>{label}{select}</label>'
    if knob["kind"] == "switch":
        ticked = " checked" * (drawn["shown"][name] == "on")
        return f'<label class="knob switch"{idle}><input type="checkbox" name="{name}"{ticked}>{label}</label>'
    shown = html.escape(drawn["shown"][name], quote=True)
    stops = html.escape("|".join(knob["stops"]), quote=True)
    play = '<button type="button" class="play" aria-pressed="false">Play</button>' if knob["play"] else ""
    return (
        f'<span class="knob"{idle}><label for="k{number}-{name}">{label}</label>'
        f'<input type="text" name="{name}" value="{shown}" aria-label="{plain}, typed" autocomplete="off">'
        f'<input type="range" id="k{number}-{name}" data-knob="{name}" max="{drawn["most"][name]}"'
        f' value="{drawn["places"][name]}" data-stops="{stops}" aria-valuetext="{shown}">{play}</span>'
    )
