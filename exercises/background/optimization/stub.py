"""Exercises of chapter A3: curvatures and step sizes, a norm over workers, an optimizer's memory, a warm-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Vector = list[float]
"""One number per parameter."""


def largest_curvature(
    gradient: Callable[[Vector], Vector], *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    """Measure the largest curvature of a loss at a point, from gradients alone.

    Begin with the direction ``start``; again and again scale it to length 1 and multiply it by the Hessian H, which the
    difference of two gradients gives.

    Args:
        gradient: the gradient of the loss; takes d numbers and returns d.
        at: the point θ, d numbers.
        start: the first direction, d numbers that are not all 0.
        iterations: how many products with H, at least 1.
        distance: h, between the two points of a difference, above 0.

    Returns:
        δᵀHδ of the last direction δ of length 1 that was multiplied.
    """
    raise NotImplementedError("largest_curvature is still to be written")


def square_norm_share(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    """Return what one worker contributes to the square of the global norm.

    The sum of the contributions of all workers is to be the squared norm of the whole gradient, in which every shard
    and the replicated part occur once. No worker knows its number.

    Args:
        shard: the worker's own part of the gradient.
        replicated: the part that every worker holds, the same on all.
        workers: how many workers there are, at least 1.

    Returns:
        The contribution.
    """
    raise NotImplementedError("square_norm_share is still to be written")


def second_moment_bytes(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    """Count the bytes of the second moments that an optimizer keeps.

    Args:
        shapes: the parameters' shapes; a matrix has two dimensions.
        factored: whether a matrix has its means along rows and along columns kept, as in Adafactor, instead of one
            number for each entry. All other shapes are kept whole.
        bytes_per_number: bytes of one number.

    Returns:
        Bytes, of all parameters together.
    """
    raise NotImplementedError("second_moment_bytes is still to be written")


def warmup_updates(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    """Count the updates of a warm-up that is measured in tokens, while the batch grows.

    An update that begins when t tokens have been seen takes a batch on the line from ``first_batch_tokens`` at t = 0 to
    ``full_batch_tokens`` at t = ``ramp_tokens``, and ``full_batch_tokens`` from then on.

    Args:
        warmup_tokens: tokens of the warm-up, at least 0.
        first_batch_tokens: tokens of the first batch, above 0.
        full_batch_tokens: tokens of a full batch, at least those of the first.
        ramp_tokens: tokens after which the batch is full; 0 if it is full from the start.

    Returns:
        The fewest updates that see ``warmup_tokens`` or more.
    """
    raise NotImplementedError("warmup_updates is still to be written")


def largest_stable_step(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    """Return the step size at which gradient descent with momentum stops converging on a quadratic of two parameters.

    Args:
        hessian: the rows of H, 2 × 2, symmetric, with both curvatures above 0.
        momentum: μ, at least 0 and below 1; d ← μd + g, θ ← θ − ηd.

    Returns:
        The bound: every step size η above 0 and below it converges from every start, no step size above it does.
    """
    raise NotImplementedError("largest_stable_step is still to be written")
