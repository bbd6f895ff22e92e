# Wrong: looks for other names, and so takes every primitive for a broadcast.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = {"AllReduce": 2, "AllGather": 1, "ReduceScatter": 1}.get(primitive, 0) * (ranks - 1) / ranks or 1
    return share * size_bytes <= time_s * bandwidth_bytes_per_s
