"""What readers could write in a page: of each exercise that runs there the stub, the solution and every mistake."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sampling import ALL, ROOT, sampled

from exercises import in_page
from exercises.answer_texts import parts_of, text_for
from exercises.catalogue import chapter_of
from exercises.statements import Statement, renamed

Texts = dict[str, dict[str, dict[str, str]]]
SOLVED_HERE = re.compile(r'^\[Solve it here\]\(\.\./\.\./exercises/(\S+)/stub\.py "exercise: (\w+)"\)$', re.MULTILINE)


def exercises_in_pages() -> dict[str, list[str]]:
    """Return for each chapter's address the exercises that its page offers to solve."""
    found: dict[str, list[str]] = {}
    for page in sorted((ROOT / "chapters").rglob("*.md")):
        for address, name in SOLVED_HERE.findall(page.read_text(encoding="utf-8")):
            found.setdefault(address, []).append(name)
    return found


IN_PAGES = exercises_in_pages()


@functools.cache
def texts_of(address: str, name: str) -> dict[str, str]:
    """Return the stub, the solution and every mistake of an exercise, by the name of the mistake."""
    chapter = chapter_of(ROOT / "exercises" / address)
    solution = text_for(parts(chapter.folder / "solution.py"), name)
    wrong = {mistake: mistaken(chapter.folder, name, mistake) for mistake in chapter.mistakes[name]}
    return {"stub": in_page.stub(address, name), "solution": solution, **wrong}


def some_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the stub, the solution and today's mistake; at night every mistake."""
    mistakes = sampled([kind for kind in texts if kind not in ("stub", "solution")], 1)
    return {kind: texts[kind] for kind in ("stub", "solution", *mistakes)}


def texts_in_pages(exercises: Mapping[str, Sequence[str]]) -> Texts:
    """Return what ``some_of`` takes of the exercises' texts, by the chapter's address and the exercise's name."""
    return {address: {name: some_of(texts_of(address, name)) for name in names} for address, names in exercises.items()}


def one_of_each() -> dict[str, list[str]]:
    """Return for each chapter's address today's exercise; at night all of them."""
    return {address: names if ALL else list(sampled(names, 1)) for address, names in IN_PAGES.items()}


@functools.cache
def parts(path: Path) -> list[Statement]:
    return parts_of(path.read_text(encoding="utf-8"))


def mistaken(folder: Path, name: str, mistake: str) -> str:
    """Return an answer that makes a known mistake; some use the solution, which has the answer's own name."""
    text = renamed(text_for(parts(folder / "mutants.py"), mistake), {name: f"right_{name}"})
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
