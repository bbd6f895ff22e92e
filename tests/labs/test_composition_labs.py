"""The labs of the part on composition, as a reader starts them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from launching import INSTALL, Launcher
from sampling import at_night

MESH = "labs/composition/device_mesh.py"
TIMES = "labs/composition/layout_times.py"
TIMED = {"pairs predicted 50% apart: in the wrong order", "regret", "1 − Spearman's correlation", "median error"}


@pytest.mark.parametrize("ranks", [at_night(2), 4, at_night(8)])
def test_the_engine_places_and_sends_what_the_planner_says(launch: Launcher, ranks: int) -> None:
    done = launch(MESH, ranks=ranks, cold=ranks == 4)
    if ranks == 2:
        done.assert_not_applicable()
        return
    done.assert_agrees()
    if ranks == 8:  # the planner shares the work over the outer axis: 4/8 of the matrix, not 3/4
        assert done.rows["partial to rows"]["measured"] == "6,144"
        assert done.rows["partial to rows (a cheaper way)"]["predicted"] == "4.1e+03"
        return
    assert done.rows["rows, rows to replicate"]["measured"] == "1,536"
    assert done.rows["FSDP2 on two axes: held"]["measured"] == "24"
    assert done.rows["FSDP2 on one flattened axis: held"]["measured"] == "12"


MOVES = (
    "rows to replicate",
    "partial to replicate",
    "partial to rows",
    "rows to columns",
    "rows, rows to replicate",
    "partial, columns to rows, columns",
    "replicate to rows, columns",
    "rows, columns to replicate",
)
GROUPS = ("group of the outer axis", "group of the inner axis")


@pytest.mark.parametrize(
    ("formula", "wrong"), [("device_mesh.formulas:redistribution_bytes", MOVES), ("mesh:mesh_group", GROUPS)]
)
def test_a_wrong_price_of_a_move_or_a_wrong_group_fails_the_lab(
    launch: Launcher, formula: str, wrong: tuple[str, ...]
) -> None:
    done = launch(MESH, ranks=4, wrong=f"snippets.composition.{formula}")
    assert done.code != 0
    assert {what for what, row in done.rows.items() if row["agree"] == "NO"} == set(wrong), done.out + done.error


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_every_layout_learns_and_sends_what_one_rank_and_the_formula_say(
    launch: Launcher, ranks: int, tmp_path: Path
) -> None:
    """The order of the times is not asserted here, beside other tests on the same cores: the recorded run holds it."""
    done = launch(TIMES, "--record", str(tmp_path / "times.json"), ranks=ranks, cold=ranks == 2)
    if ranks % 2:
        done.assert_not_applicable()
        return
    disagree = {what for what, row in done.rows.items() if row["agree"] == "NO"}
    assert set(done.rows) >= TIMED >= disagree, done.out + done.error
    assert (done.code != 0) == bool(disagree), done.out + done.error
    recorded = json.loads((tmp_path / "times.json").read_text(encoding="utf-8"))["layouts"]
    assert len(recorded) == {2: 9, 4: 18}[ranks]
    assert all(f"step of {entry['layout']}" in done.rows for entry in recorded)
    sums = 2 * (ranks - 1) * 16 * 64 * 128 * 4 // ranks  # bytes of one all-reduce, sent by a rank
    sent = done.rows[f"tensor {ranks}; {16 // ranks} micro-batches: sent by axis"]["measured"]
    assert sent == f"[{4 * 8 * sums}, 0, 0]"  # two forward and two backward in each of eight layers
    again = done.rows[f"tensor {ranks}; 1 micro-batch; recomputed: sent by axis"]["measured"]
    assert again == f"[{6 * 8 * sums}, 0, 0]"


@pytest.mark.parametrize(
    ("formula", "wrong"), [("three_d.formulas:three_axes_bytes", "sent by axis"), ("step_model:step_time", "error")]
)
def test_wrong_bytes_or_times_fail_the_lab(launch: Launcher, formula: str, wrong: str) -> None:
    done = launch(TIMES, "--rounds", "3", ranks=2, wrong=f"snippets.composition.{formula}")
    assert done.code != 0
    disagree = [what for what, row in done.rows.items() if row["agree"] == "NO"]
    assert any(what.endswith(wrong) for what in disagree), done.out + done.error
    assert not any(what.endswith("losses") for what in disagree)


@pytest.mark.labs
def test_the_order_of_times_decides_and_their_scale_does_not() -> None:
    torch = pytest.importorskip("torch", reason=INSTALL)
    from labs.composition.layout_times import judge
    from labs.harness import Lab

    predicted = [1.0, 1.6, 2.5, 4.0]
    for measured, agree in (([1.5, 2.0, 4.0, 5.0], 4), ([1.0, 1.2, 4.2, 4.0], 4), ([4.0, 2.5, 1.6, 1.0], 1)):
        lab = Lab(0, 1, 0, 1, torch.device("cpu"), "gloo", argparse.Namespace(), None)
        judge(lab, predicted, measured)
        assert sum(row.agrees for row in lab.rows) == agree, lab.rows


@pytest.mark.labs
def test_a_slow_round_changes_no_time() -> None:
    pytest.importorskip("torch", reason=INSTALL)
    from labs.composition.own_machine import steady

    rounds = {"a": [1.0, 3.0, 1.0, 1.1, 0.9], "b": [2.0, 6.0, 2.0, 2.0, 2.0]}
    assert steady(rounds) == pytest.approx({"a": 1.0, "b": 2.0}, rel=0.03)


@pytest.mark.labs
def test_a_bubble_is_shorter_where_ranks_share_cores() -> None:
    """With a device each, p − 1 slots; on half as many cores as stages, all work is done in what is left of these."""
    pytest.importorskip("torch", reason=INSTALL)
    from labs.composition.own_machine import Machine

    rates = (1e9, 0.0, 1e-6, 1e9, 1e-9)
    for stages, micro_batches in ((2, 1), (4, 1), (4, 2), (4, 8)):
        whole = {"stages": stages, "micro_batches": micro_batches}
        assert Machine(4, *rates, busy=(1.0,) * 4).bubble_s(stages - 1.0, **whole) == pytest.approx(stages - 1)
        shared = Machine(4, *rates, busy=(0.5, 0.5, 0.75, 1.0)).bubble_s(stages - 1.0, **whole)
        slots = {(2, 1): 0.0, (4, 1): 1.0, (4, 2): 0.5, (4, 8): 0.5}  # of one stage's time, all ranks at work
        assert shared == pytest.approx(slots[stages, micro_batches])
