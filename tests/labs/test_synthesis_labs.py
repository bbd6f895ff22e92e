"""The lab of the part Synthesis, as a reader starts it: its traces, and what the analyser finds in them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from launching import Launcher
from sampling import at_night

from labs.records import read_record
from snippets.synthesis.profiling.traces import read_trace, recorded_trace, step_budgets

PROFILING = "labs/synthesis/profiling.py"


@pytest.mark.parametrize("ranks", [at_night(1), 2, at_night(3)])
def test_the_straggler_and_the_late_batches_are_found(launch: Launcher, ranks: int, tmp_path: Path) -> None:
    done = launch(PROFILING, "--traces", str(tmp_path), ranks=ranks, cold=ranks == 2)
    if ranks == 1:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    for rank in range(ranks):
        packed = (tmp_path / f"rank_{rank}.json.gz").read_bytes()
        assert len(packed) < 60_000
        trace = read_trace(gzip.decompress(packed).decode())
        assert (trace.rank, trace.ranks, len(step_budgets(trace))) == (rank, ranks, 6)


def test_the_record_is_of_the_recorded_traces() -> None:
    budgets = read_record("profiling")["budgets"]
    found = [[budget.parts for budget in step_budgets(read_trace(recorded_trace(rank=rank)))] for rank in (0, 1)]
    assert found == budgets
    text = json.dumps(read_record("profiling"))
    assert "shared x86-64 server" in text
