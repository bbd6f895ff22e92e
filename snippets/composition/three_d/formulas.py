"""Formulas: what three axes send, which gathers hide on two levels, what a gated layer's tensors cost."""

from __future__ import annotations

from typing import Any, NamedTuple

from snippets.domain import (
    as_float,
    flag,
    nonnegative_integer,
    one_of,
    positive_integer,
    positive_number,
)
from snippets.memory.recomputation.selective import TensorPrice
from snippets.memory.zero.formulas import STAGES
from snippets.models import MODELS, Attention, Transformer
from snippets.parallelism.pipeline.formulas import pipeline_message_bytes
from snippets.parallelism.tensor.formulas import tensor_block_traffic_bytes


class AxisBytes(NamedTuple):
    """Bytes that a rank sends in one step along each axis.

    >>> AxisBytes(tensor=3.0, pipeline=2.0, data=1.0).tensor
    3.0
    """

    tensor: float
    pipeline: float
    data: float


def three_axes_bytes(
    *,
    parameters: int | float,
    layers: int,
    hidden: int,
    sequence: int,
    micro_batches: int,
    tensor_parallel: int,
    pipeline_parallel: int,
    data_parallel: int,
    zero_stage: int = 1,
    recompute: bool = False,
    sequence_parallel: bool = True,
    gather_again: bool = False,
    micro_batch: int = 1,
    element_bytes: int = 2,
) -> AxisBytes:
    """Return what a rank of a middle stage sends in a step along the tensor, the pipeline and the data axis.

    Also: 3-D parallelism traffic
    Formula: $Q_t = \\frac{8 m L}{p} \\cdot \\frac{t-1}{t}\\, bshw,\\; Q_p = \\frac{2 m}{t}\\, bshw,\\; Q_d =
        2\\,\\frac{d-1}{d} \\cdot \\frac{N w}{t p}$
    Symbols: t = tensor_parallel; p = pipeline_parallel; d = data_parallel; m = micro_batches; L = layers; N =
        parameters; b = micro_batch; s = sequence; h = hidden; w = element_bytes; Q_t, Q_p, Q_d = the result's parts;
        recompute adds 4 to the 8 of Q_t, gather_again adds 2; without sequence_parallel Q_p is t times as large; in
        stage 3 Q_d is 3m/2 times as large
    Chapter: 26

    Args:
        parameters: N of the model, in equal parts on the model-parallel ranks.
        layers: L, a multiple of ``pipeline_parallel``.
        hidden: h.
        sequence: s.
        micro_batches: m of a copy in a step.
        tensor_parallel: t.
        pipeline_parallel: p.
        data_parallel: d.
        zero_stage: 0, 1, 2 or 3; stage 2 reduces once a step here, as stage 1 does.
        recompute: whether every layer runs forward twice; the second run sums again.
        sequence_parallel: whether tokens are cut between the blocks, so that a stage's edge has 1/t of them.
        gather_again: whether a block's input is kept cut, and gathered once more going backward; only with
            ``sequence_parallel``.
        micro_batch: b.
        element_bytes: w of activations, weights and gradients.

    Returns:
        Bytes of each axis.

    Source: chapters 17, 18 and 22, whose functions are called.
    Convention: sent by one rank, rings, both directions of a step; the mean over ranks where a ring's chunks differ.
    Leaves out: the vocabulary, norms, the first and the last stage (which send half as much along the pipeline).

    Example:
        >>> sent = three_axes_bytes(parameters=70.6e9, layers=80, hidden=8192, sequence=8192, micro_batches=64,
        ...                         tensor_parallel=8, pipeline_parallel=4, data_parallel=8)
        >>> [round(size / 1e9, 1) for size in sent]
        [1202.6, 2.1, 7.7]
    """
    m, L = positive_integer("micro_batches", micro_batches), positive_integer("layers", layers)
    t, p = (
        positive_integer("tensor_parallel", tensor_parallel),
        positive_integer("pipeline_parallel", pipeline_parallel),
    )
    d, N = positive_integer("data_parallel", data_parallel), positive_number("parameters", parameters)
    z = one_of("zero_stage", nonnegative_integer("zero_stage", zero_stage), STAGES)
    if L % p:
        raise ValueError(f"layers must be a multiple of pipeline_parallel = {p}, got {L}")
    size: dict[str, Any] = {"micro_batch": micro_batch, "sequence": sequence, "hidden": hidden}
    cut = t if flag("sequence_parallel", sequence_parallel) else 1
    if flag("gather_again", gather_again) and not sequence_parallel:
        raise ValueError("gather_again must be False without sequence_parallel, got True")
    block: dict[str, Any] = {**size, "tensor_parallel": t, "element_bytes": element_bytes}
    sent = tensor_block_traffic_bytes(**block, gather_again=gather_again)
    if flag("recompute", recompute):
        sent += tensor_block_traffic_bytes(**block) / 2  # the forward half once more
    along_tensor = m * 2 * L / p * sent
    along_pipeline = 2.0 * m * pipeline_message_bytes(**size, element_bytes=element_bytes) / cut if p > 1 else 0.0
    phases = 3 * m if z == 3 else 2
    along_data = phases * (d - 1) / d * N * element_bytes / (t * p)
    return AxisBytes(along_tensor, along_pipeline, as_float("parameters and micro_batches", along_data))


def fsdp_tensor_tokens_to_hide(
    *,
    flops_per_s: float,
    adapter_bytes_per_s: float,
    gpus_per_node: int,
    tensor_parallel: int = 1,
    element_bytes: int = 2,
) -> float:
    """Return the tokens of a micro-batch, shared by t GPUs of a node, behind which full sharding's gathers hide.

    A tensor group gathers 1/t of a layer on each GPU; a node's t groups share its adapters, so that the time is the
    same for every t. But t GPUs take a t-th of the time for the same tokens.

    Also: FSDP with tensor parallelism on two levels
    Formula: $x \\ge t \\cdot \\frac{w}{2} \\cdot \\frac{uP}{R_\\text{node}\\,\\beta_\\text{net}}$
    Symbols: x = tokens; t = tensor_parallel; w = element_bytes; uP = flops_per_s; R_\\text{node} = gpus_per_node;
        \\beta_\\text{net} = adapter_bytes_per_s
    Chapter: 26

    Args:
        flops_per_s: uP of one GPU while matmuls run.
        adapter_bytes_per_s: β_net of one GPU's adapter.
        gpus_per_node: R_node.
        tensor_parallel: t, a divisor of ``gpus_per_node``.
        element_bytes: w of a weight on the wire.

    Returns:
        Tokens of the group's micro-batch, x.

    Source: derived in this book; Austin et al. 2025, part on GPUs, has it for t = 1.
    Convention: a group over many nodes, so that (R − 1)/R is 1; bytes alone.
    Leaves out: latency, attention's scores, NVLink, which has to be fast enough for the part inside a node.

    Example:
        >>> rates = {"flops_per_s": 643.1e12, "adapter_bytes_per_s": 40e9, "gpus_per_node": 8}
        >>> [round(fsdp_tensor_tokens_to_hide(**rates, tensor_parallel=t)) for t in (1, 2, 4)]
        [2010, 4019, 8039]
    """
    uP, β = positive_number("flops_per_s", flops_per_s), positive_number("adapter_bytes_per_s", adapter_bytes_per_s)
    R_node, t = positive_integer("gpus_per_node", gpus_per_node), positive_integer("tensor_parallel", tensor_parallel)
    w = positive_integer("element_bytes", element_bytes)
    if R_node % t:
        raise ValueError(f"tensor_parallel must divide gpus_per_node = {R_node}, got {t}")
    return as_float("flops_per_s and adapter_bytes_per_s", t * w / 2 * uP / (R_node * β))


def gated_tensor_prices(
    model: Transformer | str,
    *,
    sequence: int,
    micro_batch: int = 1,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    sequence_parallel: bool = True,
) -> tuple[TensorPrice, ...]:
    """Return the tensors that a layer with a gated feed-forward block keeps, each with what it costs to make it again.

    Formula: $A = \\frac{2bs}{ct}\\,(6h + 2 a_\\text{kv} h_\\text{head} + 2a + 3 h_\\text{ff})$
    Symbols: A = bytes of all tensors, with the layer's input, which is not in the result; b = micro_batch; s =
        sequence; c = context_parallel; t = tensor_parallel; h, h_\\text{ff}, a, a_\\text{kv}, h_\\text{head} = of
        the model, whose heads are h wide together
    Chapter: 26

    Args:
        model: a name in ``MODELS``, or a ``Transformer`` with attention by heads and a gated feed-forward block.
        sequence: s.
        micro_batch: b.
        tensor_parallel: t, a divisor of the heads.
        context_parallel: c, a divisor of s: ranks that share a sequence, whose queries see all s keys.
        sequence_parallel: whether t cuts the norms' inputs and results too.

    Returns:
        The tensors of one rank in the order of the forward pass, without the layer's input.

    Raises:
        ValueError: if the model has experts, latent attention or a feed-forward block without gates, or c does not
            divide the sequence, or t the heads.

    Source: derived in this book, as chapter 23's ``tensor_prices`` for GPT layers; Llama's layer as in ``MODELS``.
    Convention: 2 bytes a number, 4 of flash attention's log-sum-exp; matmuls alone, no causal mask; rotary embeddings,
        norms and the gate's product cost 0 FLOPs. Query and key are kept after the rotation.
    Leaves out: time that bytes take; the copies of key-value heads beyond a_kv ranks.

    Example:
        >>> prices = gated_tensor_prices("Llama 3 70B", sequence=8192)
        >>> [(price.name, price.bytes >> 20, round(price.flops_per_byte)) for price in prices[:3]]
        [('normed for attention', 128, 0), ('query', 128, 8192), ('key and value', 32, 8192)]
        >>> round(80 * sum(price.bytes for price in prices) / 1e9)
        169
    """
    found = MODELS.find(model)
    attention, inner = found.attention, found.feed_forward
    if not isinstance(attention, Attention) or inner is None or not inner.gated or found.experts is not None:
        raise ValueError(f"model must have attention by heads and one gated feed-forward block, got {found.name!r}")
    t, x = positive_integer("tensor_parallel", tensor_parallel), positive_integer("sequence", sequence)
    c = positive_integer("context_parallel", context_parallel)
    if x % c:
        raise ValueError(f"context_parallel must divide sequence = {x}, got {c}")
    if attention.heads % t:
        raise ValueError(f"tensor_parallel must divide the {attention.heads} heads, got {t}")
    tokens = positive_integer("micro_batch", micro_batch) * x // c
    stream = t if flag("sequence_parallel", sequence_parallel) else 1
    h, wide, a = found.hidden, attention.heads * attention.head_size, attention.heads
    shared = attention.key_value_heads * attention.head_size
    of_a_token = {  # name: (bytes, among how many ranks, FLOPs that make it again)
        "normed for attention": (2 * h, stream, 0),
        "query": (2 * wide, t, 2 * h * wide),
        "key and value": (4 * shared, t, 4 * h * shared),
        "attention's output": (2 * wide + 4 * a, t, 4 * x * wide),
        "second norm's input": (2 * h, stream, 2 * wide * h),
        "normed for feed-forward": (2 * h, stream, 0),
        "gate": (2 * inner.width, t, 2 * h * inner.width),
        "up": (2 * inner.width, t, 2 * h * inner.width),
        "gated product": (2 * inner.width, t, 0),
    }
    return tuple(
        TensorPrice(name, tokens * size // cut, tokens * flops // t) for name, (size, cut, flops) in of_a_token.items()
    )
