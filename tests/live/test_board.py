"""The reader's own board in Chromium: the guess beside the answer, what was read and solved, and the file of it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, until, violations, visit
from open_exercise import PIPELINE, OpenExercise, stub

pytestmark = pytest.mark.browser

RING = "collectives/13-ring-and-tree/"
MARK = "article td:has(> a[href$='{}']) .own-mark"


def mark_of(page: Any, chapter: str) -> str:
    return str(page.locator(MARK.format(chapter)).text_content())


def test_a_guess_is_kept_and_stands_beside_the_answer(open_page: Any, address: str) -> None:
    page = open_page(RING)
    own, verdict = page.locator(".own-guess td"), page.locator(".answer [role=status]")
    assert own.inner_text() == "none: make one"
    last = float(page.locator(".answer").get_attribute("data-number"))
    for written, shown, said in (
        (f"{2 * last}", f"{2 * last} s", "Your guess is 2 times too large by the last row."),
        (f"{last / 4} s", f"{last / 4} s", "Your guess is 4 times too small by the last row."),
        (f"{1.02 * last}", f"{1.02 * last} s", "Your guess is within 10% of the last row."),
        (
            "1,000,000",
            "1,000,000 s",
            f"Your guess is {float(f'{1e6 / last:.2g}'):,.0f} times too large by the last row.",
        ),
        ("long", "long", ""),
        ("-1", "-1 s", ""),
    ):
        page.locator(".guess input").fill(written)
        assert own.inner_text() == shown
        assert verdict.text_content() == said
    page.locator(".guess input").fill("long")
    assert page.locator(".guess [role=status]").inner_text() == "Please write a number, in s."
    page.locator(".guess input").fill("7")
    visit(page, address)
    visit(page, address + RING)
    until(page, "document.querySelector('.guess input')?.value === '7'")
    page.reload()
    until(page, "document.querySelector('.own-guess td')?.textContent === '7 s'")
    page.locator(".guess input").fill("")
    assert own.inner_text() == "none: make one"
    page.reload()
    until(page, "document.querySelector('.guess input')?.value === ''")
    assert page.errors == []


def test_where_nothing_can_be_kept_a_guess_lives_as_long_as_the_page(open_page: Any, address: str) -> None:
    page = open_page("notation/")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"
    )
    page.goto(address + RING)
    page.locator(".guess input").fill("3")
    assert page.locator(".own-guess td").inner_text() == "3 s"
    assert page.locator(".guess [role=status]").inner_text() == "It stands beside the answer until you leave."


@pytest.mark.parametrize("width", [1280, 390])
def test_guess_answer_and_checks_are_accessible_and_fit(open_page: Any, width: int) -> None:
    page = open_page(RING, width=width)
    page.locator(".guess input").fill("5")
    page.locator(".cell-check").first.locator("summary").click()
    parts = ".guess, .answer, .cell-check"
    assert violations(page, parts) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    with dark(page):
        assert violations(page, parts, against=CONTRAST) == []


def test_the_home_page_says_what_was_read_answered_and_solved(open_page: Any, address: str) -> None:
    page = open_page(PIPELINE)
    page.locator("#what-to-remember").scroll_into_view_if_needed()
    until(page, "Object.keys(localStorage).some(key => key.startsWith('read '))")
    for question in page.locator(".quiz > li").all():
        question.locator("button[value=a]").click()
    right = str(page.locator(".quiz").get_attribute("data-right"))
    state = json.dumps({"state": "solved", "text": "x = 1\n", "changed": False})
    page.evaluate("state => localStorage.setItem('one-gradient:parallelism/pipeline/cut_layers', state)", state)
    page.goto(address)
    page.locator(".own-board button").first.wait_for()
    hits = right.count("a")
    assert mark_of(page, PIPELINE) == f"✓ read · quiz {hits} of {len(right)} · 1 solved"
    assert mark_of(page, RING) == ""
    assert violations(page, "article") == []
    assert page.errors == []


def test_the_board_goes_to_a_file_and_into_another_browser(open_page: Any, tmp_path: Path) -> None:
    page = open_page("")
    page.locator(".own-board button").first.wait_for()
    status = page.locator(".own-board [role=status]")
    page.get_by_role("button", name="Save it to a file").click()
    assert "There is nothing to save" in status.inner_text()
    path = page.evaluate("new URL('collectives/13-ring-and-tree/', location).pathname")
    kept = {
        f"read {path}": "2026-11-22T12:00:00.000Z",
        f"guess {path}": "5",
        "one-gradient:collectives/ring_and_tree/reduce_scatter": json.dumps({"state": "draft", "text": "a = 1\n"}),
    }
    page.evaluate("kept => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(key, value))", kept)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save it to a file").click()
    saved = tmp_path / "one-gradient.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text()) == kept

    other = open_page("")  # a browser of its own
    other.locator(".own-board button").first.wait_for()
    spoilt = "one-gradient:collectives/ring_and_tree/spoilt"
    mine = {f"guess {path}": "7", [*kept][2]: json.dumps({"state": "draft", "text": "b = 2\n"}), spoilt: "{}"}
    other.evaluate("kept => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(key, value))", mine)
    take_in(other, saved)
    until(other, "document.querySelector('.own-board [role=status]').textContent.startsWith('New: 1.')")
    assert mark_of(other, RING) == "✓ read"
    assert other.evaluate("path => localStorage.getItem(`guess ${path}`)", path) == "7"
    assert json.loads(other.evaluate("key => localStorage.getItem(key)", [*kept][2]))["text"] == "b = 2\n"
    (version,) = json.loads(other.evaluate("key => localStorage.getItem(`${key}#versions`)", [*kept][2]))
    assert (version["text"], version["why"]) == ("a = 1\n", "from a file")


@pytest.mark.parametrize("content", ["no json", "[]", "null", '{"a": "b"}', '{"guess /x": 3}', '{"__proto__": "x"}'])
def test_a_file_that_is_none_of_the_boards_is_refused(open_page: Any, tmp_path: Path, content: str) -> None:
    page = open_page("")
    page.locator(".own-board button").first.wait_for()
    file = tmp_path / "other.json"
    file.write_text(content)
    take_in(page, file)
    until(
        page, "document.querySelector('.own-board [role=status]').textContent.includes('it is no file of this board')"
    )
    assert page.evaluate("localStorage.length") == page.evaluate(
        "Object.keys(localStorage).filter(key => key.includes('__palette') || key.startsWith('/')).length"
    )


ANSWER = "one-gradient:parallelism/pipeline/cut_layers"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (ANSWER, {"text": None, "state": "solved"}),
        (ANSWER, {"text": 1}),
        (ANSWER, {"text": "x", "state": "<b>"}),
        (ANSWER, None),
        (ANSWER, []),
        (f"{ANSWER}#versions", {"text": "x"}),
        (f"{ANSWER}#versions", [None]),
        (f"{ANSWER}#versions", [{"text": None, "at": 1}]),
    ],
)
def test_a_file_with_an_answer_that_is_none_is_refused(open_page: Any, tmp_path: Path, key: str, value: Any) -> None:
    """The exercise could not be opened any more."""
    page = open_page("")
    page.locator(".own-board button").first.wait_for()
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"guess /x": "5", key: json.dumps(value)}))
    take_in(page, file)
    said = f"other.json is not taken in: what it has as {key} is no answer."
    until(page, "said => document.querySelector('.own-board [role=status]').textContent === said", said)
    assert page.evaluate("keys => keys.filter(key => localStorage.getItem(key) !== null)", [key, "guess /x"]) == []


@pytest.mark.parametrize(
    ("entry", "versions"), [('{"text": null, "state": "solved"}', "3"), ('{"text": 1}', "[null]"), ("[]", "{}")]
)
def test_an_exercise_opens_whatever_something_else_has_kept_in_its_place(
    open_page: Any, entry: str, versions: str
) -> None:
    page = open_page(PIPELINE)
    kept = {ANSWER: entry, f"{ANSWER}#versions": versions}
    page.evaluate("kept => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(key, value))", kept)
    page.reload()
    exercise = OpenExercise(page).open()
    assert exercise.text == stub()
    exercise.box.get_by_text("Earlier versions").click()
    exercise.box.get_by_text("There are none yet.").wait_for()
    exercise.write("a = 1\n")
    assert exercise.kept()["text"] == "a = 1\n"
    assert page.errors == []


def take_in(page: Any, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Load it from a file").click()
    chooser.value.set_files(file)
