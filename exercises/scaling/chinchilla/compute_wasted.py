"""Exercise: the share of its compute that a model of the wrong size wastes."""

from __future__ import annotations

import math
from typing import Any

from exercises.scaling.chinchilla.common import REFIT, Fit, loss_of, rising_from
from grader.exercise import Exercise, Inputs, Mistake


def compute_wasted(*, size_ratio: float, alpha: float, beta: float) -> float:
    """Return the share of its compute that a model of the wrong size wastes.

    The model spends its whole budget 6 N D. It is size_ratio times as large as
    the best model for that budget, so it sees fewer or more tokens. With the
    best split, a smaller budget would have reached the same loss
    L_inf + A_N / N**alpha + A_D / D**beta; the rest is wasted.

    Args:
        size_ratio: its parameters over those of the best model.
        alpha: exponent of the parameters, alpha_N.
        beta: exponent of the tokens, alpha_D.

    Returns:
        A share of its compute, from 0 to below 1.

    >>> compute_wasted(size_ratio=4.0, alpha=0.5, beta=0.5)
    0.5904
    """
    # At the best split the terms are as beta to alpha. What is above L_inf falls with C to the alpha beta/(alpha+beta).
    above = (beta * size_ratio**-alpha + alpha * size_ratio**beta) / (alpha + beta)
    return 1 - above ** -((alpha + beta) / (alpha * beta))


def two_budgets(*, size_ratio: float, alpha: float, beta: float) -> float:
    """Find the best split of a budget by halving, go off it, and find the budget with the same loss."""
    fit: Fit = (0.0, 300.0, 700.0, alpha, beta)

    def best_loss(ln_product: float) -> tuple[float, float]:
        def slope(ln_N: float) -> float:
            return beta * fit[2] * math.exp(-beta * (ln_product - ln_N)) - alpha * fit[1] * math.exp(-alpha * ln_N)

        ln_N = rising_from(slope, -200.0, 300.0)
        return ln_N, loss_of(fit, math.exp(ln_N), math.exp(ln_product - ln_N))

    ln_N, _ = best_loss(46.0)
    off = loss_of(fit, size_ratio * math.exp(ln_N), math.exp(46.0 - ln_N) / size_ratio)
    needed = rising_from(lambda ln_product: off - best_loss(ln_product)[1], -100.0, 46.0)
    return 1 - math.exp(needed - 46.0)


def case(size_ratio: float, alpha: float, beta: float) -> Inputs:
    return {"size_ratio": size_ratio, "alpha": alpha, "beta": beta}


def cases(st: Any) -> Any:
    exponent = st.integers(20, 60).map(lambda hundredths: hundredths / 100)
    ratio = st.sampled_from([0.125, 0.2, 0.25, 0.4, 0.5, 0.7, 1.4, 2.0, 2.5, 3.9, 5.0, 8.0])
    return st.fixed_dictionaries({"size_ratio": ratio, "alpha": exponent, "beta": exponent})


ABOVE = "(beta * size_ratio**-alpha + alpha * size_ratio**beta) / (alpha + beta)"


def taught() -> str:
    half, twice = (compute_wasted(size_ratio=ratio, alpha=REFIT[3], beta=REFIT[4]) for ratio in (0.5, 2.0))
    return (
        f"Half the best size wastes {half:.1%} of the compute, twice the best size {twice:.1%}: a factor of two costs "
        "about a sixth, to either side alike."
    )


EXERCISE = Exercise(
    compute_wasted,
    number=2,
    level="medium",
    asked="the share of its compute that a model of the wrong size wastes",
    expected=two_budgets,
    examples=[
        case(4.0, 0.5, 0.5),
        case(0.25, 0.5, 0.5),
        case(1.0, 0.3, 0.4),
        case(2.0, *REFIT[3:]),
        case(0.5, *REFIT[3:]),
    ],
    inputs=cases,
    relative_tolerance=1e-6,
    draws=25,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_more_of_what_was_needed",
            "You divided what is wasted by the compute that was needed. Asked is a share of what was spent.",
            {"1 - above ** -((alpha + beta) / (alpha * beta))": "above ** ((alpha + beta) / (alpha * beta)) - 1"},
        ),
        Mistake(
            "returns_what_was_needed",
            "This is the share that was needed. Asked is the rest.",
            {"1 - above ** -": "above ** -"},
        ),
        Mistake(
            "swaps_the_terms",
            "The weights are swapped: at the best split the parameters' term is to the tokens' as beta to alpha.",
            {ABOVE: "(alpha * size_ratio**-alpha + beta * size_ratio**beta) / (alpha + beta)"},
        ),
        Mistake(
            "takes_the_terms_as_equal",
            "You took the two terms as equally large at the best split. Their slopes are equal, so they are as beta to "
            "alpha.",
            {ABOVE: "(size_ratio**-alpha + size_ratio**beta) / 2"},
        ),
        Mistake(
            "turns_the_ratio_round",
            "More parameters make the parameters' term smaller, and leave fewer tokens. Here it is the other way "
            "round: the signs are wrong, or alpha and beta are exchanged.",
            {ABOVE: "(beta * size_ratio**alpha + alpha * size_ratio**-beta) / (alpha + beta)"},
        ),
        Mistake(
            "keeps_the_tokens",
            "You changed the parameters and left the tokens. The budget is fixed, so the tokens change the other way.",
            {ABOVE: "(beta * size_ratio**-alpha + alpha) / (alpha + beta)"},
        ),
        Mistake(
            "takes_loss_for_compute",
            "You compared losses. What is above L_inf falls with the compute to the power alpha beta/(alpha+beta).",
            {"above ** -((alpha + beta) / (alpha * beta))": "1 / above"},
        ),
        Mistake(
            "stays_near_the_bottom",
            "This is the rule for ratios near 1. The valley is no parabola far from its bottom.",
            lambda *, size_ratio, alpha, beta: 1 - math.exp(-(alpha + beta) / 2 * math.log(size_ratio) ** 2),
        ),
    ],
)
