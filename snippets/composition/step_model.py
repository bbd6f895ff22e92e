"""Formulas: the book's one model of how long a training step takes, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from snippets.composition.context_width import context_kv_width
from snippets.composition.layer_times import ATTENTIONS, PassTimes, Product, core_times, layer_times, matmul_time_s
from snippets.composition.layouts import Layout, axis_placement, check_layout, stage_layers
from snippets.composition.placed_collectives import (
    interleaved_exposed_message_s,
    neighbour_message_s,
    placed_all_to_all_time_s,
    placed_ring_time_s,
)
from snippets.composition.rank_memory import rank_parameters
from snippets.composition.sharded_waiting import sharded_micro_batch_wait_s
from snippets.composition.step_constants import Constants, job_constants
from snippets.domain import Answers, named, of_kind, positive_integer, positive_number
from snippets.flops import MASKS, flops_utilization, training_step_flops
from snippets.hardware import DTYPES, NODES, Node, dense_peak_flops_per_s, wide_peak_flops_per_s
from snippets.job import Job
from snippets.models import MODELS, Transformer
from snippets.parallelism.data.formulas import exposed_all_reduce_s
from snippets.parallelism.expert.formulas import expert_all_to_all_bytes
from snippets.parallelism.pipeline.formulas import one_f_one_b_exposed_message_s, pipeline_message_bytes
from snippets.parallelism.sequence.formulas import ring_attention_backward_bytes, ring_attention_forward_bytes
from snippets.parallelism.tensor.formulas import tensor_block_collectives
from snippets.recipes import RECIPES, Recipe

TERMS = ("compute", "bubble", "tensor", "context", "expert", "pipeline", "data", "optimizer")


@dataclass(frozen=True)
class StepTime(Answers):
    """Seconds of a training step by what they go to; of communication, only what computation does not hide.

    Attributes:
        compute: matmuls, attention and element-wise kernels of the slowest pipeline stage, recomputation included; and
            what the CPU needs beyond them to launch them.
        bubble: waiting of that stage for the pipeline to fill and to drain.
        tensor: sums of tensor parallelism.
        context: keys and values of context parallelism.
        expert: all-to-alls of experts.
        pipeline: messages between stages.
        data: gradients, and parameters that ZeRO gathers.
        optimizer: the update.
        flops: model FLOPs of the step, of all ranks together.
        tokens: tokens of the step.
        ranks: R.
        peak_flops_per_s: P of one GPU.

    >>> step = StepTime(3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, flops=32.0, tokens=8, ranks=2, peak_flops_per_s=8)
    >>> step.total, step.mfu, step.tokens_per_s_per_gpu
    (4.0, 0.5, 1.0)
    """

    compute: float
    bubble: float
    tensor: float
    context: float
    expert: float
    pipeline: float
    data: float
    optimizer: float
    flops: float
    tokens: int
    ranks: int
    peak_flops_per_s: float

    @property
    def total(self) -> float:
        """Seconds of the step.

        >>> StepTime(1, 1, 1, 1, 1, 1, 1, 1, flops=1, tokens=1, ranks=1, peak_flops_per_s=1).total
        8
        """
        return sum(self.terms.values())

    @property
    def terms(self) -> dict[str, float]:
        """Seconds by the name of the term.

        >>> StepTime(1, 2, 0, 0, 0, 0, 0, 0, flops=1, tokens=1, ranks=1, peak_flops_per_s=1).terms["bubble"]
        2
        """
        return {name: getattr(self, name) for name in TERMS}

    @property
    def mfu(self) -> float:
        """Model FLOPs over what all GPUs could do in that time.

        >>> StepTime(2, 0, 0, 0, 0, 0, 0, 0, flops=1, tokens=1, ranks=1, peak_flops_per_s=1).mfu
        0.5
        """
        return flops_utilization(
            flops=self.flops, seconds=self.total, devices=self.ranks, peak_flops_per_s=self.peak_flops_per_s
        )

    @property
    def tokens_per_s_per_gpu(self) -> float:
        """Tokens a second and GPU.

        >>> StepTime(2, 0, 0, 0, 0, 0, 0, 0, flops=1, tokens=8, ranks=2, peak_flops_per_s=1).tokens_per_s_per_gpu
        2.0
        """
        return self.tokens / self.total / self.ranks

    def run_s(self, tokens: float) -> float:
        """Return the seconds of a run over so many tokens, without what interrupts it.

        >>> StepTime(2, 0, 0, 0, 0, 0, 0, 0, flops=1, tokens=8, ranks=2, peak_flops_per_s=1).run_s(80)
        20.0
        """
        return positive_number("tokens", tokens) / self.tokens * self.total


class _Run(NamedTuple):
    """What the terms of a step are computed from."""

    model: Transformer
    node: Node
    layout: Layout
    batch_sequences: int
    micro_batches: int
    sequence: int
    constants: Constants
    domain: int
    recipe: Recipe
    attention: str
    mask: str
    dtype: str

    @property
    def tokens(self) -> int:
        """Tokens of a micro-batch on one rank."""
        return self.layout.micro_batch * self.sequence // self.layout.context

    def ring_s(self, primitive: str, axis: str, size_bytes: float) -> float:
        place = axis_placement(self.layout, axis, domain=self.domain)
        return placed_ring_time_s(
            primitive, size_bytes=size_bytes, place=place, node=self.node, constants=self.constants
        )


class _StageTimes(NamedTuple):
    """Seconds that one stage takes for one micro-batch, by term."""

    compute: float
    tensor: float
    context: float
    expert: float
    data: float

    @property
    def total(self) -> float:
        return sum(self)


def step_time(
    model: Transformer | str,
    node: Node | str,
    layout: Layout,
    *,
    batch_sequences: int,
    sequence: int,
    constants: Constants,
    domain: int | None = None,
    recipe: Recipe | str = "mixed-adam",
    attention: str = "flash",
    mask: str = "full",
    dtype: str = "bf16",
) -> StepTime:
    """Return how long a training step takes, term by term.

    Formula: $T = \\max_i \\Bigl( m\\,T_i + \\tfrac1v \\sum_{j<i} T_j \\Bigr) + T_\\text{msg} + T_\\text{data} +
        T_\\text{update}$
    Symbols: T_i = a micro-batch on stage i, forward and backward: layer_times, the exposed sums of its tensor ranks,
        of each layer no less together than the constants' host_s
        (ten halves of a sum in each layer with the constants' gather_again and sequence parallelism, else eight), the
        keys and values of its context ranks, the all-to-alls of its experts, ZeRO 3's exposed gathers, and the head on
        the last stage; m = micro-batches; v = the layout's chunks; T_msg = exposed messages between stages; T_data =
        exposed sums of gradients and gathers of parameters; T_update = bytes of the optimizer over the memory's
        bandwidth
    Chapter: 26

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        node: a name in ``NODES``, or a node of your own.
        layout: the layout.
        batch_sequences: sequences of a step, of all ranks together.
        sequence: tokens of each.
        constants: what is assumed of the machine.
        domain: GPUs inside which links are fast; by default those of a node.
        recipe: bytes of state for a parameter.
        attention: ``"flash"``, or ``"standard"``, with scores in memory and dropouts.
        mask: which pairs of a query and a key are computed, and counted in the MFU, as in ``attention_pairs``.
        dtype: of the weights' matmuls, and of the peak.

    Returns:
        Seconds by term; total, MFU and tokens a second and GPU follow.

    Raises:
        ValueError: if the layout cannot run the model.

    Source: chapters 14 to 23, whose formulas this calls.
    Convention: 1F1B, or interleaved. Experts and context ranks are balanced. At each end of the model tensor ranks sum
        once more, in the open.
        Stage 2 scatters each micro-batch's gradients; ``three_axes_bytes`` and ``five_axis_step_bytes`` count them
        once a step.
    Leaves out: the head's second gather of its input; stage 3's gathers and scatters of the tables and the head, and
        stage 2's scatters of these; what communication takes from computation; stragglers; reading
        data, checkpoints, evaluation.

    Example:
        >>> plain = Constants(matmul_share=0.65, count_bytes=False)
        >>> layout = Layout(tensor=8, pipeline=4, data=8)
        >>> size = {"batch_sequences": 512, "sequence": 8192}
        >>> step = step_time("Llama 3 70B", "DGX H100", layout, **size, constants=plain)
        >>> round(step.compute, 1), round(step.bubble, 1)
        (12.7, 0.7)
    """
    found, machine = MODELS.find(model), NODES.find(node)
    check_layout(found, layout, batch_sequences=batch_sequences, sequence=sequence)
    of_kind("constants", constants, Constants)
    run = _Run(
        model=found,
        node=machine,
        layout=layout,
        batch_sequences=int(batch_sequences),
        micro_batches=layout.micro_batches(batch_sequences),
        sequence=int(sequence),
        constants=constants,
        domain=machine.accelerators if domain is None else positive_integer("domain", domain),
        recipe=RECIPES.find(recipe),
        attention=named("attention", attention, ATTENTIONS),
        mask=named("mask", mask, MASKS),
        dtype=named("dtype", dtype, DTYPES),
    )
    return _step_of(run)


@lru_cache(maxsize=2048)
def _step_of(run: _Run) -> StepTime:
    """Return the step; who compares layouts asks for many of them again."""
    layer = _layer_times(run)
    stages = _stages(run, layer)
    slow = max(range(len(stages)), key=lambda stage: _until(run, stages, stage))
    part = stages[slow]
    return StepTime(
        **{name: run.micro_batches * getattr(part, name) for name in ("compute", "tensor", "context", "expert")},
        bubble=_until(run, stages, slow) - run.micro_batches * part.total,
        pipeline=_messages_s(run),
        data=run.micro_batches * part.data + _gradients_s(run, layer),
        optimizer=_update_s(run),
        flops=training_step_flops(run.model, batch=run.batch_sequences, sequence=run.sequence, mask=run.mask),
        tokens=run.batch_sequences * run.sequence,
        ranks=run.layout.ranks,
        peak_flops_per_s=dense_peak_flops_per_s(run.node.accelerator, run.dtype),
    )


def job_step_time(
    job: Job,
    layout: Layout,
    *,
    batch_sequences: int | None = None,
    sequence: int | None = None,
    constants: Constants | None = None,
    domain: int | None = None,
    attention: str = "flash",
    mask: str = "full",
    dtype: str = "bf16",
) -> StepTime:
    """Return how long a step of a job takes in a layout, with what the job assumes of its machine.

    Formula: $T = \\max_i \\Bigl( m\\,T_i + \\tfrac1v \\sum_{j<i} T_j \\Bigr) + T_\\text{msg} + T_\\text{data} +
        T_\\text{update}$
    Symbols: as in step_time
    Chapter: 26

    Args:
        job: the job; the layout must have its ranks.
        layout: the layout.
        batch_sequences: in place of the job's.
        sequence: in place of the job's.
        constants: in place of ``job_constants``.
        domain: as in ``step_time``.
        attention: as there.
        mask: as there.
        dtype: as there.

    Returns:
        Seconds by term.

    Raises:
        ValueError: if the layout has not as many ranks as the job, or cannot run it.

    Source: ``step_time`` with ``job_constants``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> from snippets.job import THE_70B
        >>> step = job_step_time(THE_70B, Layout(data=256, stage=3, recompute="full"))
        >>> round(step.total, 1), f"{step.mfu:.0%}"
        (16.3, '49%')
    """
    of_kind("job", job, Job)
    if of_kind("layout", layout, Layout).ranks != job.ranks:
        raise ValueError(f"layout must have the job's {job.ranks} ranks, got {layout.ranks}")
    return step_time(
        job.model,
        job.node,
        layout,
        batch_sequences=job.batch_sequences if batch_sequences is None else batch_sequences,
        sequence=job.sequence if sequence is None else sequence,
        constants=job_constants(job) if constants is None else constants,
        recipe=job.recipe,
        domain=domain,
        attention=attention,
        mask=mask,
        dtype=dtype,
    )


def _layer_times(run: _Run) -> PassTimes:
    return layer_times(
        run.model,
        batch=run.layout.micro_batch,
        sequence=run.sequence,
        layout=run.layout,
        node=run.node,
        constants=run.constants,
        attention=run.attention,
        mask=run.mask,
        dtype=run.dtype,
    )


def _stages(run: _Run, layer: PassTimes) -> list[_StageTimes]:
    """Return the seconds of a micro-batch on each stage."""
    counts = stage_layers(
        run.model.layers, stages=run.layout.pipeline, chunks=run.layout.chunks, uneven=run.layout.uneven
    )
    tensor = _tensor_s(run, layer)
    one = _StageTimes(
        compute=max(layer.forward + layer.backward + _accumulate_s(run), _host_s(run) - tensor),
        tensor=tensor,
        context=_context_s(run),
        expert=_expert_s(run),
        data=0.0,
    )
    stages = [
        _StageTimes(*(count * seconds for seconds in one))._replace(data=_sharded_s(run, layer, count))
        for count in counts
    ]
    ends = _end_tensor_s(run)
    stages[0] = stages[0]._replace(tensor=stages[0].tensor + ends)
    stages[-1] = stages[-1]._replace(compute=stages[-1].compute + _head_s(run), tensor=stages[-1].tensor + ends)
    return stages


def _host_s(run: _Run) -> float:
    """Return what the CPU takes for one layer's kernels of a micro-batch, which computing and sums cannot undercut."""
    return run.constants.host_s * (4 / 3 if run.layout.recompute == "full" else 1)


def _accumulate_s(run: _Run) -> float:
    """Return the time to add one layer's gradients of a micro-batch: read, and the sum read and written."""
    if not run.constants.count_bytes or run.micro_batches == 1:
        return 0.0
    each = run.recipe.gradients + 2 * (run.recipe.main_gradients or run.recipe.gradients)
    return sum(_layer_parameters(run)) * each / run.constants.memory_bytes_per_s(run.node)


def _until(run: _Run, stages: list[_StageTimes], stage: int) -> float:
    """Return when a stage has done its work, if it never waits but for the first micro-batch to come and to go."""
    before = sum(each.total for each in stages[:stage]) / run.layout.chunks
    return float(run.micro_batches * stages[stage].total + before)


def _stream_bytes(run: _Run) -> float:
    return 2 * run.tokens * run.model.hidden


def _tensor_s(run: _Run, layer: PassTimes) -> float:
    """Return the exposed collectives of one layer's two blocks for one micro-batch.

    With ``gather_again`` and sequence parallelism they are chapter 17's ten halves of an all-reduce: going backward, a
    block gathers its output's gradient, in the open, and its input, beside the matmul of the input's gradient, and
    scatters that beside the matmul of the weights' gradient, which is as long.
    """
    if run.layout.tensor == 1:
        return 0.0
    sums = _sum_s(run)
    forward = 2 * sums * (2 if run.layout.recompute == "full" else 1)
    beside = (layer.attention_gradient, layer.feed_gradient) if run.constants.overlap_tensor else (0.0, 0.0)
    if not (run.layout.sequence_parallel and run.constants.gather_again):
        return float(forward + sum(max(0.0, sums - hidden) for hidden in beside))
    gather, scatter = (run.ring_s(name, "tensor", _stream_bytes(run)) for name in ("all_gather", "reduce_scatter"))
    return float(forward + sum(gather + max(0.0, gather - own) + max(0.0, scatter - own) for own in beside))


def _sum_s(run: _Run) -> float:
    """Return the time of a block's sum in one direction: an all-reduce, or a gather and a scatter."""
    calls = tensor_block_collectives(
        tensor_parallel=run.layout.tensor, sequence_parallel=run.layout.sequence_parallel
    )._asdict()
    names = {"all_reduces": "all_reduce", "all_gathers": "all_gather", "reduce_scatters": "reduce_scatter"}
    both = sum(count * run.ring_s(names[name], "tensor", _stream_bytes(run)) for name, count in calls.items() if count)
    return float(both / 2)


def _end_tensor_s(run: _Run) -> float:
    """Return the sum at either end of the model: of the embedding's parts, or of the gradient of the head's input."""
    return _sum_s(run) if run.layout.tensor > 1 else 0.0


def _head_s(run: _Run) -> float:
    """Return the time of the output head and the loss for one micro-batch, forward and backward."""
    product = Product(run.tokens, run.model.hidden, run.model.vocabulary / run.layout.tensor)
    rate = run.constants.matmul_share * wide_peak_flops_per_s(run.node.accelerator)
    if not run.constants.count_bytes:
        return 3 * product.flops / rate
    memory = run.constants.memory_bytes_per_s(run.node)
    logits = 24 * run.tokens * run.model.vocabulary / run.layout.tensor  # bytes: a cast, a softmax and its backward
    return 3 * matmul_time_s(product, flops_per_s=rate, memory_bytes_per_s=memory) + logits / memory


def _context_s(run: _Run) -> float:
    """Return the exposed keys and values of one layer for one micro-batch."""
    c = run.layout.context
    if c == 1:
        return 0.0
    width = context_kv_width(run.model, tensor_parallel=run.layout.tensor)
    sizes: dict[str, Any] = {"sequence": run.sequence, "kv_width": width, "ranks": c}
    sent = ring_attention_forward_bytes(**sizes) * run.layout.micro_batch
    back = ring_attention_backward_bytes(**sizes) * run.layout.micro_batch
    forward, backward = (run.ring_s("all_gather", "context", size * c / (c - 1)) for size in (sent, back))
    if run.layout.context_kind == "ring":
        return _behind_attention(run, forward, backward)
    again = forward if run.layout.recompute == "full" else 0.0
    return forward + backward + again


def _behind_attention(run: _Run, forward: float, backward: float) -> float:
    """Return what a ring of keys and values leaves exposed behind the attention that it serves."""
    core = core_times(
        run.model,
        batch=run.layout.micro_batch,
        sequence=run.sequence,
        layout=run.layout,
        node=run.node,
        constants=run.constants,
        attention=run.attention,
        mask=run.mask,
    )
    return max(0.0, forward - core.forward) + max(0.0, backward - core.backward)


def _expert_s(run: _Run) -> float:
    """Return the all-to-alls of a mean layer for one micro-batch: to the experts and back, forward and backward."""
    mixture, e = run.model.experts, run.layout.expert
    if mixture is None or e == 1:
        return 0.0
    place = axis_placement(run.layout, "expert", domain=run.domain)
    tokens = -(-run.tokens * run.layout.expert_tensor // run.layout.tensor)
    sent = expert_all_to_all_bytes(tokens=tokens, hidden=run.model.hidden, experts_per_token=mixture.per_token, ranks=e)
    once = placed_all_to_all_time_s(size_bytes=sent * e / (e - 1), place=place, node=run.node, constants=run.constants)
    passes = 6 if run.layout.recompute == "full" else 4
    return passes * once * run.model.expert_layers / run.model.layers


def _layer_parameters(run: _Run) -> tuple[float, float]:
    """Return one layer's parameters on a rank: dense ones and experts."""
    parts = rank_parameters(run.model, run.layout)
    count = stage_layers(
        run.model.layers, stages=run.layout.pipeline, chunks=run.layout.chunks, uneven=run.layout.uneven
    )[0]
    tables = run.model.vocabulary * run.model.hidden / run.layout.tensor
    tables *= 2 if run.layout.pipeline == 1 and not run.model.tied else 1
    return (parts.dense - tables) / count, parts.expert / count


def _sharded_s(run: _Run, layer: PassTimes, layers: int) -> float:
    """Return what a stage waits for ZeRO 2's and 3's gathers and scatters, for one micro-batch."""
    if run.layout.stage < 2 or run.layout.gradient_ranks == 1:
        return 0.0
    gather, reduce = _unit_times(run)
    if not run.constants.overlap_gradients:
        return layers * (reduce + (2 * gather if run.layout.stage == 3 else 0.0))
    return sharded_micro_batch_wait_s(
        stage=run.layout.stage,
        layers=layers,
        forward_s=layer.forward,
        backward_s=layer.backward,
        gather_s=gather,
        reduce_s=reduce,
    )


def _unit_times(run: _Run) -> tuple[float, float]:
    """Return the time to gather one layer's weights, and to scatter its gradients."""
    gather = reduce = 0.0
    for parameters, axis in zip(_layer_parameters(run), ("gradient", "expert_gradient"), strict=True):
        gather += run.ring_s("all_gather", axis, run.recipe.parameters * parameters)
        reduce += run.ring_s("reduce_scatter", axis, run.recipe.gradients * parameters)
    return gather, reduce


def _gradients_s(run: _Run, layer: PassTimes) -> float:
    """Return what is exposed once a step: of sums of gradients, and of gathers of updated parameters."""
    if run.layout.stage == 3:
        return _tied_s(run)
    last = max(range(run.layout.pipeline), key=lambda stage: rank_parameters(run.model, run.layout, stage=stage).total)
    own = rank_parameters(run.model, run.layout, stage=last)
    layers = stage_layers(
        run.model.layers, stages=run.layout.pipeline, chunks=run.layout.chunks, uneven=run.layout.uneven
    )[last]
    seconds = 0.0
    for parameters, axis in zip(own, ("gradient", "expert_gradient"), strict=True):
        first, second = ("reduce_scatter", "all_gather")
        reduce = run.ring_s(first, axis, run.recipe.gradients * parameters)
        gather = run.ring_s(
            second, axis, (run.recipe.parameters if run.layout.stage else run.recipe.gradients) * parameters
        )
        if run.layout.stage == 0:
            seconds += _beside(run, reduce + gather, layers * layer.backward, layers)
            continue
        seconds += _beside(run, gather, layers * layer.forward, layers)
        if run.layout.stage == 1:
            seconds += _beside(run, reduce, layers * layer.backward, layers)
    return seconds + _tied_s(run)


def _beside(run: _Run, seconds: float, pass_s: float, layers: int) -> float:
    """Return what is exposed of a collective of so many seconds, layer by layer, beside a pass."""
    if not run.constants.overlap_gradients or seconds == 0:
        return seconds
    return exposed_all_reduce_s(
        backward_s=pass_s, total_bytes=seconds, buckets=layers, latency_s=0.0, bandwidth_bytes_per_s=1.0
    )


def _tied_s(run: _Run) -> float:
    """Return the sum of a tied table's gradient between the first stage and the last."""
    if not run.model.tied or run.layout.pipeline == 1:
        return 0.0
    size = run.recipe.gradients * run.model.vocabulary * run.model.hidden / run.layout.tensor
    return 2 * neighbour_message_s(
        size_bytes=size / 2,
        stride=run.layout.stride("pipeline"),
        domain=run.domain,
        node=run.node,
        constants=run.constants,
        ranks=run.layout.pipeline,
    )


def _messages_s(run: _Run) -> float:
    """Return what the messages between stages add to a step."""
    layout = run.layout
    if layout.pipeline == 1:
        return 0.0
    size = pipeline_message_bytes(
        micro_batch=layout.micro_batch,
        sequence=run.sequence // layout.context,
        hidden=run.model.hidden,
        tensor_parallel=layout.tensor,
    )
    message = neighbour_message_s(
        size_bytes=size,
        stride=layout.stride("pipeline"),
        domain=run.domain,
        node=run.node,
        constants=run.constants,
        ranks=layout.pipeline,
    )
    if layout.chunks == 1:
        exposed = one_f_one_b_exposed_message_s(
            stages=layout.pipeline, micro_batches=run.micro_batches, message_s=message
        )
        return float(exposed)
    return interleaved_exposed_message_s(stages=layout.pipeline, chunks=layout.chunks, message_s=message)


def _update_s(run: _Run) -> float:
    """Return the time of the optimizer: its bytes over the memory's bandwidth."""
    own = rank_parameters(run.model, run.layout)
    shards = (run.layout.gradient_ranks, run.layout.expert_gradient_ranks) if run.layout.stage else (1, 1)
    updated = sum(parameters / ranks for parameters, ranks in zip(own, shards, strict=True))
    weights = run.recipe.parameters if run.recipe.master else 2 * run.recipe.parameters
    fused = 3 * run.recipe.gradient_bytes + 2 * run.recipe.optimizer_bytes + weights
    return updated * (run.constants.update_bytes or fused) / run.constants.memory_bytes_per_s(run.node)
