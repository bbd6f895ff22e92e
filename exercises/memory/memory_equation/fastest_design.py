"""Exercise: what to recompute, and how many sequences at a time, so that a step fits and takes few operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.memory.activations import RECOMPUTATIONS
from snippets.memory.step_peak import gpt_step_sizes, step_peak_bytes
from snippets.memory.step_timeline import step_timeline

DESIGN, EXTRA = "the design", "operations more than the fastest design needs"


def fastest_design(
    *,
    layers: int,
    hidden: int,
    heads: int,
    vocabulary: int,
    sequence: int,
    sequences: int,
    memory_bytes: int,
    overhead_flops: int,
) -> tuple[str, int] | None:
    """Choose what to recompute and a micro-batch, for the fewest operations.

    A step processes all its sequences on one device, in equal micro-batches.
    Adam in mixed precision has 16 bytes a parameter; scores are stored unless
    they are recomputed. With s = sequence, h = hidden, V = vocabulary, the
    forward pass of one sequence takes 24sh² + 4s²h operations in a layer
    (4s²h for the scores) and 2shV in the head. The backward pass takes twice
    as many, and besides what is recomputed.

    Args:
        layers: layers of the GPT, which has no table of positions.
        hidden: its width.
        heads: its heads.
        vocabulary: its words.
        sequence: tokens of a sequence.
        sequences: sequences of a step. With more than one micro-batch their
            gradients are added up, in buffers that are there throughout.
        memory_bytes: memory of the device; all of it may be used.
        overhead_flops: what each micro-batch costs besides, in operations.

    Returns:
        What is recomputed ("none", "selective": the scores, "full": whole
        layers) and the sequences of a micro-batch, which divide the step's;
        None where no such design fits. Where several are fastest, any of them.

    >>> fastest_design(
    ...     layers=2, hidden=8, heads=2, vocabulary=10, sequence=8,
    ...     sequences=2, memory_bytes=41_000, overhead_flops=1000,
    ... )
    ('none', 2)
    """
    scores = 4 * sequence**2 * hidden
    layer = 24 * sequence * hidden**2 + scores
    step = 3 * (layers * layer + 2 * sequence * hidden * vocabulary)
    again = {"none": 0, "selective": layers * scores, "full": layers * layer}
    best, least = None, math.inf
    for recomputed, more in again.items():
        for micro_batch in range(1, sequences + 1):
            if sequences % micro_batch:
                continue
            sizes = gpt_step_sizes(
                layers=layers,
                hidden=hidden,
                heads=heads,
                vocabulary=vocabulary,
                sequence=sequence,
                micro_batch=micro_batch,
                recomputation=recomputed,
            )
            several = micro_batch < sequences
            peak = step_peak_bytes(sizes, keep_gradients=several)
            flops = sequences // micro_batch * overhead_flops
            flops += sequences * (step + more)
            if peak <= memory_bytes and flops < least:
                best, least = (recomputed, micro_batch), flops
    return best


SHAPE = ("layers", "hidden", "heads", "vocabulary", "sequence")


@cache
def held_bytes(recomputed: str, micro_batch: int, several: bool, *shape: int) -> int:
    """Run the step on the simulator, and return the most that it holds."""
    layers, hidden, heads, vocabulary, sequence = shape
    sizes = gpt_step_sizes(
        layers=layers,
        hidden=hidden,
        heads=heads,
        vocabulary=vocabulary,
        sequence=sequence,
        micro_batch=micro_batch,
        recomputation=recomputed,
    )
    return step_timeline(sizes, keep_gradients=several).peak_bytes


def cost(recomputed: str, micro_batch: int, run: Inputs) -> int:
    """Add up a step's operations, one micro-batch after the other, pass by pass."""
    s, h = run["sequence"], run["hidden"]
    core, matrices, head = 4 * s * s * h, 24 * s * h * h, 2 * s * h * run["vocabulary"]
    made_again = {"none": 0, "selective": core, "full": core + matrices}[recomputed]
    total = 0
    for _ in range(run["sequences"] // micro_batch):
        forward = micro_batch * (run["layers"] * (core + matrices) + head)
        total += run["overhead_flops"] + forward + 2 * forward + micro_batch * run["layers"] * made_again
    return total


def fits(recomputed: str, micro_batch: int, run: Inputs) -> bool:
    shape = [run[name] for name in SHAPE]
    return held_bytes(recomputed, micro_batch, micro_batch < run["sequences"], *shape) <= run["memory_bytes"]


def designs(run: Inputs) -> list[tuple[str, int]]:
    """List every design that fits."""
    sizes = [size for size in range(1, run["sequences"] + 1) if run["sequences"] % size == 0]
    return [(made, size) for made in RECOMPUTATIONS for size in sizes if fits(made, size, run)]


def the_fastest(**run: Any) -> Observation:
    return {DESIGN: "fits", EXTRA: 0} if designs(run) else {DESIGN: "is None"}


def observe(function: Callable[..., Any], **run: Any) -> Observation:
    """Say whether the design fits on the simulator, and how many operations it takes more than the best."""
    design = function(**run)
    if design is None:
        return {DESIGN: "is None"}
    recomputed, micro_batch = design
    if recomputed not in RECOMPUTATIONS:
        return {DESIGN: f"recomputes {recomputed!r}"}
    if type(micro_batch) is not int or micro_batch < 1 or run["sequences"] % micro_batch:
        return {DESIGN: f"has a micro-batch of {micro_batch}, which does not divide the step's sequences"}
    if not fits(recomputed, micro_batch, run):
        return {DESIGN: "does not fit"}
    return {DESIGN: "fits", EXTRA: cost(recomputed, micro_batch, run) - min(cost(*one, run) for one in designs(run))}


def step_of(sequences: int, memory_bytes: int, overhead_flops: int, *shape: int) -> Inputs:
    run = dict(zip(SHAPE, shape or (2, 8, 2, 10, 8), strict=True))
    return {**run, "sequences": sequences, "memory_bytes": memory_bytes, "overhead_flops": overhead_flops}


def some_step(seed: int) -> Inputs:
    """Draw a small step; its device holds what some design needs, a byte less, or a little more."""
    chance = Random(seed)
    heads = chance.choice([1, 2, 4])
    shape = (
        chance.randint(1, 3),
        heads * chance.choice([2, 4, 8]),
        heads,
        chance.randint(2, 40),
        chance.randint(4, 32),
    )
    sequences = chance.choice([1, 2, 4, 6, 12])
    sizes = [size for size in range(1, sequences + 1) if sequences % size == 0]
    recomputed, size = chance.choice(RECOMPUTATIONS), chance.choice(sizes)
    memory = held_bytes(recomputed, size, size < sequences, *shape) + chance.choice([0, 0, -1, 100])
    forward = shape[0] * (24 * shape[4] * shape[1] ** 2 + 4 * shape[4] ** 2 * shape[1])
    return step_of(sequences, memory, chance.choice([0, forward // 20, forward // 2, 3 * forward]), *shape)


def largest_micro_batch_of_all(**run: Any) -> Any:
    return max(designs(run), key=lambda design: design[1], default=None)


def least_recomputation(**run: Any) -> Any:
    """Take the first choice that fits at all, with its largest micro-batch."""
    fitting = designs(run)
    return max((one for one in fitting if one[0] == fitting[0][0]), key=lambda one: one[1]) if fitting else None


EXERCISE = Exercise(
    fastest_design,
    number=4,
    level="hard",
    asked="what to recompute, and a micro-batch, so that a step fits and takes the fewest operations",
    expected=the_fastest,
    observe=observe,
    examples=[
        step_of(1, 41_000, 0),
        step_of(2, 41_000, 1000),
        step_of(1, 1000, 0),
        step_of(16, 80 * 10**9, 6 * 10**12, 30, 3072, 32, 51200, 2048),
    ],
    inputs=[some_step(seed) for seed in range(60)],
    units={EXTRA: "operations"},
    mistakes=[
        Mistake(
            "forgets_the_accumulation",
            "With several micro-batches the gradients of the first are there when the second is at its peak.",
            {"keep_gradients=several": "keep_gradients=False"},
        ),
        Mistake(
            "always_accumulates",
            "A single micro-batch accumulates nothing: its gradients come when the activations go.",
            {"keep_gradients=several": "keep_gradients=True"},
        ),
        Mistake(
            "takes_any_micro_batch",
            "The micro-batches of a step are equal: their size has to divide the step's sequences.",
            {"if sequences % micro_batch:": "if False:"},
        ),
        Mistake(
            "forgets_the_overhead",
            "Every micro-batch costs overhead_flops: count them.",
            {"sequences // micro_batch * overhead_flops": "0"},
        ),
        Mistake(
            "forgets_what_is_made_again",
            "What is recomputed costs operations too; the largest micro-batch need not be the fastest.",
            {"(step + more)": "step"},
        ),
        Mistake(
            "never_recomputes_all",
            "Full recomputation may be the only design that fits, or the fastest.",
            {', "full": layers * layer}': "}"},
        ),
        Mistake(
            "never_recomputes",
            "Without recomputation a design may not fit, or only with a small micro-batch: try the other two.",
            {', "selective": layers * scores, "full": layers * layer}': "}"},
        ),
        Mistake(
            "takes_the_largest_micro_batch",
            "The largest micro-batch may need recomputation that costs more than it saves: compare the operations.",
            largest_micro_batch_of_all,
        ),
        Mistake(
            "recomputes_least",
            "The least recomputation may force small micro-batches, whose overhead costs more: compare the operations.",
            least_recomputation,
        ),
        Mistake("leaves_a_byte", "A peak that fills the memory exactly fits.", {"<= memory_bytes": "< memory_bytes"}),
        Mistake(
            "takes_the_whole_step",
            "This is right for one input only: the whole step at once, with nothing recomputed.",
            lambda **run: ("none", run["sequences"]),
        ),
    ],
)
