"""Exercise: how many micro-batches a fixed batch leaves to each copy of a model."""

from __future__ import annotations

from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake


def micro_batches_left(
    *,
    batch_tokens: int,
    sequence: int,
    gpus: int,
    tensor: int,
    pipeline: int,
    context: int,
) -> int | None:
    """Return the micro-batches of one sequence that each copy gets in a step.

    A copy of the model takes tensor × pipeline × context GPUs, and all copies
    get equally many sequences of a step.

    Args:
        batch_tokens: of a step, a multiple of sequence.
        sequence: tokens of one sequence, at least 1.
        gpus: of the cluster, at least 1; all have to be used.
        tensor: t, GPUs among which a layer is cut.
        pipeline: p, stages.
        context: c, GPUs among which a sequence is cut, a divisor of sequence.

    Returns:
        The micro-batches of a copy, or ``None`` where GPUs are left over or
        the sequences can't be dealt evenly, each copy getting at least one.

    >>> micro_batches_left(
    ...     batch_tokens=64, sequence=4, gpus=8, tensor=2, pipeline=2,
    ...     context=1,
    ... )
    8
    """
    copy = tensor * pipeline * context
    if gpus % copy:
        return None
    sequences, copies = batch_tokens // sequence, gpus // copy
    if sequences % copies:
        return None
    return sequences // copies or None


def dealt(*, batch_tokens: int, sequence: int, gpus: int, tensor: int, pipeline: int, context: int) -> int | None:
    """Fill the copies with GPUs and deal the sequences round by round."""
    left, copies = gpus, 0
    while left >= tensor * pipeline * context:
        left -= tensor * pipeline * context
        copies += 1
    if left or not copies:
        return None
    waiting, rounds = batch_tokens // sequence, 0
    while waiting >= copies:
        waiting -= copies
        rounds += 1
    return None if waiting or not rounds else rounds


def job(batch_tokens: int, sequence: int, gpus: int, tensor: int, pipeline: int, context: int = 1) -> dict[str, Any]:
    return {
        "batch_tokens": batch_tokens,
        "sequence": sequence,
        "gpus": gpus,
        "tensor": tensor,
        "pipeline": pipeline,
        "context": context,
    }


def drawn(chance: Random) -> list[dict[str, Any]]:
    found = []
    for number in range(90):
        t, p, c = chance.choice((1, 2, 3, 4, 8, 16)), chance.choice((1, 2, 3, 4, 128)), chance.choice((1, 2, 4, 32))
        copies, rounds = chance.choice((1, 2, 3, 4, 6)), chance.choice((1, 2, 3, 5, 8))
        s = c * chance.choice((1, 2, 8, 16))
        sequences = copies * rounds + (chance.randint(1, copies) if number % 5 == 1 else 0)
        gpus = t * p * c * copies + (chance.randint(1, 4) if number % 5 == 2 else 0)
        if number % 5 == 3:
            sequences = chance.randint(0, copies)
        found.append(job(sequences * s, s, gpus, t, p, c))
    return found


LLAMA = job(2**24, 8192, 16_384, 8, 16)


def taught() -> str:
    half, long = (
        micro_batches_left(**(LLAMA | changed)) for changed in ({"gpus": 8_192}, {"sequence": 131_072, "context": 16})
    )
    own = [micro_batches_left(**(LLAMA | {"pipeline": p})) for p in (8, 16, 32)]
    return (
        f"Llama 3's step with t = 8 and p = 8, 16, 32 leaves {', '.join(map(str, own))} micro-batches: as many as "
        f"stages, whatever p is. On half the GPUs it's {half}. With 131,072 tokens and c = 16 it's {long}."
    )


EXERCISE = Exercise(
    micro_batches_left,
    number=1,
    level="easy",
    asked="the micro-batches of each copy, or None",
    expected=dealt,
    examples=[
        job(64, 4, 8, 2, 2),
        job(64, 4, 8, 3, 2),
        job(60, 4, 8, 2, 1),
        job(64, 4, 8, 2, 1, 2),
        job(4, 4, 8, 2, 2),
        job(0, 4, 8, 2, 2),
        job(40, 4, 4, 2, 4),
        job(8, 1, 64, 16, 4),
        job(2, 1, 6, 3, 2),
        job(8, 4, 512, 1, 128, 4),
        job(128, 32, 64, 2, 1, 32),
        LLAMA,
        LLAMA | {"tensor": 4, "pipeline": 32},
        LLAMA | {"sequence": 131_072, "context": 16},
    ],
    inputs=drawn(Random(37)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_context",
            "The ranks of the context axis share one sequence, so they belong to one copy too.",
            {"tensor * pipeline * context": "tensor * pipeline"},
        ),
        Mistake(
            "forgets_the_stages",
            "All stages of a pipeline work for the same copy: t·p·c GPUs make one.",
            {"tensor * pipeline * context": "tensor * context"},
        ),
        Mistake(
            "forgets_the_tensor_group",
            "A tensor group works on one sequence together, so its GPUs aren't copies.",
            {"tensor * pipeline * context": "pipeline * context"},
        ),
        Mistake(
            "counts_tokens",
            "You dealt tokens. A micro-batch is a whole sequence.",
            {"batch_tokens // sequence": "batch_tokens"},
        ),
        Mistake(
            "leaves_gpus_over",
            "GPUs are left over here, and all have to be used: None.",
            {"    if gpus % copy:\n        return None\n": "    if gpus < copy:\n        return None\n"},
        ),
        Mistake(
            "rounds_down",
            "These sequences can't be dealt evenly: None.",
            {"    if sequences % copies:\n        return None\n": ""},
        ),
        Mistake(
            "says_nought",
            "No copy gets anything here. Each needs at least one sequence, else it's None.",
            {" or None": ""},
        ),
        Mistake(
            "adds_the_axes",
            "The axes multiply: a copy takes t·p·c GPUs.",
            {"tensor * pipeline * context": "(tensor + pipeline + context)"},
        ),
        Mistake(
            "rounds_up",
            "These sequences can't be dealt evenly: None.",
            {
                "    if sequences % copies:\n        return None\n": "",
                "sequences // copies or None": "-(-sequences // copies) or None",
            },
        ),
        Mistake("says_one_number", "This is right for one input only.", lambda **_: 8),
    ],
)
