"""Chapter 37: its closed forms against pipelines run task by task, the model of a rank's memory, and the planner's."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import layout_plan
from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import layer_kept_bytes, rank_memory
from snippets.composition.step_constants import job_constants
from snippets.job import THE_70B
from snippets.models import parameter_count
from snippets.parallelism.pipeline.formulas import one_f_one_b_peak_activations, pipeline_bubble_overhead
from snippets.synthesis.llama_3.cuts import BATCH_TOKENS, GPUS, MODEL, PLACES, SEQUENCE, llama_3_cut
from snippets.synthesis.llama_3.figures import (
    axes_panel,
    cut_gigabytes,
    cut_seconds,
    gather_bars,
    memory_bars,
    places_panel,
    step_bars,
)
from snippets.synthesis.llama_3.formulas import (
    any_batch_bubble_overhead,
    copy_micro_batches,
    gathered_state_bytes,
    in_flight_kept_bytes,
    other_batch_rate,
)
from snippets.synthesis.llama_3.programs import simulated_bubble_overhead

small = st.integers(1, 12)


@given(p=small, v=st.integers(1, 6), m=st.integers(1, 30))
@settings(deadline=None)
def test_the_bubble_is_that_of_a_pipeline_run_task_by_task(p: int, v: int, m: int) -> None:
    said = any_batch_bubble_overhead(stages=p, chunks=v, micro_batches=m)
    assert said == pytest.approx(simulated_bubble_overhead(stages=p, chunks=v, micro_batches=m))


@given(p=small, v=st.integers(1, 6), rounds=st.integers(1, 4))
def test_with_enough_micro_batches_the_bubble_is_chapter_18s(p: int, v: int, rounds: int) -> None:
    said = any_batch_bubble_overhead(stages=p, chunks=v, micro_batches=rounds * p)
    assert said == pytest.approx(pipeline_bubble_overhead(stages=p, micro_batches=rounds * p, chunks=v))


@given(p=small, v=st.integers(1, 6), m=st.integers(1, 30), other=st.integers(1, 30))
@settings(deadline=None)
def test_a_rate_follows_from_the_time_of_a_micro_batch(p: int, v: int, m: int, other: int) -> None:
    one, two = (1 + simulated_bubble_overhead(stages=p, chunks=v, micro_batches=count) for count in (m, other))
    said = other_batch_rate(flops_per_s=400, stages=p, chunks=v, micro_batches=m, other_micro_batches=other)
    assert said * two == pytest.approx(400 * one)


@given(
    t=st.sampled_from([1, 2, 4]),
    c=st.sampled_from([1, 2]),
    p=small,
    copies=small,
    rounds=small,
    s=st.integers(1, 64),
)
def test_micro_batches_are_those_of_a_layout(t: int, c: int, p: int, copies: int, rounds: int, s: int) -> None:
    sizes = {"tensor_parallel": t, "pipeline_parallel": p, "context_parallel": c}
    found = copy_micro_batches(batch_tokens=s * copies * rounds, sequence=s, ranks=t * p * c * copies, **sizes)
    assert found == rounds == Layout(tensor=t, pipeline=p, context=c, data=copies).micro_batches(copies * rounds)


@pytest.mark.parametrize("changed", [{"ranks": 10}, {"batch_tokens": 12}])
def test_what_cannot_be_dealt_is_refused(changed: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="multiple of"):
        copy_micro_batches(
            **{"batch_tokens": 16, "sequence": 4, "ranks": 8, "tensor_parallel": 2, "pipeline_parallel": 2} | changed
        )


@given(p=small, per_stage=st.integers(1, 4), m=st.integers(1, 30), copies=small, s=st.integers(1, 9))
def test_activations_in_flight_are_chapter_18s_count(p: int, per_stage: int, m: int, copies: int, s: int) -> None:
    held = one_f_one_b_peak_activations(stages=p, micro_batches=m, stage=0) * per_stage * s
    said = in_flight_kept_bytes(
        batch_tokens=s * m * copies, ranks=p * copies, kept_bytes=per_stage * p, micro_batches=m, stages=p
    )
    assert said == pytest.approx(held)


def test_stages_are_those_that_divide_the_places() -> None:
    assert [llama_3_cut(tensor=8, pipeline=p).layout.pipeline for p in (4, 8, 16, 32, 64)] == [4, 8, 16, 32, 64]


@pytest.mark.parametrize("stages", [1, 2, 3, 5, 12, 65, 128, 256])
def test_other_stages_are_refused(stages: int) -> None:
    with pytest.raises(ValueError, match=rf"^pipeline must be 4, 8, 16, 32 or 64, got {stages}$"):
        llama_3_cut(tensor=8, pipeline=stages)


def test_state_is_nearly_that_of_zero_2() -> None:
    for t, p in ((8, 16), (8, 32), (16, 8), (16, 16)):
        layout = llama_3_cut(tensor=t, pipeline=p).layout
        said = gathered_state_bytes(
            parameters=parameter_count(MODEL), ranks=GPUS, tensor_parallel=t, pipeline_parallel=p, chunks=PLACES // p
        )
        held = rank_memory(
            MODEL,
            replace(layout, stage=2),
            batch_sequences=BATCH_TOKENS // SEQUENCE,
            sequence=SEQUENCE,
            stage=1,
            recipe="mixed-adam-fp32-gradients",
        )
        second_chunk = 4 * parameter_count(MODEL) / (t * p * (PLACES // p))
        assert said - second_chunk == pytest.approx(held.total - held.activations, rel=0.03)


@pytest.mark.parametrize(("tensor", "pipeline"), [(8, 8), (8, 16), (8, 32), (16, 8), (16, 16)])
def test_a_cut_is_the_models_step_and_its_fullest_stage(tensor: int, pipeline: int) -> None:
    cut = llama_3_cut(tensor=tensor, pipeline=pipeline)
    planned = layout_plan(
        MODEL,
        Cluster("DGX H100", nodes=GPUS // 8),
        cut.layout,
        tokens_per_step=BATCH_TOKENS,
        sequence=SEQUENCE,
        constants=job_constants(THE_70B),
        recipe="mixed-adam-fp32-gradients",
    )
    assert cut.step.total == planned.total_s
    held = [
        rank_memory(
            MODEL,
            replace(cut.layout, stage=2),
            batch_sequences=BATCH_TOKENS // SEQUENCE,
            sequence=SEQUENCE,
            stage=stage,
            recipe="mixed-adam-fp32-gradients",
        )
        for stage in range(pipeline)
    ]
    assert cut.activations_bytes == max(one.activations for one in held)
    assert cut.held_bytes - cut.gradients_bytes / 2 == pytest.approx(max(one.total for one in held), rel=0.01)


def test_with_fewer_micro_batches_than_stages_the_bubble_is_this_schedules() -> None:
    cut = llama_3_cut(tensor=4, pipeline=32)
    busy = cut.step.compute + cut.step.tensor + cut.step.context
    assert cut.micro_batches == 16
    assert cut.step.bubble == pytest.approx(busy * simulated_bubble_overhead(stages=32, chunks=4, micro_batches=16))


def test_the_batch_in_flight_is_the_same_for_every_cut_inside_a_node() -> None:
    token = layer_kept_bytes(MODEL, Layout(), sequence=SEQUENCE) / SEQUENCE * PLACES
    share = BATCH_TOKENS / GPUS * token
    for t, p in ((8, 8), (8, 64), (4, 16), (4, 64), (2, 64)):
        assert llama_3_cut(tensor=t, pipeline=p).activations_bytes == pytest.approx(share, rel=1e-6)
    assert llama_3_cut(tensor=16, pipeline=8).activations_bytes < 0.6 * share


def test_the_pictures_add_up() -> None:
    cut = llama_3_cut(tensor=8, pipeline=16)
    assert math.isclose(sum(cut_gigabytes(cut).values()), cut.held_bytes / 1e9)
    assert math.isclose(sum(cut_seconds(cut).values()), cut.step.total)
    assert "20 ms" in gather_bars(gather_ms=19.9, matmul_ms={"matmuls": 10.2}).svg()
    assert "78.1 GB" in memory_bars({"own": cut}).svg()
    assert "5.6 s" in step_bars({"own": cut}).svg()
    assert "d = 512 copies" in axes_panel().svg()
    assert places_panel(stages=16).svg().count("<rect") >= 128


def test_longer_chunks_make_a_longer_bubble() -> None:
    short, long = (llama_3_cut(tensor=8, pipeline=16, chunk_places=places) for places in (1, 2))
    assert long.layout.chunks * 2 == short.layout.chunks
    assert long.step.bubble == pytest.approx(2 * short.step.bubble)
    with pytest.raises(ValueError, match="chunk_places must divide the 8 places"):
        llama_3_cut(tensor=8, pipeline=16, chunk_places=3)
