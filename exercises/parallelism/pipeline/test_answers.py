"""Grader of chapter 18's exercises: orders run on the book's runner and are judged by its checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, count
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint
from snippets.parallelism import pipeline, pipeline_runner
from snippets.parallelism.pipeline_checker import find_faults
from snippets.parallelism.pipeline_schedules import PipelineSchedule, Task, gpipe, one_f_one_b, zb_h1, zb_h2

DURATIONS = {"F": 1, "B": 2}
LISTS, FAULTS, MAKESPAN, BUBBLE, PEAK = (
    "a list of pairs for every stage",
    "what is wrong with the orders",
    "makespan",
    "bubble",
    "micro-batches held at the peak, by stage",
)
COUNTS, SLOWEST = "a whole number of layers, at least 1, for every stage", "time of the slowest stage"
SUM = "layers in all"
BUILDERS = {"GPipe": gpipe, "1F1B": one_f_one_b, "ZB-H1": zb_h1, "ZB-H2": zb_h2}


def run_orders(function: Callable[..., Any], *, stages: int, micro_batches: int) -> dict[str, Any]:
    """Ask for every stage's order, and run all of them together."""
    orders = [function(stages=stages, micro_batches=micro_batches, stage=stage) for stage in range(stages)]
    if not all(is_order(order) for order in orders):
        return {LISTS: False}
    tasks = tuple(tuple(Task(kind, i, stage) for kind, i in order) for stage, order in enumerate(orders))
    try:
        schedule = PipelineSchedule(
            "answer", tasks, (tuple(range(stages)),), (0,) * micro_batches, splits_backward=False
        )
    except ValueError as error:
        return {LISTS: True, FAULTS: str(error)}
    if faults := find_faults(schedule):
        return {LISTS: True, FAULTS: faults[0]}
    line = pipeline_runner.run_pipeline(schedule, DURATIONS)
    return {
        LISTS: True,
        FAULTS: "nothing",
        MAKESPAN: line.makespan_s,
        BUBBLE: Fraction(sum(line.idle_s)) / (stages * line.makespan_s),
        PEAK: list(line.peak_activations),
    }


def is_order(order: Any) -> bool:
    """Say whether an answer is a list of pairs of a kind and a number."""
    return isinstance(order, list | tuple) and all(
        isinstance(entry, tuple | list) and len(entry) == 2 and isinstance(entry[0], str) and type(entry[1]) is int
        for entry in order
    )


def cost_of_1f1b(*, stages: int, micro_batches: int) -> dict[str, Any]:
    """Return what the closed forms of the chapter say about 1F1B."""
    sizes = {"stages": stages, "micro_batches": micro_batches}
    return {
        LISTS: True,
        FAULTS: "nothing",
        MAKESPAN: int(pipeline.step_time_s(forward_s=DURATIONS["F"], backward_s=DURATIONS["B"], **sizes)),
        BUBBLE: Fraction(stages - 1, micro_batches + stages - 1),
        PEAK: [pipeline.one_f_one_b_peak_activations(stage=stage, **sizes) for stage in range(stages)],
    }


def first_below(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    """Try one number of micro-batches after the other."""
    shares = ((m, Fraction(stages - 1, chunks * m + stages - 1)) for m in count(stages if chunks > 1 else 1))
    return next(m for m, share in shares if share < bubble)


def held_at_most(*, order: Sequence[tuple[str, int]]) -> int:
    """Let the book's runner count a device that has this order."""
    if not order:
        return 0
    split = any(kind == "W" for kind, _ in order)
    tasks = tuple(Task(kind, i, 0) for kind, i in order)
    directions = (0,) * (1 + max(i for _, i in order))
    (peak,) = pipeline_runner.peak_activations(PipelineSchedule("one device", (tasks,), ((0,),), directions, split))
    return int(peak)


def slowest_stage(function: Callable[..., Any], *, layer_s: list[int], stages: int) -> dict[str, Any]:
    """Say whether the answer is a cut, and how slow its slowest stage is."""
    sizes = function(layer_s=layer_s, stages=stages)
    sizes = plain(sizes)
    if not isinstance(sizes, list) or len(sizes) != stages:
        return {COUNTS: False}
    if not all(type(size) is int and size >= 1 for size in sizes):
        return {COUNTS: False}
    if sum(sizes) != len(layer_s):
        return {COUNTS: True, SUM: sum(sizes)}
    ends = [sum(sizes[: stage + 1]) for stage in range(stages)]
    times = [sum(layer_s[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    return {COUNTS: True, SUM: len(layer_s), SLOWEST: max(times)}


def plain(numbers: Any) -> Any:
    """Return an array or a tuple as a list, and NumPy's integers in it as Python's."""
    if hasattr(numbers, "tolist"):
        return numbers.tolist()
    if not isinstance(numbers, list | tuple):
        return numbers
    return [number.item() if hasattr(number, "item") else number for number in numbers]


def best_cut(*, layer_s: list[int], stages: int) -> dict[str, Any]:
    """Try all cuts."""
    cuts = combinations(range(1, len(layer_s)), stages - 1)
    slowest = min(
        max(sum(layer_s[start:end]) for start, end in zip((0, *cut), (*cut, len(layer_s)), strict=True)) for cut in cuts
    )
    return {COUNTS: True, SUM: len(layer_s), SLOWEST: slowest}


def sizes() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"stages": st.integers(1, 5), "micro_batches": st.integers(1, 7)})


def limits() -> Any:
    from hypothesis import strategies as st

    fraction = st.integers(2, 24).flatmap(lambda below: st.integers(1, below - 1).map(lambda top: Fraction(top, below)))
    return st.fixed_dictionaries({"stages": st.integers(1, 8), "bubble": fraction, "chunks": st.integers(1, 3)})


def known_orders() -> Any:
    from hypothesis import strategies as st

    def one(name: str, stages: int, micro_batches: int, device: int) -> dict[str, Any]:
        orders = BUILDERS[name](stages=stages, micro_batches=micro_batches).orders
        return {"order": [(task.kind, task.micro_batch) for task in orders[device % stages]]}

    return st.builds(one, st.sampled_from(list(BUILDERS)), st.integers(1, 4), st.integers(1, 6), st.integers(0, 3))


def layers() -> Any:
    from hypothesis import strategies as st

    times = st.lists(st.integers(1, 9), min_size=1, max_size=7)
    return times.flatmap(
        lambda layer_s: st.fixed_dictionaries({"layer_s": st.just(layer_s), "stages": st.integers(1, len(layer_s))})
    )


EXERCISES = [
    Exercise(
        name="one_f_one_b_order",
        number=1,
        asked="each stage's order of 1F1B, run together with a forward of 1 and a backward of 2 time units",
        expected=cost_of_1f1b,
        observe=run_orders,
        examples=[
            {"stages": 1, "micro_batches": 1},
            {"stages": 1, "micro_batches": 3},
            {"stages": 3, "micro_batches": 1},
            {"stages": 4, "micro_batches": 2},
            {"stages": 3, "micro_batches": 6},
        ],
        inputs=sizes,
        hints=(
            Hint(
                "What is the earliest moment at which the gradient of micro-batch 0 can come back to a stage, and how "
                "many forwards can the stage run until then?",
                "18-pipeline.md#1f1b-the-same-bubble-less-memory",
            ),
            Hint(
                "An order has three parts: a warm-up of forwards, one forward and one backward in turn, and the "
                "backwards that are left. Only the length of the first depends on the stage.",
                "18-pipeline.md#1f1b-the-same-bubble-less-memory",
            ),
            Hint(
                "Warm up with min(p − i − 1, m) forwards. Then for each micro-batch j: the next forward, if one is "
                "left, and the backward of j.",
                "18-pipeline.md#fill-and-drain",
            ),
        ),
        units={MAKESPAN: "time units", BUBBLE: "of the step"},
    ),
    Exercise(
        name="least_micro_batches",
        number=2,
        asked="the fewest micro-batches whose bubble is strictly below a limit",
        expected=first_below,
        examples=[
            {"stages": 1, "bubble": Fraction(1, 2)},
            {"stages": 2, "bubble": Fraction(1, 2)},
            {"stages": 8, "bubble": Fraction(1, 20)},
            {"stages": 8, "bubble": Fraction(1, 20), "chunks": 2},
            {"stages": 4, "bubble": Fraction(2, 3), "chunks": 3},
        ],
        inputs=limits,
        level="easy",
        hints=(
            Hint("Write down the bubble as a share of the step, for m micro-batches.", "18-pipeline.md#fill-and-drain"),
            Hint(
                "Solve (p − 1)/(vm + p − 1) < r for m. Where the right side is an integer, it is not enough itself.",
                "18-pipeline.md#smaller-pieces-interleaving",
            ),
            Hint(
                "The result is ⌊(p − 1)(1 − r)/(rv)⌋ + 1, computed with fractions; with v > 1 it is p at least.",
                "18-pipeline.md#smaller-pieces-interleaving",
            ),
        ),
        units={"result": "micro-batches"},
    ),
    Exercise(
        name="peak_activations",
        number=3,
        asked="the most micro-batches whose activations a device holds at once",
        expected=held_at_most,
        examples=[
            {"order": [("F", 0), ("B", 0)]},
            {"order": []},
            {"order": [("F", 0), ("F", 1), ("B", 0), ("B", 1)]},
            {"order": [("F", 0), ("B", 0), ("F", 1), ("W", 0), ("B", 1), ("W", 1)]},
            {"order": [(kind, i) for i in (0, 1) for kind in "FBW"] + [(kind, i) for kind in "FBW" for i in (2, 3)]},
        ],
        inputs=known_orders,
        level="easy",
        hints=(
            Hint("Durations play no part. Walk along the order with a counter.", "18-pipeline.md#memory"),
            Hint(
                "A forward adds a micro-batch. Which pass is the last to need it, in an order that has W?",
                "18-pipeline.md#less-to-wait-for-split-the-backward",
            ),
            Hint(
                "Add 1 at F, subtract 1 after W, or after B if there is no W; return the largest value on the way.",
                "18-pipeline.md#less-to-wait-for-split-the-backward",
            ),
        ),
        units={"result": "micro-batches"},
    ),
    Exercise(
        name="cut_layers",
        number=4,
        asked="a cut into stages whose slowest stage is as fast as possible",
        expected=best_cut,
        observe=slowest_stage,
        examples=[
            {"layer_s": [1], "stages": 1},
            {"layer_s": [1, 1], "stages": 1},
            {"layer_s": [1, 1, 1, 9], "stages": 3},
            {"layer_s": [9, 1, 1, 1, 1], "stages": 2},
            {"layer_s": [2, *11 * [3], 7], "stages": 4},
        ],
        inputs=layers,
        level="hard",
        hints=(
            Hint(
                "The slowest stage sets the pace; the other stages' times do not matter.",
                "18-pipeline.md#uneven-stages",
            ),
            Hint(
                "Ask the opposite question: given a pace, how few stages do? Fill each as far as the pace allows.",
                "18-pipeline.md#uneven-stages",
            ),
            Hint(
                "The least pace lies between the slowest layer and the sum of all: search it by halves. If the filling "
                "then has too few stages, split any stage that has two layers.",
                "18-pipeline.md#uneven-stages",
            ),
        ),
        units={SLOWEST: "s", SUM: "layers"},
    ),
]

test_answer = graded(EXERCISES)
