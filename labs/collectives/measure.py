"""What the labs on collectives time: α, β and γ of this machine from single steps of a ring, and whole all-reduces."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import torch

from labs.collectives.executor import Executor
from labs.harness import Lab
from snippets import Schedule, build_collective
from snippets.foundations.alpha_beta.fit import fit_alpha_beta

DTYPE = torch.float32


@dataclass(frozen=True)
class Machine:
    """α, β and γ as this engine and this machine give them to a Python program that sends round by round."""

    latency_s: float
    bandwidth_bytes_per_s: float
    reduction_s_per_byte: float

    def keywords(self) -> dict[str, Any]:
        """Return the arguments that the book's cost functions take."""
        return asdict(self)


def sizes_of_sweep(lab: Lab, largest_bytes: int) -> list[int]:
    """Return sizes of a vector from 4 KiB on, each four times the one before, cut to a multiple of N elements."""
    grain = lab.ranks * DTYPE.itemsize
    sizes = [size // grain * grain for size in (4**power for power in range(6, 16)) if size <= largest_bytes]
    return [size for size in sizes if size]


def all_reduce_s(lab: Lab, algorithm: str, size_bytes: int, *, repeats: int) -> float:
    """Return the time of an all-reduce of the book, sent by this engine."""
    return _time_s(
        lab, build_collective("all_reduce", algorithm, ranks=lab.ranks, length=size_bytes // DTYPE.itemsize), repeats
    )


def _time_s(lab: Lab, schedule: Schedule, repeats: int) -> float:
    executor = Executor(schedule, rank=lab.rank, dtype=DTYPE, device=lab.device)
    return lab.fastest_s(executor.run, repeats=repeats, warmups=2)


def fit_machine(lab: Lab, sizes_bytes: list[int], *, repeats: int) -> Machine | None:
    """Fit α and 1/β to one copying step of the ring, 1/β + γ to one adding step, every rank sending at once.

    ``None`` where the machine is too busy for times to grow with the size; what was timed is in ``lab.data``.
    """
    messages = [size // lab.ranks for size in sizes_bytes]
    times: dict[str, list[float]] = {}
    for primitive in ("all_gather", "reduce_scatter"):
        times[primitive] = []
        for size in sizes_bytes:
            ring = build_collective(primitive, "ring", ranks=lab.ranks, length=size // DTYPE.itemsize)
            step = Schedule(primitive, "one step", lab.ranks, ring.length, ring.rounds[:1])
            times[primitive].append(_time_s(lab, step, repeats))
    lab.data["step"] = {
        "message_bytes": messages,
        "copying_s": times["all_gather"],
        "adding_s": times["reduce_scatter"],
    }
    try:
        copying, adding = (fit_alpha_beta(messages, seconds) for seconds in times.values())
    except ValueError as error:
        lab.say(f"no fit, no predicted times: {error}")
        return None
    machine = Machine(
        latency_s=max(0.0, copying.latency_s),
        bandwidth_bytes_per_s=copying.bandwidth_bytes_per_s,
        reduction_s_per_byte=max(0.0, adding.s_per_byte - copying.s_per_byte),
    )
    errors = {
        "latency_standard_error_s": copying.latency_standard_error_s,
        "bandwidth_standard_error_bytes_per_s": copying.bandwidth_standard_error_bytes_per_s,
    }
    lab.data["machine_fit"] = machine.keywords() | errors
    lab.say(
        f"α = {machine.latency_s * 1e6:.0f} µs, β = {machine.bandwidth_bytes_per_s / 1e9:.2f} GB/s, "
        f"γ = {machine.reduction_s_per_byte * 1e9:.3f} ns per byte"
    )
    return machine


def crossing(sizes: list[int], first: list[float], second: list[float]) -> float | None:
    """Return the size at which the first stops being the faster for good, between sizes by straight lines."""
    gaps: list[Any] = [late - soon for soon, late in zip(first, second, strict=True)]
    found = None
    for (low, before), (high, after) in pairwise(zip(sizes, gaps, strict=True)):
        if before > 0 >= after:
            found = low + (high - low) * before / (before - after)
        elif before <= 0 < after:
            found = None
    return found
