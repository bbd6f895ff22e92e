"""A file is there as a whole or as it was, however its writing ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from full_disk import FullAfter

from grader.whole_files import whole_file, write_whole


def test_a_file_is_written_with_the_folders_that_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "a/b/c.txt"
    for text in ("one", "a longer one", "α"):
        write_whole(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert [file.name for file in path.parent.iterdir()] == ["c.txt"]


@pytest.mark.parametrize("before", [None, "as it was"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_ends_the_writing_leaves_the_file_as_it_was(
    tmp_path: Path, before: str | None, error: type[BaseException]
) -> None:
    path = tmp_path / "a.txt"
    if before:
        path.write_text(before)

    def begin() -> None:
        with whole_file(path) as draft:
            draft.write_text("the half of it")
            raise error

    with pytest.raises(error):
        begin()
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == ({"a.txt": before} if before else {})


@pytest.mark.parametrize("before", [None, "as it was"])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, before: str | None, full_after: FullAfter) -> None:
    path = tmp_path / "a.txt"
    if before:
        path.write_text(before)
    with full_after(1_000), pytest.raises(OSError, match="File too large"):
        write_whole(path, "x" * 5_000)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == ({"a.txt": before} if before else {})


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    write_whole(Path("/dev/null"), "x")
    assert not Path("/dev/null").is_file()
