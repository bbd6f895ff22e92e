"""Collects what the chapters correct: each claim, the cell that computes it and what the cell printed, on one page.

A claim is a warning in a chapter's section "Often said, and wrong": ``> [!WARNING]`` and the claim in bold. What
follows it up to the next claim, prose and cells, is its computation; of assertions only those of a claim without more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from press.making.pages import Page
from press.reading.links import moved
from press.running.cells import CHECK

PATH = "docs/corrections.md"
SECTION = "often said, and wrong"

_LEFT_OUT = {"remove-cell", "remove-input"}

_CLAIM = re.compile(r"^> \[!WARNING\]\n((?:>.*(?:\n|\Z))+)", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*\s*(.*)", re.DOTALL)
_REFERENCE = re.compile(r"\$\\eqref\{([^}]*)\}\$")
_HEADER = """---
title: "Corrections"
description: "Claims about distributed training that circulate and are wrong, with the computation that decides each."
---

# Often said, and wrong

Some claims about distributed training are repeated more often than they are computed. Here each stands with the
computation that decides it and with what that printed when this site was built. The text and the cells are those of the
chapters; a name that a cell does not define comes from the cells before it there. What was wrong in this book itself
stands on the page [Errata](errata.md).
"""


def corrections_page(chapters: Iterable[tuple[str, str, Sequence[Mapping[str, Any]]]]) -> Page:
    """Write the page of all corrections.

    Args:
        chapters: for each chapter its path relative to the root, its title, and the cells of its executed notebook.
    """
    lines = [_HEADER]
    for path, title, cells in chapters:
        found = _claims(path, cells)
        if found:
            lines += [f"## {title}", "", *found]
    return Page(PATH, PATH, "\n".join(lines).rstrip() + "\n", "Corrections")


def _claims(path: str, cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the Markdown of a chapter's claims."""
    lines: list[str] = []
    inside = computed = False
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            tags = set(cell["metadata"].get("tags", []))
            if inside and lines and not _LEFT_OUT & tags and not (computed and CHECK in tags):
                lines += _computed(source, cell.get("outputs", ()))
                computed = True
            continue
        for heading, text in _sections(source, inside):
            inside = heading
            if inside:
                computed = computed and not _CLAIM.search(text)
                lines += _prose(text, path, begun=bool(lines))
    return lines


def _sections(source: str, inside: bool) -> list[tuple[bool, str]]:
    """Cut a cell at its headings of the second level; say of each piece whether it belongs to the section."""
    pieces = re.split(r"^(## .*)$", source, flags=re.MULTILINE)
    found = [(inside, pieces[0])]
    for heading, text in zip(pieces[1::2], pieces[2::2], strict=True):
        found.append((heading[3:].strip().lower() == SECTION, text))
    return found


def _prose(text: str, path: str, *, begun: bool) -> list[str]:
    """Return the claims and the prose of a piece of the section, but for the prose before the first claim."""
    pieces = _CLAIM.split(text)
    lines = [_moved(pieces[0].strip(), path), ""] if begun and pieces[0].strip() else []
    for quoted, after in zip(pieces[1::2], pieces[2::2], strict=True):
        claim = _BOLD.match(re.sub(r"^> ?", "", quoted, flags=re.MULTILINE).strip())
        if claim is None:
            continue
        name = claim[1].strip().rstrip(".")
        back = posixpath.relpath(path, posixpath.dirname(PATH))
        lines += [f"### {_moved(name, path)}", "", _moved(claim[2].strip(), path), ""]
        lines += [f"[In its chapter]({back}#{SECTION.replace(',', '').replace(' ', '-')})", ""]
        lines += [_moved(after.strip(), path), ""] if after.strip() else []
    return lines


def _moved(text: str, path: str) -> str:
    """Return a chapter's Markdown so that its links hold on this page; an equation's number becomes a link's words."""
    way = posixpath.relpath(path, posixpath.dirname(PATH))
    return _REFERENCE.sub(lambda match: f"[the chapter's equation]({way}#{match[1]})", moved(text, path, PATH))


def _computed(source: str, outputs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a cell and what it printed."""
    printed = "".join("".join(output.get("text", "")) for output in outputs if output["output_type"] == "stream")
    lines = ["```python", *source.splitlines(), "```", ""]
    return [*lines, "```text", *printed.rstrip("\n").splitlines(), "```", ""] if printed else lines
