"""Reads the Python files whose code a page shows, from inside the book alone."""

from __future__ import annotations

import ast
from pathlib import Path

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # all that ast.parse raises for bad source


class NoSource(Exception):
    """A file whose code cannot be shown; the text says why, as the end of a sentence about the file."""


def inside(written: str, folder: Path, root: Path) -> Path | None:
    """Return the file that a path leads to from a folder, or ``None`` if it lies outside the book's root."""
    path = (folder / written).resolve()
    return path if path.is_relative_to(root.resolve()) else None


def python_source(written: str, folder: Path, root: Path) -> str:
    """Return the text of a Python file of the book, given by a path relative to a folder.

    Raises:
        NoSource: it lies outside, does not exist, is not UTF-8 or is not Python.
    """
    path = inside(written, folder, root)
    if path is None:
        raise NoSource("lies outside of the book")
    if not path.is_file():
        raise NoSource("does not exist")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise NoSource(f"is not UTF-8: {error.reason} at byte {error.start}") from error
    except OSError as error:
        raise NoSource(f"cannot be read: {error.strerror}") from error
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise NoSource(f"is not Python: line {error.lineno}: {error.msg}") from error
    except UNREADABLE as error:
        raise NoSource(f"is not Python: {error or type(error).__name__}") from error
    return text
