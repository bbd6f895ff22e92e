"""Profiling: where two ranks' steps go, read from traces of `torch.profiler`, where we know who is slow and when.

Two ranks train a small transformer block with DDP over gloo. Rank 1 sleeps for a while before each backward pass, as if
its host were busy. Rank 0 gets its batch late in two steps. The profiler records steps after a warm-up, and the book's
analyser, which knows nothing of this, reads the traces: it has to find each rank's parts of each step, which rank the
other waits for, and the two late batches.

Counts decide: the steps, their all-reduces, parts that add up to the step. Two times decide too, since a rank never
sleeps for less than it was told: a late batch is found whole as waiting for data, and rank 1's sleep as idle time. Who
comes last, and how long the other rank waits, are compared and don't decide: on a busy machine a rank may be late for
reasons of its own. The recorded run had its two cores almost to itself.

    torchrun --standalone --nproc-per-node 2 labs/synthesis/profiling.py

Chapter: 35

Shown:
    steps in the trace
    all-reduces of each step
    parts of a step
    late batches: what is not found
    rank 1's sleep: what is not found
    steps in which the right rank comes last
    delay of rank 1
    rank 0: exposed communication
    rank 1: idle
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, IterableDataset

from labs.efficiency.trace import exported
from labs.efficiency.wire import on_gloo
from labs.harness import Lab, Row, run_lab
from snippets import StepBudget, Trace, read_trace, step_budgets, who_arrives_last

WIDTH, HEADS, TOKENS, SEQUENCES = 256, 4, 64, 8
BUCKETS = 2
SKIPPED = 3  # steps before those that count: DDP lays its buckets out anew after the first
STEPS = 6
LATE = (2, 5)  # steps, from 0, in which rank 0's batch comes late
DELAY_S, LATE_S = 0.05, 0.10
TOLERANCE = 0.05  # of a sleep: the profiler has its own clock, and on a busy machine something else may run inside it
KEPT = ("ph", "cat", "name", "pid", "tid", "ts", "dur")


class Block(nn.Module):
    """Attention and two matrices, each beside a way around."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take sequences through the block."""
        heads = self.qkv(self.norm(x)).view(*x.shape[:2], 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(nn.functional.gelu(self.up(x)))


class Batches(IterableDataset[torch.Tensor]):
    """Sequences one by one, some of them late."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __iter__(self) -> Iterator[torch.Tensor]:
        generator = torch.Generator().manual_seed(self.rank)
        for step in range(SKIPPED + STEPS):
            for sequence in range(SEQUENCES):
                if self.rank == 0 and step - SKIPPED in LATE and sequence == 0:
                    time.sleep(LATE_S)
                yield torch.randn(TOKENS, WIDTH, generator=generator)


def recorded(lab: Lab) -> dict[str, Any]:
    """Train, and return what the profiler writes of the steps that count."""
    torch.manual_seed(0)
    cap = sum(weight.numel() for weight in Block().parameters()) * 4 / BUCKETS
    model = DistributedDataParallel(Block(), bucket_cap_mb=cap / 2**20)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=True)
    plan = schedule(wait=SKIPPED - 1, warmup=1, active=STEPS, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan) as profiler:
        for batch in DataLoader(Batches(lab.rank), batch_size=SEQUENCES):
            loss = model(batch).square().mean()
            if lab.rank == 1:
                time.sleep(DELAY_S)  # a host that is busy with something else
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    return exported(profiler)


def stripped(content: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with what the analyser reads and nothing of the machine."""
    events = [
        {key: event[key] for key in KEPT if key in event}
        for event in content["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") in ("cpu_op", "user_annotation")
    ]
    return {
        "schemaVersion": content["schemaVersion"],
        "distributedInfo": {key: content["distributedInfo"][key] for key in ("backend", "rank", "world_size")},
        "displayTimeUnit": content["displayTimeUnit"],
        "traceEvents": sorted(events, key=lambda event: event["ts"]),
    }


def compare(lab: Lab, traces: list[Trace], budgets: list[tuple[StepBudget, ...]]) -> None:
    """Set what the analyser finds beside what was done."""
    lab.count("steps in the trace", predicted=STEPS, measured=len(traces[lab.rank].steps))
    lab.count("all-reduces of each step", predicted=[BUCKETS] * STEPS, measured=all_reduces(traces[lab.rank]))
    error = max(
        abs(sum(budget.parts.values()) - step.duration_s)
        for trace, each in zip(traces, budgets, strict=True)
        for step, budget in zip(trace.steps, each, strict=True)
    )
    lab.rows.append(Row("parts of a step, less the step", "bound", 1e-9, error, "s"))
    found_s = [min(budgets[0][step].data_s for step in LATE), min(budget.idle_s for budget in budgets[1])]
    for what, made_s, least_s in zip(("late batches", "rank 1's sleep"), (LATE_S, DELAY_S), found_s, strict=True):
        lab.rows.append(Row(f"{what}: what is not found", "bound", made_s * TOLERANCE, max(0.0, made_s - least_s), "s"))


def all_reduces(trace: Trace) -> list[int]:
    """Return how many all-reduces began in each step."""
    begins = [event.start_s for event in trace.events if event.name == "gloo:all_reduce"]
    return [sum(step.start_s <= at < step.start_s + step.duration_s for at in begins) for step in trace.steps]


def estimate(lab: Lab, traces: list[Trace], budgets: list[tuple[StepBudget, ...]]) -> None:
    """Set what the delays make of the steps beside what the analyser finds."""
    late = who_arrives_last(traces)
    # Rank 0 is the later one only where its batch is late for longer than rank 1 sleeps.
    right = sum(found.last == (0 if step in LATE else 1) for step, found in enumerate(late))
    lab.estimate("steps in which the right rank comes last", predicted=STEPS, measured=right, unit="steps")
    plain = [step for step in range(STEPS) if step not in LATE]
    waits_s = statistics.median(late[step].exposed_waits_s[0] for step in plain)
    lab.time("delay of rank 1, as rank 0 waits for it", predicted_s=DELAY_S, measured_s=waits_s)
    fast, slow = ([each[step] for step in plain] for each in budgets[:2])
    exposed_s, delayed_s = (statistics.fmean(step.exposed_communication_s for step in each) for each in (fast, slow))
    what = "rank 0: exposed communication, as that of rank 1 and the delay"
    lab.time(what, predicted_s=delayed_s + DELAY_S, measured_s=exposed_s)
    idle_s, slept_s = (statistics.fmean(step.idle_s for step in each) for each in (fast, slow))
    lab.time("rank 1: idle, as rank 0 and the delay", predicted_s=idle_s + DELAY_S, measured_s=slept_s)


def main(lab: Lab) -> None:
    """Record, write the traces where that is wanted, analyse, compare."""
    lab.need_ranks(2, "a rank alone waits for nobody")
    if lab.ranks > 2:
        lab.say("more than two ranks: those above 1 do as rank 0 does, and get their data in time")
    on_gloo(lab)
    torch.set_num_threads(1)
    lab.phase("training")
    content = stripped(recorded(lab))
    lab.phase("reading the traces")
    written: list[str] = [""] * lab.ranks
    dist.all_gather_object(written, json.dumps(content, separators=(",", ":")))
    if lab.options.traces and lab.rank == 0:
        for rank, text in enumerate(written):
            packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
            (lab.options.traces / f"rank_{rank}.json.gz").write_bytes(packed)
    traces = [read_trace(text) for text in written]
    budgets = [step_budgets(trace) for trace in traces]
    compare(lab, traces, budgets)
    estimate(lab, traces, budgets)
    lab.data["budgets"] = [[budget.parts for budget in each] for each in budgets]


def options(parser: argparse.ArgumentParser) -> None:
    """Add the option of this lab."""
    parser.add_argument("--traces", type=Path, metavar="FOLDER", help="write each rank's trace there, packed")


if __name__ == "__main__":
    run_lab(main, options=options)
