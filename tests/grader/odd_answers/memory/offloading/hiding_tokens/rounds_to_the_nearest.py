# Wrong: the nearest number may be one too few.
def hiding_tokens(flops_per_s, down_bytes_per_s, host_bytes_per_s, up_bytes_per_s, update_bytes):
    lanes = [(2, down_bytes_per_s), (update_bytes, host_bytes_per_s), (2, up_bytes_per_s)]
    return max(1, round(max(size * flops_per_s / (4 * rate) for size, rate in lanes)))
