# Wrong: one row of the result at a time, as wide as fits.
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    return 1, max(1, min(n, (fast_bytes // element_bytes - 1) // 2))
