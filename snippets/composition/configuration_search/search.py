"""Simulators: the planner's search over all layouts at once, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import (
    Plans,
    cuts_of,
    job_candidates,
    job_kernel,
    planned_job,
    ranked_plans,
)
from snippets.composition.configuration_search.step_kernel import Cuts, Operations, Scores, StepKernel
from snippets.domain import of_kind
from snippets.models import Transformer

ARRAYS = Operations(
    np.maximum,
    np.minimum,
    np.where,
    np.ceil,
    np.floor,
    np.searchsorted,
    np.take,
    lambda numbers: np.array(numbers, float),
)


def scored_layouts(kernel: StepKernel, cuts: Cuts) -> Scores:
    """Return time and memory of many layouts at once.

    Args:
        kernel: made with ``operations=ARRAYS``.
        cuts: an array of each size, all of one length.

    Returns:
        Arrays of seconds, bytes, whether they fit, and what is dropped.

    Source: ``StepKernel``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
        >>> kernel = job_kernel(job, Limits(), operations=ARRAYS)
        >>> cuts = Cuts(*(np.array([size, size]) for size in (1, 1, 1, 8, 1, 1, 1, 1, 3, 0, 0)))
        >>> scored_layouts(kernel, cuts).seconds.shape
        (2,)
    """
    of_kind("kernel", kernel, StepKernel), of_kind("cuts", cuts, Cuts)
    columns = Cuts(*(np.asarray(column, dtype=float) for column in cuts))
    with np.errstate(divide="ignore", invalid="ignore"):  # of branches that are not taken
        scores = kernel.scores(columns)
    return Scores(*np.broadcast_arrays(*scores))


def search_layouts(
    model: Transformer | str,
    cluster: Cluster,
    *,
    tokens_per_step: float,
    sequence: int,
    limits: Limits | None = None,
    most: int = 100,
    **assumed: Any,
) -> Plans:
    """Return what ``plan`` returns, from arrays: for tens of thousands of layouts.

    Args:
        model: as ``plan`` takes it, and so are the others.
        cluster: the GPUs.
        tokens_per_step: B.
        sequence: s.
        limits: what may be tried.
        most: how many plans are returned at most.
        assumed: as there.

    Returns:
        Plans, refusals, and how many there were.

    Source: ``plan``, with which the tests compare it.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> search_layouts("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192).best[0].fits
        True
    """
    limits = Limits() if limits is None else of_kind("limits", limits, Limits)
    job = planned_job(
        model, cluster, tokens_per_step=tokens_per_step, sequence=sequence, free_share=limits.free_share, **assumed
    )
    found = job_candidates(job, limits)
    columns = np.array([cuts_of(sizes) for sizes in found.sizes], dtype=float).reshape(
        len(found.sizes), len(Cuts._fields)
    )
    scores = scored_layouts(job_kernel(job, limits, operations=ARRAYS), Cuts(*columns.T))
    return ranked_plans(
        job,
        limits,
        found,
        seconds=scores.seconds.tolist(),
        memory_bytes=scores.memory_bytes.tolist(),
        dropped=scores.dropped.tolist(),
        fits=scores.fits.tolist(),
        most=most,
    )
