"""Compression: bytes, errors and times against arrays that are rounded, sent and added up on the simulated machine."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

from snippets.composition.sharded_waiting import sharded_micro_batch_wait_s
from snippets.efficiency.compression import formulas
from snippets.efficiency.compression.compressors import (
    largest_elements,
    quantise_in_blocks,
    signs_of,
    thin_factors,
)
from snippets.efficiency.compression.formulas import (
    REDUCTION_WAYS,
    block_quantised_element_bytes,
    block_rounding_error,
    compressed_layer_clocks,
    compression_break_even_bytes_per_s,
    error_feedback_bound,
    float_rounding_error,
    gaussian_top_share,
    hidden_element_bytes,
    low_rank_elements,
    node_copy_wait_s,
    node_leaving_reduction_bytes,
    one_shot_quantised_error,
    qsgd_variance_bound,
    ring_requantised_error,
    sparse_all_gather_bytes,
    sparse_break_even_ranks,
    two_hop_quantised_error,
    two_hop_reduction_s,
    warmup_volume_reduction,
)
from snippets.efficiency.compression.programs import (
    run_rounded_reduction,
    run_three_ranks,
    three_rank_gradient,
)
from snippets.memory.zero.unit_overlap import overlapped_units
from snippets.simulation.machine import AllGather, AllReduce, Machine, Program
from tests.efficiency.compression.lockstep import lockstep_s


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@pytest.mark.parametrize("bits", [4, 6, 8])
@pytest.mark.parametrize("stochastic", [False, True])
def test_the_error_of_a_block_is_what_rounding_arrays_does(bits: int, stochastic: bool) -> None:
    rng = np.random.default_rng(30)
    block = 256
    values = rng.normal(size=block * 400)
    peaks = np.abs(values.reshape(-1, block)).max(axis=1)
    got = quantise_in_blocks(values, bits=bits, block=block, generator=rng if stochastic else None).restored()
    said = block_rounding_error(bits=bits, peak=rms(peaks) / rms(values), stochastic=stochastic)
    assert rms(got - values) / rms(values) == pytest.approx(said, rel=0.03)


def test_random_rounding_is_right_on_average_and_rounding_to_the_nearest_is_not() -> None:
    values = np.array([0.1, -0.3, 0.004, 1.0])
    rng = np.random.default_rng(3)
    drawn = [quantise_in_blocks(values, bits=3, block=4, generator=rng).restored() for _ in range(20_000)]
    assert np.abs(np.mean(drawn, axis=0) - values).max() < 0.01
    assert quantise_in_blocks(values, bits=3, block=4).restored()[2] == 0


def test_bytes_of_an_element_are_those_of_the_arrays_that_are_sent() -> None:
    for block in (1, 32, 256):
        sent = quantise_in_blocks(np.ones(block * 8), bits=8, block=block)
        size = (sent.integers.nbytes + sent.scales.nbytes) / sent.integers.size
        assert block_quantised_element_bytes(bits=8, block=block) == size


def test_a_block_that_is_not_full_and_one_of_zeros_come_back() -> None:
    assert quantise_in_blocks([0.0, 0.0, 5.0], bits=8, block=2).restored() == pytest.approx([0, 0, 5])
    assert quantise_in_blocks([], bits=8, block=4).restored().size == 0


FORMULA = {
    "ring": lambda ε, R, inside: ring_requantised_error(rounding_error=ε, ranks=R),
    "one-shot": lambda ε, R, inside: one_shot_quantised_error(rounding_error=ε, ranks=R),
    "two-hop": lambda ε, R, inside: two_hop_quantised_error(rounding_error=ε, ranks=R, node_ranks=inside),
}


@pytest.mark.parametrize("way", REDUCTION_WAYS)
@pytest.mark.parametrize(("ranks", "inside"), [(2, 1), (8, 4), (16, 4), (32, 8)])
def test_errors_and_bytes_of_reductions_on_the_machine(way: str, ranks: int, inside: int) -> None:
    block, each = 64, 8
    arrays = np.random.default_rng(ranks).normal(size=(ranks, ranks * block * each))
    run = run_rounded_reduction(arrays, way=way, bits=8, block=block, node_ranks=inside)
    exact = arrays.sum(axis=0)
    one = quantise_in_blocks(arrays[0], bits=8, block=block).restored() - arrays[0]
    ε = rms(one) / rms(arrays[0])
    assert rms(run.shares - exact) / rms(exact) == pytest.approx(FORMULA[way](ε, ranks, inside), rel=0.08)
    size = arrays.shape[1] * block_quantised_element_bytes(bits=8, block=block)
    said = node_leaving_reduction_bytes(way, size_bytes=size, ranks=ranks, node_ranks=inside)
    assert run.node_leaving_bytes == pytest.approx([said] * (ranks // inside))


def test_a_ring_in_bfloat16_rounds_at_every_hop_too() -> None:
    arrays = np.random.default_rng(16).normal(size=(64, 64 * 256))
    ring = run_rounded_reduction(arrays, way="ring", bits=16, block=1)
    ε = float_rounding_error(fraction_bits=7)
    exact = arrays.sum(axis=0)
    assert rms(ring.shares - exact) / rms(exact) == pytest.approx(
        ring_requantised_error(rounding_error=ε, ranks=64), rel=0.1
    )
    assert set(ring.account.sent_bytes) == {63 * 256 * 2}


def test_float_rounding_against_numbers_that_are_rounded() -> None:
    rng = np.random.default_rng(1)
    for bits in (2, 3, 7, 10):
        squares = []
        for scale in 2 ** np.linspace(0, 1, 32, endpoint=False):
            x = rng.normal(size=20_000) * scale
            power = 2 ** np.floor(np.log2(np.abs(x)))
            got = np.rint(x / power * 2**bits) / 2**bits * power
            squares.append((rms(got - x) / rms(x)) ** 2)
        assert math.sqrt(np.mean(squares)) == pytest.approx(float_rounding_error(fraction_bits=bits), rel=0.02)


@pytest.mark.parametrize("way", REDUCTION_WAYS)
def test_clocks_of_a_layer_are_the_times_of_messages(way: str) -> None:
    """Count messages and bytes on the machine, and time the busiest: the node's adapters, or a rank's link."""
    ranks, inside, elements = 16, 4, 16 * 32
    arrays = np.ones((ranks, elements))
    run = run_rounded_reduction(arrays, way=way, bits=16, block=1, node_ranks=inside)
    slow = {"latency_s": 0.0, "node_bytes_per_s": 1e15, "network_bytes_per_s": 1e3}
    _, reduce = compressed_layer_clocks(
        way, weights_bytes=0, gradients_bytes=2 * elements, ranks=ranks, node_ranks=inside, **slow
    )
    assert reduce == pytest.approx(max(run.node_leaving_bytes) / 1e3)
    late = {"latency_s": 1.0, "node_bytes_per_s": 1e15, "network_bytes_per_s": 1e15}
    gather, reduce = compressed_layer_clocks(
        way, weights_bytes=1, gradients_bytes=1, ranks=ranks, node_ranks=inside, **late
    )
    assert (round(gather), round(reduce)) == (15, 6 if way == "two-hop" else 15)
    if way != "two-hop":
        alone = compressed_layer_clocks(
            way,
            weights_bytes=8,
            gradients_bytes=8,
            ranks=4,
            node_ranks=4,
            latency_s=0,
            node_bytes_per_s=1,
            network_bytes_per_s=9,
        )
        assert alone == (6, 6)


def test_equal_parts_make_a_ring_err_by_the_root_of_a_third_of_the_ranks() -> None:
    ranks, block = 32, 64
    arrays = np.tile(np.random.default_rng(1).normal(size=ranks * block * 8), (ranks, 1))
    ε = rms(quantise_in_blocks(arrays[0], bits=8, block=block).restored() - arrays[0]) / rms(arrays[0])
    ring = run_rounded_reduction(arrays, way="ring", bits=8, block=block)
    # each hop rounds anew only what has changed its grid, so the law is an upper bound here
    assert rms(ring.shares - ranks * arrays[0]) / rms(ranks * arrays[0]) < 1.2 * ε * math.sqrt(ranks / 3)


def test_without_rounding_all_ways_give_the_sum() -> None:
    arrays = np.random.default_rng(5).integers(-1, 2, size=(8, 32)).astype(float)
    for way in REDUCTION_WAYS:
        run = run_rounded_reduction(arrays, way=way, bits=8, block=1, node_ranks=4)
        assert run.shares == pytest.approx(arrays.sum(axis=0), abs=1e-5)


def test_two_hops_take_the_time_of_their_messages() -> None:
    given = {"latency_s": 5e-6, "node_bytes_per_s": 360e9, "network_bytes_per_s": 40e9}
    for ranks, inside in ((8, 8), (16, 8), (256, 8), (4, 1)):
        said = two_hop_reduction_s(size_bytes=1e9, ranks=ranks, node_ranks=inside, **given)
        seconds = 0.0
        for _ in range(inside - 1):
            seconds += 5e-6 + 1e9 / inside / 360e9
        nodes = ranks // inside
        for _ in range(nodes - 1):  # a rank's message to one node; eight ranks share the node's adapters
            seconds += 5e-6 + (1e9 / inside / nodes) / (40e9 / inside)
        assert said == pytest.approx(seconds)


def test_the_hidden_width_is_where_a_simulated_pass_begins_to_wait() -> None:
    given = {"tokens_per_rank": 8192, "network_bytes_per_s": 40e9, "flops_per_s": 643e12}
    w = hidden_element_bytes(**given)
    layer = 1e9
    run = 2 * layer * given["tokens_per_rank"] / given["flops_per_s"]
    for width, waits in ((0.99 * w, False), (1.01 * w, True)):
        gather = width * layer / given["network_bytes_per_s"]
        end = overlapped_units([gather] * 40, [run] * 40)[-1].run_end_s
        assert (end - gather - 40 * run > 1e-9) is waits


@pytest.mark.parametrize("layers", [1, 2, 3, 80])
def test_what_a_copy_in_each_node_leaves_to_wait_for(layers: int) -> None:
    rng = np.random.default_rng(layers)
    for forward, backward, gather, again, reduce in rng.uniform(0, 3, size=(200, 5)).tolist():
        end = lockstep_s(layers=layers, passes=(forward, backward), gathers=(gather, again), reduce=reduce)
        parts = {"forward_s": forward, "backward_s": backward, "gather_s": gather, "reduce_s": reduce}
        wait = node_copy_wait_s(layers=layers, node_gather_s=again, **parts)
        assert wait == pytest.approx(end - layers * (forward + backward))
        same = sharded_micro_batch_wait_s(stage=3, layers=layers, **parts)
        assert node_copy_wait_s(layers=layers, node_gather_s=gather, **parts) == pytest.approx(same)


def test_break_even_is_where_both_ways_take_equally_long() -> None:
    for ratio, cost in product((1.5, 2, 4), (1e-12, 3e-11)):
        β = compression_break_even_bytes_per_s(ratio=ratio, compress_s_per_byte=cost)
        assert 1 / β == pytest.approx(1 / (ratio * β) + cost)
    assert compression_break_even_bytes_per_s(ratio=1, compress_s_per_byte=1.0) == 0


def test_a_share_too_small_for_a_float_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^kept_share must be large enough for a float of 1 - kept_share below 1"):
        error_feedback_bound(kept_share=1e-300, step_norm=1.0)


@pytest.mark.parametrize("kept", [1, 5, 20])
def test_what_is_owed_stays_below_its_bound_and_comes_close_to_it(kept: int) -> None:
    """The worst case: a compressor that always leaves the share 1 − δ, along the same direction."""
    δ = kept / 20
    owed, most = 0.0, 0.0
    for _ in range(5000):
        owed = math.sqrt(1 - δ) * (owed + 1.0)
        most = max(most, owed)
    bound = error_feedback_bound(kept_share=δ, step_norm=1.0)
    assert most <= bound * (1 + 1e-12)
    assert most == pytest.approx(bound, rel=1e-6)
    rng = np.random.default_rng(kept)
    memory = np.zeros(20)
    for _ in range(500):
        step = rng.normal(size=20)
        wanted = memory + step / np.linalg.norm(step)
        memory = wanted - largest_elements(wanted, kept=kept)
        assert np.linalg.norm(memory) <= bound + 1e-12


def test_compressors_contract() -> None:
    rng = np.random.default_rng(9)
    for _ in range(200):
        x = rng.normal(size=100) * rng.exponential(size=100)
        kept = largest_elements(x, kept=10)
        assert np.sum((x - kept) ** 2) <= 0.9 * np.sum(x**2)  # published: Stich et al. 2018, 1 − k/d
        share = np.abs(x).sum() ** 2 / (100 * np.sum(x**2))
        assert np.sum((x - signs_of(x)) ** 2) == pytest.approx((1 - share) * np.sum(x**2))


def test_the_bound_of_qsgd_holds_for_its_own_quantiser_exactly() -> None:
    """Enumerate the two outcomes of each element: the variance is a sum of p(1 − p)."""
    rng = np.random.default_rng(2)
    for elements, levels in product((4, 64, 512), (1, 4, 16, 200)):
        x = rng.normal(size=elements)
        scaled = np.abs(x) / np.linalg.norm(x) * levels
        p = scaled - np.floor(scaled)
        variance = np.sum(p * (1 - p)) / levels**2
        assert variance <= qsgd_variance_bound(elements=elements, levels=levels)
    assert qsgd_variance_bound(elements=512, levels=16) == pytest.approx(math.sqrt(512) / 16, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.5, 1.0])
def test_what_the_largest_hold_of_normal_numbers(share: float) -> None:
    x = np.sort(np.random.default_rng(4).normal(size=2_000_000) ** 2)[::-1]
    kept = round(share * x.size)
    assert gaussian_top_share(kept_share=share) == pytest.approx(x[:kept].sum() / x.sum(), abs=2e-3)


def test_sparse_gathers_move_what_the_machine_counts_and_break_even_where_a_ring_does() -> None:
    elements, kept = 1200, 60

    def sparse(rank: int) -> Program:
        return (yield AllGather([np.zeros(kept, np.float32), np.zeros(kept, np.int32)]))

    def dense(rank: int) -> Program:
        return (yield AllReduce(np.zeros(elements, np.float32)))

    for ranks in (2, 10, 40, 41, 60):
        counted = []
        for program in (sparse, dense):
            machine = Machine(ranks)
            machine.run([program(rank) for rank in range(ranks)])
            counted.append(sum(machine.account.sent_bytes) / ranks)
        said = sparse_all_gather_bytes(ranks=ranks, kept_elements=kept, element_bytes=4)
        assert counted[0] == pytest.approx(said)
        even = sparse_break_even_ranks(kept_share=kept / elements, element_bytes=4, dense_bytes=4)
        assert even == pytest.approx(20)
        assert (counted[0] > counted[1] * (1 + 1e-9)) is (ranks > even)
    assert sparse_all_gather_bytes(ranks=2, kept_elements=25_000, element_bytes=4) == 200_000  # published: 0.1% of 25M


def test_published_factors() -> None:
    shapes = [(28869, 650), *[(2600, 650)] * 6]
    whole = sum(a * b for a, b in shapes) + 44469
    ratios = [whole / low_rank_elements(shapes, factor_rank=rank, vector_elements=44469) for rank in (1, 2, 4)]
    assert [round(ratio) for ratio in ratios] == [310, 203, 120]  # Vogels et al. 2019, table 3
    assert warmup_volume_reduction(warmup_share=0.15) == pytest.approx(4.923076923076923, rel=1e-9)
    assert warmup_volume_reduction(warmup_share=0.25) == pytest.approx(3.3684210526315788, rel=1e-9)


def test_a_warm_up_shrinks_the_bytes_of_a_run_that_is_counted_step_by_step() -> None:
    for steps, warm, ratio in ((100, 15, 16.0), (40, 40, 32.0), (7, 0, 4.0)):
        sent = sum(1.0 if step < warm else 1 / ratio for step in range(steps))
        assert warmup_volume_reduction(warmup_share=warm / steps, ratio=ratio) == pytest.approx(steps / sent)


def test_thin_factors_are_exact_for_thin_matrices_and_near_the_best_after_some_steps() -> None:
    rng = np.random.default_rng(6)
    thin = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 20))
    left, right = thin_factors(thin, rng.normal(size=(20, 2)))
    assert left @ right.T == pytest.approx(thin)
    whole = rng.normal(size=(30, 20))
    start = rng.normal(size=(20, 3))
    for _ in range(300):
        left, start = thin_factors(whole, start)
    values = np.linalg.svd(whole, compute_uv=False)
    assert np.sum((whole - left @ start.T) ** 2) == pytest.approx(np.sum(values[3:] ** 2), rel=1e-3)
    assert low_rank_elements([(30, 20)], factor_rank=3) == left.size + start.size


def recursion(compressor: str, feedback: bool, steps: int, η: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Error feedback by its recursion, in one process: what is owed is what was wanted less what was said."""
    x, owed = np.full(3, 1.0), [np.zeros(3) for _ in range(3)]
    points = [x]
    for _ in range(steps):
        said = []
        for rank in range(3):
            wanted = η * three_rank_gradient(rank, x) + owed[rank]
            chosen = {
                "none": lambda v: v,
                "largest": lambda v: largest_elements(v, kept=1),
                "signs": signs_of,
            }[compressor](wanted)
            if feedback:
                owed[rank] = wanted - chosen
            said.append(chosen)
        x = x - (said[0] + said[1] + said[2]) / 3
        points.append(x)
    return points, owed


@pytest.mark.parametrize("compressor", ["none", "largest", "signs"])
@pytest.mark.parametrize("feedback", [False, True])
def test_ranks_with_a_memory_are_the_recursion_bit_for_bit(compressor: str, feedback: bool) -> None:
    run = run_three_ranks(compressor=compressor, feedback=feedback, steps=60, learning_rate=0.02)
    points, owed = recursion(compressor, feedback, 60, 0.02)
    assert np.array_equal(run.points, np.array(points))
    assert np.array_equal(run.memories, np.array(owed))
    each = {"none": 24, "largest": 12, "signs": 9}[compressor]
    assert set(run.account.sent_bytes) == {60 * 2 * each}


def test_nothing_is_lost_only_delayed() -> None:
    run = run_three_ranks(compressor="largest", feedback=True, steps=80, learning_rate=0.02)
    shadow = run.points[-1] - run.memories.mean(axis=0)  # where it would be, had it sent all that it owes
    steps = sum(0.02 * np.mean([three_rank_gradient(rank, x) for rank in range(3)], axis=0) for x in run.points[:-1])
    assert shadow == pytest.approx(run.points[0] - steps, abs=1e-12)


def test_the_counter_example_grows_by_the_factor_on_paper() -> None:
    run = run_three_ranks(compressor="largest", feedback=False, steps=50, learning_rate=0.02)
    assert run.points[:, 0] == pytest.approx((1 + 5.5 * 0.02 / 3) ** np.arange(51))
    whole = run_three_ranks(compressor="none", feedback=False, steps=50, learning_rate=0.02)
    assert whole.points[:, 0] == pytest.approx((1 - 3.5 * 0.02 / 3) ** np.arange(51))


def test_all_formulas_are_at_the_door() -> None:
    import snippets

    names = [name for name in vars(formulas) if getattr(getattr(formulas, name), "__module__", "") == formulas.__name__]
    assert all(name in dir(snippets) for name in names if not name.startswith("_"))
    assert json.dumps(REDUCTION_WAYS)
