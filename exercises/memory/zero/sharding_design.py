"""Exercise: a stage, a group and a recipe for a cluster, judged by a simulated step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.memory.zero.formulas import zero_state_bytes
from snippets.memory.zero.sharded_step import exposed_communication_s, sharded_step
from snippets.recipes import Recipe


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

    A ring among R GPUs gathers or reduce-scatters n bytes in
    (R − 1)(α + n/(R β)) seconds. In one node, β is node_bytes_per_s; through
    several it is that or gpus_per_node · network_bytes_per_s, if this is less.

    While a layer runs, the next layer's gather and then the reduction of the
    one before go over the network; the next layer begins when all are done.
    No pass overlaps another: nothing runs while the first layer of a pass is
    gathered, nor while its last one is reduced.

    Stages 1 and 2 gather in the first forward pass, stage 3 in every pass,
    forward and backward. Stages 0 and 1 reduce in the last backward pass
    alone, 2 and 3 in each: stage 0 all-reduces, which takes twice as long as
    the reduce-scatter of the others. With several groups, each GPU ends a
    step with an all-reduce, in a ring, of its shard's gradient with those
    that have the same shard in the other groups, by its own adapter, while
    nothing runs.

    Args:
        parameters: of the model, in equal layers.
        layers: at least 2.
        tokens: of a micro-batch on one GPU. A layer's forward pass takes 2
            operations a token and parameter, its backward pass 4.
        micro_batches: of a step.
        gpus_per_node: at least 2.
        nodes: of the cluster.
        memory_bytes: of a device; all of it may be used.
        other_bytes: what each device holds besides its state: activations,
            layers that are gathered, gradients before they are reduced.
        flops_per_s: speed of a GPU.
        node_bytes_per_s: of a GPU within its node, in one direction.
        network_bytes_per_s: of a GPU's network adapter, in one direction.
        latency_s: α.
        recipes: by name, bytes of weight, of gradient (as it is kept and
            sent) and of optimizer state for a parameter.
        limit_s: how long the GPUs may wait for the network in a step.

    Returns:
        Stage, GPUs of a group, and recipe; any that fits (the fullest shard
        has ⌈parameters/R⌉) and keeps to the limit. ``None`` if none does.

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
    held = state_bytes(stage, group, weight, gradient, optimizer, inputs["parameters"])
    exposed_s = simulated_s(stage, group, weight, gradient, *(inputs[name] for name in TIMED))
    return held + inputs["other_bytes"], exposed_s


@cache
def state_bytes(stage: int, group: int, weight: int, gradient: int, optimizer: int, parameters: int) -> int:
    recipe = Recipe("a recipe", parameters=weight, gradients=gradient, master=optimizer)
    return zero_state_bytes(parameters, ranks=group, stage=stage, recipe=recipe).total


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


def one_that_meets(**inputs: Any) -> str | None:
    """Try every design."""
    found = [design for design in designs(inputs) if meets(design, inputs)]
    if not found:
        return None
    best = min(found, key=lambda design: judged(design, inputs)[1])
    return f"one that fits and keeps to the limit, as {told(best, inputs)} does"


def fault(chosen: Any, **inputs: Any) -> str:
    """Say what is wrong with the design that is chosen."""
    design = tuple(chosen)
    if why := why_there_is_not(design, inputs):
        return f"stage {design[0]}, {design[1]} GPUs, {design[2]}: {why}"
    if meets(design, inputs):
        return ""
    held, exposed_s = judged(design, inputs)
    over = held - inputs["memory_bytes"]
    late = exposed_s - inputs["limit_s"]
    wrong = [f"{over:,} bytes too many"] * (over > 0) + [f"{late:.4g} s too long"] * (late > 0)
    return f"{told(design, inputs)}, {' and '.join(wrong)}"


def told(design: Design, inputs: Inputs) -> str:
    """Say what a design is, holds and waits."""
    (stage, group, recipe), (held, exposed_s) = design, judged(design, inputs)
    return f"stage {stage}, {group} GPUs, {recipe} (it holds {held:,} bytes and waits {exposed_s:.5g} s)"


def why_there_is_not(design: Design, inputs: Inputs) -> str:
    """Say what is wrong with a design that there is not."""
    (stage, _, recipe), node, nodes = design, inputs["gpus_per_node"], inputs["nodes"]
    if recipe not in inputs["recipes"]:
        return "no recipe has this name"
    if stage not in range(4):
        return "there are stages 0 to 3"
    if design in set(designs(inputs)):
        return ""
    if stage < 3:
        return f"in stages 0, 1 and 2 the group is all {node * nodes} GPUs"
    return f"a group in stage 3 is d nodes of {node} GPUs, where d divides {nodes}"


def by_formulas(
    design: Design,
    inputs: Inputs,
    *,
    gathered: int = 0,
    gathers_once: bool = False,
    ends_apart: bool = True,
    across: Callable[[int, float, float], float] = lambda R, wait_s, sent_s: 2 * (R - 1) * (wait_s + sent_s / R),
    crossing: Callable[[int, int, int], float] = lambda weight, gradient, group: gradient / group,
) -> tuple[float, float]:
    """Return what a device holds, and how long it waits, by the stub's formulas with a slip in some of them."""
    stage, group, name = design
    weight, gradient, optimizer = inputs["recipes"][name]
    parameters, layers, times = inputs["parameters"], inputs["layers"], inputs["micro_batches"]
    latency_s, beta = inputs["latency_s"], inputs["node_bytes_per_s"]
    if group > inputs["gpus_per_node"]:
        beta = min(beta, inputs["gpus_per_node"] * inputs["network_bytes_per_s"])
    layer, replicas = parameters / layers, inputs["gpus_per_node"] * inputs["nodes"] // group
    gather, reduce = ((group - 1) * (latency_s + width * layer / (group * beta)) for width in (weight, gradient))

    def waits(run: float, fetch: float, take: float) -> float:
        both = max(0, fetch + take - run)
        ends = max(0, fetch - run) + max(0, take - run) if ends_apart else both
        return fetch + ends + (layers - 2) * both + take

    run = 2 * inputs["tokens"] * layer / inputs["flops_per_s"]
    exposed = (times if stage == 3 and not gathers_once else stage > 0) * waits(run, gather, 0)
    in_backward = waits(2 * run, gather * (stage == 3), reduce * (2 if stage == 0 else 1))
    exposed += (times if stage >= 2 else 1) * in_backward
    sent_s = crossing(weight, gradient, group) * parameters / inputs["network_bytes_per_s"]
    held = state_bytes(stage, group, weight, gradient, optimizer, parameters) + gathered * weight * layer * (stage == 3)
    return held + inputs["other_bytes"], exposed + across(replicas, latency_s, sent_s)


def by_rule(
    *, spare: int = 0, taken: Callable[[int, int], bool] = lambda count, nodes: True, **slips: Any
) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip: bytes left free, groups not tried, or a formula."""

    def accepts(chosen: tuple[int, int, str] | None, **inputs: Any) -> bool:
        def meets_it(design: Design) -> bool:
            held, exposed = by_formulas(design, inputs, **slips)
            fits = held + spare <= inputs["memory_bytes"] and exposed <= inputs["limit_s"]
            return fits and (design[0] < 3 or taken(design[1] // inputs["gpus_per_node"], inputs["nodes"]))

        there = list(designs(inputs))
        return not any(map(meets_it, there)) if chosen is None else chosen in there and meets_it(chosen)

    return accepts


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
    return [{**base, "memory_bytes": memory, "limit_s": round(limit, 4)} for memory, limit in both[::every]]


def around_each_design(base: Inputs) -> list[Inputs]:
    """Return a cluster with just the memory of a design, and limits around its wait.

    Of each design that is the fastest in its memory: a little above its wait, and far above, it alone is right; a
    little below, and with a byte less, it is not.
    """
    found = [judged(design, base) for design in designs(base)]
    limits = []
    for held, exposed_s in found:
        others = [waits for needs, waits in found if needs <= held and (needs, waits) != (held, exposed_s)]
        next_s = min(others, default=2 * exposed_s)
        if next_s > 1.03 * exposed_s:
            limits += [(held, 1.02 * exposed_s), (held, 0.98 * exposed_s), (held - 1, 1.02 * exposed_s)]
        if next_s > 1.15 * exposed_s:
            limits.append((held, 0.98 * next_s))
    return [{**base, "memory_bytes": memory, "limit_s": round(limit, 4)} for memory, limit in limits]


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
SEVENTY: Inputs = {
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
WIDE_WEIGHTS, WIDE_GRADIENTS, MIXED = {"wide weights": (4, 2, 8)}, {"wide gradients": (2, 4, 8)}, {"mixed": (2, 2, 12)}
CLUSTERS = [
    cluster(
        parameters=parameters,
        layers=layers,
        tokens=tokens,
        micro_batches=micro_batches,
        gpus_per_node=gpus_per_node,
        nodes=nodes,
        other_bytes=other_bytes,
        node_bytes_per_s=node_bytes_per_s,
        network_bytes_per_s=network_bytes_per_s,
        latency_s=latency_s,
        recipes=recipes,
    )
    for (parameters, layers, tokens, micro_batches), (gpus_per_node, nodes), other_bytes, network, recipes in (
        ((1440, 5, 50, 1), (2, 12), 1000, (4e3, 1e3, 0.1), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((960, 2, 50, 2), (2, 6), 500, (1e3, 2e3, 0.2), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((1440, 3, 50, 4), (2, 2), 1000, (8e3, 500.0, 0.05), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((960, 5, 200, 3), (2, 6), 1000, (4e3, 500.0, 0.05), {**MIXED, **WIDE_GRADIENTS}),
        ((1000, 2, 10, 3), (4, 12), 0, (4e3, 250.0, 0.01), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((1000, 4, 80, 3), (2, 4), 0, (4e3, 3e3, 0.01), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((1000, 4, 100, 3), (2, 6), 500, (4e3, 500.0, 0.05), {**WIDE_WEIGHTS, **WIDE_GRADIENTS}),
        ((960, 5, 20, 4), (4, 2), 1000, (8e3, 500.0, 0.05), WIDE_WEIGHTS),
        ((960, 4, 50, 1), (2, 2), 500, (4e3, 500.0, 0.01), WIDE_WEIGHTS),
    )
    for node_bytes_per_s, network_bytes_per_s, latency_s in [network]
]
CHOICE = Choice("design", one_that_meets, fault)


INPUTS: list[Inputs] = [
    *(case for base in CLUSTERS for case in around_each_design(base)),
    *on_the_edges(cluster(), 4),
    *on_the_edges(cluster(nodes=4, micro_batches=3, latency_s=0.05, network_bytes_per_s=4e3), 4),
]


def drawn(chance: Random) -> list[Inputs]:
    """Return small clusters, each with the memory of a design and limits around its wait, beside the book's own."""
    found: list[Inputs] = []
    for _ in range(12):
        base = cluster(
            parameters=chance.choice((480, 960, 1440)),
            layers=chance.randint(2, 5),
            tokens=chance.choice((20, 50, 100, 200)),
            micro_batches=chance.randint(1, 4),
            gpus_per_node=chance.choice((2, 4)),
            nodes=chance.choice((2, 4, 6)),
            other_bytes=chance.choice((0, 500, 1000)),
            node_bytes_per_s=chance.choice((2e3, 4e3, 8e3)),
            network_bytes_per_s=chance.choice((250.0, 500.0, 1e3)),
            latency_s=chance.choice((0.01, 0.05, 0.1)),
            recipes=chance.choice((MIXED, {**WIDE_WEIGHTS, **WIDE_GRADIENTS}, {**MIXED, **WIDE_GRADIENTS})),
        )
        several = around_each_design(base)
        found += chance.sample(several, min(12, len(several)))
    return [*INPUTS, *found]


def taught() -> str:
    chosen = sharding_design(**SEVENTY) or (0, 0, "")
    stage, group, name = chosen
    held, waits = judged(chosen, SEVENTY)
    small, large = (judged((stage, size, name), SEVENTY)[1] for size in (group // 2, 2 * group))
    return (
        f"Stage {stage} in groups of {group} with the recipe {name}: {held / 1e9:.1f} GB and {waits:.3f} s of waiting. "
        f"All {2 * group} wait {large:.3f} s, because their rings have twice as many steps; groups of {group // 2} "
        f"{small:.3f} s, because more bytes go between replicas. The best group lies in between."
    )


EXERCISE = Exercise(
    sharding_design,
    number=4,
    level="hard",
    asked="a stage, a group and a recipe that fit and whose exposed communication keeps to the limit, or None",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "limit_s": 7},
        {**SMALLEST, "memory_bytes": 75},
        {**SMALLEST, "memory_bytes": 66, "limit_s": 13},
        {**SMALLEST, "parameters": 7, "memory_bytes": 60, "limit_s": 100},
        SEVENTY,
    ],
    inputs=INPUTS,
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: what needs just as much as there is fits.",
            {"held + other_bytes <= memory_bytes": "held + other_bytes < memory_bytes"},
            accepts=by_rule(spare=1),
        ),
        Mistake(
            "counts_gathered_layers",
            "The other bytes have the layers that are gathered, beside the activations: count the state alone.",
            {"exposed = (micro": "held += 2 * weight * layer * (stage == 3)\n            exposed = (micro"},
            accepts=by_rule(gathered=2),
        ),
        Mistake(
            "takes_one_node_or_all",
            "In stage 3 you tried groups of one node and of all; a group may be any number of nodes that divides them.",
            {" for count in range(1, nodes + 1) if nodes % count == 0]": " for count in {1, nodes}]"},
            accepts=by_rule(taken=lambda count, nodes: count in (1, nodes)),
        ),
        Mistake(
            "crosses_in_r_messages",
            "Across the groups a ring takes R − 1 messages each way, and each is an R-th of the shard.",
            {"exposed += 2 * (replicas - 1)": "exposed += 2 * replicas * (replicas > 1)"},
            accepts=by_rule(across=lambda R, wait_s, sent_s: 2 * R * (R > 1) * (wait_s + sent_s / R)),
        ),
        Mistake(
            "crosses_with_whole_gradients",
            "A GPU all-reduces its own shard's gradient across the groups, which has 1/G of the parameters.",
            {"sent = gradient * parameters / group / replicas": "sent = gradient * parameters / replicas"},
            accepts=by_rule(crossing=lambda weight, gradient, group: gradient),
        ),
        Mistake(
            "crosses_with_the_weights_width",
            "Groups all-reduce gradients, not weights: the recipe says how wide they are.",
            {"sent = gradient * parameters": "sent = weight * parameters"},
            accepts=by_rule(crossing=lambda weight, gradient, group: weight / group),
        ),
        Mistake(
            "crosses_with_two_latencies",
            "Across the groups each message takes the latency, not each phase: a ring's all-reduce has 2(R − 1) "
            "messages.",
            {"2 * (replicas - 1) * (latency_s + sent)": "2 * ((replicas - 1) * sent + latency_s * (replicas > 1))"},
            accepts=by_rule(across=lambda R, wait_s, sent_s: 2 * ((R - 1) * sent_s / R + wait_s * (R > 1))),
        ),
        Mistake(
            "gathers_once_a_step",
            "Stage 3 frees a layer after it has run, so each micro-batch gathers it anew.",
            {"(micro_batches if stage == 3 else stage > 0)": "(stage > 0)"},
            accepts=by_rule(gathers_once=True),
        ),
        Mistake(
            "counts_the_ends_as_the_middle",
            "While the first layer of a pass runs, nothing is reduced yet, and while the last one runs, nothing is "
            "gathered: compare gather and reduction with these two apart.",
            {"max(0, fetch - run) + middle + max(0, take - run)": "middle + max(0, fetch + take - run)"},
            accepts=by_rule(ends_apart=False),
        ),
        Mistake("takes_one_design", "This is right for one input only.", lambda **_: (1, 2, "adam")),
    ],
)
