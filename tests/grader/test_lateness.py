"""When a submission's files were changed: as the file system says, and of what is in a zip as the zip says."""

from __future__ import annotations

import os
import struct
import time
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_exercises import write

from grader.lateness import late_changes

DEADLINE = datetime.fromisoformat("2026-12-01T18:00+01:00")


def packed(path: Path, *entries: zipfile.ZipInfo) -> Path:
    with zipfile.ZipFile(path, "w") as files:
        for entry in entries:
            files.writestr(entry, "")
    return path


def entry(name: str, *when: int, utc: str = "") -> zipfile.ZipInfo:
    """Return a zip's entry with its time, which has no zone, and where it is given with the one that needs none."""
    year, month, day, hour, minute, second = [*(when or (1980, 1, 1)), 0, 0, 0][:6]
    made = zipfile.ZipInfo(name, (year, month, day, hour, minute, second))
    if utc:
        made.extra = struct.pack("<HHBi", 0x5455, 5, 1, int(datetime.fromisoformat(utc).timestamp()))
    return made


def late(path: Path) -> list[tuple[str, str]]:
    return [(change.file, change.when.isoformat()) for change in late_changes(path, DEADLINE)]


def test_a_submission_is_as_late_as_its_newest_answer(tmp_path: Path) -> None:
    after = DEADLINE.timestamp() + 60
    for name, seconds in {"ada/a.py": after, "ada/b.py": after + 60, "ada/c.py": 0, "ada/notes.txt": after}.items():
        os.utime(write(tmp_path / name, ""), (seconds, seconds))
    assert late(tmp_path / "ada") == [
        ("ada/b.py", "2026-12-01T18:02:00+01:00"),
        ("ada/a.py", "2026-12-01T18:01:00+01:00"),
    ]


def test_files_in_a_zip_are_told_apart_by_their_times_there(tmp_path: Path) -> None:
    """Its own time is that of a download, and counts only for what says nothing."""
    before, after = entry("m/a.py", 2026, 12, 1, 17, 59, 58), entry("m/b.py", 2026, 12, 1, 18, 0, 2)
    path = packed(
        tmp_path / "ada.zip", before, after, entry("__MACOSX/m/._b.py", 2027, 1, 1), entry("n.txt", 2027, 1, 1)
    )
    os.utime(path, (DEADLINE.timestamp() + 9000,) * 2)
    assert late(path) == [("ada.zip/m/b.py", "2026-12-01T18:00:02+01:00")]
    within = tmp_path / "bo" / "answers.zip"
    within.parent.mkdir()
    path.rename(within)
    assert late(tmp_path / "bo") == [("bo/answers.zip/m/b.py", "2026-12-01T18:00:02+01:00")]


def test_a_time_with_its_zone_counts_before_one_without(tmp_path: Path) -> None:
    """A student elsewhere packs at 17:30 by the teacher's clock, which is 12:30 or 23:30 by theirs."""
    for hour, day in ((12, 1), (0, 2)):
        path = packed(tmp_path / "ada.zip", entry("a.py", 2026, 12, day, hour, 30, utc="2026-12-01T16:30+00:00"))
        assert late(path) == []
    assert late(packed(tmp_path / "bo.zip", entry("a.py", 2026, 12, 1, 12, 30, utc="2026-12-01T17:30+00:00")))


@pytest.mark.parametrize(
    "odd",
    [
        entry("a.py"),
        entry("a.py", 2026, 0, 0),
        entry("a.py", 2026, 15, 31),
        entry("a.py", 2026, 12, 1, 31, 63, 62),
    ],
    ids=["none", "month 0", "month 15", "hour 31"],
)
def test_a_zip_that_says_no_time_has_that_of_its_file(tmp_path: Path, odd: zipfile.ZipInfo) -> None:
    path = packed(tmp_path / "ada.zip", odd, entry("b.py"))
    for minutes, expected in ((-1, []), (1, [("ada.zip", "2026-12-01T18:01:00+01:00")])):
        os.utime(path, ((DEADLINE + timedelta(minutes=minutes)).timestamp(),) * 2)
        assert late(path) == expected


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + b"\0" * 17, b"no zip", b"PK\x03\x04" * 99])
def test_what_is_no_zip_has_the_time_of_its_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ada.zip"
    path.write_bytes(content)
    os.utime(path, (DEADLINE.timestamp() + 60,) * 2)
    assert late(path) == [("ada.zip", "2026-12-01T18:01:00+01:00")]


def test_a_time_that_python_does_not_know_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "ada.py", "")
    status = SimpleNamespace(st_mtime=2.0**45, st_mode=path.stat().st_mode, st_size=0)  # as some file systems keep it
    monkeypatch.setattr(Path, "lstat", lambda _: status)
    assert [change.when.year for change in late_changes(path, DEADLINE)] == [9999]


def test_fields_without_end_take_no_time(tmp_path: Path) -> None:
    entries = [entry(f"{number}.py", 2027, 1, 1) for number in range(20)]
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as files:
        for one in entries:
            files.writestr(one, "")
        for one in files.filelist:
            one.extra = struct.pack("<HH", 0x5455, 0) * 16_000
    began = time.monotonic()
    assert len(late(tmp_path / "ada.zip")) == 20
    assert time.monotonic() - began < 5
