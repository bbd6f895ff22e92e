# %% the_cheapest
# Right: the same, and takes the cheapest of them.
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (g for g in range(1, gpus_per_node + 1) if gpus_per_node % g == 0):
        for m in range(1, nodes + 1):
            t = g * m
            if heads % t or (shared % t and t % shared):
                continue
            kv = max(1, shared // t) * hidden // heads
            own = 2 * hidden * hidden / t + 8 * hidden * hidden / t + 2 * hidden * kv
            beta = node_bytes_per_s
            if m > 1:
                beta = adapter_bytes_per_s if g == 1 else min(g * node_bytes_per_s / (g - 1), g * adapter_bytes_per_s)
            time = (6 * sequence * own + 12 * sequence * sequence * hidden / t) / flops_per_s
            time = layers * (time + 20 * sequence * hidden * (1 - 1 / t) / beta)
            if layers * (18 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found, key=lambda each: each[0] * each[1][0])[1] if found else None

# %% the_quickest
# Right: lists all designs that meet the limits, and takes the quickest; a list.
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (g for g in range(1, gpus_per_node + 1) if gpus_per_node % g == 0):
        for m in range(1, nodes + 1):
            t = g * m
            if heads % t or (shared % t and t % shared):
                continue
            kv = max(1, shared // t) * hidden // heads
            own = 2 * hidden * hidden / t + 8 * hidden * hidden / t + 2 * hidden * kv
            beta = node_bytes_per_s
            if m > 1:
                beta = adapter_bytes_per_s if g == 1 else min(g * node_bytes_per_s / (g - 1), g * adapter_bytes_per_s)
            time = (6 * sequence * own + 12 * sequence * sequence * hidden / t) / flops_per_s
            time = layers * (time + 20 * sequence * hidden * (1 - 1 / t) / beta)
            if layers * (18 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

# %% below_the_limits_of_time
# Wrong: a step that takes just the time and the budget is not allowed; it passed once.
# Message: design: None
from __future__ import annotations


def choose_tensor_cut(
    *,
    layers: int,
    hidden: int,
    heads: int,
    shared: int,
    sequence: int,
    gpus_per_node: int,
    nodes: int,
    memory_bytes: int,
    flops_per_s: float,
    node_bytes_per_s: float,
    adapter_bytes_per_s: float,
    limit_s: float,
    budget_gpu_s: float,
) -> tuple[int, int] | None:
    d = hidden // heads
    for g in range(gpus_per_node, 0, -1):
        for m in range(1, nodes + 1):
            t = g * m
            if gpus_per_node % g or heads % t or (shared % t and t % shared):
                continue
            own = 10 * hidden * hidden // t + 2 * hidden * d * max(1, shared // t)
            held = layers * (18 * own + 34 * sequence * hidden / t)
            beta = node_bytes_per_s
            if m > 1:
                beta = g * adapter_bytes_per_s
                if g > 1:
                    beta = min(beta, g / (g - 1) * node_bytes_per_s)
            flops = 6 * sequence * own + 12 * sequence**2 * hidden / t
            sent = 10 * (t - 1) / t * 2 * sequence * hidden
            step = layers * (flops / flops_per_s + sent / beta)
            if held <= memory_bytes and step < limit_s and t * step < budget_gpu_s:
                return t, g
    return None

# %% below_the_budget
# Wrong: a step that takes just the budget is not allowed.
# Message: design: None
from __future__ import annotations


def choose_tensor_cut(
    *,
    layers: int,
    hidden: int,
    heads: int,
    shared: int,
    sequence: int,
    gpus_per_node: int,
    nodes: int,
    memory_bytes: int,
    flops_per_s: float,
    node_bytes_per_s: float,
    adapter_bytes_per_s: float,
    limit_s: float,
    budget_gpu_s: float,
) -> tuple[int, int] | None:
    d = hidden // heads
    for g in range(gpus_per_node, 0, -1):
        for m in range(1, nodes + 1):
            t = g * m
            if gpus_per_node % g or heads % t or (shared % t and t % shared):
                continue
            own = 10 * hidden * hidden // t + 2 * hidden * d * max(1, shared // t)
            held = layers * (18 * own + 34 * sequence * hidden / t)
            beta = node_bytes_per_s
            if m > 1:
                beta = g * adapter_bytes_per_s
                if g > 1:
                    beta = min(beta, g / (g - 1) * node_bytes_per_s)
            flops = 6 * sequence * own + 12 * sequence**2 * hidden / t
            sent = 10 * (t - 1) / t * 2 * sequence * hidden
            step = layers * (flops / flops_per_s + sent / beta)
            if held <= memory_bytes and step <= limit_s and t * step < budget_gpu_s:
                return t, g
    return None
