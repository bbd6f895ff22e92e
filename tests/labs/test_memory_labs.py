"""The labs of the part on memory, as a reader starts them."""

from __future__ import annotations

import pytest
from launching import Launcher
from sampling import at_night

ZERO = "labs/memory/zero_fsdp.py"


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4), at_night(8)])
def test_the_engine_sends_and_holds_what_the_formulas_say(launch: Launcher, ranks: int) -> None:
    done = launch(ZERO, ranks=ranks, cold=ranks == 2)
    if ranks == 1:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    assert len(done.rows) == 22
    elements = 2 * ranks * 48**2
    for way, volume in {
        "0, DDP": 2,
        "1, ZeroRedundancyOptimizer": 3,  # the paper's stage 1 sends 2Ψ
        "2, FSDP2, parameters kept": 2,
        "2, 2 micro-batches": 3,
        "3, FSDP2": 3,
        "3, 2 micro-batches": 6,
        "3, 2 micro-batches, reduced once": 5,
    }.items():
        assert done.rows[f"{way}: sizes"]["measured"] == f"{volume * elements:,}"


def test_a_wrong_prediction_fails_the_lab(launch: Launcher) -> None:
    done = launch(ZERO, ranks=2, wrong="snippets.memory.zero.formulas:zero_communication_elements")
    assert done.code != 0
    wrong = {what for what, row in done.rows.items() if row["agree"] == "NO"}
    assert wrong == {what for what in done.rows if what.endswith(": sizes")}, done.out + done.error


RECOMPUTATION = "labs/memory/recomputation.py"


def test_the_engine_recomputes_and_holds_what_the_plans_say(launch: Launcher) -> None:
    done = launch(RECOMPUTATION, ranks=1)
    done.assert_agrees()
    assert len(done.rows) == 21
    passes = {name: int(row["measured"]) for name, row in done.rows.items() if name.endswith("layers run")}
    assert passes["keep all: layers run"] == 9
    assert passes["keep nothing: layers run"] == 9 * 10 // 2


def test_a_wrong_account_of_passes_fails_the_lab(launch: Launcher) -> None:
    done = launch(RECOMPUTATION, ranks=1, wrong="snippets.memory.recomputation.formulas:keep_nothing_forward_passes")
    assert done.code != 0
    wrong = [what for what, row in done.rows.items() if row["agree"] == "NO"]
    assert wrong == ["keep nothing: layers run"], done.out + done.error
