"""Axes: where values lie, round ticks inside the ends, and curves cut off at the axes, against sampled points."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.drawing import Spot
from snippets.live.axes import Axis, Plot, beside

SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = 40  # on each piece between two points
ROUNDED_PX = 0.08  # a coordinate's rounding to 0.05 px, in both directions

Place = tuple[float, float]
coordinates = st.integers(-30, 130).map(float)
polylines = st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=6)


def plot() -> Plot:
    return Plot(Axis(0, 100), Axis(0, 100), width_px=268, height_px=254)  # 2 px a unit


def drawn(of: Plot, colour: str = "accent") -> list[list[Place]]:
    """Return the corners of each curve drawn in a colour."""
    paths = ElementTree.fromstring(of.panel.svg()).iter(f"{SVG}path")
    lines = [path.get("d", "")[1:].split("L") for path in paths if path.get("class") == f"l-{colour}"]
    return [[(float(x), float(y)) for x, y in (corner.split() for corner in line)] for line in lines]


def distance(place: Place, start: Place, end: Place) -> float:
    """Return how far a place lies from the line between two others."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = across**2 + down**2
    share = ((place[0] - start[0]) * across + (place[1] - start[1]) * down) / length if length else 0
    share = min(max(share, 0), 1)
    return math.dist(place, (start[0] + share * across, start[1] + share * down))


def inside(of: Plot, place: Place, slack: float) -> bool:
    return of.left - slack <= place[0] <= of.right + slack and of.top - slack <= place[1] <= of.bottom + slack


@settings(max_examples=examples(60))
@given(polylines)
def test_a_curve_is_drawn_where_it_lies_between_the_axes_and_nowhere_else(points: list[Place]) -> None:
    made = plot()
    made.curve(points, colour="accent")
    pieces = drawn(made)
    wanted = [(made.x(x), made.y(y)) for x, y in points]
    for piece in pieces:
        for corner in piece:
            assert inside(made, corner, ROUNDED_PX)
            assert min(distance(corner, *segment) for segment in pairwise(wanted)) <= ROUNDED_PX
    segments = [segment for piece in pieces for segment in pairwise(piece)]
    length = 0.0
    for start, end in pairwise(wanted):
        share = 0
        for number in range(SAMPLES):
            part = (number + 0.5) / SAMPLES
            place = (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]))
            share += inside(made, place, 0)
            if inside(made, place, -0.3):
                assert min(distance(place, *segment) for segment in segments) <= ROUNDED_PX
        length += math.dist(start, end) * share / SAMPLES
    longest = sum(math.dist(*segment) for segment in pairwise(wanted))
    total = sum(math.dist(*segment) for segment in segments)
    assert total == pytest.approx(length, abs=2 * longest / SAMPLES + 0.3 * (len(segments) + 1))


def test_a_curve_through_the_corner_or_outside_is_not_drawn() -> None:
    made = plot()
    made.curve([(-50, 150), (150, 150)], colour="accent")
    made.curve([(-10, 50), (-10, 60)], colour="accent")
    made.curve([(5, 5)], colour="accent")
    made.curve([], colour="accent")
    assert drawn(made) == []


def test_a_curve_that_leaves_and_comes_back_is_two_pieces_and_one_that_stays_is_one() -> None:
    made = plot()
    made.curve([(10, 50), (50, 150), (90, 50)], colour="accent", label="up")
    made.curve([(10, 50), (50, 90), (90, 50)], colour="ink")
    assert drawn(made) == [
        [(made.x(10), made.y(50)), (made.x(30), made.top)],
        [(made.x(70), made.top), (made.x(90), made.y(50))],
    ]
    assert len(drawn(made, "ink")) == 1
    (label,) = [text for text in ElementTree.fromstring(made.panel.svg()).iter(f"{SVG}text") if text.text == "up"]
    assert (float(label.get("x", 0)), float(label.get("y", 0))) == (made.x(90) - 2, made.y(50) - 6)


def test_a_label_stands_above_the_axis_at_the_first_spot_that_is_clear() -> None:
    made = plot()
    spots: list[Spot] = [(100, made.bottom + 16, "start"), (100, made.bottom - 1, "start"), (100, 60, "start")]
    for _ in range(2):
        made.label("best", spots, colour="accent", size=12)
    labels = [text for text in ElementTree.fromstring(made.panel.svg()).iter(f"{SVG}text") if text.text == "best"]
    # 12 px reach 2.4 px below the baseline, so 1 px above the axis is too low; the second label finds no clear spot.
    assert [float(label.get("y", 0)) for label in labels] == [60, made.bottom + 16]
    assert {label.get("class") for label in labels} == {"start t-accent"}


def test_spots_lie_on_both_sides_at_one_height_after_the_other() -> None:
    right, left = [(105, 20, "start"), (105, 30, "start")], [(95, 20, "end"), (95, 30, "end")]
    assert beside(100, 20, 30, gap=5) == [right[0], left[0], right[1], left[1]]
    assert beside(100, 20, 30, gap=5, left=True) == [left[0], right[0], left[1], right[1]]
    assert beside(100, gap=5) == []


@given(st.lists(st.tuples(coordinates, coordinates), max_size=12))
def test_dots_beyond_the_axes_are_left_out(points: list[Place]) -> None:
    made = plot()
    made.dots(points, colour="accent")
    kept = [(x, y) for x, y in points if 0 <= x <= 100 and 0 <= y <= 100]
    found = re.findall(r"M([\d.]+) ([\d.]+)h0", made.panel.svg())
    assert [(float(x), float(y)) for x, y in found] == [(52 + 2 * x, 212 - 2 * y) for x, y in kept]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(-0.5, 1.5))
def test_a_linear_share_is_a_proportion(low: float, span: float, share: float) -> None:
    axis = Axis(low, low + span)
    assert axis.share(low + share * span) == pytest.approx(share, abs=1e-5)
    assert (axis.share(axis.low), axis.share(axis.high)) == (0, 1)


@given(st.floats(-20, 15), st.floats(0.01, 15), st.floats(-0.5, 1.5))
def test_a_log_share_is_a_proportion_of_powers(power: float, span: float, share: float) -> None:
    axis = Axis(10**power, 10 ** (power + span), "log")
    assert axis.share(10 ** (power + share * span)) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("axis", [Axis(1e-30, 1, "log"), Axis(0, 1e-30)])
@pytest.mark.parametrize("value", [1.7e308, -1.7e308, math.inf, math.nan])
def test_no_share_is_infinite(axis: Axis, value: float) -> None:
    with pytest.raises(ValueError, match=r"value must be a number from -1e\+100 to 1e\+100, got"):
        axis.share(value)
    assert math.isfinite(axis.share(1e100))


def mantissa(value: float) -> float:
    """Return the digits of a number as one from 1 to 10."""
    return float(f"{value:.9e}".partition("e")[0])


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 20))
def test_linear_ticks_are_few_round_and_inside_the_ends(low: float, span: float, most: int) -> None:
    assume(span > 1e-6 * abs(low))  # nearer ends have no twelve digits of their own
    axis = Axis(low, low + span)
    ticks = axis.marks(most)
    assert (0 if most == 2 else 1) <= len(ticks) <= min(most, 12)
    assert all(low - 1e-8 * span <= tick <= low + span * (1 + 1e-8) for tick in ticks)
    steps = [after - before for before, after in pairwise(ticks)]
    if steps:
        step = steps[0]
        assert steps == pytest.approx([step] * len(steps), rel=1e-4)
        assert any(mantissa(step) == pytest.approx(whole, rel=1e-4) for whole in (1, 2, 2.5, 5, 10))
        assert all(abs(tick / step - round(tick / step)) < 1e-3 for tick in ticks if abs(tick / step) < 1e6)
        assert ticks[0] - step < low + 1e-6 * step
        assert ticks[-1] + step > low + span - 1e-6 * step


@given(st.integers(-200, 40), st.integers(1, 190), st.integers(2, 20))
def test_log_ticks_are_few_round_and_inside_the_ends(eighths: int, length: int, most: int) -> None:
    power, span = eighths / 8, length / 8
    axis = Axis(10**power, 10 ** (power + span), "log")
    ticks = axis.marks(most)
    assert len(ticks) <= min(most, 12)
    assert all(axis.low * (1 - 1e-8) <= tick <= axis.high * (1 + 1e-8) for tick in ticks)
    whole = [number for number in range(-25, 50) if power <= number <= power + span]
    if len(whole) >= 2:
        assert all(mantissa(tick) in (1, 10) for tick in ticks)
        gaps = {round(math.log10(after / before)) for before, after in pairwise(ticks)}
        assert len(gaps) <= 1
    if len(whole) <= min(most, 12) and len(whole) >= 2:
        assert len(ticks) >= len(whole)


def test_given_ticks_are_shown_where_they_lie_between_the_ends() -> None:
    axis = Axis(1, 100, "log", unit="B", ticks=(0.5, 1, 10, 100, 1000))
    assert axis.marks(2) == (1, 10, 100)
    texts = [text.text for text in ElementTree.fromstring(Plot(axis, axis).panel.svg()).iter(f"{SVG}text")]
    assert texts == ["1 B", "10 B", "100 B"] * 2


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [(1, 1, "linear"), (2, 1, "linear"), (0, 1, "log"), (-1, 1, "log"), (1e9, 1e9 + 1e-3, "linear")],
)
def test_ends_that_make_no_axis_are_refused(low: float, high: float, scale: str) -> None:
    with pytest.raises(ValueError, match=r"low must be .* below high, and on a log scale at least 1e-30, got"):
        Axis(low, high, scale)  # type: ignore[arg-type]


def test_a_curve_that_is_not_seen_is_checked_too() -> None:
    made, far = plot(), [(200.0, 200.0), (300.0, 300.0)]
    with pytest.raises(ValueError, match="colour must be one of"):
        made.curve(far, colour="red")
    with pytest.raises(ValueError, match="width must be a finite number above 0, got 0"):
        made.curve(far, colour="ink", width=0)
    with pytest.raises(ValueError, match="label must be a text, got 3"):
        made.curve(far, colour="ink", label=3)  # type: ignore[arg-type]
    log = Plot(Axis(1, 10, "log"), Axis(0, 1))
    with pytest.raises(ValueError, match=r"points must be pairs of numbers, finite, above 0 on a log axis .*\(0, 0\)"):
        log.curve([(1, 1), (0, 0)], colour="ink")
