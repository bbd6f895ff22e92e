"""Communication hooks of DDP that send less, and a model under DDP whose hook can be changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from labs.harness import Lab

LEVELS = 127  # of 8 bits and a sign, either side of 0

Hook = Callable[[Any], Any]


class Network:
    """Square matrices with a teacher, trained by SGD under DDP: one bucket, a hook that can be changed."""

    def __init__(self, lab: Lab, *, matrices: int, width: int, batch: int) -> None:
        torch.manual_seed(0)

        def layers() -> nn.Sequential:
            pairs = [(nn.Linear(width, width, bias=False), nn.Tanh()) for _ in range(matrices)]
            return nn.Sequential(*[layer for pair in pairs for layer in pair])

        self.teacher, student = layers(), layers()
        self.begin = {name: tensor.clone() for name, tensor in student.state_dict().items()}
        self.model: Any = DistributedDataParallel(student, bucket_cap_mb=2**10)
        self.model.register_comm_hook(None, lambda _, bucket: self._noted(bucket))  # DDP refuses Any
        self.generator = torch.Generator().manual_seed(1 + lab.rank)
        self.batch, self.width = batch, width
        self.hook: Hook = plain
        self.own = torch.zeros(0)
        for _ in range(2):  # DDP sorts its bucket after the first step
            self.gradient()

    def _noted(self, bucket: Any) -> Any:
        self.own = bucket.buffer().clone()
        return self.hook(bucket)

    def restart(self, hook: Hook) -> None:
        """Begin anew, with other hook."""
        self.model.module.load_state_dict(self.begin)
        self.hook = hook

    def draw(self) -> list[torch.Tensor]:
        """Return this rank's next batch: inputs and the teacher's outputs."""
        inputs = torch.randn(self.batch, self.width, generator=self.generator)
        with torch.no_grad():
            return [inputs, self.teacher(inputs)]

    def gradient(self, data: list[torch.Tensor] | None = None, *, scale: float = 1.0) -> torch.Tensor:
        """Return what DDP makes of the ranks' gradients, in the bucket's order, the last matrix first."""
        self.model.zero_grad()
        inputs, targets = data or self.draw()
        loss = nn.functional.mse_loss(self.model(inputs), targets, reduction="sum") / len(inputs)
        (scale * loss).backward()
        return torch.cat([p.grad.flatten() for p in reversed(list(self.model.parameters()))])

    def loss_of(self, data: list[torch.Tensor]) -> float:
        """Return the loss on a batch."""
        inputs, targets = data
        with torch.no_grad():
            return float((self.model.module(inputs) - targets).square().sum()) / len(inputs)

    def step(self, rate: float) -> torch.Tensor:
        """Take a step of SGD and return the gradient that it took."""
        taken = self.gradient()
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter -= rate * parameter.grad
        return taken


def plain(bucket: Any) -> Any:
    """Average as DDP does without a hook."""
    return allreduce_hook(dist.group.WORLD, bucket)  # type: ignore[arg-type, unused-ignore]


def done(tensor: torch.Tensor) -> Any:
    """Return a future that has its result."""
    future: Any = torch.futures.Future()
    future.set_result(tensor)
    return future


class Blocks:
    """8-bit blocks: quantised, dealt by all-to-all, summed in fp32, quantised again, gathered."""

    def __init__(self, *, block: int, generator: torch.Generator | None = None) -> None:
        self.block, self.generator, self.ranks = block, generator, dist.get_world_size()

    def __call__(self, bucket: Any) -> Any:
        """Average a bucket."""
        buffer = bucket.buffer()
        levels, scales = self.quantised(self.dealt(buffer))
        restored = self.restored(*(self.gathered(part) for part in (levels, scales)))
        return done(buffer.copy_(restored[: len(buffer)]))

    def dealt(self, vector: torch.Tensor) -> torch.Tensor:
        """Return this rank's chunk of the average, in fp32; zeros fill the last block up."""
        whole = nn.functional.pad(vector, (0, -len(vector) % (self.ranks * self.block)))
        arrived = []
        for part in self.quantised(whole):
            arrived.append(torch.empty_like(part))
            dist.all_to_all_single(arrived[-1], part)
        first, *others = self.restored(*arrived).chunk(self.ranks)
        for other in others:
            first = first + other
        return first / self.ranks

    def quantised(self, vector: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return levels in int8 and a scale for each block: to the nearest level, or at random to one of two."""
        rows = vector.view(-1, self.block)
        scales = rows.abs().amax(1) / LEVELS
        places = rows / torch.where(scales > 0, scales, 1)[:, None]
        if self.generator:
            places = (places + torch.rand(places.shape, generator=self.generator)).floor()
        return places.round().clamp(-LEVELS, LEVELS).to(torch.int8).flatten(), scales

    def restored(self, levels: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
        """Return the numbers that levels and scales stand for."""
        return (levels.view(-1, self.block).float() * scales[:, None]).flatten()

    def gathered(self, part: torch.Tensor) -> torch.Tensor:
        """Return all ranks' parts."""
        whole = part.new_empty(self.ranks * len(part))
        dist.all_gather(list(whole.chunk(self.ranks)), part)
        return whole


class Largest:
    """The k largest entries of each rank, their places beside them; what is left waits for the next step."""

    def __init__(self, count: int, *, feedback: bool = True) -> None:
        self.count, self.feedback, self.ranks = count, feedback, dist.get_world_size()
        self.error: torch.Tensor | float = 0.0

    def __call__(self, bucket: Any) -> Any:
        """Average a bucket."""
        buffer = bucket.buffer()
        wanted = buffer + self.error
        places = wanted.abs().topk(self.count).indices
        parts = [places.int(), wanted[places]]
        everything = [[torch.empty_like(part) for _ in range(self.ranks)] for part in parts]
        for slots, part in zip(everything, parts, strict=True):
            dist.all_gather(slots, part)
        buffer.zero_()
        for where, values in zip(*everything, strict=True):
            buffer.index_add_(0, where, values / self.ranks)
        if self.feedback:
            self.error = wanted.index_fill(0, places, 0.0)
        return done(buffer)
