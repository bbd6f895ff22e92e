"""Exercise: how many times the compute a lower loss costs, with a floor."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Mistake
from snippets.scaling.loss_surface.compute_law import ComputeLaw, compute_law_loss_nats


def compute_multiple(
    *,
    loss: float,
    gain: float,
    floor: float,
    exponent: float,
) -> float:
    """Return how many times the compute lowers a ladder's loss by a gain.

    The loss is the floor plus a power law: a factor on the compute divides the
    part above the floor by factor**exponent.

    Args:
        loss: of the run that there is, in nats, above the floor.
        gain: by how much the loss is to fall, in nats, at least 0.
        floor: the irreducible loss, in nats, at least 0.
        exponent: of the power law, above 0.

    Returns:
        The factor on the compute; infinity where no compute is enough.

    >>> compute_multiple(loss=2.5, gain=0.5, floor=1.5, exponent=0.25)
    16.0
    """
    above = loss - floor
    if gain >= above:
        return math.inf
    return (above / (above - gain)) ** (1 / exponent)


def searched(*, loss: float, gain: float, floor: float, exponent: float) -> float:
    """Halve the logarithm of the factor until the law has the wanted loss."""
    if loss - gain <= floor:
        return math.inf
    law = ComputeLaw(floor, loss - floor, exponent, 1.0)
    low, high = 0.0, 600.0
    for _ in range(200):
        middle = (low + high) / 2
        if compute_law_loss_nats(math.exp(middle), law=law) > loss - gain:
            low = middle
        else:
            high = middle
    return float(f"{math.exp((low + high) / 2):.10g}")


def taught() -> str:
    law = {"gain": 0.3, "floor": 1.75, "exponent": 0.171}
    first, second = (compute_multiple(loss=loss, **law) for loss in (2.547, 2.247))
    return (
        f"It takes {first:.1f} times the compute, and for 0.3 nats more {second:.0f} times that: near the floor the "
        "same gain costs ever more."
    )


EXERCISE = Exercise(
    compute_multiple,
    number=1,
    level="easy",
    asked="the factor on the compute that lowers the loss by a gain",
    expected=searched,
    relative_tolerance=1e-6,
    units={"result": "times"},
    examples=[
        {"loss": 2.5, "gain": 0.5, "floor": 1.5, "exponent": 0.25},
        {"loss": 2.5, "gain": 0.0, "floor": 1.5, "exponent": 0.25},
        {"loss": 2.5, "gain": 1.0, "floor": 1.5, "exponent": 0.25},
        {"loss": 2.0, "gain": 1.0, "floor": 0.0, "exponent": 0.5},
        {"loss": 2.547, "gain": 0.3, "floor": 1.75, "exponent": 0.171},
        {"loss": 2.0, "gain": 0.995, "floor": 1.0, "exponent": 0.25},
        {"loss": 2.0, "gain": 0.9995, "floor": 1.0, "exponent": 0.5},
    ],
    inputs=lambda st: st.builds(
        lambda floor, above, share, exponent: {
            "loss": round(floor + above, 4),
            "gain": round(share * above, 4),
            "floor": floor,
            "exponent": exponent,
        },
        st.sampled_from([0.0, 0.5, 1.69, 1.8172, 2.5]),
        st.floats(0.1, 2.0).map(lambda value: round(value, 3)),
        st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.8, 0.9, 1.2, 2.0]),
        st.sampled_from([0.05, 0.1, 0.154, 0.178, 0.35, 1.0, 1.5]),
    ),
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_floor",
            "You divided the whole losses. Only the part above the floor is a power law of the compute.",
            {"above = loss - floor": "above = loss"},
        ),
        Mistake(
            "forgets_the_root",
            "This is how many times smaller the part above the floor becomes. The compute must grow by more, because "
            "a factor on it divides that part only by factor**exponent.",
            {"** (1 / exponent)": ""},
        ),
        Mistake(
            "raises_to_the_exponent",
            "You raised to the exponent what factor**exponent is already: it is the part above the floor that is "
            "divided by factor**exponent. Solve this for the factor.",
            {"** (1 / exponent)": "** exponent"},
        ),
        Mistake(
            "the_other_way_round",
            "A lower loss takes more compute: your factor is below 1.",
            {"(above / (above - gain))": "((above - gain) / above)"},
        ),
        Mistake(
            "goes_by_the_slope",
            "You took the slope at the present run and went on straight. The curve flattens, so a gain costs more.",
            {"(above / (above - gain)) ** (1 / exponent)": "math.exp(gain / above / exponent)"},
        ),
        Mistake(
            "promises_everything",
            "For a gain that reaches the floor or passes it no compute is enough: return infinity.",
            {"return math.inf": "return (loss / max(loss - gain, 1e-9)) ** (1 / exponent)"},
        ),
        Mistake(
            "reaches_the_floor",
            "At the floor itself the law arrives only with infinite compute.",
            {
                "if gain >= above:": "if gain > above:",
                "(above / (above - gain))": "(above / max(above - gain, 1e-9))",
            },
        ),
        Mistake("fits_one_input", "This is right for one input only: compute it from the arguments.", lambda **_: 16.0),
    ],
)
