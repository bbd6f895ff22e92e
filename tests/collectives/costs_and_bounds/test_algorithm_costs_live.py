"""The figure of the fastest collective: times of schedules, priced message by message; changes found by walking."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.algorithm_costs import compare_algorithms, crossover_bytes
from snippets.collectives.costs_and_bounds.live import _FAR, _PRIMITIVES, best_collective
from snippets.collectives.schedule_cost import price_schedule
from snippets.live.knobs import from_units
from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, build_collective, spoken
from tests.live.checking import assert_draws


def regions(numbers: str) -> list[tuple[float, str]]:
    """Return from which size which algorithm is the fastest, as the figure says it."""
    said = numbers.partition("By size: ")[2].removesuffix(".")
    first, *others = re.split(r", from ", said)
    return [(0.0, first)] + [
        (from_units("size", " ".join(other.split()[:2]), "B"), " ".join(other.split()[2:])) for other in others
    ]


@settings(max_examples=examples(40), deadline=None)
@given(
    primitive=st.sampled_from(_PRIMITIVES),
    ranks=st.integers(2, 12),
    size_bytes=st.integers(1600, 10**8),
    latency_s=st.floats(1e-7, 1e-4),
    bandwidth=st.floats(1e9, 5e11),
    distant=st.booleans(),
)
def test_the_fastest_is_the_fastest_schedule(
    primitive: str, ranks: int, size_bytes: int, latency_s: float, bandwidth: float, distant: bool
) -> None:
    net: dict[str, Any] = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth}
    numbers = best_collective(primitive=primitive, ranks=ranks, size_bytes=size_bytes, distant=distant, **net).numbers
    times = {}
    for name in ALGORITHMS[primitive]:
        if distant or name not in _FAR:
            blocks = (1, 2, 3, 5, 8, 12, 20, 40) if name in PIPELINED else (1,)
            times[name] = min(
                price_schedule(
                    build_collective(primitive, name, ranks=ranks, length=size_bytes, segments=count),
                    element_bytes=1,
                    **net,
                ).time_s
                for count in blocks
            )
    said = re.search(
        r"fastest of those listed is (.+), ([\d.]+ \S*s) or ([\d.,]+) times the floor of ([\d.]+ \S*s)\.", numbers
    )
    assert said
    shown = from_units("time", said[2], "s")
    assert shown <= min(times.values()) * 1.006
    (named,) = (name for name in times if spoken(name) == said[1])
    if named not in PIPELINED:
        assert shown == pytest.approx(min(times.values()), rel=6e-3)
    assert float(said[3].replace(",", "")) == pytest.approx(shown / from_units("floor", said[4], "s"), rel=2e-2)
    assert shown >= from_units("floor", said[4], "s") * 0.99


@settings(max_examples=examples(25), deadline=None)
@given(
    primitive=st.sampled_from(_PRIMITIVES),
    ranks=st.sampled_from([2, 3, 8, 23, 64, 256, 1024]),
    size_bytes=st.integers(2000, 6 * 10**9),
    latency_s=st.floats(1e-7, 6e-4),
    distant=st.booleans(),
)
def test_the_strip_agrees_with_the_table_at_any_size(
    primitive: str, ranks: int, size_bytes: int, latency_s: float, distant: bool
) -> None:
    """A size between the changes has the algorithm that an exact comparison of all finds there, or one as fast."""
    ways = {"primitive": primitive, "ranks": ranks, "latency_s": latency_s, "distant": distant}
    found = regions(best_collective(**ways).numbers)
    (name,) = [name for start, name in found if start <= size_bytes][-1:]
    choices = compare_algorithms(
        primitive,
        ranks=ranks,
        size_bytes=size_bytes,
        element_bytes=1,
        latency_s=latency_s,
        bandwidth_bytes_per_s=40e9,
        algorithms=[name for name in ALGORITHMS[primitive] if distant or name not in _FAR],
    )
    (shown,) = (choice for choice in choices if spoken(choice.algorithm) == name)
    assert shown.time_s <= choices[0].time_s * 1.01


def named(name: str) -> str:
    """Return the numbers of a named setting."""
    (values,) = (one.values for one in best_collective.named if one.name.startswith(name))
    return best_collective(**values).numbers


def test_it_opens_at_the_question_and_its_knobs_begin_at_four_ranks() -> None:
    assert best_collective.opening is not None
    assert best_collective.opening.name.startswith("The question")
    numbers = best_collective().numbers
    assert " on 4 ranks: fastest of those listed is halving–doubling" in numbers
    assert regions(numbers)[1] == (8e5, "halving–doubling")  # 4αβ


def test_a_button_leads_to_the_chapters_bucket() -> None:
    numbers = named("The question")
    change = crossover_bytes(
        "all_reduce",
        "recursive_doubling",
        "halving_doubling",
        ranks=256,
        latency_s=5e-6,
        bandwidth_bytes_per_s=40e9,
    )
    assert " Yours, ring: 3.86 ms, 2.87 times. " in numbers
    assert numbers.startswith(
        "26.2 MB on 256 ranks: fastest of those listed is halving–doubling, 1.39 ms or 1.03 times the floor of 1.35"
    )
    assert [name for _, name in regions(numbers)] == ["recursive doubling", "halving–doubling"]
    assert regions(numbers)[1][0] == pytest.approx(change, rel=5e-3)


def test_the_other_buttons_say_what_is_to_be_noticed() -> None:
    assert "fastest of those listed is recursive doubling" in named("64 KiB")
    assert "59.02 times" in named("64 KiB")
    assert "Yours, halving–doubling: 99.3 ms, 2.01 times." in named("1 GB, 96")
    assert "fastest of those listed is ring" in named("1 GB, neighbours")
    assert "or 1.05 times" in named("1 GB, neighbours")
    assert "Yours, ring: 43.9 ms, 1.03 times." in named("The 70B")  # 255 (5 µs + 1.711 GB / 256 / 40 GB/s)


def test_without_distant_exchanges_it_is_the_chapters_pair() -> None:
    found = regions(best_collective(ranks=256, distant=False).numbers)
    assert [name for _, name in found] == ["binomial", "double binary tree", "ring"]
    pair: dict[str, Any] = {"ranks": 256, "algorithms": ("ring", "double_binary_tree")}
    pair |= {"latency_s": 5e-6, "bandwidth_bytes_per_s": 40e9}
    fastest = [
        compare_algorithms("all_reduce", size_bytes=round(found[2][0] * around), element_bytes=1, **pair)[0].algorithm
        for around in (0.97, 1.03)
    ]
    assert fastest == ["double_binary_tree", "ring"]


def test_an_algorithm_that_the_collective_has_not_is_said_to_be_missing() -> None:
    missing = best_collective(primitive="broadcast", own="ring").numbers
    assert "Yours, ring, is not among those of the broadcast that are shown." in missing
    assert "l-communication" not in best_collective(primitive="broadcast", own="ring").panels[0].svg()


@pytest.mark.parametrize("primitive", _PRIMITIVES)
def test_the_switch_is_idle_where_it_changes_nothing(primitive: str) -> None:
    with_all, without = (best_collective(primitive=primitive, distant=distant) for distant in (True, False))
    same = [panel.svg() for panel in with_all.panels] == [panel.svg() for panel in without.panels]
    assert ("distant" in without.idle) == same


@pytest.mark.nightly
@pytest.mark.parametrize("primitive", _PRIMITIVES)
def test_it_draws_between_the_extremes(primitive: str) -> None:
    for ranks in (3, 23, 64, 362):
        for latency_s in (2e-7, 4e-5):
            for distant in (True, False):
                ways = {"primitive": primitive, "ranks": ranks, "latency_s": latency_s, "distant": distant}
                assert_draws(best_collective, ways)
