"""ZeRO's bytes and volumes against the papers' tables and brute force; DeepSpeed's estimates against its documents.

The simulator that really shards Adam is held to the same formulas in test_sharded_adam.py.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero import formulas as zero
from snippets.memory.zero.deepspeed import deepspeed_zero2_estimate, deepspeed_zero3_estimate
from snippets.recipes import RECIPES, Recipe, model_state_bytes

ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row
    for row in json.loads((Path(__file__).parents[1] / "published_memory.json").read_text(encoding="utf-8"))
}
TABLE_1 = [row for name, row in ROWS.items() if name.startswith("zero-t1-")]
GB, GIB = 10**9, 2**30


def test_table_1_is_whole() -> None:
    assert len(TABLE_1) == 3 * 6 * 3


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row["id"])
def test_zero_paper_table_1(row: dict[str, Any]) -> None:
    inputs, printed = row["inputs"], row["expected"]["GB_printed"]
    shape: dict[str, Any] = {"ranks": inputs["dp"], "stage": inputs["stage"]}
    mean = zero.zero_bytes_per_parameter(**shape) * int(inputs["params"]) / GB
    assert mean == pytest.approx(row["expected"]["GB_exact"], abs=1e-6)
    # The 7.5B column is rounded; the 128B and 1T columns are cut off (4187.5 is printed as 4187).
    if inputs["params"] > 1e10 and printed >= 100:
        assert int(mean) == printed
    else:
        assert abs(Fraction(mean) - Fraction(str(printed))) <= Fraction(1, 20)
    # A rank's own bytes differ from the mean by less than one parameter's.
    fullest = zero.zero_state_bytes(inputs["params"], **shape).total
    assert -1e-15 * fullest <= fullest - mean * GB < 16


@pytest.mark.parametrize("ranks", [1, 8, 64])
def test_megatron_distributed_optimizer(ranks: int) -> None:
    expected = ROWS[f"megatron-bytes-per-param-dp{ranks}"]["expected"]["bytes_per_param"]
    got = zero.zero_bytes_per_parameter(ranks=ranks, stage=int(ranks > 1), recipe="mixed-adam-fp32-gradients")
    assert got == expected


def test_twelve_byte_convention_beside_sixteen() -> None:
    # Without a master copy: 12, 4 + 8/N, 2 + 10/N, 12/N.
    got = [zero.zero_bytes_per_parameter(ranks=4, stage=s, recipe="16-bit-adam-fp32-moments") for s in zero.STAGES]
    assert got == [12, 6, 4.5, 3]


kinds = st.sampled_from(sorted(RECIPES))
stages = st.sampled_from(zero.STAGES)


@given(st.integers(0, 400), st.integers(1, 30))
def test_shards_by_dealing_out(elements: int, ranks: int) -> None:
    dealt = [0] * ranks
    for element in range(elements):
        dealt[element % ranks] += 1
    assert [zero.shard_length(elements, ranks=ranks, rank=rank) for rank in range(ranks)] == dealt


@given(st.integers(0, 10**6), st.integers(1, 40), stages, kinds)
def test_ranks_together_hold_what_the_mean_says(count: int, ranks: int, stage: int, recipe: str) -> None:
    held = [zero.zero_state_bytes(count, ranks=ranks, stage=stage, recipe=recipe, rank=rank) for rank in range(ranks)]
    mean = zero.zero_bytes_per_parameter(ranks=ranks, stage=stage, recipe=recipe)
    assert sum(state.total for state in held) == pytest.approx(mean * count * ranks, rel=1e-14)
    assert held[0].total == max(state.total for state in held)
    whole = model_state_bytes(count, recipe=recipe)
    together = {kind: sum(getattr(state, kind) for state in held) for kind in ("parameters", "gradients", "optimizer")}
    assert together["optimizer"] == whole.optimizer * (1 if stage >= 1 else ranks)
    assert together["gradients"] == whole.gradients * (1 if stage >= 2 else ranks)
    assert together["parameters"] == whole.parameters * (1 if stage >= 3 else ranks)
    late = zero.zero_state_bytes(count, ranks=ranks, stage=stage, recipe=recipe, reduce_each=False)
    assert late.gradients == whole.gradients
    assert (late.parameters, late.optimizer) == (held[0].parameters, held[0].optimizer)


def test_defaults_are_the_paper_s() -> None:
    # Each micro-batch reduced, parameters gathered again, rank 0, one micro-batch, mixed-precision Adam.
    shape: dict[str, Any] = {"ranks": 4, "stage": 3}
    full: dict[str, Any] = {"micro_batches": 1, "reduce_each": True, "gather_again": True}
    assert zero.zero_traffic_elements(7, **shape) == zero.zero_traffic_elements(7, rank=0, **full, **shape)
    assert zero.zero_traffic_bytes(7, **shape) == zero.zero_traffic_bytes(
        7, rank=0, recipe="mixed-adam", **full, **shape
    )
    assert zero.zero_traffic_elements(7, micro_batches=2, **shape).sent_gradients == 2 * (7 - 2)
    assert zero.zero_traffic_elements(7, micro_batches=2, **shape).sent_parameters == 4 * (7 - 2)
    assert zero.zero_communication_elements(7, micro_batches=2, stage=3) == 2 * 3 * 7
    assert zero.zero_state_bytes(7, **shape) == zero.zero_state_bytes(7, rank=0, reduce_each=True, **shape)
    assert zero.zero_state_bytes(7, **shape).gradients == 4
    assert zero.zero_buffer_bytes(7, largest_unit=5, **shape) == (2 + 2) * 5
    assert zero.zero_buffer_bytes(7, largest_unit=5, gather_again=False, **shape) == 2 * 5 + 2 * 7
    assert zero.zero_buffer_bytes(7, largest_unit=5, reduce_each=False, **shape) == 2 * 5
    assert zero.zero_buffer_bytes(7, largest_unit=5, ranks=4, stage=2) == 2 * 5
    assert zero.zero_buffer_bytes(7, largest_unit=5, ranks=4, stage=1) == 0
    assert zero.zero_buffer_bytes(7, largest_unit=5, ranks=1, stage=3) == 0
    assert zero.zero_buffer_bytes(7, largest_unit=7, ranks=2, stage=2, recipe="mixed-adam-fp32-gradients") == 28


@pytest.mark.parametrize("stage", zero.STAGES)
def test_published_volumes(stage: int) -> None:
    expected = ROWS[f"zero-comm-s{stage}"]["expected"]["volume_in_psi"]
    assert zero.zero_communication_elements(1, stage=stage) == expected


def test_published_volume_in_bytes() -> None:
    expected = ROWS["zero-comm-bytes-10B"]["expected"]
    for stage, key in ((0, "ddp_GB"), (1, "zero1_GB"), (3, "zero3_GB")):
        assert 2 * zero.zero_communication_elements(10e9, stage=stage) == expected[key] * GB


def test_stage_3_is_one_and_a_half_times_never_less() -> None:
    # Corrections 6 and 7, and what gradient accumulation adds.
    for ranks in (2, 3, 8, 1000):
        base = zero.zero_communication_elements(10**6, stage=0, ranks=ranks)
        volume = [
            [zero.zero_communication_elements(10**6, stage=s, ranks=ranks, micro_batches=m) / base for s in zero.STAGES]
            for m in (1, 4)
        ]
        assert volume == [pytest.approx([1, 1, 1, 1.5], rel=1e-14), pytest.approx([1, 1, 2.5, 6], rel=1e-14)]
    kept = [
        zero.zero_communication_elements(2, stage=stage, micro_batches=4, reduce_each=False) for stage in zero.STAGES
    ]
    assert kept == [4, 4, 4, 18]
    # Llama 3 keeps the gathered parameters for the backward pass: 2Ψ.
    assert zero.zero_communication_elements(1, stage=3, gather_again=False) == 2


@given(st.integers(0, 10**6), st.integers(1, 40), stages, st.integers(1, 5), st.booleans(), st.booleans(), kinds)
def test_ranks_together_send_what_the_mean_says(
    count: int, ranks: int, stage: int, passes: int, each: bool, again: bool, recipe: str
) -> None:
    how: dict[str, Any] = {"stage": stage, "micro_batches": passes, "reduce_each": each, "gather_again": again}
    traffic = [zero.zero_traffic_elements(count, ranks=ranks, rank=rank, **how) for rank in range(ranks)]
    mean = zero.zero_communication_elements(count, ranks=ranks, **how)
    assert sum(one.sent for one in traffic) == sum(one.received for one in traffic)
    assert sum(one.sent for one in traffic) == pytest.approx(mean * ranks, rel=1e-14)
    kept = RECIPES[recipe]
    for rank, one in enumerate(traffic):
        sized = zero.zero_traffic_bytes(count, ranks=ranks, rank=rank, recipe=recipe, **how)
        assert sized.sent == one.sent_gradients * kept.gradients + one.sent_parameters * kept.parameters
        assert sized.received == one.received_gradients * kept.gradients + one.received_parameters * kept.parameters
        assert stage > 0 or sized.sent_parameters == sized.received_parameters == 0


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 9), stages, st.integers(1, 3), st.booleans(), st.booleans())
def test_each_rank_of_a_ring_by_following_its_chunks(
    count: int, ranks: int, stage: int, passes: int, each: bool, again: bool
) -> None:
    chunks = [zero.shard_length(count, ranks=ranks, rank=rank) for rank in range(ranks)]
    sent = {phase: [0] * ranks for phase in ("reduce", "gather")}
    received = {phase: [0] * ranks for phase in ("reduce", "gather")}
    # A chunk goes once around: to its owner in a reduce-scatter, away from its owner in an all-gather.
    for owner, size in enumerate(chunks):
        for hop in range(ranks - 1):
            for phase, start in (("reduce", owner + 1), ("gather", owner)):
                sent[phase][(start + hop) % ranks] += size
                received[phase][(start + hop + 1) % ranks] += size
    reduces = passes if stage >= 2 and each else 1
    gathers = 1 if stage < 3 else passes * 2 if again else passes
    for rank in range(ranks):
        got = zero.zero_traffic_elements(
            count, ranks=ranks, stage=stage, rank=rank, micro_batches=passes, reduce_each=each, gather_again=again
        )
        assert got.sent == reduces * sent["reduce"][rank] + gathers * sent["gather"][rank]
        assert got.received == reduces * received["reduce"][rank] + gathers * received["gather"][rank]
        assert stage == 0 or got.sent_gradients == reduces * sent["reduce"][rank]
        assert stage == 0 or got.received_gradients == reduces * received["reduce"][rank]


def fits(count: int, ranks: int, stage: int, recipe: Recipe, memory: int) -> bool:
    return zero.zero_state_bytes(count, ranks=ranks, stage=stage, recipe=recipe).total <= memory


drawn_recipes = st.builds(
    Recipe,
    st.just("drawn"),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 4),
)


@settings(max_examples=examples(300))
@given(st.integers(1, 60), st.integers(0, 900), stages, drawn_recipes, st.integers(0, 50))
def test_least_ranks_by_trying_all(count: int, memory: int, stage: int, recipe: Recipe, other: int) -> None:
    # More ranks than parameters change nothing: the fullest rank then holds one.
    tried = [n for n in range(1, count + 1) if fits(count, n, stage, recipe, memory - other)]
    got = zero.least_ranks_to_fit(count, memory_bytes=memory, stage=stage, recipe=recipe, other_bytes=other)
    assert got == (tried[0] if tried else None)


@settings(max_examples=examples(300))
@given(st.integers(0, 500), st.integers(1, 12), stages, drawn_recipes, st.integers(1, 4))
def test_largest_model_by_trying_all(memory: int, ranks: int, stage: int, recipe: Recipe, copies: int) -> None:
    how: dict[str, Any] = {"memory_bytes": memory, "ranks": ranks, "stage": stage, "recipe": recipe}
    if recipe.bytes_per_parameter == 0:
        with pytest.raises(ValueError, match="recipe must need at least one byte"):
            zero.largest_model_parameters(**how)
        return
    best = max(count for count in range(memory * ranks + 1) if fits(count, ranks, stage, recipe, memory))
    assert zero.largest_model_parameters(**how) == best
    assert zero.largest_model_parameters(**how, model_parallel=copies) == copies * best


@pytest.mark.parametrize("copies", [1, 2, 4, 16])
def test_zero_paper_table_2(copies: int) -> None:
    row = ROWS[f"zero-t2-mp{copies}"]
    inputs = row["inputs"]
    for stage, key in enumerate(("baseline_B", "Pos_B", "Posg_B", "Posgp_B")):
        got = zero.largest_model_parameters(
            memory_bytes=inputs["gpu_GB"] * GB, ranks=inputs["dp"], stage=stage, model_parallel=inputs["mp"]
        )
        assert got / 1e9 == pytest.approx(row["expected"][key], rel=row["tolerance"]["rel"])


def test_partitioned_activations() -> None:
    expected = ROWS["zero-pa-overhead"]["expected"]
    share = zero.partitioned_activation_overhead(all_reduces=ROWS["zero-pa-overhead"]["inputs"]["baseline_allreduces"])
    assert share == expected["pa_extra_in_sh"] / expected["baseline_in_sh"]
    assert share == pytest.approx(expected["fraction"])


def test_deepspeed_zero2() -> None:
    row = ROWS["ds-zero2-t5-3b-offload0"]
    got = deepspeed_zero2_estimate(row["inputs"]["total_params"], devices_per_node=8, offload_optimizer=False)
    # DeepSpeed prints these as GB; they are GiB.
    assert round(got.cpu_bytes / GIB, 2) == row["expected"]["cpu_GiB"]
    assert round(got.gpu_bytes / GIB, 2) == row["expected"]["gpu_GiB"]


@pytest.mark.parametrize(
    ("nodes", "gpus", "offload", "cpu", "gpu"),
    [(1, 8, True, 48 * 10, 20), (1, 2, True, 24 * 10, 20), (2, 8, True, 96 * 10, 20), (2, 8, False, 48 * 10, 31)],
)
def test_deepspeed_zero2_by_hand(nodes: int, gpus: int, offload: bool, cpu: int, gpu: int) -> None:
    got = deepspeed_zero2_estimate(10, nodes=nodes, devices_per_node=gpus, offload_optimizer=offload)
    assert (got.cpu_bytes, got.gpu_bytes) == (cpu, gpu)


def test_deepspeed_defaults_are_one_gpu_with_everything_on_the_host() -> None:
    two, three = deepspeed_zero2_estimate(10), deepspeed_zero3_estimate(10, largest_layer=4)
    assert (two.cpu_bytes, two.gpu_bytes) == (240, 20)
    assert (three.cpu_bytes, three.gpu_bytes) == (270, 16)
    assert deepspeed_zero2_estimate(10, offload_optimizer=False).gpu_bytes == 20 + 180
    assert deepspeed_zero2_estimate(10, offload_optimizer=False).cpu_bytes == 60


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_deepspeed_zero3(number: int) -> None:
    row = ROWS[f"ds-zero3-t5-3b-{number}"]
    inputs = row["inputs"]
    got = deepspeed_zero3_estimate(
        inputs["total_params"],
        largest_layer=inputs["largest_layer_params"],
        devices_per_node=inputs["gpus_per_node"],
        nodes=inputs["nodes"],
        offload_optimizer=inputs["offload_optimizer"],
        offload_parameters=inputs["offload_param"],
        sharded_init=inputs["zero_init"],
    )
    assert got.cpu_bytes / GIB == pytest.approx(row["expected"]["cpu_GiB"], abs=0.0051)
    assert got.gpu_bytes / GIB == pytest.approx(row["expected"]["gpu_GiB"], abs=0.0051)


@pytest.mark.parametrize(
    ("change", "cpu", "gpu"),
    [
        ({}, 18 * 12 // 2, 4 * 5),
        ({"sharded_init": False}, 16 * 12, 4 * 5),
        ({"sharded_init": False, "devices_per_node": 1}, 12 * 9, 4 * 5),
        ({"offload_parameters": False}, 16 * 12 // 2, 4 * 5 + 24 // 8),
        ({"offload_parameters": False, "sharded_init": False, "devices_per_node": 1}, 12 * 8, 4 * 5 + 24 // 2),
        ({"offload_optimizer": False}, 5 * 4 * 4, 4 * 5 + 18 * 12 // 8),
        ({"offload_optimizer": False, "sharded_init": False}, 12 * 4 * 4, 4 * 5 + 18 * 12 // 8),
        ({"buffer_factor": 1.5}, 18 * 6 * 3 // 2, 4 * 5),
    ],
)
def test_deepspeed_zero3_by_hand(change: dict[str, Any], cpu: int, gpu: int) -> None:
    how = {"largest_layer": 5, "devices_per_node": 4, "nodes": 2, "buffer_factor": 1.0, **change}
    got = deepspeed_zero3_estimate(12, **how)
    assert (got.cpu_bytes, got.gpu_bytes) == (cpu, gpu)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="largest_layer must be at most parameters = 3, got 4"):
        deepspeed_zero3_estimate(3, largest_layer=4)
    assert deepspeed_zero3_estimate(1, largest_layer=1).gpu_bytes == 4  # all of a model may be one layer
    uneven = deepspeed_zero3_estimate(7, largest_layer=5, devices_per_node=4, offload_optimizer=False)
    assert uneven.gpu_bytes == 4 * 5 + 31  # of 18 · 7 / 4 = 31.5
    with pytest.raises(ValueError, match="largest_unit must be at most parameters = 3, got 4"):
        zero.zero_buffer_bytes(3, largest_unit=4, ranks=2, stage=3)
    with pytest.raises(ValueError, match="rank must be an integer of at most ranks − 1 = 1, got 2"):
        zero.shard_length(3, ranks=2, rank=2)
    with pytest.raises(ValueError, match="stage must be one of 0, 1, 2, 3, got 4"):
        zero.zero_bytes_per_parameter(ranks=2, stage=4)
    with pytest.raises(ValueError, match="buffer_factor"):
        deepspeed_zero2_estimate(10**20, buffer_factor=1e300)
