# %% an_equal_order
# Right: an equal order.
from itertools import permutations

from snippets.collectives.topology.link_network import LinkNetwork
from snippets.collectives.topology.programs import placement_times_s


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    cluster = LinkNetwork(nodes, gpus_per_node, node_bytes_per_s, port_bytes_per_s, ports_per_node)
    orders = list(permutations(range(len(sides))))[::-1]
    return list(
        min(orders, key=lambda o: round(sum(placement_times_s(cluster, sides=sides, sizes_bytes=sizes_bytes, order=o)), 9))
    )

# %% ports_a_fifth_slower
# Wrong: ports a fifth slower. It passed once.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    n = nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1

        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(n):
                x = r // stride % s
                t = r + stride if x + 1 < s else r - (s - 1) * stride
                if r // gpus_per_node == t // gpus_per_node:
                    inside = 1
                else:
                    p = (r // gpus_per_node, r % gpus_per_node * ports_per_node // gpus_per_node)
                    q = (t // gpus_per_node, t % gpus_per_node * ports_per_node // gpus_per_node)
                    out[p] = out.get(p, 0) + 1
                    inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / node_bytes_per_s, 1.2 * most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% share_of_the_hops
# Wrong: share of the hops. It passed once.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    n = nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1

        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(n):
                x = r // stride % s
                t = r + stride if x + 1 < s else r - (s - 1) * stride
                if r // gpus_per_node == t // gpus_per_node:
                    inside = 1
                else:
                    p = (r // gpus_per_node, r % gpus_per_node * ports_per_node // gpus_per_node)
                    q = (t // gpus_per_node, t % gpus_per_node * ports_per_node // gpus_per_node)
                    out[p] = out.get(p, 0) + 1
                    inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += (s - 1) * sizes_bytes[axis] / (s + 1) * max(inside / node_bytes_per_s, most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% the_factor_of_the_page
# Wrong: the factor of the page. It passed once.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    n = nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1

        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(n):
                x = r // stride % s
                t = r + stride if x + 1 < s else r - (s - 1) * stride
                if r // gpus_per_node == t // gpus_per_node:
                    inside = 1
                else:
                    p = (r // gpus_per_node, r % gpus_per_node * ports_per_node // gpus_per_node)
                    q = (t // gpus_per_node, t % gpus_per_node * ports_per_node // gpus_per_node)
                    out[p] = out.get(p, 0) + 1
                    inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / 9, most)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% two_need_no_way_back
# Wrong: two need no way back. It passed once.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    n = nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1

        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(n):
                x = r // stride % s
                t = r + stride if x + 1 < s else (r - (s - 1) * stride if s > 2 else r)
                if r // gpus_per_node == t // gpus_per_node:
                    inside = 1
                else:
                    p = (r // gpus_per_node, r % gpus_per_node * ports_per_node // gpus_per_node)
                    q = (t // gpus_per_node, t % gpus_per_node * ports_per_node // gpus_per_node)
                    out[p] = out.get(p, 0) + 1
                    inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / node_bytes_per_s, most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% last_of_equals
# Right: by the book's links, and of equal orders the last.
from itertools import permutations

from snippets.collectives.topology.link_network import LinkNetwork
from snippets.collectives.topology.programs import placement_times_s


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    links = {"node_bytes_per_s": node_bytes_per_s, "port_bytes_per_s": port_bytes_per_s}
    cluster = LinkNetwork(nodes, gpus_per_node, ports_per_node=ports_per_node, **links)
    axes = range(len(sides))
    seconds = {
        order: round(sum(placement_times_s(cluster, sides=sides, sizes_bytes=sizes_bytes, order=order)), 9)
        for order in permutations(axes)
    }
    return max(seconds, key=lambda order: (-seconds[order], order))

# %% outermost_first_last_of_equals
# Wrong: from the outermost to the innermost, and of equal orders the last.
# Known mistake: This is the order from the outermost to the innermost.
from itertools import permutations

from snippets.collectives.topology.link_network import LinkNetwork
from snippets.collectives.topology.programs import placement_times_s


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    links = {"node_bytes_per_s": node_bytes_per_s, "port_bytes_per_s": port_bytes_per_s}
    cluster = LinkNetwork(nodes, gpus_per_node, ports_per_node=ports_per_node, **links)
    axes = range(len(sides))
    seconds = {
        order: round(sum(placement_times_s(cluster, sides=sides, sizes_bytes=sizes_bytes, order=order)), 9)
        for order in permutations(axes)
    }
    best = max(seconds, key=lambda order: (-seconds[order], order))
    return best[::-1]

# %% rotations_last_of_equals
# Wrong: tries rotations alone, and of equal orders takes the last.
# Known mistake: These are only the orders that begin at another axis and go round. There are more.
from itertools import permutations

from snippets.collectives.topology.link_network import LinkNetwork
from snippets.collectives.topology.programs import placement_times_s


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    links = {"node_bytes_per_s": node_bytes_per_s, "port_bytes_per_s": port_bytes_per_s}
    cluster = LinkNetwork(nodes, gpus_per_node, ports_per_node=ports_per_node, **links)
    axes = range(len(sides))
    seconds = {
        order: round(sum(placement_times_s(cluster, sides=sides, sizes_bytes=sizes_bytes, order=order)), 9)
        for order in [(*axes[first:], *axes[:first]) for first in axes]
    }
    return max(seconds, key=lambda order: (-seconds[order], order))

# %% most_bytes_inside_last_of_equals
# Wrong: the most bytes innermost; of as many, the last axis.
# Known mistake: The axis with the most bytes need not fit: along an axis that is longer than a node some messages cross by a port, and its ring waits for them. Then another axis gains more inside.
def place_mesh(*, sizes_bytes, **_):
    return sorted(range(len(sizes_bytes)), key=lambda axis: (-sizes_bytes[axis], -axis))

# %% what_fits_last_of_equals
# Wrong: what fits into a node innermost; of as many bytes, the last axis.
# Known mistake: Whether an axis fits into a node is not all: one that crosses from several GPUs of a port takes that many times as long, and an outer axis may still lie partly inside.
def place_mesh(*, gpus_per_node, sides, sizes_bytes, **_):
    axes = range(len(sides))
    return sorted(axes, key=lambda axis: (gpus_per_node % sides[axis] > 0, -sizes_bytes[axis], -axis))

# %% skips_the_last_hop
# Wrong: the last rank of a ring sends nothing.
# Known mistake: A ring also leads from its last rank back to its first, and this hop loads links too.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    G, N = gpus_per_node, nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1
        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(N):
                c = r // stride % s
                if c == s - 1:
                    continue
                t = r + stride
                if r // G == t // G:
                    inside = 1
                    continue
                p, q = ((x // G, x % G * ports_per_node // G) for x in (r, t))
                out[p] = out.get(p, 0) + 1
                inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / node_bytes_per_s, most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% last_rank_sends_to_itself
# Wrong: the last rank of a ring sends to itself.
# Known mistake: A ring also leads from its last rank back to its first, and this hop loads links too.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    G, N = gpus_per_node, nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1
        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(N):
                c = r // stride % s
                t = r + stride if c < s - 1 else r
                if r // G == t // G:
                    inside = 1
                    continue
                p, q = ((x // G, x % G * ports_per_node // G) for x in (r, t))
                out[p] = out.get(p, 0) + 1
                inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / node_bytes_per_s, most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))

# %% an_axis_crosses_wholly_or_not_at_all
# Wrong: all hops of an axis that leaves a node go by ports. It was told that it had forgotten shared ports.
# Known mistake: Of an axis that leaves a node some hops may still stay inside, and these load no port.
from itertools import permutations


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    G, N = gpus_per_node, nodes * gpus_per_node

    def cost(order):
        total, stride = 0.0, 1
        for axis in order:
            s = sides[axis]
            out, inn, inside = {}, {}, 0
            for r in range(N):
                c = r // stride % s
                t = r + stride if c < s - 1 else r - (s - 1) * stride
                if G % (s * stride) == 0:
                    inside = 1
                    continue
                p, q = ((x // G, x % G * ports_per_node // G) for x in (r, t))
                out[p] = out.get(p, 0) + 1
                inn[q] = inn.get(q, 0) + 1
            most = max([0, *out.values(), *inn.values()])
            total += 2 * (s - 1) / s * sizes_bytes[axis] * max(inside / node_bytes_per_s, most / port_bytes_per_s)
            stride *= s
        return total

    return list(min(permutations(range(len(sides))), key=cost))
