"""Refuses cells that would not do what they say: fences that Jupytext takes for text, unknown tags and attributes."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import Any

from press.reading.sources import UNREADABLE
from press.running.freshness import parsed

TAGS = {
    "check": "folded to one line: ✓ checked, and the comment with which the cell begins",
    "hide-input": "the code is folded below its output",
    "raises-exception": "the cell is meant to fail",
    "remove-cell": "the page leaves the cell out",
    "remove-input": "the page leaves the code out",
    "remove-output": "the page leaves the output out",
    "setup": "for notebooks that are opened elsewhere; the page leaves the cell out",
    "skip-execution": "the cell is not run",
}
CHECK = "check"
# Beside tags and timeout, what Jupyter's own editors write, which changes nothing here.
ATTRIBUTES = {"tags", "timeout", "collapsed", "deletable", "editable", "jupyter", "name", "scrolled", "slideshow"}
_JUPYTEXTS_OWN = {"language", "lines_to_next_cell"}
_BADLY_WRITTEN = "incorrectly_encoded_metadata"  # where Jupytext puts what it cannot read
_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")
_LANGUAGE = re.compile(r"[{.\s]*([\w-]*)")
# Commands of IPython: a magic, a shell's, help. A fence like ```bash or ```python3 is to Jupytext a cell with %%bash.
_NO_PYTHON = re.compile(r"\s*(?:[%!?]|[\w.,*\[\] ]+=\s*[%!])|.*\?\s*$")
_CODE = {"code", "code-cell", "ipython", "ipython3", "py", "python", "python2", "python3"}


def cell_findings(cells: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, str]]:
    """Find what is wrong with the cells of a notebook: index of the cell, line in it (-1: its fence), sentence.

    Args:
        cells: of a notebook, as Jupytext reads it from the chapter.
    """
    for index, cell in enumerate(cells):
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from ((index, line, message) for line, message in _fences(source))
        else:
            yield from ((index, -1, message) for message in _attributes(cell["metadata"]))
            if "skip-execution" not in cell["metadata"].get("tags", []):
                yield from ((index, line, message) for line, message in _run_elsewhere(source))
            if CHECK in cell["metadata"].get("tags", []) and (message := _no_check(source)):
                yield index, -1, message


def _fences(text: str) -> Iterator[tuple[int, str]]:
    """Find the fences of a text that look like cells and are none."""
    opened = ""
    for number, line in enumerate(text.split("\n")):
        fence = _FENCE.match(line)
        if fence is None or (opened and not (fence["marks"][0] == opened[0] and len(fence["marks"]) >= len(opened))):
            continue
        info = fence["info"].strip()
        language = _LANGUAGE.match(info)
        if language and language[1].lower() in _CODE and ".noeval" not in info.split():
            yield number, _not_a_cell(line.strip(), opened)
        opened = "" if opened and not info else opened or fence["marks"]


def _not_a_cell(line: str, opened: str) -> str:
    if opened:
        return (
            f"{line} begins inside of a fence that is still open, so it would not be executed: close that one before, "
            f"or show a fence inside of a longer one ({opened[0] * (len(opened) + 1)}text)"
        )
    return (
        f"{line} looks like a cell and would not be executed: a cell begins with ```python at the start of a line, "
        "code that is only shown with ```text or ```python .noeval"
    )


def _run_elsewhere(source: str) -> Iterator[tuple[int, str]]:
    """Find the first line of a cell that IPython would hand to a shell, another interpreter or a command of its own."""
    try:
        ast.parse(source)
    except UNREADABLE:
        for number, line in enumerate(source.split("\n")):
            if _NO_PYTHON.match(line):
                yield (
                    number,
                    f"{line.strip()[:40]} is no Python, and what it prints would count as computed by the book: a cell "
                    "is Python alone, and code that is only shown stands below ```text",
                )
                return


def _attributes(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Find what is wrong with the attributes of a code cell."""
    if _BADLY_WRITTEN in metadata:
        written = metadata[_BADLY_WRITTEN]
        yield f'the attributes of the cell cannot be read: {written} (write them like tags=["hide-input"] timeout=120)'
        return
    if "language" in metadata:
        yield f"a cell's language is written in small letters, got {metadata['language']}"
    for name in sorted(metadata.keys() - ATTRIBUTES - _JUPYTEXTS_OWN):
        yield f"a cell has no attribute {name!r}{_near(name, ATTRIBUTES)}"
    for tag in metadata.get("tags", []):
        if tag not in TAGS:
            yield f"a cell has no tag {tag!r}{_near(tag, TAGS)}"
    limit = metadata.get("timeout", 1)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < math.inf:
        yield f"a cell's timeout must be a positive number of seconds, got {limit!r}"


def checked(source: str) -> tuple[str, str]:
    """Return what a cell of checks says it checks, which is the comment at its beginning, and the code below.

    >>> checked("# the ring's bytes,\\n# for 4 ranks\\nassert ring(4) == 6")
    ("the ring's bytes, for 4 ranks", 'assert ring(4) == 6')
    """
    lines = source.split("\n")
    said = list(takewhile(lambda line: line.startswith("# "), lines))
    return " ".join(line[2:].strip() for line in said), "\n".join(lines[len(said) :]).lstrip("\n")


def _no_check(source: str) -> str:
    said, code = checked(source)
    if not said:
        return "a cell of checks begins with a comment that says what is checked: # the ring's bytes, against …"
    if not any(isinstance(node, ast.Assert) for node in ast.walk(parsed(code))):
        return "a cell of checks asserts something, this one does not"
    return ""


def _near(name: str, known: Mapping[str, str] | set[str]) -> str:
    near = get_close_matches(name, sorted(known), n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(sorted(known))}"
