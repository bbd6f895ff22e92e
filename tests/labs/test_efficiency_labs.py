"""The labs of the part on efficiency frontiers, as a reader starts them, with 1 to 4 ranks, and gone wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from launching import Launcher
from sampling import at_night

OVERLAP = "labs/efficiency/bucketed_overlap.py"


@pytest.mark.parametrize("ranks", [at_night(1), 2, at_night(3), at_night(4)])
def test_the_trace_has_the_buckets_of_the_rule(launch: Launcher, ranks: int, tmp_path: Path) -> None:
    """The times are not asserted, but for what holds of any: a share is between 0 and 1."""
    done = launch(OVERLAP, "--steps", "3", "--record", str(tmp_path / "overlap.json"), ranks=ranks, cold=ranks == 2)
    if ranks == 1:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    rows = {row["what"]: row for row in json.loads((tmp_path / "overlap.json").read_text(encoding="utf-8"))["rows"]}
    assert rows["8 buckets: gradients ready at each launch"]["measured"] == [[1, 2, 3, 4, 5, 6, 7, 8]]
    assert rows["1 bucket: gradients ready at each launch"]["measured"] == [[8]]
    assert rows["4 buckets: gradients ready at the first step's launch"]["measured"] == [[8]]
    assert rows["4 buckets: bytes of each"]["measured"] == [[2 * 4 * 512**2] * 4]
    if sys.platform == "linux":
        for name in ("1 bucket", "8 buckets"):
            sent = rows[f"{name}: on the wire"]["measured"]
            assert sent == pytest.approx([2 * (ranks - 1) / ranks * 8 * 4 * 512**2] * len(sent), rel=0.02)
    for what, row in rows.items():
        assert not what.endswith(": hidden") or 0 <= row["measured"][0] <= 1


@pytest.mark.parametrize(
    ("lab", "formula", "row"),
    [
        (OVERLAP, "snippets.parallelism.data.formulas:bucket_sizes_bytes", "4 buckets: bytes of each"),
        (OVERLAP, "snippets.all_reduce:ring_all_reduce_bytes", "8 buckets: on the wire, off by"),
    ],
)
def test_a_wrong_prediction_fails_the_lab(launch: Launcher, lab: str, formula: str, row: str) -> None:
    done = launch(lab, ranks=2, wrong=formula)
    assert done.code != 0
    assert done.rows[row]["agree"] == "NO", done.out + done.error
