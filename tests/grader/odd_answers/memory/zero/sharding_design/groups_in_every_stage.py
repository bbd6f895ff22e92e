# Wrong: stages 0 to 2 in groups of some nodes.
# Message: in stages 0, 1 and 2 the group is all
from math import ceil
from fractions import Fraction


def sharding_design(
    *,
    parameters,
    layers,
    tokens,
    micro_batches,
    gpus_per_node,
    nodes,
    memory_bytes,
    other_bytes,
    flops_per_s,
    node_bytes_per_s,
    network_bytes_per_s,
    latency_s,
    recipes,
    limit_s,
):
    U = parameters / layers

    def ring(n, G):
        b = node_bytes_per_s if G <= gpus_per_node else min(node_bytes_per_s, gpus_per_node * network_bytes_per_s)
        return (G - 1) * (latency_s + n / (G * b))

    run = 2 * U * tokens / flops_per_s

    def pas(run, fetch, take):
        return fetch + max(0, fetch - run) + (layers - 2) * max(0, fetch + take - run) + max(0, take - run) + take

    def held(stage, G, r):
        p, g, k = r
        shard = -(-parameters // G)
        return (
            other_bytes
            + p * (shard if stage >= 3 else parameters)
            + g * (shard if stage >= 2 else parameters)
            + k * (shard if stage >= 1 else parameters)
        )

    def wait(stage, G, r):
        p, g, k = r
        gather, reduce = ring(p * U, G), ring(g * U, G)
        t = 0
        for m in range(micro_batches):
            last = m == micro_batches - 1
            f = gather if stage == 3 or (stage in (1, 2) and m == 0) else 0
            t += pas(run, f, 0)
            f = gather if stage == 3 else 0
            k2 = 2 * reduce if stage == 0 and last else reduce if stage == 1 and last else reduce if stage >= 2 else 0
            t += pas(2 * run, f, k2)
        R = gpus_per_node * nodes // G
        if R > 1:
            t += 2 * (R - 1) * (latency_s + g * parameters / G / (R * network_bytes_per_s))
        return t

    N = gpus_per_node * nodes
    designs = [(s, d * gpus_per_node) for s in (0, 1, 2) for d in range(1, nodes + 1) if nodes % d == 0] + [
        (3, d * gpus_per_node) for d in range(1, nodes + 1) if nodes % d == 0
    ]
    for s, G in designs:
        for name, r in recipes.items():
            if held(s, G, r) <= memory_bytes and wait(s, G, r) <= limit_s:
                return (s, G, name)
    return None
