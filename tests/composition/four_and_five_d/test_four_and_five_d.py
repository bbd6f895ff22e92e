"""Chapter 27: closed forms of each axis against ranks that move arrays, and the folded run against one device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.collectives.traffic import collective_traffic
from snippets.composition.device_mesh.formulas import expert_data_parallel, mesh_step_traffic_bytes
from snippets.composition.four_and_five_d.formulas import (
    FiveAxisBytes,
    context_layer_bytes,
    context_to_tensor_bytes,
    expert_weights_break_even_tokens,
    five_axis_layer_bytes,
    five_axis_step_bytes,
    five_axis_uses,
    layout_divisions,
    packed_context_pairs,
    packed_context_slowdown,
    with_experts,
)
from snippets.composition.four_and_five_d.programs import (
    FoldedRun,
    folded_layer_weights,
    train_dense_layer,
    train_folded_layer,
)
from snippets.composition.layouts import Layout
from snippets.composition.step_constants import Constants
from snippets.composition.step_model import step_time
from snippets.composition.three_d.formulas import three_axes_bytes
from snippets.models import MODELS, Attention, Experts, Transformer, parameter_parts
from snippets.parallelism.expert.routing import top_experts
from snippets.parallelism.sequence.formulas import context_rank_tokens
from snippets.parallelism.sequence.programs import attend, run_context_parallel
from snippets.parallelism.tensor.formulas import tensor_block_traffic_bytes

FOLDS = [
    {"t": t, "c": c, "d": d, "e": e}
    for t, c, d in ((1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1), (2, 2, 2), (1, 4, 2), (2, 4, 1))
    for e in (1, 2, 4, 8)
    if t * c * d % e == 0
]
SIZES = {"heads": 4, "key_value_heads": 2, "head_size": 2, "width": 3, "experts": 8}
SMALL = Transformer(
    name="small",
    layers=1,
    hidden=8,
    vocabulary=1,
    attention=Attention(heads=4, key_value_heads=2, head_size=2),
    feed_forward=None,
    experts=Experts(experts=8, per_token=2, width=3),
    expert_layers=1,
)


def setting(seed: int, sequences: int = 4, tokens: int = 16) -> tuple[dict[str, Any], Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(sequences, tokens, 8))
    return folded_layer_weights(**SIZES, seed=seed), x, rng.normal(size=x.shape)


def folded(fold: dict[str, int], seed: int = 0, steps: int = 1) -> FoldedRun:
    weights, x, gradient = setting(seed)
    return train_folded_layer(
        weights,
        x,
        gradient,
        experts_per_token=2,
        tensor_parallel=fold["t"],
        context_parallel=fold["c"],
        data_parallel=fold["d"],
        expert_parallel=fold["e"],
        steps=steps,
    )


@given(fold=st.sampled_from(FOLDS), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_ranks_folded_twice_train_as_one_device_does(fold: dict[str, int], seed: int) -> None:
    weights, x, gradient = setting(seed)
    one = train_dense_layer(weights, x, gradient, experts_per_token=2, steps=2)
    run = folded(fold, seed, steps=2)
    assert np.allclose(run.output, one.output)
    assert np.allclose(run.input_gradient, one.input_gradient)
    assert all(np.allclose(run.weights[name], one.weights[name]) for name in weights)
    assert run.loads == one.loads


@given(fold=st.sampled_from(FOLDS), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_the_bytes_of_each_axis_are_those_of_the_formulas(fold: dict[str, int], seed: int) -> None:
    t, c, d, e = fold["t"], fold["c"], fold["d"], fold["e"]
    run, ranks = folded(fold, seed), t * c * d
    layer = five_axis_layer_bytes(
        SMALL,
        sequence=16,
        tensor_parallel=t,
        context_parallel=c,
        expert_parallel=e,
        micro_batch=4 // d,
        element_bytes=8,
    )
    assert run.sent.tensor == ranks * layer.tensor
    assert run.sent.context == ranks * layer.context
    assert run.sent.expert == 4 * 64 * rows_that_leave(fold, seed) + 8 * 8 * (e - 1) / e * ranks
    copies = expert_data_parallel(tensor_parallel=t, context_parallel=c, data_parallel=d, expert_parallel=e)
    parts = parameter_parts(SMALL)
    counted = [(c * d, parts.attention / t), (copies, parts.routed_experts / e), (ranks, parts.router)]
    assert run.sent.gradients == pytest.approx(ranks * sum(2 * (R - 1) / R * 8 * n for R, n in counted))


def rows_that_leave(fold: dict[str, int], seed: int) -> int:
    """Route on one device, and count the choices whose expert is on another rank."""
    weights, x, _ = setting(seed)
    middle = x + np.einsum(
        "basd,adh->bsh",
        np.stack(
            [attend(*(np.einsum("sh,had->asd", row, weights[n]) for n in ("query", "key", "value")))[0] for row in x]
        ),
        weights["out"],
    )
    logits = middle @ weights["router"]
    chosen = top_experts(logits.reshape(-1, 8), experts_per_token=2).reshape(4, 16, 2)
    t, c, d, e = fold["t"], fold["c"], fold["d"], fold["e"]
    rows = 0
    for rank in range(t * c * d):
        row, tensor = divmod(rank, t)
        data, context = divmod(row, c)
        layout = "zigzag" if c > 1 else "contiguous"
        own = np.split(np.array(context_rank_tokens(context, ranks=c, sequence=16, layout=layout)), t)[tensor]
        mine = chosen[data * (4 // d) : (data + 1) * (4 // d)][:, own]
        rows += int((mine // (8 // e) != rank % e).sum())
    return rows


@given(c=st.sampled_from([1, 2, 4, 8]), kind=st.sampled_from(["all_gather", "ring"]), heads=st.sampled_from([1, 2]))
def test_context_bytes_are_what_attention_sends_by_itself(c: int, kind: str, heads: int) -> None:
    rng = np.random.default_rng(c)
    q, k, v, g = (rng.normal(size=(a, 16, 4)) for a in (2, heads, heads, 2))
    sent = run_context_parallel(q, k, v, g, ranks=c, kind=kind).account.sent_bytes
    expected = context_layer_bytes(sequence=16, kv_width=4 * heads, context_parallel=c, kind=kind, element_bytes=8)
    assert sent == (expected,) * c


@given(s=st.integers(1, 10**6), h=st.integers(1, 10**5), k=st.integers(1, 10**5), ranks=st.sampled_from([2, 4, 8, 16]))
def test_the_two_axes_differ_by_widths_alone(s: int, h: int, k: int, ranks: int) -> None:
    context = context_layer_bytes(sequence=s, kv_width=k, context_parallel=ranks)
    tensor = 2 * tensor_block_traffic_bytes(micro_batch=1, sequence=s, hidden=h, tensor_parallel=ranks)
    assert context / tensor == pytest.approx(context_to_tensor_bytes(hidden=h, kv_width=k))


@given(E=st.integers(1, 256), k=st.integers(1, 8), width=st.integers(1, 4096), ranks=st.sampled_from([2, 8, 64]))
def test_where_weights_and_tokens_send_equally_many_bytes(E: int, k: int, width: int, ranks: int) -> None:
    k, h = min(k, E), 16
    x = expert_weights_break_even_tokens(experts=E, experts_per_token=k, width=width)
    weights = 3 * E * h * width * 2 * ranks  # of a layer, as all ranks of a ring see it, in bytes
    gathers = 2 * collective_traffic("all_gather", "ring", ranks=ranks, size_bytes=weights).sent_bytes[0]
    scatter = collective_traffic("reduce_scatter", "ring", ranks=ranks, size_bytes=weights).sent_bytes[0]
    tokens = 4 * (ranks - 1) / ranks * k * x * h * 2
    assert tokens * ranks == pytest.approx(float(gathers + scatter))


def test_without_experts_the_step_is_chapter_25s() -> None:
    cut: dict[str, Any] = {"tensor_parallel": 8, "context_parallel": 2, "data_parallel": 8, "pipeline_parallel": 4}
    job: dict[str, Any] = {"sequence": 32_768, "batch_sequences": 128}
    mesh = mesh_step_traffic_bytes("Llama 3 70B", **cut, **job)
    step = five_axis_step_bytes("Llama 3 70B", **cut, **job)
    assert step.data == pytest.approx(mesh.data)
    assert (step.tensor, step.context, step.pipeline) == pytest.approx((mesh.tensor, mesh.context, mesh.pipeline))
    assert step.expert == step.expert_data == 0


def test_stage_3_gathers_for_each_micro_batch() -> None:
    job: dict[str, Any] = {"sequence": 8192, "batch_sequences": 512, "data_parallel": 256}
    once, each = (five_axis_step_bytes("Llama 3 70B", **job, stage=z) for z in (1, 3))
    assert each.data == pytest.approx(once.data / 2 * 3 * 2)  # two micro-batches


def test_experts_of_deepseek_v3_are_shared_by_few() -> None:
    cut: dict[str, Any] = {"expert_parallel": 64, "data_parallel": 128, "pipeline_parallel": 16}
    sent = five_axis_step_bytes("DeepSeek-V3", sequence=4096, batch_sequences=15_360, **cut)
    parts = parameter_parts(MODELS["DeepSeek-V3"])
    assert sent.expert_data == pytest.approx(2 * 1 / 2 * 2 * parts.routed_experts / 64 / 16)
    travel = 4 * 63 / 64 * 8 * 4096 * 7168 * 2 * 58 / 16 * 120
    assert sent.expert == pytest.approx(travel)


def test_an_axis_leaves_the_domain_where_it_does_not_fit() -> None:
    sent = FiveAxisBytes(8.0, 8.0, 7.0, 4.0, 2.0, 1.0)
    links: dict[str, Any] = {"domain_bytes_per_s": 10.0, "port_bytes_per_s": 1.0}
    cut = {"tensor_parallel": 2, "context_parallel": 4, "expert_parallel": 8, "data_parallel": 4}
    uses = {use.axis: use for use in five_axis_uses(sent, **cut, pipeline_parallel=2, domain=8, **links)}
    assert [axis for axis, use in uses.items() if use.leaving_bytes] == ["pipeline", "data", "expert data"]
    half = {use.axis: use for use in five_axis_uses(sent, **cut, pipeline_parallel=2, domain=4, **links)}
    assert half["expert"].in_domain == 4
    assert half["expert"].leaving_bytes == pytest.approx(7 * 4 / 7)
    assert half["expert"].time_s == pytest.approx(4.0)
    assert half["context"].in_domain == 2
    assert half["context"].leaving_bytes == 4


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4), c=st.sampled_from([1, 2, 4]), whole=st.booleans())
def test_packed_pairs_are_what_a_mask_leaves(lengths: list[int], c: int, whole: bool) -> None:
    lengths = [2 * c * length for length in lengths]
    document = np.repeat(np.arange(len(lengths)), lengths)
    seen = (document[:, None] == document[None, :]) & np.tri(len(document), dtype=bool)
    starts = np.cumsum([0, *lengths])
    pairs = []
    for r in range(c):
        if whole:
            own = list(context_rank_tokens(r, ranks=c, sequence=len(document)))
        else:
            own = [
                start + i
                for start, s in zip(starts[:-1], lengths, strict=True)
                for i in context_rank_tokens(r, ranks=c, sequence=s)
            ]
        pairs.append(int(seen[own].sum()))
    cut = "whole" if whole else "each document"
    assert packed_context_pairs(lengths, ranks=c, cut=cut) == tuple(pairs)
    assert packed_context_slowdown(lengths, ranks=c, cut=cut) == pytest.approx(c * max(pairs) / sum(pairs))
    if not whole:
        assert len(set(pairs)) == 1


def test_what_does_not_divide_is_named() -> None:
    job = {"sequence": 4096, "batch_sequences": 4096}
    cut = {"data_parallel": 48, "pipeline_parallel": 4, "expert_parallel": 64}
    wrong = [each.what for each in layout_divisions("DeepSeek-V3", **job, **cut) if not each.fits]
    assert wrong == ["sequences of a step", "layers", "ranks of a stage, t · c · d"]


def test_an_overflow_is_told_in_the_callers_words() -> None:
    made = folded_layer_weights(heads=2, key_value_heads=1, head_size=2, width=3, experts=4)
    huge, plain = np.full((1, 2, 4), 1e300), np.ones((1, 2, 4))
    for x, rate in (huge, 0.1), (plain, 1.7e308):
        with pytest.raises(ValueError, match=r"^weights, x, gradient and learning_rate must be smaller"):
            train_dense_layer(made, x, plain, experts_per_token=2, steps=2, learning_rate=rate)


def test_llama_3s_rows_have_the_ranks_and_tokens_that_are_printed() -> None:
    # Grattafiori et al. 2024, Table 4 as in the third version: the first prints d = 4 in the last row, half the GPUs
    rows = [(8, 1, 16, 64, 8192, 32, 8192), (8, 1, 16, 128, 8192, 16, 16_384), (8, 16, 16, 8, 131_072, 16, 16_384)]
    for t, c, p, d, sequence, each, gpus in rows:
        cut = {"tensor_parallel": t, "context_parallel": c, "data_parallel": d, "pipeline_parallel": p}
        assert t * c * p * d == gpus
        assert d * each * sequence == 2**24
        found = layout_divisions("Llama 3 405B", sequence=sequence, batch_sequences=d * each, **cut)
        assert [division.what for division in found if not division.fits] == ["layers"]  # 126: two stages have one less


@given(t=st.sampled_from([1, 2, 4, 8]), m=st.integers(1, 4))
def test_layers_that_run_twice_send_as_often_as_three_axes_say(t: int, m: int) -> None:
    job: dict[str, Any] = {"sequence": 8192, "tensor_parallel": t, "recompute": True}
    sent = five_axis_step_bytes("Llama 3 70B", batch_sequences=m, **job)
    known = MODELS["Llama 3 70B"]
    three = three_axes_bytes(
        layers=known.layers,
        hidden=known.hidden,
        parameters=1.0,
        micro_batches=m,
        pipeline_parallel=1,
        data_parallel=1,
        **job,
    )
    assert sent.tensor == pytest.approx(three.tensor)


def test_layers_that_run_twice_wait_as_the_step_model_does() -> None:
    model = with_experts("Llama 3 70B", experts=64, experts_per_token=8)
    layout = Layout(context=8, expert=8, data=32, stage=3)
    axes: dict[str, Any] = {"context_parallel": 8, "expert_parallel": 8, "data_parallel": 32}
    quick: dict[str, Any] = {"node_latency_s": 0.0, "network_latency_s": 0.0}
    once, twice = (
        step_time(
            model,
            "DGX H100",
            replace(layout, recompute=kind),
            batch_sequences=32,
            sequence=131_072,
            constants=Constants(matmul_share=0.65, count_bytes=False, **quick),
        )
        for kind in ("none", "full")
    )
    one, two = (
        five_axis_step_bytes(model, sequence=131_072, batch_sequences=32, stage=3, recompute=again, **axes)
        for again in (False, True)
    )
    assert two.expert / one.expert == pytest.approx(twice.expert / once.expert)
    # the step model lets gradients of keys and values go round a ring, one hop further
    assert two.context / one.context == pytest.approx(twice.context / once.context, rel=0.02)
    assert (two.data, two.expert_data) == (one.data, one.expert_data)
