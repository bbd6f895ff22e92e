"""The pictures of the chapters on memory: that they show what they were given, and name it."""

from __future__ import annotations

import pytest

from snippets.figures import svg_of
from snippets.memory import memory_figures
from snippets.memory.step_peak import gpt_step_sizes
from snippets.memory.step_timeline import step_timeline

SIZES = gpt_step_sizes(layers=3, hidden=64, heads=4, vocabulary=100, sequence=32, micro_batch=2)


def test_bars_carry_their_labels_sums_and_the_device() -> None:
    bars = {"one": {"parameters": 2e9, "activations": 3e9}, "two": {"parameters": 20e9, "optimizer": 41e9}}
    svg = svg_of(memory_figures.stacked_bars(bars, device_bytes=80e9, title="Bars"))
    for text in ("one", "two", "5.0", "61", "80 GB", "Bars", "parameters", "activations", "optimizer"):
        assert f">{text}" in svg, text
    assert "gradients" not in svg
    for colour in ("--parameters", "--activations", "--optimizer"):
        assert colour in svg


def test_bars_refuse_nothing_and_unknown_kinds() -> None:
    with pytest.raises(ValueError, match="bars"):
        memory_figures.stacked_bars({})
    with pytest.raises(ValueError, match="kinds"):
        memory_figures.stacked_bars({"one": {"coffee": 1.0}})


def test_timeline_shows_phases_kinds_and_the_peak() -> None:
    line = step_timeline(SIZES)
    svg = svg_of(memory_figures.timeline_plot(line, device_bytes=2 * line.peak_bytes, title="A step"))
    for text in ("forward", "backward", "update", "A step", f"peak {line.peak_bytes / 1e9:.1f}", "temporary"):
        assert f">{text}" in svg, text
