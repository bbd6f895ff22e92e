"""The figure of three cuts says what a matrix of all messages and the links of the graph give."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercises.foundations.hierarchy.common import worst_halving_links
from snippets.foundations.hierarchy.live import TRAFFIC, cut_crossings, halved_tree
from snippets.live.knobs import from_units


def messages(traffic: str, leaves: int, below: int) -> np.ndarray:
    """What each GPU sends to each other one, if all bring 1 byte."""
    R = leaves * below
    sent = np.zeros((R, R))
    if traffic == "pairs":
        for gpu in range(R // 2):
            sent[gpu, gpu + R // 2] = 1
    elif traffic == "all":
        sent += 1 / (R - 1)
        np.fill_diagonal(sent, 0)
    else:
        order = list(range(R))
        if traffic == "dealt":
            order = [leaf * below + place for place in range(below) for leaf in range(leaves)]
        for _ in range(2 * (R - 1)):  # each step passes on a chunk
            for place in range(R):
                sent[order[place], order[(place + 1) % R]] += 1 / R
    return sent


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(TRAFFIC)), st.integers(1, 4), st.integers(1, 6))
def test_what_crosses_is_counted_message_by_message(traffic: str, pairs: int, below: int) -> None:
    leaves = 2 * pairs
    R, sent = leaves * below, messages(traffic, leaves, below)
    crossing = cut_crossings(leaves=leaves, hosts_per_leaf=below, size_bytes=1, traffic=traffic)
    assert sent.sum(axis=1).max() == pytest.approx(crossing.port)
    up = [
        sent[leaf * below : (leaf + 1) * below].sum()
        - sent[leaf * below : (leaf + 1) * below, leaf * below : (leaf + 1) * below].sum()
        for leaf in range(leaves)
    ]
    assert max(up) == pytest.approx(crossing.leaf)
    assert sent[: R // 2, R // 2 :].sum() == pytest.approx(crossing.half)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(TRAFFIC)),
    st.integers(1, 4),
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from([5, 40, 200]),
)
def test_the_numbers_are_those_of_the_three_cuts(traffic: str, pairs: int, below: int, up: int, rate: int) -> None:
    shape = {"leaves": 2 * pairs, "hosts_per_leaf": below}
    numbers = halved_tree(**shape, uplinks_per_leaf=up, gigabytes_per_s=rate, gigabytes=10, traffic=traffic).numbers
    said = re.search(r"at least ([\d.]+ \S*s)\..*bandwidth is ([\d.]+ \S*B/s)", numbers)
    assert said
    cut = worst_halving_links(2 * pairs * below, 2 * pairs, up, 1) * rate * 1e9
    assert from_units("cut", said[2], "B/s") == pytest.approx(cut, rel=6e-3)
    crossing = cut_crossings(**shape, size_bytes=10e9, traffic=traffic)
    longest = max(crossing.port / (rate * 1e9), crossing.leaf / (up * rate * 1e9), crossing.half / cut)
    assert from_units("time", said[1], "s") == pytest.approx(longest, rel=6e-3)


def test_it_opens_at_the_question() -> None:
    assert halved_tree().numbers.startswith("8 GPUs")
    assert halved_tree.opening
    opening = halved_tree(**halved_tree.opening.values).numbers
    assert opening.startswith("1,024 GPUs with 10 GB each, all-to-all:")
    assert "at least 970 ms" in opening
    values = {named.name: named.values for named in halved_tree.named}
    assert "at least 250 ms" in halved_tree(**values["All-to-all in network A"]).numbers
    assert "at least 500 ms" in halved_tree(**values["A ring in network B"]).numbers
