"""What graders share: loading a reader's answers, and saying what is wrong with one.

An exercises folder holds ``stub.py`` (what is asked), ``solution.py``, ``mutants.py`` (typical wrong answers) and
``test_answers.py`` (the grader). The reader writes ``answers.py``, which is made from the stub when it is first needed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest

from exercises.judging import Exercise

Function = TypeVar("Function", bound=Callable[..., Any])
_SHOWN = 300  # characters of a value that a message quotes


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


class Answers:
    """The functions that are graded; asking for one that is missing fails with a plain message."""

    def __init__(self, functions: Mapping[str, Any], origin: str) -> None:
        self._functions = functions
        self._origin = origin

    def __getattr__(self, name: str) -> Any:
        if name not in self._functions:
            pytest.fail(f"{self._origin} has no function {name}; stub.py shows how it begins", pytrace=False)
        return self._functions[name]


def load_answers(folder: Path, source: str = "answers.py") -> Answers:
    """Load what is to be graded.

    Args:
        folder: the exercises' folder.
        source: ``answers.py``, ``stub.py``, ``solution.py``, or ``mutants.py::name`` for the solution with one function
            replaced by the wrong answer of that name.
    """
    file, _, wrong = source.partition("::")
    path = folder / file
    if file == "answers.py" and not path.exists():
        with path.open("x", encoding="utf-8") as answers:
            answers.write((folder / "stub.py").read_text(encoding="utf-8"))
    if not wrong:
        return Answers(_execute(path), file)
    chosen = mutants_in(folder)[wrong]
    return Answers({**_execute(folder / "solution.py"), chosen.replaces: chosen.function}, source)


def mutants_in(folder: Path) -> dict[str, Mutant]:
    """Return the wrong answers of a folder by name."""
    return mutants_among(_execute(folder / "mutants.py"))


def mutants_among(values: Mapping[str, Any]) -> dict[str, Mutant]:
    """Return the wrong answers among a module's values by name."""
    return {n: value.mutant for n, value in values.items() if isinstance(getattr(value, "mutant", None), Mutant)}


def attempt(function: Callable[..., Any], *, asked: str, **arguments: Any) -> Any:
    """Call a reader's function; an exception other than ``NotImplementedError`` fails with a message."""
    try:
        return function(**arguments)
    except NotImplementedError:
        raise
    except Exception as error:
        line = _line_in(error, getattr(function, "__globals__", {}).get("__file__", ""))
        complain(
            asked=asked,
            given=arguments,
            expected="a result",
            got=f"{type(error).__name__}: {error} (line {line})",
            hint=f"Look at line {line} with these arguments.",
        )


def complain(*, asked: str, given: Mapping[str, Any], expected: Any, got: Any, hint: str) -> NoReturn:
    """Fail with what was asked, the input that broke it, what was expected, what came out, and one hint."""
    told = ", ".join(f"{name} = {_brief(value)}" for name, value in given.items())
    lines = {"asked": asked, "input": told, "expected": _brief(expected), "got": _brief(got), "hint": hint}
    pytest.fail("\n" + "\n".join(f"{name + ':':<10}{text}" for name, text in lines.items()), pytrace=False)


def _execute(path: Path) -> dict[str, Any]:
    """Run a file as a module of its own and return its names."""
    name = ".".join(path.with_suffix("").parts[-4:]).replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"path must name a Python file, got {path.name!r}")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        pytest.fail(f"{path.name}, line {error.lineno}: {error.msg}", pytrace=False)
    except Exception as error:
        place = f"{path.name}, line {_line_in(error, str(path))}"
        pytest.fail(f"{place}: {type(error).__name__}: {error}", pytrace=False)
    return vars(module)


def _line_in(error: BaseException, filename: str) -> int:
    """The last line of the file that the error passed through."""
    line, step = 0, error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == filename:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _brief(value: Any) -> str:
    """A value on one line; of an array its shape and type, and the numbers only where there are few."""
    if isinstance(value, str):
        return value
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        size = " × ".join(map(str, value.shape))
        few = 0 < value.size <= 12
        return f"{value.tolist()} ({value.dtype})" if few else f"an array of {size} ({value.dtype})"
    if isinstance(value, list | tuple) and value and all(hasattr(entry, "dtype") for entry in value):
        return f"[{', '.join(map(_brief, value[:4]))}{', …' if len(value) > 4 else ''}]"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def graded(exercises: Sequence[Exercise]) -> Callable[..., None]:
    """Return the test that pytest runs for each exercise of a chapter; ``exercises/conftest.py`` has its fixture."""

    @pytest.mark.parametrize("exercise", exercises, ids=[exercise.name for exercise in exercises])
    def test_answer(exercise: Exercise, grade: Callable[[Exercise], None]) -> None:
        grade(exercise)

    return test_answer
