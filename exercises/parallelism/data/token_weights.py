"""Exercise: the weight of every micro-batch's mean loss, so that all tokens of a batch count alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake


def token_weights(
    *,
    tokens: list[list[int]],
) -> list[list[float]]:
    """Return by what to multiply the mean loss of each micro-batch.

    Each rank adds the gradients of its weighted losses up, and the engine
    averages the ranks' sums. With your weights the result has to be the
    gradient of the mean over all tokens of all ranks.

    Args:
        tokens: for each rank, the tokens of each of its micro-batches. Ranks
            may have different numbers of micro-batches, and a micro-batch may
            have no token; its weight is 0. Some micro-batch has a token.

    Returns:
        For each rank, the weight of each of its micro-batches.

    >>> token_weights(tokens=[[3, 1], [4]])
    [[0.75, 0.25], [1.0]]
    """
    total = sum(map(sum, tokens))
    return [[len(tokens) * count / total for count in own] for own in tokens]


def counted_one_by_one(*, tokens: list[list[int]]) -> list[list[float]]:
    """Find each weight from one token: its share of the result is its weight over its micro-batch and the ranks."""
    total = len([token for own in tokens for count in own for token in range(count)])
    each = Fraction(1, total)
    return [[float(each * count / Fraction(1, len(tokens))) if count else 0.0 for count in own] for own in tokens]


def ragged(st: Any) -> Any:
    counts = st.lists(st.integers(0, 40), min_size=1, max_size=4)
    return st.lists(counts, min_size=1, max_size=5).filter(lambda rows: any(map(any, rows))).map(_inputs)


def _inputs(rows: list[list[int]]) -> Inputs:
    return {"tokens": rows}


def taught() -> str:
    weights = token_weights(**EXERCISE.examples[-1])
    machines = "; ".join(" and ".join(f"{weight:g}" for weight in own) for own in weights)
    return (
        f"The four machines of the text get {machines}. Together that is {sum(map(sum, weights)):g}, the number of "
        "machines, because the engine divides by it. A weight goes with the micro-batch's tokens: the mean of means "
        "would count a token of a short micro-batch for more."
    )


EXERCISE = Exercise(
    token_weights,
    number=1,
    level="easy",
    asked="the weight of each micro-batch's mean loss, so that every token counts alike",
    expected=counted_one_by_one,
    examples=[
        {"tokens": [[3, 1], [4]]},
        {"tokens": [[5]]},
        {"tokens": [[2], [6]]},
        {"tokens": [[0, 2], [1, 1, 4]]},
        {"tokens": [[900, 100], [700, 300], [500, 500], [150, 50]]},
    ],
    inputs=ragged,
    taught=taught,
    mistakes=[
        Mistake(
            "adds_over_ranks",
            "The engine averages over ranks: it divides your weights by their number once more.",
            {"len(tokens) * count / total": "count / total"},
        ),
        Mistake(
            "divides_by_the_ranks_own_tokens",
            "This is right within each rank, but a rank with few tokens still counts as much as one with many.",
            lambda tokens: [[count / max(1, sum(own)) for count in own] for own in tokens],
        ),
        Mistake(
            "averages_micro_batches",
            "This is the mean of means: a token of a short micro-batch counts for more than one of a long one.",
            lambda tokens: [[1 / len(own) for _ in own] for own in tokens],
        ),
        Mistake(
            "weighs_ranks_alone",
            "This gives all micro-batches of a rank the rank's weight; each needs its own.",
            lambda tokens: [[len(tokens) * sum(own) / sum(map(sum, tokens)) for _ in own] for own in tokens],
        ),
        Mistake(
            "counts_ranks_with_tokens_alone",
            "The engine divides by the number of all ranks, also of those that have no token in this step.",
            lambda tokens: [[sum(map(any, tokens)) * count / sum(map(sum, tokens)) for count in own] for own in tokens],
        ),
        Mistake(
            "forgets_the_micro_batches_tokens",
            "The mean loss has divided by its micro-batch's tokens: the weight has to undo that.",
            {"len(tokens) * count / total": "len(tokens) / total"},
        ),
        Mistake(
            "multiplies_by_own_micro_batches",
            "Micro-batches are added up, so their number needs no undoing; the engine averages over ranks.",
            {"len(tokens) * count / total": "len(own) * count / total"},
        ),
        Mistake(
            "leaves_the_means",
            "This leaves every mean loss as it is.",
            lambda tokens: [[1.0 for _ in own] for own in tokens],
        ),
    ],
)
