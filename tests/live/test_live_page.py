"""Live figures in Chromium, each of them: the picture that the build and CPython draw, knobs, layout, accessibility."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from browser_fixtures import CONTRAST, dark, until, violations, visit
from checking import extremes, live_figures, waking
from open_figure import first_number, live, note, settled, turn, unfold
from sampling import ALL, figure_changed, sampled

from snippets.live.declaring import LiveFigure, draw, find
from snippets.live.knobs import Choice, Knob, Number

pytestmark = pytest.mark.browser

FIGURES = live_figures()
NAMES = sorted(FIGURES)
RANDOM_SETTINGS = 50 if ALL else 4
some_figures = pytest.mark.parametrize("name", sampled(NAMES, 3, changed=figure_changed, most=1))
DRAW = "parameters => draw(parameters)"


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


@pytest.mark.parametrize("name", sampled(NAMES, 16, changed=figure_changed, most=8))
def test_the_browser_draws_what_the_build_drew(python: Any, places: dict[str, dict[str, str]], name: str) -> None:
    place = places[name]
    drawn = json.loads(python.evaluate(DRAW, [place["module"], name, json.dumps(FIGURES[name].opens_at())]))["drawn"]
    assert "".join(drawn["svgs"]) == place["picture"]


@pytest.mark.parametrize("name", sampled(NAMES, 6, changed=figure_changed, most=2))
def test_the_browser_draws_what_cpython_draws(python: Any, places: dict[str, dict[str, str]], name: str) -> None:
    """At random settings and at extremes of knobs, to the byte; or both give the same reason why not."""
    module = places[name]["module"]
    for setting in settings_of(find(module, name)):
        raw = json.dumps(setting)
        assert python.evaluate(DRAW, [module, name, raw]) == draw(module, name, raw), setting


def wake(page: Any, place: dict[str, str], declared: LiveFigure, name: str) -> None:
    """Choose something, or press the button of a setting, under which a knob can be turned that can't be at first."""
    way, setting = next(waking(declared, name))
    if isinstance(way, Choice):
        live(page, place).locator(f"select[name={way.name}]").select_option(setting[way.name])
    elif way:
        live(page, place).get_by_role("button", name=way.name, exact=True).click()
    settled(page, place)


def shown(page: Any, place: dict[str, str]) -> tuple[str, str]:
    figure = live(page, place)
    return figure.locator(".panels").inner_html(), figure.locator(".live-numbers").inner_text()


def does_something(page: Any, place: dict[str, str], knob: Knob) -> bool:
    """Turn a knob by a little, and to its ends if that changes nothing."""
    before = shown(page, place)
    slider = live(page, place).locator(f"[data-knob={knob.name}]")
    for key in ("", "End", "Home") if isinstance(knob, Number) else ("",):
        slider.press(key) if key else turn(page, place, knob)
        settled(page, place, rest_ms=0)
        if shown(page, place) != before or note(page, place):
            return True
    return False


@some_figures
def test_every_knob_is_worked_by_keyboard_and_changes_the_figure(
    walker: Any, address: str, places: dict[str, dict[str, str]], name: str
) -> None:
    """Tab reaches each knob in order; a key turns it; the picture or what is said of it follows; Reset undoes all.

    A little further changes nothing where a window is wider than the text, say: then a key goes to the knob's ends.
    """
    place, page = places[name], walker
    visit(page, address + place["page"])
    unfold(page, place)
    figure = live(page, place)
    figure.locator(".knobs :is(input, select)").first.focus()
    reached = []
    for _ in range(3 * len(find(place["module"], name).knobs) + 4):
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.dataset.knob || ''"))
        page.keyboard.press("Tab")
    declared = find(place["module"], name)
    assert {knob.name for knob in declared.knobs} - {*declared.drawn(declared.opens_at()).idle} <= set(reached)
    for knob in declared.knobs:
        wake(page, place, declared, knob.name)
        assert does_something(page, place, knob), f"{knob.name} does nothing"
        figure.locator("button[type=reset]").click()
        settled(page, place, rest_ms=0)
    until(page, "() => !location.hash.startsWith('#live')")
    assert figure.locator(".panels").inner_html() == page.evaluate(
        "html => new DOMParser().parseFromString(html, 'text/html').body.innerHTML",
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
    unfold(page, places[name])
    for width, least in ((1280, 11.5), (390, 9)):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = (
            live(page, places[name])
            .locator("svg text")
            .evaluate_all(
                """texts => texts.filter(t => t.getClientRects().length).map(t => {
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
    unfold(page, places[name])
    live(page, places[name]).locator("a.live-code").click()
    until(page, "document.querySelector('.live-source')")
    assert violations(page) == []
    with dark(page):
        assert violations(page, against=CONTRAST) == []
