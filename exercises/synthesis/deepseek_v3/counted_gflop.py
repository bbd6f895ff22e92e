"""Exercise: with how many FLOPs for each token a reported rate was counted."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def counted_gflop(
    *,
    tflops: float,
    devices: int,
    step_s: float,
    sequences: int,
    sequence: int,
) -> float:
    """Return with how many GFLOPs for each token a reported rate was counted.

    Args:
        tflops: TFLOP/s that each GPU is said to reach, above 0.
        devices: GPUs.
        step_s: seconds of a step, above 0.
        sequences: of a step, on all GPUs together.
        sequence: tokens of each.

    Returns:
        GFLOPs for each token.

    >>> counted_gflop(
    ...     tflops=300.0, devices=8, step_s=2.0, sequences=12, sequence=1000
    ... )
    400.0
    """
    return 1000 * tflops * devices * step_s / (sequences * sequence)


def by_one_token(*, tflops: float, devices: int, step_s: float, sequences: int, sequence: int) -> float:
    """Ask how long all GPUs together have for one token, and what they do in that time."""
    each = Fraction(step_s) / sum(sequence for _ in range(sequences))
    return float(sum(Fraction(tflops) * 1000 * each for _ in range(devices)))


run_of = inputs_for(counted_gflop)
V3_FULL = run_of(432.0, 2048, 19.926, 15_360, 4096)
V3_CAUSAL = run_of(385.0, 2048, 19.926, 15_360, 4096)


def taught() -> str:
    full, half = counted_gflop(**V3_FULL), counted_gflop(**V3_CAUSAL)
    return (
        f"DeepSeek-V3's makers count {half:.0f} GFLOPs a token with half of the attention's pairs, and {full:.0f} with "
        f"all. So attention is {2 * (full - half):.0f} of these {full:.0f}. 6N with 36.6 billion parameters is 220."
    )


EXERCISE = Exercise(
    counted_gflop,
    number=1,
    level="easy",
    asked="with how many GFLOPs for each token a reported rate was counted",
    expected=by_one_token,
    examples=[
        run_of(300.0, 8, 2.0, 12, 1000),
        run_of(1.0, 1, 1.0, 1, 1),
        run_of(50.0, 4, 0.5, 10, 20),
        V3_FULL,
        V3_CAUSAL,
    ],
    inputs=lambda st: {
        "tflops": st.integers(1, 900).map(float),
        "devices": st.integers(1, 64),
        "step_s": st.integers(1, 40).map(lambda count: count / 2),
        "sequences": st.integers(1, 60),
        "sequence": st.integers(1, 500),
    },
    units={"result": "GFLOP"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_devices",
            "You took the rate of one GPU with the tokens of all of them.",
            {"tflops * devices * step_s": "tflops * step_s"},
        ),
        Mistake(
            "counts_sequences",
            "You divided by sequences. Asked is a token's share.",
            {"(sequences * sequence)": "sequences"},
        ),
        Mistake(
            "tokens_of_one_sequence",
            "You divided by the tokens of one sequence; a step has many.",
            {"(sequences * sequence)": "sequence"},
        ),
        Mistake("in_teraflops", "Your result is in TFLOPs: a thousand times too small.", {"1000 * ": ""}),
        Mistake(
            "forgets_the_step",
            "A rate becomes FLOPs when it's multiplied by the time in which they were done.",
            {" * step_s": ""},
        ),
        Mistake(
            "sequences_of_each_device",
            "You took the sequences as each GPU's own. They're those of all GPUs together.",
            {"tflops * devices * step_s": "tflops * step_s / devices"},
        ),
    ],
)
