"""The plots of bubbles and activations name what they show."""

from __future__ import annotations

from snippets.figures import svg_of
from snippets.parallelism.pipeline_figures import bubble_plot, held_plot


def test_plots_name_their_lines() -> None:
    svg = svg_of(bubble_plot({"1F1B": {8: 0.5, 16: 0.25}, "ZB-H1": {8: 0.2, 16: 0.1}}, limit=0.05))
    for name in ("1F1B", "ZB-H1", "micro-batches", "bubble, % of the step", "16"):
        assert f">{name}<" in svg
    svg = svg_of(held_plot({"GPipe": (8, 8), "1F1B": (2, 1)}))
    for name in ("GPipe", "1F1B", "device", "micro-batches held"):
        assert f">{name}<" in svg
