"""The house's plan: modules say what they are, imports run one way, formulas need the standard library alone."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import snippets
from benchmarks.mutation import imported
from press.reading.contents import read_contents

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


PARTS = ("background", *(part.name for part in read_contents(ROOT.parent) if part.name != "background"))
# They call what the whole book has.
COMMANDS = {f"snippets.{name}" for name in ("commands", "plan_commands", "exam_commands", "command_line", "__main__")}


def home(name: str) -> tuple[str, ...]:
    """Return the folders that a module is in, below the package: its part and its chapter, or none."""
    return tuple(name.split(".")[1:-1])


@pytest.mark.parametrize("name", MODULES)
def test_parts_import_those_before_them_and_what_is_shared(name: str) -> None:
    """What several parts share lies above them; a part imports earlier ones, and its chapters what they share."""
    here = home(name)
    assert name in COMMANDS or not here or here[0] in (*PARTS, "live", "simulation")
    for other in imported(MODULES[name]) & MODULES.keys() - COMMANDS:
        there = home(other)
        if name in COMMANDS or not there or there[0] not in PARTS:
            continue
        assert set(here) & set(PARTS), f"{name} is shared and imports {other}, which lies in a part"
        assert PARTS.index(there[0]) <= PARTS.index(here[0]), f"{name} imports {other} of a later part"
        if there[0] == here[0] and len(there) > 1:
            assert len(here) > 1, f"{name} is shared by a part's chapters and imports {other}, which is of one"


def test_chapters_do_not_import_each_other_in_circles() -> None:
    arrows = {
        (here, there)
        for name in MODULES
        for other in imported(MODULES[name]) & MODULES.keys()
        if len(here := home(name)) > 1 and len(there := home(other)) > 1 and here != there
    }
    order = TopologicalSorter[tuple[str, ...]]()
    for here, there in arrows:
        order.add(here, there)
    order.prepare()  # raises CycleError, which names the circle


def private_imports(here: str, text: str) -> list[str]:
    """Return the names with a leading underscore that a module takes from another chapter, by import or by a dot."""
    tree, strangers, found = ast.parse(text), {}, []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("snippets"):
            continue
        if node.module in MODULES and home(node.module) != home(here):
            found += [f"{node.module}.{each.name}" for each in node.names if each.name.startswith("_")]
        for each in node.names:
            module = f"{node.module}.{each.name}"
            if module in MODULES and home(module) != home(here):
                strangers[each.asname or each.name] = module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in strangers:
            found += [f"{strangers[node.value.id]}.{node.attr}"] if node.attr.startswith("_") else []
    return found


@pytest.mark.parametrize("name", MODULES)
def test_a_chapter_takes_no_private_names_of_another(name: str) -> None:
    assert private_imports(name, MODULES[name].read_text()) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "from snippets.parallelism.expert.programs import _rank as own",
            ["snippets.parallelism.expert.programs._rank"],
        ),
        (
            "from snippets.parallelism.expert import programs as theirs\ntheirs._rank(theirs.attend)",
            ["snippets.parallelism.expert.programs._rank"],
        ),
        ("from snippets.composition.three_d.programs import _Job", []),
        ("from snippets.domain import named", []),
    ],
)
def test_private_names_are_found_however_they_are_taken(text: str, found: list[str]) -> None:
    assert private_imports("snippets.composition.three_d.live", text) == found


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


@pytest.mark.parametrize("what", [ast.ClassDef, ast.FunctionDef])
def test_no_two_public_classes_or_functions_share_a_name(what: type[ast.ClassDef] | type[ast.FunctionDef]) -> None:
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, what) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_no_module_imports_through_the_front_door() -> None:
    """What opens it may be what it opens."""
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "snippets":
                names = [each.name for each in node.names]
                assert all((ROOT / each).is_dir() or (ROOT / f"{each}.py").is_file() for each in names), name


def test_no_text_holds_what_an_unfinished_merge_leaves() -> None:
    mark = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
    folders = [ROOT.parent / name for name in ("chapters", "docs", "labs", "tests")]
    texts = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".md", ".toml", ".json")]
    assert len(texts) > 50
    assert [path for path in texts if mark.search(path.read_text(encoding="utf-8"))] == []
