# %% a_float
# Right: floats, and a whole number as a float.
import math


def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    needs = [2 * flops_per_s / (4 * down_bytes_per_s), 2 * flops_per_s / (4 * up_bytes_per_s)]
    needs.append(update_bytes * flops_per_s / (4 * host_bytes_per_s))
    return float(math.ceil(max(needs)))

# %% a_hundredth_less
# Wrong: a hundredth is no rounding error. It passed once.
import math
from fractions import Fraction
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(2*P/(4*d), c*P/(4*h), 2*P/(4*u))-.01)

# %% a_ratio_of_seconds
# Wrong: seconds of the slowest lane over the GPU's seconds for a token, rounded before they are divided. It passed once.
# Known mistake: Floats are rounded: 28 / 25 * 50 / 4 comes to a little more than 14. Compute with integers.
import math
from fractions import Fraction
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(2/d,c/h,2/u)/(4/P))

# %% floats_one_after_the_other
# Wrong: a float quotient can be a little too large before it is rounded up. It passed once.
# Known mistake: Floats are rounded: 28 / 25 * 50 / 4 comes to a little more than 14. Compute with integers.
import math
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(w/B for w, B in ((2, d), (c, h), (2, u)))*P/4)

# %% bandwidth_first
# Wrong: another order of float operations that is rounded in between.
import math
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    return math.ceil(max(P/B*w/4 for w, B in ((2, d), (c, h), (2, u))))

# %% least_bandwidth
# Wrong: what counts is the time, not the bandwidth. It was taken for another mistake once.
def hiding_tokens(*, flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    P, d, h, u, c = flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes
    r=min(d,h,u)
    s=c if r==h else 2
    return -(-s*P//(4*r))

# %% rounds_a_fraction_up
# Right: exact fractions, rounded up.
import math
from fractions import Fraction


def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    slow = max(Fraction(2, down_bytes_per_s), Fraction(update_bytes, host_bytes_per_s), Fraction(2, up_bytes_per_s))
    return math.ceil(slow * flops_per_s / 4)
