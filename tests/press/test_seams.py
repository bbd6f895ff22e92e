"""The seams by which the press uses mkdocs-jupyter hold, and the press's core knows nothing of MkDocs."""

from __future__ import annotations

import ast
from importlib.metadata import version
from pathlib import Path

import mkdocs_jupyter.convert
import mkdocs_jupyter.plugin
import nbformat
from mkdocs_jupyter.config import settings
from nbconvert.exporters.templateexporter import default_filters

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


def test_every_cell_passes_through_our_filter_and_nothing_else_is_added(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("prose"), nbformat.v4.new_code_cell("1 + 1")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    path = tmp_path / "a.ipynb"
    nbformat.write(notebook, path)
    before = settings.templates_dir, default_filters.get("chapter_cell")
    settings.templates_dir = str(PRESS / "templates")
    default_filters["chapter_cell"] = lambda cell: f"[{cell['cell_type']}:{cell['source']}]"
    try:
        body, end, _ = mkdocs_jupyter.convert.nb2html(str(path)).partition(mkdocs_hook.END)
    finally:
        settings.templates_dir = before[0]
        default_filters.pop("chapter_cell")
        if before[1]:
            default_filters["chapter_cell"] = before[1]
    assert end
    assert body.strip() == "[markdown:prose][code:1 + 1]"


def test_the_headings_can_be_ours() -> None:
    assert callable(mkdocs_jupyter.plugin._get_nb_toc_tokens)
