"""A step of reinforcement learning: closed forms against a clock, bytes that really move, and the published rows."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.efficiency.local_sgd.rl_fleet import drawn_lengths, simulated_rl_run
from snippets.efficiency.local_sgd.rl_formulas import (
    broadcast_weights_s,
    cached_token_bytes,
    decoding_weight_bytes,
    own_shards_s,
    policy_training_flops,
    policy_training_time_s,
    rl_step_s,
    rollout_time_s,
    split_fleet_ratio,
    stale_step_floor_s,
    used_experts_share,
)
from snippets.efficiency.local_sgd.rl_steps import (
    PROMPT_TOKENS,
    RL_30B_GB200,
    RL_30B_H100,
    RL_STEPS,
    predicted_rl_step,
    rl_readings,
    rl_residuals,
    rl_splits,
)
from snippets.flops import forward_flops
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS, active_parameter_count, parameter_count

ON_H100, OFF_H100 = "H100 Qwen3 30B-A3B 32, on-policy", "H100 Qwen3 30B-A3B 32, 1 off"
ON_GB200, OFF_GB200 = "GB200 Qwen3 30B-A3B 16, on-policy", "GB200 Qwen3 30B-A3B 16, 1 off"
SECONDS = st.floats(0.1, 100)

# The table's columns as they are published, one row a line: the catalogue is typed from them and compared with them.
PRINTED = """\
line,policy,longest,mean,gpus,g_gbs,t_gbs,generation,training,rate,seconds
56,0,1536,701,256,512,512,32,1 1 16 16,12.1,134
57,0,1536,697,512,512,512,32,1 1 16 16,7.24,111
58,1,1536,710,512,512,512,32,1 1 16 16,12.8,64.1
59,0,8192,5698,128,512,512,16,2 2 16 8,58.9,395
60,0,8192,5713,256,512,512,16,2 2 16 8,37.4,312
61,1,8192,5721,256,512,512,8,4 1 16 8,58.7,231
62,0,4096,3203,32,2048,512,2,1 1 8 1,1102,192
63,1,4096,3201,32,2048,512,2,1 1 8 2,1414,152
64,8,4096,3206,192,2048,512,2,1 1 8 1,1025,34.5
65,1,131072,31599,128,512,512,8,8 8 8 1,37.5,430
75,1,1536,721,512,512,512,16,1 1 16 16,14.1,59.2
85,0,1536,711,128,512,512,32,1 1 16 8,30.2,108
86,0,1536,700,256,512,512,32,1 1 16 8,16.4,98.7
87,1,1536,708,256,512,512,16,1 1 16 8,26.7,61.7
88,0,8192,5709,64,512,512,8,2 2 16 4,163,286
89,0,8192,5693,128,512,512,8,2 2 16 4,67.4,345
90,1,8192,5705,128,512,512,8,4 1 16 4,85.5,278
91,0,4096,3199,16,2048,512,1,1 1 16 1,1910,221
92,1,4096,3197,16,2048,512,1,1 1 16 1,1406,301
"""


def test_the_catalogue_has_what_is_printed() -> None:
    rows = list(csv.DictReader(io.StringIO(PRINTED)))
    assert len(rows) == len(RL_STEPS) == 19
    for printed, row in zip(rows, RL_STEPS.values(), strict=True):
        own = (row.line, row.steps_off, row.longest_tokens, row.mean_tokens, row.devices, row.sequences)
        assert own == tuple(int(printed[name]) for name in ("line", "policy", "longest", "mean", "gpus", "g_gbs"))
        assert (row.update_sequences, row.generation_tensor) == (int(printed["t_gbs"]), int(printed["generation"]))
        assert row.training == tuple(map(int, printed["training"].split()))
        assert (row.tokens_per_s_per_gpu, row.seconds) == (float(printed["rate"]), float(printed["seconds"]))


def test_the_tokens_of_a_step_are_prompts_and_answers_in_15_rows_and_four_do_not_close() -> None:
    odd = {row.line for row in RL_STEPS.values() if not 95 < row.prompt_tokens < 125}
    assert odd == {61, 63, 65, 90}
    sound = sorted(row.prompt_tokens for row in RL_STEPS.values() if row.line not in odd)
    assert abs(sound[len(sound) // 2] - PROMPT_TOKENS) < 1
    nano = RL_STEPS["H100 Nemotron 3 Nano 128, 1 off"]
    assert 64 < nano.tokens / nano.mean_tokens < 66  # its recipe has 64 answers, where 512 is printed


def test_layouts_fill_the_training_side_but_for_one_row_as_printed() -> None:
    for row in RL_STEPS.values():
        t, c, e, p = row.training
        replicas = row.training_devices / (t * c * p)
        assert replicas == int(replicas), row.name
        assert (row.training_devices % (e * p) == 0) == (row.name != OFF_GB200)  # 16 expert ranks on 8 GPUs


@given(experts=st.integers(1, 12), tokens=st.integers(1, 6), data=st.data())
def test_used_experts_as_drawn_one_by_one(experts: int, tokens: int, data: st.DataObject) -> None:
    chosen = data.draw(st.integers(1, experts))
    left_out = 1.0
    for _ in range(tokens):  # of the sets of k experts, those without a given one
        left_out *= math.comb(experts - 1, chosen) / math.comb(experts, chosen)
    share = used_experts_share(experts=experts, experts_per_token=chosen, tokens=tokens)
    assert share == pytest.approx(1 - left_out)


@pytest.mark.parametrize("model", ["Llama 3 8B", "Qwen3 30B-A3B", "DeepSeek-V3", "Llama 3.2 1B"])
def test_one_sequence_reads_what_its_token_multiplies_by_and_many_read_all(model: str) -> None:
    multiplied = forward_flops(model, batch=1, sequence=1) / 2
    attention = 2 * MODELS[model].layers * 2**14  # scores of one token: at most two products of all heads' width
    one = decoding_weight_bytes(model, sequences=1, element_bytes=1)
    assert multiplied - attention <= one <= multiplied * 1.001  # norms and router biases multiply no matrix
    table = 0 if MODELS[model].tied else MODELS[model].vocabulary * MODELS[model].hidden
    every = decoding_weight_bytes(model, sequences=2**40, element_bytes=1)
    assert every == pytest.approx(parameter_count(model) - table)


def test_the_cache_is_keys_and_values_of_each_layer() -> None:
    cache = np.zeros((2, 48, 4, 128), np.float16)  # (keys and values, L, a_kv, h_head) of one token
    assert cached_token_bytes("Qwen3 30B-A3B") == cache.nbytes
    assert cached_token_bytes("Qwen3 30B-A3B", tensor_parallel=2) == cache[:, :, :2].nbytes
    assert cached_token_bytes("Qwen3 30B-A3B", tensor_parallel=16) == cache[:, :, :1].nbytes
    latents = np.zeros((61, 512 + 64), np.float16)  # (L, latent and rotary part)
    assert cached_token_bytes("DeepSeek-V3", tensor_parallel=32) == latents.nbytes


@given(
    own=st.integers(1, 40),
    replicas=st.integers(1, 4),
    tokens=st.integers(1, 60),
    longest=st.integers(0, 40),
    prompt=st.integers(0, 30),
)
def test_generation_as_bytes_read_token_by_token(
    own: int, replicas: int, tokens: int, longest: int, prompt: int
) -> None:
    model, device = MODELS["Qwen3 30B-A3B"], ACCELERATORS["H100 SXM"]
    weights, cache = decoding_weight_bytes(model, sequences=own), cached_token_bytes(model)
    read = 0.0
    for step in range(tokens + longest):
        read += weights
        if step < tokens:  # the middle of the token, as the closed form has it
            read += own * (prompt + step + 0.5) * cache
    found = rollout_time_s(
        model,
        accelerator=device,
        devices=replicas,
        tensor_parallel=1,
        sequences=own * replicas,
        longest_tokens=tokens + longest,
        mean_tokens=tokens,
        prompt_tokens=prompt,
        memory_share=0.5,
    )
    assert found == pytest.approx(read / (0.5 * device.memory_bandwidth_bytes_per_s))


def test_the_simulated_fleet_takes_as_long_as_the_closed_form_of_generation() -> None:
    model, device = MODELS["Llama 3 8B"], ACCELERATORS["H100 SXM"]
    token_step = decoding_weight_bytes(model, sequences=4) / device.memory_bandwidth_bytes_per_s
    run = simulated_rl_run([[300] * 8] * 6, replicas=2, token_step_s=token_step, training_s=0, steps_off=0)
    closed = rollout_time_s(
        model, accelerator=device, devices=2, tensor_parallel=1, sequences=8, longest_tokens=300, mean_tokens=300
    )
    cache = 4 * 300 * 150 * cached_token_bytes(model) / device.memory_bandwidth_bytes_per_s
    assert run.step_s == pytest.approx(closed - cache)


def test_many_sequences_are_bound_by_arithmetic() -> None:
    sizes = {"devices": 1, "tensor_parallel": 1, "longest_tokens": 10, "mean_tokens": 10}
    found = rollout_time_s("Llama 3 8B", accelerator="H100 SXM", sequences=100_000, **sizes)
    flops = 2 * active_parameter_count("Llama 3 8B") * 1_000_000
    peak = ACCELERATORS["H100 SXM"].peaks.bf16
    assert peak is not None
    assert found == pytest.approx(flops / peak)


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_training_counts_each_pass(passes: int) -> None:
    forward, backward = 2 * 7.0 * 3.0, 4 * 7.0 * 3.0
    assert policy_training_flops(active_parameters=7, tokens=3, logprob_passes=passes) == sum(
        [forward] * passes + [forward, backward]
    )


@given(stages=st.integers(1, 6), micro_batches=st.integers(1, 9))
def test_training_as_a_pipeline_that_is_filled_slot_by_slot(stages: int, micro_batches: int) -> None:
    ends: dict[tuple[int, int], int] = {}
    for batch in range(micro_batches):
        for stage in range(stages):
            ends[batch, stage] = 1 + max(ends.get((batch, stage - 1), 0), ends.get((batch - 1, stage), 0))
    slots = ends[micro_batches - 1, stages - 1]
    slot_s = 10.0 / micro_batches  # a stage's time for a micro-batch where all stages share 10 s of work
    found = policy_training_time_s(
        flops=10.0 * stages,
        devices=stages,
        peak_flops_per_s=1,
        utilization=1,
        micro_batches=micro_batches,
        stages=stages,
    )
    assert found == pytest.approx(slots * slot_s)


@given(tensor=st.integers(1, 4), replicas=st.integers(1, 4), senders=st.integers(1, 12))
def test_weights_that_really_move(tensor: int, replicas: int, senders: int) -> None:
    weights = np.arange(12 * 4 * 5, dtype=np.int64)  # (N,)
    least = math.lcm(tensor, senders)
    weights = weights[: len(weights) - len(weights) % least] if len(weights) >= least else np.arange(least)
    size = weights.nbytes
    held = np.split(weights, senders)  # each sender's part
    sent, received = [0] * senders, [0] * (tensor * replicas)
    for receiver in range(tensor * replicas):
        shard = len(weights) // tensor
        wanted = weights[receiver % tensor * shard :][:shard]
        pieces = [np.intersect1d(part, wanted) for part in held]
        assert np.array_equal(np.concatenate(pieces), wanted)
        received[receiver] = sum(piece.nbytes for piece in pieces)
        for sender, piece in enumerate(pieces):
            sent[sender] += piece.nbytes
    assert len({*sent}) == 1  # a sender's part is asked for by as many as any other's
    own = own_shards_s(
        weight_bytes=size,
        bandwidth_bytes_per_s=1,
        tensor_parallel=tensor,
        generating_devices=tensor * replicas,
        training_devices=senders,
    )
    assert own == pytest.approx(max(*sent, *received))
    assert broadcast_weights_s(weight_bytes=size, bandwidth_bytes_per_s=1) == sum(part.nbytes for part in held)


@given(
    tokens=st.integers(1, 30), token_step=SECONDS, sequence=SECONDS, training=SECONDS, moving=st.floats(0, 20),
    off=st.integers(0, 4),
)  # fmt: skip
def test_steps_on_the_clock(
    tokens: int, token_step: float, sequence: float, training: float, moving: float, off: int
) -> None:
    run = simulated_rl_run(
        [[tokens] * 6] * 24,
        replicas=2,
        token_step_s=token_step,
        sequence_s=sequence,
        training_s=training,
        moving_s=moving,
        steps_off=off,
    )
    generation = tokens * (token_step + 3 * sequence)
    closed = rl_step_s(generation_s=generation, training_s=training, moving_s=moving, steps_off=off)
    assert run.step_s == pytest.approx(closed)
    assert max(run.staleness) <= off
    assert sum(run.staleness.values()) == 24 * 6


def test_on_one_fleet_the_sides_take_turns_and_on_two_the_faster_one_waits() -> None:
    turns = simulated_rl_run([[30] * 4] * 20, replicas=4, token_step_s=1, training_s=10, steps_off=0)
    assert (turns.generating_share, turns.training_share) == pytest.approx((0.75, 0.25))
    assert turns.staleness == {0: 80}
    two = simulated_rl_run([[30] * 4] * 200, replicas=4, token_step_s=1, training_s=10, steps_off=1)
    assert two.training_share == pytest.approx(1 / 3, rel=0.01)
    assert two.generating_share == pytest.approx(1, rel=0.01)
    assert two.staleness == {0: 4, 1: 796}


@given(tokens=st.integers(1, 40), training=st.floats(1, 100), off=st.integers(0, 5))
def test_batches_side_by_side_reach_the_floor_where_they_cost_one_another_nothing(
    tokens: int, training: float, off: int
) -> None:
    run = simulated_rl_run(
        [[tokens] * 2] * 60, replicas=2, token_step_s=1, training_s=training, steps_off=off, batches_at_once=off + 1
    )
    floor = stale_step_floor_s(generation_s=tokens, training_s=training, steps_off=off)
    measured = (run.updates_s[-1] - run.updates_s[29]) / 30  # 30 is a multiple of off + 1 for all but the last
    assert measured == pytest.approx(floor, rel=0.05)


@pytest.mark.parametrize("off", [0, 1, 2, 8])
@pytest.mark.parametrize("at_once", [1, 2, 9])
def test_no_run_of_drawn_lengths_is_faster_than_its_floors(off: int, at_once: int) -> None:
    lengths = drawn_lengths(batches=40, sequences=24, mean_tokens=60, longest_tokens=200, seed=7)
    run = simulated_rl_run(
        lengths.tolist(),
        replicas=4,
        token_step_s=1,
        sequence_s=0.05,
        training_s=40,
        steps_off=off,
        batches_at_once=at_once,
    )
    alone = [
        simulated_rl_run([batch], replicas=4, token_step_s=1, sequence_s=0.05, training_s=0, steps_off=0).step_s
        for batch in lengths.tolist()
    ]
    floor = stale_step_floor_s(generation_s=min(alone), training_s=40, steps_off=off)
    assert run.step_s >= floor * (1 - 1e-9)
    assert max(run.staleness) <= off
    if off == 0:
        assert run.updates_s[-1] == pytest.approx(sum(alone) + 40 * 40)


def test_more_steps_off_hide_what_one_batch_differs_from_the_next() -> None:
    lengths = drawn_lengths(batches=200, sequences=8, mean_tokens=60, longest_tokens=400, seed=3)
    steps = [
        simulated_rl_run(lengths.tolist(), replicas=4, token_step_s=1, training_s=130, steps_off=k).step_s
        for k in (0, 1, 2, 8)
    ]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] > 1.5 * steps[1] > 1.5 * steps[3]


@given(generation=SECONDS, training=SECONDS, share=st.floats(0.01, 0.99))
def test_of_work_that_divides_no_cut_gains(generation: float, training: float, share: float) -> None:
    ratio = split_fleet_ratio(
        generation_s=generation,
        training_s=training,
        split_generation_s=generation / share,
        split_training_s=training / (1 - share),
    )
    assert ratio >= 1 - 1e-12
    best = generation / (generation + training)
    best_ratio = split_fleet_ratio(
        generation_s=generation,
        training_s=training,
        split_generation_s=generation / best,
        split_training_s=training / (1 - best),
    )
    assert best_ratio == pytest.approx(1)


@given(generation=SECONDS, training=SECONDS, growth=st.floats(1, 2))
def test_halves_lose_once_training_took_more_than_half(generation: float, training: float, growth: float) -> None:
    ratio = split_fleet_ratio(
        generation_s=generation,
        training_s=training,
        split_generation_s=growth * generation,
        split_training_s=2 * training,
    )
    if training > generation:
        assert ratio > 1
    elif growth * generation < generation + training and training < generation:
        assert ratio < 1


def test_a_split_lies_between_half_of_the_half_fleets_step_and_all_of_it_but_for_deepseek_on_h100() -> None:
    pairs = {
        ("H100 DeepSeek-V3 256, on-policy", "H100 DeepSeek-V3 512, 1 off"): 0.478,
        ("H100 Qwen3 235B-A22B 128, on-policy", "H100 Qwen3 235B-A22B 256, 1 off"): 0.585,
        ("GB200 DeepSeek-V3 128, on-policy", "GB200 DeepSeek-V3 256, 1 off"): 0.571,
        ("GB200 Qwen3 235B-A22B 64, on-policy", "GB200 Qwen3 235B-A22B 128, 1 off"): 0.972,
    }
    for (half, split), ratio in pairs.items():
        assert 2 * RL_STEPS[half].devices == RL_STEPS[split].devices
        assert RL_STEPS[split].seconds / RL_STEPS[half].seconds == pytest.approx(ratio, abs=0.001)


def test_on_gb200_training_must_be_the_slower_side_and_on_h100_either_may_be() -> None:
    assert [each.slower for each in rl_readings(on_policy=ON_GB200, split=OFF_GB200)] == ["training"]
    assert [each.slower for each in rl_readings(on_policy=ON_H100, split=OFF_H100)] == ["generation", "training"]
    for on, off, kept in ((ON_GB200, OFF_GB200, RL_30B_GB200), (ON_H100, OFF_H100, RL_30B_H100)):
        for reading in rl_readings(on_policy=on, split=off):
            for row in (on, off):  # two equations: what was put in comes out
                found = predicted_rl_step(row, shares=reading.shares).step_s
                assert found == pytest.approx(RL_STEPS[row].seconds, rel=1e-6)
        assert kept == pytest.approx(rl_readings(on_policy=on, split=off)[-1].shares, rel=0.002)
    whole, half = (predicted_rl_step(row, shares=RL_30B_GB200) for row in (ON_GB200, OFF_GB200))
    assert half.generation_s / whole.generation_s < 301 / 221 < half.training_s / whole.training_s
    assert half.training_s == pytest.approx(2 * whole.training_s, rel=0.002)


def test_deepseek_pays_on_policy_what_no_pair_of_constants_explains() -> None:
    pair = {"on_policy": "H100 DeepSeek-V3 256, on-policy", "split": "H100 DeepSeek-V3 512, 1 off"}
    assert rl_readings(**pair) == ()
    slower: dict[str, Any] = {**pair, "split": replace(RL_STEPS["H100 DeepSeek-V3 512, 1 off"], seconds=72)}
    assert rl_readings(**slower)


def test_constants_of_one_job_are_too_fast_for_most_others() -> None:
    residuals = rl_residuals(RL_30B_H100)
    assert len(residuals) == 18
    errors = sorted(abs(each.error) for each in residuals)
    assert 0.35 < (errors[8] + errors[9]) / 2 < 0.45
    assert sum(each.error < 0.01 for each in residuals) == 17
    assert [each.name for each in rl_residuals(accelerator="GB200", model="Qwen3 30B-A3B")] == [ON_GB200, OFF_GB200]


def test_eight_steps_off_the_longest_sequence_no_longer_sets_the_pace() -> None:
    name = "H100 Qwen3 30B-A3B 192, 8 off"
    at_once = predicted_rl_step(name).step_s
    alone = predicted_rl_step(replace(RL_STEPS[name], steps_off=1)).step_s
    assert at_once == pytest.approx(25, abs=1)
    assert alone == pytest.approx(104, abs=4)
    assert at_once < RL_STEPS[name].seconds < alone


def test_the_best_split_by_trying_every_one() -> None:
    found = rl_splits(ON_GB200, shares=RL_30B_GB200)
    assert list(found) == list(range(4, 16))
    for generating, times in found.items():
        cut = replace(RL_STEPS[ON_GB200], steps_off=1, generating_devices=generating)
        assert times == predicted_rl_step(cut, shares=RL_30B_GB200)
    best = min(found, key=lambda devices: found[devices].step_s)
    assert (best, round(found[best].step_s), round(found[8].step_s)) == (4, 201, 301)
