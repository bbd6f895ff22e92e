# %% by_floats
# Right: in floats, rounded down.
def most_ranks(k, element_bytes, peak_flops_per_s, link_bytes_per_s):
    return int(k * link_bytes_per_s / (element_bytes * peak_flops_per_s) + 1e-9) + 1
