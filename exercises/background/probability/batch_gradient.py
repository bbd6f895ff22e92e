"""Exercise: the gradient of a batch in uneven shards, and what its variance is estimated to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from exercises.background.probability.common import exact, gradients, square_distance
from grader.exercise import Exercise, Mistake, Observation, parts


def batch_gradient(
    shards: Sequence[Sequence[Sequence[float]]],
) -> tuple[list[float], float]:
    """Return a batch's gradient, and an unbiased estimate of its variance.

    The batch lies in uneven shards on several workers. All examples were drawn
    independently and uniformly, with replacement. The gradient is the one that
    a single machine with the whole batch would compute. Its variance is its
    mean squared distance from the full gradient, which you do not know:
    estimate it, without bias, from the squared distances of all draws from
    the batch's gradient.

    Args:
        shards: for each worker the gradients of its examples, d numbers each.
            The shards may differ in length, and some may be empty; together
            they hold at least two examples.

    Returns:
        The batch gradient, d numbers, and the estimate of its variance, the
        sum over the d entries.

    >>> batch_gradient([[[0.0, 1.0], [3.0, 1.0]], [[6.0, 1.0]]])
    ([3.0, 1.0], 3.0)
    """
    # A mean of B draws has 1/B of the variance of one; their distances from their own mean suggest it with B − 1.
    size = sum(len(shard) for shard in shards)
    sums = [[sum(entry) for entry in zip(*shard, strict=True)] for shard in shards if shard]
    mean = [sum(entry) / size for entry in zip(*sums, strict=True)]
    squares = sum(math.dist(gradient, mean) ** 2 for shard in shards for gradient in shard)
    return mean, squares / (size - 1) / size


NAMES = "batch gradient", "estimate of its variance"


def from_pairs(shards: Sequence[Sequence[Sequence[float]]]) -> Observation:
    """Take the mean over all draws; the variance from the distances of all pairs of draws, which need no mean."""
    drawn = [exact(gradient) for shard in shards for gradient in shard]
    mean = [float(sum(entry) / len(drawn)) for entry in zip(*drawn, strict=True)]
    apart = sum((square_distance(*pair) for pair in combinations(drawn, 2)), Fraction(0))
    variance = float(apart / (len(drawn) ** 2 * (len(drawn) - 1)))
    return dict(zip(NAMES, (mean, variance), strict=True))


def taught() -> str:
    plain = 4 / (1 / 30 + 1 / 10)
    return (
        "A worker sends the sum of its gradients and 2 numbers more: how many they are, and the sum of their squared "
        f"lengths. The plain mean of shards of 30 and 10 has variance σ²/{plain:.0f} instead of σ²/40: as if "
        f"{40 - plain:.0f} of the 40 examples had been thrown away."
    )


EXERCISE = Exercise(
    batch_gradient,
    number=2,
    level="easy",
    asked="the gradient of a batch in uneven shards, and an unbiased estimate of its variance",
    expected=from_pairs,
    observe=parts(*NAMES),
    examples=[
        {"shards": [[[1.0], [3.0]], [[5.0]]]},
        {"shards": [[[1.0, 0.0], [3.0, 2.0], [5.0, 4.0]], [[-1.0, 2.0]]]},
        {"shards": [[], [[2.0]], [[0.0], [1.0], [5.0]]]},
        {"shards": [[[1.0], [3.0]]]},
        {"shards": [[[float(e % 7), 1.0] for e in range(30)], [[float(e % 3), 2.0] for e in range(10)]]},
    ],
    inputs=lambda st: {
        "shards": st.integers(1, 2)
        .flatmap(lambda entries: st.lists(gradients(st, entries, least=0, most=3), min_size=1, max_size=3))
        .filter(lambda shards: sum(map(len, shards)) >= 2)
    },
    taught=taught,
    mistakes=[
        Mistake(
            "averages_the_means",
            "You averaged the shards' means, so an example of a small shard counts for more. Weight by the shards' "
            "sizes.",
            {"[sum(entry) for": "[sum(entry) / len(shard) for", "/ size for": "/ len(sums) for"},
        ),
        Mistake(
            "sums_the_gradients",
            "This is the sum of the examples' gradients; the batch's gradient is their mean.",
            {"return mean": "return [size * entry for entry in mean]"},
        ),
        Mistake(
            "divides_by_the_workers",
            "This divides by the workers, not by the examples: a sum over a batch of B is divided by B.",
            {"/ size for": "/ len(shards) for"},
        ),
        Mistake(
            "divides_by_n",
            "This estimate has a bias: the distances are from the batch's own mean, which lies nearer. Divide by "
            "n − 1.",
            {"(size - 1)": "size"},
        ),
        Mistake(
            "variance_of_one_example",
            "This is the variance of one example's gradient; the mean of B has 1/B of it.",
            {"(size - 1) / size": "(size - 1)"},
        ),
        Mistake(
            "takes_the_root",
            "This is the standard error, the root of what is asked for: the variance is a squared distance.",
            {"squares / (size - 1) / size": "math.sqrt(squares / (size - 1) / size)"},
        ),
        Mistake(
            "averages_over_the_entries",
            "You divided by the number of entries, too: the variance is the sum over the entries, not their mean.",
            {"(size - 1) / size": "(size - 1) / size / len(mean)"},
        ),
        Mistake(
            "one_batch",
            "This is right for one input only: compute both numbers from the shards.",
            lambda **_: ([2.0], 1.0),
        ),
    ],
)
