# Wrong: lets 5% pass.
# Known mistake: A time that is a little too short is impossible too: compare with the floor itself, without slack.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    return 0.95 * share * size_bytes <= time_s * bandwidth_bytes_per_s
