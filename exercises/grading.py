"""What graders and known mistakes are declared with.

An exercises folder holds ``stub.py`` (what is asked), ``solution.py``, ``mutants.py`` (typical wrong answers) and
``test_answers.py`` (the grader). The reader writes ``answers.py``, which is made from the stub when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from exercises.judging import Exercise

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Mutant:
    """A typical wrong answer: the function that it stands in for, and the sentence that its reader is to be told."""

    replaces: str
    says: str
    function: Callable[..., Any]


def mutant(replaces: str, *, says: str) -> Callable[[Function], Function]:
    """Mark a function of ``mutants.py`` as a wrong answer to the exercise ``replaces``."""

    def mark(function: Function) -> Function:
        function.mutant = Mutant(replaces, says, function)  # type: ignore[attr-defined]
        return function

    return mark


def mutants_in(folder: Path) -> dict[str, Mutant]:
    """Return the wrong answers of a folder by name."""
    from exercises.catalogue import load  # which needs this module's Mutant

    return mutants_among(vars(load(folder / "mutants.py")))


def mutants_among(values: Mapping[str, Any]) -> dict[str, Mutant]:
    """Return the wrong answers among a module's values by name."""
    return {n: value.mutant for n, value in values.items() if isinstance(getattr(value, "mutant", None), Mutant)}


def graded(exercises: Sequence[Exercise]) -> Callable[..., None]:
    """Return the test that pytest runs for each exercise of a chapter; ``exercises/conftest.py`` has its fixture.

    In a page there is no pytest, and nothing calls the test.
    """
    try:
        import pytest
    except ImportError:
        return lambda: None

    @pytest.mark.parametrize("exercise", exercises, ids=[exercise.name for exercise in exercises])
    def test_answer(exercise: Exercise, grade: Callable[[Exercise], None]) -> None:
        grade(exercise)

    return test_answer
