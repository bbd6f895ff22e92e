"""Formulas: what a narrower number format buys of a training step, and what it costs to quantize."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import (
    as_float,
    each,
    nonnegative_number,
    positive_integer,
    positive_number,
    probability,
)


def partial_speedup(*, share: float, speedup: float) -> float:
    """Return how much faster a step gets if only a share of its time is made faster.

    Also: Amdahl's law
    Formula: $\\dfrac{1}{1 - \\varphi + \\varphi/\\sigma}$
    Symbols: \\varphi = share; \\sigma = speedup
    Chapter: 32

    Args:
        share: share of the step's time, before, that is made faster, from 0 to 1.
        speedup: by which factor that part is made faster; below 1 it gets slower.

    Returns:
        The factor by which the whole step gets faster.

    Source: Amdahl 1967.
    Convention: shares of the time before the change; the parts follow each other.
    Leaves out: parts that overlap, and time that the change adds elsewhere.

    Example:
        >>> round(partial_speedup(share=0.5, speedup=2), 3)
        1.333
    """
    φ, σ = probability("share", share), positive_number("speedup", speedup)
    return as_float("share and speedup", 1 / (1 - φ + φ / σ))


def mixed_format_flops_per_s(*, flops: Sequence[float], flops_per_s: Sequence[float]) -> float:
    """Return the rate of work whose parts run in different number formats, each at its own rate.

    Of peaks it's the denominator of a utilization whose FLOPs run in several formats.

    Also: harmonic mean of rates
    Formula: $\\sum_i F_i \\Big/ \\sum_i \\dfrac{F_i}{P_i}$
    Symbols: F_i = flops of part i; P_i = flops_per_s of part i
    Chapter: 32

    Args:
        flops: FLOPs of each part, at least 0 and not all 0.
        flops_per_s: the rate of each part, its peak or what it reaches.

    Returns:
        FLOP a second.

    Source: the parts' times add up.
    Convention: one part after the other.
    Leaves out: everything that isn't counted in FLOPs.

    Example:
        >>> mixed_format_flops_per_s(flops=[3, 1], flops_per_s=[3, 1])
        2.0
    """
    parts = each("flops", flops, nonnegative_number)
    rates = each("flops_per_s", flops_per_s, positive_number)
    if len(parts) != len(rates):
        raise ValueError(f"flops and flops_per_s must be of one length, got {len(parts)} and {len(rates)}")
    seconds = math.fsum(F / P for F, P in zip(parts, rates, strict=True))
    if not seconds > 0:
        raise ValueError(f"flops must be above 0 in at least one part, got {list(parts)!r}")
    return as_float("flops and flops_per_s", math.fsum(parts) / seconds)


def quantizing_bytes(
    *, values: float, value_bits: float, element_bytes: float = 2, copies: int = 2, passes: int = 1
) -> float:
    """Return what passes through memory when a tensor is quantized by itself.

    Formula: $Q = j \\left( w\\,j_\\text{read} + \\tfrac{i}{8}\\,j_\\text{copy} \\right)$
    Symbols: Q = the result; j = values; w = element_bytes; i = value_bits; j_read = passes; j_copy = copies
    Chapter: 32

    Args:
        values: numbers of the tensor.
        value_bits: bits of a quantized number, with its part of the scales: 4.5 for NVFP4, 8.25 for MXFP8.
        element_bytes: bytes of a number before it is quantized.
        copies: quantized copies that are written: 2 if the backward pass needs the tensor along its other side too.
        passes: how often the tensor is read: 2 if a scale of the whole tensor has to be found first.

    Returns:
        Bytes, read and written.

    Source: counted.
    Convention: a kernel of its own; where quantizing is fused with what made the tensor, less is read.
    Leaves out: reading the quantized copies again, which is the matmul's.

    Example:
        >>> quantizing_bytes(values=100, value_bits=4.5, passes=2)
        512.5
    """
    j, i, w = (
        positive_number("values", values),
        positive_number("value_bits", value_bits),
        positive_number("element_bytes", element_bytes),
    )
    reads, writes = positive_integer("passes", passes), positive_integer("copies", copies)
    return as_float("values, value_bits and element_bytes", j * (w * reads + i / 8 * writes))
