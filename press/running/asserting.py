"""Lets an assertion that fails in a cell say what it compared; an extension of IPython that the kernels load.

Before a cell runs, each ``assert`` in it is taken apart as pytest does it: the sides of a comparison are computed once,
in their order, and kept until the comparison is decided. Assertions in modules stay as they are.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from types import SimpleNamespace
from typing import Any

LONGEST_PART = 100
_WHY = "@why"  # no name that a cell can write, so that none is taken
_NOT_COMPUTED = ...


def load_ipython_extension(shell: Any) -> None:
    """Take apart the assertions of every cell that this shell runs."""
    shell.user_ns[_WHY] = why
    shell.ast_transformers.append(_Assertions())


class _Assertions(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Make an assertion of several conditions several assertions, which remember what they compare."""
        statements: list[ast.stmt] = []
        for condition in _conditions(node.test):
            statements += _explained(condition, node.msg)
        for statement in statements:
            ast.fix_missing_locations(ast.copy_location(statement, node))
        return statements


def _conditions(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conditions(value)]
    return [test]


def _explained(condition: ast.expr, message: ast.expr | None) -> list[ast.stmt]:
    """Return the statements that assert one condition, and leave nothing that they computed behind."""
    sides = [condition.left, *condition.comparators] if isinstance(condition, ast.Compare) else []
    names = [f"@side {number}" for number in range(len(sides))]
    kept: list[ast.expr] = [
        ast.NamedExpr(ast.Name(name, ast.Store()), side) for name, side in zip(names, sides, strict=True)
    ]
    test = ast.Compare(kept[0], condition.ops, kept[1:]) if isinstance(condition, ast.Compare) else condition
    place = [condition.lineno, condition.col_offset, condition.end_lineno, condition.end_col_offset]
    told: list[ast.expr] = [ast.Constant(number) for number in place]
    values = [ast.Name(name, ast.Load()) for name in names]
    explanation = ast.Call(
        ast.Name(_WHY, ast.Load()),
        [ast.Tuple(told, ast.Load()), message or ast.Constant(None), ast.Constant(_pattern(condition)), *values],
        [],
    )
    asserted = ast.Assert(test, explanation)
    if not names:
        return [asserted]
    before = ast.Assign([ast.Name(name, ast.Store()) for name in names], ast.Constant(_NOT_COMPUTED))
    return [before, asserted, ast.Delete([ast.Name(name, ast.Del()) for name in names])]


def _pattern(condition: ast.expr) -> str:
    """Return a comparison with gaps for its sides, ``{0} < {1} < {2}``."""
    if not isinstance(condition, ast.Compare):
        return ""
    gaps: list[ast.expr] = [ast.Name(f"{{{number}}}") for number in range(1 + len(condition.comparators))]
    return ast.unparse(ast.Compare(gaps[0], condition.ops, gaps[1:]))


def why(place: tuple[int, int, int, int], message: object, pattern: str, *sides: object) -> str:
    """Return what a failing assertion says: its own message, the condition, and the values that were compared.

    Args:
        place: first line and column of the condition in its cell, last line and column.
        message: the assertion's own, ``None`` without one.
        pattern: the comparison with gaps, ``{0} == {1}``; empty where nothing is compared.
        sides: what stands in the gaps.
    """
    frame = inspect.currentframe()
    caller = frame and frame.f_back
    lines = linecache.getlines(caller.f_code.co_filename) if caller else []
    line, column, end_line, end_column = place
    node: Any = SimpleNamespace(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)
    condition = _shortened(ast.get_source_segment("".join(lines), node) or "the assertion")
    said = f"{condition} does not hold"
    if pattern:
        said += f": {pattern.format(*map(_shown, sides))}"
    return said if message is None else f"{message}: {said}"


def _shown(value: object) -> str:
    if value is _NOT_COMPUTED:
        return "…"
    try:
        return _shortened(repr(value))
    except Exception:  # what a value is called is no reason to hide that the assertion failed
        return f"<{type(value).__name__}>"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_PART else f"{text[:LONGEST_PART]}…"
