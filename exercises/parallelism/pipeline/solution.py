"""Solutions of chapter 18's exercises."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate


def one_f_one_b_order(*, stages: int, micro_batches: int, stage: int) -> list[tuple[str, int]]:
    """Run p − i − 1 forwards, then one forward and one backward in turn; where forwards run out, backwards go on."""
    warmup = min(stages - stage - 1, micro_batches)
    order = [("F", j) for j in range(warmup)]
    for j in range(micro_batches):
        if warmup + j < micro_batches:
            order.append(("F", warmup + j))
        order.append(("B", j))
    return order


def least_micro_batches(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    """Solve (p − 1)/(vm + p − 1) < r for m; the first integer above a threshold is its floor and one."""
    threshold = (stages - 1) * (1 - bubble) / (bubble * chunks)
    least = int(threshold) + 1
    return max(least, stages) if chunks > 1 else least


def peak_activations(order: Sequence[tuple[str, int]]) -> int:
    """Count up at F, and down after a micro-batch's last task, which is its W where there is one."""
    releasing = "W" if any(kind == "W" for kind, _ in order) else "B"
    change = {"F": 1, releasing: -1}
    return max(accumulate(change.get(kind, 0) for kind, _ in order), default=0)


def cut_layers(layer_s: Sequence[int], *, stages: int) -> list[int]:
    """Find the least pace at which filling stages greedily needs no more than there are; every stage gets a layer."""
    low, high = max(layer_s), sum(layer_s)
    while low < high:
        pace = (low + high) // 2
        low, high = (low, pace) if len(_filled(layer_s, pace)) <= stages else (pace + 1, high)
    sizes = _filled(layer_s, low)
    while len(sizes) < stages:  # splitting a stage slows none down
        place = max(range(len(sizes)), key=sizes.__getitem__)
        sizes[place : place + 1] = [sizes[place] - 1, 1]
    return sizes


def _filled(layer_s: Sequence[int], pace_s: int) -> list[int]:
    """Put layers on a stage until the next would make it slower than the pace; return the numbers of layers."""
    sizes, load = [0], 0
    for time in layer_s:
        if load + time > pace_s:
            sizes.append(0)
            load = 0
        sizes[-1] += 1
        load += time
    return sizes
