"""Formulas: a step whose layers drop the cheapest tensors that have to go, or none, or all but their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from snippets.composition.layouts import Layout, stage_layers
from snippets.composition.rank_memory import RankMemory, held_micro_batches, rank_memory
from snippets.composition.step_constants import Constants, job_constants
from snippets.composition.step_model import StepTime, job_step_time
from snippets.composition.three_d.formulas import gated_tensor_prices
from snippets.domain import (
    each,
    named,
    nonnegative_integer,
    nonnegative_number,
    of_kind,
    positive_integer,
    positive_number,
    text,
)
from snippets.flops import attention_pairs
from snippets.hardware import DTYPES
from snippets.job import Job
from snippets.memory.recomputation.selective import TensorPrice, cheapest_drop
from snippets.models import MODELS, Transformer
from snippets.recipes import Recipe

KEPT = ("all", "some", "inputs")


class PlannedStep(NamedTuple):
    """A step of a job in a layout: what its layers drop, what the fullest GPU holds, and how long it takes.

    Attributes:
        layout: the layout.
        dropped: tensors that every layer drops and makes again; all but its input with ``keep="inputs"``.
        memory: of the fullest stage's ranks.
        step: seconds by term.
        remade_s: seconds of ``step.compute`` that go to what is made again.

    >>> from snippets.job import THE_70B
    >>> planned_step(THE_70B, Layout(data=256, stage=3), keep="inputs").dropped
    ('everything but the input',)
    """

    layout: Layout
    dropped: tuple[str, ...]
    memory: RankMemory
    step: StepTime
    remade_s: float


def fullest_memory(job: Job, layout: Layout) -> RankMemory:
    """Return what the ranks of the fullest pipeline stage hold.

    Formula: $\\max_i M_i$
    Symbols: M_i = rank_memory of stage i; of the first and the last, between which the others are
    Chapter: 26

    Args:
        job: the job.
        layout: the layout.

    Returns:
        Bytes by kind.

    Source: ``rank_memory``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> from snippets.job import THE_70B
        >>> round(fullest_memory(THE_70B, Layout(tensor=8, pipeline=4, data=8)).total / 1e9)
        35
    """
    of_kind("job", job, Job), of_kind("layout", layout, Layout)
    size: dict[str, Any] = {"batch_sequences": job.batch_sequences, "sequence": job.sequence, "recipe": job.recipe}
    ends = [rank_memory(job.model, layout, stage=stage, **size) for stage in (0, -1)]
    return max(ends, key=lambda held: held.total)


class Dropped(NamedTuple):
    """What every layer drops so that a layout fits, and what making it again costs.

    Attributes:
        names: of the tensors, in the layer's order.
        memory: of the fullest stage's ranks, after dropping.
        flops: that make them again, of one layer and one micro-batch on one rank.
        moved_bytes: what their element-wise kernels read and write then.

    >>> dropped_to_fit(
    ...     "Llama 3 70B", Layout(tensor=2, data=128, stage=3), batch_sequences=512, sequence=8192, limit_bytes=72e9
    ... ).names
    ('normed for attention', 'normed for feed-forward', 'gated product')
    """

    names: tuple[str, ...]
    memory: RankMemory
    flops: int
    moved_bytes: int


_NARROW = ("normed for attention", "normed for feed-forward", "gated product")  # a matmul in fp8 takes them in


def layer_prices(
    model: Transformer | str, layout: Layout, *, sequence: int, mask: str = "full", dtype: str = "bf16"
) -> tuple[TensorPrice, ...]:
    """Return the tensors of a gated layer with what they cost, under a mask and in a number format.

    Formula: $F' = F\\,\\frac{J}{s^2}$
    Symbols: F, F' = operations that make the attention's output again, without a mask and with one; J =
        attention_pairs; s = sequence
    Chapter: 26

    Args:
        model: as in ``gated_tensor_prices``.
        layout: the layout.
        sequence: s.
        mask: which pairs are computed.
        dtype: of the weights' matmuls; with ``"fp8"`` or ``"fp4"`` their inputs are kept in 1 byte a number.

    Returns:
        The tensors of one rank in the order of the forward pass, without the layer's input.

    Source: ``gated_tensor_prices``, ``layer_kept_bytes``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> wide = layer_prices("Llama 3 70B", Layout(), sequence=8192)
        >>> narrow = layer_prices("Llama 3 70B", Layout(), sequence=8192, dtype="fp8")
        >>> wide[0].bytes / narrow[0].bytes
        2.0
    """
    of_kind("layout", layout, Layout)
    prices = gated_tensor_prices(
        model,
        sequence=sequence,
        micro_batch=layout.micro_batch,
        tensor_parallel=layout.tensor,
        context_parallel=layout.context,
        sequence_parallel=layout.sequence_parallel,
    )
    narrow = named("dtype", dtype, DTYPES) in ("fp8", "fp4")
    attention = MODELS.find(model).attention
    tokens = layout.micro_batch * int(sequence) // layout.context
    out = tokens * attention.heads * attention.head_size // layout.tensor
    share = attention_pairs(sequence, mask=mask) / int(sequence) ** 2
    found = []
    for price in prices:
        size, flops = price.bytes, price.flops
        if price.name in _NARROW and narrow:
            size //= 2
        if price.name == "attention's output":
            size, flops = size - narrow * out, round(flops * share)
        found.append(TensorPrice(price.name, size, flops))
    return tuple(found)


def remade_bytes(prices: Sequence[TensorPrice], *, dropped: Sequence[str]) -> int:
    """Return what element-wise kernels read and write to make dropped tensors again.

    Formula: $2 \\sum_{i \\in Z} A_i$
    Symbols: Z = the dropped tensors; A_i = bytes of tensor i; 3 for 2 for a gated product, which has two inputs
    Chapter: 26

    Args:
        prices: of the layer's tensors.
        dropped: names.

    Returns:
        Bytes.

    Source: derived in this book.
    Convention: as much is read as is written.
    Leaves out: weights.

    Example:
        >>> remade_bytes([TensorPrice("query", 4, 12), TensorPrice("gated product", 2, 0)], dropped=["gated product"])
        6
    """
    known = each("prices", prices, lambda name, price: of_kind(name, price, TensorPrice))
    gone = each("dropped", dropped, text)
    return sum((2 + (price.name == "gated product")) * price.bytes for price in known if price.name in gone)


def dropped_to_fit(
    model: Transformer | str,
    layout: Layout,
    *,
    batch_sequences: int,
    sequence: int,
    limit_bytes: float,
    recipe: Recipe | str = "mixed-adam",
    attention: str = "flash",
    mask: str = "full",
    dtype: str = "bf16",
) -> Dropped | None:
    """Return the cheapest tensors that every layer has to drop so that the fullest rank holds no more than a limit.

    Formula: $\\min_Z \\sum_{i \\in Z} F_i \\quad \\text{with} \\quad M - (q L_1 - 1) \\sum_{i \\in Z} A_i \\le
        M_\\text{limit}$
    Symbols: Z = the dropped tensors; F_i, A_i = operations and bytes of tensor i in layer_prices; M = what a rank of
        the first or the last stage holds with all of them; q = held_micro_batches; L_1 = layers of the stage;
        M_\\text{limit} = limit_bytes
    Chapter: 26

    Args:
        model: with gated feed-forward blocks and attention by heads.
        layout: the layout, without recomputation.
        batch_sequences: sequences of a step.
        sequence: tokens of each.
        limit_bytes: what a rank may hold.
        recipe: bytes of state for a parameter.
        attention: as in ``rank_memory``.
        mask: as in ``attention_pairs``.
        dtype: as in ``rank_memory``.

    Returns:
        What is dropped; ``None`` where dropping every tensor is not enough.

    Source: chapter 23's choice of tensors, ``cheapest_drop``.
    Convention: every layer drops the same; one layer's are there again.
    Leaves out: nothing.

    Example:
        >>> size = {"batch_sequences": 512, "sequence": 8192}
        >>> dropped_to_fit("Llama 3 70B", Layout(data=256, stage=3), **size, limit_bytes=20e9) is None
        True
    """
    of_kind("layout", layout, Layout)
    limit = positive_number("limit_bytes", limit_bytes)
    found, m = MODELS.find(model), layout.micro_batches(batch_sequences)
    counts = stage_layers(found.layers, stages=layout.pipeline, chunks=layout.chunks, uneven=layout.uneven)
    size: dict[str, Any] = {"batch_sequences": batch_sequences, "sequence": sequence, "recipe": recipe}
    size |= {"attention": attention, "dtype": dtype}
    ends, wanted = [], 0
    for stage in (0, layout.pipeline - 1):
        memory = rank_memory(found, layout, stage=stage, **size)
        layers = held_micro_batches(layout, micro_batches=m, stage=stage) * counts[stage]
        ends.append((memory, layers))
        if memory.total > limit:
            if layers <= 1:
                return None
            wanted = max(wanted, -int(-(memory.total - limit) // (layers - 1)))
    prices = layer_prices(found, layout, sequence=sequence, mask=mask, dtype=dtype)
    names = cheapest_drop(prices, free_bytes=wanted)
    if names is None:
        return None
    freed = sum(price.bytes for price in prices if price.name in names)
    left = [replace(memory, activations=memory.activations - freed * max(0.0, layers - 1)) for memory, layers in ends]
    flops = sum(price.flops for price in prices if price.name in names)
    return Dropped(names, max(left, key=lambda held: held.total), flops, remade_bytes(prices, dropped=names))


def with_remade(step: StepTime, layout: Layout, *, remade_s: float, micro_batches: int) -> StepTime:
    """Return a step that also makes dropped tensors again, while the pipeline fills too.

    Formula: $T' = T + \\left(1 + \\frac{p - 1}{vm}\\right) T_\\text{again}$
    Symbols: T, T' = the step before and after; T_\\text{again} = remade_s; p, v = the layout's pipeline and chunks; m =
        micro_batches
    Chapter: 26

    Args:
        step: without.
        layout: the layout.
        remade_s: seconds of a stage and all its micro-batches, at least 0.
        micro_batches: m.

    Returns:
        Seconds by term.

    Source: derived in this book.
    Convention: stages as long as the mean.
    Leaves out: what more computation would hide.

    Example:
        >>> from snippets.job import THE_70B
        >>> step = job_step_time(THE_70B, Layout(data=256, stage=3))
        >>> longer = with_remade(step, Layout(data=256, stage=3), remade_s=1.0, micro_batches=2)
        >>> round(longer.total - step.total, 6)
        1.0
    """
    of_kind("step", step, StepTime), of_kind("layout", layout, Layout)
    again, m = nonnegative_number("remade_s", remade_s), positive_integer("micro_batches", micro_batches)
    filling_s = again * (layout.pipeline - 1) / (layout.chunks * m)
    return replace(step, compute=step.compute + again, bubble=step.bubble + filling_s)


def planned_step(
    job: Job,
    layout: Layout,
    *,
    keep: str = "some",
    free_bytes: int = 8 * 10**9,
    mask: str = "full",
    constants: Constants | None = None,
) -> PlannedStep | None:
    """Return a step whose layers keep all tensors, as many as fit, or only their inputs.

    Formula: $\\min_Z \\sum_{i \\in Z} F_i \\quad \\text{with} \\quad M - q L_1 \\sum_{i \\in Z} A_i \\le
        M_\\text{GPU} - M_\\text{free}$
    Symbols: Z = the dropped tensors; F_i, A_i = operations and bytes of tensor i in gated_tensor_prices; M = what the
        fullest GPU holds with all of them; q = held_micro_batches; L_1 = layers of a stage; M_\\text{GPU} = the GPU's
        memory; M_\\text{free} = free_bytes
    Chapter: 26

    Args:
        job: the job; its model's feed-forward block has gates, unless ``keep`` is not ``"some"``.
        layout: the layout; its ``recompute`` is set by ``keep``.
        keep: ``"all"``; ``"some"``, where every layer drops what is cheapest to make again; or ``"inputs"``, where
            every layer runs twice.
        free_bytes: of a GPU that must stay free, at least 0 and, for ``"some"``, below the GPU's memory.
        mask: which pairs of a query and a key are computed, as in ``attention_pairs``.
        constants: in place of ``job_constants``; what is made again costs FLOPs at the rate of their matmuls.

    Returns:
        The step; ``None`` where ``keep`` is ``"some"`` and even dropping every tensor is not enough.

    Source: chapter 23's choice of tensors, ``cheapest_drop``, on the model of this chapter.
    Convention: every layer drops the same. What is made again costs its matmuls at the job's rate.
    Leaves out: sums of tensor parallelism for what is made again, and the time of element-wise kernels.

    Example:
        >>> from snippets.job import THE_70B
        >>> some = planned_step(THE_70B, Layout(data=256, stage=3))
        >>> some.dropped, round(some.step.total, 1)
        (('normed for attention', 'normed for feed-forward', 'gate', 'up', 'gated product'), 14.2)
    """
    of_kind("job", job, Job), of_kind("layout", layout, Layout)
    keep = named("keep", keep, KEPT)
    free = nonnegative_integer("free_bytes", free_bytes)
    if free >= job.memory_bytes:
        raise ValueError(f"free_bytes must be below the GPU's {job.memory_bytes}, got {free_bytes!r}")
    plain = replace(layout, recompute="none")
    if keep == "inputs":
        again = replace(layout, recompute="full")
        step, bare = (job_step_time(job, each, mask=mask, constants=constants) for each in (again, plain))
        gone = ("everything but the input",)
        return PlannedStep(again, gone, fullest_memory(job, again), step, step.compute - bare.compute)
    step = job_step_time(job, plain, mask=mask, constants=constants)
    if keep == "all":
        return PlannedStep(plain, (), fullest_memory(job, plain), step, 0.0)
    if free >= job.memory_bytes:
        raise ValueError(f"free_bytes must be below the GPU's memory, {job.memory_bytes:g}, got {free_bytes!r}")
    size: dict[str, Any] = {"batch_sequences": job.batch_sequences, "sequence": job.sequence, "recipe": job.recipe}
    dropped = dropped_to_fit(job.model, plain, **size, limit_bytes=job.memory_bytes - free, mask=mask)
    if dropped is None:
        return None
    m = plain.micro_batches(job.batch_sequences)
    rate = (constants or job_constants(job)).matmul_share * job.peak_flops_per_s
    remade_s = m * dropped.flops * job.model.layers / plain.pipeline / rate
    longer = with_remade(step, plain, remade_s=remade_s, micro_batches=m)
    return PlannedStep(plain, dropped.names, dropped.memory, longer, remade_s)
