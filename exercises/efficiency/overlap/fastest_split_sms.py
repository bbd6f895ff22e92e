"""Exercise: how many SMs an exchange should get beside the matmuls."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def fastest_split_sms(
    *,
    compute_ms: int,
    exchange_mb: int,
    sms: int,
    sm_mb_per_ms: int,
    link_mb_per_ms: int,
) -> int:
    """Return how many SMs to give to an exchange so that all ends soonest.

    The exchange and the matmuls begin together. The exchange keeps its SMs all
    along, and the matmuls share the others evenly. SMs that copy add up until
    the link is full; the last of them may find room for only part of its rate.

    Args:
        compute_ms: the matmuls' time on all SMs, at least 1.
        exchange_mb: megabytes that the GPU sends, at least 1.
        sms: SMs of the GPU, at least 2; each side needs at least one.
        sm_mb_per_ms: megabytes that one SM copies in a millisecond.
        link_mb_per_ms: megabytes that the link carries in a millisecond.

    Returns:
        SMs for the exchange; the fewest, where several are equally good.

    >>> fastest_split_sms(
    ...     compute_ms=8, exchange_mb=20, sms=10,
    ...     sm_mb_per_ms=1, link_mb_per_ms=4,
    ... )
    2
    """
    found = []
    for g in range(1, sms):
        # As fractions, so that equal ends are equal.
        matmuls = Fraction(compute_ms * sms, sms - g)
        exchange = Fraction(exchange_mb, min(g * sm_mb_per_ms, link_mb_per_ms))
        found.append((max(matmuls, exchange), g))
    return min(found)[1]


def by_crossing(*, compute_ms: int, exchange_mb: int, sms: int, sm_mb_per_ms: int, link_mb_per_ms: int) -> int:
    """Go to the crossing of the two lanes or to the full link, whichever is first, and look at its neighbours."""
    work = Fraction(exchange_mb, sm_mb_per_ms)  # SM-milliseconds
    crossing = sms * work / (work + sms * compute_ms)
    full = Fraction(link_mb_per_ms, sm_mb_per_ms)
    near = math.floor(min(crossing, full))
    around = sorted({min(max(g, 1), sms - 1) for g in (near - 1, near, near + 1)})

    def end(g: int) -> Fraction:
        lanes = (Fraction(compute_ms * sms, sms - g), work / g, Fraction(exchange_mb, link_mb_per_ms))
        return sorted(lanes)[-1]

    return min(around, key=end)


split_of = inputs_for(fastest_split_sms)


def taught() -> str:
    own = {"exchange_mb": 623, "sms": 132, "sm_mb_per_ms": 2, "link_mb_per_ms": 40}
    slow, fast = (fastest_split_sms(compute_ms=ms, **own) for ms in (26, 14))
    return (
        f"Beside 26 ms of matmuls the question's exchange wants {slow} SMs, beside 14 ms (FP8) {fast}. The faster the "
        "matmuls, the more SMs go to the exchange, until the link is full."
    )


EXERCISE = Exercise(
    fastest_split_sms,
    number=2,
    level="medium",
    asked="how many SMs an exchange should get so that it and the matmuls end soonest",
    expected=by_crossing,
    examples=[
        split_of(8, 20, 10, 1, 4),
        split_of(1, 20, 10, 1, 4),
        split_of(1, 1, 2, 1, 1),
        split_of(100, 1, 10, 4, 400),
        split_of(1, 400, 8, 1, 1000),
        split_of(1, 700, 132, 1, 1000),
        split_of(2, 2, 3, 1, 1),
        split_of(26, 623, 132, 2, 40),
        split_of(14, 623, 132, 2, 40),
        split_of(23, 354, 11, 6, 11),
        split_of(1, 20, 10, 3, 4),
        split_of(8, 202, 18, 2, 19),
        split_of(25, 100, 8, 3, 39),
    ],
    inputs=lambda st: {
        "compute_ms": st.integers(1, 60),
        "exchange_mb": st.integers(1, 700),
        "sms": st.integers(2, 40),
        "sm_mb_per_ms": st.integers(1, 6),
        "link_mb_per_ms": st.integers(1, 60),
    },
    draws=120,
    taught=taught,
    mistakes=[
        Mistake(
            "fills_the_link",
            "You gave as many SMs as fill the link. Where the matmuls are the slower lane, that makes them slower yet.",
            lambda *, compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms: min(
                sms - 1, -(-link_mb_per_ms // sm_mb_per_ms)
            ),
        ),
        Mistake(
            "leaves_the_link_unfilled",
            "You stopped at the last SM that doesn't overfill the link. One more may still fill what is left of it.",
            {"range(1, sms)": "range(1, max(1, min(sms - 1, link_mb_per_ms // sm_mb_per_ms)) + 1)"},
        ),
        Mistake(
            "fills_most_of_the_link",
            "You gave as many SMs as the link has room for. Where the matmuls are the slower lane, that makes them "
            "slower yet.",
            lambda *, compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms: max(
                1, min(sms - 1, link_mb_per_ms // sm_mb_per_ms)
            ),
        ),
        Mistake(
            "forgets_the_link",
            "You let SMs add up beyond the link's rate. Past it, more SMs only slow the matmuls.",
            {"min(g * sm_mb_per_ms, link_mb_per_ms)": "g * sm_mb_per_ms"},
        ),
        Mistake(
            "rounds_the_crossing_down",
            "You rounded down to whole SMs. Compare both neighbours: one SM more may be better.",
            lambda *, compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms: min(
                sms - 1,
                max(
                    1,
                    min(
                        sms * exchange_mb // (exchange_mb + sm_mb_per_ms * sms * compute_ms),
                        link_mb_per_ms // sm_mb_per_ms,
                    ),
                ),
            ),
        ),
        Mistake(
            "rounds_the_crossing_up",
            "Your number is the one above the crossing. With SMs kept all along, one less may be better: compare both.",
            lambda *, compute_ms, exchange_mb, sms, sm_mb_per_ms, link_mb_per_ms: min(
                sms - 1,
                max(
                    1,
                    min(
                        -(-sms * exchange_mb // (exchange_mb + sm_mb_per_ms * sms * compute_ms)),
                        -(-link_mb_per_ms // sm_mb_per_ms),
                    ),
                ),
            ),
        ),
        Mistake(
            "forgets_the_squeeze",
            "You let the matmuls keep all SMs. Then more SMs for the exchange never hurt, and there's no best number.",
            {"Fraction(compute_ms * sms, sms - g)": "Fraction(compute_ms)"},
        ),
        Mistake(
            "adds_the_lanes",
            "You added the two times. Side by side, the longer one counts.",
            {"max(matmuls, exchange)": "matmuls + exchange"},
        ),
        Mistake(
            "brings_the_ends_together",
            "You took the split with which both end most nearly together. Once the link is full, fewer SMs may end "
            "sooner: compare the later ends.",
            {"max(matmuls, exchange)": "abs(matmuls - exchange)"},
        ),
        Mistake(
            "takes_the_most",
            "You took the most SMs where several are equally good. Take the fewest.",
            {"exchange), g))": "exchange), -g))", "min(found)[1]": "-min(found)[1]"},
        ),
        Mistake(
            "stops_at_half",
            "You gave the exchange no more than half of the SMs. Beside short matmuls it may want more.",
            {"range(1, sms)": "range(1, sms // 2 + 1)"},
        ),
        Mistake(
            "waits_for_the_shorter",
            "You took the lane that ends first. All is done when the last one is.",
            {"max(matmuls, exchange)": "min(matmuls, exchange)"},
        ),
    ],
)
