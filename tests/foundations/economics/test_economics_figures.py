"""The pictures of chapter 6 show what was computed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from snippets.foundations.economics.figures import (
    bill_plot,
    interval_plot,
    ranges_panel,
    run_panel,
    slowest_plot,
    utilizations_panel,
    waiting_panel,
)
from snippets.foundations.economics.simulators import run_between_failures


def widths(svg: str, name: str) -> list[float]:
    """Return the widths of the blocks of a colour."""
    found = re.findall(r"<rect [^>]*>", svg)
    return [float(re.search(r' width="([\d.]+)"', rect)[1]) for rect in found if f'class="b-{name}"' in rect]  # type: ignore[index]


def data(line: Any) -> tuple[Any, Any]:
    """Return the drawn x and y of a line as arrays."""
    x, y = (np.asarray(values, dtype=float) for values in line.get_data())
    return x, y


def test_a_run_is_drawn_piece_by_piece_to_scale() -> None:
    pieces = run_between_failures(work_s=60, interval_s=20, checkpoint_s=2, restart_s=6, failures_s=[37, 84])
    svg = run_panel({"run": pieces}).svg()
    work = widths(svg, "forward")
    assert len(work) == 3 + 1  # one in the legend
    scale = work[0] / 20
    assert widths(svg, "communication")[:2] == pytest.approx([15 * scale, 19 * scale], abs=0.2)
    assert widths(svg, "idle")[:2] == pytest.approx([6 * scale] * 2, abs=0.2)
    assert widths(svg, "optimizer")[:3] == pytest.approx([2 * scale] * 3, abs=0.2)


def test_ranks_wait_until_the_slowest() -> None:
    svg = waiting_panel([[1.0, 2.0, 4.0]]).svg()
    first, second, third = widths(svg, "forward")
    assert (first / third, second / third) == pytest.approx((0.25, 0.5), abs=0.01)
    assert widths(svg, "idle") == pytest.approx([third - first, third - second, 0], abs=0.2)


def test_the_blocks_of_a_step_fill_the_hfu_and_the_mfu() -> None:
    svg = utilizations_panel(0.48).svg()
    whole = widths(svg, "line")
    blocks = {name: widths(svg, name) for name in ("forward", "backward")}
    assert {name: len(found) for name, found in blocks.items()} == {"forward": 3, "backward": 4}
    assert all(width + 2 == pytest.approx(0.12 * whole[0], abs=0.2) for found in blocks.values() for width in found)
    assert "HFU 48%" in svg
    assert "MFU 36%" in svg


def test_a_bill_falls_as_one_over_the_utilization() -> None:
    figure = bill_plot(flops=3.6e21, peak_flops_per_s=1e15, usd_per_device_hour=2, marked={"half": 0.5})
    curve, dot = figure.axes[0].lines
    x, y = data(curve)
    assert x * y == pytest.approx(0.2)
    assert [values[0] for values in data(dot)] == pytest.approx([50, 0.004])


def test_what_stops_a_run_adds_up_and_is_least_where_checkpoints_cost_what_is_lost() -> None:
    figure = interval_plot(checkpoint_s=10, restart_s=600, mtbf_s=8000, marked={"best": 400})
    whole, checkpoints, lost, restarts, dot = (data(line) for line in figure.axes[0].lines)
    assert whole[1] == pytest.approx(checkpoints[1] + lost[1] + restarts[1])
    assert restarts[1] == pytest.approx(7.5)
    assert [float(values[0]) for values in dot] == pytest.approx([400 / 60, 2.5 + 2.5 + 7.5])
    least = whole[0][whole[1].argmin()]
    assert least == pytest.approx(400 / 60, rel=0.05)


def test_the_two_tails_part() -> None:
    figure = slowest_plot(mean_s=1.0, deviation_s=0.05, most_ranks=256, marked=256)
    exponential, _, normal, _ = figure.axes[0].lines
    assert data(exponential)[1][0] == pytest.approx(1) == data(normal)[1][0]
    assert data(exponential)[1][-1] == pytest.approx(0.95 + 0.05 * sum(1 / k for k in range(1, 257)))
    assert data(normal)[1][-1] < data(exponential)[1][-1]


def test_ranges_are_to_scale() -> None:
    svg = ranges_panel({"narrow": (50, 60), "wide": (40, 80)}, marked={"54": 54, "55": 55}).svg()
    narrow, wide = widths(svg, "accent")
    assert wide / narrow == pytest.approx(4, abs=0.02)
