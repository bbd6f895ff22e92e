"""A new chapter: which files the command makes, what it refuses, and that the book builds and is tested with it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.enlarged_book import enlarge
from press.new import main

ROOT = Path(__file__).parents[2]
CONTENTS = """\
synthesis:
  title: Part VIII · Synthesis
  question: Can you recompute a published run?
  chapters:
    36-investigation: {title: Investigation, question: "A method for when it is slow."}
"""
CHAPTER = "chapters/synthesis/36-investigation.md"
OWN = {
    "snippets/synthesis/investigation/__init__.py",
    CHAPTER,
    "snippets/synthesis/investigation/formulas.py",
    "snippets/synthesis/investigation/programs.py",
    "snippets/synthesis/investigation/figures.py",
    "tests/synthesis/investigation/test_investigation.py",
}
LIVE = {"snippets/synthesis/investigation/live.py", "tests/synthesis/investigation/test_investigation_live.py"}
UNKNOWN = "the chapter must be one of 36-investigation, or be added to chapters/contents.yml first"
LAB = {"labs/synthesis/investigation.py"}


def exercises(count: int) -> set[str]:
    folder = "exercises/synthesis/investigation"
    made = {f"{folder}/investigation_exercise_{number}.py" for number in range(1, count + 1)}
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
        (["--exercises", "2", "--live", "--lab"], OWN | exercises(2) | LIVE | LAB),
    ],
)
def test_a_chapter_has_files_in_every_room(book: Path, options: list[str], made: set[str]) -> None:
    assert main(["synthesis/36-investigation", *options], book) == 0
    rooms = {path.split("/")[0] for path in made} & {"snippets", "exercises", "labs"}
    part = {"chapters/synthesis/index.md", *(f"{room}/synthesis/__init__.py" for room in rooms)}
    assert files(book).keys() == made | part | {"chapters/contents.yml"}
    assert all("<<" not in (book / path).read_text(encoding="utf-8") for path in made)


def test_no_file_is_overwritten(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "snippets/synthesis/investigation").mkdir(parents=True)
    (book / "snippets/synthesis/investigation/formulas.py").write_text("mine = 1\n", encoding="utf-8")
    main(["synthesis/36-investigation"], book)
    assert "kept as it is: snippets/synthesis/investigation/formulas.py\n" in capsys.readouterr().out
    before = files(book)
    (book / CHAPTER).write_text("mine\n", encoding="utf-8")
    main(["synthesis/36-investigation"], book)
    assert files(book) == {**before, CHAPTER: hashlib.sha256(b"mine\n").hexdigest()}
    assert not re.search(r"^written:", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["memory/22-zero"], "the part must be one of synthesis, got 'memory'"),
        (
            ["synthesis/41-grokking"],
            f"{UNKNOWN}, got '41-grokking'",
        ),
        (
            ["synthesis"],
            f"{UNKNOWN}, got ''",
        ),
        (["synthesis/36-investigation", "--exercises", "11"], "--exercises must be a number from 0 to 10, got 11"),
        (["synthesis/36-investigation", "--exercises", "-1"], "--exercises must be a number from 0 to 10, got -1"),
        (["synthesis/36-investigation", "--exercises", "two"], "invalid int value: 'two'"),
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


@pytest.mark.book
def test_the_book_builds_with_a_new_chapter_and_its_tests_say_what_is_to_be_written(tmp_path: Path) -> None:
    """In a part that has no chapter yet. What the chapters' notebooks hold already is not executed again."""
    enlarge(tmp_path, 1)
    for notebook in (ROOT / "chapters").glob("*/*.ipynb"):
        shutil.copy(notebook, tmp_path / notebook.relative_to(ROOT))
    before = files(tmp_path)
    made = run(tmp_path, "press.new", "synthesis/36-investigation", "--exercises", "4", "--live", "--lab")
    assert made.returncode == 0, made.stderr
    after = files(tmp_path)
    assert {path: after[path] for path in before} == before, "no shared file is edited"
    new = {path for path in after.keys() - before.keys() if "__pycache__" not in path}
    part = {
        "chapters/synthesis/index.md",
        *(f"{room}/synthesis/__init__.py" for room in ("snippets", "exercises", "labs")),
    }
    assert new == OWN | LIVE | LAB | exercises(4) | part
    assert len(new - part) == 13

    built = run(tmp_path, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stdout + built.stderr
    home = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert '<a href="synthesis/36-investigation/">36 · Investigation</a>' in home

    last = "exercises/synthesis/investigation/investigation_exercise_4.py"
    options = ["-o", "addopts=--strict-markers --doctest-modules", "-p", "no:cacheprovider", "-q", "-m", "not nightly"]
    walks = ["test_chapters.py", "test_architecture.py", "press/test_reference.py", "grader/test_exercises.py"]
    paths = ["tests/synthesis", "snippets/synthesis", *(f"tests/{walk}" for walk in walks)]
    tested = run(tmp_path, "pytest", *options, *paths, "-k", "investigation")
    assert set(re.findall(r"^FAILED (\S+)", tested.stdout, re.MULTILINE)) == {
        "snippets/synthesis/investigation/formulas.py::snippets.synthesis.investigation.investigation_bytes",
        "snippets/synthesis/investigation_programs.py::snippets.synthesis.investigation_programs.run_investigation",
        "tests/synthesis/test_investigation.py::test_the_formula_is_what_the_machine_counts",
        "tests/synthesis/test_investigation.py::test_the_picture_shows_what_was_computed",
        "tests/synthesis/test_investigation_live.py::test_the_numbers_are_those_of_the_formula",
        "tests/test_chapters.py::test_a_chapter_lacks_nothing[36-investigation]",
    }, tested.stdout[-4000:]
    assert "ERROR" not in tested.stdout
    solution = (tmp_path / last).read_text(encoding="utf-8").partition("TO WRITE: the solution")[0].count("\n") + 1
    for found in (
        "investigation_bytes is still to be written: its body is the printed formula",
        "the ranks' program of investigation_programs is still to be written",
        f"{last}:{solution}: to write: the solution.",
        f"{CHAPTER}:24: to write: the promise, one sentence on what the reader can do afterwards.",
    ):
        assert found in tested.stdout, found
