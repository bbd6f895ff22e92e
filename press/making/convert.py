"""Converts an executed notebook to HTML through mkdocs-jupyter, by nbconvert's templates.

``press/templates`` extends nbconvert's own template, so what cells print, their tables, errors and pictures stand in
the page as nbconvert writes them. Its exporter parses the page and writes it anew, which is slow and loses the case of
names in SVG, so what the press itself makes (prose, code, figures) goes through as placeholders.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parents[1] / "templates"
END = "<!--press-end-of-chapter-->"  # mkdocs-jupyter appends style sheets of its own
_PLACEHOLDER = re.compile(r"<!--press-placeholder-(\d+)-->")


class Placeholders:
    """Pieces of HTML that are finished, and the comments that hold their places."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def hold(self, piece: str) -> str:
        """Keep a piece, and return what stands in its place."""
        self._pieces.append(piece)
        return f"<!--press-placeholder-{len(self._pieces) - 1}-->"

    def fill(self, page: str) -> str:
        """Put each piece in its place.

        Raises:
            ValueError: the page does not have each place once.
        """
        found = [int(number) for number in _PLACEHOLDER.findall(page)]
        if sorted(found) != list(range(len(self._pieces))):
            raise ValueError("the template of notebooks leaves out or repeats a part of a cell")
        return _PLACEHOLDER.sub(lambda match: self._pieces[int(match[1])], page)


def missing_converter() -> str | None:
    """Say what to install if notebooks cannot be converted here; ``None`` if they can."""
    for module, name in (("mkdocs_jupyter", "mkdocs-jupyter"), ("nbconvert", "nbconvert")):
        try:
            found = find_spec(module)
        except ImportError:
            found = None
        if found is None:
            return f"{name}, which converts the executed notebooks, is not installed: pip install -r requirements.txt"
    return None


def notebook_html(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML of a notebook's cells; the settings and templates of the reader's own Jupyter do not count."""
    from jupyter_core.paths import jupyter_config_dir
    from mkdocs_jupyter.config import settings
    from mkdocs_jupyter.convert import nb2html

    settings.templates_dir = str(TEMPLATES)
    logging.getLogger("mkdocs.mkdocs-jupyter").setLevel(logging.WARNING)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    with tempfile.TemporaryDirectory(prefix="press-") as folder:
        file = Path(folder, "notebook.ipynb")
        file.write_text(json.dumps(notebook), encoding="utf-8")
        own = {"JUPYTER_DATA_DIR": folder, "JUPYTER_NO_CONFIG": "1", "JUPYTER_PATH": "", "JUPYTER_PREFER_ENV_PATH": "1"}
        with _environment(own):
            try:
                html = nb2html(str(file), no_prompt=True)
            finally:
                shutil.rmtree(jupyter_config_dir(), ignore_errors=True)  # JUPYTER_NO_CONFIG makes an empty one
    return html.partition(END)[0]


@contextmanager
def _environment(own: Mapping[str, str]) -> Iterator[None]:
    """Set variables of this process's environment for a while."""
    before = dict(os.environ)
    os.environ.update(own)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
