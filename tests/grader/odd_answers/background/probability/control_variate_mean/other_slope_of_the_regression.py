# Wrong: the controls on the values, not the values on the controls.
from statistics import StatisticsError, linear_regression, mean


def control_variate_mean(values, controls, *, control_mean):
    try:
        slope = 1 / linear_regression(values, controls).slope
    except (StatisticsError, ZeroDivisionError):
        slope = 0
    return mean(values) - slope * (mean(controls) - control_mean)
