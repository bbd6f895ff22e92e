"""The planner: its closed forms against the model's own functions, its search against brute force."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.composition.configuration_search.candidates import Limits, Sizes, candidate_layouts, step_batch
from snippets.composition.configuration_search.clusters import Cluster, cluster_constants
from snippets.composition.configuration_search.planner import (
    PlannedJob,
    cuts_of,
    job_candidates,
    job_kernel,
    layer_drops,
    layout_plan,
    plan,
    planned_job,
    sizes_text,
)
from snippets.composition.configuration_search.search import ARRAYS, scored_layouts, search_layouts
from snippets.composition.configuration_search.step_kernel import Cuts
from snippets.composition.layouts import Layout, check_layout
from snippets.composition.rank_memory import rank_memory
from snippets.composition.step_constants import MEGATRON_A100, Constants, device_constants
from snippets.composition.step_model import step_time
from snippets.composition.three_d.dropping import layer_prices, planned_step
from snippets.hardware import ACCELERATORS, NODES
from snippets.job import THE_70B
from snippets.memory.recomputation.selective import cheapest_drop
from snippets.models import MODELS, gpt_like

PLAIN = Constants(matmul_share=0.65, count_bytes=False, overlap_tensor=True, gather_again=True)
EXPOSED = replace(MEGATRON_A100, host_s=5e-3)
SMALL = Limits(recompute=("none", "selective", "full"), stage=(0, 1, 2, 3), expert_tensor=(1, 2))
JOBS: dict[str, dict[str, Any]] = {
    "Llama 3 70B": {"nodes": 32, "batch": 512, "sequence": 8192},
    "Llama 3 405B": {"nodes": 256, "batch": 1536, "sequence": 8192, "constants": PLAIN},
    "DeepSeek-V3": {"nodes": 64, "batch": 1024, "sequence": 4096, "dtype": "fp8"},
    "Mixtral 8x7B": {"nodes": 8, "batch": 512, "sequence": 4096, "context_kind": "ring"},
    "GPT-3 175B": {"nodes": 48, "batch": 1536, "sequence": 2048, "constants": EXPOSED, "attention": "standard"},
    "Gemma 2 9B": {"nodes": 4, "batch": 64, "sequence": 8192, "mask": "full"},
}


@cache
def searched(name: str) -> tuple[PlannedJob, Limits, tuple[Sizes, ...]]:
    more = dict(JOBS[name])
    nodes, batch, sequence = more.pop("nodes"), more.pop("batch"), more.pop("sequence")
    limits = replace(SMALL, context_kind=more.pop("context_kind", "all_gather"))
    job = planned_job(
        name, Cluster("DGX H100", nodes=nodes), tokens_per_step=batch * sequence, sequence=sequence, **more
    )
    return job, limits, tuple(job_candidates(job, limits).sizes)


def modelled(job: PlannedJob, layout: Layout) -> tuple[float, float]:
    """Return seconds and bytes by the model's own functions."""
    size: dict[str, Any] = {"batch_sequences": job.batch_sequences, "sequence": job.sequence, "recipe": job.recipe}
    size |= {"attention": job.attention, "dtype": job.dtype}
    step = step_time(job.model, job.cluster.node, layout, constants=job.constants, mask=job.mask, **size)
    return step.total, max(rank_memory(job.model, layout, stage=stage, **size).total for stage in (0, -1))


@pytest.mark.parametrize("name", JOBS)
@given(st.data())
def test_the_kernel_is_the_model(name: str, data: st.DataObject) -> None:
    job, limits, candidates = searched(name)
    sizes = candidates[data.draw(st.integers(0, len(candidates) - 1))]
    scores = job_kernel(job, limits).scores(cuts_of(sizes))
    seconds, held = modelled(job, sizes.layout(context_kind=limits.context_kind))
    assert scores.seconds == pytest.approx(seconds, rel=1e-5)
    assert scores.memory_bytes == pytest.approx(held, rel=1e-6)
    assert scores.fits == (held <= job.limit_bytes)


@pytest.mark.parametrize("name", JOBS)
def test_arrays_are_scored_as_numbers_are(name: str) -> None:
    job, limits, candidates = searched(name)
    limits = replace(limits, recompute=("none", "some", "full"))
    candidates = tuple(job_candidates(job, limits).sizes)
    cuts = [cuts_of(sizes) for sizes in candidates[:: max(1, len(candidates) // 500)]]
    one = [job_kernel(job, limits).scores(cut) for cut in cuts]
    many = scored_layouts(job_kernel(job, limits, operations=ARRAYS), Cuts(*np.array(cuts, dtype=float).T))
    for field in many._fields:
        assert np.allclose(np.array([getattr(each, field) for each in one], float), getattr(many, field), rtol=1e-12)


def test_the_candidates_are_what_check_layout_lets_pass() -> None:
    """All products of sizes up to 16 on one node and two, for a dense model and for one with experts."""
    for name, nodes in (("Llama 3 8B", 2), ("Mixtral 8x7B", 1)):
        model, cluster, powers = MODELS[name], Cluster("DGX H100", nodes=nodes), (1, 2, 4, 8, 16)
        limits = Limits(recompute="none", stage=1, uneven=False)
        batch, sequence = 24, 8192
        found = candidate_layouts(model, cluster, batch_sequences=batch, sequence=sequence, limits=limits)
        allowed = set()
        for t, p, c, e, b in product(powers[:4], powers, powers[:4], powers[:4], powers):
            if cluster.gpus % (t * p * c) or (e > 1 and model.experts is None):
                continue
            for v in range(1, model.layers // p + 1):
                try:
                    layout = Layout(
                        tensor=t, pipeline=p, context=c, data=cluster.gpus // (t * p * c), expert=e, chunks=v,
                        micro_batch=b, sequence_parallel=t > 1,
                    )  # fmt: skip
                    check_layout(model, layout, batch_sequences=batch, sequence=sequence)
                except ValueError:
                    continue
                allowed.add((t, p, c, e, v, b))
        ours = {(z.tensor, z.pipeline, z.context, z.expert, z.chunks, z.micro_batch) for z in found.sizes}
        assert ours == allowed


def test_a_search_is_brute_force_in_order() -> None:
    cluster = Cluster("DGX H100", nodes=2)
    size: dict[str, Any] = {"tokens_per_step": 2**18, "sequence": 8192}
    limits = Limits(micro_batch=(1, 2), context=(1, 2))
    plans = plan("Llama 3 8B", cluster, **size, limits=limits, most=5000)
    job = plans.job
    every = [
        (layout_plan("Llama 3 8B", cluster, sizes.layout(), **size, keep=sizes.recompute, free_share=0.1), sizes)
        for sizes in job_candidates(job, limits).sizes
    ]
    fitting = [one for one, sizes in every if one.fits and (sizes.recompute != "some" or one.dropped)]
    fitting.sort(key=lambda one: one.total_s)
    assert plans.fitting == len(fitting) == len(plans.best)
    assert [one.total_s for one in plans.best] == pytest.approx([one.total_s for one in fitting])
    assert {one.layout for one in plans.best} == {one.layout for one in fitting}
    assert plans.near == sum(one.total_s <= 1.1 * fitting[0].total_s for one in fitting) == len(plans.shortlist)
    assert plans.tried == plans.fitting + plans.refused["memory"]
    over = {(sizes_text(sizes), -one.spare_bytes) for one, sizes in every if not one.fits and sizes.recompute != "some"}
    said = {each.where: each.reason for each in plans.refusals if each.kind == "memory"}
    assert over
    assert all(said[where] == f"does not fit by {more / 1e9:.1f} GB" for where, more in over)


@pytest.mark.parametrize("name", ["Llama 3 70B", "DeepSeek-V3", "Gemma 2 9B"])
def test_the_search_in_arrays_is_the_plan(name: str) -> None:
    job, _, _ = searched(name)
    size: dict[str, Any] = {
        "tokens_per_step": job.tokens_per_step,
        "sequence": job.sequence,
        "dtype": job.dtype,
        "mask": job.mask,
    }
    assert plan(name, job.cluster, **size, most=20) == search_layouts(job, most=20)


def test_the_thread_gets_chapter_26s_pairs() -> None:
    """With the planner's own constants and with the job's: two GPUs to a layer, fully sharded."""
    cluster = Cluster("DGX H100", nodes=32)
    size: dict[str, Any] = {"tokens_per_step": 4e6, "sequence": 8192}
    plans = plan("Llama 3 70B", cluster, **size)
    best = plans.best[0]
    assert (best.layout.tensor, best.layout.pipeline, best.layout.data, best.layout.stage) == (2, 1, 128, 3)
    planned = planned_step(THE_70B, Layout(tensor=2, data=128, stage=3), mask="half")
    assert planned is not None
    assert planned.dropped == best.dropped
    assert planned.memory.total == pytest.approx(best.memory.total)
    assert all(one.total_s >= best.total_s for one in plans.best)
    assert plans.tried > 10_000


def test_published_choices_are_found_again() -> None:
    """MLPerf's 405B on 8,192 H100s: the makers' cut is within a tenth of the best that is predicted, and fits."""
    cluster = Cluster("DGX H100", nodes=1024)
    size: dict[str, Any] = {"tokens_per_step": 1536 * 8192, "sequence": 8192, "dtype": "fp8"}
    plans = plan("Llama 3 405B", cluster, **size, most=1)
    theirs = Layout(tensor=8, pipeline=8, context=2, data=64, chunks=8)
    one = layout_plan("Llama 3 405B", cluster, theirs, **size)
    assert one.fits
    assert one.total_s <= 1.1 * plans.best[0].total_s
    assert one.total_s == pytest.approx(5.18, rel=0.08)  # measured


@given(st.floats(0, 4e10))
def test_drops_are_the_cheapest(free_bytes: float) -> None:
    job, _, _ = searched("Llama 3 70B")
    prices = layer_prices(job.model, Layout(), sequence=job.sequence, mask=job.mask)
    named = cheapest_drop(prices, free_bytes=-int(-free_bytes // 1) // 10)
    wanted = -int(-free_bytes // 1) // 10 / job.sequence
    ours = next((drop.names for drop in layer_drops(job) if drop.freed_bytes >= wanted), None)
    assert ours == named


def test_what_is_dropped_costs_its_flops_and_its_bytes() -> None:
    """By hand, for the pairs of the 70B: two norms are read and written, a product's two inputs read."""
    size: dict[str, Any] = {"tokens_per_step": 4e6, "sequence": 8192}
    pairs = layout_plan(
        "Llama 3 70B",
        Cluster("DGX H100", nodes=32),
        Layout(tensor=2, data=128, stage=3),
        keep="some",
        free_share=0.1,
        **size,
    )
    assert pairs.dropped == ("normed for attention", "normed for feed-forward", "gated product")
    moved = 8192 / 2 * (2 * 2 * 2 * 8192 + 3 * 2 * 28672)  # bytes of a layer and micro-batch
    assert pairs.remade_s == pytest.approx(4 * 80 * moved / (0.86 * 3.35e12), rel=1e-6)
    whole = layout_plan("Llama 3 70B", Cluster("DGX H100", nodes=32), pairs.layout, free_share=0.1, **size)
    assert not whole.fits
    assert pairs.total_s - whole.total_s == pytest.approx(pairs.remade_s)


@given(st.floats(1, 1e9), st.integers(1, 2**20))
def test_a_batch_is_near_what_was_asked(more: float, sequence: int) -> None:
    tokens = sequence + more
    batch = step_batch(tokens_per_step=tokens, sequence=sequence)
    assert batch >= 1
    if batch > 1 and round(tokens) % sequence:
        assert abs(batch * sequence - tokens) <= max(0.1 * tokens, sequence / 2 + 1)


def test_days_and_dollars() -> None:
    cluster = Cluster("DGX H100", nodes=1)
    one = layout_plan(
        "Llama 3 8B", cluster, Layout(data=8, stage=3), tokens_per_step=2**17, sequence=8192, run_tokens=2**17 * 1000,
        usd_per_gpu_hour=2.0,
    )  # fmt: skip
    assert one.days == pytest.approx(1000 * one.total_s / 86_400)
    assert one.usd == pytest.approx(1000 * one.total_s / 3600 * 8 * 2)
    bare = layout_plan("Llama 3 8B", cluster, Layout(data=8, stage=3), tokens_per_step=2**17, sequence=8192)
    assert bare.days is None
    assert bare.usd is None


def test_limits_limit() -> None:
    cluster = Cluster("DGX H100", nodes=4)
    size: dict[str, Any] = {"tokens_per_step": 2**20, "sequence": 8192}
    plans = plan("Llama 3 8B", cluster, **size, limits=Limits(tensor=(2, 4), stage=3, data=8))
    assert plans.best
    assert all(one.layout.tensor in (2, 4) and one.layout.data == 8 for one in plans.best)
    assert all(one.layout.stage == 3 for one in plans.best)
    tight = plan("Llama 3 8B", cluster, **size, limits=Limits(free_share=0.9))
    assert all(one.memory.total <= 8e9 for one in tight.best)


def test_a_rack_is_one_domain_of_64() -> None:
    cluster = Cluster("GB200 NVL72", nodes=4)
    assert (cluster.gpus, cluster.fast_gpus) == (256, 64)
    plans = plan("Llama 3 405B", cluster, tokens_per_step=2**22, sequence=8192)
    assert max(one.layout.tensor for one in plans.best) <= 64
    assert plans.best


@pytest.mark.parametrize("name", [node.name for node in NODES.values()])
def test_every_node_has_constants(name: str) -> None:
    found = cluster_constants(Cluster(name, nodes=1))
    assert found == device_constants(NODES[name].accelerator)
    assert found.source


def test_what_cannot_be_planned_is_refused_by_name() -> None:
    cluster = Cluster("DGX H100", nodes=1)
    size: dict[str, Any] = {"tokens_per_step": 2**17, "sequence": 8192}
    with pytest.raises(ValueError, match="layout must have the cluster's 8 ranks, got 4"):
        layout_plan("Llama 3 8B", cluster, Layout(data=4), **size)
    with pytest.raises(ValueError, match="layers must be a multiple"):
        layout_plan("Llama 3 70B", Cluster("DGX H100", nodes=3), Layout(tensor=8, pipeline=3), **size)
    with pytest.raises(ValueError, match="free_share must be below 1"):
        Limits(free_share=1)
    with pytest.raises(ValueError, match="stage must hold 0, 1, 2 or 3"):
        Limits(stage=(1, 4))
    with pytest.raises(ValueError, match="tensor must hold at least one size"):
        Limits(tensor=())
    with pytest.raises(ValueError, match="domain must be at most the node's 8 GPUs, got 16"):
        Cluster("DGX H100", nodes=2, domain=16)
    with pytest.raises(ValueError, match="tokens_per_step must be at least the sequence's 8192 tokens, got 8191"):
        plan("Llama 3 8B", cluster, tokens_per_step=8191, sequence=8192)
    with pytest.raises(ValueError, match="recompute"):
        Limits(recompute="everything")
    nothing = plan("Llama 3 405B", cluster, tokens_per_step=2**17, sequence=8192)
    assert not nothing.best
    assert nothing.near == 0
    assert nothing.refused["memory"] == nothing.tried
    assert not nothing.shortlist
    assert not nothing.distinct


def test_a_tiny_model_of_ones_own_can_be_planned() -> None:
    small = gpt_like("small", layers=4, hidden=256, heads=4, positions=128)
    plans = plan(small, Cluster("DGX A100", nodes=1), tokens_per_step=1024, sequence=128)
    assert plans.best[0].fits
    assert plans.best[0].dropped == ()


def test_a_gpu_without_bfloat16_can_be_planned() -> None:
    node = replace(NODES["DGX A100"], name="DGX-1", accelerator=ACCELERATORS["V100 SXM2 32GB"])
    size: dict[str, Any] = {"tokens_per_step": 2**19, "sequence": 1024, "dtype": "fp16"}
    best = plan("GPT-2 1.5B", Cluster(node, nodes=2), **size).best[0]
    assert best.layout.ranks == 16
    assert 0 < best.mfu < 1
