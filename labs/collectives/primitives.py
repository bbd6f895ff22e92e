"""Primitives: what every rank ends with, in the book's simulator and in ``torch.distributed``.

Each rank brings other data, and their length is no multiple of the number of ranks. Where the engine takes equal chunks
alone, the lab pads them, as users do. Then every algorithm of the book runs on the engine's ``isend`` and ``irecv``,
and the bytes that a rank sends are counted and set against the formula.

    torchrun --standalone --nproc-per-node 4 labs/collectives/primitives.py

Chapter: 12

Shown:
    scatter: what a rank ends with
    scatter: sent by
    all_to_all: sent by
    barrier, dissemination by isend: the same
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
import torch.distributed as dist

from labs.collectives.executor import Executor
from labs.harness import Lab, run_lab
from snippets import Schedule, build_collective, chunk_bounds, collective_traffic
from snippets.simulation.algorithms import ALGORITHMS
from snippets.simulation.runner import run
from snippets.simulation.schedule import PRIMITIVES, ROOTED

DTYPE = torch.int64


def data(schedule: Schedule, rank: int) -> np.ndarray:
    """Return what a rank brings: two digits for each rank, which tell the place, so that a sum shows its terms."""
    size = sum(stop - start for start, stop in schedule.input_ranges(rank))
    return 100 ** (rank % 8) * np.arange(1, size + 1, dtype=np.int64)


def padded(piece: torch.Tensor, length: int) -> torch.Tensor:
    """Return a chunk with zeros behind it, as long as the longest."""
    return torch.nn.functional.pad(piece, (0, length - piece.numel()))


class Engine:
    """The engine's primitives on the book's uneven chunks: from what a rank brings to what it ends with."""

    def __init__(self, lab: Lab, *, length: int, root: int) -> None:
        self.lab, self.length, self.root = lab, length, root
        self.sizes = [stop - start for start, stop in chunk_bounds(length, lab.ranks)]
        self.longest = max(self.sizes)

    def empty(self, size: int) -> torch.Tensor:
        return torch.zeros(size, dtype=DTYPE, device=self.lab.device)

    def slots(self) -> list[torch.Tensor]:
        return [self.empty(self.longest) for _ in self.sizes]

    def joined(self, slots: list[torch.Tensor]) -> torch.Tensor:
        return torch.cat([slot[:size] for slot, size in zip(slots, self.sizes, strict=True)])

    def broadcast(self, own: torch.Tensor) -> torch.Tensor:
        vector = own if self.lab.rank == self.root else self.empty(self.length)
        dist.broadcast(vector, src=self.root)
        return vector

    def reduce(self, own: torch.Tensor) -> torch.Tensor:
        dist.reduce(own, dst=self.root)
        return own if self.lab.rank == self.root else own[:0]

    def scatter(self, own: torch.Tensor) -> torch.Tensor:
        pieces = [padded(piece, self.longest) for piece in own.split(self.sizes)] if own.numel() else None
        mine = self.empty(self.longest)
        dist.scatter(mine, pieces if self.lab.rank == self.root else None, src=self.root)
        return mine[: self.sizes[self.lab.rank]]

    def gather(self, own: torch.Tensor) -> torch.Tensor:
        slots = self.slots() if self.lab.rank == self.root else None
        dist.gather(padded(own, self.longest), slots, dst=self.root)
        return self.joined(slots) if slots else own[:0]

    def all_gather(self, own: torch.Tensor) -> torch.Tensor:
        slots = self.slots()
        dist.all_gather(slots, padded(own, self.longest))
        return self.joined(slots)

    def reduce_scatter(self, own: torch.Tensor) -> torch.Tensor:
        mine = self.empty(self.longest)
        dist.reduce_scatter(mine, [padded(piece, self.longest) for piece in own.split(self.sizes)])
        return mine[: self.sizes[self.lab.rank]]

    def all_reduce(self, own: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(own)
        return own

    def all_to_all(self, own: torch.Tensor) -> torch.Tensor:
        mine = self.sizes[self.lab.rank]
        received = self.empty(mine * self.lab.ranks)
        dist.all_to_all_single(received, own, [mine] * self.lab.ranks, self.sizes)  # uneven without padding
        return received


def entered_by_all(lab: Lab, name: str, barrier: Callable[[], object]) -> int:
    """Return how many ranks had come to the barrier when this one left it; they come one after the other."""
    time.sleep(0.02 * lab.rank)
    lab.store.add(name, 1)
    barrier()
    return int(lab.store.add(name, 0))


def main(lab: Lab) -> None:
    """Compare every primitive, then every algorithm of it."""
    length, root = 3 * lab.ranks + 1, lab.ranks // 2
    for primitive in PRIMITIVES:
        lab.phase(primitive)
        if primitive == "barrier":
            seen = entered_by_all(lab, "engine", dist.barrier)
            lab.count("barrier: had come when one leaves", predicted=lab.ranks, measured=seen, unit="ranks")
        counted, predicted = {}, {}
        for algorithm in ALGORITHMS[primitive]:
            where = {"length": 0 if primitive == "barrier" else length, "root": root if primitive in ROOTED else 0}
            schedule = build_collective(primitive, algorithm, ranks=lab.ranks, **where)
            inputs = [data(schedule, rank) for rank in range(lab.ranks)]
            simulated = run(schedule, inputs).outputs[lab.rank].tolist()
            own = torch.from_numpy(inputs[lab.rank]).to(lab.device)
            if algorithm == ALGORITHMS[primitive][0] and primitive != "barrier":
                engine = getattr(Engine(lab, length=length, root=root), primitive)(own.clone()).tolist()
                lab.count(f"{primitive}: what a rank ends with", predicted=simulated, measured=engine)
            executor = Executor(schedule, rank=lab.rank, dtype=DTYPE, device=lab.device)
            executor.load(own)
            if primitive == "barrier":
                seen = entered_by_all(lab, algorithm, executor.run)
                lab.count(f"barrier, {algorithm} by isend: the same", predicted=lab.ranks, measured=seen, unit="ranks")
                continue
            counted[algorithm] = executor.run().sent_bytes
            size = {"size_bytes": length * DTYPE.itemsize, "element_bytes": DTYPE.itemsize}
            formula = collective_traffic(primitive, algorithm, ranks=lab.ranks, **size, root=where["root"])
            predicted[algorithm] = formula.sent_bytes[lab.rank]
            if executor.result().tolist() != simulated:
                lab.count(
                    f"{primitive}, {algorithm} by isend", predicted=simulated, measured=executor.result().tolist()
                )
        if counted:
            what = f"{primitive}: sent by {', '.join(counted)}"
            what = what if len(what) < 50 else f"{primitive}: sent by each of {len(counted)} algorithms"
            lab.count(what, predicted=list(predicted.values()), measured=list(counted.values()), unit="bytes")


if __name__ == "__main__":
    run_lab(main)
