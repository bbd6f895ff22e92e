"""Simulators: gradients that underflow in a format, and the loss scale that is found by overflows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array
from snippets.domain import Answers, at_most, positive_integer, positive_number
from snippets.efficiency.precision.formats import NUMBER_FORMATS, FloatFormat
from snippets.efficiency.precision.rounding import round_to_format

_MOST = float(np.finfo(np.float64).max)


def flushed_share(values: npt.ArrayLike, *, number_format: FloatFormat | str, scale: float = 1.0) -> float:
    """Return which share of a tensor's nonzero numbers a format rounds to 0, if they are multiplied by a scale first.

    Args:
        values: an array of any finite numbers.
        number_format: a name in ``NUMBER_FORMATS`` with a sign, or a ``FloatFormat`` of your own.
        scale: the loss scale; 1 for none.

    Returns:
        The share; 0 where no number is nonzero.

    Source: Micikevicius et al. 2018, section 3.2.
    Convention: to nearest even; what overflows is not counted. The product is one of float64.

    Example:
        >>> gradients = [1e-3, 1e-8, 2e-8, 1e-5]
        >>> flushed_share(gradients, number_format="fp16"), flushed_share(gradients, number_format="fp16", scale=1024)
        (0.5, 0.0)
    """
    kept = NUMBER_FORMATS.find(number_format)
    if kept.scale_only:
        raise ValueError(f"number_format must have a sign and a mantissa, got {kept.name}")
    numbers, factor = finite_array("values", values), positive_number("scale", scale)
    there = numbers[numbers != 0]
    with np.errstate(over="ignore"):
        scaled = np.clip(there * factor, -_MOST, _MOST)
    return float((round_to_format(scaled, number_format=kept) == 0).mean()) if there.size else 0.0


@dataclass(frozen=True)
class LossScales(Answers):
    """The loss scale of each step, and which steps were lost.

    Attributes:
        scales: by which each step's loss was multiplied, (steps,).
        skipped: whether its gradients overflowed, so that the step was left out, (steps,).
    """

    scales: npt.NDArray[np.float64]
    skipped: npt.NDArray[np.bool_]

    @property
    def skipped_steps(self) -> int:
        """Steps that were left out.

        >>> dynamic_loss_scales([1.0] * 10, initial=2.0**17).skipped_steps
        2
        """
        return int(self.skipped.sum())


def dynamic_loss_scales(
    largest: npt.ArrayLike,
    *,
    number_format: FloatFormat | str = "fp16",
    initial: float = 65_536.0,
    growth: float = 2.0,
    backoff: float = 0.5,
    growth_interval: int = 2000,
) -> LossScales:
    """Find a loss scale as mixed precision does: halve it when gradients overflow, double it after many good steps.

    Args:
        largest: largest magnitude of each step's gradients, unscaled, at least 0, of shape (steps,), at most 2¹⁶ steps.
        number_format: of the gradients; it has infinities, or there is no overflow to see.
        initial: scale of the first step.
        growth: factor after ``growth_interval`` good steps in a row, above 1.
        backoff: factor after an overflow, below 1.
        growth_interval: steps.

    Returns:
        The scale of each step, and the steps that were skipped.

    Raises:
        ValueError: if the scale leaves a float's range.

    Source: Micikevicius et al. 2018, section 3.2; PyTorch's documentation, ``torch.amp.GradScaler``, for the defaults.
    Convention: to nearest even: fp16 overflows from 65,520 on. A skipped step begins the count of good ones anew.
    Leaves out: overflows within the backward pass that the last gradients do not show.

    Example:
        >>> run = dynamic_loss_scales([1.0, 1.0, 1.0, 0.1, 0.1], growth_interval=2)
        >>> run.scales.tolist(), run.skipped.tolist()
        ([65536.0, 32768.0, 32768.0, 65536.0, 65536.0], [True, False, False, False, False])
    """
    kept, seen = NUMBER_FORMATS.find(number_format), finite_array("largest", largest, dimensions=1)
    at_most("steps", seen.size, 2**16)
    if (seen < 0).any():
        raise ValueError(f"largest must be at least 0, got {seen[seen < 0][0]}")
    if not kept.has_infinity:
        raise ValueError(f"number_format must have infinities, got {kept.name}")
    up, down = positive_number("growth", growth), positive_number("backoff", backoff)
    for name, factor, fits in (("growth", up, up > 1), ("backoff", down, down < 1)):
        if not fits:
            raise ValueError(f"{name} must be {'above' if name == 'growth' else 'below'} 1, got {factor!r}")
    often = positive_integer("growth_interval", growth_interval)
    scale, good = positive_number("initial", initial), 0
    scales, skipped = np.zeros(seen.size), np.zeros(seen.size, dtype=bool)
    for step, magnitude in enumerate(seen.tolist()):
        scales[step] = scale
        scaled = min(magnitude * scale, _MOST)
        skipped[step] = np.isinf(round_to_format(scaled, number_format=kept, overflow="infinity"))
        good = 0 if skipped[step] else good + 1
        if skipped[step]:
            scale *= down
        elif good == often:
            scale, good = scale * up, 0
        if not 0 < scale < np.inf:
            given = f"{initial!r}, {growth!r}, {backoff!r}"
            raise ValueError(f"initial, growth and backoff must keep the scale a float, got {given}")
    return LossScales(scales, skipped)
