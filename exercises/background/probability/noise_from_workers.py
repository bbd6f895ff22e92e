"""Exercise: the noise and the length of the full gradient, estimated from the workers' gradients of one step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from statistics import fmean

from exercises.background.probability.common import exact, gradients, square_distance
from grader.exercise import Exercise, Mistake, Observation, parts


def noise_from_workers(
    gradients: Sequence[Sequence[float]],
    *,
    batch_size: int,
) -> tuple[float, float]:
    """Estimate the noise and the length of the full gradient from one step.

    Both come from the average of all workers' gradients and from the squared
    distances of all of them from it.

    Args:
        gradients: for each of R workers its batch gradient, a vector; R is at
            least 2. All examples were drawn independently, with replacement.
        batch_size: B, examples of each worker.

    Returns:
        Unbiased estimates of σ², the variance of one example's gradient summed
        over its d entries, and of ‖g‖², the squared length of the full
        gradient. The second may come out negative.

    >>> noise_from_workers([[1.0, 2.0], [4.0, 6.0]], batch_size=10)
    (125.0, 16.0)
    """
    # One degree of freedom is lost to the mean, hence R − 1; the mean's own squared length is too long by σ²/(RB).
    workers = len(gradients)
    mean = [fmean(entry) for entry in zip(*gradients, strict=True)]
    squares = sum(math.dist(gradient, mean) ** 2 for gradient in gradients)
    variance = batch_size * squares / (workers - 1)
    return variance, sum(entry**2 for entry in mean) - variance / (workers * batch_size)


def noise_by_pairs(gradients: Sequence[Sequence[float]], batch_size: int) -> Observation:
    """Take both from pairs of different workers: half a mean square distance, and a mean product."""
    pairs = list(permutations(map(exact, gradients), 2))
    apart = sum((square_distance(*pair) for pair in pairs), Fraction(0)) / len(pairs)
    product = sum((a * b for pair in pairs for a, b in zip(*pair, strict=True)), Fraction(0)) / len(pairs)
    return {"σ²": float(batch_size * apart / 2), "‖g‖²": float(product)}


EXERCISE = Exercise(
    noise_from_workers,
    number=6,
    level="hard",
    asked="unbiased estimates of σ² and ‖g‖² from the workers' batch gradients of one step",
    expected=noise_by_pairs,
    observe=parts("σ²", "‖g‖²"),
    examples=[
        {"gradients": [[1.0], [3.0]], "batch_size": 2},
        {"gradients": [[2.0], [2.0]], "batch_size": 3},
        {"gradients": [[1.0], [3.0]], "batch_size": 1},
        {"gradients": [[1.0, 0.0], [3.0, 1.0], [2.0, 5.0]], "batch_size": 4},
    ],
    inputs=lambda st: {
        "gradients": st.integers(1, 2).flatmap(lambda entries: gradients(st, entries, least=2, most=4)),
        "batch_size": st.integers(1, 8),
    },
    mistakes=[
        Mistake(
            "forgets_the_lost_degree",
            "The distances are from the workers' own average, which lies nearer than g: divide by R − 1, not R.",
            {"(workers - 1)": "workers"},
        ),
        Mistake(
            "forgets_the_batch_size",
            "This is the variance of a worker's batch gradient; that of one example is B times as large.",
            {"return variance": "return variance / batch_size"},
        ),
        Mistake(
            "forgets_the_correction",
            "The average's own squared length is too long: noise adds σ²/(RB) to it, which you have to take off.",
            {" - variance / (workers * batch_size)": ""},
        ),
        Mistake(
            "takes_off_one_workers_noise",
            "You took off σ²/B, the noise of one worker; the average of R workers has σ²/(RB).",
            {"(workers * batch_size)": "batch_size"},
        ),
        Mistake(
            "cuts_off_below_zero",
            "The estimate of ‖g‖² may come out negative; cut off at 0 it is no longer unbiased.",
            {"variance, sum(": "variance, max(0.0, sum(", "* batch_size)": "* batch_size))"},
        ),
        Mistake(
            "gives_them_in_reverse",
            "The order is: σ² first, ‖g‖² second.",
            lambda **inputs: noise_from_workers(**inputs)[::-1],
        ),
        Mistake(
            "noise_of_one_step",
            "This is right for one input only: compute both estimates from the gradients.",
            lambda **_: (2.0, 3.0),
        ),
    ],
)
