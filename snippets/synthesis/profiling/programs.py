"""Simulators: a step of FSDP on several ranks, as tasks on lanes and as a trace in Kineto's format; its critical path.

The times are put in, nothing is measured. What the analyser of ``traces.py`` reads from such a trace can be compared
with what was put in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from snippets.domain import Answers, at_most, each, flag, integer_fields, nonnegative_integer, of_kind, positive_integer
from snippets.memory.offloading.lanes import LaneTask, TaskTimes, run_lanes

LINKS = "links"
MOST_LAYERS = 128
MOST_SIMULATED_RANKS = 16
MOST_SIMULATED_STEPS = 32
_NAMES = {
    "matmul": "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas",
    "attention": "flash_fwd_kernel",
    "attention back": "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
    "other kernel": "void at::native::vectorized_elementwise_kernel<4>",
    "gather": "ncclDevKernel_AllGather_RING_LL",
    "scatter": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL",
}
_LOADING = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
_FIRST_STEP = 12


@dataclass(frozen=True)
class ProfiledJob(Answers):
    """A step of fully sharded data parallelism, in whole microseconds: forward through the layers, and backward.

    Backward, every kernel takes twice as long as forward, and the attention's two and a half times.

    Attributes:
        layers: L.
        matmul_us: of a layer, forward.
        attention_us: of a layer, forward.
        other_us: all other kernels of a layer, forward, at least 0.
        head_us: the vocabulary's matmuls, forward and backward together, at least 0.
        gap_us: idle time of the GPU before the update, in which the CPU reads the loss, at least 0.
        gather_us: an all-gather of a layer's weights; the reduce-scatter of its gradients takes as long.
        update_us: the optimizer's kernels, at least 0.
        loader_us: how long each rank waits for its batch, one entry a rank, at least 0.
        prefetch: whether the weights of the next layer are gathered while this one computes.

    >>> ProfiledJob(layers=2, loader_us=(0, 5)).ranks
    2
    """

    layers: int = 32
    matmul_us: int = 1000
    attention_us: int = 300
    other_us: int = 200
    head_us: int = 0
    gap_us: int = 0
    gather_us: int = 100
    update_us: int = 0
    loader_us: tuple[int, ...] = (0, 0)
    prefetch: bool = True

    def __post_init__(self) -> None:
        integer_fields(self, "layers", "matmul_us", "attention_us", "gather_us")
        integer_fields(self, "other_us", "head_us", "gap_us", "update_us", minimum=0)
        at_most("layers", self.layers, MOST_LAYERS)
        object.__setattr__(self, "loader_us", each("loader_us", self.loader_us, nonnegative_integer))
        at_most("the ranks of loader_us", positive_integer("the ranks of loader_us", self.ranks), MOST_SIMULATED_RANKS)
        flag("prefetch", self.prefetch)

    @property
    def ranks(self) -> int:
        """R.

        >>> ProfiledJob(loader_us=(0, 0, 0)).ranks
        3
        """
        return len(self.loader_us)


@dataclass(frozen=True)
class SimulatedStep:
    """A step that ``simulated_step`` ran: the tasks, when each ran, and which rank came to a collective when.

    Attributes:
        tasks: on the lanes ``rank 0``, ``rank 1`` …, ``loader 0`` … and ``links``.
        times: of the tasks, in microseconds.
        arrivals_us: by the number of a collective's task, when each rank's kernel begins.
        ranks: R.

    >>> simulated_step(ProfiledJob(layers=1)).ranks
    2
    """

    tasks: tuple[LaneTask, ...]
    times: tuple[TaskTimes, ...]
    arrivals_us: dict[int, tuple[int, ...]]
    ranks: int

    @property
    def end_us(self) -> int:
        """When the last rank is done.

        >>> simulated_step(ProfiledJob(layers=1, matmul_us=10, attention_us=2, other_us=0, gather_us=1)).end_us
        40
        """
        return max(int(when.end_s) for when in self.times)


def simulated_step(job: ProfiledJob) -> SimulatedStep:
    """Run a step of FSDP, event by event, and return when each task ran on each rank.

    Args:
        job: its times.

    Returns:
        The step. A collective begins on a rank when the rank comes to it and the one before is over; it moves data
        once all ranks have come, and ends on all together.

    Source: derived; FSDP's order as in Zhao et al. 2023, weights gathered again for the backward pass.
    Convention: one lane for all links, on which collectives run in order; a gather goes before a scatter.
    Leaves out: that communication takes SMs or memory bandwidth from kernels; the CPU's own timeline.

    Example:
        >>> job = ProfiledJob(layers=1, matmul_us=10, attention_us=2, other_us=0, gather_us=1, loader_us=(0, 100))
        >>> simulated_step(job).arrivals_us[2], simulated_step(job).end_us
        ((0, 100), 140)
    """
    made = _Builder(of_kind("job", job, ProfiledJob))
    made.forward()
    made.backward()
    times = run_lanes(made.tasks)
    arrivals: dict[int, tuple[int, ...]] = {}
    free_us = 0
    for number, issued in sorted(made.issued.items(), key=lambda entry: times[entry[0]].start_s):
        arrivals[number] = tuple(
            max(free_us, max((int(times[before].end_s) for before in befores), default=0)) for befores in issued
        )
        free_us = int(times[number].end_s)
    return SimulatedStep(tuple(made.tasks), times, arrivals, job.ranks)


class _Builder:
    """Lists the tasks of a step, each with what it waits for."""

    def __init__(self, job: ProfiledJob) -> None:
        self.job = job
        self.ranks = range(job.ranks)
        self.tasks: list[LaneTask] = []
        self.issued: dict[int, list[list[int]]] = {}  # of a collective: for each rank what came before its call
        self.last = [self.add("data", f"loader {rank}", job.loader_us[rank]) for rank in self.ranks]
        self.earlier = list(self.last)

    def add(self, name: str, lane: str, us: int, after: Sequence[int] = ()) -> int:
        self.tasks.append(LaneTask(name, lane, us, tuple(sorted(set(after)))))
        return len(self.tasks) - 1

    def collective(self, name: str, called_after: Sequence[int]) -> int:
        number = self.add(name, LINKS, self.job.gather_us, called_after)
        self.issued[number] = [[before] for before in called_after]
        return number

    def kernels(self, entries: Sequence[tuple[str, int]], wait_for: int | None) -> None:
        self.earlier = list(self.last)
        for rank in self.ranks:
            needed = [wait_for] if wait_for is not None else []
            for name, us in entries:
                if us:
                    self.last[rank] = self.add(name, f"rank {rank}", us, [self.last[rank], *needed])

    def layer(self, entries: Sequence[tuple[str, int]], gathered: int, *, more: bool) -> int | None:
        """Compute a layer whose weights are there, and call for the next one's, before or after it computes."""
        following = self.collective("gather", self.last) if more and self.job.prefetch else None
        self.kernels(entries, gathered)
        return self.collective("gather", self.last) if more and not self.job.prefetch else following

    def forward(self) -> None:
        job = self.job
        entries = [("matmul", job.matmul_us), ("attention", job.attention_us)]
        gathered: int | None = self.collective("gather", self.last)
        for number in range(job.layers):
            assert gathered is not None
            gathered = self.layer([*entries, ("other kernel", job.other_us)], gathered, more=number + 1 < job.layers)

    def backward(self) -> None:
        job = self.job
        self.kernels([("matmul", job.head_us)], None)
        entries = [("other kernel", 2 * job.other_us), ("attention back", 5 * job.attention_us // 2)]
        gathered: int | None = self.collective("gather", self.last)
        scatter = None
        for number in range(job.layers):
            assert gathered is not None
            gathered = self.layer([*entries, ("matmul", 2 * job.matmul_us)], gathered, more=number + 1 < job.layers)
            scatter = self.collective("scatter", self.last)
        self.kernels([("gap", job.gap_us), ("other kernel", job.update_us)], scatter)


def kineto_traces(job: ProfiledJob) -> tuple[str, ...]:
    """Return the traces of a simulated step, one text for each rank, as ``torch.profiler`` would export them.

    Args:
        job: its times.

    Returns:
        JSON of Kineto's format: kernels on two streams, the loader and the step on the CPU's thread. All ranks' clocks
        begin with the step.

    Source: the format as ``export_chrome_trace`` of PyTorch writes it; names of kernels as cuBLAS, flash-attention,
        PyTorch and NCCL have them.
    Convention: microseconds.
    Leaves out: everything else that a trace has: operators, launches, flows, memory, stacks.

    Example:
        >>> from snippets.synthesis.profiling.traces import read_trace, step_budgets
        >>> job = ProfiledJob(layers=1, matmul_us=10, attention_us=2, other_us=0, gather_us=1, loader_us=(0, 100))
        >>> budget = step_budgets(read_trace(kineto_traces(job)[0]))[0]
        >>> round(1e6 * budget.matmul_s), round(1e6 * budget.exposed_communication_s)
        (30, 103)
    """
    return kineto_run([of_kind("job", job, ProfiledJob)])


def kineto_run(jobs: Sequence[ProfiledJob]) -> tuple[str, ...]:
    """Return the traces of several simulated steps, one after another, one text for each rank.

    Args:
        jobs: the times of each step, of as many ranks; at least one step and at most 32.

    Returns:
        JSON as ``kineto_traces`` writes it, with a ``ProfilerStep`` for each.

    Source: as ``kineto_traces``.
    Convention: a step begins on all ranks when the one before has ended on all.
    Leaves out: batches that are made while the step before computes; what ``kineto_traces`` leaves out.

    Example:
        >>> from snippets.synthesis.profiling.traces import read_trace, who_arrives_last
        >>> traces = kineto_run([ProfiledJob(layers=1, loader_us=waits) for waits in ((0, 100), (30, 0))])
        >>> [late.last for late in who_arrives_last([read_trace(text) for text in traces])]
        [1, 0]
    """
    given = each("jobs", jobs, lambda name, job: of_kind(name, job, ProfiledJob))
    at_most("the number of jobs", positive_integer("the number of jobs", len(given)), MOST_SIMULATED_STEPS)
    if len({job.ranks for job in given}) > 1:
        raise ValueError(f"jobs must have the same ranks, got {', '.join(str(job.ranks) for job in given)}")
    steps = [simulated_step(job) for job in given]
    return tuple(json.dumps(_trace_of(rank, steps)) for rank in range(given[0].ranks))


def _trace_of(rank: int, steps: Sequence[SimulatedStep]) -> dict[str, Any]:
    events, start_us = list[dict[str, Any]](), 0
    for number, step in enumerate(steps):
        events += _events_of(rank, step, f"ProfilerStep#{_FIRST_STEP + number}", start_us)
        start_us += step.end_us
    events.sort(key=lambda event: (event["ts"], event["tid"]))
    return {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": steps[0].ranks}, "traceEvents": events}


def _events_of(rank: int, step: SimulatedStep, name: str, start_us: int) -> list[dict[str, Any]]:
    host = 1000 + rank
    events = [_event("user_annotation", name, start_us, start_us + step.end_us, host, host)]
    for number, (task, when) in enumerate(zip(step.tasks, step.times, strict=True)):
        begin, end = start_us + int(when.start_s), start_us + int(when.end_s)
        if task.lane == f"loader {rank}":
            events.append(_event("user_annotation", _LOADING, begin, end, host, host))
        elif task.lane == f"rank {rank}" and task.name != "gap":
            events.append(_event("kernel", _NAMES[task.name], begin, end, rank, 7))
        elif number in step.arrivals_us:
            events.append(_event("kernel", _NAMES[task.name], start_us + step.arrivals_us[number][rank], end, rank, 20))
    return events


def _event(category: str, name: str, begin: int, end: int, process: int, thread: int) -> dict[str, Any]:
    times = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, **times}


def critical_tasks(tasks: Sequence[LaneTask]) -> tuple[int, ...]:
    """Return a chain of tasks, from the beginning to the end, in which each begins when the one before ends.

    Nothing that is not on it can be worth anything alone: the chain takes as long without it.

    Args:
        tasks: for ``run_lanes``, without shared lanes; at least one.

    Returns:
        The tasks' numbers in order; their times add up to the end of the last. Where several such chains are equally
        long, one of them.

    Source: derived; the order of tasks on a lane counts as a dependence.
    Convention: the tasks and lanes of chapter 24.
    Leaves out: that a lane takes its tasks in another order when times change.

    Example:
        >>> critical_tasks([LaneTask("work", "GPU", 3), LaneTask("send", "link", 1), LaneTask("sum", "GPU", 1, (1,))])
        (0, 2)
    """
    given = each("tasks", tasks, lambda name, task: of_kind(name, task, LaneTask))
    if not given:
        raise ValueError("tasks must have at least 1 entry, got 0")
    times = run_lanes(given)
    by_end: dict[Any, list[int]] = {}
    for number, when in enumerate(times):
        by_end.setdefault(when.end_s, []).append(number)
    here = max(range(len(given)), key=lambda number: (times[number].end_s, given[number].seconds > 0))
    chain = [here]
    while times[here].start_s > 0:
        before = by_end[times[here].start_s]
        task = given[here]
        here = next(
            number
            for number in sorted(before, key=lambda number: (number not in task.after, number))
            if number not in chain and (number in task.after or given[number].lane == task.lane)
        )
        chain.append(here)
    return tuple(reversed(chain))


SLOW_LOADER = ProfiledJob(
    matmul_us=5559,
    attention_us=1589,
    other_us=466,
    head_us=40157,
    gap_us=70_000,
    gather_us=1060,
    update_us=11_149,
    loader_us=(4000, 4000, 30_000, 4000, 4000, 450_000, 4000, 4000),
    prefetch=False,
)
"""Chapter 35's step: Llama 3 8B on eight H100s, one sequence of 8,192 tokens each; rank 5's data comes late."""

SLOW_STEPS = tuple(
    replace(SLOW_LOADER, loader_us=(4000, 4000, 30_000, 4000, 4000, 1000 * milliseconds, 4000, 4000))
    for milliseconds in (450, 620, 8, 540, 710, 380, 4, 560, 660, 300)
)
"""Ten steps of it, of which ``SLOW_LOADER`` is the first: how long rank 5 needs for each of its batches is put in."""
