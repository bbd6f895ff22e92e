"""Simulators: networks as graphs, their thinnest cut by trying all halves, and traffic counted link by link."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

from snippets.domain import at_most, each, integer_fields, nonnegative_integer, positive_integer

MOST_HOSTS = 24  # whose halves are tried one by one


@dataclass(frozen=True)
class NetworkGraph:
    """Hosts, switches, and links between them.

    Attributes:
        hosts: how many; they are the nodes 0 to ``hosts`` − 1.
        switches: how many; they are the nodes after the hosts. At least 0.
        links: pairs of nodes, a pair as often as there are links between the two.

    Raises:
        ValueError: a link leads from a node to itself or to none that there is.

    >>> NetworkGraph(hosts=2, switches=1, links=((0, 2), (1, 2))).nodes
    3
    """

    hosts: int
    switches: int
    links: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        integer_fields(self, "hosts")
        integer_fields(self, "switches", minimum=0)
        below = f"two different nodes below hosts + switches = {self.nodes}"
        for link in each("links", self.links, lambda name, link: each(name, link, nonnegative_integer)):
            if len(link) != 2 or link[0] == link[1] or max(link) >= self.nodes:
                raise ValueError(f"links must be pairs of {below}, got {link!r}")

    @property
    def nodes(self) -> int:
        """All hosts and switches.

        >>> leaf_spine(leaves=2, hosts_per_leaf=2, spines=1, cables=1).nodes
        7
        """
        return self.hosts + self.switches

    @cached_property
    def capacity(self) -> dict[int, Counter[int]]:
        """For each node, how many links lead to each neighbour.

        >>> torus([3]).capacity[0]
        Counter({1: 1, 2: 1})
        """
        neighbours: dict[int, Counter[int]] = {node: Counter() for node in range(self.nodes)}
        for one, other in self.links:
            neighbours[one][other] += 1
            neighbours[other][one] += 1
        return neighbours


def leaf_spine(*, leaves: int, hosts_per_leaf: int, spines: int, cables: int) -> NetworkGraph:
    """Return a two-level fat tree: every leaf switch joined to every spine switch.

    Args:
        leaves: leaf switches; the hosts of leaf 0 come first.
        hosts_per_leaf: hosts below each.
        spines: spine switches.
        cables: links between each leaf and each spine.

    >>> len(leaf_spine(leaves=4, hosts_per_leaf=2, spines=2, cables=1).links)
    16
    """
    leaves, below = positive_integer("leaves", leaves), positive_integer("hosts_per_leaf", hosts_per_leaf)
    spines, cables = positive_integer("spines", spines), positive_integer("cables", cables)
    hosts = at_most("leaves * hosts_per_leaf", leaves * below)
    at_most("leaves * spines * cables", leaves * spines * cables)
    down = [(host, hosts + host // below) for host in range(hosts)]
    up = [(hosts + leaf, hosts + leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    return NetworkGraph(hosts, leaves + spines, tuple(down + up * cables))


def k_ary_fat_tree(*, ports: int) -> NetworkGraph:
    """Return the three-level fat tree of equal switches with an even number of ports.

    Args:
        ports: of each switch, k. There are k pods of k/2 lower and k/2 upper switches, and (k/2)² core switches.

    Raises:
        ValueError: the number of ports is odd.

    >>> k_ary_fat_tree(ports=4).hosts, k_ary_fat_tree(ports=4).switches
    (16, 20)
    """
    k = at_most("ports", positive_integer("ports", ports), 32)
    if k % 2:
        raise ValueError(f"ports must be an even number, got {ports!r}")
    half, hosts = k // 2, k**3 // 4
    lower, upper, core = hosts, hosts + k * half, hosts + 2 * k * half
    links = [(host, lower + host // half) for host in range(hosts)]
    for pod, one, other in product(range(k), range(half), range(half)):
        links.append((lower + pod * half + one, upper + pod * half + other))
        links.append((upper + pod * half + one, core + one * half + other))
    return NetworkGraph(hosts, 2 * k * half + half**2, tuple(links))


def torus(sides: Sequence[int]) -> NetworkGraph:
    """Return a torus: hosts on a grid, every line of them closed to a ring.

    Args:
        sides: hosts along each dimension; along a side of 2, two links join the two hosts, along one of 1 none.

    >>> torus([2, 3]).hosts, len(torus([2, 3]).links)
    (6, 12)
    """
    lengths = each("sides", sides, positive_integer)
    if not lengths:
        raise ValueError("sides must hold one side or more, got none")
    places: list[tuple[int, ...]] = [()]
    for length in lengths:
        at_most("sides", len(places) * length)
        places = [(*place, step) for place in places for step in range(length)]
    number = {place: index for index, place in enumerate(places)}
    links = [
        (number[place], number[(*place[:axis], (place[axis] + 1) % length, *place[axis + 1 :])])
        for place in places
        for axis, length in enumerate(lengths)
        if length > 1
    ]
    return NetworkGraph(len(places), 0, tuple(links))


def dragonfly(*, groups: int, routers: int, hosts_per_router: int) -> NetworkGraph:
    """Return a dragonfly: in each group every router is joined to every other, and every two groups by one link.

    Args:
        groups: how many groups.
        routers: routers of a group; the links to other groups are dealt to them in turn.
        hosts_per_router: hosts below each router.

    >>> dragonfly(groups=3, routers=2, hosts_per_router=1).hosts
    6
    """
    g, a = positive_integer("groups", groups), positive_integer("routers", routers)
    below = positive_integer("hosts_per_router", hosts_per_router)
    hosts = at_most("groups * routers * hosts_per_router", g * a * below)
    links = [(host, hosts + host // below) for host in range(hosts)]
    links += [
        (hosts + group * a + i, hosts + group * a + j) for group in range(g) for i, j in combinations(range(a), 2)
    ]
    used = [0] * g
    for one, other in combinations(range(g), 2):
        ends = [hosts + group * a + used[group] % a for group in (one, other)]
        used[one], used[other] = used[one] + 1, used[other] + 1
        links.append((ends[0], ends[1]))
    return NetworkGraph(hosts, g * a, tuple(links))


def _graph(network: NetworkGraph) -> NetworkGraph:
    if not isinstance(network, NetworkGraph):
        raise TypeError(f"network must be a NetworkGraph, got {network!r}")
    return network


def cut_links(network: NetworkGraph, half: Sequence[int]) -> int:
    """Return the fewest links that part some hosts from all others, wherever the switches stand.

    It is the largest flow from the one to the others, found by paths that still have room.

    Args:
        network: the graph.
        half: the hosts of the one side.

    >>> cut_links(leaf_spine(leaves=2, hosts_per_leaf=2, spines=1, cables=1), [0, 1])
    1
    """
    network = _graph(network)
    inside = set(each("half", half, nonnegative_integer))
    if not inside or max(inside) >= network.hosts or len(inside) == network.hosts:
        raise ValueError(f"half must hold some hosts below {network.hosts}, but not all, got {half!r}")
    room = {node: dict(ways) for node, ways in network.capacity.items()}
    flow = 0
    while True:
        came: dict[int, int] = {host: host for host in inside}
        waiting, end = deque(inside), -1
        while waiting and end < 0:
            node = waiting.popleft()
            for other, free in room[node].items():
                if free and other not in came:
                    came[other] = node
                    if other < network.hosts:
                        end = other
                        break
                    waiting.append(other)
        if end < 0:
            return flow
        while came[end] != end:  # one unit more along the path, and room to take it back
            room[came[end]][end] -= 1
            room[end][came[end]] = room[end].get(came[end], 0) + 1
            end = came[end]
        flow += 1


def halves(network: NetworkGraph) -> Iterator[tuple[int, ...]]:
    """Yield the halves of the hosts; of halves that differ by hosts of the same switch alone, one.

    Args:
        network: the graph; of an odd number of hosts the half is the smaller one.

    Yields:
        The hosts of one half.

    >>> len(list(halves(torus([4])))), len(list(halves(leaf_spine(leaves=2, hosts_per_leaf=2, spines=1, cables=1))))
    (6, 3)
    """
    network = _graph(network)
    alike: dict[object, list[int]] = {}
    for host in range(network.hosts):
        ways = network.capacity[host]
        at_switch = all(other >= network.hosts for other in ways)
        alike.setdefault(tuple(sorted(ways.items())) if at_switch else host, []).append(host)
    groups = list(alike.values())
    at_most("network", len(groups), MOST_HOSTS)
    wanted = network.hosts // 2

    def chosen(first: int, left: int) -> Iterator[tuple[int, ...]]:
        if left == 0 or first == len(groups):
            if left == 0:
                yield ()
            return
        for count in range(min(left, len(groups[first])) + 1):
            for rest in chosen(first + 1, left - count):
                yield (*groups[first][:count], *rest)

    return chosen(0, wanted)


def minimum_bisection_links(network: NetworkGraph) -> tuple[int, tuple[int, ...]]:
    """Try all halves of the hosts, and return the fewest links that part one from the other, and that half.

    Args:
        network: the graph, of at most 24 hosts that differ.

    Returns:
        Links, each counted once (one direction of each carries traffic one way), and the hosts of the half.

    >>> minimum_bisection_links(torus([4]))
    (2, (0, 1))
    """
    if _graph(network).switches:
        return min((cut_links(network, half), half) for half in halves(network))
    near = [0] * network.nodes  # as bits, so that a cut without switches is a few operations
    twice = [0] * network.nodes
    for one, ways in network.capacity.items():
        for other, count in ways.items():
            near[one] |= 1 << other
            twice[one] |= (count > 1) << other

    def crossing(half: tuple[int, ...]) -> int:
        outside = ~sum(1 << host for host in half)
        return sum((near[host] & outside).bit_count() + (twice[host] & outside).bit_count() for host in half)

    return min((crossing(half), half) for half in halves(network))


def exchange_bytes(*, leaves: int, hosts_per_leaf: int, spines: int, cables: int, size_bytes: int) -> Counter[str]:
    """Send bytes from each host of the first half of the leaves to its partner in the second, and count every link.

    Args:
        leaves: an even number.
        hosts_per_leaf: hosts below each leaf.
        spines: spine switches; a leaf's hosts take its uplinks in turn.
        cables: links between each leaf and each spine.
        size_bytes: what a host sends, at least 0.

    Returns:
        The bytes on each link in the direction of the traffic, by the link's name.

    Raises:
        ValueError: the number of leaves is odd.

    >>> max(exchange_bytes(leaves=2, hosts_per_leaf=4, spines=1, cables=1, size_bytes=10).values())
    40
    """
    network = leaf_spine(leaves=leaves, hosts_per_leaf=hosts_per_leaf, spines=spines, cables=cables)
    size = nonnegative_integer("size_bytes", size_bytes)
    leaves, below = int(leaves), int(hosts_per_leaf)
    cables_up = int(spines) * int(cables)
    if leaves % 2:
        raise ValueError(f"leaves must be an even number, got {leaves!r}")
    carried: Counter[str] = Counter()
    for host in range(network.hosts // 2):
        uplink = host % below % cables_up
        partner = host + network.hosts // 2
        route = (
            f"host {host} up",
            f"leaf {host // below} up {uplink}",
            f"leaf {partner // below} down {uplink}",
            f"host {partner} down",
        )
        for link in route:
            carried[link] += size
    return carried
