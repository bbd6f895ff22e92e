"""Exercise: the order in which a stage of 1F1B runs its passes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.drawing import Panel
from snippets.parallelism.pipeline import formulas as pipeline
from snippets.parallelism.pipeline.checker import find_pipeline_faults
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task

FAULTS, MAKESPAN, BUBBLE = "what is wrong with the orders", "makespan", "bubble"
PEAK = "micro-batches held at the peak, by stage"


def one_f_one_b_order(
    *,
    stages: int,
    micro_batches: int,
    stage: int,
) -> list[tuple[str, int]]:
    """Return the order in which a stage of 1F1B runs its passes.

    The grader asks for every stage's order, runs them together on the book's
    runner with a forward of 1 and a backward of 2 time units, and looks at the
    makespan, the bubble and the activations that each stage holds.

    Args:
        stages: number of stages, one on each device, at least 1.
        micro_batches: micro-batches of a step, at least 1; there may be fewer
            than stages.
        stage: which stage, from 0; stage 0 gets the inputs.

    Returns:
        One pair for each pass, in order: ``("F", 0)`` is the forward of
        micro-batch 0, ``("B", 0)`` its backward.

    >>> one_f_one_b_order(stages=2, micro_batches=2, stage=0)
    [('F', 0), ('F', 1), ('B', 0), ('B', 1)]
    """
    # p − i − 1 forwards, then one forward and one backward in turn; where forwards run out, backwards go on.
    warmup = min(stages - stage - 1, micro_batches)
    order = [("F", i) for i in range(warmup)]
    for i in range(micro_batches):
        if warmup + i < micro_batches:
            order.append(("F", warmup + i))
        order.append(("B", i))
    return order


def asked(function: Callable[..., Any], *, stages: int, micro_batches: int) -> PipelineSchedule:
    """Ask for every stage's order, and make a schedule of them."""
    orders = [function(stages=stages, micro_batches=micro_batches, stage=stage) for stage in range(stages)]
    tasks = tuple(tuple(Task(kind, i, stage) for kind, i in order) for stage, order in enumerate(orders))
    return PipelineSchedule("answer", tasks, (tuple(range(stages)),), (0,) * micro_batches, splits_backward=False)


def chart(function: Callable[..., Any], *, stages: int, micro_batches: int) -> list[Panel]:
    """Draw the run of an answer's orders."""
    from snippets.parallelism.pipeline.gantt import gantt_panel

    schedule = asked(function, stages=stages, micro_batches=micro_batches)
    return [gantt_panel(run_pipeline(schedule, {"F": 1, "B": 2}), title="your orders, run together")]


def run_orders(function: Callable[..., Any], *, stages: int, micro_batches: int) -> Observation:
    """Run every stage's order together with the others'."""
    try:
        schedule = asked(function, stages=stages, micro_batches=micro_batches)
    except (TypeError, ValueError) as error:
        return {FAULTS: str(error)}
    if faults := find_pipeline_faults(schedule):
        return {FAULTS: faults[0]}
    line = run_pipeline(schedule, {"F": 1, "B": 2})
    return {
        FAULTS: "nothing",
        MAKESPAN: line.makespan_s,
        BUBBLE: Fraction(sum(line.idle_s)) / (stages * line.makespan_s),
        PEAK: list(line.peak_activations),
    }


def cost_of_1f1b(stages: int, micro_batches: int) -> Observation:
    """Return what the closed forms of the chapter say about 1F1B."""
    sizes = {"stages": stages, "micro_batches": micro_batches}
    return {
        FAULTS: "nothing",
        MAKESPAN: int(pipeline.pipeline_step_time_s(forward_s=1, backward_s=2, **sizes)),
        BUBBLE: Fraction(stages - 1, micro_batches + stages - 1),
        PEAK: [pipeline.one_f_one_b_peak_activations(stage=stage, **sizes) for stage in range(stages)],
    }


def drawn(chance: Random) -> list[Inputs]:
    """Return pipelines of up to seven stages, with fewer and more micro-batches than these."""
    return [{"stages": chance.randint(1, 7), "micro_batches": chance.randint(1, 12)} for _ in range(30)]


EXERCISE = Exercise(
    one_f_one_b_order,
    number=3,
    asked="each stage's order of 1F1B, run together with a forward of 1 and a backward of 2 time units",
    expected=cost_of_1f1b,
    observe=run_orders,
    picture=chart,
    examples=[{"stages": p, "micro_batches": m} for p, m in ((2, 2), (1, 3), (3, 1), (4, 2), (1, 1), (4, 8))],
    inputs=[{"stages": stages, "micro_batches": many} for stages in range(1, 6) for many in range(1, 9)],
    drawn=drawn,
    units={MAKESPAN: "time units", BUBBLE: "of the step"},
    mistakes=[
        Mistake(
            "writes_gpipe",
            "All forwards before all backwards is GPipe: the bubble is the same, but every stage holds every "
            "micro-batch.",
            {"min(stages - stage - 1, micro_batches)": "micro_batches"},
        ),
        Mistake(
            "warms_up_too_little",
            "The warm-up is one forward too short, so that the stage waits for each gradient: stage i runs p − i − 1 "
            "forwards before its first pair.",
            {"stages - stage - 1": "max(0, stages - stage - 2)"},
        ),
        Mistake(
            "warms_up_too_long",
            "The warm-up is one forward too long: p − i forwards and then a pair of which the forward comes first "
            "hold one micro-batch more than needed.",
            {"stages - stage - 1": "stages - stage"},
        ),
        Mistake(
            "warms_up_all_alike",
            "Every stage warms up as long as the first; a stage nearer to the end gets its first gradient earlier and "
            "needs a shorter warm-up.",
            {"stages - stage - 1": "stages - 1"},
        ),
        Mistake(
            "counts_from_the_wrong_end",
            "The warm-up is counted from the wrong end: the first stage waits longest for a gradient, the last never.",
            {"stages - stage - 1": "stage"},
        ),
        Mistake(
            "warms_up_with_micro_batches_that_do_not_exist",
            "There can be fewer micro-batches than the warm-up wants; a forward of a micro-batch that does not exist "
            "is in the order.",
            {"min(stages - stage - 1, micro_batches)": "stages - stage - 1"},
        ),
        Mistake(
            "stops_with_the_last_forward",
            "When the forwards have run out, backwards are left: one for each of the warm-up.",
            {"return order": "return order[: 2 * micro_batches - warmup]"},
        ),
        Mistake(
            "runs_the_newest_first",
            "This runs the backward of the newest micro-batch first; gradients come back in the order in which the "
            "micro-batches were sent, so the oldest is first.",
            {
                'order.append(("B", i))': 'order.append(("B", max(j for kind, j in order if kind == "F" '
                'and ("B", j) not in order)))'
            },
        ),
        Mistake(
            "runs_one_micro_batch",
            "This is right for one input only: one stage and one micro-batch.",
            lambda **_: [("F", 0), ("B", 0)],
        ),
    ],
)
