# Wrong: the root of the fast memory, without its strips.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    side = int((fast_bytes / element_bytes) ** 0.5)
    return min(m, side), min(n, side)
