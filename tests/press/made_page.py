"""Pages made as a build makes them, but without running a cell or a site generator."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jupytext
import yaml

from press.book import Book
from press.making.page import Rendered

ROOT = Path(__file__).parents[2]
PAGE = "docs/index.md"
CHAPTER = "chapters/part/01-one.md"
HEADER = """\
---
title: One
jupyter:
  jupytext:
    text_representation:
      extension: .md
      format_name: markdown
      format_version: '1.3'
---

"""


@functools.cache
def _extensions() -> tuple[list[str], dict[str, Any]]:
    """Return the site's extensions of Markdown, and their settings."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = yaml.safe_load(text)["markdown_extensions"]
    extensions = [entry if isinstance(entry, str) else next(iter(entry)) for entry in named]
    return extensions, {
        name: settings for entry in named if isinstance(entry, dict) for name, settings in entry.items()
    }


class MadePages:
    """A book in a folder: write files into it, and ask what the build would say of a page."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def chapter(self, prose: str, outputs: Sequence[dict[str, Any]] = (), path: str = CHAPTER) -> None:
        """Write a chapter of some prose, and above it, if there are outputs, a cell that gave them, on line 12."""
        cell = "```python\nrun()\n```\n\n" if outputs else ""
        self.write(path, HEADER + cell + prose)
        notebook = jupytext.reads(HEADER + cell + prose, fmt="md")
        for code in notebook.cells:
            if code.cell_type == "code":
                code["outputs"] = list(outputs)
        self.write(str(Path(path).with_suffix(".ipynb")), json.dumps(notebook))

    def book(self) -> Book:
        """Return the book as it now stands."""
        extensions, configs = _extensions()
        book = Book(
            self.root,
            docs="docs",
            source_url="https://example.org/blob/main/",
            extensions=extensions,
            extension_configs=configs,
        )
        others = [path.relative_to(self.root).as_posix() for path in self.root.glob("docs/**/*.md")]
        book.addresses = {
            path: path.partition("/")[2].removesuffix(".md").removesuffix("index")
            + "/" * (not path.endswith("index.md"))
            for path in [*book.chapters, *book.part_pages, *others]
        }
        return book

    def rendered(self, path: str = PAGE) -> Rendered:
        """Return a page as the build makes it."""
        return self.book().page(path)

    def problems(self) -> list[str]:
        """Return what the build would refuse."""
        book = self.book()
        return [str(problem) for problem in book.check({path: book.page(path) for path in book.addresses})]

    def problems_of(self, prose: str) -> list[str]:
        """Return what the build would refuse if a page said this."""
        self.write(PAGE, prose)
        return self.problems()
