"""Exercise: a mean that is corrected by controls whose mean is known."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

from exercises.background.probability.common import exact
from grader.exercise import Exercise, Inputs, Mistake


def control_variate_mean(
    values: Sequence[float],
    controls: Sequence[float],
    *,
    control_mean: float,
) -> float:
    """Estimate the mean of values with the help of controls of known mean.

    The estimate is f̄ − μ·(ȳ − E y), with the batch's means f̄ of the values
    and ȳ of the controls, and the μ that leaves least variance, computed from
    the same batch and its own means.

    Args:
        values: the batch's new values f, at least one.
        controls: the old values y of the same examples, in the same order. If
            they are all equal, take μ = 0.
        control_mean: E y, the mean of the old values over all examples.

    Returns:
        The estimate.

    >>> control_variate_mean([1.0, 3.0], [1.0, 2.0], control_mean=3.0)
    5.0
    """
    # The best coefficient is the slope of the regression of the values on the controls.
    f, h = fmean(values), fmean(controls)
    covariance = sum((value - f) * (control - h) for value, control in zip(values, controls, strict=True))
    spread = sum((control - h) ** 2 for control in controls)
    slope = covariance / spread if spread else 0.0
    return f - slope * (h - control_mean)


def estimate_by_pairs(values: Sequence[float], controls: Sequence[float], control_mean: float) -> float:
    """Take the slope of least squares from the differences of all pairs of examples."""
    f, h = exact(values), exact(controls)
    apart = [(f1 - f2, h1 - h2) for (f1, h1), (f2, h2) in combinations(zip(f, h, strict=True), 2)]
    run = sum((across**2 for _, across in apart), Fraction(0))
    slope = sum((up * across for up, across in apart), Fraction(0)) / run if run else Fraction(0)
    return float(sum(f) / len(f) - slope * (sum(h) / len(h) - Fraction(control_mean)))


def values_and_controls(st: Any) -> Any:
    def inputs(examples: list[tuple[float, float]], control_mean: float) -> Inputs:
        values, controls = map(list, zip(*examples, strict=True))
        return {"values": values, "controls": controls, "control_mean": control_mean}

    number = st.integers(-4, 4).map(float)
    return st.builds(inputs, st.lists(st.tuples(number, number), min_size=1, max_size=5), number)


def taught() -> str:
    left = 1 - 0.9**2
    return (
        f"1 − ρ² of the variance is left: with a correlation of 0.9 it is {left:.0%}, as with a batch {1 / left:.1f} "
        "times as large."
    )


EXERCISE = Exercise(
    control_variate_mean,
    number=4,
    asked="the mean of the values, corrected by controls of known mean with the best coefficient",
    expected=estimate_by_pairs,
    examples=[
        {"values": [1.0, 3.0], "controls": [1.0, 2.0], "control_mean": 3.0},
        {"values": [1.0, 2.0, 6.0], "controls": [4.0, 4.0, 4.0], "control_mean": 0.0},
        {"values": [1.0, 2.0, 6.0], "controls": [0.0, 3.0, 3.0], "control_mean": 1.0},
        {"values": [1.0, 3.0], "controls": [2.0**-20, 2.0**-19], "control_mean": 0.0},
    ],
    inputs=values_and_controls,
    taught=taught,
    mistakes=[
        Mistake(
            "fixes_the_coefficient",
            "You fixed μ at 1; the μ that leaves least variance is Cov(f, y)/Var y.",
            {"covariance / spread if spread else 0.0": "1.0"},
        ),
        Mistake(
            "fixes_the_coefficient_unless_all_are_equal",
            "You fixed μ at 1; the μ that leaves least variance is Cov(f, y)/Var y.",
            {"covariance / spread if": "1.0 if"},
        ),
        Mistake(
            "adds_the_correction",
            "The correction has the wrong sign: if the controls came out too large, so did the values, so take it off.",
            {"f - slope": "f + slope"},
        ),
        Mistake(
            "divides_by_the_other_variance",
            "You divided the covariance by the variance of the values; it is that of the controls.",
            {"sum((control - h) ** 2 for control in controls)": "sum((value - f) ** 2 for value in values)"},
        ),
        Mistake(
            "takes_the_correlation",
            "You took the correlation for μ; the slope is Cov(f, y)/Var y, in units of f per unit of y.",
            {
                "= sum((c": "= sum((v - f) ** 2 for v in values) ** 0.5 * sum((c",
                "in controls)\n": "in controls) ** 0.5\n",
            },
        ),
        Mistake(
            "mixes_the_divisors",
            "The covariance is divided by B and the variance by B − 1; divide both by the same.",
            {"covariance / spread": "covariance / spread * (len(values) - 1) / len(values)"},
        ),
        Mistake(
            "mixes_the_divisors_the_other_way",
            "The covariance is divided by B − 1 and the variance by B; divide both by the same.",
            {"covariance / spread": "covariance / spread * len(values) / max(1, len(values) - 1)"},
        ),
        Mistake(
            "takes_small_controls_for_equal_ones",
            "You took μ = 0 where the controls differ by little. Gradients are often small; only equal "
            "ones tell nothing.",
            {"if spread else": "if spread > 1e-9 else"},
        ),
        Mistake(
            "ignores_the_controls",
            "This is the plain mean of the values: the controls and their known mean are not used.",
            {"f - slope * (h - control_mean)": "f"},
        ),
        Mistake(
            "fails_on_equal_controls",
            "Controls that are all equal have no variance to divide by: they tell nothing, so μ is 0.",
            {" if spread else 0.0": ""},
        ),
    ],
)
