"""Drawings: the live figure of chapter 27: how long each axis of a layout sends in a step, and what hides."""

from __future__ import annotations

from snippets.composition.device_mesh.axis_use import AxisUse
from snippets.composition.four_and_five_d.figures import axis_seconds_panel, bytes_in_words
from snippets.composition.four_and_five_d.formulas import (
    Division,
    five_axis_step_bytes,
    five_axis_uses,
    layout_divisions,
    with_experts,
)
from snippets.composition.layer_times import attention_core_flops
from snippets.composition.layouts import Layout
from snippets.drawing import Panel, text_width_px
from snippets.hardware import NODES, Node, dense_peak_flops_per_s
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.models import MODELS, Transformer, active_parameter_count

PANEL_PX = 328.0
_HIDING = frozenset({"pipeline", "data", "expert data"})
_MIXTURE = "70B of experts"
_MODELS = {
    "Llama 3 70B": "Llama 3 70B",
    _MIXTURE: "Llama 3 70B with 64 experts, 8 a token",
    "Llama 3 405B": "Llama 3 405B",
    "Mixtral 8x7B": "Mixtral 8x7B",
    "Qwen3 235B-A22B": "Qwen3 235B-A22B",
    "DeepSeek-V3": "DeepSeek-V3",
}
_DOMAINS = {"8": ("DGX H100", 8), "64": ("GB300 NVL72", 64)}


@live_figure(
    title="Who waits, and who hides",
    caption="How long a GPU sends in a step along each axis, if its links do nothing else. Move a factor of 8 from $t$ "
    "to $c$, and from $c$ to $p$. Then take the model with experts and raise $e$ past 8: which axis leaves the fast "
    "domain? Red is what a layer may wait for (a part of the tensor axis's can hide too). Grey hides as long "
    "as it is shorter than computing. Each GPU has 16,384 tokens in a step, and each group that shares a sequence one "
    "sequence at least. Weights are gathered for each sequence where $p$ is 1 (ZeRO 3), else they stay (ZeRO 1). "
    "Matmuls run at 65% of the peak, links at 80%.",
    opens="The question: t = 8",
    knobs=[
        Choice("model", "Model", _MODELS, "Llama 3 70B"),
        Number("gpus", "GPUs", 256, 8, 16_384, 2, "log"),
        Number("sequence", "Tokens of a sequence s", 131_072, 4096, 1_048_576, 2, "log"),
        Number("tensor", "Tensor axis t", 1, 1, 16, 2, "log"),
        Number("context", "Context axis c", 1, 1, 64, 2, "log"),
        Number("pipeline", "Pipeline axis p", 1, 1, 16, 2, "log"),
        Number("expert", "Expert axis e", 1, 1, 64, 2, "log"),
        Choice("forward", "Layers run forward", {"once": "once", "twice": "twice: full recomputation"}, "once"),
        Choice("domain", "Fast domain", {"8": "a node of 8 H100s", "64": "64 of a rack of 72 GB300s"}, "8"),
    ],
    named=[
        Named(
            "The question: t = 8",
            "The tensor axis sends for 3.3 s beside 23.9 s of computing, and layers wait for most of it.",
            {"tensor": 8},
        ),
        Named(
            "The 70B on 256 GPUs",
            "The context axis over four nodes sends for 1.6 s, and nothing else is waited for.",
            {"context": 32},
        ),
        Named(
            "With 64 experts",
            "Experts are dealt to the eight GPUs that share a sequence: 2.5 s of waiting, all inside the node.",
            {"model": _MIXTURE, "context": 8, "expert": 8, "forward": "twice"},
        ),
        Named(
            "64 experts over eight nodes",
            "With e = 64 the all-to-alls take 23 s, as 89% of their bytes leave the fast domain.",
            {"model": _MIXTURE, "context": 8, "expert": 64, "forward": "twice"},
        ),
        Named(
            "A 72-GPU rack",
            "In a rack the same 64 ranks send for 1.4 s, as nothing leaves the fast domain.",
            {"model": _MIXTURE, "context": 8, "expert": 64, "forward": "twice", "domain": "64"},
        ),
    ],
)
def axis_bytes_figure(
    *,
    model: str,
    gpus: int,
    sequence: int,
    tensor: int,
    context: int,
    pipeline: int,
    expert: int,
    forward: str,
    domain: str,
) -> Picture:
    """Draw how long each axis sends, and what must divide what."""
    known = with_experts("Llama 3 70B", experts=64, experts_per_token=8) if model == _MIXTURE else MODELS[model]
    name, size = _DOMAINS[domain]
    node, inner = NODES[name], tensor * context * pipeline
    if gpus < inner:
        raise ValueError(f"t · c · p = {inner} needs as many GPUs, and there are {gpus}: take away from an axis.")
    if known.experts is None:
        expert = 1
    data = gpus // inner
    batch = max(data, gpus * THE_70B.batch_tokens // THE_70B.ranks // sequence // data * data)
    sizes = {"tensor_parallel": tensor, "context_parallel": context, "expert_parallel": expert}
    sizes |= {"data_parallel": data, "pipeline_parallel": pipeline}
    if pipeline > known.layers or gpus // pipeline % expert:
        raise ValueError(f"e = {expert} must divide the t · c · d = {gpus // pipeline} ranks of a stage.")
    stage = 3 if pipeline == 1 else 1
    twice = forward == "twice"
    sent = five_axis_step_bytes(known, sequence=sequence, batch_sequences=batch, stage=stage, recompute=twice, **sizes)
    rates = _links(node)
    uses = five_axis_uses(sent, domain=size, domain_bytes_per_s=rates[0], port_bytes_per_s=rates[1], **sizes)
    compute_s = _compute_s(known, node, sequence=sequence, batch=batch, gpus=gpus, twice=twice)
    cuts = layout_divisions(known, sequence=sequence, batch_sequences=batch, **sizes)
    numbers = _said(uses, compute_s, data, cuts)
    shown = tuple(use for use in uses if use.axis != "expert data" or known.experts is not None)
    shown = tuple(use for use in shown if use.axis != "expert" or known.experts is not None)
    waits_s = sum(use.time_s for use in uses if use.axis not in _HIDING)
    title = f"d = {data}: {waits_s:.1f} s to wait for, {compute_s:.1f} s to compute"
    if text_width_px(title, bold=True) > PANEL_PX:
        title = title.replace("to wait for", "to wait")
    alt = (
        f"Bars of seconds for {len(shown)} axes, on a scale up to ten seconds: "
        + ", ".join(f"{use.axis} {use.time_s:.1f} over {use.ranks} ranks" for use in shown)
        + "."
    )
    panels = [axis_seconds_panel(shown, hiding=_HIDING, title=title, width_px=PANEL_PX), _cuts_panel(cuts)]
    return Picture(panels, numbers, alt, idle=("expert",) if known.experts is None else ())


def _links(node: Node) -> tuple[float, float]:
    link = node.accelerator.interconnect
    inside = link.bandwidth_bytes_per_s if link else node.network_bytes_per_s_per_accelerator
    return THE_70B.link_share * inside, THE_70B.link_share * node.network_bytes_per_s_per_accelerator


def _compute_s(model: Transformer, node: Node, *, sequence: int, batch: int, gpus: int, twice: bool) -> float:
    """Seconds of a step's matmuls and attention on a GPU, the pipeline full; its layers run forward twice or once."""
    tokens = batch * sequence / gpus
    core = attention_core_flops(model, batch=1, sequence=sequence, layout=Layout(), mask="half")
    core *= model.layers * batch / gpus
    parameters = active_parameter_count(model)
    flops = 6 * parameters * tokens + 3 * core
    if twice:
        tables = model.vocabulary * model.hidden * (1 if model.tied else 2)
        flops += 2 * (parameters - tables) * tokens + core
    return flops / (THE_70B.matmul_utilization * dense_peak_flops_per_s(node.accelerator, "bf16"))


def _said(uses: tuple[AxisUse, ...], compute_s: float, data: int, cuts: tuple[Division, ...]) -> str:
    sending = [use for use in uses if use.sent_bytes]
    wrong = [cut for cut in cuts if not cut.fits and cut.what != "layers"]
    if wrong:
        cut = wrong[0]
        return f"This cannot run: {cut.axes} = {cut.parts} does not divide {cut.what}, {cut.whole:,}."
    if not sending:
        return f"d = {data}, and nothing is sent. Computing takes {compute_s:.1f} s."
    listed = []
    for use in sending:
        out = f", {use.leaving_bytes / use.sent_bytes:.0%} of it out of the domain" if use.leaving_bytes else ""
        listed.append(f"{use.axis} {bytes_in_words(use.sent_bytes)} in {use.time_s:.2g} s{out}")
    return f"d = {data}: {'; '.join(listed)}. Computing takes {compute_s:.1f} s."


def _cuts_panel(cuts: tuple[Division, ...]) -> Panel:
    """Write what has to be cut, by what, and whether it is."""
    panel = Panel(PANEL_PX, 22 + 40.0 * len(cuts))
    panel.text(0, 13, "What must divide what", bold=True)
    for row, cut in enumerate(cuts):
        y = 40 + 40.0 * row
        panel.text(0, y, cut.what, size=12)
        said = "divides" if cut.fits else "unevenly" if cut.what == "layers" else "does not divide"
        panel.text(PANEL_PX, y, said, anchor="end", size=12, bold=not cut.fits)
        panel.text(0, y + 16, f"{cut.whole:,} among {cut.axes} = {cut.parts:,}", size=12, colour="muted")
    return panel
