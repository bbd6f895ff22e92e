"""Drawings: what a reader can set on the page Planner: the fields, their presets, and how each is read.

A setting is plain: field → what stands in it, as a text. A field that a setting does not name stands at its default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.step_constants import Constants, device_constants
from snippets.domain import integer_at_least, one_of, text
from snippets.hardware import NODES, Accelerator, Link, Node, Peaks
from snippets.live.knobs import from_units
from snippets.models import MODELS, Experts, Transformer, llama_like, model_from_config

OWN_WIDTHS, OWN_CONFIG, OWN_NODE = "own widths", "own config.json", "own"
ANY = "any"
MOST_SIZES = 64
MOST_CHARACTERS = 100_000  # of a config.json


@dataclass(frozen=True)
class PageField:
    """One thing to set.

    Attributes:
        name: its name in a setting.
        label: what the page calls it.
        group: what it is about: "model", "cluster", "step", "assumptions", "money" or "limits".
        kind: how it is read: "choice", "count", "quantity", "share", "sizes" or "text".
        default: where it stands at first.
        unit: of a quantity.
        options: of a choice: value → what the page calls it.
        needs: another field and the value at which alone this one counts.
        hint: what may stand in it.
        may_be_empty: whether it may stay empty.

    >>> FIELDS["nodes"].label
    'Nodes'
    """

    name: str
    label: str
    group: str
    kind: str
    default: str = ""
    unit: str = ""
    options: Mapping[str, str] | None = None
    needs: tuple[str, str] | None = None
    hint: str = ""
    may_be_empty: bool = False


def _own_model(name: str, label: str, default: str, **more: Any) -> PageField:
    return PageField(name, label, "model", "count", default, needs=("model", OWN_WIDTHS), **more)


def _own_node(name: str, label: str, default: str, unit: str = "") -> PageField:
    kind = "quantity" if unit else "count"
    return PageField(name, label, "cluster", kind, default, unit=unit, needs=("node", OWN_NODE))


def _sizes(name: str, label: str) -> PageField:
    return PageField(name, label, "limits", "sizes", hint="all", may_be_empty=True)


_MODELS = {name: name for name in MODELS} | {OWN_WIDTHS: "your own, by its widths", OWN_CONFIG: "your own config.json"}
_NODES = {
    name: f"{name}: {node.accelerators} × {node.accelerator.name}"
    for name, node in NODES.items()
    if node.accelerator.interconnect is not None
} | {OWN_NODE: "your own"}
_DTYPES = {"bf16": "bf16", "fp8": "fp8"}
_RECOMPUTE = {
    ANY: "whichever is fastest",
    "none": "nothing",
    "some": "the cheapest tensors",
    "full": "whole layers",
    "selective": "attention scores",
}

FIELDS: Mapping[str, PageField] = {
    field.name: field
    for field in (
        PageField("model", "Model", "model", "choice", "Llama 3 70B", options=_MODELS),
        _own_model("layers", "Layers L", "80"),
        _own_model("hidden", "Hidden size h", "8192"),
        _own_model("heads", "Heads a", "64"),
        _own_model("key_value_heads", "Key-value heads", "8"),
        _own_model("width", "Feed-forward width", "28672", hint="of one expert, if there are experts"),
        _own_model("vocabulary", "Vocabulary V", "128256"),
        _own_model("experts", "Experts E", "", hint="none", may_be_empty=True),
        _own_model("experts_per_token", "Experts of a token k", "", hint="none", may_be_empty=True),
        PageField("config", "config.json", "model", "text", needs=("model", OWN_CONFIG)),
        PageField("node", "Node", "cluster", "choice", "DGX H100", options=_NODES),
        PageField("nodes", "Nodes", "cluster", "count", "32"),
        _own_node("gpus_per_node", "GPUs of a node", "8"),
        _own_node("memory", "Memory of a GPU", "80 GB", "B"),
        _own_node("memory_rate", "Its bandwidth", "3.35 TB/s", "B/s"),
        _own_node("peak", "Peak P, dense", "989 TFLOP/s", "FLOP/s"),
        _own_node("link", "Link in the node, one way", "450 GB/s", "B/s"),
        _own_node("ports", "Network ports of a node", "8"),
        _own_node("port", "A port", "400 Gb/s", "b/s"),
        PageField("tokens", "Tokens a step B", "step", "count", "4,194,304"),
        PageField("sequence", "Tokens of a sequence s", "step", "count", "8,192"),
        PageField("dtype", "Precision", "step", "choice", "bf16", options=_DTYPES),
        PageField("free", "Memory kept free", "assumptions", "share", "10%"),
        PageField(
            "matmul_share", "Share of the peak that matmuls reach", "assumptions", "share", "", may_be_empty=True
        ),
        PageField("run_tokens", "Tokens of the run D", "money", "count", "1.4T", may_be_empty=True),
        PageField("usd", "Dollars a GPU and hour", "money", "quantity", "2", may_be_empty=True),
        _sizes("tensor", "Tensor t"),
        _sizes("pipeline", "Stages p"),
        _sizes("chunks", "Chunks of a stage v"),
        _sizes("context", "Context c"),
        _sizes("expert", "Expert e"),
        _sizes("micro_batch", "Sequences at a time b"),
        _sizes("stage", "ZeRO's stage"),
        PageField("recompute", "Made again", "limits", "choice", ANY, options=_RECOMPUTE),
    )
}

PRESETS: Mapping[str, Mapping[str, str]] = {
    "The 70B on 256 GPUs": {},
    "405B on 8,192 H100 in fp8": {
        "model": "Llama 3 405B",
        "nodes": "1024",
        "tokens": str(1536 * 8192),
        "dtype": "fp8",
        "run_tokens": "15T",
    },
    "DeepSeek-V3 on 256 GB200": {
        "model": "DeepSeek-V3",
        "node": "GB200 NVL72",
        "nodes": "4",
        "tokens": str(4096 * 4096),
        "sequence": "4096",
        "dtype": "fp8",
        "run_tokens": "14.8T",
    },
    "8B on one node": {"model": "Llama 3 8B", "nodes": "1", "tokens": str(64 * 8192), "run_tokens": "160B"},
}


class Asked(NamedTuple):
    """What a setting asks for, read and checked.

    Attributes:
        model: the model.
        cluster: the GPUs.
        values: the fields that count, as they are read; ``None`` where one is empty.
        limits: what may be tried.
        constants: what is assumed of the GPUs, where the reader says something of it.
        changed: the texts of the fields that do not stand at their defaults.

    >>> asked, errors = read_setting({"nodes": "4"})
    >>> asked.cluster.gpus, errors
    (32, {})
    """

    model: Transformer
    cluster: Cluster
    values: Mapping[str, Any]
    limits: Limits
    constants: Constants | None
    changed: Mapping[str, str]


def read_setting(setting: Mapping[str, str]) -> tuple[Asked | None, dict[str, str]]:
    """Return what a setting asks for, or for each field that cannot be read a sentence that says why.

    Args:
        setting: field → its text; what is no field's name is passed over, for a link may be older than the page.

    Returns:
        What is asked for, ``None`` if something is wrong; and the sentences, by field.

    Raises:
        ValueError: ``setting`` is no mapping.

    >>> read_setting({"nodes": "many"})[1]
    {'nodes': "Nodes must be a number, without a unit, 'k' or 'M' after it or not, got 'many'"}
    """
    if not isinstance(setting, Mapping):
        raise ValueError(f"setting must be a mapping of fields' names to texts, got {setting!r}")
    written = {name: _text_of(setting, field) for name, field in FIELDS.items()}
    errors: dict[str, str] = {}
    values = {
        name: _tried(errors, name, _read, field, written[name])
        for name, field in FIELDS.items()
        if counts(field, written)
    }
    if errors:
        return None, errors
    model, cluster = _tried(errors, "model", _model, values), _tried(errors, "node", _cluster, values)
    limits = _limits(values, errors)
    if errors:
        return None, errors
    changed = {
        name: written[name]
        for name, field in FIELDS.items()
        if counts(field, written) and written[name] != field.default
    }
    return Asked(model, cluster, values, limits, _constants(values), changed), {}


def counts(field: PageField, setting: Mapping[str, str]) -> bool:
    """Return whether a field counts in a setting: those of an own model do not where another is chosen.

    Args:
        field: the field.
        setting: field → its text.

    >>> counts(FIELDS["layers"], {"model": "Llama 3 8B"}), counts(FIELDS["nodes"], {})
    (False, True)
    """
    if field.needs is None:
        return True
    other, value = field.needs
    return setting.get(other, FIELDS[other].default) == value


def _text_of(setting: Mapping[str, str], field: PageField) -> str:
    value = setting.get(field.name, field.default)
    return value.strip() if isinstance(value, str) else str(value)[:MOST_CHARACTERS]


def _tried(errors: dict[str, str], name: str, function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function returns; where it refuses, keep the sentence for a field."""
    try:
        return function(*given)
    except (ValueError, TypeError) as error:
        field, sentence = refused_field(error, name)
        errors[field] = sentence
        return None


# What the functions that are called here call their arguments, where the page has another word.
_CALLED = {
    "accelerators": "gpus_per_node",
    "memory_bytes": "memory",
    "memory_bandwidth_bytes_per_s": "memory_rate",
    "per_token": "experts_per_token",
    "free_share": "free",
    "tokens_per_step": "tokens",
    "usd_per_gpu_hour": "usd",
    "batch_sequences": "tokens",
    "stages": "pipeline",
    "nodes × GPUs of a node": "nodes",
}


def refused_field(error: Exception, otherwise: str) -> tuple[str, str]:
    """Return the field that a refusal is about, and the refusal with the page's word for it.

    Args:
        error: a refusal as the book's functions word it: the argument's name, what it must be, what it is.
        otherwise: the field, if it is about none of them.

    >>> refused_field(ValueError("sequence must be an integer of at least 1, got 0"), "model")
    ('sequence', 'Tokens of a sequence s must be an integer of at least 1, got 0')
    """
    said, must, rest = str(error).partition(" must ")
    name = "config" if said.startswith("config") else _CALLED.get(said, said)
    if name not in FIELDS:
        return otherwise, str(error)
    return name, f"{said if name == 'config' else FIELDS[name].label}{must}{rest}"


def _read(field: PageField, written: str) -> Any:
    """Return the value of a field; ``None`` where it may be empty and is."""
    if not written:
        if field.may_be_empty:
            return None
        raise ValueError(f"{field.label} must be given, got nothing")
    return _READERS[field.kind](field, written)


def _read_choice(field: PageField, written: str) -> str:
    return str(one_of(field.label, written, tuple(field.options or ())))


def _read_count(field: PageField, written: str) -> int:
    number = from_units(field.label, re.sub(r"(?<=\d) ?[bB]$", "G", written))  # 70B is 70 billion
    if number != int(number):
        raise ValueError(f"{field.label} must be a whole number, got {written!r}")
    return integer_at_least(field.label, int(number), 1)


def _read_quantity(field: PageField, written: str) -> float:
    number = from_units(field.label, written.removeprefix("$") if not field.unit else written, field.unit)
    if number <= 0:
        raise ValueError(f"{field.label} must be above 0, got {written!r}")
    return number


def _read_share(field: PageField, written: str) -> float:
    bare = written.removesuffix("%")
    share = from_units(field.label, bare) / (100 if bare != written else 1)
    least = "from 0% to below 100%" if field.name == "free" else "above 0% and at most 100%"
    if not (0 <= share < 1 if field.name == "free" else 0 < share <= 1):
        raise ValueError(f"{field.label} must be {least}, such as 65%, got {written!r}")
    return share


def _read_sizes(field: PageField, written: str) -> tuple[int, ...]:
    pieces = written.replace(",", " ").split()
    if len(pieces) > MOST_SIZES or not all(piece.isascii() and piece.isdigit() for piece in pieces):
        raise ValueError(
            f"{field.label} must be whole numbers with commas between them, such as 1, 2, 4, got {written!r}"
        )
    least = 0 if field.name == "stage" else 1
    return tuple(dict.fromkeys(integer_at_least(field.label, int(piece[:20]), least) for piece in pieces))


def _read_text(field: PageField, written: str) -> str:
    if len(written) > MOST_CHARACTERS:
        raise ValueError(f"{field.label} must have at most {MOST_CHARACTERS:,} characters, got {len(written):,}")
    return text(field.label, written)


_READERS: Mapping[str, Callable[[PageField, str], Any]] = {
    "choice": _read_choice,
    "count": _read_count,
    "quantity": _read_quantity,
    "share": _read_share,
    "sizes": _read_sizes,
    "text": _read_text,
}


def _model(values: Mapping[str, Any]) -> Transformer:
    if values["model"] == OWN_CONFIG:
        return model_from_config(_config(values["config"]))
    if values["model"] == OWN_WIDTHS:
        return own_model(values)
    return MODELS[values["model"]]


def _config(written: str) -> Mapping[str, Any]:
    """Return what a config.json holds, which a person has pasted."""
    try:
        config = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"config.json must be JSON, as the file has it: {error}") from None
    if isinstance(config, dict) and isinstance(config.get("text_config"), dict):
        config = config["text_config"]  # a model that sees pictures, too, describes its text part there
    return config if isinstance(config, dict) else {}


def own_model(values: Mapping[str, Any]) -> Transformer:
    """Return a model like Llama's of these widths, with experts in place of the feed-forward block if there are some.

    Args:
        values: what ``read_setting`` reads of the fields of the group "model".

    >>> sizes = {"layers": 2, "hidden": 64, "heads": 4, "key_value_heads": 2, "width": 128, "vocabulary": 256}
    >>> own_model(sizes | {"experts": 8, "experts_per_token": 2}).experts.per_token
    2
    """
    names = ("layers", "hidden", "heads", "key_value_heads", "width", "vocabulary")
    dense = llama_like("your own model", **{name: values[name] for name in names})
    experts, per_token = values.get("experts"), values.get("experts_per_token")
    if experts is None and per_token is None:
        return dense
    if experts is None or per_token is None:
        raise ValueError(f"experts{'_per_token' * (experts is not None)} must be given with the other, got nothing")
    own = Experts(experts=experts, per_token=per_token, width=values["width"])
    return Transformer(
        name=dense.name,
        layers=dense.layers,
        hidden=dense.hidden,
        vocabulary=dense.vocabulary,
        attention=dense.attention,
        feed_forward=None,
        experts=own,
        expert_layers=dense.layers,
    )


def own_node(values: Mapping[str, Any]) -> Node:
    """Return a node of these sizes.

    Args:
        values: what ``read_setting`` reads of the fields of the group "cluster".

    >>> sizes = {"gpus_per_node": 4, "memory": 64e9, "memory_rate": 2e12, "peak": 5e14, "link": 2e11, "dtype": "bf16"}
    >>> own_node(sizes | {"ports": 4, "port": 2e11}).network_bytes_per_s
    100000000000
    """
    link, port, peak = int(values["link"]), int(values["port"] / 8), int(values["peak"])
    said = "its owner"
    accelerator = Accelerator(
        name="your own GPU",
        maker="unknown",
        peaks=Peaks(bf16=peak, fp8=peak),
        memory_bytes=int(values["memory"]),
        memory_printed=f"{values['memory'] / 1e9:g} GB",
        memory_bandwidth_bytes_per_s=int(values["memory_rate"]),
        interconnect=Link("your own link", link, link, f"{link / 1e9:g} GB/s", lanes=1, source=said),
        host=None,
        source=said,
    )
    return Node(
        name="your own node",
        accelerator=accelerator,
        accelerators=values["gpus_per_node"],
        ports=values["ports"],
        port=Link("your own port", port, port, f"{port * 8 / 1e9:g} Gb/s", lanes=1, source=said),
        source=said,
    )


def _cluster(values: Mapping[str, Any]) -> Cluster:
    node = own_node(values) if values["node"] == OWN_NODE else NODES[values["node"]]
    return Cluster(node, nodes=values["nodes"])


def _limits(values: Mapping[str, Any], errors: dict[str, str]) -> Limits:
    """Return the limits of a search; each is checked alone, so that a refusal finds its field."""
    names = ("tensor", "pipeline", "chunks", "context", "expert", "micro_batch", "stage")
    given: dict[str, Any] = {name: values[name] for name in names if values[name] is not None}
    given["free_share"] = values["free"]
    if values["recompute"] != ANY:
        given["recompute"] = (values["recompute"],)
    for name, value in given.items():
        _tried(errors, name, _limited, name, value)
    return Limits() if errors else Limits(**given)


def _limited(name: str, value: Any) -> Limits:
    return Limits(**{name: value})


def like_node(values: Mapping[str, Any]) -> str:
    """Return the node whose shares of its rates are taken: for an own node a DGX H100.

    Args:
        values: what ``read_setting`` reads of the fields of the group "cluster".

    >>> like_node({"node": "DGX A100"}), like_node({"node": OWN_NODE})
    ('DGX A100', 'DGX H100')
    """
    return "DGX H100" if values["node"] == OWN_NODE else str(values["node"])


def _constants(values: Mapping[str, Any]) -> Constants | None:
    """Return what the reader's own share of the peak, or node, makes of the constants; else the search's own hold."""
    is_own, share = values["node"] == OWN_NODE, values["matmul_share"]
    if share is None and not is_own:
        return None
    like = NODES[like_node(values)].accelerator
    base = device_constants(like, values["dtype"])
    if is_own:
        base = replace(base, source=f"as on an {like.name}: {base.source}")
    return (
        base if share is None else replace(base, matmul_share=share, source=f"matmuls: yours. The rest: {base.source}")
    )
