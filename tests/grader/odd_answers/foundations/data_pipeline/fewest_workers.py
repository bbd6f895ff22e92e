# %% seconds_as_floats
# Wrong: seconds as floats, whose product may lie just above a whole number; it passed once.
# Known mistake: Right but for rounding: as floats, a product that should be a whole number may lie just above it. Multiply whole numbers first, and divide last.
import math


def fewest_workers(*, gpus, images_per_s, image_us):
    return max(1, math.ceil(gpus * images_per_s * (image_us / 1e6)))

# %% a_decimal
# Right: a decimal that is a whole number.
from decimal import ROUND_CEILING, Decimal


def fewest_workers(*, gpus, images_per_s, image_us):
    workers = Decimal(gpus * images_per_s * image_us) / 10**6
    return workers.quantize(Decimal(1), ROUND_CEILING)

# %% a_decimal_that_is_none
# Wrong: a decimal that is no number.
# Message: a Decimal
from decimal import Decimal


def fewest_workers(*, gpus, images_per_s, image_us):
    return Decimal("nan")

# %% at_most_eight_gpus
# Wrong: no node has more than 8 GPUs; it passed once.
# Message: 1
def fewest_workers(*, gpus, images_per_s, image_us):
    return -(-min(gpus, 8) * images_per_s * image_us // 10**6)
