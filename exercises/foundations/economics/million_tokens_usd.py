"""Exercise: what a million tokens of training cost."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Mistake, inputs_for
from snippets.flops import compute_time_s, training_flops


def million_tokens_usd(
    *,
    parameters: float,
    peak_flops_per_s: float,
    mfu: float,
    usd_per_hour: float,
) -> float:
    """Return what a million tokens of training cost.

    A parameter and token take 6 FLOPs; nothing fails.

    Args:
        parameters: parameters that a token meets.
        peak_flops_per_s: peak of one device.
        mfu: the share of it that the run reaches, above 0, at most 1.
        usd_per_hour: price of an hour of one device.

    Returns:
        Dollars.

    >>> million_tokens_usd(
    ...     parameters=6e9, peak_flops_per_s=4e14, mfu=0.5, usd_per_hour=2.0
    ... )
    0.1
    """
    # FLOPs over useful FLOPs a second are seconds; the price is for an hour.
    seconds = 6 * parameters * 1e6 / (peak_flops_per_s * mfu)
    return seconds / 3600 * usd_per_hour


def one_device_by_the_clock(*, parameters: float, peak_flops_per_s: float, mfu: float, usd_per_hour: float) -> float:
    """Train on a thousand times a thousand tokens, and pay for the seconds that pass."""
    each_s = compute_time_s(
        flops=training_flops(parameters=parameters, tokens=1000), flops_per_s=mfu * peak_flops_per_s
    )
    return math.fsum(each_s for _ in range(1000)) * (usd_per_hour / 3600)


run = inputs_for(million_tokens_usd)


def taught() -> str:
    usd = million_tokens_usd(parameters=37e9, peak_flops_per_s=989.4e12, mfu=0.4, usd_per_hour=2.0)
    return (
        f"For 37 billion parameters on an H100 a million tokens cost {100 * usd:.0f} cents. Failures, attention and "
        "what follows the pre-training come on top."
    )


EXERCISE = Exercise(
    million_tokens_usd,
    number=1,
    level="easy",
    asked="the dollars that a million tokens of training cost",
    expected=one_device_by_the_clock,
    examples=[run(6e9, 4e14, 0.5, 2.0), run(7e9, 312e12, 0.4, 1.5), run(37e9, 989.4e12, 0.4, 2.0)],
    inputs=lambda st: {
        "parameters": st.integers(1, 400).map(lambda count: count * 1e9),
        "peak_flops_per_s": st.integers(1, 30).map(lambda rate: rate * 1e14),
        "mfu": st.integers(5, 100).map(lambda percent: percent / 100),
        "usd_per_hour": st.integers(1, 40).map(lambda quarters: quarters / 4),
    },
    units={"result": "dollars"},
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_hour",
            "The price is for an hour, and you multiplied it by seconds.",
            {"seconds / 3600": "seconds"},
        ),
        Mistake(
            "pays_by_the_minute",
            "You divided the seconds by 60, which gives minutes; the price is for an hour.",
            {"seconds / 3600": "seconds / 60"},
        ),
        Mistake(
            "multiplies_by_the_mfu",
            "A lower MFU makes the run longer: the device does peak times MFU useful FLOPs a second, so divide by "
            "both.",
            {"(peak_flops_per_s * mfu)": "peak_flops_per_s * mfu"},
        ),
        Mistake(
            "forgets_the_mfu",
            "No run reaches the peak: divide by the MFU as well.",
            {"(peak_flops_per_s * mfu)": "peak_flops_per_s"},
        ),
        Mistake("prices_one_token", "This is the price of one token; asked is that of a million.", {" * 1e6": ""}),
        Mistake(
            "counts_the_forward_pass",
            "2 FLOPs for a parameter and token are the forward pass; the backward pass takes 4 more.",
            {"6 * parameters": "2 * parameters"},
        ),
        Mistake(
            "recomputes",
            "8 FLOPs count a recomputed forward pass; the MFU goes with the 6 that the model needs.",
            {"6 * parameters": "8 * parameters"},
        ),
    ],
)
