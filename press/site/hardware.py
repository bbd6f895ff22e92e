"""Writes the hardware page from the catalogue: every figure with its source and the date on which it was read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from press.making.pages import Page
from snippets import hardware
from snippets.foundations.hierarchy.memory_levels import MEMORY_LEVELS, MemoryLevel
from snippets.hardware import Accelerator, Link, Node

PATH = "docs/hardware.md"
SOURCE = "snippets/hardware.py"

_FORMATS = {"fp32": "fp32", "tf32": "TF32", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8", "int8": "int8", "fp4": "fp4"}
_INTRODUCTION = """---
title: "Hardware"
description: "The accelerators, links and nodes of the book: peaks, memory, bandwidth one way and both, with sources."
---

# Hardware

The figures that the book computes with: peaks that a maker prints, not what a program reaches. The page is written from
[the catalogue](../snippets/hardware.py), which the chapters' cells read too.

- **Bandwidth is in one direction.** What an advertisement prints stands beside it: for NVLink it adds both directions,
  for a network it counts bits.
- **Operations are dense.** A figure "with sparsity" is twice as large. A multiply-add is two operations.
- **A node is a domain inside which links are fast**: one machine of 8 GPUs, or a rack of 72.
- **GB are $10^9$ bytes.** A memory's size is what its maker prints. A printed GiB counts as $2^{30}$ bytes, a
  printed GB as $10^9$, even where GiB may be meant. fp32 is the vector units' rate, the other formats are the matrix
  units'.
- **Second-hand** marks figures that a source reports and that were not seen in the maker's own text.
"""


def hardware_page() -> Page:
    """Write the page."""
    sources = _Sources()
    lines = [_INTRODUCTION]
    lines += ["## Accelerators", "", *_accelerators(hardware.ACCELERATORS.values(), sources)]
    lines += ["## Links", "", *_links(hardware.LINKS.values(), sources)]
    lines += ["## Nodes", "", *_nodes(hardware.NODES.values(), sources)]
    lines += ["## Levels", "", *_levels(MEMORY_LEVELS.values(), sources)]
    lines += ["## Sources", "", *sources.lines()]
    return Page(PATH, SOURCE, "\n".join(lines).rstrip() + "\n", "Hardware")


class _Sources:
    """Numbers the sources in the order in which they are first named."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def mark(self, source: str, read: str) -> str:
        number = self._numbers.setdefault((source, read), len(self._numbers) + 1)
        return f"[{number}](#source-{number})"

    def lines(self) -> Iterator[str]:
        for (source, read), number in self._numbers.items():
            yield f'{number}. <span id="source-{number}"></span>{source.rstrip(".")}. Read {read}.'


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table; the cells of a column whose title names a unit or a count are numbers, set to the right."""
    sides = ["---:" if re.search(r"/s|GB|lanes", title) else "---" for title in titles]
    return [*(f"| {' | '.join(row)} |" for row in (titles, sides, *rows)), ""]


def _accelerators(entries: Collection[Accelerator], sources: _Sources) -> list[str]:
    peaks = (
        [
            entry.name,
            *(_number(getattr(entry.peaks, dtype), 10**12) for dtype in _FORMATS),
            sources.mark(entry.source, entry.read),
        ]
        for entry in entries
    )
    memory = (
        [
            entry.name,
            _number(entry.memory_bytes, 10**9),
            _number(entry.memory_bandwidth_bytes_per_s, 10**9),
            _number(entry.interconnect.bandwidth_bytes_per_s if entry.interconnect else None, 10**9),
        ]
        for entry in entries
    )
    return [
        *_table(["accelerator", *(f"{name}, TFLOP/s" for name in _FORMATS.values()), "source"], peaks),
        *_table(["accelerator", "memory, GB", "memory, GB/s", "link one way, GB/s"], memory),
    ]


def _links(entries: Iterable[Link], sources: _Sources) -> list[str]:
    return _table(
        ["link", "lanes", "one way, GB/s", "both ways, GB/s", "advertised as", "source"],
        (
            [
                entry.name,
                str(entry.lanes),
                _number(entry.bandwidth_bytes_per_s, 10**9),
                _number(2 * entry.bandwidth_bytes_per_s, 10**9),
                entry.advertised,
                sources.mark(entry.source, entry.read),
            ]
            for entry in entries
        ),
    )


def _nodes(entries: Iterable[Node], sources: _Sources) -> list[str]:
    return _table(
        ["node", "accelerators", "network ports", "network, GB/s", "a GPU's share, GB/s", "source"],
        (
            [
                entry.name,
                f"{entry.accelerators} × {entry.accelerator.name}",
                f"{entry.ports} × {entry.port.name}",
                _number(entry.network_bytes_per_s, 10**9),
                _number(entry.network_bytes_per_s_per_accelerator, 10**9),
                sources.mark(entry.source, entry.read),
            ]
            for entry in entries
        ),
    )


def _levels(entries: Iterable[MemoryLevel], sources: _Sources) -> list[str]:
    titles = ["place", "holds, GB", "for one GPU, GB/s", "first byte, ns", "pJ/bit", "known how", "source"]
    rows = (
        [
            entry.name,
            _number(entry.capacity_bytes, 10**9),
            _number(entry.bandwidth_bytes_per_s, 10**9),
            _number(entry.latency_s and entry.latency_s * 1e9, 1),
            _number(entry.picojoules_per_bit, 1),
            entry.how,
            sources.mark(entry.source, entry.read),
        ]
        for entry in entries
    )
    introduction = (
        "From registers to an object store, as one GPU of a DGX H100 sees them. A dash: no source was found. "
        "[Chapter 3](../chapters/foundations/03-hierarchy.md) says how to read them."
    )
    return [introduction, "", *_table(titles, rows)]


def _number(value: float | None, unit: int) -> str:
    """Return a figure in its unit to four digits, or a dash where the catalogue has none.

    >>> _number(31507692307, 10**9), _number(989400 * 10**9, 10**12), _number(None, 1)
    ('31.51', '989.4', '–')
    """
    return "–" if value is None else f"{float(f'{value / unit:.4g}'):,g}"
