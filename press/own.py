"""Begins an exercise of a teacher's own: ``python -m press.own private/week3/rings/bytes_sent.py``.

The module is one that is graded at once; what is still to be written is marked ``TO WRITE:``. No file is overwritten.
"""

from __future__ import annotations

import argparse
import keyword
import sys
from collections.abc import Sequence
from pathlib import Path

from press.new import filled, written

_BOOKS = "exercises"


def exercise_files(path: Path) -> dict[str, str]:
    """Return the files of a new exercise: their paths, relative to what ``path`` is relative to, and their texts.

    Args:
        path: ``<folder>/<part>/<chapter>/<name>.py``, where the folder has any name but the book's ``exercises``. Other
            exercises may stand in it; the new one's number comes after those of its chapter.

    Raises:
        ValueError: the path has another shape, or a name of it is none in Python.
    """
    names = [*path.parts[:-1], path.stem][-4:]
    if len(names) < 4 or path.suffix != ".py" or ".." in names:
        raise ValueError(f"path must be FOLDER/PART/CHAPTER/NAME.py, got {path}")
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"path must be of names that Python can import, got {name!r} in {path}")
    if names[0] == _BOOKS:
        raise ValueError(f"path must be in a folder of your own, not in one that is called {_BOOKS}, got {path}")
    number = 1 + sum(other.name != "__init__.py" for other in path.parent.glob("*.py"))
    words = {"exercise": path.stem, "number": str(number), "level": "medium"}
    packages = {str(folder / "__init__.py"): "" for folder in [*path.parents][:3]}
    return {**packages, str(path): filled("exercise.py.txt", words)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write an exercise's files, and say which and what tries it out; return 0, or 1 if it is there already."""
    parser = argparse.ArgumentParser(prog="python -m press.own", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "path", type=Path, help="FOLDER/PART/CHAPTER/NAME.py, such as private/week3/rings/bytes_sent.py"
    )
    path: Path = parser.parse_args(arguments).path
    try:
        files = exercise_files(path)
    except ValueError as error:
        parser.error(str(error))
    if path.exists():
        print(f"{path} is there already: nothing is written.", file=sys.stderr)
        return 1
    print(*(f"written: {file}" for file in written(files, Path())), sep="\n")
    print(f"Fill in what is marked TO WRITE:, then try it out: python -m pytest -p grader.plugin {path.parents[2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
