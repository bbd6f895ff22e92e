"""Parameter counts against published numbers and against a list of every tensor of the checkpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets import models
from snippets.models import MODELS, Attention, Experts, FeedForward, LatentAttention, Transformer

ROWS = {
    row["id"]: row
    for row in json.loads((Path(__file__).parent / "memory" / "published_memory.json").read_text(encoding="utf-8"))
}

# What the makers' files or papers print, to the digit (published.json and the released checkpoints). From Llama 3.2 on
# the counts are those that the Hugging Face Hub shows of the released safetensors, as public repositories record them,
# and Pythia's is in its model card; read 2026-11-23.
PUBLISHED = {
    "GPT-2 124M": 124_439_808,
    "GPT-2 355M": 354_823_168,
    "GPT-2 774M": 774_030_080,
    "GPT-2 1.5B": 1_557_611_200,
    "GPT-3 175B": 174_604_259_328,
    "LLaMA 7B": 6_738_415_616,
    "LLaMA 13B": 13_015_864_320,
    "LLaMA 33B": 32_528_943_616,
    "LLaMA 65B": 65_285_660_672,
    "Llama 2 7B": 6_738_415_616,
    "Llama 2 13B": 13_015_864_320,
    "Llama 2 70B": 68_976_648_192,
    "Llama 3 8B": 8_030_261_248,
    "Llama 3 70B": 70_553_706_496,
    "Llama 3 405B": 405_853_388_800,
    "Mistral 7B": 7_241_732_096,
    "Mixtral 8x7B": 46_702_792_704,
    "Mixtral 8x22B": 140_620_634_112,
    "Llama 3.2 1B": 1_235_814_400,
    "Llama 3.2 3B": 3_212_749_824,
    "Mistral Nemo 12B": 12_247_782_400,
    "Mistral Small 24B": 23_572_403_200,
    "Qwen2.5 7B": 7_615_616_512,
    "Qwen2.5 72B": 72_706_203_648,
    "Qwen3 8B": 8_190_735_360,
    "Qwen3 32B": 32_762_123_264,
    "Qwen3 30B-A3B": 30_532_122_624,
    "Qwen3 235B-A22B": 235_093_634_560,
    "Gemma 2 9B": 9_241_705_984,
    "Gemma 2 27B": 27_227_128_320,
    "Gemma 3 1B": 999_885_952,
    "OLMo 2 7B": 7_298_617_344,
    "OLMo 2 13B": 13_716_198_400,
    "Phi-4 14B": 14_659_507_200,
    "Pythia 6.9B": 6_857_302_016,
    "DeepSeek-V2": 235_741_434_880,
}

# The configuration files as they are published, in their own words.
GPT2 = {"n_embd": 768, "n_layer": 12, "n_head": 12, "n_ctx": 1024, "vocab_size": 50257}
LLAMA3_70B = {
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_attention_heads": 64,
    "num_hidden_layers": 80,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
MIXTRAL = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "vocab_size": 32000,
}
DEEPSEEK = {
    "first_k_dense_replace": 3,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "kv_lora_rank": 512,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_attention_heads": 128,
    "num_experts_per_tok": 8,
    "num_hidden_layers": 61,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "vocab_size": 129280,
}

# Of the published config.json files what says how many parameters there are.
CONFIGS: dict[str, dict[str, Any]] = {
    "GPT-2 124M": {
        "model_type": "gpt2",
        "n_embd": 768,
        "n_head": 12,
        "n_layer": 12,
        "n_positions": 1024,
        "vocab_size": 50257,
    },
    "LLaMA 7B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "tie_word_embeddings": False,
        "vocab_size": 32000,
    },
    "Llama 3.2 3B": {
        "model_type": "llama",
        "attention_bias": False,
        "head_dim": 128,
        "hidden_size": 3072,
        "intermediate_size": 8192,
        "mlp_bias": False,
        "num_attention_heads": 24,
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
        "tie_word_embeddings": True,
        "vocab_size": 128256,
    },
    "Mistral Nemo 12B": {
        "model_type": "mistral",
        "head_dim": 128,
        "hidden_size": 5120,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_hidden_layers": 40,
        "num_key_value_heads": 8,
        "tie_word_embeddings": False,
        "vocab_size": 131072,
    },
    "Mixtral 8x7B": {
        "model_type": "mixtral",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_experts_per_tok": 2,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
        "num_local_experts": 8,
        "tie_word_embeddings": False,
        "vocab_size": 32000,
    },
    "Qwen2.5 7B": {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_attention_heads": 28,
        "num_hidden_layers": 28,
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
        "use_sliding_window": False,
        "vocab_size": 152064,
    },
    "Qwen3 8B": {
        "model_type": "qwen3",
        "attention_bias": False,
        "head_dim": 128,
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_attention_heads": 32,
        "num_hidden_layers": 36,
        "num_key_value_heads": 8,
        "tie_word_embeddings": False,
        "vocab_size": 151936,
    },
    "Qwen3 30B-A3B": {
        "model_type": "qwen3_moe",
        "attention_bias": False,
        "decoder_sparse_step": 1,
        "head_dim": 128,
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "mlp_only_layers": [],
        "moe_intermediate_size": 768,
        "num_attention_heads": 32,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 48,
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
        "vocab_size": 151936,
    },
    "Gemma 2 9B": {
        "model_type": "gemma2",
        "attention_bias": False,
        "head_dim": 256,
        "hidden_size": 3584,
        "intermediate_size": 14336,
        "num_attention_heads": 16,
        "num_hidden_layers": 42,
        "num_key_value_heads": 8,
        "vocab_size": 256000,
    },
    "Gemma 3 1B": {
        "model_type": "gemma3_text",
        "attention_bias": False,
        "head_dim": 256,
        "hidden_size": 1152,
        "intermediate_size": 6912,
        "num_attention_heads": 4,
        "num_hidden_layers": 26,
        "num_key_value_heads": 1,
        "vocab_size": 262144,
    },
    "OLMo 2 7B": {
        "model_type": "olmo2",
        "attention_bias": False,
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 32,
        "tie_word_embeddings": False,
        "vocab_size": 100352,
    },
    "Phi-4 14B": {
        "model_type": "phi3",
        "attention_bias": False,
        "hidden_size": 5120,
        "intermediate_size": 17920,
        "num_attention_heads": 40,
        "num_hidden_layers": 40,
        "num_key_value_heads": 10,
        "tie_word_embeddings": False,
        "vocab_size": 100352,
    },
    "Pythia 6.9B": {
        "model_type": "gpt_neox",
        "hidden_size": 4096,
        "intermediate_size": 16384,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "tie_word_embeddings": False,
        "vocab_size": 50432,
    },
    "DeepSeek-V2": {
        "model_type": "deepseek_v2",
        "attention_bias": False,
        "first_k_dense_replace": 1,
        "hidden_size": 5120,
        "intermediate_size": 12288,
        "kv_lora_rank": 512,
        "moe_intermediate_size": 1536,
        "moe_layer_freq": 1,
        "n_routed_experts": 160,
        "n_shared_experts": 2,
        "num_attention_heads": 128,
        "num_experts_per_tok": 6,
        "num_hidden_layers": 60,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "tie_word_embeddings": False,
        "v_head_dim": 128,
        "vocab_size": 102400,
    },
    "DeepSeek-V3": {"model_type": "deepseek_v3", **DEEPSEEK},
}
GEMMA_7B = {
    "model_type": "gemma",
    "attention_bias": False,
    "head_dim": 256,
    "hidden_size": 3072,
    "intermediate_size": 24576,
    "num_attention_heads": 16,
    "num_hidden_layers": 28,
    "num_key_value_heads": 16,
    "vocab_size": 256000,
}
GEMMA_7B_COUNT = 8_537_680_896  # that of the Hub, read 2026-11-23

Tensors = Iterator[tuple[str, tuple[int, ...]]]


def gpt2_state(c: dict[str, int]) -> Tensors:
    """The tensors of a GPT-2 checkpoint, as its state dict names them."""
    d = c["n_embd"]
    yield "token_embedding wte", (c["vocab_size"], d)
    yield "position_embedding wpe", (c["n_ctx"], d)
    for layer in range(c["n_layer"]):
        for norm in ("ln_1", "ln_2"):
            yield f"norms h.{layer}.{norm}.weight", (d,)
            yield f"norms h.{layer}.{norm}.bias", (d,)
        yield f"attention h.{layer}.attn.c_attn.weight", (d, 3 * d)
        yield f"attention h.{layer}.attn.c_attn.bias", (3 * d,)
        yield f"attention h.{layer}.attn.c_proj.weight", (d, d)
        yield f"attention h.{layer}.attn.c_proj.bias", (d,)
        yield f"feed_forward h.{layer}.mlp.c_fc.weight", (d, 4 * d)
        yield f"feed_forward h.{layer}.mlp.c_fc.bias", (4 * d,)
        yield f"feed_forward h.{layer}.mlp.c_proj.weight", (4 * d, d)
        yield f"feed_forward h.{layer}.mlp.c_proj.bias", (d,)
    yield "norms ln_f.weight", (d,)
    yield "norms ln_f.bias", (d,)


def llama_state(c: dict[str, int]) -> Tensors:
    """The tensors of a Llama, Mistral or Mixtral checkpoint, as transformers names them."""
    d, f = c["hidden_size"], c["intermediate_size"]
    kv = d // c["num_attention_heads"] * c["num_key_value_heads"]
    yield "token_embedding embed_tokens", (c["vocab_size"], d)
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        yield f"attention {at}.self_attn.q_proj", (d, d)
        yield f"attention {at}.self_attn.k_proj", (kv, d)
        yield f"attention {at}.self_attn.v_proj", (kv, d)
        yield f"attention {at}.self_attn.o_proj", (d, d)
        if "num_local_experts" in c:
            yield f"router {at}.block_sparse_moe.gate", (c["num_local_experts"], d)
            for expert in range(c["num_local_experts"]):
                yield f"routed_experts {at}.experts.{expert}.w1", (f, d)
                yield f"routed_experts {at}.experts.{expert}.w2", (d, f)
                yield f"routed_experts {at}.experts.{expert}.w3", (f, d)
        else:
            yield f"feed_forward {at}.mlp.gate_proj", (f, d)
            yield f"feed_forward {at}.mlp.up_proj", (f, d)
            yield f"feed_forward {at}.mlp.down_proj", (d, f)
        yield f"norms {at}.input_layernorm", (d,)
        yield f"norms {at}.post_attention_layernorm", (d,)
    yield "norms model.norm", (d,)
    yield "head lm_head", (c["vocab_size"], d)


def deepseek_state(c: dict[str, int]) -> Tensors:
    """The tensors of DeepSeek-V3's main model, as its checkpoint names them."""
    d, a = c["hidden_size"], c["num_attention_heads"]
    nope, rope, v = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    yield "token_embedding embed_tokens", (c["vocab_size"], d)
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        yield f"attention {at}.q_a_proj", (c["q_lora_rank"], d)
        yield f"norms {at}.q_a_layernorm", (c["q_lora_rank"],)
        yield f"attention {at}.q_b_proj", (a * (nope + rope), c["q_lora_rank"])
        yield f"attention {at}.kv_a_proj_with_mqa", (c["kv_lora_rank"] + rope, d)
        yield f"norms {at}.kv_a_layernorm", (c["kv_lora_rank"],)
        yield f"attention {at}.kv_b_proj", (a * (nope + v), c["kv_lora_rank"])
        yield f"attention {at}.o_proj", (d, a * v)
        yield f"norms {at}.input_layernorm", (d,)
        yield f"norms {at}.post_attention_layernorm", (d,)
        if layer < c["first_k_dense_replace"]:
            yield from swiglu(f"feed_forward {at}.mlp", d, c["intermediate_size"])
            continue
        yield f"router {at}.mlp.gate.weight", (c["n_routed_experts"], d)
        yield f"router {at}.mlp.gate.e_score_correction_bias", (c["n_routed_experts"],)
        for expert in range(c["n_routed_experts"]):
            yield from swiglu(f"routed_experts {at}.mlp.experts.{expert}", d, c["moe_intermediate_size"])
        yield from swiglu(f"shared_experts {at}.mlp.shared", d, c["n_shared_experts"] * c["moe_intermediate_size"])
    yield "norms model.norm", (d,)
    yield "head lm_head", (c["vocab_size"], d)


def swiglu(at: str, d: int, f: int) -> Tensors:
    yield f"{at}.gate_proj", (f, d)
    yield f"{at}.up_proj", (f, d)
    yield f"{at}.down_proj", (d, f)


def counted(tensors: Tensors) -> dict[str, int]:
    """Sum the tensors' sizes by part; the first word of a name is its part."""
    sizes: dict[str, int] = {}
    for name, shape in tensors:
        part = name.split()[0]
        sizes[part] = sizes.get(part, 0) + prod(shape)
    return sizes


def assert_same(model: Transformer, tensors: Tensors) -> None:
    sizes, parts = counted(tensors), models.parameter_parts(model)
    for part in vars(parts):
        assert getattr(parts, part) == sizes.get(part, 0), part
    assert parts.total == models.parameter_count(model) == sum(sizes.values())


@pytest.mark.parametrize(("name", "count"), PUBLISHED.items())
def test_published_counts(name: str, count: int) -> None:
    assert models.parameter_count(MODELS[name]) == count


def test_every_model_of_the_catalogue_is_held_to_a_number() -> None:
    assert set(MODELS) - set(PUBLISHED) == {"DeepSeek-V3"}
    assert all(model.name == name and len(model.source) > 10 for name, model in MODELS.items())


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("GPT-2 124M", "params-gpt2"),
        ("GPT-2 355M", "params-gpt2-medium"),
        ("GPT-2 1.5B", "params-gpt2-xl"),
        ("GPT-3 175B", "params-gpt3-175b"),
        ("Llama 2 7B", "params-llama2-7b"),
        ("Llama 3 8B", "params-llama3-8b"),
    ],
)
def test_published_rows(name: str, row: str) -> None:
    assert models.parameter_count(MODELS[name]) == ROWS[row]["expected"]["params"]


@pytest.mark.parametrize(
    ("name", "row"), [("Mixtral 8x7B", "moe-mixtral-8x7b"), ("Mixtral 8x22B", "moe-mixtral-8x22b")]
)
def test_published_mixtures(name: str, row: str) -> None:
    expected, model = ROWS[row]["expected"], MODELS[name]
    assert models.parameter_count(model) == expected["total"]
    assert models.active_parameter_count(model) == expected["active"]
    assert round(expected["total"] / 1e9, 1) == pytest.approx(expected["total_printed_B"], abs=0.5)
    assert expected["active"] / 1e9 == pytest.approx(expected["active_printed_B"], abs=0.5)


def test_eight_sevens_are_not_56() -> None:
    # Only the feed-forward blocks are replicated, so Mixtral 8x7B has fewer parameters than eight Mistrals of 7B.
    eight = 8 * models.parameter_count(MODELS["Mistral 7B"])
    assert 0.80 < models.parameter_count(MODELS["Mixtral 8x7B"]) / eight < 0.81


def test_deepseek_by_both_conventions() -> None:
    # The report prints 671B and 37B. README_WEIGHTS.md prints 36.7B "including 0.9B for Embedding and 0.9B for the
    # output Head": with both the configuration gives 37.55B, so the book prints both counts and copies neither.
    model = MODELS["DeepSeek-V3"]
    assert round(models.parameter_count(model) / 1e9) == 671
    assert round(models.active_parameter_count(model) / 1e9, 2) == 37.55
    assert round(models.active_parameter_count(model, embeddings="head") / 1e9, 2) == 36.63
    assert models.active_parameter_count(model) - models.active_parameter_count(model, embeddings="none") == (
        2 * 129280 * 7168
    )


def test_catalogue_against_every_tensor_of_the_checkpoints() -> None:
    assert_same(MODELS["GPT-2 124M"], gpt2_state(GPT2))
    assert_same(MODELS["Llama 3 70B"], llama_state(LLAMA3_70B))
    assert_same(MODELS["Mixtral 8x7B"], llama_state(MIXTRAL))
    assert_same(MODELS["DeepSeek-V3"], deepseek_state(DEEPSEEK))


sizes = st.integers(1, 9)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 4), sizes, sizes, sizes, st.integers(1, 50))
def test_any_gpt(layers: int, heads: int, head_size: int, positions: int, vocabulary: int) -> None:
    d = heads * head_size
    model = replace(
        MODELS["GPT-2 124M"],
        layers=layers,
        hidden=d,
        vocabulary=vocabulary,
        positions=positions,
        attention=Attention(heads, heads, head_size, query_key_value_bias=True, output_bias=True),
        feed_forward=FeedForward(4 * d, gated=False, bias=True),
    )
    config = {"n_embd": d, "n_layer": layers, "n_head": heads, "n_ctx": positions, "vocab_size": vocabulary}
    assert_same(model, gpt2_state(config))
    closed = models.gpt_parameter_count(layers=layers, hidden=d, vocabulary=vocabulary, positions=positions)
    assert closed + 2 * d == models.parameter_count(model)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 4), sizes, sizes, sizes, sizes, st.integers(1, 50), st.integers(0, 6), st.data())
def test_any_llama_or_mixtral(
    layers: int, groups: int, per_group: int, head_size: int, width: int, vocabulary: int, experts: int, data: Any
) -> None:
    heads = groups * per_group
    config = {
        "hidden_size": heads * head_size,
        "intermediate_size": width,
        "num_attention_heads": heads,
        "num_hidden_layers": layers,
        "num_key_value_heads": groups,
        "vocab_size": vocabulary,
    }
    used = data.draw(st.integers(1, max(experts, 1)))
    if experts:
        config["num_local_experts"] = experts
    model = Transformer(
        name="drawn",
        layers=layers,
        hidden=heads * head_size,
        vocabulary=vocabulary,
        attention=Attention(heads, groups, head_size),
        feed_forward=None if experts else FeedForward(width, gated=True),
        experts=Experts(experts, used, width) if experts else None,
        expert_layers=layers if experts else 0,
    )
    assert_same(model, llama_state(config))
    if experts:
        config["num_local_experts"] = used
    active = counted(llama_state(config))
    if experts:
        active["router"] = layers * experts * heads * head_size
    table = vocabulary * heads * head_size
    assert models.active_parameter_count(model) == sum(active.values())
    assert models.active_parameter_count(model, embeddings="head") == sum(active.values()) - table
    assert models.active_parameter_count(model, embeddings="none") == sum(active.values()) - 2 * table


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(1, 7), min_size=14, max_size=14), st.integers(0, 3), st.integers(0, 2), st.booleans())
def test_any_deepseek(drawn: list[int], dense: int, shared: int, router_bias: bool) -> None:
    hidden, f, kv, width, experts, heads, extra, q, nope, rope, v, vocabulary, used, _ = drawn
    layers = dense + extra
    config = {
        "first_k_dense_replace": dense,
        "hidden_size": hidden,
        "intermediate_size": f,
        "kv_lora_rank": kv,
        "moe_intermediate_size": width,
        "n_routed_experts": experts,
        "n_shared_experts": shared,
        "num_attention_heads": heads,
        "num_hidden_layers": layers,
        "q_lora_rank": q,
        "qk_nope_head_dim": nope,
        "qk_rope_head_dim": rope,
        "v_head_dim": v,
        "vocab_size": vocabulary,
    }
    model = Transformer(
        name="drawn",
        layers=layers,
        hidden=hidden,
        vocabulary=vocabulary,
        attention=LatentAttention(heads, q, kv, nope, rope, v),
        feed_forward=FeedForward(f, gated=True) if dense else None,
        experts=Experts(experts, min(used, experts), width, shared=shared, router_bias=router_bias),
        expert_layers=extra,
    )
    tensors = list(deepseek_state(config))
    if not router_bias:
        tensors = [(name, shape) for name, shape in tensors if not name.endswith("correction_bias")]
    assert_same(model, iter(tensors))


@pytest.mark.parametrize("size", ["3.6B", "39B", "310B"])
def test_megatron_table_1_counts(size: str) -> None:
    row = ROWS[f"megatron-t1-{size}"]
    inputs = row["inputs"]
    count = models.gpt_parameter_count(
        layers=inputs["layers"], hidden=inputs["hidden"], vocabulary=inputs["vocab"], positions=inputs["seq"]
    )
    assert count == row["expected"]["params_exact"]
    assert count / 1e9 == pytest.approx(row["expected"]["params_B"], rel=row["tolerance"]["params_rel"] * 2)


def test_biases_are_counted_where_they_are() -> None:
    # As in Qwen2: biases on the inputs, none on the output. 3 query heads, 1 key-value head of width 2, d = 6.
    bare = models.attention_parameters(Attention(3, 1, 2), hidden=6)
    assert bare == 6 * 6 + 2 * (6 * 2) + 6 * 6
    assert models.attention_parameters(Attention(3, 1, 2, query_key_value_bias=True), hidden=6) - bare == 6 + 2 + 2
    assert models.attention_parameters(Attention(3, 1, 2, output_bias=True), hidden=6) - bare == 6
    gated = models.feed_forward_parameters(hidden=5, width=3, gated=True, bias=True)
    assert gated == 3 * 15 + 3 + 3 + 5
    assert models.feed_forward_parameters(hidden=5, width=3, gated=False, bias=True) == 2 * 15 + 3 + 5


def test_configurations_that_contradict_themselves_are_refused() -> None:
    gpt, mixtral = MODELS["GPT-2 124M"], MODELS["Mixtral 8x7B"]
    broken: list[tuple[Any, dict[str, Any], str]] = [
        (gpt, {"layers": 0}, "layers"),
        (gpt, {"hidden": -1}, "hidden"),
        (gpt, {"vocabulary": 1.5}, "vocabulary"),
        (gpt, {"positions": -1}, "positions"),
        (gpt, {"attention": None}, "attention"),
        (gpt, {"feed_forward": None}, "feed_forward"),
        (gpt, {"feed_forward": 7}, "feed_forward"),
        (gpt, {"experts": 3}, "experts"),
        (gpt, {"expert_layers": 13}, "expert_layers"),
        (gpt, {"expert_layers": 3}, "expert_layers"),
        (gpt, {"tied": 1}, "tied"),
        (gpt, {"norm_bias": "yes"}, "norm_bias"),
        (gpt, {"norms_per_layer": 0}, "norms_per_layer"),
        (mixtral, {"expert_layers": 0}, "expert_layers"),
        (mixtral, {"expert_layers": 31}, "feed_forward"),
        (Attention(4, 2, 8), {"key_value_heads": 3}, "key_value_heads"),
        (Attention(4, 2, 8), {"heads": 0}, "heads"),
        (Attention(4, 2, 8), {"head_size": 0}, "head_size"),
        (Attention(4, 2, 8), {"output_bias": 2}, "output_bias"),
        (Attention(4, 2, 8), {"query_key_value_bias": 2}, "query_key_value_bias"),
        (Attention(4, 2, 8), {"query_key_norm": "both"}, "query_key_norm must be one of 'none', 'head', 'whole'"),
        (LatentAttention(1, 1, 1, 1, 1, 1), {"value_size": 0}, "value_size"),
        (FeedForward(4, gated=True), {"width": 0}, "width"),
        (FeedForward(4, gated=True), {"gated": 0}, "gated"),
        (FeedForward(4, gated=True), {"bias": 0}, "bias"),
        (Experts(4, 2, 8), {"per_token": 5}, "per_token"),
        (Experts(4, 2, 8), {"shared": -1}, "shared"),
        (Experts(4, 2, 8), {"router_bias": 1}, "router_bias"),
        (Experts(4, 2, 8), {"gated": 1}, "gated"),
        (Experts(4, 2, 8), {"experts": 0}, "experts"),
        (Experts(4, 2, 8), {"width": 0}, "width"),
    ]
    for entry, change, name in broken:
        with pytest.raises((ValueError, TypeError), match=name):
            replace(entry, **change)
    for value in (None, "", 3):
        with pytest.raises(ValueError, match="model must be one of 'GPT-2 124M'"):
            models.parameter_count(value)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="attention must be of type Attention or LatentAttention"):
        models.attention_parameters(None, hidden=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="embeddings must be one of 'both', 'head', 'none', got 'one'"):
        models.active_parameter_count(gpt, embeddings="one")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("LLaMA 65B", "LLaMA 65B"),
        ("llama-2-70b", "Llama 2 70B"),
        ("gpt2 1.5b", "GPT-2 1.5B"),
        ("deepseek v3", "DeepSeek-V3"),
        ("llama3-70b", "Llama 3 70B"),
        ("meta-llama/Llama-3-70B", "Llama 3 70B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama 3 8B"),
        ("meta-llama/Llama-2-7b-chat-hf", "Llama 2 7B"),
        ("openai-community/gpt2-xl", "GPT-2 1.5B"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "Mixtral 8x7B"),
        ("mistralai/Mistral-Small-24B-Base-2501", "Mistral Small 24B"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen3 30B-A3B"),
        ("google/gemma-2-9b-it", "Gemma 2 9B"),
        ("allenai/OLMo-2-1124-7B", "OLMo 2 7B"),
        ("microsoft/phi-4", "Phi-4 14B"),
        ("EleutherAI/pythia-6.9b-deduped", "Pythia 6.9B"),
    ],
)
def test_a_model_is_found_in_any_usual_spelling(written: str, name: str) -> None:
    assert models.MODELS[written].name == name
    assert models.parameter_count(written) == models.parameter_count(models.MODELS[name])


def test_a_model_that_there_is_not_is_answered_with_the_near_ones() -> None:
    with pytest.raises(ValueError, match=r"^model must be one of 'Llama 3 70B', 'Llama 2 70B', .*got 'LLaMA 70B'$"):
        models.active_parameter_count("LLaMA 70B")
    with pytest.raises(ValueError, match=r"^model must be one of 'Mixtral 8x7B', 'Mixtral 8x22B', .*got 'Mixtral'$"):
        models.parameter_parts("Mixtral")
    for other in ("mistralai/Mistral-7B-v0.3", "deepseek-ai/DeepSeek-V2-Lite"):  # they have another count
        with pytest.raises(ValueError, match=f"got '{other}'$"):
            models.parameter_count(other)


def test_configurations_are_built_like_those_of_the_catalogue() -> None:
    gpt, llama = models.MODELS["GPT-2 1.5B"], models.MODELS["Llama 3 8B"]
    sizes: dict[str, Any] = {"layers": 48, "hidden": 1600, "heads": 25, "positions": 1024, "source": gpt.source}
    assert models.gpt_like("GPT-2 1.5B", **sizes) == gpt
    sizes = {"layers": 32, "hidden": 4096, "heads": 32, "key_value_heads": 8, "width": 14336, "vocabulary": 128256}
    assert models.llama_like("Llama 3 8B", **sizes, source=llama.source) == llama
    wide: dict[str, Any] = {"width": 4, "vocabulary": 5}
    for build, more in ((models.gpt_like, {}), (models.llama_like, wide)):
        with pytest.raises(ValueError, match="hidden must be a multiple of heads = 3, got 8"):
            build("x", layers=1, hidden=8, heads=3, **more)


# One's own configuration file.


def test_every_architecture_has_a_published_file() -> None:
    assert {config["model_type"] for config in CONFIGS.values()} | {"gemma"} == set(models.MODEL_TYPES)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_published_file_is_the_model_of_the_catalogue(name: str) -> None:
    read = models.model_from_config(CONFIGS[name], name=name)
    assert replace(read, source=MODELS[name].source, read=MODELS[name].read) == MODELS[name]


def test_a_model_that_is_not_in_the_catalogue() -> None:
    read = models.model_from_config(GEMMA_7B)
    assert models.parameter_count(read) == GEMMA_7B_COUNT
    assert read.name == "gemma"
    assert models.model_from_config({**GEMMA_7B, "_name_or_path": "google/gemma-7b"}).name == "google/gemma-7b"


def decoder_state(c: dict[str, Any]) -> Tensors:
    """The tensors of a decoder with grouped queries and gated blocks, as transformers names them."""
    kind, d, size = c["model_type"], c["hidden_size"], c["head_dim"]
    q, kv = size * c["num_attention_heads"], size * c["num_key_value_heads"]
    yield "token_embedding embed_tokens.weight", (c["vocab_size"], d)
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        for matrix, rows, columns in (("q", q, d), ("k", kv, d), ("v", kv, d), ("o", d, q)):
            yield f"attention {at}.self_attn.{matrix}_proj.weight", (rows, columns)
            if c.get("attention_bias") or (kind == "qwen2" and matrix != "o"):
                yield f"attention {at}.self_attn.{matrix}_proj.bias", (rows,)
        if kind in ("qwen3", "qwen3_moe", "gemma3_text", "olmo2"):
            yield f"norms {at}.self_attn.q_norm.weight", (q if kind == "olmo2" else size,)
            yield f"norms {at}.self_attn.k_norm.weight", (kv if kind == "olmo2" else size,)
        if kind == "qwen3_moe":
            yield f"router {at}.mlp.gate.weight", (c["num_experts"], d)
            for expert in range(c["num_experts"]):
                yield from swiglu(f"routed_experts {at}.mlp.experts.{expert}", d, c["moe_intermediate_size"])
        else:
            yield from swiglu(f"feed_forward {at}.mlp", d, c["intermediate_size"])
        if kind == "llama" and c.get("mlp_bias"):
            yield f"feed_forward {at}.mlp.gate_proj.bias", (c["intermediate_size"],)
            yield f"feed_forward {at}.mlp.up_proj.bias", (c["intermediate_size"],)
            yield f"feed_forward {at}.mlp.down_proj.bias", (d,)
        if kind != "olmo2":
            yield f"norms {at}.input_layernorm.weight", (d,)
        yield f"norms {at}.post_attention_layernorm.weight", (d,)
        if kind in ("gemma2", "gemma3_text"):
            yield f"norms {at}.pre_feedforward_layernorm.weight", (d,)
        if kind in ("gemma2", "gemma3_text", "olmo2"):
            yield f"norms {at}.post_feedforward_layernorm.weight", (d,)
    yield "norms model.norm.weight", (d,)
    if not c.get("tie_word_embeddings", kind.startswith("gemma")):
        yield "head lm_head.weight", (c["vocab_size"], d)


def neox_state(c: dict[str, Any]) -> Tensors:
    """The tensors of a GPT-NeoX checkpoint, as transformers names them."""
    d, f = c["hidden_size"], c["intermediate_size"]
    yield "token_embedding gpt_neox.embed_in.weight", (c["vocab_size"], d)
    for layer in range(c["num_hidden_layers"]):
        at = f"gpt_neox.layers.{layer}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            yield f"norms {at}.{norm}.weight", (d,)
            yield f"norms {at}.{norm}.bias", (d,)
        for part, matrix, rows, columns in (
            ("attention", "attention.query_key_value", 3 * d, d),
            ("attention", "attention.dense", d, d),
            ("feed_forward", "mlp.dense_h_to_4h", f, d),
            ("feed_forward", "mlp.dense_4h_to_h", d, f),
        ):
            yield f"{part} {at}.{matrix}.weight", (rows, columns)
            if part == "feed_forward" or c.get("attention_bias", True):
                yield f"{part} {at}.{matrix}.bias", (rows,)
    yield "norms gpt_neox.final_layer_norm.weight", (d,)
    yield "norms gpt_neox.final_layer_norm.bias", (d,)
    if not c["tie_word_embeddings"]:
        yield "head embed_out.weight", (c["vocab_size"], d)


GROUPED = ("llama", "qwen2", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "olmo2", "mistral", "phi3")


@settings(max_examples=examples(100), deadline=None)
@given(
    st.sampled_from(GROUPED),
    st.lists(sizes, min_size=7, max_size=7),
    st.booleans(),
    st.sampled_from([None, True, False]),
)
def test_any_file_of_a_decoder(kind: str, drawn: list[int], bias: bool, tied: bool | None) -> None:
    layers, hidden, groups, heads, size, width, vocabulary = drawn
    config: dict[str, Any] = {
        "model_type": kind,
        "head_dim": size,
        "hidden_size": hidden,
        "intermediate_size": width,
        "num_attention_heads": groups * heads,
        "num_hidden_layers": layers,
        "num_key_value_heads": groups,
        "vocab_size": vocabulary,
    }
    if kind == "qwen3_moe":
        config |= {"num_experts": heads, "num_experts_per_tok": 1, "moe_intermediate_size": size}
    if kind not in ("qwen2", "mistral", "phi3"):
        config |= {"attention_bias": bias, "mlp_bias": bias}
    if tied is not None:
        config["tie_word_embeddings"] = tied
    assert_same(models.model_from_config(config), decoder_state(config))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("tied", [True, False])
def test_any_file_of_a_neox(bias: bool, tied: bool) -> None:
    config: dict[str, Any] = {**CONFIGS["Pythia 6.9B"], "attention_bias": bias, "tie_word_embeddings": tied}
    assert_same(models.model_from_config(config), neox_state(config))


def test_any_file_of_a_gpt_2() -> None:
    config = {**CONFIGS["GPT-2 124M"], "n_inner": 100, "tie_word_embeddings": False}
    less = models.parameter_parts("GPT-2 124M")
    parts = models.parameter_parts(models.model_from_config(config))
    assert parts.feed_forward == 12 * (2 * 100 * 768 + 100 + 768)
    assert replace(parts, feed_forward=less.feed_forward, head=0) == less
    assert parts.head == 50257 * 768


# What the architectures have a value for, or do not read, where a file leaves it out.
LEFT_OUT = {"attention_bias", "decoder_sparse_step", "mlp_bias", "mlp_only_layers", "moe_layer_freq"}
LEFT_OUT |= {"tie_word_embeddings", "use_sliding_window"}
LEFT_OUT_BY = {"llama": {"head_dim", "num_key_value_heads"}, "mistral": {"head_dim"}, "olmo2": {"num_key_value_heads"}}
LEFT_OUT_BY |= {"phi3": {"num_key_value_heads"}, "qwen3_moe": {"intermediate_size"}}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_file_that_lacks_a_key_is_refused_by_its_name(name: str) -> None:
    config = CONFIGS[name]
    for key in config.keys() - LEFT_OUT - LEFT_OUT_BY.get(config["model_type"], set()):
        rest = {other: value for other, value in config.items() if other != key}
        with pytest.raises(ValueError, match=rf"^config\['{key}'\] must be "):
            models.model_from_config(rest)


def test_what_a_file_leaves_out_is_as_its_architecture_has_it() -> None:
    """Heads without groups, heads of hidden over heads, an own head in Llama and a tied one in Gemma."""
    bare = {key: value for key, value in CONFIGS["Llama 3.2 3B"].items() if key not in LEFT_OUT_BY["llama"] | LEFT_OUT}
    assert models.model_from_config(bare).attention == Attention(24, 24, 128)
    assert not models.model_from_config(bare).tied
    assert models.model_from_config(GEMMA_7B).tied


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("Llama 3.2 3B", {"model_type": "falcon"}, "config['model_type'] must be one of 'deepseek_v2', "),
        ("Llama 3.2 3B", {"hidden_size": "3072"}, "config['hidden_size'] must be an integer of at least 1, got '3072'"),
        ("Llama 3.2 3B", {"mlp_bias": 1}, "config['mlp_bias'] must be True or False, got 1"),
        ("Llama 3.2 3B", {"num_key_value_heads": 5}, "key_value_heads must be a divisor of heads = 24, got 5"),
        ("OLMo 2 7B", {"hidden_size": 4095}, "hidden must be a multiple of heads = 32, got 4095"),
        ("Qwen3 30B-A3B", {"decoder_sparse_step": 2}, "config['decoder_sparse_step'] must be one of 1, got 2"),
        ("Qwen3 30B-A3B", {"mlp_only_layers": [0]}, "config['mlp_only_layers'] must be empty, got [0]"),
        (
            "Qwen3 30B-A3B",
            {"num_experts_per_tok": 129},
            "per_token must be an integer of at most experts = 128, got 129",
        ),
        ("DeepSeek-V2", {"q_lora_rank": None}, "config['q_lora_rank'] must be an integer of at least 1, got None"),
        ("DeepSeek-V2", {"moe_layer_freq": 2}, "config['moe_layer_freq'] must be one of 1, got 2"),
        ("DeepSeek-V2", {"attention_bias": True}, "config['attention_bias'] must be one of False, got True"),
        ("DeepSeek-V2", {"first_k_dense_replace": 61}, "expert_layers must be an integer of at least 0, got -1"),
    ],
)
def test_a_file_that_describes_something_else_is_refused(name: str, change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(told)):
        models.model_from_config({**CONFIGS[name], **change})


@pytest.mark.parametrize("config", [None, [], "config.json", 3])
def test_what_is_no_file_is_refused(config: Any) -> None:
    with pytest.raises(ValueError, match=r"^config must be a mapping"):
        models.model_from_config(config)
