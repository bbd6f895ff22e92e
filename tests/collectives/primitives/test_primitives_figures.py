"""Figures of chapter 12: what they draw is what the definitions say, and what runs of messages did."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.collectives.primitives import figures
from snippets.drawing import Panel
from snippets.figures import svg_of
from snippets.simulation.algorithms import build_collective
from snippets.simulation.runner import run
from snippets.simulation.schedule import adjoint_schedule

BRING = [1.0, 1e8, -1e8, 1.0]


def labels(panel: Panel) -> list[str]:
    return [
        element.text or "" for element in ElementTree.fromstring(panel.svg()).iter() if element.tag.endswith("text")
    ]


def test_the_table_has_each_primitive_at_its_place_and_all_cells() -> None:
    panels = [labels(panel) for panel in figures.from_to_panels()]
    primitives = [
        [label for label in found if label == "nothing moves" or label.replace("-", "_") in figures.PRIMITIVES.values()]
        for found in panels
    ]
    assert primitives == [
        ["nothing moves", "gather", "reduce"],
        ["scatter", "nothing moves", "reduce-scatter"],
        ["broadcast", "all-gather", "all-reduce"],
    ]
    for found, target in zip(panels, ("the root", "the owners", "all"), strict=True):
        assert found[0] == f"to {target}"
        sources = [label for label in found if label.startswith("from ")]
        assert sources == ["from the root", "from the owners", "from all, added up"]
    found = [label for part in panels for label in part]
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
        assert adjoint_schedule(build_collective(forward, algorithm, ranks=4, length=4)).primitive == backward
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
    assert found["∂ℒ/∂y"] == found["y"] == 4
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
    first, second = (labels(panel) for panel in figures.halves_panels())
    assert (first[0], second[0]) == ("first: reduce-scatter", "then: all-gather")
    pieces = [[label for label in found if re.fullmatch("[A-DΣ][0-3]", label)] for found in (first, second)]
    sums = ["Σ0", "Σ1", "Σ2", "Σ3"]
    assert pieces[0] == [f"{letter}{chunk}" for letter in "ABCD" for chunk in range(4)] + sums
    assert pieces[1] == sums + 4 * sums


def test_the_rings_sums_are_those_of_a_run() -> None:
    found = [labels(panel) for panel in figures.ring_sums_panels(BRING)]
    vectors = [np.full(4, number, dtype=np.float32) for number in BRING]
    sums = run(build_collective("all_reduce", "ring", ranks=4, length=4), vectors).outputs[0]
    assert [chunk[0] for chunk in found] == [f"chunk {number}" for number in range(4)]
    assert [chunk[-1] for chunk in found] == [f"{total:.0f}" for total in sums]
    assert [re.findall(r"([A-D]) =", "|".join(chunk)) for chunk in found] == [
        [*"BCDA"],
        [*"CDAB"],
        [*"DABC"],
        [*"ABCD"],
    ]
    assert [re.findall(r"rank (\d)", "|".join(chunk)) for chunk in found] == [
        [*"1230"],
        [*"2301"],
        [*"3012"],
        [*"0123"],
    ]
    assert found[2][4::3] == ["1", "2", "100,000,000", "0"]
    with pytest.raises(ValueError, match="values must be 4 numbers"):
        figures.ring_sums_panels([1, 2, 3])


def test_the_plot_has_the_chain_the_tree_and_the_right_sum() -> None:
    figure = figures.bfloat16_sums_plot(ranks=512)
    right, chain, tree = figure.axes[0].lines
    assert np.array_equal(right.get_ydata(), [1, 512])
    assert np.array_equal(chain.get_ydata(), np.minimum(np.arange(1, 513), 256))
    assert np.array_equal(tree.get_ydata(), 2 ** np.arange(10))
    assert np.array_equal(tree.get_xdata(), 2 ** np.arange(10))
    assert "sum in bfloat16" in svg_of(figure)


def test_the_phases_of_a_plan_are_blocks_against_what_hides() -> None:
    panel = figures.phases_panel({"keep": ["RS", "AG"], "shard": ["AG", "AG", "RS"]}, phase_gb=14.0, most_gb=49.0)
    assert labels(panel) == ["keep: 28 GB", "RS", "AG", "shard: 42 GB", "AG", "AG", "RS", "can hide: 49 GB"]
    blocks = [element for element in ElementTree.fromstring(panel.svg()).iter() if element.tag.endswith("rect")]
    lefts = [float(block.get("x", "")) for block in blocks]
    widths = {block.get("width") for block in blocks}
    assert lefts[:2] == lefts[2:4]
    assert len(widths) == 1
    (edge,) = {
        element.get("x1") for element in ElementTree.fromstring(panel.svg()).iter() if element.tag.endswith("line")
    }
    assert float(edge or "") - 2 == pytest.approx(49 / 14 * (lefts[1] - lefts[0]), abs=0.3)
    cut = figures.phases_panel({"feared": [""] * 6}, phase_gb=14.0, most_gb=49.0)
    blocks = [element for element in ElementTree.fromstring(cut.svg()).iter() if element.tag.endswith("rect")]
    assert [float(block.get("width", "")) for block in blocks[3:5]] == pytest.approx([336 / 12] * 2, abs=0.3)
    assert len(blocks) == 7
    assert [block.get("class") for block in blocks[3:]] == [blocks[0].get("class"), *[blocks[-1].get("class")] * 3]
    own = figures.phases_panel({"now": ["RS", "AG"]}, phase_gb=14.0, most_gb=48.0, own_gb={"now": ("backward", 32.0)})
    assert labels(own) == ["now: 28 GB", "RS", "AG", "backward: 32 GB", "can hide: 48 GB"]
    lines = [element for element in ElementTree.fromstring(own.svg()).iter() if element.tag.endswith("line")]
    short, long = sorted({float(line.get("x1", "")) - 2 for line in lines})
    assert short / long == pytest.approx(32 / 48, abs=0.01)
    with pytest.raises(ValueError, match="plans must name one plan or more"):
        figures.phases_panel({}, phase_gb=14.0, most_gb=49.0)
