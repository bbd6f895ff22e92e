"""Topology: an all-reduce in three phases over subgroups, beside one all-reduce of everything.

The ranks are dealt to two "nodes". Within each a group reduce-scatters and all-gathers; across, each rank all-reduces
its part with the rank at its place on the other node. The result has to be the engine's own all-reduce. Then the same
phases run as the book's schedule on the engine's ``isend`` and ``irecv``, and the bytes that stay on a node and those
that leave it are counted and set against the formula.

    torchrun --standalone --nproc-per-node 4 labs/collectives/topology.py

Chapter: 15

Shown:
    three phases over subgroups: equal to one all-reduce
    hierarchical: sent inside
    hierarchical: sent across
    one ring: sent across by a node
"""

from __future__ import annotations

import torch
import torch.distributed as dist

from labs.collectives.executor import Executor
from labs.harness import Lab, run_lab
from snippets import all_reduce_dimension_bytes, build_collective, dimension_schedule, ring_all_reduce_bytes
from snippets.collectives.topology.programs import grid_groups

NODES = 2
DTYPE = torch.int64


def three_phases(vector: torch.Tensor, node: dist.ProcessGroup, rail: dist.ProcessGroup, gpus: int) -> torch.Tensor:
    """Reduce-scatter inside, all-reduce of a part across, all-gather inside."""
    parts = list(vector.split(vector.numel() // gpus))
    mine = torch.empty_like(parts[0])
    dist.reduce_scatter(mine, parts, group=node)
    dist.all_reduce(mine, group=rail)
    dist.all_gather(parts, mine, group=node)
    return torch.cat(parts)


def main(lab: Lab) -> None:
    """Compare results, then bytes."""
    lab.need_ranks(4, "two nodes of two ranks at least", multiple_of=NODES)
    gpus = lab.ranks // NODES
    length = 15 * lab.ranks
    lab.phase("groups")
    # every rank has to make every group, also those that it is no member of
    made = {}
    for rank in range(lab.ranks):
        for members in map(tuple, grid_groups(rank, [gpus, NODES])):
            if members not in made:
                made[members] = dist.new_group(list(members))
    node, rail = (made[tuple(members)] for members in grid_groups(lab.rank, [gpus, NODES]))
    own = 100 ** (lab.rank % 8) * torch.arange(1, length + 1, dtype=DTYPE, device=lab.device)
    whole = own.clone()
    lab.phase("one all-reduce")
    dist.all_reduce(whole)
    lab.phase("three phases")
    phased = three_phases(own.clone(), node, rail, gpus)
    lab.count(
        "three phases over subgroups: equal to one all-reduce", predicted=whole.tolist(), measured=phased.tolist()
    )
    for name, schedule in (
        ("hierarchical", dimension_schedule([gpus, NODES], length)),
        ("one ring", build_collective("all_reduce", "ring", ranks=lab.ranks, length=length)),
    ):
        lab.phase(name)
        executor = Executor(schedule, rank=lab.rank, dtype=DTYPE, device=lab.device)
        executor.load(own)
        tally = executor.run()
        lab.count(f"{name} by isend: the sum", predicted=whole.tolist(), measured=executor.result().tolist())
        size = length * DTYPE.itemsize
        if name == "hierarchical":
            first = len(schedule.rounds) // 2 - (NODES - 1)  # steps of the reduce-scatter inside; as many at the end
            sent = [step_bytes for _, step_bytes, _ in tally.rounds]
            across = sum(sent[first : len(sent) - first])
            said = all_reduce_dimension_bytes(sides=[gpus, NODES], size_bytes=size)
            lab.count("hierarchical: sent inside", predicted=int(said[0]), measured=sum(sent) - across, unit="bytes")
            lab.count("hierarchical: sent across", predicted=int(said[1]), measured=across, unit="bytes")
        else:
            leaves = (lab.rank + 1) % lab.ranks // gpus != lab.rank // gpus
            of_node = torch.tensor([tally.sent_bytes if leaves else 0], device=lab.device)
            dist.all_reduce(of_node, group=node)
            ring = int(ring_all_reduce_bytes(ranks=lab.ranks, size_bytes=size))
            lab.count("one ring: sent across by a node", predicted=ring, measured=int(of_node), unit="bytes")
    lab.phase("times")
    vector = torch.ones(2**20 // lab.ranks * lab.ranks, device=lab.device)
    flat = lab.median_s(lambda: dist.all_reduce(vector))
    lab.time("a million floats: three phases, against one all-reduce", predicted_s=flat,
             measured_s=lab.median_s(lambda: three_phases(vector, node, rail, gpus)))  # fmt: skip


if __name__ == "__main__":
    run_lab(main)
