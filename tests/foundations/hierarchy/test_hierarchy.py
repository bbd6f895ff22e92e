"""Chapter 3: its formulas are what cutting real graphs in all ways finds; its pictures show what they were given."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import combinations, product
from math import prod

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercises.foundations.hierarchy.common import worst_halving_links
from snippets.foundations.hierarchy.figures import (
    bandwidth_path_panel,
    ladder_panel,
    latency_panel,
    leaf_messages_panel,
    share_plot,
    steps_panel,
    torus_panel,
    tree_panel,
)
from snippets.foundations.hierarchy.formulas import (
    dragonfly_bisection_bytes_per_s,
    fair_share_bytes_per_s,
    fat_tree_bisection_bytes_per_s,
    k_ary_fat_tree_bisection_bytes_per_s,
    k_ary_fat_tree_hosts,
    path_time_s,
    torus_bisection_bytes_per_s,
)
from snippets.foundations.hierarchy.memory_levels import MEMORY_LEVELS, MemoryLevel
from snippets.foundations.hierarchy.simulators import (
    NetworkGraph,
    cut_links,
    dragonfly,
    exchange_bytes,
    halves,
    k_ary_fat_tree,
    leaf_spine,
    minimum_bisection_links,
    torus,
)
from snippets.hardware import LINKS


def cut_by_networkx(network: NetworkGraph, half: tuple[int, ...]) -> int:
    """The largest flow from a half of the hosts to the others, by another's code."""
    graph = nx.DiGraph()
    for (one, other), count in Counter(network.links).items():
        for start, end in ((one, other), (other, one)):
            before = graph.get_edge_data(start, end, {"capacity": 0})["capacity"]
            graph.add_edge(start, end, capacity=before + count)
    for host in range(network.hosts):
        graph.add_edge(*(("from", host) if host in half else (host, "to")))
    return int(nx.maximum_flow_value(graph, "from", "to"))


def cut_by_all_sides(network: NetworkGraph, half: tuple[int, ...]) -> int:
    """The fewest links, by trying every place of every switch."""
    sides = product((False, True), repeat=network.switches)
    inside = [host in half for host in range(network.hosts)]
    return min(
        sum(side[one] != side[other] for one, other in network.links)
        for side in (inside + list(switches) for switches in sides)
    )


NETWORKS = [
    leaf_spine(leaves=4, hosts_per_leaf=2, spines=1, cables=1),
    leaf_spine(leaves=3, hosts_per_leaf=2, spines=2, cables=2),
    leaf_spine(leaves=2, hosts_per_leaf=3, spines=3, cables=1),
    dragonfly(groups=3, routers=2, hosts_per_router=1),
    dragonfly(groups=4, routers=1, hosts_per_router=2),
    torus([3, 2]),
    torus([4, 2]),
    k_ary_fat_tree(ports=2),
]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_cut_is_the_flow_and_the_best_place_of_the_switches(network: NetworkGraph) -> None:
    for half in combinations(range(network.hosts), network.hosts // 2):
        links = cut_links(network, half)
        assert links == cut_by_networkx(network, half) == cut_by_all_sides(network, half)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_minimum_is_over_all_halves(network: NetworkGraph) -> None:
    everything = combinations(range(network.hosts), network.hosts // 2)
    links, half = minimum_bisection_links(network)
    assert links == min(cut_by_networkx(network, tried) for tried in everything) == cut_links(network, half)
    assert len(half) == network.hosts // 2


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(1, 4), st.integers(1, 3), st.integers(1, 2))
def test_a_two_level_trees_bisection_is_what_trying_all_halves_finds(
    leaves: int, below: int, spines: int, cables: int
) -> None:
    links, _ = minimum_bisection_links(leaf_spine(leaves=leaves, hosts_per_leaf=below, spines=spines, cables=cables))
    if leaves % 2 == 0:
        assert links == fat_tree_bisection_bytes_per_s(
            leaves=leaves, hosts_per_leaf=below, uplinks_per_leaf=spines * cables, link_bytes_per_s=1
        )
    elif below % 2 == 0:
        assert links == leaves // 2 * min(below, spines * cables) + below // 2
    if leaves * below % 2 == 0:
        assert links == worst_halving_links(leaves * below, leaves, spines, cables)


@pytest.mark.parametrize("sides", [(4,), (6,), (12,), (2, 2), (4, 2), (4, 3), (6, 2), (2, 1, 4), (2, 2, 2), (4, 2, 2)])
def test_a_torus_of_an_even_longest_side(sides: tuple[int, ...]) -> None:
    assert minimum_bisection_links(torus(sides))[0] == torus_bisection_bytes_per_s(sides=sides, link_bytes_per_s=1)


@pytest.mark.parametrize("sides", [(3, 3), (5, 3), (3, 2)])
def test_a_torus_of_an_odd_longest_side_has_more_links_across(sides: tuple[int, ...]) -> None:
    assert minimum_bisection_links(torus(sides))[0] > 2 * prod(sides) / max(sides)
    with pytest.raises(ValueError, match="even longest side"):
        torus_bisection_bytes_per_s(sides=sides, link_bytes_per_s=1)


def test_three_levels() -> None:
    tree = k_ary_fat_tree(ports=4)
    assert tree.hosts == k_ary_fat_tree_hosts(ports=4)
    assert all(sum(tree.capacity[switch].values()) == 4 for switch in range(tree.hosts, tree.nodes))
    assert minimum_bisection_links(tree)[0] == k_ary_fat_tree_bisection_bytes_per_s(ports=4, link_bytes_per_s=1)


def test_a_dragonflys_groups() -> None:
    for groups, routers, found in ((4, 3, 4), (2, 2, 1), (4, 2, 3)):
        network = dragonfly(groups=groups, routers=routers, hosts_per_router=2 if groups == 2 else 1)
        assert minimum_bisection_links(network)[0] == found
        between = [
            (one, other)
            for one, other in network.links
            if one >= network.hosts and (one - network.hosts) // routers != (other - network.hosts) // routers
        ]
        assert len(between) == groups * (groups - 1) // 2
    assert dragonfly_bisection_bytes_per_s(groups=4, link_bytes_per_s=2) == 8


def test_halves_leave_out_only_what_is_alike() -> None:
    assert len(list(halves(torus([6])))) == 20
    assert sorted(map(len, halves(leaf_spine(leaves=3, hosts_per_leaf=2, spines=1, cables=1)))) == [3] * 7


@pytest.mark.parametrize(("up", "cables"), [(1, 1), (2, 1), (4, 1), (2, 2)])
def test_an_exchange_takes_as_long_as_the_bisection_says(up: int, cables: int) -> None:
    shape = {"leaves": 4, "hosts_per_leaf": 4}
    carried = exchange_bytes(**shape, spines=up, cables=cables, size_bytes=100)
    cut = fat_tree_bisection_bytes_per_s(**shape, uplinks_per_leaf=up * cables, link_bytes_per_s=1)
    assert max(carried.values()) == 8 * 100 / cut


@given(st.integers(1, 20), st.integers(1, 20))
def test_a_share_is_what_the_fullest_link_leaves(links: int, users: int) -> None:
    fullest = max(Counter(user % links for user in range(users)).values())
    assert fair_share_bytes_per_s(link_bytes_per_s=60.0, links=links, users=users) == 60 / fullest


def test_pieces_through_a_path_arrive_at_the_narrowest_links_rate() -> None:
    rates, pieces = [4.0, 1.0, 2.0], 4000
    free = [0.0] * len(rates)  # when each link has passed on its last piece
    for _ in range(pieces):
        arrived = 0.0
        for link, rate in enumerate(rates):
            arrived = free[link] = max(arrived, free[link]) + 1 / pieces / rate
    assert path_time_s(size_bytes=1, bandwidths_bytes_per_s=rates) == pytest.approx(free[-1], rel=1e-3)


def test_every_level_has_a_source_and_bandwidth_falls_outwards() -> None:
    levels = list(MEMORY_LEVELS.values())
    assert all(level.source and re.fullmatch(r"20\d\d-\d\d-\d\d", level.read) for level in levels)
    assert all(level.how in ("printed", "measured", "derived") for level in levels)
    rates = [level.bandwidth_bytes_per_s for level in levels]
    assert rates == sorted(rates, reverse=True)
    waits = [level.latency_s for level in levels if level.latency_s]
    assert waits == sorted(waits)
    assert (
        MEMORY_LEVELS["memory of another node"].bandwidth_bytes_per_s == LINKS["InfiniBand NDR"].bandwidth_bytes_per_s
    )


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_ladders_dots_lie_on_their_axis() -> None:
    level = MEMORY_LEVELS["HBM"]
    for rate, x in ((10**7, 132), (10**16, 272)):
        mine = MemoryLevel("mine", "here", None, rate, 1e-9 if rate == 10**7 else 10, None, "derived", "a test")
        assert f"M{x} " in ladder_panel([mine]).svg()
        assert f"M{x} " in latency_panel([mine]).svg()
    assert "3.35 TB/s" in texts(ladder_panel([level]).svg())
    assert len([text for text in texts(ladder_panel().svg()) if text.endswith("B/s")]) == len(MEMORY_LEVELS) + 3


def test_red_links_are_those_of_the_cut() -> None:
    red = r'class="l-communication"'
    for spines in (1, 2):
        network = leaf_spine(leaves=4, hosts_per_leaf=2, spines=spines, cables=1)
        links, half = minimum_bisection_links(network)
        panel = tree_panel(leaves=4, hosts_per_leaf=2, spines=spines, cables=1, half=half, title="cut")
        assert len(re.findall(red, panel.svg())) == links
        whole = tree_panel(leaves=4, hosts_per_leaf=2, spines=spines, cables=1, half=range(8), title="whole")
        assert not re.findall(red, whole.svg())
    links, half = minimum_bisection_links(torus([4, 4]))
    assert len(re.findall(red, torus_panel(side=4, half=half, title="cut").svg())) == 4 + 2 * 4 == links + 4
    with pytest.raises(ValueError, match="at most 2"):
        tree_panel(leaves=8, hosts_per_leaf=3, spines=1, cables=1, half=[], title="too many")


def test_the_narrowest_pipe_is_red_and_the_others_are_not() -> None:
    svg = bandwidth_path_panel({"a": 8e9, "b": 2e9, "c": 4e9}, title="path").svg()
    assert len(re.findall(r'<rect[^>]*class="b-communication"', svg)) == 1
    assert len(re.findall(r'<rect[^>]*class="b-accent"', svg)) == 2
    assert [text for text in texts(svg) if text.endswith("B/s")] == ["8 GB/s", "2 GB/s", "4 GB/s"]


def test_the_plot_names_its_curves() -> None:
    svg = share_plot({"tree": [(64, 50e9), (4096, 50e9)], "torus": [(64, 90e9), (4096, 22.5e9)]}).svg()
    assert {"tree", "torus"} <= set(texts(svg))


def test_messages_that_leave_a_leaf_are_red_and_counted() -> None:
    drawn = partial(leaf_messages_panel, leaves=4, hosts_per_leaf=2, title="messages")
    by_leaf, dealt = [0, 1, 2, 3, 4, 5, 6, 7], [0, 2, 4, 6, 1, 3, 5, 7]
    for order, up in ((by_leaf, 1), (dealt, 2)):
        svg = drawn(list(zip(order, order[1:] + order[:1], strict=True))).svg()
        assert texts(svg).count(f"{up} up") == 4
        assert len(re.findall(r'<line[^>]*class="l-communication"', svg)) == 4 + 4 * up  # a stub each, an arrow each
    every = [(one, other) for one in range(8) for other in range(8) if one != other]
    svg = drawn(every, drawn=[(0, other) for other in range(1, 8)]).svg()
    assert texts(svg).count("12 up") == 4
    assert texts(drawn(every, size=1 / 7).svg()).count("1.7 up") == 4
    with pytest.raises(ValueError, match="size"):
        drawn(every, size=0)
    assert len(re.findall(r'<line[^>]*class="l-communication"', svg)) == 4 + 6
    with pytest.raises(ValueError, match="pairs of two different hosts"):
        drawn([(0, 8)])
    with pytest.raises(ValueError, match="at most 2"):
        leaf_messages_panel([(0, 1)], leaves=8, hosts_per_leaf=3, title="too many")


def test_a_steps_bar_is_as_long_as_its_parts() -> None:
    svg = steps_panel({"now": (4, 0.5, 0), "next": (4, 0.5, 0.5)}).svg()
    assert {"now", "next", "4.5 s", "5 s"} <= set(texts(svg))
    with pytest.raises(ValueError, match="three parts"):
        steps_panel({"now": (4, 0.5)})
