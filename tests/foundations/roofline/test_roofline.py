"""Chapter 2: its formulas say what counted operations, counted memories and the simulated machine say."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.foundations.roofline.formulas import (
    ceiling_times_s,
    compute_bound_batch,
    k_split_flops_per_sent_byte,
    roofline_flops_per_s,
    roofline_time_s,
    tiled_gemm_words,
)
from snippets.foundations.roofline.simulators import (
    ChainStep,
    CountedMemory,
    FastMemoryFull,
    run_elementwise_chain,
    tiled_product,
)
from snippets.hardware import ACCELERATORS, ridge_flops_per_byte
from snippets.simulation.machine import AllReduce, Machine, Program

SIDES = st.integers(1, 9)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 1000), st.integers(1, 1000))
def test_the_roof_is_the_rate_in_the_longer_of_two_times(flops: int, moved: int, peak: int, bandwidth: int) -> None:
    time_s = max(Fraction(flops, peak), Fraction(moved, bandwidth))
    assert roofline_time_s(
        flops=flops, memory_bytes=moved, peak_flops_per_s=peak, memory_bytes_per_s=bandwidth
    ) == pytest.approx(float(time_s))
    roof = roofline_flops_per_s(flops_per_byte=flops / moved, peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth)
    assert roof == pytest.approx(float(flops / time_s))


def test_a_link_is_a_third_ceiling() -> None:
    rates = {"peak_flops_per_s": 10, "memory_bytes_per_s": 5, "network_bytes_per_s": 2}
    operation = {"flops": 10, "memory_bytes": 10, "sent_bytes": 6}
    assert ceiling_times_s(**operation, **rates) == {"compute": 1, "memory": 2, "network": 3}
    assert roofline_time_s(**operation, **rates) == 3
    assert 3 < sum(ceiling_times_s(**operation, **rates).values()) <= 9
    with pytest.raises(ValueError, match="network_bytes_per_s"):
        ceiling_times_s(**{**operation, **rates, "network_bytes_per_s": 0})


def test_a_batch_beyond_floats_is_refused_by_what_makes_it_so_large() -> None:
    said = "^k, n, weight_bytes, activation_bytes and both rates must be such that the result fits a float"
    with pytest.raises(ValueError, match=said):
        compute_bound_batch(
            k=1, n=1, peak_flops_per_s=1e308, bandwidth_bytes_per_s=1, weight_bytes=1e10, activation_bytes=1e-320
        )


@given(
    k=st.integers(1, 200),
    n=st.integers(1, 200),
    peak=st.integers(1, 300),
    bandwidth=st.integers(1, 100),
    weight=st.sampled_from([0.5, 1, 2, 4]),
    activation=st.sampled_from([1, 2, 4]),
)
def test_from_the_batch_on_the_operations_take_longer(
    k: int, n: int, peak: int, bandwidth: int, weight: float, activation: int
) -> None:
    batch = compute_bound_batch(
        k=k,
        n=n,
        peak_flops_per_s=peak,
        bandwidth_bytes_per_s=bandwidth,
        weight_bytes=weight,
        activation_bytes=activation,
    )

    def lead(m: Fraction) -> Fraction:
        moved = Fraction(weight) * k * n + activation * m * (k + n)
        return 2 * m * k * n / peak - moved / bandwidth

    if math.isinf(batch):
        assert lead(Fraction(10**12)) < 0
    else:
        assert (
            lead(Fraction(batch) * Fraction(999_999, 1_000_000))
            < 0
            < lead(Fraction(batch) * Fraction(1_000_001, 1_000_000))
        )


@pytest.mark.parametrize("ranks", range(2, 10))
def test_a_cut_along_k_sends_what_the_machine_counts(ranks: int) -> None:
    m, k, n = 2, 3 * ranks, 3 * ranks

    def program(rank: int) -> Program:
        return (yield AllReduce(np.full(m * n, float(rank))))

    machine = Machine(ranks)
    machine.run([program(rank) for rank in range(ranks)])
    (sent,) = set(machine.account.sent_bytes)
    intensity = k_split_flops_per_sent_byte(k=k, ranks=ranks, element_bytes=8)
    assert intensity == pytest.approx(2 * m * k // ranks * n / sent)
    assert math.isinf(k_split_flops_per_sent_byte(k=k, ranks=1))


@given(m=SIDES, k=SIDES, n=SIDES, rows=SIDES, columns=SIDES)
def test_tiles_move_what_a_counted_memory_counts(m: int, k: int, n: int, rows: int, columns: int) -> None:
    a, b = np.arange(m * k, dtype=float).reshape(m, k), np.arange(k * n, dtype=float).reshape(k, n) - 7
    memory = CountedMemory(rows * columns + rows + columns)
    assert np.array_equal(tiled_product(a, b, tile_rows=rows, tile_columns=columns, memory=memory), a @ b)
    words = tiled_gemm_words(m=m, k=k, n=n, tile_rows=rows, tile_columns=columns)
    assert (memory.read + memory.written, memory.written, memory.held) == (words, m * n, 0)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(FastMemoryFull, match="3 numbers do not fit: the fast memory holds 2, of which 0 are in use"):
        CountedMemory(2).load(np.ones(3))
    with pytest.raises(ValueError, match="a tile of 2 × 2 with a column and a row takes 8 numbers, and 7 are free"):
        tiled_product(np.ones((2, 2)), np.ones((2, 2)), tile_rows=2, tile_columns=2, memory=CountedMemory(7))


@pytest.mark.parametrize(("fused", "moved"), [(False, 5 + 3), (True, 3 + 1)])
def test_a_chain_gives_the_same_fused_and_moves_less(fused: bool, moved: int) -> None:
    steps = [
        ChainStep("u", ("x", "y"), np.add),
        ChainStep("v", ("u",), np.sqrt),
        ChainStep("w", ("v", "x"), np.multiply),
    ]
    arrays = {"x": np.arange(4.0), "y": np.full(4, 2.0)}
    memory = CountedMemory(8)
    kept = run_elementwise_chain(steps, arrays, kept=["w", "u"], fused=fused, memory=memory)
    assert np.allclose(kept["w"], np.sqrt(arrays["x"] + 2) * arrays["x"])
    assert np.allclose(kept["u"], arrays["x"] + 2)
    assert (memory.read + memory.written, memory.held) == (moved * 4, 0)


@pytest.mark.parametrize(
    ("device", "ridge"),
    [("V100 SXM2 32GB", 138.889), ("A100 SXM 80GB", 153.016), ("H200 SXM", 206.125), ("B200 SXM", 281.25)],
)
def test_published_ridge_points(device: str, ridge: float) -> None:
    dtype = "fp16" if device.startswith("V100") else "bf16"
    assert ridge_flops_per_byte(device, dtype) == pytest.approx(ridge, rel=1e-5)
    assert ACCELERATORS[device].memory_bandwidth_bytes_per_s > 0
