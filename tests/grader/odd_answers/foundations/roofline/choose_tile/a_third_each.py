# Wrong: the usual rule of three blocks, side √(room / 3).
def choose_tile(*, m, k, n, element_bytes, fast_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    side = max(1, int((fast_bytes / element_bytes / 3) ** 0.5))
    return min(m, side), min(n, side)
