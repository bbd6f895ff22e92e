"""Exercise: the longest sequence whose cache fits on each GPU of a group."""

from __future__ import annotations

from grader.exercise import Exercise, Mistake, inputs_for


def longest_context(
    *,
    free_bytes: int,
    token_bytes: int,
    full_layers: int,
    window_layers: int,
    window: int,
    kept_heads: int,
    ranks: int,
) -> int:
    """Return the most tokens whose cache fits on each GPU.

    Heads of keys are dealt among the ranks. With more ranks than heads, each
    rank still has a whole one. A latent counts as one head.

    Args:
        free_bytes: what is free on each GPU.
        token_bytes: bytes of a token in one layer, of one head of keys and
            the head of values that belongs to it.
        full_layers: layers that keep every token; at least 1.
        window_layers: layers that keep the last tokens alone; 0 or more.
        window: how many tokens those keep.
        kept_heads: heads of keys of a layer; a multiple or a divisor of ranks.
        ranks: GPUs of the group.

    Returns:
        Tokens; 0 if not even one fits.

    >>> longest_context(free_bytes=100, token_bytes=2, full_layers=2,
    ...                 window_layers=3, window=4, kept_heads=1, ranks=1)
    19
    """
    each = token_bytes * max(1, kept_heads // ranks)
    short = free_bytes // (each * (full_layers + window_layers))
    if short < window:
        return short
    left = free_bytes - each * window_layers * window
    return left // (each * full_layers)


def token_by_token(
    *,
    free_bytes: int,
    token_bytes: int,
    full_layers: int,
    window_layers: int,
    window: int,
    kept_heads: int,
    ranks: int,
) -> int:
    """Halve the range in which the last length lies that fits, counting each GPU's heads one by one."""
    heads = 1
    while heads * ranks < kept_heads:
        heads += 1

    def held(tokens: int) -> int:
        kept = [tokens] * full_layers + [tokens if tokens < window else window] * window_layers
        return sum(kept) * heads * token_bytes

    low, high = 0, free_bytes + 1  # fits, doesn't
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if held(middle) <= free_bytes else (low, middle)
    return low


run_of = inputs_for(longest_context)
FREE = 62_361_573_376
OWN = run_of(FREE, 512, 13, 67, 1024, 8, 8)


def taught() -> str:
    shared = longest_context(**{**OWN, "full_layers": 80, "window_layers": 0})
    latents = longest_context(**{**OWN, "full_layers": 80, "window_layers": 0, "token_bytes": 1152, "kept_heads": 1})
    return (
        f"Eight H100 keep {shared / 1e6:.1f} million tokens with shared heads, {latents / 1e6:.2f} million with a "
        f"latent that all eight copy, and {longest_context(**OWN) / 1e6:.1f} million with windows."
    )


EXERCISE = Exercise(
    longest_context,
    number=3,
    level="medium",
    asked="the most tokens whose cache fits on each GPU",
    expected=token_by_token,
    examples=[
        run_of(100, 2, 2, 3, 4, 1, 1),
        run_of(39, 2, 2, 3, 4, 1, 1),
        run_of(40, 2, 2, 3, 4, 1, 1),
        run_of(9, 2, 2, 3, 4, 1, 1),
        run_of(157, 6, 3, 6, 1, 8, 4),
        run_of(100, 1, 1, 0, 5, 8, 2),
        run_of(100, 2, 2, 3, 4, 1, 8),
        run_of(9 * (10**17 + 3) - 1, 10**17 + 3, 1, 0, 5, 1, 1),
        run_of(4 * (10**17 + 3) - 1, 10**17 + 3, 1, 0, 5, 1, 1),
        OWN,
    ],
    inputs=lambda st: {
        "free_bytes": st.integers(0, 4000),
        "token_bytes": st.integers(1, 8),
        "full_layers": st.integers(1, 6),
        "window_layers": st.integers(0, 6),
        "window": st.integers(1, 30),
        "kept_heads": st.sampled_from([1, 2, 4, 8]),
        "ranks": st.sampled_from([1, 2, 4, 8]),
    },
    draws=120,
    units={"result": "tokens"},
    taught=taught,
    mistakes=[
        Mistake(
            "cuts_one_head",
            "You gave each GPU less than one head. With more GPUs than heads, each copies a whole one.",
            {
                "each = token_bytes * max(1, kept_heads // ranks)": "each = token_bytes * kept_heads / ranks",
                "short = free_bytes // (each * (full_layers + window_layers))": (
                    "short = int(free_bytes // (each * (full_layers + window_layers)))"
                ),
                "return left // (each * full_layers)": "return int(left // (each * full_layers))",
            },
        ),
        Mistake(
            "keeps_all_heads_everywhere",
            "You kept all heads on each GPU. They are dealt.",
            {"max(1, kept_heads // ranks)": "kept_heads"},
        ),
        Mistake(
            "deals_nothing",
            "You kept one head on each GPU, however many there are.",
            {"max(1, kept_heads // ranks)": "1"},
        ),
        Mistake(
            "keeps_all_tokens_in_windows",
            "You let every layer keep every token. Layers with a window stop at its length.",
            {"if short < window:": "if True:"},
        ),
        Mistake(
            "always_fills_the_windows",
            "You took the windows for full where the sequence is shorter than they are.",
            {"if short < window:": "if False:"},
        ),
        Mistake(
            "forgets_the_windows",
            "You left out what the layers with windows keep.",
            {"each * window_layers * window": "0", "if short < window:": "if False:"},
        ),
        Mistake(
            "rounds_up",
            "You rounded up: the last token doesn't fit.",
            {"left // (each * full_layers)": "-(-left // (each * full_layers))"},
        ),
        Mistake(
            "adds_up_all_gpus",
            "You filled the memory of all GPUs with one copy. What is copied fills each of them.",
            {"free_bytes // (each": "free_bytes * ranks // (each", "left = free_bytes": "left = free_bytes * ranks"},
        ),
    ],
)
