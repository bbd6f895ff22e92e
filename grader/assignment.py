"""A teacher's assignment: which exercises are asked, what they count, and until when."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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

    >>> from datetime import timedelta
    >>> noon = datetime.fromisoformat("2026-12-01T12:00+01:00")
    >>> due(noon, noon - timedelta(days=2, hours=3)), due(noon, noon + timedelta(minutes=50))
    ('2026-12-01 12:00+01:00, in 2 days 3 hours', '2026-12-01 12:00+01:00, 50 minutes ago')
    """
    away = abs(deadline - now)
    hours, minutes = away.seconds // 3600, away.seconds // 60 % 60
    parts = [(away.days, "day"), (hours, "hour")] if away.days else [(hours, "hour"), (minutes, "minute")]
    words = " ".join(f"{count} {unit}{'s' if count > 1 else ''}" for count, unit in parts if count) or "0 minutes"
    return f"{deadline.isoformat(' ', 'minutes')}, {f'in {words}' if deadline >= now else f'{words} ago'}"


def last_change(submission: Path) -> float:
    """Return when the newest file of a submission was changed, in seconds since 1970, as its file system tells it."""
    files = [path for path in files_of(submission) if path.is_file() or path.is_symlink()]
    return max((path.lstat().st_mtime for path in files), default=time.time())


def files_of(submission: Path) -> list[Path]:
    """Return what a submission may have answers in: its Python files and zips, or itself; links are not followed."""
    if submission.is_symlink() or not submission.is_dir():
        return [submission]
    found, folders = [], [submission]
    while folders:
        with contextlib.suppress(OSError):  # a folder that may not be read, or lies too deep
            for entry in os.scandir(folders.pop()):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry))
                elif entry.name.endswith((".py", ".zip")):
                    found.append(Path(entry))
    return found
