"""Exercise: what a worker contributes to the square of the global norm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from grader.exercise import Exercise, Mistake, Observation


def square_norm_share(
    shard: Sequence[float],
    replicated: Sequence[float],
    *,
    workers: int,
) -> float:
    """Return what one worker contributes to the square of the global norm.

    The sum of the contributions of all workers is to be the squared norm of the
    whole gradient, in which every shard and the replicated part occur once. No
    worker knows its number.

    Args:
        shard: the worker's own part of the gradient.
        replicated: the part that every worker holds, the same on all.
        workers: how many workers there are, at least 1.

    Returns:
        The contribution.

    >>> square_norm_share([1.0, 2.0], [4.0], workers=2)
    13.0
    """
    # Of a replicated gradient a share, as every worker adds the same squares.
    return sum(entry**2 for entry in shard) + sum(entry**2 for entry in replicated) / workers


Part = list[float]


def whole_square_norm(shards: list[Part], replicated: Part) -> Observation:
    """Put the gradient together and square it."""
    return {"sum over the workers": sum(entry * entry for entry in itertools.chain(*shards, replicated))}


def added(function: Callable[..., float], shards: list[Part], replicated: Part) -> Observation:
    """Ask each worker for its contribution, and add."""
    shares = (function(shard=shard, replicated=replicated, workers=len(shards)) for shard in shards)
    return {"sum over the workers": float(sum(shares))}


def taught() -> str:
    squares = 8 * square_norm_share([math.sqrt(0.9 / 8)], [math.sqrt(0.1)], workers=1)
    return (
        f"The squared norm becomes {squares:.1f} instead of 1, so the norm is {math.sqrt(squares) - 1:.0%} too large. "
        "Clipping sets in too early, without an error message, and differently for each number of workers."
    )


EXERCISE = Exercise(
    square_norm_share,
    number=1,
    level="easy",
    asked="what each worker contributes, so that the sum is the square of the whole gradient's norm",
    expected=whole_square_norm,
    observe=added,
    examples=[
        {"shards": [[1.0, 2.0], [3.0]], "replicated": [2.0]},
        {"shards": [[], [], [1.0]], "replicated": [1.0, 2.0]},
        {"shards": [[2.0], [1.0]], "replicated": []},
        {"shards": [[3.0]], "replicated": [4.0]},
        {"shards": [[3.0]] * 8, "replicated": [2.0, 2.0]},  # a tenth of the squares is replicated
    ],
    inputs=lambda st: {
        "shards": st.lists(st.lists(st.integers(-4, 4).map(float), max_size=3), min_size=1, max_size=4),
        "replicated": st.lists(st.integers(-4, 4).map(float), max_size=3),
    },
    taught=taught,
    mistakes=[
        Mistake(
            "counts_the_replicated_on_every_worker",
            "Every worker adds the replicated part's squares in full, so they count once for each worker.",
            {" / workers": ""},
        ),
        Mistake(
            "leaves_the_replicated_out",
            "The replicated part belongs to the gradient, too: its squares count once.",
            {" + sum(entry**2 for entry in replicated) / workers": ""},
        ),
        Mistake(
            "divides_the_shard_too",
            "Only the replicated part is shared among the workers; a shard's squares count in full.",
            {"entry in shard)": "entry in shard) / workers"},
        ),
        Mistake(
            "divides_before_squaring",
            "You divided the entries by the workers before squaring, so their squares are divided twice.",
            {"/ workers": "/ workers**2"},
        ),
        Mistake(
            "takes_the_root",
            "You took the root on each worker; norms do not add up, their squares do. The root comes after the sum.",
            lambda shard, replicated, *, workers: square_norm_share(shard, replicated, workers=workers) ** 0.5,
        ),
        Mistake(
            "share_of_one", "This is right for one input only: compute the share from both parts.", lambda **_: 25.0
        ),
    ],
)
