"""What the build refuses: a copy of a book is broken in one way, and the build has to fail and name the place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sampling import sampled
from small_book import SmallBook

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"

# What is broken: a file, the piece that is replaced, by what, the place that the build names, and what it says.
BROKEN = [
    pytest.param(ONE, "print(total([1, 2, 3]))", "x = 1\n1 / 0", "1 / 0", "ZeroDivisionError", id="cell raises"),
    pytest.param(ONE, "$n$ words, as", "$\\frac{n$ words, as", "\\frac{n", "does not parse", id="TeX"),
    pytest.param(ONE, "$n$ words, as", "$n words, as", "$n words", "dollar sign is left", id="dollar"),
    pytest.param(ONE, "02-two.md#two-products", "03-three.md", "03-three.md", "leads nowhere", id="link"),
    pytest.param(ONE, "#two-products", "#three", "02-two.md#three", "no place named 'three'", id="anchor"),
    pytest.param(ONE, "\\eqref{eq:time}", "\\eqref{eq:space}", "eq:space", "labelled 'eq:space'", id="equation"),
    pytest.param(ONE, "glossary.md#rank", "glossary.md#tank", "#tank", "no term 'tank'", id="glossary"),
    pytest.param(ONE, "#kaplan-2020", "#kaplan-2021", "#kaplan-2021", "no entry 'kaplan-2021'", id="reference"),
    pytest.param(ONE, "2. How?", "Think.\n\n1. How?", "1. How?", "numbers restart", id="list"),
    pytest.param(
        ONE,
        'show(panel, alt="One block", caption="A block of $n$ words.")',
        'from IPython.display import SVG\n\nSVG(panel.svg())',
        "from snippets.drawing",
        "without alt text",
        id="output without alt text",
    ),
    pytest.param(ONE, "1. Why?", "![](a.svg)\n\n1. Why?", "![](a.svg)", "without alt text", id="image"),
    pytest.param(ONE, "1. Why?", "1. Why 640 ranks?", "1. Why 640", "the number '640'", id="number"),
    pytest.param("docs/glossary.md", "A process", "A $process", "A $process", "dollar sign", id="another page"),
]  # fmt: skip


def test_the_book_itself_is_accepted(small_book: SmallBook) -> None:
    done = small_book.build()
    assert done.returncode == 0, done.stderr
    page = (small_book.root / "site/part/01-one/index.html").read_text()
    assert "<pre>6\n</pre>" in page
    assert 'title="A process of a group."' in page
    assert '<a href="#eq:time">(1)</a>' in page
    assert (small_book.root / "site/part/01-one/01-one.ipynb").exists()


@pytest.mark.parametrize(("name", "old", "new", "place", "message"), sampled(BROKEN, 4))
def test_refused_with_its_place(
    built_book: SmallBook, line_in: Callable[[str, str], int], name: str, old: str, new: str, place: str, message: str
) -> None:
    (built_book.root / "docs/a.svg").touch()
    built_book.replace(name, old, new)
    done = built_book.build()
    assert done.returncode != 0
    line = line_in(built_book.read(name), place)
    matching = [text for text in done.stderr.splitlines() if f"{name}:{line}: " in text and message in text]
    assert matching, done.stderr


def test_a_cell_that_outlives_its_limit_is_refused(built_book: SmallBook, line_in: Callable[[str, str], int]) -> None:
    built_book.settings["extra"]["press"]["cell_timeout_s"] = 2
    built_book.save_settings()
    built_book.replace(ONE, "print(total([1, 2, 3]))", "while True:\n    pass")
    done = built_book.build()
    assert done.returncode != 0
    line = line_in(built_book.read(ONE), "from sums.total")
    assert f"{ONE}:{line}: cell 1 took longer than its 2 s limit" in done.stderr


def test_a_chapter_in_no_navigation_is_refused(built_book: SmallBook) -> None:
    built_book.settings["nav"][1]["Part"].pop()
    built_book.save_settings()
    done = built_book.build()
    assert done.returncode != 0
    assert "chapters/part/02-two.md:1: the chapter is in no navigation" in done.stderr


def test_all_problems_are_named_at_once(built_book: SmallBook) -> None:
    built_book.replace(ONE, "glossary.md#rank", "glossary.md#tank")
    built_book.replace("chapters/part/02-two.md", "print(", "raise ValueError('no')\nprint(")
    done = built_book.build()
    assert "no term 'tank'" in done.stderr
    assert "ValueError: no" in done.stderr
    assert "The book has 2 problems" in done.stdout
