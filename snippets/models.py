"""Formulas: published transformer configurations, and the exact parameter counts that follow from them.

A model is data: its widths, depths and options as its configuration file prints them. The counts are sums of products
of those numbers, part by part, as integers. ``model_from_config`` reads a configuration file of your own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from snippets.domain import (
    Answers,
    Catalogue,
    flag,
    integer_at_least,
    integer_fields,
    named,
    one_of,
    positive_integer,
    shortened,
    text,
    text_fields,
)

READ = "2026-11-21"

EMBEDDINGS = ("both", "head", "none")
QUERY_KEY_NORMS = ("none", "head", "whole")


@dataclass(frozen=True)
class Attention(Answers):
    """Multi-head attention; with fewer key-value heads than heads, grouped-query attention.

    Attributes:
        heads: query heads.
        key_value_heads: key heads, and as many value heads; a divisor of ``heads``.
        head_size: width of one head.
        query_key_value_bias: whether the three input projections have biases.
        output_bias: whether the output projection has one.
        query_key_norm: which norm queries and keys pass through: ``"none"``; ``"head"``, with one scale of the width of
            a head for all queries and one for all keys (Qwen3, Gemma 3); ``"whole"``, with scales of the width of all
            query heads and of all key heads (OLMo 2).

    Raises:
        ValueError: if a size is no integer of at least 1, or ``key_value_heads`` does not divide ``heads``.

    >>> Attention(heads=32, key_value_heads=8, head_size=128).key_value_heads
    8
    """

    heads: int
    key_value_heads: int
    head_size: int
    query_key_value_bias: bool = False
    output_bias: bool = False
    query_key_norm: str = "none"

    def __post_init__(self) -> None:
        integer_fields(self, "heads", "key_value_heads", "head_size")
        _check_flags(self, "query_key_value_bias", "output_bias")
        one_of("query_key_norm", self.query_key_norm, QUERY_KEY_NORMS)
        if self.heads % self.key_value_heads:
            raise ValueError(f"key_value_heads must be a divisor of heads = {self.heads}, got {self.key_value_heads}")


@dataclass(frozen=True)
class LatentAttention(Answers):
    """Multi-head latent attention: queries, and keys with values, pass through narrow latents.

    Attributes:
        heads: heads.
        query_rank: width of the query latent.
        key_value_rank: width of the latent from which keys and values are made.
        head_size: width of the part of a query or key without position.
        rotary_size: width of the part that carries position; all heads share one such key.
        value_size: width of a value.

    >>> MODELS["DeepSeek-V3"].attention.heads
    128
    >>> LatentAttention(heads=16, query_rank=96, key_value_rank=32, head_size=8, rotary_size=4, value_size=8).heads
    16
    """

    heads: int
    query_rank: int
    key_value_rank: int
    head_size: int
    rotary_size: int
    value_size: int

    def __post_init__(self) -> None:
        integer_fields(self, *(field.name for field in fields(self)))


@dataclass(frozen=True)
class FeedForward(Answers):
    """A dense feed-forward block: two matrices, or three where it is gated (SwiGLU).

    >>> FeedForward(width=11008, gated=True).width
    11008
    """

    width: int
    gated: bool
    bias: bool = False

    def __post_init__(self) -> None:
        integer_fields(self, "width")
        _check_flags(self, "gated", "bias")


@dataclass(frozen=True)
class Experts(Answers):
    """A mixture of experts: a router sends each token to ``per_token`` of ``experts`` blocks; all use the shared ones.

    Attributes:
        experts: routed experts of one layer.
        per_token: how many of them one token uses.
        width: inner width of one expert, routed or shared.
        shared: experts that every token uses.
        gated: whether an expert has three matrices (SwiGLU).
        router_bias: whether the router keeps one number more an expert (DeepSeek-V3's balancing term). It is in the
            checkpoint, though no gradient trains it.

    Raises:
        ValueError: if a size is out of its domain, or a token uses more experts than there are.

    >>> Experts(experts=8, per_token=2, width=14336).shared
    0
    """

    experts: int
    per_token: int
    width: int
    shared: int = 0
    gated: bool = True
    router_bias: bool = False

    def __post_init__(self) -> None:
        integer_fields(self, "experts", "per_token", "width")
        integer_fields(self, "shared", minimum=0)
        _check_flags(self, "gated", "router_bias")
        if self.per_token > self.experts:
            raise ValueError(f"per_token must be an integer of at most experts = {self.experts}, got {self.per_token}")


@dataclass(frozen=True)
class Transformer(Answers):
    """A decoder-only transformer, as its configuration file describes it.

    Attributes:
        name: what its makers call it.
        layers: transformer blocks.
        hidden: width of the residual stream.
        vocabulary: rows of the token table.
        attention: every layer's attention.
        feed_forward: the dense feed-forward block; ``None`` where every layer has experts.
        experts: the mixture of experts; ``None`` in a dense model.
        expert_layers: how many layers have experts instead of ``feed_forward``.
        positions: rows of a learned position table; 0 where positions are rotary.
        norm_bias: whether a norm has a shift besides its scale (layer norm has, RMS norm has not).
        tied: whether the output head is the token table.
        source: where the configuration is published.
        read: when it was read.
        norms_per_layer: norms of the residual stream's width in a layer; those inside the attention are not among them.

    Raises:
        TypeError: if a block is of the wrong kind.
        ValueError: if a size is out of its domain, or the blocks do not fit ``expert_layers``.

    >>> MODELS["Llama 3 8B"].layers
    32
    >>> from dataclasses import replace
    >>> replace(MODELS["Mixtral 8x7B"], name="half of it", layers=16, expert_layers=16).layers
    16
    """

    name: str
    layers: int
    hidden: int
    vocabulary: int
    attention: Attention | LatentAttention
    feed_forward: FeedForward | None
    experts: Experts | None = None
    expert_layers: int = 0
    positions: int = 0
    norm_bias: bool = False
    tied: bool = False
    source: str = ""
    read: str = READ
    norms_per_layer: int = 2

    def __post_init__(self) -> None:
        text_fields(self, "name", "source", "read")
        integer_fields(self, "layers", "hidden", "vocabulary", "norms_per_layer")
        integer_fields(self, "positions", "expert_layers", minimum=0)
        _check_flags(self, "norm_bias", "tied")
        _check_kind("attention", self.attention, Attention, LatentAttention)
        _check_kind("feed_forward", self.feed_forward, FeedForward, type(None))
        _check_kind("experts", self.experts, Experts, type(None))
        if self.expert_layers > self.layers:
            raise ValueError(f"expert_layers must be at most layers = {self.layers}, got {self.expert_layers}")
        if (self.experts is None) != (self.expert_layers == 0):
            raise ValueError(f"expert_layers must be 0 exactly where experts is None, got {self.expert_layers}")
        if (self.feed_forward is None) != (self.expert_layers == self.layers):
            raise ValueError(
                f"feed_forward must be None exactly where all layers have experts, got {self.expert_layers}"
            )


@dataclass(frozen=True)
class Parts:
    """A parameter count by part. Each is over all layers; ``total`` is their sum.

    >>> Parts(token_embedding=6, attention=4).total
    10
    """

    token_embedding: int = 0
    position_embedding: int = 0
    attention: int = 0
    feed_forward: int = 0
    routed_experts: int = 0
    shared_experts: int = 0
    router: int = 0
    norms: int = 0
    head: int = 0

    @property
    def total(self) -> int:
        """The sum of all parts.

        >>> Parts(head=1, norms=2).total
        3
        """
        return sum(getattr(self, field.name) for field in fields(self))


def attention_parameters(attention: Attention | LatentAttention, *, hidden: int) -> int:
    """Return the parameters of one layer's attention, its inner norms left out.

    Formula: $2 h\\, (a + a_\\text{kv})\\, h_\\text{head}$
    Symbols: h = hidden; a = attention.heads; a_kv = attention.key_value_heads; h_head = attention.head_size
    Chapter: 1

    Args:
        attention: its heads and widths.
        hidden: width of the residual stream.

    Returns:
        Parameters of the query, key, value and output projections, and aq + 2gq + d biases where they have them. For
        latent attention d·r + r·a(q + p) + d(c + p) + c·a(q + v) + a·v·d with r = query_rank, c = key_value_rank,
        p = rotary_size and v = value_size.

    Raises:
        TypeError: if ``attention`` is neither ``Attention`` nor ``LatentAttention``.
        ValueError: if ``hidden`` is no integer of at least 1.

    Source: Vaswani et al. 2017; Ainslie et al. 2023 (grouped queries); DeepSeek-V2 2024 (latent attention).
    Convention: one layer.
    Leaves out: norms of latents, queries and keys, which ``parameter_parts`` counts with the norms.

    Example:
        >>> attention_parameters(Attention(heads=32, key_value_heads=8, head_size=128), hidden=4096)
        41943040
    """
    hidden = positive_integer("hidden", hidden)
    _check_kind("attention", attention, Attention, LatentAttention)
    if isinstance(attention, LatentAttention):
        query = attention.query_rank * (hidden + attention.heads * (attention.head_size + attention.rotary_size))
        latent = hidden * (attention.key_value_rank + attention.rotary_size)
        expand = attention.key_value_rank * attention.heads * (attention.head_size + attention.value_size)
        return query + latent + expand + attention.heads * attention.value_size * hidden
    query_width = attention.heads * attention.head_size
    key_value_width = 2 * attention.key_value_heads * attention.head_size
    weights = hidden * (2 * query_width + key_value_width)
    biases = (query_width + key_value_width) * attention.query_key_value_bias + hidden * attention.output_bias
    return weights + biases


def feed_forward_parameters(*, hidden: int, width: int, gated: bool, bias: bool = False) -> int:
    """Return the parameters of one feed-forward block.

    Formula: $(2 + z)\\, h\\, h_\\text{ff} + y\\, \\bigl((1 + z)\\, h_\\text{ff} + h\\bigr)$
    Symbols: h = hidden; h_ff = width; z = gated; y = bias (each 1 for True, 0 for False)
    Chapter: 1

    Args:
        hidden: width of the residual stream.
        width: inner width.
        gated: whether a third matrix gates the inner activations (SwiGLU, GEGLU).
        bias: whether each matrix has a bias.

    Returns:
        Parameters of the block.

    Source: Vaswani et al. 2017, section 3.3; Shazeer 2020 (gated variants).
    Convention: one block.
    Leaves out: the norm in front of it.

    Example:
        >>> feed_forward_parameters(hidden=4096, width=11008, gated=True)
        135266304
    """
    hidden, width = positive_integer("hidden", hidden), positive_integer("width", width)
    gated, bias = flag("gated", gated), flag("bias", bias)
    inner = 1 + gated
    return (inner + 1) * hidden * width + (inner * width + hidden) * bias


def parameter_parts(model: Transformer | str) -> Parts:
    """Return a model's parameters by part, over all its layers.

    Formula: $N = V h + z h + L\\,(N_\\text{att} + y q + N_\\text{in}) + L_\\text{dense} N_\\text{ff}
        + L_\\text{e}\\,(E + E_\\text{s})\\, N_\\text{e} + L_\\text{e} E h + q + V h$
    Symbols: V = vocabulary; h = hidden; z = positions; L = layers; N_att = attention_parameters; y = norms_per_layer;
        q = h or 2h (a norm); N_in = the norms inside the attention: of latents, or of queries and keys;
        N_ff = feed_forward_parameters of the L_dense dense layers; L_e = expert_layers; E = experts; E_s = shared;
        N_e = parameters of one expert; E h is the router; the last V h only where the head is not tied
    Chapter: 1

    Args:
        model: a name in ``MODELS``, or a configuration of your own.

    Returns:
        The exact counts. A tied head counts once, as the token table.

    Source: the models' published configurations and checkpoints.
    Convention: every number in the checkpoint's main model, a router's balancing term included.
    Leaves out: multi-token-prediction heads (DeepSeek-V3's checkpoint of 685B has one) and rotary tables.

    Example:
        >>> parameter_parts("GPT-2 124M").total
        124439808
    """
    return _parts_of(MODELS.find(model))


@lru_cache
def _parts_of(model: Transformer) -> Parts:
    hidden, dense = model.hidden, model.feed_forward
    norm = hidden * (1 + model.norm_bias)
    parts = Parts(
        token_embedding=model.vocabulary * hidden,
        position_embedding=model.positions * hidden,
        attention=model.layers * attention_parameters(model.attention, hidden=hidden),
        norms=model.layers * (model.norms_per_layer * norm + _inner_norms(model.attention)) + norm,
        head=0 if model.tied else model.vocabulary * hidden,
    )
    if dense is not None:
        block = feed_forward_parameters(hidden=hidden, width=dense.width, gated=dense.gated, bias=dense.bias)
        parts = replace(parts, feed_forward=(model.layers - model.expert_layers) * block)
    if model.experts is not None:
        expert = feed_forward_parameters(hidden=hidden, width=model.experts.width, gated=model.experts.gated)
        parts = replace(
            parts,
            routed_experts=model.expert_layers * model.experts.experts * expert,
            shared_experts=model.expert_layers * model.experts.shared * expert,
            router=model.expert_layers * model.experts.experts * (hidden + model.experts.router_bias),
        )
    return parts


def _inner_norms(attention: Attention | LatentAttention) -> int:
    """Return the parameters of the norms inside one layer's attention."""
    if isinstance(attention, LatentAttention):
        return attention.query_rank + attention.key_value_rank
    heads = {"none": 0, "head": 2, "whole": attention.heads + attention.key_value_heads}
    return heads[attention.query_key_norm] * attention.head_size


def parameter_count(model: Transformer | str) -> int:
    """Return a model's parameters, all of them.

    Also: model size, number of parameters
    Formula: $N = \\sum_{\\text{parts}} N_i$
    Symbols: N = the result; N_i = the fields of parameter_parts(model)
    Chapter: 1

    Args:
        model: a name in ``MODELS``, or a configuration of your own.

    Returns:
        The exact count.

    Source: the models' published configurations.
    Convention: embeddings included; a tied head once.
    Leaves out: what ``parameter_parts`` leaves out.

    Example:
        >>> parameter_count("Llama 2 7B")
        6738415616
    """
    return parameter_parts(model).total


def active_parameter_parts(model: Transformer | str) -> Parts:
    """Return the parameters that one token's forward pass uses, by part.

    Formula: $N_\\text{routed, token} = \\frac{k}{E}\\, N_\\text{routed}$
    Symbols: N_routed,token = routed_experts of the result; N_routed = routed_experts of parameter_parts(model);
        k = per_token; E = experts
    Chapter: 20

    Args:
        model: a name in ``MODELS``, or a configuration of your own.

    Returns:
        As ``parameter_parts``, with only the routed experts that one token visits. The whole router works for every
        token, and so do the shared experts.

    Source: Mixtral of Experts 2024, section 2.1 (sparse and active parameter count).
    Convention: both tables count in full, though a token reads one row of the first: see ``active_parameter_count``.
    Leaves out: what ``parameter_parts`` leaves out.

    Example:
        >>> active_parameter_parts("Mixtral 8x7B").routed_experts
        11274289152
    """
    model = MODELS.find(model)
    parts = parameter_parts(model)
    if model.experts is None:
        return parts
    return replace(parts, routed_experts=parts.routed_experts // model.experts.experts * model.experts.per_token)


def active_parameter_count(model: Transformer | str, *, embeddings: str = "both") -> int:
    """Return how many parameters one token's forward pass uses.

    Also: active parameters, activated parameters
    Formula: $N_\\text{token} = N - \\left(1 - \\frac{k}{E}\\right) N_\\text{routed} - N_\\text{tables}$
    Symbols: N_token = the result; N = parameter_count(model); N_routed = its routed experts; k = per_token;
        E = experts; N_tables = the tables that embeddings leaves out
    Chapter: 20

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        embeddings: which tables count. ``"both"``: token table, positions and head. ``"head"``: only the output head,
            since reading a row of a table costs no arithmetic. ``"none"``: none of them.

    Returns:
        The exact count.

    Source: Mixtral of Experts 2024 (12.9B: both tables); DeepSeek-V3 2024 (37B); Kaplan et al. 2020, section 2.1
        (none). DeepSeek-V3's README_WEIGHTS.md prints 36.7B and says that both tables are in it; by its configuration
        it is 37.55B with both and 36.63B with one.
    Convention: a tied table is one matrix: ``"both"`` and ``"head"`` count it once.
    Leaves out: what ``parameter_parts`` leaves out.

    Example:
        >>> active_parameter_count("DeepSeek-V3") / 1e9
        37.552297472
        >>> active_parameter_count("DeepSeek-V3", embeddings="head") / 1e9
        36.625618432
    """
    model, embeddings = MODELS.find(model), named("embeddings", embeddings, EMBEDDINGS)
    parts = active_parameter_parts(model)
    if embeddings == "both":
        return parts.total
    blocks = parts.total - parts.token_embedding - parts.position_embedding - parts.head
    return blocks if embeddings == "none" else blocks + model.vocabulary * model.hidden


def gpt_parameter_count(*, layers: int, hidden: int, vocabulary: int, positions: int) -> int:
    """Return the parameters of a GPT by the closed form that Megatron's papers use.

    Formula: $N = 12 L h^2 \\left(1 + \\frac{13}{12 h} + \\frac{V + z}{12 L h}\\right)$
    Symbols: N = the result; L = layers; h = hidden; V = vocabulary; z = positions
    Chapter: 1

    Args:
        layers: transformer blocks.
        hidden: width of the residual stream; the inner width is 4 times it.
        vocabulary: rows of the token table, which is also the head.
        positions: rows of the learned position table.

    Returns:
        The exact count, 12Ld² + 13Ld + (V + s)d.

    Source: Narayanan et al. 2021, equation 2.
    Convention: biases and both layer norms of a block count; the head is tied.
    Leaves out: the last layer norm, 2d parameters.

    Example:
        >>> gpt_parameter_count(layers=96, hidden=12288, vocabulary=51200, positions=2048)
        174615822336
    """
    layers, hidden = positive_integer("layers", layers), positive_integer("hidden", hidden)
    rows = positive_integer("vocabulary", vocabulary) + positive_integer("positions", positions)
    return 12 * layers * hidden**2 + 13 * layers * hidden + rows * hidden


def gpt_like(
    name: str, *, layers: int, hidden: int, heads: int, vocabulary: int = 50257, positions: int = 0, source: str = ""
) -> Transformer:
    """Return a configuration like GPT-2's: biases and layer norms, an inner width of 4 times ``hidden``, a tied head.

    Args:
        name: what it is called.
        layers: transformer blocks.
        hidden: width of the residual stream; a multiple of ``heads``.
        heads: attention heads.
        vocabulary: rows of the token table.
        positions: rows of a learned position table; 0 for none.
        source: where it is published.

    Returns:
        The configuration, for whatever takes a model.

    Source: GPT-2's released checkpoints; Brown et al. 2020 follow them.

    Example:
        >>> parameter_count(gpt_like("mine", layers=12, hidden=768, heads=12, positions=1024))
        124439808
    """
    size = _head_size(hidden, heads)
    return Transformer(
        name=name,
        layers=layers,
        hidden=hidden,
        vocabulary=vocabulary,
        attention=Attention(heads, heads, size, query_key_value_bias=True, output_bias=True),
        feed_forward=FeedForward(4 * hidden, gated=False, bias=True),
        positions=positions,
        norm_bias=True,
        tied=True,
        source=source,
    )


def llama_like(
    name: str,
    *,
    layers: int,
    hidden: int,
    heads: int,
    width: int,
    vocabulary: int,
    key_value_heads: int | None = None,
    source: str = "",
) -> Transformer:
    """Return a configuration like Llama's: no biases, RMS norms, rotary positions, gated feed-forward blocks.

    Args:
        name: what it is called.
        layers: transformer blocks.
        hidden: width of the residual stream; a multiple of ``heads``.
        heads: query heads.
        width: inner width of a feed-forward block.
        vocabulary: rows of the token table, and columns of the head, which is not tied to it.
        key_value_heads: heads of keys and of values; ``heads`` if ``None``.
        source: where it is published.

    Returns:
        The configuration, for whatever takes a model.

    Source: Touvron et al. 2023 (LLaMA).

    Example:
        >>> parameter_count(llama_like("mine", layers=32, hidden=4096, heads=32, width=11008, vocabulary=32000))
        6738415616
    """
    size = _head_size(hidden, heads)
    return Transformer(
        name=name,
        layers=layers,
        hidden=hidden,
        vocabulary=vocabulary,
        attention=Attention(heads, heads if key_value_heads is None else key_value_heads, size),
        feed_forward=FeedForward(width, gated=True),
        source=source,
    )


MODEL_TYPES = (
    "deepseek_v2",
    "deepseek_v3",
    "gemma",
    "gemma2",
    "gemma3_text",
    "gpt2",
    "gpt_neox",
    "llama",
    "mistral",
    "mixtral",
    "olmo2",
    "phi3",
    "qwen2",
    "qwen3",
    "qwen3_moe",
)
# What these architectures have, though no key of their files says so.
_HEAD_SIZE_GIVEN = ("gemma", "gemma2", "gemma3_text", "qwen3", "qwen3_moe")
_KEY_VALUE_HEADS_LEFT_OUT = ("llama", "olmo2", "phi3")
_ATTENTION_BIAS_READ = ("gemma", "gemma2", "gemma3_text", "llama", "olmo2", "qwen3", "qwen3_moe")
_TIED_UNLESS_SAID = ("gemma", "gemma2", "gemma3_text", "gpt2")
_FOUR_NORMS = ("gemma2", "gemma3_text")
_QUERY_KEY_NORM = {"gemma3_text": "head", "olmo2": "whole", "qwen3": "head", "qwen3_moe": "head"}


def model_from_config(config: Mapping[str, Any], *, name: str = "") -> Transformer:
    """Return the configuration that a Hugging Face ``config.json`` describes.

    Args:
        config: what the file holds, as ``json.load`` returns it. Its ``model_type`` must be one of ``MODEL_TYPES``.
        name: what the model is called; what the file says, or else its ``model_type``, unless given.

    Returns:
        The configuration, for whatever takes a model.

    Raises:
        ValueError: if the architecture is none of ``MODEL_TYPES``, if a key is missing or out of its domain, or if it
            says of a mixture of experts what ``Transformer`` cannot describe. The message names the key.

    Source: the classes of Hugging Face transformers for these architectures: which matrices they make of which key.
    Leaves out: what does not change the parameter count, such as windows, rotations and the width of numbers;
        multi-token-prediction heads; the vision part of a model that has one.

    Example:
        >>> config = {"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "vocab_size": 152064}
        >>> config |= {"num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944}
        >>> parameter_count(model_from_config(config))
        7615616512
    """
    if not isinstance(config, Mapping) or not config:
        raise ValueError(f"config must be a mapping, what a config.json holds, got {shortened(config)}")
    kind = one_of("config['model_type']", config.get("model_type"), MODEL_TYPES)
    tied = _config_flag(config, "tie_word_embeddings", kind in _TIED_UNLESS_SAID)
    called = text("name", name) or text("config['_name_or_path']", config.get("_name_or_path") or kind)
    shared: dict[str, Any] = {"name": called, "tied": tied, "source": "its config.json", "read": ""}
    if kind == "gpt2":
        return _gpt2_from(config, shared)
    shared |= {
        "layers": _config_count(config, "num_hidden_layers"),
        "hidden": _config_count(config, "hidden_size"),
        "vocabulary": _config_count(config, "vocab_size"),
    }
    if kind == "gpt_neox":
        return _neox_from(config, shared)
    if kind in ("deepseek_v2", "deepseek_v3"):
        return _deepseek_from(config, kind, shared)
    return _gated_from(config, kind, shared)


def _gpt2_from(config: Mapping[str, Any], shared: dict[str, Any]) -> Transformer:
    hidden, heads = _config_count(config, "n_embd"), _config_count(config, "n_head")
    width = 4 * hidden if config.get("n_inner") is None else _config_count(config, "n_inner")
    return Transformer(
        layers=_config_count(config, "n_layer"),
        hidden=hidden,
        vocabulary=_config_count(config, "vocab_size"),
        attention=Attention(heads, heads, _head_size(hidden, heads), query_key_value_bias=True, output_bias=True),
        feed_forward=FeedForward(width, gated=False, bias=True),
        positions=_config_count(config, "n_positions"),
        norm_bias=True,
        **shared,
    )


def _neox_from(config: Mapping[str, Any], shared: dict[str, Any]) -> Transformer:
    heads, bias = _config_count(config, "num_attention_heads"), _config_flag(config, "attention_bias", True)
    size = _head_size(shared["hidden"], heads)
    return Transformer(
        attention=Attention(heads, heads, size, query_key_value_bias=bias, output_bias=bias),
        feed_forward=FeedForward(_config_count(config, "intermediate_size"), gated=False, bias=True),
        norm_bias=True,
        **shared,
    )


def _deepseek_from(config: Mapping[str, Any], kind: str, shared: dict[str, Any]) -> Transformer:
    one_of("config['attention_bias']", config.get("attention_bias", False), (False,))
    one_of("config['moe_layer_freq']", config.get("moe_layer_freq", 1), (1,))
    dense = _config_count(config, "first_k_dense_replace", 0)
    return Transformer(
        attention=LatentAttention(
            heads=_config_count(config, "num_attention_heads"),
            query_rank=_config_count(config, "q_lora_rank"),
            key_value_rank=_config_count(config, "kv_lora_rank"),
            head_size=_config_count(config, "qk_nope_head_dim"),
            rotary_size=_config_count(config, "qk_rope_head_dim"),
            value_size=_config_count(config, "v_head_dim"),
        ),
        feed_forward=FeedForward(_config_count(config, "intermediate_size"), gated=True) if dense else None,
        experts=Experts(
            experts=_config_count(config, "n_routed_experts"),
            per_token=_config_count(config, "num_experts_per_tok"),
            width=_config_count(config, "moe_intermediate_size"),
            shared=_config_count(config, "n_shared_experts", 0),
            router_bias=kind == "deepseek_v3",
        ),
        expert_layers=shared["layers"] - dense,
        **shared,
    )


def _gated_from(config: Mapping[str, Any], kind: str, shared: dict[str, Any]) -> Transformer:
    """Return a model with query and key-value heads, RMS norms and gated blocks or experts."""
    heads = _config_count(config, "num_attention_heads")
    own_size = kind in _HEAD_SIZE_GIVEN or config.get("head_dim") is not None
    all_alike = kind in _KEY_VALUE_HEADS_LEFT_OUT and config.get("num_key_value_heads") is None
    bias = kind in _ATTENTION_BIAS_READ and _config_flag(config, "attention_bias", False)
    attention = Attention(
        heads=heads,
        key_value_heads=heads if all_alike else _config_count(config, "num_key_value_heads"),
        head_size=_config_count(config, "head_dim") if own_size else _head_size(shared["hidden"], heads),
        query_key_value_bias=bias or kind == "qwen2",
        output_bias=bias,
        query_key_norm=_QUERY_KEY_NORM.get(kind, "none"),
    )
    shared |= {"attention": attention, "norms_per_layer": 4 if kind in _FOUR_NORMS else 2}
    if kind not in ("mixtral", "qwen3_moe"):
        bias = kind == "llama" and _config_flag(config, "mlp_bias", False)
        width = _config_count(config, "intermediate_size")
        return Transformer(feed_forward=FeedForward(width, gated=True, bias=bias), **shared)
    if kind == "qwen3_moe":
        one_of("config['decoder_sparse_step']", config.get("decoder_sparse_step", 1), (1,))
        if config.get("mlp_only_layers"):
            raise ValueError(f"config['mlp_only_layers'] must be empty, got {config['mlp_only_layers']!r}")
    experts = Experts(
        experts=_config_count(config, "num_local_experts" if kind == "mixtral" else "num_experts"),
        per_token=_config_count(config, "num_experts_per_tok"),
        width=_config_count(config, "intermediate_size" if kind == "mixtral" else "moe_intermediate_size"),
    )
    return Transformer(feed_forward=None, experts=experts, expert_layers=shared["layers"], **shared)


def _config_count(config: Mapping[str, Any], key: str, minimum: int = 1) -> int:
    return integer_at_least(f"config['{key}']", config.get(key), minimum)


def _config_flag(config: Mapping[str, Any], key: str, unless_said: bool) -> bool:
    return flag(f"config['{key}']", config.get(key, unless_said))


def _head_size(hidden: int, heads: int) -> int:
    hidden, heads = positive_integer("hidden", hidden), positive_integer("heads", heads)
    if hidden % heads:
        raise ValueError(f"hidden must be a multiple of heads = {heads}, got {hidden}")
    return hidden // heads


def _check_flags(block: object, *names: str) -> None:
    for name in names:
        flag(name, getattr(block, name))


def _check_kind(name: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        allowed = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise TypeError(f"{name} must be of type {allowed}, got {value!r}")


def _gpt(name: str, layers: int, hidden: int, heads: int, positions: int, source: str) -> Transformer:
    return gpt_like(name, layers=layers, hidden=hidden, heads=heads, positions=positions, source=source)


def _llama(
    name: str, layers: int, hidden: int, heads: int, key_value_heads: int, width: int, vocabulary: int, source: str
) -> Transformer:
    return llama_like(
        name,
        layers=layers,
        hidden=hidden,
        heads=heads,
        width=width,
        vocabulary=vocabulary,
        key_value_heads=key_value_heads,
        source=source,
    )


def _mixtral(name: str, layers: int, hidden: int, heads: int, width: int, vocabulary: int, source: str) -> Transformer:
    return Transformer(
        name=name,
        layers=layers,
        hidden=hidden,
        vocabulary=vocabulary,
        attention=Attention(heads, 8, 128),
        feed_forward=None,
        experts=Experts(experts=8, per_token=2, width=width),
        expert_layers=layers,
        source=source,
    )


def _gated(
    name: str,
    layers: int,
    hidden: int,
    attention: Attention,
    width: int,
    vocabulary: int,
    source: str,
    *,
    norms_per_layer: int = 2,
    tied: bool = False,
) -> Transformer:
    return Transformer(
        name=name,
        layers=layers,
        hidden=hidden,
        vocabulary=vocabulary,
        attention=attention,
        feed_forward=FeedForward(width, gated=True),
        norms_per_layer=norms_per_layer,
        tied=tied,
        source=source,
        read=_READ_LATER,
    )


def _qwen3_moe(name: str, layers: int, hidden: int, heads: int, width: int) -> Transformer:
    return Transformer(
        name=name,
        layers=layers,
        hidden=hidden,
        vocabulary=151936,
        attention=Attention(heads, 4, 128, query_key_norm="head"),
        feed_forward=None,
        experts=Experts(experts=128, per_token=8, width=width),
        expert_layers=layers,
        source=_QWEN3,
        read=_READ_LATER,
    )


# Read on that day as LitGPT repeats these files (litgpt/config.py), but for Mistral Nemo and DeepSeek-V2, which it does
# not have; the counts of all agree with those published (tests/test_models.py).
_READ_LATER = "2026-11-23"
_GPT2 = "openai/gpt-2, hparams.json of the released checkpoints"
_GPT3 = "Brown et al. 2020, table 2.1; vocabulary and biases as in GPT-2, which the paper says it follows"
_LLAMA1 = "Touvron et al. 2023 (LLaMA), table 2; inner widths from the released checkpoints"
_LLAMA2 = "meta-llama/Llama-2 config.json"
_LLAMA3 = "Llama 3 paper 2024, table 3; config.json of the released checkpoints"

_LLAMA32 = "meta-llama/Llama-3.2 config.json"
_QWEN25 = "Qwen/Qwen2.5 config.json"
_QWEN3 = "Qwen/Qwen3 config.json"
_GEMMA2 = "google/gemma-2 config.json; Gemma 2 report 2024, table 1"
_OLMO2 = "allenai/OLMo-2 config.json"
_MISTRAL = "mistralai/Mistral config.json"

# What publishers write around a name: who they are, what the weights were trained for, and when.
_AROUND = re.compile(
    r"^[\w.-]+/|(?<![\w.])meta-(?=llama)|(?:[-_ ](?:instruct|chat|thinking|base|hf|it|pt|deduped|v0\.[12]|\d{4}))+$",
    re.IGNORECASE,
)


def _shortened(name: str) -> str:
    return _AROUND.sub("", name)


# What these records cannot describe exactly is left out: gpt-oss (sinks in the attention, biases in the experts),
# Falcon (one norm for attention and feed-forward), Gemma 3 from 4B on (a vision part in the published count), Qwen1.5
# MoE (a shared expert of another width, with a gate), DeepSeek-V2-Lite (queries without a latent).
MODELS = Catalogue(
    "model",
    Transformer,
    (
        _gpt("GPT-2 124M", 12, 768, 12, 1024, _GPT2),
        _gpt("GPT-2 355M", 24, 1024, 16, 1024, _GPT2),
        _gpt("GPT-2 774M", 36, 1280, 20, 1024, _GPT2),
        _gpt("GPT-2 1.5B", 48, 1600, 25, 1024, _GPT2),
        _gpt("GPT-3 175B", 96, 12288, 96, 2048, _GPT3),
        _llama("LLaMA 7B", 32, 4096, 32, 32, 11008, 32000, _LLAMA1),
        _llama("LLaMA 13B", 40, 5120, 40, 40, 13824, 32000, _LLAMA1),
        _llama("LLaMA 33B", 60, 6656, 52, 52, 17920, 32000, _LLAMA1),
        _llama("LLaMA 65B", 80, 8192, 64, 64, 22016, 32000, _LLAMA1),
        _llama("Llama 2 7B", 32, 4096, 32, 32, 11008, 32000, _LLAMA2),
        _llama("Llama 2 13B", 40, 5120, 40, 40, 13824, 32000, _LLAMA2),
        _llama("Llama 2 70B", 80, 8192, 64, 8, 28672, 32000, _LLAMA2),
        _llama("Llama 3 8B", 32, 4096, 32, 8, 14336, 128256, _LLAMA3),
        _llama("Llama 3 70B", 80, 8192, 64, 8, 28672, 128256, _LLAMA3),
        _llama("Llama 3 405B", 126, 16384, 128, 8, 53248, 128256, _LLAMA3),
        _gated("Llama 3.2 1B", 16, 2048, Attention(32, 8, 64), 8192, 128256, _LLAMA32, tied=True),
        _gated("Llama 3.2 3B", 28, 3072, Attention(24, 8, 128), 8192, 128256, _LLAMA32, tied=True),
        _llama("Mistral 7B", 32, 4096, 32, 8, 14336, 32000, "Jiang et al. 2023 (Mistral 7B), table 1"),
        _gated("Mistral Nemo 12B", 40, 5120, Attention(32, 8, 128), 14336, 131072, _MISTRAL),
        _gated("Mistral Small 24B", 40, 5120, Attention(32, 8, 128), 32768, 131072, _MISTRAL),
        _mixtral("Mixtral 8x7B", 32, 4096, 32, 14336, 32000, "Jiang et al. 2024 (Mixtral of Experts), table 1"),
        _mixtral("Mixtral 8x22B", 56, 6144, 48, 16384, 32000, "mistralai/Mixtral-8x22B-v0.1 config.json"),
        _gated("Qwen2.5 7B", 28, 3584, Attention(28, 4, 128, query_key_value_bias=True), 18944, 152064, _QWEN25),
        _gated("Qwen2.5 72B", 80, 8192, Attention(64, 8, 128, query_key_value_bias=True), 29568, 152064, _QWEN25),
        _gated("Qwen3 8B", 36, 4096, Attention(32, 8, 128, query_key_norm="head"), 12288, 151936, _QWEN3),
        _gated("Qwen3 32B", 64, 5120, Attention(64, 8, 128, query_key_norm="head"), 25600, 151936, _QWEN3),
        _qwen3_moe("Qwen3 30B-A3B", 48, 2048, 32, 768),
        _qwen3_moe("Qwen3 235B-A22B", 94, 4096, 64, 1536),
        _gated("Gemma 2 9B", 42, 3584, Attention(16, 8, 256), 14336, 256000, _GEMMA2, norms_per_layer=4, tied=True),
        _gated("Gemma 2 27B", 46, 4608, Attention(32, 16, 128), 36864, 256000, _GEMMA2, norms_per_layer=4, tied=True),
        _gated(
            "Gemma 3 1B",
            26,
            1152,
            Attention(4, 1, 256, query_key_norm="head"),
            6912,
            262144,
            "google/gemma-3-1b-pt config.json",
            norms_per_layer=4,
            tied=True,
        ),
        _gated("OLMo 2 7B", 32, 4096, Attention(32, 32, 128, query_key_norm="whole"), 11008, 100352, _OLMO2),
        _gated("OLMo 2 13B", 40, 5120, Attention(40, 40, 128, query_key_norm="whole"), 13824, 100352, _OLMO2),
        _gated("Phi-4 14B", 40, 5120, Attention(40, 10, 128), 17920, 100352, "microsoft/phi-4 config.json"),
        Transformer(
            name="Pythia 6.9B",
            layers=32,
            hidden=4096,
            vocabulary=50432,
            attention=Attention(32, 32, 128, query_key_value_bias=True, output_bias=True),
            feed_forward=FeedForward(16384, gated=False, bias=True),
            norm_bias=True,
            source="EleutherAI/pythia-6.9b config.json; Biderman et al. 2023 (Pythia), table 1",
            read=_READ_LATER,
        ),
        Transformer(
            name="DeepSeek-V2",
            layers=60,
            hidden=5120,
            vocabulary=102400,
            attention=LatentAttention(
                heads=128, query_rank=1536, key_value_rank=512, head_size=128, rotary_size=64, value_size=128
            ),
            feed_forward=FeedForward(12288, gated=True),
            experts=Experts(experts=160, per_token=6, width=1536, shared=2),
            expert_layers=59,
            source="deepseek-ai/DeepSeek-V2 config.json; DeepSeek-V2 report 2024, section 3.1.2",
            read=_READ_LATER,
        ),
        Transformer(
            name="DeepSeek-V3",
            layers=61,
            hidden=7168,
            vocabulary=129280,
            attention=LatentAttention(
                heads=128, query_rank=1536, key_value_rank=512, head_size=128, rotary_size=64, value_size=128
            ),
            feed_forward=FeedForward(18432, gated=True),
            experts=Experts(experts=256, per_token=8, width=2048, shared=1, router_bias=True),
            expert_layers=58,
            source="deepseek-ai/DeepSeek-V3 config.json; DeepSeek-V3 report 2024, section 4.2",
        ),
    ),
    aliases={
        "gpt2": "GPT-2 124M",
        "gpt2-small": "GPT-2 124M",
        "gpt2-medium": "GPT-2 355M",
        "gpt2-large": "GPT-2 774M",
        "gpt2-xl": "GPT-2 1.5B",
        "gpt-3": "GPT-3 175B",
        "Llama 3.1 8B": "Llama 3 8B",
        "Llama 3.1 70B": "Llama 3 70B",
        "Llama 3.3 70B": "Llama 3 70B",
        "Llama 3.1 405B": "Llama 3 405B",
        "Mistral Nemo": "Mistral Nemo 12B",
        "Mistral Small 3": "Mistral Small 24B",
        "OLMo-2-1124-7B": "OLMo 2 7B",
        "OLMo-2-1124-13B": "OLMo 2 13B",
        "Phi-4": "Phi-4 14B",
        "DeepSeek-R1": "DeepSeek-V3",
    },
    shortened=_shortened,
)
