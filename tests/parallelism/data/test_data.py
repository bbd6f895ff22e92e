"""Chapter 16: its formulas are what simulated ranks, clocks and published runs say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercises.parallelism.data import plan_step
from snippets.all_reduce import ring_all_reduce_bytes, ring_all_reduce_time_s
from snippets.flops import compute_time_s
from snippets.foundations.economics.formulas import slowest_exponential_s
from snippets.parallelism.data import figures as pictures
from snippets.parallelism.data.formulas import (
    exposed_all_reduce_s,
    kth_exponential_s,
    shard_weights,
    shared_batch_efficiency,
    stale_step_limit,
    token_weights,
    tokens_to_hide_all_reduce,
)
from snippets.parallelism.data.programs import Deal, SharedRun, deal, draw_sequences, train_shared
from snippets.parallelism.data.steps import server_updates, shared_step, stale_descent

PUBLISHED = json.loads((Path(__file__).parent / "published_data.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(16)
LENGTHS = [3, 9, 1, 5, 2, 14, 4]
SEQUENCES = draw_sequences(RNG, lengths=LENGTHS, features=4, outputs=2)
START = [RNG.normal(size=(4, 5)), RNG.normal(size=(5, 2))]
SIZES = [weight.size for weight in START]


def train(dealt: Deal, **options: Any) -> SharedRun:
    return train_shared(START, SEQUENCES, [dealt] * 3, step=0.3, **options)


ALONE = train([[list(range(len(LENGTHS)))]])


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """Deal all sequences to 1 to 4 ranks with 1 to 3 micro-batches, anyhow; some get none."""
    ranks, most = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    dealt: list[list[list[int]]] = [[[] for _ in range(most)] for _ in range(ranks)]
    for number in draw(st.permutations(range(len(LENGTHS)))):
        dealt[draw(st.integers(0, ranks - 1))][draw(st.integers(0, most - 1))].append(number)
    return dealt


@settings(max_examples=20)
@given(deals(), st.booleans())
def test_any_deal_takes_the_step_of_one_machine(dealt: Deal, every: bool) -> None:
    run = train(dealt, every=every)
    assert np.allclose(run.losses, ALONE.losses, rtol=1e-12)
    for mine, right in zip(run.gradients, ALONE.gradients, strict=True):
        assert np.allclose(mine, right, rtol=1e-9, atol=1e-13)
    assert all(np.array_equal(weights, run.weights[0]) for weights in run.weights)


@settings(max_examples=20)
@given(deals())
def test_bytes_steps_and_memory_are_those_of_the_closed_forms(dealt: Deal) -> None:
    account, ranks = train(dealt).account, len(dealt)
    numbers = sum(SIZES) + 1 + 2  # gradients, the count, and the record
    sent = 3 * ranks * ring_all_reduce_bytes(ranks=ranks, size_bytes=8 * numbers) if ranks > 1 else 0
    assert sum(account.sent_bytes) == pytest.approx(sent, rel=1e-12)
    assert account.steps == 3 * 2 * (ranks - 1) * (len(SIZES) + 2)
    for rank, own in enumerate(dealt):
        tokens = max(sum(LENGTHS[number] for number in part) for part in own)
        assert account.kind_peak_bytes["activations"][rank] == 8 * tokens * (5 + 2) if tokens else True
    assert set(account.kind_peak_bytes["parameters"]) == {8 * sum(SIZES)}
    assert set(account.kind_peak_bytes["gradients"]) == {8 * sum(SIZES)}
    assert sum(account.operations["product_flops"]) == 3 * 6 * sum(LENGTHS) * sum(SIZES)


def test_summing_every_micro_batch_sends_as_many_times_as_much() -> None:
    few = deal(7, ranks=3, micro_batches=2)
    once, each = (train(few, every=every).account for every in (False, True))
    gradients = 3 * 2 * 2 * 8 * sum(SIZES)  # steps, (N − 1) times two halves, bytes
    assert sum(each.sent_bytes) - sum(once.sent_bytes) == gradients


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=4).filter(
        lambda rows: any(map(any, rows))
    )
)
def test_token_weights_make_every_token_count_alike(tokens: list[list[int]]) -> None:
    weights = token_weights(tokens)
    total, ranks = sum(map(sum, tokens)), len(tokens)
    for own, mine in zip(tokens, weights, strict=True):
        for count, weight in zip(own, mine, strict=True):
            if count:
                assert Fraction(weight).limit_denominator(10**6) / count / ranks == Fraction(1, total)
    assert [sum(mine) for mine in weights] == pytest.approx(shard_weights([sum(own) for own in tokens]))


def test_other_averages_are_another_gradient() -> None:
    few = deal(7, ranks=3, micro_batches=2)
    for weighting in ("ranks", "micro_batches"):
        gradient = train(few, weighting=weighting).gradients[0]
        assert np.linalg.norm(gradient - ALONE.gradients[0]) > 0.01 * np.linalg.norm(ALONE.gradients[0])
    pieces = [[sum(LENGTHS[number] for number in part) for part in own] for own in few]
    weights = token_weights(pieces)
    total = np.zeros(sum(SIZES))
    for own, mine in zip(few, weights, strict=True):
        for part, weight in zip(own, mine, strict=True):
            total += weight / len(few) * train([[part]]).gradients[0]
    assert np.allclose(total, ALONE.gradients[0])


TIMES = {
    "forward_s": st.integers(1, 9),
    "backward_s": st.integers(1, 9),
    "total_bytes": st.integers(0, 40),
    "buckets": st.integers(1, 30),
    "latency_s": st.sampled_from([0.0, 0.25, 2.0]),
    "bandwidth_bytes_per_s": st.sampled_from([0.5, 2.0, 8.0]),
}


@settings(max_examples=30)
@given(st.fixed_dictionaries(TIMES), st.integers(1, 6), st.integers(1, 9))
def test_exposed_time_and_efficiency_are_those_of_a_clock(
    times: dict[str, Any], micro_batches: int, ranks: int
) -> None:
    step = shared_step(micro_batches=micro_batches, **times)
    backward = {name: value for name, value in times.items() if name != "forward_s"}
    exposed = exposed_all_reduce_s(**backward)
    assert step.end_s - step.computing_s == pytest.approx(exposed, abs=1e-9)
    assert step.computing_s == micro_batches * (times["forward_s"] + times["backward_s"])
    efficiency = shared_batch_efficiency(ranks=ranks, batch_s=ranks * step.computing_s, exposed_s=exposed)
    assert efficiency == pytest.approx(1 - step.waiting_share)
    each = shared_step(micro_batches=micro_batches, sums="each", **times)
    assert each.end_s == pytest.approx(step.computing_s + micro_batches * exposed)
    after = shared_step(micro_batches=micro_batches, sums="after", **times)
    sending = times["buckets"] * times["latency_s"] + times["total_bytes"] / times["bandwidth_bytes_per_s"]
    assert after.end_s == pytest.approx(step.computing_s + sending)


@given(
    st.integers(2, 2000),
    st.integers(1, 10**12),
    st.floats(1e12, 1e15),
    st.floats(1e9, 1e12),
    st.sampled_from([1, 2, 4]),
)
def test_the_tokens_that_hide_a_sum_do_not_know_the_model(
    ranks: int, parameters: int, flops_per_s: float, bandwidth: float, gradient_bytes: int
) -> None:
    tokens = tokens_to_hide_all_reduce(
        ranks=ranks, flops_per_s=flops_per_s, bandwidth_bytes_per_s=bandwidth, gradient_bytes=gradient_bytes
    )
    ring = ring_all_reduce_time_s(
        ranks=ranks, size_bytes=gradient_bytes * parameters, latency_s=0, bandwidth_bytes_per_s=bandwidth
    )
    operations = 4 * parameters * Fraction(tokens)
    assert compute_time_s(flops=float(operations), flops_per_s=flops_per_s) == pytest.approx(ring)


@given(st.integers(1, 12), st.data())
def test_the_kth_of_several_by_inclusion_and_exclusion(ranks: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, ranks))
    exact = sum(
        Fraction((-1) ** (j - ranks + k - 1) * comb(j - 1, ranks - k) * comb(ranks, j), j)
        for j in range(ranks - k + 1, ranks + 1)
    )
    assert kth_exponential_s(fastest_s=2, excess_s=0.5, ranks=ranks, awaited=k) == pytest.approx(float(2 + exact / 2))
    slowest = slowest_exponential_s(fastest_s=2, excess_s=0.5, ranks=ranks)
    assert kth_exponential_s(fastest_s=2, excess_s=0.5, ranks=ranks, awaited=ranks) == pytest.approx(slowest)


def test_the_kth_of_drawn_ranks() -> None:
    drawn = np.sort(1 + 0.3 * np.random.default_rng(5).exponential(size=(40_000, 12)), axis=1)[:, 9].mean()
    assert kth_exponential_s(fastest_s=1, excess_s=0.3, ranks=12, awaited=10) == pytest.approx(drawn, rel=3e-3)


@given(st.integers(0, 40), st.sampled_from([0.25, 1.0, 7.0]))
def test_the_step_limit_is_where_a_zero_leaves_the_unit_circle(staleness: int, curvature: float) -> None:
    limit = stale_step_limit(staleness=staleness, curvature=curvature)
    for factor, inside in ((0.999, True), (1.001, False)):
        zeros = np.roots(
            [1, -1, *[0] * (staleness - 1), factor * limit * curvature]
            if staleness
            else [1, factor * limit * curvature - 1]
        )
        assert (abs(zeros).max() < 1) == inside


@pytest.mark.parametrize("staleness", [0, 1, 3, 15])
def test_stale_descent_settles_below_the_limit_and_not_above(staleness: int) -> None:
    limit = stale_step_limit(staleness=staleness, curvature=2.0)
    ages = [min(made, staleness) for made in range(6000)]
    below, above = (stale_descent(ages, step=factor * limit, curvature=2.0) for factor in (0.97, 1.03))
    assert max(map(abs, below[-40:])) < 0.05 < 5 < max(map(abs, above[-40:]))


@given(st.lists(st.lists(st.integers(1, 9).map(float), min_size=1, max_size=8), min_size=1, max_size=4))
def test_staleness_counts_the_updates_since_the_worker_read(times: list[list[float]]) -> None:
    updates = server_updates(times)
    moments = sorted((sum(own[: k + 1]), worker) for worker, own in enumerate(times) for k in range(len(own)))
    assert [(update.at_s, update.worker) for update in updates] == moments
    for place, update in enumerate(updates):
        before = [number for number in range(place) if updates[number].worker == update.worker]
        assert update.staleness == place - (before[-1] + 1 if before else 0)


@pytest.mark.parametrize("workers", [1, 2, 7, 16])
def test_mean_staleness_is_one_less_than_the_workers(workers: int) -> None:
    times = np.random.default_rng(workers).gamma(4, 0.25, size=(workers, 1500)).tolist()
    updates = server_updates(times)
    steady = [update.staleness for update in updates if update.at_s < 1200]
    assert np.mean(steady) == pytest.approx(workers - 1, rel=0.02, abs=1e-9)


def test_published_efficiencies_lie_between_no_and_full_overlap() -> None:
    for row in PUBLISHED["horovod"]["rows"]:
        step = 64 / row["images_per_s"]
        for gpus, reported in row["reported"].items():
            ring: Any = {"ranks": int(gpus), "latency_s": 0, "bandwidth_bytes_per_s": 25e9 / 8}
            sending = ring_all_reduce_time_s(size_bytes=4 * row["parameters"], **ring)
            low, high = step / (step + sending), step / (step + max(0, sending - step * 2 / 3))
            assert low < reported < high, row


def test_published_bytes_and_tokens() -> None:
    ddp = PUBLISHED["ddp_bytes"]
    sent = ring_all_reduce_bytes(ranks=10**6, size_bytes=ddp["bytes"] * ddp["parameters"])
    assert sent / 1e9 == pytest.approx(ddp["ddp_gb"], rel=1e-5)
    for sequences, replicas, length, tokens in PUBLISHED["llama3_tokens"]["rows"]:
        (weight,) = {weight for own in token_weights([[length] * sequences] * replicas) for weight in own}
        assert length * replicas / weight == pytest.approx(tokens)  # a micro-batch's tokens over its share


def compositions(total: int, most: int) -> list[tuple[int, ...]]:
    """Return all ways to cut a number into parts of at most a size, in order."""
    if total == 0:
        return [()]
    return [(first, *rest) for first in range(1, min(most, total) + 1) for rest in compositions(total - first, most)]


def partitions(total: int, parts: int) -> list[tuple[int, ...]]:
    return [
        shares
        for shares in product(range(1, total + 1), repeat=parts)
        if sum(shares) == total and list(shares) == sorted(shares)
    ]


@pytest.mark.parametrize("times", [(1, 4, 6), (0, 3, 7), (5, 2, 20), (3, 7, 1)])
@pytest.mark.parametrize(("sequences", "machines", "room"), [(5, 3, 2), (6, 2, 3), (6, 3, 4)])
def test_no_other_plan_beats_those_that_the_grader_tries(
    sequences: int, machines: int, room: int, times: tuple[int, int, int]
) -> None:
    """Every way to share the sequences out and to cut the shares, for small batches."""
    tried: dict[int, Fraction] = {}
    for plan in plan_step.candidates(sequences, machines, room):
        assert sum(map(sum, plan)) == sequences
        tried[len(plan)] = min(plan_step.cost(plan, *times), tried.get(len(plan), Fraction(10**9)))
    for count in range(1, machines + 1):
        best: Fraction | None = None
        for shares in partitions(sequences, count):
            for plan in product(*(compositions(share, room) for share in shares)):
                took = plan_step.cost(tuple(plan), *times)
                best = took if best is None or took < best else best
        assert best == tried[count]


def test_pictures_show_what_was_computed() -> None:
    four = pictures.shares_panel(ranks=4, micro_batches=8, until_s=26).svg()
    assert "(g₀ + g₁) + (g₂ + g₃) + (g₄ + g₅) + (g₆ + g₇)" in four
    step = shared_step(
        micro_batches=2, forward_s=1, backward_s=2, total_bytes=4, buckets=40, latency_s=0, bandwidth_bytes_per_s=1
    )
    said = f"ends at 8.05 s, waits {100 * step.waiting_share:.2g}%"
    assert said in pictures.shared_step_panel({"a": step}).svg()
    times: Sequence[Sequence[float]] = [[1.0, 1.0, 1.0], [1.5, 1.0, 1.0]]
    assert "2 updates, each by 2 gradients" in pictures.rounds_panel(times, until_s=2.6).svg()
    assert "5 updates" in pictures.server_panel(server_updates(times), until_s=3).svg()
    assert "68%" in pictures.interval_panel({"VGG-16": (0.54, 0.85, [("68%", 0.68)])}).svg()
    for figure in (
        *pictures.loss_plots({"one": [1.0, 0.5], "two": [1.0, 0.5]}, reference="one"),
        *pictures.token_plots([[3], [1]], {"mean": [0.7, 2.0]}),
    ):
        assert figure.axes


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: token_weights([[0]]), "tokens"),
        (lambda: kth_exponential_s(fastest_s=1, excess_s=1, ranks=2, awaited=3), "awaited"),
        (lambda: server_updates([]), "times_s"),
        (lambda: stale_descent([-1], step=1, curvature=1), "staleness"),
        (lambda: train([[[99]]]), "deals"),
        (lambda: train([[[0]], [[]]], weighting="ranks"), "deals"),
        (lambda: train([[[]]]), "deals"),
        (lambda: train_shared(START[::-1], SEQUENCES, [[[[0]]]], step=1), "weights"),
        (lambda: train_shared(START, ((np.ones((2, 3)), np.ones((2, 2))),), [[[[0]]]], step=1), "sequences"),
        (
            lambda: shared_step(
                micro_batches=2048,
                sums="each",
                forward_s=1,
                backward_s=1,
                total_bytes=1,
                buckets=64,
                latency_s=0,
                bandwidth_bytes_per_s=1,
            ),
            "buckets",
        ),
    ],
)
def test_bad_input_is_named(call: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()
