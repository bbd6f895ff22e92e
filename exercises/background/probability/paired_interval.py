"""Exercise: the interval of one model's gain over another on the same questions."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from statistics import NormalDist, fmean
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts


def paired_interval(
    first: Sequence[bool],
    second: Sequence[bool],
    *,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the normal interval of the second model's gain in accuracy.

    Both models answered the same questions.

    Args:
        first: for each question, whether the first model is right; at least
            one.
        second: the same for the second model, in the same order.
        confidence: the wanted coverage, above 0 and below 1.

    Returns:
        The lower and the upper end, as shares of 1, not cut off at −1 and 1.
        Variances divide by the number of questions, as in the chapter.

    >>> first, second = [False, True, False, True], [True, True, True, False]
    >>> [round(end, 4) for end in paired_interval(first, second)]
    [-0.5626, 1.0626]
    """
    # A question's difference is −1, 0 or 1; the mean difference has the standard error of any mean.
    differences = [int(b) - int(a) for a, b in zip(first, second, strict=True)]
    mean = fmean(differences)
    variance = fmean((difference - mean) ** 2 for difference in differences)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance / len(differences))
    return mean - half, mean + half


def interval_by_counts(first: Sequence[bool], second: Sequence[bool], confidence: float = 0.95) -> Observation:
    """Count what was gained, f, and lost, y: the variance of the gain is (f + y − (f − y)²/J)/J²."""
    size, pairs = len(first), list(zip(first, second, strict=True))
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    z = bisect(range(10**11), confidence, key=lambda step: math.erf(step / 10**10 / math.sqrt(2))) / 10**10
    half = z * math.sqrt(gained + lost - (gained - lost) ** 2 / size) / size
    return {"lower end": (gained - lost) / size - half, "upper end": (gained - lost) / size + half}


def is_clear(inputs: Inputs) -> bool:
    """Say whether no end is so near to 0 that z = 1.96, rounded, would be refused."""
    lower, upper = interval_by_counts(**inputs).values()
    return bool(min(abs(lower), abs(upper)) > (upper - lower) / 20)


def two_models(st: Any) -> Any:
    def inputs(answers: list[tuple[bool, bool]], confidence: float) -> Inputs:
        first, second = map(list, zip(*answers, strict=True))
        return {"first": first, "second": second, "confidence": confidence}

    answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=8)
    return st.builds(inputs, answers, st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])).filter(is_clear)


def taught() -> str:
    own = EXERCISE.examples[-1]
    low, high = (100 * end for end in paired_interval(**own))
    p, q = fmean(own["first"]), fmean(own["second"])
    half = 100 * NormalDist().inv_cdf(0.975) * math.sqrt((p * (1 - p) + q * (1 - q)) / len(own["first"]))
    gain = 100 * (q - p)
    return (
        f"The gain is {gain:.1f} points, from {low:.1f} to {high:.1f}: the second is better. As if from two tests it "
        f"would be {gain - half:.1f} to {gain + half:.1f}, no verdict. A hard question is hard for both, and in the "
        "difference that cancels."
    )


EXERCISE = Exercise(
    paired_interval,
    number=3,
    asked="the normal interval of the second model's gain in accuracy on the same questions",
    expected=interval_by_counts,
    observe=parts("lower end", "upper end"),
    examples=[
        {"first": [False, True, False, True], "second": [True, True, True, False], "confidence": 0.95},
        {"first": [False, False, True, True], "second": [True, False, True, True], "confidence": 0.8},
        {"first": [True, False], "second": [True, False], "confidence": 0.95},
        {"first": [False, True, True, True], "second": [True, True, True, False]},
        {
            "first": [True] * 810 + [False] * 190,
            "second": [True] * 780 + [False] * 170 + [True] * 50,
            "confidence": 0.95,
        },
    ],
    inputs=two_models,
    relative_tolerance=1e-3,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_two_tests",
            "You added the variances of two separate tests; the questions are the same, so take the variance of the "
            "differences.",
            {"    half =": "    variance = sum(fmean(x) * (1 - fmean(x)) for x in (first, second))\n    half ="},
        ),
        Mistake(
            "subtracts_the_second",
            "This is the gain of the first model over the second; it is asked the other way round.",
            {"int(b) - int(a)": "int(a) - int(b)"},
        ),
        Mistake(
            "leaves_one_side",
            "Your z leaves the whole rest above: an interval has two ends, so take the quantile at (1 + confidence)/2.",
            {"(1 + confidence) / 2": "confidence"},
        ),
        Mistake(
            "ignores_the_confidence", "z = 1.96 belongs to a confidence of 95% only.", {"(1 + confidence) / 2": "0.975"}
        ),
        Mistake(
            "takes_two_standard_errors",
            "z = 2 is rounded: 95% take 1.96 standard errors. Other confidences take others.",
            {"NormalDist().inv_cdf((1 + confidence) / 2)": "2"},
        ),
        Mistake(
            "cuts_the_ends_off",
            "Don't cut the ends off at −1 and 1: the bell curve goes on.",
            {"mean - half, mean + half": "max(-1.0, mean - half), min(1.0, mean + half)"},
        ),
        Mistake(
            "forgets_the_questions",
            "This is the spread of one question's difference; the mean of J questions has it divided by √J.",
            {"variance / len(differences)": "variance"},
        ),
        Mistake(
            "divides_by_one_less",
            "Variances divide by the number of questions here, as in the chapter, not by one less.",
            {"variance / len(differences)": "variance / (len(differences) - 1)"},
        ),
        Mistake(
            "forgets_the_mean",
            "The gain's own square is missing: the variance is the mean of the squares minus the square of the mean.",
            {"(difference - mean) ** 2": "difference**2"},
        ),
        Mistake(
            "gives_them_in_reverse",
            "The order is: the lower end first, the upper end second.",
            {"mean - half, mean + half": "mean + half, mean - half"},
        ),
    ],
)
