"""The live pipeline: what it says of a schedule is what the checker's graph, a recount and the closed forms say."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.parallelism.pipeline import live as module
from snippets.parallelism.pipeline import schedules
from snippets.parallelism.pipeline.checker import find_timeline_faults
from snippets.parallelism.pipeline.formulas import (
    interleaved_bubble_share,
    interleaved_peak_activations,
    pipeline_bubble_overhead,
)
from snippets.parallelism.pipeline.live import pipeline_schedule
from snippets.parallelism.pipeline.runner import run_pipeline
from tests.live.checking import assert_draws

SCHEDULES = list(module._KINDS)
TIMES = ("forward", "input_gradient", "weight_gradient")
SINGLE = ("gpipe", "one_f_one_b", "interleaved")


def said(numbers: str) -> tuple[float, float, list[float]]:
    """Return the step, the bubble as a share of it in percent, and what devices hold, from the figure's sentences."""
    step = re.search(r"the step takes ([\d.]+),", numbers)
    idle = re.search(r"bubble is ([\d.]+)% of the step, ([\d.]+)% on top", numbers)
    held = re.search(r"at most ([\d., ]+) micro-batches", numbers)
    assert step, numbers
    assert idle, numbers
    assert held, numbers
    return float(step[1]), float(idle[1]), [float(count) for count in held[1].split(", ")]


def test_the_first_picture_says_what_the_chapter_says() -> None:
    assert pipeline_schedule().numbers == (
        "1F1B: the step takes 33, of which each device works 24. The bubble is 27.3% of the step, 37.5% on top of the "
        "work. Devices 0 to 3 hold at most 4, 3, 2, 1 micro-batches."
    )
    interleaved = pipeline_schedule(schedule="interleaved").numbers
    assert "takes 28.5" in interleaved
    assert "at most 5.5," in interleaved


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("chunks", [2, 4])
@pytest.mark.parametrize(("stages", "micro_batches"), [(8, 32), (16, 48)])
def test_the_largest_charts_are_lean(schedule: str, chunks: int, stages: int, micro_batches: int) -> None:
    size = {"stages": stages, "micro_batches": micro_batches, "chunks": chunks}
    assert_draws(pipeline_schedule, {"schedule": schedule, **size})
    assert pipeline_schedule(**size).limits["chunks"] == (2 if stages == 16 else 4)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"schedule": "interleaved", "micro_batches": 10},
            "Interleaved needs m a multiple of p, and here p = 4 and m = 10.",
        ),
        ({"schedule": "interleaved", "stages": 16, "micro_batches": 47}, "and here p = 16 and m = 47."),
    ],
)
def test_what_a_schedule_does_not_allow_is_refused_with_its_reason(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        pipeline_schedule(**change)
    others = pipeline_schedule(**(change | {"schedule": "gpipe"})).panels[2].svg()
    assert "needs " in others


@st.composite
def sizes(draw: st.DrawFn) -> dict[str, Any]:
    stages = draw(st.integers(2, 8))
    micro_batches = draw(
        st.one_of(st.integers(1, 32), st.sampled_from([stages * k for k in range(1, 32 // stages + 1)]))
    )
    times = {name: draw(st.integers(1, 4)) for name in TIMES}
    return {"stages": stages, "micro_batches": micro_batches, "chunks": draw(st.integers(2, 4)), **times}


@settings(max_examples=examples(60), deadline=None)
@given(sizes(), st.sampled_from(SINGLE))
def test_the_bubble_of_unsplit_schedules_is_the_closed_form(size: dict[str, Any], schedule: str) -> None:
    if schedule == "interleaved" and size["micro_batches"] % size["stages"]:
        return
    shape = {"stages": size["stages"], "micro_batches": size["micro_batches"]}
    cut = shape | {"chunks": size["chunks"] if schedule == "interleaved" else 1}
    numbers = pipeline_schedule(schedule=schedule, **size).numbers
    assert f"{interleaved_bubble_share(**cut):.1%} of the step, {pipeline_bubble_overhead(**cut):.1%} on top" in numbers
    held = said(numbers)[2]
    if schedule == "gpipe":
        assert set(held) == {size["micro_batches"]}
    elif schedule == "one_f_one_b":
        counts = [min(size["micro_batches"], size["stages"] - stage) for stage in range(size["stages"])]
        assert held == (counts if len(set(counts)) > 1 else counts[:1])
    else:
        first = interleaved_peak_activations(**cut) / size["chunks"]
        assert held[0] == pytest.approx(float(first), rel=5e-3)


@settings(max_examples=examples(80), deadline=None)
@given(sizes(), st.sampled_from(SCHEDULES), st.integers(0, 600))
def test_the_picture_is_what_the_judge_and_a_recount_say(size: dict[str, Any], schedule: str, moment: int) -> None:
    run = module._run(schedule, module._Sizes(**size))
    if run is None:
        with pytest.raises(ValueError, match="needs"):
            pipeline_schedule(schedule=schedule, moment=moment, **size)
        return
    line, made, fine = run.timeline, run.timeline.schedule, size["chunks"] if schedule == "interleaved" else 1
    whole = {"F": size["forward"], "W": size["weight_gradient"]}
    whole["B"] = size["input_gradient"] + (0 if made.splits_backward else size["weight_gradient"])
    faults = find_timeline_faults(
        made, start_s=line.start_s, end_s=line.end_s, duration_s=lambda device, task: whole[task.kind]
    )
    assert not faults
    picture = pipeline_schedule(schedule=schedule, moment=moment, **size)
    step, idle, held = said(picture.numbers)
    last = max(end for ends in line.end_s for end in ends) / fine
    assert step == pytest.approx(last, rel=5e-4)
    assert picture.limits["moment"] == int(last)
    work = size["micro_batches"] * (size["forward"] + size["input_gradient"] + size["weight_gradient"])
    assert idle == pytest.approx(100 * (1 - work / last), abs=0.051)
    # What is held, counted task by task at the start of each: a device runs one at a time.
    release = "W" if made.splits_backward else "B"
    counts = [[0] for _ in made.orders]
    for device, order in enumerate(made.orders):
        for task in order:
            counts[device].append(counts[device][-1] + (task.kind == "F") - (task.kind == release))
    peaks = [max(row) / fine for row in counts]
    assert held == pytest.approx(peaks if len(set(peaks)) > 1 else peaks[:1], rel=5e-3)
    now = min(moment, int(last)) * fine
    for device, order in enumerate(made.orders):
        begun = sum(task.kind == "F" and start <= now for task, start in zip(order, line.start_s[device], strict=True))
        ended = sum(task.kind == release and end <= now for task, end in zip(order, line.end_s[device], strict=True))
        assert run.held(now // fine)[device] * fine == begun - ended


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_step_outlasts_the_moments(schedule: str) -> None:
    """The slider of the moment reaches the end of every step."""
    for stages, micro_batches, *times in product((2, 7, 16), (1, 14, 48), (1, 4), (1, 4), (1, 4)):
        size = {"stages": stages, "micro_batches": micro_batches, "chunks": 2, **dict(zip(TIMES, times, strict=True))}
        run = module._run(schedule, module._Sizes(**size))
        assert run is None or run.step <= module._LATEST


def test_every_schedule_of_the_main_line_is_there() -> None:
    """Those of two directions stand in a side road."""
    assert {*SCHEDULES, "chimera", "dualpipe", "dualpipev"} == set(schedules.BUILDERS)


@settings(max_examples=examples(60), deadline=None)
@given(sizes(), st.sampled_from(SCHEDULES))
def test_what_is_compared_is_what_runs(size: dict[str, Any], schedule: str) -> None:
    """The table's closed forms against the runner."""
    drawn = module._Sizes(**size)
    cost, run = module._cost(schedule, drawn), module._run(schedule, drawn)
    assert (cost is None) == (run is None)
    if cost and run:
        assert cost == (run.step, max(run.peaks))


def test_the_compared_steps_are_those_of_the_runner() -> None:
    svg = pipeline_schedule(stages=4, micro_batches=8).panels[2].svg()
    for schedule, lengths, name in (
        (schedules.gpipe(stages=4, micro_batches=8), {"F": 1, "B": 2}, "GPipe"),
        (schedules.zb_h1(stages=4, micro_batches=8), {"F": 1, "B": 1, "W": 1}, "ZB-H1"),
    ):
        line = run_pipeline(schedule, lengths)
        row = svg[svg.index(f">{name}<") :]
        assert re.findall(r">([\d.]+%?)<", row)[:2] == [
            f"{float(line.idle_share):.1%}",
            f"{max(line.peak_activations)}",
        ]
