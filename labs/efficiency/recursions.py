"""What the compressors of this part's lab should make of the ranks' gradients, in NumPy, without a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def block_levels(x: Array, *, block: int, levels: int) -> tuple[Array, Array]:
    """Return where entries lie between the levels of their block, shape (blocks, block), and each block's scale."""
    rows = x.reshape(-1, block)
    scales = np.abs(rows).max(axis=1) / np.float32(levels)
    return np.divide(rows, scales[:, None], out=np.zeros_like(rows), where=scales[:, None] > 0), scales


def nearest(x: Array, *, block: int, levels: int) -> Array:
    """Return a vector rounded to the nearest levels of its blocks."""
    places, scales = block_levels(x, block=block, levels=levels)
    return (np.rint(places) * scales[:, None]).ravel()


def blocks_average(gradients: Array, *, block: int, levels: int) -> tuple[Array, Array]:
    """Return the average of the ranks' rounded gradients, rank by rank in fp32; and what that is when rounded again."""
    total = np.zeros_like(gradients[0])
    for gradient in gradients:
        total = total + nearest(gradient, block=block, levels=levels)
    average = total / np.float32(len(gradients))
    return average, nearest(average, block=block, levels=levels)


def random_rounding_rms(gradients: Array, *, block: int, levels: int) -> float:
    """Return the root of the mean square by which the average is off, if each rank rounds up with the right chance.

    An entry a share f above its lower level has the variance f(1 − f) of the level's square.
    """
    variances = []
    for gradient in gradients:
        places, scales = block_levels(gradient.astype(np.float64), block=block, levels=levels)
        share = places - np.floor(places)
        variances.append(np.mean(share * (1 - share) * scales[:, None] ** 2))
    return float(np.sqrt(np.mean(variances) / len(gradients)))


def largest_with_feedback(
    steps: Iterable[Array], *, count: int, feedback: bool = True
) -> tuple[list[Array], list[int], Array]:
    """Return the averages of each step, how many of their entries aren't 0, and what every rank has left over."""
    averages, filled = [], []
    errors: Any = 0.0
    for gradients in steps:  # of shape (ranks, entries)
        wanted = gradients + errors
        cut = np.partition(np.abs(wanted), -count, axis=1)[:, -count, None]
        kept = np.where(np.abs(wanted) >= cut, wanted, 0)
        averages.append(kept.mean(axis=0))
        filled.append(int(np.count_nonzero(kept.any(axis=0))))
        errors = wanted - kept if feedback else np.zeros_like(wanted)
    return averages, filled, errors


def low_rank_with_feedback(steps: Iterable[Array], starts: Sequence[Array]) -> tuple[list[Array], Array]:
    """Return the averages of PowerSGD's steps, in float64, and what every rank has left over.

    The average is projected on the columns that it has along a few directions; the next step begins with the rows that
    this projection has. Which basis of those columns is taken makes no difference.

    Args:
        steps: gradients of shape (ranks, matrices · height · width).
        starts: for each matrix its first directions, of shape (width, rank).
    """
    directions = [np.linalg.qr(start)[0] for start in starts]
    averages = []
    errors: Any = 0.0
    for gradients in steps:
        wanted = gradients.astype(np.float64) + errors
        rows = wanted.mean(axis=0).reshape(len(starts), -1, len(starts[0]))
        projected = []
        for number, matrix in enumerate(rows):
            columns = np.linalg.qr(matrix @ directions[number])[0]
            projected.append(columns @ (columns.T @ matrix))
            directions[number] = np.linalg.qr(matrix.T @ columns)[0]
        averages.append(np.concatenate([matrix.ravel() for matrix in projected]))
        errors = wanted - averages[-1]
    return averages, errors


def local_steps_on_bowls(
    curvatures: Array, minima: Array, *, rate: float, local_steps: int, rounds: int, outer: tuple[float, float] = (1, 0)
) -> tuple[Array, Array]:
    """Return where ranks are after rounds of local steps from 0, and how far apart they were before the last meeting.

    Args:
        curvatures: of each rank's bowl along each direction, shape (ranks, directions).
        minima: its bottom, of the same shape.
        rate: of the local steps.
        local_steps: between two meetings; along a direction, each shrinks the way to the bottom by 1 − rate·curvature.
        rounds: how many meetings.
        outer: rate and Nesterov momentum of what is done with the average way; (1, 0) takes the average itself.

    Returns:
        The common place, shape (directions,); and the root of the mean square of the ranks' distance from their mean.
    """
    place, velocity = np.zeros(curvatures.shape[1]), np.zeros(curvatures.shape[1])
    rest = (1 - rate * curvatures) ** local_steps
    apart = np.zeros(1)
    for _ in range(rounds):
        ends = minima + rest * (place - minima)
        apart = np.sqrt(np.mean((ends - ends.mean(axis=0)) ** 2))
        way = place - ends.mean(axis=0)
        velocity = outer[1] * velocity + way
        place = place - outer[0] * (way + outer[1] * velocity)
    return place, apart


def rest_of_bowls(curvatures: Array, minima: Array, *, rate: float, local_steps: int) -> Array:
    """Return where the rounds end, in closed form: the bottoms' mean, weighted with how much of the way is gone."""
    weights = 1 - (1 - rate * curvatures) ** local_steps
    place: Array = (weights * minima).sum(axis=0) / weights.sum(axis=0)
    return place
