"""Simulators: a cluster as links with bandwidths: which messages cross which, how they share them, how long it takes.

It needs the standard library alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from snippets.domain import (
    as_float,
    at_most,
    each,
    integer_fields,
    named,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.simulation.account import Message

Route = tuple[str, ...]

SCHEDULES = ("one_ring", "dealt_ring", "many_rings", "hierarchical", "all_in_the_node_first")
"""All-reduces on a cluster, each a set of rings that carry parts of the vector."""


@dataclass(frozen=True)
class LinkNetwork:
    """Nodes of equal GPUs. GPU i of node j is rank j · gpus_per_node + i.

    Inside a node every GPU has one link to a switch that joins them; outside, each node has ports to a network that
    carries whatever the ports send. A link is named by its owner and its direction: ``"gpu 3 out"``, ``"port 3 in"``.

    Attributes:
        nodes: how many.
        gpus_per_node: GPUs of each.
        node_bytes_per_s: a GPU's link inside its node, one direction, above 0.
        port_bytes_per_s: one network port, one direction, above 0.
        ports_per_node: ports of each node, at most one for each GPU; 0 stands for one for each.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> pair.route(0, 1), pair.route(1, 2)
    (('gpu 0 out', 'gpu 1 in'), ('port 1 out', 'port 2 in'))
    """

    nodes: int
    gpus_per_node: int
    node_bytes_per_s: float
    port_bytes_per_s: float
    ports_per_node: int = 0

    def __post_init__(self) -> None:
        integer_fields(self, "nodes", "gpus_per_node")
        integer_fields(self, "ports_per_node", minimum=0)
        at_most("nodes * gpus_per_node", self.ranks, 2**16)
        at_most("ports_per_node", self.ports_per_node, self.gpus_per_node)
        for name in ("node_bytes_per_s", "port_bytes_per_s"):
            object.__setattr__(self, name, positive_number(name, getattr(self, name)))

    @property
    def ranks(self) -> int:
        """All GPUs.

        >>> LinkNetwork(nodes=2, gpus_per_node=3, node_bytes_per_s=9, port_bytes_per_s=1).ranks
        6
        """
        return self.nodes * self.gpus_per_node

    @property
    def ports(self) -> int:
        """Ports of a node.

        >>> LinkNetwork(nodes=2, gpus_per_node=3, node_bytes_per_s=9, port_bytes_per_s=1).ports
        3
        """
        return self.ports_per_node or self.gpus_per_node

    @cached_property
    def bandwidths(self) -> dict[str, float]:
        """Every link's bandwidth.

        >>> links = {"node_bytes_per_s": 9, "port_bytes_per_s": 1, "ports_per_node": 1}
        >>> len(LinkNetwork(nodes=2, gpus_per_node=2, **links).bandwidths)
        12
        """
        links: dict[str, float] = {}
        for way in ("out", "in"):
            links |= {f"gpu {rank} {way}": self.node_bytes_per_s for rank in range(self.ranks)}
            links |= {f"port {port} {way}": self.port_bytes_per_s for port in range(self.nodes * self.ports)}
        return links

    def port_of(self, rank: int) -> int:
        """Return the port that a rank, from 0, uses: its own, or one that it shares with its neighbours.

        >>> shared = LinkNetwork(nodes=2, gpus_per_node=4, node_bytes_per_s=9, port_bytes_per_s=1, ports_per_node=2)
        >>> [shared.port_of(rank) for rank in range(8)]
        [0, 0, 1, 1, 2, 2, 3, 3]
        """
        rank = self._known("rank", rank)
        node, gpu = divmod(rank, self.gpus_per_node)
        return node * self.ports + gpu * self.ports // self.gpus_per_node

    def route(self, source: int, destination: int) -> Route:
        """Return the links that a message crosses; ranks are counted from 0."""
        source, destination = self._known("source", source), self._known("destination", destination)
        if source == destination:
            return ()
        if source // self.gpus_per_node == destination // self.gpus_per_node:
            return (f"gpu {source} out", f"gpu {destination} in")
        return (f"port {self.port_of(source)} out", f"port {self.port_of(destination)} in")

    def _known(self, name: str, rank: int) -> int:
        if nonnegative_integer(name, rank) >= self.ranks:
            raise ValueError(f"{name} must be a rank from 0 to {self.ranks - 1}, got {rank!r}")
        return int(rank)


def link_loads(cluster: LinkNetwork, sent: Mapping[tuple[int, int], float]) -> Counter[str]:
    """Return the bytes on every link.

    Args:
        cluster: the links.
        sent: bytes from one rank to another, at least 0, as ``Account.link_bytes`` has them.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> link_loads(pair, {(0, 1): 5, (1, 2): 7})["port 1 out"]
    7.0
    """
    _clustered(cluster)
    if not isinstance(sent, Mapping):
        raise ValueError(f"sent must be a mapping from pairs of ranks to bytes, got {sent!r}")
    loads: Counter[str] = Counter()
    for (source, destination), size in sent.items():
        for link in cluster.route(source, destination):
            loads[link] += nonnegative_number("sent", size)  # type: ignore[assignment]
    return loads


def schedule_rings(schedule: str, *, nodes: int, gpus_per_node: int) -> list[tuple[list[int], float]]:
    """Return the rings of a schedule: for each its ranks in order, and the share of the vector that it all-reduces.

    Args:
        schedule: ``"one_ring"``: node after node; ``"dealt_ring"``: the next rank is always on the next node;
            ``"many_rings"``: one for each GPU of a node, which leaves every node from another GPU; ``"hierarchical"``:
            a ring in each node for all of the vector, and for each GPU's part a ring across;
            ``"all_in_the_node_first"``: the same, but all of the vector goes across in each ring.
        nodes: how many.
        gpus_per_node: GPUs of each.

    >>> schedule_rings("many_rings", nodes=2, gpus_per_node=2)
    [([1, 0, 3, 2], 0.5), ([0, 1, 2, 3], 0.5)]
    """
    schedule = named("schedule", schedule, SCHEDULES)
    m, g = positive_integer("nodes", nodes), positive_integer("gpus_per_node", gpus_per_node)
    at_most("nodes * gpus_per_node", m * g, 2**12)
    if schedule == "dealt_ring":
        return [([node * g + gpu for gpu in range(g) for node in range(m)], 1.0)]
    if schedule in ("one_ring", "many_rings"):
        last = range(g) if schedule == "many_rings" else [g - 1]
        orders = [[node * g + (end + 1 + step) % g for node in range(m) for step in range(g)] for end in last]
        return [(order, 1 / len(last)) for order in orders]
    inside = [([node * g + gpu for gpu in range(g)], 1.0) for node in range(m)]
    across = [[node * g + gpu for node in range(m)] for gpu in range(g)]
    return inside + [(rail, 1 / g if schedule == "hierarchical" else 1.0) for rail in across]


def schedule_loads(cluster: LinkNetwork, schedule: str, *, size_bytes: float, first_nodes: int = 0) -> Counter[str]:
    """Return the bytes that an all-reduce of the vector puts on every link.

    Args:
        cluster: the links.
        schedule: one of ``SCHEDULES``.
        size_bytes: n, at least 0.
        first_nodes: count the links of so many nodes alone; 0 counts all.

    Source: derived in this book; ``run_messages`` finds the same from messages.
    Convention: even chunks.
    Leaves out: chunks of different length.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> loads = schedule_loads(pair, "one_ring", size_bytes=4)
    >>> loads["gpu 0 out"], loads["port 1 out"], loads["port 0 out"]
    (6.0, 6.0, 0)
    """
    g, n = _clustered(cluster).gpus_per_node, nonnegative_number("size_bytes", size_bytes)
    shown = (nonnegative_integer("first_nodes", first_nodes) or cluster.nodes) * g
    loads: Counter[str] = Counter()
    for order, share in schedule_rings(schedule, nodes=cluster.nodes, gpus_per_node=g):
        if len(order) == 1:
            continue
        load = 2 * (len(order) - 1) / len(order) * share * n
        for source, destination in zip(order, order[1:] + order[:1], strict=True):
            if source < shown or destination < shown:
                for link in cluster.route(source, destination):
                    loads[link] += load  # type: ignore[assignment]
    as_float("size_bytes", max(loads.values(), default=0))
    return loads


def bound_s(cluster: LinkNetwork, loads: Mapping[str, float]) -> float:
    """Return the largest load over bandwidth: no schedule with these loads is faster.

    Args:
        cluster: the links.
        loads: bytes by the names of links, at least 0.

    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> bound_s(pair, {"gpu 0 out": 18, "port 1 out": 7})
    7.0
    """
    bandwidths = _clustered(cluster).bandwidths
    if not isinstance(loads, Mapping) or not loads.keys() <= bandwidths.keys():
        raise ValueError(f"loads must be bytes by the names of links, such as 'port 0 out', got {loads!r}")
    return max((nonnegative_number("loads", load) / bandwidths[link] for link, load in loads.items()), default=0.0)


def fair_rates(routes: Sequence[Route], bandwidths: Mapping[str, float]) -> list[float]:
    """Return what each flow gets when all share their links in the max-min fair way.

    All rates rise together from 0. When a link is full, the flows that cross it stop there; the others go on.

    Args:
        routes: for each flow the links that it crosses, one or more.
        bandwidths: every link's bandwidth, above 0.

    Returns:
        A rate for each flow: none can be raised without lowering one that is not higher.

    Source: Bertsekas and Gallager 1992, section 6.5.2.
    Convention: one direction a link.
    Leaves out: how long a network takes to get there.

    >>> fair_rates([("a",), ("a", "b"), ("b",)], {"a": 10, "b": 4})
    [8.0, 2.0, 2.0]
    """
    flows = each("routes", routes, _route)
    rates = {link: positive_number("bandwidths", rate) for link, rate in _mapping(bandwidths).items()}
    if missing := {link for route in flows for link in route} - rates.keys():
        raise ValueError(f"bandwidths must have every link of routes, got none for {min(missing)!r}")
    crossing: defaultdict[str, set[int]] = defaultdict(set)
    for flow, route in enumerate(flows):
        for link in route:
            crossing[link].add(flow)
    found = [0.0] * len(flows)
    room = {link: rates[link] for link in crossing}
    while crossing:
        narrow = min(crossing, key=lambda link: room[link] / len(crossing[link]))
        share = room[narrow] / len(crossing[narrow])
        for flow in sorted(crossing[narrow]):
            found[flow] = share
            for link in set(flows[flow]):
                room[link] = max(0.0, room[link] - share)
                crossing[link].discard(flow)
        crossing = defaultdict(set, {link: users for link, users in crossing.items() if users})
    return found


def finish_times_s(
    sizes_bytes: Sequence[float], routes: Sequence[Route], bandwidths: Mapping[str, float]
) -> list[float]:
    """Return when each of some flows ends that begin together; whenever one ends, the others share anew.

    Args:
        sizes_bytes: for each flow what it carries, at least 0.
        routes: for each flow the links that it crosses.
        bandwidths: every link's bandwidth, above 0.

    Source: derived in this book.
    Convention: max-min fair shares at every moment.
    Leaves out: latency.

    >>> finish_times_s([6, 6], [("a",), ("a", "b")], {"a": 3, "b": 1})
    [3.0, 6.0]
    """
    left = dict(enumerate(each("sizes_bytes", sizes_bytes, nonnegative_number)))
    ways = each("routes", routes, _route)
    if len(left) != len(ways):
        raise ValueError(f"sizes_bytes and routes must be as many as the flows, got {len(left)} and {len(ways)}")
    ends, now = [0.0] * len(left), 0.0
    left = {flow: size for flow, size in left.items() if size}
    while left:
        rates = dict(zip(left, fair_rates([ways[flow] for flow in left], bandwidths), strict=True))
        needs = {flow: size / rates[flow] for flow, size in left.items()}
        step = min(needs.values())
        now += step
        for flow, need in needs.items():
            if need <= step * (1 + 1e-9):
                ends[flow] = now
                del left[flow]
            else:
                left[flow] -= rates[flow] * step
    return ends


@dataclass(frozen=True)
class LinkRun:
    """What messages cost on a cluster's links: each step's time, latency included, and the bytes on every link.

    >>> LinkRun((1.0, 2.0), Counter()).time_s
    3.0
    """

    steps_s: tuple[float, ...]
    loads: Counter[str]

    @property
    def time_s(self) -> float:
        """All steps, one after the other."""
        return sum(self.steps_s)


def run_messages(cluster: LinkNetwork, messages: Sequence[Message], *, latency_s: float = 0.0) -> LinkRun:
    """Send messages over a cluster's links, step by step; a step ends when its slowest message has arrived.

    Args:
        cluster: the links.
        messages: as an ``Account`` has them; those of one step begin together.
        latency_s: of each step, at least 0.

    Returns:
        Each step's time, and the bytes on every link.

    Source: derived in this book.
    Convention: max-min fair shares at every moment. No step begins before the last has ended.
    Leaves out: that a rank could go on while another still waits.

    >>> from snippets.simulation.account import Message
    >>> pair = LinkNetwork(nodes=2, gpus_per_node=2, node_bytes_per_s=9, port_bytes_per_s=1)
    >>> sent = [Message(1, 0, 2, 4, "send"), Message(1, 0, 3, 4, "send"), Message(2, 0, 1, 9, "send")]
    >>> run_messages(pair, sent).steps_s
    (8.0, 1.0)
    """
    _clustered(cluster)
    latency = nonnegative_number("latency_s", latency_s)
    steps: defaultdict[int, list[tuple[float, Route]]] = defaultdict(list)
    sent: Counter[tuple[int, int]] = Counter()
    for message in each("messages", messages, _message):
        sent[message.source, message.destination] += message.sent_bytes
        steps[message.step].append((message.sent_bytes, cluster.route(message.source, message.destination)))
    known: dict[tuple[tuple[float, Route], ...], float] = {}
    times = []
    for _, flows in sorted(steps.items()):
        key = tuple(sorted(flows))
        if key not in known:
            sizes, routes = zip(*key, strict=True)
            known[key] = max(finish_times_s(sizes, routes, cluster.bandwidths))
        times.append(latency + known[key])
    return LinkRun(tuple(times), link_loads(cluster, sent))


def _message(name: str, message: Message) -> Message:
    if not isinstance(message, Message):
        raise TypeError(f"{name} must be a Message, got {message!r}")
    return message


def _clustered(cluster: LinkNetwork) -> LinkNetwork:
    if not isinstance(cluster, LinkNetwork):
        raise TypeError(f"cluster must be a LinkNetwork, got {cluster!r}")
    return cluster


def _mapping(bandwidths: Mapping[str, float]) -> Mapping[str, float]:
    if not isinstance(bandwidths, Mapping):
        raise ValueError(f"bandwidths must be a mapping from links to bytes a second, got {bandwidths!r}")
    return bandwidths


def _route(name: str, route: Route) -> Route:
    links = each(name, route, lambda _, link: link)
    if not links or not all(isinstance(link, str) for link in links):
        raise ValueError(f"{name} must be one link's name or more, got {route!r}")
    return links
