# Wrong: the factor of the page.
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
