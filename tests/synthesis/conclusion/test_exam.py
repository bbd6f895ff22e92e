"""The final exam: every task can be solved, every mistake is true where it is said, and no text can break it."""

from __future__ import annotations

import contextlib
import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import sampled

from snippets.composition.configuration_search.candidates import KEEPS, Limits
from snippets.composition.configuration_search.clusters import Cluster, cluster_constants
from snippets.composition.configuration_search.planner import DAY_S, Plan, layout_plan, plan, planned_job
from snippets.composition.configuration_search.search import search_layouts
from snippets.composition.configuration_search.written_layouts import layout_line, read_layout
from snippets.composition.failures.formulas import checkpoint_bytes
from snippets.composition.layer_times import layer_products
from snippets.composition.rank_memory import layer_kept_bytes
from snippets.composition.step_constants import device_constants
from snippets.foundations.economics.formulas import goodput_share
from snippets.models import parameter_count
from snippets.synthesis.conclusion import exam_judging
from snippets.synthesis.conclusion.exam import (
    exam_answers,
    exam_certificate,
    exam_form,
    graded_exam,
    unread_lines,
)
from snippets.synthesis.conclusion.exam_answers import MOST_CHARACTERS, one_line, read_answer
from snippets.synthesis.conclusion.exam_judging import (
    best_answer,
    cost_points,
    judged_answer,
    late_points,
    solution_lines,
)
from snippets.synthesis.conclusion.exam_layouts import (
    _NARROW,
    FREE_SHARE,
    ExamJob,
    best_plan,
    exam_plan,
    layout_parts,
    lost_seconds,
    single_changes,
)
from snippets.synthesis.conclusion.exam_mistakes import WORTH, layout_mistakes, pair_mistake
from snippets.synthesis.conclusion.exam_sheet import allowed_keeps, element_wise_s, word_rows
from snippets.synthesis.conclusion.exam_tables import REPAIRS as REPAIR_ROWS
from snippets.synthesis.conclusion.exam_tasks import (
    INVARIANTS,
    KINDS,
    MOST_SEED,
    PASS_POINTS,
    TASK_POINTS,
    ExamDeadline,
    ExamTask,
    all_tasks,
    exam_tasks,
)
from snippets.version import BOOK_VERSION

ROOT = Path(__file__).parents[3]
TASKS = all_tasks()
REPAIRS = [task for task in TASKS if task.kind == "repair"]
DEADLINES = [task for task in TASKS if task.kind == "deadline"]
OWN = ExamTask(
    4,
    "deadline",
    ExamJob("Llama 3 70B", "DGX H100", 64, 8192, 768),
    deadline=ExamDeadline((("DGX H100", 2.5), ("DGX B200", 5.8)), (16, 24, 32, 48, 64), 1e12, 45, 60, 3600, 5e9),
)
JOB = ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512)
FAILED = {"failures forgotten", "no room for failures", "late by its interval"}
MOE = ExamJob("Mixtral 8x22B", "DGX H100", 16, 8192, 512)


def name_of(task: ExamTask) -> str:
    return f"{task.kind}-{task.job.model_name}-{task.job.nodes}-{task.job.batch_sequences}-{task.layout}"


@cache
def told(task: ExamTask, answer: str) -> dict[str, str]:
    """Return the mistakes that are named of an answer: name → sentence."""
    return {mistake.name: mistake.sentence for mistake in judged_answer(task, answer).mistakes}


def fit(job: ExamJob = JOB) -> ExamTask:
    return ExamTask(1, "experts" if job.model.experts else "fit", job)


# The tasks.


@pytest.mark.parametrize("task", sampled(TASKS, 25), ids=name_of)
def test_every_task_can_be_solved_and_the_best_answer_is_accused_of_nothing(task: ExamTask) -> None:
    verdict = judged_answer(task, best_answer(task))
    assert verdict.points == TASK_POINTS
    assert verdict.mistakes == ()
    assert verdict.ratio == pytest.approx(1)


def test_seeds_draw_five_kinds_from_the_listed_tasks_and_all_of_them_come_up() -> None:
    bare = {(task.kind, task.job, task.deadline, task.layout) for task in TASKS}
    seen = set()
    for seed in range(2000):
        tasks = exam_tasks(seed)
        assert [task.kind for task in tasks] == list(KINDS)
        assert [task.number for task in tasks] == [1, 2, 3, 4, 5]
        assert len({task.job.model_name for task in tasks[:3]}) == 3
        seen |= {(task.kind, task.job, task.deadline, task.layout) for task in tasks}
    assert seen == bare


def test_a_seed_draws_the_same_tasks_in_another_process_and_as_it_did() -> None:
    code = "from snippets.synthesis.conclusion.exam_tasks import exam_tasks; print([exam_tasks(s) for s in range(31)])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, env={"PYTHONHASHSEED": "5"}
    )
    assert done.stdout.strip() == str([exam_tasks(seed) for seed in range(31)])
    # Whoever changes the tables changes the tasks behind every certificate, and has to give the book a new version.
    drawn = [(task.job.model_name, task.job.nodes, task.layout) for task in exam_tasks(7)]
    assert drawn == [
        ("Llama 2 70B", 32, ""),
        ("Mistral Small 24B", 4, ""),
        ("Mixtral 8x7B", 8, ""),
        ("Gemma 2 27B", 32, ""),
        ("DeepSeek-V3", 2, "t=4 p=8 d=4 e=16 b=2 zero=1 recompute=full"),
    ]


def test_there_are_many_jobs_of_each_kind() -> None:
    kinds = [task.kind for task in TASKS]
    assert {kind: kinds.count(kind) >= least for kind, least in zip(KINDS, (72, 66, 36, 21, 54), strict=True)} == (
        dict.fromkeys(KINDS, True)
    )
    assert len(set(TASKS)) == len(TASKS)


# What somebody could write without looking at the job: a layout, with an axis for contexts and one for experts.
PLAIN = (
    "zero=3 recompute=some",
    "zero=3 recompute=full",
    "zero=3",
    "zero=1 recompute=full",
    "t=2 zero=3 recompute=some",
    "t=2 zero=1 recompute=some",
    "t=4 zero=2 recompute=some",
    "t=8 zero=3 recompute=some",
    "t=8 zero=1 recompute=some",
    "t=8 p=2 zero=1 recompute=some",
    "t=8 p=4 zero=1 recompute=some",
    "t=8 p=4 zero=1 recompute=full",
    "t=8 p=8 zero=1 recompute=full",
    "t=4 p=4 zero=1 recompute=some",
    "t=2 p=4 zero=1 recompute=some",
)


def habits(task: ExamTask, layout: str, context: int, expert: int) -> str:
    """Return what somebody writes from habit: the same layout everywhere, the middle offer, and no more sharding."""
    if "some" in layout and "some" not in allowed_keeps(task.job.model):
        layout = layout.replace("some", "full")
    layout += f" c={context}" if task.kind == "long" else f" e={expert}" if task.kind == "experts" else ""
    if task.deadline is not None:
        return f"device={task.devices[0]} nodes={task.deadline.nodes[2]} {layout} interval=60min"
    return f"binds=communication {layout} step=5s" if task.kind == "repair" else layout


@cache
def quick_best(job: ExamJob, *, narrow: bool = False) -> Plan:
    planned = planned_job(job.model, job.cluster, tokens_per_step=job.tokens_per_step, sequence=job.sequence)
    found = search_layouts(planned, limits=Limits(**_NARROW) if narrow else Limits(), most=1)  # type: ignore[arg-type]
    if not found.best:
        raise ValueError("job must be one that fits")
    return found.best[0]


def test_no_line_that_is_written_from_habit_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points alone, by the search in arrays; what is wrong with an answer is no matter here."""
    monkeypatch.setattr(exam_judging, "layout_mistakes", lambda *_, **__: ())
    monkeypatch.setattr(exam_judging, "best_plan", quick_best)
    exam_judging._cheapest.cache_clear()
    ways = sampled([(layout, *axes) for layout in PLAIN for axes in ((8, 8), (4, 8), (16, 16), (2, 1))], 12)
    totals: dict[object, list[int]] = {way: [] for way in ways}
    for seed in range(31):
        tasks = exam_tasks(seed)
        for way in ways:
            points = [judged_answer(task, habits(task, *way)).points for task in tasks]
            assert points[:3] != [TASK_POINTS] * 3, (way, seed)
            totals[way].append(sum(points))
    assert max(sum(points) / len(points) for points in totals.values()) <= 60
    assert max(map(max, totals.values())) < PASS_POINTS


def test_the_forms_are_no_answers() -> None:
    for task in TASKS:
        assert judged_answer(task, task.form).points == (4 if _binds(task) == "memory" else 0)
        assert not judged_answer(task, task.form).graded


def _binds(task: ExamTask) -> str:
    if task.kind != "repair":
        return ""
    return next(binds for binds, sizes, line in REPAIR_ROWS if (ExamJob(*sizes), line) == (task.job, task.layout))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None, MOST_SEED + 1])
def test_a_seed_is_an_integer_in_its_range(seed: object) -> None:
    with pytest.raises((ValueError, TypeError), match="seed"):
        exam_tasks(seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", sampled(TASKS, 12), ids=name_of)
def test_a_statement_is_whole_and_its_form_is_an_answer(task: ExamTask) -> None:
    given = dict(task.given)
    assert task.job.model_name in given["model"]
    assert f"{task.job.sequence:,}" in given["a step"]
    assert f"{task.job.batch_sequences:,}" in given["a step"]
    assert all(value and value == value.strip() for value in given.values())
    sheet = dict(task.sheet)
    model = task.job.model
    assert f"hidden {model.hidden:,}" in sheet["sizes"]
    assert f"vocabulary {model.vocabulary:,}" in sheet["sizes"]
    assert f"{model.layers} layers" in sheet["sizes"]
    assert ("some" in sheet["recompute"]) is ("some" in allowed_keeps(model))
    nodes = [name for name, _ in task.deadline.usd_per_gpu_hour] if task.deadline else [task.job.node_name]
    for node in nodes:
        device = Cluster(node, nodes=1).machine.accelerator
        assert f"{0.9 * device.memory_bytes / 1e9:.1f} of {device.memory_bytes / 1e9:.0f} GB" in sheet[device.name]
        assert f"matmuls reach {device_constants(device).matmul_share:.0%}" in sheet[device.name]


@pytest.mark.parametrize("name", sorted({task.job.model_name for task in TASKS}))
def test_what_recompute_may_be_is_what_the_planner_takes(name: str) -> None:
    layout, _ = read_layout("zero=3", gpus=8)
    job = ExamJob(name, "DGX H100", 1, 2048, 8)
    for keep in KEEPS:
        if keep in allowed_keeps(job.model):
            assert exam_plan(job, layout, keep=keep).total_s > 0
        else:
            with pytest.raises(ValueError, match="gated"):
                exam_plan(job, layout, keep=keep)


@pytest.mark.parametrize("job", [JOB, MOE], ids=lambda job: job.model_name)
def test_element_wise_kernels_take_what_half_the_memory_rate_adds(job: ExamJob) -> None:
    """In one micro-batch no sum is kept: half the memory's rate adds these, matmuls' bytes, and the head's logits."""
    node, has = job.cluster, cluster_constants(job.cluster)
    data = job.cluster.gpus // 8
    for keep, passes in (("none", (1, 0)), ("full", (1, 1))):
        layout, _ = read_layout(f"t=8 b={job.batch_sequences // data} zero=1 recompute={keep}", gpus=node.gpus)
        first, slow = (
            layout_plan(
                job.model,
                node,
                layout,
                tokens_per_step=job.tokens_per_step,
                sequence=job.sequence,
                constants=replace(has, memory_share=share),
            ).step.compute
            for share in (has.memory_share, has.memory_share / 2)
        )
        logits = 24.0 * job.tokens_per_step * job.model.vocabulary
        logits /= node.gpus * has.memory_bytes_per_s(node.machine)
        x, model = layout.micro_batch * job.sequence, job.model
        blocks = layer_products(model, tokens=x, layout=layout)
        numbers = (3.0 + passes[1]) * model.layers * sum(one.values for block in blocks for one in block)
        wide = model.vocabulary / layout.tensor
        numbers += 3 * (x * model.hidden + model.hidden * wide + x * wide)
        matmuls = 2 * numbers / has.memory_bytes_per_s(node.machine)
        taken = sum(count * seconds for count, seconds in zip(passes, element_wise_s(job, job.node_name), strict=True))
        assert slow - first == pytest.approx(taken + matmuls + logits, rel=1e-6)


@pytest.mark.parametrize("task", sampled(TASKS, 8), ids=name_of)
def test_what_a_layer_keeps_is_what_the_sheet_says(task: ExamTask) -> None:
    said = dict(task.sheet)["kept"]
    for keep in ("none", "selective", "full"):
        layout, _ = read_layout(f"c=2 zero=3 recompute={keep}", gpus=8)
        kept = layer_kept_bytes(task.job.model, layout, sequence=task.job.sequence) / (task.job.sequence / 2)
        assert f"{kept:,.0f} bytes with {keep}" in said


def test_sizes_that_help_together_are_named_before_what_takes_most() -> None:
    told_pairs = []
    for seed, number, answer in ((11, 3, "p=2 v=8 e=8"), (11, 2, "t=8 c=32 b=4")):
        task = exam_tasks(seed)[number - 1]
        layout, keep = read_layout(answer, gpus=task.job.cluster.gpus)
        pair = pair_mistake(task.job, layout, keep=keep)
        before = exam_plan(task.job, layout, keep=keep).total_s
        single = min(change.plan.total_s for change in single_changes(task.job, layout, keep=keep))
        if pair:
            assert single > (1 - WORTH) * before
            assert judged_answer(task, answer).mistakes[0] == pair
            told_pairs.append(pair.sentence)
    assert any("but p and v do if both change" in said for said in told_pairs)
    assert any("but c and b do if both change" in said for said in told_pairs)


def test_nodes_on_which_nothing_ends_in_time_are_named_and_only_they() -> None:
    task = exam_tasks(11)[3]
    assert task.deadline is not None
    named = told(task, "device=H100 nodes=64 t=2 p=4 v=5 interval=60min")
    late = "nodes on which no layout ends in time"
    assert "ends in time on these 64 nodes: the fastest takes" in named[late]
    for nodes in task.deadline.nodes:
        job = replace(task.job, node_name="DGX H100", nodes=nodes)
        shortest = best_plan(job).step.run_s(task.deadline.run_tokens) / DAY_S
        if late in told(task, f"device=H100 nodes={nodes} t=8 p=4 zero=3 recompute=full interval=60min"):
            assert shortest > 0.8 * task.deadline.days
    assert late not in told(task, best_answer(task))


def test_a_layout_that_can_be_read_but_not_run_is_called_so() -> None:
    for answer in ("t=8 p=16 d=4", "t=3 p=5", "t=8 zero=4", "t=8 v=2", "t=2 e=2"):
        assert judged_answer(fit(), answer).said == "It can't run."
    for answer in ("binds=compute t=8", "device=H100", "nan=nan", "t=x", "hello", "recompute=all"):
        assert judged_answer(fit(), answer).said == "It can't be read."
    assert "must name t, p, v, c, d, e, b, zero or recompute in this task, got 'binds'" in str(
        judged_answer(fit(), "binds=compute t=8").mistakes
    )


def test_seconds_are_said_in_units_that_can_be_read() -> None:
    task = ExamTask(5, "repair", JOB, layout="t=4 p=2 d=32 zero=1 recompute=full")
    verdict = judged_answer(task, "binds=compute t=4 p=2 zero=1 recompute=some step=43min")
    assert "you predicted 43 minutes" in verdict.said
    assert "43 minutes are" in str(verdict.mistakes)
    assert "times the" in str(verdict.mistakes)


def test_the_words_of_recompute_are_all_defined() -> None:
    assert [name for name, _ in word_rows()[:4]] == [f"recompute={keep}" for keep in KEEPS]


def test_the_best_layout_is_that_of_the_planner_itself() -> None:
    """`best_plan` beside `plan`, with the defaults of the page Planner."""
    for task in sampled([task for task in TASKS if task.kind in KINDS[:3]], 2):
        job = task.job
        found = plan(job.model, job.cluster, tokens_per_step=job.tokens_per_step, sequence=job.sequence, most=1).best[0]
        assert layout_line(found.layout, keep=found.keep) == best_answer(task)
        assert found.job.recipe.name == "mixed-adam"  # 16 bytes for a parameter, as the task says
        assert found.job.free_share == FREE_SHARE


# Deadlines.


@pytest.mark.parametrize("task", sampled(DEADLINES, 5), ids=lambda task: f"{name_of(task)}-{task.deadline.days}")
def test_the_cheapest_rent_is_the_cheapest_by_hand_and_failures_decide_it(task: ExamTask) -> None:
    """All offers, each with `plan`'s layout and the best of 400 intervals; and what would do if nothing failed."""
    terms, own = task.deadline, task.job
    assert terms is not None
    in_time, calm_in_time, others = [], [], []
    checkpoint_s = checkpoint_bytes(parameter_count(own.model)) / terms.storage_bytes_per_s
    for node, usd in terms.usd_per_gpu_hour:
        for count in terms.nodes:
            job = ExamJob(own.model_name, node, count, own.sequence, own.batch_sequences)
            try:
                found = best_plan(job, narrow=True)
            except ValueError:
                continue
            calm = found.total_s * terms.run_tokens / own.tokens_per_step / DAY_S
            share = max(
                goodput_share(
                    interval_s=30.0 * (tick + 1),
                    checkpoint_s=checkpoint_s,
                    restart_s=terms.restart_s,
                    mtbf_s=terms.node_mtbf_days * DAY_S / count,
                )
                for tick in range(600)
            )
            cost = usd * 8 * count * terms.days * 24
            assert job.cluster.gpus == 8 * count
            others.append((cost, calm / share))
            if calm / share <= terms.days:
                in_time.append((cost, calm / share))
            if calm <= terms.days:
                calm_in_time.append(cost)
    cost, elapsed = min(in_time)
    assert min(calm_in_time) < cost  # who forgets failures rents too little
    assert all(late > 1.02 * terms.days for usd, late in others if usd < cost)  # no cheaper one just misses the term
    assert elapsed < 0.95 * terms.days  # and the right rent leaves room for a layout that is not the very best
    said = judged_answer(task, best_answer(task)).said
    assert f"{float(f'{cost:.3g}'):,.0f} dollars, as cheap as" in said


def answers_on_every_offer(task: ExamTask) -> list[str]:
    """Return answers with the layout of the cheapest rent, which other offers need not run, and with their own best."""
    terms, own = task.deadline, task.job
    assert terms is not None
    shared = re.sub(r"device=\S+ nodes=\S+ | ?interval=\S+| ?\bd=\d+", "", best_answer(task))
    answers = []
    for node, _ in terms.usd_per_gpu_hour:
        for count in terms.nodes:
            layouts = [shared]
            with contextlib.suppress(ValueError):  # nothing fits on so few
                found = best_plan(replace(own, node_name=node, nodes=count), narrow=True)
                layouts.append(layout_line(found.layout, keep=found.keep))
            answers += [f"device={node.split()[-1]} nodes={count} {each} interval=120min" for each in layouts]
    return answers


@pytest.mark.parametrize("task", sampled(DEADLINES, 5), ids=lambda task: f"{name_of(task)}-{task.deadline.days}")
def test_mistakes_with_a_deadline_are_named_and_true(task: ExamTask) -> None:
    terms = task.deadline
    assert terms is not None
    named: set[str] = set()
    for answer in answers_on_every_offer(task):
        verdict = judged_answer(task, answer)
        mistakes = {mistake.name: mistake.sentence for mistake in verdict.mistakes}
        named |= mistakes.keys()
        days = re.search(r"(?:takes|run takes) ([\d.,]+) days", verdict.said)
        if not days:
            continue
        late = float(days[1].replace(",", "")) > terms.days
        for name in FAILED & mistakes.keys():
            calm = re.search(r"take ([\d.]+) days|after ([\d.]+)\.$", mistakes[name])
            assert late
            assert not calm or float(calm[1] or calm[2]) <= terms.days + 0.05
        if "too late" in mistakes:
            assert late
        if {"paid for waiting", "the other device"} & mistakes.keys():
            assert not late
            assert verdict.ratio is not None
            assert verdict.ratio > 1.1
    assert named & FAILED  # of the offer that is cheaper and would do if nothing failed
    assert named & {"paid for waiting", "the other device"}


def test_intervals_far_from_the_best_are_named() -> None:
    best = best_answer(OWN)
    short = told(OWN, re.sub(r"interval=\S+", "interval=5min", best))
    assert "A checkpoint takes 3.3 minutes, and one every 5 minutes" in short["checkpoints too often"]
    assert "A failure loses" in told(OWN, re.sub(r"interval=\S+", "interval=2000min", best))["checkpoints too rarely"]
    long = told(OWN, re.sub(r"interval=\S+", "interval=999999999h", best))
    assert "longer than the cluster runs" in long["checkpoints too rarely"]
    assert judged_answer(OWN, re.sub(r"interval=\S+", "interval=999999999h", best)).points == 0


def test_why_a_run_is_late_is_said_only_if_it_is_so() -> None:
    late = "device=H100 nodes=24 t=2 zero=3 recompute=some interval={}"
    near, far = (told(OWN, late.format(interval)) for interval in ("150min", "5min"))
    assert "no room for failures" in near
    assert "failures forgotten" not in near
    assert "failures forgotten" in far
    assert "checkpoints too often" in far
    saved = told(OWN, re.sub(r"interval=\S+", "interval=12min", best_answer(OWN)))
    assert "late by its interval" in saved or not saved
    none = told(OWN, "device=H100 nodes=16 t=2 zero=3 recompute=some interval=150min")
    assert "too late" in none


def test_points_fall_evenly_with_lateness() -> None:
    points = [late_points(1 + extra / 1000, TASK_POINTS) for extra in range(1, 130)]
    assert points == sorted(points, reverse=True)
    assert points[0] == TASK_POINTS - 1
    assert late_points(1.05, TASK_POINTS) == 10
    assert set(points[99:]) == {0}
    assert late_points(1.0001, 7) == 6


# Repairs.


@pytest.mark.parametrize("task", sampled(REPAIRS, 15), ids=name_of)
def test_a_layout_to_repair_is_bound_as_its_table_says_and_clearly_so(task: ExamTask) -> None:
    layout, keep = read_layout(task.layout, gpus=task.job.cluster.gpus)
    start = exam_plan(task.job, layout, keep=keep)
    lost = lost_seconds(task.job, layout, keep=keep)
    binds = best_answer(task).partition(" ")[0].removeprefix("binds=")
    given = dict(task.given)
    assert f"{start.total_s:.2f} s" in given["its step"]
    parts = [float(size) for size in re.findall(r"[a-z] ([\d.]+) s", given["its step"])]
    assert sum(parts) == pytest.approx(start.total_s, abs=0.05)
    assert (binds == "memory") is not start.fits
    if start.fits:
        other = next(name for name in lost if name != binds)
        assert lost[binds] > 2 * lost[other]
        assert lost[binds] > 0.2 * start.total_s
    changes = single_changes(task.job, layout, keep=keep)
    good = [change for change in changes if judged_answer(task, _repair(task, binds, change)).points == TASK_POINTS]
    assert 0 < len(good) <= max(5, len(changes) / 3)  # it is no guess


def _repair(task: ExamTask, binds: str, change: object) -> str:
    found = change.plan  # type: ignore[attr-defined]
    keep = change.value if change.axis == "recompute" else None  # type: ignore[attr-defined]
    keep = keep or read_layout(task.layout, gpus=task.job.cluster.gpus).keep
    return f"binds={binds} {layout_line(found.layout, keep=str(keep))} step={found.total_s:.3f}s"


def test_each_binding_invariant_is_drawn_alike() -> None:
    found = [best_answer(task).partition(" ")[0].removeprefix("binds=") for task in REPAIRS]
    assert {name: found.count(name) for name in INVARIANTS} == dict.fromkeys(INVARIANTS, 18)


@pytest.mark.parametrize("task", sampled(REPAIRS, 15), ids=name_of)
def test_parts_of_a_repair_count_for_themselves(task: ExamTask) -> None:
    best = best_answer(task)
    assert judged_answer(task, re.sub(r"step=[\d.]+", lambda match: f"step={1.14 * float(match[0][5:])}", best)).solved
    off = re.sub(r"step=[\d.]+", lambda match: f"step={1.17 * float(match[0][5:])}", best)
    assert judged_answer(task, off).points == 14
    assert "prediction off" in told(task, off)
    for name in INVARIANTS:
        other = re.sub(r"binds=\w+", f"binds={name}", best)
        assert judged_answer(task, other).points in (16, 20)
        assert ("not what binds" in told(task, other)) is (judged_answer(task, other).points == 16)


def test_mistakes_of_repairs_are_named() -> None:
    task = ExamTask(5, "repair", JOB, layout="t=4 p=2 d=32 zero=1 recompute=full")
    same = told(task, f"binds=compute {task.layout} step=17.9s")
    assert same.keys() == {"nothing changed"}
    two = told(task, "binds=compute t=2 p=2 zero=1 recompute=some step=13s")
    assert two["more than one change"] == "It changes t and recompute. One change was asked for."
    before = told(task, "binds=compute t=4 p=2 zero=1 recompute=some step=17.94s")
    assert before["prediction off"] == "The seconds are those of the layout before the change."
    small = told(task, "binds=compute t=4 p=2 v=2 zero=1 recompute=full step=17.4s")
    assert "saves more than twice as much" in small["a small gain"]
    slower = told(task, "binds=compute t=8 p=2 zero=1 recompute=full step=20s")
    assert slower["slower than before"] == "Before the change a step took 17.94 s."
    too_large = told(task, "binds=memory t=4 p=2 b=16 zero=1 recompute=full step=20s")
    assert too_large["not what binds"].startswith("Memory doesn't bind")
    assert judged_answer(task, "binds=compute t=4 p=2 b=16 zero=1 recompute=full step=20s").points == 8
    assert judged_answer(task, "binds=compute t=2 p=2 zero=1 recompute=some step=13s").points == 4
    half = judged_answer(task, "binds=bandwidth t=4 p=2 zero=1 recompute=some step=13s")
    assert half.points == 16
    assert "binds must be" in half.mistakes[0].sentence
    assert judged_answer(task, "binds=compute t=4 p=2 zero=1 recompute=some").points == 14
    assert judged_answer(task, "binds=compute t=3 step=13s").points == 4
    wrong = told(task, "binds=communication t=4 p=2 zero=1 recompute=some step=13s")
    assert wrong["not what binds"] == "Only 9% of the step is lost to communication."


# Layouts.


@pytest.mark.parametrize(
    ("job", "answer", "name", "piece"),
    [
        (JOB, "t=16 zero=3 recompute=some", "tensor group across nodes", "the tensor group has 16"),
        (JOB, "t=8 zero=3 recompute=some", "tensor group too wide", "Fewer tensor ranks"),
        (JOB, "t=2 p=1 zero=1", "memory", "72.0 GB may be filled"),
        (JOB, "t=8 p=4 d=4", "axes that don't make up the GPUs", "must be the 256 GPUs, got 128"),
        (JOB, "t=3", "axes that don't make up the GPUs", "must divide the 256 GPUs, got 3"),
        (JOB, "t=8 p=16 zero=1 b=16 recompute=full", "bubble", "16 micro-batches for 16 stages"),
        (JOB, "t=8 p=4 zero=1 recompute=full", "recompute that memory doesn't need", "GB that may be filled are empty"),
        (JOB, "t=4 p=16 zero=3 recompute=some", "more stages than memory needs", "Fewer stages"),
        (JOB, "t=8 p=4 zero=3 recompute=some", "stage 3 inside a pipeline", "for each of 64 micro-batches"),
        (JOB, "c=16 t=2 zero=3", "context axis too large", "A smaller context axis"),
        (JOB, "t=2 b=3", "a batch that can't be dealt", "the sequences of a step must be a multiple of d × b"),
        (JOB, "t=2 c=2 p=64 v=3", "layers that can't be dealt", "the layers must be a multiple of p × v"),
        (JOB, "t=128", "heads that can't be dealt", "heads"),
        (JOB, "t=2 e=2", "experts that can't be dealt", "e must be 1"),
        (JOB, "t=2 p=2 x=1", "not an answer", "the answer must name t, p, v"),
        (JOB, "hello", "not an answer", "the answer must name t, p, v"),
        (
            MOE,
            "t=2 p=4 e=8 zero=1 recompute=some",
            "not an answer",
            "recompute must be none, selective or full for this model",
        ),
        (MOE, "t=2 p=8 e=4 zero=1 recompute=full", "experts on too few ranks", "More expert ranks"),
    ],
)
def test_a_mistake_in_a_layout_is_named(job: ExamJob, answer: str, name: str, piece: str) -> None:
    assert piece in told(fit(job), answer)[name]


def test_experts_across_nodes_are_named() -> None:
    job = ExamJob("DeepSeek-V3", "DGX H200", 64, 4096, 4096)
    sentence = told(fit(job), "t=2 p=8 e=32 zero=1 recompute=full")["experts across nodes"]
    assert sentence.startswith("The 32 expert ranks spread over 4 nodes")


@pytest.mark.parametrize("job", [JOB, MOE], ids=lambda job: job.model_name)
def test_what_is_said_of_random_layouts_is_true(job: ExamJob) -> None:
    """Each mistake is looked up among the changes, each of which is predicted anew."""
    rng, ways = random.Random(3), {"wide": "t", "stages": "p", "context": "c", "chunks": "v", "micro-batch": "b"}
    ways |= {"shard": "zero", "recompute": "recompute", "ranks": "e"}
    seen = 0
    while seen < 12:
        sizes = [rng.choice((1, 2, 4, 8)) for _ in "tpc"]
        line = "t={} p={} c={}".format(*sizes) + f" b={rng.choice((1, 2))} zero={rng.choice((1, 3))}"
        line += f" recompute={rng.choice(('none', 'full'))}" + (f" e={rng.choice((2, 8))}" if job is MOE else "")
        verdict = judged_answer(fit(job), line)
        if verdict.ratio is None or verdict.solved:
            continue
        seen += 1
        layout, keep = read_layout(line, gpus=job.cluster.gpus)
        before = exam_plan(job, layout, keep=keep).total_s
        saved = {
            change.axis: 1
            - layout_plan(
                job.model,
                job.cluster,
                change.plan.layout,
                keep=str(change.value) if change.axis == "recompute" else keep,
                tokens_per_step=job.tokens_per_step,
                sequence=job.sequence,
                free_share=FREE_SHARE,
            ).total_s
            / before
            for change in sorted(single_changes(job, layout, keep=keep), key=lambda change: -change.plan.total_s)
        }
        assert verdict.mistakes
        for mistake in verdict.mistakes:
            axis = next((axis for word, axis in ways.items() if word in mistake.name), None)
            assert axis is None or saved[axis] >= WORTH - 1e-9, (line, mistake, saved)


def test_a_best_layout_has_no_mistakes_and_points_fall_with_the_cost() -> None:
    best = best_plan(JOB)
    assert layout_mistakes(JOB, best.layout, keep=best.keep) == ()
    points = [cost_points(1 + extra / 1000) for extra in range(2000)]
    assert points[0] == points[100] == TASK_POINTS
    assert (points[101], points[130], points[131]) == (19, 19, 18)
    assert points == sorted(points, reverse=True)
    assert min(points) == 2


def test_a_single_change_differs_in_one_part_alone() -> None:
    layout, keep = read_layout("t=4 p=4 c=2 zero=2 recompute=full", gpus=256)
    before = layout_parts(layout, keep=keep)
    for change in single_changes(JOB, layout, keep=keep):
        after = layout_parts(change.plan.layout, keep=str(change.value) if change.axis == "recompute" else keep)
        assert [name for name in before if before[name] != after[name]] == [change.axis]
        assert change.plan.layout.ranks == 256
        assert change.plan.fits


# Texts.


def test_answers_are_taken_as_people_write_them() -> None:
    task = OWN
    usual = read_answer(task, "device=H100 nodes=32 t=8 p=4 interval=90min")
    for other in (
        'DEVICE = "DGX H100", nodes: 32; T=8 P=4 interval = 90 min',
        "interval=1.5h t=8\np=4\tnodes=32 device=h100",
        "4. device=H100 nodes=32 t=8 p=4 interval=90min",
        "Task 4: device＝H100，nodes＝32 t＝8 p＝4 interval＝90min",
        "nodes=32 device=H100 tp=8 pp=4 interval=5400s",
    ):
        assert read_answer(task, other) == usual
    repair = REPAIRS[0]
    assert read_answer(repair, "binds=Memory t=8 step=2").step_s == 2.0


@pytest.mark.parametrize(
    ("answer", "piece"),
    [
        ("device=H100 nodes=32 t=8 p=4", "name interval"),
        ("t=8", "name device and nodes and interval"),
        ("device=H100 nodes=33 t=8 interval=1h", "nodes must be one of 16, 24, 32, 48, 64, got '33'"),
        ("device=V100 nodes=32 t=8 interval=1h", "device must be H100 or B200, got 'v100'"),
        ("device=H100 nodes=32 t=8 interval=60", "interval must be a number with s, min or h behind it"),
        ("device=H100 nodes=32 t=8 interval=0h", "interval must be a number with s, min or h behind it, above 0"),
        ("device=H100 nodes=32 nodes=16 t=8 interval=1h", "nodes once, got it twice"),
        ("device=H100 nodes=32 interval=1h", "answer must name a layout"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_is_allowed(answer: str, piece: str) -> None:
    with pytest.raises(ValueError, match=re.escape(piece)):
        read_answer(OWN, answer)
    assert judged_answer(OWN, answer).points == 0


WORDS = st.sampled_from([
    *("t=8", "p=4", "c=2", "d=8", "e=8", "v=2", "b=16", "zero=3", "zero=9", "recompute=full", "recompute=some"),
    *("recompute=selective", "nodes=32", "device=H100", "interval=1h", "interval=1e9h", "binds=memory", "step=1s"),
    *("t=0", "p=999999999", "v=80", "t=-1", "=", "==", "zero", "<b>", "e=7", "b=3", "c=1024", "p=80", "\u2028", "\0"),
])  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=8).map(" ".join)), st.sampled_from(sampled(TASKS, 10)))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_it(answer: str, task: ExamTask) -> None:
    verdict = judged_answer(task, answer)
    assert 0 <= verdict.points <= TASK_POINTS
    assert verdict.said
    assert verdict.solved is (verdict.points == TASK_POINTS)
    if not verdict.points and one_line(answer) and task.kind != "repair":
        assert verdict.mistakes
    assert len(str(verdict)) < 3000


def test_long_texts_are_cut() -> None:
    assert len(one_line("t=8 " * 10_000)) <= MOST_CHARACTERS
    assert judged_answer(TASKS[0], "x" * 10**6).points == 0


# The exam as a whole.


@pytest.mark.parametrize("seed", sampled(range(31), 8))
def test_seeds_are_solved_by_their_best_answers(seed: int) -> None:
    assert graded_exam(seed, [best_answer(task) for task in exam_tasks(seed)]).points == 100


def test_a_certificate_is_graded_again_to_the_same_points() -> None:
    tasks = exam_tasks(3)
    answers = [best_answer(tasks[0]), tasks[1].form, "", best_answer(tasks[3]), "2: t=8\nSeed: 9"]
    result = graded_exam(3, answers)
    written = exam_certificate(result, name="Ada\n1: t=1\nSeed: 4", date="2026-11-29")
    again = exam_answers(written, seed=3)
    assert again == result.answers
    assert graded_exam(3, again) == result
    assert f"Points: {result.points} of 100, {'passed' if result.passed else 'not passed'}" in written
    assert "proves nothing by itself" in written
    assert f"Task 1, {tasks[0].title} ({tasks[0].job.model_name}): 20 of 20 points, solved, takes as long as" in written
    assert "not solved" in written
    assert unread_lines(written) == ()
    assert "%" not in written.replace("longer", "") or "% longer than" in written
    with pytest.raises(ValueError, match="name must have at most 80 characters, got 81"):
        exam_certificate(result, name="x" * 81, date="2026-11-29")
    with pytest.raises(ValueError, match="seed 4, got those to seed 3"):
        exam_answers(written, seed=4)


def test_a_form_is_empty_and_takes_answers() -> None:
    form = exam_form(5)
    assert exam_answers(form, seed=5) == ("",) * 5
    assert exam_answers(form.replace("\n3:", "\n3: e=8"), seed=5)[2] == "e=8"
    for sign in ("{}:", "{}.", "{})", "Task {}:", "task {} :", "  {} : "):
        lines = "\n".join(f"{sign.format(number)} t={number}" for number in range(1, 6))
        assert exam_answers(lines) == tuple(f"t={number}" for number in range(1, 6))
    assert unread_lines(form) == ()
    assert unread_lines("hello\n2: t=8\n\n# no\nt=8 p=4") == ((1, "hello"), (5, "t=8 p=4"))
    with pytest.raises(ValueError, match="task 1 twice"):
        exam_answers("1: a\n1: b")
    with pytest.raises(ValueError, match="got one to task 7"):
        exam_answers("7: a")


def test_a_pass_is_eighty_points() -> None:
    tasks = exam_tasks(1)
    best = [best_answer(task) for task in tasks]
    assert graded_exam(1, [*best[:4], ""]).passed
    assert not graded_exam(1, [*best[:3], "", ""]).passed


def test_a_solution_compares_and_a_verdict_does_not_show_it() -> None:
    for task in exam_tasks(2):
        best = best_answer(task)
        lines = solution_lines(task, task.form)
        assert best in lines[0]
        assert any(task.form in line for line in lines)
        assert best not in str(judged_answer(task, task.form))


def test_a_certificate_says_its_version_and_one_of_an_earlier_version_is_graded_again() -> None:
    result = graded_exam(1, ["t=8", "", "", "", ""])
    written = exam_certificate(result, name="Ada", date="2026-11-29")
    line = f"Book: version {BOOK_VERSION}\n"
    assert line in written
    earlier = written.replace(line, "Book: version 0.1.0\n")
    assert graded_exam(1, exam_answers(earlier, seed=1)) == result
    assert unread_lines(earlier) == ()


def test_verdicts_are_plain_data() -> None:
    assert json.dumps([mistake.name for mistake in judged_answer(TASKS[0], "t=3").mistakes])
