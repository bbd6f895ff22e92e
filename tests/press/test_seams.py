"""The seams by which the press uses mkdocs-jupyter hold, and the press's core knows nothing of MkDocs."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat

from press import mkdocs_hook

PRESS = Path(mkdocs_hook.__file__).parent


def test_the_version_is_the_one_that_was_tried() -> None:
    assert version("mkdocs-jupyter") == "0.26.3"


def test_only_one_file_knows_the_generator() -> None:
    for path in PRESS.rglob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
        }
        knows = names & {"mkdocs", "mkdocs_jupyter", "material", "nbconvert"}
        assert not knows or path.name == "mkdocs_hook.py", f"{path.name} imports {knows}"


class Maker:
    """Stands in for a PageMaker: shows what it was asked."""

    def cell(self, cell: Any) -> str:
        return f'<svg viewBox="0 0 1 1"/>[{cell["cell_type"]}:{cell["source"]}]'


def test_every_cell_passes_through_our_filter_and_nothing_is_added_or_rewritten(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("prose"), nbformat.v4.new_code_cell("1 + 1")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    path = tmp_path / "a.ipynb"
    nbformat.write(notebook, path)
    body = mkdocs_hook._walk(Maker(), path)  # type: ignore[arg-type]
    svg = '<svg viewBox="0 0 1 1"/>'
    assert body == f"{svg}[markdown:prose]{svg}[code:1 + 1]"


def test_a_build_without_new_chapters_does_not_import_it() -> None:
    code = (
        "import sys, press.mkdocs_hook; print(sorted({'mkdocs_jupyter', 'nbconvert', 'jupytext'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
