"""Formulas: where a step's time goes, read from a trace that PyTorch's profiler has written as Kineto JSON.

A trace lists what ran on each lane and when. Where a trace has kernels of a GPU, those count. On a trace of a CPU alone
the outermost operators that do work count, so that what they call is not counted again. Each instant of a step belongs
to one part of its budget: to computing if anything computes, else to communication, copies, data or idle time.
"""

from __future__ import annotations

import functools
import gzip
import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, DecimalException
from importlib.resources import files
from typing import Any

from snippets.domain import each, integer_at_least, nonnegative_number, of_kind, one_of, positive_integer, text

KINDS = ("matmul", "attention", "communication", "memory", "other kernel", "data", "cpu op", "step")
"""What an event of a trace can be."""

PARTS = ("matmul", "attention", "other kernel", "communication", "memory", "data")
"""What an instant of a step can belong to, the first that runs; what is left is idle."""

_COMPUTE = PARTS[:3]
_NS = 10**9
_FARTHEST_US = 10**17  # some 3,000 years: what lies farther off is no time
_ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
_STEP = re.compile(r"ProfilerStep\s*#?\s*(\d{1,18})\b")
_COMMUNICATION = re.compile(
    r"nccl|rccl|hccl|oneccl|msccl|nvshmem|deep_?ep|multimem|cross_device_reduce|all_?reduce|all_?gather"
    r"|reduce_?scatter|all_?to_?all",
    re.IGNORECASE,
)
_POINTWISE = re.compile(
    r"triton_(poi|red|per|for)_|elementwise|reduce_kernel|multi_tensor|softmax|norm|dropout|embedding|index|scatter"
    r"|gather|copy|catarray|fill|adam|cross_?entropy|nll_loss|arange|random|distribution|rope|rotary|swiglu|silu|gelu"
    r"|sort|scan|topk|transpose|permute|quant|cast|amax|scale|histogram|where|cub::",
    re.IGNORECASE,
)
_FUSED = re.compile(r"triton_(poi|red|per|for)_|elementwise_kernel|(?<![kK])reduce_kernel|multi_tensor_apply")
_ATTENTION = re.compile(r"flash(?!infer)|fmha|atten|attn|sdpa|\bmha_", re.IGNORECASE)
_MATMUL = re.compile(
    r"gemm|gemv|matmul|nvjet|xmma|wgmma|cijk_|cublas|cutlass(::kernel|_\d|_tensorop)|conv(?!ert)|wgrad|dgrad|fprop|splitk"
    r"|triton_(tem_fused_\w*mm|mm)",
    re.IGNORECASE,
)
_MATMUL_OPS = """
linear matmul mm addmm bmm baddbmm addmv mv dot einsum _scaled_mm _grouped_mm linear_backward mkldnn_convolution
convolution _convolution conv1d conv2d conv3d convolution_backward
"""
_COPY_OPS = "copy_ _to_copy clone contiguous pin_memory _pin_memory"
_NO_WORK_OPS = """
view reshape _reshape_alias as_strided t transpose permute expand expand_as view_as unsqueeze unsqueeze_ squeeze
squeeze_ select slice narrow split chunk unbind detach detach_ alias _unsafe_view flatten unflatten movedim resolve_conj
resolve_neg empty empty_like empty_strided new_empty new_empty_strided resize_ set_ lift_fresh result_type to item
_local_scalar_dense is_nonzero
"""  # they look at a tensor in another way, make room for one, or wait for its number
_OPS = {
    operator: kind
    for kind, operators in (("matmul", _MATMUL_OPS), ("memory", _COPY_OPS), ("cpu op", _NO_WORK_OPS))
    for operator in operators.split()
}
_BUCKETS = ("torch::distributed::reducer::mul_out", "torch.distributed.ddp.reducer::copy_bucket_to_grad")
_CARRIERS = ("gloo:", "nccl:", "mpi:", "ucc:", "xccl:")

Span = tuple[int, int]


@dataclass(frozen=True)
class TraceEvent:
    """Something that ran from one time to another.

    Attributes:
        name: as the profiler has it.
        kind: one of ``KINDS``.
        start_s: when it began, from the first event of the trace.
        duration_s: how long it ran.
        process: the device of a kernel, the process of anything else.
        thread: the stream of a kernel, the thread of anything else.
    """

    name: str
    kind: str
    start_s: float
    duration_s: float
    process: int | str
    thread: int | str


@dataclass(frozen=True)
class TraceStep:
    """A step's place in a trace.

    Attributes:
        number: k of ``ProfilerStep#k``; ``None`` where the trace has no steps and all of it is one.
        start_s: when it began, from the first event of the trace.
        duration_s: how long it took.
    """

    number: int | None
    start_s: float
    duration_s: float


@dataclass(frozen=True)
class Trace:
    """What a profiler saw of one rank.

    Attributes:
        events: in the order in which they began.
        device: ``"GPU"`` where kernels of one are in it, else ``"CPU"``.
        steps: in order.
        owner: the GPU, or the process, whose lanes count.
        rank: of the process, where the trace says so.
        ranks: that there are, where the trace says so.
        left_out: what was not counted, and how many events each is.
    """

    events: tuple[TraceEvent, ...]
    device: str
    steps: tuple[TraceStep, ...]
    owner: int | str
    rank: int | None = None
    ranks: int | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StepBudget:
    """Where the time of a step of one rank goes. All parts but the last add up to ``step_s``.

    Attributes:
        step_s: the whole step.
        matmul_s: some matmul ran.
        attention_s: attention ran and no matmul.
        other_kernel_s: other kernels ran, and neither.
        copies_s: copies ran, and nothing computed or communicated.
        exposed_communication_s: communication ran, and nothing computed.
        data_s: the loop waited for its data, and nothing else ran.
        idle_s: nothing of this ran.
        hidden_communication_s: communication ran while something computed; counted there.
        number: k of ``ProfilerStep#k``, or ``None``.
    """

    step_s: float
    matmul_s: float
    attention_s: float
    other_kernel_s: float
    copies_s: float
    exposed_communication_s: float
    data_s: float
    idle_s: float
    hidden_communication_s: float
    number: int | None = None

    @property
    def parts(self) -> dict[str, float]:
        """The parts that add up to the step, in seconds, by what they are called in prose."""
        return {
            "matmul": self.matmul_s,
            "attention": self.attention_s,
            "other kernels": self.other_kernel_s,
            "copies": self.copies_s,
            "exposed communication": self.exposed_communication_s,
            "waiting for data": self.data_s,
            "idle": self.idle_s,
        }


@dataclass(frozen=True)
class TopKernel:
    """What ran under one name in a step, or in all steps.

    Attributes:
        name: as the profiler has it.
        kind: one of ``KINDS``.
        calls: how many there were.
        total_s: their times added, whether or not other things ran beside them.
        recognised: whether a rule knows the name; what none knows counts as another kernel.
    """

    name: str
    kind: str
    calls: int
    total_s: float
    recognised: bool


@dataclass(frozen=True)
class Lateness:
    """Who kept whom waiting in the collectives of a step.

    Attributes:
        number: k of ``ProfilerStep#k``, or ``None``.
        waits_s: how long each rank waited in the step's collectives; what several waited at once counts once.
        exposed_waits_s: what of it no computing hid.
        last: the rank that waited least, which the others waited for.
    """

    number: int | None
    waits_s: tuple[float, ...]
    exposed_waits_s: tuple[float, ...]
    last: int


def kernel_kind(name: str) -> str:
    """Return what a kernel of a GPU does, judged by its name alone.

    Chapter: 35

    Args:
        name: of the kernel, as the profiler has it.

    Returns:
        ``"communication"``, ``"attention"``, ``"matmul"`` or ``"other kernel"``, which is also what no rule knows.

    Source: names of kernels in traces of PyTorch: NCCL, cuBLAS, CUTLASS, FlashAttention, Inductor's Triton.
    Convention: a Triton kernel that Inductor has fused from elementwise and reducing operators is another kernel,
    though its name may hold the name of a matmul that feeds it.
    Leaves out: what a kernel does inside; one that computes and communicates is one of both.

    Example:
        >>> [kernel_kind(name) for name in ("nvjet_tst_192x192_64x4_bz_coopA_NNT", "flash_fwd_kernel")]
        ['matmul', 'attention']
        >>> kernel_kind("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
        'communication'
    """
    written = text("name", name)
    if _COMMUNICATION.search(written) and not _FUSED.search(written):
        return "communication"
    if _FUSED.search(written):
        return "other kernel"
    if _ATTENTION.search(written):
        return "attention"
    return "matmul" if _MATMUL.search(written) else "other kernel"


def operator_kind(name: str) -> str:
    """Return what an operator on a CPU does, judged by its name alone.

    Chapter: 35

    Args:
        name: of the operator, as the profiler has it, such as ``"aten::mm"``.

    Returns:
        ``"matmul"``, ``"attention"``, ``"memory"`` or ``"other kernel"``; ``"cpu op"`` for what does no work on data
        itself: a view, making room, the bookkeeping of autograd, the launch of a collective.

    Source: the names of PyTorch's operators.
    Convention: DDP's copies into and out of its buckets are memory.
    Leaves out: how much work an operator had.

    Example:
        >>> [operator_kind(name) for name in ("aten::addmm", "aten::copy_", "aten::gelu", "aten::view")]
        ['matmul', 'memory', 'other kernel', 'cpu op']
    """
    written = text("name", name)
    if written in _BUCKETS:
        return "memory"
    library, mark, operator = written.partition("::")
    if not mark:
        return "other kernel" if written.startswith("cpp_fused") else "cpu op"
    if library in {"autograd", "c10d", "c10d_functional", "_c10d_functional", "torch", "prim", "profiler"} or (
        library.startswith("torch.")
    ):
        return "cpu op"
    if _ATTENTION.search(operator):
        return "attention"
    return _OPS.get(operator, "other kernel")


def read_trace(text: str) -> Trace:
    """Return the events of a trace that ``torch.profiler`` has exported, each with its kind.

    Chapter: 35

    Args:
        text: Kineto's JSON, as ``export_chrome_trace`` writes it: ``{"traceEvents": [{"ph": "X", "ts": …, …}]}``.

    Returns:
        The trace. Where several GPUs, or several processes, are in it, the busiest counts.

    Source: PyTorch, https://github.com/pytorch/kineto; the fields are those of Chrome's trace format.
    Convention: times count from the first event. Where the trace has steps on the GPU's side, a step lasts from its
    first kernel to that of the next; else it is what the loop's thread took from one ``profiler.step()`` to another.
    Leaves out: instants, arrows, counters, Python's functions, the runtime's calls; beside a GPU's kernels, the CPU's
    operators.

    Example:
        >>> written = '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5, "dur": 2, "pid": 0}]}'
        >>> read_trace(written).events[0].kind
        'matmul'
    """
    header, entries = _entries(text)
    rows, left_out = _timed(entries)
    on_gpu = any(row.category in _ON_GPU for row in rows)
    known = [(row, kind) for row in rows if (kind := _kind(row.name, row.category, on_gpu=on_gpu))]
    if not any(kind in PARTS for _, kind in known):
        said = ", ".join(category[:40] or "(none)" for category in sorted({row.category for row in rows})[:8])
        lost = "".join(f"; not counted: {count:,} {what}" for what, count in left_out.items())
        raise ValueError(
            "text must have kernels of a GPU or operators of a CPU, with times, among its traceEvents, got "
            f"{f'categories {said}' if rows else 'no event with a begin and a duration'}{lost}"
        )
    origin = min(row.start for row, _ in known)
    owner = _owner(known, on_gpu=on_gpu)
    loop = _loop(known)
    kept = [(row, kind) for row, kind in known if _counts(row, kind, owner=owner, loop=loop, on_gpu=on_gpu)]
    if len(kept) < len(known):
        left_out["of another GPU or process"] = len(known) - len(kept)
    events = sorted(
        (_event(row, kind, origin) for row, kind in kept if kind != "step"),
        key=lambda event: (event.start_s, -event.duration_s),
    )
    rank, ranks = _ranks(header)
    return Trace(
        events=tuple(events),
        device="GPU" if on_gpu else "CPU",
        steps=tuple(_steps([row for row, kind in kept if kind == "step"], origin, events)),
        owner=owner,
        rank=rank,
        ranks=ranks,
        left_out=left_out,
    )


def recorded_trace(*, rank: int = 0) -> str:
    """Return what PyTorch's profiler wrote of one rank in this book's lab of chapter 35, without what is not read.

    Two ranks train under DDP with gloo on one machine's cores. Rank 1 stops for a while in each step, and rank 0 gets
    its data late in some.

    Chapter: 35

    Args:
        rank: 0 or 1; rank 0 may be one.

    Returns:
        Kineto's JSON, as ``read_trace`` takes it.

    Source: recorded by ``labs/synthesis/profiling.py``; ``labs/recorded/profiling.json`` says on what machine.

    Example:
        >>> read_trace(recorded_trace(rank=1)).rank
        1
    """
    name = f"rank_{one_of('rank', integer_at_least('rank', rank, 0), (0, 1))}.json.gz"
    packed = (files("snippets.synthesis.profiling") / "recorded" / name).read_bytes()
    return gzip.decompress(packed).decode()


def step_budgets(trace: Trace) -> tuple[StepBudget, ...]:
    """Return where the time of each step goes.

    Chapter: 35

    Args:
        trace: from ``read_trace``.

    Returns:
        A budget for each step, in order.

    Source: derived; unions of intervals.
    Convention: an instant belongs to computing if anything computes (to a matmul before attention, before other
    kernels), else to communication, else to copies, else to waiting for data, else it is idle.
    Leaves out: how well a kernel uses the GPU, and why the GPU idles.

    Example:
        >>> events = [("gemm", 0, 6), ("ncclDevKernel_AllReduce_Sum", 4, 5)]
        >>> rows = [{"ph": "X", "cat": "kernel", "name": n, "ts": t, "dur": d, "tid": n} for n, t, d in events]
        >>> budget, = step_budgets(read_trace(json.dumps({"traceEvents": rows})))
        >>> round(budget.hidden_communication_s * 1e6), round(budget.exposed_communication_s * 1e6)
        (2, 3)
    """
    known = of_kind("trace", trace, Trace)
    lanes = _lanes(known)
    segments = _assigned(lanes)
    hidden = _common(lanes["communication"], _computing(lanes))
    return tuple(_budget(step, segments, hidden) for step in known.steps)


def step_segments(trace: Trace, *, step: int = 0) -> tuple[tuple[float, float, str], ...]:
    """Return what each instant of a step belongs to, as stretches of time.

    Chapter: 35

    Args:
        trace: from ``read_trace``.
        step: which of the trace's steps, from 0.

    Returns:
        Stretches ``(start_s, end_s, part)`` from the step's beginning, in order; ``part`` is one of ``PARTS``. What
        lies between them is idle.

    Source: derived, as ``step_budgets``.
    Convention: as there.

    Example:
        >>> written = '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5, "dur": 2, "pid": 0}]}'
        >>> step_segments(read_trace(written))
        ((0.0, 2e-06, 'matmul'),)
    """
    known, place = of_kind("trace", trace, Trace), _place(trace, step)
    begin, end = _span(known.steps[place])
    found = ((max(a, begin), min(b, end), part) for a, b, part in _assigned(_lanes(known)))
    return tuple(((a - begin) / _NS, (b - begin) / _NS, part) for a, b, part in found if a < b)


def idle_gaps(trace: Trace, *, step: int = 0, at_least_s: float = 0.0) -> tuple[tuple[float, float], ...]:
    """Return the stretches of a step in which nothing computes, communicates, copies or waits for data.

    Chapter: 35

    Args:
        trace: from ``read_trace``.
        step: which of the trace's steps, from 0.
        at_least_s: shorter gaps are left out; at least 0.

    Returns:
        Stretches ``(start_s, end_s)`` from the step's beginning, the longest first.

    Source: derived.
    Convention: as ``step_budgets``.

    Example:
        >>> rows = [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": ts, "dur": 2} for ts in (0, 5)]
        >>> idle_gaps(read_trace(json.dumps({"traceEvents": rows})))
        ((2e-06, 5e-06),)
    """
    shortest_s = nonnegative_number("at_least_s", at_least_s)
    busy = step_segments(trace, step=step)
    ends = [0.0, *(end for _, end, _ in busy)]
    starts = [*(start for start, _, _ in busy), trace.steps[_place(trace, step)].duration_s]
    gaps = [(end, start) for end, start in zip(ends, starts, strict=True) if start > end and start - end >= shortest_s]
    return tuple(sorted(gaps, key=lambda gap: (gap[0] - gap[1], gap[0])))


def top_kernels(trace: Trace, *, step: int | None = None, count: int = 10) -> tuple[TopKernel, ...]:
    """Return what takes most time under one name.

    Chapter: 35

    Args:
        trace: from ``read_trace``.
        step: which of the trace's steps, from 0; all that the trace has where it is ``None``.
        count: how many names at most.

    Returns:
        The names, that with the most time first. Times of lanes that run side by side are added.

    Source: derived.
    Convention: on a CPU, an operator's time has in it that of the operators which it calls; only the outermost counts.

    Example:
        >>> rows = [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": ts, "dur": 2} for ts in (0, 5)]
        >>> top_kernels(read_trace(json.dumps({"traceEvents": rows})))[0].calls
        2
    """
    known, most = of_kind("trace", trace, Trace), positive_integer("count", count)
    begin, end = (0, None) if step is None else _span(known.steps[_place(known, step)])
    times: dict[tuple[str, str], list[int]] = defaultdict(list)
    for event, start, stop in _counted(known):
        a, b = max(start, begin), stop if end is None else min(stop, end)
        if a < b:
            times[event.name, event.kind].append(b - a)
    ordered = sorted(times.items(), key=lambda item: (-sum(item[1]), item[0]))[:most]
    return tuple(
        TopKernel(name, kind, len(spent), sum(spent) / _NS, kind != "other kernel" or _recognised(name))
        for (name, kind), spent in ordered
    )


def who_arrives_last(traces: Sequence[Trace]) -> tuple[Lateness, ...]:
    """Return for each step which rank the others waited for in their collectives.

    A collective begins on a rank when that rank comes to it, and ends on all ranks together. So the rank that spends
    least time in it came last, and what the others spend more is their waiting. No common clock is needed.

    Chapter: 35

    Args:
        traces: one of each rank, of the same steps and at least two; the result counts ranks in this order.

    Returns:
        A record for each step.

    Source: derived.
    Convention: the first collective of a step on one rank is the first on each, and so on.
    Leaves out: collectives that end on one rank long before they end on another, such as a broadcast; groups of ranks.

    Example:
        >>> def rank(dur):
        ...     return read_trace(json.dumps([{"ph": "X", "cat": "kernel", "name": "nccl", "ts": 9 - dur, "dur": dur}]))
        >>> who_arrives_last([rank(5), rank(2)])[0].last
        1
    """
    known = each("traces", traces, lambda name, trace: of_kind(name, trace, Trace))
    if len(known) < 2:
        raise ValueError(f"traces must be of at least 2 ranks, got {len(known)}")
    if len({len(trace.steps) for trace in known}) > 1:
        counts = ", ".join(str(len(trace.steps)) for trace in known)
        raise ValueError(f"traces must have the same steps, got {counts} steps")
    computing = [_computing(_lanes(trace)) for trace in known]
    return tuple(_lateness(known, computing, place) for place in range(len(known[0].steps)))


@dataclass(frozen=True)
class _Row:
    """An event of the file, in whole nanoseconds."""

    name: str
    category: str
    start: int
    end: int
    process: int | str
    thread: int | str


def _entries(written: str) -> tuple[Mapping[str, Any], list[Any]]:
    """Return what a file says of itself, and its events."""
    given = text("text", written).removeprefix("\ufeff")
    if not given.strip():
        raise ValueError("text must be JSON, got an empty text")
    try:
        content = json.loads(given, parse_float=str, parse_constant=str, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        at = f" at character {error.pos} of {len(given)}" if isinstance(error, json.JSONDecodeError) else ""
        early = isinstance(error, json.JSONDecodeError) and error.pos >= len(given.rstrip())
        why = "it ends too early" if early else f"it can't be read{at}"
        raise ValueError(f"text must be JSON, got {given[:40]!r}: {why}") from None
    header = content if isinstance(content, dict) else {}
    entries = header.get("traceEvents") if isinstance(content, dict) else content
    if not isinstance(entries, list):
        keys = ", ".join(map(str, list(header)[:6])) or type(content).__name__
        raise ValueError(f"text must have a list of traceEvents, as a Chrome trace has, got {keys[:120]}")
    return header, entries


def _integer(written: str) -> int | str:
    return int(written) if len(written) < 40 else written  # Python reads no number of thousands of digits


def _timed(entries: Iterable[Any]) -> tuple[list[_Row], dict[str, int]]:
    """Return the events that have a name, a begin and an end; and how many of what have not."""
    rows, left_out = list[_Row](), Counter[str]()
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("ph") != "X":
            kind = entry.get("ph") if isinstance(entry, dict) else None
            if kind in {"B", "E", "b", "e"}:
                left_out["begins and ends that are written apart"] += 1
            continue
        start, took = _nanoseconds(entry.get("ts")), _nanoseconds(entry.get("dur", 0))
        if start is None or took is None or took < 0 or not isinstance(entry.get("name"), str):
            left_out["without a name, or without a time that can be"] += 1
            continue
        if "dur" not in entry:
            left_out["without a duration, taken as 0"] += 1
        arguments = entry.get("args")
        device = arguments.get("device") if isinstance(arguments, dict) else None
        category = str(entry.get("cat", "")).lower()
        process = _lane(device if category in _ON_GPU and isinstance(device, int) else entry.get("pid", 0))
        rows.append(_Row(entry["name"], category, start, start + took, process, _lane(entry.get("tid", 0))))
    return rows, dict(left_out)


def _lane(value: Any) -> int | str:
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _nanoseconds(value: Any) -> int | None:
    """Return microseconds, as a number or written, in whole nanoseconds."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        micro = Decimal(value)
        return int((micro * 1000).to_integral_value()) if abs(micro) < _FARTHEST_US else None
    except (DecimalException, ValueError):  # a text that is no number, NaN, more digits than a number can have
        return None


@functools.lru_cache(maxsize=2**14)  # a trace has few names, and many events of each
def _kind(name: str, category: str, *, on_gpu: bool) -> str:
    """Return the kind of an event, or nothing where it doesn't count."""
    if category in ("gpu_memcpy", "gpu_memset"):
        return "memory"
    if category == "kernel":
        return kernel_kind(name)
    if _STEP.match(name):
        return "step"
    if name.startswith("enumerate(DataLoader)"):
        return "data"
    if category not in ("cpu_op", "operator", "user_annotation"):
        return ""
    if name.startswith(_CARRIERS) and not on_gpu:
        return "communication"
    return "" if on_gpu or category == "user_annotation" else operator_kind(name)


def _owner(known: Sequence[tuple[_Row, str]], *, on_gpu: bool) -> int | str:
    """Return the GPU, or the process, that is busiest."""
    times = Counter[int | str]()
    for row, kind in known:
        if kind in PARTS and (row.category in _ON_GPU) == on_gpu:
            times[row.process] += row.end - row.start + 1
    return max(times, key=lambda process: (times[process], str(process)))


def _loop(known: Sequence[tuple[_Row, str]]) -> int | str | None:
    """Return the process whose loop takes steps, or nothing where none does."""
    loops = Counter(row.process for row, kind in known if kind == "step" and row.category != "gpu_user_annotation")
    return max(loops, key=lambda process: (loops[process], str(process))) if loops else None


def _counts(row: _Row, kind: str, *, owner: int | str, loop: int | str | None, on_gpu: bool) -> bool:
    if not on_gpu:
        return row.process == owner
    if row.category in (*_ON_GPU, "gpu_user_annotation"):
        return row.process == owner
    return loop is None or row.process == loop


def _event(row: _Row, kind: str, origin: int) -> TraceEvent:
    times_s = (row.start - origin) / _NS, (row.end - row.start) / _NS
    return TraceEvent(row.name, kind, *times_s, row.process, row.thread)


def _steps(rows: Sequence[_Row], origin: int, events: Sequence[TraceEvent]) -> Iterator[TraceStep]:
    """Yield the steps: those of the GPU's side where there are some, else the loop's, else all is one."""
    on_gpu = [row for row in rows if row.category == "gpu_user_annotation"]
    places = dict[int, Span]()
    for row in on_gpu or rows:
        number = int(_STEP.match(row.name)[1])  # type: ignore[index]
        begin, end = places.get(number, (row.start, row.end))
        places[number] = min(begin, row.start), max(end, row.end)
    if not places:
        spans = [(_span(event)) for event in events if event.kind in PARTS]
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        yield TraceStep(None, first / _NS, (last - first) / _NS)
        return
    ordered = sorted(places.items(), key=lambda item: item[1])
    for (number, (begin, end)), following in zip(ordered, [*ordered[1:], None], strict=True):
        if following:
            end = following[1][0] if on_gpu else min(end, following[1][0])
        yield TraceStep(number, (begin - origin) / _NS, (end - begin) / _NS)


def _ranks(header: Mapping[str, Any]) -> tuple[int | None, int | None]:
    found = header.get("distributedInfo")
    info = found if isinstance(found, dict) else {}
    rank, ranks = (_count(info.get(key)) for key in ("rank", "world_size"))
    return rank, ranks


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**7 else None


def _place(trace: Trace, step: int) -> int:
    place = integer_at_least("step", step, 0)
    if place >= len(trace.steps):
        raise ValueError(f"step must be below {len(trace.steps)}, the trace's steps, got {step!r}")
    return place


def _span(timed: TraceEvent | TraceStep) -> Span:
    """Return begin and end in whole nanoseconds."""
    begin = round(timed.start_s * _NS)
    return begin, begin + round(timed.duration_s * _NS)


def _counted(trace: Trace) -> Iterator[tuple[TraceEvent, int, int]]:
    """Yield what counts, with begin and end: on each thread of a CPU the outermost of what does work."""
    reached = dict[tuple[int | str, int | str], int]()
    for event in trace.events:
        if event.kind not in PARTS:
            continue
        begin, end = _span(event)
        if trace.device == "CPU":
            lane = event.process, event.thread
            begin = max(begin, reached.get(lane, begin))
            reached[lane] = max(end, begin)
        if begin < end:
            yield event, begin, end


def _lanes(trace: Trace) -> dict[str, list[Span]]:
    """Return when something of each part ran."""
    spans = dict[str, list[Span]]((part, []) for part in PARTS)
    for event, begin, end in _counted(trace):
        spans[event.kind].append((begin, end))
    return {part: _union(found) for part, found in spans.items()}


def _computing(lanes: Mapping[str, Sequence[Span]]) -> list[Span]:
    """Return when anything computed."""
    return _union(span for part in _COMPUTE for span in lanes[part])


def _length(spans: Iterable[Span]) -> int:
    return sum(end - begin for begin, end in spans)


def _union(spans: Iterable[Span]) -> list[Span]:
    """Return what spans cover together, in order and apart."""
    joined = list[Span]()
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def _common(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """Return what two lists of spans, each in order and apart, both cover."""
    found, i, j = list[Span](), 0, 0
    while i < len(one) and j < len(other):
        begin, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if begin < end:
            found.append((begin, end))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return found


def _outside(spans: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """Return what spans cover and others don't, each list in order and apart."""
    found, j = list[Span](), 0
    for begin, end in spans:
        while j < len(taken) and taken[j][1] <= begin:
            j += 1
        at, next_ = begin, j
        while next_ < len(taken) and taken[next_][0] < end:
            if at < taken[next_][0]:
                found.append((at, taken[next_][0]))
            at = max(at, taken[next_][1])
            next_ += 1
        if at < end:
            found.append((at, end))
    return found


def _assigned(lanes: Mapping[str, Sequence[Span]]) -> list[tuple[int, int, str]]:
    """Return the part to which each instant belongs, as spans in order and apart."""
    taken, found = list[Span](), list[tuple[int, int, str]]()
    for part in PARTS:
        own = _outside(lanes[part], taken)
        found += [(begin, end, part) for begin, end in own]
        taken = _union([*taken, *own])
    return sorted(found)


def _budget(step: TraceStep, segments: Sequence[tuple[int, int, str]], hidden: Sequence[Span]) -> StepBudget:
    begin, end = _span(step)
    spent = Counter[str]()
    for a, b, part in segments[max(0, bisect_right(segments, (begin, begin, "")) - 1) :]:
        if a >= end:
            break
        spent[part] += max(0, min(b, end) - max(a, begin))
    idle = end - begin - sum(spent.values())
    overlapped = sum(max(0, min(b, end) - max(a, begin)) for a, b in hidden)
    order = ("matmul", "attention", "other kernel", "memory", "communication", "data")
    matmul_s, attention_s, other_s, copies_s, exposed_s, data_s = (spent[part] / _NS for part in order)
    return StepBudget(
        step_s=(end - begin) / _NS,
        matmul_s=matmul_s,
        attention_s=attention_s,
        other_kernel_s=other_s,
        copies_s=copies_s,
        exposed_communication_s=exposed_s,
        data_s=data_s,
        idle_s=idle / _NS,
        hidden_communication_s=overlapped / _NS,
        number=step.number,
    )


def _recognised(name: str) -> bool:
    return name.startswith(("aten::", "cpp_fused")) or bool(_POINTWISE.search(name))


def _lateness(traces: Sequence[Trace], computing: Sequence[Sequence[Span]], place: int) -> Lateness:
    """Return how long each rank waited in the collectives of a step."""
    taken = [_collectives(trace, place) for trace in traces]
    counts = {len(each_taken) for each_taken in taken}
    number = traces[0].steps[place].number
    which = "the whole trace" if number is None else f"ProfilerStep#{number}"
    if counts == {0}:
        raise ValueError(f"traces must have collectives, in which ranks wait for each other, got none in {which}")
    if len(counts) > 1:
        said = ", ".join(str(len(each_taken)) for each_taken in taken)
        raise ValueError(f"traces must have the same collectives in each step, got {said} in {which}")
    shortest = [min(b - a for a, b in column) for column in zip(*taken, strict=True)]
    waits = [_union((a, b - least) for (a, b), least in zip(own, shortest, strict=True)) for own in taken]
    exposed = [_outside(own, taken_up) for own, taken_up in zip(waits, computing, strict=True)]
    lengths = [_length(own) for own in waits]
    return Lateness(
        number=number,
        waits_s=tuple(length / _NS for length in lengths),
        exposed_waits_s=tuple(_length(own) / _NS for own in exposed),
        last=lengths.index(min(lengths)),
    )


def _collectives(trace: Trace, place: int) -> list[Span]:
    """Return when each collective ran that began in a step, in their order."""
    begin, end = _span(trace.steps[place])
    spans = (_span(event) for event in trace.events if event.kind == "communication")
    return [(a, b) for a, b in spans if begin <= a < end]
