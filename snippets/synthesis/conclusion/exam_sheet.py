"""Formulas: what a task of the exam has to say besides its table: sizes, rates, and what its words mean."""

from __future__ import annotations

from collections.abc import Sequence

from snippets.composition.configuration_search.candidates import KEEPS
from snippets.composition.configuration_search.clusters import Cluster, cluster_constants
from snippets.composition.layer_times import element_wise_bytes
from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import layer_kept_bytes
from snippets.domain import each, of_kind, text
from snippets.hardware import NODES, dense_peak_flops_per_s
from snippets.models import LatentAttention, Transformer
from snippets.synthesis.conclusion.exam_layouts import ExamJob

Row = tuple[str, str]
_LONG = 4096  # tokens of a sequence: what a layer keeps of one does not depend on it
KEEP_WORDS = {
    "none": "Each layer keeps all activations.",
    "selective": "The attention is computed again, and that takes time. Flash attention, which all jobs use, keeps no"
    " scores, so this frees next to nothing: 4 bytes of each head and token.",
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
    names = each("nodes", nodes, _node)
    keeps, experts = allowed_keeps(job.model), job.model.experts
    cuts = (
        f"t divides {job.model.attention.heads} heads; p × v divides {job.model.layers} or"
        f" {job.model.layers + 2} layers"
    )
    if experts is not None:
        cuts += f"; e divides {experts.experts} experts"
    return (
        ("sizes", _sizes(job.model)),
        *(_device(name) for name in names),
        ("recompute", f"{', '.join(keeps[:-1])} or {keeps[-1]}"),
        ("kept", _kept(job.model)),
        ("element-wise kernels", _element_wise(job, names)),
        ("cuts", cuts),
    )


def _kept(model: Transformer) -> str:
    """Return what a layer keeps of a token: the bytes of any length, as flash attention has no scores."""
    sizes = [
        f"{layer_kept_bytes(model, Layout(recompute=keep), sequence=_LONG) / _LONG:,.0f} bytes with {keep}"
        for keep in ("none", "selective", "full")
    ]
    mean = ", in the mean layer" if model.experts is not None else ""
    return f"of each token a layer keeps {', '.join(sizes)}{mean}; all of it over t"


def element_wise_s(job: ExamJob, node: str) -> tuple[float, float]:
    """Return the seconds of a step that element-wise kernels of the layers take in any layout, by their bytes.

    Args:
        job: the job.
        node: name of the nodes that it runs on.

    Returns:
        Seconds of a forward and a backward pass, and of one more forward pass.

    Source: ``element_wise_bytes``, all of which is cut evenly among the GPUs.
    Convention: of a mean stage.
    Leaves out: the head.

    Example:
        >>> [round(each, 2) for each in element_wise_s(ExamJob("Llama 3 8B", "DGX H100", 1, 4096, 8), "DGX H100")]
        [0.02, 0.01]
    """
    of_kind("job", job, ExamJob)
    cluster = Cluster(_node("node", node), nodes=job.nodes)
    size = element_wise_bytes(job.model, batch=1, sequence=1, layout=Layout(), attention="flash")
    rate = cluster.gpus * cluster_constants(cluster).memory_bytes_per_s(cluster.machine)
    passed = job.tokens_per_step * job.model.layers / rate
    return (size.forward + size.backward) * passed, size.forward * passed


def _element_wise(job: ExamJob, nodes: Sequence[str]) -> str:
    size = element_wise_bytes(job.model, batch=1, sequence=1, layout=Layout(), attention="flash")
    moved = f"{size.forward / 1e3:,.0f} kB forward and {size.backward / 1e3:,.0f} kB backward"
    taken = []
    for node in nodes:
        once, again = element_wise_s(job, node)
        device = f" on {job.nodes} nodes of {node}" if len(nodes) > 1 else ""
        taken.append(f"{once:.2g} s of a step{device}, and recompute=full adds {again:.2g} s")
    more = "; other numbers of nodes in inverse proportion" if len(nodes) > 1 else ""
    return (
        f"a layer's norms, residuals and activation functions move {moved} for each token, over t. However you cut the"
        f" model into equal parts, they take {'; '.join(taken)}{more}. The last stage's head moves"
        f" {24 * job.model.vocabulary / 1e3:,.0f} kB more for each token, over t."
    )


def word_rows() -> tuple[Row, ...]:
    """Return what the words of every task mean, and how the planner counts.

    Returns:
        Names and sentences.

    Source: ``layout_plan``, ``check_layout``, ``goodput_share``.
    Leaves out: what the planner leaves out.

    Example:
        >>> [name for name, _ in word_rows()][4:]
        ['cuts', 'ranks', 'computing', 'rates', 'gradients', 'memory', 'days', 'failures']
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
        "ranks",
        "Neighbouring ranks share a node. They count along t first, then c, then d, then p; as many ranks in a row as"
        " fast links join are together. The e expert ranks are also ranks in a row, taken from t × c × d.",
    ),
    (
        "computing",
        "A matmul takes its FLOPs at the rate, plus its bytes through memory: both factors and the result, 2 bytes a"
        " number. So narrow matmuls, with a large t or few tokens, are slower. To these come the attention, which"
        " computes half of the pairs, and element-wise kernels at the memory's rate. Backward the matmuls take twice"
        " as long as forward, and the attention 2.5 times. recompute=full adds a forward pass, selective the"
        " attention's. With more than one micro-batch each adds its gradients to the sum, 6 bytes for a parameter of"
        " the layers through memory. The last stage has the head too.",
    ),
    (
        "rates",
        "Each task says which share of a device's peak and of its links is reached. Going forward the step"
        " waits for the tensor group's sums; going backward they run beside the weights' gradients, as far as they can."
        " It always waits for the keys and values of a context group, and for tokens on their way to experts.",
    ),
    (
        "gradients",
        "With zero=1 the sum of gradients hides behind one micro-batch's backward pass, the last, and the gather of"
        " new weights behind one forward pass, layer by layer. What is longer sticks out, and it's longer where b is"
        " small. With zero=2 and 3 each micro-batch scatters its gradients; with 3 it also gathers the weights twice,"
        " forward and backward. Each hides, as far as it can, behind passes of its own micro-batch.",
    ),
    (
        "memory",
        "The state is cut t and p ways, and c × d ways besides: the optimizer's from zero=1, gradients from 2, weights"
        " from 3. The first stage holds activations of min(p, micro-batches) micro-batches, with v above 1 of at most"
        " (2(p − 1) + (v − 1)p + 1) / v. Added is the larger of two: a layer's activations, where they are made again,"
        " and 8 bytes for each logit over t, on the last stage. With zero=2 and 3 buffers hold a layer or two whole.",
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
