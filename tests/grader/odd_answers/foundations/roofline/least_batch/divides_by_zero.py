# Wrong: a difference of 0 is divided by.
# Known mistake: Where a row's bytes take just as long as its operations, nothing is left to make up for the weights: return 0 there too.
def least_batch(*, k, n, weight_bytes, activation_bytes, peak_flops_per_s, bandwidth_bytes_per_s):
    room = 2 * k * n * bandwidth_bytes_per_s - activation_bytes * (k + n) * peak_flops_per_s
    return 0 if room < 0 else -(-weight_bytes * k * n * peak_flops_per_s // room)
