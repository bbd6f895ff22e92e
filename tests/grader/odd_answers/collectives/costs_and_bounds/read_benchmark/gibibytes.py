# Wrong: GB of 2³⁰ bytes.
def read_benchmark(text, primitive, ranks):
    factor = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rates = {int(x[0]): int(x[0]) / float(x[5]) / 1e3 * 2**30 for x in rows}
    return {size: (rate, factor * rate) for size, rate in rates.items()}
