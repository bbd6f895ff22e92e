"""Simulators: Adam that really runs with its state on a host: two ranks, a device and its host, and what they send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import number_array
from snippets.domain import positive_integer
from snippets.memory.zero.sharded_adam import AdamConstants, Array, Model, adam_update
from snippets.simulation.account import Account
from snippets.simulation.machine import Isend, Machine, Program, Receive, Send

DEVICE, HOST = 0, 1


@dataclass(frozen=True)
class OffloadedAdamRun:
    """The result of a run.

    Attributes:
        working: the device's 16-bit weights in the end, unit by unit.
        master: the host's float32 copy of them.
        account: what the device (rank 0) and the host (rank 1) sent and held.

    >>> OffloadedAdamRun((), (), Account(2, ())).account.ranks
    2
    """

    working: tuple[Array, ...]
    master: tuple[Array, ...]
    account: Account


def run_offloaded_adam(
    model: Model, initial: Sequence[ArrayLike], *, steps: int = 1, adam: AdamConstants | None = None
) -> OffloadedAdamRun:
    """Train a model whose weights lie on a device and whose optimizer state lies on its host, which updates it.

    Args:
        model: units in order forward, in reverse order backward; it takes its gradient's share as rank 0.
        initial: the parameters of each unit at the start, flat arrays.
        steps: how many, at most 1,000.
        adam: its constants; the usual ones if ``None``.

    Returns:
        The weights and the account.

    Raises:
        TypeError: ``initial`` holds something else than flat arrays.
        ValueError: a number is out of its domain, or does not fit a float16.

    Source: derived; Ren et al. 2021 describe the division of labour.
    Convention: the device sends each unit's 16-bit gradient as soon as it is made and frees it; the host sends each
        unit's new 16-bit weights back. Nothing else crosses.
    Leaves out: time, for which see ``offloaded_step``; accumulation, clipping.

    Example:
        >>> from snippets.memory.zero.sharded_adam import GivenGradients
        >>> run = run_offloaded_adam(GivenGradients(np.ones((1, 1, 1, 3)), units=(2, 1)), [np.ones(2), np.ones(1)])
        >>> run.account.sent_bytes, round(float(run.master[0][0]), 3)
        ((6, 6), 0.999)
    """
    if not all(callable(getattr(model, name, None)) for name in ("forward", "backward")):
        raise TypeError(f"model must have the methods forward and backward, got {model!r}")
    count = positive_integer("steps", steps)
    if count > 1000:
        raise ValueError(f"steps must be at most 1000, got {steps!r}")
    constants = AdamConstants() if adam is None else adam
    master = _units(initial)
    working = [unit.astype(np.float16) for unit in master]
    machine = Machine(2)
    machine.run([_device(machine, model, working, count), _host(machine, master, constants, count)])
    return OffloadedAdamRun(tuple(working), tuple(master), machine.account)


def _device(machine: Machine, model: Model, working: list[NDArray[np.float16]], steps: int) -> Program:
    """Forward and backward passes; gradients go as they are made, new weights come."""
    memory = machine.memories[DEVICE]
    for unit in working:
        memory.watch(unit, "parameters")
    for step in range(steps):
        call = {"step": step, "micro_batch": 0, "rank": 0}
        for number, unit in enumerate(working):
            model.forward(**call, unit=number, parameters=unit)
        for number in reversed(range(len(working))):
            gradient: Array | None = memory.watch(np.zeros_like(working[number]), "gradients")
            model.backward(**call, unit=number, parameters=working[number], gradient=gradient)  # type: ignore[arg-type]
            yield Send(HOST, gradient)
            gradient = None
        for number in reversed(range(len(working))):
            working[number][...] = yield Receive(HOST)


def _host(machine: Machine, master: list[NDArray[np.float32]], adam: AdamConstants, steps: int) -> Program:
    """Update each unit as its gradient comes, and send its weights back."""
    memory = machine.memories[HOST]
    state = [(memory.watch(unit, "optimizer"), *_moments(machine, unit)) for unit in master]
    for step in range(steps):
        for parameters, first, second in reversed(state):
            gradient = yield Receive(DEVICE)
            adam_update(parameters, first, second, gradient.astype(np.float32), step=step + 1, adam=adam)
            yield Isend(DEVICE, parameters.astype(np.float16))


def _moments(machine: Machine, unit: Array) -> tuple[Array, Array]:
    memory = machine.memories[HOST]
    return memory.watch(np.zeros_like(unit), "optimizer"), memory.watch(np.zeros_like(unit), "optimizer")


def _units(initial: Sequence[ArrayLike]) -> list[NDArray[np.float32]]:
    """Return a float32 copy of each unit."""
    if isinstance(initial, str | bytes) or not isinstance(initial, Sequence) or not initial:
        raise TypeError(f"initial must be a sequence of flat arrays, got {initial!r}")
    units = []
    for unit in initial:
        array = number_array("initial", unit)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise TypeError(f"initial must be a sequence of flat arrays of numbers, got {unit!r}")
        if not np.isfinite(array).all() or np.abs(array, dtype=np.float64).max(initial=0) > np.finfo(np.float16).max:
            raise ValueError(f"initial must be finite in float16, got {unit!r}")
        units.append(array.astype(np.float32))
    return units
