"""The laws of chapter 12: adjoints, compositions, and what the order of a float sum changes."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from collective_cases import WITH_DATA, Arrays, Sizes, inputs_and_outputs, schedule_of, sizes
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, build_collective
from snippets.simulation.checker import find_collective_faults
from snippets.simulation.runner import run
from snippets.simulation.schedule import Schedule, ScheduledSend, adjoint_schedule

EXAMPLES = settings(max_examples=examples(25), deadline=None)
PAIRS = {
    "broadcast": "reduce",
    "reduce": "broadcast",
    "scatter": "gather",
    "gather": "scatter",
    "all_gather": "reduce_scatter",
    "reduce_scatter": "all_gather",
}
REVERSIBLE = [key for key in WITH_DATA if key[0] in PAIRS]


def inner(some: Any, others: Any) -> int:
    return sum(int(a @ b) for a, b in zip(some, others, strict=True))


def random_arrays(shapes_of: Any, seed: int) -> Arrays:
    random = np.random.default_rng(seed)
    return [random.integers(-99, 99, len(values)) for values in shapes_of]


@pytest.mark.parametrize(("primitive", "algorithm"), REVERSIBLE)
@EXAMPLES
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_reversed_schedule_is_the_adjoint_map(
    primitive: str, algorithm: str, data: st.DataObject, seed: int
) -> None:
    at = data.draw(sizes(primitive, algorithm))
    forward = schedule_of(primitive, algorithm, at)
    backward = adjoint_schedule(forward)
    assert backward.primitive == PAIRS[primitive]
    assert backward.algorithm in ALGORITHMS[backward.primitive]
    assert find_collective_faults(backward) == ()
    x, image = inputs_and_outputs(primitive, at, seed)
    y = random_arrays(image, seed + 1)
    assert inner(run(forward, x).outputs, y) == inner(x, run(backward, y).outputs)
    again = adjoint_schedule(backward)
    assert (again.primitive, again.algorithm) == (primitive, algorithm)
    assert [sorted(sends) for sends in again.rounds] == [sorted(sends) for sends in forward.rounds]


@pytest.mark.parametrize(
    ("primitive", "algorithm"), [key for key in WITH_DATA if key[0] in ("all_reduce", "all_to_all")]
)
@EXAMPLES
@given(ranks=st.integers(1, 9), chunk=st.integers(0, 4), seed=st.integers(0, 2**32))
def test_all_reduce_and_all_to_all_are_their_own_adjoints(
    primitive: str, algorithm: str, ranks: int, chunk: int, seed: int
) -> None:
    schedule = build_collective(primitive, algorithm, ranks=ranks, length=ranks * chunk)
    x, image = inputs_and_outputs(primitive, Sizes(ranks, ranks * chunk), seed)
    y = random_arrays(image, seed + 1)
    assert inner(run(schedule, x).outputs, y) == inner(x, run(schedule, y).outputs)


@EXAMPLES
@given(data=st.data(), ranks=st.integers(1, 9), length=st.integers(0, 30), seed=st.integers(0, 2**32))
def test_primitives_compose(data: st.DataObject, ranks: int, length: int, seed: int) -> None:
    def apply(primitive: str, arrays: Any) -> tuple[Any, ...]:
        algorithm = data.draw(st.sampled_from(ALGORITHMS[primitive]))
        segments = data.draw(st.integers(1, 4)) if algorithm in PIPELINED else 1
        return run(
            build_collective(primitive, algorithm, ranks=ranks, length=length, segments=segments), arrays
        ).outputs

    def same(some: Any, others: Any) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))

    vectors, total = inputs_and_outputs("all_reduce", Sizes(ranks, length), seed)
    assert same(apply("all_gather", apply("reduce_scatter", vectors)), total)
    assert same(apply("broadcast", apply("reduce", vectors)), total)
    assert same(apply("gather", apply("reduce_scatter", vectors)), apply("reduce", vectors))
    assert same(apply("scatter", apply("reduce", vectors)), apply("reduce_scatter", vectors))
    received = apply("all_to_all", vectors)
    assert same([a.reshape(ranks, -1).sum(axis=0) if a.size else a for a in received], apply("reduce_scatter", vectors))
    root, everywhere = inputs_and_outputs("broadcast", Sizes(ranks, length), seed)
    assert same(apply("all_gather", apply("scatter", root)), everywhere)
    chunks = apply("scatter", root)
    assert same(apply("broadcast", apply("gather", chunks)), apply("all_gather", chunks))


@pytest.mark.parametrize("combination", ["product", "max", "min"])
@EXAMPLES
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_other_combinations_reduce_too(combination: str, data: st.DataObject, seed: int) -> None:
    primitive, algorithm = data.draw(st.sampled_from([key for key in WITH_DATA if key[0] == "all_reduce"]))
    at = data.draw(sizes(primitive, algorithm, 8))
    vectors, _ = inputs_and_outputs(primitive, at, seed)
    vectors = [values % 7 - 3 for values in vectors]
    reduce: Any = {"product": np.prod, "max": np.max, "min": np.min}[combination]
    for got in run(schedule_of(primitive, algorithm, at), vectors, combination=combination).outputs:
        assert np.array_equal(got, reduce(vectors, axis=0))


def test_integers_agree_exactly_and_floats_only_to_rounding() -> None:
    ranks, length = 12, 1000
    random = np.random.default_rng(5)
    floats = [random.standard_normal(length).astype(np.float32) for _ in range(ranks)]
    exact = np.sum([values.astype(np.float64) for values in floats], axis=0)
    size = np.sum([np.abs(values) for values in floats], axis=0)
    results = {}
    for algorithm in ALGORITHMS["all_reduce"]:
        schedule = build_collective("all_reduce", algorithm, ranks=ranks, length=length)
        first, again = run(schedule, floats).outputs, run(schedule, floats).outputs
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))  # the same bits every time
        # whoever adds, all ranks end with the same bits: a sum is made once and copied, or made alike on both sides
        assert all(np.array_equal(values, first[0]) for values in first)
        assert np.all(np.abs(first[0] - exact) <= (ranks - 1) * 2**-24 * size * 1.01)
        results[algorithm] = first[0].tobytes()
    assert results["flat"] != results["ring"] != results["recursive_doubling"] != results["flat"]
    assert len(set(results.values())) >= 4


def test_overflow_is_as_silent_as_in_hardware() -> None:
    pair = build_collective("all_reduce", "ring", ranks=2, length=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        large = run(pair, [np.full(2, 3e38, np.float32)] * 2).outputs[0]
        wrapped = run(pair, [np.full(2, 100, np.int8)] * 2).outputs[0]
        lost = run(pair, [np.array([np.inf, 1]), np.array([-np.inf, 2])]).outputs[1]
    assert np.isinf(large).all()
    assert wrapped.tolist() == [-56, -56]
    assert np.isnan(lost[0])
    assert lost[1] == 3
    assert run(pair, [[1j, 2], [3, 4j]]).outputs[0].tolist() == [3 + 1j, 2 + 4j]


def test_a_tile_boundary_changes_nothing() -> None:
    """Arrays longer than a tile, in rounds that overwrite what they read."""
    random = np.random.default_rng(3)
    vectors = [random.integers(-9, 9, 70_001) for _ in range(3)]
    for algorithm in ("recursive_doubling", "ring"):
        done = run(build_collective("all_reduce", algorithm, ranks=3, length=70_001), vectors)
        assert all(np.array_equal(values, np.sum(vectors, axis=0)) for values in done.outputs)
        assert sum(done.account.sent_bytes) == 8 * sum(
            send.elements
            for sends in build_collective("all_reduce", algorithm, ranks=3, length=70_001).rounds
            for send in sends
        )


def test_a_ring_holds_its_input_and_its_output_and_little_more() -> None:
    vectors = [np.full(1 << 19, rank, np.float32) for rank in range(16)]
    schedule = build_collective("all_reduce", "ring", ranks=16, length=1 << 19)
    tracemalloc.start()
    run(schedule, vectors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 1.1 * sum(values.nbytes for values in vectors)  # the input itself was there before


def test_several_messages_of_a_round_are_delivered_in_order() -> None:
    fan = Schedule("reduce", "at once", 3, 2, (tuple(ScheduledSend(r, 0, ((0, 2),), True) for r in (1, 2)),))
    done = run(fan, [np.array([1.0, 1e16]), np.array([2.0, 1.0]), np.array([4.0, 1.0])])
    assert done.outputs[0].tolist() == [7.0, 1e16]
    assert done.account.received_messages == (2, 0, 0)
    assert done.account.link_bytes == {(1, 0): 16, (2, 0): 16}
    assert done.account.messages[1] == (1, 2, 0, 16, "reduce")
    assert done.account.operations == {"reduction_flops": (4, 0, 0)}


def test_outputs_are_the_callers_own() -> None:
    x = np.arange(6)
    done = run(build_collective("all_reduce", "ring", ranks=1, length=6), [x])
    done.outputs[0][:] = 0
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    sent = run(build_collective("scatter", "binomial", ranks=3, length=6), [x, [], []]).outputs
    sent[0][:] = 9
    assert [values.tolist() for values in sent[1:]] == [[2, 3], [4, 5]]


def test_an_adjoint_that_would_add_and_copy_at_once_is_refused() -> None:
    some, whole = ((0, 1),), ((0, 2),)
    twice = ((ScheduledSend(0, 1, some, False),), (ScheduledSend(0, 1, whole, False),))
    mixed = (
        (ScheduledSend(0, 1, whole, False),),
        (ScheduledSend(1, 2, whole, False),),
        (ScheduledSend(0, 1, some, False),),
    )
    for rounds in (twice, mixed):
        with pytest.raises(ValueError, match="must not send a rank what it holds"):
            adjoint_schedule(Schedule("broadcast", "some of it twice", 3, 2, rounds))
