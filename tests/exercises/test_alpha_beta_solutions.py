"""The solutions of chapter 5 against NumPy, the simulated link and the priced schedule of a ring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exercises.foundations.alpha_beta.solution import fit_line, latency_rules_below_bytes, step_end_s
from snippets.collectives.algorithms import build
from snippets.collectives.schedule_cost import price
from snippets.foundations.alpha_beta_fit import fit_alpha_beta
from snippets.foundations.buckets import bucketed_step

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@given(seed=st.integers(0, 10**6), alpha=st.floats(1e-6, 1e-3), beta=st.floats(1e8, 1e12))
def test_fit_line_is_numpys_weighted_fit(seed: int, alpha: float, beta: float) -> None:
    rng = np.random.default_rng(seed)
    sizes = np.array([64.0, 4e3, 64e3, 1e6, 10e6, 1e9])
    times = (alpha + sizes / beta) * rng.uniform(0.97, 1.03, sizes.size)
    slope, level = np.polyfit(sizes, times, 1, w=1 / times)
    found_alpha, found_beta = fit_line(list(sizes), list(times))
    assert found_alpha == pytest.approx(level, rel=1e-6)
    assert found_beta == pytest.approx(1 / slope, rel=1e-6)
    assert found_alpha == pytest.approx(fit_alpha_beta(sizes, times).latency_s, rel=1e-6)


@given(
    layers=st.integers(1, 40),
    per_bucket=st.integers(1, 8),
    compute_s=st.floats(1e-3, 1),
    latency_s=st.floats(0, 0.1),
)
def test_equal_layers_in_equal_buckets_end_as_the_simulated_link_says(
    layers: int, per_bucket: int, compute_s: float, latency_s: float
) -> None:
    buckets, layer_bytes = layers, 1e6
    count = buckets * per_bucket
    ready = [(compute_s * (number + 1) / count, layer_bytes) for number in range(count)]
    found = step_end_s(ready, bucket_bytes=per_bucket * layer_bytes, latency_s=latency_s, bandwidth_bytes_per_s=1e9)
    run = bucketed_step(
        total_bytes=count * layer_bytes,
        buckets=buckets,
        compute_s=compute_s,
        latency_s=latency_s,
        bandwidth_bytes_per_s=1e9,
    )
    assert found == pytest.approx(run[-1].end_s, rel=1e-9)


def test_the_last_bucket_need_not_be_full() -> None:
    link = {"latency_s": 1.0, "bandwidth_bytes_per_s": 1.0}
    assert step_end_s([(0, 2), (0, 2), (0, 1)], bucket_bytes=4, **link) == (1 + 4) + (1 + 1)
    assert step_end_s([(0, 2), (10, 1)], bucket_bytes=100, **link) == 10 + 1 + 3
    assert step_end_s([], bucket_bytes=4, **link) == 0


@pytest.mark.parametrize("ranks", [2, 8, 31])
def test_at_that_size_half_of_a_rings_time_is_latency(ranks: int) -> None:
    alpha, beta = 4e-6, 25e9
    size = round(latency_rules_below_bytes(ranks=ranks, latency_s=alpha, bandwidth_bytes_per_s=beta))
    ring = price(
        build("all_reduce", "ring", ranks=ranks, length=size),
        element_bytes=1,
        latency_s=alpha,
        bandwidth_bytes_per_s=beta,
    )
    assert ring.terms.steps * alpha == pytest.approx(ring.time_s / 2, rel=1e-3)


def test_the_steps_of_the_exercise_end_as_the_chapter_says() -> None:
    layers = [(2e-3 * (number + 1), 50e6) for number in range(24)] + [(48e-3, 1e9)]
    machine = {"latency_s": 1e-3, "bandwidth_bytes_per_s": 25e9}
    ends = {size: step_end_s(layers, bucket_bytes=size * 1e6, **machine) for size in range(50, 3001, 50)}
    assert [round(ends[size] * 1e3, 6) for size in (50, 150, 200, 250, 3000)] == [115, 103, 103, 103, 137]
    assert min(ends.values()) > 102.9e-3
