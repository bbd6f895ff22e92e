"""Exercise: a schedule and a number of micro-batches that meet a limit of time and one of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import ceil
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.domain import named
from snippets.parallelism.pipeline.formulas import ALIASES
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import BUILDERS, build_pipeline

NAMES = {"gpipe": "gpipe", "one_f_one_b": "1f1b", "interleaved": "interleaved", "zb_h1": "zb_h1"}


def choose_pipeline(
    *,
    stages: int,
    sequences: int,
    launch_ms: int,
    forward_ms: int,
    input_gradient_ms: int,
    weight_gradient_ms: int,
    limit_ms: int,
    room: int,
) -> tuple[str, int] | None:
    """Choose a schedule and a number of micro-batches that meet two limits.

    A batch of sequences is dealt evenly to m micro-batches; m divides it and is
    a multiple of the stages. A pass takes the launch and, for each sequence of
    the micro-batch, the time of its kind. An unsplit backward is one pass that
    takes both gradients' times. Interleaving has two chunks on a device: twice
    as many passes, each with a launch and half of the time for a sequence.
    No schedule holds more than the m micro-batches of a step. Messages are
    free.

    Args:
        stages: number of stages and devices p, at least 2.
        sequences: sequences of a step, a multiple of the stages.
        launch_ms: what every pass takes besides.
        forward_ms: time of F for a sequence on a stage, in ms.
        input_gradient_ms: the same of B, the gradient of the input.
        weight_gradient_ms: the same of W; at most that of F and that of B.
        limit_ms: the most that the step may take.
        room: the most sequences whose activations a device may hold, each of
            a whole stage's layers.

    Returns:
        One of ``"gpipe"``, ``"1f1b"``, ``"interleaved"`` and ``"zb_h1"``, and
        m. Any choice that meets both limits is right. ``None`` where there is
        none.

    >>> choose_pipeline(
    ...     stages=2, sequences=4, launch_ms=10, forward_ms=2,
    ...     input_gradient_ms=2, weight_gradient_ms=2, limit_ms=130, room=2,
    ... )
    ('1f1b', 4)
    """

    def meets(schedule: str, m: int) -> bool:
        b, work_ms = sequences // m, forward_ms + input_gradient_ms + weight_gradient_ms
        held: float = b * stages
        step_ms: float = (m + stages - 1) * (2 * launch_ms + b * work_ms)
        if schedule == "gpipe":
            held = sequences
        elif schedule == "interleaved":  # four launches; the bubble is that of p − 1 chunks
            chunk_ms = 2 * launch_ms + b * work_ms / 2
            step_ms, held = (2 * m + stages - 1) * chunk_ms, b * min(2 * m, 3 * stages - 1) / 2
        elif schedule == "zb_h1":  # three launches; the bubble is (p − 1)(T_F + T_B − T_W)
            passes_ms = 3 * launch_ms + b * work_ms
            bubble_ms = launch_ms + b * (work_ms - 2 * weight_gradient_ms)
            step_ms = m * passes_ms + (stages - 1) * bubble_ms
        return step_ms <= limit_ms and held <= room

    for m in range(stages, sequences + 1, stages):
        for schedule in ("gpipe", "1f1b", "interleaved", "zb_h1"):
            if sequences % m == 0 and meets(schedule, m):
                return schedule, m
    return None


@cache
def cost(
    schedule: str,
    m: int,
    stages: int,
    sequences: int,
    launch_ms: int,
    forward_ms: int,
    input_gradient_ms: int,
    weight_gradient_ms: int,
) -> tuple[Fraction, Fraction]:
    """Run a design: how long its step takes in ms, and the most sequences that a device holds."""
    chunks, b = 2 if schedule == "interleaved" else 1, sequences // m
    made = build_pipeline(schedule, stages=stages, micro_batches=m, chunks=chunks)
    each = {"F": forward_ms, "B": input_gradient_ms, "W": weight_gradient_ms}
    if not made.splits_backward:
        each["B"] += each.pop("W")
    line = run_pipeline(made, {kind: launch_ms + Fraction(b * time, chunks) for kind, time in each.items()})
    return Fraction(line.makespan_s), Fraction(b * max(line.peak_activations)) / chunks


def designs(stages: int, sequences: int) -> Iterator[tuple[str, int]]:
    """Yield every design that there is."""
    for m in range(stages, sequences + 1, stages):
        if sequences % m == 0:
            yield from ((name, m) for name in NAMES)


def one_that_meets(limit_ms: int, room: int, **inputs: int) -> str | None:
    """Run every design until one meets both limits."""
    for name, m in designs(inputs["stages"], inputs["sequences"]):
        step_ms, held = cost(name, m, **inputs)
        if step_ms <= limit_ms and held <= room:
            such = f"{NAMES[name]} with {m} micro-batches: {float(step_ms):g} ms, holds {float(held):g} sequences"
            return f"one that meets both limits, such as {such}"
    return None


def fault(chosen: tuple[str, int], *, limit_ms: int, room: int, **inputs: int) -> str:
    """Run the design that is chosen, and say what is wrong with it."""
    asked, m = chosen
    try:
        name = named("schedule", asked, BUILDERS, aliases=ALIASES)
    except ValueError:
        name = ""
    if name not in NAMES:
        return f"a schedule called {asked!r:.30}"
    stages, sequences = inputs["stages"], inputs["sequences"]
    if m < 1 or m % stages:
        return f"m = {m}, which is no multiple of the {stages} stages"
    if sequences % m:
        return f"m = {m}, which does not divide the {sequences} sequences"
    step_ms, held = cost(name, m, **inputs)
    if step_ms <= limit_ms and held <= room:
        return ""
    took = f"{asked} with {m} micro-batches: {float(step_ms):g} ms, and {limit_ms} ms are allowed"
    return f"{took}; holds {float(held):g} sequences, and there is room for {room}"


def by_formulas(
    name: str,
    m: int,
    inputs: Inputs,
    *,
    bubble: bool = True,
    filled_launches: int = 1,
    filled_weights: int = 2,
    chunk_launches: int = 2,
    warm_up: Callable[[int, int], int] = lambda m, stages: min(2 * m, 3 * stages - 1),
    frees: bool = True,
) -> tuple[float, float]:
    """Return a design's ms, and the sequences that a device holds, by formulas with a slip in some of them."""
    stages, launch_ms, b = inputs["stages"], inputs["launch_ms"], inputs["sequences"] // m
    work_ms = b * (inputs["forward_ms"] + inputs["input_gradient_ms"] + inputs["weight_gradient_ms"])
    waits, held = (stages - 1) * bubble, b * stages
    step_ms: float = (m + waits) * (2 * launch_ms + work_ms)
    if name == "interleaved":
        step_ms, held = (2 * m + waits) * (chunk_launches * launch_ms + work_ms / 2), b * warm_up(m, stages) / 2
    elif name == "zb_h1":
        filled_ms = filled_launches * launch_ms + work_ms - filled_weights * b * inputs["weight_gradient_ms"]
        step_ms = m * (3 * launch_ms + work_ms) + waits * filled_ms
    return step_ms, held if frees and name != "gpipe" else inputs["sequences"]


def by_rule(*, names: tuple[str, ...] = tuple(NAMES), one_by_one: bool = False, **slips: Any) -> Callable[..., bool]:
    """Return what judges a design by the stub's rules with a slip."""

    def accepts(chosen: tuple[str, int] | None, *, limit_ms: int, room: int, **inputs: int) -> bool:
        there = [
            (name, m)
            for name, m in designs(inputs["stages"], inputs["sequences"])
            if name in names and (m == inputs["sequences"] or not one_by_one)
        ]

        def meets_it(name: str, m: int) -> bool:
            step_ms, held = by_formulas(name, m, inputs, **slips)
            return step_ms <= limit_ms and held <= room

        if chosen is None:
            return not any(meets_it(name, m) for name, m in there)
        design = named("schedule", chosen[0], BUILDERS, aliases=ALIASES), chosen[1]
        return design in there and meets_it(*design)

    return accepts


def machine(stages: int, sequences: int, launch_ms: int, *times_ms: int) -> Inputs:
    names = ("forward_ms", "input_gradient_ms", "weight_gradient_ms")
    times = dict(zip(names, times_ms, strict=True))
    return {"stages": stages, "sequences": sequences, "launch_ms": launch_ms, **times}


TIMES = (
    (0, 2, 2, 2),
    (0, 8, 8, 2),
    (4, 4, 4, 2),
    (1, 10, 10, 8),
    (20, 2, 4, 2),
    (3, 11, 12, 3),
    (2, 15, 13, 3),
    (5, 7, 9, 4),
    (5, 8, 9, 1),
    (2, 9, 10, 1),
)  # launch, F, B, W


def best_of(inputs: Inputs) -> Iterator[Inputs]:
    """Yield limits that a design just meets and no other beats in both, and limits just out of reach."""
    found = {cost(name, m, **inputs) for name, m in designs(inputs["stages"], inputs["sequences"])}
    for step_ms, held in sorted(found):
        if not any(other != (step_ms, held) and other[0] <= step_ms and other[1] <= held for other in found):
            limit_ms, room = ceil(step_ms), ceil(held)
            yield {**inputs, "limit_ms": limit_ms, "room": room}
            yield {**inputs, "limit_ms": limit_ms - 1, "room": room}
            yield {**inputs, "limit_ms": limit_ms, "room": room - 1}
            yield {**inputs, "limit_ms": limit_ms, "room": 2 * inputs["sequences"]}
            yield {**inputs, "limit_ms": 2 * limit_ms, "room": room - 1}


# Each size meets short and long launches, a short W and one as long as F, and numbers that are even and odd.
MACHINES = [
    machine(*sizes, *times)
    for sizes, kinds in {
        (2, 4): (0, 1, 2, 3, 4, 5),
        (2, 6): (5, 7),
        (2, 12): (0, 1, 2, 3, 4, 9),
        (3, 3): (1, 5, 7),
        (3, 12): (0, 1, 2, 3, 4, 6, 8),
        (3, 9): (8,),
        (4, 4): (1, 5, 6, 7),
        (4, 16): (0, 1, 2, 3, 4, 7),
        (5, 10): (5, 6, 7),
    }.items()
    for times in ([TIMES[kind] for kind in kinds])
]

CHOICE = Choice("design", one_that_meets, fault, none="None, since no design meets both limits")


INPUTS: list[Inputs] = [limits for machine in MACHINES for limits in best_of(machine)]
# Limits between ZB-H1's step and the next design that there is room for.
INPUTS += [
    {**machine(2, 8, 0, 8, 8, 8), "limit_ms": 212, "room": 2},
    {**machine(3, 12, 0, 9, 10, 8), "limit_ms": 362, "room": 3},
]


def drawn(chance: Random) -> list[Inputs]:
    """Return machines with limits that a design just meets, and limits just out of reach, beside the book's own."""
    found: list[Inputs] = []
    for _ in range(14):
        stages = chance.randint(2, 4)
        forward_ms, input_gradient_ms = chance.randint(3, 15), chance.randint(3, 15)
        weight_gradient_ms = chance.randint(1, min(forward_ms, input_gradient_ms))
        times_ms = chance.choice((0, 2, 5, 20)), forward_ms, input_gradient_ms, weight_gradient_ms
        several = list(best_of(machine(stages, stages * chance.randint(1, 4), *times_ms)))
        found += chance.sample(several, min(10, len(several)))
    return [*INPUTS, *found]


EXERCISE = Exercise(
    choose_pipeline,
    number=4,
    asked="a schedule and a number of micro-batches with which the step keeps to both limits",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        {**machine(2, 2, 10, 2, 2, 2), "limit_ms": 78, "room": 2},
        {**machine(2, 4, 10, 2, 2, 2), "limit_ms": 130, "room": 2},
        {**machine(2, 2, 0, 2, 2, 2), "limit_ms": 14, "room": 2},
        {**machine(2, 2, 0, 4, 4, 2), "limit_ms": 25, "room": 3},
        {**machine(2, 2, 0, 2, 2, 2), "limit_ms": 13, "room": 9},
        {**machine(2, 8, 0, 2, 2, 2), "limit_ms": 99, "room": 1},
        {**machine(4, 32, 2, 4, 4, 2), "limit_ms": 480, "room": 8},
        {**machine(16, 96, 1, 10, 10, 8), "limit_ms": 3300, "room": 32},
    ],
    inputs=INPUTS,
    drawn=drawn,
    mistakes=[
        Mistake(
            "forgets_the_bubble",
            "This counts the time of work alone; filling and draining take time too.",
            {
                "+ (stages - 1) * bubble_ms": "",
                "(2 * m + stages - 1)": "2 * m",
                "(m + stages - 1)": "m",
            },
            accepts=by_rule(bubble=False),
        ),
        Mistake(
            "fills_without_launches",
            "T_F, T_B and T_W are times of passes, each with its launch: one launch is left in T_F + T_B − T_W, the "
            "bubble of ZB-H1.",
            {"launch_ms + b * (work_ms - 2": "b * (work_ms - 2"},
            accepts=by_rule(filled_launches=0),
        ),
        Mistake(
            "fills_with_three_launches",
            "T_W, by which ZB-H1's bubble is shorter, has a launch too: one is left in T_F + T_B − T_W, and no more.",
            {"launch_ms + b * (work_ms - 2": "3 * launch_ms + b * (work_ms - 2"},
            accepts=by_rule(filled_launches=3),
        ),
        Mistake(
            "fills_with_nothing",
            "ZB-H1's bubble is (p − 1)(T_F + T_B − T_W): at the end of the step W passes that were put off fill a part "
            "of the wait, so T_W comes off once more.",
            {"bubble_ms = launch_ms + b * (work_ms - 2 *": "bubble_ms = 2 * launch_ms + b * (work_ms -"},
            accepts=by_rule(filled_launches=2, filled_weights=1),
        ),
        Mistake(
            "cuts_for_nothing",
            "Two chunks are twice as many passes, and each has its launch: a chunk's pass takes a whole launch.",
            {"chunk_ms = 2 * launch_ms": "chunk_ms = launch_ms"},
            accepts=by_rule(chunk_launches=1),
        ),
        Mistake(
            "holds_every_micro_batch",
            "Only GPipe holds all micro-batches of a step; the others release a micro-batch when its backward is done.",
            {"held <= room": "sequences <= room"},
            accepts=by_rule(frees=False),
        ),
        Mistake(
            "interleaves_without_room",
            "Interleaving warms up for longer: with two chunks the first device holds up to 3p − 1 of them, more than "
            "the p micro-batches of 1F1B.",
            {"b * min(2 * m, 3 * stages - 1) / 2": "b * stages"},
            accepts=by_rule(warm_up=lambda m, stages: 2 * stages),
        ),
        Mistake(
            "holds_more_than_there_is",
            "No device holds more than the m micro-batches of the step: where m = p, interleaving holds these p, and "
            "not 3p − 1 chunks.",
            {"min(2 * m, 3 * stages - 1)": "(3 * stages - 1)"},
            accepts=by_rule(warm_up=lambda m, stages: 3 * stages - 1),
        ),
        Mistake(
            "never_splits",
            "Where 1F1B is too slow and there is no room for interleaving, a split backward may be quick enough: ZB-H1 "
            "holds what 1F1B's first stage does.",
            {'("gpipe", "1f1b", "interleaved", "zb_h1")': '("1f1b", "interleaved")'},
            accepts=by_rule(names=("one_f_one_b", "interleaved")),
        ),
        Mistake(
            "takes_the_most_micro_batches",
            "A pass has one launch, however many sequences go through it: where launches are long, fewer and larger "
            "micro-batches are quicker than the most.",
            {"range(stages, sequences + 1, stages)": "(sequences,)"},
            accepts=by_rule(one_by_one=True),
        ),
        Mistake("says_one_thing", "This is right for one input only.", lambda **_: ("1f1b", 2)),
    ],
)
