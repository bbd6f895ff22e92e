"""Results for machines: the book's own JSON, and Gradescope's layout. The schema is in docs/for-teachers.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.cleaning import writable
from grader.messages import Result, message
from grader.whole_files import write_whole

SCHEMA = 1


def as_report(results: Sequence[Result], deadline: datetime | None = None, seed: int | None = None) -> dict[str, Any]:
    """Return results as the book's own report, with the assignment's deadline and the inputs' seed if it has them."""
    rows = [
        {
            "chapter": result.chapter.address,
            "exercise": result.exercise.name,
            "number": result.exercise.number,
            "status": result.verdict.status,
            "weight": result.exercise.weight,
            "score": _score(result),
            "asked": result.verdict.asked,
            "input": result.verdict.given,
            "expected": result.verdict.expected,
            "got": result.verdict.got,
            "mistake": result.verdict.mistake,
            "says": result.verdict.says,
            "pattern": result.verdict.pattern,
            "seconds": round(result.seconds, 3),
        }
        for result in results
    ]
    possible = sum(result.exercise.weight for result in results)
    of_all: dict[str, Any] = {"deadline": deadline.isoformat()} if deadline else {}
    of_all |= {} if seed is None else {"input_seed": seed}
    return {"schema": SCHEMA, **of_all, "score": sum(map(_score, results)), "possible": possible, "exercises": rows}


def as_gradescope(
    results: Sequence[Result], deadline: datetime | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Return results in the layout that a Gradescope autograder writes to ``/autograder/results/results.json``."""
    tests = [
        {
            "name": f"{result.chapter.title}: {result.exercise.name}",
            "number": f"{result.chapter.address}/{result.exercise.number}",
            "score": _score(result),
            "max_score": result.exercise.weight,
            "status": "passed" if result.verdict.status == "solved" else "failed",
            "output": message(result, commands=False),
            "output_format": "text",
        }
        for result in results
    ]
    said = [f"Due: {deadline.isoformat(' ', 'minutes')}."] if deadline else []
    said += [] if seed is None else [f"Inputs drawn with the seed {seed}."]
    return {"score": sum(map(_score, results)), **({"output": " ".join(said)} if said else {}), "tests": tests}


def _score(result: Result) -> float:
    return result.exercise.weight if result.verdict.status == "solved" else 0.0


def write(
    path: Path, results: Sequence[Result], layout: str, deadline: datetime | None = None, seed: int | None = None
) -> None:
    """Write a report in a layout, ``book`` or ``gradescope``."""
    contents = (as_gradescope if layout == "gradescope" else as_report)(results, deadline, seed)
    write_whole(path, as_json(contents))


def as_json(contents: dict[str, Any]) -> str:
    """Return a report as JSON that UTF-8 can hold, whatever stands in it: a lone surrogate is written by its number."""
    return writable(json.dumps(contents, indent=1, ensure_ascii=False) + "\n")
