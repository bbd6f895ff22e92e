# Wrong: takes the lines after the header for measurements, the last comment and empty lines too.
# Message: (line 9)
def read_benchmark(text, primitive, ranks):
    factor = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        del lines[0]
    rows = [line.split() for line in lines]
    return {int(x[0]): (int(x[0]) / float(x[5]) * 1e6, factor * int(x[0]) / float(x[5]) * 1e6) for x in rows}
