# Wrong: right for five of six primitives.
# Message: wrong only where primitive = 'all_to_all'
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1}.get(primitive, 0) * (ranks - 1) / ranks or 1
    return share * size_bytes <= time_s * bandwidth_bytes_per_s
