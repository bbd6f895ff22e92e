"""The timing runs in a process of its own, and the recorded run reads as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets.foundations.roofline import cpu_timing
from snippets.foundations.roofline.cpu_roofline import (
    RECORDED,
    CpuRun,
    TimedOperation,
    measure_cpu,
    recorded_cpu,
    write_cpu,
)


def test_a_run_times_every_operation_and_counts_its_bytes() -> None:
    run = measure_cpu(length=1000, sides=[8, 16], batches=[2], layer=32, repeats=3)
    assert [timed.kind for timed in run.operations] == ["copy", *["element-wise"] * 2, "square", "square", "layer"]
    assert all(len(timed.times_s) == 3 and min(timed.times_s) > 0 for timed in run.operations)
    layer = run.operations[-1]
    assert (layer.flops, layer.memory_bytes) == (2 * 2 * 32 * 32, 4 * (2 * 32 + 32 * 32 + 2 * 32))
    assert run.peak_flops_per_s == max(timed.flops_per_s for timed in run.operations)
    assert run.bandwidth_bytes_per_s == run.named("copy").bytes_per_s
    assert run.machine
    assert "NumPy" in run.versions


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"length": 0}, "length"),
        ({"sides": [0]}, "sides"),
        ({"batches": [1.5]}, "batches"),
        ({"layer": 2**14}, "layer"),
        ({"repeats": 0}, "repeats"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": 1e9}, "timeout_s"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        measure_cpu(**arguments)  # type: ignore[arg-type]


def test_a_written_run_is_read_back_to_four_digits(tmp_path: Path) -> None:
    run = CpuRun("a machine", "v", "2026-01-02", (TimedOperation("copy", "copy", 0, 8, (1.234e-5, 0.5)),))
    write_cpu(run, tmp_path / "run.json")
    assert recorded_cpu(tmp_path / "run.json") == run


def test_the_recorded_run_is_as_the_file_of_the_book_was_written(tmp_path: Path) -> None:
    run = recorded_cpu()
    shapes = [timed.name for timed in run.operations if timed.kind in ("square", "layer")]
    assert shapes == [f"{side} × {side} × {side}" for side in cpu_timing.SIDES] + [
        f"{rows} × {cpu_timing.LAYER} × {cpu_timing.LAYER}" for rows in cpu_timing.BATCHES
    ]
    write_cpu(run, tmp_path / "run.json")
    assert (tmp_path / "run.json").read_bytes() == RECORDED.read_bytes()
