"""Chapter 28: what failures cost in closed form, against lives that are drawn, clocks that run, every element moved."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snippets.composition.failures.formulas import (
    asynchronous_goodput_share,
    checkpoint_bytes,
    checkpoint_write_s,
    corruption_check_interval_s,
    daly_checkpoint_interval_s,
    exact_checkpoint_interval_s,
    failure_probability,
    gang_failure_probability,
    least_failure_overhead_share,
    neighbour_loss_probability,
    resharded_share,
    spare_nodes_needed,
)
from snippets.composition.failures.interruptions import LLAMA_3_INTERRUPTIONS
from snippets.composition.failures.programs import KINDS, Store, examples, run_corrupted, run_elastic
from snippets.composition.failures.runs import broken_nodes, first_failures_s, simulated_goodput
from snippets.foundations.economics.formulas import (
    best_checkpoint_interval_s,
    cluster_mtbf_s,
    failure_overhead_share,
    goodput_share,
)
from snippets.recipes import RECIPES
from snippets.simulation.schedule import chunk_bounds

MTBF_S = 54 * 86_400 / 419
PUBLISHED = json.loads((Path(__file__).parent / "published_failures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("devices", [1, 7, 256])
def test_the_first_of_many_dies_as_much_sooner_as_they_are_many(devices: int) -> None:
    lives = first_failures_s(device_mtbf_s=5000.0, devices=devices, runs=20_000, seed=devices)
    predicted = cluster_mtbf_s(device_mtbf_s=5000.0, devices=devices)
    assert abs(lives.mean() - predicted) < 4 * lives.std() / 20_000**0.5
    for share in (0.2, 1.0, 2.0):
        chance = failure_probability(time_s=share * predicted, mtbf_s=predicted)
        assert abs((lives < share * predicted).mean() - chance) < 0.02
        each = failure_probability(time_s=share * predicted, mtbf_s=5000.0)
        assert math.isclose(gang_failure_probability(rank_failure_probability=each, ranks=devices), chance)


@given(
    chance=st.fractions(min_value=0, max_value=1, max_denominator=1000),
    ranks=st.integers(1, 60),
)
def test_a_gang_survives_with_the_product(chance: Fraction, ranks: int) -> None:
    exact = 1 - (1 - chance) ** ranks
    assert gang_failure_probability(rank_failure_probability=float(chance), ranks=ranks) == pytest.approx(float(exact))


@given(δ=st.floats(1e-4, 5e4), τ=st.floats(10, 1e7), back=st.floats(0, 1e3))
def test_youngs_overhead_is_the_least_of_the_first_order(δ: float, τ: float, back: float) -> None:
    least = least_failure_overhead_share(checkpoint_s=δ, restart_s=back, mtbf_s=τ)
    best = best_checkpoint_interval_s(checkpoint_s=δ, mtbf_s=τ)
    for stretch in (0.5, 0.9, 1.0, 1.1, 2.0):
        found = failure_overhead_share(interval_s=stretch * best, checkpoint_s=δ, restart_s=back, mtbf_s=τ)
        root = math.sqrt(2 * δ / τ)
        assert found == pytest.approx(least + root * ((stretch + 1 / stretch) / 2 - 1))


@example(share=0.484375, τ=10.0)  # where Daly's interval is 0.52% off
@given(share=st.floats(1e-9, 5), τ=st.floats(10, 1e7))
def test_the_exact_interval_has_the_greatest_goodput(share: float, τ: float) -> None:
    δ = share * τ
    best = exact_checkpoint_interval_s(checkpoint_s=δ, mtbf_s=τ)
    assert 0 < best <= τ
    at = {"checkpoint_s": δ, "restart_s": 0.0, "mtbf_s": τ}
    most = goodput_share(interval_s=best, **at)
    assert all(goodput_share(interval_s=best * by, **at) <= most * (1 + 1e-9) for by in (0.8, 0.97, 1.03, 1.25))
    assert 1 - best / τ == pytest.approx(math.exp(-(best + δ) / τ), abs=1e-12)
    young, daly = (
        best_checkpoint_interval_s(checkpoint_s=δ, mtbf_s=τ),
        daly_checkpoint_interval_s(checkpoint_s=δ, mtbf_s=τ),
    )
    assert best <= young * (1 + 1e-9)
    if share < 0.5:
        assert abs(daly / best - 1) < (0.005 if share < 0.3 else 0.006)
        assert abs(daly - best) <= abs(young - best) + 1e-9 * best


@pytest.mark.parametrize("row", [r for r in PUBLISHED if r["topic"] == "checkpoint-interval"], ids=lambda r: r["id"])
def test_published_intervals(row: dict[str, dict[str, float]]) -> None:
    given_s = {"checkpoint_s": row["inputs"]["delta_s"], "mtbf_s": row["inputs"]["mtbf_s"]}
    assert best_checkpoint_interval_s(**given_s) == pytest.approx(row["expected"]["young_s"], rel=1e-6)
    assert daly_checkpoint_interval_s(**given_s) == pytest.approx(row["expected"]["daly_s"], rel=1e-6)
    waste = row["expected"]["first_order_waste"]
    assert least_failure_overhead_share(**given_s, restart_s=0) == pytest.approx(waste, rel=1e-6)
    assert exact_checkpoint_interval_s(**given_s) == pytest.approx(row["expected"]["daly_s"], rel=1e-3)


def test_llama_3s_table_adds_up_and_one_percentage_does_not() -> None:
    wrong = [row.component for row in LLAMA_3_INTERRUPTIONS if abs(100 * row.count / 419 - row.printed_percent) > 0.06]
    assert wrong == ["faulty GPU"]
    assert sum(row.count for row in LLAMA_3_INTERRUPTIONS) == 419
    counts = {row.component.lower(): (row.count, row.printed_percent) for row in LLAMA_3_INTERRUPTIONS}
    rows = [row for row in PUBLISHED if row["topic"] == "llama3-reliability" and "component" in row["inputs"]]
    for row in rows:
        printed = row["expected"]
        assert counts[row["inputs"]["component"].lower()] == (printed["count"], printed["pct_printed"])
    assert len(rows) == 10
    totals = next(row["expected"] for row in PUBLISHED if row["id"] == "llama3-reliability-totals")
    gpu = [row for row in LLAMA_3_INTERRUPTIONS if row.category == "GPU"]
    assert round(sum(row.printed_percent for row in gpu), 1) == totals["gpu_share_printed_pct"]
    assert round(100 * sum(row.count for row in gpu) / 419, 1) == totals["gpu_share_from_counts_pct"]


@pytest.mark.parametrize("row", [r for r in PUBLISHED if r["topic"] == "reliability"], ids=lambda r: r["id"])
def test_projected_mean_times_between_failures(row: dict[str, dict[str, float]]) -> None:
    inputs = row["inputs"]
    gpu_s = 86_400 * 1000 * inputs["gpus_per_node"] / inputs["failures_per_1000_node_days"]
    hours = cluster_mtbf_s(device_mtbf_s=gpu_s, devices=int(inputs["gpus"])) / 3600
    assert hours == pytest.approx(row["expected"]["exact"], rel=1e-3)
    assert hours == pytest.approx(row["expected"]["mttf_hours"], rel=0.03)


@given(parameters=st.integers(1, 10**13), recipe=st.sampled_from(sorted(RECIPES)))
def test_a_checkpoint_has_no_gradients(parameters: int, recipe: str) -> None:
    kept = RECIPES[recipe]
    each = kept.bytes_per_parameter - kept.gradient_bytes
    assert checkpoint_bytes(parameters, recipe=recipe) == each * parameters


def test_the_slower_pipe_decides() -> None:
    write = {"size_bytes": 1e12, "adapter_bytes_per_s": 1e9, "storage_bytes_per_s": 1e11}
    assert [checkpoint_write_s(ranks=ranks, **write) for ranks in (1, 50, 100, 1000)] == [1000, 20, 10, 10]


@example(interval=0.18510197245071597, stop=0.08484853226285677, write=1.0, back=0.0, seed=0)
@settings(max_examples=12, deadline=None)
@given(
    interval=st.floats(0.03, 0.6),
    stop=st.floats(0, 0.1),
    write=st.floats(0, 1),
    back=st.floats(0, 0.5),
    seed=st.integers(0, 99),
)
def test_a_write_behind_the_steps_costs_what_a_longer_restart_does(
    interval: float, stop: float, write: float, back: float, seed: int
) -> None:
    run = {
        "interval_s": 1000 * interval,
        "stop_s": 1000 * stop,
        "write_s": 1000 * write * (interval + stop),
        "restart_s": 1000 * back,
        "mtbf_s": 1000.0,
    }
    seen = simulated_goodput(**run, failures=120, runs=60, seed=seed)
    predicted = asynchronous_goodput_share(**run)
    assert abs(seen.mean() - predicted) < 5 * seen.std() / 60**0.5 + 0.01  # a run ends amid an interval


def test_a_write_longer_than_an_interval_is_refused() -> None:
    run = {"interval_s": 10.0, "stop_s": 1.0, "write_s": 12.0, "restart_s": 0.0, "mtbf_s": 1000.0}
    with pytest.raises(ValueError, match=r"write_s must be at most interval_s \+ stop_s = 11, got 12"):
        asynchronous_goodput_share(**run)
    with pytest.raises(ValueError, match=r"write_s must be at most interval_s \+ stop_s = 11, got 12"):
        simulated_goodput(**run, failures=1, runs=1, seed=0)


def test_runs_that_would_not_end_are_refused() -> None:
    run: dict[str, Any] = {
        "interval_s": 10,
        "stop_s": 1,
        "write_s": 1,
        "restart_s": 5,
        "mtbf_s": 100,
        "runs": 1,
        "seed": 0,
    }
    with pytest.raises(ValueError, match=r"failures × mtbf_s must be at most 200,000 × \(interval_s \+ stop_s\)"):
        simulated_goodput(**run, failures=10**6)
    with pytest.raises(ValueError, match=r"interval_s \+ stop_s \+ restart_s must be at most 20 × mtbf_s = 2000"):
        simulated_goodput(**{**run, "restart_s": 3000}, failures=1)


def test_dalys_interval_at_the_ends_of_what_a_float_holds() -> None:
    scale = daly_checkpoint_interval_s(checkpoint_s=3e-3, mtbf_s=1.0)
    assert daly_checkpoint_interval_s(checkpoint_s=3e304, mtbf_s=1e307) == pytest.approx(1e307 * scale)
    assert daly_checkpoint_interval_s(checkpoint_s=1.0, mtbf_s=1.7e308) == pytest.approx(
        math.sqrt(2) * math.sqrt(1.7e308)
    )


@settings(deadline=None)
@given(nodes=st.integers(1, 3000), share=st.floats(1e-6, 0.05), risk=st.floats(1e-9, 0.5))
def test_spares_are_the_quantile_of_a_poisson_number(nodes: int, share: float, risk: float) -> None:
    spares = spare_nodes_needed(nodes=nodes, node_mtbf_s=1.0, repair_s=share, risk=risk)
    mean = nodes * share
    below = [math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(spares + 200)]
    assert math.fsum(below[spares + 1 :]) <= risk * (1 + 1e-9)
    if spares:
        assert math.fsum(below[spares:]) > risk * (1 - 1e-9)


def test_broken_nodes_on_a_clock_are_as_many_as_spares_expect() -> None:
    cluster: dict[str, Any] = {"nodes": 2048, "node_mtbf_s": 2048 * MTBF_S, "repair_s": 86_400.0}
    spares = spare_nodes_needed(**cluster, risk=0.01)
    looks = broken_nodes(**cluster, looks=50_000, seed=28)
    assert abs(looks.mean() - 86_400 / MTBF_S) < 0.06
    assert (looks > spares).mean() <= 0.01 * 1.15
    assert (looks > spares - 1).mean() > 0.01


@given(ranks=st.integers(2, 12), more=st.integers(1, 3), data=st.data())
def test_what_moves_when_a_rank_is_lost_element_by_element(ranks: int, more: int, data: st.DataObject) -> None:
    lost = data.draw(st.integers(0, ranks - 1))
    length = more * ranks * (ranks - 1)
    before = [range(*bounds) for bounds in chunk_bounds(length, ranks)]
    left = [rank for rank in range(ranks) if rank != lost]
    after = [range(*bounds) for bounds in chunk_bounds(length, ranks - 1)]
    moved = sum(entry not in before[old] for old, mine in zip(left, after, strict=True) for entry in mine)
    assert resharded_share(ranks=ranks, rank=lost) == pytest.approx(moved / length)


@pytest.mark.parametrize("nodes", [2, 4, 6, 8, 10])
def test_pairs_are_lost_as_often_as_in_all_cases(nodes: int) -> None:
    for failed in range(1, nodes + 1):
        cases = list(combinations(range(nodes), failed))
        lost = sum(any(a // 2 == b // 2 for a, b in pairwise(case)) for case in cases)
        assert neighbour_loss_probability(nodes=nodes, failed=failed) == pytest.approx(lost / len(cases))


@given(check=st.floats(1e-3, 1e3), τ=st.floats(10, 1e7))
def test_checks_are_worth_their_cost_at_the_root(check: float, τ: float) -> None:
    best = corruption_check_interval_s(check_s=check, corruption_mtbf_s=τ)

    def cost(interval_s: float) -> float:
        return check / interval_s + interval_s / τ

    assert all(cost(best) <= cost(by * best) for by in (0.5, 0.99, 1.01, 2))


@settings(max_examples=30, deadline=None)
@given(
    ranks=st.integers(2, 6),
    then=st.integers(1, 6),
    features=st.integers(6, 14),
    every=st.integers(1, 5),
    data=st.data(),
)
def test_a_run_that_loses_a_rank_has_the_losses_of_one_that_does_not(
    ranks: int, then: int, features: int, every: int, data: st.DataObject
) -> None:
    job: dict[str, Any] = {
        "ranks": ranks,
        "then_ranks": then,
        "features": features,
        "batch": 12,
        "steps": 9,
        "save_every": every,
    }
    lost_step, lost = data.draw(st.integers(0, 8)), data.draw(st.integers(0, ranks - 1))
    calm = run_elastic(**job, lost_rank=None)
    struck = run_elastic(**job, lost_rank=lost, lost_step=lost_step)
    assert np.allclose(struck.losses, calm.losses, rtol=1e-9)
    assert np.allclose(struck.weights, calm.weights)
    assert struck.resumed == lost_step // every * every
    assert len(struck.first_losses) == lost_step
    assert sum(struck.written_bytes) == 8 * KINDS * features
    read = [8 * KINDS * (end - begin) for begin, end in chunk_bounds(features, then)]
    assert list(struck.read_bytes) == (read if struck.resumed else [0] * then)
    if then == ranks:
        assert struck.losses == calm.losses  # bit for bit


def test_a_neighbours_copy_travels_once_and_storage_is_not_asked() -> None:
    job: dict[str, Any] = {"ranks": 4, "then_ranks": 4, "features": 12, "batch": 12, "steps": 12, "save_every": 4}
    calm = run_elastic(**job, lost_rank=None)
    struck = run_elastic(**job, lost_rank=1, lost_step=9, neighbours=True)
    shard = 8 * KINDS * 3
    assert struck.losses == calm.losses
    assert struck.read_bytes == (0, 0, 0, 0)
    first, second = (account.of("send").sent_bytes for account in struck.accounts)
    assert first == (2 * shard,) * 4  # two checkpoints
    assert second == (shard, shard, 2 * shard, shard)  # one more, and the copy that rank 2 has kept
    with pytest.raises(ValueError, match="then_ranks must be ranks"):
        run_elastic(**{**job, "then_ranks": 3}, lost_rank=1, neighbours=True)


def test_a_checkpoint_that_is_not_whole_is_not_read() -> None:
    store = Store()
    store.write(1, 0, 0, np.ones((KINDS, 2)))
    with pytest.raises(ValueError, match="whose checkpoint is whole from begin 0 to end 3, got 1"):
        store.read(1, 0, 0, 3)
    with pytest.raises(ValueError, match="end must be at least begin = 2, got 1"):
        store.read(1, 0, 2, 1)
    with pytest.raises(ValueError, match=r"state must have shape \(3, entries\), got \(2, 3\)"):
        store.write(1, 0, 0, np.ones((2, KINDS)))
    assert all(
        (a == b).all() for a, b in zip(examples(5, batch=3, features=2), examples(5, batch=3, features=2), strict=True)
    )


def test_more_ranks_than_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="batch must be at least ranks = 9, got 8"):
        run_corrupted(ranks=9, features=4, batch=8, steps=2, where="nowhere", flip_step=0)


@pytest.mark.parametrize("bit", [40, 52, 62])
def test_what_finds_a_flipped_bit(bit: int) -> None:
    job: dict[str, Any] = {"ranks": 4, "features": 8, "batch": 16, "steps": 12, "flip_step": 5, "flip_bit": bit}
    gradient, weights = (run_corrupted(**job, where=where) for where in ("gradient", "weights"))
    nowhere = run_corrupted(**job, where="nowhere")
    assert not any(gradient.replicas_differ)
    assert gradient.redone_differs == (False,) * 5 + (True,) + (False,) * 6
    assert weights.replicas_differ == (False,) * 5 + (True,) * 7
    assert not any(nowhere.replicas_differ + nowhere.redone_differs)
    assert nowhere.off == 0 < gradient.off


def test_a_rank_that_is_lost_is_noticed_because_the_others_wait() -> None:
    run = run_elastic(ranks=3, then_ranks=2, features=6, batch=6, steps=4, save_every=2, lost_rank=1, lost_step=3)
    assert run.noticed.startswith("rank 0 waits in ReduceScatter for rank 1")
    assert run.resumed == 2
