"""What a rank holds, against chapters 18, 21 and 22, published tables, and measured peaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.composition.four_and_five_d.formulas import with_experts
from snippets.composition.layouts import Layout
from snippets.composition.published_steps import GROUPS, published_steps
from snippets.composition.rank_memory import (
    held_micro_batches,
    held_recipe,
    layer_kept_bytes,
    module_kept_bytes,
    rank_memory,
    rank_parameters,
)
from snippets.memory.memory_equation.activations import layer_activation_bytes
from snippets.memory.memory_equation.model_parallel import first_stage_parameters
from snippets.memory.zero.formulas import zero_buffer_bytes, zero_state_bytes
from snippets.models import MODELS, gpt_like, parameter_count
from snippets.parallelism.pipeline.runner import run_pipeline
from snippets.parallelism.pipeline.schedules import interleaved, one_f_one_b

SIZE: dict[str, Any] = {"batch_sequences": 512, "sequence": 8192}


@pytest.mark.parametrize("name", ["Llama 3 8B", "Llama 3 70B", "Mixtral 8x7B", "Qwen3 235B-A22B", "GPT-2 1.5B"])
def test_stages_hold_the_whole_model(name: str) -> None:
    model = MODELS[name]
    layout = Layout(pipeline=2, data=2)
    stages = [rank_parameters(model, layout, stage=stage).total for stage in range(2)]
    twice, positions = model.vocabulary * model.hidden * model.tied, model.positions * model.hidden
    assert sum(stages) == pytest.approx(parameter_count(model) + twice - positions, rel=1e-6)


@pytest.mark.parametrize("cut", [{"tensor": 8}, {"tensor": 8, "pipeline": 4}, {"pipeline": 8}])
def test_the_first_stage_is_chapter_21s(cut: dict[str, Any]) -> None:
    found = rank_parameters("Llama 3 70B", Layout(**cut)).dense
    stages, t = cut.get("pipeline", 1), cut.get("tensor", 1)
    assert found == pytest.approx(first_stage_parameters("Llama 3 70B", tensor_parallel=t, stages=stages), rel=1e-6)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_state_is_chapter_22s(stage: int) -> None:
    held = rank_memory("Llama 3 70B", Layout(data=256, stage=stage), **SIZE)
    own = zero_state_bytes(parameter_count("Llama 3 70B"), ranks=256, stage=stage)
    assert (held.weights, held.gradients, held.optimizer) == (own.parameters, own.gradients, own.optimizer)


def test_experts_are_divided_by_their_own_axis() -> None:
    one, eight = (rank_parameters("Mixtral 8x7B", Layout(data=8, expert=e)) for e in (1, 8))
    assert one.dense == eight.dense
    assert one.expert == 8 * eight.expert


@given(st.sampled_from([2, 4]), st.integers(1, 3), st.sampled_from([1, 2, 4]), st.integers(0, 3))
def test_held_micro_batches_are_the_simulators(stages: int, rounds: int, chunks: int, stage: int) -> None:
    count, stage = stages * rounds, stage % stages
    layout = Layout(pipeline=stages, chunks=chunks)
    schedule = (
        one_f_one_b(stages=stages, micro_batches=count)
        if chunks == 1
        else interleaved(stages=stages, micro_batches=count, chunks=chunks)
    )
    peak = run_pipeline(schedule, {"F": 1, "B": 2}).peak_activations[stage]
    assert held_micro_batches(layout, micro_batches=count, stage=stage) == peak / chunks


# layers, hidden, heads, p, v, batch, b, and GiB of activations with tensor parallelism alone, then with sequence
# parallelism and selective recomputation: Korthikanti et al. 2022, table 3, as calculon repeats it
KORTHIKANTI = [
    (48, 6144, 64, 1, 1, 4, 4, 59.25, 9.5625),
    (105, 20480, 128, 35, 3, 280, 1, 114.0234375, 23.076171875),
    (128, 25600, 160, 64, 1, 512, 1, 131.25, 26.5625),
]


@pytest.mark.parametrize(("layers", "hidden", "heads", "p", "v", "batch", "b", "alone", "both"), KORTHIKANTI)
def test_activations_are_korthikantis(
    layers: int, hidden: int, heads: int, p: int, v: int, batch: int, b: int, alone: float, both: float
) -> None:
    model = gpt_like("GPT", layers=layers, hidden=hidden, heads=heads, positions=2048)
    ways: list[tuple[dict[str, Any], float]] = [
        ({"sequence_parallel": False}, alone),
        ({"sequence_parallel": True, "recompute": "selective"}, both),
    ]
    for way, expected in ways:
        layout = Layout(tensor=8, pipeline=p, chunks=v, micro_batch=b, **way)
        held = held_micro_batches(layout, micro_batches=batch // b) * layers // p
        kept = held * layer_kept_bytes(model, layout, sequence=2048, attention="standard")
        assert kept / 2**30 == pytest.approx(expected, rel=0.002)


def test_a_gpt_keeps_what_chapter_21_counts() -> None:
    kept = layer_kept_bytes("GPT-3 175B", Layout(tensor=8), sequence=2048, attention="flash")
    assert kept == layer_activation_bytes(
        sequence=2048,
        micro_batch=1,
        hidden=12288,
        heads=96,
        tensor_parallel=8,
        sequence_parallel=True,
        attention="flash",
    )


def test_a_gated_layer_keeps_its_tensors() -> None:
    """Two norms' inputs and outputs, queries, keys, values, the output's input, and three inner widths."""
    model = MODELS["Llama 3 8B"]
    widths = [4096, 4096, 4096, 1024, 1024, 4096, 4096, 4096, 14336, 14336, 14336]
    kept = layer_kept_bytes(model, Layout(), sequence=100)
    assert kept == 100 * (2 * sum(widths) + 4 * 32)


@pytest.mark.parametrize("tensor", [1, 8])
def test_a_v3_layer_keeps_its_tensors(tensor: int) -> None:
    """DeepSeek-V3's widths: 128 heads of 128 + 64, values of 128; 3 dense layers, 58 of 8 experts and 1 for a token."""
    attention = [7168, 7168, 7168, 7168, 128 * 192, 128 * 192, 128 * 128, 128 * 128]
    dense, experts = [18432] * 3, [2048] * 3 * (8 + 1)
    numbers = 61 * sum(attention) + 3 * sum(dense) + 58 * (sum(experts) + 8 * 7168)  # 8 copies of a token
    kept = layer_kept_bytes("DeepSeek-V3", Layout(tensor=tensor), sequence=800)
    assert 61 * kept == pytest.approx(800 * (2 * numbers + 61 * 4 * 128) / tensor, rel=1e-6)


@pytest.mark.parametrize("name", ["Llama 3 8B", "DeepSeek-V3", "GPT-3 175B"])
@pytest.mark.parametrize("cut", [{}, {"tensor": 4}, {"tensor": 2, "micro_batch": 3}, {"context": 4}])
def test_standard_attention_keeps_the_scores_that_korthikanti_counts(name: str, cut: dict[str, Any]) -> None:
    """5 bytes for each of a·s²·b, among the ranks; selective recomputation drops them, and flash's 4 bytes a row."""
    heads = MODELS[name].attention.heads
    for attention, each in (("standard", 5 * 512), ("flash", 4)):
        plain, selective = (
            layer_kept_bytes(name, Layout(**cut, recompute=how), sequence=512, attention=attention)
            for how in ("none", "selective")
        )
        ranks = cut.get("tensor", 1) * cut.get("context", 1)
        assert (plain - selective) * ranks == each * heads * 512 * cut.get("micro_batch", 1)


def test_scores_of_a_gated_layer_are_in_the_ranks_memory() -> None:
    """And those of one layer, while selective recomputation makes them again."""
    layout = Layout(tensor=8, pipeline=4, data=8)
    scores = 5 * 64 * 8192**2 // 8
    held: dict[tuple[str, str], float] = {
        (how, attention): rank_memory(
            "Llama 3 70B", replace(layout, recompute=how), **SIZE, attention=attention
        ).activations
        for how in ("none", "selective", "full")
        for attention in ("standard", "flash")
    }
    rows = 4 * 64 * 8192 // 8
    assert held["none", "standard"] - held["none", "flash"] == 4 * 20 * (scores - rows)
    assert held["selective", "standard"] - held["selective", "flash"] == scores - rows
    assert held["full", "standard"] - held["full", "flash"] == scores - rows


def test_a_layer_that_is_made_again_in_fp8_is_narrower_too() -> None:
    wide, narrow = (
        rank_memory(
            "Llama 3 8B", Layout(pipeline=2, recompute="full"), batch_sequences=1, sequence=100, dtype=dtype
        ).activations
        for dtype in ("bf16", "fp8")
    )
    assert wide - narrow == 100 * (2 * 4096 + 4096 + 14336)


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("recipe", ["mixed-adam", "mixed-adam-fp32-gradients"])
@pytest.mark.parametrize("cut", [{"data": 256}, {"tensor": 8, "data": 32}, {"tensor": 2, "pipeline": 4, "data": 32}])
def test_buffers_are_chapter_22s_of_one_layer(stage: int, recipe: str, cut: dict[str, Any]) -> None:
    """Its matrices by the 70B's sides: queries and output, keys and values, three of the gated block, two norms."""
    h, keys, inner = 8192, 1024, 28672
    layer = (2 * h * h + 2 * h * keys + 3 * h * inner + 2 * h) // cut.get("tensor", 1)
    held = rank_memory("Llama 3 70B", Layout(**cut, stage=stage), **SIZE, recipe=recipe)
    own = zero_buffer_bytes(80 * layer, largest_unit=layer, ranks=cut["data"], stage=stage, recipe=recipe)
    assert held.buffers == pytest.approx(own, rel=1e-6)
    assert (held.buffers > 0) == (stage > 1)


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize(("expert", "expert_tensor", "shards"), [(1, 1, 1), (8, 1, 8), (8, 2, 16), (64, 4, 256)])
def test_a_layers_experts_are_in_its_buffers(stage: int, expert: int, expert_tensor: int, shards: int) -> None:
    """Chapter 27's 64 experts of three matrices, 8192 by 3584, among the ranks that hold the others; alone, none."""
    layout = Layout(context=8, data=32, expert=expert, expert_tensor=expert_tensor, stage=stage, recompute="full")
    size: dict[str, Any] = {"batch_sequences": 32, "sequence": 131_072}
    held = rank_memory(with_experts("Llama 3 70B", experts=64, experts_per_token=8), layout, **size)
    attention = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 2 * 8192 + 64 * 8192  # with the norms and the router
    experts = 64 * 3 * 8192 * 3584 // shards * (shards < 256)
    numbers = attention + experts
    assert held.buffers == pytest.approx({1: 0, 2: 2, 3: 2 + 2}[stage] * numbers, rel=1e-5)
    assert (held.buffers > 0) == (stage > 1)


@pytest.mark.parametrize(
    ("layout", "less"),
    [
        (Layout(tensor=8), Layout(tensor=8, recompute="full")),
        (Layout(tensor=8, sequence_parallel=False), Layout(tensor=8)),
        (Layout(tensor=8, data=8, stage=0), Layout(tensor=8, data=8, stage=1)),
        (Layout(tensor=8, data=8, stage=1), Layout(tensor=8, data=8, stage=3)),
        (Layout(tensor=8, data=8, micro_batch=2), Layout(tensor=8, data=8)),
        (Layout(tensor=8, pipeline=4, chunks=4), Layout(tensor=8, pipeline=4)),
    ],
)
def test_what_costs_memory(layout: Layout, less: Layout) -> None:
    assert rank_memory("Llama 3 70B", layout, **SIZE).total > rank_memory("Llama 3 70B", less, **SIZE).total


def test_the_last_stage_has_the_logits_and_the_first_the_micro_batches() -> None:
    layout = Layout(tensor=8, pipeline=4, data=8)
    first, last = (rank_memory("Llama 3 70B", layout, **SIZE, stage=stage) for stage in (0, -1))
    assert first.activations > last.activations
    assert last.activations > layer_kept_bytes("Llama 3 70B", layout, sequence=8192) * 20


# d and GiB: MLPerf Training v5.0, NVIDIA's 405B in fp8 on 512, 2,048 and 8,192 H100: max_memory_usage
MLPERF = [(4, 58.817), (16, 52.484), (64, 50.901)]


@pytest.mark.parametrize("stage", [0, -1])
def test_what_is_no_logit_is_refused_on_every_stage(stage: int) -> None:
    layout = Layout(tensor=8, pipeline=4, data=8)
    with pytest.raises(ValueError, match="logit_bytes must be an integer of at least 1, got 0"):
        rank_memory("Llama 3 70B", layout, **SIZE, stage=stage, logit_bytes=0)
    with pytest.raises(ValueError, match="stage must be an integer of at least -1, got -2"):
        rank_memory("Llama 3 70B", layout, **SIZE, stage=-2)


def test_more_data_ranks_free_what_mlperfs_logs_say() -> None:
    """The state shrinks with ZeRO 1 by as many GiB as the logged peaks do."""
    states = []
    for data, _ in MLPERF:
        layout = Layout(tensor=8, pipeline=8, context=2, data=data, chunks=8, stage=1)
        held = rank_memory(
            "Llama 3 405B", layout, batch_sequences=1152, sequence=8192, recipe="mixed-adam-fp32-gradients"
        )
        states.append(held.state / 2**30)
    logged = [peak for _, peak in MLPERF]
    freed = [(states[i] - states[i + 1], logged[i] - logged[i + 1]) for i in range(2)]
    assert all(own == pytest.approx(theirs, rel=0.15) for own, theirs in freed)
    assert all(state < peak for state, peak in zip(states, logged, strict=True))


@pytest.mark.parametrize(("context", "data", "peak"), [(1, 8, 83.9), (2, 4, 84.2), (4, 2, 84.0), (8, 1, 84.5)])
def test_torchtitans_long_sequences_peak_where_they_did(context: int, data: int, peak: float) -> None:
    """Llama 3.1 8B on 8 H100 of 96 GB, FSDP, full recomputation: 32,768 tokens on each, GiB as printed."""
    layout = Layout(context=context, data=data, stage=3, recompute="full")
    held = rank_memory(
        "Llama 3 8B", layout, batch_sequences=data, sequence=32768 * context, recipe="fp32-adam", logit_bytes=14
    )
    assert held.total / 2**30 == pytest.approx(peak, rel=0.1)


OWN_RECIPE = {"MLPerf 405B": "mixed-adam-fp32-gradients", "torchtitan": "fp32-adam"}


@pytest.mark.parametrize("group", GROUPS)
def test_published_layouts_are_judged_to_fit(group: str) -> None:
    """All that ran, but for torchtitan's selective recomputation, which drops every other matmul's result besides."""
    for row in published_steps(group):
        if group == "torchtitan" and row.layout.recompute == "selective":
            continue
        for stage in (0, -1):
            held = rank_memory(
                row.model,
                row.layout,
                batch_sequences=row.batch_sequences,
                sequence=row.sequence,
                stage=stage,
                recipe=OWN_RECIPE.get(group, "mixed-adam"),
                attention=row.attention,
                dtype=row.dtype,
            )
            assert held.total <= row.node.accelerator.memory_bytes, (row.name, held)


def test_fp8_halves_the_inputs_of_matmuls_alone() -> None:
    wide, narrow = (layer_kept_bytes("Llama 3 8B", Layout(), sequence=100, dtype=dtype) for dtype in ("bf16", "fp8"))
    assert wide - narrow == 100 * (2 * 4096 + 4096 + 14336)


def test_a_micro_batch_more_costs_what_bloom_saw() -> None:
    """181B on 384 A100, ZeRO 1, full recomputation: 29, 37, 49 and 69 GB with micro-batches of 1, 2, 4 and 8."""
    model = replace(gpt_like("181B", layers=72, hidden=14336, heads=64, positions=2048), vocabulary=250880)
    peaks = []
    for size in (1, 2, 4, 8):
        layout = Layout(
            tensor=8, pipeline=12, data=4, micro_batch=size, stage=1, recompute="full", sequence_parallel=False
        )
        held = rank_memory(
            model,
            layout,
            batch_sequences=2048,
            sequence=2048,
            attention="standard",
            recipe="mixed-adam-both-gradients",
        )
        peaks.append(held.total / 2**30)
    published = [29, 37, 49, 69]
    assert all(own < theirs for own, theirs in zip(peaks, published, strict=True))
    assert all(own > 0.8 * theirs for own, theirs in zip(peaks, published, strict=True))


@pytest.mark.parametrize(("gpus", "peak"), [(512, 93.521), (2048, 92.802)])
def test_blackwell_holds_weights_in_fp8_once(gpus: int, peak: float) -> None:
    """MLPerf Training v5.0, 405B on GB200, max_memory_usage; with two copies of the weights 10% too much and more."""
    layout = Layout(tensor=4, pipeline=8, context=2, data=gpus // 64, chunks=8)
    size: dict[str, Any] = {"batch_sequences": 40 * gpus // 64, "sequence": 8192, "dtype": "fp8"}
    held = {
        device: rank_memory("Llama 3 405B", layout, **size, recipe=held_recipe(device, "fp8")).total / 2**30 / peak
        for device in ("GB200", "H100 SXM")
    }
    assert held["GB200"] == pytest.approx(1, abs=0.04)
    assert held["H100 SXM"] > 1.09


def test_a_narrow_recipe_is_for_weights_of_two_bytes() -> None:
    assert held_recipe("GB200", "bf16").parameters == 2
    assert held_recipe("GB200", "fp4").parameters == 1
    assert held_recipe("GB200", "fp8", recipe="fp32-adam").parameters == 4
    assert held_recipe("GB200", "fp8").optimizer_bytes == 12


# b, s, t, p, v, c, d, recomputation and GiB: torchtitan, benchmarks/llama3_h100_202412_torchtitan.md at b5bcd76
TORCHTITAN = [
    ("8B", 2, 8192, 1, 1, 1, 1, 8, "selective", 82.4),
    ("8B", 2, 8192, 1, 1, 1, 1, 128, "selective", 67.0),
    ("405B", 4, 8192, 8, 8, 2, 1, 8, "full", 72.7),
    ("405B", 1, 65536, 8, 8, 2, 2, 4, "full", 75.9),
]


@pytest.mark.parametrize(("size", "b", "s", "t", "p", "v", "c", "d", "recompute", "peak"), TORCHTITAN)
def test_fsdp_holds_what_torchtitan_printed(
    size: str, b: int, s: int, t: int, p: int, v: int, c: int, d: int, recompute: str, peak: float
) -> None:
    layout = Layout(
        tensor=t,
        pipeline=p,
        chunks=v,
        context=c,
        data=d,
        micro_batch=b,
        stage=3,
        recompute=recompute,
        uneven=True,
    )
    held = rank_memory(
        f"Llama 3 {size}", layout, batch_sequences=d * b * p, sequence=s, recipe="fp32-adam", engine="fsdp2"
    )
    assert held.total / 2**30 == pytest.approx(peak, rel=0.1)


def test_torchtitans_policy_keeps_every_other_product() -> None:
    """Of seven matmuls of a layer of the 8B the first, third, fifth and seventh; the layer's input; attention's output.

    Whole gathered inputs are what tensor ranks hold besides, and a pipeline's stage holds weights and gradients whole.
    """
    model, x = MODELS["Llama 3 8B"], 8192
    size: dict[str, Any] = {"batch_sequences": 8, "sequence": x, "recipe": "fp32-adam", "engine": "fsdp2"}
    one = Layout(data=8, stage=3, recompute="selective")
    two = rank_memory(replace(model, layers=64), one, **size)
    added = two.activations - rank_memory(model, one, **size).activations
    numbers = 4096 + 4096 + 1024 + 14336 + 4096 + 4096
    assert added == 32 * x * (2 * numbers + 4 * 32)
    bare = Layout(tensor=8, data=8, stage=3, recompute="none")
    cut = {name: rank_memory(model, bare, **{**size, "engine": name}, stage=0) for name in ("megatron", "fsdp2")}
    whole = 2 * x * 4096 * 7 // 8
    logits = (16 - 8) * x * 128256 // 8
    assert cut["fsdp2"].activations - cut["megatron"].activations == 32 * 2 * whole + whole + logits
    deep = Layout(pipeline=2, data=8, stage=3, recompute="full")
    size = {**size, "batch_sequences": 16, "stage": 0}
    piped = {name: rank_memory(model, deep, **{**size, "engine": name}) for name in ("megatron", "fsdp2")}
    own = rank_parameters(model, deep).total
    assert piped["fsdp2"].buffers - piped["megatron"].buffers == own * (2 + 4)
    assert piped["fsdp2"].activations - piped["megatron"].activations == 2 * 2 * x * 4096


OF_MODULES = {"layernorm": "Llama 3 70B", "mlp": "Llama 3 70B", "moe_act": "Mixtral 8x7B", "mla_up_proj": "DeepSeek-V3"}


@pytest.mark.parametrize(("module", "name"), OF_MODULES.items())
def test_a_module_keeps_its_tensors(module: str, name: str) -> None:
    """By hand: two norms' results; gate, up and product; the experts' products; queries, keys and values of latents."""
    model, x = MODELS[name], 4096
    widths = {
        "layernorm": 2 * model.hidden,
        "mlp": 3 * model.feed_forward.width if model.feed_forward else 0,
        "moe_act": model.experts.per_token * model.experts.width if model.experts else 0,
        "mla_up_proj": 128 * (192 + 192 + 128),
    }
    kept = module_kept_bytes(name, Layout(tensor=4), sequence=x, modules=[module])
    assert kept == pytest.approx(x * 2 * widths[module] / 4)
    assert 0 < kept < layer_kept_bytes(name, Layout(tensor=4), sequence=x)
    assert module_kept_bytes("Llama 3 8B", Layout(), sequence=x, modules=["mla_up_proj", "moe_act"]) == 0
