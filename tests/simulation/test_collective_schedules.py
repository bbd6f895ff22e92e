"""Every algorithm, on any number of ranks and any length: results, bytes, times and bounds."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np
import pytest
from collective_cases import EVERY, Sizes, inputs_and_outputs, schedule_of, sizes
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.algorithm_costs import algorithm_cost, collective_lower_bound
from snippets.collectives.schedule_cost import price_schedule
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.algorithms import ALGORITHMS, build_collective
from snippets.simulation.checker import find_collective_faults
from snippets.simulation.double_tree import double_binary_tree, double_tree_rounds, edge_delays
from snippets.simulation.runner import run
from snippets.simulation.schedule import Schedule, ScheduledSend, chunk_bound, chunk_bounds, merged

EXAMPLES = settings(max_examples=examples(25), deadline=None)


@pytest.mark.parametrize(("primitive", "algorithm"), EVERY)
@EXAMPLES
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_a_run_gives_what_the_primitive_asks_and_counts_what_the_formula_says(
    primitive: str, algorithm: str, data: st.DataObject, seed: int
) -> None:
    at = data.draw(sizes(primitive, algorithm))
    dtype = data.draw(st.sampled_from([np.int64, np.float32, np.int16]))
    schedule = schedule_of(primitive, algorithm, at)
    inputs, outputs = inputs_and_outputs(primitive, at, seed, dtype)
    before = [values.copy() for values in inputs]
    done = run(schedule, inputs)
    for got, wanted in zip(done.outputs, outputs, strict=True):
        assert got.dtype == dtype
        assert np.array_equal(got, wanted)  # integers of this size add exactly, in float32 too
    for values, unchanged in zip(inputs, before, strict=True):
        assert np.array_equal(values, unchanged)
    account, width = done.account, np.dtype(dtype).itemsize
    asked = {"ranks": at.ranks, "root": at.root, "segments": at.segments}
    asked |= {"size_bytes": at.length * width, "element_bytes": width}
    formula = collective_traffic(primitive, algorithm, **asked)
    assert account.sent_bytes == formula.sent_bytes
    assert account.received_bytes == formula.received_bytes
    assert account.steps == len(schedule.rounds) == algorithm_cost(primitive, algorithm, **asked).steps
    assert sum(account.sent_messages) == sum(account.received_messages) == schedule.messages
    sent = [(step, send) for step, sends in enumerate(schedule.rounds, start=1) for send in sends]
    for message, (step, send) in zip(account.messages, sent, strict=True):
        assert message == (step, send.source, send.destination, send.elements * width, primitive)
    combined = sum(send.elements for _, send in sent if send.combine)
    assert sum(account.operations["reduction_flops"]) == combined


@pytest.mark.parametrize(("primitive", "algorithm"), EVERY)
@EXAMPLES
@given(
    data=st.data(),
    alpha=st.integers(0, 1000),
    beta=st.integers(1, 50),
    gamma=st.integers(0, 3),
    width=st.sampled_from([1, 2, 4, 8]),
)
def test_the_priced_schedule_equals_the_formula_and_no_bound_is_broken(
    primitive: str, algorithm: str, data: st.DataObject, alpha: int, beta: int, gamma: int, width: int
) -> None:
    at = data.draw(sizes(primitive, algorithm, most_ranks=20))
    schedule = schedule_of(primitive, algorithm, at)
    machine: dict[str, Any] = {"latency_s": alpha, "bandwidth_bytes_per_s": beta, "reduction_s_per_byte": gamma}
    priced = price_schedule(schedule, **machine, element_bytes=width)
    formula = algorithm_cost(
        primitive,
        algorithm,
        ranks=at.ranks,
        size_bytes=at.length * width,
        root=at.root,
        segments=at.segments,
        element_bytes=width,
    )
    assert priced.terms == formula
    assert priced.time_s == pytest.approx(formula.time_s(**machine), rel=1e-14)
    assert priced.time_s == float(
        formula.steps * alpha + Fraction(formula.wire_bytes, beta) + formula.reduced_bytes * gamma
    )
    assert sum(priced.round_times_s) == pytest.approx(priced.time_s, rel=1e-12)
    bound = collective_lower_bound(
        primitive, ranks=at.ranks, size_bytes=at.length * width, root=at.root, element_bytes=width
    )
    assert formula.steps >= bound.steps
    assert formula.wire_bytes >= bound.wire_bytes
    assert formula.reduced_bytes >= bound.reduced_bytes


@pytest.mark.parametrize(("primitive", "algorithm"), EVERY)
@EXAMPLES
@given(data=st.data())
def test_the_checker_passes_every_algorithm_with_one_port(primitive: str, algorithm: str, data: st.DataObject) -> None:
    assert find_collective_faults(schedule_of(primitive, algorithm, data.draw(sizes(primitive, algorithm, 17)))) == ()


@pytest.mark.parametrize(("primitive", "algorithm"), EVERY)
@given(data=st.data())
@EXAMPLES
def test_some_rank_moves_what_the_bound_says(primitive: str, algorithm: str, data: st.DataObject) -> None:
    """The bound on bytes speaks of one rank's port: that rank's own traffic is as large, not only the slowest path."""
    at = data.draw(sizes(primitive, algorithm))
    counted = collective_traffic(
        primitive, algorithm, ranks=at.ranks, size_bytes=at.length, element_bytes=1, root=at.root, segments=at.segments
    )
    bound = collective_lower_bound(primitive, ranks=at.ranks, size_bytes=at.length, element_bytes=1, root=at.root)
    assert max(counted.sent_bytes + counted.received_bytes) >= bound.wire_bytes
    assert sum(counted.sent_bytes) == sum(counted.received_bytes)


# Which algorithms meet which bound, where N is a power of two that divides n.
MEETS_STEPS = {
    ("broadcast", "binomial"),
    ("reduce", "binomial"),
    ("scatter", "binomial"),
    ("gather", "binomial"),
    ("all_gather", "recursive_doubling"),
    ("all_gather", "bruck"),
    ("reduce_scatter", "recursive_halving"),
    ("reduce_scatter", "bruck"),
    ("all_reduce", "recursive_doubling"),
    ("all_to_all", "bruck"),
    ("barrier", "dissemination"),
}
MEETS_BYTES = {
    ("scatter", "flat"),
    ("scatter", "binomial"),
    ("gather", "flat"),
    ("gather", "binomial"),
    ("all_gather", "ring"),
    ("all_gather", "recursive_doubling"),
    ("all_gather", "bruck"),
    ("all_gather", "pairwise"),
    ("reduce_scatter", "ring"),
    ("reduce_scatter", "recursive_halving"),
    ("reduce_scatter", "bruck"),
    ("reduce_scatter", "pairwise"),
    ("all_reduce", "ring"),
    ("all_reduce", "halving_doubling"),
    ("all_reduce", "bruck"),
    ("all_to_all", "pairwise"),
    ("barrier", "flat"),
    ("barrier", "binomial"),
    ("barrier", "dissemination"),
}


@pytest.mark.parametrize("ranks", [8, 16, 64])
def test_which_algorithm_meets_which_bound(ranks: int) -> None:
    steps, wire = set(), set()
    for primitive, algorithm in EVERY:
        length = 0 if primitive == "barrier" else 10 * ranks
        found, bound = (
            algorithm_cost(primitive, algorithm, ranks=ranks, size_bytes=length, element_bytes=1),
            collective_lower_bound(primitive, ranks=ranks, size_bytes=length, element_bytes=1),
        )
        steps |= {(primitive, algorithm)} if found.steps == bound.steps else set()
        wire |= {(primitive, algorithm)} if found.wire_bytes == bound.wire_bytes else set()
    assert (steps, wire) == (MEETS_STEPS, MEETS_BYTES)


@pytest.mark.parametrize("ranks", [3, 5, 6, 7, 12, 13])
def test_beyond_powers_of_two_bruck_still_meets_both_bounds_of_its_phases(ranks: int) -> None:
    for primitive in ("all_gather", "reduce_scatter"):
        found = algorithm_cost(primitive, "bruck", ranks=ranks, size_bytes=4 * ranks, element_bytes=1)
        assert found == collective_lower_bound(primitive, ranks=ranks, size_bytes=4 * ranks, element_bytes=1)
    doubling = algorithm_cost("all_reduce", "recursive_doubling", ranks=ranks, size_bytes=7, element_bytes=1)
    log = ranks.bit_length() - 1
    assert (doubling.steps, doubling.wire_bytes) == (log + 2, 7 * (log + 2))


@given(ranks=st.integers(2, 40), segments=st.integers(200, 400))
@settings(max_examples=examples(30), deadline=None)
def test_pipelines_come_near_the_bound_on_bytes(ranks: int, segments: int) -> None:
    length = 2 * segments
    for primitive in ("broadcast", "reduce"):
        chain = algorithm_cost(primitive, "chain", ranks=ranks, size_bytes=length, element_bytes=1, segments=segments)
        assert chain.wire_bytes == length + 2 * (ranks - 2)
        trees = algorithm_cost(
            primitive, "double_binary_tree", ranks=ranks, size_bytes=length, element_bytes=1, segments=segments
        )
        assert trees.wire_bytes == length + double_tree_rounds(ranks=ranks, segments=1) - 2


def test_two_trees_by_hand() -> None:
    """Seven ranks: the second tree is the first with r and 7 - r exchanged. Six: with each rank one further."""
    assert double_binary_tree(7) == ((2, 4, 2, 0, 6, 4), (3, 1, 0, 5, 3, 5))
    assert double_binary_tree(6) == ((2, 4, 2, 0, 4), (5, 3, 5, 3, 0))


@given(ranks=st.integers(1, 200))
@settings(max_examples=examples(80), deadline=None)
def test_two_trees_span_all_ranks_and_share_the_inner_nodes(ranks: int) -> None:
    trees = double_binary_tree(ranks)
    inner = []
    for parents in trees:
        children: dict[int, int] = {}
        for node, parent in enumerate(parents, start=1):
            children[parent] = children.get(parent, 0) + 1
            height = 0
            while node:
                node, height = parents[node - 1], height + 1
            assert height <= (ranks - 1).bit_length()
        assert children.get(0, 0) == min(1, ranks - 1)
        assert all(count <= 2 for node, count in children.items() if node)
        inner.append({node for node in children if node})
    assert not inner[0] & inner[1]
    if ranks > 1:
        rounds = double_tree_rounds(ranks=ranks, segments=1)
        assert rounds <= 2 * int(log2(ranks - 1)) + 2
        assert rounds >= ceil(log2(ranks))
        # an edge carries after the one above it, and never in the rounds of another edge of its sender or receiver
        delays = edge_delays(ranks)
        assert rounds == 1 + max(map(max, delays))
        for parents, delay in zip(trees, delays, strict=True):
            assert all(parent == 0 or delay[parent - 1] < delay[node] for node, parent in enumerate(parents))


@given(length=st.integers(0, 10**6), parts=st.integers(1, 300))
def test_chunks_are_those_of_array_split(length: int, parts: int) -> None:
    bounds = chunk_bounds(length, parts)
    assert [stop - start for start, stop in bounds] == [len(c) for c in np.array_split(np.zeros(length, bool), parts)]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == length
    assert all(before[1] == after[0] for before, after in itertools.pairwise(bounds))
    assert tuple(chunk_bound(length, parts, index) for index in range(parts)) == bounds


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)), max_size=6))
def test_merged_ranges_cover_the_same_addresses(pairs: list[tuple[int, int]]) -> None:
    ranges = tuple((start, start + size) for start, size in pairs)
    joined = merged(ranges)
    assert {a for start, stop in joined for a in range(start, stop)} == {
        a for start, stop in ranges for a in range(start, stop)
    }
    assert all(before[1] < after[0] for before, after in itertools.pairwise(joined))


def test_the_ring_step_by_step() -> None:
    ring = build_collective("all_reduce", "ring", ranks=4, length=4)
    told = [[(send.source, send.destination, send.ranges[0][0], send.combine) for send in s] for s in ring.rounds]
    for step in range(3):
        assert told[step] == [(r, (r + 1) % 4, (r - 1 - step) % 4, True) for r in range(4)]
        assert told[3 + step] == [(r, (r + 1) % 4, (r - step) % 4, False) for r in range(4)]


def test_folding_pairs_the_ranks_beyond_a_power_of_two() -> None:
    schedule = build_collective("all_reduce", "recursive_doubling", ranks=6, length=5)
    pairs = [[(send.source, send.destination) for send in sends] for sends in schedule.rounds]
    assert pairs == [
        [(0, 1), (2, 3)],
        [(1, 3), (3, 1), (4, 5), (5, 4)],
        [(1, 4), (3, 5), (4, 1), (5, 3)],
        [(1, 0), (3, 2)],
    ]


def test_a_round_costs_its_slowest_rank_and_a_port_takes_one_message_after_another() -> None:
    at_once = tuple(ScheduledSend(r, 0, ((2 * r, 2 * r + 2),), False) for r in (1, 2, 3))
    fan = Schedule("gather", "all at once", 4, 8, (at_once,))
    machine: dict[str, Any] = {"latency_s": 10, "bandwidth_bytes_per_s": 2, "element_bytes": 1}
    assert price_schedule(fan, **machine).terms == algorithm_cost(
        "gather", "flat", ranks=4, size_bytes=8, element_bytes=1
    )
    assert price_schedule(fan, **(machine | {"element_bytes": 4})).time_s == 3 * 10 + 24 / 2
    swap = build_collective("all_reduce", "recursive_doubling", ranks=2, length=6)
    assert price_schedule(swap, **machine, reduction_s_per_byte=1).time_s == 10 + 3 + 6
    assert price_schedule(swap, **machine, reduction_s_per_byte=1, duplex="half").time_s == 20 + 6 + 6
    both = (ScheduledSend(0, 1, ((0, 9),), False), ScheduledSend(2, 0, ((0, 4),), True))
    uneven = Schedule("all_reduce", "lopsided", 3, 9, (both,))
    # rank 0 sends 9 while it adds 4: longer than rank 1, which only receives 9
    assert price_schedule(uneven, **machine, reduction_s_per_byte=5).time_s == 10 + 4.5 + 20
    idle = Schedule("broadcast", "nothing", 1, 3, ((), ()))
    assert price_schedule(idle, **machine, reduction_s_per_byte=1).round_times_s == (0.0, 0.0)
    spread = (tuple(ScheduledSend(0, r, ((2 * r, 2 * r + 2),), False) for r in (1, 2, 3)),)
    assert price_schedule(Schedule("scatter", "all at once", 4, 8, spread), **machine).terms.steps == 3


def test_one_rank_has_nothing_to_do() -> None:
    for primitive, names in ALGORITHMS.items():
        for algorithm in names:
            at = Sizes(1, 0 if primitive == "barrier" else 5)
            assert schedule_of(primitive, algorithm, at).rounds == ()
            assert algorithm_cost(primitive, algorithm, ranks=1, size_bytes=at.length, element_bytes=1).steps == 0
        assert collective_lower_bound(primitive, ranks=1, size_bytes=0, element_bytes=1).wire_bytes == 0


def test_pairwise_exchange_meets_every_other_rank_in_turn() -> None:
    for primitive in ("all_gather", "all_to_all"):
        steps = build_collective(primitive, "pairwise", ranks=4, length=8).rounds
        told = [[(send.source, send.destination) for send in sends] for sends in steps]
        assert told == [[(rank, (rank + step) % 4) for rank in range(4)] for step in (1, 2, 3)]
