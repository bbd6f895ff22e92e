"""Bucketed overlap: how much of a DDP step's all-reduces lies inside the backward pass, read from its trace.

`torch.profiler` records a step of DDP, and the lab reads the trace that it exports, as a person does in a viewer: when
each gradient was ready, when each bucket was launched, when its all-reduce ran. The counts decide. The buckets have the
bytes of chapter 16's rule. Each is launched as soon as its last gradient is ready, so that all but the last start while
gradients are still to come. The first step of a model has one launch, at the end, unless DDP looks for unused
parameters; a step under `no_sync` has none. On Linux the sockets' own counters are read too: a rank sends 2(R−1)/R of
the gradients' bytes, however they are cut.

The times don't decide. Hidden is what lies before the last bucket's launch, exposed what lies after it, on the rank
that comes last. The prediction takes the backward pass from steps without all-reduces, and α and β from all-reduces
without a backward pass. So it knows nothing of what the two take from each other. Here they share cores: gloo's threads
add up where the ranks multiply. In the recorded run the backward pass takes 1.1 to 1.2 times as long beside the
all-reduces of several buckets, and eight buckets expose twice what one does, where the prediction has them alike. The
likely reason is that a bucket's threads have to wait for a core.

    torchrun --standalone --nproc-per-node 4 labs/efficiency/bucketed_overlap.py

Chapter: 33

Shown:
    8 buckets: gradients ready at the first
    8 buckets: gradients ready at each launch
    8 buckets: on the wire
    2 buckets: gradients ready at each launch
    2 buckets: bytes of each
    1 bucket: exposed
    2 buckets: exposed
    4 buckets: exposed
    8 buckets: exposed
    8 buckets: hidden
    1 bucket: backward pass
    8 buckets: backward pass
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import record_function

from labs.efficiency.trace import MICRO, Span, Trace
from labs.efficiency.wire import compare_wire, on_gloo, sent_by
from labs.harness import Lab, run_lab
from snippets import bucket_sizes_bytes, exposed_all_reduce_s, ring_all_reduce_bytes
from snippets.foundations.alpha_beta.fit import fit_alpha_beta

LAYERS, HIDDEN, BATCH = 8, 512, 96
MATRIX_BYTES = HIDDEN**2 * 4
WHOLE = LAYERS * MATRIX_BYTES
SUMS = [WHOLE >> power for power in range(7)]  # bytes of the all-reduces that are timed alone
WARM = 3


class StepTrace(Trace):
    """The trace of a step of DDP: its gradients, its buckets, their all-reduces."""

    @property
    def buckets_bytes(self) -> list[int]:
        """The bytes of the buckets, from the shapes that gloo was given."""
        return [size for name, size in self.given if name == "all_reduce"]  # the second step broadcasts their order too

    @property
    def ready(self) -> list[int]:
        """How many gradients had gone into buckets when each bucket was launched."""
        filled = self.spans("torch::distributed::reducer::mul_out")
        return [sum(end <= launch for _, end in filled) for launch, _ in self.spans("c10d::allreduce_")]

    @property
    def backward_s(self) -> float:
        """From the start of the backward pass to the launch of the last bucket, when the last gradient is there."""
        return (self.spans("c10d::allreduce_")[-1][1] - self.spans("backward")[0][0]) * MICRO

    @property
    def hidden_and_exposed_s(self) -> tuple[float, float]:
        """How long all-reduces ran before the last launch, several at once counted once, and how long after it."""
        cut = self.spans("c10d::allreduce_")[-1][1]
        runs = self.spans("gloo:all_reduce")
        before = covered([(begin, min(end, cut)) for begin, end in runs if begin < cut])
        after = max(0.0, max(end for _, end in runs) - cut)  # on a loaded core a sum may end before its launch returns
        return before * MICRO, after * MICRO


def covered(spans: Sequence[Span]) -> float:
    """Return the length of what spans cover together."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def slowest(seconds: float) -> float:
    """Return the largest of the ranks' values."""
    found = torch.tensor([seconds], dtype=torch.float64)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)
    return float(found)


def last_to_come(hidden_s: float, exposed_s: float) -> tuple[float, float]:
    """Return hidden and exposed time of the rank that waits least: the others wait for that rank too."""
    found = torch.zeros(dist.get_world_size(), 2, dtype=torch.float64)
    found[dist.get_rank()] = torch.tensor([hidden_s, exposed_s], dtype=torch.float64)
    dist.all_reduce(found)
    hidden, exposed = min(found.tolist(), key=lambda pair: pair[1])
    return hidden, exposed


class Training:
    """Equal matrices under DDP, with buckets of so many of them, and the traces of its steps."""

    def __init__(self, data: torch.Tensor, *, matrices: int) -> None:
        torch.manual_seed(0)
        layers = nn.Sequential(*(nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(LAYERS)))
        cap_bytes = matrices * MATRIX_BYTES
        self.model: Any = DistributedDataParallel(layers, bucket_cap_mb=cap_bytes / 2**20)
        self.data, self.traces = data, list[StepTrace]()
        self.sizes = bucket_sizes_bytes([MATRIX_BYTES] * LAYERS, cap_bytes=cap_bytes)
        self.name = f"{len(self.sizes)} bucket{'s' * (len(self.sizes) > 1)}"

    def step(self) -> None:
        """Go forward and backward."""
        self.model.zero_grad()
        loss = self.model(self.data).square().mean()
        with record_function("backward"):
            loss.backward()

    def silent(self) -> None:
        """Go forward and backward without a sum."""
        with self.model.no_sync():
            self.step()


def count(lab: Lab, run: Training) -> None:
    """Compare what the traces count in every step."""
    lab.phase(run.name)
    ready = [total // MATRIX_BYTES for total in accumulate(run.sizes)]
    for what, expected, found in (
        ("bytes of each", list(run.sizes), [trace.buckets_bytes for trace in run.traces]),
        ("gradients ready at each launch", ready, [trace.ready for trace in run.traces]),
        ("all-reduces", len(run.sizes), [len(trace.spans("gloo:all_reduce")) for trace in run.traces]),
    ):
        odd = [each for each in found if each != expected]
        lab.count(f"{run.name}: {what}", predicted=expected, measured=(odd or found)[0])
    sent = sum(ring_all_reduce_bytes(ranks=lab.ranks, size_bytes=size) for size in run.sizes)
    compare_wire(lab, run.name, predicted=sent, measured=sent_by(run.step))


def time(lab: Lab, run: Training, *, alone_s: list[float], link: dict[str, float]) -> None:
    """Set what is exposed and hidden beside the formula."""
    K, backward_s = len(run.sizes), statistics.median(alone_s)
    exposed_s = exposed_all_reduce_s(backward_s=backward_s, total_bytes=WHOLE, buckets=K, **link)
    running_s = K * link["latency_s"] + WHOLE / link["bandwidth_bytes_per_s"]
    parts = [last_to_come(*trace.hidden_and_exposed_s) for trace in run.traces[WARM:]]
    exposed = statistics.median(late for _, late in parts)
    lab.time(f"{run.name}: exposed", predicted_s=exposed_s, measured_s=exposed)
    if K > 1:
        hidden = statistics.median(early / (early + late) for early, late in parts)
        lab.estimate(f"{run.name}: hidden", predicted=1 - exposed_s / running_s, measured=hidden, unit="of the time")
    stretched = [slowest(trace.backward_s) / alone for trace, alone in zip(run.traces[WARM:], alone_s, strict=True)]
    what = f"{run.name}: backward pass, over that alone"  # of the same round, since a busy minute slows both
    lab.estimate(what, predicted=1, measured=statistics.median(stretched), unit="times")


def main(lab: Lab) -> None:
    """Take turns: a step of each number of buckets, one without all-reduces, all-reduces without a step."""
    lab.need_ranks(2, "a rank alone has nothing to sum")
    on_gloo(lab)
    data = torch.randn(BATCH, HIDDEN, generator=torch.Generator().manual_seed(lab.rank))
    runs = [Training(data, matrices=matrices) for matrices in (8, 4, 2, 1)]
    lab.phase("first step")
    for run in runs:
        first = StepTrace(run.step)
        what = f"{run.name}: gradients ready at the first step's launch"
        lab.count(what, predicted=[LAYERS], measured=first.ready)
    alone, sums_s = list[StepTrace](), [list[float]() for _ in SUMS]
    for _ in range(WARM + lab.options.steps):
        for run in runs:
            lab.phase(run.name)
            run.traces.append(StepTrace(run.step))
        lab.phase("backward pass alone")
        alone.append(StepTrace(runs[-1].silent))
        lab.phase("all-reduces alone")
        for size, taken_s in zip(SUMS, sums_s, strict=True):
            taken_s += lab.times_s(partial(dist.all_reduce, torch.zeros(size // 4)), repeats=1)
    lab.count("no_sync: all-reduces", predicted=0, measured=sum(len(trace.buckets_bytes) for trace in alone))
    for run in runs:
        count(lab, run)
    lab.data["all_reduce"] = {"sizes_bytes": SUMS, "times_s": sums_s}
    spans = [span for trace in alone[WARM:] for span in trace.spans("backward")]
    lab.data["backward_s"] = alone_s = [slowest((end - begin) * MICRO) for begin, end in spans]
    try:
        fit = fit_alpha_beta(SUMS, [statistics.median(taken_s[WARM:]) for taken_s in sums_s])
    except ValueError as error:
        lab.say(f"no fit, no predicted times: {error}")
        return
    link = {"latency_s": max(0.0, fit.latency_s), "bandwidth_bytes_per_s": fit.bandwidth_bytes_per_s}
    lab.data["all_reduce"] |= link
    for run in runs:
        time(lab, run, alone_s=alone_s, link=link)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the option of this lab."""
    parser.add_argument("--steps", type=int, default=30, help="timed steps with each number of buckets; medians count")


if __name__ == "__main__":
    run_lab(main, options=options, time_limit_s=300)
