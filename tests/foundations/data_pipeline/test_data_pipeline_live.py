"""The live figure of a loader says what queues give in which batches move."""

from __future__ import annotations

import re

import pytest

from snippets.foundations.data_pipeline.live import loader_lanes, slow_and_fast_s
from snippets.foundations.data_pipeline.simulators import ordered_loader


@pytest.mark.parametrize("workers", [1, 2, 5, 8, 16])
@pytest.mark.parametrize("factor", [1, 2, 8])
def test_the_busy_share_is_that_of_queues(workers: int, factor: int) -> None:
    knobs = {
        "workers": workers,
        "prefetch_factor": factor,
        "fast_s": 0.75,
        "slow_s": 2.45,
        "slow_percent": 10,
        "step_s": 0.2,
    }
    said = re.search(r"busy ([\d.]+)% of the time", loader_lanes(**knobs).numbers)
    times = slow_and_fast_s(fast_s=0.75, slow_s=2.45, batches=400)
    seen = ordered_loader(times, step_s=0.2, workers=workers, prefetch_factor=factor)
    assert said
    assert float(said[1]) == pytest.approx(100 * seen.busy_share, abs=0.51)


def test_the_question_is_a_named_setting() -> None:
    values = next(named.values for named in loader_lanes.named if named.name == "The question")
    said = loader_lanes(**values).numbers
    assert "asks for 4.6 batches in the making. A batch is asked for 4 steps ahead, 0.8 s." in said
    assert "Over 400 batches the GPU is busy 40% of" in said


@pytest.mark.parametrize(("knob", "idle"), [({"slow_percent": 0}, "slow_s"), ({"slow_s": 0.75}, "slow_percent")])
def test_equal_times_are_compared_with_themselves_alone(knob: dict[str, float], idle: str) -> None:
    picture = loader_lanes(**knob)
    assert picture.numbers.endswith("the GPU is busy 53% of the time.")
    assert picture.idle == (idle,)


@pytest.mark.parametrize("percent", [0, 25, 50])
def test_as_many_batches_are_slow_as_the_knob_says(percent: int) -> None:
    times = slow_and_fast_s(fast_s=1, slow_s=3, batches=4000, slow_share=percent / 100)
    assert times.count(3) / 4000 == pytest.approx(percent / 100, abs=0.03)
