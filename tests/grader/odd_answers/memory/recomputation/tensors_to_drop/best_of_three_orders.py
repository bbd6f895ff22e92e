# Wrong: three greedy orders, each with what is not needed taken back; the cheapest of the three.
from snippets.memory.recomputation.selective import remade_flops, sizes_without
from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    def fits(names):
        return step_peak_bytes(sizes_without(sizes, dropped=names)) <= memory_bytes

    paid = [p for p in prices if p.flops]
    found = []
    for key in (lambda p: p.flops, lambda p: p.flops_per_byte, lambda p: -p.bytes):
        names = [p.name for p in prices if not p.flops]
        for p in sorted(paid, key=key):
            if fits(names):
                break
            names.append(p.name)
        if not fits(names):
            continue
        for p in sorted(paid, key=lambda p: -p.flops):
            less = [name for name in names if name != p.name]
            if fits(less):
                names = less
        found.append((remade_flops(prices, dropped=names), names))
    return min(found)[1] if found else None
