"""Hints, one step at a time, and solutions, after the reader's own."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from exercises.catalogue import Chapter
from exercises.judging import Exercise
from exercises.messages import labelled

STATE = ".hints.json"


def next_hint(chapter: Chapter, exercise: Exercise) -> str:
    """Return the next of the three hints, the last one again and again; which is next is kept beside the answers."""
    given = _given(chapter.folder)
    level = min(given.get(exercise.name, 0), len(exercise.hints) - 1)
    (chapter.folder / STATE).write_text(json.dumps({**given, exercise.name: level + 1}, indent=1), encoding="utf-8")
    hint = exercise.hints[level]
    more = "" if level + 1 < len(exercise.hints) else " This is the last one."
    number = f"Hint {level + 1} of {len(exercise.hints)} to exercise {exercise.number}, {exercise.name}.{more}"
    part = Path(chapter.page).parent.as_posix()
    return "\n".join([number, labelled("hint", hint.text), labelled("read", f"{part}/{hint.link}")])


def _given(folder: Path) -> dict[str, int]:
    """Return how many hints were given to each exercise; a file that somebody broke counts as none."""
    try:
        given = json.loads((folder / STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: number for name, number in given.items() if isinstance(number, int)} if type(given) is dict else {}


def solution(chapter: Chapter, name: str) -> str:
    """Return the source of a solution, without the rest of its file."""
    source = (chapter.folder / "solution.py").read_text(encoding="utf-8")
    found = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name]
    return ast.get_source_segment(source, found[0]) or "" if found else "It is on the chapter's page."
