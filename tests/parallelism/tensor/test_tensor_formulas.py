"""Tensor parallelism's collectives against products that are cut and summed, and against the published count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.background.linear_algebra.formulas import k_split, row_split
from snippets.collectives.traffic import collective_traffic
from snippets.parallelism.tensor.formulas import tensor_block_collectives, tensor_block_traffic_bytes


@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 6), st.integers(1, 5), st.integers(1, 3))
def test_traffic_by_cutting_the_products(ranks: int, batch: int, per_rank: int, width: int, sums: int) -> None:
    """The row product forward, and backward each sum of the input's gradient, are products cut along k."""
    tokens = batch * per_rank * ranks
    one = k_split(m=tokens, k=ranks, n=width, ranks=ranks, rank=0, element_bytes=2, result="replicated")
    got = tensor_block_traffic_bytes(
        micro_batch=batch, sequence=per_rank * ranks, hidden=width, tensor_parallel=ranks, input_sums=sums
    )
    assert got == (1 + sums) * one.sent_bytes


@given(st.integers(2, 9), st.integers(1, 6), st.integers(1, 5), st.integers(1, 3))
def test_sequence_parallelism_sends_as_much(ranks: int, per_rank: int, width: int, sums: int) -> None:
    length = per_rank * ranks * width
    sizes: dict[str, Any] = {"micro_batch": 1, "sequence": per_rank * ranks, "hidden": width}
    counts = tensor_block_collectives(tensor_parallel=ranks, sequence_parallel=True, input_sums=sums)
    sent = sum(
        count * collective_traffic(primitive, "ring", ranks=ranks, size_bytes=length * 2, element_bytes=2).sent_bytes[0]
        for primitive, count in zip(("all_reduce", "all_gather", "reduce_scatter"), counts, strict=True)
    )
    assert sent == tensor_block_traffic_bytes(**sizes, tensor_parallel=ranks, input_sums=sums)
    gathered = row_split(m=per_rank * ranks, k=1, n=width, ranks=ranks, rank=0, element_bytes=2, result="replicated")
    assert 2 * counts.all_gathers * gathered.sent_bytes == sent


def test_the_published_counts() -> None:
    """A layer: 4 all-reduces (Shoeybi et al. 2019, figure 4), 8bsh(t − 1)/t numbers (Narayanan et al. 2021, 3.2)."""
    assert 2 * tensor_block_collectives(tensor_parallel=2).all_reduces == 4
    b, s, h, t = 2, 2048, 12288, 8
    numbers = 2 * tensor_block_traffic_bytes(micro_batch=b, sequence=s, hidden=h, tensor_parallel=t, element_bytes=1)
    assert numbers == 8 * b * s * h * (t - 1) // t


def test_one_rank_sends_nothing_and_three_inputs_twice_as_much() -> None:
    sizes: dict[str, Any] = {"micro_batch": 2, "sequence": 8, "hidden": 4}
    assert tensor_block_traffic_bytes(**sizes, tensor_parallel=1) == 0
    for sequence_parallel in (False, True):
        assert set(tensor_block_collectives(tensor_parallel=1, sequence_parallel=sequence_parallel)) == {0}
    three = tensor_block_traffic_bytes(**sizes, tensor_parallel=4, input_sums=3)
    assert three == 2 * tensor_block_traffic_bytes(**sizes, tensor_parallel=4)
    assert tensor_block_collectives(tensor_parallel=4, input_sums=3) == (4, 0, 0)
    assert tensor_block_collectives(tensor_parallel=4, input_sums=3, sequence_parallel=True) == (0, 4, 4)


@pytest.mark.parametrize(
    "name", ["micro_batch", "sequence", "hidden", "tensor_parallel", "input_sums", "element_bytes"]
)
def test_bad_sizes_are_named(name: str) -> None:
    sizes: dict[str, Any] = {"micro_batch": 1, "sequence": 1, "hidden": 1, "tensor_parallel": 1} | {name: 0}
    with pytest.raises(ValueError, match=name):
        tensor_block_traffic_bytes(**sizes)


def test_bad_counts_are_named() -> None:
    with pytest.raises(ValueError, match="tensor_parallel"):
        tensor_block_collectives(tensor_parallel=0)
    with pytest.raises(ValueError, match="input_sums"):
        tensor_block_collectives(tensor_parallel=1, input_sums=0)
    with pytest.raises((TypeError, ValueError), match="sequence_parallel"):
        tensor_block_collectives(tensor_parallel=1, sequence_parallel="no")  # type: ignore[arg-type]
