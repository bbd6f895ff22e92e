"""The page Final exam in Chromium: answers are graded as the book grades them, kept, and certified; nothing is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, until, violations

from snippets.synthesis.conclusion.exam import MOST_NAME, exam_answers, graded_exam
from snippets.synthesis.conclusion.exam_judging import best_answer
from snippets.synthesis.conclusion.exam_tasks import exam_tasks
from snippets.synthesis.conclusion.exam_view import exam_view, graded_view, solution_view

pytestmark = pytest.mark.browser

PAGE = "exam/"
RUNS = "t=4 c=4 zero=3 recompute=full"  # of seed 1, task 2: slow, but it can be graded
PARSED = "html => { const t = new DOMParser().parseFromString(html, 'text/html'); return t.body.innerHTML; }"


def settled(page: Any) -> None:
    page.wait_for_timeout(50)
    until(page, "!document.querySelector('.exam').ariaBusy", within_s=120)


def part(page: Any, number: int, name: str) -> str:
    return str(page.locator(f"[data-task='{number}'] [data-part={name}]").inner_html())


def answer(page: Any, number: int, text: str) -> None:
    task = page.locator(f"[data-task='{number}']")
    task.locator("[name=answer]").fill(text)
    task.get_by_role("button", name="Grade").click()
    settled(page)


@pytest.fixture(scope="module")
def exam(browser: Any, address: str) -> Iterator[Any]:
    """Yield the page, on which tests go on from one another."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.errors, page.requests = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.requests.append((request.method, request.url)))
    page.goto(address + PAGE)
    yield page
    assert page.errors == []
    own = (address, "data:", "blob:")
    assert [asked for asked in page.requests if asked[0] != "GET" or not asked[1].startswith(own)] == []
    context.close()


def test_it_opens_whole_and_asks_for_no_python_before_a_hand_comes(open_page: Any) -> None:
    page = open_page(PAGE)
    page.wait_for_timeout(500)
    for number, html in enumerate(json.loads(exam_view("1"))["tasks"], 1):
        assert part(page, number, "task") == page.evaluate(PARSED, html)
    assert not [url for url in page.requests if "pyodide" in url or "pages-exam" in url]
    assert page.errors == []


def test_without_scripts_the_tasks_stand_there_and_nothing_that_would_do_nothing(open_page: Any) -> None:
    page = open_page(PAGE, java_script_enabled=False)
    assert page.locator("#task-5").is_visible()
    assert page.locator(".exam :is(input, button, details:not(.exam-sheet)):visible").count() == 0


def test_it_is_answered_graded_kept_and_certified(exam: Any, address: str) -> None:
    tasks = exam_tasks(1)
    given = [best_answer(tasks[0]), RUNS, '<img src=x onerror="document.title=1">', "", best_answer(tasks[4])]
    for number, text in enumerate(given, 1):
        answer(exam, number, text)
        said = json.loads(graded_view(1, number, text))["html"]
        assert part(exam, number, "verdict") == exam.evaluate(PARSED, said)
    points = graded_exam(1, given).points
    assert f"{points} of 100 points" in exam.locator("[data-part=points]").inner_text()
    assert "1 of 5 tasks are not graded yet" in exam.locator("[data-part=points]").inner_text()
    assert exam.locator(".exam img").count() == 0
    fold = exam.locator("[data-task='2'] .exam-solution")
    fold.locator("summary").click()
    settled(exam)
    assert part(exam, 2, "solution") == exam.evaluate(PARSED, solution_view(1, 2, given[1]))
    assert not exam.locator("[data-task='4'] .exam-solution").is_visible()  # it was not tried
    exam.locator("#exam-name").fill("<b>Ada</b>")
    exam.get_by_role("button", name="Make the certificate").click()
    settled(exam)
    written = exam.locator(".exam-certificate pre").inner_text()
    assert "Name: <b>Ada</b>\n" in written
    assert exam_answers(written, seed=1) == tuple(given)
    assert f"Points: {points} of 100" in written
    exam.locator("#exam-name").fill("x" * (MOST_NAME + 1))
    exam.get_by_role("button", name="Make the certificate").click()
    assert f"at most {MOST_NAME} characters, got {MOST_NAME + 1}" in exam.locator(".exam-note").inner_text()
    with exam.expect_download() as download:
        exam.get_by_role("button", name="Save as a file").click()
    assert download.value.path().read_text(encoding="utf-8").rstrip() == written.rstrip()

    exam.reload()
    settled(exam)
    assert [exam.locator(f"#exam-answer-{number}").input_value() for number in range(1, 6)] == given
    assert exam.locator("[data-task='2'] .exam-solution").is_visible()
    assert "graded before" in part(exam, 2, "verdict")
    assert f"{points} of 100 points" in exam.locator("[data-part=points]").inner_text()
    assert "1 of 5 tasks are not graded yet" in exam.locator("[data-part=points]").inner_text()
    assert exam.locator("#exam-answer-1").evaluate("input => !document.title.startsWith('1')")


def test_another_seed_has_its_own_tasks_and_answers_and_stays(exam: Any) -> None:
    exam.locator("#exam-seed").fill("7")
    exam.get_by_role("button", name="Draw its tasks").click()
    settled(exam)
    for number, html in enumerate(json.loads(exam_view("7"))["tasks"], 1):
        assert part(exam, number, "task") == exam.evaluate(PARSED, html)
    assert exam.locator("#exam-answer-1").input_value() == ""
    exam.locator("#exam-answer-1").fill("t=8 p=4")
    assert "0 of 100 points" in exam.locator("[data-part=points]").inner_text()
    exam.reload()
    assert exam.locator("#exam-seed").input_value() == "7"  # at once, and nothing can be typed into seed 1's tasks
    assert exam.locator("#exam-answer-1").is_disabled()
    assert "Drawing the tasks of seed 7" in exam.locator(".exam-note").inner_text()
    settled(exam)
    assert exam.locator(".exam :disabled").count() == 0
    assert exam.locator("#exam-seed").input_value() == "7"
    assert exam.locator("#exam-answer-1").input_value() == "t=8 p=4"
    assert part(exam, 1, "task") == exam.evaluate(PARSED, json.loads(exam_view("7"))["tasks"][0])
    exam.locator("#exam-seed").fill("many")
    exam.locator("#exam-seed").press("Enter")
    settled(exam)
    assert "must be a whole number" in exam.locator(".exam-note").inner_text()
    assert exam.locator("#exam-seed").get_attribute("aria-invalid") == "true"
    assert exam.locator("#exam-answer-1").is_enabled()
    exam.locator("#exam-seed").fill("1")
    exam.locator("#exam-seed").press("Enter")
    settled(exam)
    assert exam.locator("#exam-answer-2").input_value() == RUNS


def test_it_is_accessible_in_both_schemes_and_on_a_phone(exam: Any) -> None:
    answer(exam, 1, "t=8 p=4 zero=1 recompute=full")
    assert violations(exam, ".md-content") == []
    with dark(exam):
        assert violations(exam, ".md-content", against=CONTRAST) == []
    exam.set_viewport_size({"width": 390, "height": 800})
    assert exam.evaluate("document.documentElement.scrollWidth") <= 390
