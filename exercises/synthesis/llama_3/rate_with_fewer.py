"""Exercise: the rate of a run with another number of micro-batches, from that of a run that is known."""

from __future__ import annotations

from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake
from snippets.synthesis.llama_3.programs import simulated_bubble_overhead


def rate_with_fewer(
    *,
    rate: float,
    stages: int,
    chunks: int,
    micro_batches: int,
    other: int,
) -> float:
    """Return the rate with another number of micro-batches.

    The runs differ in nothing but the micro-batches of a pipeline, which are
    at least as many as stages. Everything but the bubble of the interleaved
    schedule takes the same time for each micro-batch.

    Args:
        rate: of a GPU, known, in TFLOP/s.
        stages: p, at least 1.
        chunks: v, model chunks of each stage, at least 1.
        micro_batches: of the known run, at least p.
        other: micro-batches of the other run, at least p.

    Returns:
        The other run's rate, in TFLOP/s.

    >>> rate_with_fewer(
    ...     rate=300.0, stages=3, chunks=1, micro_batches=4, other=8,
    ... )
    360.0
    """
    known = 1 + (stages - 1) / (chunks * micro_batches)
    return rate * known / (1 + (stages - 1) / (chunks * other))


def simulated(*, rate: float, stages: int, chunks: int, micro_batches: int, other: int) -> float:
    """Run both pipelines task by task, and compare how long a micro-batch takes."""
    known, others = (
        1 + simulated_bubble_overhead(stages=stages, chunks=chunks, micro_batches=count)
        for count in (micro_batches, other)
    )
    return rate * known / others


def pair(rate: float, stages: int, chunks: int, micro_batches: int, other: int) -> dict[str, Any]:
    return {"rate": rate, "stages": stages, "chunks": chunks, "micro_batches": micro_batches, "other": other}


def drawn(chance: Random) -> list[dict[str, Any]]:
    found = []
    for _ in range(60):
        p = chance.randint(1, 9)
        found.append(
            pair(
                float(chance.randint(100, 600)),
                p,
                chance.randint(1, 6),
                p * chance.randint(1, 4),
                p + chance.randint(0, 20),
            )
        )
    return found


LLAMA = pair(430.0, 16, 8, 32, 16)


def taught() -> str:
    said = {v: rate_with_fewer(**(LLAMA | {"chunks": v})) for v in (8, 4, 1)}
    return (
        f"From 430 TFLOP/s on 8,192 GPUs, the bubble alone gives {said[8]:.0f} on 16,384, with a layer a chunk; 400 "
        f"were reported. With four chunks it would give {said[4]:.0f}, and without interleaving {said[1]:.0f}."
    )


EXERCISE = Exercise(
    rate_with_fewer,
    number=2,
    level="medium",
    asked="the rate of a GPU with another number of micro-batches",
    expected=simulated,
    examples=[
        pair(300.0, 3, 1, 4, 8),
        pair(300.0, 1, 1, 4, 8),
        pair(400.0, 4, 2, 4, 8),
        pair(400.0, 4, 2, 8, 4),
        pair(250.0, 5, 3, 5, 5),
        LLAMA,
    ],
    inputs=drawn(Random(37)),
    drawn=drawn,
    units={"result": "TFLOP/s"},
    taught=taught,
    mistakes=[
        Mistake(
            "turns_it_round",
            "You made the run with the larger bubble the faster one.",
            {
                "rate * known / (1 + (stages - 1) / (chunks * other))": "rate * (1 + (stages - 1) / (chunks * other)) "
                "/ known"
            },
        ),
        Mistake(
            "forgets_the_chunks",
            "With v chunks on a stage the bubble is a v-th as long.",
            {"(chunks * micro_batches)": "micro_batches", "(chunks * other)": "other"},
        ),
        Mistake(
            "counts_all_stages",
            "The pipeline fills in p − 1 steps: the first stage waits for nobody.",
            {
                "(stages - 1) / (chunks * micro": "stages / (chunks * micro",
                "(stages - 1) / (chunks * other": "stages / (chunks * other",
            },
        ),
        Mistake(
            "divides_by_the_step",
            "(p − 1)/(vm + p − 1) is the bubble's share of the whole step, of the work it is (p − 1)/(vm).",
            {
                "(chunks * micro_batches)": "(chunks * micro_batches + stages - 1)",
                "(chunks * other)": "(chunks * other + stages - 1)",
            },
        ),
        Mistake(
            "starts_from_no_bubble",
            "The rate that is known has a bubble already. Take it out first.",
            {"rate * known": "rate"},
        ),
        Mistake(
            "leaves_no_bubble",
            "The other run has a bubble, too. Put it in.",
            {" / (1 + (stages - 1) / (chunks * other))": ""},
        ),
        Mistake(
            "in_proportion",
            "Only the bubble changes with the micro-batches; the rate isn't in proportion to them.",
            lambda *, rate, stages, chunks, micro_batches, other: rate * other / micro_batches,
        ),
        Mistake(
            "leaves_the_rate",
            "The bubble's share changes with the micro-batches, and the rate with it.",
            {"rate * known / (1 + (stages - 1) / (chunks * other))": "rate"},
        ),
        Mistake("says_one_number", "This is right for one input only.", lambda **_: 360.0),
    ],
)
