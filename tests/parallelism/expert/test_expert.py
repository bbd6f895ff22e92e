"""Chapter 20: experts on ranks against one device; traffic, loads and drops against closed forms; published counts."""

from __future__ import annotations

import json
import re
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from snippets.all_reduce import ring_all_reduce_bytes
from snippets.models import active_parameter_count, parameter_count
from snippets.parallelism.expert.figures import (
    expert_layer_panel,
    loads_panel,
    mesh_panel,
    rows_panel,
    travel_panel,
    travel_times_panel,
)
from snippets.parallelism.expert.formulas import (
    expected_drop_share,
    expected_expert_groups,
    expected_expert_overflow,
    expert_all_to_all_bytes,
    expert_balance_loss,
    expert_capacity,
    expert_communication_to_compute,
    expert_rank_parameters,
)
from snippets.parallelism.expert.programs import (
    WAYS,
    dense_expert_layer,
    expert_weights,
    run_dispatch,
    run_expert_layer,
)
from snippets.parallelism.expert.routing import balance_router, top_experts

ROWS = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "published_expert.json").read_text(encoding="utf-8"))
}


def token_by_token(weights: Any, x: Any, k: int, normalised: bool) -> Any:
    """The layer's output, one token and one expert after another."""
    rows = []
    for token in x:
        logits = token @ weights["router"]
        chances = np.exp(logits) / np.exp(logits).sum()
        best = sorted(range(len(logits)), key=lambda i: -logits[i])[:k]
        total = sum(chances[i] for i in best) if normalised else 1.0
        row = np.zeros(len(token))
        for i in best:
            made = token @ weights["first"][i]
            inner = made / (1 + np.exp(-made)) * (token @ weights["gate"][i])
            row += chances[i] / total * inner @ weights["second"][i]
        rows.append(row)
    return np.array(rows)


@settings(max_examples=12)
@given(
    mesh=st.sampled_from([(1, 1), (2, 1), (3, 1), (4, 2), (6, 2), (6, 3)]),
    k=st.integers(1, 4),
    tokens=st.integers(1, 15),
    normalised=st.booleans(),
    seed=st.integers(0, 99),
)
def test_ranks_compute_what_one_device_computes(
    mesh: tuple[int, int], k: int, tokens: int, normalised: bool, seed: int
) -> None:
    ranks, replicas = mesh
    weights = expert_weights(hidden=3, width=5, experts=6, seed=seed)
    x, g = np.random.default_rng(seed).normal(size=(2, tokens, 3))
    one = dense_expert_layer(weights, x, g, experts_per_token=k, normalised=normalised)
    assert np.allclose(one.output, token_by_token(weights, x, k, normalised))
    run = run_expert_layer(weights, x, g, ranks=ranks, replicas=replicas, experts_per_token=k, normalised=normalised)
    assert np.allclose(run.output, one.output)
    assert np.allclose(run.input_gradient, one.input_gradient)
    assert all(np.allclose(run.gradients[name], one.gradients[name]) for name in one.gradients)
    assert run.loads == one.loads
    assert run.dropped == 0
    assert sum(run.loads) == k * tokens
    size = ranks // replicas
    own = 6 // size * 3 * 3 * 5 * 8
    reduced = ring_all_reduce_bytes(ranks=ranks, size_bytes=3 * 6 * 8) * ranks
    reduced += ring_all_reduce_bytes(ranks=replicas, size_bytes=own) * ranks if replicas > 1 else 0
    assert sum(run.account.of("all_reduce").sent_bytes) == pytest.approx(reduced)
    assert set(run.account.start_bytes) == {own + 3 * 6 * 8}
    rows = 18 * sum(run.loads) * 3 * 5
    assert sum(run.account.operations["product_flops"]) == rows


def test_gradients_are_slopes() -> None:
    weights = expert_weights(hidden=3, width=4, experts=5, seed=4)
    rng = np.random.default_rng(4)
    x, g = rng.normal(size=(2, 7, 3))
    for k, normalised in ((1, False), (2, True), (3, False)):
        run = dense_expert_layer(weights, x, g, experts_per_token=k, normalised=normalised)
        for name, value in weights.items():
            place = tuple(int(rng.integers(size)) for size in value.shape)
            step = np.zeros_like(value)
            step[place] = 1e-6
            ends = [
                float(
                    (
                        dense_expert_layer(
                            weights | {name: value + sign * step}, x, g, experts_per_token=k, normalised=normalised
                        ).output
                        * g
                    ).sum()
                )
                for sign in (1, -1)
            ]
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(run.gradients[name][place], abs=1e-6)


@settings(max_examples=10)
@given(ranks=st.sampled_from([1, 2, 4]), k=st.integers(1, 3), room=st.integers(1, 6), seed=st.integers(0, 99))
def test_fixed_room_drops_the_later_tokens_and_sends_the_room(ranks: int, k: int, room: int, seed: int) -> None:
    weights = expert_weights(hidden=2, width=3, experts=4, seed=seed)
    x, g = np.random.default_rng(seed).normal(size=(2, 16, 2))
    run = run_expert_layer(weights, x, g, ranks=ranks, experts_per_token=k, capacity=room)
    kept = np.zeros((16, 4), bool)
    for part in np.array_split(np.arange(16), ranks):
        seen = [0] * 4
        for token in part:
            for expert in top_experts(x[[token]] @ weights["router"], experts_per_token=k)[0]:
                kept[token, expert] = seen[expert] < room
                seen[expert] += 1
    assert run.loads == tuple(kept.sum(axis=0))
    assert run.dropped == 16 * k - kept.sum()
    assert set(run.account.of("all_to_all").sent_bytes or (0,)) <= {4 * (ranks - 1) * (4 // ranks) * room * 2 * 8}
    if room >= 16:
        assert np.allclose(run.output, dense_expert_layer(weights, x, g, experts_per_token=k).output)


@settings(max_examples=25)
@given(tokens=st.integers(1, 400), share=st.just(0.0) | st.floats(1e-9, 1), capacity=st.integers(0, 420))
def test_the_overflow_is_that_of_the_whole_distribution(tokens: int, share: float, capacity: int) -> None:
    loads = np.arange(tokens + 1)
    whole = float((binom.pmf(loads, tokens, share) * np.maximum(loads - capacity, 0)).sum())
    assert expected_expert_overflow(tokens=tokens, share=share, capacity=capacity) == pytest.approx(
        whole, rel=1e-7, abs=1e-12
    )


def test_drops_are_those_of_routers_that_run() -> None:
    rng = np.random.default_rng(20)
    scores = rng.normal(size=(4000 * 48, 8))
    chosen = top_experts(scores, experts_per_token=2).reshape(4000, 96)
    loads = np.array([np.bincount(batch, minlength=8) for batch in chosen])
    for capacity in (12, 14, 18):
        share = np.maximum(loads - capacity, 0).sum() / (4000 * 96)
        assert expected_drop_share(tokens=48, shares=[0.25] * 8, capacity=capacity) == pytest.approx(share, rel=0.05)
    with pytest.raises(ValueError, match="shares"):
        expected_drop_share(tokens=4, shares=[0.0, 0.0], capacity=1)


@settings(max_examples=15)
@given(ranks=st.sampled_from([2, 4, 8]), k=st.integers(1, 3))
def test_traffic_is_the_closed_form_on_average(ranks: int, k: int) -> None:
    weights = expert_weights(hidden=2, width=2, experts=8, seed=1)
    x = np.random.default_rng(ranks + k).normal(size=(4000, 2))
    run = run_expert_layer(weights, x, x, ranks=ranks, experts_per_token=k)
    counts = 8 * 8 // ranks * (ranks - 1) * ranks
    sent = sum(run.account.of("all_to_all").sent_bytes) - counts
    said = (
        4
        * ranks
        * expert_all_to_all_bytes(tokens=4000 // ranks, hidden=2, experts_per_token=k, ranks=ranks, element_bytes=8)
    )
    assert sent == pytest.approx(said, rel=0.05)
    flops = sum(run.account.operations["product_flops"])
    ratio = expert_communication_to_compute(
        width=2, ranks=ranks, flops_per_s=7.0, bandwidth_bytes_per_s=3.0, element_bytes=8
    )
    assert (said / 3) / (flops / 7) == pytest.approx(ratio)


@settings(max_examples=10)
@given(nodes=st.sampled_from([1, 2, 4]), gpus=st.sampled_from([1, 2]), k=st.integers(1, 4), seed=st.integers(0, 99))
def test_every_way_brings_the_same_tokens_with_fewer_rows(nodes: int, gpus: int, k: int, seed: int) -> None:
    chosen = top_experts(np.random.default_rng(seed).normal(size=(24, 16)), experts_per_token=k)
    ways = {way: run_dispatch(chosen, experts=16, nodes=nodes, gpus_per_node=gpus, way=way) for way in WAYS}
    right = tuple(tuple(token for token in range(24) if expert in chosen[token]) for expert in range(16))
    assert {run.received for run in ways.values()} == {right}
    across = [ways[way].between_nodes for way in WAYS]
    home = np.concatenate(
        [[rank // gpus] * len(part) for rank, part in enumerate(np.array_split(chosen, nodes * gpus))]
    )
    away = [{node for node in row * nodes // 16 if node != here} for row, here in zip(chosen, home, strict=True)]
    assert across[0] >= across[1] >= across[2] == sum(map(len, away))


@pytest.mark.parametrize(("experts", "k", "groups"), [(6, 2, 3), (8, 3, 2), (8, 8, 4), (6, 1, 6)])
def test_expected_groups_is_the_mean_over_all_sets(experts: int, k: int, groups: int) -> None:
    sets = [len({expert * groups // experts for expert in each}) for each in combinations(range(experts), k)]
    assert len(sets) == comb(experts, k)
    assert expected_expert_groups(experts=experts, experts_per_token=k, groups=groups) == pytest.approx(np.mean(sets))


def test_limited_routing_takes_the_best_nodes() -> None:
    scores = [[9.0, 0.0, 5.0, 5.0, 1.0, 7.0]]
    assert top_experts(scores, experts_per_token=2, groups=3, most_groups=1).tolist() == [[2, 3]]  # 10 beats 9 and 8
    assert top_experts(scores, experts_per_token=2, groups=3, most_groups=2).tolist() == [[0, 5]]  # best alone: 9, 5, 7
    assert top_experts(scores, experts_per_token=2).tolist() == [[0, 5]]
    with pytest.raises(ValueError, match="most_groups"):
        top_experts(scores, experts_per_token=3, groups=3, most_groups=1)


def test_both_ways_of_balancing_balance_and_only_one_moves_the_weights() -> None:
    settings_ = {"tokens": 512, "experts_per_token": 2, "steps": 120}
    runs = {
        method: balance_router(
            np.linspace(1, -1, 6), **settings_, method=method, rate=rate, generator=np.random.default_rng(3)
        )
        for method, rate in (("none", 1.0), ("loss", 2.0), ("bias", 0.005))
    }
    assert max(runs["none"].last_loads) > 1.8
    assert len(runs["none"].worst) == 120
    for method in ("loss", "bias"):
        assert max(runs[method].last_loads) < 1.1 < runs[method].worst[0]
    moved = {method: run.last_probabilities[-1] - run.first_probabilities[-1] for method, run in runs.items()}
    assert moved["loss"] > 0.05 > 0.005 > abs(moved["bias"])


@pytest.mark.parametrize("name", [name for name in ROWS if "mixtral" in name])
def test_published_parameters(name: str) -> None:
    row = ROWS[name]
    assert (parameter_count(row["model"]), active_parameter_count(row["model"])) == (row["total"], row["active"])
    for exact, printed in zip((row["total"], row["active"]), row["printed"], strict=True):
        digits = 1 if isinstance(printed, float) else 0
        assert round(exact / 1e9, digits) == printed
    whole = expert_rank_parameters(row["model"], expert_parallel=1)
    assert whole == row["total"]
    each = (whole - expert_rank_parameters(row["model"], expert_parallel=8)) / 7
    assert whole - 8 * each == row["active"] - 2 * each  # the rest of the model


def test_published_capacities_and_loss() -> None:
    for name in ("switch-capacity-1024-8-1.0", "switch-capacity-4096-64-1.25"):
        row = ROWS[name]
        size = {key: row[key] for key in ("tokens", "experts", "capacity_factor")}
        assert expert_capacity(**size) == row["capacity"]
        assert expert_capacity(**size, experts_per_token=2) == 2 * row["capacity"]
    row = ROWS["switch-aux-2"]
    assert expert_balance_loss(row["shares"], row["probabilities"], coefficient=row["alpha"]) == pytest.approx(
        row["loss"]
    )
    assert expert_balance_loss([1, 0], [0.4, 0.6]) == pytest.approx(0.8)  # uneven, and below the even value


def test_active_parameters_of_deepseek_v3_by_convention() -> None:
    """First printed as 36.7B with both tables, then as 36.6B with the head: it is 37.55B with both, 36.63B so."""
    counts = [active_parameter_count("DeepSeek-V3", embeddings=each) / 1e9 for each in ("both", "head")]
    assert [round(count, 2) for count in counts] == [37.55, 36.63]
    with pytest.raises(ValueError, match="experts"):
        expert_rank_parameters("Llama 3 8B", expert_parallel=8)


def test_the_pictures_show_what_was_computed() -> None:
    assert expert_layer_panel(experts=8, chosen={1: 0.73, 6: 0.27}).svg().count("0.73") == 1
    assert travel_panel([[1, 0], [1, 1]]).svg().count(">→1<") == 3
    assert ">1.25<" in loads_panel({"one": ([1.25, 0.75], [1.1, 0.9])}).svg()
    assert "experts 6, 7" in mesh_panel(columns=4, replicas=2, experts=8).svg()
    rows = rows_panel({"one": (7, 0.875), "two": (3.5, 14)}, times_faster=8).svg()
    assert "7.00 + 0.88" in rows
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)" height="11"', rows)]
    assert widths == pytest.approx([337, 337 / 2, 337 / 64, 337 / 4], abs=0.1)  # a link inside is eight times as fast
    times = travel_times_panel(27, {"near": 10, "far": 94}).svg()
    assert times.count("stroke-dasharray") >= 3 or times.count("<line") >= 3
    assert [f">{each} ms<" in times for each in (27, 10, 94)] == [True] * 3
    once = travel_times_panel(27, {"near": 10, "far": 94}, once=["near"]).svg()
    assert "--backward" in once
    assert "--backward" not in times
