"""Chapter 32: loss scales, against PyTorch's own scaler, and what underflows, against NumPy's float16."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.efficiency.precision.loss_scaling import dynamic_loss_scales, flushed_share


def by_pytorch(largest: list[float], settings: dict[str, Any]) -> tuple[list[float], list[bool]]:
    """Return the scales of PyTorch's scaler and the steps in which it left the weight alone."""
    torch = pytest.importorskip("torch")
    scaler = torch.amp.GradScaler("cpu", **settings)
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scales, skipped = [], []
    for magnitude in largest:
        scaler.scale(torch.ones(1))
        scales.append(scaler.get_scale())
        with np.errstate(over="ignore"):
            gradient = np.float16(magnitude * scales[-1])
        weight.grad = torch.tensor([float(gradient)])
        before = weight.item()
        scaler.step(optimizer)
        scaler.update()
        skipped.append(weight.item() == before)
    return scales, skipped


@given(
    exponents=st.lists(st.integers(-8, 4), min_size=1, max_size=40),
    initial=st.sampled_from([1.0, 1024.0, 65_536.0]),
    interval=st.integers(1, 5),
)
def test_pytorchs_scaler(exponents: list[int], initial: float, interval: int) -> None:
    largest = [1.5 * 2.0**exponent for exponent in exponents]
    scales, skipped = by_pytorch(
        largest, {"init_scale": initial, "growth_interval": interval, "growth_factor": 2.0, "backoff_factor": 0.5}
    )
    found = dynamic_loss_scales(largest, initial=initial, growth_interval=interval)
    assert (found.scales.tolist(), found.skipped.tolist()) == (scales, skipped)
    assert found.skipped_steps == sum(skipped)


def test_the_defaults_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaler = torch.amp.GradScaler("cpu")
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor()) == (2.0, 0.5)
    assert (scaler.get_scale(), scaler.get_growth_interval()) == (65_536.0, 2000)
    run = dynamic_loss_scales([0.1] * 2001)
    assert (run.scales[0], run.scales[1999], run.scales[2000]) == (65_536, 65_536, 131_072)


def test_the_scale_settles_below_the_largest_number() -> None:
    """Gradients of 1: the scale stays within a factor of two of what fp16 holds, and each growth costs a step."""
    run = dynamic_loss_scales([1.0] * 1000, growth_interval=50)
    assert set(run.scales[1:].tolist()) == {32_768.0, 65_536.0}
    assert run.skipped_steps == math.ceil(999 / 51)


@given(
    values=st.lists(st.floats(-1e-6, 1e-6), min_size=1, max_size=50),
    power=st.integers(0, 12),
)
def test_what_numpys_half_flushes(values: list[float], power: int) -> None:
    scaled = (np.array(values) * 2.0**power).astype(np.float16)
    there = np.array(values) != 0
    wanted = float((scaled[there] == 0).mean()) if there.any() else 0.0
    assert flushed_share(values, number_format="fp16", scale=2.0**power) == wanted


def test_bf16_needs_no_loss_scale() -> None:
    gradients = 10.0 ** np.random.default_rng(2).uniform(-12, -2, 5000)
    assert flushed_share(gradients, number_format="fp16") > 0.4
    assert flushed_share(gradients, number_format="fp16", scale=65_536) < 0.05
    assert flushed_share(gradients, number_format="bf16") == 0


def test_what_a_loss_scale_refuses() -> None:
    with pytest.raises(ValueError, match="must have infinities"):
        dynamic_loss_scales([1.0], number_format="e4m3")
    with pytest.raises(ValueError, match="must have a sign"):
        flushed_share([1.0], number_format="e8m0")
    with pytest.raises(ValueError, match="growth must be above 1"):
        dynamic_loss_scales([1.0], growth=1.0)
    with pytest.raises(ValueError, match="backoff must be below 1"):
        dynamic_loss_scales([1.0], backoff=1.0)
    with pytest.raises(ValueError, match="must keep the scale"):
        dynamic_loss_scales([0.0, 0.0, 0.0], initial=1e308, growth_interval=1)
