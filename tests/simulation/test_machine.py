"""The simulated machine: messages, collectives and memories against NumPy's sums, longest paths and counts by hand."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections import namedtuple
from collections.abc import Callable, Generator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sampling import examples

from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.account import Account, Memory, Message
from snippets.simulation.algorithms import ALGORITHMS
from snippets.simulation.machine import (
    REQUESTS,
    AllGather,
    AllReduce,
    AllToAll,
    Barrier,
    Broadcast,
    Compute,
    Deadlock,
    Exchange,
    Isend,
    Machine,
    Program,
    RankProgramError,
    Receive,
    ReduceScatter,
    Send,
)

EXAMPLES = settings(max_examples=examples(60), deadline=None)
SEED = st.integers(0, 2**32 - 1)


def run(program: Callable[[int], Program], ranks: int, **how: Any) -> tuple[tuple[Any, ...], Account]:
    """Run a program of the rank's number on every rank."""
    machine = Machine(ranks, **how)
    return machine.run([program(rank) for rank in range(ranks)]), machine.account


def asking(*requests: Any) -> Callable[[int], Program]:
    """Return the program in which rank r makes the r-th request, and ends at once where that is ``None``."""

    def program(rank: int) -> Program:
        return (yield requests[rank]) if requests[rank] is not None else None

    return program


# Messages.


def test_a_send_and_then_a_receive_take_two_steps_an_exchange_one() -> None:
    def at_once(rank: int) -> Program:
        return (yield Exchange(1 - rank, [rank], 1 - rank))

    def in_turn(rank: int) -> Program:
        if rank:
            arrived = yield Receive(0)
            yield Send(0, [rank])
            return arrived
        yield Send(1, [rank])
        return (yield Receive(1))

    (one, once), (two, twice) = run(at_once, 2), run(in_turn, 2)
    assert one == two == ([1], [0])
    assert (once.steps, twice.steps) == (1, 2)
    assert once.sent_bytes == twice.sent_bytes == (8, 8)
    assert once.sent_messages == once.received_messages == (1, 1)


def test_an_exchange_waits_for_the_later_of_its_halves() -> None:
    def program(rank: int) -> Program:
        if rank == 0:
            yield Exchange(1, [rank], 2)
            yield Send(1, [rank])
        elif rank == 1:
            yield Receive(0)
            yield Send(2, [rank])
            yield Receive(0)
        else:
            yield Receive(1)
            yield Send(0, [rank])
        return rank

    results, account = run(program, 3)
    assert [message[:3] for message in account.messages] == [(1, 0, 1), (2, 1, 2), (3, 2, 0), (4, 0, 1)]
    assert list(account.link_bytes.items()) == [((0, 1), 16), ((1, 2), 8), ((2, 0), 8)]
    assert results == (0, 1, 2)


@EXAMPLES
@given(data=st.data(), ranks=st.integers(2, 6))
def test_steps_are_the_longest_path_through_the_messages(data: st.DataObject, ranks: int) -> None:
    """Messages in one order that all ranks keep: each has to wait for the last one of either of its ends."""
    pair = st.permutations(range(ranks)).map(lambda order: (order[0], order[1]))
    pairs = data.draw(st.lists(pair, max_size=25))

    def program(rank: int) -> Program:
        got = []
        for number, (source, destination) in enumerate(pairs):
            if source == rank:
                yield Send(destination, [number] * number)
            elif destination == rank:
                got.append((yield Receive(source)))
        return got

    results, account = run(program, ranks, number_bytes=3)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(pairs)))
    for rank in range(ranks):
        graph.add_edges_from(pairwise(number for number, ends in enumerate(pairs) if rank in ends))
    assert account.steps == (len(networkx.dag_longest_path(graph)) if pairs else 0)
    for rank in range(ranks):
        numbers = [number for number, ends in enumerate(pairs) if ends[1] == rank]
        assert results[rank] == [[number] * number for number in numbers]
        assert account.received_bytes[rank] == 3 * sum(numbers)
        assert account.sent_bytes[rank] == 3 * sum(number for number, ends in enumerate(pairs) if ends[0] == rank)


def test_a_rank_goes_on_from_the_latest_of_its_steps_whichever_came_last() -> None:
    """Rank 2 computes for long and then sends in step 1; by then rank 1 has sent in step 3."""

    def program(rank: int) -> Program:
        if rank == 0:
            yield [Receive(1), Receive(2)]
            yield Send(2, [])
        if rank in (1, 3):
            yield Exchange(4 - rank, [], 4 - rank)
            yield Exchange(4 - rank, [], 4 - rank)
        if rank == 1:
            yield Send(0, [])
        if rank == 2:
            for _ in range(20):
                yield Compute("flops", 1)
            yield Send(0, [])
            yield Receive(0)

    messages = [message[:3] for message in run(program, 4)[1].messages]
    assert messages == [(1, 1, 3), (1, 2, 0), (1, 3, 1), (2, 1, 3), (2, 3, 1), (3, 1, 0), (4, 0, 2)]


def test_messages_keep_their_order_and_ranks_share_no_memory() -> None:
    def program(rank: int) -> Program:
        own = [7]
        if rank == 0:
            for number in range(4):
                own[0] = number
                yield Send(1, own) if number % 2 else Isend(1, own)
            return own
        arrived = []
        for _ in range(4):
            arrived.append((yield Receive(0)))
        arrived[0][0] = 99
        return arrived

    assert run(program, 2)[0] == ([3], [[99], [1], [2], [3]])


def test_arrays_travel_unchanged_as_copies_with_their_own_bytes() -> None:
    brought = np.arange(6, dtype=np.float16).reshape(2, 3)

    def program(rank: int) -> Program:
        if rank:
            arrived, both = (yield Receive(0)), (yield Receive(0))
            arrived[0, 0] = 9
            return arrived, both
        yield Send(1, brought.T)
        yield Send(1, [brought, brought[0]])

    (_, (arrived, both)), account = run(program, 2)
    assert arrived.dtype == np.float16
    assert arrived.tolist() == [[9, 3], [1, 4], [2, 5]]
    assert [array.tolist() for array in both] == [[[0, 1, 2], [3, 4, 5]], [0, 1, 2]]
    assert brought[0, 0] == 0
    assert account.sent_bytes == (12 + 18, 0)


def test_an_empty_message_is_a_message() -> None:
    results, account = run(asking(Exchange(1, [], 1), Exchange(0, [], 0)), 2)
    assert (results, account.sent_bytes, account.sent_messages, account.steps) == (([], []), (0, 0), (1, 1), 1)


def test_what_is_asked_for_at_one_time_goes_at_one_time() -> None:
    def star(rank: int) -> Program:
        if rank:
            arrived = yield [Send(0, [rank]), Compute("additions", rank), Receive(0)]
            return arrived
        arrived = yield [Receive(source) for source in (1, 2, 3)]
        yield [Isend(there, [10 * there]) for there in (3, 1, 2)]
        assert (yield []) == []
        return arrived

    def centre_first(rank: int) -> Program:
        if rank:
            return (yield [Send(0, [rank]), Receive(0)])[1]
        return (yield [request for other in (1, 2, 3) for request in (Receive(other), Send(other, [10 * other]))])[::2]

    results, account = run(star, 4)
    assert results == ([[1], [2], [3]], [None, None, [10]], [None, None, [20]], [None, None, [30]])
    assert [message[:3] for message in account.messages] == [
        *((1, rank, 0) for rank in (1, 2, 3)),
        *((2, 0, rank) for rank in (1, 2, 3)),
    ]
    assert account.operations == {"additions": (0, 1, 2, 3)}
    results, account = run(centre_first, 4)
    assert results == ([[1], [2], [3]], [10], [20], [30])
    assert account.steps == 1


@EXAMPLES
@given(stages=st.integers(1, 5), micro_batches=st.integers(1, 6), seed=SEED)
def test_a_pipeline_of_sends_that_do_not_wait(stages: int, micro_batches: int, seed: int) -> None:
    """Each stage multiplies by its matrix; the last one's outputs are those of the whole product."""
    random = np.random.default_rng(seed)
    weights = random.integers(-3, 4, (stages, 2, 2))
    inputs = random.integers(-3, 4, (micro_batches, 1, 2))

    def program(stage: int) -> Program:
        outputs = []
        for own in inputs:
            x = own if stage == 0 else (yield Receive(stage - 1))
            outputs.append(x @ weights[stage])
            yield Isend(stage + 1, outputs[-1]) if stage + 1 < stages else Compute("outputs", 1)
        return outputs

    results, account = run(program, stages)
    for output, own in zip(results[-1], inputs, strict=True):
        assert np.array_equal(output, np.linalg.multi_dot([own, *weights]) if stages > 1 else own @ weights[0])
    assert account.steps == (stages + micro_batches - 2 if stages > 1 else 0)
    assert account.sent_messages == (*(micro_batches,) * (stages - 1), 0)


# Collectives.

FORMS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "list": lambda array: array.tolist(),
    "int64": lambda array: array,
    "float32": lambda array: array.astype(np.float32),
    "rows": lambda array: np.stack([array, -array, 2 * array], axis=1),
}


def vectors(ranks: int, length: int, seed: int, form: str) -> list[Any]:
    """Draw what each rank brings: whole numbers, which add up exactly in any order."""
    return [FORMS[form](vector) for vector in np.random.default_rng(seed).integers(-99, 100, (ranks, length))]


def same(got: Any, wanted: Any, brought: Any) -> bool:
    """Whether a result has the right entries, in the form of what was brought."""
    if isinstance(brought, list):
        return bool(got == np.asarray(wanted).tolist())
    return got.dtype == brought.dtype and np.array_equal(got, wanted)


@pytest.mark.parametrize("form", FORMS)
@EXAMPLES
@given(ranks=st.integers(1, 7), length=st.integers(0, 20), seed=SEED)
def test_sums_and_what_they_cost(form: str, ranks: int, length: int, seed: int) -> None:
    brought = vectors(ranks, length, seed, form)
    wanted = np.sum(brought, axis=0)
    entries, width = wanted.size, 8 if isinstance(brought[0], list) else brought[0].itemsize
    row = entries // length if length else 1

    def all_reduce(rank: int) -> Program:
        return (yield AllReduce(brought[rank]))

    def reduce_scatter(rank: int) -> Program:
        return (yield ReduceScatter(brought[rank]))

    results, account = run(all_reduce, ranks)
    assert all(same(result, wanted, brought[0]) for result in results)
    size = {"ranks": ranks, "size_bytes": entries * width, "element_bytes": width}
    formula = collective_traffic("all_reduce", "ring", **size)
    assert (account.sent_bytes, account.received_bytes) == (formula.sent_bytes, formula.received_bytes)
    assert account.steps == algorithm_cost("all_reduce", "ring", **size).steps
    assert {message.operation for message in account.messages} <= {"all_reduce"}
    assert sum(account.operations.get("reduction_flops", ())) == (ranks - 1) * entries
    results, account = run(reduce_scatter, ranks)
    for result, part in zip(results, np.array_split(wanted, ranks), strict=True):
        assert same(result, part, brought[0])
    formula = collective_traffic("reduce_scatter", "ring", **size | {"element_bytes": width * row})
    assert (account.sent_bytes, account.received_bytes) == (formula.sent_bytes, formula.received_bytes)
    assert account.steps == algorithm_cost("reduce_scatter", "ring", **size).steps


@pytest.mark.parametrize("form", FORMS)
@EXAMPLES
@given(lengths=st.lists(st.integers(0, 5), min_size=1, max_size=7), seed=SEED)
def test_gathers_of_uneven_parts(form: str, lengths: list[int], seed: int) -> None:
    brought = [vectors(1, length, seed + rank, form)[0] for rank, length in enumerate(lengths)]
    sizes = [8 * len(part) if isinstance(part, list) else part.nbytes for part in brought]

    def program(rank: int) -> Program:
        return (yield AllGather(brought[rank]))

    results, account = run(program, len(lengths))
    for result in results:
        assert same(result, np.concatenate(brought), brought[0])
    ranks = len(lengths)
    assert account.sent_bytes == tuple(sum(sizes) - sizes[(rank + 1) % ranks] for rank in range(ranks))
    assert account.steps == ranks - 1


@pytest.mark.parametrize("algorithm", ALGORITHMS["broadcast"])
@EXAMPLES
@given(ranks=st.integers(1, 7), length=st.integers(0, 4), data=st.data(), seed=SEED)
def test_a_broadcast_by_any_algorithm(algorithm: str, ranks: int, length: int, data: st.DataObject, seed: int) -> None:
    root = data.draw(st.integers(0, ranks - 1))
    brought = vectors(ranks, length, seed, "int64")

    def program(rank: int) -> Program:
        return (yield Broadcast(root, brought[rank], algorithm=algorithm))

    results, account = run(program, ranks)
    assert all(same(result, brought[root], brought[root]) for result in results)
    assert results[root] is brought[root]
    assert not any(np.shares_memory(results[rank], brought[root]) for rank in range(ranks) if rank != root)
    if algorithm in ("flat", "binomial", "chain"):
        size = {"ranks": ranks, "size_bytes": 8 * length, "root": root, "element_bytes": 8}
        assert account.sent_bytes == collective_traffic("broadcast", algorithm, **size).sent_bytes
        assert account.steps == algorithm_cost("broadcast", algorithm, **size).steps


@EXAMPLES
@given(data=st.data(), ranks=st.integers(1, 6))
def test_parcels_of_any_length_for_all(data: st.DataObject, ranks: int) -> None:
    """Experts' tokens: rank r has lengths[r][q] numbers for rank q; each names its two ends."""
    row = st.lists(st.integers(0, 3), min_size=ranks, max_size=ranks)
    lengths = data.draw(st.lists(row, min_size=ranks, max_size=ranks))

    def program(rank: int) -> Program:
        return (yield AllToAll([[100 * rank + there] * length for there, length in enumerate(lengths[rank])]))

    results, account = run(program, ranks, number_bytes=2)
    for there in range(ranks):
        assert results[there] == [[100 * here + there] * lengths[here][there] for here in range(ranks)]
    assert account.sent_bytes == tuple(2 * (sum(row) - row[rank]) for rank, row in enumerate(lengths))
    assert account.sent_messages == (ranks - 1,) * ranks


def test_parcels_may_be_arrays() -> None:
    results, account = run(asking(*(AllToAll([np.full(2, 10 * rank + q) for q in range(2)]) for rank in range(2))), 2)
    assert [[parcel.tolist() for parcel in result] for result in results] == [[[0, 0], [10, 10]], [[1, 1], [11, 11]]]
    assert account.sent_bytes == (16, 16)


@EXAMPLES
@given(nodes=st.integers(1, 4), inside=st.integers(1, 4), length=st.integers(0, 13), seed=SEED)
def test_groups_make_a_hierarchical_all_reduce(nodes: int, inside: int, length: int, seed: int) -> None:
    brought = vectors(nodes * inside, length, seed, "int64")

    def program(rank: int) -> Program:
        node = [rank // inside * inside + place for place in range(inside)]
        rail = [rank % inside + inside * other for other in range(nodes)]
        own = yield ReduceScatter(brought[rank], group=node)
        own = yield AllReduce(own, group=rail)
        return (yield AllGather(own, group=node))

    results, account = run(program, nodes * inside)
    assert all(np.array_equal(result, np.sum(brought, axis=0)) for result in results)
    across = {ends: size for ends, size in account.link_bytes.items() if ends[0] // inside != ends[1] // inside}
    assert all((source - destination) % inside == 0 for source, destination in across)
    # A node's ranks together send what one rank of a ring over the nodes does: 2 (R − 1) n in all nodes.
    assert sum(across.values()) == 2 * (nodes - 1) * 8 * length
    assert sum(account.of("all_reduce").sent_bytes) == sum(across.values())
    assert sum(account.sent_bytes) == 8 * length * 2 * (nodes * (inside - 1) + nodes - 1)


def test_the_order_of_a_group_is_that_of_its_chunks() -> None:
    def program(rank: int) -> Program:
        return (yield AllGather([rank, rank], group=(2, 0, 3))) if rank != 1 else (yield Barrier([1]))

    results, account = run(program, 4)
    assert results == ([2, 2, 0, 0, 3, 3], None, [2, 2, 0, 0, 3, 3], [2, 2, 0, 0, 3, 3])
    assert list(account.link_bytes) == [(0, 3), (2, 0), (3, 2)]


def test_collectives_of_one_group_are_met_in_their_order() -> None:
    def program(rank: int) -> Program:
        first, second = yield [AllReduce([rank]), AllGather([rank])]
        return first, second

    assert run(program, 3)[0] == (([3], [0, 1, 2]),) * 3


def test_groups_that_share_a_rank_run_at_one_time() -> None:
    """Two chains of three from the corner of a grid, along its row and along its column: two steps, not four."""

    def program(rank: int) -> Program:
        row, column = range(rank // 3 * 3, rank // 3 * 3 + 3), range(rank % 3, 9, 3)
        brought = [rank]
        return (yield [Broadcast(group[0], brought, group, "chain") for group in (row, column)])

    results, account = run(program, 9)
    assert results == tuple([[rank // 3 * 3], [rank % 3]] for rank in range(9))
    assert account.steps == 2
    assert len(account.messages) == 12


def test_a_barrier_sends_nothing_and_makes_all_wait() -> None:
    def program(rank: int) -> Program:
        if rank == 0:
            yield Send(1, [0])
        if rank == 1:
            yield Receive(0)
            yield Send(2, [1])
        if rank == 2:
            yield Receive(1)
        yield Barrier()
        if rank > 2:
            yield Exchange(7 - rank, [rank], 7 - rank)

    account = run(program, 5)[1]
    assert [message[:3] for message in account.messages] == [(1, 0, 1), (2, 1, 2), (3, 3, 4), (3, 4, 3)]


def test_results_and_steps_do_not_depend_on_the_numbers_of_the_ranks() -> None:
    """A program in terms of places, on ranks that take the places in another order, that are resumed otherwise."""

    def account_of(order: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
        def program(rank: int) -> Program:
            place = order.index(rank)
            if place:
                yield Isend(order[0], [place])
            arrived = []
            for other in order[1:] if place == 0 else ():
                arrived.append((yield Receive(other)))
            total = yield AllReduce([place] * (len(arrived) or 4), group=order)
            return arrived, total

        results, account = run(program, 5)
        places = [(m.step, order.index(m.source), order.index(m.destination), m.sent_bytes) for m in account.messages]
        return [results[rank] for rank in order], sorted(places)

    wanted = account_of((0, 1, 2, 3, 4))
    assert wanted[0][0] == ([[1], [2], [3], [4]], [10, 10, 10, 10])
    assert account_of((3, 0, 4, 1, 2)) == account_of((4, 3, 2, 1, 0)) == wanted


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_results_share_no_memory_with_what_was_brought(ranks: int) -> None:
    brought = np.ones((ranks, ranks, 2))

    def program(rank: int) -> Program:
        own = brought[rank]
        parcels = yield AllToAll(list(own))
        return [(yield AllReduce(own)), (yield ReduceScatter(own)), (yield AllGather(own)), *parcels]

    results, _ = run(program, ranks)
    arrays = [array for result in results for array in result]
    assert not any(np.shares_memory(array, brought) for array in arrays)
    assert not any(np.shares_memory(one, other) for one, other in combinations(arrays, 2))


# Where a result goes, and what is held.


def test_into_an_array_that_is_there_already() -> None:
    def program(rank: int) -> Program:
        own = np.arange(5.0) * (rank + 1)
        mine = own[3:] if rank else own[:3]
        assert (yield ReduceScatter(own, into=mine)) is mine
        whole = own.copy()
        gathered = yield AllGather(mine, into=own)
        total = [1, 2]
        assert (yield AllReduce(total, into=total)) is total
        return whole.tolist(), gathered is own, own.tolist(), total

    results, _ = run(program, 2)
    assert results[0] == ([0, 3, 6, 3, 4], True, [0, 3, 6, 9, 12], [2, 4])
    assert results[1] == ([0, 2, 4, 9, 12], True, [0, 3, 6, 9, 12], [2, 4])


def test_all_results_are_ready_before_any_goes_where_another_came_from() -> None:
    def program(rank: int) -> Program:
        own = np.arange(4.0) + 10 * rank
        return (yield AllGather(own[2:], into=own))  # rank 0's part is not the one that it ends in

    assert [result.tolist() for result in run(program, 2)[0]] == [[2, 3, 12, 13]] * 2


def test_arrays_are_held_until_nothing_refers_to_them() -> None:
    machine = Machine(2)

    def program(rank: int, keeps: bool) -> Program:
        own = machine.memories[rank].watch(np.zeros(4 + rank), "parameters")
        kept = []
        for _ in range(3):
            arrived = yield Exchange(1 - rank, own, 1 - rank)
            kept += [arrived] if keeps else []
            del arrived
        del own
        total = yield AllReduce([1.0])  # a list is not watched
        return total

    machine.memories[0].hold(100)
    machine.run([program(0, True), program(1, False)])
    account = machine.account
    assert account.start_bytes == (100, 0)
    assert account.peak_bytes == (100 + 32 + 3 * 40, 40 + 32)
    assert account.held_bytes == (100, 0)
    assert account.kind_peak_bytes == {"parameters": (32, 40), "arrays": (100, 0), "buffers": (120, 32)}


def test_a_result_counts_beside_what_was_brought_unless_it_goes_into_that() -> None:
    def program(memory: Memory, rank: int, in_place: bool) -> Program:
        own = memory.watch(np.ones(6))
        shard = own[3 * rank : 3 * rank + 3]
        yield ReduceScatter(own, into=shard) if in_place else ReduceScatter(own)
        yield AllGather(shard, into=own)

    for in_place, peak in ((True, 48), (False, 48 + 24)):
        machine = Machine(2)
        machine.run([program(machine.memories[rank], rank, in_place) for rank in range(2)])
        assert machine.account.peak_bytes == (peak, peak)
        assert machine.account.held_bytes == (0, 0)


def test_a_machine_ends_with_its_last_reference_and_with_it_what_it_holds() -> None:
    """Without the collector of cycles: a grader mirrors arrays in another process for as long as somebody has them."""
    gc.disable()
    try:
        machine = Machine(2, admit=lambda rank, asked: asked)

        def program(rank: int) -> Program:
            arrived = yield [Exchange(1 - rank, np.zeros(2), 1 - rank), AllReduce(np.zeros(2)), Compute("flops", 1)]
            return (yield AllGather(arrived[0]))

        results = machine.run([program(rank) for rank in range(2)])
        assert machine.account.held_bytes == (32, 32)
        ends = [weakref.ref(end) for end in (machine, results[0])]
        del machine, results
        assert [end() for end in ends] == [None, None]
    finally:
        gc.enable()


def test_parcels_are_watched_one_by_one() -> None:
    def program(rank: int) -> Program:
        parcels = yield AllToAll([np.zeros(rank + 1), np.zeros(rank + 1)])
        del parcels[1 - rank]
        yield Barrier()
        return parcels

    machine = Machine(2)
    results = machine.run([program(rank) for rank in range(2)])
    assert machine.account.peak_bytes == (24, 24)
    assert machine.account.held_bytes == tuple(result[0].nbytes for result in results) == (8, 16)


def test_a_memory_alone() -> None:
    memory = Memory()
    memory.hold(5, "a")
    array = memory.watch(np.zeros(2), "b")
    view = array[:1]
    memory.hold(7, "b")
    del array
    assert memory.held == {"a": 5, "b": 23}  # the view keeps it
    del view
    memory.release(7, "b")
    memory.hold(1, "b")
    assert (memory.held_bytes, memory.peak_bytes, memory.peak) == (6, 28, {"a": 5, "b": 23})
    with pytest.raises(ValueError, match=r"size_bytes must be at most 1, what is held of kind 'b', got 2"):
        memory.release(2, "b")
    with pytest.raises(ValueError, match=r"array must be a NumPy array, got \[1\]"):
        memory.watch([1])


# Programs from elsewhere.


def of_class(name: str, **fields: Any) -> Any:
    """Return a tuple of a new class."""
    kind: Any = namedtuple(name, fields)  # type: ignore[misc]
    return kind(**fields)


class Elsewhere:
    """A program with the three methods of a generator alone, as if it ran in another process."""

    def __init__(self, program: Generator[Any, Any, Any]) -> None:
        self.program = program

    def send(self, value: Any) -> Any:
        request = self.program.send(value)
        return of_class(type(request).__name__, **request._asdict())  # of a class that the machine never saw

    def throw(self, *error: Any) -> Any:
        return self.program.throw(*error)

    def close(self) -> None:
        self.program.close()


def test_a_program_may_be_any_object_with_the_methods_of_a_generator() -> None:
    def program(rank: int) -> Program:
        arrived = yield Exchange(1 - rank, [rank + 1], 1 - rank)
        yield Compute("additions", 1)
        return (yield AllReduce(arrived))

    machine = Machine(2)
    programs: list[Any] = [Elsewhere(program(rank)) for rank in range(2)]
    assert machine.run(programs) == ([3], [3])
    assert machine.account.operations == {"additions": (1, 1), "reduction_flops": (1, 0)}
    assert list(REQUESTS) == [kind.__name__ for kind in REQUESTS.values()]


def test_links_are_in_the_order_of_their_ranks() -> None:
    account = Account(2, (Message(1, 1, 0, 8, "send"), Message(2, 0, 1, 4, "send"), Message(3, 1, 0, 2, "send")))
    assert list(account.link_bytes.items()) == [((0, 1), 4), ((1, 0), 10)]


def test_the_account_goes_on_from_one_run_to_the_next() -> None:
    machine = Machine(2)
    assert machine.account == Account(2, (), start_bytes=(0, 0), held_bytes=(0, 0), peak_bytes=(0, 0))
    program = asking(Send(1, [1]), Receive(0))
    for step in (1, 2, 3):
        machine.memories[0].hold(step)
        machine.run([program(rank) for rank in range(2)])
        assert (machine.account.steps, machine.account.sent_bytes) == (step, (8 * step, 0))
    assert (machine.account.start_bytes, machine.account.held_bytes) == ((1, 0), (6, 0))


def test_ranks_may_leave_and_the_others_go_on() -> None:
    def program(rank: int) -> Program:
        total = yield AllReduce([rank])
        return (yield AllReduce(total, group=[0, 1, 3])) if rank != 2 else total

    assert run(program, 4)[0] == ([18], [18], [6], [18])


WITHOUT_NUMPY = """
import sys
for blocked in ("numpy", "matplotlib", "scipy"):
    sys.modules[blocked] = None
from snippets.simulation.machine import AllReduce, Exchange, Machine
def program(rank):
    return (yield AllReduce((yield Exchange(1 - rank, [rank, 2], 1 - rank))))
print(Machine(2).run([program(0), program(1)]))
"""


def test_lists_need_the_standard_library_alone() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", WITHOUT_NUMPY], capture_output=True, text=True, cwd=root)
    assert (done.stdout, done.stderr) == ("([1, 4], [1, 4])\n", "")


# What goes wrong.


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        ((Send(1, [1]), Send(0, [1])), "rank 0 waits to send to rank 1; rank 1 waits to send to rank 0"),
        ((Receive(1), None), "rank 0 waits to receive from rank 1, which has returned"),
        (
            (Send(1, [1]), Receive(2), None),
            "rank 0 waits to send to rank 1; rank 1 waits to receive from rank 2, which has returned",
        ),
        (
            (Exchange(1, [1], 2), Receive(0), Receive(0)),
            "rank 0 waits to receive from rank 2; rank 2 waits to receive from rank 0",
        ),
        (([Receive(1), Send(1, [])], Receive(0)), "rank 0 waits to receive from rank 1, which has returned"),
        ((Isend(1, [1]), None), "rank 0 waits to send to rank 1, which has returned"),
        ((AllReduce([1]), None), "rank 0 waits in AllReduce for rank 1, which has returned"),
        (
            (Barrier(), Receive(0), Barrier(), Receive(0)),
            "rank 0 waits in Barrier for rank 1 and 1 more; rank 1 waits to receive from rank 0; "
            "rank 2 waits in Barrier for rank 1 and 1 more; rank 3 waits to receive from rank 0",
        ),
        (
            (AllGather([1], group=[0, 1]), AllGather([1], group=[1, 0])),
            "rank 0 waits in AllGather for rank 1; rank 1 waits in AllGather for rank 0",
        ),
        (
            tuple(Send((rank + 1) % 20, []) for rank in range(20)),
            "; ".join(f"rank {rank} waits to send to rank {rank + 1}" for rank in range(8)) + "; and 12 more",
        ),
    ],
)
def test_a_deadlock_says_who_waits_for_whom(requests: tuple[Any, ...], told: str) -> None:
    with pytest.raises(Deadlock) as caught:
        run(asking(*requests), len(requests))
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        ((AllReduce([1]), ReduceScatter([1])), "rank 0 asks for AllReduce, rank 1 asks for ReduceScatter"),
        ((Barrier(), AllToAll([[], []])), "rank 0 asks for Barrier, rank 1 asks for AllToAll"),
        (
            (Broadcast(0, [1]), Broadcast(1, [1])),
            "rank 0 asks for Broadcast from rank 0 by 'binomial', rank 1 asks for Broadcast from rank 1 by 'binomial'",
        ),
        (
            (AllReduce([1]), AllReduce([1, 2])),
            "rank 0 brings a list of 1 numbers to AllReduce, rank 1 brings a list of 2 numbers",
        ),
        (
            (ReduceScatter(np.zeros((2, 3))), ReduceScatter(np.zeros((3, 2)))),
            "rank 0 brings an array of shape (2, 3) and float64 to ReduceScatter, "
            "rank 1 brings an array of shape (3, 2) and float64",
        ),
        (
            (AllReduce(np.zeros(2)), AllReduce(np.zeros(2, np.float32))),
            "rank 0 brings an array of shape (2,) and float64 to AllReduce, "
            "rank 1 brings an array of shape (2,) and float32",
        ),
        (
            (AllGather(np.zeros((2, 3))), AllGather([1, 2])),
            "rank 0 brings an array of shape (2, 3) and float64 to AllGather, rank 1 brings a list of 2 numbers",
        ),
        (
            (AllReduce([1, 2], into=[0]), AllReduce([1, 2])),
            "rank 0 gets a list of 2 numbers from AllReduce, and into is a list of 1 numbers",
        ),
        (
            (AllGather(np.zeros(2), into=np.zeros((4, 1))), AllGather(np.zeros(2))),
            "rank 0 gets an array of shape (4,) and float64 from AllGather, "
            "and into is an array of shape (4, 1) and float64",
        ),
        ((AllReduce([1], into=3), AllReduce([1])), "rank 0 gets a list of 1 numbers from AllReduce, and into is 3"),
    ],
)
def test_collectives_that_do_not_fit_are_named(requests: tuple[Any, ...], told: str) -> None:
    with pytest.raises(RankProgramError) as caught:
        run(asking(*requests), len(requests))
    assert str(caught.value) == told
    assert not isinstance(caught.value, Deadlock)


ALL = "Send, Isend, Receive, Exchange, AllReduce, ReduceScatter, AllGather, Broadcast, AllToAll, Barrier or Compute"
Pair = namedtuple("Pair", ["to", "numbers"])


@pytest.mark.parametrize(
    ("request_made", "told"),
    [
        ("hello", f"rank 0 yields 'hello', which is no {ALL}"),
        ((1, [2]), f"rank 0 yields (1, [2]), which is no {ALL}"),
        (Pair(1, [2]), f"rank 0 yields Pair(to=1, numbers=[2]), which is no {ALL}"),
        (of_class("Send", to=1), f"rank 0 yields Send(to=1), which is no {ALL}"),
        ([Receive(1), 3], f"rank 0 yields 3, which is no {ALL}"),
        (Send, f"rank 0 yields <class 'snippets.simulation.machine.Send'>, which is no {ALL}"),
        (Send(2, [1]), "rank 0 sends to rank 2, but ranks are 0 to 1"),
        (Send(-1, [1]), "rank 0 sends to rank -1, but ranks are 0 to 1"),
        (Isend(True, [1]), "rank 0 sends to rank True, but ranks are 0 to 1"),
        (Send(1.0, [1]), "rank 0 sends to rank 1.0, but ranks are 0 to 1"),  # type: ignore[arg-type]
        (Receive(0), "rank 0 receives from itself"),
        (Exchange(0, [1], 1), "rank 0 sends to itself"),
        (Exchange(1, [1], 5), "rank 0 receives from rank 5, but ranks are 0 to 1"),
        (Send(1, 3), "rank 0 sends 3, which is neither a list of numbers nor an array"),
        (Send(1, [[1]]), "rank 0 sends [[1]], which is neither a list of numbers nor an array"),
        (Send(1, "x" * 99), f"rank 0 sends '{'x' * 58}…, which is neither a list of numbers nor an array"),
        (Send(1, np.array(3.0)), "rank 0 sends array(3.), which is neither a list of numbers nor an array"),
        (AllReduce(None), "rank 0 asks for AllReduce of None, which is neither a list of numbers nor an array"),
        (AllToAll([[1]]), "rank 0 asks for AllToAll of [[1]], which is no list of 2 parcels"),
        (AllToAll(3), "rank 0 asks for AllToAll of 3, which is no list of 2 parcels"),  # type: ignore[arg-type]
        (Broadcast(2), "rank 0 asks for Broadcast from 2, no rank of the group"),
        (Broadcast(1, group=[0]), "rank 0 asks for Broadcast from 1, no rank of the group"),
        *(
            (
                REQUESTS["Barrier"](group),
                f"rank 0 asks for Barrier with group {group}, which has to be a list of ranks, each once, 0 among them",
            )
            for group in ([1], [0, 2], [0, 0], [0, "1"], [], 0)
        ),
        (Compute("flops", -1), "rank 0 counts -1 operations as 'flops', which have to be a whole number and a name"),
        (Compute("flops", 0.5), "rank 0 counts 0.5 operations as 'flops', which have to be a whole number and a name"),  # type: ignore[arg-type]
        (Compute(3, 1), "rank 0 counts 1 operations as 3, which have to be a whole number and a name"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_done_is_told(request_made: Any, told: str) -> None:
    with pytest.raises(RankProgramError) as caught:
        run(asking(request_made, None), 2)
    assert str(caught.value) == told


@pytest.mark.parametrize("request_made", [Exchange(1, [], 1), Barrier([0]), Compute("flops", 1), []])
def test_an_endless_program_is_stopped(request_made: Any) -> None:
    def program(rank: int) -> Program:
        while True:
            yield Exchange(1 - rank, [], 1 - rank) if isinstance(request_made, Exchange) else request_made

    with pytest.raises(RankProgramError, match=r"^rank \d makes request 51 of the run: endless\?$"):
        Machine(2, most_requests=50).run([program(0), program(1) if isinstance(request_made, Exchange) else iter_end()])


def iter_end() -> Program:
    yield from ()


def test_what_a_program_raises_is_not_caught() -> None:
    def program(rank: int) -> Program:
        yield Exchange(1 - rank, [], 1 - rank)
        raise NotImplementedError("it is still to be written")

    with pytest.raises(NotImplementedError, match="still to be written"):
        run(program, 2)


def test_a_function_that_yields_nothing_is_no_program() -> None:
    with pytest.raises(RankProgramError, match="rank 1 returns at once: a rank program yields its requests"):
        Machine(2).run([iter_end(), [1, 2]])  # type: ignore[list-item]


def test_what_is_asked_for_can_be_restricted_and_changed() -> None:
    def admit(rank: int, asked: Any) -> Any:
        if isinstance(asked, Barrier):
            raise RankProgramError(f"rank {rank} asks for a barrier")
        return asked._replace(numbers=[2 * number for number in asked.numbers])

    assert run(asking(AllReduce([1]), AllReduce([10])), 2, admit=admit)[0] == ([22], [22])
    with pytest.raises(RankProgramError, match="rank 0 asks for a barrier"):
        run(asking(Barrier(), Barrier()), 2, admit=admit)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Machine(0), "ranks must be an integer of at least 1, got 0"),
        (lambda: Machine(2**16 + 1), "ranks must be at most 65536, got 65537"),
        (lambda: Machine(1, number_bytes=0), "number_bytes must be an integer of at least 1, got 0"),
        (lambda: Machine(1, most_requests=1.5), "most_requests must be an integer of at least 1, got 1.5"),  # type: ignore[arg-type]
        (lambda: Machine(1, admit=3), "admit must be a function, got 3"),  # type: ignore[arg-type]
        (lambda: Machine(2).run([]), "programs must be one for each of 2 ranks, got 0"),
        (lambda: Machine(2).run(3), "programs must be a sequence, got 3"),  # type: ignore[arg-type]
    ],
)
def test_bad_arguments_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
