"""Formulas: the arithmetic of training a transformer, from one layer's matrix products to days on a cluster.

A multiply-add counts as two operations. A backward pass costs twice the forward pass. Only matrix products count:
norms, softmax, activations and biases are left out everywhere.
"""

from __future__ import annotations

from snippets.domain import as_float, named, positive_integer, positive_number
from snippets.models import MODELS, LatentAttention, Transformer, active_parameter_parts

MASKS = ("full", "half", "exact")
RECOMPUTATIONS = ("none", "selective", "full")


def attention_pairs(sequence: int, *, mask: str = "full") -> float:
    """Return how many query-key pairs of one head a count of FLOPs takes for one sequence.

    Formula: $s^2 \\;\\text{ or }\\; \\tfrac{1}{2} s^2 \\;\\text{ or }\\; \\tfrac{1}{2} s (s+1)$
    Symbols: s = sequence, in turn for mask "full", "half" and "exact"
    Chapter: 1

    Args:
        sequence: tokens of one sequence.
        mask: ``"full"`` ignores the causal mask (Megatron 2021 and 2022, PaLM); ``"half"`` halves the square (today's
            Megatron-LM); ``"exact"`` counts each token's own past and itself.

    Returns:
        Pairs; a half where ``"half"`` meets an odd length.

    Source: Narayanan et al. 2021, appendix; Megatron-LM ``num_floating_point_operations``.
    Convention: one head, one sequence.
    Leaves out: blocks that a kernel computes and then masks.

    Example:
        >>> [attention_pairs(5, mask=mask) for mask in MASKS]
        [25.0, 12.5, 15.0]
    """
    return _doubled_pairs(sequence, mask) / 2


def _doubled_pairs(sequence: int, mask: str) -> int:
    """Return twice the pairs, a whole number for every mask."""
    n = positive_integer("sequence", sequence)
    return {"full": 2 * n**2, "half": n**2, "exact": n * (n + 1)}[named("mask", mask, MASKS)]


def attention_forward_flops(*, batch: int, sequence: int, hidden: int, mask: str = "full") -> int:
    """Return the operations of one layer's QKᵀ and of its product with V, forward.

    Formula: $4 b s^2 h$
    Symbols: b = batch; s = sequence; h = hidden; s² becomes attention_pairs for another mask
    Chapter: 1

    Args:
        batch: sequences.
        sequence: tokens of each.
        hidden: width of all heads together.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact.

    Source: Narayanan et al. 2021, appendix (2Bn²d each).
    Convention: a multiply-add is 2; the causal mask as ``mask`` says.
    Leaves out: the softmax.

    Example:
        >>> attention_forward_flops(batch=1, sequence=2048, hidden=4096)
        68719476736
    """
    batch, hidden = positive_integer("batch", batch), positive_integer("hidden", hidden)
    return 2 * batch * hidden * _doubled_pairs(sequence, mask)


def layer_forward_flops(*, batch: int, sequence: int, hidden: int, mask: str = "full") -> int:
    """Return the operations of one GPT layer, forward.

    Formula: $24 b s h^2 + 4 b s^2 h$
    Symbols: b = batch; s = sequence; h = hidden; s² becomes attention_pairs for another mask
    Chapter: 1

    Args:
        batch: sequences.
        sequence: tokens of each.
        hidden: width of the residual stream; all heads together are as wide, the inner width is 4 times it.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact: 8Bnd² for the four projections, 16Bnd² for the feed-forward block, the rest for attention.

    Source: Narayanan et al. 2021, appendix.
    Convention: a multiply-add is 2; the causal mask as ``mask`` says.
    Leaves out: biases, norms, softmax, activation functions; grouped queries and gates (``forward_flops`` has them).

    Example:
        >>> layer_forward_flops(batch=1, sequence=1024, hidden=768)
        17716740096
    """
    batch, sequence = positive_integer("batch", batch), positive_integer("sequence", sequence)
    hidden = positive_integer("hidden", hidden)
    attention = attention_forward_flops(batch=batch, sequence=sequence, hidden=hidden, mask=mask)
    return 24 * batch * sequence * hidden**2 + attention


def gpt_training_flops(
    *,
    batch: int,
    sequence: int,
    layers: int,
    hidden: int,
    vocabulary: int,
    recomputation: str = "none",
    mask: str = "full",
) -> int:
    """Return the operations of one training iteration of a GPT, forward, backward and recomputed.

    Formula: $72 b s L h^2 \\left(1 + \\frac{s}{6h} + \\frac{V}{12 h L}\\right) + F_\\text{again}$
    Symbols: b = batch; s = sequence; L = layers; h = hidden; V = vocabulary; F_again = what is recomputed: 0, 4bs²hL,
        or 24bsh²L + 4bs²hL for recomputation "none", "selective" and "full"
    Chapter: 1

    Args:
        batch: sequences of one iteration.
        sequence: tokens of each.
        layers: transformer layers.
        hidden: width of the residual stream.
        vocabulary: columns of the output head.
        recomputation: ``"none"`` gives model FLOPs; ``"selective"`` runs QKᵀ and its product with V once more,
            ``"full"`` every layer's whole forward pass. The two give hardware FLOPs.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact.

    Source: Narayanan et al. 2021, equation 3 (full); Korthikanti et al. 2022, appendix A (model FLOPs). For hardware
        FLOPs with selective recomputation that paper prints a larger number: ``korthikanti_hardware_flops``.
    Convention: a multiply-add is 2; the causal mask as ``mask`` says.
    Leaves out: everything but matrix products; the embedding, which is a look-up.

    Example:
        >>> gpt_training_flops(batch=1, sequence=1024, layers=12, hidden=768, vocabulary=50257)
        874944921600
    """
    layers, vocabulary = positive_integer("layers", layers), positive_integer("vocabulary", vocabulary)
    batch, sequence = positive_integer("batch", batch), positive_integer("sequence", sequence)
    hidden = positive_integer("hidden", hidden)
    recomputation = named("recomputation", recomputation, RECOMPUTATIONS)
    layer = layer_forward_flops(batch=batch, sequence=sequence, hidden=hidden, mask=mask)
    again = {
        "none": 0,
        "selective": attention_forward_flops(batch=batch, sequence=sequence, hidden=hidden, mask=mask),
        "full": layer,
    }[recomputation]
    return layers * (3 * layer + again) + 3 * 2 * batch * sequence * hidden * vocabulary


def korthikanti_hardware_flops(*, batch: int, sequence: int, layers: int, hidden: int, vocabulary: int) -> int:
    """Return the hardware FLOPs that Korthikanti et al. print for selective recomputation.

    The paper's overhead of 2.7% (GPT-3) and 1.6% (530B) and its column of hardware utilization follow from this. It
    adds 12bs²h a layer, all that attention's products cost in a whole iteration; repeating their forward pass once
    is a third of that, 4bs²h, which is what ``gpt_training_flops`` adds.

    Formula: $72 b s L h^2 \\left(1 + \\frac{s}{3h} + \\frac{V}{12 h L}\\right)$
    Symbols: b = batch; s = sequence; L = layers; h = hidden; V = vocabulary
    Chapter: 23

    Args:
        batch: sequences of one iteration.
        sequence: tokens of each.
        layers: transformer layers.
        hidden: width of the residual stream.
        vocabulary: columns of the output head.

    Returns:
        FLOP, exact.

    Source: Korthikanti et al. 2022, appendix A and table 5.
    Convention: a multiply-add is 2; no causal mask.
    Leaves out: everything but matrix products.

    Example:
        >>> korthikanti_hardware_flops(batch=4, sequence=2048, layers=48, hidden=6144, vocabulary=51200)
        1202934440263680
    """
    layers = positive_integer("layers", layers)
    model = gpt_training_flops(batch=batch, sequence=sequence, layers=layers, hidden=hidden, vocabulary=vocabulary)
    return model + 3 * layers * attention_forward_flops(batch=batch, sequence=sequence, hidden=hidden)


def forward_flops(model: Transformer | str, *, batch: int, sequence: int, mask: str = "full") -> int:
    """Return the operations of one forward pass of any model of the catalogue.

    Formula: $2 b s N_\\text{matmul} + 2 b a (h_\\text{q} + h_\\text{v})\\, s^2 L$
    Symbols: b = batch; s = sequence; N_matmul = weights of all matrices that a token meets (projections, feed-forward
        or its experts, router, head); a = heads; h_q = width of a query; h_v = width of a value; L = layers;
        s² becomes attention_pairs for another mask
    Chapter: 1

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        batch: sequences.
        sequence: tokens of each.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact.

    Source: the sum of the model's matrix products.
    Convention: a multiply-add is 2; the causal mask as ``mask`` says; latent attention as trained, its keys and
        values expanded.
    Leaves out: biases, norms, softmax, activation functions, rotations; sliding windows.

    Example:
        >>> forward_flops("GPT-2 124M", batch=1, sequence=1024)
        291648307200
    """
    model = MODELS.find(model)
    batch, sequence = positive_integer("batch", batch), positive_integer("sequence", sequence)
    attention = model.attention
    widths = 2 * attention.head_size
    if isinstance(attention, LatentAttention):
        widths = attention.head_size + attention.rotary_size + attention.value_size
    products = model.layers * attention.heads * widths * _doubled_pairs(sequence, mask)
    return batch * (2 * sequence * _matrix_weights(model) + products)


def backward_flops(model: Transformer | str, *, batch: int, sequence: int, mask: str = "full") -> int:
    """Return the operations of one backward pass of any model of the catalogue.

    Formula: $2 F$
    Symbols: F = forward_flops
    Chapter: 1

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        batch: sequences.
        sequence: tokens of each.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact: each matrix product of the forward pass has two in the backward pass, one for each factor's
        gradient.

    Source: Narayanan et al. 2021, appendix.
    Convention: that of ``forward_flops``.
    Leaves out: what is recomputed, a forward pass more at most; what ``forward_flops`` leaves out.

    Example:
        >>> backward_flops("GPT-2 124M", batch=1, sequence=1024)
        583296614400
    """
    return 2 * forward_flops(model, batch=batch, sequence=sequence, mask=mask)


def training_step_flops(model: Transformer | str, *, batch: int, sequence: int, mask: str = "full") -> int:
    """Return the operations of one training step of any model of the catalogue, forward and backward.

    Formula: $3 F$
    Symbols: F = forward_flops
    Chapter: 1

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        batch: sequences of one step.
        sequence: tokens of each.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP, exact; times the tokens of a run over ``batch * sequence``, those of the run.

    Source: Narayanan et al. 2021, appendix.
    Convention: model FLOPs, without what is recomputed; that of ``forward_flops``.
    Leaves out: what ``forward_flops`` leaves out.

    Example:
        >>> training_step_flops("Llama 3 8B", batch=1, sequence=8192)
        474422087516160
    """
    return 3 * forward_flops(model, batch=batch, sequence=sequence, mask=mask)


def compute_time_s(*, flops: float, flops_per_s: float, devices: int = 1) -> float:
    """Return how long operations take at a rate.

    Formula: $T = \\frac{F}{R\\, uP}$
    Symbols: T = the result in seconds; F = flops; R = devices; uP = flops_per_s
    Chapter: 1

    Args:
        flops: operations, of all devices together.
        flops_per_s: what one accelerator achieves, not its peak.
        devices: accelerators that share them.

    Returns:
        Seconds.

    Source: definition of the rate.
    Convention: the devices work all the time and share the work evenly.
    Leaves out: communication, memory traffic.

    Example:
        >>> compute_time_s(flops=3.8e25, flops_per_s=400e12, devices=16384)
        5798339.84375
    """
    F, n = positive_number("flops", flops), positive_integer("devices", devices)
    X = positive_number("flops_per_s", flops_per_s)
    return as_float("flops and flops_per_s", F / n / X)


def training_flops(*, parameters: int | float, tokens: int | float) -> int:
    """Return the rule of thumb for a whole training run.

    Also: 6ND, training compute
    Formula: $C = 6 N D$
    Symbols: C = the result; N = parameters (those that a token meets); D = tokens
    Chapter: 1

    Args:
        parameters: weights that a token meets; ``7e9`` is taken for 7,000,000,000.
        tokens: tokens trained on; an exponent is taken likewise.

    Returns:
        FLOP, exact: 2 forward and 4 backward for each parameter and token.

    Source: Kaplan et al. 2020, section 2.1.
    Convention: a multiply-add is 2; Kaplan counts parameters without embeddings, most reports count all.
    Leaves out: attention's products, a share of about n/(6d) of the whole; recomputation.

    Example:
        >>> f"{training_flops(parameters=405e9, tokens=15.6e12):.4e}"
        '3.7908e+25'
    """
    return 6 * positive_integer("parameters", parameters) * positive_integer("tokens", tokens)


def training_flops_per_token(*, parameters: int | float, layers: int, heads: int, head_size: int, sequence: int) -> int:
    """Return the operations of training on one token, attention's products included.

    Formula: $6 N + 12 L a\\, h_\\text{head}\\, s$
    Symbols: N = parameters; L = layers; a = heads; h_head = head_size; s = sequence
    Chapter: 1

    Args:
        parameters: weights that a token meets; ``540e9`` is taken for 540,000,000,000.
        layers: transformer layers.
        heads: heads of one layer.
        head_size: width of one head.
        sequence: tokens of one sequence.

    Returns:
        FLOP a token, exact.

    Source: Chowdhery et al. 2022 (PaLM), appendix B.
    Convention: a multiply-add is 2; no causal mask; no recomputation.
    Leaves out: everything but matrix products.

    Example:
        >>> training_flops_per_token(parameters=540.35e9, layers=118, heads=48, head_size=256, sequence=2048)
        3277734806784
    """
    pairs = positive_integer("layers", layers) * positive_integer("heads", heads)
    width = positive_integer("head_size", head_size) * positive_integer("sequence", sequence)
    return 6 * positive_integer("parameters", parameters) + 12 * pairs * width


def training_time_s(
    *, parameters: int | float, tokens: int | float, devices: int, flops_per_s: float, recomputation: str = "none"
) -> float:
    """Return how long a training run takes.

    Also: time to train
    Formula: $T = \\frac{6 N D}{R\\, uP}$
    Symbols: T = the result in seconds; N = parameters (those that a token meets); D = tokens; R = devices;
        uP = flops_per_s, which one device achieves (its peak times the MFU); 8 in place of 6 with full recomputation
    Chapter: 1

    Args:
        parameters: weights that a token meets; ``175e9`` is taken for 175,000,000,000.
        tokens: tokens trained on.
        devices: accelerators.
        flops_per_s: what one accelerator achieves, not its peak.
        recomputation: ``"none"``, or ``"full"`` where every forward pass runs twice and ``flops_per_s`` counts that.

    Returns:
        Seconds.

    Raises:
        ValueError: if a count is no whole number of at least 1, the rate is not above 0, or the choice is unknown.

    Source: Narayanan et al. 2021, equation 4 (8TP/nX).
    Convention: a multiply-add is 2.
    Leaves out: attention's products and the head; failures, restarts and evaluation.

    Example:
        >>> days = training_time_s(
        ...     parameters=175e9, tokens=300e9, devices=1024, flops_per_s=140e12, recomputation="full"
        ... ) / 86400
        >>> round(days, 1)
        33.9
    """
    k = {"none": 6, "full": 8}[named("recomputation", recomputation, ("none", "full"))]
    P, T = positive_integer("parameters", parameters), positive_integer("tokens", tokens)
    n, X = positive_integer("devices", devices), positive_number("flops_per_s", flops_per_s)
    return as_float("parameters, tokens and flops_per_s", k * P * T / n / X)


def flops_utilization(*, flops: float, seconds: float, devices: int, peak_flops_per_s: float) -> float:
    """Return the share of the peak that a run reaches; by its tokens a second, ``training_utilization`` does.

    Also: MFU, model FLOPs utilization, HFU, hardware FLOPs utilization
    Formula: $u = \\frac{F}{T\\, R\\, P}$
    Symbols: u = the result; F = flops; T = seconds; R = devices; P = peak_flops_per_s
    Chapter: 6

    Args:
        flops: operations done. Model FLOPs give MFU; hardware FLOPs, with what was recomputed, give HFU.
        seconds: time they took.
        devices: accelerators.
        peak_flops_per_s: dense peak of one, in the number format of the matrix products.

    Returns:
        A share; above 1 the numbers contradict one another.

    Source: Chowdhery et al. 2022 (PaLM), section 4.1; Korthikanti et al. 2022, section 6.3 (MFU and HFU).
    Convention: share of the dense peak of all devices together.
    Leaves out: nothing: it is a definition.

    Example:
        >>> work = gpt_training_flops(batch=4, sequence=2048, layers=48, hidden=6144, vocabulary=51200)
        >>> round(flops_utilization(flops=work, seconds=1.1, devices=8, peak_flops_per_s=312e12), 4)
        0.4165
    """
    F, t = positive_number("flops", flops), positive_number("seconds", seconds)
    n, P = positive_integer("devices", devices), positive_number("peak_flops_per_s", peak_flops_per_s)
    return as_float("flops, seconds and peak_flops_per_s", F / t / n / P)


def training_utilization(
    *, parameters: int | float, tokens_per_s: float, devices: int, peak_flops_per_s: float
) -> float:
    """Return the share of the peak that a run reaches, by the tokens that it trains on in a second.

    Also: MFU of tokens per second
    Formula: $u = \\frac{6 N y}{R\\, P}$
    Symbols: u = the result; N = parameters; y = tokens_per_s; R = devices; P = peak_flops_per_s
    Chapter: 6

    Args:
        parameters: parameters of the model; of a mixture of experts, those that a token meets.
        tokens_per_s: tokens that all devices together train on in a second.
        devices: accelerators.
        peak_flops_per_s: dense peak of one, in the number format of the matrix products.

    Returns:
        A share; above 1 the numbers contradict one another.

    Source: Chowdhery et al. 2022 (PaLM), section 4.1 and appendix B.
    Convention: share of the dense peak of all devices together; six operations for each parameter and token, MFU.
    Leaves out: attention's products between tokens; what is recomputed.

    Example:
        >>> f"{training_utilization(parameters=8.03e9, tokens_per_s=9000, devices=1, peak_flops_per_s=989.4e12):.1%}"
        '43.8%'
    """
    N, r = positive_integer("parameters", parameters), positive_number("tokens_per_s", tokens_per_s)
    n, P = positive_integer("devices", devices), positive_number("peak_flops_per_s", peak_flops_per_s)
    return as_float("parameters, tokens_per_s and peak_flops_per_s", 6 * N * r / n / P)


def _matrix_weights(model: Transformer) -> int:
    """Weights of the matrices that one token meets: neither biases nor norms nor a table that is only read."""
    parts = active_parameter_parts(model)
    weights = parts.attention + parts.feed_forward + parts.routed_experts + parts.shared_experts + parts.router
    return weights - _biases(model) + model.vocabulary * model.hidden


def _biases(model: Transformer) -> int:
    """Biases that ``active_parameter_parts`` counts with the blocks' matrices."""
    attention, dense, total = model.attention, model.feed_forward, 0
    if not isinstance(attention, LatentAttention):
        inner = (attention.heads + 2 * attention.key_value_heads) * attention.head_size
        total += model.layers * (inner * attention.query_key_value_bias + model.hidden * attention.output_bias)
    if dense is not None and dense.bias:
        total += (model.layers - model.expert_layers) * ((1 + dense.gated) * dense.width + model.hidden)
    if model.experts is not None:
        total += model.expert_layers * model.experts.experts * model.experts.router_bias
    return total
