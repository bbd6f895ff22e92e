# Wrong: frees what the peak is too large by in the layers, as if the worst moment stayed the same.
from itertools import combinations

from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    over = step_peak_bytes(sizes) - memory_bytes
    best = None
    for count in range(len(prices) + 1):
        for some in combinations(prices, count):
            if sizes.layers * sum(p.bytes for p in some) >= over:
                flops = sum(p.flops for p in some)
                if best is None or flops < best[0]:
                    best = flops, [p.name for p in some]
    return None if best is None else best[1]
