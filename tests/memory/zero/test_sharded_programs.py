"""A program on every rank: its account against the book's sharded Adam, and plain words for programs that go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero.programs import run_sharded_program
from snippets.memory.zero.sharded_adam import GivenGradients, run_sharded_adam
from snippets.simulation.machine import AllGather, AllReduce, RankProgramError, ReduceScatter


def descend(rank: Any, step: int) -> Any:
    total = yield ReduceScatter(rank.gradients)
    rank.parameters[rank.shard] -= total / rank.ranks
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


def descend_replicated(rank: Any, step: int) -> Any:
    total = yield AllReduce(rank.gradients)
    rank.parameters -= total / rank.ranks


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 3))
def test_bytes_are_those_of_sharded_adam(ranks: int, count: int, steps: int) -> None:
    gradients = np.arange(steps * ranks * count, dtype=float).reshape(steps, ranks, count)
    for program, stage in ((descend, 1), (descend_replicated, 0)):
        run = run_sharded_program(program, np.zeros(count), gradients)
        model = GivenGradients(gradients[:, None], units=(count,))
        adam = run_sharded_adam(model, [np.zeros(count)], ranks=ranks, stage=stage, recipe="fp32-adam", steps=steps)
        assert run.account.sent_bytes == adam.account.sent_bytes
        for mine in run.parameters:
            assert mine == pytest.approx(-gradients.mean(axis=1).sum(axis=0))


def test_what_is_dropped_is_held_no_more() -> None:
    def keeps(rank: Any, step: int) -> Any:
        kept = []
        for _ in range(3):
            kept.append((yield AllReduce(rank.gradients)))

    def drops(rank: Any, step: int) -> Any:
        for _ in range(3):
            yield AllReduce(rank.gradients)

    one, other = (run_sharded_program(program, np.zeros(4), np.zeros((2, 2, 4))) for program in (keeps, drops))
    given_bytes = 4 * (4 + 4 + 2 + 2)
    assert one.account.peak_bytes == (given_bytes + 3 * 16,) * 2
    assert other.account.peak_bytes == (given_bytes + 16,) * 2
    assert one.account.sent_bytes == other.account.sent_bytes


def test_a_program_may_drop_its_gradients() -> None:
    def drops(rank: Any, step: int) -> Any:
        total = yield ReduceScatter(rank.gradients)
        rank.gradients = None
        rank.parameters[rank.shard] += total
        yield AllGather(rank.parameters[rank.shard], into=rank.parameters)

    run = run_sharded_program(drops, np.zeros(4), np.ones((3, 2, 4)))
    assert run.parameters[1].tolist() == [6, 6, 6, 6]
    assert run.account.peak_bytes == (4 * (4 + 4 + 2 + 2 + 2),) * 2


def early(rank: Any, step: int) -> Any:
    if rank.number == 0:
        yield AllReduce(rank.gradients)


def late(rank: Any, step: int) -> Any:
    if rank.number == 1:
        yield AllReduce(rank.gradients)


def mixed(rank: Any, step: int) -> Any:
    yield ReduceScatter(rank.gradients) if rank.number else AllReduce(rank.gradients)


def unknown(rank: Any, step: int) -> Any:
    yield rank.gradients


def a_shard_too_long(rank: Any, step: int) -> Any:
    yield AllGather(rank.parameters)


def into_nothing(rank: Any, step: int) -> Any:
    yield AllGather(rank.first, into=rank.second)


def loses_parameters(rank: Any, step: int) -> Any:
    yield AllReduce(rank.gradients)
    rank.parameters = 0.0


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (early, "rank 0 waits in AllReduce for rank 1, which has returned"),
        (late, "rank 1 waits in AllReduce for rank 0, which has returned"),
        (mixed, "rank 0 asks for AllReduce, rank 1 asks for ReduceScatter"),
        (unknown, r"rank 0 yields array\(.*\), which is no ReduceScatter, AllReduce or AllGather"),
        (
            a_shard_too_long,
            r"rank 0: what it gives to AllGather must be an array of 2 floats, not an array of shape \(3,\)",
        ),
        (into_nothing, r"rank 0: into must be an array of 3 floats, not an array of shape \(2,\)"),
        (loses_parameters, "rank 0: parameters must be an array of 3 floats, not float"),
    ],
)
def test_programs_that_go_wrong_are_told_plainly(program: Any, told: str) -> None:
    with pytest.raises(RankProgramError, match=told):
        run_sharded_program(program, np.zeros(3), np.zeros((1, 2, 3)))


def test_an_endless_program_is_stopped() -> None:
    def endless(rank: Any, step: int) -> Any:
        while True:
            yield AllReduce(rank.gradients)

    with pytest.raises(RankProgramError, match=r"rank 0 makes request 1001 of the run: endless\?"):
        run_sharded_program(endless, [0], [[[1]]])


def test_what_a_program_raises_is_not_caught() -> None:
    def raises(rank: Any, step: int) -> Any:
        yield AllReduce(rank.gradients)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run_sharded_program(raises, [0], [[[1]]])


@pytest.mark.parametrize("gradients", [[], [[[1, 2]]], [[1]], [[]], [[[1]], [[1], [2]]]])
def test_gradients_of_the_wrong_size_are_refused(gradients: Any) -> None:
    with pytest.raises(ValueError, match=r"gradients(\[0\])? must h"):
        run_sharded_program(descend, [0], gradients)
