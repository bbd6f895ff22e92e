"""Exercise: which axis of a mesh lies inside the nodes of a cluster, and which across."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise, permutations
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.topology.link_network import LinkNetwork
from snippets.collectives.topology.programs import placement_times_s

ORDER, TIME = "order", "time of all axes together"
ONCE = "each axis once"


def place_mesh(
    *,
    nodes: int,
    gpus_per_node: int,
    ports_per_node: int,
    node_bytes_per_s: float,
    port_bytes_per_s: float,
    sides: list[int],
    sizes_bytes: list[float],
) -> list[int]:
    """Order the axes of a mesh so that their all-reduces take least together.

    GPU i of node j is GPU number j · gpus_per_node + i. Ranks that are
    neighbours along the innermost axis get neighbouring numbers; along the next
    axis they differ by the innermost side, and so on. Along each axis all
    groups all-reduce at the same time, each by one ring in ascending order and
    from the last back to the first; one axis follows the other. A rank of a
    ring of R sends 2(R − 1)/R of its vector to the next one.

    A message inside a node leaves by the GPU's link and arrives by the
    other's; between nodes it leaves by the port of its GPU and arrives by the
    other's. If there are fewer ports than GPUs, GPU i of a node uses its port
    i · ports_per_node // gpus_per_node. An axis takes as long as its busiest
    link, in one direction, needs for its bytes. Latency does not count.

    Args:
        nodes: how many.
        gpus_per_node: GPUs of each.
        ports_per_node: network ports of each, a divisor of the GPUs.
        node_bytes_per_s: a GPU's link inside its node, one direction.
        port_bytes_per_s: one port, one direction; slower than the link.
        sides: ranks along each axis, at least 2; their product is the number of
            GPUs.
        sizes_bytes: for each axis the vector that is all-reduced along it.

    Returns:
        The axes, 0 for the first of ``sides``, from the innermost to the
        outermost. Of several orders that take least, any.

    >>> place_mesh(
    ...     nodes=2, gpus_per_node=2, ports_per_node=2, node_bytes_per_s=9,
    ...     port_bytes_per_s=1, sides=[2, 2], sizes_bytes=[4, 6],
    ... )
    [1, 0]
    """
    found = []
    for order in permutations(range(len(sides))):
        total, stride = 0.0, 1
        for axis in order:
            side, inside = sides[axis], 0
            ports: Counter[tuple[str, int, int]] = Counter()
            for rank in range(nodes * gpus_per_node):
                place = rank // stride % side
                to = rank + ((place + 1) % side - place) * stride
                if to // gpus_per_node == rank // gpus_per_node:
                    inside = 1
                else:
                    for way, end in (("out", rank), ("in", to)):
                        node, gpu = divmod(end, gpus_per_node)
                        ports[way, node, gpu * ports_per_node // gpus_per_node] += 1
            busiest = max(inside / node_bytes_per_s, max(ports.values(), default=0) / port_bytes_per_s)
            total += 2 * (side - 1) / side * sizes_bytes[axis] * busiest
            stride *= side
        found.append((total, list(order)))
    return min(found)[1]


@cache
def axis_times(key: tuple[Any, ...], order: tuple[int, ...]) -> list[float]:
    """Return what each axis takes in an order, on the book's links."""
    nodes, gpus, ports, inside, port, sides, sizes = key
    cluster = LinkNetwork(nodes, gpus, node_bytes_per_s=inside, port_bytes_per_s=port, ports_per_node=ports)
    return placement_times_s(cluster, sides=sides, sizes_bytes=sizes, order=order)


def times(key: tuple[Any, ...], order: tuple[int, ...]) -> float:
    return sum(axis_times(key, order))


def key_of(**given: Any) -> tuple[Any, ...]:
    names = ("nodes", "gpus_per_node", "ports_per_node", "node_bytes_per_s", "port_bytes_per_s", "sides", "sizes_bytes")
    return tuple(tuple(given[name]) if isinstance(given[name], list) else given[name] for name in names)


@cache
def least(key: tuple[Any, ...]) -> float:
    return min(times(key, order) for order in permutations(range(len(key[5]))))


def said(time: float) -> str:
    return f"{time:.6g} s"


def wanted(**given: Any) -> Observation:
    return {ORDER: ONCE, TIME: f"{said(least(key_of(**given)))}, the least"}


def observe(function: Callable[..., Any], **given: Any) -> Observation:
    """Run the mesh where it was placed."""
    order, key = function(**given), key_of(**given)
    if sorted(order) != list(range(len(given["sides"]))):
        return {ORDER: f"{order}, which is not {ONCE}: their numbers are 0 to {len(given['sides']) - 1}"}
    time, best = times(key, tuple(order)), least(key)
    if time <= best * (1 + 1e-9):
        return wanted(**given)
    each = ", ".join(f"axis {axis} {said(one)}" for axis, one in enumerate(axis_times(key, tuple(order))))
    return {ORDER: ONCE, TIME: f"{said(time)} with the order {order} ({each})"}


def mesh(nodes: int, gpus: int, ports: int, sides: list[int], sizes: list[float], inside: float = 9.0) -> Inputs:
    return {
        "nodes": nodes,
        "gpus_per_node": gpus,
        "ports_per_node": ports,
        "node_bytes_per_s": inside,
        "port_bytes_per_s": 1.0,
        "sides": sides,
        "sizes_bytes": sizes,
    }


def most_bytes_first(*, sizes_bytes: list[float], **_: Any) -> list[int]:
    return sorted(range(len(sizes_bytes)), key=lambda axis: -sizes_bytes[axis])


def fits_first(*, gpus_per_node: int, sides: list[int], sizes_bytes: list[float], **_: Any) -> list[int]:
    """Put the axes that fit into a node inside, those with the most bytes first."""
    return sorted(range(len(sides)), key=lambda axis: (gpus_per_node % sides[axis] != 0, -sizes_bytes[axis]))


def by_rule(
    slip: Callable[[Inputs], Inputs] = lambda given: given,
    allowed: Callable[[tuple[int, ...]], bool] = lambda order: True,
    backwards: bool = False,
) -> Callable[..., bool]:
    """Return whether an order takes least of those allowed on a cluster that is changed by a slip."""

    def accepts(order: list[int], **given: Any) -> bool:
        key, axes = key_of(**{**given, **slip(given)}), range(len(given["sides"]))
        least_s = min(times(key, one) for one in permutations(axes) if allowed(one))
        read = tuple(reversed(order) if backwards else order)
        return allowed(read) and times(key, read) <= least_s * (1 + 1e-9)

    return accepts


def bytes_descend(order: list[int], *, sizes_bytes: list[float], **_: Any) -> bool:
    return all(sizes_bytes[axis] >= sizes_bytes[later] for axis, later in pairwise(order))


def what_fits_comes_first(order: list[int], *, gpus_per_node: int, sides: list[int], **given: Any) -> bool:
    crossing = [gpus_per_node % sides[axis] != 0 for axis in order]
    inside, across = (order[: crossing.count(False)], order[crossing.count(False) :])
    return crossing == sorted(crossing) and bytes_descend(inside, **given) and bytes_descend(across, **given)


def is_rotation(order: tuple[int, ...]) -> bool:
    return all((later - axis) % len(order) == 1 % len(order) for axis, later in pairwise(order))


def without_the_factor(given: Inputs) -> Inputs:
    """Return sizes of which a ring sends as much as the vectors have."""
    pairs = zip(given["sides"], given["sizes_bytes"], strict=True)
    return {"sizes_bytes": [size * side / (2 * (side - 1)) for side, size in pairs]}


def best_rotation(**given: Any) -> list[int]:
    axes = list(range(len(given["sides"])))
    rotations = [axes[first:] + axes[:first] for first in axes]
    return min(rotations, key=lambda order: times(key_of(**given), tuple(order)))


def drawn(chance: Random) -> list[Inputs]:
    """Return clusters of up to 16 GPUs, with meshes of two or three axes."""
    found = []
    for _ in range(40):
        nodes, gpus, sides = chance.choice(
            (
                (4, 2, [2, 4]),
                (2, 4, [2, 2, 2]),
                (4, 4, [4, 2, 2]),
                (2, 8, [2, 4, 2]),
                (2, 6, [2, 3, 2]),
                (3, 4, [2, 6]),
                (6, 2, [2, 2, 3]),
            )
        )
        ports = chance.choice([count for count in range(1, gpus + 1) if gpus % count == 0])
        sizes = [float(chance.randint(1, 30)) for _ in sides]
        found.append(mesh(nodes, gpus, ports, chance.sample(sides, len(sides)), sizes, chance.randint(3, 18) / 2))
    return found


def inverse(order: list[int]) -> list[int]:
    return [order.index(axis) for axis in range(len(order))]


def taught() -> str:
    own = mesh(4, 4, 4, [2, 8], [12.0, 30.0])
    best, most = place_mesh(**own), most_bytes_first(**own)
    seconds, longer = (times(key_of(**own), tuple(order)) for order in (best, most))
    return (
        f"On 4 nodes of 4 GPUs the axis of {own['sides'][most[0]]} has most bytes and is longer than a node. With it "
        f"innermost both take {longer:.3g} s, with the axis of {own['sides'][best[0]]} innermost {seconds:.3g} s. What "
        "crosses nodes wherever it lies should not take the place inside from what fits."
    )


EXERCISE = Exercise(
    place_mesh,
    number=4,
    level="hard",
    asked="an order of the axes in which all their all-reduces together take least",
    expected=wanted,
    observe=observe,
    examples=[
        mesh(2, 2, 2, [2, 2], [4.0, 6.0]),
        mesh(4, 2, 2, [4, 2], [10.0, 6.0]),
        mesh(4, 4, 4, [2, 8], [12.0, 30.0]),
        mesh(4, 4, 1, [4, 4], [5.0, 4.0]),
        mesh(2, 8, 2, [2, 4, 2], [9.0, 6.0, 7.0]),
        mesh(3, 4, 2, [3, 2, 2], [9.0, 2.0, 3.0]),
        mesh(2, 3, 1, [3, 2], [16.0, 21.0], 1.5),
        mesh(4, 3, 1, [2, 3, 2], [2.0, 22.0, 29.0], 1.5),
        mesh(3, 8, 1, [6, 2, 2], [24.0, 24.0, 20.0], 3.0),
        {**mesh(4, 8, 8, [4, 2, 4], [2.0e9, 12.0e9, 3.0e9], 450e9), "port_bytes_per_s": 50e9},
    ],
    inputs=[
        mesh(nodes, gpus, ports, sides, sizes, inside)
        for nodes, gpus, sides in (
            (4, 2, [2, 4]),
            (2, 4, [2, 2, 2]),
            (4, 4, [4, 2, 2]),
            (4, 4, [8, 2]),
            (2, 6, [2, 3, 2]),
            (3, 4, [2, 6]),
            (2, 8, [4, 4]),
        )
        for ports, sizes, inside in (
            (gpus, [20.0, 11.0, 13.0][: len(sides)], 9.0),
            (1, [3.0, 7.0, 5.0][: len(sides)], 4.0),
            (gpus // 2, [1.0, 30.0, 2.0][: len(sides)], 2.0),
            (gpus, [20.0, 12.0, 3.0][: len(sides)], 9.0),
            (gpus, [14.0, 5.0, 21.0][: len(sides)], 3.0),
        )
    ]
    + [
        mesh(4, 3, 1, [3, 2, 2], [22.0, 27.0, 8.0], 4.0),
        mesh(2, 3, 1, [2, 3], [20.0, 11.0], 1.5),
        mesh(2, 8, 2, [2, 8], [16.0, 15.0], 4.0),
        mesh(2, 8, 8, [4, 4], [5.0, 20.0], 1.5),
        mesh(4, 2, 1, [2, 4], [20.0, 16.0], 1.1),
        mesh(3, 8, 1, [2, 3, 2, 2], [12.0, 28.0, 26.0, 28.0], 2.0),
        mesh(4, 4, 1, [2, 2, 2, 2], [24.0, 1.0, 26.0, 7.0], 4.0),
        mesh(5, 2, 1, [5, 2], [27.0, 9.0], 3.0),
        mesh(5, 6, 3, [2, 15], [5.0, 27.0], 3.0),
        {**mesh(4, 4, 2, [8, 2], [6.0, 19.0], 0.75), "port_bytes_per_s": 0.25},
        {**mesh(3, 2, 2, [2, 3], [16.0, 7.0], 0.75), "port_bytes_per_s": 0.25},
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "puts_the_most_bytes_inside",
            "The axis with the most bytes need not fit: along an axis that is longer than a node some messages cross "
            "by a port, and its ring waits for them. Then another axis gains more inside.",
            most_bytes_first,
            accepts=bytes_descend,
        ),
        Mistake(
            "turns_the_order_round",
            "This is the order from the outermost to the innermost.",
            lambda **given: place_mesh(**given)[::-1],
            accepts=by_rule(backwards=True),
        ),
        Mistake(
            "gives_each_gpu_a_port",
            "GPUs that share a port share its bandwidth: an axis that crosses from every GPU loads it more than one "
            "that crosses from the last.",
            lambda **given: place_mesh(**{**given, "ports_per_node": given["gpus_per_node"]}),
            accepts=by_rule(lambda given: {"ports_per_node": given["gpus_per_node"]}),
        ),
        Mistake(
            "counts_the_ports_alone",
            "The links inside take time too: for an axis that stays inside, all of it.",
            {"inside / node_bytes_per_s": "0"},
            accepts=by_rule(lambda given: {"node_bytes_per_s": 1e30}),
        ),
        Mistake(
            "asks_only_what_fits",
            "Whether an axis fits into a node is not all: one that crosses from several GPUs of a port takes that many "
            "times as long, and an outer axis may still lie partly inside.",
            fits_first,
            accepts=what_fits_comes_first,
        ),
        Mistake(
            "tries_rotations_alone",
            "These are only the orders that begin at another axis and go round. There are more.",
            best_rotation,
            accepts=by_rule(allowed=is_rotation),
        ),
        Mistake(
            "counts_the_vector",
            "A rank of a ring of s sends 2(s − 1)/s of the vector: for 2 that is all of it, for many nearly twice.",
            {"2 * (side - 1) / side * sizes_bytes[axis]": "sizes_bytes[axis]"},
            accepts=by_rule(without_the_factor),
        ),
        Mistake(
            "forgets_the_way_back",
            "A ring also leads from its last rank back to its first, and this hop loads links too.",
            {"to = rank + ((place + 1) % side - place) * stride": "to = rank + stride if place + 1 < side else rank"},
        ),
        Mistake(
            "counts_hops_that_stay_inside",
            "Of an axis that leaves a node some hops may still stay inside, and these load no port.",
            {"if to // gpus_per_node == rank // gpus_per_node:": "if gpus_per_node % (side * stride) == 0:"},
        ),
        Mistake(
            "takes_the_longest_axis_alone",
            "One axis follows the other, so their times add up: the longest alone does not say which order is best.",
            {
                "total += 2 * (side - 1) / side * sizes_bytes[axis] * busiest": "total = max(total, "
                "2 * (side - 1) / side * sizes_bytes[axis] * busiest)"
            },
        ),
        Mistake(
            "says_where_each_axis_lies",
            "This has for each axis its place. Asked is for each place its axis, from the innermost on.",
            lambda **given: inverse(place_mesh(**given)),
            accepts=lambda order, **given: by_rule()(inverse(order), **given),
        ),
        Mistake(
            "is_always_the_first_example",
            "This is right for one input only: it looks neither at the mesh nor at the cluster.",
            lambda **_: [1, 0],
        ),
    ],
)
