"""The labs that run a reader's own answer: the book's answers, wrong ones, none, and what no engine can do."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import Launcher
from sampling import at_night

RING = "labs/collectives/own_ring.py"
ZERO = "labs/memory/own_zero_step.py"
ANSWERS = {
    RING: "exercises/collectives/ring_and_tree/ring_all_reduce.py",
    ZERO: "exercises/memory/zero/zero1_step.py",
}
THROUGH_RANK_0 = """
from snippets.simulation.machine import Receive, Send

def ring_all_reduce(rank, ranks, numbers):
    if rank:
        yield Send(0, numbers)
        return (yield Receive(0))
    for source in range(1, ranks):
        numbers = [one + other for one, other in zip(numbers, (yield Receive(source)))]
    for other in range(1, ranks):
        yield Send(other, numbers)
    return numbers
"""
NOTHING_ADDED = """
def ring_all_reduce(rank, ranks, numbers):
    yield from ()
    return numbers
"""
ALL_REDUCED = """
from snippets.simulation.machine import AllGather, AllReduce

def zero1_step(*, rank, step, learning_rate):
    mean = (yield AllReduce(rank.gradients))[rank.shard] / rank.ranks
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    first, second = rank.first / (1 - 0.9**step), rank.second / (1 - 0.999**step)
    rank.parameters[rank.shard] -= learning_rate * first / (second**0.5 + 1e-8)
    rank.parameters[:] = yield AllGather(rank.parameters[rank.shard])
"""
NOT_GATHERED = ALL_REDUCED.replace("rank.parameters[:] = yield AllGather(rank.parameters[rank.shard])", "")


@pytest.mark.parametrize("lab", ANSWERS)
@pytest.mark.parametrize("ranks", [2, 3, at_night(4)])
def test_the_books_own_answer_agrees(launch: Launcher, lab: str, ranks: int) -> None:
    done = launch(lab, "--answer", ANSWERS[lab], ranks=ranks, cold=ranks == 2)
    done.assert_agrees()
    if lab == RING:
        assert done.rows["even: sent"]["measured"] == f"{2 * (ranks - 1) * 800:,}"


@pytest.mark.parametrize(
    ("lab", "text", "wrong"),
    [
        (RING, THROUGH_RANK_0, {"even: sent", "even: messages sent", "uneven: messages sent"}),
        (RING, NOTHING_ADDED, {"even: the sums", "uneven: the sums", "even: sent", "even: messages sent"}),
        (ZERO, ALL_REDUCED, {"sent"}),
        (ZERO, NOT_GATHERED, {"parameters, beside torch.optim.Adam", "the same on all ranks"}),
    ],
)
def test_a_wrong_answer_is_seen(launch: Launcher, tmp_path: Path, lab: str, text: str, wrong: set[str]) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text(text, encoding="utf-8")
    done = launch(lab, "--answer", str(answer), ranks=3)
    assert done.code != 0
    assert wrong <= {what for what, row in done.rows.items() if row["agree"] == "NO"}, done.out + done.error
    if lab == ZERO and text == ALL_REDUCED:
        assert done.rows["parameters, beside torch.optim.Adam"]["agree"] == "yes"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "`pytest exercises -k ring_all_reduce` makes it"),
        ("x = 1\n", "defines no ring_all_reduce"),
        (
            "from snippets.simulation.machine import Barrier\n\n"
            "def ring_all_reduce(rank, ranks, numbers):\n    yield Barrier()\n",
            "the program yields Barrier, which this lab does not run",
        ),
    ],
)
def test_what_cannot_be_run_is_said(launch: Launcher, tmp_path: Path, text: str | None, message: str) -> None:
    answer = tmp_path / "ring_all_reduce.py"
    if text is not None:
        answer.write_text(text, encoding="utf-8")
    done = launch(RING, "--answer", str(answer), ranks=2)
    assert done.code == 0, done.out + done.error
    assert "\nnot applicable: " in done.out
    assert message in done.out
