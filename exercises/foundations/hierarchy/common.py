"""What the exercises of chapter 3 share: the worst halving of a two-level network, over all halves."""

from __future__ import annotations

import math
from functools import cache


@cache
def worst_halving_links(gpus: int, leaves: int, spines: int, cables: int) -> int:
    """Return the fewest links between two halves of the GPUs, over all halves and all places of the switches.

    Given how many spine switches stand with the first half, each leaf switch stands where it is cheaper by itself. So
    it is enough to try, leaf by leaf, how many of its GPUs belong to the first half.
    """
    below, wanted = gpus // leaves, gpus // 2
    if leaves == 1:
        return wanted
    fewest = gpus
    for with_first in range(spines // 2 + 1):  # more is the same with the halves exchanged
        cost = [
            min(below - taken + cables * (spines - with_first), taken + cables * with_first)
            for taken in range(below + 1)
        ]
        reached = {0: 0}
        for _ in range(leaves):
            after: dict[int, int] = {}
            for so_far, links in reached.items():
                for taken in range(min(below, wanted - so_far) + 1):
                    total = links + cost[taken]
                    if total < after.get(so_far + taken, math.inf):
                        after[so_far + taken] = total
            reached = after
        fewest = min(fewest, reached[wanted])
    return fewest
