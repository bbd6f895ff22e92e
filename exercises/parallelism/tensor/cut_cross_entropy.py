"""Exercise: the loss of logits that are cut along the vocabulary, as a program that runs on every rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from functools import partial
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.simulation.machine import AllGather, AllReduce, Machine, RankProgramError, Request, as_request

RUN, ENDS, LOSSES, SENT = "the run", "every rank returns", "the losses on each rank", "sent by each rank"
WITHIN = "at most three numbers for each token and each other rank"
NUMBER_BYTES = 8
Program = Generator[Request, Any, list[float]]


def cut_cross_entropy(
    *,
    logits: list[list[float]],
    targets: list[int],
    first: int,
) -> Program:
    """Run on one rank that has some columns of the logits: end with the losses.

    This is a generator that runs on every rank. It takes part in a collective
    by yielding a request, whose result is the value of the ``yield``:

        total = yield AllReduce(numbers)  # sums over ranks, entry by entry
        joined = yield AllGather(numbers)  # the ranks' lists, one after another

    Both are done by rings. There is no collective for the largest.

    ``numbers`` is a list of floats. All ranks ask for the same in the same
    order. The loss of a token is log Σ exp(logit) − the target's logit, over
    the whole vocabulary. Logits may be large: exp(1000) is too much for a
    float, and so is the logarithm of exp(−1000), which is 0.

    The grader looks at the losses on all ranks, and at the bytes: no rank may
    send more than three numbers for each token and each other rank.

    Args:
        logits: for each token, this rank's columns, at least one.
        targets: for each token, the column of the whole vocabulary that is
            right.
        first: number of this rank's first column in the whole vocabulary. The
            ranks' columns follow one another.

    Returns:
        The loss of each token, the same on all ranks.

    >>> program = cut_cross_entropy(logits=[[0.0, 0.0]], targets=[1], first=0)
    >>> type(next(program)).__name__
    'AllGather'
    """
    tokens = range(len(targets))
    top = [max(row) for row in logits]
    sums = [sum(math.exp(entry - high) for entry in row) for row, high in zip(logits, top, strict=True)]
    right = [
        row[target - first] if 0 <= target - first < len(row) else 0.0
        for row, target in zip(logits, targets, strict=True)
    ]
    told = yield AllGather(top + sums + right)
    size = len(targets)
    ranks = [told[start : start + 3 * size] for start in range(0, len(told), 3 * size)]
    losses = []
    for i in tokens:
        most = max(rank[i] for rank in ranks)
        total = sum(rank[size + i] * math.exp(rank[i] - most) for rank in ranks)
        losses.append(most + math.log(total) - sum(rank[2 * size + i] for rank in ranks))
    return losses


def limit_bytes(ranks: int, tokens: int) -> int:
    return 3 * tokens * (ranks - 1) * NUMBER_BYTES


def on_ranks(
    function: Callable[..., Program], *, logits_by_rank: list[list[list[float]]], targets: list[int]
) -> Observation:
    """Run the program on every rank; whatever keeps to the limit looks the same."""
    ranks = len(logits_by_rank)
    kinds = partial(as_request, kinds=(AllGather, AllReduce))
    machine = Machine(ranks, number_bytes=NUMBER_BYTES, most_requests=200 * ranks, admit=kinds)
    starts = [sum(len(rank[0]) for rank in logits_by_rank[:number]) for number in range(ranks)]
    try:
        results = machine.run(
            [
                function(logits=[list(row) for row in rank], targets=list(targets), first=start)
                for rank, start in zip(logits_by_rank, starts, strict=True)
            ]
        )
    except RankProgramError as error:
        return {RUN: str(error)}
    allowed = limit_bytes(ranks, len(targets))
    most = max(machine.account.sent_bytes)
    sent = WITHIN if most <= allowed else f"up to {most} bytes: more than three numbers, which are {allowed} here"
    return {RUN: ENDS, LOSSES: [list(result) for result in results], SENT: sent}


def on_one_device(*, logits_by_rank: list[list[list[float]]], targets: list[int]) -> Observation:
    """Put the logits together, and take the loss as −log of the target's share, in logarithms of pairs."""
    losses = []
    for token, target in enumerate(targets):
        row = [entry for rank in logits_by_rank for entry in rank[token]]
        total = row[0]
        for entry in row[1:]:
            high, low = max(total, entry), min(total, entry)
            total = high + math.log1p(math.exp(low - high))
        losses.append(total - row[target])
    return {RUN: ENDS, LOSSES: [losses] * len(logits_by_rank), SENT: WITHIN}


def drawn(ranks: int, tokens: int, spread: float, seed: int) -> Inputs:
    """Return logits; a rank has four columns or five, so that to gather them costs more than three numbers."""
    chance = Random(seed)
    widths = [4 + chance.randrange(2) for _ in range(ranks)]
    columns = [
        [[round(chance.uniform(-spread, spread), 1) for _ in range(width)] for _ in range(tokens)] for width in widths
    ]
    return {"logits_by_rank": columns, "targets": [chance.randrange(sum(widths)) for _ in range(tokens)]}


SHAPES = [(ranks, tokens, spread) for ranks in (1, 2, 3, 5) for tokens in (1, 2, 4) for spread in (1.0, 20.0, 900.0)]

RIGHT = "row[target - first] if 0 <= target - first < len(row) else 0.0"
RESCALED = "rank[size + i] * math.exp(rank[i] - most)"


def gathers_the_logits(*, logits: list[list[float]], targets: list[int], first: int) -> Program:
    losses = []
    for row, target in zip(logits, targets, strict=True):
        whole = yield AllGather(list(row))
        most = max(whole)
        losses.append(most + math.log(sum(math.exp(entry - most) for entry in whole)) - whole[target])
    return losses


def sums_exponentials(*, logits: list[list[float]], targets: list[int], first: int) -> Program:
    sums = [sum(math.exp(min(entry, 700)) for entry in row) for row in logits]
    right = [
        row[target - first] if 0 <= target - first < len(row) else 0.0
        for row, target in zip(logits, targets, strict=True)
    ]
    both = yield AllReduce(sums + right)
    return [math.log(max(both[i], 1e-300)) - both[len(targets) + i] for i in range(len(targets))]


def averages_the_ranks(*, logits: list[list[float]], targets: list[int], first: int) -> Program:
    own = []
    for row, target in zip(logits, targets, strict=True):
        most = max(row)
        right = row[target - first] if 0 <= target - first < len(row) else 0.0
        own.append(most + math.log(sum(math.exp(entry - most) for entry in row)) - right)
    return (yield AllReduce(own))


EXERCISE = Exercise(
    cut_cross_entropy,
    number=3,
    level="hard",
    asked="a rank program for the loss of logits that are cut along the vocabulary",
    expected=on_one_device,
    observe=on_ranks,
    relative_tolerance=1e-7,
    examples=[
        {"logits_by_rank": [[[0.0]], [[0.0]]], "targets": [1]},
        {"logits_by_rank": [[[0.0, 1.0]], [[2.0, 0.5]]], "targets": [0]},
        {"logits_by_rank": [[[1.0, 3.0], [0.0, 2.0]]], "targets": [1, 0]},
        {"logits_by_rank": [[[1000.0, 998.5]], [[-1000.0, 3.0]]], "targets": [1]},
        {"logits_by_rank": [[[-1000.0, -998.5]], [[-1001.0, -999.0]], [[-1003.0, -1000.0]]], "targets": [4]},
        {"logits_by_rank": [[[0.0, 0.0], [800.0, 1.0]], [[801.0, 2.0], [-5.0, 799.0]]], "targets": [2, 3]},
        drawn(4, 6, 5.0, 17),
    ],
    inputs=[drawn(*shape, seed) for seed, shape in enumerate(SHAPES)],
    drawn=lambda chance: [drawn(*shape, chance.randrange(10**9)) for shape in SHAPES],
    given=("AllGather", "AllReduce"),
    mistakes=[
        Mistake(
            "gathers_the_logits",
            "The losses are right, their cost is not: you gather the logits. Of its columns, a rank has to tell three "
            "numbers a token.",
            gathers_the_logits,
        ),
        Mistake(
            "sums_exponentials",
            "The exponentials of large logits are too much for a float, those of very negative ones are 0: take off "
            "the largest logit first, and put it back in the end.",
            sums_exponentials,
        ),
        Mistake(
            "adds_the_ranks_losses",
            "The logarithm of a sum is not the sum of the logarithms: bring the ranks' sums together first.",
            averages_the_ranks,
        ),
        Mistake(
            "does_not_rescale",
            "Each rank has taken off its own largest logit. Before you add the sums, bring them to the same one.",
            {RESCALED: "rank[size + i]"},
        ),
        Mistake(
            "takes_any_target",
            "The target's logit is on one rank alone. The others have nothing to add, not their logit of that place.",
            {RIGHT: "row[(target - first) % len(row)]"},
        ),
        Mistake(
            "counts_from_the_end",
            "On a rank behind the target's, target − first is negative: Python then counts from the row's end.",
            {RIGHT: "row[target - first] if target - first < len(row) else 0.0"},
        ),
        Mistake(
            "takes_the_mean",
            "Asked is the loss of each token, not their mean.",
            {"    return losses": "    return [sum(losses) / size] * size"},
        ),
        Mistake(
            "looks_up_the_target_here",
            "Targets are columns of the whole vocabulary: take off the number of this rank's first column.",
            {RIGHT: "row[target] if target < len(row) else 0.0"},
        ),
        Mistake(
            "forgets_the_largest",
            "You have taken off the largest logit and not put it back.",
            {"losses.append(most + ": "losses.append("},
        ),
    ],
)
