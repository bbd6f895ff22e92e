"""In-page exercises in Chromium: every answer that we know of, and all that can go wrong while a reader writes one."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import ROOT, until, visit
from open_exercise import NAME, PIPELINE, RIGHT, WRONG, OpenExercise, stub
from page_texts import IN_PAGES, exercise_at, graded, texts_in_pages, told
from sampling import at_night, changed_files, in_turn, sampled

from grader.catalogue import chapter_of
from grader.source import solution_of, stub_of

pytestmark = pytest.mark.browser

PAGES = {address: f"{chapter_of(ROOT / 'exercises' / address).page[9:-3]}/" for address in IN_PAGES}
STATES = {"stub": "open", "solution": "solved"}
ENDLESS = "def cut_layers(layer_s, *, stages):\n    while True:\n        pass\n"


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


@pytest.mark.long
def test_a_reader_gets_from_open_over_wrong_to_solved(exercise: OpenExercise) -> None:
    said = exercise.grade(stub())
    assert said.startswith("○ Still open")
    said = exercise.grade(WRONG)
    assert said.startswith("✗ Not solved yet")
    assert exercise.state == "tried"
    told = graded("parallelism/pipeline", NAME, WRONG)["message"]
    assert exercise.result.text_content() == told
    assert exercise.grade(RIGHT).startswith("✓ Solved")
    assert exercise.state == "solved"
    board = exercise.page.locator('.exercise-board [data-name="cut_layers"] .exercise-status')
    assert board.inner_text() == "✓ solved"
    exercise.write(f"{RIGHT}# more\n")
    exercise.kept()
    assert board.inner_text() == "✓ solved, changed since"


GPIPE = """\
def one_f_one_b_order(*, stages, micro_batches, stage):
    return [(kind, i) for kind in "FB" for i in range(micro_batches)]
"""


def test_a_wrong_answer_is_drawn_and_the_next_hint_is_offered(warm: Any) -> None:
    exercise = OpenExercise(warm, "one_f_one_b_order").open()
    drawn, hints = exercise.box.locator(".exercise-pictures"), warm.locator("#exercise-one_f_one_b_order ~ details")
    for number in ("1", "2"):
        said = exercise.grade(GPIPE)
        assert said.startswith("✗ Not solved yet"), said
        assert "your orders, run together" in drawn.locator("svg text").all_text_contents()
        assert drawn.get_attribute("aria-label").startswith("What your answer does with stages = ")
        exercise.press(f"Open hint {number}")
        hint = hints.nth(int(number) - 1)
        assert hint.get_attribute("open") is not None
        assert hint.locator("summary").evaluate("summary => summary === document.activeElement")
        assert hint.locator("a", has_text="where to read").count()
    exercise.grade(solution_of(exercise_at("parallelism/pipeline", "one_f_one_b_order")))
    assert drawn.is_hidden()
    assert warm.errors == []


def test_run_shows_what_is_printed_and_the_traceback(exercise: OpenExercise) -> None:
    said = exercise.run('print("one")\nprint("two", end="")\nraise ValueError("three")\n')
    assert said == "It raises ValueError: three"
    printed = exercise.printed.text_content()
    assert printed.startswith("one\ntwo")
    assert "line 3" in printed
    assert "said" not in exercise.run("x = 1\n")
    assert exercise.printed.is_hidden()


def has_changed(chapter: str) -> bool:
    """Whether one of a chapter's exercises is among the changed files."""
    return any(path.startswith(f"exercises/{chapter}/") for path in changed_files())


@pytest.mark.parametrize("chapter", sampled(IN_PAGES, 1, changed=has_changed))
def test_an_answer_is_judged_in_the_page_as_it_is(walker: Any, address: str, chapter: str) -> None:
    """Stub, solution and a mistake of an exercise are written into the editor and graded; at night all of its mistakes.

    One exercise of a chapter a day, in turn: all of a chapter take minutes.

    What the page says is what pytest says (``tests/grader/test_page.py`` compares CPython's door with pytest).
    """
    visit(walker, address + PAGES[chapter])
    for name, kinds in texts_in_pages({chapter: in_turn(IN_PAGES[chapter], 1)})[chapter].items():
        exercise = OpenExercise(walker, name, chapter).open()
        for kind, text in kinds.items():
            exercise.write(text)
            walker.keyboard.press("Shift+Control+Enter")
            here = graded(chapter, name, text)  # while the page is at it
            state, message = exercise.graded()
            there = {**here, "message": message}
            assert state == STATES.get(kind, "tried"), there
            assert kind in STATES or f"({kind})" in " ".join(there["message"].split()), there
            assert told(there) == told(here), kind
    assert walker.errors == []


# What can go wrong ---------------------------------------------------------------------------------------------------


C_LOOP = "def cut_layers(layer_s, *, stages):\n    return sum(iter(int, 1))\n"


@pytest.mark.parametrize(
    ("text", "where", "got"),
    [
        (ENDLESS, "A call takes too long (lines 2 to 3).", "still running (lines 2 to 3)"),
        at_night("while True:\n    pass\n", "A call takes too long (lines 1 to 2).", "still running (lines 1 to 2)"),
        at_night(C_LOOP, "A call takes too long.", "still running: it was stopped"),
    ],
)
def test_grading_an_endless_loop_ends_with_its_input_and_its_lines(
    exercise: OpenExercise, text: str, where: str, got: str
) -> None:
    assert f"✗ Not solved yet. {where} Does a loop never end?" in exercise.grade(text)
    message = exercise.result.text_content()
    assert f"got:      {got}\n" in message
    assert "input:    layer_s = [" in message or "input:    import of" in message
    assert exercise.state == "tried"
    assert "ran to its end" in exercise.run("x = 1\n")


def test_an_answer_that_needs_a_package_is_not_graded_and_counts_as_no_try(warm: Any) -> None:
    exercise = OpenExercise(warm).open()
    said = exercise.grade(f"import numpy as np\n{WRONG}")
    assert said.startswith("○ Not graded. A page has no module numpy (line 1): it has Python's standard library")
    assert "Before" not in said
    assert "pytest exercises/parallelism/pipeline -k cut_layers" in said
    assert (exercise.state, exercise.kept()["state"]) == ("draft", "draft")
    assert exercise.result.text_content().endswith("ModuleNotFoundError: No module named 'numpy' (line 1)")
    assert exercise.result.get_attribute("data-state") == "open"
    exercise.grade(RIGHT)
    exercise.grade(f"{RIGHT}import numpy\n")
    assert exercise.state == "solved"
    assert exercise.run("import numpy\n") == "It raises ModuleNotFoundError: No module named 'numpy'"
    assert "What needs more, pytest grades in a terminal." in exercise.printed.text_content()
    assert warm.errors == []


def test_a_verdict_in_sight_is_the_one_of_the_text_in_sight(exercise: OpenExercise) -> None:
    said = exercise.grade(WRONG)
    assert said.startswith("✗ Not solved yet.")
    exercise.page.keyboard.press("Control+Home")
    exercise.editor.press("#")
    assert exercise.note.inner_text() == f"Before your change: {said}"
    assert exercise.result.get_attribute("data-state") == "open"
    exercise.editor.press("Backspace")
    assert exercise.note.inner_text() == said
    assert exercise.result.get_attribute("data-state") == "tried"
    exercise.press("Reset")
    assert exercise.note.inner_text().startswith("The stub is back.")
    assert exercise.result.is_hidden()
    exercise.press("Undo")
    assert exercise.result.is_hidden()
    exercise.grade(GPIPE)
    assert exercise.result.is_visible()
    exercise.write("while True:\n    pass\n")
    exercise.press("Run")
    exercise.press("Stop")
    assert exercise.wait(within_s=8) == "Stopped."
    assert exercise.result.is_hidden()
    exercise.editor.press("#")
    assert exercise.note.inner_text() == "Stopped."
    exercise.grade(RIGHT)
    exercise.run(RIGHT)
    assert exercise.result.is_hidden()


def test_what_is_changed_while_it_is_graded_gets_no_verdict_of_its_own(exercise: OpenExercise) -> None:
    exercise.write(ENDLESS)
    exercise.press("Grade")
    exercise.write(RIGHT)
    assert exercise.wait().startswith("Before your change: ✗ Not solved yet.")
    assert exercise.result.get_attribute("data-state") == "open"


LISTEN = """globalThis.said = [];
new MutationObserver(() => said.push(document.querySelector('#exercise-cut_layers .exercise-note').textContent))
    .observe(document.querySelector('#exercise-cut_layers .exercise-note'), {childList: true});"""


@pytest.mark.nightly
@pytest.mark.nightly  # on a busy machine it waits for a minute
def test_grading_again_at_once_waits_for_no_new_python(exercise: OpenExercise) -> None:
    exercise.grade(WRONG)
    exercise.page.evaluate(LISTEN)
    for rest_s in range(4, 24, 4):  # a machine may take long to start two
        exercise.page.wait_for_timeout(rest_s * 1000)
        exercise.page.evaluate("said.length = 0")
        assert exercise.grade(RIGHT).startswith("✓ Solved")
        assert exercise.grade(WRONG).startswith("✗ Not solved yet")
        if not exercise.page.evaluate("said.filter(text => text.startsWith('Python')).length"):
            return
    pytest.fail("the second of two verdicts always waits for a Python to start")


LARGE = {
    "a fraction": "from fractions import Fraction\n    return [Fraction(1, 10**5_000)] * stages",
    "whole numbers": "return [10**5_000] * stages",
    "a decimal": "from decimal import Decimal\n    return Decimal('1e999999')",
    "a text": "return '1e999999999'",
    "its denominator": "from fractions import Fraction\n    return Fraction('1e999999999')",
}


@pytest.mark.parametrize("kind", [name if name == "a fraction" else at_night(name) for name in LARGE])
def test_a_number_that_cannot_be_written_is_wrong_and_the_next_answer_is_graded(
    exercise: OpenExercise, kind: str
) -> None:
    said = exercise.grade(f"def cut_layers(layer_s, *, stages):\n    {LARGE[kind]}\n")
    assert said.startswith("✗ Not solved yet")
    if kind == "a fraction":
        assert "a number of 16,610 bits" in exercise.result.text_content()
    assert exercise.grade(RIGHT).startswith("✓ Solved")


def test_running_an_endless_loop_ends_and_shows_what_was_printed(exercise: OpenExercise) -> None:
    said = exercise.run('print("before")\nwhile True:\n    pass\n')
    assert said == "Still running after 10 s (lines 2 to 3): it was stopped. Does a loop never end?"
    assert exercise.printed.text_content() == "before\n"


def test_stop_ends_what_runs_at_once_and_the_next_run_works(exercise: OpenExercise) -> None:
    assert "ran to its end" in exercise.run("x = 1\n")
    exercise.write("print(1)\nwhile True:\n    pass\n")
    exercise.press("Run")
    exercise.printed.get_by_text("1").wait_for()
    exercise.press("Stop")
    assert exercise.wait(within_s=8) == "Stopped."  # before the limit does
    assert "ran to its end" in exercise.run("x = 1\n")


@pytest.mark.nightly
def test_grading_that_takes_long_but_lives_is_not_stopped(exercise: OpenExercise) -> None:
    slow = RIGHT.replace("    pace = max(layer_s)\n", "    import time; time.sleep(0.13)\n    pace = max(layer_s)\n")
    assert slow != RIGHT
    assert exercise.grade(slow).startswith("✓ Solved")


@pytest.mark.nightly
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


@pytest.mark.nightly
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
    until(page, "() => document.querySelector('#exercise-cut_layers .exercise-note').textContent.includes(' MB ')")
    said = exercise.note.inner_text()
    assert re.match(r"Python, 1/3: \d+\.\d of 13\.5 MB from this site", said)
    exercise.press("Stop")
    assert exercise.wait() == "Stopped."
    for route in held:
        route.abort()
    page.unroute("**/pyodide.asm.wasm")
    exercise.press("Run")
    assert "still to be written" in exercise.wait()  # as the stub's example says
