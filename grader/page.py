"""The door by which a page's two Pythons, each in a worker of its own, run and grade what a reader writes there.

In the one an answer runs: ``run``, ``show``, ``draw`` and ``where`` execute a text, and the page ends that Python
afterwards. What it hands out is data, which the text may have forged. In the other, which executes no text, are the
judge, ``grade``, and what packs and unpacks files. So what a text does reaches no later verdict. A text can still
deceive about itself: what observes an answer runs beside it here, while in a terminal that is in the judge's process.

Everything here takes and returns what JSON can hold. ``chapter`` is a folder of exercises, ``"parallelism/pipeline"``;
``name`` one of its exercises; ``source`` the reader's text. The judge and the messages are those of pytest. The page
keeps the time.
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
import re
import sys
import time
import traceback
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from types import FrameType, ModuleType
from typing import Any, TextIO
from xml.etree import ElementTree

from grader.cases import take
from grader.catalogue import HOME, Chapter, chapter_of
from grader.described import cases_from
from grader.errors import KEPT_CHARACTERS, Printed, Stopped, describe_error, line_of, traceback_of
from grader.exercise import Exercise
from grader.judging import Verdict, judge_shown, pictures, shown_by, shown_on
from grader.messages import Result, labelled, message
from grader.plain import NotPlain, decode, encode
from grader.seeing import NOT_TOLD, Seen
from grader.source import stub_of

CASES = "cases.json"
"""Beside an exercise's module, in the archive that a page gets: its inputs, and what a right answer shows."""

CALLS_DEEP = 200
"""How deep calls in a page may go. Where each goes through C, as in ``sorted(…, key=f)``, 300 end the worker."""

LARGEST_BYTES = 100_000
"""The largest answer that is taken in; the longest solution has 2,000."""

MOST_CHARACTERS = 5_000
"""Of each text that says what was wrong with an answer."""

DEEPEST = 200
"""How deep brackets may be nested in a file that is taken in; Python's own limit elsewhere."""

LOOK_AFTER_S, LOOK_S = 1.0, 1.0
"""When ``where`` begins to note the lines that a text is in, and how long it goes on."""


class Unwelcome(Exception):
    """A file that cannot be taken in; the text says why."""


def warm_up(chapter: str, name: str) -> None:
    """Do now what grading would begin with: load the exercise and its cases."""
    exercise = _exercise(chapter, name)
    listed = json.loads((HOME / chapter / f"{name}.{CASES}").read_text(encoding="utf-8"))
    take(exercise, cases_from(listed))


def run(chapter: str, name: str, source: str) -> dict[str, str]:
    """Execute a reader's text as ``python fewest_ranks.py`` does, and then its example; what is printed goes on.

    Returns:
        ``error``: what went wrong, with the traceback from the reader's first line, or ``""``.
    """
    streams = (_Passed(sys.stdout), _Passed(sys.stderr))
    with _streams(*streams):
        try:
            _run(name, source)
        except BaseException as error:
            return {"error": _what_ended(error, _file_of(name))}
    return {"error": ""}


def _run(name: str, source: str) -> None:
    module = _executed(source, "__main__", _file_of(name))
    with _shallow():
        _run_examples(vars(module), name)


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


def show(chapter: str, name: str, source: str, tell: Callable[[str], object]) -> None:
    """Execute a text, call its function on each of the exercise's cases, and tell what ``grade`` judges.

    Args:
        chapter: the folder.
        name: the exercise.
        source: the reader's text.
        tell: is given one JSON object at a time, at once, so that the page has all of them if it ends this Python; and
            ``""``, a sign of life, before each call of the reader's function.
    """
    exercise, printed = _exercise(chapter, name), Printed()
    with _streams(printed, printed):
        for kind, data in _told(exercise, source, lambda: tell("")):
            tell(json.dumps({kind: data}))
    tell(json.dumps({"printed": printed.text}))


def _told(exercise: Exercise, source: str, beat: Callable[[], object]) -> Iterator[tuple[str, Any]]:
    """Yield what is told: what the text has, then what its function shows on each case, or where it was stopped."""
    try:
        function = _function(exercise, source)
    except _NoFunction as fault:
        yield "fault", fault.args
        return
    yield "loaded", function is not None
    if function is None:
        return
    try:
        for seen in shown_by(exercise, _watched(function, beat)):
            yield "seen", _as_data(seen)
    except Stopped as stop:
        yield "stopped", [stop.expected, stop.got]


class _NoFunction(Exception):
    """A text cannot be executed or has no function of the exercise's name; has what is expected, and what there is."""


def _function(exercise: Exercise, source: str) -> Callable[..., Any] | None:
    """Return the function that a text defines for an exercise, ``None`` if it defines nothing of that name."""
    file = _file_of(exercise.name)
    try:
        function = vars(_executed(source, "answer", file)).get(exercise.name)
    except BaseException as error:
        expected = "a file that Python can read" if isinstance(error, SyntaxError) else "a file that can be imported"
        got = error.got if isinstance(error, Stopped) else _read_error(error, file)
        raise _NoFunction(expected, got) from None
    if function is not None and not callable(function):
        raise _NoFunction(f"a function {exercise.name}", f"{exercise.name} is no function")
    answer: Callable[..., Any] | None = function
    return answer


def _watched(answer: Callable[..., Any], beat: Callable[[], object]) -> Callable[..., Any]:
    @functools.wraps(answer)
    def watched(*args: Any, **kwargs: Any) -> Any:
        beat()
        with _shallow():
            return answer(*args, **kwargs)

    return watched


def _as_data(seen: Seen) -> dict[str, Any]:
    try:
        observation = encode(seen.observation)
    except NotPlain as error:
        return _as_data(Seen(None, "a result", f"the result cannot be looked at: {error}"))
    told = {field.name: getattr(seen, field.name) for field in dataclasses.fields(seen) if field.name != "result"}
    with contextlib.suppress(NotPlain):
        if seen.result is not NOT_TOLD:
            told["result"] = encode(seen.result)
    return {**told, "observation": observation}


def _read_error(error: BaseException, file: str) -> str:
    if isinstance(error, SyntaxError):
        return f"{file}, line {error.lineno}: {error.msg}"
    return describe_error(error, file)


def draw(chapter: str, name: str, source: str, number: int) -> list[dict[str, Any]]:
    """Return drawings of what a text's function does on the case of a number: numbers and texts, no SVG.

    Returns:
        For each drawing ``width`` and ``height``, and ``shapes``: a list of ``[tag, attributes, text]``. The page draws
        what it knows of them (``docs/javascripts/live/drawing.js``).
    """
    exercise, printed = _exercise(chapter, name), Printed()
    with _streams(printed, printed):
        function = _function(exercise, source)
        drawn = pictures(exercise, _watched(function, lambda: None), number) if function else []
    return [_drawing(svg) for svg in drawn]


def where(chapter: str, name: str, source: str, number: int, tell: Callable[[str], object]) -> None:
    """Run or call once more what did not end, and tell the first and the last line that it is in, ``"[3, 5]"``.

    Nothing is told of what ends by itself, or where a single operation goes on for ever.

    Args:
        chapter: the folder.
        name: the exercise.
        source: the reader's text.
        number: of the case on which its function does not end; below 0 where ``run``, or an import, does not.
        tell: is given the lines.
    """
    exercise, printed = _exercise(chapter, name), Printed()
    with _streams(printed, printed), contextlib.suppress(Stopped):
        function = _function(exercise, source) if number >= 0 else None
        with _looking(_file_of(name), tell):
            shown_on(exercise, function, number) if function else _run(name, source)


@contextlib.contextmanager
def _looking(file: str, tell: Callable[[str], object]) -> Iterator[None]:
    """Tell in which lines of a file what runs here is when it has not ended after a while, and stop it."""
    from_s = time.monotonic() + LOOK_AFTER_S
    until_s = 0.0  # from the first line that is noted
    lines: dict[FrameType, set[int]] = {}  # of the calls that go on; the outermost comes first

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal until_s
        if frame.f_code.co_filename != file:
            return None
        if event == "return":
            lines.pop(frame, None)
        elif event == "line" and (now_s := time.monotonic()) > from_s:
            until_s = until_s or now_s + LOOK_S
            lines.setdefault(frame, set()).add(frame.f_lineno)
            if now_s > until_s:
                loop = next(iter(lines.values()))
                tell(json.dumps([min(loop), max(loop)]))
                raise Stopped("an end", "it goes on")
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


def _drawing(svg: str) -> dict[str, Any]:
    root = ElementTree.fromstring(svg)
    shapes = [_shape(element) for element in root if not element.tag.endswith("}style")]
    return {"width": float(root.attrib["width"]), "height": float(root.attrib["height"]), "shapes": shapes}


def _shape(element: ElementTree.Element) -> tuple[str, dict[str, str], str]:
    """Return an element's tag, its attributes, among them what its style says, and its text."""
    attributes = {name: value for name, value in element.attrib.items() if name != "style"}
    rules = filter(None, element.get("style", "").split(";"))
    attributes |= {name: value for name, _, value in (rule.partition(":") for rule in rules)}
    return element.tag.rpartition("}")[2], attributes, element.text or ""


def grade(chapter: str, name: str, told: Sequence[str], ended: Sequence[str] | None = None) -> dict[str, Any]:
    """Judge what ``show`` told of a reader's text, as pytest judges the text.

    Args:
        chapter: the folder.
        name: the exercise.
        told: what came, in its order. Whoever sent it may be anyone.
        ended: where the page has ended the answer's Python before it had told all: what it expected, and what it got.

    Returns:
        The verdict's fields (``status``, ``asked``, ``given``, ``expected``, ``got``, ``mistake``, ``says``,
        ``pattern``, ``trace``, ``printed``, ``case``), ``message``, the text that pytest prints for it, and
        ``draws``, whether ``draw`` may have something to show. An answer that needs a module which a page does not
        have is open, and ``says`` what to do with it.
    """
    found, exercise = _chapter(chapter), _exercise(chapter, name)
    try:
        parts = [_part(text) for text in told]
        verdict = _judged(exercise, [part for part in parts if part[0] != "printed"], ended)
        printed = "".join(str(data) for kind, data in parts if kind == "printed")[:KEPT_CHARACTERS]
        verdict = dataclasses.replace(_unless_absent(verdict, chapter, name), printed=printed)
    except Exception as error:
        got = f"what the answer's Python sends is no data ({type(error).__name__})"
        verdict = Verdict("wrong", exercise.asked, "", "a result", got)
    text = message(Result(found, exercise, verdict), everything=True, commands=False)
    if verdict.status == "open" and verdict.got:
        text += f"\n{labelled('got', verdict.got)}"
    fields = {**dataclasses.asdict(verdict), "message": text, "draws": bool(exercise.picture)}
    return {key: _writable(value) if isinstance(value, str) else value for key, value in fields.items()}


_ABSENT = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'(| \(line \d+\))")
_HAS = "Python's standard library and the book's modules that this chapter's exercises use"


def _unless_absent(verdict: Verdict, chapter: str, name: str) -> Verdict:
    """Return a verdict; of an answer that fails because a page lacks a module, that it is open."""
    absent = _ABSENT.fullmatch(verdict.got)
    if absent is None:
        return verdict
    says = (
        f"A page has no module {absent[1]}{absent[2]}: it has {_HAS}. This does not count as a try. If the name is "
        f"right, export your answers, unpack the zip in the book's folder, and type pytest exercises/{chapter} "
        f"-k {name}."
    )
    return Verdict("open", verdict.asked, got=verdict.got, says=says)


def _part(text: str) -> tuple[str, Any]:
    [(kind, data)] = json.loads(text).items()
    return kind, data


def _judged(exercise: Exercise, parts: list[tuple[str, Any]], ended: Sequence[str] | None) -> Verdict:
    imported = f"import of {_file_of(exercise.name)}"
    if not parts and ended:
        expected, got = ended
        return Verdict("wrong", exercise.asked, imported, expected, got)
    (kind, first), *rest = parts
    if kind == "fault":
        expected, got = map(str, first)
        return Verdict("wrong", exercise.asked, imported, expected, got)
    if kind != "loaded":
        raise NotPlain(f"{kind[:40]!r} comes first")
    return judge_shown(exercise, _seen_in(rest, ended)) if first else Verdict("open", exercise.asked)


def _seen_in(parts: list[tuple[str, Any]], ended: Sequence[str] | None) -> Iterator[Seen]:
    for kind, data in parts:
        if kind == "stopped":
            raise Stopped(*map(str, data))
        yield _from_data(data)
    if ended:
        raise Stopped(*ended)


def _from_data(data: Mapping[str, Any]) -> Seen:
    texts = {key: str(value)[:MOST_CHARACTERS] for key, value in data.items() if key not in ("observation", "result")}
    observation = decode(data["observation"])
    if not isinstance(observation, dict | None) or not all(isinstance(name, str) for name in observation or {}):
        raise NotPlain("it is no observation")
    return Seen(observation, **texts, result=decode(data["result"]) if "result" in data else NOT_TOLD)


def _writable(text: str) -> str:
    """Return a text that can be written: halves of characters, which Python's texts can have, are replaced."""
    return text.encode("utf-8", "replace").decode()


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
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, ValueError, EOFError) as error:
        raise Unwelcome(f"it is no zip file that can be read ({error})") from None
    except RuntimeError:
        raise Unwelcome("it is encrypted: pack it without a password") from None


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
    why = next((f"{why}\n\n" for kind, why in _WHY.items() if isinstance(error, kind)), "")
    return f"{why}Traceback (most recent call last):\n{traceback_of(error, file)}"


_WHY: dict[type[BaseException], str] = {
    RecursionError: f"Calls go deeper than Python allows, {CALLS_DEEP} in a page: does every chain of calls end?",
    MemoryError: "This needs more memory than a page has.",
    ModuleNotFoundError: f"A page has {_HAS}. What needs more, pytest grades in a terminal.",
    EOFError: "There is no keyboard to read from: give the values in the text.",
}
