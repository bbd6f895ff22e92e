"""What the pictures of chapter 13 draw is what schedules do and formulas say."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from snippets.collectives.algorithm_costs import algorithm_cost, crossover_bytes
from snippets.collectives.ring_and_tree.figures import (
    all_reduce_time_s,
    crossing_bytes,
    message_charts,
    star_panel,
    step_shares,
    time_plot,
    walk_panels,
)
from snippets.drawing import Panel
from snippets.simulation.algorithms import ALGORITHMS, build_collective
from snippets.simulation.schedule import Schedule

MACHINE: dict[str, Any] = {"latency_s": 10e-6, "bandwidth_bytes_per_s": 50e9}


def all_reduce(algorithm: str, ranks: int) -> Schedule:
    return build_collective("all_reduce", algorithm, ranks=ranks, length=ranks)


def arrows(panel: Panel) -> list[str]:
    """Return the colours of the arrows, each of which has one head."""
    return re.findall(r'<path class="t-([a-z0-9-]+)"', panel.svg())


def texts(panel: Panel) -> list[str]:
    found = [element.text or "" for element in ElementTree.fromstring(panel.svg()).iter()]
    return [text for text in found if text.strip() and "{" not in text]


def test_the_star_has_an_arrow_for_each_message_in_the_senders_colour() -> None:
    schedule = all_reduce("flat", 4)
    panel = star_panel(schedule)
    senders = Counter(f"rank-{send.source}" for sends in schedule.rounds for send in sends)
    assert Counter(arrows(panel)) == senders == {"rank-0": 3, "rank-1": 1, "rank-2": 1, "rank-3": 1}
    assert {"1", "2", "3", "4", "5", "6"} <= set(texts(panel))


@pytest.mark.parametrize(("algorithm", "ranks"), [("ring", 4), ("flat", 5)])
def test_a_star_wants_four_ranks_and_a_root(algorithm: str, ranks: int) -> None:
    with pytest.raises(ValueError, match="4 ranks"):
        star_panel(all_reduce(algorithm, ranks))


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS["all_reduce"] if name != "double_binary_tree"])
def test_steps_last_as_long_as_the_closed_form_says(algorithm: str) -> None:
    for ranks in (4, 8):
        cost = algorithm_cost("all_reduce", algorithm, ranks=ranks, size_bytes=ranks, element_bytes=1)
        shares = step_shares(all_reduce(algorithm, ranks))
        assert (len(shares), sum(shares) * ranks) == (cost.steps, cost.wire_bytes)


def test_charts_share_an_axis_and_have_an_arrow_for_each_message() -> None:
    schedules = {"tree": all_reduce("binomial", 4), "ring": all_reduce("ring", 4)}
    panel = message_charts(schedules, width_px=444)
    senders = Counter(
        f"rank-{send.source}" for schedule in schedules.values() for sends in schedule.rounds for send in sends
    )
    assert Counter(arrows(panel)) == senders
    assert [text for text in texts(panel) if text.startswith("n")] == ["n"] * 4 + ["n/4"] * 6
    dashed = [element for element in ElementTree.fromstring(panel.svg()).iter() if element.get("stroke-dasharray")]
    ends = sorted({float(element.get("x1", 0)) for element in dashed})
    assert ends == pytest.approx([34 + 100 * time for time in (0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4)])


def test_narrow_steps_of_one_size_share_a_text() -> None:
    panel = message_charts({"ring": all_reduce("ring", 4), "tree": all_reduce("binomial", 4)}, width_px=340)
    assert [text for text in texts(panel) if text.startswith("n")] == ["n/4"] + ["n"] * 4


def test_no_chart_is_refused() -> None:
    with pytest.raises(ValueError, match="one schedule or more"):
        message_charts({})


def test_a_packet_gains_a_term_at_each_stop() -> None:
    panels = walk_panels([0])
    assert [next(text for text in texts(panel) if text.startswith("g")) for panel in panels] == [
        "g₁",
        "g₁₂",
        "g₁₂₃",
        "g₀₁₂₃",
    ]
    assert all("chunk 0" in texts(panel) for panel in panels)
    assert [len(arrows(panel)) for panel in panels] == [0, 1, 1, 1]


def test_four_packets_are_at_four_ranks_and_end_at_their_owners() -> None:
    panels = walk_panels([0, 1, 2, 3])
    assert [len(arrows(panel)) for panel in panels] == [0, 4, 4, 4]
    for panel in panels:
        packets = [element for element in ElementTree.fromstring(panel.svg()).iter() if element.get("width") == "66"]
        assert len({(packet.get("x"), packet.get("y")) for packet in packets}) == 4
    assert [text for text in texts(panels[-1]) if text.startswith("g")] == ["g₀₁₂₃"] * 4
    assert {text for text in texts(panels[-1]) if text.startswith("chunk")} == {f"chunk {j}" for j in range(4)}


def drawn() -> Figure:
    sizes = [10**power for power in range(3, 11)]
    pairs = {("recursive_doubling", "ring"): "42 MB", ("double_binary_tree", "ring"): "0.5 GB"}
    return time_plot(ranks=256, **MACHINE, sizes_bytes=sizes, crossings=pairs)


def test_lines_are_the_closed_forms_and_dots_lie_where_they_cross() -> None:
    axes = drawn().axes[0]
    lines = {str(line.get_label()): line for line in axes.lines}
    for label, name in (("ring", "ring"), ("one root", "flat"), ("halving–doubling", "halving_doubling")):
        xs, ys = (np.asarray(data, float).tolist() for data in lines[label].get_data())
        for size, time in zip(xs, ys, strict=True):
            cost = algorithm_cost("all_reduce", name, ranks=256, size_bytes=size, element_bytes=1)
            assert time == pytest.approx(cost.steps * 10e-6 + cost.wire_bytes / 50e9)
    assert [text.get_text() for text in axes.texts] == [*list(lines)[:6], "42 MB", "0.5 GB"]
    dots = [float(np.asarray(line.get_xdata(), float)[0]) for line in axes.lines if line.get_marker() == "o"]
    exact = crossover_bytes("all_reduce", "ring", "recursive_doubling", ranks=256, **MACHINE)
    assert dots[0] == pytest.approx(exact, rel=1e-5)
    assert dots[1] == pytest.approx(0.5e9, rel=0.01)


def test_a_pipelined_time_is_the_best_of_all_numbers_of_blocks() -> None:
    size = {"ranks": 8, "size_bytes": 10**6, "element_bytes": 1}
    times = [
        algorithm_cost("all_reduce", "double_binary_tree", **size, segments=blocks).time_s(**MACHINE)
        for blocks in range(1, 40)
    ]
    assert all_reduce_time_s("double_binary_tree", ranks=8, size_bytes=10**6, **MACHINE) == pytest.approx(min(times))


def test_an_interval_without_a_crossing_is_refused() -> None:
    with pytest.raises(ValueError, match="both sides"):
        crossing_bytes("ring", "recursive_doubling", ranks=8, low=10**6, high=10**7, **MACHINE)
