"""Formulas: a layout in a line, ``t=2 d=128 zero=3 recompute=some``, as people type it and as it is shown to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from snippets.composition.configuration_search.candidates import KEEPS
from snippets.composition.layouts import Layout
from snippets.domain import named, of_kind, positive_integer, text

_SHOWN = {"t": "tensor", "p": "pipeline", "v": "chunks", "c": "context", "d": "data", "e": "expert", "b": "micro_batch"}
_ALSO = {
    "tp": "tensor",
    "pp": "pipeline",
    "vp": "chunks",
    "cp": "context",
    "dp": "data",
    "ep": "expert",
    "mbs": "micro_batch",
    "etp": "expert_tensor",
    "zero": "stage",
    "zero_stage": "stage",
    "keep": "recompute",
}
_NAMES = _SHOWN | _ALSO | {name: name for name in (*_SHOWN.values(), "expert_tensor", "stage", "recompute")}
LAYOUT_NAMES = frozenset(_NAMES)
_MOST_CHARACTERS = 300
_DIGITS = 9


class WrittenLayout(NamedTuple):
    """A layout, and what its layers make again: ``"some"`` is no ``recompute`` of a layout's own.

    >>> WrittenLayout(Layout(tensor=2), "some").keep
    'some'
    """

    layout: Layout
    keep: str


def layout_line(layout: Layout, *, keep: str | None = None) -> str:
    """Return a layout in a line: the axes that cut something, ZeRO's stage, and what is made again.

    Args:
        layout: the layout.
        keep: one of ``KEEPS`` where the layers make again something else than the layout says.

    Returns:
        The line, which ``read_layout`` reads.

    Source: the book's alphabet, docs/notation.md.
    Leaves out: sequence parallelism, uneven stages, the order of the axes and the kind of context parallelism.

    Example:
        >>> layout_line(Layout(tensor=2, data=128, stage=3), keep="some")
        't=2 d=128 zero=3 recompute=some'
    """
    of_kind("layout", layout, Layout)
    parts = cut_line(layout)
    again = layout.recompute if keep is None else named("keep", keep, KEEPS)
    return f"{parts} recompute={again}" if again != "none" else parts


def cut_line(layout: Layout) -> str:
    """Return a layout in a line without what is made again.

    Args:
        layout: the layout.

    Returns:
        The axes that cut something, and ZeRO's stage.

    Source: the book's alphabet, docs/notation.md.
    Leaves out: as ``layout_line``.

    Example:
        >>> cut_line(Layout(tensor=2, data=128, stage=3, recompute="full"))
        't=2 d=128 zero=3'
    """
    of_kind("layout", layout, Layout)
    parts = [f"{letter}={size}" for letter, name in _SHOWN.items() if (size := getattr(layout, name)) > 1]
    parts += [f"etp={layout.expert_tensor}"] if layout.expert_tensor > 1 else []
    return " ".join([*parts, f"zero={layout.stage}"])


def read_layout(written: str, *, gpus: int) -> WrittenLayout:
    """Return the layout that a person has written: letters or names with their sizes, in any order.

    Args:
        written: such as ``t=8 p=4 zero=1``. What is not named is 1, but for the data axis, which takes the GPUs that
            the others leave.
        gpus: GPUs of the cluster.

    Returns:
        The layout, and what its layers make again.

    Raises:
        ValueError: if a word is none of a layout's, stands twice, or the sizes do not make up the GPUs.

    Source: the book's alphabet, docs/notation.md; ``tp``, ``pp`` and the like are the field's.
    Convention: sequence parallelism wherever t is above 1.
    Leaves out: uneven stages, the order of the axes and the kind of context parallelism.

    Example:
        >>> read_layout("t=8, p=4, zero=1", gpus=256).layout.data
        8
        >>> read_layout("t=8 x=3", gpus=256)
        Traceback (most recent call last):
        ...
        ValueError: written must name t, p, v, c, d, e, b, zero or recompute, such as t=8 p=4 zero=1, got 'x'
    """
    found = _pairs(text("written", written), positive_integer("gpus", gpus))
    keep = named("recompute", found.pop("recompute", "none"), KEEPS)
    sizes: dict[str, Any] = {name: int(size) for name, size in found.items()}
    others = sizes.get("tensor", 1) * sizes.get("pipeline", 1) * sizes.get("context", 1)
    if "data" not in sizes:
        if others < 1 or gpus % others:
            raise ValueError(f"t × p × c must divide the {gpus} GPUs, got {others}")
        sizes["data"] = gpus // others
    elif others * sizes["data"] != gpus:
        raise ValueError(f"t × p × c × d must be the {gpus} GPUs, got {others * sizes['data']}")
    layout = Layout(**sizes, recompute="none" if keep == "some" else keep, sequence_parallel=sizes.get("tensor", 1) > 1)
    return WrittenLayout(layout, keep)


def _pairs(written: str, gpus: int) -> dict[str, str]:
    """Return what a line names, by the layout's own names."""
    found: dict[str, str] = {}
    rest = written.strip().casefold()[:_MOST_CHARACTERS]
    if not rest:
        raise ValueError(f"written must name at least one axis, such as t=8, for {gpus} GPUs, got nothing")
    rest = re.sub(r"\bzero[\s-]+(?=\d)", "zero=", re.sub(r"\s*[=:]\s*", "=", rest))
    for word in re.split(r"[,;·\s]+", rest):
        letter, sign, value = word.partition("=")
        if not sign:
            parts = re.fullmatch(r"([a-z_]+)(\d+)", word)
            letter, value = parts.groups() if parts else (word, "")
        name = _NAMES.get(letter)
        if name is None:
            raise ValueError(
                f"written must name t, p, v, c, d, e, b, zero or recompute, such as t=8 p=4 zero=1, got {letter[:20]!r}"
            )
        if name in found:
            raise ValueError(f"written must name {letter} once, got it twice")
        if name != "recompute" and not re.fullmatch(rf"\d{{1,{_DIGITS}}}", value):
            raise ValueError(f"{letter} must be a whole number, got {value[:20]!r}")
        found[name] = value
    return found


def line_parts(layout: Layout, *, keep: str | None = None) -> Mapping[str, int | str]:
    """Return a layout as a table has it: each axis in the book's letter, ZeRO's stage, and what is made again.

    Args:
        layout: the layout.
        keep: as in ``layout_line``.

    Returns:
        Letter → size, ``"zero"`` → stage, ``"recompute"`` → what is made again.

    Source: the book's alphabet, docs/notation.md.
    Leaves out: as ``layout_line``.

    Example:
        >>> line_parts(Layout(tensor=2, data=128, stage=3), keep="some")["d"]
        128
    """
    of_kind("layout", layout, Layout)
    sizes = {letter: getattr(layout, name) for letter, name in _SHOWN.items()}
    again = layout.recompute if keep is None else named("keep", keep, KEEPS)
    return {**sizes, "zero": layout.stage, "recompute": again}
