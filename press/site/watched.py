"""Which files the book is made from: what ``mkdocs serve`` looks at, and after whose change modules are loaded anew."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# What editors leave for a moment, what builds write beside the sources, and the reader's own answers.
_PASSING = re.compile(
    r"\..*|__pycache__|.*\.(ipynb|pyc|press-part|tmp|bak|swp|orig)|.*~|~.*|#.*#|.*___jb_\w+___|4913|answers(\.py)?"
)


def is_source(name: str) -> bool:
    """Whether a file or folder of this name can be part of the book.

    >>> [name for name in ("ring.py", ".ring.py.swp", "4913", ".#ring.py", "ring.py~", "ring.ipynb") if is_source(name)]
    ['ring.py']
    """
    return not _PASSING.fullmatch(name)


def packages(root: Path) -> list[Path]:
    """Return the folders of the book's own packages."""
    return sorted(path.parent for path in root.glob("*/__init__.py") if is_source(path.parent.name))


class Sources:
    """The files of a book that a build reads.

    Args:
        root: the book's folder.
        docs: the folder of its pages that are not chapters, relative to the root.
        settings: the name of the site generator's settings.
    """

    def __init__(self, root: Path, docs: str, settings: str) -> None:
        self._root = root
        self._folders = {"chapters", Path(docs).parts[0]}
        self._files = {settings, "requirements.txt", "matplotlibrc", "CHANGELOG.md"}

    def entries(self, folder: str | None) -> Iterator[os.DirEntry[str]]:
        """List a folder, as ``os.scandir`` does, without what is no source."""
        at_top = Path(folder or ".") == self._root
        wanted = self._folders | self._files | {path.name for path in packages(self._root)} if at_top else set()
        with os.scandir(folder) as entries:
            yield from (entry for entry in entries if (entry.name in wanted if at_top else is_source(entry.name)))


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    """Return time and size of each file of the book's packages."""
    found = {}
    for package in packages(root):
        for folder, folders, names in os.walk(package):
            folders[:] = filter(is_source, folders)
            for path in (os.path.join(folder, name) for name in filter(is_source, names)):
                try:
                    stat = os.stat(path)
                except FileNotFoundError:
                    continue  # gone since the folder was listed
                found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


def forget_modules(root: Path) -> None:
    """Let the next import of each of the book's modules read its file again.

    All are forgotten where one has changed: the others may hold its functions.
    """
    own = tuple(f"{package}{os.sep}" for package in packages(root))
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(own):
            del sys.modules[name]
    importlib.invalidate_caches()
