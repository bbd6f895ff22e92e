"""Ranks that descend in quadratic losses, another on each, and meet now and then."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

from labs.efficiency.meetings import Meet, Outer, every, train
from labs.efficiency.recursions import local_steps_on_bowls, rest_of_bowls
from labs.efficiency.wire import near
from labs.harness import Lab

DIRECTIONS, RATE, ROUNDS = 6, 0.1, 200


def bowls(lab: Lab, *, outer_step: tuple[float, float]) -> None:
    """Descend in quadratic losses, and compare with the recursion and its end."""
    lab.phase("bowls")
    generator = np.random.default_rng(0)
    several = generator.uniform(0.2, 3, size=(lab.ranks, DIRECTIONS))
    minima = generator.normal(size=(lab.ranks, DIRECTIONS))

    def descend(curvatures: Any, local_steps: int, rounds: int, outer: tuple[float, float] | None) -> Any:
        place = nn.Parameter(torch.zeros(DIRECTIONS, dtype=torch.float64))
        own, bottom = torch.from_numpy(curvatures[lab.rank]), torch.from_numpy(minima[lab.rank])
        losses = ((own * (place - bottom) ** 2).sum() / 2 for _ in iter(int, 1))
        meet: Meet = every(local_steps)
        if outer:
            meet = Outer([place], steps=local_steps, rate=outer[0], momentum=outer[1])
        ends = []

        def noted(parameters: list[Any]) -> None:
            ends.append(place.detach().clone())
            meet(parameters)

        train([place], losses, torch.optim.SGD([place], lr=RATE), noted, steps=local_steps * rounds)
        return place.detach(), ends[-1]

    for name, curvatures, local_steps in (
        ("bowls, H = 1", several, 1),
        ("bowls, H = 8", several, 8),
        ("same curvatures, H = 8", np.tile(several[0], (lab.ranks, 1)), 8),
    ):
        shape: Any = {"rate": RATE, "local_steps": local_steps}
        early, ends = descend(curvatures, local_steps, 3, None)
        expected, apart = local_steps_on_bowls(curvatures, minima, rounds=3, **shape)
        lab.close(f"{name}: place after 3 meetings", early, torch.from_numpy(expected), tolerance=1e-12)
        mean = ends.clone()
        dist.all_reduce(mean)
        off = (ends - mean / lab.ranks).square().mean()
        dist.all_reduce(off)
        spread = float((off / lab.ranks).sqrt())
        near(lab, f"{name}: ranks apart", predicted=float(apart), measured=spread, unit="root mean square", most=1e-9)
        place, _ = descend(curvatures, local_steps, ROUNDS, None)
        end = rest_of_bowls(curvatures, minima, **shape)
        lab.close(f"{name}: place at the end", place, torch.from_numpy(end), tolerance=1e-9)
        bottom = (curvatures * minima).sum(axis=0) / curvatures.sum(axis=0)
        predicted, found = (float(np.linalg.norm(at - bottom)) for at in (end, place.numpy()))
        what = f"{name}: distance from the common bottom"
        lab.count(what, predicted=round(predicted, 6), measured=round(found, 6))
    for name, outer in (("DiLoCo", outer_step), ("DiLoCo, rate 1, no momentum", (1.0, 0.0))):
        place, _ = descend(several, 8, 12, outer)
        expected, _ = local_steps_on_bowls(several, minima, rate=RATE, local_steps=8, rounds=12, outer=outer)
        lab.close(f"{name}: place after 12 meetings", place, torch.from_numpy(expected), tolerance=1e-12)
    averaged, _ = descend(several, 8, 12, None)
    lab.close("DiLoCo, rate 1, no momentum: plain averaging's place", place, averaged, tolerance=1e-12)
