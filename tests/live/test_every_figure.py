"""What every live figure of the book keeps: it draws at every extreme, and its named settings say true numbers."""

from __future__ import annotations

import inspect
import re

import pytest
from checking import assert_extremes_draw, does_something, live_figures, waking
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
