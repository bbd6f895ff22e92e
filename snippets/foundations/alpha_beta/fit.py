"""Simulators: α and β from measured message times, by least squares, with their uncertainties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import one_of

WEIGHTINGS = ("relative", "uniform")

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AlphaBetaFit:
    """A straight line through measured times.

    Attributes:
        latency_s: α, the time of a message of no bytes; noise can make it negative.
        s_per_byte: 1/β, the slope.
        latency_standard_error_s: standard error of α.
        s_per_byte_standard_error: standard error of the slope.
        correlation: of the two errors, from −1 to 1.
        residuals_s: measured minus fitted, in the order of the measurements.

    Example:
        >>> fit = fit_alpha_beta([0, 1000, 2000], [1e-6, 2e-6, 3e-6], weighting="uniform")
        >>> round(fit.latency_s * 1e6, 9), round(fit.bandwidth_bytes_per_s), round(fit.half_bandwidth_bytes)
        (1.0, 1000000000, 1000)
    """

    latency_s: float
    s_per_byte: float
    latency_standard_error_s: float
    s_per_byte_standard_error: float
    correlation: float
    residuals_s: Array

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """β, the inverse of the slope."""
        return 1 / self.s_per_byte

    @property
    def bandwidth_standard_error_bytes_per_s(self) -> float:
        """Standard error of β to first order: that of the slope times β²."""
        return self.s_per_byte_standard_error / self.s_per_byte**2

    @property
    def half_bandwidth_bytes(self) -> float:
        """n½ = αβ."""
        return self.latency_s / self.s_per_byte


@refusing_overflow("sizes_bytes and times_s")
def fit_alpha_beta(sizes_bytes: npt.ArrayLike, times_s: npt.ArrayLike, *, weighting: str = "relative") -> AlphaBetaFit:
    """Fit T = α + n/β to measured times by weighted least squares.

    The errors of α and 1/β come from s²(XᵀWX)⁻¹, where X has the columns 1 and n, W the weights, and s² is the weighted
    sum of squared residuals divided by the measurements less two.

    Args:
        sizes_bytes: sizes of the messages, shape (m,), m ≥ 3, at least two of them different.
        times_s: their times, shape (m,), above 0.
        weighting: ``"relative"`` takes the noise to be proportional to the measured time (weights 1/T²): the choice
            where sizes span decades, for otherwise the largest messages alone decide and α is lost in their noise.
            ``"uniform"`` takes it to be the same in seconds for all.

    Returns:
        The fit, with standard errors: 68% of such intervals cover the truth if the noise is normal, independent and
        as assumed.

    Raises:
        ValueError: if the arrays are not of one length of at least 3, a size is no finite number of at least 0, a time
            none above 0, all sizes are the same, the times do not grow with the size, or ``weighting`` is unknown.

    Source: Hockney 1994 for the model; the estimate is the textbook's for weighted linear regression.
    Convention: one-way times; halve the times of a ping-pong first. β is per direction.
    Leaves out: switches of protocol (fit each range by itself), outliers (take medians first), correlated noise.

    Example:
        >>> sizes = np.array([1e2, 1e4, 1e6, 1e8])
        >>> fit = fit_alpha_beta(sizes, 5e-6 + sizes / 50e9)
        >>> round(fit.latency_s * 1e6, 6), round(fit.bandwidth_bytes_per_s / 1e9, 6)
        (5.0, 50.0)
    """
    sizes, times = _measurements("sizes_bytes", sizes_bytes), _measurements("times_s", times_s)
    one_of("weighting", weighting, WEIGHTINGS)
    if sizes.size != times.size or sizes.size < 3:
        raise ValueError(
            f"sizes_bytes and times_s must be of one length of at least 3, got {sizes.size} and {times.size}"
        )
    if (sizes < 0).any() or (sizes == sizes[0]).all():
        raise ValueError(f"sizes_bytes must be at least 0 and not all the same, got {sizes_bytes!r}")
    if (times <= 0).any():
        raise ValueError(f"times_s must be above 0, got {times_s!r}")
    # In units of the largest size and time the two columns are of like magnitude.
    size_unit, time_unit = sizes.max(), times.max()
    x, y = sizes / size_unit, times / time_unit
    weights = 1 / y if weighting == "relative" else np.ones_like(y)
    design = np.stack([weights, weights * x], axis=1)  # (measurements, 2)
    (level, slope), *_ = np.linalg.lstsq(design, weights * y, rcond=None)
    residuals = y - level - slope * x
    if not slope > 0:
        raise ValueError(f"times_s must grow with sizes_bytes, got times whose fitted slope is {slope}")
    variance = float(np.sum((weights * residuals) ** 2)) / (sizes.size - 2)
    inverse = np.linalg.inv(design.T @ design)  # (2, 2)
    errors = np.sqrt(variance * np.diag(inverse))
    return AlphaBetaFit(
        latency_s=float(level * time_unit),
        s_per_byte=float(slope * time_unit / size_unit),
        latency_standard_error_s=float(errors[0] * time_unit),
        s_per_byte_standard_error=float(errors[1] * time_unit / size_unit),
        correlation=float(inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])),
        residuals_s=residuals * time_unit,
    )


def _measurements(name: str, values: Any) -> Array:
    """Return a one-dimensional array of finite numbers, or raise ``ValueError``."""
    try:
        return finite_array(name, values, dimensions=1)
    except ValueError:
        raise ValueError(f"{name} must be a one-dimensional array of finite numbers, got {values!r}") from None
