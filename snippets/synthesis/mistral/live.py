"""Drawings: the live figure of chapter 39: a decode step of five models, by part, for any batch and context."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.job import THE_70B
from snippets.live.axes import Axis, Plot
from snippets.live.bars import draw_key
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.models import MODELS
from snippets.synthesis.mistral.formulas import (
    DecodeStep,
    decode_step,
    decode_weight_bytes,
    expected_experts_touched,
    most_cached_requests,
)

_WIDTH = 328
_RATES = {
    "memory_bytes_per_s": float(THE_70B.node.accelerator.memory_bandwidth_bytes_per_s),
    "flops_per_s": THE_70B.matmul_flops_per_s,
}
_USED = 0.9
_CANDIDATES = {
    "Mistral 7B, window": "Mistral 7B",
    "Mistral 7B, no window": "Mistral 7B",
    "Llama 2 13B": "Llama 2 13B",
    "Mixtral 8x7B": "Mixtral 8x7B",
    "Llama 2 70B": "Llama 2 70B",
}


@live_figure(
    title="What does a step read?",
    caption="Move the requests first: from which number on does Mixtral read like a model of 47 billion parameters? "
    "Then make the context longer: whose cache grows, and whose doesn't? Then take eight GPUs and short contexts, and "
    "look for requests whose computing takes longer than reading. Weights and caches take two bytes a number and "
    "may fill 90% of each H100's 80 GB; the router is even, and nothing but reading and computing is counted.",
    knobs=[
        Number("requests", "Requests B", 4, 1, 2048, 2, "log"),
        Number("context", "Tokens of each", 2048, 256, 2**17, 2, "log"),
        Choice("ranks", "GPUs", {str(n): str(n) for n in (1, 2, 4, 8)}, "4"),
        Number("window", "Mistral 7B's window", 4096, 256, 2**16, 2, "log"),
    ],
    named=[
        Named(
            "One request",
            "A token reads 2.00 of 8 experts in each layer, and Mixtral's step is 5.36 times as fast as Llama 2 70B's.",
            {"requests": 1},
        ),
        Named(
            "A handful",
            "With 4 requests it's 5.47 of 8 experts: no longer a model of 13 billion parameters.",
            {"requests": 4},
        ),
        Named(
            "The question",
            "With 16 requests nearly all experts are read, and Mixtral is 1.53 times as fast.",
            {"requests": 16},
        ),
        Named(
            "Long documents",
            "On one GPU, Mistral 7B keeps 107 requests with its window, and 13 without.",
            {"requests": 8, "context": 32_768, "ranks": "1"},
        ),
        Named(
            "Short and many",
            "Here both compute for longer than they read, and Mixtral is 5.39 times as fast.",
            {"requests": 2048, "context": 256, "ranks": "8"},
        ),
    ],
    opens="A handful",
)
def decode_figure(*, requests: int, context: int, ranks: str, window: int) -> Picture:
    """Draw the parts of a step of each model, and what Mixtral's weights take beside two dense models."""
    R = int(ranks)
    steps, most = {}, {}
    for name, model in _CANDIDATES.items():
        reach = window if name == "Mistral 7B, window" else None
        steps[name] = decode_step(model, batch=requests, context=context, ranks=R, window=reach, **_RATES)
        most[name] = most_cached_requests(
            model, context=context, memory_bytes=_USED * THE_70B.memory_bytes, ranks=R, window=reach
        )
    touched = expected_experts_touched(batch=requests, experts=8, experts_per_token=2)
    ratio = steps["Llama 2 70B"].total_s / steps["Mixtral 8x7B"].total_s
    numbers = (
        f"{requests:,} {'token reads' if requests == 1 else 'tokens read'} {touched:.2f} of 8 experts in each layer. "
        f"Mixtral's step takes {_ms(steps['Mixtral 8x7B'].total_s)}, {ratio:.2f} times as fast as Llama 2 70B's. "
        f"Requests that fit: {most['Mistral 7B, window']:,} for Mistral 7B with its window and "
        f"{most['Mistral 7B, no window']:,} without, "
        f"{most['Mixtral 8x7B']:,} for Mixtral, {most['Llama 2 70B']:,} for Llama 2 70B."
    )
    alt = (
        f"First: bars of a step for five models, weights and cache side by side, and a mark where computing would end; "
        f"Mixtral 8x7B at {_ms(steps['Mixtral 8x7B'].total_s)}, Llama 2 70B at {_ms(steps['Llama 2 70B'].total_s)}. "
        f"Second: billions of weights that Mixtral reads against the requests, from 13 to 47, a dot at {requests:,}."
    )
    return Picture([_bars(steps, most, requests), _curve(requests)], numbers, alt)


def _ms(seconds: float) -> str:
    """Write a time."""
    return f"{1e3 * seconds:,.3g} ms" if seconds < 10 else f"{seconds:,.0f} s"


def _bars(steps: dict[str, DecodeStep], most: dict[str, int], requests: int) -> Panel:
    """Draw what each model reads in a step, and a line where its computing ends."""
    panel = Panel(_WIDTH, 58 + 44 * len(steps))
    panel.text(0, 14, "One step, all requests", bold=True)
    scale = (_WIDTH - 4) / max(step.total_s for step in steps.values())
    for number, (name, step) in enumerate(steps.items()):
        y = 38.0 + 44 * number
        fits = most[name] >= requests
        said = _ms(step.total_s) + ("" if fits else ", doesn't fit")
        panel.text(0, y, name, size=12)
        panel.text(_WIDTH, y, said, anchor="end", size=12, bold=True)
        strength = 0.5 if fits else 0.2
        panel.rectangle(1, y + 5, step.weights_s * scale, 16, colour="parameters", strength=strength)
        panel.rectangle(
            1 + step.weights_s * scale, y + 5, step.cache_s * scale, 16, colour="activations", strength=strength
        )
        panel.rectangle(step.compute_s * scale, y + 3, 2, 20, colour="ink", strength=1)
    draw_key(
        panel, {"parameters": "weights", "activations": "caches", "ink": "computing"}, step=104, top=panel.height - 22
    )
    return panel


def _curve(requests: int) -> Panel:
    """Draw how many billions of weights Mixtral reads."""
    plot = Plot(
        Axis(1, 2048, "log", "requests", ticks=(1, 4, 16, 64, 256, 1024)),
        Axis(0, 50, "linear", ticks=(0, 13, 25, 47)),
        title="Mixtral reads, billions of weights",
        width_px=_WIDTH,
        height_px=230,
    )
    mixtral = MODELS["Mixtral 8x7B"]
    counts = sorted({round(2 ** (number / 4)) for number in range(45)})
    points = [(float(count), decode_weight_bytes(mixtral, batch=count) / 2e9) for count in counts]
    plot.curve(points, colour="parameters", width=2.5)
    plot.dots([(requests, decode_weight_bytes(mixtral, batch=requests) / 2e9)], colour="parameters", radius=5)
    return plot.panel
