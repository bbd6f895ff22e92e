"""Formulas: what a fixed batch leaves to each pipeline, what it idles, and what a GPU keeps of a batch in flight."""

from __future__ import annotations

from fractions import Fraction

from snippets.domain import as_float, positive_integer, positive_number


def copy_micro_batches(
    *,
    batch_tokens: int,
    sequence: int,
    ranks: int,
    tensor_parallel: int,
    pipeline_parallel: int,
    context_parallel: int = 1,
) -> int:
    """Return how many micro-batches of one sequence each copy of a model gets in a step of so many tokens.

    Formula: $m = \\frac{B\\,t\\,c\\,p}{s\\,R}$
    Symbols: m = the result; B = batch_tokens; t = tensor_parallel; c = context_parallel; p = pipeline_parallel;
        s = sequence; R = ranks
    Chapter: 37

    Args:
        batch_tokens: B, tokens of a step, a multiple of ``sequence``.
        sequence: s, tokens of a sequence.
        ranks: R, all of them, a multiple of t·c·p.
        tensor_parallel: t, ranks among which a layer is cut.
        pipeline_parallel: p, stages.
        context_parallel: c, ranks among which a sequence is cut.

    Returns:
        Micro-batches, at least 1.

    Raises:
        ValueError: if the ranks or the sequences cannot be dealt evenly.

    Source: derived: the sequences of a step over the copies R/(t·c·p).
    Convention: one sequence at a time, b = 1.
    Leaves out: nothing.

    Example:
        >>> sizes = {"batch_tokens": 2**24, "sequence": 8192, "ranks": 16384, "tensor_parallel": 8}
        >>> [copy_micro_batches(**sizes, pipeline_parallel=p) for p in (8, 16)]
        [8, 16]
    """
    B, s = positive_integer("batch_tokens", batch_tokens), positive_integer("sequence", sequence)
    R, t = positive_integer("ranks", ranks), positive_integer("tensor_parallel", tensor_parallel)
    p = positive_integer("pipeline_parallel", pipeline_parallel)
    c = positive_integer("context_parallel", context_parallel)
    if R % (t * c * p):
        raise ValueError(
            f"ranks must be a multiple of tensor_parallel × context_parallel × pipeline_parallel = {t * c * p}, got {R}"
        )
    copies = R // (t * c * p)
    if B % (s * copies):
        raise ValueError(
            f"batch_tokens must be a multiple of sequence × copies = {s * copies}, got {B}, where ranks make "
            f"{copies} copies"
        )
    return B // (s * copies)


def any_batch_bubble_overhead(*, stages: int, chunks: int, micro_batches: int) -> float:
    """Return the bubble of an interleaved pipeline over its working time, with any number of micro-batches.

    Formula: $\\frac{p - 1 + (v - 1)\\max(0,\\; p - m)}{v\\,m}$
    Symbols: p = stages; v = chunks; m = micro_batches
    Chapter: 37

    Args:
        stages: p, at least 1.
        chunks: v, model chunks of each stage, at least 1.
        micro_batches: m, at least 1; may be fewer than the stages.

    Returns:
        Idle time over working time.

    Source: derived; Narayanan et al. 2021 for m at least p, Grattafiori et al. 2024 for schedules with fewer.
    Convention: with fewer micro-batches than stages all run forward and then all backward, chunk by chunk, and a stage
        waits until the first one has been round.
    Leaves out: messages; stages that differ.

    Example:
        >>> any_batch_bubble_overhead(stages=16, chunks=8, micro_batches=16)
        0.1171875
        >>> any_batch_bubble_overhead(stages=32, chunks=4, micro_batches=16)
        1.234375
    """
    p, v, m = (
        positive_integer("stages", stages),
        positive_integer("chunks", chunks),
        positive_integer("micro_batches", micro_batches),
    )
    return (p - 1 + (v - 1) * max(0, p - m)) / (v * m)


def other_batch_rate(
    *, flops_per_s: float, stages: int, chunks: int, micro_batches: int, other_micro_batches: int
) -> float:
    """Return the rate of a run from that of another which has another number of micro-batches and differs in no more.

    Formula: $\\frac{1 + O(m)}{1 + O(m')}\\,P_m$
    Symbols: P_m = flops_per_s, the rate with m = micro_batches; m' = other_micro_batches; O = any_batch_bubble_overhead
        with p = stages and v = chunks
    Chapter: 37

    Args:
        flops_per_s: of a GPU in the run that is known, in any unit.
        stages: p.
        chunks: v.
        micro_batches: m of the run that is known.
        other_micro_batches: m of the other.

    Returns:
        The other run's rate, in the same unit.

    Source: derived.
    Convention: everything but the bubble takes the same time for each micro-batch.
    Leaves out: what is done once a step: the update, sums of gradients that stick out.

    Example:
        >>> round(other_batch_rate(flops_per_s=430, stages=16, chunks=8, micro_batches=32, other_micro_batches=16))
        407
    """
    rate = positive_number("flops_per_s", flops_per_s)
    known, other = (
        any_batch_bubble_overhead(stages=stages, chunks=chunks, micro_batches=positive_integer(name, count))
        for name, count in (("micro_batches", micro_batches), ("other_micro_batches", other_micro_batches))
    )
    return as_float("flops_per_s", Fraction(rate) * (1 + Fraction(known)) / (1 + Fraction(other)))


def in_flight_kept_bytes(
    *, batch_tokens: float, ranks: int, kept_bytes: float, micro_batches: int, stages: int
) -> float:
    """Return the activations on a GPU of the first stage when its pipeline is full: a share of the whole batch's.

    Formula: $\\min\\left(1,\\; \\frac{p}{m}\\right)\\,\\frac{B}{R}\\,A$
    Symbols: p = stages; m = micro_batches; B = batch_tokens; R = ranks; A = kept_bytes
    Chapter: 37

    Args:
        batch_tokens: B, tokens of a step.
        ranks: R, all of them.
        kept_bytes: A, what all layers together keep of one token, before any cut.
        micro_batches: m of a copy.
        stages: p.

    Returns:
        Bytes.

    Source: derived from ``one_f_one_b_peak_activations``: min(m, p) micro-batches of L/p layers.
    Convention: 1F1B; every kept tensor is cut evenly among tensor and context ranks.
    Leaves out: what interleaving keeps besides where m exceeds p; the logits.

    Example:
        >>> in_flight_kept_bytes(batch_tokens=2**24, ranks=2**14, kept_bytes=66e6, micro_batches=16, stages=16) / 1e9
        67.584
    """
    B, R, A = (
        positive_number("batch_tokens", batch_tokens),
        positive_integer("ranks", ranks),
        positive_number("kept_bytes", kept_bytes),
    )
    m, p = positive_integer("micro_batches", micro_batches), positive_integer("stages", stages)
    return as_float("batch_tokens and kept_bytes", min(Fraction(1), Fraction(p, m)) * Fraction(B) / R * Fraction(A))


def gathered_state_bytes(
    *, parameters: float, ranks: int, tensor_parallel: int, pipeline_parallel: int, chunks: int = 1
) -> float:
    """Return the state on a GPU that keeps its stage's weights, two chunks' gradients and a shard of the optimizer.

    Formula: $\\frac{2N}{tp} + \\min(2, v)\\,\\frac{4N}{tpv} + \\frac{12N}{R}$
    Symbols: N = parameters; t = tensor_parallel; p = pipeline_parallel; v = chunks; R = ranks
    Chapter: 37

    Args:
        parameters: N.
        ranks: R, at least t·p.
        tensor_parallel: t.
        pipeline_parallel: p.
        chunks: v, model chunks of each stage.

    Returns:
        Bytes.

    Source: derived; Grattafiori et al. 2024, section 3.3.2: weights are not cut again after the forward pass, optimizer
        state and gradients are, and gradients are accumulated and summed in fp32.
    Convention: 2 bytes a weight, 4 a gradient, 12 of optimizer state; the gradients of a chunk go out while those of
        the next are made.
    Leaves out: the tables at both ends.

    Example:
        >>> sizes = {"ranks": 16384, "tensor_parallel": 8, "pipeline_parallel": 16, "chunks": 8}
        >>> round(gathered_state_bytes(parameters=405e9, **sizes) / 1e9, 1)
        9.8
    """
    N, R = Fraction(positive_number("parameters", parameters)), positive_integer("ranks", ranks)
    t = positive_integer("tensor_parallel", tensor_parallel)
    p = positive_integer("pipeline_parallel", pipeline_parallel)
    v = positive_integer("chunks", chunks)
    if t * p > R:
        raise ValueError(f"ranks must be at least tensor_parallel × pipeline_parallel = {t * p}, got {R}")
    return as_float("parameters", 2 * N / (t * p) + min(2, v) * 4 * N / (t * p * v) + 12 * N / R)
