# Wrong: a fourth algorithm.
# Message: bruck
def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    return [(0, "recursive_doubling"), (latency_s * bandwidth_bytes_per_s, "bruck")]
