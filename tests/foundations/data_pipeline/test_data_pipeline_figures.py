"""The pictures of the data pipeline show the runs, shares and orders that they were given."""

from __future__ import annotations

import re

from snippets.foundations.data_pipeline.figures import (
    busy_panel,
    delay_panel,
    levels_panel,
    loader_lanes_panel,
    order_panel,
    stalls,
    waiting,
)
from snippets.foundations.data_pipeline.formulas import loader_run

RUN = loader_run([1.0] * 8, step_s=0.25, workers=2)


def test_lanes_have_a_block_for_each_batch_and_each_step_and_for_each_wait() -> None:
    svg = loader_lanes_panel({"two": (RUN, 2)}, until_s=4).svg()
    blocks = {name: svg.count(f'class="b-{name}"') for name in ("communication", "forward", "idle")}
    assert blocks == {"communication": 8, "forward": len([t for t in RUN.takes_s if t < 4]), "idle": 4}
    places = [float(x) for x in re.findall(r'<rect x="([\d.]+)"[^>]*class="b-forward"', svg)]
    assert places == sorted(places)


def test_levels_draw_a_bar_for_each_stall() -> None:
    svg = levels_panel({"two": RUN}, until_s=4, most=4).svg()
    assert svg.count('class="b-communication"') == sum(start < 4 for start, _ in stalls(RUN)) == 4


def test_between_0_and_the_outstanding_batches_wait() -> None:
    run = loader_run([0.75, 0.75, 2.45, 0.75] * 10, step_s=0.2, workers=3)
    levels = waiting(run)
    assert {0 <= level <= 6 for _, level in levels} == {True}
    for moment, level in levels:
        done, taken = (sum(time <= moment + 1e-9 for time in times) for times in (run.ends_s, run.takes_s))
        assert level == done - taken


def test_stalls_are_the_time_that_is_not_worked() -> None:
    idle = sum(end - start for start, end in stalls(RUN))
    assert idle + 8 * 0.25 == RUN.takes_s[-1] + 0.25


def test_a_followed_batch_is_marked_with_its_head_start_its_wait_and_the_workers_that_rest() -> None:
    times = [2.0] * 16
    times[6] = 6.0
    runs = {f"{w} workers": (loader_run(times, step_s=1, workers=w), w) for w in (2, 4)}
    svg = loader_lanes_panel(runs, until_s=14, followed=6, ahead={"2 workers": 4, "4 workers": 8}).svg()
    assert re.findall("([0-9]+) s ahead", svg) == ["4", "8"]
    assert svg.count("waits 4 s") == 1
    assert "rests" in svg
    first, second = (run.takes_s for run, _ in runs.values())
    assert first[6] - first[5] - 1 == 4
    assert second[6] == second[5] + 1 == 8
    assert (first[6 - 4], first[5] + 1) == (4, 8)


def test_busy_shares_and_delays_are_drawn_where_they_belong() -> None:
    svg = busy_panel({"f = 2": [(1, 0.2), (2, 0.4)]}, [(0, 0), (5, 1)], most=8).svg()
    assert "equal times" in svg
    assert "f = 2" in svg
    reached = busy_panel({"f = 2": [(1, 0.9), (2, 0.97), (3, 0.99)]}, [(0, 0), (5, 1)], most=8, wanted=0.98).svg()
    assert re.findall(r"font-weight[^>]*>([^<]*)|<text[^>]*bold[^>]*>([^<]*)", reached)
    assert ">3<" in reached
    assert "100 slots" in delay_panel({100: [0, 5, 90, 200]}, most=400).svg()


def test_an_order_is_drawn_step_by_step_with_the_rank_of_each_example() -> None:
    svg = order_panel([3, 0, 2, 1, 4], batch=2, ranks=(2, 1, 1), stopped_after=0).svg()
    texts = re.findall(r"<text[^>]*>([^<]*)", svg)
    assert [text for text in texts if text in "01234"] == ["3", "0", "2", "1", "4"]
    assert [text for text in texts if text.startswith("r")] == ["r0", "r1", "r0", "r0", "r0"]
    assert "stopped; the state is position 2" in texts
