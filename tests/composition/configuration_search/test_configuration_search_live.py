"""The live figure of chapter 29 says what the planner and the measured table say."""

from __future__ import annotations

import re

import pytest

from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.formulas import pareto_front, second_run_saving_share
from snippets.composition.configuration_search.live import (
    ERROR_SPREAD,
    corrections,
    planned_layouts,
    question_layouts,
    search_figure,
    spelled,
)
from snippets.composition.configuration_search.planner import layout_plan
from snippets.composition.published_steps import published_steps
from snippets.hardware import NODES


def two_of(said: str) -> tuple[float, float]:
    """Return the predicted seconds of the two runs."""
    first, second = re.findall(r"run: [^.]*?, ([\d.]+) s", said)
    return float(first), float(second)


def test_the_question_has_every_measured_layout_and_chooses_as_the_table_does() -> None:
    rows = published_steps("vTrain 39.1B")
    shown = question_layouts(0.1, corrected=True)
    assert sorted(each.measured_s for each in shown) == sorted(row.seconds for row in rows)
    said = search_figure(job="question").numbers
    first, second = two_of(said)
    best = min(shown, key=lambda each: each.seconds)
    other = min((each for each in shown if each.layout.tensor != best.layout.tensor), key=lambda each: each.seconds)
    assert (first, second) == (round(best.seconds, 1), round(other.seconds, 1))
    assert f"measured: {best.measured_s:.1f} s" in said
    assert f"measured: {other.measured_s:.1f} s" in said


def test_what_the_second_run_saves_is_the_formulas() -> None:
    shown = sorted(question_layouts(0.1, corrected=True), key=lambda each: each.seconds)
    lead = next(each.seconds for each in shown if each.layout.tensor != 8) / shown[0].seconds - 1
    saving = second_run_saving_share(lead_share=lead, error_spread=ERROR_SPREAD)
    assert f"expected to save {100 * saving:.1f}% of a step" in search_figure(job="question").numbers


@pytest.mark.parametrize(("gpus", "sequence"), [(64, 8192), (256, 8192), (256, 2**17)])
def test_a_plan_is_the_planners_own(gpus: int, sequence: int) -> None:
    shown = planned_layouts("Llama 3 70B", "DGX H100", gpus, 2.0**22, sequence, 0.1)
    best = min((each for each in shown if each.fits), key=lambda each: each.seconds)
    cluster = Cluster(NODES["DGX H100"], nodes=gpus // 8)
    one = layout_plan(
        "Llama 3 70B", cluster, best.layout, tokens_per_step=2**22, sequence=sequence, keep=best.keep, free_share=0.1
    )
    assert one.fits
    assert one.total_s == pytest.approx(best.seconds, rel=1e-9)
    assert one.memory.total / 1e9 == pytest.approx(best.gigabytes, rel=1e-9)
    said = search_figure(job="Llama 3 70B", gpus=gpus, sequence=str(sequence)).numbers
    assert f"First run: {spelled(best)}, {best.seconds:.1f} s" in said


def test_less_memory_never_makes_a_step_faster() -> None:
    times = [two_of(search_figure(job="question", free=free).numbers)[0] for free in range(0, 52, 10)]
    assert times == sorted(times)
    points = [(each.seconds, each.gigabytes) for each in question_layouts(0.1, corrected=True)]
    front = {points[place] for place in pareto_front([T for T, _ in points], [M for _, M in points])}
    assert set(times) <= {round(seconds, 1) for seconds, _ in front}


def test_a_correction_scales_all_layouts_of_one_t_alike() -> None:
    found: dict[int, set[float]] = {}
    for raw, better in zip(question_layouts(0.1, corrected=False), question_layouts(0.1, corrected=True), strict=True):
        found.setdefault(raw.layout.tensor, set()).add(round(better.seconds / raw.seconds, 6))
    assert found == {t: {round(corrections()[f"t = {t}"], 6)} for t in (1, 2, 4, 8)}
    first, second = two_of(search_figure(job="question", errors="model").numbers)
    assert (first, second) == (13.2, 14.0)


def test_the_notices_say_what_was_measured() -> None:
    for settings, times in (({}, (14.9, 13.9)), ({"errors": "model"}, (13.9, 21.9)), ({"free": 50}, (14.7, 16.1))):
        said = search_figure(job="question", **settings).numbers
        assert tuple(map(float, re.findall(r"measured: ([\d.]+) s", said))) == times
    assert "measured: 16.1 s)." in search_figure(job="question", errors="model", free=50).numbers


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ValueError, match=r"None of the .* layouts fits"):
        search_figure(job="Llama 3 405B", gpus=8)
