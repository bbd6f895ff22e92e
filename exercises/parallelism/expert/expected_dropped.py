"""Exercise: how many copies find no room at their expert."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake


def expected_dropped(
    *,
    tokens: int,
    shares: list[float],
    capacity: int,
) -> float:
    """Return how many copies are expected to be dropped in a batch.

    Each token chooses its experts independently of the other tokens: expert i
    with probability shares[i]. A token may choose several experts, each of
    which gets a copy of it. An expert computes as many tokens as it
    has room for; the others are dropped.

    Args:
        tokens: of the batch, from 1 to 64.
        shares: for each expert, the probability that a token chooses it. From
            0 to 1; their sum need not be 1.
        capacity: the most tokens that one expert takes, at least 0.

    Returns:
        The expected number, over all experts.

    >>> expected_dropped(tokens=2, shares=[0.5, 0.5], capacity=1)
    0.5
    """
    total = 0.0
    for share in shares:
        for load in range(capacity + 1, tokens + 1):
            chance = math.comb(tokens, load) * share**load * (1 - share) ** (tokens - load)
            total += (load - capacity) * chance
    return total


def token_by_token(*, tokens: int, shares: list[float], capacity: int) -> float:
    """Let the tokens come one after another, with the exact distribution of each expert's load so far."""
    total = Fraction(0)
    for share in map(Fraction, shares):
        loads = [Fraction(1)]
        for _ in range(tokens):
            full = loads[capacity] if len(loads) > capacity else Fraction(0)
            total += share * full  # the token comes and finds no room
            longer = [each * (1 - share) for each in loads] + [Fraction(0)]
            for load, chance in enumerate(loads):
                longer[load + 1] += chance * share
            if len(longer) > capacity + 1:
                longer[capacity] += longer[capacity + 1]
                longer = longer[: capacity + 1]
            loads = longer
    return float(total)


def batch(tokens: int, shares: list[float], capacity: int) -> Inputs:
    return {"tokens": tokens, "shares": shares, "capacity": capacity}


def batches(st):  # type: ignore[no-untyped-def]
    share = st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 1.0])
    return st.builds(batch, st.integers(1, 9), st.lists(share, min_size=1, max_size=4), st.integers(0, 6))


EACH = "(load - capacity) * chance"


def taught() -> str:
    own, favourites = EXERCISE.examples[-1], [0.5, 0.5]
    total, theirs = (expected_dropped(**{**own, "shares": shares}) for shares in (own["shares"], favourites))
    return (
        f"{total:.1f} of {own['tokens'] * sum(own['shares']):.0f} copies, {theirs:.1f} of them at the two "
        f"favourites, which expect {own['tokens'] * sum(favourites):.0f} and have room for {2 * own['capacity']}. All "
        f"experts together have room for {own['capacity'] * len(own['shares'])}: here balance is missing, not room."
    )


EXERCISE = Exercise(
    expected_dropped,
    number=2,
    level="medium",
    asked="the expected number of dropped copies, for any router without memory",
    expected=token_by_token,
    examples=[
        batch(2, [0.5, 0.5], 1),
        batch(4, [0.5, 0.5], 2),
        batch(3, [1.0, 0.25, 0.75], 2),
        batch(4, [0.5, 0.25, 0.25], 0),
        batch(5, [0.0, 1.0], 7),
        batch(64, [0.75, 1.0], 3),
        batch(64, [0.25] * 8, 16),
        batch(64, [0.5, 0.5] + [0.125] * 8, 20),
    ],
    inputs=batches,
    relative_tolerance=1e-7,
    taught=taught,
    mistakes=[
        Mistake(
            "counts_full_experts",
            "This counts experts that drop anything; count how many tokens each drops.",
            {EACH: "chance"},
        ),
        Mistake(
            "drops_of_the_mean_load",
            "The expert with the mean load may drop nothing, and yet drops are expected, because loads scatter.",
            lambda *, tokens, shares, capacity: sum(max(0.0, tokens * share - capacity) for share in shares),
        ),
        Mistake(
            "room_is_one_less",
            "An expert with capacity tokens is full and has dropped nothing.",
            {EACH: "(load - capacity + 1) * chance"},
        ),
        Mistake(
            "drops_all_of_them",
            "An expert that is too full still computes as many as it has room for.",
            {EACH: "load * chance"},
        ),
        Mistake(
            "one_order_only",
            "Any of the tokens may be the ones that choose it: the binomial coefficient is missing.",
            {"math.comb(tokens, load) * ": ""},
        ),
        Mistake(
            "equal_shares",
            "The experts are not equally likely.",
            {"for share in shares:": "for share in [sum(shares) / len(shares)] * len(shares):"},
        ),
        Mistake(
            "makes_the_shares_add_up",
            "A token may choose several experts, or none: take each probability as it is given.",
            {"for share in shares:": "for share in [each / sum(shares) for each in shares]:"},
        ),
        Mistake(
            "equal_experts_once",
            "Experts with the same probability are several all the same.",
            {"for share in shares:": "for share in set(shares):"},
        ),
        Mistake(
            "a_share_of_them",
            "Asked is the number, not the share of all copies.",
            {"return total": "return total / (tokens * sum(shares))"},
        ),
        Mistake(
            "stops_before_all",
            "All tokens may choose the same expert: the last load is missing.",
            {"range(capacity + 1, tokens + 1)": "range(capacity + 1, tokens)"},
        ),
    ],
)
