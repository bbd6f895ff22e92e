"""What the header of a page may say: words, minutes, no second header, no aliases; and how it comes into the page."""

from __future__ import annotations

import time

import pytest
from made_page import CHAPTER, HEADER, PAGE, MadePages

from press.reading.chapter import says_something

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGED = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name}\n  <<: [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
WRONG = [
    ("title: [a, b]", "title must be some words on one line, got ['a', 'b']"),
    ("title: 2024-01-01", "title must be some words on one line, got datetime.date(2024, 1, 1)"),
    ("title: 7", "title must be some words on one line, got 7"),
    ("title:", "title must be some words on one line, got None"),
    ('title: " \\u200b\\u00a0"', "title must be some words on one line"),
    ('title: "a\\nb"', "title must be some words on one line"),
    ('title: "a\\u202eb"', "title must be some words on one line"),
    ("title: {a: 1}", "title must be some words on one line, got {'a': 1}"),
    ("description: [a]", "description must be some words on one line, got ['a']"),
    ('description: ""', "description must be some words on one line, got ''"),
    ("level: true", "level must be some words on one line, got True"),
    ("minutes: -3", "minutes must be a whole number of minutes from 1 to 600, got -3"),
    ("minutes: .nan", "minutes must be a whole number of minutes from 1 to 600, got nan"),
    ("minutes: .inf", "minutes must be a whole number of minutes from 1 to 600, got inf"),
    ("minutes: 0", "minutes must be a whole number of minutes from 1 to 600, got 0"),
    ("minutes: 7.5", "minutes must be a whole number of minutes from 1 to 600, got 7.5"),
    ("minutes: true", "minutes must be a whole number of minutes from 1 to 600, got True"),
    ('minutes: "45"', "minutes must be a whole number of minutes from 1 to 600, got '45'"),
    ("exercise_minutes: 1e3", "exercise_minutes must be a whole number of minutes from 1 to 600, got "),
    ("minuts: 40", "the key 'minuts' means nothing: write 'minutes'"),
    ("Excercise-minutes: 40", "the key 'Excercise-minutes' means nothing: write 'exercise_minutes'"),
    ("inpts: [a.json]", "the key 'inpts' means nothing: write 'inputs'"),
    ("unchecked-numbers: {'7': x}", "the key 'unchecked-numbers' means nothing: write 'unchecked_numbers'"),
    ("hide: footer", "hide must be a list of navigation, toc or both, got 'footer'"),
]


@pytest.mark.parametrize("page", [PAGE, CHAPTER])
@pytest.mark.parametrize(("said", "message"), WRONG)
def test_a_header_that_says_something_odd_is_refused_on_its_line(
    made_pages: MadePages, page: str, said: str, message: str
) -> None:
    if page == CHAPTER:
        made_pages.chapter("Text.")
        header = HEADER if said.startswith("title") else HEADER.replace("---\n", "---\nmore: 1\n", 1)
        made_pages.write(page, header.replace("title: One" if said.startswith("title") else "more: 1", said))
    else:
        made_pages.write(page, f"---\n{said}\n---\n\n# T\n")
    (problem,) = made_pages.problems()
    assert problem.startswith(f"{page}:2: {message}")
    assert made_pages.book().parted(page)[0] == {}


def test_a_key_that_is_no_word_is_refused(made_pages: MadePages) -> None:
    made_pages.chapter("Text.")
    made_pages.write(CHAPTER, HEADER.replace("---\n", "---\n? [a]\n: b\n", 1))
    assert f"{CHAPTER}:2: the header is not YAML: a key must be a word" in made_pages.problems()


@pytest.mark.parametrize("page", [PAGE, CHAPTER])
@pytest.mark.parametrize("between", ["", "\n\n"])
def test_a_second_header_is_refused(made_pages: MadePages, page: str, between: str) -> None:
    header = HEADER.rstrip("\n") + "\n" if page == CHAPTER else "---\ntitle: T\n---\n"
    made_pages.chapter("Text.")
    text = f"{header}{between}---\ntitle: Two\nlevel: x\n---\n\n# T\n"
    made_pages.write(page, text)
    line = header.count("\n") + between.count("\n") + 1
    assert f"{page}:{line}: a second header begins here and would be shown as text: a page has one" in (
        made_pages.problems()
    )


def test_a_line_across_the_page_is_no_second_header(made_pages: MadePages) -> None:
    assert made_pages.problems_of("---\ntitle: T\n---\n\n# T\n\nText.\n\n---\n\nMore.\n") == []


@pytest.mark.parametrize("page", [PAGE, CHAPTER])
@pytest.mark.parametrize("bomb", [BOMB, MERGED, "a: &a [*a]\n", "a: &a 1\nb: *a\n"])
def test_aliases_in_a_header_are_refused_at_once(made_pages: MadePages, page: str, bomb: str) -> None:
    made_pages.chapter("Text.")
    made_pages.write(
        page, (HEADER if page == CHAPTER else "---\ntitle: T\n---\n\n# T\n").replace("---\n", f"---\n{bomb}", 1)
    )
    begun = time.process_time()
    assert any("the header is not YAML: " in problem and "alias" in problem for problem in made_pages.problems())
    assert time.process_time() - begun < 5
    assert made_pages.book().parted(page)[0] == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [("A ring", True), ("α", True), ("→", True), ("3", True), ("", False), (" \t", False), ("\u200b \u00a0", False)],
)
def test_what_can_be_seen_of_a_text(text: str, says: bool) -> None:
    assert says_something(text) == says


@pytest.mark.parametrize("alt", ["\u200b \u00a0", "&#8203;", "&nbsp;", " "])
def test_an_alt_text_of_nothing_that_can_be_seen_is_none(made_pages: MadePages, alt: str) -> None:
    made_pages.write("docs/a.svg", "")
    assert made_pages.problems_of(f'# T\n\n<img src="a.svg" alt="{alt}">\n') == [
        f"{PAGE}:3: a figure without alt text: a.svg"
    ]
