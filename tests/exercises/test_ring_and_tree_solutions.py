"""The solutions of chapter 13's exercises: the checker judges the schedules, the runner runs and counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.collectives.ring_and_tree.solution import (
    Rounds,
    fastest_all_reduce,
    reduce_scatter,
    ring_all_reduce,
    ring_all_reduce_rounds,
    two_way_ring_rounds,
)
from snippets.collectives.algorithms import build
from snippets.collectives.checker import find_faults
from snippets.collectives.holdings import holdings
from snippets.collectives.rank_programs import run_programs
from snippets.collectives.runner import run
from snippets.collectives.schedule import Schedule, ScheduledSend, merged
from snippets.collectives.schedule_cost import price
from snippets.collectives.traffic import traffic

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)

EXAMPLES = settings(max_examples=examples(40), deadline=None)


def schedule_of(rounds: Rounds, ranks: int, length: int) -> Schedule:
    steps = (
        tuple(
            ScheduledSend(source, destination, merged(((start, stop),)), adds)
            for source, destination, start, stop, adds in step
        )
        for step in rounds
    )
    return Schedule("all_reduce", "by hand", ranks, length, tuple(steps))


@pytest.mark.parametrize(
    ("primitive", "program"), [("reduce_scatter", reduce_scatter), ("all_reduce", ring_all_reduce)]
)
@EXAMPLES
@given(ranks=st.integers(1, 9), length=st.integers(0, 30), seed=st.integers(0, 2**32))
def test_the_rank_programs_do_and_cost_what_the_schedules_do(
    primitive: str, program: Any, ranks: int, length: int, seed: int
) -> None:
    vectors = np.random.default_rng(seed).normal(size=(ranks, length))
    results, account = run_programs(program, vectors.tolist())
    wanted = run(build(primitive, "ring", ranks=ranks, length=length), list(vectors))
    assert [list(result) for result in results] == [output.tolist() for output in wanted.outputs]
    assert account.sent_bytes == wanted.account.sent_bytes
    assert account.received_bytes == wanted.account.received_bytes
    assert account.steps == wanted.account.steps
    assert all(destination == (source + 1) % ranks for source, destination in account.link_bytes)


@EXAMPLES
@given(ranks=st.integers(1, 12), length=st.integers(0, 50), seed=st.integers(0, 2**32))
def test_the_ring_is_an_all_reduce_with_the_rings_bytes(ranks: int, length: int, seed: int) -> None:
    schedule = schedule_of(ring_all_reduce_rounds(ranks=ranks, length=length), ranks, length)
    assert find_faults(schedule, ports=1) == ()
    assert len(schedule.rounds) == 2 * (ranks - 1)
    vectors = list(np.random.default_rng(seed).integers(-99, 100, (ranks, length)))
    done = run(schedule, vectors)
    assert all(np.array_equal(output, sum(vectors)) for output in done.outputs)
    sent = sorted(traffic("all_reduce", "ring", ranks=ranks, size_bytes=length * 8, element_bytes=8).sent_bytes)
    assert sum(done.account.sent_bytes) == sum(sent)
    if length % ranks == 0:
        assert sorted(done.account.sent_bytes) == sent


def test_the_sum_is_complete_one_rank_early() -> None:
    schedule = schedule_of(ring_all_reduce_rounds(ranks=5, length=5), 5, 5)
    middle = holdings(schedule)[4]
    complete = {(rank, place) for rank in range(5) for place in range(5) if len(middle[rank][place]) == 5}
    assert complete == {((place - 1) % 5, place) for place in range(5)}


@EXAMPLES
@given(ranks=st.integers(3, 9), chunks=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_two_ways_round_halve_what_a_link_carries_one_way(ranks: int, chunks: int, seed: int) -> None:
    length = 2 * ranks * chunks
    schedule = schedule_of(two_way_ring_rounds(ranks=ranks, length=length), ranks, length)
    assert find_faults(schedule, ports=2) == ()
    vectors = list(np.random.default_rng(seed).integers(-99, 100, (ranks, length)))
    done = run(schedule, vectors)
    assert all(np.array_equal(output, sum(vectors)) for output in done.outputs)
    one_way = run(build("all_reduce", "ring", ranks=ranks, length=length), vectors).account
    assert done.account.steps == one_way.steps
    assert done.account.sent_bytes == one_way.sent_bytes
    assert 2 * max(done.account.link_bytes.values()) == max(one_way.link_bytes.values())


@EXAMPLES
@given(ranks=st.integers(1, 12), length=st.integers(0, 50))
def test_two_ways_round_are_right_where_nothing_divides(ranks: int, length: int) -> None:
    schedule = schedule_of(two_way_ring_rounds(ranks=ranks, length=length), ranks, length)
    assert find_faults(schedule, ports=2) == ()


@pytest.mark.parametrize("ranks", [2, 3, 6, 8, 12, 16, 17])
@pytest.mark.parametrize("latency_s", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("vectors", [1, 10_000])
def test_the_fastest_is_the_cheapest_schedule(ranks: int, latency_s: float, vectors: int) -> None:
    length = 16 * ranks * vectors
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": 1e9}
    names = ("binomial", "ring", "recursive_doubling", "halving_doubling")
    times = {
        name: price(build("all_reduce", name, ranks=ranks, length=length), element_bytes=1, **machine).time_s  # type: ignore[arg-type]
        for name in names
    }
    name, time_s = fastest_all_reduce(size_bytes=length, ranks=ranks, **machine)
    assert time_s == pytest.approx(min(times.values()), rel=1e-9)
    assert times[name] == pytest.approx(time_s, rel=1e-9)


def test_the_ring_needs_another_number_than_a_power_of_two() -> None:
    machine = {"latency_s": 1e-5, "bandwidth_bytes_per_s": 5e10}
    assert fastest_all_reduce(size_bytes=1e10, ranks=192, **machine)[0] == "ring"
    assert fastest_all_reduce(size_bytes=1e10, ranks=256, **machine)[0] == "halving_doubling"
    assert fastest_all_reduce(size_bytes=8, ranks=192, **machine)[0] == "recursive_doubling"
