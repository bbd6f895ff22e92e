"""Exercise: the fastest layout of a model on a cluster that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake

Design = tuple[int, int, bool]


def choose_layout(
    *,
    gpus: int,
    layers: int,
    sequences: int,
    parameters: int,
    kept_bytes: int,
    input_bytes: int,
    memory_bytes: int,
    compute_s: float,
    waiting: Mapping[int, float],
    gather_s: float,
) -> tuple[int, int, bool] | None:
    """Choose t, p and whether to recompute, so that a step is fastest.

    With t·p GPUs to a copy there are d = gpus/(t·p) copies, of which each
    takes m = sequences/d micro-batches of one sequence. t is a key of waiting,
    p divides the layers, t·p the GPUs and d the sequences.

    State, for each parameter: with p = 1 it is fully sharded, 16/(t·d) bytes;
    else ZeRO's stage 1, (4 + 12/d)/(t·p) bytes. Activations of one sequence:
    kept_bytes/t, or input_bytes/t with recomputation, in all stages together.
    A stage has a p-th of them and holds them for min(m, p) micro-batches.

    A GPU computes for compute_s in a step, or 4/3 of that with recomputation.
    The waiting of the tensor group comes on top, as a share of that. With
    p > 1 the pipeline idles for (p − 1)/m of both. With p = 1 the network
    takes gather_s for each micro-batch, and what is longer than its compute
    and waiting is exposed.

    Args:
        gpus: of the cluster; all are used.
        layers: of the model.
        sequences: of a step, of all GPUs together.
        parameters: of the model.
        kept_bytes: activations of one sequence that all layers keep.
        input_bytes: the same, if layers keep only their inputs.
        memory_bytes: of a GPU; all of it may be used.
        compute_s: of a GPU in a step, the same for all layouts.
        waiting: for each t that there may be, the waiting of a tensor group
            as a share of its computing.
        gather_s: of a micro-batch, the same for every t.

    Returns:
        t, p, and whether to recompute: the fastest that fits, or one that is
        as fast. ``None`` where none fits.

    >>> choose_layout(
    ...     gpus=4, layers=4, sequences=8, parameters=40, kept_bytes=100,
    ...     input_bytes=20, memory_bytes=215, compute_s=12.0,
    ...     waiting={1: 0.0, 2: 0.125}, gather_s=3.0,
    ... )
    (2, 1, False)
    """
    best = None
    for t, wait in waiting.items():
        for p in range(1, layers + 1):
            if layers % p or gpus % (t * p) or sequences % (gpus // (t * p)):
                continue
            d = gpus // (t * p)
            m = sequences // d
            own = parameters / (t * p)
            state = own * 16 / d if p == 1 else own * (4 + 12 / d)
            for again in (False, True):
                kept = (input_bytes if again else kept_bytes) / t / p * min(m, p)
                busy = compute_s * (4 / 3 if again else 1) * (1 + wait)
                idle = (p - 1) / m * busy
                exposed = m * max(0, gather_s - busy / m) if p == 1 else 0
                step = busy + idle + exposed
                if state + kept <= memory_bytes and (best is None or step < best[0]):
                    best = step, (t, p, again)
    return best and best[1]


HAIR = 1e-9


def designs(inputs: Inputs) -> Iterator[Design]:
    """Yield all designs that there are."""
    for t, p, again in product(inputs["waiting"], range(1, inputs["layers"] + 1), (False, True)):
        if not why_there_is_not((t, p, again), inputs):
            yield t, p, again


def why_there_is_not(design: Design, inputs: Inputs) -> str:
    """Say what is wrong with a design that there is not."""
    t, p, _ = design
    if t not in inputs["waiting"]:
        return f"t is one of {', '.join(map(str, inputs['waiting']))}"
    if p < 1 or inputs["layers"] % p:
        return f"{p} stages do not divide {inputs['layers']} layers"
    if inputs["gpus"] % (t * p):
        return f"t·p = {t * p} does not divide {inputs['gpus']} GPUs"
    if inputs["sequences"] % (inputs["gpus"] // (t * p)):
        return f"{inputs['gpus'] // (t * p)} copies do not divide {inputs['sequences']} sequences"
    return ""


def cost(
    design: Design,
    inputs: Inputs,
    *,
    again_costs: int = 1,
    in_flight: bool = True,
    cut_kept: bool = True,
    bubble: bool = True,
    exposes: bool = True,
    stage: int = 1,
    waits: bool = True,
    idle_of_step: bool = False,
    always_p: bool = False,
    waits_once: bool = False,
    spare: int = 0,
) -> tuple[float, float]:
    """Return what a GPU holds and a step's time, counted task by task; the options are slips.

    A forward pass is one unit, a backward pass two, and recomputation one more; a pipeline's makespan is m + p − 1
    micro-batches long, of which the slot on the critical path are counted.
    """
    (t, p, again), copies = design, inputs["gpus"] // (design[0] * design[1])
    m, units = inputs["sequences"] // copies, 3 + again_costs * again
    waiting = inputs["waiting"][t] * waits * (3 / units if waits_once else 1)
    one_s = units * inputs["compute_s"] / 3 / m * (1 + waiting)
    slots = m + (p - 1) * bubble
    if idle_of_step:
        slots = m * (1 + (p - 1) / (m + p - 1))
    if p == 1 and exposes:
        one_s = max(one_s, inputs["gather_s"])
    left = {1: 4, 2: 2}[stage] if p > 1 else 0
    state = inputs["parameters"] * (left + (16 - left) / copies) / (t * p)
    kept = inputs["input_bytes"] if again else inputs["kept_bytes"]
    stored = kept / (t if cut_kept else 1) / p * ((p if always_p else min(m, p)) if in_flight else 1)
    return state + stored + spare, slots * one_s


def fits(design: Design, inputs: Inputs, **slips: Any) -> bool:
    return cost(design, inputs, **slips)[0] <= inputs["memory_bytes"] * (1 + HAIR)


def least_s(inputs: Inputs, **slips: Any) -> float | None:
    """Return the least time of what fits."""
    return min((cost(one, inputs, **slips)[1] for one in designs(inputs) if fits(one, inputs, **slips)), default=None)


def fastest(**inputs: Any) -> str | None:
    """Try every design."""
    least = least_s(inputs)
    return None if least is None else f"one that fits and takes {least:.5g} s"


def fault(chosen: Any, **inputs: Any) -> str:
    """Say what is wrong with the design that is chosen."""
    design: Design = tuple(chosen)
    if why := why_there_is_not(design, inputs):
        return f"{design}: {why}"
    held, step = cost(design, inputs)
    if not fits(design, inputs):
        return f"{design} holds {held:,.0f} bytes, {held - inputs['memory_bytes']:,.0f} too many"
    least = least_s(inputs) or 0.0
    return "" if step <= least * (1 + 1e-6) else f"{design} takes {step:.5g} s, and {least:.5g} s are possible"


def by_rule(**slips: Any) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip."""

    def accepts(chosen: Design | None, **inputs: Any) -> bool:
        least = least_s(inputs, **slips)
        if chosen is None or least is None:
            return chosen is None and least is None
        right = not why_there_is_not(chosen, inputs) and fits(chosen, inputs, **slips)
        return right and cost(chosen, inputs, **slips)[1] <= least * (1 + 1e-6)

    return accepts


SMALLEST: Inputs = {
    "gpus": 4,
    "layers": 4,
    "sequences": 8,
    "parameters": 40,
    "kept_bytes": 100,
    "input_bytes": 20,
    "memory_bytes": 215,
    "compute_s": 12.0,
    "waiting": {1: 0.0, 2: 0.125},
    "gather_s": 3.0,
}
# Inputs on which slips choose otherwise: a memory that is filled exactly, fewer micro-batches than stages, a bubble
# that decides, and waiting that grows with recomputation.
EXACT: Inputs = {**SMALLEST, "memory_bytes": 210}
FEW: Inputs = {
    **SMALLEST,
    "gpus": 8,
    "sequences": 2,
    "kept_bytes": 400,
    "memory_bytes": 275,
    "compute_s": 24.0,
    "waiting": {1: 0.0, 2: 0.25},
}
CLOSE: Inputs = {**FEW, "kept_bytes": 200, "input_bytes": 40, "memory_bytes": 305, "gather_s": 1.0}
AGAIN: Inputs = {
    "gpus": 24,
    "layers": 4,
    "sequences": 96,
    "parameters": 220,
    "kept_bytes": 3836,
    "input_bytes": 316,
    "memory_bytes": 653,
    "compute_s": 8.0,
    "waiting": {1: 0.0, 2: 0.0714, 4: 0.2143, 8: 0.5},
    "gather_s": 3.0,
}
# A third of the state that is no whole number of bytes, a t-th of the activations that is none, and gathers that one
# pipeline hides.
THIRD: Inputs = {
    **SMALLEST,
    "gpus": 3,
    "layers": 1,
    "sequences": 3,
    "parameters": 10,
    "memory_bytes": 153,
    "waiting": {1: 0.0},
}
HALVES: Inputs = {
    **AGAIN,
    "layers": 12,
    "parameters": 59,
    "kept_bytes": 3365,
    "input_bytes": 325,
    "memory_bytes": 900,
    "waiting": {1: 0.0, 2: 0.0286, 4: 0.0857, 8: 0.2},
}
HIDDEN: Inputs = {
    "gpus": 8,
    "layers": 8,
    "sequences": 48,
    "parameters": 371,
    "kept_bytes": 2369,
    "input_bytes": 192,
    "memory_bytes": 1946,
    "compute_s": 31.0,
    "waiting": {1: 0.0, 2: 0.0714},
    "gather_s": 3.0,
}
# More stages than micro-batches are all that fits; eight copies, which do not divide the 12 bytes.
DEEP: Inputs = {**SMALLEST, "sequences": 2, "parameters": 100, "memory_bytes": 450, "waiting": {1: 0.0}}
EIGHT: Inputs = {
    **SMALLEST,
    "gpus": 16,
    "layers": 2,
    "sequences": 16,
    "parameters": 100,
    "memory_bytes": 360,
    "waiting": {1: 0.0},
    "gather_s": 100.0,
}
# Llama 3 70B on 16 nodes: what the chapter's model gives for its shapes, rounded.
ON_128: Inputs = {
    "gpus": 128,
    "layers": 80,
    "sequences": 512,
    "parameters": 70_553_706_496,
    "kept_bytes": 180 * 10**9,
    "input_bytes": 10_737_418_240,
    "memory_bytes": 72 * 10**9,
    "compute_s": 24.5,
    "waiting": {1: 0.0, 2: 0.03, 4: 0.093, 8: 0.24},
    "gather_s": 1.35,
}


def with_limits(base: Inputs) -> Iterator[Inputs]:
    """Yield a cluster with memories just above what its designs hold, and below the least."""
    held = sorted({cost(one, base)[0] for one in designs(base)})
    for size in held[:: max(1, len(held) // 8)]:
        yield {**base, "memory_bytes": int(size * 1.01) + 1}
    if held:
        yield {**base, "memory_bytes": max(1, int(held[0] * 0.9))}


GRADIENTS_STAY: Inputs = {  # only a stage that shards a pipeline's gradients fits more here
    "gpus": 32,
    "layers": 6,
    "sequences": 24,
    "parameters": 199,
    "kept_bytes": 1191,
    "input_bytes": 90,
    "memory_bytes": 286,
    "compute_s": 8.0,
    "waiting": {1: 0.0, 2: 0.0286},
    "gather_s": 3.0,
}


def drawn(chance: Random) -> list[Inputs]:
    found: list[Inputs] = []
    for _ in range(14):
        sizes = chance.choice(((1, 2), (1, 2, 4), (1, 2, 4, 8), (2, 4)))
        worst = chance.choice((0.05, 0.2, 0.5))
        base = {
            "gpus": 8 * chance.choice((1, 2, 3, 4)),
            "layers": chance.choice((4, 6, 8, 12)),
            "sequences": chance.choice((24, 48, 96)),
            "parameters": chance.randint(50, 500),
            "kept_bytes": chance.randint(500, 4000),
            "input_bytes": chance.randint(40, 400),
            "memory_bytes": 0,
            "compute_s": chance.choice((8.0, 20.0, 31.0)),
            "waiting": {t: round(worst * (t - 1) / 7, 4) for t in sizes},
            "gather_s": chance.choice((0.2, 1.0, 3.0)),
        }
        several = list(with_limits(base))
        found += chance.sample(several, min(6, len(several)))
    return [*found, GRADIENTS_STAY]


def taught() -> str:
    design = choose_layout(**ON_128)
    assert design is not None
    held, step = cost(design, ON_128)
    full, by_eight = cost((1, 1, True), ON_128)[1], cost((8, 4, False), ON_128)[1]
    return (
        f"{design}: {held / 1e9:.0f} GB and {step:.1f} s. Full sharding alone has to recompute and takes {full:.1f} s; "
        f"t = 8 with four stages takes {by_eight:.1f} s."
    )


CHOICE = Choice("layout", fastest, fault, none="None, since nothing fits")

EXERCISE = Exercise(
    choose_layout,
    number=4,
    level="hard",
    asked="the fastest (t, p, recomputation) that fits",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        SMALLEST,
        {**SMALLEST, "memory_bytes": 10},
        {**SMALLEST, "memory_bytes": 1000},
        {**SMALLEST, "memory_bytes": 183},
        {**SMALLEST, "memory_bytes": 1000, "gather_s": 9.0},
        EXACT,
        FEW,
        CLOSE,
        AGAIN,
        THIRD,
        HALVES,
        HIDDEN,
        DEEP,
        EIGHT,
        ON_128,
    ],
    inputs=drawn(Random(26)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "recomputes_for_free",
            "Recomputation runs every layer forward once more: a third of the computing on top.",
            {"(4 / 3 if again else 1)": "1"},
            accepts=by_rule(again_costs=0),
        ),
        Mistake(
            "one_micro_batch_in_flight",
            "A stage of 1F1B holds up to p micro-batches, so that p does not make the activations smaller.",
            {" * min(m, p)": ""},
            accepts=by_rule(in_flight=False),
        ),
        Mistake(
            "keeps_whole_activations",
            "With tensor and sequence parallelism a rank keeps a t-th of the activations.",
            {" / t / p * min": " / p * min"},
            accepts=by_rule(cut_kept=False),
        ),
        Mistake(
            "forgets_the_bubble",
            "A pipeline idles for (p − 1)/m of a step.",
            {"idle = (p - 1) / m * busy": "idle = 0"},
            accepts=by_rule(bubble=False),
        ),
        Mistake(
            "takes_the_bubble_of_the_step",
            "(p − 1)/(m + p − 1) is the bubble's share of the whole step; of the computing it is (p − 1)/m.",
            {"(p - 1) / m * busy": "(p - 1) / (m + p - 1) * busy"},
            accepts=by_rule(idle_of_step=True),
        ),
        Mistake(
            "always_p_in_flight",
            "With fewer micro-batches than stages only these are there: min(m, p).",
            {"min(m, p)": "p"},
            accepts=by_rule(always_p=True),
        ),
        Mistake(
            "waits_for_the_first_run_alone",
            "The waiting is a share of the computing, recomputation included.",
            {"compute_s * (4 / 3 if again else 1) * (1 + wait)": "compute_s * ((4 / 3 if again else 1) + wait)"},
            accepts=by_rule(waits_once=True),
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: what fills it exactly fits.",
            {"<= memory_bytes and": "< memory_bytes and"},
            accepts=by_rule(spare=1),
        ),
        Mistake(
            "forgets_the_gathers",
            "What the gathers take longer than a micro-batch computes is exposed.",
            {" if p == 1 else 0\n": " * 0\n"},
            accepts=by_rule(exposes=False),
        ),
        Mistake(
            "forgets_the_tensor_waiting",
            "The ranks of a tensor group wait for each other: that share comes on top.",
            {" * (1 + wait)": ""},
            accepts=by_rule(waits=False),
        ),
        Mistake(
            "stage_2_in_a_pipeline",
            "With several stages this is ZeRO's stage 1: gradients stay whole on each copy.",
            {"(4 + 12 / d)": "(2 + 14 / d)"},
            accepts=by_rule(stage=2),
        ),
        Mistake("says_one_layout", "This is right for one input only.", lambda **_: (2, 1, False)),
    ],
)
