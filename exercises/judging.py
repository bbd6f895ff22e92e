"""What an exercise is, and how an answer to it is judged. Needs the standard library and hypothesis, which seeks input.

A chapter's ``test_answers.py`` declares its exercises. An answer is judged by what can be observed of it: its result
or, where the exercise says so, what a simulator counted while it ran. The observations are compared with those of an
oracle that is not the solution, on fixed examples and on inputs that hypothesis searches and shrinks. A wrong answer is
compared with the typical mistakes of ``mutants.py``: one that shows the same throughout is named.
"""

from __future__ import annotations

import contextlib
import copy
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

Inputs = dict[str, Any]
Observation = dict[str, Any]
Status = Literal["solved", "wrong", "open"]
Level = Literal["easy", "medium", "hard"]
RESULT = "result"
TRIES = 60


@dataclass(frozen=True)
class Hint:
    """A step towards the answer, and where to read: a chapter's file and heading, ``13-ring-and-tree.md#costs``."""

    text: str
    link: str


@dataclass(frozen=True)
class Exercise:
    """One coding exercise.

    Attributes:
        name: the function that the reader writes.
        number: its number in the chapter.
        asked: what it has to do, in one line.
        expected: from an input to what a right answer shows: the observation of an oracle that is not the solution. A
            value that is no ``dict`` counts as the observation ``{"result": value}``.
        examples: fixed inputs, tried first, the smallest first.
        inputs: returns a hypothesis strategy of inputs.
        hints: three, each telling more than the one before.
        observe: from the function and an input to what is observed of it; by default its result. Whatever the answer
            costs (bytes, steps, peak) is observed here, by running it on a simulator.
        units: for an observation's name, its unit.
        relative_tolerance: how far numbers may be off.
        weight: how much the exercise counts in a class.
        level: how hard it is, for the page.
    """

    name: str
    number: int
    asked: str
    expected: Callable[..., Any]
    examples: Sequence[Inputs]
    inputs: Callable[[], Any]
    hints: tuple[Hint, Hint, Hint]
    observe: Callable[..., Any] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    relative_tolerance: float = 1e-9
    weight: float = 1.0
    level: Level = "medium"


@dataclass(frozen=True)
class Verdict:
    """What became of an answer.

    Attributes:
        status: open is an untouched stub, wrong an answer that was tried and fails.
        asked: what the exercise asks for.
        given: the smallest input found that breaks the answer.
        expected: what a right answer shows on that input, with its unit.
        got: what this answer shows.
        mistake: the name of the known mistake that the answer makes, ``""`` if none is known.
        says: what that mistake's author is told.
        trace: where the answer raised an exception.
        printed: what the answer printed, cut.
    """

    status: Status
    asked: str = ""
    given: str = ""
    expected: str = ""
    got: str = ""
    mistake: str = ""
    says: str = ""
    trace: str = ""
    printed: str = ""


class Stopped(BaseException):
    """Raised inside an answer that has reached a limit. No ``Exception``, so that few answers catch it."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(got)
        self.expected = expected
        self.got = got
        self.inputs: Inputs = {}


@dataclass(frozen=True)
class _Seen:
    """What one call showed: an observation or an exception, and the name of an argument that it changed."""

    observation: Observation | None
    error: BaseException | None = None
    changed: str = ""


@dataclass(frozen=True)
class _Broken:
    """An input that breaks an answer, what the answer showed, and whether it is the first that was tried."""

    inputs: Inputs
    seen: _Seen
    first: bool = False


class _Wrong(AssertionError):
    """Raised inside hypothesis's search when an input breaks the answer."""


def judge(exercise: Exercise, function: Callable[..., Any], mistakes: Mapping[str, Any]) -> Verdict:
    """Judge an answer.

    Args:
        exercise: what was asked.
        function: the reader's function.
        mistakes: the known mistakes of this exercise by name, as ``mutants_in`` returns them.

    An answer that raises ``NotImplementedError`` on the first example is open.
    """
    try:
        broken = _first_broken(exercise, function)
    except Stopped as stop:
        return Verdict("wrong", exercise.asked, told(stop.inputs), stop.expected, stop.got)
    if broken is None:
        return Verdict("solved", exercise.asked)
    if broken.first and isinstance(broken.seen.error, NotImplementedError):
        return Verdict("open", exercise.asked)
    try:
        name = _recognise(exercise, function, mistakes, broken)
    except Stopped:
        name = ""
    return _verdict(exercise, function, broken, name, mistakes[name].says if name else "")


def _first_broken(exercise: Exercise, function: Callable[..., Any]) -> _Broken | None:
    """Return the smallest input found that breaks an answer."""
    count = len(exercise.examples)
    for number, (inputs, wanted) in enumerate(drawn(exercise)):
        seen = _call(exercise, function, inputs)
        if not _right(exercise, seen, wanted):
            known = _Broken(inputs, seen, first=number == 0)
            return known if number < count else _smallest(exercise, function, known)
    return None


def drawn(exercise: Exercise) -> list[tuple[Inputs, Observation]]:
    """Return the examples and the inputs that hypothesis draws, with what a right answer shows on each.

    They are the same for every answer, so they are drawn once in a process, and before it forks.
    """
    if id(exercise) not in _DRAWN:
        inputs = [dict(example) for example in exercise.examples]

        def keep(one: Inputs) -> bool:
            inputs.append(one)
            return False

        _search(exercise, keep)
        _DRAWN[id(exercise)] = (exercise, [(one, _wanted(exercise, one)) for one in inputs])
    return _DRAWN[id(exercise)][1]


_DRAWN: dict[int, tuple[Exercise, list[tuple[Inputs, Observation]]]] = {}  # the exercise, so that its id stays taken


def _smallest(exercise: Exercise, function: Callable[..., Any], known: _Broken) -> _Broken:
    """Return the smallest input found that breaks an answer that is known to be broken."""
    found = [known]

    def breaks(inputs: Inputs) -> bool:
        seen = _call(exercise, function, inputs)
        right = _right(exercise, seen, _wanted(exercise, inputs))
        if not right:
            found.append(_Broken(inputs, seen))
        return not right

    with contextlib.suppress(Stopped):
        _search(exercise, breaks)
    return found[-1]


def _search(exercise: Exercise, breaks: Callable[[Inputs], bool]) -> None:
    """Let hypothesis look for an input that breaks the answer, and shrink it; the last one is the smallest."""
    from hypothesis import HealthCheck, given, settings

    @settings(
        max_examples=TRIES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(exercise.inputs())
    def try_one(inputs: Inputs) -> None:
        if breaks(inputs):
            raise _Wrong

    with contextlib.suppress(_Wrong):
        try_one()


def _right(exercise: Exercise, seen: _Seen, wanted: Observation) -> bool:
    return seen.observation is not None and not seen.changed and not _difference(exercise, seen.observation, wanted)


def _wanted(exercise: Exercise, inputs: Inputs) -> Observation:
    return _observation(exercise.expected(**copy.deepcopy(inputs)))


def _observation(value: Any) -> Observation:
    return value if isinstance(value, dict) else {RESULT: value}


def _call(exercise: Exercise, function: Callable[..., Any], inputs: Inputs) -> _Seen:
    """Call an answer on a copy of an input; what it raises, ``sys.exit`` included, is observed too."""
    own = copy.deepcopy(inputs)
    try:
        shown = exercise.observe(function, **own) if exercise.observe else function(**own)
    except Stopped as stop:
        stop.inputs = inputs
        raise
    except BaseException as error:
        return _Seen(None, error)
    changed = [name for name in inputs if not same(own[name], inputs[name], 0.0)]
    return _Seen(_observation(shown), changed=changed[0] if changed else "")


def _difference(exercise: Exercise, seen: Observation, wanted: Observation) -> str:
    """Return the name of the first observation that is not as wanted."""
    for name, value in wanted.items():
        if name not in seen or not same(seen[name], value, exercise.relative_tolerance):
            return name
    return ""


def same(one: Any, other: Any, relative_tolerance: float) -> bool:
    """Say whether two values agree: numbers to the tolerance, containers and arrays entry by entry.

    >>> same([1, 2.0], (1, 2), 0), same({"a": 1}, {"a": 1 + 1e-12}, 1e-9), same(True, 1, 0), same("1", 1, 0)
    (True, True, False, False)
    """
    one, other = _plain(one), _plain(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool) and one == other
    if isinstance(one, int | float | Fraction) and isinstance(other, int | float | Fraction):
        if one == other:
            return True
        return math.isclose(one, other, rel_tol=relative_tolerance, abs_tol=relative_tolerance * 1e-3)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b, relative_tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key], relative_tolerance) for key in one)
    return type(one) is type(other) and bool(one == other)


def _plain(value: Any) -> Any:
    """Return arrays and NumPy's numbers as Python's, tuples and ranges as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


def _recognise(exercise: Exercise, function: Callable[..., Any], mistakes: Mapping[str, Any], broken: _Broken) -> str:
    """Return the known mistake that shows the same as the answer on every input tried, ``""`` if none does."""
    tried = [broken.inputs, *(inputs for inputs, _ in drawn(exercise))]
    shown: list[_Seen] = []
    for name, mistake in mistakes.items():
        for number, inputs in enumerate(tried):
            if number == len(shown):
                shown.append(_call(exercise, function, inputs))
            if not _alike(exercise, shown[number], _call(exercise, mistake.function, inputs)):
                break
        else:
            return name
    return ""


def _alike(exercise: Exercise, one: _Seen, other: _Seen) -> bool:
    if one.observation is None or other.observation is None:
        return type(one.error) is type(other.error)
    names = one.observation.keys() == other.observation.keys()
    return names and one.changed == other.changed and not _difference(exercise, one.observation, other.observation)


def _verdict(exercise: Exercise, function: Callable[..., Any], broken: _Broken, name: str, says: str) -> Verdict:
    """Say what went wrong on the input that broke an answer."""
    seen, given = broken.seen, told(broken.inputs)
    if seen.observation is None and seen.error is not None:
        file = getattr(getattr(function, "__code__", None), "co_filename", "")
        raised, trace = said(seen.error, file), traceback_from(seen.error, file)
        return Verdict("wrong", exercise.asked, given, "a result", raised, name, says, trace)
    shown, wanted = seen.observation or {}, _wanted(exercise, broken.inputs)
    differs = _difference(exercise, shown, wanted)
    if not differs:
        changed = f"{seen.changed} is changed: work on a copy"
        return Verdict("wrong", exercise.asked, given, f"{seen.changed} as it was given", changed, name, says)
    texts = [_told(exercise, differs, observation) for observation in (wanted, shown)]
    return Verdict("wrong", exercise.asked, given, texts[0], texts[1], name, says)


def told(inputs: Inputs) -> str:
    """Return an input as one line.

    >>> told({"ranks": 4, "sizes": [1, 2]})
    'ranks = 4, sizes = [1, 2]'
    """
    return ", ".join(f"{key} = {brief(value)}" for key, value in inputs.items())


def said(error: BaseException, file: str) -> str:
    """Return what an exception says, and the line of the answer's file that it came from."""
    number = line_of(error, file)
    line = f" (line {number})" if number else ""
    if isinstance(error, SystemExit):
        return f"the program is ended by sys.exit{line}: return a value instead"
    if isinstance(error, MemoryError):
        return f"MemoryError: more memory than the limit allows is asked for{line}"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text[:200]}{line}"


def traceback_from(error: BaseException, file: str, limit: int = 4000) -> str:
    """Return the traceback from the answer's first line on, cut."""
    steps = traceback.extract_tb(error.__traceback__)
    first = next((number for number, step in enumerate(steps) if step.filename == file), 0)
    lines = traceback.format_list(steps[first:]) + traceback.format_exception_only(error)
    text = "".join(lines)
    return text if len(text) <= limit else f"{text[: limit // 2]}…\n…{text[-limit // 2 :]}"


def line_of(error: BaseException, file: str) -> int | None:
    """Return the line of a file that an exception came from, ``None`` if it did not come from there."""
    lines = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == file]
    return lines[-1] if lines else None


def _told(exercise: Exercise, name: str, observation: Observation) -> str:
    """Return an observation with its name, where it is not the result, and its unit."""
    if name not in observation:
        return f"no {name}"
    unit = exercise.units.get(name, "")
    return f"{'' if name == RESULT else f'{name}: '}{brief(observation[name])}{f' {unit}' if unit else ''}"


def brief(value: Any, limit: int = 300) -> str:
    """Return a value on one line; of a large array its shape and type.

    >>> brief([1, 2]), brief("x" * 400)[-5:]
    ('[1, 2]', 'xxxx…')
    """
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        size = " × ".join(map(str, value.shape))
        return f"{value.tolist()}" if 0 < value.size <= 24 else f"an array of {size} ({value.dtype})"
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple | dict | set | str | bytes) and len(value) > 10 * limit:
        return f"a {type(value).__name__} of {len(value)} entries"
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        return f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"
    return text if len(text) <= limit else text[: limit - 1] + "…"
