"""Writes what the page on labs shows of each: its docstring, its command, and rows of its recorded run.

A lab's docstring begins ``Title: what it shows.``; below it stand prose, a line ``Chapter: 13`` and, under ``Shown:``,
how the rows begin that the page shows. Records lie in ``labs/recorded``, as ``--record`` writes them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.records import shown
from press.problems import Problem, line_of

RECORDS = "labs/recorded"
_LABELLED = re.compile(r"^(Chapter|Shown):\s*")


@dataclass(frozen=True)
class Lab:
    """A lab's file, what its docstring says, and its record; ``rows`` are the beginnings of the rows that are shown."""

    path: str
    source: str
    title: str
    prose: tuple[str, ...]
    chapter: str
    rows: tuple[str, ...]
    record: Mapping[str, Any]


def read_lab(path: str, source: str, record: Mapping[str, Any]) -> Lab:
    """Take a lab's docstring apart."""
    first, *others = re.split(r"\n\s*\n", ast.get_docstring(ast.parse(source)) or path)
    title, _, about = first.partition(":")
    about = about.strip()
    labelled = {label[1]: text[label.end() :] for text in others if (label := _LABELLED.match(text))}
    prose = [text for text in others if not _LABELLED.match(text) and not text.lstrip().startswith("torchrun")]
    rows = [line.strip() for line in labelled.get("Shown", "").splitlines()]
    return Lab(
        path,
        source,
        title,
        (about[:1].upper() + about[1:], *prose),
        labelled.get("Chapter", "").strip(),
        tuple(filter(None, rows)),
        record,
    )


def recorded_labs(root: Path) -> tuple[list[Lab], list[Problem]]:
    """Return the labs that have a record, and a problem for each record whose lab is missing."""
    labs, problems = [], []
    for path in sorted((root / RECORDS).glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        place = f"labs/{record['lab']}.py"
        if (root / place).is_file():
            labs.append(read_lab(place, (root / place).read_text(encoding="utf-8"), record))
        else:
            problems.append(Problem(path.relative_to(root).as_posix(), 1, f"the record's lab is missing: {place}"))
    return labs, problems


def labs_list(labs: Iterable[Lab], chapters: Mapping[str, str]) -> tuple[str, list[Problem]]:
    """Return the sections of the labs in the chapters' order, and a problem for each row that no record has.

    Args:
        labs: the labs with their records.
        chapters: the chapters' places by number, in the book's order, as the page links to them.
    """
    numbers = list(chapters)
    lines: list[str] = []
    problems: list[Problem] = []
    for lab in sorted(labs, key=lambda lab: numbers.index(lab.chapter) if lab.chapter in numbers else len(numbers)):
        rows = []
        for begin in lab.rows:
            found = [row for row in lab.record["rows"] if row["what"].startswith(begin)]
            if not found:
                message = f"Shown must say how rows of the record begin, got {begin!r}"
                problems.append(Problem(lab.path, line_of(lab.source, f"    {begin}\n"), message))
            rows += found
        lines += _section(lab, rows, chapters)
    return "\n".join(lines), problems


def _section(lab: Lab, rows: list[Mapping[str, Any]], chapters: Mapping[str, str]) -> list[str]:
    """Return the Markdown of a lab with some rows of its record."""
    about = f"Chapter [{lab.chapter}]({chapters[lab.chapter]}). " if lab.chapter in chapters else ""
    cells = ((row["what"], shown(row, "predicted"), shown(row, "measured"), row["unit"]) for row in rows)
    return [
        *(f"## {lab.title}", ""),
        *(line for paragraph in lab.prose for line in (paragraph, "")),
        *(f"{about}Source: [{Path(lab.path).name}](../{lab.path}).", ""),
        *("```sh", lab.record["command"], "```", ""),
        *("| what | predicted | measured | unit |", "|---|---|---|---|"),
        *(f"| {' | '.join(row)} |" for row in cells),
        *("", _about_record(lab.record, len(rows)), ""),
    ]


def _about_record(record: Mapping[str, Any], rows: int) -> str:
    wrong = [row["what"] for row in record["rows"] if not row["agree"]]
    verdict = f"these do not agree: {', '.join(wrong)}" if wrong else "every count agrees"
    return (
        f"Recorded on {record['date']} with PyTorch {record['versions']['torch']} and {record['ranks']} ranks, on"
        f" {record['machine']}. These are {rows} of {len(record['rows'])} rows; {verdict}."
    )
