"""What every live figure of the book keeps: it draws at every extreme, and its named settings say true numbers."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from checking import assert_draws, assert_extremes_draw, does_something, live_figures, waking
from sampling import ROOT

from press.making.live import live_modules
from snippets.live.declaring import LiveFigure, find

FIGURES = live_figures()
every_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


def test_every_live_module_has_a_figure() -> None:
    assert FIGURES
    assert {figure.module for figure in FIGURES.values()} == set(live_modules(ROOT))


@every_figure
def test_it_draws_at_every_extreme_or_says_why_not(figure: LiveFigure) -> None:
    assert_extremes_draw(figure)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("failures_figure", {"ranks": 8, "write_s": 1}),  # a dot low on the axis
        ("failures_figure", {"ranks": 8, "how": "behind"}),
        ("axis_bytes_figure", {"model": "DeepSeek-V3", "gpus": 16_384}),  # a long name beside a number
        ("layout_figure", {"model": "Llama 3 405B", "keep": "all"}),  # a limit below the title
        ("layout_figure", {"model": "Llama 3 405B", "keep": "all", "micro": "4", "stages": "8"}),
        ("layout_figure", {"stages": "4", "keep": "all"}),  # a limit just beside it
        ("sm_split_figure", {"sm_gb": 0.5, "comm_sms": 1}),  # a curve's name at the best
        ("travel_against_computing", {"width": 28_672, "flops_per_s": 43e12}),  # a dot in the corner
        ("split_budget", {"flops": 1e26, "served": 200.0}),  # a mark below the title
    ],
)
def test_texts_keep_clear_of_each_other_where_there_is_little_room(name: str, settings: dict[str, Any]) -> None:
    assert FIGURES[name](**settings).panels
    assert_draws(FIGURES[name], settings)


@every_figure
def test_a_page_shows_each_knob_at_some_setting_and_there_it_does_something(figure: LiveFigure) -> None:
    for knob in figure.knobs:
        first = next((setting for _, setting in waking(figure, knob.name)), None)
        assert first is not None, f"{knob.name} can be turned at no choice and after no button"
        assert does_something(figure, knob, first), f"{knob.name} changes nothing at {first}"


@every_figure
def test_it_is_found_by_what_it_tells_a_page(figure: LiveFigure) -> None:
    assert find(figure.module, figure.name) is figure
    assert [knob.name for knob in figure.knobs] == list(inspect.signature(figure.function).parameters)


@every_figure
def test_its_named_settings_say_no_number_that_their_pictures_do_not(figure: LiveFigure) -> None:
    for named in figure.named:
        picture = figure(**named.values)
        shown = f"{picture.numbers} {picture.alt} {figure().numbers}"
        for number in re.findall(r"\d[\d.,]*\d|\d", named.notice):
            assert re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)", shown), (named.name, number)


@every_figure
def test_it_opens_on_a_setting_that_says_what_happens(figure: LiveFigure) -> None:
    assert figure.opening, [named.name for named in figure.named]
