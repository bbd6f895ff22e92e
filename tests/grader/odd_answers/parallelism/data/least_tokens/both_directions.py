# Wrong: half of the bytes, as if the link's two directions were added.
# Known mistake: An all-reduce sends every chunk twice, in the reduce-scatter and in the all-gather, and the bandwidth is that of one direction.
from math import ceil


def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    return ceil((ranks - 1) / ranks * gradient_bytes * flops_per_s / (4 * bandwidth_bytes_per_s))
