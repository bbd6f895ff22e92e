"""The board: chapter by chapter what is solved, tried and open, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.catalogue import Chapter
from grader.messages import Result, labelled

IsOpen = Callable[[Chapter, str], bool]


def board(results: Sequence[Result], *, is_open: IsOpen = lambda chapter, name: False) -> list[tuple[str, str]]:
    """Return the lines of the board, each with the colour that may, and need not, be added to it.

    Args:
        results: what was graded.
        is_open: whether nobody has written an answer to an exercise that was not graded.
    """
    lines = [(f"Exercises: {_counts(results)}.", "")]
    chapters = sorted({result.chapter.address: result.chapter for result in results}.values(), key=_place)
    for chapter in chapters:
        mine = [result for result in results if result.chapter.address == chapter.address]
        statuses = {result.verdict.status for result in mine}
        colour = "red" if "wrong" in statuses else "green" if statuses == {"solved"} else ""
        lines += [("", ""), (chapter.title, "bold"), (f"  {_counts(mine)}", colour), (f"  {chapter.command}", "")]
        lines += [(f"  {chapter.page}", "")] if chapter.page else []
        lines += [(f"  {_line(result)}", _COLOURS[result.verdict.status]) for result in sorted(mine, key=_number)]
    return [*lines, ("", ""), *((line, "") for line in _next(results, chapters, is_open))]


_WORDS = {"solved": "solved", "wrong": "tried ", "open": "open  "}
_COLOURS = {"solved": "green", "wrong": "red", "open": ""}


def _line(result: Result) -> str:
    return f"{_WORDS[result.verdict.status]}  {result.exercise.number}. {result.exercise.name}"


def _counts(results: Sequence[Result]) -> str:
    count = {status: sum(result.verdict.status == status for result in results) for status in _WORDS}
    return f"{count['solved']} of {len(results)} solved, {count['wrong']} tried, {count['open']} open"


def _place(chapter: Chapter) -> tuple[str, str]:
    return chapter.page.rpartition("/")[2], chapter.address


def _number(result: Result) -> int:
    return result.exercise.number


def _next(results: Sequence[Result], chapters: Sequence[Chapter], is_open: IsOpen) -> list[str]:
    """Return which exercise to try: the first that was tried and fails, or else the first that is open."""
    ordered = sorted(results, key=lambda result: (_place(result.chapter), result.exercise.number))
    wanted = [r for r in ordered if r.verdict.status == "wrong"] + [r for r in ordered if r.verdict.status == "open"]
    if not wanted:
        return _left(results, chapters, is_open)
    chapter, exercise = wanted[0].chapter, wanted[0].exercise
    return [
        labelled("next", f"{exercise.name} ({chapter.title}, exercise {exercise.number}): {exercise.asked}"),
        labelled("write", f"answers/{chapter.address}/{exercise.name}.py"),
        *([labelled("read", chapter.page)] if chapter.page else []),
        labelled("grade", chapter.again(exercise.name)),
        *([labelled("stuck?", f"{chapter.runner} --hint {exercise.name}")] if chapter.hints(exercise.name) else []),
    ]


def _left(results: Sequence[Result], chapters: Sequence[Chapter], is_open: IsOpen) -> list[str]:
    """Return what is open besides what was graded, all of which is solved."""
    graded = {result.exercise.name for result in results}
    lines = []
    for chapter in chapters:
        if names := [name for name in chapter.exercises if name not in graded and is_open(chapter, name)]:
            lines.append(labelled("open", f"{', '.join(names)} ({chapter.title}): {chapter.command}"))
    return lines or ["Next: nothing is left here. pytest exercises shows the other chapters."]
