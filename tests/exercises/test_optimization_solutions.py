"""The solutions of A3's exercises against linear algebra, simulated clipping, real arrays and an integral."""

from __future__ import annotations

import math

import numpy as np
import pytest

from exercises.background.optimization.solution import (
    largest_curvature,
    largest_stable_step,
    second_moment_bytes,
    square_norm_share,
    warmup_updates,
)
from snippets.background import descent
from snippets.background.descent import clip_scale, cosine_schedule
from snippets.background.descent_paths import clip_by_global_norm, double_well, quadratic

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@pytest.mark.parametrize("seed", range(5))
def test_power_iteration_finds_the_largest_eigenvalue(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(6, 6))
    hessian = factor @ factor.T
    hessian = (hessian + hessian.T) / 2
    surface = quadratic(hessian, minimum=rng.normal(size=6))
    found = largest_curvature(
        lambda x: surface.gradient(np.array(x)).tolist(),
        at=rng.normal(size=6).tolist(),
        start=rng.normal(size=6).tolist(),
        iterations=400,
    )
    assert found == pytest.approx(np.linalg.eigvalsh(hessian)[-1], rel=1e-5)


def test_the_curvature_of_a_surface_that_bends_differently_everywhere() -> None:
    well = double_well(curvature=1.5)
    for at in ([1.2, 0.3], [2.0, -1.0]):
        found = largest_curvature(
            lambda x: well.gradient(np.array(x)).tolist(), at=at, start=[0.6, 0.8], iterations=60, distance=1e-6
        )
        assert found == pytest.approx(np.linalg.eigvalsh(well.hessian(np.array(at)))[-1], rel=1e-4)


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_shares_add_up_to_the_square_of_the_norm(workers: int) -> None:
    rng = np.random.default_rng(workers)
    shards = [rng.normal(size=5 + rank) for rank in range(workers)]
    replicated = rng.normal(size=7)
    shares = [square_norm_share(shard.tolist(), replicated.tolist(), workers=workers) for shard in shards]
    clipped = clip_by_global_norm([*shards, replicated], max_norm=1.0)  # the replicated gradient once
    assert math.sqrt(sum(shares)) == pytest.approx(clipped.global_norm)
    assert clip_scale([math.sqrt(share) for share in shares], max_norm=1.0) == pytest.approx(clipped.scale)


def test_second_moments_are_arrays_of_that_size() -> None:
    shapes = [(30, 50), (50,), (50, 7), (3, 4, 5)]
    assert second_moment_bytes(shapes, factored=False) == sum(np.zeros(shape, np.float32).nbytes for shape in shapes)
    kept = [np.zeros(30), np.zeros(50), np.zeros(50), np.zeros(50), np.zeros(7), np.zeros((3, 4, 5))]
    assert second_moment_bytes(shapes, factored=True, bytes_per_number=8) == sum(array.nbytes for array in kept)


def test_updates_of_a_warm_up() -> None:
    gpt3 = {"warmup_tokens": 375e6, "first_batch_tokens": 32e3, "full_batch_tokens": 3.2e6}
    for ramp in (4e9, 12e9):
        # dt/dτ = 1/B(τ) with B on a line from 32e3 to 3.2e6 over the ramp
        slope = (3.2e6 - 32e3) / ramp
        integral = math.log1p(slope * 375e6 / 32e3) / slope
        assert warmup_updates(**gpt3, ramp_tokens=ramp) == pytest.approx(integral, abs=3)
    assert warmup_updates(**gpt3, ramp_tokens=0) == 118
    assert warmup_updates(warmup_tokens=100, first_batch_tokens=10, full_batch_tokens=10, ramp_tokens=50) == sum(
        cosine_schedule(t, peak=1, warmup_steps=10, total_steps=20) < 1 for t in range(11)
    )


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_just_below_the_largest_stable_step_descent_converges_and_just_above_it_diverges(
    seed: int, momentum: float
) -> None:
    factor = np.random.default_rng(seed).normal(size=(2, 2))
    hessian = factor @ factor.T
    border = largest_stable_step(hessian.tolist(), momentum=momentum)
    flat, steep = np.linalg.eigvalsh(hessian)
    assert border == pytest.approx(descent.largest_stable_step(steep, momentum=momentum))
    ends = {"momentum": momentum, "smallest_curvature": flat, "largest_curvature": steep}
    assert descent.momentum_rate(step=border * 0.999, **ends) < 1 < descent.momentum_rate(step=border * 1.001, **ends)
