"""What grading an exercise needs besides Python, found by following imports: whether it can run in a page.

Followed are imports that run when a module is loaded, and, for one exercise, those inside the functions that it calls:
a grader that imports NumPy only where it grades with arrays leaves its other exercises free of it. Not seen are imports
by computed names and those inside methods of instances.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from exercises.answer_texts import Asked
from exercises.catalogue import Chapter

ROOT = Path(__file__).parents[1]
IN_PAGE = frozenset({"hypothesis"})
"""Packages that the page's worker is given besides the standard library."""


def needs(chapter: Chapter, name: str) -> frozenset[str]:
    """Return the packages that the reader and the grader of an exercise import and that a page does not have."""
    tops = {module.partition(".")[0] for module in _modules(chapter, name) if not files_named(module)}
    return frozenset(tops - sys.stdlib_module_names - IN_PAGE)


def files_of(chapter: Chapter, name: str) -> set[Path]:
    """Return the book's files that are executed when an exercise is graded."""
    return {path for module in _modules(chapter, name) for path in files_named(module)} | _graders(chapter)


def _graders(chapter: Chapter) -> set[Path]:
    return {chapter.folder / "test_answers.py", chapter.folder / "mutants.py"}


def _modules(chapter: Chapter, name: str) -> set[str]:
    """Return the modules that are imported, one by the other, when an exercise is graded."""
    exercise = chapter.exercises[name]
    functions = [exercise.expected, exercise.observe, exercise.inputs]
    functions += [mistake.function for mistake in chapter.mistakes[name].values()]
    begin = {module for path in _graders(chapter) for module in imports_of(path)}
    begin |= {module for function in _reached(filter(None, functions)) for module in _imported_in(function.__code__)}
    begin |= set(_imports(ast.parse(Asked.by(chapter).stubs[name]).body))
    return reached(begin)


def reached(modules: Iterable[str]) -> set[str]:
    """Return modules and what they import when they are loaded, and so on."""
    waiting, found = list(modules), set[str]()
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [other for path in files_named(module) for other in imports_of(path)]
    return found


@functools.cache
def files_named(module: str) -> tuple[Path, ...]:
    """Return the book's files that importing a module executes; none for other people's."""
    parts = module.split(".")
    path = ROOT.joinpath(*parts)
    file = next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)
    packages = [ROOT.joinpath(*parts[:count], "__init__.py") for count in range(1, len(parts))]
    return (*(package for package in packages if package.is_file()), file) if file else ()


@functools.cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Return the modules that a file imports when it is executed."""
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")).body, package))


def _imports(nodes: Iterable[ast.AST], package: str = "") -> Iterator[str]:
    """Yield the modules that statements import, those inside functions and for types alone left out."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield module
            names = (f"{module}.{alias.name}" for alias in node.names)
            yield from (name for name in names if files_named(name))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node.orelse, package)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _imports(ast.iter_child_nodes(node), package)


def _reached(functions: Iterable[Any]) -> set[FunctionType]:
    """Return the book's functions that functions can call by the names of their modules."""
    waiting, found = list(functions), set[FunctionType]()
    while waiting:
        value = waiting.pop()
        value = inspect.unwrap(value) if callable(value) else value
        if isinstance(value, functools.partial):
            waiting.append(value.func)
        elif isinstance(value, type) and _is_the_books(value):
            waiting += [method for method in vars(value).values() if isinstance(method, FunctionType)]
        elif isinstance(value, FunctionType) and value not in found and _is_the_books(value):
            found.add(value)
            waiting += _named_in(value)
    return found


def _is_the_books(value: Any) -> bool:
    return value.__module__.split(".")[0] in ("exercises", "snippets", "graders")


def _named_in(function: FunctionType) -> Iterator[Any]:
    """Yield the values that a function finds by the names in it, those in modules too."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    for value in values:
        yield value
        if isinstance(value, ModuleType) and value.__name__.startswith("snippets."):
            yield from (vars(value)[name] for name in names if name in vars(value))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _imported_in(code: CodeType) -> Iterator[str]:
    """Yield the modules that are imported when code runs."""
    for each in _codes(code):
        module = ""
        for step in dis.get_instructions(each):
            if step.opname == "IMPORT_NAME":
                module = str(step.argval)
                yield module
            elif step.opname == "IMPORT_FROM" and files_named(f"{module}.{step.argval}"):
                yield f"{module}.{step.argval}"
