"""Exercise: how many examples least squares needs before more of them have helped."""

from __future__ import annotations

import math
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def data_that_helps(
    examples: int,
    *,
    features: int,
    signal: float,
    noise: float,
) -> int:
    """Return with how many examples the error is below that of today.

    Least squares, of several fits the one of least norm, with independent
    standard normal features. More examples come in one by one.

    Args:
        examples: how many there are today, at least 1; they and the features
            differ by at least 2, and either may be more.
        features: how many are used, at least 1; that does not change.
        signal: the sum of the squares of their true weights, above 0.
        noise: the variance of what they leave unexplained, above 0.

    Returns:
        The least number of examples, above today's, whose expected squared
        error is below that of today's.

    >>> data_that_helps(2, features=4, signal=1.0, noise=1.0)
    7
    """

    def error(count: int) -> float:
        if abs(count - features) < 2:
            return math.inf
        if count > features:
            return noise * (count - 1) / (count - features - 1)
        unseen = signal * (1 - count / features)
        return unseen + noise * (features - 1) / (features - count - 1)

    count = examples + 1
    while error(count) >= error(examples):
        count += 1
    return count


def mean_inverse(freedoms: int) -> float:
    """The mean of 1/χ², from the integral of its density: a ratio of two gamma functions."""
    if freedoms < 3:
        return math.inf
    return math.exp(math.lgamma(freedoms / 2 - 1) - math.lgamma(freedoms / 2)) / 2


def expected_error(examples: int, features: int, signal: float, noise: float) -> float:
    """Signal in directions that no example shows, noise of the new example, and noise carried in by the fit."""
    seen, more = min(examples, features), max(examples, features)
    hidden = signal * (features - seen) / features
    return hidden + noise + noise * seen * mean_inverse(more - seen + 1)


def by_scanning(examples: int, *, features: int, signal: float, noise: float) -> int:
    today = expected_error(examples, features, signal, noise)
    count = examples + 1
    while expected_error(count, features, signal, noise) >= today:
        count += 1
    return count


def clear(inputs: Inputs) -> bool:
    """Say whether the input is allowed, and rounding decides nothing."""
    given = (inputs["features"], inputs["signal"], inputs["noise"])
    if abs(inputs["examples"] - inputs["features"]) < 2:
        return False
    today = expected_error(inputs["examples"], *given)
    found = by_scanning(**inputs)
    near = (expected_error(count, *given) for count in (inputs["examples"] + 1, found - 1, found))
    return all(abs(error / today - 1) > 1e-9 for error in near if math.isfinite(error) and error != today)


def case(examples: int, features: int, signal: float, noise: float) -> Inputs:
    return {"examples": examples, "features": features, "signal": signal, "noise": noise}


def cases(st: Any) -> Any:
    variances = st.sampled_from([0.1, 0.25, 0.5, 0.8, 1.0, 1.7, 3.0])
    return st.builds(case, st.integers(1, 45), st.integers(1, 40), variances, variances).filter(clear)


def taught() -> str:
    enough = data_that_helps(80, features=100, signal=1.0, noise=0.1)
    return (
        f"With {enough} examples, {enough - 80} more than today. With fewer new ones the error is not lower: on the "
        "way there are as many examples as features, where the fit is worst."
    )


EXERCISE = Exercise(
    data_that_helps,
    number=4,
    asked="the least number of examples, above today's, with a lower expected error than today's",
    expected=by_scanning,
    examples=[
        case(2, 4, 1.0, 1.0),
        case(10, 4, 1.0, 1.0),
        case(1, 30, 3.0, 0.1),
        case(3, 1, 0.5, 0.25),
        case(14, 20, 0.25, 1.7),
        case(20, 25, 1.0, 0.1),
        case(2, 4, 1e4, 1.0),
        case(150, 300, 0.25, 1.7),
        case(80, 100, 1.0, 0.1),
    ],
    inputs=cases,
    draws=40,
    taught=taught,
    mistakes=[
        Mistake(
            "next_one",
            "You say that the next example always helps. Below as many examples as features it may hurt.",
            lambda examples, features, signal, noise: examples + 1,
        ),
        Mistake(
            "just_past_the_peak",
            "Right behind the peak the error is still high: go on until it is below today's.",
            lambda examples, features, signal, noise: max(examples + 1, features + 2),
        ),
        Mistake(
            "forgets_the_unseen",
            "Fewer examples than features leave directions that no example shows: their signal is lost, and counts.",
            {"unseen = signal * (1 - count / features)": "unseen = 0.0"},
        ),
        Mistake(
            "counts_the_new_ones",
            "You return how many examples come on top; asked is how many there are then.",
            {"return count\n": "return count - examples\n"},
        ),
        Mistake(
            "forgets_its_own_noise",
            "Behind the peak you leave out the noise of the new example itself; before it you count it.",
            {"noise * (count - 1) / (count - features - 1)": "noise * features / (count - features - 1)"},
        ),
        Mistake(
            "waits_for_all_examples",
            "You wait until there are more examples than features even where the next one helps at once.",
            {"count = examples + 1": "count = max(examples + 1, features + 2)"},
        ),
        Mistake(
            "swaps_the_variances",
            "You swapped the variance that the features explain and the one that they leave.",
            lambda examples, features, signal, noise: data_that_helps(
                examples, features=features, signal=noise, noise=signal
            ),
        ),
        Mistake(
            "forgets_the_fit",
            "Before the peak you leave out the noise that the fit carries into the weights.",
            {"unseen + noise * (features - 1) / (features - count - 1)": "unseen + noise"},
        ),
    ],
)
