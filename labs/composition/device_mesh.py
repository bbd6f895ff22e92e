"""DTensor and FSDP2 on a mesh of two axes: what changes of placement send, and which ranks share what.

PyTorch changes how a matrix is placed on a 2 × n mesh, and every collective that it issues is noted with its bytes. A
rank sends (R − 1)/R of a gather or a reduce-scatter, twice that of an all-reduce, and of an all-to-all all that it does
not keep. Beside it stands the cheapest plan of the book's planner. On gloo PyTorch gathers in place of an all-to-all,
as its warning says, and the prediction takes that into account. Where the plan is cheaper than the way that DTensor
takes, it is shown as a ratio and does not decide: one change on any mesh, and from 2 × 3 on two that could share their
work over the axis on which nothing changes. The groups of the mesh are compared too, rank by rank. Last,
``fully_shard`` gets a mesh of two axes and a flattened one, and a rank's shard is weighed.

    torchrun --standalone --nproc-per-node 4 labs/composition/device_mesh.py

Chapter: 25

Shown:
    group of the outer axis
    group of the inner axis
    rows to replicate
    partial to replicate
    partial to rows
    rows to columns
    rows, rows to replicate
    FSDP2 on two axes: held
    FSDP2 on one flattened axis: held
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.utils._python_dispatch import TorchDispatchMode

from labs.harness import Lab, run_lab
from labs.memory.account import local, tensors_in
from snippets import mesh_group
from snippets.composition.device_mesh.programs import Move, plan_redistribution

_KINDS = {"R": Replicate(), "P": Partial(), "S(0)": Shard(0), "S(1)": Shard(1)}


class Sent(TorchDispatchMode):
    """Notes what this rank sends in every collective, functional or not."""

    def __init__(self) -> None:
        super().__init__()
        self.sent_bytes = 0.0
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if DTensor in types:
            return NotImplemented  # comes back as operations on local tensors
        result = func(*args, **(kwargs or {}))
        if func.namespace in ("_c10d_functional", "c10d_functional", "_dtensor"):
            name = func._schema.name.split("::")[1]
            given, got = (max((t.nbytes for t in tensors_in(side)), default=0) for side in (args, result))
            if "wait" not in name:
                self.names.append(name)
            if "all_gather" in name:
                self.sent_bytes += got - given
            elif "reduce_scatter" in name:
                self.sent_bytes += given - got
            elif "all_reduce" in name:
                ranks = dist.get_world_size(dist.distributed_c10d._resolve_process_group(args[-1]))
                self.sent_bytes += 2 * (ranks - 1) / ranks * given
            elif "all_to_all" in name or "shard_dim_alltoall" in name:
                ranks = dist.get_world_size(dist.distributed_c10d._resolve_process_group(args[-1]))
                self.sent_bytes += (ranks - 1) / ranks * given
        return result


def main(lab: Lab) -> None:
    """Compare groups, redistributions and shards with the book's."""
    lab.need_ranks(4, "two axes of at least two ranks", multiple_of=2)
    sides = [2, lab.ranks // 2]
    lab.phase("groups")
    mesh = init_device_mesh(lab.device.type, tuple(sides), mesh_dim_names=("outer", "inner"))
    for axis, name in enumerate(("outer", "inner")):
        found = dist.get_process_group_ranks(mesh.get_group(name))
        lab.count(
            f"group of the {name} axis", predicted=list(mesh_group(lab.rank, sides=sides, axes=[axis])), measured=found
        )
    shape, width = [4 * lab.ranks, 8 * lab.ranks], 4
    whole = torch.arange(float(shape[0] * shape[1])).reshape(shape).to(lab.device)
    cases = [
        ("rows to replicate", ["R", "S(0)"], ["R", "R"]),
        ("partial to replicate", ["R", "P"], ["R", "R"]),
        ("partial to rows", ["R", "P"], ["R", "S(0)"]),
        ("rows to columns", ["R", "S(0)"], ["R", "S(1)"]),
        ("rows, rows to replicate", ["S(0)", "S(0)"], ["R", "R"]),
        ("partial, columns to rows, columns", ["P", "S(1)"], ["S(0)", "S(1)"]),
        ("replicate to rows, columns", ["R", "R"], ["S(0)", "S(1)"]),
        ("rows, columns to replicate", ["S(0)", "S(1)"], ["R", "R"]),
        ("partial, rows to columns, replicate (a cheaper way)", ["P", "S(0)"], ["S(1)", "R"]),
    ]
    for what, source, target in cases:
        lab.phase(what)
        plan = plan_redistribution(source, target, sides=sides, shape=shape, element_bytes=width)
        tensor = placed(whole, source, mesh, sides, lab.rank)
        with Sent() as sent:
            moved = tensor.redistribute(mesh, [_KINDS[entry] for entry in target])
            moved.to_local().add(0)  # waits for what is still under way
        gathers = lab.backend == "gloo"
        cheapest = sum(price(move, sides, gathers=gathers) for move in plan)
        changed = [axis for axis in (0, 1) if source[axis] != target[axis]]
        direct = cheapest
        if source[1 - changed[0]] == target[1 - changed[0]] == "R":  # nothing is cut along the other axis
            (axis,), side = changed, [sides[changed[0]]]
            way = plan_redistribution([source[axis]], [target[axis]], sides=side, shape=shape, element_bytes=width)
            direct = sum(price(move, side, gathers=gathers) for move in way)
        if what.endswith("(a cheaper way)"):
            lab.estimate(what, predicted=cheapest, measured=sent.sent_bytes, unit="bytes")
        else:
            lab.count(what, predicted=round(direct), measured=round(sent.sent_bytes), unit="bytes")
        if cheapest < direct:
            lab.estimate(f"{what} (a cheaper way)", predicted=cheapest, measured=sent.sent_bytes, unit="bytes")
        lab.close(f"{what}: result", moved.full_tensor(), whole)
    for name, flat in (("two axes", False), ("one flattened axis", True)):
        lab.phase(f"FSDP2 on {name}")
        torch.manual_seed(0)
        layer = nn.Linear(lab.ranks, 3 * lab.ranks, bias=False).to(lab.device)
        size = layer.weight.numel()
        fully_shard(layer, mesh=mesh._flatten("both") if flat else mesh)
        shards = lab.ranks if flat else sides[1]
        lab.count(
            f"FSDP2 on {name}: held", predicted=size // shards, measured=local(layer.weight).numel(), unit="parameters"
        )


def price(move: Move, sides: list[int], *, gathers: bool) -> float:
    """Return what a rank sends for a move, where an all-to-all may be a gather of which most is dropped."""
    return move.sent_bytes * (sides[move.axis] if gathers and move.collective == "all-to-all" else 1)


def placed(whole: torch.Tensor, entries: list[str], mesh: Any, sides: list[int], rank: int) -> DTensor:
    """Return a tensor that is placed so; of a partial sum, rank 0 of the axis holds all of it, and the others zeros."""
    piece, own = whole, (rank // sides[1], rank % sides[1])
    for axis, entry in enumerate(entries):
        if entry == "P":
            piece = piece if own[axis] == 0 else torch.zeros_like(piece)
        elif entry != "R":
            piece = piece.chunk(sides[axis], dim=int(entry[2]))[own[axis]]
    return DTensor.from_local(piece.contiguous(), mesh, [_KINDS[entry] for entry in entries], run_check=False)


if __name__ == "__main__":
    run_lab(main)
