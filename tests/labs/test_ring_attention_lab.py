"""The lab of chapter 19, as a reader starts it, with 1 to 4 ranks, and with wrong predictions."""

from __future__ import annotations

import pytest
from launching import Launcher
from sampling import at_night

RING = "labs/parallelism/ring_attention.py"
SHORT = ("--block-ms", "5")


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_ring_attention_sends_and_computes_what_the_formulas_say(launch: Launcher, ranks: int) -> None:
    done = launch(RING, *SHORT, ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    block = 2 * 16 * 2 * 8 * 4  # keys and values of 16 tokens, 2 heads of 8 numbers, 4 bytes
    assert done.rows["zig-zag: sent forward"]["measured"] == f"{(ranks - 1) * block:,}"
    there_and_home = (2 * ranks - 1) * block if ranks > 1 else 0
    assert done.rows["zig-zag: sent backward"]["measured"] == f"{there_and_home:,}"
    pairs = 16 * ranks * (16 * ranks + 1) // 2 * 4
    assert done.rows["zig-zag: pairs"]["measured"] == f"{pairs // ranks:,}"


@pytest.mark.parametrize(
    ("formula", "row"),
    [
        ("snippets.parallelism.sequence.formulas:ring_attention_forward_bytes", "in order: sent forward"),
        ("snippets.parallelism.sequence.formulas:ring_attention_backward_bytes", "in order: sent backward"),
        ("snippets.parallelism.sequence.formulas:ring_attention_step_pairs", "zig-zag: pairs"),
    ],
)
def test_a_wrong_prediction_fails_the_lab(launch: Launcher, formula: str, row: str) -> None:
    done = launch(RING, *SHORT, ranks=2, wrong=formula)
    assert done.code != 0
    assert formula.endswith("pairs") or done.rows[row]["agree"] == "NO", done.out + done.error
