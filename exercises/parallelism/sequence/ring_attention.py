"""Exercise: causal ring attention, as a program that runs on every rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.parallelism.sequence.formulas import ring_attention_forward_bytes
from snippets.simulation.machine import Exchange, Machine, RankProgramError, as_request

RUN, OUTPUT, SENT, STEPS = "the run", "outputs of each rank", "bytes sent by each rank", "steps"
Program = Generator[Exchange, list[float], list[float]]


def ring_attention(
    *,
    rank: int,
    ranks: int,
    queries: list[float],
    keys: list[float],
    values: list[float],
) -> Program:
    """Run on one rank of causal ring attention: end with its tokens' outputs.

    Heads have the size 1: a query, a key and a value are one number each, and
    the score of a query with a key is their product. The sequence is cut in
    order: the i-th token of rank r stands at place r·x + i of the sequence,
    and sees itself and all tokens before it.

    This is a generator. It passes numbers on by yielding a request:

        arrived = yield Exchange(to, numbers, source)

    sends a list of numbers to one rank and receives one from another, at the
    same time, in one step. The grader looks at the outputs, and at bytes and
    steps, which are those of a ring that passes every block on, masked or not:
    each rank sends R - 1 blocks of keys and values, in R - 1 steps. Whether you
    merge each block at once or keep them all is up to you.

    Args:
        rank: number of the rank that the program runs on, from 0.
        ranks: number of ranks R.
        queries: of this rank's x tokens; every rank has as many.
        keys: of the same tokens.
        values: of the same tokens.

    Returns:
        For each of the rank's tokens the average of the values that it sees,
        weighted by exp(score). Scores lie between -1,000 and 1,000.

    >>> from snippets.simulation.machine import Machine
    >>> own = [{"queries": [0.0], "keys": [1.0], "values": [2.0]} for _ in "ab"]
    >>> own[1]["values"] = [6.0]
    >>> Machine(2).run(
    ...     [ring_attention(rank=r, ranks=2, **own[r]) for r in range(2)]
    ... )
    ([2.0], [4.0])
    """
    x = len(queries)
    parts = [(-math.inf, 0.0, 0.0)] * x
    for step in range(ranks):
        first = (rank - step) % ranks * x
        for i, query in enumerate(queries):
            m, total, mean = parts[i]
            for j in range(x):
                if first + j <= rank * x + i:
                    score = query * keys[j]
                    new = max(m, score)
                    old, weight = total * math.exp(m - new), math.exp(score - new)
                    m, total, mean = new, old + weight, (old * mean + weight * values[j]) / (old + weight)
            parts[i] = m, total, mean
        if step + 1 < ranks:
            arrived = yield Exchange((rank + 1) % ranks, keys + values, (rank - 1) % ranks)
            keys, values = arrived[:x], arrived[x:]
    return [mean for _, _, mean in parts]


def dense(*, queries: list[list[float]], keys: list[list[float]], values: list[list[float]]) -> Observation:
    """Compute the outputs in one piece, and the cost by the closed form."""
    q, k, v = ([number for part in parts for number in part] for parts in (queries, keys, values))
    outputs = []
    for place, query in enumerate(q):
        scores = [query * key for key in k[: place + 1]]
        weights = [math.exp(score - max(scores)) for score in scores]
        outputs.append(math.fsum(w * value for w, value in zip(weights, v, strict=False)) / math.fsum(weights))
    R, x = len(queries), len(queries[0])
    sent = ring_attention_forward_bytes(sequence=R * x, kv_width=1, ranks=R, element_bytes=8)
    return {
        RUN: "ends",
        OUTPUT: [outputs[r * x : (r + 1) * x] for r in range(R)],
        SENT: [int(sent)] * R,
        STEPS: R - 1,
    }


def run_on_ranks(function: Callable[..., Any], **shards: list[list[float]]) -> Observation:
    """Run the answer on every rank."""
    R = len(shards["queries"])
    machine = Machine(R, most_requests=200 * R, admit=lambda rank, asked: as_request(rank, asked, (Exchange,)))
    own = [{name: list(shard[r]) for name, shard in shards.items()} for r in range(R)]
    try:
        results = machine.run([function(rank=r, ranks=R, **own[r]) for r in range(R)])
    except RankProgramError as error:
        return {RUN: str(error)}
    return {
        RUN: "ends",
        OUTPUT: list(results),
        SENT: list(machine.account.sent_bytes),
        STEPS: machine.account.steps,
    }


def cut(*shards: list[list[float]]) -> Inputs:
    return dict(zip(("queries", "keys", "values"), shards, strict=True))


def sequences(st: Any) -> Any:
    """Return one to five ranks with one to three tokens each."""

    def of(R: int, x: int) -> Any:
        def numbers(most: int) -> Any:
            row = st.lists(st.integers(-most, most).map(float), min_size=x, max_size=x)
            return st.lists(row, min_size=R, max_size=R)

        scores = st.sampled_from([2, 4, 30])
        return scores.flatmap(
            lambda most: st.fixed_dictionaries({"queries": numbers(most), "keys": numbers(most), "values": numbers(9)})
        )

    return st.tuples(st.integers(1, 5), st.integers(1, 3)).flatmap(lambda shape: of(*shape))


SEEN = "if first + j <= rank * x + i:"

EXERCISE = Exercise(
    ring_attention,
    number=3,
    level="hard",
    asked="a rank program of causal ring attention that ends with its tokens' outputs, at the ring's cost",
    expected=dense,
    observe=run_on_ranks,
    given=("Exchange",),
    draws=40,
    examples=[
        cut([[0.0, 0.0]], [[1.0, 2.0]], [[3.0, 5.0]]),
        cut([[0.0], [0.0]], [[1.0], [2.0]], [[2.0], [6.0]]),
        cut([[1.0], [1.0], [1.0]], [[0.0], [2.0], [1.0]], [[1.0], [5.0], [9.0]]),
        cut([[30.0], [30.0]], [[30.0], [29.0]], [[2.0], [6.0]]),
        cut([[-30.0], [-30.0]], [[30.0], [29.0]], [[2.0], [6.0]]),
        cut([[30.0], [30.0]], [[-30.0], [30.0]], [[2.0], [6.0]]),
        cut([[1.0, 1.0], [1.0, -1.0]], [[0.0, 9.0], [15.0, 5.0]], [[9.0, -8.0], [-7.0, 5.0]]),
        cut(
            [[1.0], [0.0], [2.0], [1.0], [1.0]],
            [[1.0], [2.0], [0.0], [1.0], [3.0]],
            [[9.0], [1.0], [4.0], [2.0], [7.0]],
        ),
        cut(
            [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [1.0, 2.0]],
            [[0.0, 1.0], [1.0, 2.0], [2.0, 0.0], [1.0, 1.0]],
            [[1.0, 2.0], [3.0, 5.0], [8.0, 1.0], [4.0, 7.0]],
        ),
    ],
    inputs=sequences,
    units={SENT: "bytes"},
    relative_tolerance=1e-8,  # near 0, where values of both signs cancel, 1e-11
    mistakes=[
        Mistake(
            "forgets_the_mask",
            "A token sees itself and what comes before it: this lets it see later ones too.",
            {SEEN: "if True:"},
        ),
        Mistake(
            "masks_own_block_only",
            "The mask is right within the rank's own tokens; blocks of later ranks have to be left out as well.",
            {SEEN: "if first != rank * x or j <= i:"},
        ),
        Mistake(
            "takes_blocks_for_the_next_rank_s",
            "Places and direction do not fit. Where blocks are passed to the next rank, step t has rank r − t's keys; "
            "passed to the rank before, rank r + t's.",
            {"(rank - step) % ranks": "(rank + step) % ranks"},
        ),
        Mistake(
            "sends_its_own_block_each_time",
            "Each step has to pass on what has just arrived; this sends the rank's own keys and values every time.",
            {
                "parts = [": "own = keys + values\n    parts = [",
                "keys + values, (rank - 1) % ranks)": "own, (rank - 1) % ranks)",
            },
        ),
        Mistake(
            "passes_once_more",
            "After R − 1 steps every block has been everywhere: the last one is sent home for nothing.",
            {"if step + 1 < ranks:": "if ranks > 1:"},
        ),
        Mistake(
            "stops_too_early",
            "There are R blocks, the rank's own and R − 1 that arrive: one is missing.",
            {
                "for step in range(ranks):": "for step in range(max(1, ranks - 1)):",
                "if step + 1 < ranks:": "if step + 2 < ranks:",
            },
        ),
        Mistake(
            "does_not_rescale",
            "When a larger score comes, what was added up before has to be multiplied by exp(old m − new m).",
            {"total * math.exp(m - new)": "total"},
        ),
        Mistake(
            "averages_the_blocks",
            "Blocks count by the sum of their exponentials, not by the number of their keys: weigh each value by "
            "exp(score).",
            {"math.exp(m - new), math.exp(score - new)": "1.0, 1.0"},
        ),
    ],
)
