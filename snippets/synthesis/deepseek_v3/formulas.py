"""Formulas: what tensor parallelism costs and buys in a run such as DeepSeek-V3's, and what a reported rate implies."""

from __future__ import annotations

from typing import NamedTuple

from snippets.domain import (
    as_float,
    flag,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.parallelism.pipeline.formulas import dualpipe_peak_activations


class ReportedStep(NamedTuple):
    """A step of DeepSeek-V3 on 2,048 H800s as its makers print it, in seconds, and what they count with it.

    Attributes:
        step_s: the whole step.
        forward_s, input_gradient_s, weight_gradient_s: passes that run alone; paired_s: passes that run in pairs.
        bubble_s: nothing to do.
        update_s: the optimizer.
        full_tflops, causal_tflops: TFLOP/s of a GPU, with all pairs of the attention counted, and with half.
        tokens_per_day: of all GPUs.

    >>> round(V3_STEP.work_s, 2)
    17.58
    """

    step_s: float
    forward_s: float
    input_gradient_s: float
    weight_gradient_s: float
    paired_s: float
    bubble_s: float
    update_s: float
    full_tflops: float
    causal_tflops: float
    tokens_per_day: float

    @property
    def work_s(self) -> float:
        """What is left without the bubble and the optimizer.

        >>> V3_STEP.work_s < V3_STEP.step_s
        True
        """
        return self.step_s - self.bubble_s - self.update_s


# Zhao, Deng et al. 2025, table 4, column MPFT.
V3_STEP = ReportedStep(19.926, 1.13, 1.99, 0.48, 13.95, 2.06, 0.29, 432, 385, 272.80e9)


def implied_token_flops(*, flops_per_s: float, devices: int, step_s: float, batch_tokens: int) -> float:
    """Return with how many FLOPs for each token a reported rate was counted.

    Formula: $F = \\frac{y\\,R\\,T_\\text{step}}{B}$
    Symbols: F = the result; y = flops_per_s; R = devices; T_\\text{step} = step_s; B = batch_tokens
    Chapter: 38

    Args:
        flops_per_s: what each GPU is said to reach.
        devices: GPUs.
        step_s: seconds of a step.
        batch_tokens: tokens of a step.

    Returns:
        FLOP for each token, forward and backward.

    Source: definition of the rate.
    Convention: whatever the rate's author counts: with or without the mask's half, further layers, recomputation.
    Leaves out: which of these it was.

    Example:
        >>> tokens = 15_360 * 4096
        >>> round(implied_token_flops(flops_per_s=385e12, devices=2048, step_s=19.926, batch_tokens=tokens) / 1e9, 1)
        249.7
    """
    rate, time = positive_number("flops_per_s", flops_per_s), positive_number("step_s", step_s)
    tokens = positive_integer("batch_tokens", batch_tokens)
    return as_float("flops_per_s and step_s", rate * positive_integer("devices", devices) * time / tokens)


def open_tensor_wait_s(
    *,
    tensor_parallel: int,
    open_halves: int,
    micro_batch_tokens: int,
    hidden: int,
    bandwidth_bytes_per_s: float,
    latency_s: float,
    element_bytes: int = 2,
) -> float:
    """Return how long a layer's tensor group waits for one micro-batch, forward and backward.

    Formula: $T_\\text{wait} = z\\,(t-1)\\left(\\alpha + \\frac{w\\,x\\,h}{t\\,\\beta_\\text{node}}\\right)$
    Symbols: T_\\text{wait} = the result; z = open_halves; t = tensor_parallel; \\alpha = latency_s; w = element_bytes;
        x = micro_batch_tokens; h = hidden; \\beta_\\text{node} = bandwidth_bytes_per_s
    Chapter: 38

    Args:
        tensor_parallel: GPUs that share a layer.
        open_halves: gathers and scatters, each half of an all-reduce, beside which nothing runs; at least 0.
        micro_batch_tokens: of the micro-batch, which the group shares.
        hidden: width of the residual stream.
        bandwidth_bytes_per_s: what one GPU sends to the others.
        latency_s: of one message, at least 0.
        element_bytes: bytes of a number.

    Returns:
        Seconds, 0 for one GPU.

    Source: chapter 17's ring, half of an all-reduce at a time.
    Convention: of a layer's ten halves six are open where both blocks are cut, three where the attention is cut alone.
    Leaves out: halves that outlast the matmul beside them.

    Example:
        >>> one = {"open_halves": 1, "micro_batch_tokens": 4096, "hidden": 7168, "latency_s": 5e-6}
        >>> [
        ...     round(1e3 * open_tensor_wait_s(tensor_parallel=2, bandwidth_bytes_per_s=rate, **one), 3)
        ...     for rate in (160e9, 360e9)
        ... ]
        [0.189, 0.087]
    """
    t, halves = positive_integer("tensor_parallel", tensor_parallel), nonnegative_integer("open_halves", open_halves)
    x, h = positive_integer("micro_batch_tokens", micro_batch_tokens), positive_integer("hidden", hidden)
    beta = positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    alpha, w = nonnegative_number("latency_s", latency_s), positive_integer("element_bytes", element_bytes)
    return as_float("bandwidth_bytes_per_s", halves * (t - 1) * (alpha + w * x * h / (t * beta)))


class DualPipeBytes(NamedTuple):
    """What one GPU of a DualPipe holds.

    >>> DualPipeBytes(1, 2, 3, 4).total
    10
    """

    dense: float
    experts: float
    optimizer: float
    activations: float

    @property
    def state(self) -> float:
        """Weights, gradients and optimizer state.

        >>> DualPipeBytes(1, 2, 3, 4).state
        6
        """
        return self.dense + self.experts + self.optimizer

    @property
    def total(self) -> float:
        """All of it.

        >>> DualPipeBytes(1, 1, 1, 1).total
        4
        """
        return self.state + self.activations


def dualpipe_rank_bytes(
    *,
    layer_dense_parameters: float,
    layer_expert_parameters: float,
    layers: int,
    stages: int,
    tensor_parallel: int,
    data_parallel: int,
    expert_parallel: int,
    kept_bytes: float,
    held_bytes: float = 6.0,
    optimizer_bytes: float = 8.0,
) -> DualPipeBytes:
    """Return what a GPU holds in DualPipe with experts dealt out, tensor parallelism and ZeRO's stage 1.

    Each GPU has two stages, so each stage is on twice as many GPUs, which share its optimizer state.

    Formula: $M = \\frac{2L}{p}\\left[(w_\\text{p}+w_\\text{g})
        \\left(\\frac{N_\\text{d}}{t}+\\frac{N_\\text{e}}{e}\\right)
        + \\frac{w_\\text{o}}{2td}\\,(N_\\text{d}+N_\\text{e})\\right] + (p+1)\\,\\frac{L}{p}\\,\\frac{A}{t}$
    Symbols: M = the result; L = layers; p = stages; w_\\text{p}+w_\\text{g} = held_bytes; w_\\text{o} =
        optimizer_bytes; N_\\text{d}, N_\\text{e} = layer_dense_parameters and layer_expert_parameters; t, d, e =
        tensor_parallel, data_parallel, expert_parallel; A = kept_bytes
    Chapter: 38

    Args:
        layer_dense_parameters: of a layer, all but its routed experts; at least 0.
        layer_expert_parameters: of a layer, its routed experts; at least 0.
        layers: of the model.
        stages: of the pipeline; even.
        tensor_parallel: GPUs that share what isn't a routed expert.
        data_parallel: copies, of all pipelines.
        expert_parallel: GPUs among which a layer's experts are dealt; a divisor of 2 × tensor × data.
        kept_bytes: what a layer keeps of one micro-batch, before any cut; at least 0.
        held_bytes: of a parameter, weight and gradient.
        optimizer_bytes: of a parameter, before ZeRO; at least 0.

    Returns:
        Bytes by kind.

    Source: derived; DeepSeek-AI 2024, table 2, for two copies and p + 1 micro-batches.
    Convention: all layers alike, and each stage has L/p of them.
    Leaves out: tables, output head and a layer that predicts a second token; buffers.

    Example:
        >>> held = dualpipe_rank_bytes(
        ...     layer_dense_parameters=4, layer_expert_parameters=64, layers=8, stages=4, tensor_parallel=1,
        ...     data_parallel=8, expert_parallel=16, kept_bytes=3,
        ... )
        >>> held.dense, held.experts, held.optimizer, held.activations
        (96.0, 96.0, 136.0, 30.0)
    """
    dense = nonnegative_number("layer_dense_parameters", layer_dense_parameters)
    expert = nonnegative_number("layer_expert_parameters", layer_expert_parameters)
    L, p = positive_integer("layers", layers), positive_integer("stages", stages)
    t, d = positive_integer("tensor_parallel", tensor_parallel), positive_integer("data_parallel", data_parallel)
    e = positive_integer("expert_parallel", expert_parallel)
    if 2 * t * d % e:
        raise ValueError(f"expert_parallel must be a divisor of 2 · tensor · data = {2 * t * d}, got {e}")
    kept = nonnegative_number("kept_bytes", kept_bytes)
    held, own = positive_number("held_bytes", held_bytes), nonnegative_number("optimizer_bytes", optimizer_bytes)
    both = 2 * L / p
    in_flight = dualpipe_peak_activations(stages=p)
    return DualPipeBytes(
        dense=as_float("layer_dense_parameters and held_bytes", both * held * dense / t),
        experts=as_float("layer_expert_parameters and held_bytes", both * held * expert / e),
        optimizer=as_float("optimizer_bytes and the parameters", both * own * (dense + expert) / (2 * t * d)),
        activations=as_float("kept_bytes", in_flight * L / p * kept / t),
    )


class KeptTensor(NamedTuple):
    """A tensor of a layer: bytes of a token, and whether DeepSeek-V3 drops it and makes it again.

    >>> KeptTensor("norm", 2, True).dropped
    True
    """

    name: str
    token_bytes: int
    dropped: bool


def latent_expert_tensors(
    *,
    hidden: int,
    heads: int,
    head_size: int,
    rotary_size: int,
    query_rank: int,
    key_value_rank: int,
    experts_per_token: int,
    shared: int,
    width: int,
) -> tuple[KeptTensor, ...]:
    """Return what a layer of latent attention and experts needs of a token going backward, tensor by tensor.

    Formula: $A = \\sum_i n_i$
    Symbols: A = all of them for a token; n_i = token_bytes of each tensor
    Chapter: 38

    Args:
        hidden: width of the residual stream.
        heads: attention heads.
        head_size: of queries, keys and values, without what is rotated.
        rotary_size: the rotated part of queries, and of one key for all heads.
        query_rank: width of the queries' latent.
        key_value_rank: width of the latent of keys and values.
        experts_per_token: routed experts that a token goes to.
        shared: experts that all tokens go to, at least 0.
        width: inner width of an expert.

    Returns:
        The tensors in the order of the forward pass.

    Source: DeepSeek-AI 2024, sections 3.2.3 and 3.3.3, for what is dropped and what is cached in 8 bits.
    Convention: 2 bytes a number in bf16, 1 in fp8, 4 for each row of a fused attention; dropped ones as they would be
        kept: inputs of fp8 matmuls in 1 byte.
    Leaves out: scales of blocks; the attention's output is kept in 12 bits besides, which its row counts as 16; the
        router; that tokens may be dealt unevenly.

    Example:
        >>> tensors = latent_expert_tensors(
        ...     hidden=7168, heads=128, head_size=128, rotary_size=64, query_rank=1536, key_value_rank=512,
        ...     experts_per_token=8, shared=1, width=2048,
        ... )
        >>> [sum(each.token_bytes for each in tensors if each.dropped is dropped) for dropped in (False, True)]
        [160384, 147584]
    """
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    size, rotary = positive_integer("head_size", head_size), positive_integer("rotary_size", rotary_size)
    queries, pairs = positive_integer("query_rank", query_rank), positive_integer("key_value_rank", key_value_rank)
    sent, own = (
        positive_integer("experts_per_token", experts_per_token),
        nonnegative_integer("shared", shared),
    )
    inner = (sent + own) * positive_integer("width", width)
    return (
        KeptTensor("input of the attention's norm", 2 * h, False),
        KeptTensor("its result", h, True),
        KeptTensor("latents", 2 * (queries + pairs + rotary), False),
        KeptTensor("queries, keys, values", 2 * (a * (size + rotary) + a * 2 * size + rotary), True),
        KeptTensor("attention's output", 2 * a * size + 4 * a, False),
        KeptTensor("input of the experts' norm", 2 * h, False),
        KeptTensor("its result, for the shared expert", h, True),
        KeptTensor("copies sent to experts", sent * h, False),
        KeptTensor("gate and up", 2 * inner, False),
        KeptTensor("gated product", inner, True),
    )


class TensorStep(NamedTuple):
    """Seconds of a step by what they go to, with one number of GPUs to a layer.

    >>> TensorStep(1, 2, 3, 4, 5, 6).total
    21
    """

    work: float
    narrower: float
    made_again: float
    waiting: float
    bubble: float
    update: float

    @property
    def total(self) -> float:
        """All of it.

        >>> TensorStep(1, 0, 0, 0, 0, 1).total
        2
        """
        return sum(self)


def tensor_step(
    *,
    tensor_parallel: int,
    drops: bool,
    layer_wait_s: float,
    narrower_s: float,
    made_again_s: float,
    work_s: float,
    bubble_s: float,
    update_s: float,
    micro_batches: int,
    stage_layers: float,
    uneven_s: float = 0.0,
) -> TensorStep:
    """Return where a step goes if t GPUs share each layer, from a step in which each had its own and dropped tensors.

    Formula: $T = T_0 + T_\\text{narrow} + T_\\text{again} + m\\,t\\,\\frac Lp\\,T_\\text{wait} +
        \\left(\\frac{T_\\text{bubble} - T_\\text{uneven}}{t} + T_\\text{uneven}\\right)
        \\frac{T_\\text{busy}}{T_\\text{work}} + T_\\text{update}$
    Symbols: T = the result; T_0 = work_s − made_again_s; T_\\text{narrow} = narrower_s; T_\\text{again} =
        made_again_s, or 0 where nothing is dropped; m = micro_batches; t = tensor_parallel; L/p = stage_layers;
        T_\\text{wait} = layer_wait_s; T_\\text{bubble}, T_\\text{uneven}, T_\\text{update} = bubble_s, uneven_s,
        update_s; T_\\text{busy} = the first four terms; T_\\text{work} = work_s
    Chapter: 38

    Args:
        tensor_parallel: t.
        drops: whether layers drop tensors and make them again.
        layer_wait_s: of a layer's group for one micro-batch, at least 0.
        narrower_s: what smaller matmuls take longer in the whole step, at least 0.
        made_again_s: seconds of ``work_s`` in which dropped tensors are made again, at least 0 and at most that.
        work_s: of the step with t = 1, without bubble and update.
        bubble_s: of that step, at least 0.
        update_s: of that step, at least 0.
        micro_batches: of a copy in that step; there are t times as many with a t-th of the copies.
        stage_layers: layers that a micro-batch meets on a GPU.
        uneven_s: seconds of ``bubble_s`` in which GPUs wait for a longer stage, at least 0 and at most that.

    Returns:
        Seconds by kind.

    Source: derived.
    Convention: the same GPUs and batch for every t, so that the work of a GPU stays; a micro-batch takes a t-th of the
        time, and so does filling and draining; waits for a longer stage are t times as many, each a t-th as long.
    Leaves out: exchanges of experts, hidden or not, which stay what they were; anything that could run beside a wait.

    Example:
        >>> pair = tensor_step(
        ...     tensor_parallel=2, drops=False, layer_wait_s=1e-3, narrower_s=0.5, made_again_s=0.5, work_s=10.0,
        ...     bubble_s=2.0, update_s=0.5, micro_batches=100, stage_layers=4,
        ... )
        >>> [round(each, 2) for each in pair]
        [9.5, 0.5, 0.0, 0.8, 1.08, 0.5]
    """
    t = positive_integer("tensor_parallel", tensor_parallel)
    wait, narrower = nonnegative_number("layer_wait_s", layer_wait_s), nonnegative_number("narrower_s", narrower_s)
    whole, again = positive_number("work_s", work_s), nonnegative_number("made_again_s", made_again_s)
    if again > whole:
        raise ValueError(f"made_again_s must be at most work_s = {work_s}, got {made_again_s}")
    own = again if flag("drops", drops) else 0.0
    m, layers = positive_integer("micro_batches", micro_batches), positive_number("stage_layers", stage_layers)
    waiting = as_float("layer_wait_s and stage_layers", m * t * layers * wait)
    busy = whole - again + narrower + own + waiting
    idle, uneven = nonnegative_number("bubble_s", bubble_s), nonnegative_number("uneven_s", uneven_s)
    if uneven > idle:
        raise ValueError(f"uneven_s must be at most bubble_s = {bubble_s}, got {uneven_s}")
    bubble = as_float("bubble_s", ((idle - uneven) / t + uneven) * busy / whole)
    return TensorStep(
        whole - again, narrower, own, waiting, bubble, as_float("update_s", nonnegative_number("update_s", update_s))
    )
