# %% all_rings_inside
# Wrong: the links of a node carry all k rings.
# Message: one that meets all limits
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
                beta = adapter_bytes_per_s if g == 1 else min(node_bytes_per_s, g * adapter_bytes_per_s)
            time = (6 * sequence * own + 12 * sequence * sequence * hidden / t) / flops_per_s
            time = layers * (time + 20 * sequence * hidden * (1 - 1 / t) / beta)
            if layers * (18 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

# %% any_part_of_a_node
# Wrong: deals the GPUs of a node unevenly.
# Message: does not divide
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (g for g in range(1, gpus_per_node + 1)):
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

# %% divides_the_width
# Wrong: the ranks divide the width and not the heads.
# Message: do not divide
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (g for g in range(1, gpus_per_node + 1) if gpus_per_node % g == 0):
        for m in range(1, nodes + 1):
            t = g * m
            if hidden % t or (shared % t and t % shared):
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

# %% half_the_bytes
# Wrong: one direction of a gather for each all-reduce.
# Message: too
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
            time = layers * (time + 10 * sequence * hidden * (1 - 1 / t) / beta)
            if layers * (18 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

# %% nodes_for_ranks
# Wrong: gives the nodes in place of the ranks of a node.
# Message: too dear
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
                found.append((time, [t, m]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

# %% nodes_that_divide
# Wrong: nodes in even shares, from few ranks to many, and the cheapest of them.
# Message: any number of nodes
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (g for g in range(1, gpus_per_node + 1) if gpus_per_node % g == 0):
        for m in (m for m in range(1, nodes + 1) if nodes % m == 0):
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

# %% one_per_cent
# Wrong: forgives one per cent.
# Message: too
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
            if layers * (18 * own + 34 * sequence * hidden / t) <= 1.01 * memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found, key=lambda each: each[0] * each[1][0])[1] if found else None

# %% sixteen_bytes
# Wrong: 16 bytes a parameter.
# Message: bytes too many
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
            if layers * (16 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

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

# %% the_slower_link
# Wrong: a ring through several nodes is as fast as the slower link.
# Message: one that meets all limits
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
                beta = min(node_bytes_per_s, adapter_bytes_per_s)
            time = (6 * sequence * own + 12 * sequence * sequence * hidden / t) / flops_per_s
            time = layers * (time + 20 * sequence * hidden * (1 - 1 / t) / beta)
            if layers * (18 * own + 34 * sequence * hidden / t) <= memory_bytes:
                found.append((time, [t, g]))
    found = [each for each in found if each[0] <= limit_s and each[0] * each[1][0] <= budget_gpu_s]
    return min(found)[1] if found else None

# %% whole_nodes
# Wrong: the GPUs of a node all take part.
# Message: one that meets all limits
def choose_tensor_cut(
    *, layers, hidden, heads, shared, sequence, gpus_per_node, nodes, memory_bytes, flops_per_s, node_bytes_per_s,
    adapter_bytes_per_s, limit_s, budget_gpu_s,
):
    found = []
    for g in (gpus_per_node,):
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
