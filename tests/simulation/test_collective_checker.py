"""The checker against an executor that knows nothing of it: what it passes is right, what is broken it rejects."""

from __future__ import annotations

import pytest
from collective_cases import WITH_DATA, schedule_of, sizes
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.simulation.algorithms import build_collective
from snippets.simulation.checker import check_collective, contributions, find_collective_faults
from snippets.simulation.schedule import Schedule, ScheduledSend

EXAMPLES = settings(max_examples=examples(25), deadline=None)


def result_is_right(schedule: Schedule) -> bool:
    """Run a schedule with plain dictionaries; the term of rank r is 1000ʳ, so that a sum names its terms."""
    held: list[dict[int, int]] = []
    for rank in range(schedule.ranks):
        held.append({a: 1000**rank for start, stop in schedule.input_ranges(rank) for a in range(start, stop)})
    wanted: dict[int, int] = {}
    for mine in held:
        for address, term in mine.items():
            wanted[address] = wanted.get(address, 0) + term
    for sends in schedule.rounds:
        before = [dict(mine) for mine in held]
        for send in sends:
            for start, stop in send.ranges:
                for address in range(start, stop):
                    if address not in before[send.source] or (send.combine and address not in held[send.destination]):
                        return False
                    arriving = before[send.source][address]
                    held[send.destination][address] = arriving + (
                        held[send.destination][address] if send.combine else 0
                    )
    return all(
        held[rank].get(address) == wanted[address]
        for rank in range(schedule.ranks)
        for start, stop in schedule.output_ranges(rank)
        for address in range(start, stop)
    )


def replaced(schedule: Schedule, number: int, sends: tuple[ScheduledSend, ...]) -> Schedule:
    rounds = (*schedule.rounds[:number], sends, *schedule.rounds[number + 1 :])
    return Schedule(schedule.primitive, "mutant", schedule.ranks, schedule.length, rounds, schedule.root)


def draw_message(data: st.DataObject, schedule: Schedule) -> tuple[int, int, ScheduledSend]:
    """Draw a message that carries data: its round, its place in the round, itself."""
    places = [(n, p) for n, sends in enumerate(schedule.rounds) for p, send in enumerate(sends) if send.elements]
    assume(places)
    number, place = data.draw(st.sampled_from(places))
    return number, place, schedule.rounds[number][place]


@pytest.mark.parametrize(("primitive", "algorithm"), WITH_DATA)
@EXAMPLES
@given(data=st.data(), kind=st.sampled_from(["drop", "flip", "redirect", "shift", "repeat", "swap rounds"]))
def test_what_the_checker_passes_gives_the_right_result(
    primitive: str, algorithm: str, data: st.DataObject, kind: str
) -> None:
    schedule = schedule_of(primitive, algorithm, data.draw(sizes(primitive, algorithm, 9)))
    assert result_is_right(schedule)
    number, place, send = draw_message(data, schedule)
    sends = schedule.rounds[number]
    others = (*sends[:place], *sends[place + 1 :])
    if kind == "drop":
        mutant = replaced(schedule, number, others)
    elif kind == "flip":
        mutant = replaced(schedule, number, (*others, send._replace(combine=not send.combine)))
    elif kind == "redirect":
        elsewhere = [rank for rank in range(schedule.ranks) if rank not in (send.source, send.destination)]
        assume(elsewhere)
        mutant = replaced(schedule, number, (*others, send._replace(destination=data.draw(st.sampled_from(elsewhere)))))
    elif kind == "shift":
        by = data.draw(st.sampled_from([-1, 1]))
        moved = tuple((start + by, stop + by) for start, stop in send.ranges)
        assume(moved[0][0] >= 0 and moved[-1][1] <= schedule.size)
        mutant = replaced(schedule, number, (*others, send._replace(ranges=moved)))
    elif kind == "repeat":
        mutant = replaced(schedule, number, (*sends, send))
    else:
        other = data.draw(st.integers(0, len(schedule.rounds) - 1))
        rounds = list(schedule.rounds)
        rounds[number], rounds[other] = rounds[other], rounds[number]
        mutant = Schedule(primitive, "mutant", schedule.ranks, schedule.length, tuple(rounds), schedule.root)
    faults = find_collective_faults(mutant, ports=None)
    if not faults:
        assert result_is_right(mutant)
    if kind == "repeat":
        assert find_collective_faults(mutant, ports=1)
        assert faults or not send.combine
    if kind == "flip" or (kind == "drop" and "scatter" not in algorithm):
        # a ring after a scatter brings some chunks to ranks that passed them on before; nothing else is superfluous
        assert faults or "scatter" in algorithm


def fault_of(schedule: Schedule, ports: int | None = 1) -> str:
    (fault, *_) = find_collective_faults(schedule, ports=ports)
    return str(fault)


def test_each_fault_is_named_with_its_round_and_ranks() -> None:
    def reduce_by(*rounds: tuple[ScheduledSend, ...]) -> Schedule:
        return Schedule("reduce", "by hand", 3, 4, rounds)

    whole = ((0, 4),)
    one, two = ScheduledSend(1, 0, whole, True), ScheduledSend(2, 0, whole, True)
    assert find_collective_faults(reduce_by((one,), (two,))) == ()
    assert fault_of(reduce_by((one, two))) == "round 0: rank 0 receives 2 messages with 1 port"
    assert (
        find_collective_faults(reduce_by((one, two)), ports=2)
        == find_collective_faults(reduce_by((one, two)), ports=None)
        == ()
    )
    assert fault_of(reduce_by((one,), (one,), (two,))) == (
        "round 1: rank 0 adds the contribution of 1 twice at [0, 4), sent by rank 1"
    )
    assert fault_of(reduce_by((one,))) == (
        "end: rank 0 must hold the contributions of ranks 0, 1, 2 at [0, 4), has those of 0, 1"
    )
    assert fault_of(reduce_by((ScheduledSend(1, 0, ((0, 2),), True),), (two,))).startswith("end: rank 0 must hold")
    assert fault_of(reduce_by((one, two._replace(combine=False))), None) == (
        "round 0: rank 0 is written twice in one round at [0, 4), sent by rank 2"
    )
    both = find_collective_faults(reduce_by((one, two._replace(combine=False), one)), ports=None)
    assert [fault.round for fault in both] == [0, 0, None]  # the first fault of a round does not hide the second
    three = tuple(ScheduledSend(0, 1, ((at, at + 1),), False) for at in range(3))
    assert fault_of(Schedule("broadcast", "by hand", 2, 3, (three,)), 2) == (
        "round 0: rank 0 sends 3 messages with 2 ports"
    )
    sends = ScheduledSend(1, 0, whole, True), ScheduledSend(1, 2, whole, True)
    assert fault_of(reduce_by(sends)) == "round 0: rank 1 sends 2 messages with 1 port"
    gather = Schedule("gather", "by hand", 2, 2, ((ScheduledSend(1, 0, ((0, 1),), False),),))
    assert fault_of(gather) == "round 0: rank 1 sends [0, 1) to rank 0 and does not hold it"
    adds = Schedule("gather", "by hand", 2, 2, ((ScheduledSend(1, 0, ((1, 2),), True),),))
    assert fault_of(adds) == "round 0: rank 0 adds to nothing at [1, 2), sent by rank 1"
    assert [fault.round for fault in find_collective_faults(adds)] == [0, None]
    with pytest.raises(ValueError, match=r"^schedule must do a gather: round 0: rank 0 adds .* \(and 1 more\)$"):
        check_collective(adds)
    with pytest.raises(ValueError, match=r"^schedule must do an all-reduce: end:"):
        check_collective(Schedule("all_reduce", "nothing", 2, 1, ()))


def test_a_message_carries_what_its_sender_held_before_the_round() -> None:
    swap = Schedule(
        "all_reduce", "swap", 2, 1, ((ScheduledSend(0, 1, ((0, 1),), True), ScheduledSend(1, 0, ((0, 1),), True)),)
    )
    assert find_collective_faults(swap) == ()
    relay = Schedule(
        "broadcast", "too soon", 3, 1, ((ScheduledSend(0, 1, ((0, 1),), False), ScheduledSend(1, 2, ((0, 1),), False)),)
    )
    assert fault_of(relay) == "round 0: rank 1 sends [0, 1) to rank 2 and does not hold it"


@pytest.mark.parametrize("algorithm", ["flat", "binomial", "dissemination"])
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_a_barrier_needs_every_message(algorithm: str, ranks: int) -> None:
    barrier = build_collective("barrier", algorithm, ranks=ranks, length=0)
    for number, sends in enumerate(barrier.rounds):
        for place in range(len(sends)):
            faults = find_collective_faults(replaced(barrier, number, (*sends[:place], *sends[place + 1 :])))
            assert faults
            assert "without having heard from" in str(faults[0])


def test_a_barrier_that_hears_at_once_is_too_early() -> None:
    line = Schedule("barrier", "one round", 3, 0, (tuple(ScheduledSend(r, (r + 1) % 3, (), False) for r in range(3)),))
    assert fault_of(line) == "end: rank 0 leaves without having heard from 1"


def test_contributions_show_every_state_of_a_ring() -> None:
    states = list(contributions(build_collective("reduce_scatter", "ring", ranks=3, length=3)))
    assert [state[0] for state in states] == [
        ((0, 1, (0,)), (1, 2, (0,)), (2, 3, (0,))),
        ((0, 1, (0,)), (1, 2, (0, 2)), (2, 3, (0,))),
        ((0, 1, (0, 1, 2)), (1, 2, (0, 2)), (2, 3, (0,))),
    ]
    # the state where rank r ends is the whole sum of its chunk
    assert [state[rank][rank][2] for rank in range(3) for state in states[-1:]] == [(0, 1, 2)] * 3
