"""What a reader sees of the graders: the board, messages, hints and solutions; and the files that they leave alone."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import small_exercises
from small_exercises import pytest_run

from exercises.answer_files import missing, prepare
from exercises.catalogue import find
from exercises.notebook import check

pytestmark = pytest.mark.book

WRONG = "def bubble_share(*, stages, micro_batches):\n    return stages / (micro_batches + stages)\n"
RIGHT = small_exercises.SOLUTION
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
    """The board at the start, a first failure with a recognised mistake, a solved chapter."""
    page = (DOCS / "for-teachers.md").read_text(encoding="utf-8")
    start = pytest_run(home, "exercises")
    assert start.returncode == 0
    small_exercises.answer(home, small_exercises.STUB + "\n\n" + WRONG)
    failed = pytest_run(home, "exercises/flow/pipes", "-k", "bubble_share")
    assert failed.returncode == 1
    small_exercises.answer(home, RIGHT)
    solved = pytest_run(home, "exercises/flow/pipes")
    assert solved.returncode == 0
    for shown in map(screen, (start.stdout, failed.stdout, solved.stdout)):
        assert max(map(len, shown.splitlines())) <= 80
        assert shown in page, shown


def test_a_failure_has_its_parts_in_order_and_no_traceback(home: Path) -> None:
    small_exercises.answer(home, WRONG)
    told = pytest_run(home, "exercises", "-k", "bubble_share").stdout
    parts = ["asked:", "input:", "expected:", "got:", "mistake:", "again:"]
    places = [told.index(f"\n{part}") for part in parts]
    assert places == sorted(places)
    assert "Traceback" not in told
    assert "counts_every_stage" in told


def test_more_is_told_on_demand(home: Path) -> None:
    small_exercises.answer(home, "def double(*, values):\n    print('here')\n    return 1 / 0\n")
    assert "Traceback" not in pytest_run(home, "exercises", "-k", "double").stdout
    told = pytest_run(home, "exercises", "-v", "-k", "double").stdout
    assert "Traceback of the answer:" in told
    assert "here\n" in told[told.index("Printed by the answer") :]


def test_hints_come_one_after_another_and_stay(home: Path) -> None:
    told = [pytest_run(home, "exercises", "--hint", "double") for _ in range(2)]
    told += [pytest_run(home, "exercises", "-k", "double", "--hint") for _ in range(2)]
    assert [run.stdout.splitlines()[1].split(maxsplit=1)[1] for run in told] == [
        "Go through the list.",
        "Multiply.",
        "By 2.",
        "By 2.",
    ]
    assert all("read:     chapters/flow/01-pipes.md#what-idles" in run.stdout for run in told)
    assert {run.returncode for run in told} == {0}
    unknown = pytest_run(home, "exercises", "--hint", "doubl")
    assert "did you mean: pipes/double" in unknown.stderr


def test_a_solution_is_shown_after_the_readers_own(home: Path) -> None:
    refused = pytest_run(home, "exercises", "--solution", "double")
    assert (refused.returncode, "return [2 * value" in refused.stdout) == (1, False)
    assert "--give-up" in refused.stdout
    assert "return [2 * value" in pytest_run(home, "exercises", "--give-up", "--solution", "double").stdout
    small_exercises.answer(home, RIGHT)
    shown = pytest_run(home, "exercises", "--solution", "double")
    assert (shown.returncode, "return [2 * value" in shown.stdout) == (0, True)


def test_answers_are_made_once_and_new_stubs_appended_once(home: Path) -> None:
    folder = home / "flow" / "pipes"
    assert "is made, a copy of stub.py" in prepare(folder)
    answers = folder / "answers.py"
    assert answers.read_text() == small_exercises.STUB
    answers.write_bytes(b"def bubble_share(stages, micro_batches):\r\n    return 7  # mine")
    assert "double" in prepare(folder)
    written = answers.read_bytes()
    assert written.startswith(
        b"def bubble_share(stages, micro_batches):\r\n    return 7  # mine\r\n\r\n\r\ndef double("
    )
    assert prepare(folder) == ""
    assert answers.read_bytes() == written
    answers.write_text("def double(:\n")
    assert prepare(folder) == ""
    assert answers.read_text() == "def double(:\n"


def test_what_new_stubs_need_is_appended_with_them() -> None:
    stub = "from __future__ import annotations\nimport math\nSend = tuple[int, int]\n\ndef f() -> Send:\n    ...\n"
    names, added = missing(stub, "def g():\n    ...\n")
    assert names == ["f"]
    assert added == "import math\nSend = tuple[int, int]\n\n\ndef f() -> Send:\n    ...\n"
    assert missing(stub, stub) == ([], "\n")


def test_a_submission_is_graded_and_left_alone(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "ada.py"
    file.write_text(RIGHT, encoding="utf-8")
    report = tmp_path / "results.json"
    unit = tmp_path / "unit.xml"
    run = pytest_run(home, "exercises", "--submission", str(file), "--report", str(report), f"--junitxml={unit}")
    assert run.returncode == 0, run.stdout
    assert file.read_text(encoding="utf-8") == RIGHT
    assert not list(home.rglob("answers.py"))
    told = json.loads(report.read_text(encoding="utf-8"))
    assert (told["schema"], told["score"], told["possible"]) == (1, 3.0, 6.0)
    rows = {row["exercise"]: row for row in told["exercises"]}
    assert [rows[name]["status"] for name in ("bubble_share", "double", "tank_share")] == ["solved", "solved", "open"]
    assert rows["double"]["weight"] == 2.0
    cases = ElementTree.parse(unit).getroot().iter("testcase")
    assert sum(case.find("skipped") is None for case in cases) == 2


def test_a_directory_is_a_submission_too(home: Path, tmp_path: Path) -> None:
    for place, source in {"pipes/answers.py": WRONG, "tanks.py": RIGHT.replace("double", "twice")}.items():
        (tmp_path / "bob" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bob" / place).write_text(source, encoding="utf-8")
    report = tmp_path / "results.json"
    options = ["--submission", str(tmp_path / "bob"), "--report", str(report), "--report-format", "gradescope"]
    assert pytest_run(home, "exercises", *options).returncode == 1
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["score"] == 2.0
    assert [(test["score"], test["max_score"], test["status"]) for test in told["tests"]] == [
        (0.0, 1.0, "failed"),
        (0.0, 2.0, "failed"),
        (0.0, 1.0, "failed"),
        (2.0, 2.0, "passed"),
    ]
    assert "counts_every_stage" in told["tests"][0]["output"]


def test_a_notebook_says_the_same(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small_exercises.answer(home, WRONG)
    names: dict[str, object] = {}
    exec(WRONG, names)
    check("bubble_share", names["bubble_share"], home=home)  # type: ignore[arg-type]
    told = capfd.readouterr().out
    assert told in pytest_run(home, "exercises", "-k", "bubble_share").stdout
    check("double", lambda *, values: [value + value for value in values], home=home)
    assert capfd.readouterr().out.startswith("solved:   double\n")


def test_a_name_that_two_chapters_have_needs_the_chapter(home: Path) -> None:
    chapter, exercise = find("tanks/twice", home)
    assert (chapter.address, exercise.number) == ("flow/tanks", 2)
    with pytest.raises(KeyError, match="no exercises are called pipes/twice"):
        find("pipes/twice", home)
