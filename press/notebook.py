"""The notebook that a chapter's page offers: the chapter's twin, told where it can get the book's package."""

from __future__ import annotations

import json
from collections.abc import Callable

from press.addresses import Addresses

# Every chapter has this cell, tagged ``setup``. It names no address: whoever reads it has the book or a copy of a page.
SETUP = """\
import importlib.util

if importlib.util.find_spec("snippets") is None:
    raise ModuleNotFoundError(
        "The book's package is missing: open this notebook in the book's folder, "
        "in an environment made by `pip install -r requirements.txt`."
    )"""

# ``%pip`` and not ``pip``: Jupyter and Colab then install where the notebook's own kernel looks.
_INSTALLING = """\
import importlib.util

if importlib.util.find_spec("snippets") is None:  # true on Colab: fetch the book's package
    %pip install --quiet "{requirement}\""""


def published(twin: bytes, addresses: Addresses, led_out: Callable[[str], str]) -> bytes:
    """Return a twin as its page offers it.

    Where the book has a repository, the copy finds its own way: the set-up cell installs the package from there, links
    lead to the web, and no tool takes it for the pair of a chapter.

    Args:
        twin: the executed notebook beside the chapter.
        addresses: where the book is.
        led_out: leads the links of a cell's Markdown to the web.
    """
    if not addresses.repository:
        return twin
    notebook = json.loads(twin)
    for name in ("jupytext", "press"):
        notebook["metadata"].pop(name, None)
    for cell in notebook["cells"]:
        if "setup" in cell["metadata"].get("tags", []):
            cell["source"] = _INSTALLING.format(requirement=addresses.requirement)
        elif cell["cell_type"] == "markdown":
            cell["source"] = led_out("".join(cell["source"]))
    return (json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
