# Right: the standard library's regression.
from statistics import StatisticsError, linear_regression, mean


def control_variate_mean(values, controls, *, control_mean):
    try:
        slope = linear_regression(controls, values).slope
    except StatisticsError:
        slope = 0
    return mean(values) - slope * (mean(controls) - control_mean)
