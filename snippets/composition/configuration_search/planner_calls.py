"""Drawings: the page Planner's setting as a call in a terminal and in Python, to be copied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from snippets.composition.configuration_search.planner_fields import (
    ANY,
    FIELDS,
    OWN_CONFIG,
    OWN_NODE,
    OWN_WIDTHS,
    Asked,
)
from snippets.domain import of_kind
from snippets.hardware import NODES

_LIMITS = ("tensor", "pipeline", "chunks", "context", "expert", "micro_batch", "stage")
_WIDTHS = ("layers", "hidden", "heads", "key_value_heads", "width", "vocabulary")


def python_of(asked: Asked) -> str:
    """Return a setting as Python that a reader can run.

    Args:
        asked: the setting, read.

    >>> from snippets.composition.configuration_search.planner_fields import read_setting
    >>> print(python_of(read_setting({"free": "5%", "run_tokens": ""})[0]))
    from snippets import Cluster, Limits, plan
    <BLANKLINE>
    plans = plan(
        "Llama 3 70B",
        Cluster("DGX H100", nodes=32),
        tokens_per_step=4_194_304,
        sequence=8_192,
        limits=Limits(free_share=0.05),
        most=100,
    )
    plans.best[0]
    <BLANKLINE>
    """
    values = of_kind("asked", asked, Asked).values
    names, before = {"Cluster", "plan"}, []
    model = repr(values["model"]).replace("'", '"')
    if values["model"] == OWN_CONFIG:
        names.add("model_from_config")
        before += ["import json", ""]
        model = 'model_from_config(json.load(open("config.json")))'
    elif values["model"] == OWN_WIDTHS:
        model = _own_model(values, names)
    node = json.dumps(values["node"])
    if values["node"] == OWN_NODE:
        names |= {"Accelerator", "Link", "Node", "Peaks"}
        node = "node"
    given = {"tokens_per_step": f"{values['tokens']:_}", "sequence": f"{values['sequence']:_}"}
    if values["dtype"] != "bf16":
        given["dtype"] = json.dumps(values["dtype"])
    if limits := _limits(values):
        names.add("Limits")
        given["limits"] = f"Limits({', '.join(f'{name}={value}' for name, value in limits.items())})"
    if asked.constants is not None:
        given["constants"] = _constants(asked, names)
    given["most"] = "100"
    if values["run_tokens"] is not None:
        given["run_tokens"] = f"{values['run_tokens']:_}"
        if values["usd"] is not None:
            given["usd_per_gpu_hour"] = f"{values['usd']:g}"
    if any(text.startswith("replace(") for text in (model, given.get("constants", ""))):
        before = (
            ["from dataclasses import replace", "", *before]
            if not before
            else [before[0], "from dataclasses import replace", ""]
        )
    lines = [*before, f"from snippets import {', '.join(sorted(names, key=str.casefold))}", ""]
    if values["node"] == OWN_NODE:
        lines += [*_own_node(values), ""]
    lines += ["plans = plan(", f"    {model},", f"    Cluster({node}, nodes={values['nodes']}),"]
    lines += [f"    {name}={value}," for name, value in given.items()]
    return "\n".join([*lines, ")", "plans.best[0]", ""])


def _limits(values: Mapping[str, Any]) -> dict[str, str]:
    """Return what a setting limits, as arguments of ``Limits``."""
    given = {name: repr(values[name]) for name in _LIMITS if values[name] is not None}
    if values["recompute"] != ANY:
        given["recompute"] = f'("{values["recompute"]}",)'
    if _is_set("free", values):
        given["free_share"] = f"{values['free']:g}"
    return given


def _own_model(values: Mapping[str, Any], names: set[str]) -> str:
    names.add("llama_like")
    sizes = ", ".join(f"{name}={values[name]}" for name in _WIDTHS)
    dense = f'llama_like("mine", {sizes})'
    if values["experts"] is None:
        return dense
    names |= {"Experts"}
    experts = f"Experts({values['experts']}, {values['experts_per_token']}, {values['width']})"
    return f"replace({dense}, feed_forward=None, experts={experts}, expert_layers={values['layers']})"


def _own_node(values: Mapping[str, Any]) -> list[str]:
    peak, memory, rate = (int(values[name]) for name in ("peak", "memory", "memory_rate"))
    link, port = int(values["link"]), int(values["port"] / 8)
    return [
        f'link = Link("mine", {link}, {link}, "", 1, "")',
        f'port = Link("mine", {port}, {port}, "", 1, "")',
        f"peaks = Peaks(bf16={peak}, fp8={peak})",
        f'gpu = Accelerator("mine", "", peaks, {memory}, "", {rate}, link, None, "")',
        f'node = Node("mine", gpu, {values["gpus_per_node"]}, {values["ports"]}, port, "")',
    ]


def _constants(asked: Asked, names: set[str]) -> str:
    names.add("device_constants")
    base = f'device_constants("{NODES[asked.like].accelerator.name}", "{asked.values["dtype"]}")'
    share = asked.values["matmul_share"]
    return base if share is None else f"replace({base}, matmul_share={share:g})"


def command_of(asked: Asked) -> str:
    """Return a setting as a command that a reader can type.

    Args:
        asked: the setting, read.

    >>> from snippets.composition.configuration_search.planner_fields import read_setting
    >>> print(command_of(read_setting({"model": "Llama 3 8B", "nodes": "1", "run_tokens": ""})[0]))
    python -m snippets plan --model 'Llama 3 8B' --nodes 1 --device 'DGX H100' --sequence 8192 --tokens 4194304
    """
    values = of_kind("asked", asked, Asked).values
    words: dict[str, Any] = {}
    if values["model"] == OWN_WIDTHS:
        words |= {name: values[name] for name in (*_WIDTHS, "experts", "experts_per_token")}
    else:
        words["model"] = "config.json" if values["model"] == OWN_CONFIG else values["model"]
    words |= {"nodes": values["nodes"], "device": asked.like}
    if values["node"] == OWN_NODE:
        words |= {name: int(values[name]) for name in ("gpus_per_node", "memory", "memory_rate", "peak", "link")}
        words["network"] = int(values["ports"] * values["port"] / 8 / values["gpus_per_node"])
    words |= {"sequence": values["sequence"], "tokens": values["tokens"]}
    words |= {"dtype": values["dtype"]} if values["dtype"] != "bf16" else {}
    words |= {name: ",".join(map(str, values[name])) for name in _LIMITS if values[name] is not None}
    words |= {"recompute": values["recompute"]} if values["recompute"] != ANY else {}
    words |= {"free_share": f"{values['free']:g}"} if _is_set("free", values) else {}
    words |= {"matmul_share": values["matmul_share"], "run_tokens": values["run_tokens"]}
    words |= {"usd": f"{values['usd']:g}"} if values["usd"] and values["run_tokens"] else {}
    given = [(_option(name), str(value)) for name, value in words.items() if value is not None]
    return shlex.join(["python", "-m", "snippets", "plan", *(word for pair in given for word in pair)])


_OPTIONS = {
    "width": "feed_forward_width",
    "stage": "zero",
    "usd": "usd_per_gpu_hour",
    "memory": "gpu_memory_bytes",
    "memory_rate": "gpu_memory_bytes_per_s",
    "peak": "gpu_flops_per_s",
    "link": "link_bytes_per_s",
    "network": "network_bytes_per_s",
}


def _option(name: str) -> str:
    return f"--{_OPTIONS.get(name, name).replace('_', '-')}"


def _is_set(name: str, values: Mapping[str, Any]) -> bool:
    """Return whether a share does not stand at its default."""
    return FIELDS[name].default != f"{values[name] * 100:g}%"
