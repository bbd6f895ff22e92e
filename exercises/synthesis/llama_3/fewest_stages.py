"""Exercise: the fewest stages with which weights fit beside the activations of a batch in flight."""

from __future__ import annotations

from random import Random
from typing import Any

from grader.exercise import Exercise, Mistake


def fewest_stages(
    *,
    parameters: int,
    places: int,
    gpus: int,
    tensor: int,
    memory_bytes: int,
    batch_tokens: int,
    token_bytes: int,
) -> int | None:
    """Return the fewest stages with which the fullest GPU fits.

    Every GPU keeps 2 bytes of each weight of its stage and tensor share, 4
    bytes for each gradient of one of its chunks, and a shard of 12 bytes a
    parameter of optimizer state, cut among all GPUs. A chunk is one place, so
    that a stage has places/p chunks, all equally large. The whole batch is in
    flight: its activations are cut evenly among all GPUs. Nothing is rounded: a
    GPU may hold parts of a byte.

    Args:
        parameters: of the model, at least 1.
        places: for layers, at least 1; p divides them.
        gpus: of the cluster; tensor × p divides them.
        tensor: t, GPUs among which a layer is cut, a divisor of gpus.
        memory_bytes: of a GPU; all of it may be filled.
        batch_tokens: of a step.
        token_bytes: that all layers keep of a token, before any cut.

    Returns:
        The fewest stages that fit, or ``None`` where none do.

    >>> fewest_stages(
    ...     parameters=80, places=4, gpus=8, tensor=1, memory_bytes=380,
    ...     batch_tokens=16, token_bytes=50,
    ... )
    2
    """
    for p in range(1, places + 1):
        if places % p or gpus % (tensor * p):
            continue
        weights = 2 * parameters / (tensor * p)
        gradients = 4 * parameters / (tensor * places)
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus
        if weights + gradients + shared <= memory_bytes:
            return p
    return None


def counted(
    *,
    parameters: int,
    places: int,
    gpus: int,
    tensor: int,
    memory_bytes: int,
    batch_tokens: int,
    token_bytes: int,
) -> int | None:
    """Compare in whole numbers what all GPUs hold together with what they have, from the longest pipeline down."""
    best = None
    for p in range(places, 0, -1):
        copies, left = divmod(gpus, tensor * p)
        if places % p or left:
            continue
        weights = 2 * parameters * copies  # of all GPUs: each copy has all of them
        gradients = 4 * parameters * copies * p  # times the places, of which each stage holds one
        held = places * (weights + 12 * parameters + batch_tokens * token_bytes) + gradients
        if held <= places * gpus * memory_bytes:
            best = p
    return best


def job(
    parameters: int, places: int, gpus: int, tensor: int, memory_bytes: int, batch_tokens: int, token_bytes: int
) -> dict[str, Any]:
    return {
        "parameters": parameters,
        "places": places,
        "gpus": gpus,
        "tensor": tensor,
        "memory_bytes": memory_bytes,
        "batch_tokens": batch_tokens,
        "token_bytes": token_bytes,
    }


def drawn(chance: Random) -> list[dict[str, Any]]:
    found = []
    for number in range(80):
        t, places, gpus = chance.choice((1, 2, 4)), chance.choice((4, 6, 8, 12)), 48 * chance.choice((1, 2, 4))
        parameters, tokens = 48 * chance.randint(1, 400), 16 * chance.randint(1, 60)
        each = chance.randint(20, 400)
        shared = (12 * parameters + tokens * each) / gpus + 4 * parameters / (t * places)
        fitting = [p for p in range(1, places + 1) if places % p == 0 and gpus % (t * p) == 0]
        p = chance.choice(fitting)
        room = shared + 2 * parameters / (t * p) * chance.choice((1.02, 1.2, 1.5))
        if number % 8 == 0:
            room = shared
        if number % 8 == 1:  # a memory that is filled to the last byte
            tokens = gpus * chance.randint(1, 9)
            parameters = gpus * chance.randint(1, 9)
            full = 12 * parameters // gpus + tokens // gpus * each + 4 * parameters // (t * places)
            found.append(job(parameters, places, gpus, t, full + 2 * parameters // (t * p), tokens, each))
            continue
        found.append(job(parameters, places, gpus, t, max(1, int(room) + 1), tokens, each))
    return found


LLAMA = job(405_853_388_800, 128, 16_384, 8, 80 * 10**9, 2**24, 66_650_112)


def taught() -> str:
    own = fewest_stages(**LLAMA)
    node, wide = (fewest_stages(**(LLAMA | changed)) for changed in ({"tensor": 4}, {"memory_bytes": 141 * 10**9}))
    return (
        f"Llama 3's fewest stages with t = 8 are {own}, with t = 4 they are {node}. On GPUs with 141 GB, {wide} would "
        "be enough."
    )


EXERCISE = Exercise(
    fewest_stages,
    number=3,
    level="medium",
    asked="the fewest stages with which the fullest GPU fits, or None",
    expected=counted,
    examples=[
        job(80, 4, 8, 1, 365, 16, 50),
        job(80, 4, 8, 1, 380, 16, 50),
        job(80, 4, 8, 1, 340, 16, 50),
        job(80, 4, 8, 1, 300, 16, 50),
        job(80, 4, 8, 1, 460, 16, 50),
        job(80, 6, 8, 1, 333, 16, 50),
        job(80, 4, 8, 2, 300, 16, 50),
        job(4, 4, 12, 4, 8, 3, 7),
        job(1, 6, 6, 1, 3, 2, 1),
        job(1, 6, 4, 2, 6, 1, 7),
        job(2, 8, 8, 2, 7, 3, 5),
        job(2, 8, 8, 2, 6, 7, 1),
        job(9, 6, 32, 4, 8, 5, 6),
        job(5, 4, 4, 2, 22, 6, 1),
        job(2, 6, 6, 2, 9, 2, 8),
        job(26, 128, 512, 4, 1, 4, 10),
        LLAMA,
        LLAMA | {"tensor": 4},
        LLAMA | {"tensor": 16},
        LLAMA | {"memory_bytes": 141 * 10**9},
        LLAMA | {"memory_bytes": 70 * 10**9},
    ],
    inputs=drawn(Random(37)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "cuts_the_weights_among_all",
            "Weights aren't cut among the copies here: each stage keeps its own whole.",
            {"2 * parameters / (tensor * p)": "2 * parameters / gpus"},
        ),
        Mistake(
            "forgets_the_tensor_axis",
            "A tensor group shares every weight: divide by t too.",
            {"2 * parameters / (tensor * p)": "2 * parameters / p"},
        ),
        Mistake(
            "keeps_all_gradients",
            "The gradients of one chunk are there at a time, not those of the whole stage.",
            {"4 * parameters / (tensor * places)": "4 * parameters / (tensor * p)"},
        ),
        Mistake(
            "forgets_the_gradients",
            "One chunk's gradients are there, in 4 bytes each.",
            {"weights + gradients + shared": "weights + shared"},
        ),
        Mistake(
            "lets_stages_shrink_activations",
            "With the whole batch in flight, a longer pipeline doesn't make a GPU's activations smaller.",
            {"batch_tokens * token_bytes) / gpus": "batch_tokens * token_bytes / p) / gpus"},
        ),
        Mistake(
            "forgets_the_optimizer",
            "The optimizer's 12 bytes a parameter are cut among all GPUs, but they are there.",
            {"12 * parameters + ": ""},
        ),
        Mistake(
            "cuts_the_optimizer_in_a_copy",
            "The optimizer's 12 bytes a parameter are cut among all GPUs, not among those of one copy alone.",
            {
                "(12 * parameters + batch_tokens * token_bytes) / gpus": "12 * parameters / (tensor * p)"
                " + batch_tokens * token_bytes / gpus"
            },
        ),
        Mistake(
            "sums_gradients_in_2_bytes",
            "Gradients have 4 bytes each here, not 2.",
            {"4 * parameters / (tensor * places)": "2 * parameters / (tensor * places)"},
        ),
        Mistake(
            "takes_any_number_of_stages",
            "p has to divide the places.",
            {"places % p or gpus": "gpus"},
        ),
        Mistake(
            "leaves_gpus_over",
            "t·p has to divide the GPUs.",
            {"places % p or gpus % (tensor * p)": "places % p"},
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be filled: what fills it exactly fits.",
            {"<= memory_bytes": "< memory_bytes"},
        ),
        Mistake("says_one_number", "This is right for one input only.", lambda **_: 2),
    ],
)
