# Wrong: NumPy divides 0 by 0 without an exception.
# Message: nan
import numpy as np


def control_variate_mean(values, controls, *, control_mean):
    (_, both), (_, spread) = np.cov(values, controls, ddof=0)
    return float(np.mean(values) - np.float64(both) / spread * (np.mean(controls) - control_mean))
