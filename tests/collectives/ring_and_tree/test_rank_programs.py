"""Rank programs of lists on one port: what schedules say of them, and what they may not ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.ring_and_tree.programs import run_programs
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.algorithms import build_collective
from snippets.simulation.machine import AllReduce, Exchange, Isend, RankProgramError, Receive, Send
from snippets.simulation.schedule import Schedule

EXAMPLES = settings(max_examples=examples(40), deadline=None)


def replay(schedule: Schedule) -> Any:
    """Return the program that sends what a schedule with one port says, rank by rank."""

    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        for sends in schedule.rounds:
            out = next((send for send in sends if send.source == rank), None)
            come = next((send for send in sends if send.destination == rank), None)
            parcel = [number for start, stop in out.ranges for number in numbers[start:stop]] if out else []
            if out and come:
                arrived = yield Exchange(out.destination, parcel, come.source)
            elif out:
                yield Send(out.destination, parcel)
            elif come:
                arrived = yield Receive(come.source)
            places = [place for start, stop in come.ranges for place in range(start, stop)] if come else []
            for place, number in zip(places, arrived if come else [], strict=True):
                numbers[place] = numbers[place] + number if come and come.combine else number
        return numbers

    return program


@pytest.mark.parametrize("algorithm", ["flat", "binomial", "ring", "recursive_doubling", "halving_doubling", "bruck"])
@EXAMPLES
@given(ranks=st.integers(1, 9), length=st.integers(0, 20), data=st.data())
def test_a_schedules_program_has_its_sums_bytes_and_steps(
    algorithm: str, ranks: int, length: int, data: st.DataObject
) -> None:
    vector = st.lists(st.integers(-99, 99), min_size=length, max_size=length)
    vectors = data.draw(st.lists(vector, min_size=ranks, max_size=ranks))
    program = replay(build_collective("all_reduce", algorithm, ranks=ranks, length=length))
    results, account = run_programs(program, vectors, number_bytes=4)
    assert list(results) == [[sum(column) for column in zip(*vectors, strict=True)]] * ranks
    size = {"ranks": ranks, "size_bytes": 4 * length, "element_bytes": 4}
    wanted = collective_traffic("all_reduce", algorithm, **size)
    assert (account.sent_bytes, account.received_bytes) == (wanted.sent_bytes, wanted.received_bytes)
    assert account.steps == algorithm_cost("all_reduce", algorithm, **size).steps


def test_ranks_have_lists_of_their_own() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        numbers[0] = rank
        arrived = yield Exchange(1 - rank, numbers, 1 - rank)
        arrived.append(9)
        return numbers, arrived

    brought = [[7], [8]]
    assert run_programs(program, brought)[0] == (([0], [1, 9]), ([1], [0, 9]))
    assert brought == [[7], [8]]


def test_one_rank_sends_nothing() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        yield from ()
        return numbers

    results, account = run_programs(program, [[1, 2]])
    assert (results, account.steps, account.sent_bytes, account.messages) == (([1, 2],), 0, (0,), ())


def test_every_number_counts_the_same_in_an_array_too() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        return (yield Exchange(1 - rank, np.array(numbers, np.int8), 1 - rank))

    results, account = run_programs(program, [[1, 2, 3], [4]], number_bytes=4)
    assert results == ([4], [1, 2, 3])
    assert all(isinstance(result, list) for result in results)
    assert account.sent_bytes == (12, 4)


def asking(*requests: Any) -> Any:
    """Return the program in which rank r makes the r-th request."""

    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        if requests[rank] is not None:
            yield requests[rank]

    return program


@pytest.mark.parametrize(
    ("request_made", "told"),
    [
        ("hello", "rank 0 yields 'hello', which is no Send, Receive or Exchange"),
        (
            AllReduce([1]),
            "rank 0 yields AllReduce(numbers=[1], into=None, group=None), which is no Send, Receive or Exchange",
        ),
        (Isend(1, [1]), "rank 0 yields Isend(to=1, numbers=[1]), which is no Send, Receive or Exchange"),
        ([Receive(1)], "rank 0 yields [Receive(source=1)], which is no Send, Receive or Exchange"),
        (Send(1, 3), "rank 0 sends 3, which is no list of numbers"),
        (Send(1, [[1]]), "rank 0 sends [[1]], which is no list of numbers"),
        (Send(1, [1j]), "rank 0 sends [1j], which is no list of numbers"),
        (Send(2, [1]), "rank 0 sends to rank 2, but ranks are 0 to 1"),
        (Send(1, [1]), "rank 0 waits to send to rank 1, which has returned"),
    ],
)
def test_what_cannot_be_done_is_told(request_made: Any, told: str) -> None:
    with pytest.raises(RankProgramError) as caught:
        run_programs(asking(request_made, None), [[0], [0]])
    assert str(caught.value) == told


def test_an_endless_program_is_stopped() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        while True:
            yield Exchange(1 - rank, numbers, 1 - rank)

    with pytest.raises(RankProgramError, match=r"makes request 51 of the run: endless\?"):
        run_programs(program, [[0], [0]], most_requests=50)


def test_a_function_that_yields_nothing_is_no_program() -> None:
    with pytest.raises(RankProgramError, match="rank 0 returns at once: a rank program yields its requests"):
        run_programs(lambda rank, ranks, numbers: numbers, [[1]])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"vectors": []}, "vectors must hold"),
        ({"vectors": [["x"]]}, r"vectors\[0\]\[0\] must be a finite number"),
        ({"program": 3}, "program must be a generator function, got 3"),
        ({"number_bytes": 0}, "number_bytes must be"),
        ({"most_requests": 0}, "most_requests must be"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        run_programs(**{"program": asking(None), "vectors": [[1]], **arguments})
