# Right: exact fractions, rounded up.
import math
from fractions import Fraction


def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    slow = max(Fraction(2, down_bytes_per_s), Fraction(update_bytes, host_bytes_per_s), Fraction(2, up_bytes_per_s))
    return math.ceil(slow * flops_per_s / 4)
