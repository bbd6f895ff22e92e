"""Published runs: the times that follow from the printed bandwidths give these bandwidths back."""

from __future__ import annotations

from typing import Any

import pytest

from snippets.collectives.costs_and_bounds.bus_bandwidth import bus_bandwidth_bytes_per_s
from snippets.collectives.costs_and_bounds.published_runs import B200_FOUR_NODES, H200_NODE, PublishedRun


@pytest.mark.parametrize("run", [B200_FOUR_NODES, H200_NODE], ids=lambda run: run.name)
def test_times_give_the_printed_bandwidths(run: PublishedRun) -> None:
    assert run.sizes_bytes[0] == 32 * 2**10
    assert run.sizes_bytes[-1] == 16 * 2**30
    assert all(bandwidth % 10_000_000 == 0 for bandwidth in run.bus_bandwidths_bytes_per_s)  # as printed, to 0.01 GB/s
    for size, time, bandwidth in zip(run.sizes_bytes, run.times_s, run.bus_bandwidths_bytes_per_s, strict=True):
        found = bus_bandwidth_bytes_per_s("all_reduce", ranks=run.ranks, size_bytes=size, time_s=time)
        assert found == pytest.approx(bandwidth, rel=1e-12)


def test_the_algorithm_bandwidths_of_the_four_nodes_are_those_printed_beside_them() -> None:
    """The table prints algbw too, to a hundredth of a GB/s: a check of what was copied, and of R."""
    printed = {2**20: 6.44, 32 * 2**20: 73.76, 2**30: 188.90, 16 * 2**30: 194.43}
    assert B200_FOUR_NODES.bus_bandwidths_bytes_per_s[:2] == (650_000_000, 1_270_000_000)
    times = dict(zip(B200_FOUR_NODES.sizes_bytes, B200_FOUR_NODES.times_s, strict=True))
    for size, bandwidth in printed.items():
        assert size / times[size] / 1e9 == pytest.approx(bandwidth, abs=0.01)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"ranks": 0}, "ranks"),
        ({"sizes_bytes": (1, 2)}, "sizes_bytes"),
        ({"sizes_bytes": (0,)}, "sizes_bytes"),
        ({"bus_bandwidths_bytes_per_s": (0.0,)}, "bus_bandwidths_bytes_per_s"),
    ],
)
def test_bad_runs_are_named(wrong: dict[str, Any], named: str) -> None:
    good: dict[str, Any] = {
        "name": "x",
        "ranks": 2,
        "sizes_bytes": (1,),
        "bus_bandwidths_bytes_per_s": (1.0,),
        "program": "p",
        "source": "s",
    }
    with pytest.raises(ValueError, match=named):
        PublishedRun(**{**good, **wrong})
