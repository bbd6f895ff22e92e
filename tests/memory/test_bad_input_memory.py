"""Zero is refused where it means nothing; ``tests/test_bad_input.py`` walks over everything else that is bad."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from snippets import flops, hardware, models
from snippets.memory import activations, deepspeed, matrix_optimizers, model_parallel, recipes, step_peak, zero

WIDTH = {"sequence": 8, "micro_batch": 2, "hidden": 8}
LAYER = {**WIDTH, "heads": 4}
GPT = {"batch": 1, "sequence": 2, "layers": 2, "hidden": 4, "vocabulary": 8}
ZERO = {"parameters": 10, "ranks": 4, "stage": 2}
MODEL = models.CATALOGUE["GPT-2 124M"]
CHIP = hardware.ACCELERATORS["H100 SXM"]

# One good call of each function.
CALLS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (hardware.bits_to_bytes_per_s, {"bits_per_s": 8e9}),
    (hardware.lane_coded_bytes_per_s, {"transfers_per_s": 8e9, "lanes": 16}),
    (hardware.peak_flops_per_s, {"clock_hz": 1e9, "units": 4, "fma_per_unit_per_clock": 8}),
    (hardware.dense_peak_flops_per_s, {"accelerator": CHIP, "dtype": "bf16"}),
    (hardware.ridge_flops_per_byte, {"accelerator": CHIP, "dtype": "bf16"}),
    (models.attention_parameters, {"attention": MODEL.attention, "hidden": 4}),
    (models.feed_forward_parameters, {"hidden": 4, "width": 8, "gated": True}),
    (models.parameter_parts, {"model": MODEL}),
    (models.parameter_count, {"model": MODEL}),
    (models.active_parameter_parts, {"model": MODEL}),
    (models.active_parameter_count, {"model": MODEL}),
    (models.gpt_parameter_count, {"layers": 2, "hidden": 4, "vocabulary": 8, "positions": 8}),
    (flops.attention_pairs, {"sequence": 4}),
    (flops.attention_forward_flops, {"batch": 1, "sequence": 2, "hidden": 4}),
    (flops.layer_forward_flops, {"batch": 1, "sequence": 2, "hidden": 4}),
    (flops.gpt_training_flops, GPT),
    (flops.korthikanti_hardware_flops, GPT),
    (flops.forward_flops, {"model": MODEL, "batch": 1, "sequence": 2}),
    (flops.backward_flops, {"model": MODEL, "batch": 1, "sequence": 2}),
    (flops.training_step_flops, {"model": MODEL, "batch": 1, "sequence": 2}),
    (flops.compute_time_s, {"flops": 1e12, "flops_per_s": 1e12, "devices": 2}),
    (flops.training_flops, {"parameters": 10, "tokens": 10}),
    (flops.training_flops_per_token, {"parameters": 10, "layers": 1, "heads": 1, "head_size": 1, "sequence": 1}),
    (flops.training_time_s, {"parameters": 10, "tokens": 10, "devices": 2, "flops_per_s": 1e12}),
    (flops.flops_utilization, {"flops": 1e12, "seconds": 1.0, "devices": 2, "peak_flops_per_s": 1e12}),
    (recipes.model_state_bytes, {"parameters": 10}),
    (recipes.quantization_constant_bytes, {"parameters": 10}),
    (activations.stored_tensors, LAYER),
    (activations.layer_activation_bytes, LAYER),
    (activations.serial_activation_bytes, LAYER),
    (activations.tensor_parallel_activation_bytes, {**LAYER, "tensor_parallel": 2}),
    (activations.sequence_parallel_activation_bytes, {**LAYER, "tensor_parallel": 2}),
    (activations.selective_activation_bytes, {**WIDTH, "tensor_parallel": 2}),
    (activations.full_recomputation_activation_bytes, WIDTH),
    (activations.attention_score_bytes, {"sequence": 2, "batch": 1, "heads": 1}),
    (activations.logits_bytes, {"sequence": 2, "micro_batch": 1, "vocabulary": 8, "element_bytes": 4}),
    (activations.outside_layers_bytes, {"sequence": 2, "micro_batch": 1, "hidden": 4, "vocabulary": 8}),
    (activations.layers_in_flight, {"layers": 4}),
    (activations.rajbhandari_activation_bytes, {"layers": 4, "hidden": 4, "batch": 1, "sequence": 1}),
    (zero.shard_length, {"elements": 10, "ranks": 4, "rank": 0}),
    (zero.zero_bytes_per_parameter, {"ranks": 4, "stage": 1}),
    (zero.zero_state_bytes, ZERO),
    (zero.zero_buffer_bytes, {**ZERO, "largest_unit": 5}),
    (zero.zero_communication_elements, ZERO),
    (zero.zero_traffic_elements, ZERO),
    (zero.zero_traffic_bytes, ZERO),
    (zero.hybrid_shard_elements, {"parameters": 10, "shard_ranks": 2, "replicas": 3}),
    (zero.least_ranks_to_fit, {"parameters": 10, "memory_bytes": 90, "stage": 3}),
    (zero.largest_model_parameters, {"memory_bytes": 90, "ranks": 4, "stage": 2}),
    (zero.partitioned_activation_overhead, {}),
    (model_parallel.first_stage_parameters, {"model": MODEL, "tensor_parallel": 2, "stages": 2}),
    (
        model_parallel.first_stage_activation_bytes,
        {"model": MODEL, "sequence": 8, "micro_batch": 1, "tensor_parallel": 2, "stages": 2, "chunks": 3},
    ),
    (matrix_optimizers.newton_schulz_flops, {"rows": 2, "columns": 3}),
    (matrix_optimizers.shampoo_numbers, {"rows": 2, "columns": 3}),
    (step_peak.gpt_step_sizes, {**LAYER, "layers": 2, "vocabulary": 8}),
    (deepspeed.deepspeed_zero2_estimate, {"parameters": 10}),
    (deepspeed.deepspeed_zero3_estimate, {"parameters": 10, "largest_layer": 5}),
]


def cases() -> list[Any]:
    return [
        pytest.param(function, good, argument, id=f"{function.__name__}-{argument}")
        for function, good in CALLS
        for argument in inspect.signature(function).parameters
    ]


@pytest.mark.parametrize(("function", "good", "argument"), cases())
def test_zero_is_refused_where_nothing_is_meant_by_it(
    function: Callable[..., Any], good: dict[str, Any], argument: str
) -> None:
    allowed = {"rank", "stage", "elements", "other_bytes", "memory_bytes", "largest_unit", "positions"}
    if argument in allowed or (argument == "parameters" and function.__module__.endswith(("zero", "recipes"))):
        if function is zero.least_ranks_to_fit and argument == "parameters":
            with pytest.raises(ValueError, match="parameters"):
                function(**{**good, argument: 0})
        return
    with pytest.raises((ValueError, TypeError), match=argument):
        function(**{**good, argument: 0})


def test_whole_floats_count_where_counts_are_written_with_exponents() -> None:
    assert zero.zero_state_bytes(7e9, ranks=4, stage=1) == zero.zero_state_bytes(7 * 10**9, ranks=4, stage=1)
    assert recipes.model_state_bytes(7e9).total == 112 * 10**9
    assert isinstance(flops.training_flops(parameters=7e9, tokens=1e12), int)
    large = 10**18 + 1  # not a float
    assert zero.zero_state_bytes(large, ranks=1, stage=0).total == 16 * large
    assert flops.training_flops(parameters=large, tokens=1) == 6 * large
