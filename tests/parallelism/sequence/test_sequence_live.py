"""The live ring: its numbers against closed forms, and its notices."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.parallelism.sequence.formulas import contiguous_attention_slowdown
from snippets.parallelism.sequence.live import attention_ring


def shares(**settings_: object) -> float:
    found = re.search(r"work (\d+)% of the time", attention_ring(**settings_).numbers)
    assert found
    return int(found[1]) / 100


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(2, 16))
def test_shares_are_those_of_the_closed_forms(ranks: int) -> None:
    fast = {"ranks": ranks, "tokens": 65536, "bandwidth_bytes_per_s": 1.6e12}
    assert shares(layout="contiguous", **fast) == pytest.approx(1 / contiguous_attention_slowdown(ranks), abs=0.011)
    for layout in ("none", "zigzag", "striped"):
        assert shares(layout=layout, **fast) >= 0.99


def test_a_slow_link_sets_the_pace() -> None:
    """With messages far longer than blocks, the pass takes N − 1 messages and one block."""
    slow = attention_ring(layout="zigzag", tokens=1024, bandwidth_bytes_per_s=400e9 / 2**8)
    message_s = 2 * 1024 * 128 * 2 / (400e9 / 2**8)
    took = re.search(r"takes ([\d.]+) (ms|µs), and the ranks", slow.numbers)
    assert took
    assert float(took[1]) * {"ms": 1e-3, "µs": 1e-6}[took[2]] == pytest.approx(3 * message_s, rel=0.01)


def test_the_notices_say_what_the_figure_says() -> None:
    said = {named.name: attention_ring(**named.values).numbers for named in attention_ring.named}
    for name, words in (
        ("The question", ["29.6 ms at the longest", "takes 10.7 ms", "work 100% of the time"]),
        ("In order", ["work 52% of the time"]),
        ("128,000 tokens", ["8,000 tokens", "22,500 tokens", "work 37%"]),
    ):
        assert all(word in said[name] for word in words)
