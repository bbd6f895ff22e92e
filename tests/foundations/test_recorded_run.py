"""A recorded run is there as a whole or as it was, however its writing ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from full_disk import FullAfter

from snippets.foundations.recorded_run import read_run, write_run


def test_a_full_disk_leaves_the_run_as_it_was(tmp_path: Path, full_after: FullAfter) -> None:
    path = tmp_path / "run.json"
    write_run({"date": "2026-01-01"}, path)
    with full_after(1_000), pytest.raises(OSError, match="File too large"):
        write_run({"rows": [[1, 2]] * 500}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    assert read_run(path) == {"date": "2026-01-01"}


def test_a_device_is_written_to_and_stays_one() -> None:
    write_run({"date": "2026-01-01"}, Path("/dev/null"))
    assert not Path("/dev/null").is_file()
