# Right: all subsets of all tensors, which is slow.
from itertools import combinations

from snippets.memory.recomputation.selective import sizes_without
from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    best = None
    for count in range(len(prices) + 1):
        for some in combinations(prices, count):
            names = [p.name for p in some]
            if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes:
                flops = sum(p.flops for p in some)
                if best is None or flops < best[0]:
                    best = flops, names
    return None if best is None else best[1]
