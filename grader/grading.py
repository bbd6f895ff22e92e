"""What is graded, and how one exercise is: for pytest and for a class."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.answer_files import Unreadable, Written
from grader.catalogue import Chapter, find
from grader.exercise import Exercise
from grader.judging import Verdict
from grader.messages import Result
from grader.sandbox import Sandbox
from grader.source import stub_of


def grade(sandbox: Sandbox, chapter: Chapter, exercise: Exercise, written: Callable[[], Written | None]) -> Result:
    """Judge what somebody wrote; nothing counts as open, and what is no text as wrong."""
    began = time.perf_counter()
    try:
        found = written()
        if found is None or found.text == stub_of(exercise):
            verdict = Verdict("open", exercise.asked)
        else:
            verdict = sandbox.judge(exercise, found.text, found.file)
    except FileNotFoundError:
        verdict = Verdict("open", exercise.asked)
    except Unreadable as error:
        verdict = Verdict("wrong", exercise.asked, "", "a file that Python can read", str(error))
    return Result(chapter, exercise, verdict, time.perf_counter() - began)


Asked = Sequence[tuple[Chapter, Exercise]]


def assigned(path: Path, home: Path) -> Asked:
    """Return the exercises that a file names, one a line, each with the weight behind it or its own; # is a comment.

    Raises:
        ValueError: a line names no exercise, its weight is no number of at least 0, or there is no line.
    """
    asked = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        name, *weight = line.partition("#")[0].split()[:2] or [""]
        if not name:
            continue
        try:
            chapter, exercise = find(name, home)
            if weight:
                exercise = dataclasses.replace(exercise, weight=_weight(weight[0]))
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}:{number}: {error.args[0]}") from None
        asked.append((chapter, exercise))
    if not asked:
        raise ValueError(f"{path} names no exercise")
    return asked


def _weight(text: str) -> float:
    if not text.replace(".", "", 1).isdigit():
        raise ValueError(f"a weight must be a number of at least 0, got {text!r}")
    return float(text)
