"""Cells that show something else each time are found, and the notebooks beside the chapters stay as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from small_book import SmallBook

from press.reading.chapter import find_chapters
from press.twice import unsteady_cells

ROOT = Path(__file__).parents[2]
ONE = "chapters/part/01-one.md"


@pytest.mark.book
def test_a_cell_that_shows_something_else_each_time_is_named(small_book: SmallBook) -> None:
    small_book.write(ONE.replace(".md", ".ipynb"), "the reader's own")
    command = [sys.executable, "-m", "press.twice"]
    steady = subprocess.run(command, cwd=small_book.root, capture_output=True, text=True)
    assert (steady.returncode, steady.stderr) == (0, "")

    small_book.replace(ONE, "print(total([1, 2, 3]))", "import random\n\nprint('drawn', random.random())")
    line = small_book.read(ONE).split("\n").index("from sums.total import total") + 1
    done = subprocess.run([*command, ONE], cwd=small_book.root, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{ONE}:{line}: cell 1 does not show the same each time it runs: 'drawn 0.")
    assert done.stderr.count("\n") == 1
    assert small_book.read(ONE.replace(".md", ".ipynb")) == "the reader's own"
    assert not (small_book.root / "chapters/part/02-two.ipynb").exists()


def test_a_chapter_that_cannot_be_read_is_named(small_book: SmallBook) -> None:
    small_book.replace(ONE, "level: Beginner", "level: [Beginner")
    (problem,) = unsteady_cells(find_chapters(small_book.root)[:1], root=small_book.root)
    assert problem.path == ONE


@pytest.mark.nightly
def test_the_books_chapters_show_the_same_each_time() -> None:
    assert unsteady_cells(find_chapters(ROOT), root=ROOT) == []
