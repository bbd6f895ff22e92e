"""Simulators: one training step of ZeRO, layer by layer: what is computed and what is on the wire, and when.

Layers go in lockstep. While one computes, the network fetches the weights of the next and takes away the gradients of
the one before; the next layer begins when all three are done.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import at_most, nonnegative_integer, nonnegative_number, one_of, positive_integer
from snippets.memory.zero.formulas import STAGES, zero_state_bytes
from snippets.recipes import RECIPES, Recipe


@dataclass(frozen=True)
class StepTask:
    """One piece of a step: what it does (``name``), for which layer (``None``: for all), and when.

    >>> StepTask("gather", 0, 0, 0.0, 1.0).on_network
    True
    """

    name: str
    layer: int | None
    micro_batch: int
    start_s: float
    end_s: float

    @property
    def on_network(self) -> bool:
        """Whether the network does it, and not the device.

        >>> StepTask("update", None, 0, 0.0, 1.0).on_network
        False
        """
        return self.name in ("gather", "reduce", "all-reduce")


def sharded_step(
    *,
    stage: int,
    layers: int,
    forward_s: float,
    gather_s: float,
    reduce_s: float,
    micro_batches: int = 1,
    across_s: float = 0.0,
    update_s: float = 0.0,
) -> tuple[StepTask, ...]:
    """Return when a step of a ZeRO stage gathers, computes and reduces each of its equal layers.

    Args:
        stage: 0, 1, 2 or 3.
        layers: layers of the model, at most 10,000 with all micro-batches.
        forward_s: seconds of a layer's forward pass, at least 0; its backward pass takes twice as long.
        gather_s: seconds to gather a layer's weights, at least 0.
        reduce_s: seconds to reduce-scatter a layer's gradient, at least 0; stage 0 all-reduces, which takes twice that.
        micro_batches: whose gradients are accumulated.
        across_s: seconds of what is reduced among groups after the last backward pass, at least 0.
        update_s: seconds of the optimizer's update, at least 0.

    Returns:
        The tasks, in the order of their starts. The step begins with the weights that the update before it left: in
        stages 1 and 2 the first forward pass gathers them.

    Raises:
        ValueError: an argument is out of its domain, or the step has too many tasks or its end fits no float.

    Source: derived from Rajbhandari et al. 2020, sections 5 and 7; Zhao et al. 2023 describe the two streams.
    Convention: stages 0 and 1 reduce in the last micro-batch, 2 and 3 in each; stages 1 and 2 gather in the first
        forward pass, 3 in every pass. Of what the network does during a layer, the gather comes first.
    Leaves out: that the two slow each other down; that a pass's first gather may begin during the pass before.

    Example:
        >>> tasks = sharded_step(stage=3, layers=2, forward_s=2.0, gather_s=1.0, reduce_s=1.0)
        >>> tasks[-1].end_s, exposed_communication_s(tasks)
        (15.0, 3.0)
    """
    stage = int(one_of("stage", nonnegative_integer("stage", stage), STAGES))
    layers, batches = positive_integer("layers", layers), positive_integer("micro_batches", micro_batches)
    if at_most("layers", layers) * at_most("micro_batches", batches) > 10_000:
        raise ValueError(f"layers × micro_batches must be at most 10,000, got {layers} × {batches}")
    forward, gather = nonnegative_number("forward_s", forward_s), nonnegative_number("gather_s", gather_s)
    reduce, across = nonnegative_number("reduce_s", reduce_s), nonnegative_number("across_s", across_s)
    update, now = nonnegative_number("update_s", update_s), 0.0
    tasks: list[StepTask] = []
    for batch in range(batches):
        first, last = batch == 0, batch == batches - 1
        fetched = gather if stage == 3 or (stage in (1, 2) and first) else 0.0
        now = _pass(tasks, range(layers), "forward", batch, (forward, fetched, 0.0), now)
        taken = reduce if stage >= 2 or last else 0.0
        times = (2 * forward, gather if stage == 3 else 0.0, taken * (2 if stage == 0 else 1))
        now = _pass(tasks, range(layers - 1, -1, -1), "backward", batch, times, now, whole=stage == 0)
    for name, seconds in (("all-reduce", across), ("update", update)):
        if seconds:
            tasks.append(StepTask(name, None, batches - 1, now, now + seconds))
            now += seconds
    if not math.isfinite(now):
        named = "forward_s, gather_s, reduce_s, across_s and update_s"
        raise ValueError(f"{named} must be such that the step's end fits a float, got an end of {now!r}")
    return tuple(sorted(tasks, key=lambda task: (task.start_s, task.end_s)))


def _pass(
    tasks: list[StepTask],
    order: Sequence[int],
    name: str,
    batch: int,
    times: tuple[float, float, float],
    now: float,
    whole: bool = False,
) -> float:
    """Add the tasks of one pass over the layers; return its end."""
    run, fetch, take = times
    for slot in range(-1, len(order) + 1):
        network = end = now
        for kind, place, seconds in (("gather", slot + 1, fetch), ("reduce", slot - 1, take)):
            if seconds and 0 <= place < len(order):
                kind = "all-reduce" if whole else kind
                tasks.append(StepTask(kind, order[place], batch, network, network + seconds))
                network += seconds
        if 0 <= slot < len(order):
            end = now + run
            tasks.append(StepTask(name, order[slot], batch, now, end))
        now = max(network, end)
    return now


def exposed_communication_s(tasks: Sequence[StepTask]) -> float:
    """Return for how long the device waits for the network: the length of the step less what it computes.

    Args:
        tasks: of one step, from ``sharded_step``.

    Returns:
        Seconds.

    Raises:
        ValueError: there are no tasks.

    Example:
        >>> exposed_communication_s(sharded_step(stage=0, layers=1, forward_s=1.0, gather_s=3.0, reduce_s=3.0))
        6.0
    """
    if not isinstance(tasks, Sequence) or not tasks or not all(isinstance(task, StepTask) for task in tasks):
        raise ValueError(f"tasks must hold at least one StepTask, got {tasks!r}")
    computed = sum(task.end_s - task.start_s for task in tasks if not task.on_network)
    return max(task.end_s for task in tasks) - computed


def held_over_step(
    tasks: Sequence[StepTask], *, stage: int, ranks: int, layers: int, recipe: Recipe | str = "mixed-adam"
) -> list[tuple[float, float, float, float, float]]:
    """Return what a rank holds during a step, as bytes for each parameter of the model.

    Args:
        tasks: of the step, from ``sharded_step`` with the same stage and layers.
        stage: 0, 1, 2 or 3.
        ranks: ranks of the group, at least 2.
        layers: equal layers of the model.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.

    Returns:
        Pieces of time: start and end in seconds, and bytes of weights, of gradients and of optimizer state.

    Source: ``zero_state_bytes`` and, for a layer that is whole for a moment, ``zero_buffer_bytes``.
    Convention: a gathered layer is held, besides the shards, from the start of its gather to the end of its run;
        in stages 2 and 3 a layer's whole gradient from the start of its backward pass to the end of its reduction.
    Leaves out: activations; buffers of the collectives.

    Example:
        >>> tasks = sharded_step(stage=3, layers=2, forward_s=2.0, gather_s=1.0, reduce_s=1.0)
        >>> max(sum(held[2:]) for held in held_over_step(tasks, stage=3, ranks=4, layers=2))
        7.0
    """
    exposed_communication_s(tasks)  # refuses what are no tasks
    kept, ranks, layers = RECIPES.find(recipe), positive_integer("ranks", ranks), positive_integer("layers", layers)
    state = zero_state_bytes(ranks * layers, ranks=ranks, stage=stage, recipe=kept)
    count = ranks * layers
    weights, gradients, optimizer = state.parameters / count, state.gradients / count, state.optimizer / count
    whole: list[tuple[float, float, str]] = []
    for task in tasks:
        starts = [other for other in tasks if other.micro_batch == task.micro_batch and other.layer == task.layer]
        if task.name == "gather" and stage == 3:
            whole.append(
                (task.start_s, min(t.end_s for t in starts if _runs(t) and t.start_s >= task.end_s), "weights")
            )
        if task.name == "reduce" and stage >= 2:
            whole.append((min(t.start_s for t in starts if t.name == "backward"), task.end_s, "gradients"))
    times = sorted({time for task in tasks for time in (task.start_s, task.end_s)})
    pieces = []
    for start, end in itertools.pairwise(times):
        there = [kind for first, last, kind in whole if first <= start and end <= last]
        more = {kind: there.count(kind) / layers for kind in ("weights", "gradients")}
        held = (weights + kept.parameters * more["weights"], gradients + kept.gradients * more["gradients"], optimizer)
        pieces.append((start, end, *held))
    return pieces


def _runs(task: StepTask) -> bool:
    return task.name in ("forward", "backward")
