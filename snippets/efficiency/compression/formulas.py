"""Formulas: fewer bits on the wire: bytes and errors of blocks, of three ways to add, and when they pay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from snippets.domain import (
    as_float,
    each,
    flag,
    integer_at_least,
    named,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
    probability,
)

REDUCTION_WAYS = ("ring", "one-shot", "two-hop")


def block_quantised_element_bytes(*, bits: int, block: int, scale_bytes: float = 4) -> float:
    """Return the bytes that an element takes on the wire if blocks of elements share a scale.

    Also: quantised bytes per parameter
    Formula: $w_\\nu = \\frac{\\nu}{8} + \\frac{w_\\text{s}}{q}$
    Symbols: w_ν = result; ν = bits; q = block; w_s = scale_bytes
    Chapter: 30

    Args:
        bits: ν, of an element, at least 1.
        block: q, elements that share a scale.
        scale_bytes: of a scale, 4 in fp32; at least 0.

    Returns:
        Bytes for each element.

    Source: derived; Wang, Qin et al. 2023 send weights and gradients in such blocks.
    Convention: whole blocks; elements of fewer than 8 bits are packed.
    Leaves out: a last block that isn't full.

    Example:
        >>> block_quantised_element_bytes(bits=8, block=256)
        1.015625
    """
    ν, q = positive_integer("bits", bits), positive_integer("block", block)
    w_s = nonnegative_number("scale_bytes", scale_bytes)
    return as_float("bits and scale_bytes", ν / 8 + w_s / q)


def block_rounding_error(*, bits: int, peak: float, stochastic: bool = False) -> float:
    """Return the error of rounding in blocks, as a share: its root mean square over that of the elements.

    The largest element of a block decides the grid: it is the last of 2^(ν−1) − 1 levels on its side of zero.

    Formula: $\\varepsilon = \\frac{\\psi}{(2^{\\nu - 1} - 1)\\sqrt{12}}$
    Symbols: ε = result; ν = bits; ψ = peak; the root is √6 if rounding is stochastic
    Chapter: 30

    Args:
        bits: ν, from 2 to 64.
        peak: ψ, the largest magnitude of a block over the block's root mean square, at least 1.
        stochastic: whether each element is rounded up or down at random, so that it is right on average.

    Returns:
        The share: 0.01 is an error of one per cent.

    Source: derived; an error spread evenly over a step Δ has the variance Δ²/12, and Δ²/6 if rounding is random.
    Convention: levels are integers from −(2^(ν−1) − 1) to 2^(ν−1) − 1 times the scale, zero among them.
    Leaves out: that elements are not spread evenly within a step, which shows at 3 bits and fewer.

    Example:
        >>> round(block_rounding_error(bits=8, peak=3.0), 4)
        0.0068
    """
    ν = integer_at_least("bits", bits, 2)
    if ν > 64:
        raise ValueError(f"bits must be an integer from 2 to 64, got {bits!r}")
    ψ = number_between("peak", peak, low=1, high=math.inf)
    root = math.sqrt(6 if flag("stochastic", stochastic) else 12)
    return ψ / ((2.0 ** (ν - 1) - 1) * root)


def float_rounding_error(*, fraction_bits: int) -> float:
    """Return the error of rounding to a floating-point format: its root mean square over that of the numbers.

    Formula: $\\varepsilon = \\frac{2^{-\\nu_\\text{f}}}{\\sqrt{32 \\ln 2}}$
    Symbols: ε = result; ν_f = fraction_bits
    Chapter: 30

    Args:
        fraction_bits: ν_f, bits after the leading one: 7 in bfloat16, 3 in FP8's E4M3, at least 1.

    Returns:
        The share: 0.01 is an error of one per cent.

    Source: derived: an error of variance Δ²/12, where Δ is 2^(−ν_f) of the power of two below the number. If its
        logarithm lies anywhere between two powers, the mean of (power/number)² is 3/(8 ln 2).
    Convention: rounding to the nearest; the mean over numbers of any scale.
    Leaves out: numbers too large or too small for the format.

    Example:
        >>> round(float_rounding_error(fraction_bits=7), 4)
        0.0017
    """
    ν_f = positive_integer("fraction_bits", fraction_bits)
    return math.ldexp(1.0, -min(ν_f, 2000)) / math.sqrt(32 * math.log(2))


def ring_requantised_error(*, rounding_error: float, ranks: int) -> float:
    """Return the error of a ring that rounds its partial sums anew before each hop.

    After j hops a sum of j ranks is on its way, √j as large as one rank's part, and so is what rounding does to it.

    Formula: $\\varepsilon_\\text{ring} = \\varepsilon\\,\\sqrt{\\frac{R - 1}{2}}$
    Symbols: ε_ring = result; ε = rounding_error; R = ranks
    Chapter: 30

    Args:
        rounding_error: ε, of one rounding, root mean square over root mean square, at least 0.
        ranks: R.

    Returns:
        The error of the finished sum, root mean square over the root mean square of the sum.

    Source: derived: ε² times 1 + 2 + … + (R − 1), over R.
    Convention: the ranks' parts are independent with mean zero, as noise is; each is as large as the others.
    Leaves out: what the parts share: with equal parts it is ε·√(R/3) for many ranks. The all-gather that may follow.

    Example:
        >>> ring_requantised_error(rounding_error=0.01, ranks=9)
        0.02
    """
    ε, R = nonnegative_number("rounding_error", rounding_error), positive_integer("ranks", ranks)
    return as_float("rounding_error and ranks", ε * math.sqrt((R - 1) / 2))


def one_shot_quantised_error(*, rounding_error: float, ranks: int) -> float:
    """Return the error of a reduction in which each part is rounded once and sent straight to where it is added.

    Formula: $\\varepsilon_\\text{once} = \\varepsilon\\,\\sqrt{\\frac{R - 1}{R}}$
    Symbols: ε_once = result; ε = rounding_error; R = ranks
    Chapter: 30

    Args:
        rounding_error: ε, of one rounding, root mean square over root mean square, at least 0.
        ranks: R.

    Returns:
        The error of the finished sum, root mean square over the root mean square of the sum.

    Source: derived: R − 1 errors of variance ε², over R.
    Convention: independent parts with mean zero; a rank's own part is not rounded.
    Leaves out: what the parts share: with equal parts it falls to about ε/√R.

    Example:
        >>> one_shot_quantised_error(rounding_error=0.01, ranks=1)
        0.0
    """
    ε, R = nonnegative_number("rounding_error", rounding_error), positive_integer("ranks", ranks)
    return as_float("rounding_error", ε * math.sqrt((R - 1) / R))


def two_hop_quantised_error(*, rounding_error: float, ranks: int, node_ranks: int) -> float:
    """Return the error of a reduction that rounds twice: before the sum in a node, and before the one between nodes.

    Formula: $\\varepsilon_\\text{two} = \\varepsilon\\,\\sqrt{\\frac{R_\\text{node} - 1}{R_\\text{node}}
        + \\frac{R/R_\\text{node} - 1}{R/R_\\text{node}}}$
    Symbols: ε_two = result; ε = rounding_error; R = ranks; R_node = node_ranks
    Chapter: 30

    Args:
        rounding_error: ε, of one rounding, root mean square over root mean square, at least 0.
        ranks: R, a multiple of ``node_ranks``.
        node_ranks: R_node, the ranks of a node.

    Returns:
        The error of the finished sum, root mean square over the root mean square of the sum; at most √2·ε.

    Source: derived; Wang, Qin et al. 2023 describe the two hops.
    Convention: independent parts with mean zero; what a rank keeps for itself is not rounded.
    Leaves out: what the parts share.

    Example:
        >>> round(two_hop_quantised_error(rounding_error=0.01, ranks=256, node_ranks=8), 4)
        0.0136
    """
    ε = nonnegative_number("rounding_error", rounding_error)
    nodes, inside = _nodes(ranks, node_ranks)
    return as_float("rounding_error", ε * math.sqrt((inside - 1) / inside + (nodes - 1) / nodes))


def node_leaving_reduction_bytes(way: str, *, size_bytes: float, ranks: int, node_ranks: int) -> float:
    """Return the bytes that leave a node while all ranks' arrays are added up and each rank gets its share.

    Formula: $\\text{ring}: \\frac{R - 1}{R}\\,n, \\quad
        \\text{one-shot}: R_\\text{node}\\,\\frac{R - R_\\text{node}}{R}\\,n,
        \\quad \\text{two-hop}: \\frac{R - R_\\text{node}}{R}\\,n$
    Symbols: the result in bytes; n = size_bytes; R = ranks; R_node = node_ranks
    Chapter: 30

    Args:
        way: ``"ring"``, ``"one-shot"`` (each part straight to its owner) or ``"two-hop"`` (first a sum in the node).
        size_bytes: n, of one rank's array as it is sent, at least 0.
        ranks: R, a multiple of ``node_ranks``.
        node_ranks: R_node, the ranks of a node.

    Returns:
        Bytes that one node sends to others, all its adapters together.

    Source: derived; Wang, Qin et al. 2023 count them for the two hops.
    Convention: a reduce-scatter; a node's ranks follow one another in the ring.
    Leaves out: what stays inside the node; scales of another size.

    Example:
        >>> [node_leaving_reduction_bytes(way, size_bytes=256, ranks=256, node_ranks=8) for way in REDUCTION_WAYS]
        [255.0, 1984.0, 248.0]
    """
    which = named("way", way, REDUCTION_WAYS)
    n = nonnegative_number("size_bytes", size_bytes)
    nodes, inside = _nodes(ranks, node_ranks)
    R = nodes * inside
    if nodes == 1:
        return 0.0
    shares = {"ring": (R - 1) / R, "one-shot": inside * (R - inside) / R, "two-hop": (R - inside) / R}
    return as_float("size_bytes", shares[which] * n)


def compressed_layer_clocks(
    way: str,
    *,
    weights_bytes: float,
    gradients_bytes: float,
    ranks: int,
    node_ranks: int,
    latency_s: float,
    node_bytes_per_s: float,
    network_bytes_per_s: float,
) -> tuple[float, float]:
    """Return for how long a layer's weights are gathered and its gradients reduced, by rings or otherwise.

    Formula: $T_\\text{g} = (R - 1)\\Bigl(\\alpha + \\frac{n_\\text{p}}{R\\beta}\\Bigr)$
    Symbols: T_g = the first result; n_p = weights_bytes; R = ranks; α = latency_s; β = network_bytes_per_s, or
        node_bytes_per_s if there is one node
    Chapter: 30

    Args:
        way: how gradients are added: ``"ring"``, ``"one-shot"`` or ``"two-hop"``.
        weights_bytes: n_p, a layer's weights as they are sent, at least 0.
        gradients_bytes: its gradients as they are sent, at least 0.
        ranks: R, a multiple of ``node_ranks``.
        node_ranks: ranks of a node.
        latency_s: α of a message, at least 0.
        node_bytes_per_s: what a rank sends inside its node.
        network_bytes_per_s: β, what all adapters of a node send together.

    Returns:
        Seconds of the gather, and of the reduction.

    Source: derived; chapter 22's gather, and ``two_hop_reduction_s``.
    Convention: rings through all adapters of a node at once. In one shot R − 1 messages follow one another, and what
        leaves the node shares its adapters.
    Leaves out: rounding and adding.

    Example:
        >>> compressed_layer_clocks("ring", weights_bytes=4e9, gradients_bytes=2e9, ranks=4, node_ranks=2, latency_s=0,
        ...                         node_bytes_per_s=1e12, network_bytes_per_s=1e9)
        (3.0, 1.5)
    """
    which = named("way", way, REDUCTION_WAYS)
    n, n_g = nonnegative_number("weights_bytes", weights_bytes), nonnegative_number("gradients_bytes", gradients_bytes)
    α = nonnegative_number("latency_s", latency_s)
    β_node = positive_number("node_bytes_per_s", node_bytes_per_s)
    β = positive_number("network_bytes_per_s", network_bytes_per_s)
    nodes, inside = _nodes(ranks, node_ranks)
    R = nodes * inside
    if nodes == 1:
        β = β_node
    gather = (R - 1) * (α + n / (R * β))
    if which == "ring":
        reduce = (R - 1) * (α + n_g / (R * β))
    elif which == "two-hop":
        reduce = two_hop_reduction_s(
            size_bytes=n_g,
            ranks=R,
            node_ranks=inside,
            latency_s=α,
            node_bytes_per_s=β_node,
            network_bytes_per_s=β,
        )
    else:
        leaving = node_leaving_reduction_bytes("one-shot", size_bytes=n_g, ranks=R, node_ranks=inside)
        reduce = (R - 1) * α + (leaving / β if nodes > 1 else (R - 1) / R * n_g / β)
    names = "weights_bytes, gradients_bytes, latency_s, node_bytes_per_s and network_bytes_per_s"
    return as_float(names, gather), as_float(names, reduce)


def two_hop_reduction_s(
    *,
    size_bytes: float,
    ranks: int,
    node_ranks: int,
    latency_s: float,
    node_bytes_per_s: float,
    network_bytes_per_s: float,
) -> float:
    """Return the time of a reduction in two hops: an all-to-all in each node, a sum, and an all-to-all between nodes.

    Formula: $T = (R_\\text{node} - 1)\\Bigl(\\alpha + \\frac{n}{R_\\text{node}\\beta_\\text{node}}\\Bigr)
        + \\Bigl(\\frac{R}{R_\\text{node}} - 1\\Bigr)\\Bigl(\\alpha + \\frac{R_\\text{node}\\,n}{R\\,\\beta}\\Bigr)$
    Symbols: T = result; n = size_bytes; R = ranks; R_node = node_ranks; α = latency_s; β_node = node_bytes_per_s;
        β = network_bytes_per_s
    Chapter: 30

    Args:
        size_bytes: n, of one rank's array as it is sent, at least 0.
        ranks: R, a multiple of ``node_ranks``.
        node_ranks: R_node.
        latency_s: α of a message, at least 0.
        node_bytes_per_s: β_node, what a rank sends inside its node.
        network_bytes_per_s: β, what all adapters of a node send together.

    Returns:
        Seconds until each rank has its share of the sum.

    Source: derived from pairwise messages, one after another; Wang, Qin et al. 2023 describe the algorithm.
    Convention: one hop after the other; in the second, a node's ranks share its adapters evenly.
    Leaves out: rounding and adding; pieces of which one is inside the node while another is between nodes.

    Example:
        >>> two_hop_reduction_s(size_bytes=8e9, ranks=16, node_ranks=8, latency_s=0, node_bytes_per_s=7e9,
        ...                     network_bytes_per_s=4e9)
        2.0
    """
    n, α = nonnegative_number("size_bytes", size_bytes), nonnegative_number("latency_s", latency_s)
    β_node = positive_number("node_bytes_per_s", node_bytes_per_s)
    β = positive_number("network_bytes_per_s", network_bytes_per_s)
    nodes, inside = _nodes(ranks, node_ranks)
    T = (inside - 1) * (α + n / (inside * β_node)) + (nodes - 1) * (α + n / (nodes * β))
    return as_float("size_bytes, latency_s, node_bytes_per_s and network_bytes_per_s", T)


def hidden_element_bytes(*, tokens_per_rank: float, network_bytes_per_s: float, flops_per_s: float) -> float:
    """Return how many bytes an element of the weights may take if its gather is to hide behind a forward pass.

    Formula: $w^* = \\frac{2 x \\beta}{uP}$
    Symbols: w^* = result; x = tokens_per_rank; β = network_bytes_per_s; uP = flops_per_s
    Chapter: 30

    Args:
        tokens_per_rank: x, of the micro-batch of one rank.
        network_bytes_per_s: β, at which a rank gets what is gathered: what its node's adapters bring in together.
        flops_per_s: uP, the FLOPs that a rank does in a second.

    Returns:
        Bytes for each weight; 2 is a 16-bit format, 1 an 8-bit one.

    Source: derived: chapter 22's tokens that hide a gather, solved for the bytes.
    Convention: full sharding; 2 FLOPs for each weight and token. A backward pass that recomputes everything takes
        three times as long, so its weights and gradients together may take three times these bytes.
    Leaves out: latency, attention's scores, a mixture of experts.

    Example:
        >>> hidden_element_bytes(tokens_per_rank=8192, network_bytes_per_s=40e9, flops_per_s=640e12)
        1.024
    """
    x, β = (
        positive_number("tokens_per_rank", tokens_per_rank),
        positive_number("network_bytes_per_s", network_bytes_per_s),
    )
    return as_float(
        "tokens_per_rank, network_bytes_per_s and flops_per_s", 2 * x * β / positive_number("flops_per_s", flops_per_s)
    )


def node_copy_wait_s(
    *, layers: int, forward_s: float, backward_s: float, gather_s: float, node_gather_s: float, reduce_s: float
) -> float:
    """Return what a micro-batch waits for the network if its two passes gather weights at different speeds.

    With a copy of the weights in each node, the forward pass gathers from all nodes and the backward pass from its
    own. While a layer runs, the next one's weights are gathered and the last one's gradients are scattered.

    Formula: $T_\\text{g} + T_\\text{n} + T_\\text{r} + (L - 1)\\,[T_\\text{g} - T_F] + [T_\\text{n} - T_B]
        + (L - 2)\\,[T_\\text{n} + T_\\text{r} - T_B] + [T_\\text{r} - T_B]$
    Symbols: T_\\text{g}, T_\\text{n} = gather_s and node_gather_s, of a layer; T_\\text{r} = reduce_s;
        T_F, T_B = forward_s and backward_s; L = layers, at least 2 (T_g + T_n + T_r for one layer); [·] = what is
        above 0
    Chapter: 30

    Args:
        layers: of the rank.
        forward_s: a layer's forward pass, at least 0.
        backward_s: its backward pass, recomputation included, at least 0.
        gather_s: seconds to gather a layer's weights for the forward pass, at least 0.
        node_gather_s: seconds to gather them again for the backward pass, at least 0.
        reduce_s: seconds to scatter its gradients, at least 0.

    Returns:
        Seconds for one micro-batch, forward and backward.

    Source: derived; with equal gathers it is ``sharded_micro_batch_wait_s``.
    Convention: as there; a gather inside the node and a reduction follow one another.
    Leaves out: that gather and reduction, which use different links, may run side by side.

    Example:
        >>> node_copy_wait_s(layers=10, forward_s=1, backward_s=3, gather_s=2, node_gather_s=0.5, reduce_s=2)
        13.5
    """
    L = positive_integer("layers", layers)
    F, B = nonnegative_number("forward_s", forward_s), nonnegative_number("backward_s", backward_s)
    gather, again = nonnegative_number("gather_s", gather_s), nonnegative_number("node_gather_s", node_gather_s)
    reduce = nonnegative_number("reduce_s", reduce_s)
    wait = gather + again + reduce + (L - 1) * max(0.0, gather - F)
    if L > 1:
        wait += max(0.0, again - B) + (L - 2) * max(0.0, again + reduce - B) + max(0.0, reduce - B)
    return as_float("gather_s, node_gather_s and reduce_s", wait)


def compression_break_even_bytes_per_s(*, ratio: float, compress_s_per_byte: float) -> float:
    """Return the bandwidth below which compression saves time where nothing hides it.

    Sent as it is, a byte takes 1/β. Compressed, it takes 1/(κβ), and the time to compress and restore it.

    Formula: $\\beta^* = \\frac{1 - 1/\\kappa}{\\gamma_\\text{q}}$
    Symbols: β^* = result; κ = ratio; γ_q = compress_s_per_byte
    Chapter: 30

    Args:
        ratio: κ, bytes before over bytes after, at least 1.
        compress_s_per_byte: γ_q, seconds for each byte before compression, both ends together.

    Returns:
        Bytes per second; a faster network does better without.

    Source: derived.
    Convention: bytes are compressed, sent and restored one after the other.
    Leaves out: latency, which compression doesn't change; overlap, which hides either side.

    Example:
        >>> compression_break_even_bytes_per_s(ratio=2, compress_s_per_byte=1e-12)
        500000000000.0
    """
    κ = number_between("ratio", ratio, low=1, high=math.inf)
    γ_q = positive_number("compress_s_per_byte", compress_s_per_byte)
    return as_float("compress_s_per_byte", (1 - 1 / κ) / γ_q)


def block_quantising_s(
    *, elements: float, memory_bytes_per_s: float, block_element_bytes: float = 1, element_bytes: float = 2
) -> float:
    """Return how long a GPU takes to round an array into blocks, or to restore it: its memory sets the pace.

    Formula: $T = \\frac{(w + w_\\nu)\\,N_\\text{layer}}{\\beta_\\text{mem}}$
    Symbols: T = result; w = element_bytes; w_ν = block_element_bytes; N_layer = elements; β_mem = memory_bytes_per_s
    Chapter: 30

    Args:
        elements: N_layer, of the array, such as a layer's weights, at least 0.
        memory_bytes_per_s: β_mem, what the kernel reads and writes in a second.
        block_element_bytes: w_ν, of a rounded element with its part of the scale.
        element_bytes: w, before rounding.

    Returns:
        Seconds: each byte on either side passes through the memory once.

    Source: derived.
    Convention: one kernel, which finds the scales while the block is on the chip.
    Leaves out: that it may run beside matmuls, or be part of one.

    Example:
        >>> block_quantising_s(elements=1e9, memory_bytes_per_s=3e12)
        0.001
    """
    N, β_mem = nonnegative_number("elements", elements), positive_number("memory_bytes_per_s", memory_bytes_per_s)
    w, w_ν = (
        positive_number("element_bytes", element_bytes),
        positive_number("block_element_bytes", block_element_bytes),
    )
    return as_float("elements, element_bytes, block_element_bytes and memory_bytes_per_s", (w + w_ν) * N / β_mem)


def error_feedback_bound(*, kept_share: float, step_norm: float) -> float:
    """Return how long what a rank owes can become, if it keeps what its compressor leaves out.

    Formula: $\\lVert\\mu\\rVert \\le \\frac{\\sqrt{1 - \\delta}}{1 - \\sqrt{1 - \\delta}}\\,\\eta\\lVert g\\rVert$
    Symbols: μ = what is owed; δ = kept_share; η‖g‖ = step_norm
    Chapter: 30

    Args:
        kept_share: δ, the share of a vector's squared length that the compressor keeps at least, above 0 and at most 1.
        step_norm: the greatest length of a step η·g that a rank wants to take, at least 0.

    Returns:
        The greatest length of the memory, in the unit of the steps.

    Source: derived: a geometric series; Karimireddy et al. 2019 bound the mean square so.
    Convention: the memory is empty at first.
    Leaves out: that steps and memory rarely point the same way, so that it is far smaller in practice.

    Example:
        >>> error_feedback_bound(kept_share=0.75, step_norm=1.0)
        1.0
    """
    δ = probability("kept_share", kept_share)
    if δ == 0:
        raise ValueError(f"kept_share must be above 0 and at most 1, got {kept_share!r}")
    lost = math.sqrt(1 - δ)
    if lost == 1:
        raise ValueError(f"kept_share must be large enough for a float of 1 - kept_share below 1, got {kept_share!r}")
    return as_float("step_norm", lost / (1 - lost) * nonnegative_number("step_norm", step_norm))


def qsgd_variance_bound(*, elements: int, levels: int) -> float:
    """Return the bound on the variance that QSGD adds, over the squared length of the vector.

    Formula: $\\min\\left(\\frac{n_\\text{e}}{s_\\text{q}^2},\\; \\frac{\\sqrt{n_\\text{e}}}{s_\\text{q}}\\right)$
    Symbols: n_e = elements; s_q = levels
    Chapter: 30

    Args:
        elements: n_e, of the vector that shares one scale, its length.
        levels: s_q, steps of the grid between zero and the vector's length.

    Returns:
        The bound, without a unit.

    Source: Alistarh et al. 2017, lemma 3.1.
    Convention: stochastic rounding; the scale is the vector's Euclidean length and not its largest element.
    Leaves out: how far below it real vectors stay.

    Example:
        >>> round(qsgd_variance_bound(elements=512, levels=16), 2)
        1.41
    """
    n, s = positive_integer("elements", elements), positive_integer("levels", levels)
    return as_float("elements", min(n / s**2, math.sqrt(n) / s))


def gaussian_top_share(*, kept_share: float) -> float:
    """Return how much of a normal vector's squared length its largest elements hold.

    Formula: $\\delta_\\text{top} = 2\\,[z\\,\\varphi(z) + 1 - \\Phi(z)], \\quad \\Phi(z) = 1 - \\delta/2$
    Symbols: δ_top = result; δ = kept_share; φ, Φ = the standard normal density and distribution function
    Chapter: 30

    Args:
        kept_share: δ, the share of the elements that is kept, from 0 to 1.

    Returns:
        The share of the squared length, from 0 to 1.

    Source: derived: the second moment of a normal number beyond ±z.
    Convention: many independent normal elements with mean zero.
    Leaves out: real gradients, whose tails are heavier.

    Example:
        >>> round(gaussian_top_share(kept_share=0.01), 3)
        0.084
    """
    δ = probability("kept_share", kept_share)
    if δ in (0, 1):
        return float(δ)
    if δ < 1e-300:
        raise ValueError(f"kept_share must be 0, or from 1e-300 to 1, got {kept_share!r}")
    z = -NormalDist().inv_cdf(δ / 2)
    return min(1.0, 2 * z * NormalDist().pdf(z) + δ)


def sparse_all_gather_bytes(
    *, ranks: int, kept_elements: int, element_bytes: float = 2, index_bytes: float = 4
) -> float:
    """Return the bytes that a rank receives if all gather each other's largest elements, with their places.

    Formula: $(R - 1)\\,\\delta n\\,(w + w_\\text{i})$
    Symbols: the result in bytes; R = ranks; δn = kept_elements; w = element_bytes; w_i = index_bytes
    Chapter: 30

    Args:
        ranks: R.
        kept_elements: that each rank sends, at least 0.
        element_bytes: of a kept element.
        index_bytes: of its place, 4 for up to 4 billion elements; at least 0.

    Returns:
        Bytes received by one rank; it also sends as many in a ring.

    Source: derived.
    Convention: the ranks keep different places, so nothing can be added on the way.
    Leaves out: latency; places that are coded more briefly.

    Example:
        >>> sparse_all_gather_bytes(ranks=8, kept_elements=1000)
        42000.0
    """
    R, kept = positive_integer("ranks", ranks), nonnegative_integer("kept_elements", kept_elements)
    w, w_i = positive_number("element_bytes", element_bytes), nonnegative_number("index_bytes", index_bytes)
    return as_float("ranks, kept_elements, element_bytes and index_bytes", (R - 1) * kept * (w + w_i))


def sparse_break_even_ranks(
    *, kept_share: float, element_bytes: float = 2, dense_bytes: float = 2, index_bytes: float = 4
) -> float:
    """Return the number of ranks at which gathering the largest elements moves as much as adding all in a ring.

    Formula: $R^* = \\frac{2 w_\\text{d}}{\\delta\\,(w_\\text{v} + w_\\text{i})}$
    Symbols: R^* = result; δ = kept_share; w_d = dense_bytes; w_v = element_bytes; w_i = index_bytes
    Chapter: 30

    Args:
        kept_share: δ, the share of the elements that each rank sends, above 0 and at most 1.
        element_bytes: of a kept element.
        dense_bytes: of an element in the ring.
        index_bytes: of a kept element's place, at least 0.

    Returns:
        Ranks; with more of them the ring over all elements moves less.

    Source: derived: (R − 1)·δ·(w_v + w_i) against 2·(R − 1)/R·w_d for each element.
    Convention: bytes of one rank; an all-reduce, of two phases.
    Leaves out: latency, and the time to choose the largest.

    Example:
        >>> round(sparse_break_even_ranks(kept_share=0.01))
        67
    """
    δ = number_between("kept_share", kept_share, low=0, high=1)
    w_v, w = positive_number("element_bytes", element_bytes), positive_number("dense_bytes", dense_bytes)
    each_kept = positive_number("kept_share", δ) * (w_v + nonnegative_number("index_bytes", index_bytes))
    return as_float("kept_share and dense_bytes", 2 * w / each_kept if each_kept else math.inf)


def low_rank_elements(shapes: Sequence[Sequence[int]], *, factor_rank: int, vector_elements: int = 0) -> int:
    """Return how many numbers PowerSGD sends for gradients of matrices, as two thin factors each.

    Also: PowerSGD
    Formula: $\\sum_i \\rho\\,(h_i + h_i') + \\text{vectors}$
    Symbols: ρ = factor_rank; h_i, h_i' = the sides of matrix i; vectors = vector_elements
    Chapter: 30

    Args:
        shapes: for each matrix its rows and columns.
        factor_rank: ρ, columns of a factor.
        vector_elements: elements of all vectors, which are sent as they are; at least 0.

    Returns:
        Numbers that a rank brings to the two all-reduces.

    Source: Vogels et al. 2019, algorithm 1 and table 3.
    Convention: a matrix whose rank is below ρ is sent as factors all the same.
    Leaves out: that implementations send small matrices whole.

    Example:
        >>> low_rank_elements([(100, 50)], factor_rank=2, vector_elements=7)
        307
    """
    ρ, rest = positive_integer("factor_rank", factor_rank), nonnegative_integer("vector_elements", vector_elements)
    sides = each("shapes", shapes, lambda name, shape: each(name, shape, positive_integer))
    if any(len(shape) != 2 for shape in sides):
        raise ValueError(f"shapes must be pairs of rows and columns, got {shapes!r}")
    return sum(ρ * (rows + columns) for rows, columns in sides) + rest


def warmup_volume_reduction(*, warmup_share: float, ratio: float = 16) -> float:
    """Return by what factor a whole run's bytes shrink if it begins without compression.

    Formula: $\\frac{1}{\\omega + (1 - \\omega)/\\kappa}$
    Symbols: ω = warmup_share; κ = ratio
    Chapter: 30

    Args:
        warmup_share: the share of the steps that send everything, from 0 to 1.
        ratio: κ, bytes before over bytes after, at least 1; 16 for one bit in place of fp16.

    Returns:
        Bytes of the run without compression over those with it.

    Source: DeepSpeed 2020 (the blog post on 1-bit Adam).
    Convention: all steps send as much if nothing is compressed.
    Leaves out: scales, and the parts that stay whole.

    Example:
        >>> round(warmup_volume_reduction(warmup_share=0.15), 1)
        4.9
    """
    ω, κ = probability("warmup_share", warmup_share), number_between("ratio", ratio, low=1, high=math.inf)
    return 1 / (ω + (1 - ω) / κ)


def _nodes(ranks: int, node_ranks: int) -> tuple[int, int]:
    """Return how many nodes there are, and the ranks of one."""
    R, inside = positive_integer("ranks", ranks), positive_integer("node_ranks", node_ranks)
    if R % inside:
        raise ValueError(f"ranks must be a multiple of node_ranks, {inside}, got {ranks!r}")
    return R // inside, inside
