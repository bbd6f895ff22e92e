"""The pictures of chapter 5 show what they were given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from snippets.collectives.costs_and_bounds.published_runs import B200_FOUR_NODES
from snippets.figures import svg_of
from snippets.foundations.alpha_beta.buckets import bucketed_step
from snippets.foundations.alpha_beta.figures import (
    bandwidth_plot,
    bucket_panel,
    fit_plot,
    logp_panel,
    message_panel,
    messages_panel,
    points_plot,
    short_bytes,
    step_time_plot,
)
from snippets.foundations.alpha_beta.fit import fit_alpha_beta
from snippets.foundations.alpha_beta.formulas import logp_messages_time_s
from tests.live.checking import assert_texts_fit

FloatArray = npt.NDArray[np.float64]
STEP = {"total_bytes": 1e9, "compute_s": 0.04, "latency_s": 1e-3, "bandwidth_bytes_per_s": 20e9}
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def widths(svg: str, colour: str) -> list[float]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [float(element.get("width", "")) for element in found if element.get("class") == f"b-{colour}"]


def test_bytes_are_short() -> None:
    assert [short_bytes(value) for value in (1, 999, 1e3, 52363, 2.5e6, 3e9)] == [
        "1 B",
        "999 B",
        "1 kB",
        "52.4 kB",
        "2.5 MB",
        "3 GB",
    ]


def test_the_bandwidth_plot_marks_half_the_bandwidth_and_every_measurement() -> None:
    svg = svg_of(
        bandwidth_plot(
            latency_s=5e-6, bandwidth_bytes_per_s=50e9, sizes_bytes=(1, 1e8), measured=((1e3, 5e-6), (1e6, 3e-5))
        )
    )
    assert "n½ = 250 kB" in texts(svg)
    assert "β" in texts(svg)
    assert len(re.findall("<use ", svg)) >= 3  # two measurements and the half-bandwidth point


def test_the_fit_plot_names_its_lines() -> None:
    sizes, times = (1, 1000, 10**6), (1e-5, 1.1e-5, 1e-3)
    fits = {name: fit_alpha_beta(sizes, times, weighting=name) for name in ("relative", "uniform")}
    assert {"relative", "uniform", "size of a message", "time, µs"} <= set(texts(svg_of(fit_plot(sizes, times, fits))))


def drawn(line: Line2D) -> tuple[FloatArray, FloatArray]:
    """Return where a line of a plot goes, as across and up."""
    return np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)


def blocks(svg: str, colour: str) -> list[tuple[float, float]]:
    """Return where each block of a colour begins and ends."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    places = [(float(it.get("x", "")), float(it.get("width", ""))) for it in found if it.get("class") == f"b-{colour}"]
    return [(x, x + width) for x, width in places]


def test_a_message_arrives_after_its_latency_and_its_bytes() -> None:
    panel = message_panel((1e3, 1e6), latency_s=5e-6, bandwidth_bytes_per_s=50e9)
    svg = panel.svg()
    assert_texts_fit(svg)
    assert {"1 kB: 5.02 µs", "1 MB: 25 µs", "sender", "receiver", "α", "n/β", "25 µs"} <= set(texts(svg))
    (_, _, sent, arrived), waits = blocks(svg, "communication"), blocks(svg, "idle")
    one_us = (arrived[1] - waits[3][0]) / 25  # the 1 MB message ends at 25 µs
    assert waits[3][1] - waits[3][0] == pytest.approx(5 * one_us, abs=0.3)
    assert arrived[0] == pytest.approx(waits[3][1], abs=0.3)
    assert arrived[0] - sent[0] == pytest.approx(2.5 * one_us, abs=0.3)
    assert sent[1] - sent[0] == pytest.approx(20 * one_us, abs=0.3)


def test_messages_have_the_same_bytes_in_every_row() -> None:
    svg = messages_panel(messages=(1, 4, 16), total_bytes=1e6, latency_s=5e-6, bandwidth_bytes_per_s=50e9).svg()
    assert_texts_fit(svg)
    assert {"1 message: 25 µs", "4 messages: 40 µs", "16 messages: 100 µs"} <= set(texts(svg))
    bytes_drawn, waits = widths(svg, "communication"), widths(svg, "idle")
    assert len(waits) == len(bytes_drawn) == 21
    assert abs(bytes_drawn[0] - sum(bytes_drawn[1:5])) < 0.3
    assert sum(waits[5:]) == pytest.approx(16 * waits[0], abs=1)


@pytest.mark.parametrize("flowing", [False, True])
def test_logp_draws_each_overhead_where_the_model_has_it(flowing: bool) -> None:
    parts = {"latency_s": 3e-6, "overhead_s": 1e-6, "gap_s": 1.5e-6}
    svg = logp_panel(messages=3, flowing=flowing, longest_s=15e-6, **parts).svg()
    assert_texts_fit(svg)
    one_us = (350 - 72 - 22) / 15
    starts = [0, 1.5, 3] if flowing else [0, 5, 10]
    for number, start in enumerate(starts):
        sent, received = blocks(svg, f"rank-{number}")
        assert sent == pytest.approx((72 + start * one_us, 72 + (start + 1) * one_us), abs=0.2)
        assert received == pytest.approx((72 + (start + 4) * one_us, 72 + (start + 5) * one_us), abs=0.2)
    end_us = round(logp_messages_time_s(messages=3, **parts) * 1e6) if flowing else 15
    assert any(text.endswith(f": {end_us} µs") for text in texts(svg))
    assert ("G" in texts(svg)) == flowing
    assert ("J" in texts(svg)) != flowing


def test_buckets_are_drawn_as_the_run_says() -> None:
    steps = {f"{count} buckets": bucketed_step(buckets=count, **STEP) for count in (2, 5)}
    svg = bucket_panel(steps, compute_s=0.04, latency_s=1e-3).svg()
    assert_texts_fit(svg)
    assert {"2 buckets: 72.0 ms, latency 2 ms", "5 buckets: 63.0 ms, latency 5 ms", "backward", "network"} <= set(
        texts(svg)
    )
    assert len(widths(svg, "communication")) == 7
    (start, end), _ = blocks(svg, "backward")
    one_ms = (end - start) / 40
    drawn = zip(blocks(svg, "idle"), blocks(svg, "communication"), strict=True)
    for ((left, middle), (also, right)), bucket in zip(
        drawn, [b for step in steps.values() for b in step], strict=True
    ):
        assert middle == pytest.approx(also, abs=0.2)
        assert left - start == pytest.approx(bucket.start_s * 1e3 * one_ms, abs=0.2)
        assert right - start == pytest.approx(bucket.end_s * 1e3 * one_ms, abs=0.2)


def test_many_buckets_are_drawn_without_outlines() -> None:
    svg = bucket_panel({"40 buckets": bucketed_step(buckets=40, **STEP)}, compute_s=0.04, latency_s=1e-3).svg()
    assert_texts_fit(svg)
    assert blocks(svg, "communication") == []
    paths = [element.get("d", "") for element in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    waits, moves = [[float(it) for it in re.findall(r"h([\d.]+)", path)] for path in paths if path.count("h") == 40]
    assert sum(waits) / sum(moves) == pytest.approx(40 / 50, abs=0.02)  # 40 ms of latency, 50 ms of bytes


@pytest.mark.parametrize(("compute_s", "best"), [(0.04, 6), (0.08, 30)])
def test_a_step_is_plotted_as_the_larger_of_its_branches(compute_s: float, best: int) -> None:
    figure = step_time_plot(marked=(1, best, 40), most=60, bottom_ms=30, top_ms=140, **{**STEP, "compute_s": compute_s})
    first, second, bold = (drawn(line)[1] for line in figure.axes[0].lines[:3])
    ends = [bucketed_step(buckets=k, **{**STEP, "compute_s": compute_s})[-1].end_s * 1e3 for k in range(1, 61)]
    assert bold == pytest.approx(ends)
    assert np.maximum(first, second) == pytest.approx(ends)
    said = texts(svg_of(figure))
    assert {f"K* = {best}: {ends[best - 1]:.1f} ms", f"K = 1: {ends[0]:.1f} ms", f"K = 40: {ends[39]:.1f} ms"} <= set(
        said
    )


def test_the_points_and_their_line_are_plotted_as_they_are() -> None:
    fit = fit_alpha_beta(B200_FOUR_NODES.sizes_bytes, B200_FOUR_NODES.times_s)
    figure = points_plot(
        B200_FOUR_NODES.sizes_bytes,
        B200_FOUR_NODES.times_s,
        fit,
        marked_bytes=25 * 2**20,
        mark="25 MiB",
        named={2**24: "16 MiB", 2**25: "32 MiB"},
    )
    mark, line, points = figure.axes[0].lines
    assert set(drawn(mark)[0]) == {25 * 2**20}
    assert drawn(points)[1] == pytest.approx([time * 1e3 for time in B200_FOUR_NODES.times_s])
    sizes, times = drawn(line)
    assert times == pytest.approx((fit.latency_s + sizes * fit.s_per_byte) * 1e3)
    assert {"25 MiB", "16 MiB", "32 MiB"} <= set(texts(svg_of(figure)))
    assert [note.xy for note in figure.axes[0].texts[1:] if isinstance(note, Annotation)] == [
        (size, pytest.approx(1e3 * B200_FOUR_NODES.times_s[B200_FOUR_NODES.sizes_bytes.index(size)]))
        for size in (2**24, 2**25)
    ]
