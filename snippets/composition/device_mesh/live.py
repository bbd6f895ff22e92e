"""Drawings: the live figure of chapter 25: sizes and order of four axes, the links that their groups use, bytes."""

from __future__ import annotations

import math

from snippets.composition.device_mesh.axis_use import ORDERS, AxisUse, mesh_axis_uses
from snippets.composition.device_mesh.formulas import MeshTraffic, mesh_group, mesh_step_traffic_bytes
from snippets.drawing import Panel
from snippets.hardware import NODES
from snippets.job import THE_70B
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units

_WIDTH = 330.0
_BATCH_TOKENS = THE_70B.batch_tokens
_USED = {"DGX H100": 8, "DGX B300": 8, "GB200 NVL72": 64, "GB300 NVL72": 64}
_NAMES = {"t": "tensor", "c": "context", "d": "data", "p": "pipeline"}
_TWO = [2**power for power in range(13)]


@live_figure(
    title="Who talks to whom, over which links",
    caption="Four axes, the outermost first. One panel has the GPUs of the first two domains, with the group of GPU 0 "
    "filled; gradients go to the group of d and c together. The other has what one GPU sends in a step of 4 million "
    "tokens, and which part leaves its domain. Of a rack of 72 GPUs a mesh of powers of two uses 64. Links at 80% of "
    "their rate; axes one after the other. Swap the order first, then the machine.",
    knobs=[
        Choice("order", "Order, outermost first", {order: " ".join(order) for order in ORDERS}, "pdct"),
        Number("tensor", "Tensor t", 8, 1, 64, 2, "log"),
        Number("context", "Context c", 2, 1, 16, 2, "log"),
        Number("stages", "Stages p", 4, 1, 16, 2, "log"),
        Number("gpus", "GPUs in all", 512, 8, 4096, 2, "log"),
        Choice(
            "machine",
            "Machine",
            {name: f"{name}, domain of {NODES[name].accelerators}" for name in _USED},
            "DGX H100",
        ),
        Choice("model", "Model", {name: name for name in ("Llama 3 8B", "Llama 3 70B", "Llama 3 405B")}, "Llama 3 70B"),
        Number("sequence", "Tokens of a sequence s", 32_768, 4096, 131_072, 2, "log"),
    ],
    named=[
        Named(
            "The question: t innermost",
            "A GPU sends 619 GB in a step, and only 17.4 GB of them leave its node.",
            {"order": "pdct"},
        ),
        Named(
            "t and d swapped",
            "The same 619 GB, but 611 GB now go through the network, and a step's messages take seven times as long.",
            {"order": "ptcd"},
        ),
        Named(
            "A rack of 72",
            "With a rack as the domain, c stays inside too, and half of d: 2.11 GB leave.",
            {"order": "pdct", "machine": "GB200 NVL72"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "With t = 8 innermost and no other cut than data, the gradients alone leave the node: 34.2 GB.",
            {"order": "pdct", "context": 1, "stages": 1, "gpus": 256, "sequence": 8192},
        ),
    ],
)
def mesh_links(
    *,
    order: str,
    tensor: int,
    context: int,
    stages: int,
    gpus: int,
    machine: str,
    model: str,
    sequence: int,
) -> Picture:
    """Draw each axis's group on the cluster, and what a GPU sends along it."""
    sizes = _sizes(tensor, context, stages, gpus)
    batch = _BATCH_TOKENS // sequence
    if batch % sizes["d"]:
        raise ValueError(
            f"{batch} sequences of {sequence:,} tokens cannot be shared among d = {sizes['d']}: shorten them, or raise "
            "t, c or p."
        )
    traffic = mesh_step_traffic_bytes(
        model,
        tensor_parallel=tensor,
        context_parallel=context,
        data_parallel=sizes["d"],
        pipeline_parallel=stages,
        sequence=sequence,
        batch_sequences=batch,
    )
    uses = _uses(traffic, sizes, order, machine)
    total, left = sum(use.sent_bytes for use in uses), sum(use.leaving_bytes for use in uses)
    seconds = sum(use.time_s for use in uses)
    best, worst = _ends(traffic, sizes, machine)
    numbers = (
        f"A GPU sends {in_units(total, 'B')} in a step, and {in_units(left, 'B')} of them leave its domain. One axis "
        f"after the other takes {in_units(seconds, 's')}; the best of the 24 orders {in_units(best, 's')}, the worst "
        f"{in_units(worst, 's')}. A copy of the model takes {batch // sizes['d']:,} of {batch:,} sequences."
    )
    alt = (
        "For each axis a strip with the GPUs of two domains, and bars for what stays inside and what leaves: "
        + "; ".join(
            f"{use.axis} of {sizes[use.axis]}, {in_units(use.inside_bytes, 'B')} inside, "
            f"{in_units(use.leaving_bytes, 'B')} leaving"
            for use in uses
        )
    )
    return Picture([_groups(uses, sizes, order, machine), _bytes(uses)], numbers, f"{alt}.")


def _sizes(t: int, c: int, p: int, gpus: int) -> dict[str, int]:
    for name, value in (("t", t), ("c", c), ("p", p), ("GPUs in all", gpus)):
        if value not in _TWO:
            raise ValueError(f"{name} must be a power of two in this figure, and {value} is none.")
    if gpus % (t * c * p):
        raise ValueError(f"t · c · p = {t * c * p} does not divide {gpus} GPUs: lower one of them.")
    return {"t": t, "c": c, "d": gpus // (t * c * p), "p": p}


def _uses(traffic: MeshTraffic, sizes: dict[str, int], order: str, machine: str) -> tuple[AxisUse, ...]:
    node = NODES[machine]
    link = node.accelerator.interconnect
    return mesh_axis_uses(
        traffic,
        sizes=sizes,
        order=order,
        domain=min(_USED[machine], math.prod(sizes.values())),
        domain_bytes_per_s=THE_70B.link_share * (link.bandwidth_bytes_per_s if link else 1),
        port_bytes_per_s=THE_70B.link_share * node.network_bytes_per_s_per_accelerator,
    )


def _ends(traffic: MeshTraffic, sizes: dict[str, int], machine: str) -> tuple[float, float]:
    times = [sum(use.time_s for use in _uses(traffic, sizes, order, machine)) for order in ORDERS]
    return min(times), max(times)


def _groups(uses: tuple[AxisUse, ...], sizes: dict[str, int], order: str, machine: str) -> Panel:
    """Draw the group of rank 0 along each axis, in the first two domains."""
    domain = min(_USED[machine], math.prod(sizes.values()))
    sides = [sizes[axis] for axis in order]
    panel = Panel(_WIDTH, 44 + 48 * len(uses))
    panel.text(0, 14, f"GPU 0's groups in two domains of {domain}", bold=True)
    for number, use in enumerate(uses):
        y = 40 + 48 * number
        along = "dc" if use.axis == "d" else use.axis
        name = f"d = {sizes['d']} with c" if use.axis == "d" and sizes["c"] > 1 else f"{use.axis} = {sizes[use.axis]}"
        panel.text(0, y, f"{name}, stride {use.stride:,}", size=12.5)
        panel.text(_WIDTH, y, f"{use.in_domain} of {use.ranks} in a domain", size=12, anchor="end", colour="muted")
        _strip(panel, sides, [order.index(one) for one in along], domain, y + 7)
    return panel


def _strip(panel: Panel, sides: list[int], axes: list[int], domain: int, top: float) -> None:
    """Draw the ranks of the first two domains as squares, and fill those of rank 0's group."""
    shown, gap = min(math.prod(sides), 2 * domain), 6.0
    box = (_WIDTH - gap - 2) / (2 * domain)
    group = set(mesh_group(0, sides=sides, axes=axes))
    spots = [(1 + one * box + gap * (one // domain), top, max(box - 0.8, 1.0), 13.0) for one in range(shown)]
    panel.rectangles([spots[one] for one in range(shown) if one not in group], colour="line", strength=0.1)
    panel.rectangles([spots[one] for one in range(shown) if one in group], colour="accent", strength=0.8)


def _bytes(uses: tuple[AxisUse, ...]) -> Panel:
    """Draw what a GPU sends along each axis, inside the domain and out of it."""
    panel = Panel(_WIDTH, 66 + 46 * len(uses))
    panel.text(0, 14, "What one GPU sends in a step", bold=True)
    draw_key(panel, {"accent": "stays inside", "communication": "leaves"}, step=130, top=24)
    bars = []
    for use in uses:
        said = f"{in_units(use.sent_bytes, 'B')}, {in_units(use.time_s, 's')}" if use.sent_bytes else "nothing"
        bars.append(
            Bar(f"{_NAMES[use.axis]}", [(use.inside_bytes, "accent"), (use.leaving_bytes, "communication")], said)
        )
    if any(use.sent_bytes for use in uses):
        draw_bars(panel, bars, top=58, pitch=46, wide=_WIDTH - 3)
    return panel
