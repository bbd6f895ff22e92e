"""Exercise: how many GPUs have to share a sequence so that a fully sharded job fits."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def fewest_sharers(
    *,
    gpus: int,
    state_gb: int,
    sequence_gb: int,
    limit_gb: int,
    sequences: int,
) -> int | None:
    """Return how many GPUs have to share a sequence so that a job fits.

    The state is dealt evenly to all GPUs. A group of GPUs takes one sequence
    at a time, and its members share the activations evenly. Every group has
    at least one sequence of the step.

    Args:
        gpus: a power of two.
        state_gb: weights, gradients and optimizer state of the whole model, at
            least 1.
        sequence_gb: activations of one sequence, at least 1.
        limit_gb: what a GPU may hold, at least 1.
        sequences: of a step, at least 1.

    Returns:
        The fewest GPUs of a group, a power of two and at most all; ``None``
        if the job doesn't fit even then.

    >>> fewest_sharers(
    ...     gpus=8, state_gb=80, sequence_gb=60, limit_gb=40, sequences=8,
    ... )
    2
    """
    group = 1
    while group <= gpus:
        fits = Fraction(state_gb, gpus) + Fraction(sequence_gb, group) <= limit_gb
        if fits and gpus // group <= sequences:
            return group
        group *= 2
    return None


def by_logarithm(*, gpus: int, state_gb: int, sequence_gb: int, limit_gb: int, sequences: int) -> int | None:
    """Take what the limit leaves for activations, and round up to a power of two by the bits of a whole number."""
    left = limit_gb * gpus - state_gb  # of all GPUs together
    if left <= 0:
        return None
    wanted = max(-(-sequence_gb * gpus // left), -(-gpus // sequences), 1)
    group = 1 << (wanted - 1).bit_length()
    return group if group <= gpus else None


case = inputs_for(fewest_sharers)
OWN = case(512, 1163, 592, 72, 192)


def taught() -> str:
    return (
        "For the chapter's job it's 16 on the H100s. Eight would hold a little too much, which is why its layout drops "
        "the cheapest tensors and stays with 8. The batch alone would ask for 4: 512 GPUs have 192 sequences."
    )


EXERCISE = Exercise(
    fewest_sharers,
    number=2,
    level="easy",
    asked="how many GPUs have to share a sequence",
    expected=by_logarithm,
    examples=[
        case(8, 80, 60, 40, 8),
        case(8, 80, 30, 40, 8),
        case(8, 80, 31, 40, 8),
        case(8, 80, 10, 40, 2),
        case(8, 320, 1, 40, 8),
        case(8, 40, 300, 40, 8),
        case(1, 10, 10, 20, 1),
        case(64, 64, 630, 72, 1),
        case(512, 100, 60, 72, 2),
        case(64, 100, 10, 72, 6),
        OWN,
    ],
    inputs=lambda st: {
        "gpus": st.sampled_from([1, 2, 4, 8, 16, 32, 64]),
        "state_gb": st.integers(1, 400),
        "sequence_gb": st.integers(1, 300),
        "limit_gb": st.sampled_from([10, 20, 40, 72]),
        "sequences": st.sampled_from([1, 2, 3, 4, 6, 8, 16, 24, 64]),
    },
    draws=200,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_batch",
            "You let groups go without a sequence. With more groups than sequences some have nothing to do.",
            {"fits and gpus // group <= sequences": "fits"},
        ),
        Mistake(
            "leaves_the_state_whole",
            "You let every GPU hold all of the state. It is dealt to all GPUs.",
            {"Fraction(state_gb, gpus)": "state_gb"},
        ),
        Mistake(
            "shards_in_the_group_alone",
            "You dealt the state inside a group. It is dealt to all GPUs.",
            {"Fraction(state_gb, gpus)": "Fraction(state_gb, group)"},
        ),
        Mistake(
            "leaves_the_sequence_whole",
            "You let every GPU of a group keep all activations of the sequence. They share them.",
            {"Fraction(sequence_gb, group)": "sequence_gb"},
        ),
        Mistake(
            "shares_the_sequence_with_all",
            "You dealt a sequence's activations to all GPUs. Only its group shares it.",
            {"Fraction(sequence_gb, group)": "Fraction(sequence_gb, gpus)"},
        ),
        Mistake(
            "forgets_the_state",
            "You left out the state.",
            {"Fraction(state_gb, gpus) + ": ""},
        ),
        Mistake(
            "leaves_no_full_gpu",
            "You said that a GPU which holds exactly what it may doesn't fit.",
            {"<= limit_gb": "< limit_gb"},
        ),
        Mistake(
            "stops_before_all",
            "You never let all GPUs share one sequence. They may.",
            {"while group <= gpus": "while group < gpus"},
        ),
        Mistake(
            "counts_by_one",
            "Your group is no power of two. GPUs are cut by halves.",
            {"group *= 2": "group += 1"},
        ),
    ],
)
