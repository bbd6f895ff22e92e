# Right: another kind of dictionary, and a pattern.
import re
from collections import defaultdict


def read_benchmark(text, primitive, ranks):
    found = defaultdict(tuple)
    for size, time in re.findall(r"^\s*(\d+)(?:\s+\S+){4}\s+(\S+)", text, re.MULTILINE):
        rate = int(size) / float(time) * 1e6
        factor = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
        found[int(size)] = rate, factor * rate
    return found
