"""Chapter 17: ranks that cut products, a layer, the vocabulary, against one device, and what they send and keep."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from snippets.all_reduce import ring_all_reduce_bytes, ring_all_reduce_time_s
from snippets.collectives.traffic import collective_traffic
from snippets.flops import layer_forward_flops
from snippets.memory.memory_equation.activations import layer_activation_bytes, stored_tensors
from snippets.memory.memory_equation.gpt_layer import layer_backward, layer_forward, layer_weights
from snippets.parallelism.tensor.formulas import (
    key_value_heads_per_rank,
    matrix_cut_bytes,
    placed_ring_bytes_per_s,
    tensor_block_collectives,
    tensor_block_traffic_bytes,
    tensor_communication_to_compute,
    tensor_layer_time_s,
    vocabulary_loss_bytes,
)
from snippets.parallelism.tensor.placed_rings import placed_all_reduce
from snippets.parallelism.tensor.programs import CUTS, run_pair, run_tensor_layer
from snippets.parallelism.tensor.vocabulary_parallel import run_vocabulary_parallel

ROWS = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "published_tensor.json").read_text(encoding="utf-8"))
}


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def whole_block(x: Any, first: Any, second: Any, heads: int | None) -> Any:
    """The block on one device, head by head and token by token."""
    made = x @ first
    if heads is None:
        return gelu(made) @ second
    d = first.shape[1] // (3 * heads)
    columns = []
    for head in range(heads):
        query, key, value = (made[:, (3 * head + part) * d : (3 * head + part + 1) * d] for part in range(3))
        rows = []
        for token in range(len(x)):
            weights = np.exp(key[: token + 1] @ query[token] / np.sqrt(d))
            rows.append(weights @ value[: token + 1] / weights.sum())
        columns.append(np.array(rows))
    return np.hstack(columns) @ second


def slope(function: Any, array: Any, place: tuple[int, ...]) -> float:
    """A derivative by a central difference."""
    up, down = array.copy(), array.copy()
    up[place] += 1e-5
    down[place] -= 1e-5
    return float((function(up) - function(down)) / 2e-5)


@pytest.mark.parametrize("heads", [None, 4])
@pytest.mark.parametrize("cuts", list(product(CUTS, CUTS)))
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_pair_in_every_cut_is_the_block_and_sends_what_the_formula_says(
    cuts: tuple[str, str], ranks: int, heads: int | None
) -> None:
    rng = np.random.default_rng(17)
    n, h = 5, 8
    q, k = (3 * h, h) if heads else (20, 20)
    x, first, second, above = (rng.normal(size=size) / 2 for size in ((n, h), (h, q), (k, h), (n, h)))
    run = run_pair(x, first, second, above, ranks=ranks, cuts=cuts, heads=heads)
    np.testing.assert_allclose(run.output, whole_block(x, first, second, heads), atol=1e-12)
    losses = (
        (run.input_gradient, x, lambda it: (whole_block(it, first, second, heads) * above).sum()),
        (run.first_gradient, first, lambda it: (whole_block(x, it, second, heads) * above).sum()),
        (run.second_gradient, second, lambda it: (whole_block(x, first, it, heads) * above).sum()),
    )
    for gradient, array, loss in losses:
        assert gradient.shape == array.shape
        for place in ((0, 0), (2, 3), (array.shape[0] - 1, array.shape[1] - 1)):
            assert gradient[place] == pytest.approx(slope(loss, array, place), abs=1e-7)
    size: dict[str, Any] = {"tokens": n, "stream": h, "tensor_parallel": ranks, "element_bytes": 8}
    said = matrix_cut_bytes(**size, inner=q, cut_inner=cuts[0] == "column")
    said += matrix_cut_bytes(**size, inner=k, cut_inner=cuts[1] == "row")
    assert sum(run.account.sent_bytes) / ranks == pytest.approx(said, rel=1e-12)
    if cuts == ("column", "row"):
        assert said == tensor_block_traffic_bytes(
            micro_batch=1, sequence=n, hidden=h, tensor_parallel=ranks, element_bytes=8
        )


def layer_inputs(heads: int, size: int, sequences: int, tokens: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    shape = (tokens, sequences, heads * size)
    return layer_weights(hidden=heads * size, seed=seed), rng.normal(size=shape), rng.normal(size=shape)


MODES = {
    "tensor": {},
    "sequence": {"sequence_parallel": True},
    "again": {"sequence_parallel": True, "gather_again": True},
}


@pytest.mark.parametrize("cuts", [("column", "row"), ("row", "column")])
def test_a_gradient_may_be_a_function_of_the_output(cuts: tuple[str, str]) -> None:
    draw = np.random.default_rng(17)
    x, first, second = draw.normal(size=(3, 4)), draw.normal(size=(4, 8)), draw.normal(size=(8, 4))
    output = run_pair(x, first, second, x, ranks=2, cuts=cuts).output
    given = run_pair(x, first, second, 2 * output, ranks=2, cuts=cuts)
    asked = run_pair(x, first, second, lambda output: 2 * output, ranks=2, cuts=cuts)
    assert np.array_equal(asked.first_gradient, given.first_gradient)
    assert np.array_equal(asked.second_gradient, given.second_gradient)
    with pytest.raises(ValueError, match=r"gradient must have the shape of x, \(3, 4\), got \(3, 2\)"):
        run_pair(x, first, second, lambda output: output[:, :2], ranks=2, cuts=cuts)


@settings(max_examples=25)
@given(
    mode=st.sampled_from(list(MODES)),
    ranks=st.integers(1, 4),
    own=st.integers(1, 2),
    size=st.integers(1, 3),
    sequences=st.integers(1, 2),
    chunk=st.integers(1, 2),
    seed=st.integers(0, 9),
)
def test_a_layer_among_ranks_is_the_layer_of_chapter_21(
    mode: str, ranks: int, own: int, size: int, sequences: int, chunk: int, seed: int
) -> None:
    """Output and gradients, what is kept tensor by tensor, and what is sent, against one device and the formulas."""
    heads, tokens, options = ranks * own, ranks * chunk, MODES[mode]
    weights, x, above = layer_inputs(heads, size, sequences, tokens, seed)
    run = run_tensor_layer(weights, x, above, ranks=ranks, heads=heads, seed=seed, **options)
    out, kept = layer_forward(weights, x, heads=heads, seed=seed)
    back, grads = layer_backward(weights, kept, above, seed=seed)
    np.testing.assert_allclose(run.output, out, atol=1e-9)
    np.testing.assert_allclose(run.input_gradient, back, atol=1e-8)
    for name, gradient in grads.items():
        np.testing.assert_allclose(run.gradients[name], gradient, atol=1e-8)

    h = heads * size
    cut: dict[str, Any] = {
        "sequence": tokens,
        "micro_batch": sequences,
        "hidden": h,
        "heads": heads,
        "tensor_parallel": ranks,
    }
    listed = {each.name: each.bytes for each in stored_tensors(**cut, sequence_parallel=mode != "tensor")}
    if mode == "sequence":  # what the blocks begin with is kept whole
        for name in ("query, key and value's input", "first matrix's input"):
            listed[name] *= ranks
    for rank in range(ranks):
        assert dict(run.kept_bytes[rank]) == listed
        assert run.account.kind_peak_bytes["activations"][rank] == sum(listed.values())
    if mode != "sequence":
        assert sum(listed.values()) == layer_activation_bytes(**cut, sequence_parallel=mode == "again")

    sent: dict[str, Any] = {
        "micro_batch": sequences,
        "sequence": tokens,
        "hidden": h,
        "tensor_parallel": ranks,
        "element_bytes": 8,
    }
    said = 2 * tensor_block_traffic_bytes(**sent, gather_again=mode == "again")
    if mode != "tensor":
        said += ring_all_reduce_bytes(ranks=ranks, size_bytes=2 * h * 8) if ranks > 1 else 0
    assert sum(run.account.sent_bytes) / ranks == pytest.approx(said, rel=1e-12)
    counts = tensor_block_collectives(
        tensor_parallel=ranks, sequence_parallel=mode != "tensor", gather_again=mode == "again"
    )
    steps = 2 * (ranks - 1) * (2 * counts.all_reduces + (mode != "tensor"))
    steps += (ranks - 1) * 2 * (counts.all_gathers + counts.reduce_scatters)
    assert run.account.steps == steps


@pytest.mark.parametrize(
    ("heads", "shared", "ranks"), [(4, 2, 2), (4, 2, 4), (4, 1, 4), (6, 2, 2), (6, 3, 1), (4, 1, 2)]
)
@pytest.mark.parametrize("mode", MODES)
def test_grouped_queries_are_a_layer_whose_keys_and_values_are_repeated(
    heads: int, shared: int, ranks: int, mode: str
) -> None:
    size, group = 2, heads // shared
    weights, x, above = layer_inputs(heads, size, 2, 4, heads + shared)
    query, key, value = np.split(weights["qkv"], 3, axis=1)
    few = [part[:, : shared * size] for part in (key, value)]
    repeated = [np.repeat(part.reshape(-1, shared, size), group, axis=1).reshape(len(part), -1) for part in few]
    dense = weights | {"qkv": np.hstack([query, *repeated])}
    out, kept = layer_forward(dense, x, heads=heads)
    back, grads = layer_backward(dense, kept, above)
    grouped = weights | {"qkv": np.hstack([query, *few])}
    run = run_tensor_layer(grouped, x, above, ranks=ranks, heads=heads, key_value_heads=shared, **MODES[mode])
    np.testing.assert_allclose(run.output, out, atol=1e-10)
    np.testing.assert_allclose(run.input_gradient, back, atol=1e-10)
    per_query, *others = np.split(grads["qkv"], 3, axis=1)
    summed = [part.reshape(len(part), shared, group, size).sum(axis=2).reshape(len(part), -1) for part in others]
    np.testing.assert_allclose(run.gradients["qkv"], np.hstack([per_query, *summed]), atol=1e-10)
    each = key_value_heads_per_rank(heads=heads, key_value_heads=shared, tensor_parallel=ranks)
    assert all(kept["key"] == 2 * x.shape[0] * x.shape[1] * each * size for kept in run.kept_bytes)


def test_copies_of_keys_and_values_sum_their_gradients() -> None:
    """What copied heads send besides: an all-reduce of 2·h·d weights' gradients among the ranks that share a head."""
    weights, x, above = layer_inputs(4, 2, 1, 4, 3)
    query, key, value = np.split(weights["qkv"], 3, axis=1)
    grouped = weights | {"qkv": np.hstack([query, key[:, :4], value[:, :4]])}
    run = run_tensor_layer(grouped, x, above, ranks=4, heads=4, key_value_heads=2)
    plain = 2 * tensor_block_traffic_bytes(micro_batch=1, sequence=4, hidden=8, tensor_parallel=4, element_bytes=8)
    copied = ring_all_reduce_bytes(ranks=2, size_bytes=2 * 8 * 2 * 8)
    assert sum(run.account.sent_bytes) / 4 == plain + copied


@settings(max_examples=20)
@given(
    ranks=st.integers(1, 5),
    more=st.integers(0, 6),
    width=st.integers(1, 4),
    count=st.integers(1, 6),
    seed=st.integers(0, 99),
)
def test_the_loss_of_a_cut_vocabulary(ranks: int, more: int, width: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    v = ranks + more
    table, tokens, targets = rng.normal(size=(v, width)), rng.integers(0, v, count), rng.integers(0, v, count)
    run = run_vocabulary_parallel(table, tokens, targets, ranks=ranks)

    def losses(rows: Any) -> Any:
        return -log_softmax(np.tanh(rows[tokens]) @ rows.T, axis=1)[np.arange(count), targets]

    np.testing.assert_allclose(run.losses, losses(table), atol=1e-12)
    for place in {(0, 0), (v - 1, width - 1), (int(tokens[0]), 0), (int(targets[-1]), width - 1)}:
        assert run.gradient[place] == pytest.approx(slope(lambda rows: losses(rows).mean(), table, place), abs=1e-8)
    ends = 2 * ring_all_reduce_bytes(ranks=ranks, size_bytes=count * width * 8) if ranks > 1 else 0
    said = ends + vocabulary_loss_bytes(tokens=count, tensor_parallel=ranks, element_bytes=8)
    assert sum(run.account.sent_bytes) / ranks == pytest.approx(said, rel=1e-12)


def test_a_loss_of_large_logits_does_not_overflow() -> None:
    run = run_vocabulary_parallel([[2000.0], [-2000.0], [1990.0]], [0, 1], [0, 0], ranks=3)
    assert run.losses.tolist() == pytest.approx([0, 4000], abs=1e-4)


@settings(max_examples=30)
@given(nodes=st.integers(1, 5), gpus=st.integers(1, 8), inside=st.integers(1, 90), outside=st.integers(1, 90))
def test_rings_through_all_adapters(nodes: int, gpus: int, inside: int, outside: int) -> None:
    links = {"node_bytes_per_s": inside, "adapter_bytes_per_s": outside}
    ranks = nodes * gpus
    run = placed_all_reduce(nodes=nodes, gpus_in_node=gpus, size_bytes=1e3, **links)
    if ranks > 1:
        formula = placed_ring_bytes_per_s(nodes=nodes, gpus_in_node=gpus, **links)
        assert ring_all_reduce_bytes(ranks=ranks, size_bytes=1e3) / run.time_s == pytest.approx(formula)
        assert run.inside_bytes + run.outside_bytes <= ring_all_reduce_bytes(ranks=ranks, size_bytes=1e3) * (1 + 1e-9)


@settings(max_examples=30)
@given(
    b=st.integers(1, 4),
    s=st.integers(1, 40),
    h=st.integers(1, 20),
    t=st.integers(2, 9),
    rate=st.floats(1, 1e6),
    latency=st.floats(0, 1),
)
def test_times_are_those_of_the_books_operations_and_rings(
    b: int, s: int, h: int, t: int, rate: float, latency: float
) -> None:
    compute = 3 * layer_forward_flops(batch=b, sequence=s, hidden=h) / (t * rate)
    ring = ring_all_reduce_time_s(ranks=t, size_bytes=2 * b * s * h, latency_s=latency, bandwidth_bytes_per_s=7.0)
    size: dict[str, Any] = {
        "sequence": s,
        "hidden": h,
        "tensor_parallel": t,
        "flops_per_s": rate,
        "bandwidth_bytes_per_s": 7.0,
    }
    assert tensor_layer_time_s(**size, micro_batch=b, latency_s=latency) == pytest.approx(compute + 4 * ring)
    bare = ring_all_reduce_time_s(ranks=t, size_bytes=2 * b * s * h, latency_s=0, bandwidth_bytes_per_s=7.0)
    assert tensor_communication_to_compute(**size) == pytest.approx(4 * bare / compute)


def test_key_value_heads_by_dealing_them() -> None:
    for heads, shared, ranks in product((4, 8, 12), (1, 2, 4, 12), (1, 2, 4, 8)):
        if heads % shared or heads % ranks or (shared % ranks and ranks % shared):
            continue
        own = heads // ranks
        used = {head // (heads // shared) for head in range(own)}
        assert key_value_heads_per_rank(heads=heads, key_value_heads=shared, tensor_parallel=ranks) == len(used)


def test_the_published_layer() -> None:
    """The forward pass of a layer at t = 8: operations, microseconds of both, and their ratio."""
    given_, said = ROWS["tp-layer-exercise"]["inputs"], ROWS["tp-layer-exercise"]["expected"]
    flops = layer_forward_flops(batch=given_["b"], sequence=given_["s"], hidden=given_["d"])
    assert flops == said["layer_forward_flops"]
    size: dict[str, Any] = {"sequence": given_["s"], "hidden": given_["d"], "tensor_parallel": given_["t"]}
    rates = {"flops_per_s": given_["peak"], "bandwidth_bytes_per_s": given_["nvlink_per_direction"]}
    forward = tensor_block_traffic_bytes(micro_batch=given_["b"], **size) / given_["nvlink_per_direction"]
    assert 1e6 * forward == pytest.approx(said["comm_us"], rel=1e-3)
    assert 1e6 * flops / given_["t"] / given_["peak"] == pytest.approx(said["compute_us"], rel=1e-3)
    assert 1 / tensor_communication_to_compute(**size, **rates) == pytest.approx(said["ratio"] * 3 / 2, rel=1e-3)


def test_ulysses_beside_megatrons_sequence_parallelism() -> None:
    """Numbers that a rank sends in a layer's forward pass, without the factor (P − 1)/P: 4Nh/P and 4Nh."""
    given_, said = ROWS["ulysses-volume"]["inputs"], ROWS["ulysses-volume"]["expected"]
    n, h, p = given_["N"], given_["h"], given_["P"]
    both = 2 * tensor_block_traffic_bytes(micro_batch=1, sequence=n, hidden=h, tensor_parallel=p, element_bytes=1)
    assert both / 2 * p / (p - 1) == said["megatron_sp_elems"]
    one = collective_traffic("all_to_all", "pairwise", ranks=p, size_bytes=n * h // p, element_bytes=1).sent_bytes[0]
    assert 4 * one * p / (p - 1) == said["ulysses_elems"]
    assert said["megatron_sp_elems"] / said["ulysses_elems"] == given_["P"] == said["ratio"]


def test_bad_pairs_and_layers_are_named() -> None:
    x = np.ones((2, 4))
    with pytest.raises(ValueError, match="cuts"):
        run_pair(x, np.ones((4, 8)), np.ones((8, 4)), x, ranks=2, cuts=("column",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="heads"):
        run_pair(x, np.ones((4, 12)), np.ones((4, 4)), x, ranks=4, cuts=("column", "row"), heads=2)
    cube = np.ones((2, 1, 4))
    with pytest.raises(ValueError, match="gather_again"):
        run_tensor_layer(layer_weights(hidden=4), cube, cube, ranks=2, heads=2, gather_again=True)
    with pytest.raises(ValueError, match="key_value_heads"):
        run_tensor_layer(layer_weights(hidden=4), cube, cube, ranks=1, heads=4, key_value_heads=3)
    with pytest.raises(ValueError, match="gather_again"):
        tensor_block_collectives(tensor_parallel=2, gather_again=True)
    with pytest.raises(ValueError, match="tensor_parallel"):
        key_value_heads_per_rank(heads=8, key_value_heads=2, tensor_parallel=3)
