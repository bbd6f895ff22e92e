"""The door by which the page's worker, Python in a browser, runs and grades what a reader writes there.

Everything here takes and returns what JSON can hold. ``chapter`` is a folder of exercises, ``"parallelism/pipeline"``;
``name`` one of its exercises; ``source`` the reader's text. The judge and the messages are those of pytest. A worker
that has run a text which could have changed it is replaced, so that nothing which a text does reaches the next verdict;
the page keeps the time.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import functools
import inspect
import io
import json
import linecache
import sys
import traceback
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any, TextIO

from grader.cases import take
from grader.catalogue import HOME, Chapter, chapter_of
from grader.described import cases_from
from grader.errors import Printed, Stopped, describe_error, line_of, traceback_of
from grader.exercise import Exercise
from grader.judging import Verdict, judge, pictures
from grader.messages import Result, message
from grader.source import stub_of

CASES = "cases.json"
"""Beside an exercise's module, in the archive that a page gets: its inputs, and what a right answer shows."""

CALLS_DEEP = 200
"""How deep calls in a page may go. Where each goes through C, as in ``sorted(…, key=f)``, 300 end the worker."""

LARGEST_BYTES = 100_000
"""The largest answer that is taken in; the longest solution has 2,000."""


DEEPEST = 200
"""How deep brackets may be nested in a file that is taken in; Python's own limit elsewhere."""


class Unwelcome(Exception):
    """A file that cannot be taken in; the text says why."""


def warm_up(chapter: str, name: str, source: str) -> bool:
    """Do now what grading would begin with, load the exercise and its cases, and say what running the text will mean.

    Returns:
        Whether this Python is as good as new after it has run the text (``leaves_no_trace``).
    """
    exercise = _exercise(chapter, name)
    listed = json.loads((HOME / chapter / f"{name}.{CASES}").read_text(encoding="utf-8"))
    take(exercise, cases_from(listed))
    return leaves_no_trace(source)


_COMMON = {
    *("__future__", "bisect", "collections", "copy", "dataclasses", "decimal", "enum", "fractions", "functools"),
    *("heapq", "itertools", "math", "numbers", "operator", "re", "snippets", "statistics", "string", "typing"),
}
_REACHING = {"setattr", "delattr", "getattr", "exec", "eval", "compile", "globals", "vars", "locals", "open", "type"}
_HARMLESS = {"__getitem__", "__len__", "__contains__", "__add__", "__mul__", "__sub__"}
_INNER = ("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_")  # what leads from a value to Python's own workings


def leaves_no_trace(source: str) -> bool:
    """Say whether a text, by all that it names, can change nothing but its own values.

    It then imports common modules alone, sets no attributes, and uses neither inner names nor what finds names.

    >>> leaves_no_trace("import math\\nmath.sqrt(2)"), leaves_no_trace("import math\\nmath.sqrt = abs")
    (True, False)
    """
    try:
        return not any(map(_reaches_out, ast.walk(ast.parse(source))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # it is not run


def _reaches_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] not in _COMMON for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] not in _COMMON
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load) or (node.attr.startswith(_INNER) and node.attr not in _HARMLESS)
    if isinstance(node, ast.Name):
        return node.id in _REACHING or node.id.startswith("__")
    return isinstance(node, ast.MatchClass) and any(name.startswith(_INNER) for name in node.kwd_attrs)


def run(chapter: str, name: str, source: str) -> dict[str, str]:
    """Execute a reader's text as ``python fewest_ranks.py`` does, and then its example; what is printed goes on.

    Returns:
        ``error``: what went wrong, with the traceback from the reader's first line, or ``""``.
    """
    file = _file_of(name)
    streams = (_Passed(sys.stdout), _Passed(sys.stderr))
    with _streams(*streams):
        try:
            module = _executed(source, "__main__", file)
            with _shallow():
                _run_examples(vars(module), name)
        except BaseException as error:
            return {"error": _what_ended(error, file)}
    return {"error": ""}


def _run_examples(names: dict[str, Any], name: str) -> None:
    """Run the examples of the function's docstring, and print what each gives and, if it is another, should give."""
    documented = getattr(names.get(name), "__doc__", None)
    for example in doctest.DocTestParser().get_examples(documented or ""):
        print(">>> " + example.source.rstrip().replace("\n", "\n... "))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(example.source, f"<example of {name}>", "single", dont_inherit=True), names)
        print(out.getvalue(), end="")
        if not doctest.OutputChecker().check_output(example.want, out.getvalue(), 0):
            print(f"The docstring says: {example.want.rstrip()}")


def grade(chapter: str, name: str, source: str, beat: Callable[[], object]) -> dict[str, Any]:
    """Judge a reader's text as pytest does.

    Args:
        chapter: the folder.
        name: the exercise.
        source: the reader's text.
        beat: called before each call of the reader's function: when it has not been called for long, an answer does
            not end.

    Returns:
        The verdict's fields (``status``, ``asked``, ``given``, ``expected``, ``got``, ``mistake``, ``says``,
        ``pattern``, ``trace``, ``printed``, ``case``), ``message``, the text that pytest prints for it, and
        ``pictures``, drawings of what the answer does on the input that breaks it; none of a text that could have
        changed what draws them.
    """
    found, exercise, printed = _chapter(chapter), _exercise(chapter, name), Printed()
    with _streams(printed, printed):
        verdict, answer = _verdict(exercise, source, beat)
        drawn = pictures(exercise, answer, verdict) if answer and leaves_no_trace(source) else []
    verdict = dataclasses.replace(verdict, printed=printed.text)
    text = message(Result(found, exercise, verdict), everything=True, commands=False)
    return {**dataclasses.asdict(verdict), "message": text, "pictures": drawn}


def _verdict(exercise: Exercise, source: str, beat: Callable[[], object]) -> tuple[Verdict, Callable[..., Any] | None]:
    """Return the verdict, and the function that was judged, if there was one."""
    file = _file_of(exercise.name)
    try:
        function = vars(_executed(source, "answer", file)).get(exercise.name)
    except BaseException as error:
        expected = "a file that Python can read" if isinstance(error, SyntaxError) else "a file that can be imported"
        got = error.got if isinstance(error, Stopped) else _read_error(error, file)
        return Verdict("wrong", exercise.asked, f"import of {file}", expected, got), None
    if function is None:
        return Verdict("open", exercise.asked), None
    if not callable(function):
        got = f"{exercise.name} is no function"
        return Verdict("wrong", exercise.asked, "", f"a function {exercise.name}", got), None
    answer: Callable[..., Any] = function

    @functools.wraps(answer)
    def watched(*args: Any, **kwargs: Any) -> Any:
        beat()
        with _shallow():
            return answer(*args, **kwargs)

    return judge(exercise, watched), watched


def _read_error(error: BaseException, file: str) -> str:
    if isinstance(error, SyntaxError):
        return f"{file}, line {error.lineno}: {error.msg}"
    return describe_error(error, file)


def export(chapter: str, sources: Mapping[str, str]) -> str:
    """Return a zip, in base64, of a chapter's answers as ``answers/`` has them: one file an exercise."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        for name, source in sources.items():
            _exercise(chapter, name)
            files.writestr(f"answers/{chapter}/{name}.py", source)
    return b64encode(packed.getvalue()).decode()


def take_in(chapter: str, file: str, content: str) -> dict[str, Any]:
    """Take in a file that a reader chose.

    Args:
        chapter: the folder.
        file: the file's name: ``fewest_ranks.py`` is the answer to that exercise, a ``.zip`` has the shape that
            ``export`` gives it, any other ``.py`` answers each exercise whose function it defines.
        content: its bytes in base64.

    Returns:
        ``texts``: for each exercise's name its text. ``notice``: what the reader has to know, or ``""``.
    """
    try:
        texts = _from_zip(chapter, b64decode(content)) if file.endswith(".zip") else _from_text(chapter, file, content)
    except Unwelcome as error:
        return {"texts": {}, "notice": f"{file} is not taken in: {error}."}
    known = {name: text for name, text in texts.items() if text != stub_of(_exercise(chapter, name))}
    return {"texts": known, "notice": "" if texts else f"{file} answers no exercise of this chapter."}


def _from_zip(chapter: str, packed: bytes) -> dict[str, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as files:
            mine = {
                PurePosixPath(entry.filename).stem: entry
                for entry in files.infolist()
                if PurePosixPath(entry.filename).parts[-3:-1] == tuple(chapter.split("/"))
            }
            if any(entry.file_size > LARGEST_BYTES for entry in mine.values()):
                raise Unwelcome(f"an answer in it has more than {LARGEST_BYTES:,} bytes")
            asked = _chapter(chapter).exercises
            return {name: _text(files.read(entry)) for name, entry in mine.items() if name in asked}
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise Unwelcome(f"it is no zip file ({error})") from None


def _from_text(chapter: str, file: str, content: str) -> dict[str, str]:
    text = _text(b64decode(content))
    asked, stem = _chapter(chapter).exercises, PurePosixPath(file).stem
    if stem in asked:
        return {stem: text}
    if _nesting(text) > DEEPEST:  # which would end Python in a browser
        raise Unwelcome(f"Python cannot read it (its brackets are nested more than {DEEPEST} deep)")
    try:
        defined = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else str(error)
        raise Unwelcome(f"Python cannot read it ({at}), and its name is no exercise's") from None
    return {name: text for name in asked if name in defined}


def _nesting(text: str) -> int:
    """Return how deep brackets are nested at most.

    >>> _nesting("f([1, (2)]) + g()")
    3
    """
    steps = accumulate((letter in "([{") - (letter in ")]}") for letter in text)
    return max(steps, default=0)


def _text(content: bytes) -> str:
    if len(content) > LARGEST_BYTES:
        raise Unwelcome(f"it has {len(content):,} bytes, and at most {LARGEST_BYTES:,} are taken")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unwelcome("it is no text in UTF-8") from None
    if "\0" in text:
        raise Unwelcome("it is no text: it has NUL characters")
    return text.replace("\r\n", "\n")


def _chapter(address: str) -> Chapter:
    folder = HOME / address
    if address.count("/") != 1 or ".." in address or not folder.is_dir():
        raise ValueError(f"chapter must be the address of a folder of exercises, such as a/b, got {address!r}")
    return chapter_of(folder)


def _exercise(chapter: str, name: str) -> Exercise:
    exercises = _chapter(chapter).exercises
    if name not in exercises:
        raise ValueError(f"name must be an exercise of {chapter} ({', '.join(exercises)}), got {name!r}")
    return exercises[name]


def _file_of(name: str) -> str:
    return f"{name}.py"


def _executed(source: str, name: str, file: str) -> ModuleType:
    """Execute a text as the module of a name, in a file that tracebacks can show."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # dataclasses look their module up
    code = compile(source, file, "exec", dont_inherit=True)
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
def _streams(out: Any, error: Any) -> Iterator[None]:
    """Send what is printed elsewhere; there is nothing to read."""
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), out, error
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


class _Passed(Printed):
    """Hands on what is printed."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream

    def write(self, text: str) -> int:
        super().write(text)
        return self.stream.write(text)

    def flush(self) -> None:
        self.stream.flush()


def _what_ended(error: BaseException, file: str) -> str:
    """Say what ended a text."""
    at = f" in line {line}" if (line := line_of(error, file)) else ""
    if isinstance(error, SystemExit):
        return f"sys.exit ended the program{at}."
    if isinstance(error, KeyboardInterrupt):
        return f"The program was stopped{at}."
    if isinstance(error, Stopped):
        return f"The program was stopped{at}: {error.expected}, {error.got}."
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error))
    trace = f"Traceback (most recent call last):\n{traceback_of(error, file)}"
    return trace + next((why for kind, why in _WHY.items() if isinstance(error, kind)), "")


_WHY: dict[type[BaseException], str] = {
    RecursionError: f"Calls go deeper than Python allows, {CALLS_DEEP} in a page: does every chain of calls end?",
    MemoryError: "This needs more memory than a page has.",
    ModuleNotFoundError: "A page has Python's standard library and this book's formulas only.",
    EOFError: "There is no keyboard to read from: give the values in the text.",
}
