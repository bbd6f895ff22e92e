# %% by_linear_regression
# Right: the standard library's regression.
from statistics import StatisticsError, linear_regression, mean


def control_variate_mean(values, controls, *, control_mean):
    try:
        slope = linear_regression(controls, values).slope
    except StatisticsError:
        slope = 0
    return mean(values) - slope * (mean(controls) - control_mean)

# %% numpy
# Right: covariances by NumPy.
import numpy as np


def control_variate_mean(values, controls, *, control_mean):
    (_, both), (_, spread) = np.cov(values, controls, ddof=0)
    slope = both / spread if spread else 0
    return np.mean(values) - slope * (np.mean(controls) - control_mean)

# %% small_controls
# Wrong: takes controls of little spread for equal ones; it passed once.
# Known mistake: You took μ = 0 where the controls differ by little. Gradients are often small; only equal ones tell nothing.
from statistics import fmean


def control_variate_mean(values, controls, *, control_mean):
    f, y = fmean(values), fmean(controls)
    spread = sum((b - y) ** 2 for b in controls)
    slope = sum((a - f) * (b - y) for a, b in zip(values, controls)) / spread if spread > 1e-9 else 0.0
    return f - slope * (y - control_mean)
