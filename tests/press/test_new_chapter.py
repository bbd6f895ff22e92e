"""A new chapter: which files the command makes, what it refuses, and that the book builds and is tested with it."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from full_disk import FullAfter

from benchmarks.enlarged_book import enlarge
from press import door
from press.lacks import lacks, subject_of
from press.making.numbers import number_problems
from press.making.quiz import read_quiz
from press.new import chapter_files, main, part_files, written
from press.reading.chapter import read_chapter
from press.reading.contents import Entry, Part, read_contents
from press.reading.notation import letters_of, read_alphabet, repeated_symbols, symbol_problems, symbols_used
from press.reading.outline import number_of

ROOT = Path(__file__).parents[2]
CONTENTS = """\
practice:
  title: Part IX · Practice
  question: What would you do?
  chapters:
    41-rehearsal: {title: Rehearsal, question: "What goes wrong the first time?"}
"""
CHAPTER = "chapters/practice/41-rehearsal.md"
OWN = {
    "snippets/practice/rehearsal/__init__.py",
    CHAPTER,
    "snippets/practice/rehearsal/formulas.py",
    "snippets/practice/rehearsal/programs.py",
    "snippets/practice/rehearsal/figures.py",
    "snippets/practice/rehearsal/live.py",
    "tests/practice/rehearsal/test_rehearsal.py",
    "tests/practice/rehearsal/test_rehearsal_live.py",
}
UNKNOWN = "the chapter must be one of 41-rehearsal, or be added to chapters/contents.yml first"
LAB = {"labs/practice/rehearsal.py"}


def exercises(count: int) -> set[str]:
    folder = "exercises/practice/rehearsal"
    made = {f"{folder}/rehearsal_exercise_{number}.py" for number in range(1, count + 1)}
    return {*made, f"{folder}/__init__.py"} if count else made


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters/contents.yml").write_text(CONTENTS, encoding="utf-8")
    return tmp_path


def files(book: Path) -> dict[str, str]:
    """Return the digest of every file of a book."""
    return {
        path.relative_to(book).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in book.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (["--exercises", "0"], OWN),
        ([], OWN | exercises(4)),
        (["--exercises", "2", "--lab"], OWN | exercises(2) | LAB),
    ],
)
def test_a_chapter_has_files_in_every_room(book: Path, options: list[str], made: set[str]) -> None:
    assert main(["practice/41-rehearsal", *options], book) == 0
    rooms = {path.split("/")[0] for path in made} & {"snippets", "exercises", "labs"}
    part = {"chapters/practice/index.md", *(f"{room}/practice/__init__.py" for room in rooms)}
    assert files(book).keys() == made | part | {"chapters/contents.yml"}
    assert all("<<" not in (book / path).read_text(encoding="utf-8") for path in made)


def test_no_file_is_overwritten(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "snippets/practice/rehearsal").mkdir(parents=True)
    (book / "snippets/practice/rehearsal/formulas.py").write_text("mine = 1\n", encoding="utf-8")
    main(["practice/41-rehearsal"], book)
    assert "kept as it is: snippets/practice/rehearsal/formulas.py\n" in capsys.readouterr().out


def test_a_chapter_that_stands_is_given_no_stubs_beside_its_files(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its exercises and modules may have other names by now."""
    main(["practice/41-rehearsal"], book)
    (book / CHAPTER).write_text("mine\n", encoding="utf-8")
    (book / "snippets/practice/rehearsal/programs.py").unlink()
    for path in (book / "exercises/practice/rehearsal").glob("rehearsal_*"):
        path.rename(path.with_name(path.name.replace("rehearsal", "own")))
    before = files(book)
    with pytest.raises(SystemExit) as ended:
        main(["practice/41-rehearsal"], book)
    assert ended.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{CHAPTER} stands already: `python -m press.lacks 41` lists what it lacks, --lab adds a lab" in said
    assert files(book) == before
    assert main(["practice/41-rehearsal", "--lab"], book) == 0
    assert files(book).keys() - before.keys() == LAB | {"labs/practice/__init__.py"}


def test_a_full_disk_leaves_no_half_of_a_file_and_the_next_run_makes_the_rest(
    book: Path, tmp_path: Path, full_after: FullAfter, capsys: pytest.CaptureFixture[str]
) -> None:
    with full_after(2_000), pytest.raises(SystemExit) as ended:
        main(["practice/41-rehearsal"], book)
    assert ended.value.code == 2
    assert "cannot be written, for the disk is full" in capsys.readouterr().err
    left = files(book)
    assert main(["practice/41-rehearsal"], book) == 0
    whole = files(book)
    shutil.rmtree(book)
    (book / "chapters").mkdir(parents=True)
    (book / "chapters/contents.yml").write_text(CONTENTS, encoding="utf-8")
    main(["practice/41-rehearsal"], book)
    assert files(book) == {**left, **whole}


ENTRIES = [(part, entry) for part in read_contents(ROOT) for entry in part.chapters]


@pytest.mark.parametrize(("part", "entry"), ENTRIES, ids=[Path(entry.path).stem for _, entry in ENTRIES])
def test_nothing_of_a_new_chapter_is_refused(tmp_path: Path, part: Part, entry: Entry) -> None:
    """Each chapter of the real table of contents, with its question: what the build would refuse, without a build."""
    files = chapter_files(part, entry, exercises=4, lab=True)
    written({**part_files(part, files), **files}, tmp_path)
    chapter = read_chapter(tmp_path / entry.path, root=tmp_path)
    cells = chapter.cells
    assert number_problems(cells, [{}] * len(cells), {}, path=entry.path) == []
    assert read_quiz(cells, entry.path)[1] == []
    alphabet = read_alphabet((ROOT / "docs/notation.md").read_text(encoding="utf-8"))
    everywhere = alphabet.holding_for(number_of(entry.path))
    own = letters_of(chapter.text)
    assert own
    assert symbol_problems(symbols_used(cells), [everywhere, own], path=entry.path) == []
    assert repeated_symbols(everywhere, own, entry.path) == []
    for code in [cell.source for cell in cells if cell.kind == "code"] + [
        files[path] for path in files if ".py" in path
    ]:
        ast.parse(code)
    runpy.run_path(str(tmp_path / f"snippets/{part.name}/{subject_of(entry.path)}/live.py"))
    assert entry.question in "".join(cell.source for cell in cells)
    lacking = [problem.message for problem in lacks(entry, tmp_path)]
    assert [what for what in lacking if not what.startswith(("to write: ", "lacks a record"))] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["memory/22-zero"], "the part must be one of practice, got 'memory'"),
        (
            ["practice/42-grokking"],
            f"{UNKNOWN}, got '42-grokking'",
        ),
        (
            ["practice"],
            f"{UNKNOWN}, got ''",
        ),
        (["practice/41-rehearsal", "--exercises", "11"], "--exercises must be a number from 0 to 10, got 11"),
        (["practice/41-rehearsal", "--exercises", "-1"], "--exercises must be a number from 0 to 10, got -1"),
        (["practice/41-rehearsal", "--exercises", "two"], "invalid int value: 'two'"),
    ],
)
def test_what_cannot_be_made_is_refused(
    book: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments, book)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
    assert files(book).keys() == {"chapters/contents.yml"}


def run(book: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(book), "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([sys.executable, "-m", *command], cwd=book, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(("name", "boxes"), [("34-architecture", 1), ("35-profiling", 0)])
def test_a_new_chapter_has_the_box_of_the_70b_up_to_the_last_that_says_what_it_means_for_it(
    name: str, boxes: int
) -> None:
    part, entry = next(
        (part, entry) for part in read_contents(ROOT) for entry in part.chapters if entry.path.endswith(f"/{name}.md")
    )
    text = chapter_files(part, entry, exercises=1, lab=False)[entry.path]
    assert text.count("\n## For the 70B on 256 GPUs\n") == boxes


@pytest.mark.book
@pytest.mark.long
def test_the_book_builds_with_a_new_chapter_and_its_tests_say_what_is_to_be_written(tmp_path: Path) -> None:
    """In a part that has no chapter yet. No notebook is executed again, and what the press has kept is there."""
    enlarge(tmp_path, 1)
    if (ROOT / ".press").is_dir():
        shutil.copytree(ROOT / ".press", tmp_path / ".press")
    with (tmp_path / "chapters/contents.yml").open("a", encoding="utf-8") as contents:
        contents.write(CONTENTS)
    for notebook in (ROOT / "chapters").glob("*/*.ipynb"):
        shutil.copy(notebook, tmp_path / notebook.relative_to(ROOT))
    before = files(tmp_path)
    made = run(tmp_path, "press.new", "practice/41-rehearsal", "--exercises", "4", "--lab")
    assert made.returncode == 0, made.stderr
    after = files(tmp_path)
    shared = {path for path in before if after[path] != before[path]}
    assert shared == {door.TABLE}, "no shared file is edited but the one that is made"
    new = {path for path in after.keys() - before.keys() if "__pycache__" not in path}
    part = {
        "chapters/practice/index.md",
        *(f"{room}/practice/__init__.py" for room in ("snippets", "exercises", "labs")),
    }
    assert new == OWN | LAB | exercises(4) | part
    assert len(new - part) == 14

    built = run(tmp_path, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stdout + built.stderr
    home = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert '<a href="practice/41-rehearsal/">41 · Rehearsal</a>' in home

    last = "exercises/practice/rehearsal/rehearsal_exercise_4.py"
    options = ["-o", "addopts=--strict-markers --doctest-modules", "-p", "no:cacheprovider", "-q", "-m", "not nightly"]
    walks = ["test_chapters.py", "test_architecture.py", "press/site/test_reference.py", "grader/test_exercises.py"]
    paths = ["tests/practice", "snippets/practice", *(f"tests/{walk}" for walk in walks)]
    tested = run(tmp_path, "pytest", *options, *paths, "-k", "rehearsal")
    own = "practice/rehearsal"
    assert set(re.findall(r"^FAILED (\S+)", tested.stdout, re.MULTILINE)) == {
        f"snippets/{own}/formulas.py::snippets.practice.rehearsal.formulas.rehearsal_bytes",
        f"snippets/{own}/programs.py::snippets.practice.rehearsal.programs.run_rehearsal",
        f"tests/{own}/test_rehearsal.py::test_the_formula_is_what_the_machine_counts",
        f"tests/{own}/test_rehearsal.py::test_the_picture_shows_what_was_computed",
        f"tests/{own}/test_rehearsal_live.py::test_the_numbers_are_those_of_the_formula",
        "tests/test_chapters.py::test_a_chapter_lacks_nothing[41-rehearsal]",
    }, tested.stdout[-4000:]
    assert "ERROR" not in tested.stdout
    solution = (tmp_path / last).read_text(encoding="utf-8").partition("TO WRITE: the solution")[0].count("\n") + 1
    for found in (
        "rehearsal_bytes is still to be written: its body is the printed formula",
        "the ranks' program of run_rehearsal is still to be written",
        f"{last}:{solution}: to write: the solution.",
        f"{CHAPTER}:20: to write: the promise, in one sentence: what the reader can decide afterwards.",
    ):
        assert found in tested.stdout, found
