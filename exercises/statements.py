"""A file of Python as its statements, and which of the module's names each of them binds, changes and uses.

This is what cutting a file of answers into texts, and joining texts into a file, is done with. It reads syntax only:
names that a program computes (``globals()["f"]``, ``exec``) are not seen.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # all that ast.parse raises for bad source
Place = ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias | ast.Global


@dataclass
class Names:
    """Which of the module's names some statements deal with.

    Attributes:
        binds: given a value.
        changes: names whose value is changed in place, as in ``table[0] = 1`` or ``table.append(1)``.
        uses: read, at whatever time.
        later: read only when a function is called.
        places: where a name stands in the syntax tree.
        fixed: names that stand where renaming does not reach.
    """

    binds: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    places: list[tuple[str, Place]] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)


def names_in(nodes: Sequence[ast.stmt]) -> Names:
    """Return the module's names in statements from the top of a file.

    >>> found = names_in(ast.parse("def f(x):\\n    return g(x)").body)
    >>> found.binds, found.uses, found.later
    ({'f'}, {'g'}, {'g'})
    """
    reader = _Reader()
    for node in nodes:
        reader.visit(node)
    return reader.names


@dataclass(frozen=True)
class _Scope:
    """A function's, comprehension's or class's own names, and those that it declares to be the module's."""

    own: frozenset[str]
    declared: frozenset[str]
    kind: str


class _Reader(ast.NodeVisitor):
    """Follows Python's rules for scopes."""

    def __init__(self) -> None:
        self.names = Names()
        self.scopes: list[_Scope] = []

    def visit_Name(self, node: ast.Name) -> None:
        if not self._is_the_modules(node.id):
            return
        self.names.places.append((node.id, node))
        if isinstance(node.ctx, ast.Load):
            self._use(node.id)
        else:
            self.names.binds.add(node.id)

    def _use(self, name: str) -> None:
        self.names.uses.add(name)
        if any(scope.kind == "function" for scope in self.scopes):
            self.names.later.add(name)

    def _is_the_modules(self, name: str) -> bool:
        for depth, scope in enumerate(reversed(self.scopes)):
            if scope.kind == "class" and depth:
                continue  # a class's names are not seen from its methods
            if name in scope.declared:
                return True
            if name in scope.own:
                return False
        return True

    def _bind(self, name: str, node: Place | None) -> None:
        if self._is_the_modules(name):
            self.names.binds.add(name)
            if node is None:
                self.names.fixed.add(name)
            else:
                self.names.places.append((name, node))

    def _change(self, target: ast.expr) -> None:
        while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
            target = target.value
        if isinstance(target, ast.Name) and self._is_the_modules(target.id):
            self.names.changes.add(target.id)
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else []:
            self._change_part(part)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, node)
        for outside in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(outside)
        with_parameters = self._enter_parameters(node)
        for argument in _arguments(node.args):
            if argument.annotation:
                self.visit(argument.annotation)
        if node.returns:
            self.visit(node.returns)
        self._inside(_Scope(_own(node), _declared(node.body), "function"), node.body)
        self._leave_parameters(with_parameters)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outside in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(outside)
        own = {argument.arg for argument in _arguments(node.args)} | _bound_in([node.body])
        self._inside(_Scope(frozenset(own), frozenset(), "function"), [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node)
        for decorator in node.decorator_list:
            self.visit(decorator)
        with_parameters = self._enter_parameters(node)
        for base in [*node.bases, *node.keywords]:
            self.visit(base)
        self._inside(_Scope(frozenset(_bound_in(node.body)), _declared(node.body), "class"), node.body)
        self._leave_parameters(with_parameters)

    def _enter_parameters(self, node: ast.stmt) -> bool:
        """Enter the scope of type parameters, ``def f[T](…)``, where there are any."""
        parameters = getattr(node, "type_params", [])
        if parameters:
            own = frozenset(parameter.name for parameter in parameters)
            self.scopes.append(_Scope(own, frozenset(), "comprehension"))
        return bool(parameters)

    def _leave_parameters(self, entered: bool) -> None:
        if entered:
            self.scopes.pop()

    def _inside(self, scope: _Scope, nodes: Sequence[ast.AST]) -> None:
        self.scopes.append(scope)
        for node in nodes:
            self.visit(node)
        self.scopes.pop()

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        own = _bound_in([generator.target for generator in node.generators])
        kind = "function" if isinstance(node, ast.GeneratorExp) else "comprehension"
        first, *others = node.generators
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(_Scope(frozenset(own), frozenset(), kind), [first.target, *first.ifs, *others, *parts])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                whole = alias.asname or alias.name
                name = whole.partition(".")[0]
                self._bind(name, alias if name == whole else None)

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: ast.Global) -> None:
        self.names.places += [(name, node) for name in node.names]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, None)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, None)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, None)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign | ast.Delete) -> None:
        for target in node.targets:
            self._change_part(target)
        self.generic_visit(node)

    visit_Delete = visit_Assign

    def visit_AugAssign(self, node: ast.AugAssign | ast.AnnAssign) -> None:
        self._change_part(node.target)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        if name and isinstance(node, ast.AugAssign) and self._is_the_modules(name):
            self._use(name)
        self.generic_visit(node)

    visit_AnnAssign = visit_AugAssign

    def _change_part(self, target: ast.expr) -> None:
        """Note what an assignment changes; to a bare name it binds instead."""
        if not isinstance(target, ast.Name):
            self._change(target)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            self._change(node.value.func.value)
        self.generic_visit(node)


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _own(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    return frozenset({argument.arg for argument in _arguments(node.args)} | _bound_in(node.body))


def _of_scope(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without what lies inside other scopes."""
    for node in nodes:
        yield node
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            # ``:=`` in a comprehension binds outside of it
            yield from (each.target for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _of_scope(list(ast.iter_child_nodes(node)))


def _bound_in(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that a scope gives a value to."""
    bound: set[str] = set()
    for node in _of_scope(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
    return bound


def _declared(nodes: Sequence[ast.AST]) -> frozenset[str]:
    return frozenset(name for node in _of_scope(nodes) if isinstance(node, ast.Global) for name in node.names)


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a file, or several that share a line, with the comments above it.

    Attributes:
        source: its lines, comments included.
        nodes: what they parse to; none if they are comments only.
        names: the module's names in it.
    """

    source: str
    nodes: tuple[ast.stmt, ...]
    names: Names

    @property
    def imports(self) -> bool:
        return bool(self.nodes) and all(isinstance(node, ast.Import | ast.ImportFrom) for node in self.nodes)

    @property
    def defines(self) -> bool:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        return any(isinstance(node, kinds) for node in self.nodes)

    @property
    def is_text(self) -> bool:
        """Whether it is a string and nothing else, such as a docstring."""
        return len(self.nodes) == 1 and _is_text(self.nodes[0])

    @property
    def meaning(self) -> str:
        """The same for statements that differ in comments and spaces only."""
        return " ".join(map(ast.dump, self.nodes))

    @property
    def bare(self) -> Statement:
        """The same without the comments above and below it."""
        nodes = ast.parse(self.source).body
        lines = self.source.split("\n")[nodes[0].lineno - 1 : nodes[-1].end_lineno]
        return Statement("\n".join(lines), self.nodes, self.names)

    @property
    def comments(self) -> list[str]:
        """The comments in it, each a line; empty ones are left out."""
        return comments_in(self.source)


def comments_in(source: str) -> list[str]:
    """Return the comments of some lines.

    >>> comments_in("x = 1  # one\\ny = '# no'")
    ['# one']
    """
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def statements(text: str) -> list[Statement]:
    """Cut a file into its statements; nothing but blank lines between them is left out.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the text cannot be parsed.

    >>> [statement.source for statement in statements("# a\\nx = 1\\n\\ny = 2  # b\\n# c\\n")]
    ['# a\\nx = 1', 'y = 2  # b\\n# c']
    """
    lines = normal(text).split("\n")
    found: list[Statement] = []
    end = 0
    for group in _groups(ast.parse(normal(text)).body):
        start, stop = end, max(node.end_lineno or 0 for node in group)
        found.append(Statement(_trimmed(lines[start:stop]), tuple(group), names_in(group)))
        end = stop
    rest = _trimmed(lines[end:])
    if rest and found:
        last = found.pop()
        found.append(Statement(f"{last.source}\n{rest}", last.nodes, last.names))
    elif rest:
        found.append(Statement(rest, (), Names()))
    return found


def normal(text: str) -> str:
    """Return a text with newlines as Python reads them."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _trimmed(lines: Sequence[str]) -> str:
    """Return lines without the blank ones at both ends."""
    full = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[full[0] : full[-1] + 1]) if full else ""


def _groups(nodes: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield statements, together those that share a line, and a name with the text that documents it."""
    group: list[ast.stmt] = []
    for node in nodes:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        documents = _is_text(node) and group and isinstance(group[-1], ast.Assign | ast.AnnAssign)
        if group and not documents and first > (group[-1].end_lineno or 0):
            yield group
            group = []
        group.append(node)
    if group:
        yield group


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def renamed(text: str, new: Mapping[str, str]) -> str | None:
    """Return a text with some of the module's names changed, ``None`` if that is not possible for certain.

    >>> renamed("def g(x):\\n    return x\\n\\ndef f(g=g):\\n    return g(1)\\n", {"g": "h"})
    'def h(x):\\n    return x\\n\\ndef f(g=h):\\n    return g(1)\\n'
    """
    tree = ast.parse(text)
    names = names_in(tree.body)
    if names.fixed & new.keys():
        return None
    lines = [line.encode() for line in text.split("\n")]
    edits = [edit for name, node in names.places if name in new for edit in _edits(lines, name, node, new[name])]
    for line, start, old, replacement in sorted(set(edits), reverse=True):
        if start < 0 or lines[line][start : start + len(old)] != old:
            return None
        lines[line] = lines[line][:start] + replacement + lines[line][start + len(old) :]
    text = b"\n".join(lines).decode()
    for name, node in names.places:
        if name in new:
            _set(node, name, new[name])
    try:
        return text if ast.dump(ast.parse(text)) == ast.dump(tree) else None
    except UNREADABLE:
        return None


def _edits(lines: Sequence[bytes], name: str, node: Place, new: str) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Yield line, column, old and new bytes that rename one place."""
    line, start = node.lineno - 1, node.col_offset
    old, wanted = name.encode(), new.encode()
    if isinstance(node, ast.alias):
        if node.asname:
            start = (node.end_col_offset or 0) - len(old)
            line = (node.end_lineno or 0) - 1
        else:
            wanted = f"{name} as {new}".encode()
    elif isinstance(node, ast.Global):
        start = lines[line].find(old, start + len("global"))
    elif not isinstance(node, ast.Name):
        keyword = "class" if isinstance(node, ast.ClassDef) else "def"
        start = lines[line].find(old, lines[line].find(keyword.encode(), start) + len(keyword))
    yield line, start, old, wanted


def _set(node: Place, old: str, new: str) -> None:
    """Rename a place in the syntax tree."""
    if isinstance(node, ast.Name):
        node.id = new
    elif isinstance(node, ast.alias):
        node.asname = new
    elif isinstance(node, ast.Global):
        node.names = [new if name == old else name for name in node.names]
    else:
        node.name = new
