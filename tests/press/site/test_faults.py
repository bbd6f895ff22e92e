"""Where the book's own code ended a build."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest
from made_page import MadePages
from small_book import SmallBook

from press.site.faults import faults
from press.site.watched import forget_modules


def raised(module: str) -> BaseException:
    try:
        importlib.import_module(module)
    except (Exception, SystemExit) as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture(autouse=True)
def _small_book_can_be_imported(small_book: SmallBook, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(small_book.root))
    yield
    forget_modules(small_book.root)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("x = 1\ndef f(:\n", "sums/faulty.py:2: Python cannot read the file: invalid syntax"),
        ("\n\nreturn 1\n", "sums/faulty.py:3: Python cannot read the file: 'return' outside function"),
        ("\nx = unknown\n", "sums/faulty.py:2: NameError: name 'unknown' is not defined"),
        ("\n\nimport nosuch\n", "sums/faulty.py:3: ModuleNotFoundError: No module named 'nosuch'"),
        ("from sums import total\ntotal.total(3)\n", "sums/total.py:2: TypeError: 'int' object is not iterable"),
        ("raise SystemExit(3)\n", "sums/faulty.py:1: SystemExit: 3"),
    ],
)
def test_the_last_place_in_the_books_code_is_named(small_book: SmallBook, text: str, reported: str) -> None:
    small_book.write("sums/faulty.py", text)
    small_book.write("sums/caller.py", "import sums.faulty\n")
    assert [str(problem) for problem in faults(raised("sums.caller"), small_book.root)] == [reported]


def test_all_files_that_python_cannot_read_are_named(small_book: SmallBook) -> None:
    small_book.write("sums/faulty.py", "def f(:\n")
    small_book.write("sums/another.py", "1 +\n")
    small_book.write("sums/latin.py", "")
    (small_book.root / "sums/latin.py").write_bytes("x = 'é'\n".encode("latin-1"))
    problems = faults(raised("sums.faulty"), small_book.root)
    assert [(problem.path, problem.line) for problem in problems] == [
        ("sums/another.py", 1),
        ("sums/faulty.py", 1),
        ("sums/latin.py", 1),
    ]


def test_what_others_raise_is_none_of_the_books(small_book: SmallBook) -> None:
    assert faults(raised("nosuch"), small_book.root) == []


def test_unchanged_files_are_not_compiled_again(made_pages: MadePages, monkeypatch: pytest.MonkeyPatch) -> None:
    made_pages.write("sums/faulty.py", "x = 1\ndef f(:\n")
    made_pages.write("sums/sound.py", "x = 1\n")
    files = [made_pages.root / "sums" / name for name in ("faulty.py", "sound.py")]
    found = made_pages.book()._syntax_problems(files)
    assert [str(problem) for problem in found] == ["sums/faulty.py:2: Python cannot read the file: invalid syntax"]
    with monkeypatch.context() as patched:
        patched.setattr("press.book.syntax_problem", None)
        assert made_pages.book()._syntax_problems(files) == found
    made_pages.write("sums/faulty.py", "x = 1\n")
    assert made_pages.book()._syntax_problems(files) == []
