"""A lab that goes wrong as it is told: torchrun --standalone --nproc-per-node 4 tests/labs/programs/hard_cases.py"""

from __future__ import annotations

import argparse
import os
import signal
import time

import torch
import torch.distributed as dist

from labs.harness import Lab, run_lab


def main(lab: Lab) -> None:
    case = lab.options.case
    lab.phase("the hard part")
    lab.say("begun")
    if lab.rank == 1 and case == "sleep":
        time.sleep(600)
    if lab.rank == 1 and case == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if lab.rank == 1 and case == "raise":
        raise ValueError("the hard part")
    if case == "deadlock":
        dist.recv(torch.zeros(1), src=(lab.rank + 1) % lab.ranks)
    dist.all_reduce(torch.zeros(1))
    lab.count("count", predicted=7, measured=8 if lab.rank == 2 else 7)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--case", required=True)


if __name__ == "__main__":
    run_lab(main, options=options)
