# %% in_another_order
# Right: a tuple, in another order.
from itertools import product

from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    best = None
    run = 2 * layer_parameters * tokens / flops_per_s
    way = 2 * layer_parameters / link_bytes_per_s
    for optimizer, parameters, activations in product([False, True], repeat=3):
        if parameters and not optimizer:
            continue
        held = 2 * layer_parameters * (2 if parameters else layers) + activation_bytes * (2 if activations else layers)
        held += 4 * layer_parameters if optimizer else 14 * layer_parameters * layers
        if held > memory_bytes:
            continue
        end = offloaded_step(
            layers=layers,
            forward_s=run,
            backward_s=2 * run,
            gradients_s=way * optimizer,
            new_weights_s=way * (optimizer and not parameters),
            update_s=28 * layer_parameters / host_bytes_per_s * optimizer,
            weights_s=way * parameters,
            activations_s=activation_bytes / link_bytes_per_s * activations,
        ).end_s
        names = [("activations", activations), ("weights", parameters), ("optimizer", optimizer)]
        if best is None or end < best[0]:
            best = end, tuple(name for name, away in names if away)
    return best and best[1]

# %% in_milliseconds
# Right: times in milliseconds.
from snippets.memory.offloading.timeline import offloaded_step

def choose_offload(*, layers, layer_parameters, tokens, activation_bytes, memory_bytes, flops_per_s, link_bytes_per_s, host_bytes_per_s):
    U = layer_parameters
    N = layers
    found = []
    for opt, par, act in [(0,0,0),(0,0,1),(1,0,0),(1,0,1),(1,1,0),(1,1,1)]:
        w = 2 * U * (2 if par else N)
        g = U * (4 if opt else 14 * N)
        k = activation_bytes * (2 if act else N)
        held = w + g + k
        f = 2e3 * U * tokens / flops_per_s
        b = 4e3 * U * tokens / flops_per_s
        way = 2e3 * U / link_bytes_per_s
        upd = 28e3 * U / host_bytes_per_s
        mv = 1e3 * activation_bytes / link_bytes_per_s
        s = dict(layers=N, forward_s=f, backward_s=b)
        if opt:
            s["gradients_s"] = way
            s["update_s"] = upd
            s["new_weights_s"] = way
        if par:
            s["weights_s"] = way
            s.pop("new_weights_s", None)
        if act:
            s["activations_s"] = mv
        end = offloaded_step(**s).end_s
        names = [n for n, on in (("optimizer", opt), ("weights", par), ("activations", act)) if on]
        if held <= memory_bytes:
            found.append((end, len(names), names))
    return min(found)[2] if found else None

# %% a_set
# Right: a set, because the order is free.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = weights_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return set(min(found)[2]) if found else None

# %% a_generator
# Right: yields what is offloaded; what cannot be answered so is returned.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = weights_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return (state for state in min(found)[2]) if found else None

# %% eight_layers_at_most
# Wrong: simulates no more than eight layers. It passed once.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = weights_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=min(layers, 8), **seconds)
            found.append((step.end_s, len(choice), choice))
    return min(found)[2] if found else None

# %% whole_milliseconds
# Wrong: rounds a step to milliseconds.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = weights_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((round(float(step.end_s), 3), len(choice), choice))
    return min(found)[2] if found else None

# %% new_weights_for_the_fetch
# Wrong: forgets that the weights are fetched. It was told once to compare the times.
# Known mistake: With the weights away, a layer's weights are fetched before its passes: weights_s.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["new_weights_s"] = weights_s
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return min(found)[2] if found else None

# %% another_design_for_the_fetch
# Wrong: forgets that the weights are fetched, and takes the last of equals.
# Known mistake: With the weights away, a layer's weights are fetched before its passes: weights_s.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["new_weights_s"] = weights_s
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, -len(choice), choice))
    return min(found)[2] if found else None

# %% both_fetches_in_one
# Wrong: takes weights_s for both fetches. It was told once to compare the times.
# Known mistake: weights_s is the time of one fetch: the simulator itself fetches a layer's weights twice.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = 4 * layer_parameters / link_bytes_per_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return min(found)[2] if found else None

# %% moves_no_weights
# Wrong: nothing brings the weights, neither a fetch nor after the update.
from __future__ import annotations

from typing import Any
from snippets.memory.offloading.timeline import offloaded_step


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return min(found)[2] if found else None
