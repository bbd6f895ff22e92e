"""The live figure of chapter 15 says what messages on links cost, and its pictures show it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snippets.collectives.topology.figures import (
    class_bars_panel,
    cluster_panel,
    dispatch_panel,
    schedule_class_times_s,
    size_points,
    spine_panel,
    times_plot,
    torus_parts_panel,
)
from snippets.collectives.topology.link_network import SCHEDULES, LinkNetwork, run_messages, schedule_loads
from snippets.collectives.topology.live import LATENCY_S, cluster_load
from snippets.collectives.topology.programs import run_cluster
from snippets.live.knobs import from_units

PAIR = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=450e9, port_bytes_per_s=50e9)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_numbers_are_those_of_messages_on_links(schedule: str) -> None:
    net = LinkNetwork(nodes=4, gpus_per_node=2, node_bytes_per_s=100e9, port_bytes_per_s=25e9)
    vectors = [[rank + place for place in range(32)] for rank in range(8)]
    messages = run_cluster(schedule, nodes=4, gpus_per_node=2, vectors=vectors).account.messages
    scale = 1e9 / (8 * 32)
    ran = run_messages(net, [message._replace(sent_bytes=round(message.sent_bytes * scale)) for message in messages],
                       latency_s=LATENCY_S)  # fmt: skip
    settings: dict[str, Any] = {"nodes": 4, "gpus": 2, "node_rate": 100e9, "port_rate": 25e9, "size_bytes": 1e9}
    said = cluster_load(schedule=schedule, **settings).numbers
    total = re.search(r"(?:Phase after phase|In all): ([\d.]+ \w+)\.", said)
    port = re.search(r"busiest port needs ([\d.]+ \w+) for", said)
    assert total
    assert port
    assert from_units("time", total[1], "s") == pytest.approx(ran.time_s, rel=6e-3)
    busiest = max(load for link, load in ran.loads.items() if link.startswith("port")) / 25e9
    assert from_units("time", port[1], "s") == pytest.approx(busiest, rel=6e-3)


def test_its_knobs_begin_at_the_smallest_instance_and_it_opens_at_the_question() -> None:
    assert cluster_load().numbers.startswith("4 GPUs with 10 GB each, one ring: 1 of 2 ports")
    assert cluster_load.opening is not None
    assert cluster_load.opening.name == "The question, one ring"
    values = {named.name: named.values for named in cluster_load.named}
    assert "In all: 504 ms" in cluster_load(**values["The question, one ring"]).numbers
    assert "In all: 67.5 ms" in cluster_load(**values["The question, eight rings"]).numbers
    in_the_70b = 2 * 255 * (5e-6 + 1.711276032e9 / 8 / 256 / 40e9)
    assert f"In all: {in_the_70b * 1e3:.1f} ms" in cluster_load(**values["The 70B on 256 GPUs"]).numbers


def test_full_red_is_the_busiest_link_unless_it_is_given() -> None:
    loads = schedule_loads(PAIR, "one_ring", size_bytes=8e9)
    assert "full red: 240 ms" in cluster_panel(PAIR, loads, title="t").svg()
    assert "full red: 480 ms" in cluster_panel(PAIR, loads, title="t", full_s=0.48).svg()


def test_the_classes_take_their_largest_load() -> None:
    times = schedule_class_times_s(PAIR, "one_ring", size_bytes=8e9)
    assert times == pytest.approx({"inside": 12e9 / 450e9, "ports": 12e9 / 50e9})
    svg = class_bars_panel({"one ring": times}, bound_s=0.16, title="t").svg()
    assert "ports: 240 ms" in svg
    assert "bound of 160 ms" in svg


def test_the_other_pictures_show_what_was_computed() -> None:
    assert size_points(lambda n: 3 * n, smallest=1, largest=4, points=3) == [(1, 3), (2, 6), (4, 12)]
    plot = times_plot({"ring": [(1e6, 1e-3), (1e9, 1.0)], "bound": [(1e6, 1e-4), (1e9, 0.1)]}, marks={"ten": 1e7})
    assert ">ring<" in plot.svg()
    assert ">ten<" in plot.svg()
    shares = spine_panel([0, 1, 1, 3], cables=4, title="t").svg()
    assert shares.count(">½<") == 2
    assert shares.count(">1<") == 2
    assert ">⅓<" in spine_panel([2, 2, 2], cables=3, title="t").svg()
    first, second = (torus_parts_panel(side=3, phase=phase, title="t").svg() for phase in (1, 2))
    assert "1.33" in first
    assert "0.44" in second
    assert dispatch_panel(once=False).svg().count("t-communication") > dispatch_panel(once=True).svg().count(
        "t-communication"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: class_bars_panel({}, bound_s=1, title="t"),
        lambda: times_plot({}),
        lambda: spine_panel([4], cables=4, title="t"),
        lambda: torus_parts_panel(side=6, phase=1, title="t"),
        lambda: dispatch_panel(once=True, experts=5),
        lambda: dispatch_panel(once="yes"),  # type: ignore[arg-type]
        lambda: size_points(3),
        lambda: size_points(abs, points=1),
    ],
)
def test_what_cannot_be_drawn_is_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        call()
