"""Chapter 35: waterfall, statistics, waits, the simulated step and its traces, against what is not themselves."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from fractions import Fraction
from itertools import count, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.flops import flops_utilization
from snippets.memory.offloading.lanes import LaneTask, run_lanes
from snippets.synthesis.profiling.formulas import (
    collective_waits_s,
    most_saved_s,
    step_statistics,
    steps_to_see_change,
    straggler_cost_s,
    utilization_waterfall,
)
from snippets.synthesis.profiling.measured_steps import BLOCKS, MEASURED_STEPS_MS, RUN_STOP_MS
from snippets.synthesis.profiling.programs import (
    SLOW_LOADER,
    SLOW_STEPS,
    ProfiledJob,
    critical_tasks,
    kineto_run,
    kineto_traces,
    simulated_step,
)
from snippets.synthesis.profiling.traces import read_trace, step_budgets, who_arrives_last

few = settings(max_examples=40, deadline=None)
jobs = st.builds(
    ProfiledJob,
    layers=st.integers(1, 4),
    matmul_us=st.integers(1, 30),
    attention_us=st.integers(1, 12).map(lambda half: 2 * half),
    other_us=st.integers(0, 9),
    head_us=st.integers(0, 9),
    gap_us=st.integers(0, 9),
    gather_us=st.integers(1, 40),
    update_us=st.integers(0, 9),
    loader_us=st.lists(st.integers(0, 60), min_size=1, max_size=4).map(tuple),
    prefetch=st.booleans(),
)


@given(
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.floats(0.1, 1),
    st.floats(0.1, 1),
    st.floats(0, 0.4),
    st.floats(0, 0.5),
)
def test_the_waterfall_adds_up_and_begins_with_the_mfu(
    parts: list[float], reach: float, good: float, again: float, idle: float
) -> None:
    good = max(good, reach)
    names = ("other_kernel_s", "copies_s", "transfer_s", "waiting_s", "bubble_s", "data_s")
    matmul_s, attention_s = 30.0 * (1 + again) / (100 * reach), 20.0 / (100 * reach)
    step = matmul_s + attention_s + sum(parts) + idle
    bars = utilization_waterfall(
        step_s=step,
        peak_flops_per_s=100.0,
        matmul_flops=30.0,
        matmul_s=matmul_s,
        attention_flops=20.0,
        attention_s=attention_s,
        recomputed_flops=30.0 * again,
        achievable_share=good,
        **dict(zip(names, parts, strict=True)),
    )
    assert math.isclose(math.fsum(bar.share for bar in bars), 1, abs_tol=1e-9)
    mfu = flops_utilization(flops=50.0, seconds=step, devices=1, peak_flops_per_s=100.0)
    assert math.isclose(bars[0].share, mfu, rel_tol=1e-9)
    assert math.isclose(bars[-1].seconds, idle, abs_tol=1e-9)
    kernels = sum(bar.seconds for bar in bars[:5])
    assert math.isclose(kernels, matmul_s + attention_s, rel_tol=1e-9)


def test_each_loss_is_what_its_removal_saves_in_the_simulation() -> None:
    """Take one effect after the other out of the simulated step: the differences are the waterfall's bars."""
    traces = [read_trace(text) for text in kineto_traces(SLOW_LOADER)]
    budget, late = step_budgets(traces[0])[0], who_arrives_last(traces)[0]
    peak = 989.4e12
    matmul_flops = 0.65 * peak * budget.matmul_s
    bars = {
        bar.name: 1e6 * bar.seconds
        for bar in utilization_waterfall(
            step_s=budget.step_s,
            peak_flops_per_s=peak,
            matmul_flops=matmul_flops,
            matmul_s=budget.matmul_s,
            achievable_share=0.7,
            other_kernel_s=budget.other_kernel_s,
            attention_s=budget.attention_s,
            transfer_s=budget.exposed_communication_s - late.waits_s[0],
            waiting_s=late.waits_s[0],
            data_s=budget.data_s,
        )
    }
    job, now = SLOW_LOADER, simulated_step(SLOW_LOADER).end_us
    for name, change, left_us in (
        ("waiting for other ranks", {"loader_us": (job.loader_us[0],) * 8}, 0),
        ("waiting for data", {"loader_us": (0,) * 8}, 0),
        ("exposed transfers", {"prefetch": True}, 3 * job.gather_us),
        ("idle", {"gap_us": 0}, 0),
        ("other kernels", {"other_us": 0, "update_us": 0}, job.gather_us * (2 * job.layers)),
    ):
        job = replace(job, **change)
        saved = now - simulated_step(job).end_us
        now -= saved
        assert abs(saved - bars[name]) <= left_us + 5, name
    slower = replace(job, matmul_us=round(job.matmul_us * 0.65 / 0.7), head_us=round(job.head_us * 0.65 / 0.7))
    assert abs(now - simulated_step(slower).end_us - bars["matmuls below good ones"]) < 100


def test_the_waterfall_refuses_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="matmul_s must be at least 1, the time of"):
        utilization_waterfall(step_s=3, peak_flops_per_s=10, matmul_flops=10, matmul_s=0.9)
    with pytest.raises(ValueError, match=r"step_s must be at least the sum of its parts \(matmul_s 1\.5, .*data_s 2\)"):
        utilization_waterfall(step_s=3, peak_flops_per_s=10, matmul_flops=10, matmul_s=1.5, data_s=2)


@few
@given(jobs)
def test_budgets_are_those_of_every_microsecond(job: ProfiledJob) -> None:
    step = simulated_step(job)
    for rank, text in enumerate(kineto_traces(job)):
        compute, talk, data = (np.zeros(step.end_us, bool) for _ in range(3))
        for number, (task, when) in enumerate(zip(step.tasks, step.times, strict=True)):
            span = slice(int(when.start_s), int(when.end_s))
            if task.lane == f"rank {rank}" and task.name != "gap":
                compute[span] = True
            elif task.lane == f"loader {rank}":
                data[span] = True
            elif number in step.arrivals_us:
                talk[step.arrivals_us[number][rank] : int(when.end_s)] = True
        budget = step_budgets(read_trace(text))[0]
        kernels = budget.matmul_s + budget.attention_s + budget.other_kernel_s
        found = [kernels, budget.exposed_communication_s, budget.data_s, budget.idle_s, budget.hidden_communication_s]
        wanted = [
            compute.sum(),
            (talk & ~compute).sum(),
            (data & ~compute & ~talk).sum(),
            (~compute & ~talk & ~data).sum(),
            (talk & compute).sum(),
        ]
        assert [round(1e6 * seconds) for seconds in found] == wanted
        assert sum(wanted[:4]) == step.end_us


@few
@given(jobs)
def test_waits_are_the_loaders_lateness(job: ProfiledJob) -> None:
    step = simulated_step(job)
    waits = [
        sum(last - own for own, last in zip(arrivals, [max(arrivals)] * job.ranks, strict=True))
        for arrivals in step.arrivals_us.values()
    ]
    assert sum(waits) == sum(max(job.loader_us) - own for own in job.loader_us)
    first = step.arrivals_us[job.ranks]
    assert collective_waits_s(first) == tuple(max(job.loader_us) - own for own in job.loader_us)
    if job.ranks > 1:
        others = [
            simulated_step(replace(job, loader_us=job.loader_us[:r] + job.loader_us[r + 1 :])).end_us
            for r in range(job.ranks)
        ]
        assert straggler_cost_s(first) == step.end_us - min(others)
        found = who_arrives_last([read_trace(text) for text in kineto_traces(job)])[0]
        assert [round(1e6 * wait) for wait in found.waits_s] == [round(wait) for wait in collective_waits_s(first)]


@few
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_the_critical_path_is_the_longest_chain(dice: Random, count: int) -> None:
    tasks = [
        LaneTask(
            "", dice.choice("AB"), dice.randint(0, 5), tuple(sorted(dice.sample(range(k), min(k, dice.randint(0, 2)))))
        )
        for k in range(count)
    ]
    path = critical_tasks(tasks)
    times = run_lanes(tasks)
    assert sum(tasks[number].seconds for number in path) == max(when.end_s for when in times)
    for one, two in pairwise(path):
        assert times[one].end_s == times[two].start_s
        assert one in tasks[two].after or tasks[one].lane == tasks[two].lane
    # The order on each lane held fast, the end is the longest path through the dependences, found by all lengths.
    lane_before: dict[int, int] = {}
    for lane in "AB":
        in_order = sorted(
            (n for n in range(count) if tasks[n].lane == lane), key=lambda n: (times[n].start_s, times[n].end_s, n)
        )
        lane_before |= dict(zip(in_order[1:], in_order, strict=False))
    reach: list[Any] = [0] * count
    for number in sorted(range(count), key=lambda n: (times[n].start_s, times[n].end_s, n)):
        before = [*tasks[number].after, *([lane_before[number]] if number in lane_before else [])]
        reach[number] = tasks[number].seconds + max((reach[other] for other in before), default=0)
    assert max(reach) == max(when.end_s for when in times)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=40))
def test_statistics_are_those_of_the_library(times: list[int]) -> None:
    found = step_statistics(times)
    assert found.median_s == statistics.median(times)
    assert math.isclose(found.mean_s, statistics.fmean(times))
    assert math.isclose(found.deviation_s, statistics.stdev(times), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(found.standard_error_s**2 * len(times), found.deviation_s**2, rel_tol=1e-9, abs_tol=1e-9)
    assert found.slow_s == min(t for t in times if sum(other <= t for other in times) >= 0.95 * len(times))
    if found.deviation_s:
        off = np.array(times) - np.mean(times)
        assert math.isclose(found.autocorrelation, float(off[:-1] @ off[1:] / (off @ off)), abs_tol=1e-9)


@given(gain=st.floats(0.01, 1), spread=st.floats(0, 0.2), errors=st.floats(0.5, 4))
def test_steps_are_the_fewest_whose_difference_is_that_many_standard_errors(
    gain: float, spread: float, errors: float
) -> None:
    fewest = next(s for s in count(1) if gain * (1 + 1e-9) >= errors * math.sqrt(2 * spread**2 / s))
    assert abs(steps_to_see_change(relative_deviation=spread, change=gain, sigmas=errors) - fewest) <= (
        1 if fewest > 1 else 0
    )


def test_the_steps_that_are_needed_show_the_change() -> None:
    """Draw many pairs of runs: without a change 1 in 20 seem to differ, and with it half of them do."""
    dice = np.random.default_rng(35)
    steps = steps_to_see_change(relative_deviation=0.015, change=0.01)
    assert steps == 18
    before = dice.normal(1, 0.015, (20_000, steps)).mean(1)
    after = dice.normal(1, 0.015, (20_000, steps)).mean(1)
    assert abs((np.abs(before - after) >= 0.01).mean() - 0.0455) < 0.006
    assert abs((before - after + 0.01 >= 0.01).mean() - 0.5) < 0.02
    assert steps_to_see_change(relative_deviation=0.0, change=0.01) == 1
    assert steps_to_see_change(relative_deviation=0.01, change=0.02) == Fraction(2)


def test_the_logged_steps_fill_their_blocks() -> None:
    """The steps were copied by hand from the log: the time stamps, which the steps do not use, say if rightly."""
    done = 0
    for block in BLOCKS:
        steps = MEASURED_STEPS_MS[done : done + block.steps]
        done += block.steps
        assert 0 <= sum(steps) - (block.last_step_ms - block.start_ms) <= 60
    assert done == len(MEASURED_STEPS_MS) == 270
    assert BLOCKS[-1].evaluated_ms < RUN_STOP_MS
    assert abs(statistics.median(MEASURED_STEPS_MS) / 1e3 - 2.2272) < 5e-4
    assert abs(statistics.stdev(MEASURED_STEPS_MS) / 1e3 - 0.573) < 1e-3


def test_what_is_saved_is_amdahls() -> None:
    assert most_saved_s(slice_s=3.0, times_faster=math.inf) == 3.0
    for factor in (1.0, 1.5, 4.0):
        assert math.isclose(10 - most_saved_s(slice_s=3.0, times_faster=factor), 7 + 3 / factor)
    with pytest.raises(ValueError, match=r"times_faster must be at least 1, got 0\.5"):
        most_saved_s(slice_s=3.0, times_faster=0.5)


@few
@given(jobs, st.data())
def test_each_step_of_a_run_is_that_step_alone(job: ProfiledJob, data: st.DataObject) -> None:
    waits = st.tuples(*[st.integers(0, 60)] * job.ranks)
    steps = [job, *(replace(job, loader_us=data.draw(waits)) for _ in range(2))]
    run = [read_trace(text) for text in kineto_run(steps)]
    for rank, trace in enumerate(run):
        for number, (step, budget) in enumerate(zip(steps, step_budgets(trace), strict=True)):
            alone = step_budgets(read_trace(kineto_traces(step)[rank]))[0]
            assert budget.number == 12 + number
            assert [round(1e6 * spent) for spent in budget.parts.values()] == [
                round(1e6 * spent) for spent in alone.parts.values()
            ]
    assert SLOW_STEPS[0] == SLOW_LOADER
    with pytest.raises(ValueError, match="jobs must have the same ranks, got 1, 2"):
        kineto_run([ProfiledJob(loader_us=(0,)), ProfiledJob(loader_us=(0, 0))])
