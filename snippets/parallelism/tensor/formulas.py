"""Formulas: the collectives of tensor parallelism: how many a block calls, how much they move and how long they take.

A block is the attention or the feed-forward part of a layer: a product cut by columns, something that each rank does
alone with its columns (heads, an activation function), and a product cut by rows, whose parts have to be summed.
"""

from __future__ import annotations

from typing import NamedTuple

from snippets.domain import as_float, flag, nonnegative_number, positive_integer, positive_number


class BlockCollectives(NamedTuple):
    """How many collectives one forward and one backward pass of a block call, each on b·s·h numbers.

    Example:
        >>> BlockCollectives(all_reduces=2, all_gathers=0, reduce_scatters=0).all_reduces
        2
    """

    all_reduces: int
    all_gathers: int
    reduce_scatters: int


def tensor_block_collectives(
    *, tensor_parallel: int, sequence_parallel: bool = False, input_sums: int = 1, gather_again: bool = False
) -> BlockCollectives:
    """Return the collectives that a block calls in one forward and one backward pass.

    Forward, the row product's parts are summed: one all-reduce. Backward, each rank has the part of the input's
    gradient that its columns made, and these are summed: one all-reduce, if the products that share the input (query,
    key and value) add their parts before they are summed over ranks. With sequence parallelism the input is gathered
    and the output scattered: every all-reduce becomes an all-gather on one side and a reduce-scatter on the other.

    Formula: $1 + q$
    Symbols: all-reduces of a block without sequence parallelism, for t > 1; q = input_sums; t = tensor_parallel
    Chapter: 17

    Args:
        tensor_parallel: ranks among which the block is cut, t.
        sequence_parallel: whether input and output are cut along the sequence.
        input_sums: in how many parts the input's gradient is summed over ranks, q: 1, or 3 where query, key and value
            each sum their own. With sequence parallelism that is also how often the input is gathered.
        gather_again: whether the backward pass gathers the input once more, so that it need not be kept whole; only
            with sequence parallelism.

    Returns:
        The counts; all are 0 on one rank.

    Raises:
        ValueError: if a count is no integer of at least 1, a truth value is none, or ``gather_again`` is set without
            ``sequence_parallel``.

    Source: Shoeybi et al. 2019, section 3 and figure 4 (four all-reduces a layer); Korthikanti et al. 2022, section
        4.2.2 (as many all-gathers and reduce-scatters, and the further all-gather of the input).
    Convention: a layer has two blocks.
    Leaves out: recomputation, which calls the forward pass's once more; with sequence parallelism the sum of the norms'
        gradients, 2h numbers a layer; embeddings and the loss.

    Example:
        >>> tensor_block_collectives(tensor_parallel=8)
        BlockCollectives(all_reduces=2, all_gathers=0, reduce_scatters=0)
        >>> tensor_block_collectives(tensor_parallel=8, sequence_parallel=True)
        BlockCollectives(all_reduces=0, all_gathers=2, reduce_scatters=2)
        >>> tensor_block_collectives(tensor_parallel=8, sequence_parallel=True, gather_again=True)
        BlockCollectives(all_reduces=0, all_gathers=3, reduce_scatters=2)
    """
    ranks = positive_integer("tensor_parallel", tensor_parallel)
    calls = 1 + positive_integer("input_sums", input_sums)
    again = (calls - 1) * flag("gather_again", gather_again)
    if flag("sequence_parallel", sequence_parallel):
        return BlockCollectives(0, calls + again, calls) if ranks > 1 else BlockCollectives(0, 0, 0)
    if again:
        raise ValueError("gather_again must be False without sequence_parallel, which gathers the input, got True")
    return BlockCollectives(calls, 0, 0) if ranks > 1 else BlockCollectives(0, 0, 0)


def tensor_block_traffic_bytes(
    *,
    micro_batch: int,
    sequence: int,
    hidden: int,
    tensor_parallel: int,
    input_sums: int = 1,
    gather_again: bool = False,
    element_bytes: int = 2,
) -> float:
    """Return the bytes that a rank sends for one block, forward and backward, with ring collectives.

    It is the same with and without sequence parallelism, if all that is gathered is kept: a ring all-reduce is a
    reduce-scatter and an all-gather.

    Also: Megatron traffic, tensor-parallel traffic
    Formula: $(2 + 2q + q z)\\,\\frac{t-1}{t}\\,b\\,s\\,h\\,w$
    Symbols: b = micro_batch; s = sequence; h = hidden; t = tensor_parallel; q = input_sums; w = element_bytes; z = 1
        with gather_again, else 0
    Chapter: 17

    Args:
        micro_batch: sequences of a micro-batch, b.
        sequence: tokens of each, s.
        hidden: width of the residual stream, h.
        tensor_parallel: ranks among which the block is cut, t.
        input_sums: in how many parts the input's gradient is summed over ranks: 1, or 3 where query, key and value
            have a matrix each.
        gather_again: as in ``tensor_block_collectives``, with sequence parallelism.
        element_bytes: bytes of one number, w.

    Returns:
        Bytes; the mean over ranks where t does not divide what is cut.

    Source: Narayanan et al. 2021, section 3.2: 8bsh(t − 1)/t numbers a layer, which has two blocks.
    Convention: sent by one rank, as ``snippets.collectives.traffic`` counts.
    Leaves out: as ``tensor_block_collectives``.

    Example:
        >>> tensor_block_traffic_bytes(micro_batch=1, sequence=2048, hidden=12288, tensor_parallel=8)
        176160768.0
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h, w = positive_integer("hidden", hidden), positive_integer("element_bytes", element_bytes)
    t, q = positive_integer("tensor_parallel", tensor_parallel), positive_integer("input_sums", input_sums)
    z = flag("gather_again", gather_again)
    return (2 + 2 * q + q * z) * (t - 1) * b * s * h * w / t


def matrix_cut_bytes(
    *, tokens: int, stream: int, inner: int, tensor_parallel: int, cut_inner: bool, element_bytes: int = 2
) -> float:
    """Return what a rank sends for one of a block's two matrices, forward and backward, by the way that it is cut.

    The first matrix takes the stream and makes the inner width, the second takes the inner width and makes the stream.
    Cut along the inner width (the first by columns, the second by rows), one sum of the stream's width is all: of the
    output forward, or of the input's gradient backward. Cut along the stream, the sum has the inner width, there and
    back, and the stream is gathered besides.

    Formula: $\\frac{t-1}{t}\\,x\\,w \\cdot 2h \\quad\\text{or}\\quad \\frac{t-1}{t}\\,x\\,w\\,(h + 2h_{\\text{in}})$
    Symbols: x = the micro-batch's tokens; h = width of the stream; h_{\\text{in}} = inner; t = tensor_parallel;
        w = element_bytes; the first form with cut_inner
    Chapter: 17

    Args:
        tokens: rows of the input, x.
        stream: width of what comes into the block and leaves it, h.
        inner: width that the matrix has on its other side, h_in: 3h for query, key and value, 4h in a GPT's
            feed-forward block.
        tensor_parallel: ranks among which the matrix is cut, t.
        cut_inner: whether it is cut along the inner width.
        element_bytes: bytes of one number, w.

    Returns:
        Bytes, the mean over ranks.

    Source: derived in this book; Shoeybi et al. 2019, section 3, for the cut along the inner width.
    Convention: input and output of the block are whole on all ranks, the inner values are cut by columns; sent by one
        rank, by rings.
    Leaves out: blocks whose inner values stay whole.

    Example:
        >>> matrix_cut_bytes(tokens=2048, stream=12288, inner=49152, tensor_parallel=8, cut_inner=True)
        88080384.0
        >>> matrix_cut_bytes(tokens=2048, stream=12288, inner=49152, tensor_parallel=8, cut_inner=False)
        396361728.0
    """
    x, h = positive_integer("tokens", tokens), positive_integer("stream", stream)
    h_in = positive_integer("inner", inner)
    t, w = positive_integer("tensor_parallel", tensor_parallel), positive_integer("element_bytes", element_bytes)
    numbers = 2 * h if flag("cut_inner", cut_inner) else h + 2 * h_in
    return (t - 1) * x * numbers * w / t


def tensor_communication_to_compute(
    *,
    sequence: int,
    hidden: int,
    tensor_parallel: int,
    flops_per_s: float,
    bandwidth_bytes_per_s: float,
    element_bytes: int = 2,
) -> float:
    """Return how long a GPT layer's all-reduces take, as a multiple of the time that its products take.

    A rank sends 8(t − 1)/t·bshw bytes and computes 12bsh(6h + s)/t operations in a step. Batch and 1/t cancel.

    Formula: $\\frac{2\\,(t-1)\\,w\\,uP}{3\\,(6h + s)\\,\\beta}$
    Symbols: s = sequence; h = hidden; t = tensor_parallel; uP = flops_per_s; \\beta = bandwidth_bytes_per_s;
        w = element_bytes
    Chapter: 17

    Args:
        sequence: tokens of a sequence, s.
        hidden: width of the residual stream, h.
        tensor_parallel: ranks among which the layer is cut, t.
        flops_per_s: rate at which one rank computes products, uP.
        bandwidth_bytes_per_s: bytes that a rank sends in a second, one direction, β.
        element_bytes: bytes of one number on the wire, w.

    Returns:
        The ratio, forward and backward together; 0 on one rank.

    Source: derived in this book from Shoeybi et al. 2019 and Narayanan et al. 2021.
    Convention: rings; all scores are computed, as without a causal kernel; nothing overlaps.
    Leaves out: latency, norms, dropouts and other operations that are limited by memory.

    Example:
        >>> size = {"sequence": 2048, "hidden": 12288, "tensor_parallel": 8}
        >>> round(tensor_communication_to_compute(**size, flops_per_s=494.7e12, bandwidth_bytes_per_s=450e9), 4)
        0.1354
    """
    s, h = positive_integer("sequence", sequence), positive_integer("hidden", hidden)
    t, w = positive_integer("tensor_parallel", tensor_parallel), positive_integer("element_bytes", element_bytes)
    uP, beta = (
        positive_number("flops_per_s", flops_per_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
    )
    return as_float("flops_per_s and bandwidth_bytes_per_s", 2 * (t - 1) * w * uP / (3 * (6 * h + s) * beta))


def tensor_layer_time_s(
    *,
    micro_batch: int,
    sequence: int,
    hidden: int,
    tensor_parallel: int,
    flops_per_s: float,
    bandwidth_bytes_per_s: float,
    latency_s: float = 0.0,
    element_bytes: int = 2,
) -> float:
    """Return how long a GPT layer takes forward and backward: its products, and then four ring all-reduces.

    Formula: $\\frac{12bsh(6h + s)}{t\\,uP} + 8(t-1)\\left(\\alpha + \\frac{bshw}{t\\beta}\\right)$
    Symbols: b = micro_batch; s = sequence; h = hidden; t = tensor_parallel; uP = flops_per_s; \\alpha = latency_s;
        \\beta = bandwidth_bytes_per_s; w = element_bytes
    Chapter: 17

    Args:
        micro_batch: sequences of a micro-batch, b.
        sequence: tokens of each, s.
        hidden: width of the residual stream, h.
        tensor_parallel: ranks among which the layer is cut, t.
        flops_per_s: rate at which one rank computes products, uP.
        bandwidth_bytes_per_s: bytes that a rank sends in a second, one direction, β.
        latency_s: of one message, at least 0.
        element_bytes: bytes of one number on the wire, w.

    Returns:
        Seconds.

    Source: derived in this book; the products as in Narayanan et al. 2021, appendix.
    Convention: as ``tensor_communication_to_compute``.
    Leaves out: overlap; norms, dropouts and other operations that are limited by memory.

    Example:
        >>> size = {"micro_batch": 1, "sequence": 2048, "hidden": 12288, "tensor_parallel": 8}
        >>> round(1e3 * tensor_layer_time_s(**size, flops_per_s=494.7e12, bandwidth_bytes_per_s=450e9), 2)
        6.57
    """
    b, s = positive_integer("micro_batch", micro_batch), positive_integer("sequence", sequence)
    h, w = positive_integer("hidden", hidden), positive_integer("element_bytes", element_bytes)
    t, alpha = positive_integer("tensor_parallel", tensor_parallel), nonnegative_number("latency_s", latency_s)
    uP, beta = (
        positive_number("flops_per_s", flops_per_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
    )
    rates = "flops_per_s, bandwidth_bytes_per_s and latency_s"
    return as_float(rates, 12 * b * s * h * (6 * h + s) / (t * uP) + 8 * (t - 1) * (alpha + b * s * h * w / (t * beta)))


def placed_ring_bytes_per_s(
    *, nodes: int, gpus_in_node: int, node_bytes_per_s: float, adapter_bytes_per_s: float
) -> float:
    """Return the bandwidth of an all-reduce whose ranks stand in several nodes, by as many rings as a node has ranks.

    Each ring leaves a node once, by the adapter of a different GPU, so each adapter carries one ring of R_node, and
    each GPU's links inside the node carry the other R_node − 1.

    Formula: $\\min\\left(\\tfrac{R_{\\text{node}}}{R_{\\text{node}}-1}\\,\\beta_{\\text{node}},\\;
        R_{\\text{node}}\\,\\beta_{\\text{net}}\\right)$
    Symbols: R_{\\text{node}} = gpus_in_node; \\beta_{\\text{node}} = node_bytes_per_s;
        \\beta_{\\text{net}} = adapter_bytes_per_s; \\beta_{\\text{node}} for one node, \\beta_{\\text{net}} for one GPU
        in each of several
    Chapter: 17

    Args:
        nodes: nodes among which the ranks are spread.
        gpus_in_node: ranks in each of them, R_node.
        node_bytes_per_s: of a GPU's links inside its node, one direction.
        adapter_bytes_per_s: of a GPU's network adapter, one direction.

    Returns:
        Bytes a second: what an all-reduce sends from each rank, 2(t − 1)/t times its size, over its time.

    Source: derived in this book; rings through all adapters as NCCL builds them.
    Convention: one direction. Each GPU has an adapter of its own, which others do not use.
    Leaves out: latency, switches that add, and what the network between the nodes shares.

    Example:
        >>> links = {"node_bytes_per_s": 450e9, "adapter_bytes_per_s": 50e9}
        >>> placed_ring_bytes_per_s(nodes=2, gpus_in_node=8, **links) / 1e9
        400.0
        >>> placed_ring_bytes_per_s(nodes=8, gpus_in_node=1, **links) / 1e9
        50.0
    """
    m, g = positive_integer("nodes", nodes), positive_integer("gpus_in_node", gpus_in_node)
    inside = positive_number("node_bytes_per_s", node_bytes_per_s)
    outside = positive_number("adapter_bytes_per_s", adapter_bytes_per_s)
    if m == 1 or g == 1:
        return inside if m == 1 else outside
    return as_float("gpus_in_node and adapter_bytes_per_s", min(g / (g - 1) * inside, g * outside))


def key_value_heads_per_rank(*, heads: int, key_value_heads: int, tensor_parallel: int) -> int:
    """Return how many key-value heads a rank holds where query heads are dealt evenly.

    With more ranks than key-value heads, each is copied to all ranks that have one of its query heads.

    Formula: $\\max(1,\\; a_{\\text{kv}}/t)$
    Symbols: a_{\\text{kv}} = key_value_heads; t = tensor_parallel
    Chapter: 17

    Args:
        heads: query heads; a multiple of both others.
        key_value_heads: heads of keys and of values; a multiple or a divisor of ``tensor_parallel``.
        tensor_parallel: ranks among which the heads are dealt, t.

    Returns:
        Heads of keys, and as many of values.

    Raises:
        ValueError: if a number is no integer of at least 1, or the heads cannot be dealt evenly.

    Source: Ainslie et al. 2023 for grouped queries; derived.
    Convention: copies count on every rank that holds one.
    Leaves out: heads that are cut inside.

    Example:
        >>> key_value_heads_per_rank(heads=32, key_value_heads=8, tensor_parallel=4)
        2
        >>> key_value_heads_per_rank(heads=32, key_value_heads=8, tensor_parallel=16)
        1
    """
    a, kv = positive_integer("heads", heads), positive_integer("key_value_heads", key_value_heads)
    t = positive_integer("tensor_parallel", tensor_parallel)
    for name, divisor in (("key_value_heads", kv), ("tensor_parallel", t)):
        if a % divisor:
            raise ValueError(f"{name} must divide heads = {a}, got {divisor}")
    if kv % t and t % kv:
        raise ValueError(f"key_value_heads must be a multiple or a divisor of tensor_parallel = {t}, got {kv}")
    return max(1, kv // t)


def vocabulary_loss_bytes(*, tokens: int, tensor_parallel: int, element_bytes: int = 4) -> float:
    """Return what a rank sends for the cross-entropy of logits that are cut along the vocabulary.

    Each rank brings three numbers a token to one all-gather: the largest of its logits, the sum of their exponentials
    below it, and the target's logit if it has it.

    Formula: $3\\,(t-1)\\,x\\,w$
    Symbols: x = the micro-batch's tokens; t = tensor_parallel; w = element_bytes
    Chapter: 17

    Args:
        tokens: of the micro-batch, x.
        tensor_parallel: ranks among which the vocabulary is cut, t.
        element_bytes: bytes of one number; 4 in fp32, in which a loss is usually computed.

    Returns:
        Bytes; the backward pass sends none for the loss itself.

    Source: derived in this book; Shoeybi et al. 2019, section 3, for the fused loss. Megatron-LM sums by three
        all-reduces, 6(t − 1)/t numbers a token.
    Convention: sent by one rank, by a ring.
    Leaves out: the all-reduce of the gradient of the head's input.

    Example:
        >>> vocabulary_loss_bytes(tokens=2048, tensor_parallel=8)
        172032
    """
    x, t = positive_integer("tokens", tokens), positive_integer("tensor_parallel", tensor_parallel)
    w = positive_integer("element_bytes", element_bytes)
    return 3 * (t - 1) * x * w
