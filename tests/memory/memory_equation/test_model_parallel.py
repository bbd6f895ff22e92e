"""The first stage's parameters and activations against the whole model's, Megatron's count and Korthikanti's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from snippets.memory.memory_equation import activations
from snippets.memory.memory_equation.model_parallel import first_stage_activation_bytes, first_stage_parameters
from snippets.models import MODELS, gpt_like, llama_like, parameter_count

ROWS = {row["id"]: row for row in json.loads((Path(__file__).parents[1] / "published_memory.json").read_text())}


@pytest.mark.parametrize("name", MODELS)
def test_a_single_device_has_the_whole_model(name: str) -> None:
    model = MODELS[name]
    assert first_stage_parameters(name) == parameter_count(name) - model.positions * model.hidden


@pytest.mark.parametrize("stages", [1, 2, 8])
def test_what_a_pipeline_leaves_on_the_first_stage(stages: int) -> None:
    """By hand: 12d² and 13d a layer of a GPT, 4d² + 3df and 2d a layer of a Llama, a final norm, one table or two."""
    gpt = gpt_like("a GPT", layers=16, hidden=64, heads=4, vocabulary=1000, positions=32)
    layers, table = 16 * (12 * 64**2 + 13 * 64) + 2 * 64, 1000 * 64
    assert first_stage_parameters(gpt, tensor_parallel=4, stages=stages) == (layers / stages + table) / 4
    llama = llama_like("a Llama", layers=16, hidden=64, heads=4, width=96, vocabulary=1000)
    layers, tables = 16 * (4 * 64**2 + 3 * 64 * 96 + 2 * 64) + 64, table * (2 if stages == 1 else 1)
    assert first_stage_parameters(llama, tensor_parallel=4, stages=stages) == (layers / stages + tables) / 4


def test_the_first_of_uneven_stages_counts_as_one_of_the_fullest() -> None:
    gpt = gpt_like("a GPT", layers=10, hidden=64, heads=4, vocabulary=1000, positions=32)
    layers = 10 * (12 * 64**2 + 13 * 64) + 2 * 64
    assert first_stage_parameters(gpt, stages=4) == layers * 3 / 10 + 1000 * 64
    with pytest.raises(ValueError, match="stages must be at most the 10 layers of a GPT, got 11"):
        first_stage_parameters(gpt, stages=11)


@pytest.mark.parametrize("size", ["22B", "530B", "1T"])
def test_korthikanti_table_3_with_what_belongs_to_no_layer(size: str) -> None:
    row = ROWS[f"korthikanti-t3-{size}"]
    inputs = row["inputs"]
    model = gpt_like(size, layers=inputs["layers"], hidden=inputs["hidden"], heads=inputs["heads"], vocabulary=51200)
    size_: dict[str, Any] = {"sequence": inputs["seq"], "micro_batch": inputs["micro_batch"]}
    cut: dict[str, Any] = {"tensor_parallel": inputs["tp"], "sequence_parallel": True}
    held = first_stage_activation_bytes(
        model, **size_, **cut, stages=inputs["pp"], chunks=inputs["interleave"], recomputation="selective"
    )
    outside = activations.outside_layers_bytes(
        **size_, hidden=inputs["hidden"], vocabulary=51200, **cut, stages=inputs["pp"]
    )
    assert (held - outside) / 2**30 == row["expected"]["act_GiB_sp_selective"]


def test_a_vocabulary_that_cannot_be_cut_is_padded() -> None:
    """GPT-2's 50,257 columns are 50,264 over 8 ranks; without a pipeline their logits are kept."""
    size: dict[str, Any] = {"sequence": 8, "micro_batch": 1, "tensor_parallel": 2}
    odd, even = (gpt_like("x", layers=1, hidden=8, heads=2, vocabulary=columns) for columns in (7, 8))
    assert first_stage_activation_bytes(odd, **size) == first_stage_activation_bytes(even, **size)
