"""Chapter 34: what attention keeps, compares and sends, against caches that are kept and products that are made."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.efficiency.architecture.formulas import (
    attention_crossover_tokens,
    full_attention_layers,
    kv_cache_bytes,
    kv_cache_token_bytes,
    long_context_flops_per_token,
    sparse_attention_flops_per_token,
    sparse_attention_training_flops_per_token,
    window_halo_bytes,
    window_pairs,
    window_reach_tokens,
    with_latents,
)
from snippets.efficiency.architecture.programs import (
    DECODERS,
    run_decoding,
    run_shared_reduce,
    run_window_context,
)
from snippets.flops import forward_flops
from snippets.models import MODELS, Attention, Experts, FeedForward, LatentAttention, Transformer, attention_parameters

PUBLISHED = json.loads((Path(__file__).parent / "published_architecture.json").read_text(encoding="utf-8"))
SMALL = Transformer(
    name="small",
    layers=1,
    hidden=12,
    vocabulary=7,
    attention=Attention(heads=4, key_value_heads=2, head_size=3),
    feed_forward=FeedForward(width=5, gated=True),
)
LATENTS = LatentAttention(heads=4, query_rank=1, key_value_rank=5, head_size=3, rotary_size=2, value_size=3)


@given(sequence=st.integers(1, 40), window=st.integers(1, 50))
def test_pairs_of_a_window_are_those_that_a_mask_has(sequence: int, window: int) -> None:
    seen = sum(0 <= here - there < window for here, there in product(range(sequence), repeat=2))
    assert window_pairs(sequence, window=window) == seen


def test_pairs_are_those_of_a_kernels_benchmark() -> None:
    told = PUBLISHED["aiter_pairs"]
    assert window_pairs(told["sequence"], window=told["window"]) == told["pairs"]
    assert window_pairs(told["sequence"], window=told["sequence"]) == told["causal"]


@given(layers=st.integers(1, 5), window=st.integers(1, 5))
def test_what_reaches_a_token_is_what_a_walk_through_the_layers_finds(layers: int, window: int) -> None:
    reached = {60}
    for _ in range(layers):
        reached = {there for here in reached for there in range(here - window + 1, here + 1)}
    assert window_reach_tokens(layers=layers, window=window) == len(reached)


@given(layers=st.integers(1, 60), every=st.integers(1, 70))
def test_full_layers_are_those_of_the_pattern(layers: int, every: int) -> None:
    pattern = [(layer + 1) % every == 0 for layer in range(layers)]
    assert full_attention_layers(layers, full_every=every) == sum(pattern)


@settings(max_examples=25, deadline=None)
@given(kind=st.sampled_from(DECODERS), tokens=st.integers(1, 9), seed=st.integers(0, 9))
def test_a_cache_gives_what_the_whole_sequence_gives(kind: str, tokens: int, seed: int) -> None:
    run = run_decoding(kind, tokens=tokens, seed=seed)
    assert np.allclose(run.output, run.at_once)


@pytest.mark.parametrize("window", [1, 2, 5, 8, 12])
def test_a_window_forgets_and_still_gives_what_a_mask_gives(window: int) -> None:
    run = run_decoding("grouped", tokens=8, window=window)
    assert np.allclose(run.output, run.at_once)
    assert 2 * run.cache_numbers == kv_cache_bytes(SMALL, sequence=8, window=window)
    scores = 8 * (long_context_flops_per_token(SMALL, sequence=8, window=window) - matmuls(SMALL))
    assert round(scores) == run.score_flops


def matmuls(model: Transformer) -> int:
    """Count a model's weights in matrices, part by part, for a model without experts."""
    assert model.feed_forward is not None
    block = (2 + model.feed_forward.gated) * model.hidden * model.feed_forward.width
    inner = attention_parameters(model.attention, hidden=model.hidden)
    return 2 * (model.layers * (inner + block) + model.vocabulary * model.hidden)


@settings(max_examples=25, deadline=None)
@given(tokens=st.integers(1, 9), heads=st.sampled_from([1, 2, 4]))
def test_shared_heads_keep_less_and_compare_as_much(tokens: int, heads: int) -> None:
    run = run_decoding("grouped", tokens=tokens, key_value_heads=heads)
    model = replace(SMALL, attention=Attention(heads=4, key_value_heads=heads, head_size=3))
    assert 2 * run.cache_numbers == kv_cache_bytes(model, sequence=tokens)
    assert run.score_flops == round(tokens * (long_context_flops_per_token(model, sequence=tokens) - matmuls(model)))
    assert run.score_flops == run_decoding("grouped", tokens=tokens, key_value_heads=4).score_flops


@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("tokens", [1, 2, 7])
def test_latents_keep_and_compare_what_the_formulas_say(tokens: int, absorbed: bool) -> None:
    run = run_decoding("absorbed" if absorbed else "latent", tokens=tokens)
    model = replace(SMALL, attention=LATENTS)
    assert 2 * run.cache_numbers == kv_cache_bytes(model, sequence=tokens)
    flops = long_context_flops_per_token(model, sequence=tokens, absorbed=absorbed) - matmuls(model)
    assert run.score_flops == round(tokens * flops)


@pytest.mark.parametrize(("tokens", "chosen"), [(1, 3), (7, 3), (7, 1), (7, 7), (9, 12)])
def test_an_indexer_compares_all_and_attends_to_few(tokens: int, chosen: int) -> None:
    run = run_decoding("sparse", tokens=tokens, chosen=chosen)
    model = replace(SMALL, attention=LATENTS)
    flops = sparse_attention_flops_per_token(model, sequence=tokens, chosen=chosen, index_heads=1, index_size=3)
    assert run.score_flops + run.index_flops == round(tokens * (flops - matmuls(model)))
    assert run.cache_numbers == tokens * (5 + 2 + 3)


def test_a_token_reads_all_that_is_kept_or_the_index_and_what_it_chose() -> None:
    for kind in ("grouped", "latent", "absorbed"):
        run = run_decoding(kind, tokens=9)
        assert run.read_numbers == run.cache_numbers
    assert run_decoding("grouped", tokens=9, window=4).read_numbers == 4 * 2 * 2 * 3
    assert run_decoding("sparse", tokens=9, chosen=2).read_numbers == 9 * 3 + 2 * (5 + 2)
    assert run_decoding("sparse", tokens=2, chosen=3).read_numbers == 2 * (5 + 2 + 3)


class Scored:
    """Dot products of vectors that count their FLOPs."""

    def __init__(self) -> None:
        self.flops = 0

    def dot(self, left: np.ndarray, right: np.ndarray) -> float:
        self.flops += 2 * left.size
        return float(left @ right)

    def scaled(self, number: float, vector: np.ndarray) -> np.ndarray:
        self.flops += 2 * vector.size  # a multiply-add for each number that it's added to
        return number * vector


def trained_indexer(
    queries: np.ndarray, keys: np.ndarray, target: list[np.ndarray], covered: list[list[int]], count: Scored
) -> tuple[float, np.ndarray, np.ndarray]:
    """Score every pair, then go back from a cross entropy on the pairs covered: loss, gradients of both."""
    heads, tokens, _ = queries.shape
    loss, d_q, d_k = 0.0, np.zeros_like(queries), np.zeros_like(keys)
    for here in range(tokens):
        by_head = [[count.dot(queries[i, here], keys[there]) for there in range(here + 1)] for i in range(heads)]
        seen = covered[here]
        scores = np.array([sum(max(row[there], 0.0) for row in by_head) for there in seen])
        p = np.exp(scores - scores.max())
        p /= p.sum()
        loss -= float(target[here] @ np.log(p))
        for slope, there in zip(p - target[here], seen, strict=True):
            for i in range(heads):
                slope_here = slope * (by_head[i][there] > 0)
                d_q[i, here] += count.scaled(slope_here, keys[there])
                d_k[there] += count.scaled(slope_here, queries[i, here])
    return loss, d_q, d_k


@pytest.mark.parametrize("loss", ["chosen", "all"])
@pytest.mark.parametrize("chosen", [1, 3, 9])
def test_training_an_indexer_takes_what_a_pass_forward_and_back_takes(loss: str, chosen: int) -> None:
    rng, tokens, heads, size = np.random.default_rng(34), 7, 2, 3
    queries, keys = rng.normal(size=(heads, tokens, size)), rng.normal(size=(tokens, size))
    picks = [sorted(rng.choice(here + 1, min(chosen, here + 1), replace=False).tolist()) for here in range(tokens)]
    covered = picks if loss == "chosen" else [list(range(here + 1)) for here in range(tokens)]
    target = [rng.dirichlet(np.ones(len(seen))) for seen in covered]
    index = Scored()
    _, d_q, d_k = trained_indexer(queries, keys, target, covered, index)
    for array, gradient in ((queries, d_q), (keys, d_k)):  # it's the gradient
        for place in np.ndindex(array.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = array.copy()
                moved[place] += step
                both = (moved, keys) if array is queries else (queries, moved)
                sides.append(trained_indexer(*both, target, covered, Scored())[0])
            assert (sides[0] - sides[1]) / 2e-6 == pytest.approx(gradient[place], abs=1e-6)
    main = Scored()  # attention on latents: a score and a value for each pair, forward and two gradients of each
    for _ in range(4):
        for here in range(tokens):
            for _pick in picks[here]:
                for _pass in range(3):
                    main.dot(np.ones(5 + 2), np.ones(5 + 2))
                    main.scaled(1.0, np.ones(5))
            if loss == "all":  # a score of each head with each token, of keys that are made
                for _there in range(here + 1):
                    main.dot(np.ones(3 + 2), np.ones(3 + 2))
    model = replace(SMALL, attention=LATENTS)
    flops = sparse_attention_training_flops_per_token(
        model, sequence=tokens, chosen=chosen, loss=loss, index_heads=heads, index_size=size
    )
    assert round(tokens * (flops - 3 * matmuls(model))) == index.flops + main.flops


def test_the_indexers_backward_pass_is_the_share_that_a_correction_gives() -> None:
    told = PUBLISHED["indexer_backward"]
    sizes = {key: told[key] for key in ("sequence", "chosen", "index_heads", "index_size")}
    model = with_latents("Llama 3 70B")
    forward = sparse_attention_flops_per_token(model, **sizes)
    once = 2 * 80 * told["index_heads"] * told["index_size"] * (told["sequence"] + 1) / 2
    trained = sparse_attention_training_flops_per_token(model, **sizes)
    assert (trained - 3 * (forward - once)) / once == pytest.approx(1 + 2 * told["share"], rel=1e-3)


def test_latents_compared_with_latents_give_the_same_as_keys_made_of_them() -> None:
    made, absorbed = (run_decoding(kind, tokens=9) for kind in ("latent", "absorbed"))
    assert np.allclose(made.output, absorbed.output)
    assert absorbed.cache_numbers == made.cache_numbers


def test_an_indexer_that_chooses_all_changes_nothing_but_its_own_cost() -> None:
    sparse = run_decoding("sparse", tokens=6, chosen=6)
    assert sparse.score_flops == run_decoding("absorbed", tokens=6).score_flops
    assert sparse.index_flops > 0


@pytest.mark.parametrize("name", ["Llama 3 70B", "GPT-2 124M", "DeepSeek-V3", "Mixtral 8x7B"])
@pytest.mark.parametrize("sequence", [1, 5, 4096])
def test_without_windows_it_is_the_books_forward_pass(name: str, sequence: int) -> None:
    whole = forward_flops(name, batch=1, sequence=sequence, mask="exact")
    assert long_context_flops_per_token(name, sequence=sequence) * sequence == pytest.approx(whole, rel=1e-14)
    assert long_context_flops_per_token(name, sequence=sequence, window=sequence) * sequence == pytest.approx(
        whole, rel=1e-14
    )


def test_some_layers_see_all_and_the_rest_their_window() -> None:
    model = replace(SMALL, layers=7)
    alone = [replace(SMALL, layers=1)] * 7
    windows = [None if (layer + 1) % 3 == 0 else 4 for layer in range(7)]
    flops = sum(long_context_flops_per_token(one, sequence=9, window=w) for one, w in zip(alone, windows, strict=True))
    together = long_context_flops_per_token(model, sequence=9, window=4, full_every=3)
    assert together == pytest.approx(flops - 6 * 2 * 7 * 12)  # the head once
    kept = sum(kv_cache_bytes(one, sequence=9, window=w) for one, w in zip(alone, windows, strict=True))
    assert kv_cache_bytes(model, sequence=9, window=4, full_every=3) == kept


def test_heads_are_dealt_and_latents_are_not() -> None:
    for t in (1, 2, 4, 8, 16, 64):
        held = kv_cache_bytes("Llama 3 70B", sequence=100, tensor_parallel=t)
        # each rank holds the heads of keys that its heads of queries need
        needed = {head // 8 for head in range(64 // t)}
        assert held == 2 * 2 * 80 * 128 * 100 * len(needed)
        latents = kv_cache_bytes("DeepSeek-V3", sequence=100, tensor_parallel=t)
        assert latents == kv_cache_bytes("DeepSeek-V3", sequence=100)


def test_at_the_crossover_both_terms_are_equal() -> None:
    for name in ("Llama 3 70B", "Llama 2 7B", "DeepSeek-V3"):
        s = round(attention_crossover_tokens(name))
        inside = forward_flops(name, batch=1, sequence=1) - 0
        assert long_context_flops_per_token(name, sequence=s) == pytest.approx(2 * inside, rel=1e-3)


def windowed(q: np.ndarray, k: np.ndarray, v: np.ndarray, window: int) -> np.ndarray:
    """Attend one query at a time, one head at a time."""
    out = np.zeros_like(q)
    for head, here in product(range(q.shape[0]), range(q.shape[1])):
        first = max(0, here - window + 1)
        weights = np.exp(k[head, first : here + 1] @ q[head, here] / q.shape[2] ** 0.5)
        out[head, here] = weights / weights.sum() @ v[head, first : here + 1]
    return out


@settings(max_examples=20, deadline=None)
@given(ranks=st.integers(1, 4), own=st.integers(1, 4), heads=st.integers(1, 2), data=st.data())
def test_ranks_under_a_window_send_its_reach_and_give_what_one_gives(
    ranks: int, own: int, heads: int, data: st.DataObject
) -> None:
    window = data.draw(st.integers(1, own + 1))
    q, k, v, d_o = np.random.default_rng(34).normal(size=(4, heads, ranks * own, 3))
    alone = run_window_context(q, k, v, d_o, ranks=1, window=window)
    run = run_window_context(q, k, v, d_o, ranks=ranks, window=window)
    assert np.allclose(run.output, windowed(q, k, v, window))
    for ours, whole in zip(run.gradients, alone.gradients, strict=True):
        assert np.allclose(ours, whole)
    halo = window_halo_bytes(window=window, kv_width=3 * heads, element_bytes=8)
    if ranks > 1:  # the first sends two halos on; the last sends gradients home; those between do both
        assert run.account.sent_bytes == (2 * halo, *[3 * halo] * (ranks - 2), halo)


def test_gradients_under_a_window_are_slopes() -> None:
    q, k, v, d_o = np.random.default_rng(3).normal(size=(4, 1, 4, 2))
    grads = run_window_context(q, k, v, d_o, ranks=2, window=3).gradients
    for number, gradient in enumerate(grads):
        for place in np.ndindex(gradient.shape):
            sides = []
            for step in (1e-5, -1e-5):
                moved = [q.copy(), k.copy(), v.copy()]
                moved[number][place] += step
                sides.append((windowed(moved[0], moved[1], moved[2], 3) * d_o).sum())
            assert (sides[0] - sides[1]) / 2e-5 == pytest.approx(gradient[place], abs=1e-8)


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_blocks_side_by_side_share_their_all_reduces(ranks: int) -> None:
    alone = {kind: run_shared_reduce(kind, ranks=1) for kind in ("sequential", "parallel")}
    cut = {kind: run_shared_reduce(kind, ranks=ranks) for kind in alone}
    for kind, run in cut.items():
        assert np.allclose(run.output, alone[kind].output)
        assert np.allclose(run.input_gradient, alone[kind].input_gradient)
    assert not np.allclose(cut["sequential"].output, cut["parallel"].output)
    sent = {kind: sum(run.account.sent_bytes) for kind, run in cut.items()}
    assert sent["sequential"] == 2 * sent["parallel"]
    assert cut["sequential"].all_reduces == 4
    assert cut["parallel"].all_reduces == 2


def test_caches_and_flops_are_those_that_are_reported() -> None:
    for name, kb in PUBLISHED["cache_kb_a_token"].items():
        assert abs(kv_cache_token_bytes(name) / 1000 - kb) < 0.5
    for name, gflops in PUBLISHED["training_gflops_a_token"].items():
        assert 3 * long_context_flops_per_token(name, sequence=4096) / 1e9 == pytest.approx(gflops, rel=0.011)
    for length, told in PUBLISHED["maxtext_llama_2_7b_tflops"].items():
        whole = 3 * long_context_flops_per_token("Llama 2 7B", sequence=int(length)) * 4 * int(length) / 1e12
        assert whole == pytest.approx(told["total"], rel=2e-5)


def test_the_70b_with_latents_has_its_heads() -> None:
    model, plain = with_latents("Llama 3 70B"), MODELS["Llama 3 70B"]
    assert isinstance(model.attention, LatentAttention)
    assert model.attention.heads == 64
    assert replace(model, name=plain.name, attention=plain.attention) == plain
    with pytest.raises(ValueError, match="has latents"):
        with_latents(model)


def test_experts_count_as_many_as_a_token_uses() -> None:
    experts = Experts(experts=4, per_token=2, width=5)
    model = replace(SMALL, feed_forward=None, experts=experts, expert_layers=1)
    more = long_context_flops_per_token(model, sequence=3) - long_context_flops_per_token(SMALL, sequence=3)
    assert more == pytest.approx(2 * (3 * 12 * 5 + 4 * 12))


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(ValueError, match="full_every"):
        kv_cache_bytes("Llama 3 70B", sequence=8, full_every=6)
    with pytest.raises(ValueError, match="absorbed"):
        long_context_flops_per_token("Llama 3 70B", sequence=8, absorbed=True)
    with pytest.raises(ValueError, match="window"):
        run_decoding("latent", tokens=2, window=2)
    with pytest.raises(ValueError, match="window"):
        run_window_context(*np.ones((4, 1, 4, 1)), ranks=2, window=4)
