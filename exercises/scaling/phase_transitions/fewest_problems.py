"""Exercise: how many problems a test needs, so that a rare whole answer is seen at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def fewest_problems(
    token_accuracies: Sequence[float],
    *,
    confidence: float,
) -> int:
    """Return how many problems a test needs to see at least one right answer.

    An answer is right if all of its tokens are. The problems are equally
    difficult and independent of each other.

    Args:
        token_accuracies: for each token of an answer, how often it is right
            where those before it are; each above 0 and below 1, their product
            at least a millionth.
        confidence: the wanted probability that the test shows at least one
            right answer, above 0 and below 1.

    Returns:
        The fewest problems with which that probability is reached.

    >>> fewest_problems([0.5, 0.5], confidence=0.9)
    9
    """
    rate = math.prod(token_accuracies)
    return math.ceil(math.log1p(-confidence) / math.log1p(-rate))


def by_halving(token_accuracies: Sequence[float], *, confidence: float) -> int:
    """Multiply the accuracies, and halve a range of numbers of problems until one is left."""
    rate = 1.0
    for accuracy in token_accuracies:
        rate *= accuracy

    def enough(problems: int) -> bool:
        return float((1 - rate) ** problems) <= 1 - confidence

    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def clear(inputs: Inputs) -> bool:
    """Say whether rounding decides nothing: the number of problems, before it is rounded up, is no whole number."""
    rate = math.prod(inputs["token_accuracies"])
    needed = math.log1p(-inputs["confidence"]) / math.log1p(-rate)
    return 1e-6 * max(1, needed) < needed - math.floor(needed) < 1 - 1e-6 * max(1, needed)


def case(confidence: float, *token_accuracies: float) -> Inputs:
    return {"token_accuracies": list(token_accuracies), "confidence": confidence}


def cases(st: Any) -> Any:
    accuracy = st.sampled_from([0.3, 0.45, 0.62, 0.7, 0.83, 0.9, 0.97])
    return st.builds(
        lambda listed, confidence: case(confidence, *listed),
        st.lists(accuracy, min_size=1, max_size=9),
        st.sampled_from([0.3, 0.5, 0.8, 0.95, 0.99]),
    ).filter(clear)


def taught() -> str:
    number, rate = fewest_problems([0.78] * 20, confidence=0.95), 0.78**20
    return (
        f"It takes {number} problems. An answer of twenty digits is right in {rate:.1%} of cases, and a test of 100 "
        f"problems shows none in {(1 - rate) ** 100:.0%} of cases: too small a test makes an ability look absent."
    )


EXERCISE = Exercise(
    fewest_problems,
    number=1,
    asked="the fewest problems of which at least one is answered right with the wanted probability",
    expected=by_halving,
    level="easy",
    examples=[
        case(0.9, 0.5, 0.5),
        case(0.95, 0.3),
        case(0.5, 0.97),
        case(0.5, 0.5),  # one problem reaches the confidence exactly
        case(0.25, 0.5, 0.5),
        case(0.8, 0.62, 0.9),
        case(0.95, *[0.7] * 6),
        case(0.99, 0.9, 0.45, 0.83, 0.97),
        case(0.95, *[0.6] * 21),
        case(0.95, *[0.78] * 20),
    ],
    inputs=cases,
    draws=40,
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_down",
            "You round down: then the probability is not quite reached.",
            {"math.ceil(math.log1p": "math.floor(math.log1p"},
        ),
        Mistake(
            "rounds_down_but_to_one",
            "You round down, to one problem at least: then the probability is not quite reached.",
            {
                "math.ceil(math.log1p(-confidence) / math.log1p(-rate))": "max(1, int(math.log1p(-confidence) / "
                "math.log1p(-rate)))"
            },
        ),
        Mistake(
            "rounds_to_the_nearest",
            "You round to the nearest whole number; where that is down, the probability is not quite reached.",
            {"math.ceil(math.log1p": "round(math.log1p"},
        ),
        Mistake(
            "one_more_than_reached",
            "You ask for more than the confidence: where a number of problems just reaches it, that number is enough.",
            {
                "math.ceil(math.log1p(-confidence) / math.log1p(-rate))": "int(math.log1p(-confidence) / "
                "math.log1p(-rate)) + 1"
            },
        ),
        Mistake(
            "small_rates_only",
            "You divide by the rate itself, which is for small rates; a test shows nothing with (1 − rate)^problems.",
            {"math.log1p(-rate)": "-rate"},
        ),
        Mistake(
            "two_sided",
            "You left half of the doubt for another side; here there is one side, a test that shows nothing.",
            {"math.log1p(-confidence)": "math.log((1 - confidence) / 2)"},
        ),
        Mistake(
            "weakest_token",
            "You count the weakest token only; all tokens of an answer must be right.",
            {"math.prod(token_accuracies)": "min(token_accuracies)"},
        ),
        Mistake(
            "rule_of_three",
            "3 over the rate is an approximation, for 95% and small rates only.",
            lambda token_accuracies, confidence: math.ceil(3 / math.prod(token_accuracies)),
        ),
        Mistake(
            "expects_one",
            "With 1 over the rate as many problems, one right answer is expected on average; there may still be none.",
            lambda token_accuracies, confidence: math.ceil(1 / math.prod(token_accuracies)),
        ),
        Mistake(
            "one_token",
            "You count the last token only; all tokens of an answer must be right.",
            {"math.prod(token_accuracies)": "token_accuracies[-1]"},
        ),
        Mistake(
            "takes_the_mean",
            "The mean of the accuracies is how often a token is right; an answer takes all of them, so multiply.",
            {"math.prod(token_accuracies)": "sum(token_accuracies) / len(token_accuracies)"},
        ),
        Mistake(
            "mean_to_the_power",
            "You raised the mean accuracy to the number of tokens. Where they differ, multiply them one by one.",
            {"math.prod(token_accuracies)": "(sum(token_accuracies) / len(token_accuracies)) ** len(token_accuracies)"},
        ),
        Mistake(
            "swaps_the_chances",
            "The test may show nothing with one minus the confidence, not with the confidence itself.",
            {"math.log1p(-confidence)": "math.log(confidence)"},
        ),
        Mistake(
            "adds_the_problems",
            "You ask for confidence over rate problems, as if each added its rate to the chance; problems overlap.",
            lambda token_accuracies, confidence: math.ceil(confidence / math.prod(token_accuracies)),
        ),
    ],
)
