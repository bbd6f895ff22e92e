"""The pictures and tables of chapter 14 show what the cost functions return."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from snippets.collectives.algorithm_costs import lower_bound
from snippets.collectives.algorithm_costs_figures import bus_bandwidth_plot, cost_table
from snippets.collectives.algorithms import ALGORITHMS
from snippets.collectives.bus_bandwidth import bus_bandwidth_factor
from snippets.collectives.schedule import PRIMITIVES
from snippets.figures import svg_of
from snippets.foundations.published_runs import H200_NODE


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def evaluate(tex: str, *, ranks: int, size: int) -> float:
    """Return the value of a floor's TeX, for a power of two."""
    log = ranks.bit_length() - 1
    values = {
        "0": 0,
        "n": size,
        r"\lceil \log_2 N \rceil": log,
        r"\frac{N-1}{N} n": (ranks - 1) * size / ranks,
        r"2 \frac{N-1}{N} n": 2 * (ranks - 1) * size / ranks,
    }
    return values[tex]


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_the_table_prints_the_floor_and_a_row_for_each_algorithm(primitive: str) -> None:
    table = cost_table([primitive]).splitlines()
    assert len(table) == 3 + len(ALGORITHMS[primitive])
    floor = [cell.strip().strip("$") for cell in table[2].strip("|").split("|")][1:]
    size = 0 if primitive == "barrier" else 16 * 9
    bound = lower_bound(primitive, ranks=16, size_bytes=size, element_bytes=1)
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
