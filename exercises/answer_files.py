"""The reader's files: ``answers.py``, made from the stub and then never overwritten, and other people's submissions."""

from __future__ import annotations

import ast
from pathlib import Path

ANSWERS = "answers.py"


def prepare(folder: Path) -> str:
    """Make ``answers.py`` from the stub, or append the stubs that it lacks, and return what the reader is to be told.

    A file that does not parse is left alone: its reader is told so by the grader, and gets the stubs afterwards.
    """
    answers, stub = folder / ANSWERS, (folder / "stub.py").read_text(encoding="utf-8")
    shown = f"exercises/{folder.parent.name}/{folder.name}/{ANSWERS}"
    try:
        with answers.open("x", encoding="utf-8") as file:
            file.write(stub)
        return f"{shown} is made, a copy of stub.py. Write your answers there."
    except FileExistsError:
        pass
    written = answers.read_bytes().decode("utf-8", errors="replace")
    names, added = missing(stub, written)
    if not names:
        return ""
    newline = "\r\n" if "\r\n" in written else "\n"
    text = ("" if written.endswith("\n") or not written else "\n") + "\n\n" + added
    with answers.open("a", encoding="utf-8", newline="") as file:
        file.write(text.replace("\n", newline))
    return f"{shown}: the stubs of new exercises are appended to it: {', '.join(names)}. What you wrote is untouched."


def missing(stub: str, written: str) -> tuple[list[str], str]:
    """Return the names of a stub's functions that a file does not define, and what has to be appended.

    >>> missing("import math\\n\\ndef f(x):\\n    raise NotImplementedError\\n", "def g(x):\\n    return x\\n")
    (['f'], 'import math\\n\\n\\ndef f(x):\\n    raise NotImplementedError\\n')
    """
    try:
        known = _bound(ast.parse(written))
    except (SyntaxError, ValueError):
        return [], ""
    names: list[str] = []
    needed: list[str] = []
    functions: list[str] = []
    for node in ast.parse(stub).body:
        source = ast.get_source_segment(stub, node) or ""
        if isinstance(node, ast.FunctionDef) and node.name not in known:
            names.append(node.name)
            functions.append(source)
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.ClassDef):
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not future and not _bound(ast.Module([node], [])) <= known:
                needed.append(source)
    return names, "\n\n\n".join([*(["\n".join(needed)] if needed else []), *functions]) + "\n"


def _bound(module: ast.Module) -> set[str]:
    """Return the names that a module's statements bind."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def submitted(submission: Path, folder: Path) -> Path | None:
    """Return the file of a submission that answers a chapter, ``None`` if there is none.

    A submission is one file for every chapter, or a directory with ``<part>/<chapter>/answers.py``,
    ``<chapter>/answers.py``, ``<chapter>.py``, or one ``answers.py`` for all; the first that is there counts.
    """
    if submission.is_file():
        return submission
    part, chapter = folder.parent.name, folder.name
    places = [f"exercises/{part}/{chapter}/{ANSWERS}", f"{part}/{chapter}/{ANSWERS}", f"{chapter}/{ANSWERS}"]
    places += [f"{chapter}.py", ANSWERS]
    return next((submission / place for place in places if (submission / place).is_file()), None)
