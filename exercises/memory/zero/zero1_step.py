"""Exercise: a step of Adam on each rank, its state sharded (ZeRO's stage 1)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from grader.exercise import Exercise, Mistake, Observation
from snippets.memory.zero.formulas import shard_length
from snippets.memory.zero.programs import run_sharded_program
from snippets.memory.zero.sharded_adam import AdamConstants, GivenGradients, adam_update, run_sharded_adam
from snippets.memory.zero.sharded_rank import Rank
from snippets.simulation.machine import AllGather, AllReduce, RankProgramError, ReduceScatter, Request

PROBLEM, PARAMETERS, FIRST, SECOND, SENT, PEAK = (
    "what stops the ranks",
    "parameters of each rank",
    "first averages",
    "second averages",
    "bytes sent by each rank",
    "bytes held by each rank at its peak",
)


def zero1_step(
    *,
    rank: Rank,
    step: int,
    learning_rate: float,
) -> Generator[Request, Any, None]:
    """Make one step of Adam on one rank, with the optimizer's state sharded.

    This is a generator that runs on every rank. It takes part in a collective
    by yielding a request, whose result is the value of the ``yield``:

        total = yield ReduceScatter(array)  # this rank's shard of the sum
        total = yield AllReduce(array)  # all of the sum over ranks
        whole = yield AllGather(shard)  # all shards, joined in new memory
        yield AllGather(shard, into=array)  # the same, written to an array

    ``array`` has an entry for each parameter, ``shard`` those that the rank
    owns. All ranks ask for the same in the same order.

    The gradient of the step is the mean over ranks. Adam's constants are 0.9
    and 0.999 for the averages, whose bias is corrected, and 10⁻⁸, added to the
    root. The grader looks at all ranks' parameters and averages after some
    steps, at the bytes that each rank has sent, and at the most bytes that it
    has held: those of arrays that it is given or that collectives return,
    until nothing refers to them. Neither may be more than needed.

    Args:
        rank: what this rank sees. ``rank.number`` and ``rank.ranks`` say which
            it is and of how many; ``rank.shard`` is the slice of the parameters
            that it owns. ``rank.parameters`` (all of them) and ``rank.first``
            and ``rank.second`` (Adam's averages of the shard) are to be updated
            in place. ``rank.gradients`` is the gradient of this rank's
            examples, of all parameters. All are float32.
        step: number of the step, from 1.
        learning_rate: the learning rate.

    >>> import numpy as np
    >>> weights, gradients = np.array([5.0, 5.0]), np.array([1.0, 3.0])
    >>> shard = slice(0, 2)
    >>> alone = Rank(0, 1, shard, weights, gradients, np.zeros(2), np.zeros(2))
    >>> program = zero1_step(rank=alone, step=1, learning_rate=0.1)
    >>> request = next(program)
    >>> type(program.send(request.numbers)).__name__, alone.parameters.round(3)
    ('AllGather', array([4.9, 4.9]))
    """
    mean = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    first = rank.first / (1 - 0.9**step)
    second = rank.second / (1 - 0.999**step)
    mine = rank.parameters[rank.shard]
    mine -= learning_rate * first / (second**0.5 + 1e-8)
    yield AllGather(mine, into=rank.parameters)


def observe(function: Callable[..., Any], *, initial: Any, gradients: Any, learning_rate: float) -> Observation:
    """Run the answer once a step on every rank."""
    try:
        run = run_sharded_program(partial(function, learning_rate=learning_rate), initial, gradients)
    except RankProgramError as error:
        return {PROBLEM: str(error)}
    _, needed = cost(len(initial), len(gradients[0]), len(gradients))
    return {
        PROBLEM: "nothing",
        PARAMETERS: [rounded(parameters) for parameters in run.parameters],
        FIRST: rounded(run.first),
        SECOND: rounded(run.second),
        SENT: list(run.account.sent_bytes),
        PEAK: list(map(max, run.account.peak_bytes, needed)),  # less is no fault: a single rank needs no collective
    }


def rounded(array: Any) -> list[float]:
    """Return float32 numbers with as many digits as they have."""
    return [float(f"{number:.6g}") for number in array]


def replicated_step(*, initial: list[int], gradients: Any, learning_rate: float) -> Observation:
    """Take the result from Adam on one device, and the cost from the book's sharded Adam in stage 1."""
    ranks = len(gradients[0])
    whole = np.array(initial, float)
    first, second = np.zeros_like(whole), np.zeros_like(whole)
    for step, each in enumerate(gradients, start=1):
        mean = np.mean(np.array(each, float).reshape(ranks, -1), axis=0)
        adam_update(whole, first, second, mean, step=step, adam=AdamConstants(learning_rate=learning_rate))
    sent, peak = cost(len(initial), ranks, len(gradients))
    shown = {PARAMETERS: [rounded(whole)] * ranks, FIRST: rounded(first), SECOND: rounded(second)}
    return {PROBLEM: "nothing", **shown, SENT: list(sent), PEAK: list(peak)}


@lru_cache
def cost(count: int, ranks: int, steps: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what each rank sends and holds; besides its state, it holds the sum of its shard when it arrives."""
    model = GivenGradients(np.zeros((steps, 1, ranks, count)), units=(count,))
    run = run_sharded_adam(model, [np.zeros(count)], ranks=ranks, stage=1, recipe="fp32-adam", steps=steps)
    arriving = [4 * shard_length(count, ranks=ranks, rank=rank) for rank in range(ranks)]
    peak = (held + more for held, more in zip(run.account.peak_bytes, arriving, strict=True))
    return run.account.sent_bytes, tuple(peak)


def steps(st: Any) -> Any:
    """Return gradients of one or two steps, of one to three ranks with one to five parameters."""

    def of(count: int, ranks: int) -> Any:
        row = st.lists(st.integers(-3, 3), min_size=count, max_size=count)
        gradients = st.lists(st.lists(row, min_size=ranks, max_size=ranks), min_size=1, max_size=2)
        return st.fixed_dictionaries({"initial": row, "gradients": gradients, "learning_rate": st.just(0.1)})

    return st.tuples(st.integers(1, 5), st.integers(1, 3)).flatmap(lambda shape: of(*shape))


def gathers_the_averages(*, rank: Rank, step: int, learning_rate: float) -> Generator[Request, Any, None]:
    mean = (yield AllReduce(rank.gradients))[rank.shard] / rank.ranks
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    first, second = (yield AllGather(rank.first)), (yield AllGather(rank.second))
    rank.parameters -= learning_rate * first / (1 - 0.9**step) / ((second / (1 - 0.999**step)) ** 0.5 + 1e-8)


def assumes_a_gradient_of_one(*, rank: Rank, step: int, learning_rate: float) -> Generator[Request, Any, None]:
    yield ReduceScatter(rank.gradients)
    rank.first += 0.1
    rank.second += 0.001
    rank.parameters -= learning_rate


EXERCISE = Exercise(
    zero1_step,
    number=3,
    level="hard",
    asked="a step of Adam on each rank, its state sharded, that sends and holds no more than needed",
    expected=replicated_step,
    observe=observe,
    relative_tolerance=1e-4,
    given=("AllGather", "AllReduce", "ReduceScatter"),
    takes=("numpy",),
    draws=30,
    examples=[
        {"initial": [0, 0], "gradients": [[[1, 1], [3, 3]]], "learning_rate": 0.1},
        {"initial": [1], "gradients": [[[1], [3], [2]]], "learning_rate": 0.1},
        {"initial": [0], "gradients": [[[1]]], "learning_rate": 0.1},
        {"initial": [0], "gradients": [[[1e-8]]], "learning_rate": 0.1},
        {
            "initial": [1, 2, 3, 4, 5],
            "gradients": [[[1, 2, 3, 4, 5], [3, -2, 1, 0, 1]], [[0, 1, 0, 1, 0], [2, 2, 2, 2, -2]]],
            "learning_rate": 0.1,
        },
    ],
    inputs=steps,
    units=dict.fromkeys((SENT, PEAK), "bytes"),
    mistakes=[
        Mistake(
            "all_reduces_everything",
            "The result is right, its cost is not: an all-reduce of everything brings each rank the sums of all "
            "shards. A rank needs the sum of its own, which a reduce-scatter brings for half the bytes.",
            {"(yield ReduceScatter(rank.gradients))": "(yield AllReduce(rank.gradients))[rank.shard]"},
        ),
        Mistake(
            "gathers_the_averages",
            "The result is right, its cost is not: the averages travel. Send the updated weights instead; the "
            "averages stay with their owner.",
            gathers_the_averages,
        ),
        Mistake(
            "gathers_into_new_memory",
            "The result and the bytes sent are right, the memory is not: the new weights are gathered beside the old "
            "ones. Gather them into rank.parameters.",
            {"yield AllGather(mine, into=rank.parameters)": "rank.parameters[:] = yield AllGather(mine)"},
        ),
        Mistake(
            "takes_the_sum",
            "Adam hides it, but its averages show: this takes the sum of the gradients, not their mean.",
            {" / rank.ranks": ""},
        ),
        Mistake(
            "takes_its_own_gradient",
            "Each rank has seen other examples: its own gradient is not the mean over ranks.",
            {"(yield ReduceScatter(rank.gradients)) / rank.ranks": "rank.gradients[rank.shard]"},
        ),
        Mistake(
            "forgets_to_gather",
            "A rank has updated its shard alone: the new weights of the other shards are to be gathered.",
            {"yield AllGather(mine, into=rank.parameters)": ""},
        ),
        Mistake(
            "forgets_the_bias",
            "The averages start at 0; divide them by 1 − 0.9ᵗ and 1 − 0.999ᵗ before you use them.",
            {" / (1 - 0.9**step)": "", " / (1 - 0.999**step)": ""},
        ),
        Mistake(
            "adds_below_the_root",
            "10⁻⁸ is added to the root; yours is added below it, where it weighs as 10⁻⁴.",
            {"(second**0.5 + 1e-8)": "(second + 1e-8) ** 0.5"},
        ),
        Mistake(
            "assumes_a_gradient_of_one",
            "This is right for one input only: one parameter, one rank, and a gradient of 1.",
            assumes_a_gradient_of_one,
        ),
    ],
)
