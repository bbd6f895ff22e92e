"""The house's plan: modules say what they are, imports run one way, formulas need the standard library alone."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import snippets
from benchmarks.mutation import imported

ROOT = Path(snippets.__file__).parent
KINDS = ("Formulas", "Simulators", "Drawings", "Figures", "Commands")
MODULES = {
    ".".join(["snippets", *path.relative_to(ROOT).with_suffix("").parts]): path
    for path in sorted(ROOT.rglob("*.py"))
    if path.name != "__init__.py"
}


@functools.cache
def kind(name: str) -> str:
    """Return the first word of a module's docstring, which says what the module is."""
    words = (ast.get_docstring(ast.parse(MODULES[name].read_text())) or "").split(":", 1)
    return words[0]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_is_and_imports_what_it_may(name: str) -> None:
    assert kind(name) in KINDS, f"the docstring of {name} has to begin with one of {KINDS} and a colon"
    allowed = KINDS[: KINDS.index(kind(name)) + 1]
    names = imported(MODULES[name])
    for other in names & MODULES.keys():
        assert kind(other) in allowed, f"{name} ({kind(name)}) imports {other} ({kind(other)})"
    strangers = {"press", "exercises", "labs", "tests", "benchmarks", "chapters"}
    assert not {other.split(".")[0] for other in names} & strangers


BLOCKED = """
import importlib, sys
for blocked in ("numpy", "matplotlib", "IPython", "scipy", "pandas"):
    sys.modules[blocked] = None
for name in sys.argv[1:]:
    importlib.import_module(name)
used = {name.split(".")[0] for name in sys.modules} - {"snippets", "__main__"} - set(sys.stdlib_module_names)
print(sorted(name for name in used if sys.modules.get(name) and not name.startswith("_")))
"""


@pytest.mark.parametrize("wanted", ["Formulas", "Drawings"])
def test_what_runs_in_a_page_needs_the_standard_library_alone(wanted: str) -> None:
    formulas = [name for name in MODULES if kind(name) == wanted]
    assert formulas
    command = [sys.executable, "-S", "-c", BLOCKED, *formulas]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"


def test_no_two_test_modules_share_a_name() -> None:
    """Pytest imports test modules by their bare names."""
    files = [path.name for path in (ROOT.parent / "tests").rglob("test_*.py")]
    assert len(files) == len(set(files))


def test_no_two_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_no_text_holds_what_an_unfinished_merge_leaves() -> None:
    mark = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
    folders = [ROOT.parent / name for name in ("chapters", "docs", "labs", "tests")]
    texts = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".md", ".toml", ".json")]
    assert len(texts) > 50
    assert [path for path in texts if mark.search(path.read_text(encoding="utf-8"))] == []
