"""Writes files, readers' and authors' too, so that each is there as a whole or as it was, however the writing ends.

It stands in this package because the grader imports nothing of the book, and the press may import the grader.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a file to be written, beside ``path``, which it replaces if the block ends well; else it is removed.

    Args:
        path: the file's place; its folder is made if there is none.

    Raises:
        OSError: what the system says, of a full disk for instance; ``path`` is then as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{os.getpid()}.tmp")  # not made of the name, which may be as long as names can be
    try:
        yield draft
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink()  # there is one if the block has failed


def write_whole(path: Path, text: str) -> None:
    """Write a text file as a whole. What is no file, a device or a pipe, is written to and not replaced."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
