"""Formulas: measured training steps of all kinds, what the model of a step predicts for each, and how well it does.

Beside this file, in ``measured/``: vtrain_multi.csv and vtrain_single.csv are of VIA-Research/vTrain,
data/ground_truth_multi.csv and ground_truth_single.csv at f8dda84, half of their rows, MIT License, Copyright (c) 2024
VIA Research Group at KAIST. published_steps.csv holds facts from logs and tables, each with its source and its place.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from snippets.composition.layouts import Layout
from snippets.composition.published_steps import TORCHTITAN_NODE, VTRAIN_NODE, PublishedStep, published_steps
from snippets.composition.rank_errors import choice_regret, median_error, ordered_pairs_share, rank_correlation
from snippets.composition.rank_memory import held_recipe
from snippets.composition.step_constants import MEGATRON_A100, device_constants
from snippets.domain import Answers, each, named, of_kind, text
from snippets.hardware import ACCELERATORS, DTYPES, NODES, Accelerator
from snippets.models import MODELS, Attention, Experts, FeedForward, LatentAttention, Transformer, gpt_like
from snippets.recipes import RECIPES

APART = 0.2  # pairs are said to be predicted apart from this share on
NEAR = 0.1  # what the model cannot tell apart
LEAST_ROWS_OF_A_JOB = 5  # fewer layouts of one job have no order to speak of

MEASURED = Path(__file__).parent / "measured"
_MULTI = "VIA-Research/vTrain, data/ground_truth_multi.csv at f8dda84"
_SINGLE = "VIA-Research/vTrain, data/ground_truth_single.csv at f8dda84"

# Models that only this table needs: what the catalogue leaves out, since its records do not describe it exactly, and
# with DeepSeek-V3 the layer that predicts a second token.
_V3 = MODELS["DeepSeek-V3"]
_OWN_MODELS = {
    "DeepSeekV3": replace(
        _V3,
        name="DeepSeek-V3 with its layer for a second token",
        layers=_V3.layers + 1,
        expert_layers=_V3.expert_layers + 1,
    ),
    "Kimi_K2": Transformer(
        name="Kimi K2",
        layers=61,
        hidden=7168,
        vocabulary=163840,
        attention=LatentAttention(
            heads=64, query_rank=1536, key_value_rank=512, head_size=128, rotary_size=64, value_size=128
        ),
        feed_forward=FeedForward(18432, gated=True),
        experts=Experts(experts=384, per_token=8, width=2048, shared=1, router_bias=True),
        expert_layers=60,
        source="Megatron Bridge, KimiK2Provider; the attention's ranks are DeepSeek-V3's",
    ),
    "GPT OSS 120B": Transformer(
        name="GPT-OSS 120B",
        layers=36,
        hidden=2880,
        vocabulary=201088,
        attention=Attention(64, 8, 64, query_key_value_bias=True, output_bias=True),
        feed_forward=None,
        experts=Experts(experts=128, per_token=4, width=2880),
        expert_layers=36,
        source="openai/gpt-oss-120b config.json; every other layer sees 128 tokens alone, which is left out here",
    ),
    "GPT3-20B": replace(
        gpt_like("GPT-3 20B", layers=44, hidden=6144, heads=48, positions=2048),
        vocabulary=51200,
        source="NeMo Framework Launcher, conf/training/gpt3/20b.yaml",
    ),
}
_MODEL_NAMES = {
    "Llama 3.1 405B": "Llama 3 405B",
    "Llama 3.1 70B": "Llama 3 70B",
    "Llama 3.1 8B": "Llama 3 8B",
    "LLAMA3.1_405B": "Llama 3 405B",
    "LLAMA3_70B": "Llama 3 70B",
    "LLAMA3_8B": "Llama 3 8B",
    "LLAMA3-70B": "Llama 3 70B",
    "LLAMA2-13B": "Llama 2 13B",
    "LLAMA2-70B": "Llama 2 70B",
    "Qwen3_235B_a22B": "Qwen3 235B-A22B",
    "Qwen3_30B_a3B": "Qwen3 30B-A3B",
    "DeepSeekV3 (w/o MTP)": "DeepSeek-V3",
}
_UNKNOWN_MODELS = {
    "Nemotron_3_Nano": "a hybrid with Mamba layers, which the records of models cannot describe",
    "Nemotron_3_Super": "a hybrid with Mamba layers, which the records of models cannot describe",
    "Nemotron_3_Ultra": "a hybrid with Mamba layers, which the records of models cannot describe",
    "Nemotron-8B": "no published configuration was found",
}
_NODE_NAMES = {
    "H100": "DGX H100",
    "B200": "DGX B200",
    "B300": "DGX B300",
    "GB200": "GB200 NVL72",
    "GB300": "GB300 NVL72",
}
_DTYPES = {
    "BF16": "bf16",
    "FP8": "fp8",
    "FP8-CS": "fp8",
    "FP8-CS (FP8-MX)": "fp8",
    "FP8-MX": "fp8",
    "MXFP8": "fp8",
    "NVFP4": "fp4",
}


# What layers make again in Megatron Bridge's runs, by model, device and format: its tables do not say, but the settings
# of these runs do (NVIDIA-NeMo/Megatron-Bridge, scripts/performance/configs: deepseek, gpt_oss).
_MODULES = {
    ("DeepSeekV3", "GB300", "bf16"): ("moe_act",),
    ("DeepSeekV3", "GB200", "bf16"): ("mla_up_proj",),
    ("DeepSeekV3", "GB200", "fp8"): ("mla_up_proj",),
    ("DeepSeekV3", "B300", "bf16"): ("mla_up_proj",),
    ("DeepSeekV3", "B300", "fp8"): ("mla_up_proj",),
    ("DeepSeekV3", "B200", "bf16"): ("mla_up_proj",),
    ("DeepSeekV3", "B200", "fp8"): ("mla_up_proj",),
    ("GPT OSS 120B", "GB200", "bf16"): ("layernorm", "moe_act"),
    ("GPT OSS 120B", "B200", "bf16"): ("layernorm", "moe_act"),
    ("GPT OSS 120B", "H100", "bf16"): ("layernorm", "moe_act"),
}


class UnusedRow(NamedTuple):
    """A measured row that no prediction is made for, and why.

    >>> UnusedRow("a", "no layout").reason
    'no layout'
    """

    name: str
    reason: str


def judged_groups() -> dict[str, tuple[PublishedStep, ...]]:
    """Return all measured steps that can be predicted, by group.

    Formula: $T_i$
    Symbols: T_i = seconds of the rows
    Chapter: 29

    Returns:
        Rows by the name of their group: vTrain's two models on many nodes, its small ones on one; Megatron's papers;
        MLPerf and Megatron Bridge by device and format, dense models and experts apart; NeMo's launcher; torchtitan;
        Llama 3's own.

    Source: each row's own.
    Convention: seconds of one optimizer step. Of rows of Megatron Bridge with one layout, the newest release counts.
        "vTrain one node" is predicted without recomputation: its rows look so, whatever their configurations say.
        Where a table names no recomputation, none is assumed, but in the memory of Megatron Bridge's runs what their
        settings name.
    Leaves out: the rows that ``unused_rows`` lists.

    Example:
        >>> groups = judged_groups()
        >>> len(groups["vTrain one node"]), len(groups["MLPerf H100 fp8"])
        (723, 3)
    """
    return dict(_groups())


@cache
def _groups() -> dict[str, tuple[PublishedStep, ...]]:
    groups: dict[str, list[PublishedStep]] = {}
    for row in (*_multi_rows(), *_single_rows(), *_paper_rows(), *_table()[0]):
        groups.setdefault(row.group, []).append(row)
    return {name: tuple(rows) for name, rows in groups.items()}


def unused_rows() -> tuple[UnusedRow, ...]:
    """Return the rows of published_steps.csv that are not predicted, each with its reason.

    Formula: $\\{i : T_i \\text{ is not predicted}\\}$
    Symbols: T_i = seconds of the rows
    Chapter: 29

    Returns:
        Names and reasons, in the order of the file.

    Source: the rows themselves.
    Convention: the first reason.
    Leaves out: nothing.

    Example:
        >>> sum("Mamba" in row.reason for row in unused_rows())
        27
    """
    return tuple(_table()[1])


def _read(name: str) -> list[dict[str, str]]:
    with (MEASURED / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _vtrain_model(name: str, row: dict[str, str]) -> Transformer:
    sizes: dict[str, Any] = {part: int(row[part]) for part in ("layers", "hidden", "heads")}
    return replace(gpt_like(name, positions=int(row["sequence"]), **sizes), vocabulary=51200)


def _vtrain_step(group: str, model: Transformer, row: dict[str, str], *, recompute: str, source: str) -> PublishedStep:
    layout = Layout(
        tensor=int(row["tensor"]),
        pipeline=int(row["pipeline"]),
        data=int(row["data"]),
        micro_batch=int(row["micro_batch"]),
        stage=0,
        recompute=recompute,
        sequence_parallel=False,
    )
    return PublishedStep(
        name=f"{group}: {model.name}, batch {row['batch']}, t {layout.tensor}, p {layout.pipeline}, d {layout.data},"
        f" b {layout.micro_batch}",
        group=group,
        model=model,
        node=VTRAIN_NODE,
        layout=layout,
        batch_sequences=int(row["batch"]),
        sequence=int(row["sequence"]),
        seconds=float(row["milliseconds"]) / 1e3,
        constants=MEGATRON_A100,
        source=source,
    )


def _multi_rows(table: Sequence[dict[str, str]] | None = None) -> list[PublishedStep]:
    models: dict[str, Transformer] = {}
    rows = []
    for row in _read("vtrain_multi.csv") if table is None else table:
        size = row["billions"]
        model = models.setdefault(size, _vtrain_model(f"GPT {size}B", row))
        rows.append(_vtrain_step(f"vTrain {size}B", model, row, recompute="full", source=_MULTI))
    return rows


def _single_rows(table: Sequence[dict[str, str]] | None = None) -> list[PublishedStep]:
    models: dict[tuple[str, str], Transformer] = {}
    rows = []
    for row in _read("vtrain_single.csv") if table is None else table:
        shape = row["layers"], row["hidden"]
        model = models.setdefault(shape, _vtrain_model(f"GPT {shape[0]} × {shape[1]}", row))
        rows.append(_vtrain_step("vTrain one node", model, row, recompute="none", source=_SINGLE))
    return rows


def _paper_rows() -> list[PublishedStep]:
    papers = {"Megatron 2021": "Megatron 2021", "Megatron 2022": "Megatron 2022", "Llama 3 405B": "Llama 3 paper"}
    return [replace(row, group=name) for group, name in papers.items() for row in published_steps(group)]


@cache
def _table() -> tuple[list[PublishedStep], list[UnusedRow]]:
    """Return the rows of published_steps.csv that can be predicted, and the others."""
    return _published_rows(_read("published_steps.csv"))


def _published_rows(table: Sequence[dict[str, str]]) -> tuple[list[PublishedStep], list[UnusedRow]]:
    steps: list[PublishedStep] = []
    unused: list[UnusedRow] = []
    seen: dict[tuple[object, ...], str] = {}
    # the file has the newest release of Megatron Bridge first
    for row in table:
        name = f"{row['source']}: {row['model']} on {row['gpus']} {row['device']}, {row['precision']}"
        name += f", batch {row['batch']}, {row['place']}"
        reason = _reason(row)
        if not reason:
            step = _published(name, row)
            key = (step.group, step.model.name, step.layout, step.batch_sequences, row["precision"])
            if row["source"].startswith("Megatron Bridge") and key in seen:
                reason = f"a newer release has this layout: {seen[key]}"
            else:
                seen[key] = row["source"]
                steps.append(step)
        if reason:
            unused.append(UnusedRow(name, reason))
    return steps, unused


def _reason(row: dict[str, str]) -> str:
    """Return why a row cannot be predicted, or nothing."""
    if row["model"] in _UNKNOWN_MODELS:
        return _UNKNOWN_MODELS[row["model"]]
    if not row["precision"]:
        return "the table does not name the number format"
    if _known_model(row["model"]) is None:
        return f"no model of the catalogue is called {row['model']!r}"
    if row["precision"] not in _DTYPES or (row["source"] != "torchtitan" and row["device"] not in _NODE_NAMES):
        return f"no peak of {row['device']} in {row['precision']} is known"
    return ""


def _known_model(name: str) -> Transformer | None:
    """Return a model by the name that a source's table gives it, or by the catalogue's."""
    if name in _OWN_MODELS:
        return _OWN_MODELS[name]
    try:
        return MODELS[_MODEL_NAMES.get(name, name)]
    except KeyError:
        return None


def _published(name: str, row: dict[str, str]) -> PublishedStep:
    model = _known_model(row["model"])
    assert model is not None
    torch = row["source"] == "torchtitan"
    node = TORCHTITAN_NODE if torch else NODES[_NODE_NAMES[row["device"]]]
    dtype = _DTYPES[row["precision"]]
    sizes: dict[str, Any] = {
        axis: int(row[axis] or 1) for axis in ("tensor", "pipeline", "chunks", "context", "expert")
    }
    copies = sizes["tensor"] * sizes["pipeline"] * sizes["context"]
    layout = Layout(
        **sizes,
        data=int(row["gpus"]) // copies,
        micro_batch=int(row["micro_batch"]),
        stage=3 if row["sharding"] == "3" or row["sharding"].startswith("FSDP") else 1,
        recompute=row["recompute"] or "none",
        uneven=True,
        context_kind="ring" if torch else "all_gather",
    )
    device = ACCELERATORS["H100 SXM"] if torch else node.accelerator
    return PublishedStep(
        name=name,
        group=_group(row, model, dtype),
        model=model,
        node=node,
        layout=layout,
        batch_sequences=int(row["batch"]),
        sequence=int(row["sequence"]),
        seconds=float(row["seconds"]),
        constants=device_constants(device, dtype),
        attention="flash",
        mask="half",
        dtype=dtype,
        source=f"{row['source']}, {row['place']}",
        recipe=RECIPES["fp32-adam"] if torch else held_recipe(device, dtype),
        engine="fsdp2" if torch else "megatron",
        memory_bytes=float(row["memory_GiB"]) * 2**30 if row["memory_GiB"] else None,
        offloaded=int(row["offloaded"] or 0),
        modules=_MODULES.get((row["model"].partition(" (")[0], row["device"], dtype), ()),
    )


def _group(row: dict[str, str], model: Transformer, dtype: str) -> str:
    if row["source"].startswith("MLPerf"):
        return f"MLPerf {row['device']} {dtype}"
    if row["source"].startswith("Megatron Bridge"):
        return f"Megatron Bridge {row['device']} {dtype} {'experts' if model.experts else 'dense'}"
    return "torchtitan" if row["source"] == "torchtitan" else "NeMo Launcher H100 fp8"


# What the sources' own tables call the columns that the files here have.
_COLUMNS = {
    "Parameters (billion)": "billions",
    "# GPUs": "gpus",
    "global batch": "batch",
    "micro batch": "micro_batch",
    "hidden size": "hidden",
    "attention heads": "heads",
    "# layers": "layers",
    "sequence length": "sequence",
    "tensor parallelism": "tensor",
    "data parallelism": "data",
    "pipeline parallelism": "pipeline",
    "iteration time (ms)": "milliseconds",
    "global_batch": "batch",
    "tp": "tensor",
    "pp": "pipeline",
    "vp": "chunks",
    "cp": "context",
    "ep": "expert",
    "zero_or_fsdp": "sharding",
    "step_s": "seconds",
    "memory_GiB_or_GB": "memory_GiB",
}
_PUBLISHED = ("source", "place", "model", "device", "gpus", "precision", "batch", "micro_batch", "sequence")
_CUTS = ("tensor", "pipeline", "chunks", "context", "expert")
_OF_VTRAIN = ("gpus", "batch", "micro_batch", "hidden", "heads", "layers", "sequence", "tensor", "data", "pipeline")


def read_measured(path: str) -> tuple[dict[str, tuple[PublishedStep, ...]], tuple[UnusedRow, ...]]:
    """Return the measured steps of a file of your own, by group, and the rows that cannot be predicted.

    Formula: $T_i$
    Symbols: T_i = seconds of the rows
    Chapter: 29

    Args:
        path: a CSV file with the columns of one of the files in ``measured/``, under the names that these have or that
            their sources print: of vTrain's runs, with ``billions`` on several nodes and without on one; or of
            published steps.

    Returns:
        Steps by the name of their group, and the other rows with their reasons.

    Raises:
        ValueError: if there is no such file, a column is missing or a number is none.

    Source: the file.
    Convention: as ``judged_groups``.
    Leaves out: as there.

    Example:
        >>> steps, unused = read_measured(str(MEASURED / "vtrain_multi.csv"))
        >>> {name: len(rows) for name, rows in steps.items()}, unused
        ({'vTrain 3.6B': 26, 'vTrain 39.1B': 47}, ())
    """
    try:
        with Path(text("path", path)).open(encoding="utf-8-sig", newline="") as file:
            table = [
                {_COLUMNS.get(name, name): cell or "" for name, cell in row.items()} for row in csv.DictReader(file)
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"path must be a CSV file that can be read, got {path!r}: {error}") from None
    if not table:
        raise ValueError(f"path must be a CSV file with at least one row, got {path!r}")
    unused: list[UnusedRow] = []
    try:
        if "milliseconds" in table[0]:
            _need_columns(path, table[0], (*_OF_VTRAIN, "milliseconds"))
            steps = (_multi_rows if "billions" in table[0] else _single_rows)(table)
        else:
            _need_columns(path, table[0], (*_PUBLISHED, *_CUTS, "seconds"))
            steps, unused = _own_rows(table)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"path must be a file whose numbers are sizes and times, got {path!r}: {error}") from None
    groups: dict[str, list[PublishedStep]] = {}
    for step in steps:
        groups.setdefault(step.group, []).append(step)
    return {name: tuple(rows) for name, rows in groups.items()}, tuple(unused)


def _need_columns(path: str, row: dict[str, str], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in row]
    if missing:
        raise ValueError(
            f"path must be a file with the columns {', '.join(names)}, got {path!r} without {missing[0]!r}"
        )


def _own_rows(table: Sequence[dict[str, str]]) -> tuple[list[PublishedStep], list[UnusedRow]]:
    """Return published steps as their sources write them."""
    rows, unclear = [], []
    for given in table:
        row = _as_here(given)
        doubtful = [name for name in ("micro_batch", *_CUTS) if row[name] and not row[name].isdigit()]
        if doubtful:
            name = f"{row['source']}: {row['model']} on {row['gpus']} {row['device']}, {row['place']}"
            unclear.append(UnusedRow(name, f"{doubtful[0]} is {row[doubtful[0]]!r}, no one size"))
        else:
            rows.append(row)
    steps, unused = _published_rows(rows)
    return steps, [*unclear, *unused]


def _as_here(given: dict[str, str]) -> dict[str, str]:
    """Return a row of a source's own table with the words of published_steps.csv."""
    row = {"sharding": "", "recompute": "", "memory_GiB": "", "offloaded": "", **given}
    source = row["source"].removeprefix("NVIDIA ")
    if release := re.match(r"Megatron Bridge.*?(\d\d\.\d\d[.\d]*)(?: NeMo|$)", source):
        source = f"Megatron Bridge {release[1]}"
    elif source.startswith("torchtitan"):
        source = "torchtitan"
    row["source"] = source
    row["device"] = row["device"].replace("DGX-", "").replace("DGX ", "").replace(" SXM", "").split(",")[0]
    precision = row["precision"].split(" ")[0].upper()
    row["precision"] = {"FP4": "NVFP4", "FP8-CS": "FP8"}.get(precision, precision)
    for cut in _CUTS:
        row[cut] = "" if row[cut] == "n/a" else row[cut]
    if local := re.fullmatch(r"local batch (\d+)", row["micro_batch"]):
        row["micro_batch"] = str(max(1, int(local[1]) // int(row["pipeline"] or 1)))
    row["sharding"] = {"distributed optimizer (ZeRO-1)": "1", "FSDP2 (ZeRO-3)": "3"}.get(
        row["sharding"], row["sharding"]
    )
    recompute = row["recompute"].split(" ")[0]
    row["recompute"] = recompute if recompute in ("full", "selective") else "none"
    row["memory_GiB"] = row["memory_GiB"].split(" ")[0]
    if not row["seconds"] and row.get("tokens_per_s_gpu"):
        tokens = int(row["batch"]) * int(row["sequence"])
        row["seconds"] = str(tokens / float(row["tokens_per_s_gpu"]) / int(row["gpus"]))
    return row


@dataclass(frozen=True)
class GroupAccuracy(Answers):
    """How well the model does on one group: shares, all but the counts; ``None`` where the rows have no order.

    Attributes:
        group: its name.
        rows: how many steps it has.
        jobs: how many jobs have at least five layouts in it; only layouts of one job can be ranked.
        median_error: of the predictions.
        rank_correlation: Spearman's, of predicted and measured times of a job's layouts; the mean over the jobs.
        regret: by how much the layout that is predicted fastest is slower than a job's best; the mean over the jobs.
        ordered_pairs: of the pairs of a job that are predicted 20% apart, how many were measured in that order.
        best_within: in how many of the jobs the measured best is predicted within 10% of the fastest.

    >>> group_accuracy("vTrain 3.6B").jobs
    1
    """

    group: str
    rows: int
    jobs: int
    median_error: float
    rank_correlation: float | None
    regret: float | None
    ordered_pairs: float | None
    best_within: float | None


def group_accuracy(group: str) -> GroupAccuracy:
    """Return how well the model predicts and ranks the steps of one group.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i, y_i = predicted and measured seconds; the other measures as in their own formulas, by job
    Chapter: 29

    Args:
        group: a name in ``judged_groups``.

    Returns:
        Median error; and where layouts of one job were measured, how well they are ranked.

    Source: ``judged_groups``.
    Convention: a job is one model on one number of GPUs with one batch; jobs with at least five layouts are ranked. The
        only fitted constants are MEGATRON_A100's matmul_share and launch_s, on "vTrain 39.1B". Its host_s is read off
        the fastest run of "vTrain one node", whose median error is 33% without it, and binds in no other group.
    Leaves out: errors of single rows.

    Example:
        >>> found = group_accuracy("vTrain 39.1B")
        >>> f"{found.median_error:.1%}", f"{found.regret:.1%}", f"{found.ordered_pairs:.1%}"
        ('2.1%', '0.0%', '93.4%')
    """
    return _group_accuracy(named("group", group, tuple(judged_groups())))


@cache
def _group_accuracy(group: str) -> GroupAccuracy:
    return steps_accuracy(group, judged_groups()[group])


def steps_accuracy(name: str, steps: Sequence[PublishedStep]) -> GroupAccuracy:
    """Return how well the model predicts and ranks measured steps of one kind, your own for instance.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i, y_i = predicted and measured seconds; the other measures as in their own formulas, by job
    Chapter: 29

    Args:
        name: what to call them.
        steps: the measured steps, at least one.

    Returns:
        As ``group_accuracy``.

    Source: definition.
    Convention: as ``group_accuracy``.
    Leaves out: as there.

    Example:
        >>> steps_accuracy("mine", judged_groups()["MLPerf H100 fp8"]).rows
        3
    """
    text("name", name)
    rows = each("steps", steps, lambda argument, step: of_kind(argument, step, PublishedStep))
    if not rows:
        raise ValueError("steps must hold at least one step, got none")
    times = [(_predicted_s(step), step.seconds) for step in rows]
    jobs = [(ours, theirs) for ours, theirs in _job_times(rows) if len(ours) >= LEAST_ROWS_OF_A_JOB]
    found = GroupAccuracy(
        group=name,
        rows=len(times),
        jobs=len(jobs),
        median_error=median_error([ours for ours, _ in times], [theirs for _, theirs in times]),
        rank_correlation=None,
        regret=None,
        ordered_pairs=None,
        best_within=None,
    )
    if not jobs:
        return found
    return replace(
        found,
        rank_correlation=sum(rank_correlation(*job) for job in jobs) / len(jobs),
        regret=sum(choice_regret(*job) for job in jobs) / len(jobs),
        ordered_pairs=_ordered(jobs),
        best_within=sum(_best_is_near(*job) for job in jobs) / len(jobs),
    )


@cache
def _predicted_s(step: PublishedStep) -> float:
    return step.predicted().total


def _job_times(steps: Sequence[PublishedStep]) -> list[tuple[list[float], list[float]]]:
    """Return the predicted and measured seconds of each job's layouts."""
    jobs: dict[tuple[object, ...], tuple[list[float], list[float]]] = {}
    for row in steps:
        key = (row.model.name, row.layout.ranks, row.batch_sequences, row.sequence, row.dtype)
        predicted, measured = jobs.setdefault(key, ([], []))
        predicted.append(_predicted_s(row))
        measured.append(row.seconds)
    return list(jobs.values())


def _ordered(jobs: list[tuple[list[float], list[float]]]) -> float:
    """Return the share of all jobs' pairs, predicted apart, that were measured in that order."""
    apart = [sum(x > (1 + APART) * other for x in ours for other in ours) for ours, _ in jobs]
    right = [count * ordered_pairs_share(*job, apart=APART) for count, job in zip(apart, jobs, strict=True)]
    return sum(right) / sum(apart) if sum(apart) else 1.0


def _best_is_near(predicted: list[float], measured: list[float]) -> bool:
    return predicted[measured.index(min(measured))] <= (1 + NEAR) * min(predicted)


@dataclass(frozen=True)
class Accuracy(Answers):
    """How well answers of one kind did on measured runs.

    Attributes:
        rows: measured steps of this kind, or of the nearest.
        median_error: of the predictions; ``None`` where nothing near was measured.
        regret: the largest of the groups whose layouts can be ranked, else ``None``.
        rank_correlation: the smallest of them, else ``None``.
        groups: the groups of ``judged_groups`` that were counted.
        sentence: what stands beside an answer.

    >>> accuracy_of("H100 SXM", "fp8", "Llama 3 70B").median_error < 0.1
    True
    """

    rows: int
    median_error: float | None
    regret: float | None
    rank_correlation: float | None
    groups: tuple[str, ...]
    sentence: str


# Groups by device, and which devices stand for one another, the nearest first.
_A100_GROUPS = ("vTrain 3.6B", "vTrain 39.1B", "Megatron 2021", "Megatron 2022")
_NEAREST = {
    "A100 SXM 40GB": ("A100",),
    "A100 SXM 80GB": ("A100",),
    "H100 SXM": ("H100",),
    "H100 PCIe": ("H100",),
    "H200 SXM": ("H100",),
    "B200 SXM": ("B200", "GB200", "B300", "GB300"),
    "B300 SXM": ("B300", "GB300", "B200", "GB200"),
    "GB200": ("GB200", "B200", "GB300", "B300"),
    "GB300": ("GB300", "B300", "GB200", "B200"),
}


_OLDER = (
    " They ran Megatron of 2021 to 2023, and are predicted with its constants, MEGATRON_A100, and unfused attention."
)


class _Kind(NamedTuple):
    device: str
    dtype: str
    experts: bool


def _kind_groups(kind: _Kind) -> tuple[str, ...]:
    """Return the groups of one device, format and sort of model."""
    if kind.device == "A100":
        return _A100_GROUPS if kind.dtype == "bf16" and not kind.experts else ()
    names = [f"Megatron Bridge {kind.device} {kind.dtype} {'experts' if kind.experts else 'dense'}"]
    if not kind.experts:
        names.append(f"MLPerf {kind.device} {kind.dtype}")
    if not kind.experts and kind.device == "H100":
        names += {"fp8": ["NeMo Launcher H100 fp8"], "bf16": ["Llama 3 paper"]}.get(kind.dtype, [])
    return tuple(name for name in names if name in judged_groups())


def accuracy_of(accelerator: Accelerator | str, dtype: str, model: Transformer | str) -> Accuracy:
    """Return how well answers for such a device, format and model did on measured runs, in numbers and in a sentence.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i, y_i = predicted and measured seconds of the rows of this kind
    Chapter: 29

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        dtype: of the weights' matmuls.
        model: a name in ``MODELS``, or a configuration of your own; whether it has experts is what counts.

    Returns:
        The measures of the groups of that kind; where there is none, of the nearest, and the sentence says so: another
        device of its generation, then another format, on the same sort of model.

    Source: ``judged_groups``.
    Convention: rows of the groups count together; of rank and regret the worst group counts.
    Leaves out: torchtitan's and vTrain's small runs, which are judged in their own rows of ``accuracy_table``.

    Example:
        >>> accuracy_of("H100 SXM", "fp8", "Llama 3 70B").sentence.partition(" torchtitan")[0]
        'Of 10 measured layouts of this kind the median error is 6%.'
    """
    found, experts = ACCELERATORS.find(accelerator), MODELS.find(model).experts is not None
    dtype = named("dtype", dtype, DTYPES)
    devices = _NEAREST.get(found.name, ())
    asked = "bf16" if dtype == "fp16" else dtype
    sort = "models with experts" if experts else "dense models"
    for other in (asked, *(near for near in ("fp8", "bf16", "fp4") if near != asked)):
        for device in devices:
            groups = _kind_groups(_Kind(device, other, experts))
            if groups:
                exact = other == asked and found.name.split()[0] == device
                accuracy = _pooled(groups, "" if exact else f"{sort} on {device} in {other}")
                return replace(accuracy, sentence=accuracy.sentence + _besides(device, experts=experts))
    return Accuracy(0, None, None, None, (), f"No measured run of {sort} on {found.name} or a device like it is known.")


def _besides(device: str, *, experts: bool) -> str:
    """Return what is to be said beside a median error: of older software, or of runs that are judged apart."""
    if device == "A100":
        return _OLDER
    if device != "H100" or experts:
        return ""
    found = group_accuracy("torchtitan")
    return f" torchtitan's {found.rows}, on H100s with slower memory and 500 W, were {found.median_error:.0%} off."


def _pooled(groups: tuple[str, ...], instead: str) -> Accuracy:
    times = [(_predicted_s(step), step.seconds) for group in groups for step in judged_groups()[group]]
    ranked = [found for found in map(group_accuracy, groups) if found.jobs]
    error = median(abs(ours / theirs - 1) for ours, theirs in times)
    count = f"{len(times)} measured {'layout' if len(times) == 1 else 'layouts'}"
    sentence = f"Of {count} of this kind the median error is {error:.0%}."
    if instead:
        sentence = f"No measured run of this kind is in the table. Of {count} of {instead} the median error is"
        sentence += f" {error:.0%}."
    return Accuracy(
        rows=len(times),
        median_error=error,
        regret=max((found.regret for found in ranked if found.regret is not None), default=None),
        rank_correlation=min(
            (found.rank_correlation for found in ranked if found.rank_correlation is not None), default=None
        ),
        groups=groups,
        sentence=sentence,
    )


def accuracy_table(
    groups: Mapping[str, Sequence[PublishedStep]] | None = None,
) -> dict[str, list[str | int | float | None]]:
    """Return the table of planned against measured, a column each, as ``snippets.tables.table`` shows it.

    Formula: $\\operatorname{median}_i \\left| \\frac{x_i}{y_i} - 1 \\right|$
    Symbols: x_i, y_i = predicted and measured seconds of a group's rows
    Chapter: 29

    Args:
        groups: measured steps by the name of their group; by default ``judged_groups``.

    Returns:
        Headings and their columns: the group, its rows, and the measures of ``group_accuracy``; shares as floats,
        ``None`` where the rows have no order.

    Source: ``group_accuracy``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> accuracy_table()["measured"][:2]
        ['vTrain 3.6B', 'vTrain 39.1B']
    """
    if groups is None:
        found = [group_accuracy(group) for group in judged_groups()]
    else:
        found = [steps_accuracy(name, steps) for name, steps in of_kind("groups", groups, dict).items()]
    return {
        "measured": [each.group for each in found],
        "layouts": [each.rows for each in found],
        "jobs ranked": [each.jobs or None for each in found],
        "median error": [each.median_error for each in found],
        "rank correlation": [each.rank_correlation for each in found],
        "regret": [each.regret for each in found],
        "pairs in order": [each.ordered_pairs for each in found],
        "best within 10%": [each.best_within for each in found],
    }


class MemoryRow(NamedTuple):
    """A measured row's memory: what is predicted, what was printed if it was, and what the GPU has.

    >>> MemoryRow("mine", "ours", 60.0, None, 80).share
    0.75
    """

    name: str
    group: str
    predicted_bytes: float
    printed_bytes: float | None
    memory_bytes: int

    @property
    def fits(self) -> bool:
        """Whether the GPU's printed gigabytes suffice.

        Of NVIDIA's data sheets they leave 6% of the memory free for contexts, communicators and fragments: the driver
        shows 81,559 MiB of an H100's 80 GB, 183,359 MiB of a B200's 180 and 284,208 MiB of a GB300's 279.

        >>> MemoryRow("mine", "ours", 60.0, None, 80).fits
        True
        """
        return self.predicted_bytes <= self.memory_bytes

    @property
    def share(self) -> float:
        """Predicted bytes over the GPU's.

        >>> MemoryRow("mine", "ours", 20.0, None, 80).share
        0.25
        """
        return self.predicted_bytes / self.memory_bytes


def judged_memory(group: str) -> tuple[MemoryRow, ...]:
    """Return what is predicted that a rank held in each row of a group, beside what was printed.

    Formula: $M_i$
    Symbols: M_i = rank_memory's total of the fullest stage
    Chapter: 29

    Args:
        group: a name in ``judged_groups``.

    Returns:
        The rows, in their order.

    Source: ``rank_memory`` with each row's recipe and engine.
    Convention: of the first stage and the last, the fuller.
    Leaves out: what ``rank_memory`` leaves out.

    Example:
        >>> [f"{row.predicted_bytes / row.printed_bytes - 1:+.1%}" for row in judged_memory("MLPerf H100 fp8")]
        ['-1.1%', '-1.0%', '-0.5%']
    """
    rows = judged_groups()[named("group", group, tuple(judged_groups()))]
    return tuple(
        MemoryRow(row.name, row.group, row.held().total, row.memory_bytes, row.node.accelerator.memory_bytes)
        for row in rows
    )
