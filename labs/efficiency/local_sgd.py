"""Local SGD: ranks that meet every H steps, what they send, where they end, and DiLoCo's outer momentum.

Every rank takes H steps alone; then PyTorch's `PeriodicModelAverager` averages the parameters, in one all-reduce. With
H = 1 that gives the parameters of DDP to rounding, with plain SGD and with momentum. With Adam it does not: each rank
divides by a second moment of its own. In 16 steps a rank sends 1/H of what DDP sends, by the trace and, on Linux, by
the sockets' counters.

On bowls (quadratic losses, another on each rank) everything is known. The ranks follow a recursion in NumPy. With H = 1
they end at the bottom of the average bowl. With H = 8 they end elsewhere, at the place of the closed form, unless the
bowls have the same curvatures. DiLoCo takes the way that the ranks have gone, on average, for a gradient, and gives it
to SGD with Nesterov momentum. Its recursion is checked too; with rate 1 and no momentum it is plain averaging.

One trap: `PeriodicModelAverager(period=4)` averages after steps 1, 5, 9 …, and with `warmup_steps=3` after 4, 8, 12 …

The losses of a small network decide nothing, nor do the last rows, where ranks sleep as if their steps took unequal
times. Ranks that meet every step wait for the slowest of each step; those that meet every 8 steps, for the slowest sum.

    torchrun --standalone --nproc-per-node 4 labs/efficiency/local_sgd.py

Chapter: 31

Shown:
    H = 1, SGD: parameters
    H = 1, momentum: parameters
    H = 1, Adam: DDP's
    period 4: averages after
    period 4, 3 warm-up steps: averages after
    H = 1: on the wire
    H = 4: on the wire
    H = 16: on the wire
    bowls, H = 1: distance
    bowls, H = 8: distance
    bowls, H = 8: ranks apart
    same curvatures, H = 8: distance
    DiLoCo: place
    loss after
    waiting for all
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from labs.efficiency.recursions import local_steps_on_bowls, rest_of_bowls
from labs.efficiency.trace import Trace
from labs.efficiency.wire import compare_wire, near, on_gloo, sent_by
from labs.harness import Lab, run_lab
from snippets import ring_all_reduce_bytes

STEPS, WIDTH, BATCH = 16, 128, 8
DIRECTIONS, RATE, ROUNDS = 6, 0.1, 200
OUTER_RATE, OUTER_MOMENTUM = 0.7, 0.9
PAUSE_S, PAUSES = 0.01, 32

Meet = Callable[[list[Any]], None]
OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.05),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
    "Adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
}


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


def network() -> nn.Sequential:
    """Return a small network in float64, the same on every rank."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH)).double()


def batch(lab: Lab, generator: torch.Generator, *, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw inputs of the region that is a rank's own, and what is wanted there."""
    inputs = torch.randn(BATCH, WIDTH, generator=generator, dtype=torch.float64)
    inputs = inputs * 0.5 + torch.linspace(-1, 1, WIDTH, dtype=torch.float64) * (rank / lab.ranks - 0.5)
    return inputs, torch.sin(3 * inputs).roll(1, dims=1)


def losses_of(lab: Lab, model: Any) -> Iterator[Any]:
    """Yield the losses of this rank's batches."""
    generator = torch.Generator().manual_seed(1 + lab.rank)
    while True:
        inputs, targets = batch(lab, generator, rank=lab.rank)
        yield nn.functional.mse_loss(model(inputs), targets)


def vector(model: Any) -> torch.Tensor:
    """Return a copy of all parameters as one vector."""
    return parameters_to_vector(model.parameters()).detach().clone()


def beside_ddp(lab: Lab) -> None:
    """Train with DDP, and with an average of the parameters after every step."""
    for name, optimizer in OPTIMIZERS.items():
        lab.phase(f"DDP, {name}")
        whole: Any = DistributedDataParallel(network())
        train(list(whole.parameters()), losses_of(lab, whole), optimizer(whole.parameters()), never, steps=STEPS)
        own = network()
        train(list(own.parameters()), losses_of(lab, own), optimizer(own.parameters()), every(1), steps=STEPS)
        if name == "Adam":
            apart = float((vector(own) - vector(whole)).abs().max())
            lab.count(f"H = 1, {name}: DDP's parameters", predicted=False, measured=apart < 1e-6)
        else:
            lab.close(f"H = 1, {name}: parameters beside DDP's", vector(own), vector(whole), tolerance=1e-12)


def periods(lab: Lab) -> None:
    """Note after which steps PyTorch's averager averages."""
    lab.phase("periods")
    for warmup, name, expected in ((0, "period 4", [1, 5, 9]), (3, "period 4, 3 warm-up steps", [4, 8, 12])):
        averager = PeriodicModelAverager(period=4, warmup_steps=warmup)
        one = nn.Parameter(torch.zeros(1))
        found = []
        for step in range(1, 13):
            one.data.fill_(lab.rank)
            one.grad = torch.zeros(1)  # it averages what has a gradient
            averager.average_parameters([one])
            found += [step] * (float(one.detach()) == (lab.ranks - 1) / 2 and step not in found)
        lab.count(f"{name}: averages after steps", predicted=expected, measured=found)


def traffic(lab: Lab) -> dict[str, float]:
    """Count what 16 steps send, and return the losses on all ranks' data."""
    generator = torch.Generator().manual_seed(99)
    tests = [batch(lab, generator, rank=rank) for rank in range(lab.ranks) for _ in range(8)]
    losses = {}
    for name in ("DDP", "H = 1", "H = 4", "H = 16", "H = 16, DiLoCo"):
        lab.phase(name)
        model: Any = network()
        if name == "DDP":
            model = DistributedDataParallel(model)
        parameters = list(model.parameters())
        local_steps = int(name.split(",")[0][4:] or 1) if name != "DDP" else 1
        meet: Meet = never if name == "DDP" else every(local_steps)
        if "DiLoCo" in name:
            meet = Outer(parameters, steps=local_steps, rate=OUTER_RATE, momentum=OUTER_MOMENTUM)
        optimizer, own = OPTIMIZERS["SGD"](parameters), losses_of(lab, model)

        def steps() -> None:
            train(parameters, own, optimizer, meet, steps=STEPS)  # noqa: B023

        steps()  # DDP sorts its buckets in the second step
        size, meetings = 8 * sum(p.numel() for p in parameters), STEPS // local_steps
        given = [call for call in Trace(steps).given if call[0] == "all_reduce"]
        lab.count(f"{name}: given to gloo", predicted=meetings * size, measured=sum(n for _, n in given), unit="bytes")
        if name != "DDP":
            lab.count(f"{name}: all-reduces", predicted=meetings, measured=len(given))
        sent = meetings * ring_all_reduce_bytes(ranks=lab.ranks, size_bytes=size)
        compare_wire(lab, name, predicted=sent, measured=sent_by(steps))
        for _ in range(lab.options.steps // STEPS - 3):
            steps()
        plain = model.module if name == "DDP" else model
        with torch.no_grad():
            losses[name] = sum(float(nn.functional.mse_loss(plain(x), y)) for x, y in tests) / len(tests)
    return losses


def bowls(lab: Lab) -> None:
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
    for name, outer in (("DiLoCo", (OUTER_RATE, OUTER_MOMENTUM)), ("DiLoCo, rate 1, no momentum", (1.0, 0.0))):
        place, _ = descend(several, 8, 12, outer)
        expected, _ = local_steps_on_bowls(several, minima, rate=RATE, local_steps=8, rounds=12, outer=outer)
        lab.close(f"{name}: place after 12 meetings", place, torch.from_numpy(expected), tolerance=1e-12)
    averaged, _ = descend(several, 8, 12, None)
    lab.close("DiLoCo, rate 1, no momentum: plain averaging's place", place, averaged, tolerance=1e-12)


def waiting(lab: Lab) -> None:
    """Sleep as if steps took unequal times, and meet every step or every 8."""
    lab.phase("waiting")
    pauses_s = np.random.default_rng(1).exponential(PAUSE_S, size=(lab.ranks, PAUSES))
    for local_steps in (1, 8):
        sums_s = pauses_s.reshape(lab.ranks, -1, local_steps).sum(axis=2)

        def steps(blocks_s: Any = sums_s[lab.rank]) -> None:
            for pause_s in blocks_s:
                time.sleep(pause_s)
                dist.barrier()

        what = f"waiting for all every {local_steps} step{'s' * (local_steps > 1)}"
        lab.time(what, predicted_s=float(sums_s.max(axis=0).sum()), measured_s=lab.median_s(steps, repeats=3))


def main(lab: Lab) -> None:
    """Compare with DDP, count, descend, wait."""
    lab.need_ranks(2, "a rank alone meets nobody")
    on_gloo(lab)
    beside_ddp(lab)
    periods(lab)
    losses = traffic(lab)
    bowls(lab)
    waiting(lab)
    for name, loss in losses.items():
        lab.estimate(f"loss after {lab.options.steps} steps: {name}", predicted=losses["DDP"], measured=loss, unit="")


def options(parser: Any) -> None:
    """Add the option of this lab."""
    parser.add_argument("--steps", type=int, default=160, help=f"of each training, a multiple of {STEPS}")


if __name__ == "__main__":
    run_lab(main, options=options)
