"""Drawings: the live figure of chapter 30: bits, network and tokens, and what a step then waits and errs."""

from __future__ import annotations

from math import ceil, log, log2

from snippets.drawing import Panel
from snippets.efficiency.compression.formulas import (
    block_quantised_element_bytes,
    block_quantising_s,
    block_rounding_error,
    compressed_layer_clocks,
    float_rounding_error,
    node_copy_wait_s,
    one_shot_quantised_error,
    ring_requantised_error,
    two_hop_quantised_error,
)
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

_WIDTH = 328
_BLOCKS, _PEAKS, _MEMORY_SHARE = {"8": 256, "4": 8192}, {"8": 3.1, "4": 4.0}, 0.8
_BITS = {"16": "16 bits", "8": "8 bits", "4": "4 bits"}
_SUMMED = {"32": "32 bits", **_BITS}
_COPY = {"no": "no", "yes": "in each node"}
_WAYS = {"ring": "ring", "two-hop": "two hops", "one-shot": "one shot"}
_PARTS = {"computing": "forward", "rounding": "activations", "waiting": "idle"}


@live_figure(
    title="Fewer bits: what do you wait, and what do you lose?",
    caption="Give the weights 8 bits, then a copy in each node, and then the gradients fewer bits: when does nothing "
    "move any more? The model is Llama 3 70B, sharded over all GPUs in nodes of eight, a layer at a time, and all "
    "activations are recomputed. In 8 bits, blocks of 256 share a scale, in 4 bits DeepSpeed's blocks of 8,192; a "
    "block's largest element is 3.1 or 4 times its RMS, as with normal numbers. Rounding or restoring an array passes "
    "it through the GPU's memory once, at 80% of its rate. The GPUs' gradients are assumed independent; 16 bits are "
    "bfloat16, 32 are FP32.",
    knobs=[
        Number("network", "Network of a node, Gb/s", 400, 50, 3200, 2, "log"),
        Number("tokens", "Tokens of a GPU x", 8192, 512, 32_768, 2, "log"),
        Number("nodes", "Nodes of 8 GPUs", 32, 1, 512, 2, "log"),
        Choice("weights", "Weights travel in", _BITS, "16"),
        Choice("copy", "A copy of the weights", _COPY, "no"),
        Choice("gradients", "Gradients travel in", _SUMMED, "16"),
        Choice("way", "Gradients are added by", _WAYS, "ring"),
    ],
    named=[
        Named(
            "The question",
            "All in 16 bits, a micro-batch takes 10.9 s, and for 34.1% of it the GPUs wait.",
            {"network": 400},
        ),
        Named(
            "Weights in 8 bits",
            "One switch, and it takes 7.64 s. The gradients are added as before.",
            {"weights": "8"},
        ),
        Named(
            "And a copy in each node",
            "It takes 7.51 s, and the network has room to spare in the backward pass.",
            {"weights": "8", "copy": "yes"},
        ),
        Named(
            "Gradients in 4 bits too",
            "Nothing is gained: 7.61 s. But the sum of the gradients is now off by 22.4%.",
            {"weights": "8", "copy": "yes", "gradients": "4", "way": "two-hop"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "With 3200 Gb/s a node, 16 bits wait for 0.282% of the time: send anything in fewer, and it gets slower.",
            {"network": 3200},
        ),
    ],
    opens="The question",
)
def compression_figure(
    *, network: int, tokens: int, nodes: int, weights: str, copy: str, gradients: str, way: str
) -> Picture:
    """Draw what a step waits and what its sum is off by."""
    job, inside = THE_70B, THE_70B.node.accelerators
    layer, ranks = job.parameters / job.model.layers, nodes * inside
    forward = 2 * layer * tokens / job.matmul_flops_per_s
    backward = 3 * forward  # recomputes everything

    def clocks(of_ranks: int) -> tuple[float, float]:
        return compressed_layer_clocks(
            way,
            weights_bytes=layer * _bytes(weights),
            gradients_bytes=layer * _bytes(gradients),
            ranks=of_ranks,
            node_ranks=inside,
            latency_s=job.latency_s,
            node_bytes_per_s=job.link_share * job.node_bytes_per_s,
            network_bytes_per_s=job.link_share * network * 1e9 / 8,
        )

    gather, reduce = clocks(ranks)
    again = clocks(inside)[0] if copy == "yes" else gather
    wait = node_copy_wait_s(
        layers=job.model.layers,
        forward_s=forward,
        backward_s=backward,
        gather_s=gather,
        node_gather_s=again,
        reduce_s=reduce,
    )
    memory = _MEMORY_SHARE * job.node.accelerator.memory_bandwidth_bytes_per_s
    rounding = sum(
        2 * block_quantising_s(elements=layer, memory_bytes_per_s=memory, block_element_bytes=_bytes(bits))
        for bits in (weights, gradients)
        if bits in ("8", "4")
    )
    busy = (forward + backward + rounding) * job.model.layers
    share = wait / (wait + busy)
    rounded = rounding * job.model.layers / (wait + busy)
    once = _error(gradients)
    error = {
        "ring": ring_requantised_error(rounding_error=once, ranks=ranks),
        "two-hop": two_hop_quantised_error(rounding_error=once, ranks=ranks, node_ranks=inside),
        "one-shot": one_shot_quantised_error(rounding_error=once, ranks=ranks),
    }[way]
    copied = ", a copy of the weights in each node" if copy == "yes" else ""
    numbers = (
        f"With {network} Gb/s a node, weights in {weights} bits{copied} and gradients in {gradients}, "
        f"a layer's gather takes {_ms(gather)}, in the backward pass {_ms(again)}, and its reduction {_ms(reduce)}, "
        f"beside {_ms(forward)} of forward and {_ms(backward)} of backward pass; rounding takes {_ms(rounding)}. "
        f"A micro-batch takes {_ms(wait + busy)}, and for {_percent(share)} of it the GPUs wait. The weights are off "
        f"by {_percent(_error(weights))}, and the sum of the gradients by {_percent(error)}."
    )
    alt = (
        f"First: bars of a layer's clocks; forward {_ms(forward)} beside a gather of {_ms(gather)}, backward "
        f"{_ms(backward)} beside a gather and a reduction of {_ms(again + reduce)}; below, a bar of the time that "
        f"is waited, {_percent(share)}, and that rounding takes, {_percent(rounded)}. Second: bars of errors; "
        f"weights {_percent(_error(weights))}, the sum "
        f"of gradients {_percent(error)}."
    )
    passes = [("Forward, one layer", forward, (gather,)), ("Backward, one layer", backward, (again, reduce))]
    return Picture([_clocks(passes, share, rounded), _errors(_error(weights), once, error, way)], numbers, alt)


def _bytes(bits: str) -> float:
    return int(bits) / 8 if bits in ("32", "16") else block_quantised_element_bytes(bits=int(bits), block=_BLOCKS[bits])


def _error(bits: str) -> float:
    if bits in ("32", "16"):
        return float_rounding_error(fraction_bits=23 if bits == "32" else 7)
    return block_rounding_error(bits=int(bits), peak=_PEAKS[bits])


def _ms(seconds: float) -> str:
    if seconds == 0:
        return "no time"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _percent(share: float) -> str:
    return "less than 0.001%" if 0 < share < 1e-5 else f"{100 * share:.3g}%"


def _clocks(passes: list[tuple[str, float, tuple[float, ...]]], share: float, rounded: float) -> Panel:
    """Draw a layer's passes beside their traffic, and shares of waiting and rounding; the axis grows by doubling."""
    panel = Panel(_WIDTH, 236)
    longest = max(max(compute, sum(parts)) for _, compute, parts in passes)
    until = 0.1 * 2.0 ** max(0, ceil(log2(longest / 0.1)))
    scale = (_WIDTH - 4) / until
    y = 0.0
    for title, compute, parts in passes:
        panel.text(0, y + 14, title, bold=True)
        panel.text(_WIDTH - 2, y + 14, f"axis to {_ms(until)}", anchor="end", size=12, colour="muted")
        panel.rectangle(2, y + 24, compute * scale, 16, colour="forward", strength=0.5)
        x = 2.0
        for part, hue in zip(parts, ("communication", "optimizer"), strict=False):
            panel.rectangle(x, y + 44, part * scale, 16, colour=hue, strength=0.5)
            x += part * scale
        words = f"GPU {_ms(compute)}, network {_ms(sum(parts))}"
        panel.text(2, y + 74, words, size=12, colour="muted")
        y += 86
    panel.text(0, y + 14, f"Waiting {_percent(share)}, rounding {_percent(rounded)} of the time", bold=True)
    x = 2.0
    shares = {"computing": 1 - share - rounded, "rounding": rounded, "waiting": share}
    for part, hue in ((shares[name], hue) for name, hue in _PARTS.items()):
        panel.rectangle(x, y + 24, (_WIDTH - 4) * part, 22, colour=hue, strength=0.5)
        x += (_WIDTH - 4) * part
    for number, (name, hue) in enumerate(_PARTS.items()):
        x = 2 + (_WIDTH - 4) / 3 * number
        panel.rectangle(x, y + 52, 10, 10, colour=hue, strength=0.5)
        panel.text(x + 15, y + 61, name, size=12, colour="muted")
    return panel


def _errors(weights: float, once: float, error: float, way: str) -> Panel:
    """Draw errors as bars on a logarithmic axis, from a hundredth of a per cent on."""
    panel = Panel(_WIDTH, 236)
    low, high = 1e-4, 10.0
    panel.text(0, 14, "Error, RMS over RMS", bold=True)
    rows = (
        ("weights, as gathered", weights, "communication"),
        ("one GPU's gradient, rounded once", once, "muted"),
        (f"sum of gradients, {_WAYS[way]}", error, "optimizer"),
    )

    def place(value: float) -> float:
        return 2 + (_WIDTH - 60) * log(min(max(value, low), high) / low) / log(high / low)

    for number, (name, value, hue) in enumerate(rows):
        y = 34.0 + 58 * number
        panel.text(0, y + 8, name, size=12)
        panel.rectangle(2, y + 14, place(value) - 2, 20, colour=hue, strength=0.5)
        panel.text(place(value) + 6, y + 24, _percent(value), middle=True, size=12)
    bottom = 208.0
    panel.line(2, bottom, _WIDTH - 58, bottom)
    for tick in (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0):
        panel.line(place(tick), bottom, place(tick), bottom + 4)
        if tick > low:
            panel.text(place(tick), bottom + 18, f"{100 * tick:g}%", anchor="middle", size=12, colour="muted")
    return panel
