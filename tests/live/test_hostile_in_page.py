"""Answers of strangers in Chromium: whatever one does to its Python, the page, what it keeps and the next verdict stay.

The first ones were found by somebody who tried to break the book; each did what it says, or was believed to.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from browser_fixtures import until, visit
from open_exercise import NAME, PIPELINE, RIGHT, WRONG, OpenExercise
from sampling import at_night, sampled

pytestmark = pytest.mark.browser

DRAWN = "one_f_one_b_order"  # an exercise whose wrong answers are drawn
GPIPE = f"""
def {DRAWN}(*, stages, micro_batches, stage):
    return [(kind, i) for kind in "FB" for i in range(micro_batches)]
"""
NONE = f"\ndef {DRAWN}(**inputs):\n    return 1\n"
REACH = """
import typing, operator
names = operator.attrgetter("__dict__")(typing.sys.modules.get("grader.page"))
"""
HTML = (
    "<b id='pwn'>any</b><style>body{display:none}</style><img src=x onerror='window.broken=1'>"
    "<a href='https://example.org/'>a link</a>"
    "<meta http-equiv='refresh' content='0;url=https://example.org/?stolen=1'>"
    "<svg><foreignObject><iframe srcdoc='<script>parent.broken=1</script>'></iframe></foreignObject></svg>"
)
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{HTML}</svg>'
NOTHING = {"expected": "", "got": "", "trace": "", "changed": "", "kind": ""}

HOSTILE = {
    "a script of its own, by a blob and the page's drawings": REACH
    + """
try:
    importing = typing.sys.modules.get("importlib")
    js, to_js = importing.import_module("js"), importing.import_module("pyodide.ffi").to_js
    code = "parent.document.title='XSS2';parent.localStorage.clear()"
    script = js.Blob.new(to_js([code]), to_js({"type": "text/javascript"}, dict_converter=js.Object.fromEntries))
    url = js.URL.createObjectURL(script)
except Exception:
    url = "blob:none"
names.update(pictures=lambda *a: ["<iframe srcdoc=\\"<script src='" + url + "'></script>\\"></iframe>"])
"""
    + GPIPE,
    "HTML as a drawing": f"import grader.page as p\np.pictures = lambda *a: [{HTML!r}]\n{GPIPE}",
    "HTML in a drawing's SVG": f"import grader.page as p\np.pictures = lambda *a: [{SVG!r}]\n{GPIPE}",
    "shapes that are none": f"""
import grader.page as p
p.draw = lambda *a: [{{"width": 9, "height": 9, "shapes": [
    ["image", {{"href": "https://example.org/x.png"}}, ""], ["a", {{"onclick": "broken = 1"}}, {HTML!r}]]}}]
{GPIPE}""",
    "a forged verdict": f"""
try:
    import js
    from pyodide.ffi import to_js
    verdict = {{"status": "solved", "message": "", "pictures": ["<b id=pwn>"]}}
    for number in range(20):
        js.postMessage(to_js({{"id": number, "result": verdict}}, dict_converter=js.Object.fromEntries))
except Exception:
    pass
{NONE}""",
    "what it tells, forged": f"""
import json, sys
frame = sys._getframe()
while "tell" not in frame.f_locals:
    frame = frame.f_back
tell = frame.f_locals["tell"]
for told in ("no json", "[" * 100_000, {HTML!r}, json.dumps({{"loaded": True}}), '{{"__proto__": {{"x": 1}}}}'):
    tell(told)
{GPIPE}""",
    "a result full of HTML": f"def {DRAWN}(**inputs):\n    print({HTML!r})\n    raise ValueError({HTML!r})\n",
    "a class of that name": f"T = type({HTML!r}, (), {{}})\ndef {DRAWN}(**inputs):\n    return T()\n",
    "a verdict of its own": f"{REACH}\nnames.update(judge_shown=lambda *a: names['Verdict']('solved'))\n{NONE}",
    "the worker's own names": f"import js\njs.Object.prototype.broken = 1\njs.self.onmessage = print\n{GPIPE}",
    "more than a page can take": f"""
import sys
frame = sys._getframe()
while "tell" not in frame.f_locals:
    frame = frame.f_back
while True:
    frame.f_locals["tell"]("x" * 1_000_000)
{NONE}""",
    "numbers that are none": f"""
def {DRAWN}(**inputs):
    return [("F", float("nan")), ("B", float("inf")), ("F", 10**9999)]
""",
    "a nest": f"""
def {DRAWN}(**inputs):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep
""",
    "a huge text": f"def {DRAWN}(**inputs):\n    return 'x' * 50_000_000\n",
    "its own end": f"import os\ndef {DRAWN}(**k):\n    os._exit(0)\n",
}
BY_DAY = [*[*HOSTILE][:6], "a verdict of its own", "the worker's own names"]
KEPT = {"one-gradient:memory/zero/owners": json.dumps({"state": "draft", "text": "mine = 1\n"}), "guess /x/": "5"}
FOREIGN = (
    "iframe, script, img, style, link, meta, object, embed, foreignObject, image, a, b, [onclick], [onerror], [href]"
)


def keep(page: Any) -> None:
    page.evaluate("kept => Object.entries(kept).forEach(([key, value]) => localStorage.setItem(key, value))", KEPT)


def assert_untouched(exercise: OpenExercise, title: str, asked: list[str]) -> None:
    """Assert that the page is the one it was, and that nothing of an answer stands in it but text and shapes."""
    page = exercise.page
    assert page.title() == title
    assert page.url.endswith(PIPELINE)
    kept = page.evaluate("Object.fromEntries(Object.keys(localStorage).map(key => [key, localStorage.getItem(key)]))")
    assert {key: kept.get(key) for key in KEPT} == KEPT
    mine = (f"one-gradient:parallelism/pipeline/{DRAWN}", f"one-gradient:parallelism/pipeline/{NAME}")
    assert [
        key for key in kept if key.startswith("one-gradient:") and key not in KEPT and not key.startswith(mine)
    ] == []
    assert page.evaluate("[window.broken, ({}).broken, ({}).x]") == [None, None, None]
    results = exercise.box.locator(".exercise-result, .exercise-pictures, .exercise-printed, .exercise-note")
    for result in results.all():
        assert result.locator(FOREIGN).count() == 0
    assert page.locator("#pwn, iframe").count() == 0
    assert [url for url in asked if "example.org" in url] == []


@pytest.fixture
def asked(walker: Any, address: str) -> Any:
    """Yield what the page asks for, while it shows the chapter anew."""
    urls: list[str] = []
    walker.on("request", lambda request: urls.append(request.url))
    visit(walker, address)
    visit(walker, address + PIPELINE)
    keep(walker)
    return urls


@pytest.mark.parametrize("name", [name if name in sampled(BY_DAY, 4) else at_night(name) for name in HOSTILE])
def test_a_hostile_answer_reaches_neither_the_page_nor_the_next_verdict(
    walker: Any, asked: list[str], name: str
) -> None:
    title = walker.title()
    exercise = OpenExercise(walker, DRAWN).open()
    said = exercise.grade(HOSTILE[name])
    assert said.startswith("✗ Not solved yet"), said
    assert_untouched(exercise, title, asked)
    assert exercise.grade(GPIPE).startswith("✗ Not solved yet. All forwards before all backwards is GPipe")
    assert exercise.box.locator(".exercise-pictures svg text", has_text="your orders").count() == 1
    assert_untouched(exercise, title, asked)
    assert walker.errors == []


@pytest.mark.parametrize("first", ["a verdict of its own", at_night("what it tells, forged")])
def test_a_verdict_is_the_same_whoever_was_graded_before(walker: Any, asked: list[str], first: str) -> None:
    """Of another exercise too, in both directions: what is right stays right, what is wrong stays wrong."""
    OpenExercise(walker, DRAWN).open().grade(HOSTILE[first])
    exercise = OpenExercise(walker).open()
    assert exercise.grade(WRONG).startswith("✗ Not solved yet")
    assert exercise.grade(RIGHT).startswith("✓ Solved")


def test_what_was_run_is_gone_before_the_next_run(walker: Any, asked: list[str]) -> None:
    exercise = OpenExercise(walker, DRAWN).open()
    exercise.run(f"import builtins, sys\nbuiltins.left = 1\nsys.modules['math'] = sys\nprint({HTML!r})\n")
    assert exercise.printed.text_content() == f"{HTML}\n"
    said = exercise.run("import builtins, math\nprint(hasattr(builtins, 'left'), math.pi > 3)\n")
    assert "ran to its end" in said
    assert exercise.printed.text_content() == "False True\n"


STORING = ("indexedDB", "caches", "localStorage", "navigator", "Blob", "URL", "FileReaderSync", "cookieStore")
SENDING = ("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "BroadcastChannel", "importScripts")
STARTING = (
    "Worker",
    "SharedWorker",
    "postMessage",
    "onmessage",
    "close",
    "addEventListener",
    "location",
    "Notification",
)


def test_a_text_finds_nothing_that_stores_sends_or_starts_anything(walker: Any, asked: list[str]) -> None:
    """It cannot read, fill or delete what this site's origin keeps, and asks not even the site itself for anything."""
    exercise = OpenExercise(walker, DRAWN).open()
    names = (*STORING, *SENDING, *STARTING)
    text = f"import js\nprint(*(name for name in {names} if hasattr(js, name) or hasattr(js.self, name)))\n"
    text += "import random, time\ntime.sleep(0.01)\nprint(0 <= random.random() < 1, js.Math.sqrt(4))\n"
    assert "ran to its end" in exercise.run(text)
    assert exercise.printed.text_content() == "\nTrue 2\n"


def test_a_timer_that_an_answer_leaves_behind_does_not_ring(walker: Any, asked: list[str]) -> None:
    exercise = OpenExercise(walker, DRAWN).open()
    timer = "import js\nfrom pyodide.ffi import create_proxy\n"
    timer += "js.setInterval(create_proxy(lambda *a: print('still here')), 1)\n"
    assert exercise.run(f"{timer}print('once')\n") == "It ran to its end."
    walker.wait_for_timeout(300)
    assert exercise.printed.text_content() == "once\n"


SINKS = {
    "document.body.innerHTML = html": False,
    "document.body.insertAdjacentHTML('beforeend', html)": False,
    "document.createElement('iframe').srcdoc = html": False,
    "document.createRange().createContextualFragment(html)": False,
    "document.createElement('script').src = 'blob:x'": False,
    "document.createElement('script').src = 'data:text/javascript,1'": False,
    "document.createElement('script').src = 'https://example.org/x.js'": False,
    "new Worker(URL.createObjectURL(new Blob([''])))": False,
    "document.createElement('p').innerHTML = 'words & more'": True,
    "new DOMParser().parseFromString(html, 'text/html')": True,  # instant navigation's; nothing in it runs
}


@pytest.mark.parametrize("sink", SINKS)
def test_a_text_becomes_no_element_and_no_script_where_nobody_has_vouched_for_it(
    walker: Any, asked: list[str], sink: str
) -> None:
    """Chromium has Trusted Types; elsewhere the policy on scripts holds alone."""
    call = f"() => {{ const html = '<b id=pwn>x</b>'; try {{ {sink}; return true }} catch (error) {{ return false }} }}"
    assert walker.evaluate(call) == SINKS[sink]
    assert walker.locator("#pwn").count() == 0


# What a page takes from a worker, asked without Python ----------------------------------------------------------------

VERDICT = {"status": "solved", "message": "m", "says": "", "given": "", "printed": "", "case": None, "draws": False}
SHAPE: list[Any] = ["rect", {"x": "1", "class": "b-rank-0"}, ""]


def drawing(*shapes: Any, **about: Any) -> list[dict[str, Any]]:
    return [{"width": 9, "height": 9, "shapes": list(shapes), **about}]


@pytest.fixture(scope="module")
def received(walker: Any, address: str) -> Any:
    """Return a function that gives data to a function of the page's script, and returns the refusal or ``""``."""
    walker.evaluate(
        "async address => { globalThis.received = await import(address) }", f"{address}javascripts/live/received.js"
    )

    def refusal(function: str, script: str) -> str:
        call = (
            f"() => {{ try {{ received.{function}({script}); return '' }} catch (error) {{ return error.message }} }}"
        )
        return str(walker.evaluate(call))

    return refusal


@pytest.mark.parametrize(
    "data",
    [
        *("undefined", "null", "1", "'solved'", "[]", "{}", "new Map([['status', 'solved']])"),
        *(
            json.dumps({**VERDICT, **changed})
            for changed in ({"status": "won"}, {"status": ["solved"]}, {"message": 1})
        ),
        *(json.dumps({**VERDICT, **changed}) for changed in ({"says": {"toString": "x"}}, {"printed": None})),
        f"{{...{json.dumps(VERDICT)}, message: 'x'.repeat(1e7)}}",
        f"Object.create({json.dumps({**VERDICT, 'status': 'no'})})",
    ],
)
def test_a_verdict_that_is_none_is_refused(received: Any, data: str) -> None:
    assert received("verdictOf", json.dumps(VERDICT)) == ""
    assert received("verdictOf", data) == "what Python sends is no verdict"


@pytest.mark.parametrize(
    "data",
    [
        *("undefined", "'<svg>'", "{}", "[null]", "[['<svg>']]", "new Array(9).fill(null)"),
        *(json.dumps(drawing(SHAPE, **about)) for about in ({"width": "9"}, {"width": 1e9}, {"shapes": "x"})),
        "[{width: NaN, height: 9, shapes: []}]",
        "[{width: Infinity, height: 9, shapes: []}]",
        "[{width: 9, height: 9, shapes: new Array(1e6).fill(['rect', {}, ''])}]",
        *(
            json.dumps(drawing([tag, {}, ""]))
            for tag in ("script", "style", "foreignObject", "a", "image", "use", "set")
        ),
        json.dumps(drawing([["rect"], {}, ""])),
        *(
            json.dumps(drawing(["rect", {name: value}, ""]))
            for name, value in (
                *(("onload", "1"), ("href", "1"), ("xlink:href", "#a"), ("style", "1"), ("id", "1"), ("fill", "1")),
                *(
                    ("x", "url(https://example.org)"),
                    ("x", "NaN"),
                    ("x", 1),
                    ("x", ["1"]),
                    ("stroke-linecap", "url(#x)"),
                ),
                *(("class", "b-rank-0) ; x"), ("class", "md-header"), ("class", 1), ("stroke-width", "1;x:y")),
                *(("constructor", "1"), ("toString", "1"), ("d", "javascript:1"), ("x", "1" * 30_000)),
            )
        ),
        '[{"width": 9, "height": 9, "shapes": [["rect", JSON.parse(\'{"__proto__": "1"}\'), ""]]}]',
        json.dumps(drawing(["text", {}, "x" * 2_000])),
        json.dumps(drawing(["text", {}, {"toString": 1}])),
    ],
)
def test_a_drawing_that_is_none_is_refused(received: Any, data: str) -> None:
    assert received("drawingsOf", json.dumps(drawing(SHAPE))) == ""
    assert received("drawingsOf", data).startswith("what Python sends is no ")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        *(
            ("[3, 5]", "lines 3 to 5"),
            ("[7, 7]", "line 7"),
            ("", ""),
            ("[3, 5", ""),
            ("[3, 5]<b>", ""),
            ("[1e9, 2]", ""),
        ),
        *((HTML, ""), ("[3, 5]\n", ""), ("[3, 5, 6]", ""), ("[9999999, 1]", "")),
    ],
)
def test_lines_are_numbers_or_nothing(walker: Any, received: Any, told: str, words: str) -> None:
    assert walker.evaluate("told => received.linesOf(told)", told) == words


def test_files_are_taken_for_the_page_s_exercises_alone(walker: Any, received: Any) -> None:
    data = {"texts": {"mine": "x = 1\n", "other": "y", "constructor": "z"}, "notice": ""}
    found = walker.evaluate("data => received.textsOf(data, ['mine', 'toString'])", data)
    assert found == {"texts": [["mine", "x = 1\n"]], "notice": ""}
    assert received("textsOf", "{texts: {mine: 1}, notice: ''}, ['mine']") == "what Python sends is no answer"


def test_a_worker_that_sends_without_end_is_ended(python: Any) -> None:
    flood = (
        "import js\nfor number in range(50_000):\n    js.postMessage(number)\n    js.postMessage(None)\nwhile 1: pass"
    )
    with pytest.raises(Exception, match="it sends more than a page can take"):
        python.evaluate("code => run(code)", flood)
    python.evaluate("run('1')")  # a new one


def test_a_text_in_the_worker_s_messages_is_asked_for_its_type(python: Any) -> None:
    code = """
import js
from pyodide.ffi import to_js
for number in range(1, 50):
    for what in ("printed", "told"):
        js.postMessage(to_js({"id": number + 1000, what: {"toString": 1}}, dict_converter=js.Object.fromEntries))
"""
    python.evaluate("code => run(code)", code)
    assert until(python, "machine.ready")
