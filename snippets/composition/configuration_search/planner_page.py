"""Drawings: what the page Planner answers to a setting: plain data in, plain data out, for build and browser."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.exported import layout_flags
from snippets.composition.configuration_search.judged import accuracy_of
from snippets.composition.configuration_search.planner import Plan, Plans, layout_plan, plan
from snippets.composition.configuration_search.planner_calls import command_of, python_of
from snippets.composition.configuration_search.planner_fields import ANY, Asked, read_setting, refused_field
from snippets.composition.configuration_search.written_layouts import cut_line, layout_line, line_parts, read_layout
from snippets.composition.layouts import Layout
from snippets.domain import flag
from snippets.models import Attention, Transformer, parameter_count

SYSTEMS = ("Megatron-LM", "torchtitan", "DeepSpeed")
CHOSEN = "chosen"
RECORDED = "planner_accuracy.json"
MOST, MOST_QUICK = 100, 20  # layouts that an answer lists
LONG_SEQUENCE = 32_768  # up to here a sequence is seldom cut
_MEMORY = ("weights", "gradients", "optimizer", "activations", "buffers")
_SHOWN_REFUSED = 2  # of each kind


def planned_page(setting: Mapping[str, str], *, quick: bool = False) -> dict[str, Any]:
    """Return what the page answers to a setting.

    Args:
        setting: field of ``FIELDS`` → its text, and ``"chosen"`` → the layout in a line whose terms are wanted; by
            default the fastest.
        quick: whether to try only the layouts among which the fastest mostly is, for a first list.

    Returns:
        Numbers, texts, lists and mappings alone: ``{"errors": {field: sentence}}`` where a field cannot be read, else
        the job, the constants, the rows from the fastest on, what was refused, the chosen layout and what to copy.

    Raises:
        ValueError: ``setting`` is no mapping.

    Example:
        >>> planned_page({"nodes": "0"})
        {'errors': {'nodes': 'Nodes must be an integer of at least 1, got 0'}}
    """
    asked, errors = read_setting(setting)
    if asked is None:
        return {"errors": errors}
    try:
        plans = _plans(json.dumps(asked.changed, sort_keys=True), flag("quick", quick))
    except ValueError as error:
        field, sentence = refused_field(error, "model")
        return {"errors": {field: sentence}}
    line, distinct = str(setting.get(CHOSEN) or "").strip(), plans.distinct
    return {
        "errors": {},
        "changed": dict(asked.changed),
        "quick": quick,
        "job": _job(asked, plans),
        "constants": {"matmul_share": plans.constants.matmul_share, "source": plans.constants.source},
        "counts": {"tried": plans.tried, "fitting": plans.fitting, "close": plans.near},
        "accuracy": accuracy_sentence(asked),
        "rows": [_row(number, found, plans, distinct) for number, found in enumerate(plans.best, 1)],
        "refused": _refused(plans),
        "chosen": _chosen(line, asked, plans),
        "texts": {"csv": plans_csv(plans), "command": command_of(asked), "python": python_of(asked)},
    }


@lru_cache(maxsize=4)
def _plans(changed_json: str, quick: bool) -> Plans:
    """Return the layouts of a setting, kept so that another layout of the list can be looked at without a search."""
    asked, _ = read_setting(json.loads(changed_json))
    assert asked is not None
    limits = _first_look(asked) if quick else asked.limits
    return plan(asked.model, asked.cluster, limits=limits, most=MOST_QUICK if quick else MOST, **_how(asked))


def _first_look(asked: Asked) -> Limits:
    """Return narrower limits: what only seldom makes the fastest layout is left out, unless the reader has named it."""
    limits, values = asked.limits, asked.values
    narrower: dict[str, Any] = {}
    if values["stage"] is None:
        narrower["stage"] = (1, 3)
    if values["recompute"] == ANY:
        narrower["recompute"] = tuple(keep for keep in limits.recompute if keep != "none" or not _can_drop(asked.model))
    if values["context"] is None and values["sequence"] <= LONG_SEQUENCE:
        narrower["context"] = (1,)
    return replace(limits, **narrower)


def _can_drop(model: Transformer) -> bool:
    """Return whether layers can drop some tensors; where none has to go, that is to keep all."""
    block = model.feed_forward
    return model.experts is None and block is not None and block.gated and isinstance(model.attention, Attention)


def accuracy_sentence(asked: Asked) -> str:
    """Return how well such answers did on measured runs.

    Args:
        asked: the setting, read.
    """
    accelerator, experts = asked.cluster.machine.accelerator, asked.model.experts is not None
    known = recorded_accuracy().get(accuracy_key(accelerator.name, asked.values["dtype"], experts=experts))
    return known or accuracy_of(accelerator, asked.values["dtype"], asked.model).sentence


def accuracy_key(accelerator: str, dtype: str, *, experts: bool) -> str:
    """Return the name of a kind of answers: those for a device, a format and a sort of model.

    Args:
        accelerator: the device's name.
        dtype: the format.
        experts: whether the model has experts.

    >>> accuracy_key("H100 SXM", "fp8", experts=False)
    'H100 SXM, fp8, dense'
    """
    return f"{accelerator}, {dtype}, {'experts' if experts else 'dense'}"


@cache
def recorded_accuracy() -> Mapping[str, str]:
    """Return the sentences that the build has put beside this file for a browser, which has no measured rows."""
    recorded = Path(__file__).with_name(RECORDED)
    return json.loads(recorded.read_text(encoding="utf-8")) if recorded.is_file() else {}


def _how(asked: Asked) -> dict[str, Any]:
    """Return what ``plan`` and ``layout_plan`` are given besides model, cluster and limits."""
    values = asked.values
    given: dict[str, Any] = {"tokens_per_step": values["tokens"], "sequence": values["sequence"]}
    given |= {"dtype": values["dtype"], "constants": asked.constants}
    if values["run_tokens"] is not None:
        given["run_tokens"] = values["run_tokens"]
        if values["usd"] is not None:
            given["usd_per_gpu_hour"] = values["usd"]
    return given


def _job(asked: Asked, plans: Plans) -> dict[str, Any]:
    memory = asked.cluster.memory_bytes
    return {
        "model": asked.model.name,
        "parameters": parameter_count(asked.model),
        "gpus": asked.cluster.gpus,
        "accelerator": asked.cluster.machine.accelerator.name,
        "nodes": asked.cluster.nodes,
        "node": asked.cluster.machine.name,
        "dtype": asked.values["dtype"],
        "sequence": plans.job.sequence,
        "batch_sequences": plans.batch_sequences,
        "tokens": plans.job.tokens_per_step,
        "tokens_asked": asked.values["tokens"],
        "run_tokens": asked.values["run_tokens"] or 0,
        "usd_per_gpu_hour": asked.values["usd"] or 0,
        "memory_gb": memory / 1e9,
        "room_gb": memory * (1 - asked.limits.free_share) / 1e9,
    }


def _row(number: int, found: Plan, plans: Plans, distinct: Sequence[Plan]) -> dict[str, Any]:
    return {
        "rank": number,
        "layout": layout_line(found.layout, keep=found.keep),
        "cut": cut_line(found.layout),
        "keep": found.keep,
        "seconds": found.total_s,
        "mfu": found.mfu,
        "memory_gb": found.memory.total / 1e9,
        "days": found.days or 0,
        "usd": found.usd or 0,
        "close": number <= len(plans.shortlist),
        "distinct": found in distinct,
    }


def _refused(plans: Plans) -> list[dict[str, Any]]:
    """Return how many layouts each kind of reason refuses, and some of them, the most frequent kind first."""
    examples: dict[str, list[list[str]]] = {}
    for each in plans.refusals:
        examples.setdefault(each.kind, []).append([each.where, each.reason])
    kinds = sorted(plans.refused.items(), key=lambda pair: -pair[1])
    return [
        {"kind": kind, "count": count, "examples": examples.get(kind, [])[:_SHOWN_REFUSED]} for kind, count in kinds
    ]


def _chosen(line: str, asked: Asked, plans: Plans) -> dict[str, Any]:
    """Return the terms of the layout that was asked for, or of the fastest; or why it cannot run."""
    if not line:
        return _told(plans.best[0], asked, plans, 1) if plans.best else {}
    for number, found in enumerate(plans.best, 1):
        if layout_line(found.layout, keep=found.keep) == line:
            return _told(found, asked, plans, number)
    try:
        wanted = read_layout(line, gpus=asked.cluster.gpus)
        cut = _dealt(wanted.layout, asked.model.layers)
        found = layout_plan(
            asked.model,
            asked.cluster,
            cut,
            keep=wanted.keep,
            free_share=asked.limits.free_share,
            **_how(asked),
        )
    except ValueError as error:
        return {"layout": line[:200], "rank": 0, "reason": f"It cannot run: {error}."}
    return _told(found, asked, plans, 0)


def _dealt(layout: Layout, layers: int) -> Layout:
    """Return a layout whose stages may differ by a layer where no even cut is possible, as in a search."""
    p = layout.pipeline
    even = layers % p == 0 or (layers + 2) % p == 0
    return layout if even or p > layers or layout.chunks > 1 else replace(layout, uneven=True)


def _told(found: Plan, asked: Asked, plans: Plans, number: int) -> dict[str, Any]:
    terms = dict(found.step.terms)
    terms["compute"] -= found.remade_s
    over = -found.spare_bytes / 1e9
    return {
        "layout": layout_line(found.layout, keep=found.keep),
        "rank": number,
        "reason": "" if found.fits else f"It does not fit: {over:.1f} GB more than may be filled.",
        "parts": dict(line_parts(found.layout, keep=found.keep)),
        "seconds": found.total_s,
        "mfu": found.mfu,
        "tokens_per_s_per_gpu": found.tokens_per_s_per_gpu,
        "slower": found.total_s / plans.best[0].total_s - 1 if plans.best else 0,
        "terms": {"compute": terms.pop("compute"), "made again": found.remade_s, **terms},
        "memory": {name: getattr(found.memory, name) / 1e9 for name in _MEMORY},
        "memory_gb": found.memory.total / 1e9,
        "dropped": list(found.dropped),
        "days": found.days or 0,
        "usd": found.usd or 0,
        "flags": {system: _flags(system, found, asked, plans) for system in SYSTEMS},
    }


def _flags(system: str, found: Plan, asked: Asked, plans: Plans) -> str:
    """Return a layout as a system takes it, or why it has no way to say it."""
    try:
        return layout_flags(
            found.layout,
            system=system,
            model=asked.model,
            sequence=plans.job.sequence,
            batch_sequences=plans.batch_sequences,
            dropped=found.dropped,
            node=asked.cluster.machine,
            dtype=asked.values["dtype"],
        )
    except ValueError as error:
        return f"# {system} cannot run this layout: {error}\n"


def plans_csv(plans: Plans) -> str:
    """Return the layouts of a search as CSV: sizes, seconds by term, bytes by kind, days and dollars.

    Args:
        plans: what ``plan`` has found.
    """
    written = io.StringIO()
    rows = [_csv_row(number, found) for number, found in enumerate(plans.best, 1)]
    if rows:
        writer = csv.DictWriter(written, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return written.getvalue()


def _csv_row(number: int, found: Plan) -> dict[str, Any]:
    memory = {f"{name}_bytes": round(getattr(found.memory, name)) for name in _MEMORY}
    return {
        "rank": number,
        **line_parts(found.layout, keep=found.keep),
        "step_s": f"{found.total_s:.6g}",
        "mfu": f"{found.mfu:.4f}",
        **{f"{name}_s": f"{seconds:.6g}" for name, seconds in found.step.terms.items()},
        "made_again_s": f"{found.remade_s:.6g}",
        "memory_bytes": round(found.memory.total),
        **memory,
        "days": f"{found.days:.6g}" if found.days else "",
        "usd": f"{found.usd:.6g}" if found.usd else "",
    }
