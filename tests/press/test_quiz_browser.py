"""The quizzes of the built book in Chromium: every choice is answered, by mouse, touch and keyboard, and is kept."""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
from browser_fixtures import CONTRAST, ROOT, dark, until, violations
from sampling import chapter_changed, sampled

from press.making.quiz import Question, read_quiz
from press.reading.chapter import find_chapters, read_chapter

pytestmark = pytest.mark.browser

A1 = "background/a1-linear-algebra/"


@functools.cache
def questions_of(page: str) -> list[Question]:
    """Return the questions of the chapter at an address."""
    return read_quiz(read_chapter(CHAPTERS[page], root=ROOT).cells, page)[0]


CHAPTERS = {f"{path.relative_to(ROOT / 'chapters').with_suffix('').as_posix()}/": path for path in find_chapters(ROOT)}
CHOICE = ".quiz > li:nth-child({}) button[value={}]"
VERDICT = ".quiz > li:nth-child({}) [role=status]"
FOLD = ".quiz ~ details"


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def plain_start(markdown: str) -> str:
    """Return what a piece of Markdown says before its first markup."""
    return re.split(r"[$*`\[\\]", markdown)[0].strip()


def explained(page: Any) -> dict[tuple[int, str], str]:
    """Return the reasons, by question and option, as they stand in the fold."""
    lines = page.locator(FOLD).first.locator("p, li").evaluate_all("parts => parts.map(part => part.textContent)")
    reasons, number = {}, 0
    for line in lines:
        answer = re.match(r"(\d+) \((\w)\)\. (.*)", line, re.DOTALL)
        reason = answer or re.match(r"(\d*)\((\w)\) (.*)", line, re.DOTALL)
        assert reason, line
        number = int(reason[1] or number)
        reasons[number, reason[2]] = squeezed(reason[3])
    return reasons


# Chooses every option of every question, one after the other, and reports what the page then shows.
CHOOSE_ALL = """() => [...document.querySelectorAll('.quiz > li')].flatMap((item, at) =>
    [...item.querySelectorAll('button[value]')].map(button => {
        const verdict = item.querySelector('[role=status]');
        const before = verdict.textContent;
        button.click();
        return {
            number: at + 1, letter: button.value, before, option: button.parentElement.textContent,
            verdict: verdict.textContent, icon: getComputedStyle(verdict, '::before').content,
            pressed: [...item.querySelectorAll('[aria-pressed=true]')].map(other => other.value),
        };
    }))"""


@pytest.fixture(scope="module")
def narrow(browser: Any) -> Any:
    """Return a page that goes from one chapter to the next, so that what they share is loaded once."""
    page = browser.new_page(viewport={"width": 390, "height": 900}, reduced_motion="reduce")
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    return page


@pytest.mark.parametrize("path", sampled(CHAPTERS, 9, changed=lambda path: chapter_changed(CHAPTERS[path])))
def test_every_option_gets_its_verdict_and_its_reason(narrow: Any, address: str, path: str) -> None:
    """The last choice counts, whatever was chosen before; other tests choose by mouse and keyboard."""
    page = narrow
    page.goto(address + path, wait_until="commit")
    until(page, "document.querySelector('.quiz button')")
    fold, questions = explained(page), {question.number: question for question in questions_of(path)}
    shown = page.evaluate(CHOOSE_ALL)
    assert len(fold) == len(shown) == sum(len(question.options) for question in questions.values())
    for one in shown:
        question, letter = questions[one["number"]], one["letter"]
        word = "right" if letter == question.right else "wrong"
        text = squeezed(one["verdict"])
        assert one["before"] == "" or letter != next(iter(question.options))
        assert plain_start(question.options[letter]) in squeezed(one["option"])
        assert text == f"({letter}) is {word}. {fold[question.number, letter]}"
        assert plain_start(question.reasons[letter]) in text
        assert one["icon"].startswith('"✓"' if word == "right" else '"✗"')
        assert one["pressed"] == [letter]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = "e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1"
    assert page.locator(".quiz :is(label, p)").evaluate_all(f"all => all.filter(e => {wide}).length") == 0
    assert page.errors == []


def reason(number: int, letter: str) -> str:
    """Return how the verdict on an option of A1 begins."""
    return f"({letter}) is {'right' if questions_of(A1)[number - 1].right == letter else 'wrong'}."


def test_a_question_is_a_group_and_its_buttons_are_named_by_the_options(open_page: Any) -> None:
    page = open_page(A1)
    question = questions_of(A1)[2]
    group = page.get_by_role("group", name=question.text)
    for option in question.options.values():
        assert group.get_by_role("button", name=option).count() == 1
    group.get_by_role("button", name=question.options[question.right]).click()
    assert "is right" in group.get_by_role("status").text_content()


def test_the_keyboard_alone_answers_and_starts_again(open_page: Any) -> None:
    page = open_page(A1)
    page.locator("#check-yourself a").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == "b"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert page.locator(".quiz [aria-pressed=true]").count() == 0  # to come along is not to choose
    page.keyboard.press("Enter")
    assert reason(1, "b") in page.locator(VERDICT.format(1)).text_content()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert reason(1, "c") in page.locator(VERDICT.format(1)).text_content()
    options = sum(len(question.options) for question in questions_of(A1))
    for _ in range(options - 2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Start again"
    page.keyboard.press("Enter")
    assert page.locator(".quiz [aria-pressed=true]").count() == 0
    assert page.locator(VERDICT.format(1)).text_content() == ""
    assert page.locator(".quiz-again").is_hidden()
    assert page.evaluate("document.activeElement === document.querySelector('.quiz button')")


def test_a_touch_of_the_options_words_chooses_it(open_page: Any) -> None:
    page = open_page(A1, width=390, has_touch=True)
    label = page.locator(".quiz > li:nth-child(2) label").first
    assert label.bounding_box()["height"] >= 24
    label.locator("span").tap()
    assert reason(2, "a") in page.locator(VERDICT.format(2)).text_content()


@pytest.mark.parametrize("path", sampled(CHAPTERS, 2))
def test_without_scripts_questions_and_answers_are_in_the_page(open_page: Any, path: str) -> None:
    page = open_page(path, java_script_enabled=False)
    questions = questions_of(path)
    assert page.locator(".quiz button").count() == 0
    texts = [squeezed(text) for text in page.locator(".quiz > li > ul > li").all_text_contents()]
    options = [(letter, text) for question in questions for letter, text in question.options.items()]
    for text, (letter, option) in zip(texts, options, strict=True):
        assert text.startswith(f"({letter}) {plain_start(option)}")
    page.locator(f"{FOLD} > summary").first.click()
    fold = page.locator(FOLD).first
    assert fold.locator("p").first.is_visible()
    shown = squeezed(fold.text_content())
    for question in questions:
        assert f"{question.number} ({question.right}). {plain_start(question.reasons[question.right])}" in shown
        for letter in question.options.keys() - {question.right}:
            assert f"({letter}) {plain_start(question.reasons[letter])}" in shown


def test_no_violation_of_wcag_in_an_answered_quiz(open_page: Any) -> None:
    page = open_page(A1)
    first, second = questions_of(A1)[:2]
    page.locator(CHOICE.format(1, first.right)).click()
    page.locator(CHOICE.format(2, next(letter for letter in second.options if letter != second.right))).click()
    assert page.locator(".quiz .right").count() == page.locator(".quiz .wrong").count() == 1
    assert violations(page, ".quiz") == []
    with dark(page):
        assert violations(page, ".quiz", against=CONTRAST) == []


def test_what_was_chosen_is_there_after_a_reload(open_page: Any) -> None:
    page = open_page(A1)
    page.locator(CHOICE.format(1, "c")).click()
    page.locator(CHOICE.format(3, "c")).click()
    before = page.locator(".quiz").text_content()
    page.reload()
    page.locator(".quiz-again").wait_for()
    assert page.locator(".quiz").text_content() == before
    assert page.locator(".quiz [aria-pressed=true]").evaluate_all("all => all.map(e => e.value)") == ["c", "c"]
    page.locator(".quiz-again").click()
    page.reload()
    page.locator(".quiz button").first.wait_for()
    assert page.locator(".quiz [aria-pressed=true]").count() == 0
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('quiz')).length") == 0


def test_what_was_kept_of_another_quiz_is_passed_over(open_page: Any) -> None:
    page = open_page(A1)
    page.locator(CHOICE.format(1, "b")).click()
    key = page.evaluate("Object.keys(localStorage).find(key => key.startsWith('quiz'))")
    page.evaluate("key => localStorage.setItem(key, 'z\"*9 and more')", key)
    page.reload()
    page.locator(".quiz button").first.wait_for()
    assert page.locator(".quiz [aria-pressed=true]").count() == 0
    assert page.locator(".quiz-again").is_hidden()
    page.locator(CHOICE.format(1, "b")).click()
    assert reason(1, "b") in page.locator(VERDICT.format(1)).text_content()
    assert page.errors == []


def test_where_storage_is_forbidden_a_quiz_still_answers(open_page: Any, address: str) -> None:
    page = open_page("")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page.goto(address + A1)
    page.locator(CHOICE.format(4, "b")).click()
    assert reason(4, "b") in page.locator(VERDICT.format(4)).text_content()
    page.locator(".quiz-again").click()
    assert page.locator(VERDICT.format(4)).text_content() == ""


def test_instant_navigation_brings_a_quiz_that_answers(open_page: Any, address: str) -> None:
    page = open_page("")
    page.evaluate("window.stayed = true")
    page.click(f"article a[href*='{A1}']")
    page.wait_for_url(address + A1)
    page.locator(CHOICE.format(1, "a")).click()
    assert reason(1, "a") in page.locator(VERDICT.format(1)).text_content()
    page.go_back()
    page.wait_for_url(address)
    page.locator(".quiz").wait_for(state="detached")
    page.go_forward()
    page.locator(CHOICE.format(1, "b")).wait_for()
    assert reason(1, "a") in page.locator(VERDICT.format(1)).text_content()
    assert page.locator(".quiz fieldset").count() == len(questions_of(A1))
    assert page.locator(".quiz-again").count() == 1
    assert page.evaluate("window.stayed")
    assert page.errors == []


def test_on_paper_stand_the_questions_and_all_answers(open_page: Any) -> None:
    page = open_page(A1)
    page.locator(CHOICE.format(1, "a")).click()
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(VERDICT.format(1)).is_hidden()
    assert page.locator(".quiz-again").is_hidden()
    looks = "all => [...new Set(all.map(e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color].join()))]"
    assert len(page.locator(".quiz button").evaluate_all(looks)) == 1
    assert page.locator(FOLD).first.locator("li").last.is_visible()


def test_the_script_is_small_and_fit_for_a_strict_policy() -> None:
    script = (ROOT / "docs/javascripts/book.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\b|new Function|\.style\b|\.on[a-z]+ =", script)
    assert len(script[script.index("// A quiz") :].partition("\n}\n")[0].encode()) < 3 * 1024
