"""Formulas: what the context and the expert axis add to a layout: bytes of each axis, what divides what, balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from snippets.composition.context_width import context_kv_width
from snippets.composition.device_mesh.axis_use import AxisUse
from snippets.composition.device_mesh.formulas import (
    expert_data_parallel,
    group_leaving_share,
    group_ranks_in_domain,
    group_traffic_time_s,
)
from snippets.composition.layouts import CONTEXT_KINDS, Placement
from snippets.composition.placed_collectives import slowest_edge_bytes_per_s
from snippets.domain import as_float, at_most, each, flag, integer_at_least, named, positive_integer, positive_number
from snippets.memory.zero.formulas import zero_communication_elements
from snippets.models import MODELS, Experts, Transformer, parameter_parts
from snippets.parallelism.expert.formulas import expert_all_to_all_bytes
from snippets.parallelism.pipeline.formulas import pipeline_message_bytes
from snippets.parallelism.sequence.formulas import (
    context_rank_chunks,
    ring_attention_backward_bytes,
    ring_attention_forward_bytes,
)
from snippets.parallelism.tensor.formulas import tensor_block_traffic_bytes

PACKED_CUTS = ("whole", "each document")


def context_layer_bytes(
    *, sequence: int, kv_width: int, context_parallel: int, kind: str = "all_gather", element_bytes: float = 2
) -> float:
    """Return what a rank sends along the context axis for one layer and one sequence, forward and backward.

    Gathered: keys and values are gathered, gathered again for the backward pass, and their gradients reduce-scattered.
    In a ring they go round twice, and their gradients once, with one more hop to come home.

    Also: context parallelism, CP traffic
    Formula: $6\\,\\frac{c-1}{c}\\,s\\,h_\\text{kv}\\,w \\;\\text{ or }\\; 2\\,\\frac{3c-2}{c}\\,s\\,h_\\text{kv}\\,w$
    Symbols: c = context_parallel; s = sequence; h_\\text{kv} = kv_width; w = element_bytes; the second for a ring
    Chapter: 27

    Args:
        sequence: tokens of the sequence.
        kv_width: numbers of a token's key, and of its value, on one rank: its heads for keys times their size.
        context_parallel: c, ranks that share the sequence.
        kind: ``"all_gather"`` or ``"ring"``.
        element_bytes: of a number, gradients too.

    Returns:
        Bytes; 0 for c = 1.

    Source: chapter 19's two passes; Grattafiori et al. 2024, section 3.3.2, for the all-gather.
    Convention: sent by one rank; what was gathered forward is not kept.
    Leaves out: gradients that travel in float32, which make the last of three parts twice as wide.

    Example:
        >>> context_layer_bytes(sequence=131_072, kv_width=1024, context_parallel=8) / 1e9
        1.409286144
    """
    s, k = positive_integer("sequence", sequence), positive_integer("kv_width", kv_width)
    c, w = positive_integer("context_parallel", context_parallel), positive_number("element_bytes", element_bytes)
    forward = ring_attention_forward_bytes(sequence=s, kv_width=k, ranks=c, element_bytes=w)
    if named("kind", kind, CONTEXT_KINDS) == "ring":
        return forward + ring_attention_backward_bytes(sequence=s, kv_width=k, ranks=c, element_bytes=w)
    return as_float("sequence, kv_width and element_bytes", 3 * forward)


def context_to_tensor_bytes(*, hidden: int, kv_width: int) -> float:
    """Return a layer's context-parallel traffic over its tensor-parallel traffic, at the same degree.

    Sequence, batch and degree cancel, and so does the width of a number.

    Formula: $\\frac{3\\,h_\\text{kv}}{4\\,h}$
    Symbols: h_\\text{kv} = kv_width; h = hidden
    Chapter: 27

    Args:
        hidden: width of the residual stream.
        kv_width: numbers of a token's key: heads for keys times their size.

    Returns:
        A ratio.

    Source: derived in this book: 6shw of keys and values over 8shw of activations.
    Convention: gathered keys and values; one of the two axes has size 1; both layers as dense blocks.
    Leaves out: keys' heads that tensor ranks have to copy where they are more than these.

    Example:
        >>> context_to_tensor_bytes(hidden=8192, kv_width=1024)
        0.09375
    """
    h, k = positive_integer("hidden", hidden), positive_integer("kv_width", kv_width)
    return as_float("kv_width and hidden", Fraction(3 * k, 4 * h))


def expert_weights_break_even_tokens(*, experts: int, experts_per_token: int, width: int) -> float:
    """Return from how many tokens on gathering a layer's experts sends fewer bytes than sending tokens to them.

    Full sharding gathers the weights twice and scatters their gradients once, 9Ehh_ff numbers; the four all-to-alls
    send 4kxh. The same share (R − 1)/R of both leaves a rank.

    Also: expert parallelism or FSDP
    Formula: $x = \\frac{9\\,E\\,h_\\text{ff}}{4\\,k}$
    Symbols: E = experts; k = experts_per_token; h_\\text{ff} = width; x = the result
    Chapter: 27

    Args:
        experts: of a layer.
        experts_per_token: experts that a token goes to, at most ``experts``.
        width: inner width of an expert, which has three matrices.

    Returns:
        Tokens of a micro-batch on one rank.

    Source: derived in this book from chapters 20 and 22.
    Convention: numbers of equal width, the same ranks, even loads.
    Leaves out: that gathers can hide behind computing and all-to-alls hardly; links that differ.

    Example:
        >>> expert_weights_break_even_tokens(experts=8, experts_per_token=2, width=14336)
        129024.0
    """
    E, f = positive_integer("experts", experts), positive_integer("width", width)
    k = integer_at_least("experts_per_token", experts_per_token, 1)
    if k > E:
        raise ValueError(f"experts_per_token must be at most experts = {E}, got {experts_per_token!r}")
    return as_float("experts and width", Fraction(9 * E * f, 4 * k))


class FiveAxisBytes(NamedTuple):
    """What one rank sends, by axis; ``expert_data`` are the gradients of experts, ``data`` those of all else.

    >>> FiveAxisBytes(tensor=4.0, context=2.0, expert=1.0, pipeline=0.5, data=3.0, expert_data=0.5).total
    11.0
    """

    tensor: float
    context: float
    expert: float
    pipeline: float
    data: float
    expert_data: float

    @property
    def total(self) -> float:
        """All axes together.

        >>> FiveAxisBytes(1.0, 2.0, 3.0, 4.0, 5.0, 6.0).total
        21.0
        """
        return sum(self)


def five_axis_layer_bytes(
    model: Transformer | str,
    *,
    sequence: int,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    expert_parallel: int = 1,
    micro_batch: int = 1,
    recompute: bool = False,
    element_bytes: int = 2,
) -> FiveAxisBytes:
    """Return what a rank sends for one layer and one micro-batch, forward and backward, without the gradients.

    Formula: $Q_t = \\tfrac{8(t-1)}{t}\\tfrac{bshw}{c}, \\quad Q_c = \\tfrac{6(c-1)}{c} b s h_\\text{kv} w, \\quad
        Q_e = \\tfrac{4(e-1)}{e} k \\tfrac{bs}{ct} h w$
    Symbols: Q_t, Q_c, Q_e = tensor, context, expert; t, c, e = the degrees; b = micro_batch; s = sequence; h = hidden
        size; h_\\text{kv} = context_kv_width; k = experts of a token; w = element_bytes; of a layer of experts Q_t has
        4 in place of 8; with recompute Q_t and Q_e are half as large again, and Q_c has 8 in place of 6
    Chapter: 27

    Args:
        model: a name in ``MODELS``, or a configuration of your own; if it has experts, one of its layers of experts.
        sequence: tokens of a sequence, a multiple of c · t.
        tensor_parallel: t, with sequence parallelism.
        context_parallel: c; keys and values are gathered.
        expert_parallel: e; an expert is not cut.
        micro_batch: b, sequences.
        recompute: whether the layer runs forward twice, and sends again what it sends forward.
        element_bytes: of a number on the wire.

    Returns:
        Bytes; pipeline and data are 0 here.

    Raises:
        ValueError: if the sequence cannot be cut so, or a model without experts has an expert axis.

    Source: chapters 17, 19 and 20, whose formulas are called.
    Convention: sent by one rank, the mean over routers without favourites. Between blocks a tensor rank has a t-th of
        the tokens, and these are what it sends to experts.
    Leaves out: shared experts; that sequence parallelism may gather its inputs once more going backward.

    Example:
        >>> sent = five_axis_layer_bytes("Llama 3 70B", sequence=131_072, tensor_parallel=8)
        >>> sent.tensor / 1e9
        15.032385536
    """
    known, t = MODELS.find(model), positive_integer("tensor_parallel", tensor_parallel)
    c, e = positive_integer("context_parallel", context_parallel), positive_integer("expert_parallel", expert_parallel)
    s, b = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    if s % (c * t):
        raise ValueError(
            f"sequence must be a multiple of context_parallel × tensor_parallel = {c * t}, got {sequence!r}"
        )
    if known.experts is None and e > 1:
        raise ValueError(f"expert_parallel must be 1 for a model without experts, got {expert_parallel!r}")
    block = tensor_block_traffic_bytes(
        micro_batch=b, sequence=s // c, hidden=known.hidden, tensor_parallel=t, element_bytes=element_bytes
    )
    keys = context_layer_bytes(
        sequence=s,
        kv_width=context_kv_width(known, tensor_parallel=t),
        context_parallel=c,
        element_bytes=element_bytes,
    )
    travel = 0.0
    if known.experts is not None:
        travel = 4 * expert_all_to_all_bytes(
            tokens=b * s // (c * t),
            hidden=known.hidden,
            experts_per_token=known.experts.per_token,
            ranks=e,
            element_bytes=element_bytes,
        )
    again = flag("recompute", recompute)
    tensor = (1 if known.experts else 2) * block * (1.5 if again else 1)
    return FiveAxisBytes(tensor, b * keys * (4 / 3 if again else 1), travel * (1.5 if again else 1), 0.0, 0.0, 0.0)


def five_axis_step_bytes(
    model: Transformer | str,
    *,
    sequence: int,
    batch_sequences: int,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    expert_parallel: int = 1,
    data_parallel: int = 1,
    pipeline_parallel: int = 1,
    micro_batch: int = 1,
    stage: int = 1,
    recompute: bool = False,
    element_bytes: int = 2,
) -> FiveAxisBytes:
    """Return what a rank in the middle of the pipeline sends in a step, by axis.

    Formula: $m\\,\\frac{L}{p}\\,(Q_t, Q_c, Q_e), \\quad 2m\\,\\frac{bshw}{ct}, \\quad
        q_z\\,\\frac{R-1}{R}\\,\\frac{N_R\\,w}{p}$
    Symbols: Q_t, Q_c, Q_e = five_axis_layer_bytes; L = layers; p = pipeline_parallel; m = micro-batches; b =
        micro_batch; s = sequence; h = hidden size; t, c = the degrees; w = element_bytes; q_z = 2, or 3m in stage 3;
        R, N_R = c·d and N_rest/t for all but experts, t·c·d/e and N_routed/e for these
    Chapter: 27

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of a sequence.
        batch_sequences: sequences of a step, a multiple of d · b.
        tensor_parallel: t.
        context_parallel: c.
        expert_parallel: e, which divides t · c · d.
        data_parallel: d.
        pipeline_parallel: p, at most the layers.
        micro_batch: b.
        stage: ZeRO's, 0 to 3; in stage 2 gradients are reduced once a step.
        recompute: whether every layer runs forward twice.
        element_bytes: of a number on the wire.

    Returns:
        Bytes.

    Raises:
        ValueError: if the axes do not divide what they cut.

    Source: chapters 16 to 22, whose formulas are called.
    Convention: sent by one rank; a stage has the mean of the parameters and layers.
    Leaves out: embeddings' own traffic; chunks of a stage; that the first and the last stage send one way only.

    Example:
        >>> job = {"sequence": 131_072, "batch_sequences": 32, "data_parallel": 32}
        >>> sent = five_axis_step_bytes("Llama 3 70B", context_parallel=8, stage=3, **job)
        >>> [round(axis / 1e9) for axis in sent]
        [0, 113, 0, 0, 422, 0]
    """
    known = MODELS.find(model)
    t, c, e, d, p = _axes(tensor_parallel, context_parallel, expert_parallel, data_parallel, pipeline_parallel)
    copies = expert_data_parallel(tensor_parallel=t, context_parallel=c, data_parallel=d, expert_parallel=e)
    b = positive_integer("micro_batch", micro_batch)
    B = positive_integer("batch_sequences", batch_sequences)
    if B % (d * b):
        raise ValueError(
            f"batch_sequences must be a multiple of data_parallel × micro_batch = {d * b}, got {batch_sequences!r}"
        )
    if p > known.layers:
        raise ValueError(f"pipeline_parallel must be at most layers = {known.layers}, got {pipeline_parallel!r}")
    m, w = B // (d * b), positive_integer("element_bytes", element_bytes)
    sizes = {"tensor_parallel": t, "context_parallel": c, "micro_batch": b, "element_bytes": w}
    layer = five_axis_layer_bytes(known, sequence=sequence, expert_parallel=e, recompute=recompute, **sizes)
    sparse = Fraction(known.expert_layers, known.layers) if known.experts else 0
    block = layer.tensor / (1 if known.experts else 2)
    edge = pipeline_message_bytes(
        micro_batch=b, sequence=sequence // c, hidden=known.hidden, tensor_parallel=t, element_bytes=w
    )
    parts = parameter_parts(known)
    routed = parts.routed_experts / e / p
    rest = (parts.total - parts.routed_experts) / t / p

    def shared(numbers: float, ranks: int) -> float:
        return w * zero_communication_elements(
            round(numbers), stage=stage, ranks=ranks, micro_batches=m, reduce_each=stage == 3
        )

    here = m * known.layers / p
    return FiveAxisBytes(
        tensor=here * block * float(2 - sparse),
        context=here * layer.context,
        expert=here * layer.expert * float(sparse),
        pipeline=2.0 * m * edge if p > 1 else 0.0,
        data=shared(rest, c * d),
        expert_data=shared(routed, copies) if routed else 0.0,
    )


def _axes(*sizes: int) -> tuple[int, ...]:
    names = ("tensor_parallel", "context_parallel", "expert_parallel", "data_parallel", "pipeline_parallel")
    return tuple(positive_integer(name, size) for name, size in zip(names, sizes, strict=True))


def five_axis_uses(
    sent: FiveAxisBytes,
    *,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    expert_parallel: int = 1,
    data_parallel: int = 1,
    pipeline_parallel: int = 1,
    domain: int,
    domain_bytes_per_s: float,
    port_bytes_per_s: float,
) -> tuple[AxisUse, ...]:
    """Return where each axis sends its bytes, and for how long.

    Ranks are numbered twice: t, c, d, p from the innermost for attention, and e, its copies, p for the experts.

    Formula: $T_e = \\max\\left(\\tfrac{\\kappa-1}{e-1}\\tfrac{Q_e}{\\beta_\\text{node}},\\;
        \\tfrac{e-\\kappa}{e-1}\\tfrac{Q_e}{\\beta_\\text{net}}\\right)$
    Symbols: T_e = an all-to-all's time; Q_e = the expert part of sent; e = expert_parallel; κ = its ranks in a domain;
        \\beta_\\text{node} = domain_bytes_per_s; \\beta_\\text{net} = port_bytes_per_s; the pipeline by
        slowest_edge_bytes_per_s, the others by group_traffic_time_s
    Chapter: 27

    Args:
        sent: by one rank, of a layer or a step.
        tensor_parallel: t.
        context_parallel: c.
        expert_parallel: e.
        data_parallel: d.
        pipeline_parallel: p.
        domain: GPUs of a fast domain that the run uses: 8, or 64 of a rack of 72.
        domain_bytes_per_s: of a GPU's link inside it, one direction.
        port_bytes_per_s: of its network port, one direction.

    Returns:
        One entry for each axis: "tensor", "context", "expert", "pipeline", "data", "expert data".

    Raises:
        ValueError: if the domain does not end where rows of the mesh do.

    Source: chapter 25's groups.
    Convention: what is sent to others of the group in equal parts leaves the domain in the share of those outside.
    Leaves out: latency; axes that use a link at the same time; one row of a token for each node.

    Example:
        >>> sent = FiveAxisBytes(0.0, 72e9, 72e9, 0.0, 40e9, 0.0)
        >>> links = {"domain": 8, "domain_bytes_per_s": 360e9, "port_bytes_per_s": 40e9}
        >>> uses = five_axis_uses(sent, context_parallel=8, expert_parallel=8, data_parallel=4, **links)
        >>> [(use.axis, use.in_domain, round(use.time_s, 3)) for use in uses if use.sent_bytes]
        [('context', 8, 0.2), ('expert', 8, 0.2), ('data', 8, 0.125)]
    """
    if not isinstance(sent, FiveAxisBytes):
        raise TypeError(f"sent must be FiveAxisBytes, got {sent!r}")
    t, c, e, d, p = _axes(tensor_parallel, context_parallel, expert_parallel, data_parallel, pipeline_parallel)
    copies = expert_data_parallel(tensor_parallel=t, context_parallel=c, data_parallel=d, expert_parallel=e)
    links = {
        "domain_bytes_per_s": positive_number("domain_bytes_per_s", domain_bytes_per_s),
        "port_bytes_per_s": positive_number("port_bytes_per_s", port_bytes_per_s),
    }
    attention, mixture = (p, d, c, t), (p, copies, e)
    groups = {
        "tensor": (attention, (3,), 1, sent.tensor),
        "context": (attention, (2,), t, sent.context),
        "expert": (mixture, (2,), 1, sent.expert),
        "pipeline": (attention, (0,), t * c * d, sent.pipeline),
        "data": (attention, (1, 2), t, sent.data),
        "expert data": (mixture, (1,), e, sent.expert_data),
    }
    uses = []
    for axis, (sides, axes, stride, amount) in groups.items():
        ranks = 1
        for place in axes:
            ranks *= sides[place]
        inside = group_ranks_in_domain(sides=sides, axes=axes, domain=domain)
        if axis == "expert" and ranks > 1:
            outside = amount * (ranks - inside) / (ranks - 1)
            time = max((amount - outside) / links["domain_bytes_per_s"], outside / links["port_bytes_per_s"])
        else:
            outside = amount * group_leaving_share(ranks=ranks, in_domain=inside)
            if axis == "pipeline":
                time = amount / slowest_edge_bytes_per_s(Placement(inside, ranks // inside), **links)
            else:
                time = group_traffic_time_s(sent_bytes=amount, ranks=ranks, in_domain=inside, **links)
        time = as_float("sent, domain_bytes_per_s and port_bytes_per_s", time)
        uses.append(AxisUse(axis, ranks, stride, inside, amount, outside, time))
    return tuple(uses)


class Division(NamedTuple):
    """One thing that has to be cut evenly: what, how many there are, by which axes, and into how many parts.

    >>> Division("heads", 64, "t", 8).fits, Division("layers", 80, "v · p", 3).fits
    (True, False)
    """

    what: str
    whole: int
    axes: str
    parts: int

    @property
    def fits(self) -> bool:
        """Whether the parts are equal.

        >>> Division("experts", 256, "e", 64).fits
        True
        """
        return self.whole % self.parts == 0


def layout_divisions(
    model: Transformer | str,
    *,
    sequence: int,
    batch_sequences: int,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    expert_parallel: int = 1,
    data_parallel: int = 1,
    pipeline_parallel: int = 1,
    micro_batch: int = 1,
    chunks: int = 1,
) -> tuple[Division, ...]:
    """Return all that a layout has to cut evenly, and by what.

    Formula: $t \\mid a, \\quad 2ct \\mid s, \\quad db \\mid q, \\quad vp \\mid L, \\quad e \\mid E, \\quad e \\mid tcd$
    Symbols: t, c, e, d, p = the degrees; a = heads; s = sequence; b = micro_batch; q = batch_sequences; v = chunks;
        L = layers; E = experts; 2 is 1 where c is 1
    Chapter: 27

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of a sequence.
        batch_sequences: sequences of a step.
        tensor_parallel: t.
        context_parallel: c, with zig-zag cuts.
        expert_parallel: e.
        data_parallel: d.
        pipeline_parallel: p.
        micro_batch: b.
        chunks: v.

    Returns:
        One entry for each. A layout runs if all fit; one whose layers alone do not may run with stages that differ, as
        ``check_layout`` says.

    Source: Megatron-LM's checks of its arguments; Grattafiori et al. 2024, section 3.3.2, for 2c chunks.
    Convention: with sequence parallelism t cuts the tokens too.
    Leaves out: heads of keys, which may be copied; uneven stages.

    Example:
        >>> found = layout_divisions("Llama 3 70B", sequence=131_072, batch_sequences=32, data_parallel=64)
        >>> [division.what for division in found if not division.fits]
        ['sequences of a step']
    """
    known = MODELS.find(model)
    t, c, e, d, p = _axes(tensor_parallel, context_parallel, expert_parallel, data_parallel, pipeline_parallel)
    s, B = positive_integer("sequence", sequence), positive_integer("batch_sequences", batch_sequences)
    b, v = positive_integer("micro_batch", micro_batch), positive_integer("chunks", chunks)
    found = [
        Division("heads", known.attention.heads, "t", t),
        Division("tokens of a sequence", s, "2c · t" if c > 1 else "t", (2 * c if c > 1 else 1) * t),
        Division("sequences of a step", B, "d · b", d * b),
        Division("layers", known.layers, "v · p" if v > 1 else "p", v * p),
    ]
    if known.experts is not None:
        found.append(Division("experts", known.experts.experts, "e", e))
        found.append(Division("ranks of a stage, t · c · d", t * c * d, "e", e))
    return tuple(found)


def packed_context_pairs(documents: Sequence[int], *, ranks: int, cut: str = "whole") -> tuple[int, ...]:
    """Return the pairs of a query and a key on each rank if documents are packed into one sequence and cut zig-zag.

    A token sees itself and what comes before it in its own document.

    Also: packed sequences, document masking
    Formula: $J_r = \\sum_{i \\in Z_r} (1 + i - i_0)$
    Symbols: Z_r = a rank's tokens; i = a position; i_0 = where its document begins
    Chapter: 27

    Args:
        documents: their lengths in tokens, in order, at most 10,000.
        ranks: c, at most 256. The sequence, or with ``"each document"`` each length, has to be a multiple of 2c.
        cut: ``"whole"``: the sequence in 2c chunks, rank r has r and 2c − 1 − r. ``"each document"``: likewise each
            document by itself.

    Returns:
        Pairs of each rank, of one head.

    Source: counted; Grattafiori et al. 2024, section 3.3.2, for the chunks; Transformer Engine cuts each document.
    Convention: pairs that the mask hides are not computed.
    Leaves out: kernels that compute whole tiles.

    Example:
        >>> packed_context_pairs([8], ranks=2), packed_context_pairs([4, 4], ranks=2)
        ((18, 18), (10, 10))
        >>> packed_context_pairs([6, 2], ranks=2), packed_context_pairs([6, 10], ranks=2)
        ((6, 18), (44, 32))
    """
    R = at_most("ranks", positive_integer("ranks", ranks), 256)
    lengths = each("documents", documents, positive_integer)
    at_most("len(documents)", len(lengths), 10_000)
    if not lengths:
        raise ValueError("documents must hold at least one length, got none")
    by_itself = named("cut", cut, PACKED_CUTS) == "each document"
    totals = [0] * R
    for number, s in enumerate(lengths if by_itself else (sum(lengths),)):
        if s % (2 * R):
            name = f"documents[{number}]" if by_itself else "sum(documents)"
            raise ValueError(f"{name} must be a multiple of 2 × ranks = {2 * R}, got {s}")
        for r in range(R):
            for chunk in context_rank_chunks(r, ranks=R):
                begin, end = chunk * s // (2 * R), (chunk + 1) * s // (2 * R)
                totals[r] += _seen(begin, end, (s,) if by_itself else lengths)
    return tuple(totals)


def _seen(begin: int, end: int, lengths: Sequence[int]) -> int:
    """Add up 1 + i − i_0 over the positions from begin to end."""
    total = start = 0
    for length in lengths:
        low, high = max(begin, start) - start, min(end, start + length) - start
        if high > low:
            total += (high * (high + 1) - low * (low + 1)) // 2
        start += length
    return total


def packed_context_slowdown(documents: Sequence[int], *, ranks: int, cut: str = "whole") -> float:
    """Return how much longer attention takes on the fullest rank than it would if all had equally many pairs.

    Formula: $R \\max_r J_r \\Big/ \\sum_r J_r$
    Symbols: R = ranks; J_r = packed_context_pairs
    Chapter: 27

    Args:
        documents: as in ``packed_context_pairs``.
        ranks: as there.
        cut: as there.

    Returns:
        At least 1.

    Source: derived in this book.
    Convention: keys and values are gathered first, so a rank waits for the others once.
    Leaves out: a ring, which waits in each step.

    Example:
        >>> packed_context_slowdown([6, 2], ranks=2), packed_context_slowdown([8], ranks=2)
        (1.5, 1.0)
    """
    pairs = packed_context_pairs(documents, ranks=ranks, cut=cut)
    return as_float("documents", Fraction(len(pairs) * max(pairs), sum(pairs)))


def with_experts(model: Transformer | str, *, experts: int, experts_per_token: int) -> Transformer:
    """Return a dense model whose feed-forward blocks are experts with which a token costs what it cost before.

    Also: upcycling, fine-grained experts
    Formula: $h_\\text{ff} / k$
    Symbols: h_\\text{ff} = inner width of the dense block; k = experts_per_token; the result's width of an expert
    Chapter: 27

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with gated feed-forward blocks.
        experts: E, of each layer.
        experts_per_token: k, at most ``experts``, which divides the inner width.

    Returns:
        The model.

    Raises:
        ValueError: if the model has experts, or k does not divide the width.

    Source: chapter 20: arithmetic stays if k experts have the width of one block.
    Convention: all layers get experts.
    Leaves out: shared experts.

    Example:
        >>> mixture = with_experts("Llama 3 70B", experts=64, experts_per_token=8)
        >>> mixture.experts.width, round(parameter_parts(mixture).total / 1e9)
        (3584, 465)
    """
    known, E = MODELS.find(model), positive_integer("experts", experts)
    k = at_most("experts_per_token", positive_integer("experts_per_token", experts_per_token), E)
    dense = known.feed_forward
    if dense is None or known.experts is not None or not dense.gated or dense.width % k:
        raise ValueError(f"model must be dense, gated, its width a multiple of {k}, got {known.name!r}")
    sizes = Experts(experts=E, per_token=k, width=dense.width // k)
    return replace(
        known, name=f"{known.name}, {E} experts", feed_forward=None, experts=sizes, expert_layers=known.layers
    )
