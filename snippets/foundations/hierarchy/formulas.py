"""Formulas: how long bytes take on a path with shared links, what moving them costs, and where a network is thinnest.

Bandwidths are bytes a second in one direction. A bisection counts one direction too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import as_float, each, nonnegative_number, positive_integer, positive_number


def path_time_s(*, size_bytes: float, bandwidths_bytes_per_s: Sequence[float], latency_s: float = 0.0) -> float:
    """Return how long bytes take through links that follow each other.

    Formula: $T = \\alpha + n / \\min_i \\beta_i$
    Symbols: T = the result; n = size_bytes; \\beta_i = bandwidths_bytes_per_s; \\alpha = latency_s
    Chapter: 3

    Args:
        size_bytes: n, at least 0.
        bandwidths_bytes_per_s: what each link on the path carries for this transfer, one direction.
        latency_s: time until the first byte is there, at least 0.

    Returns:
        Seconds.

    Source: derived in this book.
    Convention: the links work at the same time, each on another piece of the data.
    Leaves out: a path on which a piece is stored whole before it goes on.

    Example:
        >>> path_time_s(size_bytes=100e9, bandwidths_bytes_per_s=[450e9, 50e9, 63e9])
        2.0
    """
    n, α = nonnegative_number("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    links = each("bandwidths_bytes_per_s", bandwidths_bytes_per_s, positive_number)
    if not links:
        raise ValueError("bandwidths_bytes_per_s must hold one link or more, got none")
    return as_float("size_bytes, latency_s and bandwidths_bytes_per_s", α + n / min(links))


def fair_share_bytes_per_s(*, link_bytes_per_s: float, links: int, users: int) -> float:
    """Return what each user gets of links that all use at once, spread as evenly as they can be.

    Formula: $\\beta' = \\beta / \\lceil y / z \\rceil$
    Symbols: \\beta' = the result; \\beta = link_bytes_per_s; y = users; z = links
    Chapter: 3

    Args:
        link_bytes_per_s: one link, one direction.
        links: how many of them there are.
        users: how many share them; each uses one link.

    Returns:
        Bytes a second for a user of the fullest link, one direction.

    Source: derived in this book.
    Convention: all users are busy at the same time.
    Leaves out: a user that spreads its bytes over several links.

    Example:
        >>> fair_share_bytes_per_s(link_bytes_per_s=50e9, links=4, users=8)
        25000000000.0
    """
    β = positive_number("link_bytes_per_s", link_bytes_per_s)
    k, u = positive_integer("links", links), positive_integer("users", users)
    return β / math.ceil(u / k)


def moving_energy_j(*, size_bytes: float, picojoules_per_bit: float) -> float:
    """Return the energy that it takes to move bytes.

    Also: energy per bit
    Formula: $y = 8 n z$
    Symbols: y = the result; n = size_bytes; z = picojoules_per_bit in joules
    Chapter: 3

    Args:
        size_bytes: n, at least 0.
        picojoules_per_bit: energy of one access, a bit.

    Returns:
        Joules.

    Source: definition.
    Convention: bits in the energy, bytes in the size.
    Leaves out: what the memory takes while nothing moves.

    Example:
        >>> round(moving_energy_j(size_bytes=80e9, picojoules_per_bit=3.92), 2)
        2.51
    """
    n, e = nonnegative_number("size_bytes", size_bytes), positive_number("picojoules_per_bit", picojoules_per_bit)
    return as_float("size_bytes and picojoules_per_bit", 8 * n * e * 1e-12)


def oversubscription(*, hosts_per_leaf: int, uplinks_per_leaf: int) -> float:
    """Return by how much the links down from a leaf switch outnumber those up.

    Also: oversubscription ratio, taper
    Formula: $G / U$
    Symbols: G = hosts_per_leaf; U = uplinks_per_leaf
    Chapter: 3

    Args:
        hosts_per_leaf: links down, one to each host.
        uplinks_per_leaf: links up, of the same rate.

    Returns:
        The ratio; 1 or less means that all hosts can send up at full rate.

    Source: Leiserson 1985 has trees whose links grow towards the root; the ratio is the field's usual word.
    Convention: down over up, so that 7 is what is also written 1:7.
    Leaves out: traffic that stays below the leaf.

    Example:
        >>> oversubscription(hosts_per_leaf=32, uplinks_per_leaf=8)
        4.0
    """
    return positive_integer("hosts_per_leaf", hosts_per_leaf) / positive_integer("uplinks_per_leaf", uplinks_per_leaf)


def fat_tree_bisection_bytes_per_s(
    *, leaves: int, hosts_per_leaf: int, uplinks_per_leaf: int, link_bytes_per_s: float
) -> float:
    """Return the bisection bandwidth of a two-level fat tree whose links all have one rate.

    Also: bisection bandwidth, fat-tree bisection bandwidth, leaf-spine bisection bandwidth
    Formula: $\\beta_\\text{half} = \\frac{J}{2} \\min(G, U)\\, \\beta$
    Symbols: β_half = the result; J = leaves; G = hosts_per_leaf; U = uplinks_per_leaf; \\beta = link_bytes_per_s
    Chapter: 3

    Args:
        leaves: leaf switches L, an even number.
        hosts_per_leaf: D.
        uplinks_per_leaf: U, shared out evenly over the spine switches.
        link_bytes_per_s: one link, one direction.

    Returns:
        Bytes a second from the one half of the hosts to the other, over the worst way to halve them.

    Raises:
        ValueError: if the number of leaves is odd: then a leaf has to be cut in two, and the sum is another.

    Source: derived in this book; ``networks.minimum_bisection_links`` finds it by trying all halves.
    Convention: one direction; hosts are halved, switches stand wherever it is cheapest.
    Leaves out: how well routing spreads the traffic over the spines.

    Example:
        >>> fat_tree_bisection_bytes_per_s(leaves=32, hosts_per_leaf=32, uplinks_per_leaf=8, link_bytes_per_s=50e9)
        6400000000000.0
    """
    L, β = positive_integer("leaves", leaves), positive_number("link_bytes_per_s", link_bytes_per_s)
    D, U = positive_integer("hosts_per_leaf", hosts_per_leaf), positive_integer("uplinks_per_leaf", uplinks_per_leaf)
    if L % 2:
        raise ValueError(f"leaves must be even, so that no leaf is cut in two, got {L}")
    return as_float("leaves, hosts_per_leaf and link_bytes_per_s", L / 2 * min(D, U) * β)


def k_ary_fat_tree_hosts(*, ports: int) -> int:
    """Return the hosts of a three-level fat tree of equal switches with k ports.

    Formula: $R = H^3 / 4$
    Symbols: R = the result; H = ports
    Chapter: 3

    Args:
        ports: ports of each switch k, an even number.

    Returns:
        Hosts.

    Raises:
        ValueError: if the number of ports is odd.

    Source: Al-Fares, Loukissas and Vahdat 2008, section 2.2.
    Convention: k pods, each of k/2 lower and k/2 upper switches; (k/2)² core switches.
    Leaves out: trees with fewer core switches.

    Example:
        >>> k_ary_fat_tree_hosts(ports=64)
        65536
    """
    return _even("ports", ports) ** 3 // 4


def k_ary_fat_tree_bisection_bytes_per_s(*, ports: int, link_bytes_per_s: float) -> float:
    """Return the bisection bandwidth of a three-level fat tree of equal switches with k ports.

    Formula: $\\beta_\\text{half} = \\frac{H^3}{8} \\beta$
    Symbols: β_half = the result; H = ports; \\beta = link_bytes_per_s
    Chapter: 3

    Args:
        ports: k, an even number.
        link_bytes_per_s: one link, one direction.

    Returns:
        Bytes a second, one direction: what half of the hosts can send.

    Raises:
        ValueError: if the number of ports is odd.

    Source: Al-Fares, Loukissas and Vahdat 2008, section 2.2.
    Convention: one direction.
    Leaves out: how well routing spreads the traffic.

    Example:
        >>> k_ary_fat_tree_bisection_bytes_per_s(ports=4, link_bytes_per_s=1)
        8.0
    """
    β = positive_number("link_bytes_per_s", link_bytes_per_s)
    return as_float("ports and link_bytes_per_s", _even("ports", ports) ** 3 / 8 * β)


def torus_bisection_bytes_per_s(*, sides: Sequence[int], link_bytes_per_s: float) -> float:
    """Return the bisection bandwidth of a torus whose longest side is even.

    Formula: $\\beta_\\text{half} = \\frac{2R}{\\ell_{\\max}} \\beta$
    Symbols: β_half = the result; R = product of sides; \\ell_{\\max} = longest of sides; \\beta = link_bytes_per_s
    Chapter: 3

    Args:
        sides: nodes along each dimension; 1 is a dimension without links, 2 has two links between its two nodes.
        link_bytes_per_s: one link, one direction.

    Returns:
        Bytes a second, one direction.

    Raises:
        ValueError: if the longest side is odd (no flat cut halves the torus across it) or there is but one node.

    Source: derived in this book; ``networks.minimum_bisection_links`` finds it by trying all halves.
    Convention: one direction; every line is closed to a ring.
    Leaves out: sides of 2 with a single link, lines that are not closed.

    Example:
        >>> torus_bisection_bytes_per_s(sides=[4, 4, 4], link_bytes_per_s=1)
        32.0
    """
    lengths, β = each("sides", sides, positive_integer), positive_number("link_bytes_per_s", link_bytes_per_s)
    if not lengths or max(lengths) % 2:
        raise ValueError(f"sides must have an even longest side, got {sides!r}")
    R = math.prod(lengths)
    return as_float("sides and link_bytes_per_s", 2 * R / max(lengths) * β)


def dragonfly_bisection_bytes_per_s(*, groups: int, links_per_pair: int = 1, link_bytes_per_s: float) -> float:
    """Return what crosses between two halves of a dragonfly's groups.

    Formula: $\\beta_\\text{half} = \\frac{q^2}{4} y \\beta$
    Symbols: β_half = the result; q = groups; y = links_per_pair; \\beta = link_bytes_per_s
    Chapter: 3

    Args:
        groups: g, an even number.
        links_per_pair: global links between every two groups.
        link_bytes_per_s: one link, one direction.

    Returns:
        Bytes a second, one direction. It is the bisection bandwidth where no cut through groups is cheaper, that is,
        where the links within a group and to its hosts suffice.

    Raises:
        ValueError: if the number of groups is odd.

    Source: Kim, Dally, Scott and Abts 2008 for the network; the sum is derived in this book.
    Convention: one direction; groups are not cut.
    Leaves out: longer routes through a third group.

    Example:
        >>> dragonfly_bisection_bytes_per_s(groups=4, link_bytes_per_s=1)
        4.0
    """
    g, h = _even("groups", groups), positive_integer("links_per_pair", links_per_pair)
    β = positive_number("link_bytes_per_s", link_bytes_per_s)
    return as_float("groups, links_per_pair and link_bytes_per_s", g**2 / 4 * h * β)


def _even(name: str, value: int) -> int:
    """Return an even count, or raise ``ValueError``."""
    number = positive_integer(name, value)
    if number % 2:
        raise ValueError(f"{name} must be an even number, got {value!r}")
    return number
