"""A small transformer that is cut as a layout says and trains on a process group: tensor, pipeline and data axes."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.functional import embedding, gelu, linear, rms_norm, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

from snippets import Layout, Transformer, stage_layers
from snippets.parallelism.pipeline.schedules import one_f_one_b

AXES = ("pipeline", "data", "tensor")  # from the outermost to the innermost, as ``Layout`` orders them
RATE = 1e-2
WIDTH = 4  # bytes of a number


class Wire:
    """This rank's groups in a layout, and what it sends by axis, if by rings; the ends of the model are left out."""

    def __init__(self, layout: Layout, *, alone: bool = False) -> None:
        self.sizes = {axis: getattr(layout, axis) for axis in AXES}
        self.at = dict.fromkeys(AXES, 0)
        self.sent_bytes = dict.fromkeys(AXES, 0.0)
        if not alone:
            mesh = init_device_mesh("cpu", tuple(self.sizes.values()), mesh_dim_names=AXES)
            self.groups = {axis: mesh.get_group(axis) for axis in AXES}
            self.at = {axis: mesh.get_local_rank(axis) for axis in AXES}

    def sum(self, axis: str, tensor: torch.Tensor, *, counted: bool = True) -> torch.Tensor:
        """Sum over the ranks of an axis, in place."""
        if self.sizes[axis] > 1:
            dist.all_reduce(tensor, group=self.groups[axis])
            self.sent_bytes[axis] += 2 * (1 - 1 / self.sizes[axis]) * tensor.nbytes * counted
        return tensor

    def send(self, tensor: torch.Tensor, step: int) -> Any:
        self.sent_bytes["pipeline"] += tensor.nbytes
        return dist.isend(tensor, group=self.groups["pipeline"], group_dst=self.at["pipeline"] + step)

    def receive(self, tensor: torch.Tensor, step: int) -> torch.Tensor:
        dist.recv(tensor, group=self.groups["pipeline"], group_src=self.at["pipeline"] + step)
        return tensor


class Copied(torch.autograd.Function):
    """What every tensor rank takes whole: its gradient is a sum."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, wire: Wire, counted: bool) -> torch.Tensor:
        ctx.wire, ctx.counted = wire, counted
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return ctx.wire.sum("tensor", gradients[0].clone(), counted=ctx.counted), None, None


class Summed(torch.autograd.Function):
    """What the tensor ranks have parts of: its gradient is a copy."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor, wire: Wire, counted: bool) -> torch.Tensor:
        return wire.sum("tensor", x.clone(), counted=counted)

    @staticmethod
    def backward(_: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return gradients[0], None, None


class Piece(nn.Module):
    """What one rank holds: the layers of its stage, of each its heads and inner columns, and its rows of the tables."""

    def __init__(self, model: Transformer, layout: Layout, wire: Wire) -> None:
        super().__init__()
        self.model, self.wire, h = model, wire, model.hidden
        self.again = layout.recompute == "full"
        stage, stages = wire.at["pipeline"], layout.pipeline
        self.first, self.last = stage == 0, stage == stages - 1
        counts = stage_layers(model.layers, stages=stages)
        mine = range(sum(counts[:stage]), sum(counts[: stage + 1]))
        random = torch.Generator().manual_seed(0)

        def cut(keep: bool, side: int, *shape: int) -> list[nn.Parameter]:
            """Draw a whole matrix, the same on every rank, and keep this rank's part."""
            whole = torch.randn(shape, generator=random) / h**0.5
            return [nn.Parameter(whole.chunk(layout.tensor, side)[wire.at["tensor"]].clone())] if keep else []

        if model.feed_forward is None or model.feed_forward.gated:
            raise ValueError(f"model must have feed-forward blocks of two matrices, got {model.name!r}")
        inner, self.head_size = model.feed_forward.width, model.attention.head_size
        self.table = nn.ParameterList(cut(self.first, 0, model.vocabulary, h))
        self.layers = nn.ModuleList()
        for number in range(model.layers):
            keep = number in mine
            parts = cut(keep, 1, 3, h, h) + cut(keep, 1, h, h) + cut(keep, 0, inner, h) + cut(keep, 1, h, inner)
            norms = [nn.Parameter(torch.ones(h)) for _ in range(2)]
            self.layers.extend([nn.ParameterList(parts + norms)] if keep else [])
        head = cut(self.last, 0, model.vocabulary, h)
        self.head = nn.ParameterList([*head, nn.Parameter(torch.ones(h))] if self.last else [])

    def forward(self, x: torch.Tensor, targets: torch.Tensor | None = None) -> torch.Tensor:
        """Return what the stage sends on, or the sum of the losses."""
        if self.first:
            x = self._embedded(x)
        for layer in self.layers:
            x = self._checkpointed(layer, x) if self.again else self.layer(layer, x)
        return x if targets is None else self._loss(x, targets)

    def layer(self, weights: Any, x: torch.Tensor) -> torch.Tensor:
        query_key_value, output, up, down, *norms = weights
        taken = Copied.apply(rms_norm(x, x.shape[-1:], norms[0]), self.wire, True)
        query, key, value = (  # of each (b, own heads, s, head size)
            linear(taken, matrix).unflatten(-1, (-1, self.head_size)).transpose(1, 2) for matrix in query_key_value
        )
        mixed = scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2).flatten(2)
        x = x + Summed.apply(linear(mixed, output), self.wire, True)
        taken = Copied.apply(rms_norm(x, x.shape[-1:], norms[1]), self.wire, True)
        return x + Summed.apply(linear(gelu(linear(taken, up)), down), self.wire, True)

    def _checkpointed(self, layer: Any, x: torch.Tensor) -> torch.Tensor:
        with set_checkpoint_early_stop(False):  # which would leave out the last sum of the second run
            again: torch.Tensor = checkpoint(self.layer, layer, x, use_reentrant=False)
        return again

    def _own(self, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tokens' rows in this rank's part of a table, and which of them are there."""
        rows = self.model.vocabulary // self.wire.sizes["tensor"]
        there = tokens // rows == self.wire.at["tensor"]
        return (tokens % rows) * there, there

    def _embedded(self, tokens: torch.Tensor) -> torch.Tensor:
        rows, there = self._own(tokens)
        return Summed.apply(embedding(rows, self.table[0]) * there[..., None], self.wire, False)

    def _loss(self, x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the sum of all tokens' losses; the logits are too small for their largest to be taken off first."""
        logits = linear(Copied.apply(rms_norm(x, x.shape[-1:], self.head[1]), self.wire, False), self.head[0])
        rows, there = self._own(targets)
        picked = logits.gather(-1, rows[..., None])[..., 0] * there
        sums = Summed.apply(torch.stack([logits.exp().sum(-1), picked]), self.wire, False)
        return (sums[0].log() - sums[1]).sum()


class Training:
    """A run in one layout; weights, gradients and Adam's moments of a rank are one vector each."""

    def __init__(self, model: Transformer, layout: Layout, wire: Wire, tokens: torch.Tensor) -> None:
        self.layout, self.wire, self.piece = layout, wire, Piece(model, layout, wire)
        own_tokens = tokens.chunk(layout.data)[wire.at["data"]]
        self.batches = own_tokens.split(layout.micro_batch)  # of each (b, s + 1)
        self.share = 1 / tokens[:, 1:].numel()
        self.order = one_f_one_b(stages=layout.pipeline, micro_batches=len(self.batches)).orders[wire.at["pipeline"]]
        self.stream = (layout.micro_batch, tokens.shape[1] - 1, model.hidden)
        own = list(self.piece.parameters())
        self.weights = torch.cat([each.detach().flatten() for each in own])
        self.gradients = torch.zeros_like(self.weights)
        places = [vector.split([each.numel() for each in own]) for vector in (self.weights, self.gradients)]
        for each, weights, gradients in zip(own, *places, strict=True):
            each.data, each.grad = weights.view_as(each), gradients.view_as(each)
        updated = nn.Parameter(self.weights)
        updated.grad = self.gradients
        self.optimizer = torch.optim.Adam([updated], lr=RATE, fused=True)
        self.losses = list[float]()

    def step(self) -> None:
        """Train on the batch once more."""
        self.gradients.zero_()
        loss, waiting, held = 0.0, list[Any](), dict[int, tuple[torch.Tensor, torch.Tensor]]()
        for task in self.order:
            if task.kind == "F":
                batch = self.batches[task.micro_batch]
                x = batch[:, :-1] if self.piece.first else self.wire.receive(torch.empty(self.stream), -1)
                if not self.piece.first:
                    x.requires_grad_()
                y = self.piece(x, batch[:, 1:]) * self.share if self.piece.last else self.piece(x)
                loss += y.item() if self.piece.last else 0.0
                held[task.micro_batch] = x, y
                waiting += [] if self.piece.last else [self.wire.send(y.detach(), 1)]
            else:
                x, y = held.pop(task.micro_batch)
                above = None if self.piece.last else self.wire.receive(torch.empty(self.stream), 1)
                y.backward(above)
                waiting += [] if self.piece.first else [self.wire.send(x.grad, -1)]
        for message in waiting:
            message.wait()
        self.wire.sum("data", self.gradients)
        self.optimizer.step()
        self.losses.append(loss)
