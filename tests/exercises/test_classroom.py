"""A directory of submissions: graded side by side, and never twice, however often the run is killed."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_exercises

from exercises.classroom import find_submissions, main

pytestmark = pytest.mark.book

SLOW = "import time\ntime.sleep(0.15)\n"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Twelve submissions, each a file, of which every third is right."""
    (tmp_path / "handed-in").mkdir()
    for number in range(12):
        wrong = "" if number % 3 == 0 else "\n\ndef double(*, values):\n    return values\n"
        path = tmp_path / "handed-in" / f"student-{number:02}.py"
        path.write_text(SLOW + small_exercises.SOLUTION + wrong, encoding="utf-8")
    return tmp_path


def command(course: Path) -> list[str]:
    places = [str(course / "handed-in"), "--out", str(course / "results"), "--exercises", str(course / "exercises")]
    return [*places, "--jobs", "2", "--chapter", "flow/pipes"]


def graded(course: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (course / "results").glob("student-*.json")}


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_a_run_that_is_killed_loses_no_finished_result(course: Path) -> None:
    small_exercises.make(course)
    environment = {**os.environ, "PYTHONPATH": str(small_exercises.ROOT)}
    run = subprocess.Popen(
        [sys.executable, "-m", "exercises.classroom", *command(course)],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while len(graded(course)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    before = graded(course)
    assert 4 <= len(before) < 12
    done = subprocess.run(
        [sys.executable, "-m", "exercises.classroom", *command(course)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert f"{len(before)} of 12 submissions have their results already" in done.stderr
    assert "12 of 12 graded" in done.stderr
    after = graded(course)
    assert len(after) == 12
    assert {name: after[name] for name in before} == before
    with (course / "results" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["flow/pipes/double"] for row in rows] == ["solved", "wrong", "wrong"] * 4
    assert [float(row["score"]) for row in rows] == [3.0, 1.0, 1.0] * 4


def test_a_submission_that_changed_is_graded_again(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_exercises.make(course)
    for path in sorted((course / "handed-in").iterdir())[2:]:
        path.unlink()
    assert main(command(course)) == 0
    before = graded(course)
    late = course / "handed-in" / "student-01.py"
    late.write_text(small_exercises.SOLUTION, encoding="utf-8")
    assert main(command(course)) == 0
    after = graded(course)
    assert after["student-00.py.json"] == before["student-00.py.json"]
    assert after["student-01.py.json"] != before["student-01.py.json"]
    assert "student-01.py,3.0,3.0,solved,solved" in (course / "results" / "results.csv").read_text(encoding="utf-8")


def test_what_is_no_submission_is_left_out(tmp_path: Path) -> None:
    for name in ("ada.py", "notes.txt", ".hidden.py"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "bob").mkdir()
    assert [path.name for path in find_submissions(tmp_path)] == ["ada.py", "bob"]


def test_a_wrong_directory_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = small_exercises.make(tmp_path)
    with pytest.raises(SystemExit):
        main([str(tmp_path / "nowhere"), "--exercises", str(home)])
    assert "no directory" in capsys.readouterr().err
