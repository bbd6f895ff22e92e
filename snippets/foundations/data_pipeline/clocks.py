"""Simulators: the clock of ``loader_run`` for many lists of batch times and many loaders at once, with NumPy.

Each loader's times are the floats of ``loader_run``, which goes through one list for one loader.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import affordable, finite_array, refusing_overflow
from snippets.domain import at_most, each, positive_integer
from snippets.foundations.data_pipeline.formulas import MOST_BATCHES

MOST_OPEN = 2**16  # requests of one loader: what keeps more is a slip


def busy_shares(batches_s: ArrayLike, *, step_s: ArrayLike, loaders: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the GPU's busy share for each of some loaders with each of some lists of batch times.

    Args:
        batches_s: seconds that each batch takes its worker, a row for each list; the rows are equally long.
        step_s: seconds that the GPU takes for a batch, a number for all lists or one for each.
        loaders: for each its workers and its prefetch factor, as ``loader_run`` takes them.

    Returns:
        Shares from 0 to 1, a row for each loader and a column for each list.

    Raises:
        ValueError: a time is not above 0, a loader is not a pair of positive integers, or there is no list or loader.

    Example:
        >>> busy_shares([[4, 4, 4, 4], [1, 1, 1, 1]], step_s=1, loaders=[(2, 2)]).round(2).tolist()
        [[0.67, 1.0]]
    """
    times = finite_array("batches_s", batches_s, dimensions=2)
    at_most("batches_s", times.shape[1], MOST_BATCHES)
    step = finite_array("step_s", step_s)
    if step.shape not in ((), times.shape[:1]):
        raise ValueError(f"step_s must be a number or one for each of {len(times)} lists, got shape {step.shape}")
    for name, array in (("batches_s", times), ("step_s", step)):
        if not array.size or (array <= 0).any():
            raise ValueError(f"{name} must hold numbers above 0, at least one, got {array!r}")
    pairs = each("loaders", loaders, lambda name, pair: each(name, pair, positive_integer))
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"loaders must be pairs of workers and prefetch factor, at least one, got {loaders!r}")
    workers = np.array([pair[0] for pair in pairs])
    ahead = np.array([at_most("in loaders workers × prefetch_factor", pair[0] * pair[1], MOST_OPEN) for pair in pairs])
    affordable("requests × lists × loaders", int(ahead.max()) * len(pairs) * len(times))
    with refusing_overflow("batches_s and step_s"):
        last = _last_takes(times, step, workers, ahead)
        passed = last - times[:, 0]  # the first is taken when made
        shares: NDArray[np.float64] = times.shape[1] * step / (passed + step)
    return shares


def _last_takes(
    times: NDArray[np.float64], step: NDArray[np.float64], workers: NDArray[np.int64], ahead: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Advance all clocks batch by batch; only as many moments are kept as requests may be open."""
    depth, shape, loader = int(ahead.max()), (len(workers), len(times)), np.arange(len(workers))
    ends, takes, take = np.zeros((depth, *shape)), np.zeros((depth, *shape)), np.full(shape, -np.inf)
    for number, time in enumerate(times.T):
        asked, free = takes[(number - ahead) % depth, loader], ends[(number - workers) % depth, loader]
        end = np.maximum(asked, free) + time
        take = np.maximum(end, take + step)
        ends[number % depth], takes[number % depth] = end, take
    return take
