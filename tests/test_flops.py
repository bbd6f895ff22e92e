"""FLOPs against published numbers, and against a counter that runs through every product of a small model."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets import flops
from snippets.models import (
    MODELS,
    Attention,
    Experts,
    FeedForward,
    LatentAttention,
    Transformer,
    active_parameter_count,
    parameter_count,
)

ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row
    for row in json.loads((Path(__file__).parent / "memory" / "published_memory.json").read_text(encoding="utf-8"))
}
DAY = 86400


class Counter:
    """Counts 2·m·k·n for every product that it is told of."""

    def __init__(self) -> None:
        self.flops = Fraction(0)

    def product(self, m: int, k: int, n: int) -> None:
        self.flops += 2 * m * k * n


def pairs_by_counting(n: int, mask: str) -> Fraction:
    visible = [(i, j) for i in range(n) for j in range(n) if mask != "exact" or j <= i]
    return Fraction(len(visible), 2 if mask == "half" else 1)


def scores_by_counting(counter: Counter, n: int, mask: str, query_width: int, value_width: int) -> None:
    """One head: a dot product for each visible pair, and a scaled value for each."""
    counter.flops += pairs_by_counting(n, mask) * 2 * (query_width + value_width)


def forward_by_counting(model: Transformer, batch: int, n: int, mask: str) -> Fraction:
    """Run through the forward pass matrix by matrix, token by token where experts are chosen."""
    counter, d, attention = Counter(), model.hidden, model.attention
    for _ in range(batch):
        for layer in range(model.layers):
            if isinstance(attention, LatentAttention):
                query = attention.head_size + attention.rotary_size
                counter.product(n, d, attention.query_rank)
                counter.product(n, attention.query_rank, attention.heads * query)
                counter.product(n, d, attention.key_value_rank + attention.rotary_size)
                counter.product(n, attention.key_value_rank, attention.heads * attention.head_size)
                counter.product(n, attention.key_value_rank, attention.heads * attention.value_size)
                value = attention.value_size
            else:
                query = value = attention.head_size
                counter.product(n, d, attention.heads * query)
                counter.product(n, d, attention.key_value_heads * query)
                counter.product(n, d, attention.key_value_heads * value)
            for _head in range(attention.heads):
                scores_by_counting(counter, n, mask, query, value)
            counter.product(n, attention.heads * value, d)
            if layer < model.layers - model.expert_layers:
                assert model.feed_forward is not None
                for _matrix in range(3 if model.feed_forward.gated else 2):
                    counter.product(n, d, model.feed_forward.width)
            else:
                assert model.experts is not None
                counter.product(n, d, model.experts.experts)
                for _token in range(n):
                    for _expert in range(model.experts.per_token + model.experts.shared):
                        for _matrix in range(3 if model.experts.gated else 2):
                            counter.product(1, d, model.experts.width)
        counter.product(n, d, model.vocabulary)
    return counter.flops


small = st.integers(1, 5)


@st.composite
def transformers(draw: st.DrawFn) -> Transformer:
    layers, expert_layers = draw(small), draw(st.integers(0, 3))
    expert_layers = min(expert_layers, layers)
    groups, head_size = draw(small), draw(small)
    attention: Attention | LatentAttention = Attention(
        groups * draw(small), groups, head_size, draw(st.booleans()), draw(st.booleans())
    )
    if draw(st.booleans()):
        attention = LatentAttention(*(draw(small) for _ in range(6)))
    experts = None
    if expert_layers:
        count = draw(small)
        experts = Experts(
            count,
            draw(st.integers(1, count)),
            draw(small),
            draw(st.integers(0, 2)),
            draw(st.booleans()),
            draw(st.booleans()),
        )
    dense = None if expert_layers == layers else FeedForward(draw(small), draw(st.booleans()), draw(st.booleans()))
    return Transformer(
        "drawn",
        layers,
        draw(small),
        draw(small),
        attention,
        dense,
        experts,
        expert_layers,
        draw(st.integers(0, 3)),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@settings(max_examples=examples(120), deadline=None)
@given(transformers(), small, small, st.sampled_from(flops.MASKS))
def test_forward_equals_the_count_of_every_product(model: Transformer, batch: int, n: int, mask: str) -> None:
    counted = forward_by_counting(model, batch, n, mask)
    got = flops.forward_flops(model, batch=batch, sequence=n, mask=mask)
    assert isinstance(got, int)
    assert got == counted


@given(st.integers(1, 40), st.sampled_from(flops.MASKS))
def test_pairs_by_counting_them(n: int, mask: str) -> None:
    assert flops.attention_pairs(n, mask=mask) == pairs_by_counting(n, mask)


@settings(max_examples=examples(60), deadline=None)
@given(small, small, st.integers(1, 3), small, small, small, st.sampled_from(flops.MASKS))
def test_gpt_forms_are_the_general_one(
    batch: int, n: int, layers: int, heads: int, head_size: int, vocabulary: int, mask: str
) -> None:
    d = heads * head_size
    model = Transformer(
        "drawn", layers, d, vocabulary, Attention(heads, heads, head_size), FeedForward(4 * d, gated=False)
    )
    forward = forward_by_counting(model, batch, n, mask)
    head = 2 * batch * n * d * vocabulary
    layer = flops.layer_forward_flops(batch=batch, sequence=n, hidden=d, mask=mask)
    assert layers * layer + head == forward
    shape: dict[str, Any] = {
        "batch": batch,
        "sequence": n,
        "layers": layers,
        "hidden": d,
        "vocabulary": vocabulary,
        "mask": mask,
    }
    assert flops.gpt_training_flops(**shape) == 3 * forward
    assert flops.gpt_training_flops(**shape, recomputation="full") == 4 * forward - head
    scores = Counter()
    for _ in range(batch * layers * heads):
        scores_by_counting(scores, n, mask, head_size, head_size)
    assert flops.gpt_training_flops(**shape, recomputation="selective") == 3 * forward + scores.flops
    assert flops.attention_forward_flops(batch=batch, sequence=n, hidden=d, mask=mask) * layers == scores.flops


def megatron(row: dict[str, Any], **more: Any) -> dict[str, Any]:
    inputs = row["inputs"]
    return {
        "batch": inputs["batch"],
        "sequence": inputs.get("seq", 2048),
        "layers": inputs["layers"],
        "hidden": inputs["hidden"],
        "vocabulary": inputs.get("vocab", 51200),
        **more,
    }


@pytest.mark.parametrize("size", ["3.6B", "18B", "39B", "530B"])
def test_megatron_iterations(size: str) -> None:
    row = ROWS[f"megatron-t1-{size}-derived"]
    work = flops.gpt_training_flops(**megatron(row, recomputation="full"))
    assert work == pytest.approx(row["expected"]["flops_per_iter"], rel=1e-12)
    seconds = work / row["inputs"]["gpus"] / row["inputs"]["TFLOPs_per_gpu"] / 1e12
    assert seconds == pytest.approx(row["expected"]["iter_seconds"], rel=1e-9)


@pytest.mark.parametrize("gpus", [2240, 2800, 3360])
def test_megatron_turing_throughput(gpus: int) -> None:
    row = ROWS[f"mtnlg-{gpus}"]
    work = flops.gpt_training_flops(**megatron(row, recomputation="full"))
    rate = flops.flops_utilization(flops=work, seconds=row["inputs"]["iter_s"], devices=gpus, peak_flops_per_s=1e12)
    assert rate == pytest.approx(row["expected"]["TFLOPs_per_gpu"], rel=0.02)


@pytest.mark.parametrize("size", ["22B", "175B", "530B", "1T"])
def test_korthikanti_utilization(size: str) -> None:
    row = ROWS[f"korthikanti-t5-{size}"]
    inputs, expected = row["inputs"], row["expected"]
    clock = {"seconds": inputs["iter_s_present"], "devices": inputs["gpus"], "peak_flops_per_s": inputs["peak"]}
    mfu = 100 * flops.flops_utilization(flops=flops.gpt_training_flops(**megatron(row)), **clock)
    assert mfu == pytest.approx(expected["MFU_recomputed"], abs=0.006)
    assert mfu == pytest.approx(expected["MFU_pct"], abs=0.35)
    hfu = 100 * flops.flops_utilization(flops=flops.korthikanti_hardware_flops(**megatron(row)), **clock)
    assert hfu == pytest.approx(expected["HFU_recomputed"], abs=0.006)
    assert hfu == pytest.approx(expected["HFU_pct"], abs=0.35)


@pytest.mark.parametrize(("layers", "hidden", "percent"), [(96, 12288, 2.7), (105, 20480, 1.6)])
def test_what_selective_recomputation_repeats(layers: int, hidden: int, percent: float) -> None:
    # Section 5 prints 2.7% for GPT-3 and 1.6% for MT-NLG: three times the products that are made again, as they are
    # counted above, product by product.
    shape: dict[str, Any] = {"batch": 1, "sequence": 2048, "layers": layers, "hidden": hidden, "vocabulary": 51200}
    model = flops.gpt_training_flops(**shape)
    printed = flops.korthikanti_hardware_flops(**shape) - model
    repeated = flops.gpt_training_flops(**shape, recomputation="selective") - model
    assert 100 * printed / model == pytest.approx(percent, abs=0.06)
    assert printed == 3 * repeated
    assert 100 * repeated / model == pytest.approx(percent / 3, abs=0.02)


def test_megatron_lm_halves_attention() -> None:
    row = ROWS["megatron-flops-causal"]
    inputs = row["inputs"]
    shape: dict[str, Any] = {
        "batch": 1,
        "sequence": inputs["seq"],
        "layers": inputs["layers"],
        "hidden": inputs["hidden"],
    }
    for mask, key in (("full", "full_attention_flops"), ("half", "causal_half_flops")):
        work = flops.gpt_training_flops(**shape, vocabulary=inputs["vocab"], mask=mask)
        assert work / inputs["seq"] == pytest.approx(row["expected"][key], rel=1e-12)


def test_nano_gpt() -> None:
    expected = ROWS["nanogpt-flops"]["expected"]
    model = MODELS["GPT-2 124M"]
    assert flops.forward_flops(model, batch=1, sequence=1024) == expected["forward"]
    shape: dict[str, Any] = {"batch": 1, "sequence": 1024, "layers": 12, "hidden": 768, "vocabulary": 50257}
    assert flops.gpt_training_flops(**shape) == expected["total"]
    # Its model has no biases, and it leaves the position table out of N.
    bare = parameter_count(model) - 1024 * 768 - 12 * 11 * 768 - 768
    per_token = flops.training_flops_per_token(parameters=bare, layers=12, heads=12, head_size=64, sequence=1024)
    assert 1024 * per_token == expected["palm"]


@pytest.mark.parametrize("size", ["1.59B", "6.8B"])
def test_chinchilla_ratio(size: str) -> None:
    # Hoffmann et al. count the softmax's 3 operations a score, and relative positions (d² + 2d weights a layer); the
    # reproduction leaves embeddings and logits out of the FLOPs and has the head in N.
    row = ROWS[f"chinchilla-a4-{size}"]
    inputs = row["inputs"]
    layers, d, n, heads = inputs["layers"], inputs["d"], inputs["seq"], inputs["heads"]
    assert inputs["ffw"] == 4 * d
    forward = layers * (flops.layer_forward_flops(batch=1, sequence=n, hidden=d) + 3 * heads * n * n)
    weights = layers * (13 * d * d + 15 * d) + 2 * d + inputs["vocab"] * d
    ratio = 3 * forward / flops.training_flops(parameters=weights, tokens=n)
    assert ratio == pytest.approx(row["expected"]["flops_over_6ND"], abs=row["tolerance"]["abs"])


def test_palm_utilization() -> None:
    row = ROWS["palm-mfu"]
    inputs, expected = row["inputs"], row["expected"]
    clock = {"seconds": 1 / inputs["tokens_per_s"], "devices": inputs["chips"], "peak_flops_per_s": inputs["peak"]}
    work = flops.training_flops_per_token(
        parameters=inputs["N"], layers=inputs["L"], heads=inputs["H"], head_size=inputs["Q"], sequence=inputs["T"]
    )
    assert 100 * flops.flops_utilization(flops=work, **clock) == pytest.approx(expected["MFU_pct"], abs=0.1)
    bare = flops.training_flops(parameters=inputs["N"], tokens=1)
    near = pytest.approx(expected["MFU_no_attention_pct"], abs=0.1)
    assert 100 * flops.flops_utilization(flops=bare, **clock) == near


@pytest.mark.parametrize(
    "row", [row for row in ROWS.values() if row["topic"] == "megatron-table2"], ids=lambda r: r["id"]
)
def test_megatron_days(row: dict[str, Any]) -> None:
    inputs = row["inputs"]
    seconds = flops.training_time_s(
        parameters=inputs["params"],
        tokens=inputs["tokens"],
        devices=inputs["gpus"],
        flops_per_s=inputs["TFLOPs_per_gpu"] * 1e12,
        recomputation="full",
    )
    assert seconds / DAY == pytest.approx(row["expected"]["days_8TP_nX"], abs=0.006)
    assert seconds / DAY == pytest.approx(row["expected"]["days_printed"], rel=0.035)


def test_published_training_runs() -> None:
    row = ROWS["megatron-e2e-1T"]
    days = (
        flops.training_time_s(
            parameters=10**12, tokens=450 * 10**9, devices=3072, flops_per_s=163e12, recomputation="full"
        )
        / DAY
    )
    assert days == pytest.approx(row["expected"]["days"], abs=0.006)
    llama = ROWS["llama3-days"]
    work = flops.training_flops(parameters=405e9, tokens=15.6e12)
    assert work == pytest.approx(llama["expected"]["flops_6ND"], rel=1e-12)
    seconds = llama["inputs"]["gpu_hours"] * 3600 / llama["inputs"]["gpus"]
    assert seconds / DAY == pytest.approx(llama["expected"]["days"], rel=1e-9)
    share = flops.flops_utilization(flops=work, seconds=seconds, devices=16384, peak_flops_per_s=989e12)
    assert 100 * share == pytest.approx(llama["expected"]["mfu_pct"], rel=1e-3)
    for name in ("llama2-gpuhours-13B", "llama1-7B", "llama1-13B", "llama1-33B"):
        inputs, expected = ROWS[name]["inputs"], ROWS[name]["expected"]
        work = flops.training_flops(parameters=inputs["params"], tokens=inputs["tokens"])
        share = flops.flops_utilization(
            flops=work, seconds=3600 * inputs["gpu_hours"], devices=1, peak_flops_per_s=inputs["peak"]
        )
        assert 100 * share == pytest.approx(expected["mfu_6ND_pct"], abs=0.2)
    speed = ROWS["llama1-65B-speed"]["inputs"]
    rate = flops.training_flops(parameters=65.2e9, tokens=speed["tokens_per_s_per_gpu"])
    share = flops.flops_utilization(flops=rate, seconds=1, devices=1, peak_flops_per_s=312e12)
    assert 100 * share == pytest.approx(ROWS["llama1-65B-speed"]["expected"]["mfu_pct"], rel=1e-3)
    tokens_per_s = 2048 * speed["tokens_per_s_per_gpu"]
    clock = {"tokens_per_s": tokens_per_s, "devices": 2048, "peak_flops_per_s": 312e12}
    assert flops.training_utilization(parameters=65.2e9, **clock) == pytest.approx(share)


def test_zero_paper_throughput() -> None:
    inputs, expected = ROWS["zero-throughput-15PF"]["inputs"], ROWS["zero-throughput-15PF"]["expected"]
    share = flops.flops_utilization(
        flops=15e15, seconds=1, devices=inputs["gpus"], peak_flops_per_s=inputs["peak_TF"] * 1e12
    )
    assert share == pytest.approx(expected["fraction"], rel=0.01)
    assert share * inputs["peak_TF"] == pytest.approx(expected["TF_per_gpu"], rel=0.01)


@given(st.integers(1, 10**12), st.integers(1, 10**13), st.integers(1, 10**5), st.integers(1, 10**15))
def test_time_is_work_over_rate(parameters: int, tokens: int, devices: int, rate: int) -> None:
    shape: dict[str, Any] = {"parameters": parameters, "tokens": tokens, "devices": devices, "flops_per_s": rate}
    for operations, how in ((6, "none"), (8, "full")):
        exact = float(Fraction(operations * parameters * tokens, devices * rate))
        assert flops.training_time_s(**shape, recomputation=how) == pytest.approx(exact, rel=1e-15)
    seconds = flops.training_time_s(**shape)
    work = flops.training_flops(parameters=parameters, tokens=tokens)
    assert flops.compute_time_s(flops=work, flops_per_s=rate, devices=devices) == pytest.approx(seconds, rel=1e-15)
    share = flops.flops_utilization(flops=work, seconds=seconds, devices=devices, peak_flops_per_s=2 * rate)
    assert share == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_a_step_is_a_forward_and_a_backward_pass_of_twice_as_much(name: str) -> None:
    """By name or as a configuration; 6N of the rule of thumb are 2 and 4, and attention comes on top."""
    size: dict[str, Any] = {"batch": 2, "sequence": 64}
    passes = [work(name, **size) for work in (flops.forward_flops, flops.backward_flops, flops.training_step_flops)]
    assert passes == [passes[0], 2 * passes[0], 3 * passes[0]]
    assert passes[0] == flops.forward_flops(MODELS[name], **size)
    assert passes[2] > flops.training_flops(parameters=active_parameter_count(name, embeddings="none"), tokens=2 * 64)


def test_attention_share_is_n_over_6d() -> None:
    d, n = 4096, 2048
    full = flops.layer_forward_flops(batch=1, sequence=n, hidden=d)
    scores = flops.attention_forward_flops(batch=1, sequence=n, hidden=d)
    assert Fraction(scores, full - scores) == Fraction(n, 6 * d)


def test_results_too_large_for_a_float_are_refused() -> None:
    with pytest.raises(ValueError, match="flops, seconds and peak_flops_per_s"):
        flops.flops_utilization(flops=1e308, seconds=1e-300, devices=1, peak_flops_per_s=1.0)
    with pytest.raises(ValueError, match="parameters, tokens and flops_per_s"):
        flops.training_time_s(parameters=10**30, tokens=10**30, devices=1, flops_per_s=1e-300)
    with pytest.raises(ValueError, match="model must be one of 'GPT-2 124M'"):
        flops.forward_flops(None, batch=1, sequence=1)  # type: ignore[arg-type]
