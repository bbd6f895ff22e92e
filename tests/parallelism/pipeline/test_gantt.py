"""The Gantt charts show what the runner's timelines say."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from snippets.parallelism.pipeline.gantt import Remark, draw_gantt, gantt_panel
from snippets.parallelism.pipeline.runner import Timeline, run_pipeline
from snippets.parallelism.pipeline.schedules import dualpipe, interleaved, one_f_one_b, zb_h1

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
    device = ["0", "F0", "F1", "B0", "F2", "B1", "B2", "1", "F0", "B0", "F1", "B1", "F2", "B2"]
    start = texts.index("0", texts.index("idle"))
    written = [text for text in texts[start:] if text not in {"2", "4", "6", "8", "10", "12"}]
    assert written[: len(device)] == device
    small = gantt_panel(timeline, title="t", until_s=36).svg()
    assert {"010212", "001122"} <= {element.text for element in ElementTree.fromstring(small).iter(f"{SVG}text")}
    narrow = gantt_panel(timeline, title="t", until_s=900).svg()
    assert not re.search(r">\d{4,}<", narrow)


def test_a_faulty_timeline_or_a_short_axis_is_refused() -> None:
    timeline = run_pipeline(one_f_one_b(stages=2, micro_batches=3), UNSPLIT)
    wrong = replace(timeline, start_s=tuple(tuple(0 for _ in row) for row in timeline.start_s))
    with pytest.raises(ValueError, match="the checker passes"):
        gantt_panel(wrong, title="t")
    with pytest.raises(ValueError, match=r"until_s must be at least the end of the run \(12\), got 11"):
        gantt_panel(timeline, title="t", until_s=11)


def test_narrow_blocks_are_bars_of_the_same_widths() -> None:
    timeline = run_pipeline(interleaved(stages=4, micro_batches=8, chunks=2), UNSPLIT)
    until_s = 4.0 * timeline.makespan_s
    svg = gantt_panel(timeline, title="narrow", until_s=until_s).svg()
    scale = (328 - 18 - 1) / until_s
    bars = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.attrib["class"] == "l-forward"]
    assert len(bars) == 2  # first and second chunks
    for path in bars:
        assert path.attrib["style"].startswith("stroke-width:22;")
        found = [float(w) for w in re.findall(r"h([\d.]+)", path.attrib["d"])]
        assert found == pytest.approx([scale] * 32, abs=0.11)  # 4 devices, 8 micro-batches
    assert len(svg) < len(gantt_panel(timeline, title="narrow").svg())


def test_a_line_marks_a_moment() -> None:
    timeline = run_pipeline(one_f_one_b(stages=2, micro_batches=3), UNSPLIT)
    marked = draw_gantt(timeline, title="t", until_s=12, note="n", moment_s=6, width_px=319).svg()
    (line,) = [p for p in ElementTree.fromstring(marked).iter(f"{SVG}path") if p.attrib["class"] == "l-accent"]
    assert line.attrib["d"] == "M168 21L168 76"  # half of 300 pixels, right of 18
    assert "l-accent" not in draw_gantt(timeline, title="t", until_s=12, note="n").svg()


def test_backwards_and_weight_gradients_have_a_thick_edge() -> None:
    timeline = run_pipeline(zb_h1(stages=2, micro_batches=3), SPLIT)
    svg = gantt_panel(timeline, title="t").svg()
    scale = (328 - 18 - 1) / float(timeline.makespan_s)
    for name, kind in (("backward", "B"), ("weight-gradient", "W")):
        edges = [
            p
            for p in ElementTree.fromstring(svg).iter(f"{SVG}path")
            if p.attrib["class"] == f"l-{name}" and "stroke-width:4;" in p.attrib["style"]
        ]
        (path,) = edges
        tasks = [task for order in timeline.schedule.orders for task in order if task.kind == kind]
        assert [float(w) for w in re.findall(r"h([\d.]+)", path.attrib["d"])] == pytest.approx(
            [scale] * len(tasks), abs=0.11
        )
    assert "l-forward" not in svg


def test_time_has_an_axis_and_waits_have_words() -> None:
    timeline = run_pipeline(one_f_one_b(stages=2, micro_batches=3), UNSPLIT)
    root = ElementTree.fromstring(
        gantt_panel(timeline, title="t", width_px=619, remarks=[Remark(1, 0, 1, "fills")]).svg()
    )
    places = {element.text: float(element.attrib["x"]) for element in root.iter(f"{SVG}text")}
    scale = (619 - 18 - 1) / 12
    assert places["fills"] == pytest.approx(18 + scale / 2, abs=0.1)
    for moment in (4, 8, 10):
        assert places[str(moment)] == pytest.approx(18 + moment * scale, abs=0.1)


def test_many_blocks_are_bars_without_digits() -> None:
    timeline = run_pipeline(one_f_one_b(stages=8, micro_batches=64), UNSPLIT)
    svg = gantt_panel(timeline, title="t", width_px=2_000).svg()
    assert not re.search(r"h[\d.]+v22", svg)
    assert len(svg) < 30_000
