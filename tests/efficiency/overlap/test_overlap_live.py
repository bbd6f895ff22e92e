"""The live figure of chapter 33 says what a simulation of the SMs gives, and names the best of all splits."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snippets.efficiency.overlap.live import sm_split_figure
from snippets.efficiency.overlap.streams import sm_tasks
from snippets.live.declaring import Named
from snippets.memory.offloading.lanes import run_lanes


def settings_of(named: Named) -> dict[str, Any]:
    return {knob.name: knob.default for knob in sm_split_figure.knobs} | dict(named.values)


@pytest.mark.parametrize("named", sm_split_figure.named, ids=lambda named: named.name)
def test_the_end_is_that_of_simulated_sms(named: Named) -> None:
    values = settings_of(named)
    said = re.search(r"all is done after ([\d.]+) ms", sm_split_figure(**values).numbers)
    assert said
    g = int(values["comm_sms"])
    tasks = sm_tasks(
        blocks=30 * (132 - g),
        block_s=values["compute_ms"] * 132 / (30 * (132 - g)),
        chunks=100 * g,
        chunk_bytes=values["exchange_mb"] / (100 * g),
        comm_sms=g,
        sms=132,
        sm_bytes_per_s=values["sm_gb"],
        link_bytes_per_s=values["link_gb"],
    )
    assert max(float(when.end_s) for when in run_lanes(tasks)) == pytest.approx(float(said[1]), rel=0.02)


@pytest.mark.parametrize("named", sm_split_figure.named, ids=lambda named: named.name)
def test_the_best_is_the_best_of_those_that_can_be_set(named: Named) -> None:
    values = settings_of(named)

    def ends(g: int) -> float:
        said = re.search(r"all is done after ([\d.]+) ms", sm_split_figure(**(values | {"comm_sms": g})).numbers)
        assert said
        return float(said[1])

    said = re.search(r"throughout, (\d+) of 132 SMs are best, with ([\d.]+) ms", sm_split_figure(**values).numbers)
    assert said
    assert ends(int(said[1])) == float(said[2]) == min(ends(g) for g in range(1, 40))


def test_sms_that_come_back_take_no_longer() -> None:
    assert "all is done after 28 ms" in sm_split_figure(comm_sms=20, keeps="over").numbers


def test_the_best_with_sms_that_come_back_is_the_fewest_of_the_fastest() -> None:
    numbers = sm_split_figure(comm_sms=20, keeps="over").numbers
    assert "Held until it's over, 12 of 132 SMs are best, with 28 ms" in numbers
    assert "51.5 ms of the exchange stick out" in sm_split_figure(comm_sms=4, keeps="over").numbers


def test_the_curve_of_the_matmuls_falls_where_sms_come_back() -> None:
    drawn = {keeps: sm_split_figure(comm_sms=66, keeps=keeps).numbers for keeps in ("all", "over")}
    assert "the matmuls after 51.2 ms" in drawn["all"]
    assert "the matmuls after 33.4 ms" in drawn["over"]
    pictures = [sm_split_figure(comm_sms=12, keeps=keeps).panels[0].svg() for keeps in ("all", "over")]
    assert pictures[0] != pictures[1]
