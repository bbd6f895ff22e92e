"""Formulas: what the model of a step assumes of a machine, each constant with its source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from snippets.domain import (
    Answers,
    flag,
    named,
    nonnegative_number,
    number_between,
    of_kind,
    positive_number,
    text_fields,
)
from snippets.hardware import ACCELERATORS, DTYPES, Accelerator, Node, dense_peak_flops_per_s
from snippets.job import Job

_SHARES = ("matmul_share", "attention_share", "memory_share", "node_share", "network_share")
_SECONDS = ("node_latency_s", "network_latency_s", "call_latency_s", "launch_s", "host_s")


@dataclass(frozen=True)
class Constants(Answers):
    """What a step's time depends on besides the data sheet: shares of its rates, latencies, and what overlaps.

    Attributes:
        matmul_share: u, the share of the peak that large matmuls reach.
        attention_share: the share of the peak that a fused attention kernel reaches.
        memory_share: the share of the memory's bandwidth that element-wise kernels reach.
        node_share: the share of a link's rate, inside the fast domain.
        network_share: the share of a network adapter's rate.
        node_latency_s: α of one hop of a ring inside the domain, at least 0.
        network_latency_s: α of one hop of a ring between domains, at least 0.
        call_latency_s: what a collective costs before its first hop, at least 0.
        launch_s: what launching a layer's kernels adds for each micro-batch, forward and backward together, at least 0.
        host_s: what the CPU takes to launch a layer's kernels for a micro-batch, forward and backward together, at
            least 0: computing and sums of tensor parallelism together take no less. Full recomputation launches a third
            more.
        update_bytes: bytes that the optimizer reads and writes for a parameter; ``None`` for one fused kernel after the
            norm, which reads gradients twice and clears them, reads and writes the state and writes the weights, which
            it reads too where no wider copy is kept.
        count_bytes: whether matmuls' and element-wise kernels' memory traffic counts; if not, the time of computing is
            FLOPs over ``matmul_share`` of the peak.
        overlap_gradients: whether gradients are summed, and ZeRO's parameters gathered, beside computation.
        overlap_tensor: whether the backward pass's tensor-parallel sums run beside the matmuls of the weights'
            gradients.
        gather_again: whether sequence parallelism keeps a block's input cut and gathers it once more going backward,
            where the gather of the output's gradient waits in the open: chapter 17's ten halves. If not, it costs what
            plain tensor parallelism costs, and everything that goes backward may hide.
        source: where the numbers are from.

    Raises:
        ValueError: if a share is not above 0 and at most 1, or a time is negative.

    >>> Constants(matmul_share=0.65).node_share
    0.8
    """

    matmul_share: float
    attention_share: float = 0.5
    memory_share: float = 0.85
    node_share: float = 0.8
    network_share: float = 0.8
    node_latency_s: float = 5e-6
    network_latency_s: float = 5e-6
    call_latency_s: float = 0.0
    launch_s: float = 0.0
    host_s: float = 0.0
    update_bytes: float | None = None
    count_bytes: bool = True
    overlap_gradients: bool = True
    overlap_tensor: bool = False
    gather_again: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        text_fields(self, "source")
        for name in _SHARES:
            share = number_between(name, getattr(self, name), low=0, high=1)
            if share == 0:
                raise ValueError(f"{name} must be above 0 and at most 1, got {share!r}")
            object.__setattr__(self, name, share)
        for name in _SECONDS:
            object.__setattr__(self, name, nonnegative_number(name, getattr(self, name)))
        if self.update_bytes is not None:
            object.__setattr__(self, "update_bytes", positive_number("update_bytes", self.update_bytes))
        for name in ("count_bytes", "overlap_gradients", "overlap_tensor", "gather_again"):
            flag(name, getattr(self, name))

    def node_bytes_per_s(self, node: Node) -> float:
        """Return what one GPU sends inside the fast domain.

        >>> from snippets.hardware import NODES
        >>> Constants(matmul_share=0.65).node_bytes_per_s(NODES["DGX H100"]) / 1e9
        360.0
        """
        link = of_kind("node", node, Node).accelerator.interconnect
        if link is None:
            raise ValueError(f"node must have GPUs with a link, got {node.name!r}")
        return self.node_share * link.bandwidth_bytes_per_s

    def network_bytes_per_s(self, node: Node) -> float:
        """Return what one GPU sends between domains.

        >>> from snippets.hardware import NODES
        >>> Constants(matmul_share=0.65).network_bytes_per_s(NODES["DGX H100"]) / 1e9
        40.0
        """
        return self.network_share * of_kind("node", node, Node).network_bytes_per_s_per_accelerator

    def memory_bytes_per_s(self, node: Node) -> float:
        """Return what one GPU's memory carries under element-wise kernels.

        >>> from snippets.hardware import NODES
        >>> Constants(matmul_share=0.65, memory_share=0.8).memory_bytes_per_s(NODES["DGX H100"]) / 1e12
        2.68
        """
        return self.memory_share * of_kind("node", node, Node).accelerator.memory_bandwidth_bytes_per_s


# A hop of NCCL's ring and a call, in NCCL's own model of its speed (NVIDIA/nccl, src/graph/tuning.cc at b647562: ring,
# protocol Simple): 3.4 µs over NVLink, 9.6 µs (14 µs from version 2.18 on) over the network, 8.4 µs a call.
_NVLINK_HOP_S, _NETWORK_HOP_S, _CALL_S = 3.4e-6, 14e-6, 8.4e-6

# Megatron's optimizer in fp16, kernel by kernel: gradients to fp32 (6), unscaled (8), their norm (4), clipped (8), Adam
# (28), weights to fp16 (6), gradients cleared (2).
_UNFUSED_UPDATE_BYTES = 62.0

MEGATRON_A100 = Constants(
    matmul_share=0.835,
    memory_share=0.86,
    node_share=0.8,
    network_share=0.94,
    node_latency_s=_NVLINK_HOP_S,
    network_latency_s=_NETWORK_HOP_S,
    call_latency_s=_CALL_S,
    launch_s=0.6e-3,
    host_s=3e-3,
    update_bytes=_UNFUSED_UPDATE_BYTES,
    overlap_gradients=False,
    source="matmul_share and launch_s are fitted on vTrain's 47 runs of 39.1 billion parameters on 512 A100, and on"
    " nothing else; hops, call and NVLinks (20 of 25 GB/s each) from NCCL's tables, the adapter (23.5 of 25 GB/s)"
    " from SimAI's; memory_share assumed; host_s is no fit, but the fastest of vTrain's 723 runs on one node: no layer"
    " took less for a micro-batch, however small. It binds in no run of several nodes",
)


# What large matmuls reach: 794.5 of 989.4 TFLOP/s in bf16 and 1,402.6 of 1,978.9 in fp8 (S. Bekman, ml-engineering,
# table of maximum achievable matmul FLOPS). A fused attention reaches about half of the bf16 peak (assumed). A GPU's 18
# NVLinks give 18 × 20.6 of 450 GB/s in NCCL's model (src/graph/topo.h), an NDR adapter 48.5 of 50 GB/s in SimAI's
# (aliyun/SimAI, calbusbw.h). No rate is fitted, but gather_again is chosen by the runs that test it: off, as if the
# further gathers hid in tiles; on, MLPerf's 405B and NeMo's dense runs are predicted worse, by 3 points and by 1.
H100_BF16 = Constants(
    matmul_share=794.5 / 989.4,
    attention_share=0.5,
    memory_share=0.86,
    node_share=18 * 20.6 / 450,
    network_share=48.5 / 50,
    node_latency_s=_NVLINK_HOP_S,
    network_latency_s=_NETWORK_HOP_S,
    call_latency_s=_CALL_S,
    overlap_tensor=True,
    source="ml-engineering's achievable matmul rate, NCCL's and SimAI's tables of links; attention and memory assumed;"
    " gather_again chosen, as MLPerf's and NeMo's runs are predicted worse with it",
)
H100_FP8 = replace(H100_BF16, matmul_share=1402.6 / 1978.9)


# What large matmuls reach of the peak, by device and format, and who measured it. Of NVIDIA's newer parts no table of
# all formats was found: what is assumed says so.
_MAMF = "S. Bekman, ml-engineering, table of maximum achievable matmul FLOPS"
_AS_H100 = "the H100's share, whose arithmetic it has"
_AS_B200 = "the B200's share in bf16 (pytorch/ao, pull request 2427: 1.51 of 2.25 PFLOP/s), assumed for it"
_B200_FP4 = "5.5 of 9 PFLOP/s of a B200 in NVFP4 (pytorch/ao, pull request 2427)"
_MATMUL_SHARES: dict[str, dict[str, tuple[float, str]]] = {
    "A100 SXM 80GB": {"bf16": (271.2 / 312, _MAMF)},
    "H100 SXM": {"bf16": (794.5 / 989.4, _MAMF), "fp8": (1402.6 / 1978.9, _MAMF)},
    "H200 SXM": {"bf16": (794.5 / 989.4, _AS_H100), "fp8": (1402.6 / 1978.9, _AS_H100)},
    "H800 SXM": {"bf16": (794.5 / 989.4, _AS_H100), "fp8": (1402.6 / 1978.9, _AS_H100)},
    "B200 SXM": {
        "bf16": (1.51 / 2.25, "pytorch/ao, pull request 2427: 1.51 of 2.25 PFLOP/s"),
        "fp8": (1.51 / 2.25, _AS_B200),
        "fp4": (5.5 / 9, _B200_FP4),
    },
    "MI300X": {
        "bf16": (668.4 / 1307.4, _MAMF),
        "fp8": (668.4 / 1307.4, f"its share in bf16 ({_MAMF}), assumed for fp8"),
    },
    "MI355X": {
        "bf16": (1489 / 2516.6, "AMD's tutorial on GEMM in Gluon, 1,489 TFLOP/s in fp16, second-hand: 24-ai.news"),
        "fp8": (3257 / 5033.2, "AMD's tutorial on GEMM in Gluon, 3,257 TFLOP/s in bf8, second-hand: 24-ai.news"),
    },
}
for _name in ("GB200", "B300 SXM", "GB300"):
    _MATMUL_SHARES[_name] = {
        "bf16": (1.51 / 2.25, _AS_B200),
        "fp8": (1.51 / 2.25, _AS_B200),
        "fp4": (5.5 / 9, f"{_B200_FP4}, assumed for it"),
    }
_MATMUL_SHARES["A100 SXM 40GB"] = _MATMUL_SHARES["A100 SXM 80GB"]

# Shares of the links of a GPU and of its adapter: NVLinks in NCCL's model (src/graph/topo.h), adapters in SimAI's table
# (calbusbw.h).
_NCCL, _SIMAI = "NCCL's model of links", "SimAI's table of adapters"
_LINK_SHARES: dict[str, tuple[float, float, str]] = {
    "A100 SXM 40GB": (20 / 25, 23.5 / 25, f"{_NCCL} and {_SIMAI}"),
    "A100 SXM 80GB": (20 / 25, 23.5 / 25, f"{_NCCL} and {_SIMAI}"),
    "H100 SXM": (18 * 20.6 / 450, 48.5 / 50, f"{_NCCL} and {_SIMAI}"),
    "H200 SXM": (18 * 20.6 / 450, 48.5 / 50, f"{_NCCL} and {_SIMAI}"),
    "H800 SXM": (160 / 200, 40 / 50, "Zhao, Deng et al. 2025, section 4.3"),
    "B200 SXM": (18 * 40.1 / 900, 48.5 / 50, f"{_NCCL} and {_SIMAI}"),
    "GB200": (18 * 40.1 / 900, 48.5 / 50, f"{_NCCL} and {_SIMAI}"),
    "B300 SXM": (18 * 40.1 / 900, 48.5 / 50, f"{_NCCL}; the adapter's share assumed to be a ConnectX-7's"),
    "GB300": (18 * 40.1 / 900, 48.5 / 50, f"{_NCCL}; the adapter's share assumed to be a ConnectX-7's"),
    "MI300X": (0.8, 0.94, "both links assumed"),
    "MI355X": (0.8, 0.94, "both links assumed"),
}
_ASSUMED_SHARE = 0.65


def device_constants(accelerator: Accelerator | str, dtype: str = "bf16") -> Constants:
    """Return what is assumed of a device with today's software: a fused attention, sums beside matmuls.

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        dtype: of the weights' matmuls; the accelerator must list a peak for it.

    Returns:
        Constants; their ``source`` names the source of each, and says which are assumed.

    Raises:
        ValueError: if the accelerator lists no peak for that format.

    Source: tables of others, each named in ``source``; nothing here is fitted to a step.
    Convention: a device that is in none of the tables reaches 65% of its matmuls' peak and 80% of its links, assumed.
    Leaves out: power limits; that fp4 leaves some layers in a wider format.

    Example:
        >>> from snippets.composition.step_constants import H100_FP8
        >>> round(device_constants("H100 SXM", "fp8").matmul_share, 3), round(H100_FP8.matmul_share, 3)
        (0.709, 0.709)
    """
    found = ACCELERATORS.find(accelerator)
    dense_peak_flops_per_s(found, dtype)
    dtype = named("dtype", dtype, DTYPES)
    assumed = (_ASSUMED_SHARE, f"{_ASSUMED_SHARE:.0%} assumed, for no measurement was found")
    share, whence = _MATMUL_SHARES.get(found.name, {}).get("bf16" if dtype == "fp16" else dtype, assumed)
    inside, across, links = _LINK_SHARES.get(found.name, (0.8, 0.94, "both links assumed"))
    return replace(
        H100_BF16,
        matmul_share=share,
        node_share=inside,
        network_share=across,
        source=f"matmuls: {whence}; links: {links}; attention 50% of the bf16 peak and memory 86% assumed",
    )


def job_constants(job: Job) -> Constants:
    """Return what a job assumes of its machine: shares of the rates of matmuls and links, and one latency.

    Args:
        job: the job.

    Returns:
        Constants in which computing is FLOPs over the rate of the job's matmuls, and everything else is waiting.

    Source: the job's own assumptions, docs/the-70b.md.
    Convention: nothing is counted twice: what element-wise kernels and launches cost is in the matmuls' share.
        Sequence parallelism sends ten halves, as it keeps a t-th of all activations.
    Leaves out: that small matmuls are slower.

    Example:
        >>> from snippets.job import THE_70B
        >>> job_constants(THE_70B).matmul_share
        0.65
    """
    of_kind("job", job, Job)
    return Constants(
        matmul_share=job.matmul_utilization,
        attention_share=job.matmul_utilization,
        memory_share=0.8,
        node_share=job.link_share,
        network_share=job.link_share,
        node_latency_s=job.latency_s,
        network_latency_s=job.latency_s,
        count_bytes=False,
        overlap_tensor=True,
        gather_again=True,
        source="the job's own assumptions",
    )
