"""Recomputation on a real engine: the plans of the chapter, run by ``torch.utils.checkpoint`` on a chain of layers.

Each layer is two matrices with a tanh between them. Every rank runs the chain by itself, once for each plan. A watch on
all operations counts the bytes that forward passes have made and that are still alive, and the matrix products; the
layers count how often they run. Beside it stands what the book's account of the same plan says. A plan of the dynamic
program becomes nested calls of ``checkpoint``. ``early_stop``, on by default, ends a repetition once all that the
backward pass reads is there again, so that each one saves a product.

    torchrun --standalone --nproc-per-node 4 labs/memory/recomputation.py

Chapter: 23

Shown:
    keep all: layers run
    segments of 3: layers run
    segments of 3: held
    cheapest in 60%: layers run
    cheapest in 60%: held
    segments of 3: products
    segments of 3, early stop: products
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

from labs.harness import Lab, run_lab
from snippets import (
    ChainLayer,
    ChainTask,
    RecomputationPlan,
    cheapest_recomputation_plan,
    keep_all_tasks,
    keep_nothing_forward_passes,
    keep_nothing_tasks,
    recomputation_account,
    segment_tasks,
)

WIDTHS = (32, 48, 16, 32, 32, 64, 32, 16, 48, 32)  # of X_0 to X_9
INNER = (64, 32, 96, 64, 128, 32, 64, 96, 64)
ROWS = 8
_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
Step = Callable[[torch.Tensor], torch.Tensor]


class Watch(TorchDispatchMode):
    """Counts products, and the bytes of what layers make on their way forward until it is freed."""

    def __init__(self) -> None:
        super().__init__()
        self.products = self.held = self.peak = self.inside = 0
        self.known = weakref.WeakSet[Any]()

    def _free(self, size: int) -> None:
        self.held -= size

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and look at what it made."""
        made = func(*args, **(kwargs or {}))
        self.products += func in _PRODUCTS
        if self.inside and isinstance(made, torch.Tensor):
            storage = made.untyped_storage()
            mine = {t.untyped_storage().data_ptr() for t in args if isinstance(t, torch.Tensor)}
            if storage.data_ptr() not in mine:  # neither a view nor in place
                self.held += storage.nbytes()
                self.peak = max(self.peak, self.held)
                weakref.finalize(storage, self._free, storage.nbytes())
        return made


class Layer:
    """x W₁, tanh in place, W₂; counts its runs."""

    def __init__(self, widths: Sequence[int], watch: Watch, lab: Lab, seed: int) -> None:
        random = torch.Generator().manual_seed(seed)
        shapes = itertools.pairwise(widths)
        self.weights = [
            (torch.randn(shape, generator=random) / shape[0] ** 0.5).to(lab.device).requires_grad_() for shape in shapes
        ]
        self.watch, self.runs = watch, 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Run forward."""
        self.runs += 1
        self.watch.inside += 1
        try:
            return (x @ self.weights[0]).tanh_() @ self.weights[1]
        finally:
            self.watch.inside -= 1


def chain_step(layers: Sequence[Layer], tasks: Sequence[ChainTask], first: int, last: int) -> Step:
    """Return the forward pass of layers first to last, with the checkpoints of the plan that these tasks begin."""
    kind, number = tasks[0]
    if number != first:
        raise ValueError(f"the plan must begin with layer {first}, got {number}")
    if kind == "record":
        own = layers[first - 1]
        if first == last:
            return own
        rest = chain_step(layers, tasks[1:], first + 1, last)
        return lambda x: rest(own(x))
    end = first
    while tasks[end - first + 1] == ("forward", end + 1):
        end += 1
    behind = tasks[end - first + 1 :]
    rest = chain_step(layers, behind, end + 1, last)
    done = behind.index(ChainTask("backward", end + 1)) + 1  # what comes then is the plan of first to end
    inner = chain_step(layers, behind[done:], first, end)
    return lambda x: rest(checkpoint(inner, x, use_reentrant=False, preserve_rng_state=False))


def predicted_bytes(chain: Sequence[ChainLayer], plan: RecomputationPlan) -> int:
    """Return the most that forward passes hold: no gradients, no X_0, but a passing layer's inner values."""
    size = [*(layer.input_bytes for layer in chain), chain[-1].output_bytes]
    most = 0
    for moment in plan.moments:
        running = {moment.task.layer} if moment.task.kind != "backward" else set()
        own = sum(chain[layer - 1].own_bytes for layer in {*moment.records, *running})
        most = max(most, own + sum(size[i] for i in moment.inputs if i))
    return most


def run(lab: Lab, tasks: Sequence[ChainTask], *, early_stop: bool = False) -> tuple[Watch, int, list[torch.Tensor]]:
    """Run a plan; return what was watched, how often layers ran, and the gradients."""
    watch = Watch()
    inner = zip(WIDTHS, INNER, WIDTHS[1:], strict=False)
    layers = [Layer(widths, watch, lab, seed) for seed, widths in enumerate(inner)]
    x = torch.randn((ROWS, WIDTHS[0]), generator=torch.Generator().manual_seed(23)).to(lab.device).requires_grad_()
    with set_checkpoint_early_stop(early_stop), watch:
        output = chain_step(layers, tasks, 1, len(layers))(x)
        loss = output.square().sum() / 2
        del output
        loss.backward()
    weights = [weight for layer in layers for weight in layer.weights]
    return watch, sum(layer.runs for layer in layers), [w.grad for w in weights if w.grad is not None]


def main(lab: Lab) -> None:
    """Run all plans, and compare passes, products, bytes and gradients."""
    chain = [
        ChainLayer(4 * ROWS * before, 4 * ROWS * (before + inner), 4 * ROWS * after)
        for before, inner, after in zip(WIDTHS, INNER, WIDTHS[1:], strict=False)
    ]
    count = len(chain)
    whole = recomputation_account(chain, keep_all_tasks(count))
    cheapest = cheapest_recomputation_plan(chain, budget_bytes=6 * whole.peak_bytes // 10)
    if cheapest is None:
        raise RuntimeError("no plan fits into 60% of what keeping everything takes")
    plans = {
        "keep all": whole,
        "keep nothing": recomputation_account(chain, keep_nothing_tasks(count)),
        "segments of 1": recomputation_account(chain, segment_tasks(count, segment_layers=1)),
        "segments of 3": recomputation_account(chain, segment_tasks(count, segment_layers=3)),
        "cheapest in 60%": cheapest,
    }
    expected = run(lab, whole.tasks)[2]
    for name, plan in plans.items():
        lab.phase(name)
        watch, runs, gradients = run(lab, plan.tasks)
        passes = keep_nothing_forward_passes(count) if name == "keep nothing" else plan.forward_passes
        lab.count(f"{name}: layers run", predicted=passes, measured=runs)
        lab.count(f"{name}: products", predicted=2 * plan.forward_passes + 4 * count, measured=watch.products)
        lab.count(f"{name}: held", predicted=predicted_bytes(chain, plan), measured=watch.peak, unit="bytes")
        same = all(torch.equal(own, other) for own, other in zip(gradients, expected, strict=True))
        lab.count(f"{name}: same gradients", predicted=True, measured=same)
    plan = plans["segments of 3"]
    watch, _, _ = run(lab, plan.tasks, early_stop=True)
    predicted = 2 * plan.forward_passes + 4 * count - (count // 3 - 1)
    lab.count("segments of 3, early stop: products", predicted=predicted, measured=watch.products)


if __name__ == "__main__":
    run_lab(main)
