"""The labs of the part on efficiency frontiers, as a reader starts them, with 1 to 4 ranks, and gone wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from launching import Launcher
from sampling import at_night

COMPRESSED = "labs/efficiency/compressed_gradients.py"
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


@pytest.mark.parametrize("ranks", [at_night(1), 2, at_night(3), at_night(4)])
def test_compressors_send_and_average_what_numpy_says(launch: Launcher, ranks: int, tmp_path: Path) -> None:
    done = launch(
        COMPRESSED, "--steps", "4", "--record", str(tmp_path / "c.json"), ranks=ranks, cold=ranks == 2, within_s=240
    )
    if ranks == 1:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    rows = {row["what"]: row for row in json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["rows"]}
    entries = 4 * 384**2
    pairs = (ranks - 1) * 8 * (entries // 100)
    halves = 2 * (ranks - 1) / ranks * 2 * entries
    blocks = 2 * (ranks - 1) / ranks * entries * (1 + 4 / 256)
    if sys.platform == "linux":
        for name, sent in (("top 1%", pairs), ("fp16", halves), ("bf16", halves), ("8-bit blocks", blocks)):
            measured = rows[f"{name}: on the wire"]["measured"]
            assert measured == pytest.approx([sent] * len(measured), rel=0.03)
    assert 0 < rows["fp16, scaled by 1e-05: zeros"]["measured"][0] < entries
    assert 0 < rows["fp16, scaled by 2e+06: infinite"]["measured"][0] < entries
    once, often = (rows[f"by chance: error of the mean of {turns}"]["measured"] for turns in (1, 32))
    assert often == pytest.approx([each / 32**0.5 for each in once], rel=0.05)
    once, often = (rows[f"nearest: error of the mean of {turns}"]["measured"] for turns in (1, 32))
    assert often == pytest.approx(once)
    assert rows["top 1%, no feedback: lost"]["measured"][0] > 0.5


@pytest.mark.parametrize(
    ("lab", "formula", "row"),
    [
        (COMPRESSED, "snippets.collectives.traffic:collective_traffic", "top 1%: on the wire, off by"),
        (COMPRESSED, "snippets.recipes:quantization_constant_bytes", "8-bit blocks: given to gloo"),
        (COMPRESSED, "labs.efficiency.recursions:largest_with_feedback", "top 1%: places filled"),
        (COMPRESSED, "labs.efficiency.recursions:random_rounding_rms", "by chance: error of the mean of 32, off by"),
        (OVERLAP, "snippets.parallelism.data.formulas:bucket_sizes_bytes", "4 buckets: bytes of each"),
        (OVERLAP, "snippets.all_reduce:ring_all_reduce_bytes", "8 buckets: on the wire, off by"),
    ],
)
def test_a_wrong_prediction_fails_the_lab(launch: Launcher, lab: str, formula: str, row: str) -> None:
    done = launch(lab, "--steps", "4", ranks=2, wrong=formula)
    assert done.code != 0
    assert done.rows[row]["agree"] == "NO", done.out + done.error
