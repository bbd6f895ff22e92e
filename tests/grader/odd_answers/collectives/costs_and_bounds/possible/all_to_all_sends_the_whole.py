# Wrong: right for five of six primitives.
# Known mistake: In an all_to_all each rank keeps a block: its factor is (N − 1)/N, not 1.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1}.get(primitive, 0) * (ranks - 1) / ranks or 1
    return share * size_bytes <= time_s * bandwidth_bytes_per_s
