"""Hints, one step at a time, as the chapter has them."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from grader.answer_files import answers_of
from grader.catalogue import Chapter
from grader.exercise import Exercise
from grader.messages import labelled
from grader.whole_files import write_whole

STATE = ".hints.json"
_WHERE = re.compile(r"\s*\(?\[where to read\]\(([^)]*)\)\)?")


def next_hint(chapter: Chapter, exercise: Exercise) -> str:
    """Return the next hint, the last one again and again; which is next is kept beside the answers."""
    hints = chapter.hints(exercise.name)
    if not hints:
        return f"{exercise.name} has no hints."
    given = _given(chapter)
    level = min(max(0, given.get(exercise.name, 0)), len(hints) - 1)
    state = answers_of(chapter) / STATE
    write_whole(state, json.dumps({**given, exercise.name: level + 1}, indent=1))
    more = "" if level + 1 < len(hints) else " This is the last one."
    number = f"Hint {level + 1} of {len(hints)} to exercise {exercise.number}, {exercise.name}.{more}"
    text, place = plain_hint(hints[level], chapter.page)
    return "\n".join([number, labelled("hint", text), *([labelled("read", place)] if place else [])])


def plain_hint(markdown: str, page: str) -> tuple[str, str]:
    r"""Return a hint as text, and where to read more.

    >>> plain_hint(r"Divide bucket\_bytes. ([where to read](#what-it-costs))", "chapters/a/5-alpha.md")
    ('Divide bucket_bytes.', 'chapters/a/5-alpha.md#what-it-costs')
    """
    where = _WHERE.search(markdown)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", _WHERE.sub("", markdown))
    text = html.unescape(re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", " ".join(text.split())))
    target = where[1] if where else ""
    return text, f"{page}{target}" if target.startswith("#") else target and f"{Path(page).parent.as_posix()}/{target}"


def _given(chapter: Chapter) -> dict[str, int]:
    """Return how many hints were given to each exercise; a file that somebody broke counts as none."""
    try:
        given = json.loads((answers_of(chapter) / STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: number for name, number in given.items() if type(number) is int} if type(given) is dict else {}
