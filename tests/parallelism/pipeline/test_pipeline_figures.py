"""The plots of bubbles and activations name what they show, and the drawings draw what the runner says."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from snippets.figures import svg_of
from snippets.parallelism.pipeline.figures import (
    bubble_plot,
    held_panel,
    held_steps,
    passes_panel,
    predicted_panel,
    stage_layers_panel,
)
from snippets.parallelism.pipeline.runner import Timeline, run_pipeline
from snippets.parallelism.pipeline.schedules import gpipe, interleaved, one_f_one_b, zb_h1
from tests.live.checking import assert_texts_fit

SVG = "{http://www.w3.org/2000/svg}"
UNSPLIT = {"F": 1, "B": 2}
SIZE = {"stages": 4, "micro_batches": 8}


def test_plots_name_their_lines() -> None:
    svg = svg_of(bubble_plot({"1F1B": {8: 0.5, 16: 0.25}, "ZB-H1": {8: 0.2, 16: 0.1}}, limit=0.05))
    for name in ("1F1B", "ZB-H1", "micro-batches", "bubble, % of the step", "16"):
        assert f">{name}<" in svg


@pytest.mark.parametrize(
    "line",
    [
        run_pipeline(gpipe(**SIZE), UNSPLIT),
        run_pipeline(one_f_one_b(**SIZE), UNSPLIT),
        run_pipeline(zb_h1(**SIZE), {"F": 1, "B": 3, "W": 2}),
    ],
    ids=lambda line: line.schedule.name,
)
@pytest.mark.parametrize("device", [0, 3])
def test_what_is_held_is_what_has_begun_and_not_ended(line: Timeline, device: int) -> None:
    steps = held_steps(line, device=device)
    last = "W" if line.schedule.splits_backward else "B"
    order = line.schedule.orders[device]
    for moment in [Fraction(k, 4) for k in range(4 * int(line.makespan_s))]:
        begun = sum(t.kind == "F" and s <= moment for t, s in zip(order, line.start_s[device], strict=True))
        ended = sum(t.kind == last and e <= moment for t, e in zip(order, line.end_s[device], strict=True))
        drawn = [count for start, count in steps if start <= moment]
        assert (drawn[-1] if drawn else 0) == begun - ended
    assert max(count for _, count in steps) == line.peak_activations[device]
    assert steps[-1][1] == 0


def test_held_lines_reach_their_peaks_and_say_so() -> None:
    lines = {"GPipe": run_pipeline(gpipe(**SIZE), UNSPLIT), "1F1B": run_pipeline(one_f_one_b(**SIZE), UNSPLIT)}
    panel = held_panel(lines, until_s=33)
    assert_texts_fit(panel)
    svg = panel.svg()
    assert "GPipe: at most 8" in svg
    assert "1F1B: at most 4" in svg
    curves = [p for p in ElementTree.fromstring(svg).iter(f"{SVG}path") if "stroke-width:2.5" in p.get("style", "")]
    heights = [min(float(y) for y in re.findall(r" ([\d.]+)", curve.attrib["d"])) for curve in curves]
    assert heights == pytest.approx([34, 95])  # of 34 to 156 for 8 to 0


@pytest.mark.parametrize("chunks", [1, 2])
def test_layers_lie_where_the_schedule_puts_them(chunks: int) -> None:
    panel = stage_layers_panel(devices=4, layers=8, chunks=chunks, title="t")
    assert_texts_fit(panel)
    rows: dict[float, list[int]] = {}
    for element in ElementTree.fromstring(panel.svg()).iter(f"{SVG}text"):
        if (element.text or "").startswith("layer "):
            rows.setdefault(float(element.attrib["y"]), []).append(int(str(element.text)[6:]))
    (placement,) = interleaved(stages=4, micro_batches=4, chunks=chunks).placements
    each = 8 // (4 * chunks)
    wanted = [[k for k in range(8) if placement[k // each] == device] for device in range(4)]
    assert [rows[y] for y in sorted(rows)] == wanted
    with pytest.raises(ValueError, match=r"layers must be a multiple of devices × chunks \(8\), got 9"):
        stage_layers_panel(devices=4, layers=9, chunks=2, title="t")


def test_nothing_waits_for_a_weight_gradient() -> None:
    panel = passes_panel(stages=3)
    assert_texts_fit(panel)
    root = ElementTree.fromstring(panel.svg())
    boxes = [(float(r.attrib["x"]), float(r.attrib["y"])) for r in root.iter(f"{SVG}rect")]
    below = sorted({y for _, y in boxes})
    assert len(boxes) == 9
    assert len(below) == 3
    lines = [[float(line.attrib[key]) for key in ("x1", "y1", "x2", "y2")] for line in root.iter(f"{SVG}line")]
    assert len(lines) == 2 + 2 + 1 + 3  # F to F, B to B, the loss, B to W
    assert all(y1 < below[2] for _, y1, _, _ in lines)


def test_bars_are_as_long_as_the_times() -> None:
    panel = predicted_panel({"1F1B": (0.4, 0.6, 1.5, 2.0), "ZB-H1": (0.4, 0.6, 1.25, 1.5)}, until_s=2.5, title="t")
    assert_texts_fit(panel)
    root = ElementTree.fromstring(panel.svg())
    bars = [re.fullmatch(r"M([\d.]+) [\d.]+h([\d.]+)v22.*", p.get("d", "")) for p in root.iter(f"{SVG}path")]
    scale = (690 - 104 - 18) / 2.5
    found = [(float(bar[1]), float(bar[2])) for bar in bars if bar]
    work = [(104, 0.4 * scale), (104 + 0.4 * scale, 0.6 * scale)]
    wanted = [*work, (104 + scale, scale / 2), *work, (104 + scale, scale / 4)]
    assert [place for bar in found for place in bar] == pytest.approx([x for bar in wanted for x in bar], abs=0.1)
    marks = [p.attrib["d"] for p in root.iter(f"{SVG}path") if p.attrib["class"] == "l-accent"]
    assert [float(re.findall(r"M([\d.]+)", d)[0]) for d in marks[1:]] == pytest.approx(
        [104 + 2 * scale, 104 + 1.5 * scale], abs=0.1
    )
