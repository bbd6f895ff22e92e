"""Measures the simulators beside plain libraries doing the same work, and prints a table of ratios.

    python -m benchmarks.snippets            # the sizes that the book promises; about two minutes, 3 GB of memory
    python -m benchmarks.snippets --small    # the same steps on small sizes, to see that they work

Every ratio compares two things that this run measured in turn, so that both meet the same minutes of the machine; of
several times the least counts.

- **Ring all-reduce**: the book's runner moves and adds real arrays, checks the schedule and counts every message. Its
  yardstick is NumPy adding the same arrays up, which moves nothing.
- **Memory**: the most that is allocated at once, inputs and outputs included, as a multiple of the inputs.
- **Pipeline**: running a schedule against networkx's longest path through the same tasks. The graph is built
  beforehand; only the search is timed.
- **Growth**: the power of p·m with which the runner's time grows from the smallest schedule to the largest.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import networkx
import numpy as np

from snippets.parallelism.pipeline import schedules
from snippets.parallelism.pipeline.runner import Timeline, run_pipeline
from snippets.parallelism.pipeline.schedules import PipelineSchedule, Task
from snippets.simulation.algorithms import build_collective
from snippets.simulation.runner import run

DURATIONS_S = {"F": 2, "B": 3, "W": 1}


@dataclass(frozen=True)
class Sizes:
    """How large a run is: ranks and bytes of the ring, stages × micro-batches of the pipelines, repetitions."""

    ranks: int
    buffer_bytes: int
    compared: tuple[int, int]
    grown: tuple[tuple[int, int], ...]
    repetitions: int


FULL = Sizes(16, 64_000_000, (16, 512), ((8, 512), (16, 1024), (32, 2048), (64, 4096)), 5)
SMALL = Sizes(4, 40_000, (4, 8), ((2, 8), (4, 16)), 2)


@dataclass(frozen=True)
class Measured:
    """A ratio with what it may be at most (or, for ``at_least``, must be at least)."""

    what: str
    ratio: float
    target: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the ratio keeps to its target."""
        return self.ratio >= self.target if self.at_least else self.ratio <= self.target

    def row(self) -> str:
        """The row of the printed table."""
        sign = "at least" if self.at_least else "at most"
        return f"| {self.what} | {self.ratio:.2f} | {sign} {self.target:g} | {'yes' if self.met else 'NO'} |"


def fastest_s(actions: Sequence[Callable[[], object]], repetitions: int) -> list[float]:
    """Run the actions in turn, after a first time that does not count; return the least processor time of each."""
    best = [float("inf")] * len(actions)
    for repetition in range(repetitions + 1):
        for number, action in enumerate(actions):
            start = time.process_time()
            action()
            if repetition:
                best[number] = min(best[number], time.process_time() - start)
    return best


def ring(sizes: Sizes) -> list[Measured]:
    """Compare a ring all-reduce with a plain sum of the same arrays, in time and in memory."""
    elements = sizes.buffer_bytes // 4
    schedule = build_collective("all_reduce", "ring", ranks=sizes.ranks, length=elements)
    rng = np.random.default_rng(1)

    def all_reduce() -> object:
        return run(schedule, arrays)

    def plain_sum() -> object:
        total = arrays[0].copy()
        for array in arrays[1:]:
            total += array
        return total

    tracemalloc.start()
    arrays = [rng.random(elements, dtype=np.float32) for _ in range(sizes.ranks)]
    tracemalloc.reset_peak()
    all_reduce()
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    ours_s, plain_s = fastest_s((all_reduce, plain_sum), sizes.repetitions)
    name = f"ring all-reduce, {sizes.ranks} ranks × {sizes.buffer_bytes / 1e6:g} MB"
    return [
        Measured(f"{name}: time / plain NumPy sum", ours_s / plain_s, 5),
        Measured(f"{name}: peak memory / inputs", peak_bytes / (sizes.ranks * 4 * elements), 2.5),
    ]


def time_it(schedule: PipelineSchedule) -> Timeline:
    """Run a schedule with the benchmark's durations, those of its kinds of task."""
    kinds = "FBW" if schedule.splits_backward else "FB"
    return run_pipeline(schedule, {kind: DURATIONS_S[kind] for kind in kinds})


def task_graph(schedule: PipelineSchedule) -> networkx.DiGraph:
    """Return the tasks as a graph whose longest path is as long as the schedule: an edge weighs what its target takes.

    The order of a device and the data that passes need make the edges; a source precedes all tasks.
    """
    graph = networkx.DiGraph()
    last = schedule.stages - 1
    for order in schedule.orders:
        before: list[object] = ["start"]
        for task in order:
            needed = _needed(task, last)
            for source in [*before, *([needed] if needed else [])]:
                graph.add_edge(source, task, weight=DURATIONS_S[task.kind])
            before = [task]
    return graph


def _needed(task: Task, last: int) -> Task | None:
    """Return the task whose result a task needs, ``None`` for what starts a micro-batch."""
    if task.kind == "F":
        return task._replace(stage=task.stage - 1) if task.stage else None
    if task.kind == "W":
        return task._replace(kind="B")
    return task._replace(stage=task.stage + 1) if task.stage < last else task._replace(kind="F")


def pipelines(sizes: Sizes) -> list[Measured]:
    """Compare the runner with networkx, and with itself as the pipeline grows."""
    found = []
    stages, micro_batches = sizes.compared
    for name in ("gpipe", "one_f_one_b", "zb_h1"):
        schedule: PipelineSchedule = getattr(schedules, name)(stages=stages, micro_batches=micro_batches)
        graph = task_graph(schedule)

        def ours(schedule: PipelineSchedule = schedule) -> Timeline:
            return time_it(schedule)

        def longest(graph: networkx.DiGraph = graph) -> int:
            return int(networkx.dag_longest_path_length(graph))

        assert ours().makespan_s == longest(), f"{name}: the runner and networkx disagree"
        ours_s, theirs_s = fastest_s((ours, longest), sizes.repetitions)
        what = f"{name}, {stages} × {micro_batches}: networkx's longest path / runner"
        found.append(Measured(what, theirs_s / ours_s, 10, at_least=True))
    runs = [schedules.one_f_one_b(stages=p, micro_batches=m) for p, m in sizes.grown]
    actions = [lambda schedule=schedule: time_it(schedule) for schedule in runs]
    times_s = fastest_s(actions, sizes.repetitions)
    first, last = sizes.grown[0], sizes.grown[-1]
    power = math.log(times_s[-1] / times_s[0]) / math.log(math.prod(last) / math.prod(first))
    what = f"one_f_one_b: growth with p·m, from {first[0]} × {first[1]} to {last[0]} × {last[1]}"
    return [*found, Measured(what, power, 1.2)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 whatever it says: whether a target is met depends on the machine."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--small", action="store_true", help="small sizes, to see that every step works")
    sizes = SMALL if parser.parse_args(arguments).small else FULL
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, networkx {networkx.__version__}, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| what | ratio | target | met |\n|---|---|---|---|")
    for measure in (ring, pipelines):
        for measured in measure(sizes):
            print(measured.row(), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
