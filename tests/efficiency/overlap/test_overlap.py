"""Chapter 33: the closed forms of overlap against tasks on lanes and all splits of the SMs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.composition.layer_times import layer_times
from snippets.composition.layouts import Layout
from snippets.composition.step_constants import Constants
from snippets.efficiency.overlap.figures import paired_lanes_panel, sm_rows_panel, sm_split_plot, two_lanes_panel
from snippets.efficiency.overlap.formulas import (
    best_comm_sms,
    least_sm_split_time_s,
    lent_sms_time_s,
    overlapped_share,
    sm_exchange_s,
    sm_split_time_s,
    squeezed_compute_s,
    wave_slowdown,
)
from snippets.efficiency.overlap.streams import GPU, NETWORK, chained_tasks, paired_tasks, sm_tasks, tiled_tasks
from snippets.foundations.alpha_beta.formulas import bucketed_step_time_s
from snippets.hardware import NODES
from snippets.memory.offloading.lanes import run_lanes
from snippets.models import MODELS

QUESTION: dict[str, Any] = {
    "compute_s": 25.6e-3,
    "total_bytes": 623e6,
    "sm_bytes_per_s": 2e9,
    "link_bytes_per_s": 40e9,
    "sms": 132,
}
times = st.fractions(Fraction(1, 10), 50, max_denominator=20)
splits = st.fixed_dictionaries(
    {
        "compute_s": st.integers(0, 60).map(float),
        "total_bytes": st.integers(1, 400).map(float),
        "sm_bytes_per_s": st.sampled_from([0.5, 1.0, 2.0, 7.0]),
        "link_bytes_per_s": st.sampled_from([1.0, 3.0, 8.0, 25.0, 1000.0]),
        "sms": st.integers(2, 24),
    }
)


def ends(tasks: list[Any]) -> float:
    return max((float(when.end_s) for when in run_lanes(tasks)), default=0.0)


@given(compute=times, exchange=times)
def test_the_share_saved_is_that_of_many_tasks_on_two_lanes(compute: Fraction, exchange: Fraction) -> None:
    in_turn = [("c", GPU, float(compute)), ("x", NETWORK, float(exchange))]
    together = chained_tasks([[in_turn[0]], [in_turn[1]]])
    saved = 1 - ends(together) / ends(chained_tasks([in_turn]))
    share = overlapped_share(compute_s=float(compute), exchange_s=float(exchange))
    assert share == pytest.approx(saved)
    assert 0 < share <= 0.5


def test_nothing_to_do_saves_nothing() -> None:
    assert overlapped_share(compute_s=0, exchange_s=0) == 0 == overlapped_share(compute_s=1, exchange_s=0)


@settings(max_examples=60, deadline=None)
@given(
    chains=st.lists(
        st.lists(st.tuples(st.just("task"), st.sampled_from([GPU, NETWORK]), st.integers(0, 9)), max_size=6), max_size=4
    )
)
def test_no_order_beats_the_longer_lane_or_half_of_the_time_in_turn(chains: list[list[tuple[str, str, float]]]) -> None:
    together = ends(chained_tasks(chains))
    lanes = [sum(each[2] for chain in chains for each in chain if each[1] == lane) for lane in (GPU, NETWORK)]
    assert together >= max(lanes) >= sum(lanes) / 2
    assert together <= ends(chained_tasks(chains, one_at_a_time=True)) == sum(lanes)


def test_a_chain_waits_for_itself_and_two_take_turns() -> None:
    block = [("attention", GPU, 2.0), ("dispatch", NETWORK, 2.0), ("experts", GPU, 2.0), ("combine", NETWORK, 2.0)]
    assert ends(chained_tasks([block])) == 8
    assert ends(chained_tasks([block, block], one_at_a_time=True)) == 16
    assert ends(chained_tasks([block, block])) == 10


@given(tiles=st.integers(1, 60), compute=st.integers(0, 30), exchange=st.integers(1, 30))
def test_tiles_are_chapter_5s_buckets(tiles: int, compute: int, exchange: int) -> None:
    ran = ends(tiled_tasks(compute_s=compute, exchange_s=exchange, tiles=tiles))
    closed = bucketed_step_time_s(
        total_bytes=exchange, buckets=tiles, compute_s=compute, latency_s=0.0, bandwidth_bytes_per_s=1.0
    )
    assert ran == pytest.approx(closed)


@given(split=splits, part=st.integers(1, 23))
def test_a_split_takes_what_its_sms_take_tick_by_tick(split: dict[str, Any], part: int) -> None:
    g = min(part, split["sms"] - 1)
    closed = sm_split_time_s(comm_sms=g, **split)
    blocks, chunks = 4 * (split["sms"] - g) * 3, 4 * g * 3
    ran = ends(
        sm_tasks(
            blocks=blocks,
            block_s=split["compute_s"] * split["sms"] / blocks,
            chunks=chunks,
            chunk_bytes=split["total_bytes"] / chunks,
            comm_sms=g,
            sms=split["sms"],
            sm_bytes_per_s=split["sm_bytes_per_s"],
            link_bytes_per_s=split["link_bytes_per_s"],
        )
    )
    # the first chunks are copied before the link begins, and the last are carried after the copies have ended
    first = split["total_bytes"] / chunks / split["sm_bytes_per_s"]
    last = g * split["total_bytes"] / chunks / split["link_bytes_per_s"]
    assert closed * (1 - 1e-9) <= ran <= (closed + first + last) * (1 + 1e-9)


@given(split=splits)
def test_the_best_split_is_the_best_of_all(split: dict[str, Any]) -> None:
    tried = {g: sm_split_time_s(comm_sms=g, **split) for g in range(1, split["sms"])}
    best = best_comm_sms(**split)
    assert tried[best] <= min(tried.values()) * (1 + 1e-12)
    assert all(tried[g] > tried[best] for g in range(1, best))
    assert least_sm_split_time_s(**split) <= tried[best] * (1 + 1e-12)


@given(split=splits, scale=st.sampled_from([10_000, 50_000]))
def test_the_least_time_is_reached_by_ever_more_and_smaller_sms(split: dict[str, Any], scale: int) -> None:
    if split["link_bytes_per_s"] >= split["sms"] * split["sm_bytes_per_s"]:
        return  # the link could not be filled
    fine = split | {"sms": split["sms"] * scale, "sm_bytes_per_s": split["sm_bytes_per_s"] / scale}
    best = sm_split_time_s(comm_sms=best_comm_sms(**fine), **fine)
    floor = least_sm_split_time_s(**split)
    assert floor * (1 - 1e-9) <= best <= floor * (1 + 1e-2)


@given(split=splits, part=st.integers(1, 23))
def test_sms_that_come_back_end_when_the_work_does(split: dict[str, Any], part: int) -> None:
    g, S = min(part, split["sms"] - 1), split["sms"]
    rates = {name: split[name] for name in ("total_bytes", "sm_bytes_per_s", "link_bytes_per_s")}
    T_x = Fraction(sm_exchange_s(comm_sms=g, **rates))
    done, now = min((S - g) * T_x, S * Fraction(split["compute_s"])), T_x  # SM-seconds of the matmuls, step by step
    now += (S * Fraction(split["compute_s"]) - done) / S
    lent = lent_sms_time_s(comm_sms=g, **split)
    assert lent == pytest.approx(float(now))
    assert least_sm_split_time_s(**split) * (1 - 1e-12) <= lent <= sm_split_time_s(comm_sms=g, **split) * (1 + 1e-12)


@given(blocks=st.integers(1, 200), sms=st.integers(2, 20), part=st.integers(0, 19))
def test_waves_are_those_of_blocks_that_are_dealt_out(blocks: int, sms: int, part: int) -> None:
    g = min(part, sms - 1)
    counts = [[0] * (sms - taken) for taken in (0, g)]
    for held in counts:
        for number in range(blocks):
            held[number % len(held)] += 1
    assert wave_slowdown(blocks=blocks, comm_sms=g, sms=sms) == pytest.approx(max(counts[1]) / max(counts[0]))


def test_the_questions_split() -> None:
    tried = {g: sm_split_time_s(comm_sms=g, **QUESTION) for g in range(1, 132)}
    assert min(tried, key=lambda g: tried[g]) == 12 == best_comm_sms(**QUESTION)
    assert squeezed_compute_s(compute_s=1.0, comm_sms=0) == 1.0


ATTENTION, EXPERTS, OUT, BACK = 3.48, 5.05, 2.65, 5.14  # ms of the question's layer, forward, over a full link
WEIGHTS = 2.41


def pair_times(comm_sms: int) -> dict[str, Any]:
    squeeze, slower = 132 / (132 - comm_sms), max(1.0, 20 / comm_sms)
    return {
        "attention_s": ATTENTION * squeeze,
        "experts_s": EXPERTS * squeeze,
        "dispatch_s": OUT * slower,
        "combine_s": BACK * slower,
        "attention_weights_s": WEIGHTS * squeeze,
    }


def in_a_fixed_order(comm_sms: int, gpu: str, layers: int) -> float:
    """Run both passes layer by layer with recurrences: each lane does its tasks in one order, whatever is ready.

    ``gpu`` names the GPU's tasks from one layer's experts on: E, e and w are the experts forward, their inputs'
    gradients and their weights'; A, a and v those of attention, where A is the next layer's.
    """
    T = pair_times(comm_sms)
    A, E, D, C = T["attention_s"], T["experts_s"], T["dispatch_s"], T["combine_s"]
    long = {"E": E, "e": E, "w": E, "A": A, "v": T["attention_weights_s"], "a": 2 * A - T["attention_weights_s"]}
    gpu_end = ended = A  # the first layer's attention
    back = net = D  # gradients have come to the first layer's experts
    for _layer in range(layers):
        net = sent = max(net, ended) + D  # tokens go to the experts as soon as the last gradients have come
        at: dict[str, float] = {}
        come = {"e": back, "E": sent}
        for task in gpu:
            if task == "a" or (task == "A" and "a" not in at):
                net = combined = max(net, at["e"]) + C
                come["a"] = combined
            if task == "A":
                net = max(net, at["E"]) + C
                come["A"] = net
            gpu_end = at[task] = max(gpu_end, come.get(task, 0.0)) + long[task]
        back = net = max(net, at["a"]) + D
        ended = at["A"]
    return gpu_end / layers


@pytest.mark.parametrize("comm_sms", [8, 12, 14, 20])
def test_no_schedule_of_two_passes_beats_the_longer_lane(comm_sms: int) -> None:
    for split in (True, False):
        tasks = paired_tasks(layers=30, **pair_times(comm_sms), split=split)
        lanes = [sum(float(task.seconds) for task in tasks if task.lane == lane) for lane in (GPU, NETWORK)]
        assert ends(tasks) >= max(lanes) - 1e-9
        assert lanes[0] / 30 == pytest.approx(3 * (ATTENTION + EXPERTS) * 132 / (132 - comm_sms))
        assert lanes[1] / 30 == pytest.approx(2 * (OUT + BACK) * max(1.0, 20 / comm_sms))


@pytest.mark.parametrize("comm_sms", [12, 14, 16, 20])
def test_weights_in_the_gaps_reach_what_one_fixed_order_reaches(comm_sms: int) -> None:
    fixed = in_a_fixed_order(comm_sms, "eEwavA", 120)
    assert ends(paired_tasks(layers=120, **pair_times(comm_sms))) / 120 == pytest.approx(fixed, rel=0.01)
    assert fixed < 1.01 * max(squeezed_compute_s(compute_s=25.59, comm_sms=comm_sms), 15.58 * max(1, 20 / comm_sms))


@pytest.mark.parametrize("comm_sms", [10, 12, 13, 14, 16, 20])
def test_the_issued_order_takes_what_recurrences_in_it_take(comm_sms: int) -> None:
    issued = ends(paired_tasks(layers=120, **pair_times(comm_sms), issued=True)) / 120
    assert issued == pytest.approx(in_a_fixed_order(comm_sms, "ewEavA", 120), rel=0.01)


def test_the_issued_order_is_each_lanes_order() -> None:
    tasks = paired_tasks(layers=2, **pair_times(12), issued=True)
    compute = ["attention", "experts back", "experts weights", "experts", "attention back", "attention weights"]
    network = ["dispatch back", "dispatch", "combine back", "combine"]
    for lane, names in ((GPU, compute), (NETWORK, network)):
        mine = [number for number, task in enumerate(tasks) if task.lane == lane]
        assert [tasks[number].name for number in mine] == 2 * names
        assert all(before in tasks[number].after for before, number in itertools.pairwise(mine))


def test_another_order_needs_two_sms_more() -> None:
    """The weights of the experts before the other micro-batch's experts: 12 SMs fall short, 14 don't."""
    assert in_a_fixed_order(12, "ewEavA", 120) > 1.03 * in_a_fixed_order(12, "eEwavA", 120)
    assert in_a_fixed_order(14, "ewEavA", 120) < 1.01 * in_a_fixed_order(14, "eEwavA", 120)


def test_weights_in_the_chain_make_it_as_long_as_its_tasks() -> None:
    times = pair_times(8)
    chain = times["dispatch_s"] + times["combine_s"] + 2 * (times["attention_s"] + times["experts_s"])
    assert ends(paired_tasks(layers=40, **times, split=False)) / 40 >= 0.99 * chain
    apart = ends(paired_tasks(layers=40, **times)) / 40
    assert apart < 0.95 * ends(paired_tasks(layers=40, **times, split=False)) / 40


def test_every_task_of_a_pair_waits_for_what_it_needs() -> None:
    tasks = paired_tasks(layers=3, **pair_times(12))
    needs = {(task.name, task.layer): [(tasks[i].name, tasks[i].layer) for i in task.after] for task in tasks}
    for layer in range(3):
        assert needs[("dispatch", layer)] == [("attention", layer)]
        assert needs[("experts", layer)] == [("dispatch", layer)]
        assert needs[("combine", layer)] == [("experts", layer)]
        assert needs[("experts back", layer)] == [("dispatch back", layer)]
        assert needs[("combine back", layer)] == [("experts back", layer)] == needs[("experts weights", layer)]
        assert needs[("attention back", layer)] == [("combine back", layer)]
        assert needs[("attention weights", layer)] == [("attention back", layer)]
        assert needs[("attention", layer)] == ([("combine", layer - 1)] if layer else [])
        assert needs[("dispatch back", layer)] == ([("attention back", layer - 1)] if layer else [])


def test_attentions_weights_are_part_of_it() -> None:
    with pytest.raises(ValueError, match="attention_weights_s must be at most attention_s = 3"):
        paired_tasks(**(pair_times(12) | {"attention_s": 3.0, "attention_weights_s": 3.5}), layers=2)


def test_the_times_of_the_pair_are_the_questions() -> None:
    plain = Constants(matmul_share=0.65, attention_share=0.65, count_bytes=False)
    F = layer_times(
        MODELS["DeepSeek-V3"],
        batch=1,
        sequence=4096,
        layout=Layout(),
        node=NODES["DGX H100"],
        constants=plain,
        mask="half",
    )
    assert round(1e3 * (F.forward + F.backward), 1) == 25.6
    assert pytest.approx(1e3 * F.forward, rel=0.002) == ATTENTION + EXPERTS
    assert [round(3.5 * 4096 * 7168 * width / 40e6, 2) for width in (1 + 4 / 128, 2)] == [OUT, BACK]
    assert round(2 * (OUT + BACK) * 40) == 623


def test_the_pictures_show_what_was_computed() -> None:
    block = [("attention", GPU, 2.0), ("dispatch", NETWORK, 2.0)]
    assert "6 ms" in two_lanes_panel(chained_tasks([block, block]), title="", until=8, labels="AB").svg()
    assert "10 ms" in sm_rows_panel(blocks=80, chunks=20, comm_sms=2, sms=10, until=20).svg()
    pair = paired_lanes_panel(
        paired_tasks(layers=12, **pair_times(12)), title="both passes", since_layer=6, until=34
    ).svg()
    assert "both passes" in pair
    assert pair.count(">W<") >= 2
    assert "28.1 ms" in pair
    assert "12: 28.2 ms" in sm_split_plot(**QUESTION, usual_sms=20, wide=False).svg()
    drawn = sm_split_plot(**QUESTION, usual_sms=20).svg()
    assert "12 SMs: 28.2 ms" in drawn
    assert "20 SMs: 30.2 ms" in drawn


@pytest.mark.parametrize(
    ("copy_bytes", "reported_us"),
    [(7168 + 56 * 4, (155, 173, 192, 194)), (2 * 7168, (273, 314, 369, 360))],
    ids=["dispatch", "combine"],
)
def test_an_exchange_that_fills_its_link_takes_what_deepep_reports(
    copy_bytes: int, reported_us: tuple[int, ...]
) -> None:
    """DeepEP, docs/legacy.md: low-latency kernels on H800s, 128 tokens of 7,168 numbers, top 8, 32 to 256 GPUs.

    Copies that stay on the node are left out, experts are taken as evenly chosen, and adapters at 80% of 50 GB/s.
    """
    for ranks, us in zip((32, 64, 128, 256), reported_us, strict=True):
        leaving = 128 * 8 * copy_bytes * (1 - 8 / ranks)
        predicted = sm_exchange_s(total_bytes=leaving, comm_sms=20, sm_bytes_per_s=2e9, link_bytes_per_s=40e9)
        assert 1e6 * predicted == pytest.approx(us, rel=0.1)
