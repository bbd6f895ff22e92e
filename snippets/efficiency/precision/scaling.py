"""Simulators: tensors whose blocks are scaled and rounded, with the bytes that are left of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import Answers, at_most, nonnegative_integer, positive_integer
from snippets.efficiency.precision.formats import NUMBER_FORMATS, FloatFormat, largest_finite, least_normal
from snippets.efficiency.precision.rounding import round_to_format
from snippets.efficiency.precision.scaling_recipes import SCALING_RECIPES, ScalingRecipe

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ScaledTensor(Answers):
    """What is left of a tensor, and what it takes.

    Attributes:
        values: what a reader of the tensor gets: scale times rounded number, of the tensor's shape.
        rounded: the numbers of the format that are stored, of the same shape.
        scales: of the blocks, (rows of blocks, columns of blocks); in NVFP4 without the tensor's scale.
        tensor_scale: fp32 number by which all is multiplied besides; 1 but in NVFP4.
        value_bytes: of the stored numbers.
        scale_bytes: of the scales, the tensor's included.
    """

    values: FloatArray
    rounded: FloatArray
    scales: FloatArray
    tensor_scale: float
    value_bytes: int
    scale_bytes: int

    @property
    def bits_per_value(self) -> float:
        """Bits that a number takes with its share of the scales.

        >>> scale_and_round(np.ones((64, 64)), recipe="mxfp8").bits_per_value
        8.25
        """
        return 8 * (self.value_bytes + self.scale_bytes) / self.values.size


def scale_and_round(
    values: npt.ArrayLike, *, recipe: ScalingRecipe | str, generator: np.random.Generator | None = None
) -> ScaledTensor:
    """Divide each block of a tensor by its scale, round to the recipe's format, and multiply again.

    Args:
        values: an array of any finite numbers, at least one. Its last axis is a row's; all others are taken as one axis
            of rows, and a vector is one row. Blocks at the edges may be smaller.
        recipe: a name in ``SCALING_RECIPES``, or a ``ScalingRecipe`` of your own.
        generator: where given, the numbers are rounded at random, as by ``round_to_format``; the scales never are.

    Returns:
        The values that are left, the numbers and the scales that are stored, and their bytes.

    Source: OCP MX 1.0, section 6.3; NVIDIA 2025 (arXiv 2509.25149); Transformer Engine's documentation.
    Convention: current scaling: the scales are computed from these values. All-zero blocks are 0 by any scale. A scale
        stays within its format, so that numbers beyond it saturate. Bytes are rounded up to whole ones.
    Leaves out: padding, the copy for the transposed matrix, and the Hadamard transform before NVFP4. A quotient is one
        of float64, rounded once more where the scale is no power of two; kernels compute it in fp32.

    Example:
        >>> kept = scale_and_round([[1.0, 200, 300, 2688]], recipe="nvfp4")
        >>> kept.values.tolist(), kept.scales.tolist()
        ([[0.0, 224.0, 224.0, 2688.0]], [[448.0]])
    """
    plan, numbers = SCALING_RECIPES.find(recipe), finite_array("values", values)
    if not numbers.size:
        raise ValueError(f"values must hold a number or more, got an array of shape {numbers.shape}")
    table = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim else numbers.reshape(1, 1)  # (rows, columns)
    down, across = (_edges(size, side) for size, side in zip(table.shape, (plan.rows, plan.columns), strict=True))
    largest = np.maximum.reduceat(np.maximum.reduceat(np.abs(table), down[:-1], axis=0), across[:-1], axis=1)
    scales, tensor_scale = _scales(largest, plan)
    spread = np.repeat(np.repeat(scales, np.diff(down), axis=0), np.diff(across), axis=1)  # (rows, columns)
    factors = spread * tensor_scale
    with np.errstate(over="ignore"):
        quotients = np.divide(table, factors, out=np.zeros_like(table), where=factors > 0)
    most = np.finfo(np.float64).max
    rounded = round_to_format(np.clip(quotients, -most, most), number_format=plan.number_format, generator=generator)
    return ScaledTensor(
        values=(rounded * factors + 0.0).reshape(numbers.shape),
        rounded=rounded.reshape(numbers.shape),
        scales=scales,
        tensor_scale=tensor_scale,
        value_bytes=-(-NUMBER_FORMATS[plan.number_format].bits * numbers.size // 8),
        scale_bytes=scales.size * plan.scale_bits // 8 + (4 if plan.scale == "nvfp4" else 0),
    )


def _edges(size: int, side: int | None) -> npt.NDArray[np.int64]:
    """Return where blocks begin along an axis, and its end."""
    return np.append(np.arange(0, size, min(side or size, size)), size).astype(np.int64)


def _scales(largest: FloatArray, plan: ScalingRecipe) -> tuple[FloatArray, float]:
    """Return the scales of all blocks from their largest magnitudes, and the tensor's."""
    kept = NUMBER_FORMATS[plan.number_format]
    most, tensor_scale = largest_finite(kept), 1.0
    full = np.where(largest > 0, largest, most)  # a block of zeros gets the scale 1, or the least
    if plan.scale == "nvfp4":
        whole = float(largest.max()) / (largest_finite("e4m3") * most)
        tensor_scale = float(_within(np.array(whole), "fp32")) if whole else 1.0
        scales = round_to_format(largest / most / tensor_scale, number_format="e4m3")
    elif plan.scale == "fp32":
        scales = _within(full / most, "fp32")
    elif plan.scale == "mx-floor":
        exponents = np.frexp(largest)[1] - 1 - kept.largest_exponent
        scales = np.where(largest > 0, np.ldexp(1.0, np.clip(exponents, -127, 127)), 2.0**-127)
    else:
        fraction, exponents = np.frexp(full)
        top, shift = np.frexp(most)
        powers = exponents - shift + (fraction > top)  # of the least power of two at full / most or above it
        low = -127 if plan.scale == "mx-ceiling" else -126
        scales = np.ldexp(1.0, np.clip(powers, low, 127))
        if plan.scale == "mx-ceiling":
            scales = np.where(largest > 0, scales, 2.0**-127)
    return scales, tensor_scale


def _within(scales: FloatArray, name: str) -> FloatArray:
    """Round scales to a format, not below its least normal number."""
    return np.maximum(round_to_format(scales, number_format=name), least_normal(name))


@dataclass(frozen=True)
class DelayedScales(Answers):
    """The scales of a tensor over a run's steps, chosen before its numbers are seen.

    Attributes:
        scales: by which each step divides, (steps,).
        range_shares: the step's largest magnitude over what the scale allows, (steps,): above 1 it saturates.
    """

    scales: FloatArray
    range_shares: FloatArray

    @property
    def saturated_steps(self) -> int:
        """Steps in which numbers are cut off.

        >>> delayed_scales([1, 1, 3, 3], history=1).saturated_steps
        1
        """
        return int((self.range_shares > 1).sum())


def delayed_scales(
    largest: npt.ArrayLike, *, history: int, number_format: FloatFormat | str = "e4m3", margin: int = 0
) -> DelayedScales:
    """Choose each step's scale from the largest magnitudes of the steps before, as delayed scaling does.

    Args:
        largest: of the tensor in each step, at least 0, of shape (steps,) with at most 2¹⁶ steps.
        history: steps that are remembered, at most 2¹⁶.
        number_format: a name in ``NUMBER_FORMATS``, or a ``FloatFormat`` of your own.
        margin: powers of two that are left free, at least 0 and at most 64.

    Returns:
        Scales, and how much of the range each step uses. Current scaling's are its largest magnitude over the
        format's largest number, and its share 1.

    Source: Transformer Engine's documentation, FP8 Delayed Scaling: the largest of the history.
    Convention: a number is divided by the scale; libraries multiply by its reciprocal. Without a history, or with one
        of zeros, the scale is 1. Scales are floats of Python, not rounded to fp32.

    Example:
        >>> delayed_scales([448, 448, 896, 448], history=2).range_shares.tolist()
        [1.0, 1.0, 2.0, 0.5]
    """
    seen, most = finite_array("largest", largest, dimensions=1), largest_finite(number_format)
    at_most("steps", seen.size, 2**16)
    if (seen < 0).any():
        raise ValueError(f"largest must be at least 0, got {seen[seen < 0][0]}")
    length = at_most("history", positive_integer("history", history), 2**16)
    free = 2.0 ** at_most("margin", nonnegative_integer("margin", margin), 64)
    scales = np.ones(seen.size)
    for step in range(1, seen.size):
        before = seen[max(0, step - length) : step].max()
        scales[step] = before / most * free if before / most * free > 0 else 1.0
    if not np.isfinite(scales).all():
        raise ValueError(f"largest must be smaller: a scale overflows, got {seen.max()}")
    with np.errstate(over="ignore"):
        shares = seen / (scales * most)
    if not np.isfinite(shares).all():
        raise ValueError(f"largest must vary less: a share overflows, got {seen.max()}")
    return DelayedScales(scales, shares)
