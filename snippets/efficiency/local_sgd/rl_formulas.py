"""Formulas: what a step of reinforcement learning takes: generating, training, moving weights; on one fleet or two."""

from __future__ import annotations

from snippets.composition.context_width import context_kv_width
from snippets.composition.two_constants import pipeline_turns
from snippets.domain import (
    as_float,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
)
from snippets.foundations.roofline.formulas import roofline_time_s
from snippets.hardware import ACCELERATORS, Accelerator, dense_peak_flops_per_s
from snippets.models import MODELS, Transformer, active_parameter_count, parameter_parts


def used_experts_share(*, experts: int, experts_per_token: int, tokens: float) -> float:
    """Return which share of a layer's experts some tokens use together.

    Formula: $1 - (1 - k/E)^D$
    Symbols: k = experts_per_token; E = experts; D = tokens
    Chapter: 31

    Args:
        experts: E, of the layer.
        experts_per_token: k, different ones that a token goes to.
        tokens: D, which may be a mean, at least 1.

    Returns:
        A mean, from k/E to 1.

    Source: derived: an expert is left out if all tokens miss it.
    Convention: every set of k experts is equally likely, for each token by itself.
    Leaves out: routers with favourites, which use fewer.

    Example:
        >>> round(used_experts_share(experts=256, experts_per_token=8, tokens=32), 2)
        0.64
    """
    E, x = positive_integer("experts", experts), number_between("tokens", tokens, low=1, high=float(2**62))
    k = positive_integer("experts_per_token", experts_per_token)
    if k > E:
        raise ValueError(f"experts_per_token must be at most experts = {E}, got {experts_per_token!r}")
    missed: float = (1 - k / E) ** x
    return 1 - missed


def decoding_weight_bytes(model: Transformer | str, *, sequences: float, element_bytes: float = 2) -> float:
    """Return the bytes of weights that a replica reads to give each of its sequences one token more.

    Formula: $w_\\text{p} \\left(N - N_\\text{table} - N_\\text{routed}
        + \\left(1 - (1 - k/E)^{b_\\text{own}}\\right) N_\\text{routed}\\right)$
    Symbols: w_p = element_bytes; N = parameter_count(model); N_table = its token table, of which a token reads one row;
        N_routed = its routed experts; k = per_token; E = experts; b_own = sequences
    Chapter: 31

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequences: b_own, which the replica has in hand; may be a mean, at least 1.
        element_bytes: w_p, of a weight.

    Returns:
        Bytes, of all GPUs of the replica together.

    Source: derived: what a step of decoding multiplies by is read once, whatever the batch.
    Convention: nothing stays in a cache from one token to the next.
    Leaves out: weights that tensor parallelism keeps several times.

    Example:
        >>> round(decoding_weight_bytes("DeepSeek-V3", sequences=32) / 1e12, 2)
        0.87
    """
    found, w = MODELS.find(model), positive_number("element_bytes", element_bytes)
    b = number_between("sequences", sequences, low=1, high=float(2**62))
    parts = parameter_parts(found)
    read: float = parts.total - parts.routed_experts - (0 if found.tied else parts.token_embedding)
    if found.experts is not None:
        E, k = found.experts.experts, found.experts.per_token
        read += parts.routed_experts * used_experts_share(experts=E, experts_per_token=k, tokens=b)
    return as_float("element_bytes", w * read)


def cached_token_bytes(model: Transformer | str, *, tensor_parallel: int = 1, element_bytes: float = 2) -> float:
    """Return the bytes that a GPU keeps of one token's keys and values, in all layers.

    Also: KV cache per token
    Formula: $2 L\\, \\max(1, a_\\text{kv}/t)\\, h_\\text{head}\\, w$
    Symbols: L = layers; a_kv = heads of keys; t = tensor_parallel; h_head = size of a head; w = element_bytes; with
        latent attention the latent and its rotary part instead
    Chapter: 31

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        tensor_parallel: t, GPUs of the replica.
        element_bytes: w, of a number in the cache.

    Returns:
        Bytes on each GPU: past a_kv GPUs, and with latent attention, they keep copies.

    Source: ``context_kv_width``: Shazeer 2019, Ainslie et al. 2023, DeepSeek-AI 2024.
    Convention: keys and values.
    Leaves out: layers with windows, and state-space layers, which keep less.

    Example:
        >>> cached_token_bytes("Qwen3 30B-A3B"), cached_token_bytes("Qwen3 30B-A3B", tensor_parallel=8)
        (98304.0, 24576.0)
    """
    found, w = MODELS.find(model), positive_number("element_bytes", element_bytes)
    width = context_kv_width(found, tensor_parallel=tensor_parallel)
    return as_float("element_bytes", 2 * found.layers * width * w)


def rollout_time_s(
    model: Transformer | str,
    *,
    accelerator: Accelerator | str,
    devices: int,
    tensor_parallel: int,
    sequences: int,
    longest_tokens: int,
    mean_tokens: float,
    prompt_tokens: float = 0,
    memory_share: float = 1,
    batches: int = 1,
    element_bytes: float = 2,
) -> float:
    """Return how long replicas of a model take to generate one batch of sequences.

    Also: generation time, rollout time
    Formula: $\\frac{1}{u_\\text{mem}} \\max\\left(\\frac{Q_\\text{gen}}{\\beta_\\text{mem}},
        \\frac{2 N_\\text{token} b_\\text{own} s_\\text{mean}}{t P}\\right), \\quad
        Q_\\text{gen} = \\frac{s_\\text{max} Q_\\text{w}}{K_\\text{gen}\\, t}
        + b_\\text{own} s_\\text{mean} \\left(s_0 + \\frac{s_\\text{mean}}{2}\\right) Q_\\text{token}, \\quad
        b_\\text{own} = \\frac{t B_\\text{gen}}{R}$
    Symbols: u_mem = memory_share; β_mem and P = the accelerator's; t = tensor_parallel; R = devices; B_gen = sequences;
        N_token = active_parameter_count(model); s_max = longest_tokens; s_mean = mean_tokens; s_0 = prompt_tokens;
        K_gen = batches; Q_w = decoding_weight_bytes of K_gen b_own sequences; Q_token = cached_token_bytes
    Chapter: 31

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        devices: R, which generate: a multiple of ``tensor_parallel``.
        tensor_parallel: t, GPUs of a replica.
        sequences: B_gen, of the batch; at least one for each replica.
        longest_tokens: s_max, generated for the longest sequence.
        mean_tokens: s_mean, generated for the mean sequence, at most ``longest_tokens``.
        prompt_tokens: s_0, which stand in the cache before, at least 0.
        memory_share: u_mem, share of the memory's bandwidth that decoding reaches, above 0 and at most 1.
        batches: K_gen, which are in hand at once; with more than one, no batch waits alone for its longest sequence.
        element_bytes: of a weight, and of a number in the cache.

    Returns:
        Seconds a batch.

    Source: derived; the ceilings are chapter 2's.
    Convention: every token reads the weights that are in use, until the longest sequence ends; each sequence reads its
        own cache, and is as long as the mean.
    Leaves out: prompts, latencies, messages between a replica's GPUs, caches that do not fit.

    Example:
        >>> job = {"accelerator": "GB200", "tensor_parallel": 1, "sequences": 2048, "longest_tokens": 4096}
        >>> sizes = {"mean_tokens": 3200, "memory_share": 0.5}
        >>> [round(rollout_time_s("Qwen3 30B-A3B", devices=gpus, **job, **sizes)) for gpus in (16, 8)]
        [78, 94]
    """
    found, device = MODELS.find(model), ACCELERATORS.find(accelerator)
    R, t = positive_integer("devices", devices), positive_integer("tensor_parallel", tensor_parallel)
    B, K = positive_integer("sequences", sequences), positive_integer("batches", batches)
    longest = positive_integer("longest_tokens", longest_tokens)
    mean = number_between("mean_tokens", mean_tokens, low=1, high=longest)
    prompt = nonnegative_number("prompt_tokens", prompt_tokens)
    share = positive_number("memory_share", number_between("memory_share", memory_share, low=0, high=1))
    if R % t:
        raise ValueError(f"devices must be a multiple of tensor_parallel = {t}, got {devices!r}")
    if B * t < R:
        raise ValueError(f"sequences must be at least devices / tensor_parallel = {R // t}, got {sequences!r}")
    b = B * t / R
    weights = decoding_weight_bytes(found, sequences=K * b, element_bytes=element_bytes)
    cached = cached_token_bytes(found, tensor_parallel=t, element_bytes=element_bytes)
    least = roofline_time_s(
        flops=as_float("sequences", 2 * active_parameter_count(found) * b * mean / t),
        memory_bytes=as_float(
            "longest_tokens, mean_tokens and prompt_tokens",
            longest * weights / K / t + b * mean * (prompt + mean / 2) * cached,
        ),
        peak_flops_per_s=dense_peak_flops_per_s(device, "bf16"),
        memory_bytes_per_s=device.memory_bandwidth_bytes_per_s,
    )
    return as_float("memory_share", least / share)


def policy_training_flops(*, active_parameters: float, tokens: float, logprob_passes: int = 2) -> float:
    """Return the operations that one step's training needs, with the passes that only ask for probabilities.

    Formula: $(6 + 2 k_\\text{pass})\\, N_\\text{token} D$
    Symbols: N_token = active_parameters; D = tokens; k_pass = logprob_passes
    Chapter: 31

    Args:
        active_parameters: N_token, that one token uses.
        tokens: D, of the step, prompts included.
        logprob_passes: forward passes before the training: one by the policy itself and one by the reference, where
            the recipe has both; at least 0.

    Returns:
        FLOP.

    Source: 2N a token forward, 4N backward (chapter 1).
    Convention: model FLOPs: what recomputation adds is not among them.
    Leaves out: attention's own, which grow with the sequence.

    Example:
        >>> policy_training_flops(active_parameters=3e9, tokens=1e6)
        3e+16
    """
    N, D = positive_number("active_parameters", active_parameters), positive_number("tokens", tokens)
    passes = nonnegative_integer("logprob_passes", logprob_passes)
    return as_float("active_parameters and tokens", (6 + 2 * as_float("logprob_passes", passes)) * N * D)


def policy_training_time_s(
    *,
    flops: float,
    devices: int,
    peak_flops_per_s: float,
    utilization: float,
    micro_batches: int = 1,
    stages: int = 1,
) -> float:
    """Return how long one step's training takes, with the pipeline's filling and draining.

    Formula: $\\frac{F}{R\\, uP} \\cdot \\frac{m + p - 1}{m}$
    Symbols: F = flops; R = devices; u = utilization; P = peak_flops_per_s; m = micro_batches; p = stages
    Chapter: 31

    Args:
        flops: F, of all GPUs together.
        devices: R, which train.
        peak_flops_per_s: P, of one.
        utilization: u, share of the peak while the pipeline is full, above 0 and at most 1.
        micro_batches: m, of a replica between two updates.
        stages: p, of the pipeline.

    Returns:
        Seconds.

    Source: chapters 1 and 18.
    Convention: each update fills the pipeline anew, and so do the passes for probabilities.
    Leaves out: the update itself, and messages, but as they lower u.

    Example:
        >>> pipeline = {"micro_batches": 3, "stages": 4}
        >>> policy_training_time_s(flops=8e15, devices=4, peak_flops_per_s=1e15, utilization=0.1, **pipeline)
        40.0
    """
    F, R = positive_number("flops", flops), positive_integer("devices", devices)
    u = positive_number("utilization", number_between("utilization", utilization, low=0, high=1))
    m, P = positive_integer("micro_batches", micro_batches), positive_number("peak_flops_per_s", peak_flops_per_s)
    turns = pipeline_turns(micro_batches=m, stages=stages) / m
    return as_float("flops, peak_flops_per_s and utilization", F / R / P / u * turns)


def broadcast_weights_s(*, weight_bytes: float, bandwidth_bytes_per_s: float) -> float:
    """Return how long it takes until each generating GPU has received all weights of the model.

    Also: refit by broadcast
    Formula: $\\frac{w_\\text{p} N}{\\beta_\\text{net}}$
    Symbols: w_p N = weight_bytes; β_net = bandwidth_bytes_per_s
    Chapter: 31

    Args:
        weight_bytes: of the whole model.
        bandwidth_bytes_per_s: β_net, of a GPU's port, in one direction.

    Returns:
        Seconds.

    Source: derived: every port takes every byte in.
    Convention: the broadcast is piped, so that all receive at once; each GPU keeps of it what it needs.
    Leaves out: latencies, and what it takes to bring weights from one layout into another.

    Example:
        >>> broadcast_weights_s(weight_bytes=1.34e12, bandwidth_bytes_per_s=40e9)
        33.5
    """
    size = positive_number("weight_bytes", weight_bytes)
    β = positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    return as_float("weight_bytes and bandwidth_bytes_per_s", size / β)


def own_shards_s(
    *,
    weight_bytes: float,
    bandwidth_bytes_per_s: float,
    tensor_parallel: int,
    generating_devices: int,
    training_devices: int,
) -> float:
    """Return how long it takes until each generating GPU has received the shard that it needs, and no more.

    Also: refit by shard
    Formula: $\\frac{w_\\text{p} N}{t\\, \\beta_\\text{net}}
        \\max\\left(1, \\frac{R_\\text{gen}}{R_\\text{train}}\\right)$
    Symbols: w_p N = weight_bytes; t = tensor_parallel; β_net = bandwidth_bytes_per_s; R_gen = generating_devices;
        R_train = training_devices
    Chapter: 31

    Args:
        weight_bytes: of the whole model.
        bandwidth_bytes_per_s: β_net, of a GPU's port, in one direction.
        tensor_parallel: t, GPUs of a generating replica, each with 1/t of the weights.
        generating_devices: R_gen, which receive; a multiple of ``tensor_parallel``.
        training_devices: R_train, which send.

    Returns:
        Seconds.

    Source: derived: a receiver takes in 1/t of the weights, and the senders share what all receivers take.
    Convention: the training GPUs share the sending evenly.
    Leaves out: latencies, and weights that receivers hand on to one another.

    Example:
        >>> sizes = {"weight_bytes": 1.34e12, "bandwidth_bytes_per_s": 40e9, "tensor_parallel": 32}
        >>> own_shards_s(generating_devices=256, training_devices=256, **sizes)
        1.046875
    """
    size, t = positive_number("weight_bytes", weight_bytes), positive_integer("tensor_parallel", tensor_parallel)
    R_gen = positive_integer("generating_devices", generating_devices)
    R_train = positive_integer("training_devices", training_devices)
    if R_gen % t:
        raise ValueError(f"generating_devices must be a multiple of tensor_parallel = {t}, got {generating_devices!r}")
    β = positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    return as_float("weight_bytes and bandwidth_bytes_per_s", size / t / β * max(1.0, R_gen / R_train))


def rl_step_s(*, generation_s: float, training_s: float, moving_s: float = 0, steps_off: int = 0) -> float:
    """Return what a step of reinforcement learning takes in the long run, if every step takes what the last one took.

    Also: GRPO step
    Formula: $\\begin{cases} T_\\text{gen} + T_\\text{train} + T_\\text{move} & \\text{on-policy} \\\\
        \\max(T_\\text{gen}, T_\\text{train}) + T_\\text{move} & \\text{one step off or more} \\end{cases}$
    Symbols: T_gen = generation_s; T_train = training_s; T_move = moving_s
    Chapter: 31

    Args:
        generation_s: T_gen, of one batch on the GPUs that generate, at least 0.
        training_s: T_train, of one batch on the GPUs that train, at least 0.
        moving_s: T_move, for which both sides stand while weights move, at least 0.
        steps_off: how many updates may lie between the weights that generate and those that are trained, at least 0.

    Returns:
        Seconds. Where all steps are alike, a second step off buys nothing that the first did not.

    Source: derived: two stations with a store of k batches between them.
    Convention: on one fleet both times are those of all GPUs, on two fleets those of each one's own. One batch at a
        time is generated.
    Leaves out: times that differ from step to step, against which more steps off help; batches that begin while the
        last one's longest sequences still run (``stale_step_floor_s``).

    Example:
        >>> [rl_step_s(generation_s=3, training_s=2, moving_s=1, steps_off=k) for k in (0, 1, 2)]
        [6.0, 4.0, 4.0]
    """
    T_gen, T_train = nonnegative_number("generation_s", generation_s), nonnegative_number("training_s", training_s)
    T_move, off = nonnegative_number("moving_s", moving_s), nonnegative_integer("steps_off", steps_off)
    both = max(T_gen, T_train) if off else T_gen + T_train
    return as_float("generation_s, training_s and moving_s", both + T_move)


def stale_step_floor_s(*, generation_s: float, training_s: float, steps_off: int) -> float:
    """Return what a step on two fleets takes at least, however many batches are generated at once.

    Formula: $\\max\\left(T_\\text{train}, \\frac{T_\\text{gen} + T_\\text{train}}{k_\\text{off} + 1}\\right)$
    Symbols: T_gen = generation_s; T_train = training_s; k_off = steps_off
    Chapter: 31

    Args:
        generation_s: T_gen, from a batch's first token until its longest sequence ends, with no other batch beside it;
            at least 0.
        training_s: T_train, of a batch, at least 0.
        steps_off: k_off, updates that may lie between the weights that generate and those that are trained, at least 0.

    Returns:
        Seconds. It is reached where a batch takes no longer for the others beside it.

    Source: Little 1961: at most k_off + 1 batches are begun and not yet trained, and each is so for T_gen + T_train.
    Convention: one batch is trained at a time, by all of the training GPUs.
    Leaves out: moving the weights.

    Example:
        >>> [stale_step_floor_s(generation_s=9, training_s=3, steps_off=k) for k in (0, 1, 2, 3, 8)]
        [12.0, 6.0, 4.0, 3.0, 3.0]
    """
    T_gen, T_train = nonnegative_number("generation_s", generation_s), nonnegative_number("training_s", training_s)
    off = as_float("steps_off", nonnegative_integer("steps_off", steps_off))
    return as_float("generation_s and training_s", max(T_train, (T_gen + T_train) / (off + 1)))


def split_fleet_ratio(
    *, generation_s: float, training_s: float, split_generation_s: float, split_training_s: float
) -> float:
    """Return a step on a fleet cut in two over the on-policy step on the whole of it: above 1, splitting loses.

    Formula: $\\frac{\\max(T_\\text{gen,split}, T_\\text{train,split})}{T_\\text{gen} + T_\\text{train}}$
    Symbols: T_gen = generation_s; T_train = training_s; T_gen,split = split_generation_s;
        T_train,split = split_training_s
    Chapter: 31

    Args:
        generation_s: T_gen, on the whole fleet.
        training_s: T_train, on the whole fleet.
        split_generation_s: how long generation takes on its part of the fleet, no less than on the whole.
        split_training_s: how long training takes on its part of the fleet, no less than on the whole.

    Returns:
        A ratio. Of work that divides perfectly among GPUs it is at least 1, for every cut: splitting gains only as far
        as the parts take less than their share longer.

    Source: derived.
    Convention: one step off; weights move in no time.
    Leaves out: what a shared fleet loses when it changes from one work to the other.

    Example:
        >>> split_fleet_ratio(generation_s=100, training_s=60, split_generation_s=125, split_training_s=120)
        0.78125
        >>> split_fleet_ratio(generation_s=60, training_s=140, split_generation_s=75, split_training_s=280)
        1.4
    """
    T_gen, T_train = positive_number("generation_s", generation_s), positive_number("training_s", training_s)
    gen = _no_less("split_generation_s", split_generation_s, "generation_s", T_gen)
    train = _no_less("split_training_s", split_training_s, "training_s", T_train)
    return as_float("generation_s and training_s", max(gen, train) / (T_gen + T_train))


def _no_less(name: str, value: float, whole_name: str, whole: float) -> float:
    """Check that a part of the fleet is no faster than the whole."""
    if positive_number(name, value) < whole:
        raise ValueError(f"{name} must be at least {whole_name} = {whole:g}, got {value!r}")
    return float(value)
