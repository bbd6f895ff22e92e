"""Tensor parallelism: what an MLP and an attention block send, beside the formula.

Both blocks are cut by ``ColwiseParallel`` and ``RowwiseParallel``. Outputs, input and weight gradients have to be those
of the dense block. ``CommDebugMode`` counts the collectives of one forward and one backward pass, two all-reduces a
block; the numbers that go into each are read off in the same place, and the bytes are those that rings send for them.

Three things are easy to miss. If query, key and value each take the input for themselves, its gradient is summed three
times, and the block sends twice as much; ``PrepareModuleInput`` makes it one sum. Sequence parallelism has twice as
many collectives, but sends the same bytes, as long as the gathered input is kept. If it is gathered again in the
backward pass (here by ``checkpoint`` around the first matrix, which multiplies again too), a block sends a quarter
more.

Last come the ends of a model: a token table and an output head whose rows are cut, and ``loss_parallel``, which sums
three numbers a token and never gathers the logits.

    torchrun --standalone --nproc-per-node 4 labs/parallelism/tensor_parallel.py

The number of ranks has to divide 12, the number of heads; one rank alone sends nothing.

Chapter: 17

Shown:
    MLP: output
    MLP: weights' gradients
    MLP: all_reduces
    MLP: sent, if by rings
    attention: all_reduces
    attention: sent, if by rings
    attention, 3 inputs: all_reduces
    attention, 3 inputs: sent, if by rings
    attention, sequence: all_gathers
    attention, sequence: reduce_scatters
    attention, sequence: sent, if by rings
    MLP, sequence, gathered again: all_gathers
    MLP, sequence, gathered again: sent, if by rings
    vocabulary: loss
    vocabulary: all_reduces
    vocabulary: sent, if by rings
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    loss_parallel,
    parallelize_module,
)
from torch.nn.functional import cross_entropy
from torch.utils.checkpoint import checkpoint

from labs.harness import Lab, NotApplicableError, run_lab
from snippets import collective_traffic, tensor_block_collectives, tensor_block_traffic_bytes

BATCH, SEQUENCE, HIDDEN, HEADS = 2, 24, 48, 12
VOCABULARY = 120
PRIMITIVES = {
    "all_reduce": "all_reduce",
    "all_gather_into_tensor": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter",
}


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x: Any) -> Any:
        return self.down(torch.relu(self.up(x)))


class MlpAgain(Mlp):
    """The same; the backward pass makes what the first matrix takes and gives once more, its input's gather too."""

    def forward(self, x: Any) -> Any:
        return self.down(torch.relu(checkpoint(self.up, x, use_reentrant=False)))


class Ends(nn.Module):
    """A token table, a tanh, and an output head."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(VOCABULARY, HIDDEN), nn.Linear(HIDDEN, VOCABULARY, bias=False)

    def forward(self, tokens: Any) -> Any:
        return self.head(torch.tanh(self.table(tokens)))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))

    def forward(self, x: Any) -> Any:
        query, key, value = (  # as many heads as this rank has columns for
            part(x).unflatten(-1, (-1, HIDDEN // HEADS)).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        weights = torch.softmax(query @ key.transpose(-1, -2) / (HIDDEN // HEADS) ** 0.5, dim=-1)
        return self.output((weights @ value).transpose(1, 2).flatten(2))


class Counting(CommDebugMode):  # type: ignore[misc, unused-ignore]
    """Counts collectives, and remembers of each the primitive and how many numbers the whole of it has."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, int]] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = self.get_total_counts()
        result = super().__torch_dispatch__(function, types, args, kwargs)
        if self.get_total_counts() > before:
            primitive = PRIMITIVES[function._overloadpacket.__name__]
            self.calls.append((primitive, max(args[0].numel(), result.numel())))
        return result


def compare(
    lab: Lab, name: str, dense: nn.Module, *styles: Any, cut: bool = False, sums: int = 1, again: bool = False
) -> None:
    """Run a block by itself on every rank and cut among them, and compare results and traffic."""
    lab.phase(name)
    mesh = init_device_mesh(lab.device.type, (lab.ranks,))
    inputs, upstream = (torch.randn(BATCH, SEQUENCE, HIDDEN).to(lab.device) for _ in range(2))
    dense.zero_grad()
    x = inputs.clone().requires_grad_()
    y = dense(x)
    y.backward(upstream)

    block = copy.deepcopy(dense)
    for style in styles:
        block = parallelize_module(block, mesh, style)
    block.zero_grad()
    mine = slice(lab.rank * SEQUENCE // lab.ranks, (lab.rank + 1) * SEQUENCE // lab.ranks) if cut else slice(None)
    part = inputs[:, mine].clone().requires_grad_()
    with Counting() as counting:
        output = block(part)
        output.backward(upstream[:, mine])
    lab.close(f"{name}: output", output.detach(), y.detach()[:, mine])
    lab.close(f"{name}: input gradient", part.grad, x.grad[:, mine])
    ours = [parameter.grad.full_tensor().flatten() for parameter in block.parameters()]  # of all ranks together
    theirs = [parameter.grad.flatten() for parameter in dense.parameters()]
    lab.close(f"{name}: weights' gradients", torch.cat(ours), torch.cat(theirs))

    said = tensor_block_collectives(
        tensor_parallel=lab.ranks, sequence_parallel=cut, input_sums=sums, gather_again=again
    )
    sizes = {"micro_batch": BATCH, "sequence": SEQUENCE, "hidden": HIDDEN, "element_bytes": 4}
    bytes_said = tensor_block_traffic_bytes(**sizes, tensor_parallel=lab.ranks, input_sums=sums, gather_again=again)
    count(lab, name, counting, said, bytes_said)


def count(lab: Lab, name: str, counting: Counting, said: tuple[int, int, int], bytes_said: float) -> None:
    """Compare the collectives that were called, and what this rank would send for them by rings."""
    counts = {PRIMITIVES[key.__name__]: value for key, value in counting.get_comm_counts().items()}
    for primitive, predicted in zip(PRIMITIVES.values(), said, strict=True):
        lab.count(f"{name}: {primitive}s", predicted=predicted, measured=counts.get(primitive, 0))
    whole = {"ranks": lab.ranks, "element_bytes": 4}
    sent = [collective_traffic(primitive, "ring", size_bytes=n * 4, **whole) for primitive, n in counting.calls]
    measured = sum(account.sent_bytes[lab.rank] for account in sent)
    lab.count(f"{name}: sent, if by rings", predicted=round(bytes_said), measured=measured, unit="bytes")


def ends(lab: Lab) -> None:
    """Cut the vocabulary of table and head among the ranks, and never gather the logits."""
    lab.phase("vocabulary")
    mesh = init_device_mesh(lab.device.type, (lab.ranks,))
    dense = Ends().to(lab.device)
    tokens, targets = (torch.randint(VOCABULARY, (BATCH, SEQUENCE)).to(lab.device) for _ in range(2))
    loss = cross_entropy(dense(tokens).flatten(0, 1), targets.flatten())
    loss.backward()
    table = RowwiseParallel(input_layouts=Replicate())
    cut = parallelize_module(
        copy.deepcopy(dense), mesh, {"table": table, "head": ColwiseParallel(use_local_output=False)}
    )
    cut.zero_grad()
    warnings.filterwarnings("ignore", message="Full backward hook is firing")  # tokens have no gradient
    with Counting() as counting, loss_parallel():
        mine = cross_entropy(cut(tokens).flatten(0, 1), targets.flatten())
        mine.backward()
    lab.close("vocabulary: loss", mine.full_tensor().detach(), loss.detach())
    ours = [parameter.grad.full_tensor().flatten() for parameter in cut.parameters()]
    lab.close("vocabulary: gradients", torch.cat(ours), torch.cat([each.grad.flatten() for each in dense.parameters()]))
    rows = BATCH * SEQUENCE
    alone = lab.ranks == 1
    sent = 2 * (lab.ranks - 1) * rows * (2 * HIDDEN + 3) * 4 / lab.ranks  # two of the stream's width, three of 1
    calls = 3 if alone else 5  # the loss calls its three in a group of one too, where they send nothing
    count(lab, "vocabulary", counting, (calls, 0, 0), sent)


def main(lab: Lab) -> None:
    if HEADS % lab.ranks:
        raise NotApplicableError(f"needs a number of ranks that divides {HEADS}, the heads, here are {lab.ranks}")
    torch.manual_seed(0)
    mlp, attention = Mlp().to(lab.device), Attention().to(lab.device)
    mlp_plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    columns = {"query": ColwiseParallel(), "key": ColwiseParallel(), "value": ColwiseParallel()}
    once = PrepareModuleInput(input_layouts=Replicate(), desired_input_layouts=Replicate())
    compare(lab, "MLP", mlp, mlp_plan)
    compare(lab, "attention", attention, columns | {"output": RowwiseParallel()}, once)
    compare(lab, "attention, 3 inputs", attention, columns | {"output": RowwiseParallel()}, sums=3)
    gathered = PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())
    scattered = RowwiseParallel(output_layouts=Shard(1))
    compare(lab, "MLP, sequence", mlp, mlp_plan | {"down": scattered}, gathered, cut=True)
    compare(lab, "attention, sequence", attention, columns | {"output": scattered}, gathered, cut=True)
    inside = {"up": ColwiseParallel(input_layouts=Shard(1)), "down": scattered}
    compare(lab, "MLP, sequence, gathered again", MlpAgain().to(lab.device), inside, cut=True, again=True)
    ends(lab)


if __name__ == "__main__":
    run_lab(main)
