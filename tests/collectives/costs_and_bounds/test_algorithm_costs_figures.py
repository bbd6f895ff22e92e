"""The pictures and tables of chapter 14 show what the cost functions return."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.collectives.algorithm_costs import collective_lower_bound
from snippets.collectives.costs_and_bounds.bus_bandwidth import bus_bandwidth_factor, nvls_all_reduce_bytes
from snippets.collectives.costs_and_bounds.figures import (
    Port,
    bus_bandwidth_plot,
    bus_panel,
    bus_rows,
    chunk_panels,
    cost_table,
    hearing_panel,
    hears_from,
    hops_of_a_chunk,
    switch_counts,
    switch_panels,
)
from snippets.collectives.costs_and_bounds.published_runs import H200_NODE
from snippets.drawing import Panel
from snippets.figures import svg_of
from snippets.simulation.algorithms import ALGORITHMS
from snippets.simulation.schedule import PRIMITIVES

NET: dict[str, Any] = {"latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9}
THREE = ("ring", "recursive_doubling", "halving_doubling")


def count(panel: Panel, pattern: str) -> int:
    return len(re.findall(pattern, panel.svg()))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def evaluate(tex: str, *, ranks: int, size: int) -> float:
    """Return the value of a floor's TeX, for a power of two."""
    log = ranks.bit_length() - 1
    values = {
        "0": 0,
        "n": size,
        r"\lceil \log_2 R \rceil": log,
        r"\frac{R-1}{R} n": (ranks - 1) * size / ranks,
        r"2 \frac{R-1}{R} n": 2 * (ranks - 1) * size / ranks,
    }
    return values[tex]


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_the_table_prints_the_floor_and_a_row_for_each_algorithm(primitive: str) -> None:
    table = cost_table([primitive]).splitlines()
    assert len(table) == 3 + len(ALGORITHMS[primitive])
    floor = [cell.strip().strip("$") for cell in table[2].strip("|").split("|")][1:]
    size = 0 if primitive == "barrier" else 16 * 9
    bound = collective_lower_bound(primitive, ranks=16, size_bytes=size, element_bytes=1)
    expected = [bound.steps, bound.wire_bytes, bound.reduced_bytes]
    assert [evaluate(tex, ranks=16, size=size) for tex in floor] == expected


def test_an_unknown_primitive_is_named() -> None:
    with pytest.raises(ValueError, match="primitives"):
        cost_table(["sum"])


def test_the_published_run_is_drawn_with_its_lines_and_the_link() -> None:
    factor = bus_bandwidth_factor("all_reduce", ranks=8)
    times = [2e-5 + size / 260e9 for size in H200_NODE.sizes_bytes]
    line = [factor * size / time for size, time in zip(H200_NODE.sizes_bytes, times, strict=True)]
    figure = bus_bandwidth_plot(H200_NODE, {"a line": (H200_NODE.sizes_bytes, line)}, link_bytes_per_s=450e9)
    assert {"a line", "link, one direction", "bus bandwidth, GB/s"} <= set(texts(svg_of(figure)))


def test_a_table_may_leave_the_additions_out() -> None:
    whole, part = (cost_table(["all_reduce"], added=added).splitlines() for added in (True, False))
    assert [row.rsplit(" | ", 1)[0] + " |" for row in (*whole[:1], *whole[2:])] == [*part[:1], *part[2:]]


def test_rank_0_hears_from_as_many_as_the_bound_says_and_through_them_from_all() -> None:
    for log in range(1, 4):
        rounds = hears_from(2**log)
        assert len(rounds) == collective_lower_bound("all_reduce", ranks=2**log, size_bytes=2).steps
        assert [len(sends) for sends in rounds] == [2**step for step in reversed(range(log))]
        assert [sum(send.destination == 0 for send in sends) for sends in rounds] == [1] * log
        knows = {rank: {rank} for rank in range(2**log)}
        for sends in rounds:
            before = {rank: set(terms) for rank, terms in knows.items()}
            for send in sends:
                knows[send.destination] |= before[send.source]
        assert knows[0] == set(range(2**log))
    panel = hearing_panel(ranks=8)
    assert count(panel, "<path") == 4 + 2 + 1
    assert texts(panel.svg()).count("ABCD") == 4 + 8  # the last row has two lines a cell
    assert texts(panel.svg()).count("EFGH") == 4 + 8


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_chunk_takes_as_many_messages_before_the_first_sum_as_after(ranks: int) -> None:
    hops = hops_of_a_chunk(ranks=ranks)
    assert [hop.whole for hop in hops] == [False] * (ranks - 1) + [True] * (ranks - 1)
    assert [hop.step for hop in hops] == list(range(2 * (ranks - 1)))
    assert all((hop.destination - hop.source) % ranks == 1 for hop in hops)
    assert hops[ranks - 2].destination == 0
    panels = chunk_panels(ranks=ranks)
    assert [count(panel, "<path") for panel in panels] == [ranks - 1] * 2
    whole = [texts(panel.svg()).count("ABCD"[:ranks]) for panel in panels]
    assert whole == [1, sum(range(1, ranks + 1))]


def test_the_caller_sees_less_with_more_ranks_and_the_port_carries_the_same() -> None:
    rows = bus_rows((2, 4, 8, 64), size_bytes=1e9, bandwidth_bytes_per_s=50e9)
    for ranks, time, seen in rows:
        assert time == pytest.approx(2 * (ranks - 1) * (1e9 / ranks) / 50e9)
        assert seen * bus_bandwidth_factor("all_reduce", ranks=ranks) == pytest.approx(50e9)
    said = texts(bus_panel((2, 4, 8, 64), size_bytes=1e9, bandwidth_bytes_per_s=50e9).svg())
    assert said.count("50.0 GB/s") == 5
    assert {"33.3 GB/s", "28.6 GB/s", "25.4 GB/s"} <= set(said)


@pytest.mark.parametrize("ranks", range(2, 10))
def test_nvls_sums_and_copies_with_so_many_bytes(ranks: int) -> None:
    """Ranks that hold arrays ask a switch, which counts what goes through each port."""
    own = np.random.default_rng(ranks).integers(-99, 100, (ranks, ranks * 3))
    out, into = np.zeros(ranks), np.zeros(ranks)
    result = np.zeros_like(own)
    for owner in range(ranks):
        chunk = slice(3 * owner, 3 * owner + 3)
        out += own[:, chunk].nbytes / ranks
        total = own[:, chunk].sum(axis=0)
        into[owner] += total.nbytes
        out[owner] += total.nbytes
        result[:, chunk] = total
        into += total.nbytes
    assert (result == own.sum(axis=0)).all()
    expected = nvls_all_reduce_bytes(ranks=ranks, size_bytes=own[0].nbytes)
    assert out == pytest.approx(expected)
    assert into == pytest.approx(expected)
    reading, writing = switch_counts(ranks)
    assert reading == [Port(ranks, 1)] * ranks
    assert writing == [Port(1, ranks)] * ranks


def test_the_switches_are_drawn_with_what_they_carry() -> None:
    for panel in switch_panels(ranks=4):
        assert count(panel, "<path") == 8
        assert [texts(panel.svg()).count(number) for number in ("1", "4")] == [4, 4]
