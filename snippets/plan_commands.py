"""Commands: the planner's two questions: which layouts of a job are the fastest, and what one given layout takes.

Both answer with the planner of chapter 29, and say beside each answer how exact such answers were on measured runs.
"""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any

from snippets.commands import DAY_S, Row, Screen
from snippets.composition.configuration_search.candidates import KEEPS, Limits
from snippets.composition.configuration_search.clusters import MOST_GPUS, Cluster, cluster_constants
from snippets.composition.configuration_search.exported import SYSTEMS, layout_flags
from snippets.composition.configuration_search.judged import (
    accuracy_of,
    accuracy_table,
    judged_groups,
    read_measured,
    unused_rows,
)
from snippets.composition.configuration_search.planner import (
    NEAR,
    Plan,
    PlannedJob,
    Plans,
    layout_plan,
    planned_job,
)
from snippets.composition.configuration_search.search import search_layouts
from snippets.composition.configuration_search.written_layouts import layout_line, read_layout
from snippets.composition.layouts import Layout
from snippets.composition.step_constants import Constants
from snippets.domain import at_most, each, flag, integer_at_least, named, number_between, one_of, positive_integer, text
from snippets.hardware import ACCELERATORS, NODES, Accelerator, Link, Node
from snippets.memory.zero.formulas import STAGES
from snippets.models import MODELS, Attention, Experts, Transformer, llama_like

MOST_SHOWN = 100
WIDTH = 100
_USUAL_GPUS = NODES["DGX H100"].accelerators  # of a node that the book does not list
_FORMATS = ("bf16", "fp16", "fp8", "fp4")
_TERMS = {
    "compute": "Matmuls, attention and element-wise kernels of the slowest stage, with what is made again.",
    "bubble": "Waiting for the pipeline to fill and to drain.",
    "tensor": "Sums of tensor parallelism, as far as nothing hides them.",
    "context": "Keys and values of context parallelism, as far as nothing hides them.",
    "expert": "All-to-alls of experts.",
    "pipeline": "Messages between stages.",
    "data": "Gradients, and weights that ZeRO gathers, as far as nothing hides them.",
    "optimizer": "The update.",
}
_KINDS = {
    "weights": "As ZeRO cuts them.",
    "gradients": "As ZeRO cuts them.",
    "optimizer": "Master copy and moments, as ZeRO cuts them.",
    "activations": "Kept for the backward pass, of all micro-batches under way.",
    "buffers": "What is gathered or reduced at the moment, and the like.",
}


def plan_answer(
    *,
    model: Transformer | str | None = None,
    nodes: int | None = None,
    gpus: int | None = None,
    device: str = "H100 SXM",
    sequence: int | None = None,
    tokens: float | None = None,
    dtype: str = "bf16",
    top: int = 5,
    distinct: bool = True,
    why: Sequence[str] = (),
    flags: str = "",
    check: bool = False,
    measured: str = "",
    run_tokens: float | None = None,
    usd_per_gpu_hour: float | None = None,
    tensor: Sequence[int] | None = None,
    pipeline: Sequence[int] | None = None,
    chunks: Sequence[int] | None = None,
    context: Sequence[int] | None = None,
    expert: Sequence[int] | None = None,
    micro_batch: Sequence[int] | None = None,
    zero: Sequence[int] = (1, 2, 3),
    recompute: Sequence[str] = ("none", "some", "full"),
    free_share: float = 0.1,
    recipe: str | None = None,
    attention: str = "flash",
    mask: str = "half",
    matmul_share: float | None = None,
    gpus_per_node: int | None = None,
    gpu_memory_bytes: int | None = None,
    gpu_memory_bytes_per_s: int | None = None,
    gpu_flops_per_s: int | None = None,
    link_bytes_per_s: int | None = None,
    network_bytes_per_s: int | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    key_value_heads: int | None = None,
    feed_forward_width: int | None = None,
    vocabulary: int | None = None,
    experts: int | None = None,
    experts_per_token: int | None = None,
) -> Screen | tuple[Row, ...]:
    """Return the fastest layouts of a training job that fit, with the time of a step, memory, days and price.

    Args:
        model: a name in ``MODELS``, or a ``Transformer`` of your own; or give its widths by ``layers`` and so on.
        nodes: how many nodes; or give ``gpus``.
        gpus: how many GPUs in all; fewer than a node has are one smaller node.
        device: an accelerator of the book's catalogue, or one of its nodes, such as "DGX H100".
        sequence: tokens of one sequence.
        tokens: tokens of one step, of all GPUs together; 4e6 are taken as 512 sequences of 8,192.
        dtype: number format of the weights' matmuls: bf16, fp8 or fp4.
        top: how many layouts are listed, at most 100.
        distinct: list, under its place among all, only the fastest of each tensor, pipeline and expert size of the best
            100.
        why: a place in the list, or a layout such as t=8 p=4 zero=1: its time by term and its memory by kind, or why it
            cannot run.
        flags: print for a system instead, megatron, torchtitan or deepspeed, the layout of ``why``, or the fastest of
            the best 100 that it can run.
        check: print instead how exact the predictions are on measured runs; needs no other option.
        measured: the same for a CSV file of your own measured steps, with the columns of one of the files in the
            folder measured beside the planner.
        run_tokens: tokens of the whole run, for its days.
        usd_per_gpu_hour: price of one GPU for an hour, with ``run_tokens``.
        tensor: try these sizes of tensor parallelism alone, such as 2,4.
        pipeline: try these numbers of stages alone.
        chunks: try these numbers of model chunks of a stage alone.
        context: try these sizes of context parallelism alone.
        expert: try these sizes of expert parallelism alone.
        micro_batch: try these sequences of a micro-batch alone.
        zero: try these stages of ZeRO alone, from 0 to 3.
        recompute: try these alone: none, some (each layer drops the tensors that are cheapest to make again), full
            (layers run twice), selective (the scores of a standard attention).
        free_share: share of a GPU's memory that has to stay free, at least 0 and below 1.
        recipe: a name in ``RECIPES``: which copies of a parameter are kept, in how many bytes; unless given, mixed
            precision with Adam, as the GPU holds it in ``dtype``.
        attention: "flash", which stores no scores, or "standard".
        mask: which pairs of a query and a key are computed: half of them, as causal kernels do, exact or full.
        matmul_share: share of the peak that large matmuls reach, in place of the published one.
        gpus_per_node: GPUs inside which links are fast, in place of the device's own.
        gpu_memory_bytes: memory of one GPU, in place of the device's own.
        gpu_memory_bytes_per_s: its bandwidth.
        gpu_flops_per_s: its dense peak in ``dtype``.
        link_bytes_per_s: links of one GPU inside the node, in one direction.
        network_bytes_per_s: share of the network of one GPU, in one direction.
        layers: of your own model, like Llama; then ``hidden``, ``heads``, ``feed_forward_width`` and ``vocabulary``.
        hidden: width of its residual stream.
        heads: its query heads.
        key_value_heads: its heads of keys; as many as ``heads`` unless given.
        feed_forward_width: inner width of its feed-forward block, or of one expert.
        vocabulary: rows of its token table.
        experts: experts of each layer, if it has any.
        experts_per_token: how many of them a token visits.

    Returns:
        A table of the best layouts with what was tried and refused; with ``why`` rows, with ``flags`` a text.

    Example:
        >>> screen = plan_answer(model="Llama 3 8B", nodes=1, sequence=8192, tokens=2**20, top=2, context=[1])
        >>> screen.record["plans"][0]["layout"].data
        8
    """
    if flag("check", check) or text("measured", measured):
        return _check_screen(measured)
    widths = _widths(
        layers=layers,
        hidden=hidden,
        heads=heads,
        key_value_heads=key_value_heads,
        feed_forward_width=feed_forward_width,
        vocabulary=vocabulary,
        experts=experts,
        experts_per_token=experts_per_token,
    )
    _all_given(
        model=(widths or None) if model is None else model,
        nodes=gpus if nodes is None else nodes,
        sequence=sequence,
        tokens=tokens,
    )
    _priced(run_tokens, usd_per_gpu_hour)
    text("flags", flags)
    shown = at_most("top", positive_integer("top", top), MOST_SHOWN)
    cluster = _cluster(
        device,
        nodes=nodes,
        gpus=gpus,
        gpus_per_node=gpus_per_node,
        dtype=dtype,
        own={
            "gpu_memory_bytes": gpu_memory_bytes,
            "gpu_memory_bytes_per_s": gpu_memory_bytes_per_s,
            "gpu_flops_per_s": gpu_flops_per_s,
            "link_bytes_per_s": link_bytes_per_s,
            "network_bytes_per_s": network_bytes_per_s,
        },
    )
    job = planned_job(
        _model(model, widths),
        cluster,
        tokens_per_step=_step_tokens(tokens, sequence),
        sequence=positive_integer("sequence", sequence),
        constants=_constants(cluster, dtype, matmul_share),
        dtype=dtype,
        recipe=recipe,
        attention=attention,
        mask=mask,
        free_share=free_share,
        run_tokens=run_tokens,
        usd_per_gpu_hour=usd_per_gpu_hour,
    )
    limits = Limits(
        tensor=_sizes("tensor", tensor),
        pipeline=_sizes("pipeline", pipeline),
        chunks=_sizes("chunks", chunks),
        context=_sizes("context", context),
        expert=_sizes("expert", expert),
        micro_batch=_sizes("micro_batch", micro_batch),
        stage=_stages("zero", zero),
        recompute=each("recompute", recompute, _keep),
        free_share=free_share,
    )
    written = " ".join(each("why", why, text)).strip()
    place = int(written) if re.fullmatch(r"\d{1,3}", written) else 0
    most = MOST_SHOWN if flag("distinct", distinct) or flags else max(shown, min(place, MOST_SHOWN))
    plans = search_layouts(job, limits=limits, most=most)
    if not written:
        return _first_flags(plans, flags) if flags else _table_screen(plans, shown, distinct=distinct)
    if place:
        one: Plan | str = _placed(plans, place)
    else:
        one = _written_plan(job, written)
    if isinstance(one, str):
        return (Row("layout", written, note="As given."), Row("cannot run", one, note="The first reason."))
    return _flags_screen(one, flags) if flags else _plan_rows(one, first=plans.best[0] if plans.best else None)


def step_answer(
    *,
    model: Transformer | str | None = None,
    nodes: int | None = None,
    gpus: int | None = None,
    device: str = "H100 SXM",
    sequence: int | None = None,
    tokens: float | None = None,
    tensor: int = 1,
    pipeline: int = 1,
    data: int | None = None,
    context: int = 1,
    expert: int = 1,
    chunks: int = 1,
    micro_batch: int = 1,
    zero: int = 1,
    recompute: str = "",
    sequence_parallel: bool = True,
    dtype: str = "bf16",
    flags: str = "",
    run_tokens: float | None = None,
    usd_per_gpu_hour: float | None = None,
    free_share: float = 0.0,
    recipe: str | None = None,
    attention: str = "flash",
    mask: str = "half",
    matmul_share: float | None = None,
    gpus_per_node: int | None = None,
    gpu_memory_bytes: int | None = None,
    gpu_memory_bytes_per_s: int | None = None,
    gpu_flops_per_s: int | None = None,
    link_bytes_per_s: int | None = None,
    network_bytes_per_s: int | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    key_value_heads: int | None = None,
    feed_forward_width: int | None = None,
    vocabulary: int | None = None,
    experts: int | None = None,
    experts_per_token: int | None = None,
) -> Screen | tuple[Row, ...]:
    """Return how long a step of a training job takes in one given layout, by term, and what a GPU holds, by kind.

    Args:
        model: a name in ``MODELS``, or a ``Transformer`` of your own; or give its widths by ``layers`` and so on.
        nodes: how many nodes; or give ``gpus``, or else ``data``, which then says how many there are.
        gpus: how many GPUs in all; fewer than a node has are one smaller node.
        device: an accelerator of the book's catalogue, or one of its nodes, such as "DGX H100".
        sequence: tokens of one sequence.
        tokens: tokens of one step, of all GPUs together.
        tensor: ranks among which a layer is cut.
        pipeline: stages.
        data: ranks that take different sequences; what the other axes leave of the GPUs unless given.
        context: ranks among which a sequence is cut.
        expert: ranks among which the experts of a layer are dealt.
        chunks: model chunks of a stage.
        micro_batch: sequences of a micro-batch.
        zero: stage of ZeRO, from 0 to 3.
        recompute: none, some (each layer drops the tensors that are cheapest to make again, as many as must go), full
            or selective; some unless given, where the model has gated blocks and no experts, else none.
        sequence_parallel: whether what tensor parallelism leaves whole is cut along the sequence.
        dtype: number format of the weights' matmuls: bf16, fp8 or fp4.
        flags: print the layout for a system instead: megatron, torchtitan or deepspeed.
        run_tokens: tokens of the whole run, for its days.
        usd_per_gpu_hour: price of one GPU for an hour, with ``run_tokens``.
        free_share: share of a GPU's memory that has to stay free, at least 0 and below 1; ``plan`` keeps 0.1.
        recipe: a name in ``RECIPES``: which copies of a parameter are kept, in how many bytes; unless given, mixed
            precision with Adam, as the GPU holds it in ``dtype``.
        attention: "flash", which stores no scores, or "standard".
        mask: which pairs of a query and a key are computed: half of them, as causal kernels do, exact or full.
        matmul_share: share of the peak that large matmuls reach, in place of the published one.
        gpus_per_node: GPUs inside which links are fast, in place of the device's own.
        gpu_memory_bytes: memory of one GPU, in place of the device's own.
        gpu_memory_bytes_per_s: its bandwidth.
        gpu_flops_per_s: its dense peak in ``dtype``.
        link_bytes_per_s: links of one GPU inside the node, in one direction.
        network_bytes_per_s: share of the network of one GPU, in one direction.
        layers: of your own model, like Llama; then ``hidden``, ``heads``, ``feed_forward_width`` and ``vocabulary``.
        hidden: width of its residual stream.
        heads: its query heads.
        key_value_heads: its heads of keys; as many as ``heads`` unless given.
        feed_forward_width: inner width of its feed-forward block, or of one expert.
        vocabulary: rows of its token table.
        experts: experts of each layer, if it has any.
        experts_per_token: how many of them a token visits.

    Returns:
        Rows: the step, its terms, MFU, memory by kind, whether it fits, and how exact such predictions were.

    Raises:
        ValueError: if the layout cannot run the model; the message says why.

    Example:
        >>> rows = step_answer(model="Llama 3 70B", nodes=32, sequence=8192, tokens=4e6, tensor=8, pipeline=4)
        >>> next(row.value for row in rows if row.what == "fits")
        True
    """
    widths = _widths(
        layers=layers,
        hidden=hidden,
        heads=heads,
        key_value_heads=key_value_heads,
        feed_forward_width=feed_forward_width,
        vocabulary=vocabulary,
        experts=experts,
        experts_per_token=experts_per_token,
    )
    axes = {"tensor": tensor, "pipeline": pipeline, "context": context}
    others = 1
    for name, size in axes.items():
        others *= positive_integer(name, size)
    if nodes is None and gpus is None and data is not None:
        gpus = others * at_most("data", positive_integer("data", data), MOST_GPUS)
    _all_given(
        model=(widths or None) if model is None else model,
        nodes=gpus if nodes is None else nodes,
        sequence=sequence,
        tokens=tokens,
    )
    _priced(run_tokens, usd_per_gpu_hour)
    text("flags", flags)
    cluster = _cluster(
        device,
        nodes=nodes,
        gpus=gpus,
        gpus_per_node=gpus_per_node,
        dtype=dtype,
        own={
            "gpu_memory_bytes": gpu_memory_bytes,
            "gpu_memory_bytes_per_s": gpu_memory_bytes_per_s,
            "gpu_flops_per_s": gpu_flops_per_s,
            "link_bytes_per_s": link_bytes_per_s,
            "network_bytes_per_s": network_bytes_per_s,
        },
    )
    found = _model(model, widths)
    keep = named("recompute", recompute, KEEPS) if text("recompute", recompute) else _usual_keep(found)
    layout = Layout(
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        data=_data_ranks(data, others, cluster),
        expert=expert,
        chunks=chunks,
        micro_batch=micro_batch,
        stage=_stage("zero", zero),
        recompute="none" if keep == "some" else keep,
        sequence_parallel=flag("sequence_parallel", sequence_parallel) and tensor != 1,
        uneven=chunks == 1,
    )
    job = planned_job(
        found,
        cluster,
        tokens_per_step=_step_tokens(tokens, sequence),
        sequence=positive_integer("sequence", sequence),
        constants=_constants(cluster, dtype, matmul_share),
        dtype=dtype,
        recipe=recipe,
        attention=attention,
        mask=mask,
        free_share=free_share,
        run_tokens=run_tokens,
        usd_per_gpu_hour=usd_per_gpu_hour,
    )
    one = _given_plan(job, layout, keep)
    return _flags_screen(one, flags) if flags else _plan_rows(one, first=None)


# From options to what is planned.


def _all_given(**given: Any) -> None:
    """Refuse what cannot be planned without, all of it in one sentence."""
    if lacking := [name for name, value in given.items() if value is None]:
        raise ValueError(f"missing: {', '.join(lacking)}")


def _step_tokens(tokens: float | None, sequence: int | None) -> int:
    """Return the tokens of a step, which are those of one sequence at the least."""
    asked, s = positive_integer("tokens", tokens), positive_integer("sequence", sequence)
    if asked < s:
        raise ValueError(f"tokens must be at least a sequence of {s}, got {tokens!r}")
    return asked


def _priced(run_tokens: float | None, usd_per_gpu_hour: float | None) -> None:
    if run_tokens is not None:
        positive_integer("run_tokens", run_tokens)
    if usd_per_gpu_hour is None:
        return
    if run_tokens is None:
        raise ValueError(f"usd_per_gpu_hour must be given only with run_tokens, got {usd_per_gpu_hour!r}")
    number_between("usd_per_gpu_hour", usd_per_gpu_hour, low=1e-6, high=1e9)


def _widths(**given: int | None) -> dict[str, int]:
    return {name: value for name, value in given.items() if value is not None}


def _model(model: Transformer | str | None, widths: Mapping[str, int]) -> Transformer:
    """Return the model that is named, or that of the widths."""
    if model is not None:
        for name, value in widths.items():
            raise ValueError(f"{name} must be given only without model, got {value!r}")
        return MODELS.find(model)
    needed = ["layers", "hidden", "heads", "feed_forward_width", "vocabulary"]
    if "experts" in widths or "experts_per_token" in widths:
        needed += ["experts", "experts_per_token"]
    _all_given(**{name: widths.get(name) for name in needed})
    width = positive_integer("feed_forward_width", widths["feed_forward_width"])
    dense = llama_like(
        "your model",
        layers=widths["layers"],
        hidden=widths["hidden"],
        heads=widths["heads"],
        width=width,
        vocabulary=widths["vocabulary"],
        key_value_heads=widths.get("key_value_heads"),
    )
    if "experts" not in widths:
        return dense
    experts = Experts(widths["experts"], widths["experts_per_token"], width)
    return replace(dense, feed_forward=None, experts=experts, expert_layers=dense.layers)


def _cluster(
    device: str,
    *,
    nodes: int | None,
    gpus: int | None,
    gpus_per_node: int | None,
    dtype: str,
    own: Mapping[str, int | None],
) -> Cluster:
    """Return as many nodes of a device as were asked for, with what is one's own in place of what is listed."""
    gpus = None if gpus is None else positive_integer("gpus", gpus)
    nodes = None if nodes is None else positive_integer("nodes", nodes)
    node = _node(device, own, alone=nodes == 1 or (gpus is not None and gpus <= (gpus_per_node or _USUAL_GPUS)))
    node = _own_node(node, named("dtype", dtype, _FORMATS), own)
    if gpus_per_node is not None:
        node = _of_size(node, at_most("gpus_per_node", positive_integer("gpus_per_node", gpus_per_node), MOST_GPUS))
    if gpus is None:
        return Cluster(node, positive_integer("nodes", nodes))
    if nodes is not None:
        raise ValueError(f"gpus must be given only without nodes, got {gpus!r}")
    used = Cluster(node, 1).gpus
    if gpus < used and gpus_per_node is None:
        return Cluster(_of_size(node, gpus), 1)
    if gpus % used:
        raise ValueError(f"gpus must be a multiple of the {used} of a node, got {gpus}")
    return Cluster(node, gpus // used)


def _node(device: str, own: Mapping[str, int | None], *, alone: bool) -> Node:
    """Return the book's node with an accelerator, or one made of it; alone it needs no network."""
    try:
        wanted = ACCELERATORS[ACCELERATORS.name_of(device, argument="device")]
    except ValueError:
        if text("device", device) not in NODES:
            raise
        return NODES[device]
    for node in NODES.values():
        if node.accelerator == wanted:
            return node
    if own["network_bytes_per_s"] is None and not alone:
        raise ValueError(f"network_bytes_per_s must be given for {wanted.name}, of which the book has no node")
    port = NODES["DGX H100"].port  # replaced by one's own, or never used
    return Node(f"node of {wanted.name}", wanted, _USUAL_GPUS, _USUAL_GPUS, port, "as given")


def _link(name: str, bytes_per_s: int) -> Link:
    rate = _with_unit(name, bytes_per_s, 10**6, "50GB/s")
    return Link("as given", rate, rate, "as given", 1, "as given")


def _with_unit(name: str, value: int, least: int, example: str) -> int:
    """Return a size or a rate that is not so small that its unit was forgotten."""
    if (size := positive_integer(name, value)) < least:
        raise ValueError(f"{name} must be at least {least:g}, such as {example}, got {value!r}")
    return size


def _own_node(node: Node, dtype: str, own: Mapping[str, int | None]) -> Node:
    """Return a node with what is one's own; the accelerator keeps its name, by which published shares are found."""
    gpu: Accelerator = node.accelerator
    if (memory := own["gpu_memory_bytes"]) is not None:
        gpu = replace(gpu, memory_bytes=_with_unit("gpu_memory_bytes", memory, 10**9, "80GB"))
    if (rate := own["gpu_memory_bytes_per_s"]) is not None:
        gpu = replace(gpu, memory_bandwidth_bytes_per_s=_with_unit("gpu_memory_bytes_per_s", rate, 10**9, "3.35TB/s"))
    if (peak := own["gpu_flops_per_s"]) is not None:
        gpu = replace(
            gpu, peaks=replace(gpu.peaks, **{dtype: _with_unit("gpu_flops_per_s", peak, 10**9, "989TFLOP/s")})
        )
    if (link := own["link_bytes_per_s"]) is not None:
        gpu = replace(gpu, interconnect=_link("link_bytes_per_s", link))
    node = replace(node, accelerator=gpu)
    if (network := own["network_bytes_per_s"]) is not None:
        node = replace(node, ports=node.accelerators, port=_link("network_bytes_per_s", network))
    return node


def _of_size(node: Node, gpus: int) -> Node:
    """Return a node with another number of GPUs, each with its share of the ports."""
    share = node.port.bandwidth_bytes_per_s * node.ports // node.accelerators
    port = node.port if node.ports == node.accelerators else replace(node.port, bandwidth_bytes_per_s=share, lanes=1)
    return replace(node, accelerators=gpus, ports=gpus, port=port)


def _constants(cluster: Cluster, dtype: str, matmul_share: float | None) -> Constants:
    found = cluster_constants(cluster, dtype)
    if matmul_share is None:
        return found
    share = number_between("matmul_share", matmul_share, low=0.01, high=1)
    return replace(found, matmul_share=share, source=f"matmuls: as given; the rest: {found.source}")


def _sizes(name: str, given: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if given is None else each(name, given, lambda _, size: positive_integer(name, size))


def _keep(name: str, value: str) -> str:
    return named(name.partition("[")[0], value, KEEPS)


def _stage(name: str, stage: int) -> int:
    """Return a stage of ZeRO, by the name of its option."""
    return integer_at_least(name.partition("[")[0], one_of(name.partition("[")[0], stage, STAGES), 0)


def _stages(name: str, stages: Sequence[int]) -> tuple[int, ...]:
    found = each(name, stages, _stage)
    if not found:
        raise ValueError(f"{name} must hold at least one stage, got {stages!r}")
    return found


def _data_ranks(data: int | None, others: int, cluster: Cluster) -> int:
    if data is not None:
        if positive_integer("data", data) * others != cluster.gpus:
            sizes = f"{cluster.gpus} GPUs over tensor × pipeline × context = {others}"
            raise ValueError(f"data must be the {sizes}, got {data}")
        return data
    if cluster.gpus % others:
        raise ValueError(f"tensor × pipeline × context must divide the {cluster.gpus} GPUs, got {others}")
    return cluster.gpus // others


def _usual_keep(model: Transformer) -> str:
    """Return what layers make again unless it is said: as much as must go, where the book knows each tensor's price."""
    gated = model.experts is None and model.feed_forward is not None and model.feed_forward.gated
    return "some" if gated and isinstance(model.attention, Attention) else "none"


def _written_plan(job: PlannedJob, written: str) -> Plan | str:
    """Return the plan of a layout that was typed, or why it cannot run."""
    try:
        found = read_layout(written, gpus=job.cluster.gpus)
    except ValueError as error:
        if str(error).startswith("t × p"):  # the sizes are no product of the GPUs
            return str(error)
        raise ValueError(re.sub("^written", "why", str(error))) from None
    keep = found.keep if re.search(r"recompute|keep", written, re.IGNORECASE) else _usual_keep(job.model)
    try:
        return _given_plan(job, replace(found.layout, uneven=found.layout.chunks == 1), keep)
    except ValueError as error:
        return str(error)


def _given_plan(job: PlannedJob, layout: Layout, keep: str) -> Plan:
    """Return the plan of one layout of a job."""
    return layout_plan(
        job.model,
        job.cluster,
        layout,
        keep=keep,
        tokens_per_step=job.tokens_per_step,
        sequence=job.sequence,
        constants=job.constants,
        dtype=job.dtype,
        recipe=job.recipe,
        attention=job.attention,
        mask=job.mask,
        free_share=job.free_share,
        run_tokens=job.run_tokens,
        usd_per_gpu_hour=job.usd_per_gpu_hour,
    )


# From plans to what is printed.


def _placed(plans: Plans, place: int) -> Plan:
    if not plans.best:
        raise ValueError(f"of {plans.tried:,} layouts none fits; nearest: {_nearest(plans)}")
    if place > len(plans.best):
        raise ValueError(f"why must be a layout, or a place of at most {len(plans.best)}, got {place}")
    return plans.best[place - 1]


def _nearest(plans: Plans) -> str:
    """Return the layout whose memory is the least too much; where there is none, a reason of each kind."""
    over = next((refused for refused in plans.refusals if refused.kind == "memory"), None)
    return f"{over.where} {over.reason}" if over else _examples(plans)


def _examples(plans: Plans) -> str:
    kinds = {refused.kind: refused for refused in plans.refusals}
    return f"For example: {'; '.join(f'{refused.where}: {refused.reason}' for refused in kinds.values())}."


def _hint(plans: Plans) -> str:
    """Return a batch that can be dealt, where the GPUs have an odd factor that the batch has not."""
    gpus, batch = plans.cluster.gpus, plans.batch_sequences
    odd = gpus // (gpus & -gpus)
    if plans.tried or "sequences" not in plans.refused or batch % odd == 0:
        return ""
    step = odd * 2 ** max(0, round(math.log2(batch / odd)))
    return (
        f"{batch:,} sequences are no multiple of {odd}, an odd factor of the GPUs; {step:,} are:"
        f" --tokens {step * plans.job.sequence}."
    )


def _rounder_batch(plans: Plans) -> str:
    """Return a batch near the one that was asked for that can be dealt in more ways, where some were refused for it."""
    batch, refused = plans.batch_sequences, plans.refused.get("sequences", 0)
    step = 2 ** max(0, (batch // 8).bit_length() - 1)
    if not refused or batch % step == 0:
        return ""
    rounder = round(batch / step) * step
    tokens = rounder * plans.job.sequence
    return f"{batch:,} sequences rule out {refused} cuts that {rounder:,} may allow: --tokens {tokens}."


def _table_screen(plans: Plans, shown: int, *, distinct: bool) -> Screen:
    """Return the best layouts as a table, and what was tried and refused."""
    listed = dict(enumerate(plans.best, start=1))
    if distinct:
        listed = {place: one for place, one in listed.items() if one in plans.distinct}
    listed = dict(itertools.islice(listed.items(), shown))
    job, accuracy, over = plans.job, _accuracy(plans), plans.refused.get("memory", 0)
    lines = [_job_line(plans), ""]
    if plans.best:
        lines += [*_table(listed), ""]
        lines += [f"{_within(plans)}. The model cannot tell these apart: measure a few."]
        lines += [*_wrapped(accuracy["sentence"]), *_wrapped(_rounder_batch(plans)), ""]
    else:
        lines += ["No layout fits.", *_wrapped(_hint(plans)), *([] if over else _wrapped(_examples(plans))), ""]
    limit = f"{job.limit_bytes / 1e9:.4g} GB ({job.free_share:.0%} of {plans.cluster.memory_bytes / 1e9:.4g} kept free)"
    lines.append(f"Tried {plans.tried:,}: {plans.fitting:,} fit in {limit}, {over:,} do not.")
    lines += [f"Nearest to fitting: {_nearest(plans)}."] if over else []
    if others := {kind: count for kind, count in plans.refused.items() if kind != "memory"}:
        counted = ", ".join(f"{count:,} by {kind}" for kind, count in others.items())
        lines.append(f"Groups of sizes that cannot run: {counted}.")
    share, source = plans.constants.matmul_share, plans.constants.source
    lines += _wrapped(f"Assumed: large matmuls reach {share:.0%} of the peak. Sources: {source}.")
    if plans.best:
        lines += ["", "--why 1 shows where its time and memory go, --flags megatron how to run it."]
    return Screen(tuple(lines), _record(plans, listed, accuracy))


def _wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, WIDTH, break_on_hyphens=False)


def _job_line(plans: Plans) -> str:
    job, cluster = plans.job, plans.cluster
    step_size = f"{job.batch_sequences:,} sequences of {job.sequence:,} tokens a step"
    gpu = cluster.machine.accelerator
    name = gpu.name if ACCELERATORS.get(gpu.name) == gpu else f"GPUs of your own, else like {gpu.name}"
    return f"{plans.model.name} on {cluster.gpus:,} {name}, {step_size}, {job.dtype}"


def _within(plans: Plans) -> str:
    many = "1 layout is" if plans.near == 1 else f"{plans.near:,} layouts are"
    return f"{many} predicted within {NEAR:.0%} of the fastest"


_WRITTEN = {"days": "{:.1f}".format, "usd": lambda usd: f"${float(f'{usd:.3g}'):,.0f}"}


def _table(listed: Mapping[int, Plan]) -> list[str]:
    """Return plans in columns."""
    head = ["", "layout", "step", "MFU", "memory"]
    rows = [
        [str(place), _line(one), _seconds(one.total_s), f"{one.mfu:.1%}", f"{one.memory.total / 1e9:.1f} GB"]
        for place, one in listed.items()
    ]
    for name, field in (("days", "days"), ("price", "usd")):
        values = [getattr(one, field) for one in listed.values()]
        if None not in values:
            head.append(name)
            rows = [[*row, _WRITTEN[field](value)] for row, value in zip(rows, values, strict=True)]
    return _columns(head, rows)


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with cells below each other."""
    wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return ["  ".join(f"{cell:{size}}" for cell, size in zip(row, wide, strict=True)).rstrip() for row in (head, *rows)]


def _accuracy(of: Plans | Plan) -> dict[str, Any]:
    """Return how exact predictions of this kind were on measured runs."""
    job = of.job
    found = accuracy_of(job.cluster.machine.accelerator, job.dtype, job.model)
    return {name: getattr(found, name) for name in ("rows", "median_error", "regret", "rank_correlation", "sentence")}


def _record(plans: Plans, listed: Mapping[int, Plan], accuracy: Mapping[str, Any]) -> dict[str, Any]:
    """Return what JSON has of a search."""
    return {
        "model": plans.model.name,
        "gpus": plans.cluster.gpus,
        "batch_sequences": plans.batch_sequences,
        "sequence": plans.job.sequence,
        "limit_bytes": plans.job.limit_bytes,
        "constants": plans.constants,
        "tried": plans.tried,
        "fitting": plans.fitting,
        "within_a_tenth": plans.near,
        "refused": plans.refused,
        "accuracy": accuracy,
        "plans": [{"place": place, **_plan_record(one)} for place, one in listed.items()],
    }


def _plan_record(one: Plan) -> dict[str, Any]:
    record: dict[str, Any] = {"layout": one.layout, "keep": one.keep, "dropped": one.dropped, "step_s": one.total_s}
    record |= {"terms_s": one.step.terms, "remade_s": one.remade_s, "mfu": one.mfu}
    record |= {"tokens_per_s_per_gpu": one.tokens_per_s_per_gpu, "memory_bytes": one.memory}
    return record | {"fits": one.fits, "spare_bytes": one.spare_bytes, "days": one.days, "usd": one.usd}


def _plan_rows(one: Plan, *, first: Plan | None) -> tuple[Row, ...]:
    """Return one plan in rows: time by term, memory by kind, whether it fits, days and price."""
    model_of = "Predicted by ``step_time``, chapters 26 and 27: the terms below, added."
    rows = [
        Row(
            "layout", layout_line(one.layout, keep=one.keep), note=f"{one.layout.ranks:,} GPUs. Letters as in the book."
        ),
        Row("step", one.total_s, "s", note=model_of),
    ]
    rows += [
        Row(f"time: {name}", one.step.terms[name], "s", note=said)
        for name, said in _TERMS.items()
        if one.step.terms[name]
    ]
    if one.dropped:
        note = f"Each layer drops {', '.join(one.dropped)}. Part of the term compute."
        rows.append(Row("making dropped tensors again", one.remade_s, "s", note=note))
    if first is not None and one.total_s > first.total_s:
        slower = one.total_s / first.total_s - 1
        rows.append(Row("slower than the fastest", slower, "share", note=f"The fastest takes {first.total_s:.4g} s."))
    rows += [
        Row("MFU", one.mfu, "share", note="Model FLOPs over what all GPUs could do in the step."),
        Row("tokens a second and GPU", one.tokens_per_s_per_gpu, note="Tokens of the step over its time and GPUs."),
        Row("memory", one.memory.total, "bytes", note="Of the fullest GPU, by ``rank_memory``, chapters 26 and 27."),
    ]
    rows += [Row(f"memory: {kind}", getattr(one.memory, kind), "bytes", note=said) for kind, said in _KINDS.items()]
    printed, free = one.job.cluster.memory_bytes / 1e9, one.job.free_share
    kept = f", with {free:.0%} kept free" if free else ""
    rows += [
        Row("left", one.spare_bytes, "bytes", note=f"Of {printed:.4g} GB as printed{kept}."),
        Row("fits", one.fits, note="Whether nothing negative is left."),
    ]
    if not one.fits and one.keep != "full":
        rows.append(_twice_row(one))
    if one.days is not None:
        note = "Tokens of the run over those of a step, times its time; without interruptions."
        rows.append(Row("run", one.days * DAY_S, "s", note=note))
    if one.usd is not None:
        rows.append(Row("price", one.usd, "USD", note="Time of the run on all GPUs, at the price given."))
    share, source = one.job.constants.matmul_share, one.job.constants.source
    rows.append(Row("large matmuls reach", share, "share", note=f"Of the peak. {source}."))
    rows.append(Row("measured runs", _accuracy(one)["sentence"], note="``plan --check`` lists them."))
    return tuple(rows)


def _twice_row(one: Plan) -> Row:
    """Return what becomes of a layout that does not fit when its layers run twice."""
    again = _given_plan(one.job, one.layout, "full")
    said = (
        f"fits, {_seconds(again.total_s)} a step"
        if again.fits
        else f"does not fit by {-again.spare_bytes / 1e9:.1f} GB"
    )
    return Row("with recompute=full", said, note="Each layer keeps its input alone, and runs forward twice.")


def _line(one: Plan) -> str:
    return layout_line(one.layout, keep=one.keep)


def _seconds(seconds: float) -> str:
    return f"{seconds:.4g} s" if seconds >= 1 else f"{seconds * 1e3:.4g} ms"


def _first_flags(plans: Plans, system: str) -> Screen:
    """Return the fastest plan that a system can run, and why not those before it."""
    reason = ""
    for place, one in enumerate(plans.best or (_placed(plans, 1),), start=1):
        try:
            screen = _flags_screen(one, system)
        except ValueError as error:
            if str(error).startswith("flags"):
                raise
            reason = reason or str(error)
            continue
        above = f"# place {place} of the list, the first that it can run; not place 1: {reason}"
        return screen if place == 1 else Screen((above, *screen.lines), {"place": place, **screen.record})
    raise ValueError(f"of the best {len(plans.best)} layouts {system} can run none; the first: {reason}")


def _flags_screen(one: Plan, system: str) -> Screen:
    """Return a plan as what a system reads."""
    system = named("flags", system, SYSTEMS, aliases={"Megatron": "Megatron-LM", "titan": "torchtitan"})
    job = one.job
    written = layout_flags(
        one.layout,
        system=system,
        model=job.model,
        sequence=job.sequence,
        batch_sequences=job.batch_sequences,
        dropped=one.dropped,
        node=job.cluster.node,
        dtype=job.dtype,
    )
    return Screen(tuple(written.splitlines()), {"system": system, "text": written, "plan": _plan_record(one)})


def _check_screen(path: str) -> Screen:
    """Return the table of how exact the predictions are on measured runs, the book's or those of a file."""
    try:
        groups, unused = read_measured(path) if path else (judged_groups(), unused_rows())
    except ValueError as error:
        raise ValueError(re.sub(r"^path\b", "measured", str(error))) from None
    columns = accuracy_table(groups if path else None)
    cells = [[_measure(name, value) for name, value in zip(columns, row, strict=True)] for row in _rows(columns)]
    lines = _columns([*columns], cells)
    if reasons := Counter(row.reason for row in unused):
        lines += [
            "",
            *(f"Not predicted, {count} row{'s' * (count > 1)}: {reason}." for reason, count in reasons.items()),
        ]
    keys = [re.sub(r"\W+", "_", name).strip("_") for name in columns]
    record = {"measured": [dict(zip(keys, row, strict=True)) for row in _rows(columns)], "not_predicted": dict(reasons)}
    if path:
        steps = [step for found in groups.values() for step in found]
        predicted = [step.predicted().total for step in steps]
        record["rows"] = [
            {"name": step.name, "measured_s": step.seconds, "predicted_s": seconds, "error": step.error}
            for step, seconds in zip(steps, predicted, strict=True)
        ]
        cells = [
            [_seconds(step.seconds), _seconds(seconds), f"{step.error:+.1%}", shorten(step.name, 70, placeholder=" …")]
            for step, seconds in zip(steps[:MOST_SHOWN], predicted, strict=False)
        ]
        lines += ["", *_columns(["measured", "predicted", "off by", "row"], cells)]
    return Screen(tuple(lines), record)


def _rows(columns: Mapping[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    return [*zip(*columns.values(), strict=True)]


def _measure(name: str, value: Any) -> str:
    """Return an entry of the table: a share in percent, a correlation as it is, a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}" if "correlation" in name else f"{value:.1%}"
    return str(value)
