"""Live figures in Chromium: the picture that the build and CPython draw, by hand, by link, by keyboard, offline."""

from __future__ import annotations

import importlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import CONTRAST, ROOT, dark, elsewhere, until, violations, visit
from checking import extremes
from sampling import ALL, figure_changed, sampled

from press import runtime
from press.live import live_modules
from snippets.live.declaring import LiveFigure, draw, find
from snippets.live.knobs import Choice, Knob, Number, Switch

pytestmark = pytest.mark.browser

MODULES = [importlib.import_module(name) for name in live_modules(ROOT)]
NAMES = sorted(name for module in MODULES for name, value in vars(module).items() if isinstance(value, LiveFigure))
RANDOM_SETTINGS = 50 if ALL else 4
some_figures = pytest.mark.parametrize("name", sampled(NAMES, 3, changed=figure_changed))
START = """async address => {
    const {Machine} = await import(address + 'javascripts/live/runtime.js');
    globalThis.machine = new Machine('figures');
    await machine.start();
}"""
DRAW = "parameters => machine.call('snippets.live.declaring', 'draw', parameters)"
PLACE = re.compile(
    r'<figure class="book-figure live" id="([\w-]+)" data-module="([\w.]+)" data-name="(\w+)">.*?'
    r'<div class="panels" role="img" aria-label="([^"]*)">(.*?)</div><p class="live-numbers">(.*?)</p>',
    re.DOTALL,
)


@pytest.fixture(scope="session")
def places(site: Path) -> dict[str, dict[str, str]]:
    """Return for each live figure of the built book its page, module, and what the build drew."""
    found = {}
    for file in sorted((site / "one-gradient").glob("*/*/index.html")):
        for number, module, name, alt, picture, numbers in PLACE.findall(file.read_text(encoding="utf-8")):
            page = f"{file.parent.relative_to(site / 'one-gradient').as_posix()}/"
            parts = {"page": page, "id": number, "module": module, "alt": alt, "picture": picture, "numbers": numbers}
            found[name] = parts
    return found


@pytest.fixture(scope="module")
def python(browser: Any, address: str, places: dict[str, dict[str, str]]) -> Any:
    """Return a page whose ``machine`` runs."""
    page = browser.new_page()
    page.goto(address + next(iter(places.values()))["page"])
    page.evaluate(START, address)
    return page


@pytest.fixture(scope="module")
def walker(browser: Any, address: str) -> Any:
    """Return a page that goes from chapter to chapter by links, so that Python starts once."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    return page


def settings_of(figure: LiveFigure) -> list[dict[str, str]]:
    """Return settings as a page sends them: extremes of knobs, and random ones; at night every knob's, and more."""
    chance = random.Random(6)

    def some(knob: Knob) -> str:
        if isinstance(knob, Number):
            return f"@{chance.randrange(len(knob.stops))}"
        return chance.choice(list(knob.options) if isinstance(knob, Choice) else ["on", "off"])

    def sent(knob: Knob, value: Any) -> str:
        return knob.plain(value)

    known = {knob.name: knob for knob in figure.knobs}
    alone = [one for one in extremes(figure) if len(one) == 1]  # tests/live/checking.py draws pairs, too, in CPython
    ends = [{name: sent(known[name], value) for name, value in one.items()} for one in alone]
    ends = ends if ALL else sampled(ends, 4)
    drawn = [{knob.name: some(knob) for knob in figure.knobs} for _ in range(RANDOM_SETTINGS)]
    return [{}, *drawn, *ends]


def test_every_live_figure_stands_in_a_chapter(places: dict[str, dict[str, str]]) -> None:
    assert NAMES
    assert sorted(places) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_browser_draws_what_the_build_drew(python: Any, places: dict[str, dict[str, str]], name: str) -> None:
    place = places[name]
    drawn = json.loads(python.evaluate(DRAW, [place["module"], name, "{}"]))["drawn"]
    assert "".join(drawn["svgs"]) == place["picture"]


@pytest.mark.parametrize("name", NAMES)
def test_the_browser_draws_what_cpython_draws(python: Any, places: dict[str, dict[str, str]], name: str) -> None:
    """At random settings and at extremes of knobs, to the byte; or both give the same reason why not."""
    module = places[name]["module"]
    for setting in settings_of(find(module, name)):
        raw = json.dumps(setting)
        assert python.evaluate(DRAW, [module, name, raw]) == draw(module, name, raw), setting


def live(page: Any, place: dict[str, str]) -> Any:
    return page.locator(f"#{place['id']}")


def note(page: Any, place: dict[str, str]) -> str:
    return str(live(page, place).locator(".live-note").inner_text())


def turn(page: Any, place: dict[str, str], knob: Knob) -> None:
    """Turn a knob away from its default, as a hand does."""
    figure = live(page, place)
    if isinstance(knob, Choice):
        figure.locator(f"select[name={knob.name}]").select_option(next(v for v in knob.options if v != knob.default))
    elif isinstance(knob, Switch):
        figure.locator(f"[name={knob.name}]").click()
    else:
        slider = figure.locator(f"[data-knob={knob.name}]")
        slider.focus()
        page.keyboard.press("ArrowLeft" if knob.default == knob.high else "ArrowRight")


def settled(page: Any, place: dict[str, str], *, rest_ms: float = 350) -> None:
    """Wait until the last setting is drawn, or refused, and stands in the address."""
    page.wait_for_timeout(50)
    until(page, "id => !document.getElementById(id).ariaBusy", place["id"], within_s=60)
    page.wait_for_timeout(rest_ms)


def awake(figure: LiveFigure, name: str) -> dict[str, str]:
    """Return a choice under which a knob that is not shown at first is shown."""
    choices = [(knob.name, value) for knob in figure.knobs if isinstance(knob, Choice) for value in knob.options]
    return next({other: value} for other, value in choices if name not in figure.drawn({other: value}).idle)


@some_figures
def test_every_knob_is_worked_by_keyboard_and_changes_the_figure(
    walker: Any, address: str, places: dict[str, dict[str, str]], name: str
) -> None:
    """Tab reaches each knob in order; a key turns it; the picture or what is said of it follows; Reset undoes all."""
    place, page = places[name], walker
    visit(page, address + place["page"])
    figure = live(page, place)
    figure.locator(".knobs :is(input, select)").first.focus()
    reached = []
    for _ in range(3 * len(find(place["module"], name).knobs) + 4):
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.dataset.knob || ''"))
        page.keyboard.press("Tab")
    declared = find(place["module"], name)
    hidden = set(declared.drawn({}).idle)
    assert {knob.name for knob in declared.knobs} - hidden <= set(reached)
    for knob in declared.knobs:
        if knob.name in hidden:
            for other, value in awake(declared, knob.name).items():
                figure.locator(f"select[name={other}]").select_option(value)
            settled(page, place)
        before = figure.locator(".panels").inner_html(), figure.locator(".live-numbers").inner_text()
        turn(page, place, knob)
        settled(page, place, rest_ms=0)
        after = figure.locator(".panels").inner_html(), figure.locator(".live-numbers").inner_text()
        assert after != before or note(page, place), f"{knob.name} does nothing"
        figure.locator("button[type=reset]").click()
        settled(page, place, rest_ms=0)
    until(page, "() => !location.hash.startsWith('#live')")
    assert figure.locator(".panels").inner_html() == page.evaluate(
        "html => { const box = document.createElement('div'); box.innerHTML = html; return box.innerHTML }",
        place["picture"],
    )
    assert page.errors == []


def test_a_finger_works_the_knobs(open_page: Any, some: Any) -> None:
    place, _, figure = some
    page, knob = open_page(place["page"], width=390, has_touch=True, is_mobile=True), first_number(figure)
    slider = live(page, place).locator(f"[data-knob={knob.name}]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box["height"] >= 20
    page.touchscreen.tap(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    settled(page, place)
    assert int(slider.input_value()) > 0.8 * int(slider.get_attribute("max") or 0)
    assert knob.name in page.url
    assert note(page, place) == ""


SHIFT = """globalThis.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(e => shift += e.hadRecentInput ? 0 : e.value))
    .observe({type: 'layout-shift', buffered: true});"""


@some_figures
def test_the_page_does_not_jump_and_its_labels_can_be_read(
    browser: Any, address: str, places: dict[str, dict[str, str]], name: str
) -> None:
    """Layout shift while loading is under 0.02; the figure fits the screen, and so do its labels."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.add_init_script(SHIFT)
    page.goto(address + places[name]["page"])
    page.wait_for_timeout(500)
    live(page, places[name]).scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert page.evaluate("shift") < 0.02
    for width, least in ((1280, 11.5), (390, 9)):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = (
            live(page, places[name])
            .locator("svg text")
            .evaluate_all(
                """texts => texts.map(t => {
                const svg = t.ownerSVGElement, wide = svg.viewBox.baseVal.width;
                return parseFloat(getComputedStyle(t).fontSize) * svg.getBoundingClientRect().width / wide;
            })"""
            )
        )
        assert min(sizes) >= least
    page.close()


@some_figures
def test_axe_finds_nothing_on_a_page_with_a_live_figure(
    walker: Any, address: str, places: dict[str, dict[str, str]], name: str
) -> None:
    """Of the whole chapter, its quiz and its exercises too, with the figure's code shown."""
    page = walker
    visit(page, address)
    visit(page, address + places[name]["page"])
    live(page, places[name]).locator("a.live-code").click()
    until(page, "document.querySelector('.live-source')")
    assert violations(page) == []
    with dark(page):
        assert violations(page, against=CONTRAST) == []


@pytest.fixture
def some(places: dict[str, dict[str, str]]) -> tuple[dict[str, str], str, LiveFigure]:
    """Return one figure with a number that can be typed: its place, its name, its declaration."""
    name = "message_time" if "message_time" in places else next(iter(places))
    return places[name], name, find(places[name]["module"], name)


@pytest.fixture
def page_of_some(walker: Any, address: str, some: Any) -> Any:
    """Return the page of that figure as it is first shown, but that Python runs in it already."""
    visit(walker, address)
    visit(walker, address + some[0]["page"])
    return walker


def first_number(figure: LiveFigure) -> Number:
    return next(knob for knob in figure.knobs if isinstance(knob, Number) and not knob.play)


def test_nothing_is_asked_for_before_a_touch(open_page: Any, some: Any) -> None:
    place, _, _ = some
    page = open_page(place["page"])
    page.wait_for_timeout(500)
    assert not [url for url in page.requests if "/live/" in url or "/runtime/" in url]
    assert len(page.requests) <= 14


def test_a_typed_value_is_read_with_its_unit_and_refused_with_a_reason(page_of_some: Any, some: Any) -> None:
    place, name, figure = some
    page, knob = page_of_some, first_number(figure)
    box = live(page, place).locator(f"[name={knob.name}]")
    wanted = knob.stops[len(knob.stops) // 2]
    box.fill(knob.write(wanted))
    settled(page, place)
    assert f"{name}.{knob.name}=" in page.url
    assert live(page, place).locator(f"[data-knob={knob.name}]").input_value() == str(len(knob.stops) // 2)
    box.fill("a lot")
    settled(page, place)
    assert knob.label in note(page, place)
    assert "a lot" in note(page, place)
    box.fill(knob.write(knob.default))
    settled(page, place)
    assert note(page, place) == ""


def test_a_link_reproduces_a_setting_and_so_do_back_and_forward(
    page_of_some: Any, open_page: Any, some: Any, address: str
) -> None:
    place, _, figure = some
    page, knob = page_of_some, first_number(figure)
    turn(page, place, knob)
    settled(page, place)
    until(page, "location.hash.startsWith('#live:')")
    link, numbers = page.url, live(page, place).locator(".live-numbers").inner_text()
    other = open_page(link.removeprefix(address))
    script = "([id, text]) => document.querySelector(`#${id} .live-numbers`)?.innerText === text"
    until(other, script, [place["id"], numbers])
    settled(other, place)
    assert live(other, place).locator(".live-numbers").inner_text() == numbers
    following = knob.stops[knob.place(knob.default) + 1]
    assert live(other, place).locator(f"[name={knob.name}]").input_value() == knob.write(following)
    page.evaluate("window.stayed = true")
    page.click(".md-header__button.md-logo")  # instant navigation: the page is not loaded anew
    page.wait_for_url(address)
    page.go_back()
    page.wait_for_url(link)
    until(page, script, [place["id"], numbers])
    assert page.evaluate("window.stayed")
    assert page.errors == []


def test_a_setting_does_not_follow_a_reader_to_another_page(page_of_some: Any, some: Any, address: str) -> None:
    """The address is written a moment after the picture; the reader may have left, though the figure is still here."""
    place, _, figure = some
    page = page_of_some
    turn(page, place, first_number(figure))
    until(page, "id => !document.getElementById(id).ariaBusy", place["id"])
    go = "address => history.pushState(null, '', address)"
    page.evaluate(go, address)
    page.wait_for_timeout(400)
    assert page.url == address
    page.evaluate(go, address + place["page"])


def test_two_figures_share_the_address(walker: Any, places: dict[str, dict[str, str]], address: str) -> None:
    (one, first), (two, second) = list(places.items())[:2]
    page = walker
    visit(page, address)
    visit(page, address + first["page"])
    page.evaluate(
        """async ([id, module, name, path]) => {
            const other = new DOMParser().parseFromString(await (await fetch(path)).text(), 'text/html');
            document.querySelector('article').append(other.getElementById(id));
        }""",
        [second["id"], second["module"], two, address + second["page"]],
    )
    page.evaluate("ids => document.querySelectorAll('.live')[1].id = 'second'", [])
    second = {**second, "id": "second"}
    for place, name in ((first, one), (second, two)):
        turn(page, place, first_number(find(place["module"], name)))
        settled(page, place)
    until(page, f"location.hash.includes('{one}.') && location.hash.includes('{two}.')")
    live(page, second).locator("button[type=reset]").click()
    until(page, f"location.hash.includes('{one}.') && !location.hash.includes('{two}.')")


def test_what_is_said_is_the_numbers_and_what_is_named_is_the_picture(page_of_some: Any, some: Any) -> None:
    place, _, figure = some
    page, knob = page_of_some, first_number(figure)
    before = live(page, place).locator(".panels").get_attribute("aria-label")
    assert live(page, place).locator(".live-spoken").inner_text() == ""
    for _ in range(3):
        turn(page, place, knob)
    settled(page, place)
    until(page, "id => document.querySelector(`#${id} .live-spoken`).textContent", place["id"])
    spoken = live(page, place).locator(".live-spoken")
    assert spoken.get_attribute("role") == "status"
    assert spoken.inner_text() == live(page, place).locator(".live-numbers").inner_text()
    assert live(page, place).locator(".panels").get_attribute("aria-label") != before


def test_it_works_offline_once_python_runs_and_says_why_before(open_page: Any, some: Any) -> None:
    place, _, figure = some
    page, knob = open_page(place["page"]), first_number(figure)
    shown = live(page, place).locator(".panels").inner_html()
    page.context.set_offline(True)
    turn(page, place, knob)
    until(page, "id => document.querySelector(`#${id} .problem`)", place["id"])
    assert "could not be loaded" in note(page, place)
    assert live(page, place).locator(".panels").inner_html() == shown
    page.context.set_offline(False)
    page.reload()
    turn(page, place, knob)
    settled(page, place)
    assert note(page, place) == ""
    numbers = live(page, place).locator(".live-numbers").inner_text()
    page.context.set_offline(True)
    turn(page, place, knob)
    settled(page, place)
    assert live(page, place).locator(".live-numbers").inner_text() != numbers


def test_a_network_lost_in_the_middle_of_loading_can_come_back(open_page: Any, some: Any) -> None:
    place, _, figure = some
    page, knob = open_page(place["page"]), first_number(figure)
    page.route("**/pyodide.asm.wasm", lambda route: route.abort("internetdisconnected"))
    turn(page, place, knob)
    until(page, "id => document.querySelector(`#${id} .problem`)", place["id"])
    assert "could not be loaded" in note(page, place)
    page.unroute("**/pyodide.asm.wasm")
    turn(page, place, knob)
    settled(page, place)
    assert note(page, place) == ""


def without_own_runtime(open_page: Any, place: dict[str, str]) -> Any:
    """Open a page whose policy is that of a site without the runtime."""
    page = open_page("notation/")

    def allow(route: Any) -> None:
        text = route.fetch().text().replace("connect-src 'self'", f"connect-src 'self' {runtime.CDN}")
        route.fulfill(body=text, content_type="text/html")

    page.route(f"**/{place['page']}", allow)
    return page


def test_without_npm_the_runtime_comes_from_elsewhere_and_the_page_says_so(
    open_page: Any, some: Any, address: str
) -> None:
    place, _, figure = some
    page = without_own_runtime(open_page, place)
    asked = elsewhere(page)
    page.goto(address + place["page"])
    page.evaluate(
        """id => {
            const note = document.querySelector(`#${id} .live-note`);
            globalThis.said = [];
            new MutationObserver(() => said.push(note.textContent)).observe(note, {childList: true});
        }""",
        place["id"],
    )
    turn(page, place, first_number(figure))
    settled(page, place)
    assert note(page, place) == ""
    assert "#live:" in page.url
    assert page.evaluate("said.some(text => text.includes('from cdn.jsdelivr.net'))")
    assert {path.rpartition("/")[2] for path in asked} == set(runtime.PYODIDE_FILES)


@pytest.mark.parametrize("file", ["pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip"])
def test_a_runtime_that_was_changed_on_the_way_is_refused(open_page: Any, some: Any, address: str, file: str) -> None:
    place, _, figure = some
    page = without_own_runtime(open_page, place)
    elsewhere(page, tampered=file)
    page.goto(address + place["page"])
    turn(page, place, first_number(figure))
    until(page, "id => document.querySelector(`#${id} .problem`)", place["id"])
    assert "could not be loaded" in note(page, place)


def test_nothing_that_runs_in_the_page_can_send_anything_elsewhere(python: Any) -> None:
    """The policy holds in the page and in the worker that runs Python."""
    fetching = (
        "async () => { try { await fetch('https://example.org/'); return 'sent' } catch (e) { return String(e) } }"
    )
    assert "Failed to fetch" in python.evaluate(fetching)
    refused = python.evaluate(
        """async () => {
            const seen = new Promise(resolve =>
                document.addEventListener('securitypolicyviolation', e => resolve(e.blockedURI)));
            const script = document.createElement('script');
            script.src = 'https://example.org/x.js';
            document.head.append(script);
            return seen;
        }"""
    )
    assert refused == "https://example.org/x.js"
    python.evaluate(
        """address => {
            globalThis.answered = undefined;
            const inside = "fetch('https://example.org/').then(() => postMessage('sent'), e => postMessage(String(e)))";
            const worker = new Worker(URL.createObjectURL(new Blob([inside])));
            worker.onmessage = ({data}) => { answered = data };
        }"""
    )
    assert "Failed to fetch" in until(python, "answered")
    code = "from pyodide.code import run_js; run_js(\"import('https://example.org/x.mjs')\")"
    with pytest.raises(Exception, match=r"eval|Content Security Policy"):
        python.evaluate("code => machine.call('builtins', 'exec', [code])", code)


@pytest.fixture
def moving(walker: Any) -> Iterator[Any]:
    """Yield a page of a reader who has nothing against motion."""
    walker.emulate_media(reduced_motion="no-preference")
    yield walker
    walker.emulate_media(reduced_motion="reduce")


def test_play_runs_to_the_end_and_stops_for_readers_who_want_no_motion(
    moving: Any, address: str, places: dict[str, dict[str, str]]
) -> None:
    with_play = {
        name: place
        for name, place in places.items()
        if any(isinstance(knob, Number) and knob.play for knob in find(place["module"], name).knobs)
    }
    assert with_play
    place, page = min(with_play.values(), key=lambda place: place["page"]), moving
    visit(page, address)
    visit(page, address + place["page"])
    button, slider = live(page, place).locator(".play"), live(page, place).locator(".knob:has(.play) [type=range]")
    slider.evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    settled(page, place)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    until(page, "id => Number(document.querySelector(`#${id} .knob:has(.play) [type=range]`).value) >= 2", place["id"])
    page.emulate_media(reduced_motion="reduce")
    until(page, "id => document.querySelector(`#${id} .play`).ariaPressed === 'false'", place["id"])
    value = int(slider.input_value())
    button.click()  # one step
    settled(page, place)
    assert int(slider.input_value()) == min(value + 1, int(slider.get_attribute("max") or 0))
    page.wait_for_timeout(1500)
    assert int(slider.input_value()) == min(value + 1, int(slider.get_attribute("max") or 0))
    page.emulate_media(reduced_motion="no-preference")
    slider.evaluate("s => { s.value = s.max - 3; s.dispatchEvent(new Event('input', {bubbles: true})) }")
    button.click()
    at_end = (
        "id => { const s = document.querySelector(`#${id} .knob:has(.play) [type=range]`); return s.value === s.max }"
    )
    until(page, at_end, place["id"], within_s=60)
    until(page, "id => document.querySelector(`#${id} .play`).ariaPressed === 'false'", place["id"])


def test_show_the_code_shows_the_function(open_page: Any, some: Any) -> None:
    place, name, figure = some
    page = open_page(place["page"])
    link = live(page, place).locator(".live-code")
    link.click()
    until(page, "id => document.querySelector(`#${id} .live-source`)", place["id"])
    shown = live(page, place).locator(".live-source code").inner_text()
    assert f"def {name}(" in shown
    assert shown.strip() == figure.described()["code"].strip()
    assert not [url for url in page.requests if "pyodide" in url]
    link.click()
    assert live(page, place).locator(".live-source").count() == 0


def test_without_scripts_there_are_the_picture_and_its_numbers_and_no_dead_knobs(open_page: Any, some: Any) -> None:
    place, _, _ = some
    page = open_page(place["page"], java_script_enabled=False)
    assert live(page, place).locator("svg").count() >= 1
    assert live(page, place).locator(".live-numbers").inner_text()
    assert not live(page, place).locator(".knobs").is_visible()


@pytest.fixture
def printed(page_of_some: Any) -> Iterator[Any]:
    """Yield that page; what goes to paper in a test goes back to the screen."""
    yield page_of_some
    page_of_some.emulate_media(media="screen")


def test_print_shows_the_current_picture_with_its_values(printed: Any, some: Any) -> None:
    place, _, figure = some
    page, knob = printed, first_number(figure)
    turn(page, place, knob)
    settled(page, place)
    numbers = live(page, place).locator(".live-numbers").inner_text()
    page.emulate_media(media="print")
    assert live(page, place).locator(".live-numbers").inner_text() == numbers
    assert live(page, place).locator(f"[name={knob.name}]").is_visible()
    for hidden in (".play", "button[type=reset]", "[type=range]", ".live-tools"):
        assert not [e for e in live(page, place).locator(hidden).all() if e.is_visible()]
