"""Exercise: the model and the tokens with the least loss for a training budget."""

from __future__ import annotations

import math
from typing import Any

from exercises.scaling.chinchilla.common import PRINTED, REFIT, TOY, UNROUNDED, Fit, fits, rising_from
from grader.exercise import Exercise, Inputs, Mistake


def best_split(
    *,
    flops: float,
    fit: tuple[float, float, float, float, float],
) -> tuple[float, float]:
    """Return the parameters and tokens with the least loss for a budget.

    The loss is L_inf + A_N / N**alpha_N + A_D / D**alpha_D, and training
    takes 6 N D FLOPs. Parameters and tokens need not be whole numbers.

    Args:
        flops: FLOPs of the training.
        fit: L_inf, A_N, A_D, alpha_N and alpha_D, all above 0.

    Returns:
        Parameters, then tokens.

    >>> best_split(flops=600.0, fit=(2.0, 100.0, 100.0, 0.5, 0.5))
    (10.0, 10.0)
    """
    # A per cent more parameters must gain what a per cent fewer tokens costs.
    _, A_N, A_D, alpha_N, alpha_D = fit
    together = alpha_N + alpha_D
    G = (alpha_N * A_N / (alpha_D * A_D)) ** (1 / together)
    return G * (flops / 6) ** (alpha_D / together), (flops / 6) ** (alpha_N / together) / G


def where_the_slope_is_zero(*, flops: float, fit: Fit) -> tuple[float, float]:
    """Follow the budget in ln N until the loss rises, and halve."""
    _, A_N, A_D, α_N, α_D = fit
    whole = math.log(flops / 6)

    def slope(ln_N: float) -> float:
        return α_D * A_D * math.exp(-α_D * (whole - ln_N)) - α_N * A_N * math.exp(-α_N * ln_N)

    ln_N = rising_from(slope, -300.0, 300.0)
    return math.exp(ln_N), math.exp(whole - ln_N)


def case(flops: float, fit: Fit) -> Inputs:
    return {"flops": flops, "fit": fit}


def cases(st: Any) -> Any:
    flops = st.integers(18, 26).flatmap(lambda power: st.integers(1, 9).map(lambda digit: digit * 10.0**power))
    return st.fixed_dictionaries({"flops": flops, "fit": fits(st)})


G = "(alpha_N * A_N / (alpha_D * A_D)) ** (1 / together)"


def taught() -> str:
    (small, few), (other, seen), (large, many) = (
        best_split(flops=flops, fit=fit) for flops, fit in ((1e21, PRINTED), (1e21, REFIT), (5.76e23, REFIT))
    )
    return (
        f"As printed in 2022: {small / 1e9:.2f} billion parameters and {few / 1e9:.0f} billion tokens, "
        f"{few / small:.0f} a parameter; the refit would have {seen / other:.0f} there. Gopher's budget by the refit: "
        f"{large / 1e9:.1f} billion and {many / 1e12:.2f} trillion, {many / large:.0f} a parameter. The constants "
        "decide more than the budget."
    )


EXERCISE = Exercise(
    best_split,
    number=1,
    level="easy",
    asked="the parameters and tokens with the least loss for a budget",
    expected=where_the_slope_is_zero,
    examples=[
        case(600.0, TOY),
        case(60.0, TOY),
        case(100.0, TOY),  # whose sixth is no whole number
        case(6e12, (1.0, 400.0, 100.0, 0.5, 0.5)),
        case(1e21, PRINTED),
        case(1e21, UNROUNDED),
        case(5.76e23, REFIT),
    ],
    inputs=cases,
    relative_tolerance=1e-5,
    taught=taught,
    mistakes=[
        Mistake(
            "swaps_the_exponents",
            "The exponents of C are swapped: parameters grow with alpha_D/(alpha_N+alpha_D), the other "
            "term's exponent.",
            {
                "(flops / 6) ** (alpha_D / together)": "(flops / 6) ** (alpha_N / together)",
                "(flops / 6) ** (alpha_N / together) / G": "(flops / 6) ** (alpha_D / together) / G",
            },
        ),
        Mistake(
            "forgets_the_six",
            "You split C itself. Training takes 6 FLOPs for each parameter and token, so N D is C/6.",
            {
                "G * (flops / 6) **": "G * flops **",
                ", (flops / 6) **": ", flops **",
            },
        ),
        Mistake(
            "equates_the_terms",
            "You made the two terms equal. Their slopes have to be: alpha_N A_N / N**alpha_N and "
            "alpha_D A_D / D**alpha_D.",
            {G: "(A_N / A_D) ** (1 / together)"},
        ),
        Mistake(
            "turns_g_round",
            "G is the wrong way round: a larger A_N asks for more parameters.",
            {G: "(alpha_D * A_D / (alpha_N * A_N)) ** (1 / together)"},
        ),
        Mistake(
            "takes_twenty_tokens",
            "You took 20 tokens for each parameter. The ratio follows from the constants and from the budget.",
            lambda *, flops, fit: (math.sqrt(flops / 120), 20 * math.sqrt(flops / 120)),
        ),
        Mistake(
            "splits_in_half",
            "You let both grow with the square root of C, which holds only for alpha_N = alpha_D.",
            lambda *, flops, fit: (
                (fit[3] * fit[1] / (fit[4] * fit[2])) ** (1 / (fit[3] + fit[4])) * math.sqrt(flops / 6),
                (fit[3] * fit[1] / (fit[4] * fit[2])) ** (-1 / (fit[3] + fit[4])) * math.sqrt(flops / 6),
            ),
        ),
        Mistake(
            "returns_tokens_first",
            "Parameters come first, then tokens.",
            {
                "G * (flops / 6) ** (alpha_D / together), (flops / 6) ** (alpha_N / together) / G": (
                    "(flops / 6) ** (alpha_N / together) / G, G * (flops / 6) ** (alpha_D / together)"
                )
            },
        ),
        Mistake("always_the_same", "This is right for one input only.", lambda **_: (10.0, 10.0)),
    ],
)
