# Wrong: a difference of 0 is taken for 1.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * k * n * bandwidth_bytes_per_s - activation_bytes * (k + n) * peak_flops_per_s
    return 0 if room < 0 else -(-weight_bytes * k * n * peak_flops_per_s // max(room, 1))
