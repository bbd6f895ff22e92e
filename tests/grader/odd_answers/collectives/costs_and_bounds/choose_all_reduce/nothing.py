# Wrong: no rows.
# Message: has no row
def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    return []
