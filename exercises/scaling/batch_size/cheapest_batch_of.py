"""Exercise: the batch at which steps and examples together cost least."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Inputs, Mistake
from snippets.scaling.batch_size.formulas import batch_examples, batch_steps


def cheapest_batch_of(
    *,
    critical_batch: float,
    usd_per_step: float,
    usd_per_example: float,
) -> float:
    """Return the batch at which a run to a given loss costs least.

    Every step costs something whatever its batch, for example what the GPUs
    cost while they wait for the network. Every example costs its arithmetic.

    Args:
        critical_batch: the batch that takes twice the fewest steps and twice
            the fewest examples.
        usd_per_step: dollars for a step.
        usd_per_example: dollars for an example.

    Returns:
        Examples of a step, not rounded.

    >>> cheapest_batch_of(critical_batch=8, usd_per_step=18.0,
    ...                   usd_per_example=1.0)
    12.0
    """
    # Of the bill, the part κ_S·B_crit/B falls with the batch and κ_D·B rises;
    # the sum is least where the two are equal.
    return math.sqrt(critical_batch * usd_per_step / usd_per_example)


def by_search(*, critical_batch: float, usd_per_step: float, usd_per_example: float) -> float:
    """Narrow a range of batches by thirds, on a logarithmic axis, towards the smaller bill."""

    def bill(logarithm: float) -> float:
        run = {"batch_size": math.exp(logarithm), "critical_batch": critical_batch, "fewest_steps": 1.0}
        fixed = usd_per_step * 1.0 + usd_per_example * critical_batch  # the same for every batch
        return usd_per_step * batch_steps(**run) + usd_per_example * batch_examples(**run) - fixed

    low, high = math.log(1e-9), math.log(1e18)
    for _ in range(140):
        third = (high - low) / 3
        low, high = (low + third, high) if bill(low + third) > bill(high - third) else (low, high - third)
    return float(f"{math.exp((low + high) / 2):.6g}")


def prices(critical_batch: float, usd_per_step: float, usd_per_example: float) -> Inputs:
    return {"critical_batch": critical_batch, "usd_per_step": usd_per_step, "usd_per_example": usd_per_example}


EXERCISE = Exercise(
    cheapest_batch_of,
    number=3,
    asked="the batch at which steps and examples together cost least",
    expected=by_search,
    examples=[
        prices(8, 18.0, 1.0),
        prices(100, 1.0, 1.0),
        prices(1, 5.0, 2.0),
        prices(1000, 0.5, 0.002),
        prices(4_194_304, 0.5, 4e-7),
    ],
    inputs=lambda st: st.builds(
        prices,
        st.sampled_from([1, 3, 50, 700, 4096, 10**6]),
        st.sampled_from([0.001, 0.2, 1.0, 7.0, 300.0]),
        st.sampled_from([1e-4, 0.03, 1.0, 4.0]),
    ),
    relative_tolerance=1e-4,
    units={"result": "examples"},
    mistakes=[
        Mistake(
            "takes_the_critical_batch",
            "The critical batch costs twice the fewest steps and twice the fewest examples, whatever they cost; the "
            "prices decide.",
            lambda critical_batch, **_: float(critical_batch),
        ),
        Mistake(
            "capped_at_the_critical_batch",
            "You let the batch grow up to the critical one only. Beyond it steps still get fewer, and where a step is "
            "dear that is worth its examples.",
            {
                "math.sqrt(critical_batch * usd_per_step / usd_per_example)": "min(critical_batch, "
                "math.sqrt(critical_batch * usd_per_step / usd_per_example))"
            },
        ),
        Mistake(
            "forgets_the_root",
            "Both parts are equal at the best batch; one falls as 1/B while the other rises as B. Solve that for B.",
            {
                "math.sqrt(critical_batch * usd_per_step / usd_per_example)": "critical_batch * usd_per_step / "
                "usd_per_example"
            },
        ),
        Mistake(
            "turns_the_prices_over",
            "You turned the prices over: the dearer a step, the larger the batch should be.",
            {"usd_per_step / usd_per_example": "usd_per_example / usd_per_step"},
        ),
        Mistake(
            "forgets_the_critical_batch",
            "With a larger critical batch larger batches still save steps; it belongs into the answer.",
            {"critical_batch * usd_per_step": "usd_per_step"},
        ),
        Mistake(
            "takes_the_root_of_the_prices_alone",
            "The critical batch stands under the root too.",
            {
                "math.sqrt(critical_batch * usd_per_step / usd_per_example)": "critical_batch * "
                "math.sqrt(usd_per_step / usd_per_example)"
            },
        ),
        Mistake(
            "equal_shares_of_the_bill",
            "You made all steps cost as much as all examples. A part of each is there at any batch; make the parts "
            "equal that the batch changes.",
            {"math.sqrt(critical_batch * usd_per_step / usd_per_example)": "usd_per_step / usd_per_example"},
        ),
    ],
)
