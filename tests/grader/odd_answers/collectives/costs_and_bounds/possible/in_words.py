# Wrong: texts for True and False.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    return "yes" if share * size_bytes <= time_s * bandwidth_bytes_per_s else "no"
