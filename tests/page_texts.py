"""What readers could write in a page: of each exercise that runs there the stub, the solution, and known mistakes."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sampling import ALL, ROOT, sampled

from grader import page
from grader.catalogue import declares, exercise_in
from grader.exercise import Exercise
from grader.source import answer_of, stub_of

Texts = dict[str, dict[str, dict[str, str]]]


def exercises_in_pages() -> dict[str, list[str]]:
    """Return for each chapter's address the exercises that need nothing which a page lacks."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "exercises").glob("*/*/*.py")):
        if declares(path) and "\n    takes=" not in path.read_text(encoding="utf-8"):
            found.setdefault("/".join(path.parts[-3:-1]), []).append(path.stem)
    return found


IN_PAGES = exercises_in_pages()


def exercise_at(address: str, name: str) -> Exercise:
    return exercise_in(ROOT / "exercises" / address / f"{name}.py")


@functools.cache
def texts_of(address: str, name: str) -> dict[str, str]:
    """Return the stub, the solution, and those mistakes that differ from it in places, by the mistake's name."""
    exercise = exercise_at(address, name)
    wrong = {
        mistake.name: answer_of(exercise, mistake.wrong.items())
        for mistake in exercise.mistakes
        if isinstance(mistake.wrong, Mapping)
    }
    return {"stub": stub_of(exercise), "solution": answer_of(exercise), **wrong}


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


def told(verdict: Mapping[str, Any]) -> str:
    """Return a message without what versions of Python differ in: their words on errors, a float's last digits."""
    text = " ".join(verdict["message"].partition("\n\nTraceback")[0].split())
    if verdict["trace"]:
        text = re.sub(r"(got: \w+): .*(\(line \d+\))", r"\1 \2", text)
    return re.sub(r"\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.12g}", text)


def graded(address: str, name: str, text: str, ended: Sequence[str] = ()) -> dict[str, Any]:
    """Return the verdict of the page's door on a text, of which one Python tells and another judges."""
    told: list[str] = []
    page.show(address, name, text, lambda part: told.append(part) if part else None)
    return page.grade(address, name, told, ended)


def wanted(kind: str) -> tuple[str, str]:
    """Return the status and the mistake of a text."""
    return {"stub": ("open", ""), "solution": ("solved", "")}.get(kind, ("wrong", kind))
