# Wrong: it tries powers of two alone.
def most_ranks(*, k, element_bytes, peak_flops_per_s, link_bytes_per_s):
    most = 1 + k * link_bytes_per_s // (element_bytes * peak_flops_per_s)
    return 2 ** (most.bit_length() - 1)
