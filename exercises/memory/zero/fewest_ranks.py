"""Exercise: the fewest ranks on which a model's state fits."""

from __future__ import annotations

from bisect import bisect_left
from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake
from snippets.memory.zero.formulas import zero_state_bytes


def fewest_ranks(
    *,
    parameters: int,
    memory_bytes: int,
    other_bytes: int,
    stage: int,
) -> int | None:
    """Return the fewest ranks on which a model's state fits.

    A parameter has 2 bytes of weight, 2 of gradient and 12 of optimizer state.
    Shards are cut as by ``numpy.array_split``: the fullest rank has to fit.

    Args:
        parameters: parameters of the model, at least 1.
        memory_bytes: memory of a device; all of it may be used.
        other_bytes: what each device holds besides the state.
        stage: ZeRO's stage, from 0 to 3.

    Returns:
        Ranks, or ``None`` where no number of them is enough.

    >>> fewest_ranks(parameters=3, memory_bytes=34, other_bytes=0, stage=2)
    2
    """
    whole = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    room = memory_bytes - other_bytes - whole * parameters
    if whole == 16:
        return 1 if room >= 0 else None
    largest = room // (16 - whole)
    return -(-parameters // largest) if largest >= 1 else None


def first_that_fits(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    """Try numbers of ranks, of which more hold no more on each; more ranks than parameters change nothing."""

    def fits(ranks: int) -> bool:
        return zero_state_bytes(parameters, ranks=ranks, stage=stage).total + other_bytes <= memory_bytes

    tried = range(1, parameters + 1)
    place = bisect_left(tried, True, key=fits)
    return tried[place] if place < parameters else None


def model(parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> dict[str, Any]:
    return {"parameters": parameters, "memory_bytes": memory_bytes, "other_bytes": other_bytes, "stage": stage}


def drawn(chance: Random) -> list[dict[str, Any]]:
    """Return memories that hold a state exactly, or that and some bytes more or less."""
    found = []
    for stage in (0, 1, 2, 3) * 30:
        parameters, other = chance.randint(1, 40), chance.randrange(10)
        state = zero_state_bytes(parameters, ranks=chance.randint(1, parameters), stage=stage).total
        found.append(model(parameters, state + other + chance.choice((0, 0, -1, chance.randrange(9))), other, stage))
    return found


def taught() -> str:
    parameters, free = 70_553_706_496, 20 * 10**9
    stages = [fewest_ranks(parameters=parameters, memory_bytes=80 * 10**9, other_bytes=free, stage=s) for s in range(4)]
    a100 = fewest_ranks(parameters=parameters, memory_bytes=85_198_045_184, other_bytes=free, stage=3)
    return (
        f"Stages 0 to 3: {', '.join(map(str, stages))}; stage 3 on A100s: {a100}. The {2 * parameters / 1e9:.0f} GB of "
        "16-bit weights alone are more than a GPU has, so that only stage 3, which cuts them, can do. And 80 GB is "
        "not always the same number: look at your own device's."
    )


EXERCISE = Exercise(
    fewest_ranks,
    number=2,
    level="easy",
    asked="the fewest ranks on which the state fits, 2 + 2 + 12 bytes a parameter",
    expected=first_that_fits,
    examples=[
        model(3, 34, 0, 2),
        model(2, 16, 0, 1),
        model(3, 24, 0, 3),
        model(3, 30, 4, 2),
        model(2, 31, 0, 0),
        model(2, 4, 0, 3),
        model(1, 16, 1, 0),
        model(1, 16, 0, 0),
        model(8, 92, 0, 1),
        model(160_001, 128 + 7, 7, 3),
        model(8 * 10**9, 24 * 10**9, 0, 2),
    ],
    inputs=[  # what holds a state exactly, and a byte less
        model(parameters, zero_state_bytes(parameters, ranks=ranks, stage=stage).total + other - less, other, stage)
        for parameters in (1, 2, 3, 5, 7)
        for ranks in range(1, parameters + 1)
        for stage in (1, 2, 3, 0)
        for other, less in ((0, 0), (3, 1), (4, 0), (0, 1))
    ],
    drawn=drawn,
    units={"result": "ranks"},
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_down",
            "This rounds the number of ranks down, and the fullest rank does not fit.",
            {"-(-parameters // largest)": "max(1, parameters // largest)"},
        ),
        Mistake(
            "cuts_parameters_in_pieces",
            "Shards need not be equal: the fullest rank holds ⌈N/R⌉ parameters, which is more than N/R.",
            {"= room // (16 - whole)": "= room", "-(-parameters // largest)": "-((whole - 16) * parameters // room)"},
        ),
        Mistake(
            "forgets_the_other_bytes",
            "The other bytes need room too, on every device.",
            {" - other_bytes": ""},
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: what needs just as much as there is fits.",
            {"memory_bytes - other_bytes": "memory_bytes - 1 - other_bytes"},
        ),
        Mistake(
            "shards_everything",
            "Only stage 3 shards everything; what the stage leaves whole must fit on every rank.",
            {"1: 4, 2: 2": "1: 0, 2: 0"},
        ),
        Mistake(
            "takes_stage_2_for_stage_1",
            "Stage 2 shards the gradients too: it leaves 2 bytes a parameter whole, not 4.",
            {"2: 2": "2: 4"},
        ),
        Mistake(
            "leaves_one_byte_whole_in_stage_2",
            "Stage 2 leaves the weights whole, and a weight has 2 bytes.",
            {"2: 2": "2: 1"},
        ),
        Mistake(
            "shards_stage_0",
            "Without shards more ranks do not help: in stage 0 the whole state fits on one, or on none.",
            {"0: 16": "0: 0"},
        ),
        Mistake(
            "returns_zero_for_none",
            "A rank cannot hold less than one parameter: where even that does not fit, return None.",
            {"room >= 0 else None": "room >= 0 else 0", "largest >= 1 else None": "largest >= 1 else 0"},
        ),
        Mistake("takes_one_rank", "This is right for one input only, in which one rank is enough.", lambda **_: 1),
    ],
)
