"""The table of contents, and what is collected by it: navigation, lists of chapters, links to planned ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_page import MadePages

from press import mkdocs_hook
from press.making.pages import Page
from press.problems import Refused
from press.reading.chapter import find_chapters, read_chapter
from press.reading.contents import read_contents, title_problems

ROOT = Path(__file__).parents[3]
CONTENTS = """\
# The book.
part:
  title: Part I · Sums
  question: What is a sum?
  chapters:
    01-one: {title: Sums, question: "Why: one?"}
    02-two: {title: Products, question: Why two?}
later:
  title: Part II · Roots
  question: What is a root?
  chapters:
    03-three: {title: Roots, question: Why three?}
"""
ONE = "chapters/part/01-one.md"
HEADER = """\
---
title: 1 · Sums
level: Beginner
minutes: 5
jupyter:
  jupytext:
    text_representation:
      extension: .md
      format_name: markdown
      format_version: '1.3'
---

# 1 · Sums

Add what you
have.

"""


@pytest.fixture
def book(made_pages: MadePages) -> MadePages:
    """Return a book of two parts and three chapters, of which the first is written."""
    made_pages.write("chapters/contents.yml", CONTENTS)
    made_pages.write("chapters/part/index.md", '# Part I\n\n[All](../contents.yml "collected: chapters")\n')
    made_pages.write("docs/index.md", '# Home\n\n[All](../chapters/contents.yml "collected: book")\n')
    made_pages.chapter("")
    made_pages.write(ONE, HEADER)
    made_pages.write(
        "chapters/part/01-one.ipynb", '{"cells": [{"cell_type": "markdown", "source": [], "metadata": {}}]}'
    )
    return made_pages


def test_the_parts_and_their_chapters_in_order(book: MadePages) -> None:
    first, later = read_contents(book.root)
    assert (first.name, first.page, first.title) == ("part", "chapters/part/index.md", "Part I · Sums")
    assert [(entry.path, entry.title, entry.question) for entry in first.chapters] == [
        (ONE, "1 · Sums", "Why: one?"),
        ("chapters/part/02-two.md", "2 · Products", "Why two?"),
    ]
    assert later.question == "What is a root?"


def test_a_chapter_may_have_other_names(book: MadePages) -> None:
    book.write("chapters/contents.yml", CONTENTS.replace("Why two?", 'Why two?, also: "pairs, twins"'))
    assert [entry.also for entry in read_contents(book.root)[0].chapters] == ["", "pairs, twins"]


def test_a_book_without_one_has_no_parts(tmp_path: Path) -> None:
    assert read_contents(tmp_path) == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("part:\n", "part: [\n", 4, "the table of contents is not YAML: "),
        ("  question: What is a root?\n", "", 8, "later must have title, question, chapters, got title, chapters"),
        ("01-one:", "one:", 6, "one must begin with its number, as 05-alpha-beta or a1-linear-algebra does"),
        ("title: Roots,", "title: 7,", 12, "03-three must have a title of some words, got 7"),
        ("question: Why two?", "why: two", 7, "02-two must have title, question, got title, why"),
        (
            "    03-three",
            "    3: 4\n    03-three",
            1,
            "chapters of later must be a list of keys with values, got {3: 4",
        ),
        ("    02-two", "    01-one", 7, "the table of contents is not YAML: the key '01-one' stands twice"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(book: MadePages, old: str, new: str, line: int, message: str) -> None:
    assert old in CONTENTS
    book.write("chapters/contents.yml", CONTENTS.replace(old, new))
    with pytest.raises(Refused) as caught:
        read_contents(book.root)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == ("chapters/contents.yml", line)
    assert problem.message.startswith(message)
    assert problem in book.book().problems


def test_a_chapters_title_is_that_of_the_contents(book: MadePages) -> None:
    assert book.problems() == []
    book.write(ONE, HEADER.replace("title: 1 · Sums", "title: 1 · Summs"))
    (problem,) = title_problems(read_contents(book.root), {ONE: read_chapter(book.root / ONE, root=book.root)})
    assert str(problem) == f"{ONE}:2: the title is '1 · Summs', but '1 · Sums' in chapters/contents.yml"


@pytest.mark.parametrize(
    ("needed", "got"),
    [
        ("[02-two, later/03-three, ../later/03-three.md]", ""),
        ("[02-tow]", "no chapter of chapters/contents.yml: '02-tow'"),
        (
            "[part/02-two, https://example.org/02-two]",
            "no chapter of chapters/contents.yml: 'https://example.org/02-two'",
        ),
        ("02-two", "'02-two'"),
        ("[7]", "[7]"),
    ],
)
def test_what_a_chapter_needs_are_chapters(book: MadePages, needed: str, got: str) -> None:
    book.write(ONE, HEADER.replace("minutes: 5\n", f"minutes: 5\nprerequisites: {needed}\n"))
    said = f"{ONE}:5: prerequisites must be a list of chapters, [memory/22-zero], got {got}"
    assert [str(problem) for problem in book.book().problems] == [said] * bool(got)


def test_the_navigation_has_the_parts_that_there_are(book: MadePages) -> None:
    made = book.book()
    assert made.navigation() == [("Part", ["chapters/part/index.md", ONE, *made.entries[1:2]])]


def test_mkdocs_shows_the_parts_where_the_settings_say_so(book: MadePages) -> None:
    made = book.book()
    page = Page("docs/reference/memory.md", "snippets/memory/__init__.py", "# memory\n", "Memory")
    made.written = {page.path: page}
    assert mkdocs_hook._filled_in(["index.md", "chapters/", {"More": ["a.md"]}, {"All": "reference/"}], made) == [
        "index.md",
        {"Part": ["part/index.md", "part/01-one.md", {"2 · Products": mkdocs_hook.PLANNED}]},
        {"More": ["a.md"]},
        {"All": [{"Memory": "reference/memory.md"}]},
    ]


def test_a_parts_page_lists_its_chapters_by_what_they_say_of_themselves(book: MadePages) -> None:
    page = book.rendered("chapters/part/index.md").html
    assert '<a href="01-one/">1 · Sums</a><br>Beginner, 5 min to read</td>' in page
    assert "<td>Why: one?</td>\n<td>Add what you have.</td>" in page
    assert '<td><span class="planned">2 · Products <small>planned</small></span></td>\n<td>Why two?</td>' in page
    assert "Roots" not in page


def test_two_times_stand_where_a_chapter_tells_both(book: MadePages) -> None:
    book.write(ONE, HEADER.replace("minutes: 5", "minutes: 5\nexercise_minutes: 20"))
    assert "Beginner, 5 min to read, 20 min of exercises" in book.rendered("chapters/part/index.md").html


def test_the_home_page_lists_the_whole_book(book: MadePages) -> None:
    page = book.rendered("docs/index.md").html
    assert '<strong><a href="part/">Part I · Sums</a></strong>' in page
    assert "<strong>Part II · Roots</strong>" in page
    assert (
        page.index("1 · Sums</a>") < page.index("2 · Products <small>") < page.index("3 · Roots <small>planned</small>")
    )


def test_a_link_to_a_planned_chapter_becomes_one_when_it_is_written(book: MadePages) -> None:
    book.write("docs/a.md", "# A\n\n[two](../chapters/part/02-two.md#x) [four](../chapters/part/04-four.md)\n")
    assert '<span class="planned">two <small>planned</small></span>' in book.rendered("docs/a.md").html
    (problem,) = book.problems()
    assert "a link leads nowhere: ../chapters/part/04-four.md" in problem
    book.chapter("", path="chapters/part/02-two.md")
    assert '<a href="../part/02-two/#x">two</a>' in book.rendered("docs/a.md").html


def test_a_list_that_is_none_is_refused(book: MadePages) -> None:
    problems = book.problems_of('# A\n\n[All](../chapters/contents.yml "collected: all")\n')
    assert (
        problems[0]
        == "docs/index.md:3: collected must be one of chapters, book, map, letters, labs, planner, measured, exam,"
        " traces, slides or a formula's function, got 'all'"
    )


def test_every_chapter_of_the_book_is_in_its_contents() -> None:
    listed = [entry.path for part in read_contents(ROOT) for entry in part.chapters]
    assert {path.relative_to(ROOT).as_posix() for path in find_chapters(ROOT)} <= set(listed)
    numbers = [path.rpartition("/")[2].partition("-")[0] for path in listed]
    assert numbers == [*(f"{number:02}" for number in range(1, 41)), "a1", "a2", "a3", "a4"]
