"""Figures of chapter 12: what they draw is what the definitions say, and what runs of messages did."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.collectives import primitives_figures as figures
from snippets.collectives.algorithms import build
from snippets.collectives.runner import run
from snippets.collectives.schedule import adjoint
from snippets.drawing import Panel
from snippets.figures import svg_of

BRING = [1.0, 1e8, -1e8, 1.0]


def labels(panel: Panel) -> list[str]:
    return [
        element.text or "" for element in ElementTree.fromstring(panel.svg()).iter() if element.tag.endswith("text")
    ]


def test_the_table_has_each_primitive_at_its_place_and_all_cells() -> None:
    found = labels(figures.from_to_panel())
    assert [name for name in found if name.replace("-", "_") in figures.PRIMITIVES.values()] == [
        "scatter",
        "broadcast",
        "gather",
        "all-gather",
        "reduce",
        "reduce-scatter",
        "all-reduce",
    ]
    assert found.count("nothing moves") == 2
    pieces = Counter(label for label in found if re.fullmatch("[A-DΣ][0-3]", label))
    # A0: scatter 1 + 1, broadcast 1 + 4, gather 1 + 1, all-gather 1 + 4, and once before each of three sums
    assert pieces["A0"] == 2 + 5 + 2 + 5 + 3
    assert pieces["B1"] == 2 + 5 + 3
    assert pieces["B2"] == 3
    assert pieces["Σ3"] == 1 + 1 + 4


def test_the_pairs_are_adjoint_and_their_arrows_are_turned_round() -> None:
    for forward, backward in figures.PAIRS[:-1]:
        algorithm = "ring" if forward == "all_gather" else "flat"
        assert adjoint(build(forward, algorithm, ranks=4, length=4)).primitive == backward
    panels = figures.adjoint_panels()
    arrows, kept = (
        [panel.svg().count(mark) for panel in panels] for mark in ('<path class="t-comm', "stroke-dasharray")
    )
    assert arrows == [3, 3, 3, 3, 1, 1, 12, 12]
    assert kept == [1, 1, 1, 1, 0, 0, 4, 4]
    assert [len(heads(panel)) for panel in panels] == arrows
    found = Counter(label for panel in panels for label in labels(panel))
    assert found["B1"] == 1 + 4 + 1
    assert found["Σ1"] == 1 + 1 + 8
    assert found["b1"] == 1 + 1 + 2 + 1
    assert found["∂L/∂x"] == found["x"] == 4
    with pytest.raises(ValueError, match="column must be from 0 to 3"):
        figures.adjoint_panels(column=4)


def heads(panel: Panel) -> list[str]:
    """Return the places of the arrows' heads."""
    paths = ElementTree.fromstring(panel.svg()).iter()
    return [path.get("d", "") for path in paths if path.get("class") == "t-communication"]


def test_in_the_owners_column_of_rank_0_nothing_is_scattered() -> None:
    panels = figures.adjoint_panels(column=0)
    assert [len(heads(panel)) for panel in panels] == [3, 3, 3, 3, 0, 0, 12, 12]


def test_the_halves_of_an_all_reduce() -> None:
    found = labels(figures.halves_panel())
    assert [label for label in found if label in ("reduce-scatter", "all-gather")] == ["reduce-scatter", "all-gather"]
    assert sum(label.startswith("Σ") for label in found) == 4 + 16
    assert found.count("D3") == 1


def test_the_rings_sums_are_those_of_a_run() -> None:
    found = labels(figures.ring_sums_panel(BRING))
    vectors = [np.full(4, number, dtype=np.float32) for number in BRING]
    sums = run(build("all_reduce", "ring", ranks=4, length=4), vectors).outputs[0]
    rows = "|".join(found).split("chunk ")[1:]
    assert [row.split("|")[-1 if chunk == 3 else -2] for chunk, row in enumerate(rows)] == [f"{x:.0f}" for x in sums]
    assert [re.findall(r"([A-D]) =", row) for row in rows] == [[*"BCDA"], [*"CDAB"], [*"DABC"], [*"ABCD"]]
    assert rows[2].split("|")[3::2] == ["1", "2", "100,000,000", "0"]
    with pytest.raises(ValueError, match="values must be 4 numbers"):
        figures.ring_sums_panel([1, 2, 3])


def test_the_plot_has_the_chain_the_tree_and_the_right_sum() -> None:
    figure = figures.bfloat16_sums_plot(ranks=512)
    right, chain, tree = figure.axes[0].lines
    assert np.array_equal(right.get_ydata(), [1, 512])
    assert np.array_equal(chain.get_ydata(), np.minimum(np.arange(1, 513), 256))
    assert np.array_equal(tree.get_ydata(), 2 ** np.arange(10))
    assert np.array_equal(tree.get_xdata(), 2 ** np.arange(10))
    assert "sum in bfloat16" in svg_of(figure)
