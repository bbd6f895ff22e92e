"""What an exercise is, and how an answer to it is judged. Needs the standard library and hypothesis, which seeks input.

A chapter's ``test_answers.py`` declares its exercises. An answer is judged by what can be observed of it: its result
or, where the exercise says so, what a simulator counted while it ran. The observations are compared with those of an
oracle that is not the solution, on fixed examples and on inputs that hypothesis searches and shrinks. A wrong answer is
compared with the typical mistakes of ``mutants.py``: one that shows the same throughout is named.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

Inputs = dict[str, Any]
Observation = dict[str, Any]
Status = Literal["solved", "wrong", "open"]
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


@dataclass(frozen=True)
class Verdict:
    """What became of an answer. ``mistake`` is the name of a known mistake, ``says`` what it tells its author."""

    status: Status
    asked: str = ""
    given: str = ""
    expected: str = ""
    got: str = ""
    mistake: str = ""
    says: str = ""


@dataclass(frozen=True)
class _Seen:
    """What one call showed: an observation or an exception, and whether the input was changed."""

    observation: Observation | None
    error: str = ""
    line: int = 0
    changed: str = ""


class _Wrong(AssertionError):
    """Raised inside hypothesis's search when an input breaks the answer."""


def judge(exercise: Exercise, function: Callable[..., Any], mistakes: Mapping[str, Any]) -> Verdict:
    """Judge an answer.

    Args:
        exercise: what was asked.
        function: the reader's function.
        mistakes: the known mistakes of this exercise by name, as ``mutants_in`` returns them.

    Raises:
        NotImplementedError: never; an answer that raises it on the first example is open.
    """
    try:
        broken = _first_broken(exercise, function)
    except NotImplementedError:
        return Verdict("open", asked=exercise.asked)
    if broken is None:
        return Verdict("solved", asked=exercise.asked)
    name = _recognise(exercise, function, mistakes, broken)
    return _verdict(exercise, function, broken, name, mistakes[name].says if name else "")


def _first_broken(exercise: Exercise, function: Callable[..., Any]) -> Inputs | None:
    """Return the smallest input found that breaks an answer."""
    for example in exercise.examples:
        if not _right(exercise, function, example):
            return dict(example)
    return _search(exercise, lambda inputs: not _right(exercise, function, inputs))


def _search(exercise: Exercise, breaks: Callable[[Inputs], bool]) -> Inputs | None:
    """Let hypothesis look for an input that breaks the answer, and shrink it."""
    from hypothesis import HealthCheck, given, settings

    found: list[Inputs] = []

    @settings(
        max_examples=TRIES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(exercise.inputs())
    def try_one(inputs: Inputs) -> None:
        if breaks(inputs):
            found.append(inputs)
            raise _Wrong

    try:
        try_one()
    except _Wrong:
        return found[-1]
    return None


def _right(exercise: Exercise, function: Callable[..., Any], inputs: Inputs) -> bool:
    seen = _call(exercise, function, inputs)
    wanted = _wanted(exercise, inputs)
    return seen.observation is not None and not seen.changed and not _difference(exercise, seen.observation, wanted)


def _wanted(exercise: Exercise, inputs: Inputs) -> Observation:
    return _observation(exercise.expected(**copy.deepcopy(inputs)))


def _observation(value: Any) -> Observation:
    return value if isinstance(value, dict) else {RESULT: value}


def _call(exercise: Exercise, function: Callable[..., Any], inputs: Inputs) -> _Seen:
    """Call an answer on a copy of an input; what it raises is observed too, but for ``NotImplementedError``."""
    own = copy.deepcopy(inputs)
    try:
        shown = exercise.observe(function, **own) if exercise.observe else function(**own)
    except NotImplementedError:
        raise
    except Exception as error:
        return _Seen(None, f"{type(error).__name__}: {error}", _line_in(error, function))
    changed = [name for name in inputs if not same(own[name], inputs[name], 0.0)]
    return _Seen(_observation(shown), changed=changed[0] if changed else "")


def _line_in(error: BaseException, function: Callable[..., Any]) -> int:
    """Return the last line of the answer's file that an error passed through."""
    file = getattr(function, "__globals__", {}).get("__file__", "")
    line, step = 0, error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    return line


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


def _recognise(exercise: Exercise, function: Callable[..., Any], mistakes: Mapping[str, Any], broken: Inputs) -> str:
    """Return the known mistake that shows the same as the answer on every input tried, ``""`` if none does."""
    tried = [dict(example) for example in exercise.examples] + [broken]

    def keep(inputs: Inputs) -> bool:
        tried.append(inputs)
        return False

    _search(exercise, keep)
    shown = [_call(exercise, function, inputs) for inputs in tried]
    for name, mistake in mistakes.items():
        if all(
            _alike(exercise, seen, _call(exercise, mistake.function, inputs))
            for inputs, seen in zip(tried, shown, strict=True)
        ):
            return name
    return ""


def _alike(exercise: Exercise, one: _Seen, other: _Seen) -> bool:
    if one.observation is None or other.observation is None:
        return one.error.partition(":")[0] == other.error.partition(":")[0] != ""
    names = one.observation.keys() == other.observation.keys()
    return names and one.changed == other.changed and not _difference(exercise, one.observation, other.observation)


def _verdict(exercise: Exercise, function: Callable[..., Any], broken: Inputs, name: str, says: str) -> Verdict:
    """Say what went wrong on the input that broke an answer."""
    seen, wanted = _call(exercise, function, broken), _wanted(exercise, broken)
    given = ", ".join(f"{key} = {brief(value)}" for key, value in broken.items())
    if seen.observation is None:
        where = f" (line {seen.line})" if seen.line else ""
        return Verdict("wrong", exercise.asked, given, "a result", seen.error + where, name, says)
    differs = _difference(exercise, seen.observation, wanted)
    if not differs:
        changed = f"{seen.changed} is changed: work on a copy"
        return Verdict("wrong", exercise.asked, given, f"{seen.changed} as it was given", changed, name, says)
    told = [_told(exercise, differs, observation) for observation in (wanted, seen.observation)]
    return Verdict("wrong", exercise.asked, given, told[0], told[1], name, says)


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
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
