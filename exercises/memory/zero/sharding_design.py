"""Exercise: a stage, a group and a recipe for a cluster, judged by a simulated step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.memory.recipes import Recipe
from snippets.memory.sharded_step import exposed_communication_s, sharded_step
from snippets.memory.zero import zero_state_bytes

DESIGN, KNOWN, NONE = "design", "one that there is", "None"
FITS, BEYOND = "it fits on a device", "exposed communication beyond the limit"


def sharding_design(
    *,
    parameters: int,
    layers: int,
    tokens: int,
    micro_batches: int,
    gpus_per_node: int,
    nodes: int,
    memory_bytes: int,
    other_bytes: int,
    flops_per_s: float,
    node_bytes_per_s: float,
    network_bytes_per_s: float,
    latency_s: float,
    recipes: Mapping[str, tuple[int, int, int]],
    limit_s: float,
) -> tuple[int, int, str] | None:
    """Choose a stage, a group and a recipe that fit and wait little.

    In stages 0, 1 and 2 the group is all GPUs. In stage 3 it is d whole
    nodes, where d divides the nodes; the groups are replicas.

    A ring among G GPUs gathers or reduce-scatters n bytes in
    (G − 1)(α + n/(G β)) seconds. In one node, β is node_bytes_per_s; through
    several it is that or gpus_per_node · network_bytes_per_s, if this is less.

    While a layer runs, the next layer's gather and then the reduction of the
    one before go over the network; the next layer begins when all are done.
    Each pass over the layers starts and ends by itself. Stage 0 all-reduces,
    twice a reduce-scatter's time, and stage 1 reduce-scatters the gradients
    in the last micro-batch; stages 2 and 3 do it in each. Stages 1 and 2
    gather in the first forward pass, stage 3 in all passes. With R > 1 groups,
    each GPU at last all-reduces its shard's gradient with the R − 1 others that
    have that shard, alone on network_bytes_per_s, behind nothing.

    Args:
        parameters: of the model, in equal layers.
        layers: at least 2.
        tokens: of a micro-batch on one GPU. A layer's forward pass takes 2
            operations a token and parameter, its backward pass 4.
        micro_batches: of a step.
        gpus_per_node: at least 2.
        nodes: of the cluster.
        memory_bytes: of a device.
        other_bytes: what each device holds besides its state.
        flops_per_s: speed of a GPU.
        node_bytes_per_s: of a GPU within its node, in one direction.
        network_bytes_per_s: of a GPU's network adapter, in one direction.
        latency_s: α.
        recipes: by name, bytes of weight, of gradient (as it is kept and
            sent) and of optimizer state for a parameter.
        limit_s: how long the GPUs may wait for the network in a step.

    Returns:
        Stage, GPUs of a group, and recipe; any that fits (the fullest shard
        has ⌈parameters/G⌉) and keeps to the limit. ``None`` if none does.

    >>> sharding_design(
    ...     parameters=8, layers=2, tokens=1, micro_batches=1,
    ...     gpus_per_node=2, nodes=1, memory_bytes=80, other_bytes=0,
    ...     flops_per_s=1, node_bytes_per_s=1, network_bytes_per_s=1,
    ...     latency_s=0, recipes={"adam": (2, 2, 12)}, limit_s=9,
    ... )
    (1, 2, 'adam')
    """
    layer, gpus = parameters / layers, gpus_per_node * nodes
    run = 2 * tokens * layer / flops_per_s
    groups = [gpus_per_node * count for count in range(1, nodes + 1) if nodes % count == 0]

    def waits(run: float, fetch: float, take: float) -> float:
        """Seconds that one pass over the layers waits for the network."""
        middle = (layers - 2) * max(0, fetch + take - run)
        return fetch + max(0, fetch - run) + middle + max(0, take - run) + take

    for name, (weight, gradient, optimizer) in recipes.items():
        for stage, group in [(0, gpus), (1, gpus), (2, gpus), *((3, group) for group in groups)]:
            shard = -(-parameters // group)
            held = weight * (shard if stage == 3 else parameters)
            held += gradient * (shard if stage >= 2 else parameters)
            held += optimizer * (shard if stage >= 1 else parameters)
            beta = node_bytes_per_s
            if group > gpus_per_node:
                beta = min(beta, gpus_per_node * network_bytes_per_s)
            gather = (group - 1) * (latency_s + weight * layer / (group * beta))
            reduce = (group - 1) * (latency_s + gradient * layer / (group * beta))
            exposed = (micro_batches if stage == 3 else stage > 0) * waits(run, gather, 0)
            fetch, take = gather * (stage == 3), reduce * (2 if stage == 0 else 1)
            exposed += (micro_batches if stage >= 2 else 1) * waits(2 * run, fetch, take)
            replicas = gpus // group
            sent = gradient * parameters / group / replicas / network_bytes_per_s
            exposed += 2 * (replicas - 1) * (latency_s + sent)
            if held + other_bytes <= memory_bytes and exposed <= limit_s:
                return stage, group, name
    return None


Design = tuple[int, int, str]


def designs(inputs: Inputs) -> Iterator[Design]:
    """List all designs of a cluster."""
    node, nodes = inputs["gpus_per_node"], inputs["nodes"]
    for name in inputs["recipes"]:
        yield from ((stage, node * nodes, name) for stage in range(3))
        yield from ((3, node * count, name) for count in range(1, nodes + 1) if nodes % count == 0)


def ring_s(primitive: str, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Price a ring by the book's exact costs, on a vector that its chunks divide."""
    if ranks == 1:
        return 0.0
    terms = algorithm_cost(primitive, "ring", ranks=ranks, size_bytes=ranks, element_bytes=1)
    return terms.time_s(latency_s=latency_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s * ranks / size_bytes)


TIMED = (
    "parameters",
    "layers",
    "tokens",
    "micro_batches",
    "gpus_per_node",
    "nodes",
    "flops_per_s",
    "node_bytes_per_s",
    "network_bytes_per_s",
    "latency_s",
)


def judged(design: Design, inputs: Inputs) -> tuple[int, float]:
    """Return what a device holds, and how long it waits in a step that is simulated layer by layer."""
    stage, group, name = design
    weight, gradient, optimizer = inputs["recipes"][name]
    recipe = Recipe(name, parameters=weight, gradients=gradient, master=optimizer)
    held = zero_state_bytes(inputs["parameters"], ranks=group, stage=stage, recipe=recipe).total
    exposed_s = simulated_s(stage, group, weight, gradient, *(inputs[name] for name in TIMED))
    return held + inputs["other_bytes"], exposed_s


@cache
def simulated_s(
    stage: int,
    group: int,
    weight: int,
    gradient: int,
    parameters: int,
    layers: int,
    tokens: int,
    micro_batches: int,
    gpus_per_node: int,
    nodes: int,
    flops_per_s: float,
    node_bytes_per_s: float,
    network_bytes_per_s: float,
    latency_s: float,
) -> float:
    """Simulate a step; many inputs differ in their limits alone."""
    inside = node_bytes_per_s
    if group > gpus_per_node:
        inside = min(inside, gpus_per_node * network_bytes_per_s)
    layer, groups = parameters / layers, gpus_per_node * nodes // group
    tasks = sharded_step(
        stage=stage,
        layers=layers,
        forward_s=2 * tokens * layer / flops_per_s,
        gather_s=ring_s("all_gather", group, weight * layer, latency_s, inside),
        reduce_s=ring_s("reduce_scatter", group, gradient * layer, latency_s, inside),
        micro_batches=micro_batches,
        across_s=ring_s("all_reduce", groups, gradient * parameters / group, latency_s, network_bytes_per_s),
    )
    return exposed_communication_s(tasks)


def meets(design: Design, inputs: Inputs) -> bool:
    held, exposed_s = judged(design, inputs)
    return held <= inputs["memory_bytes"] and exposed_s <= inputs["limit_s"]


def any_that_meets(**inputs: Any) -> Observation:
    found = any(meets(design, inputs) for design in designs(inputs))
    return {DESIGN: KNOWN, FITS: True, BEYOND: 0.0} if found else {DESIGN: NONE}


def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Judge the design that is chosen; any that meets the limits is right."""
    chosen = function(**inputs)
    if chosen is None:
        return {DESIGN: NONE}
    design = tuple(chosen)
    if design not in set(designs(inputs)):
        return {DESIGN: f"{chosen}, which there is not"}
    held, exposed_s = judged(design, inputs)
    beyond = max(0.0, exposed_s - inputs["limit_s"])
    return {DESIGN: KNOWN, FITS: held <= inputs["memory_bytes"], BEYOND: beyond}


def cluster(**changes: Any) -> Inputs:
    """Return a small cluster, changed where something is said."""
    small: Inputs = {
        "parameters": 1000,
        "layers": 4,
        "tokens": 100,
        "micro_batches": 2,
        "gpus_per_node": 2,
        "nodes": 2,
        "memory_bytes": 20_000,
        "other_bytes": 1000,
        "flops_per_s": 5e4,
        "node_bytes_per_s": 2e3,
        "network_bytes_per_s": 5e2,
        "latency_s": 0.01,
        "recipes": {"mixed": (2, 2, 12), "wide gradients": (2, 4, 8)},
        "limit_s": 1.0,
    }
    return {**small, **changes}


def gaps(values: Any) -> list[float]:
    """Return numbers well between the values, and below the least: an answer that rounds elsewhere is still right."""
    ordered = [0.0, *sorted(values)]
    ends = itertools.pairwise(ordered)
    return [(low + high) / 2 for low, high in ends if high > 1.06 * low]


def on_the_edges(base: Inputs, every: int) -> list[Inputs]:
    """Return a cluster with the memories and limits between what its designs need, every so many of them."""
    found = [judged(design, base) for design in designs(base)]
    memories, limits = gaps(held for held, _ in found), gaps(exposed for _, exposed in found)
    both = [(int(memory), limit) for memory in [*memories, 2 * max(memories)] for limit in [*limits, 2 * max(limits)]]
    return [{**base, "memory_bytes": memory, "limit_s": limit} for memory, limit in both[::every]]


SMALLEST = cluster(
    parameters=8,
    layers=2,
    tokens=1,
    micro_batches=1,
    nodes=1,
    memory_bytes=80,
    other_bytes=0,
    flops_per_s=1,
    node_bytes_per_s=1,
    network_bytes_per_s=1,
    latency_s=0,
    recipes={"adam": (2, 2, 12)},
    limit_s=9,
)
SEVENTY = {
    "parameters": 70_553_706_496,
    "layers": 80,
    "tokens": 8192,
    "micro_batches": 4,
    "gpus_per_node": 8,
    "nodes": 32,
    "memory_bytes": 80 * 10**9,
    "other_bytes": 30 * 10**9,
    "flops_per_s": 4e14,
    "node_bytes_per_s": 450e9,
    "network_bytes_per_s": 50e9,
    "latency_s": 20e-6,
    "recipes": {"fp32 gradients": (2, 4, 12), "mixed Adam": (2, 2, 12)},
    "limit_s": 0.11,
}
EXERCISE = Exercise(
    sharding_design,
    number=4,
    level="hard",
    asked="a stage, a group and a recipe that fit and whose exposed communication keeps to the limit, or None",
    expected=any_that_meets,
    observe=observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "limit_s": 7},
        {**SMALLEST, "memory_bytes": 75},
        {**SMALLEST, "memory_bytes": 66, "limit_s": 13},
        {**SMALLEST, "parameters": 7, "memory_bytes": 60, "limit_s": 100},
        SEVENTY,
    ],
    inputs=[
        case
        for base, every in (
            (cluster(), 4),
            (cluster(nodes=4, tokens=20), 7),
            (cluster(nodes=6, micro_batches=3, latency_s=0.05, network_bytes_per_s=4e3), 13),
            (cluster(gpus_per_node=4, micro_batches=1, other_bytes=5000), 4),
            (cluster(nodes=4, tokens=20, micro_batches=3, recipes={"mixed": (2, 2, 12)}), 3),
            (cluster(tokens=1000, recipes={"wide weights": (4, 2, 8)}), 1),
            (cluster(tokens=1000, latency_s=0, recipes={"mixed": (2, 4, 8)}), 2),
        )
        for case in on_the_edges(base, every)
    ],
    units={BEYOND: "s"},
    mistakes=[
        Mistake(
            "forgets_the_other_bytes",
            "The other bytes need room too, beside the state.",
            {"held + other_bytes <=": "held <="},
        ),
        Mistake(
            "looks_at_the_memory_alone",
            "A design that fits can wait too long: hold its exposed communication against the limit too.",
            {" and exposed <= limit_s": ""},
        ),
        Mistake(
            "looks_at_the_time_alone",
            "A design that waits little need not fit: hold its bytes against the memory too.",
            {"held + other_bytes <= memory_bytes and ": ""},
        ),
        Mistake(
            "never_takes_a_node_s_group",
            "Stage 3 may also be cut within groups of nodes; you tried one group of all GPUs alone.",
            {" for count in range(1, nodes + 1) if nodes % count == 0]": " for count in [nodes]]"},
        ),
        Mistake(
            "forgets_what_crosses",
            "Groups are replicas: their gradients still have to be all-reduced over the network.",
            {"            exposed += 2 * (replicas - 1) * (latency_s + sent)\n": ""},
        ),
        Mistake(
            "crosses_in_every_micro_batch",
            "Replicas have to agree once a step only: each GPU adds its micro-batches up before.",
            {"exposed += 2 * (replicas - 1)": "exposed += micro_batches * 2 * (replicas - 1)"},
        ),
        Mistake(
            "forgets_the_latency",
            "Each of a ring's G − 1 messages takes the latency besides its bytes.",
            {"(latency_s + weight": "(weight", "(latency_s + gradient": "(gradient", "(latency_s + sent": "(sent"},
        ),
        Mistake(
            "reduces_once_a_step",
            "Stages 2 and 3 keep no whole gradient: they reduce in every micro-batch.",
            {"(micro_batches if stage >= 2 else 1)": "(micro_batches if stage >= 3 else 1)"},
        ),
        Mistake(
            "gathers_once_a_step",
            "Stage 3 frees a layer after it has run, so each micro-batch gathers it anew.",
            {"(micro_batches if stage == 3 else stage > 0)": "(stage > 0)"},
        ),
        Mistake(
            "hides_nothing",
            "What goes over the network while a layer computes is hidden; the GPU waits for the rest alone.",
            {
                "middle = (layers - 2) * max(0, fetch + take - run)": "middle = (layers - 2) * (fetch + take)",
                "max(0, fetch - run) + middle + max(0, take - run)": "fetch + middle + take",
            },
        ),
        Mistake(
            "hides_everything_but_the_ends",
            "The ends of a pass are exposed, and so is what a layer's computation is too short to hide.",
            {"fetch + max(0, fetch - run) + middle + max(0, take - run) + take": "fetch + take"},
        ),
        Mistake(
            "sends_through_one_adapter",
            "A ring through nodes uses all adapters of a node: gpus_per_node times one of them.",
            {"min(beta, gpus_per_node * network_bytes_per_s)": "network_bytes_per_s"},
        ),
        Mistake(
            "gathers_gradients_widths",
            "A gather carries weights and a reduction gradients; the recipe says how wide each is.",
            {"(latency_s + gradient * layer": "(latency_s + weight * layer"},
        ),
        Mistake(
            "reduces_once_in_stage_0",
            "Stage 0 all-reduces, which is a reduce-scatter and an all-gather.",
            {"reduce * (2 if stage == 0 else 1)": "reduce"},
        ),
        Mistake("takes_one_design", "This is right for one input only.", lambda **_: (1, 2, "adam")),
    ],
)
