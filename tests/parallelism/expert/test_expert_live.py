"""The live figure of chapter 20 says what distributions of loads say."""

from __future__ import annotations

import re
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from snippets.parallelism.expert.live import expert_room, favoured_shares


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
