"""Formulas: what the fullest device holds where tensor and pipeline parallelism cut a model: the first stage's.

Its state is ``zero_state_bytes(first_stage_parameters(…), …)``, sharded over the data-parallel ranks or not.
"""

from __future__ import annotations

from typing import Any

from snippets.domain import positive_integer
from snippets.memory.memory_equation.activations import layer_activation_bytes, layers_in_flight, outside_layers_bytes
from snippets.models import MODELS, Transformer, parameter_parts


def first_stage_parameters(model: Transformer | str, *, tensor_parallel: int = 1, stages: int = 1) -> float:
    """Return the parameters of one device of the first pipeline stage.

    Formula: $\\frac{1}{t} \\left( \\frac{N - N_0}{L} \\left\\lceil \\frac{L}{p} \\right\\rceil + V h \\right)$
    Symbols: t = tensor_parallel; p = stages; L = the model's layers; N = parameter_count(model); N_0 = its tables and
        head; V h = the token table; without a pipeline a head that is not tied adds another V h
    Chapter: 21

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        tensor_parallel: ranks among which a layer is cut.
        stages: pipeline stages among which the layers are dealt, at most as many as layers.

    Returns:
        Parameters.

    Source: Megatron-LM, theoretical_memory_usage.py, the most loaded shard.
    Convention: everything is cut evenly, norms too; where the stages do not divide the layers, the first counts as one
        of the fullest. Layers count as their mean.
    Leaves out: learned positions; that tensor parallelism leaves norms and some biases whole.

    Example:
        >>> from snippets.memory.zero.formulas import zero_state_bytes
        >>> parameters = first_stage_parameters("GPT-3 175B", tensor_parallel=8, stages=8)
        >>> round(zero_state_bytes(round(parameters), ranks=8, stage=1).total / 1e9, 1)
        15.4
    """
    model = MODELS.find(model)
    t, p = positive_integer("tensor_parallel", tensor_parallel), positive_integer("stages", stages)
    parts = parameter_parts(model)
    blocks = parts.total - parts.token_embedding - parts.position_embedding - parts.head
    head = parts.head if p == 1 else 0
    if p > model.layers:
        raise ValueError(f"stages must be at most the {model.layers} layers of {model.name}, got {stages!r}")
    return (blocks * -(-model.layers // p) / model.layers + parts.token_embedding + head) / t


def first_stage_activation_bytes(
    model: Transformer | str,
    *,
    sequence: int,
    micro_batch: int,
    tensor_parallel: int = 1,
    sequence_parallel: bool = False,
    stages: int = 1,
    chunks: int = 1,
    micro_batches: int | None = None,
    recomputation: str = "none",
    attention: str = "standard",
) -> int:
    """Return the activations of one device of the first pipeline stage at its peak, in 1F1B or interleaved 1F1B.

    Formula: $L_f A + A_0$
    Symbols: L_f = layers_in_flight; A = layer_activation_bytes; A_0 = outside_layers_bytes
    Chapter: 21

    Args:
        model: a name in ``MODELS``, or a configuration of your own.
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        tensor_parallel: ranks among which heads, inner widths and the vocabulary are cut.
        sequence_parallel: whether what tensor parallelism leaves whole is cut along the sequence.
        stages: pipeline stages.
        chunks: model chunks of one stage; 1 for plain 1F1B.
        micro_batches: micro-batches of one step, where they are fewer than fill the pipeline.
        recomputation: as in ``layer_activation_bytes``.
        attention: as in ``layer_activation_bytes``.

    Returns:
        Bytes, exact.

    Source: Korthikanti et al. 2022, sections 4.2.3 and 4.3.
    Convention: a layer counts as a GPT's of the model's width and heads.
    Leaves out: what ``layer_activation_bytes`` and ``outside_layers_bytes`` leave out.

    Example:
        >>> cut = {"tensor_parallel": 8, "sequence_parallel": True, "stages": 8, "recomputation": "selective"}
        >>> round(first_stage_activation_bytes("GPT-3 175B", sequence=2048, micro_batch=1, **cut) / 1e9, 2)
        10.29
    """
    model = MODELS.find(model)
    size: dict[str, Any] = {"sequence": sequence, "micro_batch": micro_batch, "hidden": model.hidden}
    cut: dict[str, Any] = {"tensor_parallel": tensor_parallel, "sequence_parallel": sequence_parallel}
    kept: dict[str, Any] = {"recomputation": recomputation, "attention": attention}
    layer = layer_activation_bytes(**size, heads=model.attention.heads, **cut, **kept)
    held = layers_in_flight(layers=model.layers, stages=stages, chunks=chunks, micro_batches=micro_batches)
    vocabulary = -(-model.vocabulary // int(tensor_parallel)) * int(tensor_parallel)  # padded, as implementations do
    return held * layer + outside_layers_bytes(**size, vocabulary=vocabulary, **cut, stages=stages)
