"""The figure of a network cut in half says what the links of the graph give."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercises.foundations.hierarchy.common import worst_halving_links
from snippets.foundations.hierarchy.live import halved_tree
from snippets.live.knobs import from_units


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 12), st.integers(1, 12), st.sampled_from([100, 400, 800]))
def test_the_numbers_are_those_of_a_cut_in_all_ways(pairs: int, below: int, up: int, gigabits: int) -> None:
    numbers = halved_tree(leaves=2 * pairs, hosts_per_leaf=below, uplinks_per_leaf=up, gigabits_per_s=gigabits).numbers
    links = worst_halving_links(2 * pairs * below, 2 * pairs, up, 1)
    said = re.search(r"bisection bandwidth is ([\d.]+ \S*B/s).*takes ([\d.]+ \S*s)\.", numbers)
    assert said
    cut = links * gigabits * 1e9 / 8
    assert from_units("cut", said[1], "B/s") == pytest.approx(cut, rel=6e-3)
    assert from_units("time", said[2], "s") == pytest.approx(10e9 * pairs * below / cut, rel=6e-3)


def test_it_opens_at_the_smallest_instance_and_knows_the_question() -> None:
    assert halved_tree().numbers.startswith("8 GPUs.")
    values = {named.name: named.values for named in halved_tree.named}
    assert "takes 200 ms" in halved_tree(**values["The question's network A"]).numbers
    assert "takes 800 ms" in halved_tree(**values["The question's network B"]).numbers
