# Wrong: a hundredth is no rounding error.
import math
from fractions import Fraction
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(2*P/(4*d), c*P/(4*h), 2*P/(4*u))-.01)
