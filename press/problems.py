"""A problem of the book: where it is and what is wrong. The build collects them and refuses the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that the build refuses.

    ``path`` is relative to the book's root, with forward slashes; ``line`` counts from 1.

    >>> print(Problem("chapters/background/a1.md", 12, "a figure without alt text"))
    chapters/background/a1.md:12: a figure without alt text
    """

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Refused(Exception):
    """What cannot be worked with at all; ``problems`` say where and why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = list(problems)


def line_of(text: str, needle: str, occurrence: int = 0) -> int:
    """Return the line (from 1) of ``text`` on which an occurrence (from 0) of ``needle`` starts; 1 if it has none.

    >>> line_of("a\\nb $x$\\nc $x$", "$x$", occurrence=1)
    3
    """
    position = -1
    for _ in range(occurrence + 1):
        found = text.find(needle, position + 1)
        if found < 0:
            break
        position = found
    return 1 if position < 0 else text.count("\n", 0, position) + 1
