"""Chapter 19: laws of the merge, sharded attention against dense, closed forms against counts, published values."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live.checking import assert_texts_fit
from sampling import examples

from snippets.models import MODELS, parameter_count
from snippets.parallelism.sequence import figures as pictures
from snippets.parallelism.sequence import formulas
from snippets.parallelism.sequence.charts import ring_chart
from snippets.parallelism.sequence.programs import attend, attend_backward, run_context_parallel
from snippets.parallelism.sequence.softmax_merge import (
    EMPTY,
    SoftmaxPart,
    block_attention_words,
    flash_block_sizes,
    merge_parts,
    softmax_part,
    standard_attention_words,
)

PUBLISHED = {
    row["id"]: row
    for row in json.loads((Path(__file__).parent / "published_sequence.json").read_text(encoding="utf-8"))
}
finite = st.floats(-30, 30)
blocks = st.lists(st.tuples(finite, finite, finite), max_size=5)


def part(block: list[tuple[float, float, float]]) -> SoftmaxPart:
    return softmax_part([score for score, *_ in block], [value for _, *value in block])


def same(one: SoftmaxPart, other: SoftmaxPart) -> bool:
    numbers = zip((one.largest, one.log_sum, *one.mean), (other.largest, other.log_sum, *other.mean), strict=True)
    return all(a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in numbers)


@given(blocks, blocks, blocks)
def test_the_merge_is_associative_and_commutative_and_has_an_identity(a: Any, b: Any, c: Any) -> None:
    A, B, C = part(a), part(b), part(c)
    assert same(merge_parts(merge_parts(A, B), C), merge_parts(A, merge_parts(B, C)))
    assert same(merge_parts(A, B), merge_parts(B, A))
    assert merge_parts(A, EMPTY) == A == merge_parts(EMPTY, A)
    assert same(merge_parts(A, B), part(a + b))


def test_the_merge_far_from_zero() -> None:
    """Scores beyond 709 overflow an exponential; the differences do not."""
    far = merge_parts(softmax_part([1000.0], [[1.0]]), softmax_part([1000.0 + math.log(3)], [[5.0]]))
    assert far.mean == pytest.approx([4.0])
    assert far.log_sum == pytest.approx(1000 + math.log(4))


def test_the_published_merge() -> None:
    row = PUBLISHED["online-softmax"]
    first, second = (SoftmaxPart(m, total, tuple(o)) for m, total, o in zip(*row["inputs"].values(), strict=True))
    merged = merge_parts(first, second)
    expected = row["expected"]
    assert (merged.largest, merged.total) == pytest.approx((expected["m"], expected["l"]), abs=1e-12)
    assert merged.mean == pytest.approx(expected["o"], abs=1e-12)


@settings(max_examples=examples(20))
@given(st.integers(1, 9), st.integers(1, 3), st.integers(1, 10))
def test_block_attention_counts_what_it_reads_and_is_attention(s: int, d: int, rows: int) -> None:
    rng = np.random.default_rng(s)
    q, k, v = rng.normal(size=(3, s, d))
    words, output = 0, np.empty((s, d))
    for first in range(0, s, rows):
        mine = q[first : first + rows]
        words += mine.size
        parts = [EMPTY] * len(mine)
        for key, value in zip(k, v, strict=True):  # one key at a time: all blocks of keys give the same count
            words += key.size + value.size
            parts = [
                merge_parts(part, softmax_part([row @ key / math.sqrt(d)], [list(value)]))
                for part, row in zip(parts, mine, strict=True)
            ]
        output[first : first + rows] = [part.mean for part in parts]
        words += mine.size
    assert words == block_attention_words(sequence=s, head_size=d, rows=rows)
    assert np.allclose(output, attend(q[None], k[None], v[None], causal=False)[0][0])


def test_the_published_traffic() -> None:
    row = PUBLISHED["flash-io"]
    s, d, M = row["inputs"].values()
    assert standard_attention_words(sequence=s, head_size=d) == 4 * row["expected"]["standard_theta"]
    rows, _ = flash_block_sizes(fast_words=M, head_size=d)  # M/(4d), rounded up
    passes = (block_attention_words(sequence=s, head_size=d, rows=rows) - 2 * s * d) / row["expected"]["flash_theta"]
    assert passes == pytest.approx(8, rel=0.05)  # 2sd · s · 4d/M
    assert flash_block_sizes(fast_words=49152, head_size=64) == tuple(PUBLISHED["flash-blocks"]["expected"].values())


def test_what_the_paper_measured_is_more_than_the_least_that_moves() -> None:
    """Figure 2 of Dao et al. 2022: 1,024 heads; its passes for mask and dropout are not in the formula."""
    expected = PUBLISHED["flash-table"]["expected"]
    heads, s, d = 16 * 64, 1024, 64
    forward_gb = 2 * heads * standard_attention_words(sequence=s, head_size=d) / 1e9
    assert forward_gb < expected["std_HBM_GB"]
    for bytes_gb, ms in (("std_HBM_GB", "std_ms"), ("flash_HBM_GB", "flash_ms")):
        assert expected[bytes_gb] / 1.555 < expected[ms]  # an A100's 1.555 TB/s: a lower bound


# Who computes what.


@settings(max_examples=examples(30))
@given(st.sampled_from(formulas.LAYOUTS), st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_pairs_of_each_step_by_counting_them(layout: str, ranks: int, half: int, causal: bool) -> None:
    s = 2 * ranks * half
    own = [formulas.context_rank_tokens(r, ranks=ranks, sequence=s, layout=layout) for r in range(ranks)]
    assert sorted(token for tokens in own for token in tokens) == list(range(s))
    pairs = formulas.ring_attention_step_pairs(ranks=ranks, sequence=s, layout=layout, causal=causal)
    for t in range(ranks):
        for r in range(ranks):
            seen = [(i, j) for i in own[r] for j in own[(r - t) % ranks] if j <= i or not causal]
            assert pairs[t][r] == len(seen)


def test_a_ring_of_more_ranks_than_can_be_listed_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^ranks must be at most 256, got 257$"):
        formulas.ring_attention_step_pairs(ranks=257, sequence=2 * 257)


@given(st.integers(1, 40), st.integers(1, 50))
def test_zig_zag_balances_every_step(ranks: int, half: int) -> None:
    pairs = formulas.ring_attention_step_pairs(ranks=ranks, sequence=2 * ranks * half)
    assert all(len(set(row)) == 1 for row in pairs)
    x = 2 * half
    assert {row[0] for row in pairs[1:]} <= {x * x // 2}


@given(st.integers(1, 60))
def test_in_order_the_last_rank_has_almost_twice_the_mean(ranks: int) -> None:
    x = 2000
    pairs = np.array(formulas.ring_attention_step_pairs(ranks=ranks, sequence=ranks * x, layout="contiguous"))
    work = pairs.sum(axis=0)
    assert work[-1] / work.mean() == pytest.approx(formulas.contiguous_attention_slowdown(ranks), rel=1e-3)
    assert all(pairs[:, -1] > 0)  # at every step
    assert work[-1] / work[0] == pytest.approx(2 * ranks - 1, rel=1e-3)


def test_chunks_as_published() -> None:
    row = PUBLISHED["cp-chunks"]
    assert (
        list(formulas.context_rank_chunks(row["inputs"]["rank"], ranks=row["inputs"]["cp"]))
        == row["expected"]["chunks"]
    )


@settings(max_examples=examples(30))
@given(st.integers(1, 5), st.integers(1, 5), st.floats(0, 3), st.randoms(use_true_random=False))
def test_starts_are_the_longest_chains(ranks: int, steps: int, c: float, random: Any) -> None:
    work = [[random.choice([0.0, 0.5, 1.0, 2.5]) for _ in range(ranks)] for _ in range(steps)]

    @cache
    def begins(t: int, r: int) -> float:
        """All chains of computing and messages that end here, walked backwards."""
        if t == 0:
            return 0.0
        chains = [begins(t - 1, r) + work[t - 1][r]]
        if t < steps:
            chains += [begins(t - 1, q) + c for q in {r, (r - 1) % ranks}]
        return max(chains)

    starts = formulas.ring_attention_starts_s(work, pass_s=c)
    for t in range(steps + 1):
        assert starts[t] == pytest.approx([begins(t, r) for r in range(ranks)])


@given(st.integers(2, 16), st.sampled_from([0.1, 0.49, 0.51, 3.0]))
def test_a_ring_in_balance_hides_its_messages_from_the_formula_s_tokens_on(ranks: int, ratio: float) -> None:
    """The messages hide if the tokens are at least x*: seen in the times, for a pass of ``ratio`` blocks."""
    P, x, g = 1e12, 1000, 4
    block_s = formulas.attention_flops(pairs=x * x, query_heads=g, head_size=128) / P
    bandwidth = 2 * x * 128 * 2 / (ratio * block_s)
    pairs = formulas.ring_attention_step_pairs(ranks=ranks, sequence=ranks * x)
    work = [[block_s * pair / x**2 for pair in row] for row in pairs]
    end = max(formulas.ring_attention_starts_s(work, pass_s=ratio * block_s)[-1])
    least = formulas.hidden_block_tokens(
        flops_per_s=P, bandwidth_bytes_per_s=bandwidth, queries_per_key=g, computed_share=0.5
    )
    assert (end < sum(row[0] for row in work) * (1 + 1e-9)) == (x >= least)


# Sharded attention.


def arrays(rng: Any, heads: int, group: int, tokens: int, size: int) -> list[Any]:
    shapes = [
        (heads * group, tokens, size),
        (heads, tokens, size),
        (heads, tokens, size),
        (heads * group, tokens, size),
    ]
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.parametrize("causal", [True, False])
def test_dense_gradients_are_differences(causal: bool) -> None:
    q, k, v, g = arrays(np.random.default_rng(1), 2, 2, 5, 3)
    analytic = attend_backward(q, k, v, g, causal=causal)
    for which, exact in enumerate(analytic):
        for place in [(0, 0, 0), (1, 4, 2), (0, 2, 1)]:
            given_arrays = [q.copy(), k.copy(), v.copy()]
            ends = []
            for change in (1e-5, -2e-5):
                given_arrays[which][place] += change
                ends.append((attend(*given_arrays, causal=causal)[0] * g).sum())
            assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(exact[place], abs=1e-7)


@settings(max_examples=examples(25), deadline=None)
@given(
    st.sampled_from(formulas.KINDS),
    st.sampled_from(formulas.LAYOUTS),
    st.integers(1, 4),
    st.integers(1, 2),
    st.integers(1, 2),
    st.booleans(),
)
def test_sharded_attention_is_dense_attention(
    kind: str, layout: str, ranks: int, half: int, group: int, causal: bool
) -> None:
    s, heads, d = 2 * ranks * half, ranks, 2
    q, k, v, g = arrays(np.random.default_rng(s + group), heads, group, s, d)
    cut: dict[str, Any] = {"ranks": ranks, "kind": kind, "layout": layout, "causal": causal}
    forward, both = run_context_parallel(q, k, v, **cut), run_context_parallel(q, k, v, g, **cut)
    assert np.allclose(forward.output, attend(q, k, v, causal=causal)[0], rtol=1e-10, atol=1e-12)
    assert both.gradients is not None
    for mine, right in zip(both.gradients, attend_backward(q, k, v, g, causal=causal), strict=True):
        assert np.allclose(mine, right, rtol=1e-9, atol=1e-12)

    there = np.array(forward.account.sent_bytes)
    back = np.array(both.account.sent_bytes) - there
    size: dict[str, Any] = {"sequence": s, "kv_width": heads * d, "ranks": ranks, "element_bytes": 8}
    ring = formulas.ring_attention_forward_bytes(**size)
    if kind == "all_to_all":
        exchanged = formulas.ulysses_exchange_bytes(**size, query_width=heads * group * d)
        assert set(there) == set(back) == {exchanged}
    else:
        assert set(there) == {ring}
        assert set(back) == {formulas.ring_attention_backward_bytes(**size) if kind == "ring" else 2 * ring}
    if kind == "ring":
        assert (forward.account.steps, both.account.steps) == ((ranks - 1, 2 * ranks - 1) if ranks > 1 else (0, 0))
    block = 2 * s // ranks * heads * d * 8
    assert {held / block for held in forward.account.peak_bytes} == {formulas.kv_blocks_held(kind, ranks=ranks)}
    pairs = np.array(formulas.ring_attention_step_pairs(ranks=ranks, sequence=s, layout=layout, causal=causal)).sum(
        axis=0
    )
    if kind == "all_to_all":
        pairs = np.full(ranks, pairs.sum() // ranks)
    assert tuple(pairs * heads * group) == forward.account.operations["pairs"]


def test_all_to_all_needs_heads() -> None:
    q, k, v, _ = arrays(np.random.default_rng(0), 2, 2, 8, 1)
    with pytest.raises(ValueError, match="ranks must divide the 2 heads of keys, got 4"):
        run_context_parallel(q, k, v, ranks=4, kind="Ulysses")


# Published values.


@pytest.mark.parametrize("name", ["ring-attn-a100-nvlink", "ring-attn-tpu-v5e", "ring-attn-a100-infiniband"])
def test_the_least_block_of_ring_attention(name: str) -> None:
    """Table 2's condition is the case of 2 bytes, as many query heads as key heads, and no mask."""
    row = PUBLISHED[name]
    F, B = row["inputs"]["TFLOPs"] * 1e12, row["inputs"]["GBps"] * 1e9
    block = formulas.hidden_block_tokens(flops_per_s=F, bandwidth_bytes_per_s=B)
    assert block / 1e3 == pytest.approx(row["expected"]["block_exact_k"], rel=1e-9)
    if "min_block_k" in row["expected"]:
        assert block / 1e3 == pytest.approx(row["expected"]["min_block_k"], rel=row["tolerance"]["rel"] + 0.01)
        assert 6 * block / 1e3 == pytest.approx(row["expected"]["seq_exact_k"], rel=1e-9)


def test_six_blocks_of_a_ring() -> None:
    """Table 1's 6bch: query, output, and keys and values twice, as the machine counts them: numbers, 2 bytes each."""
    row = PUBLISHED["ring-attn-memory"]
    c, h = 2, 3
    run = run_context_parallel(*np.ones((3, 1, 4 * c, h)), ranks=4)
    buffers = run.account.kind_peak_bytes["buffers"][0] // 8
    assert buffers + 2 * c * h == 6 * c * h
    assert 6 * row["inputs"]["b"] * row["inputs"]["c"] * row["inputs"]["h"] == row["expected"]["bytes"]


def test_a_million_tokens() -> None:
    row = PUBLISHED["million-tokens"]
    model, s = MODELS["Llama 3 405B"], row["inputs"]["tokens"]
    attention = model.layers * formulas.attention_flops(
        pairs=s * s / 2, query_heads=model.attention.heads, head_size=model.attention.head_size
    )
    gemm = 2 * parameter_count(model) * s
    assert attention == pytest.approx(row["expected"]["attention_flops"], rel=0.01)
    assert gemm == pytest.approx(row["expected"]["gemm_flops"], rel=0.01)
    rate = (attention + gemm) / row["inputs"]["gpus"] / row["inputs"]["seconds"]
    assert rate / 1e12 == pytest.approx(row["expected"]["tflops_per_gpu"], rel=0.01)


def test_measured_rings_lose_what_the_count_says() -> None:
    row = PUBLISHED["ring-flash-attention-8"]
    for measured in row["expected"]["in_order"]:
        assert measured == pytest.approx(1 / formulas.contiguous_attention_slowdown(8), abs=row["tolerance"]["abs"])
    assert min(row["expected"]["zigzag"]) > max(row["expected"]["in_order"]) * 1.5


# Pictures.


def test_pictures_are_readable() -> None:
    panels = [
        pictures.merge_panel([1, 3, 2, 1], [10, 20, 30, 40], cut=2),
        pictures.attention_steps_panel(ranks=4, layout="contiguous", title="in order"),
        pictures.attention_steps_panel(ranks=4, layout="zigzag", title="zig-zag"),
        *pictures.exchange_panels(),
        ring_chart([[1, 2], [0, 3]], pass_s=0.5, title="two ranks", unit=""),
    ]
    for panel in panels:
        assert_texts_fit(panel)


def test_a_chart_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="until_s must be at least the end"):
        ring_chart([[1.0, 2.0]], pass_s=0, title="two ranks", until_s=1)
