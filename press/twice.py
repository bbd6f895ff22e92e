"""Finds cells that do not show the same each time they run: chance without a seed, measured times, the order of a set.

``python -m press.twice [CHAPTER…]`` runs chapters, all unless some are named, twice and in kernels of their own. No
notebook is written: those beside the chapters stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from press.problems import Problem
from press.reading.chapter import BrokenChapter, Chapter, find_chapters, read_chapter
from press.running.execute import run_chapters

_CONTEXT = 20  # characters shown before and after the first difference


def unsteady_cells(
    paths: Sequence[Path],
    *,
    root: Path,
    jobs: int | None = None,
    cell_timeout_s: float = 60.0,
    report: Callable[[str], None] = print,
) -> list[Problem]:
    """Run chapters twice and return a problem for each cell whose outputs differ, or what went wrong before.

    Args:
        paths: of chapters below ``root``.
        root: the book's folder.
        jobs: how many chapters run at once; one more than there are cores for this process if not given.
        cell_timeout_s: how long a cell may run; a cell's own ``timeout`` goes before.
        report: called with a line of progress for each chapter that was run.
    """
    root = root.absolute()
    runs = [[read_chapter(path.absolute(), root=root) for path in paths] for _ in range(2)]
    for chapters in runs:
        problems = _broken(chapters) or run_chapters(
            chapters, root=root, jobs=jobs, cell_timeout_s=cell_timeout_s, report=report
        )
        if problems:
            return problems
    return [problem for first, second in zip(*runs, strict=True) for problem in _differences(first, second)]


def _broken(chapters: Sequence[Chapter]) -> list[Problem]:
    """Return what keeps chapters from being read."""
    problems = []
    for chapter in chapters:
        try:
            assert chapter.cells is not None
        except BrokenChapter as error:
            problems += error.problems
    return problems


def _differences(first: Chapter, second: Chapter) -> Iterator[Problem]:
    """Find the cells of a chapter whose outputs differ between two runs."""
    for place, cell, again in zip(first.cells, first.notebook.cells, second.notebook.cells, strict=True):
        if cell.cell_type == "code" and cell.outputs != again.outputs:
            shown = _where_they_part(_texts(cell.outputs), _texts(again.outputs))
            message = f"cell {cell.execution_count} does not show the same each time it runs: {shown}"
            yield Problem(first.name, place.line, message)


def _texts(outputs: Any) -> str:
    """Return all texts of outputs, one below another."""
    if isinstance(outputs, str):
        return outputs
    if isinstance(outputs, Mapping):
        return "\n".join(_texts(inner) for inner in outputs.values())
    return "\n".join(map(_texts, outputs)) if isinstance(outputs, list) else repr(outputs)


def _where_they_part(first: str, second: str) -> str:
    """Return the places where two texts begin to differ.

    >>> _where_they_part("took 1.25 s", "took 1.31 s")
    "'took 1.25 s', then 'took 1.31 s'"
    """
    lines = zip_longest(first.split("\n"), second.split("\n"), fillvalue="")
    one, other = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
    same = next((at for at, letters in enumerate(zip(one, other, strict=False)) if letters[0] != letters[1]), 0)
    start = max(0, same - _CONTEXT)
    return f"{one[start : start + 2 * _CONTEXT]!r}, then {other[start : start + 2 * _CONTEXT]!r}"


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m press.twice", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("chapters", nargs="*", type=Path, help="all below chapters/ unless some are named")
    parser.add_argument("--cell-timeout-s", type=float, default=60.0, metavar="SECONDS")
    asked = parser.parse_args()
    root = Path.cwd()
    paths = [path.absolute() for path in asked.chapters] or find_chapters(root)
    outside = [path for path in paths if root not in path.parents]
    if outside or not paths:
        parser.error(f"{outside[0] if outside else root / 'chapters'} holds no chapter: call this in the book's folder")
    problems = unsteady_cells(paths, root=root, cell_timeout_s=asked.cell_timeout_s)
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
