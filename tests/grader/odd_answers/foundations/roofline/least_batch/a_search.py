# Right: one batch after the other.
def least_batch(k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    if 2 * k * n * bandwidth_bytes_per_s <= activation_bytes * (k + n) * peak_flops_per_s:
        return 0
    m = 1
    while 2 * m * k * n * bandwidth_bytes_per_s < (weight_bytes * k * n + activation_bytes * m * (k + n)) * peak_flops_per_s:
        m += 1
    return m
