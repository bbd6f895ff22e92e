"""Finds the numbers that the cells of a chapter assert of something which they computed.

A comparison counts if one of its sides calls a function, or names what a cell got by calling one: ``ranks == 1024``
after ``ranks = 1024``, or ``8 * 8 / 4 == 16``, holds whatever the book's formulas say. Python's own ``round``, ``len``
and the like compute nothing by themselves.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from decimal import Decimal

from press.running.freshness import parsed

_OWN = {name for name in dir(builtins) if name.islower()}


def asserted_numbers(sources: Sequence[str]) -> set[Decimal]:
    """Return the numbers that stand in the assertions of cells beside something computed.

    >>> sorted(asserted_numbers(["x = total(3)", "assert round(x, 2) == 1.56 and 4 * 2 == 8"]))
    [Decimal('1.56'), Decimal('2')]
    """
    trees = [parsed(source) for source in sources]
    computed = _computed_names(trees)
    asserted = [node.test for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return {number for test in asserted for number in _numbers(test, computed)}


def _computed_names(trees: Sequence[ast.Module]) -> set[str]:
    """Return the names that cells import, or bind to something computed."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    computed = {
        (alias.asname or alias.name).partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    computed |= {node.arg for node in nodes if isinstance(node, ast.arg)}  # whoever calls the function has computed it
    bindings = [
        (_names(target), _names(value), _calls(value))
        for target, value in map(_target_and_value, nodes)
        if target and value
    ]
    known = -1
    while len(computed) > known:
        known = len(computed)
        for targets, names, calls in bindings:
            if calls or names & computed:
                computed |= targets
    return computed


def _target_and_value(binding: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
    """Return what an assignment, a loop or the like binds, and to what."""
    match binding:
        case ast.Assign(targets=targets, value=value):
            return ast.Tuple(targets), value
        case (
            ast.For(target=target, iter=value)
            | ast.comprehension(target=target, iter=value)
            | ast.withitem(optional_vars=target, context_expr=value)
            | ast.AnnAssign(target=target, value=value)
            | ast.AugAssign(target=target, value=value)
            | ast.NamedExpr(target=target, value=value)
        ):
            return target, value
    return None, None


def _is_computed(value: ast.AST, computed: set[str]) -> bool:
    """Whether an expression calls a function that is not Python's own, or names something computed."""
    return bool(_names(value) & computed) or _calls(value)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _calls(value: ast.AST) -> bool:
    """Whether an expression calls a function that is not Python's own."""
    calls = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    return any(isinstance(call, ast.Name) and call.id not in _OWN for call in calls)


def _numbers(test: ast.AST, computed: set[str]) -> Iterator[Decimal]:
    """Find the numbers of an assertion that count, each comparison in it by itself."""
    comparisons: list[ast.AST] = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    for part in comparisons or [test]:
        for sides in _sides(part):
            if any(_is_computed(side, computed) for side in sides):
                yield from (number for side in sides for number in _constants(side))


def _sides(part: ast.AST) -> list[Sequence[ast.AST]]:
    """Return what is compared: of tuples and lists of one length, each place by itself."""
    if isinstance(part, ast.Call):
        return [[*part.args, *(keyword.value for keyword in part.keywords)]]
    if not isinstance(part, ast.Compare):
        return [[part]]
    sides = [part.left, *part.comparators]
    if all(isinstance(side, ast.Tuple | ast.List) for side in sides):
        places = [side.elts for side in sides if isinstance(side, ast.Tuple | ast.List)]
        if len({len(place) for place in places}) == 1:
            return [list(place) for place in zip(*places, strict=True)]
    return [sides]


def _constants(side: ast.AST) -> Iterator[Decimal]:
    for node in ast.walk(side):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
            if number.is_finite():
                yield number
