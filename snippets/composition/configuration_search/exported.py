"""Formulas: a layout as what a training system reads: Megatron-LM's flags, torchtitan's TOML, DeepSpeed's JSON.

Names of options were read in one release of each system (``CHECKED``); none was run. What a system cannot run is
refused. What it does differently from the plan, or what could not be checked, is a comment at the head of the text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from snippets.composition.layouts import AXES, Layout, check_layout
from snippets.composition.rank_memory import rank_parameters
from snippets.composition.three_d.formulas import gated_tensor_prices
from snippets.domain import each, named, of_kind, one_of, positive_integer, text
from snippets.hardware import NODES, Node
from snippets.models import MODELS, Attention, Transformer


class CheckedAgainst(NamedTuple):
    """The release of a system in which the names of its options were read.

    >>> CHECKED["torchtitan"].version
    'torchtitan 0.2.2'
    """

    version: str
    files: str
    read: str


CHECKED = {
    "Megatron-LM": CheckedAgainst(
        "megatron-core 0.19.2",
        "megatron/training/arguments.py, training/config, core/model_parallel_config.py, core/transformer",
        "2026-11-29",
    ),
    "torchtitan": CheckedAgainst(
        "torchtitan 0.2.2",
        "torchtitan/config/job_config.py, distributed, models/llama3/infra/parallelize.py, train.py",
        "2026-11-29",
    ),
    "DeepSpeed": CheckedAgainst(
        "deepspeed 0.19.8",
        "deepspeed/runtime/config.py, runtime/pipe, runtime/tensor_parallel/config.py, module_inject",
        "2026-11-29",
    ),
}
SYSTEMS = tuple(CHECKED)
_ALIASES = {"Megatron": "Megatron-LM", "Megatron Core": "Megatron-LM", "mcore": "Megatron-LM", "titan": "torchtitan"}
_DTYPES = ("bf16", "fp8", "fp4")
_NORMS = ("normed for attention", "normed for feed-forward")
_INNER = ("gate", "up", "gated product")
# The models that torchtitan 0.2.2 has under a name of its own.
_TITAN_MODELS = {
    "Llama 3 8B": ("llama3", "8B"),
    "Llama 3 70B": ("llama3", "70B"),
    "Llama 3 405B": ("llama3", "405B"),
    "Qwen3 8B": ("qwen3", "8B"),
    "Qwen3 32B": ("qwen3", "32B"),
    "Qwen3 30B-A3B": ("qwen3", "30B-A3B"),
    "Qwen3 235B-A22B": ("qwen3", "235B-A22B"),
    "DeepSeek-V2": ("deepseek_v3", "236B"),
    "DeepSeek-V3": ("deepseek_v3", "671B"),
}
_MOST_GPUS_OF_A_HOST = 8  # a rack of 72 is many hosts


class _Run(NamedTuple):
    """What all three systems are told."""

    layout: Layout
    model: Transformer
    sequence: int
    batch_sequences: int
    dropped: tuple[str, ...]
    node: Node | None
    dtype: str

    @property
    def micro_batches(self) -> int:
        return self.layout.micro_batches(self.batch_sequences)

    @property
    def ends_count(self) -> bool:
        """Whether the embedding and the head take a layer's place each, as in ``stage_layers``."""
        layers, places = self.model.layers, self.layout.pipeline * self.layout.chunks
        return self.layout.pipeline > 1 and layers % places != 0 == (layers + 2) % places


def layout_flags(
    layout: Layout,
    *,
    system: str,
    model: Transformer | str,
    sequence: int,
    batch_sequences: int,
    dropped: Sequence[str] = (),
    node: Node | str | None = None,
    dtype: str = "bf16",
) -> str:
    """Return a layout as the flags or the configuration that a training system reads.

    Args:
        layout: the layout.
        system: one of ``SYSTEMS``.
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of a sequence.
        batch_sequences: sequences of a step, of all ranks together.
        dropped: tensors that every layer drops and makes again, by the names of ``gated_tensor_prices``.
        node: a name in ``NODES``, or a node of your own, for the line that starts the processes.
        dtype: of the weights' matmuls: ``"bf16"``, ``"fp8"`` or ``"fp4"``.

    Returns:
        For Megatron-LM two arrays of a shell script, for torchtitan a TOML file, for DeepSpeed a JSON object. Each has
        comments above it, on lines that begin with #; JSON allows none, so leave them out of the file.

    Raises:
        ValueError: if the layout cannot run the model, or the system cannot run the layout; the message says why.

    Source: Megatron-LM, torchtitan and DeepSpeed, in the releases that ``CHECKED`` names.
    Convention: what a system does differently from the plan, and what was not checked, stands in the comments.
    Leaves out: data, tokenizer, learning rate, checkpoints; whether the system runs it: the options were read, not run.

    Example:
        >>> text = layout_flags(
        ...     Layout(tensor=8, pipeline=4, data=8),
        ...     system="Megatron-LM",
        ...     model="Llama 3 70B",
        ...     sequence=8192,
        ...     batch_sequences=512,
        ... )
        >>> [line.strip() for line in text.splitlines() if "-size" in line][:3]
        ['--tensor-model-parallel-size 8', '--pipeline-model-parallel-size 4', '--context-parallel-size 1']
    """
    found = MODELS.find(model)
    of_kind("layout", layout, Layout)
    system = named("system", system, SYSTEMS, aliases=_ALIASES)
    sequence, batch = positive_integer("sequence", sequence), positive_integer("batch_sequences", batch_sequences)
    check_layout(found, layout, batch_sequences=batch, sequence=sequence)
    gone = _dropped(found, dropped, layout.recompute)
    host = None if node is None else NODES.find(node)
    run = _Run(layout, found, sequence, batch, gone, host, named("dtype", dtype, _DTYPES))
    write = {"Megatron-LM": _megatron, "torchtitan": _torchtitan, "DeepSpeed": _deepspeed}[system]
    notes, body = write(run)
    return "\n".join([*(f"# {line}" for line in [*_head(run, system), *notes]), *body])


def _dropped(model: Transformer, dropped: Sequence[str], recompute: str) -> tuple[str, ...]:
    """Return the dropped tensors, if they are a layer's and nothing else is recomputed."""
    gone = each("dropped", dropped, text)
    if not gone:
        return ()
    if recompute != "none":
        raise ValueError(f"dropped must be empty where the layout's recompute is {recompute!r}, got {gone!r}")
    known = [price.name for price in gated_tensor_prices(model, sequence=1)]
    for name in gone:
        one_of("dropped", name, known)
    return gone


def _head(run: _Run, system: str) -> list[str]:
    """Return what was checked, and what the layout is."""
    cut, checked = run.layout, CHECKED[system]
    axes = {"tensor": cut.tensor, "context": cut.context, "pipeline": cut.pipeline, "data": cut.data}
    product = " × ".join(f"{name} {size}" for name, size in axes.items())
    steps = f"{cut.micro_batch} a micro-batch × {run.micro_batches} micro-batches × {cut.data} data ranks"
    return [
        f"{system}: options read in {checked.version} on {checked.read}; not run",
        f"{run.model.name}: {cut.ranks} GPUs = {product}",
        f"{run.batch_sequences} sequences a step = {steps}",
    ]


def _refuse_order(layout: Layout, allowed: Sequence[tuple[str, ...]], system: str) -> None:
    if layout.order not in allowed and any(getattr(layout, axis) > 1 for axis in AXES):
        orders = " or ".join(", ".join(order) for order in allowed)
        raise ValueError(f"order must be {orders} for {system}, got {', '.join(layout.order)}")


# Megatron-LM


def _megatron(run: _Run) -> tuple[list[str], list[str]]:
    """Return notes, and two arrays of a shell script."""
    notes: list[str] = []
    flags = [*_megatron_axes(run), *_megatron_stages(run, notes), *_megatron_zero(run, notes)]
    flags += [*_megatron_recompute(run, notes), *_megatron_batch(run)]
    widths = _megatron_model(run, notes)
    arrays = ["LAYOUT_ARGS=(", *(f"  {flag}" for flag in flags), ")", "MODEL_ARGS=(", *(f"  {one}" for one in widths)]
    start = _torchrun(run)
    last = f'# {start} pretrain_gpt.py "${{MODEL_ARGS[@]}}" "${{LAYOUT_ARGS[@]}}"'
    return notes, [*arrays, ")", last, "# and your data, tokenizer, learning rate and checkpoints"]


def _torchrun(run: _Run) -> str:
    """Return the command that starts a process for each GPU, as far as the hosts are known."""
    node = run.node
    if node is None or node.accelerators > _MOST_GPUS_OF_A_HOST or run.layout.ranks % node.accelerators:
        return "torchrun"
    return f"torchrun --nnodes {run.layout.ranks // node.accelerators} --nproc-per-node {node.accelerators}"


def _megatron_axes(run: _Run) -> list[str]:
    cut = run.layout
    swapped = ("tensor", "context", "pipeline", "data")
    _refuse_order(cut, (AXES, swapped), "Megatron-LM")
    flags = [
        f"--tensor-model-parallel-size {cut.tensor}",
        f"--pipeline-model-parallel-size {cut.pipeline}",
        f"--context-parallel-size {cut.context}",
    ]
    if cut.context > 1:
        flags.append(f"--cp-comm-type {'p2p' if cut.context_kind == 'ring' else 'allgather'}")
    if run.model.experts is not None:
        flags += [
            f"--expert-model-parallel-size {cut.expert}",
            f"--expert-tensor-parallel-size {cut.expert_tensor}",
            "--moe-token-dispatcher-type alltoall",
            "--moe-grouped-gemm",
        ]
    if cut.sequence_parallel and cut.tensor > 1:
        flags.append("--sequence-parallel")
    if cut.order == swapped:
        flags.append("--use-tp-pp-dp-mapping")
    return flags


def _megatron_stages(run: _Run, notes: list[str]) -> list[str]:
    """Return how the layers are dealt among stages and chunks."""
    cut, layers = run.layout, run.model.layers
    places = cut.pipeline * cut.chunks
    if cut.pipeline == 1:
        return []
    flags = []
    if layers % places == 0:
        if cut.chunks > 1:
            flags.append(f"--num-layers-per-virtual-pipeline-stage {layers // places}")
    elif run.ends_count:
        flags += ["--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"]
        if cut.chunks > 1:
            flags.append(f"--num-layers-per-virtual-pipeline-stage {(layers + 2) // places}")
    else:
        counts = [layers // places + (place < layers % places) for place in range(places)]
        stages = "|".join("t" * count for count in counts)
        flags.append(f"--pipeline-model-parallel-layout 'E{stages}L'")
    if cut.chunks > 1 and run.micro_batches % cut.pipeline:
        group = _least_group(run.micro_batches, cut.pipeline)
        flags.append(f"--microbatch-group-size-per-virtual-pipeline-stage {group}")
        notes.append(
            f"{run.micro_batches} micro-batches are no multiple of {cut.pipeline} stages, so they run in groups of"
            f" {group}: more are in flight, and hold memory, than the plan counts"
        )
    return flags


def _least_group(micro_batches: int, stages: int) -> int:
    """Return the least group of micro-batches that leaves no rest, or a rest of at least as many as stages."""
    return next(n for n in range(stages, micro_batches + 1) if micro_batches % n == 0 or micro_batches % n >= stages)


def _megatron_zero(run: _Run, notes: list[str]) -> list[str]:
    cut = run.layout
    if cut.stage < 2:
        held = 2 * rank_parameters(run.model, cut).total / 1e9
        notes.append(
            f"the plan counts gradients in bf16: without --grad-reduce-in-bf16 they are fp32, {held:.1f} GB a GPU more"
        )
        if cut.tensor * cut.context > 1:
            notes.append("before Blackwell, set CUDA_DEVICE_MAX_CONNECTIONS=1")
        if cut.stage == 0:
            return ["--grad-reduce-in-bf16"]
        flags = ["--use-distributed-optimizer", "--overlap-grad-reduce", "--overlap-param-gather"]
        return [*flags, "--grad-reduce-in-bf16"]
    notes.append("Megatron-FSDP needs CUDA_DEVICE_MAX_CONNECTIONS unset or above 1")
    if cut.pipeline > 1:
        notes.append("Megatron-FSDP beside a pipeline: nothing in its arguments forbids it, its guide does not list it")
    if cut.stage == 3 and cut.pipeline == cut.expert == 1 and not run.model.tied:
        notes.append(
            "or by PyTorch: --use-torch-fsdp2 --ckpt-format torch_dist in place of the next four, and without"
            " --use-distributed-optimizer"
        )
    return [
        "--use-megatron-fsdp",
        f"--data-parallel-sharding-strategy {'optim_grads_params' if cut.stage == 3 else 'optim_grads'}",
        "--no-gradient-accumulation-fusion",
        "--ckpt-format fsdp_dtensor",
        "--use-distributed-optimizer",
        "--overlap-grad-reduce",
        "--overlap-param-gather",
    ]


def _megatron_recompute(run: _Run, notes: list[str]) -> list[str]:
    if run.layout.recompute == "full":
        return ["--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"]
    if run.layout.recompute == "selective":
        notes.append("a fused attention stores no scores: recomputing core_attn is for the unfused one")
        return ["--recompute-granularity selective", "--recompute-modules core_attn"]
    if not run.dropped:
        return []
    norms, inner = (any(name in run.dropped for name in names) for names in (_NORMS, _INNER))
    modules = ["layernorm"] * norms + ["mlp"] * inner
    covered = {*(_NORMS if norms else ()), *(_INNER if inner else ())}
    notes.append(f"the plan drops: {', '.join(run.dropped)}")
    if lacking := [name for name in run.dropped if name not in covered]:
        notes.append(f"no module of --recompute-modules drops: {', '.join(lacking)}; these stay in memory")
    if inner:
        notes.append("recomputing mlp drops gate, up and gated product, and runs the down projection again too")
    return ["--recompute-granularity selective", f"--recompute-modules {' '.join(modules)}"] if modules else []


def _megatron_batch(run: _Run) -> list[str]:
    flags = [
        f"--micro-batch-size {run.layout.micro_batch}",
        f"--global-batch-size {run.batch_sequences}",
        f"--seq-length {run.sequence}",
        "--bf16",
    ]
    return flags + {"bf16": [], "fp8": ["--fp8-format hybrid"], "fp4": ["--fp4-format e2m1"]}[run.dtype]


def _megatron_model(run: _Run, notes: list[str]) -> list[str]:
    """Return the model's widths."""
    model = run.model
    blocks, norm = model.feed_forward or model.experts, "LayerNorm" if model.norm_bias else "RMSNorm"
    assert blocks is not None  # a Transformer has one of them
    flags = [
        f"--num-layers {model.layers}",
        f"--hidden-size {model.hidden}",
        f"--ffn-hidden-size {blocks.width}",
        *_megatron_attention(model),
        f"--normalization {norm}",
        f"--position-embedding-type {'learned_absolute' if model.positions else 'rope'}",
        f"--max-position-embeddings {max(run.sequence, model.positions)}",
    ]
    flags += ["--swiglu"] * blocks.gated + ["--untie-embeddings-and-output-weights"] * (not model.tied)
    if not getattr(blocks, "bias", False):
        flags.append("--disable-bias-linear")
    if model.experts is not None:
        flags += _megatron_experts(model)
    notes.append(f"the vocabulary of {model.vocabulary:,} comes from your tokenizer, and is padded for its ranks")
    if model.norms_per_layer != 2:
        notes.append(f"this model has {model.norms_per_layer} norms a layer, Megatron-LM's layer has 2")
    return flags


def _megatron_attention(model: Transformer) -> list[str]:
    attention = model.attention
    flags = [f"--num-attention-heads {attention.heads}"]
    if not isinstance(attention, Attention):
        return [
            *flags,
            "--multi-latent-attention",
            f"--q-lora-rank {attention.query_rank}",
            f"--kv-lora-rank {attention.key_value_rank}",
            f"--qk-head-dim {attention.head_size}",
            f"--qk-pos-emb-head-dim {attention.rotary_size}",
            f"--v-head-dim {attention.value_size}",
        ]
    if attention.key_value_heads < attention.heads:
        flags += ["--group-query-attention", f"--num-query-groups {attention.key_value_heads}"]
    if attention.heads * attention.head_size != model.hidden:
        flags.append(f"--kv-channels {attention.head_size}")
    flags += ["--add-qkv-bias"] * (attention.query_key_value_bias and not attention.output_bias)
    return flags + ["--qk-layernorm"] * (attention.query_key_norm == "head")


def _megatron_experts(model: Transformer) -> list[str]:
    experts = model.experts
    assert experts is not None
    flags = [
        f"--num-experts {experts.experts}",
        f"--moe-router-topk {experts.per_token}",
        f"--moe-ffn-hidden-size {experts.width}",
    ]
    if experts.shared:
        flags.append(f"--moe-shared-expert-intermediate-size {experts.shared * experts.width}")
    if dense := model.layers - model.expert_layers:
        flags.append(f"--moe-layer-freq '([0]*{dense}+[1]*{model.expert_layers})'")
    return flags


# torchtitan


def _torchtitan(run: _Run) -> tuple[list[str], list[str]]:
    """Return notes, and the sections of a TOML file."""
    _refuse_for_torchtitan(run)
    notes: list[str] = []
    sections = {
        "model": _titan_model(run, notes),
        "training": _titan_training(run),
        "parallelism": _titan_parallelism(run, notes),
        "activation_checkpoint": _titan_recompute(run, notes),
    }
    if run.dropped:
        sections["compile"] = {"enable": True}
    if run.dtype == "fp8":
        sections["quantize.linear.float8"] = {"recipe_name": "tensorwise"}
        notes.append("torchtitan's other recipes for fp8 are rowwise and rowwise_with_gw_hp; the plan knows no recipe")
    notes.append("gradients are reduced in fp32, parameters and optimizer states kept in it ([training] dtype)")
    notes.append("torchtitan 0.3.0 reads no TOML; the same names are options there, such as")
    kept = {key: value for key, value in sections["parallelism"].items() if key not in _GONE_IN_TITAN_03}
    options = [f"--training.{key} {sections['training'][key]}" for key in ("local_batch_size", "seq_len")]
    options += [f"--parallelism.{key} {value}" for key, value in kept.items() if key.endswith("_degree")]
    notes.append(f"  {' '.join(options)}")
    lines = []
    for section, keys in sections.items():
        lines += ["", f"[{section}]", *(f"{key} = {_toml(value)}" for key, value in keys.items())]
    return notes, lines


_GONE_IN_TITAN_03 = ("expert_tensor_parallel_degree", "context_parallel_rotate_method")


def _toml(value: Any) -> str:
    return json.dumps(value)  # a boolean, a number, a text, a list of texts are the same in TOML


def _refuse_for_torchtitan(run: _Run) -> None:
    cut, system = run.layout, f"for {CHECKED['torchtitan'].version}"
    _refuse_order(cut, (AXES,), "torchtitan")
    if run.dtype == "fp4":
        raise ValueError(f"dtype must be 'bf16' or 'fp8' {system}, got 'fp4'")
    if cut.tensor > 1 and not cut.sequence_parallel:
        raise ValueError(f"sequence_parallel must be True {system} where tensor is above 1, got False")
    if run.sequence % (2 * cut.tensor * cut.context):
        whole = 2 * cut.tensor * cut.context
        raise ValueError(f"sequence must be a multiple of 2 × tensor × context = {whole} {system}, got {run.sequence}")
    if cut.stage == 0 and cut.data > 1 and cut.data != cut.ranks:
        raise ValueError(f"stage must be above 0 {system} where other axes than data are above 1, got 0")
    if cut.expert > 1 and cut.expert_tensor not in (1, cut.tensor):
        raise ValueError(f"expert_tensor must be 1 or tensor = {cut.tensor} {system}, got {cut.expert_tensor}")
    if cut.chunks > 1 and run.micro_batches % (run.micro_batches // cut.pipeline):
        rounds = run.micro_batches // cut.pipeline
        raise ValueError(f"chunks must be 1 {system} where micro-batches are no multiple of {rounds}, got {cut.chunks}")


def _titan_model(run: _Run, notes: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if run.model.name in _TITAN_MODELS:
        found["name"], found["flavor"] = _TITAN_MODELS[run.model.name]
    else:
        notes.append(f"torchtitan has no {run.model.name}: register its widths, and add name and flavor to [model]")
    if run.dtype == "fp8":
        found["converters"] = ["quantize.linear.float8"]
    return found


def _titan_training(run: _Run) -> dict[str, Any]:
    """Return the batch; a pipeline takes all micro-batches of a step as one local batch."""
    count = run.micro_batches if run.layout.pipeline > 1 else 1
    return {
        "local_batch_size": run.layout.micro_batch * count,
        "global_batch_size": run.batch_sequences,
        "seq_len": run.sequence,
    }


def _titan_parallelism(run: _Run, notes: list[str]) -> dict[str, Any]:
    cut = run.layout
    sharded = cut.stage > 0
    found: dict[str, Any] = {
        "data_parallel_replicate_degree": 1 if sharded else cut.data,
        "data_parallel_shard_degree": cut.data if sharded else 1,
        "fsdp_reshard_after_forward": "always" if cut.stage == 3 else "never",
        "tensor_parallel_degree": cut.tensor,
        "context_parallel_degree": cut.context,
        "pipeline_parallel_degree": cut.pipeline,
    }
    if cut.stage == 1:
        notes.append("torchtitan has no stage 1: FSDP without resharding cuts the gradients too, each micro-batch")
    if cut.context > 1:
        found["context_parallel_rotate_method"] = "allgather" if cut.context_kind == "all_gather" else "alltoall"
    if run.model.experts is not None:
        found["expert_parallel_degree"] = cut.expert
        found["expert_tensor_parallel_degree"] = cut.expert_tensor
    if cut.pipeline > 1:
        found |= _titan_stages(run)
    return found


def _titan_stages(run: _Run) -> dict[str, Any]:
    """Return the schedule, and how the layers are dealt among stages and chunks."""
    cut, ends = run.layout, int(run.ends_count)
    places = cut.pipeline * cut.chunks
    found: dict[str, Any] = {
        "pipeline_parallel_schedule": "Interleaved1F1B" if cut.chunks > 1 else "1F1B",
        "pipeline_parallel_microbatch_size": cut.micro_batch,
        "pipeline_parallel_first_stage_less_layers": ends,
        "pipeline_parallel_last_stage_less_layers": ends,
    }
    if cut.chunks > 1:
        total = run.model.layers + 2 * ends
        found["pipeline_parallel_layers_per_stage"] = -(-total // places)
        if -(-total // -(-total // places)) != places:
            raise ValueError(
                f"chunks must be such that ⌈{total} / layers of a chunk⌉ = stages × chunks = {places} for"
                f" {CHECKED['torchtitan'].version}, got {cut.chunks}"
            )
    return found


def _titan_recompute(run: _Run, notes: list[str]) -> dict[str, Any]:
    if run.layout.recompute == "full":
        return {"mode": "full"}
    if run.layout.recompute == "selective":
        notes.append("its attention stores no scores, so there is nothing to recompute selectively")
    if not run.dropped:
        return {"mode": "none"}
    prices = gated_tensor_prices(run.model, sequence=run.sequence)
    kept = sum(price.bytes for price in prices if price.name not in run.dropped)
    notes.append(f"the plan drops: {', '.join(run.dropped)}")
    notes.append(
        "the compiler chooses by itself within memory_budget, the share of a layer's bytes that the plan keeps"
    )
    return {"mode": "memory_budget", "memory_budget": round(kept / sum(price.bytes for price in prices), 2)}


# DeepSpeed


def _deepspeed(run: _Run) -> tuple[list[str], list[str]]:
    """Return notes, and a JSON object."""
    _refuse_for_deepspeed(run)
    cut = run.layout
    notes: list[str] = ["save what stands below the comments: JSON has none"]
    config: dict[str, Any] = {
        "train_batch_size": run.batch_sequences,
        "train_micro_batch_size_per_gpu": cut.micro_batch,
        "gradient_accumulation_steps": run.micro_batches,
        "bf16": {"enabled": True},
        "zero_optimization": {"stage": cut.stage},
    }
    if cut.tensor > 1:
        if cut.sequence_parallel:
            notes.append("its tensor parallelism does not cut along the sequence: plan with sequence_parallel off")
        if cut.pipeline == 1:
            config["tensor_parallel"] = {"autotp_size": cut.tensor}
    if run.model.experts is not None and cut.expert > 1:
        config["expert_parallel"] = {"enabled": True, "autoep_size": cut.expert}
    notes += [*_deepspeed_pipeline(run), *_deepspeed_recompute(run)]
    notes.append(f"start one process a GPU: {_torchrun(run).replace('torchrun', 'deepspeed or torchrun', 1)}")
    return notes, json.dumps(config, indent=2).splitlines()


def _refuse_for_deepspeed(run: _Run) -> None:
    cut, system = run.layout, f"for {CHECKED['DeepSpeed'].version}"
    _refuse_order(cut, (AXES,), "DeepSpeed")
    if cut.pipeline > 1 and cut.stage > 1:
        raise ValueError(f"stage must be 0 or 1 {system} where pipeline is above 1, got {cut.stage}")
    if cut.chunks > 1:
        raise ValueError(f"chunks must be 1 {system}, whose pipeline has one chunk a stage, got {cut.chunks}")
    if cut.context > 1:
        raise ValueError(f"context must be 1 {system}, which cuts a sequence by heads (Ulysses), got {cut.context}")
    if cut.expert_tensor > 1:
        raise ValueError(f"expert_tensor must be 1 {system}, got {cut.expert_tensor}")
    if cut.expert > 1 and cut.pipeline > 1:
        raise ValueError(f"expert must be 1 {system} where pipeline is above 1, got {cut.expert}")
    if run.model.experts is not None and cut.expert == 1 < cut.tensor:
        raise ValueError(f"expert must be above 1 {system} where tensor is {cut.tensor}, got 1")
    if run.dtype != "bf16":
        raise ValueError(f"dtype must be 'bf16' {system}, whose configuration has nothing narrower, got {run.dtype!r}")


def _deepspeed_pipeline(run: _Run) -> list[str]:
    cut = run.layout
    if cut.pipeline == 1:
        return []
    if cut.tensor == 1:
        return [f"stages are in the program: PipelineModule(layers, num_stages={cut.pipeline}), 1F1B"]
    topology = f"PipeModelDataParallelTopology(num_pp={cut.pipeline}, num_mp={cut.tensor}, num_dp={cut.data})"
    return [
        f"stages are in the program: PipelineModule(layers, topology={topology})",
        "its layers have to cut themselves among the tensor ranks; autotp_size beside a pipeline was not checked",
    ]


def _deepspeed_recompute(run: _Run) -> list[str]:
    cut = run.layout
    if cut.recompute == "full" and cut.pipeline > 1:
        return ["recomputation is in the program: PipelineModule(…, activation_checkpoint_interval=1)"]
    if cut.recompute == "full":
        return ["recomputation is in the program: model.gradient_checkpointing_enable() of a Hugging Face model"]
    if run.dropped:
        return [f"the plan drops {', '.join(run.dropped)}: no option says that, the program has to"]
    if cut.recompute == "selective":
        return ["recomputing scores is in the program; a fused attention stores none"]
    return []
