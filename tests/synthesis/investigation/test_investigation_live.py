"""The live figure of chapter 36 says what a step by step simulation of its runs gives."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snippets.collectives.costs_and_bounds.published_runs import B200_FOUR_NODES
from snippets.synthesis.investigation.live import CHANGES, RUNS, late_run, late_runs_figure

CURES = {"a": "buckets", "b": "node", "c": "adapters", "d": "state", "e": "buckets"}
WHOLE = ("a", "c", "d")  # of B the next node is slow as well, and E has two causes


def stepped(run: str, change: str, *, compute_s: float, gib: int, kib: int) -> tuple[float, float]:
    """Return a step's end and what a typical rank spends in sums, one sum after the other on a clock of four ranks."""
    bytes_left = gib * 2**30 // (2 if change == "bits" else 1)
    size = 32 * 2**20
    if run in "ae" and change != "buckets":
        size = kib * 1024 // (2 if change == "bits" else 1)
    one = B200_FOUR_NODES.times_s[B200_FOUR_NODES.sizes_bytes.index(size)]
    own = [compute_s * (4 / 3 if run == "d" and change != "state" else 1)] * 4
    if run == "b":
        own[2] *= 1.1
    if run in "be" and change != "node":
        own[3] *= 1.4
    clock = max(own)
    while bytes_left > 0:
        clock += one * (2 if run == "c" and change != "adapters" else 1)
        bytes_left -= size
    return clock, clock - own[0]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("change", CHANGES)
def test_every_run_under_every_change_is_that_of_a_clock(run: str, change: str) -> None:
    given: dict[str, Any] = {"compute_s": 0.6, "gib": 2}
    found = late_run(run=run, change=change, tensor_kib=1024, **given)
    end, waited = stepped(run, change, kib=1024, **given)
    assert found["step"] == pytest.approx(end)
    assert found["communication"] == pytest.approx(waited)


@pytest.mark.parametrize("run", WHOLE)
def test_one_change_cures_a_run_and_the_advisor_predicts_it(run: str) -> None:
    numbers = late_runs_figure(run=run, change=CURES[run]).numbers
    said = re.search(r"After the change: ([\d.]+) s.*the step takes ([\d.]+) s", numbers)
    assert said
    assert float(said[1]) == pytest.approx(float(said[2]), abs=0.002)
    planned = re.search(r"Planned ([\d.]+) s", numbers)
    assert planned
    assert float(planned[1]) == float(said[1])


@pytest.mark.parametrize(("run", "after", "advised"), [("b", 0.791, 0.731), ("e", 0.971, 0.971)])
def test_the_right_change_can_miss_the_plan(run: str, after: float, advised: float) -> None:
    numbers = late_runs_figure(run=run, change=CURES[run]).numbers
    assert f"After the change: {after} s" in numbers
    assert f"the step takes {advised} s" in numbers
    assert "Planned 0.731 s" in numbers
    steps = [late_run(run=run, change=c, compute_s=0.6, gib=9, tensor_kib=2048)["step"] for c in CHANGES]
    assert min(steps) == pytest.approx(after, abs=0.001)


def test_the_figure_says_how_many_all_reduces_there_are() -> None:
    assert "in 4608 all-reduces of 2 MiB" in late_runs_figure(run="a").numbers
    assert "in 288 all-reduces of 32 MiB" in late_runs_figure(run="c").numbers


@pytest.mark.parametrize("run", RUNS)
def test_no_other_change_of_a_part_cures_it(run: str) -> None:
    for change in set(CURES.values()) - {CURES[run]}:
        late = late_run(run=run, change=change, compute_s=0.6, gib=9, tensor_kib=2048)
        assert late["step"] > 1.1 * late["planned"]


def test_a_prediction_is_held_against_the_step() -> None:
    assert "you predicted 1 s, so it's 27% less" in late_runs_figure(change="buckets").numbers
    assert "What" not in late_runs_figure(change="buckets").numbers
    assert "Which part is it" in late_runs_figure().numbers
