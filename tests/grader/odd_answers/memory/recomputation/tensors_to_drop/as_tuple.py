# Right: a tuple, all subsets of the paid ones by their price.
from itertools import chain, combinations

from snippets.memory.recomputation.selective import sizes_without
from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    free = [p for p in prices if p.flops == 0]
    paid = [p for p in prices if p.flops]
    subsets = chain.from_iterable(combinations(paid, n) for n in range(len(paid) + 1))
    for some in sorted(subsets, key=lambda some: sum(p.flops for p in some)):
        names = tuple(p.name for p in (*free, *some))
        if step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes:
            return names
    return None
