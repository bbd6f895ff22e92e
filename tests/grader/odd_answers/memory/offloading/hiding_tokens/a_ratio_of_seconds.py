# Right: seconds of the slowest lane over the GPU's seconds for a token.
import math
from fractions import Fraction
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(2/d,c/h,2/u)/(4/P))
