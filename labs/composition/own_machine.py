"""What the book's model of a step assumes of a machine, measured on this one, which may be busy with other work.

All ranks do the same at once, since they do so in a step: where they share cores, the constants are those of a share.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from labs.composition.cut_transformer import RATE, WIDTH, Piece, Wire
from labs.harness import Lab
from snippets import (
    Accelerator,
    Constants,
    Layout,
    Link,
    Node,
    Peaks,
    Recipe,
    Transformer,
    attention_core_flops,
    layer_products,
)
from snippets.foundations.alpha_beta.fit import fit_alpha_beta

SIZES = (2**12, 2**17, 2**20, 2**22)  # bytes of the all-reduces
BATCHES = (1, 4, 16)  # sequences of the layers
UPDATED = 2**20  # parameters of the update
CALLS = 4  # of an all-reduce and of the update, one after the other

# ``step_time`` counts 2 bytes a number, and these ranks send, keep and update 4: a byte of the model is two of theirs.
HALF = WIDTH // 2
RECIPE = Recipe("fp32, Adam, in half bytes", parameters=2, gradients=2, first_moment=2, second_moment=2)
UPDATE_BYTES = 3 * RECIPE.gradients + 2 * RECIPE.optimizer_bytes + 2 * RECIPE.parameters  # of one fused kernel


def probes(lab: Lab, model: Transformer, sequence: int) -> dict[str, Callable[[], Any]]:
    """Return the operations whose times make the constants; all ranks call each at once."""
    piece = Piece(model, Layout(), Wire(Layout(), alone=True))
    found: dict[str, Callable[[], Any]] = {}
    for batch in BATCHES:
        x = torch.randn(batch, sequence, model.hidden, requires_grad=True)
        found[f"layers {batch}"] = partial(pass_layers, piece, x)
    work = found[f"layers {BATCHES[1]}"]
    for busy in range(1, lab.ranks + 1):
        found[f"busy {busy}"] = work if lab.rank < busy else bool
    for size in SIZES:
        found[f"all-reduce {size}"] = several(partial(dist.all_reduce, torch.zeros(size // WIDTH)))
    weights = torch.zeros(UPDATED, requires_grad=True)
    weights.grad = torch.zeros(UPDATED)
    found["update"] = several(torch.optim.Adam([weights], lr=RATE, fused=True).step)
    return found


def several(operation: Callable[[], Any]) -> Callable[[], None]:
    """Return what does an operation a few times."""

    def again() -> None:
        for _ in range(CALLS):
            operation()

    return again


def timed(lab: Lab, operations: Mapping[str, Callable[[], Any]], *, rounds: int) -> dict[str, list[float]]:
    """Return the times of all operations, one from each round, each round in an order of its own."""
    times_s: dict[str, list[float]] = {name: [] for name in operations}
    order = torch.Generator().manual_seed(2)  # the same on every rank
    names = list(operations)
    for turn in range(1 + rounds):  # the first warms up
        for number in torch.randperm(len(names), generator=order).tolist():
            lab.phase(names[number])
            seconds = lab.times_s(operations[names[number]], repeats=1, warmups=0)
            times_s[names[number]].extend(seconds * (turn > 0))
    return times_s


def steady(times_s: Mapping[str, list[float]]) -> dict[str, float]:
    """Return the medians of times that are put right by their round's pace: a busy minute slows all that is in it."""
    paces = [statistics.geometric_mean(taken) for taken in zip(*times_s.values(), strict=True)]
    usual = statistics.median(paces)
    return {
        name: statistics.median(seconds * usual / pace for seconds, pace in zip(taken, paces, strict=True))
        for name, taken in times_s.items()
    }


@dataclass(frozen=True)
class Machine:
    """What was measured; ``busy`` has the layers' time with 1, 2, … ranks at work, over its time with all of them."""

    ranks: int
    flops_per_s: float
    launch_s: float
    latency_s: float
    bandwidth_bytes_per_s: float
    update_s: float
    busy: tuple[float, ...]

    @classmethod
    def measured(cls, times_s: Mapping[str, float], *, ranks: int, model: Transformer, sequence: int) -> Machine:
        """Return the constants that the probes' times give: two straight lines, a time and ratios."""
        flops = [3 * layer_flops(model, batch=batch, sequence=sequence) for batch in BATCHES]
        layer = fit_alpha_beta(flops, [times_s[f"layers {batch}"] / model.layers for batch in BATCHES])
        sums = fit_alpha_beta(SIZES, [times_s[f"all-reduce {size}"] / CALLS for size in SIZES])
        return cls(
            ranks=ranks,
            flops_per_s=1 / layer.s_per_byte,
            launch_s=max(0.0, layer.latency_s),
            latency_s=max(0.0, sums.latency_s) / (2 * (ranks - 1)),
            bandwidth_bytes_per_s=2 * (ranks - 1) / ranks / sums.s_per_byte,
            update_s=times_s["update"] / CALLS / UPDATED,
            busy=tuple(times_s[f"busy {busy}"] / times_s[f"busy {ranks}"] for busy in range(1, ranks + 1)),
        )

    @property
    def node(self) -> Node:
        link = Link("loopback", round(self.bandwidth_bytes_per_s / HALF), 1, "none", lanes=1, source="measured")
        rank = Accelerator(
            name="a rank",
            maker="this machine",
            peaks=Peaks(bf16=round(self.flops_per_s)),
            memory_bytes=1,
            memory_printed="any",
            memory_bandwidth_bytes_per_s=round(UPDATE_BYTES / self.update_s),
            interconnect=link,
            host=None,
            source="measured",
        )
        return Node("this machine", rank, self.ranks, 1, link, "measured")

    @property
    def constants(self) -> Constants:
        return Constants(
            matmul_share=1,
            attention_share=1,
            memory_share=1,
            node_share=1,
            node_latency_s=self.latency_s,
            launch_s=self.launch_s,
            count_bytes=False,
            overlap_gradients=False,
            source="measured",
        )

    def bubble_s(self, seconds: float, *, stages: int, micro_batches: int) -> float:
        """Return a bubble's seconds where ranks that wait leave their cores to others.

        In slot i of a pipeline's m + p − 1, so many stages work as ``at_work`` says.
        """
        slots = micro_batches + stages - 1
        at_work = [min(slot + 1, micro_batches, stages, slots - slot) for slot in range(slots)]
        lasting = sum(self.busy[number * self.ranks // stages - 1] for number in at_work)
        return seconds * max(0.0, lasting - micro_batches) / (stages - 1) if stages > 1 else 0.0


def pass_layers(piece: Piece, x: torch.Tensor) -> None:
    """Go forward and backward through all layers, and add the gradients up."""
    y = x
    for layer in piece.layers:
        y = piece.layer(layer, y)
    y.sum().backward()


def layer_flops(model: Transformer, *, batch: int, sequence: int) -> float:
    """Return the forward FLOPs of a layer, as ``step_time`` counts them."""
    layout = Layout()
    core = attention_core_flops(model, batch=batch, sequence=sequence, layout=layout, mask="half")
    return layer_products(model, tokens=batch * sequence, layout=layout).flops + core
