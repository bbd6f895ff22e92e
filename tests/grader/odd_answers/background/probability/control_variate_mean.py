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
