"""Chapter 35: the analyser of traces against a sampler that asks each instant; traces of GPUs and CPUs, and real."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.synthesis.profiling.traces import (
    KINDS,
    StepBudget,
    idle_gaps,
    kernel_kind,
    operator_kind,
    read_trace,
    recorded_trace,
    step_budgets,
    step_segments,
    top_kernels,
    who_arrives_last,
)

MICRO = 1e-6
LENGTH = 40  # of a random step, in microseconds
KERNELS = {  # a name as profilers write it, and what runs under it
    "nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNT": "matmul",
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>": "attention",
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>": "other kernels",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)": "exposed communication",
    "Memcpy HtoD (Pinned -> Device)": "copies",
}
OPERATORS = {
    "aten::addmm": "matmul",
    "aten::scaled_dot_product_attention": "attention",
    "aten::gelu": "other kernels",
    "aten::copy_": "copies",
    "aten::view": "",
    "autograd::engine::evaluate_function: AddmmBackward0": "",
    "gloo:all_reduce": "exposed communication",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": "waiting for data",
}
ORDER = ("matmul", "attention", "other kernels", "exposed communication", "copies", "waiting for data")


def event(name: str, start: float, end: float, category: str = "kernel", **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": end - start, "pid": 0, "tid": 7} | more


def step(number: int, start: float, end: float, **more: Any) -> dict[str, Any]:
    return event(f"ProfilerStep#{number}", start, end, "user_annotation", **({"pid": 99, "tid": 1} | more))


def written(*events: dict[str, Any], **header: Any) -> str:
    return json.dumps({"schemaVersion": 1, "traceEvents": events} | header)


def micro(budget: StepBudget) -> dict[str, int]:
    """Return a budget in whole microseconds, without what is nothing."""
    parts = {name: round(spent / MICRO) for name, spent in budget.parts.items() if spent}
    hidden = round(budget.hidden_communication_s / MICRO)
    return parts | ({"hidden": hidden} if hidden else {})


def sampled(running: list[tuple[int, int, str]], begin: int, end: int) -> dict[str, int]:
    """Ask of each microsecond what runs in it, and count."""
    found = Counter[str]()
    for at in range(begin, end):
        names = {name for start, stop, name in running if start <= at < stop}
        found[next((name for name in ORDER if name in names), "idle")] += 1
        if "exposed communication" in names and names & set(ORDER[:3]):
            found["hidden"] += 1
    return dict(found)


spans = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(lambda pair: (min(pair), max(pair)))
kernels = st.lists(st.tuples(spans, st.sampled_from(list(KERNELS)), st.integers(1, 3)), min_size=1, max_size=12)


@settings(max_examples=examples(400))
@given(kernels, st.lists(st.integers(0, LENGTH), min_size=2, max_size=5, unique=True).map(sorted), spans)
def test_the_budget_of_a_gpu_is_what_a_sampler_finds(
    drawn: list[tuple[tuple[int, int], str, int]], cuts: list[int], waiting: tuple[int, int]
) -> None:
    events = [
        event(name, *span, category="gpu_memcpy" if "Memcpy" in name else "kernel", tid=tid)
        for span, name, tid in drawn
    ]
    events += [step(number, *edges) for number, edges in enumerate(pairwise(cuts))]
    loader = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    events.append(event(loader, *waiting, category="user_annotation", pid=99, tid=1))
    trace = read_trace(written(*events))
    assert trace.device == "GPU"
    running = [(*span, KERNELS[name]) for span, name, _ in drawn] + [(*waiting, "waiting for data")]
    budgets = step_budgets(trace)
    assert [budget.number for budget in budgets] == list(range(len(cuts) - 1))
    for budget, (begin, end) in zip(budgets, pairwise(cuts), strict=True):
        assert micro(budget) == sampled(running, begin, end)
        assert sum(budget.parts.values()) == pytest.approx(budget.step_s, rel=1e-14)
        assert budget.step_s == pytest.approx((end - begin) * MICRO, abs=1e-12)


def nested(drawn: list[tuple[tuple[int, int], str]]) -> list[tuple[tuple[int, int], str]]:
    """Keep of a thread's spans those that lie in one another or apart, as calls do."""
    kept = list[tuple[tuple[int, int], str]]()
    for (begin, end), name in drawn:
        apart = all(end <= a or b <= begin or a <= begin <= end <= b or begin <= a <= b <= end for (a, b), _ in kept)
        if begin < end and apart and (begin, end) not in [span for span, _ in kept]:
            kept.append(((begin, end), name))
    return kept


threads = st.lists(
    st.lists(st.tuples(spans, st.sampled_from(list(OPERATORS))), max_size=14).map(nested), min_size=1, max_size=3
).filter(lambda found: any(OPERATORS[name] for thread in found for _, name in thread))


@settings(max_examples=examples(400))
@given(threads)
def test_on_a_cpu_the_outermost_operator_that_works_counts_once(
    drawn: list[list[tuple[tuple[int, int], str]]],
) -> None:
    events, running = [step(4, 0, LENGTH, pid=0, tid=0)], list[tuple[int, int, str]]()
    for thread, calls in enumerate(drawn):
        events += [event(name, *span, category=category_of(name), tid=thread) for span, name in calls]
        for at in range(LENGTH):
            active = [(span, OPERATORS[name]) for span, name in calls if span[0] <= at < span[1] and OPERATORS[name]]
            if active:
                outermost = max(active, key=lambda call: call[0][1] - call[0][0])
                running.append((at, at + 1, outermost[1]))
    trace = read_trace(written(*events))
    assert trace.device == "CPU"
    assert micro(step_budgets(trace)[0]) == sampled(running, 0, LENGTH)
    spent = Counter[str]()
    for kernel in top_kernels(trace, count=99):
        spent[OPERATORS[kernel.name]] += round(kernel.total_s / MICRO)
    assert +spent == Counter(part for _, _, part in running)


def category_of(name: str) -> str:
    return "user_annotation" if name.startswith(("gloo", "enumerate")) else "cpu_op"


@settings(max_examples=examples(100))
@given(kernels)
def test_segments_and_gaps_tile_the_step(drawn: list[tuple[tuple[int, int], str, int]]) -> None:
    trace = read_trace(written(step(1, 0, LENGTH), *(event(name, *span, tid=tid) for span, name, tid in drawn)))
    pieces = [(begin, end) for begin, end, _ in step_segments(trace)] + list(idle_gaps(trace))
    pieces.sort()
    assert [pieces[0][0], pieces[-1][1]] == pytest.approx([0, LENGTH * MICRO])
    assert all(end == pytest.approx(begin) for (_, end), (begin, _) in pairwise(pieces))
    gaps = idle_gaps(trace)
    assert sum(end - begin for begin, end in gaps) == pytest.approx(step_budgets(trace)[0].idle_s)
    assert [end - begin for begin, end in gaps] == sorted((end - begin for begin, end in gaps), reverse=True)
    assert idle_gaps(trace, at_least_s=1) == ()


def test_a_recorded_trace_is_real_and_its_budgets_add_up() -> None:
    for rank in (0, 1):
        content = json.loads(recorded_trace(rank=rank))
        trace = read_trace(recorded_trace(rank=rank))
        assert (trace.rank, trace.ranks, trace.device, len(trace.steps)) == (rank, 2, "CPU", 6)
        assert not trace.left_out
        marks = [entry for entry in content["traceEvents"] if entry["name"].startswith("ProfilerStep#")]
        for mark, budget in zip(marks, step_budgets(trace), strict=True):
            assert budget.step_s == pytest.approx(mark["dur"] * MICRO, abs=1e-9)
            assert sum(budget.parts.values()) == pytest.approx(budget.step_s, rel=1e-14)
            assert 0.02 < budget.matmul_s < 0.04
            assert budget.hidden_communication_s > 0


def test_the_recorded_straggler_and_the_late_batches_are_found() -> None:
    traces = [read_trace(recorded_trace(rank=rank)) for rank in (0, 1)]
    late = who_arrives_last(traces)
    assert [entry.last for entry in late] == [1, 1, 0, 1, 1, 0]
    first, second = map(step_budgets, traces)
    assert [budget.data_s > 0.09 for budget in first] == [False, False, True] * 2
    assert all(budget.idle_s > 0.05 for budget in second)
    # Both ran on one machine, so that their clocks agree: who comes later by the clock is who waits least.
    begins = [
        [
            entry["ts"]
            for entry in json.loads(recorded_trace(rank=rank))["traceEvents"]
            if entry["name"] == "gloo:all_reduce"
        ]
        for rank in (0, 1)
    ]
    by_clock = [int(begins[1][2 * place] > begins[0][2 * place]) for place in range(6)]
    assert by_clock == [entry.last for entry in late]
    for entry in late:
        assert all(exposed <= wait for exposed, wait in zip(entry.exposed_waits_s, entry.waits_s, strict=True))


def test_what_a_rank_waits_is_the_others_lateness() -> None:
    def rank(start: int) -> str:
        """A step whose two all-reduces end at 50 and 80 on all ranks; this rank comes to the first at ``start``."""
        names = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
        return written(step(1, 0, 90), event("gemm", 0, 20), event(names, start, 50), event(names, 60, 80))

    (entry,) = who_arrives_last([read_trace(rank(start)) for start in (10, 40, 25)])
    assert entry.last == 1
    assert entry.waits_s == pytest.approx((30 * MICRO, 0, 15 * MICRO))
    assert entry.exposed_waits_s == pytest.approx((20 * MICRO, 0, 15 * MICRO))


def test_a_gpu_trace_as_pytorch_writes_it() -> None:
    """The documented format: streams, runtime calls, arrows, metadata, steps on both sides, absolute times as texts."""
    base = 1_722_446_400_000_000.125
    matmul, flash, norm, gather, copied, fill = (
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "kernel"),
        ("void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<...>", "kernel"),
        ("triton_per_fused_native_layer_norm_mm_3", "kernel"),
        ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "kernel"),
        ("Memcpy DtoD (Device -> Device)", "gpu_memcpy"),
        ("Memset (Device)", "gpu_memset"),
    )

    def gpu(named: tuple[str, str], start: float, end: float, stream: int) -> dict[str, Any]:
        more = {"pid": 3, "tid": stream, "args": {"device": 3, "stream": stream, "correlation": 1}}
        return event(named[0], base + start, base + end, named[1], **more) | {"ts": f"{base + start:.3f}"}

    events: list[Any] = [
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "python"}},
        {"ph": "s", "cat": "ac2g", "id": 1, "ts": base, "pid": 4242, "tid": 1},
        {"ph": "i", "name": "Record Window End", "ts": base},
        event("cudaLaunchKernel", base - 40, base - 38, "cuda_runtime", pid=4242),
        event("aten::mm", base - 45, base - 37, "cpu_op", pid=4242),
        event("nccl:all_gather", base - 30, base + 500, "user_annotation", pid=4242),
        event("nccl:all_gather", base + 20, base + 60, "gpu_user_annotation", pid=3),
        step(7, base - 50, base + 10, pid=4242),
        step(8, base + 10, base + 20, pid=4242),
        event("ProfilerStep#7", base, base + 70, "gpu_user_annotation", pid=3),
        event("ProfilerStep#8", base + 90, base + 130, "gpu_user_annotation", pid=3),
        gpu(matmul, 0, 30, 7),
        gpu(gather, 20, 60, 13),
        gpu(flash, 30, 45, 7),
        gpu(copied, 55, 65, 7),
        gpu(fill, 66, 70, 7),
        gpu(norm, 90, 130, 7),
    ]
    trace = read_trace(written(*events, distributedInfo={"backend": "nccl", "rank": 3, "world_size": 8}))
    assert (trace.device, trace.owner, trace.rank, trace.ranks) == ("GPU", 3, 3, 8)
    assert {event.kind for event in trace.events} <= set(KINDS)
    first, second = step_budgets(trace)
    # A step lasts from its first kernel to the next step's: 0 to 90, and 90 to 130.
    assert micro(first) == {
        "matmul": 30, "attention": 15, "exposed communication": 15, "copies": 9, "idle": 21, "hidden": 25,
    }  # fmt: skip
    assert micro(second) == {"other kernels": 40}
    assert all(kernel.recognised for kernel in top_kernels(trace))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>", "matmul"),
        ("Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", "matmul"),
        ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_nn", "matmul"),
        ("void cublasLt::splitKreduce_kernel<32, 16, int, float>", "matmul"),
        ("triton_tem_fused_mm_5", "matmul"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_7", "attention"),
        ("fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel)", "attention"),
        ("triton_poi_fused_addmm_gelu_0", "other kernel"),
        ("void at::native::multi_tensor_apply_kernel<TensorListMetadata<4>, FusedAdamMathFunctor>", "other kernel"),
        ("void convert_bf16_to_fp8", "other kernel"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float", "communication"),
        ("void deep_ep::internode::dispatch<false>", "communication"),
    ],
)
def test_kernels_are_told_by_their_names(name: str, kind: str) -> None:
    assert kernel_kind(name) == kind


def test_operators_are_told_by_their_names() -> None:
    names = (
        "aten::linear",
        "aten::convolution_backward",
        "c10d::allreduce_",
        "detach",
        "mylib::fused",
        "cpp_fused_add_1",
    )
    kinds = ["matmul", "matmul", "cpu op", "cpu op", "other kernel", "other kernel"]
    assert [operator_kind(name) for name in names] == kinds


def test_an_unknown_kernel_counts_as_another_and_is_named() -> None:
    trace = read_trace(written(event("zzz_special", 0, 5), event("gemm", 5, 9)))
    assert [(kernel.name, kernel.recognised) for kernel in top_kernels(trace)] == [
        ("zzz_special", False),
        ("gemm", True),
    ]
    assert step_budgets(trace)[0].other_kernel_s == pytest.approx(5 * MICRO)


def test_without_steps_the_whole_trace_is_one() -> None:
    trace = read_trace(written(event("gemm", 10, 20), event("gemm", 30, 35)))
    (budget,) = step_budgets(trace)
    assert budget.number is None
    assert micro(budget) == {"matmul": 15, "idle": 10}


def test_a_list_of_events_alone_is_a_trace_too_and_what_is_broken_is_counted() -> None:
    broken = [
        {"ph": "X", "cat": "kernel", "name": "gemm", "ts": "NaN", "dur": 1},
        {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": -1},
        {"ph": "X", "cat": "kernel", "ts": 1, "dur": 1},
        {"ph": "X", "cat": "kernel", "name": "gemm", "ts": "9e99", "dur": 1},
        {"ph": "B", "cat": "kernel", "name": "gemm", "ts": 1},
        "nothing",
        None,
        7,
    ]
    trace = read_trace(
        json.dumps([*broken, event("gemm", 0, 4), {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 2}])
    )
    assert trace.left_out == {
        "without a name, or without a time that can be": 4,
        "begins and ends that are written apart": 1,
        "without a duration, taken as 0": 1,
    }
    assert micro(step_budgets(trace)[0]) == {"matmul": 4}


def test_of_several_gpus_the_busiest_counts() -> None:
    more = [event("gemm", 0, 3, args={"device": 1}, pid=1), event("gemm", 4, 9, args={"device": 0}, pid=0)]
    trace = read_trace(written(*more))
    assert (trace.owner, trace.left_out) == (0, {"of another GPU or process": 1})
    assert micro(step_budgets(trace)[0]) == {"matmul": 5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "text must be JSON, got an empty text"),
        ('{"traceEvents": [{"ph"', "it ends too early"),
        ("PK no JSON", "it can't be read at character 0 of 10"),
        ('{"rows": []}', "text must have a list of traceEvents, as a Chrome trace has, got rows"),
        ("7", "text must have a list of traceEvents, as a Chrome trace has, got int"),
        ('{"traceEvents": []}', "kernels of a GPU or operators of a CPU, .* got no event with a begin and a duration$"),
        (
            json.dumps([{"ph": "B", "cat": "kernel", "name": "gemm", "ts": 1}, event("gemm", 0, -5)]),
            "not counted: 1 begins and ends that are written apart; not counted: 1 without a name, or without a time",
        ),
        (written(event("f", 0, 1, "python_function")), "got categories python_function"),
        ("[" * 100_000, "text must be JSON"),
    ],
)
def test_what_is_no_trace_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_trace(text)


def test_ranks_that_cannot_be_compared_are_refused() -> None:
    one = read_trace(written(event("nccl", 0, 5)))
    with pytest.raises(ValueError, match="traces must be of at least 2 ranks, got 1"):
        who_arrives_last([one])
    with pytest.raises(ValueError, match="traces must have the same steps, got 1, 2 steps"):
        who_arrives_last([one, read_trace(written(event("nccl", 0, 5), step(1, 0, 3), step(2, 3, 6)))])
    with pytest.raises(ValueError, match="the same collectives in each step, got 1, 0 in the whole trace"):
        who_arrives_last([one, read_trace(written(event("gemm", 0, 5)))])
    alone = read_trace(written(event("gemm", 0, 5), step(4, 0, 5)))
    with pytest.raises(ValueError, match=r"traces must have collectives, .*, got none in ProfilerStep#4"):
        who_arrives_last([alone, alone])


def test_numbers_that_no_clock_shows_are_left_out() -> None:
    long = "9" * 5000
    text = (
        written(event("gemm", 0, 4))[:-1] + f', "huge": {long}, "distributedInfo": {{"rank": -3, "world_size": true}}}}'
    )
    trace = read_trace("\ufeff" + text)
    assert (trace.rank, trace.ranks) == (None, None)
    for far in ("1e1000001", '"1e1000001"', long):
        row = f'{{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": {far}}}'
        found = read_trace(json.dumps([event("gemm", 0, 4)])[:-1] + f", {row}]")
        assert found.left_out == {"without a name, or without a time that can be": 1}


def test_the_recorded_traces_are_small_and_say_nothing_of_the_machine() -> None:
    for rank in (0, 1):
        text = recorded_trace(rank=rank)
        assert len(gzip.compress(text.encode())) < 40_000
        content = json.loads(text)
        assert set(content) == {"schemaVersion", "distributedInfo", "displayTimeUnit", "traceEvents"}
        assert {key for entry in content["traceEvents"] for key in entry} == {
            "ph", "cat", "name", "pid", "tid", "ts", "dur",
        }  # fmt: skip
