# Wrong: the middle is right, and the width is the root of the squares of the ratios, not of their logarithms.
import math


def product_interval(factors):
    middle = math.prod(math.sqrt(low * high) ** power for low, high, power in factors)
    ratio = math.sqrt(sum((high / low) ** abs(power) for low, high, power in factors))
    return middle / ratio, middle * ratio
