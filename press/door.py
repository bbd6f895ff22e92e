"""Writes ``snippets/__init__.pyi``, the names at the package's front door, from the texts of its modules.

``python -m press.door`` writes it. Formulas are public functions with a line ``Formula:``; catalogues are made by
``Catalogue(…)``; records and other functions are what else is public in a module of formulas, but for what checks
arguments (``check…``). ``Also`` has the names of
``Also:`` lines that mean one formula alone, each with and without the unit in which the formula's name ends.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.whole_files import write_whole
from snippets.index import unit_end

TABLE = "snippets/__init__.pyi"
PLUMBING = (
    "snippets.commands",
    "snippets.domain",
    "snippets.door",
    "snippets.index",
    "snippets.palette",
)
KINDS = ("Formulas", "Catalogues", "Records and other functions")
CATALOGUES_TOO = {"DEVICES": "ACCELERATORS", "GPUS": "ACCELERATORS"}  # what the field calls a catalogue besides
HEAD = '''"""What the front door has, written by ``python -m press.door`` from the modules' texts."""'''

_ALSO = re.compile(r"^Also: (.*?)\.?\s*(?=^\S+:|\n\n|\Z)", re.MULTILINE | re.DOTALL)


def table(root: Path) -> str:
    """Return the text of the table.

    Args:
        root: the book's folder.

    Raises:
        ValueError: two modules have the same name at the door.
    """
    homes: dict[str, str] = {}
    by_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
    called: dict[str, set[str]] = {}
    for module, kind, name, also in _public(root):
        if name in homes:
            raise ValueError(f"{name} must stand in one module, got {homes[name]} and {module}")
        homes[name] = module
        by_kind[kind].append(name)
        for alias in also:
            called.setdefault(alias, set()).add(name)
    taken = {*homes, *(path.stem for path in (root / "snippets").iterdir())}
    aliases = {alias: names.pop() for alias, names in called.items() if len(names) == 1 and alias not in taken}
    aliases |= {alias: name for alias, name in CATALOGUES_TOO.items() if name in homes}
    lines = [HEAD]
    for kind in KINDS:
        lines += ["", f"# {kind}", *(f"from {homes[name]} import {name} as {name}" for name in by_kind[kind])]
    lines += ["", "# Also", *(f"{alias} = {aliases[alias]}" for alias in sorted(aliases))]
    return "\n".join(lines) + "\n"


def _public(root: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield what the formulas' modules define in public: module, kind, name, what it is called besides."""
    for path in sorted((root / "snippets").rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        source = path.read_text(encoding="utf-8")
        if source.startswith('"""Formulas:') and module not in PLUMBING:
            for node in ast.parse(source).body:
                for name in _names(node):
                    words = ast.get_docstring(node) or "" if isinstance(node, ast.FunctionDef) else ""
                    kind = _kind(node, words)
                    if not name.startswith("_") and not (kind == KINDS[2] and name.startswith("check")):
                        yield module, kind, name, [*_aliases(name, words)]


def _names(node: ast.stmt) -> list[str]:
    """Return the name that a statement gives to a function, a class, a catalogue or a job."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
        made = node.value.func
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if isinstance(made, ast.Name) and made.id in {"Catalogue", "Job"}:
            return [target.id for target in targets if isinstance(target, ast.Name)]
    return []


def _kind(node: ast.stmt, words: str) -> str:
    if isinstance(node, ast.FunctionDef):
        return KINDS[0] if re.search(r"^Formula: ", words, re.MULTILINE) else KINDS[2]
    return KINDS[1] if "Catalogue(" in ast.unparse(node).partition("\n")[0] else KINDS[2]


def _aliases(name: str, words: str) -> Iterator[str]:
    """Yield the names of a docstring's line ``Also:``, as Python spells them, with and without the unit.

    >>> [*_aliases("best_checkpoint_interval_s", "Also: Young's interval, Daly")]
    ['young_interval', 'young_interval_s', 'daly', 'daly_s']
    """
    if said := _ALSO.search(words):
        for alias in said[1].split(","):
            spelled = re.sub(r"\W+", "_", alias.strip().casefold().replace("'s", "")).strip("_")
            if spelled.isidentifier():
                yield spelled
                if (end := unit_end(name)) and not spelled.endswith(f"_{end}"):
                    yield f"{spelled}_{end}"


def main(root: Path) -> None:
    """Write the table anew."""
    write_whole(root / TABLE, table(root))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
