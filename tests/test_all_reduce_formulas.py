"""The printed formulas against the exact costs of schedules, wherever chunks are even, and against their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets import all_reduce as formulas
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.schedule_cost import price_schedule
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.algorithms import ALIASES, build_collective, largest_power_of_two

NAMED: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    "ring": (formulas.ring_all_reduce_bytes, formulas.ring_all_reduce_time_s),
    "binomial": (formulas.tree_all_reduce_bytes, formulas.tree_all_reduce_time_s),
    "recursive_doubling": (
        formulas.recursive_doubling_all_reduce_bytes,
        formulas.recursive_doubling_all_reduce_time_s,
    ),
    "halving_doubling": (formulas.halving_doubling_all_reduce_bytes, formulas.halving_doubling_all_reduce_time_s),
    "double_binary_tree": (formulas.double_tree_all_reduce_bytes, formulas.double_tree_all_reduce_time_s),
}
POWERS_OF_TWO = ("recursive_doubling", "halving_doubling")


@pytest.mark.parametrize("algorithm", NAMED)
@given(
    ranks=st.integers(1, 300),
    times=st.integers(0, 10**6),
    segments=st.integers(1, 40),
    alpha=st.floats(0, 1e-3),
    beta=st.floats(1e6, 1e12),
    gamma=st.sampled_from([0.0, 1e-12, 3e-10]),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_named_formula_is_the_cost_of_its_schedule(
    algorithm: str, ranks: int, times: int, segments: int, alpha: float, beta: float, gamma: float
) -> None:
    """``algorithm_cost`` counts uneven chunks too, and is held to messages by ``test_collective_schedules.py``."""
    ranks = largest_power_of_two(ranks) if algorithm in POWERS_OF_TWO else ranks
    asked: dict[str, Any] = {"ranks": ranks}
    if algorithm == "double_binary_tree":
        asked = {"ranks": ranks + 1, "segments": segments}
    asked["size_bytes"] = 4 * ranks * segments * times
    machine = {"latency_s": alpha, "bandwidth_bytes_per_s": beta, "reduction_s_per_byte": gamma}
    exact = algorithm_cost("all_reduce", algorithm, **asked)
    in_bytes, in_seconds = NAMED[algorithm]
    assert in_bytes(**asked) == pytest.approx(exact.wire_bytes, rel=1e-14)
    assert in_seconds(**asked, **machine) == pytest.approx(exact.time_s(**machine), rel=1e-13)


@pytest.mark.parametrize("algorithm", ["ring", "recursive_doubling", "halving_doubling"])
@pytest.mark.parametrize("ranks", [1, 2, 8])
def test_what_a_rank_sends_is_what_its_messages_carry(algorithm: str, ranks: int) -> None:
    in_bytes, in_seconds = NAMED[algorithm]
    counted = collective_traffic("all_reduce", algorithm, ranks=ranks, size_bytes=240)
    assert set(counted.sent_bytes) == set(counted.received_bytes) == {in_bytes(ranks=ranks, size_bytes=240)}
    machine: Any = {"latency_s": 1.0, "bandwidth_bytes_per_s": 8.0, "reduction_s_per_byte": 0.5}
    schedule = build_collective("all_reduce", algorithm, ranks=ranks, length=120)
    priced = price_schedule(schedule, element_bytes=2, **machine)
    assert in_seconds(ranks=ranks, size_bytes=240, **machine) == pytest.approx(priced.time_s, rel=1e-15)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Rabenseifner", "halving_doubling"),
        ("halving–doubling", "halving_doubling"),
        ("Recursive Doubling", "recursive_doubling"),
        ("double tree", "double_binary_tree"),
        ("Ring", "ring"),
    ],
)
@pytest.mark.parametrize("primitive", ["all_reduce", "all-reduce", "AllReduce"])
def test_an_algorithm_is_found_by_what_the_field_calls_it(primitive: str, written: str, meant: str) -> None:
    schedule = build_collective(primitive, written, ranks=4, length=8)
    assert (schedule.primitive, schedule.algorithm) == ("all_reduce", meant)
    asked = {"ranks": 4, "size_bytes": 16}
    assert algorithm_cost(primitive, written, **asked) == algorithm_cost("all_reduce", meant, **asked)
    assert collective_traffic(primitive, written, **asked) == collective_traffic("all_reduce", meant, **asked)


def test_an_alias_names_an_algorithm() -> None:
    for alias, algorithm in ALIASES.items():
        primitive = "broadcast" if algorithm == "scatter_all_gather" else "all_reduce"
        assert build_collective(primitive, alias, ranks=2, length=2).algorithm == algorithm
