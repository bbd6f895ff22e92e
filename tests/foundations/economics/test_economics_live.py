"""The bill's figure says what a run on a clock costs, part by part."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.foundations.economics.live import CHECKPOINT_S, DEVICE_MTBF_S, PEAK_FLOPS_PER_S, run_bill
from snippets.foundations.economics.simulators import simulated_run_s

UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "B": 1e9}


def sums(alt: str) -> list[float]:
    """Return all sums of money that a text names."""
    return [
        float(number.replace(",", "")) * UNITS[unit] for number, unit in re.findall(r"([\d.,e-]+)([kMB]?) dollars", alt)
    ]


@settings(max_examples=40)
@given(
    parameters=st.floats(1e8, 1e13).map(round),
    tokens=st.floats(2e9, 2e14).map(round),
    devices=st.integers(3, 17).map(lambda power: 2**power),
    mfu_percent=st.integers(10, 80).map(float),
    interval_min=st.integers(1, 60),
)
def test_the_parts_add_up_and_the_least_is_the_operations_at_peak(
    parameters: int, tokens: int, devices: int, mfu_percent: float, interval_min: int
) -> None:
    drawn = run_bill(
        parameters=parameters, tokens=tokens, devices=devices, mfu_percent=mfu_percent, interval_min=interval_min
    )
    bill, *parts, again = sums(drawn.alt)
    assert again == bill
    assert sum(parts) == pytest.approx(bill, rel=0.02)
    assert parts[0] == pytest.approx(6 * parameters * tokens / PEAK_FLOPS_PER_S / 3600 * 2, rel=6e-3)
    assert (parts[0] + parts[1]) * mfu_percent / 100 == pytest.approx(parts[0], rel=0.02)


def test_failures_take_what_simulated_runs_lose() -> None:
    setting = next(named for named in run_bill.named if named.name == "Eight times the GPUs")
    numbers = run_bill(**setting.values).numbers
    said = re.search(r"add ([\d.]+)% to the useful time and are ([\d.]+)% of the bill", numbers)
    assert said
    assert 1 + float(said[1]) / 100 == pytest.approx(1 / (1 - float(said[2]) / 100), rel=2e-3)
    runs = simulated_run_s(
        work_s=60_000,
        interval_s=600,
        checkpoint_s=CHECKPOINT_S,
        restart_s=600,
        mtbf_s=DEVICE_MTBF_S / 131_072,
        runs=2000,
        seed=5,
    )
    assert 100 * (1 - 60_000 / runs.mean()) == pytest.approx(float(said[2]), abs=0.5)
