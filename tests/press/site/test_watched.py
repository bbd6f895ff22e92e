"""Which files ``mkdocs serve`` looks at: the book's, but not what editors and builds leave beside them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from small_book import SmallBook
from watchdog.utils.dirsnapshot import DirectorySnapshot, DirectorySnapshotDiff

from press.site.watched import Sources, forget_modules, is_source, stamps

PASSING = [
    "chapters/part/.01-one.md.swp",
    "chapters/part/4913",
    "chapters/part/01-one.md~",
    "chapters/part/.#01-one.md",
    "chapters/part/#01-one.md#",
    "chapters/part/.~lock.01-one.md#",
    "chapters/part/01-one.md___jb_tmp___",
    "chapters/part/01-one.ipynb",
    "chapters/part/01-one.kept-1.ipynb",
    "chapters/part/01-one.77.press-part",
    "chapters/part/.ipynb_checkpoints/01-one-checkpoint.md",
    "docs/.glossary.md.swp",
    "docs/glossary.md~",
    "sums/total.py~",
    "sums/__pycache__/total.cpython-311.pyc",
    "sums/answers.py",
    "answers/__init__.py",
    "answers/part/one/total.py",
    ".git/index",
    ".press/pages/a.json",
    "site/index.html",
    "node_modules/a/index.js",
    "notes.md",
]
SOURCES = [
    "chapters/part/01-one.md",
    "chapters/part/picture.svg",
    "chapters/new/03-three.md",
    "docs/glossary.md",
    "docs/stylesheets/new.css",
    "sums/total.py",
    "sums/table.json",
    "more/__init__.py",
    "mkdocs.yml",
    "requirements.txt",
    "CHANGELOG.md",
]


@pytest.fixture
def sources(small_book: SmallBook) -> Sources:
    return Sources(small_book.root, "docs", "mkdocs.yml")


def seen(book: SmallBook, sources: Sources) -> DirectorySnapshot:
    return DirectorySnapshot(str(book.root), listdir=sources.entries)


def changed(book: SmallBook, before: DirectorySnapshot, after: DirectorySnapshot) -> list[str]:
    found = DirectorySnapshotDiff(before, after)
    files = [*found.files_created, *found.files_modified, *found.files_deleted]
    return [os.path.relpath(str(path), book.root) for path in files]


@pytest.mark.parametrize("name", PASSING)
def test_what_is_no_source_is_not_seen(small_book: SmallBook, sources: Sources, name: str) -> None:
    before = seen(small_book, sources)
    small_book.write(name, "x")
    assert changed(small_book, before, seen(small_book, sources)) == []
    (small_book.root / name).unlink()
    assert changed(small_book, before, seen(small_book, sources)) == []


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_seen(small_book: SmallBook, sources: Sources, name: str) -> None:
    before = seen(small_book, sources)
    small_book.write(name, "something of another length")
    assert changed(small_book, before, seen(small_book, sources)) == [name]


@pytest.mark.book
def test_a_build_changes_nothing_that_is_seen(small_book: SmallBook, sources: Sources) -> None:
    before = seen(small_book, sources)
    assert small_book.build().returncode == 0
    assert changed(small_book, before, seen(small_book, sources)) == []


def test_every_file_of_the_book_is_a_source() -> None:
    root = Path(__file__).parents[3]
    for room in ("chapters", "docs", "exercises", "snippets"):
        for path in (root / room).rglob("*"):
            parts = path.relative_to(root).parts
            made = {"__pycache__", ".ipynb_checkpoints", "answers.py", ".hints.json"} & set(parts)
            assert made or path.suffix == ".ipynb" or all(map(is_source, parts)), path


def test_a_changed_package_is_imported_anew(small_book: SmallBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(small_book.root))
    small_book.write("sums/twice.py", "from sums.total import total\n")
    from sums import twice

    first, before = twice.total([1]), stamps(small_book.root)
    assert stamps(small_book.root) == before
    small_book.replace("sums/total.py", "sum(values)", "sum(values) + 10")
    assert stamps(small_book.root) != before
    forget_modules(small_book.root)
    assert not [name for name in sys.modules if name.split(".")[0] == "sums"]
    assert "press.site.watched" in sys.modules
    from sums import twice as again

    assert (first, again.total([1])) == (1, 11)
    forget_modules(small_book.root)
