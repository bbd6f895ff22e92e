"""The judge: compares what an answer shows with what a right one shows, case by case, and says what is wrong.

The answer is any function. In a terminal it stands for one in another process (``grader.sandbox``), so that nothing
which an answer does to its own process reaches the judge.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin

from grader.cases import Case, cases, observation
from grader.comparing import plain, same
from grader.errors import Stopped, describe_error, traceback_of
from grader.exercise import RESULT, Exercise, Inputs, Mistake, Observation
from grader.patterns import pattern
from grader.plain import MOST_ENTRIES
from grader.shapes import WrongShape, described, returned, shaped
from grader.source import wrong_answer

Status = Literal["solved", "wrong", "open"]


@dataclass(frozen=True)
class Verdict:
    """What became of an answer.

    Attributes:
        status: open is an untouched stub, wrong an answer that was tried and fails.
        asked: what the exercise asks for.
        given: the first input that breaks the answer.
        expected: what a right answer shows on that input, with its unit.
        got: what this answer shows.
        mistake: the name of the known mistake that the answer makes, ``""`` if none is known.
        says: what that mistake's author is told.
        pattern: what is true of the answer over all inputs, ``""`` where the mistake is known.
        trace: where the answer raised an exception.
        printed: what the answer printed, cut.
        case: the number of that first input among the exercise's cases, from 0; none where no call was judged.
    """

    status: Status
    asked: str = ""
    given: str = ""
    expected: str = ""
    got: str = ""
    mistake: str = ""
    says: str = ""
    pattern: str = ""
    trace: str = ""
    printed: str = ""
    case: int | None = None


class AnswerError(Exception):
    """An answer raised an exception in its own process.

    Attributes:
        text: what it says and the line that it came from, ``ZeroDivisionError: division by zero (line 3)``.
        trace: the traceback from the answer's first line on.
    """

    def __init__(self, text: str, trace: str = "") -> None:
        super().__init__(text)
        self.text, self.trace = text, trace


class NotWritten(Exception):
    """An answer is still the stub: it raised ``NotImplementedError``."""


NOT_TOLD = object()


@dataclass(frozen=True)
class Seen:
    """What an answer showed on one case.

    Attributes:
        observation: what was observed, ``None`` where nothing could be.
        expected: what is said to be expected where there is no observation.
        got: what was wrong with it.
        trace: where the answer raised an exception.
        changed: the name of an argument that it changed in place, or ``""``.
        kind: the name of the exception's class.
        result: what the last call returned, ``NOT_TOLD`` where that is not known.
    """

    observation: Observation | None
    expected: str = ""
    got: str = ""
    trace: str = ""
    changed: str = ""
    kind: str = ""
    result: Any = NOT_TOLD  # of the last call


@dataclass(frozen=True)
class _Tried:
    """A case, what the answer showed on it, and whether that is right."""

    case: Case
    seen: Seen
    right: bool


def judge(exercise: Exercise, function: Callable[..., Any]) -> Verdict:
    """Judge an answer.

    An answer that raises ``NotImplementedError`` on the first example is open.
    """
    return judge_shown(exercise, shown_by(exercise, function))


def shown_by(exercise: Exercise, function: Callable[..., Any]) -> Iterator[Seen]:
    """Yield what an answer shows on each case in turn; raise ``Stopped`` on the one where it reaches a limit."""
    for case in cases(exercise):
        yield _call(exercise, function, case.inputs)


def shown_on(exercise: Exercise, function: Callable[..., Any], number: int) -> Seen:
    """Return what an answer shows on the case of a number."""
    return _call(exercise, function, cases(exercise)[number].inputs)


def judge_shown(exercise: Exercise, shown: Iterable[Seen]) -> Verdict:
    """Judge an answer by what it shows on each case, which ``shown_by`` may have seen in another process.

    Raises:
        ValueError: there are more or fewer than the exercise's cases.
    """
    asked = exercise.asked
    tried: list[_Tried] = []
    try:
        for case, seen in zip(cases(exercise), shown, strict=True):
            if not tried and seen.kind == "NotImplementedError":
                return Verdict("open", asked)
            tried.append(_Tried(case, seen, _right(exercise, seen, case.wanted)))
    except Stopped as stop:
        return _stopped(exercise, tried, stop)
    wrong = [number for number, one in enumerate(tried) if not one.right]
    if not wrong:
        return Verdict("solved", asked)
    return dataclasses.replace(_verdict(exercise, tried, tried[wrong[0]]), case=wrong[0])


def is_solved_by(exercise: Exercise, function: Callable[..., Any]) -> bool:
    """Say whether an answer is right on all cases, without looking further than to the first on which it is not."""
    return all(_right(exercise, _call(exercise, function, case.inputs), case.wanted) for case in cases(exercise))


def pictures(exercise: Exercise, function: Callable[..., Any], number: int) -> list[str]:
    """Return drawings, as SVG, of what an answer does on the case of a number; none where it cannot be drawn."""
    if exercise.picture is None:
        return []
    inputs = copy.deepcopy(cases(exercise)[number].inputs)
    try:
        return [panel.svg() for panel in exercise.picture(_Gated(function, exercise), **inputs)]
    except Exception:  # what is wrong with such an answer has been said
        return []


def _stopped(exercise: Exercise, tried: list[_Tried], stop: Stopped) -> Verdict:
    """Say on which input an answer reached a limit, or, if it was wrong before, what was wrong."""
    wrong = [one for one in tried if not one.right]
    if wrong:
        return _verdict(exercise, tried, wrong[0])
    given = describe_inputs(cases(exercise)[len(tried)].inputs)
    return Verdict("wrong", exercise.asked, given, stop.expected, stop.got)


def _right(exercise: Exercise, seen: Seen, wanted: Observation) -> bool:
    return seen.observation is not None and not seen.changed and not _difference(exercise, seen.observation, wanted)


def _call(exercise: Exercise, function: Callable[..., Any], inputs: Inputs) -> Seen:
    """Observe an answer on a copy of an input; what it raises, ``sys.exit`` included, is observed too."""
    gated = _Gated(function, exercise)
    own = copy.deepcopy(inputs)
    try:
        shown = exercise.observe(gated, **own) if exercise.observe else gated(**own)
    except Stopped:
        raise
    except WrongShape as error:
        return Seen(None, error.expected, error.got, kind="WrongShape")
    except AnswerError as error:
        return Seen(None, "a result", error.text, error.trace, kind=error.text.partition(":")[0].partition(" ")[0])
    except NotWritten:
        return Seen(None, "a result", "NotImplementedError", kind="NotImplementedError")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        file = _file_of(function)
        text, trace = describe_error(error, file), traceback_of(error, file)
        return Seen(None, "a result", text, trace, kind=type(error).__name__)
    changed = gated.changed or next((name for name in inputs if not same(own[name], inputs[name], 0.0)), "")
    return Seen(observation(shown), changed=changed, result=gated.result)


class _Gated:
    """A function whose results pass the gate that the solution's annotation is."""

    def __init__(self, function: Callable[..., Any], exercise: Exercise) -> None:
        self._function, self._kind = function, returned(exercise.solution)
        self._is_program = inspect.isgeneratorfunction(exercise.solution)
        self._any_order = exercise.any_order
        self.changed, self.result = "", None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        self.changed = self.changed or getattr(self._function, "changed", "")
        if isinstance(result, Generator):
            return self._until_the_end(result) if self._is_program else shaped(self._entries(result), self._kind)
        if self._any_order and isinstance(result, set | frozenset):
            result = sorted(result, key=repr)
        self.result = shaped(result, self._kind)
        return self.result

    def _entries(self, result: Generator[Any, Any, Any]) -> list[Any]:
        """Return what an answer yields one after the other, where entries are asked for."""
        if not any(get_origin(kind) is list for kind in (self._kind, *get_args(self._kind))):
            raise WrongShape(described(self._kind), "a generator: is `return` meant, not `yield`?")
        return list(itertools.islice(result, MOST_ENTRIES))

    def _until_the_end(self, program: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        return shaped((yield from program), self._kind)


def _difference(exercise: Exercise, seen: Observation, wanted: Observation) -> str:
    """Return the name of the first observation that is not as wanted."""
    for name, value in wanted.items():
        if name not in seen or not same(seen[name], value, exercise.relative_tolerance):
            return name
    return ""


def _verdict(exercise: Exercise, tried: list[_Tried], first: _Tried) -> Verdict:
    """Say what went wrong on the first case that broke an answer, and what is known of such answers."""
    seen, asked, given = first.seen, exercise.asked, describe_inputs(first.case.inputs)
    name, says = _recognised(exercise, tried)
    about = "" if name else _pattern(exercise, tried)
    if seen.observation is None:
        return Verdict("wrong", asked, given, seen.expected, seen.got, name, says, about, seen.trace)
    differs = _difference(exercise, seen.observation, first.case.wanted)
    if seen.changed:
        expected, got = f"{seen.changed} as it was given", f"{seen.changed} is changed: work on a copy"
        return Verdict("wrong", asked, given, expected, got, name, says, about)
    expected, got = (_describe(exercise, differs, one) for one in (first.case.wanted, seen.observation))
    if expected == got:  # both are cut off before they differ
        entry, *sides = _first_difference(first.case.wanted[differs], seen.observation[differs], exercise)
        expected, got = (f"entry {entry}: {side}" for side in sides)
    return Verdict("wrong", asked, given, expected, got, name, says, about)


def _recognised(exercise: Exercise, tried: list[_Tried]) -> tuple[str, str]:
    """Return name and sentence of the known mistake that shows the same as the answer on all cases tried."""
    in_order = sorted(tried, key=lambda one: one.right)
    for mistake in exercise.mistakes:
        function = wrong_answer(exercise, mistake)
        if all(_alike(exercise, one.seen, _call(exercise, function, one.case.inputs)) for one in in_order):
            return mistake.name, mistake.says
    return _by_mistaken_rule(exercise, tried)


FEWEST_WRONG = 2


def _by_mistaken_rule(exercise: Exercise, tried: list[_Tried]) -> tuple[str, str]:
    """Return name and sentence of the only mistake by whose rule all choices of the answer are right.

    One wrong choice alone may be right by a rule that its author did not follow.
    """
    if sum(not one.right for one in tried) < FEWEST_WRONG:
        return "", ""
    found = [mistake for mistake in exercise.mistakes if all(_accepts(mistake, one) for one in tried)]
    return (found[0].name, found[0].says) if len(found) == 1 else ("", "")


def _accepts(mistake: Mistake, one: _Tried) -> bool:
    if mistake.accepts is None or one.seen.observation is None or one.seen.result is NOT_TOLD:
        return False
    try:
        return mistake.accepts(one.seen.result, **one.case.inputs)
    except (TypeError, ValueError, ArithmeticError, LookupError):  # the choice is none that can be judged
        return False


def _alike(exercise: Exercise, one: Seen, other: Seen) -> bool:
    if one.observation is None or other.observation is None:
        return one.observation is other.observation and one.kind == other.kind
    names = one.observation.keys() == other.observation.keys()
    return names and one.changed == other.changed and not _difference(exercise, one.observation, other.observation)


def _pattern(exercise: Exercise, tried: list[_Tried]) -> str:
    """Return what is true of an answer; nothing where that cannot be found out, which costs no verdict."""
    right = [(one.case.inputs, one.right) for one in tried]
    try:
        return pattern(right, list(_differing(exercise, tried)), exercise.relative_tolerance)
    except Stopped:
        raise
    except Exception:  # an answer may have shown anything
        return ""


def _differing(exercise: Exercise, tried: list[_Tried]) -> Iterator[tuple[Inputs, Any, Any]]:
    """Yield the input, the expected and the shown value wherever an answer is wrong in its value."""
    for one in tried:
        shown, wanted = one.seen.observation, one.case.wanted
        if not one.right and shown is not None:
            name = _difference(exercise, shown, wanted)
            if name in shown and (name == RESULT or not _of_other_length(wanted[name], shown[name])):
                yield one.case.inputs, wanted[name], shown[name]


def _of_other_length(wanted: Any, shown: Any) -> bool:
    """Say whether a list that is observed, and that the answer did not return, is longer or shorter than it should be.

    That it has one entry too many would be taken for a sentence about the answer.
    """
    return isinstance(wanted, list) and isinstance(shown, list) and len(wanted) != len(shown)


def _first_difference(wanted: Any, got: Any, exercise: Exercise) -> tuple[str, str, str]:
    """Return where two lists differ first, as ``[5][0]`` counted from 0, and what stands there in each."""
    one, other = plain(wanted), plain(got)
    if not (isinstance(one, list) and isinstance(other, list)):
        return "", brief(one), brief(other)
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if not same(a, b, exercise.relative_tolerance):
            inside, first, second = _first_difference(a, b, exercise)
            return f"[{place}]{inside}", first, second
    shorter = min(len(one), len(other))
    first, second = (brief(values[shorter]) if shorter < len(values) else "there is none" for values in (one, other))
    return f"[{shorter}]", first, second


def describe_inputs(inputs: Inputs) -> str:
    """Return an input as one line.

    >>> describe_inputs({"ranks": 4, "sizes": [1, 2]})
    'ranks = 4, sizes = [1, 2]'
    """
    return ", ".join(f"{key} = {brief(value)}" for key, value in inputs.items())


def _file_of(function: Callable[..., Any]) -> str:
    """Return the file that an answer is written in."""
    return str(getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", ""))


def _describe(exercise: Exercise, name: str, shown: Observation) -> str:
    """Return an observation with its name, where it is not the result, and its unit."""
    if name not in shown:
        return f"no {name}"
    if name == RESULT:
        return _with_unit(brief(shown[name]), exercise.units.get(name, ""))
    value = shown[name]
    words = value if isinstance(value, str) and value.isprintable() and len(value) <= 300 else brief(value)
    return f"{name}: {_with_unit(words, exercise.units.get(name, ''))}"


def _with_unit(words: str, unit: str) -> str:
    return f"{words} {unit}" if unit else words


def brief(value: Any, limit: int = 300) -> str:
    """Return a value on one line; of a large array its shape and type.

    >>> brief([1, 2]), brief("x" * 400)[-5:]
    ('[1, 2]', 'xxxx…')
    """
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        size = " × ".join(map(str, value.shape))
        return f"{value.tolist()}" if 0 < value.size <= 24 else f"an array of {size} ({value.dtype})"
    if isinstance(value, list | tuple | dict | set | str | bytes) and len(value) > 10 * limit:
        return f"a {type(value).__name__} of {len(value)} entries"
    try:
        text = " ".join((str if isinstance(value, Fraction) else repr)(value).split())
    except ValueError:  # Python writes no whole number of more than 4300 digits
        return f"a value of {type(value).__name__} too large to be shown"
    return text if len(text) <= limit else text[: limit - 1] + "…"
