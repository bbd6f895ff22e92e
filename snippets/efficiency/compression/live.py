"""Drawings: the live figure of chapter 30: bits, network and tokens, and what a step then waits and errs."""

from __future__ import annotations

from math import log

from snippets.composition.sharded_waiting import sharded_micro_batch_wait_s
from snippets.drawing import Panel
from snippets.efficiency.compression.formulas import (
    block_quantised_element_bytes,
    block_quantising_s,
    block_rounding_error,
    compressed_layer_clocks,
    float_rounding_error,
    one_shot_quantised_error,
    ring_requantised_error,
    two_hop_quantised_error,
)
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

_WIDTH = 328
_BLOCK, _PEAK, _MEMORY_SHARE = 256, 3.1, 0.8
_BITS = {"16": "16 bits", "8": "8 bits", "4": "4 bits"}
_WAYS = {"ring": "ring", "two-hop": "two hops", "one-shot": "one shot"}
_PARTS = {"computing": "forward", "waiting": "idle"}


@live_figure(
    title="Fewer bits: what do you wait, and what do you lose?",
    caption="Give the weights 8 bits first, then the gradients, and then change how gradients are added: which "
    "panel moves? The model is Llama 3 70B, sharded over all GPUs in nodes of eight, a layer at a time; blocks of 256 "
    "share a scale, and a block's largest element is 3.1 times its RMS, as with normal numbers. Rounding or "
    "restoring an array passes it through the GPU's memory once, at 80% of its rate. The GPUs' gradients are taken for "
    "independent; 16 bits are bfloat16.",
    knobs=[
        Number("network", "Network of a node, Gb/s", 400, 50, 3200, 2, "log"),
        Number("tokens", "Tokens of a GPU x", 8192, 512, 32_768, 2, "log"),
        Number("nodes", "Nodes of 8 GPUs", 32, 1, 512, 2, "log"),
        Choice("weights", "Weights travel in", _BITS, "16"),
        Choice("gradients", "Gradients travel in", _BITS, "16"),
        Choice("way", "Gradients are added by", _WAYS, "ring"),
    ],
    named=[
        Named(
            "The question",
            "All in 16 bits, a micro-batch takes 10.9 s, and for 50.4% of it the GPUs wait.",
            {"network": 400},
        ),
        Named(
            "Weights in 8 bits",
            "One switch, and it takes 7.59 s. The gradients are added as before.",
            {"weights": "8"},
        ),
        Named(
            "Both in 8 bits",
            "In two hops it takes 6.08 s, and the sum of the gradients is off by 0.957%, less than a ring of 16 bits.",
            {"weights": "8", "gradients": "8", "way": "two-hop"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "With 3200 Gb/s a node, 16 bits wait for 0.375% of the time: send anything in fewer, and it gets slower.",
            {"network": 3200},
        ),
    ],
    opens="The question",
)
def compression_figure(*, network: int, tokens: int, nodes: int, weights: str, gradients: str, way: str) -> Picture:
    """Draw what a step waits and what its sum is off by."""
    job, inside = THE_70B, THE_70B.node.accelerators
    layer, ranks = job.parameters / job.model.layers, nodes * inside
    forward = 2 * layer * tokens / job.matmul_flops_per_s
    gather, reduce = compressed_layer_clocks(
        way,
        weights_bytes=layer * _bytes(weights),
        gradients_bytes=layer * _bytes(gradients),
        ranks=ranks,
        node_ranks=inside,
        latency_s=job.latency_s,
        node_bytes_per_s=job.link_share * job.node_bytes_per_s,
        network_bytes_per_s=job.link_share * network * 1e9 / 8,
    )
    wait = sharded_micro_batch_wait_s(
        stage=3,
        layers=job.model.layers,
        forward_s=forward,
        backward_s=2 * forward,
        gather_s=gather,
        reduce_s=reduce,
    )
    memory = _MEMORY_SHARE * job.node.accelerator.memory_bandwidth_bytes_per_s
    rounding = sum(
        2 * block_quantising_s(elements=layer, memory_bytes_per_s=memory, block_element_bytes=_bytes(bits))
        for bits in (weights, gradients)
        if bits != "16"
    )
    busy = (3 * forward + rounding) * job.model.layers
    share = wait / (wait + busy)
    once = _error(gradients)
    error = {
        "ring": ring_requantised_error(rounding_error=once, ranks=ranks),
        "two-hop": two_hop_quantised_error(rounding_error=once, ranks=ranks, node_ranks=inside),
        "one-shot": one_shot_quantised_error(rounding_error=once, ranks=ranks),
    }[way]
    numbers = (
        f"With {network} Gb/s a node, weights in {weights} bits and gradients in {gradients}, "
        f"a layer's gather takes {_ms(gather)} and its reduction {_ms(reduce)}, beside {_ms(forward)} of forward "
        f"and {_ms(2 * forward)} of backward pass; rounding takes {_ms(rounding)}. A micro-batch takes "
        f"{_ms(wait + busy)}, and for {_percent(share)} of it the GPUs wait. The weights are off by "
        f"{_percent(_error(weights))}, and the sum of the gradients by {_percent(error)}."
    )
    alt = (
        f"First: bars of a layer's clocks; forward {_ms(forward)} beside a gather of {_ms(gather)}, backward "
        f"{_ms(2 * forward)} beside a gather and a reduction of {_ms(gather + reduce)}; below, a bar of the time that "
        f"is waited, {_percent(share)}. Second: bars of errors; weights {_percent(_error(weights))}, the sum "
        f"of gradients {_percent(error)}."
    )
    return Picture([_clocks(forward, gather, reduce, share), _errors(_error(weights), once, error, way)], numbers, alt)


def _bytes(bits: str) -> float:
    return 2.0 if bits == "16" else block_quantised_element_bytes(bits=int(bits), block=_BLOCK)


def _error(bits: str) -> float:
    return float_rounding_error(fraction_bits=7) if bits == "16" else block_rounding_error(bits=int(bits), peak=_PEAK)


def _ms(seconds: float) -> str:
    if seconds == 0:
        return "no time"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _clocks(forward: float, gather: float, reduce: float, share: float) -> Panel:
    """Draw a layer's two passes, each beside its traffic, and the time that is waited."""
    panel = Panel(_WIDTH, 236)
    scale = (_WIDTH - 4) / max(2 * forward, gather + reduce)
    y = 0.0
    for title, compute, parts in (
        ("Forward, one layer", forward, (gather,)),
        ("Backward, one layer", 2 * forward, (gather, reduce)),
    ):
        panel.text(0, y + 14, title, bold=True)
        panel.rectangle(2, y + 24, compute * scale, 16, colour="forward", strength=0.5)
        x = 2.0
        for part, hue in zip(parts, ("communication", "optimizer"), strict=False):
            panel.rectangle(x, y + 44, part * scale, 16, colour=hue, strength=0.5)
            x += part * scale
        words = f"GPU {_ms(compute)}, network {_ms(sum(parts))}"
        panel.text(2, y + 74, words, size=12, colour="muted")
        y += 86
    panel.text(0, y + 14, f"Waiting: {_percent(share)} of the time", bold=True)
    x = 2.0
    for part, hue in ((1 - share, _PARTS["computing"]), (share, _PARTS["waiting"])):
        panel.rectangle(x, y + 24, (_WIDTH - 4) * part, 22, colour=hue, strength=0.5)
        x += (_WIDTH - 4) * part
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
