"""Changes a solution a little, one place at a time: what a grader must notice.

An operator, a constant, a comparison or a name is replaced by another, a term, a condition,
a call or a statement is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv, ast.Add),
    ast.Pow: (ast.Mult,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
CALLS = {
    "min": ("max",),
    "max": ("min",),
    "sum": ("max",),
    "any": ("all",),
    "all": ("any",),
    "ceil": ("floor",),
    "floor": ("ceil",),
    "int": ("round",),
    "fmean": ("sum",),
    "log2": ("log",),
    "log": ("log2",),
}
TERMS = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow
SMALL = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return


@dataclass(frozen=True)
class Mutant:
    """A changed solution: the module's code, and the changed statement, on one line."""

    source: str
    after: str


def mutants(source: str, function: str) -> Iterator[Mutant]:
    """Yield every change of a module's function and of what it uses in the module."""
    tree = ast.parse(source)
    texts = [ast.unparse(statement) for statement in tree.body]
    for top in reached(tree, function):
        number = tree.body.index(top)
        found = {texts[number]}
        for place in places(top, frozenset()):
            before = place.get()
            for after in replacements(before, place.names):
                place.put(after)
                changed, line = ast.unparse(top), shown(after if isinstance(after, ast.stmt) else place.statement)
                place.put(before)
                line = f"no {shown(place.statement)}" if line == "pass" else line
                if changed not in found:
                    found.add(changed)
                    yield Mutant("\n".join([*texts[:number], changed, *texts[number + 1 :]]), line)


def reached(tree: ast.Module, function: str) -> list[ast.stmt]:
    """Return the definitions of a module that a function uses, its own first."""
    defined: dict[str, ast.stmt] = {}
    for statement in tree.body:
        for name in defined_by(statement):
            defined[name] = statement
    found, waiting = [defined[function]], [defined[function]]
    while waiting:
        used = [node.id for node in ast.walk(waiting.pop()) if isinstance(node, ast.Name)]
        new = [defined[name] for name in used if name in defined and defined[name] not in found]
        found += new
        waiting += new
    return list(dict.fromkeys(found))


def defined_by(statement: ast.stmt) -> list[str]:
    """Return the names of a function, or of a table, that a statement of a module defines; types are neither."""
    if isinstance(statement, ast.FunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Subscript | ast.BinOp):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


@dataclass(frozen=True)
class Place:
    """Where a node stands: in a field of another, in a statement, with the names that it could use."""

    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt
    names: frozenset[str]

    def get(self) -> ast.AST:
        """Return the node that stands here."""
        value = getattr(self.parent, self.field)
        node: ast.AST = value if self.index is None else value[self.index]
        return node

    def put(self, node: ast.AST) -> None:
        """Put another node here."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def places(node: ast.AST, names: frozenset[str], statement: ast.stmt | None = None) -> Iterator[Place]:
    """Yield the places below a node, in order; annotations, docstrings and decorators are left alone."""
    names |= names_bound_by(node)
    statement = node if isinstance(node, ast.stmt) else statement
    assert statement
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx"):
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if not isinstance(child, ast.AST) or is_left_alone(child):
                continue
            within = child if isinstance(child, ast.stmt) else statement
            yield Place(node, field, index, within, names)
            yield from places(child, names, statement)


def is_left_alone(node: ast.AST) -> bool:
    """Say whether a node is a text that stands alone, or zip's ``strict``, which says only that lengths agree."""
    if isinstance(node, ast.keyword):
        return node.arg == "strict"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def names_bound_by(node: ast.AST) -> frozenset[str]:
    """Return the names that a function, a lambda or a comprehension binds."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        inner = ast.walk(node) if isinstance(node, ast.FunctionDef) else ()
        return frozenset([each.arg for each in arguments]) | stored(inner)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return stored(each for generator in node.generators for each in ast.walk(generator.target))
    return frozenset()


def stored(nodes: Iterator[ast.AST] | tuple[()]) -> frozenset[str]:
    """Return the names that nodes assign to."""
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def replacements(node: ast.AST, names: frozenset[str]) -> Iterator[ast.AST]:
    """Yield what can stand in a node's place."""
    match node:
        case ast.BinOp(left, op, right):
            yield from (ast.BinOp(left, other(), right) for other in ARITHMETIC.get(type(op), ()))
            yield from (left, right) if isinstance(op, TERMS) else ()
        case ast.AugAssign(target, op, value):
            yield from (ast.AugAssign(target, other(), value) for other in ARITHMETIC.get(type(op), ()))
            yield ast.Pass()
        case ast.Compare(left, [op], [right]):
            yield from (ast.Compare(left, [other()], [right]) for other in COMPARISONS.get(type(op), ()))
        case ast.Compare(left, ops, comparators):
            for kept, (one, other) in zip(ops, pairwise([left, *comparators]), strict=False):
                yield ast.Compare(one, [kept], [other])
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from values
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.IfExp(test, body, orelse):
            yield from (body, orelse, ast.IfExp(test, orelse, body))
        case ast.If(test, body, orelse):
            yield from (ast.If(ast.Constant(value), body, orelse) for value in (True, False))
        case ast.Constant(value):
            yield from (ast.Constant(other) for other in other_constants(value))
        case ast.Name(name, ast.Load()):
            yield from (ast.Name(other, ast.Load()) for other in sorted(names - {name}) if name in names)
            yield from (ast.Name(other, ast.Load()) for other in CALLS.get(name, ()) if name not in names)
        case ast.Attribute(value, name, ast.Load()):
            yield from (ast.Attribute(value, other, ast.Load()) for other in CALLS.get(name, ()))
        case ast.Call():
            yield from other_calls(node)
        case ast.Slice(lower, upper, step):
            yield from (ast.Slice(None, upper, step),) if lower else ()
            yield from (ast.Slice(lower, None, step),) if upper else ()
        case ast.comprehension(target, iterated, [_, *_], is_async):
            yield ast.comprehension(target, iterated, [], is_async)
        case ast.Assign([ast.Subscript()], _) | ast.Expr():
            yield ast.Pass()
        case ast.List([_, *rest]) | ast.Tuple([_, *rest], ast.Load()) if rest:
            yield from other_displays(node)


def other_constants(value: object) -> tuple[Any, ...]:
    """Return the neighbours of a number; texts are left alone."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1)
    return (2 * value, value / 2, -value) if isinstance(value, float) and value else (1.0,) * isinstance(value, float)


def other_calls(call: ast.Call) -> Iterator[ast.AST]:
    """Yield a call without one of its arguments, its first argument alone, and a range that is one off."""
    for number, _ in enumerate(call.args[1:], 1):
        yield ast.Call(call.func, call.args[:number] + call.args[number + 1 :], call.keywords)
    for keyword in call.keywords:
        if not is_left_alone(keyword):
            yield ast.Call(call.func, call.args, [each for each in call.keywords if each is not keyword])
    yield from call.args
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        *others, last = call.args
        for change in (ast.Add(), ast.Sub()):
            yield ast.Call(call.func, [*others, ast.BinOp(last, change, ast.Constant(1))], [])


def other_displays(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a list or a tuple with two neighbours exchanged."""
    assert isinstance(node, ast.List | ast.Tuple)
    for at in range(len(node.elts) - 1):
        elements = list(node.elts)
        elements[at : at + 2] = reversed(elements[at : at + 2])
        yield type(node)(elements, ast.Load())


def shown(statement: ast.stmt) -> str:
    """Return a statement on one line; of one that holds others, its head."""
    text = ast.unparse(statement)
    if not isinstance(statement, SMALL):
        text = text.splitlines()[0]
    return " ".join(text.split())
