"""Drawings: the live figure of chapter 24: a step with state on the host, over PCIe or NVLink-C2C."""

from __future__ import annotations

from typing import Any

from snippets.domain import named, of_kind, positive_integer
from snippets.hardware import ACCELERATORS, LINKS
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.live.stacks import gigabytes
from snippets.memory.offloading.formulas import offloaded_activations_step_s
from snippets.memory.offloading.host_memory import HOSTS
from snippets.memory.offloading.lane_drawings import NAMES, offload_lanes_panel
from snippets.memory.offloading.timeline import OffloadedStep, offloaded_step
from snippets.models import MODELS, Attention, parameter_parts

MODELS_SHOWN = ("Llama 3 8B", THE_70B.model_name)
LINKS_SHOWN = ("PCIe 3.0 x16", "PCIe 4.0 x16", "PCIe 5.0 x16", "NVLink-C2C (Grace Hopper)")
STATES = {
    "optimizer": "optimizer state",
    "weights": "optimizer state and weights",
    "inputs": "activations: a layer's input",
    "activations": "activations: all",
}
RATES = {
    "plan": "40% of the peak, 80% of the link, half of the memory",
    "half": "half of the peak, all of link and memory",
    "run": "65% of the peak, 80% of link and memory",
}
"""What is reached: of the GPU's peak, and of the data sheets of the link and of the host's memory."""
_REACHED = {
    "plan": (0.4, 0.8, 0.5),
    "half": (0.5, 1.0, 1.0),
    "run": (THE_70B.matmul_utilization, THE_70B.link_share, THE_70B.link_share),
}
CLIPPING = {"yes": "by the global norm", "no": "none"}
SPEED = ACCELERATORS["H100 SXM"].peaks.bf16 or 1
UPDATE_BYTES = 28


def layer_parameters(model: str) -> int:
    """Return the parameters of a layer of a model.

    Args:
        model: a name in ``MODELS_SHOWN``.

    >>> layer_parameters("Llama 3 8B")
    218112000
    """
    chosen = MODELS[named("model", model, MODELS_SHOWN)]
    parts = parameter_parts(chosen)
    return (parts.attention + parts.feed_forward) // chosen.layers + 2 * chosen.hidden


def kept_bytes(state: str, model: str = "Llama 3 8B") -> float:
    """Return what a layer keeps for each token and channel: its input, or all (without the log-sum-exp).

    Args:
        state: ``"inputs"`` or ``"activations"``.
        model: a name in ``MODELS_SHOWN``.

    >>> kept_bytes("inputs"), kept_bytes("activations"), kept_bytes("activations", "Llama 3 70B")
    (2.0, 41.0, 40.5)
    """
    chosen = MODELS[named("model", model, MODELS_SHOWN)]
    if named("state", state, ("inputs", "activations")) == "inputs" or chosen.feed_forward is None:
        return 2.0
    attention, width = chosen.attention, chosen.feed_forward.width
    groups = attention.key_value_heads / attention.heads if isinstance(attention, Attention) else 0
    return 12 + 4 * groups + 8 * width / chosen.hidden


LAYER = layer_parameters("Llama 3 8B")


def layer_seconds(
    state: str,
    *,
    tokens: int,
    link: str,
    host: str,
    model: str = "Llama 3 8B",
    ranks: int = 1,
    sharing: int = 1,
    rates: str = "half",
) -> dict[str, Any]:
    """Return what ``offloaded_step`` is told of a layer of a model on an H100.

    Args:
        state: a name in ``STATES``.
        tokens: of the step.
        link: a name in ``LINKS``.
        host: a name in ``HOSTS``.
        model: a name in ``MODELS_SHOWN``.
        ranks: GPUs that share the state, each with an equal shard of a layer.
        sharing: GPUs that share the host's memory.
        rates: a name in ``RATES``.

    Returns:
        Seconds by argument.

    >>> times = layer_seconds("optimizer", tokens=8192, link="PCIe 5.0 x16", host="DDR5-4800, 8 channels")
    >>> round(times["update_s"], 4)
    0.0199
    """
    state, tokens = named("state", state, STATES), positive_integer("tokens", tokens)
    of_peak, of_link, of_memory = _REACHED[named("rates", rates, RATES)]
    layer = layer_parameters(model)
    shard = layer / positive_integer("ranks", ranks)
    forward_s = 2 * layer * tokens / (of_peak * SPEED)
    way = of_link * LINKS[link].bandwidth_bytes_per_s
    memory = of_memory * HOSTS[host].bandwidth_bytes_per_s / positive_integer("sharing", sharing)
    seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
    if state in ("optimizer", "weights"):
        seconds["gradients_s"] = 2 * shard / way
        seconds["update_s"] = UPDATE_BYTES * shard / memory
        seconds["weights_s" if state == "weights" else "new_weights_s"] = 2 * shard / way
    else:
        seconds["activations_s"] = kept_bytes(state, model) * MODELS[model].hidden * tokens / way
    return seconds


def micro_batch_s(layers: int, seconds: dict[str, Any]) -> float:
    """Return how long a micro-batch takes that is not the step's last: no gradient goes down yet.

    Args:
        layers: equal layers of the model.
        seconds: of a layer, as ``layer_seconds`` has them.

    Returns:
        Seconds. The first layer's weights are still there from the micro-batch before.

    >>> micro_batch_s(2, {"forward_s": 1.0, "backward_s": 2.0, "gradients_s": 5.0, "update_s": 9.0})
    6.0
    """
    count, seconds = positive_integer("layers", layers), of_kind("seconds", seconds, dict)
    if not {"forward_s", "backward_s"} <= set(seconds):
        raise ValueError(f"seconds must hold forward_s and backward_s, got {seconds!r}")
    forward_s, backward_s, weights_s = seconds["forward_s"], seconds["backward_s"], seconds.get("weights_s", 0.0)
    if seconds.get("activations_s"):
        return offloaded_activations_step_s(
            layers=count, forward_s=forward_s, backward_s=backward_s, activations_s=seconds["activations_s"]
        )
    others = max(forward_s, weights_s) + max(backward_s, weights_s)
    return float(forward_s + backward_s + (count - 1) * others)


@live_figure(
    title="Which lane is the slow one?",
    caption="The last micro-batch of a step on an H100, and the update. F and B are passes, G gradients, U updates, W "
    "weights, A activations. If R GPUs share the state, the host of each updates 1/R of every layer; the gathers "
    "between GPUs are not drawn. Change the link, then the host's memory: which of the two shortens the step? Then add "
    "micro-batches.",
    knobs=[
        Number("micro_batches", "Micro-batches m", 1, 1, 256, step=2, scale="log"),
        Choice("clip", "Clipping", CLIPPING, "yes"),
        Number("tokens", "Tokens x of each", 8192, 512, 131_072, step=2, scale="log"),
        Choice("state", "Offloaded", STATES, "optimizer"),
        Choice("link", "Link", {name: name for name in LINKS_SHOWN}, "PCIe 5.0 x16"),
        Choice("host", "Host's memory", {name: name for name in HOSTS}, "DDR5-4800, 8 channels"),
        Number("layers", "Layers L", 32, 2, 80),
        Choice("model", "Model", {name: name for name in MODELS_SHOWN}, "Llama 3 8B"),
        Number("ranks", "Ranks R", 1, 1, 1024, step=2, scale="log"),
        Number("sharing", "GPUs on a host", 1, 1, 8),
        Choice("rates", "Reached", RATES, "plan"),
    ],
    named=[
        Named(
            "The question: one micro-batch",
            "The host works for 1,272.3 ms, and with clipping the GPU has nothing to do meanwhile.",
            {"micro_batches": 1},
        ),
        Named(
            "The same over NVLink-C2C",
            "A link seven times as fast leaves the host's 1,272.3 ms as they were, and the GPU still waits.",
            {"link": "NVLink-C2C (Grace Hopper)"},
        ),
        Named(
            "All activations over PCIe 5.0",
            "Each layer's activations need 27.3 ms a way, its forward pass 9.0 ms; the last layer's stay.",
            {"layers": 8, "state": "activations"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Offloading costs next to nothing, 1.5 ms for a layer's update; but it frees only 3.2 GB of 80.",
            {
                "micro_batches": 2,
                "layers": THE_70B.model.layers,
                "model": THE_70B.model_name,
                "ranks": THE_70B.ranks,
                "sharing": 4,
                "rates": "run",
            },
        ),
    ],
    opens="The question: one micro-batch",
)
def offload_lanes(
    micro_batches: int,
    clip: str,
    tokens: int,
    state: str,
    link: str,
    host: str,
    layers: int,
    model: str,
    ranks: int,
    sharing: int,
    rates: str,
) -> Picture:
    """Simulate a step and draw its lanes."""
    seconds = layer_seconds(
        state, tokens=tokens, link=link, host=host, model=model, ranks=ranks, sharing=sharing, rates=rates
    )
    updated = state in ("optimizer", "weights")
    step = offloaded_step(layers=layers, **seconds, clip=updated and clip == "yes")
    end, busy = float(step.end_s), {lane: float(time) for lane, time in step.busy_s.items()}
    title = f"{layers} layers, {tokens:,} tokens, {STATES[state]} over {link}"
    panel = offload_lanes_panel(step, title=title, scale_s=end, unit_s=0.001)
    short = f"{layers} layers, {tokens:,} tokens over {link.split(' (')[0]}:\n{STATES[state]}"
    narrow = offload_lanes_panel(step, title=short, scale_s=end, unit_s=0.001, width_px=340)
    lanes = ", ".join(f"{NAMES[lane]} {_ms(time)} ms" for lane, time in busy.items() if time)
    earlier = (micro_batches - 1) * (micro_batch_s(layers, seconds) if micro_batches > 1 else 0.0)
    share = micro_batches * busy["GPU"] / (earlier + end)
    drawn = f" The last micro-batch, which is drawn, takes {_ms(end)} ms of it." if micro_batches > 1 else ""
    numbers = (
        f"The step takes {_ms(earlier + end)} ms, and the GPU computes for {share:.1%} of it.{drawn} The lanes work "
        f"for: {lanes}. {_layer(seconds)} {_leaves(state, model, layers, ranks, tokens)}"
    )
    alt = f"Lanes of blocks on a time axis: {title}. The step ends at {_ms(end)} ms. {_idle(step)}"
    idle = () if updated else ("clip", "host", "ranks", "sharing")
    return Picture(panels=[panel], numbers=numbers, alt=alt, idle=idle, narrow=[narrow])


def _leaves(state: str, model: str, layers: int, ranks: int, tokens: int) -> str:
    """Say what leaves the memory of the GPU."""
    if state in ("optimizer", "weights"):
        size = (12 if state == "optimizer" else 14) * layers * layer_parameters(model) / ranks
    else:
        size = kept_bytes(state, model) * MODELS[model].hidden * tokens * (layers - 1)
    return f"For each GPU of 80 GB, the host keeps {gigabytes(size)} of {STATES[state].split(':')[0]}."


def _layer(seconds: dict[str, Any]) -> str:
    """Say what one layer needs of each lane."""
    names = {
        "forward_s": "forward",
        "backward_s": "backward",
        "gradients_s": "gradient down",
        "update_s": "update",
        "new_weights_s": "weights up",
        "weights_s": "weights up, twice",
        "activations_s": "activations, each way",
    }
    return f"A layer, in ms: {', '.join(f'{names[key]} {_ms(time)}' for key, time in seconds.items())}."


def _idle(step: OffloadedStep) -> str:
    """Say which lane works most."""
    busy = {lane: float(time) for lane, time in step.busy_s.items()}
    return f"Most work has the lane: {NAMES[max(busy, key=lambda lane: busy[lane])]}."


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f}"
