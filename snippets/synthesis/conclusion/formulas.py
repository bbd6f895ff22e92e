"""Formulas: a job's three bounds (memory, computing, communication), the first that is broken, and what links buy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from snippets.composition.layouts import Layout
from snippets.composition.rank_memory import RankMemory, held_recipe, rank_memory
from snippets.composition.step_constants import device_constants
from snippets.composition.step_model import StepTime, step_time
from snippets.composition.three_d.dropping import dropped_to_fit, with_remade
from snippets.domain import (
    Answers,
    as_float,
    named,
    nonnegative_number,
    number_between,
    of_kind,
    positive_integer,
    positive_number,
    probability,
)
from snippets.hardware import NODES, Node, dense_peak_flops_per_s
from snippets.models import MODELS, Transformer

KEEPS = ("all", "some", "inputs")


@dataclass(frozen=True)
class JobBounds(Answers):
    """What the three questions ask of a job in a layout.

    Attributes:
        memory: bytes of the fullest GPU, by kind.
        limit_bytes: what a GPU may hold.
        step: seconds of a step, by term.
        again_s: seconds of ``step.compute`` that make dropped tensors again, or run layers twice.
        dropped: the tensors that every layer drops.

    >>> layout = Layout(tensor=2, context=4, data=64, stage=3)
    >>> bounds = job_bounds("Qwen2.5 72B", "DGX H100", layout, batch_sequences=128, sequence=32768, dtype="fp8")
    >>> round(bounds.memory.total / 1e9), round(bounds.step.total, 1), bounds.broken
    (71, 6.1, 'none')
    """

    memory: RankMemory
    limit_bytes: float
    step: StepTime
    again_s: float
    dropped: tuple[str, ...]

    @property
    def work_s(self) -> float:
        """Seconds in which a GPU computes what has to be computed once, with the update."""
        return self.step.compute - self.again_s + self.step.optimizer

    @property
    def exposed_s(self) -> float:
        """Seconds in which a GPU waits for messages."""
        return self.step.tensor + self.step.context + self.step.expert + self.step.pipeline + self.step.data

    @property
    def broken(self) -> str:
        """The first bound that is broken, as ``first_broken_bound`` names it."""
        return first_broken_bound(
            held_bytes=self.memory.total,
            limit_bytes=self.limit_bytes,
            work_s=self.work_s,
            again_s=self.again_s,
            bubble_s=self.step.bubble,
            exposed_s=self.exposed_s,
        )


def first_broken_bound(
    *,
    held_bytes: float,
    limit_bytes: float,
    work_s: float,
    again_s: float = 0.0,
    bubble_s: float = 0.0,
    exposed_s: float = 0.0,
    tolerated_share: float = 0.1,
) -> str:
    """Return which of the three questions a layout answers with no, the first of them.

    Formula: $M_\\text{held} > M_\\text{limit};\\quad T_\\text{again} + T_\\text{bubble} > \\varepsilon T;\\quad
        T_\\text{exposed} > \\varepsilon T$
    Symbols: M_\\text{held} = held_bytes; M_\\text{limit} = limit_bytes; T = the sum of all seconds;
        T_\\text{again} = again_s; T_\\text{bubble} = bubble_s; T_\\text{exposed} = exposed_s;
        \\varepsilon = tolerated_share
    Chapter: 40

    Args:
        held_bytes: what the fullest GPU holds, at least 0.
        limit_bytes: what it may hold.
        work_s: seconds of computing that has to be done once.
        again_s: seconds of computing what was computed before, at least 0.
        bubble_s: seconds of waiting for a pipeline to fill and to drain, at least 0.
        exposed_s: seconds of waiting for messages, at least 0.
        tolerated_share: which share of a step may go to either kind of loss, from 0 to 1.

    Returns:
        ``"memory"``, ``"compute"``, ``"communication"`` or ``"none"``.

    Source: derived in this book.
    Convention: exactly the tolerated share is still tolerated.
    Leaves out: slow kernels, which are in ``work_s``.

    Example:
        >>> first_broken_bound(held_bytes=90e9, limit_bytes=72e9, work_s=5)
        'memory'
        >>> first_broken_bound(held_bytes=70e9, limit_bytes=72e9, work_s=5, again_s=1.5, exposed_s=2)
        'compute'
    """
    held, limit = nonnegative_number("held_bytes", held_bytes), positive_number("limit_bytes", limit_bytes)
    work = positive_number("work_s", work_s)
    lost = nonnegative_number("again_s", again_s) + nonnegative_number("bubble_s", bubble_s)
    exposed, tolerated = nonnegative_number("exposed_s", exposed_s), probability("tolerated_share", tolerated_share)
    most = tolerated * (work + lost + exposed)
    if held > limit:
        return "memory"
    if lost > most:
        return "compute"
    return "communication" if exposed > most else "none"


def job_bounds(
    model: Transformer | str,
    node: Node | str,
    layout: Layout,
    *,
    batch_sequences: int,
    sequence: int,
    dtype: str = "bf16",
    keep: str = "some",
    free_share: float = 0.1,
    domain: int | None = None,
) -> JobBounds:
    """Return what a layout holds, computes and waits for, by the model of chapters 26 and 27.

    Formula: $M, \\quad T_\\text{work} + T_\\text{again} + T_\\text{bubble}, \\quad T_\\text{exposed}$
    Symbols: M = rank_memory of the fullest rank; T_\\text{work}, T_\\text{again}, T_\\text{bubble} and
        T_\\text{exposed} = the terms of step_time, made-again computing apart
    Chapter: 40

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        node: a name in ``NODES``, or a node of your own.
        layout: the layout; its ``recompute`` is set by ``keep``.
        batch_sequences: sequences of a step, of all ranks together.
        sequence: tokens of each.
        dtype: of the weights' matmuls.
        keep: what a layer keeps: ``"all"``; ``"some"``, all but the cheapest tensors that have to go; or ``"inputs"``,
            so that every layer runs twice.
        free_share: of a GPU's memory that stays free, at least 0 and below 1.
        domain: GPUs inside which links are fast; by default those of a node.

    Returns:
        The bounds. With ``keep="some"`` nothing is dropped where dropping all would not be enough.

    Raises:
        ValueError: if the layout cannot run the model.

    Source: chapters 23, 26 and 27.
    Convention: as ``layout_plan`` of the planner, with half of attention's pairs; Adam in mixed precision.
    Leaves out: what ``step_time`` and ``rank_memory`` leave out.

    Example:
        >>> layout = Layout(tensor=2, data=128, stage=3)
        >>> bounds = job_bounds("Llama 3 70B", "DGX H100", layout, batch_sequences=512, sequence=8192)
        >>> bounds.dropped
        ('normed for attention', 'normed for feed-forward', 'gated product')
    """
    found, machine = MODELS.find(model), of_kind("node", NODES.find(node), Node)
    keep = named("keep", keep, KEEPS)
    free = number_between("free_share", free_share, low=0, high=1)
    if free == 1:
        raise ValueError(f"free_share must be below 1, got {free_share!r}")
    device = machine.accelerator
    constants, limit = device_constants(device, dtype), (1 - free) * device.memory_bytes
    plain = replace(of_kind("layout", layout, Layout), recompute="full" if keep == "inputs" else "none")
    size: dict[str, Any] = {"batch_sequences": batch_sequences, "sequence": sequence, "dtype": dtype}
    size["recipe"] = held_recipe(device, dtype)
    timed: dict[str, Any] = size | {"constants": constants, "domain": domain, "mask": "half"}
    step = step_time(found, machine, plain, **timed)
    held = [rank_memory(found, plain, stage=stage, **size) for stage in (0, -1)]
    fullest = max(held, key=lambda each: each.total)
    if keep == "inputs":
        once = step_time(found, machine, replace(plain, recompute="none"), **timed)
        return JobBounds(fullest, limit, step, step.compute - once.compute, ("everything but the input",))
    if keep == "all" or fullest.total <= limit:
        return JobBounds(fullest, limit, step, 0.0, ())
    gone = dropped_to_fit(found, plain, limit_bytes=limit, mask="half", **size)
    if gone is None:
        return JobBounds(fullest, limit, step, 0.0, ())
    m = plain.micro_batches(batch_sequences)
    layer_s = gone.flops / (constants.matmul_share * dense_peak_flops_per_s(device, dtype))
    layer_s += gone.moved_bytes / constants.memory_bytes_per_s(machine)
    again_s = m * layer_s * found.layers / plain.pipeline
    return JobBounds(
        gone.memory, limit, with_remade(step, plain, remade_s=again_s, micro_batches=m), again_s, gone.names
    )


def two_rate_step_s(
    *,
    batch_tokens: float,
    parameters: float,
    layers: int,
    hidden: int,
    sequence: int,
    matmul_flops_per_s: float,
    attention_flops_per_s: float,
) -> float:
    """Return how long a GPU computes for its tokens if attention's scores run at a rate of their own.

    Formula: $B \\left(\\frac{6N}{u_\\text{m}P_\\text{m}} + \\frac{6Lhs}{u_\\text{a}P_\\text{a}}\\right)$
    Symbols: B = batch_tokens; N = parameters; L = layers; h = hidden; s = sequence; u_m P_m = matmul_flops_per_s;
        u_a P_a = attention_flops_per_s
    Chapter: 40

    Args:
        batch_tokens: of a step, for one GPU.
        parameters: that a token meets.
        layers: of the model.
        hidden: width of the residual stream, equal to heads times their size.
        sequence: tokens of a sequence.
        matmul_flops_per_s: what the weights' matmuls reach.
        attention_flops_per_s: what attention's scores reach.

    Returns:
        Seconds.

    Source: chapters 1, 19 and 32.
    Convention: half of the pairs are computed, as by a causal kernel; nothing is recomputed.
    Leaves out: norms and all else that matmuls don't do; waiting.

    Example:
        >>> rates = {"matmul_flops_per_s": 100e12, "attention_flops_per_s": 50e12}
        >>> two_rate_step_s(batch_tokens=1e6, parameters=1e9, layers=10, hidden=1000, sequence=2000, **rates)
        62.4
    """
    B, N = positive_number("batch_tokens", batch_tokens), positive_number("parameters", parameters)
    L, h, s = (
        positive_integer(name, value)
        for name, value in (("layers", layers), ("hidden", hidden), ("sequence", sequence))
    )
    matmul = positive_number("matmul_flops_per_s", matmul_flops_per_s)
    attention = positive_number("attention_flops_per_s", attention_flops_per_s)
    names = "batch_tokens, parameters, layers, hidden, sequence, matmul_flops_per_s and attention_flops_per_s"
    return as_float(names, B * (6 * N / matmul + 6 * L * h * s / attention))


def fastest_link_speedup(*, exposed_share: float) -> float:
    """Return how much faster a step gets at most by faster links: if nothing waited for messages at all.

    Formula: $\\frac{1}{1 - \\varphi}$
    Symbols: \\varphi = exposed_share
    Chapter: 40

    Args:
        exposed_share: share of the step in which a GPU waits for messages, from 0 to below 1.

    Returns:
        A factor, at least 1.

    Source: Amdahl 1967, with an infinite speed-up of the part.
    Convention: the same layout with both links.
    Leaves out: layouts that only pay with faster links; what communication takes of the GPU while it is hidden.

    Example:
        >>> round(fastest_link_speedup(exposed_share=0.04), 3), fastest_link_speedup(exposed_share=0.5)
        (1.042, 2.0)
    """
    φ = number_between("exposed_share", exposed_share, low=0, high=1)
    if φ == 1:
        raise ValueError(f"exposed_share must be below 1, got {exposed_share!r}")
    return 1 / (1 - φ)


def worth_devices(*, devices: int, tokens_per_s: float, other_tokens_per_s: float) -> float:
    """Return how many of one device do what a number of another does.

    Formula: $R\\,\\frac{q'}{q}$
    Symbols: R = devices; q = other_tokens_per_s of one device of the kind that is counted in; q' = tokens_per_s of one
        of the devices
    Chapter: 40

    Args:
        devices: that work, of the one kind.
        tokens_per_s: what one of them does.
        other_tokens_per_s: what one device of the other kind does on the same job.

    Returns:
        Devices of the other kind.

    Source: derived in this book.
    Convention: devices that stand by are not counted.
    Leaves out: that neither kind scales perfectly.

    Example:
        >>> worth_devices(devices=192, tokens_per_s=735, other_tokens_per_s=334)
        422.5149700598802
    """
    R = positive_integer("devices", devices)
    fast, slow = (
        positive_number("tokens_per_s", tokens_per_s),
        positive_number("other_tokens_per_s", other_tokens_per_s),
    )
    return as_float("devices, tokens_per_s and other_tokens_per_s", R * fast / slow)
