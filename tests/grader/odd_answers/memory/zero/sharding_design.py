# %% a_byte_left_free
# Wrong: a design that needs all of the memory is refused.
# Known mistake: All of the memory may be used: what needs just as much as there is fits.
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
    designs = [(s, N) for s in (0, 1, 2)] + [(3, d * gpus_per_node) for d in range(1, nodes + 1) if nodes % d == 0]
    for s, G in designs:
        for name, r in recipes.items():
            if held(s, G, r) < memory_bytes and wait(s, G, r) <= limit_s:
                return (s, G, name)
    return None

# %% best_of_all
# Right: adds a step up slot by slot for every design, and takes the one that waits least of those that fit.
def sharding_design(
    parameters, layers, tokens, micro_batches, gpus_per_node, nodes, memory_bytes, other_bytes,
    flops_per_s, node_bytes_per_s, network_bytes_per_s, latency_s, recipes, limit_s,
):
    gpus, layer = gpus_per_node * nodes, parameters / layers

    def ring(ranks, size, beta):
        return (ranks - 1) * latency_s + (ranks - 1) * size / ranks / beta

    def passed(run, before, after):
        seconds = 0
        for slot in range(-1, layers + 1):
            wire = before * (0 <= slot + 1 < layers) + after * (0 <= slot - 1 < layers)
            seconds += max(wire, run if 0 <= slot < layers else 0)
        return seconds - layers * run

    found = []
    for name in recipes:
        weight, gradient, optimizer = recipes[name]
        for stage in (3, 2, 1, 0):
            for group in range(gpus_per_node, gpus + 1, gpus_per_node):
                if gpus % group or (stage < 3 and group < gpus):
                    continue
                cut = -(-parameters // group)
                held = sum(
                    size * (cut if stage >= first else parameters)
                    for size, first in ((optimizer, 1), (gradient, 2), (weight, 3))
                )
                beta = node_bytes_per_s
                if group > gpus_per_node:
                    beta = min(beta, gpus_per_node * network_bytes_per_s)
                gather, reduce = ring(group, weight * layer, beta), ring(group, gradient * layer, beta)
                run, waits = 2 * tokens * layer / flops_per_s, 0
                for batch in range(micro_batches):
                    last = batch == micro_batches - 1
                    waits += passed(run, gather if stage == 3 or (stage and batch == 0) else 0, 0)
                    after = reduce if stage >= 2 or last else 0
                    waits += passed(2 * run, gather if stage == 3 else 0, 2 * after if stage == 0 else after)
                waits += 2 * ring(gpus // group, gradient * parameters / group, network_bytes_per_s)
                if held + other_bytes <= memory_bytes:
                    found.append((waits, stage, group, name))
    if not found or min(found)[0] > limit_s:
        return None
    return min(found)[1:]

# %% every_layer_alike
# Wrong: a gather and a reduction beside every layer but one, also beside the first and the last.
# Known mistake: While the first layer of a pass runs, nothing is reduced yet, and while the last one runs, nothing is gathered: compare gather and reduction with these two apart.
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
        return fetch + take + (layers - 1) * max(0, fetch + take - run)

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
    designs = [(s, N) for s in (0, 1, 2)] + [(3, d * gpus_per_node) for d in range(1, nodes + 1) if nodes % d == 0]
    for s, G in designs:
        for name, r in recipes.items():
            if held(s, G, r) <= memory_bytes and wait(s, G, r) <= limit_s:
                return (s, G, name)
    return None

# %% two_latencies_across
# Wrong: among the groups a phase, not a message, takes the latency.
# Known mistake: Across the groups each message takes the latency, not each phase: a ring's all-reduce has 2(R − 1) messages.
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
            t += 2 * latency_s + 2 * (R - 1) * (g * parameters / G / (R * network_bytes_per_s))
        return t

    N = gpus_per_node * nodes
    designs = [(s, N) for s in (0, 1, 2)] + [(3, d * gpus_per_node) for d in range(1, nodes + 1) if nodes % d == 0]
    for s, G in designs:
        for name, r in recipes.items():
            if held(s, G, r) <= memory_bytes and wait(s, G, r) <= limit_s:
                return (s, G, name)
    return None

# %% weights_width_across
# Wrong: what the groups all-reduce is as wide as weights.
# Known mistake: Groups all-reduce gradients, not weights: the recipe says how wide they are.
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
            t += 2 * (R - 1) * (latency_s + p * parameters / G / (R * network_bytes_per_s))
        return t

    N = gpus_per_node * nodes
    designs = [(s, N) for s in (0, 1, 2)] + [(3, d * gpus_per_node) for d in range(1, nodes + 1) if nodes % d == 0]
    for s, G in designs:
        for name, r in recipes.items():
            if held(s, G, r) <= memory_bytes and wait(s, G, r) <= limit_s:
                return (s, G, name)
    return None
