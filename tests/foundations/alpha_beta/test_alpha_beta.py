"""Message times, buckets and LogGP against simulations of their own; the fit against NumPy's and against noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.foundations.alpha_beta.fit import fit_alpha_beta
from snippets.foundations.alpha_beta.formulas import (
    best_buckets,
    bucketed_step_time_s,
    effective_bandwidth_bytes_per_s,
    half_bandwidth_bytes,
    loggp_message_time_s,
    logp_messages_time_s,
    message_time_s,
    messages_time_s,
    shared_link_time_s,
    size_for_efficiency_bytes,
)

LATENCY = st.integers(1, 50)
BANDWIDTH = st.integers(1, 20)
SIZE = st.integers(0, 500)
CLOSE = 1e-12


@given(SIZE, LATENCY, BANDWIDTH)
def test_a_message_waits_and_then_moves_byte_by_byte(size: int, latency: int, bandwidth: int) -> None:
    time = message_time_s(size_bytes=size, latency_s=latency, bandwidth_bytes_per_s=bandwidth)
    assert time == pytest.approx(latency + sum([1 / bandwidth] * size), rel=1e-9)
    many = messages_time_s(total_bytes=4 * size, messages=4, latency_s=latency, bandwidth_bytes_per_s=bandwidth)
    assert many == pytest.approx(4 * time, rel=CLOSE)
    alone = shared_link_time_s(size_bytes=size, transfers=1, latency_s=latency, bandwidth_bytes_per_s=bandwidth)
    assert alone == time


@given(st.integers(1, 10**6), LATENCY, BANDWIDTH)
def test_half_of_the_bandwidth_at_n_half(size: int, latency: int, bandwidth: int) -> None:
    machine = {"latency_s": latency, "bandwidth_bytes_per_s": bandwidth}
    half = half_bandwidth_bytes(**machine)
    assert half == latency * bandwidth
    assert effective_bandwidth_bytes_per_s(size_bytes=half, **machine) == bandwidth / 2
    achieved = effective_bandwidth_bytes_per_s(size_bytes=size, **machine)
    assert achieved == pytest.approx(size / message_time_s(size_bytes=size, **machine), rel=CLOSE)
    assert (achieved > bandwidth / 2) == (size > half)


@given(st.floats(0, 0.999), LATENCY, BANDWIDTH)
def test_the_size_for_an_efficiency_reaches_it(share: float, latency: int, bandwidth: int) -> None:
    machine = {"latency_s": latency, "bandwidth_bytes_per_s": bandwidth}
    size = size_for_efficiency_bytes(efficiency=share, **machine)
    if size > 0:
        assert effective_bandwidth_bytes_per_s(size_bytes=size, **machine) == pytest.approx(share * bandwidth, rel=1e-9)


def test_correction_39_two_transfers_share_a_link() -> None:
    one, two = (
        shared_link_time_s(size_bytes=1e9, transfers=count, latency_s=1e-5, bandwidth_bytes_per_s=25e9)
        for count in (1, 2)
    )
    assert one == pytest.approx(0.04001)
    assert two == pytest.approx(0.08001)
    # they gain the latency that they wait for together, no more
    one_by_one = messages_time_s(total_bytes=2e9, messages=2, latency_s=1e-5, bandwidth_bytes_per_s=25e9)
    assert one_by_one - two == pytest.approx(1e-5)


def simulated_step(total: float, buckets: int, compute: float, latency: float, bandwidth: float) -> float:
    """Send each bucket when it is full and the link is free."""
    free = 0.0
    for bucket in range(1, buckets + 1):
        free = max(free, compute * bucket / buckets) + latency + total / buckets / bandwidth
    return free


@given(SIZE, st.integers(1, 40), st.integers(0, 300), LATENCY, BANDWIDTH)
def test_buckets_end_when_the_simulated_link_ends(
    total: int, buckets: int, compute: int, latency: int, bandwidth: int
) -> None:
    time = bucketed_step_time_s(
        total_bytes=total,
        buckets=buckets,
        compute_s=compute,
        latency_s=latency,
        bandwidth_bytes_per_s=bandwidth,
    )
    assert time == pytest.approx(simulated_step(total, buckets, compute, latency, bandwidth), rel=1e-9)


@given(SIZE, st.integers(0, 300), LATENCY, BANDWIDTH)
@settings(deadline=None)
def test_the_best_number_of_buckets_is_found_by_trying_all(
    total: int, compute: int, latency: int, bandwidth: int
) -> None:
    at = {"total_bytes": total, "compute_s": compute, "latency_s": latency, "bandwidth_bytes_per_s": bandwidth}
    times = [bucketed_step_time_s(buckets=buckets, **at) for buckets in range(1, 303)]
    assert times[best_buckets(**at) - 1] == pytest.approx(min(times), rel=1e-12)
    if total == 0:
        assert best_buckets(**at) == 1


def simulated_logp(messages: int, latency: int, overhead: int, gap: int) -> int:
    """Follow sender, network and receiver through every message."""
    sender_free, last_start, receiver_free = 0, -gap, 0
    for _ in range(messages):
        start = max(sender_free, last_start + gap)
        sender_free, last_start = start + overhead, start
        receiver_free = max(sender_free + latency, receiver_free) + overhead
    return receiver_free


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 9), st.integers(0, 9))
def test_logp_follows_every_message(messages: int, latency: int, overhead: int, gap: int) -> None:
    at = {"latency_s": latency, "overhead_s": overhead, "gap_s": gap}
    assert logp_messages_time_s(messages=messages, **at) == simulated_logp(messages, latency, overhead, gap)


@given(st.integers(1, 1000), st.integers(10, 30), st.integers(0, 9), st.integers(1, 9))
def test_loggp_is_alpha_beta_with_a_latency_that_names_its_parts(
    size: int, latency: int, overhead: int, gap: int
) -> None:
    time = loggp_message_time_s(size_bytes=size, latency_s=latency, overhead_s=overhead, gap_s_per_byte=gap)
    assert time == overhead + (size - 1) * gap + latency + overhead
    line = message_time_s(size_bytes=size, latency_s=latency + 2 * overhead - gap, bandwidth_bytes_per_s=1 / gap)
    assert time == pytest.approx(line, rel=1e-9)


SIZES = np.array([0, 8, 512, 4096, 2e5, 1e6, 3e7, 1e9])


@given(st.floats(1e-7, 1e-3), st.floats(1e8, 1e12), st.sampled_from(["relative", "uniform"]))
def test_exact_times_give_exact_parameters(latency: float, bandwidth: float, weighting: str) -> None:
    fit = fit_alpha_beta(SIZES, latency + SIZES / bandwidth, weighting=weighting)
    assert fit.bandwidth_bytes_per_s == pytest.approx(bandwidth, rel=1e-6)
    assert fit.half_bandwidth_bytes == pytest.approx(fit.latency_s * fit.bandwidth_bytes_per_s)
    if weighting == "relative":
        assert fit.latency_s == pytest.approx(latency, rel=1e-6)
    assert fit.residuals_s == pytest.approx(np.zeros(8), abs=1e-9 * (latency + 1e9 / bandwidth))


@given(st.integers(0, 2**32), st.sampled_from(["relative", "uniform"]))
@settings(deadline=None)
def test_the_fit_and_its_errors_are_those_of_polyfit(seed: int, weighting: str) -> None:
    random = np.random.default_rng(seed)
    sizes = random.uniform(0, 1e6, 9)
    times = (5e-6 + sizes / 25e9) * random.uniform(0.9, 1.1, 9)
    fit = fit_alpha_beta(sizes, times, weighting=weighting)
    weights = 1 / times if weighting == "relative" else np.ones(9)
    (slope, level), covariance = np.polyfit(sizes, times, 1, w=weights, cov=True)
    assert [fit.s_per_byte, fit.latency_s] == pytest.approx([slope, level], rel=1e-7)
    errors = [fit.s_per_byte_standard_error, fit.latency_standard_error_s]
    assert errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-6)
    assert fit.correlation == pytest.approx(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]), abs=1e-6)
    assert fit.residuals_s == pytest.approx(times - level - slope * sizes, abs=1e-12)
    relative = fit.bandwidth_standard_error_bytes_per_s / fit.bandwidth_bytes_per_s
    assert relative == pytest.approx(fit.s_per_byte_standard_error / fit.s_per_byte)


def test_standard_errors_are_the_scatter_of_repeated_fits_and_weights_find_the_latency() -> None:
    random = np.random.default_rng(11)
    sizes = np.logspace(0, 8, 17)
    truth = 5e-6 + sizes / 25e9
    relative, uniform = [], []
    for _ in range(400):
        times = truth * random.normal(1, 0.02, 17)
        relative.append(fit_alpha_beta(sizes, times))
        uniform.append(fit_alpha_beta(sizes, times, weighting="uniform"))
    for name, error, right in (
        ("latency_s", "latency_standard_error_s", 5e-6),
        ("bandwidth_bytes_per_s", "bandwidth_standard_error_bytes_per_s", 25e9),
    ):
        values = np.array([getattr(fit, name) for fit in relative])
        claimed = np.sqrt(np.mean([getattr(fit, error) ** 2 for fit in relative]))
        assert values.mean() == pytest.approx(right, rel=0.005)
        assert values.std() == pytest.approx(claimed, rel=0.15)
    # the noise of the largest messages drowns the latency where all seconds count the same
    scatter = [np.std([fit.latency_s for fit in fits]) for fits in (relative, uniform)]
    assert scatter[1] > 20 * scatter[0]
