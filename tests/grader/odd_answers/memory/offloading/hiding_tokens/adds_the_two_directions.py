# Wrong: the link is full duplex.
# Known mistake: The link's two directions carry at the same time: compare each with the backward pass.
from fractions import Fraction
from math import ceil


def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    link = Fraction(2, down_bytes_per_s) + Fraction(2, up_bytes_per_s)
    return max(ceil(link * flops_per_s / 4), ceil(Fraction(update_bytes * flops_per_s, 4 * host_bytes_per_s)))
