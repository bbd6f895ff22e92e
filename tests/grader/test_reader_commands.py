"""What a reader sees of the graders: the board, messages, hints and solutions; and the files that they leave alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import small_exercises
from sampling import ROOT
from small_exercises import RIGHT_DOUBLE, RIGHT_SHARE, WRONG_SHARE, pytest_run, write

from grader.notebook import check

pytestmark = pytest.mark.book

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return small_exercises.make(tmp_path)


def screen(output: str) -> str:
    """Return what pytest prints between its header and its last line, which tells the time that it took."""
    lines = output.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("collected "))
    end = next(number for number, line in enumerate(lines) if line.startswith("=") and " in " in line)
    return "\n".join(
        line for line in lines[start:end] if "short test summary" not in line and "FAILED" not in line
    ).strip()


def test_the_screens_on_the_teachers_page_are_real(home: Path) -> None:
    """The board at the start, a first failure with a recognised mistake, one that is not known, a solved exercise."""
    page = (DOCS / "for-teachers.md").read_text(encoding="utf-8")
    start = pytest_run(home, "exercises")
    assert start.returncode == 0
    small_exercises.answer(home, WRONG_SHARE)
    failed = pytest_run(home, "exercises/flow/pipes", "-k", "bubble_share")
    assert failed.returncode == 1
    small_exercises.answer(home, RIGHT_SHARE.replace("stages - 1)\n", "stages - 1) * (micro_batches != 3)\n"))
    unknown = pytest_run(home, "exercises/flow/pipes", "-k", "bubble_share")
    assert unknown.returncode == 1
    small_exercises.answer(home, RIGHT_SHARE)
    solved = pytest_run(home, "exercises", "-k", "bubble_share")
    assert solved.returncode == 0
    for shown in map(screen, (start.stdout, failed.stdout, unknown.stdout, solved.stdout)):
        assert max(map(len, shown.splitlines())) <= 80
        assert shown in page, shown


def test_a_failure_has_its_parts_in_order_and_no_traceback(home: Path) -> None:
    small_exercises.answer(home, WRONG_SHARE)
    told = pytest_run(home, "exercises", "-k", "bubble_share").stdout
    places = [told.index(f"\n{part}") for part in ("asked:", "input:", "expected:", "got:", "mistake:", "again:")]
    assert places == sorted(places)
    assert "Traceback" not in told
    assert "counts_every_stage" in told


def test_more_is_told_on_demand(home: Path) -> None:
    small_exercises.answer(home, "def double(*, values):\n    print('here')\n    return 1 / 0\n", "double")
    assert "Traceback" not in pytest_run(home, "exercises", "-k", "double").stdout
    told = pytest_run(home, "exercises", "-v", "-k", "double").stdout
    assert "Traceback of the answer:" in told
    assert "here\n" in told[told.index("Printed by the answer") :]


def test_a_name_selects_its_exercise_alone(home: Path) -> None:
    """Although another one's name contains it."""
    for file in (home / "flow" / "tanks").glob("twice.py"):
        text = file.read_text(encoding="utf-8").replace("twice", "double_twice")
        write(file.with_name("double_twice.py"), text)
        file.unlink()
    for arguments in (("exercises",), ("exercises/flow",), ("exercises/flow/pipes",)):
        assert "Exercises: 0 of 1 solved" in pytest_run(home, *arguments, "-k", "double").stdout
    assert "Exercises: 0 of 2 solved" in pytest_run(home, "exercises", "-k", "doubl").stdout
    made = sorted(path.stem for path in (home.parent / "answers").rglob("*.py"))
    assert made == ["double", "double_twice"]


def test_hints_and_solutions_are_printed(home: Path) -> None:
    shown = [pytest_run(home, "exercises", "--hint", "double"), pytest_run(home, "exercises", "-k", "double", "--hint")]
    assert [run.stdout.splitlines()[1] for run in shown] == [
        "hint:     Go through the list.",
        "hint:     Multiply * by 2.",
    ]
    assert {run.returncode for run in shown} == {0}
    assert "did you mean: pipes/double" in pytest_run(home, "exercises", "--hint", "doubl").stderr
    refused = pytest_run(home, "exercises", "--solution", "double")
    assert (refused.returncode, "return [2 * value" in refused.stdout) == (1, False)
    assert "--give-up" in refused.stdout
    assert "return [2 * value" in pytest_run(home, "exercises", "--give-up", "--solution", "double").stdout
    small_exercises.answer(home, RIGHT_DOUBLE, "double")
    allowed = pytest_run(home, "exercises", "--solution", "double")
    assert (allowed.returncode, "return [2 * value" in allowed.stdout, allowed.stderr) == (0, True, "")


def test_whoever_solves_an_exercise_is_told_what_its_numbers_teach(home: Path) -> None:
    said = "numbers:  With 8 micro-batches on 4 stages 27% idle."
    path = home / "flow" / "pipes" / "bubble_share.py"
    idle = "{bubble_share(stages=4, micro_batches=8):.0%}"
    teaches = f'    number=1, taught=lambda: f"With 8 micro-batches on 4 stages {idle} idle.",'
    path.write_text(path.read_text(encoding="utf-8").replace("    number=1,", teaches), encoding="utf-8")
    small_exercises.answer(home, RIGHT_SHARE)
    assert f"solved:   bubble_share\n{said}\n" in pytest_run(home, "exercises", "-k", "bubble_share").stdout
    assert pytest_run(home, "exercises", "--solution", "bubble_share").stdout.endswith(f"\n\n{said}\n")
    small_exercises.answer(home, WRONG_SHARE)
    assert said not in pytest_run(home, "exercises", "-k", "bubble_share").stdout


def test_a_submission_is_graded_and_left_alone(home: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "ada.py", RIGHT_SHARE + RIGHT_DOUBLE)
    report, unit = tmp_path / "results.json", tmp_path / "unit.xml"
    run = pytest_run(home, "exercises", "--submission", str(file), "--report", str(report), f"--junitxml={unit}")
    assert run.returncode == 0, run.stdout
    assert file.read_text(encoding="utf-8") == RIGHT_SHARE + RIGHT_DOUBLE
    assert not (tmp_path / "answers").exists()
    told = json.loads(report.read_text(encoding="utf-8"))
    assert (told["schema"], told["score"], told["possible"]) == (1, 3.0, 6.0)
    rows = {row["exercise"]: row for row in told["exercises"]}
    assert [rows[name]["status"] for name in ("bubble_share", "double", "tank_share")] == ["solved", "solved", "open"]
    assert rows["double"]["weight"] == 2.0
    cases = ElementTree.parse(unit).getroot().iter("testcase")
    assert sum(case.find("skipped") is None for case in cases) == 2


def test_an_assignment_is_graded_for_gradescope(home: Path, tmp_path: Path) -> None:
    assignment = write(tmp_path / "week.txt", "bubble_share 5\ntwice\ndeadline 2020-01-01T00:00+00:00\n")
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as packed:
        packed.writestr("answers/flow/pipes/bubble_share.py", WRONG_SHARE)
        packed.writestr("answers/flow/tanks/twice.py", RIGHT_DOUBLE.replace("double", "twice"))
    report = tmp_path / "results.json"
    options = ["--submission", str(tmp_path / "bob.zip"), "--report", str(report), "--report-format", "gradescope"]
    run = pytest_run(home, "exercises", "--assignment", str(assignment), *options)
    assert run.returncode == 1
    assert "due:      2020-01-01 00:00+00:00, " in run.stdout
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["score"] == 2.0
    assert told["output"] == "Due: 2020-01-01 00:00+00:00."
    rows = [(test["score"], test["max_score"], test["status"]) for test in told["tests"]]
    assert rows == [(0.0, 5.0, "failed"), (2.0, 2.0, "passed")]
    assert "counts_every_stage" in told["tests"][0]["output"]
    wrong = pytest_run(home, "exercises", "--assignment", str(write(assignment, "nothing\n")))
    assert "week.txt:1: no exercises are called nothing" in wrong.stderr


def test_a_report_to_a_device_leaves_the_device(home: Path) -> None:
    run = pytest_run(home, "exercises", "-k", "double", "--report", "/dev/stderr")
    assert json.loads(run.stderr)["possible"] == 2.0
    assert Path("/dev/stderr").exists()


def test_what_is_no_file_is_wrong_and_the_run_goes_on(home: Path) -> None:
    small_exercises.answer(home, "\0")
    (home.parent / "answers" / "flow" / "pipes" / "double.py").mkdir()
    small_exercises.answer(home, "def twice(**_):\n    raise ValueError('\\ud800\\x1b[2J')\n", "twice", chapter="tanks")
    run = pytest_run(home, "exercises")
    assert "0 of 4 solved, 3 tried, 1 open" in run.stdout
    for said in ("it has a NUL character in line 1", "it is a folder", "ValueError: ??[2J (line 2)"):
        assert said in run.stdout
    assert "\x1b" not in run.stdout


def test_exercises_of_a_teachers_own_are_graded_beside_the_books(home: Path, tmp_path: Path) -> None:
    private = small_exercises.make(tmp_path / "teacher", "private")
    run = pytest_run(private, "private")
    assert "Exercises: 0 of 4 solved" in run.stdout
    assert "grade:    python -m pytest -p grader.plugin private/flow/pipes -k bubble_share" in run.stdout
    assert (tmp_path / "teacher" / "answers" / "flow" / "pipes" / "double.py").exists()


@pytest.mark.parametrize("label", ["grade", "stuck?"])
def test_what_the_board_of_a_teachers_own_says_to_type_answers(tmp_path: Path, label: str) -> None:
    """Only the book's folder brings the plugin along, and only there its exercises are looked for unasked."""
    private = small_exercises.make(tmp_path / "teacher", "private")
    board = pytest_run(private, "private").stdout
    said = re.search(rf"^{re.escape(label)}: +python (.*)$", board, re.MULTILINE)
    assert said, board
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    typed = [sys.executable, *said[1].split()]
    done = subprocess.run(typed, cwd=private.parent, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("Hint 1 of" if label == "stuck?" else "0 of 1 solved") in done.stdout


def test_where_no_chapter_has_hints_none_are_promised(tmp_path: Path) -> None:
    private = small_exercises.make(tmp_path / "teacher", "private")
    shutil.rmtree(private.parent / "chapters")
    assert "stuck?" not in pytest_run(private, "private").stdout


def test_a_notebook_says_the_same(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mine = small_exercises.make(tmp_path / "elsewhere", "in_a_notebook")
    small_exercises.answer(home, WRONG_SHARE)
    names: dict[str, object] = {}
    exec(WRONG_SHARE, names)
    check("bubble_share", names["bubble_share"], home=mine)  # type: ignore[arg-type]
    assert capfd.readouterr().out in pytest_run(home, "exercises", "-k", "bubble_share").stdout
    check("double", lambda *, values: [value + value for value in values], home=mine)
    assert capfd.readouterr().out == "solved:   double\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wrong/name", "no exercises are called wrong/name; `pytest exercises` lists the chapters\n"),
        ("doubel", "no exercises are called doubel; did you mean: pipes/double\n"),
        ("pipes/nothing", "no exercises are called pipes/nothing; did you mean: pipes/"),
    ],
)
def test_a_notebook_answers_a_wrong_name_with_the_near_ones(
    name: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, lambda: None, home=small_exercises.make(tmp_path / "elsewhere", "misnamed"))
    assert capfd.readouterr().out.startswith(said)
