"""Formulas: a device mesh: ranks and coordinates, groups, the links that they use, placements and what moves them.

Sides and coordinates are listed from the outermost axis to the innermost, whose neighbours have neighbouring ranks, as
PyTorch's ``init_device_mesh`` has them. Ranks are numbered domain after domain.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from snippets.composition.mesh import expert_data_parallel as expert_data_parallel
from snippets.composition.mesh import group_ranks_in_domain as group_ranks_in_domain
from snippets.composition.mesh import mesh_coordinates as mesh_coordinates
from snippets.composition.mesh import mesh_group as mesh_group
from snippets.composition.mesh import mesh_rank as mesh_rank
from snippets.composition.mesh import mesh_stride as mesh_stride
from snippets.domain import (
    as_float,
    named,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from snippets.models import MODELS, Attention, Transformer, parameter_count
from snippets.parallelism.pipeline.formulas import pipeline_message_bytes
from snippets.parallelism.sequence.formulas import ring_attention_forward_bytes
from snippets.parallelism.tensor.formulas import (
    key_value_heads_per_rank,
    placed_ring_bytes_per_s,
    tensor_block_traffic_bytes,
)

REPLICATE, PARTIAL = "R", "P"
_PLACEMENT = re.compile(r"R|P|S\([0-9]\)")


def group_leaving_share(*, ranks: int, in_domain: int) -> float:
    """Return the share of what a group's ranks send around rings that leaves the domain.

    Formula: $1/\\kappa$
    Symbols: κ = in_domain; 0 where all ranks of the group are in one domain
    Chapter: 25

    Args:
        ranks: ranks of the group.
        in_domain: how many of them share a domain, as ``group_ranks_in_domain`` says; a divisor of ``ranks``.

    Returns:
        A share, from 0 to 1.

    Source: derived in this book: a ring in the order of ranks leaves a domain once for each κ ranks.
    Convention: the mean over ranks; each ring visits a domain once.
    Leaves out: sums inside first, which send 1/κ of the vector, not of the bytes.

    Example:
        >>> group_leaving_share(ranks=8, in_domain=4), group_leaving_share(ranks=8, in_domain=8)
        (0.25, 0.0)
    """
    R, inside = positive_integer("ranks", ranks), positive_integer("in_domain", in_domain)
    if R % inside:
        raise ValueError(f"in_domain must divide ranks = {R}, got {inside}")
    return 0.0 if inside == R else 1 / inside


def redistribution_bytes(source: str, target: str, *, ranks: int, size_bytes: float) -> float:
    """Return what a rank sends to change how a tensor is placed along one axis of a mesh.

    Also: reshard, DTensor redistribute, sharding conversion
    Formula: $\\frac{R-1}{R}\\,n \\cdot \\{0,\\, 1,\\, 2,\\, \\tfrac{1}{R}\\}$
    Symbols: R = ranks; n = size_bytes; 0 from replicate; 1 from shard to replicate and from partial to shard; 2 from
        partial to replicate; 1/R from one shard to another
    Chapter: 25

    Args:
        source: ``"R"`` (replicate), ``"P"`` (partial sums) or ``"S(0)"``, ``"S(1)"`` … (shard of that dimension).
        target: the same. Partial sums are made by matmuls, not by moving data: a target of ``"P"`` costs nothing and is
            allowed only from ``"P"`` and ``"R"``.
        ranks: along the axis.
        size_bytes: of what the ranks of the axis hold together, at least 0: the whole tensor, or its shard on the other
            axes.

    Returns:
        Bytes, sent by one rank.

    Source: ring all-gather, reduce-scatter and all-reduce, and a pairwise all-to-all.
    Convention: even shards.
    Leaves out: padding of uneven ones.

    Example:
        >>> ways = ("S(0)", "R"), ("P", "R"), ("S(0)", "S(1)")
        >>> [redistribution_bytes(*way, ranks=4, size_bytes=16) for way in ways]
        [12.0, 24.0, 3.0]
    """
    before, after = _placement("source", source), _placement("target", target)
    R, n = positive_integer("ranks", ranks), Fraction(nonnegative_number("size_bytes", size_bytes))
    if after == PARTIAL and before not in (PARTIAL, REPLICATE):
        raise ValueError(f"target must not be 'P' for a source that is sharded, got source {source!r}")
    once = Fraction(R - 1, R) * n
    if before in (after, REPLICATE):
        return 0.0
    if before == PARTIAL:
        return as_float("size_bytes", 2 * once if after == REPLICATE else once)
    return as_float("size_bytes", once if after == REPLICATE else once / R)


def matmul_placement(left: str, right: str) -> str | None:
    """Return how Y = XW is placed along an axis, given X and W, or ``None`` where something has to move first.

    Also: sharding propagation, SPMD partitioning rules
    Formula: $(\\text{rows}, \\text{whole}) \\to \\text{rows},\\; (\\text{whole}, \\text{columns}) \\to
        \\text{columns},\\; (\\text{columns}, \\text{rows}) \\to \\text{partial}$
    Symbols: in words: shards of rows or columns, replicated, partial sums; besides, whole by whole is whole, and
        partial by whole, or whole by partial, is partial
    Chapter: 25

    Args:
        left: how X is placed: ``"R"``, ``"P"``, ``"S(0)"`` (by rows) or ``"S(1)"`` (by columns).
        right: how W is placed.

    Returns:
        The placement of Y.

    Source: block matrix products; Xu et al. 2021 (GSPMD), and PyTorch's DTensor, have the same rules.
    Convention: both are matrices; one axis of the mesh.
    Leaves out: biases, which may be added to a partial sum by one rank only.

    Example:
        >>> matmul_placement("S(0)", "R"), matmul_placement("S(1)", "S(0)"), matmul_placement("P", "P")
        ('S(0)', 'P', None)
    """
    pair = _matrix_placement("left", left), _matrix_placement("right", right)
    rules = {
        ("R", "R"): "R",
        ("S(0)", "R"): "S(0)",
        ("R", "S(1)"): "S(1)",
        ("S(1)", "S(0)"): "P",
        ("P", "R"): "P",
        ("R", "P"): "P",
    }
    return rules.get(pair)


class MeshTraffic(NamedTuple):
    """What one GPU sends in a step along the axes of a mesh, in bytes; ``data`` goes to the group of d and c together.

    >>> MeshTraffic(tensor=4.0, context=2.0, data=1.0, pipeline=1.0).total
    8.0
    """

    tensor: float
    context: float
    data: float
    pipeline: float

    @property
    def total(self) -> float:
        """All axes together.

        >>> MeshTraffic(1.0, 2.0, 3.0, 4.0).total
        10.0
        """
        return self.tensor + self.context + self.data + self.pipeline


def mesh_step_traffic_bytes(
    model: Transformer | str,
    *,
    tensor_parallel: int,
    context_parallel: int,
    data_parallel: int,
    pipeline_parallel: int,
    sequence: int,
    batch_sequences: int,
    element_bytes: int = 2,
) -> MeshTraffic:
    """Return what a GPU in the middle of a pipeline sends in a step, along each axis of a dense model's mesh.

    Formula: $Q_t = \\tfrac{8mLbsh(t-1)w}{pct},\\quad Q_c = \\tfrac{6mLs h_\\text{kv}(c-1)w}{pc},\\quad
        Q_d = \\tfrac{2(dc-1)}{dc}\\tfrac{Nw}{tp},\\quad Q_p = \\tfrac{2msh w}{ct}$
    Symbols: Q_t, Q_c, Q_d, Q_p = the result's parts; t, c, d, p = sizes of the axes; m = micro-batches of one sequence;
        L = layers; b = 1; s = sequence; h = hidden size; h_\\text{kv} = width of a rank's keys; N = parameters;
        w = element_bytes
    Chapter: 25

    Args:
        model: a name in ``MODELS``, or a ``Transformer`` of your own.
        tensor_parallel: t, with sequence parallelism.
        context_parallel: c; keys and values are gathered, in the forward and again in the backward pass.
        data_parallel: d; gradients are added up over d · c ranks once a step.
        pipeline_parallel: p.
        sequence: tokens of a sequence.
        batch_sequences: sequences of a step; a multiple of d.
        element_bytes: of activations and gradients.

    Returns:
        Bytes by axis.

    Source: chapters 17, 19, 16 and 18, whose formulas are called.
    Convention: sent by one rank; micro-batches of one sequence; stages of N/p parameters.
    Leaves out: the embeddings' own traffic, chunks of a stage, and that the first and last stage send one way only.

    Example:
        >>> cut = {"tensor_parallel": 8, "context_parallel": 2, "data_parallel": 8, "pipeline_parallel": 4}
        >>> sent = mesh_step_traffic_bytes("Llama 3 70B", **cut, sequence=32768, batch_sequences=128)
        >>> [round(axis / 1e9, 1) for axis in sent]
        [601.3, 8.1, 8.3, 1.1]
    """
    known = MODELS.find(model)
    t, c = positive_integer("tensor_parallel", tensor_parallel), positive_integer("context_parallel", context_parallel)
    d, p = positive_integer("data_parallel", data_parallel), positive_integer("pipeline_parallel", pipeline_parallel)
    s, w = positive_integer("sequence", sequence), positive_integer("element_bytes", element_bytes)
    m = Fraction(positive_integer("batch_sequences", batch_sequences), d)
    for name, value, axes, divisor in (
        ("batch_sequences", batch_sequences, "data_parallel", d),
        ("sequence", s, "context_parallel × tensor_parallel", c * t),
        ("model.layers", known.layers, "pipeline_parallel", p),
    ):
        if value % divisor:
            raise ValueError(f"{name} must be a multiple of {axes} = {divisor}, got {value}")
    attention = known.attention
    if not isinstance(attention, Attention):
        raise ValueError(f"model must have keys and values by heads, got {known.name!r}")
    kept = key_value_heads_per_rank(heads=attention.heads, key_value_heads=attention.key_value_heads, tensor_parallel=t)
    layers = int(m) * known.layers // p
    block = tensor_block_traffic_bytes(
        micro_batch=1, sequence=s // c, hidden=known.hidden, tensor_parallel=t, element_bytes=w
    )
    keys = ring_attention_forward_bytes(sequence=s, kv_width=kept * attention.head_size, ranks=c, element_bytes=w)
    edge = pipeline_message_bytes(
        micro_batch=1, sequence=s // c, hidden=known.hidden, tensor_parallel=t, element_bytes=w
    )
    gradient = 2 * (d * c - 1) / (d * c) * parameter_count(known) * w / (t * p)
    return MeshTraffic(2 * layers * block, 3 * layers * keys, gradient, 2.0 * int(m) * edge if p > 1 else 0.0)


def group_traffic_time_s(
    *, sent_bytes: float, ranks: int, in_domain: int, domain_bytes_per_s: float, port_bytes_per_s: float
) -> float:
    """Return how long a group's rings take for what each of its ranks sends.

    Formula: $Q_\\beta \\Big/ \\min\\left(\\tfrac{\\kappa}{\\kappa - 1}\\beta_\\text{node},\\;
        \\kappa\\beta_\\text{net}\\right)$
    Symbols: Q_\\beta = sent_bytes; κ = in_domain; \\beta_\\text{node} = domain_bytes_per_s;
        \\beta_\\text{net} = port_bytes_per_s; over \\beta_\\text{node} where κ is all ranks, over \\beta_\\text{net}
        where it is 1
    Chapter: 25

    Args:
        sent_bytes: by one rank, at least 0.
        ranks: of the group.
        in_domain: how many of them share a domain; a divisor of ``ranks``.
        domain_bytes_per_s: of a GPU's link inside the domain, one direction.
        port_bytes_per_s: of its network port, one direction.

    Returns:
        Seconds.

    Source: chapter 17's ``placed_ring_bytes_per_s``: as many rings as a domain has ranks of the group.
    Convention: each GPU has a port of its own.
    Leaves out: latency, and other axes that use the links at the same time.

    Example:
        >>> links = {"domain_bytes_per_s": 360e9, "port_bytes_per_s": 40e9}
        >>> group_traffic_time_s(sent_bytes=40e9, ranks=8, in_domain=1, **links)
        1.0
        >>> group_traffic_time_s(sent_bytes=40e9, ranks=8, in_domain=4, **links)
        0.25
    """
    Q, R = nonnegative_number("sent_bytes", sent_bytes), positive_integer("ranks", ranks)
    inside = positive_integer("in_domain", in_domain)
    if R % inside:
        raise ValueError(f"in_domain must divide ranks = {R}, got {inside}")
    rate = placed_ring_bytes_per_s(
        nodes=R // inside,
        gpus_in_node=inside,
        node_bytes_per_s=positive_number("domain_bytes_per_s", domain_bytes_per_s),
        adapter_bytes_per_s=positive_number("port_bytes_per_s", port_bytes_per_s),
    )
    return as_float("sent_bytes, domain_bytes_per_s and port_bytes_per_s", Q / rate)


def _placement(name: str, value: str) -> str:
    if not isinstance(value, str) or not _PLACEMENT.fullmatch(value):
        raise ValueError(f"{name} must be 'R', 'P' or a shard such as 'S(0)', got {value!r}")
    return value


def _matrix_placement(name: str, value: str) -> str:
    return named(name, _placement(name, value), ("R", "P", "S(0)", "S(1)"))
