"""Drawings: the live figure of chapter 24: a step with state on the host, over PCIe or NVLink-C2C."""

from __future__ import annotations

from typing import Any

from snippets.domain import named, number_between, positive_integer
from snippets.hardware import ACCELERATORS, LINKS
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.memory.offloading.host_memory import HOSTS
from snippets.memory.offloading.lane_drawings import NAMES, offload_lanes_panel
from snippets.memory.offloading.timeline import OffloadedStep, offloaded_step
from snippets.models import MODELS, parameter_parts

_LLAMA = MODELS["Llama 3 8B"]
_PARTS = parameter_parts(_LLAMA)
LAYER = (_PARTS.attention + _PARTS.feed_forward) // _LLAMA.layers + 2 * _LLAMA.hidden
LINKS_SHOWN = ("PCIe 3.0 x16", "PCIe 4.0 x16", "PCIe 5.0 x16", "NVLink-C2C (Grace Hopper)")
STATES = {
    "optimizer": "optimizer state",
    "weights": "optimizer state and weights",
    "inputs": "activations: a layer's input",
    "activations": "activations: all 41 bytes",
}
SPEED = ACCELERATORS["H100 SXM"].peaks.bf16 or 1
UPDATE_BYTES = 28
KEPT_BYTES = {"inputs": 2, "activations": 41}
"""What a layer of Llama 3 8B keeps for each token and channel: its input, or all (without the log-sum-exp)."""


def layer_seconds(state: str, *, tokens: int, link: str, host: str, share: float = 0.5) -> dict[str, Any]:
    """Return what ``offloaded_step`` is told of a layer of Llama 3 8B on an H100.

    Args:
        state: a name in ``STATES``.
        tokens: of the step.
        link: a name in ``LINKS``.
        host: a name in ``HOSTS``.
        share: of the GPU's peak that is reached.

    Returns:
        Seconds by argument.

    >>> times = layer_seconds("optimizer", tokens=8192, link="PCIe 5.0 x16", host="DDR5-4800, 8 channels")
    >>> round(times["update_s"], 4)
    0.0199
    """
    state, tokens = named("state", state, STATES), positive_integer("tokens", tokens)
    forward_s = 2 * LAYER * tokens / (number_between("share", share, low=0.001, high=1) * SPEED)
    way, memory = LINKS[link].bandwidth_bytes_per_s, HOSTS[host].bandwidth_bytes_per_s
    seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
    if state in ("optimizer", "weights"):
        seconds["gradients_s"] = 2 * LAYER / way
        seconds["update_s"] = UPDATE_BYTES * LAYER / memory
        seconds["weights_s" if state == "weights" else "new_weights_s"] = 2 * LAYER / way
    else:
        seconds["activations_s"] = KEPT_BYTES[state] * _LLAMA.hidden * tokens / way
    return seconds


@live_figure(
    title="Which lane is the slow one?",
    caption="Layers of Llama 3 8B on an H100 at half its peak. F and B are passes, G gradients, U updates, "
    "W weights, A activations. Change the link, then the host's memory: which of the two shortens the step? "
    "Then offload activations, and change the tokens.",
    knobs=[
        Number("tokens", "Tokens of a step", 8192, 512, 131_072, step=2, scale="log"),
        Choice("state", "Offloaded", STATES, "optimizer"),
        Choice("link", "Link", {name: name for name in LINKS_SHOWN}, "PCIe 5.0 x16"),
        Choice("host", "Host's memory", {name: name for name in HOSTS}, "DDR5-4800, 8 channels"),
        Number("layers", "Layers", 2, 2, 32),
    ],
    named=[
        Named(
            "The question: 32 layers, one sequence",
            "The host works for 636.2 ms of the step, each direction of the link for 221.5 ms.",
            {"layers": 32},
        ),
        Named(
            "The same over NVLink-C2C",
            "A link seven times as fast leaves the host's 636.2 ms as they were, and the GPU still waits.",
            {"layers": 32, "link": "NVLink-C2C (Grace Hopper)"},
        ),
        Named(
            "Grace's memory as well",
            "With a host that needs 381.7 ms the GPU computes for 98.0% of the step.",
            {"layers": 32, "link": "NVLink-C2C (Grace Hopper)", "host": "LPDDR5X (Grace, 480 GB)"},
        ),
        Named(
            "All activations over PCIe 5.0",
            "Each layer's activations need 21.8 ms a way, its forward pass 7.2 ms; the last layer's stay.",
            {"layers": 8, "state": "activations"},
        ),
    ],
)
def offload_lanes(tokens: int, state: str, link: str, host: str, layers: int) -> Picture:
    """Simulate a step and draw its lanes."""
    seconds = layer_seconds(state, tokens=tokens, link=link, host=host)
    step = offloaded_step(layers=layers, **seconds)
    end, busy = float(step.end_s), {lane: float(time) for lane, time in step.busy_s.items()}
    title = f"{layers} layers, {tokens:,} tokens, {STATES[state]} over {link}"
    panel = offload_lanes_panel(step, title=title, scale_s=end, unit_s=0.001)
    lanes = ", ".join(f"{NAMES[lane]} {_ms(time)} ms" for lane, time in busy.items() if time)
    numbers = (
        f"The step takes {_ms(end)} ms, and the GPU computes for {busy['GPU'] / end:.1%} of it. The lanes work for: "
        f"{lanes}. {_layer(seconds)}"
    )
    alt = f"Lanes of blocks on a time axis: {title}. The step ends at {_ms(end)} ms. {_idle(step)}"
    idle = () if state in ("optimizer", "weights") else ("host",)
    return Picture(panels=[panel], numbers=numbers, alt=alt, idle=idle)


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
