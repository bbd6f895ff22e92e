"""Simulators: a step with state in the host's memory: who computes, what moves, what the device holds, when."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import as_float, flag, nonnegative_exact, nonnegative_integer, positive_integer
from snippets.memory.offloading.lanes import Holding, LaneTask, TaskTimes, Time, held_over_run, run_lanes

LANES = ("GPU", "down", "host", "up", "read", "write")
MOST_LAYERS = 1000

_TIMES = "forward_s, backward_s, gradients_s, update_s, new_weights_s, weights_s, activations_s and drive_s"


@dataclass(frozen=True)
class OffloadedStep:
    """A step that was simulated.

    Attributes:
        tasks: what was done, on ``LANES``: the device, the link to the host, the host's processor, the link back, and
            the two directions of the host's drive.
        times: when, in the order of ``tasks``.
        holdings: what the device holds of layers that come and go, in bytes where sizes were given.

    >>> offloaded_step(layers=2, forward_s=1, backward_s=2).end_s
    6
    """

    tasks: tuple[LaneTask, ...]
    times: tuple[TaskTimes, ...]
    holdings: tuple[Holding, ...] = ()

    @property
    def end_s(self) -> Time:
        """When all is done: the length of the step.

        >>> OffloadedStep((LaneTask("forward", "GPU", 2),), (TaskTimes(0, 2),)).end_s
        2
        """
        return max(one.end_s for one in self.times)

    @property
    def busy_s(self) -> dict[str, Time]:
        """For how long each lane worked.

        >>> OffloadedStep((LaneTask("forward", "GPU", 2),), (TaskTimes(0, 2),)).busy_s["GPU"]
        2
        """
        busy: dict[str, Time] = dict.fromkeys(LANES[:4], 0)
        for task in self.tasks:
            busy[task.lane] = busy.get(task.lane, 0) + task.seconds
        return busy

    @property
    def held(self) -> tuple[tuple[Time, Time, dict[str, int]], ...]:
        """What the device holds of layers that come and go, stretch by stretch.

        >>> OffloadedStep((LaneTask("forward", "GPU", 2),), (TaskTimes(0, 2),)).held
        ((0, 2, {}),)
        """
        return held_over_run(self.times, self.holdings)

    @property
    def peak_bytes(self) -> int:
        """The most that the device holds of layers that come and go.

        >>> OffloadedStep((LaneTask("forward", "GPU", 2),), (TaskTimes(0, 2),)).peak_bytes
        0
        """
        return max(sum(held.values()) for _, _, held in self.held)


def offloaded_step(
    *,
    layers: int,
    forward_s: Time,
    backward_s: Time,
    gradients_s: Time = 0,
    update_s: Time = 0,
    new_weights_s: Time = 0,
    weights_s: Time = 0,
    activations_s: Time = 0,
    drive_s: Time = 0,
    clip: bool = False,
    gradient_bytes: int = 0,
    weight_bytes: int = 0,
    activation_bytes: int = 0,
) -> OffloadedStep:
    """Simulate one step of equal layers; what takes no time is not offloaded, and has no task.

    Args:
        layers: layers of the model, at most 1,000.
        forward_s: seconds of a layer's forward pass, at least 0.
        backward_s: seconds of its backward pass, at least 0.
        gradients_s: seconds in which a layer's gradient goes to the host, at least 0.
        update_s: seconds in which the host updates a layer, at least 0.
        new_weights_s: seconds in which a layer's new weights come back after its update, at least 0.
        weights_s: seconds in which a layer's weights come from the host, before its forward pass and again before its
            backward pass, at least 0.
        activations_s: seconds in which what a layer keeps for its backward pass goes to the host or comes back, at
            least 0. The last layer's stay: they are needed next.
        drive_s: seconds in which a layer's optimizer state is read from the host's drive, or written to it, at least 0.
            The host has room for three layers, one read ahead, one updated, one written; the drive reads and writes at
            once.
        clip: whether no layer is updated before the host has all gradients, as clipping by the global norm asks for.
        gradient_bytes: of a layer, for what the device holds, at least 0.
        weight_bytes: likewise, of a layer that is fetched, at least 0.
        activation_bytes: likewise, at least 0.

    Returns:
        The step. It ends when all is done.

    Raises:
        ValueError: there are more than 1,000 layers, a time or size is negative, or all times together fit no float.

    Source: derived; Ren et al. 2021 and Rajbhandari et al. 2021 describe such schedules.
    Convention: the link is full duplex: a lane for each direction, each with all of its bandwidth. One layer ahead is
        fetched. Of each kind, the device has room for two layers that come and go: the one at work, and one that
        comes or leaves. On the way up, what the backward pass waits for goes before new weights.
    Leaves out: that lanes slow each other down; latency; what is outside the layers.

    Example:
        >>> step = offloaded_step(layers=2, forward_s=1, backward_s=2, gradients_s=1, update_s=3, new_weights_s=1)
        >>> step.end_s, step.busy_s
        (12, {'GPU': 6, 'down': 2, 'host': 6, 'up': 2})
    """
    count = positive_integer("layers", layers)
    if count > MOST_LAYERS:
        raise ValueError(f"layers must be at most {MOST_LAYERS:,}, got {layers!r}")
    named = {
        "forward": nonnegative_exact("forward_s", forward_s),
        "backward": nonnegative_exact("backward_s", backward_s),
        "gradients": nonnegative_exact("gradients_s", gradients_s),
        "update": nonnegative_exact("update_s", update_s),
        "new weights": nonnegative_exact("new_weights_s", new_weights_s),
        "weights": nonnegative_exact("weights_s", weights_s),
        "activations": nonnegative_exact("activations_s", activations_s),
        "drive": nonnegative_exact("drive_s", drive_s),
    }
    sizes = {
        "gradients": nonnegative_integer("gradient_bytes", gradient_bytes),
        "parameters": nonnegative_integer("weight_bytes", weight_bytes),
        "activations": nonnegative_integer("activation_bytes", activation_bytes),
    }
    step = _Step(count, named, flag("clip", clip))
    step.forward()
    step.backward()
    step.update()
    as_float(_TIMES, sum(float(task.seconds) for task in step.tasks))  # the end is not later
    times = run_lanes(step.tasks)
    return OffloadedStep(tuple(step.tasks), times, tuple(step.holdings(sizes)))


class _Step:
    """The tasks of a step, as they are listed: an earlier one goes first where a lane can choose."""

    def __init__(self, layers: int, seconds: dict[str, Time], clip: bool) -> None:
        self.layers, self.seconds, self.clip = layers, seconds, clip
        self.tasks: list[LaneTask] = []
        self.number: dict[tuple[str, int], int] = {}

    def add(self, key: str, layer: int, lane: str, after: list[tuple[str, int]], seconds: str = "") -> None:
        """Add a task after those that there are; one that takes no time is left out, unless the device does it."""
        length = self.seconds[seconds or key]
        if not length and lane != "GPU":
            return
        before = tuple(self.number[name] for name in after if name in self.number)
        self.number[key, layer] = len(self.tasks)
        self.tasks.append(LaneTask(key, lane, length, before, layer))

    def forward(self) -> None:
        for layer in range(self.layers):
            self.add("fetch", layer, "up", [("forward", layer - 2)], "weights")
            ready = [("forward", layer - 1), ("fetch", layer), ("store", layer - 2)]
            self.add("forward", layer, "GPU", ready)
            if layer < self.layers - 1:
                self.add("store", layer, "down", [("forward", layer)], "activations")

    def backward(self) -> None:
        last = ("forward", self.layers - 1)
        for layer in reversed(range(self.layers)):
            room = ("backward", layer + 2) if layer + 2 < self.layers else last
            if layer < self.layers - 1:
                self.add("load", layer, "up", [("store", layer), ("load", layer + 1), room], "activations")
                self.add("fetch again", layer, "up", [("fetch again", layer + 1), room], "weights")
            ready = [("load", layer), ("fetch again", layer), ("gradients", layer + 2)]
            self.add("backward", layer, "GPU", [("backward", layer + 1), last, *ready])
            self.add("gradients", layer, "down", [("backward", layer)])

    def update(self) -> None:
        for layer in reversed(range(self.layers)):
            all_of_them = [("gradients", other) for other in range(self.layers)] if self.clip else []
            made = ("gradients", layer) if ("gradients", layer) in self.number else ("backward", layer)
            self.add("read", layer, "read", [("update", layer + 2)], "drive")
            self.add("update", layer, "host", [made, ("read", layer), ("write", layer + 2), *all_of_them])
            self.add("new weights", layer, "up", [("update", layer)])
            self.add("write", layer, "write", [("update", layer)], "drive")

    def holdings(self, sizes: dict[str, int]) -> list[Holding]:
        """What the device holds of layers that come and go: nothing of what is not offloaded."""
        found = []
        for layer in range(self.layers):
            last = layer == self.layers - 1
            lives = []
            if ("gradients", layer) in self.number:
                lives.append(("gradients", ("backward", layer), ("gradients", layer)))
            if ("fetch", layer) in self.number:  # the last layer's weights wait for its backward pass
                lives.append(("parameters", ("fetch", layer), ("backward" if last else "forward", layer)))
                if not last:
                    lives.append(("parameters", ("fetch again", layer), ("backward", layer)))
            if ("store", layer) in self.number:
                lives.append(("activations", ("forward", layer), ("store", layer)))
                lives.append(("activations", ("load", layer), ("backward", layer)))
            elif last and ("store", layer - 1) in self.number:
                lives.append(("activations", ("forward", layer), ("backward", layer)))
            for kind, made, freed in lives:
                found.append(Holding(sizes[kind], kind, self.number[made], self.number[freed]))
        return found
