"""Exercise: the bytes of model state that a rank holds for each parameter."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for
from snippets.memory.zero.formulas import zero_state_bytes
from snippets.recipes import Recipe


def bytes_per_parameter(
    *,
    weight_bits: int,
    gradient_bits: int,
    average_bits: int,
    master: bool,
    stage: int,
    ranks: int,
) -> Fraction:
    """Return the bytes of state that a rank holds for each parameter.

    The result is the mean over ranks, for each parameter of the whole model.

    Args:
        weight_bits: bits of a weight as the forward and backward pass read it.
        gradient_bits: bits of a gradient.
        average_bits: bits of an entry of each of Adam's two averages.
        master: whether the optimizer keeps a float32 copy of the weights.
        stage: ZeRO's stage; 0 is plain data parallelism.
        ranks: ranks that hold shards, at least 1.

    Returns:
        Bytes, exact.

    >>> bytes_per_parameter(
    ...     weight_bits=16, gradient_bits=32, average_bits=32, master=True,
    ...     stage=1, ranks=8,
    ... )
    Fraction(15, 2)
    """
    total = Fraction(0)
    kinds = [(1, 2 * average_bits + 32 * master), (2, gradient_bits)]
    for first_stage, bits in [*kinds, (3, weight_bits)]:
        sharers = ranks if stage >= first_stage else 1
        total += Fraction(bits, 8 * sharers)
    return total


def held_by_all(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    """Divide what all ranks hold of a small model by its size and their number."""
    average = average_bits // 8
    recipe = Recipe("asked", weight_bits // 8, gradient_bits // 8, 0, 4 * master, average, average)
    model = ranks + 1
    held = (zero_state_bytes(model, ranks=ranks, stage=stage, recipe=recipe, rank=rank).total for rank in range(ranks))
    return Fraction(sum(held), model * ranks)


recipe = inputs_for(bytes_per_parameter)


def taught() -> str:
    (plain, less), (sharded, lesser) = (
        [bytes_per_parameter(**recipe(16, 16, bits, True, stage, ranks)) for bits in (32, 8)]
        for stage, ranks in ((0, 1), (1, 8))
    )
    return (
        f"Averages of 8 bits save {float(plain - less):g} of {float(plain):g} bytes in data parallelism, and "
        f"{float(sharded - lesser):g} of {float(sharded):g} in stage 1 on 8 ranks. Both remedies cut the optimizer's "
        "state, so that the second finds less to cut: savings do not add up."
    )


EXERCISE = Exercise(
    bytes_per_parameter,
    number=1,
    level="easy",
    asked="the mean bytes of model state that a rank holds for each parameter",
    expected=held_by_all,
    examples=[
        recipe(16, 32, 32, True, 1, 2),
        recipe(16, 32, 32, True, 2, 2),
        recipe(16, 32, 8, True, 3, 8),
        recipe(16, 16, 32, False, 0, 1),
        recipe(16, 16, 32, True, 0, 1),
        recipe(16, 16, 8, True, 1, 8),
    ],
    inputs=lambda st: {
        **dict.fromkeys(("weight_bits", "gradient_bits", "average_bits"), st.sampled_from([8, 16, 32])),
        "master": st.booleans(),
        "stage": st.integers(0, 3),
        "ranks": st.integers(2, 9),
    },
    draws=150,
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake("counts_bits", "These are bits; a byte has 8.", {"8 * sharers": "sharers"}),
        Mistake(
            "counts_one_average",
            "Adam keeps two averages, of the gradient and of its square; here is one.",
            {"2 * average_bits": "average_bits"},
        ),
        Mistake(
            "forgets_the_master_copy",
            "The float32 copy of the weights is missing: 4 bytes more where there is one.",
            {" + 32 * master": ""},
        ),
        Mistake(
            "keeps_the_master_copy_whole",
            "The float32 copy is optimizer state: stage 1 cuts it like the averages.",
            {" + 32 * master": "", "Fraction(0)": "Fraction(4 * master)"},
        ),
        Mistake(
            "cuts_everything",
            "Only stage 3 cuts everything; stages 1 and 2 leave the weights whole.",
            {"stage >= first_stage": "stage"},
        ),
        Mistake(
            "cuts_one_kind_at_a_time",
            "A stage cuts what the stages below it cut, and one kind more.",
            {">= first_stage": "== first_stage"},
        ),
        Mistake(
            "cuts_the_weights_first",
            "The stages are in the wrong order: first the optimizer's state, last the weights.",
            {"[(1, 2": "[(3, 2", "(3, weight_bits)": "(1, weight_bits)"},
        ),
    ],
)
