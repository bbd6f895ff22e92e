"""Turns the description of a live figure into HTML: complete without scripts, its knobs ready for a reader's hand.

The description (``snippets.live.declaring.LiveFigure.described``) comes with the chapter's outputs, so a page is made
from what its chapter executed. ``docs/javascripts/live/figure.js`` works with the elements that are written here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "assets/live"


def live_modules(root: Path) -> list[str]:
    """Return the dotted names of the modules that have live figures: each stands beside its subject."""
    files = (root / "snippets").rglob("*_live.py")
    return sorted(".".join(file.relative_to(root).with_suffix("").parts) for file in files)


def live_html(figure: Mapping[str, Any], *, number: int, caption: str, code_url: str) -> str:
    """Return the HTML of a live figure as it stands at first.

    Args:
        figure: its description.
        number: of the figure in the chapter.
        caption: as HTML.
        code_url: where its code can be read, for readers without scripts.
    """
    drawn = figure["drawn"]
    knobs = "".join(_knob(knob, drawn, number) for knob in figure["knobs"])
    pictures = "".join(drawn["svgs"])
    alt = html.escape(drawn["alt"], quote=True)
    return (
        f'<figure class="book-figure live" id="figure-{number}"'
        f' data-module="{figure["module"]}" data-name="{figure["name"]}">'
        f'<form class="knobs" aria-label="Settings of figure {number}: {html.escape(figure["title"])}">{knobs}'
        '<span class="knob"><button type="reset">Reset</button></span></form>'
        f'<div class="panels" role="img" aria-label="{alt}">{pictures}</div>'
        f'<p class="live-numbers">{html.escape(drawn["numbers"], quote=False)}</p>'
        '<p class="live-tools"><span class="live-note" role="status"></span>'
        '<span class="live-spoken" role="status"></span>'
        f'<a class="live-link" href="#figure-{number}">Link to this setting</a>'
        f'<a class="live-code" href="{html.escape(code_url)}">Show the code</a></p>'
        f"<figcaption><strong>Figure {number}, live.</strong> {caption}</figcaption></figure>\n"
    )


def _knob(knob: Mapping[str, Any], drawn: Mapping[str, Any], number: int) -> str:
    name, plain = knob["name"], html.escape(knob["label"], quote=True)
    label = re.sub(r"(?<=[A-Za-zα-ω])_(\w+)", r"<sub>\1</sub>", plain)
    idle = " hidden" if name in drawn["idle"] else ""
    if knob["kind"] == "choice":
        options = "".join(
            f'<option value="{html.escape(value, quote=True)}"{" selected" * (value == knob["default"])}>'
            f"{html.escape(text, quote=False)}</option>"
            for value, text in knob["options"].items()
        )
        return f'<label class="knob"{idle}>{label}<select name="{name}">{options}</select></label>'
    if knob["kind"] == "switch":
        ticked = " checked" * bool(knob["default"])
        return f'<label class="knob switch"{idle}><input type="checkbox" name="{name}"{ticked}>{label}</label>'
    shown = html.escape(drawn["shown"][name], quote=True)
    play = '<button type="button" class="play" aria-pressed="false">Play</button>' if knob["play"] else ""
    return (
        f'<span class="knob"{idle}><label for="k{number}-{name}">{label}</label>'
        f'<input type="text" name="{name}" value="{shown}" aria-label="{plain}, typed" autocomplete="off">'
        f'<input type="range" id="k{number}-{name}" data-knob="{name}" max="{drawn["most"][name]}"'
        f' value="{drawn["places"][name]}" aria-valuetext="{shown}">{play}</span>'
    )
