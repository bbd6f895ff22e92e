# %% both_directions
# Wrong: the link's rate is doubled, as if both directions carried the sum.
# Known mistake: You count half of the seconds. An all-reduce has two phases, each sending (N − 1)/N of the numbers, and the link's rate is one direction's already.
def most_ranks(*, k, element_bytes, peak_flops_per_s, link_bytes_per_s):
    return 1 + 2 * k * link_bytes_per_s // (element_bytes * peak_flops_per_s)

# %% by_floats
# Right: in floats, rounded down.
def most_ranks(k, element_bytes, peak_flops_per_s, link_bytes_per_s):
    return int(k * link_bytes_per_s / (element_bytes * peak_flops_per_s) + 1e-9) + 1
