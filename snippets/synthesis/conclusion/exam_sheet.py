"""Formulas: what a task of the exam has to say besides its table: sizes, rates, and what its words mean."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.composition.configuration_search.candidates import KEEPS
from snippets.composition.configuration_search.clusters import Cluster, cluster_constants
from snippets.domain import each, of_kind, text
from snippets.hardware import NODES, dense_peak_flops_per_s
from snippets.models import LatentAttention, Transformer
from snippets.synthesis.conclusion.exam_layouts import ExamJob

Row = tuple[str, str]
KEEP_WORDS = {
    "none": "Each layer keeps all activations.",
    "selective": "The attention's scores are made again. Flash attention, which all jobs use, keeps none, so that"
    " this is the same as none.",
    "some": "Each layer drops the tensors that are cheapest to make again, only as many as it takes to fit. It needs"
    " layers with attention by heads and one gated block.",
    "full": "Each layer keeps its input alone and runs forward twice.",
}


def allowed_keeps(model: Transformer) -> tuple[str, ...]:
    """Return what ``recompute`` may be for a model.

    Args:
        model: the model.

    Returns:
        Words of ``KEEPS``; ``"some"`` only where every layer has attention by heads and one gated block, whose tensors
        the planner can drop one by one.

    Source: ``dropped_to_fit``.
    Leaves out: nothing.

    Example:
        >>> from snippets.models import MODELS
        >>> allowed_keeps(MODELS["Mixtral 8x7B"])
        ('none', 'selective', 'full')
    """
    of_kind("model", model, Transformer)
    block = model.feed_forward
    by_heads = hasattr(model.attention, "key_value_heads")
    if model.experts is None and block is not None and block.gated and by_heads:
        return KEEPS
    return tuple(keep for keep in KEEPS if keep != "some")


def sheet_rows(job: ExamJob, nodes: Sequence[str]) -> tuple[Row, ...]:
    """Return what the planner takes for granted of a job: names and values.

    Args:
        job: the job.
        nodes: names of the nodes that it may run on.

    Returns:
        Rows of a table.

    Source: ``MODELS``, ``NODES``, ``cluster_constants``.
    Leaves out: what the planner leaves out.

    Example:
        >>> rows = dict(sheet_rows(ExamJob("Llama 3 8B", "DGX H100", 1, 4096, 8), ["DGX H100"]))
        >>> rows["sizes"]
        '32 layers; hidden 4,096; 32 heads of 128, 8 of keys; inner width 14,336, gated; vocabulary 128,256'
    """
    of_kind("job", job, ExamJob)
    keeps, experts = allowed_keeps(job.model), job.model.experts
    cuts = (
        f"t divides {job.model.attention.heads} heads; p × v divides {job.model.layers} or"
        f" {job.model.layers + 2} layers"
    )
    if experts is not None:
        cuts += f"; e divides {experts.experts} experts"
    return (
        ("sizes", _sizes(job.model)),
        *(_device(name) for name in each("nodes", nodes, _node)),
        ("recompute", f"{', '.join(keeps[:-1])} or {keeps[-1]}"),
        ("cuts", cuts),
    )


def word_rows() -> tuple[Row, ...]:
    """Return what the words of every task mean, and how the planner counts.

    Returns:
        Names and sentences.

    Source: ``layout_plan``, ``check_layout``, ``goodput_share``.
    Leaves out: what the planner leaves out.

    Example:
        >>> [name for name, _ in word_rows()][4:]
        ['cuts', 'rates', 'days', 'failures']
    """
    return (*((f"recompute={keep}", KEEP_WORDS[keep]) for keep in KEEPS), *_WORDS)


_WORDS = (
    (
        "cuts",
        "t × p × c × d is the number of GPUs, and where t is above 1 sequence parallelism goes"
        " with it. d × b divides the"
        " sequences of a step, 2 × c × t the tokens of a sequence, and e divides t × c × d. With p"
        " above 1, p × v divides"
        " the layers or the layers + 2, where the embedding and the head each take a layer's place; with v=1 stages may"
        " also differ by a layer. With v above 1 each copy has at least p micro-batches. With p=1, v is 1.",
    ),
    (
        "rates",
        "Each task says which share of a device's peak and of its links is reached. Sums of gradients and gathers of"
        " weights run beside computation as far as they can, and so do the tensor group's sums going backward.",
    ),
    (
        "days",
        "Tokens of the run over those of a step, times the seconds of a step, over the share of"
        " the time in which the run"
        " moves on. Checkpoints, restarts, and work done again since the last checkpoint take from that share, as in"
        " chapter 28.",
    ),
    (
        "failures",
        "The cluster fails every so many days as a node does, over the number of nodes. A"
        " checkpoint stops the run for its"
        " bytes over the storage's rate. The interval is the work between two checkpoints.",
    ),
)


def _sizes(model: Transformer) -> str:
    attention, block, experts = model.attention, model.feed_forward, model.experts
    said = [f"{model.layers} layers", f"hidden {model.hidden:,}"]
    if isinstance(attention, LatentAttention):
        said.append(
            f"{attention.heads} heads of {attention.head_size} + {attention.rotary_size} rotary, values"
            f" {attention.value_size}; latent attention with ranks {attention.query_rank:,} of queries and"
            f" {attention.key_value_rank} of keys"
        )
    else:
        said.append(f"{attention.heads} heads of {attention.head_size}, {attention.key_value_heads} of keys")
    if block is not None:
        where = "" if experts is None else f", in {model.layers - model.expert_layers} layers without experts"
        said.append(f"inner width {block.width:,}, {'gated' if block.gated else 'not gated'}{where}")
    if experts is not None:
        shared = f" and {experts.shared} shared" if experts.shared else ""
        said.append(
            f"{experts.experts} experts of inner width {experts.width:,}{', gated' if experts.gated else ''}, in"
            f" {model.expert_layers} layers, {experts.per_token} for a token{shared}"
        )
    tied = ", head and embedding shared" if model.tied else ""
    return "; ".join([*said, f"vocabulary {model.vocabulary:,}{tied}"])


def _node(name: str, node: str) -> str:
    return NODES.name_of(text(name, node), argument=name)


def _device(node: str) -> Row:
    cluster = Cluster(node, nodes=1)
    device, has = cluster.machine.accelerator, cluster_constants(cluster)
    link, port = device.interconnect, cluster.machine.network_bytes_per_s_per_accelerator
    assert link is not None
    assert port is not None
    free = f"{0.9 * device.memory_bytes / 1e9:.1f} of {device.memory_bytes / 1e9:.0f} GB may be filled"
    peak = dense_peak_flops_per_s(device, "bf16") / 1e12
    return (
        device.name,
        f"{free}; {peak:,.0f} TFLOP/s in bf16, of which large matmuls reach {has.matmul_share:.0%} and attention"
        f" {has.attention_share:.0%}; memory {device.memory_bandwidth_bytes_per_s / 1e12:.1f} TB/s, of which"
        f" {has.memory_share:.0%}; links among {cluster.fast_gpus} GPUs"
        f" {link.bandwidth_bytes_per_s / 1e9:.0f} GB/s each"
        f" way, of which {has.node_share:.0%}; network {port / 1e9:.0f} GB/s a GPU each way, of which"
        f" {has.network_share:.0%}; a collective waits {has.call_latency_s * 1e6:.1f} µs, and each hop"
        f" {has.node_latency_s * 1e6:.1f} µs inside and {has.network_latency_s * 1e6:.0f} µs across",
    )
