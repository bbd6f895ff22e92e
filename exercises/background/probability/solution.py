"""Solutions of chapter A2's exercises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean


def batch_gradient(shards: Sequence[Sequence[Sequence[float]]]) -> tuple[list[float], float]:
    """Add sums, counts and squares over the workers; a mean of n has 1/n of the variance, estimated with n − 1."""
    size = sum(len(shard) for shard in shards)
    sums = [[sum(entry) for entry in zip(*shard, strict=True)] for shard in shards if shard]
    mean = [sum(entry) / size for entry in zip(*sums, strict=True)]
    squares = sum(math.dist(gradient, mean) ** 2 for shard in shards for gradient in shard)
    return mean, squares / (size - 1) / size


def batch_for_error(*, variance: float, error: float, population: int | None = None) -> int:
    """Solve σ²/B·(M − B)/(M − 1) ≤ e² for B; with replacement the second fraction is 1."""
    if variance == 0 or population == 1:
        return 1
    if population is None:
        return max(1, math.ceil(variance / error**2))
    return max(1, math.ceil(population * variance / ((population - 1) * error**2 + variance)))


def noise_from_workers(gradients: Sequence[Sequence[float]], *, batch_size: int) -> tuple[float, float]:
    """One degree of freedom is lost to the mean, hence N − 1; the mean's own squared length is too long by σ²/(NB)."""
    workers = len(gradients)
    mean = [fmean(entry) for entry in zip(*gradients, strict=True)]
    squares = sum(math.dist(gradient, mean) ** 2 for gradient in gradients)
    variance = batch_size * squares / (workers - 1)
    return variance, sum(entry**2 for entry in mean) - variance / (workers * batch_size)


def control_variate_mean(values: Sequence[float], controls: Sequence[float], *, control_mean: float) -> float:
    """The best coefficient is the slope of the regression of the values on the controls."""
    f, h = fmean(values), fmean(controls)
    covariance = sum((value - f) * (control - h) for value, control in zip(values, controls, strict=True))
    spread = sum((control - h) ** 2 for control in controls)
    slope = covariance / spread if spread else 0.0
    return f - slope * (h - control_mean)


def paired_interval(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    """A question's difference is −1, 0 or 1; the mean difference has the standard error of any mean."""
    differences = [int(b) - int(a) for a, b in zip(first, second, strict=True)]
    mean = fmean(differences)
    variance = fmean((difference - mean) ** 2 for difference in differences)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance / len(differences))
    return mean - half, mean + half
