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
