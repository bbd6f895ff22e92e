"""What the site's build has to know of exercises: ``python -m grader.described FILE…`` prints a line of JSON for each.

It is a process of its own, so that the build sees every exercise as its file now is.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any

from grader.cases import Case, cases
from grader.catalogue import exercise_in
from grader.plain import decode, encode
from grader.source import solution_of, stub_of


def described(path: Path) -> dict[str, Any]:
    """Return what can be said of the exercise that a module declares: names, texts, and the cases of its judge."""
    exercise = exercise_in(path)
    return {
        "address": f"{path.parts[-3]}/{path.parts[-2]}",
        "name": exercise.name,
        "number": exercise.number,
        "asked": exercise.asked,
        "level": exercise.level,
        "takes": list(exercise.takes),
        "stub": stub_of(exercise),
        "solution": solution_of(exercise),
        "cases": [] if exercise.takes else [encode([case.inputs, case.wanted]) for case in cases(exercise)],
    }


def cases_from(described_cases: list[Any]) -> list[Case]:
    """Return the cases of a described exercise."""
    return [Case(*decode(case)) for case in described_cases]


def fault(path: Path, error: BaseException) -> dict[str, Any]:
    """Return where in which file an exercise failed to be loaded, and why."""
    steps = [
        step for step in traceback.extract_tb(error.__traceback__) if Path(step.filename).is_relative_to(Path.cwd())
    ]
    file, line = (steps[-1].filename, steps[-1].lineno) if steps else (str(path), 1)
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename:
        file, line, text = error.filename, error.lineno, error.msg
    return {"file": file, "line": line or 1, "message": text}


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        try:
            line = {"path": str(path), "record": described(path)}
        except (Exception, SystemExit) as error:
            line = {"path": str(path), "fault": fault(path, error)}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
