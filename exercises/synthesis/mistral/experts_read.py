"""Exercise: how many experts of a layer a few tokens are expected to read."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def experts_read(*, tokens: int, experts: int, per_token: int) -> float:
    """Return how many experts of a layer are read, the mean over chance.

    Each token chooses per_token different experts, all alike, and no token's
    choice depends on another's. An expert is read if any token chooses it.

    Args:
        tokens: that pass the layer together, at least 1.
        experts: of the layer.
        per_token: experts that each token chooses, at most experts.

    Returns:
        Experts, not rounded.

    >>> experts_read(tokens=2, experts=4, per_token=2)
    3.0
    """
    passed_over = (1 - per_token / experts) ** tokens
    return experts * (1 - passed_over)


def token_by_token(*, tokens: int, experts: int, per_token: int) -> float:
    """Follow how many experts have been read, from token to token, with exact probabilities."""
    chance = {0: Fraction(1)}
    for _ in range(tokens):
        after: dict[int, Fraction] = {}
        for read, probability in chance.items():
            for new in range(per_token + 1):
                ways = math.comb(experts - read, new) * math.comb(read, per_token - new)
                if ways:
                    own = probability * Fraction(ways, math.comb(experts, per_token))
                    after[read + new] = after.get(read + new, Fraction(0)) + own
        chance = after
    return float(sum(read * probability for read, probability in chance.items()))


run_of = inputs_for(experts_read)
OWN = run_of(16, 8, 2)


def taught() -> str:
    means = {tokens: experts_read(tokens=tokens, experts=8, per_token=2) for tokens in (1, 4, 16)}
    many = experts_read(tokens=16, experts=256, per_token=8)
    return (
        f"Mixtral reads {means[1]:.0f} of 8 experts for a single token, {means[4]:.1f} for four, and {means[16]:.1f} "
        f"for sixteen. DeepSeek-V3, with 8 of 256, reads {many:.0f} for sixteen."
    )


EXERCISE = Exercise(
    experts_read,
    number=1,
    level="easy",
    asked="how many experts of a layer a few tokens are expected to read",
    expected=token_by_token,
    examples=[run_of(2, 4, 2), run_of(1, 8, 2), run_of(3, 2, 1), run_of(2, 5, 5), OWN],
    inputs=lambda st: {
        "tokens": st.integers(1, 6),
        "experts": st.integers(3, 12),
        "per_token": st.integers(1, 3),
    },
    taught=taught,
    mistakes=[
        Mistake(
            "adds_the_choices",
            "You added the tokens' choices. Two tokens that choose one expert read it once.",
            {"experts * (1 - passed_over)": "min(tokens * per_token, experts) + 0 * passed_over"},
        ),
        Mistake(
            "rounds_the_mean",
            "You rounded the mean. It needn't be a whole number.",
            {"experts * (1 - passed_over)": "round(experts * (1 - passed_over))"},
        ),
        Mistake(
            "reads_one_tokens_share",
            "You returned what one token reads. Further tokens choose other experts too.",
            {") ** tokens": ") ** 1"},
        ),
        Mistake(
            "returns_those_passed_over",
            "You returned the experts that nobody chooses.",
            {"experts * (1 - passed_over)": "experts * passed_over"},
        ),
        Mistake(
            "returns_a_share",
            "You returned a share of the experts. Multiply it by their number.",
            {"experts * (1 - passed_over)": "1 - passed_over"},
        ),
        Mistake(
            "lets_a_token_choose_one_twice",
            "You let a token choose the same expert twice. Its experts are different ones.",
            {"(1 - per_token / experts) ** tokens": "(1 - 1 / experts) ** (tokens * per_token)"},
        ),
        Mistake(
            "forgets_that_a_token_chooses_several",
            "You let each token choose one expert. It chooses per_token.",
            {"1 - per_token / experts": "1 - 1 / experts"},
        ),
        Mistake(
            "asks_for_all_tokens",
            "You counted the experts that all tokens choose. One token is enough.",
            {"(1 - per_token / experts) ** tokens": "1 - (per_token / experts) ** tokens"},
        ),
    ],
)
