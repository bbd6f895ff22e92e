"""Turns the description of a live figure into HTML: complete without scripts, its knobs ready for a reader's hand.

The description (``snippets.live.declaring.LiveFigure.described``) comes with the chapter's outputs, so a page is made
from what its chapter executed. ``docs/javascripts/live/figure.js`` works with the elements that are written here.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DRAWS = "snippets.live.declaring"  # what every live figure needs


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
    named = "".join(_named_setting(setting) for setting in figure["named"])
    pictures = "".join(drawn["svgs"])
    alt = html.escape(drawn["alt"], quote=True)
    return (
        f'<figure class="book-figure live" id="figure-{number}"'
        f' data-module="{figure["module"]}" data-name="{figure["name"]}">'
        '<div class="live-status"><p class="live-notice"></p>'
        f'<p class="live-numbers">{html.escape(drawn["numbers"], quote=False)}</p>'
        f'<p class="live-note" id="live-note-{number}" role="status"></p></div>'
        f'<form class="knobs" aria-label="Settings of figure {number}: {html.escape(figure["title"])}">{knobs}'
        f'<span class="knob settings">{named}<button type="reset">Reset</button></span></form>'
        f'<div class="panels" role="img" aria-label="{alt}">{pictures}</div>'
        '<p class="live-tools"><span class="live-spoken" role="status"></span>'
        f'<a class="live-link" href="#figure-{number}">Link to this setting</a>'
        f'<a class="live-code" href="{html.escape(code_url)}">Show the code</a></p>'
        f"<figcaption><strong>Figure {number}, live.</strong> {caption}</figcaption></figure>\n"
    )


def near_pictures(figure: Mapping[str, Any]) -> str:
    """Return as JSON the pictures that a page shows before Python runs, by the settings as it sends them."""
    return json.dumps(figure["near"], ensure_ascii=False, separators=(",", ":"))


def _named_setting(setting: Mapping[str, Any]) -> str:
    settings, notice = (html.escape(text) for text in (json.dumps(setting["settings"]), setting["notice"]))
    name = html.escape(setting["name"], quote=False)
    return f'<button type="button" class="named" data-settings="{settings}" data-notice="{notice}">{name}</button>'


def _knob(knob: Mapping[str, Any], drawn: Mapping[str, Any], number: int) -> str:
    name, plain = knob["name"], html.escape(knob["label"], quote=True)
    label = re.sub(r"(?<=[A-Za-zα-ω])_(\w+)", r"<sub>\1</sub>", plain)
    idle = " hidden" if name in drawn["idle"] else ""
    if knob["kind"] == "choice":
        options = "".join(
            f'<option value="{html.escape(value, quote=True)}"{" selected" * (value == knob["default"])}>'
            f"{html.escape(text, quote=False)}</option>"
            for value, text in knob["options"]
        )
        return f'<label class="knob"{idle}>{label}<select name="{name}">{options}</select></label>'
    if knob["kind"] == "switch":
        ticked = " checked" * bool(knob["default"])
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
