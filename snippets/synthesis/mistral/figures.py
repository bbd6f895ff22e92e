"""Figures: which experts a few tokens read, and how many times the tokens one model writes in another's time."""

from __future__ import annotations

from typing import Any, Literal

from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.models import Transformer
from snippets.synthesis.mistral.formulas import decode_step, expected_experts_touched, most_cached_requests
from snippets.synthesis.mistral.programs import drawn_choices

WIDTH = 560
NARROW = 340
_BATCHES = (1, 2, 4, 8, 16)


def touched_experts_panel(*, seed: int = 14, width_px: float = WIDTH) -> Panel:
    """Draw which of eight experts batches of several sizes touch, in one layer, two of eight for each token.

    Args:
        seed: of the routers' choices, at least 0.
        width_px: of the picture.

    Returns:
        The picture: a row of eight squares for each batch, a dot in a square for each token that chose it; at the
        right how many are expected.
    """
    left, right = 84.0, 84.0
    cell = (width_px - left - right) / 8
    panel = Panel(width_px, 42 + 46 * len(_BATCHES))
    panel.text(0, 14, "tokens", bold=True)
    panel.text(left, 14, "experts of one layer", bold=True)
    panel.text(width_px, 14, "expected", anchor="end", bold=True)
    for row, batch in enumerate(_BATCHES):
        y = 28.0 + 46 * row
        choices = drawn_choices(batch=batch, experts=8, experts_per_token=2, seed=seed)
        panel.text(0, y + 18, f"{batch}", middle=True)
        for expert in range(8):
            count = sum(expert in chosen for chosen in choices)
            x = left + cell * expert
            panel.rectangle(x, y, cell - 4, 36, colour="forward" if count else "idle", strength=0.45 if count else 0.1)
            across = int((cell - 10) // 6)
            places = [(x + 6 + 6 * (dot % across), y + 9 + 9 * (dot // across)) for dot in range(count)]
            if places:
                panel.dots(places, colour="ink", radius=2)
        mean = expected_experts_touched(batch=batch, experts=8, experts_per_token=2)
        panel.text(width_px, y + 18, f"{mean:.1f} of 8", anchor="end", middle=True, bold=True)
    return panel


def written_ratio(
    model: Transformer | str,
    other: Transformer | str,
    *,
    requests: int,
    context: int,
    memory_bytes: float,
    memory_bytes_per_s: float,
    flops_per_s: float,
    ranks: int = 1,
) -> float:
    """Return how many times as many tokens a second one model writes as another, each with the requests that fit.

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with grouped queries.
        other: likewise.
        requests: that are waiting.
        context: tokens of each request.
        memory_bytes: of one GPU, for weights and caches.
        memory_bytes_per_s: what one GPU reads.
        flops_per_s: what one GPU computes.
        ranks: GPUs that share each model.

    Returns:
        The ratio.

    Raises:
        ValueError: if one of the models doesn't fit with a single request.

    Example:
        >>> h100 = {"memory_bytes": 72e9, "memory_bytes_per_s": 3.35e12, "flops_per_s": 643e12}
        >>> round(written_ratio("Mixtral 8x7B", "Llama 2 70B", requests=16, context=2048, ranks=4, **h100), 2)
        1.53
    """
    rates = []
    for name in (model, other):
        most = most_cached_requests(name, context=context, memory_bytes=memory_bytes, ranks=ranks)
        if most == 0:
            raise ValueError(f"memory_bytes must hold each model and a request, got {memory_bytes!r}")
        own = min(requests, most)
        step = decode_step(
            name,
            batch=own,
            context=context,
            ranks=ranks,
            memory_bytes_per_s=memory_bytes_per_s,
            flops_per_s=flops_per_s,
        )
        rates.append(own / step.total_s)
    return rates[0] / rates[1]


def written_ratio_plot(*, wide: bool = True) -> Panel:
    """Plot how many times the tokens of Llama 2 70B Mixtral 8x7B writes, against the requests that are waiting.

    Args:
        wide: for a wide screen, or for a phone.

    Returns:
        The picture: four H100 with 72 GB each for weights and caches, 2,048 tokens a request.
    """
    job: dict[str, Any] = {
        "context": 2048,
        "ranks": 4,
        "memory_bytes": 72e9,
        "memory_bytes_per_s": 3.35e12,
        "flops_per_s": 643.11e12,
    }
    plot = Plot(
        Axis(1, 2000, "log", "requests waiting", ticks=(1, 4, 16, 64, 256, 1024) if wide else (1, 16, 256)),
        Axis(0, 6, "linear", ticks=(0, 1, 2, 3, 4, 5, 6)),
        title="Mixtral is faster, times",
        width_px=WIDTH if wide else NARROW,
        height_px=300 if wide else 290,
    )

    def ratio(count: float) -> float:
        return written_ratio("Mixtral 8x7B", "Llama 2 70B", requests=round(count), **job)

    counts = sorted({round(2 ** (number / 8)) for number in range(89)} | {223, 724})
    plot.curve([(1, 5.39), (2000, 5.39)], colour="muted", dashed=True, width=1.2)
    plot.curve([(count, ratio(count)) for count in counts], colour="forward")
    marks = [1, 16, 724]
    plot.dots([(count, ratio(count)) for count in marks], colour="ink", radius=5)
    words = ("alone", "16 requests", "both full")
    asides = ((10, 14), (-4, 20), (-8, -16)) if wide else ((9, 14), (-20, 20), (-14, -16))
    for count, word, (right, down) in zip(marks, words, asides, strict=True):
        anchor: Literal["start", "middle"] = "start" if count == 1 else "middle"
        text = f"{word}: {ratio(count):.1f}"
        plot.panel.text(plot.x(count) + right, plot.y(ratio(count)) + down, text, size=12, anchor=anchor, bold=True)
    plot.panel.text(plot.x(2000), plot.y(5.39) - 8, "active parameters", size=12, anchor="end", colour="muted")
    return plot.panel
