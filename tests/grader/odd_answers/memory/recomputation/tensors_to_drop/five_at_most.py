# Wrong: drops at most five of the tensors that have a price.
from itertools import combinations

from snippets.memory.recomputation.selective import sizes_without
from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    free = [p.name for p in prices if not p.flops]
    paid = [p for p in prices if p.flops]
    best = None
    for count in range(6):
        for some in combinations(paid, count):
            names = free + [p.name for p in some]
            if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes:
                flops = sum(p.flops for p in some)
                if best is None or flops < best[0]:
                    best = flops, names
    return None if best is None else best[1]
