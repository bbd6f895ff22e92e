"""The benchmark of the simulators runs, and compares like with like. Its times are not looked at here."""

from __future__ import annotations

import networkx
import pytest

from benchmarks.snippets import DURATIONS_S, SMALL, Measured, fastest_s, main, pipelines, ring, task_graph
from snippets.parallelism.pipeline.schedules import gpipe, zb_h1


def test_every_step_prints_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--small"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 2 + 4


def test_memory_is_the_inputs_and_the_outputs() -> None:
    _, memory = ring(SMALL)
    assert 2 <= memory.ratio < 2.5


def test_the_graph_holds_every_task_and_is_as_long_as_the_formula_says() -> None:
    graph = task_graph(gpipe(stages=3, micro_batches=5))
    assert graph.number_of_nodes() == 1 + 2 * 3 * 5
    assert networkx.dag_longest_path_length(graph) == (3 + 5 - 1) * (DURATIONS_S["F"] + DURATIONS_S["B"])
    assert task_graph(zb_h1(stages=3, micro_batches=5)).number_of_nodes() == 1 + 3 * 3 * 5


def test_the_first_run_does_not_count() -> None:
    calls: list[str] = []
    times = fastest_s((lambda: calls.append("a"), lambda: calls.append("b")), 2)
    assert "".join(calls) == "ababab"
    assert all(0 < seconds < 1 for seconds in times)


def test_targets_are_kept_from_the_right_side() -> None:
    assert Measured("x", 4, 5).met
    assert not Measured("x", 6, 5).met
    assert Measured("x", 12, 10, at_least=True).met
    assert Measured("x", 9, 10, at_least=True).row() == "| x | 9.00 | at least 10 | NO |"


def test_pipelines_are_compared_by_name() -> None:
    assert [measured.what.split(",")[0].split(":")[0] for measured in pipelines(SMALL)] == [
        "gpipe",
        "one_f_one_b",
        "zb_h1",
        "one_f_one_b",
    ]
