"""Live figures in Chromium, on one of them: what is typed, linked, lost, refused, played and printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_fixtures import elsewhere, until, visit
from open_figure import first_number, live, note, settled, turn
from sampling import at_night, sampled

from press.site import runtime
from snippets.live.declaring import LiveFigure, find, settings_key
from snippets.live.knobs import Number

pytestmark = pytest.mark.browser


def opened(figure: LiveFigure) -> dict[str, Any]:
    """Return the values at which a figure opens, where they are not the knobs' defaults."""
    return dict(figure.opening.values) if figure.opening else {}


def test_nothing_is_asked_for_before_it_is_in_sight_and_no_python_before_a_touch(open_page: Any, some: Any) -> None:
    place, name, _ = some
    page = open_page(place["page"])
    page.wait_for_timeout(500)
    assert not [url for url in page.requests if "/live/" in url or "/runtime/" in url]
    assert len(page.requests) <= 14
    first = len(page.requests)
    live(page, place).scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    asked = {url.rpartition("/")[2] for url in page.requests[first:]}
    assert asked == {"figure.js", "runtime.js", f"{name}-near.json"}


def without_python(page: Any) -> list[Any]:
    """Let Python not come, as on a slow connection; return what waits for it."""
    held: list[Any] = []
    page.route("**/pyodide*/**", lambda route: held.append(route))
    return held


def test_a_first_turn_shows_its_value_and_its_picture_while_python_comes(open_page: Any, some: Any) -> None:
    place, name, figure = some
    page, knob = open_page(place["page"]), first_number(figure)
    held = without_python(page)
    drawn = figure.described()["near"]
    live(page, place).scroll_into_view_if_needed()
    turn(page, place, knob)
    stop = knob.place(opened(figure).get(knob.name, knob.default)) + 1
    expected = drawn[settings_key({**figure.opens_at(), knob.name: f"@{stop}"})]
    script = "([id, text]) => document.querySelector(`#${id} .live-numbers`).textContent === text"
    until(page, script, [place["id"], expected["numbers"]])
    assert live(page, place).locator(f"[name={knob.name}]").input_value() == knob.write(knob.stops[stop])
    assert live(page, place).locator(".panels").get_attribute("aria-label") == expected["alt"]
    until(page, "id => document.querySelector(`#${id} .live-note`).textContent.includes('Python, 1/3')", place["id"])
    until(page, "name => location.hash.includes(`${name}.`)", name)
    for _ in range(2):
        turn(page, place, knob)
    far = knob.stops[stop + 2]  # no picture of it came with the page, but its value follows the hand
    assert live(page, place).locator(f"[name={knob.name}]").input_value() == knob.write(far)
    assert live(page, place).locator(f"[data-knob={knob.name}]").get_attribute("aria-valuetext") == knob.write(far)
    assert (
        live(page, place).locator(".live-numbers").inner_text() != figure(**{**opened(figure), knob.name: far}).numbers
    )
    for route in held:
        route.continue_()
    page.unroute("**/pyodide*/**")
    settled(page, place)
    assert (
        live(page, place).locator(".live-numbers").inner_text() == figure(**{**opened(figure), knob.name: far}).numbers
    )
    assert note(page, place) == ""


def test_a_named_setting_brings_its_picture_and_what_to_notice_until_a_knob_is_turned(
    open_page: Any, places: dict[str, dict[str, str]]
) -> None:
    place = places["zero_table"]
    figure = find(place["module"], "zero_table")
    page = open_page(place["page"])
    without_python(page)
    live(page, place).scroll_into_view_if_needed()
    told = figure.described()
    opening = "".join(named["notice"] for named in told["named"] if named["name"] == told["opens"])
    assert live(page, place).locator(".live-notice").inner_text() == opening
    for named, button in zip(figure.named, live(page, place).locator(".named").all(), strict=True):
        button.click()
        script = "([id, text]) => document.querySelector(`#${id} .live-numbers`).textContent === text"
        until(page, script, [place["id"], figure(**named.values).numbers])
        assert live(page, place).locator(".live-notice").inner_text() == named.notice
        assert button.get_attribute("aria-pressed") == "true"
        assert live(page, place).locator(".named[aria-pressed=true]").count() == 1
    live(page, place).locator("button[type=reset]").click()
    assert live(page, place).locator(".live-notice").inner_text() == opening
    live(page, place).locator(".named").first.click()
    assert live(page, place).locator(".live-notice").inner_text()
    live(page, place).locator("select").first.select_option("Llama 3 8B")
    assert live(page, place).locator(".live-notice").inner_text() == ""
    assert live(page, place).locator(".named[aria-pressed=true]").count() == 0


@pytest.mark.parametrize(
    ("width", "height", "edge"),
    sampled([(1280, 800, "start"), (390, 844, "end"), (1280, 800, "end"), (390, 844, "start")], 1),
)
def test_what_is_said_of_a_setting_is_in_sight_where_the_hand_is(
    open_page: Any, address: str, places: dict[str, dict[str, str]], width: int, height: int, edge: str
) -> None:
    """A refusal and the numbers, at each knob of the figure that has most of them, at either edge of the screen."""
    page = open_page("")
    page.set_viewport_size({"width": width, "height": height})
    name, place = max(places.items(), key=lambda item: len(find(item[1]["module"], item[0]).knobs))
    page.goto(address + place["page"])
    for box in live(page, place).locator(".knob:not([hidden]) [type=text]").all():
        box.evaluate("(box, place) => box.scrollIntoView({block: place})", edge)
        box.fill("a lot")
        settled(page, place)
        assert "a lot" in note(page, place)
        assert box.get_attribute("aria-invalid") == "true"
        assert box.get_attribute("aria-describedby") == live(page, place).locator(".live-note").get_attribute("id")
        for said in (".live-note", ".live-numbers"):
            where = live(page, place).locator(said).bounding_box()
            assert where["y"] >= 0, (name, said)
            assert where["y"] + where["height"] <= height, (name, said)
            assert where["y"] + where["height"] <= box.bounding_box()["y"], (name, said)
        live(page, place).locator("button[type=reset]").click()
        settled(page, place)
        assert box.get_attribute("aria-invalid") is None


def test_a_typed_value_is_read_with_its_unit_and_refused_with_a_reason(page_of_some: Any, some: Any) -> None:
    place, name, figure = some
    page, knob = page_of_some, first_number(figure)
    box = live(page, place).locator(f"[name={knob.name}]")
    wanted = knob.stops[len(knob.stops) // 2]
    box.fill(knob.write(wanted))
    settled(page, place)
    until(page, "text => location.hash.includes(text)", f"{name}.{knob.name}=")
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
    following = knob.stops[knob.place(opened(figure).get(knob.name, knob.default)) + 1]
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
        text = text.replace("script-src 'self'", "script-src 'self' blob:")
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


@pytest.mark.parametrize("file", ["pyodide.mjs", at_night("pyodide.asm.wasm"), at_night("python_stdlib.zip")])
def test_a_runtime_that_was_changed_on_the_way_is_refused(open_page: Any, some: Any, address: str, file: str) -> None:
    place, _, figure = some
    page = without_own_runtime(open_page, place)
    elsewhere(page, tampered=file)
    page.goto(address + place["page"])
    turn(page, place, first_number(figure))
    until(page, "id => document.querySelector(`#${id} .problem`)", place["id"])
    assert "could not be loaded" in note(page, place)


def test_nothing_that_runs_in_the_page_can_send_anything_elsewhere(python: Any, address: str) -> None:
    """The policy holds in the page and in the worker that runs Python."""
    fetching = (
        "async () => { try { await fetch('https://example.org/'); return 'sent' } catch (e) { return String(e) } }"
    )
    assert "Failed to fetch" in python.evaluate(fetching)
    refused = python.evaluate(
        """async () => {
            const seen = new Promise(resolve =>
                document.addEventListener('securitypolicyviolation', e => resolve(e.blockedURI)));
            import('https://example.org/x.js').catch(() => {});
            return seen;
        }"""
    )
    assert refused == "https://example.org/x.js"
    python.evaluate(
        """async address => {
            globalThis.answered = undefined;
            const inside = "fetch('https://example.org/').then(() => postMessage('sent'), e => postMessage(String(e)))";
            const {vouched} = await import(address + 'javascripts/live/runtime.js');
            const worker = new Worker(vouched.createScriptURL(URL.createObjectURL(new Blob([inside]))));
            worker.onmessage = ({data}) => { answered = data };
        }""",
        address,
    )
    assert "Failed to fetch" in until(python, "answered")
    code = "from pyodide.code import run_js; run_js(\"import('https://example.org/x.mjs')\")"
    with pytest.raises(Exception, match=r"Content Security Policy"):
        python.evaluate("code => run(code)", code)


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
