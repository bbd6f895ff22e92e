"""Hybrid sharding's traffic against ring schedules that are run group by group, and the picture of the stages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero.figures import stage_panel
from snippets.memory.zero.formulas import STAGES, hybrid_shard_elements, zero_communication_elements
from snippets.simulation import runner
from snippets.simulation.algorithms import build_collective


def sent(primitive: str, ranks: int, length: int) -> int:
    """Elements that all ranks together send in a ring, counted from arrays that travel."""
    schedule = build_collective(primitive, "ring", ranks=ranks, length=length)
    if primitive == "all_gather":
        inputs = np.array_split(np.arange(length, dtype=np.float32), ranks)
    else:
        inputs = [np.ones(length, np.float32) for _ in range(ranks)]
    account = runner.run(schedule, list(inputs)).account
    return int(np.sum(account.sent_bytes)) // 4


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(0, 40))
def test_hybrid_traffic_by_running_every_group(group: int, replicas: int, micro_batches: int, count: int) -> None:
    inside = across = 0
    for _ in range(replicas):
        for _ in range(micro_batches):
            inside += 2 * sent("all_gather", group, count) + sent("reduce_scatter", group, count)
    for part in np.array_split(np.arange(count), group):
        across += sent("all_reduce", replicas, part.size)
    got = hybrid_shard_elements(count, shard_ranks=group, replicas=replicas, micro_batches=micro_batches)
    ranks = group * replicas
    assert (got.inside * ranks, got.across * ranks) == pytest.approx((inside, across), rel=1e-14)


@given(st.integers(1, 10**12), st.integers(1, 1000), st.integers(1, 8))
def test_hybrid_traffic_at_its_ends(count: int, ranks: int, micro_batches: int) -> None:
    whole = hybrid_shard_elements(count, shard_ranks=ranks, replicas=1, micro_batches=micro_batches)
    assert whole.across == 0
    assert whole.inside == zero_communication_elements(count, stage=3, ranks=ranks, micro_batches=micro_batches)
    copies = hybrid_shard_elements(count, shard_ranks=1, replicas=ranks, micro_batches=micro_batches)
    assert copies.inside == 0
    assert copies.across == zero_communication_elements(count, stage=0, ranks=ranks)


@pytest.mark.parametrize("name", ["parameters", "shard_ranks", "replicas", "micro_batches"])
def test_bad_input_is_named(name: str) -> None:
    given = {"parameters": 1, "shard_ranks": 1, "replicas": 1, "micro_batches": 1} | {name: -1}
    with pytest.raises(ValueError, match=name):
        hybrid_shard_elements(given.pop("parameters"), **given)


@pytest.mark.parametrize("stage", STAGES)
def test_stage_panel_fills_what_a_rank_holds(stage: int) -> None:
    svg = stage_panel(stage=stage).svg()
    bytes_each = {0: "16", 1: "7", 2: "5.5", 3: "4"}[stage]
    assert f"stage {stage}: {bytes_each} bytes a parameter" in svg
    assert svg.count("stroke-dasharray") == 4 * stage
    for kind in ("parameters", "gradients", "optimizer"):
        assert svg.count(f'class="b-{kind}"') == 4
    assert all(f"rank {rank}" in svg for rank in range(4))


def test_stage_panel_refuses_a_fifth_stage() -> None:
    with pytest.raises(ValueError, match="stage"):
        stage_panel(stage=4)
