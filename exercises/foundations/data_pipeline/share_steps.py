"""Exercise: the batches of an epoch from any position, shared out to any number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

LISTS, STEPS, UNEVEN = "lists in each step", "examples of each step, sorted", "shares that differ by more than one"


def share_steps(
    order: Sequence[int],
    *,
    position: int,
    batch: int,
    ranks: int,
) -> list[list[list[int]]]:
    """Share out the steps of an epoch that are still to come.

    Each step takes the next examples of the order, whatever the number of
    ranks; the last one takes what is left. Which rank gets which of them is
    up to you, but no two ranks' shares of a step differ by more than one.

    Args:
        order: the epoch's examples in their global order, each once.
        position: how many of them have been consumed already.
        batch: examples of a step, of all ranks together.
        ranks: how many ranks there are now; maybe more than examples.

    Returns:
        For each step, for each rank, the list of its examples; it is empty
        for a rank that gets none.

    >>> share_steps([3, 0, 2, 1, 4], position=1, batch=2, ranks=2)
    [[[0], [2]], [[1], [4]]]
    """
    steps = []
    for first in range(position, len(order), batch):
        chosen = list(order[first : first + batch])
        steps.append([chosen[rank::ranks] for rank in range(ranks)])
    return steps


def observe(function: Callable[..., Any], *, order: Sequence[int], **sizes: int) -> Observation:
    """Put the shares of each step together again: which of them a rank has does not matter."""
    steps = function(order=order, **sizes)
    lengths = [[len(share) for share in step] for step in steps]
    missing = [f"{len(step)} in step {number}" for number, step in enumerate(steps) if len(step) != sizes["ranks"]]
    uneven = [
        f"in step {number} the ranks get {', '.join(map(str, step))}"
        for number, step in enumerate(lengths)
        if step and max(step) - min(step) > 1
    ]
    return {
        LISTS: missing[0] if missing else one_for_each(sizes["ranks"]),
        STEPS: [sorted(example for share in step for example in share) for step in steps],
        UNEVEN: uneven[0] if uneven else "none",
    }


def one_for_each(ranks: int) -> str:
    return f"{ranks}, one for each rank, [] where it gets nothing"


def taken_one_by_one(order: Sequence[int], *, position: int, batch: int, ranks: int) -> Observation:
    """Walk along the order, and begin a new step whenever one is full."""
    steps: list[list[int]] = []
    for place in range(len(order)):
        if place < position:
            continue
        if not steps or len(steps[-1]) == batch:
            steps.append([])
        steps[-1].append(order[place])
    return {LISTS: one_for_each(ranks), STEPS: [sorted(step) for step in steps], UNEVEN: "none"}


def epoch(order: list[int], position: int, batch: int, ranks: int) -> Inputs:
    return {"order": order, "position": position, "batch": batch, "ranks": ranks}


def mixed(count: int) -> list[int]:
    """Return an order of so many examples, the same everywhere."""
    return sorted(range(count), key=lambda example: (example * 7919 + 13) % 101)


def own_shards(order: Sequence[int], *, position: int, batch: int, ranks: int) -> list[list[list[int]]]:
    """Each rank walks through its own stretch of the order."""
    size = -(-len(order) // ranks)
    rows = [list(order[rank * size : (rank + 1) * size])[position // ranks :] for rank in range(ranks)]
    part = max(batch // ranks, 1)
    return [
        [row[first : first + part] for row in rows]
        for first in range(0, max((len(row) for row in rows), default=0), part)
    ]


EXERCISE = Exercise(
    share_steps,
    number=2,
    level="easy",
    asked="the steps that are left of an epoch, shared out evenly, the same examples in each for any number of ranks",
    expected=taken_one_by_one,
    observe=observe,
    examples=[
        epoch([3, 0, 2, 1, 4], 1, 2, 2),
        epoch([3, 0, 2, 1], 0, 4, 2),
        epoch([3, 0, 2, 1, 4], 0, 4, 2),
        epoch([5, 3, 0, 2, 1, 4], 0, 5, 3),
        epoch([5, 3, 0, 2, 1, 4], 5, 4, 4),
        epoch([1, 0, 2], 3, 2, 2),
        epoch([70, 30, 90, 10, 50], 0, 3, 2),
        epoch(mixed(30), 0, 15, 11),
        epoch(mixed(13), 3, 4, 3),
        epoch(mixed(13), 8, 4, 1),
        epoch(mixed(22), 0, 8, 4),
        epoch(mixed(22), 8, 8, 2),
    ],
    inputs=lambda st: st.integers(1, 30).flatmap(
        lambda count: st.fixed_dictionaries(
            {
                "order": st.permutations(range(count)),
                "position": st.integers(0, count),
                "batch": st.integers(1, 16),
                "ranks": st.integers(1, 12),
            }
        )
    ),
    mistakes=[
        Mistake(
            "drops_the_short_step",
            "The examples of the last, short step are dropped; every example has to come once.",
            {"range(position, len(order), batch)": "range(position, len(order) - batch + 1, batch)"},
        ),
        Mistake(
            "starts_the_epoch_again",
            "The first examples come a second time: begin at the position, not at 0.",
            {"range(position, len(order), batch)": "range(0, len(order), batch)"},
        ),
        Mistake(
            "returns_the_places",
            "These are places in the order, counted from 0. Asked for are the examples that stand there.",
            {"list(order[first : first + batch])": "list(range(len(order)))[first : first + batch]"},
        ),
        Mistake(
            "begins_steps_at_multiples_of_the_batch",
            "The steps begin at multiples of the batch. The first one begins at the position, and is a full one.",
            lambda order, *, position, batch, ranks: [
                [list(order[max(first, position) : first + batch])[rank::ranks] for rank in range(ranks)]
                for first in range(position // batch * batch, len(order), batch)
                if position < len(order)
            ],
        ),
        Mistake(
            "counts_the_batch_for_each_rank",
            "The batch is that of all ranks together; here its size grows with the number of ranks.",
            lambda order, *, position, batch, ranks: share_steps(
                order, position=position, batch=batch * ranks, ranks=ranks
            ),
        ),
        Mistake(
            "pads_the_short_step",
            "The last step is filled up with examples that have come before: these come twice.",
            {"list(order[first : first + batch])": "[order[i % len(order)] for i in range(first, first + batch)]"},
        ),
        Mistake(
            "cuts_each_share_down",
            "Shares of ⌊batch / ranks⌋ leave out the examples of the remainder.",
            {"chosen[rank::ranks]": "chosen[rank * (len(chosen) // ranks) : (rank + 1) * (len(chosen) // ranks)]"},
        ),
        Mistake(
            "rounds_each_share_up",
            "With ⌈examples / ranks⌉ for each rank in turn, the last ranks run short: 6 examples on 4 ranks go out as "
            "2, 2, 2 and 0.",
            {"chosen[rank::ranks]": "chosen[rank * -(-len(chosen) // ranks) : (rank + 1) * -(-len(chosen) // ranks)]"},
        ),
        Mistake(
            "gives_each_rank_its_stretch",
            "Each rank walks through a stretch of its own, so what a step holds depends on the number of ranks.",
            own_shards,
        ),
        Mistake(
            "is_always_two_steps",
            "This is right for one input only: it does not look at the order.",
            lambda order, **_: [[[0], [2]], [[1], [4]]],
        ),
    ],
)
