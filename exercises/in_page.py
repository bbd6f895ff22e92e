"""The door by which the page's worker, Python in a browser, runs and grades what a reader writes there.

Everything here takes and returns what JSON can hold. ``chapter`` is a folder of exercises, ``"parallelism/pipeline"``;
``name`` one of its exercises; ``source`` the reader's text for that exercise. The graders, the known mistakes and the
messages are those of pytest; there is one process for everything, so the page's worker keeps the time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import io
import linecache
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from exercises import answer_texts
from exercises.answer_files import ANSWERS
from exercises.catalogue import HOME, Chapter, chapter_of, chapters
from exercises.guarded import PRINTED_CHARACTERS, Printed, functions_of_graders, grade_module, put_back
from exercises.judging import Exercise, Stopped, Verdict, drawn, line_of, said, traceback_from
from exercises.messages import Result, message
from exercises.needs import needs

CALLS_DEEP = 200
"""How deep calls in a page may go. Where each goes through C, as in ``sorted(…, key=f)``, 300 end the worker."""


def warm_up(chapter: str, name: str) -> None:
    """Do now what grading an exercise would begin with: import hypothesis, load the grader, and draw the inputs."""
    drawn(_watched(chapter, name))


def run(chapter: str, name: str, source: str) -> dict[str, str]:
    """Execute a reader's text as ``python answers.py`` does; what it prints goes on to the worker.

    Returns:
        ``error``: what went wrong, with the traceback from the reader's first line, or ``""``.
    """
    _exercise(chapter, name)
    streams = (_Passed(sys.stdout), _Passed(sys.stderr))
    with _unharmed(), _streams(*streams):
        try:
            _executed(source, "__main__")
        except BaseException as error:
            return {"error": _told(error)}
    return {"error": ""}


def grade(chapter: str, name: str, source: str, beat: Callable[[], object]) -> dict[str, str]:
    """Judge a reader's text as pytest does.

    Args:
        chapter: the folder.
        name: the exercise.
        source: the reader's text.
        beat: called before each call of the reader's function, and of the oracle that knows the right result: when it
            has not been called for long, the answer does not end.

    Returns:
        The verdict's fields (``status``, ``asked``, ``given``, ``expected``, ``got``, ``mistake``, ``says``, ``trace``,
        ``printed``), and ``message``, the text that pytest prints for it.
    """
    found, exercise = _chapter(chapter), _watched(chapter, name)
    _PULSE.beat = beat
    drawn(exercise)
    printed = Printed(PRINTED_CHARACTERS)
    try:
        with _unharmed(), _streams(printed, printed):
            verdict = grade_module(found, exercise, lambda: _executed(source, "answers"), Path(ANSWERS))
    except Stopped as stop:
        verdict = Verdict("wrong", exercise.asked, "", stop.expected, stop.got)
    except BaseException as error:  # of the grader's own, which a text can cause by what it replaces
        verdict = Verdict("wrong", exercise.asked, "", "the grader's modules as they were", said(error, ANSWERS))
    verdict = dataclasses.replace(verdict, printed=printed.text)
    told = message(Result(found, exercise, verdict), everything=True)
    return {**dataclasses.asdict(verdict), "message": told}


def export(chapter: str, sources: Mapping[str, str]) -> dict[str, str]:
    """Return the ``answers.py`` that pytest grades, made of one text for each exercise.

    Args:
        chapter: the folder.
        sources: for an exercise's name the reader's text; what is missing or blank gets the stub.

    Returns:
        ``text``: the file. ``notice``: what the reader has to know about it, or ``""``.
    """
    return answer_texts.joined(answer_texts.Asked.by(_chapter(chapter)), sources)


def take_in(chapter: str, text: str) -> dict[str, Any]:
    """Cut an ``answers.py`` into one text for each exercise, each of which runs alone.

    Returns:
        ``texts``: for each exercise's name its text, the stub where nothing was written. ``notice``: what the reader
        has to know, or ``""``.
    """
    return answer_texts.cut(answer_texts.Asked.by(_chapter(chapter)), text)


def stub(chapter: str, name: str) -> str:
    """Return the text that the editor starts with: the imports that the function needs, and the function to write."""
    _exercise(chapter, name)
    return answer_texts.Asked.by(_chapter(chapter)).stubs[name]


def described() -> list[dict[str, Any]]:
    """Return what the site's build has to know of all chapters and exercises, in the book's order."""
    return [
        {
            "address": chapter.address,
            "title": chapter.title,
            "page": chapter.page,
            "exercises": [
                {
                    "name": exercise.name,
                    "number": exercise.number,
                    "asked": exercise.asked,
                    "level": exercise.level,
                    "in_page": not needs(chapter, exercise.name),
                    "hints": [dataclasses.asdict(hint) for hint in exercise.hints],
                }
                for exercise in sorted(chapter.exercises.values(), key=lambda exercise: exercise.number)
            ],
        }
        for chapter in chapters()
    ]


def _chapter(address: str) -> Chapter:
    folder = HOME / address
    if address.count("/") != 1 or not (folder / "test_answers.py").is_file():
        raise ValueError(f"chapter must be the address of a folder of exercises, such as a/b, got {address!r}")
    return chapter_of(folder)


def _exercise(chapter: str, name: str) -> Exercise:
    exercises = _chapter(chapter).exercises
    if name not in exercises:
        raise ValueError(f"name must be an exercise of {chapter} ({', '.join(exercises)}), got {name!r}")
    return exercises[name]


@dataclasses.dataclass
class _Pulse:
    """What is called as a sign of life."""

    beat: Callable[[], object]


_PULSE = _Pulse(lambda: None)


@functools.cache
def _watched(chapter: str, name: str) -> Exercise:
    """Return an exercise that gives signs of life; made once, as what is drawn for an exercise is kept with it."""
    exercise = _exercise(chapter, name)

    def expected(**inputs: Any) -> Any:
        _PULSE.beat()
        return exercise.expected(**inputs)

    def observe(function: Callable[..., Any], **inputs: Any) -> Any:
        _PULSE.beat()
        with _shallow():
            return exercise.observe(function, **inputs) if exercise.observe else function(**inputs)

    return dataclasses.replace(exercise, expected=expected, observe=observe)


def _executed(source: str, name: str) -> ModuleType:
    """Execute a text as the module of a name, in a file that tracebacks can show."""
    linecache.cache[ANSWERS] = (len(source), None, source.splitlines(keepends=True), ANSWERS)
    module = ModuleType(name)
    module.__file__ = ANSWERS
    sys.modules[name] = module  # dataclasses look their module up
    code = compile(source, ANSWERS, "exec", dont_inherit=True)
    with _shallow():
        exec(code, vars(module))
    return module


@contextlib.contextmanager
def _shallow() -> Iterator[None]:
    """Let calls go less deep in a browser, whose own stack ends, and Python with it, before Python's limit."""
    kept = sys.getrecursionlimit()
    if sys.platform == "emscripten":
        sys.setrecursionlimit(len(inspect.stack(0)) + CALLS_DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(kept)


@contextlib.contextmanager
def _unharmed() -> Iterator[None]:
    """Put back what a text replaces in modules that the next run needs."""
    modules, sealed = dict(sys.modules), functions_of_graders()
    try:
        yield
    finally:
        sys.modules.update(modules)
        put_back(sealed)


@contextlib.contextmanager
def _streams(out: Any, error: Any) -> Iterator[None]:
    """Send what is printed elsewhere; there is nothing to read."""
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), out, error
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


class _Passed(Printed):
    """Hands on what is printed, and stops a text that prints too much."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(PRINTED_CHARACTERS)
        self.stream = stream

    def write(self, text: str) -> int:
        super().write(text)
        return self.stream.write(text)

    def flush(self) -> None:
        self.stream.flush()


def _told(error: BaseException) -> str:
    """Say what ended a text."""
    at = f" in line {line}" if (line := line_of(error, ANSWERS)) else ""
    if isinstance(error, SystemExit):
        return f"sys.exit ended the program{at}."
    if isinstance(error, KeyboardInterrupt):
        return f"The program was stopped{at}."
    if isinstance(error, Stopped):
        return f"The program was stopped{at}: {error.expected}, {error.got}."
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error))
    trace = f"Traceback (most recent call last):\n{traceback_from(error, ANSWERS)}"
    if isinstance(error, RecursionError):
        return f"{trace}Calls go deeper than Python allows, {CALLS_DEEP} in a page: does every chain of calls end?"
    if isinstance(error, MemoryError):
        return f"{trace}This needs more memory than a page has."
    if isinstance(error, ModuleNotFoundError):
        return f"{trace}A page has Python's standard library and this book's formulas only."
    if isinstance(error, EOFError):
        return f"{trace}There is no keyboard to read from: give the values in the text."
    return trace
