"""Exercise: the loss of a larger run, by a straight log-log line and by a law with a floor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import linear_regression
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts


def two_predictions(
    compute: Sequence[float],
    losses: Sequence[float],
    *,
    at: float,
) -> tuple[float, float]:
    """Return the loss at a compute, without a floor and with the best floor.

    For a given floor, fit a straight line to ln(loss - floor) against
    ln(compute) by ordinary least squares; floor + exp(line) is the law. Try
    the floors 0.00, 0.01, 0.02, ... that lie at least 0.01 below all losses
    (allow 1e-9 for rounding). The best floor is that with the least sum of
    (ln loss - ln law)**2 over the runs.

    Args:
        compute: of each run, in FLOPs, three or more, in any order; each
            repeat is a run of its own.
        losses: of each run, in nats, in the same order.
        at: the compute that is asked for.

    Returns:
        The loss there by the law with floor 0, and with the best floor.

    >>> two = two_predictions([1e18, 16e18, 256e18], [3.5, 2.5, 2.0],
    ...                       at=4096e18)
    >>> [round(loss, 3) for loss in two]
    [1.484, 1.75]
    """
    x = [math.log(value) for value in compute]
    middle = sum(x) / len(x)

    def fitted(floor: float) -> tuple[float, float]:
        y = [math.log(loss - floor) for loss in losses]
        height = sum(y) / len(y)
        across = sum((a - middle) ** 2 for a in x)
        slope = sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / across

        def law(value: float) -> float:
            return floor + math.exp(height + slope * (value - middle))

        error = sum((math.log(b) - math.log(law(a))) ** 2 for a, b in zip(x, losses, strict=True))
        return error, law(math.log(at))

    floors = [step / 100 for step in range(int(100 * (min(losses) - 0.01 + 1e-9)) + 1)]
    return fitted(0.0)[1], min(fitted(floor) for floor in floors)[1]


def wanted(compute: Sequence[float], losses: Sequence[float], *, at: float) -> Observation:
    """The same by the regression of Python's statistics, in powers of ten and around the compute asked for."""
    best: tuple[float, float] | None = None
    straight = 0.0
    x = [math.log10(value / at) for value in compute]
    for step in range(int(round(1000 * min(losses)) - 10) // 10 + 1):
        floor = step / 100
        slope, height = linear_regression(x, [math.log10(loss - floor) for loss in losses])
        law = [floor + 10 ** (height + slope * a) for a in x]
        error = sum(math.log(b / c) ** 2 for b, c in zip(losses, law, strict=True))
        if best is None or error < best[0]:
            best = error, floor + 10**height
        if step == 0:
            straight = 10**height
    assert best is not None
    return {"without a floor": float(f"{straight:.10g}"), "with the best floor": float(f"{best[1]:.10g}")}


def case(
    floor: float, above: float, exponent: float, runs: int, decades: float, wobble: list[float], ahead: float
) -> Inputs:
    compute = [1e18 * 10 ** (decades * place / (runs - 1)) for place in range(runs)]
    exact = [floor + above * 10 ** (-exponent * decades * place / (runs - 1)) for place in range(runs)]
    losses = [round(loss * (1 + off), 3) for loss, off in zip(exact, wobble, strict=False)]
    return {"compute": compute, "losses": losses, "at": compute[-1] * ahead}


def cases(st: Any) -> Any:
    return st.builds(
        case,
        st.sampled_from([0.0, 0.5, 1.2, 1.8]),
        st.sampled_from([1.2, 1.7, 2.5]),
        st.sampled_from([0.1, 0.154, 0.178, 0.25]),
        st.integers(3, 6),
        st.sampled_from([2.0, 3.0, 4.0]),
        st.lists(st.sampled_from([-0.004, -0.002, 0.0, 0.003]), min_size=6, max_size=6),
        st.sampled_from([10.0, 100.0, 1e4]),
    ).filter(decided)


def decided(inputs: Inputs) -> bool:
    """Return whether one floor is clearly the best, so that rounding does not choose between two."""
    errors = []
    x = [math.log(value) for value in inputs["compute"]]
    for step in range(int(round(1000 * min(inputs["losses"])) - 10) // 10 + 1):
        floor = step / 100
        slope, height = linear_regression(x, [math.log(loss - floor) for loss in inputs["losses"]])
        law = [floor + math.exp(height + slope * a) for a in x]
        errors.append(sum(math.log(b / c) ** 2 for b, c in zip(inputs["losses"], law, strict=True)))
    first, second = sorted(errors)[:2]
    return second - first > 1e-11


DECADES = [1e18, 1e19, 1e20, 1e21]
QUESTION: Inputs = {
    "compute": [1e18, 3e18, 1e19, 3e19, 1e20],
    "losses": [3.5, 3.2, 2.933, 2.725, 2.547],
    "at": 1e21,
}


def taught() -> str:
    without, with_floor = two_predictions(**QUESTION)
    return (
        f"Without a floor it is {without:.3f} nats, with the best one {with_floor:.3f}. Both are fitted to the same "
        f"five runs and differ by {with_floor - without:.2f} nats at the large one: a straight line does not know of a "
        "floor."
    )


EXERCISE = Exercise(
    two_predictions,
    number=3,
    level="hard",
    asked="the loss at a compute by a straight line on logarithmic axes, and by a law with the best floor",
    expected=wanted,
    observe=parts("without a floor", "with the best floor"),
    relative_tolerance=1e-6,
    draws=25,
    units={"without a floor": "nats", "with the best floor": "nats"},
    examples=[
        {"compute": [1e18, 16e18, 256e18], "losses": [3.5, 2.5, 2.0], "at": 4096e18},
        {"compute": [1e18, 1e19, 1e20, 1e21], "losses": [4.0, 2.8, 2.0, 1.4], "at": 1e22},
        {"compute": [1e18, 1e19, 4e20], "losses": [3.4, 2.8, 2.3], "at": 1e24},
        # The best floor is the last one, 0.01 below the least loss; as a float it is a hair nearer.
        {"compute": [1e18, 1e19, 1e20], "losses": [3.0, 2.1, 2.01], "at": 1e21},
        QUESTION,
        {"compute": [1e20, 1e18, 1e19], "losses": [2.547, 3.5, 2.933], "at": 1e21},
        {"compute": [1e18, 1e18, 1e19, 1e20], "losses": [3.51, 3.49, 2.933, 2.547], "at": 1e21},
        {"compute": [1e18, 1e19, 1.2e19, 1e20], "losses": [3.5, 2.93, 2.95, 2.55], "at": 1e21},
        {"compute": DECADES, "losses": [5.5, 4.6, 4.1, 3.9], "at": 1e22},
        {"compute": DECADES, "losses": [3.0, 2.1, 2.02, 2.015], "at": 1e22},
        {"compute": DECADES, "losses": [4.2, 2.9, 2.7, 2.2], "at": 1e22},
        {"compute": DECADES, "losses": [3.5, 2.05, 2.017, 2.015], "at": 1e22},
    ],
    inputs=cases,
    taught=taught,
    mistakes=[
        Mistake(
            "judges_the_reducible_part",
            "You compared ln(loss − floor) with the line. That is a different measure: near the floor it blows small "
            "errors up. Compare ln loss with ln law.",
            {
                "(math.log(b) - math.log(law(a))) ** 2": "(math.log(b - floor) - math.log(law(a) - floor)) ** 2",
            },
        ),
        Mistake(
            "errors_in_nats",
            "You compared losses in nats; asked are errors of the logarithm, which are relative.",
            {"(math.log(b) - math.log(law(a))) ** 2": "(b - law(a)) ** 2"},
        ),
        Mistake(
            "absolute_errors",
            "You added absolute errors; asked are squares.",
            {"(math.log(b) - math.log(law(a))) ** 2": "abs(math.log(b) - math.log(law(a)))"},
        ),
        Mistake(
            "compute_not_in_logarithms",
            "The line is one in ln(compute), not in the compute.",
            {
                "x = [math.log(value) for value in compute]": "x = list(compute)",
                "law(math.log(at))": "law(at)",
            },
        ),
        Mistake(
            "largest_floor",
            "You took the largest floor that is allowed. Of all floors take that with the least error.",
            {"min(fitted(floor) for floor in floors)[1]": "fitted(floors[-1])[1]"},
        ),
        Mistake(
            "no_floor_twice",
            "Both numbers are those of the straight line. Take the floor away before the logarithm, and add it again "
            "after the power.",
            {"min(fitted(floor) for floor in floors)[1]": "fitted(0.0)[1]"},
        ),
        Mistake(
            "swaps_the_results",
            "Return the straight line's prediction first.",
            {
                "return fitted(0.0)[1], min(fitted(floor) for floor in floors)[1]": "return min(fitted(floor) for "
                "floor in floors)[1], fitted(0.0)[1]"
            },
        ),
        Mistake(
            "lets_repeats_collapse",
            "Of two runs with the same compute you kept one. Each is a measurement of its own.",
            {"    x = [math.log": "    compute, losses = zip(*dict(zip(compute, losses)).items())\n    x = [math.log"},
        ),
        Mistake(
            "first_and_last_run",
            "You drew the line through the first and the last run. Least squares uses all of them.",
            {
                "slope = sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / across": "slope = (y[-1]"
                " - y[0]) / (x[-1] - x[0]) + 0 * across"
            },
        ),
    ],
)
