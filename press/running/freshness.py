"""Decides whether a chapter has to be executed again.

A chapter's digest covers, by content:

- its code cells, in order, and the tags that change how they run (a cell's time limit does not count);
- every module of this repository that they reach by import, and so on from module to module: ``import a.b``,
  ``from a import b``, ``from a import *``, relative imports, imports inside functions, the ``__init__.py`` of every
  package on the way, and the data files beside a reached module (all but hidden ones, notebooks and Markdown); where
  ``from a import name`` finds the name by the package's ``__init__.pyi``, the module that this says, not the stub;
- the files that the chapter's header names under ``inputs`` (patterns relative to the root);
- ``requirements.txt``, a ``matplotlibrc`` in the root, and the version of Python, without its last number;
- the press's own execution (``execute.py``, ``client.py``, ``outputs.py``, ``kernels.py``, ``asserting.py``).

Prose is not covered. What the digest cannot see: imports by computed names (``importlib.import_module(name)``,
``%run``), what one cell takes from a package that another imports (``a.name``), installed packages that differ from
``requirements.txt``, the clock, the network, and files that a cell or a module opens by path and that ``inputs`` does
not name.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from press.kept import read_kept, write_kept
from press.reading.sources import UNREADABLE

_OWN = ("execute.py", "client.py", "outputs.py", "kernels.py", "asserting.py")
_RELEVANT_TAGS = {"raises-exception", "skip-execution"}
_NO_DATA = {".py", ".pyi", ".pyc", ".ipynb", ".md"}
_STUB = "__init__.pyi"
_HANDED_ON = re.compile(r"^from (\S+) import \w+ as (\w+)$", re.MULTILINE)
_ALSO = re.compile(r"^(\w+) = (\w+)$", re.MULTILINE)


# What is kept was found by this file's code and this Python's parser.
_HOW = sha256(Path(__file__).read_bytes() + f"{sys.version_info[:2]}".encode()).digest()


class Imports:
    """What modules and cells import, by the digest of their text; kept between builds, for parsing takes longest."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: dict[str, list[tuple[int, str]]] = json.loads(read_kept(file) or b"{}")
        self._used: dict[str, list[tuple[int, str]]] = {}

    def of(self, source: str) -> list[tuple[int, str]]:
        """Return the names that a source imports, each with the number of dots before it."""
        key = sha256(_HOW + source.encode("utf-8", "surrogatepass")).hexdigest()
        if key not in self._used:
            self._used[key] = self._kept[key] if key in self._kept else imported_names(parsed(source))
        return self._used[key]

    def keep(self) -> None:
        """Keep what was asked for; what was not is forgotten."""
        if self._used.keys() != self._kept.keys():
            write_kept(self._file, json.dumps(self._used).encode())


def imported_names(tree: ast.AST) -> list[tuple[int, str]]:
    """Return the names that a module imports, each with the number of dots before it.

    What is taken from an imported module counts as imported: it may be one that the module imports when asked.

    >>> imported_names(ast.parse("import os.path\\nfrom ..a import b\\nimport c as d\\nd.e"))
    [(0, 'os.path'), (2, 'a.b'), (0, 'c'), (0, 'c.e')]
    """
    names: list[tuple[int, str]] = []
    modules: dict[str, str] = {}
    taken: dict[tuple[str, str], None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(0, alias.name) for alias in node.names]
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            taken[node.value.id, node.attr] = None
        elif isinstance(node, ast.ImportFrom):
            names += [(node.level, f"{node.module or ''}.{alias.name}".strip(".")) for alias in node.names]
    return names + [(0, f"{modules[name]}.{attribute}") for name, attribute in taken if name in modules]


class Freshness:
    """Computes digests for one build; what many chapters import is read and parsed once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.imports = Imports(root / ".press" / "imports")
        # By paths as texts, which are compared many times faster than ``Path``s.
        self._paths: dict[str, Path] = {}
        self._needed: dict[str, tuple[str, ...]] = {}
        self._contents: dict[str, bytes] = {}
        self._files_of: dict[tuple[str, str], tuple[Path, ...]] = {}
        self._data: dict[Path, list[Path]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._handed_on: dict[str, dict[str, str]] = {}
        self._common = self._digest_of_common()

    def digest(self, code: Sequence[tuple[str, Sequence[str]]], inputs: Sequence[str] = ()) -> str:
        """Return the digest of a chapter.

        Args:
            code: source and tags of each code cell.
            inputs: patterns, relative to the root, of files that the cells open by path.
        """
        total = sha256(self._common)
        for source, tags in code:
            total.update(sha256(repr((source, sorted(set(tags) & _RELEVANT_TAGS))).encode()).digest())
        for path in self.reached([source for source, _ in code]):
            if path.name != _STUB:  # what it says of the names that are used shows in the modules that are reached
                total.update(self.content(path))
        for pattern in inputs:
            for path in sorted(self._root.glob(pattern)):
                total.update(self.content(path))
        return total.hexdigest()

    def _digest_of_common(self) -> bytes:
        total = sha256(f"{sys.version_info[:2]}".encode())
        own = [Path(__file__).with_name(name) for name in _OWN]
        for path in [self._root / "requirements.txt", self._root / "matplotlibrc", *own]:
            total.update(sha256(path.read_bytes() if path.is_file() else b"").digest())
        return total.digest()

    def content(self, path: Path) -> bytes:
        """Return the digest of a file's name and content; a folder's content is nothing."""
        key = str(path)
        if key not in self._contents:
            name = path.relative_to(self._root).as_posix().encode()
            self._contents[key] = sha256(name + b"\0" + (path.read_bytes() if path.is_file() else b"")).digest()
        return self._contents[key]

    def reached(self, sources: Sequence[str]) -> list[Path]:
        """Return the files that the sources reach by import, in a fixed order."""
        waiting = [str(file) for source in sources for file in self._files(self.imports.of(source), self._root)]
        reached: set[str] = set()
        while waiting:
            path = waiting.pop()
            if path not in reached:
                reached.add(path)
                if path.endswith(".py"):
                    waiting += self._needed_by(path)
        return [self._path(path) for path in sorted(reached)]

    def _path(self, text: str) -> Path:
        if text not in self._paths:
            self._paths[text] = Path(text)
        return self._paths[text]

    def _needed_by(self, module: str) -> tuple[str, ...]:
        """Return the files that a module imports, and the data files beside it."""
        if module not in self._needed:
            path = Path(module)
            names = self.imports.of(path.read_text(encoding="utf-8", errors="replace"))
            self._needed[module] = tuple(map(str, [*self._files(names, path.parent), *self._beside(path.parent)]))
        return self._needed[module]

    def _beside(self, folder: Path) -> list[Path]:
        """Return the data files of a folder."""
        if folder not in self._data:
            files = (file for file in folder.iterdir() if file.suffix not in _NO_DATA and file.name[0] != ".")
            self._data[folder] = [file for file in files if not file.name.endswith("~") and file.is_file()]
        return self._data[folder]

    def _files(self, names: Iterable[tuple[int, str]], folder: Path) -> Iterator[Path]:
        """Yield the repository's files that the imports of a module in ``folder`` name."""
        for dots, name in names:
            yield from self._module(self._start(dots, folder) if dots else self._root, name)

    def _start(self, dots: int, folder: Path) -> Path:
        """Return the folder in which a relative import looks."""
        return [folder, *folder.parents][min(dots, len(folder.parents)) - 1]

    def _module(self, start: Path, name: str) -> tuple[Path, ...]:
        """Return the files of a dotted name below ``start`` that exist, with those of its parents."""
        key = (str(start), name)
        if key not in self._files_of:
            self._files_of[key] = tuple(self._look(start, name))
        return self._files_of[key]

    def _look(self, start: Path, name: str) -> Iterator[Path]:
        if not start.is_relative_to(self._root):
            return  # a relative import that leads out of the repository
        folder = str(start)
        for part in name.split("."):
            if part == "*":
                yield from Path(folder).glob("*.py")
                return
            if module := self._handed_on_in(folder).get(part):
                yield Path(folder, _STUB)
                yield from self._module(self._root, module)
                return
            if f"{part}.py" in self._names_in(folder):
                yield Path(folder, f"{part}.py")
            folder = os.path.join(folder, part)
            if "__init__.py" in self._names_in(folder):
                yield Path(folder, "__init__.py")

    def _handed_on_in(self, folder: str) -> dict[str, str]:
        """Return the modules of the names that a package's stub hands on; none if it has no stub."""
        if folder not in self._handed_on:
            here = _STUB in self._names_in(folder)
            text = Path(folder, _STUB).read_text(encoding="utf-8") if here else ""
            modules = {name: module for module, name in _HANDED_ON.findall(text)}
            self._handed_on[folder] = modules | {name: modules[own] for name, own in _ALSO.findall(text)}
        return self._handed_on[folder]

    def _names_in(self, folder: str) -> frozenset[str]:
        """Return the names of the files in a folder; none if there is no such folder."""
        if folder not in self._names:
            try:
                with os.scandir(folder) as entries:
                    self._names[folder] = frozenset(entry.name for entry in entries if entry.is_file())
            except (FileNotFoundError, NotADirectoryError):
                self._names[folder] = frozenset()
        return self._names[folder]


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell or module; IPython's own lines count as nothing.

    What does not parse has no imports: the execution says what is wrong with it.
    """
    readings: list[Callable[[str], str]] = [str, _without_magics, _as_ipython_reads_it]
    for reading in readings:
        try:
            return ast.parse(reading(source))
        except UNREADABLE:
            continue
    return ast.Module(body=[], type_ignores=[])


def _without_magics(source: str) -> str:
    """Blank out whole lines of IPython, so that the imports below a ``%%time`` are still seen."""
    return re.sub(r"^(\s*)[%!?].*$", r"\1pass", source, flags=re.MULTILINE)


def _as_ipython_reads_it(source: str) -> str:
    """Translate what is left, such as ``files = !ls``. IPython is slow to import and seldom needed here."""
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(source)


def fingerprint(cells: Sequence[Any], *, outputs: bool) -> str:
    """Return the digest of a notebook's cells: kinds and sources and, if asked for, outputs."""
    total = sha256()
    for cell in cells:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        parts = [cell["cell_type"], source]
        if outputs:
            parts += [_canonical(output) for output in cell.get("outputs", [])]
        total.update(sha256(repr(parts).encode("utf-8", "surrogatepass")).digest())
    return total.hexdigest()


def _canonical(value: Any) -> Any:
    """Return JSON in a form that does not depend on the order of keys or on text being kept as lines."""
    if isinstance(value, dict):
        return sorted((key, _canonical(item)) for key, item in value.items())
    if isinstance(value, list):
        return "".join(value) if value and all(isinstance(item, str) for item in value) else [*map(_canonical, value)]
    return value
