"""Pipeline parallelism: the schedules of ``torch.distributed.pipelining``, beside the book's.

The engine runs GPipe, 1F1B, interleaved 1F1B (two stages a rank) and its zero-bubble schedule, with one stage a rank
ZB-H1, on 8 micro-batches. ZB-H2 is not in the release: the engine is given the book's order. The stages are real
layers, so the gradients have to be those of the whole model in one process. Counted are the tasks that ran in the
book's place, the micro-batches that a rank held at most, and its messages and their bytes.

Every pass sleeps until its slots are over, so that the bubble is known beforehand. What ranks wait beyond it is for
messages, for the engine's own work, and on a busy machine for other work. ZB-H2 is predicted to wait as long as ZB-H1,
because the share is that of the step of all ranks: it saves waiting only between a rank's own first and last task.

    torchrun --standalone --nproc-per-node 4 labs/parallelism/pipeline.py

Any number of ranks will do; one alone has no bubble and sends nothing.

Chapter: 18

Shown:
    GPipe: held at most
    1F1B: held at most
    interleaved 1F1B: held at most
    ZB-H2: held at most
    1F1B: messages sent
    interleaved 1F1B: messages sent
    GPipe: tasks in the book's place
    1F1B: tasks in the book's place
    interleaved 1F1B: tasks in the book's place
    ZB-H1: tasks in the book's place
    ZB-H2: tasks in the book's place
    GPipe: idle
    1F1B: idle
    interleaved 1F1B: idle
    ZB-H1: idle
    ZB-H2: idle
"""

from __future__ import annotations

import argparse
import copy
import time
from functools import partial
from operator import eq
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import pipelining
from torch.distributed.pipelining.schedules import _Action

from labs.harness import Lab, Row, run_lab
from snippets import pipeline_message_bytes
from snippets.parallelism.pipeline import schedules as book
from snippets.parallelism.pipeline.runner import count_messages, peak_activations, run_pipeline

SEQUENCE, HIDDEN = 3, 8  # of a micro-batch, which is one sequence


class Stage(pipelining.PipelineStage):  # type: ignore[misc, unused-ignore]
    """A stage that writes down what the engine makes it do, and takes a set time for it."""

    def __init__(self, layers: nn.Module, number: int, stages: int, lab: Lab) -> None:
        super().__init__(layers, number, stages, lab.device)
        self.lengths_s = dict.fromkeys("FBW", 0.0)
        self.mates = [self]  # the stages of this rank
        self.log: list[tuple[book.Task, float, float, int]] = []
        self.sent_bytes: list[int] = []
        for kind, name in (("F", "forward_one_chunk"), ("B", "backward_one_chunk"), ("W", "backward_weight_one_chunk")):
            setattr(self, name, partial(self._timed, kind, getattr(self, name)))
        for name in ("get_fwd_send_ops", "get_bwd_send_ops"):
            setattr(self, name, partial(self._counted, getattr(self, name)))

    def _timed(self, kind: str, work: Any, chunk: int, *arguments: Any, **keywords: Any) -> Any:
        begin_s = time.monotonic()
        result = work(chunk, *arguments, **keywords)
        time.sleep(max(0.0, begin_s + self.lengths_s[kind] - time.monotonic()))
        held = sum(len(stage.fwd_cache) + len(stage.backward_state) for stage in self.mates)
        self.log.append((book.Task(kind, chunk, self.stage_index), begin_s, time.monotonic(), held))
        return result

    def _counted(self, made: Any, chunk: int) -> Any:
        operations = made(chunk)
        self.sent_bytes += [operation.tensor.nbytes for operation in operations]
        return operations


def compare(
    lab: Lab, schedule: book.PipelineSchedule, engine: Any, model: nn.Sequential, data: Any, *, given: bool
) -> None:
    """Let the engine run a step, and set what it did beside what the book says."""
    name, p = schedule.name, lab.ranks
    lab.phase(name)
    per_stage = len(model) // schedule.stages
    parts = {number: model[per_stage * number :][:per_stage] for number in range(lab.rank, schedule.stages, p)}
    stages = [Stage(copy.deepcopy(part), number, schedule.stages, lab) for number, part in parts.items()]
    single = issubclass(engine, pipelining.schedules.PipelineScheduleSingle)
    run = engine(stages[0] if single else stages, schedule.micro_batches, loss_fn=nn.functional.mse_loss)
    if given:  # the engine's I is the gradient of the input alone
        texts = [[f"{t.stage}{t.kind.replace('B', 'I')}{t.micro_batch}" for t in order] for order in schedule.orders]
        run._prepare_schedule_with_comms({rank: list(map(_Action.from_str, row)) for rank, row in enumerate(texts)})
    first, last = [data[0]] * (lab.rank == 0), {"target": data[1]} if lab.rank == p - 1 else {}
    run.step(*first, **last)  # in which the engine finds out shapes

    slot_s = lab.options.slot_ms / 1000 * p / schedule.stages
    lengths_s = {"F": slot_s, "B": slot_s, "W": slot_s} if schedule.splits_backward else {"F": slot_s, "B": 2 * slot_s}
    for stage in stages:
        stage.submod.zero_grad()
        stage.log.clear()
        stage.sent_bytes.clear()
        stage.mates, stage.lengths_s = stages, lengths_s
    dist.barrier()
    start_s = time.monotonic()
    run.step(*first, **last)

    log = sorted((event for stage in stages for event in stage.log), key=lambda event: event[1])
    ran, order = [task for task, *_ in log], schedule.orders[lab.rank]
    at_place = sum(map(eq, ran, order)) if len(ran) == len(order) else -1
    lab.count(f"{name}: tasks in the book's place", predicted=len(order), measured=at_place)
    peak, most = peak_activations(schedule)[lab.rank], max(held for *_, held in log)
    lab.count(f"{name}: held at most", predicted=peak, measured=most, unit="micro-batches")
    messages = sum(count for (source, _), count in count_messages(schedule).items() if source == lab.rank)
    size = pipeline_message_bytes(micro_batch=1, sequence=SEQUENCE, hidden=HIDDEN, element_bytes=4)
    sent = [nbytes for stage in stages for nbytes in stage.sent_bytes]
    lab.count(f"{name}: messages sent", predicted=messages, measured=len(sent))
    lab.count(f"{name}: bytes sent", predicted=messages * size, measured=sum(sent))
    mine = [parameter.grad.flatten() for stage in stages for parameter in stage.submod.parameters()]
    whole = [parameter.grad.flatten() for part in parts.values() for parameter in part.parameters()]
    lab.close(f"{name}: gradient", torch.cat(mine), torch.cat(whole))

    line = run_pipeline(schedule, lengths_s)
    end_s = torch.tensor(log[-1][2] - start_s, device=lab.device)
    work_s = torch.tensor(sum(end - begin for _, begin, end, _ in log), device=lab.device)
    dist.all_reduce(end_s, op=dist.ReduceOp.MAX)
    dist.all_reduce(work_s)
    lab.time(f"{name}: step", predicted_s=float(line.makespan_s), measured_s=float(end_s))
    if p > 1:
        idle = 1 - float(work_s / end_s) / p
        lab.rows.append(Row(f"{name}: idle", "time", line.idle_share, idle, "share of the step"))
    times = [f"{task} {1000 * (begin - start_s):.1f}-{1000 * (end - start_s):.1f}" for task, begin, end, _ in log]
    everyone: list[Any] = [None] * p
    dist.all_gather_object(everyone, ", ".join(times))
    lab.data.setdefault("tasks_ms", {})[name] = everyone


def main(lab: Lab) -> None:
    p, m = lab.ranks, 2 * lab.ranks
    torch.manual_seed(0)
    layers = [nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.Tanh()) for _ in range(2 * p)]
    model = nn.Sequential(*layers).to(lab.device)
    inputs, targets = (torch.randn(m, SEQUENCE, HIDDEN).to(lab.device) for _ in range(2))
    nn.functional.mse_loss(model(inputs), targets).backward()
    plain, looped = {"stages": p, "micro_batches": m}, {"stages": p, "micro_batches": m, "chunks": 2}
    zero_bubble = pipelining.ScheduleInterleavedZeroBubble
    for schedule, engine, given in (
        (book.gpipe(**plain), pipelining.ScheduleGPipe, False),
        (book.one_f_one_b(**plain), pipelining.Schedule1F1B, False),
        (book.interleaved(**looped), pipelining.ScheduleInterleaved1F1B, False),
        (book.zb_h1(**plain), zero_bubble, False),
        (book.zb_h2(**plain), zero_bubble, True),
    ):
        compare(lab, schedule, engine, model, (inputs, targets), given=given)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slot-ms", type=float, default=40.0, help="length of a forward of a rank's layers")


if __name__ == "__main__":
    run_lab(main, options=options)
