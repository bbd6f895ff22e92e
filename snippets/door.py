"""Formulas: the package's front door, by which ``from snippets import NAME`` finds formulas, catalogues and records.

Which names there are stands in ``__init__.pyi``, which type checkers, editors and the press read too;
``python -m press.door`` writes it from the modules' texts.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from bisect import bisect_left
from importlib.util import find_spec
from typing import Any

from snippets.domain import UnknownName, named, squeezed, text
from snippets.index import also, call_of, explained, listed, unit_end

SHOWN = ("Formulas", "Catalogues")


def opened(name: str) -> Any:
    """Return what has a name at the door, importing the module that it is in and no other.

    Args:
        name: of a formula, a catalogue, a record, or a name that the field uses besides; in any usual spelling, and
            without its unit where only one name begins so: ``cluster_mtbf`` for ``cluster_mtbf_s``.

    Returns:
        A function with ``index.explained`` around it; anything else as it is.

    Raises:
        AttributeError: there is no such name; in ``from snippets import name`` an ``ImportError``.

    Example:
        >>> opened("ring_all_reduce_bytes")(ranks=8, size_bytes=800)
        1400.0
    """
    if home := _homes().get(text("name", name)) or _spellings().get(squeezed(name)):
        return _found(*home)
    said = f"module 'snippets' has no attribute {name!r}"
    if not name.startswith("_") and find_spec(f"snippets.{name}") is None:
        said += _nearest(name)
        # Python asks here first and, after an AttributeError, would give a message of its own.
        if sys._getframe(2).f_code.co_name == "_handle_fromlist":
            raise ImportError(f"cannot import name {name!r} from 'snippets'{_nearest(name)}", name="snippets")
    raise AttributeError(said, name=name)


def _found(module: str, own: str) -> Any:
    found = getattr(importlib.import_module(module), own)
    return explained(found) if inspect.isfunction(found) else found


@functools.cache
def _homes() -> dict[str, tuple[str, str]]:
    """Return for every name at the door its module, and what it is called there."""
    return {name: home for names in listed().values() for name, home in names.items()}


@functools.cache
def _spellings() -> dict[str, tuple[str, str]]:
    """Return the same by squeezed names, and by those without a unit that begin no second name."""
    names = {name: home for name, home in _homes().items() if not name[0].isupper()}
    found = {squeezed(name): home for name, home in names.items()}
    in_order = sorted(found)
    for name, home in names.items():
        short = squeezed(name.removesuffix(f"_{unit_end(name)}"))
        begin_so = in_order[bisect_left(in_order, short) : bisect_left(in_order, f"{short}\U0010ffff")]
        if {found[spelled] for spelled in begin_so} == {home}:
            found.setdefault(short, home)
    return found


def shown() -> list[str]:
    """Return the names that ``dir(snippets)`` has: formulas and catalogues.

    Example:
        >>> {"ring_all_reduce_bytes", "MODELS"} <= {*shown()}
        True
    """
    return sorted(name for kind in SHOWN for name in listed().get(kind, ()))


@functools.cache
def _nearest(name: str) -> str:
    """Return the names that are near a wrong one, as the end of a message; nothing where none is."""
    names = [own for kind in listed().values() for own, (_, same) in kind.items() if own == same]
    try:
        named("name", name.casefold().replace("1f1b", "one_f_one_b"), names, aliases=also())
    except UnknownName as error:
        if not error.near:
            return "; dir(snippets) has all names"
        found = _found(*_homes()[error.near[0]])
        return f"; near: {', '.join(error.near)}" + (f"; call {call_of(found)}" if inspect.isfunction(found) else "")
    return ""
