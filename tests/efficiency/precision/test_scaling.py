"""Chapter 32: blocks with scales, against loops over blocks with the formulas of one block, and by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.efficiency.precision.formats import (
    NUMBER_FORMATS,
    block_scaled_bits,
    format_values,
    largest_finite,
    mx_block_scale,
    nearest_in_format,
    nvfp4_block_scale,
    nvfp4_tensor_scale,
    scaled_block,
    unit_in_last_place,
)
from snippets.efficiency.precision.scaling import delayed_scales, scale_and_round
from snippets.efficiency.precision.scaling_recipes import SCALING_RECIPES, ScalingRecipe

ROWS = st.integers(1, 6)


def one_scale(largest: float, plan: ScalingRecipe, tensor: float) -> float:
    """Return a block's whole scale by the formulas of one block, or by trying powers of two."""
    most = largest_finite(plan.number_format)
    if plan.scale == "nvfp4":
        return nvfp4_block_scale(largest, tensor_scale=tensor) * tensor
    if plan.scale in ("mx-floor", "mx-ceiling"):
        return mx_block_scale(largest, number_format=plan.number_format, rule=plan.scale.removeprefix("mx-"))
    if largest == 0:
        return 1.0
    if plan.scale == "power":
        return next(2.0**power for power in range(-126, 128) if largest / 2.0**power <= most)
    return max(nearest_in_format(largest / most, number_format="fp32"), 2.0**-126)


def by_blocks(table: list[list[float]], plan: ScalingRecipe) -> tuple[list[list[float]], int]:
    """Return what is left of a matrix, block by block in Python's own floats, and how many blocks there are."""
    height, width = plan.rows or len(table), plan.columns or len(table[0])
    tensor = nvfp4_tensor_scale(max(abs(value) for row in table for value in row))
    left, blocks = [list(row) for row in table], 0
    for top in range(0, len(table), height):
        for start in range(0, len(table[0]), width):
            places = [
                (i, j)
                for i in range(top, min(top + height, len(table)))
                for j in range(start, min(start + width, len(table[0])))
            ]
            numbers = [table[i][j] for i, j in places]
            scale = one_scale(max(map(abs, numbers)), plan, tensor)
            for (i, j), value in zip(
                places, scaled_block(numbers, scale=scale, number_format=plan.number_format), strict=True
            ):
                left[i][j] = value
            blocks += 1
    return left, blocks


@pytest.mark.parametrize("name", SCALING_RECIPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 40), (17, 33), (130, 129), (2, 300)])
def test_every_recipe_by_a_loop_over_its_blocks(name: str, shape: tuple[int, int]) -> None:
    plan, rng = SCALING_RECIPES[name], np.random.default_rng(shape[1])
    table = rng.normal(size=shape) * np.exp(3 * rng.normal(size=shape))
    table[rng.random(shape) < 0.1] = 0.0
    found = scale_and_round(table, recipe=name)
    left, blocks = by_blocks(table.tolist(), plan)
    assert found.values.tolist() == left
    assert found.scales.size == blocks
    assert set(np.abs(found.rounded).ravel()) <= set(np.abs(format_values(plan.number_format)))
    wanted = NUMBER_FORMATS[plan.number_format].bits * table.size / 8
    assert found.value_bytes == math.ceil(wanted)
    assert found.scale_bytes == blocks * plan.scale_bits // 8 + (4 if plan.scale == "nvfp4" else 0)


@given(data=st.data(), name=st.sampled_from(sorted(SCALING_RECIPES)))
def test_any_matrix_by_a_loop_over_its_blocks(data: st.DataObject, name: str) -> None:
    rows, columns = data.draw(ROWS), data.draw(st.integers(1, 40))
    one = st.one_of(st.just(0.0), st.floats(-1e30, 1e30, allow_subnormal=False), st.floats(-4, 4))
    table = data.draw(st.lists(st.lists(one, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    assert scale_and_round(table, recipe=name).values.tolist() == by_blocks(table, SCALING_RECIPES[name])[0]


@pytest.mark.parametrize(
    ("name", "bits"),
    [("mxfp8", 8.25), ("mxfp6", 6.25), ("mxfp4", 4.25), ("fp8-block", 8.25), ("fp8-tile", 8 + 1 / 512)],
)
def test_bits_of_full_blocks(name: str, bits: float) -> None:
    plan = SCALING_RECIPES[name]
    assert scale_and_round(np.ones((256, 256)), recipe=name).bits_per_value == bits
    block = (plan.rows or 256) * (plan.columns or 256)
    assert block_scaled_bits(plan.number_format, block=block, scale_bits=plan.scale_bits) == bits


def test_nvfp4_has_four_and_a_half_bits_and_one_number() -> None:
    found = scale_and_round(np.ones((512, 512)), recipe="nvfp4")
    assert found.bits_per_value == 4.5 + 32 / 512**2
    assert scale_and_round(np.ones(3), recipe="nvfp4").value_bytes == 2  # 12 bits


def test_a_format_in_another_spelling_is_kept_by_its_name() -> None:
    assert ScalingRecipe("mine", "float8_e4m3fn", 1, 32).number_format == "e4m3"


def test_by_hand() -> None:
    """Four numbers, OCP's rule: ⌊log2 7⌋ − 2 = 0, and 7 saturates at 6; by the ceiling, the scale is 2."""
    values = [7.0, 1.3, -0.3, 0.2]
    assert scale_and_round(values, recipe="mxfp4").values.tolist() == [6.0, 1.5, -0.5, 0.0]
    ceiling = ScalingRecipe("mine", "fp4", 1, 32, "mx-ceiling")
    assert scale_and_round(values, recipe=ceiling).values.tolist() == [8.0, 1.0, 0.0, 0.0]
    thousand = scale_and_round([1000.0, 1.0], recipe="int8-tensor")
    assert thousand.rounded.tolist() == [127.0, 0.0]


def test_blocks_keep_an_outlier_to_themselves() -> None:
    """One number a thousand times as large as all others costs its block, and with one scale all of the tensor."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(64, 256))
    table[3, 7] = 5000.0

    def lost(name: str) -> float:
        left = scale_and_round(table, recipe=name).values
        return float((left[table < 100] == 0).mean())

    assert lost("fp4-tensor") > 0.99
    assert lost("nvfp4") < 0.2
    assert lost("mxfp4") < 0.25
    assert lost("fp8-tensor") < 0.02


@pytest.mark.parametrize("name", [name for name in SCALING_RECIPES if SCALING_RECIPES[name].scale.endswith("ceiling")])
def test_the_ceiling_never_saturates(name: str) -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(50, 320)) * np.exp(rng.normal(size=(50, 320)))
    found, plan = scale_and_round(table, recipe=name), SCALING_RECIPES[name]
    shares = np.abs(table) / np.repeat(found.scales, plan.columns or 320, axis=1)
    assert shares.max() <= largest_finite(plan.number_format)
    gaps = [unit_in_last_place(share, number_format=plan.number_format) for share in shares.ravel().tolist()]
    wrong = np.abs(found.values - table).ravel() / np.repeat(found.scales, plan.columns or 320, axis=1).ravel()
    assert (wrong <= np.array(gaps) / 2).all()
    floor = np.abs(table) / np.repeat(scale_and_round(table, recipe="mxfp8").scales, 32, axis=1)
    assert 0 < (floor > 448).sum() < 0.02 * table.size  # OCP's rule does


def test_power_of_two_scales_leave_a_tile_and_its_transpose_alike() -> None:
    table = np.random.default_rng(2).normal(size=(256, 384))
    tile = scale_and_round(table, recipe="fp8-tile").values
    assert np.array_equal(tile, scale_and_round(table.T, recipe="fp8-tile").values.T)
    square = scale_and_round(table, recipe="nvfp4-tile").values
    assert np.array_equal(square, scale_and_round(table.T, recipe="nvfp4-tile").values.T)
    block = scale_and_round(table, recipe="nvfp4").values
    assert not np.array_equal(block, scale_and_round(table.T, recipe="nvfp4").values.T)


def test_rounding_at_random_keeps_the_mean_of_a_block() -> None:
    value, copies = 0.37, 20_000
    table = np.full((copies, 16), value)
    table[:, 0] = 1.0
    left = scale_and_round(table, recipe="nvfp4", generator=np.random.default_rng(7)).values[:, 1:]
    assert len(set(np.round(left, 9).ravel())) == 2
    assert abs(left.mean() - value) < 4 * 0.5 / 6 / left.size**0.5


def test_shapes() -> None:
    cube = np.random.default_rng(3).normal(size=(2, 3, 48))
    found = scale_and_round(cube, recipe="mxfp8")
    assert np.array_equal(found.values.reshape(6, 48), scale_and_round(cube.reshape(6, 48), recipe="mxfp8").values)
    assert found.scales.shape == (6, 2)
    assert scale_and_round(cube[0, 0], recipe="fp8-row").scales.shape == (1, 1)
    assert scale_and_round(3.0, recipe="fp8-tensor").values.shape == ()
    with pytest.raises(ValueError, match="values must hold a number"):
        scale_and_round([], recipe="mxfp8")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"number_format": "e8m0"}, "number_format must have a sign"),
        ({"number_format": "e4m3", "scale": "nvfp4"}, "scale must not be 'nvfp4'"),
        ({"number_format": "e4m3", "columns": 0}, "columns must be"),
        ({"number_format": "e4m3", "scale": "bf16"}, "scale must be one of"),
    ],
)
def test_recipes_that_are_none(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ScalingRecipe("wrong", **fields)


@given(
    largest=st.lists(st.one_of(st.just(0.0), st.floats(1e-10, 1e10)), min_size=1, max_size=20),
    history=st.integers(1, 6),
    margin=st.integers(0, 3),
)
def test_delayed_scales_by_a_queue(largest: list[float], history: int, margin: int) -> None:
    """A queue of the length of the history, shifted after each step, zeros at first, as libraries keep it."""
    queue, scales = [0.0] * history, []
    for value in largest:
        seen = max(queue)
        scales.append(seen / 448 * 2**margin if seen else 1.0)
        queue = [value, *queue[:-1]]
    found = delayed_scales(largest, history=history, margin=margin)
    assert found.scales.tolist() == pytest.approx(scales, rel=1e-12)
    shares = [value / (scale * 448) for value, scale in zip(largest, scales, strict=True)]
    assert found.range_shares.tolist() == pytest.approx(shares, rel=1e-12)
    assert found.saturated_steps == sum(share > 1 for share in found.range_shares.tolist())


def test_a_spike_saturates_once_and_costs_a_history() -> None:
    run = delayed_scales([1.0] * 5 + [8.0] + [1.0] * 8, history=4)
    assert run.range_shares[5:].tolist() == [8.0, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 1.0, 1.0, 1.0, 1.0]
    assert run.saturated_steps == 1
