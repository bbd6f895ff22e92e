"""Costs against published numbers, against TeX, against brute force; and claims that the costs correct."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product
from math import inf, log2
from pathlib import Path
from typing import Any

import pytest
from collective_cases import EVERY
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.collectives.algorithm_costs import (
    CLOSED_FORMS,
    PricedAlgorithm,
    algorithm_cost,
    best_collective_segments,
    collective_lower_bound,
    compare_algorithms,
    crossover_bytes,
    latency_share_half_bytes,
)
from snippets.collectives.costs_and_bounds.bus_bandwidth import (
    algorithm_bandwidth_bytes_per_s,
    bandwidth_bound_s,
    bus_bandwidth_bytes_per_s,
    bus_bandwidth_factor,
)
from snippets.collectives.schedule_cost import Cost
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, largest_power_of_two
from snippets.simulation.double_tree import double_tree_rounds

ROWS = json.loads((Path(__file__).parent / "published_collectives.json").read_text())
NAMES = {
    "allreduce": "all_reduce",
    "reducescatter": "reduce_scatter",
    "reduce-scatter": "reduce_scatter",
    "allgather": "all_gather",
    "alltoall": "all_to_all",
}


def rows(topic: str, start: str = "") -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in ROWS if row["topic"] == topic and row["id"].startswith(start)]


@pytest.mark.parametrize("row", rows("nccl-busbw", "nccl-busbw"))
def test_bus_bandwidth_factors_are_those_of_nccl_tests(row: dict[str, Any]) -> None:
    """NVIDIA nccl-tests, doc/PERFORMANCE.md."""
    name, ranks = row["inputs"]["collective"], row["inputs"]["n"]
    factor = bus_bandwidth_factor(NAMES.get(name, name), ranks=ranks)
    assert factor == pytest.approx(row["expected"]["busbw_over_algbw"], abs=row["tolerance"]["abs"])


def test_nccl_tests_time_and_trees() -> None:
    (row,) = (row for row in ROWS if row["id"] == "nccl-allreduce-time")
    at = row["inputs"]
    time = bandwidth_bound_s("all_reduce", ranks=at["n"], size_bytes=at["S_bytes"], bandwidth_bytes_per_s=at["B"])
    assert time == pytest.approx(row["expected"]["seconds"], rel=1e-9)
    assert bus_bandwidth_bytes_per_s(
        "all_reduce", ranks=at["n"], size_bytes=at["S_bytes"], time_s=time
    ) == pytest.approx(at["B"])
    # NCCL's model of its pipelined double binary tree: algorithm bandwidth is half of the link's, whatever R is
    (row,) = (row for row in ROWS if row["id"] == "nccl-tree-model")
    for ranks in (8, 64, 500):
        tree = algorithm_cost(
            "all_reduce", "double_binary_tree", ranks=ranks, size_bytes=2 * 10**5, element_bytes=1, segments=10**5
        )
        time = tree.time_s(latency_s=0, bandwidth_bytes_per_s=1)
        algorithm = algorithm_bandwidth_bytes_per_s(size_bytes=2 * 10**5, time_s=time)
        assert algorithm == pytest.approx(row["expected"]["algbw_over_bw"], rel=2e-4)


@pytest.mark.parametrize("row", rows("alpha-beta"))
def test_published_costs(row: dict[str, Any]) -> None:
    """Thakur et al. 2005, Rabenseifner 2004, Patarasuk and Yuan 2009. Their β is seconds a byte."""
    name, at = row["id"], row["inputs"]
    (primitive, algorithm) = {
        "ab-allreduce-ring": ("all_reduce", "ring"),
        "ab-allreduce-recursive-doubling": ("all_reduce", "recursive_doubling"),
        "ab-allreduce-rabenseifner": ("all_reduce", "halving_doubling"),
        "ab-allreduce-binomial-reduce-bcast": ("all_reduce", "binomial"),
        "ab-allgather-ring": ("all_gather", "ring"),
        "ab-allgather-recursive-doubling": ("all_gather", "recursive_doubling"),
        "ab-reducescatter-recursive-halving": ("reduce_scatter", "recursive_halving"),
        "ab-broadcast-binomial": ("broadcast", "binomial"),
        "ab-broadcast-scatter-allgather": ("broadcast", "scatter_all_gather"),
        "ab-alltoall-pairwise": ("all_to_all", "pairwise"),
        "ab-alltoall-bruck": ("all_to_all", "bruck"),
    }[re.sub(r"-p\d+-n\d+$", "", name)]
    ranks, length = at["p"], int(at["n_bytes"])
    found = algorithm_cost(primitive, algorithm, ranks=ranks, size_bytes=length, element_bytes=1).time_s(
        latency_s=at["alpha_s"],
        bandwidth_bytes_per_s=1 / at["beta_s_per_byte"],
        reduction_s_per_byte=at["gamma_s_per_byte"],
    )
    if (primitive, algorithm) == ("all_to_all", "pairwise"):
        # the source counts all n bytes, also the block that a rank keeps; this one is not sent
        found += length / ranks * at["beta_s_per_byte"]
    assert found == pytest.approx(row["expected"]["seconds"], rel=row["tolerance"]["rel"])


@pytest.mark.parametrize("row", rows("collective-lower-bound"))
@pytest.mark.parametrize("ranks", [2, 3, 8, 9, 1000])
def test_published_lower_bounds(row: dict[str, Any], ranks: int) -> None:
    """Chan et al. 2007, Table I."""
    length = 12 * ranks
    log = next(k for k in range(20) if 2**k >= ranks)
    share = (ranks - 1) * length // ranks
    terms = {
        "ceil(lg p) a": log,
        "n b": length,
        "((p-1)/p) n b": share,
        "2((p-1)/p) n b": 2 * share,
        "((p-1)/p) n g": share,
        None: 0,
    }
    wanted = Cost(*(terms[row["expected"][part]] for part in ("latency", "bandwidth", "compute")))
    for name in row["inputs"]["collective"].split("/"):
        primitive = NAMES.get(name, name)
        assert collective_lower_bound(primitive, ranks=ranks, size_bytes=length, element_bytes=1) == wanted
        assert wanted.wire_bytes == pytest.approx(bus_bandwidth_factor(primitive, ranks=ranks) * length, rel=1e-15)


@pytest.mark.parametrize(("root", "steps"), [(0, 1), (1, 1), (2, 2), (4, 2)])
def test_few_elements_concern_few_ranks(root: int, steps: int) -> None:
    """Of 5 ranks only 0 and 1 have one of 2 elements: the root joins them or is one of them."""
    for primitive in ("scatter", "gather"):
        assert collective_lower_bound(primitive, ranks=5, size_bytes=2, element_bytes=1, root=root).steps == steps


def value_of(tex: str, ranks: int, length: int, segments: int) -> Fraction:
    """Compute a closed form from its TeX."""
    text = (
        tex.replace(r"\lceil \log_2 R \rceil", "L").replace(r"\log_2 R", "L").replace("S_1", "D")
    )  # for powers of two, where it stands
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
    tokens = re.findall(r"\d+|[A-Za-z]|[-+/()]", text)
    assert "".join(tokens) == text.replace(" ", "")
    code = ""
    for before, token in zip(["+", *tokens], tokens, strict=False):
        operand = token.isalnum() or token == "("
        code += ("*" if operand and (before.isalnum() or before == ")") else "") + (
            f"Fraction({token})" if token.isdigit() else token
        )
    symbols = {
        "R": Fraction(ranks),
        "n": Fraction(length),
        "K": Fraction(segments),
        "L": Fraction((ranks - 1).bit_length()),
        "D": Fraction(double_tree_rounds(ranks=ranks, segments=1)),
        "Fraction": Fraction,
    }
    return Fraction(eval(code, {"__builtins__": {}}, symbols))


@pytest.mark.parametrize("key", EVERY)
@given(ranks=st.integers(1, 33), times=st.integers(0, 3), segments=st.integers(1, 5))
@settings(max_examples=examples(25), deadline=None)
def test_the_tex_says_what_the_function_computes(key: tuple[str, str], ranks: int, times: int, segments: int) -> None:
    form = CLOSED_FORMS[key]
    if form.ranks == "a power of two":
        ranks = largest_power_of_two(ranks)
    elif form.ranks == "2 or more":
        ranks += 1
    segments = segments if key[1] in PIPELINED else 1
    length = 0 if key[0] == "barrier" else 2 * ranks * segments * times
    found = algorithm_cost(*key, ranks=ranks, size_bytes=length, element_bytes=1, segments=segments)
    assert found.steps == value_of(form.steps, ranks, length, segments)
    assert found.wire_bytes == value_of(form.wire, ranks, length, segments)
    assert found.reduced_bytes == value_of(form.reduced, ranks, length, segments)


def test_there_is_a_closed_form_for_every_algorithm() -> None:
    assert list(CLOSED_FORMS) == EVERY


MACHINE: dict[str, Any] = {"latency_s": 1e-5, "bandwidth_bytes_per_s": 25e9, "reduction_s_per_byte": 1e-12}


@pytest.mark.parametrize("primitive", [name for name in ALGORITHMS if name != "barrier"])
@pytest.mark.parametrize("ranks", [2, 7, 16])
def test_times_cross_where_the_crossover_says(primitive: str, ranks: int) -> None:
    for first, second in product(ALGORITHMS[primitive], repeat=2):
        blocks = {name: 4 if name in PIPELINED else 1 for name in (first, second)}
        size = crossover_bytes(primitive, first, second, ranks=ranks, segments=4, **MACHINE)
        assert size == crossover_bytes(primitive, second, first, ranks=ranks, segments=4, **MACHINE)
        unit = 8 * ranks * largest_power_of_two(ranks)

        def gap(length: int, names: tuple[str, str] = (first, second), blocks: dict[str, int] = blocks) -> float:
            one, other = (
                algorithm_cost(
                    primitive, name, ranks=ranks, size_bytes=length, element_bytes=1, segments=blocks[name]
                ).time_s(**MACHINE)
                for name in names
            )
            return (one - other) / other

        small, large = gap(0), gap(unit * 10**12)
        if size is None:
            # one of the two is never the slower one
            assert (small >= -1e-12 and large >= -1e-12) or (small <= 1e-12 and large <= 1e-12)
        else:
            assert small * large < 0
            near = max(1, round(size / unit)) * unit
            assert abs(gap(near)) <= 1.5 * unit / size + 1e-9


def test_crossovers_that_one_can_derive_by_hand() -> None:
    at: dict[str, Any] = {"ranks": 8, "latency_s": 1e-5, "bandwidth_bytes_per_s": 25e9}
    # (2·7 − 3)α = (3 − 7/4) n/β
    assert crossover_bytes("all_reduce", "ring", "recursive_doubling", **at) == pytest.approx(11 * 2.5e5 / 1.25)
    assert crossover_bytes("all_reduce", "ring", "halving_doubling", **at) is None
    assert crossover_bytes("all_reduce", "ring", "ring", **at) is None
    assert crossover_bytes("all_reduce", "ring", "flat", ranks=8, latency_s=0, bandwidth_bytes_per_s=1) is None


def test_a_ring_waits_as_long_as_it_moves_at_n_alpha_beta() -> None:
    for ranks in (2, 17, 256):
        half = latency_share_half_bytes("all_reduce", "ring", ranks=ranks, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
        assert half == pytest.approx(ranks * 5e-6 * 50e9)
    with_gamma = latency_share_half_bytes(
        "all_reduce", "ring", ranks=4, latency_s=1, bandwidth_bytes_per_s=1, reduction_s_per_byte=2
    )
    assert with_gamma == 6 / (1.5 + 2 * 0.75)


@pytest.mark.parametrize("key", [key for key in EVERY if key[1] in PIPELINED])
@pytest.mark.parametrize("gamma", [0.0, 3e-11])
@pytest.mark.parametrize(("ranks", "latency"), [(3, 1e-5), (9, 1e-6), (40, 2e-6), (40, 1e-3)])
def test_the_best_number_of_blocks_is_the_best(key: tuple[str, str], gamma: float, ranks: int, latency: float) -> None:
    machine: dict[str, Any] = {"latency_s": latency, "bandwidth_bytes_per_s": 25e9, "reduction_s_per_byte": gamma}
    length = 2_000_000

    def time(blocks: int) -> float:
        return algorithm_cost(*key, ranks=ranks, size_bytes=length * 4, segments=blocks, element_bytes=4).time_s(
            **machine
        )

    best = best_collective_segments(*key, ranks=ranks, size_bytes=length * 4, element_bytes=4, **machine)
    # blocks of one element more or less shift a block's time by 1e-4 at most
    assert time(best) <= 1.0002 * min(map(time, range(1, 3 * best + 10)))


def test_the_best_number_of_blocks_at_the_edges() -> None:
    quick: dict[str, Any] = {"latency_s": 0.0, "bandwidth_bytes_per_s": 1e9}
    assert best_collective_segments("broadcast", "chain", ranks=5, size_bytes=77, element_bytes=1, **quick) == 77
    assert (
        best_collective_segments("broadcast", "double_binary_tree", ranks=5, size_bytes=77, element_bytes=1, **quick)
        == 38
    )
    slow: dict[str, Any] = {"latency_s": 1.0, "bandwidth_bytes_per_s": 1e9}
    assert best_collective_segments("broadcast", "chain", ranks=5, size_bytes=77, element_bytes=1, **slow) == 1
    for ranks in (1, 2):
        assert best_collective_segments("broadcast", "chain", ranks=ranks, size_bytes=77, element_bytes=1, **quick) == 1
        assert (
            best_collective_segments(
                "all_reduce", "double_binary_tree", ranks=ranks, size_bytes=77, element_bytes=1, **quick
            )
            == 1
        )
    assert best_collective_segments("broadcast", "chain", ranks=5, size_bytes=0, element_bytes=1, **quick) == 1
    # K* = √((R − 2) n/(αβ)) = √(3 · 1200) = 60
    assert (
        best_collective_segments(
            "broadcast", "chain", ranks=5, size_bytes=1200, element_bytes=1, latency_s=1, bandwidth_bytes_per_s=1
        )
        == 60
    )


@given(
    primitive=st.sampled_from(list(ALGORITHMS)),
    ranks=st.integers(1, 20),
    length=st.integers(0, 10**7),
    alpha=st.floats(1e-7, 1e-3),
    gamma=st.sampled_from([0.0, 1e-11]),
)
@settings(max_examples=examples(60), deadline=None)
def test_the_comparison_is_sorted_and_nobody_beats_the_bound(
    primitive: str, ranks: int, length: int, alpha: float, gamma: float
) -> None:
    length = 0 if primitive == "barrier" else length
    machine: dict[str, Any] = {"latency_s": alpha, "bandwidth_bytes_per_s": 1e10, "reduction_s_per_byte": gamma}
    choices = compare_algorithms(primitive, ranks=ranks, size_bytes=length * 2, element_bytes=2, **machine)
    assert sorted(choice.algorithm for choice in choices) == sorted(ALGORITHMS[primitive])
    assert [choice.time_s for choice in choices] == sorted(choice.time_s for choice in choices)
    for choice in choices:
        assert choice.terms == algorithm_cost(
            primitive, choice.algorithm, ranks=ranks, size_bytes=length * 2, element_bytes=2, segments=choice.segments
        )
        assert choice.distance >= 1
    only = compare_algorithms(
        primitive, ranks=ranks, size_bytes=length * 2, element_bytes=2, algorithms=[choices[-1].algorithm], **machine
    )
    assert only == choices[-1:]


def test_distances_where_the_bound_is_nothing() -> None:
    assert PricedAlgorithm("ring", 1, Cost(0, 0, 0), 0.0, 0.0).distance == 1
    assert PricedAlgorithm("ring", 1, Cost(1, 0, 0), 1.0, 0.0).distance == inf


# Often said, and wrong (the numbers are those of the corrections page).


def test_correction_1_the_two_in_a_ring_is_two_phases() -> None:
    for phase in ("reduce_scatter", "all_gather"):
        counted = collective_traffic(phase, "ring", ranks=8, size_bytes=800, element_bytes=1)
        assert set(counted.sent_bytes) == set(counted.received_bytes) == {700}
    assert set(collective_traffic("all_reduce", "ring", ranks=8, size_bytes=800, element_bytes=1).sent_bytes) == {
        2 * 700
    }


def test_correction_14_a_ring_of_a100_takes_82_ms_at_best() -> None:
    ring = algorithm_cost("all_reduce", "ring", ranks=8, size_bytes=14 * 10**9, element_bytes=1)
    each_way = ring.time_s(latency_s=0, bandwidth_bytes_per_s=300e9)
    assert each_way == pytest.approx(0.0817, abs=5e-5)
    assert ring.time_s(latency_s=0, bandwidth_bytes_per_s=600e9) == pytest.approx(0.0408, abs=5e-5)
    bound = bandwidth_bound_s("all_reduce", ranks=8, size_bytes=14e9, bandwidth_bytes_per_s=300e9)
    assert each_way == pytest.approx(bound, rel=1e-15)


def test_correction_23_reduction_in_the_network_beats_the_bus_bandwidth() -> None:
    # a switch that adds lets every rank send n and receive n: n/β for an all-reduce
    link, size = 50e9, 1e9
    assert bus_bandwidth_bytes_per_s("all_reduce", ranks=64, size_bytes=size, time_s=size / link) > 1.9 * link


def test_correction_24_below_a_size_the_ring_is_not_best() -> None:
    size = crossover_bytes("all_reduce", "ring", "binomial", ranks=256, latency_s=5e-6, bandwidth_bytes_per_s=50e9)
    assert size is not None
    for length, faster in ((size / 2, "binomial"), (2 * size, "ring")):
        first, *_ = compare_algorithms(
            "all_reduce",
            ranks=256,
            size_bytes=int(length),
            element_bytes=1,
            latency_s=5e-6,
            bandwidth_bytes_per_s=50e9,
            algorithms=["ring", "binomial"],
        )
        assert first.algorithm == faster


def test_correction_29_a_ring_meets_the_bound_of_both_directions() -> None:
    for ranks in (2, 3, 8, 100):
        counted = collective_traffic("all_reduce", "ring", ranks=ranks, size_bytes=10 * ranks, element_bytes=1)
        bound = collective_lower_bound("all_reduce", ranks=ranks, size_bytes=10 * ranks, element_bytes=1).wire_bytes
        assert set(counted.sent_bytes) == set(counted.received_bytes) == {bound} == {20 * (ranks - 1)}


def test_correction_30_a_tree_needs_twice_the_steps_of_the_bound() -> None:
    for ranks in (4, 64, 1024):
        bound = collective_lower_bound("all_reduce", ranks=ranks, size_bytes=1, element_bytes=1).steps
        assert bound == log2(ranks)
        assert algorithm_cost("all_reduce", "binomial", ranks=ranks, size_bytes=1, element_bytes=1).steps == 2 * bound
        assert (
            algorithm_cost("all_reduce", "recursive_doubling", ranks=ranks, size_bytes=1, element_bytes=1).steps
            == bound
        )


def test_correction_32_an_all_to_all_moves_one_nth_of_an_all_gather() -> None:
    for ranks in (2, 8, 64):
        buffer = 5 * ranks
        exchanged = collective_traffic("all_to_all", "pairwise", ranks=ranks, size_bytes=buffer, element_bytes=1)
        gathered = collective_traffic(
            "all_gather", "ring", ranks=ranks, size_bytes=ranks * buffer, element_bytes=1
        )  # every rank brings such a buffer
        assert [ranks * sent for sent in exchanged.sent_bytes] == list(gathered.sent_bytes)
