"""Declarations of live figures: settings in and out, refusals by label, what a page is told, and slips refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.drawing import Panel
from snippets.live.declaring import LiveFigure, Named, Picture, draw, find, in_page, live_figure, settings_key
from snippets.live.knobs import Choice, Knob, Number, Switch

ROOT = Path(__file__).parents[2]
KNOBS: list[Knob] = [
    Choice("shape", "Shape", {"square": "Square", "bar": "Bar"}, "square"),
    Number("side", "Side a", 40, 10, 90, 10),
    Number("height", "Height h", 20, 10, 90, 10),
    Number("rate", "side rate r", 1e6, 1e3, 1e9, 10, "log", "B/s", whole=False),
    Switch("filled", "Filled", True),
]


@live_figure(title="A block", caption="Its side is $a$.", knobs=KNOBS)
def block(*, shape: str, side: int, height: int, rate: float, filled: bool) -> Picture:
    """Draw a square or a bar; a bar is at most half as high as it is wide."""
    if shape == "bar" and side < 20:
        raise ValueError(f"side must be at least 20 for a bar, got {side}")
    if side == 90:
        raise ValueError("A side of 90 has no picture here.")
    high = min(height, side // 2 // 10 * 10) if shape == "bar" else side
    panel = Panel(100, 100)
    panel.rectangle(0, 0, side, high, colour="rank-0", strength=0.5 if filled else 0)
    limits = {"height": float(side // 2 // 10 * 10)} if shape == "bar" else {}
    idle = () if shape == "bar" else ("height",)
    return Picture([panel], f"{side} by {high} pixels at {rate:g}.", f"A {shape}.", limits, idle)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return ``draw`` for the figure of this file, which stands in no module of the package otherwise."""
    here = ModuleType("snippets.live.block_for_tests.live")
    here.__dict__["block"] = block
    monkeypatch.setitem(__import__("sys").modules, here.__name__, here)
    monkeypatch.setattr("snippets.live.declaring.find_spec", lambda name: here.__name__.startswith(name))
    return lambda **settings: json.loads(draw(here.__name__, "block", json.dumps(settings)))


values = st.fixed_dictionaries(
    {},
    optional={
        "shape": st.sampled_from(["square", "bar"]),
        "side": st.integers(2, 8).map(lambda tens: 10 * tens),
        "height": st.integers(10, 90),
        "rate": st.floats(1e3, 1e9),
        "filled": st.booleans(),
    },
)


@given(values)
def test_changed_holds_exactly_what_differs_from_the_defaults_and_leads_back(settings: dict[str, Any]) -> None:
    raw = {knob.name: knob.plain(settings[knob.name]) for knob in KNOBS if knob.name in settings}
    drawn = block.drawn(raw)
    whole = {knob.name: knob.default for knob in KNOBS} | settings
    if whole["shape"] == "bar":  # where its limit is what stands in the page
        whole["height"] = min(whole["height"], whole["side"] // 2 // 10 * 10)
    assert drawn.changed.keys() == {knob.name for knob in KNOBS if whole[knob.name] != knob.default}
    again = block.drawn(drawn.changed)
    assert again == drawn
    assert drawn.svgs == [in_page(panel) for panel in block(**whole).panels]


def test_a_knob_that_changes_nothing_is_idle_and_one_that_is_limited_says_how_far() -> None:
    square, bar = block.drawn({}), block.drawn({"shape": "bar", "height": "80"})
    assert (square.idle, bar.idle) == (["height"], [])
    assert square.most == {"side": 8, "height": 8, "rate": 6}
    assert bar.most == {"side": 8, "height": 1, "rate": 6}
    assert (bar.places["height"], bar.shown["height"], bar.changed) == (1, "20", {"shape": "bar"})


def test_settings_are_shown_as_people_write_them() -> None:
    drawn = block.drawn({"side": "@2", "rate": "2.5 MB/s", "filled": "off"})
    assert drawn.shown == {"shape": "Square", "side": "30", "height": "20", "rate": "2.5 MB/s", "filled": "off"}
    assert drawn.changed == {"side": "30", "rate": "2500000", "filled": "off"}
    assert drawn.places == {"side": 2, "height": 1, "rate": 3}
    assert drawn.numbers == "30 by 30 pixels at 2.5e+06."


@pytest.mark.parametrize(
    ("settings", "knob", "problem"),
    [
        ({"side": "5"}, "side", "Side a must be a whole number from 10 to 90, got 5"),
        ({"side": "wide"}, "side", "Side a must be a number, without a unit, 'k' or 'M' after it or not, got 'wide'"),
        ({"side": "@99"}, "side", "Side a must be one of 9 stops, got '@99'"),
        ({"rate": "3 s"}, "rate", "side rate r must be a number, with or without a unit such as 'MB/s', got '3 s'"),
        ({"shape": "disc"}, "shape", "Shape must be one of 'square', 'bar', got 'disc'"),
        ({"filled": "yes"}, "filled", "Filled must be one of 'on', 'off', got 'yes'"),
        ({"shape": "bar", "side": "10"}, "side", "Side a must be at least 20 for a bar, got 10"),
        ({"side": "90"}, "", "A side of 90 has no picture here."),
        ({"side": 5}, "side", "Side a must be a text, got 5"),
    ],
)
def test_a_page_is_told_by_label_what_is_wrong(page: Any, settings: dict[str, Any], knob: str, problem: str) -> None:
    assert page(**settings) == {"problem": problem, "knob": knob}


def test_a_page_gets_the_picture_and_passes_over_knobs_of_an_older_figure(page: Any) -> None:
    drawn = page(side="20", width="30")["drawn"]
    assert drawn["svgs"] == [in_page(panel) for panel in block(side=20).panels]
    assert drawn["changed"] == {"side": "20"}


@pytest.mark.parametrize("raw", ["", "{", "[]", "3", '"side"', "null", "[" * 100_000])
def test_settings_that_are_no_json_object_are_refused(raw: str) -> None:
    with pytest.raises(ValueError, match=r"raw must be a JSON object of knobs' names and texts, got '"):
        draw("snippets.foundations.alpha_beta.live", "message_time", raw)


def test_a_figure_called_with_an_unknown_knob_says_which_there_are() -> None:
    with pytest.raises(ValueError, match=r"knobs of block: shape, side, height, rate, filled, got 'width'"):
        block(width=3)
    with pytest.raises(ValueError, match="side must be a whole number from 10 to 90, got 91"):
        block(side=91)
    assert block(side=30).numbers == "30 by 30 pixels at 1e+06."


def test_what_a_page_is_told_is_json_and_its_code_is_the_function() -> None:
    told = json.loads(json.dumps(block.described()))
    assert told == block.described()
    assert (told["module"], told["name"], told["title"]) == (__name__, "block", "A block")
    assert told["code"] in Path(__file__).read_text(encoding="utf-8")
    assert told["code"].startswith("@live_figure(")
    assert told["code"].rstrip().endswith("limits, idle)")
    assert told["drawn"]["changed"] == {}
    assert [knob["kind"] for knob in told["knobs"]] == ["choice", "number", "number", "number", "switch"]
    assert told["knobs"][0]["options"] == [["square", "Square"], ["bar", "Bar"]]
    assert told["knobs"][1]["stops"] == ["10", "20", "30", "40", "50", "60", "70", "80", "90"]
    assert [knob["label"] for knob in told["knobs"]] == [knob.label for knob in KNOBS]


def test_what_is_shown_before_python_runs_is_what_python_would_draw(page: Any) -> None:
    """Defaults, named settings, and near stops of the first knob, of the first number and of what can be played."""
    named = Named("A slow bar", "It is low.", {"shape": "bar", "rate": 1e3})
    moment = Number("moment", "Moment", 0, 0, 50, play=True)

    @live_figure(title="B", caption="C", knobs=[KNOBS[4], KNOBS[1], KNOBS[2], moment], named=[])
    def other(*, filled: bool, side: int, height: int, moment: int) -> Picture:
        if side == 50:
            raise ValueError("side must be another, got 50")
        return Picture([Panel(side, height)], f"{filled} {side} {height} {moment}", "A")

    keys = [{}, {"filled": "off"}, {"filled": "on"}, *({"side": f"@{stop}"} for stop in (1, 2, 3, 5))]
    keys += [{"moment": f"@{stop}"} for stop in (0, 1, 2)]  # a side of 50, stop 4, is refused
    assert other.described()["near"].keys() == {settings_key(raw) for raw in keys}

    short = Number("moment", "Moment", 4, 0, 50, play=True)
    ends = 9.0

    @live_figure(title="B", caption="C", knobs=[SIDE, short], named=[])
    def played(*, side: int, moment: int) -> Picture:
        return Picture([Panel(side, 9)], f"{side} {moment}", "A", {"moment": ends})

    def stops() -> set[int]:
        return {stop for stop in range(51) if settings_key({"moment": f"@{stop}"}) in played.described()["near"]}

    assert stops() == set(range(10))  # all that it can play
    ends = 10.0
    assert stops() == {2, 3, 4, 5, 6}

    figure = live_figure(title="B", caption="C", knobs=KNOBS, named=[named])(block.function)
    told = figure.described()
    assert told["named"] == [
        {"name": "A slow bar", "notice": "It is low.", "settings": {"shape": "bar", "rate": "1000"}}
    ]
    sides = [{"side": f"@{stop}"} for stop in range(1, 6)]
    expected = [{}, {"shape": "bar", "rate": "1000"}, {"shape": "square"}, {"shape": "bar"}, *sides]
    assert told["near"].keys() == {settings_key(raw) for raw in expected}
    for raw in expected:
        assert told["near"][settings_key(raw)] == page(**raw)["drawn"]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ([3], r"named\[0\] must be a Named with a name, got 3"),
        ([Named(" ", "It is low.", {"side": 10})], r"named\[0\] must be a Named with a name, got Named"),
        ([Named("A", "low", {"side": 10})], r"named\[0\] must say in a sentence what to notice, got 'low'"),
        ([Named("A", "It is low.", {})], r"named\[0\] must set at least one knob, got \{\}"),
        ([Named("A", "It is low.", {"height": 10})], r"named must set knobs, of side, got \{'height': 10\}"),
        ([Named("A", "It is low.", {"side": 95})], "side must be a whole number from 10 to 90, got 95"),
        ([Named("A", "It is low.", {"side": 10})] * 2, r"named must each have a name of its own, got \['A', 'A'\]"),
    ],
)
def test_named_settings_that_are_none_are_refused(named: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        live_figure(title="A", caption="B", knobs=[SIDE], named=named)


def declared(function: Any, *knobs: Knob) -> LiveFigure:
    return live_figure(title="A", caption="B", knobs=knobs)(function)


def one(side: int) -> Picture:
    return Picture([], "", "", {"side": 20.0, "sides": 10.0})


SIDE, HEIGHT = KNOBS[1], KNOBS[2]


@pytest.mark.parametrize(
    ("function", "knobs", "message"),
    [
        (one, [], r"knobs must be at least one, each with a name of its own, got \[\]"),
        (one, [SIDE, SIDE], r"each with a name of its own, got \['side', 'side'\]"),
        (one, [SIDE, HEIGHT], r"knobs must be one for each argument of one, \['side'\], got \['side', 'height'\]"),
        (one, [HEIGHT], r"knobs must be one for each argument of one, \['side'\], got \['height'\]"),
        (one, ["side"], r"knobs\[0\] must be a Number, a Choice or a Switch, got 'side'"),
        (lambda side: None, [SIDE], r"function must be one that is defined with a name, got <function"),
        (3, [SIDE], r"function must be one that is defined with a name, got 3"),
    ],
)
def test_knobs_that_are_not_the_functions_arguments_are_refused(function: Any, knobs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(function, *knobs)


def test_limits_and_idle_of_no_knob_are_refused() -> None:
    with pytest.raises(ValueError, match="limits and idle must name knobs of one: side, got 'sides'"):
        declared(one, SIDE)()


@pytest.mark.parametrize(
    ("module", "name", "message"),
    [
        ("os", "path", "module must be one of live figures, .*, got 'os'"),
        ("snippets.live.no.live", "block", "module must be one of live figures, .*, got 'snippets.live.no.live'"),
        ("snippets.nothing.zero.live", "block", "module must be one of live figures"),
        ("snippets.live.knobs", "Number", "module must be one of live figures"),
        ("snippets.memory.zero.live", "Panel", "name must be a live figure of snippets.memory.zero.live, got 'Panel'"),
        ("snippets.memory.zero.live", "", "name must be a live figure of snippets.memory.zero.live, got ''"),
    ],
)
def test_only_live_figures_are_found(module: str, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find(module, name)


def test_a_figure_opens_at_the_setting_that_it_names() -> None:
    low = Named("A slow bar", "It is low.", {"shape": "bar", "rate": 1.5e3})
    plain = Named("A fast one", "It is high.", {"rate": 2e3})
    figure = live_figure(title="B", caption="C", knobs=KNOBS, named=[plain, low], opens="A slow bar")(block.function)
    told = figure.described()
    assert told["opens"] == "A slow bar"
    assert told["drawn"]["numbers"] == figure(**low.values).numbers
    assert told["drawn"]["changed"] == {"shape": "bar", "rate": "1500"}  # which is none of the knob's stops
    turned = settings_key({"shape": "bar", "rate": "1500", "side": "@4"})
    assert told["near"][turned]["numbers"] == figure(shape="bar", rate=1.5e3, side=50).numbers
    at_rest = Named("As it is", "It is square.", {"shape": "square"})
    assert live_figure(title="B", caption="C", knobs=KNOBS, named=[low, at_rest])(block.function).opening is at_rest
    assert block.opening is None
    with pytest.raises(ValueError, match="opens must be the name of a setting: A fast one, A slow bar, got 'Slow'"):
        live_figure(title="B", caption="C", knobs=KNOBS, named=[plain, low], opens="Slow")
