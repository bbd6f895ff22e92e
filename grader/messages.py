"""What a reader is told: plain sentences, 80 columns, the first words of a line saying what it is about."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from grader.catalogue import Chapter
from grader.exercise import Exercise
from grader.judging import Verdict

WIDTH = 80
_LABEL = 10


@dataclass(frozen=True)
class Result:
    """What became of one exercise, and in how many seconds."""

    chapter: Chapter
    exercise: Exercise
    verdict: Verdict
    seconds: float = 0.0


def message(result: Result, *, everything: bool = False, commands: bool = True) -> str:
    """Return what a reader is told of one result.

    Args:
        result: the result.
        everything: whether a wrong answer's traceback and what it printed are told too, as ``pytest -v`` does.
        commands: whether the reader sits at a terminal and can be told what to type.
    """
    if result.verdict.status == "wrong":
        return failure(result, everything=everything, commands=commands)
    return solved(result.exercise) if result.verdict.status == "solved" else still_open(result)


def solved(exercise: Exercise) -> str:
    """Say that an exercise is solved, and what its own numbers teach."""
    return "\n".join([labelled("solved", exercise.name), *([taught(exercise)] if exercise.taught else [])])


def taught(exercise: Exercise) -> str:
    """Return what an exercise's own numbers come to and teach, ``""`` where it says nothing of them."""
    return labelled("numbers", exercise.taught()) if exercise.taught else ""


def failure(result: Result, *, everything: bool = False, commands: bool = True) -> str:
    """Say in this order: what was asked, the input, expected and got, what is known of the mistake, and the rest."""
    verdict, name = result.verdict, result.exercise.name
    lines = [
        labelled("asked", verdict.asked),
        labelled("input", verdict.given or "none in particular"),
        labelled("expected", verdict.expected),
        labelled("got", verdict.got),
        labelled(*_known(verdict)),
    ]
    if commands:
        lines += [labelled("again", result.chapter.again(name))]
        lines += [labelled("hint", f"{result.chapter.runner} --hint {name}")] if everything else []
    if everything:
        lines += [f"\nTraceback of the answer:\n{verdict.trace}"] if verdict.trace else []
        lines += [f"\nPrinted by the answer, at most 4000 characters:\n{verdict.printed}"] if verdict.printed else []
    return "\n".join(lines)


def _known(verdict: Verdict) -> tuple[str, str]:
    """Return what is known of a mistake: its name, or what is true of the answer over all inputs."""
    if verdict.mistake:
        return "mistake", f"{verdict.says} ({verdict.mistake})"
    return ("over all", verdict.pattern) if verdict.pattern else ("mistake", "none of those that we know")


def still_open(result: Result) -> str:
    """Say where an exercise that nobody tried is to be written."""
    return labelled("open", f"{result.exercise.name}: {result.exercise.asked}")


def labelled(label: str, text: str) -> str:
    """Return a label and a text, broken at 80 columns with the text in a column of its own.

    >>> labelled("got", "2 bytes")
    'got:      2 bytes'
    """
    return textwrap.fill(
        text, WIDTH, initial_indent=f"{label + ':':<{_LABEL}}", subsequent_indent=" " * _LABEL, break_on_hyphens=False
    )
