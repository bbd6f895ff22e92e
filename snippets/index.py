"""Formulas: an index of the book's formulas: in which module each is, and what its docstring says of it."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snippets.domain import named, text

LABELS = ("Formula", "Symbols", "Chapter", "Convention", "Leaves out", "Source")
SECTIONS = ("Args", "Returns", "Raises", "Yields", "Example", "Attributes")

_STARTS = re.compile(rf"^({'|'.join((*LABELS, *SECTIONS))}):(?:[ ]+|$)|^(>>>) ", re.MULTILINE)
_FORMULA = re.compile(r"^def ([a-z]\w*)\((?:(?!^[^\s)]).*\n)*?    Formula: ", re.MULTILINE)
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
}


@functools.cache
def formula_modules() -> dict[str, str]:
    """Return the module of every formula by the formula's name, from the modules' texts: nothing is imported.

    Returns:
        The modules' full names. A formula is a public function whose docstring has a line ``Formula:``.

    Example:
        >>> formula_modules()["ring_all_reduce_bytes"]
        'snippets.all_reduce'
    """
    root = Path(__file__).parent
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if source.startswith('"""Formulas:') and "Formula: " in source:
            module = ".".join([root.name, *path.relative_to(root).with_suffix("").parts])
            found |= dict.fromkeys(_FORMULA.findall(source), module)
    return found


def find_formula(name: str) -> Callable[..., Any]:
    """Return a formula by its name, importing the module that it is in and no other.

    Args:
        name: what the function is called, in any usual spelling: ``"ring-all-reduce-bytes"``.

    Returns:
        The function.

    Example:
        >>> find_formula("ring-all-reduce-bytes")(ranks=8, size_bytes=800)
        1400.0
    """
    modules = formula_modules()
    name = named("name", name, modules)
    function: Callable[..., Any] = getattr(importlib.import_module(modules[name]), name)
    return function


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
    for start, after in zip(starts, [*(match.start() for match in starts[1:]), len(words)], strict=True):
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
    """
    name = text("name", name)
    return next((unit for end, unit in _UNITS.items() if name == end or name.endswith(f"_{end}")), "")


def _one_line(words: str) -> str:
    return re.sub(r"\s*\n\s*", " ", words).strip()
