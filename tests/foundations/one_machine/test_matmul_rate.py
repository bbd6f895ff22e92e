"""Products are timed on this machine, and the recorded run reads as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets.foundations.one_machine.matmul_rate import (
    RECORDED,
    SIZES,
    MatmulTimes,
    measure_matmul,
    recorded_matmul,
)


def test_a_measurement_has_a_time_for_every_product() -> None:
    run = measure_matmul(sizes=[4, 256], repeats=5)
    assert run.sizes == (4, 256)
    assert [len(times) for times in run.times_s] == [5, 5]
    assert all(0 < time < 60 for times in run.times_s for time in times)
    assert min(run.times_s[1]) > min(run.times_s[0])


def test_the_rate_is_the_operations_over_the_median() -> None:
    assert MatmulTimes("m", "d", (10, 100), ((1e-6, 4e-6, 2e-6), (1.0,))).flops_per_s == (1e9, 2e6)


@pytest.mark.parametrize(
    ("arguments", "named"), [({"sizes": []}, "sizes"), ({"sizes": [0]}, "sizes"), ({"repeats": 0}, "repeats")]
)
def test_bad_input_is_named(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        measure_matmul(**arguments)  # type: ignore[arg-type]


def test_the_recorded_run_is_as_the_file_of_the_book_was_written(tmp_path: Path) -> None:
    run = recorded_matmul()
    assert run.sizes == SIZES
    run.write(tmp_path / "run.json")
    assert (tmp_path / "run.json").read_bytes() == RECORDED.read_bytes()
