"""What is wrong with a collective's arguments is said in so many words; ``tests/test_bad_input.py`` walks over all."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snippets import all_reduce as all_reduce_formulas
from snippets.collectives import algorithm_costs, schedule_cost, traffic
from snippets.collectives.costs_and_bounds import bus_bandwidth
from snippets.foundations.alpha_beta import formulas as alpha_beta
from snippets.foundations.alpha_beta.fit import fit_alpha_beta
from snippets.simulation import algorithms, checker, schedule
from snippets.simulation.runner import run
from snippets.simulation.schedule import Schedule, ScheduledSend

RING = algorithms.build_collective("all_reduce", "ring", ranks=3, length=6)
ARRAYS = [np.arange(6) + rank for rank in range(3)]
MACHINE: dict[str, Any] = {"latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9}
SIZES: dict[str, Any] = {"ranks": 4, "size_bytes": 10}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: algorithms.build_collective("all_reduce", "ring", ranks=4, length=4, root=1),
            "root must be 0 for all_reduce",
        ),
        (
            lambda: algorithms.build_collective("broadcast", "flat", ranks=4, length=4, root=4),
            "root must be an integer from 0 to 3",
        ),
        (lambda: algorithms.build_collective("barrier", "flat", ranks=4, length=1), "length must be 0 for a barrier"),
        (
            lambda: algorithms.build_collective("broadcast", "flat", ranks=4, length=4, segments=2),
            "segments must be 1 for flat",
        ),
        (
            lambda: algorithms.build_collective("broadcast", "ring", ranks=4, length=4),
            "algorithm must be one of 'flat', 'binomial'",
        ),
        (
            lambda: algorithm_costs.algorithm_cost("barrier", "flat", ranks=4, size_bytes=2),
            "size_bytes must be 0 for a barrier",
        ),
        (lambda: Schedule("barrier", "by hand", 4, 1, ()), "length must be 0 for a barrier"),
        (
            lambda: algorithm_costs.algorithm_cost("gather", "flat", ranks=4, size_bytes=4, root=9),
            "root must be an integer from 0 to 3",
        ),
        (
            lambda: traffic.collective_traffic("barrier", "flat", ranks=4, size_bytes=2),
            "size_bytes must be 0 for a barrier",
        ),
        (
            lambda: traffic.collective_traffic("all_reduce", "ring", ranks=4, size_bytes=7),
            "multiple of element_bytes = 2, got 7",
        ),
        (
            lambda: all_reduce_formulas.halving_doubling_all_reduce_bytes(ranks=96, size_bytes=1e9),
            "ranks must be a power of two .*, got 96",
        ),
        (
            lambda: all_reduce_formulas.double_tree_all_reduce_bytes(ranks=1, size_bytes=1e9, segments=4),
            "ranks must be an integer of at least 2, got 1",
        ),
        (
            lambda: algorithms.build_collective("all_reduce", "rings", ranks=4, length=4),
            "one of .*'ring', .*got 'rings'",
        ),
        (lambda: bus_bandwidth.bus_bandwidth_factor("barrier", ranks=4), "primitive must be one of 'broadcast'"),
        (
            lambda: algorithm_costs.latency_share_half_bytes("reduce", "flat", ranks=1, **MACHINE),
            "ranks must be an integer of at",
        ),
        (
            lambda: algorithm_costs.best_collective_segments("scatter", "chain", **SIZES, **MACHINE),
            "primitive must be one of 'broadcast', 'reduce'",
        ),
        (
            lambda: algorithm_costs.compare_algorithms("reduce", **SIZES, **MACHINE, algorithms=["ring"]),
            "algorithms must be one",
        ),
        (
            lambda: algorithm_costs.compare_algorithms("reduce", **SIZES, **MACHINE, algorithms=()),
            "at least one algorithm",
        ),
        (
            lambda: alpha_beta.best_buckets(total_bytes=1, compute_s=1, latency_s=0, bandwidth_bytes_per_s=1),
            "latency_s",
        ),
        (lambda: alpha_beta.size_for_efficiency_bytes(efficiency=1, **MACHINE), "efficiency must be a number from 0"),
        (lambda: alpha_beta.half_bandwidth_bytes(latency_s=1e300, bandwidth_bytes_per_s=1e300), "latency_s"),
        (lambda: schedule.adjoint_schedule(RING), "schedule must be of one of broadcast"),
        (
            lambda: checker.contributions(algorithms.build_collective("barrier", "flat", ranks=2, length=0)),
            "got a barrier",
        ),
        (lambda: RING.input_ranges(3), "rank must be an integer from 0 to 2"),
        (lambda: RING.output_ranges(-1), "rank must be"),
        (lambda: run(RING, ARRAYS[:2]), "inputs must be one array for each of 3 ranks, got 2"),
        (lambda: run(RING, [*ARRAYS[:2], np.arange(5)]), r"inputs\[2\] must have shape \(6,\), got \(5,\)"),
        (lambda: run(RING, [a.reshape(2, 3) for a in ARRAYS]), r"inputs\[0\] must have shape \(6,\)"),
        (
            lambda: run(RING, [a.astype(np.float32 if a[0] else int) for a in ARRAYS]),
            r"inputs\[1\] must hold numbers of",
        ),
        (lambda: run(RING, [np.array(["a"] * 6)] * 3), r"inputs\[0\] must hold numbers"),
        (lambda: run(RING, [np.array([True] * 6)] * 3), r"inputs\[0\] must hold numbers"),
        (lambda: run(RING, [np.ones(6, complex)] * 3, combination="max"), r"inputs\[0\] must hold numbers"),
        (lambda: run(Schedule("broadcast", "x", 2, 1, ()), [[1], []]), "schedule must do a broadcast: end: rank 1"),
        (lambda: fit_alpha_beta([1, 2], [1.0, 2.0]), "of one length of at least 3, got 2 and 2"),
        (lambda: fit_alpha_beta([1, 2, 3], [1.0, 2.0]), "of one length of at least 3, got 3 and 2"),
        (lambda: fit_alpha_beta([1, 1, 1], [1.0, 2.0, 3.0]), "sizes_bytes must be at least 0 and not all the same"),
        (lambda: fit_alpha_beta([-1, 1, 2], [1.0, 2.0, 3.0]), "sizes_bytes must be at least 0"),
        (lambda: fit_alpha_beta([1, 2, 3], [1.0, 0.0, 3.0]), "times_s must be above 0"),
        (lambda: fit_alpha_beta([1, 2, 3], [3.0, 2.0, 1.0]), "times_s must grow with sizes_bytes"),
        (lambda: fit_alpha_beta([1, 2, 3], [1.0, math.nan, 3.0]), "times_s must be a one-dimensional array of finite"),
        (lambda: fit_alpha_beta([[1, 2, 3]], [1.0, 2.0, 3.0]), "sizes_bytes must be a one-dimensional array"),
    ],
)
def test_what_is_wrong_is_said(call: Callable[[], Any], told: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=told):
            call()


@pytest.mark.parametrize(
    ("send", "told"),
    [
        (ScheduledSend(0, 4, ((0, 1),), False), "between ranks 0 to 3"),
        (ScheduledSend(-1, 0, ((0, 1),), False), "between ranks 0 to 3"),
        (ScheduledSend(0, 1.0, ((0, 1),), False), "between ranks 0 to 3"),  # type: ignore[arg-type]
        (ScheduledSend(1, 1, ((0, 1),), False), "between two ranks"),
        (ScheduledSend(0, 1, ((0, 1),), 1), "combine is True or False"),  # type: ignore[arg-type]
        (ScheduledSend(0, 1, [(0, 1)], False), "ranges are a tuple"),  # type: ignore[arg-type]
        (ScheduledSend(0, 1, ((0, 11),), False), "ascending ranges within 0 to 10"),
        (ScheduledSend(0, 1, ((3, 3),), False), "ascending ranges"),
        (ScheduledSend(0, 1, ((4, 3),), False), "ascending ranges"),
        (ScheduledSend(0, 1, ((4, 6), (5, 7)), False), "ascending ranges"),
        (ScheduledSend(0, 1, ((-1, 2),), False), "ascending ranges"),
        (ScheduledSend(0, 1, ((0, 1, 2),), False), "ascending ranges"),  # type: ignore[arg-type]
        ((0, 1, ((0, 1),), False), "must hold sends"),
    ],
)
def test_an_impossible_message_is_refused_with_its_round(send: Any, told: str) -> None:
    with pytest.raises(ValueError, match=rf"^rounds\[1\] must hold sends.*{told}|^rounds\[1\] {told}"):
        Schedule("broadcast", "by hand", 4, 10, ((), (send,)))


def test_costs_add_only_to_costs() -> None:
    with pytest.raises(TypeError):
        schedule_cost.Cost(1, 1, 1) + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        traffic.Traffic((1,), (1,)) + 1  # type: ignore[operator]
