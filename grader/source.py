"""Derives from an exercise's module the stub that its reader starts with, and the mistakes that differ in places."""

from __future__ import annotations
import __future__

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from grader.exercise import Exercise, Mistake

WIDEST = 80  # of a stub: a page's editor is narrow


@functools.cache
def _parsed(path: Path) -> tuple[str, ast.Module]:
    text = path.read_text(encoding="utf-8")
    return text, ast.parse(text)


def stub_of(exercise: Exercise) -> str:
    """Return the text that a reader starts with: what the signature uses, what is given, and the function to write."""
    function = _function(exercise)
    lines = _lines(exercise)[_first_line(function) - 1 : function.body[0].end_lineno]
    body = "\n".join([*lines, '    raise NotImplementedError("still to be written")'])
    return f"{_head(exercise, _names(_signature(function)))}\n\n{body}\n"


def answer_of(exercise: Exercise, changes: Iterable[tuple[str, str]] = ()) -> str:
    """Return the solution, or one that is changed in places, as the text that a reader would have written."""
    source = _changed(exercise, changes)
    function = ast.parse(source).body[0]
    own = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
    return f"{_head(exercise, _names([function]) - own)}\n\n{source}"


def _head(exercise: Exercise, names: set[str]) -> str:
    """Return what stands above the function: the statements that bind names, those given, and what these use."""
    text, module = _parsed(exercise.path)
    wanted = {*exercise.given, *names}
    handed = [node for node in _needed(module, wanted) if node is not _function(exercise)]
    imports = [_as_imported(node, wanted | _used(handed)) for node in handed if _is_import(node)]
    others = [_source(text, module, node) for node in handed if not _is_import(node)]
    lead = "\n\n".join(["from __future__ import annotations", *(["\n".join(imports)] if imports else [])])
    return "\n".join([f"{lead}\n", *(f"{other}\n" for other in others)])


def _lines(exercise: Exercise) -> list[str]:
    return _parsed(exercise.path)[0].splitlines()


def solution_of(exercise: Exercise) -> str:
    """Return the source of the solution without its docstring, which the stub has."""
    function, lines = _function(exercise), _lines(exercise)
    signature = lines[_first_line(function) - 1 : function.body[0].lineno - 1]
    return "\n".join([*signature, *lines[function.body[0].end_lineno or 0 : function.end_lineno]]) + "\n"


def wrong_answer(exercise: Exercise, mistake: Mistake) -> Callable[..., Any]:
    """Return the function that makes a mistake."""
    return mistake.wrong if callable(mistake.wrong) else changed_solution(exercise, mistake.wrong.items())


def changed_solution(exercise: Exercise, changes: Iterable[tuple[str, str]]) -> Callable[..., Any]:
    """Return the solution with pieces of its source replaced, each of which stands in it once.

    Raises:
        ValueError: a piece does not stand in the solution's body, or stands there more often.
    """
    names = dict(vars(exercise.module))
    flags = __future__.annotations.compiler_flag
    exec(compile(_changed(exercise, changes), f"<{exercise.name}, changed>", "exec", flags, dont_inherit=True), names)
    function: Callable[..., Any] = names[exercise.name]
    return function


def _changed(exercise: Exercise, changes: Iterable[tuple[str, str]]) -> str:
    source = solution_of(exercise)
    for old, new in changes:
        if source.count(old) != 1:
            found = source.count(old)
            raise ValueError(f"{exercise.name}: {old!r} must stand once in the solution, found {found} times")
        source = source.replace(old, new)
    return source


def _function(exercise: Exercise) -> ast.FunctionDef:
    _, module = _parsed(exercise.path)
    found = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == exercise.name]
    if not found or ast.get_docstring(found[0]) is None:
        raise ValueError(f"{exercise.path.name} must define {exercise.name} with a docstring at its top level")
    return found[0]


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _signature(function: ast.FunctionDef) -> list[ast.AST]:
    return [function.args, *([function.returns] if function.returns else [])]


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _needed(module: ast.Module, names: set[str]) -> list[ast.stmt]:
    """Return the top-level statements that bind names, and those that these use, in their order."""
    chosen: set[int] = set()
    waiting = set(names)
    while waiting:
        found = {number for number, node in enumerate(module.body) if waiting & set(_bound(node))} - chosen
        chosen |= found
        waiting = _used(module.body[number] for number in found)
    picked = [module.body[number] for number in sorted(chosen)]
    return [part for node in picked for part in (node, *_note_below(module, node))]


def _note_below(module: ast.Module, node: ast.stmt) -> list[ast.stmt]:
    """Return the string that stands below an assignment and says what it is."""
    below = module.body[module.body.index(node) + 1 :][:1]
    is_note = below and isinstance(below[0], ast.Expr) and isinstance(below[0].value, ast.Constant)
    return below if is_note and isinstance(node, ast.Assign | ast.AnnAssign) else []


def _used(nodes: Iterable[ast.stmt]) -> set[str]:
    return _names(node for node in nodes if not _is_import(node))


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _as_imported(node: ast.stmt, wanted: set[str]) -> str:
    """Return an import with those of its names alone that the stub uses."""
    assert isinstance(node, ast.Import | ast.ImportFrom)
    node = type(node)(
        **{**vars(node), "names": [a for a in node.names if (a.asname or a.name.split(".")[0]) in wanted]}
    )
    line = ast.unparse(node)
    if len(line) <= WIDEST or isinstance(node, ast.Import):
        return line
    names = "".join(f"    {ast.unparse(alias)},\n" for alias in node.names)
    return f"from {'.' * node.level}{node.module} import (\n{names})"


def _source(text: str, module: ast.Module, node: ast.stmt) -> str:
    """Return a statement's source with the comments right above it."""
    lines = text.splitlines()
    first = node.lineno - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return "\n".join(lines[first : node.end_lineno])
