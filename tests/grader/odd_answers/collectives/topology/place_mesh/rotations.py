# Wrong: rotations.
# Known mistake: These are only the orders that begin at another axis and go round. There are more.


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    n = nodes * gpus_per_node

    def cost(order):
        tot = 0
        k = 1
        for a in order:
            s = sides[a]
            c = {}
            ins = 0
            for r in range(n):
                x = r // k % s
                t = r + k if x + 1 < s else r - (s - 1) * k
                if r // gpus_per_node == t // gpus_per_node:
                    ins = 1
                else:
                    for w, e in (("o", r), ("i", t)):
                        key = (w, e // gpus_per_node, e % gpus_per_node * ports_per_node // gpus_per_node)
                        c[key] = c.get(key, 0) + 1
            tot += (
                2
                * (s - 1)
                / s
                * sizes_bytes[a]
                * max(ins / node_bytes_per_s, max(c.values(), default=0) / port_bytes_per_s)
            )
            k *= s
        return tot

    axes = range(len(sides))
    return min(([*axes][i:] + [*axes][:i] for i in axes), key=cost)
