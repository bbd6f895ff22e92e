"""Sets exercises: a link to an exercise's module becomes its stub, with a button that opens it in an editor.

A link titled ``exercise: name`` that is alone on its line becomes, on the site, what
``docs/javascripts/live/exercise.js`` works with; readable without scripts. One titled ``solution: name`` becomes the
solution's code. In a published notebook, an exercise is a cell with the stub and a cell that grades it, and a solution
stays in its fold. The page on all exercises is written here too.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from press.making.pages import Page

PATH = "docs/exercises.md"
SOURCE = "grader/page.py"

Record = Mapping[str, Any]
_LINK = re.compile(r'^\[[^\]]*\]\((?P<path>[^)\s]+) "(?P<kind>exercise|solution): (?P<name>\w+)"\) *$', re.MULTILINE)
_SECTION = re.compile(r"^## Exercises\n", re.MULTILINE)
_PACKAGES = {"numpy": "NumPy"}
_INTRODUCTION = """---
title: "Exercises"
description: "All exercises of the book, what is solved in this browser, and how answers get to files and back."
---

# Exercises

One grader judges an exercise in two places: in your terminal, by the command below each chapter, and in the chapter's
page, by the button **Solve it here**. The page runs Python in your browser; what you write stays in this browser's
storage and is sent nowhere. Exercises whose state stays empty need NumPy: solve them in the notebook or your terminal.
An answer to another one that imports NumPy, or what else a page lacks, is not graded there and does not count as tried.

**Export** saves a chapter's answers as a zip file: unpack it in the book's folder, and they are in `answers/`, one file
an exercise, where `pytest exercises` looks. **Import** takes such a zip file in, or one exercise's file.

<div class="own-assignment" hidden>
<p>Is this for a course? An assignment is a file that names exercises, and says until when: take it in, and what is
asked stands here. <button type="button" value="take">Take an assignment in</button>
<button type="button" value="forget" hidden>Forget it</button> <span role="status"></span></p>
<ul></ul>
</div>

"""


class Report(Protocol):
    """Takes a piece of the source, what is wrong with it, and which of several such pieces it is, from 0."""

    def __call__(self, piece: str, message: str, occurrence: int = 0) -> None: ...


@dataclass(frozen=True)
class Shown:
    """An exercise or a solution that a text shows: the link, its module's path from the root, the name."""

    link: str
    kind: str
    path: str
    name: str


def shown_in(text: str, page: str) -> list[Shown]:
    """Return what a page's text shows of exercises.

    >>> [one] = shown_in('[Solve it here](../../exercises/a/b/ring.py "exercise: ring")', "chapters/a/01-b.md")
    >>> one.kind, one.path, one.name
    ('exercise', 'exercises/a/b/ring.py', 'ring')
    """
    folder = posixpath.dirname(page)
    return [
        Shown(match[0].strip(), match["kind"], posixpath.normpath(posixpath.join(folder, match["path"])), match["name"])
        for match in _LINK.finditer(text)
    ]


def expand_exercises(sources: Sequence[str], page: str, records: Mapping[str, Record], report: Report) -> list[str]:
    """Put exercises and solutions into the cells of a page, and a board of them into its section "Exercises".

    Args:
        sources: the cells' Markdown, ``""`` for a cell of code.
        page: the page's path from the root.
        records: what is known of each exercise, by its module's path.
        report: called with the link and a message where there is no such exercise, or where it stands a second time.
    """
    seen: dict[tuple[str, str], int] = {}

    def expanded(match: re.Match[str]) -> str:
        [shown] = shown_in(match[0], page)
        times = seen[shown.kind, shown.name] = seen.get((shown.kind, shown.name), 0) + 1
        record = records.get(shown.path)
        if record is None or record["name"] != shown.name:
            report(shown.link, f"{shown.path} declares no exercise {shown.name!r}")
            place = f'<div id="exercise-{shown.name}"></div>'  # what leads here is right
            return place if shown.kind == "exercise" and times == 1 else ""
        if times > 1:
            report(shown.link, f"the {shown.kind} {shown.name!r} stands in this page already", times - 1)
            return ""
        return exercise_box(record, page) if shown.kind == "exercise" else f"```python\n{record['solution']}```"

    made = [_LINK.sub(expanded, source) for source in sources]
    mine = [records[one.path] for source in sources for one in shown_in(source, page) if one.path in records]
    asked = list({record["name"]: record for record in mine}.values())
    if not asked:
        return made
    panel = f"## Exercises\n\n{_how(asked[0]['address'])}\n\n{board(asked[0]['address'], map(_line_here, asked))}\n\n"
    return [_SECTION.sub(lambda _: panel, source, count=1) for source in made]


def _how(address: str) -> str:
    return (
        f"In a terminal, `pytest exercises/{address}` grades your answers and says what is next; its first run makes "
        f"a file for each exercise in `answers/{address}/`."
    )


def exercise_box(record: Record, page: str) -> str:
    """Return an exercise as a page has it: level, command, stub, and where it can be solved."""
    name, address = record["name"], record["address"]
    command = f"`pytest exercises/{address} -k {name}`"
    stub = (
        '<details class="exercise-stub" markdown="1"><summary>What to write</summary>\n\n'
        f"```python\n{record['stub'].rstrip()}\n```\n\n</details>\n"
    )
    begin = f'<div class="exercise" id="exercise-{name}"'
    if record["takes"]:
        packages = " and ".join(_PACKAGES.get(package, package) for package in record["takes"])
        notebook = posixpath.basename(page).removesuffix(".md") + ".ipynb"
        where = (
            f'It needs {packages}<span class="by-hand">, which this page does not have</span>:'
            f" solve it in [the notebook]({notebook}) or in a file"
        )
        return f'{begin} markdown="1">\n\nLevel: {record["level"]}. {where} ({command}).\n\n{stub}</div>'
    return (
        f'{begin} data-chapter="{address}" data-name="{name}" markdown="1">\n\n'
        f"Level: {record['level']}. In a terminal: {command}.\n\n{stub}"
        '<div class="exercise-bar" markdown="0"><button type="button" data-do="open">Solve it here</button>'
        '<span class="exercise-status"></span></div>\n<pre class="exercise-paper"></pre>\n</div>'
    )


def cells_of(text: str, page: str, records: Mapping[str, Record]) -> list[tuple[str, str]]:
    """Return a Markdown cell as the cells of a published notebook: kind and source; exercises become cells of code.

    A solution stays in its cell, and so in its fold.
    """

    def solved(match: re.Match[str]) -> str:
        [shown] = shown_in(match[0], page)
        known = shown.kind == "solution" and shown.path in records
        return f"```python\n{records[shown.path]['solution']}```" if known else match[0]

    text = _LINK.sub(solved, text)
    cells, end = [], 0
    for match in _LINK.finditer(text):
        [shown] = shown_in(match[0], page)
        record = records.get(shown.path)
        if shown.kind != "exercise" or record is None:
            continue
        check = f"from grader.notebook import check\n\ncheck({shown.name!r}, {shown.name})"
        cells += [("markdown", text[end : match.start()].strip()), ("code", record["stub"].rstrip()), ("code", check)]
        end = match.end()
    cells.append(("markdown", text[end:].strip()))
    return [(kind, source) for kind, source in cells if source]


@dataclass(frozen=True)
class Line:
    """A line of a board: an exercise's name, where it is asked, and on the page of all exercises what and how hard."""

    name: str
    link: str
    asked: str = ""
    level: str = ""
    in_page: bool = True


def _line_here(record: Record) -> Line:
    return Line(record["name"], f"#exercise-{record['name']}", in_page=not record["takes"])


def board(chapter: str, lines: Iterable[Line]) -> str:
    """Return the HTML of a chapter's board: its exercises, with room for what this browser knows of each.

    Args:
        chapter: its part and its name, ``parallelism/pipeline``.
        lines: its exercises. Where none is in the page, there is no state to show, and nothing to export.
    """
    lines = list(lines)
    items = "".join(_item(line) for line in lines)
    if not any(line.in_page for line in lines):
        return f'<div class="exercise-board" data-chapter="{chapter}"><ul>{items}</ul></div>'
    return (
        f'<div class="exercise-board" data-chapter="{chapter}"><p>Solved in this browser: <span class="exercise-count">'
        f"</span></p><ul>{items}</ul>"
        '<p class="exercise-bar"><button type="button" data-do="export">Export answers</button>'
        '<button type="button" data-do="import">Import</button>'
        '<span class="exercise-note" role="status"></span></p></div>'
    )


def _item(line: Line) -> str:
    asked = f" {html.escape(line.asked)}" if line.asked else ""
    level = f'<span class="exercise-level">{line.level}</span>' if line.level else ""
    state = '<span class="exercise-status"></span>' if line.in_page else ""
    link = f'<a href="{html.escape(line.link)}"><code>{line.name}</code></a>'
    return f'<li data-name="{line.name}"><span>{link}{asked}</span>{level}{state}</li>'


def exercises_page(chapters: Mapping[str, Sequence[Record]], titles: Mapping[str, str]) -> Page | None:
    """Write the page of all exercises, ``None`` if the book has none.

    Args:
        chapters: by the chapter's file, the records of its exercises.
        titles: the chapters' titles by their files.
    """
    if not chapters:
        return None
    pages = sorted(chapters, key=posixpath.basename)
    sections = [_section(page, titles.get(page, page), chapters[page]) for page in pages]
    return Page(PATH, SOURCE, "\n".join([_INTRODUCTION, *sections]), "Exercises")


def _section(page: str, title: str, records: Sequence[Record]) -> str:
    address = records[0]["address"]
    lines = (
        Line(
            record["name"],
            f"../{page}#exercise-{record['name']}",
            record["asked"],
            record["level"],
            not record["takes"],
        )
        for record in records
    )
    return f"## [{title}](../{page}#exercises)\n\n`pytest exercises/{address}`\n\n{board(address, lines)}\n"
