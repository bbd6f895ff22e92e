"""Formulas: which experts a few tokens read, what a decode step takes, and how many requests fit."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from snippets.domain import as_count, as_float, positive_integer, positive_number
from snippets.efficiency.architecture.formulas import kv_cache_bytes
from snippets.models import MODELS, Attention, Transformer, active_parameter_count, parameter_count, parameter_parts


class DecodeStep(NamedTuple):
    """The parts of a step that writes one token of each request.

    >>> DecodeStep(weights_s=3, cache_s=1, compute_s=2).total_s
    4
    """

    weights_s: float
    cache_s: float
    compute_s: float

    @property
    def total_s(self) -> float:
        """The longer of reading and computing, which run side by side.

        >>> DecodeStep(weights_s=1, cache_s=1, compute_s=5).total_s
        5
        """
        return max(self.weights_s + self.cache_s, self.compute_s)


def expected_experts_touched(*, batch: int, experts: int, experts_per_token: int) -> float:
    """Return how many experts of a layer at least one of a few tokens is expected to choose.

    Also: expected number of activated experts
    Formula: $E_\\text{read} = E\\left(1 - \\left(1 - \\frac kE\\right)^B\\right)$
    Symbols: E_read = the result; E = experts; k = experts_per_token; B = batch
    Chapter: 39

    Args:
        batch: tokens that pass the layer together.
        experts: of the layer.
        experts_per_token: how many of them each token chooses, at most experts.

    Returns:
        Experts, the mean over what the router may choose.

    Source: derived: each expert is passed over by one token with probability 1 − k/E.
    Convention: each token chooses evenly among all experts, and no token's choice depends on another's.
    Leaves out: favourites, and tokens that choose alike; both read fewer.

    Example:
        >>> [expected_experts_touched(batch=B, experts=8, experts_per_token=2) for B in (1, 2)]
        [2.0, 3.5]
    """
    B, E = positive_integer("batch", batch), positive_integer("experts", experts)
    k = positive_integer("experts_per_token", experts_per_token)
    if k > E:
        raise ValueError(f"experts_per_token must be an integer of at most experts = {E}, got {experts_per_token!r}")
    return E * (1 - (1 - k / E) ** B)


def decode_weight_bytes(model: Transformer | str, *, batch: int, element_bytes: float = 2) -> float:
    """Return the bytes of weights that a step reads to write one token of each request.

    Formula: $w\\left(N_\\text{rest} + \\frac{E_\\text{read}}{E}\\,N_\\text{routed}\\right)$
    Symbols: w = element_bytes; N_rest = weights that every token uses, without the
        token table; E_read = expected_experts_touched;
        E = experts; N_routed = all routed experts of the model; without experts the second term is 0
    Chapter: 39

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        batch: requests that are written together, one token of each.
        element_bytes: of a weight.

    Returns:
        Bytes, on all ranks together, each weight once.

    Source: derived; chapter 2 for weights that are read once for all tokens of a matmul.
    Convention: experts are chosen evenly and independently; the head is read, and of the table of tokens nothing.
    Leaves out: copies of small weights on several ranks, the rows of the table, activations.

    Example:
        >>> [round(decode_weight_bytes("Mixtral 8x7B", batch=B) / 1e9, 1) for B in (1, 16)]
        [25.5, 92.2]
    """
    model, w = MODELS.find(model), positive_number("element_bytes", element_bytes)
    positive_integer("batch", batch)
    routed = parameter_parts(model).routed_experts
    read = Fraction(_rest(model))
    if model.experts is not None:
        E, k = model.experts.experts, model.experts.per_token
        touched = expected_experts_touched(batch=batch, experts=E, experts_per_token=k)
        read += Fraction(touched) / E * routed
    return as_float("model and element_bytes", Fraction(w) * read)


def decode_step(
    model: Transformer | str,
    *,
    batch: int,
    context: int,
    memory_bytes_per_s: float,
    flops_per_s: float,
    window: int | None = None,
    ranks: int = 1,
    element_bytes: float = 2,
) -> DecodeStep:
    """Return how long a step takes that writes one token of each request, by part.

    Formula: $T = \\max\\left(\\frac{w\\,(N_\\text{rest} + N_\\text{routed} E_\\text{read}/E) + B\\,M_\\text{cache}}
        {R\\,\\beta_\\text{mem}}, \\frac{B\\,F}{R\\,u P}\\right)$
    Symbols: w = element_bytes; N_rest = weights that every token uses, without the
        token table; N_routed = routed experts; E_read =
        expected_experts_touched; E = experts; B = batch; M_cache = kv_cache_bytes of one request; R = ranks;
        \\beta_mem = memory_bytes_per_s; F = FLOPs of one token; uP = flops_per_s
    Chapter: 39

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with grouped queries.
        batch: requests that are written together.
        context: tokens of each request so far.
        memory_bytes_per_s: what one GPU reads.
        flops_per_s: what one GPU computes.
        window: tokens that every layer sees; ``None`` if all see everything.
        ranks: GPUs that share every matrix and every cache evenly.
        element_bytes: of a weight, and of a number in the cache.

    Returns:
        Seconds to read the weights, to read the caches, and to compute.

    Raises:
        ValueError: if the model has latent attention.

    Source: the roofline of chapter 2, the cache of chapter 34.
    Convention: reading and computing overlap; experts are chosen evenly and independently.
    Leaves out: sums between the ranks, launches, activations: what a real step takes besides for each layer.

    Example:
        >>> h100 = {"memory_bytes_per_s": 3.35e12, "flops_per_s": 643e12}
        >>> step = decode_step("Mixtral 8x7B", batch=16, context=2048, ranks=4, **h100)
        >>> round(1e3 * step.weights_s, 1), round(1e3 * step.cache_s, 2), round(1e3 * step.compute_s, 2)
        (6.9, 0.32, 0.17)
    """
    model, B = MODELS.find(model), positive_integer("batch", batch)
    s, R = positive_integer("context", context), positive_integer("ranks", ranks)
    beta = R * positive_number("memory_bytes_per_s", memory_bytes_per_s)
    rate = R * positive_number("flops_per_s", flops_per_s)
    if not isinstance(model.attention, Attention):
        raise ValueError(f"model must have grouped queries, got {model.name!r}, which has latents")
    seen = s if window is None else min(s, positive_integer("window", window))
    weights = decode_weight_bytes(model, batch=B, element_bytes=element_bytes)
    cache = B * kv_cache_bytes(model, sequence=seen, element_bytes=element_bytes)
    scores = 4 * model.layers * model.attention.heads * model.attention.head_size * seen
    flops = B * (2 * active_parameter_count(model, embeddings="head") + scores)
    named = ("memory_bytes_per_s", "memory_bytes_per_s", "flops_per_s")
    times = (weights / beta, cache / beta, flops / rate)
    return DecodeStep(*(as_float(f"{name}, batch and context", each) for name, each in zip(named, times, strict=True)))


def most_cached_requests(
    model: Transformer | str,
    *,
    context: int,
    memory_bytes: float,
    window: int | None = None,
    ranks: int = 1,
    element_bytes: float = 2,
) -> int:
    """Return how many requests a few GPUs can keep beside the weights.

    Formula: $\\left\\lfloor \\frac{R M - w N}{M_\\text{cache}} \\right\\rfloor$
    Symbols: R = ranks; M = memory_bytes; w = element_bytes; N = parameters; M_cache = kv_cache_bytes of one request
    Chapter: 39

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        context: tokens of each request.
        memory_bytes: of one GPU, as far as weights and caches may fill it.
        window: tokens that every layer sees and keeps; ``None`` if all are kept.
        ranks: GPUs that share weights and caches evenly.
        element_bytes: of a weight, and of a number in the cache.

    Returns:
        Requests; 0 if not even the weights fit.

    Source: derived; all experts have to be there, whichever are read.
    Convention: every byte of the memory given is used.
    Leaves out: activations, and pages of the cache that aren't full: give a smaller memory.

    Example:
        >>> most_cached_requests("Mistral 7B", context=32_768, memory_bytes=72e9)
        13
        >>> most_cached_requests("Mistral 7B", context=32_768, window=4096, memory_bytes=72e9)
        107
    """
    model, s = MODELS.find(model), positive_integer("context", context)
    R, M = positive_integer("ranks", ranks), positive_number("memory_bytes", memory_bytes)
    w = positive_number("element_bytes", element_bytes)
    seen = s if window is None else min(s, positive_integer("window", window))
    free = R * Fraction(M) - Fraction(w) * parameter_count(model)
    fitting = int(free // Fraction(kv_cache_bytes(model, sequence=seen, element_bytes=w)))
    return as_count("memory_bytes and element_bytes", max(0, fitting))


def expert_compute_bound_tokens(
    *,
    experts: int,
    experts_per_token: int,
    flops_per_s: float,
    memory_bytes_per_s: float,
    element_bytes: float = 2,
) -> float:
    """Return from how many tokens on an expert computes for longer than its weights are read.

    Formula: $B^* = \\frac Ek \\cdot \\frac{w\\,u P}{2\\,\\beta_\\text{mem}}$
    Symbols: B^* = the result; E = experts; k = experts_per_token; w = element_bytes; uP = flops_per_s;
        \\beta_mem = memory_bytes_per_s
    Chapter: 39

    Args:
        experts: of a layer; 1 for a dense block.
        experts_per_token: how many of them a token goes to, at most experts.
        flops_per_s: what the GPU computes.
        memory_bytes_per_s: what it reads.
        element_bytes: of a weight.

    Returns:
        Tokens of a step, of all experts together.

    Source: chapter 2's batch of a matmul, of which an even router gives an expert a share k/E.
    Convention: an even share; the weights alone are read.
    Leaves out: activations, which chapter 2 counts.

    Example:
        >>> rates = {"flops_per_s": 643e12, "memory_bytes_per_s": 3.35e12}
        >>> round(expert_compute_bound_tokens(experts=8, experts_per_token=2, **rates))
        768
    """
    E, k = positive_integer("experts", experts), positive_integer("experts_per_token", experts_per_token)
    if k > E:
        raise ValueError(f"experts_per_token must be an integer of at most experts = {E}, got {experts_per_token!r}")
    F = positive_number("flops_per_s", flops_per_s)
    w, beta = positive_number("element_bytes", element_bytes), positive_number("memory_bytes_per_s", memory_bytes_per_s)
    return as_float("flops_per_s, memory_bytes_per_s and element_bytes", E / k * w * F / (2 * beta))


def _rest(model: Transformer) -> int:
    """Return the weights that every token uses, without the table of which it uses a row."""
    routed = parameter_parts(model).routed_experts
    chosen = 0 if model.experts is None else routed * model.experts.per_token // model.experts.experts
    return active_parameter_count(model, embeddings="head") - chosen
