"""Options of pytest that would mark wrongly in silence are refused before anything is graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_exercises
from small_exercises import RIGHT_SHARE, answer, pytest_run, write

from grader.confining import Limits

REFUSED = {
    "--time-limit=nan": "argument --time-limit: must be a number of seconds from 0.1 to 86400, got 'nan'",
    "--time-limit=0": "argument --time-limit: must be a number of seconds from 0.1 to 86400, got '0'",
    "--memory-limit=0": "argument --memory-limit: must be a number of GiB from 0.0625 to 1024, got '0'",
    "--memory-limit=1e30": "argument --memory-limit: must be a number of GiB from 0.0625 to 1024, got '1e30'",
    "--submission=": "argument --submission: must be the name of a file or a folder, got ''",
    "--assignment=": "argument --assignment: must be the name of a file or a folder, got ''",
    "--report=": "argument --report: must be the name of a file or a folder, got ''",
    "--input-seed=-1": "argument --input-seed: must be a whole number from 0, of at most 18 digits, got '-1'",
    "--submission=link": "--submission must not be a link, got link: name what it leads to",
}


@pytest.mark.book
@pytest.mark.parametrize("option", REFUSED)
def test_an_option_that_would_mark_wrongly_is_refused(option: str, tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path)
    answer(home, RIGHT_SHARE)
    (tmp_path / "link").symlink_to(write(tmp_path / "ada" / "bubble_share.py", RIGHT_SHARE).parent)
    run = pytest_run(home, str(home), option)
    assert run.returncode == 4
    assert REFUSED[option] in " ".join(run.stderr.split())
    assert "solved" not in run.stdout


@pytest.mark.book
def test_a_seed_stands_in_the_report(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path)
    answer(home, RIGHT_SHARE)
    run = pytest_run(home, str(home), "-k", "bubble_share", "--input-seed", "5", "--report", str(tmp_path / "r.json"))
    assert run.returncode == 0, run.stdout
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["input_seed"] == 5


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"time_s": float("nan")}, "time_s must be from 0.1 to 86400, got nan"),
        ({"time_s": 0}, "time_s must be from 0.1 to 86400, got 0"),
        ({"memory_bytes": 0}, "memory_bytes must be from 67108864 to 1099511627776, got 0"),
    ],
)
def test_limits_that_no_right_answer_could_keep_are_refused(limits: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Limits(**limits)  # type: ignore[arg-type]
