"""Exercise: when a step ends whose layers, all different, are updated by the host."""

from __future__ import annotations

from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, inputs_for
from snippets.memory.offloading.lanes import LaneTask, run_lanes


def offloaded_step_time(
    *,
    forward_s: list[int],
    backward_s: list[int],
    gradients_s: list[int],
    update_s: list[int],
    new_weights_s: list[int],
) -> int:
    """Return when a step ends whose optimizer state lies on the host.

    The GPU runs all forward passes, first layer first, and then all backward
    passes, last layer first. Four lanes work at the same time, each on one
    layer after the other, in the order in which they come: the GPU, the link
    down, the host, the link up. A layer's gradient goes down when its backward
    pass has ended, the host updates the layer when the gradient has come, and
    the new weights go up when the update has ended. There is room for
    everything that waits.

    Args:
        forward_s: seconds of each layer's forward pass, first layer first.
        backward_s: seconds of its backward pass.
        gradients_s: seconds of its gradient's way down.
        update_s: seconds of its update.
        new_weights_s: seconds of its weights' way up.

    Returns:
        Seconds until all layers have their new weights.

    >>> offloaded_step_time(
    ...     forward_s=[1, 1], backward_s=[2, 2], gradients_s=[1, 1],
    ...     update_s=[3, 3], new_weights_s=[1, 1],
    ... )
    12
    """
    gpu, down, host, up = sum(forward_s), 0, 0, 0
    for layer in reversed(range(len(forward_s))):
        gpu += backward_s[layer]
        down = max(down, gpu) + gradients_s[layer]
        host = max(host, down) + update_s[layer]
        up = max(up, host) + new_weights_s[layer]
    return up


def simulated(
    *,
    forward_s: list[int],
    backward_s: list[int],
    gradients_s: list[int],
    update_s: list[int],
    new_weights_s: list[int],
) -> Any:
    """Run the tasks on their lanes, event by event."""
    tasks = [LaneTask("forward", "GPU", sum(forward_s))]
    before = 0
    for layer in reversed(range(len(forward_s))):
        first = len(tasks)
        tasks += [
            LaneTask("backward", "GPU", backward_s[layer], (before,)),
            LaneTask("gradients", "down", gradients_s[layer], (first,)),
            LaneTask("update", "host", update_s[layer], (first + 1,)),
            LaneTask("new weights", "up", new_weights_s[layer], (first + 2,)),
        ]
        before = first
    return max(times.end_s for times in run_lanes(tasks))


def layers(*rows: tuple[int, int, int, int, int]) -> Inputs:
    return columns(*([row[place] for row in rows] for place in range(5)))


columns = inputs_for(offloaded_step_time)


def waits_for_all_gradients(
    forward_s: list[int], backward_s: list[int], gradients_s: list[int], update_s: list[int], new_weights_s: list[int]
) -> int:
    gpu, down = sum(forward_s), 0
    for layer in reversed(range(len(forward_s))):
        gpu += backward_s[layer]
        down = max(down, gpu) + gradients_s[layer]
    host, up = down, 0
    for layer in reversed(range(len(forward_s))):
        host += update_s[layer]
        up = max(up, host) + new_weights_s[layer]
    return up


def takes_equal_layers(
    forward_s: list[int], backward_s: list[int], gradients_s: list[int], update_s: list[int], new_weights_s: list[int]
) -> int:
    of_one = backward_s[0], gradients_s[0], update_s[0], new_weights_s[0]
    return sum(forward_s) + sum(of_one) + (len(forward_s) - 1) * max(of_one)


def no_room_on_the_host(
    forward_s: list[int], backward_s: list[int], gradients_s: list[int], update_s: list[int], new_weights_s: list[int]
) -> int:
    gpu, down, host, up, begun = sum(forward_s), 0, 0, 0, 0
    for layer in reversed(range(len(forward_s))):
        gpu += backward_s[layer]
        down = max(down, gpu, begun) + gradients_s[layer]
        begun = max(host, down)
        host = begun + update_s[layer]
        up = max(up, host) + new_weights_s[layer]
    return up


def host_waits_for_the_link(
    forward_s: list[int], backward_s: list[int], gradients_s: list[int], update_s: list[int], new_weights_s: list[int]
) -> int:
    gpu, down, host, up, begun = sum(forward_s), 0, 0, 0, 0
    for layer in reversed(range(len(forward_s))):
        gpu += backward_s[layer]
        down = max(down, gpu) + gradients_s[layer]
        host = max(host, down, begun) + update_s[layer]
        begun = max(up, host)
        up = begun + new_weights_s[layer]
    return up


EXERCISE = Exercise(
    offloaded_step_time,
    number=2,
    level="medium",
    asked="the seconds until all layers have their new weights",
    expected=simulated,
    examples=[
        layers((1, 2, 1, 3, 1), (1, 2, 1, 3, 1)),
        layers((1, 2, 1, 3, 1)),
        layers((1, 2, 5, 1, 1), (1, 2, 1, 1, 1)),
        layers((1, 2, 1, 1, 1), (1, 9, 5, 1, 1)),
        layers((2, 4, 3, 1, 3), (1, 2, 1, 6, 1), (3, 6, 2, 2, 2)),
        columns([1, 1, 1], [1, 1, 1], [5, 1, 1], [1, 1, 9], [1, 1, 1]),
        columns([1] * 5, [5, 1, 1, 1, 1], [5, 1, 2, 1, 9], [9, 1, 1, 2, 5], [1, 2, 2, 9, 1]),
        columns([1] * 6, [9, 1, 1, 1, 1, 1], [9, 2, 5, 1, 5, 1], [5, 1, 2, 1, 9, 2], [1, 1, 1, 5, 5, 5]),
        layers(*[(7, 14, 7, 20, 7)] * 32),
    ],
    inputs=lambda st: st.lists(st.tuples(*[st.integers(1, 9)] * 5), min_size=3, max_size=6).map(
        lambda rows: layers(*rows)
    ),
    draws=60,
    units={"result": "s"},
    mistakes=[
        Mistake(
            "goes_through_the_first_layer_first",
            "The backward pass begins with the last layer, so its gradient is the first to go down.",
            {"reversed(range(len(forward_s)))": "range(len(forward_s))"},
        ),
        Mistake(
            "starts_with_the_first_backward_pass",
            "The forward passes come before the first backward pass.",
            {"gpu, down, host, up = sum(forward_s)": "gpu, down, host, up = 0"},
        ),
        Mistake(
            "never_queues",
            "A lane does one layer after the other: a gradient waits while the one before it still goes down.",
            {"max(down, gpu)": "gpu", "max(host, down)": "down", "max(up, host)": "host"},
        ),
        Mistake(
            "waits_for_all_gradients",
            "An update begins when its own gradient has come; only clipping by the global norm waits for all.",
            waits_for_all_gradients,
        ),
        Mistake(
            "one_lane_for_the_link",
            "The two directions of the link are two lanes: new weights come up while gradients go down.",
            {"down = max(down, gpu)": "down = max(down, gpu, up)"},
        ),
        Mistake(
            "ends_with_the_last_update",
            "The step ends when the new weights have come up.",
            {"return up": "return host"},
        ),
        Mistake(
            "takes_equal_layers",
            "Layers differ: the formula with one maximum is for equal ones.",
            takes_equal_layers,
        ),
        Mistake(
            "no_room_on_the_host",
            "A gradient that has come can wait on the host, so the next one may go down meanwhile.",
            no_room_on_the_host,
        ),
        Mistake(
            "host_waits_for_the_link",
            "New weights can wait for the link up while the host goes on with the next update.",
            host_waits_for_the_link,
        ),
    ],
)
