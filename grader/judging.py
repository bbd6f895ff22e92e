"""The judge: compares what an answer shows with what a right one shows, case by case, and says what is wrong.

The answer is any function. In a terminal it stands for one in another process (``grader.sandbox``), so that nothing
which an answer does to its own process reaches the judge.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from grader.cases import Case, cases
from grader.comparing import plain, same
from grader.errors import Stopped
from grader.exercise import RESULT, Exercise, Inputs, Mistake, Observation
from grader.patterns import pattern
from grader.seeing import NOT_TOLD, Gated, Seen, difference, is_right, see
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
        yield see(exercise, function, case.inputs)


def shown_on(exercise: Exercise, function: Callable[..., Any], number: int) -> Seen:
    """Return what an answer shows on the case of a number."""
    return see(exercise, function, cases(exercise)[number].inputs)


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
            tried.append(_Tried(case, seen, is_right(exercise, seen, case.wanted)))
    except Stopped as stop:
        return _stopped(exercise, tried, stop)
    wrong = [number for number, one in enumerate(tried) if not one.right]
    if not wrong:
        return Verdict("solved", asked)
    return dataclasses.replace(_verdict(exercise, tried, tried[wrong[0]]), case=wrong[0])


def is_solved_by(exercise: Exercise, function: Callable[..., Any]) -> bool:
    """Say whether an answer is right on all cases, without looking further than to the first on which it is not."""
    return all(is_right(exercise, see(exercise, function, case.inputs), case.wanted) for case in cases(exercise))


def pictures(exercise: Exercise, function: Callable[..., Any], number: int) -> list[str]:
    """Return drawings, as SVG, of what an answer does on the case of a number; none where it cannot be drawn."""
    if exercise.picture is None:
        return []
    inputs = copy.deepcopy(cases(exercise)[number].inputs)
    try:
        return [panel.svg() for panel in exercise.picture(Gated(function, exercise), **inputs)]
    except Exception:  # what is wrong with such an answer has been said
        return []


def _stopped(exercise: Exercise, tried: list[_Tried], stop: Stopped) -> Verdict:
    """Say on which input an answer reached a limit, or, if it was wrong before, what was wrong."""
    wrong = [one for one in tried if not one.right]
    if wrong:
        return _verdict(exercise, tried, wrong[0])
    given = describe_inputs(cases(exercise)[len(tried)].inputs)
    return Verdict("wrong", exercise.asked, given, stop.expected, stop.got)


def _verdict(exercise: Exercise, tried: list[_Tried], first: _Tried) -> Verdict:
    """Say what went wrong on the first case that broke an answer, and what is known of such answers."""
    seen, asked, given = first.seen, exercise.asked, describe_inputs(first.case.inputs)
    name, says = _recognised(exercise, tried)
    about = "" if name else _pattern(exercise, tried)
    if seen.observation is None:
        return Verdict("wrong", asked, given, seen.expected, seen.got, name, says, about, seen.trace)
    differs = difference(exercise, seen.observation, first.case.wanted)
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
        if all(_alike(exercise, one.seen, see(exercise, function, one.case.inputs)) for one in in_order):
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
    return names and one.changed == other.changed and not difference(exercise, one.observation, other.observation)


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
            name = difference(exercise, shown, wanted)
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
