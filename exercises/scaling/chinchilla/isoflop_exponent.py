"""Exercise: the exponent of the best size in the compute, from runs at several budgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import linear_regression
from typing import Any

from exercises.scaling.chinchilla.common import PRINTED, REFIT, TOY, Fit, fits, loss_of
from grader.exercise import Exercise, Inputs, Mistake

Runs = Sequence[tuple[float, Sequence[tuple[float, float]]]]


def isoflop_exponent(
    valleys: list[tuple[float, list[tuple[float, float]]]],
) -> float:
    """Return the exponent with which the best size grows with compute.

    For each budget three models were trained. Put the parabola in ln N through
    their losses and take its bottom. Then fit the straight line through
    (ln C, ln N) of the bottoms by least squares; its slope is the exponent.

    Args:
        valleys: for each budget its FLOPs C, and three pairs of
            parameters N and loss; there are two budgets or more, and each
            parabola opens upwards. Sizes need not be at even ratios, and a
            bottom may lie outside its three sizes.

    Returns:
        The exponent of C in N*.

    >>> e = 2.718281828459045
    >>> low = [(1 / e, 3.5), (1.0, 3.0), (e, 3.5)]
    >>> high = [(1.0, 2.5), (e, 2.0), (e**2, 2.5)]
    >>> round(isoflop_exponent([(1.0, low), (e**2, high)]), 6)
    0.5
    """
    # Newton's parabola through three points; its slope is zero at the bottom.
    across, up = [], []
    for flops, runs in valleys:
        (x, u), (y, v), (z, w) = [(math.log(size), loss) for size, loss in runs]
        first, second = (v - u) / (y - x), (w - v) / (z - y)
        curvature = (second - first) / (z - x)
        across.append(math.log(flops))
        up.append((x + y) / 2 - first / (2 * curvature))
    mean_x, mean_y = sum(across) / len(across), sum(up) / len(up)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(across, up, strict=True))
    return over / sum((x - mean_x) ** 2 for x in across)


def by_polynomials(valleys: Runs) -> float:
    """Solve for each parabola by determinants, exactly in fractions, and let Python's statistics draw the line."""
    bottoms = []
    for _, runs in valleys:
        (x, u), (y, v), (z, w) = [(Fraction(math.log(size)), Fraction(loss)) for size, loss in runs]
        slope = (y * y - z * z) * u + (z * z - x * x) * v + (x * x - y * y) * w
        bottoms.append(float(slope / (2 * ((y - z) * u + (z - x) * v + (x - y) * w))))
    return linear_regression([math.log(flops) for flops, _ in valleys], bottoms).slope


def valley(fit: Fit, flops: float, middle: float, below: float, over: float) -> tuple[float, list[tuple[float, float]]]:
    """Return the losses of three models around ``middle``, rounded as a table prints them."""
    sizes = (middle / below, middle, middle * over)
    return flops, [(size, round(loss_of(fit, size, flops / 6 / size), 4)) for size in sizes]


def best(fit: Fit, flops: float) -> float:
    _, A_N, A_D, α_N, α_D = fit
    return float((α_N * A_N / (α_D * A_D)) ** (1 / (α_N + α_D)) * (flops / 6) ** (α_D / (α_N + α_D)))


def cases(st: Any) -> Any:
    def built(fit: Fit, lowest: int, steps: list[int], offs: list[float], ratios: list[tuple[float, float]]) -> Inputs:
        power, found = float(lowest), []
        for step, off, (below, over) in zip(steps, offs, ratios, strict=True):
            flops = 10**power
            found.append(valley(fit, flops, best(fit, flops) * off, below, over))
            power += step / 4
        return {"valleys": found}

    ratios = st.tuples(st.sampled_from([3.0, 4.0, 6.0]), st.sampled_from([3.0, 4.0, 6.0]))
    return st.integers(2, 5).flatmap(
        lambda count: st.builds(
            built,
            fits(st),
            st.integers(16, 20),
            st.lists(st.integers(1, 6), min_size=count, max_size=count),
            st.lists(st.sampled_from([0.5, 0.7, 1.0, 1.3]), min_size=count, max_size=count),
            st.lists(ratios, min_size=count, max_size=count),
        )
    )


E = math.e
SMALL = [(1.0, [(1 / E, 3.5), (1.0, 3.0), (E, 3.5)]), (E**2, [(1.0, 2.5), (E, 2.0), (E**2, 2.5)])]
OWN = [
    (6e18, [(1e8, 3.071), (2e8, 3.033), (4e8, 3.069)]),
    (1e20, [(4e8, 2.580), (8e8, 2.554), (16e8, 2.572)]),
    (3e21, [(2.5e9, 2.230), (5e9, 2.219), (1e10, 2.232)]),
]


def taught() -> str:
    found, true = isoflop_exponent(OWN), REFIT[4] / (REFIT[3] + REFIT[4])
    return (
        f"These nine runs give {found:.3f}. Their losses come from the refit, which has {true:.3f}: the rest is their "
        "rounding to three digits after the point."
    )


EXERCISE = Exercise(
    isoflop_exponent,
    number=3,
    level="medium",
    asked="the exponent of the best size in the compute",
    expected=by_polynomials,
    examples=[
        {"valleys": SMALL},
        {"valleys": [valley(TOY, C, best(TOY, C) * k, 4.0, 3.0) for C, k in ((1e8, 0.7), (1e9, 1.3), (1e13, 0.5))]},
        {"valleys": [valley(PRINTED, C, best(PRINTED, C), 3.0, 6.0) for C in (1e19, 3e19, 1e21, 6e21)]},
        {"valleys": [valley(REFIT, C, best(REFIT, C), 6.0, 3.0) for C in (1e19, 1e22)]},
        {"valleys": [valley(REFIT, C, best(REFIT, C) * k, 3.0, 3.0) for C, k in ((1e22, 4.0), (1e19, 1.0))]},
        {"valleys": OWN},
    ],
    inputs=cases,
    relative_tolerance=1e-6,
    draws=60,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_best_run",
            "You took the best of the three runs for each budget. The bottom need not be one of the runs.",
            {"up.append((x + y) / 2 - first / (2 * curvature))": "up.append(min((u, x), (v, y), (w, z))[1])"},
        ),
        Mistake(
            "fits_in_plain_sizes",
            "You put the parabola through the losses against N. Against ln N the valley is nearly symmetric.",
            {
                "[(math.log(size), loss) for size, loss in runs]": "runs",
                "up.append((x + y) / 2 - first / (2 * curvature))": (
                    "up.append(math.log(max((x + y) / 2 - first / (2 * curvature), 1e-9)))"
                ),
            },
        ),
        Mistake(
            "starts_from_the_wrong_place",
            "The first slope is that of the parabola half-way between the first two sizes, not at the first size.",
            {"(x + y) / 2 - first": "x - first"},
        ),
        Mistake(
            "forgets_the_two",
            "The slope of a parabola changes by twice its leading coefficient.",
            {"first / (2 * curvature)": "first / curvature"},
        ),
        Mistake(
            "takes_the_ends_alone",
            "You joined the first and the last budget. The line is the least-squares line through all of them.",
            {"over / sum((x - mean_x) ** 2 for x in across)": ("(up[-1] - up[0]) / (across[-1] - across[0])")},
        ),
        Mistake(
            "turns_the_line_round",
            "This is how ln C grows with ln N.",
            {"sum((x - mean_x) ** 2 for x in across)": "sum((y - mean_y) ** 2 for y in up)"},
        ),
        Mistake(
            "forces_the_line_through_zero",
            "The line need not go through ln C = 0, ln N = 0: subtract the means.",
            {"mean_x, mean_y = sum(across) / len(across), sum(up) / len(up)": "mean_x, mean_y = 0.0, 0.0"},
        ),
        Mistake(
            "gives_the_tokens_exponent",
            "This is the exponent of the tokens. Together the two exponents make 1.",
            {
                "return over / sum((x - mean_x) ** 2 for x in across)": (
                    "return 1 - over / sum((x - mean_x) ** 2 for x in across)"
                )
            },
        ),
    ],
)
