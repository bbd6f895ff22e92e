# Wrong: one of the two bandwidths.
def read_benchmark(text, primitive, ranks):
    factor = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {int(x[0]): factor * int(x[0]) / float(x[5]) * 1e6 for x in rows}
