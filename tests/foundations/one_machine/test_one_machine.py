"""Chapter 1: its formulas against counts, and its pictures against what they were given."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets import flops
from snippets.foundations.one_machine import figures as pictures
from snippets.foundations.one_machine.formulas import attention_flops_share, least_devices_for_state
from snippets.foundations.one_machine.simulators import counted_step, gpt_weights
from snippets.recipes import RECIPES
from tests.live.checking import assert_texts_fit

RUN = {
    "parameters": 6_738_415_616,
    "tokens": 2 * 10**12,
    "flops_per_s": 124.8e12,
    "batch_tokens": 4 * 10**6,
    "bandwidth_bytes_per_s": 25e9,
}


@pytest.mark.parametrize(("length", "hidden"), [(1, 2), (3, 4), (12, 2), (5, 6)])
def test_the_share_is_that_of_a_run(length: int, hidden: int) -> None:
    weights = gpt_weights(layers=2, hidden=hidden, vocabulary=3, positions=length)
    step = counted_step(weights, np.ones((1, length + 1), dtype=int), heads=2)
    share = Fraction(step.flops(part="attention"), step.flops() - step.flops(part="head"))
    assert attention_flops_share(sequence=length, hidden=hidden) == pytest.approx(float(share))


def test_at_six_widths_attention_is_half() -> None:
    assert attention_flops_share(sequence=6 * 768, hidden=768) == 0.5


@given(parameters=st.integers(1, 500), memory=st.integers(1, 400), recipe=st.sampled_from(sorted(RECIPES)))
def test_the_least_devices_are_the_first_that_hold_the_state(parameters: int, memory: int, recipe: str) -> None:
    state = RECIPES[recipe].bytes_per_parameter * parameters
    devices = 1
    while devices * memory < state:
        devices += 1
    assert least_devices_for_state(parameters, memory_bytes=memory, recipe=recipe) == devices


def test_three_products_are_drawn_with_their_shapes() -> None:
    panel = pictures.three_products_panel(tokens=4, inputs=3, outputs=2)
    svg = panel.svg()
    assert svg.count("24 multiplications") == 3
    # One shape for each of nine matrices; a cell is one of its subpaths.
    cells = [len(re.findall("M", path)) for path in re.findall(r'<path[^>]* d="([^"]*)"', svg)]
    assert cells == [12, 6, 8, 8, 6, 12, 12, 8, 6]
    assert_texts_fit(panel)


def test_the_layer_has_twelve_squares() -> None:
    panel = pictures.layer_products_panel(unit_px=50)
    boxes = re.findall(r'<rect[^>]*width="([\d.]+)" height="([\d.]+)"', panel.svg())
    assert sum(float(width) * float(height) for width, height in boxes) == 12 * 50**2
    assert_texts_fit(panel)


def test_the_share_plot_goes_through_half_at_six_widths() -> None:
    figure = pictures.attention_share_plot({"GPT-2": 768, "wide": 4096}, longest=2**17)
    drawn = [np.stack(line.get_data()) for line in figure.axes[0].lines]
    dots = [tuple(points[:, 0]) for points in drawn if points.shape[1] == 1]
    assert dots == [(6 * 768, 50), (6 * 4096, 50)]


def test_the_state_is_drawn_against_the_memory() -> None:
    svg = pictures.state_panel(["GPT-2 1.5B", "Llama 2 7B"], memory_bytes=80 * 10**9).svg()
    assert "24.9 GB" in svg
    assert "107.8 GB" in svg
    assert "one GPU: 80.0 GB" in svg
    assert [svg.count(kind) for kind in (">parameters<", ">gradients<", ">optimizer state<")] == [1, 1, 1]


def test_a_run_computes_and_sums_gradients() -> None:
    compute, summing = pictures.run_days(devices=1, **RUN)  # type: ignore[arg-type]
    seconds = flops.training_time_s(parameters=RUN["parameters"], tokens=RUN["tokens"], devices=1, flops_per_s=124.8e12)
    assert (compute, summing) == (pytest.approx(seconds / 86400), 0)
    compute, summing = pictures.run_days(devices=1000, **RUN)  # type: ignore[arg-type]
    assert compute == pytest.approx(seconds / 86400 / 1000)
    # each rank sends 2·999/1000 of 2 bytes a parameter, 500,000 times
    assert summing == pytest.approx(500_000 * 2 * 0.999 * 2 * RUN["parameters"] / 25e9 / 86400)


def test_the_walls_are_drawn_where_they_stand() -> None:
    axes = pictures.walls_plot(memory_bytes=80 * 10**9, most=4096, **RUN).axes[0]
    computing, summing, level, deadline, crossing = axes.lines
    whole = np.asarray(computing.get_ydata())[::4]  # it has three points between each two of the others
    devices = [round(float(count)) for count in np.asarray(summing.get_xdata())]
    assert devices[0] == 2
    assert devices[-1] == 2 ** (len(whole) - 1)
    sent = [pictures.run_days(devices=count, **RUN)[1] for count in devices]  # type: ignore[arg-type]
    assert list(np.asarray(summing.get_ydata())) == pytest.approx(sent)
    alone = float(np.asarray(computing.get_ydata())[0])
    assert np.asarray(deadline.get_xydata()) == pytest.approx(np.array([[alone / 30, 30]]))
    assert list(np.asarray(level.get_ydata())) == [30, 30]
    ranks, days = np.asarray(crossing.get_xydata())[0]
    compute, summed = pictures.run_days(devices=round(ranks), **RUN)  # type: ignore[arg-type]
    assert days == pytest.approx(compute) == pytest.approx(summed, rel=2e-3)
    assert axes.patches[0].get_extents().transformed(axes.transData.inverted()).x1 == pytest.approx(2 * 0.97)
    assert len(axes.patches) == 1


def test_less_than_a_sequence_each_is_shaded() -> None:
    axes = pictures.walls_plot(memory_bytes=80 * 10**9, most=4096, sequences=977, **RUN).axes[0]
    ends = axes.patches[1].get_extents().transformed(axes.transData.inverted())
    assert (ends.x0, ends.x1) == pytest.approx((977, 4096))
