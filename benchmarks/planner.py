"""Measures how fast the planner of chapter 29 is, and prints a table.

    python -m benchmarks.planner            # Llama 3 70B on 256 GPUs, and two larger jobs; about a minute
    python -m benchmarks.planner --small    # a job of eight GPUs, to see that every step works

Four ways to the same numbers take turns in one run, so that all meet the same minutes of the machine; of several times
the least counts, in processor seconds. Every way has to give the same times for the same layouts.

- **NumPy, scored**: the closed forms of time and memory on arrays of all candidates.
- **Python, scored**: the same forms, one layout after the other, as the page runs them without NumPy.
- **One by one**: ``step_time`` and ``rank_memory`` for each layout, the model that the closed forms must equal.
- **Searched**: from the job to the list, with candidates, refusals and as many plans as are asked for.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from benchmarks.snippets import fastest_s
from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import (
    PlannedJob,
    cuts_of,
    job_candidates,
    job_kernel,
    plan,
    planned_job,
)
from snippets.composition.configuration_search.search import ARRAYS, scored_layouts, search_layouts
from snippets.composition.configuration_search.step_kernel import Cuts
from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import rank_memory
from snippets.composition.step_model import step_time

REPETITIONS = 5
ONE_BY_ONE = 200  # layouts, evenly spaced among the candidates


@dataclass(frozen=True)
class JobSize:
    """A job: model, nodes of eight H100, tokens of a step and of a sequence."""

    model: str
    nodes: int
    tokens_per_step: int
    sequence: int = 8192

    @property
    def name(self) -> str:
        return f"{self.model} on {8 * self.nodes:,} GPUs"

    @property
    def job(self) -> PlannedJob:
        return planned_job(self.model, self.cluster, tokens_per_step=self.tokens_per_step, sequence=self.sequence)

    @property
    def cluster(self) -> Cluster:
        return Cluster("DGX H100", nodes=self.nodes)


THREAD = JobSize("Llama 3 70B", 32, 4_194_304)
LARGER = (JobSize("Llama 3.1 405B", 2048, 16 * 2**20), JobSize("DeepSeek-V3", 256, 15360 * 4096, 4096))
SMALL = JobSize("Llama 3 8B", 1, 2**20)


@dataclass(frozen=True)
class Line:
    """A line of the table: a number with what it may be at most or, for ``at_least``, must be at least."""

    what: str
    number: float
    unit: str = ""
    goal: float = math.nan
    at_least: bool = field(default=True, kw_only=True)

    def row(self) -> str:
        """Return the row of the printed table."""
        digits = f"{self.number:,.0f}" if self.number >= 100 else f"{self.number:.2g}"
        if math.isnan(self.goal):
            return f"| {self.what} | {digits}{self.unit} | | |"
        met = self.number >= self.goal if self.at_least else self.number <= self.goal
        words = "at least" if self.at_least else "at most"
        return f"| {self.what} | {digits}{self.unit} | {words} {self.goal:,g}{self.unit} | {'yes' if met else 'NO'} |"


def scoring(size: JobSize) -> list[Line]:
    """Compare the three ways to score a job's candidates."""
    job, limits = size.job, Limits()
    sizes = job_candidates(job, limits).sizes
    rows = [cuts_of(each) for each in sizes]
    floats, arrays = job_kernel(job, limits), job_kernel(job, limits, operations=ARRAYS)
    columns = Cuts(*np.array(rows, dtype=float).T)
    plain = [each for each in sizes if each.recompute != "some"]  # what these drop is chosen, and priced, besides
    few = [each.layout(context_kind=limits.context_kind) for each in plain[:: max(1, len(plain) // ONE_BY_ONE)]]
    same = scored_layouts(arrays, Cuts(*np.array([cuts_of(each) for each in plain], dtype=float).T)).seconds
    for layout, seconds in zip(few, same[:: max(1, len(plain) // ONE_BY_ONE)], strict=True):
        assert math.isclose(model_s(job, layout), seconds, rel_tol=1e-5), layout  # bytes are rounded there
    times_s = fastest_s(
        (
            lambda: scored_layouts(arrays, columns),
            lambda: [floats.scores(row) for row in rows],
            lambda: [(model_s(job, layout), model_bytes(job, layout)) for layout in few],
        ),
        REPETITIONS,
    )
    numpy, python, single = (
        count / seconds for count, seconds in zip((len(rows), len(rows), len(few)), times_s, strict=True)
    )
    name = f"{size.name}, {len(rows):,} candidates"
    return [
        Line(f"{name}: scored in NumPy", numpy, " a second", 100_000),
        Line(f"{name}: scored in Python", python, " a second"),
        Line(f"{name}: `step_time` and `rank_memory`, one by one", single, " a second"),
        Line(f"{name}: NumPy / Python", numpy / python, "×"),
        Line(f"{name}: Python / one by one", python / single, "×"),
    ]


def model_s(job: PlannedJob, layout: Layout) -> float:
    """Return the seconds of a step by the model that the closed forms must equal."""
    return step_time(
        job.model,
        job.cluster.machine,
        layout,
        batch_sequences=job.batch_sequences,
        sequence=job.sequence,
        constants=job.constants,
        domain=job.cluster.fast_gpus,
        recipe=job.recipe,
        attention=job.attention,
        mask=job.mask,
        dtype=job.dtype,
    ).total


def model_bytes(job: PlannedJob, layout: Layout) -> float:
    """Return the bytes of the first stage's ranks by that model."""
    return rank_memory(
        job.model,
        layout,
        batch_sequences=job.batch_sequences,
        sequence=job.sequence,
        recipe=job.recipe,
        attention=job.attention,
        dtype=job.dtype,
    ).total


def searching(size: JobSize) -> list[Line]:
    """Time a search from the job to the list, in NumPy and in Python, with five plans and with the usual twenty."""

    def searched(most: int) -> object:
        return search_layouts(size.job, most=most)

    def planned(most: int) -> object:
        return plan(size.model, size.cluster, tokens_per_step=size.tokens_per_step, sequence=size.sequence, most=most)

    candidates = len(job_candidates(size.job, Limits()).sizes)
    cases = [(action, most) for action in (searched, planned) for most in (5, 20)]
    times_s = fastest_s([partial(action, most) for action, most in cases], REPETITIONS)
    few_s, many_s, page_s, long_page_s = times_s
    return [
        Line(f"{size.name}: searched in NumPy, five plans made", candidates / few_s, " a second", 100_000),
        Line(f"{size.name}: searched in NumPy, twenty plans made", candidates / many_s, " a second", 100_000),
        Line(f"{size.name}: searched in Python, five plans made", page_s, " s", 2, at_least=False),
        Line(f"{size.name}: searched in Python, twenty plans made", long_page_s, " s", 2, at_least=False),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 whatever it says: whether a goal is met depends on the machine."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--small", action="store_true", help="a small job, to see that every step works")
    small = parser.parse_args(arguments).small
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| what | measured | goal | met |\n|---|---|---|---|")
    for size in (SMALL,) if small else (THREAD, *LARGER):
        for line in (*scoring(size), *searching(size)):
            print(line.row(), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
