"""What is refused in a finished page."""

from __future__ import annotations

import pytest

from press.reading.checks import Scan, page_problems, unlisted_chapters


def messages(page: str) -> list[str]:
    return [message for _, message in Scan(page).findings]


@pytest.mark.parametrize(
    "page",
    [
        "<p>costs &#36;5</p>",
        "<pre>$ pip</pre><code>$x</code>",
        "<math><mi>x</mi><annotation>$</annotation></math>",
        '<img src="a.png" alt="A ring">',
        "<h2>Steps</h2><ol><li>a</li></ol><p>x</p><ol><li>b</li></ol>",
        '<h2>Exercises</h2><ol><li>a</li><li>b<ol><li>inner</li></ol></li></ol><ol start="3"><li>c</li></ol>',
        "<h2>Exercises</h2><h3>Exercise 1</h3><h3>Exercise 2</h3>",
        "<h2>Exercises</h2><ol><li>a</li></ol><h2>Check yourself</h2><ol><li>a</li></ol>",
        "<h2>Check yourself</h2><ol><li>q<ul><li>a</li></ul></li></ol><ol start='2'><li>q</li></ol>",
    ],
)
def test_nothing_to_refuse(page: str) -> None:
    assert messages(page) == []


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<p>a $x</p>", "a dollar sign is left"),
        ("<p><em>$</em></p>", "a dollar sign is left"),
        ('<img src="a.png">', "without alt text: a.png"),
        ('<img src="a.png" alt=" ">', "without alt text"),
        (
            "<h2>Exercises</h2><ol><li>a</li><li>b</li></ol><p>x</p><ol><li>c</li></ol>",
            "begins at 1, the one before ended at 2",
        ),
        (
            "<h2>Check yourself</h2><ol><li>a</li></ol><ol start='3'><li>c</li></ol>",
            "begins at 3, the one before ended at 1",
        ),
        ("<h2>Exercises</h2><h3>Exercise 1</h3><h3>Exercise 1</h3>", "1 follows 1"),
    ],
)
def test_refused(page: str, message: str) -> None:
    (found,) = messages(page)
    assert message in found


def test_ids_are_collected() -> None:
    assert Scan('<p id="a"><b id="b">x</b></p>').ids == {"a", "b"}


def test_a_finding_gets_its_line() -> None:
    (problem,) = page_problems([("$y", "left")], "chapters/x.md", "one\ntwo\nthree $y\n")
    assert str(problem) == "chapters/x.md:3: left"


def test_a_chapter_in_no_navigation() -> None:
    (problem,) = unlisted_chapters(["chapters/a.md", "chapters/b.md"], {"chapters/a.md"})
    assert problem.path == "chapters/b.md"
