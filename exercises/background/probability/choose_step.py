"""Exercise: workers, batch and passes of a step that is near enough to the full gradient, and fast enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

DESIGN, WORKERS, MEMORY, ERROR, TIME = "design", "workers", "examples at once", "error", "time of a step"
KEPT = "within the limit"
HAIR = 1 + 1e-9  # so that rounding decides nothing


def choose_step(
    *,
    variance: float,
    error: float,
    most_examples: int,
    most_workers: int,
    pass_s: float,
    example_s: float,
    message_s: float,
    deadline_s: float,
) -> tuple[int, int, int]:
    """Choose a step that is near enough to the full gradient, and fast enough.

    Each of R workers goes through its examples in one or several passes, which
    its gradient adds up; then a ring all-reduce of 2(R − 1) messages, one after
    the other, averages the workers' gradients. All workers take passes of the
    same number of examples. All draws are independent, with replacement.

    Args:
        variance: σ² of one example's gradient, above 0.
        error: the largest root-mean-square distance from the full gradient
            that the step's gradient may have, above 0.
        most_examples: how many examples a worker may have in a pass.
        most_workers: how many workers there are.
        pass_s: what a pass takes, whatever its size.
        example_s: what each example of a pass takes besides.
        message_s: what a message of the all-reduce takes.
        deadline_s: the longest that the step may take; some design keeps all
            limits.

    Returns:
        Examples of a pass, workers, and passes of each worker. Of several
        designs that keep all limits, any.

    >>> choose_step(variance=9.0, error=1.0, most_examples=4, most_workers=2,
    ...             pass_s=1.0, example_s=1.0, message_s=1.0, deadline_s=10.0)
    (3, 2, 2)
    """
    # Try all numbers of workers and of examples in a pass; the passes follow from the draws that the error asks for.
    draws = math.ceil(variance / error**2)
    designs = []
    for workers in range(1, most_workers + 1):
        for examples in range(1, most_examples + 1):
            passes = math.ceil(draws / (workers * examples))
            time = passes * (pass_s + examples * example_s)
            time += 2 * (workers - 1) * message_s
            designs.append((time, (examples, workers, passes)))
    return min(designs)[1]


def step_s(examples: int, workers: int, passes: int, *, pass_s: float, example_s: float, message_s: float) -> float:
    """Return when the last message ends: pass after pass on all workers at once, then message after message."""
    return passes * (pass_s + examples * example_s) + 2 * (workers - 1) * message_s


def error_of(draws: int, variance: float) -> float:
    """Return the root-mean-square distance of a mean of independent draws, which errors add up to as squares."""
    return math.sqrt(math.fsum([variance] * draws)) / draws


def seen(
    examples: int,
    workers: int,
    passes: int,
    *,
    variance: float,
    error: float,
    most_examples: int,
    most_workers: int,
    deadline_s: float,
    **costs: float,
) -> Observation:
    """Say of a design which limits it keeps, and by how much it misses the others."""
    if any(int(number) != number or number < 1 for number in (examples, workers, passes)):
        return {DESIGN: f"{examples} examples, {workers} workers, {passes} passes: each a whole number of at least 1"}
    examples, workers, passes = (min(int(number), 10**12) for number in (examples, workers, passes))
    found: Observation = {DESIGN: "of at least one of each", WORKERS: KEPT, MEMORY: KEPT, ERROR: KEPT, TIME: KEPT}
    if workers > most_workers:
        found[WORKERS] = f"{workers}, where {most_workers} are allowed"
    if examples > most_examples:
        found[MEMORY] = f"{examples}, where {most_examples} are allowed"
    if workers > most_workers:
        return found
    off, time = error_of(min(examples * workers * passes, 10**6), variance), step_s(examples, workers, passes, **costs)
    if off > error * HAIR:
        found[ERROR] = f"{off:.4g}, where {error:.4g} is allowed"
    if time > deadline_s * HAIR:
        found[TIME] = f"{time:.4g} s, where {deadline_s:.4g} s is allowed"
    return found


def is_near(chosen: tuple[int, int, int], *, variance: float, error: float, **_: Any) -> bool:
    """Say whether a design has the draws that the error asks for."""
    return math.prod(chosen) * error**2 * HAIR >= variance


def is_late_alone(
    chosen: tuple[int, int, int],
    *,
    variance: float,
    error: float,
    most_examples: int,
    most_workers: int,
    deadline_s: float,
    **costs: float,
) -> bool:
    """Say whether one worker is too late where several, with passes of as many examples, are faster."""
    examples, workers, passes = chosen
    own = step_s(examples, workers, passes, **costs)
    if workers > 1 or own <= deadline_s * HAIR:
        return False
    draws = math.ceil(variance / error**2)
    others = range(2, most_workers + 1)
    return any(step_s(examples, several, -(-draws // (examples * several)), **costs) < own for several in others)


def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
    return seen(*function(**inputs), **inputs)


def all_kept(**_: Any) -> Observation:
    return {DESIGN: "of at least one of each", WORKERS: KEPT, MEMORY: KEPT, ERROR: KEPT, TIME: KEPT}


def fastest_s(*, variance: float, error: float, most_examples: int, most_workers: int, **costs: float) -> float:
    """Return the time of the fastest design that is near enough and keeps the other limits."""
    draws = next(count for count in range(1, 10**5) if error_of(count, variance) <= error * HAIR)
    sizes = product(range(1, most_examples + 1), range(1, most_workers + 1))
    return min(step_s(examples, workers, -(-draws // (examples * workers)), **costs) for examples, workers in sizes)


def task(
    variance: float,
    error: float,
    most_examples: int,
    most_workers: int,
    *,
    costs: tuple[float, float, float],
    slack: float,
) -> Inputs:
    """Return inputs whose deadline is that much later than the fastest step."""
    pass_s, example_s, message_s = costs
    given: Inputs = {
        "variance": variance,
        "error": error,
        "most_examples": most_examples,
        "most_workers": most_workers,
        "pass_s": pass_s,
        "example_s": example_s,
        "message_s": message_s,
    }
    return {**given, "deadline_s": fastest_s(**given) * slack}


def tasks(st: Any) -> Any:
    return st.builds(
        task,
        st.sampled_from([16.0, 30.25, 64.0, 90.25]),
        st.sampled_from([0.5, 0.75, 2.0]),
        st.integers(2, 12),
        st.integers(2, 12),
        costs=st.sampled_from([(1.0, 0.25, 0.125), (0.5, 0.5, 1.0), (2.0, 0.125, 0.5), (0.0625, 1.0, 2.0)]),
        slack=st.sampled_from([1.0625, 1.25]),
    )


SMALLEST: Inputs = {"pass_s": 1.0, "example_s": 1.0, "message_s": 1.0}
CHEAP_PASSES: Inputs = {"pass_s": 0.125, "example_s": 1.0, "message_s": 1.0}
DEAR_PASSES: Inputs = {"pass_s": 8.0, "example_s": 0.125, "message_s": 0.5}
QUESTION: Inputs = {"pass_s": 2e-3, "example_s": 20e-6, "message_s": 1e-4, "deadline_s": 15e-3}

as_if = mistaken_rules(all_kept, observe)


def taught() -> str:
    costs = {name: QUESTION[name] for name in ("pass_s", "example_s", "message_s")}
    design = choose_step(**EXERCISE.examples[-1])
    draws = math.ceil(4437.97 / 0.72507**2)
    chosen, one, all_64 = (
        1e3 * step_s(*each, **costs)
        for each in (design, (256, 1, math.ceil(draws / 256)), (math.ceil(draws / 64), 64, 1))
    )
    return (
        f"The step needs {draws:,} draws. {design[1]} workers with {design[2]} pass of {design[0]} take {chosen:.1f} "
        f"ms, one worker alone {one:.0f} ms. All 64 take {all_64:.1f} ms, too long as well: their passes are short, "
        "but each worker adds two messages."
    )


EXERCISE = Exercise(
    choose_step,
    number=5,
    asked="examples of a pass, workers and passes of a step that keeps all limits: memory, workers, error and time",
    expected=all_kept,
    observe=observe,
    examples=[
        {"variance": 9.0, "error": 1.0, "most_examples": 4, "most_workers": 2, **SMALLEST, "deadline_s": 10.0},
        {"variance": 16.0, "error": 2.0, "most_examples": 2, "most_workers": 9, **SMALLEST, "deadline_s": 5.5},
        {"variance": 4.0, "error": 0.5, "most_examples": 16, "most_workers": 8, **SMALLEST, "deadline_s": 11.5},
        {"variance": 9.0, "error": 1.0, "most_examples": 9, "most_workers": 9, **SMALLEST, "deadline_s": 8.5},
        {"variance": 9.0, "error": 0.5, "most_examples": 2, "most_workers": 9, **DEAR_PASSES, "deadline_s": 26.0},
        {"variance": 7.0, "error": 1.0, "most_examples": 4, "most_workers": 1, **CHEAP_PASSES, "deadline_s": 8.0},
        {"variance": 4437.97, "error": 0.72507, "most_examples": 256, "most_workers": 64, **QUESTION},
    ],
    inputs=tasks,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_all_workers",
            "You took all the workers that there are. Each one more makes the all-reduce two messages longer; weigh "
            "that against the shorter passes.",
            {"range(1, most_workers + 1)": "range(most_workers, most_workers + 1)"},
        ),
        Mistake(
            "takes_one_worker",
            "You let one worker make all the draws, and the step takes too long. Share them out: each worker more "
            "shortens the passes, for two messages.",
            {"range(1, most_workers + 1)": "range(1, 2)"},
            accepts=lambda chosen, **given: chosen[1] == 1 and is_near(chosen, **given),
        ),
        Mistake(
            "pays_a_pass_once",
            "You paid for a pass once in a step. A worker pays for each of its passes.",
            {
                "time = passes * (pass_s + examples * example_s)": "time = pass_s + passes * examples * example_s",
            },
        ),
        Mistake(
            "forgets_the_all_reduce",
            "With the passes alone this design is in time. The all-reduce takes 2(R − 1) messages more, two for each "
            "worker beyond the first.",
            {"time += 2 * (workers - 1) * message_s": "pass"},
            accepts=as_if(lambda given: {"message_s": 0.0}),
        ),
        Mistake(
            "fills_the_memory",
            "You gave every pass as many examples as the memory holds. That is more draws than the error asks for, and "
            "takes longer.",
            {"range(1, most_examples + 1)": "range(most_examples, most_examples + 1)"},
            accepts=lambda chosen, **given: (
                chosen[0] == given["most_examples"]
                and is_near(chosen, **given)
                and not is_late_alone(chosen, **given)  # whose author is told of the one worker
            ),
        ),
        Mistake(
            "fewest_passes_only",
            "You took no more passes than the memory asks for. Where a pass costs little, one more can save draws that "
            "only fill up the last pass: seven draws as 2 × 4 are eight, as 7 × 1 they are seven.",
            {
                "range(1, most_examples + 1)": "[math.ceil(draws / (workers * math.ceil(draws / (workers * "
                "most_examples))))]"
            },
        ),
        Mistake(
            "forgets_the_memory",
            "A pass has more examples than a worker may hold: let it take several passes.",
            {"range(1, most_examples + 1)": "range(1, draws + 1)"},
            accepts=as_if(lambda given: {"most_examples": math.inf}),
        ),
        Mistake(
            "forgets_to_square",
            "You divided the variance by the error itself: a variance is a squared distance, so square the error.",
            {"error**2": "error"},
            accepts=as_if(lambda given: {"error": math.sqrt(given["error"]), "deadline_s": math.inf}),
        ),
        Mistake(
            "rounds_down",
            "You rounded the passes down, and the step has a few draws too few for its error.",
            {"math.ceil(draws / (workers * examples))": "max(1, draws // (workers * examples))"},
        ),
        Mistake(
            "always_two_workers",
            "This is right for one input only: compute the design from the limits.",
            lambda **_: (3, 2, 2),
        ),
    ],
)
