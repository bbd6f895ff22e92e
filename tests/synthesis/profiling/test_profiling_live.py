"""The live figure of chapter 35 says what chapter 1's utilization and sums by hand say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.flops import flops_utilization
from snippets.live.declaring import Named
from snippets.synthesis.profiling.live import waterfall_figure


def settings_of(named: Named) -> dict[str, Any]:
    return {knob.name: knob.default for knob in waterfall_figure.knobs} | dict(named.values)


def by_hand(values: dict[str, Any]) -> tuple[float, float]:
    rate = values["peak_tflops"] / 100
    kernels = values["matmul_tflop"] * (1 + values["again"] / 100) / (values["reach"] * rate)
    kernels += values["attention_tflop"] / (values["attention_reach"] * rate)
    rest = sum(value for name, value in values.items() if name.endswith("_ms"))
    seconds = kernels + rest / 1e3
    useful = 1e12 * (values["matmul_tflop"] + values["attention_tflop"])
    peak = 1e12 * values["peak_tflops"]
    return seconds, flops_utilization(flops=useful, seconds=seconds, devices=1, peak_flops_per_s=peak)


@pytest.mark.parametrize("named", waterfall_figure.named, ids=lambda named: named.name)
def test_step_and_mfu_are_those_by_hand(named: Named) -> None:
    values = settings_of(named)
    seconds, mfu = by_hand(values)
    said = re.match(r"The step takes ([\d.]+) s at an MFU of ([\d.]+)%", waterfall_figure(**values).numbers)
    assert said
    assert float(said[1]) == pytest.approx(seconds, rel=0.005)
    assert float(said[2]) == pytest.approx(100 * mfu, abs=0.051)


@pytest.mark.parametrize(
    ("change", "without"), [("waiting", ("waiting_ms", "data_ms")), ("transfers", ("transfer_ms",))]
)
def test_a_change_saves_what_it_takes_away(change: str, without: tuple[str, ...]) -> None:
    values = settings_of(waterfall_figure.named[0])
    said = re.search(r"([\d.]+) s less", waterfall_figure(**(values | {"change": change})).numbers)
    assert said
    assert float(said[1]) == pytest.approx(sum(values[name] for name in without) / 1e3, rel=0.01)


@given(st.data())
def test_the_shares_that_are_told_add_up(data: st.DataObject) -> None:
    values = {
        knob.name: data.draw(st.sampled_from(knob.stops)) for knob in waterfall_figure.knobs if hasattr(knob, "stops")
    }
    told = [float(share) for share in re.findall(r"([\d.]+)%", waterfall_figure(**values).alt)]
    assert sum(told) == pytest.approx(100, abs=0.7)
