# Right: floats, and a whole number as a float.
import math


def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    needs = [2 * flops_per_s / (4 * down_bytes_per_s), 2 * flops_per_s / (4 * up_bytes_per_s)]
    needs.append(update_bytes * flops_per_s / (4 * host_bytes_per_s))
    return float(math.ceil(max(needs)))
