"""The overlap of gathers and computation against its closed form, and against stepping through time."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero.figures import gather_overlap_panel
from snippets.memory.zero.unit_overlap import overlapped_units

ticks = st.integers(0, 6)


@given(st.integers(1, 8), ticks, ticks, st.integers(1, 3))
def test_equal_units(count: int, gather: int, run: int, prefetch: int) -> None:
    end = overlapped_units([gather] * count, [run] * count, prefetch=prefetch)[-1].run_end_s
    assert end == gather + (count - 1) * max(gather, run) + run
    alone = overlapped_units([gather] * count, [run] * count, prefetch=0)[-1].run_end_s
    assert alone == count * (gather + run)


def stepped(gathers: list[int], runs: list[int], prefetch: int) -> list[int]:
    """End of each run, from a clock that ticks in quarters and starts what may start."""
    step, now = Fraction(1, 4), Fraction(0)
    gathered: list[Fraction] = []
    ran: list[Fraction] = []
    busy_gather = busy_run = Fraction(0)
    while len(ran) < len(runs):
        changed = True
        while changed:
            changed = False
            done = sum(end <= now for end in ran)
            next_gather = len(gathered)
            if next_gather < len(gathers) and busy_gather <= now and next_gather - done <= prefetch:
                busy_gather = now + gathers[next_gather]
                gathered.append(busy_gather)
                changed = True
            next_run = len(ran)
            if next_run < len(gathered) and busy_run <= now and gathered[next_run] <= now:
                busy_run = now + runs[next_run]
                ran.append(busy_run)
                changed = True
        now += step
    return [int(end) for end in ran]


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(ticks, ticks), max_size=7), st.integers(0, 3))
def test_by_a_ticking_clock(times: list[tuple[int, int]], prefetch: int) -> None:
    gathers, runs = [gather for gather, _ in times], [run for _, run in times]
    units = overlapped_units(gathers, runs, prefetch=prefetch)
    assert [unit.run_end_s for unit in units] == stepped(gathers, runs, prefetch)
    for index, unit in enumerate(units):
        held = sum(other.run_end_s > unit.gather_start_s for other in units[:index])
        assert held <= prefetch


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([-1.0], [1.0], 1), "gather_s"),
        (([1.0], [-1.0], 1), "run_s"),
        (([1.0], [], 1), "run_s"),
        (([1.0], [1.0], -1), "prefetch"),
    ],
)
def test_bad_input_is_named(arguments: tuple[list[float], list[float], int], name: str) -> None:
    gathers, runs, prefetch = arguments
    with pytest.raises(ValueError, match=name):
        overlapped_units(gathers, runs, prefetch=prefetch)


def test_overlap_panel_names_its_units() -> None:
    units = overlapped_units([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    svg = gather_overlap_panel(units, title="one ahead", scale_ms=9).svg()
    for text in ("one ahead", "gather", "run", ">2<", "ends at 7 ms, of which it waited 1"):
        assert text in svg, text
    assert svg.count('class="b-communication"') == svg.count('class="b-forward"') == 3
    with pytest.raises(ValueError, match="units"):
        gather_overlap_panel((), title="", scale_ms=1)
