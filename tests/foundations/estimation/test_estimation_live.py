"""The tornado chart says what drawn products say, and sorts its bars."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.estimation.formulas import Factor
from snippets.foundations.estimation.live import tornado
from snippets.foundations.estimation.simulators import central_range, product_trials
from snippets.live.knobs import Number

SPREADS = st.floats(1, 4).map(lambda value: round(value, 2))
OF_FACTORS = [knob.name for knob in tornado.knobs if isinstance(knob, Number) and knob.high == 4]


@given(st.fixed_dictionaries(dict.fromkeys(OF_FACTORS, SPREADS)))
def test_the_numbers_are_a_root_of_squares_and_a_product(spreads: dict[str, Any]) -> None:
    said = re.search(r"within ×/÷ ([\d.]+) of 83.4; .* ×/÷ ([\d.]+)\. (.*\.) With", tornado(**spreads).numbers)
    assert said
    logarithms = [math.log(spread) for spread in spreads.values()]
    assert float(said[1]) == pytest.approx(math.exp(math.hypot(*logarithms)), rel=6e-3)
    assert float(said[2]) == pytest.approx(math.prod(spreads.values()), rel=6e-3)
    if share := re.search(r"(\d+)%", said[3]):
        largest = max(logarithms) ** 2 / sum(value**2 for value in logarithms)
        assert float(share[1]) == pytest.approx(100 * largest, abs=0.51)
    else:
        assert said[3] == "All factors are exact."


@pytest.mark.parametrize(("middle", "booked"), [(83, 90), (83, 70), (70, 90), (30, 120)])
def test_range_and_risk_are_those_of_drawn_products(middle: int, booked: int) -> None:
    factors = [Factor("middle", middle, middle), *(Factor(str(f), 1 / f, f) for f in (1.05, 1.29, 1.1))]
    drawn = product_trials(factors, trials=200_000, seed=11)
    numbers = tornado(operations=1.05, peak_share=1.29, at_work=1.1, fourth=1, middle=middle, booked=booked).numbers
    ends, chance = re.search(r"takes ([\d.]+) to ([\d.]+) days", numbers), re.search(r"chance of (\d+)%", numbers)
    assert ends
    assert chance
    assert [float(ends[1]), float(ends[2])] == pytest.approx(central_range(drawn), rel=0.02)
    assert float(chance[1]) == pytest.approx(100 * float((drawn > booked).mean()), abs=1)


def test_exact_factors_leave_no_chance() -> None:
    exact = dict.fromkeys(OF_FACTORS, 1)
    assert [tornado(**exact, middle=83, booked=days).numbers.rpartition(" ")[2] for days in (82, 83, 84)] == [
        "100%.",
        "0%.",
        "0%.",
    ]


def test_without_named_settings_it_is_two_factors_of_two() -> None:
    assert "within ×/÷ 2.67 of 83.4; added straight, the half-widths would make it ×/÷ 4." in tornado().numbers


def test_the_widest_bar_is_on_top_and_bars_have_their_widths() -> None:
    svg = tornado(operations=1.05, peak_share=1.29, at_work=1.1, fourth=1).panels[0].svg()
    widths = [float(width) for width in re.findall(r'<rect [^>]*?width="([\d.]+)"', svg)]
    assert len(widths) == 6
    assert widths[:4] == sorted(widths[:4], reverse=True)
    for width, spread in zip(widths, (1.29, 1.1, 1.05, 1.0), strict=False):
        assert width == pytest.approx(172 * math.log(spread) / math.log(1.5), abs=0.1)
    assert re.findall(r">(peak share|time at work|FLOPs|fourth factor)<", svg)[0] == "peak share"


@pytest.mark.parametrize(("spread", "high"), [(1.1, 1.5), (1.15, 2), (1.45, 5), (2, 32), (4, 32)])
def test_the_axis_holds_the_straight_bar_or_cuts_it(spread: float, high: float) -> None:
    svg = tornado(operations=spread, peak_share=spread, at_work=spread, fourth=spread).panels[0].svg()
    widths = [float(width) for width in re.findall(r'<rect [^>]*?width="([\d.]+)"', svg)]
    assert widths[0] == pytest.approx(172 * math.log(spread) / math.log(high), abs=0.1)
    assert widths[5] == pytest.approx(min(172, 4 * widths[0]), abs=0.3)
