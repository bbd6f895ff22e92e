# Wrong: it gives up after a thousand rows.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    for m in range(1, 1001):
        moved = weight_bytes * k * n + activation_bytes * m * (k + n)
        if 2 * m * k * n * bandwidth_bytes_per_s >= moved * peak_flops_per_s:
            return m
    return 0
