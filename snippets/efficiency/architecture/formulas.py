"""Formulas: what attention of each kind keeps of a token, compares it with, and sends along a context axis."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from snippets.domain import as_count, as_float, flag, named, positive_integer, positive_number
from snippets.flops import forward_flops
from snippets.models import MODELS, Attention, LatentAttention, Transformer
from snippets.parallelism.tensor.formulas import key_value_heads_per_rank

INDEXER_LOSSES = ("chosen", "all")


def window_pairs(sequence: int, *, window: int) -> int:
    """Return how many query-key pairs one head has in a sequence, if a token sees itself and a few before it.

    Also: sliding window attention, SWA, local attention
    Formula: $s\\,q - \\tfrac12 q\\,(q - 1), \\quad q = \\min(\\mathcal W, s)$
    Symbols: s = sequence; \\mathcal W = window; q = the part of the window that the sequence has
    Chapter: 34

    Args:
        sequence: tokens of one sequence.
        window: tokens that one sees at most, itself included.

    Returns:
        Pairs, exact; with a window of the sequence or more, those of a causal mask.

    Source: Beltagy et al. 2020 for windows; the first q tokens see 1, 2, … q, all others q.
    Convention: causal; the window counts the token itself, as Hugging Face's ``sliding_window`` does.
    Leaves out: pairs that a kernel computes in a block and then masks.

    Example:
        >>> window_pairs(6, window=3), window_pairs(6, window=6)
        (15, 21)
    """
    s = positive_integer("sequence", sequence)
    q = min(positive_integer("window", window), s)
    return s * q - q * (q - 1) // 2


def window_reach_tokens(*, layers: int, window: int) -> int:
    """Return how many tokens can reach one token's output through layers that see a window each.

    Also: receptive field
    Formula: $1 + L\\,(\\mathcal W - 1)$
    Symbols: L = layers; \\mathcal W = window
    Chapter: 34

    Args:
        layers: layers on top of one another, each with the window.
        window: tokens that one sees in a layer, itself included.

    Returns:
        Tokens, the one itself included.

    Source: Jiang et al. 2023 (Mistral 7B), section 2; exactly, because each layer adds 𝒲 − 1 tokens.
    Convention: causal.
    Leaves out: how little of a far token's content gets through.

    Example:
        >>> window_reach_tokens(layers=32, window=4096)
        131041
    """
    L, W = positive_integer("layers", layers), positive_integer("window", window)
    return as_count("layers and window", 1 + L * (W - 1))


def full_attention_layers(layers: int, *, full_every: int) -> int:
    """Return how many layers see the whole sequence, if the last of each few does.

    Also: local and global layers, sliding window pattern
    Formula: $L_\\text{full} = \\lfloor L / q \\rfloor$
    Symbols: L = layers; q = full_every
    Chapter: 34

    Args:
        layers: layers of the model.
        full_every: one layer of so many sees everything; 1 for all layers.

    Returns:
        Layers; 0 if the model has fewer than ``full_every``.

    Source: Hugging Face's ``Gemma3TextConfig``: layers 6, 12, 18, … are full, the rest have windows.
    Convention: the pattern begins with windows; a rest at the end has windows too.
    Leaves out: models whose pattern begins with a full layer.

    Example:
        >>> full_attention_layers(80, full_every=6)
        13
    """
    return positive_integer("layers", layers) // positive_integer("full_every", full_every)


def with_latents(
    model: Transformer | str, *, query_rank: int = 1536, key_value_rank: int = 512, rotary_size: int = 64
) -> Transformer:
    """Return a model with latent attention in place of its own, with as many heads of the same size.

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with grouped queries.
        query_rank: width of the latent of queries.
        key_value_rank: width of the latent of keys and values.
        rotary_size: width of the key that carries the position.

    Returns:
        The configuration; its values have the size of a head. The defaults are DeepSeek-V3's.

    Raises:
        ValueError: if the model has latents already.

    Source: DeepSeek-AI 2024 (DeepSeek-V3), section 4.2, for the widths.
    Convention: all else stays, so that the number of parameters changes.
    Leaves out: whether such a model learns as well.

    Example:
        >>> with_latents("Llama 3 70B").attention.key_value_rank
        512
    """
    model = MODELS.find(model)
    if not isinstance(model.attention, Attention):
        raise ValueError(f"model must have grouped queries, got {model.name!r}, which has latents")
    size = model.attention.head_size
    latents = LatentAttention(
        heads=model.attention.heads,
        query_rank=positive_integer("query_rank", query_rank),
        key_value_rank=positive_integer("key_value_rank", key_value_rank),
        head_size=size,
        rotary_size=positive_integer("rotary_size", rotary_size),
        value_size=size,
    )
    return replace(model, name=f"{model.name} with latents", attention=latents)


def kv_cache_token_bytes(model: Transformer | str, *, element_bytes: float = 2) -> float:
    """Return what a model that generates text keeps of one token, over all layers, if none has a window.

    Also: KV cache per token, key-value cache
    Formula: $2 L\\,a_\\text{kv}\\,h_\\text{head}\\,w \\;\\text{ or }\\; L\\,(h_\\text{c} + h_\\text{r})\\,w$
    Symbols: L = layers; a_kv = heads of keys; h_head = size of a head; w = element_bytes; h_c = width of the latent;
        h_r = width of the key that carries the position; the second with latent attention
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        element_bytes: of a number in the cache.

    Returns:
        Bytes a token, of one copy.

    Source: Shazeer 2019 (multi-query), Ainslie et al. 2023 (grouped queries), DeepSeek-AI 2024 (latents).
    Convention: keys and values both; latents as they are, not the keys and values made of them.
    Leaves out: copies on several GPUs, and what a server wastes in its last page.

    Example:
        >>> kv_cache_token_bytes("Llama 3 70B"), kv_cache_token_bytes("DeepSeek-V3")
        (327680.0, 70272.0)
    """
    model, w = MODELS.find(model), positive_number("element_bytes", element_bytes)
    return as_float("model and element_bytes", Fraction(w) * model.layers * _cache_width(model))


def kv_cache_bytes(
    model: Transformer | str,
    *,
    sequence: int,
    window: int | None = None,
    full_every: int | None = None,
    tensor_parallel: int = 1,
    element_bytes: float = 2,
) -> float:
    """Return the bytes of keys and values that one rank keeps of a sequence.

    Also: KV cache, key-value cache
    Formula: $q\\,w\\,\\bigl(L_\\text{full}\\,s + (L - L_\\text{full}) \\min(\\mathcal W, s)\\bigr)$
    Symbols: q = numbers that a rank keeps of a token in a layer, of grouped queries 2 max(1, a_kv/t) h_head, of
        latents h_c + h_r; w = element_bytes; L = layers; L_full = full_attention_layers; s = sequence;
        \\mathcal W = window; t = tensor_parallel
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of the sequence so far.
        window: tokens that the other layers see; ``None`` if all layers see everything.
        full_every: one layer of so many sees everything, the last; ``None`` if the window holds for all layers.
        tensor_parallel: t, among which the heads are dealt. A latent belongs to all heads, so each rank keeps all.
        element_bytes: of a number in the cache.

    Returns:
        Bytes of one sequence on one rank.

    Raises:
        ValueError: if ``full_every`` is set without a window, or the heads can't be dealt evenly.

    Source: Shazeer 2019, Ainslie et al. 2023, DeepSeek-AI 2024; Gemma Team 2025 for windows in most layers.
    Convention: a layer with a window keeps the last 𝒲 tokens, one more than the next token sees of them.
    Leaves out: pages of a server that aren't full; a sequence that is itself cut among ranks, which divides all of it.

    Example:
        >>> kv_cache_bytes("Llama 3 70B", sequence=2**20, window=1024, full_every=6) / 1e9
        56.115593216
    """
    model, s = MODELS.find(model), positive_integer("sequence", sequence)
    t, w = positive_integer("tensor_parallel", tensor_parallel), positive_number("element_bytes", element_bytes)
    full, seen = _layers_and_window(model, s, window, full_every)
    tokens = full * s + (model.layers - full) * min(seen, s)
    return as_float("sequence and element_bytes", Fraction(w) * _cache_width(model, t) * tokens)


def long_context_flops_per_token(
    model: Transformer | str,
    *,
    sequence: int,
    window: int | None = None,
    full_every: int | None = None,
    absorbed: bool = False,
) -> float:
    """Return the FLOPs of a forward pass for one token, the mean over a sequence, windows and latents included.

    Also: FLOPs per token
    Formula: $2 N_\\text{matmul} + 2 a\\,(h_\\text{q} + h_\\text{v})\\,\\bigl(L_\\text{full}\\,\\tfrac{s + 1}{2}
        + (L - L_\\text{full})\\,\\tfrac{J}{s}\\bigr)$
    Symbols: N_matmul = weights of all matrices that a token meets; a = heads; h_q and h_v = widths of a key and of a
        value in the scores; L = layers; L_full = full_attention_layers; s = sequence; J = window_pairs
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of the sequence.
        window: tokens that the other layers see; ``None`` if all layers see everything.
        full_every: one layer of so many sees everything, the last; ``None`` if the window holds for all layers.
        absorbed: whether latent attention compares latents with latents, as it does to generate text.

    Returns:
        FLOP a token; a training step takes three times as many.

    Raises:
        ValueError: if ``full_every`` is set without a window, or ``absorbed`` without latent attention.

    Source: Narayanan et al. 2021, appendix, for the terms; DeepSeek-AI 2024 for latents; derived for windows.
    Convention: a multiply-add is 2; causal, exact; the table of tokens isn't a matmul, the head is.
    Leaves out: norms, softmax, rotations; pairs that a kernel computes and then masks; with ``absorbed`` the change
        in the projections, which is the same for every length.

    Example:
        >>> f"{long_context_flops_per_token('Llama 3 70B', sequence=8192):.3e}"
        '1.497e+11'
    """
    model, s = MODELS.find(model), positive_integer("sequence", sequence)
    full, seen = _layers_and_window(model, s, window, full_every)
    pairs = full * window_pairs(s, window=s) + (model.layers - full) * window_pairs(s, window=seen)
    scores = Fraction(2 * _score_width(model, absorbed) * pairs, s)
    return as_float("sequence", _matmul_flops(model) + scores)


def sparse_attention_flops_per_token(
    model: Transformer | str, *, sequence: int, chosen: int, index_heads: int = 64, index_size: int = 128
) -> float:
    """Return the FLOPs of a forward pass for one token, if a small indexer chooses the tokens that it attends to.

    Also: DSA, DeepSeek sparse attention, lightning indexer
    Formula: $2 N_\\text{matmul} + 2 L\\,\\bigl(a_\\text{i}\\,h_\\text{i}\\,\\tfrac{s + 1}{2}
        + a\\,(h_\\text{q} + h_\\text{v})\\,\\tfrac{J}{s}\\bigr)$
    Symbols: N_matmul = weights of all matrices that a token meets; L = layers; a_i = index_heads; h_i = index_size;
        s = sequence; a = heads; h_q and h_v = widths of a key and of a value in the scores, of latents absorbed;
        J = window_pairs with chosen in the place of the window
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of the sequence.
        chosen: tokens that one attends to at most, itself included.
        index_heads: heads of the indexer, which compares every pair.
        index_size: width of such a head, and of the one index key of a token.

    Returns:
        FLOP a token; for training see ``sparse_attention_training_flops_per_token``.

    Source: DeepSeek-AI 2025 (DeepSeek-V3.2): 64 heads of 128, 2,048 chosen, latents absorbed.
    Convention: a multiply-add is 2; causal, exact.
    Leaves out: the indexer's projections, and that it may compute in 8 bits; the choice itself.

    Example:
        >>> f"{sparse_attention_flops_per_token('DeepSeek-V3', sequence=131_072, chosen=2048):.3e}"
        '1.733e+11'
    """
    model, s = MODELS.find(model), positive_integer("sequence", sequence)
    k, width = positive_integer("chosen", chosen), positive_integer("index_heads", index_heads)
    width *= positive_integer("index_size", index_size)
    latent = isinstance(model.attention, LatentAttention)
    pairs = width * window_pairs(s, window=s) + _score_width(model, latent) * window_pairs(s, window=k)
    return as_float("sequence and index_heads", _matmul_flops(model) + Fraction(2 * model.layers * pairs, s))


def sparse_attention_training_flops_per_token(
    model: Transformer | str,
    *,
    sequence: int,
    chosen: int,
    loss: str = "chosen",
    index_heads: int = 64,
    index_size: int = 128,
) -> float:
    """Return the FLOPs of training on one token, forward and backward, with an indexer that has a loss of its own.

    The indexer is taught the attention's own weights. Forward it compares every pair, because it has to choose.
    Backward it has gradients for the pairs that its loss covers: the chosen ones, or all of them. A loss on all pairs
    also needs the attention's scores for all of them, forward alone, as what is to be learned.

    Formula: $3 F - 4 L\\,a_\\text{i}\\,h_\\text{i}\\,\\tfrac{J_1 - J}{s}
        \\;\\text{ or }\\; 3 F + 2 L\\,a\\,h_\\text{q}\\,\\tfrac{J_1}{s}$
    Symbols: F = sparse_attention_flops_per_token; L = layers; a_i = index_heads; h_i = index_size; J_1 = pairs of a
        causal mask; J = window_pairs with chosen in the place of the window; s = sequence; a = heads; h_q = width of
        a key, of latents as keys are made of them; the second with the loss on all pairs
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of the sequence.
        chosen: tokens that one attends to at most, itself included.
        loss: which pairs the indexer's loss covers, ``"chosen"`` or ``"all"``.
        index_heads: heads of the indexer, which compares every pair.
        index_size: width of such a head, and of the one index key of a token.

    Returns:
        FLOP a token.

    Source: DeepSeek-AI 2025 (DeepSeek-V3.2), as restated, for a main stage with the loss on chosen pairs after a short
        one on all; Megatron-LM pull request 7157 for the backward pass on chosen pairs.
    Convention: a multiply-add is 2; causal, exact; the indexer's input is detached, the choice is kept for the backward
        pass.
    Leaves out: the indexer's projections, the choice itself, recomputing, and that an indexer may compute in 8 bits.

    Example:
        >>> f"{sparse_attention_training_flops_per_token('DeepSeek-V3', sequence=131_072, chosen=2048):.3e}"
        '3.929e+11'
    """
    model, s = MODELS.find(model), positive_integer("sequence", sequence)
    k, covered = positive_integer("chosen", chosen), named("loss", loss, INDEXER_LOSSES)
    width = positive_integer("index_heads", index_heads) * positive_integer("index_size", index_size)
    forward = Fraction(
        sparse_attention_flops_per_token(model, sequence=s, chosen=k, index_heads=index_heads, index_size=index_size)
    )
    causal = window_pairs(s, window=s)
    if covered == "chosen":
        more = Fraction(-4 * model.layers * width * (causal - window_pairs(s, window=k)), s)
    else:
        attention = model.attention
        rotary = attention.rotary_size if isinstance(attention, LatentAttention) else 0
        more = Fraction(2 * model.layers * attention.heads * (attention.head_size + rotary) * causal, s)
    return as_float("sequence and index_heads", 3 * forward + more)


def attention_crossover_tokens(model: Transformer | str) -> float:
    """Return the length at which comparing tokens takes as many FLOPs as all matrices of weights.

    Formula: $s^* = \\frac{2 N_\\text{matmul}}{L\\,a\\,(h_\\text{q} + h_\\text{v})}$
    Symbols: s* = the result in tokens; N_matmul = weights of all matrices that a token meets; L = layers; a = heads;
        h_q and h_v = widths of a key and of a value
    Chapter: 34

    Args:
        model: a name in ``MODELS``, or a configuration of your own; all its layers see everything.

    Returns:
        Tokens, for a token that sees half of the sequence on average.

    Source: the two terms of ``long_context_flops_per_token``, set equal, with s in place of s + 1.
    Convention: causal; forward and backward alike.
    Leaves out: that a GPU may reach different rates in the two.

    Example:
        >>> round(attention_crossover_tokens("Llama 3 70B"))
        106051
    """
    model = MODELS.find(model)
    return as_float("model", Fraction(_matmul_flops(model), model.layers * _score_width(model)))


def window_halo_bytes(*, window: int, kv_width: int, element_bytes: float = 2) -> float:
    """Return what a rank sends to the next one for a layer with a window, in one forward pass.

    Also: halo exchange
    Formula: $2\\,(\\mathcal W - 1)\\,h_\\text{kv}\\,w$
    Symbols: \\mathcal W = window; h_kv = kv_width; w = element_bytes
    Chapter: 34

    Args:
        window: tokens that one sees, itself included; a rank has at least one less.
        kv_width: numbers of a token's key, and of its value, on one rank.
        element_bytes: of a number.

    Returns:
        Bytes; 0 for a window of 1. The backward pass sends as much again, and as much of gradients back.

    Source: derived; the last 𝒲 − 1 tokens of a rank are seen from the next one.
    Convention: sent by one rank that isn't the last; each rank has one stretch of the sequence.
    Leaves out: stretches shorter than the window; zigzag, where a rank has two and sends twice as much.

    Example:
        >>> window_halo_bytes(window=1024, kv_width=1024)
        4190208.0
    """
    W, width = positive_integer("window", window), positive_integer("kv_width", kv_width)
    w = positive_number("element_bytes", element_bytes)
    return as_float("window, kv_width and element_bytes", 2 * (W - 1) * width * Fraction(w))


def _layers_and_window(
    model: Transformer, sequence: int, window: int | None, full_every: int | None
) -> tuple[int, int]:
    """Return how many layers see everything, and what the others see."""
    every = None if full_every is None else positive_integer("full_every", full_every)
    if window is None:
        if every is not None:
            raise ValueError(f"full_every must be None without a window, got {every}")
        return model.layers, sequence
    seen = positive_integer("window", window)
    return (0 if every is None else full_attention_layers(model.layers, full_every=every)), seen


def _cache_width(model: Transformer, tensor_parallel: int = 1) -> int:
    """Return the numbers that a rank keeps of a token in one layer."""
    attention = model.attention
    if isinstance(attention, LatentAttention):
        return attention.key_value_rank + attention.rotary_size
    kept = key_value_heads_per_rank(
        heads=attention.heads, key_value_heads=attention.key_value_heads, tensor_parallel=tensor_parallel
    )
    return 2 * kept * attention.head_size


def _score_width(model: Transformer, absorbed: bool = False) -> int:
    """Return the multiply-adds of one layer for one pair of a query and a key, over all heads."""
    attention, latents = model.attention, flag("absorbed", absorbed)
    if isinstance(attention, LatentAttention):
        if latents:
            return attention.heads * (2 * attention.key_value_rank + attention.rotary_size)
        return attention.heads * (attention.head_size + attention.rotary_size + attention.value_size)
    if latents:
        raise ValueError("absorbed must be False where attention has no latents, got True")
    return attention.heads * 2 * attention.head_size


def _matmul_flops(model: Transformer) -> int:
    """Return the FLOPs of a forward pass of one token in all matrices of weights."""
    alone = forward_flops(model, batch=1, sequence=1)  # its pairs are one a head and layer, with itself
    return alone - 2 * model.layers * _score_width(model)
