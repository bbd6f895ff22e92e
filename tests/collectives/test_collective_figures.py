"""Figures of chapters 12 and 13: what they draw is what the schedules did."""

from __future__ import annotations

import re

import pytest

from snippets.collectives import figures as pictures
from snippets.figures import svg_of
from snippets.simulation.algorithms import build_collective
from snippets.simulation.double_tree import edge_delays


def labels(svg: str) -> list[str]:
    return re.findall(r">([A-HΣ0-9][A-H0-9]*)</text>", svg)


def test_a_primitive_is_drawn_from_its_run() -> None:
    found = labels(pictures.primitive_panel("reduce_scatter", ranks=2).svg())
    assert found == ["A0", "A1", "B0", "B1", "Σ0", "Σ1", "0", "1"]
    assert labels(pictures.primitive_panel("all_to_all", ranks=2).svg())[4:8] == ["A0", "B0", "A1", "B1"]


def test_too_many_ranks_to_mark_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 7"):
        pictures.primitive_panel("gather", ranks=8)


def test_a_panel_for_each_moment_with_a_frame_for_each_message() -> None:
    panels = pictures.round_panels(build_collective("all_reduce", "ring", ranks=4, length=4))
    assert len(panels) == 7
    frames = [re.findall(r'<path class="b-communication" d="([^"]*)"', panel.svg()) for panel in panels]
    assert ["".join(found).count("M") for found in frames] == [0] + [2 * 4] * 6
    assert labels(panels[-1].svg()).count("ABCD") == 16


def test_rounds_want_one_element_for_each_rank() -> None:
    with pytest.raises(ValueError, match="as many elements as ranks"):
        pictures.round_panels(build_collective("all_reduce", "ring", ranks=4, length=8))


def test_every_rank_is_a_leaf_in_one_of_the_trees() -> None:
    one, two = (panel.svg() for panel in pictures.tree_panels(ranks=8))
    leaves = [svg.count("stroke-dasharray") for svg in (one, two)]
    assert leaves == [4, 4]
    assert one.count("<rect") == two.count("<rect") == 8


def test_the_edges_of_the_trees_carry_their_first_steps() -> None:
    for panel, delays in zip(pictures.tree_panels(ranks=8), edge_delays(8), strict=True):
        said = re.findall(r">([0-9]+)</text>", panel.svg())
        assert sorted(said) == sorted([*(str(delay + 1) for delay in delays), *map(str, range(8))])
        assert panel.svg().count('<path class="t-communication"') == 7


def test_terms_may_have_letters_of_their_own() -> None:
    last = pictures.round_panels(build_collective("all_reduce", "ring", ranks=4, length=4), letters="₀₁₂₃", before="g")[
        -1
    ]
    assert last.svg().count(">g₀₁₂₃</text>") == 16


def test_the_plot_names_every_algorithm() -> None:
    svg = svg_of(pictures.steps_and_bytes_plot(ranks=16, segments=(1, 2, 4)))
    for name in ("ring", "one root", "binomial tree", "recursive", "halving", "two trees"):
        assert name in svg
