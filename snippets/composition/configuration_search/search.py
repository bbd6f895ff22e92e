"""Simulators: the planner's search over all layouts at once, in NumPy."""

from __future__ import annotations

import numpy as np

from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.planner import (
    PlannedJob,
    Plans,
    cuts_of,
    job_candidates,
    job_kernel,
    ranked_plans,
)
from snippets.composition.configuration_search.step_kernel import Cuts, Operations, Scores, StepKernel
from snippets.domain import of_kind

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
        >>> from snippets.composition.configuration_search.clusters import Cluster
        >>> from snippets.composition.configuration_search.planner import planned_job
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


def search_layouts(job: PlannedJob, *, limits: Limits | None = None, most: int = 20) -> Plans:
    """Return what ``plan`` returns for a job, from arrays: for tens of thousands of layouts.

    Args:
        job: the job.
        limits: what may be tried; the job says what memory stays free.
        most: how many plans are returned at most.

    Returns:
        Plans, refusals, and how many there were.

    Source: ``plan``, with which the tests compare it.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> from snippets.composition.configuration_search.clusters import Cluster
        >>> from snippets.composition.configuration_search.planner import planned_job
        >>> job = planned_job("Llama 3 8B", Cluster("DGX H100", nodes=1), tokens_per_step=1e6, sequence=8192)
        >>> search_layouts(job).best[0].fits
        True
    """
    limits = Limits() if limits is None else of_kind("limits", limits, Limits)
    found = job_candidates(job, limits)
    rows = [cuts_of(sizes) for sizes in found.sizes]
    columns = np.array(rows, dtype=float).reshape(len(rows), len(Cuts._fields))
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
