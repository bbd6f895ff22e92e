"""Which files of a submission were changed after the deadline, as far as anything says when they were."""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from grader.answer_files import MOST_BYTES, UNREADABLE_ZIP
from grader.cleaning import shown_name

_UNIX_TIMES = 0x5455  # an extra field of a zip's entry: seconds since 1970, which need no time zone
_LAST_S = datetime(9999, 1, 1, tzinfo=UTC).timestamp()  # a file system knows later times, Python does not
_NO_TIME = (1980, 1, 1, 0, 0)  # where a zip's times begin: what its entries have where nobody said when


@dataclass(frozen=True)
class Change:
    """When a file of a submission was changed last.

    Attributes:
        file: the file, inside its zip if it is in one, as text for a person.
        when: the time, with its offset.
        said_by: who says so: the ``file system``, or the ``zip``.
    """

    file: str
    when: datetime
    said_by: str


def late_changes(submission: Path, deadline: datetime) -> list[Change]:
    """Return the changes of a submission's answers after a deadline, the last one first."""
    zone = deadline.tzinfo
    assert zone
    found = {change for path in files_of(submission) for change in _changes(path, submission, zone)}
    late = (change for change in found if change.when > deadline)
    return sorted(late, key=lambda change: (change.when, change.file), reverse=True)


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


def _changes(path: Path, submission: Path, zone: tzinfo) -> list[Change]:
    """Return when a file was changed; of a zip, the files in it, for its own time is that of a download."""
    name = shown_name(str(path.relative_to(submission.parent)))
    try:
        status = path.lstat()
    except OSError:  # it is gone
        return []
    own = Change(name, datetime.fromtimestamp(min(max(status.st_mtime, 0), _LAST_S), zone), "file system")
    if path.suffix != ".zip" or not stat.S_ISREG(status.st_mode) or status.st_size > 8 * MOST_BYTES:
        return [own]
    try:
        with zipfile.ZipFile(path) as packed:
            entries = [entry for entry in packed.infolist() if _is_answer(entry.filename)]
    except UNREADABLE_ZIP:
        return [own]
    times = [(entry.filename, _time_in(entry, zone)) for entry in entries]
    return [Change(f"{name}/{shown_name(file)}", when, "zip") if when else own for file, when in times] or [own]


def _is_answer(name: str) -> bool:
    return name.endswith(".py") and not name.startswith("__MACOSX/")


def _time_in(entry: zipfile.ZipInfo, zone: tzinfo) -> datetime | None:
    """Return when an entry of a zip was changed, if it says so: without its zone as a rule, and then in the given."""
    with contextlib.suppress(struct.error, ValueError, OverflowError):
        at = 0
        while at + 4 <= len(entry.extra):
            kind, length = struct.unpack_from("<HH", entry.extra, at)
            if kind == _UNIX_TIMES and length >= 5 and entry.extra[at + 4] & 1:
                return datetime.fromtimestamp(struct.unpack_from("<i", entry.extra, at + 5)[0], zone)
            at += 4 + length
    with contextlib.suppress(ValueError):  # a 13th month
        return datetime(*entry.date_time, tzinfo=zone) if entry.date_time[:5] != _NO_TIME else None
    return None
