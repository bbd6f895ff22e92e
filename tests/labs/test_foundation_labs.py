"""The labs of the part on foundations, as a reader starts them."""

from __future__ import annotations

import pytest
from launching import Launcher
from sampling import at_night

PIPELINE = "labs/foundations/data_pipeline.py"


@pytest.mark.parametrize("ranks", [at_night(1), 2, at_night(3), at_night(4), at_night(8)])
def test_a_loader_goes_on_in_the_same_order_on_other_ranks(launch: Launcher, ranks: int) -> None:
    done = launch(PIPELINE, ranks=ranks, cold=ranks == 2)
    if ranks == 1:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    assert done.rows["examples in all, resumed on 1"]["measured"] == "101"
    assert done.rows["most uses of one, resumed on 1"]["measured"] == "1"
    assert done.rows["DistributedSampler: repeated"]["measured"] == str(-101 % ranks)


def test_a_wrong_share_fails_the_lab(launch: Launcher) -> None:
    done = launch(PIPELINE, ranks=2, wrong="snippets.foundations.data_pipeline.epoch_order:rank_batches")
    assert done.code != 0
    wrong = {what for what, row in done.rows.items() if row["agree"] == "NO"}
    assert wrong == {"examples of each step, 2 ranks", "resumed on 1: the steps that follow"}, done.out + done.error
