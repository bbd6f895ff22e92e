"""The labs of the part on parallelism, as a reader starts them, with 1 to 4 ranks, and gone wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launching import Launcher
from sampling import at_night

from snippets.parallelism.pipeline.schedules import one_f_one_b

DATA = "labs/parallelism/data_parallel.py"
TENSOR = "labs/parallelism/tensor_parallel.py"
PIPELINE = "labs/parallelism/pipeline.py"
EXPERT = "labs/parallelism/expert.py"
OTHER_ORDER = Path(__file__).parent / "programs" / "other_order.py"
SHORT = ("--slot-ms", "4")


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_ddp_takes_the_big_batchs_gradient(launch: Launcher, ranks: int) -> None:
    done = launch(DATA, ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    assert float(done.rows["even: error of their average"]["measured"]) == 0
    assert (float(done.rows["uneven: error of their average"]["measured"]) > 0.01) == (ranks > 1)
    assert float(done.rows["ragged: error of the mean of means"]["measured"]) > 0.01
    assert done.rows["later steps: buckets"]["measured"] == "[16240, 9600, 1920]"


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_tensor_parallelism_sends_what_the_formula_says(launch: Launcher, ranks: int) -> None:
    done = launch(TENSOR, ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    sent = {
        row.split(":")[0]: cells["measured"] for row, cells in done.rows.items() if row.endswith(": sent, if by rings")
    }
    whole = 2 * 24 * 48 * 4
    assert sent["MLP"] == sent["attention"] == sent["MLP, sequence"] == f"{4 * (ranks - 1) * whole // ranks:,}"
    assert sent["attention, 3 inputs"] == f"{8 * (ranks - 1) * whole // ranks:,}"
    assert done.rows["attention: all_reduces"]["measured"] == ("2" if ranks > 1 else "0")
    again = sent["MLP, sequence, gathered again"].replace(",", "")
    assert int(again) == 5 * (ranks - 1) * whole // ranks
    assert done.rows["vocabulary: all_reduces"]["measured"] == ("5" if ranks > 1 else "3")
    rows = 2 * 24 * (2 * 48 + 3) * 4  # two all-reduces as wide as the stream, three of a number a token
    assert sent["vocabulary"] == f"{2 * (ranks - 1) * rows // ranks:,}"


@pytest.mark.parametrize("ranks", [at_night(1), 2, at_night(3), 4])
def test_experts_send_what_the_machine_counts(launch: Launcher, ranks: int) -> None:
    done = launch(EXPERT, ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    assert done.rows["no limit: all-to-alls"]["measured"] == "5"
    assert done.rows["fixed room: all-to-alls"]["measured"] == "4"
    assert done.rows["fixed room: sent by a rank"]["measured"] == f"{4 * (ranks - 1) * 12 * 5 * 16 * 8 // ranks:,}"
    assert ("mesh: all-reduces" in done.rows) == (ranks % 2 == 0)


@pytest.mark.parametrize("ranks", [at_night(1), 2, 3, at_night(4)])
def test_the_engine_runs_the_books_schedules(launch: Launcher, ranks: int, tmp_path: Path) -> None:
    done = launch(PIPELINE, *SHORT, "--record", str(tmp_path / "pipeline.json"), ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    assert done.rows["interleaved 1F1B: tasks in the book's place"]["measured"] == str(8 * ranks)
    assert ("ZB-H2: idle" in done.rows) == (ranks > 1)
    ran = json.loads((tmp_path / "pipeline.json").read_text(encoding="utf-8"))["tasks_ms"]["1F1B"]
    orders = [[entry.split()[0] for entry in row.split(", ")] for row in ran]
    schedule = one_f_one_b(stages=ranks, micro_batches=2 * ranks)
    assert orders == [[str(task) for task in order] for order in schedule.orders]


@pytest.mark.parametrize(
    ("lab", "formula", "row"),
    [
        (DATA, "snippets.parallelism.data.formulas:bucket_sizes_bytes", "later steps: buckets"),
        (DATA, "snippets.parallelism.data.formulas:shard_weights", "uneven: weighted losses averaged"),
        (DATA, "snippets.parallelism.data.formulas:token_weights", "ragged: weighted losses accumulated"),
        (TENSOR, "snippets.parallelism.tensor.formulas:tensor_block_collectives", "MLP: all_reduces"),
        (TENSOR, "snippets.parallelism.tensor.formulas:tensor_block_traffic_bytes", "attention: sent, if by rings"),
        (EXPERT, "snippets.parallelism.expert.formulas:expert_all_to_all_bytes", "fixed room: sent by a rank"),
        (PIPELINE, "snippets.parallelism.pipeline.formulas:pipeline_message_bytes", "1F1B: bytes sent"),
        (PIPELINE, "snippets.parallelism.pipeline.runner:peak_activations", "ZB-H1: held at most"),
    ],
)
def test_a_wrong_prediction_fails_the_lab(launch: Launcher, lab: str, formula: str, row: str) -> None:
    done = launch(lab, *(SHORT if lab == PIPELINE else ()), ranks=2 if row == "1F1B: bytes sent" else 1, wrong=formula)
    assert done.code != 0
    assert done.rows[row]["agree"] == "NO", done.out + done.error


def test_another_order_of_tasks_fails_the_lab(launch: Launcher) -> None:
    """What is held and sent, the bubble and the gradient stay the same: the order alone shows it."""
    command = ["torchrun", "--standalone", "--nproc-per-node", "1", str(OTHER_ORDER), PIPELINE, *SHORT]
    done = launch.run(command)
    assert done.code != 0
    assert [row for row, cells in done.rows.items() if cells["agree"] == "NO"] == ["GPipe: tasks in the book's place"]
