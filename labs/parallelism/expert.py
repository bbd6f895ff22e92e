"""Expert parallelism: what a layer of experts sends, beside the book's simulated machine.

Each rank has its own tokens and some of the experts. Outputs and gradients have to be those of the whole layer, with
every expert for every token. ``CommDebugMode`` counts the collectives of one forward and one backward pass; the bytes
are those of the rows that go to other ranks, read off in the same place.

Without a limit, ranks tell each other first how many rows will come: five all-to-alls, of which two belong to the
backward pass. With room for a fixed number of tokens the counts are not needed: four, always of the same size, and
tokens beyond the room are dropped. Where the ranks are a mesh with two replicas of each expert, the gradients of the
experts are summed over the two, and the router's over all ranks.

    torchrun --standalone --nproc-per-node 4 labs/parallelism/expert.py

The number of ranks has to divide 12, the number of experts; one rank alone sends nothing.

Chapter: 20

Shown:
    no limit: output
    no limit: experts' gradients
    no limit: all-to-alls
    no limit: sent by a rank
    no limit: loads of the experts
    fixed room: all-to-alls
    fixed room: sent by a rank
    fixed room: dropped
    mesh: experts' gradients
    mesh: all-to-alls
    mesh: all-reduces
    mesh: sent by a rank in all-to-alls
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.functional import silu

from labs.harness import Lab, NotApplicableError, run_lab
from snippets import expert_all_to_all_bytes
from snippets.parallelism.expert.programs import ExpertLayerRun, dense_expert_layer, expert_weights, run_expert_layer

TOKENS, HIDDEN, WIDTH, EXPERTS, PER_TOKEN, ROOM = 96, 16, 24, 12, 2, 5
EXPERTS_WEIGHTS = ("first", "gate", "second")


class Counting(CommDebugMode):  # type: ignore[misc, unused-ignore]
    """Counts collectives, and the bytes that all-to-alls of floats bring to other ranks of their group."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place, self.all_to_alls, self.all_reduces, self.sent_bytes = place, 0, 0, 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = self.get_total_counts()
        result = super().__torch_dispatch__(function, types, args, kwargs)
        if self.get_total_counts() > before:
            name = function._overloadpacket.__name__
            if name.startswith("alltoall"):
                self.all_to_alls += 1
                given, splits = args[1], args[4]
                row = given.numel() // max(1, len(given)) * given.element_size()
                others = len(given) - splits[self.place] if splits else 0
                self.sent_bytes += others * row if given.is_floating_point() else 0
            self.all_reduces += name.startswith("allreduce")
        return result


class Exchange(torch.autograd.Function):
    """An all-to-all of rows, whose backward pass is the same with the counts exchanged."""

    @staticmethod
    def forward(ctx: Any, rows: Any, sent: list[int], received: list[int], group: Any) -> Any:
        ctx.sent, ctx.received, ctx.group = sent, received, group
        result = rows.new_empty(sum(received), rows.shape[1])
        dist.all_to_all_single(result, rows.contiguous(), received, sent, group=group)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        result = gradients[0].new_empty(sum(ctx.sent), gradients[0].shape[1])
        dist.all_to_all_single(result, gradients[0].contiguous(), ctx.sent, ctx.received, group=ctx.group)
        return result, None, None, None


def experts_of(weights: dict[str, Any], rows: Any, expert: int) -> Any:
    return (silu(rows @ weights["first"][expert]) * (rows @ weights["gate"][expert])) @ weights["second"][expert]


def layer(x: Any, weights: dict[str, Any], size: int, group: Any, room: int | None) -> Any:
    """Run a rank's part of the layer; ``weights`` has its own experts and the whole router."""
    own = EXPERTS // size
    chances = torch.softmax(x @ weights["router"], dim=-1)
    kept, chosen = chances.topk(PER_TOKEN, dim=-1)
    gates = kept / kept.sum(dim=-1, keepdim=True)
    order = torch.argsort(chosen.flatten(), stable=True)
    expert, token = chosen.flatten()[order], order // PER_TOKEN
    counts = torch.bincount(expert, minlength=EXPERTS)
    place = torch.arange(len(order), device=x.device) - (counts.cumsum(0) - counts)[expert]
    if room is None:
        told = torch.empty_like(counts)
        dist.all_to_all_single(told, counts, group=group)
        rooms, arriving = counts, told.view(size, own)
    else:
        rooms, arriving = torch.full_like(counts, room), torch.full((size, own), room, device=x.device)
    fits = place < rooms[expert]
    order, token, slots = order[fits], token[fits], ((rooms.cumsum(0) - rooms)[expert] + place)[fits]
    rows = x.new_zeros(int(rooms.sum()), HIDDEN).index_put((slots,), x[token])
    sent, received = rooms.view(size, own).sum(1).tolist(), arriving.sum(1).tolist()
    there = Exchange.apply(rows, sent, received, group)
    local = torch.arange(own, device=x.device).repeat(size).repeat_interleave(arriving.flatten())
    made = torch.zeros_like(there)
    for e in range(own):
        at = (local == e).nonzero().flatten()
        made = made.index_put((at,), experts_of(weights, there[at], e))
    back = Exchange.apply(made, received, sent, group)[slots]
    output = torch.zeros_like(x).index_add(0, token, gates.flatten()[order][:, None] * back)
    return output, torch.bincount(expert[fits], minlength=EXPERTS), int((~fits).sum())


def tensors(lab: Lab, arrays: Any, part: slice = slice(None)) -> dict[str, Any]:
    """Return weights as tensors, of the experts only a part."""
    return {
        name: torch.tensor(array if name == "router" else array[part], device=lab.device).requires_grad_()
        for name, array in arrays.items()
    }


def compare(lab: Lab, name: str, *, replicas: int = 1, room: int | None = None) -> None:
    """Run the layer on the ranks, and compare with the whole layer and with the book's machine."""
    lab.phase(name)
    size = lab.ranks // replicas
    start, place = lab.rank // size * size, lab.rank % size
    rows = [list(range(first, first + size)) for first in range(0, lab.ranks, size)]
    columns = [list(range(first, lab.ranks, size)) for first in range(size)]
    group = [dist.new_group(ranks) for ranks in rows][start // size]
    copies = [dist.new_group(ranks) for ranks in columns][place]
    arrays = expert_weights(hidden=HIDDEN, width=WIDTH, experts=EXPERTS, seed=20)
    x, upstream = np.random.default_rng(20).normal(size=(2, TOKENS, HIDDEN))
    mine = np.array_split(np.arange(TOKENS), lab.ranks)[lab.rank]
    said: ExpertLayerRun = run_expert_layer(
        arrays, x, upstream, ranks=lab.ranks, replicas=replicas, experts_per_token=PER_TOKEN, capacity=room
    )
    experts = slice(place * EXPERTS // size, (place + 1) * EXPERTS // size)
    weights = tensors(lab, arrays, experts)
    part = torch.tensor(x[mine], device=lab.device).requires_grad_()
    with Counting(place) as counting:
        output, loads, dropped = layer(part, weights, size, group, room)
        output.backward(torch.tensor(upstream[mine], device=lab.device))
        dist.all_reduce(weights["router"].grad)
        if replicas > 1:
            for key in EXPERTS_WEIGHTS:
                dist.all_reduce(weights[key].grad, group=copies)
    whole = said if room is not None else dense_expert_layer(arrays, x, upstream, experts_per_token=PER_TOKEN)

    def expected(array: Any) -> Any:
        return torch.tensor(array, device=lab.device)

    lab.close(f"{name}: output", output.detach(), expected(whole.output[mine]))
    lab.close(f"{name}: input gradient", part.grad, expected(whole.input_gradient[mine]))
    lab.close(f"{name}: router's gradient", weights["router"].grad, expected(whole.gradients["router"]))
    found = torch.cat([weights[key].grad.flatten() for key in EXPERTS_WEIGHTS])
    right = np.concatenate([whole.gradients[key][experts].ravel() for key in EXPERTS_WEIGHTS])
    lab.close(f"{name}: experts' gradients", found, expected(right))

    numbers = 0 if room is not None else 8 * EXPERTS // size * (size - 1)  # the counts
    sent = said.account.of("all_to_all").sent_bytes[lab.rank] - numbers
    if room is not None:  # in closed form: every place travels, used or not
        places = {"tokens": EXPERTS * room, "hidden": HIDDEN, "experts_per_token": 1, "ranks": size}
        sent = round(4 * expert_all_to_all_bytes(**places, element_bytes=8))
    lab.count(f"{name}: all-to-alls", predicted=4 if room is not None else 5, measured=counting.all_to_alls)
    lab.count(f"{name}: all-reduces", predicted=4 if replicas > 1 else 1, measured=counting.all_reduces)
    label = "sent by a rank in all-to-alls" if replicas > 1 else "sent by a rank"
    lab.count(f"{name}: {label}", predicted=sent, measured=counting.sent_bytes, unit="bytes")
    size_of = {"tokens": len(mine), "hidden": HIDDEN, "element_bytes": 8, "ranks": size}
    mean = 4 * expert_all_to_all_bytes(**size_of, experts_per_token=PER_TOKEN)
    if room is None:
        lab.estimate(
            f"{name}: the same, without favourites", predicted=mean, measured=counting.sent_bytes, unit="bytes"
        )
    total = torch.cat([loads, torch.tensor([dropped], device=lab.device)])
    dist.all_reduce(total)
    lab.count(f"{name}: loads of the experts", predicted=list(said.loads), measured=total[:-1].tolist())
    lab.count(f"{name}: dropped", predicted=said.dropped, measured=int(total[-1]))


def main(lab: Lab) -> None:
    if EXPERTS % lab.ranks:
        raise NotApplicableError(f"needs a number of ranks that divides {EXPERTS}, the experts, here are {lab.ranks}")
    compare(lab, "no limit")
    compare(lab, "fixed room", room=ROOM)
    if lab.ranks % 2 == 0:
        compare(lab, "mesh", replicas=2)


if __name__ == "__main__":
    run_lab(main)
