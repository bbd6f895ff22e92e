"""Exercise: the most micro-batches whose activations a device holds at once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.parallelism.pipeline import runner as pipeline_runner
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task

Order = list[tuple[str, int]]


def peak_activations(order: Sequence[tuple[str, int]]) -> int:
    """Return the most micro-batches whose activations a device holds at once.

    Args:
        order: the passes of one device, one pair for each, in order, such as
            ``("F", 0)``; it may be empty. If it has passes ``("W", i)``, the
            backward is split everywhere in it, and micro-batch i is held until
            its W; else it is held until its B. While a pass runs, its own
            micro-batch is held.

    Returns:
        Micro-batches.

    >>> peak_activations([("F", 0), ("F", 1), ("B", 0), ("B", 1)])
    2
    """
    # Count up at F, and down after a micro-batch's last pass, which is its W where there is one.
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    held = peak = 0
    for kind, _ in order:
        held += kind == "F"
        peak = max(peak, held)
        held -= kind == last
    return peak


def held_at_most(order: Order) -> int:
    """Let the book's runner count a device that has this order."""
    if not order:
        return 0
    tasks = tuple(Task(kind, i, 0) for kind, i in order)
    directions = (0,) * (1 + max(i for _, i in order))
    schedule = PipelineSchedule("one device", (tasks,), ((0,),), directions, any(kind == "W" for kind, _ in order))
    return int(pipeline_runner.peak_activations(schedule)[0])


def any_order(kinds: str, micro_batches: int, seed: int) -> Order:
    """Mix the passes; those of a micro-batch keep their order."""
    numbers = [i for i in range(micro_batches) for _ in kinds]
    Random(seed).shuffle(numbers)
    return [(kinds[numbers[:place].count(i)], i) for place, i in enumerate(numbers)]


def drawn(chance: Random) -> list[Inputs]:
    """Return orders as the book's own, mixed anew."""
    return [
        {"order": any_order(kinds, many, chance.randrange(10**9))}
        for kinds in ("FB", "FBW")
        for many in range(1, 8)
        for _ in range(5)
    ]


EXERCISE = Exercise(
    peak_activations,
    number=2,
    level="easy",
    asked="the most micro-batches whose activations a device holds at once",
    expected=held_at_most,
    examples=[
        {"order": [("F", 0), ("F", 1), ("B", 0), ("B", 1)]},
        {"order": [("F", 0), ("B", 0), ("F", 1), ("W", 0), ("B", 1), ("W", 1)]},
        {"order": [("F", 0), ("B", 0)]},
        {"order": []},
        {"order": [(kind, i) for i in (0, 1) for kind in "FBW"] + [(kind, i) for kind in "FBW" for i in (2, 3)]},
    ],
    inputs=[
        {"order": any_order(kinds, many, seed)} for kinds in ("FB", "FBW") for many in range(1, 7) for seed in range(7)
    ],
    drawn=drawn,
    units={"result": "micro-batches"},
    mistakes=[
        Mistake(
            "never_releases",
            "This counts all forwards; a backward releases what its forward has stored.",
            {"held -= kind == last": "pass"},
        ),
        Mistake(
            "looks_at_the_end",
            "This is what is held in the end; the peak is somewhere on the way.",
            {"return peak": "return held"},
        ),
        Mistake(
            "releases_at_b",
            "Where the backward is split, W still needs the activations: B does not release them.",
            {'"W" if any': '"B" if any'},
        ),
        Mistake(
            "releases_twice",
            "A micro-batch is released once, by its W; here B and W each release it.",
            {"kind == last": 'kind != "F"'},
        ),
        Mistake(
            "counts_after_releases",
            "While a backward runs, its own micro-batch is still held; count before it is released, not after.",
            {"max(peak, held)": 'peak if kind == "F" else max(peak, held - (kind == last))'},
        ),
    ],
)
