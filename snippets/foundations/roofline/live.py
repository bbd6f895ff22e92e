"""Drawings: a matmul under the three ceilings of an accelerator: compute, memory, network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets.background.linear_algebra.formulas import gemm_flops, gemm_words
from snippets.drawing import Panel
from snippets.foundations.roofline.formulas import CEILINGS, ceiling_times_s, roofline_flops_per_s
from snippets.hardware import ACCELERATORS, LINKS, TERA, dense_peak_flops_per_s
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units

BYTES = {"bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}
_DEVICES = ("H100 SXM", "A100 SXM 80GB", "H200 SXM", "B200 SXM", "TPU v5e")
_LINKS = {"own": "between the devices", "InfiniBand NDR": "InfiniBand NDR", "Ethernet 100G": "Ethernet 100G"}
_INTENSITY = Axis(0.5, 50_000, "log", "FLOP for each byte of memory", ticks=(1, 10, 100, 1000, 10_000))
_RATE = Axis(0.3, 9000, "log", "TFLOP/s", ticks=(1, 10, 100, 1000))
_COLOURS = {"compute": "forward", "memory": "parameters", "network": "communication"}
_TAKES = {"compute": "computing", "memory": "memory", "network": "sending"}
_LEFT = 78.0


@live_figure(
    title="A matmul under three ceilings",
    caption="The dot is the matmul: its place across is its arithmetic intensity, its height the rate that all three "
    "ceilings allow. The bars are what each ceiling alone would let it take, at the full rates of the data sheet, and "
    "the longest decides. With several GPUs, a dashed line shows what the link allows, and a pale bar the time of a "
    "matmul that sends only when it has computed.",
    knobs=[
        Number("m", "Tokens m", 102, 1, 16384, 102 ** (1 / 26), "log"),
        Number("k", "Shared dimension k", 14336, 256, 32768, 256),
        Number("n", "Columns n", 4096, 256, 32768, 256),
        Choice("device", "Device", {name: name for name in _DEVICES}, "H100 SXM"),
        Choice("dtype", "Format", {name: name for name in BYTES}, "bf16"),
        Number("ranks", "GPUs that share k, R", 1, 1, 64, 1),
        Choice("link", "Link", _LINKS, "own"),
    ],
    named=[
        Named(
            "The question",
            "The memory takes 36.2 µs, computing 12.1 µs: more tokens would fill time in which the arithmetic waits.",
            {"m": 102},
        ),
        Named("Decoding", "With 16 sequences the dot is at 5.39% of the peak.", {"m": 16}),
        Named(
            "Eight GPUs",
            "Sending takes 261 µs, computing 122 µs, and more tokens make both longer.",
            {"m": 8192, "ranks": 8},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Eight GPUs of a node share the last matmul of the MLP: sending takes 522 µs, computing 486 µs.",
            {"m": 8192, "k": 28672, "n": 8192, "ranks": 8},
        ),
    ],
)
def product_under_ceilings(*, m: int, k: int, n: int, device: str, dtype: str, ranks: int, link: str) -> Picture:
    """Draw the roofline of a device, a matmul's place under it, and what each ceiling alone would let it take."""
    peak = float(dense_peak_flops_per_s(device, dtype))
    accelerator = ACCELERATORS[device]
    wire = LINKS[link] if link != "own" else accelerator.interconnect
    if wire is None:
        raise ValueError(f"The book lists no link between devices for the {device}.")
    size, share = BYTES[dtype], math.ceil(k / ranks)
    flops = gemm_flops(m=m, k=share, n=n)
    moved = size * gemm_words(m=m, k=share, n=n)
    sent = 2 * (ranks - 1) / ranks * m * n * size
    memory = float(accelerator.memory_bandwidth_bytes_per_s)
    times = ceiling_times_s(
        flops=flops,
        memory_bytes=moved,
        sent_bytes=sent,
        peak_flops_per_s=peak,
        memory_bytes_per_s=memory,
        network_bytes_per_s=wire.bandwidth_bytes_per_s,
    )
    limit = max(times, key=lambda name: times[name])
    rate = flops / times[limit]
    intensity = flops / moved
    said = "; ".join(f"{name} {in_units(times[name], 's')}" for name in CEILINGS if times[name] > 0)
    verdict = _verdict(times, limit, rate / peak)
    numbers = (
        f"Times: {said}. The limit is {limit}: at best {in_units(rate, 'FLOP/s')} a device, {100 * rate / peak:.3g}% "
        f"of its peak in {dtype}. {in_units(intensity)} FLOP for each byte of memory, the ridge is at "
        f"{in_units(peak / memory)}."
    )
    allowed = flops / times["network"] if ranks > 1 else math.inf
    across = ""
    if ranks > 1:
        numbers += f" {in_units(flops / sent)} FLOP for each byte sent over {wire.name}."
    if _RATE.low <= allowed / TERA <= _RATE.high:
        across = f" A dashed line across at {in_units(allowed, 'FLOP/s')}, the most that the network allows."
    alt = (
        f"First: a line that rises with the intensity and is flat from {in_units(peak / memory)} FLOP a byte on; a dot "
        f"at {in_units(intensity)} FLOP a byte and {in_units(rate, 'FLOP/s')}.{across} Second: bars of time. {said}."
    )
    roof = _roof(intensity, rate, peak, memory)
    if across:
        level = roof.y(allowed / TERA)
        roof.panel.line(roof.left, level, roof.right, level, colour="communication", dashed=True)
        roof.panel.text(roof.left + 6, level + 15, "network", colour="communication", size=12)
    return Picture([_bars(times, limit, verdict), roof.panel], numbers, alt, idle=_idle(ranks))


def _verdict(times: Mapping[str, float], limit: str, share: float) -> tuple[str, str]:
    """Say in two lines which time is the longest, which other one comes next, and what the peak's share is."""
    second = "compute" if limit != "compute" else max(("memory", "network"), key=lambda name: times[name])
    first = f"{_TAKES[limit].capitalize()} takes {in_units(times[limit], 's')}"
    also = f"{_TAKES[second]} {in_units(times[second], 's')}"
    return f"{first}, {also}:", f"{limit}-bound, at best {100 * share:.3g}% of its peak."


def _idle(ranks: int) -> tuple[str, ...]:
    return ("link",) if ranks == 1 else ()


def _roof(intensity: float, rate: float, peak: float, memory: float) -> Plot:
    """Draw the memory's slope and the flat peak, with a dot where the matmul is."""
    plot = Plot(_INTENSITY, _RATE, title="Rate against intensity", width_px=328, height_px=270)
    points = [
        (x, roofline_flops_per_s(flops_per_byte=x, peak_flops_per_s=peak, bandwidth_bytes_per_s=memory) / TERA)
        for x in (_INTENSITY.low, peak / memory, _INTENSITY.high)
    ]
    plot.curve(points, colour="accent")
    ridge = plot.x(peak / memory)
    plot.panel.line(ridge, plot.y(peak / TERA), ridge, plot.bottom, colour="muted", dashed=True)
    plot.panel.text(ridge + 5, plot.bottom - 8, f"ridge {in_units(peak / memory)}", colour="muted", size=12)
    plot.dots([(max(intensity, _INTENSITY.low), max(rate / TERA, _RATE.low))], colour="ink", radius=5)
    return plot


def _bars(times: Mapping[str, float], limit: str, verdict: Sequence[str]) -> Panel:
    """Draw what each ceiling alone would let the matmul take, on one axis of time, below what follows."""
    panel = Panel(328, 236)
    for row, line in enumerate(verdict):
        panel.text(0, 14 + 18 * row, line, bold=True)
    longest = max(times.values())
    in_turn = max(times["compute"], times["memory"]) + times["network"]
    scale = 165 / (in_turn if times["network"] else longest)
    for row, name in enumerate(CEILINGS):
        y = 56.0 + 38 * row
        panel.text(_LEFT - 8, y + 13, {"network": "send"}.get(name, name), anchor="end", middle=True)
        width = scale * times[name]
        panel.rectangle(_LEFT, y, max(width, 1.5 if times[name] else 0), 26, colour=_COLOURS[name])
        written = in_units(times[name], "s") if times[name] else "nothing sent"
        panel.text(_LEFT + width + 8, y + 13, written, middle=True, bold=name == limit)
    if times["network"]:
        y = 56.0 + 38 * len(CEILINGS)
        panel.text(_LEFT - 8, y + 13, "in turn", anchor="end", middle=True, colour="muted")
        panel.rectangle(_LEFT, y, scale * in_turn, 26, colour="idle", strength=0.12, dashed=True)
        panel.text(_LEFT + scale * in_turn + 8, y + 13, in_units(in_turn, "s"), middle=True, colour="muted")
    return panel
