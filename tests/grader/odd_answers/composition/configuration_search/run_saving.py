# %% rounded_to_six_digits
# Right: an integral, rounded.
import math


def run_saving(*, predicted, measured, error_spread):
    total, parts = 0.0, 20_000
    for place in range(parts):
        z = -9 + 18 * (place + 0.5) / parts
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        total += max(0.0, measured - predicted * math.exp(error_spread * z)) * density * 18 / parts
    return float(f"{total:.6g}")


# %% with_the_density
# Wrong: the density for the distribution function.
# Known mistake: Φ is the distribution function of the normal distribution, cdf. You took its density, pdf.
import math
from statistics import NormalDist


def run_saving(*, predicted, measured, error_spread):
    z = math.log(predicted / measured) / error_spread
    normal = NormalDist()
    return measured * normal.pdf(-z) - predicted * math.exp(error_spread**2 / 2) * normal.pdf(-z - error_spread)
