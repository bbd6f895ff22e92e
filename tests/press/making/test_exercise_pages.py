"""Exercises as the press sets them, the records it reads them from, and the page that lists them all."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from press.making.exercise import cells_of, exercise_box, exercises_page, expand_exercises, shown_in
from press.site import exercise_records
from press.site.exercise_records import ExerciseRecords

PAGE = "chapters/a/01-b.md"
PATH = "exercises/a/b/double.py"
LINK = f'[Solve it here](../../{PATH} "exercise: double")'
SOLUTION = f'[double.py](../../{PATH} "solution: double")'
RECORD: dict[str, Any] = {
    "address": "a/b",
    "name": "double",
    "number": 1,
    "asked": "twice a number",
    "level": "easy",
    "takes": [],
    "stub": 'def double(x):\n    """Return ``a < b`` twice."""\n    raise NotImplementedError\n',
    "solution": "def double(x):\n    return 2 * x\n",
    "cases": [],
}
NEEDY = {**RECORD, "takes": ["numpy"]}
MODULE = '''\
from grader.exercise import Exercise

def {name}(x: int) -> int:
    """Return twice a number.

    >>> {name}(2)
    4
    """
    return 2 * x

EXERCISE = Exercise({name}, 1, "twice a number", lambda x: x + x, [{{"x": 2}}], [{{"x": 3}}])
'''


def expanded(sources: list[str], record: dict[str, Any] = RECORD) -> tuple[list[str], list[str]]:
    """Return the cells with their exercises, and what was reported."""
    reported: list[str] = []
    records = {PATH: record}
    cells = expand_exercises(sources, PAGE, records, lambda _, message, __=0: reported.append(message))
    return cells, reported


def test_a_link_becomes_the_stub_and_what_is_known_of_it() -> None:
    (text,), reported = expanded([f"Before.\n\n{LINK}\n\nAfter."])
    assert reported == []
    assert 'data-chapter="a/b" data-name="double"' in text
    assert f"```python\n{RECORD['stub']}```" in text
    assert "Level: easy. In a terminal: `pytest exercises/a/b -k double`." in text
    assert text.startswith("Before.\n\n<div")
    assert text.endswith("</div>\n\nAfter.")


def test_an_exercise_that_needs_a_package_is_shown_and_not_solved_in_the_page() -> None:
    text = exercise_box(NEEDY, PAGE)
    lacks = '<span class="by-hand">, which this page does not have</span>'
    assert f"It needs NumPy{lacks}: solve it in [the notebook](01-b.ipynb)" in text
    assert "data-name" not in text
    assert RECORD["stub"].rstrip() in text


def test_a_solution_is_shown_without_its_docstring() -> None:
    (text,), reported = expanded([f"So:\n\n{SOLUTION}\n\nWhy."])
    assert reported == []
    assert text == "So:\n\n```python\ndef double(x):\n    return 2 * x\n```\n\nWhy."


def test_the_board_stands_in_the_section_before_its_first_exercise() -> None:
    (first, code, last), _ = expanded(["# T\n\n## Exercises\n\nHow.\n\n### One\n\nText.", "", f"{LINK}\n"])
    assert first.index("pytest exercises/a/b") < first.index("exercise-board") < first.index("How.")
    assert first.index("How.") < first.index("### One")
    assert '<a href="#exercise-double">' in first
    assert code == ""
    assert "exercise-board" not in last


def test_a_page_without_exercises_is_as_it_was() -> None:
    sources = ["## Exercises\n\n1. Why?", f"[a module](../../{PATH})"]
    assert expanded(sources) == (sources, [])


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([LINK.replace("double", "triple")], "exercises/a/b/triple.py declares no exercise 'triple'"),
        ([LINK.replace('e: double"', 'e: triple"')], "exercises/a/b/double.py declares no exercise 'triple'"),
        ([LINK.replace("../../", "../../../")], "../exercises/a/b/double.py declares no exercise 'double'"),
        ([LINK, LINK], "the exercise 'double' stands in this page already"),
        ([SOLUTION, SOLUTION], "the solution 'double' stands in this page already"),
    ],
)
def test_a_link_to_nothing_or_twice_is_reported(cells: list[str], wanted: str) -> None:
    _, reported = expanded(cells)
    assert reported == [wanted]


def test_a_link_in_a_sentence_is_a_link() -> None:
    assert [one.path for one in shown_in(f"{LINK}\n\nIn a sentence {LINK} is a link.", PAGE)] == [PATH]


def test_a_published_notebook_has_a_cell_to_write_in_and_one_that_grades_it() -> None:
    cells = cells_of(f"Text.\n\n{LINK}\n\nHint.\n\n{SOLUTION}\n\nAfter.", PAGE, {PATH: RECORD})
    assert cells == [
        ("markdown", "Text."),
        ("code", RECORD["stub"].rstrip()),
        ("code", "from grader.notebook import check\n\ncheck('double', double)"),
        ("markdown", f"Hint.\n\n```python\n{RECORD['solution']}```\n\nAfter."),
    ]


def test_the_page_of_all_exercises_lists_each_once_where_it_can_be_solved() -> None:
    other = {**NEEDY, "name": "half", "asked": "half a number", "level": "hard"}
    page = exercises_page({PAGE: [RECORD, other]}, {PAGE: "1 · B"})
    assert page
    assert f"## [1 · B](../{PAGE}#exercises)\n\n`pytest exercises/a/b`" in page.text
    for record in (RECORD, other):
        (line,) = re.findall(rf'<li data-name="{record["name"]}">.*?</li>', page.text)
        assert record["level"] in line
        assert ("exercise-status" in line) == (not record["takes"])
    assert exercises_page({}, {}) is None


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return a book with one exercise, judged by the grader that stands here."""
    folder = tmp_path / "exercises/a/b"
    folder.mkdir(parents=True)
    for package in (folder, *folder.parents[:2]):
        (package / "__init__.py").touch()
    (tmp_path / PATH).write_text(MODULE.format(name="double"), encoding="utf-8")
    return tmp_path


def test_a_record_is_read_once_and_anew_when_the_module_changes(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ExerciseRecords(book)
    assert first.problems == []
    assert first.by_path[PATH]["stub"].endswith('    raise NotImplementedError("still to be written")\n')
    assert len(json.loads(first.by_path[PATH]["cases"])) == 2
    with monkeypatch.context() as patched:
        patched.setattr(exercise_records.subprocess, "Popen", None)
        assert ExerciseRecords(book).by_path == first.by_path
    (book / PATH).write_text(MODULE.format(name="double").replace("twice a number.", "2x."), encoding="utf-8")
    assert "Return 2x." in ExerciseRecords(book).by_path[PATH]["stub"]
    assert len(list((book / ".press/exercises").iterdir())) == 1


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("return 2 * x", "return 2 *"), 9, "invalid syntax"),
        (("from grader", "import no_such_module\nfrom grader"), 1, "No module named 'no_such_module'"),
        (('"""Return twice', '("""Return twice'), 4, "was never closed"),
        (("def double", "def triple"), 11, "name 'double' is not defined"),
        (("Exercise(double", "Exercise(int"), 1, "double.py must declare the exercise double, got int"),
        (("x + x", "1 / 0"), 11, "division by zero"),
        (("from grader", "import os\nos._exit(3)\nfrom grader"), 1, "ended the process: exit status 3"),
    ],
)
def test_a_module_that_cannot_be_read_is_told_with_its_place(
    book: Path, change: tuple[str, str], line: int, message: str
) -> None:
    (book / PATH).write_text(MODULE.format(name="double").replace(*change), encoding="utf-8")
    [problem] = ExerciseRecords(book).problems
    assert (problem.path, problem.line) == (PATH, line), problem
    assert message in problem.message


def test_an_archive_has_the_modules_and_their_cases(book: Path) -> None:
    records = ExerciseRecords(book)
    [address] = {record["address"] for record in records.by_path.values()}
    files = records.page_files(address)
    assert PATH in files
    assert files.keys() > records.common_files().keys()
    cases = files[PATH.replace(".py", ".cases.json")]
    assert isinstance(cases, bytes)
    assert len(json.loads(cases)) == 2


def test_exercises_are_read_in_a_process_for_each_core(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("halve", "square"):
        (book / PATH.replace("double", name)).write_text(MODULE.format(name=name), encoding="utf-8")
    asked = []

    def begin(command: list[str], **how: Any) -> Any:
        asked.append([Path(path).stem for path in command[3:]])
        return really_begin(command, **how)

    really_begin = exercise_records.subprocess.Popen
    monkeypatch.setattr(exercise_records.subprocess, "Popen", begin)
    monkeypatch.setattr(exercise_records, "cores", lambda: 2)
    records = ExerciseRecords(book)
    assert records.problems == []
    assert [Path(path).stem for path in records.by_path] == ["double", "halve", "square"]
    assert sorted(asked) == [["double", "square"], ["halve"]]


def test_reading_begins_at_once_and_ends_with_the_records(book: Path) -> None:
    begun = book / "begun"
    slow = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(600)\n"
    (book / PATH).write_text(slow + MODULE.format(name="double"), encoding="utf-8")
    records = ExerciseRecords(book)
    [process] = [reading.process for reading in records._reading]
    deadline = time.monotonic() + 60
    while not begun.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert begun.exists()
    assert process.poll() is None
    del records
    assert process.poll() is not None
