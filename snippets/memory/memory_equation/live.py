"""Drawings: the live figure of chapter 21: what one device of a training run holds at the worst moments of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from snippets.domain import named
from snippets.hardware import ACCELERATORS
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, Switch
from snippets.live.stacks import gigabytes, kinds_panel, stacked_rows
from snippets.memory.memory_equation.step_peak import StepSizes, gpt_step_sizes, step_peak_parts
from snippets.models import MODELS, Attention, Transformer, gpt_like, parameter_parts
from snippets.recipes import RECIPES

_HEAD_SIZE = 128  # of the reader's own model
QUESTION = gpt_like(
    "GPT 3.6B",
    layers=30,
    hidden=3072,
    heads=32,
    vocabulary=51200,
    positions=2048,
    source="Narayanan et al. 2021, Table 1",
)
# Where the activations of another layer than GPT's would mean nothing, a model is left out.
SHOWN_MODELS = {QUESTION.name: QUESTION} | {
    name: model
    for name, model in MODELS.items()
    if isinstance(model.attention, Attention) and model.feed_forward is not None
}
_KEPT = {
    "standard": ("all, standard attention", "standard", "none"),
    "flash": ("all, flash attention", "flash", "none"),
    "selective": ("all but the scores (made again)", "standard", "selective"),
    "full": ("its input alone (rest made again)", "flash", "full"),
}
# The recipes of the chapter's table by the names that they have there; the others by their own.
_CALLED = {
    "fp32-adam": "float32 Adam",
    "mixed-adam": "mixed Adam (ZeRO)",
    "mixed-adam-fp32-gradients": "… float32 gradients",
    "mixed-adam-both-gradients": "… gradients in both widths",
    "16-bit-adam-fp32-moments": "… no master copy",
    "mixed-adam-8bit": "… 8-bit averages",
    "16-bit-adam": "16 bits throughout",
}
_RECIPES = _CALLED | {name: name for name in RECIPES if name not in _CALLED}
_MOMENTS = {
    "loss": "at the loss",
    "first backward": "backward, last layer",
    "last backward": "backward, first layer",
    "step": "update",
}

Parts = Mapping[str, Mapping[str, int]]


def _own_model(layers: int, hidden: int) -> Transformer:
    """Return a GPT of the reader's layers and width."""
    if hidden % _HEAD_SIZE:
        raise ValueError(f"Your model's width must be a multiple of {_HEAD_SIZE}, the size of a head, and is {hidden}.")
    return gpt_like("Your model", layers=layers, hidden=hidden, heads=hidden // _HEAD_SIZE)


def model_step_sizes(model: Transformer, recipe: str, sequence: int, micro_batch: int, kept: str) -> StepSizes:
    """Return what a step allocates: the model's own parameters, the activations of a GPT of its width.

    Args:
        model: one of ``SHOWN_MODELS``, or a GPT of one's own.
        recipe: a name in ``RECIPES``.
        sequence: tokens of a sequence.
        micro_batch: sequences of a micro-batch.
        kept: what a layer keeps: ``"standard"``, ``"flash"``, ``"selective"`` or ``"full"``.

    >>> model_step_sizes(QUESTION, "mixed-adam", 2048, 1, "full").layer_bytes == 2 * 2048 * 3072
    True
    """
    if not isinstance(model, Transformer):
        raise TypeError(f"model must be a Transformer, got {model!r}")
    _, attention, recomputation = _KEPT[named("kept", kept, _KEPT)]
    sizes = gpt_step_sizes(
        layers=model.layers,
        hidden=model.hidden,
        heads=model.attention.heads,
        vocabulary=model.vocabulary,
        sequence=sequence,
        micro_batch=micro_batch,
        recipe=recipe,
        attention=attention,
        recomputation=recomputation,
    )
    parts = parameter_parts(model)
    last_norm = model.hidden * (1 + model.norm_bias)
    in_layers = parts.attention + parts.feed_forward + parts.norms - last_norm
    return replace(sizes, layer_parameters=in_layers // model.layers, outside_parameters=parts.total - in_layers)


def _most_sequences(one: Parts, two: Parts, memory_bytes: int) -> int:
    """Return the most sequences that fit, from what one and two need: at each moment the bytes are linear in them."""
    most = []
    for moment in one:
        first, second = sum(one[moment].values()), sum(two[moment].values())
        each, fixed = second - first, 2 * first - second
        if fixed > memory_bytes:
            return 0
        if each:
            most.append((memory_bytes - fixed) // each)
    return min(most)


@live_figure(
    title="Does it fit?",
    caption="Bars are moments of one step on one device, the line across them is its memory. Add sequences until the "
    "first bar crosses the line. Then let a layer keep less, and see the worst moment move. Accumulate gradients over "
    "micro-batches, and the layers' gradients are there at the loss too. Last, divide the state among more devices. "
    "[ZeRO](22-zero.md) divides the optimizer state in stage 1, the gradients too in stage 2, the weights too in "
    "stage 3. What is left is activations and temporaries, which no stage makes smaller.",
    knobs=[
        Choice("model", "Model", {name: name for name in SHOWN_MODELS} | {"own": "your own GPT"}, "GPT 3.6B"),
        Number("own_layers", "Your layers L", 24, 1, 128),
        Number("own_hidden", "Your width h", 2048, 256, 20480, step=256),
        Choice(
            "recipe",
            "Recipe",
            {name: f"{called}, {RECIPES[name].bytes_per_parameter} B" for name, called in _RECIPES.items()},
            "mixed-adam",
        ),
        Number("micro_batch", "Sequences b", 1, 1, 128),
        Number("sequence", "Tokens s", 2048, 128, 131072, step=2, scale="log"),
        Choice("kept", "A layer keeps", {name: said for name, (said, *_) in _KEPT.items()}, "flash"),
        Switch("accumulated", "Gradients added up over micro-batches", False),
        Choice("stage", "ZeRO stage", {str(z): f"{z}" for z in range(4)}, "0"),
        Number("ranks", "Ranks R", 1, 1, 4096, step=2, scale="log"),
        Choice("device", "Device", {name: name for name in ACCELERATORS}, "H100 SXM"),
    ],
    named=[
        Named(
            "the question: 4 sequences",
            "The peak is 79.4 GB, at the loss. Of the layers' gradients nothing is there yet.",
            {"micro_batch": 4},
        ),
        Named(
            "the same, accumulated",
            "The gradients of an earlier micro-batch stay: 86.2 GB, and at most 3 sequences fit.",
            {"micro_batch": 4, "accumulated": True},
        ),
        Named(
            "the same, full recomputation",
            "The worst moment is now the first layer's backward pass: gradients are there, and few activations.",
            {"micro_batch": 4, "kept": "full"},
        ),
        Named(
            "scores stored",
            "At most 1 sequence fits: the scores of all layers and heads are there at the loss.",
            {"kept": "standard"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "One sequence peaks at 32.4 GB, at the loss, if a layer keeps only its input; at most 3 sequences fit.",
            {
                "model": THE_70B.model_name,
                "recipe": THE_70B.recipe,
                "sequence": THE_70B.sequence,
                "kept": "full",
                "accumulated": True,
                "stage": "3",
                "ranks": THE_70B.ranks,
                "device": THE_70B.node.accelerator.name,
            },
        ),
    ],
    opens="the question: 4 sequences",
)
def memory_calculator(
    model: str,
    own_layers: int,
    own_hidden: int,
    recipe: str,
    micro_batch: int,
    sequence: int,
    kept: str,
    accumulated: bool,
    stage: str,
    ranks: int,
    device: str,
) -> Picture:
    """Add up what a device holds at four moments of a step, and set the worst beside its memory."""
    chosen = _own_model(own_layers, own_hidden) if model == "own" else SHOWN_MODELS[model]
    memory_bytes = ACCELERATORS[device].memory_bytes

    def moments(sequences: int) -> Parts:
        sizes = model_step_sizes(chosen, recipe, sequence, sequences, kept)
        return step_peak_parts(sizes, keep_gradients=accumulated, ranks=ranks, stage=int(stage))

    held = moments(micro_batch)
    peak = max(held, key=lambda moment: sum(held[moment].values()))
    peak_bytes = sum(held[peak].values())
    lacks = peak_bytes > memory_bytes
    left = f"{gigabytes(abs(memory_bytes - peak_bytes))} {'too much' if lacks else 'free'}"
    rows = {said: held[moment] for moment, said in _MOMENTS.items()}
    marks = ["peak, " if moment == peak else "" for moment in _MOMENTS]
    most = _most_sequences(moments(1), moments(2), memory_bytes)
    parameters = parameter_parts(chosen).total
    many = "1 sequence fits" if most == 1 else f"{most:,} sequences fit"
    how_many = f"at most {many}" if most else "not even one sequence fits"
    numbers = (
        f"{chosen.name}, {parameters:,} parameters: the peak is {gigabytes(peak_bytes)}, "
        f"{_MOMENTS[peak]}, and a device has {gigabytes(memory_bytes)}: {left}; {how_many}. GB are 10⁹ bytes"
        + ("." if _is_gpt(chosen) else ", and activations those of a GPT layer of this width.")
        + _sharing(int(stage), ranks)
    )
    alt = (
        f"Four stacked bars of what a device holds: {_sums(held)}, with a line at {gigabytes(memory_bytes)}. At the "
        f"peak, {', '.join(f'{kind} {gigabytes(size)}' for kind, size in held[peak].items())}."
    )
    panels = [
        stacked_rows(
            rows,
            title="One device, four moments of a step",
            marks=marks,
            limit=memory_bytes,
            limit_name=f"{device}: {gigabytes(memory_bytes)}",
        ),
        kinds_panel(
            held[peak],
            title=f"At the peak: {_MOMENTS[peak]}",
            below=[
                ("in all", gigabytes(peak_bytes)),
                (device, gigabytes(memory_bytes)),
                ("does not fit" if lacks else "fits", left),
            ],
        ),
    ]
    idle = () if model == "own" else ("own_layers", "own_hidden")
    return Picture(panels=panels, numbers=numbers, alt=alt, idle=idle)


def _sharing(stage: int, ranks: int) -> str:
    """Say why the state is not divided, where one knob alone would lead to expect it."""
    if stage and ranks == 1:
        return f" Stage {stage} divides nothing on one device."
    return f" Without ZeRO each of {ranks:,} devices holds all of it." if not stage and ranks > 1 else ""


def _is_gpt(model: Transformer) -> bool:
    return model.feed_forward is not None and not model.feed_forward.gated


def _sums(held: Parts) -> str:
    return ", ".join(f"{_MOMENTS[moment]} {gigabytes(sum(kinds.values()))}" for moment, kinds in held.items())
