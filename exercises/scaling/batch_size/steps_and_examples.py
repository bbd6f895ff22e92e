"""Exercise: steps and examples of a run, by its batch and the critical batch."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake


def steps_and_examples(
    *,
    batch: float,
    critical_batch: float,
    fewest_steps: float,
) -> tuple[float, float]:
    """Return how many steps a run takes, and how many examples it sees.

    Steps S and examples D lie on the chapter's hyperbola: (S over the fewest
    steps, less 1) times (D over the fewest examples, less 1) is 1.

    Args:
        batch: examples of a step.
        critical_batch: the batch that takes twice the fewest steps and twice
            the fewest examples.
        fewest_steps: steps with very large batches.

    Returns:
        Steps and examples, not rounded.

    >>> steps_and_examples(batch=2, critical_batch=6, fewest_steps=10)
    (40.0, 80.0)
    """
    steps = fewest_steps * (1 + critical_batch / batch)
    return steps, batch * steps


def on_the_hyperbola(*, batch: float, critical_batch: float, fewest_steps: float) -> tuple[float, float]:
    """Halve a range of steps until the product of the two excesses is 1."""
    fewest_examples = fewest_steps * critical_batch
    low = max(fewest_steps, fewest_examples / batch)
    high = low + fewest_steps + fewest_examples / batch
    for _ in range(200):
        middle = (low + high) / 2
        product = (middle / fewest_steps - 1) * (middle * batch / fewest_examples - 1)
        low, high = (middle, high) if product < 1 else (low, middle)
    return float(f"{low:.12g}"), float(f"{batch * low:.12g}")


def run(batch: float, critical_batch: float, fewest_steps: float) -> Inputs:
    return {"batch": batch, "critical_batch": critical_batch, "fewest_steps": fewest_steps}


def taught() -> str:
    critical, fewest = 4_194_304, 50_000
    steps, examples = steps_and_examples(batch=4 * critical, critical_batch=critical, fewest_steps=fewest)
    return (
        f"It takes {steps:,.0f} steps and {examples / 1e12:.2f} trillion tokens. At four times the critical batch the "
        f"steps are {steps / fewest:.2f} times the fewest, and the tokens {examples / fewest / critical:.0f} times the "
        f"fewest: still larger batches can save at most {1 - fewest / steps:.0%} of the steps."
    )


EXERCISE = Exercise(
    steps_and_examples,
    number=1,
    level="easy",
    asked="the steps of a run and the examples it sees, by its batch",
    expected=on_the_hyperbola,
    examples=[
        run(2, 6, 10),
        run(6, 6, 10),
        run(48, 6, 10),
        run(1, 1000, 30),
        run(0.5e6, 4e6, 250_000),
        run(16_777_216, 4_194_304, 50_000),
    ],
    inputs=lambda st: st.builds(run, st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 100_000)),
    units={"result": "steps and examples"},
    taught=taught,
    mistakes=[
        Mistake(
            "turns_the_ratio_over",
            "You turned the ratio over: steps fall as the batch grows, so the batch stands below.",
            {"critical_batch / batch": "batch / critical_batch"},
        ),
        Mistake(
            "scales_without_end",
            "Your steps fall as one over the batch for ever; no batch takes fewer than the fewest steps.",
            {"(1 + critical_batch / batch)": "critical_batch / batch"},
        ),
        Mistake(
            "multiplies_by_the_efficiency",
            "A step of this batch makes B/(B + B_crit) of the progress of a perfect one; the steps are the fewest over "
            "that, not times it.",
            {"* (1 + critical_batch / batch)": "* batch / (batch + critical_batch)"},
        ),
        Mistake(
            "takes_the_fewest_steps",
            "Only very large batches come down to the fewest steps.",
            {"steps = fewest_steps * (1 + critical_batch / batch)": "steps = fewest_steps"},
        ),
        Mistake(
            "returns_examples_first",
            "The steps come first, then the examples.",
            {"return steps, batch * steps": "return batch * steps, steps"},
        ),
        Mistake(
            "has_a_corner",
            "The curve has no corner at the critical batch: there the steps are twice the fewest.",
            {"(1 + critical_batch / batch)": "max(1, critical_batch / batch)"},
        ),
        Mistake(
            "rounds_the_steps_up",
            "You rounded the steps up; they are wanted as they come.",
            {"fewest_steps * (1 + critical_batch / batch)": "-(-fewest_steps * (1 + critical_batch / batch) // 1)"},
        ),
        Mistake("is_always_forty", "This is right for one input only.", lambda **_: (40.0, 80.0)),
    ],
)
