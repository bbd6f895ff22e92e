# Wrong: one too many where the threshold is whole.
# Known mistake: Where the threshold is a whole number, so many tokens are enough.
def least_tokens(*, ranks, parameters, flops_per_s, bandwidth_bytes_per_s, gradient_bytes):
    return int((ranks - 1) * gradient_bytes * flops_per_s / (2 * ranks * bandwidth_bytes_per_s)) + 1
