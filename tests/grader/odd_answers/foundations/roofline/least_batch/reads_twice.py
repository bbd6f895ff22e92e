# Wrong: it reads and writes the result, as for an accumulation.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * k * n * bandwidth_bytes_per_s - activation_bytes * (k + 2 * n) * peak_flops_per_s
    return -(-weight_bytes * k * n * peak_flops_per_s // room) if room > 0 else 0
