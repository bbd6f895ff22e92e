"""Formulas: an index of the book's formulas: in which module each is, and what its docstring says of it."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from snippets.domain import named, near_names, squeezed, text

LABELS = ("Also", "Formula", "Symbols", "Chapter", "Convention", "Leaves out", "Source")
SECTIONS = ("Args", "Returns", "Raises", "Yields", "Example", "Attributes")

# What other programs call what an argument of a formula or a command is, where the two words are not alike.
CALLED_ELSEWHERE = {
    "seqlen": ("sequence",),
    "context": ("sequence",),
    "worldsize": ("gpus", "ranks", "devices"),
    "gpu": ("device", "accelerator", "devices"),
    "dataparallel": ("ranks", "gpus"),
    "pipelineparallel": ("stages",),
    "zero": ("stage",),
    "tp": ("tensor_parallel",),
    "pp": ("stages",),
    "mbs": ("micro_batch",),
    "batch": ("batch", "tokens", "micro_batch", "m"),
    "globalbatch": ("tokens",),
    "gbs": ("tokens",),
    "messagesize": ("size_bytes",),
    "gradientaccumulationsteps": ("micro_batches",),
    "activationcheckpointing": ("recomputation",),
    "fsdp": ("zero", "stage"),
    "nodes": ("gpus_per_node", "ranks", "gpus"),
    "dmodel": ("hidden",),
    "nembd": ("hidden",),
    "vocabsize": ("vocabulary",),
    "alpha": ("latency_s",),
    "beta": ("bandwidth_bytes_per_s", "link"),
    "optimizer": ("recipe",),
    "precision": ("dtype", "recipe"),
    "dtype": ("recipe",),
    "price": ("usd_per_gpu_hour", "usd_per_device_hour"),
    "cost": ("usd_per_gpu_hour", "usd_per_device_hour"),
}

# What an argument is called elsewhere that is the same in every way, its unit too: such a word is taken for it.
SAME_ARGUMENT = {
    "element_bytes": ("dtype_bytes", "bytes_per_element", "element_size"),
    "experts": ("num_experts", "n_experts"),
    "experts_per_token": ("top_k", "num_experts_per_tok"),
    "heads": ("num_heads", "n_heads", "num_attention_heads"),
    "head_size": ("head_dim",),
    "hidden": ("hidden_size", "hidden_dim", "d_model"),
    "key_value_heads": ("kv_heads", "num_kv_heads", "num_key_value_heads"),
    "layers": ("num_layers", "n_layers", "num_hidden_layers"),
    "micro_batch": ("micro_batch_size", "mbs"),
    "micro_batches": ("num_micro_batches",),
    "parameters": ("params", "num_params", "n_params"),
    "ranks": ("gpus", "num_gpus", "world_size", "num_ranks"),
    "devices": ("gpus", "num_gpus", "world_size"),
    "sequence": ("seq", "seq_len", "sequence_length", "seq_length"),
    "size_bytes": ("num_bytes", "n_bytes", "message_bytes"),
    "stages": ("pp", "num_stages", "pipeline_stages"),
    "tensor_parallel": ("tp", "tp_size", "tensor_parallel_size"),
    "vocabulary": ("vocab_size", "vocab"),
}

# Formulas that are asked by what another one takes: the asked one, what the argument's name begins with, and the other.
TAKEN_BY = {"flops_utilization": {"tokenspers": "training_utilization"}}

_TABLE = Path(__file__).with_name("__init__.pyi")
_ENTRY = re.compile(r"from (\S+) import (\w+) as \2|(\w+) = (\w+)")
_STARTS = re.compile(rf"^({'|'.join((*LABELS, *SECTIONS))}):(?:[ ]+|$)|^(>>>) ", re.MULTILINE)
# What a name ends in, and the unit that it means; of several that fit, the first counts.
_UNITS = {
    "flops_per_s": "FLOP/s",
    "bytes_per_s": "bytes/s",
    "flops_per_byte": "FLOP/byte",
    "bytes_per_parameter": "bytes/parameter",
    "flops_per_token": "FLOP/token",
    "flops": "FLOP",
    "bytes": "bytes",
    "share": "share",
    "probability": "share",
    "utilization": "share",
    "hour_usd": "USD/hour",
    "usd": "USD",
    "kwh": "kWh",
    "kg": "kg",
    "hours": "hours",
    "nats": "nats",
    "bits": "bits",
    "s": "s",
    "j": "J",
    "tokens": "tokens",
    "parameters": "parameters",
}
_COUNTED = ("examples", "batches", "transfers")  # whose number a second is a rate
_NO_UNIT = {"epoch_rank_share"}  # a share of the examples, but not of 1


@functools.cache
def listed() -> dict[str, dict[str, tuple[str, str]]]:
    """Return the names at the package's front door, by kind: for each its module, and what it is called there.

    Returns:
        Kinds are the headings of ``__init__.pyi``: Formulas, Catalogues, Records and other functions, Also. None where
        that file is missing, as in an archive that a page loads and that needs no door.

    Example:
        >>> listed()["Formulas"]["ring_all_reduce_bytes"]
        ('snippets.all_reduce', 'ring_all_reduce_bytes')
    """
    found: dict[str, dict[str, tuple[str, str]]] = {}
    homes: dict[str, str] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines() if _TABLE.is_file() else ():
        if line.startswith("# "):
            names = found.setdefault(line[2:], {})
        elif entry := _ENTRY.fullmatch(line):
            own = entry[2] or entry[4]
            homes[own] = entry[1] or homes[own]
            names[entry[3] or own] = homes[own], own
    return found


def formula_modules() -> dict[str, str]:
    """Return the module of every formula by the formula's name; nothing is imported.

    Returns:
        The modules' full names. A formula is a public function whose docstring has a line ``Formula:``.

    Example:
        >>> formula_modules()["ring_all_reduce_bytes"]
        'snippets.all_reduce'
    """
    return {name: module for name, (module, _) in listed().get("Formulas", {}).items()}


@functools.cache
def also() -> dict[str, str]:
    """Return the formulas by what the field calls them besides, where that means exactly one: ``Also:`` lines.

    Returns:
        The formulas' names by names such as ``mfu``: what stands in the line in small letters with underscores, alone
        and with the unit in which the formula's name ends.

    Example:
        >>> also()["mfu"], also()["mttf_s"]
        ('flops_utilization', 'cluster_mtbf_s')
    """
    return {name: own for name, (_, own) in listed().get("Also", {}).items()}


def find_formula(name: str) -> Callable[..., Any]:
    """Return a formula by its name, importing the module that it is in and no other.

    Args:
        name: what the function is called, in any usual spelling, or what the field calls it besides:
            ``"ring-all-reduce-bytes"``, ``"MFU"``.

    Returns:
        The function, which answers a wrong argument with those that there are.

    Example:
        >>> find_formula("ring-all-reduce-bytes")(ranks=8, size_bytes=800)
        1400.0
    """
    modules = formula_modules()
    name = named("name", name, modules, aliases=also())
    return explained(getattr(importlib.import_module(modules[name]), name))


@functools.cache
def explained(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers arguments that do not fit with those that there are.

    Args:
        function: one of this package, which stays as it is in its module.

    Returns:
        One that calls it, with the same signature and docstring; the same one each time.

    Raises:
        TypeError: it is called with an argument that there is not, without one that it needs, or with values that have
            to be named.

    Example:
        >>> find_formula("zero_bytes_per_parameter")(rank=8, stage=3)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        TypeError: zero_bytes_per_parameter has no argument 'rank'; near: ranks; call zero_bytes_per_parameter(...)
    """
    if not callable(function):
        raise ValueError(f"function must be a function, got {function!r}")

    @functools.wraps(function)
    def asked(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            if _wrong_call(function, args, kwargs) is None:
                raise
        in_our_words = _in_our_words(inspect.signature(function).parameters, kwargs)
        if wrong := _wrong_call(function, args, in_our_words):
            raise TypeError(wrong)
        return function(*args, **in_our_words)

    asked.__module__ = "snippets"  # where pickle finds it
    return asked


def _wrong_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call, and how to call; nothing where they fit."""
    name, signature = function.__name__, inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        taken = signature.parameters
        unknown = [key for key in kwargs if key not in taken]
        placed = [key for key, each in taken.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
        if unknown and (other := taken_by(name, unknown[0])):
            return f"{name} has no argument {unknown[0]!r}; {other} has; call {call_of(find_formula(other))}"
        if unknown:
            spelled = squeezed(unknown[0])
            elsewhere = next((meant for word, meant in CALLED_ELSEWHERE.items() if spelled.startswith(word)), ())
            near = list(dict.fromkeys([*(key for key in elsewhere if key in taken), *near_names(unknown[0], taken)]))
            said = f"has no argument {unknown[0]!r}" + (f"; near: {', '.join(near)}" if near else "")
        elif len(args) > len(placed):
            named_only = [key for key in taken if key not in placed]
            said = f"takes {', '.join(named_only)} by name" if named_only else f"got {len(args)} values"
        else:
            lacking = [key for key, each in taken.items() if each.default is each.empty and key not in kwargs]
            lacking = [key for key in lacking if key not in placed[: len(args)]]
            said = f"needs {', '.join(lacking)}" if lacking else f"got {error}"
        return f"{name} {said}; call {call_of(function)}"
    return None


def taken_by(name: str, argument: str) -> str:
    """Return the formula that answers the same by an argument which a formula has not; empty where none does.

    Args:
        name: the formula that was asked.
        argument: what it was given, in any usual spelling.

    Example:
        >>> taken_by("flops_utilization", "tokens-per-second"), taken_by("flops_utilization", "ranks")
        ('training_utilization', '')
    """
    spelled = squeezed(text("argument", argument).lstrip("-"))
    others = TAKEN_BY.get(text("name", name), {})
    return next((other for begins, other in others.items() if spelled.startswith(begins)), "")


def _in_our_words(taken: Collection[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return given arguments by the names that are taken, where another word for one can mean nothing else."""
    words = {squeezed(word): name for name in taken for word in (name, *SAME_ARGUMENT.get(name, ()))}
    meant = {key: key if key in taken else words.get(squeezed(key), key) for key in given}
    return {meant[key]: value for key, value in given.items()} if len({*meant.values()}) == len(given) else dict(given)


def call_of(function: Callable[..., Any]) -> str:
    """Return how a function is called: its name, and its arguments with their defaults.

    Args:
        function: one of this package.

    Returns:
        The call, with dots in place of the values that have to be given.

    Example:
        >>> call_of(find_formula("ring_all_reduce_bytes"))
        'ring_all_reduce_bytes(ranks=…, size_bytes=…)'
    """
    if not callable(function):
        raise ValueError(f"function must be a function, got {function!r}")
    return f"{function.__name__}({', '.join(map(_as_called, inspect.signature(function).parameters.values()))})"


def _as_called(parameter: inspect.Parameter) -> str:
    """Return an argument as it stands in a call: with its default, or with dots in place of its value."""
    if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty:
        return parameter.name
    return f"{parameter.name}={'…' if parameter.default is parameter.empty else repr(parameter.default)}"


def labelled(function: Callable[..., Any]) -> dict[str, str]:
    """Return what a docstring says under its labels, each on one line.

    Args:
        function: a function of this package.

    Returns:
        ``Formula``, ``Symbols``, ``Chapter``, ``Convention``, ``Leaves out``, ``Source`` and ``Returns``, as far as
        they are there, and ``Summary``, the first paragraph.

    Example:
        >>> labelled(find_formula("ring_all_reduce_bytes"))["Convention"]
        'sent by one rank, in one direction.'
    """
    if not callable(function):
        raise ValueError(f"function must be a function, got {function!r}")
    words = inspect.getdoc(function) or ""
    said = {"Summary": _one_line(_STARTS.split(words, maxsplit=1)[0].split("\n\n")[0])}
    starts = [*_STARTS.finditer(words)]
    ends = [*(match.start() for match in starts), len(words)][1:]
    for start, after in zip(starts, ends, strict=True):
        if start[1] in (*LABELS, "Returns"):
            said[start[1]] = _one_line(words[start.end() : after].strip().split("\n\n")[0])
    return said


def unit_of(name: str) -> str:
    """Return the unit that a name ends in.

    Args:
        name: of a function, an argument or a field.

    Returns:
        The unit, empty where the name ends in none.

    Example:
        >>> unit_of("ring_all_reduce_time_s"), unit_of("size_bytes"), unit_of("stages")
        ('s', 'bytes', '')
        >>> unit_of("usd_per_kwh"), unit_of("examples_per_s"), unit_of("gpus_per_node")
        ('USD/kWh', 'examples/s', '')
    """
    name = text("name", name).partition("_for_")[0]  # flops_for_parameters are FLOP
    end = unit_end(name)
    above, per, below = name.rpartition("_per_")
    if per and "_per_" not in end:
        counted = above.rpartition("_")[2]
        unit = counted if counted in _COUNTED else unit_of(above)
        return f"{unit}/{_UNITS.get(below, below.replace('_', ' '))}" if unit else ""
    return "" if name in _NO_UNIT else _UNITS.get(end, "")


def unit_end(name: str) -> str:
    """Return the end of a name that says its unit, empty where none does.

    Args:
        name: of a function, an argument or a field.

    Example:
        >>> unit_end("ring_all_reduce_time_s"), unit_end("state_bytes_per_parameter"), unit_end("stages")
        ('s', 'bytes_per_parameter', '')
    """
    name = text("name", name)
    return next((end for end in _UNITS if name == end or name.endswith(f"_{end}")), "")


def _one_line(words: str) -> str:
    return re.sub(r"\s*\n\s*", " ", words).strip()
