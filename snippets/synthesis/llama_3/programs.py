"""Simulators: a pipeline whose chunks run all micro-batches forward and then backward, task by task."""

from __future__ import annotations

from snippets.domain import at_most, positive_integer

MOST_TASKS = 200_000


def simulated_bubble_overhead(*, stages: int, chunks: int, micro_batches: int) -> float:
    """Return the bubble over the working time of a pipeline that is run task by task.

    Each stage goes through its chunks in order, and through all micro-batches in each; a task begins when the stage is
    free and the same micro-batch has left the stage before, or for the first stage the last stage's previous chunk.
    Backward is the same the other way round, twice as long.

    Args:
        stages: p, at least 1.
        chunks: v, at least 1.
        micro_batches: m, at least 1.

    Returns:
        Idle time over working time of a stage, until all are done.

    Source: Grattafiori et al. 2024, figure 6, with all micro-batches in a row.
    Convention: a chunk's forward pass takes 1, its backward pass 2; messages take nothing.
    Leaves out: stages that differ.

    Example:
        >>> simulated_bubble_overhead(stages=2, chunks=1, micro_batches=2)
        0.5
    """
    p, v, m = (
        positive_integer("stages", stages),
        positive_integer("chunks", chunks),
        positive_integer("micro_batches", micro_batches),
    )
    at_most("stages × chunks × micro_batches", p * v * m, MOST_TASKS)
    forward = _phase(p, v, m, [0.0] * p, 1.0)
    back = _phase(p, v, m, forward[::-1], 2.0)
    return max(back) / (3 * v * m) - 1


def _phase(p: int, v: int, m: int, free: list[float], length: float) -> list[float]:
    """Return when each stage has run all its tasks, stage by stage in the order of the phase."""
    arrived = [0.0] * m
    for _ in range(v):
        for stage in range(p):
            for each in range(m):
                free[stage] = arrived[each] = max(free[stage], arrived[each]) + length
    return free
