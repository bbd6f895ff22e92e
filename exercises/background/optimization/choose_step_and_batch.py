"""Exercise: step size, batch and steps that bring a noisy quadratic to its target within a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

DESIGN, STEPS, EXAMPLES, LOSS = "design", "steps", "examples", "expected loss at the end"
WITHIN, REACHED = "within the limit", "at most the target"
NO_OTHERS = "with this step size no other batch and steps end lower"
QUADRATIC = ("curvatures", "start", "noise_variances")
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

    The loss is ½·Σ λᵢyᵢ². In each step direction i gets the mean gradient of a
    batch of B examples, λᵢyᵢ plus noise of variance σᵢ²/B, independent of all
    others, and the step size is the same in all of them. The expected loss is
    the mean over the noise.

    Args:
        curvatures: λᵢ, each above 0.
        start: yᵢ before the first step.
        noise_variances: σᵢ² of one example's gradient, each at least 0.
        most_examples: how many examples all steps together may use; a step
            uses as many as its batch has.
        most_steps: how many steps there may be.
        target: what the expected loss after the last step is to be at most;
            some design within the limits ends at least 5% below it.

    Returns:
        (step size, batch, steps): any design within the limits. The step
        size is above 0; batch and steps are whole and at least 1. There are
        10 s for all inputs together: enough for the chapter's closed form
        (`expected_loss`) at every number of steps, too little for a loop over
        the steps of each design.

    >>> step, batch, steps = choose_step_and_batch(
    ...     curvatures=[1.0], start=[1.0], noise_variances=[0.0],
    ...     most_examples=4, most_steps=4, target=0.05)
    >>> step > 0 and batch >= 1 and 1 <= steps <= 4 and batch * steps <= 4
    True
    """
    designs: list[tuple[float, tuple[float, int, int]]] = []
    for steps in range(1, min(most_steps, most_examples) + 1):
        batch = most_examples // steps
        for power in range(1, 250):
            step = 2 / max(curvatures) * 0.98**power
            loss = 0.0
            for curvature, x, variance in zip(curvatures, start, noise_variances, strict=True):
                left = (1 - step * curvature) ** (2 * steps)
                settled = step * variance / batch / (curvature * (2 - step * curvature))
                loss += curvature / 2 * (left * x * x + (1 - left) * settled)
            designs.append((loss, (step, batch, steps)))
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


def is_best_of_its_step_size(loss: float, step: float, inputs: Inputs) -> bool:
    """Say whether no other batch and steps within the limits end below a loss with a step size, by the closed form."""
    curvatures, start, variances = (inputs[name] for name in QUADRATIC)
    if step * max(curvatures) >= 2:
        return False
    for steps in range(1, min(inputs["most_steps"], inputs["most_examples"]) + 1):
        other, batch = 0.0, inputs["most_examples"] // steps
        for curvature, x, variance in zip(curvatures, start, variances, strict=True):
            left = (1 - step * curvature) ** (2 * steps)
            other += curvature / 2 * left * x * x + (1 - left) * step * variance / batch / 2 / (2 - step * curvature)
        if other < loss * (1 - 1e-9):
            return False
    return True


def _shown(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


def a_design(**_: Any) -> Observation:
    return {DESIGN: "a step size, a batch and steps", STEPS: WITHIN, EXAMPLES: WITHIN, LOSS: REACHED}


def observe_run(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Run the design that was chosen, in the mean over the noise, and hold it to each limit."""
    step, batch, steps = function(**inputs)
    given = f"({step:g}, {_shown(batch)}, {_shown(steps)})"
    if not (batch % 1 == 0 and steps % 1 == 0):
        return {DESIGN: f"{given}, where batch and steps have to be whole numbers"}
    if not (math.isfinite(step) and step > 0 and batch >= 1 and steps >= 1):
        return {DESIGN: f"{given}, where all three have to be above 0"}
    seen: Observation = {DESIGN: "a step size, a batch and steps", STEPS: WITHIN, EXAMPLES: WITHIN}
    if steps > inputs["most_steps"]:
        seen[STEPS] = f"{steps}, {steps - inputs['most_steps']} more than {inputs['most_steps']}"
    if batch * steps > inputs["most_examples"]:
        over = batch * steps - inputs["most_examples"]
        seen[EXAMPLES] = f"{batch} · {steps} = {batch * steps}, {over} more than {inputs['most_examples']}"
    if seen[STEPS] == seen[EXAMPLES] == WITHIN:
        curvatures, start, variances, target = (inputs[name] for name in (*QUADRATIC, "target"))
        loss = expected_loss(step, batch, steps, curvatures, start, variances)
        remaining = expected_loss(step, batch, steps, curvatures, start, [0] * len(start))
        if remaining < 1e-6 * loss:
            remaining = 0
        of_both = f", {remaining:.3g} of it left of the start and {loss - remaining:.3g} from the noise"
        reaches = loss <= target * (1 + LEAST)
        alone = "" if reaches or not is_best_of_its_step_size(loss, step, inputs) else f"; {NO_OTHERS}"
        missed = (
            f"{loss:.4g}, {loss / target:.4g} times the target of {target:g}"
            f"{of_both if math.isfinite(loss) else ''} (step size {step:.4g}, batch {batch}, steps {steps}{alone})"
        )
        seen[LOSS] = REACHED if reaches else missed
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
as_if = mistaken_rules(a_design, observe_run)


def taught() -> str:
    own = EXERCISE.examples[3]
    quadratic = [own[name] for name in QUADRATIC]
    step, batch, steps = choose_step_and_batch(**own)
    silent = round(2 / (min(own["curvatures"]) + max(own["curvatures"])), 4)
    low, high = (expected_loss(size, batch, steps, *quadratic) for size in (step, silent))
    return (
        f"{steps} steps with a batch of {batch} and a step size of {step:.4f} end at {low:.4f}. With {silent:.4f}, "
        f"which is best without noise, they end at {high:.3f}: a large step forgets the start sooner and settles "
        "higher."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return quadratics whose target lies a tenth above the loss of the solution's design.

    A few have so much noise that one step is best, or nearly so.
    """
    found = []
    for _ in range(14):
        size = chance.randint(1, 3)
        curvatures = [chance.choice((0.5, 1, 2, 5, 10, 20, 40)) for _ in range(size)]
        start = [chance.randint(1, 8) for _ in range(size)]
        noise_variances = [chance.choice((0, 1, 5, 20, 80)) for _ in range(size)]
        found.append(reachable(curvatures, start, noise_variances, chance.randint(20, 500), chance.randint(3, 40)))
    for _ in range(4):
        most_examples = chance.randint(16, 24)
        noise_variance = most_examples * chance.randint(40, 50) // 10
        found.append(reachable([0.5], [2], [noise_variance], most_examples, chance.randint(5, 10)))
    return found


def reachable(
    curvatures: Sequence[float],
    start: Sequence[float],
    noise_variances: Sequence[float],
    most_examples: int,
    most_steps: int,
) -> Inputs:
    """Return a quadratic whose target lies a tenth above the loss of the solution's design."""
    one = run_of(curvatures, start, noise_variances, most_examples, most_steps, 1.0)
    loss = expected_loss(*choose_step_and_batch(**one), curvatures, start, noise_variances)
    return {**one, "target": float(f"{1.1 * loss:.4g}")}


EXERCISE = Exercise(
    choose_step_and_batch,
    number=5,
    level="hard",
    asked="a step size, a batch and steps that reach the target within the examples and the steps",
    expected=a_design,
    observe=observe_run,
    examples=[
        run_of([1], [1], [0], 4, 4, 0.05),
        run_of([2], [5], [9], 50, 50, 0.05),
        run_of([1, 10], [3, 1], [1, 1], 400, 30, 0.0112),
        run_of([1, 100], [10, 1], [4, 4], 6400, 400, 0.006),  # the exercise's
    ],
    inputs=[
        run_of([10, 1], [1, 3], [1, 1], 64, 32, 0.046),
        run_of([2], [5], [9], 64, 5, 0.0395),
        run_of([2], [5], [9], 50, 5, 0.05),
        run_of([30, 1], [4, 4], [20, 0.5], 450, 40, 0.235),
        run_of([5, 50, 0.5], [2, 1, 6], [3, 2, 1], 1024, 40, 2.1),
        run_of([3, 3, 3, 3], [1, 1, 1, 1], [0.1, 0.1, 0.1, 0.1], 16, 3, 0.0048),  # 2/Σλ is far below 1/λ_max
        run_of([4, 4], [1, 1], [50, 50], 64, 32, 0.2),
        run_of([40, 1], [1, 1], [0, 100], 128, 30, 0.242),  # which direction is noisy decides
        run_of([1, 40], [5, 1], [100, 0], 128, 30, 1.06),
        run_of([4, 20], [5, 1], [80, 0], 512, 12, 0.0535),
        run_of([20, 4], [1, 5], [0, 80], 512, 5, 1.13),
        run_of([50000, 0.5], [1, 0.001], [1, 1], 64, 10, 7.9e-7),  # the last curvature's border is no place to begin
        run_of([20, 1], [5, 5], [0, 0], 24, 40, 0.153),  # more steps than examples
        run_of([1, 10], [4, 1], [0, 0], 3, 3, 3.25),  # all steps are needed
        run_of([3, 7], [8, 8], [10, 1], 200, 20, 0.029),
        run_of([1, 5, 20], [1, 1, 1], [0, 60, 0], 256, 40, 0.129),  # the direction in the middle is the noisy one
        run_of([4, 1], [1, 3], [200, 60], 256, 40, 0.65),  # the best step size is far below the border
        run_of([0.5], [2], [80], 18, 8, 0.89),  # one step, in which the noise has not yet come to its balance
    ],
    drawn=drawn,
    units={STEPS: "", EXAMPLES: "", LOSS: ""},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_noise",
            "Without noise this design would reach the target. So the noise is left out or miscounted, or too few "
            "designs are tried: every number of steps may be the best, and the step sizes have to lie close together.",
            {CUT: "left * x * x"},
            accepts=as_if(lambda given: {"noise_variances": [0.0] * len(given["start"])}),
        ),
        Mistake(
            "takes_all_examples_in_each_step",
            "Every step uses as many examples as its batch has: batch times steps may not exceed the examples.",
            {"most_examples // steps": "most_examples"},
            accepts=as_if(lambda given: {"most_examples": given["most_examples"] * given["most_steps"]}),
        ),
        Mistake(
            "forgets_the_limit_of_steps",
            "There is a limit to the steps besides the one to the examples.",
            {"range(1, min(most_steps, most_examples) + 1)": "[most_examples]"},
            accepts=as_if(lambda given: {"most_steps": math.inf}),
        ),
        Mistake(
            "leaves_the_noise_undivided",
            "The mean of B gradients has the variance σ²/B: you left the batch out, so a larger one gains nothing.",
            {"variance / batch": "variance"},
        ),
        Mistake(
            "one_factor_for_each_step",
            "The squares shrink, by (1 − ηλ)² in each step: after S steps the start counts with the power 2S, not S.",
            {"** (2 * steps)": "** steps"},
        ),
        Mistake(
            "the_floor_of_small_steps",
            "ησ²/(4B) is the floor's approximation for small steps; near the border the factor 2 − ηλ counts.",
            {"(curvature * (2 - step * curvature))": "(curvature * 2)"},
        ),
        Mistake(
            "the_whole_floor_from_the_first_step",
            "The noise gathers from step to step: after S steps the balance counts with what the start has lost, "
            "1 − (1 − ηλ)^(2S).",
            {"(1 - left) * settled": "settled"},
        ),
        Mistake(
            "rounds_the_batch_up",
            "A batch that is rounded up takes more examples than there are: round down.",
            {"most_examples // steps": "-(-most_examples // steps)"},
        ),
        Mistake(
            "swaps_batch_and_steps",
            "The order is step size, batch, steps; you return the steps before the batch.",
            {"return min(designs)[1]": "step, batch, steps = min(designs)[1]\n    return step, steps, batch"},
            accepts=as_if(read=lambda chosen: (chosen[0], chosen[2], chosen[1])),
        ),
        Mistake(
            "leaves_out_the_largest_number_of_steps",
            "range stops before its end: the largest number of steps is allowed too.",
            {"most_examples) + 1": "most_examples)"},
        ),
        Mistake(
            "four_steps",
            "This is right for one input only: choose by the curvatures, the noise and the limits.",
            lambda **_: (1.0, 1, 4),
        ),
    ],
)
