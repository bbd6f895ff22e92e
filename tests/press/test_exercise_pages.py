"""In-page exercises as the press sets them, and the page that lists them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from exercises import in_page
from press.exercise import exercises_page, expand_exercises, stub_source, stubs_shown

ROOT = Path(__file__).parents[2]
LINK = '[Solve it here](../../exercises/a/b/stub.py "exercise: double")'
STUB = '''\
"""Exercises of chapter 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

Pair = tuple[int, int]


def double(pair: Pair) -> Pair:
    """Return ``a < b`` twice."""
    raise NotImplementedError


def other(x: Sequence[int]) -> float:
    """Return π."""
    raise NotImplementedError(math.pi)
'''


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    """Return the folder of a chapter's page, in a book with one stub."""
    folder = tmp_path / "exercises/a/b"
    folder.mkdir(parents=True)
    (folder / "stub.py").write_text(STUB, encoding="utf-8")
    page = tmp_path / "chapters/a"
    page.mkdir(parents=True)
    return page


def expanded(sources: list[str], folder: Path) -> tuple[list[str], list[str]]:
    """Return the cells with their exercises, and what was reported."""
    reported: list[str] = []
    return expand_exercises(
        sources, folder, folder.parents[1], lambda _, message, __=0: reported.append(message)
    ), reported


def test_a_link_becomes_the_stub_with_what_it_needs(chapter: Path) -> None:
    (text,), reported = expanded([f"Before.\n\n{LINK}\n\nAfter."], chapter)
    assert reported == []
    assert 'data-chapter="a/b" data-name="double"' in text
    code = re.search(r"```python\n(.*?)\n```", text, re.DOTALL)
    assert code
    assert code[1] == STUB[STUB.index("Pair =") : STUB.index("\n\n\ndef other")]
    assert text.startswith("Before.\n\n<div")
    assert text.endswith("</div>\n\nAfter.")


def test_the_board_stands_in_the_section_before_its_first_exercise(chapter: Path) -> None:
    (first, code, last), _ = expanded(["# T\n\n## Exercises\n\nHow.\n\n### One\n\nText.", "", f"{LINK}\n"], chapter)
    assert first.index("How.") < first.index("exercise-board") < first.index("### One")
    assert '<a href="#exercise-double">' in first
    assert code == ""
    assert "exercise-board" not in last


def test_a_page_without_exercises_is_as_it_was(chapter: Path) -> None:
    sources = ["## Exercises\n\n1. Why?", "[a stub](../../exercises/a/b/stub.py)"]
    assert expanded(sources, chapter) == (sources, [])


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        (LINK.replace("double", "triple"), "../../exercises/a/b/stub.py has no function 'triple'"),
        (LINK.replace("a/b", "a/c"), "the exercise's file ../../exercises/a/c/stub.py does not exist"),
    ],
)
def test_a_link_to_nothing_is_reported(chapter: Path, link: str, wanted: str) -> None:
    _, reported = expanded([link], chapter)
    assert reported == [wanted]


def test_a_page_depends_on_the_stubs_that_it_shows() -> None:
    assert stubs_shown(f"{LINK}\n\nIn a sentence {LINK} is a link.") == [("../../exercises/a/b/stub.py", "double")]


def test_the_page_starts_from_what_the_door_calls_the_stub() -> None:
    for chapter in in_page.described():
        module = (ROOT / "exercises" / chapter["address"] / "stub.py").read_text(encoding="utf-8")
        for exercise in chapter["exercises"]:
            assert stub_source(module, exercise["name"]) == in_page.stub(chapter["address"], exercise["name"])


def test_the_page_of_all_exercises_lists_each_once_where_it_can_be_solved() -> None:
    described = in_page.described()
    page = exercises_page(described, [chapter["page"] for chapter in described])
    assert page
    for chapter in described:
        for exercise in chapter["exercises"]:
            (line,) = re.findall(rf'<li data-name="{exercise["name"]}">.*?</li>', page.text)
            assert exercise["level"] in line
            assert ("exercise-status" in line) == exercise["in_page"]
    assert exercises_page(described, ["chapters/another.md"]) is None
