"""The notebook that a chapter's page offers: the executed one, with where it can get the book's package."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from press.making.exercise import cells_of, shown_in
from press.site.addresses import PACKAGE, Addresses
from press.site.jupyter import for_jupyter

# Every chapter has this cell, tagged ``setup``. It names no address: whoever reads it has the book or a copy of a page.
SETUP = """\
import importlib.util

if importlib.util.find_spec("snippets") is None:
    raise ModuleNotFoundError(
        "The book's package is missing: open this notebook in the book's folder, "
        "in an environment made by `pip install -r requirements.txt`."
    )"""

# ``%pip`` and not ``pip``: Jupyter and Colab then install where the notebook's own kernel looks. Cells ask for graders,
# exercises and recorded labs too, which the package alone has not: pip fetches the repository into a folder beside the
# notebook and installs from there. A kernel that is running does not look there by itself.
_INSTALLING = """\
import importlib.util
import os
import sys

if not all(map(importlib.util.find_spec, ("snippets", "grader"))):  # true on Colab: fetch the book
    %pip install --quiet --src . --editable "{requirement}"
    sys.path.insert(0, os.path.abspath("{folder}"))"""


def published(
    executed: bytes,
    path: str,
    addresses: Addresses,
    led_out: Callable[[str], str],
    exercises: Mapping[str, Mapping[str, Any]],
) -> bytes:
    """Return an executed notebook as its page offers it: exercises are cells to write in and cells that grade them.

    It begins with the chapter's title, not with the header of the chapter's file; its text is written for notebooks.

    Where the book has a repository, the copy finds its own way: the set-up cell installs the book from there, links
    lead to the web, and no tool takes it for the pair of a chapter.

    Args:
        executed: the executed notebook beside the chapter.
        path: the chapter's path from the root.
        addresses: where the book is.
        led_out: leads the links of a cell's Markdown to the web.
        exercises: what is known of each exercise, by its module's path.
    """
    notebook = json.loads(executed)
    if notebook["cells"][0]["cell_type"] == "raw":
        del notebook["cells"][0]
    notebook["cells"] = [part for cell in notebook["cells"] for part in _with_exercises(cell, path, exercises)]
    for_jupyter(notebook["cells"])
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("book", None)  # what only a page can use
    for name in ("jupytext", "press"):  # it is no pair of the chapter's any more
        notebook["metadata"].pop(name, None)
    if addresses.repository:
        for cell in notebook["cells"]:
            if "setup" in cell["metadata"].get("tags", []):
                cell["source"] = _INSTALLING.format(requirement=addresses.requirement, folder=PACKAGE)
            elif cell["cell_type"] == "markdown":
                cell["source"] = led_out("".join(cell["source"]))
    return (json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _with_exercises(
    cell: dict[str, Any], path: str, exercises: Mapping[str, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield a cell, cut where it shows an exercise or a solution."""
    text = "".join(cell["source"])
    if cell["cell_type"] != "markdown" or not shown_in(text, path):
        yield cell
        return
    for number, (kind, source) in enumerate(cells_of(text, path, exercises)):
        made = {"cell_type": kind, "id": f"{cell.get('id', 'cell')}-{number}", "metadata": {}, "source": source}
        yield made if kind == "markdown" else {**made, "execution_count": None, "outputs": []}
