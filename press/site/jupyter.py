"""Writes a chapter's Markdown for notebooks: what only the pages' converter knows is said as notebooks understand it.

JupyterLab typesets whatever stands between two dollars of a paragraph, escaped ones too, and knows an equation's label
in its own cell alone; a fold that is open where a cell ends is closed there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from press.reading.markup import without

_EQUATION = re.compile(r"\\begin\{equation\}(.*?)\\end\{equation\}", re.DOTALL)
_LABEL = re.compile(r"\s*\\label\{([^}]*)\}")
_LONE_REFERENCE = re.compile(r"\$\\eqref\{([^}]*)\}\$")
_CALLOUT = re.compile(r"^> \[![A-Z]+\] *\n(?=> )", re.MULTILINE)
_FOLD = re.compile(r"<details\b[^>]*><summary>(?P<summary>.*?)</summary>|(?P<end></details>)", re.DOTALL)
_HIDDEN = {"source_hidden": True, "outputs_hidden": True}
DOLLAR = "<span>&#36;</span>"


def for_jupyter(cells: Sequence[dict[str, Any]]) -> None:
    """Change the cells of a notebook, in place, so that notebooks show what the page shows.

    A dollar is no sign of mathematics, equations and references have their numbers, a callout begins with its title,
    and a fold that goes over several cells hides them all.
    """
    texts = [holder for cell in cells for holder in _texts(cell)]
    numbers: dict[str, int] = {}
    count = 0
    for holder, key in texts:
        for equation in _EQUATION.finditer(_joined(holder[key])):
            count += 1
            numbers |= dict.fromkeys(_LABEL.findall(equation[1]), count)
    for holder, key in texts:
        holder[key] = _plain(_joined(holder[key]), numbers)
    _fold(cells)


def _texts(cell: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return where a cell holds Markdown: its source, or its outputs."""
    if cell["cell_type"] == "markdown":
        return [(cell, "source")]
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [(data, "text/markdown") for data in shown if "text/markdown" in data]


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _plain(text: str, numbers: dict[str, int]) -> str:
    """Return Markdown without what only the page's converter understands."""
    prose = without(text, {"code", "math", "comment"})
    pieces, end = [], 0
    for dollar in re.finditer(r"\\\$", prose):
        pieces += [text[end : dollar.start()], DOLLAR]
        end = dollar.end()
    text = _EQUATION.sub(lambda equation: _tagged(equation[1], numbers), "".join([*pieces, text[end:]]))
    for reference in (_LONE_REFERENCE, re.compile(r"\\eqref\{([^}]*)\}")):
        text = reference.sub(lambda found: f"({numbers[found[1]]})" if found[1] in numbers else found[0], text)
    return _CALLOUT.sub("", text)


def _tagged(equation: str, numbers: dict[str, int]) -> str:
    """Return an equation's TeX with its number in the place of its label."""
    labels = _LABEL.findall(equation)
    return _LABEL.sub("", equation).strip() + "".join(rf" \tag{{{numbers[label]}}}" for label in labels[:1])


def _fold(cells: Sequence[dict[str, Any]]) -> None:
    """Close each fold where its cell ends and open it again in the next; cells of code between the two are hidden."""
    summaries: list[str] = []
    for cell in cells:
        if cell["cell_type"] != "markdown":
            if summaries:
                cell["metadata"]["jupyter"] = {**cell["metadata"].get("jupyter", {}), **_HIDDEN}
            continue
        text = cell["source"].lstrip()
        while summaries and text.startswith("</details>"):  # nothing of the fold is left to show
            summaries, text = summaries[:-1], text.removeprefix("</details>").lstrip()
        opened = "".join(f"<details><summary>{summary}, continued</summary>\n\n" for summary in summaries)
        for tag in _FOLD.finditer(without(text, {"code", "math", "comment"})):
            if tag["end"]:
                del summaries[-1:]
            else:
                summaries.append(text[tag.start("summary") : tag.end("summary")])
        cell["source"] = opened + text + "\n\n</details>" * len(summaries)
