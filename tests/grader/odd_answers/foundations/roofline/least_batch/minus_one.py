# Wrong: −1 where no batch is enough.
# Known mistake: Where no number of rows is enough, the result is to be 0.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * k * n * bandwidth_bytes_per_s - activation_bytes * (k + n) * peak_flops_per_s
    return -(-weight_bytes * k * n * peak_flops_per_s // room) if room > 0 else -1
