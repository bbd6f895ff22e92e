"""Judges an answer so that it cannot pass by what it does to the grader: the seal, and the limit on what is printed.

Everything here runs in the process that the answer runs in: a child of pytest's, or the page's worker.
"""

from __future__ import annotations

import builtins
import copy
import functools
import io
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from exercises.catalogue import Chapter, load
from exercises.judging import Exercise, Stopped, Verdict, judge, said, traceback_from

PRINTED_CHARACTERS = 1_000_000  # what an answer may print


def grade_file(chapter: Chapter, name: str, path: Path) -> Verdict:
    """Judge the function of a name in a file, where it may do no harm."""
    return grade_module(chapter, chapter.exercises[name], lambda: load(path, "answers"), path)


def grade_module(chapter: Chapter, exercise: Exercise, load_answers: Callable[[], ModuleType], path: Path) -> Verdict:
    """Judge the function that an exercise asks for in a module, which is executed here from what ``path`` names."""
    name, sealed = exercise.name, functions_of_graders()
    try:
        found = vars(load_answers()).get(name)
    except Stopped as stop:
        return Verdict("wrong", exercise.asked, f"import of {path.name}", stop.expected, stop.got)
    except SyntaxError as error:
        got = f"{path.name}, line {error.lineno}: {error.msg}"
        return Verdict("wrong", exercise.asked, f"import of {path.name}", "a file that Python can read", got)
    except BaseException as error:
        got, trace = said(error, str(path)), traceback_from(error, str(path))
        expected = "a file that can be imported"
        return Verdict("wrong", exercise.asked, f"import of {path.name}", expected, got, trace=trace)
    if found is None:
        return Verdict("open", exercise.asked)
    if not callable(found):
        return Verdict("wrong", exercise.asked, "", f"a function {name}", f"{name} is no function")
    return _judge_sealed(chapter, exercise, found, sealed)


def grade_function(chapter: Chapter, name: str, function: Callable[..., Any]) -> Verdict:
    """Judge a function."""
    return _judge_sealed(chapter, chapter.exercises[name], function, functions_of_graders())


def _judge_sealed(
    chapter: Chapter, exercise: Exercise, function: Callable[..., Any], sealed: dict[tuple[str, str], Any]
) -> Verdict:
    """Judge, and refuse an answer that has replaced functions of the graders."""
    compare = _replaced  # an answer may replace this module's name, not this one
    if name := compare(sealed):
        return _tampered(exercise, name)
    try:
        verdict = judge(exercise, function, chapter.mistakes[exercise.name])
    except BaseException as error:  # of the judge's own, which an answer can cause by what it replaces or returns
        if name := compare(sealed):
            return _tampered(exercise, name)
        return Verdict("wrong", exercise.asked, "", "a result that can be compared", said(error, ""))
    return _tampered(exercise, name) if (name := compare(sealed)) else verdict


def _tampered(exercise: Exercise, name: str) -> Verdict:
    expected = "the grader's modules as they were"
    return Verdict("wrong", exercise.asked, "", expected, f"{name} is replaced: leave other modules alone")


def functions_of_graders() -> dict[tuple[str, str], Any]:
    """Return the functions and classes of all modules that grading relies on, with their code."""
    names = [name for name in list(sys.modules) if name.split(".")[0] in ("exercises", "snippets", "graders")]
    modules = [sys.modules[name] for name in [*names, "hypothesis"] if sys.modules.get(name)] + [builtins, math, copy]
    return {key: value for module in modules for key, value in _functions(module)}


def _functions(module: ModuleType) -> Iterator[tuple[tuple[str, str], Any]]:
    for name, value in list(vars(module).items()):
        if callable(value):
            yield (module.__name__, name), (value, getattr(value, "__code__", None))
        if isinstance(value, type) and value.__module__ == module.__name__:
            for method, function in list(vars(value).items()):
                if callable(function):
                    yield (module.__name__, f"{name}.{method}"), (function, getattr(function, "__code__", None))


def _replaced(sealed: dict[tuple[str, str], Any]) -> str:
    """Return the name of a function that has been replaced; Python's own are put back, to be able to say so."""
    now = functions_of_graders()
    for key, (value, code) in sealed.items():
        if key[0] == "builtins" and "." not in key[1] and getattr(builtins, key[1], None) is not value:
            setattr(builtins, key[1], value)
        found, found_code = now.get(key, (None, None))
        if found is not value or found_code is not code:
            return ".".join(key)
    return ""


def put_back(sealed: dict[tuple[str, str], Any]) -> None:
    """Undo what an answer replaced, where the process goes on after it."""
    for (module, path), (value, code) in sealed.items():
        *classes, name = path.split(".")
        owner: Any = functools.reduce(getattr, classes, sys.modules[module])
        if vars(owner).get(name) is not value:
            setattr(owner, name, value)
        if code is not None and value.__code__ is not code:
            value.__code__ = code


class Printed(io.TextIOBase):
    """Keeps the first of what an answer prints, and stops an answer that prints too much."""

    KEPT = 4000

    def __init__(self, most: int) -> None:
        self.most, self.count, self.text = most, 0, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.count += len(text)
        self.text += text[: max(0, self.KEPT - len(self.text))]
        if self.count > self.most:
            raise Stopped(f"at most {self.most:,} characters printed".replace(",", " "), "more is printed")
        return len(text)
