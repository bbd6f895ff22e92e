"""A directory of submissions: graded side by side, never twice, and whatever one of them is or does."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import small_exercises
from small_exercises import RIGHT_DOUBLE, RIGHT_SHARE, write

from grader import classroom, grading
from grader.classroom import find_submissions, main
from grader.judging import Verdict
from grader.messages import Result

pytestmark = pytest.mark.book

SLOW = "import time\ntime.sleep(0.15)\n"
RIGHT = RIGHT_SHARE + RIGHT_DOUBLE


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Twelve submissions, each a file, of which every third is right."""
    for number in range(12):
        wrong = "" if number % 3 == 0 else "\n\ndef double(*, values):\n    return [value**2 for value in values]\n"
        write(tmp_path / "handed-in" / f"student-{number:02}.py", SLOW + RIGHT + wrong)
    return tmp_path


def command(course: Path, home: Path) -> list[str]:
    places = [str(course / "handed-in"), "--out", str(course / "results"), "--exercises", str(home)]
    return [*places, "--jobs", "2", "--chapter", "flow/pipes"]


def graded(course: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (course / "results").glob("student-*.json")}


def rows_of(course: Path) -> list[dict[str, str]]:
    with (course / "results" / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_a_run_that_is_killed_loses_no_finished_result(course: Path) -> None:
    home = small_exercises.make(course)
    run_it = [sys.executable, "-m", "grader.classroom", *command(course, home)]
    environment = {**os.environ, "PYTHONPATH": str(small_exercises.ROOT)}
    run = subprocess.Popen(
        run_it, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 60
    while len(graded(course)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = graded(course)
    assert 4 <= len(before) < 12
    assert len(rows_of(course)) >= len(before) - 1  # results are written as they come
    done = subprocess.run(run_it, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"{len(before)} of 12 submissions have their results already" in done.stderr
    assert "12 of 12 graded" in done.stderr
    after = graded(course)
    assert len(after) == 12
    assert {name: after[name] for name in before} == before
    rows = rows_of(course)
    assert [row["flow/pipes/double"] for row in rows] == ["solved", "wrong", "wrong"] * 4
    assert [row["flow/pipes/double mistake"] for row in rows] == ["", "squares", "squares"] * 4
    assert [float(row["score"]) for row in rows] == [3.0, 1.0, 1.0] * 4


def test_what_has_changed_is_graded_again(course: Path) -> None:
    home = small_exercises.make(course, "changed")
    for path in sorted((course / "handed-in").iterdir())[2:]:
        path.unlink()
    assert main(command(course, home)) == 0
    before = graded(course)
    write(course / "handed-in" / "student-01.py", RIGHT)
    assert main(command(course, home)) == 0
    after = graded(course)
    assert after["student-00.py.json"] == before["student-00.py.json"]
    assert after["student-01.py.json"] != before["student-01.py.json"]
    assert [row["score"] for row in rows_of(course)] == ["3.0", "3.0"]
    write(home / "flow" / "pipes" / "common.py", "# what a helper of the exercises' own holds\n")
    assert main(command(course, home)) == 0
    assert all(when != after[name] for name, when in graded(course).items())


ATTACKS = {
    "kills-upwards": "import os\nos.kill(os.getppid(), 9)\n",
    "stops-itself": "import os, signal\nsignal.raise_signal(signal.SIGSTOP)\n",
    "lowers-limits": "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_AS, (1, 1))\n",
    "says-nonsense": "raise ValueError('\\ud800\\x1b[2J')\n",
}


def test_no_submission_ends_a_run_or_costs_another_a_point(tmp_path: Path) -> None:
    home, handed_in = small_exercises.make(tmp_path, "attacked"), tmp_path / "handed-in"
    for name, attack in ATTACKS.items():
        write(handed_in / f"{name}.py", attack + RIGHT)
    (handed_in / ".#x.py").symlink_to("nowhere")
    (handed_in / "dangling.py").symlink_to("nowhere")
    (handed_in / "helpers.py").mkdir()
    os.mkfifo(handed_in / "pipe.py")
    write(handed_in / f"{'long' * 62}.py", RIGHT)
    write(handed_in / "=formula.py", RIGHT)
    Path(os.fsdecode(os.fsencode(handed_in) + b"/caf\xe9.py")).write_text(RIGHT, encoding="utf-8")
    write(handed_in / "a.py", RIGHT)
    write(handed_in / "z" / "flow" / "pipes" / "double.py", RIGHT)
    assert main([*command(tmp_path, home), "--time-limit", "2"]) == 0
    rows = {row["submission"]: (row["flow/pipes/bubble_share"], row["flow/pipes/double"]) for row in rows_of(tmp_path)}
    solved, wrong, untried = ("solved", "solved"), ("wrong", "wrong"), ("open", "open")
    assert rows == {
        **{f"{name}.py": wrong for name in ATTACKS},
        "dangling.py": wrong,
        "helpers.py": untried,
        "pipe.py": wrong,
        "z": ("open", "solved"),
        **dict.fromkeys([f"{'long' * 62}.py", "'=formula.py", "caf?.py", "a.py"], solved),
    }
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "results").glob("*.json")]
    assert len(texts) == len(rows)
    assert not any("\x1b" in text for text in texts)


def test_a_judge_that_ends_or_hangs_costs_one_exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an answer could bring it about that nothing else holds back."""
    home = small_exercises.make(tmp_path, "hanging")
    for name in ("ends", "hangs", "is-right"):
        write(tmp_path / "handed-in" / f"{name}.py", RIGHT)

    def grade(sandbox: Any, chapter: Any, exercise: Any, written: Any) -> Result:
        file = written().file
        if exercise.name == "bubble_share" and file == "ends.py":
            os._exit(1)
        if exercise.name == "bubble_share" and file == "hangs.py":
            time.sleep(600)
        return Result(chapter, exercise, Verdict("solved"))

    monkeypatch.setattr(classroom, "grade", grade)
    monkeypatch.setattr(classroom, "JUDGING_S", 0.0)
    monkeypatch.setattr(classroom, "START_S", 0.0)
    assert main([*command(tmp_path, home), "--time-limit", "2"]) == 0
    rows = [(row["flow/pipes/bubble_share"], row["flow/pipes/double"]) for row in rows_of(tmp_path)]
    assert rows == [("wrong", "solved"), ("wrong", "solved"), ("solved", "solved")]
    report = json.loads((tmp_path / "results" / "hangs.py.json").read_text(encoding="utf-8"))
    assert "had to be ended" in report["exercises"][0]["got"]
    assert grading.grade is not grade


def test_an_assignment_is_graded_alone(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "assigned")
    write(tmp_path / "handed-in" / "ada.py", RIGHT)
    options = ["--assignment", str(write(tmp_path / "week.txt", "double 4\ntwice\n"))]
    assert main([*command(tmp_path, home)[:-2], *options]) == 0
    (row,) = rows_of(tmp_path)
    assert [value for key, value in row.items() if "mistake" not in key] == ["ada.py", "4.0", "6.0", "solved", "open"]


def test_who_was_late_stands_in_the_table(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "due")
    for name, when in (("ada.py", "2026-11-30T09:00+00:00"), ("bo.py", "2026-12-01T17:01+00:00")):
        seconds = datetime.fromisoformat(when).timestamp()
        os.utime(write(tmp_path / "handed-in" / name, RIGHT), (seconds, seconds))
    week = write(tmp_path / "week.txt", "deadline 2026-12-01T18:00+01:00\ndouble\n")
    asked = [*command(tmp_path, home)[:-2], "--assignment", str(week)]
    assert main(asked) == 0
    assert [row["late"] for row in rows_of(tmp_path)] == ["", "late"]
    write(week, "deadline 2026-12-02T18:00+01:00\ndouble\n")  # extended: what is graded is not graded again
    assert main(asked) == 0
    assert [row["late"] for row in rows_of(tmp_path)] == ["", ""]
    write(week, "double\n")
    assert main(asked) == 0
    assert "late" not in rows_of(tmp_path)[0]


def test_wrong_answers_stand_in_groups_by_what_they_do(tmp_path: Path) -> None:
    home = small_exercises.make(tmp_path, "grouped")
    bodies = {
        "ada": "[value**2 for value in values]",
        "bo": "[value * value for value in values]",
        "cy": "[7, 7] if values == [3] else [2 * value for value in values]",
        "di": "[7] + [7] if values == [3] else [value + value for value in values]",
        "ed": "[1] if values == [3] else [2 * value for value in values]",
        "flo": "[2 * value for value in values]",
        "=gus": "[value * value for value in values]",
    }
    for name, body in bodies.items():
        write(tmp_path / "handed-in" / f"{name}.py", f"def double(*, values):\n    return {body}\n")
    options = ["--assignment", str(write(tmp_path / "week.txt", "double\ntwice\n"))]
    assert main([*command(tmp_path, home)[:-2], *options]) == 0
    with (tmp_path / "results" / "mistakes.csv").open(encoding="utf-8", newline="") as file:
        groups = list(csv.DictReader(file))
    assert {(row["exercise"], row["tried"]) for row in groups} == {("flow/pipes/double", "7")}
    found = [(row["answers"], row["known mistake"], row["got"], row["submissions"]) for row in groups]
    assert found[0] == ("3", "squares", found[0][2], "'=gus.py ada.py bo.py")
    assert sorted(found[1:]) == [("1", "", "[1]", "ed.py"), ("2", "", "[7, 7]", "cy.py di.py")]


def test_what_is_no_submission_is_left_out_and_said(tmp_path: Path) -> None:
    for name in ("ada.py", "notes.txt", ".hidden.py", "eve.zip"):
        write(tmp_path / name, "")
    (tmp_path / "bob").mkdir()
    said: list[str] = []
    assert [path.name for path in find_submissions(tmp_path, said.append)] == ["ada.py", "bob", "eve.zip"]
    assert said == ["notes.txt is left out: no Python file, zip or directory\n"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no directory nowhere"),
        ([".", "--chapter", "flow/rivers"], "no chapter flow/rivers"),
        ([".", "--assignment", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_a_wrong_argument_is_told(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in capsys.readouterr().err
