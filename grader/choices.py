"""How a choice is judged of which several may be right: a design that keeps its limits, or ``None`` where none does.

All right choices of an input show the same, so that whichever an answer finds is compared with whichever the oracle
found; a wrong one shows what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.exercise import Inputs, Observation


@dataclass(frozen=True)
class Choice:
    """What an exercise is declared with whose answer is such a choice: ``expected`` and ``observe``.

    Attributes:
        name: what the observation is called, ``design``.
        right: from an input to what each right choice shows, ``None`` where nothing can be chosen.
        wrong: from a choice that is not ``None``, and the input, to what is wrong with it; ``""`` if it is right.
        none: what is shown for ``None`` where it is right.
    """

    name: str
    right: Callable[..., str | None]
    wrong: Callable[..., str]
    none: str | None = None

    def expected(self, **inputs: Any) -> Observation:
        """Return what a right answer shows."""
        right = self.right(**inputs)
        return {self.name: self.none if right is None else right}

    def observe(self, function: Callable[..., Any], **inputs: Any) -> Observation:
        """Return what an answer's choice shows."""
        chosen = function(**inputs)
        if chosen is None:  # without the reason, which is wrong where there is a choice
            return {self.name: self.none if self.right(**inputs) is None else None}
        if wrong := self.wrong(chosen, **inputs):
            return {self.name: wrong}
        return self.expected(**inputs)


def mistaken_rules(
    expected: Callable[..., Observation], observe: Callable[..., Observation]
) -> Callable[..., Callable[..., bool]]:
    """Return what makes mistaken rules (``Mistake.accepts``) out of the right one, which ``expected`` and ``observe``
    are: whoever makes the mistake chooses as if the inputs were others, or writes a choice in another way.

    >>> at_most = lambda chosen, most: "kept" if chosen <= most else "broken"
    >>> as_if = mistaken_rules(lambda **_: {"limit": "kept"}, lambda f, most: {"limit": at_most(f(most=most), most)})
    >>> as_if(lambda given: {"most": 2 * given["most"]})(7, most=4)
    True
    >>> as_if(read=lambda chosen: chosen - 2)(7, most=4)
    False
    """

    def as_if(
        changed: Callable[[Inputs], Inputs] = lambda given: {}, *, read: Callable[[Any], Any] = lambda chosen: chosen
    ) -> Callable[..., bool]:
        def accepts(chosen: Any, **given: Any) -> bool:
            other = {**given, **changed(given)}
            return observe(lambda **_: read(chosen), **other) == expected(**other)

        return accepts

    return as_if
