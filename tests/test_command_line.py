"""The command line: its numbers against other ways to them, what it refuses, its help, and every formula's example."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import math
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sampling import sampled
from test_bad_input import valid_call

from exercises.memory.memory_equation.llama_layer_bytes import llama_layer_bytes
from snippets.command_line import QUESTIONS, find_question, main
from snippets.hardware import ACCELERATORS
from snippets.index import find_formula, formula_modules, labelled, unit_of
from snippets.memory.memory_equation.step_peak import gpt_step_sizes, step_peak_parts
from snippets.models import MODELS, model_from_config, parameter_count
from snippets.version import BOOK_VERSION

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
PUBLISHED = json.loads((ROOT / "tests/memory/published_memory.json").read_text(encoding="utf-8"))
BUBBLES = json.loads((ROOT / "tests/parallelism/pipeline/published_pipeline.json").read_text(encoding="utf-8"))
COLLECTIVES = json.loads((ROOT / "tests/collectives/published_collectives.json").read_text(encoding="utf-8"))


@pytest.fixture
def asked(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what asks a command for JSON."""

    def ask(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return ask


@pytest.fixture
def values(asked: Any) -> Any:
    """Return what asks one of the five questions, as its values by what they are."""

    def ask(line: str) -> dict[str, Any]:
        return {row["what"]: row["value"] for row in asked(*shlex.split(line))["rows"]}

    return ask


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what runs a command that must be refused, as the sentence that refuses it."""

    def refuse(line: str) -> str:
        assert main(shlex.split(line)) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        return printed.err.strip()

    return refuse


# Five questions: other ways to the numbers, and what was published.


def test_memory_by_hand(values: Any) -> None:
    """Llama 3 70B's parameters, matrix by matrix; 16 bytes of each over 64 ranks; Korthikanti's 34 bytes."""
    found = values('memory --model "Llama 3 70B" --gpus 64 --zero 3 --sequence 8192')
    s, h, layers, vocabulary = 8192, 8192, 80, 128256
    layer = h * h * 2 + 2 * h * 8 * 128 + 3 * h * 28672 + 2 * h
    count = layers * layer + 2 * vocabulary * h + h
    assert found["parameters"] == count
    state = {"parameters": 2, "gradients": 2, "optimizer states": 12}
    for kind, each in state.items():
        assert found[f"state: {kind}"] == each * math.ceil(count / 64)
    assert found["buffer for a layer"] == 4 * math.ceil((layers * layer + h) / layers)
    outside = 5 * s * h + 4 * s * vocabulary
    assert found["activations, recomputation selective"] == layers * 34 * s * h + outside
    assert found["activations, recomputation none"] == layers * (34 * s * h + 4 * s * 64) + outside
    assert found["activations, recomputation full"] == layers * 2 * s * h + outside
    total = found["model state"] + found["buffer for a layer"] + found["activations, recomputation none"]
    assert found["total on one GPU"] == total
    assert found["left"] == 80e9 - total
    assert found["fits"] is False


def test_memory_fits_from_the_ranks_that_it_names(values: Any) -> None:
    line = 'memory --model "Llama 3 70B" --zero 3 --sequence 8192 --recomputation full --gpus '
    least = values(line + "64")["fewest data-parallel ranks that fit"]
    assert values(line + str(least))["fits"] is True
    assert values(line + str(least - 1))["fits"] is False


@pytest.mark.parametrize(
    "case", [case for case in PUBLISHED if case["id"].startswith("zero-t1-")], ids=lambda c: c["id"]
)
def test_memory_reproduces_the_table_of_the_zero_paper(values: Any, case: Mapping[str, Any]) -> None:
    given = case["inputs"]
    line = f"memory --parameters {given['params']} --gpus {given['dp']} --zero {given['stage']}"
    assert values(line)["model state"] / 1e9 == pytest.approx(
        case["expected"]["GB_printed"], abs=case["tolerance"]["abs"]
    )


def test_memory_cuts_a_model_by_tensor_and_pipeline(values: Any) -> None:
    """Korthikanti et al.: GPT-3 on t = 8, p = 8; stage 1 over the 8 data-parallel ranks that are left."""
    cut = "--tensor-parallel 8 --sequence-parallel --stages 8 --recomputation selective --attention standard"
    found = values(f'memory --model "GPT-3 175B" --gpus 512 --zero 1 --sequence 2048 {cut}')
    h, v = 12288, 50257
    held = (96 * (12 * h * h + 13 * h) + 2 * h) / 8 / 8 + v * h / 8
    assert found["parameters of one GPU"] == pytest.approx(held)
    assert found["model state"] == pytest.approx(held * (2 + 2 + 12 / 8), rel=1e-6)
    layers = 96 // 8 * 8  # of the first of 8 stages, 8 micro-batches are under way
    assert found["activations, recomputation selective"] == layers * 34 * 2048 * h // 8 + 2048 * h
    assert found["a layer made again"] == 5 * 96 * 2048**2 // 8  # its scores, of the heads of one rank
    assert found["activations at the most"] == layers * 34 * 2048 * h // 8 + 2048 * h + 5 * 96 * 2048**2 // 8


@pytest.mark.parametrize("attention", ["standard", "flash"])
@pytest.mark.parametrize("recomputation", ["none", "selective", "full"])
def test_memory_holds_the_activations_of_the_step_peak(values: Any, recomputation: str, attention: str) -> None:
    """The step of chapter 21, moment by moment, for GPT-2 124M."""
    how: dict[str, Any] = {"recomputation": recomputation, "attention": attention}
    size: dict[str, Any] = {"layers": 12, "hidden": 768, "heads": 12, "vocabulary": 50257}
    for sequence, micro_batch in ((1024, 1), (16384, 1), (128, 24)):
        step = gpt_step_sizes(**size, sequence=sequence, micro_batch=micro_batch, **how)
        most = max(moment["activations"] for moment in step_peak_parts(step).values())
        line = f'memory --model "GPT-2 124M" --sequence {sequence} --micro-batch {micro_batch}'
        found = values(f"{line} --recomputation {recomputation} --attention {attention}")
        held = found["total on one GPU"] - found["model state"] - found["buffer for a layer"]
        assert held == most
        assert found.get("activations at the most", held) == held


@pytest.mark.parametrize(("model", "fullest"), [("Llama 3 405B", 8), ("DeepSeek-V3", 4)])
def test_stages_need_not_divide_the_layers(model: str, fullest: int, values: Any) -> None:
    """Both were trained in 16 stages; in Llama 3's the fullest has 8 of the 126 layers (Llama 3 paper, 3.3.2)."""
    line = f'--model "{model}" --stages 16 --sequence 4096'
    found = values(f"memory {line} --gpus 256 --recomputation full")
    assert found["layers of the fullest stage"] == fullest
    h = MODELS[model].hidden
    assert found["activations, recomputation full"] == fullest * 16 * 2 * 4096 * h + 16 * 4096 * h
    pipeline = values(f"pipeline {line} --micro-batches 32 --schedule 1f1b")
    assert pipeline["layers of the fullest stage"] == fullest
    layer = 34 * 4096 * h + 4 * 4096 * MODELS[model].attention.heads
    assert pipeline["1F1B: activations"] == 16 * fullest * layer


def test_even_stages_need_no_word(values: Any) -> None:
    assert "layers of the fullest stage" not in values("memory --model 'Llama 3 8B' --stages 8 --gpus 8")


def test_memory_without_recomputation_makes_nothing_again(values: Any) -> None:
    assert "a layer made again" not in values('memory --model "GPT-2 124M" --sequence 8')


def test_memory_counts_the_layer_that_is_made_again(values: Any) -> None:
    """Llama 3 8B at 16k with stored scores: kept inputs and one whole layer, once the logits are gone."""
    line = 'memory --model "Llama 3 8B" --gpus 8 --zero 2 --sequence 16384 --attention standard --recomputation full'
    found, s, h = values(line + ' --device "A100 SXM 80GB"'), 16384, 4096
    whole = 34 * s * h + 5 * 32 * s * s
    assert found["a layer made again"] == whole - 2 * s * h
    assert found["activations at the most"] == 31 * 2 * s * h + whole + s * h
    assert found["fits"] is False


@pytest.mark.parametrize("given", ["--parameters 7e9", '--model "Llama 3 8B"'])
def test_memory_says_that_it_has_counted_no_activations(values: Any, given: str) -> None:
    found = values(f"memory {given} --gpus 8 --zero 3")
    assert found["activations"] == "not counted"
    assert found["fits without activations"] is True
    assert "fits" not in found


@pytest.mark.parametrize(
    ("model", "said", "errs"),
    [
        ("Llama 3 8B", "gated", "Too low for this model: by a fifth"),
        ("Mixtral 8x7B", "experts", "Too low for this model. Each expert"),
        ("GPT-2 124M", "channel", "As this model's are"),
    ],
)
def test_memory_says_what_keeps_more_than_is_counted(asked: Any, model: str, said: str, errs: str) -> None:
    rows = {row["what"]: row for row in asked("memory", "--model", model, "--sequence", "1024")["rows"]}
    assert rows["parameters"]["value"] == parameter_count(model)
    assert said in rows["layers counted as"]["value"]
    assert rows["layers counted as"]["convention"].startswith(errs)


def test_forty_one_bytes_are_what_a_gated_layer_keeps() -> None:
    """Chapter 21's exercise on a Llama layer, which the row quotes."""
    size = {"hidden": 4096, "heads": 32, "key_value_heads": 8, "width": 14336}
    assert llama_layer_bytes(sequence=1, micro_batch=1, **size) // 4096 == 41


def test_all_reduce_by_hand(values: Any) -> None:
    """2(N − 1) messages of a chunk each: 10 µs and n/N bytes at 50 GB/s."""
    found = values("all-reduce --bytes 10e9 --ranks 256 --algorithm ring --latency-s 10e-6 --element-bytes 1")
    chunk = math.ceil(10e9 / 256)
    assert found["steps"] == 510
    assert found["algorithm"] == "ring"
    assert found["time of ring"] == pytest.approx(510 * (10e-6 + chunk / 50e9))
    assert found["sent by the busiest rank"] == pytest.approx(2 * 255 / 256 * 10e9)
    assert found["bus bandwidth"] == pytest.approx(found["sent by the busiest rank"] / found["time of ring"])
    assert found["algorithm bandwidth"] == pytest.approx(10e9 / found["time of ring"])
    assert found["fastest algorithm here"] == "many_rings"
    assert found["bound by bytes"] < found["time of many_rings"] < found["time of halving_doubling"]
    assert found["time of halving_doubling"] <= found["time of ring"]


def test_all_reduce_leads_with_the_fastest(values: Any) -> None:
    """4 kB over 64 ranks: six exchanges of the whole vector, where a ring takes 126 steps."""
    found = values("all-reduce --bytes 4000 --ranks 64 --gpus-per-node 1")
    assert found["algorithm"] == "recursive_doubling"
    assert found["time of recursive_doubling"] == pytest.approx(6 * (5e-6 + 4000 / 50e9))
    assert "fastest algorithm here" not in found


def test_all_reduce_answers_for_the_books_machine(asked: Any) -> None:
    """141 GB on 32 DGX H100: eight rings, 510 steps, and 2 · 255/256 of the bytes through eight ports of 50 GB/s."""
    rows = asked(*shlex.split("all-reduce --bytes 141e9 --ranks 256"))["rows"]
    assert rows[0]["what"] == "topology assumed"
    assert rows[0]["value"].startswith("32 nodes of 8 GPUs: NVLink 4 (H100) inside, InfiniBand NDR for each GPU")
    found = {row["what"]: row["value"] for row in rows}
    assert found["algorithm"] == "many_rings"
    assert found["time of many_rings"] == pytest.approx(510 * 5e-6 + 2 * 255 / 256 * 141e9 / (8 * 50e9))
    times = [row["value"] for row in rows if row["what"].startswith("time of ")]
    assert len(times) == 9
    assert times == sorted(times)
    assert found["bus bandwidth"] == pytest.approx(2 * 255 / 256 * 141e9 / times[0])


@pytest.mark.parametrize(
    ("line", "topology", "count"),
    [
        ("--ranks 256 --gpus-per-node 8", "32 nodes of 8 GPUs: NVLink 4 (H100) inside, InfiniBand NDR for each", 9),
        ("--ranks 256 --gpus-per-node 1", "flat: every rank has one link, InfiniBand NDR", 7),
        ("--ranks 256 --link 'InfiniBand HDR'", "flat: every rank has one link, InfiniBand HDR", 7),
        ("--ranks 64 --bandwidth-bytes-per-s 9e9", "flat: every rank has one link, the bandwidth given", 7),
        ("--ranks 12", "flat: every rank has one link, InfiniBand NDR", 7),
        ("--ranks 4", "1 node of 4 GPUs: NVLink 4 (H100)", 7),
        ("--ranks 16 --gpus-per-node 4 --link 'InfiniBand HDR'", "4 nodes of 4 GPUs: NVLink 4 (H100) inside, Inf", 9),
    ],
)
def test_all_reduce_says_first_on_which_links(line: str, topology: str, count: int, values: Any) -> None:
    found = values(f"all-reduce --bytes 1e9 {line}")
    assert next(iter(found)) == "topology assumed"
    assert found["topology assumed"].startswith(topology)
    assert sum(what.startswith("time of ") for what in found) == count


@pytest.mark.parametrize("algorithm", ["hierarchical", "many rings"])
def test_all_reduce_adds_what_a_ring_adds(algorithm: str, values: Any) -> None:
    line = f"all-reduce --bytes 1e9 --ranks 64 --algorithm '{algorithm}'"
    plain, adding = values(line), values(f"{line} --reduction-s-per-byte 1e-12")
    what = f"time of {plain['algorithm']}"
    assert adding[what] - plain[what] == pytest.approx(63 / 64 * 1e9 * 1e-12)


def test_all_reduce_by_nodes(values: Any) -> None:
    """128 nodes of 8: 2 · 7/8 of 140 GB by NVLink, 2 · 127/128 of an eighth by the ports, 2 · 134 latencies."""
    found = values("all-reduce --bytes 140e9 --ranks 1024 --gpus-per-node 8")
    seconds = 2 * 134 * 5e-6 + 2 * 7 / 8 * 140e9 / 450e9 + 2 * 127 / 128 * 17.5e9 / 50e9
    assert found["time of hierarchical"] == pytest.approx(seconds)
    slower = values("all-reduce --bytes 140e9 --ranks 1024 --gpus-per-node 8 --node-link 'pcie 5.0 x16'")
    more = 2 * 7 / 8 * 140e9 * (1 / 63015384615 - 1 / 450e9)
    assert slower["time of hierarchical"] == pytest.approx(seconds + more)


def test_all_reduce_reproduces_a_published_time(values: Any) -> None:
    case = next(case for case in COLLECTIVES if case["id"] == "ab-allreduce-ring-p8-n1000000")
    given = case["inputs"]
    line = f"all-reduce --bytes {given['n_bytes']} --ranks {given['p']} --latency-s {given['alpha_s']}"
    line += (
        f" --bandwidth-bytes-per-s {1 / given['beta_s_per_byte']} --reduction-s-per-byte {given['gamma_s_per_byte']}"
    )
    line += " --algorithm ring"
    assert values(line)["time of ring"] == pytest.approx(case["expected"]["seconds"], rel=1e-9)


@pytest.mark.parametrize("algorithm", ["binomial", "Rabenseifner", "double tree", "butterfly", "flat"])
def test_all_reduce_takes_other_names(values: Any, algorithm: str) -> None:
    found = values(f'all-reduce --bytes 1e6 --ranks 12 --algorithm "{algorithm}" --link "nvlink 4 (h100)"')
    assert found["β"] == 450e9
    fastest = found.get("fastest algorithm here", found["algorithm"])
    assert found[f"time of {fastest}"] <= found[f"time of {found['algorithm']}"]


def test_pipeline_reproduces_published_bubbles(values: Any) -> None:
    cases = {case["id"]: case for case in BUBBLES}
    gpipe = values("pipeline --stages 8 --micro-batches 32 --schedule GPipe")
    assert gpipe["GPipe: bubble"] == pytest.approx(cases["pipe-gpipe-K8-M32"]["expected"]["bubble_over_total"])
    interleaved = values("pipeline --stages 8 --micro-batches 24 --chunks 2 --schedule interleaved")
    expected = cases["pipe-1f1b-p8-m24-v2"]["expected"]
    assert interleaved["interleaved 1F1B: bubble"] == pytest.approx(expected["bubble_over_total"])
    assert interleaved["interleaved 1F1B: step"] == pytest.approx(expected["makespan"])
    zero = values("pipeline --stages 8 --micro-batches 24 --forward-s 10 --backward-s 20 --weight-gradient-s 9")
    expected = cases["pipe-zb-p8-F10-B11-W9"]["expected"]
    assert zero["ZB-H1: step"] == expected["b_zbh1"] + 24 * 30
    assert zero["ZB-H2: bubble if no optimizer waits for another"] == pytest.approx(
        expected["b_zbh2"] / (expected["b_zbh2"] + 24 * 30)
    )
    assert zero["1F1B: step"] == expected["b_1f1b"] + 24 * 30


def test_pipeline_says_its_unit(asked: Any) -> None:
    line = "pipeline --stages 8 --micro-batches 32 --schedule 1f1b"
    for more, unit, step in (("", "forward passes", 117), (" --forward-s 0.5", "s", 58.5)):
        rows = {row["what"]: row for row in asked(*shlex.split(line + more))["rows"]}
        assert (rows["1F1B: step"]["value"], rows["1F1B: step"]["unit"]) == (step, unit)


def test_pipeline_says_which_schedules_do_not_hold(values: Any) -> None:
    found = values("pipeline --stages 8 --micro-batches 14 --chunks 4")
    assert found["interleaved 1F1B"] == "not counted: micro-batches must be a multiple of stages = 8, got 14"
    assert found["ZB-H2"] == "not counted: micro-batches must be at least 15, got 14"
    assert "interleaved 1F1B" not in values("pipeline --stages 8 --micro-batches 14")


def test_pipeline_in_bytes(values: Any) -> None:
    """GPT-3 in 8 stages: 12 layers of 34·s·b·h + 4·a·s·b bytes each, for every micro-batch that is kept."""
    found = values('pipeline --stages 8 --micro-batches 16 --model "GPT-3 175B" --sequence 2048 --micro-batch 2')
    one = 12 * (34 * 2048 * 2 * 12288 + 4 * 96 * 2048 * 2)
    assert found["GPipe: activations"] == 16 * one
    assert found["1F1B: activations"] == 8 * one
    assert found["ZB-H2: activations"] == 15 * one


@pytest.mark.parametrize(("m", "k", "n"), [(8192, 8192, 8192), (1, 4096, 4096), (300, 14336, 4096)])
def test_roofline_by_hand(values: Any, m: int, k: int, n: int) -> None:
    found = values(f"roofline --m {m} --k {k} --n {n} --device h100-sxm")
    flops, moved = 2 * m * k * n, 2 * (m * k + k * n + m * n)
    assert found["operations"] == flops
    assert found["least time"] == pytest.approx(max(flops / 989.4e12, moved / 3.35e12))
    assert found["bound by"] == ("compute" if flops / 989.4e12 > moved / 3.35e12 else "memory")
    assert found["rate at best"] == pytest.approx(flops / found["least time"])
    assert found["share of the peak"] == pytest.approx(found["rate at best"] / 989.4e12)


def test_roofline_reproduces_the_critical_batch_of_the_scaling_book(values: Any) -> None:
    """Austin et al. 2025, chapter 1: a bf16 product on TPU v5e needs more than 240 tokens."""
    found = values("roofline --m 240 --k 1000000 --n 1000000 --device 'TPU v5e'")
    assert found["rows from which arithmetic is the bound"] == pytest.approx(240, abs=1)
    assert found["ridge"] == pytest.approx(240, abs=1)


def test_train_reproduces_the_operations_of_llama_3(values: Any) -> None:
    """Llama 3 paper, section 1: 3.8 × 10²⁵ FLOPs for 405B parameters and 15.6T tokens."""
    found = values('train --model "Llama 3 405B" --tokens 15.6e12 --gpus 16384')
    assert found["operations"] == pytest.approx(3.8e25, rel=0.005)
    assert found["GPU time"] == pytest.approx(found["operations"] / (989.4e12 * 0.4) / 3600)
    assert found["time"] == pytest.approx(found["GPU time"] / 16384 / 24)
    assert found["bill"] == pytest.approx(2 * found["GPU time"])


def test_train_reproduces_the_days_of_megatron_and_llama(values: Any) -> None:
    """Narayanan et al. 2021, section 5.1: 34 days at 140 TFLOP/s, a quarter of which recomputes. LLaMA, section 2.4:
    380 tokens a second and GPU, about 21 days."""
    megatron = 140e12 * 6 / 8 / 312e12
    found = values(f'train --parameters 175e9 --tokens 300e9 --gpus 1024 --mfu {megatron} --device "A100 SXM 80GB"')
    assert found["time"] == pytest.approx(34, abs=0.5)
    mfu = 380 * 6 * 65.2e9 / 312e12
    found = values(f'train --model "LLaMA 65B" --tokens 1.4e12 --gpus 2048 --mfu {mfu} --device "A100 SXM 80GB"')
    assert found["time"] == pytest.approx(21, abs=0.5)


def test_train_counts_what_a_token_meets(values: Any) -> None:
    found = values("train --model deepseek-v3 --tokens 14.8e12 --gpus 2048")
    assert found["operations"] == 6 * found["parameters that a token meets"] * 14_800_000_000_000
    assert found["parameters that a token meets"] == pytest.approx(37.55e9, rel=1e-3)


def test_train_loses_time_and_money_alike(values: Any) -> None:
    line = "train --parameters 7e9 --tokens 2e12 --gpus 256"
    whole, lost = values(line), values(line + " --goodput 0.9")
    for what in ("time", "GPU time", "bill"):
        assert lost[what] == pytest.approx(whole[what] / 0.9)
    assert lost["bill"] == pytest.approx(lost["time"] * 24 * 256 * 2)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_says_of_every_number_what_its_function_says(name: str, asked: Any) -> None:
    line = re.search(rf"^\$ python -m snippets ({name.replace('_', '-')} .*)$", PAGE, re.MULTILINE)
    assert line
    more = ["--why", "1"] if name == "plan" else []  # alone it answers with a table
    for row in asked(*shlex.split(line[1]), *more)["rows"]:
        assert row["convention"] or row["source"], row
        if row["name"]:
            said = labelled(find_formula(row["name"]))
            assert (row["source"], row["chapter"]) == (said["Source"], said["Chapter"])
            assert row["convention"].startswith(said.get("Convention", ""))
            find_formula(row["name"])(**row["arguments"])  # they are those of a call


# Every formula.

EXTREME: tuple[str, ...] = (
    "0",
    "-1",
    "-0.0",
    "1",
    "1e5",
    "1e18",
    "1e30",
    "1e300",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "1e400",
    "1/3",
    "",
)
EXTREME += ("x" * 5000, "9" * 400, "9" * 5000)
COMMAND_S = 2.0  # of processor time


ASKED = {
    "memory": "--model 'Llama 3 8B' --gpus 64 --zero 3 --sequence 8192 --micro-batch 1 --tensor-parallel 2 --stages 4",
    "all_reduce": "--bytes 1e9 --ranks 64 --latency-s 5e-6 --reduction-s-per-byte 1e-12 --element-bytes 2 "
    "--gpus-per-node 8 --bandwidth-bytes-per-s 50e9",
    "pipeline": "--stages 8 --micro-batches 32 --forward-s 1 --backward-s 2 --weight-gradient-s 1 --chunks 2 "
    "--model 'GPT-3 175B' --sequence 2048 --micro-batch 1",
    "roofline": "--m 16 --k 8192 --n 8192 --dtype bf16 --element-bytes 2",
    "train": "--parameters 8e9 --tokens 1e12 --gpus 64 --mfu 0.4 --usd-per-gpu-hour 2 --goodput 0.9",
    "plan": "--model 'Llama 3 8B' --nodes 2 --sequence 8192 --tokens 2e6 --top 3 --run-tokens 1e12 "
    "--usd-per-gpu-hour 2 --tensor 2 --pipeline 2 --chunks 2 --context 1 --micro-batch 1 --zero 1 --free-share 0.1 "
    "--matmul-share 0.7 --gpus-per-node 8 --gpu-memory-bytes 80e9 --gpu-memory-bytes-per-s 3e12 "
    "--gpu-flops-per-s 9e14 --link-bytes-per-s 450e9 --network-bytes-per-s 50e9",
    "step": "--model 'Llama 3 8B' --nodes 2 --sequence 8192 --tokens 2e6 --tensor 2 --pipeline 2 --data 4 --context 1 "
    "--expert 1 --chunks 2 --micro-batch 1 --zero 1 --run-tokens 1e12 --usd-per-gpu-hour 2",
}


def extremes(name: str) -> list[list[str]]:
    """Return a valid call of a command with one value at a time replaced by each extreme one."""
    words = [name.replace("_", "-"), *shlex.split(ASKED[name])] if name in ASKED else typed(name) or []
    places = [place for place, word in enumerate(words) if place and not re.match("--[a-z]", word)]
    return [[*words[:place], value, *words[place + 1 :]] for place in places for value in EXTREME]


@pytest.mark.parametrize("name", dict.fromkeys([*QUESTIONS, *formula_modules()]))
def test_no_extreme_value_ends_in_a_traceback_or_a_hang(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Infinity is an answer only where the docstring says when, and is then printed as a word."""
    function = find_question(name) if name in QUESTIONS else find_formula(name)
    may_be_infinite = "infinit" in labelled(function).get("Returns", "")
    calls = extremes(name)
    for words in sampled(calls, 6) if calls else ():
        begun = time.process_time()
        status = main(words)
        printed = capsys.readouterr()
        told = f"{shlex.join(words)[:200]}: {printed.out[:200]}{printed.err[:200]}"
        assert time.process_time() - begun < COMMAND_S, told
        assert (status, printed.err.count("\n")) in ((0, 0), (2, 1)), told
        answer = re.split("\n\n", printed.out)[0].replace("math.inf", "")
        answer = re.sub(r"'[^']*'|(?m:^  .*  )", "", answer)  # texts are taken as they are, and so are what they name
        assert not re.search(r"\b(?:inf|nan)\b|-0\.0\b", answer), told
        assert may_be_infinite or "infinite" not in answer, told


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("perplexity-of-loss --loss inf", "perplexity_of_loss(loss=math.inf, base=2.718281828459045) = infinite"),
        ("compute-multiple --loss-nats 2 --gain-nats 2 --irreducible-nats 0 --exponent 2", "= infinite"),
        ("best-control-coefficient --covariance -0.0 --control-variance 2", "(covariance=0.0, control_variance=2) = 0"),
        ("block-ranges --length 1e18 --parts 1", '= [{"start": 0, "stop": 1000000000000000000}]'),
        ("epoch-rank-share --position 8 --examples 1e18 --ranks 4 --rank 0", "start  8\n  stop   250000000000000008\n"),
        ("compute-optimal-tokens --flops 1e24", "= 1738634774881.0715 tokens (1.739T tokens)"),
        ("compute-optimal-parameters --flops 1e24", " parameters (95.86B parameters)"),
    ],
)
def test_an_extreme_or_large_answer_can_be_read(line: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)) == 0
    assert answer in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("examples_per_s", "examples/s"),
        ("usd_per_kwh", "USD/kWh"),
        ("reduction_s_per_byte", "s/byte"),
        ("kg_per_kwh", "kg/kWh"),
        ("bandwidth_bytes_per_s", "bytes/s"),
        ("gpus_per_node", ""),
        ("flops_for_parameters", "FLOP"),
        ("epoch_rank_share", ""),
        ("compute_optimal_tokens_per_parameter", "tokens/parameter"),
    ],
)
def test_a_quotient_is_not_in_what_it_is_divided_by(name: str, unit: str) -> None:
    assert unit_of(name) == unit


def typed(name: str) -> list[str] | None:
    """Return how the call of a formula's example is typed; ``None`` where it has what cannot be."""
    words = []
    for argument, value in valid_call(f"{formula_modules()[name]}.{name}").items():
        option, several = f"--{argument.replace('_', '-')}", value if isinstance(value, list | tuple) else [value]
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        elif all(isinstance(one, int | float | str | Fraction) for one in several) and len(several):
            words += [option, *(str(one) for one in several)]
        elif value is not None:
            return None
    return [name.replace("_", "-"), *words]


def as_json(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, range):
        return {"start": value.start, "stop": value.stop}
    if isinstance(value, list | tuple | Iterator):
        return [as_json(one) for one in value]
    return float(value) if isinstance(value, Fraction) else "inf" if value == math.inf else value


def agrees(found: Any, expected: Any) -> bool:
    """Return whether JSON has all that a result has; of a record it may have more, its properties."""
    if isinstance(expected, dict):
        return all(agrees(found[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(itertools.starmap(agrees, zip(found, expected, strict=True)))
    return bool(found == expected)


@pytest.fixture(scope="module")
def left_out() -> set[str]:
    from snippets.command_line import list_formulas

    return {entry["name"] for entry in json.loads(list_formulas(json=True))["left_out"]}


@pytest.mark.parametrize("name", [name for name in formula_modules() if name not in QUESTIONS])
def test_a_formula_gives_what_its_function_gives(name: str, asked: Any, left_out: set[str]) -> None:
    words = typed(name)
    if name in left_out:
        assert main([name]) == 2
        return
    assert words is not None, "this call cannot be typed, but the list does not say so"
    found = asked(*words)
    expected = find_formula(name)(**valid_call(f"{formula_modules()[name]}.{name}"))
    assert agrees(found["value"], as_json(expected))
    said = labelled(find_formula(name))
    assert found["name"] == name
    assert found["source"] == said["Source"]
    assert found["convention"] == said.get("Convention", "")
    assert found["unit"] == unit_of(name)


def test_the_index_finds_what_python_finds() -> None:
    """The index reads texts; here the modules are imported and looked at."""
    modules = {formula_modules()[name] for name in formula_modules()}
    found = {
        name: module
        for module in modules
        for name, member in vars(sys.modules[find_formula_module(module)]).items()
        if inspect.isfunction(member)
        and member.__module__ == module
        and "\nFormula: " in (inspect.getdoc(member) or "")
    }
    assert found == formula_modules()


def find_formula_module(module: str) -> str:
    __import__(module)
    return module


def test_what_is_left_out_takes_what_cannot_be_typed(asked: Any) -> None:
    left_out = asked("list")["left_out"]
    assert len(left_out) < len(formula_modules()) / 7
    for entry in left_out:
        assert re.search(r" is of type .*(?:Sequence\[Sequence\[|\b(?!Sequence)[A-Z])", entry["left_out"]), entry


def test_the_list_can_be_searched(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked("list", "ring all-reduce")["formulas"]
    assert {"ring_all_reduce_bytes", "ring_all_reduce_time_s"} <= {entry["name"] for entry in found}
    assert all(entry["part"] == "memory" for entry in asked("list", "--part", "Memory")["formulas"])
    assert len(asked("list")["formulas"]) + len(asked("list")["left_out"]) == len(formula_modules())
    assert main(["list", "no such word"]) == 0
    assert capsys.readouterr().out == "0 formulas; `list` without a word names all\n"
    assert "ring_all_reduce_bytes" in {entry["name"] for entry in asked("list", "Patarasuk")["formulas"]}
    assert "compute_optimal_tokens" in {entry["name"] for entry in asked("list", "chinchilla")["formulas"]}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("models", {"GPT-2 124M": 124_439_808}),
        ("devices", {"H100 SXM": 80_000_000_000}),
        ("links", {"InfiniBand NDR": 50_000_000_000}),
        ("recipes", {}),
    ],
)
def test_the_list_has_what_an_option_takes(kind: str, names: dict[str, int], asked: Any, capsys: Any) -> None:
    found = asked("list", kind)[kind]
    assert names.items() <= found.items()
    assert main(["list", kind]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(found)
    option = {"models": "active-parameter-count --model", "recipes": "memory --parameters 7 --recipe"}.get(kind)
    for name in found if option else ():
        assert main([*(option or "").split(), name]) == 0


# What is printed.


def screens() -> list[tuple[str, str]]:
    """Return the commands of the page with what it shows of their output."""
    fences = re.findall(r"^```console\n\$ python -m snippets (.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
    assert len(fences) == PAGE.count("```console")
    return fences


@pytest.mark.parametrize(("line", "shown"), screens(), ids=[line for line, _ in screens()])
def test_the_page_shows_what_is_printed(line: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(shlex.split(line))
    printed = "".join(capsys.readouterr())
    if shown.endswith("…\n"):
        assert printed.startswith(shown.removesuffix("…\n"))
    else:
        assert printed == shown


def test_the_readmes_command_as_it_is_typed() -> None:
    line = re.search(r"`python -m snippets (memory .*?)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert line
    command = [sys.executable, "-m", "snippets", *shlex.split(line[1])]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=True)
    assert re.search(r"^model state +17\.64 GB$", done.stdout, re.MULTILINE)
    assert done.stderr == ""


def test_a_formula_is_computed_without_arrays_or_plots() -> None:
    code = "import sys; from snippets.command_line import main; main(['nats-to-bits', '2'])"
    code += "; print({'numpy', 'matplotlib', 'scipy'} & set(sys.modules), 'snippets.commands' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.endswith("set() False\n")


def test_without_the_library_one_sentence_says_what_to_install() -> None:
    code = "import runpy, sys; sys.modules['cyclopts'] = None; runpy.run_module('snippets', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cyclopts, which reads the options, is not installed: pip install cyclopts\n"


@pytest.mark.parametrize(
    ("line", "first"),
    [
        (
            "all-reduce-dimension-bytes --sides 4 2 --bytes 8",
            "all_reduce_dimension_bytes(sides=[4, 2], size_bytes=8) = [12.0, 2.0] bytes",
        ),
        ("best-control-coefficient --covariance -0.5 --control-variance 2", "= -0.25"),
        (
            "crossover-bytes all-reduce ring binomial --ranks 2 --latency-s 1e-5 --bandwidth-bytes-per-s 1e9",
            "crossover",
        ),
        ("least-micro-batches --stages 8 --bubble 1/20", "= 134"),
        ("zero-state-bytes 7.5e9 --ranks 64 --stage 3", "(parameters=7500000000, ranks=64, stage=3, recipe='mixed-"),
        ("message-time-s --size-bytes 1e9 --latency-s 0 --bandwidth-bytes-per-s 1e9", "= 1.0 s"),
        (
            "training-bill-usd --flops 1e24 --peak-flops-per-s 1e15 --utilization 1 --usd-per-device-hour 3.6",
            "($1,000,000)",
        ),
    ],
)
def test_the_first_line_of_an_answer(line: str, first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)) == 0
    assert first in capsys.readouterr().out.splitlines()[0]


def options(function: Any) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a function with the first words that its docstring says of each."""
    for argument in inspect.signature(function).parameters:
        said = re.search(rf"^    {argument}: (.*)", inspect.getdoc(function) or "", re.MULTILINE)
        assert said, argument
        yield argument, " ".join(said[1].split()[:4])


SOME = sampled([*formula_modules()], 12)


@pytest.mark.parametrize("name", dict.fromkeys([*QUESTIONS, *SOME]))
def test_help_says_what_every_argument_is(
    name: str, left_out: set[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in left_out:
        pytest.skip("no command")
    monkeypatch.setenv("COLUMNS", "200")
    function = find_question(name) if name in QUESTIONS else find_formula(name)
    assert main([name.replace("_", "-"), "--help"]) == 0
    shown = capsys.readouterr().out
    flat = re.sub(r"[\s│]+", "", shown)
    for argument, said in options(function):
        assert f"--{argument.replace('_', '-')}" in shown
        plain = re.split(r"``[A-Z]|,? or an? ", said)[0].replace("``", "`")
        assert plain.replace(" ", "") in flat, argument
    assert "--json" in shown
    assert "``" not in shown


def test_help_names_what_can_be_typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    for line, said in (
        ("collective-traffic", "one of broadcast, reduce, "),
        ("parameter-count", "a name in `list models` or a config.json."),
        ("memory", "a name in `list models` or a config.json; give this or"),
        ("model-state-bytes", "a name in `list recipes`."),
        ("least-devices-for-state", "a name in `list recipes`"),
    ):
        assert main([line, "--help"]) == 0
        assert said in capsys.readouterr().out


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["help"]):
        assert main(words) == 0
        shown = capsys.readouterr().out
        assert all(name.replace("_", "-") in shown for name in (*QUESTIONS, "list"))


def test_help_of_a_command_comes_by_either_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "--help"]) == 0
    shown = capsys.readouterr().out
    assert main(["help", "memory"]) == 0
    assert capsys.readouterr().out == shown
    assert "--zero" in shown


# What is refused.


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ring-all-reduce-bytes --ranks 0 --bytes 1", "--ranks must be an integer of at least 1, got 0"),
        ("ring-all-reduce-bytes --ranks 2.5 --bytes 1", "ranks must be an integer of at least 1, got 2.5"),
        ("ring-all-reduce-bytes --ranks many --bytes 1", "ranks must be an integer of at least 1, got 'many'"),
        ("ring-all-reduce-bytes --ranks 8 --bytes nan", "--bytes must be a finite number of at least 0, got nan"),
        ("memory --model 'Lama 3 70B' --gpus 64", "--model must be a name that there is, such as 'Llama 3 70B'"),
        ("memory --gpus 64", "--parameters must be given, or else --model"),
        (
            "memory --parameters 1e9 --gpus 6 --tensor-parallel 4",
            "--gpus must be a multiple of --tensor-parallel × stages = 4",
        ),
        ("memory --parameters 1e9 --zero 4", "zero must be one of 0, 1, 2, 3, got 4"),
        ("memory --parameters 1e9 --zero three", "zero must be one of 0, 1, 2, 3, got 'three'"),
        ("memory --modle x", "there is no --modle here; did you mean --model?"),
        (
            "pipeline --micro-batchs 32",
            "there is no --micro-batchs here; did you mean --micro-batch or --micro-batches?",
        ),
        ("memory --zero-stage 3", "there is no --zero-stage here; did you mean --zero?"),
        ("memory --context-length 8192", "there is no --context-length here; did you mean --sequence?"),
        ("memory --gpu 8", "there is no --gpu here; did you mean --gpus or --device?"),
        ("roofline --gpu h100", "there is no --gpu here; did you mean --device?"),
        ("zero-state-bytes --parameters 7B --zero 3", "there is no --zero here; did you mean --stage?"),
        ("train --mfus 8B --num-gpus 8", "there is no --mfus, --num-gpus here; did you mean --mfu, --gpus?"),
        ("memory --tp-degree 8", "there is no --tp-degree here; did you mean --tensor-parallel?"),
        ("memory --fsdp 8", "there is no --fsdp here; did you mean --zero?"),
        ("all-reduce --nodes 8", "there is no --nodes here; did you mean --gpus-per-node or --ranks?"),
        ("mfu --tokens-per-s 9000 --params 8e9", "there is no --tokens-per-s here; `training-utilization` takes it"),
        ("optimal-checkpoint-interval-s --mtbf 3", "there is no --mtbf here; did you mean --mtbf-s?"),
        ("pipeline --pp 8", "missing: --micro-batches"),
        (
            "roofline-time-s --memory 80GB",
            "there is no --memory here; did you mean --memory-bytes or --memory-bytes-per-s?",
        ),
        ("memory --world_size 8", "there is no --world_size here; did you mean --gpus?"),
        ("layer-activation-bytes --n-embd=8", "there is no --n-embd here; did you mean --hidden?"),
        ("message-time-s --bandwidth 5", "there is no --bandwidth here; did you mean --bandwidth-bytes-per-s?"),
        ("memory --colour red", "there is no --colour here; `memory --help` lists those that there are"),
        ("list --prt memory", "there is no --prt here; did you mean --part?"),
        ("all-reduce --ranks 8", "missing: --bytes;"),
        ("all-reduce --ranks 8 --bytes 1e6 --algorithm rings", "algorithm must be one of 'flat', 'binomial', 'ring'"),
        (
            "pipeline --stages 8 --micro-batches 9 --schedule zb-h2",
            "--micro-batches must be at least 15 for ZB-H2, got 9",
        ),
        (
            "roofline --m 1 --k 1 --n 1 --device V100",
            "--device must be a name that there is, such as 'V100 SXM2 16GB', 'V100 SXM2 32GB', ",
        ),
        ("roofline --m 1 --k 1 --n 1 --dtype fp8 --device 'TPU v4'", "dtype must be one that TPU v4 lists, bf16, int8"),
        ("train --parameters 7e9 --tokens 1e12 --gpus 8 --mfu 40", "mfu must be a number from"),
        (
            "rin-all",
            "command must be memory, all-reduce, pipeline, roofline, train, plan, step, list or a formula's name",
        ),
        ("zero-states-bytes", "command must be a name that there is, such as 'zero-state-bytes'"),
        ("price-schedule", "got price_schedule, to call from Python: schedule is of type Schedule"),
        ("list --part memmory", "part must be one of"),
        ("all-reduce", "missing: --bytes, --ranks;"),
        ("roofline --m 4096", "missing: --k, --n;"),
        ("ring-all-reduce-bytes --bytes 1", "missing: --ranks;"),
        ("memory --model", "--model needs a value"),
        ("memory --model Llama 3 8B", "needs quotes"),
        ("memory --model ''", "must be one of 'GPT-2 124M', "),
        ("memory --model mixtral", "such as 'Mixtral 8x7B', 'Mixtral 8x22B'"),
        ("memory --model mixtral", f"got 'mixtral'; `list models` names all {len(MODELS)}"),
        (
            "memory --model nosuch.json",
            "--model must be a name that `list models` has, or a config.json, got nosuch.json: ",
        ),
        ("memory --parameters 7e9 --recipe nosuch", "--recipe must be"),
        ("all-reduce --bytes 5us --ranks 8", "--bytes must be in bytes, such as 14GB or 64KiB, got '5us'"),
        (
            "train --parameters 8B --tokens 15GB --gpus 1",
            "--tokens must be a count, such as 70B, 15T or 7e9, got '15GB'",
        ),
        ("train --parameters 8B --tokens 1T --gpus 40%", "--gpus must be a count, such as 70B, 15T or 7e9, got '40%'"),
        ("train --parameters 1,5 --tokens 1 --gpus 1", "--parameters must be an integer of at least 1, got '1,5'"),
        ("memory --model 'GPT-2 124M' --sequence 1k", "--sequence must be one number; write 1000 or 1024, got '1k'"),
        ("train --parameters 8e9 --tokens 1/3 --gpus 8", "got 1/3"),
        ("train --parameters 8e9 --tokens 1e12 --gpus 1e300", "--gpus must be an integer of at most 1e30, got 1e300"),
        ("all-reduce --bytes 8 --ranks 1e6", "--ranks must be at most 32768, got 1000000"),
        ("all-reduce --bytes 8 --ranks 8 --gpus-per-node 3", "--gpus-per-node must be a divisor of ranks = 8"),
        ("all-reduce --bytes 8 --ranks 12 --node-link 'PCIe 4.0 x16'", "only with --gpus-per-node"),
        ("all-reduce --bytes 8 --ranks 12 --algorithm hierarchical", "--algorithm must be one of 'flat', "),
        ("ring-all-reduce-bytes --ranks 8 --bytes 1e400", "--bytes must be a number up to 1.8e308, got '1e400'"),
        ("block-ranges --length 7 --parts 1e6", "--parts must be at most 65536, got 1000000"),
        (
            "build-collective all_reduce ring --ranks 100000 --length 1000000",
            "--ranks must be such that ring has at most 524288 messages, got 1e+05 ranks",
        ),
        ("least-micro-batches --stages 8 --bubble 1e-320", "bubble must be such that the result is at most 1e30"),
        ("cheapest-for-loss --loss-nats 1e308 --inference-tokens 2", "--loss-nats and --inference-tokens must be"),
        ("pipeline --stages 8 --micro-batches 9 --schedule 2f2b", "'1f1b', 'interleaved', 'zb-h1'"),
        ("pipeline --stages 8 --micro-batches 9 --backward-s 2", "--backward-s must be given only with --forward-s"),
        ("pipeline --stages 8 --micro-batches 9 --chunks 2 --schedule 1f1b", "--chunks must be given only"),
        ("pipeline --stages 8 --micro-batches 9 --schedule 1f1b --weight-gradient-s 1", "--weight-gradient-s must be"),
        ("pipeline --stages 8 --micro-batches 9 --sequence 8", "--sequence must be given only with model"),
        ("pipeline --stages 8 --micro-batches 9 --micro-batch 8", "--micro-batch must be given only with model"),
        ("memory --parameters 7e9 --sequence 4096", "--sequence must be given only with model"),
        ("memory --parameters 7e9 --recomputation full", "--recomputation must be given only with sequence"),
        ("memory --parameters 7e9 --attention standard", "--attention must be given only with sequence"),
        ("memory --model 'GPT-2 124M' --micro-batch 8", "--micro-batch must be given only with sequence"),
        ("memory --model 'GPT-2 124M' --sequence 8 --sequence-parallel", "only with --tensor-parallel above 1"),
    ],
)
def test_a_sentence_says_what_is_wrong(line: str, sentence: str, refused: Any) -> None:
    assert sentence in refused(line)


@pytest.mark.parametrize("more", ["", " --sequence 4096"])
@pytest.mark.parametrize(
    ("cut", "sentence"),
    [
        ("--gpus 64 --stages 64", "--stages must be at most the 32 layers of Llama 3 8B, got 64"),
        ("--gpus 5 --tensor-parallel 5", "--tensor-parallel must be a divisor of the 32 heads of Llama 3 8B, got 5"),
    ],
)
def test_memory_cuts_alike_with_and_without_a_sequence(cut: str, sentence: str, more: str, refused: Any) -> None:
    assert refused(f"memory --model 'Llama 3 8B' {cut}{more}") == sentence


def test_a_large_number_is_the_one_that_was_typed(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("compute-optimal-tokens", "--flops", "6e23")["arguments"]["flops"] == 6 * 10**23
    assert asked("train", *["--parameters", "1", "--gpus", "1", "--tokens", "1e30"])["arguments"]["tokens"] == 10**30
    assert main(["compute-optimal-tokens", "--flops", "6e23"]) == 0
    assert capsys.readouterr().out.startswith("compute_optimal_tokens(flops=6e23, ")


def test_a_name_is_taken_in_any_usual_spelling(asked: Any) -> None:
    expected = asked("parameter-count", "Llama 3 70B")["value"]
    assert asked("parameter_count", "--model", "llama-3-70b")["value"] == expected
    assert asked("Parameter-Count", "LLAMA370B")["value"] == expected


def test_a_number_is_printed_as_it_was_taken(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split("message-time-s --bytes 64KiB --latency-s 5µs --bandwidth-bytes-per-s 400Gb/s")) == 0
    call = "message_time_s(size_bytes=65536, latency_s=5e-06, bandwidth_bytes_per_s=50000000000)"
    assert capsys.readouterr().out.startswith(call)
    line = "train --parameters 13b --tokens 15T --gpus 1024 --mfu 40% --usd-per-gpu-hour '$2.5'"
    taken = {"parameters": 13 * 10**9, "tokens": 15 * 10**12, "gpus": 1024, "mfu": 0.4, "usd_per_gpu_hour": 2.5}
    assert asked(*shlex.split(line))["arguments"] == taken
    assert main(shlex.split(line)) == 0
    assert "training_flops(parameters=13000000000, tokens=15000000000000)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("all-reduce --bytes 80 GB --ranks 64", "all-reduce --bytes 80e9 --ranks 64"),
        ("all-reduce --bytes=80 GB --ranks 64", "all-reduce --bytes 80e9 --ranks 64"),
        ("pipeline --stages 8 --microbatches 32", "pipeline --stages 8 --micro-batches 32"),
        ("pipeline --Stages 8 --micro_batches=32", "pipeline --stages 8 --micro-batches 32"),
        ("roofline -m 16 -k 8 -n 8", "roofline --m 16 --k 8 --n 8"),
        ("pipeline --pp 8 --microbatches 32", "pipeline --stages 8 --micro-batches 32"),
        ("all-reduce --size 80GB --ranks 64", "all-reduce --bytes 80e9 --ranks 64"),
        ("all-reduce --size 80 GB --ranks 64 --latency=5us", "all-reduce --bytes 80e9 --ranks 64 --latency-s 5e-6"),
        (
            "optimal-checkpoint-interval-s --mtbf 3h --checkpoint 60s",
            "optimal-checkpoint-interval-s --mtbf-s 10800 --checkpoint-s 60",
        ),
        ("roofline --m 16 --k 8 --n 8 --device h100", "roofline --m 16 --k 8 --n 8 --device 'H100 SXM'"),
        (
            "busiest-link-s --loads-bytes 4 GB 5 GB --bandwidths-bytes-per-s 400Gb/s 9GB/s",
            "busiest-link-s --loads-bytes 4e9 5e9 --bandwidths-bytes-per-s 50e9 9e9",
        ),
    ],
)
def test_two_ways_to_type_the_same(line: str, same: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(same)) == 0
    shown = capsys.readouterr().out
    assert main(shlex.split(line)) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("name", ["Llama 3 70B", "Qwen3 8B", "Gemma 2 9B", "Phi-4 14B", "Pythia 6.9B", "OLMo 2 13B"])
def test_memory_knows_the_models_that_were_added(name: str, values: Any) -> None:
    found = values(f"memory --model '{name}' --gpus 8 --zero 3 --sequence 4096")
    assert found["parameters"] == find_formula("parameter_count")(name)


def test_a_model_of_ones_own(tmp_path: Path, asked: Any, values: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A file like Llama 3 8B's gives that model's numbers, and a call that can be made again."""
    config = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    config |= {"num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    for question in (
        "memory --gpus 8 --zero 3 --sequence 8192 --tensor-parallel 4",
        "train --gpus 8 --tokens 1T",
        "pipeline --stages 8 --micro-batches 32 --sequence 8192",
    ):
        own = values(f"{question} --model {shlex.quote(str(path))}")
        assert own == values(f"{question} --model 'Llama 3 8B'")
    assert asked("parameter-count", str(path))["arguments"]["model"]["attention"]["key_value_heads"] == 8
    assert main(["parameter-count", str(path)]) == 0
    call = capsys.readouterr().out.partition(" = ")[0]
    assert call == f"parameter_count(model=model_from_config(json.load(open({str(path)!r}))))"
    found = {"json": json, "open": open, "model_from_config": model_from_config}
    assert eval(call, {**found, "parameter_count": parameter_count}) == parameter_count("Llama 3 8B")


def test_another_word_for_an_option_is_taken_where_it_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(line: str) -> str:
        assert main(shlex.split(line)) == 0
        return capsys.readouterr().out

    assert printed("ring-all-reduce-bytes --num-gpus 8 --num-bytes 800") == printed(
        "ring-all-reduce-bytes --ranks 8 --bytes 800"
    )
    assert "ring-all-reduce-bytes" in printed("list allreduce")
    assert printed("list gpus") == printed("list devices")


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("{", "no JSON"),
        ("[]", "config must be a mapping, what a config.json holds, got []"),
        ("{}", "config must be a mapping, what a config.json holds, got {}"),
        ('{"model_type": "llama"}', "config['num_hidden_layers'] must be an integer of at least 1"),
    ],
)
def test_a_file_that_is_no_model_is_refused(held: str, told: str, tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "config.json"
    path.write_text(held, encoding="utf-8")
    assert told in refused(f"memory --model {shlex.quote(str(path))}")


def test_every_device_can_be_asked_for(values: Any) -> None:
    for name, device in ACCELERATORS.items():
        dtype = "bf16" if device.peaks.bf16 else "fp16"
        assert values(f"roofline --m 64 --k 64 --n 64 --device '{name}' --dtype {dtype}")["memory bandwidth"]


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m snippets list | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""


def test_version_says_of_which_version_of_the_book_the_formulas_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"Many Machines, One Gradient {BOOK_VERSION}\n", "")
