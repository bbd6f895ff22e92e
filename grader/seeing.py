"""What an answer shows on an input, and whether that is right."""

from __future__ import annotations

import copy
import inspect
import itertools
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from grader.comparing import same
from grader.errors import Stopped, describe_error, traceback_of
from grader.exercise import RESULT, Exercise, Inputs, Observation
from grader.plain import MOST_ENTRIES
from grader.shapes import WrongShape, described, returned, shaped


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


def observation(value: Any) -> Observation:
    """Return a value as an observation."""
    return value if isinstance(value, dict) else {RESULT: value}


def see(exercise: Exercise, function: Callable[..., Any], inputs: Inputs) -> Seen:
    """Observe an answer on a copy of an input; what it raises, ``sys.exit`` included, is observed too."""
    gated = Gated(function, exercise)
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


def is_right(exercise: Exercise, seen: Seen, wanted: Observation) -> bool:
    """Say whether what was seen is what a right answer shows."""
    return seen.observation is not None and not seen.changed and not difference(exercise, seen.observation, wanted)


def difference(exercise: Exercise, seen: Observation, wanted: Observation) -> str:
    """Return the name of the first observation that is not as wanted."""
    for name, value in wanted.items():
        if name not in seen or not same(seen[name], value, exercise.relative_tolerance):
            return name
    return ""


class Gated:
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


def _file_of(function: Callable[..., Any]) -> str:
    """Return the file that an answer is written in."""
    return str(getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", ""))
