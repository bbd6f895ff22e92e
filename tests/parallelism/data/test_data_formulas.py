"""The weights of uneven shards against sums over examples; DDP's buckets against a queue that is filled one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.parallelism.data.formulas import bucket_sizes_bytes, shard_weights


@given(st.lists(st.lists(st.integers(-100, 100), min_size=1), min_size=1, max_size=6))
def test_weighted_means_average_to_the_big_batchs_mean(shards: list[list[int]]) -> None:
    weights = shard_weights([len(shard) for shard in shards])
    average = sum(w * Fraction(sum(shard), len(shard)) for w, shard in zip(weights, shards, strict=True)) / len(shards)
    everyone = [example for shard in shards for example in shard]
    assert average == pytest.approx(float(Fraction(sum(everyone), len(everyone))), rel=1e-12, abs=1e-12)


def test_a_rank_without_examples_counts_for_nothing() -> None:
    assert shard_weights([0, 4]) == (0, 2)
    assert shard_weights([5, 5, 5]) == (1, 1, 1)


@given(st.lists(st.integers(1, 50), max_size=30), st.integers(1, 120))
def test_buckets_by_cutting_the_running_sum(sizes: list[int], cap: int) -> None:
    """Backwards: each bucket is the shortest run from the end of the one before that reaches the cap, but the last."""
    buckets = bucket_sizes_bytes(sizes, cap_bytes=cap)
    assert sum(buckets) == sum(sizes)
    assert all(size >= cap for size in buckets[:-1])
    ends = [sum(buckets[: k + 1]) for k in range(len(buckets))]
    running = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    assert set(ends) <= set(running)
    for begin, end in zip([0, *ends], ends, strict=False):
        before = max([begin, *(total for total in running if total < end)])  # without the tensor that closed it
        assert before - begin < cap


def test_what_ddp_was_seen_to_do() -> None:
    """PyTorch 2.13's DDP with a cap of 8,000 bytes, five layers of float64; the sums that its hook was given."""
    assert bucket_sizes_bytes([240, 4000, 12000, 9600, 1920], cap_bytes=8000) == (16240, 9600, 1920)
    assert bucket_sizes_bytes([], cap_bytes=1) == ()


@pytest.mark.parametrize("examples", [[], [0, 0], [1, -1], [1.5], 3])
def test_bad_shards_are_named(examples: object) -> None:
    with pytest.raises(ValueError, match="examples"):
        shard_weights(examples)  # type: ignore[arg-type]


def test_bad_buckets_are_named() -> None:
    with pytest.raises(ValueError, match="cap_bytes"):
        bucket_sizes_bytes([1], cap_bytes=0)
    with pytest.raises(ValueError, match=r"tensor_bytes\[1\]"):
        bucket_sizes_bytes([1, 0], cap_bytes=1)
