"""Exercise: the bandwidth that an efficiency needs in ZeRO-Infinity's model."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def infinity_bandwidth(
    *,
    state: str,
    efficiency: float,
    sequence: int,
    batch: int,
    hidden: int,
    flops_per_s: float,
) -> float:
    """Return the bandwidth with which the GPU computes for this share of time.

    A step computes and moves one after the other, as in ZeRO-Infinity's model.
    A layer has 12·hidden² parameters. It computes 8 operations for each token
    and parameter. What moves depends on the state that is offloaded:

    - ``"weights"``: 2 bytes a parameter, 4 times (three times its weights,
      once its gradients);
    - ``"optimizer"``: 16 bytes a parameter, read once and written once;
    - ``"checkpoints"``: 2 bytes for each token and each of the hidden
      channels, written once and read once.

    Args:
        state: one of the three.
        efficiency: the share, above 0 and below 1.
        sequence: tokens of a sequence.
        batch: sequences of a step.
        hidden: channels.
        flops_per_s: speed of the GPU while it computes.

    Returns:
        Bytes a second, a float (in double precision).

    >>> infinity_bandwidth(
    ...     state="weights", efficiency=0.5, sequence=1000, batch=1,
    ...     hidden=8, flops_per_s=70_000,
    ... )
    70.0
    """
    tokens = sequence * batch
    intensity = {
        "weights": tokens,
        "optimizer": tokens / 4,
        "checkpoints": 24 * hidden,
    }[state]
    return efficiency / (1 - efficiency) * flops_per_s / intensity


def counted(*, state: str, efficiency: float, sequence: int, batch: int, hidden: int, flops_per_s: float) -> float:
    """Add up what a layer computes and moves; all that does not compute is moving."""
    layer = 4 * hidden * hidden + 2 * (4 * hidden * hidden)
    tokens = sum(sequence for _ in range(batch))
    computing_s = sum(operations * tokens * layer for operations in (2, 2, 4)) / flops_per_s
    moved = {
        "weights": sum(2 * layer for _ in ("forward", "again", "backward", "gradients")),
        "optimizer": sum(16 * layer for _ in ("read", "written")),
        "checkpoints": sum(2 * tokens * hidden for _ in ("written", "read")),
    }[state]
    step_s = computing_s / efficiency
    return moved / (step_s - computing_s)


STATES = ("weights", "optimizer", "checkpoints")
asked = inputs_for(infinity_bandwidth)


def taught() -> str:
    needed = {state: infinity_bandwidth(**asked(state, 0.9, 1024, 2, 8192, 70e12)) for state in STATES}
    said = ", ".join(f"{needed[state] / 1e9:,.4g} GB/s for {state}" for state in STATES)
    return (
        f"At batch 2 and hidden size 8,192, nine tenths take {said}. The paper rounds the optimizer's up to 1.5 TB/s. "
        "Checkpoints ask for least: a token's operations grow with the square of the hidden size, and what is kept of "
        "it in proportion."
    )


EXERCISE = Exercise(
    infinity_bandwidth,
    number=3,
    level="medium",
    asked="the bandwidth that an efficiency needs, computing and moving one after the other",
    expected=counted,
    examples=[
        asked("weights", 0.5, 1000, 1, 8, 70_000),
        asked("weights", 0.9, 1024, 3, 2048, 70e12),
        asked("optimizer", 0.25, 512, 3, 16, 1e6),
        asked("checkpoints", 0.75, 512, 3, 16, 1e6),
        asked("checkpoints", 0.5, 1024, 2, 8192, 70e12),
        asked("optimizer", 0.9, 1024, 2, 8192, 70e12),
    ],
    inputs=lambda st: {
        "state": st.sampled_from(["weights", "optimizer", "checkpoints"]),
        "efficiency": st.sampled_from([0.1, 0.3, 0.5, 0.8, 0.95]),
        "sequence": st.integers(3, 3000),
        "batch": st.integers(2, 9),
        "hidden": st.integers(2, 5000),
        "flops_per_s": st.integers(10, 99).map(lambda speed: speed * 1e10),
    },
    draws=80,
    units={"result": "B/s"},
    taught=taught,
    mistakes=[
        Mistake(
            "hides_everything",
            "In this model nothing overlaps: the time of moving is what is left of the step, 1/η − 1 of computing.",
            {"efficiency / (1 - efficiency)": "1"},
        ),
        Mistake(
            "multiplies_by_the_efficiency",
            "Half the efficiency is not half the bandwidth: solve η = Iβ/(Iβ + P) for β.",
            {"efficiency / (1 - efficiency)": "efficiency"},
        ),
        Mistake(
            "turns_the_odds_round",
            "The odds are upside down: a higher efficiency needs more bandwidth.",
            {"efficiency / (1 - efficiency)": "(1 - efficiency) / efficiency"},
        ),
        Mistake(
            "forgets_the_batch",
            "All sequences of the batch share one transfer of the state.",
            {"sequence * batch": "sequence"},
        ),
        Mistake(
            "moves_optimizer_state_once",
            "Optimizer state is read and written: 32 bytes a parameter move in all.",
            {"tokens / 4": "tokens / 2"},
        ),
        Mistake(
            "moves_twelve_bytes",
            "This model moves 16 bytes a parameter, with the float32 gradients, each way.",
            {"tokens / 4": "tokens / 3"},
        ),
        Mistake(
            "moves_checkpoints_once",
            "A checkpoint is written in the forward pass and read in the backward pass: two transfers.",
            {"24 * hidden": "48 * hidden"},
        ),
        Mistake(
            "computes_without_recomputation",
            "A layer computes 8 operations a token and parameter: 2 forward, 2 again, 4 backward.",
            {"return efficiency": "return 4 / 3 * efficiency"},
        ),
    ],
)
