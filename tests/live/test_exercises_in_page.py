"""In-page exercises in Chromium: every answer that we know of, and all that can go wrong while a reader writes one."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, ROOT, dark, elsewhere, until, violations, visit
from page_texts import IN_PAGES, exercise_at, one_of_each, texts_in_pages, told

from grader import page as door
from grader.catalogue import chapter_of
from grader.source import stub_of
from press import runtime

pytestmark = pytest.mark.browser

PAGES = {address: f"{chapter_of(ROOT / 'exercises' / address).page[9:-3]}/" for address in IN_PAGES}
PIPELINE = "parallelism/18-pipeline/"
NAME, OTHER = "cut_layers", "peak_activations"


def stub() -> str:
    """Return what the editor of the exercise starts with."""
    return stub_of(exercise_at("parallelism/pipeline", NAME))


RIGHT = """\
def cut_layers(layer_s, *, stages):
    def parts(pace):
        sizes, room = [], 0
        for time in layer_s:
            if not sizes or time > room:
                sizes, room = [*sizes, 0], pace
            sizes[-1] += 1
            room -= time
        return sizes

    pace = max(layer_s)
    while len(parts(pace)) > stages:
        pace += 1
    sizes = parts(pace)
    while len(sizes) < stages:
        at = next(i for i, size in enumerate(sizes) if size > 1)
        sizes[at : at + 1] = [1, sizes[at] - 1]
    return sizes
"""
WRONG = "def cut_layers(layer_s, *, stages):\n    return [1] * (stages - 1) + [len(layer_s) - stages + 1]\n"
STATES = {"stub": "open", "solution": "solved"}
ENDLESS = "def cut_layers(layer_s, *, stages):\n    while True:\n        pass\n"


RESTS = """([name, most_s]) => new Promise((rests, fail) => {
    const stop = document.querySelector(`#exercise-${name} button:nth-child(3)`);
    const look = () => {
        if (stop.getAttribute('aria-disabled') === 'true') {
            watch.disconnect();
            clearTimeout(timer);
            rests();
        }
    };
    const watch = new MutationObserver(look);
    const timer = setTimeout(() => fail(new Error(`${name} still runs after ${most_s} s`)), most_s * 1000);
    watch.observe(stop, {attributes: true});
    look();
})"""


class OpenExercise:
    """An exercise of a page, worked on as a reader does."""

    def __init__(self, page: Any, name: str = NAME, chapter: str = "parallelism/pipeline") -> None:
        self.page, self.name, self.chapter = page, name, chapter
        self.box = page.locator(f"#exercise-{name}")
        self.editor = self.box.locator(".cm-content")
        self.note = self.box.locator(".exercise-note").first
        self.result = self.box.locator(".exercise-result")
        self.printed = self.box.locator(".exercise-printed")

    def open(self) -> OpenExercise:
        if not self.editor.count():
            self.box.locator("[data-do=open]").click()
        self.editor.wait_for()
        return self

    def write(self, text: str) -> None:
        self.editor.press("Control+a")
        self.page.keyboard.insert_text(text)

    def press(self, button: str) -> None:
        self.box.get_by_role("button", name=button, exact=True).click()

    def wait(self, *, within_s: float = 90) -> str:
        """Wait until nothing runs, and return what the exercise then says."""
        self.page.evaluate(RESTS, [self.name, within_s])
        return str(self.note.inner_text())

    def graded(self) -> tuple[str, str]:
        """Wait until nothing runs, and return what became of the answer, and the grader's message."""
        self.page.evaluate(RESTS, [self.name, 90])
        return tuple(self.result.evaluate("result => [result.dataset.state, result.textContent]"))

    def run(self, text: str) -> str:
        self.write(text)
        self.press("Run")
        return self.wait()

    def grade(self, text: str) -> str:
        self.write(text)
        self.press("Grade")
        return self.wait()

    @property
    def text(self) -> str:
        return "\n".join(self.editor.locator(".cm-line").all_text_contents())

    @property
    def state(self) -> str:
        return str(self.box.locator(".exercise-status").get_attribute("data-state"))

    def kept(self) -> Any:
        """Wait until what is written is kept, and return it."""
        key = f"one-gradient:{self.chapter}/{self.name}"
        read = "const kept = JSON.parse(localStorage.getItem(key))"
        kept = f"([key, text]) => {{ {read}; return kept?.text === text && kept }}"
        return until(self.page, kept, [key, self.text])


@pytest.fixture(scope="module")
def walker(browser: Any, address: str) -> Iterator[Any]:
    """Yield a page that goes from chapter to chapter by links, so that Python goes on running."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    yield page
    context.close()


@pytest.fixture
def warm(walker: Any, address: str) -> Any:
    """Return a chapter's page as a reader first sees it, but that Python may run already."""
    visit(walker, address)
    walker.evaluate("localStorage.clear()")
    visit(walker, address + PIPELINE)
    return walker


@pytest.fixture
def exercise(walker: Any, address: str) -> OpenExercise:
    """Return an exercise that is open; tests leave it as they like."""
    visit(walker, address + PIPELINE)
    return OpenExercise(walker).open()


# What is right, wrong and open --------------------------------------------------------------------------------------


STUBS = re.compile(
    r'<div class="exercise" [^>]*data-name="(\w+)".*?class="exercise-stub".*?<code>(.*?)</code>', re.DOTALL
)


@pytest.mark.parametrize("chapter", PAGES)
def test_the_page_starts_from_the_stub(site: Path, chapter: str) -> None:
    """For every exercise that runs in a page."""
    page = (site / "one-gradient" / PAGES[chapter] / "index.html").read_text(encoding="utf-8")
    shown = {name: html.unescape(re.sub(r"<[^>]+>", "", code)) for name, code in STUBS.findall(page)}
    assert shown.keys() >= set(IN_PAGES[chapter])
    for name in IN_PAGES[chapter]:
        assert f"{shown[name].rstrip()}\n" == stub_of(exercise_at(chapter, name))


def test_a_reader_gets_from_open_over_wrong_to_solved(exercise: OpenExercise) -> None:
    said = exercise.grade(stub())
    assert said.startswith("○ Still open")
    said = exercise.grade(WRONG)
    assert said.startswith("✗ Not solved yet")
    assert exercise.state == "tried"
    told = door.grade("parallelism/pipeline", NAME, WRONG, lambda: None)["message"]
    assert exercise.result.text_content() == told
    assert exercise.grade(RIGHT).startswith("✓ Solved")
    assert exercise.state == "solved"
    board = exercise.page.locator('.exercise-board [data-name="cut_layers"] .exercise-status')
    assert board.inner_text() == "✓ solved"
    exercise.write(f"{RIGHT}# more\n")
    exercise.kept()
    assert board.inner_text() == "✓ solved, changed since"


def test_run_shows_what_is_printed_and_the_traceback(exercise: OpenExercise) -> None:
    said = exercise.run('print("one")\nprint("two", end="")\nraise ValueError("three")\n')
    assert said == "It raises ValueError: three"
    printed = exercise.printed.text_content()
    assert printed.startswith("one\ntwo")
    assert "line 3" in printed
    assert "said" not in exercise.run("x = 1\n")
    assert exercise.printed.is_hidden()


@pytest.mark.parametrize("chapter", IN_PAGES)
def test_an_answer_is_judged_in_the_page_as_it_is(walker: Any, address: str, chapter: str) -> None:
    """Stub, solution and a mistake of an exercise are written into the editor and graded; at night all of all.

    What the page says is what pytest says (``tests/grader/test_page.py`` compares CPython's door with pytest).
    """
    visit(walker, address + PAGES[chapter])
    for name, kinds in texts_in_pages({chapter: one_of_each()[chapter]})[chapter].items():
        exercise = OpenExercise(walker, name, chapter).open()
        for kind, text in kinds.items():
            exercise.write(text)
            walker.keyboard.press("Shift+Control+Enter")
            here = door.grade(chapter, name, text, lambda: None)  # while the page is at it
            state, message = exercise.graded()
            there = {**here, "message": message}
            assert state == STATES.get(kind, "tried"), there
            assert kind in STATES or f"({kind})" in " ".join(there["message"].split()), there
            assert told(there) == told(here), kind
    assert walker.errors == []


# What can go wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [ENDLESS, "while True:\n    pass\n"])
def test_grading_an_endless_loop_ends_with_a_plain_message(exercise: OpenExercise, text: str) -> None:
    assert "Does a loop never end?" in exercise.grade(text)
    assert "still running: it was stopped" in exercise.result.text_content()
    assert exercise.state == "tried"
    assert "ran to its end" in exercise.run("x = 1\n")


def test_running_an_endless_loop_ends_and_shows_what_was_printed(exercise: OpenExercise) -> None:
    said = exercise.run('print("before")\nwhile True:\n    pass\n')
    assert said == "Still running after 10 s: it was stopped. Does a loop never end?"
    assert exercise.printed.text_content() == "before\n"


def test_stop_ends_what_runs_at_once_and_the_next_run_works(exercise: OpenExercise) -> None:
    assert "ran to its end" in exercise.run("x = 1\n")
    exercise.write("print(1)\nwhile True:\n    pass\n")
    exercise.press("Run")
    exercise.printed.get_by_text("1").wait_for()
    exercise.press("Stop")
    assert exercise.wait(within_s=8) == "Stopped."  # before the limit does
    assert "ran to its end" in exercise.run("x = 1\n")


def test_grading_that_takes_long_but_lives_is_not_stopped(exercise: OpenExercise) -> None:
    slow = RIGHT.replace("    pace = max(layer_s)\n", "    import time; time.sleep(0.13)\n    pace = max(layer_s)\n")
    assert slow != RIGHT
    assert exercise.grade(slow).startswith("✓ Solved")


def test_a_program_that_ends_itself_does_not_end_python(exercise: OpenExercise) -> None:
    said = exercise.run("import sys\nsys.exit(3)\n")
    assert "sys.exit" in said
    assert "ran to its end" in exercise.run("x = 1\n")
    assert exercise.grade(f"import sys\n{WRONG}sys.exit()\n").startswith("✗ Not solved yet")


def test_of_a_megabyte_of_output_the_first_and_the_last_part_are_shown(exercise: OpenExercise) -> None:
    exercise.write("for i in range(90_000):\n    print(i, 'x')\n")
    exercise.page.evaluate(
        """globalThis.shares = [];
        globalThis.watch = new MutationObserver(changes => changes.forEach(change =>
            change.addedNodes.forEach(node => shares.push(node.textContent.length))));
        watch.observe(document.querySelector('#exercise-cut_layers .exercise-printed'), {childList: true});"""
    )
    exercise.press("Run")
    assert "ran to its end" in exercise.wait()
    printed = exercise.printed.text_content()
    assert printed.startswith("0 x\n1 x\n")
    assert printed.endswith("89999 x\n")
    assert "characters are left out" in printed
    assert len(printed) < 25_000
    shares = exercise.page.evaluate("watch.disconnect(), shares")
    assert max(shares) < 25_000  # what the page puts on the screen at a time


def test_what_is_printed_is_text_and_never_html(exercise: OpenExercise) -> None:
    bad = "<img src=x onerror='window.broken = 1'><script>window.broken = 1</script>"
    exercise.run(f'print("""{bad}""")\nraise ValueError("""{bad}""")\n')
    assert exercise.printed.text_content().startswith(bad)
    assert bad in exercise.note.text_content()
    wrong = f'def cut_layers(layer_s, *, stages):\n    return """{bad}"""\n'
    exercise.grade(wrong)
    assert exercise.box.locator("img, script").count() == 0
    assert exercise.page.evaluate("window.broken") is None


def test_what_a_reader_writes_or_prints_never_reaches_inner_html(warm: Any) -> None:
    page = warm
    page.evaluate(
        """() => { globalThis.parsed = [];
        for (const [owner, name] of [[Element, 'innerHTML'], [Element, 'outerHTML'], [ShadowRoot, 'innerHTML']]) {
            const { get, set } = Object.getOwnPropertyDescriptor(owner.prototype, name);
            const watched = function (text) { parsed.push(String(text)); set.call(this, text); };
            Object.defineProperty(owner.prototype, name, { get, set: watched });
        }
        for (const name of ['insertAdjacentHTML', 'setHTMLUnsafe']) {
            const plain = Element.prototype[name];
            Element.prototype[name] = function (...all) { parsed.push(String(all)); return plain.apply(this, all); };
        } }"""
    )
    exercise = OpenExercise(page).open()
    exercise.run("print('<b>a-mark-of-the-reader</b>')\nraise ValueError('a-mark-of-the-reader')\n")
    exercise.grade("def cut_layers(layer_s, *, stages):\n    raise ValueError('a-mark-of-the-reader')\n")
    assert "a-mark-of-the-reader" in exercise.result.text_content()
    page.evaluate("document.createElement('p').innerHTML = 'the watch works'")
    assert page.evaluate("parsed.at(-1)") == "the watch works"
    assert page.evaluate("parsed.filter(text => text.includes('a-mark-of-the-reader')).length") == 0


RUINOUS = {
    "the judge's cases": "from grader import cases\ncases.cases = lambda exercise: []\n",
    "the worker's ears": "import js\njs.self.onmessage = None\njs.self.setTimeout = None\n",
    "the worker": "import js\njs.self.close()\n",
}


@pytest.mark.parametrize(
    "what", [name if name == "the judge's cases" else pytest.param(name, marks=pytest.mark.nightly) for name in RUINOUS]
)
def test_what_a_text_does_to_its_python_reaches_no_later_verdict(exercise: OpenExercise, what: str) -> None:
    exercise.write(f"{RUINOUS[what]}{WRONG}")
    exercise.press("Grade")
    exercise.wait()
    assert exercise.grade(WRONG).startswith("✗ Not solved yet")
    assert exercise.grade(RIGHT).startswith("✓ Solved")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cut_layers.py", b"\xff\xfe", "cut_layers.py is not taken in: it is no text in UTF-8."),
        ("answers.py", b"(" * 30_000, "answers.py is not taken in: Python cannot read it"),
        ("answers.py", b"#" * 2_000_000, "answers.py is not taken in: it has 2,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_answer_is_refused_with_a_reason(
    exercise: OpenExercise, name: str, content: bytes, said: str
) -> None:
    before = exercise.text
    board = exercise.page.locator(".exercise-board")
    with exercise.page.expect_file_chooser() as chooser:
        board.get_by_role("button", name="Import").click()
    chooser.value.set_files({"name": name, "mimeType": "text/x-python", "buffer": content})
    board.get_by_text(said).wait_for(timeout=90_000)
    assert exercise.text == before


def test_python_that_breaks_is_replaced(exercise: OpenExercise) -> None:
    """Pyodide may end for good, here by a recursion that its own stack does not survive, and says so or recovers."""
    exercise.run("import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()\n")
    assert "ran to its end" in exercise.run("x = 1\n")


def test_a_network_lost_in_the_middle_of_loading_can_come_back(open_page: Any) -> None:
    page = open_page(PIPELINE)
    exercise = OpenExercise(page).open()
    page.route("**/pyodide.asm.wasm", lambda route: route.abort("internetdisconnected"))
    said = exercise.run("print('here')\n")
    assert said.startswith("Python could not be loaded.")
    assert "What you wrote is safe." in said
    assert exercise.kept()["text"] == "print('here')\n"
    page.unroute("**/pyodide.asm.wasm")
    exercise.press("Try again")
    assert "ran to its end" in exercise.wait()
    assert exercise.printed.text_content() == "here\n"


def test_an_editor_that_cannot_be_loaded_says_so_and_can_be_asked_again(open_page: Any) -> None:
    page = open_page(PIPELINE)
    exercise = OpenExercise(page)
    page.route("**/@codemirror/**", lambda route: route.abort("internetdisconnected"))
    exercise.box.locator("[data-do=open]").click()
    exercise.box.get_by_text("The editor could not be loaded").wait_for()
    page.unroute("**/@codemirror/**")
    exercise.open()
    assert exercise.text == stub()


def test_a_script_that_cannot_be_loaded_says_so(open_page: Any) -> None:
    page = open_page(PIPELINE)
    page.context.set_offline(True)
    OpenExercise(page).box.locator("[data-do=open]").click()
    OpenExercise(page).box.get_by_text("This could not be loaded: reload the page").wait_for()


def test_loading_can_be_stopped(open_page: Any) -> None:
    page = open_page(PIPELINE)
    exercise = OpenExercise(page).open()
    held: list[Any] = []
    page.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    exercise.press("Run")
    until(page, "() => document.querySelector('#exercise-cut_layers .exercise-note').textContent.includes('Starting')")
    assert re.match(r"Starting Python: 14 MB from this site, \d+ % loaded\.", exercise.note.inner_text())
    exercise.press("Stop")
    assert exercise.wait() == "Stopped."
    for route in held:
        route.abort()
    page.unroute("**/pyodide.asm.wasm")
    exercise.press("Run")
    assert "still to be written" in exercise.wait()  # as the stub's example says


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


@pytest.mark.parametrize("script", [FULL, FORBIDDEN], ids=["full", "forbidden"])
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
    assert page.locator(".exercise-stub code").count() == 4
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
        route.fulfill(body=text, content_type="text/html")

    page.route(f"**/{PIPELINE}", allow)
    page.goto(address + PIPELINE)
    return page


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


def test_python_that_was_changed_on_the_way_is_refused(open_page: Any, address: str) -> None:
    exercise = OpenExercise(from_elsewhere(open_page, address, "python_stdlib.zip")).open()
    assert exercise.run("x = 1\n").startswith("Python could not be loaded.")
