"""Your ring all-reduce on a real engine: the answer to the exercise, by ``isend`` and ``irecv``.

The program that you wrote for the exercise ``ring_all_reduce`` runs on every rank. Its sums stand beside those of
``dist.all_reduce``, what it sends beside 2(N−1)/N·n, its time beside the engine's own. ``--answer FILE`` runs another
file; the recorded run has the book's own answer.

    torchrun --standalone --nproc-per-node 4 labs/collectives/own_ring.py

Chapter: 13

Shown:
    even: the sums
    even: sent
    even: messages sent
    uneven: the sums
    your program beside dist.all_reduce
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist

from labs.answers import ROOT, Engine, Sent, answer_in
from labs.harness import Lab, run_lab
from snippets import ring_all_reduce_bytes

ADDRESS = "collectives/ring_and_tree/ring_all_reduce"
DTYPE = torch.float64


def options(parser: argparse.ArgumentParser) -> None:
    """Add the lab's own options."""
    own = ROOT / "answers" / f"{ADDRESS}.py"
    parser.add_argument("--answer", type=Path, default=own, metavar="FILE", help="the file with your ring_all_reduce")
    parser.add_argument("--length", type=int, default=4000, help="numbers that each rank brings to the timed run")


def run_once(lab: Lab, length: int) -> tuple[torch.Tensor, torch.Tensor, Sent]:
    """Run the answer on numbers whose sums are exact, and return its sums, the engine's, and what was sent."""
    answer = answer_in(lab.options.answer, ADDRESS)
    own = torch.arange(length, dtype=DTYPE) % 97 + 1000 * lab.rank
    engine = Engine(lab, dtype=DTYPE)
    sums = engine.run(answer(rank=lab.rank, ranks=lab.ranks, numbers=own.tolist()))
    total = own.to(lab.device)
    dist.all_reduce(total)
    return torch.tensor(sums, dtype=DTYPE), total.cpu(), engine.sent


def compare(lab: Lab, name: str, length: int) -> None:
    """Compare the answer's sums, bytes and messages with the engine's sums and the formulas."""
    lab.phase(f"{name} chunks")
    sums, total, sent = run_once(lab, length)
    lab.count(f"{name}: the sums", predicted=True, measured=torch.equal(sums, total))
    if length % lab.ranks == 0:  # else it depends on which rank owns which chunk, and that is yours to choose
        share = ring_all_reduce_bytes(ranks=lab.ranks, size_bytes=length * DTYPE.itemsize)
        lab.count(f"{name}: sent", predicted=round(share), measured=sent.message_bytes, unit="bytes")
    lab.count(f"{name}: messages sent", predicted=2 * (lab.ranks - 1), measured=sent.messages)


def main(lab: Lab) -> None:
    """Check the answer's sums and bytes, then time it beside the engine."""
    lab.need_ranks(2, "a rank alone sends nothing")
    compare(lab, "even", 100 * lab.ranks)
    compare(lab, "uneven", 100 * lab.ranks + lab.ranks // 2)
    lab.phase("timing")
    vector = torch.zeros(lab.options.length, dtype=DTYPE, device=lab.device)
    answer = answer_in(lab.options.answer, ADDRESS)
    numbers = vector.tolist()

    def yours() -> None:
        Engine(lab, dtype=DTYPE).run(answer(rank=lab.rank, ranks=lab.ranks, numbers=numbers))

    engine_s = lab.fastest_s(partial(dist.all_reduce, vector), warmups=2)
    lab.time("your program beside dist.all_reduce", predicted_s=engine_s, measured_s=lab.fastest_s(yours))


if __name__ == "__main__":
    run_lab(main, options=options)
