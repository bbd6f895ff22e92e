"""Your ZeRO-1 step on a real engine: the answer to the exercise, its collectives by ``torch.distributed``.

The program that you wrote for the exercise ``zero1_step`` makes three steps on every rank, with the optimizer's state
in shards. Its parameters stand beside those of ``torch.optim.Adam`` with the mean gradient, what it sends beside the
2(R−1)/R·N of the formula. ``--answer FILE`` runs another file; the recorded run has the book's own answer.

    torchrun --standalone --nproc-per-node 4 labs/memory/own_zero_step.py

Chapter: 22

Shown:
    parameters, beside torch.optim.Adam
    the same on all ranks
    sent
    held of Adam's averages
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from labs.answers import ROOT, Engine, answer_in
from labs.harness import Lab, run_lab
from snippets import Rank, zero_traffic_bytes

ADDRESS = "memory/zero/zero1_step"
STEPS = 3
LEARNING_RATE = 0.1


def options(parser: argparse.ArgumentParser) -> None:
    """Add the lab's own options."""
    own = ROOT / "answers" / f"{ADDRESS}.py"
    parser.add_argument("--answer", type=Path, default=own, metavar="FILE", help="the file with your zero1_step")


def gradients_of(count: int, rank: int, step: int) -> np.ndarray:
    """Return a rank's own gradient of a step."""
    return np.random.default_rng([rank, step]).standard_normal(count).astype(np.float32)


def adam(initial: np.ndarray, ranks: int) -> torch.Tensor:
    """Return the parameters after the steps of one device that sees all gradients."""
    whole = torch.nn.Parameter(torch.from_numpy(initial.copy()))
    optimizer = torch.optim.Adam([whole], lr=LEARNING_RATE)
    for step in range(1, STEPS + 1):
        mean = np.mean([gradients_of(len(initial), rank, step) for rank in range(ranks)], axis=0)
        whole.grad = torch.from_numpy(mean.astype(np.float32))
        optimizer.step()
    return whole.detach()


def main(lab: Lab) -> None:
    """Make the steps by the answer, and compare parameters, bytes and state."""
    lab.need_ranks(2, "a rank alone has nothing to shard")
    answer = answer_in(lab.options.answer, ADDRESS)
    count = 96 * lab.ranks
    part = count // lab.ranks
    initial = np.random.default_rng(0).standard_normal(count).astype(np.float32)
    shard = slice(lab.rank * part, (lab.rank + 1) * part)
    averages = [np.zeros(part, np.float32) for _ in range(2)]
    rank = Rank(lab.rank, lab.ranks, shard, initial.copy(), np.zeros(count, np.float32), *averages)
    engine = Engine(lab, dtype=torch.float32)
    lab.phase("your steps")
    for step in range(1, STEPS + 1):
        rank.gradients[:] = gradients_of(count, lab.rank, step)
        engine.run(answer(rank=rank, step=step, learning_rate=LEARNING_RATE))
    lab.phase("comparing")
    own = torch.from_numpy(rank.parameters)
    lab.close("parameters, beside torch.optim.Adam", own, adam(initial, lab.ranks))
    first = own.to(lab.device).clone()
    dist.broadcast(first, 0)
    lab.count("the same on all ranks", predicted=True, measured=torch.equal(first.cpu(), own))
    expected = zero_traffic_bytes(count, ranks=lab.ranks, stage=1, recipe="fp32-adam", rank=lab.rank).sent
    lab.count("sent", predicted=STEPS * round(expected), measured=round(engine.sent.collective_bytes), unit="bytes")
    held = rank.first.nbytes + rank.second.nbytes
    lab.count("held of Adam's averages", predicted=8 * count // lab.ranks, measured=held, unit="bytes")


if __name__ == "__main__":
    run_lab(main, options=options)
