"""Data pipeline: a loader that stops anywhere and goes on with other ranks, on the same global order.

Every rank has a ``DataLoader`` of PyTorch's with two worker processes. Its batches come from the book's global order,
and the state that is saved is one number, the position in that order. The run stops in the middle of an epoch, while
workers have batches ready that nobody has taken; another number of ranks goes on from the saved position. Counted are
the examples of each step, of all ranks together: they must be those of the order, each once.

Beside it stand ``DistributedSampler``, which repeats examples where the ranks do not divide their number, and a
position that was counted when a batch was asked for instead of taken: what the workers had ready is then lost.

The last row times a loader whose workers sleep: predicted by the clock of the chapter, measured by the wall clock.

    torchrun --standalone --nproc-per-node 4 labs/foundations/data_pipeline.py

Chapter: 4

Shown:
    examples of each step
    resumed on
    examples in all
    DistributedSampler
    position of what was asked for
    time of
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

from labs.harness import Lab, run_lab
from snippets import epoch_order, loader_run, rank_batches

EXAMPLES, BATCH, STOP, WORKERS, FACTOR = 101, 16, 3, 2, 2


class Numbers(Dataset[int]):
    """Examples that are their own numbers; making one may take time."""

    def __init__(self, count: int, seconds: Sequence[float] = ()) -> None:
        self.count, self.seconds = count, seconds

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, example: int) -> int:
        if self.seconds:
            time.sleep(self.seconds[example])
        return example


class Asked:
    """A batch sampler that counts how many batches the loader has asked it for."""

    def __init__(self, batches: Sequence[Sequence[int]]) -> None:
        self.batches, self.count = batches, 0

    def __iter__(self) -> Iterator[Sequence[int]]:
        for batch in self.batches:
            self.count += 1
            yield batch


def batches_of(batches: Sequence[Sequence[int]], *, steps: int | None = None) -> tuple[list[list[int]], int]:
    """Take some steps from a loader; return their examples, and how many batches it had asked for by then."""
    asked = Asked(batches)
    # A list may be empty, and PyTorch's own way to collate examples fails on none: many ranks share the last batch.
    options: Any = {"batch_sampler": asked, "num_workers": WORKERS, "prefetch_factor": FACTOR, "collate_fn": list}
    loader: DataLoader[int] = DataLoader(Numbers(EXAMPLES), **options)
    taken: list[list[int]] = [list(batch) for batch in islice(iter(loader), steps)]
    return taken, asked.count


def together(lab: Lab, batches: list[list[int]]) -> list[list[int]]:
    """Return each step's examples of all ranks, in the ranks' order."""
    gathered: list[list[list[int]]] = [[] for _ in range(lab.ranks)]
    dist.all_gather_object(gathered, batches)
    steps = max(map(len, gathered))
    return [[e for batches in gathered if step < len(batches) for e in batches[step]] for step in range(steps)]


def main(lab: Lab) -> None:
    """Stop, go on with fewer ranks, and count every example."""
    lab.need_ranks(2, "a rank alone has nobody to share with")
    order = epoch_order(examples=EXAMPLES, seed=7, epoch=0)
    expected = [order[first : first + BATCH] for first in range(0, EXAMPLES, BATCH)]
    lab.phase("before the stop")
    mine = rank_batches(order, position=0, batch=BATCH, ranks=lab.ranks, rank=lab.rank)
    taken, asked = batches_of(mine, steps=STOP)
    before = together(lab, taken)
    lab.count(f"examples of each step, {lab.ranks} ranks", predicted=expected[:STOP], measured=before)
    position = sum(map(len, before))  # the whole state
    for fewer in sorted({1, lab.ranks - 1}):
        lab.phase(f"resumed on {fewer}")
        rest: list[list[int]] = []
        if lab.rank < fewer:
            left = rank_batches(order, position=position, batch=BATCH, ranks=fewer, rank=lab.rank)
            rest, _ = batches_of(left)
        after = together(lab, rest)
        lab.count(f"resumed on {fewer}: the steps that follow", predicted=expected[STOP:], measured=after)
        seen = Counter(example for step in before + after for example in step)
        lab.count(f"examples in all, resumed on {fewer}", predicted=EXAMPLES, measured=len(seen))
        lab.count(f"most uses of one, resumed on {fewer}", predicted=1, measured=max(seen.values()))
    lab.phase("other samplers")
    sampler: DistributedSampler[int] = DistributedSampler(
        Numbers(EXAMPLES), num_replicas=lab.ranks, rank=lab.rank, shuffle=True, seed=7
    )
    dealt = [example for step in together(lab, [list(sampler)]) for example in step]
    lab.count("DistributedSampler: repeated", predicted=-EXAMPLES % lab.ranks, measured=len(dealt) - len(set(dealt)))
    ahead = min(STOP + WORKERS * FACTOR, len(expected))
    lab.count("position of what was asked for: steps lost", predicted=ahead - STOP, measured=asked - STOP)
    timed(lab)


def timed(lab: Lab) -> None:
    """Time a loader on rank 0 whose batches take known times, beside the clock of the chapter."""
    lab.phase("timing")
    seconds, step_s = [0.3 if number % 10 == 4 else 0.1 for number in range(40)], 0.05
    for workers in (1, 4):
        run = loader_run(seconds, step_s=step_s, workers=workers, prefetch_factor=FACTOR)
        elapsed = torch.zeros(1, dtype=torch.float64)
        if lab.rank == 0:
            options: Any = {
                "batch_sampler": [[n] for n in range(40)],
                "num_workers": workers,
                "prefetch_factor": FACTOR,
            }
            loader: DataLoader[int] = DataLoader(Numbers(40, seconds), **options)
            begin = 0.0
            for number, _ in enumerate(loader):
                begin = begin if number else time.perf_counter()  # the workers have started
                time.sleep(step_s)
            elapsed[0] = time.perf_counter() - begin
        shared = elapsed.to(lab.device)
        dist.broadcast(shared, 0)
        predicted = run.takes_s[-1] + step_s - run.takes_s[0]
        lab.time(f"time of 40 steps, workers: {workers}", predicted_s=predicted, measured_s=float(shared))


if __name__ == "__main__":
    run_lab(main)
