"""Layouts as flags and configurations: parsed back, they are the layout; what a system cannot run is refused."""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import shlex
import tomllib
from dataclasses import replace
from typing import Any

import pytest

from snippets.composition.configuration_search.exported import CHECKED, SYSTEMS, layout_flags
from snippets.composition.layouts import Layout, check_layout, stage_layers
from snippets.job import THE_70B
from snippets.models import MODELS, Transformer

JOB: dict[str, Any] = {"model": "Llama 3 70B", "sequence": 8192, "batch_sequences": 512}
SWAPPED = ("tensor", "context", "pipeline", "data")


def megatron_parser() -> argparse.ArgumentParser:
    """The options that are printed, as megatron-core 0.19.2 declares them: type, choices, whether a value follows."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    numbers = (
        "tensor-model-parallel pipeline-model-parallel context-parallel expert-model-parallel expert-tensor-parallel"
    )
    names = [f"{name}-size" for name in numbers.split()] + ["micro-batch-size", "global-batch-size", "seq-length"]
    names += ["num-layers-per-virtual-pipeline-stage", "microbatch-group-size-per-virtual-pipeline-stage"]
    names += ["recompute-num-layers", "num-layers", "hidden-size", "ffn-hidden-size", "num-attention-heads"]
    names += ["num-query-groups", "kv-channels", "max-position-embeddings", "num-experts", "moe-router-topk"]
    names += ["moe-ffn-hidden-size", "moe-shared-expert-intermediate-size", "q-lora-rank", "kv-lora-rank"]
    names += ["qk-head-dim", "qk-pos-emb-head-dim", "v-head-dim"]
    for name in names:
        parser.add_argument(f"--{name}", type=int)
    choices = {
        "recompute-granularity": ("full", "selective"),
        "recompute-method": ("uniform", "block"),
        "data-parallel-sharding-strategy": ("no_shard", "optim", "optim_grads", "optim_grads_params"),
        "ckpt-format": ("torch", "torch_dist", "torch_dcp", "fsdp_dtensor"),
        "moe-token-dispatcher-type": ("allgather", "alltoall", "flex"),
        "fp8-format": ("e4m3", "hybrid"),
        "fp4-format": ("e2m1",),
        "normalization": ("LayerNorm", "RMSNorm"),
        "position-embedding-type": ("learned_absolute", "rope", "mrope", "yarn", "relative", "none"),
    }
    for name, allowed in choices.items():
        parser.add_argument(f"--{name}", choices=allowed)
    modules = ("core_attn", "moe_act", "layernorm", "mla_up_proj", "mlp", "moe", "shared_experts", "gdn_norm_out")
    parser.add_argument("--recompute-modules", nargs="+", choices=modules)
    parser.add_argument("--cp-comm-type", nargs="+", choices=("p2p", "a2a", "allgather", "a2a+p2p"))
    parser.add_argument("--pipeline-model-parallel-layout")
    parser.add_argument("--moe-layer-freq")
    flags = "sequence-parallel use-distributed-optimizer overlap-grad-reduce overlap-param-gather use-megatron-fsdp "
    flags += "no-gradient-accumulation-fusion use-tp-pp-dp-mapping moe-grouped-gemm bf16 swiglu disable-bias-linear "
    flags += "grad-reduce-in-bf16 "
    flags += "group-query-attention multi-latent-attention untie-embeddings-and-output-weights add-qkv-bias "
    flags += "qk-layernorm account-for-embedding-in-pipeline-split account-for-loss-in-pipeline-split"
    for name in flags.split():
        parser.add_argument(f"--{name}", action="store_true")
    return parser


def megatron(text: str) -> argparse.Namespace:
    words = shlex.split(re.sub(r"^(?:\w+_ARGS=\(|\))$", "", text, flags=re.MULTILINE), comments=True)
    return megatron_parser().parse_args(words)


def deepspeed(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    return found


def layouts(count: int) -> list[tuple[Transformer, Layout]]:
    """Layouts of any kind that run a model, drawn by chance."""
    draw = random.Random(29)
    found: list[tuple[Transformer, Layout]] = []
    while len(found) < count:
        model = MODELS[draw.choice([*MODELS])]
        pipeline = draw.choice((1, 2, 4, 5, 8, 16))
        moe = model.experts is not None
        try:
            layout = Layout(
                tensor=draw.choice((1, 2, 4, 8)),
                pipeline=pipeline,
                data=draw.choice((1, 2, 4, 8, 16)),
                context=draw.choice((1, 1, 2)),
                chunks=draw.choice((1, 2, 3, 4, 5, 8)) if pipeline > 1 else 1,
                expert=draw.choice((1, 2, 4, 8)) if moe else 1,
                expert_tensor=draw.choice((1, 1, 2)) if moe else 1,
                stage=draw.randrange(4),
                micro_batch=draw.choice((1, 2)),
                recompute=draw.choice(("none", "selective", "full")),
                uneven=draw.random() < 0.4,
                sequence_parallel=draw.random() < 0.8,
                context_kind=draw.choice(("ring", "all_gather")),
                order=draw.choice((Layout().order, Layout().order, SWAPPED)),
            )
            check_layout(model, layout, batch_sequences=480, sequence=4096)
        except ValueError:
            continue
        found.append((model, layout))
    return found


def written(system: str, model: Transformer, layout: Layout) -> str | None:
    """What is written of a layout; nothing where the system cannot run it."""
    try:
        return layout_flags(layout, system=system, model=model, sequence=4096, batch_sequences=480)
    except ValueError:
        return None


def test_megatrons_flags_are_the_layout() -> None:
    """Degrees, batch and widths come back, and so do the layers of every stage."""
    for model, layout in layouts(400):
        text = written("Megatron-LM", model, layout)
        assert text is not None
        found = megatron(text)
        sizes = found.tensor_model_parallel_size, found.pipeline_model_parallel_size, found.context_parallel_size
        assert sizes == (layout.tensor, layout.pipeline, layout.context)
        assert layout.ranks % (sizes[0] * sizes[1] * sizes[2]) == 0
        data = layout.ranks // (sizes[0] * sizes[1] * sizes[2])
        assert found.global_batch_size == found.micro_batch_size * layout.micro_batches(480) * data
        assert (found.seq_length, found.num_layers, found.hidden_size) == (4096, model.layers, model.hidden)
        assert found.sequence_parallel == (layout.sequence_parallel and layout.tensor > 1)
        assert found.use_tp_pp_dp_mapping == (layout.order == SWAPPED)
        assert found.recompute_granularity == (None if layout.recompute == "none" else layout.recompute)
        assert found.use_distributed_optimizer == (layout.stage > 0)
        strategy = {2: "optim_grads", 3: "optim_grads_params"}.get(layout.stage)
        assert found.data_parallel_sharding_strategy == strategy
        assert found.use_megatron_fsdp == (layout.stage > 1)
        if model.experts is not None:
            experts = found.expert_model_parallel_size, found.expert_tensor_parallel_size, found.num_experts
            assert experts == (layout.expert, layout.expert_tensor, model.experts.experts)
        assert megatron_layers(found, layout.chunks) == stage_layers(
            model.layers, stages=layout.pipeline, chunks=layout.chunks, uneven=layout.uneven
        )


def megatron_layers(found: argparse.Namespace, chunks: int) -> tuple[int, ...]:
    """Layers of each stage, as Megatron-LM deals them by these flags; its chunks are checked on the way."""
    stages = found.pipeline_model_parallel_size
    if found.pipeline_model_parallel_layout:
        places = found.pipeline_model_parallel_layout.split("|")
        assert (places[0][0], places[-1][-1], len(places)) == ("E", "L", stages * chunks)
        return tuple(sum(place.count("t") for place in places[rank::stages]) for rank in range(stages))
    ends = found.account_for_embedding_in_pipeline_split
    assert ends == found.account_for_loss_in_pipeline_split
    total = found.num_layers + 2 * ends
    assert total % stages == 0
    if chunks > 1:
        assert total // stages == chunks * found.num_layers_per_virtual_pipeline_stage
    return tuple(total // stages - (ends and rank in (0, stages - 1)) for rank in range(stages))


def test_groups_of_micro_batches_are_those_that_megatron_takes() -> None:
    """Its schedule wants groups from p to m, whose rest is nothing or at least p."""
    for stages, micro_batches in itertools.product((2, 4, 8), range(8, 40)):
        layout = Layout(pipeline=stages, chunks=2)
        size: dict[str, Any] = {"sequence": 4096, "batch_sequences": micro_batches}
        found = megatron(layout_flags(layout, system="megatron", model="Llama 3 8B", **size))
        group = found.microbatch_group_size_per_virtual_pipeline_stage or stages
        assert stages <= group <= micro_batches
        assert micro_batches % group == 0 or micro_batches % group >= stages


def test_torchtitans_configuration_is_the_layout() -> None:
    """The degrees multiply to the ranks, the batch to the sequences, and the stages have the layout's layers."""
    seen = 0
    for model, layout in layouts(400):
        if (text := written("torchtitan", model, layout)) is None:
            continue
        seen += 1
        doc = tomllib.loads(text)
        cut, training = doc["parallelism"], doc["training"]
        names = "data_parallel_replicate data_parallel_shard tensor_parallel context_parallel pipeline_parallel"
        product = 1
        for name in names.split():
            product *= cut[f"{name}_degree"]
        assert product == layout.ranks
        data = cut["data_parallel_replicate_degree"] * cut["data_parallel_shard_degree"]
        local = training["local_batch_size"]
        assert training["global_batch_size"] % (local * data) == 0
        steps, size = training["global_batch_size"] // (local * data), local
        if layout.pipeline > 1:
            assert (steps, cut["pipeline_parallel_microbatch_size"]) == (1, layout.micro_batch)
            steps, size = local // layout.micro_batch, layout.micro_batch
            assert titan_layers(model.layers, cut, layout.chunks) == stage_layers(
                model.layers, stages=layout.pipeline, chunks=layout.chunks, uneven=layout.uneven
            )
        assert steps * size * data == 480
        assert doc["activation_checkpoint"]["mode"] == ("full" if layout.recompute == "full" else "none")
    assert seen > 100


def titan_layers(layers: int, cut: dict[str, Any], chunks: int) -> tuple[int, ...]:
    """Layers of each stage, as torchtitan 0.2.2 deals them: evenly, the first more, the ends weighing one."""
    stages, ends = cut["pipeline_parallel_degree"], cut["pipeline_parallel_first_stage_less_layers"]
    assert ends == cut["pipeline_parallel_last_stage_less_layers"]
    total = layers + 2 * ends
    each = cut.get("pipeline_parallel_layers_per_stage")
    places = -(-total // each) if each else stages
    assert places == stages * chunks
    counts = [total // places + (place < total % places) - ends * (place in (0, places - 1)) for place in range(places)]
    return tuple(sum(counts[rank::stages]) for rank in range(stages))


def test_deepspeeds_configuration_is_the_layout() -> None:
    seen = 0
    for model, layout in layouts(400):
        if (text := written("DeepSpeed", model, layout)) is None:
            continue
        seen += 1
        doc = deepspeed(text)
        steps = doc["train_micro_batch_size_per_gpu"] * doc["gradient_accumulation_steps"]
        assert doc["train_batch_size"] == steps * layout.data == 480
        assert doc["zero_optimization"] == {"stage": layout.stage}
        assert doc["bf16"] == {"enabled": True}
        tensor = doc.get("tensor_parallel", {}).get("autotp_size", 1)
        assert tensor == (layout.tensor if layout.pipeline == 1 else 1)
        assert doc.get("expert_parallel", {}).get("autoep_size", 1) == layout.expert
        if layout.pipeline > 1:
            assert "PipelineModule(" in text
    assert seen > 30


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_release_it_was_read_in_stands_first(system: str) -> None:
    text = layout_flags(Layout(data=256, stage=3), system=system, **JOB)
    assert f"{CHECKED[system].version} on {CHECKED[system].read}; not run" in text.splitlines()[0]


@pytest.mark.parametrize(("typed", "system"), [("megatron", "Megatron-LM"), ("Torch Titan", "torchtitan")])
def test_a_system_has_its_usual_names(typed: str, system: str) -> None:
    assert layout_flags(Layout(data=256), system=typed, **JOB).startswith(f"# {system}")


def test_the_processes_are_started_on_the_jobs_nodes() -> None:
    text = layout_flags(Layout(tensor=8, pipeline=4, data=8), system="Megatron-LM", node=THE_70B.node, **JOB)
    assert "torchrun --nnodes 32 --nproc-per-node 8 pretrain_gpt.py" in text
    assert "--nnodes" not in layout_flags(Layout(data=256), system="Megatron-LM", node="GB200 NVL72", **JOB)


def test_dropped_tensors_are_modules_or_a_budget() -> None:
    """All that a 70B's layer drops in chapter 26's plan is what Megatron's layernorm and mlp drop."""
    layout = Layout(tensor=8, pipeline=4, data=8)
    dropped = ("normed for attention", "normed for feed-forward", "gate", "up", "gated product")
    text = layout_flags(layout, system="Megatron-LM", dropped=dropped, **JOB)
    assert megatron(text).recompute_modules == ["layernorm", "mlp"]
    assert "stay in memory" not in text
    text = layout_flags(layout, system="Megatron-LM", dropped=(*dropped, "query"), **JOB)
    assert "no module of --recompute-modules drops: query; these stay in memory" in text
    doc = tomllib.loads(layout_flags(layout, system="torchtitan", dropped=dropped, **JOB))
    h, inner, kv, heads = 8192, 28672, 1024, 64
    kept = 2 * h + 4 * kv + 2 * h + 4 * heads + 2 * h  # query, key and value, attention's output, second norm's input
    share = kept / (kept + 4 * h + 6 * inner)
    assert doc["activation_checkpoint"] == {"mode": "memory_budget", "memory_budget": round(share, 2)}
    assert doc["compile"] == {"enable": True}
    assert "gate, up" in layout_flags(replace(layout, pipeline=1), system="DeepSpeed", dropped=("gate", "up"), **JOB)


REFUSED: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("DeepSpeed", {"pipeline": 4, "data": 8, "stage": 3}, {}, "stage must be 0 or 1"),
    ("DeepSpeed", {"pipeline": 4, "data": 8, "chunks": 2}, {}, "chunks must be 1"),
    ("DeepSpeed", {"context": 2, "data": 8}, {}, "context must be 1"),
    ("DeepSpeed", {"data": 8}, {"dtype": "fp8"}, "dtype must be 'bf16'"),
    ("DeepSpeed", {"data": 8, "pipeline": 2, "order": SWAPPED}, {}, "order must be"),
    ("DeepSpeed", {"data": 8, "pipeline": 2, "expert": 8}, {"model": "Mixtral 8x7B"}, "expert must be 1"),
    ("DeepSpeed", {"data": 8, "tensor": 2}, {"model": "Mixtral 8x7B"}, "expert must be above 1"),
    ("DeepSpeed", {"data": 8, "tensor": 2, "expert_tensor": 2}, {"model": "Mixtral 8x7B"}, "expert_tensor must be 1"),
    ("torchtitan", {"data": 8, "tensor": 2, "stage": 0}, {}, "stage must be above 0"),
    ("torchtitan", {"data": 8, "tensor": 2, "sequence_parallel": False}, {}, "sequence_parallel must be True"),
    ("torchtitan", {"data": 8, "tensor": 8}, {"sequence": 8200}, "sequence must be a multiple of"),
    ("torchtitan", {"data": 8}, {"dtype": "fp4"}, "dtype must be 'bf16' or 'fp8'"),
    ("torchtitan", {"data": 8, "pipeline": 2, "order": SWAPPED}, {}, "order must be"),
    ("torchtitan", {"data": 1, "pipeline": 4, "chunks": 2}, {"batch_sequences": 9}, "chunks must be 1"),
    ("torchtitan", {"pipeline": 4, "chunks": 8, "uneven": True}, {}, "chunks must be such that"),
    (
        "torchtitan",
        {"data": 8, "tensor": 8, "expert": 8, "expert_tensor": 2},
        {"model": "Mixtral 8x7B"},
        "expert_tensor must be 1 or tensor = 8",
    ),
    (
        "Megatron-LM",
        {"data": 8, "pipeline": 2, "order": ("data", "tensor", "context", "pipeline")},
        {},
        "order must be",
    ),
    ("Megatron-LM", {"pipeline": 3}, {}, "layers must be a multiple of"),
    ("NeMo", {}, {}, "system must be one of 'Megatron-LM', 'torchtitan', 'DeepSpeed', got 'NeMo'"),
    ("Megatron-LM", {}, {"dropped": ("gates",)}, "dropped must be one of 'normed for attention', "),
    ("Megatron-LM", {"recompute": "full"}, {"dropped": ("gate",)}, "dropped must be empty where"),
]


@pytest.mark.parametrize(("system", "cut", "more", "told"), REFUSED)
def test_what_a_system_cannot_run_is_refused(system: str, cut: dict[str, Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        layout_flags(Layout(**cut), system=system, **{**JOB, **more})
