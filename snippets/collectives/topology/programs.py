"""Simulators: rank programs for clusters and tori on the simulated machine, rings as groups, phases that overlap.

A rank of a grid with sides [s₁, s₂, …] has the number x₁ + s₁·(x₂ + s₂·(…)): ranks that differ by 1 are neighbours
along the first dimension. For a cluster the sides are [GPUs of a node, nodes].
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from snippets.collectives.topology.link_network import (
    SCHEDULES,
    LinkNetwork,
    bound_s,
    fair_rates,
    link_loads,
    schedule_rings,
)
from snippets.domain import (
    as_float,
    at_most,
    each,
    finite_number,
    named,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
    shortened,
)
from snippets.simulation.machine import MOST_RANKS, AllGather, AllReduce, Machine, Program, Receive, ReduceScatter, Send
from snippets.simulation.schedule import chunk_bounds

MOST_FLOWS = 2**16
MOST_EXPERTS = 2**16


def grid_groups(rank: int, sides: Sequence[int]) -> list[list[int]]:
    """Return, for each dimension, the ranks that differ from this one in that coordinate alone.

    Args:
        rank: from 0.
        sides: ranks along each dimension, at most 65,536 in all.

    >>> grid_groups(4, [3, 2])
    [[3, 4, 5], [1, 4]]
    """
    s, rank = _sides(sides), nonnegative_integer("rank", rank)
    if rank >= math.prod(s):
        raise ValueError(f"rank must be from 0 to {math.prod(s) - 1}, got {rank!r}")
    groups, stride = [], 1
    for side in s:
        first = rank - rank // stride % side * stride
        groups.append([first + stride * place for place in range(side)])
        stride *= side
    return groups


def _sides(sides: Sequence[int]) -> tuple[int, ...]:
    s = each("sides", sides, positive_integer)
    if not s:
        raise ValueError("sides must hold one side or more, got none")
    at_most("the product of sides", math.prod(s), MOST_RANKS)
    return s


def _by_dimensions(rank: int, sides: Sequence[int], numbers: Any) -> Program:
    """Reduce-scatter along each dimension, then all-gather along each in the opposite order."""
    groups = grid_groups(rank, sides)
    for group in groups:
        numbers = yield ReduceScatter(numbers, group=group)
    for group in reversed(groups):
        numbers = yield AllGather(numbers, group=group)
    return numbers


def _on_cluster(schedule: str, rank: int, m: int, g: int, numbers: list[Any]) -> Program:
    """Run one of the chapter's all-reduces on one rank; GPU i of node j is j · gpus_per_node + i."""
    if schedule == "hierarchical":
        return (yield from _by_dimensions(rank, [g, m], numbers))
    if schedule == "all_in_the_node_first":
        node, rail = grid_groups(rank, [g, m])
        numbers = yield AllReduce(numbers, group=node)
        return (yield AllReduce(numbers, group=rail))
    orders = [order for order, _ in schedule_rings(schedule, nodes=m, gpus_per_node=g)]
    parts = [numbers[start:stop] for start, stop in chunk_bounds(len(numbers), len(orders))]
    sums = yield [AllReduce(part, group=order) for part, order in zip(parts, orders, strict=True)]
    return [number for part in sums for number in part]


def _vectors(vectors: Sequence[list[Any]], ranks: int) -> tuple[list[Any], ...]:
    brought = each("vectors", vectors, lambda name, vector: list(each(name, vector, _finite)))
    if len(brought) != ranks:
        raise ValueError(f"vectors must be one for each of {ranks} ranks, got {len(brought)}")
    return brought


def _finite(name: str, value: Any) -> Any:
    """Return a number as it is, so that integers stay exact."""
    finite_number(name, value)
    return value


def _summed(machine: Machine, programs: list[Program], brought: Sequence[list[Any]], name: str) -> Machine:
    results = machine.run(programs)
    total = [sum(column) for column in zip(*brought, strict=True)]
    if any(list(result) != total for result in results):
        raise ArithmeticError(f"{name} does not end with the sum on every rank")
    return machine


def run_by_dimensions(sides: Sequence[int], vectors: Sequence[list[Any]]) -> Machine:
    """Return the machine after an all-reduce by dimensions on a grid of ranks; its account says what it cost.

    Args:
        sides: ranks along each dimension, in the order in which they are reduced.
        vectors: what each rank brings, lists of the same length.

    Raises:
        ArithmeticError: if a rank does not end with the sum.

    Source: Cho et al. 2019.
    Convention: as ``Machine``; rings along every dimension.
    Leaves out: overlap of phases.

    >>> run_by_dimensions([2, 2], [[1, 2, 3]] * 4).account.steps
    4
    """
    s = _sides(sides)
    ranks = math.prod(s)
    machine, brought = Machine(ranks), _vectors(vectors, ranks)
    return _summed(machine, [_by_dimensions(rank, s, brought[rank]) for rank in range(ranks)], brought, "the grid")


def run_cluster(schedule: str, *, nodes: int, gpus_per_node: int, vectors: Sequence[list[Any]]) -> Machine:
    """Return the machine after an all-reduce on all ranks of a cluster; its account says what it cost.

    Args:
        schedule: one of ``SCHEDULES``.
        nodes: how many.
        gpus_per_node: GPUs of each.
        vectors: what each rank brings, lists of the same length.

    Raises:
        ArithmeticError: if a rank does not end with the sum.

    >>> run_cluster("hierarchical", nodes=2, gpus_per_node=2, vectors=[[1, 2]] * 4).account.steps
    4
    """
    schedule = named("schedule", schedule, SCHEDULES)
    m, g = positive_integer("nodes", nodes), positive_integer("gpus_per_node", gpus_per_node)
    at_most("nodes * gpus_per_node", m * g, MOST_RANKS)
    machine, brought = Machine(m * g), _vectors(vectors, m * g)
    programs = [_on_cluster(schedule, rank, m, g, brought[rank]) for rank in range(m * g)]
    return _summed(machine, programs, brought, schedule)


def switch_all_reduce(vectors: Sequence[list[Any]], *, per_switch: int) -> Machine:
    """Return the machine after a tree of switches has added: leaves take vectors, one spine the leaves' sums.

    Args:
        vectors: what each rank brings, lists of the same length.
        per_switch: ranks below each leaf switch, a divisor of their number.

    Returns:
        The machine. After the ranks come the leaf switches, and last the spine.

    >>> machine = switch_all_reduce([[1], [2], [3], [4]], per_switch=2)
    >>> machine.account.sent_bytes[:4], machine.account.received_bytes[:4]
    ((8, 8, 8, 8), (8, 8, 8, 8))
    """
    brought = each("vectors", vectors, lambda name, vector: list(each(name, vector, _finite)))
    ranks, below = len(brought), positive_integer("per_switch", per_switch)
    if len(set(map(len, brought))) != 1:
        raise ValueError(f"vectors must be one or more of the same length, got {shortened(vectors)}")
    if ranks % below:
        raise ValueError(f"per_switch must be a divisor of {ranks} ranks, got {per_switch!r}")
    leaves = ranks // below
    spine = ranks + leaves

    def gpu(rank: int) -> Program:
        yield Send(ranks + rank // below, brought[rank])
        return (yield Receive(ranks + rank // below))

    def switch(below_it: Sequence[int], above: int | None) -> Program:
        arrived = yield [Receive(child) for child in below_it]
        total = [sum(column) for column in zip(*arrived, strict=True)]
        if above is not None:
            yield Send(above, total)
            total = yield Receive(above)
        yield [Send(child, total) for child in below_it]
        return total

    machine = Machine(spine + 1)
    tree = [switch(range(leaf * below, (leaf + 1) * below), spine) for leaf in range(leaves)]
    machine.run([*map(gpu, range(ranks)), *tree, switch(range(ranks, spine), None)])
    return machine


def overlapped_time_s(*, inside_s: float, across_s: float, blocks: int) -> float:
    """Return how long a hierarchical all-reduce takes whose blocks overlap: one is inside while another is across.

    Args:
        inside_s: a block's reduce-scatter inside the node, and as long its all-gather, at least 0.
        across_s: its all-reduce across, at least 0.
        blocks: how many blocks follow each other.

    Returns:
        Seconds, when blocks that are farther go first.

    Source: derived in this book.
    Convention: two resources, the links inside and the ports; each serves one block at a time.
    Leaves out: that reduce-scatter and all-gather of two blocks may share the links inside.

    >>> overlapped_time_s(inside_s=2, across_s=5, blocks=1), overlapped_time_s(inside_s=1, across_s=2.5, blocks=2)
    (9.0, 7.0)
    """
    inside, across = nonnegative_number("inside_s", inside_s), nonnegative_number("across_s", across_s)
    blocks = at_most("blocks", positive_integer("blocks", blocks), 2**12)
    waiting, free_inside, free_across = 0, 0.0, 0.0
    gathers: list[float] = []  # when each block is back from its way across, in order
    ends = 0.0
    while waiting < blocks or gathers:
        if gathers and (gathers[0] <= free_inside or waiting == blocks):
            free_inside = ends = max(free_inside, gathers.pop(0)) + inside
        else:
            free_inside += inside
            waiting += 1
            free_across = max(free_across, free_inside) + across
            gathers.append(free_across)
    return as_float("inside_s and across_s", ends)


def spine_slowdowns(*, leaves: int, flows_per_leaf: int, cables: int, draws: int, seed: int) -> list[float]:
    """Return how much the slowest flow is slowed when the flows of each leaf switch choose a cable by chance.

    Args:
        leaves: leaf switches; the flows of each go to the next one, over the spine switch that their cable leads to.
        flows_per_leaf: flows that leave each leaf, each with as much as a cable carries.
        cables: cables up from each leaf, one to each spine switch.
        draws: how often all choose.
        seed: of the draws, at least 0.

    Returns:
        For each draw the largest of one over a flow's fair share.

    Source: derived in this book.
    Convention: max-min fair shares, as in ``fair_rates``.
    Leaves out: switches that choose by load.

    >>> spine_slowdowns(leaves=2, flows_per_leaf=1, cables=4, draws=2, seed=0)
    [1.0, 1.0]
    """
    L, f = positive_integer("leaves", leaves), positive_integer("flows_per_leaf", flows_per_leaf)
    c, draws = positive_integer("cables", cables), positive_integer("draws", draws)
    at_most("leaves * flows_per_leaf * draws", L * f * draws, MOST_FLOWS)
    chance = random.Random(nonnegative_integer("seed", seed))
    found = []
    for _ in range(draws):
        routes = []
        for leaf in range(L):
            for _ in range(f):
                spine = int(chance.random() * c)
                routes.append((f"{leaf} up {spine}", f"{(leaf + 1) % L} down {spine}"))
        rates = fair_rates(routes, {link: 1.0 for route in routes for link in route})
        found.append(1 / min(rates))
    return found


def placement_times_s(
    cluster: LinkNetwork, *, sides: Sequence[int], sizes_bytes: Sequence[float], order: Sequence[int]
) -> list[float]:
    """Return how long the all-reduces of each axis of a mesh take on a cluster, all groups of an axis at once.

    Args:
        cluster: with as many GPUs as the mesh has ranks.
        sides: ranks along each axis of the mesh.
        sizes_bytes: for each axis the vector that every rank all-reduces along it, at least 0.
        order: the axes from the innermost, whose neighbours are neighbouring GPUs, to the outermost; 0 is the first
            axis.

    Returns:
        Seconds for each axis, in the order of ``sides``: the load of the busiest link over its bandwidth.

    Raises:
        ValueError: if the mesh does not fill the cluster, or the order does not name each axis once.

    Source: derived in this book.
    Convention: one ring a group, through its ranks in ascending order.
    Leaves out: latency; other algorithms for axes that lie partly inside nodes.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=10, port_bytes_per_s=1)
    >>> placement_times_s(pair, sides=[2, 2], sizes_bytes=[10, 20], order=[1, 0])
    [10.0, 2.0]
    """
    s = each("sides", sides, positive_integer)
    n = each("sizes_bytes", sizes_bytes, nonnegative_number)
    inner_first = each("order", order, nonnegative_integer)
    if not isinstance(cluster, LinkNetwork):
        raise TypeError(f"cluster must be a LinkNetwork, got {cluster!r}")
    if math.prod(s) != cluster.ranks:
        raise ValueError(f"sides must multiply to {cluster.ranks} ranks, got {sides!r}")
    if len(n) != len(s):
        raise ValueError(f"sizes_bytes must have one entry for each of {len(s)} sides, got {len(n)}")
    if sorted(inner_first) != list(range(len(s))):
        raise ValueError(f"order must name each of {len(s)} axes once, got {order!r}")
    times = [0.0] * len(s)
    for place, axis in enumerate(inner_first):
        sent: Counter[tuple[int, int]] = Counter()
        share = as_float("sizes_bytes", 2 * (s[axis] - 1) / s[axis] * n[axis])
        for rank in range(cluster.ranks):
            group = grid_groups(rank, [s[other] for other in inner_first])[place]
            follower = group[(group.index(rank) + 1) % len(group)]
            if follower != rank:
                sent[rank, follower] += share  # type: ignore[assignment]
        times[axis] = bound_s(cluster, link_loads(cluster, sent))
    return times


def dispatch_bytes(
    *,
    nodes: int,
    gpus_per_node: int,
    experts: int,
    experts_per_token: int,
    most_nodes: int,
    tokens: int,
    token_bytes: float,
    once_per_node: bool,
    seed: int,
) -> Counter[tuple[int, int]]:
    """Return the bytes from each rank to each other when tokens go to the GPUs of their experts.

    Every token draws its nodes with equal chances, as many as are allowed, and its experts among those on them. Sent
    once to a node, it goes to the GPU with its sender's place there, which passes it on inside.

    Args:
        nodes: how many.
        gpus_per_node: GPUs of each.
        experts: spread evenly over the GPUs, at most 65,536.
        experts_per_token: different ones that each token draws.
        most_nodes: on how many nodes they may lie at most.
        tokens: of each GPU.
        token_bytes: of one token, above 0.
        once_per_node: whether a token crosses to a node once, whatever the number of its experts there.
        seed: of the draws, at least 0.

    Source: DeepSeek-AI 2024, section 3.2.2, for the way over the same place; the draws are this book's.
    Convention: several experts of a GPU share one copy.
    Leaves out: that a router prefers some experts, and some nodes.

    >>> sizes = {"nodes": 2, "gpus_per_node": 2, "experts": 4, "experts_per_token": 4, "most_nodes": 2}
    >>> sent = dispatch_bytes(**sizes, tokens=1, token_bytes=1, once_per_node=True, seed=0)
    >>> sent[0, 2], sent[2, 3], sent[0, 3]
    (1.0, 2.0, 0)
    """
    m, g = positive_integer("nodes", nodes), positive_integer("gpus_per_node", gpus_per_node)
    E = at_most("experts", positive_integer("experts", experts), MOST_EXPERTS)
    k = positive_integer("experts_per_token", experts_per_token)
    most = at_most("most_nodes", positive_integer("most_nodes", most_nodes), m)
    at_most("nodes * gpus_per_node * tokens", m * g * positive_integer("tokens", tokens), MOST_FLOWS)
    size, chance = positive_number("token_bytes", token_bytes), random.Random(nonnegative_integer("seed", seed))
    if E % (m * g) or k > most * (E // m):
        raise ValueError(
            f"experts must be a multiple of {m * g} GPUs, enough on {most} nodes for experts_per_token = {k}, "
            f"got {experts!r}"
        )
    if not isinstance(once_per_node, bool):
        raise ValueError(f"once_per_node must be True or False, got {once_per_node!r}")
    each_gpu, each_node = E // (m * g), E // m
    sent: Counter[tuple[int, int]] = Counter()

    def copy(source: int, to: int) -> None:
        if source != to:
            sent[source, to] += size  # type: ignore[assignment]

    for rank in range(m * g):
        for _ in range(int(tokens)):
            allowed = [node * each_node + i for node in chance.sample(range(m), most) for i in range(each_node)]
            homes = sorted({expert // each_gpu for expert in chance.sample(allowed, k)})
            for node in sorted({home // g for home in homes}) if once_per_node else ():
                copy(rank, node * g + rank % g)
            for home in homes:
                copy(home // g * g + rank % g if once_per_node else rank, home)
    as_float("token_bytes", max(sent.values(), default=0))
    return sent
