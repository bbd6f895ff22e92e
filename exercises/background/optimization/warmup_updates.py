"""Exercise: the updates of a warm-up that is measured in tokens, while the batch grows."""

from __future__ import annotations

from decimal import Decimal

from grader.exercise import Exercise, Mistake


def warmup_updates(
    *,
    warmup_tokens: float,
    first_batch_tokens: float,
    full_batch_tokens: float,
    ramp_tokens: float,
) -> int:
    """Count the updates of a warm-up in tokens, while the batch grows.

    An update that begins when t tokens have been seen takes a batch on the line
    from ``first_batch_tokens`` at t = 0 to ``full_batch_tokens`` at
    t = ``ramp_tokens``, and ``full_batch_tokens`` from then on.

    Args:
        warmup_tokens: tokens of the warm-up, at least 0.
        first_batch_tokens: tokens of the first batch, above 0.
        full_batch_tokens: tokens of a full batch, at least those of the first.
        ramp_tokens: tokens after which the batch is full; 0 if it is full from
            the start.

    Returns:
        The fewest updates that see ``warmup_tokens`` or more.

    >>> batches = {"first_batch_tokens": 2, "full_batch_tokens": 10}
    >>> warmup_updates(warmup_tokens=20, **batches, ramp_tokens=16)  # 2 + 3 + …
    5
    """
    tokens, updates = 0.0, 0
    while tokens < warmup_tokens:
        grown = min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates


def updates_by_growth(
    warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    """Use that the batches grow by a constant factor until they are full."""
    first, full, ramp = Decimal(first_batch_tokens), Decimal(full_batch_tokens), Decimal(ramp_tokens)
    growth = 1 + (full - first) / ramp if ramp else Decimal(1)
    batch, seen, updates = first if ramp else full, Decimal(0), 0
    while seen < Decimal(warmup_tokens):
        seen, batch, updates = seen + batch, min(full, batch * growth), updates + 1
    return updates


def taught() -> str:
    own = {"warmup_tokens": 375e6, "first_batch_tokens": 32e3, "full_batch_tokens": 3.2e6}
    short, long, full = (warmup_updates(**own, ramp_tokens=tokens) for tokens in (4e9, 12e9, 0))
    return (
        f"They are {short:,} or {long:,}; full batches would make {full}. While the batch grows, a schedule in tokens "
        "says little about steps."
    )


EXERCISE = Exercise(
    warmup_updates,
    number=4,
    asked="the fewest updates that see the warm-up's tokens while the batch grows on a line in tokens",
    expected=updates_by_growth,
    examples=[
        {"warmup_tokens": 10, "first_batch_tokens": 2, "full_batch_tokens": 4, "ramp_tokens": 0},
        {"warmup_tokens": 20, "first_batch_tokens": 2, "full_batch_tokens": 10, "ramp_tokens": 16},
        {"warmup_tokens": 200, "first_batch_tokens": 1, "full_batch_tokens": 9, "ramp_tokens": 64},
        {"warmup_tokens": 0, "first_batch_tokens": 1, "full_batch_tokens": 9, "ramp_tokens": 64},
        {"warmup_tokens": 100, "first_batch_tokens": 10, "full_batch_tokens": 10, "ramp_tokens": 64},
        {"warmup_tokens": 1, "first_batch_tokens": 1, "full_batch_tokens": 1, "ramp_tokens": 0},
        # The exercise's, with a tenth of the tokens in all.
        {"warmup_tokens": 37.5e6, "first_batch_tokens": 32e3, "full_batch_tokens": 3.2e6, "ramp_tokens": 1.2e9},
        {"warmup_tokens": 37.5e6, "first_batch_tokens": 32e3, "full_batch_tokens": 3.2e6, "ramp_tokens": 0.4e9},
    ],
    inputs=lambda st: {
        "warmup_tokens": st.integers(0, 300),
        "first_batch_tokens": st.integers(1, 8),
        "full_batch_tokens": st.integers(8, 32),
        "ramp_tokens": st.sampled_from([0, 16, 64, 256]),  # powers of two: floats are exact where it matters
    },
    units={"result": "updates"},
    taught=taught,
    mistakes=[
        Mistake(
            "ignores_the_ramp",
            "You took full batches from the start; while the batch is small, more updates are needed.",
            {"min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0": "1.0"},
        ),
        Mistake(
            "never_grows",
            "The batch grows with the tokens seen; you kept the first one throughout.",
            {"min(1.0, tokens / ramp_tokens)": "0.0"},
        ),
        Mistake(
            "takes_the_mean_batch",
            "You took the mean of the first and the full batch; small batches come first, and there are more of them.",
            {"min(1.0, tokens / ramp_tokens)": "0.5"},
        ),
        Mistake(
            "grows_for_ever",
            "The batch stops growing when it is full.",
            {"min(1.0, tokens / ramp_tokens)": "tokens / ramp_tokens"},
        ),
        Mistake(
            "leaves_out_the_last",
            "You left out the last update, the one in which the warm-up ends.",
            {"return updates": "return updates - (tokens > warmup_tokens)"},
        ),
        Mistake(
            "goes_on_when_all_are_seen",
            "An update follows only while fewer than warmup_tokens have been seen: `<`, not `<=`.",
            {"tokens < warmup_tokens": "tokens <= warmup_tokens"},
        ),
    ],
)
