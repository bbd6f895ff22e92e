"""Drawings: the live figure of chapter 34: what a long context costs to train and to keep, by kind of attention."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.efficiency.architecture.formulas import (
    kv_cache_bytes,
    long_context_flops_per_token,
    sparse_attention_flops_per_token,
    sparse_attention_training_flops_per_token,
    with_latents,
)
from snippets.job import THE_70B
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.models import MODELS, Transformer, parameter_count

_WIDTH = 328
_INDEX_SIZE = 128
_HUES = {
    "full": "communication",
    "latents": "optimizer",
    "windows": "forward",
    "both": "weight-gradient",
    "chosen": "backward",
}
_WORDS = {
    "full": "shared heads (GQA)",
    "latents": "latents (MLA)",
    "windows": "windows (SWA) in most layers",
    "both": "windows and latents",
    "chosen": "latents, chosen tokens (DSA)",
}
_SHORT = {"full": "GQA", "latents": "MLA", "windows": "SWA", "both": "both", "chosen": "DSA"}
_SPARSE_CHOICE = 2048
_RATE = THE_70B.matmul_utilization * THE_70B.peak_flops_per_s


@live_figure(
    title="What a long context costs",
    caption="Begin with fewer tokens and watch where the curves run together. Then change the kind of attention: which "
    "of the two pictures changes? With latents, change the number of GPUs as well. All layers have windows except one "
    "in every few. The indexer is DeepSeek-V3.2's, on latents: it chooses 2,048 tokens, and its loss covers these. All "
    "that's kept is kept in bfloat16; with latents there are fewer weights, and a little more is free than we count. "
    "Prompts are read at 65% of the peak, with the indexer in 16 bits.",
    knobs=[
        Choice(
            "model_name",
            "Model",
            {name: name for name in ("Llama 3 8B", "Llama 3 70B", "Llama 3 405B")},
            "Llama 3 70B",
        ),
        Choice("kind", "Attention", _WORDS, "full"),
        Number("blocks", "Tokens s, × 1,024", 1024, 1, 4096, 2, "log"),
        Number("window", "Window", 1024, 128, 2**16, 2, "log"),
        Number("full_every", "One full layer in", 6, 1, 16, 1),
        Choice("ranks", "GPUs t", {str(t): str(t) for t in (1, 2, 4, 8)}, "8"),
    ],
    named=[
        Named(
            "The question",
            "The cache of 1 request leaves no room for another, and nearly all FLOPs compare tokens.",
            {"kind": "full", "blocks": 1024},
        ),
        Named(
            "Latents",
            "The total cache shrinks, and yet it doesn't fit if heads are split. Cut by sequence, 5 requests fit.",
            {"kind": "latents", "blocks": 1024},
        ),
        Named(
            "Chosen tokens",
            "All that may be chosen later is kept, so only 4 requests fit. But little is read for a token.",
            {"kind": "chosen", "blocks": 1024},
        ),
        Named(
            "Windows",
            "Both pictures shrink. 8 requests fit, and prompts are read fastest.",
            {"kind": "windows", "blocks": 1024},
        ),
        Named(
            "Windows and latents",
            "A prompt takes a little longer than with windows alone, but 31 requests fit.",
            {"kind": "both", "blocks": 1024},
        ),
        Named(
            "The 70B on 256 GPUs",
            "At 8,192 tokens, 7.17% of the FLOPs compare tokens: comparing less can't save more.",
            {"kind": "full", "blocks": THE_70B.sequence // 1024, "ranks": "2"},
        ),
    ],
    opens="The question",
)
def long_context_figure(
    *, model_name: str, kind: str, blocks: int, window: int, full_every: int, ranks: str
) -> Picture:
    """Draw a training token's FLOPs against the length, and the cache of one sequence on a GPU."""
    model, t, tokens = MODELS[model_name], int(ranks), 1024 * blocks
    flops = _training_flops(model, kind, tokens, window, full_every)
    held = _held_bytes(model, kind, tokens, window, full_every, t)
    weights = 2 * _matrix_weights(model, kind)
    share = 1 - 3 * weights / flops
    whole = _held_bytes(model, kind, tokens, window, full_every, 1)
    free = THE_70B.memory_bytes - 2 * parameter_count(model) / t
    cut = whole / t
    fits, fits_cut = ("fits" if size <= free else "too much" for size in (held, cut))
    prompt_s = _prompt_flops(model, kind, tokens, window, full_every) * tokens / t / _RATE
    requests = int(free / cut) if free > 0 else 0
    read = _read_bytes(model, kind, tokens, whole) / t / THE_70B.node.accelerator.memory_bandwidth_bytes_per_s
    numbers = (
        f"Training takes {_flop(flops)} a token, {100 * share:.3g}% of it to compare tokens. The cache of a sequence "
        f"is {_gb(whole)}. Cut by heads it's {_gb(held)} on each of {t} GPUs ({fits}), cut by sequence {_gb(cut)} "
        f"({fits_cut}). Cut like that, {requests:,} {'request fits' if requests == 1 else 'requests fit'} at once, a "
        f"prompt takes {prompt_s:.3g} s, and a GPU reads for {1000 * read:.3g} ms to write a token of one request."
    )
    alt = (
        f"First: TFLOP of a training token against the context's length, for five kinds of attention, with a dot at "
        f"{tokens:,} tokens and {_flop(flops)} for {_WORDS[kind]}. Second: the cache of one sequence on one GPU, "
        f"{_gb(held)} if heads are dealt and {_gb(cut)} if the sequence is cut, beside the {_gb(max(free, 0.0))} that "
        f"the weights leave free of 80 GB."
    )
    idle = () if kind in ("windows", "both") else ("window", "full_every")
    return Picture(
        [_curves(model, kind, tokens, window, full_every, flops), _bars(held, cut, free, kind)], numbers, alt, idle=idle
    )


def _variant(model: Transformer, kind: str) -> Transformer:
    """Return the model with the attention that a kind has."""
    return with_latents(model) if kind in ("latents", "chosen", "both") else model


def _matrix_weights(model: Transformer, kind: str) -> float:
    """Return the weights of the matrices that a token meets."""
    changed = _variant(model, kind)
    one, two = (long_context_flops_per_token(changed, sequence=s) for s in (1, 3))
    return (one - (two - one)) / 2


def _training_flops(model: Transformer, kind: str, tokens: int, window: int, full_every: int) -> float:
    """Return a training token's FLOPs."""
    changed = _variant(model, kind)
    if kind == "chosen":
        return sparse_attention_training_flops_per_token(changed, sequence=tokens, chosen=_SPARSE_CHOICE)
    if kind in ("windows", "both"):
        return 3 * long_context_flops_per_token(changed, sequence=tokens, window=window, full_every=full_every)
    return 3 * long_context_flops_per_token(changed, sequence=tokens)


def _prompt_flops(model: Transformer, kind: str, tokens: int, window: int, full_every: int) -> float:
    """Return a token's FLOPs when a prompt is read."""
    if kind == "chosen":
        return sparse_attention_flops_per_token(_variant(model, kind), sequence=tokens, chosen=_SPARSE_CHOICE)
    return _training_flops(model, kind, tokens, window, full_every) / 3


def _read_bytes(model: Transformer, kind: str, tokens: int, whole: float) -> float:
    """Return what is read of one sequence's cache to write a token, on all ranks together."""
    if kind != "chosen":
        return whole
    latents = kv_cache_bytes(_variant(model, kind), sequence=min(tokens, _SPARSE_CHOICE))
    return latents + 2 * model.layers * _INDEX_SIZE * tokens


def _held_bytes(model: Transformer, kind: str, tokens: int, window: int, full_every: int, ranks: int) -> float:
    """Return the cache of one sequence on one rank."""
    changed = _variant(model, kind)
    if kind in ("windows", "both"):
        return kv_cache_bytes(changed, sequence=tokens, window=window, full_every=full_every, tensor_parallel=ranks)
    held = kv_cache_bytes(changed, sequence=tokens, tensor_parallel=ranks)
    return held + (2 * changed.layers * _INDEX_SIZE * tokens if kind == "chosen" else 0)


def _flop(flops: float) -> str:
    """Write FLOPs of a token."""
    return f"{flops / 1e12:.3g} TFLOP" if flops >= 1e12 else f"{flops / 1e9:.3g} GFLOP"


def _gb(size: float) -> str:
    """Write bytes."""
    if size >= 1e12:
        return f"{size / 1e12:.3g} TB"
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def _curves(model: Transformer, kind: str, tokens: int, window: int, full_every: int, flops: float) -> Panel:
    """Draw all kinds, the chosen one in full."""
    low, high = 2**10, 2**22
    lengths = [2 ** (10 + number) for number in range(13)]
    drawn = {
        way: [_training_flops(model, way, s, window, full_every) / 1e12 for s in lengths]
        for way in _WORDS
        if way != kind
    } | {kind: [_training_flops(model, kind, s, window, full_every) / 1e12 for s in lengths]}
    least = 0.8 * min(min(points) for points in drawn.values())
    most = 1.3 * max(max(points) for points in drawn.values())
    plot = Plot(
        Axis(low, 2**25, "log", "tokens of context", ticks=(2**10, 2**15, 2**20)),
        Axis(least, most, "log"),
        title="Training one token, TFLOP",
        width_px=_WIDTH,
        height_px=250,
    )
    below = -99.0  # where the label above ends
    for way in sorted(drawn, key=lambda way: -drawn[way][-1]):
        own = way == kind
        plot.curve(
            list(zip(lengths, drawn[way], strict=True)),
            colour=_HUES[way] if own else "muted",
            width=2.5 if own else 1.2,
            dashed=not own,
        )
        below = max(plot.y(drawn[way][-1]), below + 13)
        plot.panel.text(
            plot.x(high) + 5,
            below,
            _SHORT[way],
            colour=_HUES[way] if own else "muted",
            bold=own,
            size=12,
            middle=True,
        )
    plot.dots([(tokens, flops / 1e12)], colour=_HUES[kind], radius=5)
    return plot.panel


def _bars(held: float, cut: float, free: float, kind: str) -> Panel:
    """Draw the cache on one GPU, cut by heads and by sequence, beside what the weights leave free."""
    panel = Panel(_WIDTH, 160)
    panel.text(0, 14, "On each GPU of 80 GB", bold=True)
    most = max(held, cut, free, 1.0)
    scale = (_WIDTH - 160) / most
    rows = (
        ("cut by heads", held, _HUES[kind], 0.25),
        ("by sequence", cut, _HUES[kind], 0.7),
        ("free", free, "idle", 0.5),
    )
    for number, (name, size, hue, strength) in enumerate(rows):
        y, size = 30.0 + 40 * number, max(size, 0.0)
        panel.text(0, y + 13, name, middle=True, size=12)
        panel.rectangle(82, y, size * scale, 26, colour=hue, strength=strength)
        panel.text(88 + size * scale, y + 13, _gb(size), middle=True, bold=number == 1)
    return panel
