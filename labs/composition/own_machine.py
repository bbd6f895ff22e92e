"""This machine's constants for the book's model of a step: a rank's rate, a layer's launch, α and β, the update.

All ranks do the same at once, since they do so in a step: where they share cores, the constants are those of a share.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from labs.composition.cut_transformer import RATE, WIDTH, Piece, Wire
from labs.harness import Lab
from snippets import Accelerator, Constants, Layout, Link, Node, Peaks, Recipe, Transformer, layer_products
from snippets.composition.layer_times import attention_core_flops
from snippets.foundations.alpha_beta.fit import fit_alpha_beta

SIZES = (2**12, 2**17, 2**20, 2**22)  # bytes of the all-reduces
BATCHES = (1, 4, 16)  # sequences of the layers
UPDATED = 2**20  # parameters of the update
CALLS = 4  # of an all-reduce and of the update, one after the other

# ``step_time`` counts 2 bytes a number, and these ranks send, keep and update 4: a byte of the model is two of theirs.
HALF = WIDTH // 2
RECIPE = Recipe("fp32, Adam, in half bytes", parameters=2, gradients=2, first_moment=2, second_moment=2)
UPDATE_BYTES = 3 * RECIPE.gradients + 2 * RECIPE.optimizer_bytes + 2 * RECIPE.parameters  # of one fused kernel


@dataclass
class Probes:
    """Small operations that are timed in every round, between the steps of the layouts."""

    lab: Lab
    model: Transformer
    sequence: int
    times_s: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one = Layout()
        piece = Piece(self.model, one, Wire(one, alone=True))
        self.operations: dict[str, Callable[[], Any]] = {}
        for batch in BATCHES:
            x = torch.randn(batch, self.sequence, self.model.hidden, requires_grad=True)
            self.operations[f"layers {batch}"] = partial(pass_layers, piece, x)
        work = self.operations[f"layers {BATCHES[1]}"]
        for busy in range(1, self.lab.ranks + 1):
            self.operations[f"busy {busy}"] = work if self.lab.rank < busy else bool
        for size in SIZES:
            self.operations[f"all-reduce {size}"] = several(partial(dist.all_reduce, torch.zeros(size // WIDTH)))
        weights = torch.zeros(UPDATED, requires_grad=True)
        weights.grad = torch.zeros(UPDATED)
        self.operations["update"] = several(torch.optim.Adam([weights], lr=RATE, fused=True).step)

    def time(self, *, counts: bool) -> None:
        """Time each once more; a first time does not count."""
        for name, operation in self.operations.items():
            self.lab.phase(name)
            seconds = self.lab.times_s(operation, repeats=1, warmups=0)
            self.times_s.setdefault(name, []).extend(seconds * counts)

    def median_s(self, name: str, *more: object) -> float:
        return statistics.median(self.times_s[" ".join([name, *map(str, more)])])

    def machine(self) -> Machine:
        """Return the constants: three straight lines, and two ratios."""
        ranks = self.lab.ranks
        flops = [3 * layer_flops(self.model, batch=batch, sequence=self.sequence) for batch in BATCHES]
        layer = fit_alpha_beta(flops, [self.median_s("layers", batch) / self.model.layers for batch in BATCHES])
        sums = fit_alpha_beta(SIZES, [self.median_s("all-reduce", size) / CALLS for size in SIZES])
        return Machine(
            ranks=ranks,
            flops_per_s=1 / layer.s_per_byte,
            launch_s=max(0.0, layer.latency_s),
            latency_s=max(0.0, sums.latency_s) / (2 * (ranks - 1)),
            bandwidth_bytes_per_s=2 * (ranks - 1) / ranks / sums.s_per_byte,
            update_s=self.median_s("update") / CALLS / UPDATED,
            busy=tuple(self.median_s("busy", busy) / self.median_s("busy", ranks) for busy in range(1, ranks + 1)),
        )


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


def several(operation: Callable[[], Any]) -> Callable[[], None]:
    """Return what does an operation a few times."""

    def again() -> None:
        for _ in range(CALLS):
            operation()

    return again


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
