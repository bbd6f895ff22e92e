"""Chapter 15: formulas against the simulated machine, links against bottlenecks, overlap and collisions by force."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.collectives.schedule_cost import price_schedule
from snippets.collectives.topology import formulas as topology
from snippets.collectives.topology.link_network import (
    SCHEDULES,
    LinkNetwork,
    bound_s,
    fair_rates,
    finish_times_s,
    link_loads,
    run_messages,
    schedule_loads,
)
from snippets.collectives.topology.programs import (
    dispatch_bytes,
    grid_groups,
    overlapped_time_s,
    placement_times_s,
    run_by_dimensions,
    run_cluster,
    spine_slowdowns,
    switch_all_reduce,
)
from snippets.simulation import checker
from snippets.simulation.account import Message
from snippets.simulation.runner import run

SIDES = st.lists(st.integers(1, 4), min_size=1, max_size=3)
ALPHA = 3.0


def vectors(ranks: int, length: int) -> list[list[int]]:
    random = np.random.default_rng(ranks * 100 + length)
    return [[int(x) for x in random.integers(-99, 99, length)] for _ in range(ranks)]


def cluster(nodes: int, gpus: int, inside: float, port: float, ports: int = 0) -> LinkNetwork:
    return LinkNetwork(nodes, gpus, node_bytes_per_s=inside, port_bytes_per_s=port, ports_per_node=ports)


@settings(max_examples=30, deadline=None)
@given(SIDES, st.integers(0, 20))
def test_by_dimensions_the_machine_and_the_schedule_are_one(sides: list[int], length: int) -> None:
    ranks = math.prod(sides)
    brought = vectors(ranks, length)
    machine = run_by_dimensions(sides, brought)
    total = [sum(column) for column in zip(*brought, strict=True)]
    schedule = topology.dimension_schedule(sides, length)
    checker.check_collective(schedule)
    done = run(schedule, [np.array(vector, dtype=np.int64) for vector in brought])
    assert all(output.tolist() == total for output in done.outputs)
    assert done.account.sent_bytes == machine.account.sent_bytes
    assert machine.account.steps == len(schedule.rounds) == sum(2 * (side - 1) for side in sides)


@settings(max_examples=30, deadline=None)
@given(SIDES, st.floats(0, 1e-5), st.lists(st.floats(1e9, 1e12), min_size=3, max_size=3))
def test_the_bytes_and_the_time_by_dimensions_are_those_of_the_messages(
    sides: list[int], latency_s: float, rates: list[float]
) -> None:
    ranks = math.prod(sides)
    length = 12 * ranks
    schedule = topology.dimension_schedule(sides, length)
    sent = Counter[int]()
    time = 0.0
    down = [i for i, side in enumerate(sides) for _ in range(side - 1)]
    for i, sends in zip(down + down[::-1], schedule.rounds, strict=True):
        sent[i] += sends[0].elements
        time += latency_s + max(send.elements for send in sends) / rates[i]
    said = topology.all_reduce_dimension_bytes(sides=sides, size_bytes=length)
    assert said == pytest.approx([sent[i] for i in range(len(sides))])
    assert sum(said) == pytest.approx(2 * (ranks - 1) / ranks * length)
    machine: dict[str, Any] = {"latency_s": latency_s, "bandwidths_bytes_per_s": rates[: len(sides)]}
    assert topology.all_reduce_dimensions_time_s(sides=sides, size_bytes=length, **machine) == pytest.approx(time)
    priced = price_schedule(schedule, element_bytes=1, latency_s=latency_s, bandwidth_bytes_per_s=rates[0])
    same: dict[str, Any] = {"latency_s": latency_s, "bandwidths_bytes_per_s": rates[:1] * len(sides)}
    assert topology.all_reduce_dimensions_time_s(sides=sides, size_bytes=length, **same) == pytest.approx(priced.time_s)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("nodes", "gpus"), [(2, 2), (3, 2), (2, 3), (4, 1), (1, 4), (3, 4)])
def test_loads_and_times_are_those_of_the_machines_messages(schedule: str, nodes: int, gpus: int) -> None:
    ranks = nodes * gpus
    length = 2 * ranks * gpus
    net = cluster(nodes, gpus, 7.0, 2.0)
    account = run_cluster(schedule, nodes=nodes, gpus_per_node=gpus, vectors=vectors(ranks, length)).account
    ran = run_messages(net, account.messages, latency_s=ALPHA)
    loads = schedule_loads(net, schedule, size_bytes=8 * length)
    assert dict(ran.loads) == pytest.approx({link: load for link, load in loads.items() if load})
    assert ran.time_s - ALPHA * len(ran.steps_s) >= bound_s(net, loads) * (1 - 1e-9)
    job: dict[str, Any] = {"nodes": nodes, "gpus_per_node": gpus, "size_bytes": 8 * length, "latency_s": ALPHA}
    job |= {"node_bytes_per_s": 7.0, "port_bytes_per_s": 2.0}
    if schedule == "hierarchical":
        assert topology.hierarchical_all_reduce_time_s(**job) == pytest.approx(ran.time_s)
    if schedule in ("one_ring", "many_rings") and nodes > 1:
        rings = 1 if schedule == "one_ring" else gpus
        assert topology.many_rings_time_s(rings=rings, **job) == pytest.approx(ran.time_s)


@given(st.integers(1, 5), st.integers(1, 4), st.floats(1e9, 1e11), st.floats(0, 1e10))
def test_no_schedule_beats_the_nodes_ports_and_the_hierarchy_meets_them(
    nodes: int, gpus: int, port: float, size: float
) -> None:
    net = cluster(nodes, gpus, 1e15, port)
    least = topology.node_all_reduce_bound_s(nodes=nodes, ports_per_node=gpus, port_bytes_per_s=port, size_bytes=size)
    for schedule in SCHEDULES:
        loads = schedule_loads(net, schedule, size_bytes=size)
        ports = {link: load for link, load in loads.items() if link.startswith("port")}
        assert bound_s(net, ports) >= least * (1 - 1e-9)
        if schedule == "hierarchical":
            assert bound_s(net, ports) == pytest.approx(least)
    named = sorted(loads)
    if named:
        listed = {"loads_bytes": [loads[link] for link in named]}
        rates = [net.bandwidths[link] for link in named]
        assert topology.busiest_link_s(**listed, bandwidths_bytes_per_s=rates) == pytest.approx(bound_s(net, loads))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_fair_rates_leave_every_flow_a_bottleneck(data: st.DataObject) -> None:
    """The definition, not the algorithm: a full link on which nobody has more. Exactly one set of rates has it."""
    bandwidths = {name: data.draw(st.floats(0.5, 20)) for name in "abcd"}
    route = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map(tuple)
    routes = data.draw(st.lists(route, min_size=1, max_size=7))
    rates = fair_rates(routes, bandwidths)
    used = {link: [rate for rate, way in zip(rates, routes, strict=True) if link in way] for link in bandwidths}
    assert all(sum(users) <= bandwidths[link] * (1 + 1e-9) for link, users in used.items())
    for rate, way in zip(rates, routes, strict=True):
        assert any(
            sum(used[link]) == pytest.approx(bandwidths[link]) and rate >= max(used[link]) * (1 - 1e-9) for link in way
        )


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 9, allow_subnormal=False), st.sampled_from(["a", "b", "ab"])), min_size=1, max_size=6
    )
)
def test_flows_carry_their_bytes_and_no_link_is_faster_than_it_is(flows: list[tuple[float, str]]) -> None:
    sizes, routes, rates = [size for size, _ in flows], [tuple(way) for _, way in flows], {"a": 3.0, "b": 2.0}
    ends = finish_times_s(sizes, routes, rates)
    for link, rate in rates.items():
        load = sum(size for size, way in zip(sizes, routes, strict=True) if link in way)
        assert max(ends) * rate >= load * (1 - 1e-9)
    for size, way, end in zip(sizes, routes, ends, strict=True):
        assert end >= size / min(rates[link] for link in way) * (1 - 1e-9)


def test_two_flows_on_one_port_take_twice_as_long() -> None:
    net = cluster(2, 2, 9.0, 1.0, ports=1)
    apart = [Message(1, 0, 2, 4, "send")]
    both = [*apart, Message(1, 1, 3, 4, "send")]
    assert run_messages(net, apart).time_s == 4
    assert run_messages(net, both).time_s == 8


@pytest.mark.parametrize(("side", "dimensions"), [(3, 1), (4, 1), (3, 2), (4, 2), (3, 3)])
def test_a_torus_with_all_links_busy(side: int, dimensions: int) -> None:
    """The parts' bytes on every link of every phase, laid out one by one."""
    ranks, size = side**dimensions, 1.0
    total = 0.0
    for phase in range(2 * dimensions):
        turn = phase if phase < dimensions else 2 * dimensions - 1 - phase
        loads = Counter[tuple[int, int, int]]()
        for part in range(2 * dimensions):
            axis, way = (part // 2 + turn) % dimensions, 1 if part % 2 else -1
            sides = [side] * dimensions
            moved = topology.all_reduce_dimension_bytes(sides=sides, size_bytes=size / (2 * dimensions))[turn] / 2
            for rank in range(ranks):
                loads[rank, axis, way] += moved  # type: ignore[assignment]
        assert len(loads) == 2 * dimensions * ranks
        assert len({round(load, 12) for load in loads.values()}) == 1
        total += max(loads.values()) / 90e9
    said = topology.torus_all_reduce_time_s(
        side=side, dimensions=dimensions, size_bytes=size, latency_s=0, link_bytes_per_s=90e9
    )
    assert said == pytest.approx(total)
    steps = topology.torus_all_reduce_time_s(
        side=side, dimensions=dimensions, size_bytes=0, latency_s=1, link_bytes_per_s=1
    )
    assert steps == len(topology.dimension_schedule([side] * dimensions, 0).rounds)


@given(st.integers(0, 5), st.integers(1, 5))
def test_collisions_by_counting_all_choices(flows: int, cables: int) -> None:
    choices = list(itertools.product(range(cables), repeat=flows))
    clean = sum(len(set(choice)) == flows for choice in choices)
    said = topology.collision_free_probability(flows=flows, cables=cables)
    assert said == pytest.approx(clean / len(choices))


@pytest.mark.parametrize(("nodes", "experts", "k"), [(2, 4, 1), (2, 4, 3), (3, 6, 2), (4, 8, 5), (2, 6, 6), (1, 3, 2)])
def test_expected_nodes_by_all_draws(nodes: int, experts: int, k: int) -> None:
    counts = [len({e * nodes // experts for e in drawn}) for drawn in itertools.combinations(range(experts), k)]
    said = topology.expected_expert_nodes(nodes=nodes, experts=experts, experts_per_token=k)
    assert said == pytest.approx(statistics.mean(counts))


def test_experts_have_to_spread_evenly() -> None:
    with pytest.raises(ValueError, match="multiple of nodes = 3"):
        topology.expected_expert_nodes(nodes=3, experts=8, experts_per_token=2)


def test_the_switches_take_each_vector_once() -> None:
    machine = switch_all_reduce([[1, 10, 3], [2, 20, 3], [3, 30, 3], [4, 40, 3], [5, 50, 3], [6, 60, 3]], per_switch=3)
    account = machine.account
    assert account.sent_bytes[:6] == account.received_bytes[:6] == (24,) * 6
    assert account.sent_bytes[6:8] == (4 * 24, 4 * 24)
    assert account.received_bytes[8] == 2 * 24


def test_overlap_by_trying_all_orders() -> None:
    """The link inside serves scatters and gathers; every order of them that keeps blocks in order."""
    for inside, across, blocks in ((2, 5, 1), (1, 3, 3), (2, 2, 3), (3, 1, 3), (1, 2, 4), (5, 0, 2), (0, 4, 2)):
        best = math.inf
        for word in set(itertools.permutations("s" * blocks + "g" * blocks)):
            free = port = 0.0
            back: list[float] = []
            gathered = 0
            for letter in word:
                if letter == "s":
                    free += inside
                    port = max(port, free) + across
                    back.append(port)
                elif gathered < len(back):
                    free = max(free, back[gathered]) + inside
                    gathered += 1
                else:
                    break
            else:
                best = min(best, free)
        found = overlapped_time_s(inside_s=inside, across_s=across, blocks=blocks)
        assert best <= found + 1e-9
        if across >= 2 * inside:
            assert found == pytest.approx(best) == pytest.approx(blocks * across + 2 * inside)
        assert found >= max(2 * inside * blocks, across * blocks)


def test_slowdowns_are_those_of_the_fullest_cable_when_flows_pair_up() -> None:
    found = spine_slowdowns(leaves=4, flows_per_leaf=3, cables=4, draws=150, seed=3)
    assert set(found) <= {1.0, 2.0, 3.0}
    clean = sum(slow == 1 for slow in found) / len(found)
    assert clean == pytest.approx(topology.collision_free_probability(flows=3, cables=4) ** 4, abs=0.06)
    assert set(spine_slowdowns(leaves=3, flows_per_leaf=1, cables=2, draws=9, seed=0)) == {1.0}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_placed_mesh_takes_what_its_messages_take(order: tuple[int, ...]) -> None:
    sides, sizes, net = [2, 4, 3], [8.0, 24.0, 12.0], cluster(6, 4, 8.0, 1.0, ports=2)
    times = placement_times_s(net, sides=sides, sizes_bytes=sizes, order=order)
    placed = [sides[axis] for axis in order]
    for axis, size in enumerate(sizes):
        sent = Counter[tuple[int, int]]()
        schedule = topology.dimension_schedule([sides[axis]], 120 * sides[axis])
        for rank in range(24):
            group = grid_groups(rank, placed)[order.index(axis)]
            for sends in schedule.rounds:
                for send in sends:
                    if group[send.source] == rank:
                        share = send.elements / (120 * sides[axis]) * size
                        sent[rank, group[send.destination]] += share  # type: ignore[assignment]
        assert times[axis] == pytest.approx(bound_s(net, link_loads(net, sent)))


def test_tokens_that_cross_once_cross_no_more_often_than_their_nodes() -> None:
    sizes: dict[str, Any] = {"nodes": 4, "gpus_per_node": 2, "experts": 32, "experts_per_token": 5}
    draw: dict[str, Any] = {"tokens": 200, "token_bytes": 1, "seed": 5}
    net = cluster(4, 2, 1.0, 1.0)
    ported = {}
    for most, once in ((4, False), (4, True), (2, True)):
        loads = link_loads(net, dispatch_bytes(**sizes, **draw, most_nodes=most, once_per_node=once))
        ported[most, once] = sum(load for link, load in loads.items() if link.startswith("port") and "out" in link)
    tokens = 200 * 8
    expected = topology.expected_expert_nodes(nodes=4, experts=32, experts_per_token=5) * 3 / 4
    assert ported[4, True] / tokens == pytest.approx(expected, rel=0.03)
    assert ported[2, True] / tokens <= 2 < ported[4, True] / tokens < ported[4, False] / tokens
    with pytest.raises(ValueError, match="enough on 1 nodes"):
        dispatch_bytes(**(sizes | {"experts_per_token": 9}), **draw, most_nodes=1, once_per_node=True)


def test_published_figures_of_deepseek() -> None:
    """DeepSeek-AI 2024, section 3.2.2: 160 over 50 GB/s, 3.2 experts a node, 13 experts on four nodes."""
    ratio = 160 / 50
    assert ratio == 3.2
    assert round(4 * ratio) == 13


def test_published_node_of_the_catalogue() -> None:
    """published.json, dgx-h100-internode: 400 GB/s a node, 50 a GPU, NVLink 9 times as much."""
    from snippets.hardware import NODES

    node = NODES["DGX H100"]
    assert node.network_bytes_per_s == 400e9
    assert node.network_bytes_per_s_per_accelerator == 50e9
    assert node.accelerator.interconnect is not None
    assert node.accelerator.interconnect.bandwidth_bytes_per_s / node.network_bytes_per_s_per_accelerator == 9
