"""The three tools that the benchmark compares: how each is given the book, told to build it, and made to forget it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import yaml

from benchmarks.generated_book import (
    PER_PART,
    ROOT,
    generate_book,
    part_of,
    place,
    title,
    write_chapter,
    write_part,
)

PRESS = "press"
STOCK = "stock"
JUPYTER_BOOK = "jupyter-book"
INDEX = "# A generated book\n\nIts chapters were written by a program, to measure how long a book takes.\n"
BUILD_TIMEOUT_S = 1800


class BuildError(Exception):
    """A tool's command line failed, or its pages do not show what the chapters print."""


@dataclass(frozen=True)
class Tool:
    """One way of building the book.

    ``folder`` holds the tool's own copy of it, ``command`` builds it there, ``site`` is what it makes, ``forget`` are
    the further traces that a build leaves. ``configure`` writes the tool's configuration, ``adapt`` rewrites a chapter
    in a form that the tool reads.
    """

    name: str
    folder: Path
    command: Sequence[str]
    site: Path
    forget: Sequence[str]
    page: str
    configure: Callable[[Path, int], None]
    adapt: Callable[[Path], None] | None = None

    def write_book(self, chapters: int) -> None:
        """Write the whole book, and nothing else, into the tool's folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in generate_book(self.folder, chapters):
            if self.adapt:
                self.adapt(path)
        self.configure(self.folder, chapters)

    def edit_chapter(self, number: int, edition: int) -> None:
        """Change a line of prose and a code cell of one chapter."""
        path = write_chapter(self.folder, number, edition=edition)
        if self.adapt:
            self.adapt(path)

    def edit_snippet(self, part: int, edition: int) -> None:
        """Change the body of a function that all chapters of one part call."""
        write_part(self.folder, part, edition=edition)

    def clean(self) -> None:
        """Remove everything that earlier builds left: the site, executed notebooks, caches, fonts, byte code."""
        for pattern in (str(self.site.relative_to(self.folder)), ".tool", "**/__pycache__", *self.forget):
            for path in list(self.folder.glob(pattern)):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def build(self) -> None:
        """Run the tool's command line in the tool's folder.

        ``snippets`` is found there, and no setting or cache of the person who measures has a say.
        """
        settings = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "MPLCONFIGDIR")
        own = {name: str(self.folder / ".tool" / name.lower()) for name in settings}
        environment = {**os.environ, **own, "PYTHONPATH": str(self.folder)}
        run(self.command, folder=self.folder, environment=environment)

    def html(self, number: int) -> Path:
        """Return where the page of a chapter is."""
        return self.site / self.page.format(place(number))


def the_press(work: Path, folder: str = PRESS) -> Tool:
    """Return the press as it is in this checkout, with the book's own configuration."""
    book = work / folder
    command = [sys.executable, "-m", "mkdocs", "build"]
    made = [".press", "chapters/**/*.ipynb"]
    return Tool(PRESS, book, command, book / "site", made, "{}/index.html", configure_press)


def stock(work: Path) -> Tool:
    """Return mkdocs-jupyter as it comes, told to execute; the chapters become notebooks for it."""
    book = work / STOCK
    command = [sys.executable, "-m", "mkdocs", "build"]
    return Tool(STOCK, book, command, book / "site", [".cache"], "{}/index.html", configure_stock, to_notebook)


def jupyter_book(work: Path) -> Tool:
    """Return Jupyter Book 1, executing through its cache; the chapters become notebooks for it."""
    book = work / JUPYTER_BOOK
    command = [str(work / "jupyter-book-environment" / "bin" / "jupyter-book"), "build", "."]
    site = book / "_build"
    return Tool(JUPYTER_BOOK, book, command, site, [], "html/chapters/{}.html", configure_jupyter_book, to_notebook)


def configure_press(folder: Path, chapters: int) -> None:
    """Give the generated book the press, the theme and the configuration of this checkout."""
    shutil.copytree(ROOT / "press", folder / "press", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("*.md"))
    shutil.copyfile(ROOT / "requirements.txt", folder / "requirements.txt")
    (folder / "docs" / "index.md").write_text(INDEX, encoding="utf-8")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    settings.update(site_name="A generated book", nav=navigation(chapters, ".md"))
    _write_yaml(folder / "mkdocs.yml", settings)


def configure_stock(folder: Path, chapters: int) -> None:
    """Configure mkdocs-jupyter with ``execute: true`` and every other option at its default (``cache: true``)."""
    (folder / "chapters" / "index.md").write_text(INDEX, encoding="utf-8")
    settings = {
        "site_name": "A generated book",
        "docs_dir": "chapters",
        "theme": {"name": "material", "font": False},
        "plugins": ["search", {"mkdocs-jupyter": {"execute": True}}],
        "nav": navigation(chapters, ".ipynb"),
    }
    _write_yaml(folder / "mkdocs.yml", settings)


def configure_jupyter_book(folder: Path, chapters: int) -> None:
    """Configure Jupyter Book with ``execute_notebooks: cache``, and the extension that reads numbered equations."""
    (folder / "index.md").write_text(INDEX, encoding="utf-8")
    extensions = ["amsmath", "colon_fence", "dollarmath", "linkify", "substitution", "tasklist"]
    settings = {
        "title": "A generated book",
        "only_build_toc_files": True,
        "execute": {"execute_notebooks": "cache", "timeout": 120},
        "parse": {"myst_enable_extensions": extensions},
    }
    files = [{"file": f"chapters/{place(number)}"} for number in range(1, chapters + 1)]
    _write_yaml(folder / "_config.yml", settings)
    _write_yaml(folder / "_toc.yml", {"format": "jb-book", "root": "index", "chapters": files})


def navigation(chapters: int, suffix: str) -> list[Any]:
    """Return MkDocs' navigation of the book, whose chapters' files end in ``suffix``.

    >>> navigation(1, ".md")
    [{'Home': 'index.md'}, {'Part 1': [{'1 · Rings in bytes': 'part-1/01-chapter.md'}]}]
    """
    parts: list[Any] = [{"Home": "index.md"}]
    for part in range(1, part_of(chapters) + 1):
        numbers = range((part - 1) * PER_PART + 1, min(part * PER_PART, chapters) + 1)
        pages = [{f"{number} · {title(number)}": place(number) + suffix} for number in numbers]
        parts.append({f"Part {part}": pages})
    return parts


def to_notebook(path: Path) -> None:
    """Turn a chapter into the notebook that the other tools read: links lead to notebooks, equations stand bare."""
    notebook = jupytext.read(path)
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            bare = cell.source.replace("$$\n\\begin{equation}", "\\begin{equation}")
            cell.source = bare.replace("\\end{equation}\n$$", "\\end{equation}").replace(".md)", ".ipynb)")
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type != "raw"]
    jupytext.write(notebook, path.with_suffix(".ipynb"))
    path.unlink()


def make_jupyter_book_environment(work: Path) -> None:
    """Make the environment of Jupyter Book where it is missing or was made from other pins."""
    environment = work / "jupyter-book-environment"
    pins = (ROOT / "benchmarks" / "requirements-jupyter-book.txt").read_text(encoding="utf-8")
    stamp = environment / "made-from.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == pins:
        return
    venv.create(environment, clear=True, with_pip=True)
    requirements = str(ROOT / "benchmarks" / "requirements-jupyter-book.txt")
    install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "-r", requirements]
    run(install, folder=work)
    stamp.write_text(pins, encoding="utf-8")


def run(command: Sequence[str], *, folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a command line; where it fails, raise ``BuildError`` with the end of what it printed."""
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
    if done.returncode:
        raise BuildError(f"{' '.join(command)} (in {folder}) returned {done.returncode}:\n{done.stdout[-3000:]}")


def _write_yaml(path: Path, content: Any) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
