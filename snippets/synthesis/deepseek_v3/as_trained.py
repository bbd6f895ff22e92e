"""Formulas: DeepSeek-V3's run on 2,048 H800s, with any number of GPUs to a layer: what fits, and what a step takes."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from snippets.composition.layer_times import layer_times
from snippets.composition.layouts import Layout
from snippets.composition.step_constants import device_constants
from snippets.domain import flag, nonnegative_integer, number_between, one_of, positive_integer, positive_number
from snippets.hardware import NODES
from snippets.models import MODELS, LatentAttention, parameter_parts
from snippets.synthesis.deepseek_v3.formulas import (
    V3_STEP,
    DualPipeBytes,
    KeptTensor,
    TensorStep,
    dualpipe_rank_bytes,
    latent_expert_tensors,
    open_tensor_wait_s,
    tensor_step,
)

GPUS, STAGES, STAGE_LAYERS, EXPERT_RANKS = 2048, 16, 4, 64
SEQUENCE, SEQUENCES = 4096, 15_360
LATENCY_S, LINK_BYTES_PER_S = 5e-6, 160e9
FREE_SHARE = 0.1
OPEN_HALVES = 6
WIDTHS = (1, 2, 4, 8)
_AGAIN_FLOPS_PER_S = 0.65 * 989.4e12
_MODEL = MODELS["DeepSeek-V3"]


class V3Plan(NamedTuple):
    """DeepSeek-V3's step with t GPUs to a layer.

    Attributes:
        step: seconds by kind.
        memory: what a GPU of the inner stages holds.
        drops: whether layers drop tensors.
        fits: whether that leaves a tenth of the memory free.

    >>> v3_plan(1).drops, v3_plan(2).drops
    (True, False)
    """

    step: TensorStep
    memory: DualPipeBytes
    drops: bool
    fits: bool


def v3_tensors() -> tuple[KeptTensor, ...]:
    """Return what a layer of DeepSeek-V3's experts needs of a token going backward.

    Returns:
        Tensors, as ``latent_expert_tensors`` has them.

    Source: as there.

    Example:
        >>> sum(each.token_bytes for each in v3_tensors())
        307968
    """
    attention, mixture = _MODEL.attention, _MODEL.experts
    assert isinstance(attention, LatentAttention)
    assert attention.query_rank
    assert mixture is not None
    return latent_expert_tensors(
        hidden=_MODEL.hidden,
        heads=attention.heads,
        head_size=attention.head_size,
        rotary_size=attention.rotary_size,
        query_rank=attention.query_rank,
        key_value_rank=attention.key_value_rank,
        experts_per_token=mixture.per_token,
        shared=mixture.shared,
        width=mixture.width,
    )


def v3_memory(tensor_parallel: int = 1, *, drops: bool = True, expert_parallel: int = EXPERT_RANKS) -> DualPipeBytes:
    """Return what a GPU of DeepSeek-V3's inner stages holds, with t GPUs to a layer.

    Formula: $M$
    Symbols: M = dualpipe_rank_bytes with four layers of experts a stage
    Chapter: 38

    Args:
        tensor_parallel: 1, 2, 4 or 8.
        drops: whether what DeepSeek-V3 makes again is dropped.
        expert_parallel: GPUs among which a layer's experts are dealt, a power of two up to 256.

    Returns:
        Bytes by kind.

    Source: derived; no makers' figure is known.
    Convention: 2 bytes a weight, assumed; 4 a gradient, 4 a master weight and 2 a moment, as reported.
    Leaves out: tables, head and second prediction, which the outer stages hold besides, with fewer layers; buffers of
        exchanges.

    Example:
        >>> [round(v3_memory(t, drops=t == 1).total / 1e9) for t in (1, 2)]
        [67, 60]
    """
    t = one_of("tensor_parallel", positive_integer("tensor_parallel", tensor_parallel), WIDTHS)
    flag("drops", drops)
    parts = parameter_parts(_MODEL)
    mixtures = _MODEL.expert_layers
    dense = parts.attention / _MODEL.layers + (parts.shared_experts + parts.router) / mixtures
    kept = sum(each.token_bytes for each in v3_tensors() if not (drops and each.dropped))
    return dualpipe_rank_bytes(
        layer_dense_parameters=dense,
        layer_expert_parameters=parts.routed_experts / mixtures,
        layers=STAGE_LAYERS * STAGES,
        stages=STAGES,
        tensor_parallel=t,
        data_parallel=GPUS // STAGES // t,
        expert_parallel=expert_parallel,
        kept_bytes=SEQUENCE * kept,
    )


def v3_made_again_s() -> float:
    """Return how long a step takes to make again what DeepSeek-V3's layers drop.

    Formula: $\\frac{B L}{R}\\left(\\frac{2\\,(N_\\text{q}+N_\\text{kv})}{uP} + \\frac{n}{\\beta_\\text{mem}}\\right)$
    Symbols: B = tokens of a step; L = layers; R = GPUs; N_q, N_kv = weights of the up-projections; uP = 65% of the
        bf16 peak; n = bytes that norms and gated products read and write; \\beta_\\text{mem} = 86% of the memory's
        bandwidth
    Chapter: 38

    Returns:
        Seconds.

    Source: derived from what DeepSeek-AI 2024, sections 3.2.3 and 3.3.3, says is made again.
    Convention: at the rate of bf16 matmuls; in fp8 it would be less.
    Leaves out: launches.

    Example:
        >>> round(v3_made_again_s(), 2)
        0.38
    """
    attention, mixture, h = _MODEL.attention, _MODEL.experts, _MODEL.hidden
    assert isinstance(attention, LatentAttention)
    assert attention.query_rank
    assert mixture is not None
    weights = attention.query_rank * attention.heads * (attention.head_size + attention.rotary_size)
    weights += attention.key_value_rank * attention.heads * (attention.head_size + attention.value_size)
    inner = (mixture.per_token + mixture.shared) * mixture.width
    moved = 2 * (2 * h + h) + 2 * inner + inner
    memory = 0.86 * NODES["HGX H800"].accelerator.memory_bandwidth_bytes_per_s
    rows = SEQUENCES * SEQUENCE * _MODEL.layers / GPUS
    return float(rows * (2 * weights / _AGAIN_FLOPS_PER_S + moved / memory))


def v3_narrower_s(tensor_parallel: int) -> float:
    """Return what a step's matmuls take longer because t GPUs share each layer.

    Formula: $m\\,\\frac Lp\\,(t\\,T_t - T_1)$
    Symbols: m = micro-batches of a copy with t = 1; L/p = layers of a stage; T_t = layer_times of a micro-batch on a
        GPU with t to a layer, forward and backward
    Chapter: 38

    Args:
        tensor_parallel: t: 1, 2, 4 or 8.

    Returns:
        Seconds of a step.

    Source: chapter 26's matmuls by their shapes.
    Convention: fp8 matmuls, half of the attention's pairs.
    Leaves out: what ``layer_times`` leaves out.

    Example:
        >>> [round(v3_narrower_s(t), 2) for t in (1, 2, 4, 8)]
        [0.0, 0.45, 1.35, 3.15]
    """
    t = one_of("tensor_parallel", positive_integer("tensor_parallel", tensor_parallel), WIDTHS)
    return _narrower_s(t)


@cache
def _narrower_s(t: int) -> float:
    copies = GPUS // STAGES
    node = NODES["HGX H800"]
    constants = device_constants(node.accelerator, "fp8")

    def both_s(width: int) -> float:
        layout = Layout(tensor=width, data=copies // width, expert=EXPERT_RANKS)
        times = layer_times(
            _MODEL,
            batch=1,
            sequence=SEQUENCE,
            layout=layout,
            node=node,
            constants=constants,
            mask="half",
            dtype="fp8",
        )
        return float(times.forward + times.backward)

    return float(SEQUENCES / copies * _MODEL.layers / STAGES * (t * both_s(t) - both_s(1)))


def v3_plan(
    tensor_parallel: int,
    *,
    link_bytes_per_s: float = LINK_BYTES_PER_S,
    memory_bytes: float = 80e9,
    open_halves: int = OPEN_HALVES,
    expert_parallel: int = EXPERT_RANKS,
    drops: bool | None = None,
    narrower_times: float = 1.0,
    uneven_s: float = 0.0,
) -> V3Plan:
    """Return DeepSeek-V3's step with t GPUs to a layer, whose tensors are dropped only if they must be.

    Formula: $T,\\; M$
    Symbols: T = tensor_step of the reported step; M = v3_memory
    Chapter: 38

    Args:
        tensor_parallel: t: 1, 2, 4 or 8.
        link_bytes_per_s: what a GPU sends inside its node, from 1 to 1e15.
        memory_bytes: of a GPU.
        open_halves: halves of an all-reduce that a layer waits for, at least 0.
        expert_parallel: GPUs among which a layer's experts are dealt, a power of two up to 256.
        drops: whether tensors are dropped; by default if they don't fit otherwise.
        narrower_times: by what v3_narrower_s is multiplied, from 0 to 100.
        uneven_s: seconds of the reported bubble that no group shortens, at least 0 and at most all of it.

    Returns:
        The plan, which may not fit.

    Source: Zhao, Deng et al. 2025, table 4, for the step as it was; all else derived.
    Convention: a tenth of the memory stays free.
    Leaves out: as ``tensor_step`` and ``v3_memory``; the exchange of experts stays hidden.

    Example:
        >>> [round(v3_plan(t).step.total, 1) for t in (1, 2, 4, 8)]
        [19.9, 20.1, 22.7, 28.9]
    """
    memory = positive_number("memory_bytes", memory_bytes) * (1 - FREE_SHARE)
    all_kept = v3_memory(tensor_parallel, drops=False, expert_parallel=expert_parallel)
    dropping = all_kept.total > memory if drops is None else flag("drops", drops)
    held = v3_memory(tensor_parallel, expert_parallel=expert_parallel) if dropping else all_kept
    wait = open_tensor_wait_s(
        tensor_parallel=tensor_parallel,
        open_halves=nonnegative_integer("open_halves", open_halves),
        micro_batch_tokens=SEQUENCE,
        hidden=_MODEL.hidden,
        bandwidth_bytes_per_s=number_between("link_bytes_per_s", link_bytes_per_s, low=1, high=1e15),
        latency_s=LATENCY_S,
    )
    step = tensor_step(
        tensor_parallel=tensor_parallel,
        drops=dropping,
        layer_wait_s=wait,
        narrower_s=number_between("narrower_times", narrower_times, low=0, high=100) * v3_narrower_s(tensor_parallel),
        made_again_s=v3_made_again_s(),
        work_s=V3_STEP.work_s,
        bubble_s=V3_STEP.bubble_s,
        update_s=V3_STEP.update_s,
        micro_batches=SEQUENCES * STAGES // GPUS,
        stage_layers=_MODEL.layers / STAGES,
        uneven_s=uneven_s,
    )
    return V3Plan(step, held, dropping, held.total <= memory)
