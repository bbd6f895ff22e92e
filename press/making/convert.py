"""Converts an executed notebook to HTML through mkdocs-jupyter, by nbconvert's templates.

``press/templates`` extends nbconvert's own template, so what cells print, their tables, errors and pictures stand in
the page as nbconvert writes them. Its exporter parses the page and writes it anew, which is slow and loses the case of
names in SVG, so what the press itself makes (prose, code, figures) goes through as placeholders.
"""

from __future__ import annotations

import functools
import json
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

    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    with tempfile.TemporaryDirectory(prefix="press-") as folder:
        file = Path(folder, "notebook.ipynb")
        file.write_text(json.dumps(notebook), encoding="utf-8")
        own = {"JUPYTER_DATA_DIR": folder, "JUPYTER_NO_CONFIG": "1", "JUPYTER_PATH": "", "JUPYTER_PREFER_ENV_PATH": "1"}
        with _environment(own):
            try:
                html: str = _exporter().from_filename(str(file), resources={"mkdocs": {}})[0]
            finally:
                shutil.rmtree(jupyter_config_dir(), ignore_errors=True)  # JUPYTER_NO_CONFIG makes an empty one
    return html.partition(END)[0]


@functools.cache
def _exporter() -> Any:
    """Return the exporter with which ``mkdocs_jupyter.convert.nb2html`` converts.

    That function makes one, and so compiles nbconvert's templates, for each notebook; here a process makes one.
    """
    from mkdocs_jupyter import nbconvert2 as mkdocs_jupyter

    mkdocs_jupyter.default_filters["clean_html"] = _decoded  # as there
    return mkdocs_jupyter.HTMLExporter(
        config=mkdocs_jupyter.get_nbconvert_app(no_prompt=True).config,
        template_file="mkdocs_html/notebook.html.j2",
        extra_template_paths=[str(TEMPLATES)],
        preprocessors=[mkdocs_jupyter.SubCell],
        filters={"highlight_code": mkdocs_jupyter.mk_custom_highlight_code()},
        optimistic_validation=True,  # of the notebook once, not again after each of nbconvert's own preprocessors
    )


def _decoded(element: bytes | str) -> str:
    """Return a part of a page as it is: pictures are not cleaned."""
    return element.decode() if isinstance(element, bytes) else str(element)


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
