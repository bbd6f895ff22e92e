"""What library boxes say of PyTorch: torchrun --standalone --nproc-per-node 2 tests/labs/programs/library_boxes.py"""

from __future__ import annotations

import importlib
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    RowwiseParallel,
    parallelize_module,
)
from torch.utils.data import DistributedSampler

from labs.harness import Lab, run_lab


def buckets_mib(**settings: Any) -> list[list[float]]:
    """Return the buckets that DDP sums in each of two steps of sixty layers of 1 MiB."""
    layers = [torch.nn.Linear(512, 512, bias=False) for _ in range(60)]
    parallel = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), **settings)
    steps: list[list[float]] = []
    parallel.register_comm_hook(None, lambda _, bucket: kept(steps[-1], bucket))  # DDP refuses the annotations' texts
    for _ in range(2):
        steps.append([])
        parallel(torch.ones(2, 512)).sum().backward()
    return steps


def kept(step: list[float], bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    step.append(bucket.buffer().numel() * 4 / 2**20)
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


class Block(torch.nn.Module):
    """Three layers that each take the input for themselves, and one behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (torch.nn.Linear(8, 8, bias=False) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed: torch.Tensor = self.output(self.query(x) * self.key(x) + self.value(x))
        return mixed


def backward_all_reduces(ranks: int, *, wrapped: bool) -> int:
    """Return how many all-reduces the backward pass of a block makes, whose layers are cut as chapter 17 says."""
    mesh, block = init_device_mesh("cpu", (ranks,)), Block()
    plan: dict[str, ParallelStyle] = {name: ColwiseParallel() for name in ("query", "key", "value")}
    parallelize_module(block, mesh, {**plan, "output": RowwiseParallel()})
    if wrapped:
        whole = (Replicate(),)
        parallelize_module(block, mesh, PrepareModuleInput(input_layouts=whole, desired_input_layouts=whole))
    loss = block(torch.ones(4, 8, requires_grad=True)).sum()
    with CommDebugMode() as counter:
        loss.backward()
    return sum(counter.get_comm_counts().values())


def has(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name)


def main(lab: Lab) -> None:
    lab.phase("buckets")
    lab.count("5: by default", predicted=[[60], [1, 25, 25, 9]], measured=buckets_mib())
    lab.count("5: 25 by hand", predicted=[[60], [25, 25, 10]], measured=buckets_mib(bucket_cap_mb=25))
    lab.phase("all-reduces")
    for wrapped, predicted in ((False, 3), (True, 1)):
        measured = backward_all_reduces(lab.ranks, wrapped=wrapped)
        lab.count(f"17: wrapped {wrapped}", predicted=predicted, measured=measured)
    lab.phase("names")
    sampler: DistributedSampler[int] = DistributedSampler(list(range(101)), num_replicas=4, rank=0)
    lab.count("4: of 101 examples, 4 ranks have", predicted=26, measured=len(sampler))
    ring, public = "torch.distributed.tensor.experimental", [False, True]
    names = [has(ring, "set_rotate_method"), has(f"{ring}._attention", "set_rotate_method")]
    lab.count("19: set_rotate_method is private", predicted=public, measured=names)
    homes = ("torch.distributed", "torch.distributed._functional_collectives")
    names = [has(home, "all_to_all_single_autograd") for home in homes]
    lab.count("20: all_to_all_single_autograd is private", predicted=public, measured=names)


if __name__ == "__main__":
    run_lab(main)
