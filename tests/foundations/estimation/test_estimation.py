"""Chapter 7: ranges of products against drawn products, the score against its definition, the runs against tables."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from statistics import NormalDist
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.drawing import Panel
from snippets.foundations.estimation import figures as pictures
from snippets.foundations.estimation.formulas import (
    Factor,
    best_log_half_width,
    geometric_middle,
    interval_score,
    log_half_width,
    normal_interval_score,
    product_range,
    variance_shares,
)
from snippets.foundations.estimation.simulators import SHAPES, central_range, mean_score, product_trials
from snippets.models import MODELS, parameter_count
from snippets.training_runs import TRAINING_RUNS
from tests.live.checking import assert_texts_fit

PUBLISHED = json.loads((Path(__file__).parent / "published_training_runs.json").read_text(encoding="utf-8"))
QUESTION = [Factor("operations", 1, 1.1), Factor("share", 0.3, 0.5, -1), Factor("work", 0.8, 0.97, -1)]

ranges = st.tuples(st.floats(1e-3, 1e3), st.floats(1, 20)).map(lambda pair: (pair[0], pair[0] * pair[1]))
powers = st.sampled_from([1, -1, 2, -2, 0.5, 3])
factors = st.builds(lambda ends, power: Factor("factor", ends[0], ends[1], power), ranges, powers)


@given(st.lists(factors, min_size=1, max_size=6))
def test_a_product_is_a_sum_of_normal_logarithms(listed: list[Factor]) -> None:
    decile = NormalDist().inv_cdf(0.9)
    mean, variance = 0.0, 0.0
    for factor in listed:
        low, high = sorted(factor.power * math.log(end) for end in (factor.low, factor.high))
        mean += (low + high) / 2
        variance += ((high - low) / 2 / decile) ** 2
    low, high = product_range(listed)
    assert math.log(low) == pytest.approx(mean - decile * math.sqrt(variance), abs=1e-9)
    assert math.log(high) == pytest.approx(mean + decile * math.sqrt(variance), abs=1e-9)
    shares = variance_shares(listed)
    assert sum(shares) == pytest.approx(1) or set(shares) == {0.0}


@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_products_end_where_the_formula_says(shape: str) -> None:
    drawn = product_trials(QUESTION, trials=200_000, seed=2, shape=shape)
    assert central_range(drawn) == pytest.approx(product_range(QUESTION), rel=0.02)


def test_far_from_normal_a_single_wide_factor_keeps_its_own_ends() -> None:
    """The formula is exact for one factor, whatever its shape, because its ends are then the product's."""
    wide = [Factor("wide", 1, 100)]
    drawn = product_trials(wide, trials=200_000, seed=2, shape="loguniform")
    assert central_range(drawn) == pytest.approx(product_range(wide), rel=0.05)


def test_an_ordinary_axis_has_no_room_below_zero() -> None:
    with pytest.raises(ValueError, match="stay above 0"):
        product_trials([Factor("wide", 1, 100)], trials=10, seed=0, shape="uniform")


@given(ranges, st.floats(1e-4, 1e5), st.sampled_from([0.5, 0.8, 0.9]))
def test_the_score_is_width_and_fine(ends: tuple[float, float], truth: float, coverage: float) -> None:
    low, high = ends
    miss = math.log(low / truth) if truth < low else math.log(truth / high) if truth > high else 0.0
    expected = math.log(high / low) + 2 / (1 - coverage) * miss
    assert interval_score(low=low, high=high, truth=truth, coverage=coverage) == pytest.approx(expected, abs=1e-9)
    mean, hits = mean_score(np.array([truth]), low=low, high=high, coverage=coverage)
    assert mean == pytest.approx(expected, abs=1e-9)
    assert hits == (low <= truth <= high)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
def test_honest_ends_have_the_least_expected_score(coverage: float) -> None:
    """For a normal logarithm, in closed form; for a skewed one, over pairs of ends."""
    sigma = 0.7
    best = best_log_half_width(log_sigma=sigma, coverage=coverage)
    at_best = normal_interval_score(log_sigma=sigma, log_half_width=best, coverage=coverage)
    z = NormalDist().inv_cdf((1 + coverage) / 2)
    assert at_best == pytest.approx(4 * sigma * NormalDist().pdf(z) / (1 - coverage))
    for width in (0, 0.5 * best, 0.97 * best, 1.03 * best, 2 * best):
        assert normal_interval_score(log_sigma=sigma, log_half_width=width, coverage=coverage) > at_best
    truths = np.exp(np.random.default_rng(1).exponential(size=20_000))
    low, high = central_range(truths, coverage=coverage)
    least, hits = mean_score(truths, low=low, high=high, coverage=coverage)
    assert hits == pytest.approx(coverage, abs=1e-3)
    for a, b in ((0.9 * low, high), (1.1 * low, high), (low, 0.9 * high), (low, 1.1 * high), (0.9 * low, 1.1 * high)):
        assert mean_score(truths, low=a, high=b, coverage=coverage)[0] > least


@given(st.floats(0.1, 2), st.floats(0, 4))
def test_the_expected_score_is_the_integral(sigma: float, half: float) -> None:
    edges = np.linspace(-9 * sigma, 9 * sigma, 40_001)
    x = (edges[1:] + edges[:-1]) / 2
    weights = np.diff([NormalDist(0, sigma).cdf(float(edge)) for edge in edges[::100]])
    fine = np.maximum(0, np.abs(x) - half).reshape(len(weights), -1).mean(axis=1)
    expected = 2 * half + 10 * float(weights @ fine)
    assert normal_interval_score(log_sigma=sigma, log_half_width=half) == pytest.approx(expected, rel=0.01)


def test_hits_alone_reward_the_widest() -> None:
    truths = np.exp(np.random.default_rng(4).standard_normal(2000))
    widths = [1.5, 3, 10, 1e3, 1e9]
    scores, hits = zip(*(mean_score(truths, low=1 / f, high=f) for f in widths), strict=True)
    assert sorted(hits) == list(hits)
    assert hits[-1] == 1
    assert scores[-1] == max(scores)


@pytest.mark.parametrize("name", [run.name for run in TRAINING_RUNS.values()])
def test_runs_are_as_published(name: str) -> None:
    run, printed = TRAINING_RUNS[name], PUBLISHED[name]
    assert (run.device_hours, run.tokens) == (printed["gpu_hours"], printed["tokens"])
    work = 6 * parameter_count(run.model) * printed["tokens"]
    assert run.peak_share == pytest.approx(work / printed["gpu_hours"] / 3600 / printed["peak_flops_per_s"])
    if "peak_share_percent" in printed:  # derived by others from the same tables
        assert 100 * run.peak_share == pytest.approx(printed["peak_share_percent"], abs=0.2)


def test_bad_ranges_are_refused() -> None:
    for wrong in (
        lambda: geometric_middle(low=2, high=1),
        lambda: log_half_width(low=0, high=1),
        lambda: product_range([]),
    ):
        with pytest.raises(ValueError, match=r"high must|low must|factors must"):
            wrong()
    with pytest.raises(ValueError, match="a float can hold"):
        product_range([Factor("large", 1e300, 1e300, 2)])


def texts(panel: Panel) -> list[str]:
    return [
        element.text or "" for element in ElementTree.fromstring(panel.svg()).iter("{http://www.w3.org/2000/svg}text")
    ]


def boxes(panel: Panel) -> list[tuple[float, float]]:
    rectangles = ElementTree.fromstring(panel.svg()).iter("{http://www.w3.org/2000/svg}rect")
    return [(float(box.get("width", 0)), float(box.get("height", 0))) for box in rectangles]


def test_the_layers_areas_are_its_parameters() -> None:
    panel = pictures.counted_layer_panel("Llama 3 405B")
    model = MODELS["Llama 3 405B"]
    area = sum(width * height for width, height in boxes(panel))
    square = boxes(panel)[0]
    counted = area / (square[0] * square[1]) * model.hidden**2
    one_layer = (parameter_count(model) - 2 * model.vocabulary * model.hidden) / model.layers
    assert counted == pytest.approx(one_layer, rel=2e-3)
    assert len(boxes(panel)) == 7
    assert_texts_fit(panel.svg())
    with pytest.raises(ValueError, match="dense and gated"):
        pictures.counted_layer_panel("GPT-3 175B")


def test_a_ladder_has_a_bar_for_each_row_as_long_as_its_days() -> None:
    rows = {"floor": 27.1, "at 39%": 70.0, "with what is lost": 83.4}
    panel = pictures.estimates_panel(rows, booked=90)
    assert {"floor: 27 days", "at 39%: 70 days", "90 days booked"} <= set(texts(panel))
    widths = [width for width, _ in boxes(panel)]
    whole = [old + new for old, new in zip(widths[::2], widths[1::2], strict=True)]
    assert [width / whole[0] for width in whole] == pytest.approx([days / 27.1 for days in rows.values()], rel=0.01)
    assert_texts_fit(panel.svg())


def test_walks_are_binomial_and_drawn_once_each() -> None:
    for number in (1, 2, 4, 7):
        counts = pictures.walk_counts(number)
        assert counts == {2 * up - number: math.comb(number, up) for up in range(number + 1)}
    panel = pictures.walks_panel((1, 2, 4))
    dots = re.findall(r"M[\d. ]+h0", panel.svg())
    assert len(dots) == 2 + 4 + 16
    assert [text for text in texts(panel) if "typically" in text] == [
        "typically ×/÷ 2",
        "typically ×/÷ 2.67",
        "typically ×/÷ 4",
    ]
    assert_texts_fit(panel.svg())
    with pytest.raises(ValueError, match="from 1 to 12"):
        pictures.walk_counts(13)


def test_trials_scores_and_runs_say_their_numbers() -> None:
    drawn = 27.1 * product_trials(QUESTION, trials=2000, seed=7)
    panel = pictures.trials_panel(drawn, {"as squares": (63, 110), "straight": (56, 124)}, booked=90, low=35, high=200)
    assert "as squares: 63 to 110 days" in texts(panel)
    assert f"{np.mean(drawn > 90):.0%} end after 90 days" in texts(panel)
    assert_texts_fit(panel.svg())
    for panel in pictures.score_panels(sigma_factor=math.exp(best_log_half_width(log_sigma=1) ** -1 * math.log(2))):
        assert_texts_fit(panel.svg())
    shares = {name: run.peak_share for name, run in TRAINING_RUNS.items()}
    panel = pictures.runs_panel(shares, {"yours": (0.26, 0.45), "wider": (0.24, 0.49)})
    assert set(shares) <= set(texts(panel))
    assert len(re.findall(r"M[\d. ]+h0", panel.svg())) == len(shares)
    assert_texts_fit(panel.svg())
    marked = pictures.runs_panel(shares, {"yours": (0.26, 0.45), "wider": (0.24, 0.49)}, middle=0.33)
    assert marked.svg().count("<line") + marked.svg().count("<path") > panel.svg().count("<line") + panel.svg().count(
        "<path"
    )


def test_the_mean_score_over_runs_is_that_of_each() -> None:
    shares = {"one": 0.2, "other": 0.5}
    ((mean, hits),) = pictures.mean_scores(shares, 0.3, [1.6])
    each = [interval_score(low=0.3 / 1.6, high=0.3 * 1.6, truth=share) for share in shares.values()]
    assert mean == pytest.approx(sum(each) / 2)
    assert hits == 1
