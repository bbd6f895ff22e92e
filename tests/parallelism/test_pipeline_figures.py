"""The Gantt charts show what the runner's timelines say."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from snippets.figures import svg_of
from snippets.parallelism.pipeline_figures import bubble_plot, gantt_panel, held_plot
from snippets.parallelism.pipeline_runner import Timeline, run_pipeline
from snippets.parallelism.pipeline_schedules import dualpipe, interleaved, one_f_one_b, zb_h1

SVG = "{http://www.w3.org/2000/svg}"
UNSPLIT, SPLIT = {"F": 1, "B": 2}, {"F": 1, "B": 1, "W": 1}


def widths(svg: str) -> dict[str, list[float]]:
    """The widths of the blocks of each colour, in pixels."""
    found: dict[str, list[float]] = {}
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        name = path.attrib["class"].removeprefix("b-")
        found.setdefault(name, []).extend(float(w) for w in re.findall(r"h(\d[\d.]*)v2\d", path.attrib["d"]))
    return found


@pytest.mark.parametrize(
    "timeline",
    [
        run_pipeline(one_f_one_b(stages=4, micro_batches=8), UNSPLIT),
        run_pipeline(interleaved(stages=4, micro_batches=8, chunks=2), UNSPLIT),
        run_pipeline(zb_h1(stages=4, micro_batches=8), SPLIT),
        run_pipeline(dualpipe(stages=4, micro_batches=8), SPLIT),
    ],
    ids=lambda line: line.schedule.name,
)
def test_blocks_are_the_tasks_and_gaps_are_the_idle_time(timeline: Timeline) -> None:
    schedule = timeline.schedule
    svg = gantt_panel(timeline, title="chart").svg()
    scale = (328 - 18 - 1) / float(timeline.makespan_s)
    found = widths(svg)
    names = {"F": "forward", "B": "backward", "W": "weight-gradient"}
    for kind, name in names.items():
        tasks = [float(timeline.length_s(task)) for order in schedule.orders for task in order if task.kind == kind]
        assert sorted(found.get(name, [])) == pytest.approx(sorted(scale * length for length in tasks), abs=0.06)
    assert sum(found["idle"]) == pytest.approx(scale * float(sum(timeline.idle_s)), abs=0.06 * len(found["idle"]))
    assert f"ends at {float(timeline.makespan_s):g} · {float(timeline.idle_share):.1%} idle" in svg


def test_digits_name_the_micro_batches_in_order() -> None:
    timeline = run_pipeline(one_f_one_b(stages=2, micro_batches=3), UNSPLIT)
    texts = [
        element.text for element in ElementTree.fromstring(gantt_panel(timeline, title="t").svg()).iter(f"{SVG}text")
    ]
    assert {"010212", "001122"} <= set(texts)  # F0 F1 B0 F2 B1 B2, and F0 B0 F1 B1 F2 B2
    narrow = gantt_panel(timeline, title="t", until_s=1000).svg()
    assert not re.search(r">\d{4,}<", narrow)


def test_a_faulty_timeline_or_a_short_axis_is_refused() -> None:
    timeline = run_pipeline(one_f_one_b(stages=2, micro_batches=3), UNSPLIT)
    wrong = replace(timeline, start_s=tuple(tuple(0 for _ in row) for row in timeline.start_s))
    with pytest.raises(ValueError, match="the checker passes"):
        gantt_panel(wrong, title="t")
    with pytest.raises(ValueError, match=r"until_s must be at least the end of the run \(12\), got 11"):
        gantt_panel(timeline, title="t", until_s=11)


def test_plots_name_their_lines() -> None:
    svg = svg_of(bubble_plot({"1F1B": {8: 0.5, 16: 0.25}, "ZB-H1": {8: 0.2, 16: 0.1}}, limit=0.05))
    for name in ("1F1B", "ZB-H1", "micro-batches", "bubble, % of the step", "16"):
        assert f">{name}<" in svg
    svg = svg_of(held_plot({"GPipe": (8, 8), "1F1B": (2, 1)}))
    for name in ("GPipe", "1F1B", "device", "micro-batches held"):
        assert f">{name}<" in svg
