# Wrong: a number above 0 is no answer to a question of yes or no.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    return share * size_bytes / time_s
