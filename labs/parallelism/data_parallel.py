"""Data parallelism: DDP's gradient beside that of the big batch in one process.

DDP averages the ranks' gradients, each that of a mean loss. On even shards that is the big batch's gradient. On uneven
ones (3, 8, 13 and 18 examples for four ranks) it is not: an example of a small shard counts for more. The lab makes the
mistake, predicts how far off the gradient is, and mends it with a weight of N·n_r / Σn on the loss of rank r with n_r
of the examples. Then every rank gets three micro-batches of different sizes: the lab averages their means and the
ranks, as a loop that divides by the number of micro-batches does, predicts that error too, and mends it with a weight
of N·t/Σt on the loss of each micro-batch of t examples, accumulated under ``no_sync``. The big batch's gradient and the
mistakes' are computed by every rank alone. Counted besides are the
buckets in which a step's gradients are summed, with their bytes (DDP's first step sums all at once and learns the
order, later steps close a bucket with the gradient that reaches the cap, 8,000 bytes here), and the all-reduces that
three micro-batches need with and without ``no_sync``.

    torchrun --standalone --nproc-per-node 4 labs/parallelism/data_parallel.py

Any number of ranks will do; on one rank there is nothing to average, and no mistake to make.

Chapter: 16

Shown:
    even: error of their average
    uneven: error of their average
    uneven: weighted losses averaged
    ragged: error of the mean of means
    ragged: weighted losses accumulated
    first step: bucket
    later steps: buckets
    3 micro-batches, every one summed: all-reduces
    3 micro-batches, no_sync: all-reduces
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from labs.harness import Lab, run_lab
from snippets import bucket_sizes_bytes, shard_weights, token_weights
from snippets.background.probability.simulators import combine_ranks, compare_with_full

WIDTHS = (6, 40, 30, 50, 10, 3)
ELEMENT_BYTES = 8
CAP_BYTES = 8000
MICRO_BATCHES = 3


def flat(model: nn.Module) -> torch.Tensor:
    """Return the gradient of all parameters as one vector, and forget it."""
    gradient = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    model.zero_grad()
    return gradient


def summed(sizes: list[int], group: Any, bucket: Any) -> Any:
    """Sum a bucket as DDP does by itself, and note its bytes."""
    sizes.append(bucket.buffer().numel() * bucket.buffer().element_size())
    return allreduce_hook(group, bucket)


class Parallel:
    """A model under DDP, with the sizes of the buckets that it sums."""

    def __init__(self, lab: Lab, model: nn.Module) -> None:
        devices = [lab.device] if lab.device.type == "cuda" else None
        self.buckets_bytes = sizes = list[int]()
        self.model = DistributedDataParallel(copy.deepcopy(model), devices, bucket_cap_mb=CAP_BYTES / 2**20)
        self.model.register_comm_hook(None, lambda group, bucket: summed(sizes, group, bucket))  # DDP refuses Any

    def accumulated(self, parts: Sequence[Sequence[torch.Tensor]], weights: Sequence[float]) -> torch.Tensor:
        """Return what DDP makes of several micro-batches' mean losses, each times a weight; ranks are averaged once."""
        for number, (part, weight) in enumerate(zip(parts, weights, strict=True)):
            last = number == len(parts) - 1
            with contextlib.nullcontext() if last else self.model.no_sync():
                (weight * loss(self.model, *part)).backward()
        return flat(self.model)

    def gradient(self, inputs: torch.Tensor, targets: torch.Tensor, *, weight: float = 1.0) -> torch.Tensor:
        """Return what DDP makes of this rank's mean loss, times a weight."""
        self.buckets_bytes.clear()
        (weight * loss(self.model, inputs, targets)).backward()
        return flat(self.model)


def loss(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return nn.functional.mse_loss(model(inputs), targets)


def batch(lab: Lab, examples: int) -> list[torch.Tensor]:
    """Draw inputs and targets, the same on every rank."""
    return [torch.randn(examples, width).double().to(lab.device) for width in (WIDTHS[0], WIDTHS[-1])]


def shards(lab: Lab, model: nn.Module, parallel: Parallel, name: str, examples: list[int]) -> None:
    """Compare for one way to deal the examples."""
    lab.phase(name)
    dealt = [batch(lab, count) for count in examples]
    inputs, targets = (torch.cat(parts) for parts in zip(*dealt, strict=True))
    loss(model, inputs, targets).backward()
    big = flat(model)
    alone = []
    for part in dealt:
        loss(model, *part).backward()
        alone.append(flat(model).cpu().numpy())
    averaged = combine_ranks(alone, ranks=lab.ranks)

    plain = parallel.gradient(*dealt[lab.rank])
    lab.close(f"{name}: mean losses averaged", plain, torch.from_numpy(averaged[0]).to(lab.device))
    found = [compare_with_full([each], big.cpu().numpy()).relative for each in (averaged[0], plain.cpu().numpy())]
    predicted, measured = (round(error, 6) for error in found)
    lab.count(f"{name}: error of their average", predicted=predicted, measured=measured, unit="of the gradient")
    weight = shard_weights(examples)[lab.rank]
    weighted = parallel.gradient(*dealt[lab.rank], weight=weight)
    lab.close(f"{name}: weighted losses averaged", weighted, big, tolerance=1e-12)


def ragged(lab: Lab, model: nn.Module, parallel: Parallel) -> None:
    """Compare for micro-batches of different sizes on every rank."""
    lab.phase("ragged")
    counts = [[1 + (5 * rank + 7 * j * j) % 17 for j in range(MICRO_BATCHES)] for rank in range(lab.ranks)]
    dealt = [[batch(lab, count) for count in own] for own in counts]
    pieces = [piece for own in dealt for piece in own]
    loss(model, *(torch.cat(parts) for parts in zip(*pieces, strict=True))).backward()
    big = flat(model)
    alone = []
    for piece in pieces:
        loss(model, *piece).backward()
        alone.append(flat(model).cpu().numpy())
    averaged = combine_ranks(alone, ranks=len(pieces))
    plain = parallel.accumulated(dealt[lab.rank], [1 / MICRO_BATCHES] * MICRO_BATCHES)
    found = [compare_with_full([each], big.cpu().numpy()).relative for each in (averaged[0], plain.cpu().numpy())]
    predicted, measured = (round(error, 6) for error in found)
    lab.count("ragged: error of the mean of means", predicted=predicted, measured=measured, unit="of the gradient")
    weighted = parallel.accumulated(dealt[lab.rank], token_weights(counts)[lab.rank])
    lab.close("ragged: weighted losses accumulated", weighted, big, tolerance=1e-12)


def buckets(lab: Lab, parallel: Parallel) -> None:
    """Compare the buckets of a step, and the all-reduces of one with several micro-batches."""
    lab.phase("buckets")
    data = batch(lab, 4)
    # Each layer has one parameter, and the last layer's gradient comes first.
    sizes = [parameter.numel() * ELEMENT_BYTES for parameter in parallel.model.parameters()][::-1]
    parallel.gradient(*data)
    lab.count("first step: bucket", predicted=[sum(sizes)], measured=list(parallel.buckets_bytes), unit="bytes")
    parallel.gradient(*data)
    expected = bucket_sizes_bytes(sizes, cap_bytes=CAP_BYTES)
    lab.count("later steps: buckets", predicted=list(expected), measured=list(parallel.buckets_bytes), unit="bytes")
    for name, per_step in (("every one summed", MICRO_BATCHES), ("no_sync", 1)):
        parallel.buckets_bytes.clear()
        for number in range(MICRO_BATCHES):
            waits = name == "no_sync" and number < MICRO_BATCHES - 1
            with parallel.model.no_sync() if waits else contextlib.nullcontext():
                (loss(parallel.model, *data) / MICRO_BATCHES).backward()
        what = f"{MICRO_BATCHES} micro-batches, {name}: all-reduces"
        lab.count(what, predicted=per_step * len(expected), measured=len(parallel.buckets_bytes))


def main(lab: Lab) -> None:
    torch.manual_seed(0)
    layers = [layer for pair in pairwise(WIDTHS) for layer in (nn.Linear(*pair, bias=False), nn.Tanh())]
    model = nn.Sequential(*layers).double().to(lab.device)
    parallel = Parallel(lab, model)
    buckets(lab, parallel)
    parallel.model.zero_grad()
    shards(lab, model, parallel, "even", [8] * lab.ranks)
    shards(lab, model, parallel, "uneven", [3 + 5 * rank for rank in range(lab.ranks)])
    ragged(lab, model, parallel)


if __name__ == "__main__":
    run_lab(main)
