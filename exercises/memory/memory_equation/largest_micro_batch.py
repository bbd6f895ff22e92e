"""Exercise: the most sequences of a micro-batch whose peak fits."""

from __future__ import annotations

from itertools import count

from grader.exercise import Exercise, Mistake, inputs_for


def largest_micro_batch(
    *,
    memory_bytes: int,
    state_bytes: int,
    layers: int,
    layer_bytes: int,
    other_bytes: int,
) -> int:
    """Return the most sequences of a micro-batch whose peak fits.

    Args:
        memory_bytes: memory of the device, at least 0; all of it may be used.
        state_bytes: what is held whatever the micro-batch.
        layers: number of layers, at least 1.
        layer_bytes: what a sequence costs in each layer, at least 1.
        other_bytes: what a sequence costs besides, once.

    Returns:
        Sequences; 0 where not even one fits, or not even the state.

    >>> largest_micro_batch(
    ...     memory_bytes=26, state_bytes=2, layers=3, layer_bytes=2,
    ...     other_bytes=2,
    ... )
    3
    """
    room = max(0, memory_bytes - state_bytes)
    return room // (layers * layer_bytes + other_bytes)


def first_that_does_not_fit(
    *, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int
) -> int:
    """Add one sequence after the other."""
    peaks = (state_bytes + sequences * (layers * layer_bytes + other_bytes) for sequences in count(1))
    return next(sequences for sequences, peak in enumerate(peaks) if peak > memory_bytes)


device = inputs_for(largest_micro_batch)


def taught() -> str:
    own = EXERCISE.examples[-1]
    small, large = (largest_micro_batch(**{**own, "memory_bytes": memory}) for memory in (80 * 10**9, 85_198_045_184))
    each = own["layers"] * own["layer_bytes"] + own["other_bytes"]
    one_more = own["state_bytes"] + (large + 1) * each
    return (
        f"{small} sequences with 80 GB, and {large} with 85.2. A sequence takes {each / 1e9:.1f} GB, and one more "
        f"would need {one_more / 1e9:.1f} GB in all. Sequences come whole: the five gigabytes more buy "
        "none."
    )


EXERCISE = Exercise(
    largest_micro_batch,
    number=1,
    level="easy",
    asked="the most sequences of a micro-batch whose peak fits",
    expected=first_that_does_not_fit,
    examples=[
        device(26, 2, 3, 2, 2),
        device(31, 2, 3, 2, 2),
        device(5, 9, 1, 1, 0),
        device(1, 0, 1, 1, 0),
        device(0, 0, 1, 1, 0),
        device(80 * 10**9, 50_197_524_480, 30, 214_171_648, 882_900_992),
    ],
    inputs=lambda st: {
        "memory_bytes": st.integers(0, 200),
        "state_bytes": st.integers(0, 60),
        "layers": st.integers(1, 4),
        "layer_bytes": st.integers(1, 9),
        "other_bytes": st.integers(0, 9),
    },
    units={"result": "sequences"},
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_up",
            "This rounds up: the last sequence does not fit any more.",
            {"room // (layers * layer_bytes + other_bytes)": "-(-room // (layers * layer_bytes + other_bytes))"},
        ),
        Mistake(
            "forgets_the_state",
            "The state is there whatever the micro-batch: take it off the memory first.",
            {" - state_bytes": ""},
        ),
        Mistake(
            "counts_one_layer", "A sequence costs layer_bytes in every layer, not once.", {"layers * layer": "layer"}
        ),
        Mistake("forgets_the_rest", "A sequence also costs other_bytes, once.", {" + other_bytes)": ")"}),
        Mistake(
            "repeats_the_rest",
            "other_bytes are needed once for a sequence, not in every layer.",
            {"layers * layer_bytes + other_bytes": "layers * (layer_bytes + other_bytes)"},
        ),
        Mistake(
            "pays_the_rest_once",
            "Every sequence needs other_bytes, not only the first.",
            {"- state_bytes": "- state_bytes - other_bytes", " + other_bytes)": ")"},
        ),
        Mistake(
            "goes_below_zero",
            "Where the state does not fit, the result is 0, no negative number.",
            {"max(0, memory_bytes - state_bytes)": "memory_bytes - state_bytes"},
        ),
        Mistake("leaves_a_byte", "A peak that fills the memory exactly fits.", {"- state_bytes": "- state_bytes - 1"}),
    ],
)
