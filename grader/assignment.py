"""A teacher's assignment: which exercises are asked, what they count, and until when."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from grader.catalogue import Chapter, find
from grader.exercise import Exercise

Asked = Sequence[tuple[Chapter, Exercise]]
DEADLINE = "deadline"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True)
class Assignment:
    """What is asked.

    Attributes:
        asked: the exercises with their weights, in the file's order.
        deadline: until when, if the file says so.
    """

    asked: Asked
    deadline: datetime | None = None


def assigned(path: Path, home: Path) -> Assignment:
    """Read a file that names exercises, one a line, each with the weight behind it or its own; # is a comment.

    A line ``deadline 2026-12-01T18:00+01:00`` says until when.

    Raises:
        ValueError: a line names no exercise, its weight is no number of at least 0, a deadline is no time with its
            offset from UTC or stands there twice, or no line names an exercise.
    """
    asked, deadline = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        name, *rest = line.partition("#")[0].split() or [""]
        try:
            if name == DEADLINE:
                deadline = _deadline(" ".join(rest), deadline)
            elif name:
                asked.append(_exercise(name, rest, home))
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}:{number}: {error.args[0]}") from None
    if not asked:
        raise ValueError(f"{path} names no exercise")
    return Assignment(asked, deadline)


def _exercise(name: str, rest: Sequence[str], home: Path) -> tuple[Chapter, Exercise]:
    chapter, exercise = find(name, home)
    if len(rest) > 1:
        raise ValueError(f"a line must have an exercise and at most its weight, got {' '.join([name, *rest])!r}")
    return chapter, dataclasses.replace(exercise, weight=_weight(rest[0])) if rest else exercise


def _weight(text: str) -> float:
    if not text.replace(".", "", 1).isdigit():
        raise ValueError(f"a weight must be a number of at least 0, got {text!r}")
    return float(text)


def _deadline(text: str, before: datetime | None) -> datetime:
    if before:
        raise ValueError(f"a deadline must stand there once, got {text!r} besides {before.isoformat()!r}")
    try:
        deadline = datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:  # a 13th month
        deadline = None
    if deadline is None:
        raise ValueError(f"a deadline must be a time with its offset, as in 2026-12-01T18:00+01:00, got {text!r}")
    return deadline


def due(deadline: datetime, now: datetime) -> str:
    """Say when something is due, and how long that is from now or ago.

    >>> noon = datetime.fromisoformat("2026-12-01T12:00+01:00")
    >>> due(noon, noon - timedelta(days=2, hours=3)), due(noon, noon + timedelta(minutes=50))
    ('2026-12-01 12:00+01:00, in 2 days 3 hours', '2026-12-01 12:00+01:00, 50 minutes ago')
    """
    words = span(abs(deadline - now))
    return f"{deadline.isoformat(' ', 'minutes')}, {f'in {words}' if deadline >= now else f'{words} ago'}"


def span(time: timedelta) -> str:
    """Say how long a time of at least 0 is, in its two largest units.

    >>> span(timedelta(days=1, minutes=5)), span(timedelta(seconds=59))
    ('1 day', '0 minutes')
    """
    hours, minutes = time.seconds // 3600, time.seconds // 60 % 60
    parts = [(time.days, "day"), (hours, "hour")] if time.days else [(hours, "hour"), (minutes, "minute")]
    return " ".join(f"{count} {unit}{'s' if count > 1 else ''}" for count, unit in parts if count) or "0 minutes"
