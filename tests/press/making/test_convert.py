"""Outputs come from nbconvert's templates, through mkdocs-jupyter, whatever the reader's own Jupyter is set to."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from jupyter_core import paths
from made_page import CHAPTER, MadePages
from mkdocs.config.base import load_config
from mkdocs.exceptions import Abort
from small_book import MKDOCS, SmallBook

from press import mkdocs_hook
from press.making import convert

PRESS = Path(convert.__file__).parent
SVG = '<svg viewBox="0 0 1 1" width="1" height="1"></svg>'


def shown(data: dict[str, str], **book: str) -> dict[str, Any]:
    return {"output_type": "display_data", "metadata": {"book": book} if book else {}, "data": data}


OUTPUTS: list[dict[str, Any]] = [
    {"output_type": "stream", "name": "stdout", "text": "1 < 2\n"},
    {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "3"}},
    shown({"text/html": "<table><tr><td>4</td></tr></table>"}),
    {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": ["\x1b[31mValueError\x1b[39m: x < y"]},
    shown({"image/svg+xml": SVG}, role="panel", alt="A line"),
    shown({"text/markdown": "All of *it*."}, role="caption"),
]
PAGE = """\
<div class="jp-OutputArea jp-Cell-outputArea">
<div class="jp-OutputArea-child">
<div class="jp-RenderedText jp-OutputArea-output" data-mime-type="text/plain">
<pre>1 &lt; 2
</pre>
</div>
</div>
<div class="jp-OutputArea-child">
<div class="jp-RenderedText jp-OutputArea-output" data-mime-type="text/plain">
<pre>3</pre>
</div>
</div>
<div class="jp-OutputArea-child">
<div class="jp-RenderedHTMLCommon jp-RenderedHTML jp-OutputArea-output" data-mime-type="text/html">
<table><tr><td>4</td></tr></table>
</div>
</div>
<div class="jp-OutputArea-child">
<div class="jp-RenderedText jp-OutputArea-output" data-mime-type="application/vnd.jupyter.stderr">
<pre>
<span class="ansi-red-fg">ValueError</span>: x &lt; y</pre>
</div>
</div>
<div class="jp-OutputArea-child">
<figure class="book-figure" id="figure-1">
<div aria-label="A line" class="panels" role="img">\
<div class="jp-RenderedSVG jp-OutputArea-output" data-mime-type="image/svg+xml">
<svg aria-hidden="true" viewBox="0 0 1 1" width="1" height="1"></svg>
</div></div>
<figcaption><strong>Figure 1.</strong> All of <em>it</em>.</figcaption>
</figure>
</div>
</div>
"""


@pytest.fixture(autouse=True)
def _new_exporter() -> Iterator[None]:
    """Let each test have its own templates: a process keeps its exporter."""
    convert._exporter.cache_clear()
    yield
    convert._exporter.cache_clear()


@pytest.fixture
def executed(made_pages: MadePages) -> MadePages:
    """Return a book whose chapter shows something of each kind."""
    made_pages.chapter("So *much*.\n", OUTPUTS)
    return made_pages


def test_the_version_is_the_one_that_was_tried() -> None:
    assert version("mkdocs-jupyter") == "0.26.3"


def test_one_file_knows_the_generator_and_one_the_converter() -> None:
    owners = {"mkdocs": "mkdocs_hook.py", "material": "mkdocs_hook.py", "mkdocs_jupyter": "convert.py"}
    for path in PRESS.rglob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
        }
        for name in names & {*owners, "nbconvert"}:
            assert path.name == owners.get(name), f"{path.name} imports {name}"


def test_a_second_chapter_costs_no_compiling(executed: MadePages, monkeypatch: pytest.MonkeyPatch) -> None:
    here = executed.rendered(CHAPTER).html
    shutil.rmtree(executed.root / ".press")
    monkeypatch.setattr("jinja2.Environment.compile", None)
    assert executed.rendered(CHAPTER).html == here


def test_each_output_stands_in_the_page_as_nbconvert_writes_it(executed: MadePages) -> None:
    page = executed.rendered(CHAPTER).html
    assert page.partition("</code></pre></div>\n")[2] == f"{PAGE}</div>\n<p>So <em>much</em>.</p>"
    assert executed.problems() == []


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ("stream_stdout", "1 &lt; 2"),
        ("data_text", "<pre>3</pre>"),
        ("data_html", "<td>4</td>"),
        ("error", "ValueError"),
        ("data_svg", "<svg"),
    ],
)
def test_a_page_changes_when_nbconverts_template_does(
    executed: MadePages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: str, part: str
) -> None:
    here = Path(sys.prefix, "share/jupyter/nbconvert")
    shutil.copytree(here, tmp_path / "nbconvert")
    template = tmp_path / "nbconvert/templates/lab/base.html.j2"
    before, start, after = template.read_text().partition(f"block {block} ")
    template.write_text(before + start + after.replace('<div class="', '<div class="changed ', 1))
    monkeypatch.setattr(paths, "ENV_JUPYTER_PATH", [str(tmp_path)])
    page = executed.rendered(CHAPTER).html
    others, changed = page.split('<div class="changed ')
    assert part in changed.partition("</div>")[0]
    assert part not in others


def test_a_page_changes_when_our_template_does(
    executed: MadePages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(convert.TEMPLATES, templates)
    template = templates / "mkdocs_html/notebook.html.j2"
    template.write_text(template.read_text().replace('<figure class="', '<figure class="changed '))
    monkeypatch.setattr(convert, "TEMPLATES", templates)
    assert '<figure class="changed book-figure" id="figure-1">' in executed.rendered(CHAPTER).html


def test_a_template_that_loses_a_part_of_a_cell_is_refused(
    executed: MadePages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(convert.TEMPLATES, templates)
    template = templates / "mkdocs_html/notebook.html.j2"
    template.write_text(template.read_text().replace("{{ figure.caption }}", ""))
    monkeypatch.setattr(convert, "TEMPLATES", templates)
    message = "ValueError: the template of notebooks leaves out or repeats a part of a cell"
    assert executed.problems() == [f"{CHAPTER}:1: the page could not be made: {message}"]


def test_the_readers_own_jupyter_changes_nothing(
    executed: MadePages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = executed.rendered(CHAPTER).html
    shutil.rmtree(executed.root / ".press")
    settings, data = tmp_path / "settings", tmp_path / "data"
    settings.mkdir()
    (settings / "jupyter_nbconvert_config.py").write_text("c.TemplateExporter.exclude_output = True\n")
    template = data / "nbconvert/templates/lab/base.html.j2"
    template.parent.mkdir(parents=True)
    template.write_text("mine")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(settings))
    monkeypatch.setenv("JUPYTER_PATH", str(data))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(data))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    assert executed.rendered(CHAPTER).html == here
    assert os.environ["JUPYTER_PATH"] == str(data)


@pytest.mark.parametrize(("module", "name"), [("mkdocs_jupyter", "mkdocs-jupyter"), ("nbconvert", "nbconvert")])
def test_without_the_converter_a_build_says_what_to_install(
    small_book: SmallBook, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Abort, match=rf"^{name}, which converts the executed .* pip install -r requirements\.txt$"):
        mkdocs_hook.on_pre_build(load_config(str(small_book.root / "mkdocs.yml")))


@pytest.mark.book
def test_without_mkdocs_jupyter_the_build_fails(small_book: SmallBook, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['mkdocs_jupyter'] = None\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [*MKDOCS, "build"], cwd=small_book.root, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "mkdocs-jupyter, which converts the executed notebooks, is not installed: pip install -r" in done.stdout
    assert not (small_book.root / "site/index.html").exists()


def test_a_build_without_new_chapters_does_not_import_it() -> None:
    code = (
        "import sys, press.mkdocs_hook; print(sorted({'mkdocs_jupyter', 'nbconvert', 'jupytext'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
