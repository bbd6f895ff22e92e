"""Exercise: what some points of MFU are worth."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake
from snippets.foundations.economics.formulas import training_bill_usd


def points_worth_usd(*, bill_usd: float, mfu: float, points: float) -> float:
    """Return how much of a bill some more points of MFU save.

    Args:
        bill_usd: the bill at the present MFU.
        mfu: the present MFU, a share above 0 and below 1.
        points: by how many percentage points it rises, not always a whole
            number; 5 leads from 0.40 to 0.45.

    Returns:
        Dollars saved.

    >>> points_worth_usd(bill_usd=90.0, mfu=0.25, points=20.0)
    40.0
    """
    # The bill is proportional to 1 / MFU.
    return bill_usd * (1 - mfu / (mfu + points / 100))


def two_bills_usd(*, bill_usd: float, mfu: float, points: float) -> float:
    """Find the FLOPs that the bill pays for, and price them again."""
    job = {"peak_flops_per_s": 1e15, "usd_per_device_hour": 2.0}
    flops = bill_usd / training_bill_usd(flops=1e20, utilization=mfu, **job) * 1e20
    return bill_usd - training_bill_usd(flops=flops, utilization=min(1.0, mfu + points / 100), **job)


def case(bill_usd: float, mfu: float, points: float) -> Inputs:
    return {"bill_usd": bill_usd, "mfu": mfu, "points": points}


RULE = "bill_usd * (1 - mfu / (mfu + points / 100))"


def taught() -> str:
    bill = 58.1e6
    first = points_worth_usd(bill_usd=bill, mfu=0.404, points=5)
    second = points_worth_usd(bill_usd=bill - first, mfu=0.454, points=5)
    return (
        f"The first 5 points are worth {first / 1e6:.1f} million dollars, the next 5 only {second / 1e6:.1f}: the "
        "higher the MFU already is, the less the same points are worth."
    )


EXERCISE = Exercise(
    points_worth_usd,
    number=2,
    level="easy",
    asked="the dollars that some more points of MFU save",
    expected=two_bills_usd,
    examples=[
        case(90.0, 0.25, 20.0),
        case(1e6, 0.40, 5.0),
        case(1e6, 0.5, 50.0),
        case(2e6, 0.36, 2.5),
        case(1234.56, 0.36175, 1.26),
        case(58.1e6, 0.404, 5.0),
    ],
    inputs=lambda st: {
        "bill_usd": st.integers(1, 100).map(lambda count: count * 1e5),
        "mfu": st.integers(10, 60).map(lambda percent: percent / 100),
        "points": st.integers(1, 80).map(lambda halves: halves / 2),
    },
    relative_tolerance=1e-7,
    units={"result": "dollars"},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_share_of_the_old_mfu",
            "You took the points as a share of the old MFU: that is by how much the rate rises, not by how much the "
            "bill falls. The new MFU stands below.",
            {RULE: "bill_usd * (points / 100) / mfu"},
        ),
        Mistake(
            "takes_points_of_the_bill",
            "You took the points as percent of the bill. They are percent of the peak: the new bill is to the old one "
            "as the old MFU to the new.",
            {RULE: "bill_usd * points / 100"},
        ),
        Mistake(
            "takes_points_for_percent",
            "You raised the MFU by that many percent of itself. Points are added: 0.40 and 5 points are 0.45.",
            {"(mfu + points / 100)": "(mfu * (1 + points / 100))"},
        ),
        Mistake(
            "forgets_the_hundred",
            "A point is a hundredth: add points / 100 to the share.",
            {"points / 100": "points"},
        ),
        Mistake(
            "counts_from_the_new_mfu",
            "This is what as many points fewer would cost; asked is what as many more save.",
            {RULE: "bill_usd * (mfu / max(mfu - points / 100, 1e-9) - 1)"},
        ),
        Mistake(
            "returns_the_new_bill",
            "This is the new bill; asked is what is saved.",
            {"(1 - mfu / (mfu + points / 100))": "mfu / (mfu + points / 100)"},
        ),
        Mistake(
            "saves_a_negative_sum",
            "The sign is the wrong way round: a saving is positive.",
            {"(1 - mfu / (mfu + points / 100))": "(mfu / (mfu + points / 100) - 1)"},
        ),
    ],
)
