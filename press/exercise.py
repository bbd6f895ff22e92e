"""Sets in-page exercises: a link to a stub becomes the stub itself, with a button that opens it in an editor.

A link titled ``exercise: name`` that is alone on its line leads to the stub in Jupyter and on GitHub. On the site it
becomes what ``docs/javascripts/live/exercise.js`` works with; readable without scripts. The page on all exercises is
written here too.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from exercises.answer_texts import parts_of, text_for
from press.pages import Page
from press.sources import NoSource, python_source

PATH = "docs/exercises.md"
SOURCE = "exercises/in_page.py"

_LINK = re.compile(r'^\[[^\]]*\]\((?P<path>[^)\s]+) "exercise: (?P<name>\w+)"\) *$', re.MULTILINE)
_SECTION = re.compile(r"^## Exercises\n(?:(?!##).+\n?|\n)*", re.MULTILINE)
_INTRODUCTION = """---
title: "Exercises"
description: "All exercises of the book, what is solved in this browser, and how answers get to a file and back."
---

# Exercises

One grader judges an exercise in two places: in your terminal, by the command below each chapter, and in the chapter's
page, by the button **Solve it here**. The page runs Python in your browser; what you write stays in this browser's
storage and is sent nowhere. Exercises without a state need NumPy: solve them in your terminal.

**Export** makes the file `answers.py` of a chapter, for its folder in `exercises`; **Import** takes such a file in.

"""


class Report(Protocol):
    """Takes a piece of the source, what is wrong with it, and which of several such pieces it is, from 0."""

    def __call__(self, piece: str, message: str, occurrence: int = 0) -> None: ...


def stubs_shown(text: str) -> list[tuple[str, str]]:
    """Return path, as written, and name of each exercise that the text shows.

    >>> stubs_shown('[Solve it here](../x/stub.py "exercise: ring")')
    [('../x/stub.py', 'ring')]
    """
    return [(match["path"], match["name"]) for match in _LINK.finditer(text)]


def expand_exercises(sources: Sequence[str], folder: Path, root: Path, report: Report) -> list[str]:
    """Put the exercises into the cells of a page, and a board of them into its section "Exercises".

    Args:
        sources: the cells' Markdown, ``""`` for a cell of code.
        folder: what the links' paths are relative to.
        root: the book's folder; what lies outside of it is not shown.
        report: called with the link and a message where there is no such function, or where it stands a second time.
    """
    shown = [(_address(path), name) for source in sources for path, name in stubs_shown(source)]
    seen: Counter[str] = Counter()

    def exercise(match: re.Match[str]) -> str:
        if seen[match["name"]]:
            report(match[0].strip(), f"the exercise {match['name']!r} stands in this page already", seen[match["name"]])
            return ""
        seen[match["name"]] += 1
        return _exercise(match, folder, root, report)

    expanded = [_LINK.sub(exercise, source) for source in sources]
    if not shown:
        return expanded
    panel = board(shown[0][0], (Line(name, f"#exercise-{name}") for _, name in shown))
    return [_SECTION.sub(lambda match: f"{match[0].rstrip()}\n\n{panel}\n\n", source, count=1) for source in expanded]


def _address(path: str) -> str:
    """Return the part and the name of the chapter that a stub belongs to.

    >>> _address("../../exercises/parallelism/pipeline/stub.py")
    'parallelism/pipeline'
    """
    return "/".join(PurePosixPath(path).parts[-3:-1])


def _exercise(match: re.Match[str], folder: Path, root: Path, report: Report) -> str:
    name = match["name"]
    try:
        source = stub_source(python_source(match["path"], folder, root), name)
    except NoSource as error:
        report(match[0].strip(), f"the exercise's file {match['path']} {error}")
        return f'<div id="exercise-{name}"></div>'  # what leads here is right
    if source is None:
        report(match[0].strip(), f"{match['path']} has no function {name!r}")
        return match[0]
    return (
        f'<div class="exercise" id="exercise-{name}" data-chapter="{_address(match["path"])}" data-name="{name}"'
        ' markdown="1">\n'
        '<details class="exercise-stub" markdown="1"><summary>What to write</summary>\n\n'
        f"```python\n{source.rstrip()}\n```\n\n</details>\n"
        '<div class="exercise-bar" markdown="0"><button type="button" data-do="open">Solve it here</button>'
        '<span class="exercise-status"></span></div>\n<pre class="exercise-paper"></pre>\n</div>'
    )


def stub_source(module: str, name: str) -> str | None:
    """Return what the editor starts with: a stub's function and what of its module it needs.

    ``None`` if there is no such function.
    """
    return text_for(parts_of(module), name) or None


@dataclass(frozen=True)
class Line:
    """A line of a board: an exercise's name, where it is asked, and on the page of all exercises what and how hard."""

    name: str
    link: str
    asked: str = ""
    level: str = ""
    in_page: bool = True


def board(chapter: str, lines: Iterable[Line]) -> str:
    """Return the HTML of a chapter's board: its exercises, with room for what this browser knows of each.

    Args:
        chapter: its part and its name, ``parallelism/pipeline``.
        lines: its exercises. Where none is in the page, there is no state to show, and nothing to export.
    """
    lines = list(lines)
    items = "".join(_item(line) for line in lines)
    if not any(line.in_page for line in lines):
        return f'<div class="exercise-board"><ul>{items}</ul></div>'
    return (
        f'<div class="exercise-board" data-chapter="{chapter}"><p>Solved in this browser: <span class="exercise-count">'
        f"</span></p><ul>{items}</ul>"
        '<p class="exercise-bar"><button type="button" data-do="export">Export answers.py</button>'
        '<button type="button" data-do="import">Import</button>'
        '<span class="exercise-note" role="status"></span></p></div>'
    )


def _item(line: Line) -> str:
    asked = f" {html.escape(line.asked)}" if line.asked else ""
    level = f'<span class="exercise-level">{line.level}</span>' if line.level else ""
    state = '<span class="exercise-status"></span>' if line.in_page else ""
    link = f'<a href="{html.escape(line.link)}"><code>{line.name}</code></a>'
    return f'<li data-name="{line.name}"><span>{link}{asked}</span>{level}{state}</li>'


def exercises_page(described: Sequence[Mapping[str, Any]], chapters: Collection[str]) -> Page | None:
    """Write the page of all exercises, ``None`` if the book has none.

    Args:
        described: what ``exercises.in_page.described`` returns.
        chapters: the chapters' files that this book has.
    """
    mine = [chapter for chapter in described if chapter["page"] in chapters]
    if not mine:
        return None
    sections = [f"{_heading(chapter)}\n\n{_command(chapter)}\n\n{_board_of(chapter)}\n" for chapter in mine]
    return Page(PATH, SOURCE, "\n".join([_INTRODUCTION, *sections]), "Exercises")


def _heading(chapter: Mapping[str, Any]) -> str:
    return f"## [{chapter['title']}](../{chapter['page']}#exercises)"


def _command(chapter: Mapping[str, Any]) -> str:
    return f"`pytest exercises/{chapter['address']}`"


def _board_of(chapter: Mapping[str, Any]) -> str:
    page = f"../{chapter['page']}"
    return board(
        chapter["address"],
        (
            Line(
                exercise["name"],
                f"{page}#exercise-{exercise['name']}" if exercise["in_page"] else f"{page}#exercises",
                exercise["asked"],
                exercise["level"],
                exercise["in_page"],
            )
            for exercise in chapter["exercises"]
        ),
    )
