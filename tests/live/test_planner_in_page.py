"""The page Planner in Chromium: it opens whole, answers what is set as the book does, and is worked by keyboard."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, until, violations, visit

from snippets.composition.configuration_search.planner_fields import OWN_CONFIG, PRESETS
from snippets.composition.configuration_search.planner_page import planned_page
from snippets.composition.configuration_search.planner_view import planned_view

pytestmark = pytest.mark.browser

PAGE = "planner/"
SMALL = {"model": "Llama 3 8B", "nodes": "1", "tokens": "524288", "context": "1", "micro_batch": "1,2", "stage": "3"}
CONFIG = {
    "model_type": "llama",
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "vocab_size": 32000,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "intermediate_size": 5632,
}
# The theme marks what has the focus.
SHOWN = """name => document.querySelector(`[data-part=${name}]`).innerHTML
    .replaceAll(/ class="focus-visible"| data-focus-visible-added=""/g, '')"""
PARSED = "html => { const t = new DOMParser().parseFromString(html, 'text/html'); return t.body.innerHTML; }"


def link(setting: dict[str, str]) -> str:
    from urllib.parse import urlencode

    return f"{PAGE}#plan:{urlencode(setting)}"


def settled(page: Any) -> None:
    """Wait until the last setting is planned, or refused."""
    page.wait_for_timeout(500)  # what is typed is planned a moment later
    until(page, "!document.querySelector('.planner').ariaBusy", within_s=120)


def note(page: Any) -> str:
    return str(page.locator(".planner-note").inner_text())


def assert_shows(page: Any, setting: dict[str, str]) -> None:
    """Assert that the page shows what CPython answers to a setting, to the byte."""
    answer = json.loads(planned_view(json.dumps(setting)))
    assert note(page) == answer["said"]
    for name, part in answer["parts"].items():
        assert page.evaluate(SHOWN, name) == page.evaluate(PARSED, part), name


@pytest.fixture(scope="module")
def warm(browser: Any, address: str) -> Iterator[Any]:
    """Yield a page in which Python runs; tests begin by setting what they need."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address + link(SMALL))
    settled(page)
    yield page
    assert page.errors == []
    context.close()


@pytest.fixture
def planner(warm: Any) -> Any:
    warm.evaluate("location.hash = ''")
    warm.evaluate("hash => { location.hash = hash }", "#" + link(SMALL).partition("#")[2])
    settled(warm)
    return warm


def test_it_opens_whole_and_asks_for_no_python_before_a_hand_comes(open_page: Any, address: str) -> None:
    page = open_page(PAGE)
    page.wait_for_timeout(500)
    for name, part in json.loads(planned_view("{}"))["parts"].items():
        assert page.evaluate(SHOWN, name) == page.evaluate(PARSED, part), name
    assert not [url for url in page.requests if "pyodide" in url or "pages-planner" in url]
    assert [url for url in page.requests if not url.startswith((address, "data:", "blob:"))] == []
    assert page.errors == []


def test_without_scripts_it_is_complete_and_has_nothing_that_would_do_nothing(open_page: Any) -> None:
    page = open_page(PAGE, java_script_enabled=False)
    assert page.locator(".planner-rows tbody tr").first.is_visible()
    for dead in (".planner-form", ".planner-tools", ".planner-why"):
        assert not page.locator(dead).is_visible(), dead
    assert page.locator(".planner-dots svg").count() > 3
    assert page.locator(".planner-measured tbody tr").count() > 10


def test_a_link_brings_its_setting_and_its_answer(planner: Any) -> None:
    for name, value in SMALL.items():
        assert planner.locator(f".planner-form [name={name}]").input_value() == value
    assert_shows(planner, SMALL)
    assert planner.locator(".planner-form details").last.get_attribute("open") is not None
    assert planner.locator(".planner-form details").first.get_attribute("open") is None


def test_a_changed_field_gets_an_answer_and_stands_in_the_address(planner: Any) -> None:
    planner.locator("[name=nodes]").fill("2")
    settled(planner)
    assert_shows(planner, {**SMALL, "nodes": "2"})
    until(planner, "location.hash.includes('nodes=2')")
    planner.locator("[name=dtype]").select_option("fp8")
    settled(planner)
    assert_shows(planner, {**SMALL, "nodes": "2", "dtype": "fp8"})


def test_of_many_changes_the_last_is_shown(planner: Any) -> None:
    box = planner.locator("[name=nodes]")
    for nodes in ("2", "4", "8", "3"):
        box.fill(nodes)
        planner.wait_for_timeout(400)
    settled(planner)
    assert_shows(planner, {**SMALL, "nodes": "3"})


def test_what_cannot_be_read_is_said_beside_the_field_and_the_old_answer_stays(planner: Any) -> None:
    before = planner.evaluate(SHOWN, "rows")
    box = planner.locator("[name=nodes]")
    box.fill("many")
    settled(planner)
    wrong = planner.locator("#planner-nodes-error")
    assert wrong.inner_text() == "Nodes must be a number, without a unit, 'k' or 'M' after it or not, got 'many'."
    assert box.get_attribute("aria-invalid") == "true"
    assert box.get_attribute("aria-describedby") == wrong.get_attribute("id")
    assert "One field can't be read" in note(planner)
    assert planner.evaluate(SHOWN, "rows") == before
    box.fill("1")
    settled(planner)
    assert wrong.inner_text() == ""
    assert box.get_attribute("aria-invalid") is None
    assert_shows(planner, SMALL)


def test_a_preset_is_a_button_and_says_that_it_is_pressed(planner: Any) -> None:
    name = "8B on one node"
    button = planner.get_by_role("button", name=name, exact=True)
    button.click()
    settled(planner)
    assert button.get_attribute("aria-pressed") == "true"
    assert planner.locator("[data-setting][aria-pressed=true]").count() == 1
    assert_shows(planner, dict(PRESETS[name]))
    planner.locator("[name=nodes]").fill("2")
    assert button.get_attribute("aria-pressed") == "false"
    settled(planner)


def test_a_layout_of_the_list_shows_its_terms_and_keeps_the_focus(planner: Any) -> None:
    line = next(row["layout"] for row in planned_page(SMALL)["rows"][1:] if row["distinct"])
    button = planner.locator(f"[data-layout='{line}']")
    button.focus()
    planner.keyboard.press("Enter")
    settled(planner)
    assert_shows(planner, {**SMALL, "chosen": line})
    assert planner.evaluate("document.activeElement.dataset.layout") == line
    assert planner.locator(f"[data-layout='{line}']").get_attribute("aria-pressed") == "true"
    until(planner, "location.hash.includes('chosen=')")


@pytest.mark.parametrize(("line", "said"), [("t=8 zero=1", " is not in the list"), ("t=3", "must divide the 8 GPUs")])
def test_a_layout_that_is_typed_is_told_or_refused(planner: Any, line: str, said: str) -> None:
    planner.locator("#planner-why").fill(line)
    planner.keyboard.press("Enter")
    settled(planner)
    assert said in planner.locator("[data-part=chosen]").inner_text()
    assert_shows(planner, {**SMALL, "chosen": line})


def test_the_list_is_copied_as_csv_and_the_setting_as_a_link(planner: Any, open_page: Any, address: str) -> None:
    planner.get_by_role("button", name="Copy as CSV").click()
    until(planner, "document.querySelector('.planner-tools [role=status]').textContent === 'The list is copied.'")
    copied = planner.evaluate("navigator.clipboard.readText()")
    assert copied == planned_page(SMALL)["texts"]["csv"]
    assert len(list(csv.DictReader(io.StringIO(copied)))) > 10
    planner.get_by_role("button", name="Copy a link to this setting").click()
    until(planner, "document.querySelector('.planner-tools [role=status]').textContent === 'The link is copied.'")
    assert planner.evaluate("navigator.clipboard.readText()") == address + link(SMALL)


def test_only_the_fastest_of_each_kind_can_be_listed(planner: Any) -> None:
    rows = planned_page(SMALL)["rows"]
    visible = planner.locator(".planner-rows tbody tr:not(.planner-line)").filter(visible=True)
    box = planner.get_by_label("only the fastest of each t, p and e")
    assert box.is_checked()
    assert visible.count() == sum(row["distinct"] for row in rows)
    box.uncheck()
    assert visible.count() == min(20, len(rows))
    box.check()


def test_a_config_json_is_pasted_or_taken_from_a_file(planner: Any, tmp_path: Path) -> None:
    planner.locator("[name=model]").select_option(OWN_CONFIG)
    settled(planner)
    assert planner.locator("#planner-config-error").inner_text() == "config.json must be given, got nothing."
    written = json.dumps(CONFIG)
    planner.locator("[name=config]").fill(written)
    settled(planner)
    assert_shows(planner, {**SMALL, "model": OWN_CONFIG, "config": written})
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**CONFIG, "num_hidden_layers": 8}))
    planner.locator(".planner-form [type=file]").set_input_files(file)
    settled(planner)
    assert_shows(planner, {**SMALL, "model": OWN_CONFIG, "config": file.read_text()})


def test_a_strangers_link_brings_no_html(planner: Any) -> None:
    evil = {**CONFIG, "_name_or_path": "<img src=x onerror='window.hurt = 1'>"}
    setting = {**SMALL, "model": OWN_CONFIG, "config": json.dumps(evil), "chosen": "<img src=x>"}
    planner.evaluate("hash => { location.hash = hash }", "#" + link(setting).partition("#")[2])
    settled(planner)
    assert "<img" in planner.locator(".planner-job").first.inner_text()
    assert planner.locator(".planner img").count() == 0
    assert planner.evaluate("window.hurt") is None


def test_the_keyboard_reaches_every_field_that_counts_in_order(planner: Any) -> None:
    planner.evaluate("document.querySelectorAll('.planner-form details').forEach(fold => { fold.open = true })")
    wanted = planner.evaluate(
        "[...document.querySelectorAll('.planner-form [name]')].filter(e => e.checkVisibility()).map(e => e.name)"
    )
    planner.locator(".planner-presets button").first.focus()
    reached = []
    for _ in range(2 * len(wanted) + 20):
        planner.keyboard.press("Tab")
        name = planner.evaluate("document.activeElement.name || document.activeElement.dataset.layout || ''")
        reached += [name] if name else []
    assert reached[: len(wanted)] == wanted
    assert planned_page(SMALL)["rows"][0]["layout"] in reached
    assert not [name for name in wanted if name in ("layers", "memory", "config")]


def test_it_comes_back_by_instant_navigation_and_python_runs_on(planner: Any, address: str) -> None:
    visit(planner, address)
    visit(planner, address + PAGE)
    until(planner, "document.querySelector('.planner-rows')")
    planner.get_by_role("button", name="8B on one node", exact=True).click()
    settled(planner)
    assert_shows(planner, dict(PRESETS["8B on one node"]))


def test_axe_finds_nothing_with_every_fold_open_and_a_field_refused(planner: Any) -> None:
    planner.locator("[name=nodes]").fill("many")
    settled(planner)
    planner.evaluate("document.querySelectorAll('article details').forEach(fold => { fold.open = true })")
    assert violations(planner, "article") == []
    with dark(planner):
        assert violations(planner, "article", against=CONTRAST) == []


@pytest.mark.parametrize("width", [1280, 720, 390, 320])
def test_nothing_is_wider_than_the_screen(planner: Any, width: int) -> None:
    planner.set_viewport_size({"width": width, "height": 900})
    planner.evaluate("document.querySelectorAll('article details').forEach(fold => { fold.open = true })")
    assert planner.evaluate("document.documentElement.scrollWidth") <= width
    cut = planner.evaluate(
        """() => [...document.querySelectorAll('.planner :is(p, li, button, input, select, th, td, label)')]
            .filter(e => e.offsetParent && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.textContent.slice(0, 60))"""
    )
    planner.set_viewport_size({"width": 1280, "height": 900})
    assert cut == []


def test_it_prints_without_its_form(open_page: Any) -> None:
    page = open_page(PAGE)
    page.emulate_media(media="print")
    for hidden in (".planner-form", ".planner-tools", ".planner-why"):
        assert not page.locator(hidden).is_visible(), hidden
    assert page.locator(".planner-rows tbody tr").first.is_visible()
