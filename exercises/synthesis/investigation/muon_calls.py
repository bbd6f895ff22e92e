"""Exercise: what a counter of orthogonalisations says about where Muon runs, and what the fix is worth."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def muon_calls(
    *,
    calls: int,
    steps: int,
    matrices: int,
    micro_batches: int,
    rows: int,
    columns: int,
) -> tuple[str, int]:
    """Return where Muon's orthogonalisation runs, and what the fix saves.

    A counter says how often a run has orthogonalised a matrix. One
    orthogonalisation makes five iterations; each takes 4·q₁²·q₂ + 2·q₁³
    FLOPs, where q₁ is the smaller side of the matrix and q₂ the larger.

    Args:
        calls: that were counted, at least 0.
        steps: optimizer steps meanwhile, at least 1.
        matrices: that Muon updates, all of one shape, at least 1.
        micro_batches: of a step, at least 1.
        rows: of a matrix, at least 1.
        columns: of a matrix, at least 1.

    Returns:
        "step" if it ran once for each step and matrix, as it should, "micro"
        if instead once for each micro-batch and matrix, "never" if not at
        all, else "other"; and the FLOPs counted beyond those that should be,
        below 0 where too few.

    >>> muon_calls(
    ...     calls=16, steps=2, matrices=2, micro_batches=4, rows=1, columns=1
    ... )
    ('micro', 360)
    """
    right = steps * matrices
    small, large = min(rows, columns), max(rows, columns)
    flops = 5 * (4 * small**2 * large + 2 * small**3)
    if calls == 0:
        name = "never"
    elif calls == right:
        name = "step"
    elif calls == right * micro_batches:
        name = "micro"
    else:
        name = "other"
    return name, (calls - right) * flops


def by_running(
    *, calls: int, steps: int, matrices: int, micro_batches: int, rows: int, columns: int
) -> tuple[str, int]:
    """Run both loops with a counter, and count the iterations' FLOPs matmul by matmul."""
    counted = {"step": 0, "micro": 0}
    for _ in range(steps):
        for _ in range(micro_batches):
            counted["micro"] += matrices
        counted["step"] += matrices
    sides = sorted((rows, columns))
    shapes = [(sides[0], sides[1], sides[0]), (sides[0],) * 3, (sides[0], sides[0], sides[1])]
    one = sum(2 * i * j * k for _ in range(5) for i, j, k in shapes)
    name = "never" if not calls else next((name for name, count in counted.items() if count == calls), "other")
    return name, calls * one - counted["step"] * one


case = inputs_for(muon_calls)
OWN = case(16, 2, 2, 4, 256, 1024)


def taught() -> str:
    name, flops = muon_calls(**OWN)
    return (
        f"16 calls where 4 were due: once for each {name}-batch, and {flops / 1e9:.1f} GFLOP for nothing. "
        "The report on DeepSpeed counted the same 16 for its two matrices. With 0 calls the same symptom would have "
        "the opposite cause."
    )


EXERCISE = Exercise(
    muon_calls,
    number=3,
    level="easy",
    asked="where Muon runs, and what the fix saves",
    expected=by_running,
    examples=[
        case(16, 2, 2, 4, 1, 1),
        case(4, 2, 2, 4, 1, 1),
        case(0, 2, 2, 4, 1, 1),
        case(8, 2, 2, 4, 1, 1),
        case(4, 2, 2, 1, 3, 2),
        case(6, 3, 2, 4, 2, 5),
        case(3, 2, 2, 4, 1, 1),
        case(5, 2, 2, 4, 3, 2),
        OWN,
    ],
    inputs=lambda st: st.builds(
        lambda steps, matrices, m, rows, columns, kind, odd: case(
            {"step": steps * matrices, "micro": steps * matrices * m, "never": 0, "other": odd}[kind],
            steps,
            matrices,
            m,
            rows,
            columns,
        ),
        st.integers(1, 5),
        st.integers(1, 5),
        st.integers(1, 6),
        st.integers(1, 9),
        st.integers(1, 9),
        st.sampled_from(["step", "micro", "micro", "never", "other"]),
        st.integers(0, 160),
    ),
    draws=120,
    units={"result": "(where, FLOPs)"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_matrices",
            "You counted one call a step. Each matrix is orthogonalised by itself.",
            {"right = steps * matrices": "right = steps"},
        ),
        Mistake(
            "micro_before_step",
            "With one micro-batch both counts agree, and nothing is wrong: say step.",
            {"elif calls == right:": "elif calls == right and micro_batches > 1:"},
        ),
        Mistake(
            "never_is_other",
            "No call at all has a cause of its own: Muon is switched off.",
            {"calls == 0": "calls < 0"},
        ),
        Mistake(
            "too_few_is_never",
            "You said never wherever there were too few calls. Some calls aren't none.",
            {"calls == 0": "calls < right"},
        ),
        Mistake(
            "all_too_many_are_micro",
            "You called every count that is too high once for each micro-batch. It has to be that multiple.",
            {"elif calls == right * micro_batches": "elif calls > right"},
        ),
        Mistake(
            "counts_one_iteration",
            "You counted one iteration. Muon makes five.",
            {"5 * (4 *": "(4 *"},
        ),
        Mistake(
            "takes_rows_for_the_smaller",
            "The smaller side is squared, whichever it is.",
            {"small, large = min(rows, columns), max(rows, columns)": "small, large = rows, columns"},
        ),
        Mistake(
            "counts_all_calls",
            "You gave the FLOPs of all calls. Those that are due stay.",
            {"(calls - right) * flops": "calls * flops"},
        ),
        Mistake(
            "hides_the_deficit",
            "Where too few calls were made, the difference is below 0: the fix costs FLOPs.",
            {"(calls - right) * flops": "abs(calls - right) * flops"},
        ),
    ],
)
