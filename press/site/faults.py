"""Finds the place in the book's own code that ended a build."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

from press.problems import Problem
from press.reading.sources import UNREADABLE
from press.site.watched import is_source, packages


def faults(error: BaseException, root: Path) -> list[Problem]:
    """Return as problems what the book's modules raised when they were loaded or called; none if it was not they.

    Args:
        error: what was raised.
        root: the book's folder.
    """
    broken = unreadable(root) if any(isinstance(each, SyntaxError) for each in _causes(error)) else []
    return broken or [problem for each in _causes(error) if (problem := _raised(each, root))][:1]


def unreadable(root: Path) -> list[Problem]:
    """Return a problem for each file of the book's packages that Python cannot read."""
    files = sorted(file for package in packages(root) for file in package.rglob("*.py") if is_source(file.name))
    return [problem for file in files if (problem := syntax_problem(file, root))]


def syntax_problem(file: Path, root: Path) -> Problem | None:
    """Return what keeps Python from reading a file, ``None`` if nothing does."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(file.read_bytes(), file, "exec", dont_inherit=True)
    except UNREADABLE as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or f"{type(error).__name__}: {error}"
        return Problem(file.relative_to(root).as_posix(), line, f"Python cannot read the file: {reason}")
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _raised(error: BaseException, root: Path) -> Problem | None:
    """Return the last place that the error passed in the book's packages, the press left out."""
    own = [package for package in packages(root) if package.name != "press"]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if any(path.is_relative_to(package) for package in own):
            message = f"{type(error).__name__}: {error}".removesuffix(": ")
            return Problem(path.relative_to(root).as_posix(), frame.lineno or 1, message)
    return None
