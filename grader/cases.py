"""The inputs on which every answer to an exercise is judged, and what a right answer shows on each."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from grader.comparing import plain
from grader.exercise import Exercise, Inputs, Observation
from grader.seeing import is_right, observation, see
from grader.source import wrong_answer


@dataclass(frozen=True)
class Case:
    """An input, and what a right answer shows on it."""

    inputs: Inputs
    wanted: Observation


class _Cases:
    """The cases of the exercises that this process has judged."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str, int | None], tuple[Exercise, list[Case]]] = {}


_CASES = _Cases()


def cases(exercise: Exercise) -> list[Case]:
    """Return an exercise's cases: its examples in their order, its own numbers last, and between them the drawn ones.

    They are the same for every answer and on every machine; drawing needs hypothesis. Drawn by a seed, they are others,
    and every known mistake that is wrong on one of the book's is wrong on one of them too.
    """
    key = _key(exercise)
    known = _CASES.known.get(key)
    if known is None or not _asks_the_same(known[0], exercise):
        known = _CASES.known[key] = exercise, [Case(one, wanted(exercise, one)) for one in inputs_of(exercise)]
    return known[1]


def take(exercise: Exercise, found: Iterable[Case]) -> None:
    """Use these cases, which were drawn elsewhere, as where there is no hypothesis."""
    _CASES.known[_key(exercise)] = exercise, list(found)


def _key(exercise: Exercise) -> tuple[str, str, int | None]:
    return exercise.solution.__module__, exercise.name, exercise.seed


def _asks_the_same(one: Exercise, other: Exercise) -> bool:
    """Say whether two exercises have the same cases: one may be the other with another weight."""
    return one.draws == other.draws and all(
        getattr(one, name) is getattr(other, name) for name in ("expected", "examples", "inputs", "drawn")
    )


def wanted(exercise: Exercise, inputs: Inputs) -> Observation:
    """Return what a right answer shows on an input."""
    return observation(exercise.expected(**copy.deepcopy(inputs)))


def inputs_of(exercise: Exercise) -> list[Inputs]:
    """Return the inputs: the examples, the last of which ends the list, and all others by size, each once."""
    *first, last = map(dict, exercise.examples)
    found = _drawn(exercise)
    if exercise.seed is not None:
        found += _telling(exercise, found)
    drawn = sorted(({name: one[name] for name in sorted(one, key=list(last).index)} for one in found), key=size)
    unique = {_shown(one): one for one in (*first, *drawn)}
    unique.pop(_shown(last), None)
    return [*unique.values(), last]


def _shown(inputs: Inputs) -> str:
    return repr({name: plain(value) for name, value in inputs.items()})


def _telling(exercise: Exercise, found: Iterable[Inputs]) -> list[Inputs]:
    """Return those of the book's inputs without which a known mistake would be right on all inputs."""
    tried = [Case(one, wanted(exercise, one)) for one in (*exercise.examples, *found)]
    told: list[Case] = []
    for mistake in exercise.mistakes:
        function = wrong_answer(exercise, mistake)
        if not any(_tells(exercise, function, case) for case in (*tried, *told)):
            own = cases(dataclasses.replace(exercise, seed=None))
            told += itertools.islice((case for case in own if _tells(exercise, function, case)), 1)
    return [case.inputs for case in told]


def _tells(exercise: Exercise, function: Callable[..., Any], case: Case) -> bool:
    return not is_right(exercise, see(exercise, function, case.inputs), case.wanted)


def _drawn(exercise: Exercise) -> list[Inputs]:
    if not callable(exercise.inputs):
        again = exercise.drawn if exercise.seed is not None else None
        return list(again(Random(exercise.seed)) if again else exercise.inputs)
    try:
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st
    except ImportError:
        raise RuntimeError(f"{exercise.name} draws its inputs with hypothesis: pip install hypothesis") from None
    drawn: list[Inputs] = []
    source = exercise.inputs(st)

    @settings(
        max_examples=exercise.draws,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.fixed_dictionaries(source) if isinstance(source, dict) else source)
    def draw(one: Inputs) -> None:
        drawn.append(one)

    # Without a seed, hypothesis draws by the text of the function above: an edit of it changes the book's inputs.
    with _no_numbers_of_loaded_modules():
        (draw if exercise.seed is None else seeded(exercise.seed)(draw))()
    return drawn


@contextmanager
def _no_numbers_of_loaded_modules() -> Iterator[None]:
    """Keep hypothesis from drawing numbers that stand in the modules that happen to be loaded, and so differ.

    It has no setting for that. ``tests/grader/test_cases.py`` notices an upgrade after which this no longer helps.
    """
    from hypothesis.internal.conjecture import providers

    before = providers._get_local_constants
    providers.CONSTANTS_CACHE.cache.clear()
    providers._get_local_constants = providers.Constants
    try:
        yield
    finally:
        providers._get_local_constants = before
        providers.CONSTANTS_CACHE.cache.clear()


@functools.singledispatch
def size(value: Any) -> int:
    """Return how large an input is: its numbers, and how many bits they have.

    >>> size({"ranks": 4, "vectors": [[1, 2], []]}) < size({"ranks": 4, "vectors": [[1, 2], [3]]})
    True
    """
    if hasattr(value, "tolist"):
        return size(value.tolist())
    return 1 + (len(value) if isinstance(value, str) else 0)


@size.register(bool)
def _(value: bool) -> int:
    return 1


@size.register(int)
def _(value: int) -> int:
    return 1 + value.bit_length() + (value < 0)


@size.register(float)
def _(value: float) -> int:
    return 1 + len(repr(value))


@size.register(Fraction)
def _(value: Fraction) -> int:
    return size(value.numerator) + size(value.denominator)


@size.register(list)
@size.register(tuple)
def _(value: Iterable[Any]) -> int:
    return 2 + sum(map(size, value))


@size.register(dict)
def _(value: Mapping[str, Any]) -> int:
    return sum(map(size, value.values()))
