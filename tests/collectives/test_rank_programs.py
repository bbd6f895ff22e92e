"""Rank programs: messages are paired, counted in steps and bytes, and a deadlock is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.algorithms import build
from snippets.collectives.rank_programs import (
    Deadlock,
    Exchange,
    ProgramRun,
    RankProgramError,
    Receive,
    Send,
    run_programs,
)
from snippets.collectives.schedule import Schedule
from snippets.collectives.traffic import traffic

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
    done = run_programs(replay(build("all_reduce", algorithm, ranks=ranks, length=length)), vectors, element_bytes=4)
    assert list(done.results) == [[sum(column) for column in zip(*vectors, strict=True)]] * ranks
    size = {"ranks": ranks, "size_bytes": 4 * length, "element_bytes": 4}
    wanted = traffic("all_reduce", algorithm, **size)
    assert (done.sent_bytes, done.received_bytes) == (wanted.sent_bytes, wanted.received_bytes)
    assert done.steps == algorithm_cost("all_reduce", algorithm, **size).steps


def test_a_send_and_then_a_receive_take_two_steps_an_exchange_one() -> None:
    def at_once(rank: int, ranks: int, numbers: list[Any]) -> Any:
        return (yield Exchange(1 - rank, numbers, 1 - rank))

    def in_turn(rank: int, ranks: int, numbers: list[Any]) -> Any:
        if rank:
            arrived = yield Receive(0)
            yield Send(0, numbers)
            return arrived
        yield Send(1, numbers)
        return (yield Receive(1))

    one, two = (run_programs(program, [[1], [2]]) for program in (at_once, in_turn))
    assert one.results == two.results == ([2], [1])
    assert (one.steps, two.steps) == (1, 2)
    assert one.sent_bytes == two.sent_bytes == (8, 8)
    assert one.sent_messages == (1, 1)


def test_an_exchange_waits_for_the_later_of_its_halves() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        if rank == 0:
            yield Exchange(1, numbers, 2)
            yield Send(1, numbers)
        elif rank == 1:
            yield Receive(0)
            yield Send(2, numbers)
            yield Receive(0)
        else:
            yield Receive(1)
            yield Send(0, numbers)
        return rank

    done = run_programs(program, [[0], [1], [2]])
    assert [delivery[:3] for delivery in done.deliveries] == [(1, 0, 1), (2, 1, 2), (3, 2, 0), (4, 0, 1)]
    assert done.results == (0, 1, 2)
    assert done.destinations == ((1,), (2,), (0,))


def test_messages_keep_their_order_and_ranks_share_no_memory() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        if rank == 0:
            for number in range(4):
                numbers[0] = number
                yield Send(1, numbers)
            return numbers
        arrived = []
        for _ in range(4):
            arrived.append((yield Receive(0)))
        arrived[0][0] = 99
        return arrived

    brought = [[7], [7]]
    done = run_programs(program, brought)
    assert done.results == ([3], [[99], [1], [2], [3]])
    assert brought == [[7], [7]]
    assert done.buffer_bytes == (0, 8)


def test_an_empty_message_is_a_message() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        return (yield Exchange(1 - rank, numbers, 1 - rank))

    done = run_programs(program, [[], []])
    assert (done.results, done.sent_bytes, done.sent_messages, done.steps) == (([], []), (0, 0), (1, 1), 1)


def test_one_rank_sends_nothing() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        yield from ()
        return numbers

    done = run_programs(program, [[1, 2]])
    assert done == ProgramRun(([1, 2],), (), 8)
    assert (done.steps, done.sent_bytes, done.destinations) == (0, (0,), ((),))


def asking(*requests: Any) -> Any:
    """Return the program in which rank r makes the r-th request."""

    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        if requests[rank] is not None:
            yield requests[rank]

    return program


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        ((Send(1, [1]), Send(0, [1])), "rank 0 waits to send to rank 1; rank 1 waits to send to rank 0"),
        ((Receive(1), None), "rank 0 waits to receive from rank 1, which has returned"),
        ((Send(1, [1]), Receive(2), None), "rank 1 waits to receive from rank 2, which has returned"),
        (
            (Exchange(1, [1], 2), Receive(0), Receive(0)),
            "rank 0 waits to receive from rank 2; rank 2 waits to receive from rank 0",
        ),
    ],
)
def test_a_deadlock_says_who_waits_for_whom(requests: tuple[Any, ...], told: str) -> None:
    with pytest.raises(Deadlock) as caught:
        run_programs(asking(*requests), [[0]] * len(requests))
    assert told in str(caught.value)


def test_a_large_deadlock_is_told_in_short() -> None:
    with pytest.raises(Deadlock, match=r"rank 7 waits to send to rank 8; and 12 more$"):
        run_programs(asking(*(Send((rank + 1) % 20, []) for rank in range(20))), [[]] * 20)


@pytest.mark.parametrize(
    ("request_made", "told"),
    [
        ("hello", "rank 0 yields 'hello', which is no Send, Receive or Exchange"),
        ((1, [2]), "rank 0 yields (1, [2]), which is no Send, Receive or Exchange"),
        (Send(2, [1]), "rank 0 sends to rank 2, but ranks are 0 to 1"),
        (Send(-1, [1]), "rank 0 sends to rank -1, but ranks are 0 to 1"),
        (Send(1.0, [1]), "rank 0 sends to rank 1.0, but ranks are 0 to 1"),  # type: ignore[arg-type]
        (Receive(0), "rank 0 receives from itself"),
        (Exchange(0, [1], 1), "rank 0 sends to itself"),
        (Exchange(1, [1], 5), "rank 0 receives from rank 5, but ranks are 0 to 1"),
        (Send(1, 3), "rank 0 sends 3, which is no list of numbers"),  # type: ignore[arg-type]
        (Send(1, [[1]]), "rank 0 sends [[1]], which is no list of numbers"),
        (Send(1, "x" * 99), f"rank 0 sends '{'x' * 58}…, which is no list of numbers"),
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

    with pytest.raises(RankProgramError, match=r"sends message 51 of the run: endless\?"):
        run_programs(program, [[0], [0]], most_messages=50)


def test_what_a_program_raises_is_not_caught() -> None:
    def program(rank: int, ranks: int, numbers: list[Any]) -> Any:
        yield Exchange(1 - rank, numbers, 1 - rank)
        raise NotImplementedError("reduce_scatter is still to be written")

    with pytest.raises(NotImplementedError, match="still to be written"):
        run_programs(program, [[0], [0]])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"vectors": []}, "vectors must hold"),
        ({"vectors": [["x"]]}, r"vectors\[0\]\[0\] must be a finite number"),
        ({"program": 3}, "program must be a generator function, got 3"),
        ({"element_bytes": 0}, "element_bytes must be"),
        ({"most_messages": 0}, "most_messages must be"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        run_programs(**{"program": asking(None), "vectors": [[1]], **arguments})
