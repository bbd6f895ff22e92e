"""Whatever lies in ``chapters/`` is executed, is a part's page, or is refused by name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.exceptions import Abort
from small_book import CHAPTER, SmallBook

from press.book import Book
from press.mkdocs_hook import on_build_error
from press.problems import Problem
from press.reading.chapter import BrokenChapter, find_chapters, find_part_pages, read_chapter
from press.reading.files import Unreadable, read_utf8, why_unwritable
from press.reading.outline import outline_problems
from press.running import execute
from press.running.execute import execute_chapters
from press.running.freshness import Freshness

ROOT = Path(__file__).parents[3]
ONE = "chapters/part/01-one.md"
ODD = "chapters/part/03-odd.md"
HEADER = CHAPTER[: CHAPTER.index("# One")]


def odd(small_book: SmallBook) -> Path:
    return small_book.root / ODD


def book_of(small_book: SmallBook) -> Book:
    return Book(small_book.root, docs="docs", source_url="", extensions=[], extension_configs={})


@pytest.mark.parametrize("name", [ODD, "chapters/other/index.md"])
def test_what_is_no_file(small_book: SmallBook, name: str) -> None:
    path = small_book.root / name
    path.mkdir(parents=True)
    assert book_of(small_book).text(name) == ""
    if path.name == "index.md":
        problems = outline_problems(small_book.root)
    else:
        problems = execute_chapters([path], root=small_book.root)
        assert outline_problems(small_book.root) == []
    assert problems == [Problem(name, 1, "there is no text file here")]


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(small_book: SmallBook) -> None:
    odd(small_book).write_text(CHAPTER)
    odd(small_book).chmod(0)
    (problem,) = execute_chapters([odd(small_book)], root=small_book.root)
    assert "the file cannot be read: Permission denied" in problem.message


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (CHAPTER.encode("utf-16"), 1, "the file begins with the mark of UTF-16"),
        (CHAPTER.replace("·", "-").encode("utf-16-le"), 1, "the file holds a null character"),
        (CHAPTER.encode("latin-1"), 2, "the byte 0xb7 is not UTF-8"),
        (CHAPTER.encode("utf-8-sig"), 1, "the file begins with a byte-order mark"),
        (b"\n" + CHAPTER.encode(), 1, "its first line must be ---, got ''"),
        (CHAPTER.replace("---", "--- ", 1).encode(), 1, "its first line must be ---, got '--- '"),
        (b"# One\n\n```python\nx = 1\n```\n", 1, "its first line must be ---, got '# One'"),
        (b"x" * 90, 1, "got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'…"),
        (b"", 1, "the file is empty"),
        (b"\n \n", 1, "the file is empty"),
        (b"---\ntitle: a\n\n# One\n", 1, "the header is not closed"),
        (b"---\ntitle: a\njupyter: {a: 1}\n--- \n# One\n", 1, "the header is not closed"),
        (b"---\ntitle: a\n---\n# One\n", 1, "the header has no settings for Jupyter"),
        (b"---\njupyter:\n---\n# One\n", 1, "the header has no settings for Jupyter"),
        (b"---\n\n---\n# One\n", 1, "the header has no settings for Jupyter"),
        (b"---\ntitle: a\nlevel: b\ntitle: c\n---\n", 4, "the key 'title' stands twice"),
        (b"---\na:\n  b: 1\n  b: 2\n---\n", 4, "the key 'b' stands twice"),
        (b"---\nday: 2026-99-99\n---\n", 1, "the header is not YAML"),
        (b"---\na: [\n---\n", 3, "the header is not YAML"),
    ],
)
def test_a_chapter_that_cannot_be_read(small_book: SmallBook, content: bytes, line: int, message: str) -> None:
    odd(small_book).write_bytes(content)
    (problem,) = execute_chapters([odd(small_book)], root=small_book.root)
    assert (problem.path, problem.line) == (ODD, line)
    assert message in problem.message


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(CHAPTER.replace("\n", "\r\n").encode())
    assert read_chapter(path, root=tmp_path).text == CHAPTER


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="there is no text file here"):
        read_utf8(tmp_path / "a.md")


def test_what_counts_as_a_chapter(small_book: SmallBook) -> None:
    for name in (".hidden.md", ".ipynb_checkpoints/01-checkpoint.md", "notes.md", "deep/index.md", "picture.svg"):
        small_book.write(f"chapters/part/{name}", "x")
    part = small_book.root / "chapters/part"
    assert [path.name for path in find_chapters(small_book.root)] == ["01-one.md", "02-two.md", "notes.md"]
    assert find_part_pages(small_book.root) == [part / "deep/index.md", part / "index.md"]


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("01-again.md", CHAPTER, 1, "there are two chapters 1: chapters/part/01-again.md has this number too"),
        ("1-again.md", CHAPTER, 1, "there are two chapters 1: chapters/part/01-one.md has this number too"),
        (
            "07-sums.md",
            CHAPTER.replace("One · Sums", "8 · Sums"),
            2,
            "the title's number is 8, that of the file's name 7",
        ),
        (
            "b2-x.md",
            CHAPTER.replace("One · Sums", "A2 · Sums"),
            2,
            "the title's number is A2, that of the file's name B2",
        ),
        ("three.MD", CHAPTER, 1, "must be named ….md to be executed, got 'three.MD'"),
        ("three.markdown", CHAPTER, 1, "must be named ….md to be executed, got 'three.markdown'"),
        ("deep/index.md", CHAPTER, 1, "index.md is a part's page and is not executed"),
    ],
)
def test_names_and_numbers(small_book: SmallBook, name: str, text: str, line: int, message: str) -> None:
    small_book.write(f"chapters/part/{name}", text)
    (problem,) = outline_problems(small_book.root)
    assert problem.line == line
    assert message in problem.message


def test_the_books_own_names_and_numbers_are_accepted(small_book: SmallBook) -> None:
    small_book.write("chapters/part/07-x.md", CHAPTER.replace("One · Sums", "7 · Sums"))
    assert outline_problems(small_book.root) == []
    assert outline_problems(ROOT) == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("''", "must be a list of paths"),
        ("['']", "must be a list of paths"),
        ("", "must be a list of paths"),
        ("'.'", "'.'"),
        ('"a\\0b"', "'a\\x00b'"),
        ("data", "no file of the book matches 'data'"),
        ("dato/*", "no file of the book matches 'dato/*'"),
        ("['data/*', nothing.json]", "no file of the book matches 'nothing.json'"),
        ("'**a/x'", "'**a/x'"),
        ("/etc/passwd", "below the book's root"),
    ],
)
def test_inputs_that_name_no_file(tmp_path: Path, pattern: str, message: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.json").touch()
    path = tmp_path / "a.md"
    path.write_text(CHAPTER.replace("minutes: 5", f"inputs: {pattern}"))
    with pytest.raises(BrokenChapter) as caught:
        assert read_chapter(path, root=tmp_path).inputs
    assert caught.value.problem.line == 5
    assert message in caught.value.problem.message


def test_all_bad_cells_of_a_chapter_are_named_at_once_and_none_is_run(small_book: SmallBook) -> None:
    small_book.replace(ONE, "```python\n", "```python timeout=0\n")
    small_book.replace(ONE, "hide-input", "hide-inputs")
    small_book.replace(ONE, "2. How?", "~~~python\nx = 1\n~~~")
    problems = execute_chapters([small_book.root / ONE], root=small_book.root)
    lines = small_book.read(ONE).split("\n")
    assert [lines[problem.line - 1] for problem in problems] == [
        "```python timeout=0",
        '```python tags=["hide-inputs"]',
        "~~~python",
    ]


def test_a_header_that_broke_after_a_build_is_left_to_its_reader(small_book: SmallBook) -> None:
    small_book.write(ONE.replace(".md", ".ipynb"), '{"cells": []}')
    small_book.replace(ONE, "level: Beginner", "level: [Beginner")
    assert list(book_of(small_book)._executed()) == []


def test_a_broken_executed_notebook_is_no_executed_chapter(small_book: SmallBook) -> None:
    small_book.write(ONE.replace(".md", ".ipynb"), "{")
    assert list(book_of(small_book)._executed()) == []


def test_an_unreadable_input_is_named(small_book: SmallBook, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Freshness, code: object, inputs: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", "data/a.json")

    monkeypatch.setattr(Freshness, "digest", refuse)
    (problem,) = execute_chapters([small_book.root / ONE], root=small_book.root)
    assert problem.message == "data/a.json, on which the chapter depends, cannot be read: Permission denied"


@pytest.fixture
def written_notebook(small_book: SmallBook) -> Callable[[], list[Problem]]:
    """Write a chapter's executed notebook without running its cells, over one that a reader has edited."""
    chapter = read_chapter(small_book.root / ONE, root=small_book.root)
    notebook = chapter.notebook
    chapter.executed_notebook.write_text('{"cells": [{"cell_type": "code", "source": "mine", "metadata": {}}]}')

    def write() -> list[Problem]:
        return execute._write_executed(execute._Work(chapter, "digest", None), notebook, lambda _: None)

    return write


def test_a_full_disk_leaves_no_half_written_executed_notebook(
    small_book: SmallBook, monkeypatch: pytest.MonkeyPatch, written_notebook: Callable[[], list[Problem]]
) -> None:
    whole = Path.write_text

    def half(path: Path, text: str, **options: str) -> int:
        whole(path, text[:100], **options)
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    before = {path.name for path in (small_book.root / "chapters/part").iterdir()}
    monkeypatch.setattr(Path, "write_text", half)
    (problem,) = written_notebook()
    assert problem.path == ONE
    assert "cannot be written, for the disk is full: make room and build again" in problem.message
    assert {path.name for path in (small_book.root / "chapters/part").iterdir()} == before
    assert "mine" in small_book.read(ONE.replace(".md", ".ipynb"))


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(small_book: SmallBook, written_notebook: Callable[[], list[Problem]]) -> None:
    folder = (small_book.root / ONE).parent
    folder.chmod(0o555)
    try:
        (problem,) = written_notebook()
    finally:
        folder.chmod(0o755)
    assert "copy the book to a folder that you may write to" in problem.message


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_what_a_reader_is_told_of_a_checkout_that_cannot_be_written(number: int) -> None:
    found = why_unwritable(OSError(number, os.strerror(number), "/book/.press"))
    assert found
    assert found.startswith(f"/book/.press cannot be opened or written ({os.strerror(number)})")
    assert "copy the book to a folder that you may write to, and build it there" in found
    assert why_unwritable(OSError(errno.EIO, "I/O error")) is None


def test_mkdocs_says_it_instead_of_a_traceback() -> None:
    with pytest.raises(Abort, match="site/a cannot be written, for the disk is full"):
        on_build_error(error=OSError(errno.ENOSPC, "No space left on device", "theme/a", None, "site/a"))
    on_build_error(error=OSError(errno.EIO, "I/O error"))
    on_build_error(error=ValueError("another"))


@pytest.mark.parametrize("gone", [ONE, "chapters/part"])
def test_a_chapter_that_went_while_its_cells_ran(
    small_book: SmallBook, written_notebook: Callable[[], list[Problem]], gone: str
) -> None:
    path = small_book.root / gone
    path.rename(small_book.root / "elsewhere")
    (problem,) = written_notebook()
    assert problem == Problem(
        ONE, 1, "the chapter's file is gone: it was renamed or removed after the build had read it"
    )
