"""Decides whether a chapter has to be executed again.

A chapter's digest covers, by content:

- its code cells, in order, and the tags that change how they run;
- every module of this repository that they reach by import: ``import a.b``, ``from a import b``, relative imports,
  imports inside functions, the ``__init__.py`` of every package on the way, and the data files beside a reached module;
- the files that the chapter's header names under ``inputs`` (patterns relative to the root);
- ``requirements.txt`` and the version of Python;
- the press's own execution (``execute.py``, ``forge.py``).

Prose is not covered. What the digest cannot see: imports by computed names, and files that a cell opens by path and
that ``inputs`` does not name.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

_OWN = ("execute.py", "forge.py")


class Freshness:
    """Computes digests for one build; what many chapters import is read and parsed once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._imports: dict[Path, tuple[Path, ...]] = {}
        self._contents: dict[Path, bytes] = {}
        self._common = self._digest_of_common()

    def digest(self, code: Sequence[tuple[str, Sequence[str]]], inputs: Sequence[str] = ()) -> str:
        """Return the digest of a chapter.

        Args:
            code: source and tags of each code cell.
            inputs: patterns, relative to the root, of files that the cells open by path.
        """
        total = sha256(self._common)
        for source, tags in code:
            total.update(sha256(repr((source, sorted(set(tags) & {"raises-exception"}))).encode()).digest())
        for path in self._reached([source for source, _ in code]):
            total.update(self._content(path))
        for pattern in inputs:
            for path in sorted(self._root.glob(pattern)):
                total.update(self._content(path))
        return total.hexdigest()

    def _digest_of_common(self) -> bytes:
        total = sha256(f"{sys.version_info[:2]}".encode())
        own = [Path(__file__).with_name(name) for name in _OWN]
        for path in [self._root / "requirements.txt", *own]:
            total.update(sha256(path.read_bytes() if path.exists() else b"").digest())
        return total.digest()

    def _content(self, path: Path) -> bytes:
        """Return the digest of a file's name and content; a folder's content is nothing."""
        if path not in self._contents:
            name = path.relative_to(self._root).as_posix().encode()
            self._contents[path] = sha256(name + b"\0" + (path.read_bytes() if path.is_file() else b"")).digest()
        return self._contents[path]

    def _reached(self, sources: Sequence[str]) -> list[Path]:
        """Return the files that the sources reach by import, in a fixed order."""
        waiting = [file for source in sources for file in self._files(parsed(source), self._root)]
        reached: set[Path] = set()
        while waiting:
            path = waiting.pop()
            if path in reached:
                continue
            reached.add(path)
            if path.suffix == ".py":
                waiting += self._imported_by(path)
                waiting += _beside(path)
        return sorted(reached)

    def _imported_by(self, path: Path) -> tuple[Path, ...]:
        if path not in self._imports:
            tree = parsed(path.read_text(encoding="utf-8"))
            self._imports[path] = tuple(self._files(tree, path.parent))
        return self._imports[path]

    def _files(self, tree: ast.AST, folder: Path) -> Iterator[Path]:
        """Yield the repository's files that the imports of a module in ``folder`` name."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._module(self._root, alias.name)
            elif isinstance(node, ast.ImportFrom):
                start = folder.parents[node.level - 2] if node.level > 1 else folder if node.level else self._root
                yield from self._module(start, node.module or "")
                for alias in node.names:
                    yield from self._module(start, f"{node.module or ''}.{alias.name}".strip("."))

    def _module(self, start: Path, name: str) -> Iterator[Path]:
        """Yield the files of a dotted name below ``start`` that exist, those of its parents first."""
        path = start
        if path != self._root and (path / "__init__.py").is_file():
            yield path / "__init__.py"
        for part in filter(None, name.split(".")):
            path = path / part
            for file in (path / "__init__.py", path.with_name(path.name + ".py")):
                if file.is_file():
                    yield file


def _beside(path: Path) -> list[Path]:
    """Return the data files that stand beside a module."""
    skipped = {".py", ".pyc", ".ipynb", ".md"}
    return [file for file in path.parent.iterdir() if file.is_file() and file.suffix not in skipped]


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell or module; IPython's own lines count as nothing.

    What does not parse has no imports: the execution says what is wrong with it.
    """
    try:
        return ast.parse(source)
    except SyntaxError:
        pass
    try:
        return ast.parse(re.sub(r"^(\s*)[%!?].*$", r"\1pass", source, flags=re.MULTILINE))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def fingerprint(cells: Sequence[Any], *, outputs: bool) -> str:
    """Return the digest of a notebook's cells: kinds and sources and, if asked for, outputs."""
    total = sha256()
    for cell in cells:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        parts = [cell["cell_type"], source]
        if outputs:
            parts += [_canonical(output) for output in cell.get("outputs", [])]
        total.update(sha256(repr(parts).encode()).digest())
    return total.hexdigest()


def _canonical(value: Any) -> Any:
    """Return JSON in a form that does not depend on the order of keys or on text being kept as lines."""
    if isinstance(value, dict):
        return sorted((key, _canonical(item)) for key, item in value.items())
    if isinstance(value, list):
        return "".join(value) if value and all(isinstance(item, str) for item in value) else [*map(_canonical, value)]
    return value
