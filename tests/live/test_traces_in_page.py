"""A reader's trace in Chromium: the page opens whole, answers a dropped file as the book does, and sends nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, ROOT, dark, need, until, violations

from snippets.synthesis.profiling.trace_view import trace_view
from snippets.synthesis.profiling.traces import recorded_trace

pytestmark = pytest.mark.browser

SHOWN = "name => document.querySelector(`[data-part=${name}]`).innerHTML"
PARSED = "html => { const t = new DOMParser().parseFromString(html, 'text/html'); return t.body.innerHTML; }"
HOSTILE = "gemm<img src=x onerror=\"document.title='owned'\">"
GPU = [
    {"ph": "X", "cat": "kernel", "name": HOSTILE, "ts": 0, "dur": 4000, "pid": 0, "tid": 7},
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 3000, "dur": 5000, "pid": 0, "tid": 9},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "ts": 0, "dur": 10000, "pid": 9, "tid": 1},
]
DROP = """([names, texts]) => {
    const data = new DataTransfer();
    names.forEach((name, place) => data.items.add(new File([texts[place]], name)));
    for (const kind of ["dragenter", "dragover", "drop"]) {
        document.querySelector(".traces-drop").dispatchEvent(
            new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
}"""


def page_that_takes_traces() -> str:
    """Return the address, below the site's, of the page that asks for it."""
    sources = [*ROOT.glob("chapters/*/*.md"), *ROOT.glob("docs/*.md")]
    asking = [path for path in sources if '"collected: traces"' in path.read_text(encoding="utf-8")]
    need(asking, "needs a page with a link titled `collected: traces`, which chapter 35 has")
    return "/".join(asking[0].relative_to(ROOT).with_suffix("").parts[1:]) + "/"


def settled(page: Any) -> None:
    """Wait until the last question is answered, or refused."""
    page.wait_for_timeout(500)  # what is typed is asked a moment later
    until(page, "!document.querySelector('.traces').ariaBusy", within_s=120)


def note(page: Any) -> str:
    return str(page.locator(".traces-note").inner_text())


def assert_shows(page: Any, setting: dict[str, str], *texts: str, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Assert that the page shows what CPython answers, to the byte, and return that."""
    answer: dict[str, Any] = json.loads(trace_view(json.dumps(setting), texts, names))
    for name, part in answer["parts"].items():
        assert page.evaluate(SHOWN, name) == page.evaluate(PARSED, part), name
    return answer


@pytest.fixture(scope="module")
def warm(browser: Any, address: str) -> Iterator[Any]:
    """Yield a page in which Python runs, with what it asked for and what went wrong in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.errors, page.requests = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.requests.append((request.method, request.url)))
    page.goto(address + page_that_takes_traces())
    yield page
    own = (address, "data:", "blob:")
    assert [asked for asked in page.requests if asked[0] != "GET" or not asked[1].startswith(own)] == []
    assert page.errors == []
    context.close()


def test_it_opens_whole_and_asks_for_no_python_before_a_hand_comes(open_page: Any) -> None:
    page = open_page(page_that_takes_traces())
    page.wait_for_timeout(500)
    assert_shows(page, {})
    assert not [url for url in page.requests if "pages-traces" in url]
    assert page.errors == []


def test_without_scripts_it_is_complete_and_has_nothing_that_would_do_nothing(open_page: Any) -> None:
    page = open_page(page_that_takes_traces(), java_script_enabled=False)
    assert page.locator(".traces-table tbody tr").first.is_visible()
    assert not page.locator(".traces-form").is_visible()


def test_another_step_and_another_rank_are_shown(warm: Any) -> None:
    warm.locator("#traces-step").select_option("2")
    settled(warm)
    assert note(warm) == assert_shows(warm, {"step": "2"})["said"]
    warm.locator("#traces-rank").select_option("1")
    settled(warm)
    answer = assert_shows(warm, {"rank": "1"})
    assert warm.locator("#traces-step").input_value() == answer["shown"]["step"]


def test_a_dropped_trace_is_analysed_here_and_its_names_are_texts(warm: Any) -> None:
    text = json.dumps({"traceEvents": GPU})
    warm.evaluate(DROP, [["own.json"], [text]])
    settled(warm)
    assert_shows(warm, {}, text, names=("own.json",))
    assert HOSTILE in warm.locator("[data-part=kernels]").inner_text()
    assert warm.locator(".traces img").count() == 0
    assert warm.title() != "owned"
    for name, value in (("parameters", "10M"), ("tokens", "2048")):
        warm.locator(f"#traces-{name}").fill(value)
    warm.locator("#traces-device").select_option("H100 SXM")
    settled(warm)
    setting = {"rank": "0", "step": "0", "device": "H100 SXM", "parameters": "10M", "tokens": "2048"}
    assert_shows(warm, setting, text, names=("own.json",))
    assert "reached, the MFU" in warm.locator("[data-part=step]").inner_text()
    warm.locator("#traces-tokens").fill("many")
    settled(warm)
    assert "tokens must be a number above 0" in warm.locator("#traces-tokens-error").inner_text()
    assert warm.locator("#traces-tokens").get_attribute("aria-invalid") == "true"
    for name in ("parameters", "tokens"):
        warm.locator(f"#traces-{name}").fill("")
    warm.locator("#traces-device").select_option("")
    settled(warm)
    assert warm.locator(".traces [aria-invalid]").count() == 0


def test_packed_traces_of_both_ranks_are_chosen_as_files(warm: Any, tmp_path: Path) -> None:
    texts = [recorded_trace(rank=rank) for rank in (1, 0)]
    for place, text in enumerate(texts):
        (tmp_path / f"{place}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    warm.locator("#traces-file").set_input_files([tmp_path / "0.json.gz", tmp_path / "1.json.gz"])
    settled(warm)
    assert_shows(warm, {}, *texts)
    assert "These are your 2 traces." in warm.locator("[data-part=summary]").inner_text()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"no trace", "notes.txt: must be JSON"),
        (
            "cut.json.gz",
            gzip.compress(b"[" * 1000, mtime=0)[:-12],
            "cut.json.gz can't be read: it is no whole gzip file",
        ),
        ("bomb.json.gz", gzip.compress(b" " * 80_000_000, mtime=0), "bomb.json.gz has more JSON than the 64 MB"),
        ("empty.json", b"", "empty.json: must be JSON"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_and_what_was_shown_stays(
    warm: Any, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    shown = warm.locator(".traces-answer").inner_html()
    (tmp_path / name).write_bytes(content)
    warm.locator("#traces-file").set_input_files(tmp_path / name)
    until(warm, "said => document.querySelector('#traces-file-error').textContent.startsWith(said)", said)
    assert warm.locator(".traces-answer").inner_html() == shown
    assert "still of" in note(warm)


def test_it_is_accessible_in_both_schemes(open_page: Any) -> None:
    page = open_page(page_that_takes_traces())
    assert violations(page, ".traces") == []
    with dark(page):
        assert violations(page, ".traces", against=CONTRAST) == []
