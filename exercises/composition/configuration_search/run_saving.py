"""Exercise: what a second run is worth after the first has been measured."""

from __future__ import annotations

import math
from statistics import NormalDist

from grader.exercise import Exercise, Mistake, inputs_for


def run_saving(
    *,
    predicted: float,
    measured: float,
    error_spread: float,
) -> float:
    """Return the seconds of a step that a second run saves on average.

    The first layout has been measured. The second one's measured time is its
    predicted time times an error; the error's natural logarithm is normal
    with mean 0. If the second is faster, it's used, else the first.

    Args:
        predicted: seconds of a step that are predicted of the second layout.
        measured: seconds of a step that were measured of the first.
        error_spread: standard deviation of the logarithm of the second
            layout's own error, above 0.

    Returns:
        The mean of what the second layout is faster, which counts as 0 where
        it's slower.

    >>> round(run_saving(predicted=10.0, measured=10.0, error_spread=0.1), 3)
    0.375
    """
    normal = NormalDist().cdf
    z = math.log(predicted / measured) / error_spread
    mean = predicted * math.exp(error_spread**2 / 2)
    return measured * normal(-z) - mean * normal(-z - error_spread)


def summed(*, predicted: float, measured: float, error_spread: float) -> float:
    """Add up the saving over errors from −10 to 10 spreads, by Simpson's rule between those where it begins."""
    end = math.log(measured / predicted) / error_spread  # above this the second is slower
    low = min(-10.0, end - 10)

    def at(z: float) -> float:
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return (measured - predicted * math.exp(error_spread * z)) * density

    parts = 4000
    step = (end - low) / parts
    inner = math.fsum((4 if place % 2 else 2) * at(low + step * place) for place in range(1, parts))
    return step / 3 * (at(low) + inner + at(end))


run_of = inputs_for(run_saving)
OWN = run_of(14.69, 14.85, 0.085)  # the chapter's 12% between two errors, over √2: one of them is known now


def taught() -> str:
    seconds = run_saving(**OWN)
    twin = run_saving(predicted=14.44 * 14.85 / 14.36, measured=14.85, error_spread=0.017)
    return (
        f"{seconds:.2f} s, {100 * seconds / OWN['measured']:.1f}% of a step. A twin of the first, which shares its "
        f"error, is worth {twin:.2f} s."
    )


EXERCISE = Exercise(
    run_saving,
    number=4,
    level="medium",
    asked="the seconds of a step that a second run saves on average",
    expected=summed,
    examples=[
        run_of(10.0, 10.0, 0.1),
        run_of(12.0, 10.0, 0.05),
        run_of(8.0, 10.0, 0.1),
        run_of(10.0, 11.0, 0.5),
        run_of(15.0, 10.0, 0.4),
        OWN,
    ],
    inputs=lambda st: {
        "predicted": st.integers(60, 160).map(lambda tenths: tenths / 10),
        "measured": st.integers(60, 160).map(lambda tenths: tenths / 10),
        "error_spread": st.integers(2, 60).map(lambda hundredths: hundredths / 100),
    },
    draws=60,
    relative_tolerance=1e-5,
    units={"result": "s"},
    taught=taught,
    mistakes=[
        Mistake(
            "trusts_the_prediction",
            "You compared the prediction with the measurement. The error may make the second faster even so.",
            lambda *, predicted, measured, error_spread: max(0.0, measured - predicted),
        ),
        Mistake(
            "lets_it_lose",
            "You counted what the second is slower as a loss. If it's slower, you keep the first and lose nothing.",
            lambda *, predicted, measured, error_spread: measured - predicted * math.exp(error_spread**2 / 2),
        ),
        Mistake(
            "counts_the_chance_alone",
            "You took the chance that the second is faster times the difference of the means. What it's faster *when* "
            "it's faster is more.",
            {"mean * normal(-z - error_spread)": "mean * normal(-z)"},
        ),
        Mistake(
            "forgets_the_mean_of_the_error",
            "The logarithm of the error has mean 0. The error itself has a larger mean, by exp(σ²/2).",
            {" * math.exp(error_spread**2 / 2)": ""},
        ),
        Mistake(
            "forgets_the_half",
            "The mean of such an error is exp(σ²/2), not exp(σ²).",
            {"error_spread**2 / 2": "error_spread**2"},
        ),
        Mistake(
            "takes_another_logarithm",
            "The spread is that of the natural logarithm.",
            {"math.log(predicted / measured)": "math.log10(predicted / measured)"},
        ),
        Mistake(
            "takes_the_difference_for_the_logarithm",
            "You took the relative difference for the logarithm of the ratio. For a lead that isn't small they differ.",
            {"math.log(predicted / measured)": "(predicted / measured - 1)"},
        ),
        Mistake(
            "turns_the_sign",
            "You turned the sign: z = ln(predicted / measured) / σ is above 0 if the second is predicted slower.",
            {"math.log(predicted / measured)": "math.log(measured / predicted)"},
        ),
        Mistake(
            "exchanges_the_layouts",
            "You exchanged the layouts: the first is measured, and the second's time is what is uncertain.",
            lambda *, predicted, measured, error_spread: run_saving(
                predicted=measured, measured=predicted, error_spread=error_spread
            ),
        ),
        Mistake(
            "takes_the_density",
            "Φ is the distribution function of the normal distribution, cdf. You took its density, pdf.",
            {"normal = NormalDist().cdf": "normal = NormalDist().pdf"},
        ),
        Mistake(
            "adds_the_spread",
            "Inside the second term it's −z − σ. You added it.",
            {"normal(-z - error_spread)": "normal(-z + error_spread)"},
        ),
        Mistake(
            "returns_a_share",
            "You returned a share of the step. It's asked for in seconds.",
            {"measured * normal(-z) - mean": "normal(-z) - mean / measured"},
        ),
        Mistake("says_one_number", "This is right for one input only.", lambda **_: 0.375),
    ],
)
