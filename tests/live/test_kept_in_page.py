"""In-page exercises in Chromium: what a reader writes is kept, where it is shown, and where the editor comes from."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, elsewhere, until, violations, visit
from open_exercise import NAME, OTHER, PIPELINE, RIGHT, WRONG, OpenExercise, stub
from sampling import at_night

from press.site import runtime

pytestmark = pytest.mark.browser

# Keeping -------------------------------------------------------------------------------------------------------------


def test_an_answer_survives_a_reload_and_pages_between(open_page: Any, address: str) -> None:
    page = open_page(PIPELINE)
    OpenExercise(page).open().write(WRONG)
    page.reload()  # at once: the page is closed in the middle of the time after which it saves
    until(page, "document.querySelector('#exercise-cut_layers .exercise-status').innerText === '◐ begun'")
    assert not [url for url in page.requests if "codemirror" in url][20:]
    exercise = OpenExercise(page)
    assert exercise.box.locator("[data-do=open]").inner_text() == "Go on here"
    assert exercise.open().text == WRONG
    page.evaluate("window.stayed = true")
    exercise.write(f"{WRONG}# and more\n")
    visit(page, address)
    page.go_back()
    until(page, "url => location.href === url && document.querySelector('.exercise')", address + PIPELINE)
    assert page.evaluate("window.stayed")
    assert OpenExercise(page).open().text == f"{WRONG}# and more\n"


def test_two_tabs_show_one_answer_and_lose_none(open_page: Any, address: str) -> None:
    page = open_page(PIPELINE)
    second = page.context.new_page()
    second.goto(address + PIPELINE)
    one, two = OpenExercise(page).open(), OpenExercise(second).open()
    one.write(WRONG)
    one.kept()
    until(second, "text => document.querySelector('.cm-content').innerText.includes(text)", "len(layer_s)")
    assert two.text == WRONG
    # As if the other tab had written, and this one not heard of it yet.
    key = "one-gradient:parallelism/pipeline/cut_layers"
    unheard = {"state": "draft", "text": "a = 2\n", "changed": True}
    page.evaluate("([key, entry]) => localStorage.setItem(key, JSON.stringify(entry))", [key, unheard])
    one.write("a = 1\n")
    one.kept()
    versions = page.evaluate("key => JSON.parse(localStorage.getItem(key))", f"{key}#versions")
    assert [(version["text"], version["why"]) for version in versions] == [("a = 2\n", "from another tab")]


FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
FORBIDDEN = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"


@pytest.mark.parametrize("script", [at_night(FULL), FORBIDDEN], ids=["full", "forbidden"])
def test_where_nothing_can_be_kept_the_page_says_so_and_asks_before_it_is_left(
    open_page: Any, address: str, script: str
) -> None:
    page = open_page("notation/")
    page.add_init_script(script)
    page.goto(address + PIPELINE)
    exercise = OpenExercise(page).open()
    exercise.write(WRONG)
    alert = exercise.box.get_by_role("alert")
    alert.get_by_text("does not keep what you write").wait_for()
    if script == FORBIDDEN:
        with page.expect_download(timeout=90_000) as download:
            alert.get_by_role("button", name="Export").click()
        with zipfile.ZipFile(download.value.path()) as packed:
            text = packed.read(f"answers/parallelism/pipeline/{NAME}.py").decode()
        assert "return [1] * (stages - 1)" in text
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]
    # Who stays has the answer still. And Chromium dies now and then where a page is closed that puts a dialog away.
    assert exercise.text == WRONG


def test_reset_can_be_undone_and_earlier_versions_come_back(warm: Any) -> None:
    exercise = OpenExercise(warm).open()
    exercise.write(WRONG)
    exercise.press("Reset")
    assert exercise.text == stub()
    exercise.press("Undo")
    assert exercise.text == WRONG
    for number in range(25):
        exercise.write(f"a = {number}\n")
        exercise.press("Reset")
    exercise.box.get_by_text("Earlier versions").click()
    restore = exercise.box.locator(".exercise-versions button")
    restore.first.wait_for()  # a <details> says that it opened in a task of its own
    assert restore.count() == 20
    restore.nth(3).click()
    assert exercise.text == "a = 21\n"
    assert exercise.kept()["text"] == "a = 21\n"


def test_answers_go_to_a_file_that_the_grader_takes_and_back(warm: Any, address: str, tmp_path: Path) -> None:
    page = warm
    exercise, other = OpenExercise(page).open(), OpenExercise(page, OTHER).open()
    exercise.write(RIGHT)
    other.write("def peak_activations(order):\n    return 1\n")
    board = page.locator(".exercise-board")
    with page.expect_download(timeout=90_000) as download:
        board.get_by_role("button", name="Export answers").click()
    assert download.value.suggested_filename == "answers-parallelism-pipeline.zip"
    file = tmp_path / "answers.zip"
    download.value.save_as(file)
    with zipfile.ZipFile(file) as packed:
        names = [f"answers/parallelism/pipeline/{name}.py" for name in (OTHER, NAME)]
        assert sorted(packed.namelist()) == sorted(names)
        assert packed.read(names[1]).decode() == RIGHT
    before = exercise.text
    exercise.write("x = 1\n")
    with page.expect_file_chooser() as chooser:
        board.get_by_role("button", name="Import").click()
    chooser.value.set_files(file)
    board.get_by_text("Taken in: cut_layers").wait_for(timeout=90_000)
    assert exercise.text == before
    assert other.text == "def peak_activations(order):\n    return 1\n"
    exercise.box.get_by_text("Earlier versions").click()
    exercise.box.locator(".exercise-versions button").first.click()
    assert exercise.text == "x = 1\n"
    visit(page, f"{address}exercises/")
    status = page.locator('[data-chapter="parallelism/pipeline"] [data-name="cut_layers"] .exercise-status')
    assert status.inner_text() == "◐ begun"


# What the page is ----------------------------------------------------------------------------------------------------


def test_before_a_touch_nothing_is_loaded_and_nothing_moves(open_page: Any) -> None:
    page = open_page(PIPELINE)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(500)
    assert not [url for url in page.requests if "/live/" in url or "/runtime/" in url]
    shifts = """() => new Promise(done => new PerformanceObserver(list =>
        done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0)))
            .observe({type: 'layout-shift', buffered: true}) || setTimeout(() => done(0), 300))"""
    assert page.evaluate(shifts) < 0.01


def test_without_scripts_the_stubs_can_be_read_and_no_button_is_shown(open_page: Any) -> None:
    page = open_page(PIPELINE, java_script_enabled=False)
    assert page.locator(".exercise-stub code").count() == 5
    assert page.locator(".exercise button:visible, .exercise-board button:visible").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_all_exercises_is_accessible_and_fits(open_page: Any, width: int) -> None:
    page = open_page("exercises/", width=width)
    assert violations(page, "article") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_open_exercise_is_accessible_and_fits(warm: Any) -> None:
    page = warm
    exercise = OpenExercise(page).open()
    assert violations(page, "#exercise-cut_layers") == []
    exercise.grade(WRONG)
    exercise.box.get_by_text("Earlier versions").click()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert violations(page, ".exercise-board, .exercise") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    with dark(page):
        assert violations(page, ".exercise-board, .exercise", against=CONTRAST) == []
    assert page.errors == []


def test_an_exercise_is_solved_with_the_keyboard_alone(warm: Any) -> None:
    page = warm
    exercise = OpenExercise(page)
    exercise.box.locator("[data-do=open]").focus()
    page.keyboard.press("Enter")
    exercise.editor.wait_for()
    until(page, "document.activeElement.classList.contains('cm-content')")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type("def cut_layers(layer_s, *, stages):\nreturn [1]")  # the editor indents after the colon
    assert exercise.text == "def cut_layers(layer_s, *, stages):\n    return [1]"
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert exercise.text.endswith("\n        return [1]")
    page.keyboard.press("Control+z")
    page.keyboard.press("Shift+Control+Enter")
    until(
        page, "document.querySelector('#exercise-cut_layers .exercise-note').textContent.startsWith('✗')", within_s=90
    )
    page.keyboard.press("Control+Enter")
    exercise.wait()
    assert exercise.note.inner_text() == "It ran to its end and printed nothing."
    page.keyboard.press("Escape")
    names = []
    for _ in range(4):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent"))
    assert names == ["Run", "Grade", "Stop", "Reset"]
    page.keyboard.press("Enter")
    assert exercise.text == stub()


def test_print_shows_the_answer_as_code(open_page: Any) -> None:
    page = open_page(PIPELINE)
    exercise, box = OpenExercise(page).open(), page.locator("#exercise-cut_layers")
    exercise.write(WRONG)
    exercise.kept()
    assert box.locator(".exercise-paper").is_hidden()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert box.locator(".exercise-paper").inner_text() == WRONG
    assert not box.locator(".cm-editor, button, .exercise-stub").filter(visible=True).count()
    assert page.locator("#exercise-peak_activations .exercise-stub code").is_visible()


# The runtime from elsewhere ------------------------------------------------------------------------------------------


def from_elsewhere(open_page: Any, address: str, tampered: str = "") -> Any:
    """Open the page of a site that does not have the runtime itself."""
    page = open_page("notation/")
    elsewhere(page, tampered=tampered)

    def allow(route: Any) -> None:
        text = route.fetch().text().replace("connect-src 'self'", f"connect-src 'self' {runtime.CDN}")
        text = text.replace("script-src 'self'", "script-src 'self' blob:")
        route.fulfill(body=text, content_type="text/html")

    page.route(f"**/{PIPELINE}", allow)
    page.goto(address + PIPELINE)
    return page


@pytest.mark.nightly
def test_without_npm_editor_and_python_come_from_elsewhere(open_page: Any, address: str) -> None:
    exercise = OpenExercise(from_elsewhere(open_page, address)).open()
    exercise.press("Run")
    until(
        exercise.page, "document.querySelector('#exercise-cut_layers .exercise-note').textContent.includes('jsdelivr')"
    )
    assert "still to be written" in exercise.wait()  # as the stub's example says


def test_an_editor_that_was_changed_on_the_way_is_refused(open_page: Any, address: str) -> None:
    exercise = OpenExercise(from_elsewhere(open_page, address, "state@6.7.6/dist/index.js"))
    exercise.box.locator("[data-do=open]").click()
    exercise.box.get_by_text("a file that is not the one this book was made with is refused", exact=False).wait_for()
    assert exercise.editor.count() == 0


@pytest.mark.nightly
def test_python_that_was_changed_on_the_way_is_refused(open_page: Any, address: str) -> None:
    exercise = OpenExercise(from_elsewhere(open_page, address, "python_stdlib.zip")).open()
    assert exercise.run("x = 1\n").startswith("Python could not be loaded.")
