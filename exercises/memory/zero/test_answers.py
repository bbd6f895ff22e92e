"""Grader of chapter 22's exercises: a step of ZeRO-1 runs on simulated ranks and is judged by result and cost."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint
from snippets.memory.recipes import Recipe
from snippets.memory.zero import zero_state_bytes

STEP_UNITS = dict.fromkeys(("bytes sent by each rank", "bytes held by each rank at its peak"), "bytes")
OWNERS, EXCESS = "a rank for each matrix", "largest load beyond 4/3 − 1/(3N) times the best"


def held_by_all(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    """Divide what all ranks hold of a small model by its size and their number."""
    average = average_bits // 8
    recipe = Recipe("asked", weight_bits // 8, gradient_bits // 8, 0, 4 * master, average, average)
    model = ranks + 1
    held = (zero_state_bytes(model, ranks=ranks, stage=stage, recipe=recipe, rank=rank).total for rank in range(ranks))
    return Fraction(sum(held), model * ranks)


def run_step(function: Callable[..., Any], **inputs: Any) -> dict[str, Any]:
    from exercises.memory.zero import step_on_arrays  # which needs NumPy, as the other exercises do not

    return step_on_arrays.run_step(function, **inputs)


def replicated_step(**inputs: Any) -> dict[str, Any]:
    from exercises.memory.zero import step_on_arrays

    return step_on_arrays.replicated_step(**inputs)


def first_that_fits(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    """Try one number of ranks after the other; more ranks than parameters change nothing."""
    tried = (
        (ranks, zero_state_bytes(parameters, ranks=ranks, stage=stage).total) for ranks in range(1, parameters + 1)
    )
    return next((ranks for ranks, state in tried if state + other_bytes <= memory_bytes), None)


def load_of(function: Callable[..., Any], *, sizes: list[int], ranks: int) -> dict[str, Any]:
    """Say whether every matrix has a rank, and by how much the largest load exceeds what is allowed."""
    owner = function(sizes=sizes, ranks=ranks)
    if hasattr(owner, "tolist"):
        owner = owner.tolist()
    if isinstance(owner, list | tuple):
        owner = [rank.item() if hasattr(rank, "item") else rank for rank in owner]
    known = isinstance(owner, list) and all(type(rank) is int and 0 <= rank < ranks for rank in owner)
    if not known or len(owner) != len(sizes):
        return {OWNERS: False}
    allowed = (Fraction(4, 3) - Fraction(1, 3 * ranks)) * _least_load(tuple(sizes), ranks)
    return {OWNERS: True, EXCESS: max(Fraction(0), _largest_load(owner, sizes, ranks) - allowed)}


def no_excess(*, sizes: list[int], ranks: int) -> dict[str, Any]:
    return {OWNERS: True, EXCESS: Fraction(0)}


@lru_cache
def _least_load(sizes: tuple[int, ...], ranks: int) -> int:
    """Try all ways to give matrices to ranks."""
    return min(_largest_load(owner, sizes, ranks) for owner in product(range(ranks), repeat=len(sizes)))


def _largest_load(owner: Any, sizes: Any, ranks: int) -> int:
    loads = [0] * ranks
    for rank, size in zip(owner, sizes, strict=True):
        loads[rank] += size
    return max(loads)


def recipes() -> Any:
    from hypothesis import strategies as st

    bits = st.sampled_from([8, 16, 32])
    return st.fixed_dictionaries(
        {
            "weight_bits": bits,
            "gradient_bits": bits,
            "average_bits": bits,
            "master": st.booleans(),
            "stage": st.integers(0, 3),
            "ranks": st.integers(1, 9),
        }
    )


def steps() -> Any:
    from hypothesis import strategies as st

    numbers = st.integers(-3, 3)

    def of(count: int, ranks: int) -> Any:
        row = st.lists(numbers, min_size=count, max_size=count)
        each = st.lists(row, min_size=ranks, max_size=ranks)
        gradients = st.lists(each, min_size=1, max_size=2)
        return st.fixed_dictionaries({"initial": row, "gradients": gradients, "learning_rate": st.just(0.1)})

    return st.tuples(st.integers(1, 5), st.integers(1, 3)).flatmap(lambda shape: of(*shape))


def models() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries(
        {
            "parameters": st.integers(1, 20),
            "memory_bytes": st.integers(0, 330),
            "other_bytes": st.integers(0, 20),
            "stage": st.integers(0, 3),
        }
    )


def matrices() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"sizes": st.lists(st.integers(1, 9), max_size=6), "ranks": st.integers(1, 3)})


def recipe(weights: int, gradients: int, averages: int, master: bool, stage: int, ranks: int) -> dict[str, Any]:
    return {
        "weight_bits": weights,
        "gradient_bits": gradients,
        "average_bits": averages,
        "master": master,
        "stage": stage,
        "ranks": ranks,
    }


def model(parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> dict[str, int]:
    return {
        "parameters": parameters,
        "memory_bytes": memory_bytes,
        "other_bytes": other_bytes,
        "stage": stage,
    }


EXERCISES = [
    Exercise(
        name="bytes_per_parameter",
        number=1,
        asked="the mean bytes of model state that a rank holds for each parameter",
        expected=held_by_all,
        examples=[
            recipe(16, 16, 32, True, 0, 1),
            recipe(16, 16, 32, False, 0, 1),
            recipe(16, 32, 32, True, 1, 2),
            recipe(16, 32, 32, True, 2, 2),
            recipe(16, 32, 8, True, 3, 8),
        ],
        inputs=recipes,
        level="easy",
        hints=(
            Hint(
                "Which three kinds of state are there, and how many bits has each?",
                "21-memory-equation.md#what-a-parameter-costs",
            ),
            Hint(
                "A stage cuts a kind for all ranks: 1 the optimizer's state, 2 the gradients too, 3 the weights too. "
                "The float32 copy is optimizer state.",
                "22-zero.md#who-needs-a-second-copy",
            ),
            Hint(
                "Add up bits / 8, divided by the ranks where the stage is at least 1 for 2 · average_bits + 32 · "
                "master, 2 for gradient_bits, 3 for weight_bits, as fractions.",
                "22-zero.md#who-needs-a-second-copy",
            ),
        ),
        units={"result": "bytes"},
    ),
    Exercise(
        name="zero1_step",
        number=2,
        asked="a step of Adam on each rank, its state sharded, that sends and holds no more than needed",
        expected=replicated_step,
        observe=run_step,
        relative_tolerance=1e-4,
        examples=[
            {"initial": [0], "gradients": [[[1]]], "learning_rate": 0.1},
            {"initial": [0, 0], "gradients": [[[1, 1], [3, 3]]], "learning_rate": 0.1},
            {"initial": [1], "gradients": [[[1], [3], [2]]], "learning_rate": 0.1},
            {
                "initial": [1, 2, 3, 4, 5],
                "gradients": [[[1, 2, 3, 4, 5], [3, -2, 1, 0, 1]], [[0, 1, 0, 1, 0], [2, 2, 2, 2, -2]]],
                "learning_rate": 0.1,
            },
        ],
        inputs=steps,
        level="hard",
        hints=(
            Hint(
                "Which part of the summed gradient does a rank need to update its shard?",
                "22-zero.md#who-needs-a-second-copy",
            ),
            Hint(
                "Two collectives are enough: one brings each rank the sum of its shard, the other brings the new "
                "weights to all. Between them, the rank updates its averages and its shard in place.",
                "22-zero.md#who-needs-a-second-copy",
            ),
            Hint(
                "mean = (yield ReduceScatter(rank.gradients)) / rank.ranks, then Adam on rank.first, rank.second and "
                "rank.parameters[rank.shard], then yield AllGather(rank.parameters[rank.shard], into=rank.parameters).",
                "22-zero.md#run-it",
            ),
        ),
        units=STEP_UNITS,
    ),
    Exercise(
        name="fewest_ranks",
        number=3,
        asked="the fewest ranks on which the state fits, 2 + 2 + 12 bytes a parameter",
        expected=first_that_fits,
        examples=[
            model(1, 16, 0, 0),
            model(1, 15, 0, 0),
            model(2, 31, 0, 0),
            model(1, 16, 1, 0),
            model(2, 16, 0, 1),
            model(3, 34, 0, 2),
            model(3, 32, 0, 3),
            model(3, 24, 0, 3),
            model(3, 30, 4, 2),
            model(2, 4, 0, 3),
        ],
        inputs=models,
        level="easy",
        hints=(
            Hint("What does the stage leave whole, and what does it cut?", "22-zero.md#who-needs-a-second-copy"),
            Hint(
                "Take what is whole and the other bytes off the memory. How many parameters' shard fits into the rest?",
                "22-zero.md#who-needs-a-second-copy",
            ),
            Hint(
                "largest = room // sharded bytes; the result is ⌈parameters / largest⌉, or None where largest is 0. "
                "Stage 0 shards nothing: 1 or None.",
                "22-zero.md#who-needs-a-second-copy",
            ),
        ),
        units={"result": "ranks"},
    ),
    Exercise(
        name="owners",
        number=4,
        asked="an owner for each matrix, so that the largest load is at most 4/3 − 1/(3N) times the best",
        expected=no_excess,
        observe=load_of,
        examples=[
            {"sizes": [], "ranks": 1},
            {"sizes": [1], "ranks": 1},
            {"sizes": [1, 1], "ranks": 2},
            {"sizes": [1, 1, 2], "ranks": 2},
            {"sizes": [1, 2, 3, 4], "ranks": 2},
            {"sizes": [5, 1, 5, 1, 1], "ranks": 2},
        ],
        inputs=matrices,
        level="hard",
        hints=(
            Hint("Keep the load of each rank while you deal.", "22-zero.md#optimizers-that-need-whole-matrices"),
            Hint(
                "In which order do you deal, so that what comes last can do little harm?",
                "22-zero.md#optimizers-that-need-whole-matrices",
            ),
            Hint(
                "Largest first, each to the rank that has least so far; write the rank at the matrix's own place.",
                "22-zero.md#optimizers-that-need-whole-matrices",
            ),
        ),
        units={EXCESS: "numbers"},
    ),
]

test_answer = graded(EXERCISES)
