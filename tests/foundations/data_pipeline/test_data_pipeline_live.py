"""The live figure of a loader says what queues give in which batches move."""

from __future__ import annotations

import re

import pytest

from snippets.foundations.data_pipeline.live import loader_lanes, slow_and_fast_s
from snippets.foundations.data_pipeline.simulators import ordered_loader


@pytest.mark.parametrize("workers", [1, 2, 5, 8, 16])
@pytest.mark.parametrize("factor", [1, 2, 8])
def test_the_busy_share_is_that_of_queues(workers: int, factor: int) -> None:
    knobs = {"workers": workers, "prefetch_factor": factor, "fast_s": 0.75, "slow_s": 2.45, "step_s": 0.2}
    said = re.search(r"busy ([\d.]+)% of the time", loader_lanes(**knobs).numbers)
    times = slow_and_fast_s(fast_s=0.75, slow_s=2.45, batches=400)
    seen = ordered_loader(times, step_s=0.2, workers=workers, prefetch_factor=factor)
    assert said
    assert float(said[1]) == pytest.approx(100 * seen.busy_share, abs=0.51)


def test_the_question_is_a_named_setting() -> None:
    values = next(named.values for named in loader_lanes.named if named.name == "The question")
    assert (
        "asks for 4.6 batches in the making. Over 400 batches the GPU is busy 40% of" in loader_lanes(**values).numbers
    )


def test_equal_times_are_compared_with_themselves_alone() -> None:
    assert loader_lanes().numbers.endswith("the GPU is busy 80% of the time.")
