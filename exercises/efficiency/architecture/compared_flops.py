"""Exercise: how many FLOPs a layer takes to compare the tokens of a sequence under a window."""

from __future__ import annotations

import math

from grader.exercise import Exercise, Mistake, inputs_for


def compared_flops(
    *,
    tokens: int,
    heads: int,
    key_width: int,
    value_width: int,
    window: int,
) -> int:
    """Return the FLOPs of the scores and of the values that are mixed.

    A token sees itself and what is before it, as far as the window reaches.
    For each head and each pair of a query and a key that it sees, there is a
    product of key_width multiply-adds for the score, and value_width more
    to add the value to the output. A multiply-add is 2 FLOPs.

    Args:
        tokens: tokens of the sequence.
        heads: heads of queries.
        key_width: width of a query, and of a key.
        value_width: width of a value.
        window: tokens that one sees at most, itself included.

    Returns:
        FLOPs of one layer, forward, for one sequence.

    >>> compared_flops(tokens=3, heads=1, key_width=1, value_width=1, window=2)
    20
    """
    reach = min(window, tokens)
    pairs = tokens * reach - reach * (reach - 1) // 2
    return 2 * heads * (key_width + value_width) * pairs


def pair_by_pair(*, tokens: int, heads: int, key_width: int, value_width: int, window: int) -> int:
    """Go through the queries, and through what each sees; for long sequences take a triangle from a triangle."""
    if tokens > 1000:
        far = max(0, tokens - window)  # tokens from which the first is out of sight, and so on
        return 2 * heads * (key_width + value_width) * (math.comb(tokens + 1, 2) - math.comb(far + 1, 2))
    total = 0
    for here in range(tokens):
        seen = sum(1 for there in range(tokens) if there <= here and here - there < window)
        total += seen * heads * (2 * key_width + 2 * value_width)
    return total


run_of = inputs_for(compared_flops)


def taught() -> str:
    exact = compared_flops(tokens=2048, heads=1, key_width=1, value_width=1, window=512) // 4
    return (
        f"With a window of 512 in 2,048 tokens there are {exact:,} pairs, {exact / 2048:.0f} a token. Half of the "
        f"window, 256 a token, is {1 - 256 * 2048 / exact:.0%} too little: only the first tokens see less than a "
        "whole window."
    )


EXERCISE = Exercise(
    compared_flops,
    number=2,
    level="medium",
    asked="the FLOPs that a layer takes to compare tokens under a window",
    expected=pair_by_pair,
    examples=[
        run_of(3, 1, 1, 1, 2),
        run_of(4, 2, 3, 1, 1),
        run_of(5, 1, 2, 2, 9),
        run_of(6, 1, 3, 2, 6),
        run_of(300, 64, 192, 128, 40),
        run_of(301, 3, 10**15 + 1, 10**15 + 2, 7),
        run_of(3001, 64, 128, 128, 2000),
        run_of(2**20, 64, 128, 128, 1024),
    ],
    inputs=lambda st: {
        "tokens": st.integers(1, 60),
        "heads": st.sampled_from([1, 2, 8, 64]),
        "key_width": st.sampled_from([1, 3, 128, 192, 576]),
        "value_width": st.sampled_from([1, 2, 128, 512]),
        "window": st.integers(1, 70),
    },
    units={"result": "FLOP"},
    taught=taught,
    mistakes=[
        Mistake(
            "ignores_the_window",
            "You let each token see all before it. The window ends what it sees.",
            {"min(window, tokens)": "tokens"},
        ),
        Mistake(
            "halves_the_window",
            "You took half a window for each token. Half is right for what a causal mask leaves of a whole sequence; "
            "once a sequence is long, nearly every token sees the whole window.",
            {"tokens * reach - reach * (reach - 1) // 2": "tokens * reach // 2"},
        ),
        Mistake(
            "gives_all_a_whole_window",
            "You gave the first tokens a whole window too. The first sees itself alone.",
            {"tokens * reach - reach * (reach - 1) // 2": "tokens * reach"},
        ),
        Mistake(
            "forgets_itself",
            "You left out the pair of a token with itself, or let it see one less.",
            {"reach * (reach - 1) // 2": "reach * (reach + 1) // 2"},
        ),
        Mistake(
            "sees_one_more",
            "You let a token see the window besides itself. It's in the window.",
            {"min(window, tokens)": "min(window + 1, tokens)"},
        ),
        Mistake(
            "forgets_the_values",
            "You counted the scores and not the values that are mixed with them.",
            {"(key_width + value_width)": "key_width"},
        ),
        Mistake(
            "takes_keys_for_values",
            "You gave values the width of keys. With latents they differ.",
            {"(key_width + value_width)": "2 * key_width"},
        ),
        Mistake(
            "counts_multiply_adds",
            "You counted multiply-adds. Each is 2 FLOPs.",
            {"2 * heads": "heads"},
        ),
        Mistake(
            "lets_the_window_pass_the_end",
            "You took the window's length where the sequence is shorter.",
            {"min(window, tokens)": "window"},
        ),
    ],
)
