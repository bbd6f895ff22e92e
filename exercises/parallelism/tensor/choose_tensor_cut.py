"""Exercise: among how many ranks to cut some layers, and where in the cluster to put them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.flops import attention_forward_flops
from snippets.memory.memory_equation.activations import layer_activation_bytes
from snippets.parallelism.tensor.placed_rings import placed_all_reduce


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
    """Choose the ranks of tensor parallelism and how many stand in one node.

    Each layer has matrices of h × h for queries and for the attention's
    output, of h × 4h and 4h × h for the feed-forward block, and h × h_head
    for every key head and every value head, where h_head = h / heads. A
    parameter takes 18 bytes. Query heads are dealt evenly in order; key-value
    heads are dealt too, or where there are more ranks than these, each rank
    has a copy of one. Sequence parallelism gathers blocks' inputs again, so
    that a layer keeps 34·s·h/t bytes of activations, of one sequence, without
    its scores.

    A step of a layer, forward and backward, takes 6 operations for each token
    and each parameter that the rank holds, 12·s²·h/t for attention's scores,
    and ten halves of a ring, each of (t − 1)/t·s·h numbers of 2 bytes. Nothing
    overlaps and messages have no latency. In one node a ring's bandwidth is
    node_bytes_per_s. In several nodes with g ranks each there are g rings, and
    it is min(g/(g − 1)·node_bytes_per_s, g·adapter_bytes_per_s), or
    adapter_bytes_per_s if g is 1.

    Args:
        layers: of the model, all on these ranks.
        hidden: h, width of the residual stream.
        heads: query heads; they divide ``hidden``.
        shared: key-value heads; they divide ``heads``.
        sequence: tokens s.
        gpus_per_node: of the cluster; g divides it.
        nodes: of the cluster; t is g times a whole number up to this.
        memory_bytes: of a GPU, for parameters' 18 bytes and activations.
        flops_per_s: rate of a GPU.
        node_bytes_per_s: of a GPU within its node, in one direction.
        adapter_bytes_per_s: of its network adapter, in one direction.
        limit_s: the most that a step of all layers may take.
        budget_gpu_s: the most that it may cost: t times that time.

    Returns:
        t and g. t divides the heads, and it divides the key-value heads or is a
        multiple of them. Any choice that meets the three limits is right.
        ``None`` where there is none.

    >>> choose_tensor_cut(
    ...     layers=1, hidden=4, heads=4, shared=4, sequence=2, gpus_per_node=2,
    ...     nodes=2, memory_bytes=2000, flops_per_s=1e3, node_bytes_per_s=1e3,
    ...     adapter_bytes_per_s=1e2, limit_s=2.0, budget_gpu_s=4.0,
    ... )
    (2, 2)
    """
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
            if held <= memory_bytes and step <= limit_s and t * step <= budget_gpu_s:
                return t, g
    return None


SIZES = ("layers", "hidden", "heads", "shared", "sequence")
RATES = ("flops_per_s", "node_bytes_per_s", "adapter_bytes_per_s")


def designs(inputs: Inputs) -> Iterator[tuple[int, int]]:
    """Yield every design that there is."""
    for g in range(1, inputs["gpus_per_node"] + 1):
        for m in range(1, inputs["nodes"] + 1):
            if not why_there_is_not((g * m, g), inputs):
                yield g * m, g


def why_there_is_not(design: tuple[int, int], inputs: Inputs) -> str:
    """Say what is wrong with a design that there is not."""
    (t, g), shared = design, inputs["shared"]
    if g < 1 or inputs["gpus_per_node"] % g:
        return f"{g} ranks in a node, which does not divide its {inputs['gpus_per_node']} GPUs"
    if t < 1 or t % g or t // g > inputs["nodes"]:
        return f"t = {t} is not g = {g} times a number of nodes from 1 to {inputs['nodes']}"
    if inputs["heads"] % t:
        return f"{t} ranks do not divide {inputs['heads']} heads"
    if shared % t and t % shared:
        return f"{t} ranks neither divide {shared} key-value heads nor are a multiple of them"
    return ""


@cache
def judged(
    t: int,
    g: int,
    layers: int,
    hidden: int,
    heads: int,
    shared: int,
    sequence: int,
    flops_per_s: float,
    node_bytes_per_s: float,
    adapter_bytes_per_s: float,
) -> tuple[float, float]:
    """Return what the fullest rank holds, and a step's time: matrices by their shapes, rings message by message."""
    own, group, d = heads // t, heads // shared, hidden // heads
    used = len({head // group for head in range(own)})  # by rank 0; all have as many
    matrices = [(hidden, own * d), *[(hidden, d)] * (2 * used), (own * d, hidden), *[(hidden, 4 * hidden / t)] * 2]
    parameters = sum(rows * columns for rows, columns in matrices)
    kept = layer_activation_bytes(
        sequence=sequence, micro_batch=1, hidden=hidden, heads=heads, recomputation="selective"
    )
    scores = attention_forward_flops(batch=1, sequence=sequence, hidden=hidden) / t
    compute = 3 * (sum(2 * sequence * rows * columns for rows, columns in matrices) + scores) / flops_per_s
    links = {"node_bytes_per_s": node_bytes_per_s, "adapter_bytes_per_s": adapter_bytes_per_s}
    ring = placed_all_reduce(nodes=t // g, gpus_in_node=g, size_bytes=2 * sequence * hidden, **links)
    return layers * (18 * parameters + kept / t), layers * (compute + 10 / 2 * ring.time_s)


def cost(design: tuple[int, int], inputs: Inputs) -> tuple[float, float]:
    return judged(*design, *(inputs[name] for name in SIZES + RATES))


HAIR = 1e-9


def meets(design: tuple[int, int], inputs: Inputs) -> bool:
    held, step = cost(design, inputs)
    room = 1 + HAIR
    return (
        held <= inputs["memory_bytes"] * room
        and step <= inputs["limit_s"] * room
        and design[0] * step <= inputs["budget_gpu_s"] * room
    )


def told(design: tuple[int, int], inputs: Inputs) -> str:
    (t, g), (held, step) = design, cost(design, inputs)
    ranks = "1 rank" if t == 1 else f"{t} ranks"
    return f"{ranks}, {g} in a node: {held:,.0f} bytes, {step:.4g} s, {t * step:.4g} GPU-seconds"


def one_that_meets(**inputs: Any) -> str | None:
    """Try every design."""
    found = [design for design in designs(inputs) if meets(design, inputs)]
    if not found:
        return None
    best = min(found, key=lambda design: cost(design, inputs)[1])
    return f"one that meets all limits, such as {told(best, inputs)}"


def fault(chosen: Any, **inputs: Any) -> str:
    """Say what is wrong with the design that is chosen."""
    t, g = chosen
    if why := why_there_is_not((t, g), inputs):
        return f"({t}, {g}): {why}"
    if meets((t, g), inputs):
        return ""
    held, step = cost((t, g), inputs)
    wrong = [f"{held - inputs['memory_bytes']:,.0f} bytes too many"] * (held > inputs["memory_bytes"])
    wrong += [f"{step - inputs['limit_s']:.3g} s too long"] * (step > inputs["limit_s"])
    wrong += [f"{t * step - inputs['budget_gpu_s']:.3g} GPU-seconds too dear"] * (t * step > inputs["budget_gpu_s"])
    return f"{told((t, g), inputs)}, {' and '.join(wrong)}"


def cluster(
    model: tuple[int, int, int, int, int], nodes: tuple[int, int], rates: tuple[float, float, float], **limits: Any
) -> Inputs:
    return {
        **dict(zip(SIZES, model, strict=True)),
        "gpus_per_node": nodes[0],
        "nodes": nodes[1],
        **dict(zip(RATES, rates, strict=True)),
        **limits,
    }


def on_the_edges(base: Inputs) -> Iterator[Inputs]:
    """Yield a cluster with limits around those of each design, so that it meets them or misses one of the three.

    Then the same around designs that heads or key-value heads forbid, where no design that there is meets the limits.
    """
    found = {design: cost(design, base) for design in designs(base)}
    for design, (held, step) in found.items():
        dear = design[0] * step
        for memory, limit, budget in ((1, 1, 1), (0.99, 1, 1), (1, 0.99, 1), (1, 1, 0.99), (1, 1, 9), (9, 1, 1)):
            yield {**base, **limits(held * memory, step * limit, dear * budget)}
    for g in (g for g in range(1, base["gpus_per_node"] + 1) if base["gpus_per_node"] % g == 0):
        for t in (g * m for m in range(1, base["nodes"] + 1)):
            if (t, g) not in found:
                held, step = forbidden_cost((t, g), base)
                inputs = {**base, **limits(held, step, t * step)}
                if not any(meets(design, inputs) for design in found):
                    yield inputs


def limits(held: float, step: float, dear: float) -> dict[str, float]:
    """Return limits that leave these a little room."""
    room = 1.0005
    seconds = {"limit_s": float(f"{step * room:.6g}"), "budget_gpu_s": float(f"{dear * room:.6g}")}
    return {"memory_bytes": math.ceil(held * room), **seconds}


def forbidden_cost(design: tuple[int, int], inputs: Inputs) -> tuple[float, float]:
    """Return what the stub's formulas make of a design that there is not."""
    (t, g), (layers, h, heads, shared, s) = design, (inputs[name] for name in SIZES)
    parameters = 10 * h * h / t + 2 * h * h // heads * max(1, shared // t)
    links = {name: inputs[name] for name in RATES[1:]}
    ring = placed_all_reduce(nodes=t // g, gpus_in_node=g, size_bytes=2 * s * h, **links)
    compute = (6 * s * parameters + 12 * s * s * h / t) / inputs["flops_per_s"]
    return layers * (18 * parameters + 34 * s * h / t), layers * (compute + 5 * ring.time_s)


def by_formulas(
    design: tuple[int, int],
    inputs: Inputs,
    *,
    halves: int = 10,
    one_adapter: bool = False,
    copies: bool = True,
    flops: int = 6,
) -> tuple[float, float]:
    """Return what a rank holds and a step's time by the stub's formulas, with a slip in some of them."""
    (t, g), (layers, h, heads, shared, s) = design, (inputs[name] for name in SIZES)
    node, adapter = inputs["node_bytes_per_s"], inputs["adapter_bytes_per_s"]
    own = 10 * h * h / t + 2 * h * h / heads * (max(1, shared / t) if copies else shared / t)
    rings = 1 if one_adapter else g
    across = min(g / (g - 1) * node, rings * adapter) if g > 1 else adapter
    compute = (flops * s * own + 2 * flops * s * s * h / t) / inputs["flops_per_s"]
    sent = halves * (t - 1) / t * 2 * s * h
    return layers * (18 * own + 34 * s * h / t), layers * (compute + sent / (node if t == g else across))


def by_rule(
    *,
    divides: str = "heads",
    taken: Callable[[tuple[int, int], Inputs], bool] = lambda design, inputs: True,
    budget: bool = True,
    **slips: Any,
) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip: whether it is there and meets the limits."""

    def meets_it(design: tuple[int, int], inputs: Inputs) -> bool:
        there = not why_there_is_not(design, {**inputs, "heads": inputs[divides]}) and taken(design, inputs)
        held, step = by_formulas(design, inputs, **slips) if there else (math.inf, math.inf)
        room = 1 + HAIR
        affordable = not budget or design[0] * step <= inputs["budget_gpu_s"] * room
        return affordable and held <= inputs["memory_bytes"] * room and step <= inputs["limit_s"] * room

    def accepts(chosen: tuple[int, int] | None, **inputs: Any) -> bool:
        if chosen is not None:
            return meets_it(chosen, inputs)
        sides = product(range(1, inputs["gpus_per_node"] + 1), range(1, inputs["nodes"] + 1))
        return not any(meets_it((g * m, g), inputs) for g, m in sides)

    return accepts


SLOW, EVEN, FAST = (1e6, 1e5, 1e4), (1e6, 3e4, 2e4), (4e6, 2e4, 3e4)  # operations, node, adapter
CLUSTERS = [
    cluster((2, 24, 12, 12, 6), (4, 3), SLOW),
    cluster((3, 24, 12, 4, 5), (2, 4), EVEN),
    cluster((1, 32, 16, 2, 12), (4, 4), FAST),
    cluster((2, 48, 24, 6, 8), (8, 3), SLOW),
    cluster((1, 24, 8, 1, 40), (8, 1), EVEN),
    cluster((2, 36, 6, 3, 9), (6, 2), SLOW),
    cluster((1, 16, 16, 8, 3), (2, 8), FAST),
    cluster((1, 24, 12, 12, 6), (2, 4), SLOW),
]
SMALLEST = cluster((1, 4, 4, 4, 2), (2, 2), (1e3, 1e3, 1e2), memory_bytes=2000, limit_s=2.0, budget_gpu_s=4.0)
# Rates that are powers of two, so that limits can be met exactly.
EXACT = cluster((1, 4, 4, 4, 2), (2, 2), (1024.0, 1024.0, 128.0))
# A stage of 12 layers of GPT-3 on nodes of 8 H100s at half of their peak rate.
GPT3 = cluster(
    (12, 12288, 96, 96, 2048),
    (8, 4),
    (494.7e12, 450e9, 50e9),
    memory_bytes=72 * 10**9,
    limit_s=0.1,
    budget_gpu_s=0.7,
)
# The same on nodes of 4.
SMALL_NODES = {**GPT3, "gpus_per_node": 4, "nodes": 8, "budget_gpu_s": 0.8}


CHOICE = Choice("design", one_that_meets, fault, none="None, since no design meets all limits")


INPUTS: list[Inputs] = [inputs for base in CLUSTERS for inputs in on_the_edges(base)]


def drawn(chance: Random) -> list[Inputs]:
    """Return small models on small clusters, with limits around those of their designs, beside the book's own."""
    found: list[Inputs] = []
    for _ in range(8):
        heads = chance.choice((6, 8, 12, 16))
        shared = chance.choice([count for count in range(1, heads + 1) if heads % count == 0])
        model = (chance.randint(1, 3), heads * chance.choice((1, 2, 4)), heads, shared, chance.randint(3, 30))
        nodes = chance.choice(((4, 3), (2, 4), (4, 4), (8, 2), (6, 2)))
        several = list(on_the_edges(cluster(model, nodes, chance.choice((SLOW, EVEN, FAST)))))
        found += chance.sample(several, min(16, len(several)))
    return [*INPUTS, *found]


def taught() -> str:
    t, g = choose_tensor_cut(**GPT3) or (0, 0)
    held, step = cost((t, g), GPT3)
    others = [one for one in designs(GPT3) if cost(one, GPT3)[0] <= GPT3["memory_bytes"] and one != (t, g)]
    next_cost = min(one[0] * cost(one, GPT3)[1] for one in others)
    on_4 = choose_tensor_cut(**{**GPT3, "gpus_per_node": 4, "nodes": 8})
    return (
        f"t = {t}, {g} of them in a node: {held / 1e9:.1f} GB, {step:.3f} s and {t * step:.2f} GPU-seconds. Of the "
        f"others that fit, the cheapest costs {next_cost:.2f}. On nodes of 4 the answer is {on_4}: eight ranks have to "
        "leave the node, and with the slower ring they cost more than the budget."
    )


EXERCISE = Exercise(
    choose_tensor_cut,
    number=4,
    level="hard",
    asked="ranks and placement with which some layers fit, are quick enough and do not cost too much",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "memory_bytes": 1100},
        {**SMALLEST, "memory_bytes": 1100, "budget_gpu_s": 9.0},
        {**SMALLEST, "memory_bytes": 1864, "gpus_per_node": 2, "nodes": 1},
        {**SMALLEST, "limit_s": 0.5},
        {**EXACT, "memory_bytes": 1864, "limit_s": 1.296875, "budget_gpu_s": 2.59375},
        {**EXACT, "memory_bytes": 1863, "limit_s": 1.296875, "budget_gpu_s": 2.59375},
        {**EXACT, "gpus_per_node": 4, "nodes": 1, "memory_bytes": 1100, "limit_s": 9.0, "budget_gpu_s": 9.0},
        {**EXACT, "memory_bytes": 9000, "limit_s": 1.296875, "budget_gpu_s": 4.0},
        {**EXACT, "memory_bytes": 9000, "limit_s": 9.0, "budget_gpu_s": 2.4375},
        SMALL_NODES,
        GPT3,
    ],
    inputs=INPUTS,
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_budget",
            "Every rank is paid for: t times the time is to keep to the budget.",
            {" and t * step <= budget_gpu_s": ""},
            accepts=by_rule(budget=False),
        ),
        Mistake(
            "one_adapter_for_all",
            "With g ranks in a node there are g rings, each through another adapter: g times the bandwidth of one.",
            {"beta = g * adapter_bytes_per_s": "beta = adapter_bytes_per_s"},
            accepts=by_rule(one_adapter=True),
        ),
        Mistake(
            "four_all_reduces",
            "The blocks gather their inputs again in the backward pass: ten halves of an all-reduce, not eight.",
            {"10 * (t - 1)": "8 * (t - 1)"},
            accepts=by_rule(halves=8),
        ),
        Mistake(
            "no_copies",
            "With more ranks than key-value heads each rank holds a copy of one: its keys and values do not shrink "
            "further.",
            {"max(1, shared // t)": "(shared / t)"},
            accepts=by_rule(copies=False),
        ),
        Mistake(
            "divides_the_width",
            "It is not enough that the ranks divide the width: they have to divide the query heads.",
            {"heads % t or": "hidden % t or"},
            accepts=by_rule(divides="hidden"),
        ),
        Mistake(
            "whole_nodes_alone",
            "A group may take a part of each node, if that divides its GPUs.",
            {"range(gpus_per_node, 0, -1)": "(gpus_per_node,)"},
            accepts=by_rule(taken=lambda design, inputs: design[1] == inputs["gpus_per_node"]),
        ),
        Mistake(
            "forward_alone",
            "A token and a parameter take 6 operations, forward and backward, not 2.",
            {"6 * sequence * own + 12": "2 * sequence * own + 4"},
            accepts=by_rule(flops=2),
        ),
        Mistake(
            "nodes_in_even_shares",
            "The ranks may stand in any number of nodes up to all of them: 3 of 4, for example.",
            {"for m in range(1, nodes + 1)": "for m in [m for m in range(1, nodes + 1) if nodes % m == 0]"},
            accepts=by_rule(taken=lambda design, inputs: inputs["nodes"] % (design[0] // design[1]) == 0),
        ),
        Mistake("says_one_thing", "This is right for one input only.", lambda **_: (2, 2)),
    ],
)
