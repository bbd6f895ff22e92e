"""Ranks that take steps alone and meet now and then: to average their parameters, or to take DiLoCo's outer step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.utils import parameters_to_vector, vector_to_parameters

Meet = Callable[[list[Any]], None]


def every(steps: int) -> Meet:
    """Return what averages the parameters after so many steps, again and again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for every step, the averager recommends DDP
        return PeriodicModelAverager(period=steps, warmup_steps=steps - 1).average_parameters


def never(_: list[Any]) -> None:
    """Let DDP do it."""


class Outer:
    """DiLoCo: after so many steps, the average way that the ranks have gone is a gradient for another optimizer."""

    def __init__(self, parameters: list[Any], *, steps: int, rate: float, momentum: float) -> None:
        self.steps, self.taken = steps, 0
        self.anchor = nn.Parameter(parameters_to_vector(parameters).detach().clone())
        self.optimizer = torch.optim.SGD([self.anchor], lr=rate, momentum=momentum, nesterov=momentum > 0)

    def __call__(self, parameters: list[Any]) -> None:
        """Count a step, and meet if it is time to."""
        self.taken += 1
        if self.taken % self.steps:
            return
        way = self.anchor.detach() - parameters_to_vector(parameters).detach()
        dist.all_reduce(way)
        self.anchor.grad = way / dist.get_world_size()
        self.optimizer.step()
        vector_to_parameters(self.anchor.detach().clone(), parameters)


def train(parameters: list[Any], losses: Iterator[Any], optimizer: Any, meet: Meet, *, steps: int) -> None:
    """Take steps, each with the loss that comes next, and let the ranks meet."""
    for _ in range(steps):
        loss = next(losses)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meet(parameters)
