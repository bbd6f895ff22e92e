# Wrong: the rows descend.
# Message: begins at
def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    return [(latency_s * bandwidth_bytes_per_s * ranks, "ring"), (0.0, "recursive_doubling")]
