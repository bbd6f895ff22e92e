"""The tools that the book's benchmark puts beside the press: how each takes the book's chapters, and builds them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import yaml

STOCK = "stock"
JUPYTER_BOOK = "jupyter-book"
BUILD_TIMEOUT_S = 1800
CODE = ("snippets", "exercises", "grader", "labs")  # what the chapters' cells import or read
RAISED = "Traceback (most recent call last)"
EQUATION = re.compile(r"\$\$\s*(\\begin\{equation\}.*?\\end\{equation\})\s*\$\$", re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^)\s]+)\.md(?=[#) ])")


class BuildError(Exception):
    """A tool's command line failed, or its pages do not show what the chapters print."""


@dataclass(frozen=True)
class Peer:
    """A tool that builds the book's chapters.

    Attributes:
        folder: the tool's own copy of the book, with the chapters as notebooks.
        command: what builds it there.
        pages: where a chapter's page is, from its place: ``site/{}/index.html``.
        configure: writes the tool's settings, given the folder and the chapters' places.
    """

    folder: Path
    command: Sequence[str]
    pages: str
    configure: Callable[[Path, Sequence[str]], None]

    def take(self, book: Path) -> None:
        """Take the chapters of a book, and what they import and read."""
        for package in CODE:
            shutil.copytree(book / package, self.folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        chapters = chapters_of(book)
        for chapter in chapters:
            self.take_chapter(book, chapter)
        self.configure(self.folder, [place(chapter) for chapter in chapters])

    def take_chapter(self, book: Path, chapter: str) -> None:
        """Take a chapter, ``chapters/memory/22-zero.md``, as it now stands."""
        to_notebook(book / chapter, (self.folder / chapter).with_suffix(".ipynb"))

    def build(self) -> float:
        """Build, and return the seconds that it took; no setting or cache of the person who measures has a say."""
        settings = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "MPLCONFIGDIR")
        own = {name: str(self.folder / ".tool" / name.lower()) for name in settings}
        begun = time.perf_counter()
        run(self.command, folder=self.folder, environment={**os.environ, **own, "PYTHONPATH": str(self.folder)})
        return time.perf_counter() - begun

    def page(self, chapter: str) -> str:
        """Return the HTML of a chapter's page, empty where the tool made none."""
        path = self.folder / self.pages.format(place(chapter))
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def not_taken(self, book: Path) -> list[str]:
        """Return the places of the chapters that have no page, or one with a cell that raised."""
        pages = {place(chapter): self.page(chapter) for chapter in chapters_of(book)}
        return [chapter for chapter, page in pages.items() if not page or RAISED in page]


def chapters_of(book: Path) -> list[str]:
    """Return the chapters' files from the book's root; the pages of parts are none."""
    paths = sorted(book.glob("chapters/*/*.md"))
    return [path.relative_to(book).as_posix() for path in paths if path.name != "index.md"]


def place(chapter: str) -> str:
    """Return where a site has a chapter.

    >>> place("chapters/memory/22-zero.md")
    'memory/22-zero'
    """
    return chapter.removeprefix("chapters/").removesuffix(".md")


def stock(work: Path) -> Peer:
    """Return mkdocs-jupyter with ``execute: true`` and every other option at its default (``cache: true``)."""
    command = [sys.executable, "-m", "mkdocs", "build"]
    return Peer(work / STOCK, command, "site/{}/index.html", _configure_stock)


def jupyter_book(work: Path) -> Peer:
    """Return Jupyter Book 1, executing through its cache; its environment is made from its pins."""
    environment = work / "environment"
    venv.create(environment, with_pip=True)
    pins = str(Path(__file__).with_name("requirements-jupyter-book.txt"))
    run([str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "-r", pins], folder=work)
    command = [str(environment / "bin" / "jupyter-book"), "build", "."]
    return Peer(work / JUPYTER_BOOK, command, "_build/html/chapters/{}.html", _configure_jupyter_book)


PEERS = {STOCK: stock, JUPYTER_BOOK: jupyter_book}


def _configure_stock(folder: Path, places: Sequence[str]) -> None:
    (folder / "chapters" / "index.md").write_text("# The chapters\n", encoding="utf-8")
    settings = {
        "site_name": "The chapters",
        "docs_dir": "chapters",
        "theme": {"name": "material", "font": False},
        "plugins": ["search", {"mkdocs-jupyter": {"execute": True}}],
        "nav": [{"Home": "index.md"}, *(f"{place}.ipynb" for place in places)],
    }
    _write_yaml(folder / "mkdocs.yml", settings)


def _configure_jupyter_book(folder: Path, places: Sequence[str]) -> None:
    (folder / "index.md").write_text("# The chapters\n", encoding="utf-8")
    extensions = ["amsmath", "colon_fence", "dollarmath", "linkify", "substitution", "tasklist"]
    settings = {
        "title": "The chapters",
        "only_build_toc_files": True,
        # mkdocs-jupyter, too, shows an exception in the page and goes on
        "execute": {"execute_notebooks": "cache", "timeout": 120, "allow_errors": True},
        "parse": {"myst_enable_extensions": extensions},
    }
    _write_yaml(folder / "_config.yml", settings)
    files = [{"file": f"chapters/{place}"} for place in places]
    _write_yaml(folder / "_toc.yml", {"format": "jb-book", "root": "index", "chapters": files})


def to_notebook(chapter: Path, notebook: Path) -> None:
    """Write a chapter as the notebook that the other tools read: links lead to notebooks, equations stand bare."""
    content = jupytext.read(chapter)
    content.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content.cells = [cell for cell in content.cells if cell.cell_type != "raw"]
    for cell in content.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"\1.ipynb", EQUATION.sub(r"\1", cell.source))
    notebook.parent.mkdir(parents=True, exist_ok=True)
    jupytext.write(content, notebook)


def run(command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command line and return what it printed.

    Raises:
        BuildError: it failed, or took longer than ``BUILD_TIMEOUT_S``; with the end of what it printed.
    """
    name = f"{' '.join(command)} (in {folder})"
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=BUILD_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"{name} took longer than {BUILD_TIMEOUT_S} s") from None
    if done.returncode:
        raise BuildError(f"{name} returned {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def _write_yaml(path: Path, content: Any) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
