"""Solutions of chapter A3's exercises."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Vector = list[float]


def largest_curvature(
    gradient: Callable[[Vector], Vector], *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    """Multiply a direction by the Hessian again and again; each product is a difference of two gradients."""
    here, direction, curvature = gradient(at), start, 0.0
    for _ in range(iterations):
        length = math.hypot(*direction)
        direction = [entry / length for entry in direction]
        there = gradient([x + distance * entry for x, entry in zip(at, direction, strict=True)])
        product = [(after - before) / distance for after, before in zip(there, here, strict=True)]
        curvature = sum(entry * image for entry, image in zip(direction, product, strict=True))
        direction = product
    return curvature


def square_norm_share(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    """A shard's squares in full; of a replicated gradient a share, as every worker adds the same squares."""
    return sum(entry**2 for entry in shard) + sum(entry**2 for entry in replicated) / workers


def second_moment_bytes(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    """A mean square for each entry; factored, one for each row and each column of a matrix."""
    numbers = sum(sum(shape) if factored and len(shape) == 2 else math.prod(shape) for shape in shapes)
    return numbers * bytes_per_number


def warmup_updates(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    """Make updates until the warm-up's tokens are seen; the batch grows on a line in tokens."""
    tokens, updates = 0.0, 0
    while tokens < warmup_tokens:
        grown = min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates


def largest_stable_step(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    """A root leaves the unit disc at −1, and first in the direction of the largest curvature."""
    (first, mixed), (_, second) = hessian
    largest = (first + second) / 2 + math.hypot((first - second) / 2, mixed)
    return 2 * (1 + momentum) / largest
