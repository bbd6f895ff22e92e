"""A teacher's assignment, taken in on the page of exercises and read as pytest reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from assignment_texts import REFUSED, TAKEN
from browser_fixtures import CONTRAST, dark, until, violations

from grader.assignment import assigned
from grader.catalogue import HOME

BOX = ".own-assignment"
SAYS = f"{BOX} [role=status]"


def written(folder: Path, text: str) -> Path:
    path = folder / "week.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_the_terminal_says_what_the_page_says(tmp_path: Path, name: str) -> None:
    text, says = REFUSED[name]
    with pytest.raises(ValueError, match=r"week\.txt") as refused:
        assigned(written(tmp_path, text), HOME)
    assert says in str(refused.value)


def take_in(page: Any, path: Path) -> str:
    """Take a file in, and return what is then said."""
    page.evaluate(f"document.querySelector('{SAYS}').replaceChildren()")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Take an assignment in").click()
    chooser.value.set_files(path)
    until(page, f"document.querySelector('{SAYS}').textContent !== ''")
    return str(page.locator(SAYS).inner_text())


@pytest.mark.browser
@pytest.mark.parametrize("name", TAKEN)
def test_what_is_asked_stands_on_the_page(open_page: Any, tmp_path: Path, name: str) -> None:
    path = written(tmp_path, TAKEN[name])
    assignment = assigned(path, HOME)
    page = open_page("exercises/")
    page.locator(f"{BOX} button").first.wait_for()
    said = take_in(page, path)
    lines = page.locator(f"{BOX} li").all_inner_texts()
    assert [line.split()[0] for line in lines] == [exercise.name for _, exercise in assignment.asked]
    weights = [float(line.split("counts ")[1].split()[0]) if "counts " in line else 1.0 for line in lines]
    assert weights == [exercise.weight for _, exercise in assignment.asked]
    if assignment.deadline:
        here = page.evaluate(
            "ms => new Date(ms).toLocaleString('en-GB', {dateStyle: 'full', timeStyle: 'short'})",
            assignment.deadline.timestamp() * 1000,
        )
        assert said.startswith(f"Due {here} by this browser's clock, ")
    else:
        assert said == "This assignment has no deadline."
    assert page.errors == []


@pytest.mark.browser
def test_it_stays_shows_what_is_solved_and_can_be_forgotten(open_page: Any, tmp_path: Path) -> None:
    page = open_page("exercises/")
    page.locator(f"{BOX} button").first.wait_for()
    page.evaluate("""localStorage.setItem("one-gradient:memory/zero/owners", '{"state": "solved", "text": "x"}')""")
    take_in(page, written(tmp_path, TAKEN["deadline"] + "fewest_ranks 2\n"))
    states = f"Array.from(document.querySelectorAll('{BOX} .exercise-status'), state => state.textContent).join()"
    until(page, f"{states} === '✓ solved,○ open'")
    page.reload()
    until(page, f"{states} === '✓ solved,○ open'")
    assert page.locator(f"{BOX} a").first.get_attribute("href").endswith("memory/22-zero/#exercise-owners")
    assert violations(page, BOX) == []
    with dark(page):
        assert violations(page, BOX, against=CONTRAST) == []
    page.get_by_role("button", name="Forget it").click()
    assert page.locator(f"{BOX} li").count() == 0
    assert not page.get_by_role("button", name="Forget it").is_visible()
    page.reload()
    page.locator(f"{BOX} button").first.wait_for()
    assert page.locator(f"{BOX} li").count() == 0
    assert page.errors == []


@pytest.mark.browser
def test_what_is_no_assignment_is_refused_and_the_one_before_stays(open_page: Any, tmp_path: Path) -> None:
    page = open_page("exercises/")
    page.locator(f"{BOX} button").first.wait_for()
    take_in(page, written(tmp_path, TAKEN["one"]))
    for text, says in REFUSED.values():
        said = take_in(page, written(tmp_path, text))
        assert said.startswith("week.txt is not taken in: "), said
        assert says.split(": ", 1)[-1] in said
        assert says[0] not in "12" or f"line {says[0]}: " in said
        assert page.locator(f"{BOX} li").count() == 1
    said = take_in(page, written(tmp_path, "#" * 100_001))
    assert said == "week.txt is not taken in: it has 100,001 bytes, and at most 100,000 are taken."
    page.evaluate("localStorage.setItem('assignment', 'an_exercise_of_another_edition')")
    page.reload()
    until(
        page, f"document.querySelector('{SAYS}').textContent.includes('does not fit this book: line 1: no exercises')"
    )
    assert page.errors == []
