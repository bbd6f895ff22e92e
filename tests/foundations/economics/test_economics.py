"""What a run costs: the closed forms against clocks that run, and against what was published."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.flops import flops_utilization, gpt_training_flops, training_flops
from snippets.foundations.economics.formulas import (
    best_checkpoint_interval_s,
    cluster_mtbf_s,
    device_hours,
    emissions_kg,
    expected_run_s,
    failure_bill_usd,
    failure_overhead_share,
    goodput_share,
    owned_hour_usd,
    run_energy_kwh,
    slowest_exponential_s,
    slowest_normal_s,
    training_bill_usd,
)
from snippets.foundations.economics.published_energy import LLAMA_3_CARD, LLAMA_TABLE
from snippets.foundations.economics.simulators import (
    drawn_products,
    run_between_failures,
    simulated_run_s,
    step_times_s,
)
from snippets.training_runs import DEEPSEEK_V3_KILOHOURS, MLPERF_GPT3_MINUTES


@given(
    flops=st.floats(1e18, 1e26),
    peak=st.floats(1e14, 1e16),
    share=st.floats(0.05, 1),
    price=st.floats(0.5, 20),
    devices=st.integers(1, 10_000),
)
def test_a_bill_is_the_devices_times_the_hours_that_pass_times_the_price(
    flops: float, peak: float, share: float, price: float, devices: int
) -> None:
    elapsed_h = flops / (devices * peak * share) / 3600
    given_ = {"flops": flops, "peak_flops_per_s": peak, "utilization": share}
    assert device_hours(**given_) == pytest.approx(devices * elapsed_h)
    assert training_bill_usd(**given_, usd_per_device_hour=price) == pytest.approx(devices * elapsed_h * price)
    half = training_bill_usd(**given_, usd_per_device_hour=price, goodput=0.5)
    assert half == pytest.approx(2 * devices * elapsed_h * price)
    back = flops_utilization(flops=flops, seconds=elapsed_h * 3600, devices=devices, peak_flops_per_s=peak)
    assert back == pytest.approx(share)


def test_every_cell_of_llamas_table_15() -> None:
    for run in LLAMA_TABLE:
        energy = run_energy_kwh(device_hours=run.device_hours, device_watts=run.device_watts, pue=1.1)
        assert energy / 1000 == pytest.approx(run.energy_mwh, rel=0.02)
        assert emissions_kg(energy_kwh=energy, kg_per_kwh=0.385) / 1000 == pytest.approx(run.tonnes, rel=0.02)


def test_llama_3s_card_takes_one_factor_for_all_models() -> None:
    factors = [1000 * run.tonnes / (run.device_hours * run.device_watts / 1000) for run in LLAMA_3_CARD]
    assert factors == pytest.approx([0.4137] * 3, rel=0.01)


def test_deepseeks_hours_and_mlperfs_efficiency() -> None:
    assert sum(DEEPSEEK_V3_KILOHOURS.values()) == 2788
    assert DEEPSEEK_V3_KILOHOURS["pre-training"] == 180 * 14.8
    spent = {count: count * minutes for count, minutes in MLPERF_GPT3_MINUTES.items()}
    assert spent[768] / spent[3584] == pytest.approx(0.89, abs=0.005)


@pytest.mark.parametrize("days", [20.82])
def test_llama_65bs_days(days: float) -> None:
    """2,048 A100 at 380 tokens a second each, 1.4T tokens: the paper's "approximately 21 days"."""
    flops = training_flops(parameters=65e9, tokens=1.4e12)
    hours = device_hours(flops=flops, peak_flops_per_s=312e12, utilization=380 * 6 * 65e9 / 312e12)
    assert hours / 2048 / 24 == pytest.approx(days, abs=0.01)


def test_megatrons_52_percent_is_hardware_utilization() -> None:
    shape: dict[str, Any] = {"batch": 3072, "sequence": 2048, "layers": 128, "hidden": 25600, "vocabulary": 51200}
    model, hardware = (gpt_training_flops(**shape, recomputation=kind) for kind in ("none", "full"))
    seconds = hardware / 3072 / 163e12
    shares = [
        flops_utilization(flops=flops, seconds=seconds, devices=3072, peak_flops_per_s=312e12)
        for flops in (hardware, model)
    ]
    assert shares == pytest.approx([0.522, 0.392], abs=0.001)


@pytest.mark.parametrize(
    ("work_s", "interval_s", "checkpoint_s", "restart_s", "mtbf_s"),
    [(1e4, 100, 5, 50, 1000), (2000, 500, 0, 0, 500), (3000, 100, 10, 300, 400), (900, 300, 30, 20, 150)],
)
def test_the_mean_of_simulated_runs_is_dalys(
    work_s: float, interval_s: float, checkpoint_s: float, restart_s: float, mtbf_s: float
) -> None:
    job = {"work_s": work_s, "interval_s": interval_s, "checkpoint_s": checkpoint_s}
    job |= {"restart_s": restart_s, "mtbf_s": mtbf_s}
    times = simulated_run_s(**job, runs=40_000, seed=1)
    error = times.std() / math.sqrt(times.size)
    assert abs(times.mean() - expected_run_s(**job)) < 4.5 * error
    assert expected_run_s(**job) / work_s == pytest.approx(
        1 / goodput_share(**{k: job[k] for k in job if k != "work_s"})
    )


def test_two_simulators_agree() -> None:
    """One clock for each run with listed failures, and all runs at once with drawn waits, have one distribution."""
    job = {"work_s": 500.0, "interval_s": 50.0, "checkpoint_s": 5.0, "restart_s": 20.0}
    rng = np.random.default_rng(3)
    one = []
    for _ in range(3000):
        failures = np.cumsum(rng.exponential(200.0, 60))
        one.append(run_between_failures(**job, failures_s=failures)[-1].end_s)
    many = simulated_run_s(**job, mtbf_s=200.0, runs=20_000, seed=4)
    error = math.hypot(np.std(one) / math.sqrt(len(one)), many.std() / math.sqrt(many.size))
    assert abs(np.mean(one) - many.mean()) < 4.5 * error
    assert np.std(one) == pytest.approx(many.std(), rel=0.08)


@given(
    st.lists(st.floats(0, 60), max_size=12).map(sorted),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.5, 2.0]),
    st.sampled_from([0.0, 1.5]),
)
def test_a_run_has_no_gaps_and_keeps_its_work(failures: list[float], intervals: int, stop: float, again: float) -> None:
    pieces = run_between_failures(
        work_s=4.0 * intervals, interval_s=4.0, checkpoint_s=stop, restart_s=again, failures_s=failures
    )
    assert pieces[0].start_s == 0
    assert all(first.end_s == second.start_s for first, second in pairwise(pieces))
    assert sum(piece.duration_s for piece in pieces if piece.kind == "work") == pytest.approx(4 * intervals)
    assert all(piece.duration_s < 4 + stop + 1e-9 for piece in pieces if piece.kind == "lost")


@given(st.floats(1, 100), st.floats(1e4, 1e6))
def test_young_is_the_least_of_the_first_order(checkpoint_s: float, mtbf_s: float) -> None:
    best = best_checkpoint_interval_s(checkpoint_s=checkpoint_s, mtbf_s=mtbf_s)

    def overhead(interval: float) -> float:
        return failure_overhead_share(interval_s=interval, checkpoint_s=checkpoint_s, restart_s=0, mtbf_s=mtbf_s)

    assert overhead(best) <= min(overhead(best * factor) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2))


@pytest.mark.parametrize(
    ("mtbf_s", "checkpoint_s", "young_s"), [(86400, 300, 7200), (11135.084, 60, 1155.95), (11135.084, 300, 2584.77)]
)
def test_published_intervals(mtbf_s: float, checkpoint_s: float, young_s: float) -> None:
    assert best_checkpoint_interval_s(checkpoint_s=checkpoint_s, mtbf_s=mtbf_s) == pytest.approx(young_s, rel=1e-5)


def test_meta_rscs_projections() -> None:
    """Kokolis et al. 2024: 6.5 failures in 1,000 node days, nodes of 8 GPUs."""
    device_s = 1000 * 86400 / 6.5 * 8
    for devices, hours in ((16_384, 1.8), (131_072, 0.23)):
        assert cluster_mtbf_s(device_mtbf_s=device_s, devices=devices) / 3600 == pytest.approx(hours, rel=0.03)


@pytest.mark.parametrize("ranks", [1, 2, 4, 64, 1000])
def test_the_slowest_of_many_is_what_is_drawn(ranks: int) -> None:
    steps = 200_000 // ranks + 2000
    for tail, formula in (
        ("normal", slowest_normal_s(mean_s=1.0, deviation_s=0.05, ranks=ranks)),
        ("exponential", slowest_exponential_s(fastest_s=0.95, excess_s=0.05, ranks=ranks)),
    ):
        times = step_times_s(mean_s=1.0, deviation_s=0.05, ranks=ranks, steps=steps, tail=tail, seed=ranks)
        slowest = times.max(axis=1)
        assert abs(slowest.mean() - formula) < 4.5 * slowest.std() / math.sqrt(steps)
        assert times.mean() == pytest.approx(1, abs=0.002)
        assert times.std() == pytest.approx(0.05, rel=0.05)


def test_the_slowest_of_two_normal_times_is_one_over_root_pi_above() -> None:
    assert slowest_normal_s(mean_s=0, deviation_s=1, ranks=2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-9)
    assert slowest_normal_s(mean_s=0, deviation_s=1, ranks=16_384) < math.sqrt(2 * math.log(16_384))


def test_a_failure_and_an_owned_hour_by_hand() -> None:
    assert failure_bill_usd(interval_s=7200, restart_s=0, devices=3, usd_per_device_hour=2) == pytest.approx(6)
    owned = owned_hour_usd(
        purchase_usd=100, life_hours=100, used_share=0.5, device_watts=1000, pue=1.5, usd_per_kwh=0.1
    )
    assert owned == pytest.approx(2 + 0.15)


def test_products_lie_between_the_corners_and_are_sorted() -> None:
    drawn = drawn_products({"a": (1, 2), "b": (3, 4)}, draws=1000, seed=0)
    assert 3 <= drawn[0] < drawn[-1] <= 8
    assert (np.diff(drawn) >= 0).all()
    assert drawn.mean() == pytest.approx(1.5 * 3.5, rel=0.02)
