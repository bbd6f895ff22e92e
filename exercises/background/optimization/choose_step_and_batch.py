"""Exercise: step size, batch and steps that bring a noisy quadratic to its target within a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

DESIGN, STEPS, EXAMPLES, LOSS = "design", "steps", "examples", "expected loss at the end"
WITHIN, REACHED = "within the limit", "at most the target"
LEAST = 1e-12  # the share by which a sum of floats may miss the target


def choose_step_and_batch(
    *,
    curvatures: Sequence[float],
    start: Sequence[float],
    noise_variances: Sequence[float],
    most_examples: int,
    most_steps: int,
    target: float,
) -> tuple[float, int, int]:
    """Choose a step size, a batch and a number of steps that reach a loss.

    The loss is ½·Σ λᵢxᵢ². In each step direction i gets the mean gradient of a
    batch of B examples, λᵢxᵢ plus noise of variance σᵢ²/B, independent of all
    others, and the step size is the same in all of them. The expected loss is
    the mean over the noise.

    Args:
        curvatures: λᵢ, each above 0.
        start: xᵢ before the first step.
        noise_variances: σᵢ² of one example's gradient, each at least 0.
        most_examples: how many examples all steps together may use; a step
            uses as many as its batch has.
        most_steps: how many steps there may be.
        target: what the expected loss after the last step is to be at most;
            some constant step size ends at least 5% below it.

    Returns:
        (step size, batch, steps): any design within the limits.

    >>> choose_step_and_batch(curvatures=[1.0], start=[1.0],
    ...                       noise_variances=[0.0], most_examples=4,
    ...                       most_steps=4, target=0.5)[1:]
    (1, 4)
    """
    designs: list[tuple[float, tuple[float, int, int]]] = []
    steps = min(most_steps, most_examples)
    while steps:
        batch = most_examples // steps
        for power in range(1, 250):
            step = 2 / max(curvatures) * 0.98**power
            loss = 0.0
            for curvature, x, variance in zip(curvatures, start, noise_variances, strict=True):
                left = (1 - step * curvature) ** (2 * steps)
                settled = step * variance / batch / (curvature * (2 - step * curvature))
                loss += curvature / 2 * (left * x * x + (1 - left) * settled)
            designs.append((loss, (step, batch, steps)))
        steps = steps * 4 // 5
    return min(designs)[1]


def expected_loss(
    step: float,
    batch: int,
    steps: int,
    curvatures: Sequence[float],
    start: Sequence[float],
    noise_variances: Sequence[float],
) -> float:
    """Make the recursion of the mean squares step by step; ``inf`` where floats end."""
    loss = 0.0
    for curvature, x, variance in zip(curvatures, start, noise_variances, strict=True):
        factor, added, square = (1 - step * curvature) ** 2, step * step * variance / batch, float(x) ** 2
        for _ in range(steps):
            square = factor * square + added
            if square > 1e200:
                return math.inf
        loss += curvature / 2 * square
    return loss


def a_design(**_: Any) -> Observation:
    return {DESIGN: "a step size, a batch and steps", STEPS: WITHIN, EXAMPLES: WITHIN, LOSS: REACHED}


def observe_run(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Run the design that was chosen, in the mean over the noise, and hold it to each limit."""
    step, batch, steps = function(**inputs)
    if not (math.isfinite(step) and step > 0 and batch >= 1 and steps >= 1):
        return {DESIGN: f"({step:g}, {batch}, {steps}), where all three have to be above 0"}
    seen: Observation = {DESIGN: "a step size, a batch and steps", STEPS: WITHIN, EXAMPLES: WITHIN}
    if steps > inputs["most_steps"]:
        seen[STEPS] = f"{steps}, {steps - inputs['most_steps']} more than {inputs['most_steps']}"
    if batch * steps > inputs["most_examples"]:
        over = batch * steps - inputs["most_examples"]
        seen[EXAMPLES] = f"{batch} · {steps} = {batch * steps}, {over} more than {inputs['most_examples']}"
    if seen[STEPS] == seen[EXAMPLES] == WITHIN:
        loss = expected_loss(step, batch, steps, *(inputs[name] for name in ("curvatures", "start", "noise_variances")))
        target = inputs["target"]
        missed = f"{loss:.4g}, {loss / target:.4g} times the target of {target:g}"
        seen[LOSS] = REACHED if loss <= target * (1 + LEAST) else missed
    return seen


def run_of(
    curvatures: Sequence[float],
    start: Sequence[float],
    noise_variances: Sequence[float],
    most_examples: int,
    most_steps: int,
    target: float,
) -> Inputs:
    quadratic = {"curvatures": [*curvatures], "start": [*start], "noise_variances": [*noise_variances]}
    return {**quadratic, "most_examples": most_examples, "most_steps": most_steps, "target": target}


CUT = "(left * x * x + (1 - left) * settled)"
EXERCISE = Exercise(
    choose_step_and_batch,
    number=5,
    level="hard",
    asked="a step size, a batch and steps that reach the target within the examples and the steps",
    expected=a_design,
    observe=observe_run,
    examples=[
        run_of([1], [1], [0], 4, 4, 0.5),
        run_of([2], [5], [9], 50, 50, 0.05),
        run_of([1, 10], [3, 1], [1, 1], 400, 30, 0.012),
        run_of([1, 100], [10, 1], [4, 4], 6400, 400, 0.006),  # the exercise's
    ],
    inputs=[
        run_of([1, 100], [10, 1], [4, 4], 6400, 400, 0.0048),
        run_of([1, 100], [10, 1], [4, 4], 6400, 6400, 0.0024),
        run_of([1, 10], [3, 1], [1, 1], 400, 100, 0.0075),
        run_of([2], [5], [9], 50, 5, 0.05),
        run_of([1, 30], [4, 4], [0.5, 20], 900, 120, 0.048),
        run_of([0.5, 5, 50], [6, 2, 1], [1, 3, 2], 3000, 250, 0.0135),
        run_of([1, 100], [10, 1], [400, 400], 64000, 400, 0.032),
        run_of([1, 100], [1, 1], [1, 100], 2000, 1000, 0.041),
        run_of([4, 4], [1, 1], [50, 50], 100, 100, 0.14),
        run_of([1, 20], [2, 0.1], [1, 1], 1000, 60, 0.005),
        run_of([3, 7], [8, 8], [10, 1], 200, 20, 0.03),
        run_of([1, 50], [5, 5], [0, 0], 300, 300, 1e-8),
        run_of([1, 50], [5, 5], [0.01, 0.01], 300, 300, 0.00022),
    ],
    units={STEPS: "", EXAMPLES: "", LOSS: ""},
    mistakes=[
        Mistake(
            "forgets_the_noise",
            "This forgets the start as fast as can be, and settles too high: count the noise floor as well.",
            {CUT: "left * x * x"},
        ),
        Mistake(
            "forgets_the_start",
            "This settles low, and has not arrived: count what is left of the start after these steps as well.",
            {CUT: "settled"},
        ),
        Mistake(
            "takes_the_best_step_without_noise",
            "2/(λ_min + λ_max) is the best step without noise. With noise it settles high, because it is close to the "
            "border.",
            lambda curvatures, most_examples, most_steps, **_: (
                2 / (min(curvatures) + max(curvatures)),
                max(1, most_examples // most_steps),
                min(most_steps, most_examples),
            ),
        ),
        Mistake(
            "never_overshoots",
            "1/λ_max is one step size for all budgets: weigh what is left of the start against the floor.",
            lambda curvatures, most_examples, most_steps, **_: (
                1 / max(curvatures),
                max(1, most_examples // most_steps),
                min(most_steps, most_examples),
            ),
        ),
        Mistake(
            "takes_all_examples_in_each_step",
            "Every step uses as many examples as its batch has: batch times steps may not exceed the examples.",
            {"most_examples // steps": "most_examples"},
        ),
        Mistake(
            "forgets_the_limit_of_steps",
            "There is a limit to the steps besides the one to the examples.",
            {"min(most_steps, most_examples)": "most_examples"},
        ),
        Mistake(
            "takes_batches_of_one",
            "A larger batch within the examples lowers the floor, and you left examples unused.",
            {"most_examples // steps": "1"},
        ),
        Mistake(
            "spends_everything_in_one_step",
            "One large batch has little noise, but one step forgets little of the start in the flat direction.",
            lambda curvatures, most_examples, **_: (1 / max(curvatures), most_examples, 1),
        ),
        Mistake(
            "always_all_steps",
            "More steps mean smaller batches: weigh fewer steps as well, each with the largest batch that they leave.",
            {"steps = steps * 4 // 5": "steps = 0"},
        ),
        Mistake(
            "four_steps",
            "This is right for one input only: choose by the curvatures, the noise and the limits.",
            lambda **_: (1.0, 1, 4),
        ),
    ],
)
