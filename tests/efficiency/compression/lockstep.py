"""A micro-batch of a sharded run, slot by slot."""

from __future__ import annotations


def lockstep_s(*, layers: int, passes: tuple[float, float], gathers: tuple[float, float], reduce: float) -> float:
    """Go through a micro-batch slot by slot: in each, the GPU's work beside the network's, the longer counts."""
    slots = [(0.0, gathers[0])]
    slots += [(passes[0], gathers[0] if layer + 1 < layers else 0.0) for layer in range(layers)]
    slots.append((0.0, gathers[1]))
    for layer in reversed(range(layers)):
        network = gathers[1] if layer > 0 else 0.0
        network += reduce if layer + 1 < layers else 0.0
        slots.append((passes[1], network))
    slots.append((0.0, reduce))
    return sum(max(slot) for slot in slots)
