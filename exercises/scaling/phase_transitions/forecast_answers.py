"""Exercise: how many answers the next model gets right, from the losses of the right answers under smaller ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, linear_regression
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def forecast_answers(
    compute: Sequence[float],
    answer_losses: Sequence[Sequence[float]],
    *,
    next_compute: float,
) -> float:
    """Forecast how often the next model's sampled answers are right.

    Through the mean losses of the models, over their problems, lay the line
    log(mean loss) = constant − slope·log(compute) by least squares. Then let
    the loss of each problem under the last model fall with this slope.

    Args:
        compute: of each model, increasing, two models or more.
        answer_losses: for each model, the loss in nats of the right answer to
            each problem, the same problems in the same order, each above 0.
            They need not fall: then the line rises.
        next_compute: of the next model, more than the last one's.

    Returns:
        The mean, over the problems, of the probability that the next model
        samples the right answer.

    >>> round(forecast_answers([1, 10], [[4.0, 8.0], [2.0, 4.0]],
    ...                        next_compute=100), 4)
    0.2516
    """
    x = [math.log(amount) for amount in compute]
    y = [math.log(sum(losses) / len(losses)) for losses in answer_losses]
    centre, height = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - centre) * (b - height) for a, b in zip(x, y, strict=True))
    slope = above / sum((a - centre) ** 2 for a in x)
    scale = (next_compute / compute[-1]) ** slope
    chances = [math.exp(-scale * loss) for loss in answer_losses[-1]]
    return sum(chances) / len(chances)


def by_library(compute: Sequence[float], answer_losses: Sequence[Sequence[float]], *, next_compute: float) -> float:
    """The library's line, in logarithms of two, and one chance after the other."""
    line = linear_regression([math.log2(c) for c in compute], [math.log2(fmean(losses)) for losses in answer_losses])
    fallen = 2 ** (line.slope * math.log2(next_compute / compute[-1]))
    return fmean((1 / math.e) ** (loss * fallen) for loss in answer_losses[-1])


def case(compute: Sequence[float], next_compute: float, *answer_losses: Sequence[float]) -> Inputs:
    return {
        "compute": list(compute),
        "answer_losses": [list(losses) for losses in answer_losses],
        "next_compute": next_compute,
    }


def cases(st: Any) -> Any:
    def built(models: int, difficulties: list[float], exponent: float, wobble: list[float], jump: float) -> Inputs:
        compute = [1.0, 4.0, 10.0, 100.0][:models]
        rows = [
            [round(8 * amount**-exponent * hard * (1 + wobble[(i + 3 * j) % len(wobble)]), 3)]
            for i, amount in enumerate(compute)
            for j, hard in enumerate(difficulties)
        ]
        flat = [value for row in rows for value in row]
        count = len(difficulties)
        return case(compute, compute[-1] * jump, *[flat[i * count : (i + 1) * count] for i in range(models)])

    return st.builds(
        built,
        st.integers(3, 4),
        st.lists(st.sampled_from([0.2, 0.5, 0.8, 1.0, 1.3, 2.5]), min_size=2, max_size=6),
        st.sampled_from([0.1, 0.2, 0.3, 0.45]),
        st.lists(st.sampled_from([-0.2, -0.1, 0.0, 0.15, 0.3]), min_size=3, max_size=5),
        st.sampled_from([2.0, 10.0, 30.0]),
    )


QUESTION = case(
    (1, 10, 100),
    1000,
    (24.1, 51.7, 8.9, 66.0, 35.2, 15.8, 43.5, 28.3),
    (12.6, 24.4, 4.7, 34.9, 16.8, 8.3, 20.9, 14.6),
    (6.1, 12.9, 2.2, 16.1, 8.9, 3.9, 11.0, 7.2),
)

EXERCISE = Exercise(
    forecast_answers,
    number=2,
    asked="the share of answers that the next model gets right",
    expected=by_library,
    relative_tolerance=1e-6,
    draws=40,
    examples=[
        case((1, 10), 100, (4.0, 8.0), (2.0, 4.0)),
        case((1, 10, 100), 1000, (4.0, 9.0), (3.0, 2.0), (1.0, 1.5)),
        case((2, 8, 16), 64, (5.0, 1.0, 3.0), (4.0, 0.5, 2.5), (2.0, 0.7, 2.6)),
        case((1, 3), 3.5, (2.0,), (1.9,)),
        case((1, 10), 100, (1.0, 2.0), (2.0, 3.0)),
        QUESTION,
    ],
    inputs=cases,
    mistakes=[
        Mistake(
            "averages_the_losses",
            "You took the mean loss before e to its power. Easy problems are right far more often than the mean one.",
            {"return sum(chances) / len(chances)": "return math.exp(-scale * sum(answer_losses[-1]) / len(chances))"},
        ),
        Mistake(
            "first_and_last",
            "Your line goes through the first and the last model; asked is the least-squares line through all.",
            {
                "above / sum((a - centre) ** 2 for a in x)": "(above * 0 + y[-1] - y[0]) / (x[-1] - x[0])",
            },
        ),
        Mistake(
            "means_of_logarithms",
            "You averaged the logarithms of the losses; the line goes through the logarithms of the mean losses.",
            {"math.log(sum(losses) / len(losses))": "sum(map(math.log, losses)) / len(losses)"},
        ),
        Mistake(
            "last_model",
            "This is the last model's share: its losses have not fallen yet.",
            {"math.exp(-scale * loss)": "math.exp(-loss)"},
        ),
        Mistake(
            "starts_from_the_first",
            "The losses that fall are the last model's; you let them fall from the first model's compute.",
            {"next_compute / compute[-1]": "next_compute / compute[0]"},
        ),
        Mistake(
            "carries_on_the_line",
            "You put the line's own loss in place of the problems': then all problems are alike.",
            {
                "return sum(chances) / len(chances)": "return math.exp(-math.exp(height + slope * "
                "(math.log(next_compute) - centre)))"
            },
        ),
        Mistake(
            "straight_in_the_loss",
            "You drew the line through the losses themselves; it is their logarithms that fall evenly.",
            lambda compute, answer_losses, next_compute: straight(compute, answer_losses, next_compute),
        ),
        Mistake(
            "powers_of_two",
            "A loss in nats is a natural logarithm: the probability is e to the power of minus the loss.",
            {"math.exp(-scale * loss)": "2 ** (-scale * loss)"},
        ),
    ],
)


def straight(compute: Sequence[float], answer_losses: Sequence[Sequence[float]], next_compute: float) -> float:
    """Scale the last losses by a line through the mean losses against the logarithm of compute."""
    x = [math.log(amount) for amount in compute]
    y = [sum(losses) / len(losses) for losses in answer_losses]
    centre, height = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - centre) * (b - height) for a, b in zip(x, y, strict=True)) / sum((a - centre) ** 2 for a in x)
    last, later = (height + slope * (math.log(amount) - centre) for amount in (compute[-1], next_compute))
    return sum(math.exp(-loss * later / last) for loss in answer_losses[-1]) / len(answer_losses[-1])
