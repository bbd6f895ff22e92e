"""Draws the question of a chapter: a field for the reader's guess, and a box that shows it beside the answer.

What they say comes from ``snippets.questions`` with the chapter's outputs. ``docs/javascripts/book.js`` keeps the guess
and puts it into the box.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_FIRST = '<a href="#the-question">make one</a>'


def guess_html(book: Mapping[str, Any]) -> str:
    """Return the field in which the reader writes a guess, or the options of which one is chosen."""
    asked, unit = html.escape(book["asked"], quote=False), html.escape(book["unit"])
    status = '<p role="status"></p>'
    if not book["options"]:
        field = '<input type="text" name="guess" autocomplete="off" inputmode="decimal" size="9">'
        label = f"<label>{asked} <span>{field} {unit}</span></label>"
        return f'<div class="guess" data-unit="{unit}">{label}{status}</div>\n'
    options = "".join(
        f'<label><input type="radio" name="guess" value="{html.escape(option)}"> {html.escape(option)}</label>'
        for option in book["options"]
    )
    return f'<div class="guess"><fieldset><legend>{asked}</legend>{options}</fieldset>{status}</div>\n'


def answer_html(book: Mapping[str, Any], inline: Callable[[str], str]) -> str:
    """Return the box with the answer; ``inline`` makes HTML of a label's Markdown."""
    told = f'data-right="{html.escape(book["right"])}"' if book["right"] else f'data-number="{book["number"]!r}"'
    rows = "".join(
        f'<tr><th scope="row">{inline(label)}</th><td>{html.escape(value, quote=False)}</td></tr>'
        for label, value in book["rows"]
    )
    return (
        f'<div class="answer" {told} data-unit="{html.escape(book["unit"])}"><table class="answer-rows"><tbody>'
        f'<tr class="own-guess"><th scope="row">your guess</th><td>none: {_FIRST}</td></tr>{rows}</tbody></table>'
        '<p role="status"></p></div>\n'
    )


def question_problem(shown: Sequence[Mapping[str, Any]]) -> str | None:
    """Say what is wrong with the guesses and answers of a page, in their order; ``None`` if nothing is."""
    roles = [book["role"] for book in shown]
    if not roles:
        return None
    if roles != ["guess", "answer"]:
        return f"a chapter asks for one guess and shows one answer after it, this one has: {', '.join(roles)}"
    asked, told = shown
    if asked["unit"] != told["unit"]:
        return f"the answer must be in the guess's unit {asked['unit']!r}, got {told['unit']!r}"
    if told["right"] and told["right"] not in asked["options"]:
        return f"the right option must be one of the guess's ({', '.join(asked['options'])}), got {told['right']!r}"
    return None
