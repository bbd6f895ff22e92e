"""What an exercise is declared with, in a module of its own: ``exercises/<part>/<chapter>/<name>.py``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Literal

Inputs = dict[str, Any]
Observation = dict[str, Any]
Level = Literal["easy", "medium", "hard"]
RESULT = "result"


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that readers write.

    Attributes:
        name: what it does wrong, ``rounds_down``.
        says: the sentence that its author is told.
        wrong: what it computes: a function, or what the solution's source has (once each) and the mistake has instead.
        accepts: of a choice of which several may be right, from what an answer chose and the input to whether that is
            right by the mistaken rule. An answer whose choices are so on all inputs makes the mistake, whatever its
            design.
    """

    name: str
    says: str
    wrong: Callable[..., Any] | Mapping[str, str]
    accepts: Callable[..., bool] | None = None


@dataclass(frozen=True)
class Exercise:
    """One coding exercise.

    Attributes:
        solution: a right answer. Its name is the exercise's, its signature and docstring are the stub's.
        number: its number in the chapter.
        asked: what it has to do, in one line.
        expected: from an input to what a right answer shows: the observation of an oracle that is not the solution. A
            value that is no ``dict`` counts as the observation ``{"result": value}``.
        examples: fixed inputs: first the smallest that explains, last the exercise's own numbers.
        inputs: from ``hypothesis.strategies`` to a strategy for each argument, or to one of whole inputs; or the list
            of all inputs of a small domain.
        drawn: where ``inputs`` is a list that was drawn, from a generator of random numbers to other inputs of the
            kind: a class is graded on these where the teacher names a seed.
        seed: by which the inputs are drawn; by default they are the book's own.
        mistakes: known wrong answers.
        observe: from the answer and an input to what is observed of it; by default its result. Whatever the answer
            costs (bytes, steps, peak) is observed here, by running it on a simulator.
        units: for an observation's name, its unit.
        relative_tolerance: how far numbers may be off.
        weight: how much the exercise counts in a class.
        level: how hard it is, for the page.
        draws: how many inputs are drawn of a strategy; fewer where one call is slow.
        given: names of the module's that the reader is handed in the stub, besides those of the signature.
        takes: packages that solving and grading it need besides the standard library; a page has none of them.
        any_order: whether the entries of a list that is returned have no order, so that a set may be returned too.
        taught: what the exercise's own numbers come to and teach, computed: whoever has solved it is told.
        picture: from the answer and an input to drawings (``snippets.drawing``) of what the answer does there, for the
            first input on which it is wrong. A page shows them; what it cannot draw it raises ``ValueError`` for.
    """

    solution: Callable[..., Any]
    number: int
    asked: str
    expected: Callable[..., Any]
    examples: Sequence[Inputs]
    inputs: Callable[[Any], Any] | Sequence[Inputs]
    mistakes: Sequence[Mistake] = ()
    observe: Callable[..., Any] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    relative_tolerance: float = 1e-9
    weight: float = 1.0
    level: Level = "medium"
    draws: int = 100
    given: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    any_order: bool = False
    taught: Callable[[], str] | None = None
    picture: Callable[..., Sequence[Any]] | None = None
    drawn: Callable[[Random], Sequence[Inputs]] | None = None
    seed: int | None = None

    @property
    def name(self) -> str:
        """The function that the reader writes."""
        return self.solution.__name__

    @property
    def module(self) -> ModuleType:
        """The module that declares the exercise."""
        return sys.modules[self.solution.__module__]

    @property
    def path(self) -> Path:
        """The module's file."""
        return Path(inspect.getfile(self.solution))


def inputs_for(solution: Callable[..., Any]) -> Callable[..., Inputs]:
    """Return a function that makes an input of values for a solution's arguments, in their order.

    It raises ``ValueError`` where there are more or fewer values than arguments.

    >>> inputs_for(lambda ranks, *, size_bytes: ranks * size_bytes)(4, 8)
    {'ranks': 4, 'size_bytes': 8}
    """
    names = tuple(inspect.signature(solution).parameters)

    def made(*values: Any) -> Inputs:
        if len(values) != len(names):
            raise ValueError(f"values must be {len(names)}, {', '.join(names)}, got {len(values)}: {values}")
        return dict(zip(names, values, strict=True))

    return made


def parts(*names: str) -> Callable[..., Observation]:
    """Return what observes each entry of a tuple by a name of its own.

    >>> parts("lower end", "upper end")(lambda middle: (middle - 1, middle + 1), middle=5)
    {'lower end': 4, 'upper end': 6}
    """

    def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
        return dict(zip(names, function(**inputs), strict=True))

    return observe
