"""Formulas: bytes of activations that a GPT layer keeps for its backward pass, in 16 bits with 1-byte dropout masks.

The letters are the book's; Korthikanti et al. 2022 write m for the chunks v and v for the vocabulary V. Their equations
stand first; what takes every option follows, and ``stored_tensors`` lists tensor by tensor what both add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from snippets.domain import flag, named, positive_integer

RECOMPUTATIONS = ("none", "selective", "full")
ATTENTIONS = ("standard", "flash")


@dataclass(frozen=True)
class StoredTensor:
    """One tensor that the forward pass leaves for the backward pass, and the bytes of it that one rank holds.

    >>> StoredTensor("value", "attention", 2).bytes
    2
    """

    name: str
    block: str
    bytes: int


# name, block, bytes for each of the s·b·h values, cut by tensor parallelism (else by sequence parallelism alone)
_TENSORS = (
    ("first norm's input", "norm", 2, False),
    ("query, key and value's input", "attention", 2, False),
    ("query", "attention", 2, True),
    ("key", "attention", 2, True),
    ("value", "attention", 2, True),
    ("output projection's input", "attention", 2, True),
    ("attention dropout's mask", "attention", 1, False),
    ("second norm's input", "norm", 2, False),
    ("first matrix's input", "feed-forward", 2, False),
    ("activation function's input", "feed-forward", 8, True),
    ("second matrix's input", "feed-forward", 8, True),
    ("feed-forward dropout's mask", "feed-forward", 1, False),
)
# name, bytes for each of the a·s²·b scores
_SCORES = (("softmax's output", 2), ("score dropout's mask", 1), ("score dropout's output", 2))


def stored_tensors(
    *,
    sequence: int,
    micro_batch: int,
    hidden: int,
    heads: int,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    recomputation: str = "none",
    attention: str = "standard",
) -> tuple[StoredTensor, ...]:
    """Return every tensor that one layer keeps for its backward pass, with its bytes on one rank.

    Also: saved tensors
    Formula: $A_i = w_i\\, q_i / t_i$
    Symbols: A_i = bytes of tensor i; w_i = bytes of one value; q_i = values; t_i = ranks among which it is cut
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.
        tensor_parallel: ranks among which heads and inner widths are cut.
        sequence_parallel: whether what tensor parallelism leaves whole is cut along the sequence.
        recomputation: ``"none"``; ``"selective"`` drops the scores; ``"full"`` keeps the layer's input alone.
        attention: ``"standard"`` stores the scores; ``"flash"`` stores one 4-byte log-sum-exp for each row of them.

    Returns:
        The tensors, in the order of the forward pass; their bytes add up to ``layer_activation_bytes``.

    Raises:
        ValueError: if a size is no integer of at least 1, ``hidden`` is no multiple of ``heads``, ``heads`` no
            multiple of ``tensor_parallel``, ``sequence`` (with sequence parallelism) neither, or a choice is unknown.

    Source: Korthikanti et al. 2022, section 4.1; Dao et al. 2022 for what flash attention stores.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: biases' and norms' own small buffers; temporaries that die within the pass.

    Example:
        >>> [tensor.name for tensor in stored_tensors(sequence=8, micro_batch=1, hidden=4, heads=2)][7:10]
        ["score dropout's output", "output projection's input", "attention dropout's mask"]
    """
    values, scores, cut = _sizes(sequence, micro_batch, hidden, heads, tensor_parallel, sequence_parallel)
    sequence, tensor_parallel = int(sequence), int(tensor_parallel)
    recomputation, attention = _choices(recomputation, attention)
    if recomputation == "full":
        return (StoredTensor("layer's input", "norm", 2 * values // cut),)
    tensors = []
    for name, block, size, parallel in _TENSORS:
        tensors.append(StoredTensor(name, block, size * values // (tensor_parallel if parallel else cut)))
        if name == "value" and recomputation == "none":
            if attention == "flash":
                statistics = 4 * scores // sequence // tensor_parallel
                tensors.append(StoredTensor("log-sum-exp", "attention", statistics))
            else:
                tensors += [
                    StoredTensor(label, "attention", each * scores // tensor_parallel) for label, each in _SCORES
                ]
    return tuple(tensors)


def serial_activation_bytes(*, sequence: int, micro_batch: int, hidden: int, heads: int) -> float:
    """Return what one layer keeps for its backward pass on a single device.

    Formula: $s b h \\left(34 + \\frac{5 a s}{h}\\right)$
    Symbols: s = sequence; b = micro_batch; h = hidden; a = heads
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.

    Returns:
        Bytes.

    Source: Korthikanti et al. 2022, equation 1.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> serial_activation_bytes(sequence=2048, micro_batch=1, hidden=12288, heads=96) / 2**30
        2.671875
    """
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    return s * b * h * (34 + 5 * a * s / h)


def tensor_parallel_activation_bytes(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, tensor_parallel: int
) -> float:
    """Return what one layer keeps on a rank of tensor parallelism, which leaves norms and dropouts whole.

    Formula: $s b h \\left(10 + \\frac{24}{t} + \\frac{5 a s}{h t}\\right)$
    Symbols: s = sequence; b = micro_batch; h = hidden; a = heads; t = tensor_parallel
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.
        tensor_parallel: ranks among which heads and inner widths are cut.

    Returns:
        Bytes.

    Source: Korthikanti et al. 2022, equation 2.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> tensor_parallel_activation_bytes(
        ...     sequence=2048, micro_batch=1, hidden=12288, heads=96, tensor_parallel=8
        ... ) / 2**30
        0.539...
    """
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    t = positive_integer("tensor_parallel", tensor_parallel)
    return s * b * h * (10 + 24 / t + 5 * a * s / (h * t))


def sequence_parallel_activation_bytes(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, tensor_parallel: int
) -> float:
    """Return what one layer keeps on a rank of tensor parallelism with sequence parallelism, which cuts the rest too.

    Formula: $\\frac{s b h}{t} \\left(34 + \\frac{5 a s}{h}\\right)$
    Symbols: s = sequence; b = micro_batch; h = hidden; a = heads; t = tensor_parallel
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.
        tensor_parallel: ranks among which heads and inner widths are cut.

    Returns:
        Bytes.

    Source: Korthikanti et al. 2022, equation 4.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> sequence_parallel_activation_bytes(
        ...     sequence=2048, micro_batch=1, hidden=12288, heads=96, tensor_parallel=8
        ... ) / 2**30
        0.333984375
    """
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    t = positive_integer("tensor_parallel", tensor_parallel)
    return s * b * h / t * (34 + 5 * a * s / h)


def selective_activation_bytes(*, sequence: int, micro_batch: int, hidden: int, tensor_parallel: int) -> float:
    """Return what one layer keeps with sequence parallelism where the scores are computed again.

    Also: selective recomputation, selective checkpointing
    Formula: $34 \\frac{s b h}{t}$
    Symbols: s = sequence; b = micro_batch; h = hidden; t = tensor_parallel, with sequence parallelism; without it,
        10 + 24/t in place of 34/t
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        tensor_parallel: ranks among which heads and inner widths are cut.

    Returns:
        Bytes.

    Source: Korthikanti et al. 2022, table 2; for all layers, equation 6.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> selective_activation_bytes(sequence=2048, micro_batch=1, hidden=12288, tensor_parallel=8) / 2**20
        102.0
    """
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    h, t = positive_integer("hidden", hidden), positive_integer("tensor_parallel", tensor_parallel)
    return 34 * s * b * h / t


def full_recomputation_activation_bytes(*, sequence: int, micro_batch: int, hidden: int) -> float:
    """Return what one layer keeps where all of it is computed again: its input.

    Also: activation checkpointing, gradient checkpointing
    Formula: $2 s b h$
    Symbols: s = sequence; b = micro_batch; h = hidden
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.

    Returns:
        Bytes.

    Source: Korthikanti et al. 2022, table 2.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> full_recomputation_activation_bytes(sequence=2048, micro_batch=1, hidden=12288) / 2**20
        48.0
    """
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    h = positive_integer("hidden", hidden)
    return 2 * s * b * h


def layer_activation_bytes(
    *,
    sequence: int,
    micro_batch: int,
    hidden: int,
    heads: int,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    recomputation: str = "none",
    attention: str = "standard",
) -> int:
    """Return the bytes of activations that one layer keeps for its backward pass, on one rank.

    Also: activation memory, layer activation memory
    Formula: $s b h \\left(\\frac{10}{t_\\text{seq}} + \\frac{24}{t} + \\frac{5 a s}{h t}\\right)$
    Symbols: s = sequence; b = micro_batch; h = hidden; a = heads; t = tensor_parallel; t_\\text{seq} = t with
        sequence_parallel, else 1. The last term is 0 with selective recomputation and 4a/(ht) with flash attention;
        full recomputation leaves 2sbh, over t_\\text{seq}, of it all
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        heads: attention heads.
        tensor_parallel: ranks among which heads and inner widths are cut.
        sequence_parallel: whether what tensor parallelism leaves whole is cut along the sequence.
        recomputation: ``"none"``, ``"selective"`` (the scores are made again) or ``"full"`` (the whole layer is).
        attention: ``"standard"`` or ``"flash"``.

    Returns:
        Bytes, exact.

    Source: Korthikanti et al. 2022, equations 1, 2 and 4 and table 2. The table prints 2sbh for full recomputation;
        with sequence parallelism the layer's input is itself cut, hence 2sbh/t.
    Convention: one layer, one micro-batch, one rank; 2 bytes a value, 1 byte a mask element. The scores are
        multiplied by the number of heads.
    Leaves out: grouped queries, gated feed-forward blocks and models without dropout; temporaries.

    Example:
        >>> layer_activation_bytes(sequence=2048, micro_batch=1, hidden=12288, heads=96) / 2**30
        2.671875
    """
    values, scores, cut = _sizes(sequence, micro_batch, hidden, heads, tensor_parallel, sequence_parallel)
    sequence, tensor_parallel = int(sequence), int(tensor_parallel)
    recomputation, attention = _choices(recomputation, attention)
    if recomputation == "full":
        return 2 * values // cut
    kept = 10 * values // cut + 24 * values // tensor_parallel
    if recomputation == "selective":
        return kept
    core = 5 * scores if attention == "standard" else 4 * scores // sequence
    return kept + core // tensor_parallel


def attention_score_bytes(*, sequence: int, batch: int, heads: int, element_bytes: int = 2) -> int:
    """Return the bytes of one layer's attention scores, where they are stored.

    Also: attention matrix
    Formula: $w\\, a\\, b\\, s^2$
    Symbols: s = sequence; b = batch; a = heads; w = element_bytes
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        batch: sequences.
        heads: attention heads; each has scores of its own.
        element_bytes: bytes of one score.

    Returns:
        Bytes, exact.

    Source: the shape (batch, heads, sequence, sequence).
    Convention: one layer, one tensor of scores; a layer with dropout stores 5 bytes for each (two tensors, a mask).
    Leaves out: flash attention, which never stores them.

    Example:
        >>> attention_score_bytes(sequence=2048, batch=1, heads=96) / 2**20
        768.0
    """
    rows = positive_integer("batch", batch) * positive_integer("heads", heads)
    return rows * positive_integer("sequence", sequence) ** 2 * positive_integer("element_bytes", element_bytes)


def logits_bytes(
    *, sequence: int, micro_batch: int, vocabulary: int, element_bytes: int, tensor_parallel: int = 1
) -> int:
    """Return the bytes of the logits that the cross-entropy keeps.

    Formula: $\\frac{w\\, s\\, b\\, V}{t}$
    Symbols: s = sequence; b = micro_batch; V = vocabulary; t = tensor_parallel; w = element_bytes
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        vocabulary: columns of the output head; a multiple of ``tensor_parallel``.
        element_bytes: 4 in fp32, in which a cross-entropy is usually computed.
        tensor_parallel: ranks among which the vocabulary is cut.

    Returns:
        Bytes, exact.

    Source: Korthikanti et al. 2022, section 4.3 (4sbV/t).
    Convention: one rank; one copy. A loss that is not fused keeps more than one.
    Leaves out: the gradient of the logits, which is as large.

    Example:
        >>> logits_bytes(sequence=8192, micro_batch=1, vocabulary=128256, element_bytes=4) / 2**30
        3.9140625
    """
    tokens = positive_integer("sequence", sequence) * positive_integer("micro_batch", micro_batch)
    vocabulary, ranks = positive_integer("vocabulary", vocabulary), positive_integer("tensor_parallel", tensor_parallel)
    if vocabulary % ranks:
        raise ValueError(f"vocabulary must be a multiple of tensor_parallel = {ranks}, got {vocabulary}")
    return positive_integer("element_bytes", element_bytes) * tokens * (vocabulary // ranks)


def outside_layers_bytes(
    *,
    sequence: int,
    micro_batch: int,
    hidden: int,
    vocabulary: int,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    stages: int = 1,
) -> int:
    """Return the activations of the first pipeline stage that belong to no layer.

    Formula: $\\frac{s b h}{t_\\text{seq}}\\left(p + 4\\,\\delta_{p=1}\\right) + \\frac{4 s b V}{t}\\,\\delta_{p=1}$
    Symbols: s = sequence; b = micro_batch; h = hidden; V = vocabulary; t = tensor_parallel; p = stages;
        t_\\text{seq} = t with sequence_parallel, else 1; \\delta_{p=1} = 1 without a pipeline, else 0
    Chapter: 21

    Args:
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        hidden: width of the residual stream.
        vocabulary: columns of the output head.
        tensor_parallel: ranks among which the vocabulary is cut.
        sequence_parallel: whether the rest is cut along the sequence.
        stages: pipeline stages. The first has p masks of the embedding's dropout; without a pipeline it also has
            the last norm's input, the head's input and the logits in fp32.

    Returns:
        Bytes, exact.

    Source: Korthikanti et al. 2022, section 4.3. The paper says that this is under 0.01% for its 22B model; its
        formula gives 0.57%, a share under 0.01.
    Convention: one rank of the first stage; 2 bytes a value, 1 byte a mask element.
    Leaves out: what the last of several stages keeps for the head.

    Example:
        >>> outside_layers_bytes(sequence=2048, micro_batch=4, hidden=6144, vocabulary=51200) / 2**20
        1840.0
    """
    hidden, stages = positive_integer("hidden", hidden), positive_integer("stages", stages)
    head: dict[str, Any] = {"vocabulary": vocabulary, "element_bytes": 4, "tensor_parallel": tensor_parallel}
    logits = logits_bytes(sequence=sequence, micro_batch=micro_batch, **head)
    cut = _sequence_cut(sequence, tensor_parallel, sequence_parallel)
    values = int(sequence) * int(micro_batch) * hidden // cut
    return values * 5 + logits if stages == 1 else values * stages


def layers_in_flight(*, layers: int, stages: int = 1, chunks: int = 1, micro_batches: int | None = None) -> int:
    """Return how many layers' activations the first stage of a 1F1B pipeline holds at its peak.

    Formula: $p \\left\\lceil \\frac{L}{p} \\right\\rceil \\;\\text{ or }\\; L \\left(1 + \\frac{p - 1}{p v}\\right)$
    Symbols: L = layers; p = stages; v = chunks; the second for v > 1
    Chapter: 21

    Args:
        layers: layers of the whole model, at least ``stages``; with chunks a multiple of ``stages * chunks``.
        stages: pipeline stages.
        chunks: model chunks of one stage; 1 for plain 1F1B.
        micro_batches: micro-batches of one iteration, where they are fewer than fill the pipeline.

    Returns:
        Layers, each once for every micro-batch in flight: p micro-batches of ⌈L/p⌉ layers without interleaving.

    Raises:
        ValueError: if an argument is no integer of at least 1, or the layers cannot be cut so.

    Source: Korthikanti et al. 2022, section 4.2.3.
    Convention: the first stage, which holds the most; where the stages do not divide the layers, it counts as one of
        the fullest.
    Leaves out: GPipe, which holds every micro-batch; the other stages.

    Example:
        >>> layers_in_flight(layers=105, stages=35, chunks=3)
        139
    """
    layers, stages = positive_integer("layers", layers), positive_integer("stages", stages)
    chunks = positive_integer("chunks", chunks)
    if layers < stages:
        raise ValueError(f"layers must be at least stages = {stages}, got {layers}")
    if chunks > 1 and layers % (stages * chunks):
        raise ValueError(f"layers must be a multiple of stages × chunks = {stages * chunks}, got {layers}")
    held = stages if chunks == 1 else stages * chunks + stages - 1
    if micro_batches is not None:
        held = min(held, chunks * positive_integer("micro_batches", micro_batches))
    return held * -(-layers // (stages * chunks))


def rajbhandari_activation_bytes(*, layers: int, hidden: int, batch: int, sequence: int) -> int:
    """Return the ZeRO paper's rule for a GPT-2's activations.

    Formula: $24\\, h\\, b\\, s\\, L$
    Symbols: L = layers; h = hidden; b = batch; s = sequence
    Chapter: 21

    Args:
        layers: transformer layers.
        hidden: width of the residual stream.
        batch: sequences.
        sequence: tokens of each.

    Returns:
        Bytes, exact: 12 values of 2 bytes for each position and layer.

    Source: Rajbhandari et al. 2020, section 3.2, footnote ("about 60 GB" for GPT-2 of 1.5B).
    Convention: 2 bytes a value.
    Leaves out: attention's scores and the masks. ``layer_activation_bytes`` counts 287 GB for the same shape.

    Example:
        >>> rajbhandari_activation_bytes(layers=48, hidden=1600, batch=32, sequence=1024) / 1e9
        60.3979776
    """
    width = positive_integer("layers", layers) * positive_integer("hidden", hidden)
    return 24 * width * positive_integer("batch", batch) * positive_integer("sequence", sequence)


def _sizes(
    sequence: int, micro_batch: int, hidden: int, heads: int, tensor_parallel: int, sequence_parallel: bool
) -> tuple[int, int, int]:
    """Check the sizes of a layer; return s·b·h, a·s²·b, and the ranks that cut what tensor parallelism leaves whole."""
    sequence, micro_batch = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    hidden, heads = positive_integer("hidden", hidden), positive_integer("heads", heads)
    ranks = positive_integer("tensor_parallel", tensor_parallel)
    if hidden % heads:
        raise ValueError(f"hidden must be a multiple of heads = {heads}, got {hidden}")
    if heads % ranks:
        raise ValueError(f"heads must be a multiple of tensor_parallel = {ranks}, got {heads}")
    cut = _sequence_cut(sequence, ranks, sequence_parallel)
    return sequence * micro_batch * hidden, heads * sequence**2 * micro_batch, cut


def _sequence_cut(sequence: int, tensor_parallel: int, sequence_parallel: bool) -> int:
    if not flag("sequence_parallel", sequence_parallel):
        return 1
    if sequence % tensor_parallel:
        raise ValueError(f"sequence must be a multiple of tensor_parallel = {tensor_parallel}, got {sequence}")
    return int(tensor_parallel)


def _choices(recomputation: str, attention: str) -> tuple[str, str]:
    return (
        named("recomputation", recomputation, RECOMPUTATIONS),
        named("attention", attention, ATTENTIONS),
    )
