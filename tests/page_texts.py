"""What readers could write in a page: for each exercise that runs there the stub, the solution and every mistake."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from exercises import in_page
from exercises.answer_texts import parts_of, text_for
from exercises.catalogue import Chapter, chapters
from exercises.needs import needs
from exercises.statements import Statement, renamed

Texts = dict[str, dict[str, dict[str, str]]]
CHAPTERS = chapters()


def texts_in_page() -> Texts:
    """Return for a chapter's address, an exercise's name and what the text is (a mistake's name, say) the text."""
    found: Texts = {}
    for chapter in CHAPTERS:
        for name in chapter.exercises:
            if not needs(chapter, name):
                found.setdefault(chapter.address, {})[name] = texts_of(chapter, name)
    return found


@functools.cache
def parts(path: Path) -> list[Statement]:
    return parts_of(path.read_text(encoding="utf-8"))


def texts_of(chapter: Chapter, name: str) -> dict[str, str]:
    solution = text_for(parts(chapter.folder / "solution.py"), name)
    wrong = {mistake: mistaken(chapter, name, mistake) for mistake in chapter.mistakes[name]}
    return {"stub": in_page.stub(chapter.address, name), "solution": solution, **wrong}


def mistaken(chapter: Chapter, name: str, mistake: str) -> str:
    """Return an answer that makes a known mistake; some use the solution, which has the answer's own name."""
    text = renamed(text_for(parts(chapter.folder / "mutants.py"), mistake), {name: f"right_{name}"})
    assert text
    return f"{text}\n\n{name} = {mistake}\n"


def told(verdict: Mapping[str, Any]) -> str:
    """Return a message without what versions of Python differ in: their words on errors, a float's last digits."""
    text = " ".join(verdict["message"].partition("\n\nTraceback")[0].split())
    if verdict["trace"]:
        text = re.sub(r"(got: \w+): .*(\(line \d+\))", r"\1 \2", text)
    return re.sub(r"\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.12g}", text)


def wanted(kind: str) -> tuple[str, str]:
    """Return the status and the mistake of a text."""
    return {"stub": ("open", ""), "solution": ("solved", "")}.get(kind, ("wrong", kind))


TEXTS = texts_in_page()
