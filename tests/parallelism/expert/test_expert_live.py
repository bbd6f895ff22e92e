"""The live figures of chapter 20 say what distributions of loads say, and what counted copies cost."""

from __future__ import annotations

import re
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from snippets.parallelism.expert.formulas import expert_communication_to_compute
from snippets.parallelism.expert.live import copies_sent, expert_room, favoured_shares, travel_against_computing
from snippets.parallelism.expert.programs import run_dispatch
from snippets.parallelism.expert.routing import top_experts


@settings(max_examples=25)
@given(
    capacity=st.sampled_from([1, 1.25, 2, 3]),
    tokens=st.sampled_from([4, 32, 256]),
    experts=st.sampled_from([2, 8, 32]),
    experts_per_token=st.sampled_from([1, 2]),
    skew=st.sampled_from([0, 0.5, 1.5]),
)
def test_the_numbers_are_those_of_binomial_loads(
    capacity: float, tokens: int, experts: int, experts_per_token: int, skew: float
) -> None:
    said = expert_room(
        capacity=capacity, tokens=tokens, experts=experts, experts_per_token=experts_per_token, skew=skew
    ).numbers
    found = re.search(r"room for ([\d,]+) token.* expects ([\d.]+) times .*\. ([\d.]+)% of", said)
    assert found, said
    room = ceil(capacity * experts_per_token * tokens / experts)
    shares = favoured_shares(experts=experts, experts_per_token=experts_per_token, skew=skew)
    assert sum(shares) == pytest.approx(experts_per_token)
    assert max(shares) <= 1
    loads = np.arange(tokens + 1)
    lost = sum(float(binom.pmf(loads, tokens, p) @ np.maximum(loads - room, 0)) for p in shares)
    assert found[1] == str(room)
    assert float(found[2]) == pytest.approx(shares[0] * experts / experts_per_token, abs=0.006)
    assert float(found[3]) == pytest.approx(100 * lost / (tokens * experts_per_token), abs=0.006)


def test_favourites_follow_the_power_as_far_as_they_can() -> None:
    even = favoured_shares(experts=8, experts_per_token=2, skew=0.5)
    assert even[0] / even[3] == pytest.approx(2)
    full = favoured_shares(experts=8, experts_per_token=4, skew=1.5)
    assert full[0] == 1
    assert full[-2] / full[-1] == pytest.approx((8 / 7) ** 1.5)


def test_what_has_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot go to 8 of 2"):
        expert_room(experts_per_token=8)


@pytest.mark.parametrize(
    ("experts", "experts_per_token", "nodes", "way", "dispatch"),
    [
        (64, 16, 8, "expert", "each choice"),
        (64, 16, 8, "node", "each node"),
        (64, 16, 8, "four", "each node"),
        (256, 8, 8, "four", "each node"),
        (64, 4, 2, "node", "each node"),
        (64, 16, 1, "expert", "each choice"),
    ],
)
def test_copies_are_those_that_the_machine_counts(
    experts: int, experts_per_token: int, nodes: int, way: str, dispatch: str
) -> None:
    scores = np.random.default_rng(1).normal(size=(1024, experts))
    limit = {"groups": nodes, "most_groups": 4} if way == "four" else {}
    chosen = top_experts(scores, experts_per_token=experts_per_token, **limit)
    run = run_dispatch(chosen, experts=experts, nodes=nodes, gpus_per_node=8, way=dispatch)
    between, inside = copies_sent(experts=experts, experts_per_token=experts_per_token, nodes=nodes, way=way)
    assert between == pytest.approx(run.between_nodes / 1024, rel=0.02)
    assert inside == pytest.approx(run.inside_nodes / 1024, rel=0.03)


@pytest.mark.parametrize(("nodes", "groups", "link"), [(1, 8, 360e9), (8, 8, 40e9), (2, 2, 40e9)])
def test_travel_is_the_ratio_of_one_link(nodes: int, groups: int, link: float) -> None:
    said = re.search(r"Travel takes ([\d.]+) times", travel_against_computing(nodes=nodes).numbers)
    rates = {"flops_per_s": 643e12, "bandwidth_bytes_per_s": link}
    assert said
    assert float(said[1]) == pytest.approx(
        expert_communication_to_compute(width=1792, ranks=groups, **rates), rel=0.005
    )


def test_travel_that_has_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="shared evenly by the 128 GPUs"):
        travel_against_computing(nodes=16)
    with pytest.raises(ValueError, match="cannot go to 16 of 8"):
        travel_against_computing(experts=8, nodes=1)
    with pytest.raises(ValueError, match="Four nodes have 32 experts"):
        copies_sent(experts=64, experts_per_token=64, nodes=8, way="four")
