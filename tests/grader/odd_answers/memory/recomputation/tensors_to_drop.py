# %% all_subsets
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

# %% as_tuple
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

# %% best_of_three_orders
# Wrong: three greedy orders, each with what is not needed taken back; the cheapest of the three. It passed once.
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

# %% five_at_most
# Wrong: drops at most five of the tensors that have a price. It passed once.
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

# %% a_set
# Right: a set, because the order is free.
from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from snippets.memory.memory_equation.step_peak import (
    StepSizes,
    gpt_step_sizes,
    step_peak_bytes,
)
from snippets.memory.recomputation.selective import (
    TensorPrice,
    sizes_without,
    tensor_prices,
)


def tensors_to_drop(
    *,
    sizes: StepSizes,
    prices: Sequence[TensorPrice],
    memory_bytes: int,
) -> list[str] | None:
    free = [tensor.name for tensor in prices if tensor.flops == 0]
    paid = [tensor for tensor in prices if tensor.flops > 0]
    if step_peak_bytes(sizes) <= memory_bytes:
        return []
    best = None
    for count in range(len(paid) + 1):
        for some in combinations(paid, count):
            names = free + [tensor.name for tensor in some]
            flops = sum(tensor.flops for tensor in some)
            peak = step_peak_bytes(sizes_without(sizes, dropped=names))
            if peak <= memory_bytes and (best is None or flops < best[0]):
                best = flops, names
    return None if best is None else frozenset(best[1])

# %% subtracts_from_the_last
# Wrong: subtracts bytes, tries the free tensors like the others, and begins with the last.
# Known mistake: What a layer drops is there again in its own backward pass: ask step_peak_bytes, do not subtract.
from itertools import combinations

from snippets.memory.memory_equation.step_peak import step_peak_bytes


def tensors_to_drop(*, sizes, prices, memory_bytes):
    over, best = step_peak_bytes(sizes) - memory_bytes, None
    for count in range(len(prices) + 1):
        for some in combinations(prices[::-1], count):
            flops = sum(tensor.flops for tensor in some)
            enough = sizes.layers * sum(tensor.bytes for tensor in some) >= over
            if enough and (best is None or flops < best[0]):
                best = flops, [tensor.name for tensor in some]
    return best and best[1]
