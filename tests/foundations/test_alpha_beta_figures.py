"""The pictures of chapter 5 show what they were given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from snippets.figures import svg_of
from snippets.foundations.alpha_beta_figures import (
    bandwidth_plot,
    bucket_panel,
    fit_plot,
    messages_panel,
    short_bytes,
)
from snippets.foundations.alpha_beta_fit import fit_alpha_beta
from snippets.foundations.buckets import bucketed_step

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


def test_messages_have_the_same_bytes_in_every_row() -> None:
    svg = messages_panel(messages=(1, 4), total_bytes=1e6, latency_s=5e-6, bandwidth_bytes_per_s=50e9).svg()
    assert {"1 message: 25 µs", "4 messages: 40 µs"} <= set(texts(svg))
    bytes_drawn = widths(svg, "communication")
    assert len(widths(svg, "idle")) == len(bytes_drawn) == 5
    assert abs(bytes_drawn[0] - sum(bytes_drawn[1:])) < 0.3


def test_buckets_are_drawn_as_the_run_says() -> None:
    machine = {"total_bytes": 1e9, "compute_s": 0.04, "latency_s": 1e-3, "bandwidth_bytes_per_s": 25e9}
    steps = {f"{count} buckets": bucketed_step(buckets=count, **machine) for count in (2, 5)}
    svg = bucket_panel(steps, compute_s=0.04, latency_s=1e-3).svg()
    assert {"2 buckets: 62.0 ms", "5 buckets: 53.0 ms", "backward"} <= set(texts(svg))
    assert len(widths(svg, "communication")) == 7
    assert len(widths(svg, "backward")) == 2
