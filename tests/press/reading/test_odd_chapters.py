"""Chapters that hurt the build when they run: it ends, and names the cell, and the other chapters are there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from small_book import CHAPTER, SmallBook

from press.running.execute import execute_chapters

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"
HEADER = CHAPTER[: CHAPTER.index("# One")]
FIRST_LINE = HEADER.count("\n") + 3

SHOW = "from IPython.display import display\n"
TOO_MUCH = {
    "11-endless.md": ("while True:\n    print('x' * 1000)", "what a cell prints and shows may have 2 MB"),
    "12-large.md": ("print('x' * 50_000_000)", "MB at once; what a cell prints and shows may have 2 MB"),
    "13-svg.md": (
        f"{SHOW}display({{'image/svg+xml': '<svg>' + 9_000_000 * 'x' + '</svg>'}}, raw=True)",
        "cell 1 shows 9.0 MB at once; what a cell prints and shows may have 2 MB",
    ),
    "14-raised.md": ("raise ValueError('x' * 5_000_000)", "MB at once; what a cell prints and shows may have 2 MB"),
    "15-pretends.md": (
        f"{SHOW}display({{'text/plain': 'x'}}, raw=True, metadata={{'book': 'panel'}})",
        "cell 1 shows an output that says it is the book's (its description is 'panel')",
    ),
    "16-removed.md": (
        "import os\nos.remove('chapters/part/16-removed.md')",
        "the chapter's file is gone: it was renamed or removed after the build had read it",
    ),
    "../folder/17-removed.md": (
        "import shutil\nshutil.rmtree('chapters/folder')",
        "the chapter's file is gone: it was renamed or removed after the build had read it",
    ),
}


def test_what_hurts_is_named_and_the_rest_is_executed(small_book: SmallBook) -> None:
    part = small_book.root / "chapters/part"
    for name, (cell, _) in TOO_MUCH.items():
        small_book.write(f"chapters/part/{name}", f"{HEADER}\n```python\n{cell}\n```\n")
    cells = "\n\n".join(["```python\nprint('x' * 1_500_000)\n```"] * 8)
    small_book.write("chapters/part/18-many.md", f"{HEADER}\n{cells}\n")
    small_book.write("chapters/part/19-long.md", f"{HEADER}\n```python\nprint(list(range(100_000)))\n```\n")
    names = [*TOO_MUCH, "18-many.md", "19-long.md"]
    paths = [Path(os.path.normpath(part / name)) for name in names]

    problems = {
        problem.path.rpartition("/")[2]: problem
        for problem in execute_chapters(paths, root=small_book.root, cell_timeout_s=600)
    }

    assert len(problems) == len(names) - 1
    for name, (_, message) in TOO_MUCH.items():
        problem = problems[name.rpartition("/")[2]]
        assert problem.line == (1 if "removed" in name else FIRST_LINE)
        assert message in problem.message
    assert problems["18-many.md"].message.startswith(
        "cell 7 shows too much; what the cells of a chapter print and show"
    )
    executed = json.loads((part / "19-long.ipynb").read_text())
    assert "99998, 99999]" in "".join(executed["cells"][-1]["outputs"][0]["text"])


def test_a_build_names_all_that_it_cannot_read_and_ends(built_book: SmallBook) -> None:
    """After a build that was right, so that there are notebooks of what cannot be read any more."""
    built_book.replace(ONE, "level: Beginner", "level: [Beginner")
    two = built_book.root / "chapters/part/02-two.md"
    two.write_bytes(two.read_text().encode("utf-16"))
    (built_book.root / "chapters/part/03-folder.md").mkdir()
    built_book.write("chapters/part/04-new.md", f"{CHAPTER[:-1]}\n\n```Python\nx = 1\n```\n")
    (built_book.root / "chapters/other").mkdir()
    (built_book.root / "chapters/other/index.md").write_bytes(b"# Caf\xe9\n")
    done = built_book.build()
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in printed
    for expected in (
        f"{ONE}:5: the header is not YAML",
        "chapters/part/02-two.md:1: the file begins with the mark of UTF-16",
        "chapters/part/03-folder.md:1: there is no text file here",
        "```Python looks like a cell and would not be executed",
        "chapters/other/index.md:1: the byte 0xe9 is not UTF-8",
    ):
        assert expected in printed


def test_a_cell_that_was_added_and_fails_is_named_though_the_notebook_is_older(built_book: SmallBook) -> None:
    built_book.replace(ONE, "## Exercises", "```python\n1 / 0\n```\n\n## Exercises")
    done = built_book.build()
    assert "Traceback" not in done.stdout + done.stderr
    assert "cell 3 raised ZeroDivisionError" in done.stderr


def test_a_cell_that_removes_its_chapter_ends_the_build_with_a_sentence(built_book: SmallBook) -> None:
    built_book.replace(ONE, "print(total([1, 2, 3]))", "import os\nos.remove('chapters/part/01-one.md')")
    done = built_book.build()
    assert done.returncode != 0
    assert "Traceback" not in done.stdout + done.stderr
    assert f"{ONE}:1: the chapter's file is gone: it was renamed or removed" in done.stderr


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_checkout_that_cannot_be_written_says_what_to_do(small_book: SmallBook) -> None:
    folders = [small_book.root, *(path for path in small_book.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = small_book.build()
    finally:
        for folder in folders:
            folder.chmod(0o755)
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in printed
    assert "copy the book to a folder that you may write to, and build it there" in printed
